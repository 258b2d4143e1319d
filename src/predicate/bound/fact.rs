//! Things that are true of every answer a check holds of.

use std::sync::Arc;

use regex_syntax::hir::ClassUnicode;

use super::Interval;
use crate::predicate::functions::Func;
use crate::predicate::needles::Kind;
use crate::predicate::tree::Tree;
use crate::predicate::value::Value;
use crate::source::Span;
use crate::text::python::simple_fold;
use crate::text::{Shape, Unit};

/// Something true of the text at hand, and the part of the check that says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub property: Property,
    pub goal: usize,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    Measured(Measure, Interval),
    /// A measure that is a text, by its source: `language == "de"`.
    Is(String, Value),
    IsNot(String, Value),
    Starts(Edge),
    Ends(Edge),
    StartsNot(Edge),
    EndsNot(Edge),
    /// Its first character is one of these, none of which is a blank.
    StartsIn(ClassUnicode),
    /// It is this and nothing else, blanks around and case aside (folded).
    Whole(String),
    /// A check holds of it, or fails, that asks for neither capitals nor outer blanks.
    Verdict(Arc<Tree>, bool),
    /// It has no other characters than these.
    Only(ClassUnicode),
    /// It has one of these characters.
    Has(ClassUnicode),
    /// No more than so many different characters of these, case aside.
    Few(ClassUnicode, i64),
    /// One of these lists is true. Only among what is said of members.
    Any(Vec<Vec<Fact>>),
    /// So many times each of these together: `count(word) - 6 * count(sentence)` is 0.
    Sum(Vec<(Measure, i64)>, Interval),
    /// No two units of a kind are the same.
    Distinct(Unit),
    Shape(Shape),
    NoLower(Letters),
    NoUpper(Letters),
    HasLower(Letters),
    HasUpper(Letters),
    /// These are true of every member of a list, given by its source.
    Each(Members, Vec<Fact>),
    /// These are true of one member at least: of that with the ordinal, or of any.
    One(Members, Option<i64>, Vec<Fact>),
    /// Nothing satisfies this.
    Never,
}

/// Which letters a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Letters {
    All,
    Ascii,
}

/// A list: all units of a kind in the text at hand, or another, by its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Members {
    Units(Unit),
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    Count(Unit),
    /// Occurrences of something, by its kind and (except for `text`) without its case.
    Needle(Kind, String),
    /// The share of capitals among these letters, in percent.
    Capitals(Letters),
    /// Anything else that is a number, by its source; whether it counts something.
    Other(String, bool),
}

/// What a text starts or ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Exactly this, blanks aside.
    Exact(String),
    /// The first or last letter, without its case.
    Letter(char),
    /// The first or last of the letters a to z.
    LetterReleased(char),
    /// This, without its case, next to blanks and stripped punctuation.
    PartReleased(String),
    /// A needle with nothing but punctuation before or after it.
    Needle(Kind, String),
    /// One mark of a pair at this edge, and the other somewhere else: this edge, that one.
    Pair { here: String, there: String },
}

impl Property {
    /// Whether it leaves nothing to say: no letters, no words.
    pub(super) fn empties(&self) -> bool {
        let Property::Measured(Measure::Count(unit), interval) = self else { return false };
        matches!(unit, Unit::Char | Unit::Letter | Unit::Word | Unit::WordPattern | Unit::Sentence)
            && interval.high_int() == Some(0)
    }
}

impl Letters {
    /// The name of the function whose value their share of capitals is.
    pub(super) fn share(self) -> &'static str {
        match self {
            Letters::All => Func::ShareUpper.name,
            Letters::Ascii => Func::ShareUpperAsReleased.name,
        }
    }
}

impl Measure {
    /// How often something occurs; `None` for nothing.
    pub(in crate::predicate) fn needle(kind: Kind, part: &str) -> Option<Measure> {
        Some(match kind {
            _ if part.is_empty() => return None,
            Kind::Text | Kind::Char => Measure::Needle(Kind::Text, part.to_owned()),
            // What it finds is not what it says.
            Kind::Regex => Measure::Other(format!("count(regex {part:?})"), true),
            kind => Measure::Needle(kind, part.chars().map(simple_fold).collect()),
        })
    }

    /// Whether it counts something, and so is a whole number and never negative.
    pub fn counts(&self) -> bool {
        match self {
            Measure::Count(_) | Measure::Needle(..) => true,
            Measure::Capitals(_) => false,
            Measure::Other(_, counts) => *counts,
        }
    }
}
