//! The request and response formats of APIs. No I/O.
//!
//! To add one, write a file here with a [`Wire`], its `mod` line, and a row of [`super::PROVIDERS`].

mod anthropic;
mod chat;
mod events;
mod google;

use serde_json::{Map, Value};

pub use anthropic::Anthropic;
pub use chat::ChatCompletions;
pub use events::{Events, ServerEvent};
pub use google::Google;

#[cfg(feature = "http")]
use super::BatchForm;
use super::{
    CallFailure, ContentPart, Conversation, MessageRole, Parameters, Reply, ResponseSchema,
    StopReason, ToolMessage,
};

pub trait Wire: Sync {
    /// Appends one message to the JSON of a conversation. For APIs that refuse empty messages, an
    /// empty response is left out.
    fn message(&self, role: MessageRole, parts: &[ContentPart], into: &mut String);

    /// Appends the message of a tool: the model's call, and the result.
    fn tool(&self, message: &ToolMessage<'_>, into: &mut String);

    /// The fields of the body that declare the tools of messages, and that none is called now.
    fn tools(&self, names: &[&str]) -> Map<String, Value>;

    /// The first fields of every body: the model's name and parameters. Returns an error for a
    /// parameter that the API does not support.
    fn fields(&self, model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String>;

    /// The fields of the body for structured output. [`Wire::reply`] returns the text of such a
    /// response like any other.
    fn shape(&self, shape: &ResponseSchema) -> Map<String, Value>;

    /// The beginning of the list of messages, which `]}` closes.
    fn open_messages(&self, system: Option<&str>, empty: bool, into: &mut String);

    /// The path after the base address.
    fn path(&self, model: &str, stream: bool) -> String;

    /// The header with the key, and other required headers.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// The form of batches of the API, if it has them.
    #[cfg(feature = "http")]
    fn batch(&self) -> Option<BatchForm> {
        None
    }

    /// Parses a complete response.
    fn reply(&self, body: &Value) -> Result<Reply, CallFailure>;

    /// Parses one event of a streamed response; returns whether it was the last.
    fn event(&self, data: &Value, into: &mut PartialReply) -> Result<(), CallFailure>;
}

/// Appends a message with a role and a content: a text, or a list of parts.
fn message(
    role: MessageRole,
    parts: &[ContentPart],
    part: fn(&ContentPart) -> Value,
    into: &mut String,
) {
    into.push_str(match role {
        MessageRole::User => r#"{"role":"user","content":"#,
        MessageRole::Assistant => r#"{"role":"assistant","content":"#,
    });
    if let [ContentPart::Text(text)] = parts {
        quote(text, into);
    } else {
        let parts: Vec<Value> = parts.iter().map(part).collect();
        into.push_str(&Value::Array(parts).to_string());
    }
    into.push('}');
}

/// The names of stop reasons of all APIs, without capitals and separators, and what they mean.
///
/// An endpoint that ends a response for a reason that is not here has not said that the response is
/// complete, so it is not one.
const STOP_REASONS: &[(&str, KnownReason)] = {
    use KnownReason::{Broken, End, Filter, Length, Own, Unstated};
    &[
        ("stop", End),
        ("endturn", End),
        ("stopsequence", End),
        ("stopsequencereached", End),
        ("tooluse", End),
        ("eos", End),
        ("eostoken", End),
        ("endoftext", End),
        ("end", End),
        ("complete", End),
        ("completed", End),
        ("normal", End),
        ("length", Length),
        ("maxtokens", Length),
        ("maxoutputtokens", Length),
        ("maxlen", Length),
        ("maxlength", Length),
        ("maximumtokens", Length),
        ("context", Length),
        ("modellength", Length),
        ("tokenlimit", Length),
        ("modelcontextwindowexceeded", Length),
        ("contentfilter", Filter),
        ("errortoxic", Filter),
        ("refusal", Filter),
        ("safety", Filter),
        ("recitation", Filter),
        ("blocklist", Filter),
        ("prohibitedcontent", Filter),
        ("spii", Filter),
        ("imagesafety", Filter),
        ("imageprohibitedcontent", Filter),
        ("imagerecitation", Filter),
        ("modelarmor", Filter),
        ("sensitive", Filter),
        ("guardrailintervened", Filter),
        ("toolcalls", Own),
        ("toolcall", Own),
        ("functioncall", Own),
        ("malformedfunctioncall", Own),
        ("unexpectedtoolcall", Own),
        ("toomanytoolcalls", Own),
        ("malformedtooluse", Own),
        ("other", Own),
        ("language", Own),
        ("pauseturn", Own),
        ("", Unstated),
        ("null", Unstated),
        ("none", Unstated),
        ("unspecified", Unstated),
        ("finishreasonunspecified", Unstated),
        ("notfinished", Unstated),
        ("error", Broken),
        ("abort", Broken),
        ("aborted", Broken),
        ("cancelled", Broken),
        ("canceled", Broken),
        ("timeout", Broken),
        ("timelimit", Broken),
        ("failed", Broken),
        ("networkerror", Broken),
        ("overloaded", Broken),
        ("insufficientsystemresource", Broken),
    ]
};

/// What the name of a stop reason means.
#[derive(Clone, Copy)]
enum KnownReason {
    End,
    Length,
    Filter,
    /// It is recorded by its name.
    Own,
    /// It is no reason: the response has not ended.
    Unstated,
    /// The endpoint failed.
    Broken,
}

/// The stop reason in a field of a response; `None` if there is none.
fn stop_reason(value: Option<&Value>) -> Result<Option<StopReason>, CallFailure> {
    let name = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(name)) => name.trim(),
        Some(_) => return Err(CallFailure::garbled("the stop reason is not a text")),
    };
    let is_letter = |letter: &char| !letter.is_whitespace() && !"_-.".contains(*letter);
    let plain = name.chars().filter(is_letter).collect::<String>().to_lowercase();
    // Google's endpoint with OpenAI's API adds the kind of the filter.
    let plain = if plain.starts_with("contentfilter") { "contentfilter" } else { &plain };
    let known = STOP_REASONS.iter().find(|(known, _)| *known == plain).map(|(_, known)| known);
    let broken = || format!("the endpoint stopped the response with the reason `{name}`");
    Ok(Some(match known {
        Some(KnownReason::End) => StopReason::End,
        Some(KnownReason::Length) => StopReason::Length,
        Some(KnownReason::Filter) => StopReason::Filter,
        Some(KnownReason::Own) => StopReason::Other(name.to_ascii_lowercase()),
        Some(KnownReason::Unstated) => return Ok(None),
        Some(KnownReason::Broken) => return Err(CallFailure::passing(broken())),
        None => {
            let why = format!("{}, which is not one that a complete response has", broken());
            return Err(CallFailure::garbled(why));
        }
    }))
}

/// Whether a message has no readable content.
fn is_wordless(parts: &[ContentPart]) -> bool {
    parts.iter().all(|part| matches!(part, ContentPart::Text(text) if text.trim().is_empty()))
}

/// A response that is being received.
#[derive(Debug, Default)]
pub struct PartialReply {
    pub reply: Reply,
    /// The API reported the end. Without it, and without a stop reason, the stream is incomplete.
    pub done: bool,
    /// The stream is finished: later events are ignored.
    pub over: bool,
}

/// The complete body of a request. `fields` were serialized once for the model. `plain` leaves out
/// structured output.
pub fn body(wire: &dyn Wire, fields: &str, conversation: &Conversation, plain: bool) -> String {
    let messages = conversation.messages();
    let shape = conversation.shape().filter(|_| !plain);
    let shaped = shape.map(|shape| with(wire.shape(shape), fields));
    let fields = shaped.as_deref().unwrap_or(fields);
    let tools = conversation.tools();
    let declared = (!tools.is_empty()).then(|| with(wire.tools(&tools), fields));
    let fields = declared.as_deref().unwrap_or(fields);
    let mut body = String::with_capacity(fields.len() + messages.len() + 64);
    body.push_str(fields.strip_suffix('}').unwrap_or(fields));
    body.push(',');
    wire.open_messages(conversation.system(), messages.is_empty(), &mut body);
    body.push_str(messages);
    body.push_str("]}");
    body
}

/// Fields of the user take precedence over those for structured output and for tools.
fn with(mut map: Map<String, Value>, fields: &str) -> String {
    // The fields were serialized by `Endpoint::new`.
    merge(&mut map, &serde_json::from_str(fields).unwrap_or_default());
    Value::Object(map).to_string()
}

/// Merges the user's fields into a body; objects are merged recursively.
pub(super) fn merge(into: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        match (into.get_mut(name), value) {
            (Some(Value::Object(known)), Value::Object(more)) => merge(known, more),
            _ => {
                into.insert(name.clone(), value.clone());
            }
        }
    }
}

/// A text as JSON.
fn quote(text: &str, into: &mut String) {
    // Texts always serialize.
    into.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// A number of the parameters in a body.
fn number(map: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(name.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests;
