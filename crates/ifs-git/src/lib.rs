//! Reads commits of git repositories.
//!
//! A repository may be a stranger's. Nothing in it is executed: git itself takes programs from the
//! configuration of a repository (`core.fsmonitor`, filters, hooks, the command of a remote), so
//! starting git in a cloned folder can run what the folder says. This crate starts no process, reads no
//! configuration, opens no connection and writes nothing.
//!
//! An object counts only if its content has the hash that it is asked by. So a commit, the folders in
//! it and the hash of a file prove that the file is that of the commit, whoever wrote the repository;
//! its owner (`safe.directory`) does not matter. What is damaged, endless, cyclic, too large or no
//! regular file is an [`Error`].
//!
//! References may be loose files, packed, or in reftables. Revisions are names, ids and what leads from
//! one commit to another: see [`Repository::commit`].

mod disk;
mod id;
mod object;
mod pack;
mod refs;
mod reftable;
mod revision;
mod store;
mod tree;

use std::path::{Component, Path, PathBuf, Prefix};

use disk::Disk;
pub use id::Id;
use store::Store;
use tree::Trees;
pub use tree::{CommittedKind, CommittedPath};

/// Why something of a repository is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("`{path}`: {why}")]
    File { path: String, why: String },
    #[error("{0} is damaged")]
    Damaged(String),
    #[error("the object {0} is not in this clone")]
    NoObject(Id),
    #[error("git has no revision `{0}`")]
    NoRevision(String),
    #[error("`{revision}`: {why}")]
    Unsupported { revision: String, why: &'static str },
    #[error("{what} has {bytes} bytes; at most {most} are read")]
    TooLarge { what: String, bytes: u64, most: u64 },
    #[error("reading the repository takes more than {} MiB", disk::WORK_BYTES >> 20)]
    TooMuchWork,
}

/// A repository with a work tree.
pub struct Repository {
    /// The folder with the `.git`: the top of the work tree.
    top: PathBuf,
    /// What belongs to this work tree: `HEAD` and its log.
    private: PathBuf,
    /// What all work trees share: objects and references.
    common: PathBuf,
    disk: Disk,
    store: Store,
    trees: Trees,
}

/// The largest `.git` file or list of alternates.
const MAX_POINTER_BYTES: u64 = 64 << 10;

impl Repository {
    /// The repository of a folder: the first folder from there upwards that has a `.git`. A folder that
    /// looks like the inside of a repository is not one: it may be part of what was cloned.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist, or if there is a `.git` that is not a repository.
    pub fn discover(folder: &Path) -> Result<Option<Repository>, Error> {
        let disk = Disk::default();
        let start =
            std::fs::canonicalize(folder).map_err(|error| disk::unreadable(folder, &error))?;
        for top in start.ancestors() {
            if let Some(private) = git_folder(&disk, top)? {
                let common = match disk.read(&private.join("commondir"), MAX_POINTER_BYTES)? {
                    Some(pointer) => follow(&private, &pointer)?,
                    None => private.clone(),
                };
                let store = Store::open(&disk, &common.join("objects"))?;
                let (top, trees) = (top.to_owned(), Trees::default());
                return Ok(Some(Repository { top, private, common, disk, store, trees }));
            }
        }
        Ok(None)
    }

    /// The top of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The commit that is checked out; `None` before the first commit.
    ///
    /// # Errors
    /// Returns an error if this cannot be read.
    pub fn head(&self) -> Result<Option<Id>, Error> {
        self.reference("HEAD")
    }
}

/// What `.git` in a folder is or leads to.
fn git_folder(disk: &Disk, top: &Path) -> Result<Option<PathBuf>, Error> {
    let path = top.join(".git");
    let facts = match std::fs::metadata(&path) {
        Ok(facts) => facts,
        Err(error) if disk::is_missing(&error) => return Ok(None),
        Err(error) => return Err(disk::unreadable(&path, &error)),
    };
    let is_repository = |folder: &Path| {
        let has = |name: &str| folder.join(name).exists();
        has("HEAD") && (has("commondir") || has("objects"))
    };
    if facts.is_dir() {
        // An empty folder is what some tools leave of a repository; git goes on to the next one, too.
        return Ok(is_repository(&path).then_some(path));
    }
    let pointer = disk.read(&path, MAX_POINTER_BYTES)?.unwrap_or_default();
    let Some(pointer) = pointer.strip_prefix(b"gitdir: ") else {
        let why = "it does not begin with `gitdir: `".to_owned();
        return Err(Error::File { path: path.display().to_string(), why });
    };
    let folder = follow(top, pointer)?;
    match is_repository(&folder) {
        true => Ok(Some(folder)),
        false => {
            let why = format!("`{}` is not a repository", folder.display());
            Err(Error::File { path: path.display().to_string(), why })
        }
    }
}

/// The path that a file of the repository names, relative to a folder.
fn follow(base: &Path, pointer: &[u8]) -> Result<PathBuf, Error> {
    let refused = |why: &str| Error::File {
        path: base.join(".git").display().to_string(),
        why: format!("it names the path {:?}, {why}", String::from_utf8_lossy(pointer).trim_end()),
    };
    let text = std::str::from_utf8(pointer).map_err(|_| refused("which is not UTF-8"))?;
    let path = Path::new(text.trim_end_matches(['\n', '\r']));
    // Opening `\\server\share` sends the user's credentials to that server.
    match path.components().next() {
        None => Err(refused("which is empty")),
        Some(Component::Prefix(prefix))
            if !matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)) =>
        {
            Err(refused("which is on another machine or a device"))
        }
        Some(_) => Ok(base.join(path)),
    }
}
