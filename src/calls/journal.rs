//! Everything that endpoints said, in one file that only grows.
//!
//! A record is a line: a checksum, a space, JSON. The first one names the form and
//! the run. [`Journal::append`] ends when its record is on the disk; what several
//! threads bring at the same time goes there in one write.
//!
//! A crash can tear the end of the file, and only that: such records are dropped
//! when the file is opened again, since nothing was built on them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::{Money, Price, Spent};
use crate::provider::{Digest, FailureKind, Reply, Usage};

const VERSION: u32 = 1;

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "written one at a time and never kept")]
pub enum Record<'a> {
    /// The first one.
    Journal {
        version: u32,
        run: Cow<'a, str>,
    },
    Call(CallRecord<'a>),
    Failed(FailedRecord<'a>),
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallRecord<'a> {
    /// Where in the run it belongs.
    pub at: Cow<'a, str>,
    pub model: Cow<'a, str>,
    /// Stands for the question: what was said, to which model, with which parameters.
    pub asked: Cow<'a, str>,
    /// Tries that it took; none when it came out of the cache.
    pub tries: u32,
    /// What it cost in tokens. Estimated where the endpoint gave no numbers.
    pub spent: Usage,
    pub reply: Cow<'a, Reply>,
}

/// A call that was given up. When the run goes on it is made again.
#[derive(Debug, Serialize, Deserialize)]
pub struct FailedRecord<'a> {
    pub at: Cow<'a, str>,
    pub model: Cow<'a, str>,
    pub tries: u32,
    pub kind: FailureKind,
    pub message: Cow<'a, str>,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("`{path}`: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("`{0}` is being written by another ifs")]
    InUse(String),
    #[error("`{path}`, line {line}, is damaged: {why}")]
    Damaged { path: String, line: u64, why: String },
    #[error("`{path}` is of version {version}; this ifs writes version {VERSION}")]
    Version { path: String, version: u32 },
    #[error("`{0}` belongs to another run")]
    OtherRun(String),
}

/// What an opened journal held.
#[derive(Debug, Default)]
pub struct Opened {
    pub answers: u64,
    /// Calls that were given up.
    pub failures: u64,
    /// Bytes of a torn end that were dropped.
    pub torn: u64,
    /// What the answers cost, by today's prices. Those out of a cache cost nothing.
    pub spent: Spent,
}

/// A record to write, and whom to tell.
type Entry = (String, oneshot::Sender<Result<(), String>>);

pub struct Journal {
    path: PathBuf,
    /// Where the answers are that the file held when it was opened.
    known: BTreeMap<Digest, Span>,
    reader: Mutex<File>,
    entries: Option<mpsc::Sender<Entry>>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy)]
struct Span {
    at: u64,
    length: u32,
}

impl Journal {
    /// A new journal for the run of a name.
    pub fn create(path: &Path, run: &str) -> Result<Journal, JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        let mut file = File::options().create_new(true).append(true).open(path).map_err(io)?;
        lock(&file, path)?;
        let header = line(&Record::Journal { version: VERSION, run: run.into() });
        file.write_all(header.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
        // The entry in the folder is made durable where the system lets a folder be synced.
        if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Journal::start(path, file, BTreeMap::new())
    }

    /// Opens the journal of a run to go on with it.
    pub fn open(
        path: &Path,
        run: &str,
        price: impl Fn(&str) -> Option<Price>,
    ) -> Result<(Journal, Opened), JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        let file = File::options().read(true).append(true).open(path).map_err(io)?;
        lock(&file, path)?;
        let (known, opened, whole) = scan(&file, path, run, price)?;
        if opened.torn > 0 {
            file.set_len(whole).and_then(|()| file.sync_all()).map_err(io)?;
        }
        if whole == 0 {
            // Not even the first record was whole.
            let header = line(&Record::Journal { version: VERSION, run: run.into() });
            (&file).write_all(header.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
        }
        Ok((Journal::start(path, file, known)?, opened))
    }

    fn start(
        path: &Path,
        file: File,
        known: BTreeMap<Digest, Span>,
    ) -> Result<Journal, JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        let reader = Mutex::new(File::open(path).map_err(io)?);
        let (entries, inbox) = mpsc::channel();
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write_all(file, &inbox))
            .map_err(io)?;
        Ok(Journal {
            path: path.to_owned(),
            known,
            reader,
            entries: Some(entries),
            writer: Some(writer),
        })
    }

    /// The answer that was recorded at a place, with what had been asked.
    pub fn find(&self, at: &str) -> Result<Option<(String, Reply)>, String> {
        let Some(span) = self.known.get(&place(at)) else { return Ok(None) };
        let text =
            self.read(*span).map_err(|error| format!("`{}`: {error}", self.path.display()))?;
        match parse(text.as_bytes()) {
            Ok(Record::Call(call)) => Ok(Some((call.asked.into_owned(), call.reply.into_owned()))),
            Ok(_) => Ok(None),
            Err(why) => Err(format!("`{}` has changed: {why}", self.path.display())),
        }
    }

    fn read(&self, span: Span) -> Result<String, std::io::Error> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.seek(SeekFrom::Start(span.at))?;
        let mut bytes = vec![0; span.length as usize];
        reader.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(std::io::Error::other)
    }

    /// Ends when the record is on the disk.
    pub async fn append(&self, record: &Record<'_>) -> Result<(), String> {
        let (tell, told) = oneshot::channel();
        let gone = || "the journal is closed".to_owned();
        let entries = self.entries.as_ref().ok_or_else(gone)?;
        entries.send((line(record), tell)).map_err(|_| gone())?;
        told.await.map_err(|_| gone())?
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.entries = None;
        if let Some(writer) = self.writer.take() {
            // It ends when nobody sends any more, and panics at nothing.
            let _ = writer.join();
        }
    }
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse(path.display().to_string())),
        // Some file systems have no locks; then two runs at a time are the user's care.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Writes what comes in, as much at a time as there is. After a failed write
/// nothing more is written: the end of the file is not known any longer.
fn write_all(mut file: File, inbox: &mpsc::Receiver<Entry>) {
    let mut broken: Option<String> = None;
    let mut batch = String::new();
    let mut waiting = Vec::new();
    while let Ok((text, tell)) = inbox.recv() {
        batch.push_str(&text);
        waiting.push(tell);
        while let Ok((text, tell)) = inbox.try_recv() {
            batch.push_str(&text);
            waiting.push(tell);
        }
        if broken.is_none() {
            let written = file.write_all(batch.as_bytes()).and_then(|()| file.sync_data());
            broken = written.err().map(|error| error.to_string());
        }
        for tell in waiting.drain(..) {
            let outcome = match &broken {
                None => Ok(()),
                Some(why) => Err(format!("the journal cannot be written: {why}")),
            };
            // Who asked may have been stopped meanwhile.
            let _ = tell.send(outcome);
        }
        batch.clear();
    }
}

/// The records of a file: where answers are, what they cost, and how much is whole.
fn scan(
    file: &File,
    path: &Path,
    run: &str,
    price: impl Fn(&str) -> Option<Price>,
) -> Result<(BTreeMap<Digest, Span>, Opened, u64), JournalError> {
    let name = || path.display().to_string();
    let io = |error| JournalError::Io { path: name(), error };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut known, mut opened) = (BTreeMap::new(), Opened::default());
    let (mut at, mut number) = (0, 0);
    // The first record that cannot be read. The end of the file may be torn; what
    // stands before a record that is whole may not.
    let mut bad: Option<(u64, u64, String)> = None;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(io)? as u64;
        if length == 0 {
            break;
        }
        number += 1;
        match (parse(&bytes), &bad) {
            (Ok(_), Some((_, line, why))) => {
                return Err(JournalError::Damaged { path: name(), line: *line, why: why.clone() });
            }
            (Ok(Record::Journal { version, .. }), None) if version != VERSION => {
                return Err(JournalError::Version { path: name(), version });
            }
            (Ok(Record::Journal { run: other, .. }), None) if other != run => {
                return Err(JournalError::OtherRun(name()));
            }
            (Ok(Record::Journal { .. }), None) => {}
            (Ok(_), None) if number == 1 => {
                let why = "the first record does not name a run".to_owned();
                return Err(JournalError::Damaged { path: name(), line: 1, why });
            }
            (Ok(Record::Call(call)), None) => {
                opened.answers += 1;
                if call.tries > 0 {
                    opened.spent.add(&Spent {
                        calls: 1,
                        input: call.spent.input.unwrap_or(0),
                        output: call.spent.output.unwrap_or(0),
                        reasoning: call.spent.reasoning.unwrap_or(0),
                        money: price(&call.model).map_or(Money::ZERO, |it| it.of(&call.spent)),
                    });
                }
                known.insert(
                    place(&call.at),
                    Span { at, length: u32::try_from(length).unwrap_or(u32::MAX) },
                );
            }
            (Ok(Record::Failed(_)), None) => opened.failures += 1,
            (Err(why), None) => bad = Some((at, number, why)),
            (Err(_), Some(_)) => {}
        }
        at += length;
    }
    let whole = bad.map_or(at, |(from, _, _)| from);
    opened.torn = at - whole;
    Ok((known, opened, whole))
}

fn place(at: &str) -> Digest {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: a place in a journal");
    hasher.update(at.as_bytes());
    Digest::of(&hasher)
}

fn checksum(text: &str) -> String {
    let mut hex = blake3::hash(text.as_bytes()).to_hex().to_string();
    hex.truncate(DIGITS);
    hex
}

fn line(record: &Record<'_>) -> String {
    // Records hold texts and numbers only; such are always written.
    let text = serde_json::to_string(record).unwrap_or_default();
    format!("{} {text}\n", checksum(&text))
}

fn parse(bytes: &[u8]) -> Result<Record<'static>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is no text".to_owned())?;
    let text = text.strip_suffix('\n').ok_or_else(|| "its end is missing".to_owned())?;
    let (sum, text) = text
        .split_once(' ')
        .filter(|(sum, _)| sum.len() == DIGITS)
        .ok_or_else(|| "it has no checksum".to_owned())?;
    if sum != checksum(text) {
        return Err("its checksum is another".to_owned());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
