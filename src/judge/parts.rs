//! Parts: what is cut out of an answer by a reader.

use crate::predicate::evaluate::{Scene, evaluate};
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::script::Part;
use crate::text::{Text, Unit};

/// What came of cutting a part out.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// A list of texts, or one text.
    Found(Value),
    Nothing,
    /// No reader is written, and nobody was asked who could cut it out.
    NotAsked,
}

/// Cuts a part out of an answer. What finds no text at all finds nothing.
pub fn cut(part: &Part, answer: &Text<'_>) -> Cut {
    let Some(reader) = &part.reader else { return Cut::NotAsked };
    let Some(found) = read(reader, answer) else { return Cut::NotAsked };
    let found: Vec<String> = found.into_iter().filter(|text| !text.trim().is_empty()).collect();
    if found.is_empty() {
        return Cut::Nothing;
    }
    Cut::Found(match part.list {
        true => Value::list(found.iter().map(|text| Value::text(text))),
        false => Value::text(&found.join("\n")),
    })
}

/// The texts that a reader finds; nothing where there is no such reader.
fn read(reader: &Tree, answer: &Text<'_>) -> Option<Vec<String>> {
    let Node::Call(name, args) = &reader.node else { return None };
    let given = |at: usize| match &args.get(at)?.node {
        Node::Value(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    };
    Some(match name.as_str() {
        "whole" => vec![answer.str().to_owned()],
        "lines" => units("line", answer),
        "bullets" | "numbered" => units("item", answer),
        "quoted" => units("quote", answer),
        "table" => units("table_row", answer),
        "between" => between(answer.str(), &given(0)?, &given(1)?),
        "json" => json(answer, given(0).as_deref()),
        _ => return None,
    })
}

fn units(name: &str, answer: &Text<'_>) -> Vec<String> {
    if Unit::from_name(name).is_none() {
        return Vec::new();
    }
    let tree = Tree::made(Node::Units(name.to_owned(), None));
    let found = evaluate(&tree, &Scene { it: answer, variables: &() });
    found.map_or_else(|_| Vec::new(), |found| texts(&found))
}

/// What stands between two markers, wherever both occur.
fn between(answer: &str, open: &str, close: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = answer;
    while let Some((_, after)) = rest.split_once(open)
        && let Some((inside, behind)) = after.split_once(close)
    {
        found.push(inside.trim().to_owned());
        rest = behind;
    }
    found
}

/// The value of a field of an answer in JSON, or all of it.
fn json(answer: &Text<'_>, field: Option<&str>) -> Vec<String> {
    let json = Tree::made(Node::Call("json".to_owned(), vec![Tree::made(Node::It)]));
    let tree = match field {
        Some(field) => Tree::made(Node::Field(Box::new(json), field.to_owned())),
        None => json,
    };
    let found = evaluate(&tree, &Scene { it: answer, variables: &() });
    found.map_or_else(|_| Vec::new(), |found| texts(&found))
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::List(members) => members.iter().map(ToString::to_string).collect(),
        Value::Nothing => Vec::new(),
        other => vec![other.to_string()],
    }
}
