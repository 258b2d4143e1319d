//! Comparisons with texts of a closed set: with any other text they never hold.

use std::borrow::Cow;

use super::{Lowering, known_value};
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::functions::Func;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::{Field, FieldValues, Type};
use ifs_predicate::value::Value;
use ifs_text::{known_languages, known_released_languages, language_code};

/// The most values that a message lists.
const MAX_LISTED: usize = 12;

/// The texts that an expression may be.
struct ClosedSet {
    values: Vec<String>,
    /// What it is in messages.
    noun: String,
    origin: ValueOrigin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueOrigin {
    Languages,
    /// The language or a domain defines them.
    Defined,
    /// They are in the records of a bank, which may change.
    Bank,
}

impl Lowering<'_, '_> {
    /// Reports texts that one side is compared with and never is.
    pub(super) fn compared(&mut self, left: &Tree, right: &Tree, vars: &Vars) {
        for (one, other) in [(left, right), (right, left)] {
            let Some(set) = closed_set(one, vars) else { continue };
            let never: Vec<(String, Span)> = compared_texts(other, vars, set.origin)
                .into_iter()
                .filter(|(text, _)| !set.values.contains(text))
                // A field that is left empty is often asked for.
                .filter(|(text, _)| set.origin != ValueOrigin::Bank || !text.is_empty())
                .collect();
            for (text, place) in never {
                self.report(never_is(&set, &text, place));
            }
        }
    }

    /// Reports a language that an argument of an author's function names and no text has.
    pub fn compared_argument(&mut self, value: &Tree, vars: &Vars) {
        for (text, place) in compared_texts(value, vars, ValueOrigin::Languages) {
            if !known_languages().contains(&&*text) {
                self.report(never_is(&languages(), &text, place));
            }
        }
    }
}

/// The diagnostic about a text that is not in the set.
fn never_is(set: &ClosedSet, text: &str, place: Span) -> Diagnostic {
    let message = match set.origin {
        ValueOrigin::Languages => format!("no text is identified as `{text}`"),
        ValueOrigin::Defined => format!("{} is never `{text}`", set.noun),
        ValueOrigin::Bank => format!("no record has `{text}` as {}", set.noun),
    };
    let diagnostic = match set.origin {
        ValueOrigin::Bank => Diagnostic::warning(Code::UNKNOWN_VALUE, message),
        ValueOrigin::Languages | ValueOrigin::Defined => {
            Diagnostic::error(Code::UNKNOWN_VALUE, message)
        }
    }
    .label(place, "");
    let code = (set.origin == ValueOrigin::Languages).then(|| language_code(text)).flatten();
    if let Some(code) = code.filter(|code| set.values.iter().any(|value| value == code)) {
        return diagnostic
            .help(format!("did you mean `{code}`? Languages have their ISO 639-1 codes"));
    }
    let shown: Vec<String> = match set.origin {
        ValueOrigin::Languages => set.values.clone(),
        _ => set.values.iter().take(MAX_LISTED).map(|value| format!("`{value}`")).collect(),
    };
    let more = if shown.len() < set.values.len() { ", …" } else { "" };
    let help = match set.origin {
        ValueOrigin::Languages => {
            format!("the languages that can be identified are {}", shown.join(", "))
        }
        _ => format!("it is one of {}{more}", shown.join(", ")),
    };
    let diagnostic = diagnostic.help(help);
    match set.origin {
        ValueOrigin::Languages => diagnostic,
        _ => diagnostic.did_you_mean(text, set.values.iter().map(String::as_str)),
    }
}

fn languages() -> ClosedSet {
    ClosedSet {
        values: known_languages().iter().map(|code| (*code).to_owned()).collect(),
        noun: "the language".to_owned(),
        origin: ValueOrigin::Languages,
    }
}

/// The texts that an expression may be, if there are no others.
fn closed_set(tree: &Tree, vars: &Vars) -> Option<ClosedSet> {
    match &tree.node {
        Node::Call(function, arguments) => {
            let mut set = match function.name {
                name if name == Func::LANGUAGE.name => languages(),
                "language_as_released" => {
                    let values = known_released_languages().into_iter().map(str::to_owned);
                    let unknown = std::iter::once("unknown".to_owned());
                    ClosedSet { values: values.chain(unknown).collect(), ..languages() }
                }
                _ => return None,
            };
            // What it is for a text without a language.
            if let Some(otherwise) = arguments.get(1) {
                match known_value(otherwise) {
                    Some(Value::Text(text)) => set.values.push(text.to_string()),
                    _ => return None,
                }
            }
            Some(set)
        }
        Node::Var(name) => Some(ClosedSet {
            values: vars.choices(name)?.to_vec(),
            noun: format!("`{name}`"),
            origin: ValueOrigin::Defined,
        }),
        Node::Field(record, name) => {
            let ty = type_of(record, vars)?;
            let Type::Record(fields) = &*ty else { return None };
            let (values, origin) = match fields.get(name)?.values.as_ref()? {
                FieldValues::Closed(values) => (values, ValueOrigin::Defined),
                FieldValues::Recorded(values) => (values, ValueOrigin::Bank),
            };
            Some(ClosedSet { values: values.to_vec(), noun: format!("`{name}`"), origin })
        }
        _ => None,
    }
}

/// The texts that the other side of a comparison names: those that are written, and those that a
/// parameter or a field may be where languages are compared.
fn compared_texts(tree: &Tree, vars: &Vars, with: ValueOrigin) -> Vec<(String, Span)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match &tree.node {
        Node::Value(Value::List(members)) => {
            members.iter().filter_map(text).map(|text| (text, tree.span)).collect()
        }
        Node::Value(value) => text(value).map(|text| (text, tree.span)).into_iter().collect(),
        Node::List(members) => {
            members.iter().flat_map(|member| compared_texts(member, vars, with)).collect()
        }
        _ if with == ValueOrigin::Languages => match closed_set(tree, vars) {
            Some(set) if set.origin != ValueOrigin::Languages => {
                set.values.into_iter().map(|value| (value, tree.span)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The type of what a field is read from, if it is easy to tell.
fn type_of<'v>(tree: &Tree, vars: &'v Vars) -> Option<Cow<'v, Type>> {
    match &tree.node {
        Node::Var(name) => vars.get(name).map(Cow::Borrowed),
        Node::Fact(fact) => vars.get(fact.name()).map(Cow::Borrowed),
        Node::It => vars.it.as_ref().map(Cow::Borrowed),
        Node::Field(record, name) => match &*type_of(record, vars)? {
            Type::Record(fields) => {
                fields.get(name).map(|field: &Field| Cow::Owned(field.ty.clone()))
            }
            _ => None,
        },
        Node::Index(list, _) => match &*type_of(list, vars)? {
            Type::List(member) => Some(Cow::Owned((**member).clone())),
            _ => None,
        },
        _ => None,
    }
}
