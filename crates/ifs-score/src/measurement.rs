//! The value of a metric with its data.

use serde::{Deserialize, Serialize};

use super::statistics::{RatioTerm, clusters, ratio_error};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetricUnit {
    /// A fraction of one: 0.5 is half.
    Share,
    Turns,
    /// A mark on a judge's scale.
    Marks,
    /// Any other number, of a metric by an expression.
    Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    HigherIsBetter,
    LowerIsBetter,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScoreValue {
    /// INVARIANT: finite.
    Number(f64),
    Undefined {
        why: String,
    },
}

/// The value of a metric with its data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Measurement {
    pub value: ScoreValue,
    pub numerator: f64,
    pub denominator: f64,
    /// The number of terms: turns for a rate over turns, dialogues for a mean over dialogues.
    pub count: u64,
    /// The number of distinct dialogues that contribute.
    #[serde(default)]
    pub distinct: u64,
    /// The standard error with the distinct dialogue as the unit of sampling; `None` with fewer
    /// than two.
    pub standard_error: Option<f64>,
    /// The 95 % interval; `None` with fewer than two distinct dialogues.
    #[serde(default)]
    pub interval: Option<ConfidenceInterval>,
    /// A note about this value.
    pub note: Option<String>,
}

impl Measurement {
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self.value {
            ScoreValue::Number(number) => Some(number),
            ScoreValue::Undefined { .. } => None,
        }
    }

    pub(super) fn undefined(why: impl Into<String>) -> Self {
        Self {
            value: ScoreValue::Undefined { why: why.into() },
            numerator: 0.0,
            denominator: 0.0,
            count: 0,
            distinct: 0,
            standard_error: None,
            interval: None,
            note: None,
        }
    }

    /// A ratio of sums over dialogues; a mean over dialogues if each denominator is 1.
    pub(super) fn ratio(parts: &[RatioTerm], why_none: &str) -> Self {
        let numerator: f64 = parts.iter().map(|part| part.above).sum();
        let denominator: f64 = parts.iter().map(|part| part.below).sum();
        if denominator == 0.0 {
            return Self::undefined(why_none);
        }
        let clusters = clusters(parts);
        Self {
            value: ScoreValue::Number(numerator / denominator),
            numerator,
            denominator,
            count: denominator as u64,
            distinct: clusters.len() as u64,
            standard_error: ratio_error(&clusters),
            interval: None,
            note: None,
        }
    }

    pub(super) fn with_note(mut self, note: Option<String>) -> Self {
        self.note = note;
        self
    }
}

/// What a report says of a metric by an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OwnKind {
    pub unit: MetricUnit,
    pub direction: Direction,
    /// The doc comment of the metric.
    pub doc: String,
}

/// The ends of a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ConfidenceInterval {
    pub lower: f64,
    pub upper: f64,
    /// Every dialogue has this value, so that the interval has no width: it says nothing about
    /// dialogues that were not run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub single: bool,
}

impl ConfidenceInterval {
    #[must_use]
    pub fn between(lower: f64, upper: f64) -> ConfidenceInterval {
        ConfidenceInterval { lower, upper, single: false }
    }
}
