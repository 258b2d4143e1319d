//! Edits of JSON as text: its values, and its layout.

use std::ops::Range;

use serde_json::Value;

use super::words::WordDraw;

pub(super) fn written(value: &Value, pretty: bool) -> Option<String> {
    match pretty {
        true => serde_json::to_string_pretty(value).ok(),
        false => serde_json::to_string(value).ok(),
    }
}

/// All scalars.
pub(super) fn scalars(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(members) => members.iter_mut().flat_map(scalars).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(scalars).collect(),
        leaf => vec![leaf],
    }
}

/// The marks of JSON, and between them its texts, numbers and names.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' if quoted => {
                quoted = false;
                found.push(start..end);
                start = end;
            }
            _ if quoted => {}
            '"' => (start, quoted) = (at, true),
            '{' | '}' | '[' | ']' | ',' | ':' | ' ' | '\t' | '\n' | '\r' => {
                if start < at {
                    found.push(start..at);
                }
                if !c.is_whitespace() {
                    found.push(at..end);
                }
                start = end;
            }
            _ => {}
        }
    }
    if start < text.len() {
        found.push(start..text.len());
    }
    found
}

/// JSON with one of its strings changed; `None` if the text is not JSON or has no strings.
pub(super) fn with_changed_string(
    text: &str,
    draw: &mut WordDraw,
    change: impl FnOnce(&str, &mut WordDraw) -> String,
) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut whole: Value = serde_json::from_str(text).ok()?;
    let mut said = scalars(&mut whole);
    said.retain(|leaf| leaf.as_str().is_some_and(|said| !said.is_empty()));
    let at = draw.index_below(said.len());
    let leaf = said.get_mut(at)?;
    **leaf = Value::from(change(leaf.as_str()?, draw));
    written(&whole, text.contains('\n'))
}

/// JSON with more line ends after its marks, and more brackets if it has too few marks.
pub(super) fn with_line_ends(text: &str, many: usize, draw: &mut WordDraw) -> String {
    let mut text = text.to_owned();
    for _ in 0..many {
        let behind = |place: &Range<usize>| {
            let mark = matches!(text.get(place.clone()), Some("{" | "[" | "," | ":"));
            mark && !text
                .get(place.end..)
                .is_some_and(|rest| rest.trim_start_matches(' ').starts_with('\n'))
        };
        let open: Vec<usize> =
            tokens(&text).iter().filter(|place| behind(place)).map(|place| place.end).collect();
        match open.get(draw.index_below(open.len())) {
            Some(at) => text.insert(*at, '\n'),
            None => text = format!("[\n{text}]"),
        }
    }
    text
}
