//! The rows of a log, with the fields that its feed declares.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

use super::{LineIndex, TableFormat};
use crate::bytes::starts;
use crate::notice::FeedError;
use crate::schema::{ColumnSource, FeedSchema};
use ifs_value::value::Value;

pub struct FeedRow {
    /// The line, from 1.
    pub line: usize,
    /// A value for each column; absent if it has a rule.
    pub cells: Vec<Value>,
    /// Everything that the file says about the event, in a form in which equal rows are equal.
    pub whole: String,
}

/// The rows of a log.
pub struct FeedRows {
    pub rows: Vec<FeedRow>,
    /// The declared fields that no record has; records may lack fields.
    pub absent: Vec<String>,
    /// The fields that records have, with paths, if some are absent.
    pub fields: Vec<String>,
}

pub fn read(form: TableFormat, text: &str, schema: &FeedSchema) -> Result<FeedRows, FeedError> {
    let mut known = KnownFields::default();
    let rows = match form {
        TableFormat::Csv => csv(text, schema),
        TableFormat::Json => json(text, schema, &mut known),
        TableFormat::JsonLines => json_lines(text, schema, &mut known),
    }?;
    if rows.is_empty() {
        return Err(FeedError::new(1, "there is no row in it")
            .help("download the file again, or remove it"));
    }
    let declared = schema.columns.iter().filter_map(|column| match &column.from {
        ColumnSource::Field(field) => Some(field),
        ColumnSource::Rule(_) => None,
    });
    let absent: Vec<String> = match form {
        // A missing column is an error of its own.
        TableFormat::Csv => Vec::new(),
        _ => declared.filter(|field| !known.declared.contains(*field)).cloned().collect(),
    };
    Ok(FeedRows { rows, absent, fields: known.all.into_iter().collect() })
}

/// The fields that the records of a file have.
#[derive(Default)]
struct KnownFields {
    /// Those that columns name.
    declared: BTreeSet<String>,
    /// Those of the first records, with paths.
    all: BTreeSet<String>,
    records: usize,
}

impl KnownFields {
    fn add(&mut self, record: &Value, schema: &FeedSchema) {
        /// The number of records whose fields are listed.
        const LISTED: usize = 50;
        for column in &schema.columns {
            if let ColumnSource::Field(path) = &column.from
                && !self.declared.contains(path)
                && find(record, path).is_some()
            {
                self.declared.insert(path.clone());
            }
        }
        self.records += 1;
        if self.records <= LISTED {
            paths(record, "", &mut self.all);
        }
    }
}

/// The paths of all fields of a record that are not records themselves.
fn paths(record: &Value, before: &str, into: &mut BTreeSet<String>) {
    let Value::Record(fields) = record else { return };
    for (name, value) in fields.iter() {
        let path = if before.is_empty() { name.to_string() } else { format!("{before}.{name}") };
        match value {
            Value::Record(_) => paths(value, &path, into),
            _ => _ = into.insert(path),
        }
    }
}

fn csv(text: &str, schema: &FeedSchema) -> Result<Vec<FeedRow>, FeedError> {
    let first = text.lines().next().unwrap_or("");
    let counted = |sign: char| first.matches(sign).count();
    // Spreadsheets of many countries separate by `;`, and copied tables by tabs.
    let delimiter =
        [b'\t', b';', b','].into_iter().rev().max_by_key(|sign| counted(char::from(*sign)));
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter.unwrap_or(b',')).from_reader(text.as_bytes());
    let fault = |error: csv::Error| csv_fault(&error, text);
    let names: Vec<String> =
        reader.headers().map_err(fault)?.iter().map(|name| name.trim().to_owned()).collect();
    let mut places = Vec::new();
    for column in &schema.columns {
        let ColumnSource::Field(field) = &column.from else {
            places.push(None);
            continue;
        };
        let mut found = (0..names.len()).filter(|at| names[*at] == field.trim());
        let at = found.next().ok_or_else(|| missing(field, &names))?;
        if let Some(second) = found.next() {
            let message = format!("the columns {} and {} are both `{field}`", at + 1, second + 1);
            return Err(
                FeedError::new(1, message).help("give one of them another name in the file")
            );
        }
        places.push(Some(at));
    }
    let (mut rows, mut lines) = (Vec::new(), LineIndex::new(text));
    for row in reader.records() {
        let row = row.map_err(fault)?;
        let line = csv_line(row.position(), text, &mut lines);
        let cell = |at: &Option<usize>| match at.and_then(|at| row.get(at)) {
            Some(cell) => Value::text(cell),
            None => Value::Nothing,
        };
        let whole = row.iter().collect::<Vec<_>>().join("\0");
        rows.push(FeedRow { line, cells: places.iter().map(cell).collect(), whole });
    }
    Ok(rows)
}

/// The line on which a row begins. The crate's number is one too small with Windows line endings.
pub fn csv_line(place: Option<&csv::Position>, text: &str, lines: &mut LineIndex<'_>) -> usize {
    let byte = place.map_or(0, |place| place.byte() as usize);
    let rest = text.as_bytes().get(byte..).unwrap_or(&[]);
    let ends = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    text.get(byte + ends..).map_or(1, |row| lines.line_of(row))
}

/// A row that cannot be read.
pub fn csv_fault(error: &csv::Error, text: &str) -> FeedError {
    let line = csv_line(error.position(), text, &mut LineIndex::new(text));
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("this row has {len} cells, the first has {expected_len}")
        }
        _ => error.to_string(),
    };
    FeedError::new(line, message).help("a text with a comma must be in quotes")
}

fn missing(field: &str, names: &[String]) -> FeedError {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    FeedError::new(1, format!("there is no column `{field}`"))
        .help(format!("the file has {}", names.join(", ")))
}

fn json_lines(
    text: &str,
    schema: &FeedSchema,
    fields: &mut KnownFields,
) -> Result<Vec<FeedRow>, FeedError> {
    let mut rows = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        rows.push(record(line, at + 1, schema, fields)?);
    }
    Ok(rows)
}

/// Parses a list of records, or a record with such a list in it, possibly nested. Of several lists
/// it takes the one whose records have most of the fields that the feed names.
fn json(
    text: &str,
    schema: &FeedSchema,
    fields: &mut KnownFields,
) -> Result<Vec<FeedRow>, FeedError> {
    let records: Vec<&RawValue> = if text.trim_start().starts_with('{') {
        let mut lists = Vec::new();
        lists_in(super::json::parse(text, "a record")?, "", &mut lists);
        let known = |list: &RawValue| -> usize {
            let first = serde_json::from_str::<Vec<&RawValue>>(list.get()).ok();
            let first = first.and_then(|list| serde_json::from_str(list.first()?.get()).ok());
            first.map_or(0, |first: Value| named(&first, schema))
        };
        if lists.len() > 1 {
            let most = lists.iter().map(|(_, list)| known(list)).max().unwrap_or(0);
            if most > 0 && lists.iter().filter(|(_, list)| known(list) == most).count() == 1 {
                lists.retain(|(_, list)| known(list) == most);
            }
        }
        match lists.as_slice() {
            // A part of the text that was already parsed.
            [(_, list)] => super::json::parse(list.get(), "a list of records")?,
            [] => {
                return Err(FeedError::new(1, "there is no list of records in it")
                    .help("a log is `[{ … }, { … }]`, or a record with one such list in it"));
            }
            several => {
                let names: Vec<String> =
                    several.iter().map(|(name, _)| format!("`{name}`")).collect();
                let message =
                    format!("there are several lists of records in it: {}", names.join(", "));
                return Err(FeedError::new(1, message)
                    .help("keep the one with the events: `[{ … }, { … }]`"));
            }
        }
    } else {
        super::json::parse(text, "a list of records")?
    };
    let mut lines = LineIndex::new(text);
    let mut rows = Vec::new();
    for raw in records {
        let line = lines.line_of(raw.get());
        match within(raw.get(), schema) {
            Some(inner) => {
                for value in &inner {
                    fields.add(value, schema);
                    rows.push(row(value, line, schema));
                }
            }
            None => rows.push(record(raw.get(), line, schema, fields)?),
        }
    }
    Ok(rows)
}

/// How many of the columns' fields are in a record, or in the records of a list in it.
fn named(value: &Value, schema: &FeedSchema) -> usize {
    let count = |value: &Value| {
        let cells = cells(value, schema);
        cells.iter().filter(|cell| **cell != Value::Nothing).count()
    };
    let inner = inner_list(value).and_then(|(_, list)| list.first()).map_or(0, count);
    count(value).max(inner)
}

/// The only list of records in a record, with its name.
fn inner_list(value: &Value) -> Option<(&str, &[Value])> {
    let Value::Record(fields) = value else { return None };
    let mut lists = fields.iter().filter_map(|(name, value)| {
        let list = value.as_list()?;
        matches!(list.first(), Some(Value::Record(_))).then_some((name, list))
    });
    let found = lists.next()?;
    lists.next().is_none().then_some(found)
}

/// Nested events, such as a period with its plays: if the records of a list contain lists of
/// records whose fields the columns name, those are the events. They also have the fields of the
/// enclosing record.
fn within(text: &str, schema: &FeedSchema) -> Option<Vec<Value>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let (name, list) = inner_list(&value)?;
    let outer = cells(&value, schema).iter().filter(|cell| **cell != Value::Nothing).count();
    let inner = list.first().map_or(0, |first| {
        cells(first, schema).iter().filter(|cell| **cell != Value::Nothing).count()
    });
    if inner <= outer {
        return None;
    }
    let Value::Record(around) = &value else { return None };
    let merged = list.iter().map(|member| {
        let Value::Record(fields) = member else { return member.clone() };
        let own = fields.iter().map(|(name, value)| (name.to_string(), value.clone()));
        let rest = around
            .iter()
            .filter(|(key, _)| **key != *name && member.field(key).is_none())
            .map(|(name, value)| (name.to_string(), value.clone()));
        Value::record(own.chain(rest).collect::<Vec<_>>())
    });
    Some(merged.collect())
}

/// The lists of records in a record and its nested records, with their paths.
fn lists_in<'t>(
    record: BTreeMap<String, &'t RawValue>,
    before: &str,
    lists: &mut Vec<(String, &'t RawValue)>,
) {
    for (name, value) in record {
        let name = if before.is_empty() { name } else { format!("{before}.{name}") };
        let mut signs = value.get().chars().filter(|sign| !sign.is_whitespace());
        match (signs.next(), signs.next()) {
            (Some('['), Some('{')) => lists.push((name, value)),
            (Some('{'), _) => {
                if let Ok(inner) = serde_json::from_str(value.get()) {
                    lists_in(inner, &name, lists);
                }
            }
            _ => {}
        }
    }
}

fn row(value: &Value, line: usize, schema: &FeedSchema) -> FeedRow {
    FeedRow { line, cells: cells(value, schema), whole: value.to_string() }
}

fn record(
    text: &str,
    line: usize,
    schema: &FeedSchema,
    fields: &mut KnownFields,
) -> Result<FeedRow, FeedError> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or(&said).to_owned();
        let fault =
            FeedError::new(line, format!("not valid JSON in column {}: {said}", error.column()));
        if error.is_eof() { fault.help("the line is cut off") } else { fault }
    })?;
    let Value::Record(_) = &value else {
        return Err(FeedError::new(line, format!("`{}` is not a record", starts(text)))
            .help("each event is a record: `{ \"time\": …, \"who\": … }`"));
    };
    fields.add(&value, schema);
    Ok(row(&value, line, schema))
}

/// A value for each column; absent if it has a rule, or if the record lacks the field.
fn cells(value: &Value, schema: &FeedSchema) -> Vec<Value> {
    let cell = |column: &crate::schema::FeedColumn| match &column.from {
        ColumnSource::Rule(_) => Value::Nothing,
        ColumnSource::Field(path) => find(value, path).cloned().unwrap_or_default(),
    };
    schema.columns.iter().map(cell).collect()
}

/// A field by name, or by a path with dots.
fn find<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    value.field(path).or_else(|| path.split('.').try_fold(value, |value, name| value.field(name)))
}
