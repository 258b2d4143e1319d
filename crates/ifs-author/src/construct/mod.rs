//! Dialogues that models write along a drawn flow, in three stages: plan, messages, questions.
//!
//! A [`DialogueBrief`] is the drawn outline. An [`ConstructionAgent`] takes it through the stages. Each stage
//! is checked and, if a check fails, repeated with the error; after the last attempt the dialogue
//! is flagged. The result is a [`DialogueSet`], a file that a person reviews with `ifs review` and
//! `ifs import dialogues` converts into a release.

mod agent;
mod brief;
mod set;
mod simulated;
mod stage;

pub use agent::{ConstructionAgent, ConstructionFailure, ConstructionResult, ConstructionRole};
pub use brief::{BriefRelation, DialogueBrief, TopicKind, TurnBrief};
pub use set::{ConstructedSetHeader, DialogueSet, SetDialogue, released_dialogues};
pub use simulated::MistakeRate;
pub use stage::{ConstructionPrompts, Stage};
