//! Rows and verdicts as tables of Arrow and Parquet.

use std::path::Path;

use ifs_base::parallel::workers;
use ifs_judge::grade::table::{
    TableBatches, TableEncoding, TableOptions, TableSource, TableWriter, part,
};
use ifs_judge::grade::{GradeTotals, Grader};
use ifs_run::Shard;

use super::super::exit::CommandError;
use super::super::files;
use super::super::output::Output;
use super::{Args, GradeOutput, read_error};

/// Grades the rows of all files.
pub(super) fn grade(
    (args, form): (&Args, TableEncoding),
    grader: &Grader<'_>,
    (verdicts, totals): (&mut GradeOutput<'_>, &mut GradeTotals),
    output: &mut Output,
) -> Result<(), CommandError> {
    let threads = args.workers.map_or_else(workers, usize::from);
    let mut open: Option<(TableOptions, TableWriter)> = None;
    let mut at = 0;
    for file in &args.rows {
        let source = match files::plain(file) {
            Some(plain) => plain.map(TableSource::File),
            None => files::unpacked(file).map(|from| TableSource::Stream(Box::new(from))),
        };
        let batches = source.and_then(|source| TableBatches::read(form, source));
        let batches = batches.map_err(|error| read_error(file, 0, &error))?;
        let table = TableOptions::from_schema(&batches.schema);
        let (table, writer) = match &mut open {
            None => {
                let writer = TableWriter::new(form, table.schema()).map_err(table_error)?;
                open.insert((table, writer))
            }
            Some(open) if open.0.schema() == table.schema() => {
                // Columns that grading uses may be in another order.
                open.0 = table;
                open
            }
            Some(_) => return Err(other_columns(&args.rows[0], file)),
        };
        for batch in batches {
            let batch = batch.map_err(|error| read_error(file, at, &error))?;
            let rows = batch.num_rows() as u64;
            let batch = match args.shard {
                None => batch,
                Some(shard) => {
                    part(&batch, at, |at| Shard::contains(shard, at)).map_err(table_error)?
                }
            };
            at += rows;
            let graded = table.grade(&batch, grader, threads, |grade| match grade {
                Ok(grade) => totals.add(grade),
                Err(error) => totals.add_error(error),
            });
            for batch in graded.map_err(table_error)? {
                verdicts.bytes(&writer.write(&batch).map_err(table_error)?, output)?;
            }
        }
    }
    if let Some((_, writer)) = open {
        verdicts.bytes(&writer.finish().map_err(table_error)?, output)?;
    }
    Ok(())
}

fn table_error(error: std::io::Error) -> CommandError {
    CommandError::infrastructure(format!("the verdicts cannot be written: {error}"))
}

fn other_columns(one: &Path, other: &Path) -> CommandError {
    let (one, other) = (one.display(), other.display());
    CommandError::input(format!("the columns of `{other}` are not those of `{one}`"))
        .help("grade files with other columns separately")
}
