//! Templates that need no more than a small part of what minijinja can do, as ours
//! do: read into a tree once and filled in directly, to the same text at a tenth
//! of the cost.
//!
//! Everything here may say `None`: a template that holds more is not lowered, and
//! where a value is missing or of another kind than expected, minijinja fills the
//! template in and says what is wrong.

mod read;

pub(super) use read::names_alone;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Absent, MAX_TEXT, picked, put_naming, put_saying};
use crate::predicate::record::Record;
use crate::predicate::value::Value;

/// Why a template was not filled in here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Missing {
    /// A value that it prints is absent; what it is called where that is a path.
    Value(Option<String>),
    /// Something else, which minijinja does or says.
    Else,
}

#[derive(Debug, PartialEq)]
pub(super) struct Lowered {
    /// Every name in it, by its slot.
    names: Vec<String>,
    pieces: Vec<Piece>,
}

/// The place of a name's value while the template is filled in.
type Slot = usize;

#[derive(Debug, PartialEq)]
enum Piece {
    Text(String),
    Print(Expr),
    Set(Slot, Expr),
    /// Conditions with what they guard; the last may be always.
    If(Vec<(Option<Expr>, Vec<Piece>)>),
    For(Slot, Expr, Vec<Piece>),
    /// What is included, as if it was here.
    Included(Vec<Piece>),
}

#[derive(Debug, PartialEq)]
enum Expr {
    Text(String),
    Int(i64),
    Name(Slot),
    Field(Box<Expr>, String),
    Loop(LoopFact),
    Defined(Slot, bool),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// What, where, else what.
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Operation(Op, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum LoopFact {
    Index,
    IndexFromZero,
    First,
    Last,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Concat,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    More,
    MoreEqual,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Pick,
    Saying,
    Naming,
    Replace,
    Join,
}

/// The most times that loops of one template go round.
const ROUNDS: usize = 10_000;

impl Lowered {
    /// `None` for a template that takes minijinja. `others` are those it may include.
    pub fn new(text: &str, others: &BTreeMap<String, String>) -> Option<Lowered> {
        let (names, pieces) = read::read(text, others)?;
        Some(Lowered { names, pieces })
    }

    /// The names a template asks for; `None` where that takes knowing more than
    /// the names that are in it.
    pub fn names(&self) -> Option<BTreeSet<String>> {
        let mut names = BTreeSet::new();
        self.pieces.iter().try_for_each(|piece| piece.names(&self.names, &mut names))?;
        Some(names)
    }

    /// Writes the text, where every name has a value that is printed unchanged. What is written
    /// else is of no use.
    pub fn fill<'a>(
        &'a self,
        value: impl Fn(&str) -> Option<&'a Value>,
        absent: Absent,
        text: &mut String,
    ) -> Result<(), Missing> {
        // Few names have their values on the stack.
        let (mut few, mut many) = ([None; FEW], Vec::new());
        let slots = match few.get_mut(..self.names.len()) {
            Some(slots) => slots,
            None => {
                many.resize(self.names.len(), None);
                &mut many[..]
            }
        };
        for (slot, name) in slots.iter_mut().zip(&self.names) {
            *slot = value(name).map(Seen::of);
        }
        let (made, hidden) = (Vec::new(), Vec::new());
        let (round, rounds, missing) = (None, 0, None);
        let mut filling = Filling { slots, made, hidden, round, rounds, absent, missing, text };
        if filling.pieces(&self.pieces).is_some() {
            return Ok(());
        }
        Err(match filling.missing {
            Some(expr) => Missing::Value(expr.path(&self.names)),
            None => Missing::Else,
        })
    }
}

/// As many names as most templates have.
const FEW: usize = 16;

impl Piece {
    fn names(&self, known: &[String], into: &mut BTreeSet<String>) -> Option<()> {
        match self {
            Piece::Text(_) => Some(()),
            Piece::Print(expr) => expr.names(known, into),
            Piece::For(member, list, inner) => {
                let mut within = BTreeSet::new();
                inner.iter().try_for_each(|piece| piece.names(known, &mut within))?;
                within.retain(|name| name.split('.').next() != Some(&known[*member]));
                into.append(&mut within);
                list.names(known, into)
            }
            Piece::Set(..) | Piece::If(_) | Piece::Included(_) => None,
        }
    }

    /// Whether it leaves no names after, so that another template may include it.
    fn leaves_nothing(&self) -> bool {
        match self {
            Piece::Text(_) | Piece::Print(_) | Piece::For(..) => true,
            Piece::Set(..) | Piece::Included(_) => false,
            Piece::If(cases) => {
                cases.iter().all(|(_, inner)| inner.iter().all(Self::leaves_nothing))
            }
        }
    }
}

impl Expr {
    fn names(&self, known: &[String], into: &mut BTreeSet<String>) -> Option<()> {
        match self {
            Expr::Text(_) | Expr::Int(_) | Expr::Loop(_) => Some(()),
            Expr::Name(_) | Expr::Field(..) => {
                into.insert(self.path(known)?);
                Some(())
            }
            Expr::Call(Function::Pick, _) | Expr::Defined(..) => None,
            Expr::Not(inner) => inner.names(known, into),
            Expr::And(one, other) | Expr::Or(one, other) | Expr::Operation(_, one, other) => {
                one.names(known, into)?;
                other.names(known, into)
            }
            Expr::If(one, condition, other) => {
                condition.names(known, into)?;
                one.names(known, into)?;
                other.as_ref().map_or(Some(()), |other| other.names(known, into))
            }
            Expr::Call(_, given) => given.iter().try_for_each(|given| given.names(known, into)),
        }
    }

    fn path(&self, known: &[String]) -> Option<String> {
        match self {
            Expr::Name(slot) => Some(known[*slot].clone()),
            Expr::Field(of, name) => Some(format!("{}.{name}", of.path(known)?)),
            _ => None,
        }
    }
}

/// A value on the way; borrowed wherever it is somewhere already.
#[derive(Clone, Copy, Debug)]
enum Seen<'a> {
    /// `x if no`, which prints nothing.
    Silent,
    Nothing,
    Bool(bool),
    Int(i64),
    Text(&'a str),
    /// Made on the way: its place among what was.
    Made(usize),
    List(&'a [Value]),
    Record(&'a Record),
    /// Left to minijinja: a number with a fraction is printed in a way of its own.
    Foreign,
}

impl<'a> Seen<'a> {
    fn of(value: &'a Value) -> Seen<'a> {
        match value {
            Value::Nothing => Seen::Nothing,
            Value::Bool(value) => Seen::Bool(*value),
            Value::Int(value) => Seen::Int(*value),
            Value::Float(_) => Seen::Foreign,
            Value::Text(text) => Seen::Text(text),
            Value::List(members) => Seen::List(members),
            Value::Record(fields) => Seen::Record(fields),
        }
    }

    fn known(self) -> Option<Seen<'a>> {
        if matches!(self, Seen::Foreign) { None } else { Some(self) }
    }

    fn text<'s>(self, made: &'s [String]) -> Option<&'s str>
    where
        'a: 's,
    {
        match self {
            Seen::Text(text) => Some(text),
            Seen::Made(at) => made.get(at).map(String::as_str),
            _ => None,
        }
    }

    fn int(self) -> Option<i64> {
        match self {
            Seen::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// A template that is being filled in.
struct Filling<'a, 'f> {
    /// The values of the names; `None` for one that is not defined.
    slots: &'f mut [Option<Seen<'a>>],
    /// Texts that were made on the way.
    made: Vec<String>,
    /// What the names of a loop's round had for values before it.
    hidden: Vec<(Slot, Option<Seen<'a>>)>,
    /// The member of the innermost loop (from 0), and how many there are.
    round: Option<(usize, usize)>,
    rounds: usize,
    absent: Absent,
    /// What was to be printed and is absent.
    missing: Option<&'a Expr>,
    text: &'f mut String,
}

impl<'a> Filling<'a, '_> {
    fn pieces(&mut self, pieces: &'a [Piece]) -> Option<()> {
        for piece in pieces {
            self.piece(piece)?;
            if self.text.len() > MAX_TEXT {
                return None;
            }
        }
        Some(())
    }

    fn piece(&mut self, piece: &'a Piece) -> Option<()> {
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Print(expr) => self.print(expr)?,
            Piece::Set(slot, expr) => {
                let seen = self.value(expr)?;
                self.set(*slot, seen);
            }
            Piece::If(cases) => {
                for (condition, inner) in cases {
                    let holds = match condition {
                        Some(condition) => self.holds(condition)?,
                        None => true,
                    };
                    if holds {
                        return self.pieces(inner);
                    }
                }
            }
            Piece::For(slot, list, inner) => {
                let Seen::List(members) = self.value(list)? else { return None };
                let outside = self.round;
                for (at, member) in members.iter().enumerate() {
                    self.rounds += 1;
                    if self.rounds > ROUNDS {
                        return None;
                    }
                    let known = self.hidden.len();
                    self.round = Some((at, members.len()));
                    self.set(*slot, Seen::of(member).known()?);
                    self.pieces(inner)?;
                    for (slot, before) in self.hidden.drain(known..).rev() {
                        self.slots[slot] = before;
                    }
                }
                self.round = outside;
            }
            Piece::Included(inner) => self.pieces(inner)?,
        }
        Some(())
    }

    fn set(&mut self, slot: Slot, seen: Seen<'a>) {
        let before = self.slots[slot].replace(seen);
        if self.round.is_some() {
            self.hidden.push((slot, before));
        }
    }

    /// Writes the result of an expression, without making it first where it is put together.
    fn print(&mut self, expr: &'a Expr) -> Option<()> {
        match expr {
            Expr::Operation(Op::Concat, one, other) => {
                self.print(one)?;
                self.print(other)?;
            }
            Expr::If(one, condition, other) => match (self.holds(condition)?, other) {
                (true, _) => self.print(one)?,
                (false, Some(other)) => self.print(other)?,
                (false, None) => {}
            },
            Expr::Call(Function::Saying, given) => {
                let (phrase, sentence) = (self.given(given, 0)?, self.given(given, 1)?);
                let (phrase, sentence) = (phrase.text(&self.made)?, sentence.text(&self.made)?);
                put_saying(phrase, sentence, self.text);
            }
            Expr::Call(Function::Naming, given) => {
                let (phrase, place) = (self.given(given, 0)?, self.given(given, 1)?);
                let name = self.given(given, 2)?.text(&self.made)?;
                let (phrase, place) = (phrase.text(&self.made)?, place.text(&self.made)?);
                put_naming(phrase, place, name, self.text);
            }
            expr => match self.value(expr)? {
                Seen::Silent => {}
                Seen::Nothing if self.absent == Absent::LeftOut => {}
                Seen::Nothing => {
                    self.missing = Some(expr);
                    return None;
                }
                Seen::Int(value) => write!(self.text, "{value}").ok()?,
                seen => self.text.push_str(seen.text(&self.made)?),
            },
        }
        Some(())
    }

    /// What is put together, kept as a text of its own.
    fn printed(&mut self, expr: &'a Expr) -> Option<Seen<'a>> {
        let before = std::mem::replace(self.text, String::with_capacity(128));
        self.print(expr)?;
        let text = std::mem::replace(self.text, before);
        self.made(text)
    }

    fn made(&mut self, text: String) -> Option<Seen<'a>> {
        if text.len() > MAX_TEXT {
            return None;
        }
        self.made.push(text);
        Some(Seen::Made(self.made.len() - 1))
    }

    fn holds(&mut self, expr: &'a Expr) -> Option<bool> {
        let seen = self.value(expr)?;
        Some(self.is_true(seen))
    }

    fn is_true(&self, seen: Seen<'a>) -> bool {
        match seen {
            Seen::Silent | Seen::Nothing | Seen::Foreign => false,
            Seen::Bool(value) => value,
            Seen::Int(value) => value != 0,
            Seen::Text(_) | Seen::Made(_) => {
                seen.text(&self.made).is_some_and(|text| !text.is_empty())
            }
            Seen::List(members) => !members.is_empty(),
            Seen::Record(fields) => !fields.is_empty(),
        }
    }

    fn given(&mut self, given: &'a [Expr], at: usize) -> Option<Seen<'a>> {
        self.value(given.get(at)?)
    }

    // In line for what is not put together, which is most of all.
    #[inline(always)]
    fn value(&mut self, expr: &'a Expr) -> Option<Seen<'a>> {
        match expr {
            Expr::Text(text) => Some(Seen::Text(text)),
            Expr::Int(value) => Some(Seen::Int(*value)),
            Expr::Name(slot) => self.slots[*slot]?.known(),
            _ => self.composed(expr),
        }
    }

    fn composed(&mut self, expr: &'a Expr) -> Option<Seen<'a>> {
        Some(match expr {
            Expr::Text(_) | Expr::Int(_) | Expr::Name(_) => self.value(expr)?,
            Expr::Field(of, name) => match self.value(of)? {
                Seen::Record(fields) => Seen::of(fields.get(name)?).known()?,
                _ => return None,
            },
            Expr::Loop(fact) => {
                let (at, of) = self.round?;
                match fact {
                    LoopFact::Index => Seen::Int(at as i64 + 1),
                    LoopFact::IndexFromZero => Seen::Int(at as i64),
                    LoopFact::First => Seen::Bool(at == 0),
                    LoopFact::Last => Seen::Bool(at + 1 == of),
                }
            }
            Expr::Defined(slot, wanted) => Seen::Bool(self.slots[*slot].is_some() == *wanted),
            Expr::Not(inner) => Seen::Bool(!self.holds(inner)?),
            Expr::And(one, other) => match self.value(one)? {
                one if self.is_true(one) => self.value(other)?,
                one => one,
            },
            Expr::Or(one, other) => match self.value(one)? {
                one if self.is_true(one) => one,
                _ => self.value(other)?,
            },
            Expr::If(one, condition, other) => match (self.holds(condition)?, other) {
                (true, _) => self.value(one)?,
                (false, Some(other)) => self.value(other)?,
                (false, None) => Seen::Silent,
            },
            Expr::Operation(Op::Concat, ..)
            | Expr::Call(Function::Saying | Function::Naming, _) => self.printed(expr)?,
            Expr::Operation(op, one, other) => self.operation(*op, one, other)?,
            Expr::Call(function, given) => self.call(*function, given)?,
        })
    }

    fn operation(&mut self, op: Op, one: &'a Expr, other: &'a Expr) -> Option<Seen<'a>> {
        let (one, other) = (self.value(one)?, self.value(other)?);
        if let (Some(one), Some(other)) = (one.text(&self.made), other.text(&self.made)) {
            return match op {
                Op::Equal => Some(Seen::Bool(one == other)),
                Op::NotEqual => Some(Seen::Bool(one != other)),
                _ => None,
            };
        }
        let (one, other) = (one.int()?, other.int()?);
        Some(match op {
            Op::Equal => Seen::Bool(one == other),
            Op::NotEqual => Seen::Bool(one != other),
            Op::Less => Seen::Bool(one < other),
            Op::LessEqual => Seen::Bool(one <= other),
            Op::More => Seen::Bool(one > other),
            Op::MoreEqual => Seen::Bool(one >= other),
            Op::Add => Seen::Int(one.checked_add(other)?),
            Op::Subtract => Seen::Int(one.checked_sub(other)?),
            Op::Multiply => Seen::Int(one.checked_mul(other)?),
            // Below zero there are several readings.
            Op::Divide if one >= 0 && other > 0 => Seen::Int(one / other),
            Op::Remainder if one >= 0 && other > 0 => Seen::Int(one % other),
            Op::Divide | Op::Remainder | Op::Concat => return None,
        })
    }

    fn call(&mut self, function: Function, given: &'a [Expr]) -> Option<Seen<'a>> {
        let (first, second) = (self.given(given, 0)?, self.given(given, 1)?);
        match (function, first) {
            (Function::Pick, Seen::List(phrases)) => {
                let turn = match given.get(2) {
                    Some(turn) => Some(u64::try_from(self.value(turn)?.int()?).ok()?),
                    None => None,
                };
                let head = phrases.first()?.as_str()?;
                let at = picked(phrases.len(), head, second.int()?, turn);
                Seen::of(phrases.get(at)?).known()
            }
            (Function::Replace, _) => {
                let third = self.given(given, 2)?;
                let made = &self.made;
                let replaced =
                    super::replace(first.text(made)?, second.text(made)?, third.text(made)?);
                self.made(replaced.ok()?)
            }
            (Function::Join, Seen::List(members)) => {
                let (between, mut joined) = (second.text(&self.made)?, String::new());
                for (at, member) in members.iter().enumerate() {
                    if at > 0 {
                        joined.push_str(between);
                    }
                    joined.push_str(member.as_str()?);
                    if joined.len() > MAX_TEXT {
                        return None;
                    }
                }
                self.made(joined)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
