//! A scenario from a path, checked completely: the model, the analyses of its plan, its scenes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::model::table::Test;
use crate::model::{CheckOutcome, check};
use crate::plan::{Plan, analysis, build};
use crate::preview;
use crate::script::{try_dialogues, try_scenes};
use crate::source::Sources;
use crate::world::{FolderWorld, World};

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
}

impl CheckedScenario {
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    /// Also draws the first dialogues, and reports what only drawing can find.
    pub fn draw_first(&mut self) {
        let Some((plan, _)) = &self.checked else { return };
        let mut found = try_dialogues(plan);
        if found.list.is_empty() {
            found.extend(preview::check(plan));
        }
        let failed = found.errors() > 0;
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
    let CheckOutcome { sources, mut diagnostics, model } = check(world, name);
    let sources = Arc::new(sources);
    let checked = model.map(|mut model| {
        let tests = std::mem::take(&mut model.tests);
        let mut plan = build(model);
        plan.sources = Arc::clone(&sources);
        diagnostics.extend(analysis::check(&plan));
        diagnostics.extend(try_scenes(&plan.model.scenes).list);
        (plan, tests)
    });
    diagnostics.sort();
    let failed = diagnostics.errors() > 0;
    CheckedScenario { sources, diagnostics: diagnostics.list, checked: checked.filter(|_| !failed) }
}

/// Resolves a folder to the scenario in it that has its name, or to the only one.
fn scenario(path: &Path) -> Result<PathBuf, NoScenario> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(|error| unreadable(path, &error))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "ifs"))
        .collect();
    files.sort();
    let named = std::fs::canonicalize(path).ok().and_then(|whole| {
        let name = whole.file_name()?.to_owned();
        files.iter().find(|file| file.file_stem() == Some(&name)).cloned()
    });
    let folder = path.display().to_string();
    match (named, files.as_slice()) {
        (Some(file), _) => Ok(file),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(NoScenario::NoneIn(folder)),
        (None, _) => Err(NoScenario::SeveralIn { folder, count: files.len() }),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> NoScenario {
    NoScenario::Unreadable { path: path.display().to_string(), why: error.to_string() }
}
