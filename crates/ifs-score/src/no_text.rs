//! Responses without text: a separate state, with its cause.
//!
//! If the model is the cause, it fails: it said nothing, reasoned without an answer, or called a
//! tool that it was not offered. Every constraint and criterion of such a turn is missed, so that
//! an empty response gains nothing from a rule that it satisfies (`count(word) < 50`). If the
//! endpoint is the cause (a filter, or an unexplained stop), the turn is undecided and in no rate.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a response has no text.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NoText {
    /// No content, and the endpoint gives no reason.
    Empty,
    /// Only whitespace and invisible characters.
    Blank,
    /// Reasoning without an answer.
    ReasoningOnly,
    /// Calls of tools that were not offered.
    ToolCalls,
    /// The token limit was reached before the first word.
    CutOff,
    /// The conversation did not fit into the context window of the model.
    ContextLength,
    /// The endpoint's content filter withheld it.
    Blocked,
    /// The endpoint stopped for another reason, in its own words.
    Endpoint(String),
}

impl NoText {
    /// Whether the model is the cause instead of its endpoint.
    #[must_use]
    pub fn is_caused_by_model(&self) -> bool {
        match self {
            NoText::Empty
            | NoText::Blank
            | NoText::ReasoningOnly
            | NoText::ToolCalls
            | NoText::CutOff
            | NoText::ContextLength => true,
            NoText::Blocked | NoText::Endpoint(_) => false,
        }
    }

    /// The outcome of every item of such a response.
    #[must_use]
    pub fn outcome(&self) -> super::Outcome {
        if self.is_caused_by_model() { super::Outcome::Missed } else { super::Outcome::Unjudged }
    }

    /// The state of a text about which nothing else is known, if it is blank.
    #[must_use]
    pub fn from_text(text: &str) -> Option<NoText> {
        let unseen = |letter: char| {
            letter.is_whitespace()
                || letter.is_control()
                || matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
        };
        match text {
            "" => Some(NoText::Empty),
            text => text.chars().all(unseen).then_some(NoText::Blank),
        }
    }
}

impl fmt::Display for NoText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NoText::Empty => "empty",
            NoText::Blank => "blank",
            NoText::ReasoningOnly => "reasoning only",
            NoText::ToolCalls => "tool calls only",
            NoText::CutOff => "cut off before any text",
            NoText::ContextLength => "beyond the context window",
            NoText::Blocked => "blocked by a filter",
            NoText::Endpoint(reason) => {
                return write!(formatter, "ended by the endpoint: {reason}");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_not_text() {
        assert_eq!(NoText::from_text(""), Some(NoText::Empty));
        for blank in [" ", "\n\t", "\u{200b}\u{feff}", "\u{a0}\0"] {
            assert_eq!(NoText::from_text(blank), Some(NoText::Blank), "{blank:?}");
        }
        for text in [".", "a", "\u{200b}a", "é", "👍"] {
            assert_eq!(NoText::from_text(text), None, "{text:?}");
        }
    }
}
