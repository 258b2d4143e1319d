//! Curated sets: model output that a person reviews, as JSON Lines files. The first line describes
//! the set; each other line is an entry. A frozen set has a version and a content hash.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use ifs_base::world::read_text;

/// The format version of the files.
const FORMAT_VERSION: u32 = 2;

/// The state of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// The first attempt passed.
    Passed,
    /// A later attempt passed.
    Retried,
    /// No attempt passed, and no person has reviewed it.
    Flagged,
    /// A person accepted it.
    Accepted,
    /// A person replaced it.
    Edited,
    /// A person rejected it.
    Rejected,
}

#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("`{path}`: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("`{path}`, line {line}: {why}")]
    Damaged { path: String, line: usize, why: String },
    #[error("`{path}` has format version {form}; this ifs reads version {FORMAT_VERSION}")]
    Form { path: String, form: u32 },
    #[error("`{0}` was changed after it was frozen: its hash differs")]
    Changed(String),
    #[error("`{path}` is not frozen: {flagged} of its turns are flagged")]
    Open { path: String, flagged: usize },
}

/// The type of a set's entries.
pub trait CuratedEntry: Serialize + DeserializeOwned {
    /// The name of the entries in the first line.
    const ENTRY_KIND: &str;
    /// The description of how a set was made.
    type Made: Serialize + DeserializeOwned;

    /// Entries are sorted by place, and places are unique.
    fn place(&self) -> (u64, u32);

    fn state(&self) -> ReviewState;
}

#[derive(Clone, Debug, PartialEq)]
pub struct CuratedSet<E: CuratedEntry> {
    /// How often the set was frozen.
    pub version: u32,
    /// The hash of everything else in the file; `None` while entries are flagged.
    pub hash: Option<String>,
    pub made: E::Made,
    pub entries: Vec<E>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct First<M> {
    holds: String,
    form: u32,
    version: u32,
    hash: Option<String>,
    made: M,
}

/// The fields of the first line that every format version has.
#[derive(Deserialize)]
struct CommonHeader {
    #[serde(default)]
    holds: String,
    form: u32,
}

/// The largest size of a set's file, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

impl<E: CuratedEntry> CuratedSet<E> {
    pub fn new(made: E::Made, entries: Vec<E>) -> CuratedSet<E> {
        CuratedSet { version: 0, hash: None, made, entries }
    }

    /// Whether a file starts with the first line of a set of this type.
    pub fn is_one(path: &Path) -> bool {
        let text = read_text(path, MAX_FILE_BYTES).unwrap_or_default();
        let first =
            text.lines().next().and_then(|line| serde_json::from_str::<CommonHeader>(line).ok());
        first.is_some_and(|first| first.holds == E::ENTRY_KIND)
    }

    /// Reads a set and verifies its hash, if it has one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, is not a set of this type, or was changed after
    /// it was frozen.
    pub fn read(path: &Path) -> Result<CuratedSet<E>, SetError> {
        let name = path.display().to_string();
        match read_text(path, MAX_FILE_BYTES) {
            Ok(text) => CuratedSet::from_text(&text, &name),
            Err(error) => Err(SetError::Io { path: name, error }),
        }
    }

    /// # Errors
    /// Parses a set like `Set::read`; `path` is used in messages.
    pub fn from_text(text: &str, path: &str) -> Result<CuratedSet<E>, SetError> {
        let damaged = |line, why: &dyn ToString| SetError::Damaged {
            path: path.to_owned(),
            line,
            why: why.to_string(),
        };
        let mut rows = text.lines().enumerate().map(|(at, row)| (at + 1, row));
        let (_, first) = rows.next().ok_or_else(|| damaged(1, &"it is empty"))?;
        let none = |why: &dyn ToString| {
            damaged(1, &format!("it is not a set of {}: {}", E::ENTRY_KIND, why.to_string()))
        };
        let known: CommonHeader = serde_json::from_str(first)
            .map_err(|_| none(&"its first line does not say what it contains"))?;
        if known.form != FORMAT_VERSION {
            return Err(SetError::Form { path: path.to_owned(), form: known.form });
        }
        if known.holds != E::ENTRY_KIND {
            return Err(none(&format!("it holds {}", known.holds)));
        }
        let First { version, hash, made, .. } =
            serde_json::from_str::<First<E::Made>>(first).map_err(|error| damaged(1, &error))?;
        let mut set = CuratedSet { version, hash, made, entries: Vec::<E>::new() };
        for (number, row) in rows {
            let entry: E = serde_json::from_str(row).map_err(|error| damaged(number, &error))?;
            if set.entries.last().is_some_and(|last| last.place() >= entry.place()) {
                let why = "entries must be sorted by dialogue and turn, without duplicates";
                return Err(damaged(number, &why));
            }
            set.entries.push(entry);
        }
        match &set.hash {
            Some(hash) if *hash != set.hashed() => Err(SetError::Changed(path.to_owned())),
            _ => Ok(set),
        }
    }

    /// Reads a frozen set.
    ///
    /// # Errors
    /// Returns the errors of `Set::read`, and one if the set is not frozen.
    pub fn read_frozen(path: &Path) -> Result<CuratedSet<E>, SetError> {
        let set = CuratedSet::read(path)?;
        match set.hash {
            Some(_) => Ok(set),
            None => {
                Err(SetError::Open { path: path.display().to_string(), flagged: set.flagged() })
            }
        }
    }

    /// Writes the set atomically.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), SetError> {
        ifs_base::replace::write_named(path, self.to_text().as_bytes())
            .map_err(|error| SetError::Io { path: path.display().to_string(), error })
    }

    pub fn to_text(&self) -> String {
        self.text(self.hash.as_ref())
    }

    pub fn flagged(&self) -> usize {
        self.entries.iter().filter(|entry| entry.state() == ReviewState::Flagged).count()
    }

    /// Freezes the set, if no entry is flagged.
    pub fn freeze(&mut self) -> bool {
        if self.flagged() > 0 {
            return false;
        }
        self.version += 1;
        self.hash = Some(self.hashed());
        true
    }

    /// The hash of everything except the hash itself.
    fn hashed(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a set of what models wrote");
        hasher.update(self.text(None).as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    fn text(&self, hash: Option<&String>) -> String {
        let first = First {
            holds: E::ENTRY_KIND.to_owned(),
            form: FORMAT_VERSION,
            version: self.version,
            hash: hash.cloned(),
            made: &self.made,
        };
        let mut text = row(&first);
        self.entries.iter().for_each(|entry| text.push_str(&row(entry)));
        text
    }
}

/// Serializing texts, numbers and lists of them cannot fail.
fn row(what: &impl Serialize) -> String {
    serde_json::to_string(what).unwrap_or_default() + "\n"
}
