//! Fields of records in published data.

use serde_json::Value;

use super::{Defect, DefectKind};

/// Reads fields and notes what is wrong with them.
pub(super) struct FieldReader<'a> {
    pub record: &'a str,
    pub turn: Option<String>,
    pub defects: &'a mut Vec<Defect>,
}

impl FieldReader<'_> {
    pub fn note(&mut self, kind: DefectKind, what: impl Into<String>) {
        let (record, turn) = (self.record.to_owned(), self.turn.clone());
        self.defects.push(Defect { kind, record, turn, what: what.into() });
    }

    /// A text; empty if there is none.
    pub fn text(&mut self, of: &Value, field: &str) -> String {
        match of.get(field) {
            Some(Value::String(text)) => {
                if text.trim().is_empty() {
                    self.note(DefectKind::EmptyText, format!("`{field}` is empty"));
                }
                text.clone()
            }
            other => {
                self.missing(field, "a text", other);
                String::new()
            }
        }
    }

    /// A list; empty if there is none.
    pub fn list<'v>(&mut self, of: &'v Value, field: &str) -> &'v [Value] {
        match of.get(field) {
            Some(Value::Array(members)) => members,
            other => {
                self.missing(field, "a list", other);
                &[]
            }
        }
    }

    /// One text or a list of them.
    pub fn texts(&mut self, of: &Value, field: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let found = match of.get(field) {
            Some(Value::String(one)) => Some(vec![one.clone()]),
            Some(Value::Array(members)) => members.iter().map(text).collect(),
            _ => None,
        };
        found.unwrap_or_else(|| {
            self.missing(field, "a text or a list of texts", of.get(field));
            Vec::new()
        })
    }

    fn missing(&mut self, field: &str, wanted: &str, found: Option<&Value>) {
        let what = match found {
            None => format!("`{field}` is missing"),
            Some(value) => format!("`{field}` is {}, and not {wanted}", kind(value)),
        };
        self.note(DefectKind::MissingField, what);
    }
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
