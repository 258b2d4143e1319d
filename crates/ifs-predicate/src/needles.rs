//! `UNIT "text"`: something to look for, and where it is.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fault::EvalError;
use ifs_text::python::simple_fold;
use ifs_text::{
    Needle, NeedleKind, Reading, Text, Unit, count_occurrences, fold, occurrences, occurs,
};

/// A needle of the language: one of the kinds that `text` knows, or any unit that has to be equal
/// to what is looked for, ignoring case (`emoji "😀"`, `line "Sincerely"`).
#[derive(Clone, Debug)]
pub enum SearchPattern {
    Needle(SearchKind, Needle),
    Unit(Unit, String),
}

/// How a needle is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    Char,
    Keyword,
    KeywordReleased,
    Lemma,
    Letter,
    Phrase,
    PhraseReleased,
    Regex,
    Text,
    Word,
    /// Any other unit, which has to be equal to what is looked for.
    Unit(Unit),
}

/// The kinds that are not units, or are read otherwise than the unit of that name.
const SEARCH_KINDS: [(&str, SearchKind); 10] = [
    ("char", SearchKind::Char),
    ("keyword", SearchKind::Keyword),
    ("keyword.released", SearchKind::KeywordReleased),
    ("lemma", SearchKind::Lemma),
    ("letter", SearchKind::Letter),
    ("phrase", SearchKind::Phrase),
    ("phrase.released", SearchKind::PhraseReleased),
    ("regex", SearchKind::Regex),
    ("text", SearchKind::Text),
    ("word", SearchKind::Word),
];

impl SearchKind {
    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<SearchKind> {
        let own = SEARCH_KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        own.or_else(|| Unit::from_name(name).map(SearchKind::Unit))
    }

    /// The name before the text of the needle.
    pub fn name(self) -> &'static str {
        match self {
            SearchKind::Unit(unit) => unit.name(),
            _ => SEARCH_KINDS
                .iter()
                .find(|(_, kind)| *kind == self)
                .map_or("text", |(name, _)| *name),
        }
    }

    /// The unit of the same name.
    pub fn unit(self) -> Option<Unit> {
        match self {
            SearchKind::Char => Some(Unit::Char),
            SearchKind::Letter => Some(Unit::Letter),
            SearchKind::Word => Some(Unit::Word),
            SearchKind::Unit(unit) => Some(unit),
            SearchKind::Lemma
            | SearchKind::Keyword
            | SearchKind::KeywordReleased
            | SearchKind::Phrase
            | SearchKind::PhraseReleased
            | SearchKind::Regex
            | SearchKind::Text => None,
        }
    }
}

/// By name, so that what is sorted by it does not depend on the order of declaration.
impl Ord for SearchKind {
    fn cmp(&self, other: &SearchKind) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for SearchKind {
    fn partial_cmp(&self, other: &SearchKind) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In a plan a kind is its name.
impl Serialize for SearchKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SearchKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SearchKind, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{name}` is not a kind of needle"));
        SearchKind::from_name(&name).ok_or_else(unknown)
    }
}

/// The names of kinds of needles that are not units.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    SEARCH_KINDS.iter().map(|(name, _)| *name).filter(|name| Unit::from_name(name).is_none())
}

impl SearchPattern {
    /// # Errors
    /// When it cannot be that text.
    pub fn new(kind: SearchKind, text: &str) -> Result<SearchPattern, EvalError> {
        let known = match kind {
            SearchKind::Unit(_) if text.is_empty() => {
                return Err(EvalError::new("an empty needle is found nowhere"));
            }
            SearchKind::Unit(unit) => return Ok(SearchPattern::Unit(unit, text.to_owned())),
            SearchKind::Char => NeedleKind::Char,
            SearchKind::Lemma => NeedleKind::Lemma,
            SearchKind::Keyword => NeedleKind::Keyword,
            SearchKind::KeywordReleased => NeedleKind::KeywordReleased,
            SearchKind::Letter => NeedleKind::Letter,
            SearchKind::Phrase => NeedleKind::Phrase,
            SearchKind::PhraseReleased => NeedleKind::PhraseReleased,
            SearchKind::Regex => NeedleKind::Regex,
            SearchKind::Text => NeedleKind::Text,
            SearchKind::Word => NeedleKind::Word,
        };
        let needle = Needle::new(known, text).map_err(|error| EvalError::new(error.to_string()))?;
        Ok(SearchPattern::Needle(kind, needle))
    }

    pub fn kind(&self) -> SearchKind {
        match self {
            SearchPattern::Needle(kind, _) => *kind,
            SearchPattern::Unit(unit, _) => SearchKind::Unit(*unit),
        }
    }

    /// The text of the needle.
    pub fn needle_text(&self) -> String {
        match self {
            SearchPattern::Needle(_, Needle::Char(c)) => c.to_string(),
            SearchPattern::Needle(_, Needle::Regex(regex)) => regex.as_str().to_owned(),
            SearchPattern::Needle(
                _,
                Needle::Word(text)
                | Needle::Phrase(text)
                | Needle::Keyword(text)
                | Needle::Lemma(text)
                | Needle::PhraseReleased(text)
                | Needle::KeywordReleased(text)
                | Needle::Letter(text)
                | Needle::Text(text),
            )
            | SearchPattern::Unit(_, text) => text.clone(),
        }
    }

    /// Its occurrences, from left to right, in the text as it is written.
    pub fn occurrences(&self, text: &Text<'_>) -> Vec<Range<usize>> {
        match self {
            SearchPattern::Needle(_, needle) => occurrences(text, needle),
            SearchPattern::Unit(unit, wanted) => {
                let found = self.units_in(&text.reading_for(*unit), *unit, wanted);
                found.into_iter().map(|range| text.origin_for(*unit, range)).collect()
            }
        }
    }

    /// Its occurrences in what a text says; `None` if it is sought in what is written.
    pub fn read_in(&self, reading: &Reading<'_>) -> Option<Vec<Range<usize>>> {
        match self {
            SearchPattern::Needle(_, needle) => {
                needle.is_read().then(|| reading.occurrences(needle))
            }
            SearchPattern::Unit(unit, wanted) => {
                unit.is_of_content().then(|| self.units_in(reading, *unit, wanted))
            }
        }
    }

    /// Whether it occurs.
    pub fn is_in(&self, text: &Text<'_>) -> bool {
        match self {
            SearchPattern::Needle(_, needle) => occurs(text, needle),
            SearchPattern::Unit(..) => !self.occurrences(text).is_empty(),
        }
    }

    pub fn count(&self, text: &Text<'_>) -> usize {
        match self {
            SearchPattern::Needle(_, needle) => count_occurrences(text, needle),
            SearchPattern::Unit(..) => self.occurrences(text).len(),
        }
    }

    /// The units that are alike.
    fn units_in(&self, reading: &Reading<'_>, unit: Unit, wanted: &str) -> Vec<Range<usize>> {
        let wanted = alike(unit, wanted);
        let found = reading.units(unit).iter();
        let is_same = |range: &&Range<usize>| {
            alike(unit, reading.str().get((*range).clone()).unwrap_or("")) == wanted
        };
        found.filter(is_same).cloned().collect()
    }
}

/// The form in which units are compared: that of readers for what is read from the content, and
/// without case for all others. The tone of a skin makes no other emoji.
fn alike(unit: Unit, text: &str) -> String {
    match unit {
        Unit::Emoji => text
            .chars()
            .filter(|c| !matches!(c, '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'))
            .collect(),
        unit if unit.is_of_content() => fold(text),
        _ => text.chars().map(simple_fold).collect(),
    }
}
