//! Verdicts on criteria.

use super::parts::{ResponsePart, cut};
use super::{AggregatedVote, Exchange, TurnVariables, VerdictRecord, by_judge, by_rule};
use crate::model::table::{DecidedBy, Question, Speaker};
use crate::plan::Plan;
use crate::predicate::evaluate::TextContext;
use crate::predicate::explain::Wording;
use crate::predicate::value::Value;
use crate::score::{DecisionMethod, Outcome};
use crate::script::{Criterion, CriterionKind, PartCriterion, asks_for};
use crate::text::Text;

/// The verdict on each criterion of a turn, in the order they were written.
pub(super) fn evaluate_criteria(
    plan: &Plan,
    exchange: &Exchange<'_>,
    answer: &Text<'_>,
    aggregated: &[AggregatedVote],
    words: &Wording,
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
    let facts = TurnVariables::of_criteria(plan, exchange, &values);
    let scene = TextContext { it: answer, variables: &facts };
    let verdicts = vec![None; criteria.len()];
    let mut reader =
        CriteriaEvaluator { exchange, extracted: &extracted, scene, aggregated, words, verdicts };
    (0..criteria.len()).for_each(|at| reader.settle(at, criteria.len()));
    reader.verdicts.into_iter().flatten().collect()
}

struct CriteriaEvaluator<'a> {
    exchange: &'a Exchange<'a>,
    extracted: &'a [(&'a PartCriterion, ResponsePart)],
    scene: TextContext<'a>,
    aggregated: &'a [AggregatedVote],
    words: &'a Wording,
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
                let parts = self.exchange.turn.parts.iter();
                let called: Vec<(&str, String)> = parts
                    .map(|part| {
                        let called = self.words.part(&part.name, part.about.as_deref(), part.list);
                        (part.name.as_str(), called)
                    })
                    .collect();
                let called: Vec<(&str, &str)> =
                    called.iter().map(|(name, called)| (*name, called.as_str())).collect();
                by_rule(tree, &self.scene, self.words, &called)
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
}

/// The criteria of a turn that need a judge. Parts of the response are passed separately from the
/// question, because they are untrusted text. A question about a part that was not found is
/// skipped.
pub(super) fn questions<'a>(exchange: &Exchange<'a>) -> Vec<CriterionQuestion<'a>> {
    let turn = exchange.turn;
    let judged = turn.criteria.iter().filter_map(|criterion| {
        let DecidedBy::Judge(question) = &criterion.by else { return None };
        let (mut question, mut parts) = (question.clone(), Vec::new());
        for part in asked(criterion, &turn.parts) {
            let ResponsePart::Found(value) = cut(part, exchange) else { return None };
            question.text =
                question.text.replace(&part.place(), &format!("the part `{}`", part.name));
            parts.push((part.name.clone(), value.to_string()));
        }
        Some(CriterionQuestion { criterion, question, parts })
    });
    judged.collect()
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
