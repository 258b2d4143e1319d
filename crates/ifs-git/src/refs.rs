//! References: names of commits, and the logs of what they named.

use std::path::{Path, PathBuf};

use crate::{Error, Id, Repository, reftable};

/// How many references lead to one another. Git follows at most so many.
const MAX_SYMBOLIC: usize = 5;

/// The largest file of a reference, and of a log or of packed references.
const MAX_REFERENCE_BYTES: u64 = 1 << 20;
pub(crate) const MAX_LIST_BYTES: u64 = 128 << 20;

/// What a reference has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefTarget {
    Commit(Id),
    Symbolic(String),
}

/// A change of a reference.
pub(crate) struct LogEntry {
    pub old: Id,
    pub new: Id,
    /// In seconds since 1970.
    pub time: u64,
    pub message: String,
}

impl Repository {
    /// What a reference names; `None` if it does not exist, or names a branch without a commit.
    pub(crate) fn reference(&self, name: &str) -> Result<Option<Id>, Error> {
        let mut name = name.to_owned();
        for _ in 0..=MAX_SYMBOLIC {
            match self.value(&name)? {
                None => return Ok(None),
                Some(RefTarget::Commit(id)) => return Ok(Some(id)),
                Some(RefTarget::Symbolic(target)) => name = target,
            }
        }
        Err(Error::Damaged(format!("the reference `{name}`, which leads to itself or too far,")))
    }

    /// What a reference has itself.
    pub(crate) fn value(&self, name: &str) -> Result<Option<RefTarget>, Error> {
        if !is_name(name) {
            return Ok(None);
        }
        let base = self.base(name);
        if let Some(tables) = reftable::tables(&self.disk, base)? {
            return reftable::value(&self.disk, &tables, name);
        }
        match self.loose(base, name)? {
            Some(value) => Ok(Some(value)),
            None => Ok(self.packed(name)?.map(RefTarget::Commit)),
        }
    }

    /// The folder that has a reference: some belong to one work tree.
    fn base(&self, name: &str) -> &Path {
        const PRIVATE: [&str; 3] = ["refs/bisect/", "refs/worktree/", "refs/rewritten/"];
        let is_private =
            !name.starts_with("refs/") || PRIVATE.iter().any(|it| name.starts_with(it));
        if is_private { &self.private } else { &self.common }
    }

    fn loose(&self, base: &Path, name: &str) -> Result<Option<RefTarget>, Error> {
        let path = joined(base, name);
        let Some(text) = self.disk.read(&path, MAX_REFERENCE_BYTES)? else { return Ok(None) };
        let damaged = || Error::Damaged(format!("`{}`", path.display()));
        if let Some(target) = text.strip_prefix(b"ref:") {
            let target = std::str::from_utf8(target).map_err(|_| damaged())?.trim();
            return match target.starts_with("refs/") && is_name(target) {
                true => Ok(Some(RefTarget::Symbolic(target.to_owned()))),
                false => Err(damaged()),
            };
        }
        let digits = text.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        Id::parse(digits).map(|id| Some(RefTarget::Commit(id))).ok_or_else(damaged)
    }

    fn packed(&self, name: &str) -> Result<Option<Id>, Error> {
        let path = self.common.join("packed-refs");
        let Some(text) = self.disk.read(&path, MAX_LIST_BYTES)? else { return Ok(None) };
        let mut lines = text.split(|byte| *byte == b'\n').filter_map(|line| {
            let space = line.iter().position(|byte| *byte == b' ')?;
            (line[space + 1..].trim_ascii_end() == name.as_bytes()).then_some(&line[..space])
        });
        match lines.next() {
            None => Ok(None),
            Some(digits) => Id::parse(digits)
                .map(Some)
                .ok_or_else(|| Error::Damaged(format!("`{}`", path.display()))),
        }
    }

    /// The log of a reference, the oldest entry first; `None` if there is no log.
    pub(crate) fn log(&self, name: &str) -> Result<Option<Vec<LogEntry>>, Error> {
        let path = joined(&self.base(name).join("logs"), name);
        let Some(text) = self.disk.read(&path, MAX_LIST_BYTES)? else { return Ok(None) };
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let entries: Option<Vec<LogEntry>> = lines.map(log_entry).collect();
        entries.map(Some).ok_or_else(|| Error::Damaged(format!("`{}`", path.display())))
    }
}

/// `OLD NEW NAME <ADDRESS> SECONDS ZONE`, a tab and a message.
fn log_entry(line: &[u8]) -> Option<LogEntry> {
    let line = String::from_utf8_lossy(line);
    let (head, message) = line.split_once('\t').unwrap_or((&line, ""));
    let mut words = head.split(' ');
    let old = Id::parse(words.next()?.as_bytes())?;
    let new = Id::parse(words.next()?.as_bytes())?;
    let time = words.rev().nth(1)?.parse().ok()?;
    Some(LogEntry { old, new, time, message: message.to_owned() })
}

fn joined(base: &Path, name: &str) -> PathBuf {
    name.split('/').fold(base.to_owned(), |path, step| path.join(step))
}

/// Whether git allows a name. What it allows stays within the folder of references.
fn is_name(name: &str) -> bool {
    let is_step = |step: &str| {
        !step.is_empty()
            && !step.starts_with('.')
            && !step.ends_with('.')
            && !step.ends_with(".lock")
    };
    let is_letter = |letter: char| !letter.is_control() && !" ~^:?*[\\".contains(letter);
    !name.contains("..")
        && !name.contains("@{")
        && name.chars().all(is_letter)
        && name.split('/').all(is_step)
}
