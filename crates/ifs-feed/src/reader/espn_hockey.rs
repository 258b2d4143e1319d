//! Ice hockey from `site.api.espn.com/…/hockey/…/summary`. The clock counts up, and the first team
//! of a play is the player's.

use std::sync::Arc;

use super::FeedFile;
use super::espn::{self, Play, Squads};
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport};
use crate::wording::hockey;

/// The length of a period in milliseconds.
pub const PERIOD: i64 = 1_200_000;
/// The length of overtime in the regular season, in milliseconds; in play-offs it is as long as a
/// period.
pub const OVERTIME: i64 = 300_000;

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    let mut draft = espn::read(file, Sport::Hockey, Clocking::Up, "goals", event)?;
    draft.length = draft.length.or(Some(PERIOD));
    draft.overtime = draft.overtime.or_else(|| overtime(&draft));
    Ok(draft)
}

/// The length of overtime: that of the regular season unless an event is later.
pub fn overtime(draft: &TableDraft) -> Option<i64> {
    let late = draft.events.iter().filter(|event| event.period > draft.regulation);
    let longest = late.map(|event| event.time).max()?;
    Some(if longest <= OVERTIME { OVERTIME } else { PERIOD })
}

fn event(play: &Play<'_>, squads: &Squads<'_>, draft: &mut TableDraft, event: &mut Event) {
    let said = hockey(&play.text);
    let people: Vec<Arc<str>> =
        (0..squads.count(play)).filter_map(|at| squads.name(play, at)).collect();
    for (at, (role, name)) in said.who.iter().enumerate() {
        // Participants are in the order of the sentence, with the spelling of the roster.
        let known = people.iter().find(|known| known.as_ref() == *name);
        let name = known.or_else(|| people.get(at).filter(|_| people.len() == said.who.len()));
        let name = name.map_or_else(|| Arc::from(said.who[at].1), Arc::clone);
        event.actors.push(Actor { name, role: *role });
    }
    if event.actors.is_empty() {
        let people = people.into_iter().take(1);
        event.actors.extend(people.map(|name| Actor { name, role: EventRole::Player }));
    }
    event.detail = Arc::from(said.detail);
    event.kind = said.kind;
    event.made = said.made;
    event.worth = said.worth;
    if play.scoring_play {
        event.kind = EventKind::Goal;
        event.made = true;
        event.points = play.score_value.max(1);
        event.worth = event.points;
    }
    if draft.shootouts.contains(&event.period)
        && matches!(event.kind, EventKind::Goal | EventKind::Shot)
    {
        event.kind = EventKind::ShootoutAttempt;
    }
    if event.kind == EventKind::Other {
        let message = format!("unknown wording: {}", play.text.trim_end());
        draft.notice(QuirkKind::UnknownWording, event.line, message);
    }
}
