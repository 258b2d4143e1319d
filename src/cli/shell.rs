//! `ifs completions` and `ifs man`

use std::path::PathBuf;

use super::exit::{Exit, Problem};
use super::output::Output;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs completions bash > ~/.local/share/bash-completion/completions/ifs
  ifs completions zsh > ~/.zfunc/_ifs")]
pub(crate) struct Completions {
    shell: clap_complete::Shell,
}

/// Write the man pages into a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The folder; it is made when it is not there
    folder: PathBuf,
}

pub(crate) fn completions(
    args: Completions,
    mut command: clap::Command,
    output: &mut Output,
) -> Result<Exit, Problem> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ifs", &mut script);
    output.data(&String::from_utf8_lossy(&script));
    Ok(Exit::Good)
}

pub(crate) fn man(args: Man, command: clap::Command) -> Result<Exit, Problem> {
    let wrong =
        |error: std::io::Error| Problem::machine(format!("`{}`: {error}", args.folder.display()));
    if args.folder.is_file() {
        let message = format!("`{}` is a file, and the pages need a folder", args.folder.display());
        return Err(Problem::input(message));
    }
    std::fs::create_dir_all(&args.folder).map_err(wrong)?;
    clap_mangen::generate_to(command, &args.folder).map_err(wrong)?;
    Ok(Exit::Good)
}
