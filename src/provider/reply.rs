//! Replies of endpoints.

use serde::{Deserialize, Serialize};

use crate::judge::Note;
use crate::score::NoText;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Reply {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Note>,
    /// The usage that the endpoint reports.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The reasoning of the model, if the endpoint returns it. Not part of the response.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Whether the model called tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub called_tools: bool,
    /// The arguments of the tool call: the response, if structured output was requested as a tool.
    #[serde(skip)]
    pub passed: String,
    /// The model that answered, as the endpoint names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<String>,
}

impl Reply {
    pub fn from_text(text: String) -> Reply {
        Reply { text, ..Reply::default() }
    }

    /// Why the response has no text; `None` if it has one.
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::from_text(&self.text)?;
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

    /// Moves reasoning between tags out of the text.
    pub fn part_reasoning(&mut self) {
        let Some((reasoning, text)) = crate::text::part_reasoning(&self.text) else { return };
        if !self.reasoning.is_empty() && !reasoning.is_empty() {
            self.reasoning.push_str("\n\n");
        }
        self.reasoning.push_str(&reasoning);
        self.text = text.to_owned();
    }
}

/// Whether the name of a stop reason refers to tool calls: `tool_calls`, `tool_use`,
/// `malformed_function_call`, `unexpected_tool_call`.
fn is_about_tools(reason: &str) -> bool {
    ["tool_call", "tool_use", "function_call"].iter().any(|name| reason.contains(name))
}

/// Why a response ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model ended its response, or produced a stop sequence.
    End,
    /// The token limit was reached.
    Length,
    /// The endpoint filtered it.
    Filter,
    /// Another reason, in the endpoint's words.
    Other(String),
}

/// The tokens of a request. An absent or impossible count is unknown, and never zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Usage {
    /// All tokens of the request, including cached ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// All tokens of the response, including reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

/// A higher count is an error of the endpoint.
const MAX_TOKENS: u64 = 1 << 32;

impl Usage {
    pub fn is_unknown(&self) -> bool {
        *self == Usage::default()
    }

    /// A token count from JSON, if it is possible.
    pub fn number(value: Option<&serde_json::Value>) -> Option<u64> {
        value?.as_u64().filter(|count| *count <= MAX_TOKENS)
    }
}
