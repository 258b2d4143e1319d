//! One node at a time.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Env, expect_bool};
use crate::fault::EvalError;
use crate::functions::no_language;
use crate::functions::texts::MAX_TEXT_BYTES;
use crate::functions::{Arguments, Func, ParamType};
use crate::needles::{SearchKind, SearchPattern};
use crate::number::Number;
use crate::operand::{Operand, SliceBounds, TextPiece, TextPieces, are_equal};
use crate::tree::{Applied, ArithmeticOp, CompareOp, Node, Pattern, Tree};
use crate::turn_fact::TurnFact;
use crate::value::Value;
use ifs_text::{LanguageGuess, Unit};

impl<'a> Env<'_, 'a> {
    pub(super) fn node(&self, tree: &'a Tree) -> Result<Operand<'a>, EvalError> {
        match &tree.node {
            Node::Value(value) => Ok(Operand::Value(value.clone())),
            Node::Var(name) => self.name(name),
            Node::Fact(fact) => self.fact(*fact),
            Node::It => Ok(self.it.clone()),
            Node::Field(record, name) => self.field(record, name),
            Node::Index(list, at) => self.index(list, at),
            Node::Units(unit, text) => self.units(*unit, text.as_deref()),
            Node::Needle(kind, value) => {
                self.needle(*kind, value).map(|needle| Operand::Needle(Arc::new(needle)))
            }
            Node::Pattern(pattern) => Ok(Operand::Pattern(pattern)),
            Node::Call(func, arguments) => self.call(*func, arguments),
            Node::Not(inner) => self.not(inner),
            Node::Negative(inner) => self.negative(inner),
            Node::And(parts) => self.all(parts, false),
            Node::Or(parts) => self.all(parts, true),
            Node::Compare(op, left, right) => self.compared(*op, left, right),
            Node::Within(left, right) => self.evaluate_in(left, right),
            Node::Arithmetic(op, left, right) => self.computed(*op, left, right),
            Node::Range { low, high, inclusive } => {
                self.range(low.as_deref(), high.as_deref(), *inclusive)
            }
            Node::Where(list, condition) => self.filter(list, condition),
            Node::Each(list, body) => self.evaluate_each(list, body),
            Node::Quantified(quantified) => self.quantified(quantified).map(Operand::bool),
            Node::At(subject, body) => self.evaluate_at(subject, body),
            Node::If(condition, then, otherwise) => {
                self.chosen(condition, then, otherwise.as_deref())
            }
            Node::List(members) => self.members(members),
            Node::Record(fields) => self.record(fields),
            Node::Applied(applied) => self.applied(applied),
        }
    }

    // Each kind of node has a function of its own, so that the one above needs little stack.

    fn fact(&self, fact: TurnFact) -> Result<Operand<'a>, EvalError> {
        match self.scene.variables.fact(fact) {
            Some(value) => Ok(Operand::Value(value)),
            None => Err(EvalError::new(format!("`{}` has no value", fact.name()))),
        }
    }

    fn units(&self, unit: Unit, text: Option<&'a Tree>) -> Result<Operand<'a>, EvalError> {
        let piece = self.text_of(text)?;
        self.spend_on_units(&piece)?;
        self.pieces(piece.units(unit))
    }

    /// A list of pieces of a text.
    fn pieces(&self, pieces: TextPieces<'a>) -> Result<Operand<'a>, EvalError> {
        let pieces = Operand::Pieces(pieces);
        self.spend_iteration(&pieces)?;
        Ok(pieces)
    }

    fn not(&self, inner: &'a Tree) -> Result<Operand<'a>, EvalError> {
        self.truth(inner).map(|value| Operand::bool(!value))
    }

    fn negative(&self, inner: &'a Tree) -> Result<Operand<'a>, EvalError> {
        self.number(inner)?.negated().map(Operand::from_number).ok_or_else(too_large)
    }

    fn compared(
        &self,
        op: CompareOp,
        left: &'a Tree,
        right: &'a Tree,
    ) -> Result<Operand<'a>, EvalError> {
        if let Some(same) = self.compared_language(left, right)? {
            return match op {
                CompareOp::Equal => Ok(Operand::bool(same)),
                _ => Ok(Operand::bool(!same)),
            };
        }
        compare(op, &self.operand(left)?, &self.operand(right)?).map(Operand::bool)
    }

    /// Whether the language of a text is one, where it is compared with one. Of a short text it can
    /// be told which languages it is not in, by its script.
    fn compared_language(
        &self,
        left: &'a Tree,
        right: &'a Tree,
    ) -> Result<Option<bool>, EvalError> {
        let (arguments, code) = match (&left.node, &right.node) {
            (Node::Call(Func::LANGUAGE, arguments), _) => (arguments, right),
            (_, Node::Call(Func::LANGUAGE, arguments)) => (arguments, left),
            _ => return Ok(None),
        };
        let code = self.operand(code)?;
        let Some(code) = code.as_str() else { return Ok(None) };
        let text = match arguments.first() {
            Some(subject) => self.operand(subject)?,
            None => self.it.clone(),
        };
        let Some(piece) = text.as_piece() else { return Ok(None) };
        let guess = piece.read(|text| text.language());
        match (guess.is(code), arguments.get(1)) {
            (Some(false), Some(otherwise)) if guess == LanguageGuess::Unknown => {
                Ok(Some(self.operand(otherwise)?.as_str() == Some(code)))
            }
            (Some(_), None) if guess == LanguageGuess::Unknown => Err(no_language()),
            (Some(same), _) => Ok(Some(same)),
            (None, Some(otherwise)) => Ok(Some(self.operand(otherwise)?.as_str() == Some(code))),
            (None, None) => Err(EvalError::undecided("the text is too short to tell its language")),
        }
    }

    fn computed(
        &self,
        op: ArithmeticOp,
        left: &'a Tree,
        right: &'a Tree,
    ) -> Result<Operand<'a>, EvalError> {
        arithmetic(op, &self.operand(left)?, &self.operand(right)?)
    }

    fn range(
        &self,
        low: Option<&'a Tree>,
        high: Option<&'a Tree>,
        inclusive: bool,
    ) -> Result<Operand<'a>, EvalError> {
        let low = low.map(|tree| self.number(tree)).transpose()?;
        let high = high.map(|tree| self.number(tree)).transpose()?;
        Ok(Operand::Range(SliceBounds { low, high, inclusive }))
    }

    fn evaluate_at(&self, subject: &'a Tree, body: &'a Tree) -> Result<Operand<'a>, EvalError> {
        let subject = self.operand(subject)?;
        self.with_it(&subject).operand(body)
    }

    fn chosen(
        &self,
        condition: &'a Tree,
        then: &'a Tree,
        otherwise: Option<&'a Tree>,
    ) -> Result<Operand<'a>, EvalError> {
        if self.truth(condition)? {
            return self.operand(then);
        }
        match otherwise {
            Some(otherwise) => self.operand(otherwise),
            None => Ok(Operand::bool(true)),
        }
    }

    fn members(&self, trees: &'a [Tree]) -> Result<Operand<'a>, EvalError> {
        let mut values = Vec::with_capacity(trees.len());
        for tree in trees {
            let member = self.operand(tree)?;
            let value = member
                .value()
                .ok_or_else(|| EvalError::new(format!("a list cannot hold {}", member.kind())))?;
            values.push(value);
        }
        Ok(Operand::Value(Value::list(values)))
    }

    fn record(&self, fields: &'a [(String, Tree)]) -> Result<Operand<'a>, EvalError> {
        let mut values = Vec::with_capacity(fields.len());
        for (name, tree) in fields {
            let field = self.operand(tree)?;
            let value = field
                .value()
                .ok_or_else(|| EvalError::new(format!("a field cannot hold {}", field.kind())))?;
            values.push((name.clone(), value));
        }
        Ok(Operand::Value(Value::record(values)))
    }

    /// `and` (`decisive` false) or `or` (`decisive` true): one decisive part decides, whatever
    /// faults another has.
    fn all(&self, parts: &'a [Tree], decisive: bool) -> Result<Operand<'a>, EvalError> {
        let mut fault = None;
        for part in parts {
            match self.truth(part) {
                Ok(value) if value == decisive => return Ok(Operand::bool(decisive)),
                Ok(_) => {}
                Err(found) => fault = fault.or(Some(found)),
            }
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok(Operand::bool(!decisive)),
        }
    }

    /// The text units are taken from: the one given, or `it`.
    pub(crate) fn text_of(&self, tree: Option<&'a Tree>) -> Result<TextPiece<'a>, EvalError> {
        let given;
        let operand = match tree {
            Some(tree) => {
                given = self.operand(tree)?;
                &given
            }
            None => self.it,
        };
        match operand.as_piece() {
            Some(piece) => Ok(piece.into_owned()),
            None => Err(EvalError::new(format!("{} is not a text", operand.kind()))),
        }
    }

    fn needle(&self, kind: SearchKind, value: &'a Tree) -> Result<SearchPattern, EvalError> {
        let value = self.operand(value)?;
        match value.as_str() {
            Some(text) => SearchPattern::new(kind, text),
            None => Err(EvalError::new(format!("{} cannot be looked for", value.kind()))),
        }
    }

    /// The value of an author's function: its arguments are evaluated first, in the outer scope.
    fn applied(&self, applied: &'a Applied) -> Result<Operand<'a>, EvalError> {
        self.in_def(applied, &|env, body| env.operand(body))?
    }

    /// What is read of the body of a function, with its arguments and local names.
    pub(crate) fn in_def<R>(
        &self,
        applied: &'a Applied,
        read: &dyn Fn(&Env<'_, 'a>, &'a Tree) -> R,
    ) -> Result<R, EvalError> {
        let arguments: Result<Vec<(&'a str, Operand<'a>)>, EvalError> = applied
            .arguments
            .iter()
            .map(|(name, tree)| Ok((name.as_str(), self.operand(tree)?)))
            .collect();
        self.in_names(arguments?.into_iter(), &applied.lets, &|env| read(env, &applied.body))
    }

    /// What is read where these names are bound in sequence.
    fn in_names<R>(
        &self,
        mut arguments: impl Iterator<Item = (&'a str, Operand<'a>)>,
        lets: &'a [(String, Tree)],
        read: &dyn Fn(&Env<'_, 'a>) -> R,
    ) -> Result<R, EvalError> {
        let (name, value, lets) = match (arguments.next(), lets) {
            (Some((name, value)), lets) => (name, value, lets),
            (None, [(name, tree), rest @ ..]) => (name.as_str(), self.operand(tree)?, rest),
            (None, []) => return Ok(read(self)),
        };
        self.with_local(&self.bind(name, value)).in_names(arguments, lets, read)
    }

    /// A field of a record; of a list of records, the list of that field.
    fn field(&self, record: &'a Tree, name: &str) -> Result<Operand<'a>, EvalError> {
        match self.operand(record)? {
            Operand::Value(value) => field_of(&value, name).map(Operand::Value),
            other => Err(EvalError::new(format!("{} has no field `{name}`", other.kind()))),
        }
    }

    fn index(&self, list: &'a Tree, at: &'a Tree) -> Result<Operand<'a>, EvalError> {
        // A single unit does not need the complete list.
        if let Node::Units(unit, text) = &list.node
            && let Some(ordinal) = self.operand(at)?.as_int()
        {
            let piece = self.text_of(text.as_deref())?;
            self.spend_on_units(&piece)?;
            return piece
                .unit(*unit, |len| ordinal_place(ordinal, len))
                .map(Operand::Piece)
                .map_err(|len| EvalError::new(missing(list, ordinal, len)));
        }
        let members = self.list(list)?;
        let len = members.list_len().unwrap_or(0);
        match self.operand(at)? {
            Operand::Range(bounds) => {
                let range = ordinals(&bounds, len)?;
                Operand::list(range.filter_map(|at| members.member(at)).collect())
                    .ok_or_else(|| EvalError::new("the members are no values"))
            }
            at => {
                let ordinal = at
                    .as_int()
                    .ok_or_else(|| EvalError::new(format!("{} is not an ordinal", at.kind())))?;
                ordinal_place(ordinal, len)
                    .and_then(|place| members.member(place))
                    .ok_or_else(|| EvalError::new(missing(list, ordinal, len)))
            }
        }
    }

    /// `word in c` is the list of words of a text; anything else tests membership.
    fn evaluate_in(&self, left: &'a Tree, right: &'a Tree) -> Result<Operand<'a>, EvalError> {
        let whole = self.operand(right)?;
        if let Some(piece) = whole.as_piece() {
            match &left.node {
                Node::Units(unit, None) => {
                    self.spend_on_units(&piece)?;
                    return self.pieces(piece.units(*unit));
                }
                Node::Needle(kind, value) => {
                    let needle = self.needle(*kind, value)?;
                    self.spend_iteration(&whole)?;
                    return self.pieces(find_needle(&piece, &needle));
                }
                Node::Pattern(pattern) => {
                    self.spend_iteration(&whole)?;
                    return self.pieces(matches(&piece, pattern)?);
                }
                _ => {}
            }
        }
        let part = self.operand(left)?;
        member_of(&part, &whole).map(Operand::bool)
    }

    /// A list; a needle becomes the list of its occurrences in `it`.
    pub(crate) fn list(&self, tree: &'a Tree) -> Result<Operand<'a>, EvalError> {
        let operand = match self.operand(tree)? {
            Operand::Needle(needle) => {
                self.spend_iteration(self.it)?;
                self.pieces(find_needle(&self.text_of(None)?, &needle))?
            }
            Operand::Pattern(pattern) => {
                self.spend_iteration(self.it)?;
                self.pieces(matches(&self.text_of(None)?, pattern)?)?
            }
            Operand::Range(bounds) => super::quantify::numbers(&bounds)?,
            operand => operand,
        };
        match operand.list_len() {
            Some(_) => Ok(operand),
            None => {
                Err(EvalError::new(format!("{} has no members", operand.kind()))
                    .with_span(tree.span))
            }
        }
    }

    fn call(&self, func: Func, trees: &'a [Tree]) -> Result<Operand<'a>, EvalError> {
        if let Some(early) = func.early
            && let Some(value) = early(self, trees)?
        {
            return Ok(value);
        }
        // Most calls are of this kind: a test of the current text.
        if is_question(func, trees) {
            self.spend_iteration(self.it)?;
            let it = std::slice::from_ref(self.it);
            return (func.call)(&Arguments::new(func, it, self.it));
        }
        let mut arguments: SmallVec<[Operand<'a>; 2]> = SmallVec::new();
        for (at, tree) in trees.iter().enumerate() {
            let keyed = func.params.get(at).is_some_and(|param| param.ty == ParamType::Key);
            let argument = match arguments.first() {
                Some(list) if keyed => self.evaluate_members(list, tree)?,
                _ => self.operand(tree)?,
            };
            arguments.push(argument);
        }
        if func.subject && arguments.len() < func.least_arguments() {
            arguments.insert(0, self.it.clone());
        }
        arguments.iter().try_for_each(|argument| self.spend_iteration(argument))?;
        if !func.subject {
            self.spend_iteration(self.it)?;
        }
        if arguments.iter().any(|argument| matches!(argument, Operand::Pattern(_))) {
            // A regular expression may be found at each byte of a text that was made.
            let made = arguments.iter().filter_map(|argument| match argument {
                Operand::Value(Value::Text(text)) => Some(text.len()),
                _ => None,
            });
            self.spend(made.sum())?;
        }
        let read = arguments.first().and_then(Operand::as_str).map_or(0, str::len);
        self.spend(read.saturating_mul(func.nodes_per_byte))?;
        if func.is_quadratic {
            let bytes = |operand: &Operand<'_>| operand.as_str().map_or(0, str::len);
            let cells = arguments.iter().map(bytes).fold(1, usize::saturating_mul);
            self.spend(cells / CELLS_PER_NODE)?;
        }
        self.spend_on_result((func.call)(&Arguments::new(func, &arguments, self.it))?)
    }

    /// The number of members of a list, if that does not need the list.
    pub(crate) fn count_early(&self, list: &'a Tree) -> Result<Option<usize>, EvalError> {
        match &list.node {
            Node::Units(unit, text) => {
                let piece = self.text_of(text.as_deref())?;
                self.spend_on_units(&piece)?;
                Ok(Some(piece.read(|text| text.count(*unit))))
            }
            Node::Where(list, condition) => {
                if let Some(count) = self.count_plain(list, condition)? {
                    return Ok(Some(count));
                }
                let mut count = 0;
                self.for_each_match(list, condition, |_| count += 1)?;
                Ok(Some(count))
            }
            _ => Ok(None),
        }
    }

    /// The number of units of a text for which a plain test holds; `None` for other lists and
    /// conditions.
    fn count_plain(&self, list: &'a Tree, condition: &'a Tree) -> Result<Option<usize>, EvalError> {
        let (Node::Units(unit, text), Node::Call(func, trees)) = (&list.node, &condition.node)
        else {
            return Ok(None);
        };
        let Some(plain) = func.row().plain.as_ref().filter(|_| is_question(*func, trees)) else {
            return Ok(None);
        };
        Ok(Some(self.text_of(text.as_deref())?.count_where(*unit, plain)))
    }

    fn filter(&self, list: &'a Tree, condition: &'a Tree) -> Result<Operand<'a>, EvalError> {
        let mut kept = Vec::new();
        self.for_each_match(list, condition, |member| kept.push(member))?;
        Operand::list(kept).ok_or_else(|| EvalError::new("the members are no values"))
    }

    fn evaluate_each(&self, list: &'a Tree, body: &'a Tree) -> Result<Operand<'a>, EvalError> {
        self.evaluate_members(&self.list(list)?, body)
    }

    /// The value of a tree for each member of a list.
    fn evaluate_members(
        &self,
        members: &Operand<'a>,
        body: &'a Tree,
    ) -> Result<Operand<'a>, EvalError> {
        let made: Result<Vec<Operand<'a>>, EvalError> =
            members.members().map(|member| self.with_it(&member).operand(body)).collect();
        Operand::list(made?).ok_or_else(|| EvalError::new("the members are no values"))
    }

    /// Iterates over the members of a list that meet a condition.
    fn for_each_match(
        &self,
        list: &'a Tree,
        condition: &'a Tree,
        mut meets: impl FnMut(Operand<'a>),
    ) -> Result<(), EvalError> {
        let members = self.list(list)?;
        let question = match &condition.node {
            Node::Call(func, trees) => Some(*func).filter(|func| is_question(*func, trees)),
            _ => None,
        };
        for member in members.into_members() {
            let holds = match question {
                Some(func) => {
                    self.spend(1)?;
                    let it = std::slice::from_ref(&member);
                    let answer = (func.call)(&Arguments::new(func, it, &member));
                    answer
                        .and_then(|answer| expect_bool(&answer))
                        .map_err(|f| f.with_span(condition.span))?
                }
                None => self.with_it(&member).truth(condition)?,
            };
            if holds {
                meets(member);
            }
        }
        Ok(())
    }
}

/// Whether a call is a test of the current text without other arguments.
fn is_question(func: Func, trees: &[Tree]) -> bool {
    matches!(trees, [] | [Tree { node: Node::It, .. }])
        && func.subject
        && func.least_arguments() == 1
}

/// The occurrences of a needle in a piece of text.
pub(crate) fn find_needle<'a>(piece: &TextPiece<'a>, needle: &SearchPattern) -> TextPieces<'a> {
    let places = piece.read(|text| needle.occurrences(text));
    TextPieces::slice(piece, None, places.into_iter())
}

/// The matches of a pattern in a piece of text.
pub(crate) fn matches<'a>(
    piece: &TextPiece<'a>,
    pattern: &Pattern,
) -> Result<TextPieces<'a>, EvalError> {
    let regex = pattern
        .regex()
        .ok_or_else(|| EvalError::new(format!("`/{}/` cannot be read", pattern.pattern)))?;
    Ok(TextPieces::slice(piece, None, regex.find_iter(piece.as_str()).map(|place| place.range())))
}

fn too_large() -> EvalError {
    EvalError::new("the number is too large")
}

/// An ordinal as an index from 0.
pub(crate) fn ordinal_place(ordinal: i64, len: usize) -> Option<usize> {
    let place = match ordinal {
        0 => return None,
        1.. => usize::try_from(ordinal - 1).ok()?,
        _ => len.checked_sub(usize::try_from(ordinal.unsigned_abs()).ok()?)?,
    };
    (place < len).then_some(place)
}

/// The indices from 0 that a range of ordinals covers, without those that do not exist.
fn ordinals(bounds: &SliceBounds, len: usize) -> Result<Range<usize>, EvalError> {
    let end = |number: Option<Number>, otherwise: i64| match number {
        None => Ok(otherwise),
        Some(Number::Int(0)) => {
            Err(EvalError::new("ordinals count from 1, or from the end from -1"))
        }
        Some(Number::Int(value)) if value < 0 => {
            Ok(value.saturating_add(1).saturating_add(len as i64).max(0))
        }
        Some(Number::Int(value)) => Ok(value),
        Some(_) => Err(EvalError::new("an ordinal is a whole number")),
    };
    let low = end(bounds.low, 1)?.max(1);
    let high = end(bounds.high, len as i64)?;
    let high = if bounds.inclusive || bounds.high.is_none() { high } else { high - 1 };
    let high = high.clamp(0, len as i64);
    if low > high { Ok(0..0) } else { Ok(low as usize - 1..high as usize) }
}

/// Says which member is missing.
fn missing(list: &Tree, ordinal: i64, len: usize) -> String {
    match &list.node {
        Node::Units(unit, _) => {
            let noun = |n| unit.noun(n);
            match len {
                0 => format!("there is no {}", noun(1)),
                1 => format!("there is no {} {ordinal}, only one {}", noun(1), noun(1)),
                len => format!("there is no {} {ordinal}, only {len} {}", noun(1), noun(len)),
            }
        }
        _ if ordinal == 0 => "members are counted from 1, or from the end from -1".to_owned(),
        _ => format!("there is no member {ordinal} in a list of {len}"),
    }
}

pub(crate) fn member_of(part: &Operand<'_>, whole: &Operand<'_>) -> Result<bool, EvalError> {
    if let Operand::Range(bounds) = whole {
        let number = part
            .as_number()
            .ok_or_else(|| EvalError::new(format!("{} is in no range of numbers", part.kind())))?;
        return Ok(bounds.contains(number));
    }
    if let (Some(part), Some(whole)) = (part.as_str(), whole.as_str()) {
        return Ok(whole.contains(part));
    }
    // The usual list, without a copy of each member.
    if let (Some(part), Operand::Value(Value::List(values))) = (part.as_str(), whole) {
        return Ok(values.iter().any(|value| value.as_str() == Some(part)));
    }
    if whole.list_len().is_some() {
        return Ok(whole.members().any(|member| are_equal(part, &member) == Some(true)));
    }
    Err(EvalError::new(format!("{} cannot be in {}", part.kind(), whole.kind())))
}

pub(crate) fn compare(
    op: CompareOp,
    left: &Operand<'_>,
    right: &Operand<'_>,
) -> Result<bool, EvalError> {
    let unlike =
        || EvalError::new(format!("{} and {} cannot be compared", left.kind(), right.kind()));
    let order = match op {
        CompareOp::Equal => return are_equal(left, right).ok_or_else(unlike),
        CompareOp::NotEqual => return are_equal(left, right).map(|same| !same).ok_or_else(unlike),
        CompareOp::Less | CompareOp::LessEqual | CompareOp::More | CompareOp::MoreEqual => {
            match (left.as_number(), right.as_number()) {
                (Some(left), Some(right)) => left.order(right),
                _ => match (left.as_str(), right.as_str()) {
                    (Some(left), Some(right)) => left.cmp(right),
                    _ => return Err(unlike()),
                },
            }
        }
    };
    Ok(op.holds(order))
}

/// Pairs of bytes of two texts that a function compares, for one node.
const CELLS_PER_NODE: usize = 4_096;

fn arithmetic<'a>(
    op: ArithmeticOp,
    left: &Operand<'a>,
    right: &Operand<'a>,
) -> Result<Operand<'a>, EvalError> {
    if let (Some(a), Some(b)) = (left.as_number(), right.as_number()) {
        let (result, zero) = match op {
            ArithmeticOp::Add => (a.plus(b), false),
            ArithmeticOp::Subtract => (a.minus(b), false),
            ArithmeticOp::Multiply => (a.times(b), false),
            ArithmeticOp::Divide => (a.over(b), b == Number::Int(0)),
            ArithmeticOp::Remainder => (a.remainder(b), b == Number::Int(0)),
        };
        return match result {
            Some(number) if !zero => Ok(Operand::from_number(number)),
            _ if zero => Err(EvalError::new("nothing can be divided by 0")),
            _ => Err(too_large()),
        };
    }
    if op == ArithmeticOp::Add {
        if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
            if a.len() + b.len() > MAX_TEXT_BYTES {
                return Err(EvalError::new("the text is too long"));
            }
            return Ok(Operand::Value(Value::Text([a, b].concat().into())));
        }
        if left.list_len().is_some() && right.list_len().is_some() {
            return Operand::list(left.members().chain(right.members()).collect())
                .ok_or_else(|| EvalError::new("the members are no values"));
        }
    }
    Err(EvalError::new(format!(
        "`{}` does not work on {} and {}",
        op.sign(),
        left.kind(),
        right.kind()
    )))
}

fn field_of(value: &Value, name: &str) -> Result<Value, EvalError> {
    match value {
        Value::Record(fields) => Ok(fields.get(name).cloned().unwrap_or(Value::Nothing)),
        // A member without the field makes the result absent, as for a record; so do members of
        // which none is a record.
        Value::List(_) if lacks_field(value, name) => Ok(Value::Nothing),
        Value::List(members) => {
            let fields = members.iter().map(|member| field_of(member, name));
            Ok(Value::list(fields.collect::<Result<Vec<_>, _>>()?))
        }
        other => Err(EvalError::new(format!("`{other}` has no field `{name}`"))),
    }
}

fn lacks_field(value: &Value, name: &str) -> bool {
    match value {
        Value::Record(fields) => fields.get(name).is_none(),
        Value::List(members) => {
            members.iter().any(|member| lacks_field(member, name))
                || !(members.is_empty() || has_record(value))
        }
        _ => false,
    }
}

fn has_record(value: &Value) -> bool {
    match value {
        Value::Record(_) => true,
        Value::List(members) => members.iter().any(has_record),
        _ => false,
    }
}
