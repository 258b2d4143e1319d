//! The texts of a program that names are filled into: what turns ask, answer, expect.

use std::collections::BTreeMap;

use crate::model::table::{By, Dialogue, Flow, Step, Turn, TurnPart, Words};
use crate::predicate::evaluate::Variables;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::template::{Fields, Template, TemplateFault, Templates};

/// Each compiled once, by itself.
pub(super) struct Texts {
    templates: Templates,
    known: BTreeMap<String, (Template, Vec<String>)>,
}

impl Texts {
    /// The texts of a dialogue and its flows.
    pub fn new<'p>(
        dialogue: &'p Dialogue,
        flows: impl Iterator<Item = &'p Flow>,
    ) -> Result<Texts, (String, TemplateFault)> {
        let mut texts =
            Texts { templates: Templates::new(BTreeMap::new())?, known: BTreeMap::new() };
        for turn in flows.flat_map(|flow| &flow.turns) {
            texts.turn(turn)?;
        }
        texts.steps(&dialogue.steps)?;
        dialogue.system.iter().try_for_each(|words| texts.words(words))?;
        dialogue.scope_said.iter().try_for_each(|said| texts.words(&said.words))?;
        Ok(texts)
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), (String, TemplateFault)> {
        steps.iter().try_for_each(|step| match step {
            Step::Turn(turn) => self.turn(turn),
            Step::For { body, .. } => self.steps(body),
            Step::Let(..) | Step::Param(_) => Ok(()),
        })
    }

    fn turn(&mut self, turn: &Turn) -> Result<(), (String, TemplateFault)> {
        self.parts(&turn.body)
    }

    fn parts(&mut self, parts: &[TurnPart]) -> Result<(), (String, TemplateFault)> {
        parts.iter().try_for_each(|part| match part {
            TurnPart::Ask(words) => self.words(words),
            TurnPart::Answer(text) | TurnPart::Void(text, _) => self.text(text),
            TurnPart::Expect { fact, .. } => self.text(fact),
            TurnPart::Require { by, says, .. } => {
                says.iter().try_for_each(|says| self.text(says))?;
                match by {
                    By::Judge(question) => self.text(&question.text),
                    By::Rule(_) => Ok(()),
                }
            }
            TurnPart::Part { about: Some(about), .. } => self.text(about),
            TurnPart::For { body, .. } => self.parts(body),
            TurnPart::Part { .. }
            | TurnPart::Show(_)
            | TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Impose(_) => Ok(()),
        })
    }

    fn words(&mut self, words: &Words) -> Result<(), (String, TemplateFault)> {
        match words {
            Words::Template { text, .. } => self.text(text),
            Words::Expr(tree) => literal(tree).map_or(Ok(()), |text| self.text(text)),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), (String, TemplateFault)> {
        if !text.contains('{') || self.known.contains_key(text) {
            return Ok(());
        }
        let name = format!("text/{}", self.known.len());
        let names = crate::template::names(text).map_err(|fault| (name.clone(), fault))?;
        let mut roots: Vec<String> =
            names.iter().map(|name| name.split('.').next().unwrap_or(name).to_owned()).collect();
        roots.dedup();
        let template = self.templates.read(name, text)?;
        self.known.insert(text.to_owned(), (template, roots));
        Ok(())
    }

    /// The text with the names it asks for filled in. A name that has no value stays
    /// without one, and is a fault where it is asked for.
    pub fn fill(&self, text: &str, names: &dyn Variables) -> Result<String, TemplateFault> {
        let Some((template, asked)) = self.known.get(text) else { return Ok(text.to_owned()) };
        let known = asked.iter().filter_map(|name| Some((name.as_str(), names.get(name)?)));
        let fields: Fields<'_> = known.collect();
        self.templates.fill_in(template, fields)
    }
}

/// A text that is written out: names are filled into it, and into no text that
/// comes out of a bank.
pub(super) fn literal(tree: &Tree) -> Option<&str> {
    match &tree.node {
        Node::Value(Value::Text(text)) => Some(text),
        _ => None,
    }
}
