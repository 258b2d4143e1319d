//! Rows from Python: dictionaries, or lines of JSON.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Values in values: deeper ones are an error, and so are values that contain themselves.
const MAX_DEPTH: usize = 64;

/// A row as a line of JSON.
pub(crate) fn row(row: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = row.cast::<PyString>() {
        return Ok(text.to_cow()?.into_owned().into_bytes());
    }
    if let Ok(bytes) = row.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let mut line = Vec::with_capacity(512);
    write(row, &mut line, 0)?;
    Ok(line)
}

fn write(value: &Bound<'_, PyAny>, into: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err(format!("values are nested more than {MAX_DEPTH} deep")));
    }
    if let Ok(value) = value.cast::<PyString>() {
        return text(&value.to_cow()?, into);
    }
    if let Ok(fields) = value.cast::<PyDict>() {
        into.push(b'{');
        for (at, (name, value)) in fields.iter().enumerate() {
            if at > 0 {
                into.push(b',');
            }
            let name = name.cast::<PyString>().map_err(|_| {
                PyTypeError::new_err("the names of a row's fields are texts".to_owned())
            })?;
            text(&name.to_cow()?, into)?;
            into.push(b':');
            write(&value, into, depth + 1)?;
        }
        into.push(b'}');
        return Ok(());
    }
    if value.is_none() {
        into.extend(b"null");
    } else if let Ok(value) = value.cast::<PyBool>() {
        into.extend(if value.is_true() { &b"true"[..] } else { b"false" });
    } else if value.cast::<PyInt>().is_ok() {
        into.extend(value.str()?.to_cow()?.as_bytes());
    } else if let Ok(number) = value.cast::<PyFloat>() {
        // JSON has no infinite numbers: they are absent.
        serde_json::to_writer(into, &number.value()).map_err(|error| failed(&error))?;
    } else if let Ok(items) = value.cast::<PyList>() {
        list(items.iter(), into, depth)?;
    } else if let Ok(items) = value.cast::<PyTuple>() {
        list(items.iter(), into, depth)?;
    } else {
        // Numbers and arrays of other packages.
        for method in ["tolist", "item"] {
            if let Ok(plain) = value.call_method0(method) {
                return write(&plain, into, depth + 1);
            }
        }
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a row has texts, numbers, lists and dictionaries, and this is of type {kind}"
        )));
    }
    Ok(())
}

fn list<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    into: &mut Vec<u8>,
    depth: usize,
) -> PyResult<()> {
    into.push(b'[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            into.push(b',');
        }
        write(&item, into, depth + 1)?;
    }
    into.push(b']');
    Ok(())
}

fn text(text: &str, into: &mut Vec<u8>) -> PyResult<()> {
    serde_json::to_writer(into, text).map_err(|error| failed(&error))
}

fn failed(error: &serde_json::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
