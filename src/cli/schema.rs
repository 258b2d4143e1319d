//! `ifs schema`

use clap::ValueEnum;

use super::exit::{Exit, Problem};
use super::output::Output;
use super::{gate, runs_table};
use ifs::report::schema;

/// Print the JSON Schema of what a command writes as JSON.
///
/// The schema is generated from the types that are written. A document has the number of its schema
/// in `schema`. Fields may be added; the number changes if one is removed or changes its meaning.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs schema report > report.schema.json
  ifs schema gate")]
pub(crate) struct Args {
    /// The document
    #[arg(value_enum)]
    document: Document,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Document {
    /// `ifs report RUN --format json`, `ifs score RUN --format json`, and `scores.json`
    Report,
    /// `ifs report RUN RUN --format json`: several runs as one table
    Runs,
    /// `ifs gate RUN --format json`
    Gate,
}

pub(crate) fn run(args: &Args, output: &mut Output) -> Result<Exit, Problem> {
    let schema = match args.document {
        Document::Report => schema::of_report(),
        Document::Runs => runs_table::schema(),
        Document::Gate => gate::schema(),
    };
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Problem::machine(error.to_string()))?;
    output.json_line(&text);
    Ok(Exit::Good)
}
