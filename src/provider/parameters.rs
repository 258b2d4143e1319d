//! What may be said about a call besides its messages.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sampling and the like. What is left out is left to the endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Merged into the body of every request.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Map<String, Value>,
    /// Whether the answer is read while it is written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// Whether responses are taken as they come, with reasoning between tags as a part of their
    /// text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub raw_text: bool,
}

impl Parameters {
    /// What an answer depends on, as one text. Whether it is streamed makes no difference.
    pub fn identity(&self) -> String {
        let whole = Parameters { stream: false, ..self.clone() };
        // Maps with text keys and finite numbers are always written.
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

/// A header of the user's own. Its value may be secret, so it is never shown and
/// written nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    pub value: String,
}

impl std::fmt::Debug for Header {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Header({})", self.name)
    }
}

/// Headers that belong to the connection or to the wire.
const RESERVED: [&str; 12] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "proxy-authorization",
    "te",
    "transfer-encoding",
    "upgrade",
];

impl Header {
    /// From `Name: value`.
    pub fn read(text: &str) -> Result<Header, String> {
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| "a header is written as `Name: value`".to_owned())?;
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        let letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if name.is_empty() || !name.chars().all(letter) {
            return Err(format!("`{name}` is not the name of a header"));
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("the header `{name}` is set by ifs itself"));
        }
        if value.chars().any(|letter| letter.is_control() || !letter.is_ascii()) {
            return Err(format!("the value of `{name}` holds characters that no header may have"));
        }
        Ok(Header { name, value })
    }
}

/// How long each part of a call may take. All of them are finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until there is a connection, encryption and all.
    pub connect: Duration,
    /// From the request to the first byte that comes back.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// For one try from its beginning to its end.
    pub whole: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(600),
        }
    }
}
