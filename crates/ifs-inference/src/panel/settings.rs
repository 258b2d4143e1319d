//! The judges and their settings, as recorded in the run folder.

use serde::{Deserialize, Serialize};

use crate::provider::Parameters;
use ifs_judge::{AggregationRule, JudgeOptions, is_simulated};

/// The settings of a judging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Judging {
    pub judges: Vec<JudgeEntry>,
    /// The aggregation rule.
    #[serde(default)]
    pub rule: AggregationRule,
    /// How often each judge is asked the same question.
    pub repeats: u32,
    /// The maximum number of requests until a reply can be parsed.
    pub tries: u32,
    /// Whether each question is a request of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Whether structured output is not requested.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plain: bool,
    /// Whether pictures are not sent to judges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_pictures: bool,
    /// The number of earlier turns that judges see; that of the dialogue if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<u32>,
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub parameters: Parameters,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgeEntry {
    pub model: String,
    /// The judge's address; `None` for a simulated one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Whether the judge is of the same family as the model under test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_family: bool,
}

impl Judging {
    pub fn options(&self) -> JudgeOptions {
        JudgeOptions { apart: self.apart, history: self.history, pictures: !self.without_pictures }
    }

    pub fn has_simulated(&self) -> bool {
        self.judges.iter().any(|judge| is_simulated(&judge.model))
    }

    /// A short name for all settings that replies depend on. The aggregation rule is not included,
    /// because it does not change votes.
    pub fn identity(&self) -> String {
        let whole = Judging { rule: AggregationRule::default(), ..self.clone() };
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a judging");
        // Texts and numbers always serialize.
        hasher.update(serde_json::to_string(&whole).unwrap_or_default().as_bytes());
        hasher.finalize().to_hex().as_str()[..12].to_owned()
    }

    /// `openai/gpt-4o and anthropic/claude-sonnet-4-5, majority of 2 votes each`
    pub fn reported(&self) -> String {
        let names: Vec<&str> = self.judges.iter().map(|judge| judge.model.as_str()).collect();
        let mut text = match names.split_last() {
            None => return "no one".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        };
        if self.repeats > 1 {
            text.push_str(&format!(", {} times each", self.repeats));
        }
        if self.judges.len() as u32 * self.repeats > 1 {
            text.push_str(&format!(" ({})", self.rule.word()));
        }
        text
    }

    /// The warning about each judge of the same family as the model under test.
    pub fn warnings(&self, tested: &str) -> Vec<String> {
        let warned = self.judges.iter().filter(|judge| judge.same_family);
        warned
            .map(|judge| {
                format!(
                    "{}: the judge {} is of the same family as {tested}, and models favour \
                     responses of their own family",
                    ifs_base::diagnostic::Code::SAME_FAMILY,
                    judge.model
                )
            })
            .collect()
    }
}
