//! Relations between turns: what the user's words and the judge's question are made from.

use super::criterion::{Criterion, CriterionKind, Related};
use super::drawer::DrawError;
use super::fold::fold;
use super::state::Active;
use super::walk::Script;
use super::words::{Earlier, Words, angle};
use crate::model::table::{By, Constraint, Param, Question, RelationKind};
use crate::predicate::types::Type;
use crate::predicate::value::Value;

impl Script<'_> {
    /// The constraint that is the meaning of a relation, with what the relation gives to it.
    pub(super) fn meaning(&self, kind: RelationKind, to: &[Earlier<'_>]) -> Option<Active> {
        let constraint = self.drawer.plan().meaning(kind)?;
        let topic = self.current();
        let about = topic.and_then(|topic| self.drawer.topic(topic.record?));
        let given = |param: &Param| match (param.name.as_str(), &param.ty) {
            ("earlier", Type::Text) => {
                let all: Vec<String> = to.iter().map(Earlier::message).collect();
                Value::text(&all.join(" and "))
            }
            ("earlier", _) => Value::list(to.iter().map(|earlier| Value::text(&earlier.message()))),
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
        Some(Active { constraint, args, since: self.state().turn })
    }

    /// That the answer stands to earlier turns as the user's words do.
    pub(super) fn relation_criteria(&self, words: &Words<'_>) -> Result<Vec<Criterion>, DrawError> {
        let fault = |(name, fault)| DrawError::Template { name, fault };
        let Some(written) = &words.written else { return Ok(Vec::new()) };
        let all = written.relations.iter().zip(&written.meanings);
        let all = all.map(|((kind, to), meaning)| {
            let plain = &self.drawer.words;
            let known = meaning.as_ref().zip(self.drawer.plan().meaning(*kind));
            let by = match known {
                Some((meaning, Constraint { by: By::Judge(question), .. })) => {
                    let text = plain.question(meaning, words).map_err(fault)?;
                    By::Judge(Question { text, ..question.clone() })
                }
                Some((meaning, Constraint { by: By::Rule(tree), .. })) => {
                    By::Rule(fold(tree, &meaning.args, &[]))
                }
                None => {
                    let turn = self.state().turn;
                    let text = plain.relation_question(turn, *kind, to).map_err(fault)?;
                    By::Judge(Question { text, scale: None, rubric: false })
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
            })
        });
        all.collect()
    }
}
