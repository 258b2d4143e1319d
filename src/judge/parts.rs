//! Parts: what is cut out of an answer before it is judged.

use super::Exchange;
use crate::parts;
use crate::predicate::value::Value;
use crate::script::{Part, ScriptTurn};

/// The outcome of cutting a part out.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// A list of texts, or one text.
    Found(Value),
    Nothing,
    /// Models were asked, and replied nothing that can be used.
    Unread,
    /// No reader is written, and no one was asked who could cut it out.
    NotAsked,
}

/// Cuts a part out of an answer. Where no reader is written, it is what models cut out; a simulated
/// model's answer is cut as simulated models lay out what they answer, where no one was asked.
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

/// The parts that models cut out of the answer to a turn.
pub fn for_models(turn: &ScriptTurn) -> impl Iterator<Item = &Part> {
    let parts = if turn.criteria.is_empty() { &[] } else { &turn.parts[..] };
    parts.iter().filter(|part| part.reader.is_none())
}
