//! `ifs fmt`

use std::path::PathBuf;

use super::Format;
use super::exit::{Exit, Problem};
use super::load::{Found, show};
use super::output::Output;
use crate::diagnostic::Diagnostics;
use crate::source::Sources;
use crate::syntax;

/// Bring scenarios into the one canonical form.
///
/// Comments stay, the meaning stays. A file with a syntax error is left alone.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs fmt scenarios/evolif/evolif.ifs
  ifs fmt --check *.ifs                exit status 1 where a file would change
  ifs fmt - < a.ifs                    from standard input to standard output")]
pub(crate) struct Args {
    /// Files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that would change
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, Problem> {
    let mut exit = Exit::Good;
    for file in &args.files {
        let stdin = file.as_os_str() == "-";
        let name = if stdin { "<stdin>".to_owned() } else { file.display().to_string() };
        let bytes = if stdin {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes)
                .map_err(|error| Problem::machine(format!("standard input: {error}")))?;
            bytes
        } else {
            match std::fs::metadata(file).map(|facts| facts.is_file()) {
                Ok(true) => {}
                Ok(false) => return Err(Problem::input(format!("`{name}` is no file"))),
                Err(error) => return Err(Problem::input(format!("`{name}`: {error}"))),
            }
            std::fs::read(file).map_err(|error| Problem::input(format!("`{name}`: {error}")))?
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| Problem::input(format!("`{name}` is not UTF-8 text")))?;
        let mut sources = Sources::default();
        let id = sources.add(name.clone(), text.as_str()).unwrap_or_default();
        let mut diagnostics = Diagnostics::default();
        let ast = syntax::parse(id, &text, &mut diagnostics);
        if diagnostics.errors() > 0 {
            show(
                &Found { sources, diagnostics: diagnostics.list, checked: None },
                Format::Text,
                output,
            );
            exit = Exit::Input;
            continue;
        }
        let formatted = syntax::format(&ast, &text);
        if stdin && !args.check {
            output.print(&formatted);
        } else if formatted != text {
            if args.check {
                output.line(&format!("{name} would change"));
                if exit == Exit::Good {
                    exit = Exit::Failed;
                }
            } else {
                std::fs::write(file, formatted)
                    .map_err(|error| Problem::machine(format!("`{name}`: {error}")))?;
                output.note(&format!("{name} changed"));
            }
        }
    }
    Ok(exit)
}
