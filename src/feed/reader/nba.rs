//! What the NBA's own sources share.

use std::sync::Arc;

use crate::feed::finish::Draft;
use crate::feed::table::Team;

/// Numbers of teams are above those of players.
pub const FIRST_TEAM: i64 = 1_610_000_000;

/// The two teams of a log that does not say which is at home: the column that grows when a team
/// scores is its own.
#[derive(Default)]
pub struct Sides {
    ids: Vec<i64>,
    teams: Vec<Team>,
    /// How often the first team's points went to the home side, less how often to the other.
    home: i64,
}

impl Sides {
    /// The place of a team, by its number.
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

    /// The score before and after points of a team, as the log has it: away, home.
    pub fn scored(&mut self, team: u8, before: [i64; 2], after: [i64; 2]) {
        let to_home = (after[1] - before[1]) - (after[0] - before[0]);
        self.home += if team == 0 { to_home } else { -to_home };
    }

    /// Gives the teams to the draft, the away side first.
    pub fn settle(self, draft: &mut Draft) {
        draft.teams = self.teams;
        if self.home > 0 && draft.teams.len() == 2 {
            draft.teams.swap(0, 1);
            for event in &mut draft.events {
                event.team = event.team.map(|team| 1 - team);
            }
        }
    }
}

/// A foul's, a turnover's name, written as other sources do.
pub fn small(text: &str) -> String {
    text.trim().to_lowercase()
}

/// How many points a free throw is worth: one, but for leagues with a single throw for all.
pub fn free_throw(text: &str) -> i64 {
    match text {
        text if text.contains("2PT") => 2,
        text if text.contains("3PT") => 3,
        _ => 1,
    }
}
