//! `ifs debug`: prints the output of each compiler stage, from text to script.

use std::path::PathBuf;

use clap::ValueEnum;
use ifs_plan::Plan;

use super::exit::{CommandError, Exit};
use super::load;
use super::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    what: Box_,
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Box_ {
    Ast,
    Model,
    Plan,
}

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    if args.what == Box_::Ast {
        let text = ifs_base::world::read_text(&args.file, ifs_base::world::MAX_FILE_BYTES)
            .map_err(|error| CommandError::input(format!("`{}`: {error}", args.file.display())))?;
        let mut diagnostics = ifs_base::diagnostic::Diagnostics::default();
        let ast = ifs_syntax::parse(ifs_base::source::FileId(0), &text, &mut diagnostics);
        output.line(&format!("{ast:#?}"));
        return Ok(Exit::Good);
    }
    let program = load::load(&args.file, output)?;
    match args.what {
        Box_::Model => output.line(&format!("{:#?}", program.tested())),
        _ => {
            let Plan { model, graphs, .. } = &program.plan;
            let both = serde_json::json!({ "model": model, "graphs": graphs });
            output.json_line(&serde_json::to_string_pretty(&both).unwrap_or_default());
        }
    }
    Ok(Exit::Good)
}
