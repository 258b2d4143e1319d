//! How alike two texts are.

use std::collections::BTreeSet;

use super::Expect::{Float, Holds, Int};
use super::{Function, ParamType, ReturnType, SUBJECT, param};
use crate::number::Number;
use crate::operand::{Operand, TextPiece};

pub(super) const ROWS: &[&Function] = &[&SIMILARITY, &OVERLAP];

const SIMILARITY: Function = Function {
    name: "similarity",
    params: &[SUBJECT, param("other", ParamType::Text)],
    subject: true,
    returns: ReturnType::Float,
    doc: "The similarity of two texts, from 0 to 1: twice the number of shared words over the \
          number of words of both, each counted once and ignoring case (Dice 1945). Two texts \
          without words are similar if they are equal.",
    examples: &[
        ("similarity(\"the cat sat\")", "The cat ran.", Float(2.0 / 3.0)),
        ("similarity(\"the cat sat\") == 2 / 3", "The cat ran.", Holds),
        ("similarity(\"a b\")", "b a", Int(1)),
    ],
    call: |given| {
        let (left, right) = (given.piece(0)?, given.piece(1)?);
        let (a, b) = (words(&left), words(&right));
        let shared = a.intersection(&b).count();
        let share = Number::ratio(2 * shared as i128, (a.len() + b.len()) as i128);
        let alike = left.as_str() == right.as_str();
        Ok(share.map_or(Operand::int(usize::from(alike)), Operand::from_number))
    },
    noun: Some("the similarity"),
    ..Function::BARE
};

const OVERLAP: Function = Function {
    name: "overlap",
    params: &[SUBJECT, param("other", ParamType::Text)],
    subject: true,
    returns: ReturnType::Float,
    doc: "The share, from 0 to 1, of the other text's words that this text also has, each counted \
          once and ignoring case. 1 if the other text has no words.",
    examples: &[("overlap(\"the cat sat\") >= 60%", "The cat ran.", Holds)],
    call: |given| {
        let (a, b) = (words(&*given.piece(0)?), words(&*given.piece(1)?));
        let shared = a.intersection(&b).count();
        let share = Number::ratio(shared as i128, b.len() as i128);
        Ok(share.map_or(Operand::int(1), Operand::from_number))
    },
    noun: Some("the overlap"),
    ..Function::BARE
};

fn words(piece: &TextPiece<'_>) -> BTreeSet<String> {
    piece.folded_words().into_iter().collect()
}
