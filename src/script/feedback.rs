//! What a user says of an answer that misses something.

use std::sync::Arc;

use super::ScriptTurn;
use super::criterion::CriterionKind;
use super::drawer::{DrawError, Drawer};
use super::state::Active;
use super::words::MessageInput;
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
    pub because: Because<'a>,
}

/// What follows a miss.
#[derive(Clone, Copy, Debug)]
pub enum Because<'a> {
    /// The answer itself.
    Answer,
    /// A part that was not found in it.
    Part(&'a str),
    /// A requirement that was missed before it, the first of them.
    Requirement(&'a str),
}

/// The words as a sentence: what follows it in a message begins another one.
pub(super) fn ended(mut words: String) -> String {
    let han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    if !words.contains(han)
        && !words.ends_with(['.', '!', '?', ':', '…'])
        && !ends_in_a_quoted_sentence(&words)
        && !words.is_empty()
    {
        words.push('.');
    }
    words
}

/// `End with "That is all."`, but not `Leave out every "."`.
fn ends_in_a_quoted_sentence(words: &str) -> bool {
    let quoted = words.strip_suffix(['"', '”', '’']);
    let inside = quoted.and_then(|quoted| quoted.strip_suffix(['.', '!', '?', '…']));
    inside.is_some_and(|inside| inside.ends_with(char::is_alphanumeric))
}

/// A reason as a sentence of its own.
fn sentence(why: &str) -> String {
    let mut letters = why.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    ended(format!("{first}{}", letters.as_str()))
}

impl Because<'_> {
    /// What templates know it by.
    fn word(self) -> &'static str {
        match self {
            Because::Answer => "missed",
            Because::Part(_) => "unextracted",
            Because::Requirement(_) => "blocked",
        }
    }
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
            let because = match missed.because {
                Because::Answer => String::new(),
                Because::Part(name) => {
                    let part = turn.parts.iter().find(|part| part.name == name);
                    let about = part.and_then(|part| part.about.clone());
                    about.unwrap_or_else(|| name.replace('_', " "))
                }
                Because::Requirement(name) => match required(turn, name) {
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
                ("why", missed.why.map_or(Value::Nothing, Value::text)),
                ("sentence", missed.why.map_or(Value::Nothing, |why| Value::text(&sentence(why)))),
            ]))
        });
        let fields: Fields<'_> = vec![
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
        self.words.say(name, fields).map_err(|(name, fault)| DrawError::Template { name, fault })
    }

    /// What was asked for, in words; empty for a rule that a turn requires, of which only the
    /// explanation says.
    fn asked(&self, turn: &ScriptTurn, missed: &Missed<'_>) -> Result<String, DrawError> {
        if let Some(kind) = missed.kind {
            return Ok(criterion_asked(turn, kind, missed.name));
        }
        let of = |active: &&Arc<Active>| active.constraint == missed.name;
        let Some(active) = turn.in_force.iter().find(of) else { return Ok(String::new()) };
        let nothing = Value::Nothing;
        let topic = self.topics.as_ref().and_then(|topics| topics.bank.record(&turn.topic));
        let style = turn.style.as_ref().zip(self.styles.as_ref());
        let words = MessageInput {
            transition: NodeKind::Turn,
            written: None,
            turn: turn.turn,
            topic: topic.unwrap_or(&nothing),
            topic_turns: 1,
            style: style.and_then(|(key, styles)| styles.bank.record(key)).unwrap_or(&nothing),
            changes: &[],
            in_force: &turn.in_force,
            again: &[],
            dice: 0,
            dialogue_dice: 0,
        };
        self.words.said(active, &words).map_err(|(name, fault)| DrawError::Template { name, fault })
    }
}

fn required(turn: &ScriptTurn, name: &str) -> String {
    criterion_asked(turn, CriterionKind::Requirement, name)
}

/// What a criterion asks for, in words; empty where only its rule says it.
fn criterion_asked(turn: &ScriptTurn, kind: CriterionKind, name: &str) -> String {
    let found = turn.criteria.iter().find(|it| it.kind == kind && it.name == name);
    match found.map(|criterion| (&criterion.says, &criterion.by)) {
        Some((Some(says), _)) => says.clone(),
        Some((None, By::Judge(question))) => question.text.clone(),
        Some((None, By::Rule(_))) | None => String::new(),
    }
}

/// The language that a turn is asked in, as templates of feedback know it.
pub fn language(turn: &ScriptTurn) -> String {
    Text::new(&turn.ask).language().unwrap_or("en").to_owned()
}
