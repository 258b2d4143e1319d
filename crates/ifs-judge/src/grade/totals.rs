//! Totals over rows.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{RowError, RowGrades};

/// How many were graded, and how many hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GradeCount {
    pub of: u64,
    pub strict: u64,
    pub loose: u64,
}

impl GradeCount {
    fn add(&mut self, strict: bool, loose: Option<bool>) {
        self.of += 1;
        self.strict += u64::from(strict);
        self.loose += u64::from(loose == Some(true));
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GradeTotals {
    /// Responses, and those that satisfy all their constraints: the prompt-level accuracies.
    /// Responses that need a judge are left out.
    pub answers: GradeCount,
    /// Constraints, and those that hold: the instruction-level accuracies.
    pub constraints: GradeCount,
    /// The same for each constraint.
    pub by_constraint: BTreeMap<String, GradeCount>,
    /// Constraints that need a judge, and responses that depend on them.
    #[serde(skip_serializing_if = "OpenCount::is_none")]
    pub unjudged: OpenCount,
    /// Constraints that cannot be told from the response, and responses that depend on them.
    #[serde(skip_serializing_if = "OpenCount::is_none")]
    pub undecided: OpenCount,
    /// Responses without text, for which nothing holds unless they are graded unchanged.
    #[serde(skip_serializing_if = "ifs_value::is_default")]
    pub without_text: u64,
    /// Responses with leading reasoning that was removed.
    #[serde(skip_serializing_if = "ifs_value::is_default")]
    pub with_reasoning: u64,
    /// Responses that begin with a block that may be reasoning, but that no model is known for, by
    /// its marker.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unknown_blocks: BTreeMap<String, u64>,
    /// Rows that could not be graded, by code.
    pub errors: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct OpenCount {
    pub answers: u64,
    pub constraints: u64,
}

impl OpenCount {
    fn is_none(&self) -> bool {
        *self == OpenCount::default()
    }

    fn merge(&mut self, other: OpenCount) {
        self.answers += other.answers;
        self.constraints += other.constraints;
    }
}

impl GradeTotals {
    pub fn add(&mut self, graded: &RowGrades) {
        self.without_text += u64::from(graded.no_text.is_some());
        self.with_reasoning += u64::from(graded.reasoned);
        if let Some(marker) = &graded.unknown_block {
            *self.unknown_blocks.entry(marker.clone()).or_default() += 1;
        }
        // A constraint that fails strictly may need a judge in the loose reading.
        let loosely = graded.constraints.iter().any(|verdict| verdict.loose.is_some());
        match graded.strict.filter(|_| graded.loose.is_some() || !loosely) {
            Some(strict) => self.answers.add(strict, graded.loose),
            None if graded.constraints.iter().any(|verdict| verdict.unjudged) => {
                self.unjudged.answers += 1;
            }
            None => self.undecided.answers += 1,
        }
        for verdict in &graded.constraints {
            self.unjudged.constraints += u64::from(verdict.unjudged);
            self.undecided.constraints += u64::from(verdict.undecided);
            let Some(strict) = verdict.strict else { continue };
            self.constraints.add(strict, verdict.loose);
            match self.by_constraint.get_mut(&*verdict.constraint) {
                Some(count) => count.add(strict, verdict.loose),
                None => {
                    let mut count = GradeCount::default();
                    count.add(strict, verdict.loose);
                    self.by_constraint.insert(verdict.constraint.to_string(), count);
                }
            }
        }
    }

    pub fn add_error(&mut self, error: &RowError) {
        *self.errors.entry(error.code.to_string()).or_default() += 1;
    }

    pub fn errors(&self) -> u64 {
        self.errors.values().sum()
    }

    pub fn merge(&mut self, other: GradeTotals) {
        let add = |to: &mut GradeCount, from: GradeCount| {
            to.of += from.of;
            to.strict += from.strict;
            to.loose += from.loose;
        };
        add(&mut self.answers, other.answers);
        add(&mut self.constraints, other.constraints);
        self.without_text += other.without_text;
        self.with_reasoning += other.with_reasoning;
        for (marker, count) in other.unknown_blocks {
            *self.unknown_blocks.entry(marker).or_default() += count;
        }
        self.unjudged.merge(other.unjudged);
        self.undecided.merge(other.undecided);
        for (name, count) in other.by_constraint {
            add(self.by_constraint.entry(name).or_default(), count);
        }
        for (code, count) in other.errors {
            *self.errors.entry(code).or_default() += count;
        }
    }
}
