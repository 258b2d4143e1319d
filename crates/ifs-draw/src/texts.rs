//! The templates of a scenario: of user messages, answers and expectations.

use std::collections::BTreeMap;

use ifs_model::table::{DecidedBy, Dialogue, TextSource, Turn, TurnPart};
use ifs_parts::template::{Template, TemplateFault, TemplateFields, Templates};
use ifs_predicate::evaluate::Variables;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// The compiled templates, each on its own.
pub(super) struct CompiledTexts {
    templates: Templates,
    known: BTreeMap<String, (Template, Vec<Root>)>,
    /// The system message, in which absent values are left out.
    system: (Templates, Option<(Template, Vec<Root>)>),
}

impl CompiledTexts {
    /// The texts of a dialogue and of its turns.
    pub fn new(
        dialogue: &Dialogue,
        turns: &[&Turn],
    ) -> Result<CompiledTexts, (String, TemplateFault)> {
        let mut texts = CompiledTexts {
            templates: Templates::new(BTreeMap::new())?,
            known: BTreeMap::new(),
            system: (Templates::leaving_out(), None),
        };
        turns.iter().try_for_each(|turn| texts.turn(turn))?;
        dialogue.system.iter().try_for_each(|words| texts.system(words))?;
        dialogue.scope_said.iter().try_for_each(|said| texts.words(&said.words))?;
        Ok(texts)
    }

    fn turn(&mut self, turn: &Turn) -> Result<(), (String, TemplateFault)> {
        self.parts(&turn.body)
    }

    fn parts(&mut self, parts: &[TurnPart]) -> Result<(), (String, TemplateFault)> {
        parts.iter().try_for_each(|part| match part {
            TurnPart::Ask(words) | TurnPart::Reply(words) => self.words(words),
            TurnPart::Answer(text) | TurnPart::Class(text) | TurnPart::Void(text, _) => {
                self.text(text)
            }
            TurnPart::Expect { fact, .. } => self.text(fact),
            TurnPart::Require { by, says, .. } => {
                says.iter().try_for_each(|says| self.text(says))?;
                match by {
                    DecidedBy::Judge(question) => self.text(&question.text),
                    DecidedBy::Rule(_) => Ok(()),
                }
            }
            TurnPart::Observe { by: DecidedBy::Judge(question), .. } => self.text(&question.text),
            TurnPart::Part { about: Some(about), .. } => self.text(about),
            TurnPart::For { body, .. } => self.parts(body),
            TurnPart::Observe { by: DecidedBy::Rule(_), .. }
            | TurnPart::Part { .. }
            | TurnPart::Show(_)
            | TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Impose(_) => Ok(()),
        })
    }

    fn system(&mut self, words: &TextSource) -> Result<(), (String, TemplateFault)> {
        let text = match words {
            TextSource::Template { text, .. } => Some(text.as_str()),
            TextSource::Expr(tree) => literal(tree),
        };
        if let Some(text) = text.filter(|text| text.contains('{')) {
            let template = self.system.0.read("system".to_owned(), text)?;
            let fault = |fault| ("system".to_owned(), fault);
            self.system.1 = Some((template, roots(text).map_err(fault)?));
        }
        Ok(())
    }

    fn words(&mut self, words: &TextSource) -> Result<(), (String, TemplateFault)> {
        match words {
            TextSource::Template { text, .. } => self.text(text),
            TextSource::Expr(tree) => literal(tree).map_or(Ok(()), |text| self.text(text)),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), (String, TemplateFault)> {
        if !text.contains('{') || self.known.contains_key(text) {
            return Ok(());
        }
        let name = format!("text/{}", self.known.len());
        let roots = roots(text).map_err(|fault| (name.clone(), fault))?;
        let template = self.templates.read(name, text)?;
        self.known.insert(text.to_owned(), (template, roots));
        Ok(())
    }

    /// Renders a text with its names. A name without a value is a fault where it is used.
    pub fn render(&self, text: &str, names: &dyn Variables) -> Result<String, TemplateFault> {
        let Some((template, asked)) = self.known.get(text) else { return Ok(text.to_owned()) };
        self.templates.render_template(template, fields(asked, names))
    }

    /// The same for the system message, without absent values.
    pub fn fill_system(&self, text: &str, names: &dyn Variables) -> Result<String, TemplateFault> {
        let (templates, Some((template, asked))) = &self.system else { return Ok(text.to_owned()) };
        templates.render_template(template, fields(asked, names))
    }
}

fn fields<'a>(asked: &'a [Root], names: &dyn Variables) -> TemplateFields<'a> {
    let value = |(name, fact): &Root| names.get(name).or_else(|| names.fact((*fact)?));
    asked.iter().filter_map(|root| Some((root.0.as_str(), value(root)?))).collect()
}

/// A name that a template uses, without fields, and the fact that it means where no name hides it.
type Root = (String, Option<TurnFact>);

fn roots(text: &str) -> Result<Vec<Root>, TemplateFault> {
    let names = ifs_parts::template::names_in(text)?;
    let mut roots: Vec<String> =
        names.iter().map(|name| name.split('.').next().unwrap_or(name).to_owned()).collect();
    roots.dedup();
    let fact = |name: String| {
        let fact = TurnFact::from_name(&name);
        (name, fact)
    };
    Ok(roots.into_iter().map(fact).collect())
}

/// A literal text: a template only if it is written in the scenario, and not if it comes from a
/// bank.
pub(super) fn literal(tree: &Tree) -> Option<&str> {
    match &tree.node {
        Node::Value(Value::Text(text)) => Some(text),
        _ => None,
    }
}
