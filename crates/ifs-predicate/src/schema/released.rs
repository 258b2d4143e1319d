//! Meeseeks' reading of a JSON Schema: what is checked of an answer, member by member, and which of
//! it does not hold. `docs/fidelity-meeseeks.md` says where it differs from the standard.

use std::sync::LazyLock;

use regex::Regex;

use super::{Schema, literal};
use crate::record::Record;
use crate::value::Value;

/// A member that is checked.
struct CheckedMember<'s> {
    /// From the root: `a[*].b`
    path: String,
    schema: Option<&'s Value>,
    required: bool,
}

/// The paths of the members that an answer is checked for and does not have as the schema says.
/// `nested` is whether members that an array's elements need not have are looked into.
pub fn missed_paths(answer: &str, schema: &Value, nested: bool) -> Vec<String> {
    let Value::Record(top) = schema else { return Vec::new() };
    let Some(values) = values(answer) else {
        // Nothing is left to check of an array.
        return match has_type(top, "object") {
            true => points(top, "", nested).into_iter().map(|point| point.path).collect(),
            false => Vec::new(),
        };
    };
    let points = points(top, "", nested);
    let of = |value: &Value| -> Vec<String> {
        points.iter().filter(|point| !point.holds(value)).map(|point| point.path.clone()).collect()
    };
    match has_type(top, "array") {
        true => of(&Value::list(values)),
        false => values.iter().flat_map(of).collect(),
    }
}

fn has_type(schema: &Record, ty: &str) -> bool {
    schema.get("type").and_then(Value::as_str) == Some(ty)
}

fn points<'s>(schema: &'s Record, path: &str, nested: bool) -> Vec<CheckedMember<'s>> {
    let mut found = Vec::new();
    let element = path.ends_with("[*]");
    if has_type(schema, "array") {
        let items = schema.get("items").and_then(record);
        if let Some(items) = items.filter(|items| has_type(items, "object")) {
            found.extend(points(items, &format!("{path}[*]"), nested));
        }
        return found;
    }
    if !has_type(schema, "object") {
        return found;
    }
    let properties = schema.get("properties").and_then(record);
    let required: Vec<&str> = match schema.get("required") {
        Some(Value::List(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let optional = properties.into_iter().flat_map(Record::iter).map(|(name, _)| name);
    let optional: Vec<&str> = optional.filter(|name| element && !required.contains(name)).collect();
    for (name, required) in required
        .iter()
        .map(|name| (*name, true))
        .chain(optional.into_iter().map(|name| (name, false)))
    {
        let of_field = properties.and_then(|properties| properties.get(name));
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let inner = of_field.and_then(record).filter(|_| required || nested);
        found.push(CheckedMember { path: path.clone(), schema: of_field, required });
        let Some(inner) = inner else { continue };
        if has_type(inner, "object") || has_type(inner, "array") {
            found.extend(points(inner, &path, nested));
        }
    }
    found
}

impl CheckedMember<'_> {
    fn holds(&self, whole: &Value) -> bool {
        let Some((array, rest)) = self.path.split_once("[*]") else {
            return match value_at(whole, &self.path) {
                Some(value) => self.fits(value),
                None => !self.required,
            };
        };
        // Only what is after the first array is looked up, up to the next.
        let below = rest.split("[*]").next().unwrap_or_default().trim_start_matches('.');
        let Some(Value::List(members)) = value_at(whole, array) else { return false };
        let found: Vec<&Value> =
            members.iter().filter_map(|member| value_at(member, below)).collect();
        match found.is_empty() {
            true => !self.required,
            false => found.into_iter().all(|value| self.fits(value)),
        }
    }

    fn fits(&self, value: &Value) -> bool {
        self.schema.is_none_or(|schema| {
            Schema::remembered(schema).is_ok_and(|schema| schema.fits(value).is_ok())
        })
    }
}

fn record(value: &Value) -> Option<&Record> {
    match value {
        Value::Record(fields) => Some(fields),
        _ => None,
    }
}

/// What a path leads to, from member to member.
fn value_at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() {
        return Some(value);
    }
    path.split('.').try_fold(value, |value, name| record(value)?.get(name))
}

/// The values in an answer: a literal of Python, JSON, or else the objects in braces, nested at most
/// once.
fn values(answer: &str) -> Option<Vec<Value>> {
    static OBJECT_PATTERN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\{(?:[^{}]|\{[^{}]*\})*\}").ok());
    let whole = |value: Value| match value {
        Value::List(members) => members.to_vec(),
        value => vec![value],
    };
    // Of fields with the same name the last counts.
    let json = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        serde_json::from_value::<Value>(value).ok()
    };
    let read = |text: &str| {
        let control = |c: char| matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}');
        json(text).or_else(|| json(&text.replace(control, "")))
    };
    let literal = literal::parse_literal(answer).filter(|value| *value != Value::Nothing);
    if let Some(value) = literal.or_else(|| read(answer).filter(|value| *value != Value::Nothing)) {
        return Some(whole(value));
    }
    let found =
        OBJECT_PATTERN.as_ref()?.find_iter(answer).filter_map(|object| read(object.as_str()));
    let found: Vec<Value> = found.collect();
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_checked_one_by_one() {
        let of = |schema: &str, answer: &str| {
            missed_paths(answer, &serde_json::from_str(schema).unwrap(), true).join(" ")
        };
        let list = r#"{"type": "array", "minItems": 9, "items": {"type": "object",
            "required": ["name"], "properties": {"name": {"type": "string", "能力项": "x"},
            "age": {"type": "integer"}}}}"#;
        for (answer, expected) in [
            (r#"[{"name": "a"}]"#, ""),
            ("[{'name': 'a'}, {}]", ""),
            ("[]", "[*].name"),
            ("[{'name': 1, 'age': 'x'}]", "[*].name [*].age"),
            ("Here: {\"name\": \"a\"}.", ""),
            ("no JSON", ""),
        ] {
            assert_eq!(of(list, answer), expected, "{answer}");
        }
        let one = r#"{"type": "object", "required": ["a", "b"], "properties": {"a": {"type":
            "object", "required": ["c"]}, "b": {"type": "array", "items": {"type": "object",
            "required": ["d"]}}}}"#;
        for (answer, expected) in [
            ("no JSON", "a a.c b b[*].d"),
            (r#"{"a": {"c": 1}, "b": [{"d": 1}, {}]}"#, "b"),
            (r#"{"a": {}, "b": []}"#, "a a.c b[*].d"),
            (r#"[{"a": {"c": 1}, "b": [{"d": 1}]}, {}]"#, "a a.c b b[*].d"),
        ] {
            assert_eq!(of(one, answer), expected, "{answer}");
        }
    }
}
