//! The hooks of a row, in addition to the value: for explanations, bounds and repairs.

use super::Func;
use crate::bound::{Alternatives, CheckReader, Fact, Interval, Measure};
use crate::evaluate::Env;
use crate::explain::{Labels, Things, VerbForm, Wording};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::tree::{Node, Tree};
use crate::witness::Repairer;
use ifs_text::{Aspect, Aspects};

/// A call in a tree.
#[derive(Clone, Copy)]
pub(crate) struct Call<'t> {
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
pub(crate) const CONTAIN: &str = "<contain> {sought}";
pub(crate) const HAVE_FORM: &str = "<be> JSON of the form asked for";

/// A function that writes a demand from a call's arguments, in a scene, for a thing, in a form.
pub(crate) type OwnDemand =
    for<'a> fn(&'a [Tree], &Env<'_, 'a>, &Labels<'_>, VerbForm) -> Option<String>;

/// The demand of a test, in English: `<be> in capitals only`. The verb in angles is inflected.
/// `templates/reasons` has it in other languages, or a reason there shows the check as code.
#[derive(Clone, Copy)]
pub(crate) enum Demand {
    Plain(&'static str),
    /// With the second argument as `{sought}`.
    Sought(&'static str),
    /// With the second and third argument as `{left}` and `{right}`.
    Pair(&'static str),
    Own(OwnDemand),
}

/// The finding for a text for which a test does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
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
    /// What it asserts instead.
    Claim,
    /// The place where the text, as JSON, does not fit the optional schema.
    TextMisfit,
}

/// What the verdict of a test implies for the current text.
pub(crate) type Implies = fn(&CheckReader<'_>, &Call<'_>, bool) -> Alternatives;

/// The call that a repair should make true, or false.
#[derive(Clone, Copy)]
pub(crate) struct Repaired<'t> {
    pub call: Call<'t>,
    pub text: &'t str,
    /// The depth of nested repairs.
    pub depth: usize,
}

/// Edits the text so that a test holds, or fails. `None` if no edit is known.
pub(crate) type Repair = fn(&mut Repairer<'_, '_>, &Repaired<'_>, bool) -> Option<String>;

/// Edits the text so that a measure has a number, or is nearer to it.
pub(crate) type Bring = fn(&mut Repairer<'_, '_>, &Repaired<'_>, Number) -> Option<String>;

/// What a number measures of the current text; `None` if it is a measure of its own.
pub(crate) type Measures = fn(&Call<'_>) -> Option<Measure>;

/// What follows for the current text if a text is this value. The tree is the check.
pub(crate) type IfEqual = fn(&CheckReader<'_>, &Tree, &Call<'_>, &str) -> Vec<Fact>;

/// The value of a call that does not need all of its arguments; `None` if it does.
pub(crate) type Early =
    for<'a> fn(&Env<'_, 'a>, &'a [Tree]) -> Result<Option<Operand<'a>>, EvalError>;

/// What else follows for the current text if a number has bounds. The tree is the check.
pub(crate) type Spreads = fn(&CheckReader<'_>, &Tree, &Call<'_>, Interval) -> Vec<Fact>;

/// The noun for several members of the list that a call with these arguments has, or for one.
pub(crate) type OwnThings =
    for<'a> fn(&'a [Tree], &Env<'_, 'a>, &Labels<'_>, usize) -> Option<Things>;

/// The label of one member of the list of a call with these arguments, by its index.
pub(crate) type MemberLabel =
    for<'a> fn(&'a [Tree], usize, &Env<'_, 'a>, &Wording) -> Option<String>;

/// Edits the text so that the list of a call has these members.
pub(crate) type WithMembers =
    fn(&mut Repairer<'_, '_>, &Call<'_>, &[String], &str) -> Option<String>;

/// Edits the text so that the list of a call has one member more.
pub(crate) type Grow = fn(&mut Repairer<'_, '_>, &Repaired<'_>) -> Option<String>;

/// How far a text is from a test with these arguments, which does not hold.
pub(crate) type Distance = for<'a> fn(&'a [Tree], &Env<'_, 'a>) -> u64;

/// The texts that a function has a value for, which a witness is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Any,
    /// Chinese characters.
    Han,
    /// Chinese characters in classical tones.
    Tones,
}

/// When the value of a call is independent of case and of outer blanks of the current text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steady {
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

/// What a call notices of the form of the text that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// Everything.
    All,
    /// What its arguments do.
    Arguments,
    /// These, too.
    Also(Aspects),
    /// These, and what its other arguments seek in the text.
    Sought(Aspects),
    /// How many members its list has, or characters its text.
    Number,
    /// Each member of its list.
    Members,
}

pub(crate) const NOTHING_MORE: Aspects = Aspects::NONE;
pub(crate) const START: Aspects = Aspect::Start.set();
pub(crate) const END: Aspects = Aspect::End.set();
pub(crate) const EDGES: Aspects = Aspects::of(&[Aspect::Start, Aspect::End]);
pub(crate) const CASE: Aspects = Aspect::Case.set();
pub(crate) const LETTERS: Aspects = Aspects::of(&[Aspect::Letters, Aspect::Words, Aspect::Values]);
pub(crate) const SPELLING: Aspects = LETTERS.and(Aspect::Code.set());
pub(crate) const SIGNS: Aspects = Aspects::of(&[Aspect::Signs, Aspect::Glyphs]);
pub(crate) const FORMAT: Aspects = Aspects::of(&[Aspect::Format]);
pub(crate) const MARKDOWN: Aspects = Aspects::of(&[Aspect::Format, Aspect::Marks, Aspect::Lines]);
pub(crate) const WHICH_LANGUAGE: Aspects = Aspect::Language.set();
pub(crate) const FIRST_CODE_POINT: Aspects =
    Aspects::of(&[Aspect::Start, Aspect::Glyphs, Aspect::Marks, Aspect::Code]);

/// The relation of a function's result to the text or the list that it is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derived {
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
pub(crate) enum LetterChange {
    Lower,
    Upper,
    /// Without accents.
    Accents,
    /// Without outer blanks.
    Blanks,
    /// Without wrapping and marks.
    Marks,
}

impl Derived {
    /// Whether a repair usually edits the argument to change the result.
    pub fn is_mostly_the_same(self) -> bool {
        matches!(self, Derived::Same(_) | Derived::Replaced)
    }
}
