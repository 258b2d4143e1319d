//! Counts of outcomes.

use serde::{Deserialize, Serialize};

use super::{Outcome, ScoredConstraint};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Tally {
    pub held: u64,
    pub missed: u64,
    pub unjudged: u64,
}

impl Tally {
    #[must_use]
    pub fn of(constraints: &[ScoredConstraint]) -> Self {
        let mut tally = Self::default();
        for constraint in constraints {
            tally.count(constraint.outcome);
        }
        tally
    }

    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Held => self.held += 1,
            Outcome::Missed => self.missed += 1,
            Outcome::Unjudged => self.unjudged += 1,
        }
    }

    pub fn add(&mut self, other: Self) {
        self.held += other.held;
        self.missed += other.missed;
        self.unjudged += other.unjudged;
    }

    /// How many outcomes are known.
    #[must_use]
    pub fn judged(self) -> u64 {
        self.held + self.missed
    }

    /// The share held of those known; none when nothing is known.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.judged() > 0).then(|| self.held as f64 / self.judged() as f64)
    }
}
