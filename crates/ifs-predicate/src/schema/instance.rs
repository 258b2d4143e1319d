//! A value that fits a schema.

use std::cell::Cell;

use super::{Schema, SchemaDemand};
use crate::number::Number;
use crate::record::Record;
use crate::tree::Pattern;
use crate::value::Value;

/// The maximum nesting of schemas for which a value is constructed.
const MAX_DEPTH: usize = 24;
/// The maximum number of values that are constructed, with the members of their copies.
const MAX_VALUES: usize = 20_000;
const TYPE_NAMES: [&str; 7] = ["object", "array", "string", "integer", "number", "boolean", "null"];

struct InstanceSearch<'s> {
    /// Gives a text for a pattern.
    sample: &'s dyn Fn(&Pattern) -> Option<String>,
    values_left: Cell<usize>,
}

impl InstanceSearch<'_> {
    /// `None` where there would be too many values.
    fn spend(&self, values: usize) -> Option<()> {
        self.values_left.set(self.values_left.get().checked_sub(values)?);
        Some(())
    }
}

impl Schema {
    /// A value that fits, as small as it may be; `sample` gives a text for a pattern. `None` where
    /// none was found.
    pub fn instance(&self, sample: &dyn Fn(&Pattern) -> Option<String>) -> Option<Value> {
        let search = InstanceSearch { sample, values_left: Cell::new(MAX_VALUES) };
        self.construct(&search, 0)
    }

    fn construct(&self, search: &InstanceSearch<'_>, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        search.spend(1)?;
        let mut listed = Vec::new();
        self.listed(&mut listed);
        let fitting = |value: Value| self.fits(&value).is_ok().then_some(value);
        let chosen = listed.iter().find_map(|demand| match demand {
            SchemaDemand::OneOf(values) => values.iter().cloned().find_map(fitting),
            SchemaDemand::Any(schemas) | SchemaDemand::One(schemas) => {
                schemas.iter().find_map(|one| one.construct(search, depth + 1)).and_then(fitting)
            }
            _ => None,
        });
        chosen.or_else(|| {
            likely_types(&listed).find_map(|ty| match ty {
                "object" => fitting(object(&listed, search, depth)?),
                "array" => fitting(array(&listed, search, depth)?),
                "string" => fitting(string(&listed, search)),
                "boolean" => fitting(Value::Bool(true)),
                "null" => fitting(Value::Nothing),
                _ => number(&listed, ty == "integer").find_map(fitting),
            })
        })
    }

    /// Its demands, with those of `allOf`.
    fn listed<'s>(&'s self, into: &mut Vec<&'s SchemaDemand>) {
        for demand in &self.0 {
            match demand {
                SchemaDemand::All(schemas) => schemas.iter().for_each(|schema| schema.listed(into)),
                demand => into.push(demand),
            }
        }
    }
}

/// The types that a value may have; types with further keywords come first.
fn likely_types(listed: &[&SchemaDemand]) -> impl Iterator<Item = &'static str> {
    let spoken = listed.iter().find_map(|demand| match demand {
        SchemaDemand::Properties { .. } | SchemaDemand::Required(_) => Some("object"),
        SchemaDemand::Items(_) | SchemaDemand::Unique => Some("array"),
        SchemaDemand::Pattern(_) => Some("string"),
        SchemaDemand::Size { of, .. } => Some(match *of {
            "characters" => "string",
            "members" => "array",
            _ => "object",
        }),
        SchemaDemand::Bound { .. } | SchemaDemand::MultipleOf(_) => Some("number"),
        _ => None,
    });
    let asked: Vec<&'static str> = listed
        .iter()
        .find_map(|demand| match demand {
            SchemaDemand::Type(types) => Some(types.clone()),
            _ => None,
        })
        .unwrap_or_default();
    spoken.into_iter().chain(asked).chain(["string"]).chain(TYPE_NAMES)
}

fn object(listed: &[&SchemaDemand], search: &InstanceSearch<'_>, depth: usize) -> Option<Value> {
    let mut fields: Vec<(String, Value)> = Vec::new();
    for demand in listed {
        if let SchemaDemand::Properties { known, .. } = demand {
            for (name, schema) in known {
                // A field without a valid value may be left out, unless it is required.
                if let Some(value) = schema.construct(search, depth + 1) {
                    fields.push((name.clone(), value));
                }
            }
        }
    }
    let others = listed.iter().find_map(|demand| match demand {
        SchemaDemand::Properties { others, .. } => others.as_ref(),
        _ => None,
    });
    let other = |name: &str| match others {
        Some(schema) => schema.construct(search, depth + 1),
        None => Some(Value::text(name)),
    };
    for demand in listed {
        if let SchemaDemand::Required(names) = demand {
            for name in names {
                if fields.iter().all(|(have, _)| have != name) {
                    fields.push((name.clone(), other(name)?));
                }
            }
        }
    }
    let least = least(listed, "fields");
    while fields.len() < least {
        let name = format!("more{}", fields.len() + 1);
        let value = other(&name)?;
        fields.push((name, value));
    }
    Some(Value::Record(std::sync::Arc::new(fields.into_iter().collect::<Record>())))
}

fn array(listed: &[&SchemaDemand], search: &InstanceSearch<'_>, depth: usize) -> Option<Value> {
    let items = listed.iter().find_map(|demand| match demand {
        SchemaDemand::Items(schema) => Some(schema),
        _ => None,
    });
    let many = least(listed, "members").min(1_000);
    let one = match items {
        Some(schema) => schema.construct(search, depth + 1),
        None => Some(Value::text("sea")),
    };
    let many = if one.is_some() { many.max(1) } else { many };
    if let Some(one) = &one {
        search.spend(many.saturating_mul(size(one)))?;
    }
    let unique = listed.iter().any(|demand| matches!(demand, SchemaDemand::Unique));
    let member = |at: usize| match &one {
        Some(Value::Int(number)) if unique => Some(Value::Int(number + at as i64)),
        Some(Value::Text(text)) if unique && at > 0 => Some(Value::text(&format!("{text} {at}"))),
        one => one.clone(),
    };
    Some(Value::list((0..many).map(member).collect::<Option<Vec<Value>>>()?))
}

/// The number of values in a value, with itself.
fn size(value: &Value) -> usize {
    match value {
        Value::List(members) => 1 + members.iter().map(size).sum::<usize>(),
        Value::Record(record) => 1 + record.iter().map(|(_, field)| size(field)).sum::<usize>(),
        _ => 1,
    }
}

fn string(listed: &[&SchemaDemand], search: &InstanceSearch<'_>) -> Value {
    let pattern = listed.iter().find_map(|demand| match demand {
        SchemaDemand::Pattern(pattern) => (search.sample)(pattern),
        _ => None,
    });
    let mut text = pattern.unwrap_or_else(|| "sea".to_owned());
    let missing = least(listed, "characters").min(10_000).saturating_sub(text.chars().count());
    text.extend(std::iter::repeat_n('a', missing));
    Value::text(&text)
}

/// Numbers at and about the limits.
fn number(listed: &[&SchemaDemand], whole: bool) -> impl Iterator<Item = Value> {
    let mut tried = vec![Number::Int(1)];
    let step = listed.iter().find_map(|demand| match demand {
        SchemaDemand::MultipleOf(step) => Some(*step),
        _ => None,
    });
    for demand in listed {
        if let SchemaDemand::Bound { limit, .. } = demand {
            let near = [Some(*limit), limit.plus(Number::Int(1)), limit.minus(Number::Int(1))];
            tried.extend(near.into_iter().flatten());
            if let Some(step) = step {
                let times = limit.over(step).and_then(Number::floor);
                for more in -1..=1 {
                    let times = times.and_then(|times| times.plus(Number::Int(more)));
                    tried.extend(times.and_then(|times| times.times(step)));
                }
            }
        }
    }
    tried.extend(step);
    let round = move |number: Number| if whole { number.ceil() } else { Some(number) };
    tried.into_iter().filter_map(round).map(Number::value)
}

fn least(listed: &[&SchemaDemand], what: &str) -> usize {
    let sizes = listed.iter().filter_map(|demand| match demand {
        SchemaDemand::Size { of, least, .. } if *of == what => usize::try_from(*least).ok(),
        _ => None,
    });
    sizes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_parser;

    #[test]
    fn generated_instances_fit_their_schemas() {
        for source in [
            "{ type: \"object\", required: [\"name\", \"age\"], properties: { age: { type: \"integer\", minimum: 18, multipleOf: 5 } } }",
            "{ type: \"array\", minItems: 3, uniqueItems: true, items: { type: \"string\", minLength: 5 } }",
            "{ enum: [\"a\", \"b\"] }",
            "{ type: \"string\", pattern: \"^[a-z]{3}-\\\\d+$\" }",
            "{ anyOf: [{ type: \"integer\", exclusiveMinimum: 4, exclusiveMaximum: 6 }, { type: \"null\" }] }",
            "{ allOf: [{ required: [\"a\"] }, { minProperties: 3 }], additionalProperties: { type: \"boolean\" } }",
        ] {
            let tree = test_parser::tree(&format!("fits_schema(json, {source})"));
            let crate::tree::Node::Call(_, arguments) = &tree.node else { panic!() };
            let scene = crate::evaluate::TextContext { it: &ifs_text::NOTHING, variables: &() };
            let value = crate::evaluate::evaluate(&arguments[1], &scene).expect("a record");
            let schema = Schema::from_value(&value).expect("a schema");
            let sample = |pattern: &Pattern| crate::witness::matching(&pattern.pattern);
            let made = schema.instance(&sample).unwrap_or_else(|| panic!("{source}"));
            assert_eq!(schema.fits(&made), Ok(()), "{source}: {made:?}");
        }
    }
}
