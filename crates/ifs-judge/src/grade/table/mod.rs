//! Rows as tables of Arrow: a batch of rows in, the columns of [`schema`] out, then the columns that
//! grading does not use. No row raises: one that cannot be graded has an `error` and nulls.

mod cells;
mod columns;
mod streams;

use std::io;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};

use super::{Grader, RowError, RowGrades};
use ifs_base::diagnostic::Code;
use ifs_base::parallel::in_order_of;

pub use columns::schema;
pub use streams::{TableBatches, TableEncoding, TableSource, TableWriter, part};

/// The columns that are texts of a row.
const TEXT_COLUMNS: [&str; 4] = ["answer", "response", "constraint", "prompt"];
/// The columns with structure: lists and structs, or texts of JSON.
const VALUE_COLUMNS: [&str; 9] = [
    "args",
    "arguments",
    "constraints",
    "instruction_id_list",
    "instructions",
    "kwargs",
    "replies",
    "style",
    "topic",
];
const NUMBER_COLUMNS: [&str; 2] = ["age", "turn"];
/// The columns that name a row, the first one before the second.
const NAME_COLUMNS: [&str; 2] = ["id", "key"];

/// Rows that are graded at once: the size of the batches that are written.
const BATCH_ROWS: usize = 1 << 16;

/// How the rows of a table are read, and what is written for them.
pub struct TableOptions {
    /// The columns that a row is read from, and whether their texts are JSON.
    used: Vec<(usize, bool)>,
    names: Vec<usize>,
    rest: Vec<usize>,
    schema: SchemaRef,
}

impl TableOptions {
    /// How a table with these columns is graded.
    pub fn from_schema(input: &Schema) -> TableOptions {
        let columns = || input.fields().iter().enumerate();
        let written = columns::schema();
        let is_json =
            |name: &str, kind: &DataType| VALUE_COLUMNS.contains(&name) && cells::is_text(kind);
        let used: Vec<(usize, bool)> = columns()
            .filter(|(_, field)| {
                let name = field.name().as_str();
                TEXT_COLUMNS.contains(&name)
                    || VALUE_COLUMNS.contains(&name)
                    || NUMBER_COLUMNS.contains(&name)
            })
            .map(|(at, field)| (at, is_json(field.name(), field.data_type())))
            .collect();
        let names: Vec<usize> =
            NAME_COLUMNS.iter().filter_map(|name| Some(input.column_with_name(name)?.0)).collect();
        let rest: Vec<usize> = columns()
            .filter(|(at, field)| {
                let is_used = used.iter().any(|(used, _)| used == at);
                let replaced = written.column_with_name(field.name()).is_some();
                !is_used && !replaced && names.first() != Some(at)
            })
            .map(|(at, _)| at)
            .collect();
        let passed = rest.iter().map(|at| Arc::clone(&input.fields()[*at]));
        let fields: Vec<_> = written.fields().iter().cloned().chain(passed).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, input.metadata().clone()));
        TableOptions { used, names, rest, schema }
    }

    /// The columns of the graded table.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Grades the rows of a batch with the columns of the table, in batches of at most 65,536. Each
    /// grade is shown to `see`.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn grade(
        &self,
        batch: &RecordBatch,
        grader: &Grader<'_>,
        threads: usize,
        mut see: impl FnMut(&Result<RowGrades, RowError>),
    ) -> io::Result<Vec<RecordBatch>> {
        let mut done = Vec::new();
        for from in (0..batch.num_rows()).step_by(BATCH_ROWS) {
            let part = batch.slice(from, BATCH_ROWS.min(batch.num_rows() - from));
            let rows: Vec<usize> = (0..part.num_rows()).collect();
            let grades = in_order_of(&rows, threads, |row| self.row(&part, *row, grader))?;
            let mut columns = columns::GradeColumns::default();
            for grade in &grades {
                see(grade);
                columns.add(grade);
            }
            done.push(self.written(&part, columns).map_err(io::Error::other)?);
        }
        Ok(done)
    }

    fn written(
        &self,
        part: &RecordBatch,
        columns: columns::GradeColumns,
    ) -> Result<RecordBatch, ArrowError> {
        let named = self.names.first().map(|at| part.column(*at));
        let mut arrays: Vec<ArrayRef> = vec![cells::names(named, part.num_rows())];
        arrays.extend(columns.finish()?);
        arrays.extend(self.rest.iter().map(|at| Arc::clone(part.column(*at))));
        RecordBatch::try_new(Arc::clone(&self.schema), arrays)
    }

    fn row(
        &self,
        batch: &RecordBatch,
        row: usize,
        grader: &Grader<'_>,
    ) -> Result<RowGrades, RowError> {
        grader.line(&self.line(batch, row)?).1
    }

    /// A row as a line of JSON; what it leaves null is absent.
    fn line(&self, batch: &RecordBatch, row: usize) -> Result<Vec<u8>, RowError> {
        let mut line = vec![b'{'];
        // The name of a row is one of the columns that identify published prompts.
        let named = self.names.iter().map(|at| (*at, false));
        for (at, is_json) in self.used.iter().copied().chain(named) {
            let (schema, array) = (batch.schema_ref(), batch.column(at));
            let (name, before) = (schema.field(at).name(), line.len());
            if before > 1 {
                line.push(b',');
            }
            line.extend(format!("\"{name}\":").bytes());
            let found = match is_json {
                true => cells::write_cell_json(array, row, &mut line),
                false => cells::write(array, row, &mut line),
            };
            let found = found.map_err(|why| {
                RowError::new(Code::BAD_ROW, format!("`{name}` of the row {why}"))
            })?;
            if !found {
                line.truncate(before);
            }
        }
        line.push(b'}');
        Ok(line)
    }
}
