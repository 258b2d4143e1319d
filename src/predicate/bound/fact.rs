//! Properties of every response for which a check holds.

use std::sync::Arc;

use regex_syntax::hir::ClassUnicode;

use super::Interval;
use crate::predicate::evaluate::{TextContext, evaluate};
use crate::predicate::functions::{Func, count_of};
use crate::predicate::needles::SearchKind;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::source::Span;
use crate::text::python::simple_fold;
use crate::text::{Shape, Text, Unit};

/// A property of the current text, and the part of the check from which it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub property: Property,
    pub goal: usize,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    Measured(Measure, Interval),
    /// The value of an expression that is not a number: `language == "de"`.
    Is(Arc<Tree>, Value),
    IsNot(Arc<Tree>, Value),
    Starts(TextEdge),
    Ends(TextEdge),
    StartsNot(TextEdge),
    EndsNot(TextEdge),
    /// Its first character is one of these, which are not blanks.
    StartsIn(ClassUnicode),
    /// It equals this text (folded), ignoring case and outer blanks.
    Whole(String),
    /// The verdict of a check that ignores case and outer blanks.
    Verdict(Arc<Tree>, bool),
    /// It has no other characters than these.
    Only(ClassUnicode),
    /// It has one of these characters.
    Has(ClassUnicode),
    /// The maximum number of different characters of these, ignoring case.
    Few(ClassUnicode, i64),
    /// One of these lists is true. Only for members.
    Any(Vec<Vec<Fact>>),
    /// A sum of measures with factors: `count(word) - 6 * count(sentence)` is 0.
    Sum(Vec<(Measure, i64)>, Interval),
    /// No two units of a kind are the same.
    Distinct(Unit),
    Shape(Shape),
    NoLower(Letters),
    NoUpper(Letters),
    HasLower(Letters),
    HasUpper(Letters),
    /// These are true of every member of a list.
    Each(ListSource, Vec<Fact>),
    /// These are true of at least one member: the one with the ordinal, or any.
    One(ListSource, Option<i64>, Vec<Fact>),
    /// Nothing satisfies this.
    Never,
}

/// Which letters a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Letters {
    All,
    Ascii,
}

/// A list: all units of a kind in the current text, or the value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListSource {
    Units(Unit),
    Other(Arc<Tree>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    Count(Unit),
    /// Occurrences of something, by its kind and (except for `text`) without its case.
    Needle(SearchKind, String),
    /// The share of capitals among these letters, in percent.
    Capitals(Letters),
    /// The number that any other expression is; whether it counts something.
    Other(Arc<Tree>, bool),
}

/// What a text starts or ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextEdge {
    /// Exactly this, ignoring blanks.
    Exact(String),
    /// The first or last letter, without its case.
    Letter(char),
    /// The first or last of the letters a to z.
    LetterReleased(char),
    /// This, without its case, next to blanks and stripped punctuation.
    PartReleased(String),
    /// A needle with nothing but punctuation before or after it.
    Needle(SearchKind, String),
    /// One mark of a pair at this edge, and the other somewhere else: this edge, that one.
    Pair { here: String, there: String },
}

impl Property {
    /// Whether it requires an empty text: no letters, no words.
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
            Letters::All => Func::SHARE_UPPER.name,
            Letters::Ascii => Func::SHARE_UPPER_AS_RELEASED.name,
        }
    }
}

impl Measure {
    /// How often something occurs; `None` for nothing.
    pub(in crate::predicate) fn needle(kind: SearchKind, part: &str) -> Option<Measure> {
        Some(match kind {
            _ if part.is_empty() => return None,
            SearchKind::Text | SearchKind::Char => {
                Measure::Needle(SearchKind::Text, part.to_owned())
            }
            // The pattern is not the text that it finds.
            SearchKind::Regex => {
                let part = Tree::without_place(Node::Value(Value::text(part)));
                Measure::count_of(Tree::without_place(Node::Needle(
                    SearchKind::Regex,
                    Box::new(part),
                )))
            }
            kind => Measure::Needle(kind, part.chars().map(simple_fold).collect()),
        })
    }

    /// The number of members of a list, or of occurrences.
    pub(in crate::predicate) fn count_of(list: Tree) -> Measure {
        Measure::Other(Arc::new(count_of(list)), true)
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

/// Whether a text without capitals, and without blanks around it, answers otherwise.
pub(super) fn denies(text: &str, tree: &Tree, wanted: bool) -> bool {
    let scene = TextContext { it: &Text::new(text), variables: &() };
    evaluate(tree, &scene) == Ok(Value::Bool(!wanted))
}
