//! Scenarios in git revisions: `HEAD~2:scenarios/desk/desk.ifs`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::exit::CommandError;
use ifs::lock::Lock;
use ifs::program::{CheckedScenario, find_in};
use ifs::world::{FolderWorld, ReadError, World};

/// A scenario at a path, or at a path in a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScenarioAt {
    Path(PathBuf),
    Revision { revision: String, path: PathBuf },
}

impl ScenarioAt {
    /// An argument that is not a file is a revision and a path, if it has a colon.
    pub fn parse(text: &str) -> ScenarioAt {
        match text.split_once(':') {
            // A single letter is a drive.
            Some((revision, path)) if revision.len() > 1 && !Path::new(text).exists() => {
                ScenarioAt::Revision { revision: revision.to_owned(), path: PathBuf::from(path) }
            }
            _ => ScenarioAt::Path(PathBuf::from(text)),
        }
    }

    pub fn exists(&self) -> bool {
        match self {
            ScenarioAt::Path(path) => path.exists(),
            ScenarioAt::Revision { .. } => true,
        }
    }

    pub fn show(&self) -> String {
        match self {
            ScenarioAt::Path(path) => path.display().to_string(),
            ScenarioAt::Revision { revision, path } => format!("{revision}:{}", path.display()),
        }
    }

    /// Checks the scenario.
    pub fn find(&self) -> Result<CheckedScenario, CommandError> {
        match self {
            ScenarioAt::Path(path) => super::load::find(path),
            ScenarioAt::Revision { revision, path } => {
                let (world, name) = GitWorld::open(revision, path)?;
                Ok(find_in(&world, &name))
            }
        }
    }
}

/// The library that a side of a comparison was read with.
pub(crate) enum Library {
    /// That of the revision itself, or the side is not a revision.
    Own,
    /// The library of this ifs: the former one is unknown, unless a lock of that time identifies it.
    Present(Option<Box<Lock>>),
}

impl ScenarioAt {
    pub fn library(&self) -> Result<Library, CommandError> {
        let ScenarioAt::Revision { revision, path } = self else { return Ok(Library::Own) };
        let (world, name) = GitWorld::open(revision, path)?;
        if world.has_library {
            return Ok(Library::Own);
        }
        let lock = Path::new(&name).with_extension("lock");
        let text = world.read(&lock.to_string_lossy()).ok();
        // A lock of another format says nothing.
        let lock = text.and_then(|text| serde_json::from_slice(&text).ok());
        Ok(Library::Present(lock))
    }
}

/// The output of git for some arguments.
fn git(folder: &Path, args: &[&str]) -> Result<Vec<u8>, CommandError> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            CommandError::infrastructure(format!("git cannot be started: {error}"))
                .help("revisions are read by the command `git`")
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().next().unwrap_or("no reason is given");
    Err(CommandError::input(format!("git {}: {first}", args.first().unwrap_or(&""))))
}

fn line(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// The commit that is checked out at a path, and whether files there differ from it. `None` outside
/// of a repository.
pub(crate) fn checked_out(path: &Path) -> Option<(String, bool)> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let commit = line(git(folder, &["rev-parse", "HEAD"]).ok()?);
    let changed = git(folder, &["status", "--porcelain", "--", "."]).ok()?;
    Some((commit, !changed.is_empty()))
}

/// The folder of a scenario in a revision.
struct GitWorld {
    /// The working directory of git.
    folder: PathBuf,
    commit: String,
    /// The revision as given, for messages.
    revision: String,
    /// The folder in the repository, with a slash at its end unless it is the top.
    prefix: String,
    files: BTreeSet<String>,
    /// The revision is one of ifs itself, and has its library.
    has_library: bool,
}

/// Where ifs has its library, and what embeds it.
const LIBRARY: &str = "scenarios/std";
const LIBRARY_SOURCE: &str = "src/model/library.rs";

impl GitWorld {
    /// The folder of a scenario's file, and the name of the file in it.
    fn open(revision: &str, path: &Path) -> Result<(GitWorld, String), CommandError> {
        // If the folder no longer exists, a parent of it does.
        let folder = path
            .ancestors()
            .skip(1)
            .find(|folder| folder.is_dir() || folder.as_os_str().is_empty())
            .unwrap_or(Path::new(""))
            .to_owned();
        let wanted = format!("{revision}^{{commit}}");
        let commit = line(
            git(&folder, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted])
                .map_err(|problem| {
                    match problem.message.starts_with("git rev-parse: no reason") {
                        true => CommandError::input(format!("git has no revision `{revision}`")),
                        false => problem,
                    }
                })?,
        );
        let top = line(git(&folder, &["rev-parse", "--show-prefix"])?);
        let rest = path.strip_prefix(&folder).unwrap_or(path);
        let inside = format!("{top}{}", rest.to_string_lossy().replace('\\', "/"));
        let steps: Vec<&str> =
            inside.split('/').filter(|step| !step.is_empty() && *step != ".").collect();
        let inside = steps.join("/");
        let missing = || {
            CommandError::input(format!(
                "there is no `{}` in the revision `{revision}`",
                path.display()
            ))
        };
        let list = git(&folder, &["ls-tree", "-r", "-z", "--full-tree", "--name-only", &commit])?;
        let list = String::from_utf8_lossy(&list);
        let all: BTreeSet<&str> = list.split('\0').filter(|name| !name.is_empty()).collect();
        let (prefix, name) = if all.contains(inside.as_str()) {
            match inside.rsplit_once('/') {
                Some((folder, name)) => (format!("{folder}/"), name.to_owned()),
                None => (String::new(), inside.clone()),
            }
        } else {
            let prefix = if inside.is_empty() { String::new() } else { format!("{inside}/") };
            let scenarios: Vec<&str> = all
                .iter()
                .filter_map(|name| name.strip_prefix(&prefix))
                .filter(|name| !name.contains('/') && name.ends_with(".ifs"))
                .collect();
            let own = inside.rsplit('/').next().unwrap_or_default();
            let named = scenarios.iter().find(|name| name.strip_suffix(".ifs") == Some(own));
            let name = match (named, scenarios.as_slice()) {
                (Some(name), _) => *name,
                (None, [only]) => *only,
                (None, []) => return Err(missing()),
                (None, _) => {
                    return Err(missing().help(format!(
                        "the folder has {} scenarios: name the .ifs file",
                        scenarios.len()
                    )));
                }
            };
            (prefix, name.to_owned())
        };
        let files = all.iter().filter_map(|name| name.strip_prefix(&prefix));
        let files = files.map(str::to_owned).collect();
        let revision = revision.to_owned();
        let std = format!("{LIBRARY}/");
        let has_library =
            all.contains(LIBRARY_SOURCE) && all.iter().any(|name| name.starts_with(&std));
        Ok((GitWorld { folder, commit, revision, prefix, files, has_library }, name))
    }
}

impl World for GitWorld {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        if !self.files.contains(name) {
            return Err(ReadError::Missing);
        }
        let object = format!("{}:{}{name}", self.commit, self.prefix);
        git(&self.folder, &["cat-file", "blob", &object])
            .map_err(|problem| ReadError::Other(problem.message))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let inside = self.files.iter().filter_map(|name| name.strip_prefix(&prefix));
        let names: Vec<String> =
            inside.filter(|name| !name.contains('/')).map(str::to_owned).collect();
        if names.is_empty() { Err(ReadError::Missing) } else { Ok(names) }
    }

    fn display(&self, name: &str) -> String {
        format!("{}:{}{name}", self.revision, self.prefix)
    }

    fn library(&self, module: &str) -> Option<String> {
        if !self.has_library {
            return None;
        }
        let object = format!("{}:{LIBRARY}/{module}.ifs", self.commit);
        let text = git(&self.folder, &["cat-file", "blob", &object]).ok()?;
        String::from_utf8(text).ok()
    }
}

/// A folder in which one file has other contents, which git passes to a diff program.
struct Replaced {
    folder: FolderWorld,
    name: String,
    bytes: Vec<u8>,
}

impl World for Replaced {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        if name == self.name { Ok(self.bytes.clone()) } else { self.folder.read(name) }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        self.folder.list(folder)
    }
}

/// The scenario at a path, with the contents of another file; imports and banks are relative to the
/// path.
pub(crate) fn replaced(path: &Path, by: &Path) -> Result<CheckedScenario, CommandError> {
    let unread = |path: &Path, error: &dyn std::fmt::Display| {
        CommandError::input(format!("`{}`: {error}", path.display()))
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
        return Err(CommandError::input(format!(
            "`{}` is not a file of a scenario",
            path.display()
        )));
    };
    let bytes = ifs::world::read_text(by, ifs::world::MAX_FILE_BYTES)
        .map_err(|error| unread(by, &error))?
        .into_bytes();
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = FolderWorld::new(folder).map_err(|error| unread(folder, &error))?;
    Ok(find_in(&Replaced { folder, name: name.clone(), bytes }, &name))
}
