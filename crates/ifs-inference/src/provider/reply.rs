//! Replies of endpoints.

use serde::{Deserialize, Serialize};

use super::CallFailure;
use ifs_judge::Note;
use ifs_score::NoText;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
    /// The endpoint's words, if it refused the request for what it says or for its length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refusal: String,
}

impl Reply {
    pub fn from_text(text: String) -> Reply {
        Reply { text, ..Reply::default() }
    }

    /// In place of a response that the endpoint refused to give.
    pub fn refused(stop: StopReason, refusal: String) -> Reply {
        Reply { stop: Some(stop), refusal, ..Reply::default() }
    }

    /// Whether the request did not fit into the context window of the model.
    pub fn exceeds_context(&self) -> bool {
        self.stop == Some(StopReason::ContextLength)
    }

    /// Why the response has no text; `None` if it has one.
    pub fn no_text(&self) -> Option<NoText> {
        let blank = NoText::from_text(&self.text)?;
        Some(match &self.stop {
            Some(StopReason::ContextLength) => NoText::ContextLength,
            Some(StopReason::Filter) => NoText::Blocked,
            Some(StopReason::Length) => NoText::CutOff,
            Some(StopReason::Other(reason)) if is_about_tools(reason) => NoText::ToolCalls,
            _ if self.called_tools => NoText::ToolCalls,
            Some(StopReason::Other(reason)) => NoText::Endpoint(reason.clone()),
            Some(StopReason::End | StopReason::Missing) | None
                if !self.reasoning.trim().is_empty() =>
            {
                NoText::ReasoningOnly
            }
            Some(StopReason::End | StopReason::Missing) | None => blank,
        })
    }

    /// A response as an endpoint gave it, if the model finished it.
    ///
    /// # Errors
    /// Returns why it is not one.
    pub fn complete(mut self) -> Result<Reply, CallFailure> {
        let has_text = NoText::from_text(&self.text).is_none();
        let nothing = self.text.is_empty() && self.reasoning.is_empty() && !self.called_tools;
        match &self.stop {
            None if nothing => {
                return Err(CallFailure::garbled("the response has no text and no stop reason"));
            }
            Some(StopReason::Other(reason)) if has_text && !is_about_tools(reason) => {
                return Err(CallFailure::garbled(format!(
                    "the endpoint stopped the response before its end, with the reason `{reason}`"
                )));
            }
            _ => {}
        }
        self.stop.get_or_insert(StopReason::Missing);
        self.served = self.served.filter(|name| !name.is_empty());
        // A request has tokens, and so has a response that is not empty.
        let Usage { input, output, .. } = &mut self.usage;
        *input = input.filter(|count| *count > 0);
        *output = output.filter(|count| *count > 0 || nothing);
        Ok(self)
    }

    /// Moves reasoning between tags out of the text.
    pub fn part_reasoning(&mut self) {
        let Some((reasoning, text)) = ifs_text::part_reasoning(&self.text) else { return };
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model ended its response, or produced a stop sequence.
    End,
    /// The token limit was reached.
    Length,
    /// The endpoint filtered it, or the prompt.
    Filter,
    /// The request did not fit into the context window of the model.
    ContextLength,
    /// The endpoint gave no reason, so it is unknown whether the response is complete.
    Missing,
    /// Another reason, in the endpoint's words.
    Other(String),
}

/// The tokens of a request. An absent or impossible count is unknown, and never zero.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Usage {
    /// All tokens of the request, including cached ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// All tokens of the response, including reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// Of the input: tokens that the endpoint read from its cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Of the input: tokens that the endpoint wrote into its cache, and those of them that stay for an
    /// hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_hour: Option<u64>,
}

/// A higher count is an error of the endpoint.
const MAX_TOKENS: u64 = 1 << 32;

impl Usage {
    pub fn is_unknown(&self) -> bool {
        *self == Usage::default()
    }

    /// The sum of known counts; one that is unknown in both stays so.
    #[must_use]
    pub fn plus(self, other: Usage) -> Usage {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (known, None) | (None, known) => known,
        };
        Usage {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
            reasoning: sum(self.reasoning, other.reasoning),
            cached: sum(self.cached, other.cached),
            written: sum(self.written, other.written),
            written_hour: sum(self.written_hour, other.written_hour),
        }
    }

    /// A token count from JSON, if it is possible.
    pub fn number(value: Option<&serde_json::Value>) -> Option<u64> {
        value?.as_u64().filter(|count| *count <= MAX_TOKENS)
    }
}
