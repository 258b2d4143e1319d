//! Verdicts on criteria.

use super::parts::{ResponsePart, cut};
use super::{AggregatedVote, Exchange, Reasons, VerdictRecord, by_judge, by_rule};
use ifs_draw::{Criterion, CriterionKind, PartCriterion, ScriptTurn, TurnVariables, asks_for};
use ifs_model::table::{DecidedBy, Question, Speaker};
use ifs_plan::Plan;
use ifs_predicate::evaluate::TextContext;
use ifs_predicate::value::Value;
use ifs_score::{DecisionMethod, Outcome};
use ifs_text::Text;

/// The verdict on each criterion of a turn, in the order they were written.
pub(super) fn evaluate_criteria(
    plan: &Plan,
    exchange: &Exchange<'_>,
    answer: &Text<'_>,
    aggregated: &[AggregatedVote],
    reasons: Option<Reasons<'_>>,
) -> Vec<VerdictRecord> {
    let criteria = &exchange.turn.criteria;
    if criteria.is_empty() {
        return Vec::new();
    }
    let extracted: Vec<(&PartCriterion, ResponsePart)> =
        exchange.turn.parts.iter().map(|part| (part, cut(part, exchange))).collect();
    let values: Vec<(String, Value)> = extracted
        .iter()
        .filter_map(|(part, cut)| match cut {
            ResponsePart::Found(value) => Some((part.name.clone(), value.clone())),
            ResponsePart::Nothing | ResponsePart::Unread | ResponsePart::NotAsked => None,
        })
        .collect();
    let facts = TurnVariables::of_criteria(plan, &exchange.place(), &values);
    let scene = TextContext { it: answer, variables: &facts };
    let verdicts = vec![None; criteria.len()];
    let mut reader =
        CriteriaEvaluator { exchange, extracted: &extracted, scene, aggregated, reasons, verdicts };
    (0..criteria.len()).for_each(|at| reader.settle(at, criteria.len()));
    reader.verdicts.into_iter().flatten().collect()
}

struct CriteriaEvaluator<'a> {
    exchange: &'a Exchange<'a>,
    extracted: &'a [(&'a PartCriterion, ResponsePart)],
    scene: TextContext<'a>,
    aggregated: &'a [AggregatedVote],
    reasons: Option<Reasons<'a>>,
    /// The verdicts so far, by the criterion's index.
    verdicts: Vec<Option<VerdictRecord>>,
}

impl CriteriaEvaluator<'_> {
    /// Decides a criterion after its prerequisites. `depth` limits the recursion if there were a
    /// cycle, which no checked scenario has.
    fn settle(&mut self, at: usize, depth: usize) {
        let exchange = self.exchange;
        let Some(criterion) = exchange.turn.criteria.get(at) else { return };
        if self.verdicts[at].is_some() {
            return;
        }
        let mut open = None;
        for name in &criterion.after {
            let before =
                exchange.turn.criteria.iter().position(|other| {
                    other.kind == CriterionKind::Requirement && other.name == *name
                });
            let Some(before) = before.filter(|_| depth > 0) else { continue };
            self.settle(before, depth - 1);
            let Some(verdict) = &self.verdicts[before] else { continue };
            if verdict.outcome.is_missed() {
                let why = blocking_chain(name, verdict);
                let blocked =
                    reported(criterion, (Outcome::Blocked, verdict.by, Some(why)), Some(name));
                // Its own votes are kept: they are counted again with another aggregation rule. Its
                // own rule's failure is kept for feedback.
                let VerdictRecord { outcome, by, why, votes, places, .. } =
                    self.evaluate_criterion(criterion);
                let itself =
                    why.filter(|_| outcome == Outcome::Missed && by == DecisionMethod::Rule);
                self.verdicts[at] = Some(VerdictRecord { votes, itself, places, ..blocked });
                return;
            }
            if verdict.outcome == Outcome::Unjudged {
                open = open.or(Some(name));
            }
        }
        let verdict = self.evaluate_criterion(criterion);
        self.verdicts[at] = Some(match open {
            // The prerequisite may still turn out to be missed.
            Some(name) if verdict.outcome == Outcome::Held => {
                let why = format!("comes after `{name}`, which was not judged");
                let open =
                    reported(criterion, (Outcome::Unjudged, verdict.by, Some(why)), Some(name));
                VerdictRecord { votes: verdict.votes, ..open }
            }
            _ => verdict,
        });
    }

    /// The verdict on a criterion without its prerequisites.
    fn evaluate_criterion(&self, criterion: &Criterion) -> VerdictRecord {
        let by = match criterion.by {
            DecidedBy::Rule(_) => DecisionMethod::Rule,
            DecidedBy::Judge(_) => DecisionMethod::Judge,
        };
        for part in asked(criterion, &self.exchange.turn.parts) {
            let found = self.extracted.iter().find(|(known, _)| known.name == part.name);
            let (outcome, why) = match found.map(|(_, cut)| cut) {
                Some(ResponsePart::Found(_)) => continue,
                Some(ResponsePart::Nothing) => {
                    (Outcome::Unextracted, "was not found in the response")
                }
                Some(ResponsePart::Unread) => {
                    (Outcome::Unjudged, "was not extracted: no reply of the models could be used")
                }
                Some(ResponsePart::NotAsked) | None => (
                    Outcome::Unjudged,
                    "was not extracted: no model was given (`--coder`, `--extractor`)",
                ),
            };
            let why = format!("the part `{}` {why}", part.name);
            return reported(criterion, (outcome, by, Some(why)), Some(&part.name));
        }
        let read = match &criterion.by {
            DecidedBy::Rule(tree) => {
                let parts = self.reasons.iter().flat_map(|reasons| {
                    self.exchange.turn.parts.iter().map(|part| {
                        let called =
                            reasons.words.part(&part.name, part.about.as_deref(), part.list);
                        (part.name.as_str(), called)
                    })
                });
                let called: Vec<(&str, String)> = parts.collect();
                let called: Vec<(&str, &str)> =
                    called.iter().map(|(name, called)| (*name, called.as_str())).collect();
                by_rule(tree, &self.scene, self.reasons, &called, &|| criterion.says.clone())
            }
            DecidedBy::Judge(_) => by_judge(&criterion.key(), self.aggregated),
        };
        VerdictRecord { constraint: criterion.name.clone(), kind: Some(criterion.kind), ..read }
    }
}

/// The parts that a criterion refers to.
fn asked<'p>(criterion: &Criterion, parts: &'p [PartCriterion]) -> Vec<&'p PartCriterion> {
    match &criterion.by {
        DecidedBy::Rule(tree) => asks_for(tree, parts),
        DecidedBy::Judge(question) => {
            parts.iter().filter(|part| question.text.contains(&part.place())).collect()
        }
    }
}

/// A question about a criterion, and the parts of the response that it names.
pub(super) struct CriterionQuestion<'a> {
    pub criterion: &'a Criterion,
    pub question: Question,
    /// By their names.
    pub parts: Vec<(String, String)>,
    /// Whether it comes after a requirement that is not judged yet.
    pub waits: bool,
}

/// The criteria of a turn that need a judge. Parts of the response are passed separately from the
/// question, because they are untrusted text. A question is skipped if it is about a part that was
/// not found, or comes after a requirement that was missed.
pub(super) fn questions<'a>(
    plan: &Plan,
    exchange: &Exchange<'a>,
    aggregated: &[AggregatedVote],
) -> Vec<CriterionQuestion<'a>> {
    let turn = exchange.turn;
    let is_judged = |criterion: &Criterion| matches!(criterion.by, DecidedBy::Judge(_));
    let depends = |criterion: &Criterion| is_judged(criterion) && !criterion.after.is_empty();
    let verdicts = match turn.criteria.iter().any(depends) {
        true => {
            let answer = Text::new(exchange.answer);
            evaluate_criteria(plan, exchange, &answer, aggregated, None)
        }
        false => Vec::new(),
    };
    let is_blocked =
        |at: usize| verdicts.get(at).is_some_and(|verdict| verdict.outcome == Outcome::Blocked);
    let judged = turn.criteria.iter().enumerate().filter_map(|(at, criterion)| {
        let DecidedBy::Judge(question) = &criterion.by else { return None };
        if is_blocked(at) {
            return None;
        }
        let (mut question, mut parts) = (question.clone(), Vec::new());
        for part in asked(criterion, &turn.parts) {
            let ResponsePart::Found(value) = cut(part, exchange) else { return None };
            question.text =
                question.text.replace(&part.place(), &format!("the part `{}`", part.name));
            parts.push((part.name.clone(), value.to_string()));
        }
        let is_open = |before: &&Criterion| {
            is_judged(before) && aggregated.iter().all(|vote| vote.name != before.key())
        };
        let waits = prerequisites(criterion, turn).iter().any(is_open);
        Some(CriterionQuestion { criterion, question, parts, waits })
    });
    judged.collect()
}

/// All requirements that a criterion comes after, in any number of steps.
fn prerequisites<'a>(criterion: &'a Criterion, turn: &'a ScriptTurn) -> Vec<&'a Criterion> {
    let mut found: Vec<&Criterion> = Vec::new();
    let mut names: Vec<&str> = criterion.after.iter().map(String::as_str).collect();
    while let Some(name) = names.pop() {
        let is_named =
            |other: &&Criterion| other.kind == CriterionKind::Requirement && other.name == name;
        let Some(before) = turn.criteria.iter().find(is_named) else { continue };
        if !found.iter().any(|known| known.name == before.name) {
            found.push(before);
            names.extend(before.after.iter().map(String::as_str));
        }
    }
    found
}

fn reported(
    criterion: &Criterion,
    (outcome, by, why): (Outcome, DecisionMethod, Option<String>),
    cause: Option<&str>,
) -> VerdictRecord {
    VerdictRecord {
        speaker: Speaker::User,
        overruled: false,
        loose: false,
        constraint: criterion.name.clone(),
        kind: Some(criterion.kind),
        outcome,
        by,
        why,
        cause: cause.map(str::to_owned),
        itself: None,
        votes: Vec::new(),
        places: Vec::new(),
    }
}

/// The chain of requirements that blocked this one.
fn blocking_chain(name: &str, verdict: &VerdictRecord) -> String {
    let what = match verdict.outcome {
        Outcome::Blocked => match &verdict.why {
            Some(why) => format!("which {why}"),
            None => "which was blocked".to_owned(),
        },
        Outcome::Unextracted => match &verdict.cause {
            Some(part) => format!("whose part `{part}` was not found"),
            None => "whose part was not found".to_owned(),
        },
        Outcome::Held | Outcome::Missed | Outcome::Unjudged => "which was missed".to_owned(),
    };
    format!("comes after `{name}`, {what}")
}
