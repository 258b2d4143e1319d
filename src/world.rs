//! What the compiler may ask of the outside: the text of a file, nothing else.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Reads files by their name within a scenario. Names use `/` on every system
/// and are relative to the scenario's root.
pub trait World {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError>;

    /// How a file is called in messages.
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("there is no such file")]
    Missing,
    #[error("it is a directory")]
    Directory,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it leads outside the scenario's folder")]
    Outside,
    #[error("it has {0} MiB; at most {1} are read")]
    TooLarge(u64, u64),
    #[error("{0}")]
    Other(String),
}

/// The largest file that is read, in bytes.
pub const MAX_FILE: u64 = 64 << 20;

/// Files held in memory: for tests, the language server and other hosts.
#[derive(Clone, Debug, Default)]
pub struct MemoryWorld {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl MemoryWorld {
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> MemoryWorld {
        let files =
            files.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
        MemoryWorld { files: files.collect() }
    }
}

impl World for MemoryWorld {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        self.files.get(name).cloned().ok_or(ReadError::Missing)
    }
}

/// A folder of the file system. Nothing outside it is read, not even through a
/// symbolic link.
#[derive(Clone, Debug)]
pub struct FolderWorld {
    root: PathBuf,
    /// The root as the user wrote it, for messages.
    shown: PathBuf,
}

impl FolderWorld {
    pub fn new(root: &Path) -> std::io::Result<FolderWorld> {
        let shown = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.to_owned() };
        Ok(FolderWorld { root: std::fs::canonicalize(&shown)?, shown })
    }
}

impl World for FolderWorld {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        use std::io::Read as _;

        let other = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => ReadError::Missing,
            std::io::ErrorKind::PermissionDenied => {
                ReadError::Other("it may not be read (permission denied)".to_owned())
            }
            _ => ReadError::Other(error.to_string()),
        };
        let path = std::fs::canonicalize(self.root.join(name)).map_err(other)?;
        if !path.starts_with(&self.root) {
            return Err(ReadError::Outside);
        }
        // Looked at before it is opened: opening a pipe would wait for a writer.
        let facts = std::fs::metadata(&path).map_err(other)?;
        if facts.is_dir() {
            return Err(ReadError::Directory);
        }
        if !facts.is_file() {
            return Err(ReadError::NotAFile);
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).map_err(other)?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(other)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(ReadError::TooLarge(facts.len() >> 20, MAX_FILE >> 20));
        }
        Ok(bytes)
    }

    fn display(&self, name: &str) -> String {
        let shown = self.shown.join(name);
        shown.strip_prefix(".").unwrap_or(&shown).to_string_lossy().replace('\\', "/")
    }
}

/// Why a written path is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPath {
    Empty,
    Absolute,
    Outside,
    /// A backslash: paths are written with `/` so that they work everywhere.
    Backslash,
}

/// Resolves a path written in the file `from` to a name within the scenario.
pub fn resolve(from: &str, written: &str) -> Result<String, BadPath> {
    if written.trim().is_empty() {
        return Err(BadPath::Empty);
    }
    if written.contains('\\') {
        return Err(BadPath::Backslash);
    }
    let drive = written.as_bytes().get(1) == Some(&b':');
    if written.starts_with('/') || drive {
        return Err(BadPath::Absolute);
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for component in Path::new(written).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                names.pop().ok_or(BadPath::Outside)?;
            }
            Component::Normal(name) => names.push(name.to_str().ok_or(BadPath::Outside)?),
            Component::RootDir | Component::Prefix(_) => return Err(BadPath::Absolute),
        }
    }
    if names.is_empty() {
        return Err(BadPath::Empty);
    }
    Ok(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{BadPath, resolve};

    #[test]
    fn paths_stay_inside() {
        assert_eq!(resolve("a/b.ifs", "c.yaml"), Ok("a/c.yaml".to_owned()));
        assert_eq!(resolve("a/b.ifs", "../c.yaml"), Ok("c.yaml".to_owned()));
        assert_eq!(resolve("a/b.ifs", "../../c.yaml"), Err(BadPath::Outside));
        assert_eq!(resolve("b.ifs", "/etc/passwd"), Err(BadPath::Absolute));
        assert_eq!(resolve("b.ifs", "C:/x"), Err(BadPath::Absolute));
        assert_eq!(resolve("b.ifs", "a\\b"), Err(BadPath::Backslash));
        assert_eq!(resolve("b.ifs", "x/.."), Err(BadPath::Empty));
    }
}
