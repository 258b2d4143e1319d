//! From a value to a schema.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::{InvalidSchema, Schema, SchemaDemand, UNSUPPORTED_KEYWORDS};
use crate::number::Number;
use crate::record::Record;
use crate::tree::Pattern;
use crate::value::Value;

/// How many schemas each thread remembers.
const MAX_CACHED_SCHEMAS: usize = 32;

impl Schema {
    /// The same as `of`. Schemas are compared with response after response, and reading one with its
    /// regular expressions takes longer than a value does to fit, so that each is read once.
    ///
    /// # Errors
    /// As those of `of`.
    pub fn remembered(value: &Value) -> Result<Rc<Schema>, InvalidSchema> {
        thread_local! {
            static SCHEMA_CACHE: RefCell<VecDeque<(Value, Rc<Schema>)>> =
                const { RefCell::new(VecDeque::new()) };
        }
        SCHEMA_CACHE.with_borrow_mut(|known| {
            if let Some((_, schema)) = known.iter().find(|(of, _)| of == value) {
                return Ok(schema.clone());
            }
            let schema = Rc::new(Schema::from_value(value)?);
            known.truncate(MAX_CACHED_SCHEMAS - 1);
            known.push_front((value.clone(), schema.clone()));
            Ok(schema)
        })
    }

    /// A schema from its text or its record.
    ///
    /// # Errors
    /// If it is invalid, or has a keyword that is not supported.
    pub fn from_value(value: &Value) -> Result<Schema, InvalidSchema> {
        match value {
            Value::Text(text) => match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Record(_) | Value::Bool(_))) => Schema::read(&value),
                Ok(_) => unfit("is neither an object nor true or false"),
                Err(error) => unfit(&format!("is not JSON: {error}")),
            },
            value => Schema::read(value),
        }
    }

    fn read(value: &Value) -> Result<Schema, InvalidSchema> {
        let fields = match value {
            Value::Bool(true) => return Ok(Schema(Vec::new())),
            Value::Bool(false) => return Ok(Schema(vec![SchemaDemand::Never])),
            Value::Record(fields) => fields,
            _ => return unfit("is not a schema, which is an object, `true` or `false`"),
        };
        let mut demands = Vec::new();
        for (keyword, value) in fields.iter() {
            let demand = demand(keyword, value, fields);
            demands.extend(demand.map_err(|unfit| unfit_inside(keyword, unfit))?);
        }
        // The type is checked first.
        demands.sort_by_key(|demand| !matches!(demand, SchemaDemand::Type(_)));
        Ok(Schema(demands))
    }
}

/// The same, seen from the schema that this one is in.
fn unfit_inside(name: &str, unfit: InvalidSchema) -> InvalidSchema {
    InvalidSchema { pointer: super::pointer_inside(name, &unfit.pointer), why: unfit.why }
}

fn unfit<T>(why: &str) -> Result<T, InvalidSchema> {
    Err(InvalidSchema { pointer: String::new(), why: why.to_owned() })
}

fn demand(
    keyword: &str,
    value: &Value,
    all: &Record,
) -> Result<Option<SchemaDemand>, InvalidSchema> {
    let size = |of| -> Result<Option<SchemaDemand>, InvalidSchema> {
        match value {
            Value::Int(limit) if *limit >= 0 => Ok(Some(if keyword.starts_with("min") {
                SchemaDemand::Size { of, least: *limit, most: i64::MAX }
            } else {
                SchemaDemand::Size { of, least: 0, most: *limit }
            })),
            _ => unfit("is not a whole number from 0 on"),
        }
    };
    let bound = |key, holds| match Number::from_value(value) {
        Some(limit) => Ok(Some(SchemaDemand::Bound { holds, key, limit })),
        None => unfit("is not a number"),
    };
    let demand = match keyword {
        "type" => SchemaDemand::Type(types(value)?),
        "enum" => match value {
            Value::List(values) if !values.is_empty() => SchemaDemand::OneOf(values.to_vec()),
            _ => return unfit("is not a list of values"),
        },
        "const" => SchemaDemand::OneOf(vec![value.clone()]),
        "required" => match texts(value) {
            Some(names) => SchemaDemand::Required(names),
            None => return unfit("is not a list of names"),
        },
        "properties" => SchemaDemand::Properties {
            known: schemas_by_name(value)?,
            others: all.get("additionalProperties").map(Schema::read).transpose()?,
        },
        // Read with `properties` where both are.
        "additionalProperties" if all.get("properties").is_some() => return Ok(None),
        "additionalProperties" => {
            SchemaDemand::Properties { known: BTreeMap::new(), others: Some(Schema::read(value)?) }
        }
        "items" => SchemaDemand::Items(Schema::read(value)?),
        "uniqueItems" => match value {
            Value::Bool(true) => SchemaDemand::Unique,
            Value::Bool(false) => return Ok(None),
            _ => return unfit("is neither true nor false"),
        },
        "pattern" => match value {
            Value::Text(text) => Pattern::new(&**text, "")
                .compiled()
                .map(SchemaDemand::Pattern)
                .or_else(|error| {
                    let why = error.to_string();
                    let why = why.lines().last().unwrap_or("").trim().trim_start_matches("error: ");
                    unfit(&format!("is not a regular expression: {why}"))
                })?,
            _ => return unfit("is not a text"),
        },
        "minLength" | "maxLength" => return size("characters"),
        "minItems" | "maxItems" => return size("members"),
        "minProperties" | "maxProperties" => return size("fields"),
        "minimum" => return bound("at_least", |number, limit| number >= limit),
        "maximum" => return bound("at_most", |number, limit| number <= limit),
        "exclusiveMinimum" => return bound("more_than", |number, limit| number > limit),
        "exclusiveMaximum" => return bound("less_than", |number, limit| number < limit),
        "multipleOf" => match Number::from_value(value) {
            Some(step) if step > Number::Int(0) => SchemaDemand::MultipleOf(step),
            _ => return unfit("is not a number above 0"),
        },
        "allOf" => SchemaDemand::All(schemas(value)?),
        "anyOf" => SchemaDemand::Any(schemas(value)?),
        "oneOf" => SchemaDemand::One(schemas(value)?),
        "not" => SchemaDemand::Not(Schema::read(value)?),
        keyword if UNSUPPORTED_KEYWORDS.contains(&keyword) => {
            return unfit("is a keyword that is not supported");
        }
        // Keywords outside the standard have no effect.
        _ => return Ok(None),
    };
    Ok(Some(demand))
}

fn types(value: &Value) -> Result<Vec<&'static str>, InvalidSchema> {
    const TYPE_NAMES: [&str; 7] =
        ["array", "boolean", "integer", "null", "number", "object", "string"];
    let names = match value {
        Value::Text(name) => Some(vec![name.to_string()]),
        value => texts(value),
    };
    let types: Option<Vec<&str>> = names.and_then(|names| {
        names.iter().map(|name| TYPE_NAMES.iter().find(|ty| *ty == name).copied()).collect()
    });
    match types {
        Some(types) if !types.is_empty() => Ok(types),
        _ => unfit(&format!("is not a type; there are {}", TYPE_NAMES.join(", "))),
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_list()?.iter().map(|member| member.as_str().map(str::to_owned)).collect()
}

fn schemas(value: &Value) -> Result<Vec<Schema>, InvalidSchema> {
    match value.as_list() {
        Some(members) if !members.is_empty() => members
            .iter()
            .enumerate()
            .map(|(at, member)| {
                Schema::read(member).map_err(|unfit| unfit_inside(&at.to_string(), unfit))
            })
            .collect(),
        _ => unfit("is not a list of schemas"),
    }
}

fn schemas_by_name(value: &Value) -> Result<BTreeMap<String, Schema>, InvalidSchema> {
    match value {
        Value::Record(fields) => fields
            .iter()
            .map(|(name, value)| {
                let schema = Schema::read(value).map_err(|unfit| unfit_inside(name, unfit))?;
                Ok((name.to_owned(), schema))
            })
            .collect(),
        _ => unfit("is not an object of schemas by name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_are_cached() {
        let of = |least: usize| {
            let text = format!("{{\"minimum\": {least}}}");
            Schema::remembered(&Value::text(&text)).unwrap()
        };
        let first = of(0);
        assert!(Rc::ptr_eq(&first, &of(0)));
        for least in 1..=MAX_CACHED_SCHEMAS {
            assert!(of(least).fits(&Value::Int(0)).is_err());
        }
        let again = of(0);
        assert!(!Rc::ptr_eq(&first, &again), "the oldest one was forgotten");
        assert!(again.fits(&Value::Int(0)).is_ok());
        assert!(Schema::remembered(&Value::text("no schema")).is_err());
    }
}
