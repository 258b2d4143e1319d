//! What comes back of a call.

use serde::{Deserialize, Serialize};

use crate::judge::Note;
use crate::score::NoText;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// What the endpoint says it counted.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// What the model thought aloud, where the endpoint shows it. No part of the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// The model called tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub called_tools: bool,
    /// What it passed to them: the answer, where one of a form was asked for as a tool.
    #[serde(skip)]
    pub passed: String,
    /// The model that answered, as the endpoint names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
}

impl Reply {
    pub fn of(text: String) -> Reply {
        Reply { text, ..Reply::default() }
    }

    /// Why it has no text; nothing where it has some.
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::of(&self.text)?;
        Some(match &self.stop {
            Some(StopReason::Filter) => NoText::Blocked,
            Some(StopReason::Length) => NoText::CutOff,
            Some(StopReason::Other(reason)) if is_about_tools(reason) => NoText::ToolCalls,
            _ if self.called_tools => NoText::ToolCalls,
            Some(StopReason::Other(reason)) => NoText::Endpoint(reason.clone()),
            Some(StopReason::End) | None if !self.reasoning.trim().is_empty() => {
                NoText::ReasoningOnly
            }
            Some(StopReason::End) | None => blank,
        })
    }

    /// Keeps reasoning that is in the text, between tags, apart from it.
    pub fn part_reasoning(&mut self) {
        let Some((reasoning, text)) = crate::text::part_reasoning(&self.text) else { return };
        if !self.reasoning.is_empty() && !reasoning.is_empty() {
            self.reasoning.push_str("\n\n");
        }
        self.reasoning.push_str(&reasoning);
        self.text = text.to_owned();
    }
}

/// Whether an ending's name says that the model called a tool: `tool_calls`, `tool_use`,
/// `malformed_function_call`, `unexpected_tool_call`.
fn is_about_tools(reason: &str) -> bool {
    ["tool_call", "tool_use", "function_call"].iter().any(|name| reason.contains(name))
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model had said what it wanted to say, or came to a stop sequence.
    End,
    /// It ran into the most tokens.
    Length,
    /// The endpoint held it back.
    Filter,
    /// In the endpoint's words.
    Other(String),
}

/// Tokens of a call. A number that the endpoint does not give, or that cannot be
/// one, is unknown and never taken as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// All tokens of the request, cached ones among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// All tokens of the answer, reasoning among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// More tokens than this in one call are a mistake of the endpoint.
const MOST: u64 = 1 << 32;

impl Usage {
    pub fn is_unknown(&self) -> bool {
        *self == Usage::default()
    }

    /// A count of tokens out of an endpoint's JSON, if it can be one.
    pub fn number(value: Option<&serde_json::Value>) -> Option<u64> {
        value?.as_u64().filter(|count| *count <= MOST)
    }
}
