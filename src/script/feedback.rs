//! What a user says of an answer that misses something.

use std::sync::Arc;

use super::ScriptTurn;
use super::criterion::CriterionKind;
use super::drawer::{DrawError, Drawer};
use super::state::Active;
use super::words::Words;
use crate::model::table::{By, Feedback};
use crate::plan::NodeKind;
use crate::predicate::value::Value;
use crate::template::Fields;
use crate::text::Text;

/// Something that an answer missed.
#[derive(Clone, Copy, Debug)]
pub struct Missed<'a> {
    /// Nothing for a constraint.
    pub kind: Option<CriterionKind>,
    pub name: &'a str,
    pub why: Option<&'a str>,
}

impl Drawer<'_> {
    /// The words for another round: `feedback.j2`, or `fresh.j2`, which says the question and the
    /// answer as well.
    ///
    /// # Errors
    /// When a template cannot be filled in.
    pub fn feedback(
        &self,
        turn: &ScriptTurn,
        answer: &str,
        missed: &[Missed<'_>],
        round: u32,
        form: Feedback,
    ) -> Result<String, DrawError> {
        let missed = missed.iter().map(|missed| {
            let kind = missed.kind.map_or("constraint", CriterionKind::word);
            Ok(Value::record([
                ("asked", Value::text(&self.asked(turn, missed)?)),
                ("kind", Value::text(kind)),
                ("name", Value::text(&missed.name.replace('_', " "))),
                ("why", missed.why.map_or(Value::Nothing, Value::text)),
            ]))
        });
        let fields: Fields<'_> = vec![
            ("ask", Value::text(&turn.ask)),
            ("language", Value::text(Text::new(&turn.ask).language().unwrap_or("en"))),
            ("answer", Value::text(answer)),
            ("missed", Value::list(missed.collect::<Result<Vec<_>, DrawError>>()?)),
            ("round", Value::Int(i64::from(round))),
            ("turn", Value::Int(i64::from(turn.turn))),
        ];
        let name = match form {
            Feedback::Chat => "feedback.j2",
            Feedback::Fresh => "fresh.j2",
        };
        self.words.say(name, fields).map_err(|(name, fault)| DrawError::Template { name, fault })
    }

    /// What was asked for, in words; empty for a rule that a turn requires, of which only the
    /// explanation tells.
    fn asked(&self, turn: &ScriptTurn, missed: &Missed<'_>) -> Result<String, DrawError> {
        if let Some(kind) = missed.kind {
            let mut criteria = turn.criteria.iter();
            let found = criteria.find(|it| it.kind == kind && it.name == missed.name);
            return Ok(match found.map(|criterion| &criterion.by) {
                Some(By::Judge(question)) => question.text.clone(),
                Some(By::Rule(_)) | None => String::new(),
            });
        }
        let of = |active: &&Arc<Active>| active.constraint == missed.name;
        let Some(active) = turn.in_force.iter().find(of) else { return Ok(String::new()) };
        let nothing = Value::Nothing;
        let topic = self.topics.as_ref().and_then(|topics| topics.bank.record(&turn.topic));
        let style = turn.style.as_ref().zip(self.styles.as_ref());
        let words = Words {
            transition: NodeKind::Turn,
            written: None,
            turn: turn.turn,
            topic: topic.unwrap_or(&nothing),
            topic_turns: 1,
            style: style.and_then(|(key, styles)| styles.bank.record(key)).unwrap_or(&nothing),
            changes: &[],
            in_force: &turn.in_force,
            dice: 0,
            dialogue_dice: 0,
        };
        self.words.said(active, &words).map_err(|(name, fault)| DrawError::Template { name, fault })
    }
}
