//! Responses without text: a state of their own, with a reason.
//!
//! What the model did is its failure: it said nothing, thought and did not answer, or called a tool
//! that it was not offered. Every constraint and criterion of such a turn is missed, so that no
//! rule that silence satisfies (`count(word) < 50`) gains by it. What the endpoint did is not: a
//! filter, or an ending that it gives no reason for. Such a turn is undecided and in no rate.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a response has no text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoText {
    /// Nothing at all, and the endpoint names no reason.
    Empty,
    /// White space and characters that cannot be seen.
    Blank,
    /// Reasoning, and no answer after it.
    ReasoningOnly,
    /// Calls of tools, which it was not offered.
    ToolCalls,
    /// It ran into the most tokens before the first word.
    CutOff,
    /// The endpoint's filter held it back.
    Blocked,
    /// The endpoint ended it, for a reason in its own words.
    Endpoint(String),
}

impl NoText {
    /// Whether the model is the cause, and not its endpoint.
    #[must_use]
    pub fn is_of_model(&self) -> bool {
        match self {
            NoText::Empty
            | NoText::Blank
            | NoText::ReasoningOnly
            | NoText::ToolCalls
            | NoText::CutOff => true,
            NoText::Blocked | NoText::Endpoint(_) => false,
        }
    }

    /// The outcome of everything that such a response was to be judged on.
    #[must_use]
    pub fn outcome(&self) -> super::Outcome {
        if self.is_of_model() { super::Outcome::Missed } else { super::Outcome::Unjudged }
    }

    /// Of a text, where it is blank and nothing else is known of it.
    #[must_use]
    pub fn of(text: &str) -> Option<NoText> {
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
    fn what_cannot_be_seen_is_no_text() {
        assert_eq!(NoText::of(""), Some(NoText::Empty));
        for blank in [" ", "\n\t", "\u{200b}\u{feff}", "\u{a0}\0"] {
            assert_eq!(NoText::of(blank), Some(NoText::Blank), "{blank:?}");
        }
        for text in [".", "a", "\u{200b}a", "é", "👍"] {
            assert_eq!(NoText::of(text), None, "{text:?}");
        }
    }
}
