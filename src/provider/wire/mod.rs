//! How APIs are spoken to: what is written, and what is read. No I/O.
//!
//! To add one, write a file here with a [`Wire`] in it and a line in
//! [`super::PROVIDERS`].

mod anthropic;
mod chat;
mod events;
mod google;

use serde_json::{Map, Value};

pub use anthropic::Anthropic;
pub use chat::Chat;
pub use events::Events;
pub use google::Google;

use super::{CallFailure, Conversation, Parameters, Part, Reply, Role, Shape};

pub trait Wire: Sync {
    /// Adds one message to the JSON of a conversation. An API that takes no message without words
    /// gets none where a model said nothing.
    fn message(&self, role: Role, parts: &[Part], into: &mut String);

    /// What every body of a model begins with: its name and parameters. An error
    /// names a parameter that the API does not have.
    fn fields(&self, model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String>;

    /// The fields of the body for structured output. [`Wire::reply`] gives the
    /// text of such an answer as it gives any other.
    fn shape(&self, shape: &Shape) -> Map<String, Value>;

    /// Opens the list of messages; `]}` closes it.
    fn open(&self, system: Option<&str>, empty: bool, into: &mut String);

    /// Behind the base address.
    fn path(&self, model: &str, stream: bool) -> String;

    /// The header that carries the key, and others that the API wants.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// Reads a complete answer.
    fn reply(&self, body: &Value) -> Result<Reply, CallFailure>;

    /// Reads one event of a streamed answer; whether it was the last.
    fn event(&self, data: &Value, into: &mut Partial) -> Result<(), CallFailure>;
}

/// Adds a message with a role and a content: a text, or a list of parts.
fn message(role: Role, parts: &[Part], part: fn(&Part) -> Value, into: &mut String) {
    into.push_str(match role {
        Role::User => r#"{"role":"user","content":"#,
        Role::Assistant => r#"{"role":"assistant","content":"#,
    });
    if let [Part::Text(text)] = parts {
        quote(text, into);
    } else {
        let parts: Vec<Value> = parts.iter().map(part).collect();
        into.push_str(&Value::Array(parts).to_string());
    }
    into.push('}');
}

/// Whether a message has nothing in it that can be read.
fn is_wordless(parts: &[Part]) -> bool {
    parts.iter().all(|part| matches!(part, Part::Text(text) if text.trim().is_empty()))
}

/// An answer on its way.
#[derive(Debug, Default)]
pub struct Partial {
    pub reply: Reply,
    /// The model said that it is done; before that the stream is cut.
    pub done: bool,
    /// The stream said that it is over: nothing after it counts.
    pub over: bool,
}

/// The complete body of a request. `fields` were written once for the model. `plain` leaves out
/// what the endpoint is to hold the answer to.
pub fn body(wire: &dyn Wire, fields: &str, conversation: &Conversation, plain: bool) -> String {
    let messages = conversation.messages();
    let shape = conversation.shape().filter(|_| !plain);
    let shaped = shape.map(|shape| with_shape(wire, fields, shape));
    let fields = shaped.as_deref().unwrap_or(fields);
    let mut body = String::with_capacity(fields.len() + messages.len() + 64);
    body.push_str(fields.strip_suffix('}').unwrap_or(fields));
    body.push(',');
    wire.open(conversation.system(), messages.is_empty(), &mut body);
    body.push_str(messages);
    body.push_str("]}");
    body
}

/// What the user adds to a body goes before the shape.
fn with_shape(wire: &dyn Wire, fields: &str, shape: &Shape) -> String {
    let mut map = wire.shape(shape);
    // The fields were written by `Endpoint::new`.
    merge(&mut map, &serde_json::from_str(fields).unwrap_or_default());
    Value::Object(map).to_string()
}

/// Merges what the user adds to a body; objects go into objects.
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
    // A text is always written.
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
