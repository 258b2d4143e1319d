//! Tables over the Arrow PyCapsule interface: any package's in, ours out, and no package is needed.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use ifs::grade::table;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::benchmark::Benchmark;
use crate::error::OrRaise;
use crate::grade::{Settings, grader, threads};

mod draw;

pub(crate) use draw::{draw_table, drawn};

const SCHEMA_CAPSULE: &CStr = c"arrow_schema";
const ARRAY_CAPSULE: &CStr = c"arrow_array";
const STREAM_CAPSULE: &CStr = c"arrow_array_stream";

/// A table: every package with the Arrow PyCapsule interface reads it (`pyarrow.table(…)`,
/// `polars.DataFrame(…)`, `duckdb.from_arrow(…)`).
#[pyclass(frozen, module = "ifs.arrow")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Table {
    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        names(&self.schema)
    }

    /// The columns with their types.
    #[getter]
    fn schema(&self) -> Schema {
        Schema { schema: Arc::clone(&self.schema) }
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// The batches. A schema that is requested is a wish, and these are of the table's own.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM_CAPSULE)
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} rows: {}>", self.num_rows(), self.column_names().join(", "))
    }
}

/// The columns of a table, with their types.
#[pyclass(frozen, module = "ifs.arrow")]
pub(crate) struct Schema {
    schema: SchemaRef,
}

#[pymethods]
impl Schema {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        names(&self.schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    fn __repr__(&self) -> String {
        format!("<Schema: {}>", self.names().join(", "))
    }
}

fn names(schema: &SchemaRef) -> Vec<&str> {
    schema.fields().iter().map(|field| field.name().as_str()).collect()
}

fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(unreadable)?;
    PyCapsule::new_with_value(py, schema, SCHEMA_CAPSULE)
}

/// The columns of graded rows.
#[pyfunction]
pub(crate) fn graded() -> Schema {
    Schema { schema: Arc::new(table::schema()) }
}

/// Grades a table, batch by batch, without the GIL.
#[pyfunction]
pub(crate) fn grade_table(
    table: &Bound<'_, PyAny>,
    benchmark: Option<&Bound<'_, Benchmark>>,
    num_threads: Option<usize>,
    brief: bool,
    loose: bool,
    raw_text: bool,
) -> PyResult<Table> {
    let py = table.py();
    let settings = Settings { threads: threads(num_threads), brief, loose, raw_text };
    let grader = settings.apply(grader(benchmark.map(Bound::get)));
    let input = Input::from_object(table)?;
    let read = py.detach(|| {
        let table = table::TableOptions::from_schema(&input.schema());
        let mut done = Vec::new();
        for batch in input {
            let graded = grader.batches(&table, &batch?, settings.threads);
            done.extend(graded.map_err(|error| ArrowError::ExternalError(Box::new(error)))?);
        }
        Ok((Arc::clone(table.schema()), done))
    });
    match read {
        Ok((schema, batches)) => Ok(Table { schema, batches }),
        Err(ArrowError::ExternalError(error)) => match error.downcast::<ifs::Error>() {
            Ok(error) => Err(*error).or_raise(py),
            Err(error) => Err(PyValueError::new_err(error.to_string())),
        },
        Err(error) => Err(unreadable(error)),
    }
}

/// The batches of a table of another package.
enum Input {
    Stream(RecordBatchStreamReader),
    One(SchemaRef, std::option::IntoIter<RecordBatch>),
}

impl Input {
    fn from_object(given: &Bound<'_, PyAny>) -> PyResult<Input> {
        let kind = || given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        if given.hasattr("__arrow_c_stream__")? {
            let capsule = given.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
            let stream =
                capsule.pointer_checked(Some(STREAM_CAPSULE))?.cast::<FFI_ArrowArrayStream>();
            // SAFETY: the name of the capsule says what it points to. The stream is moved out of
            // it: the capsule no longer releases it.
            let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) };
            return Ok(Input::Stream(reader.map_err(|error| no_table(&kind(), &error))?));
        }
        if given.hasattr("__arrow_c_array__")? {
            let pair = given.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let schema = pair.get_item(0)?.cast_into::<PyCapsule>()?;
            let array = pair.get_item(1)?.cast_into::<PyCapsule>()?;
            let schema = schema.pointer_checked(Some(SCHEMA_CAPSULE))?.cast::<FFI_ArrowSchema>();
            let array = array.pointer_checked(Some(ARRAY_CAPSULE))?.cast::<FFI_ArrowArray>();
            // SAFETY: as above; the schema is only read while its capsule is alive.
            let data = unsafe {
                let array = FFI_ArrowArray::from_raw(array.as_ptr());
                from_ffi(array, schema.as_ref())
            };
            let data = data.map_err(|error| no_table(&kind(), &error))?;
            if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
                let found = ArrowError::SchemaError(format!("it is of type {}", data.data_type()));
                return Err(no_table(&kind(), &found));
            }
            let batch = RecordBatch::from(StructArray::from(data));
            return Ok(Input::One(batch.schema(), Some(batch).into_iter()));
        }
        Err(PyTypeError::new_err(format!(
            "{} has no Arrow PyCapsule interface; give a table or a record batch",
            kind()
        )))
    }

    fn schema(&self) -> SchemaRef {
        match self {
            Input::Stream(reader) => reader.schema(),
            Input::One(schema, _) => Arc::clone(schema),
        }
    }
}

impl Iterator for Input {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Input::Stream(reader) => reader.next(),
            Input::One(_, batch) => batch.next().map(Ok),
        }
    }
}

fn no_table(kind: &str, error: &ArrowError) -> PyErr {
    PyTypeError::new_err(format!("{kind} is not a table or a record batch: {error}"))
}

fn unreadable(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
