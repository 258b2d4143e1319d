//! Which members of lists count as the same.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::number::Number;
use crate::operand::Operand;
use crate::value::Value;
use ifs_text::python::{casefold, strip};
use ifs_text::{Text, fold};

/// When two members are equal: texts that readers take for the same, numbers of the same size, lists
/// of members that are alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LikenessKey {
    Nothing,
    Bool(bool),
    Number(BySize),
    Text(String),
    List(Vec<LikenessKey>),
    Record(Vec<(String, LikenessKey)>),
}

/// Which members are alike, as numbers: two have the same if they are. Lists of millions of
/// members, and of parts of such lists, are iterated over without copying texts.
#[derive(Default)]
pub(super) struct Kinds {
    /// Case and blanks matter, too.
    exactly: bool,
    /// How many numbers were given, without that of the empty list, which is 0.
    given: u32,
    texts: HashMap<Box<str>, u32>,
    /// A list is all but its last member, and that.
    lists: HashMap<(u32, u32), u32>,
    others: BTreeMap<LikenessKey, u32>,
}

impl Kinds {
    pub(super) fn new(exactly: bool) -> Kinds {
        Kinds { exactly, ..Kinds::default() }
    }

    /// The number of each member of a list, in order.
    pub(super) fn of_all(&mut self, list: &Operand<'_>) -> Vec<u32> {
        let Operand::Windows(whole, size) = list else {
            return list.members().map(|member| self.number_of_kind(&member)).collect();
        };
        let members = self.of_all(whole);
        members
            .windows(*size)
            .map(|stretch| stretch.iter().fold(0, |list, member| self.list(list, *member)))
            .collect()
    }

    pub(super) fn number_of_kind(&mut self, member: &Operand<'_>) -> u32 {
        let next = self.given + 1;
        let kind = if let Some(text) = member.as_str() {
            let text = if self.exactly { Cow::Borrowed(text) } else { alike(text) };
            match self.texts.get(&*text) {
                Some(kind) => *kind,
                None => *self.texts.entry(text.into()).or_insert(next),
            }
        } else if member.as_number().is_none() && member.list_len().is_some() {
            return self.of_all(member).into_iter().fold(0, |list, member| self.list(list, member));
        } else {
            *self.others.entry(key(member, self.exactly)).or_insert(next)
        };
        self.given = self.given.max(kind);
        kind
    }

    fn list(&mut self, before: u32, last: u32) -> u32 {
        let next = self.given + 1;
        let kind = *self.lists.entry((before, last)).or_insert(next);
        self.given = self.given.max(kind);
        kind
    }
}

/// A number by its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct BySize(Number);

impl BySize {
    pub(super) fn new(number: Number) -> BySize {
        BySize(number)
    }
}

impl Ord for BySize {
    fn cmp(&self, other: &BySize) -> Ordering {
        self.0.order(other.0)
    }
}

impl PartialOrd for BySize {
    fn partial_cmp(&self, other: &BySize) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BySize {
    fn eq(&self, other: &BySize) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for BySize {}

/// What a text says, as readers compare it. Single characters are compared without case alone.
fn alike(text: &str) -> Cow<'_, str> {
    let text = strip(text);
    let mut chars = text.chars();
    if chars.next().is_none() || chars.next().is_none() {
        return casefold(text);
    }
    let read = Text::new(text);
    let folded = fold(strip(read.reading().str()));
    if folded.is_empty() { casefold(text) } else { Cow::Owned(folded) }
}

/// Lists and records nest as deep as values do, which is as deep as trees and banks are.
fn key(member: &Operand<'_>, exactly: bool) -> LikenessKey {
    if let Some(text) = member.as_str() {
        let text = if exactly { Cow::Borrowed(text) } else { alike(text) };
        return LikenessKey::Text(text.into_owned());
    }
    if let Some(number) = member.as_number() {
        return LikenessKey::Number(BySize(number));
    }
    if member.list_len().is_some() {
        return LikenessKey::List(member.members().map(|member| key(&member, exactly)).collect());
    }
    match member {
        Operand::Value(Value::Bool(value)) => LikenessKey::Bool(*value),
        Operand::Value(Value::Record(fields)) => {
            let key = |value: &Value| key(&Operand::Value(value.clone()), exactly);
            LikenessKey::Record(
                fields.iter().map(|(name, value)| (name.to_owned(), key(value))).collect(),
            )
        }
        // A value that does not exist is never a member of a list.
        _ => LikenessKey::Nothing,
    }
}
