//! Responses that violate exactly the goals that must fail: small changes of pieces that satisfy
//! all goals.

use serde_json::{Value, json};

use ifs_predicate::witness::Goal;

use super::split::SplitGoals;
use super::{WitnessPart, layout, missed};

/// The maximum number of consecutive changes.
const MAX_CHANGES: usize = 6;

/// The response closest to all goals, from pieces that satisfy those that must hold; `None` if no
/// goal must fail.
pub(super) fn violating(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    split: &SplitGoals<'_>,
    pieces: &[Vec<String>],
    numbers: bool,
) -> Option<String> {
    if goals.iter().all(|goal| goal.wanted) {
        return None;
    }
    let mut have = pieces.to_vec();
    let mut text = layout::render(parts, split, &have, numbers);
    let mut wrong = missed(parts, goals, &text).len();
    for _ in 0..MAX_CHANGES {
        let mut best = None;
        for changed in changes(&have) {
            let next = layout::render(parts, split, &changed, numbers);
            let left = missed(parts, goals, &next).len();
            if left < wrong {
                wrong = left;
                best = Some((changed, next));
            }
            if wrong == 0 {
                break;
            }
        }
        let Some((changed, next)) = best else { break };
        have = changed;
        text = next;
        if wrong == 0 {
            break;
        }
    }
    if wrong > 0 {
        text = invalidate_json(parts, goals, text, &mut wrong);
    }
    // The text around the parts belongs to none of them.
    let around = ["Sure!\n\n{}", "{}\n\nI hope that this helps!", "{}\n\n#", "```\n{}\n```"];
    let near = around.map(|around| around.replace("{}", &text));
    let least = near.into_iter().map(|text| (missed(parts, goals, &text).len(), text)).min();
    Some(least.filter(|(left, _)| *left < wrong).map_or(text, |(_, text)| text))
}

/// Single changes: of the number of pieces, of one piece, of its beginning and end.
fn changes(pieces: &[Vec<String>]) -> Vec<Vec<Vec<String>>> {
    let mut all = Vec::new();
    let mut change = |part: usize, change: &dyn Fn(&mut Vec<String>)| {
        let mut changed = pieces.to_vec();
        if let Some(pieces) = changed.get_mut(part) {
            change(pieces);
        }
        all.push(changed);
    };
    for part in 0..pieces.len() {
        change(part, &|pieces| {
            pieces.pop();
        });
        change(part, &|pieces| pieces.push("one more of these small things".to_owned()));
        change(part, &|pieces| {
            let first = pieces.first().cloned();
            if let Some(last) = pieces.last_mut() {
                *last = first.unwrap_or_default();
            }
        });
        let edits: [fn(&str) -> String; 8] = [
            |piece| format!("{piece} and so much more of it than was wanted"),
            |piece| piece.split_whitespace().take(1).collect(),
            |piece| format!("{piece} {piece}"),
            |piece| format!("¶ {piece}"),
            |piece| format!("{piece} ~"),
            |piece| piece.to_uppercase(),
            |piece| "zz".repeat(piece.chars().count().clamp(1, 40)),
            |piece| piece.chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect(),
        ];
        for edit in edits {
            change(part, &|pieces| {
                if let Some(first) = pieces.first_mut() {
                    *first = edit(first);
                }
            });
            change(part, &|pieces| {
                for piece in pieces.iter_mut() {
                    *piece = edit(piece);
                }
            });
        }
    }
    all
}

/// JSON with invalid fields, as long as fewer goals are wrong.
fn invalidate_json(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    text: String,
    wrong: &mut usize,
) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
    let mut text = text;
    for _ in 0..MAX_CHANGES {
        let mut best = None;
        let mut pointers = vec![String::new()];
        pointers_of(&value, "", &mut pointers);
        let tries = pointers
            .iter()
            .flat_map(|pointer| (0..WRONG_VALUE_KINDS).map(move |way| (pointer, way)));
        for (pointer, way) in tries {
            let mut changed = value.clone();
            let Some(field) = changed.pointer_mut(pointer) else { continue };
            *field = wrong_value(field, way);
            let Ok(next) = serde_json::to_string_pretty(&changed) else { continue };
            let left = missed(parts, goals, &next).len();
            if left < *wrong {
                *wrong = left;
                best = Some((changed, next));
            }
            if left == 0 {
                break;
            }
        }
        let Some((changed, next)) = best else { break };
        (value, text) = (changed, next);
        if *wrong == 0 {
            break;
        }
    }
    text
}

/// The maximum number of positions in a response that are tried.
const MAX_POSITIONS: usize = 40;

fn pointers_of(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |name: &str, value: &Value| {
        if found.len() < MAX_POSITIONS {
            let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            found.push(pointer.clone());
            pointers_of(value, &pointer, found);
        }
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| below(name, value)),
        Value::Array(members) => {
            members.iter().enumerate().for_each(|(at, value)| below(&at.to_string(), value));
        }
        _ => {}
    }
}

/// Ways of making a value invalid.
const WRONG_VALUE_KINDS: usize = 4;

fn wrong_value(value: &Value, way: usize) -> Value {
    match (way, value) {
        (0, Value::String(text)) => json!(format!("{text} ").repeat(20)),
        (0, Value::Number(_)) => json!(-1_000_000),
        (0, Value::Array(members)) => {
            let more = members.iter().cloned().chain(members.first().cloned());
            Value::Array(more.collect())
        }
        (1, Value::Array(members)) => Value::Array(members.iter().skip(1).cloned().collect()),
        (1, Value::Number(_)) => json!(1_000_000),
        (1, _) => json!(""),
        (2, _) => json!(0.5),
        _ => Value::Null,
    }
}
