//! Grading of recorded answers: a row with an answer and the constraints it should meet goes in, a
//! verdict with its reasons comes out.
//!
//! ```text
//!  a line of JSON ── row ──> Row ── catalogue ──> constraints with arguments
//!                                                        │ reading: strict, loose
//!                                                        ▼
//!                              totals <── Graded, or a RowError with a code
//! ```
//!
//! Nothing is silently a pass or a failure: a row that cannot be graded is a [`RowError`].

mod catalogue;
mod measures;
mod prompts;
mod reading;
mod row;
#[cfg(test)]
mod tests;
mod totals;

use std::sync::{Arc, OnceLock};

use serde::Serialize;

pub use catalogue::{BoundConstraint, Catalogue};
pub use prompts::Prompts;
pub use reading::{Reading, variants};
pub use row::RowError;
pub use totals::{Count, Totals};

use crate::diagnostic::Code;
use crate::model::table::By;
use crate::predicate::evaluate::{Scene, TOO_LONG, Variables as _, evaluate, holds, truth};
use crate::predicate::explain::{Wording, explain_in};
use crate::predicate::value::Value;
use crate::score::NoText;
use crate::template::fill;
use crate::text::{Text, part_reasoning};
use reading::Variants;
use row::{Row, RowVariables};

/// What was determined about the answer of one row.
#[derive(Debug, Serialize)]
pub struct Graded {
    /// Whether every constraint that binds holds; absent where no rule is missed, and a judge would
    /// have to tell the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<bool>,
    pub constraints: Vec<ConstraintGrade>,
    /// Why the answer has no text, where it has none: then nothing holds of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// Whether it begins with reasoning, which was kept apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reasoned: bool,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct ConstraintGrade {
    pub constraint: Arc<str>,
    /// Absent where the constraint does not bind on this turn, and where a judge reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<bool>,
    /// Whether a judge reads it, so that it is neither held nor missed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unjudged: bool,
    /// Why it was missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the check measured, by the part of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Value>,
}

/// Grades rows; shared by all who do.
pub struct Grader<'a> {
    pub catalogue: &'a Catalogue,
    /// Where the constraints are, when the rows have only answers.
    pub prompts: Option<&'a Prompts<'a>>,
    pub reading: Reading,
    /// Verdicts alone: neither reasons nor measures.
    pub brief: bool,
    /// Answers unchanged: `<think>` blocks at their beginning are graded too, and blank ones by
    /// their checks, some of which hold of them. So do released programs.
    pub raw_text: bool,
}

impl Grader<'_> {
    /// Grades a line; gives the row's name with it, where it has one.
    pub fn line(&self, line: &[u8]) -> (Option<Value>, Result<Graded, RowError>) {
        match Row::read(line) {
            Ok(row) => {
                let result = self.row(&row);
                (row.name().cloned(), result)
            }
            Err(error) => (None, Err(error)),
        }
    }

    fn row(&self, row: &Row<'_>) -> Result<Graded, RowError> {
        let answer = row.answer()?;
        let parted = if self.raw_text { None } else { part_reasoning(answer) };
        let mut facts = row.facts();
        let own;
        let wanted = match self.prompts {
            None => {
                own = self.catalogue.wanted(row)?;
                &own
            }
            Some(prompts) => {
                let prompt = prompts.of(row)?;
                facts.prompt = facts.prompt.or(Some(&prompt.text));
                prompt.wanted.as_ref().map_err(Clone::clone)?
            }
        };
        let answer_text = parted.as_ref().map_or(answer, |(_, text)| *text);
        let mut graded = self.grade(answer_text, wanted, &facts)?;
        if let Some((reasoning, _)) = &parted {
            graded.reasoned = true;
            let only = !reasoning.is_empty() && graded.no_text.is_some();
            graded.no_text = if only { Some(NoText::ReasoningOnly) } else { graded.no_text };
        }
        Ok(graded)
    }

    /// Reads an answer by every constraint. It is segmented once for all of them.
    fn grade(
        &self,
        answer: &str,
        wanted: &[BoundConstraint<'_>],
        facts: &RowVariables<'_>,
    ) -> Result<Graded, RowError> {
        for one in wanted {
            one.answerable(facts)?;
        }
        if let Some(first) = wanted.first()
            && wanted.iter().all(BoundConstraint::is_judged)
        {
            return Err(RowError::new(
                Code::NEEDS_JUDGE,
                format!("`{}` is read by a judge; no rule can tell", first.name()),
            ));
        }
        let text = Text::new(answer);
        let made = OnceLock::new();
        let trimmed = Variants::new(answer, &made);
        let verdict = |one: &BoundConstraint<'_>| self.verdict(one, &text, &trimmed, facts);
        let verdicts: Vec<ConstraintGrade> = wanted.iter().map(verdict).collect();
        // One that is missed decides, whatever a judge would say.
        let unjudged = verdicts.iter().any(|one| one.unjudged);
        let all = |held: fn(&ConstraintGrade) -> Option<bool>| {
            let missed = verdicts.iter().any(|one| held(one) == Some(false));
            (missed || !unjudged).then_some(!missed)
        };
        Ok(Graded {
            strict: all(|one| one.strict),
            loose: if self.reading.is_loose() { all(|one| one.loose) } else { None },
            constraints: verdicts,
            no_text: NoText::of(answer),
            reasoned: false,
        })
    }

    fn verdict(
        &self,
        wanted: &BoundConstraint<'_>,
        answer: &Text<'_>,
        trimmed: &Variants<'_>,
        facts: &RowVariables<'_>,
    ) -> ConstraintGrade {
        let variables = (&wanted.args.as_slice(), facts);
        let scene = Scene { it: answer, variables: &variables };
        let constraint = wanted.constraint();
        let mut verdict = ConstraintGrade {
            constraint: wanted.shared_name(),
            strict: None,
            loose: None,
            unjudged: false,
            why: None,
            measures: None,
        };
        let binds = |applies| evaluate(applies, &scene) == Ok(Value::Bool(true));
        if !constraint.applies.as_ref().is_none_or(binds) {
            return verdict;
        }
        // Silence follows no instruction, though some checks hold of it.
        if !self.raw_text && NoText::of(answer.str()).is_some() {
            verdict.strict = Some(false);
            verdict.loose = self.reading.is_loose().then_some(false);
            verdict.why = (!self.brief).then(|| "the answer has no text".to_owned());
            return verdict;
        }
        let By::Rule(check) = &constraint.by else {
            verdict.unjudged = true;
            return verdict;
        };
        let truth = truth(check, &scene);
        let strict = truth == Some(true);
        verdict.strict = Some(strict);
        if self.reading.is_loose() {
            let held = |text: &Text<'_>| holds(check, &Scene { it: text, variables: &variables });
            verdict.loose = Some(strict || truth.is_some() && trimmed.texts().iter().any(held));
        }
        if !self.brief {
            verdict.measures = measures::taken(wanted.measures(), &scene);
            verdict.why = match truth {
                Some(true) => None,
                Some(false) => {
                    let words = Wording::english();
                    let why = explain_in(check, &scene, words, &[]);
                    why.map(|why| why.beside(asked(wanted, facts).as_deref(), words))
                }
                None => Some(TOO_LONG.to_owned()),
            };
        }
        verdict
    }
}

/// What the constraint asks for, as a user says it; nothing where that asks for more than rows
/// tell.
fn asked(wanted: &BoundConstraint<'_>, facts: &RowVariables<'_>) -> Option<String> {
    let say = wanted.constraint().say.first()?;
    let own = wanted.args.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let turn = RowVariables::NAMES.iter().filter_map(|(name, _)| Some((*name, facts.get(name)?)));
    fill(say, own.chain(turn).collect()).ok()
}
