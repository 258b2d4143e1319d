//! Rows and verdicts as tables of Arrow and Parquet.

use std::path::Path;

use ifs::grade::table::{Batches, Form, Source, Table, Writer, part};
use ifs::grade::{Grader, Totals};
use ifs::parallel::workers;
use ifs::run::Shard;

use super::super::exit::Problem;
use super::super::files;
use super::super::output::Output;
use super::{Args, Verdicts, unread};

/// Grades the rows of all files.
pub(super) fn grade(
    (args, form): (&Args, Form),
    grader: &Grader<'_>,
    (verdicts, totals): (&mut Verdicts<'_>, &mut Totals),
    output: &mut Output,
) -> Result<(), Problem> {
    let threads = args.workers.map_or_else(workers, usize::from);
    let mut open: Option<(Table, Writer)> = None;
    let mut at = 0;
    for file in &args.rows {
        let source = match files::plain(file) {
            Some(plain) => plain.map(Source::File),
            None => files::unpacked(file).map(|from| Source::Stream(Box::new(from))),
        };
        let batches = source.and_then(|source| Batches::read(form, source));
        let batches = batches.map_err(|error| unread(file, 0, &error))?;
        let table = Table::of(&batches.schema);
        let (table, writer) = match &mut open {
            None => {
                let writer = Writer::new(form, table.schema()).map_err(unmade)?;
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
            let batch = batch.map_err(|error| unread(file, at, &error))?;
            let rows = batch.num_rows() as u64;
            let batch = match args.shard {
                None => batch,
                Some(shard) => part(&batch, at, |at| Shard::has(shard, at)).map_err(unmade)?,
            };
            at += rows;
            let graded = table.grade(&batch, grader, threads, |grade| match grade {
                Ok(grade) => totals.add(grade),
                Err(error) => totals.add_error(error),
            });
            for batch in graded.map_err(unmade)? {
                verdicts.bytes(&writer.write(&batch).map_err(unmade)?, output)?;
            }
        }
    }
    if let Some((_, writer)) = open {
        verdicts.bytes(&writer.finish().map_err(unmade)?, output)?;
    }
    Ok(())
}

fn unmade(error: std::io::Error) -> Problem {
    Problem::machine(format!("the verdicts cannot be written: {error}"))
}

fn other_columns(one: &Path, other: &Path) -> Problem {
    let (one, other) = (one.display(), other.display());
    Problem::input(format!("the columns of `{other}` are not those of `{one}`"))
        .help("grade files with other columns in a command of their own")
}
