//! Which members of lists count as the same.

use std::cmp::Ordering;

use crate::predicate::number::Number;
use crate::predicate::operand::Operand;
use crate::predicate::value::Value;
use crate::text::python::{casefold, strip};

/// What two members have in common when they are alike: texts that differ in case or in blanks
/// around them only, numbers of the same size, lists of members that are alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Nothing,
    Bool(bool),
    Number(Size),
    Text(String),
    List(Vec<Key>),
    Record(Vec<(String, Key)>),
}

/// A number by its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(Number);

impl Size {
    pub(super) fn of(number: Number) -> Size {
        Size(number)
    }
}

impl Ord for Size {
    fn cmp(&self, other: &Size) -> Ordering {
        self.0.order(other.0)
    }
}

impl PartialOrd for Size {
    fn partial_cmp(&self, other: &Size) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Size {
    fn eq(&self, other: &Size) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Size {}

/// Lists and records nest as deep as values do, which is as deep as trees and banks are.
pub(super) fn key(member: &Operand<'_>) -> Key {
    if let Some(text) = member.as_str() {
        return Key::Text(casefold(strip(text)).into_owned());
    }
    if let Some(number) = member.as_number() {
        return Key::Number(Size(number));
    }
    if member.list_len().is_some() {
        return Key::List(member.members().map(|member| key(&member)).collect());
    }
    match member {
        Operand::Value(Value::Bool(value)) => Key::Bool(*value),
        Operand::Value(Value::Record(fields)) => {
            let key = |value: &Value| key(&Operand::Value(value.clone()));
            Key::Record(fields.iter().map(|(name, value)| (name.to_owned(), key(value))).collect())
        }
        // What has no value is never a member of a list.
        _ => Key::Nothing,
    }
}
