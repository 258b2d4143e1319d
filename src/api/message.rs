//! Messages to a model.

use ifs_inference::provider::{ContentPart, MessageImage};

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The author.
    pub role: Role,
    /// Texts and pictures, in order.
    pub content: Vec<Content>,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// Instructions before the conversation.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// `system`, `user` or `assistant`
    pub fn word(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(String),
    /// The URL of a picture.
    ImageUrl(String),
    /// A picture.
    #[non_exhaustive]
    Image {
        /// `image/png`, `image/jpeg` or `image/webp`.
        media_type: String,
        /// The picture's bytes in base64.
        base64: String,
    },
}

impl Message {
    pub(crate) fn text_of(role: Role, text: &str) -> Message {
        Message { role, content: vec![Content::Text(text.to_owned())] }
    }

    pub(crate) fn from_parts(role: Role, parts: &[ContentPart]) -> Message {
        let content = parts.iter().map(|part| match part {
            ContentPart::Text(text) => Content::Text(text.clone()),
            ContentPart::Image(MessageImage::Address(address)) => {
                Content::ImageUrl(address.clone())
            }
            ContentPart::Image(MessageImage::Data { media_type, base64 }) => {
                Content::Image { media_type: media_type.clone(), base64: base64.clone() }
            }
        });
        Message { role, content: content.collect() }
    }

    /// The message's texts, joined.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|content| match content {
            Content::Text(text) => Some(text.as_str()),
            Content::ImageUrl(_) | Content::Image { .. } => None,
        });
        texts.collect()
    }
}
