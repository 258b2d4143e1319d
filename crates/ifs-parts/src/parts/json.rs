//! The values at a path in the JSON of a response.

use std::borrow::Cow;

use serde_json::Value;

use ifs_text::{Text, Unit};

use super::lists::unfenced;

/// The values at the end of a path, as texts: members of a list separately, objects as JSON.
pub(super) fn read<'t>(text: &'t str, path: &str) -> Vec<Cow<'t, str>> {
    let Some(value) = find(text) else { return Vec::new() };
    let mut found = vec![&value];
    for step in steps(path) {
        found = found.into_iter().flat_map(|value| step_into(value, &step)).collect();
    }
    let members = found.into_iter().flat_map(|value| match value {
        Value::Array(members) => members.iter().collect(),
        other => vec![other],
    });
    members.filter_map(text_of).map(Cow::Owned).collect()
}

/// The JSON of a response: all of it, a fenced block, or the text from the first bracket.
fn find(text: &str) -> Option<Value> {
    let whole = text.trim();
    if let Ok(value) = serde_json::from_str(whole) {
        return Some(value);
    }
    let answer = Text::new(text);
    let fenced = answer.pieces(Unit::CodeBlock).find_map(|block| {
        let inside = unfenced(block).trim();
        inside.starts_with(['{', '[']).then(|| serde_json::from_str(inside).ok()).flatten()
    });
    fenced.or_else(|| {
        let first = |bracket: char| {
            let at = whole.find(bracket)?;
            let mut values = serde_json::Deserializer::from_str(&whole[at..]).into_iter::<Value>();
            values.next()?.ok()
        };
        let (object, list) = (whole.find('{'), whole.find('['));
        match (object, list) {
            (Some(object), Some(list)) if list < object => first('[').or_else(|| first('{')),
            _ => first('{').or_else(|| first('[')),
        }
    })
}

/// `a.b`, or a JSON Pointer.
fn steps(path: &str) -> Vec<String> {
    match path.strip_prefix('/') {
        Some(pointer) => {
            pointer.split('/').map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
        }
        None => path.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect(),
    }
}

/// One step into a value; a name is applied to every member of a list.
fn step_into<'v>(value: &'v Value, step: &str) -> Vec<&'v Value> {
    match value {
        Value::Object(fields) => fields.get(step).into_iter().collect(),
        Value::Array(members) => match step.parse::<usize>() {
            Ok(at) => members.get(at).into_iter().collect(),
            Err(_) => members.iter().filter_map(|member| member.as_object()?.get(step)).collect(),
        },
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn json_is_found_in_any_text() {
        let bare = "{\"steps\": [\"a\", 2, {\"b\": null}]}";
        let answers = [
            bare.to_owned(),
            format!("Here you are:\n```json\r\n{bare}\r\n```\nEnjoy!"),
            format!("Sure! {bare} Anything else?"),
        ];
        for answer in &answers {
            assert_eq!(read(answer, "steps"), ["a", "2", "{\"b\":null}"], "{answer}");
        }
    }

    #[test]
    fn paths() {
        let answer = "{\"people\": [{\"name\": \"A\\nda\"}, {\"name\": \"Bo\"}, {}], \"a.b\": 1}";
        assert_eq!(read(answer, "people.name"), ["A\nda", "Bo"]);
        assert_eq!(read(answer, "people.1.name"), ["Bo"]);
        assert_eq!(read(answer, "/people/0/name"), ["A\nda"]);
        assert_eq!(read(answer, "/a.b"), ["1"]);
        assert_eq!(read(answer, "nobody"), [""; 0]);
        assert_eq!(read("[1, 2]", ""), ["1", "2"]);
    }

    #[test]
    fn non_json_has_no_values() {
        for answer in ["", "no", "{", "{'a': 1}", "```json\n{\n```", "{\"a\": }"] {
            assert_eq!(read(answer, "a"), [""; 0], "{answer}");
        }
    }
}
