//! Parts: what is cut out of an answer before it is judged.

use super::Exchange;
use crate::parts;
use crate::predicate::value::Value;
use crate::script::Part;

/// What came of cutting a part out.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// A list of texts, or one text.
    Found(Value),
    Nothing,
    /// No reader is written, and nobody was asked who could cut it out.
    NotAsked,
}

/// Cuts a part out of an answer. Where no reader is written, a simulated model's answer is cut as
/// simulated models lay out what they answer.
pub(super) fn cut(part: &Part, exchange: &Exchange<'_>) -> Cut {
    if part.reader.is_none() && exchange.note.is_none() {
        return Cut::NotAsked;
    }
    let wanted = part.wanted();
    let found = wanted.reader.read(exchange.answer);
    match parts::Cut::of(part.list, found.iter().map(AsRef::as_ref)).value() {
        Some(value) => Cut::Found(value),
        None => Cut::Nothing,
    }
}
