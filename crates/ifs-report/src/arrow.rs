//! The table of outcomes as Arrow and Parquet, with the columns of the CSV. Numbers are numbers, and
//! what a row does not have is null.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;

use super::csv::{COLUMNS, rows};
use super::{Report, ReportError};

/// Rows of a batch: it is in memory while it is filled.
const BATCH_ROWS: usize = 1 << 16;

/// The type of a column.
fn data_type(column: &str) -> DataType {
    match column {
        "run_seed"
        | "index"
        | "seed"
        | "turn"
        | "age"
        | "text"
        | "characters"
        | "sent"
        | "prompt_tokens"
        | "without_stop_reason" => DataType::UInt64,
        "points" => DataType::Float64,
        _ => DataType::Utf8,
    }
}

fn schema() -> Arc<Schema> {
    let field = |column: &&str| Field::new(*column, data_type(column), true);
    Arc::new(Schema::new(COLUMNS.iter().map(field).collect::<Vec<Field>>()))
}

/// A column that is being filled.
enum ColumnBuilder {
    Text(StringBuilder),
    Whole(UInt64Builder),
    Number(Float64Builder),
}

impl ColumnBuilder {
    fn for_column(column: &str) -> ColumnBuilder {
        match data_type(column) {
            DataType::UInt64 => ColumnBuilder::Whole(UInt64Builder::new()),
            DataType::Float64 => ColumnBuilder::Number(Float64Builder::new()),
            _ => ColumnBuilder::Text(StringBuilder::new()),
        }
    }

    /// An empty cell is null.
    fn add(&mut self, cell: &str) {
        match self {
            ColumnBuilder::Text(column) => column.append_option((!cell.is_empty()).then_some(cell)),
            ColumnBuilder::Whole(column) => column.append_option(cell.parse().ok()),
            ColumnBuilder::Number(column) => column.append_option(cell.parse().ok()),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Text(column) => ArrayBuilder::finish(column),
            ColumnBuilder::Whole(column) => ArrayBuilder::finish(column),
            ColumnBuilder::Number(column) => ArrayBuilder::finish(column),
        }
    }
}

/// Gives the outcomes in batches.
fn batches(
    report: &Report<'_>,
    mut give: impl FnMut(&RecordBatch) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let schema = schema();
    let mut columns: Vec<ColumnBuilder> =
        COLUMNS.iter().map(|column| ColumnBuilder::for_column(column)).collect();
    let mut filled = 0;
    let batch = |columns: &mut Vec<ColumnBuilder>| {
        let arrays = columns.iter_mut().map(ColumnBuilder::finish).collect();
        RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(arrow_error)
    };
    rows(report, |cells| {
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.add(cell));
        filled += 1;
        if filled == BATCH_ROWS {
            filled = 0;
            give(&batch(&mut columns)?)?;
        }
        Ok(())
    })?;
    match filled {
        0 => Ok(()),
        _ => give(&batch(&mut columns)?),
    }
}

/// The file format of Arrow IPC.
pub(super) fn arrow(report: &Report<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let mut writer = FileWriter::try_new(out, &schema()).map_err(arrow_error)?;
    batches(report, |batch| writer.write(batch).map_err(arrow_error))?;
    writer.finish().map_err(arrow_error)
}

/// Parquet without compression: most columns have few values, which its dictionaries store once.
pub(super) fn parquet(report: &Report<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    // The writer wants an output that other threads may use. The file is small.
    let mut writer = ArrowWriter::try_new(Vec::new(), schema(), None).map_err(arrow_error)?;
    batches(report, |batch| writer.write(batch).map_err(arrow_error))?;
    Ok(out.write_all(&writer.into_inner().map_err(arrow_error)?)?)
}

fn arrow_error(error: impl std::error::Error + Send + Sync + 'static) -> ReportError {
    ReportError::Io(std::io::Error::other(error))
}
