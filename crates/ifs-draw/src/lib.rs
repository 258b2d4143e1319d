//! Drawing: (plan, seed, index) determine a script, byte for byte.
//!
//! A script is drawn turn by turn, and may be endless. Every choice has its own stream, keyed by
//! its place (turn, purpose, name), so adding a constraint elsewhere does not change other draws.
//! Responses are not used.

mod absent;
mod args;
mod body;
mod called;
mod change;
mod criterion;
mod drawer;
mod drawn_changes;
mod error;
mod exclusions;
mod feedback;
mod fit;
mod impose;
mod instruct;
mod names;
pub mod preview;
pub mod program;
pub mod proof;
mod relate;
mod relation_targets;
mod scene;
mod speak;
mod state;
mod stream;
mod tally;
mod texts;
mod trial;
mod turn_hash;
mod turn_variables;
mod variables;
mod walk;
mod window;
mod words;

pub use body::asks_for;
pub use criterion::written as written_name;
pub use criterion::{Criterion, CriterionKind, PartCriterion, Related, ShownContent, ShownImage};
pub use drawer::Drawer;
pub use drawn_changes::{COMPARED_DIALOGUES, MessageCounts, compare_drawn};
pub use error::{DrawError, Located, NoValue, ScenarioExcerpt};
pub use feedback::{MissCause, Missed, language};
pub use fit::Refusal;
pub use scene::{DrawnScene, SceneFault, draw_scene, try_scenes};
pub use state::{
    Active, ActiveEntry, Observations, Observed, Owner, PastTurn, PublishedName, ScriptState,
    TopicState, UnstatedConstraint,
};
pub use stream::{FIRST_ANCHOR, SecretKey, Seed, dice_of_words, for_dialogue, is_long};
pub use tally::{ChoiceKind, ChoiceTally, Frequency, RecordedChoice};
pub use trial::try_dialogues;
pub use turn_hash::TurnHash;
pub use turn_variables::{PlacedResponse, TurnVariables};
pub use walk::{
    DialoguePiece, DialoguePieces, NewValue, Reduction, Script, Stated, StatedConstraint,
};
pub use words::{EarlierMessage, MessageInput, MessageTemplates, MessageWriter, WrittenTurn};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use ifs_model::table::{Change, Move, Speaker};

/// A drawn turn: its messages, the active constraints, and what the response is judged on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ScriptTurn {
    /// The turn's number, from 1.
    pub turn: u32,
    /// A random number for the choice of phrases.
    #[serde(skip)]
    pub dice: u64,
    /// A text that satisfies everything active, if drawing sought one.
    #[serde(skip)]
    pub witness: Option<String>,
    pub transition: Move,
    /// The name of a written turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its relations to earlier turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Related>,
    /// The key of the dialogue's record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// The key of the topic's record.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub topic: String,
    pub style: Option<String>,
    /// What changed in the instructions on this turn.
    pub changes: Vec<InstructionChange>,
    /// How often the changes were drawn until the active constraints were consistent.
    #[serde(default = "default_round", skip_serializing_if = "is_one")]
    pub tries: u32,
    /// The active constraints, sorted by name.
    pub active_constraints: Vec<Arc<Active>>,
    /// The value of the dialogue's `report … by`: on the first turn only, or on each turn that binds
    /// what it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// The most rounds of feedback, if the record decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_rounds: Option<u32>,
    /// The system message; on the first turn only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What the turn shows, before the user message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<ShownContent>,
    /// The user message.
    pub ask: String,
    /// A reminder after the message, which is not part of the history of later turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminder: Option<String>,
    /// The golden answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub golden: Option<String>,
    /// The response, for a turn of a given history: it is not requested, and nothing is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// The values of its `class` statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<String>,
    /// The parts of the response.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartCriterion>,
    /// The criteria, in addition to the active constraints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
}

/// A part of the message of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum MessagePart<'t> {
    Text(String),
    Image(&'t ShownImage),
}

impl ScriptTurn {
    /// The messages of tools after the user message: the name of each tool, and its text.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &str)> {
        self.show.iter().filter_map(|shown| match shown {
            ShownContent::Tool { name, text } => Some((name.as_str(), text.as_str())),
            ShownContent::Text(_) | ShownContent::Image(_) => None,
        })
    }

    /// The message of the turn: what it shows, then `ask`. Texts between two pictures are one part.
    pub fn message(&self, ask: &str) -> Vec<MessagePart<'_>> {
        let (mut parts, mut text) = (Vec::new(), String::new());
        for shown in &self.show {
            match shown {
                ShownContent::Text(line) => {
                    text.push_str(line);
                    text.push('\n');
                }
                // It is a message of its own.
                ShownContent::Tool { .. } => {}
                ShownContent::Image(image) => {
                    if !text.is_empty() {
                        parts.push(MessagePart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(MessagePart::Image(image));
                }
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(ask);
        parts.push(MessagePart::Text(text));
        parts
    }
}

/// A change of the instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct InstructionChange {
    pub change: Change,
    /// The constraint after the change; `None` for `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Arc<Active>>,
    /// The constraint before the change; `None` for `add`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Arc<Active>>,
}

impl InstructionChange {
    /// What the constraint excludes while it is active.
    fn slot(&self) -> Option<(Speaker, &str)> {
        self.after.as_ref().or(self.before.as_ref()).map(|active| active.slot())
    }
}

fn default_round() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}
