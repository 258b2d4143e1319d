//! Changes of one file of a scenario, as git's diff programs are given them: a module, a bank, a
//! template or a feed is compared through each scenario that reads it, other files line by line.

use std::path::{Path, PathBuf};

use super::diff::{Args, compare};
use super::exit::{CommandError, Exit};
use super::line_diff;
use super::output::Output;
use super::revision::{self, Library, ScenarioAt};
use ifs_base::diagnostic::visible_text;
use ifs_base::world::{FolderWorld, MAX_FILE_BYTES};
use ifs_draw::program::find_in;

/// The number of folders above a file that are searched for scenarios that read it.
const MAX_LEVELS: usize = 4;

/// A scenario, and the name of a file that it reads.
struct Importer {
    scenario: PathBuf,
    file: String,
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ifs")
}

/// The scenarios with dialogues that read a file, in its folder and those above.
fn importers(path: &Path) -> Vec<Importer> {
    let mut found = Vec::new();
    let Some(mut file) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
        return found;
    };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut folder = path.parent().map(Path::to_owned).unwrap_or_default();
    let mut steps = absolute.parent().into_iter().flat_map(Path::components).rev();
    for _ in 0..MAX_LEVELS {
        for scenario in scenarios_in(&folder) {
            if is_read(&folder, &scenario, &file) {
                found.push(Importer { scenario: folder.join(&scenario), file: file.clone() });
            }
        }
        // A scenario reads nothing outside of its repository's folder.
        let at = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let Some(std::path::Component::Normal(step)) = steps.next() else { break };
        if !found.is_empty() || at.join(".git").exists() {
            break;
        }
        file = format!("{}/{file}", step.to_string_lossy());
        folder = match folder.file_name() {
            Some(_) => folder.parent().map(Path::to_owned).unwrap_or_default(),
            None => at.join(".."),
        };
    }
    found
}

/// The names of the scenario files in a folder, sorted.
fn scenarios_in(folder: &Path) -> Vec<String> {
    let at = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(at).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .filter(|entry| is_scenario(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// Whether a scenario with dialogues reads a file as it is now. One that does not compile counts if
/// it tried to.
fn is_read(folder: &Path, scenario: &str, file: &str) -> bool {
    let Ok(world) = FolderWorld::new(folder) else { return false };
    let found = find_in(&world, scenario);
    let has_dialogues =
        found.checked.as_ref().is_none_or(|(plan, _)| !plan.model.dialogues.is_empty());
    has_dialogues && found.inputs.files.contains_key(file)
}

/// Acts as git's diff program for any file.
pub(super) fn external(
    path: &Path,
    (old, new): (&str, &str),
    args: &Args,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let shown = visible_text(&path.display().to_string());
    let is_none = |file: &str| matches!(file, "/dev/null" | "nul");
    if is_none(old) || is_none(new) {
        output.line(&format!("{shown}: {}", if is_none(old) { "added" } else { "removed" }));
        return Ok(Exit::Good);
    }
    let importers = importers(path);
    if importers.is_empty() {
        let why = "no scenario here reads it";
        return lines_because(&shown, why, (old, new), output);
    }
    let mut why = None;
    for Importer { scenario, file } in &importers {
        let side = |by: &str| revision::replaced(scenario, file, by.as_ref());
        let (before, after) = (side(old)?, side(new)?);
        if before.checked.is_none() || after.checked.is_none() {
            let side = if after.checked.is_none() { "the newer side" } else { "the older side" };
            why = Some(format!("{side} has mistakes in `{}`", scenario.display()));
            continue;
        }
        let name = match scenario == path {
            true => shown.clone(),
            false => format!("{} with {shown}", scenario.display()),
        };
        let names = [name.clone(), name];
        compare(&names, (&before, &after), &[Library::Own, Library::Own], args, output)?;
    }
    // A definition has no lines: those of a bank or a template are shown, too.
    if why.is_some() || !is_scenario(path) {
        let why = why.unwrap_or_else(|| "its lines".to_owned());
        return lines_because(&shown, &why, (old, new), output);
    }
    // git interprets every other status as a failure.
    Ok(Exit::Good)
}

fn lines_because(
    shown: &str,
    why: &str,
    (old, new): (&str, &str),
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let text =
        |file: &str| std::fs::read(file).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    match (text(old), text(new)) {
        (Some(old), Some(new)) => {
            output.line(&match why {
                "its lines" => format!("{shown}: its lines"),
                why => format!("{shown}: {why}; lines are compared"),
            });
            output.print(&line_diff::diff(&old, &new));
        }
        // As git says it of files that are not text.
        _ => output.line(&format!("{shown}: {why}; the files are not text, and they differ")),
    }
    Ok(Exit::Good)
}

/// Compares two files that are not scenarios line by line.
pub(super) fn lines(
    name: &str,
    (old, new): (&str, &str),
    args: &Args,
    output: &mut Output,
) -> Result<Exit, CommandError> {
    let bytes = |file: &str| {
        ifs_base::world::read_regular(file.as_ref(), MAX_FILE_BYTES)
            .map_err(|error| CommandError::input(format!("`{file}`: {error}")))
    };
    let differ = bytes(old)? != bytes(new)?;
    if differ {
        lines_because(name, "not a scenario", (old, new), output)?;
    }
    Ok(if args.exit_code && differ { Exit::Failed } else { Exit::Good })
}

/// For sides that are modules: the sides of each scenario that imports them. `None` if a side is a
/// scenario itself, or nothing that imports it is known.
pub(super) fn importers_of_sides(
    old: &ScenarioAt,
    new: &ScenarioAt,
) -> Result<Option<Vec<(ScenarioAt, ScenarioAt)>>, CommandError> {
    let (ScenarioAt::Path(path) | ScenarioAt::Revision { path, .. }) = new;
    if !is_scenario(path) || !path.is_file() || has_dialogues(new)? || has_dialogues(old)? {
        return Ok(None);
    }
    let mut found = Vec::new();
    for Importer { scenario, file } in importers(path) {
        // The same scenario on the other side, by the place of the module in it.
        let beside = |side: &ScenarioAt| -> Option<ScenarioAt> {
            let moved = |path: &Path| {
                let folder = match path.strip_prefix(&file).ok() {
                    Some(_) => Path::new(""),
                    None => path.ancestors().find(|folder| folder.join(&file) == path)?,
                };
                Some(folder.join(scenario.file_name()?))
            };
            Some(match side {
                ScenarioAt::Path(path) => ScenarioAt::Path(moved(path)?),
                ScenarioAt::Revision { revision, path } => {
                    ScenarioAt::Revision { revision: revision.clone(), path: moved(path)? }
                }
            })
        };
        if let (Some(before), Some(after)) = (beside(old), beside(new))
            && before.exists()
            && after.exists()
        {
            found.push((before, after));
        }
    }
    Ok((!found.is_empty()).then_some(found))
}

fn has_dialogues(side: &ScenarioAt) -> Result<bool, CommandError> {
    let found = side.find()?;
    Ok(found.checked.is_none_or(|(plan, _)| !plan.model.dialogues.is_empty()))
}
