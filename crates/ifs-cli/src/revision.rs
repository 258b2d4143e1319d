//! Scenarios in git revisions: `HEAD~2:scenarios/desk/desk.ifs`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use ifs_git::{CommittedKind, Id, Repository};

use super::exit::CommandError;
use super::output::Output;
use ifs_base::world::{FolderWorld, ReadError, World};
use ifs_draw::program::{CheckedScenario, find_in, scenario_of};
use ifs_plan::lock::{Inputs, Lock};

/// A scenario at a path, or at a path in a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScenarioAt {
    Path(PathBuf),
    Revision { revision: String, path: PathBuf },
}

impl ScenarioAt {
    /// An argument that is not a file is a revision and a path, if it has a colon.
    pub fn parse(text: &str) -> ScenarioAt {
        // `main@{…}` may have one inside.
        let end = |(place, _): &(usize, _)| {
            let before = &text[..*place];
            before.matches('{').count() <= before.matches('}').count()
        };
        let colon = text.match_indices(':').find(end).map(|(place, _)| place);
        match colon.map(|place| (&text[..place], &text[place + 1..])) {
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
                let found = find_in(&world, &name);
                // A scenario whose files are not in the clone is not one with mistakes.
                match world.fault.into_inner() {
                    Some(fault) => Err(fault.into()),
                    None => Ok(found),
                }
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

impl From<ifs_git::Error> for CommandError {
    fn from(error: ifs_git::Error) -> CommandError {
        let problem = CommandError::input(error.to_string());
        match error {
            ifs_git::Error::Unsupported { revision, .. } => {
                problem.help(format!("write the id that `git rev-parse '{revision}'` prints"))
            }
            ifs_git::Error::NoObject(_) => {
                problem.help("the clone is partial, shallow or damaged: fetch the commit with git")
            }
            _ => problem,
        }
    }
}

/// The commit that is checked out at a scenario, and whether an input of the scenario differs from it.
/// `None` outside of a repository, and with a note if the repository cannot be read.
pub(crate) fn checked_out(
    path: &Path,
    inputs: &Inputs,
    output: &mut Output,
) -> Option<(String, bool)> {
    compare(path, inputs).unwrap_or_else(|problem| {
        let path = path.display();
        output.note(&format!("the git revision of `{path}` is unknown: {}", problem.message));
        None
    })
}

fn compare(path: &Path, inputs: &Inputs) -> Result<Option<(String, bool)>, CommandError> {
    let (world, _) = ifs_draw::program::open(path)?;
    let Some(repository) = Repository::discover(world.root())? else { return Ok(None) };
    let Some(commit) = repository.head()? else { return Ok(None) };
    let folder = within(&repository, world.root())?;
    let mut differs = false;
    for (name, hash) in &inputs.files {
        let committed = repository.locate(&commit, &format!("{folder}/{name}"))?;
        let committed = committed.filter(|located| located.kind == CommittedKind::File);
        differs |= match (committed, hash) {
            (None, None) => false,
            (None, Some(_)) | (Some(_), None) => true,
            (Some(file), Some(hash)) => {
                let bytes = world.read(name).unwrap_or_default();
                // What was read, even if the file was written since then.
                blake3::hash(&bytes).to_hex().as_str() != hash || !file.id.is_of_file(&bytes)
            }
        };
    }
    // What was not read because it is gone.
    for (inner, names) in &inputs.folders {
        let committed = repository.files(&commit, &format!("{folder}/{inner}"))?;
        differs |= committed.unwrap_or_default().iter().any(|name| !names.contains(name));
    }
    Ok(Some((commit.to_string(), differs)))
}

/// The path of a folder in the repository.
fn within(repository: &Repository, folder: &Path) -> Result<String, CommandError> {
    let steps = folder.strip_prefix(repository.top()).unwrap_or(folder).iter();
    let steps: Option<Vec<&str>> = steps.map(|step| step.to_str()).collect();
    let steps = steps.ok_or_else(|| {
        CommandError::input(format!("the path `{}` is not UTF-8", folder.display()))
    })?;
    Ok(steps.join("/"))
}

/// The folder of a scenario in a revision.
struct GitWorld {
    repository: Repository,
    commit: Id,
    /// The revision as given, for messages.
    revision: String,
    /// The folder in the repository, with a slash at its end unless it is the top.
    prefix: String,
    /// The revision is one of ifs itself, and has its library.
    has_library: bool,
    /// The first file or folder of the commit that could not be read.
    fault: RefCell<Option<ifs_git::Error>>,
}

/// Where ifs has its library, and what embeds it, now and in revisions before it had crates.
const LIBRARY: &str = "scenarios/std";
const LIBRARY_SOURCES: [&str; 2] = ["crates/ifs-model/src/library.rs", "src/model/library.rs"];

impl GitWorld {
    /// The folder of a scenario's file, and the name of the file in it.
    fn open(revision: &str, path: &Path) -> Result<(GitWorld, String), CommandError> {
        // If the folder no longer exists, a parent of it does.
        let folder = path.ancestors().skip(1).find(|folder| folder.is_dir());
        let folder = folder.unwrap_or(Path::new(""));
        let root =
            std::fs::canonicalize(if folder == Path::new("") { Path::new(".") } else { folder })?;
        let repository = Repository::discover(&root)?.ok_or_else(|| {
            CommandError::input(format!("`{}` is not in a git repository", root.display()))
                .help("both sides of `ifs diff` can be files or folders")
        })?;
        #[expect(clippy::disallowed_methods, reason = "`main@{yesterday}` is a time ago")]
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let commit = repository.commit(revision, now.map_or(0, |now| now.as_secs()))?;
        let rest = path.strip_prefix(folder).unwrap_or(path);
        let inside = within(&repository, &root)?;
        let inside = format!("{inside}/{}", rest.to_string_lossy().replace('\\', "/"));
        let missing = || {
            CommandError::input(format!(
                "there is no `{}` in the revision `{revision}`",
                path.display()
            ))
        };
        let located = repository.locate(&commit, &inside)?.ok_or_else(missing)?;
        let (folder, name) = match located.kind {
            CommittedKind::File => match inside.trim_end_matches('/').rsplit_once('/') {
                Some((folder, name)) => (folder.to_owned(), name.to_owned()),
                None => (String::new(), inside),
            },
            CommittedKind::Folder => {
                let files = repository.files(&commit, &located.path)?.unwrap_or_default();
                let scenarios: Vec<String> =
                    files.into_iter().filter(|name| name.ends_with(".ifs")).collect();
                let own = located.path.rsplit('/').next();
                let read = |name: &str| {
                    let file = repository.locate(&commit, &format!("{}/{name}", located.path));
                    let text = repository.read(&file.ok()??.id).ok()?;
                    String::from_utf8(text).ok()
                };
                let name = match scenario_of(&scenarios, own, read) {
                    Some(name) => name,
                    None if scenarios.is_empty() => return Err(missing()),
                    None => {
                        return Err(missing().help(format!(
                            "the folder has {} scenarios: name the .ifs file",
                            scenarios.len()
                        )));
                    }
                };
                (located.path, name)
            }
        };
        let folder = repository.locate(&commit, &folder)?.ok_or_else(missing)?.path;
        let prefix = if folder.is_empty() { folder } else { format!("{folder}/") };
        let mut has_library = false;
        for source in LIBRARY_SOURCES {
            has_library |= repository.locate(&commit, source)?.is_some();
        }
        has_library &= repository.locate(&commit, LIBRARY)?.is_some();
        let revision = revision.to_owned();
        let fault = RefCell::default();
        Ok((GitWorld { repository, commit, revision, prefix, has_library, fault }, name))
    }

    fn unread(&self, error: ifs_git::Error) -> ReadError {
        if let ifs_git::Error::TooLarge { bytes, most, .. } = error {
            return ReadError::TooLarge(bytes >> 20, most >> 20);
        }
        let reason = ReadError::Other(error.to_string());
        self.fault.borrow_mut().get_or_insert(error);
        reason
    }
}

impl World for GitWorld {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        let path = format!("{}{name}", self.prefix);
        let located =
            self.repository.locate(&self.commit, &path).map_err(|error| self.unread(error))?;
        let located = located.ok_or(ReadError::Missing)?;
        match located.kind {
            // As in a folder of the file system: a link leads nowhere else.
            _ if !located.path.starts_with(&self.prefix) => Err(ReadError::Outside),
            CommittedKind::Folder => Err(ReadError::Directory),
            CommittedKind::File => {
                self.repository.read(&located.id).map_err(|error| self.unread(error))
            }
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let path = format!("{}{folder}", self.prefix);
        self.repository
            .files(&self.commit, &path)
            .map_err(|error| self.unread(error))?
            .ok_or(ReadError::Missing)
    }

    fn display(&self, name: &str) -> String {
        format!("{}:{}{name}", self.revision, self.prefix)
    }

    fn library(&self, module: &str) -> Option<String> {
        if !self.has_library {
            return None;
        }
        let path = format!("{LIBRARY}/{module}.ifs");
        let located = self.repository.locate(&self.commit, &path);
        let located = located.map_err(|error| self.unread(error)).ok()??;
        let text = self.repository.read(&located.id).map_err(|error| self.unread(error));
        String::from_utf8(text.ok()?).ok()
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

/// The scenario at a path, with other contents of one of its files.
pub(crate) fn replaced(
    path: &Path,
    file: &str,
    by: &Path,
) -> Result<CheckedScenario, CommandError> {
    let unread = |path: &Path, error: &dyn std::fmt::Display| {
        CommandError::input(format!("`{}`: {error}", path.display()))
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()).map(str::to_owned) else {
        return Err(CommandError::input(format!(
            "`{}` is not a file of a scenario",
            path.display()
        )));
    };
    let bytes = ifs_base::world::read_regular(by, ifs_base::world::MAX_FILE_BYTES)
        .map_err(|error| unread(by, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let folder = FolderWorld::new(folder).map_err(|error| unread(folder, &error))?;
    Ok(find_in(&Replaced { folder, name: file.to_owned(), bytes }, &name))
}
