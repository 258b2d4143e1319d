//! JSON Schema, as much of it as says something about an answer: read once, then compared with
//! values. A keyword of the standard that is not read here is a mistake, so that no demand is passed
//! over in silence; one that the standard does not know either demands nothing.

mod instance;
mod literal;
mod misfit;
mod read;
pub(super) mod released;
mod unknown;

pub use misfit::SchemaMismatch;
pub use unknown::{UNSUPPORTED_KEYWORDS, is_unknown, unknown};

use std::collections::{BTreeMap, BTreeSet};

use misfit::MisfitMessage;

use super::number::Number;
use super::tree::Pattern;
use super::value::Value;

/// The keywords that demand something, as documentation lists them.
pub const KEYWORDS: &[&str] = &[
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "type",
    "uniqueItems",
];

/// The keywords that demand nothing.
pub const ANNOTATION_KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "format",
    "readOnly",
    "title",
    "writeOnly",
];

/// What a value has to be.
#[derive(Debug)]
pub struct Schema(Vec<SchemaDemand>);

#[derive(Debug)]
enum SchemaDemand {
    Never,
    Type(Vec<&'static str>),
    /// `enum`, `const`
    OneOf(Vec<Value>),
    Required(Vec<String>),
    Properties {
        known: BTreeMap<String, Schema>,
        others: Option<Schema>,
    },
    Items(Schema),
    Unique,
    Pattern(Pattern),
    /// How many characters, members or fields.
    Size {
        of: &'static str,
        least: i64,
        most: i64,
    },
    Bound {
        holds: fn(Number, Number) -> bool,
        /// The message about a number beyond the limit.
        key: &'static str,
        limit: Number,
    },
    MultipleOf(Number),
    All(Vec<Schema>),
    Any(Vec<Schema>),
    One(Vec<Schema>),
    Not(Schema),
}

/// Where a value is not a valid schema: a JSON Pointer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema {
    pub pointer: String,
    /// A lower-case fragment.
    pub why: String,
}

impl std::fmt::Display for InvalidSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => write!(f, "the value {}", self.why),
            pointer => write!(f, "`{pointer}` {}", self.why),
        }
    }
}

impl Schema {
    /// Whether a value fits. Goes as deep as the value and the schema do, which readers limit.
    ///
    /// # Errors
    /// The first part that does not.
    pub fn fits(&self, value: &Value) -> Result<(), SchemaMismatch> {
        self.0.iter().try_for_each(|demand| demand.fits(value))
    }
}

impl Schema {
    /// The one type that every value of it has.
    pub fn single_type(&self) -> Option<&'static str> {
        self.0
            .iter()
            .find_map(|demand| match demand {
                SchemaDemand::Type(types) => <[&'static str; 1]>::try_from(types.as_slice()).ok(),
                SchemaDemand::All(schemas) => {
                    schemas.iter().find_map(Schema::single_type).map(|ty| [ty])
                }
                _ => None,
            })
            .map(|[ty]| ty)
    }
}

impl SchemaDemand {
    fn fits(&self, value: &Value) -> Result<(), SchemaMismatch> {
        let unless = |fits: bool, why: &dyn Fn() -> MisfitMessage| {
            if fits { Ok(()) } else { Err(why().at_root()) }
        };
        match self {
            SchemaDemand::Never => unless(false, &|| MisfitMessage::new("never")),
            SchemaDemand::Type(types) => {
                unless(types.iter().any(|ty| is_of_type(value, ty)), &|| {
                    MisfitMessage::new("other")
                        .types("found", &[type_of(value)])
                        .types("expected", types)
                })
            }
            SchemaDemand::OneOf(values) => {
                unless(values.iter().any(|have| are_equal(have, value)), &|| {
                    let values = values.iter().map(json).collect();
                    MisfitMessage::new("other")
                        .with_text("found", json(value))
                        .values("expected", values)
                })
            }
            SchemaDemand::Required(names) => {
                let Value::Record(fields) = value else { return Ok(()) };
                let missing = names.iter().find(|name| fields.get(name).is_none());
                unless(missing.is_none(), &|| {
                    MisfitMessage::new("missing")
                        .with_text("name", missing.map_or("", String::as_str))
                })
            }
            SchemaDemand::Properties { known, others } => {
                let Value::Record(fields) = value else { return Ok(()) };
                fields.iter().try_for_each(|(name, field)| {
                    let schema = known.get(name).or(others.as_ref());
                    schema
                        .map_or(Ok(()), |schema| schema.fits(field))
                        .map_err(|misfit| misfit.inside_member(name))
                })
            }
            SchemaDemand::Items(schema) => {
                let Value::List(members) = value else { return Ok(()) };
                members.iter().enumerate().try_for_each(|(at, member)| {
                    schema.fits(member).map_err(|misfit| misfit.inside_member(&at.to_string()))
                })
            }
            SchemaDemand::Unique => {
                let Value::List(members) = value else { return Ok(()) };
                let mut seen = BTreeSet::new();
                let unique = members.iter().all(|member| seen.insert(json(member)));
                unless(unique, &|| MisfitMessage::new("twice"))
            }
            SchemaDemand::Pattern(pattern) => {
                let Value::Text(text) = value else { return Ok(()) };
                let fits = pattern.regex().is_some_and(|regex| regex.is_match(text));
                unless(fits, &|| {
                    MisfitMessage::new("no_match").with_text("pattern", &*pattern.pattern)
                })
            }
            SchemaDemand::Size { of, least, most } => {
                let size = match value {
                    Value::Text(text) if *of == "characters" => text.chars().count(),
                    Value::List(members) if *of == "members" => members.len(),
                    Value::Record(fields) if *of == "fields" => fields.len(),
                    _ => return Ok(()),
                };
                let found = i64::try_from(size).unwrap_or(i64::MAX);
                unless((*least..=*most).contains(&found), &|| {
                    let (key, limit) =
                        if found < *least { ("too_few", least) } else { ("too_many", most) };
                    MisfitMessage::new(key)
                        .with_amount("amount", size, of)
                        .with_text("limit", limit.to_string())
                })
            }
            SchemaDemand::Bound { holds, key, limit } => match Number::from_value(value) {
                Some(number) => unless(holds(number, *limit), &|| {
                    MisfitMessage::new(key)
                        .with_text("found", json(value))
                        .with_text("limit", limit.value().to_string())
                }),
                None => Ok(()),
            },
            SchemaDemand::MultipleOf(step) => match Number::from_value(value) {
                Some(number) => {
                    let whole = number.over(*step).is_some_and(is_whole);
                    unless(whole, &|| {
                        MisfitMessage::new("no_multiple")
                            .with_text("found", json(value))
                            .with_text("step", step.value().to_string())
                    })
                }
                None => Ok(()),
            },
            SchemaDemand::All(schemas) => schemas.iter().try_for_each(|schema| schema.fits(value)),
            SchemaDemand::Any(schemas) => {
                unless(schemas.iter().any(|schema| schema.fits(value).is_ok()), &|| {
                    MisfitMessage::new("fits_none").with_text("schemas", schemas.len().to_string())
                })
            }
            SchemaDemand::One(schemas) => {
                let count = schemas.iter().filter(|schema| schema.fits(value).is_ok()).count();
                unless(count == 1, &|| {
                    MisfitMessage::new("fits_several")
                        .with_text("count", count.to_string())
                        .with_text("schemas", schemas.len().to_string())
                })
            }
            SchemaDemand::Not(schema) => {
                unless(schema.fits(value).is_err(), &|| MisfitMessage::new("fits_forbidden"))
            }
        }
    }
}

/// The pointer to a place, seen from the value that has it as its member or field of this name.
fn pointer_inside(name: &str, pointer: &str) -> String {
    format!("/{}{pointer}", name.replace('~', "~0").replace('/', "~1"))
}

/// JSON Schema calls a number without a fraction an integer, however it is written.
fn is_whole(number: Number) -> bool {
    match number {
        Number::Int(_) => true,
        Number::Ratio(..) => false,
        Number::Float(value) => libm::floor(value) == value,
    }
}

fn is_of_type(value: &Value, ty: &str) -> bool {
    match value {
        Value::Int(_) | Value::Float(_) => {
            ty == "number" || ty == "integer" && Number::from_value(value).is_some_and(is_whole)
        }
        value => type_of(value) == ty,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Nothing => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::Text(_) => "string",
        Value::List(_) => "array",
        Value::Record(_) => "object",
    }
}

fn are_equal(left: &Value, right: &Value) -> bool {
    json(left) == json(right)
}

/// A value as JSON, the same for the same value however its numbers were written.
pub(super) fn json(value: &Value) -> String {
    match value {
        Value::Float(float) if libm::floor(*float) == *float && float.abs() < 1e15 => {
            (*float as i64).to_string()
        }
        Value::List(members) => {
            let members: Vec<String> = members.iter().map(json).collect();
            format!("[{}]", members.join(","))
        }
        Value::Record(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", json(&Value::text(name)), json(value)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
        value => serde_json::to_string(value).unwrap_or_default(),
    }
}

fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_EXCERPT_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::Wording;

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    fn unfit(schema: &str, text: &str) -> Option<String> {
        let schema = Schema::from_value(&Value::text(schema)).unwrap();
        schema.fits(&value(text)).err().map(|misfit| misfit.to_string())
    }

    #[test]
    fn schema_mismatches_have_names_and_places() {
        for (schema, text, why) in [
            (r#"{"type": "object"}"#, "[]", "the value is an array, not an object"),
            (
                r#"{"type": ["integer", "null"]}"#,
                "1.5",
                "the value is a number, not a whole number or null",
            ),
            (r#"{"required": ["a", "b"]}"#, r#"{"a": 1}"#, "the value has no field `b`"),
            (
                r#"{"properties": {"a/b": {"items": {"type": "string"}}}}"#,
                r#"{"a/b": ["x", 2]}"#,
                "`/a~1b/1` is a whole number, not a string",
            ),
            (
                r#"{"properties": {"a": true}, "additionalProperties": false}"#,
                r#"{"a": 1, "b": 2}"#,
                "`/b` may not be there",
            ),
            (
                r#"{"additionalProperties": {"minimum": 3}}"#,
                r#"{"x": 2}"#,
                "`/x` is 2, not at least 3",
            ),
            (r#"{"enum": ["a", 1]}"#, "\"b\"", "the value is \"b\", not \"a\" or 1"),
            (r#"{"const": {"a": 1}}"#, r#"{"a": 2}"#, r#"the value is {"a":2}, not {"a":1}"#),
            (r#"{"minLength": 3}"#, "\"né\"", "the value has 2 characters, not at least 3"),
            (r#"{"maxItems": 1}"#, "[1, 2]", "the value has 2 members, not at most 1"),
            (r#"{"minProperties": 1}"#, "{}", "the value has 0 fields, not at least 1"),
            (r#"{"uniqueItems": true}"#, "[1, 1.0]", "the value has two members that are the same"),
            (r#"{"pattern": "^\\d+$"}"#, "\"1a\"", "the value does not match /^\\d+$/"),
            (r#"{"exclusiveMaximum": 2}"#, "2", "the value is 2, not less than 2"),
            (r#"{"multipleOf": 0.5}"#, "0.7", "the value is 0.7, not a multiple of 0.5"),
            (
                r#"{"anyOf": [{"type": "null"}, {"minimum": 3}]}"#,
                "2",
                "the value fits none of 2 schemas",
            ),
            (r#"{"oneOf": [true, {"minimum": 1}]}"#, "2", "the value fits 2 of 2 schemas, not one"),
            (
                r#"{"not": {"type": "string"}}"#,
                "\"\"",
                "the value fits a schema that it must not fit",
            ),
            (r#"{"allOf": [{"type": "null"}]}"#, "1", "the value is a whole number, not null"),
            ("false", "1", "the value may not be there"),
        ] {
            assert_eq!(unfit(schema, text).as_deref(), Some(why), "{schema} {text}");
        }
    }

    #[test]
    fn keywords_ignore_other_types() {
        for (schema, text) in [
            (r#"{"minLength": 3, "minItems": 3, "minimum": 3, "required": ["a"]}"#, "true"),
            (r#"{"type": "integer", "multipleOf": 2}"#, "4.0"),
            (r#"{"properties": {"a": {"type": "string"}}, "title": "T"}"#, r#"{"b": 1}"#),
            (r#"{"uniqueItems": true}"#, "[1, \"1\", [1], null]"),
            ("true", "1"),
            ("{}", "[]"),
        ] {
            assert_eq!(unfit(schema, text), None, "{schema} {text}");
        }
    }

    #[test]
    fn invalid_schemas_have_names_and_places() {
        for (schema, why) in [
            ("[]", "the value is neither an object nor true or false"),
            (
                r#"{"type": "text"}"#,
                "`/type` is not a type; there are array, boolean, integer, null, number, object, string",
            ),
            (
                r#"{"properties": {"a": {"minLength": -1}}}"#,
                "`/properties/a/minLength` is not a whole number from 0 on",
            ),
            (
                r#"{"items": [true]}"#,
                "`/items` is not a schema, which is an object, `true` or `false`",
            ),
            (
                r#"{"anyOf": [{"not": 1}]}"#,
                "`/anyOf/0/not` is not a schema, which is an object, `true` or `false`",
            ),
            (
                r#"{"pattern": "(?=a)"}"#,
                "`/pattern` is not a regular expression: look-around, including look-ahead and look-behind, is not supported",
            ),
            (r#"{"enum": []}"#, "`/enum` is not a list of values"),
            (r#"{"multipleOf": 0}"#, "`/multipleOf` is not a number above 0"),
        ] {
            let found =
                Schema::from_value(&Value::text(schema)).err().map(|unfit| unfit.to_string());
            assert_eq!(found.as_deref(), Some(why), "{schema}");
        }
        let unknown = Schema::from_value(&Value::text(r#"{"properties": {"a": {"$ref": "b"}}}"#));
        let unknown = unknown.unwrap_err().to_string();
        assert_eq!(unknown, "`/properties/a/$ref` is a keyword that is not supported");
        let annotated =
            Value::text(r#"{"properties": {"a": {"x-tag": 1}}, "format": "f", "k": 2}"#);
        assert!(Schema::from_value(&annotated).is_ok());
        assert_eq!(super::unknown(&annotated), ["k", "x-tag"]);
        let broken = Schema::from_value(&Value::text("{")).unwrap_err().to_string();
        assert!(broken.starts_with("the value is not JSON"), "{broken}");
    }

    /// Each keyword alone: a value that fits, and one that does not.
    #[test]
    fn every_schema_keyword_is_checked() {
        let demands = [
            ("additionalProperties", "false", "{}", r#"{"a": 1}"#),
            ("allOf", r#"[{"minimum": 1}, {"maximum": 2}]"#, "1", "3"),
            ("anyOf", r#"[{"minimum": 5}, {"maximum": 2}]"#, "1", "3"),
            ("const", "7", "7", "8"),
            ("enum", "[1, 2]", "2", "3"),
            ("exclusiveMaximum", "3", "2", "3"),
            ("exclusiveMinimum", "3", "4", "3"),
            ("items", r#"{"type": "integer"}"#, "[1]", r#"["a"]"#),
            ("maxItems", "1", "[1]", "[1, 2]"),
            ("maxLength", "2", r#""ab""#, r#""abc""#),
            ("maxProperties", "0", "{}", r#"{"a": 1}"#),
            ("maximum", "3", "3", "4"),
            ("minItems", "1", "[1]", "[]"),
            ("minLength", "2", r#""ab""#, r#""a""#),
            ("minProperties", "1", r#"{"a": 1}"#, "{}"),
            ("minimum", "3", "3", "2"),
            ("multipleOf", "2", "4", "5"),
            ("not", r#"{"type": "null"}"#, "1", "null"),
            ("oneOf", r#"[{"minimum": 1}, {"minimum": 3}]"#, "2", "4"),
            ("pattern", r#""^a""#, r#""ab""#, r#""ba""#),
            ("properties", r#"{"a": {"type": "null"}}"#, r#"{"a": null}"#, r#"{"a": 1}"#),
            ("required", r#"["a"]"#, r#"{"a": 1}"#, "{}"),
            ("type", r#""string""#, r#""a""#, "1"),
            ("uniqueItems", "true", "[1, 2]", "[1, 1]"),
        ];
        assert_eq!(demands.map(|(keyword, ..)| keyword), KEYWORDS);
        for (keyword, demand, fits, not) in demands {
            let schema = format!("{{\"{keyword}\": {demand}}}");
            assert_eq!(unfit(&schema, fits), None, "{schema}");
            let misfit = unfit(&schema, not).unwrap_or_else(|| panic!("{schema}"));
            let words = Wording::for_language("zh").expect("Chinese");
            let schema = Schema::from_value(&Value::text(&schema)).unwrap();
            let chinese = schema.fits(&value(not)).unwrap_err().said(words);
            assert!(misfit.starts_with("the value ") || misfit.starts_with('`'), "{misfit}");
            assert!(!chinese.contains(['_', ' ']), "{chinese}");
        }
        for note in ANNOTATION_KEYWORDS {
            assert_eq!(unfit(&format!("{{\"{note}\": \"a\"}}"), "1"), None, "{note}");
        }
    }
}
