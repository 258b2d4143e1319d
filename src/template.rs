//! Templates: the only file that names minijinja.

use std::collections::{BTreeMap, BTreeSet};

use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object, ObjectRepr};
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
    // What could make one step as large as the memory, or carry growth from turn
    // to turn of a loop, is not among the tools.
    for filter in ["format", "indent"] {
        environment.remove_filter(filter);
    }
    environment.remove_global("namespace");
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_function("pick", pick);
    environment.add_filter("saying", saying);
    environment.add_filter("naming", naming);
    environment
}

/// The longest text that a filter makes, in bytes.
const MAX_TEXT: usize = 1 << 20;

const TOO_LONG: &str = "it makes a text of more than a megabyte";

fn too_long() -> minijinja::Error {
    minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, TOO_LONG)
}

/// `text | replace(old, new)`
fn replace(text: &str, old: &str, new: &str) -> Result<String, minijinja::Error> {
    let more = text.matches(old).count().saturating_mul(new.len());
    if text.len().saturating_add(more) > MAX_TEXT {
        return Err(too_long());
    }
    Ok(text.replace(old, new))
}

/// `list | join(", ")`
fn join(list: minijinja::Value, between: Option<&str>) -> Result<String, minijinja::Error> {
    let mut text = String::new();
    for (at, member) in list.try_iter()?.enumerate() {
        if at > 0 {
            text.push_str(between.unwrap_or(""));
        }
        match member.as_str() {
            Some(member) => text.push_str(member),
            None => text.push_str(&member.to_string()),
        }
        if text.len() > MAX_TEXT {
            return Err(too_long());
        }
    }
    Ok(text)
}

/// `pick(phrases, dice)`: one of several phrases. The same dice on the same
/// phrases give the same one. `pick(phrases, dice, turn)`: the phrases take
/// turns, in an order and from a start that the dice fix, so that none comes
/// back before all have been.
fn pick(phrases: minijinja::Value, dice: i64, turn: Option<u64>) -> minijinja::Value {
    let Some(count) = phrases.len().filter(|count| *count > 0) else {
        return minijinja::Value::default();
    };
    let phrase = |at: u64| phrases.get_item_by_index(at as usize).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&dice.to_le_bytes());
    if let Some(first) = phrase(0).as_str() {
        hasher.update(first.as_bytes());
    }
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    let number = u64::from_le_bytes(bytes);
    let count = count as u64;
    let Some(turn) = turn else { return phrase(number % count) };
    let steps = STEPS.iter().cycle().skip((number >> 32) as usize % STEPS.len());
    let step = steps.take(STEPS.len()).find(|step| !count.is_multiple_of(**step)).unwrap_or(&1);
    phrase((number % count + turn % count * step) % count)
}

/// Primes: going round by one of them meets every phrase, unless it divides
/// their number.
const STEPS: [u64; 4] = [5, 7, 11, 13];

/// `phrase | saying(sentence)`: the sentence in the place of `SAY`; with a small
/// letter at first where the phrase has begun a sentence already and the word is
/// none that is written with a capital.
fn saying(phrase: &str, sentence: &str) -> String {
    match phrase.split_once("SAY") {
        Some((before, after)) if begins_sentence(before) => format!("{before}{sentence}{after}"),
        Some((before, after)) => format!("{before}{}{after}", with_small_letter(sentence)),
        None => format!("{phrase} {sentence}"),
    }
}

/// `phrase | naming("TOPIC", name)`: the name in the place of the word; with a
/// capital where a sentence begins.
fn naming(phrase: &str, place: &str, name: &str) -> String {
    let Some((before, after)) = phrase.split_once(place) else { return phrase.to_owned() };
    let mut chars = name.chars();
    match chars.next() {
        Some(first) if begins_sentence(before) => {
            format!("{before}{}{}{after}", first.to_uppercase(), chars.as_str())
        }
        _ => format!("{before}{name}{after}"),
    }
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(' ');
    before.is_empty() || before.ends_with(['.', '!', '?', '…', '\n', ')'])
}

/// The same but for the first letter, where that is safe: not in `JSON` or `I`.
fn with_small_letter(sentence: &str) -> String {
    let mut chars = sentence.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() || (first == 'A' && second == ' ') => {
            format!("{}{}", first.to_lowercase(), chars.as_str())
        }
        _ => sentence.to_owned(),
    }
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
        let mut text = Capped(Vec::new());
        template.render_captured_to(templated(values), &mut text).map_err(|error| fault(&error))?;
        Ok(String::from_utf8(text.0).unwrap_or_default())
    }
}

/// Takes a text up to the longest that is allowed.
struct Capped(Vec<u8>);

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TEXT {
            return Err(std::io::Error::other(TOO_LONG));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
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
        Value::List(members) => minijinja::Value::from_object(Members(members.clone())),
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

#[derive(Debug)]
struct Members(Arc<[Value]>);

impl Object for Members {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, at: &minijinja::Value) -> Option<minijinja::Value> {
        self.0.get(at.as_usize()?).map(templated)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
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
    if error.kind() == minijinja::ErrorKind::WriteFailure {
        message = TOO_LONG.to_owned();
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
