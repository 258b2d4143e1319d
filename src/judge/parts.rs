//! Parts of a response, extracted before it is judged.

use super::Exchange;
use crate::parts;
use crate::predicate::value::Value;
use crate::script::{Part, ScriptTurn};

/// The result of extracting a part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartValue {
    /// A list of texts, or one text.
    Found(Value),
    Nothing,
    /// No reply of a model could be parsed.
    Unread,
    /// The part has no reader, and no extractor was configured.
    NotAsked,
}

/// Extracts a part. Without a reader, it is the models' extraction; for a simulated model without
/// extractors, it is parsed from the layout of its responses.
pub(super) fn cut(part: &Part, exchange: &Exchange<'_>) -> PartValue {
    if part.reader.is_none() {
        if let Some(by_models) = exchange.extracted.iter().find(|cut| cut.part == part.name) {
            return found(&by_models.extraction.value);
        }
        if exchange.note.is_none() {
            return PartValue::NotAsked;
        }
    }
    let wanted = part.wanted();
    let pieces = wanted.reader.read(exchange.answer);
    found(&parts::PartValue::of(part.list, pieces.iter().map(AsRef::as_ref)))
}

fn found(cut: &parts::PartValue) -> PartValue {
    match cut.value() {
        Some(value) => PartValue::Found(value),
        None if *cut == parts::PartValue::Unread => PartValue::Unread,
        None => PartValue::Nothing,
    }
}

/// The parts of a turn that models extract.
pub fn for_models(turn: &ScriptTurn) -> impl Iterator<Item = &Part> {
    let parts = if turn.criteria.is_empty() { &[] } else { &turn.parts[..] };
    parts.iter().filter(|part| part.reader.is_none())
}
