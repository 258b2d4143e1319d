//! Intermediate values of an evaluation: plain values, and texts with their position in the
//! response.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::functions::PlainTest;
use super::needles::SearchPattern;
use super::number::Number;
use super::shared::SharedText;
use super::tree::Pattern;
use super::value::Value;
use ifs_text::{Text, Unit, decimal_digit, fold};

#[derive(Clone, Debug)]
pub enum Operand<'a> {
    Value(Value),
    /// A fraction that is exact here and becomes a float outside.
    Ratio(i64, i64),
    Piece(TextPiece<'a>),
    Pieces(TextPieces<'a>),
    /// The windows of a number of adjacent members of a list.
    Windows(Arc<Operand<'a>>, usize),
    Range(SliceBounds),
    Pattern(&'a Pattern),
    Needle(Arc<SearchPattern>),
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub struct TextPiece<'a> {
    source: PieceSource<'a>,
    /// INVARIANT: on character boundaries of the source.
    range: Range<usize>,
    /// The kind of unit, if it is one.
    pub unit: Option<Unit>,
}

#[derive(Clone, Debug)]
enum PieceSource<'a> {
    Answer(&'a Text<'a>),
    /// What the answer says.
    Content(&'a Text<'a>),
    Made(SharedText),
    /// What such a text says.
    MadeContent(SharedText),
}

/// Pieces of texts, in order.
#[derive(Clone, Debug)]
pub struct TextPieces<'a>(Cut<'a>);

/// Most are of one text, and a long text has millions.
#[derive(Clone, Debug)]
enum Cut<'a> {
    /// In bytes from the start of the piece.
    Of(TextPiece<'a>, Option<Unit>, Vec<Range<u32>>),
    Mixed(Vec<TextPiece<'a>>),
}

impl<'a> TextPieces<'a> {
    /// Parts of a piece, in bytes from its own start.
    pub(super) fn slice(
        piece: &TextPiece<'a>,
        unit: Option<Unit>,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> TextPieces<'a> {
        if u32::try_from(piece.range.len()).is_err() {
            return TextPieces(Cut::Mixed(ranges.map(|range| piece.cut(range, unit)).collect()));
        }
        let short = ranges.map(|range| range.start as u32..range.end as u32);
        TextPieces(Cut::Of(piece.clone(), unit, short.collect()))
    }

    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Cut::Of(_, _, ranges) => ranges.len(),
            Cut::Mixed(pieces) => pieces.len(),
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<TextPiece<'a>> {
        match &self.0 {
            Cut::Of(of, unit, ranges) => {
                let range = ranges.get(at)?;
                Some(of.cut(range.start as usize..range.end as usize, *unit))
            }
            Cut::Mixed(pieces) => pieces.get(at).cloned(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = TextPiece<'a>> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl<'a> From<Vec<TextPiece<'a>>> for TextPieces<'a> {
    fn from(pieces: Vec<TextPiece<'a>>) -> TextPieces<'a> {
        TextPieces(Cut::Mixed(pieces))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SliceBounds {
    pub low: Option<Number>,
    pub high: Option<Number>,
    pub inclusive: bool,
}

impl SliceBounds {
    pub fn contains(&self, number: Number) -> bool {
        self.low.is_none_or(|low| low <= number)
            && self.high.is_none_or(
                |high| {
                    if self.inclusive { number <= high } else { number < high }
                },
            )
    }
}

impl<'a> TextPiece<'a> {
    /// All of the answer.
    pub fn answer(text: &'a Text<'a>) -> TextPiece<'a> {
        TextPiece { source: PieceSource::Answer(text), range: 0..text.str().len(), unit: None }
    }

    /// A text that is not the answer.
    pub fn from_computed(text: impl Into<SharedText>) -> TextPiece<'a> {
        let text = text.into();
        let range = 0..text.len();
        TextPiece { source: PieceSource::Made(text), range, unit: None }
    }

    pub fn as_str(&self) -> &str {
        let all = match &self.source {
            PieceSource::Answer(text) => text.str(),
            PieceSource::Content(text) => text.reading().str(),
            PieceSource::Made(text) | PieceSource::MadeContent(text) => text,
        };
        all.get(self.range.clone()).unwrap_or("")
    }

    /// Its position in the response, in bytes; `None` for any other text.
    pub fn response_range(&self) -> Option<Range<usize>> {
        match self.source {
            PieceSource::Answer(_) => Some(self.range.clone()),
            PieceSource::Content(text) => Some(text.origin(self.range.clone())),
            PieceSource::Made(_) | PieceSource::MadeContent(_) => None,
        }
    }

    pub fn is_answer(&self) -> bool {
        matches!(&self.source, PieceSource::Answer(text) if self.range.len() == text.str().len())
    }

    /// A part of this piece, in bytes from its own start.
    pub fn cut(&self, range: Range<usize>, unit: Option<Unit>) -> TextPiece<'a> {
        let start = self.range.start + range.start;
        TextPiece { source: self.source.clone(), range: start..self.range.start + range.end, unit }
    }

    /// Reads it as a text of its own; the answer's segmentation is used where it is all of it.
    pub fn read<R>(&self, read: impl FnOnce(&Text<'_>) -> R) -> R {
        match &self.source {
            PieceSource::Answer(text) if self.is_answer() => read(text),
            PieceSource::Content(_) | PieceSource::MadeContent(_) => {
                read(&Text::plain(self.as_str()))
            }
            PieceSource::Answer(_) | PieceSource::Made(_) => read(&Text::new(self.as_str())),
        }
    }

    /// What it says without its wrapping.
    pub fn content(&self) -> TextPiece<'a> {
        match &self.source {
            PieceSource::Answer(text) if self.is_answer() => match text.is_plain() {
                true => self.clone(),
                false => {
                    let range = 0..text.reading().str().len();
                    TextPiece { source: PieceSource::Content(text), range, unit: self.unit }
                }
            },
            PieceSource::Content(_) | PieceSource::MadeContent(_) => self.clone(),
            PieceSource::Answer(_) | PieceSource::Made(_) => {
                let text = Text::new(self.as_str());
                if text.is_plain() {
                    return self.clone();
                }
                let content = SharedText::from(text.reading().str());
                let range = 0..content.len();
                TextPiece { source: PieceSource::MadeContent(content), range, unit: self.unit }
            }
        }
    }

    pub fn units(&self, unit: Unit) -> TextPieces<'a> {
        let (piece, ranges) = self.located(unit, |all| all.to_vec());
        TextPieces::slice(&piece, Some(unit), ranges.into_iter())
    }

    /// The text that a unit is read from, and something of the places of all units.
    fn located<R>(
        &self,
        unit: Unit,
        choose: impl FnOnce(&[Range<usize>]) -> R,
    ) -> (TextPiece<'a>, R) {
        // The segmentation of the answer is used where it is all of it.
        match &self.source {
            PieceSource::Answer(text) if self.is_answer() => {
                let piece = if unit.is_of_content() { self.content() } else { self.clone() };
                (piece, choose(text.reading_for(unit).units(unit)))
            }
            PieceSource::Content(text) if self.range.len() == text.reading().str().len() => {
                (self.clone(), choose(text.reading().units(unit)))
            }
            PieceSource::Content(_) | PieceSource::MadeContent(_) => {
                (self.clone(), choose(Text::plain(self.as_str()).units(unit)))
            }
            PieceSource::Answer(_) | PieceSource::Made(_) => {
                let text = Text::new(self.as_str());
                let piece = match unit.is_of_content() && !text.is_plain() {
                    true => self.content(),
                    false => self.clone(),
                };
                (piece, choose(text.reading_for(unit).units(unit)))
            }
        }
    }

    /// The parts of its words, as readers compare them.
    pub(super) fn folded_words(&self) -> Vec<String> {
        self.read(|text| {
            let reading = text.reading();
            let words = reading.units(Unit::WordPart).iter();
            words.filter_map(|range| reading.str().get(range.clone())).map(fold).collect()
        })
    }

    /// The number of units for which a test holds, without a piece for each.
    pub(super) fn count_where(&self, unit: Unit, question: &PlainTest) -> usize {
        if question.needs_capital {
            return self.read(|text| text.count_capitals(unit, question.ask));
        }
        let (piece, places) = self.located(unit, |all| all.to_vec());
        let text = piece.as_str();
        places.into_iter().filter(|place| (question.ask)(&text[place.clone()])).count()
    }

    /// In small letters. Several checks ask for those of the answer, which are made once.
    pub fn lowered(&self) -> Operand<'a> {
        match &self.source {
            PieceSource::Answer(text) if text.is_ascii() => Operand::Piece(TextPiece {
                source: PieceSource::Made(SharedText::from(Arc::clone(text.lowered()))),
                range: self.range.clone(),
                unit: None,
            }),
            PieceSource::Answer(text) if self.range.len() == text.str().len() => {
                Operand::Value(Value::Text(SharedText::from(Arc::clone(text.lowered()))))
            }
            _ => Operand::Value(Value::Text(self.as_str().to_lowercase().into())),
        }
    }

    /// One unit, at an index that is chosen from their number.
    ///
    /// # Errors
    /// Their number, if there is none at that index.
    pub fn unit(
        &self,
        unit: Unit,
        place: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<TextPiece<'a>, usize> {
        let (piece, found) = self.located(unit, |all| {
            place(all.len()).and_then(|place| all.get(place).cloned()).ok_or(all.len())
        });
        Ok(piece.cut(found?, Some(unit)))
    }

    pub fn value(&self) -> Value {
        Value::text(self.as_str())
    }
}

impl<'a> Operand<'a> {
    pub fn bool(value: bool) -> Operand<'a> {
        Operand::Value(Value::Bool(value))
    }

    pub fn int(value: usize) -> Operand<'a> {
        Operand::Value(Value::Int(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    pub fn from_number(number: Number) -> Operand<'a> {
        match number {
            Number::Ratio(part, whole) => Operand::Ratio(part, whole),
            number => Operand::Value(number.value()),
        }
    }

    /// As a value that can leave the expression; ranges, patterns and needles cannot.
    pub fn value(&self) -> Option<Value> {
        match self {
            Operand::Value(value) => Some(value.clone()),
            Operand::Ratio(part, whole) => Some(Number::Ratio(*part, *whole).value()),
            Operand::Piece(piece) => Some(piece.value()),
            Operand::Pieces(pieces) => Some(Value::list(pieces.iter().map(|piece| piece.value()))),
            Operand::Windows(..) => {
                let members: Option<Vec<Value>> =
                    self.members().map(|member| member.value()).collect();
                members.map(Value::list)
            }
            Operand::Range(_) | Operand::Pattern(_) | Operand::Needle(_) => None,
        }
    }

    /// Its description for an author.
    pub fn kind(&self) -> &'static str {
        match self {
            Operand::Value(Value::Nothing) => "nothing",
            Operand::Value(Value::Bool(_)) => "true or false",
            Operand::Value(Value::Int(_) | Value::Float(_)) | Operand::Ratio(..) => "a number",
            Operand::Value(Value::Text(_)) | Operand::Piece(_) => "a text",
            Operand::Value(Value::List(_)) | Operand::Pieces(_) | Operand::Windows(..) => "a list",
            Operand::Value(Value::Record(_)) => "a record",
            Operand::Range(_) => "a range",
            Operand::Pattern(_) => "a regular expression",
            Operand::Needle(_) => "a needle",
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Operand::Value(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// A number, or the value of a unit `number`.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Operand::Value(value) => Number::from_value(value),
            Operand::Ratio(part, whole) => Some(Number::Ratio(*part, *whole)),
            Operand::Piece(piece) => match piece.unit {
                Some(Unit::Number | Unit::NumberDigits) => parse_number(piece.as_str()),
                _ => None,
            },
            Operand::Pieces(_)
            | Operand::Windows(..)
            | Operand::Range(_)
            | Operand::Pattern(_)
            | Operand::Needle(_) => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self.as_number()? {
            Number::Int(value) => Some(value),
            Number::Ratio(..) | Number::Float(_) => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Operand::Value(Value::Text(text)) => Some(text),
            Operand::Piece(piece) => Some(piece.as_str()),
            _ => None,
        }
    }

    pub fn as_piece(&self) -> Option<Cow<'_, TextPiece<'a>>> {
        match self {
            Operand::Value(Value::Text(text)) => {
                Some(Cow::Owned(TextPiece::from_computed(text.clone())))
            }
            Operand::Piece(piece) => Some(Cow::Borrowed(piece)),
            _ => None,
        }
    }

    /// How many members a list has; `None` for what is not a list.
    pub fn list_len(&self) -> Option<usize> {
        match self {
            Operand::Value(Value::List(values)) => Some(values.len()),
            Operand::Pieces(pieces) => Some(pieces.len()),
            Operand::Windows(list, size) => Some((list.list_len()? + 1).saturating_sub(*size)),
            _ => None,
        }
    }

    /// The member at an index from 0; `None` beyond the end and for what is not a list.
    pub fn member(&self, at: usize) -> Option<Operand<'a>> {
        match self {
            Operand::Value(Value::List(values)) => values.get(at).cloned().map(Operand::Value),
            Operand::Pieces(pieces) => pieces.get(at).map(Operand::Piece),
            Operand::Windows(list, size) if at < self.list_len()? => {
                Operand::list((at..at + size).filter_map(|at| list.member(at)).collect())
            }
            _ => None,
        }
    }

    pub fn members(&self) -> impl Iterator<Item = Operand<'a>> + '_ {
        (0..self.list_len().unwrap_or(0)).filter_map(|at| self.member(at))
    }

    /// The members of a list that is not needed any more.
    pub fn into_members(self) -> impl Iterator<Item = Operand<'a>> {
        let (pieces, values, windows) = match self {
            Operand::Pieces(pieces) => (Some(pieces), None, None),
            Operand::Value(Value::List(values)) => (None, Some(values), None),
            windows @ Operand::Windows(..) => (None, None, Some(windows)),
            _ => (None, None, None),
        };
        let windows = windows.into_iter().flat_map(|windows| {
            (0..windows.list_len().unwrap_or(0)).filter_map(move |at| windows.member(at))
        });
        let values = values
            .into_iter()
            .flat_map(|values| (0..values.len()).filter_map(move |at| values.get(at).cloned()));
        let pieces = pieces.into_iter().flat_map(|pieces| {
            (0..pieces.len()).filter_map(move |at| pieces.get(at).map(Operand::Piece))
        });
        pieces.chain(values.map(Operand::Value)).chain(windows)
    }

    /// A list of operands, which stay pieces of the response if all of them are.
    pub fn list(members: Vec<Operand<'a>>) -> Option<Operand<'a>> {
        let is_piece = |member: &Operand<'a>| matches!(member, Operand::Piece(_));
        if members.is_empty() || !members.iter().all(is_piece) {
            let values: Option<Vec<Value>> = members.iter().map(Operand::value).collect();
            return Some(Operand::Value(Value::list(values?)));
        }
        let pieces = members.into_iter().filter_map(|member| match member {
            Operand::Piece(piece) => Some(piece),
            _ => None,
        });
        Some(Operand::Pieces(pieces.collect::<Vec<_>>().into()))
    }
}

/// Whether two operands are the same; `None` when they are of kinds that are never compared.
pub fn are_equal(left: &Operand<'_>, right: &Operand<'_>) -> Option<bool> {
    if let (Some(left), Some(right)) = (left.as_str(), right.as_str()) {
        return Some(left == right);
    }
    if let (Some(left), Some(right)) = (left.as_number(), right.as_number()) {
        return Some(left == right);
    }
    if let (Some(left_len), Some(right_len)) = (left.list_len(), right.list_len()) {
        if left_len != right_len {
            return Some(false);
        }
        // Lists nest as deep as values do, which is as deep as trees and banks are.
        return left
            .members()
            .zip(right.members())
            .try_fold(true, |all, (left, right)| Some(all && are_equal(&left, &right)?));
    }
    match (left, right) {
        (Operand::Value(Value::Nothing), Operand::Value(right)) => Some(*right == Value::Nothing),
        (Operand::Value(left), Operand::Value(Value::Nothing)) => Some(*left == Value::Nothing),
        (Operand::Value(Value::Nothing), _) | (_, Operand::Value(Value::Nothing)) => Some(false),
        (Operand::Value(left @ Value::Bool(_)), Operand::Value(right @ Value::Bool(_))) => {
            Some(left == right)
        }
        (Operand::Value(left @ Value::Record(_)), Operand::Value(right @ Value::Record(_))) => {
            Some(left == right)
        }
        _ => None,
    }
}

/// `1,234.5` and the like, as the unit `number` finds them.
pub fn parse_number(text: &str) -> Option<Number> {
    let plain: String = text
        .chars()
        .filter(|c| *c != ',')
        .map(|c| match c {
            '−' => '-',
            c => decimal_digit(c).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c),
        })
        .collect();
    let plain = plain.trim().trim_start_matches('+');
    if let Ok(value) = plain.parse::<i64>() {
        return Some(Number::Int(value));
    }
    if !plain.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
        return None;
    }
    Number::finite(plain.parse().ok()?)
}
