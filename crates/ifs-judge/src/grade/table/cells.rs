//! Cells of a table as JSON.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StringArray, new_null_array};
use arrow_schema::DataType;
use serde_json::value::RawValue;

/// Whether cells of this type are texts.
pub(super) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The cells of the column that names rows, as texts.
pub(super) fn names(column: Option<&ArrayRef>, rows: usize) -> ArrayRef {
    let Some(column) = column else { return new_null_array(&DataType::Utf8, rows) };
    let name = |row| {
        if let Some(text) = text(column, row) {
            return Some(text.to_owned());
        }
        let mut line = Vec::new();
        let found = write(column, row, &mut line).unwrap_or(false);
        found.then(|| String::from_utf8_lossy(&line).into_owned())
    };
    Arc::new((0..rows).map(name).collect::<StringArray>())
}

fn text(array: &dyn Array, row: usize) -> Option<&str> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            let key = usize::try_from(whole(array.keys(), row)?).ok()?;
            text(array.values(), key)
        }
        _ => None,
    }
}

fn whole(array: &dyn Array, row: usize) -> Option<i128> {
    Some(match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        _ => return None,
    })
}

fn fraction(array: &dyn Array, row: usize) -> Option<f64> {
    Some(match array.data_type() {
        DataType::Float16 => array.as_primitive::<Float16Type>().value(row).into(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).into(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row),
        _ => return None,
    })
}

/// Appends a cell to a line of JSON, and returns whether it has a value. The fields of a struct that
/// are null are left out: a struct has the fields of all rows.
///
/// # Errors
/// Returns what is wrong with the cell: its type has no form in a row.
pub(super) fn write(array: &dyn Array, row: usize, line: &mut Vec<u8>) -> Result<bool, String> {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Ok(false);
    }
    if let Some(text) = text(array, row) {
        write_json(line, text);
    } else if let Some(number) = whole(array, row) {
        line.extend(number.to_string().bytes());
    } else if let Some(number) = fraction(array, row) {
        // JSON has no infinite numbers.
        if !number.is_finite() {
            return Ok(false);
        }
        write_json(line, &number);
    } else {
        match array.data_type() {
            DataType::Boolean => write_json(line, &array.as_boolean().value(row)),
            DataType::List(_) => list(&array.as_list::<i32>().value(row), line)?,
            DataType::LargeList(_) => list(&array.as_list::<i64>().value(row), line)?,
            DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row), line)?,
            DataType::Struct(_) => fields(array, row, line)?,
            DataType::Map(..) => pairs(&array.as_map().value(row), line)?,
            DataType::Dictionary(..) => {
                let array = array.as_any_dictionary();
                let key = whole(array.keys(), row).and_then(|key| usize::try_from(key).ok());
                let Some(key) = key else { return Ok(false) };
                return write(array.values(), key, line);
            }
            other => {
                return Err(format!(
                    "is of type {other}; give texts, numbers, lists, structs, or JSON as text"
                ));
            }
        }
    }
    Ok(true)
}

/// Appends a value of a type that always has a form in JSON.
fn write_json<T: serde::Serialize + ?Sized>(line: &mut Vec<u8>, value: &T) {
    // A vector takes everything.
    let _ = serde_json::to_writer(line, value);
}

fn list(items: &dyn Array, line: &mut Vec<u8>) -> Result<(), String> {
    // Arguments that are all absent.
    let absent = match items.data_type() {
        DataType::Struct(_) | DataType::Map(..) | DataType::Null => "{}",
        _ => "null",
    };
    line.push(b'[');
    for row in 0..items.len() {
        if row > 0 {
            line.push(b',');
        }
        if !write(items, row, line)? {
            line.extend(absent.bytes());
        }
    }
    line.push(b']');
    Ok(())
}

fn fields(array: &dyn Array, row: usize, line: &mut Vec<u8>) -> Result<(), String> {
    let array = array.as_struct();
    line.push(b'{');
    let mut is_first = true;
    for (field, column) in array.fields().iter().zip(array.columns()) {
        field_of((field.name(), column, row), &mut is_first, line)?;
    }
    line.push(b'}');
    Ok(())
}

fn pairs(array: &dyn Array, line: &mut Vec<u8>) -> Result<(), String> {
    let array = array.as_struct();
    let [names, values] = array.columns() else { return Err("is not a map".to_owned()) };
    line.push(b'{');
    let mut is_first = true;
    for row in 0..array.len() {
        let Some(name) = text(names, row) else { return Err("has names that are no texts".into()) };
        field_of((name, values, row), &mut is_first, line)?;
    }
    line.push(b'}');
    Ok(())
}

fn field_of(
    (name, column, row): (&str, &ArrayRef, usize),
    is_first: &mut bool,
    line: &mut Vec<u8>,
) -> Result<(), String> {
    let before = line.len();
    if !*is_first {
        line.push(b',');
    }
    write_json(line, name);
    line.push(b':');
    match write(column, row, line)? {
        true => *is_first = false,
        false => line.truncate(before),
    }
    Ok(())
}

/// Appends the JSON in a text to a line, and returns whether there is any. Fields that are null are
/// left out, as those of structs are.
///
/// # Errors
/// Returns what is wrong with the text.
pub(super) fn write_cell_json(
    array: &dyn Array,
    row: usize,
    line: &mut Vec<u8>,
) -> Result<bool, String> {
    let Some(text) = text(array, row) else { return Ok(false) };
    let not_json = |error: serde_json::Error| format!("is not JSON: {error}");
    if text.contains("null") {
        let value: serde_json::Value = serde_json::from_str(text).map_err(not_json)?;
        if value.is_null() {
            return Ok(false);
        }
        write_json(line, &without_nulls(value));
    } else {
        let value: &RawValue = serde_json::from_str(text).map_err(not_json)?;
        line.extend(value.get().bytes());
    }
    Ok(true)
}

fn without_nulls(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;

    match value {
        Value::Object(fields) => {
            let there = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(there.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        Value::Array(items) => {
            // Arguments that are all absent are beside others that are not.
            let absent = || Value::Object(serde_json::Map::default());
            let items = items.into_iter();
            Value::Array(
                items
                    .map(|item| if item.is_null() { absent() } else { without_nulls(item) })
                    .collect(),
            )
        }
        other => other,
    }
}
