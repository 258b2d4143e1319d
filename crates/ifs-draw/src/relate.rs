//! Relations between turns: the inputs for the user message and the judge's question.

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use super::body::DrawnBody;
use super::criterion::{Criterion, CriterionKind, Related};
use super::drawer::DrawError;
use super::relation_targets::{RelationTarget, RelationTargets};
use super::state::{Active, PastTurn};
use super::walk::Script;
use super::words::{EarlierMessage, MessageInput, angle};
use ifs_model::table::{Constraint, DecidedBy, Param, Question, RelationKind};
use ifs_predicate::partial_eval::partial_eval;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;

impl Script<'_> {
    /// The numbers of the turns that a node's turn relates to; the last one for several with the same
    /// name.
    pub(super) fn related(&self, at: NodeIndex) -> Vec<Related> {
        let topic = self.state().current.and_then(|topic| u32::try_from(topic).ok());
        let is_on = |passed: &PastTurn| topic.is_some() && passed.topic == topic;
        let number = |target: &RelationTarget| {
            let mut passed = self.state().passed.iter();
            let at = match target {
                RelationTarget::Topic => passed.rposition(is_on),
                RelationTarget::Turns(nodes) => {
                    passed.rposition(|passed| nodes.contains(&passed.node))
                }
            };
            u32::try_from(at? + 1).ok()
        };
        let all = self.drawer.relations.get(at.index()).into_iter().flatten();
        all.map(|RelationTargets { kind, to }| Related {
            kind: *kind,
            to: to.iter().filter_map(number).collect(),
        })
        .collect()
    }

    /// The constraint that defines a relation, with the relation's parameters.
    pub(super) fn meaning(&self, kind: RelationKind, to: &[EarlierMessage<'_>]) -> Option<Active> {
        let constraint = self.drawer.plan().meaning(kind)?;
        let topic = self.current();
        let about = topic.and_then(|topic| self.drawer.topic(topic.record?));
        let given = |param: &Param| match (param.name.as_str(), &param.ty) {
            ("earlier", Type::Text) => {
                let all: Vec<String> = to.iter().map(message).collect();
                Value::text(&all.join(" and "))
            }
            ("earlier", _) => Value::list(to.iter().map(message).map(|name| Value::text(&name))),
            ("about", Type::Text) => {
                let all: Vec<&str> = to.iter().map(|earlier| earlier.about.as_str()).collect();
                Value::text(&all.join(" and "))
            }
            ("about", _) => Value::list(to.iter().map(|earlier| Value::text(&earlier.about))),
            ("last", _) => {
                let last = to.iter().all(|earlier| earlier.turn + 1 == self.state().turn);
                Value::Bool(last && !to.is_empty())
            }
            ("angle", _) => about
                .and_then(|about| angle(about, topic.map_or(0, |topic| topic.turns), true))
                .or_else(|| about?.field("name"))
                .cloned()
                .unwrap_or_else(|| Value::text("the same subject")),
            _ => Value::Nothing,
        };
        let args = constraint.params.iter().map(|param| (param.name.clone(), given(param)));
        let (constraint, args) = (constraint.name.clone(), args.collect());
        Some(Active { constraint, args, since: self.state().turn, ..Active::default() })
    }

    /// The subject of the current turn, as the user refers to it later: an aspect of the topic, the
    /// subject of an earlier turn, or the beginning of its message. `None` if it is the topic.
    pub(super) fn referred_subject(&self, body: &DrawnBody<'_>) -> Option<Arc<str>> {
        if let Some(ask) = &body.ask {
            return Some(quoted(ask).into());
        }
        let relation = body.relations.first()?;
        let topic = self.current()?;
        match relation.kind {
            RelationKind::Follows | RelationKind::Expands => {
                let record = self.drawer.topic(topic.record?)?;
                Some(angle(record, topic.turns, true)?.as_str()?.into())
            }
            RelationKind::Refines | RelationKind::Recalls => {
                let to = relation.to.last()?;
                self.state().passed.get((*to as usize).checked_sub(1)?)?.about.clone()
            }
            RelationKind::Summarizes | RelationKind::Unrelated => None,
        }
    }

    /// The subject of a drawn turn.
    pub(super) fn about_turn(&self, number: u32) -> String {
        let at = (number as usize).checked_sub(1);
        let Some(passed) = at.and_then(|at| self.state().passed.get(at)) else {
            return String::new();
        };
        let named = || {
            let topic = self.state().topics.get(passed.topic? as usize)?;
            self.drawer.topic(topic.record?)?.field("name")?.as_str()
        };
        let about = passed.about.as_deref().or_else(named);
        about.map_or_else(|| "the beginning".to_owned(), str::to_owned)
    }

    /// The criteria that the response relates to earlier turns as the user message does.
    pub(super) fn relation_criteria(
        &self,
        words: &MessageInput<'_>,
    ) -> Result<Vec<Criterion>, DrawError> {
        let fault = |(name, fault)| DrawError::Template { name, fault };
        let Some(written) = &words.written else { return Ok(Vec::new()) };
        let all = written.relations.iter().zip(&written.meanings);
        let all = all.filter(|((kind, _), _)| self.drawer.plan().judges(*kind));
        let all = all.map(|((kind, to), meaning)| {
            let plain = &self.drawer.words;
            let known = meaning.as_ref().zip(self.drawer.plan().meaning(*kind));
            let by = match known {
                Some((meaning, Constraint { by: DecidedBy::Judge(question), .. })) => {
                    let text = plain.question(meaning, words).map_err(fault)?;
                    DecidedBy::Judge(Question { text, ..question.clone() })
                }
                Some((meaning, Constraint { by: DecidedBy::Rule(tree), .. })) => {
                    DecidedBy::Rule(partial_eval(tree, &meaning.args, &[]))
                }
                None => {
                    let turn = self.state().turn;
                    let text = plain.relation_question(turn, *kind, to).map_err(fault)?;
                    DecidedBy::Judge(Question { text, ..Question::default() })
                }
            };
            let related =
                Related { kind: *kind, to: to.iter().map(|earlier| earlier.turn).collect() };
            let tags = known.map(|(_, constraint)| constraint.tags.clone()).unwrap_or_default();
            Ok(Criterion {
                kind: CriterionKind::Relation,
                name: related.label(),
                by,
                says: None,
                after: Vec::new(),
                tags,
                points: None,
                weight: None,
            })
        });
        all.collect()
    }
}

/// An earlier turn as a judge sees it.
fn message(earlier: &EarlierMessage<'_>) -> String {
    format!("message {}", earlier.turn)
}

/// The maximum number of words of a message that a user quotes.
const MAX_QUOTED_WORDS: usize = 10;

/// The beginning of a message, in quotation marks.
fn quoted(ask: &str) -> String {
    let line = ask.trim().lines().next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let more = words.len() > MAX_QUOTED_WORDS || ask.trim().len() > line.len();
    let said = words.into_iter().take(MAX_QUOTED_WORDS).collect::<Vec<_>>().join(" ");
    let said = said.replace('"', "'");
    let end = if more { " …" } else { "" };
    format!("\"{said}{end}\"")
}
