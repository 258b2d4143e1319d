//! Dialogues written by models, along a flow that was drawn: a plan, the words, the questions.
//!
//! A [`DialogueBrief`] is what was drawn; an [`Agent`] takes it through the stages, each of which
//! is checked, done again with what was wrong with it, and flagged in the end; a [`DialogueSet`] is
//! the file that comes out, which `ifs review` walks a person through and `ifs import dialogues`
//! makes a release of.

mod agent;
mod brief;
mod set;
mod simulated;
mod stage;

pub use agent::{Agent, Crafted, Role, Unwritten};
pub use brief::{DialogueBrief, Kind, Relation, TurnBrief};
pub use set::{DialogueSet, Entry, Header};
pub use simulated::Carelessness;
pub use stage::{Prompts, Stage};
