//! Values for fields that a JSON Schema describes.

use serde_json::{Map, Value, json};

use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::functions::Func;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::witness::matching;
use ifs_text::Text;

/// A condition with its names.
#[derive(Clone)]
pub(super) struct Condition<'a> {
    pub tree: Tree,
    pub variables: &'a dyn Variables,
}

/// The fields of a response's JSON in addition to its parts, from the schemas in goals: by JSON
/// Pointer, the empty one for the complete value.
pub(super) fn fields(others: &[Condition<'_>]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for other in others {
        collect_fields(&other.tree, other.variables, &mut found);
    }
    found
}

fn collect_fields(tree: &Tree, variables: &dyn Variables, found: &mut Vec<(String, Value)>) {
    if let Node::Call(name, args) = &tree.node {
        let schema = args.iter().rev().find_map(|arg| schema_of(arg, variables));
        match (*name, schema) {
            (Func::IS_JSON, Some(schema)) => found
                .push((String::new(), value_for_schema(&schema, 0, &mut MAX_VALUE_SIZE.clone()))),
            (Func::FITS_SCHEMA, Some(schema)) => {
                if let Some(pointer) = args.first().and_then(pointer) {
                    found
                        .push((pointer, value_for_schema(&schema, 0, &mut MAX_VALUE_SIZE.clone())));
                }
            }
            _ => {}
        }
    }
    for child in tree.children() {
        collect_fields(child, variables, found);
    }
}

fn schema_of(tree: &Tree, variables: &dyn Variables) -> Option<Value> {
    let nothing = Text::new("");
    let value = evaluate(tree, &TextContext { it: &nothing, variables }).ok()?;
    match value.as_str() {
        Some(text) => serde_json::from_str(text).ok(),
        None => serde_json::to_value(value).ok(),
    }
    .filter(Value::is_object)
}

/// `json(it, "/a/b")`, `json.a`
fn pointer(tree: &Tree) -> Option<String> {
    match &tree.node {
        Node::Call(Func::JSON, args) => {
            let text = args.iter().find_map(|arg| match &arg.node {
                Node::Value(value) => value.as_str().map(str::to_owned),
                _ => None,
            });
            Some(text.unwrap_or_default())
        }
        Node::Field(record, name) => Some(format!("{}/{name}", pointer(record)?)),
        _ => None,
    }
}

/// The minimum and maximum length of the list at a path, as far as schemas determine them.
pub(super) fn size(others: &[Condition<'_>], path: &str) -> (Option<i64>, Option<i64>) {
    let mut schemas = Vec::new();
    for other in others {
        response_schemas(&other.tree, other.variables, &mut schemas);
    }
    let (mut least, mut most) = (None, None);
    for list in schemas.iter().filter_map(|schema| list_at(schema, path)) {
        let bound = |name: &str| list.get(name).and_then(Value::as_i64);
        least = least.max(bound("minItems"));
        most = most.into_iter().chain(bound("maxItems")).min();
    }
    (least, most)
}

/// The schemas for the complete response.
fn response_schemas(tree: &Tree, variables: &dyn Variables, found: &mut Vec<Value>) {
    if let Node::Call(Func::IS_JSON, args) = &tree.node {
        found.extend(args.iter().rev().find_map(|arg| schema_of(arg, variables)));
    }
    for child in tree.children() {
        response_schemas(child, variables, found);
    }
}

/// The schema of the innermost list on a path.
fn list_at<'s>(schema: &'s Value, path: &str) -> Option<&'s Value> {
    let (mut at, mut list) = (schema, None);
    for step in path.trim_start_matches('/').split(['.', '/']).filter(|step| !step.is_empty()) {
        while let (None, Some(items)) = (at.get("properties"), at.get("items")) {
            (list, at) = (Some(at), items);
        }
        match at.get("properties").and_then(|fields| fields.get(step)) {
            Some(field) => at = field,
            // A constraint on the members only, or on another field.
            None => return list,
        }
    }
    let is_list = ["items", "minItems", "maxItems"].iter().any(|name| at.get(*name).is_some());
    if is_list { Some(at) } else { list }
}

/// The maximum number of members and characters of a value. A schema that requires more is not
/// satisfied.
const MAX_VALUE_SIZE: usize = 100_000;

/// A value that fits a simple schema: types, bounds, fields. Existing values of `left` are used.
fn value_for_schema(schema: &Value, depth: usize, left: &mut usize) -> Value {
    if depth > 16 || *left == 0 {
        return Value::Null;
    }
    let take = |wanted: usize, left: &mut usize| {
        let taken = wanted.min(*left);
        *left -= taken;
        taken
    };
    let number = |name: &str| schema.get(name).and_then(Value::as_i64);
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|all| all.get(0)) {
        return first.clone();
    }
    let kind = schema.get("type").and_then(Value::as_str);
    match kind {
        Some("string") => {
            let pattern = schema.get("pattern").and_then(Value::as_str);
            if let Some(text) = pattern.and_then(matching) {
                return Value::String(text);
            }
            let least = number("minLength").unwrap_or(1).max(1) as usize;
            let most = number("maxLength").map_or(usize::MAX, |most| most.max(0) as usize);
            let long = take(least.max(4).min(most), left);
            Value::String("tide".chars().cycle().take(long).collect())
        }
        Some("integer" | "number") => {
            let above = number("exclusiveMinimum").map(|limit| limit.saturating_add(1));
            let below = number("exclusiveMaximum").map(|limit| limit.saturating_sub(1));
            let least = number("minimum").or(above);
            json!(least.or(number("maximum")).or(below).unwrap_or(1))
        }
        Some("boolean") => json!(true),
        Some("array") => {
            let least = number("minItems").unwrap_or(1).max(0) as usize;
            let mut members = copies(schema, json!("tide"), least, (depth, left));
            // Texts are distinguished by two letters at their end.
            for (number, member) in members.iter_mut().enumerate() {
                if let Value::String(text) = member
                    && text.len() >= 2
                    && text.is_ascii()
                {
                    let letter = |place: usize| char::from(b'a' + (place % 26) as u8);
                    text.truncate(text.len() - 2);
                    text.extend([letter(number / 26), letter(number)]);
                }
            }
            Value::Array(members)
        }
        // The schema says nothing about it except its contents, or nothing at all.
        None if !["properties", "required", "items", "minItems"]
            .iter()
            .any(|name| schema.get(*name).is_some()) =>
        {
            Value::Null
        }
        None if schema.get("properties").is_none() && schema.get("items").is_some() => {
            let least = number("minItems").unwrap_or(1).max(1) as usize;
            Value::Array(copies(schema, Value::Null, least, (depth, left)))
        }
        _ => {
            let mut fields = Map::new();
            let needed = schema.get("required").and_then(Value::as_array);
            for name in needed.into_iter().flatten().filter_map(Value::as_str) {
                fields.insert(name.to_owned(), Value::Null);
            }
            if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
                for (name, schema) in properties {
                    fields.insert(name.clone(), value_for_schema(schema, depth + 1, left));
                }
            }
            Value::Object(fields)
        }
    }
}

/// As many members as the schema of `items` has, or as many as possible.
fn copies(
    schema: &Value,
    plain: Value,
    least: usize,
    (depth, left): (usize, &mut usize),
) -> Vec<Value> {
    let before = *left;
    let item = schema.get("items").map_or(plain, |items| value_for_schema(items, depth + 1, left));
    let each = (before - *left).max(1);
    let many = least.min(before / each);
    *left = before.saturating_sub(each.saturating_mul(many.max(1)));
    vec![item; many]
}
