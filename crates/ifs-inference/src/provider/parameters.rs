//! The parameters of requests.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Sampling parameters and others. Absent ones are left to the endpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The role of system messages.
    #[serde(skip_serializing_if = "SystemRole::is_system")]
    pub system_as: SystemRole,
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
    /// Whether responses are streamed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stream: bool,
    /// Whether reasoning between tags stays in the text of responses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub raw_text: bool,
}

/// How the system message is sent.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    /// As a message of its own.
    #[default]
    System,
    /// At the beginning of the first user message, for endpoints without a system role.
    User,
}

impl SystemRole {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_system(&self) -> bool {
        *self == SystemRole::System
    }
}

impl Parameters {
    /// Everything that a response depends on, as one text. Streaming makes no difference.
    pub fn identity(&self) -> String {
        let whole = Parameters { stream: false, ..self.clone() };
        // Maps with text keys and finite numbers always serialize.
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

/// A header of the user. Its value may be secret, so it is never printed or stored.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpHeader {
    pub name: String,
    pub value: String,
}

impl std::fmt::Debug for HttpHeader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Header({})", self.name)
    }
}

/// Headers that belong to the connection or to the wire.
const RESERVED_HEADERS: [&str; 12] = [
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

impl HttpHeader {
    /// Parses `Name: value`.
    pub fn parse(text: &str) -> Result<HttpHeader, String> {
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| "a header is written as `Name: value`".to_owned())?;
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        let letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if name.is_empty() || !name.chars().all(letter) {
            return Err(format!("`{name}` is not the name of a header"));
        }
        if RESERVED_HEADERS.contains(&name.as_str()) {
            return Err(format!("the header `{name}` is set by ifs itself"));
        }
        if value.chars().any(|letter| letter.is_control() || !letter.is_ascii()) {
            return Err(format!("the value of `{name}` holds characters that no header may have"));
        }
        Ok(HttpHeader { name, value })
    }
}

/// Time limits for each phase of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection is established, including TLS.
    pub connect: Duration,
    /// From sending the request to the first byte of the response.
    pub first_byte: Duration,
    /// Between two chunks of a response.
    pub idle: Duration,
    /// For one complete attempt.
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
