//! The lines of a set.

use serde::{Deserialize, Serialize};

use ifs_draw::ScriptTurn;

/// A dialogue of a set, as a line of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetRow {
    pub canary: String,
    pub release: String,
    pub epoch: String,
    pub dialogue: String,
    /// Its place in the set, from 0, and its place among all that can be drawn.
    pub number: u64,
    pub index: u64,
    /// The same in every epoch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anchor: bool,
    pub turns: Vec<SetTurn>,
}

/// A turn, and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetTurn {
    #[serde(flatten)]
    pub script: ScriptTurn,
    /// The hash of a text that meets every rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// The constraints for which no text was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub no_witness: Vec<String>,
    /// No rule is active: only a judge can tell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_rules: bool,
}
