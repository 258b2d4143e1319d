//! A scenario from a path, checked completely: the model, the analyses of its plan, its scenes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::preview;
use crate::{try_dialogues, try_scenes};
use ifs_base::diagnostic::{AllowedWarnings, Code, Diagnostic, Diagnostics, Severity};
use ifs_base::source::{Sources, Span};
use ifs_base::work::{self, TooMuchWork};
use ifs_base::world::{self, FolderWorld, World};
use ifs_model::table::Test;
use ifs_model::{CheckOutcome, check};
use ifs_plan::lock::{Inputs, RecordingWorld};
use ifs_plan::{Plan, analysis, build};
use ifs_predicate::types::Type;

/// Why there is no scenario at a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoScenario {
    #[error("`{path}`: {why}")]
    Unreadable { path: String, why: String },
    #[error("`{0}` is not a file of a scenario")]
    NotAFile(String),
    #[error("there is no scenario in the folder `{0}`")]
    NoneIn(String),
    #[error("`{folder}` is a folder of {count} scenarios")]
    SeveralIn { folder: String, count: usize },
}

impl NoScenario {
    pub fn help(&self) -> Option<&'static str> {
        match self {
            NoScenario::NoneIn(_) => Some("`ifs new NAME` writes one"),
            NoScenario::SeveralIn { .. } => Some("name the .ifs file"),
            NoScenario::Unreadable { .. } | NoScenario::NotAFile(_) => None,
        }
    }
}

/// A checked scenario, with diagnostics in source order.
pub struct CheckedScenario {
    pub sources: Arc<Sources>,
    pub diagnostics: Vec<Diagnostic>,
    /// The plan and the examples of its constraints, if there is no error.
    pub checked: Option<(Plan, Vec<Test>)>,
    pub inputs: Inputs,
    /// The types of names at their places, also of a scenario with errors.
    pub types: BTreeMap<Span, Type>,
    allowed: AllowedWarnings,
}

impl CheckedScenario {
    /// A file that could not be read completely.
    pub fn unread(sources: Sources, diagnostics: Diagnostics) -> CheckedScenario {
        CheckedScenario {
            sources: Arc::new(sources),
            diagnostics: diagnostics.list,
            checked: None,
            inputs: Inputs::default(),
            types: BTreeMap::new(),
            allowed: AllowedWarnings::default(),
        }
    }

    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    /// Also draws the first dialogues, and reports what only drawing can find.
    pub fn draw_first(&mut self) {
        let Some((plan, _)) = &self.checked else { return };
        let (mut found, spent) = work::within(CHECK_STEPS, || {
            let mut found = try_dialogues(plan);
            if found.list.is_empty() {
                found.extend(preview::check(plan));
            }
            found
        });
        if found.errors() == 0 {
            found.extend(spent.too_much.map(too_much_work));
        }
        let failed = found.errors() > 0;
        self.allowed.remove_from(&mut found.list);
        if !failed {
            found.extend(self.allowed.unneeded());
        }
        found.extend(std::mem::take(&mut self.diagnostics));
        found.sort();
        self.diagnostics = found.list;
        if failed {
            self.checked = None;
        }
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }
}

/// Checks the scenario in a file, or in a folder with one.
pub fn find(path: &Path) -> Result<CheckedScenario, NoScenario> {
    let (world, name) = open(path)?;
    Ok(find_in(&world, &name))
}

/// The folder of the scenario at a path, and the name of its file.
pub fn open(path: &Path) -> Result<(FolderWorld, String), NoScenario> {
    let path = scenario(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(NoScenario::NotAFile(path.display().to_string()));
    };
    let world = FolderWorld::new(folder).map_err(|error| unreadable(folder, &error))?;
    Ok((world, name.to_owned()))
}

/// Checks a scenario by the name of its file.
pub fn find_in(world: &dyn World, name: &str) -> CheckedScenario {
    let (mut checked, spent) = work::within(CHECK_STEPS, || checked_in(world, name));
    if let Some(too_much) = spent.too_much {
        checked.diagnostics.push(too_much_work(too_much));
        checked.checked = None;
    }
    checked
}

/// The steps of checking a scenario, and again of drawing its first dialogues: some seconds each.
const CHECK_STEPS: u64 = 20_000_000;

fn too_much_work(too_much: TooMuchWork) -> Diagnostic {
    Diagnostic::error(Code::TOO_LARGE, format!("checking the scenario takes {too_much}"))
        .help(too_much.most.advice())
}

fn checked_in(world: &dyn World, name: &str) -> CheckedScenario {
    let world = RecordingWorld::new(world);
    let CheckOutcome { sources, mut diagnostics, model, mut allowed, types } = check(&world, name);
    let sources = Arc::new(sources);
    let checked = model.map(|mut model| {
        let tests = std::mem::take(&mut model.tests);
        let mut plan = build(model);
        plan.sources = Arc::clone(&sources);
        diagnostics.extend(analysis::check(&plan));
        diagnostics.extend(try_scenes(&plan.model.scenes).list);
        (plan, tests)
    });
    allowed.remove_from(&mut diagnostics.list);
    diagnostics.sort();
    let failed = diagnostics.errors() > 0;
    let (checked, inputs) = (checked.filter(|_| !failed), world.into_inputs());
    CheckedScenario { sources, diagnostics: diagnostics.list, checked, inputs, types, allowed }
}

/// Of several files in a folder, the scenario: the one that has its name, or the only one that no
/// other imports.
pub fn scenario_of(
    files: &[String],
    folder: Option<&str>,
    read: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    if let Some(named) = files.iter().find(|file| file.strip_suffix(".ifs") == folder) {
        return Some(named.clone());
    }
    let texts: Vec<String> = files.iter().map(|file| read(file).unwrap_or_default()).collect();
    let is_imported = |file: &str| {
        let quoted = [format!("\"{file}\""), format!("\"./{file}\"")];
        texts.iter().flat_map(|text| text.lines()).any(|line| {
            line.trim_start().starts_with("import ") && quoted.iter().any(|it| line.contains(it))
        })
    };
    let mut scenarios = files.iter().filter(|file| files.len() == 1 || !is_imported(file));
    match (scenarios.next(), scenarios.next()) {
        (Some(only), None) => Some(only.clone()),
        _ => None,
    }
}

/// Resolves a folder to the scenario in it.
fn scenario(path: &Path) -> Result<PathBuf, NoScenario> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let entries = std::fs::read_dir(path).map_err(|error| unreadable(path, &error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names.filter(|name| name.ends_with(".ifs")).collect();
    files.sort();
    let whole = std::fs::canonicalize(path).ok();
    let own = whole.as_ref().and_then(|whole| whole.file_name()?.to_str());
    let read = |name: &str| world::read_text(&path.join(name), world::MAX_FILE_BYTES).ok();
    let folder = path.display().to_string();
    match scenario_of(&files, own, read) {
        Some(file) => Ok(path.join(file)),
        None if files.is_empty() => Err(NoScenario::NoneIn(folder)),
        None => Err(NoScenario::SeveralIn { folder, count: files.len() }),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> NoScenario {
    NoScenario::Unreadable { path: path.display().to_string(), why: error.to_string() }
}
