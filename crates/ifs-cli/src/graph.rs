//! `ifs graph`

use clap::ValueEnum;

use super::exit::{CommandError, Exit};
use super::load;
use super::output::Output;
use ifs_plan::picture;

/// Draw a dialogue's plan as a graph.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs graph scenarios/evolif/evolif.ifs > evolif.svg
  ifs graph a.ifs --dialogue short --format mermaid")]
pub(crate) struct Args {
    #[command(flatten)]
    which: load::DialogueArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = GraphFormat::Svg)]
    format: GraphFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    Svg,
    Dot,
    Mermaid,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let (program, dialogue) = load::dialogue(&args.which, output)?;
    let text = match args.format {
        GraphFormat::Svg => picture::svg(&program.plan, dialogue).map_err(|too_much| {
            CommandError::input(format!("the graph is too large for a picture: {too_much}"))
                .help("`--format dot` and `--format mermaid` leave the layout to other programs")
        })?,
        GraphFormat::Dot => picture::dot(&program.plan, dialogue),
        GraphFormat::Mermaid => picture::mermaid(&program.plan, dialogue),
    };
    output.data(&text);
    Ok(Exit::Good)
}
