//! The run folder.
//!
//! * `run.json`: the manifest (definition hash, seed, model, versions);
//! * `plan.json`: the plan, so that scoring needs no scenario;
//! * `utterances.jsonl`: the user messages, if an utterance set was given;
//! * `pictures/`: the pictures that were shown, named by the hashes of their bytes;
//! * `journal`: every response of an endpoint, from which the run is resumed;
//! * `transcripts.jsonl`: a line for each dialogue, in the order of the selection; its hash is in
//!   `run.json`. While dialogues are run it is `transcripts.jsonl.part`;
//! * `scores.json`: the scorecard.
//!
//! A folder that `ifs runs merge` has not finished has a file [`UNFINISHED`], and no command reads it.

use std::fs::{File, TryLockError};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::gaps::Gaps;
use super::manifest::{RunManifest, SCHEMA};
use super::sealed;
use super::transcript::Transcript;
use ifs_base::replace;
use ifs_base::world;
use ifs_parts::image::{Picture, Pictures};
use ifs_plan::Plan;

/// The largest plan and the longest transcript that are read, in bytes.
const MAX_PLAN_BYTES: u64 = 1 << 29;
pub(super) const MAX_TRANSCRIPT_BYTES: u64 = 1 << 28;

pub(super) const TRANSCRIPTS_FILE: &str = "transcripts.jsonl";
const PLAN_FILE: &str = "plan.json";
const RUN_FILE: &str = "run.json";

/// The file of a folder whose content is being merged.
const UNFINISHED: &str = "merge.unfinished";

const PICTURES_FOLDER: &str = "pictures";
/// The utterance set in the folder of a run.
pub const UTTERANCES: &str = "utterances.jsonl";

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("`{path}`: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("`{path}` is not what a run writes: {why}")]
    Damaged { path: String, why: String },
    #[error("`{path}` is not what the run wrote: {why}")]
    Changed { path: String, folder: String, why: String },
    #[error("`{0}` already contains a run")]
    Taken(String),
    #[error("`{folder}` contains `{name}`, which no run wrote")]
    Foreign { folder: String, name: String },
    #[error("`{0}` is a link, and a run writes to its own folder only")]
    Link(String),
    #[error("`{0}` is being written by another ifs")]
    InUse(String),
    #[error("`{0}` is not a run folder: it has no run.json")]
    NoRun(String),
    #[error("`{0}` is unfinished: `ifs runs merge` was stopped before its end")]
    Unfinished(String),
    #[error("`{0}` has a run.json and a journal of two runs: their models or settings differ")]
    OtherJournal(String),
}

pub struct Folder {
    path: PathBuf,
    /// The lock on the folder, so that only one command at a time writes to it.
    claim: Option<File>,
}

impl Folder {
    /// Creates the folder of a new run. An existing run, and a folder with other files, are
    /// refused.
    pub fn create(path: &Path) -> Result<Folder, FolderError> {
        let mut folder = Folder::new(path);
        replace::make_folder(path).map_err(|error| folder.io("", error))?;
        folder.lock()?;
        if folder.file(UNFINISHED).exists() {
            return Err(FolderError::Unfinished(path.display().to_string()));
        }
        if folder.file(RUN_FILE).exists() {
            return Err(FolderError::Taken(path.display().to_string()));
        }
        match folder.foreign()? {
            None => Ok(folder),
            Some(name) => Err(FolderError::Foreign { folder: path.display().to_string(), name }),
        }
    }

    /// Finds a file that does not belong to a run that was killed before it wrote its `run.json`.
    fn foreign(&self) -> Result<Option<String>, FolderError> {
        let begun = self.plan().is_ok();
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(|error| self.io("", error))? {
            let entry = entry.map_err(|error| self.io("", error))?;
            let kind = entry.file_type().map_err(|error| self.io("", error))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let of = |file: &str| name == file || replace::is_draft(&name, file);
            let ours = match () {
                () if kind.is_dir() => begun && name == PICTURES_FOLDER,
                () if kind.is_file() => {
                    let later = [UTTERANCES, RUN_FILE];
                    replace::is_draft(&name, PLAN_FILE)
                        || name == GIT_IGNORE
                        || begun && (name == PLAN_FILE || later.into_iter().any(of))
                }
                () => false,
            };
            if !ours {
                found.push(name);
            }
        }
        Ok(found.into_iter().min())
    }

    /// A folder in the run folder, created if necessary.
    pub fn within(&self, names: &[&str]) -> Result<Folder, FolderError> {
        let mut path = self.path.clone();
        for name in names {
            path.push(name);
            self.create_folder(&path)?;
        }
        let mut folder = Folder::new(&path);
        folder.lock()?;
        remove_drafts(&folder.path, 0);
        Ok(folder)
    }

    /// Creates a folder of the run. A link in its place is refused, because it could lead outside.
    fn create_folder(&self, path: &Path) -> Result<(), FolderError> {
        let shown = || path.display().to_string();
        match std::fs::create_dir(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map_err(|error| FolderError::Io { path: shown(), error }),
        }
        match std::fs::symlink_metadata(path) {
            Ok(facts) if facts.is_symlink() => Err(FolderError::Link(shown())),
            Ok(facts) if facts.is_dir() => Ok(()),
            Ok(_) => Err(FolderError::Io { path: shown(), error: ErrorKind::NotADirectory.into() }),
            Err(error) => Err(FolderError::Io { path: shown(), error }),
        }
    }

    /// The folder, with or without a run in it.
    pub fn new(path: &Path) -> Folder {
        Folder { path: path.to_owned(), claim: None }
    }

    /// Opens the folder of a run to resume it, and locks
    /// it.
    pub fn resume(path: &Path) -> Result<Folder, FolderError> {
        let mut folder = Folder::open(path)?;
        folder.lock()?;
        remove_drafts(&folder.path, MAX_DEPTH);
        Ok(folder)
    }

    /// Creates the folder of a merged run, or continues one whose merge was stopped: everything in
    /// it is made of the shards.
    pub fn begin_merge(path: &Path) -> Result<Folder, FolderError> {
        let mut folder = Folder::new(path);
        if !folder.file(UNFINISHED).is_file() {
            let folder = Folder::create(path)?;
            // Without a draft: the file is there or not.
            replace::fresh(&folder.file(UNFINISHED))
                .map_err(|error| folder.io(UNFINISHED, error))?;
            return Ok(folder);
        }
        folder.lock()?;
        remove_drafts(&folder.path, MAX_DEPTH);
        // Its shards may be others now, without a journal or a set.
        for name in MERGED_FILES {
            match std::fs::remove_file(folder.file(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(folder.io(name, error));
                }
                _ => {}
            }
        }
        Ok(folder)
    }

    /// Ends a merge: from here on the folder is that of a run.
    pub fn end_merge(&self) -> Result<(), FolderError> {
        std::fs::remove_file(self.file(UNFINISHED)).map_err(|error| self.io(UNFINISHED, error))?;
        replace::sync_folder(&self.file(UNFINISHED));
        Ok(())
    }

    /// Removes the drafts that killed commands left, unless a command may write to the folder now.
    pub fn remove_drafts(&self) {
        if let Some(_claim) = exclusive(&self.path) {
            remove_drafts(&self.path, MAX_DEPTH);
        }
    }

    fn lock(&mut self) -> Result<(), FolderError> {
        // If the system cannot lock a folder, the user must not start two runs in it.
        self.claim = File::open(&self.path).ok();
        match self.claim.as_ref().map(File::try_lock) {
            Some(Err(TryLockError::WouldBlock)) => {
                Err(FolderError::InUse(self.path.display().to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Opens the folder of a run to read it.
    pub fn open(path: &Path) -> Result<Folder, FolderError> {
        let folder = Folder::new(path);
        if folder.file(UNFINISHED).is_file() {
            return Err(FolderError::Unfinished(path.display().to_string()));
        }
        if !folder.file(RUN_FILE).is_file() {
            return Err(FolderError::NoRun(path.display().to_string()));
        }
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file of the run.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn io(&self, name: &str, error: std::io::Error) -> FolderError {
        let path = if name.is_empty() { self.path.clone() } else { self.file(name) };
        FolderError::Io { path: path.display().to_string(), error }
    }

    /// Writes a file atomically: a crash leaves the old or the new one.
    pub fn write(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let written = replace::write(&self.file(name), text.as_bytes());
        written.map_err(|error| self.io(name, error))
    }

    /// Stores the picture files of a scenario for reports.
    pub fn write_pictures(&self, pictures: &Pictures) -> Result<(), FolderError> {
        if !pictures.is_empty() {
            self.create_folder(&self.file(PICTURES_FOLDER))?;
        }
        for picture in pictures.values() {
            let name = format!("{PICTURES_FOLDER}/{}", picture.file_name());
            replace::write(&self.file(&name), picture.bytes.as_slice())
                .map_err(|error| self.io(&name, error))?;
        }
        Ok(())
    }

    /// Reads the bytes of a plan's pictures, for those who send them.
    pub fn read_pictures(&self, pictures: &mut Pictures) -> Result<(), FolderError> {
        for picture in pictures.values_mut() {
            picture.bytes = self.read_picture(picture)?.into();
        }
        Ok(())
    }

    pub fn read_picture(&self, picture: &Picture) -> Result<Vec<u8>, FolderError> {
        let name = format!("{PICTURES_FOLDER}/{}", picture.file_name());
        let bytes = world::read_regular(&self.file(&name), world::MAX_FILE_BYTES)
            .map_err(|error| self.io(&name, error))?;
        match blake3::hash(&bytes).to_hex().as_str() == picture.hash {
            true => Ok(bytes),
            false => Err(self.damaged(&name, "its bytes are not those that were shown")),
        }
    }

    pub fn write_manifest(&self, manifest: &RunManifest) -> Result<(), FolderError> {
        self.write_sealed(RUN_FILE, &RunManifest { schema: SCHEMA, ..manifest.clone() })
    }

    /// Writes an object with a checksum, which [`Folder::read_sealed`] compares.
    pub fn write_sealed<T: Serialize>(&self, name: &str, value: &T) -> Result<(), FolderError> {
        let text = serde_json::to_string_pretty(value).and_then(|text| sealed::seal(&text));
        self.write(name, &text.map_err(|error| self.damaged(name, error))?)
    }

    /// Reads such an object. `is_sealed` says whether one of its version has a checksum.
    pub fn read_sealed<T: DeserializeOwned>(
        &self,
        name: &str,
        is_sealed: impl Fn(&T) -> bool,
    ) -> Result<T, FolderError> {
        let parsed: Value =
            serde_json::from_str(&self.read(name)?).map_err(|error| self.damaged(name, error))?;
        let intact = sealed::is_intact(&parsed);
        if intact == Some(false) {
            return Err(self.damaged(name, "its checksum does not match, so a value was changed"));
        }
        let value = T::deserialize(parsed).map_err(|error| self.damaged(name, error))?;
        match intact.is_none() && is_sealed(&value) {
            true => Err(self.damaged(name, "its checksum is missing")),
            false => Ok(value),
        }
    }

    pub fn read(&self, name: &str) -> Result<String, FolderError> {
        let bytes = world::read_regular(&self.file(name), MAX_PLAN_BYTES)
            .map_err(|error| self.io(name, error))?;
        String::from_utf8(bytes).map_err(|error| self.damaged(name, error.utf8_error()))
    }

    pub(super) fn damaged(&self, name: &str, why: impl ToString) -> FolderError {
        FolderError::Damaged { path: self.file(name).display().to_string(), why: why.to_string() }
    }

    pub fn manifest(&self) -> Result<RunManifest, FolderError> {
        let manifest: RunManifest =
            self.read_sealed(RUN_FILE, |manifest: &RunManifest| manifest.schema >= SCHEMA)?;
        if manifest.schema != SCHEMA {
            let why =
                format!("its schema is {}, and this ifs reads schema {SCHEMA}", manifest.schema);
            return Err(self.damaged(RUN_FILE, why));
        }
        self.require_journal_of(&manifest)?;
        Ok(manifest)
    }

    /// Compares a manifest with the journal, which begins with a hash of all settings that a request
    /// depends on. A journal that cannot be read is reported where it is needed.
    fn require_journal_of(&self, manifest: &RunManifest) -> Result<(), FolderError> {
        #[cfg(feature = "run")]
        if let Some(run) = ifs_inference::run_of_journal(&self.file(super::job::JOURNAL))
            && run != manifest.identity()
        {
            return Err(FolderError::OtherJournal(self.path.display().to_string()));
        }
        let _ = manifest;
        Ok(())
    }

    pub fn plan(&self) -> Result<Plan, FolderError> {
        Plan::from_json(&self.read(PLAN_FILE)?).map_err(|error| self.damaged(PLAN_FILE, error))
    }

    /// Returns every transcript, one by one, so that a large run does not have to fit into memory,
    /// and then the gaps. The hash of the transcripts is compared with `run.json`. A run that was
    /// killed leaves a draft; its last, partial line is left out.
    pub fn each_transcript(
        &self,
        manifest: &RunManifest,
        mut give: impl FnMut(Transcript),
    ) -> Result<Gaps, FolderError> {
        let mut gaps = Gaps::declared_by(manifest);
        let draft = draft(TRANSCRIPTS_FILE);
        let wanted = manifest.transcripts.as_deref();
        let (name, file) = match world::open_regular(&self.file(TRANSCRIPTS_FILE)) {
            Ok(file) => (TRANSCRIPTS_FILE, file),
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(self.io(TRANSCRIPTS_FILE, error));
            }
            Err(_) if manifest.complete || wanted.is_some() => {
                return Err(self.changed(TRANSCRIPTS_FILE, "it is gone"));
            }
            Err(_) => match world::open_regular(&self.file(&draft)) {
                Ok(file) => (draft.as_str(), file),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(gaps),
                Err(error) => return Err(self.io(&draft, error)),
            },
        };
        if wanted.is_none() && manifest.complete {
            return Err(self.damaged(RUN_FILE, "the hash of the transcripts is missing"));
        }
        let io = |error| self.io(name, error);
        let mut reader = BufReader::new(file);
        let (mut line, mut number) = (Vec::new(), 0);
        let mut hasher = blake3::Hasher::new();
        loop {
            line.clear();
            let read = (&mut reader).take(MAX_TRANSCRIPT_BYTES + 1).read_until(b'\n', &mut line);
            let length = read.map_err(io)? as u64;
            if length == 0 {
                break;
            }
            number += 1;
            if length > MAX_TRANSCRIPT_BYTES {
                let why = format!("line {number} has more than {} MiB", MAX_TRANSCRIPT_BYTES >> 20);
                return Err(self.damaged(name, why));
            }
            hasher.update(&line);
            match serde_json::from_slice::<Transcript>(&line) {
                Ok(transcript) => {
                    gaps.found(&transcript.ending, transcript.turns.is_empty());
                    give(transcript);
                }
                // The line was being written when the run was killed.
                Err(_) if wanted.is_none() && !line.ends_with(b"\n") => break,
                Err(error) if wanted.is_some() => {
                    return Err(self.changed(name, format!("line {number}: {error}")));
                }
                Err(error) => return Err(self.damaged(name, format!("line {number}: {error}"))),
            }
        }
        match wanted {
            Some(wanted) if hasher.finalize().to_hex().as_str() != wanted => {
                Err(self.changed(name, "its hash is not the one in run.json"))
            }
            _ => Ok(gaps),
        }
    }

    pub(super) fn changed(&self, name: &str, why: impl ToString) -> FolderError {
        FolderError::Changed {
            path: self.file(name).display().to_string(),
            folder: self.path.display().to_string(),
            why: why.to_string(),
        }
    }
}

/// What a merge writes, besides pictures.
const MERGED_FILES: [&str; 7] =
    [PLAN_FILE, RUN_FILE, UTTERANCES, "manifest.json", "journal", TRANSCRIPTS_FILE, "scores.json"];

/// Keeps prompts of a hidden set out of a repository.
pub const GIT_IGNORE: &str = ".gitignore";

/// Folders of judgings and of shrinking are within that of the run.
const MAX_DEPTH: u32 = 2;

/// The lock on a folder, if the system has locks and no command has this one.
fn exclusive(folder: &Path) -> Option<File> {
    let claim = File::open(folder).ok()?;
    claim.try_lock().ok()?;
    Some(claim)
}

/// Removes the drafts of a folder that is locked, and of the folders in it. What cannot be removed
/// stays: it is recognizable by its name.
fn remove_drafts(folder: &Path, depth: u32) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() && replace::is_any_draft(&entry.file_name().to_string_lossy()) {
            let _ = std::fs::remove_file(entry.path());
        } else if kind.is_dir()
            && depth > 0
            && let Some(_claim) = exclusive(&entry.path())
        {
            remove_drafts(&entry.path(), depth - 1);
        }
    }
}

/// The name of a JSON Lines file while it is being written.
pub(super) fn draft(name: &str) -> String {
    format!("{name}.part")
}
