//! `ifs lock`

use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{CommandError, Exit};
use super::load::{CheckedScenario, counted, find, show, summary};
use super::output::Output;
use super::shell::quoted;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::replace;
use ifs_draw::program;
use ifs_plan::lock::{FORMAT, Lock};

/// Pin the files, banks and parts of a scenario.
///
/// Writes `NAME.lock` next to `NAME.ifs`: the hash of every imported file, the number of records
/// and a digest of every field of every bank, and a digest of every part of the definition.
/// `ifs check --locked` refuses a scenario that drifted from its lock.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ifs lock scenarios/evolif/evolif.ifs
  ifs check scenarios/evolif/evolif.ifs --locked")]
pub(crate) struct Args {
    /// Scenarios, or folders with one
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The largest lock that is read, in bytes.
const MAX_LOCK_BYTES: u64 = 64 << 20;

pub(crate) fn run(args: Args, output: &mut Output) -> Result<Exit, CommandError> {
    for file in &args.files {
        let (found, lock) = locked(file)?;
        show(&found, Format::Text, output);
        let Some(lock) = lock else {
            output.note(&summary(found.errors(), found.warnings()));
            return Err(CommandError::already_printed());
        };
        let path = lock_path(file)?;
        let mut text = serde_json::to_string_pretty(&lock).unwrap_or_default();
        text.push('\n');
        replace::write_named(&path, text.as_bytes()).map_err(|error| {
            CommandError::infrastructure(format!("`{}`: {error}", path.display()))
        })?;
        output.line(&format!(
            "{}: {}, {}, {}; definition {}",
            path.display(),
            counted(lock.files.len(), "file"),
            counted(lock.banks.len(), "bank"),
            counted(lock.parts.len(), "part"),
            ifs_plan::canonical::short(&lock.definition, 12),
        ));
    }
    Ok(Exit::Good)
}

/// The path of a scenario's lock.
fn lock_path(path: &Path) -> Result<PathBuf, CommandError> {
    let (_, name) = program::open(path)?;
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    Ok(folder.join(name).with_extension("lock"))
}

/// A scenario with its computed lock, if it compiles.
pub(crate) fn locked(path: &Path) -> Result<(CheckedScenario, Option<Lock>), CommandError> {
    let (_, name) = program::open(path)?;
    let found = find(path)?;
    // Its definition has its own hash, so a changed comment in it is not a difference.
    let others = found.inputs.files.iter().filter(|(file, _)| **file != name);
    let files = others.filter_map(|(file, hash)| Some((file.clone(), hash.clone()?))).collect();
    let lock = found.checked.as_ref().map(|(plan, _)| Lock::for_plan(plan, files));
    Ok((found, lock))
}

/// The differences of a scenario from its lock; empty if it does not compile, which is reported
/// elsewhere.
pub(crate) fn drift(path: &Path) -> Result<Option<Diagnostic>, CommandError> {
    let place = lock_path(path)?;
    let text = ifs_base::world::read_text(&place, MAX_LOCK_BYTES).map_err(|error| {
        CommandError::input(format!("`{}`: {error}", place.display()))
            .help(format!("`ifs lock {}` writes the lock", quoted(path)))
    })?;
    let wrong = |why: &dyn std::fmt::Display| {
        CommandError::input(format!("`{}` is not a lock: {why}", place.display()))
            .help(format!("`ifs lock {}` writes it again", quoted(path)))
    };
    let format: serde_json::Value = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    if format["lock"] != FORMAT {
        return Err(wrong(&format!("its format is {}; this ifs reads {FORMAT}", format["lock"])));
    }
    let lock: Lock = serde_json::from_value(format).map_err(|error| wrong(&error))?;
    let (found, now) = locked(path)?;
    let (Some(now), Some((plan, _))) = (now, &found.checked) else { return Ok(None) };
    let drift = lock.drift(&now);
    if drift.is_empty() {
        return Ok(None);
    }
    let message = format!("the scenario is not the one that `{}` pins", place.display());
    let help = format!("{}; `ifs lock {}` pins what is there now", drift.join("; "), quoted(path));
    let mut diagnostic = Diagnostic::error(Code::LOCK_DRIFT, message).help(help);
    if plan.sources.get(plan.model.benchmark.span.file).is_some() {
        diagnostic = diagnostic.label(plan.model.benchmark.span, "");
    }
    Ok(Some(diagnostic))
}
