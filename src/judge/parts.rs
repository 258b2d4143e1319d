//! Parts of a response, extracted before it is judged.

use super::Exchange;
use crate::parts;
use crate::predicate::value::Value;
use crate::script::{PartCriterion, ScriptTurn};

/// The result of extracting a part.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponsePart {
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
pub(super) fn cut(part: &PartCriterion, exchange: &Exchange<'_>) -> ResponsePart {
    if part.reader.is_none() {
        if let Some(by_models) = exchange.extracted.iter().find(|cut| cut.part == part.name) {
            return found(&by_models.extraction.value);
        }
        if exchange.note.is_none() {
            return ResponsePart::NotAsked;
        }
    }
    let wanted = part.witness_part();
    let pieces = wanted.reader.read(exchange.answer);
    found(&parts::PartValue::from_pieces(part.list, pieces.iter().map(AsRef::as_ref)))
}

fn found(cut: &parts::PartValue) -> ResponsePart {
    match cut.value() {
        Some(value) => ResponsePart::Found(value),
        None if *cut == parts::PartValue::Unread => ResponsePart::Unread,
        None => ResponsePart::Nothing,
    }
}

/// The parts of a turn that models extract.
pub fn for_models(turn: &ScriptTurn) -> impl Iterator<Item = &PartCriterion> {
    let parts = if turn.criteria.is_empty() { &[] } else { &turn.parts[..] };
    parts.iter().filter(|part| part.reader.is_none())
}
