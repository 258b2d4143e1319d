//! `ifs completions` and `ifs man`

use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
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
    /// Output folder, created if missing
    folder: PathBuf,
}

pub(crate) fn completions(
    args: Completions,
    mut command: clap::Command,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ifs", &mut script);
    output.data(&String::from_utf8_lossy(&script));
    Ok(Exit::Good)
}

pub(crate) fn man_pages(args: Man, command: clap::Command) -> Result<Exit, CommandError> {
    let wrong = |error: std::io::Error| {
        CommandError::infrastructure(format!("`{}`: {error}", args.folder.display()))
    };
    if args.folder.is_file() {
        let message = format!("`{}` is a file, and the pages need a folder", args.folder.display());
        return Err(CommandError::input(message));
    }
    ifs::replace::make_folder(&args.folder).map_err(wrong)?;
    let mut command = command.disable_help_subcommand(true);
    // Subcommands know the names of their parents then.
    command.build();
    pages(&command, &args.folder).map_err(wrong)?;
    Ok(Exit::Good)
}

/// Writes the page of a command and those of its subcommands.
fn pages(command: &clap::Command, folder: &Path) -> std::io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, folder)?;
    }
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    ifs::replace::write(&folder.join(page.get_filename()), &text)
}
