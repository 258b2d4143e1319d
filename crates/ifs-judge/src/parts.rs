//! Parts of a response, extracted before it is judged.

use super::Exchange;
use ifs_draw::{PartCriterion, ScriptTurn};
use ifs_model::table::DecidedBy;
use ifs_parts::parts::{self, NamedTexts};
use ifs_predicate::value::Value;

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

/// Extracts a part: as models extracted it, or with its reader. A part without a reader of a
/// simulated model without extractors is parsed from the layout of its responses.
pub(super) fn cut(part: &PartCriterion, exchange: &Exchange<'_>) -> ResponsePart {
    if let Some(by_models) = exchange.extracted.iter().find(|cut| cut.part == part.name) {
        return found(&by_models.extraction.value);
    }
    if part.reader.is_none() && exchange.note.is_none() {
        return ResponsePart::NotAsked;
    }
    let wanted = part.witness_part();
    let checks = exchange.turn.criteria.iter().filter_map(|criterion| match &criterion.by {
        DecidedBy::Rule(tree) => Some(tree).filter(|tree| tree.mentions(&part.name)),
        DecidedBy::Judge(_) => None,
    });
    let pieces = wanted.reader.read_answer(exchange.answer, &NamedTexts::from_checks(checks));
    found(&parts::PartValue::from_items(part.list, pieces.iter().map(AsRef::as_ref)))
}

fn found(cut: &parts::PartValue) -> ResponsePart {
    match cut.value() {
        Some(value) => ResponsePart::Found(value),
        None if *cut == parts::PartValue::Unread => ResponsePart::Unread,
        None => ResponsePart::Nothing,
    }
}

/// The parts of a turn that models extract: those without a reader, or all of them.
pub fn for_models(turn: &ScriptTurn, all: bool) -> impl Iterator<Item = &PartCriterion> {
    let parts = if turn.criteria.is_empty() { &[] } else { &turn.parts[..] };
    parts.iter().filter(move |part| all || part.reader.is_none())
}
