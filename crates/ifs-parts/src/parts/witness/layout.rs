//! Arranges pieces so that their readers find them.

use serde_json::{Map, Value};

use super::WitnessPart;
use super::schema;
use super::split::SplitGoals;
use crate::parts::{PartReader, TableColumn};

/// A response with the pieces of every part. With `numbers`, pieces that are numbers are numbers in
/// JSON.
pub(super) fn render(
    parts: &[WitnessPart],
    split: &SplitGoals<'_>,
    pieces: &[Vec<String>],
    numbers: bool,
) -> String {
    let known = schema::fields(&split.others);
    if !known.is_empty() || parts.iter().any(|part| in_json(&part.reader)) {
        return json(parts, known, pieces, numbers);
    }
    let mut blocks: Vec<String> = Vec::new();
    let mut tables: Vec<(&WitnessPart, &Vec<String>)> = Vec::new();
    for (part, pieces) in parts.iter().zip(pieces) {
        match &part.reader {
            PartReader::Table(_) => tables.push((part, pieces)),
            reader => blocks.push(block(reader, pieces)),
        }
    }
    if !tables.is_empty() {
        blocks.push(table(&tables));
    }
    // Lines and paragraphs are read from the complete response, so there must not be anything else.
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

fn in_json(reader: &PartReader) -> bool {
    match reader {
        PartReader::Json(_) => true,
        PartReader::In(_, source) => in_json(source),
        _ => false,
    }
}

fn block(reader: &PartReader, pieces: &[String]) -> String {
    let lines = |lines: Vec<String>| lines.join("\n");
    match reader {
        PartReader::Numbered => lines(
            pieces.iter().enumerate().map(|(at, piece)| format!("{}. {piece}", at + 1)).collect(),
        ),
        PartReader::Bullets => lines(pieces.iter().map(|piece| format!("- {piece}")).collect()),
        PartReader::Quoted => lines(pieces.iter().map(|piece| format!("“{piece}”")).collect()),
        PartReader::Code => {
            lines(pieces.iter().map(|piece| format!("```\n{piece}\n```")).collect())
        }
        PartReader::Between(open, close) => {
            lines(pieces.iter().map(|piece| format!("{open}{piece}{close}")).collect())
        }
        PartReader::Label(name) => {
            lines(pieces.iter().map(|piece| format!("{name}: {piece}")).collect())
        }
        PartReader::Section(name) => pieces
            .iter()
            .map(|piece| format!("## {name}\n\n{piece}"))
            .collect::<Vec<_>>()
            .join("\n\n"),
        PartReader::Paragraphs => pieces.join("\n\n"),
        PartReader::Sentences => pieces.join(" "),
        PartReader::Response
        | PartReader::Whole
        | PartReader::Lines
        | PartReader::Table(_)
        | PartReader::Json(_) => pieces.join("\n"),
        PartReader::In(inner, source) => block(source, &[block(inner, pieces)]),
    }
}

fn table(columns: &[(&WitnessPart, &Vec<String>)]) -> String {
    let mut sorted: Vec<(usize, String, &Vec<String>)> = Vec::new();
    for (at, (part, pieces)) in columns.iter().enumerate() {
        let (place, name) = match &part.reader {
            PartReader::Table(Some(TableColumn::Name(name))) => (at, name.clone()),
            PartReader::Table(Some(TableColumn::Number(number))) => {
                (*number as usize - 1, format!("Column {number}"))
            }
            _ => (at, "Row".to_owned()),
        };
        sorted.push((place, name, pieces));
    }
    sorted.sort_by_key(|(place, ..)| *place);
    // Columns without goals are before those that are counted from the left.
    let width = sorted.iter().map(|(place, ..)| place + 1).max().unwrap_or(1).max(sorted.len());
    let rows = sorted.iter().map(|(.., pieces)| pieces.len()).max().unwrap_or(0);
    let column = |place: usize| sorted.iter().find(|(at, ..)| *at == place);
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![
        line(
            (0..width)
                .map(|at| column(at).map_or("No.".to_owned(), |(_, name, _)| name.clone()))
                .collect(),
        ),
        line(vec!["---".to_owned(); width]),
    ];
    for row in 0..rows {
        let cell = |at: usize| {
            let piece = column(at).and_then(|(.., pieces)| pieces.get(row));
            piece.map_or_else(|| (row + 1).to_string(), |piece| piece.replace('|', "/"))
        };
        lines.push(line((0..width).map(cell).collect()));
    }
    lines.join("\n")
}

/// JSON with the known values of its fields, some of them replaced by the pieces of parts.
fn json(
    parts: &[WitnessPart],
    known: Vec<(String, Value)>,
    pieces: &[Vec<String>],
    numbers: bool,
) -> String {
    let mut root = Value::Object(Map::new());
    // The parts are fields of the members of a list at the top.
    if known.iter().any(|(pointer, value)| pointer.is_empty() && value.is_array()) {
        root = Value::Array(Vec::new());
        for (pointer, value) in known {
            if pointer.is_empty() {
                merge(&mut root, value);
            }
        }
        for (part, pieces) in parts.iter().zip(pieces) {
            if let (PartReader::Json(path), Some(list)) = (&part.reader, root.as_array_mut()) {
                list.resize(pieces.len(), list.last().cloned().unwrap_or_default());
                distribute_values(&mut root, path, pieces.iter().cloned().map(Value::String));
            }
        }
        return serde_json::to_string_pretty(&root).unwrap_or_default();
    }
    for (pointer, value) in known {
        let steps: Vec<&str> = pointer.split('/').filter(|step| !step.is_empty()).collect();
        set_at_path(&mut root, &steps, value, false);
    }
    for (part, pieces) in parts.iter().zip(pieces) {
        let (path, inner) = match &part.reader {
            PartReader::Json(path) => (path, None),
            PartReader::In(inner, source) => match &**source {
                PartReader::Json(path) => (path, Some(&**inner)),
                _ => continue,
            },
            _ => continue,
        };
        let steps: Vec<&str> = path
            .trim_start_matches('/')
            .split(['.', '/'])
            .filter(|step| !step.is_empty())
            .collect();
        let value = |piece: &String| match serde_json::from_str::<serde_json::Number>(piece) {
            Ok(number) if numbers => Value::Number(number),
            _ => Value::String(piece.clone()),
        };
        match inner {
            Some(inner) => {
                set_at_path(&mut root, &steps, Value::String(block(inner, pieces)), false)
            }
            None if !part.list => {
                let first = pieces.first().map_or(Value::Null, &value);
                set_at_path(&mut root, &steps, first, false);
            }
            None => {
                let list = Value::Array(pieces.iter().map(value).collect());
                set_at_path(&mut root, &steps, list, steps.len() > 1);
            }
        }
    }
    serde_json::to_string_pretty(&root).unwrap_or_default()
}

/// Distributes values over the members of a list, as the field of that name.
fn distribute_values(list: &mut Value, name: &str, values: impl Iterator<Item = Value>) {
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    let Some(list) = list.as_array_mut() else { return };
    for (number, value) in values.enumerate() {
        match list.get_mut(number) {
            Some(member) if member.is_object() => {}
            Some(member) => *member = Value::Object(Map::new()),
            None => list.push(Value::Object(Map::new())),
        }
        if let Some(record) = list.get_mut(number).and_then(Value::as_object_mut) {
            record.insert(name.to_owned(), value);
        }
    }
}

/// Sets a value at the end of a path. With `distribute_values`, values are distributed over the members of the
/// enclosing list.
fn set_at_path(at: &mut Value, steps: &[&str], value: Value, spread: bool) {
    let Some((step, rest)) = steps.split_first() else {
        merge(at, value);
        return;
    };
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    let Some(fields) = at.as_object_mut() else { return };
    let inner = fields.entry((*step).to_owned()).or_insert(Value::Null);
    match (rest, value) {
        ([last], Value::Array(members)) if spread => {
            distribute_values(inner, last, members.into_iter());
        }
        (rest, value) => set_at_path(inner, rest, value, spread),
    }
}

/// Replaces a value by another one; common fields and members are merged.
fn merge(at: &mut Value, value: Value) {
    match (at, value) {
        (Value::Object(have), Value::Object(more)) => {
            for (name, value) in more {
                merge(have.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(have), Value::Array(more)) => {
            let common = more.first().cloned();
            for (number, value) in more.into_iter().enumerate() {
                match have.get_mut(number) {
                    Some(member) => merge(member, value),
                    None => have.push(value),
                }
            }
            // A condition on one member applies to all.
            if let Some(common) = common.filter(Value::is_object) {
                for member in have.iter_mut().filter(|member| !member.is_object()) {
                    *member = common.clone();
                }
            }
        }
        // An unknown value removes nothing.
        (at @ (Value::Object(_) | Value::Array(_)), Value::Null) => _ = at,
        (at, value) => *at = value,
    }
}
