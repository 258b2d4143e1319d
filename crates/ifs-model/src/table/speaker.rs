//! Who says a constraint, and whose constraints are followed.

use serde::{Deserialize, Serialize};

use ifs_predicate::tree::Tree;

/// Who says a constraint.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The system message.
    System,
    #[default]
    User,
    /// The text of a tool.
    Tool,
}

impl Speaker {
    pub const ALL: [Speaker; 3] = [Speaker::System, Speaker::User, Speaker::Tool];

    pub fn word(self) -> &'static str {
        match self {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Tool => "tool",
        }
    }

    pub fn named(word: &str) -> Option<Speaker> {
        Speaker::ALL.into_iter().find(|speaker| speaker.word() == word)
    }

    /// For serde: what the user says is written without a speaker.
    pub fn is_user(&self) -> bool {
        *self == Speaker::User
    }
}

/// How a constraint relates to those of another speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// It contradicts one of them.
    Conflicting,
    /// It follows from one of them: what satisfies that one satisfies it.
    Aligned,
    /// It neither contradicts one of them nor follows from one, nor one from it.
    Unrelated,
}

impl Case {
    pub const ALL: [Case; 3] = [Case::Conflicting, Case::Aligned, Case::Unrelated];

    pub fn word(self) -> &'static str {
        match self {
            Case::Conflicting => "conflicting",
            Case::Aligned => "aligned",
            Case::Unrelated => "unrelated",
        }
    }

    pub fn named(word: &str) -> Option<Case> {
        Case::ALL.into_iter().find(|case| case.word() == word)
    }
}

/// The speaker that a constraint is held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Against {
    pub speaker: Speaker,
    /// A text that names a [`Case`]; conflicting if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<Tree>,
}
