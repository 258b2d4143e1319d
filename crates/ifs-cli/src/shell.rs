//! `ifs completions` and `ifs man`

use std::path::{Path, PathBuf};

use super::exit::{CommandError, Exit};
use super::output::Output;

/// A path as an argument of a command that is printed to be copied.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // It would be read as an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text };
    quoted_word(&text)
}

/// A text as one word of a shell.
pub(crate) fn quoted_word(text: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-:@%+=,".contains(letter);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

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
    ifs_base::replace::make_folder(&args.folder).map_err(wrong)?;
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
    ifs_base::replace::write(&folder.join(page.get_filename()), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word() {
        for (path, word) in [
            ("runs/gpt-4o", "runs/gpt-4o"),
            ("läufe/gpt:4", "läufe/gpt:4"),
            ("r;x", "'r;x'"),
            ("my runs/$HOME", "'my runs/$HOME'"),
            ("it's", r"'it'\''s'"),
            ("-n", "./-n"),
            ("a,7,length.long@1", "a,7,length.long@1"),
        ] {
            assert_eq!(quoted(Path::new(path)), word);
        }
        assert_eq!((quoted_word(""), quoted_word("a\"b")), ("''".to_owned(), "'a\"b'".to_owned()));
    }
}
