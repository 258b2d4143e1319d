//! The outcome of a complete turn.

use serde::{Deserialize, Serialize};

use super::{OutcomeTally, ScoredDialogue, ScoredTurn};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Everything held.
    Success,
    /// At least one constraint was missed, independent of unjudged ones.
    Failure,
    /// Nothing was missed, but something was not judged.
    Undecided,
    /// No constraint applies, and there are no criteria. The turn can neither succeed nor fail, and
    /// is left out of every rate.
    Empty,
}

impl ScoredTurn {
    #[must_use]
    pub fn verdict(&self) -> TurnOutcome {
        // An empty turn cannot fail, even with an empty response.
        if self.constraints.is_empty() {
            return TurnOutcome::Empty;
        }
        match &self.no_text {
            Some(why) if why.is_caused_by_model() => return TurnOutcome::Failure,
            Some(_) => return TurnOutcome::Undecided,
            None => {}
        }
        let tally = OutcomeTally::from_constraints(&self.constraints);
        match (tally.held, tally.missed, tally.unjudged) {
            (0, 0, 0) => TurnOutcome::Empty,
            (_, 0, 0) => TurnOutcome::Success,
            (_, 0, _) => TurnOutcome::Undecided,
            (_, _, _) => TurnOutcome::Failure,
        }
    }

    /// The share of judged constraints that held: the turn's term in CSR. `None` for an undecided
    /// turn, whose share would be too high, and for one without constraints.
    #[must_use]
    pub fn share_held(&self) -> Option<f64> {
        match self.verdict() {
            TurnOutcome::Failure if self.no_text.is_some() => Some(0.0),
            TurnOutcome::Undecided | TurnOutcome::Empty => None,
            TurnOutcome::Success | TurnOutcome::Failure => {
                OutcomeTally::from_constraints(&self.constraints).rate()
            }
        }
    }
}

impl ScoredDialogue {
    /// Whether each decided turn succeeded, in order.
    pub(super) fn decided(&self) -> Vec<bool> {
        let decide = |turn: &ScoredTurn| match turn.verdict() {
            TurnOutcome::Success => Some(true),
            TurnOutcome::Failure => Some(false),
            TurnOutcome::Undecided | TurnOutcome::Empty => None,
        };
        self.turns.iter().filter_map(decide).collect()
    }

    pub(super) fn successes(&self) -> u64 {
        self.decided().into_iter().filter(|success| *success).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogue;
    use super::*;

    #[test]
    fn misses_decide_and_unjudged_items_do_not() {
        let turns = dialogue("SF?ME").turns;
        let verdicts: Vec<_> = turns.iter().map(ScoredTurn::verdict).collect();
        use TurnOutcome::{Empty, Failure, Success, Undecided};
        assert_eq!(verdicts, [Success, Failure, Undecided, Failure, Empty]);
        let shares: Vec<_> = turns.iter().map(ScoredTurn::share_held).collect();
        assert_eq!(shares, [Some(1.0), Some(0.5), None, Some(0.0), None]);
    }
}
