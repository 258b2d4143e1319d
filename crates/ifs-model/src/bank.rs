//! Data banks: typed records from YAML, JSON, JSON Lines and CSV files.
//!
//! Errors name the file, the line, the record and the field.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::budget::{self, ResourceBudget, weight};
use ifs_base::diagnostic::Code;
use ifs_predicate::types::{Field, FieldValues, Type};
use ifs_predicate::value::Value;

/// A record of a bank, as read.
struct BankRecord {
    value: Value,
    /// Its first line, from 1.
    line: usize,
}

impl BankRecord {
    fn new(value: Value, line: usize) -> BankRecord {
        BankRecord { value, line }
    }
}

/// A mistake in a bank, with its line.
#[derive(Clone, Debug, PartialEq)]
pub struct BankError {
    pub code: Code,
    pub line: usize,
    pub message: String,
    pub help: Option<String>,
}

impl BankError {
    fn new(line: usize, message: impl Into<String>) -> BankError {
        BankError { code: Code::BAD_BANK, line, message: message.into(), help: None }
    }

    fn too_large(line: usize) -> BankError {
        let message = format!("up to here the scenario needs more than {}", budget::limit());
        let fault = BankError { code: Code::TOO_LARGE, ..BankError::new(line, message) };
        fault.help("keep the records and the fields that are drawn from, and import each file once")
    }

    fn help(mut self, help: impl Into<String>) -> BankError {
        self.help = Some(help.into());
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub ty: Type,
    pub records: Vec<Value>,
    pub keys: Vec<String>,
    /// The first line of each record.
    pub lines: Vec<usize>,
}

/// Reads a bank. The file extension determines the format.
pub(crate) fn load(
    name: &str,
    whole: &str,
    wanted: Option<&Type>,
    budget: &mut ResourceBudget,
) -> Result<Loaded, Vec<BankError>> {
    // The byte order mark that some editors write.
    let text = whole.strip_prefix('\u{feff}').unwrap_or(whole);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let records = match ending.as_str() {
        "jsonl" | "ndjson" => json_lines(text, budget),
        "json" => json(text, budget),
        "yaml" | "yml" => yaml(text, budget),
        "csv" => csv(text, b',', wanted, budget),
        "tsv" => csv(text, b'\t', wanted, budget),
        _ => Err(vec![
            BankError::new(1, format!("`.{ending}` is not a format of data"))
                .help("banks are .jsonl, .json, .yaml, .csv or .tsv files"),
        ]),
    }?;
    if records.is_empty() {
        return Err(vec![BankError::new(1, "it has no records")]);
    }
    let (ty, records) = match wanted {
        Some(wanted) => (wanted.clone(), conform_all(records, wanted)?),
        None => (infer_all(&records)?, records),
    };
    let ty = with_values(ty, &records);
    let keys = keys(&records)?;
    let (records, lines) = records.into_iter().map(|record| (record.value, record.line)).unzip();
    Ok(Loaded { ty, records, keys, lines })
}

/// The type with the texts of each column that has few different ones.
fn with_values(ty: Type, records: &[BankRecord]) -> Type {
    const MAX_VALUES: usize = 64;
    let Type::Record(mut fields) = ty else { return ty };
    for (name, field) in fields.iter_mut().filter(|(_, field)| field.ty == Type::Text) {
        let mut values: BTreeSet<&str> = BTreeSet::new();
        for text in records.iter().filter_map(|record| record.value.field(name)?.as_str()) {
            values.insert(text);
            if values.len() > MAX_VALUES {
                break;
            }
        }
        let few = values.len() <= MAX_VALUES;
        let values = values.into_iter().map(str::to_owned).collect();
        field.values = few.then_some(FieldValues::Recorded(values));
    }
    Type::Record(fields)
}

/// Adds a record if there is memory for it.
fn add_within_budget(
    record: BankRecord,
    into: &mut Vec<BankRecord>,
    budget: &mut ResourceBudget,
) -> Result<(), Vec<BankError>> {
    /// The memory for its place in the list, its key and the index.
    const ENTRY_OVERHEAD: u64 = 128;
    match weight(&record.value, budget.remaining()) {
        Some(bytes) if budget.take(bytes + ENTRY_OVERHEAD) => {
            into.push(record);
            Ok(())
        }
        _ => Err(vec![BankError::too_large(record.line)]),
    }
}

fn json_lines(text: &str, budget: &mut ResourceBudget) -> Result<Vec<BankRecord>, Vec<BankError>> {
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str(line) {
            Ok(value) => add_within_budget(BankRecord::new(value, at + 1), &mut records, budget)?,
            Err(error) => faults.push(BankError::new(at + 1, json_message(&error))),
        }
    }
    if faults.is_empty() { Ok(records) } else { Err(faults) }
}

fn json(text: &str, budget: &mut ResourceBudget) -> Result<Vec<BankRecord>, Vec<BankError>> {
    let records: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(text).map_err(|error| {
            let fault = BankError::new(error.line().max(1), json_message(&error));
            vec![if error.is_data() {
                fault.help("a bank is a list of records: `[{ … }, { … }]`")
            } else {
                fault
            }]
        })?;
    let mut lines = LineCounter { text, at: 0, line: 1 };
    let (mut read, mut faults) = (Vec::new(), Vec::new());
    for record in records {
        let start = record.get().as_ptr() as usize - text.as_ptr() as usize;
        let line = lines.line_of(start);
        match serde_json::from_str(record.get()) {
            Ok(value) => add_within_budget(BankRecord::new(value, line), &mut read, budget)?,
            Err(error) => {
                faults.push(BankError::new(line + error.line().max(1) - 1, json_message(&error)));
            }
        }
    }
    if faults.is_empty() { Ok(read) } else { Err(faults) }
}

/// Counts lines from left to right, reading each byte once.
struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, at: usize) -> usize {
        let between = self.text.as_bytes().get(self.at..at).unwrap_or(&[]);
        self.line += between.iter().filter(|byte| **byte == b'\n').count();
        self.at = at;
        self.line
    }
}

/// serde_json's message without the position.
fn json_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let message = match message {
        // serde_json's message for half a surrogate pair.
        "unexpected end of hex escape" | "lone leading surrogate in hex escape" => {
            "a lone surrogate, which is half of a character"
        }
        message => message,
    };
    format!("not valid JSON in column {}: {message}", error.column())
}

/// Parsing YAML first creates a list of events, which takes many times the size of the file, and
/// nesting takes quadratic time.
fn fits_yaml(text: &str, budget: &ResourceBudget) -> Result<(), Vec<BankError>> {
    /// Memory per byte of a dense file.
    const DENSE_FACTOR: u64 = 24;
    const MAX_DEPTH: usize = 128;
    if text.len() as u64 * DENSE_FACTOR > budget.remaining() {
        let fault = BankError::too_large(1);
        return Err(vec![fault.help("write a bank of this size as .jsonl, a record on each line")]);
    }
    let deep = |line| {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        let fault = BankError { code: Code::TOO_DEEP, ..BankError::new(line, message) };
        Err(vec![fault.help("a bank is a list of records: `- name: …`")])
    };
    let mut open = 0_usize;
    for (at, line) in text.lines().enumerate() {
        // Nested blocks are opened on one line, or by increasing indentation.
        let lead = line.len() - line.trim_start_matches([' ', '-', '?', ':', '\t']).len();
        let opened = ["- ", "? ", ": "].iter().map(|open| line[..lead].matches(open).count());
        let opened: usize = opened.sum();
        // A record begins in the first column, where nothing is open. Brackets in texts count as
        // well; a text with this many unbalanced ones is unlikely.
        if lead == 0 || line.starts_with("- ") {
            open = 0;
        }
        for letter in line.bytes() {
            match letter {
                b'[' | b'{' => open += 1,
                b']' | b'}' => open = open.saturating_sub(1),
                _ => {}
            }
            if open > 8 * MAX_DEPTH {
                return deep(at + 1);
            }
        }
        if opened > MAX_DEPTH || lead > 8 * MAX_DEPTH {
            return deep(at + 1);
        }
    }
    Ok(())
}

fn yaml(text: &str, budget: &mut ResourceBudget) -> Result<Vec<BankRecord>, Vec<BankError>> {
    fits_yaml(text, budget)?;
    let records: Vec<Value> = serde_yaml::from_str(text).map_err(|error| {
        let line = error.location().map_or(1, |place| place.line());
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        vec![
            BankError::new(line, format!("not a YAML list of records: {message}"))
                .help("each record begins with `- ` in the first column"),
        ]
    })?;
    // The n-th record begins on the n-th line with a member of the outer list.
    let opens = |line: &str| line.starts_with("- ") || line == "-";
    let mut lines = text.lines().enumerate().filter(|(_, line)| opens(line)).map(|(at, _)| at + 1);
    let mut kept = Vec::new();
    for record in records {
        let record = BankRecord::new(record, lines.next().unwrap_or(1));
        add_within_budget(record, &mut kept, budget)?;
    }
    Ok(kept)
}

/// Lists are in one cell, separated by `;`.
fn csv(
    text: &str,
    delimiter: u8,
    wanted: Option<&Type>,
    budget: &mut ResourceBudget,
) -> Result<Vec<BankRecord>, Vec<BankError>> {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
    let fault = |error: csv::Error| {
        let line = error.position().map_or(1, |place| place.line() as usize);
        let message = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!(
                    "this row has {len} {}, the first has {expected_len}",
                    if *len == 1 { "cell" } else { "cells" }
                )
            }
            _ => error.to_string(),
        };
        vec![BankError::new(line, message)]
    };
    let names: Vec<String> =
        reader.headers().map_err(fault)?.iter().map(|name| name.trim().to_owned()).collect();
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for row in reader.records() {
        let row = row.map_err(fault)?;
        let line = row.position().map_or(1, |place| place.line() as usize);
        let mut fields = BTreeMap::new();
        for (name, cell) in names.iter().zip(row.iter()) {
            let ty = match wanted {
                Some(Type::Record(fields)) => fields.get(name),
                _ => None,
            };
            match cell_value(cell, ty) {
                Ok(value) => {
                    fields.insert(name.clone(), value);
                }
                Err(message) => {
                    faults.push(BankError::new(line, format!("field `{name}`: {message}")))
                }
            }
        }
        add_within_budget(BankRecord::new(Value::record(fields), line), &mut records, budget)?;
    }
    if faults.is_empty() { Ok(records) } else { Err(faults) }
}

fn cell_value(cell: &str, field: Option<&Field>) -> Result<Value, String> {
    let Some(field) = field else { return Ok(Value::text(cell)) };
    if cell.is_empty() && field.optional {
        return Ok(Value::Nothing);
    }
    let wrong = || format!("`{cell}` is not {}", article(&field.ty));
    match &field.ty {
        Type::Int | Type::Clock => cell.trim().parse().map(Value::Int).map_err(|_| wrong()),
        Type::Float => match cell.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(wrong()),
        },
        Type::Bool => cell.trim().parse().map(Value::Bool).map_err(|_| wrong()),
        Type::List(of) => {
            let of = Field::new((**of).clone(), false);
            let members = cell.split(';').map(str::trim).filter(|member| !member.is_empty());
            members
                .map(|member| cell_value(member, Some(&of)))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::list)
        }
        _ => Ok(Value::text(cell)),
    }
}

fn article(ty: &Type) -> String {
    match ty {
        Type::Int => "a whole number".to_owned(),
        Type::Float => "a number".to_owned(),
        Type::Text => "a text".to_owned(),
        other => other.to_string(),
    }
}

// ---- types -------------------------------------------------------------------

fn conform_all(records: Vec<BankRecord>, wanted: &Type) -> Result<Vec<BankRecord>, Vec<BankError>> {
    let (mut good, mut faults): (Vec<BankRecord>, Vec<BankError>) = (Vec::new(), Vec::new());
    // The same mistake in many records is reported once.
    let mut reported: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (at, record) in records.into_iter().enumerate() {
        let BankRecord { value, line } = record;
        // Most records already have the expected type and need no conversion.
        let conformed = if conforms(&value, wanted) { Ok(value) } else { conform(value, wanted) };
        match conformed {
            Ok(value) => good.push(BankRecord::new(value, line)),
            Err((field, message)) => {
                let said = field_message(&field, &message);
                match reported.get_mut(&said) {
                    Some((_, more)) => *more += 1,
                    None => {
                        faults.push(BankError::new(line, format!("record {}{said}", at + 1)));
                        reported.insert(said, (faults.len() - 1, 0));
                    }
                }
            }
        }
    }
    for (at, more) in reported.into_values().filter(|(_, more)| *more > 0) {
        let records = if more == 1 { "record" } else { "records" };
        faults[at].message.push_str(&format!(" (and in {more} more {records})"));
    }
    if faults.is_empty() { Ok(good) } else { Err(faults) }
}

fn field_message(field: &str, message: &str) -> String {
    if field.is_empty() { format!(": {message}") } else { format!(", field `{field}`: {message}") }
}

/// Whether a value has a type without conversion.
fn conforms(value: &Value, wanted: &Type) -> bool {
    match (value, wanted) {
        (_, Type::Unknown)
        | (Value::Bool(_), Type::Bool)
        | (Value::Int(_), Type::Int | Type::Clock)
        | (Value::Float(_), Type::Float)
        | (Value::Text(_), Type::Text | Type::Image) => true,
        (Value::List(members), Type::List(of)) => members.iter().all(|member| conforms(member, of)),
        (Value::Record(fields), Type::Record(wanted)) => {
            // Both are sorted by name.
            fields.len() == wanted.len()
                && fields.iter().zip(wanted).all(|((name, value), (wanted, field))| {
                    *name == **wanted
                        && ((field.optional && *value == Value::Nothing)
                            || conforms(value, &field.ty))
                })
        }
        _ => false,
    }
}

/// Converts a value to a type, or returns the field that cannot be converted.
pub fn conform(value: Value, wanted: &Type) -> Result<Value, (String, String)> {
    let found = kind(&value);
    match (value, wanted) {
        (value, Type::Unknown) => Ok(value),
        (Value::Int(number), Type::Float) => Ok(Value::Float(number as f64)),
        (value @ Value::Bool(_), Type::Bool)
        | (value @ Value::Int(_), Type::Int | Type::Clock)
        | (value @ Value::Float(_), Type::Float)
        | (value @ Value::Text(_), Type::Text | Type::Image) => Ok(value),
        (Value::List(members), Type::List(of)) => {
            let members = members.iter().cloned().map(|member| conform(member, of));
            Ok(Value::list(members.collect::<Result<Vec<_>, _>>()?))
        }
        (Value::Record(fields), Type::Record(wanted)) => {
            if let Some(extra) = fields.names().iter().find(|name| !wanted.contains_key(*name)) {
                let declared: Vec<String> = wanted.keys().map(|name| format!("`{name}`")).collect();
                let declared = declared.join(", ");
                return Err((extra.clone(), format!("is not among those declared: {declared}")));
            }
            let mut conformed = Vec::with_capacity(wanted.len());
            for (name, field) in wanted {
                let value = match fields.get(name) {
                    None | Some(Value::Nothing) if field.optional => Value::Nothing,
                    None => return Err((name.clone(), "is missing".to_owned())),
                    Some(value) => {
                        conform(value.clone(), &field.ty).map_err(|(inner, message)| {
                            let dot = if inner.is_empty() { "" } else { "." };
                            (format!("{name}{dot}{inner}"), message)
                        })?
                    }
                };
                conformed.push((name.clone(), value));
            }
            Ok(Value::record(conformed))
        }
        (_, wanted) => {
            Err((String::new(), format!("{found} where {} is declared", article(wanted))))
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Nothing => "nothing",
        Value::Bool(_) => "true or false",
        Value::Int(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Text(_) => "a text",
        Value::List(_) => "a list",
        Value::Record(_) => "a record",
    }
}

fn infer_all(records: &[BankRecord]) -> Result<Type, Vec<BankError>> {
    for (at, BankRecord { value, line, .. }) in records.iter().enumerate() {
        if !matches!(value, Value::Record(_)) {
            return Err(vec![
                BankError::new(*line, format!("record {} is {}", at + 1, kind(value)))
                    .help("each record of a bank has named fields"),
            ]);
        }
    }
    let values: Vec<(usize, &Value)> =
        records.iter().enumerate().map(|(at, record)| (at, &record.value)).collect();
    infer_column(&values).map_err(|Clash { at, field, one, other }| {
        let line = records.get(at).map_or(1, |record| record.line);
        vec![
            BankError::new(
                line,
                format!("record {}, field `{field}` is {other}; above it is {one}", at + 1),
            )
            .help("make the field the same in all records"),
        ]
    })
}

/// A field with two types.
struct Clash {
    /// The first record in which it has the other type.
    at: usize,
    field: String,
    one: Type,
    other: Type,
}

/// The narrowest type that fits all values of a field. Records are processed field by field, so
/// thousands with different fields take no longer than as many with the same ones.
fn infer_column(values: &[(usize, &Value)]) -> Result<Type, Clash> {
    let other = |(_, value): &(usize, &Value)| !matches!(value, Value::Record(_) | Value::Nothing);
    let records = values.iter().position(other).unwrap_or(values.len());
    let (before, after) = values.split_at_checked(records).unwrap_or_default();
    let mut columns: BTreeMap<&str, Vec<(usize, &Value)>> = BTreeMap::new();
    let mut count = 0;
    for (at, value) in before {
        let Value::Record(fields) = value else { continue };
        count += 1;
        fields.iter().for_each(|(name, value)| columns.entry(name).or_default().push((*at, value)));
    }
    let mut whole = Type::Unknown;
    if count > 0 {
        let (mut fields, mut clash) = (BTreeMap::new(), None::<Clash>);
        for (name, column) in columns {
            let lacks = column.len() < count;
            let optional = lacks || column.iter().any(|(_, value)| **value == Value::Nothing);
            match infer_column(&column) {
                Ok(ty) => drop(fields.insert(name.to_owned(), Field::new(ty, optional))),
                Err(found) if clash.as_ref().is_none_or(|clash| found.at < clash.at) => {
                    let field = dotted_path(name, &found.field);
                    clash = Some(Clash { field, ..found });
                }
                Err(_) => {}
            }
        }
        match clash {
            Some(clash) => return Err(clash),
            None => whole = Type::Record(fields),
        }
    }
    for (at, value) in after {
        let clash = |(field, one, other)| Clash { at: *at, field, one, other };
        whole = common_type(whole, infer(value)).map_err(clash)?;
    }
    Ok(whole)
}

/// `home.city`
fn dotted_path(name: &str, inner: &str) -> String {
    let dot = if inner.is_empty() { "" } else { "." };
    format!("{name}{dot}{inner}")
}

fn infer(value: &Value) -> Type {
    match value {
        Value::Nothing => Type::Unknown,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Float(_) => Type::Float,
        Value::Text(_) => Type::Text,
        Value::List(members) => {
            let of = members
                .iter()
                .map(infer)
                .reduce(|one, other| common_type(one, other).unwrap_or(Type::Unknown));
            Type::list(of.unwrap_or(Type::Unknown))
        }
        Value::Record(fields) => {
            let field = |value: &Value| Field::new(infer(value), *value == Value::Nothing);
            Type::Record(
                fields.iter().map(|(name, value)| (name.to_owned(), field(value))).collect(),
            )
        }
    }
}

/// The narrowest type that fits both, or the field without one.
fn common_type(one: Type, other: Type) -> Result<Type, (String, Type, Type)> {
    match (one, other) {
        (Type::Unknown, ty) | (ty, Type::Unknown) => Ok(ty),
        (Type::Int, Type::Float) | (Type::Float, Type::Int) => Ok(Type::Float),
        (Type::List(one), Type::List(other)) => Ok(Type::list(common_type(*one, *other)?)),
        (Type::Record(one), Type::Record(mut other)) => {
            let mut fields = BTreeMap::new();
            for (name, field) in one {
                let merged = match other.remove(&name) {
                    None => Field { optional: true, ..field },
                    Some(also) => {
                        let optional = field.optional || also.optional;
                        let ty =
                            common_type(field.ty, also.ty).map_err(|(inner, one, other)| {
                                (dotted_path(&name, &inner), one, other)
                            })?;
                        Field::new(ty, optional)
                    }
                };
                fields.insert(name, merged);
            }
            fields.extend(
                other.into_iter().map(|(name, field)| (name, Field { optional: true, ..field })),
            );
            Ok(Type::Record(fields))
        }
        (one, other) if one == other => Ok(one),
        (one, other) => Err((String::new(), one, other)),
    }
}

/// The key of a record: its `name`, `id` or `key`, or else its number.
fn keys(records: &[BankRecord]) -> Result<Vec<String>, Vec<BankError>> {
    let (mut keys, mut faults) = (Vec::with_capacity(records.len()), Vec::new());
    for (at, record) in records.iter().enumerate() {
        let field = |name| record.value.field(name);
        let named = ["name", "id", "key"].into_iter().find_map(|name| match field(name) {
            Some(Value::Text(text)) => Some(String::from(&**text)),
            Some(Value::Int(number)) => Some(number.to_string()),
            _ => None,
        });
        let key = named.unwrap_or_else(|| (at + 1).to_string());
        keys.push(key);
    }
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(keys.len());
    for (at, (key, BankRecord { line, .. })) in keys.iter().zip(records).enumerate() {
        if let Some(first) = seen.get(key.as_str()) {
            faults.push(
                BankError::new(
                    *line,
                    format!("record {} is called `{key}` like the one on line {first}", at + 1),
                )
                .help("give each record a different name"),
            );
            continue;
        }
        seen.insert(key, *line);
    }
    if faults.is_empty() { Ok(keys) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(name: &str, text: &str) -> BankError {
        load(name, text, None, &mut ResourceBudget::default()).unwrap_err().remove(0)
    }

    #[test]
    fn four_formats_say_the_same() {
        let wanted = Type::record([("name", Type::Text), ("words", Type::list(Type::Text))]);
        let read = |name, text: &str| {
            load(name, text, Some(&wanted), &mut ResourceBudget::default()).unwrap().records
        };
        let jsonl = read("a.jsonl", "{\"name\":\"x\",\"words\":[\"a\",\"b\"]}\r\n\r\n");
        assert_eq!(read("a.json", "[\n {\"name\":\"x\",\"words\":[\"a\",\"b\"]}]"), jsonl);
        assert_eq!(read("a.yaml", "- name: x\n  words: [a, b]\n"), jsonl);
        assert_eq!(read("a.csv", "name,words\nx,a; b\n"), jsonl);
    }

    #[test]
    fn faults_have_line_and_field() {
        let two = fault("a.jsonl", "{\"n\":1}\n{\"n\":\"x\"}\n");
        assert_eq!((two.line, two.message.contains("field `n`")), (2, true));
        assert_eq!(fault("a.jsonl", "{\"n\":1}\n{oops\n").line, 2);
        assert_eq!(fault("a.jsonl", "{\"name\":\"a\"}\n{\"name\":\"a\"}\n").line, 2);
        assert_eq!(fault("a.csv", "a,b\n1,2\n3\n").line, 3);
        assert!(fault("a.jsonl", "\n").message.contains("no record"));
        assert!(fault("a.jsonl", "{\"n\":\"\\ud800\"}").message.contains("surrogate"));
        assert!(fault("a.txt", "x").message.contains(".txt"));
    }
}
