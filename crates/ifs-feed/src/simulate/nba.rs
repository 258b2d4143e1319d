//! Common parts of the NBA's own sources: their names for ESPN's terms, and running totals.

use std::sync::Arc;

use crate::finish::TableDraft;
use crate::reader::FIRST_TEAM_ID;
use crate::table::{Actor, Event, EventKind, EventRole, Team};

/// A kind of event, with its name in each source.
pub struct EventNames {
    /// The ending of ESPN's detail.
    espn: &'static str,
    /// The words in sentences of stats.nba.com.
    pub words: &'static str,
    /// The value in the third version's column, and in data.nba.net's sentences.
    pub sub: &'static str,
    /// The number in the second version and at data.nba.net.
    pub number: i64,
    /// The distinguishing part and the kind in the live data.
    pub live: (&'static str, &'static str),
}

impl EventNames {
    const fn new(
        espn: &'static str,
        words: &'static str,
        sub: &'static str,
        number: i64,
        live: (&'static str, &'static str),
    ) -> EventNames {
        EventNames { espn, words, sub, number, live }
    }

    /// Both parts of the name in the live data.
    pub fn live_words(&self) -> String {
        format!("{} {}", self.live.0, self.live.1).trim().to_owned()
    }
}

/// If one name is the ending of another, the longer one is first; the last one matches everything.
pub const SHOTS: [EventNames; 12] = [
    EventNames::new(
        "alley oop dunk shot",
        "Alley Oop Dunk",
        "Alley Oop Dunk Shot",
        52,
        ("alley-oop", "DUNK"),
    ),
    EventNames::new("driving dunk", "Driving Dunk", "Driving Dunk Shot", 9, ("driving", "DUNK")),
    EventNames::new(
        "running pullup jump shot",
        "Running Pull-Up Jump Shot",
        "Running Pull-Up Jump Shot",
        103,
        ("running pullup", "Jump Shot"),
    ),
    EventNames::new(
        "driving floating jump shot",
        "Driving Floating Jump Shot",
        "Driving Floating Jump Shot",
        101,
        ("driving floating", "Jump Shot"),
    ),
    EventNames::new(
        "pullup jump shot",
        "Pullup Jump Shot",
        "Pullup Jump shot",
        79,
        ("pullup", "Jump Shot"),
    ),
    EventNames::new(
        "step back jumpshot",
        "Step Back Jump Shot",
        "Step Back Jump shot",
        80,
        ("step back", "Jump Shot"),
    ),
    EventNames::new("hook shot", "Hook Shot", "Hook Shot", 3, ("", "Hook")),
    EventNames::new(
        "driving layup",
        "Driving Layup",
        "Driving Layup Shot",
        6,
        ("driving", "Layup"),
    ),
    EventNames::new("tip shot", "Tip Layup Shot", "Tip Layup Shot", 97, ("tip", "Layup")),
    EventNames::new("layup", "Layup", "Layup Shot", 5, ("", "Layup")),
    EventNames::new("dunk", "Dunk", "Dunk Shot", 7, ("", "DUNK")),
    EventNames::new("", "Jump Shot", "Jump Shot", 1, ("", "Jump Shot")),
];

pub const FOULS: [EventNames; 5] = [
    EventNames::new("shooting foul", "S.FOUL", "Shooting", 2, ("shooting", "personal")),
    EventNames::new("loose ball foul", "L.B.FOUL", "Loose Ball", 3, ("loose ball", "personal")),
    EventNames::new("offensive foul", "OFF.Foul", "Offensive", 4, ("", "offensive")),
    EventNames::new("technical foul", "T.FOUL", "Technical", 11, ("", "technical")),
    EventNames::new("", "P.FOUL", "Personal", 1, ("", "personal")),
];

pub const TURNOVERS: [EventNames; 7] = [
    EventNames::new(
        "out of bounds lost ball turnover",
        "Out of Bounds Lost Ball Turnover",
        "Out of Bounds Lost Ball Turnover",
        40,
        ("lost ball", "out-of-bounds"),
    ),
    EventNames::new("lost ball turnover", "Lost Ball Turnover", "Lost Ball", 2, ("", "lost ball")),
    EventNames::new(
        "shot clock turnover",
        "Shot Clock",
        "Shot Clock Turnover",
        11,
        ("", "shot clock"),
    ),
    EventNames::new("traveling", "Traveling Turnover", "Traveling", 4, ("", "traveling")),
    EventNames::new(
        "offensive foul",
        "Offensive Foul Turnover",
        "Offensive Foul Turnover",
        37,
        ("", "offensive foul"),
    ),
    // These logs repeat the last word.
    EventNames::new(
        "turnover",
        "Out of Bounds - Bad Pass Turnover Turnover",
        "Out of Bounds - Bad Pass Turnover",
        45,
        ("bad pass", "out-of-bounds"),
    ),
    EventNames::new("", "Bad Pass Turnover", "Bad Pass", 1, ("", "bad pass")),
];

pub const VIOLATIONS: [EventNames; 2] = [
    EventNames::new(
        "defensive goaltending violation",
        "Defensive Goaltending",
        "Defensive Goaltending",
        2,
        ("", "defensive goaltending"),
    ),
    EventNames::new("", "Kicked Ball", "Kicked Ball", 5, ("", "kicked ball")),
];

/// The names for a kind of event.
pub fn names(kind: &EventKind) -> &'static [EventNames] {
    match kind {
        EventKind::FieldGoal => &SHOTS,
        EventKind::Foul => &FOULS,
        EventKind::Turnover => &TURNOVERS,
        EventKind::Violation => &VIOLATIONS,
        _ => &[],
    }
}

/// The row type in the second version and at data.nba.net.
pub fn message_type(event: &Event) -> i64 {
    match event.kind {
        EventKind::FieldGoal if event.made => 1,
        EventKind::FieldGoal => 2,
        EventKind::FreeThrow => 3,
        EventKind::Rebound => 4,
        EventKind::Turnover => 5,
        EventKind::Foul => 6,
        EventKind::Violation => 7,
        EventKind::Substitution => 8,
        EventKind::Timeout => 9,
        EventKind::JumpBall => 10,
        EventKind::PeriodStart => 12,
        EventKind::PeriodEnd => 13,
        _ => 18,
    }
}

/// The subtype, from the source's word in the sentence.
pub fn action_type(event: &Event, word: impl Fn(&EventNames) -> &'static str) -> i64 {
    let throw = || {
        let (which, of) = event.text.split_once("Free Throw ")?.1.get(..6)?.split_once(" of ")?;
        let which: i64 = which.parse().ok()?;
        let before = match of {
            "1" => 9,
            "2" => 10,
            _ => 12,
        };
        Some(before + which)
    };
    match event.kind {
        EventKind::FreeThrow => throw().unwrap_or(16),
        EventKind::Timeout => 1,
        EventKind::Review => 4,
        _ => {
            let found = names(&event.kind).iter().find(|named| event.text.contains(word(named)));
            found.map_or(0, |named| named.number)
        }
    }
}

/// The persons in the row of a play, in the order of `roles`. For a jump ball the home side's
/// player is first, for a substitution the player who leaves.
pub fn persons(event: &Event, roles: &[EventRole]) -> Vec<Actor> {
    let in_order = roles.iter().map(|role| (*role, *role));
    let pairs: Vec<(EventRole, EventRole)> = match event.kind {
        EventKind::JumpBall => vec![
            (EventRole::Against, EventRole::Player),
            (EventRole::Player, EventRole::Against),
            (EventRole::Gains, EventRole::Gains),
        ],
        EventKind::Substitution => {
            vec![(EventRole::Out, EventRole::Out), (EventRole::Player, EventRole::Player)]
        }
        _ => in_order.collect(),
    };
    let of = |(from, role): (EventRole, EventRole)| {
        let actor = event.actors.iter().find(|actor| actor.role == from)?;
        Some(Actor { name: Arc::clone(&actor.name), role })
    };
    pairs.into_iter().filter_map(of).collect()
}

/// A play, with the totals after it.
pub struct PlayWithTotals<'d> {
    pub event: &'d Event,
    /// The name of the event; `None` for kinds without names.
    pub named: Option<&'static EventNames>,
    pub feet: Option<i64>,
    /// The points, rebounds (offensive, defensive), turnovers and fouls of the player.
    pub points: i64,
    pub rebounds: [i64; 2],
    pub turnovers: i64,
    pub fouls: i64,
    /// The assists, blocks and steals of the player with that role.
    pub assists: i64,
    pub blocks: i64,
    pub steals: i64,
    /// The turnovers and timeouts of the team, and its fouls in the period.
    pub team_turnovers: i64,
    pub team_fouls: i64,
    pub timeouts: i64,
    /// The player who takes the throws for a foul, and their number.
    pub drawn: Option<(&'d Arc<str>, i64)>,
}

impl PlayWithTotals<'_> {
    pub fn first(&self, role: EventRole) -> &str {
        self.event.by(role).next().unwrap_or("")
    }

    pub fn word(&self, of: impl Fn(&EventNames) -> &'static str) -> &'static str {
        self.named.map_or("", of)
    }
}

#[derive(Clone, Copy)]
enum Statistic {
    Points,
    Offensive,
    Defensive,
    Turnovers,
    Fouls,
    Assists,
    Blocks,
    Steals,
    Timeouts,
}

/// The totals of all players and both teams so far.
#[derive(Default)]
struct RunningTotals<'d>(Vec<(&'d str, [i64; 9])>);

impl<'d> RunningTotals<'d> {
    fn totals_of(&mut self, who: &'d str) -> &mut [i64; 9] {
        let at = self.0.iter().position(|(known, _)| *known == who);
        let at = at.unwrap_or_else(|| {
            self.0.push((who, [0; 9]));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    fn add(&mut self, who: &'d str, what: Statistic, by: i64) -> i64 {
        let counted = &mut self.totals_of(who)[what as usize];
        *counted += by;
        *counted
    }
}

/// The events of a draft, with a line at the start of each period.
pub fn with_starts(draft: &mut TableDraft) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::with_capacity(draft.events.len() + 8);
    for event in std::mem::take(&mut draft.events) {
        if events.last().is_none_or(|last| last.period != event.period) {
            let length =
                if event.period <= draft.regulation { draft.length } else { draft.overtime };
            let mut start = Event::new(event.period, "", length.unwrap_or(0), 0);
            start.kind = EventKind::PeriodStart;
            events.push(start);
        }
        events.push(event);
    }
    events
}

/// The plays of events in ESPN's terms, with their totals.
pub fn plays<'d>(events: &'d [Event], teams: &'d [Team]) -> Vec<PlayWithTotals<'d>> {
    let mut tally = RunningTotals::default();
    let mut period = 0;
    let mut before: Option<&Event> = None;
    let mut plays = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        if event.period != period {
            period = event.period;
            for team in teams {
                tally.totals_of(&team.name)[Statistic::Fouls as usize] = 0;
            }
        }
        plays.push(play(&mut tally, event, before, events.get(at + 1..).unwrap_or(&[]), teams));
        before = Some(event);
    }
    plays
}

fn play<'d>(
    tally: &mut RunningTotals<'d>,
    event: &'d Event,
    before: Option<&Event>,
    later: &'d [Event],
    teams: &'d [Team],
) -> PlayWithTotals<'d> {
    let mut play = PlayWithTotals {
        event,
        named: None,
        feet: None,
        points: 0,
        rebounds: [0, 0],
        turnovers: 0,
        fouls: 0,
        assists: 0,
        blocks: 0,
        steals: 0,
        team_turnovers: 0,
        team_fouls: 0,
        timeouts: 0,
        drawn: None,
    };
    let team = event.team.and_then(|team| teams.get(usize::from(team)));
    let team = team.map_or("", |team| &*team.name);
    let player = event.player();
    let mut detail = &*event.detail;
    match event.kind {
        EventKind::FieldGoal => {
            play.feet = detail.split_once("-foot").and_then(|(feet, _)| feet.parse().ok());
        }
        EventKind::Rebound if !player.is_empty() => {
            let offensive = i64::from(detail == "offensive");
            play.rebounds = [
                tally.add(player, Statistic::Offensive, offensive),
                tally.add(player, Statistic::Defensive, 1 - offensive),
            ];
        }
        EventKind::Turnover => {
            // The turnover after an offensive foul has its name.
            if let Some(foul) = before.filter(|before| before.kind == EventKind::Foul)
                && foul.detail.starts_with("offensive")
                && foul.player() == player
            {
                detail = &foul.detail;
            }
            play.team_turnovers = tally.add(team, Statistic::Turnovers, 1);
            play.turnovers =
                if player.is_empty() { 0 } else { tally.add(player, Statistic::Turnovers, 1) };
        }
        EventKind::Foul => {
            let personal = i64::from(!detail.starts_with("technical"));
            let common = i64::from(!detail.starts_with("offensive"));
            play.fouls = tally.add(player, Statistic::Fouls, personal);
            play.team_fouls = tally.add(team, Statistic::Fouls, personal * common);
            play.drawn = throws(event, later);
        }
        EventKind::Timeout => play.timeouts = tally.add(team, Statistic::Timeouts, 1),
        _ => {}
    }
    if event.points > 0 {
        play.points = tally.add(player, Statistic::Points, event.points);
    }
    for (role, what, counted) in [
        (EventRole::Assist, Statistic::Assists, &mut play.assists),
        (EventRole::Block, Statistic::Blocks, &mut play.blocks),
        (EventRole::Steal, Statistic::Steals, &mut play.steals),
    ] {
        if let Some(name) = event.by(role).next() {
            *counted = tally.add(name, what, 1);
        }
    }
    play.named = names(&event.kind).iter().find(|named| detail.ends_with(named.espn));
    play
}

/// The throws that follow a foul: at the same time, by the other side.
fn throws<'d>(foul: &Event, later: &'d [Event]) -> Option<(&'d Arc<str>, i64)> {
    let same =
        later.iter().take_while(|event| (event.period, event.time) == (foul.period, foul.time));
    let throw = same
        .filter(|event| event.kind != EventKind::Foul)
        .find(|event| event.kind == EventKind::FreeThrow);
    let throw = throw.filter(|throw| throw.team != foul.team)?;
    let count = throw.detail.rsplit_once(" of ").map_or(1, |(_, count)| count.parse().unwrap_or(1));
    Some((&throw.actors.first()?.name, count))
}

/// The number of a team.
pub fn team_id(side: usize) -> i64 {
    FIRST_TEAM_ID + 990_001 + side as i64
}
