//! `UNIT "text"`: something to look for, and where it is.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fault::Fault;
use crate::text::python::simple_fold;
use crate::text::{Needle, NeedleKind, Text, Unit, count_occurrences, occurrences, occurs};

/// A needle of the language: one of the kinds that `text` knows, or any unit that has to be equal
/// to what is looked for, ignoring case (`emoji "😀"`, `line "Sincerely"`).
#[derive(Clone, Debug)]
pub enum Sought {
    Needle(Kind, Needle),
    Unit(Unit, String),
}

/// How a needle is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
const KINDS: [(&str, Kind); 7] = [
    ("char", Kind::Char),
    ("keyword", Kind::Keyword),
    ("letter", Kind::Letter),
    ("phrase", Kind::Phrase),
    ("regex", Kind::Regex),
    ("text", Kind::Text),
    ("word", Kind::Word),
];

impl Kind {
    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Kind> {
        let own = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        own.or_else(|| Unit::from_name(name).map(Kind::Unit))
    }

    /// The name before the text of the needle.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Unit(unit) => unit.name(),
            _ => KINDS.iter().find(|(_, kind)| *kind == self).map_or("text", |(name, _)| *name),
        }
    }

    /// The unit of the same name.
    pub fn unit(self) -> Option<Unit> {
        match self {
            Kind::Char => Some(Unit::Char),
            Kind::Letter => Some(Unit::Letter),
            Kind::Word => Some(Unit::Word),
            Kind::Unit(unit) => Some(unit),
            Kind::Keyword | Kind::Phrase | Kind::Regex | Kind::Text => None,
        }
    }
}

/// By name, so that what is sorted by it does not depend on the order of declaration.
impl Ord for Kind {
    fn cmp(&self, other: &Kind) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Kind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In a plan a kind is its name.
impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{name}` is not a kind of needle"));
        Kind::from_name(&name).ok_or_else(unknown)
    }
}

/// The names of kinds of needles that are not units.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name).filter(|name| Unit::from_name(name).is_none())
}

impl Sought {
    /// # Errors
    /// When it cannot be that text.
    pub fn new(kind: Kind, text: &str) -> Result<Sought, Fault> {
        let known = match kind {
            Kind::Unit(_) if text.is_empty() => {
                return Err(Fault::new("an empty needle is found nowhere"));
            }
            Kind::Unit(unit) => return Ok(Sought::Unit(unit, text.to_owned())),
            Kind::Char => NeedleKind::Char,
            Kind::Keyword => NeedleKind::Keyword,
            Kind::Letter => NeedleKind::Letter,
            Kind::Phrase => NeedleKind::Phrase,
            Kind::Regex => NeedleKind::Regex,
            Kind::Text => NeedleKind::Text,
            Kind::Word => NeedleKind::Word,
        };
        let needle = Needle::new(known, text).map_err(|error| Fault::new(error.to_string()))?;
        Ok(Sought::Needle(kind, needle))
    }

    pub fn kind(&self) -> Kind {
        match self {
            Sought::Needle(kind, _) => *kind,
            Sought::Unit(unit, _) => Kind::Unit(*unit),
        }
    }

    /// The text of the needle.
    pub fn text(&self) -> String {
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
    pub fn places(&self, text: &Text<'_>) -> Vec<Range<usize>> {
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
