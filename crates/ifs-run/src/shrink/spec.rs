//! Reduced dialogues as text, to name them on a command line: the parts that are left, as in
//! `1,7,length.long@1`, and a value that replaces the drawn one, as in `length.long@1:n=21`.

use std::collections::BTreeSet;

use ifs_draw::{DialoguePiece, DialoguePieces, NewValue, Reduction};
use ifs_predicate::value::Value;

/// The text of a reduction.
#[must_use]
pub fn written(pieces: &DialoguePieces, reduction: &Reduction) -> String {
    let kept = &reduction.kept;
    let stated = kept.iter().filter(|piece| pieces.is_stated(piece, kept));
    let mut all: Vec<String> = stated.map(|piece| pieces.name(piece)).collect();
    if let Some(NewValue { constraint, stated, param, value }) = &reduction.value {
        let piece = match stated {
            0 => DialoguePiece::Constraint(*constraint),
            stated => DialoguePiece::Change(*constraint, *stated),
        };
        let name = pieces.name(&piece);
        all.retain(|other| *other != name);
        all.push(format!("{name}:{param}={value}"));
    }
    all.join(",")
}

/// The reduction that a text describes, or the part that the dialogue does not have.
///
/// # Errors
/// Returns the text of that part.
pub fn parse_reduction(pieces: &DialoguePieces, text: &str) -> Result<Reduction, String> {
    let mut kept = BTreeSet::new();
    let mut value = None;
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, new) = match part.split_once(':') {
            Some((name, new)) => (name, Some(new)),
            None => (part, None),
        };
        let piece = pieces.named(name).ok_or_else(|| part.to_owned())?;
        if let Some(new) = new {
            let (constraint, stated) = match piece {
                DialoguePiece::Constraint(at) => (at, 0),
                DialoguePiece::Change(at, stated) => (at, stated),
                _ => return Err(part.to_owned()),
            };
            let (param, number) = new.split_once('=').ok_or_else(|| part.to_owned())?;
            let number: i64 = number.trim().parse().map_err(|_| part.to_owned())?;
            let known = &pieces.constraints[constraint].stated[stated].active.args;
            if !known.iter().any(|(name, _)| name == param) {
                return Err(part.to_owned());
            }
            let (param, number) = (param.to_owned(), Value::Int(number));
            value = Some(NewValue { constraint, stated, param, value: number });
        }
        // A constraint that begins with it.
        if let DialoguePiece::Change(at, _) = piece {
            kept.insert(DialoguePiece::Constraint(at));
        }
        kept.insert(piece);
    }
    Ok(Reduction { kept, value })
}
