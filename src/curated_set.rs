//! Sets of what models wrote and a person may look through: files of lines of JSON. The first line
//! says what they hold and how it was made; each other one is an entry. A set that is frozen has a
//! version and a hash of all it holds.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::world::read_text;

/// The version of the files' form.
const FORM: u32 = 2;

/// What became of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// All checks were passed at the first try.
    Passed,
    /// They were passed at a later one.
    Retried,
    /// No try passed, and nobody has looked at it yet.
    Flagged,
    /// A person took it as it is.
    Accepted,
    /// A person wrote it.
    Edited,
    /// A person turned it down.
    Rejected,
}

#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("`{path}`: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("`{path}`, line {line}: {why}")]
    Damaged { path: String, line: usize, why: String },
    #[error("`{path}` is of form {form}; this ifs reads form {FORM}")]
    Form { path: String, form: u32 },
    #[error("`{0}` was changed after it was frozen: its hash is another")]
    Changed(String),
    #[error("`{path}` is not frozen: {flagged} of its turns are flagged")]
    Open { path: String, flagged: usize },
}

/// What a set is made of.
pub trait Entry: Serialize + DeserializeOwned {
    /// What the first line calls it all.
    const HOLDS: &str;
    /// How such sets were made.
    type Made: Serialize + DeserializeOwned;

    /// Entries stand in the order of their places, each once.
    fn place(&self) -> (u64, u32);

    fn state(&self) -> State;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Set<E: Entry> {
    /// How often it was frozen.
    pub version: u32,
    /// Of everything else in the file; nothing while entries are flagged.
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

/// As much of the first line as every form of every set has.
#[derive(Deserialize)]
struct Known {
    #[serde(default)]
    holds: String,
    form: u32,
}

/// The largest file of a set, in bytes.
const LARGEST: u64 = 256 << 20;

impl<E: Entry> Set<E> {
    pub fn new(made: E::Made, entries: Vec<E>) -> Set<E> {
        Set { version: 0, hash: None, made, entries }
    }

    /// Whether a file begins like one of these.
    pub fn is_one(path: &Path) -> bool {
        let text = read_text(path, LARGEST).unwrap_or_default();
        let first = text.lines().next().and_then(|line| serde_json::from_str::<Known>(line).ok());
        first.is_some_and(|first| first.holds == E::HOLDS)
    }

    /// Reads a set and looks at its hash, if it has one.
    ///
    /// # Errors
    /// When the file cannot be read, is no such set, or was changed after it was frozen.
    pub fn read(path: &Path) -> Result<Set<E>, SetError> {
        let name = path.display().to_string();
        match read_text(path, LARGEST) {
            Ok(text) => Set::from_text(&text, &name),
            Err(error) => Err(SetError::Io { path: name, error }),
        }
    }

    /// # Errors
    /// As [`Set::read`]; `path` is what they call it.
    pub fn from_text(text: &str, path: &str) -> Result<Set<E>, SetError> {
        let damaged = |line, why: &dyn ToString| SetError::Damaged {
            path: path.to_owned(),
            line,
            why: why.to_string(),
        };
        let mut rows = text.lines().enumerate().map(|(at, row)| (at + 1, row));
        let (_, first) = rows.next().ok_or_else(|| damaged(1, &"it is empty"))?;
        let none = |why: &dyn ToString| {
            damaged(1, &format!("it is no set of {}: {}", E::HOLDS, why.to_string()))
        };
        let known: Known = serde_json::from_str(first)
            .map_err(|_| none(&"its first line does not say what it holds"))?;
        if known.form != FORM {
            return Err(SetError::Form { path: path.to_owned(), form: known.form });
        }
        if known.holds != E::HOLDS {
            return Err(none(&format!("it holds {}", known.holds)));
        }
        let First { version, hash, made, .. } =
            serde_json::from_str::<First<E::Made>>(first).map_err(|error| damaged(1, &error))?;
        let mut set = Set { version, hash, made, entries: Vec::<E>::new() };
        for (number, row) in rows {
            let entry: E = serde_json::from_str(row).map_err(|error| damaged(number, &error))?;
            if set.entries.last().is_some_and(|last| last.place() >= entry.place()) {
                let why = "entries stand in the order of their dialogues and turns, each once";
                return Err(damaged(number, &why));
            }
            set.entries.push(entry);
        }
        match &set.hash {
            Some(hash) if *hash != set.hashed() => Err(SetError::Changed(path.to_owned())),
            _ => Ok(set),
        }
    }

    /// Reads a set that nothing is left to decide about.
    ///
    /// # Errors
    /// As [`Set::read`], and when it is not frozen.
    pub fn read_frozen(path: &Path) -> Result<Set<E>, SetError> {
        let set = Set::read(path)?;
        match set.hash {
            Some(_) => Ok(set),
            None => {
                Err(SetError::Open { path: path.display().to_string(), flagged: set.flagged() })
            }
        }
    }

    /// Writes it beside its place, and then there.
    ///
    /// # Errors
    /// When the place cannot be written to.
    pub fn write(&self, path: &Path) -> Result<(), SetError> {
        crate::replace::write_named(path, self.to_text().as_bytes())
            .map_err(|error| SetError::Io { path: path.display().to_string(), error })
    }

    pub fn to_text(&self) -> String {
        self.text(self.hash.as_ref())
    }

    pub fn flagged(&self) -> usize {
        self.entries.iter().filter(|entry| entry.state() == State::Flagged).count()
    }

    /// Fixes the entries, if nothing is left to decide about.
    pub fn freeze(&mut self) -> bool {
        if self.flagged() > 0 {
            return false;
        }
        self.version += 1;
        self.hash = Some(self.hashed());
        true
    }

    /// The hash of everything but itself.
    fn hashed(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a set of what models wrote");
        hasher.update(self.text(None).as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    fn text(&self, hash: Option<&String>) -> String {
        let first = First {
            holds: E::HOLDS.to_owned(),
            form: FORM,
            version: self.version,
            hash: hash.cloned(),
            made: &self.made,
        };
        let mut text = row(&first);
        self.entries.iter().for_each(|entry| text.push_str(&row(entry)));
        text
    }
}

/// Texts, numbers and lists of them; such are always written.
fn row(what: &impl Serialize) -> String {
    serde_json::to_string(what).unwrap_or_default() + "\n"
}
