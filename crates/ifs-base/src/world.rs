//! The compiler's access to files: read a file, list a
//! folder.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Reads files by their name within a scenario. Names use `/` on every system and are relative to
/// the scenario's root.
pub trait World {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError>;

    /// The names of the files in a folder, without the folder, in alphabetical order.
    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError>;

    /// The name of a file in messages.
    fn display(&self, name: &str) -> String {
        name.to_owned()
    }

    /// The text of a module of the library, where it is another one than that of this ifs: an older
    /// revision of the library.
    fn library(&self, _module: &str) -> Option<String> {
        None
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

/// The maximum file size in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Files in memory, for tests and other hosts.
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

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let inside = self.files.keys().filter_map(|name| name.strip_prefix(&prefix));
        let names: Vec<String> =
            inside.filter(|name| !name.contains('/')).map(str::to_owned).collect();
        if names.is_empty() { Err(ReadError::Missing) } else { Ok(names) }
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

    /// The canonical path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// Why a file or folder could not be read.
fn other(error: std::io::Error) -> ReadError {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => ReadError::Missing,
        std::io::ErrorKind::PermissionDenied => {
            ReadError::Other("it may not be read (permission denied)".to_owned())
        }
        _ => ReadError::Other(error.to_string()),
    }
}

impl FolderWorld {
    /// The canonical path of a name, which is within the root.
    fn path(&self, name: &str) -> Result<PathBuf, ReadError> {
        let path = std::fs::canonicalize(self.root.join(name)).map_err(other)?;
        if path.starts_with(&self.root) { Ok(path) } else { Err(ReadError::Outside) }
    }
}

impl World for FolderWorld {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        use std::io::Read as _;

        let path = self.path(name)?;
        // Metadata is read before the file is opened: opening a pipe would wait for a writer.
        let facts = std::fs::metadata(&path).map_err(other)?;
        if facts.is_dir() {
            return Err(ReadError::Directory);
        }
        if !facts.is_file() {
            return Err(ReadError::NotAFile);
        }
        // The buffer has room for the complete file; a file that grows meanwhile is still read.
        let mut bytes = Vec::with_capacity(facts.len().min(MAX_FILE_BYTES) as usize + 1);
        let file = std::fs::File::open(&path).map_err(other)?;
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(other)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(ReadError::TooLarge(facts.len() >> 20, MAX_FILE_BYTES >> 20));
        }
        Ok(bytes)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.path(folder)?).map_err(other)? {
            let entry = entry.map_err(other)?;
            // A link to a file counts as a file here; reading it checks whether it leads outside
            // the root.
            let is_folder = std::fs::metadata(entry.path()).is_ok_and(|facts| facts.is_dir());
            if let Some(name) = entry.file_name().to_str().filter(|_| !is_folder) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn display(&self, name: &str) -> String {
        let shown = self.shown.join(name);
        shown.strip_prefix(".").unwrap_or(&shown).to_string_lossy().replace('\\', "/")
    }
}

/// Opens a file that a user named, with readable errors.
///
/// # Errors
/// Returns an error if the file does not exist, cannot be read, or is a folder.
pub fn open(path: &Path) -> std::io::Result<std::fs::File> {
    use std::io::{Error, ErrorKind};

    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        kind @ (ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Error::new(kind, "there is no such file")
        }
        kind @ ErrorKind::PermissionDenied => {
            Error::new(kind, "it may not be read (permission denied)")
        }
        _ => error,
    })?;
    if file.metadata().is_ok_and(|facts| facts.is_dir()) {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a folder; name a file in it"));
    }
    Ok(file)
}

/// Opens a file that was written earlier. Refuses devices, which may be endless, and pipes, which
/// block until there is a writer.
///
/// # Errors
/// Returns an error if the file does not exist, cannot be read, or is not a regular file.
pub fn open_regular(path: &Path) -> std::io::Result<std::fs::File> {
    if !std::fs::metadata(path)?.is_file() {
        let message = "it is not a regular file";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
    }
    std::fs::File::open(path)
}

/// The contents of such a file, if it has at most `most` bytes.
///
/// # Errors
/// Returns the errors of [`open_regular`], and one if the file is larger.
pub fn read_regular(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    use std::io::{Error, ErrorKind, Read as _};

    let mut bytes = Vec::new();
    open_regular(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {} MiB", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of a file that a user named, if it has at most `most` bytes.
///
/// # Errors
/// Returns the errors of [`open`], and one if the file is larger or is not UTF-8 text.
pub fn read_text(path: &Path, most: u64) -> std::io::Result<String> {
    use std::io::{Error, ErrorKind, Read as _};

    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {} MiB", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        Error::new(ErrorKind::InvalidData, format!("it is not UTF-8 text (line {line})"))
    })
}

/// Why a path in a scenario is refused.
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

/// Whether a file's name matches a pattern, in which `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let (Some(first), Some(mut rest)) = (parts.next(), Some(name)) else { return false };
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{BadPath, matches, resolve};

    #[test]
    fn patterns() {
        for (pattern, name) in [("*.json", "a.json"), ("a*b*c", "a1b2b3c"), ("x", "x"), ("*", "")] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.json", "a.jsonl"), ("a*b", "b"), ("ab*ba", "aba"), ("x", "xy")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

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
