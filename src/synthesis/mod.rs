//! Words by a model: what a turn means to say becomes a message in a person's own manner, is
//! checked, written again where it says too little or too much, and kept for every model alike.
//!
//! [`Intention`] is what a turn means to say; an [`Agent`] writes and checks; a [`UtteranceSet`] is
//! the file that comes out, which `ifs review` walks a person through and `ifs run` takes its words
//! from.

mod agent;
mod checker;
mod estimate;
mod intention;
mod rules;
mod set;
mod synthesizer;

pub use agent::{Agent, Base, Unwritten, Written};
pub use checker::Checker;
pub use intention::{Intention, Prompts};
pub use rules::violation;
pub use set::{Counts, Header, Line, UtteranceSet};
pub use synthesizer::{Synthesizer, Voice, split_weight};

use crate::template::TemplateFault;

/// Why a turn cannot be written at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SynthesisError {
    #[error("the template `{name}` cannot be filled in: line {line}: {message}", line = fault.line, message = fault.message)]
    Prompt { name: String, fault: TemplateFault },
}
