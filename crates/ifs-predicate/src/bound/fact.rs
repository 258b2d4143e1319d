//! Properties of every response for which a check holds.

use std::sync::Arc;

use regex_syntax::hir::ClassUnicode;

use super::{Interval, Texts};
use crate::evaluate::{TextContext, evaluate};
use crate::functions::{Func, count_of};
use crate::needles::SearchKind;
use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_base::source::Span;
use ifs_text::python::{is_letter, simple_fold, strip};
use ifs_text::{Shape, Text, Unit, fold};

/// A property of the current text, and the part of the check from which it follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub property: Property,
    pub goal: usize,
    pub span: Span,
    /// It is true of plain texts only: of those whose content is what is written.
    pub in_prose: bool,
}

/// What a property is about. A plain text is its own content; properties of the two sides
/// contradict one another for plain texts only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// What is written.
    Source,
    /// What it says, as readers compare it.
    Content,
    /// Both, or neither.
    Any,
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
    /// Those of the content, of any script.
    All,
    /// Those that are written, from a to z.
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
    /// This as readers compare it, with case, behind or before marks that they look through.
    Read(String),
    /// This mark of a pair that encloses text, in the form of `Read`, and its partner.
    Mark { here: String, there: String },
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

impl Fact {
    /// Whether it is true of these texts.
    pub(super) fn counts_for(&self, texts: Texts) -> bool {
        texts == Texts::Prose || !self.in_prose
    }

    /// Whether it is about what is written, whatever that says.
    pub(crate) fn is_of_source(&self) -> bool {
        !self.in_prose && self.property.subject() == Subject::Source
    }
}

impl Property {
    /// What it is about.
    pub(super) fn subject(&self) -> Subject {
        let of_unit =
            |unit: Unit| if unit.is_of_content() { Subject::Content } else { Subject::Source };
        match self {
            Property::Measured(measure, _) => match measure {
                Measure::Count(unit) => of_unit(*unit),
                Measure::Needle(kind, _) => kind.subject(),
                Measure::Capitals(letters) => letters.subject(),
                Measure::Other(..) => Subject::Any,
            },
            Property::Starts(edge)
            | Property::Ends(edge)
            | Property::StartsNot(edge)
            | Property::EndsNot(edge) => match edge {
                TextEdge::Exact(_)
                | TextEdge::LetterReleased(_)
                | TextEdge::PartReleased(_)
                | TextEdge::Pair { .. } => Subject::Source,
                TextEdge::Read(_) | TextEdge::Mark { .. } | TextEdge::Letter(_) => Subject::Content,
                TextEdge::Needle(kind, _) => kind.subject(),
            },
            Property::StartsIn(_)
            | Property::Only(_)
            | Property::Has(_)
            | Property::Few(..)
            | Property::Shape(_) => Subject::Source,
            Property::Whole(whole) if Text::new(whole).is_plain() => Subject::Any,
            Property::Whole(_) => Subject::Source,
            Property::Distinct(unit)
            | Property::Each(ListSource::Units(unit), _)
            | Property::One(ListSource::Units(unit), ..) => of_unit(*unit),
            Property::NoLower(letters)
            | Property::NoUpper(letters)
            | Property::HasLower(letters)
            | Property::HasUpper(letters) => letters.subject(),
            Property::Is(..)
            | Property::IsNot(..)
            | Property::Verdict(..)
            | Property::Any(_)
            | Property::Sum(..)
            | Property::Each(ListSource::Other(_), _)
            | Property::One(ListSource::Other(_), ..)
            | Property::Never => Subject::Any,
        }
    }

    /// Whether readers take other texts for the one that it names: what is concluded from the
    /// letters of this one is no proof.
    pub(super) fn reads_unusual_text(&self) -> bool {
        match self {
            Property::Measured(Measure::Needle(kind, part), _) => {
                kind.subject() == Subject::Content && is_unusual(part)
            }
            Property::Starts(edge)
            | Property::Ends(edge)
            | Property::StartsNot(edge)
            | Property::EndsNot(edge) => match edge {
                TextEdge::Read(part) | TextEdge::Mark { here: part, .. } => is_unusual(part),
                TextEdge::Needle(kind, part) => {
                    kind.subject() == Subject::Content && is_unusual(part)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether it requires an empty text: no letters, no words.
    pub(super) fn empties(&self) -> bool {
        let Property::Measured(Measure::Count(unit), interval) = self else { return false };
        matches!(unit, Unit::Char | Unit::Letter | Unit::Word | Unit::WordPattern | Unit::Sentence)
            && interval.high_int() == Some(0)
    }
}

impl SearchKind {
    /// What it is found in.
    pub(super) fn subject(self) -> Subject {
        match self {
            SearchKind::Lemma
            | SearchKind::Keyword
            | SearchKind::Letter
            | SearchKind::Phrase
            | SearchKind::Word => Subject::Content,
            SearchKind::Unit(unit) if unit.is_of_content() => Subject::Content,
            SearchKind::Char
            | SearchKind::KeywordReleased
            | SearchKind::PhraseReleased
            | SearchKind::Regex
            | SearchKind::Text
            | SearchKind::Unit(_) => Subject::Source,
        }
    }
}

impl Letters {
    fn subject(self) -> Subject {
        match self {
            Letters::All => Subject::Content,
            Letters::Ascii => Subject::Source,
        }
    }

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
    pub(crate) fn needle(kind: SearchKind, part: &str) -> Option<Measure> {
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
            kind if kind.subject() == Subject::Content => Measure::Needle(kind, fold(part)),
            kind => Measure::Needle(kind, part.chars().map(simple_fold).collect()),
        })
    }

    /// The number of members of a list, or of occurrences.
    pub(crate) fn count_of(list: Tree) -> Measure {
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

/// Whether a text is one of several that readers take for the same, or has other letters than one
/// that they read: outer blanks, characters of several code points, letters in circles.
pub(super) fn is_unusual(part: &str) -> bool {
    let is_usual = |c: char| {
        c.is_ascii_graphic() || c == ' ' || is_letter(c) && fold_of(c) == Some(simple_fold(c))
    };
    strip(part).len() != part.len() || !Text::new(part).is_plain() || !part.chars().all(is_usual)
}

/// What a character is read as, if that is one character.
fn fold_of(c: char) -> Option<char> {
    let folded = fold(c.encode_utf8(&mut [0; 4]));
    let mut chars = folded.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Whether a text without capitals, and without blanks around it, answers otherwise.
pub(super) fn denies(text: &str, tree: &Tree, wanted: bool) -> bool {
    let scene = TextContext { it: &Text::new(text), variables: &() };
    evaluate(tree, &scene) == Ok(Value::Bool(!wanted))
}
