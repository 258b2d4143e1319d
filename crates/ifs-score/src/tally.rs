//! Counts of outcomes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Outcome, ScoredConstraint};

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub struct OutcomeTally {
    pub held: u64,
    pub missed: u64,
    pub unjudged: u64,
    /// Outcomes that are missed because a part was not found.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub unextracted: u64,
    /// Outcomes that are missed because another one was missed.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub blocked: u64,
}

impl OutcomeTally {
    #[must_use]
    pub fn from_constraints(constraints: &[Arc<ScoredConstraint>]) -> Self {
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
            Outcome::Unextracted => {
                self.missed += 1;
                self.unextracted += 1;
            }
            Outcome::Blocked => {
                self.missed += 1;
                self.blocked += 1;
            }
        }
    }

    pub fn add(&mut self, other: Self) {
        self.held += other.held;
        self.missed += other.missed;
        self.unjudged += other.unjudged;
        self.unextracted += other.unextracted;
        self.blocked += other.blocked;
    }

    /// The number of judged outcomes.
    #[must_use]
    pub fn judged(self) -> u64 {
        self.held + self.missed
    }

    /// Whether there is at least one outcome, and the known ones decide whether all of them held.
    #[must_use]
    pub fn is_decided(self) -> bool {
        self.missed > 0 || self.held > 0 && self.unjudged == 0
    }

    /// The share of judged outcomes that held; `None` if none was judged.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.judged() > 0).then(|| self.held as f64 / self.judged() as f64)
    }
}
