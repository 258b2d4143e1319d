//! Grades recorded responses: the input is a row with a response and its constraints, the output a
//! verdict with reasons.
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
#[cfg(feature = "arrow")]
pub mod table;
#[cfg(test)]
mod tests;
mod totals;

use std::sync::{Arc, OnceLock};

use serde::Serialize;

pub use crate::variants;
pub use catalogue::{BoundConstraint, Catalogue};
pub use prompts::RowPrompts;
pub use reading::RowReading;
pub use row::RowError;
pub use totals::{GradeCount, GradeTotals};

use ifs_base::diagnostic::Code;
use ifs_model::table::DecidedBy;
use ifs_parts::template::render_once;
use ifs_predicate::evaluate::{
    TOO_LONG, TextContext, Variables as _, Verdict, evaluate, holds, verdict,
};
use ifs_predicate::explain::{Wording, explain_in};
use ifs_predicate::value::Value;
use ifs_score::NoText;
use ifs_text::{Text, part_reasoning, unknown_block};
use reading::Variants;
use row::{GradeRow, RowVariables};

/// The grades of one row.
#[derive(Debug, Serialize)]
pub struct RowGrades {
    /// Whether every applicable constraint holds; null if no rule is violated and the rest needs
    /// a judge, or cannot be told from the response.
    pub strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<bool>,
    pub constraints: Vec<ConstraintGrade>,
    /// Why the response has no text, if it has none: then no constraint holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_text: Option<NoText>,
    /// Whether it begins with reasoning, which was removed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reasoned: bool,
    /// The marker of a leading block that may be reasoning, but that no model is known for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_block: Option<String>,
}

impl RowGrades {
    /// The share of constraints that hold, of those that a rule decides; `None` if there is none.
    pub fn share(&self) -> Option<f64> {
        share(self.constraints.iter().map(|one| one.strict))
    }
}

/// The share of those that hold, of those that are decided.
pub fn share(decided: impl Iterator<Item = Option<bool>>) -> Option<f64> {
    let (held, of) =
        decided.flatten().fold((0_u32, 0_u32), |(held, of), one| (held + u32::from(one), of + 1));
    (of > 0).then(|| f64::from(held) / f64::from(of))
}

#[derive(Debug, PartialEq, Serialize)]
pub struct ConstraintGrade {
    pub constraint: Arc<str>,
    /// The name of its group.
    #[serde(skip)]
    pub group: Arc<str>,
    /// Absent if the constraint does not apply on this turn, or needs a judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<bool>,
    /// Whether the constraint needs a judge, so that it neither holds nor fails here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unjudged: bool,
    /// Whether it cannot be told from the response: in which language one word is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
    /// Why it was missed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The measured values, by part of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measures: Option<Value>,
}

/// Grades rows; shared between threads.
pub struct Grader<'a> {
    pub catalogue: &'a Catalogue,
    /// The prompts with their constraints, if the rows have only responses.
    pub prompts: Option<&'a RowPrompts<'a>>,
    pub reading: RowReading,
    /// Verdicts only, without reasons and measures.
    pub brief: bool,
    /// Grades responses unchanged, as released programs do: a leading `<think>` block is graded
    /// too, and blank responses by their checks, some of which they satisfy.
    pub raw_text: bool,
}

impl Grader<'_> {
    /// Grades a line; also returns the row's name, if it has one.
    pub fn line(&self, line: &[u8]) -> (Option<Value>, Result<RowGrades, RowError>) {
        match GradeRow::parse(line) {
            Ok(row) => {
                let result = self.row(&row);
                (row.name().cloned(), result)
            }
            Err(error) => (None, Err(error)),
        }
    }

    fn row(&self, row: &GradeRow<'_>) -> Result<RowGrades, RowError> {
        let answer = row.answer()?;
        let parted = if self.raw_text { None } else { part_reasoning(answer) };
        let mut facts = row.facts();
        let own;
        let wanted = match self.prompts {
            None => {
                own = self.catalogue.bind_constraints(row)?;
                &own
            }
            Some(prompts) => {
                let prompt = prompts.find(row)?;
                facts.prompt = facts.prompt.or(Some(&prompt.text));
                prompt.wanted.as_ref().map_err(Clone::clone)?
            }
        };
        let answer_text = parted.as_ref().map_or(answer, |(_, text)| *text);
        let mut graded = self.grade(answer_text, wanted, &facts)?;
        graded.unknown_block = unknown_block(answer).filter(|_| !self.raw_text).map(str::to_owned);
        if let Some((reasoning, _)) = &parted {
            graded.reasoned = true;
            let only = !reasoning.is_empty() && graded.no_text.is_some();
            graded.no_text = if only { Some(NoText::ReasoningOnly) } else { graded.no_text };
        }
        Ok(graded)
    }

    /// Grades a response by every constraint. It is segmented once for all of them.
    fn grade(
        &self,
        answer: &str,
        wanted: &[BoundConstraint<'_>],
        facts: &RowVariables<'_>,
    ) -> Result<RowGrades, RowError> {
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
        // A violated constraint decides, independent of judges.
        let is_open = verdicts.iter().any(|one| one.unjudged || one.undecided);
        let all = |held: fn(&ConstraintGrade) -> Option<bool>| {
            let missed = verdicts.iter().any(|one| held(one) == Some(false));
            (missed || !is_open).then_some(!missed)
        };
        Ok(RowGrades {
            strict: all(|one| one.strict),
            loose: if self.reading.is_loose() { all(|one| one.loose) } else { None },
            constraints: verdicts,
            no_text: NoText::from_text(answer),
            reasoned: false,
            unknown_block: None,
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
        let scene = TextContext { it: answer, variables: &variables };
        let constraint = wanted.constraint();
        let mut grade = ConstraintGrade {
            constraint: wanted.shared_name(),
            group: wanted.shared_group(),
            strict: None,
            loose: None,
            unjudged: false,
            undecided: false,
            why: None,
            measures: None,
        };
        let binds = |applies| evaluate(applies, &scene) == Ok(Value::Bool(true));
        if !constraint.applies.as_ref().is_none_or(binds) {
            return grade;
        }
        // An empty response follows no instruction, even if it satisfies some checks.
        if !self.raw_text && NoText::from_text(answer.str()).is_some() {
            grade.strict = Some(false);
            grade.loose = self.reading.is_loose().then_some(false);
            grade.why = (!self.brief).then(|| "the response has no text".to_owned());
            return grade;
        }
        let DecidedBy::Rule(check) = &constraint.by else {
            grade.unjudged = true;
            return grade;
        };
        let found = verdict(check, &scene);
        let strict = found == Verdict::Holds;
        grade.undecided = matches!(found, Verdict::Undecided(_));
        if !grade.undecided {
            grade.strict = Some(strict);
            if self.reading.is_loose() {
                let held = |text: &Text<'_>| {
                    holds(check, &TextContext { it: text, variables: &variables })
                };
                let may_hold = found != Verdict::Exhausted;
                grade.loose = Some(strict || may_hold && trimmed.texts().iter().any(held));
            }
        }
        if !self.brief {
            grade.measures = measures::measured_values(wanted.measures(), &scene);
            grade.why = match found {
                Verdict::Holds => None,
                Verdict::Fails => {
                    let words = Wording::english();
                    let why = explain_in(check, &scene, words, &[]);
                    why.map(|why| why.with_instruction(asked(wanted, facts).as_deref(), words))
                }
                Verdict::Exhausted => Some(TOO_LONG.to_owned()),
                Verdict::Undecided(why) => Some(why),
            };
        }
        grade
    }
}

/// The instruction in the user's words; `None` if it depends on something that rows do not have.
fn asked(wanted: &BoundConstraint<'_>, facts: &RowVariables<'_>) -> Option<String> {
    let say = wanted.constraint().say.first()?;
    let own = wanted.args.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let turn = RowVariables::FACTS.iter();
    let turn = turn.filter_map(|(fact, _)| Some((fact.name(), facts.fact(*fact)?)));
    render_once(say, own.chain(turn).collect()).ok()
}
