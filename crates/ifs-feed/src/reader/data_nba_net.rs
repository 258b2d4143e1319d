//! Basketball from `data.nba.net`'s full play-by-play: kinds as in the second version of
//! stats.nba.com, the score on every row, surnames in the sentences.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::nba::{Sides, free_throw};
use super::text_log::lengths;
use super::{FeedFile, LineIndex, json, when};
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Clocking, Event, EventKind, EventRole, Sport};

#[derive(Deserialize)]
struct Log<'t> {
    #[serde(borrow)]
    g: Game<'t>,
}

#[derive(Deserialize)]
struct Game<'t> {
    #[serde(borrow)]
    gid: &'t str,
    #[serde(borrow)]
    pd: Vec<Period<'t>>,
}

#[derive(Deserialize)]
struct Period<'t> {
    p: u32,
    #[serde(borrow)]
    pla: Vec<Play<'t>>,
}

#[derive(Deserialize)]
struct Play<'t> {
    #[serde(borrow)]
    cl: &'t str,
    #[serde(borrow)]
    de: Cow<'t, str>,
    etype: i64,
    #[serde(default)]
    opt1: i64,
    #[serde(default)]
    tid: i64,
    #[serde(default)]
    pid: i64,
    /// The player who assists or comes in.
    #[serde(borrow, default)]
    epid: Cow<'t, str>,
    /// The opponent, who steals, blocks or is fouled.
    #[serde(borrow, default)]
    opid: Cow<'t, str>,
    hs: Option<i64>,
    vs: Option<i64>,
}

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let log: Log<'_> = json::parse(file.text, "a play-by-play of data.nba.net")?;
    let mut draft = TableDraft::new(log.g.gid, Sport::Basketball, Clocking::Down);
    let names = names(&log);
    let mut sides = Sides::default();
    let mut lines = LineIndex::new(file.text);
    for period in &log.g.pd {
        for play in &period.pla {
            let line = lines.line_of(play.cl);
            let (number, time) = when(line, play.cl, Some(period.p), &play.de)?;
            let mut event = Event::new(number, play.cl, time, line);
            event.text = Arc::from(&*play.de);
            event.team = sides.team(play.tid, tricode(&play.de));
            what(&mut event, play, &names, &mut draft);
            event.stated = play.vs.zip(play.hs).map(|(away, home)| [away, home]);
            sides.learn(&event);
            draft.events.push(event);
        }
    }
    sides.settle(&mut draft);
    squads(&mut draft);
    lengths(&mut draft);
    Ok(draft)
}

/// The players of each side, from their events in the log.
fn squads(draft: &mut TableDraft) {
    for event in &draft.events {
        let Some(own) = event.team.map(usize::from) else { continue };
        for actor in &event.actors {
            let side = match (actor.role, &event.kind) {
                (EventRole::Steal | EventRole::Block | EventRole::Against, _) => 1 - own,
                // The player who gains a jump ball may be of either side.
                (EventRole::Gains, _) => continue,
                _ => own,
            };
            let Some(team) = draft.teams.get_mut(side) else { continue };
            if !team.players.contains(&actor.name) {
                team.players.push(Arc::clone(&actor.name));
            }
        }
    }
}

/// `[WAS 2-0] Beal …` or `[WAS] Beal …`
fn tricode(text: &str) -> &str {
    let inside = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inside.map_or("", |(inside, _)| inside.split(' ').next().unwrap_or(""))
}

fn sentence(text: &str) -> &str {
    match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((_, sentence)) => sentence,
        None => text,
    }
}

/// The surname of each person: the words that begin all sentences about him.
fn names<'t>(log: &'t Log<'t>) -> BTreeMap<i64, &'t str> {
    let mut names: BTreeMap<i64, &str> = BTreeMap::new();
    let plays = log.g.pd.iter().flat_map(|period| &period.pla);
    for play in plays.filter(|play| play.pid > 0 && play.etype != 10 && play.de.starts_with('[')) {
        let words = sentence(&play.de);
        let known = names.entry(play.pid).or_insert(words);
        let same = known.split(' ').zip(words.split(' ')).take_while(|(one, other)| one == other);
        let length: usize = same.map(|(word, _)| word.len() + 1).sum();
        *known = known.get(..length.saturating_sub(1)).unwrap_or(known);
    }
    // If someone has only one kind of event, all his sentences also begin with its words.
    for name in names.values_mut() {
        let ends = WORDS_AFTER_SURNAME.iter().filter_map(|deed| name.find(deed));
        if let Some(end) = ends.min() {
            *name = &name[..end];
        }
    }
    // Other players are named in sentences about someone else.
    for play in log.g.pd.iter().flat_map(|period| &period.pla) {
        let id = |text: &str| text.parse().ok().filter(|id| *id > 0);
        for (id, words) in [
            (id(&play.epid), &["Assist: ", "replaced by "][..]),
            (id(&play.opid), &["Steal:", "Block: "][..]),
        ] {
            let said = words.iter().find_map(|word| Some(play.de.split_once(word)?.1));
            if let Some((id, said)) = id.zip(said) {
                names.entry(id).or_insert_with(|| said.split(" (").next().unwrap_or(said));
            }
        }
    }
    names
}

/// Words that follow a surname.
const WORDS_AFTER_SURNAME: [&str; 27] = [
    " Free Throw",
    " Jump",
    " 3pt",
    " Layup",
    " Dunk",
    " Driving",
    " Pullup",
    " Hook",
    " Tip",
    " Rebound",
    " Turnover",
    " Foul",
    " Substitution",
    " Violation",
    " Ejection",
    " Technical",
    " Running",
    " Cutting",
    " Putback",
    " Reverse",
    " Turnaround",
    " Fadeaway",
    " Floating",
    " Finger",
    " Step",
    " Alley",
    " Bank",
];

fn what(event: &mut Event, play: &Play<'_>, names: &BTreeMap<i64, &str>, draft: &mut TableDraft) {
    let name = |id: i64| names.get(&id).copied().unwrap_or("");
    let of = |id: &str| id.parse().map_or("", name);
    use EventRole::{Against, Assist, Block, Gains, Out, Player, Steal};
    let (first, opposed, helps) = match play.etype {
        1 => (Player, None, Some(Assist)),
        2 => (Player, Some(Block), None),
        5 => (Player, Some(Steal), None),
        6 => (Player, Some(Against), None),
        8 => (Out, None, Some(Player)),
        10 => (Player, Some(Against), Some(Gains)),
        _ => (Player, None, None),
    };
    event.add_actor(first, name(play.pid));
    for (role, id) in [(opposed, &play.opid), (helps, &play.epid)] {
        if let Some(role) = role {
            event.add_actor(role, of(id));
        }
    }
    let text = &*play.de;
    let made = !text.contains("Missed") && !text.contains("missed");
    let tried = if play.opt1 > 0 { play.opt1 } else { 2 };
    event.kind = match play.etype {
        1 => return event.shot(EventKind::FieldGoal, tried, true),
        2 => return event.shot(EventKind::FieldGoal, tried, false),
        3 => {
            return free_throw(event, draft, made);
        }
        4 => EventKind::Rebound,
        5 => EventKind::Turnover,
        6 => EventKind::Foul,
        7 => EventKind::Violation,
        8 => EventKind::Substitution,
        9 => EventKind::Timeout,
        10 => EventKind::JumpBall,
        11 => EventKind::Ejection,
        12 => EventKind::PeriodStart,
        13 => EventKind::PeriodEnd,
        18 => EventKind::Review,
        0 if text.contains("Game End") || text.contains("End Game") => EventKind::GameEnd,
        14 | 15 => EventKind::GameEnd,
        other => {
            draft.notice(
                QuirkKind::UnknownWording,
                event.line,
                format!("etype is {other}: {text}"),
            );
            EventKind::Other
        }
    };
}
