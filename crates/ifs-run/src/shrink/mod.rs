//! Shrinks a dialogue in which a model failed to the parts that the failure needs: delta debugging
//! (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002) over turns,
//! constraints, their changes and wordings, with repeats against chance.

mod minimize;
mod neighbour;
mod spec;
mod trial;

use std::collections::BTreeSet;

pub use minimize::minimize;
pub use neighbour::{Neighbour, NeighbourDifference};
pub use trial::{FailureRule, SearchStop, Shrinker, Trial};

use crate::{Transcript, TranscriptTurn};
use ifs_draw::{CriterionKind, DialoguePiece, DialoguePieces, Reduction};
use ifs_judge::VerdictRecord;

/// What failed: a constraint or a criterion on the last turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureTarget {
    pub turn: u32,
    /// As [`VerdictRecord::key`] has it.
    pub key: String,
}

impl FailureTarget {
    /// The first failure of a dialogue; only on this turn and of this constraint, if they are given.
    /// A constraint is given by its name, its group or its key.
    #[must_use]
    pub fn first_failure(
        transcript: &Transcript,
        turn: Option<u32>,
        constraint: Option<&str>,
    ) -> Option<FailureTarget> {
        let wanted = |verdict: &&VerdictRecord| {
            verdict.is_missed()
                && constraint.is_none_or(|name| {
                    let own = &verdict.constraint;
                    let group = own.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
                    own == name || group || verdict.key() == name
                })
        };
        let turns = transcript.turns.iter();
        let mut turns = turns.filter(|at| turn.is_none_or(|turn| turn == at.script.turn));
        turns.find_map(|at| {
            let verdict = at.last_verdicts().iter().find(wanted)?;
            Some(FailureTarget { turn: at.script.turn, key: verdict.key() })
        })
    }

    /// Whether the last turn of a dialogue fails it.
    fn is_missed(&self, transcript: &Transcript) -> bool {
        let verdicts = transcript.turns.last().map_or(&[][..], TranscriptTurn::last_verdicts);
        verdicts.iter().any(|verdict| self.is_of(verdict) && verdict.is_missed())
    }

    /// Whether a verdict is about it. A relation is named after turns, which are numbered again.
    fn is_of(&self, verdict: &VerdictRecord) -> bool {
        let key = verdict.key();
        let word = |key: &str| key.split(' ').nth(1).map(str::to_owned);
        key == self.key
            || verdict.kind == Some(CriterionKind::Relation)
                && self.key.starts_with("relation ")
                && word(&key) == word(&self.key)
    }

    /// The parts without which the failure cannot occur.
    fn fixed(&self, pieces: &DialoguePieces) -> BTreeSet<DialoguePiece> {
        let constraint =
            pieces.active_on_last(&self.key).map(|(at, _)| DialoguePiece::Constraint(at));
        let requirement = self.key.strip_prefix("requirement ");
        let requirement =
            requirement.map(|name| DialoguePiece::Requirement(self.turn, name.to_owned()));
        let requirement = requirement.filter(|piece| pieces.all().contains(piece));
        [Some(DialoguePiece::Turn(self.turn)), constraint, requirement]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The result for one dialogue.
pub struct ShrinkResult {
    pub reduction: Reduction,
    /// The trial of the minimal dialogue.
    pub trial: Trial,
    /// A dialogue that holds, and differs from the minimal one in one part.
    pub neighbour: Option<Neighbour>,
    /// Why the search ended early.
    pub stopped: Option<SearchStop>,
}

impl Shrinker<'_> {
    /// Shrinks the dialogue. `None` if the failure does not occur again, with its trial.
    ///
    /// # Errors
    /// Returns why the complete dialogue could not be tried.
    pub fn shrink(&mut self) -> Result<Result<ShrinkResult, Trial>, SearchStop> {
        let all = self.pieces.all();
        let fixed = self.target.fixed(&self.pieces);
        let complete = Reduction { kept: all.clone(), value: None };
        let first = self.run_trial(&complete)?;
        if !first.failed {
            return Ok(Err(first));
        }
        let pieces = self.pieces.clone();
        let of = |kept: &BTreeSet<DialoguePiece>| Reduction { kept: kept.clone(), value: None };
        let (kept, mut stopped) = minimize(&pieces, &fixed, all, |kept| self.fails(&of(kept)));
        let mut reduction = of(&kept);
        let mut neighbour = None;
        if stopped.is_none() {
            match self.neighbour(&reduction) {
                Ok((smaller, found)) => (reduction, neighbour) = (smaller, found),
                Err(stop) => stopped = Some(stop),
            }
        }
        // It was tried before.
        let trial = self.run_trial(&reduction)?;
        Ok(Ok(ShrinkResult { reduction, trial, neighbour, stopped }))
    }
}
