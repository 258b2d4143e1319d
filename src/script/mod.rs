//! Drawing: (plan, seed, index) fixes a script to the byte.
//!
//! A script is drawn turn by turn, as long as the flow goes round. Every choice
//! has a stream of its own, keyed by its place (turn, purpose, name), so that a
//! constraint added elsewhere leaves the others' draws as they were. Nothing a
//! model answers is looked at.

mod args;
mod change;
mod fit;
mod line;
mod runnable;
mod state;
mod stream;
mod walk;
mod window;
mod words;

pub use fit::Refusal;
#[cfg(feature = "cli")]
pub(crate) use line::{put_list, put_number, put_text};
pub use runnable::not_yet_runnable;
pub use state::{Active, State, TopicState};
pub use stream::{Seed, for_dialogue};
pub use walk::{DrawError, Drawer, Script};
pub use words::{PlainWords, Wording, Words};

use serde::{Deserialize, Serialize};

use crate::model::table::Change;

/// One turn as it was drawn: who asks what, and what is in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptTurn {
    /// From 1.
    pub turn: u32,
    /// `new`, `stay` or `backtrack`.
    pub transition: String,
    /// The key of the topic's record.
    pub topic: String,
    pub style: Option<String>,
    /// What changed in the instructions on this turn.
    pub changes: Vec<Changed>,
    /// How often the changes were drawn, until what is in force did not contradict itself.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub tries: u32,
    /// The constraints in force, in the order of their names.
    pub in_force: Vec<Active>,
    /// The user's words.
    pub ask: String,
}

/// A change of the instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    pub change: Change,
    /// What is in force now; nothing after `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Active>,
    /// What was in force before; nothing for `add`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Active>,
}

fn one() -> u32 {
    1
}

fn is_one(number: &u32) -> bool {
    *number == 1
}
