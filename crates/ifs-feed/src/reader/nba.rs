//! Common parts of the readers for the NBA's own sources.

use std::sync::Arc;

use crate::finish::TableDraft;
use crate::notice::QuirkKind;
use crate::table::{Event, EventKind, Team};

/// Team numbers are at least this; player numbers are below.
pub const FIRST_TEAM_ID: i64 = 1_610_000_000;

/// The two teams of a log that does not say which is at home. When a team scores, the column that
/// increases is its own.
#[derive(Default)]
pub struct Sides {
    ids: Vec<i64>,
    teams: Vec<Team>,
    /// How often the first team's points were in the home column, minus how often they were in the
    /// other.
    home: i64,
    /// The last score of the log: away, home.
    score: [i64; 2],
}

impl Sides {
    /// The index of a team, by its number.
    pub fn team(&mut self, id: i64, tricode: &str) -> Option<u8> {
        if id == 0 {
            return None;
        }
        let at = self.ids.iter().position(|known| *known == id).unwrap_or(self.ids.len());
        if at == self.ids.len() && at < 2 {
            self.ids.push(id);
            self.teams.push(Team::default());
        }
        let team = self.teams.get_mut(at)?;
        if team.tricode.is_empty() {
            team.tricode = Arc::from(tricode);
            team.name = Arc::clone(&team.tricode);
            team.short = Arc::clone(&team.tricode);
        }
        u8::try_from(at).ok()
    }

    /// Learns from the score after an event.
    pub fn learn(&mut self, event: &Event) {
        let Some(after) = event.stated else { return };
        if let Some(team) = event.team.filter(|_| event.points > 0) {
            let to_home = (after[1] - self.score[1]) - (after[0] - self.score[0]);
            self.home += if team == 0 { to_home } else { -to_home };
        }
        self.score = after;
    }

    /// Passes the teams to the draft, the away side first.
    pub fn settle(self, draft: &mut TableDraft) {
        draft.teams = self.teams;
        if self.home > 0 && draft.teams.len() == 2 {
            draft.teams.swap(0, 1);
            for event in &mut draft.events {
                event.team = event.team.map(|team| 1 - team);
            }
        }
    }
}

/// The name of a foul or turnover, written as in other sources.
pub fn small(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Records a free throw: worth one, except in leagues with a single throw for all.
pub fn free_throw(event: &mut Event, draft: &mut TableDraft, made: bool) {
    let worth = match &*event.text {
        text if text.contains("2PT") => 2,
        text if text.contains("3PT") => 3,
        _ => 1,
    };
    if worth > 1 {
        let message = format!("a free throw worth {worth}");
        draft.notice(QuirkKind::LargeFreeThrow, event.line, message);
    }
    event.shot(EventKind::FreeThrow, worth, made);
}
