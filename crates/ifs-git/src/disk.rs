//! Files of a repository, and a limit for the work that it may cause.

use std::cell::Cell;
use std::fs::File;
use std::io::{Error as IoError, ErrorKind, Read as _};
use std::path::Path;

use crate::Error;

/// The bytes that are read, inflated and copied for one repository.
pub(crate) const WORK_BYTES: u64 = 1 << 30;

/// What opening a file or looking into an index counts as.
pub(crate) const ACCESS_BYTES: u64 = 16 << 10;

pub(crate) struct Disk {
    left: Cell<u64>,
}

impl Default for Disk {
    fn default() -> Disk {
        Disk { left: Cell::new(WORK_BYTES) }
    }
}

impl Disk {
    pub fn spend(&self, bytes: u64) -> Result<(), Error> {
        let left = self.left.get().checked_sub(bytes).ok_or(Error::TooMuchWork)?;
        self.left.set(left);
        Ok(())
    }

    /// A regular file and its size; `None` if there is no file. A pipe would block, and a device may be
    /// endless.
    pub fn open(&self, path: &Path) -> Result<Option<(File, u64)>, Error> {
        self.spend(ACCESS_BYTES)?;
        let facts = match std::fs::metadata(path) {
            Ok(facts) => facts,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(unreadable(path, &error)),
        };
        if facts.is_dir() {
            return Ok(None);
        }
        if !facts.is_file() {
            let why = "it is not a regular file".to_owned();
            return Err(Error::File { path: path.display().to_string(), why });
        }
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        Ok(Some((file, facts.len())))
    }

    /// The content of a file; `None` if there is no file.
    pub fn read(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some((file, bytes)) = self.open(path)? else { return Ok(None) };
        if bytes > most {
            return Err(Error::TooLarge { what: path.display().to_string(), bytes, most });
        }
        self.spend(bytes)?;
        let mut content = Vec::with_capacity(bytes as usize);
        // Some files of the system claim to be empty, and reading them waits for ever.
        file.take(bytes).read_to_end(&mut content).map_err(|error| unreadable(path, &error))?;
        Ok(Some(content))
    }

    /// The names in a folder, in order; none if there is no folder.
    pub fn names(&self, folder: &Path) -> Result<Vec<String>, Error> {
        self.spend(ACCESS_BYTES)?;
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(folder, &error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            self.spend(ACCESS_BYTES / 16)?;
            let entry = entry.map_err(|error| unreadable(folder, &error))?;
            names.extend(entry.file_name().into_string());
        }
        names.sort();
        Ok(names)
    }
}

pub(crate) fn is_missing(error: &IoError) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

pub(crate) fn unreadable(path: &Path, error: &IoError) -> Error {
    Error::File { path: path.display().to_string(), why: error.to_string() }
}
