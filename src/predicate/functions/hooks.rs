//! What a row may say of its function besides its value, for those who explain and bound checks.

use super::Func;
use crate::predicate::bound::{Alternatives, Fact, Interval, Measure, Reader};
use crate::predicate::evaluate::Env;
use crate::predicate::explain::{Form, Who, Wording};
use crate::predicate::number::Number;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::witness::Repairer;

/// A call in a tree.
#[derive(Clone, Copy)]
pub(in crate::predicate) struct Call<'t> {
    pub tree: &'t Tree,
    pub func: Func,
    pub arguments: &'t [Tree],
}

impl<'t> Call<'t> {
    pub fn arg(&self, at: usize) -> Option<&'t Tree> {
        self.arguments.get(at)
    }

    /// Whether the first argument is the text at hand.
    pub fn is_about_it(&self) -> bool {
        matches!(self.arguments, [Tree { node: Node::It, .. }, ..])
    }
}

/// One of the phrases of a language.
pub(in crate::predicate) type Phrase = fn(&Wording) -> &str;

/// A demand in words of its own: of a call's arguments, in a place, about something, in a form.
pub(in crate::predicate) type OwnDemand =
    for<'a> fn(&'a [Tree], &Env<'_, 'a>, &Who<'_>, Form) -> Option<String>;

/// What a test asks for, in words.
#[derive(Clone, Copy)]
pub(in crate::predicate) enum Demand {
    /// `be in capitals`
    Plain(Phrase),
    /// `start with “S”`: of what is its second argument.
    Sought(Phrase),
    /// `open with “(” and have “)”`: of its second and third argument.
    Pair(Phrase),
    Own(OwnDemand),
}

/// What an explanation says of a text that a test does not hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Finding {
    /// How it starts.
    Start,
    /// How it ends.
    End,
    StartAndEnd,
    /// What it contains, or lacks.
    Sought,
    /// That it is empty.
    Empty,
    /// A small letter, or a capital, that it has.
    SmallLetter,
    Capital,
    /// The member of a list that is there twice.
    Twice,
    /// Where the value that it has first does not fit the schema after it.
    Misfit,
    /// Where the text, as JSON, does not fit the schema that may be given.
    TextMisfit,
}

/// What the verdict of a test says of the text at hand.
pub(in crate::predicate) type Implies = fn(&Reader<'_>, &Call<'_>, bool) -> Alternatives;

/// A call in a check that a text is changed towards.
#[derive(Clone, Copy)]
pub(in crate::predicate) struct Repaired<'t> {
    pub call: Call<'t>,
    pub text: &'t str,
    /// How many changes have led to this one.
    pub depth: usize,
}

/// The text changed so that a test of it holds, or fails. `None` where nothing is known to do.
pub(in crate::predicate) type Repair =
    fn(&mut Repairer<'_, '_>, &Repaired<'_>, bool) -> Option<String>;

/// The text changed so that a number of it is another, or nearer to it.
pub(in crate::predicate) type Bring =
    fn(&mut Repairer<'_, '_>, &Repaired<'_>, Number) -> Option<String>;

/// What a number measures of the text at hand; `None` where it is a measure of its own.
pub(in crate::predicate) type Measures = fn(&Call<'_>) -> Option<Measure>;

/// What else is true of the text at hand where a number of it lies between bounds. The tree is the
/// check that says so.
pub(in crate::predicate) type Spreads = fn(&Reader<'_>, &Tree, &Call<'_>, Interval) -> Vec<Fact>;

/// When the value of a call depends neither on capitals nor on the blanks around the text at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Steady {
    Unknown,
    /// Where its arguments do not.
    Arguments,
    /// Where the members that it counts do not depend on the blanks.
    Count,
    /// Where the pattern that is its second argument does not, and the text does not.
    Sought,
    /// As the list that is its last argument, where the others do not.
    Members,
    /// Where the members of the list do not depend on the blanks.
    OfMembers,
}

/// What the text that a function makes is, next to its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Derived {
    /// Another text.
    Own,
    /// The same in other letters: in capitals, without accents or outer blanks.
    Same,
    /// What is left of it.
    Rest,
    /// A stretch of it.
    Part,
}

impl Derived {
    /// Whether mostly the argument is changed where the text is to be another one.
    pub fn is_mostly_the_same(self) -> bool {
        matches!(self, Derived::Same | Derived::Rest)
    }
}
