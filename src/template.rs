//! Templates: the only file that names minijinja.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object};
use minijinja::{Environment, UndefinedBehavior};

use crate::predicate::value::Value;

/// Why a template cannot be read or filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateFault {
    pub message: String,
    /// From 1, within the template.
    pub line: usize,
    /// Bytes within the template, where known.
    pub range: Option<(usize, usize)>,
}

/// The most steps a template may take: loops in it end.
const FUEL: u64 = 200_000;

fn environment<'s>() -> Environment<'s> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment.add_function("pick", pick);
    environment
}

/// `pick(phrases, dice)`: one of several phrases. The same dice on the same
/// phrases give the same one.
fn pick(phrases: Vec<minijinja::Value>, dice: i64) -> minijinja::Value {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&dice.to_le_bytes());
    if let Some(first) = phrases.first().and_then(minijinja::Value::as_str) {
        hasher.update(first.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    let at = u64::from_le_bytes(bytes) % (phrases.len().max(1) as u64);
    phrases.get(at as usize).cloned().unwrap_or_default()
}

/// The names a template asks for: `n`, `topic.name`.
pub fn names(text: &str) -> Result<BTreeSet<String>, TemplateFault> {
    if !text.contains("{{") && !text.contains("{%") && !text.contains("{#") {
        return Ok(BTreeSet::new());
    }
    let environment = environment();
    let template = environment.template_from_str(text).map_err(|error| fault(&error))?;
    Ok(template.undeclared_variables(true).into_iter().collect())
}

/// Templates by name, compiled once.
pub struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    pub fn new(sources: &BTreeMap<String, String>) -> Result<Templates, (String, TemplateFault)> {
        let mut environment = environment();
        for (name, text) in sources {
            environment
                .add_template_owned(name.clone(), text.clone())
                .map_err(|error| (name.clone(), fault(&error)))?;
        }
        Ok(Templates { environment })
    }

    pub fn has(&self, name: &str) -> bool {
        self.environment.get_template(name).is_ok()
    }

    /// Fills in a template.
    pub fn fill(&self, name: &str, values: &Value) -> Result<String, TemplateFault> {
        let template = self.environment.get_template(name).map_err(|error| fault(&error))?;
        template.render(templated(values)).map_err(|error| fault(&error))
    }
}

/// A value as templates see it; records are looked into only where asked.
fn templated(value: &Value) -> minijinja::Value {
    match value {
        Value::Nothing => minijinja::Value::from(()),
        Value::Bool(value) => minijinja::Value::from(*value),
        Value::Int(value) => minijinja::Value::from(*value),
        Value::Float(value) => minijinja::Value::from(*value),
        Value::Text(text) => minijinja::Value::from(text.clone()),
        Value::List(members) => members.iter().map(templated).collect(),
        Value::Record(fields) => minijinja::Value::from_object(Fields(fields.clone())),
    }
}

#[derive(Debug)]
struct Fields(Arc<BTreeMap<String, Value>>);

impl Object for Fields {
    fn get_value(self: &Arc<Self>, name: &minijinja::Value) -> Option<minijinja::Value> {
        self.0.get(name.as_str()?).map(templated)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(
            self.0.keys().map(|name| minijinja::Value::from(name.as_str())).collect(),
        )
    }
}

fn fault(error: &minijinja::Error) -> TemplateFault {
    let mut message = match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    };
    if error.kind() == minijinja::ErrorKind::UndefinedError && error.detail().is_none() {
        message = "a name in it has no value".to_owned();
    }
    if error.kind() == minijinja::ErrorKind::OutOfFuel {
        message = format!("it takes more than {FUEL} steps");
    }
    TemplateFault {
        message,
        line: error.line().unwrap_or(1),
        range: error.range().map(|range| (range.start, range.end)),
    }
}
