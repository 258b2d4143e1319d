//! Parts of a response, extracted before it is judged.

use super::Exchange;
use crate::parts;
use crate::predicate::value::Value;
use crate::script::{Part, ScriptTurn};

/// The result of extracting a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// A list of texts, or one text.
    Found(Value),
    Nothing,
    /// No reply of a model could be used.
    Unread,
    /// It has no reader, and no model was configured.
    NotAsked,
}

/// Extracts a part. Without a reader, it is what models extracted; for a simulated model without
/// extractors, it is read from the layout of its responses.
pub(super) fn cut(part: &Part, exchange: &Exchange<'_>) -> Cut {
    if part.reader.is_none() {
        if let Some(by_models) = exchange.cuts.iter().find(|cut| cut.part == part.name) {
            return found(&by_models.extraction.cut);
        }
        if exchange.note.is_none() {
            return Cut::NotAsked;
        }
    }
    let wanted = part.wanted();
    let pieces = wanted.reader.read(exchange.answer);
    found(&parts::Cut::of(part.list, pieces.iter().map(AsRef::as_ref)))
}

fn found(cut: &parts::Cut) -> Cut {
    match cut.value() {
        Some(value) => Cut::Found(value),
        None if *cut == parts::Cut::Unread => Cut::Unread,
        None => Cut::Nothing,
    }
}

/// The parts of a turn that models extract.
pub fn for_models(turn: &ScriptTurn) -> impl Iterator<Item = &Part> {
    let parts = if turn.criteria.is_empty() { &[] } else { &turn.parts[..] };
    parts.iter().filter(|part| part.reader.is_none())
}
