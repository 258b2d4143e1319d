//! Tables as streams of Arrow and as Parquet: read and written batch by batch.

use std::fs::File;
use std::io::{self, Read};

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// How a table is written in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableEncoding {
    /// The streaming format of Arrow IPC.
    ArrowStream,
    Parquet,
}

/// Where a table is read from.
pub enum TableSource {
    File(File),
    Stream(Box<dyn Read + Send>),
}

/// The batches of a table.
pub struct TableBatches {
    pub schema: SchemaRef,
    each: Box<dyn Iterator<Item = io::Result<RecordBatch>> + Send>,
}

impl TableBatches {
    /// Reads a table. The index of a Parquet file is at its end, so a stream of it is read completely
    /// before the first batch.
    ///
    /// # Errors
    /// Returns an error if it is not a table of this form.
    pub fn read(form: TableEncoding, from: TableSource) -> io::Result<TableBatches> {
        let stream: Box<dyn Read + Send> = match (form, from) {
            (TableEncoding::Parquet, TableSource::File(file)) => {
                return parquet(ParquetRecordBatchReaderBuilder::try_new(file));
            }
            (TableEncoding::Parquet, TableSource::Stream(mut stream)) => {
                let mut bytes = Vec::new();
                stream.read_to_end(&mut bytes)?;
                return parquet(ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)));
            }
            (TableEncoding::ArrowStream, TableSource::File(file)) => {
                Box::new(io::BufReader::new(file))
            }
            (TableEncoding::ArrowStream, TableSource::Stream(stream)) => stream,
        };
        let reader = StreamReader::try_new(stream, None).map_err(io::Error::other)?;
        let schema = reader.schema();
        Ok(TableBatches {
            schema,
            each: Box::new(reader.map(|batch| batch.map_err(io::Error::other))),
        })
    }
}

fn parquet<R: parquet::file::reader::ChunkReader + 'static>(
    builder: parquet::errors::Result<ParquetRecordBatchReaderBuilder<R>>,
) -> io::Result<TableBatches> {
    let reader = builder.and_then(|builder| builder.with_batch_size(super::BATCH_ROWS).build());
    let reader = reader.map_err(io::Error::other)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    Ok(TableBatches { schema, each: Box::new(reader.map(|batch| batch.map_err(io::Error::other))) })
}

impl Iterator for TableBatches {
    type Item = io::Result<RecordBatch>;

    fn next(&mut self) -> Option<io::Result<RecordBatch>> {
        self.each.next()
    }
}

/// The rows of a batch that are kept, by their positions in all batches; the first is at `from`.
///
/// # Errors
/// Returns an error if there is no memory for them.
pub fn part(batch: &RecordBatch, from: u64, keep: impl Fn(u64) -> bool) -> io::Result<RecordBatch> {
    let kept: Vec<bool> = (from..).take(batch.num_rows()).map(keep).collect();
    filter_record_batch(batch, &BooleanArray::from(kept)).map_err(io::Error::other)
}

/// Writes a table, in pieces.
pub enum TableWriter {
    ArrowStream(Box<StreamWriter<Vec<u8>>>),
    Parquet(Box<ArrowWriter<Vec<u8>>>),
}

impl TableWriter {
    /// # Errors
    /// Returns an error for columns that the form does not have.
    pub fn new(form: TableEncoding, schema: &SchemaRef) -> io::Result<TableWriter> {
        match form {
            TableEncoding::ArrowStream => {
                let writer = StreamWriter::try_new(Vec::new(), schema).map_err(io::Error::other)?;
                Ok(TableWriter::ArrowStream(Box::new(writer)))
            }
            TableEncoding::Parquet => {
                let packed = WriterProperties::builder().set_compression(Compression::SNAPPY);
                let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(packed.build()));
                Ok(TableWriter::Parquet(Box::new(writer.map_err(io::Error::other)?)))
            }
        }
    }

    /// Adds a batch, and returns the bytes that are complete.
    ///
    /// # Errors
    /// Returns an error if the batch has other columns.
    pub fn write(&mut self, batch: &RecordBatch) -> io::Result<Vec<u8>> {
        match self {
            TableWriter::ArrowStream(writer) => {
                writer.write(batch).map_err(io::Error::other)?;
                Ok(std::mem::take(writer.get_mut()))
            }
            TableWriter::Parquet(writer) => {
                writer.write(batch).map_err(io::Error::other)?;
                Ok(std::mem::take(writer.inner_mut()))
            }
        }
    }

    /// Returns the bytes that are left.
    ///
    /// # Errors
    /// Returns an error if they cannot be made.
    pub fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            TableWriter::ArrowStream(writer) => writer.into_inner().map_err(io::Error::other),
            TableWriter::Parquet(writer) => writer.into_inner().map_err(io::Error::other),
        }
    }
}
