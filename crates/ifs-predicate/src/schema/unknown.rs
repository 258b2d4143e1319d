//! Keywords that a schema has and that demand nothing here: the standard has readers pass over what
//! they do not know, and their author is warned.

use super::{ANNOTATION_KEYWORDS, KEYWORDS};
use crate::value::Value;

/// Keywords of the standard that demand something and are not read here: passing over one of these
/// would let answers pass that do not meet it.
pub const UNSUPPORTED_KEYWORDS: &[&str] = &[
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "additionalItems",
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "maxContains",
    "minContains",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Whether a keyword means nothing to the standard either.
pub fn is_unknown(keyword: &str) -> bool {
    !KEYWORDS.contains(&keyword)
        && !ANNOTATION_KEYWORDS.contains(&keyword)
        && !UNSUPPORTED_KEYWORDS.contains(&keyword)
}

/// The unknown keywords of a schema and of those in it, each once, in the order of their names.
pub fn unknown(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match schema {
        Value::Text(text) => {
            if let Ok(schema) = serde_json::from_str::<Value>(text) {
                collect(&schema, &mut found);
            }
        }
        schema => collect(schema, &mut found),
    }
    found.sort();
    found.dedup();
    found
}

fn collect(schema: &Value, found: &mut Vec<String>) {
    let Value::Record(fields) = schema else { return };
    for (keyword, value) in fields.iter() {
        match (keyword, value) {
            ("properties", Value::Record(fields)) => {
                fields.iter().for_each(|(_, schema)| collect(schema, found));
            }
            ("allOf" | "anyOf" | "oneOf", Value::List(schemas)) => {
                schemas.iter().for_each(|schema| collect(schema, found));
            }
            ("items" | "additionalProperties" | "not", schema) => collect(schema, found),
            (keyword, _) if is_unknown(keyword) => found.push(keyword.to_owned()),
            _ => {}
        }
    }
}
