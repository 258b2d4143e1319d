//! `ifs schema`

use clap::ValueEnum;

use super::exit::{CommandError, Exit};
use super::output::Output;
use super::{compare, draw, gate, runs_table};
use ifs_report::schema;

/// Print the JSON Schema of a command's JSON output.
///
/// The schema is generated from the types that are written. A document has the number of its schema
/// in `schema`; lines of `ifs draw` and of `transcripts.jsonl` have none of their own (for the
/// latter, it is in `run.json`). Fields may be added; the number changes if one is removed or changes
/// its meaning. Without a name, lists the documents.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs schema
  ifs schema report > report.schema.json
  ifs schema gate")]
pub(crate) struct Args {
    /// The document; without it, the names are listed
    #[arg(value_enum)]
    document: Option<SchemaName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchemaName {
    /// `ifs report RUN --format json`, `ifs score RUN --format json`, and `scores.json`
    Report,
    /// `ifs report RUN RUN --format json`: several runs as one table
    Runs,
    /// `ifs gate RUN --format json`
    Gate,
    /// `ifs compare RUN RUN --format json`
    Compare,
    /// `ifs audit FILE --format json`
    Audit,
    /// A line of `ifs draw FILE --format jsonl`
    Draw,
    /// `run.json` in the folder of a run
    Run,
    /// A line of `transcripts.jsonl` in the folder of a run
    Transcript,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, CommandError> {
    let Some(document) = args.document else {
        for value in SchemaName::value_variants().iter().filter_map(ValueEnum::to_possible_value) {
            let what = value.get_help().map(ToString::to_string).unwrap_or_default();
            output.line(&format!("{:<12}{what}", value.get_name()));
        }
        return Ok(Exit::Good);
    };
    let schema = match document {
        SchemaName::Report => schema::of_report(),
        SchemaName::Runs => runs_table::schema(),
        SchemaName::Gate => gate::schema(),
        SchemaName::Compare => compare::schema(),
        SchemaName::Audit => schema::of_audit(),
        SchemaName::Draw => draw::schema(),
        SchemaName::Run => schema::of_run(),
        SchemaName::Transcript => schema::of_transcript(),
    };
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| CommandError::infrastructure(error.to_string()))?;
    output.json_line(&text);
    Ok(Exit::Good)
}
