//! The hooks of a row, in addition to the value: for explanations, bounds and repairs.

use super::Func;
use crate::predicate::bound::{Alternatives, CheckReader, Fact, Interval, Measure};
use crate::predicate::evaluate::Env;
use crate::predicate::explain::{Labels, Things, VerbForm, Wording};
use crate::predicate::fault::EvalError;
use crate::predicate::number::Number;
use crate::predicate::operand::Operand;
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

    /// Whether the first argument is the current text.
    pub fn is_about_it(&self) -> bool {
        matches!(self.arguments, [Tree { node: Node::It, .. }, ..])
    }
}

/// Demands that more than one place words.
pub(in crate::predicate) const CONTAIN: &str = "<contain> {sought}";
pub(in crate::predicate) const HAVE_FORM: &str = "<be> JSON of the form asked for";

/// A function that writes a demand from a call's arguments, in a scene, for a thing, in a form.
pub(in crate::predicate) type OwnDemand =
    for<'a> fn(&'a [Tree], &Env<'_, 'a>, &Labels<'_>, VerbForm) -> Option<String>;

/// The demand of a test, in English: `<be> in capitals only`. The verb in angles is inflected.
/// `templates/reasons` has it in other languages, or a reason there shows the check as code.
#[derive(Clone, Copy)]
pub(in crate::predicate) enum Demand {
    Plain(&'static str),
    /// With the second argument as `{sought}`.
    Sought(&'static str),
    /// With the second and third argument as `{left}` and `{right}`.
    Pair(&'static str),
    Own(OwnDemand),
}

/// The finding for a text for which a test does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Finding {
    /// How it starts.
    Start,
    /// How it ends.
    End,
    StartAndEnd,
    /// What it contains, or lacks.
    Sought,
    /// It is empty.
    Empty,
    /// Its first small letter, or capital.
    SmallLetter,
    Capital,
    /// The repeated member of a list.
    Twice,
    /// The place where the first argument does not fit the schema in the second.
    Misfit,
    /// The place where the text, as JSON, does not fit the optional schema.
    TextMisfit,
}

/// What the verdict of a test implies for the current text.
pub(in crate::predicate) type Implies = fn(&CheckReader<'_>, &Call<'_>, bool) -> Alternatives;

/// The call that a repair should make true, or false.
#[derive(Clone, Copy)]
pub(in crate::predicate) struct Repaired<'t> {
    pub call: Call<'t>,
    pub text: &'t str,
    /// The depth of nested repairs.
    pub depth: usize,
}

/// Edits the text so that a test holds, or fails. `None` if no edit is known.
pub(in crate::predicate) type Repair =
    fn(&mut Repairer<'_, '_>, &Repaired<'_>, bool) -> Option<String>;

/// Edits the text so that a measure has a number, or is nearer to it.
pub(in crate::predicate) type Bring =
    fn(&mut Repairer<'_, '_>, &Repaired<'_>, Number) -> Option<String>;

/// What a number measures of the current text; `None` if it is a measure of its own.
pub(in crate::predicate) type Measures = fn(&Call<'_>) -> Option<Measure>;

/// What follows for the current text if a text is this value. The tree is the check.
pub(in crate::predicate) type IfEqual = fn(&CheckReader<'_>, &Tree, &Call<'_>, &str) -> Vec<Fact>;

/// The value of a call that does not need all of its arguments; `None` if it does.
pub(in crate::predicate) type Early =
    for<'a> fn(&Env<'_, 'a>, &'a [Tree]) -> Result<Option<Operand<'a>>, EvalError>;

/// What else follows for the current text if a number has bounds. The tree is the check.
pub(in crate::predicate) type Spreads =
    fn(&CheckReader<'_>, &Tree, &Call<'_>, Interval) -> Vec<Fact>;

/// The noun for several members of the list that a call with these arguments has, or for one.
pub(in crate::predicate) type OwnThings =
    for<'a> fn(&'a [Tree], &Env<'_, 'a>, &Labels<'_>, usize) -> Option<Things>;

/// The label of one member of the list of a call with these arguments, by its index.
pub(in crate::predicate) type MemberLabel =
    for<'a> fn(&'a [Tree], usize, &Env<'_, 'a>, &Wording) -> Option<String>;

/// Edits the text so that the list of a call has these members.
pub(in crate::predicate) type WithMembers =
    fn(&mut Repairer<'_, '_>, &Call<'_>, &[String], &str) -> Option<String>;

/// Edits the text so that the list of a call has one member more.
pub(in crate::predicate) type Grow = fn(&mut Repairer<'_, '_>, &Repaired<'_>) -> Option<String>;

/// How far a text is from a test with these arguments, which does not hold.
pub(in crate::predicate) type Distance = for<'a> fn(&'a [Tree], &Env<'_, 'a>) -> u64;

/// The texts that a function has a value for, which a witness is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    Any,
    /// Chinese characters.
    Han,
    /// Chinese characters in classical tones.
    Tones,
}

/// When the value of a call is independent of case and of outer blanks of the current text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Steady {
    Unknown,
    /// If its arguments are.
    Arguments,
    /// If the counted members do not depend on blanks.
    Count,
    /// If the text and the pattern in the second argument are.
    Sought,
    /// If the other arguments are: like the list in the last argument.
    Members,
    /// If the members of the list do not depend on blanks.
    OfMembers,
}

/// The relation of a function's result to the text or the list that it is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum Derived {
    /// None that analyses know.
    Own,
    /// The same text in other letters.
    Same(LetterChange),
    /// The text with the second argument replaced by the third.
    Replaced,
    /// A stretch of the text.
    Part,
    /// The stretches of the text between the places of the second argument.
    Split,
    /// The rows of the text, with the second argument between cells.
    Rows,
    /// The value at a pointer of the text as JSON.
    JsonValue,
    /// The members of the list, with the second argument between them.
    Joined,
    /// The first letters of the members.
    Initials,
    Reversed,
    Sorted,
    /// One of those members that are the same.
    Distinct,
    /// Each run of as many members of the second argument as the first says.
    Windows,
}

/// A change of letters that leaves the text the same for readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::predicate) enum LetterChange {
    Lower,
    Upper,
    /// Without accents.
    Accents,
    /// Without outer blanks.
    Blanks,
}

impl Derived {
    /// Whether a repair usually edits the argument to change the result.
    pub fn is_mostly_the_same(self) -> bool {
        matches!(self, Derived::Same(_) | Derived::Replaced)
    }
}
