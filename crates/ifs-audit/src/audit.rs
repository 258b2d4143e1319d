//! The result of an audit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::judged::JudgeAudit;
use ifs_base::source::Span;

/// What the checks of a benchmark say of right answers in other forms, and of answers that know
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Audit {
    /// The version of this format.
    pub schema: u32,
    /// The benchmark, or the file without one.
    pub title: String,
    pub benchmark_version: String,
    pub plan_hash: String,
    pub seed: u64,
    pub sample: Sampled,
    pub forms: Vec<FormRow>,
    pub answers: Vec<BluffRow>,
    pub checks: Vec<CheckRow>,
    pub turns: Vec<TurnRow>,
    pub golden_missed: Vec<MissedBase>,
    /// What is known of the judge, if one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeAudit>,
    pub limits: Vec<LimitRow>,
    /// Declarations that nothing on these turns needed.
    pub unneeded: Vec<Unneeded>,
    pub examples: Vec<FlippedText>,
}

/// A declaration that nothing needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unneeded {
    /// `file:line`
    pub place: String,
    pub text: String,
    #[serde(skip)]
    pub span: Span,
}

/// What was examined.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sampled {
    pub dialogues: u64,
    /// Turns with a rule and a right answer. Turns that are the same are counted once.
    pub turns: u64,
    /// Turns of which only a judge decides anything, or nobody.
    pub without_rule: u64,
    /// Turns for which no text was found that satisfies the rules.
    pub without_base: u64,
    /// Turns that were left out since they have too many checks on too long answers.
    #[serde(default)]
    pub too_large: u64,
    /// Turns for which only a text was found that nobody would write.
    pub no_natural_base: u64,
    /// Verdicts of rules on right answers, and what judges decide.
    pub verdicts: u64,
    pub judged: u64,
    /// Texts that were evaluated.
    pub texts: u64,
    pub recorded: u64,
    pub golden: u64,
    pub witnesses: u64,
    /// Turns with a golden answer.
    pub with_golden: u64,
    /// Responses in the `test` blocks of constraints that were active.
    pub test_responses: u64,
}

/// A form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FormRow {
    pub name: String,
    pub group: String,
    /// Turns that it occurs on and on which it should not matter to some check.
    pub applied: u64,
    /// Turns on which it occurs, and is about every check.
    pub exempt: u64,
    /// Turns on which none of its wordings is neutral.
    pub no_wording: u64,
    /// Turns on which it changes a verdict, although it should not matter.
    pub changed: u64,
    /// Turns on which a verdict becomes undecided.
    pub undecided: u64,
    /// Turns on which it changes verdicts that may depend on it, as declared.
    pub minded: u64,
    /// Verdicts that hold only because of it.
    pub evaded: u64,
    /// Changed verdicts by check.
    pub by_check: BTreeMap<String, u64>,
}

/// An answer that knows nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BluffRow {
    pub name: String,
    /// Turns that it was given to, and those for which it was right by chance.
    pub applied: u64,
    pub dropped: u64,
    /// The share of the points that it gets; of turns without points, of the verdicts.
    pub points: f64,
    /// The share of the turns on which everything holds; what a judge decides counts as missed.
    pub all_held: f64,
    /// The share on which all rules hold.
    pub rules_held: f64,
    /// The same of the turns with facts or requirements, which limits are about.
    pub floor: f64,
    /// The declared share, the highest of all kinds of turns.
    pub declared: f64,
    pub limit_met: bool,
}

/// A check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckRow {
    pub name: String,
    /// `constraint`, `requirement`, `fact`, …
    pub kind: String,
    pub turn: String,
    /// `file:line`
    pub place: String,
    /// The expression as it is written.
    pub check: String,
    /// `response`, `part` or `answer`
    pub subject: String,
    /// What of a text it notices, on any of its turns.
    pub sees: Vec<String>,
    /// Verdicts on right answers.
    pub verdicts: u64,
    /// Verdicts that some form changes.
    pub changed_by_any: u64,
    pub changed: BTreeMap<String, u64>,
    pub minded: BTreeMap<String, u64>,
    /// Why it may depend on these forms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Verdicts on wrong answers that were missed, and those that hold in another form.
    pub missed: u64,
    pub evaded_by_any: u64,
    pub evaded: BTreeMap<String, u64>,
    /// The share of its verdicts that each answer which knows nothing gets.
    pub floor: BTreeMap<String, f64>,
    /// Whether word salad passes it nearly always: it reads no content.
    pub formal: bool,
    /// Whether that is declared.
    pub declared: bool,
}

/// A kind of turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TurnRow {
    pub name: String,
    pub count: u64,
    /// Whether it has facts or requirements.
    pub has_content: bool,
    /// Turns that word salad and the answer of another record pass, and no judge reads.
    pub formal: u64,
    pub no_natural_base: u64,
    /// The share of the turns on which the answer of another record is right.
    pub guess: f64,
    /// The share of its turns that each answer which knows nothing passes.
    pub all_held: BTreeMap<String, f64>,
    pub declared: BTreeMap<String, f64>,
    /// The answers above their limits.
    pub above: Vec<String>,
}

/// A golden answer that misses something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MissedBase {
    pub dialogue: String,
    pub index: u64,
    pub turn: u32,
    pub check: String,
    pub answer: String,
    pub why: String,
}

/// A limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LimitRow {
    pub name: String,
    pub limit: f64,
    /// The share that was found: for `floor` the highest above its limit.
    pub found: f64,
    pub met: bool,
}

/// What an example shows.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ExampleKind {
    /// A right answer that is missed in another form.
    Changed,
    /// A wrong answer that passes in another form.
    Evaded,
    /// An answer that knows nothing and passes.
    Passed,
}

/// A text that flipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FlippedText {
    pub kind: ExampleKind,
    /// The form, or the answer that knows nothing.
    pub form: String,
    /// The check; of an answer that passes a turn, the kind of turn.
    pub check: String,
    pub dialogue: String,
    pub index: u64,
    pub turn: u32,
    /// The text before, and in the form.
    pub base: String,
    pub text: String,
    /// Why the one that is missed is missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether the verdict becomes undecided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undecided: bool,
}

/// An audit in short, for other reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AuditSummary {
    /// Turns that were examined.
    pub turns: u64,
    /// The share of the turns on which a form that should not matter changes a verdict, and the form
    /// that does so most often.
    pub changed: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_form: Option<String>,
    /// The check whose verdict forms change most often, with its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_check: Option<String>,
    /// The share of missed verdicts that another form lets pass.
    pub evaded: f64,
    /// The largest share of turns that an answer passes which knows nothing, and that answer.
    pub floor: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_answer: Option<String>,
    /// Turns whose checks read no content.
    pub formal: u64,
    pub no_natural_base: u64,
    /// Turns that were left out since they have too many checks on too long answers.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub too_large: u64,
    /// The names of the limits that are missed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits_missed: Vec<String>,
}

impl Audit {
    /// The audit in short.
    pub fn summary(&self) -> AuditSummary {
        let share = |name: &str| {
            self.limits.iter().find(|limit| limit.name == name).map_or(0.0, |limit| limit.found)
        };
        let best = self.best_answer();
        let worst = self
            .checks
            .iter()
            .filter(|check| check.changed_by_any > 0)
            .max_by_key(|check| (check.changed_by_any, std::cmp::Reverse(check.name.clone())));
        AuditSummary {
            turns: self.sample.turns,
            changed: share("changed"),
            worst_form: self.worst_form().map(|form| form.name.clone()),
            worst_check: worst.map(|check| match check.place.as_str() {
                "" => check.name.clone(),
                place => format!("{} ({place})", check.name),
            }),
            evaded: share("evaded"),
            floor: best.map_or(0.0, |answer| answer.floor),
            best_answer: best.map(|answer| answer.name.clone()),
            formal: self.turns.iter().filter(|turn| turn.has_content).map(|turn| turn.formal).sum(),
            no_natural_base: self.sample.no_natural_base,
            too_large: self.sample.too_large,
            limits_missed: self
                .limits
                .iter()
                .filter(|limit| !limit.met)
                .map(|limit| limit.name.clone())
                .collect(),
        }
    }

    /// Whether all limits are met.
    pub fn is_good(&self) -> bool {
        self.limits.iter().all(|limit| limit.met)
    }

    /// The answer that knows nothing and passes most turns with facts or requirements.
    pub fn best_answer(&self) -> Option<&BluffRow> {
        self.answers
            .iter()
            .filter(|row| row.floor > 0.0)
            .max_by(|one, other| one.floor.total_cmp(&other.floor).then(other.name.cmp(&one.name)))
    }

    /// The form that changes verdicts on most turns.
    pub fn worst_form(&self) -> Option<&FormRow> {
        self.forms
            .iter()
            .filter(|row| row.changed > 0)
            .max_by(|one, other| one.changed.cmp(&other.changed).then(other.name.cmp(&one.name)))
    }
}
