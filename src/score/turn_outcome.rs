//! What a turn as a complete came to.

use serde::{Deserialize, Serialize};

use super::{ScoredDialogue, ScoredTurn, Tally};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Everything that was asked for held.
    Success,
    /// At least one constraint was missed, whatever the unread ones would have said.
    Failure,
    /// Nothing was missed, but something could not be read.
    Undecided,
    /// Nothing was asked for: no constraint that applies, no criterion. The turn can be neither
    /// met nor missed, and is in no rate.
    Empty,
}

impl ScoredTurn {
    #[must_use]
    pub fn verdict(&self) -> TurnOutcome {
        // What is not asked cannot be missed, even by saying nothing.
        if self.constraints.is_empty() {
            return TurnOutcome::Empty;
        }
        match &self.no_text {
            Some(why) if why.is_of_model() => return TurnOutcome::Failure,
            Some(_) => return TurnOutcome::Undecided,
            None => {}
        }
        let tally = Tally::of(&self.constraints);
        match (tally.held, tally.missed, tally.unjudged) {
            (0, 0, 0) => TurnOutcome::Empty,
            (_, 0, 0) => TurnOutcome::Success,
            (_, 0, _) => TurnOutcome::Undecided,
            (_, _, _) => TurnOutcome::Failure,
        }
    }

    /// The share of judged constraints that held: the turn's term in CSR. None for an undecided
    /// turn, whose share would be flattered by what could not be read, and for one without
    /// constraints.
    #[must_use]
    pub fn share_held(&self) -> Option<f64> {
        match self.verdict() {
            TurnOutcome::Failure if self.no_text.is_some() => Some(0.0),
            TurnOutcome::Undecided | TurnOutcome::Empty => None,
            TurnOutcome::Success | TurnOutcome::Failure => Tally::of(&self.constraints).rate(),
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
    fn a_miss_decides_and_a_silence_does_not() {
        let turns = dialogue("SF?ME").turns;
        let verdicts: Vec<_> = turns.iter().map(ScoredTurn::verdict).collect();
        use TurnOutcome::{Empty, Failure, Success, Undecided};
        assert_eq!(verdicts, [Success, Failure, Undecided, Failure, Empty]);
        let shares: Vec<_> = turns.iter().map(ScoredTurn::share_held).collect();
        assert_eq!(shares, [Some(1.0), Some(0.5), None, Some(0.0), None]);
    }
}
