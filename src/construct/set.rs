//! A set of dialogues that models wrote: a file of lines of JSON. The first line says how they were
//! made; each other one is a dialogue. A set that is frozen has a version and a hash of all it holds.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::release::Talk;
use crate::synthesis::{SetError, State};

/// What the first line calls the file, and the version of its form.
const WHAT: &str = "dialogues";
const FORM: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always `dialogues`.
    pub holds: String,
    pub form: u32,
    /// How often the set was frozen.
    pub version: u32,
    /// Of everything else in the file; nothing while dialogues are flagged.
    pub hash: Option<String>,
    pub benchmark: String,
    pub plan_hash: String,
    pub dialogue: String,
    pub seed: u64,
    pub planner: String,
    pub writer: String,
    pub extractor: String,
    pub checker: String,
    /// The most tries for a stage.
    pub tries: u32,
    /// Whether one of those models is simulated.
    pub simulated: bool,
}

impl Header {
    pub const HOLDS: &str = WHAT;
    pub const FORM: u32 = FORM;
}

/// A dialogue with how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub index: u64,
    pub state: State,
    /// Tries for the plan, the words and the questions; for these the most of any turn.
    pub tries: [u32; 3],
    /// Why a stage was turned away at its last try.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub talk: Talk,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DialogueSet {
    pub header: Header,
    pub entries: Vec<Entry>,
}

impl DialogueSet {
    /// Whether a file begins like one of these.
    pub fn is_one(path: &Path) -> bool {
        #[derive(Deserialize)]
        struct Holds {
            holds: String,
        }
        let first = std::fs::read_to_string(path).unwrap_or_default();
        let first = first.lines().next().and_then(|line| serde_json::from_str::<Holds>(line).ok());
        first.is_some_and(|first| first.holds == WHAT)
    }

    /// Reads a set and looks at its hash, if it has one.
    pub fn read(path: &Path) -> Result<DialogueSet, SetError> {
        let name = || path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| SetError::Io { path: name(), error })?;
        DialogueSet::from_text(&text, &name())
    }

    pub fn from_text(text: &str, path: &str) -> Result<DialogueSet, SetError> {
        let damaged = |line, why: &dyn ToString| SetError::Damaged {
            path: path.to_owned(),
            line,
            why: why.to_string(),
        };
        let mut rows = text.lines().enumerate().map(|(at, row)| (at + 1, row));
        let (_, first) = rows.next().ok_or_else(|| damaged(1, &"it is empty"))?;
        let header: Header = serde_json::from_str(first)
            .map_err(|error| damaged(1, &format!("it is no set of dialogues: {error}")))?;
        if header.holds != WHAT || header.form != FORM {
            return Err(SetError::Form { path: path.to_owned(), form: header.form });
        }
        let mut entries: Vec<Entry> = Vec::new();
        for (number, row) in rows {
            let entry: Entry =
                serde_json::from_str(row).map_err(|error| damaged(number, &error))?;
            if entries.last().is_some_and(|last| last.index >= entry.index) {
                return Err(damaged(
                    number,
                    &"dialogues stand in the order of their numbers, each once",
                ));
            }
            entries.push(entry);
        }
        let set = DialogueSet { header, entries };
        match &set.header.hash {
            Some(hash) if *hash != set.hash() => Err(SetError::Changed(path.to_owned())),
            _ => Ok(set),
        }
    }

    /// Writes it whole: beside the place first, and then there.
    pub fn write(&self, path: &Path) -> Result<(), SetError> {
        let draft = path.with_extension("part");
        let write = || {
            std::fs::write(&draft, self.to_text())?;
            std::fs::rename(&draft, path)
        };
        write().map_err(|error| SetError::Io { path: path.display().to_string(), error })
    }

    pub fn to_text(&self) -> String {
        let mut text = row(&self.header);
        self.entries.iter().for_each(|entry| text.push_str(&row(entry)));
        text
    }

    pub fn flagged(&self) -> usize {
        self.entries.iter().filter(|entry| entry.state == State::Flagged).count()
    }

    /// Fixes the dialogues, if nothing is left to decide about.
    pub fn freeze(&mut self) -> bool {
        if self.flagged() > 0 {
            return false;
        }
        self.header.version += 1;
        self.header.hash = Some(self.hash());
        true
    }

    /// The dialogues of a frozen set that nobody rejected.
    pub fn talks(&self) -> Vec<Talk> {
        let kept = self.entries.iter().filter(|entry| entry.state != State::Rejected);
        kept.map(|entry| entry.talk.clone()).collect()
    }

    /// Of everything but itself.
    fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("ifs: a set of dialogues");
        hasher.update(row(&Header { hash: None, ..self.header.clone() }).as_bytes());
        self.entries.iter().for_each(|entry| _ = hasher.update(row(entry).as_bytes()));
        hasher.finalize().to_hex().to_string()
    }
}

/// Texts, numbers and lists of them; such are always written.
fn row(what: &impl Serialize) -> String {
    serde_json::to_string(what).unwrap_or_default() + "\n"
}
