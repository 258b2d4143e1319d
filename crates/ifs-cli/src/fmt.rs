//! `ifs fmt`

use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{CommandError, Exit};
use super::line_diff::diff;
use super::load::{CheckedScenario, show};
use super::output::Output;
use ifs_base::diagnostic::Diagnostics;
use ifs_base::replace;
use ifs_base::source::Sources;
use ifs_syntax as syntax;

/// Bring scenarios into the one canonical form.
///
/// Comments and meaning are kept. A file with a syntax error is not changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs fmt scenarios/evolif/evolif.ifs
  ifs fmt --check .                    exit status 1 if a file would change
  ifs fmt - < a.ifs                    from standard input to standard output")]
pub(crate) struct Args {
    /// Files; folders with all .ifs files below; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; print the files that would change, with a diff
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let mut exit = Exit::Good;
    let mut files = Vec::new();
    for file in &args.files {
        match file.is_dir() {
            true => scenarios_below(file, &mut files)?,
            false => files.push(file.clone()),
        }
    }
    for file in &files {
        let stdin = file.as_os_str() == "-";
        let name = if stdin { "<stdin>".to_owned() } else { file.display().to_string() };
        let bytes = if stdin {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map_err(|error| {
                CommandError::infrastructure(format!("standard input: {error}"))
            })?;
            bytes
        } else {
            if std::fs::metadata(file).is_ok_and(|facts| !facts.is_file()) {
                return Err(CommandError::input(format!("`{name}` is not a regular file")));
            }
            ifs_base::world::read_text(file, ifs_base::world::MAX_FILE_BYTES)
                .map_err(|error| read_error(file, &error))?
                .into_bytes()
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| CommandError::input(format!("`{name}` is not UTF-8 text")))?;
        let mut sources = Sources::default();
        let id = sources.add(name.clone(), text.as_str()).unwrap_or_default();
        let mut diagnostics = Diagnostics::default();
        let ast = syntax::parse(id, &text, &mut diagnostics);
        if diagnostics.errors() > 0 {
            let unread = CheckedScenario::unread(sources, diagnostics);
            show(&unread, Format::Text, output);
            exit = Exit::Input;
            continue;
        }
        let formatted = syntax::format(&ast, &text);
        if stdin && !args.check {
            output.data(&formatted);
        } else if formatted != text {
            if args.check {
                output.line(&format!("{name} would change"));
                output.print(&diff(&text, &formatted));
                if exit == Exit::Good {
                    exit = Exit::Failed;
                }
            } else {
                replace::write_named(file, formatted.as_bytes())
                    .map_err(|error| CommandError::infrastructure(format!("`{name}`: {error}")))?;
                output.note(&format!("{name} changed"));
            }
        }
    }
    Ok(exit)
}

/// The scenarios in a folder and its subfolders, sorted by name. Links are not
/// followed.
fn scenarios_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let found = files.len();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| read_error(&folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| read_error(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| read_error(&folder, &error))?;
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "ifs") {
                files.push(path);
            }
        }
    }
    files[found..].sort();
    match files.len() > found {
        true => Ok(()),
        false => {
            Err(CommandError::input(format!("there is no .ifs file in `{}`", folder.display())))
        }
    }
}

fn read_error(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::input(format!("`{}`: {error}", path.display()))
}
