//! The functions of the predicate language: one table, read by the evaluator, the type checker,
//! `ifs explain`, the reference page and the tests.
//!
//! A function is one row in the file of its family and one line in `list.rs`.

mod alike;
mod answers;
mod case;
mod counts;
mod edges;
#[cfg(test)]
mod examples;
pub(in crate::predicate) mod hooks;
#[cfg(test)]
mod hostile;
pub(super) mod json;
mod list;
mod lists;
mod numbers;
mod records;
mod sequences;
pub(super) mod shapes;
mod similarity;
mod sought;
mod sounds;
mod tests;
mod texts;

use std::borrow::Cow;
use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fault::EvalError;
use super::number::Number;
use super::operand::{Operand, TextPiece};
use crate::predicate::tree::{Node, Tree};
use crate::text::Shape;
pub(crate) use hooks::Reads;
use hooks::{
    Bring, Demand, Derived, Distance, Finding, Grow, Implies, Measures, OwnThings, Repair, Spreads,
    Steady, WithMembers,
};
pub use list::Func;

/// One row of the table.
pub struct Function {
    pub name: &'static str,
    /// The subject first, when it has one.
    pub params: &'static [FunctionParam],
    /// Whether it is about a text: its first parameter is `it` by default.
    pub subject: bool,
    pub returns: ReturnType,
    pub doc: &'static str,
    pub examples: &'static [Example],
    pub call: for<'a> fn(&Arguments<'_, 'a>) -> Result<Operand<'a>, EvalError>,
    /// The same for a plain string, if possible.
    pub(in crate::predicate) plain: Option<PlainTest>,
    /// The shape that it tests.
    pub(in crate::predicate) shape: Option<Shape>,
    pub(in crate::predicate) demand: Option<Demand>,
    pub(in crate::predicate) finding: Option<Finding>,
    pub(in crate::predicate) implies: Option<Implies>,
    /// For a test.
    pub(in crate::predicate) repair: Option<Repair>,
    /// For a number.
    pub(in crate::predicate) bring: Option<Bring>,
    pub(in crate::predicate) measures: Option<Measures>,
    pub(in crate::predicate) spreads: Option<Spreads>,
    pub(in crate::predicate) steady: Steady,
    pub(in crate::predicate) derived: Derived,
    /// Whether it counts something: its value is a whole number and never negative.
    pub(in crate::predicate) counts: bool,
    /// It has a value for every text, unless another argument is empty.
    pub total: bool,
    /// Its examples add nothing to plain words, so a search for texts ignores them.
    pub(in crate::predicate) is_common: bool,
    /// Its value for a value from JSON is from the same place.
    pub(in crate::predicate) keeps_origin: bool,
    /// Its value is a part of the list in its second argument.
    pub(in crate::predicate) takes_part: bool,
    /// The noun for the members of its list, if it is not its name.
    pub(in crate::predicate) things: Option<OwnThings>,
    /// For a list: a text from which it has given members.
    pub(in crate::predicate) with_members: Option<WithMembers>,
    /// For a list: a text from which it has one member more.
    pub(in crate::predicate) grow: Option<Grow>,
    /// For a test that does not hold: how far the text is from it.
    pub(in crate::predicate) distance: Option<Distance>,
    /// The verdict on a text that its parts have too.
    pub(in crate::predicate) handed_down: Option<bool>,
    /// The texts that it has a value for.
    pub(crate) reads: Reads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionParam {
    pub name: &'static str,
    pub ty: ParamType,
    pub optional: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    Text,
    /// A text, a needle or a regular expression.
    Sought,
    /// A list or a needle: a text, a needle with its kind, a regular expression.
    Countable,
    /// A list or a text.
    Sized,
    Number,
    Int,
    List,
    Numbers,
    Texts,
    /// A number, or a list of numbers when it is alone.
    NumberOrNumbers,
    Pattern,
    /// Anything that has a value.
    Any,
    /// A JSON Schema, as a record or as a text.
    Schema,
    /// Evaluated for each member of the list in the first argument, as `it`.
    Key,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnType {
    Bool,
    Int,
    Float,
    Text,
    Texts,
    Ints,
    /// Lists of texts.
    Rows,
    /// Known only from the response.
    Any,
    /// A list of the argument at this position.
    ListOf(usize),
    /// The type of the argument at this position.
    Same(usize),
    /// The type of the members of the list at this position; a number is unchanged.
    Member(usize),
    /// The members of the first argument, grouped by the key in the second.
    Groups,
    /// The members of the first argument, each with its number.
    Numbered,
    /// Pairs of a user message and a response.
    Exchanges,
    /// Int if the numbers at this position are integers, else float.
    Number(usize),
}

/// An expression, the text it is about, and its value.
pub type Example = (&'static str, &'static str, Expect);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expect {
    Holds,
    Fails,
    Int(i64),
    Float(f64),
    Text(&'static str),
    Texts(&'static [&'static str]),
    Ints(&'static [i64]),
    /// No value: the check that uses it does not hold.
    Faults,
}

impl std::fmt::Display for Expect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expect::Holds => f.write_str("holds"),
            Expect::Fails => f.write_str("does not hold"),
            Expect::Int(number) => write!(f, "{number}"),
            Expect::Float(number) => write!(f, "{number}"),
            Expect::Text(text) => write!(f, "{text:?}"),
            Expect::Texts(texts) => write!(f, "{texts:?}"),
            Expect::Ints(numbers) => write!(f, "{numbers:?}"),
            Expect::Faults => f.write_str("has no value"),
        }
    }
}

/// `count(list)`, at the position of the list.
pub(crate) fn count_of(list: Tree) -> Tree {
    let span = list.span;
    Tree::new(Node::Call(Func::Count, vec![list]), span)
}

/// `len(list)`, at the position of the list.
pub(crate) fn len_of(list: Tree) -> Tree {
    let span = list.span;
    Tree::new(Node::Call(Func::Len, vec![list]), span)
}

/// The function with a name.
pub fn lookup(name: &str) -> Option<Func> {
    let place = Func::ALL.binary_search_by_key(&name, |function| function.name).ok()?;
    Func::ALL.get(place).copied()
}

/// All functions, by name.
pub fn all() -> impl Iterator<Item = Func> {
    Func::ALL.iter().copied()
}

/// Generates the enum of functions and their table from one list: `Abs => numbers::ABS`.
macro_rules! functions {
    ($($function:ident => $row:path,)*) => {
        /// A function of the language: what a tree holds instead of its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Func {
            $($function,)*
        }

        impl Func {
            /// All of them, sorted by name.
            pub const ALL: &[Func] = &[$(Func::$function,)*];

            pub const fn row(self) -> &'static super::Function {
                match self {
                    $(Func::$function => const { &$row },)*
                }
            }
        }
    };
}
use functions;

impl Deref for Func {
    type Target = Function;

    fn deref(&self) -> &Function {
        self.row()
    }
}

/// In a plan a function is its name; one that does not exist is refused when the plan is read.
impl Serialize for Func {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for Func {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Func, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        lookup(&name).ok_or_else(|| D::Error::custom(format!("there is no function `{name}`")))
    }
}

/// A test of a text without other arguments, on a plain string: it often runs for thousands of
/// units.
pub(in crate::predicate) struct PlainTest {
    pub ask: fn(&str) -> bool,
    /// Whether it is false for every text without a capital.
    pub needs_capital: bool,
}

impl Function {
    /// A row with the defaults of all hooks.
    const BARE: Function = Function {
        name: "",
        params: &[],
        subject: false,
        returns: ReturnType::Any,
        doc: "",
        examples: &[],
        call: |_| Err(EvalError::new("this has no value")),
        plain: None,
        shape: None,
        demand: None,
        finding: None,
        implies: None,
        repair: None,
        bring: None,
        measures: None,
        spreads: None,
        steady: Steady::Unknown,
        derived: Derived::Own,
        counts: false,
        total: false,
        is_common: false,
        keeps_origin: false,
        takes_part: false,
        things: None,
        with_members: None,
        grow: None,
        distance: None,
        handed_down: None,
        reads: Reads::Any,
    };

    /// Whether it tests a number rather than a text.
    pub(in crate::predicate) fn is_about_number(&self) -> bool {
        let first = self.params.first().map(|param| param.ty);
        self.returns == ReturnType::Bool
            && matches!(first, Some(ParamType::Number | ParamType::Int))
    }

    /// The minimum number of arguments, including the subject.
    pub fn least_arguments(&self) -> usize {
        self.params.iter().filter(|param| !param.optional).count()
    }

    /// The number of optional texts after the subject, which must be written if they are.
    pub fn optional_text_count(&self) -> usize {
        let spare = |param: &&FunctionParam| param.optional && param.ty == ParamType::Text;
        if self.subject { self.params.iter().filter(spare).count() } else { 0 }
    }

    /// As a signature in the reference: `starts_with(sought)`, `first(n, list)`.
    pub fn signature(&self) -> String {
        let leaves_out = self.subject && self.optional_text_count() == 0;
        let own = if leaves_out { &self.params[1..] } else { self.params };
        let names: Vec<String> = own
            .iter()
            .map(|param| format!("{}{}", param.name, if param.optional { "?" } else { "" }))
            .collect();
        if names.is_empty() && self.subject {
            return self.name.to_owned();
        }
        format!("{}({})", self.name, names.join(", "))
    }
}

/// The evaluated arguments of a call.
pub struct Arguments<'e, 'a> {
    function: Func,
    all: &'e [Operand<'a>],
    it: &'e Operand<'a>,
}

impl<'e, 'a> Arguments<'e, 'a> {
    pub(super) fn new(
        function: Func,
        all: &'e [Operand<'a>],
        it: &'e Operand<'a>,
    ) -> Arguments<'e, 'a> {
        Arguments { function, all, it }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn optional(&self, at: usize) -> Option<&'e Operand<'a>> {
        self.all.get(at)
    }

    pub(super) fn get(&self, at: usize) -> Result<&'e Operand<'a>, EvalError> {
        self.all.get(at).ok_or_else(|| {
            let name = self.function.params.get(at).map_or("an argument", |param| param.name);
            EvalError::new(format!("`{}` needs `{name}`", self.function.name))
        })
    }

    fn unfit(&self, have: &Operand<'_>, wanted: &str) -> EvalError {
        EvalError::new(format!(
            "`{}` works on {wanted}, not on {}",
            self.function.name,
            have.kind()
        ))
    }

    pub(super) fn piece(&self, at: usize) -> Result<Cow<'e, TextPiece<'a>>, EvalError> {
        let operand = self.get(at)?;
        operand.as_piece().ok_or_else(|| self.unfit(operand, "a text"))
    }

    pub(super) fn text(&self, at: usize) -> Result<&'e str, EvalError> {
        let operand = self.get(at)?;
        operand.as_str().ok_or_else(|| self.unfit(operand, "a text"))
    }

    pub(super) fn number(&self, at: usize) -> Result<Number, EvalError> {
        let operand = self.get(at)?;
        operand.as_number().ok_or_else(|| self.unfit(operand, "a number"))
    }

    pub(super) fn int(&self, at: usize) -> Result<i64, EvalError> {
        let operand = self.get(at)?;
        operand.as_int().ok_or_else(|| self.unfit(operand, "a whole number"))
    }

    pub(super) fn members(&self, at: usize) -> Result<Vec<Operand<'a>>, EvalError> {
        Ok(self.members_at(at)?.collect())
    }

    pub(super) fn list(&self, at: usize) -> Result<&'e Operand<'a>, EvalError> {
        let operand = self.get(at)?;
        match operand.list_len() {
            Some(_) => Ok(operand),
            None => Err(self.unfit(operand, "a list")),
        }
    }

    /// The members of a list.
    pub(super) fn members_at(
        &self,
        at: usize,
    ) -> Result<impl Iterator<Item = Operand<'a>> + 'e, EvalError> {
        Ok(self.list(at)?.members())
    }

    pub(super) fn numbers(&self, at: usize) -> Result<Vec<Number>, EvalError> {
        let number =
            |member: &Operand<'a>| member.as_number().ok_or_else(|| self.unfit(member, "numbers"));
        self.members(at)?.iter().map(number).collect()
    }

    /// The current text, for functions that search `it`.
    pub(super) fn current_text(&self) -> Result<Cow<'e, TextPiece<'a>>, EvalError> {
        self.it.as_piece().ok_or_else(|| self.unfit(self.it, "a text"))
    }
}

const fn param(name: &'static str, ty: ParamType) -> FunctionParam {
    FunctionParam { name, ty, optional: false }
}

const fn optional(name: &'static str, ty: ParamType) -> FunctionParam {
    FunctionParam { name, ty, optional: true }
}

/// The first parameter of a function that is about a text.
const SUBJECT: FunctionParam = param("text", ParamType::Text);
