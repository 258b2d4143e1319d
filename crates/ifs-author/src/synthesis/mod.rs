//! User messages by models. The content of a turn is written in a persona's style, checked, written
//! again if something is missing or added, and stored, so that every model under test gets the same
//! message.
//!
//! [`MessageRequirements`] is the content of a turn; an [`SynthesisAgent`] writes and checks messages; a
//! [`UtteranceSet`] is the resulting file, which a person reviews with `ifs review` and `ifs run`
//! uses.

mod agent;
mod checker;
mod estimate;
mod message_requirements;
mod rules;
mod synthesizer;

pub use agent::{Base, SynthesisAgent, SynthesisFailure, UtterancesResult};
pub use checker::MessageChecker;
pub use ifs_run::utterances::{SynthesisCounts, UtteranceLine, UtteranceSet, UtteranceSetHeader};
pub use message_requirements::{MessageRequirements, SynthesisPrompts};
pub use rules::violation;
pub use synthesizer::{Synthesizer, Voice, split_weight};

use ifs_parts::template::TemplateFault;

/// Why a turn cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SynthesisError {
    #[error("the template `{name}` cannot be filled in: line {line}: {message}", line = fault.line, message = fault.message)]
    Prompt { name: String, fault: TemplateFault },
}
