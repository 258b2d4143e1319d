//! Templates: the only file that names minijinja.

mod growth;
mod joined;
mod outline;
mod phrases;
mod tokens;

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object, ObjectRepr};
use minijinja::{Environment, UndefinedBehavior};

use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;
pub use outline::{NameKind, TemplateUse, names_in_conditions_only, outline, single_braces};
pub use phrases::{
    DemandForm, OWN_DEMANDS, OWN_PHRASES, OWN_VOICES, PHRASE_BANKS, PhraseBank, phrase_bank,
};

/// The built-in templates by name. A scenario overrides one with a file of the same name in the
/// folder of `words from`.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("open.j2", include_str!("../../../templates/open.j2")),
    ("continue.j2", include_str!("../../../templates/continue.j2")),
    ("return.j2", include_str!("../../../templates/return.j2")),
    ("changes.j2", include_str!("../../../templates/changes.j2")),
    ("asked.j2", include_str!("../../../templates/asked.j2")),
    ("related.j2", include_str!("../../../templates/related.j2")),
    ("answer.j2", include_str!("../../../templates/answer.j2")),
    ("repeated.j2", include_str!("../../../templates/repeated.j2")),
    ("feedback.j2", include_str!("../../../templates/feedback.j2")),
    ("fresh.j2", include_str!("../../../templates/fresh.j2")),
    ("relation.j2", include_str!("../../../templates/relation.j2")),
    ("coder.j2", include_str!("../../../templates/coder.j2")),
    ("extractor.j2", include_str!("../../../templates/extractor.j2")),
];

/// The template of a right answer to a turn without `answer`; the built-in one writes none.
pub const ANSWER_TEMPLATE: &str = "answer.j2";

/// Instructions for the models that write user messages or check them. A scenario overrides them
/// like the templates.
pub const PROMPTS: &[(&str, &str)] = &[
    ("write.j2", include_str!("../../../templates/prompts/write.j2")),
    ("check_topic.j2", include_str!("../../../templates/prompts/check_topic.j2")),
    ("check_message.j2", include_str!("../../../templates/prompts/check_message.j2")),
];

/// Phrases by voice: `plain`, `terse`, `chatty`, …
pub static VOICES: &str = include_str!("../../../templates/voices.json");

/// The names of the voices.
pub fn voices() -> Vec<String> {
    let voices: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(VOICES).unwrap_or_default();
    voices.into_iter().map(|(name, _)| name).collect()
}

/// Why a template cannot be read or filled in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateFault {
    pub message: String,
    /// The line within the template, from 1.
    pub line: usize,
    /// The bytes within the template, if known.
    pub range: Option<(usize, usize)>,
}

/// The maximum number of steps of a template, so that its loops end.
const MAX_RENDER_STEPS: u64 = 200_000;

/// How a template prints a value that is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// The template fails.
    #[default]
    Fault,
    /// The value is left out.
    LeftOut,
}

const ABSENT_VALUE: &str = "a value that it prints is absent";

fn environment<'s>(absent: Absent) -> Environment<'s> {
    let mut environment = Environment::new();
    environment.set_formatter(move |out, state, value| match absent {
        Absent::Fault if value.is_none() => {
            Err(minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, ABSENT_VALUE))
        }
        Absent::LeftOut if value.is_none() => Ok(()),
        _ => minijinja::escape_formatter(out, state, value),
    });
    // Conditions may refer to a field that only some records have.
    environment.set_undefined_behavior(match absent {
        Absent::Fault => UndefinedBehavior::SemiStrict,
        Absent::LeftOut => UndefinedBehavior::Lenient,
    });
    // Only with it does an error say which name has no value; release builds leave it off by default.
    environment.set_debug(true);
    environment.set_fuel(Some(MAX_RENDER_STEPS));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    // Filters are removed that could make one step use unlimited memory, or carry growth from one
    // iteration of a loop to the next; see also `growth`.
    for filter in ["batch", "format", "indent", "slice"] {
        environment.remove_filter(filter);
    }
    for global in ["debug", "namespace"] {
        environment.remove_global(global);
    }
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_function("pick", pick_phrase);
    environment.add_filter("saying", saying);
    environment.add_filter("naming", naming);
    joined::add(&mut environment, absent);
    environment
}

/// The longest text that a filter produces, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 20;

const TOO_LONG: &str = "it produces a text of more than a megabyte";

fn too_long() -> minijinja::Error {
    minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, TOO_LONG)
}

/// `text | replace(old, new)`
fn replace(text: &str, old: &str, new: &str) -> Result<String, minijinja::Error> {
    let more = text.matches(old).count().saturating_mul(new.len());
    if text.len().saturating_add(more) > MAX_TEXT_BYTES {
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
            None if member.is_none() => {
                let kind = minijinja::ErrorKind::InvalidOperation;
                return Err(minijinja::Error::new(kind, "a member of the list is absent"));
            }
            None => text.push_str(&member.to_string()),
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(too_long());
        }
    }
    Ok(text)
}

/// `pick(phrases, dice)`: one of several phrases. The same dice on the same phrases give the same
/// one. `pick(phrases, dice, turn)`: the phrases rotate, in an order and from a start that the dice
/// determine, so no phrase repeats before all have been used.
fn pick_phrase(phrases: minijinja::Value, dice: i64, turn: Option<u64>) -> minijinja::Value {
    let Some(count) = phrases.len().filter(|count| *count > 0) else {
        return minijinja::Value::default();
    };
    let phrase = |at: usize| phrases.get_item_by_index(at).unwrap_or_default();
    phrase(picked_index(count, phrase(0).as_str().unwrap_or(""), dice, turn))
}

/// The index of the picked phrase, out of `count` phrases with `first` at the start; there is at
/// least one.
fn picked_index(count: usize, first: &str, dice: i64, turn: Option<u64>) -> usize {
    let number = StreamKey::NONE.and_number(dice as u64).and(first).number();
    let count = count as u64;
    let Some(turn) = turn else { return (number % count) as usize };
    let first = (number >> 32) as usize % PHRASE_STRIDES.len();
    let steps =
        (first..first + PHRASE_STRIDES.len()).map(|at| PHRASE_STRIDES[at % PHRASE_STRIDES.len()]);
    let step = steps.into_iter().find(|step| !count.is_multiple_of(*step)).unwrap_or(1);
    ((number % count + turn % count * step) % count) as usize
}

/// Primes: a step by one of them reaches every phrase, unless it divides their number.
const PHRASE_STRIDES: [u64; 4] = [5, 7, 11, 13];

/// `phrase | saying(sentence)`: replaces `SAY` by the sentence. Its first letter becomes lower case
/// if the phrase has already begun a sentence and the first word is not always capitalized.
fn saying(phrase: &str, sentence: &str) -> String {
    let Some((before, after)) = phrase.split_once("SAY") else {
        return format!("{phrase} {sentence}");
    };
    match small_letter(sentence) {
        Some((first, rest)) if !begins_sentence(before) => {
            format!("{before}{}{rest}{after}", first.to_lowercase())
        }
        _ => format!("{before}{sentence}{after}"),
    }
}

/// `phrase | naming("TOPIC", name)`: replaces the word by the name, capitalized at the start of a
/// sentence.
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

/// The first letter and the rest, if the letter can safely become lower case: not in `JSON` or `I`.
fn small_letter(sentence: &str) -> Option<(char, &str)> {
    let mut chars = sentence.chars();
    let (first, second) = (chars.next()?, chars.clone().next()?);
    (second.is_lowercase() || (first == 'A' && second == ' ')).then_some((first, chars.as_str()))
}

/// The environment for single templates.
static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| environment(Absent::Fault));

/// Renders a template that is used only once.
pub fn render_once(text: &str, fields: TemplateFields<'_>) -> Result<String, TemplateFault> {
    growth::check(text)?;
    ENVIRONMENT.template_from_str(text).map_err(|error| fault(&error))?;
    let checked = joined::checked(text);
    let template = ENVIRONMENT.template_from_str(&checked).map_err(|error| fault(&error))?;
    rendered(&template, fields).map_err(|fault| with_absent_name(fault, text))
}

/// The names that a template refers to: `n`, `topic.name`.
pub fn names_in(text: &str) -> Result<BTreeSet<String>, TemplateFault> {
    if !text.contains('{') {
        return Ok(BTreeSet::new());
    }
    growth::check(text)?;
    let template = ENVIRONMENT.template_from_str(text).map_err(|error| fault(&error))?;
    Ok(template.undeclared_variables(true).into_iter().collect())
}

/// The values for a template.
pub type TemplateFields<'a> = Vec<(&'a str, Value)>;

/// A parsed template.
pub struct Template {
    name: String,
    text: String,
    /// It has no expressions: the text is what is rendered.
    is_plain: bool,
}

impl Template {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, if that is what is rendered.
    pub fn plain(&self) -> Option<&str> {
        self.is_plain.then_some(self.text.as_str())
    }
}

/// Templates by name. Each is parsed once, when it is first rendered.
pub struct Templates {
    sources: BTreeMap<String, String>,
    /// All templates, as soon as one needs minijinja.
    environment: OnceLock<Environment<'static>>,
    absent: Absent,
}

impl Templates {
    pub fn new(sources: BTreeMap<String, String>) -> Result<Templates, (String, TemplateFault)> {
        let absent = Absent::Fault;
        let templates = Templates { sources, environment: OnceLock::new(), absent };
        // Tests ensure that the built-in templates can be parsed.
        let own = |(name, text): &(&String, &String)| {
            !TEMPLATES.contains(&(name.as_str(), text.as_str()))
        };
        let mut is_built_in = true;
        for (name, text) in templates.sources.iter().filter(own) {
            growth::check(text).map_err(|fault| (name.clone(), fault))?;
            is_built_in = false;
        }
        if !is_built_in {
            // A template that cannot be parsed is reported here.
            let environment = compiled(&templates.sources, absent)?;
            templates.environment.get_or_init(|| environment);
        }
        Ok(templates)
    }

    /// Templates that are parsed one by one, and print nothing for absent values.
    pub fn leaving_out() -> Templates {
        Templates {
            sources: BTreeMap::new(),
            environment: OnceLock::new(),
            absent: Absent::LeftOut,
        }
    }

    /// Parses another template, which the others do not include.
    pub fn read(&mut self, name: String, text: &str) -> Result<Template, (String, TemplateFault)> {
        let is_plain = is_plain(text);
        if !is_plain {
            growth::check(text).map_err(|fault| (name.clone(), fault))?;
            self.environment();
            let environment = self.environment.get_mut();
            environment.map_or(Ok(()), |environment| compile(environment, &name, text))?;
        }
        Ok(Template { name, text: text.to_owned(), is_plain })
    }

    pub fn contains(&self, name: &str) -> bool {
        self.sources.contains_key(name)
    }

    /// Renders a template by name.
    pub fn render<V: Borrow<Value>>(
        &self,
        name: &str,
        fields: Vec<(&str, V)>,
    ) -> Result<String, TemplateFault> {
        let text = self.sources.get(name).map_or("", String::as_str);
        self.render_unnamed(name, fields).map_err(|fault| with_absent_name(fault, text))
    }

    /// Renders a template that `read` returned.
    pub fn render_template<V: Borrow<Value>>(
        &self,
        template: &Template,
        fields: Vec<(&str, V)>,
    ) -> Result<String, TemplateFault> {
        if let Some(text) = template.plain() {
            return Ok(text.to_owned());
        }
        self.render_unnamed(&template.name, fields)
            .map_err(|fault| with_absent_name(fault, &template.text))
    }

    fn render_unnamed<V: Borrow<Value>>(
        &self,
        name: &str,
        fields: Vec<(&str, V)>,
    ) -> Result<String, TemplateFault> {
        let template = self.environment().get_template(name).map_err(|error| fault(&error))?;
        rendered(&template, fields)
    }

    fn environment(&self) -> &Environment<'static> {
        // `new` has parsed those that are not built in, and a test those that are.
        self.environment.get_or_init(|| {
            compiled(&self.sources, self.absent).unwrap_or_else(|_| environment(self.absent))
        })
    }
}

fn compiled(
    sources: &BTreeMap<String, String>,
    absent: Absent,
) -> Result<Environment<'static>, (String, TemplateFault)> {
    let mut environment = environment(absent);
    sources.iter().try_for_each(|(name, text)| compile(&mut environment, name, text))?;
    Ok(environment)
}

fn compile(
    environment: &mut Environment<'static>,
    name: &str,
    text: &str,
) -> Result<(), (String, TemplateFault)> {
    let mut add = |text: &str| {
        let added = environment.add_template_owned(name.to_owned(), text.to_owned());
        added.map_err(|error| (name.to_owned(), fault(&error)))
    };
    match joined::checked(text) {
        Cow::Borrowed(text) => add(text),
        // The places of syntax errors are those of the template as it is written.
        Cow::Owned(checked) => add(&checked).or_else(|error| add(text).and(Err(error))),
    }
}

/// Whether a text is rendered as it is: minijinja removes a line break at the end.
fn is_plain(text: &str) -> bool {
    !text.contains('{') && !text.ends_with(['\n', '\r']) && text.len() <= MAX_TEXT_BYTES
}

fn rendered<V: Borrow<Value>>(
    template: &minijinja::Template<'_, '_>,
    fields: Vec<(&str, V)>,
) -> Result<String, TemplateFault> {
    let mut text = BoundedBuffer(Vec::new());
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.borrow().clone()));
    let context = minijinja::Value::from_object(TemplateVariables(fields.collect()));
    template.render_captured_to(context, &mut text).map_err(|error| fault(&error))?;
    Ok(String::from_utf8(text.0).unwrap_or_default())
}

/// The variables of a template: few enough for a linear search.
#[derive(Debug)]
struct TemplateVariables(Vec<(String, Value)>);

impl Object for TemplateVariables {
    fn get_value(self: &Arc<Self>, name: &minijinja::Value) -> Option<minijinja::Value> {
        let name = name.as_str()?;
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| templated(value))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(
            self.0.iter().map(|(name, _)| minijinja::Value::from(name.as_str())).collect(),
        )
    }
}

/// A text with a maximum length.
struct BoundedBuffer(Vec<u8>);

impl std::io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_TEXT_BYTES {
            return Err(std::io::Error::other(TOO_LONG));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A value as templates see it; fields of records are converted only when they are used.
fn templated(value: &Value) -> minijinja::Value {
    match value {
        Value::Nothing => minijinja::Value::from(()),
        Value::Bool(value) => minijinja::Value::from(*value),
        Value::Int(value) => minijinja::Value::from(*value),
        Value::Float(value) => minijinja::Value::from(*value),
        Value::Text(text) => minijinja::Value::from(text.to_arc()),
        Value::List(members) => minijinja::Value::from_object(TemplateList(members.clone())),
        Value::Record(fields) => minijinja::Value::from_object(TemplateRecord(fields.clone())),
    }
}

#[derive(Debug)]
struct TemplateRecord(Arc<ifs_predicate::record::Record>);

impl Object for TemplateRecord {
    fn get_value(self: &Arc<Self>, name: &minijinja::Value) -> Option<minijinja::Value> {
        self.0.get(name.as_str()?).map(templated)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(
            self.0.names().iter().map(|name| minijinja::Value::from(name.as_str())).collect(),
        )
    }
}

#[derive(Debug)]
struct TemplateList(Arc<[Value]>);

impl Object for TemplateList {
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

/// Adds the absent value, as written in the template, to the fault.
fn with_absent_name(fault: TemplateFault, text: &str) -> TemplateFault {
    if fault.message != ABSENT_VALUE {
        return fault;
    }
    let printed = fault.range.and_then(|(start, end)| text.get(start..end));
    let printed = printed.map(|it| it.trim_matches(['{', '}', '-', ' ', '\n']));
    let line = fault.line;
    TemplateFault { line, range: fault.range, ..absent_value(printed, text) }
}

/// Says that a value which a template prints is absent.
fn absent_value(printed: Option<&str>, text: &str) -> TemplateFault {
    let at = printed.and_then(|printed| text.find(printed));
    let line = text[..at.unwrap_or(0)].matches('\n').count() + 1;
    let message = match printed.filter(|it| !it.is_empty()) {
        Some(printed) => format!(
            "`{printed}` is absent here, but a value is needed; if it may be absent, write \
             `{{% if {printed} %}} … {{% endif %}}` around it"
        ),
        None => ABSENT_VALUE.to_owned(),
    };
    TemplateFault { message, line, range: None }
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
        message = format!("it takes more than {MAX_RENDER_STEPS} steps");
    }
    TemplateFault {
        message,
        line: error.line().unwrap_or(1),
        range: error.range().map(|range| (range.start, range.end)),
    }
}
