//! The user message about a response that missed something.

use std::sync::Arc;

use super::ScriptTurn;
use super::criterion::CriterionKind;
use super::drawer::{DrawError, Drawer};
use super::state::Active;
use super::words::{MessageInput, ended};
use ifs_model::table::{DecidedBy, Feedback, Move, Speaker};
use ifs_parts::template::TemplateFields;
use ifs_predicate::value::Value;
use ifs_text::Text;

/// Something that a response missed.
#[derive(Clone, Copy, Debug)]
pub struct Missed<'a> {
    /// `None` for a constraint.
    pub kind: Option<CriterionKind>,
    pub name: &'a str,
    /// Who says the constraint.
    pub speaker: Speaker,
    pub why: Option<&'a str>,
    pub because: MissCause<'a>,
}

/// The cause of a miss.
#[derive(Clone, Copy, Debug)]
pub enum MissCause<'a> {
    /// The response itself.
    Answer,
    /// A part that was not found in it.
    Part(&'a str),
    /// The first missed prerequisite.
    Requirement(&'a str),
}

/// A reason as a separate sentence.
fn sentence(why: &str) -> String {
    let mut letters = why.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    ended(format!("{first}{}", letters.as_str()))
}

impl MissCause<'_> {
    /// The name in templates.
    fn word(self) -> &'static str {
        match self {
            MissCause::Answer => "missed",
            MissCause::Part(_) => "unextracted",
            MissCause::Requirement(_) => "blocked",
        }
    }
}

impl Drawer<'_> {
    /// The message of another round: from `feedback.j2`, or from `fresh.j2`, which also repeats the
    /// question and the response.
    ///
    /// # Errors
    /// Returns an error if a template cannot be rendered.
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
            let because = match missed.because {
                MissCause::Answer => String::new(),
                MissCause::Part(name) => {
                    let part = turn.parts.iter().find(|part| part.name == name);
                    let about = part.and_then(|part| part.about.clone());
                    about.unwrap_or_else(|| name.replace('_', " "))
                }
                MissCause::Requirement(name) => match required(turn, name) {
                    words if words.is_empty() => name.replace('_', " "),
                    words => words,
                },
            };
            Ok(Value::record([
                ("asked", Value::text(&ended(self.asked(turn, missed)?))),
                ("because", Value::text(&because)),
                ("state", Value::text(missed.because.word())),
                ("kind", Value::text(kind)),
                ("name", Value::text(&missed.name.replace('_', " "))),
                ("speaker", Value::text(missed.speaker.word())),
                ("why", missed.why.map_or(Value::Nothing, Value::text)),
                ("sentence", missed.why.map_or(Value::Nothing, |why| Value::text(&sentence(why)))),
            ]))
        });
        let fields: TemplateFields<'_> = vec![
            ("ask", Value::text(&turn.ask)),
            ("language", Value::text(&language(turn))),
            ("answer", Value::text(answer)),
            ("missed", Value::list(missed.collect::<Result<Vec<_>, DrawError>>()?)),
            ("round", Value::Int(i64::from(round))),
            ("turn", Value::Int(i64::from(turn.turn))),
        ];
        let name = match form {
            Feedback::Chat => "feedback.j2",
            Feedback::Fresh => "fresh.j2",
        };
        self.words.render(name, fields).map_err(|(name, fault)| DrawError::Template { name, fault })
    }

    /// The instruction in words; empty for a rule of a turn, which only its explanation describes.
    fn asked(&self, turn: &ScriptTurn, missed: &Missed<'_>) -> Result<String, DrawError> {
        if let Some(kind) = missed.kind {
            return Ok(criterion_asked(turn, kind, missed.name));
        }
        let of = |active: &&Arc<Active>| {
            active.constraint == missed.name && active.speaker == missed.speaker
        };
        let Some(active) = turn.active_constraints.iter().find(of) else {
            return Ok(String::new());
        };
        let nothing = Value::Nothing;
        let topic = self.topics.as_ref().and_then(|topics| topics.bank.record(&turn.topic));
        let style = turn.style.as_ref().zip(self.styles.as_ref());
        let words = MessageInput {
            transition: Move::Stay,
            written: None,
            turn: turn.turn,
            topic: topic.unwrap_or(&nothing),
            topic_turns: 1,
            style: style.and_then(|(key, styles)| styles.bank.record(key)).unwrap_or(&nothing),
            changes: &[],
            active_constraints: &turn.active_constraints,
            again: &[],
            dice: 0,
            dialogue_dice: 0,
        };
        self.words
            .instruction(active, &words)
            .map_err(|(name, fault)| DrawError::Template { name, fault })
    }
}

fn required(turn: &ScriptTurn, name: &str) -> String {
    criterion_asked(turn, CriterionKind::Requirement, name)
}

/// The instruction of a criterion in words; empty if only its rule describes it.
fn criterion_asked(turn: &ScriptTurn, kind: CriterionKind, name: &str) -> String {
    let found = turn.criteria.iter().find(|it| it.kind == kind && it.name == name);
    match found.map(|criterion| (&criterion.says, &criterion.by)) {
        Some((Some(says), _)) => says.clone(),
        Some((None, DecidedBy::Judge(question))) => question.text.clone(),
        Some((None, DecidedBy::Rule(_))) | None => String::new(),
    }
}

/// The language of a turn, as a name for feedback templates.
pub fn language(turn: &ScriptTurn) -> String {
    Text::new(&turn.ask).language().certain().unwrap_or("en").to_owned()
}
