//! What a judge is asked in an audit, and what its verdicts say of it. The requests themselves are
//! made by the caller.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::base::{BaseAnswer, Bases};
use super::checks::checks;
use super::course::Courses;
use super::materials::{other_answer, rosters, spoken};
use super::survey::{Options, SampleSize};
use ifs_draw::{Active, DrawError, ScriptTurn, Seed};
use ifs_forms::{BaseText, BluffMaterials};
use ifs_judge::{Note, VerdictRecord};
use ifs_model::table::{DecidedBy, Question};
use ifs_plan::Plan;
use ifs_score::{DecisionMethod, Outcome};

/// What a text is that a judge reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JudgedText {
    /// The right answer, the first and the second time.
    Right(u8),
    /// The right answer in a form.
    Form(String),
    /// An answer that knows nothing.
    Ignorant(String),
    /// A text that satisfies or violates one constraint, whose name it has.
    Known(String, bool),
}

/// A text to judge.
#[derive(Clone, Debug)]
pub struct JudgedCase {
    pub what: JudgedText,
    pub dialogue: String,
    pub index: u64,
    /// The turn, after earlier ones with given responses.
    pub turns: Vec<ScriptTurn>,
    pub answer: String,
    /// What a simulated judge knows of it.
    pub note: Note,
}

/// The forms that are tried on judges.
const FORMS: [&str; 4] = ["preamble", "heading", "marks_dot", "explained_after"];
/// The answers that know nothing, and texts that are known to pass some judges.
const ANSWERS: [&str; 4] = ["other", "echo", "refusal", "one_word"];
const KEYS: [&str; 2] = [":", "Let's think step by step."];
/// Constraints whose truth is known are asked about this often, each with both answers.
const KNOWN_CASES: usize = 4;

/// The texts for judges: on at most so many turns, from each kind of turn in turn.
///
/// # Errors
/// Returns an error if a dialogue cannot be drawn.
pub fn judged_cases(
    plan: &Plan,
    dialogues: &[&str],
    sample: SampleSize,
    options: &Options,
    turns: usize,
) -> Result<Vec<JudgedCase>, DrawError> {
    let bases = Bases::default();
    let mut kinds: BTreeMap<(String, String), Vec<Vec<JudgedCase>>> = BTreeMap::new();
    for dialogue in dialogues {
        let courses = Courses::new(plan, dialogue, sample.seed, &bases);
        let count = courses.period()?.map_or(sample.dialogues, |all| all.min(sample.dialogues));
        for index in 0..count {
            let recorded = |turn: &ScriptTurn, _: &[String]| {
                let key = ((*dialogue).to_owned(), index, turn.turn);
                let text = options.recorded.get(&key)?.first()?;
                Some(BaseAnswer::new(text.clone(), super::BaseSource::Recorded))
            };
            let course = courses.course(index, sample.turns, &recorded)?;
            for (position, turn) in course.turns.iter().enumerate() {
                let Some(base) = &course.bases[position] else { continue };
                if turn.given.is_some() || !has_judged(plan, turn) {
                    continue;
                }
                let other = other_answer(&courses, index, position);
                let earlier = with_replies(&course.turns[..position], &course.replies);
                let cases = turn_cases(dialogue, index, &earlier, turn, base, other.as_deref());
                let kind = ((*dialogue).to_owned(), turn.name.clone());
                kinds.entry(kind).or_default().push(cases);
            }
        }
    }
    // One turn of each kind after the other, so that no kind fills the sample.
    let mut chosen = Vec::new();
    let mut queues: Vec<_> = kinds.into_values().map(Vec::into_iter).collect();
    while chosen.len() < turns && !queues.is_empty() {
        queues.retain_mut(|queue| match queue.next() {
            Some(cases) if chosen.len() < turns => {
                chosen.push(cases);
                true
            }
            _ => false,
        });
    }
    Ok(chosen.into_iter().flatten().collect())
}

/// Whether a judge decides something on a turn.
fn has_judged(plan: &Plan, turn: &ScriptTurn) -> bool {
    let is_judged = |by: &DecidedBy| matches!(by, DecidedBy::Judge(_));
    turn.criteria.iter().any(|criterion| is_judged(&criterion.by))
        || turn.active_constraints.iter().any(|active| {
            plan.constraint(&active.constraint).is_some_and(|constraint| is_judged(&constraint.by))
        })
}

/// Turns whose responses are given, so that nothing is judged on them.
fn with_replies(turns: &[ScriptTurn], replies: &[String]) -> Vec<ScriptTurn> {
    let given = |(turn, reply): (&ScriptTurn, &String)| ScriptTurn {
        given: Some(reply.clone()),
        ..turn.clone()
    };
    turns.iter().zip(replies).map(given).collect()
}

fn turn_cases(
    dialogue: &str,
    index: u64,
    earlier: &[ScriptTurn],
    turn: &ScriptTurn,
    base: &BaseAnswer,
    other: Option<&str>,
) -> Vec<JudgedCase> {
    let rosters = rosters(turn, base);
    let form_base =
        BaseText { text: &base.text, tongue: spoken(turn, &base.text), rosters: &rosters };
    let case = |what: JudgedText, answer: String| {
        let mut note = Note::default();
        if matches!(what, JudgedText::Ignorant(_)) {
            note.missed = turn.active_constraints.iter().map(|active| active.key()).collect();
            note.missed.extend(turn.criteria.iter().map(ifs_draw::Criterion::key));
        }
        let turns = earlier.iter().chain([turn]).cloned().collect();
        JudgedCase { what, dialogue: dialogue.to_owned(), index, turns, answer, note }
    };
    let mut cases = vec![
        case(JudgedText::Right(0), base.text.clone()),
        case(JudgedText::Right(1), base.text.clone()),
    ];
    for form in FORMS.iter().filter_map(|name| ifs_forms::form(name)) {
        if let Some(text) = form.applied(&form_base, 0) {
            cases.push(case(JudgedText::Form(form.name.to_owned()), text));
        }
    }
    let materials =
        BluffMaterials { base: form_base, message: &turn.ask, other, constant: None, pool: &[] };
    for answer in ANSWERS.iter().filter_map(|name| ifs_forms::answer(name)) {
        if let Some(text) = (answer.make)(&materials) {
            cases.push(case(JudgedText::Ignorant(answer.name.to_owned()), text));
        }
    }
    for key in KEYS {
        cases.push(case(JudgedText::Ignorant(format!("the text “{key}”")), key.to_owned()));
    }
    cases
}

/// Texts whose truth is known: constraints that a rule decides, as questions to a judge, each with a
/// text that satisfies it and one that violates it. The plan has the questions in place of the rules.
///
/// # Errors
/// Returns an error if a dialogue cannot be drawn.
pub fn known_cases(
    plan: &Plan,
    dialogues: &[&str],
    sample: SampleSize,
) -> Result<(Plan, Vec<JudgedCase>), DrawError> {
    let mut asking = plan.clone();
    for constraint in asking.model.groups.iter_mut().flat_map(|group| &mut group.constraints) {
        if let (DecidedBy::Rule(_), Some(say)) = (&constraint.by, constraint.say.first()) {
            let text = format!("Does the response keep to this instruction? {say}");
            constraint.by = DecidedBy::Judge(Question { text, ..Question::default() });
        }
    }
    let bases = Bases::default();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut cases = Vec::new();
    for dialogue in dialogues {
        let courses = Courses::new(plan, dialogue, sample.seed, &bases);
        let count = courses.period()?.map_or(sample.dialogues, |all| all.min(sample.dialogues));
        for index in 0..count {
            let script = courses.script(index)?;
            for turn in script.iter().take(sample.turns).filter(|turn| turn.given.is_none()) {
                for active in &turn.active_constraints {
                    let name = &active.constraint;
                    let ruled = plan.constraint(name).is_some_and(|constraint| {
                        matches!(constraint.by, DecidedBy::Rule(_)) && !constraint.say.is_empty()
                    });
                    let known = counts.get(name).copied().unwrap_or(0);
                    if !ruled
                        || active.overruled.is_some()
                        || known >= KNOWN_CASES
                        || !seen.insert(active.standing())
                    {
                        continue;
                    }
                    let both = known_texts(&courses, dialogue, index, turn, active);
                    if !both.is_empty() {
                        *counts.entry(name.clone()).or_default() += 1;
                    }
                    cases.extend(both);
                }
            }
        }
    }
    Ok((asking, cases))
}

/// A text that satisfies one constraint of a turn, and one that violates it.
fn known_texts(
    courses: &Courses<'_>,
    dialogue: &str,
    index: u64,
    turn: &ScriptTurn,
    active: &Arc<Active>,
) -> Vec<JudgedCase> {
    let alone = ScriptTurn {
        active_constraints: vec![Arc::clone(active)],
        criteria: Vec::new(),
        parts: Vec::new(),
        golden: None,
        ..turn.clone()
    };
    if checks(courses.plan, dialogue, &alone, &[]).is_empty() {
        return Vec::new();
    }
    let right = courses.bases().right(courses.plan, dialogue, &alone, &[]);
    let wrong = courses.bases().wrong(courses.plan, dialogue, &alone, &[]).into_iter().next();
    let (Some(right), Some(wrong)) = (right.filter(|base| base.natural), wrong) else {
        return Vec::new();
    };
    let case = |holds: bool, answer: String| {
        let missed = if holds { Vec::new() } else { vec![active.key()] };
        JudgedCase {
            what: JudgedText::Known(active.constraint.clone(), holds),
            dialogue: dialogue.to_owned(),
            index,
            turns: vec![alone.clone()],
            answer,
            note: Note { missed, ..Note::default() },
        }
    };
    vec![case(true, right.text), case(false, wrong)]
}

/// What is known of a judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgeAudit {
    pub judges: Vec<String>,
    /// Texts that were judged, and verdicts of judges on them.
    pub texts: u64,
    pub verdicts: u64,
    /// The share of the verdicts that could not be read.
    pub unreadable: f64,
    /// The share of the verdicts on right answers that hold, and of those that the same judge decides
    /// otherwise the second time.
    pub right: f64,
    pub noise: f64,
    pub forms: Vec<JudgedForm>,
    pub answers: Vec<JudgedAnswer>,
    /// Constraints whose truth is known, those with the most wrong verdicts first.
    pub known: Vec<KnownTruth>,
    /// Of all of them: the share of right texts that it accepts, and of wrong ones that it refuses.
    pub sensitivity: f64,
    pub specificity: f64,
}

/// A form that was tried on a judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgedForm {
    pub name: String,
    pub verdicts: u64,
    pub changed: u64,
    /// The share of changed verdicts minus the noise, with the ends of its 95 % interval.
    pub beyond_noise: f64,
    pub lower: f64,
    pub upper: f64,
}

/// An answer that knows nothing, as a judge reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgedAnswer {
    pub name: String,
    pub verdicts: u64,
    /// The share of the verdicts that hold.
    pub held: f64,
}

/// A constraint that a rule decides, as a judge decides it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownTruth {
    pub constraint: String,
    pub right: u64,
    pub accepted: u64,
    pub wrong: u64,
    pub refused: u64,
}

/// Adds up the verdicts of judges on the texts, in their order.
pub fn judge_audit(
    judges: Vec<String>,
    cases: &[JudgedCase],
    verdicts: &[Vec<VerdictRecord>],
) -> JudgeAudit {
    let mut audit = JudgeAudit { judges, ..JudgeAudit::default() };
    let judged = |records: &[VerdictRecord]| -> BTreeMap<String, Outcome> {
        let by_judge = records.iter().filter(|record| match record.by {
            DecisionMethod::Rule => false,
            DecisionMethod::Judge | DecisionMethod::SimulatedJudge => true,
        });
        by_judge.map(|record| (record.key(), record.outcome)).collect()
    };
    let mut forms: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut answers: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut known: BTreeMap<String, KnownTruth> = BTreeMap::new();
    let (mut unreadable, mut again, mut noisy, mut right, mut held_right) = (0, 0, 0, 0, 0);
    let mut base: BTreeMap<String, Outcome> = BTreeMap::new();
    for (case, records) in cases.iter().zip(verdicts) {
        let found = judged(records);
        audit.texts += 1;
        audit.verdicts += found.len() as u64;
        unreadable +=
            found.values().filter(|outcome| **outcome == Outcome::Unjudged).count() as u64;
        // Only what holds for the right answer can be changed.
        let against_base = |found: &BTreeMap<String, Outcome>| {
            let held = base.iter().filter(|(_, outcome)| **outcome == Outcome::Held);
            let pairs = held.filter_map(|(key, _)| found.get(key));
            let pairs: Vec<&Outcome> =
                pairs.filter(|outcome| **outcome != Outcome::Unjudged).collect();
            let changed = pairs.iter().filter(|outcome| outcome.is_missed()).count() as u64;
            (pairs.len() as u64, changed)
        };
        match &case.what {
            JudgedText::Right(0) => {
                right += found.len() as u64;
                held_right +=
                    found.values().filter(|outcome| **outcome == Outcome::Held).count() as u64;
                base = found;
            }
            JudgedText::Right(_) => {
                let (count, changed) = against_base(&found);
                again += count;
                noisy += changed;
            }
            JudgedText::Form(name) => {
                let (count, changed) = against_base(&found);
                let sum = forms.entry(name.clone()).or_default();
                *sum = (sum.0 + count, sum.1 + changed);
            }
            JudgedText::Ignorant(name) => {
                let held =
                    found.values().filter(|outcome| **outcome == Outcome::Held).count() as u64;
                let sum = answers.entry(name.clone()).or_default();
                *sum = (sum.0 + found.len() as u64, sum.1 + held);
            }
            JudgedText::Known(name, holds) => {
                let row = known.entry(name.clone()).or_insert_with(|| KnownTruth {
                    constraint: name.clone(),
                    ..KnownTruth::default()
                });
                for outcome in found.values().filter(|outcome| **outcome != Outcome::Unjudged) {
                    let accepts = *outcome == Outcome::Held;
                    match holds {
                        true => {
                            row.right += 1;
                            row.accepted += u64::from(accepts);
                        }
                        false => {
                            row.wrong += 1;
                            row.refused += u64::from(!accepts);
                        }
                    }
                }
            }
        }
    }
    audit.unreadable = share(unreadable, audit.verdicts);
    audit.right = share(held_right, right);
    audit.noise = share(noisy, again);
    audit.forms =
        forms.into_iter().map(|(name, counts)| form_row(name, counts, (again, noisy))).collect();
    audit.answers = answers
        .into_iter()
        .map(|(name, (verdicts, held))| JudgedAnswer {
            name,
            verdicts,
            held: share(held, verdicts),
        })
        .collect();
    let sum = |of: fn(&KnownTruth) -> u64| known.values().map(of).sum::<u64>();
    audit.sensitivity = share(sum(|row| row.accepted), sum(|row| row.right));
    audit.specificity = share(sum(|row| row.refused), sum(|row| row.wrong));
    audit.known = known.into_values().collect();
    audit.known.sort_by_key(|row| {
        let right = row.accepted + row.refused;
        (std::cmp::Reverse(row.right + row.wrong - right), row.constraint.clone())
    });
    audit
}

fn form_row(
    name: String,
    (verdicts, changed): (u64, u64),
    (again, noisy): (u64, u64),
) -> JudgedForm {
    let (found, noise) = (share(changed, verdicts), share(noisy, again));
    let variance = |share: f64, count: u64| share * (1.0 - share) / count.max(1) as f64;
    let error = 1.96 * libm::sqrt(variance(found, verdicts) + variance(noise, again));
    let beyond = found - noise;
    JudgedForm {
        name,
        verdicts,
        changed,
        beyond_noise: beyond,
        lower: (beyond - error).max(-1.0),
        upper: (beyond + error).min(1.0),
    }
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// The sample of a judged audit.
pub fn judged_sample(seed: Seed) -> SampleSize {
    SampleSize { dialogues: 40, turns: 400, seed }
}

#[cfg(test)]
mod tests {
    use super::{JudgedCase, JudgedText, judge_audit};
    use ifs_judge::{Note, VerdictRecord};

    fn record(key: &str, outcome: &str) -> VerdictRecord {
        let text =
            format!("{{\"constraint\": \"{key}\", \"outcome\": \"{outcome}\", \"by\": \"judge\"}}");
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn noise_and_truth_are_told_apart() {
        let case = |what: JudgedText| JudgedCase {
            what,
            dialogue: "talk".to_owned(),
            index: 0,
            turns: Vec::new(),
            answer: String::new(),
            note: Note::default(),
        };
        let cases = [
            case(JudgedText::Right(0)),
            case(JudgedText::Right(1)),
            case(JudgedText::Form("preamble".to_owned())),
            case(JudgedText::Ignorant("echo".to_owned())),
            case(JudgedText::Known("brief".to_owned(), true)),
            case(JudgedText::Known("brief".to_owned(), false)),
        ];
        let verdicts = [
            vec![record("a", "held"), record("b", "held"), record("c", "missed")],
            vec![record("a", "held"), record("b", "missed"), record("c", "held")],
            vec![record("a", "missed"), record("b", "missed"), record("c", "held")],
            vec![record("a", "held"), record("b", "missed"), record("c", "unjudged")],
            vec![record("brief", "held")],
            vec![record("brief", "held")],
        ];
        let audit = judge_audit(vec!["judge".to_owned()], &cases, &verdicts);
        assert_eq!((audit.noise, audit.right), (0.5, 2.0 / 3.0));
        assert_eq!((audit.forms[0].changed, audit.forms[0].beyond_noise), (2, 0.5));
        assert_eq!(audit.answers[0].held, 1.0 / 3.0);
        assert_eq!((audit.sensitivity, audit.specificity), (1.0, 0.0));
        assert_eq!(audit.unreadable, 1.0 / 14.0);
    }
}
