//! The functions of the predicate language: one table, read by the evaluator, the type checker,
//! `ifs explain`, the reference page and the tests.
//!
//! A function is one row in the file of its family, which lists it in its `ROWS`.

mod alike;
mod answers;
mod case;
pub(crate) mod claims;
mod counts;
mod edges;
#[cfg(test)]
mod examples;
pub(crate) mod hooks;
#[cfg(test)]
mod hostile;
pub(super) mod json;
mod lists;
mod numbers;
mod records;
mod sequences;
pub(super) mod shapes;
mod similarity;
mod sought;
mod sounds;
mod tests;
pub(crate) mod texts;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::fault::EvalError;
use super::number::Number;
use super::operand::{Operand, TextPiece};
use crate::tree::{Node, Tree};
use crate::value::Value;
use hooks::{
    Bring, Demand, Derived, Distance, Early, Finding, Grow, IfEqual, Implies, Measures,
    MemberLabel, OwnThings, Repair, Spreads, Steady, WithMembers,
};
pub use hooks::{Reads, Sees};
use ifs_text::Shape;
pub use numbers::chance_of_all;
pub(crate) use tests::no_language;

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
    /// The same before its arguments are evaluated, if that saves work.
    pub(crate) early: Option<Early>,
    /// The same for a plain string, if possible.
    pub(crate) plain: Option<PlainTest>,
    /// The shape that it tests.
    pub(crate) shape: Option<Shape>,
    pub(crate) demand: Option<Demand>,
    pub(crate) finding: Option<Finding>,
    pub(crate) implies: Option<Implies>,
    /// For a test.
    pub(crate) repair: Option<Repair>,
    /// For a number.
    pub(crate) bring: Option<Bring>,
    pub(crate) measures: Option<Measures>,
    pub(crate) spreads: Option<Spreads>,
    /// For a text.
    pub(crate) if_equal: Option<IfEqual>,
    pub(crate) steady: Steady,
    /// What of the form of the text it notices.
    pub sees: Sees,
    pub(crate) derived: Derived,
    /// Whether it counts something: its value is a whole number and never negative.
    pub(crate) counts: bool,
    /// It has a value for every text, unless another argument is empty.
    pub total: bool,
    /// Its examples add nothing to plain words, so a search for texts ignores them.
    pub(crate) is_common: bool,
    /// Its value for a value from JSON is from the same place.
    pub(crate) keeps_origin: bool,
    /// Its value is the language that a text is written in.
    pub(crate) is_language: bool,
    /// Its value lies between those of its arguments, or of the members of its list.
    pub is_between: bool,
    /// Its value is a part of the list in its second argument.
    pub(crate) takes_part: bool,
    /// What the value of a number or a text is called: `the share of rhymes`.
    pub(crate) noun: Option<&'static str>,
    /// What a member of its list is called, and several.
    pub(crate) member_nouns: Option<[&'static str; 2]>,
    /// The noun for the members of its list, if it depends on the arguments.
    pub(crate) things: Option<OwnThings>,
    /// For a number: the noun for what it counts.
    pub(crate) counted: Option<OwnThings>,
    /// For a list: the label of one of its members.
    pub(crate) member_label: Option<MemberLabel>,
    /// For a list: a text from which it has given members.
    pub(crate) with_members: Option<WithMembers>,
    /// For a list: a text from which it has one member more.
    pub(crate) grow: Option<Grow>,
    /// For a test that does not hold: how far the text is from it.
    pub(crate) distance: Option<Distance>,
    /// The verdict on a text that its parts have too.
    pub(crate) handed_down: Option<bool>,
    /// The texts that it has a value for.
    pub reads: Reads,
    /// It compares each part of one text with each of another.
    pub(crate) is_quadratic: bool,
    /// The nodes that reading a byte of its text costs, where that is more than a passing look.
    pub(crate) nodes_per_byte: usize,
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
    /// A list of numbers, or of conditions, which count 1 where they hold.
    NumbersOrConditions,
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

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    Tree::new(Node::Call(Func::COUNT, vec![list]), span)
}

/// `len(list)`, at the position of the list.
pub fn len_of(list: Tree) -> Tree {
    let span = list.span;
    Tree::new(Node::Call(Func::LEN, vec![list]), span)
}

/// The rows of all families, sorted by name.
const SORTED: [&Function; COUNT] = sorted(FAMILIES);

static TABLE: [&Function; COUNT] = SORTED;

const COUNT: usize = {
    let (mut at, mut count) = (0, 0);
    while at < FAMILIES.len() {
        count += FAMILIES[at].len();
        at += 1;
    }
    count
};

const FAMILIES: &[&[&Function]] = &[
    answers::ROWS,
    case::ROWS,
    claims::ROWS,
    counts::ROWS,
    edges::ROWS,
    json::ROWS,
    lists::ROWS,
    numbers::ROWS,
    records::ROWS,
    sequences::ROWS,
    shapes::ROWS,
    similarity::ROWS,
    sounds::ROWS,
    tests::ROWS,
    texts::ROWS,
];

const fn sorted(families: &[&[&'static Function]]) -> [&'static Function; COUNT] {
    let mut rows = [families[0][0]; COUNT];
    let (mut len, mut family) = (0, 0);
    while family < families.len() {
        let mut next = 0;
        while next < families[family].len() {
            let row = families[family][next];
            let mut at = len;
            while at > 0 && compare(rows[at - 1].name, row.name).is_ge() {
                let last = rows[at - 1];
                assert!(compare(last.name, row.name).is_ne(), "two functions have the same name");
                rows[at] = last;
                at -= 1;
            }
            rows[at] = row;
            len += 1;
            next += 1;
        }
        family += 1;
    }
    rows
}

/// Compares names at compile time.
const fn compare(one: &str, other: &str) -> Ordering {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() {
        if one[at] != other[at] {
            return if one[at] < other[at] { Ordering::Less } else { Ordering::Greater };
        }
        at += 1;
    }
    match (at < one.len(), at < other.len()) {
        (false, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// A function of the language, as trees have it: its position among all, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Func(u16);

impl Func {
    pub fn row(self) -> &'static Function {
        TABLE[usize::from(self.0)]
    }

    /// The function with a name that is known when this is compiled.
    const fn named(name: &str) -> Func {
        let mut at = 0;
        while compare(SORTED[at].name, name).is_lt() {
            at += 1;
        }
        assert!(compare(SORTED[at].name, name).is_eq(), "there is no function with this name");
        Func(at as u16)
    }
}

/// The function with a name.
pub fn lookup(name: &str) -> Option<Func> {
    let place = TABLE.binary_search_by_key(&name, |function| function.name).ok()?;
    u16::try_from(place).ok().map(Func)
}

/// All functions, by name.
pub fn all() -> impl Iterator<Item = Func> {
    (0..COUNT as u16).map(Func)
}

impl fmt::Debug for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

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
pub(crate) struct PlainTest {
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
        early: None,
        plain: None,
        shape: None,
        demand: None,
        finding: None,
        implies: None,
        repair: None,
        bring: None,
        measures: None,
        spreads: None,
        if_equal: None,
        steady: Steady::Unknown,
        sees: Sees::All,
        derived: Derived::Own,
        counts: false,
        total: false,
        is_common: false,
        keeps_origin: false,
        is_language: false,
        is_between: false,
        takes_part: false,
        noun: None,
        member_nouns: None,
        things: None,
        counted: None,
        member_label: None,
        with_members: None,
        grow: None,
        distance: None,
        handed_down: None,
        reads: Reads::Any,
        is_quadratic: false,
        nodes_per_byte: 0,
    };

    /// Whether it tests a number rather than a text.
    pub(crate) fn is_about_number(&self) -> bool {
        let first = self.params.first().map(|param| param.ty);
        self.returns == ReturnType::Bool
            && matches!(first, Some(ParamType::Number | ParamType::Int))
    }

    /// Whether it counts the members of its only argument.
    pub fn counts_members(&self) -> bool {
        let first = self.params.first().map(|param| param.ty);
        self.counts && matches!(first, Some(ParamType::Countable | ParamType::Sized))
    }

    /// Whether it needs the text to be JSON.
    pub(crate) fn reads_json(&self) -> bool {
        self.derived == Derived::JsonValue
            || matches!(self.shape, Some(Shape::Json | Shape::JsonReleased))
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

    /// What a text says without its wrapping.
    pub(super) fn content(&self, at: usize) -> Result<TextPiece<'a>, EvalError> {
        Ok(self.piece(at)?.content())
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

    /// Numbers, or conditions as 1 and 0.
    pub(super) fn numbers_or_conditions(&self, at: usize) -> Result<Vec<Number>, EvalError> {
        let number = |member: &Operand<'a>| match member {
            Operand::Value(Value::Bool(holds)) => Ok(Number::Int(i64::from(*holds))),
            member => member.as_number().ok_or_else(|| self.unfit(member, "numbers")),
        };
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
