//! `ifs run -m MODEL -m MODEL …`: a run for each model, and one table of all.

use std::path::{Path, PathBuf};

use super::{Args, RunMode, Target, start_run};
use crate::exit::{CommandError, Exit};
use crate::output::Output;
use crate::{compare, sign};
use ifs_inference::Spent;
use ifs_run::file_name;

/// The shared state of the runs of several models.
#[derive(Default)]
pub(crate) struct RunSeries {
    pub folders: Vec<PathBuf>,
    /// The cost of the runs so far: the budget covers all of them.
    pub spent: Spent,
}

pub(super) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    let file = args.file.as_deref().ok_or_else(|| CommandError::usage("name a scenario"))?;
    let key = args.sign.as_deref().map(sign::read_key).transpose()?;
    // Before the first request, everything that would stop a later run.
    let parameters = args.parameters.parameters()?;
    let mut outs: Vec<Option<PathBuf>> = Vec::new();
    for (number, model) in args.models.iter().enumerate() {
        if args.models[..number].contains(model) {
            return Err(CommandError::usage(format!("`{model}` is named twice"))
                .help("`--samples N` requests several responses to each turn"));
        }
        args.requests.model(model, &parameters)?;
        outs.push(args.out.as_deref().map(|folder| folder_of(folder, model, &outs)).transpose()?);
    }
    let mut series = RunSeries::default();
    let mut exit = Exit::Good;
    for (number, (model, out)) in args.models.iter().zip(outs).enumerate() {
        output.note(&format!("model {} of {}: {model}", number + 1, args.models.len()));
        let target = Target { file, model, out };
        let how = RunMode { series: Some(&mut series), ..RunMode::default() };
        let ended = start_run(&args, &target, (key.as_ref(), how), output);
        let continues = ended.as_ref().is_ok_and(|exit| *exit != Exit::Interrupted);
        exit = match ended {
            Ok(Exit::Good) => exit,
            Ok(other) => other,
            // Without a run there is nothing to compare.
            Err(problem) if series.folders.is_empty() => return Err(problem),
            Err(problem) => problem.report(output),
        };
        let left = &args.models[number + 1..];
        if !continues && !left.is_empty() {
            output.note(&format!("not run: {}", left.join(", ")));
            break;
        }
    }
    if exit == Exit::Interrupted || series.folders.len() < 2 {
        return Ok(exit);
    }
    compare::compare_runs(series.folders, args.format, output)?;
    Ok(exit)
}

/// The folder of a model's run below that of all runs.
fn folder_of(all: &Path, model: &str, others: &[Option<PathBuf>]) -> Result<PathBuf, CommandError> {
    let folder = all.join(file_name(model));
    if folder.exists() || others.contains(&Some(folder.clone())) {
        return Err(CommandError::usage(format!("`{}` is there already", folder.display()))
            .help("name another folder with `--out`"));
    }
    Ok(folder)
}
