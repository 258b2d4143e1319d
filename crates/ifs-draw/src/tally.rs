//! Counts how often each alternative of a choice was drawn, and compares it with its declared
//! weight.

use std::collections::BTreeMap;

use serde::Serialize;

/// The kind of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChoiceKind {
    /// To add, to modify or to drop.
    Change,
    /// A group to add a constraint from.
    Added,
    /// A group to modify the constraint of.
    Modified,
    /// A constraint of a group.
    Constraint,
    /// A value of a parameter.
    Value,
    /// How a constraint relates to those of another speaker, by a parameter.
    Case,
}

/// A choice, with the declared share of each alternative.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedChoice {
    pub choice: ChoiceKind,
    /// The group of a constraint, or the parameter of a value.
    pub of: String,
    pub shares: Vec<(String, f64)>,
    /// The index of the drawn alternative.
    pub drawn: usize,
}

impl RecordedChoice {
    /// A choice by weights; `None` if nothing was drawn or there was one alternative.
    pub fn weighted(
        choice: ChoiceKind,
        of: String,
        weights: Vec<(String, f64)>,
        drawn: Option<usize>,
    ) -> Option<RecordedChoice> {
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let shares: Vec<(String, f64)> =
            weights.into_iter().map(|(name, weight)| (name, weight / total)).collect();
        let drawn = drawn.filter(|_| total > 0.0 && shares.len() > 1)?;
        Some(RecordedChoice { choice, of, shares, drawn })
    }
}

/// How often one alternative of a choice was drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frequency {
    pub choice: ChoiceKind,
    /// The group of a constraint, or the parameter of a value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub of: String,
    pub name: String,
    /// Choices with this alternative.
    pub choices: u64,
    pub drawn: u64,
    /// The mean of its declared shares.
    pub declared: f64,
    pub effective: f64,
    /// The deviation of the count from its expectation, in standard deviations.
    pub deviations: f64,
}

impl Frequency {
    /// A deviation of this many standard errors is significant: among some thousand choices, one
    /// is expected to deviate that much by chance.
    const SIGNIFICANT_DEVIATION: f64 = 4.0;
    /// With fewer choices, deviations are not normal.
    const MIN_CHOICES: u64 = 30;

    /// Whether it was drawn more often or less often than declared, and not by chance.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.choices >= Self::MIN_CHOICES && self.deviations.abs() >= Self::SIGNIFICANT_DEVIATION
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct TallyRow {
    choices: u64,
    drawn: u64,
    share: f64,
    variance: f64,
}

/// The choices of many turns.
#[derive(Clone, Debug, Default)]
pub struct ChoiceTally {
    rows: BTreeMap<(ChoiceKind, String, String), TallyRow>,
}

impl ChoiceTally {
    pub fn add(&mut self, chosen: RecordedChoice) {
        for (at, (name, share)) in chosen.shares.into_iter().enumerate() {
            let row = self.rows.entry((chosen.choice, chosen.of.clone(), name)).or_default();
            row.choices += 1;
            row.drawn += u64::from(at == chosen.drawn);
            row.share += share;
            row.variance += share * (1.0 - share);
        }
    }

    pub fn frequencies(&self) -> Vec<Frequency> {
        let frequency = |((choice, of, name), row): (&(ChoiceKind, String, String), &TallyRow)| {
            let choices = row.choices as f64;
            let more = row.drawn as f64 - row.share;
            let deviation = row.variance.sqrt();
            Frequency {
                choice: *choice,
                of: of.clone(),
                name: name.clone(),
                choices: row.choices,
                drawn: row.drawn,
                declared: row.share / choices,
                effective: row.drawn as f64 / choices,
                deviations: if deviation > 0.0 { more / deviation } else { 0.0 },
            }
        };
        self.rows.iter().map(frequency).collect()
    }
}
