//! `ifs runs`

use std::path::{Path, PathBuf};

use clap::Subcommand;

use super::Format;
use super::exit::{CommandError, Exit};
use super::output::Output;
use super::score::{self, RescoreOptions};
use super::shell::quoted;
use ifs_run::{MergeError, merge};

/// Merge the shards of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: RunsCommand,
}

#[derive(Debug, Subcommand)]
enum RunsCommand {
    /// Make one run of all its shards
    Merge(Merge),
}

/// Make one run of all its shards.
///
/// The shards are runs of the same scenario with the same settings, each with another `--shard I/N`,
/// all of them complete. The merged run is what `ifs run` without `--shard` writes. No request is
/// sent, and the shards stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs runs merge shards/* --out runs/gpt-4o")]
struct Merge {
    /// The folders of the shards, in any order
    #[arg(required = true, value_name = "SHARD")]
    shards: Vec<PathBuf>,
    /// Folder of the merged run
    #[arg(short, long)]
    out: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let RunsCommand::Merge(args) = args.command;
    let (folder, _) = merge(&args.shards, &args.out).map_err(CommandError::from)?;
    score::score_folder(&folder, &RescoreOptions::default(), args.format, output)?;
    output.note(&format!("the run is in {}", folder.path().display()));
    Ok(Exit::Good)
}

impl From<MergeError> for CommandError {
    fn from(error: MergeError) -> CommandError {
        let text = error.to_string();
        match error {
            MergeError::Folder(error) => error.into(),
            MergeError::Job(error) => error.into(),
            MergeError::NotAShard(_) => CommandError::input(text)
                .help("a shard is written by `ifs run … --shard 1/4`; compare complete runs with `ifs compare`"),
            MergeError::Twice { .. } => CommandError::input(text).help("give each shard once"),
            MergeError::OtherCount { .. } => {
                CommandError::input(text).help("merge the shards of one division, such as 1/4 to 4/4")
            }
            MergeError::Missing { list, of } => {
                let first = list.first().copied().unwrap_or(1);
                CommandError::input(text).help(format!(
                    "run it with the same settings and `--shard {first}/{of}`, then merge all {of}"
                ))
            }
            MergeError::Differs { .. } => CommandError::input(text)
                .help("shards have the same scenario, model, seed and settings"),
            MergeError::Incomplete { folder, .. } => {
                CommandError::input(text).help(format!("complete it with `ifs run --resume {}`", quoted(Path::new(&folder))))
            }
            MergeError::Count { .. } | MergeError::Overlap { .. } => CommandError::input(text)
                .help("the folder was changed after the run; restore it from a copy"),
        }
    }
}
