//! Basketball from `site.api.espn.com/…/basketball/…/summary`.
//!
//! Plays refer to players by number. Sequence numbers may decrease and are ignored: the order of
//! the file is the order of the game. A play's own scores may be stale.

use std::sync::Arc;

use super::FeedFile;
use super::espn::{self, Play, Squads};
use crate::clock::parse_clock;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport};
use crate::wording::{Sentence, basketball};

pub fn read(file: &FeedFile<'_>) -> Result<TableDraft, FeedError> {
    espn::read(file, Sport::Basketball, Clocking::Down, "points", event)
}

fn event(play: &Play<'_>, squads: &Squads<'_>, draft: &mut TableDraft, event: &mut Event) {
    let said = basketball(&play.text);
    let people: Vec<Option<Arc<str>>> =
        (0..squads.count(play)).map(|at| squads.name(play, at)).collect();
    for (role, name) in &said.who {
        // The number identifies the player whom the sentence names.
        let known = people.iter().flatten().find(|known| known.as_ref() == *name);
        let name = known.map_or_else(|| Arc::from(*name), Arc::clone);
        event.actors.push(Actor { name, role: *role });
    }
    if event.actors.is_empty() {
        let people = people.into_iter().flatten();
        event.actors.extend(people.map(|name| Actor { name, role: EventRole::Player }));
    }
    event.detail = Arc::from(said.detail);
    event.made = said.made;
    event.worth = play.points_attempted.filter(|points| *points > 0).unwrap_or(said.worth);
    if play.scoring_play {
        event.points = play.score_value;
        event.worth = play.score_value;
        event.made = true;
    }
    reported(&said, play, draft, event);
    event.kind = match said.kind {
        EventKind::Other if play.shooting_play || play.scoring_play => EventKind::FieldGoal,
        kind => kind,
    };
}

/// The notices about a play.
fn reported(said: &Sentence<'_>, play: &Play<'_>, draft: &mut TableDraft, event: &Event) {
    let line = event.line;
    let said_worth = if said.made { said.worth } else { 0 };
    if play.scoring_play && said.kind == EventKind::FieldGoal && said_worth != play.score_value {
        let message = format!(
            "the text says {said_worth} points, the play {}: {}",
            play.score_value, play.text
        );
        draft.notice(QuirkKind::UnknownWording, line, message);
    }
    if said.silent_three && said.made {
        draft.notice(
            QuirkKind::SilentThree,
            line,
            format!("a three by its distance alone: {}", play.text),
        );
    }
    if said.kind == EventKind::FreeThrow && play.score_value > 1 {
        draft.notice(
            QuirkKind::LargeFreeThrow,
            line,
            format!("a free throw worth {}", play.score_value),
        );
    }
    if said.kind == EventKind::Substitution
        && !said.who.iter().any(|(role, _)| *role == EventRole::Out)
    {
        draft.notice(
            QuirkKind::NoName,
            line,
            format!("no player leaves: {}", play.text.trim_end()),
        );
    }
    if said.kind == EventKind::Other {
        draft.notice(
            QuirkKind::UnknownWording,
            line,
            format!("unknown wording: {}", play.text.trim_end()),
        );
    }
    if play.text.ends_with('\n') {
        draft.notice(QuirkKind::Blank, line, "the text ends with a line break");
    }
    if let Some(time) = said.clock.and_then(parse_clock).filter(|time| *time != event.time) {
        let message =
            format!("the text says {}, the clock {}", crate::clock_text(time), event.clock);
        draft.notice(QuirkKind::OtherClock, line, message);
    }
}
