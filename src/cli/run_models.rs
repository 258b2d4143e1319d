//! `ifs run -m MODEL -m MODEL`: a run for each model, one after the other, and their comparison.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::compare;
use super::exit::{Exit, Problem};
use super::output::Output;
use super::run::{Args, begin};
use ifs::hidden::signing::SigningKey;
use ifs::run::folder_name;

pub(super) fn run(
    mut args: Args,
    file: &Path,
    key: Option<&SigningKey>,
    output: &mut Output,
) -> Result<Exit, Problem> {
    let models = std::mem::take(&mut args.models);
    check(&args, &models)?;
    let above = args.out.take();
    args.is_one_of_several = true;
    let (mut folders, mut exit) = (Vec::<PathBuf>::new(), Exit::Good);
    for (at, model) in models.iter().enumerate() {
        args.models = vec![model.clone()];
        args.out = above.as_ref().map(|above| above.join(folder_name(model)));
        output.note(&format!("model {} of {}: {model}", at + 1, models.len()));
        let begun = begin(&args, file, (key, None), output);
        let rest = &models[at + 1..];
        let (ended, folder) = begun.inspect_err(|_| not_begun(rest, output))?;
        folders.extend(folder);
        match ended {
            Exit::Good => {}
            Exit::Interrupted => {
                not_begun(rest, output);
                return Ok(ended);
            }
            _ => exit = ended,
        }
    }
    if folders.len() > 1 {
        compare::of_runs(folders, args.format, output)?;
    }
    Ok(exit)
}

/// What can be known before the first request: every model exists, and each has a folder of its own.
fn check(args: &Args, models: &[String]) -> Result<(), Problem> {
    let parameters = args.parameters.parameters()?;
    let mut folders: BTreeMap<String, &str> = BTreeMap::new();
    for model in models {
        args.requests.model(model, &parameters)?;
        let Some(other) = folders.insert(folder_name(model), model) else { continue };
        let problem = match other == model {
            true => Problem::usage(format!("the model `{model}` is named twice")),
            false => Problem::usage(format!("`{other}` and `{model}` have one folder")),
        };
        return Err(problem.help("name each model once; other seeds are runs of their own"));
    }
    Ok(())
}

/// Names the models that have no run because the command ended before.
fn not_begun(models: &[String], output: &mut Output) {
    if models.is_empty() {
        return;
    }
    let options: Vec<String> = models.iter().map(|model| format!("-m {model}")).collect();
    output.note(&format!("not begun; run the same command with {}", options.join(" ")));
}
