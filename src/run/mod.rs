//! Running: scripts are held with a model, dialogues in parallel, turns in order.

#[cfg(feature = "run")]
mod dialogue;
mod folder;
#[cfg(feature = "run")]
mod ordered;
#[cfg(feature = "run")]
mod pool;
mod select;
mod transcript;
mod weight;

#[cfg(feature = "run")]
pub use dialogue::{Talks, hold, place};
pub use folder::{Folder, FolderError, Manifest};
#[cfg(feature = "run")]
pub use ordered::Ordered;
#[cfg(feature = "run")]
pub use pool::{Held, run_all};
pub use select::{Selected, Selection, select};
pub use transcript::{Sample, Transcript, TranscriptTurn};

use crate::plan::Plan;
#[cfg(feature = "run")]
use crate::score::Outcome;
use crate::score::{ScoredConstraint, ScoredDialogue, ScoredTurn};

/// A transcript as scores are computed from it: every rule is read again from the
/// answers, so that scoring never needs the model.
pub fn scored(plan: &Plan, transcript: &Transcript) -> ScoredDialogue {
    let mut replies: Vec<String> = Vec::new();
    let mut turns = Vec::new();
    let table = plan.dialogue(&transcript.dialogue).map(|dialogue| &dialogue.table);
    for turn in &transcript.turns {
        let exchange = crate::judge::Exchange {
            dialogue: &transcript.dialogue,
            turn: &turn.script,
            answer: &turn.answer,
            note: turn.note.as_ref(),
            replies: &replies,
        };
        let verdicts = crate::judge::read(plan, &exchange);
        let constraints = verdicts
            .into_iter()
            .map(|verdict| ScoredConstraint {
                weight: table.zip(plan.constraint(&verdict.constraint)).and_then(
                    |(table, known)| weight::weight(table, group(&verdict.constraint), &known.tags),
                ),
                age: turn
                    .script
                    .in_force
                    .iter()
                    .find(|active| active.constraint == verdict.constraint)
                    .map_or(0, |active| turn.script.turn.saturating_sub(active.since)),
                group: group(&verdict.constraint).to_owned(),
                constraint: verdict.constraint,
                outcome: verdict.outcome,
                by: verdict.by,
                why: verdict.why,
            })
            .collect();
        turns.push(ScoredTurn {
            turn: turn.script.turn,
            topic: Some(turn.script.topic.clone()),
            transition: Some(turn.script.transition.clone()),
            constraints,
        });
        replies.push(turn.answer.clone());
    }
    ScoredDialogue {
        dialogue: transcript.dialogue.clone(),
        index: transcript.index,
        seed: transcript.seed,
        turns,
        ending: transcript.ending.clone(),
        slice: None,
    }
}

/// The group of a constraint: what its name begins with, or the whole of it.
fn group(constraint: &str) -> &str {
    constraint.rsplit_once('.').map_or(constraint, |(group, _)| group)
}

/// Whether every constraint that was read holds; `None` when one is unjudged and
/// none was missed.
#[cfg(feature = "run")]
fn success(verdicts: &[crate::judge::Verdict]) -> Option<bool> {
    if verdicts.iter().any(|verdict| verdict.outcome == Outcome::Missed) {
        Some(false)
    } else if verdicts.iter().any(|verdict| verdict.outcome == Outcome::Unjudged) {
        None
    } else {
        Some(true)
    }
}
