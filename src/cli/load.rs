//! From a path on the command line to a checked program.

use std::path::{Path, PathBuf};

use super::Format;
use super::exit::{Exit, Problem};
use super::output::Output;
use crate::diagnostic::{Diagnostic, Severity, render, to_json};
use crate::model::table::Test;
use crate::model::{Checked, Model, check};
use crate::plan::{Plan, analysis, build};
use crate::script::{DrawError, Drawer};
use crate::source::Sources;
use crate::world::FolderWorld;

/// A program without errors.
pub(crate) struct Program {
    pub sources: Sources,
    pub plan: Plan,
    /// The examples of its constraints.
    pub tests: Vec<Test>,
}

impl Program {
    /// The constraints with their examples, as a model.
    pub fn tested(&self) -> Model {
        let (groups, tests) = (self.plan.groups.clone(), self.tests.clone());
        Model { groups, tests, ..Model::default() }
    }

    /// What draws a dialogue's scripts. A dialogue that this version cannot draw
    /// is shown where it stands.
    pub fn drawer(&self, dialogue: &str, output: &mut Output) -> Result<Drawer<'_>, Problem> {
        Drawer::new(&self.plan, dialogue).map_err(|error| match error {
            DrawError::NotYetRunnable(diagnostic) => {
                let text =
                    render(&[*diagnostic], &self.sources, output.color_err(), Output::width());
                output.note(text.trim_end_matches('\n'));
                Problem::told()
            }
            other => Problem::from(other),
        })
    }
}

/// A program as it was found: diagnostics in the order of places.
pub(crate) struct Found {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
    pub checked: Option<(Plan, Vec<Test>)>,
}

impl Found {
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Checks the program in a file, with the analyses of its plan.
pub(crate) fn find(path: &Path) -> Result<Found, Problem> {
    let path = scenario(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(Problem::input(format!("`{}` is no file of a scenario", path.display())));
    };
    let world = FolderWorld::new(folder)
        .map_err(|error| Problem::input(format!("`{}`: {error}", folder.display())))?;
    let Checked { sources, mut diagnostics, model } = check(&world, name);
    let checked = model.map(|mut model| {
        let tests = std::mem::take(&mut model.tests);
        let plan = build(model);
        diagnostics.extend(analysis::check(&plan));
        (plan, tests)
    });
    diagnostics.sort();
    let failed = diagnostics.errors() > 0;
    Ok(Found { sources, diagnostics: diagnostics.list, checked: checked.filter(|_| !failed) })
}

/// A folder stands for the scenario in it that has its name, or the only one.
fn scenario(path: &Path) -> Result<PathBuf, Problem> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(|error| Problem::input(format!("`{}`: {error}", path.display())))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "ifs"))
        .collect();
    files.sort();
    let named = std::fs::canonicalize(path).ok().and_then(|whole| {
        let name = whole.file_name()?.to_owned();
        files.iter().find(|file| file.file_stem() == Some(&name)).cloned()
    });
    match (named, files.as_slice()) {
        (Some(file), _) => Ok(file),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(Problem::input(format!(
            "`{}` is a folder of {} scenarios",
            path.display(),
            files.len()
        ))
        .help("name the .ifs file")),
    }
}

/// Prints what was found; gives the program when there is no error.
/// It stays until the process ends: giving back every record of its banks one by
/// one would only take time.
pub(crate) fn load(path: &Path, output: &mut Output) -> Result<&'static Program, Problem> {
    let found = find(path)?;
    show(&found, Format::Text, output);
    let warnings = found.warnings();
    match found.checked {
        Some((plan, tests)) => {
            Ok(Box::leak(Box::new(Program { sources: found.sources, plan, tests })))
        }
        None => {
            output.note(&summary(found.diagnostics.len() - warnings, warnings));
            Err(Problem { exit: Exit::Input, ..Problem::told() })
        }
    }
}

/// Mistakes go to standard error as text, to standard output as JSON.
pub(crate) fn show(found: &Found, format: Format, output: &mut Output) {
    match format {
        Format::Json => {
            let json = to_json(&found.diagnostics, &found.sources);
            output.line(&serde_json::to_string_pretty(&json).unwrap_or_default());
        }
        Format::Text if found.diagnostics.is_empty() => {}
        Format::Text => {
            let text =
                render(&found.diagnostics, &found.sources, output.color_err(), Output::width());
            output.note(text.trim_end_matches('\n'));
        }
    }
}

pub(crate) fn summary(errors: usize, warnings: usize) -> String {
    format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
}

/// `1 error`, `2 errors`
pub(crate) fn counted(count: usize, word: &str) -> String {
    match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}
