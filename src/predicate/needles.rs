//! `UNIT "text"`: something to look for, and where it is.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fault::EvalError;
use crate::text::python::simple_fold;
use crate::text::{Needle, NeedleKind, Text, Unit, count_occurrences, occurrences, occurs};

/// A needle of the language: one of the kinds that `text` knows, or any unit that has to be equal
/// to what is looked for, ignoring case (`emoji "😀"`, `line "Sincerely"`).
#[derive(Clone, Debug)]
pub enum Sought {
    Needle(SoughtKind, Needle),
    Unit(Unit, String),
}

/// How a needle is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoughtKind {
    Char,
    Keyword,
    Letter,
    Phrase,
    Regex,
    Text,
    Word,
    /// Any other unit, which has to be equal to what is looked for.
    Unit(Unit),
}

/// The kinds that are not units, or are read otherwise than the unit of that name.
const KINDS: [(&str, SoughtKind); 7] = [
    ("char", SoughtKind::Char),
    ("keyword", SoughtKind::Keyword),
    ("letter", SoughtKind::Letter),
    ("phrase", SoughtKind::Phrase),
    ("regex", SoughtKind::Regex),
    ("text", SoughtKind::Text),
    ("word", SoughtKind::Word),
];

impl SoughtKind {
    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<SoughtKind> {
        let own = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        own.or_else(|| Unit::from_name(name).map(SoughtKind::Unit))
    }

    /// The name before the text of the needle.
    pub fn name(self) -> &'static str {
        match self {
            SoughtKind::Unit(unit) => unit.name(),
            _ => KINDS.iter().find(|(_, kind)| *kind == self).map_or("text", |(name, _)| *name),
        }
    }

    /// The unit of the same name.
    pub fn unit(self) -> Option<Unit> {
        match self {
            SoughtKind::Char => Some(Unit::Char),
            SoughtKind::Letter => Some(Unit::Letter),
            SoughtKind::Word => Some(Unit::Word),
            SoughtKind::Unit(unit) => Some(unit),
            SoughtKind::Keyword | SoughtKind::Phrase | SoughtKind::Regex | SoughtKind::Text => None,
        }
    }
}

/// By name, so that what is sorted by it does not depend on the order of declaration.
impl Ord for SoughtKind {
    fn cmp(&self, other: &SoughtKind) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for SoughtKind {
    fn partial_cmp(&self, other: &SoughtKind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In a plan a kind is its name.
impl Serialize for SoughtKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SoughtKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SoughtKind, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{name}` is not a kind of needle"));
        SoughtKind::from_name(&name).ok_or_else(unknown)
    }
}

/// The names of kinds of needles that are not units.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name).filter(|name| Unit::from_name(name).is_none())
}

impl Sought {
    /// # Errors
    /// When it cannot be that text.
    pub fn new(kind: SoughtKind, text: &str) -> Result<Sought, EvalError> {
        let known = match kind {
            SoughtKind::Unit(_) if text.is_empty() => {
                return Err(EvalError::new("an empty needle is found nowhere"));
            }
            SoughtKind::Unit(unit) => return Ok(Sought::Unit(unit, text.to_owned())),
            SoughtKind::Char => NeedleKind::Char,
            SoughtKind::Keyword => NeedleKind::Keyword,
            SoughtKind::Letter => NeedleKind::Letter,
            SoughtKind::Phrase => NeedleKind::Phrase,
            SoughtKind::Regex => NeedleKind::Regex,
            SoughtKind::Text => NeedleKind::Text,
            SoughtKind::Word => NeedleKind::Word,
        };
        let needle = Needle::new(known, text).map_err(|error| EvalError::new(error.to_string()))?;
        Ok(Sought::Needle(kind, needle))
    }

    pub fn kind(&self) -> SoughtKind {
        match self {
            Sought::Needle(kind, _) => *kind,
            Sought::Unit(unit, _) => SoughtKind::Unit(*unit),
        }
    }

    /// The text of the needle.
    pub fn needle_text(&self) -> String {
        match self {
            Sought::Needle(_, Needle::Char(c)) => c.to_string(),
            Sought::Needle(_, Needle::Regex(regex)) => regex.as_str().to_owned(),
            Sought::Needle(
                _,
                Needle::Word(text)
                | Needle::Phrase(text)
                | Needle::Keyword(text)
                | Needle::Letter(text)
                | Needle::Text(text),
            )
            | Sought::Unit(_, text) => text.clone(),
        }
    }

    /// Its occurrences, from left to right.
    pub fn occurrences(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        match self {
            Sought::Needle(_, needle) => occurrences(text, needle),
            Sought::Unit(unit, wanted) => equal_units(text, *unit, wanted).cloned().collect(),
        }
    }

    /// Whether it occurs.
    pub fn is_in(&self, text: &Text<'_>) -> bool {
        match self {
            Sought::Needle(_, needle) => occurs(text, needle),
            Sought::Unit(unit, wanted) => equal_units(text, *unit, wanted).next().is_some(),
        }
    }

    pub fn count(&self, text: &Text<'_>) -> usize {
        match self {
            Sought::Needle(_, needle) => count_occurrences(text, needle),
            Sought::Unit(unit, wanted) => equal_units(text, *unit, wanted).count(),
        }
    }
}

fn equal_units<'t>(
    text: &'t Text<'_>,
    unit: Unit,
    wanted: &'t str,
) -> impl Iterator<Item = &'t Range<usize>> {
    text.units(unit).iter().filter(move |range| {
        let found = text.str().get((*range).clone()).unwrap_or("");
        found.chars().map(simple_fold).eq(wanted.chars().map(simple_fold))
    })
}
