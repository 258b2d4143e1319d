//! Runs scripts against a model: dialogues in parallel, turns in order.

#[cfg(feature = "run")]
mod context;
pub mod curated_set;
#[cfg(feature = "run")]
mod declared;
#[cfg(feature = "run")]
mod dialogue;
#[cfg(feature = "run")]
mod distinct;
#[cfg(feature = "run")]
mod extraction;
mod features;
pub mod feedback;
mod folder;
mod gaps;
#[cfg(feature = "run")]
mod job;
#[cfg(feature = "run")]
mod judging;
#[cfg(feature = "run")]
mod kept;
mod manifest;
#[cfg(feature = "run")]
mod merge;
#[cfg(feature = "run")]
mod ordered;
#[cfg(feature = "run")]
mod pool;
#[cfg(feature = "run")]
mod redact;
#[cfg(feature = "run")]
mod redaction;
#[cfg(feature = "run")]
mod regrade;
mod scored;
pub mod sealed;
#[cfg(feature = "run")]
mod select;
mod selection;
mod shard;
#[cfg(feature = "run")]
pub mod shrink;
mod state;
mod transcript;
#[cfg(feature = "run")]
mod turn;
pub mod utterances;
mod weight;

#[cfg(feature = "run")]
pub use context::{Repeat, RunContext};
#[cfg(feature = "run")]
pub use dialogue::{run_dialogue, run_turns};
#[cfg(feature = "run")]
pub use distinct::{DialogueTexts, distinct};
#[cfg(feature = "run")]
pub use extraction::Extractors;
pub use features::{Features, group_of};
pub use feedback::{feedback, needs_feedback};
pub use folder::{Folder, FolderError, GIT_IGNORE, UTTERANCES};
pub use gaps::Gaps;
#[cfg(feature = "run")]
pub use job::{
    DialogueOptions, Job, JobError, JobEvent, JobJournal, JobOutcome, SelectedDialogues, available,
    file_name, free_folder, now, release_of,
};
#[cfg(feature = "run")]
pub use judging::{
    DialogueVerdicts, JudgedTurn, JudgingManifest, Readers, RecordedSample, judge_again, recorded,
    replies, system_of,
};
pub use manifest::{
    Beacon, ExtractorEntry, HiddenEntry, ReplayedEntry, RunManifest, SCHEMA, SetEntry,
};
#[cfg(feature = "run")]
pub use merge::{MergeError, merge};
#[cfg(feature = "run")]
pub use ordered::{Ordered, OrderedFile};
#[cfg(feature = "run")]
pub use pool::{FinishedDialogue, run_all};
#[cfg(feature = "run")]
pub use redaction::Redaction;
#[cfg(feature = "run")]
pub use regrade::{RegradeCounts, Regrader};
pub use scored::weight_of;
pub use scored::{GradedDialogue, graded, scale, scored, scored_as_held};
#[cfg(feature = "run")]
pub use select::{select, select_distinct};
pub use selection::{Limit, Selected, Selection, SkipReason, SkippedDialogue, drawable};
pub use shard::Shard;
#[cfg(feature = "run")]
pub use state::observed;
pub use state::{DialogueState, NextTurn, parts_with_tools, system_message};
pub use transcript::{HiddenTurn, ResponsePlace, Round, Sample, Transcript, TranscriptTurn};
#[cfg(feature = "run")]
pub use turn::place;

use ifs_draw::CriterionKind;
use ifs_score::{NoText, Outcome};

/// Whether a turn succeeded after its last round. A response that was voided in an earlier round
/// fails the turn.
fn success_of(turn: &TranscriptTurn) -> Option<bool> {
    let voided = |verdict: &ifs_judge::VerdictRecord| {
        verdict.kind == Some(CriterionKind::Void) && verdict.outcome.is_missed()
    };
    if turn.conversation().any(|sample| sample.verdicts.iter().any(voided)) {
        return Some(false);
    }
    let last = turn.last_response()?;
    success(last.no_text().as_ref(), &last.verdicts)
}

/// Whether everything held; `None` if something is unjudged and nothing was missed, and for a turn
/// without constraints. A response without text fails if the model is the cause, and is undecided
/// if the endpoint is.
fn success(no_text: Option<&NoText>, verdicts: &[ifs_judge::VerdictRecord]) -> Option<bool> {
    let verdicts = || verdicts.iter().filter(|verdict| verdict.counts());
    verdicts().next()?;
    if let Some(why) = no_text {
        return if why.is_caused_by_model() { Some(false) } else { None };
    }
    if verdicts().any(|verdict| verdict.outcome.is_missed()) {
        Some(false)
    } else if verdicts().any(|verdict| verdict.outcome == Outcome::Unjudged) {
        None
    } else {
        Some(true)
    }
}
