//! JSON as a text that is changed: its values, and how it is laid out.

use serde_json::Value;

use super::words::Draw;

pub(super) fn written(value: &Value, pretty: bool) -> Option<String> {
    match pretty {
        true => serde_json::to_string_pretty(value).ok(),
        false => serde_json::to_string(value).ok(),
    }
}

/// All that is neither list nor object.
pub(super) fn leaves(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(members) => members.iter_mut().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(leaves).collect(),
        leaf => vec![leaf],
    }
}

/// JSON with one of the texts in it changed; `None` where the text is no JSON or says nothing.
pub(super) fn said_otherwise(
    text: &str,
    draw: &mut Draw,
    change: impl FnOnce(&str, &mut Draw) -> String,
) -> Option<String> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut whole: Value = serde_json::from_str(text).ok()?;
    let mut said = leaves(&mut whole);
    said.retain(|leaf| leaf.as_str().is_some_and(|said| !said.is_empty()));
    let at = draw.below(said.len());
    let leaf = said.get_mut(at)?;
    **leaf = Value::from(change(leaf.as_str()?, draw));
    written(&whole, text.contains('\n'))
}
