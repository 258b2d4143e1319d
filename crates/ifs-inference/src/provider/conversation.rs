//! Conversations, in the format of the endpoint.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::wire::Wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    User,
    Assistant,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentPart {
    Text(String),
    Image(MessageImage),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageImage {
    /// A URL that the endpoint fetches itself.
    Address(String),
    /// The picture's bytes, in base64.
    Data { media_type: String, base64: String },
}

/// The JSON Schema of a response, for endpoints with structured
/// output.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSchema {
    pub name: &'static str,
    /// A JSON Schema of objects, lists, texts and integers; every field of an object is required,
    /// and there are no others.
    pub schema: serde_json::Value,
}

/// A message of a tool: the model's call of it, without arguments, and what it gave.
#[derive(Clone, Copy, Debug)]
pub struct ToolMessage<'a> {
    pub name: &'a str,
    pub text: &'a str,
    /// The number of the call in its conversation, from 1.
    pub number: usize,
}

impl ToolMessage<'_> {
    /// Nine letters and digits, which every API accepts as the name of a call.
    pub fn id(&self) -> String {
        format!("call{:05}", self.number)
    }
}

/// A conversation, serialized incrementally in its wire format, so that a turn serializes only its
/// own messages.
#[derive(Clone)]
pub struct Conversation {
    wire: Option<&'static dyn Wire>,
    system: Option<String>,
    /// A system message that becomes the beginning of the first user message.
    unsent_system: Option<String>,
    shape: Option<ResponseSchema>,
    messages: String,
    /// The tools that were called, in order.
    tools: Vec<String>,
    /// All messages, for a model without a wire format, and their size in bytes.
    kept: Option<SizedMessages>,
    /// The number of pictures, and their size.
    pictures: (u64, usize),
    /// A higher token limit for responses than the endpoint's parameters have.
    limit: Option<u64>,
    hasher: blake3::Hasher,
}

/// Messages with their roles, and their size in bytes.
type SizedMessages = (Vec<(MessageRole, Arc<[ContentPart]>)>, usize);

/// A hash of everything in a conversation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationHash([u8; 16]);

impl ConversationHash {
    pub fn from_hasher(hasher: &blake3::Hasher) -> ConversationHash {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        ConversationHash(bytes)
    }

    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for ConversationHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl Conversation {
    /// Creates a conversation; without a wire format, no message is kept.
    pub fn new(wire: Option<&'static dyn Wire>, system: Option<&str>) -> Conversation {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a conversation");
        update(&mut hasher, b's', system.unwrap_or_default());
        Conversation {
            wire,
            system: system.map(str::to_owned),
            unsent_system: None,
            shape: None,
            messages: String::new(),
            tools: Vec::new(),
            kept: None,
            pictures: (0, 0),
            limit: None,
            hasher,
        }
    }

    /// Creates a conversation with an endpoint that has no system role: the system message is the
    /// beginning of the first user message.
    pub fn without_system_role(wire: &'static dyn Wire, system: Option<&str>) -> Conversation {
        let unsent_system = system.map(str::to_owned);
        Conversation { unsent_system, ..Conversation::new(Some(wire), None) }
    }

    /// Creates a conversation that keeps every message, for a model without a wire format.
    pub fn keeping(system: Option<&str>) -> Conversation {
        Conversation { kept: Some(SizedMessages::default()), ..Conversation::new(None, system) }
    }

    /// The messages of such a conversation.
    pub fn kept_messages(&self) -> &[(MessageRole, Arc<[ContentPart]>)] {
        self.kept.as_ref().map_or(&[], |(messages, _)| messages)
    }

    pub fn push_text(&mut self, role: MessageRole, text: &str) {
        self.push(role, &[ContentPart::Text(text.to_owned())]);
    }

    pub fn push(&mut self, role: MessageRole, parts: &[ContentPart]) {
        if role == MessageRole::User
            && let Some(system) = self.unsent_system.take()
        {
            return self.push(role, &after_text(system, parts));
        }
        self.hasher.update(match role {
            MessageRole::User => b"u",
            MessageRole::Assistant => b"a",
        });
        for part in parts {
            match part {
                ContentPart::Text(text) => update(&mut self.hasher, b't', text),
                ContentPart::Image(MessageImage::Address(address)) => {
                    update(&mut self.hasher, b'i', address);
                    self.pictures.0 += 1;
                }
                ContentPart::Image(MessageImage::Data { media_type, base64 }) => {
                    update(&mut self.hasher, b'm', media_type);
                    update(&mut self.hasher, b'd', base64);
                    self.pictures.0 += 1;
                    self.pictures.1 += base64.len();
                }
            }
        }
        if let Some((messages, bytes)) = &mut self.kept {
            let length = |part: &ContentPart| match part {
                ContentPart::Text(text) => text.len(),
                ContentPart::Image(_) => 0,
            };
            *bytes += parts.iter().map(length).sum::<usize>();
            messages.push((role, parts.into()));
        }
        self.write(|wire, into| wire.message(role, parts, into));
    }

    /// Whether tools have messages of their own here. Otherwise their texts are in user messages.
    pub fn has_tools(&self) -> bool {
        self.wire.is_some()
    }

    /// Adds the message of a tool.
    pub fn tool(&mut self, name: &str, text: &str) {
        self.hasher.update(b"o");
        update(&mut self.hasher, b'n', name);
        update(&mut self.hasher, b't', text);
        self.tools.push(name.to_owned());
        let message = ToolMessage { name, text, number: self.tools.len() };
        self.write(|wire, into| wire.tool(&message, into));
    }

    /// The names of the tools that were called, each once.
    pub fn tools(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in &self.tools {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Adds what is written to the messages, if anything is.
    fn write(&mut self, write: impl FnOnce(&dyn Wire, &mut String)) {
        let Some(wire) = self.wire else { return };
        let before = self.messages.len();
        if before > 0 {
            self.messages.push(',');
        }
        let from = self.messages.len();
        write(wire, &mut self.messages);
        if self.messages.len() == from {
            self.messages.truncate(before);
        }
    }

    /// Requests responses with this JSON Schema from now on.
    pub fn expect(&mut self, shape: ResponseSchema) {
        update(&mut self.hasher, b'j', shape.name);
        update(&mut self.hasher, b'j', &shape.schema.to_string());
        self.shape = Some(shape);
    }

    pub fn shape(&self) -> Option<&ResponseSchema> {
        self.shape.as_ref()
    }

    /// Raises the token limit for responses from now on.
    pub fn raise_limit(&mut self, limit: Option<u64>) {
        self.limit = self.limit.max(limit);
    }

    /// The token limit, if it was raised.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// The messages in the wire format, separated by commas.
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// The number of bytes of text, and of pictures.
    pub fn size(&self) -> (usize, u64) {
        let (pictures, letters) = self.pictures;
        let system = self.system.as_deref().map_or(0, str::len);
        match &self.kept {
            Some((_, bytes)) => (bytes + system, pictures),
            None => ((self.messages.len() + system).saturating_sub(letters), pictures),
        }
    }

    pub fn digest(&self) -> ConversationHash {
        match self.limit {
            None => ConversationHash::from_hasher(&self.hasher),
            Some(limit) => {
                let mut hasher = self.hasher.clone();
                hasher.update(b"l");
                hasher.update(&limit.to_le_bytes());
                ConversationHash::from_hasher(&hasher)
            }
        }
    }
}

/// The parts of a message after a text of their own.
fn after_text(text: String, parts: &[ContentPart]) -> Vec<ContentPart> {
    match parts {
        [ContentPart::Text(first), rest @ ..] => {
            let first = ContentPart::Text(format!("{text}\n\n{first}"));
            std::iter::once(first).chain(rest.iter().cloned()).collect()
        }
        parts => std::iter::once(ContentPart::Text(text)).chain(parts.iter().cloned()).collect(),
    }
}

/// Adds a kind and a length before each text, so that different conversations have different
/// hashes.
fn update(hasher: &mut blake3::Hasher, kind: u8, text: &str) {
    hasher.update(&[kind]);
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}
