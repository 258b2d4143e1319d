//! The journal: every response of an endpoint, in one append-only file.
//!
//! A record is a line: a checksum, its number, JSON. The first one has the format version and the
//! run, and no number. [`Journal::append`] completes when its record is on disk; records of several
//! threads are written together.
//!
//! A crash can only truncate the end of the file: the beginning of one record, or zeros that a file
//! system put there. It is moved to a file next to the journal when the journal is opened again,
//! because nothing was built on it. Anything else that cannot be read is an error: a paid response
//! is never dropped. CRLF line ends and a byte order mark, which a copy may add, are ignored.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::sealed_line::{self, CHECKSUM_DIGITS};
use super::{Price, Spent};
use crate::provider::{ConversationHash, FailureKind, Reply, Usage};
use ifs_base::replace;
use ifs_base::world;

/// Since version 2, records have numbers.
const VERSION: u32 = 2;

/// The maximum size of a truncated record, in bytes: a response is at most 16 MB, and JSON
/// writes a control character with six.
pub(super) const MAX_RECORD_BYTES: usize = 6 * (16 << 20) + (1 << 20);

/// The maximum size of `NAME.torn` before more is appended.
const MAX_TORN_BYTES: u64 = 1 << 29;

/// The maximum number of zeros after a crash: one page of the file system.
const PAGE_BYTES: usize = 4096;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "written one at a time and never kept")]
pub enum JournalRecord<'a> {
    /// The first one.
    Journal {
        version: u32,
        run: Cow<'a, str>,
    },
    Call(CallRecord<'a>),
    Failed(FailedRecord<'a>),
    Batch(BatchRecord),
}

/// A step of a batch of requests, by its number in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchRecord {
    /// It is about to be created.
    Planned(PlannedBatch),
    /// The name that the endpoint gave it.
    Created { number: u64, id: String },
    /// The requests that have no response in it are sent again.
    Dropped { number: u64 },
}

/// The data of a batch that are needed to find it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedBatch {
    pub number: u64,
    pub model: String,
    /// Makes the names of its requests unique.
    pub salt: String,
    /// The uploaded file, in the form that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The places of its requests and their hashes.
    pub rows: Vec<(String, String)>,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallRecord<'a> {
    /// Its place in the run.
    pub at: Cow<'a, str>,
    pub model: Cow<'a, str>,
    /// The hash of the request: conversation, model and parameters.
    pub asked: Cow<'a, str>,
    /// The number of attempts; 0 for a cached response.
    pub tries: u32,
    /// How long the last attempt took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Whether it came from a batch, which costs half.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
    /// The tokens used, estimated if the endpoint reported none.
    pub spent: Usage,
    pub reply: Cow<'a, Reply>,
}

/// A request that failed for good. It is sent again when the run is resumed.
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
    #[error("`{0}` is empty, and a journal begins with the name of its run")]
    Empty(String),
    #[error("`{path}` is {found}, and a journal is lines of UTF-8 text")]
    Encoded { path: String, found: &'static str },
    #[error("`{0}` is a link; a journal must be a regular file")]
    Link(String),
}

/// The latencies of the requests whose place begins with `places`, for displays of a run. A record
/// that cannot be read has none: the journal is verified when a run is resumed.
pub fn latencies(path: &Path, places: &str) -> Result<BTreeMap<String, u64>, std::io::Error> {
    #[derive(Deserialize)]
    struct JournalLine<'a> {
        #[serde(borrow)]
        call: Latency<'a>,
    }
    #[derive(Deserialize)]
    struct Latency<'a> {
        #[serde(borrow)]
        at: Cow<'a, str>,
        latency_ms: Option<u64>,
    }
    let mut reader = BufReader::with_capacity(1 << 16, world::open_regular(path)?);
    let (mut found, mut line) = (BTreeMap::new(), Vec::new());
    loop {
        line.clear();
        if (&mut reader).take(MAX_RECORD_BYTES as u64).read_until(b'\n', &mut line)? == 0 {
            return Ok(found);
        }
        let Some(start) = line.iter().position(|byte| *byte == b'{') else { continue };
        let Ok(JournalLine { call }) = serde_json::from_slice::<JournalLine<'_>>(&line[start..])
        else {
            continue;
        };
        if let Some(latency) = call.latency_ms.filter(|_| call.at.starts_with(places)) {
            found.insert(call.at.into_owned(), latency);
        }
    }
}

/// The run that a journal belongs to; `None` if there is no journal, or its first record cannot be
/// read.
pub fn run_of_journal(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    let mut reader = BufReader::new(world::open_regular(path).ok()?);
    (&mut reader).take(PAGE_BYTES as u64).read_until(b'\n', &mut line).ok()?;
    match parse(&line).ok()?.record {
        JournalRecord::Journal { run, .. } => Some(run.into_owned()),
        JournalRecord::Call(_) | JournalRecord::Failed(_) | JournalRecord::Batch(_) => None,
    }
}

/// The content of an existing journal.
#[derive(Debug, Default)]
pub struct Opened {
    pub answers: u64,
    /// Requests that failed for good.
    pub failures: u64,
    /// The number of missing records before the last one.
    pub lost: u64,
    /// The size of an incomplete record, and the file that it was moved to.
    pub torn: u64,
    pub torn_in: PathBuf,
    /// The cost of the responses by today's prices. Cached ones cost nothing.
    pub spent: Spent,
    /// The known batches, in order.
    pub batches: Vec<BatchRecord>,
}

/// A record to write, as JSON, and a channel for the result.
type WriteRequest = (String, oneshot::Sender<Result<(), String>>);

pub struct Journal {
    path: PathBuf,
    /// The positions of the responses that the file had when it was opened.
    known: BTreeMap<ConversationHash, ByteRange>,
    reader: Mutex<File>,
    entries: Option<mpsc::Sender<WriteRequest>>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy)]
struct ByteRange {
    at: u64,
    length: u32,
}

impl Journal {
    /// Creates a journal for a run.
    pub fn create(path: &Path, run: &str) -> Result<Journal, JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        // It has its name when its first record is on the disk: an empty one is never ours.
        let draft = path.with_extension(replace::draft_suffix());
        let mut file = replace::fresh(&draft).map_err(io)?;
        lock(&file, path)?;
        let header = JournalRecord::Journal { version: VERSION, run: run.into() };
        let header = line(None, &json(&header));
        let written = file.write_all(header.as_bytes()).and_then(|()| file.sync_all());
        // A second name never takes the place of a journal that another process made meanwhile.
        let named = written.and_then(|()| match std::fs::hard_link(&draft, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => std::fs::rename(&draft, path),
            other => other,
        });
        let _ = std::fs::remove_file(&draft);
        named.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => JournalError::InUse(path.display().to_string()),
            _ => io(error),
        })?;
        replace::sync_folder(path);
        Journal::start(path, file, BTreeMap::new(), 0)
    }

    /// Opens the journal of a run to resume it.
    pub fn open(
        path: &Path,
        run: &str,
        price: impl Fn(&str) -> Option<Price>,
    ) -> Result<(Journal, Opened), JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        if std::fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink()) {
            return Err(JournalError::Link(path.display().to_string()));
        }
        world::open_regular(path).map_err(io)?;
        let file = File::options().read(true).append(true).open(path).map_err(io)?;
        lock(&file, path)?;
        let Scanned { known, mut opened, records, kept, open_end } = scan(&file, path, run, price)?;
        if opened.torn > 0 {
            opened.torn_in = save_torn_tail(&file, path, kept).map_err(io)?;
            file.set_len(kept).and_then(|()| file.sync_all()).map_err(io)?;
        }
        if open_end {
            (&file).write_all(b"\n").and_then(|()| file.sync_all()).map_err(io)?;
        }
        Ok((Journal::start(path, file, known, records)?, opened))
    }

    fn start(
        path: &Path,
        file: File,
        known: BTreeMap<ConversationHash, ByteRange>,
        records: u64,
    ) -> Result<Journal, JournalError> {
        let io = |error| JournalError::Io { path: path.display().to_string(), error };
        let reader = Mutex::new(File::open(path).map_err(io)?);
        let (entries, inbox) = mpsc::channel();
        let place = path.to_owned();
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write_all(file, &place, records, &inbox))
            .map_err(io)?;
        Ok(Journal {
            path: path.to_owned(),
            known,
            reader,
            entries: Some(entries),
            writer: Some(writer),
        })
    }

    /// The number of responses when it was opened.
    pub fn response_count(&self) -> u64 {
        self.known.len() as u64
    }

    /// The response recorded for a place, with the hash of its request.
    pub fn find(&self, at: &str) -> Result<Option<(String, Reply)>, String> {
        let Some(span) = self.known.get(&conversation_hash(at)) else { return Ok(None) };
        let text = self
            .read_range(*span)
            .map_err(|error| format!("`{}`: {error}", self.path.display()))?;
        match parse(text.as_bytes()).map(|numbered| numbered.record) {
            Ok(JournalRecord::Call(call)) => {
                Ok(Some((call.asked.into_owned(), call.reply.into_owned())))
            }
            Ok(_) => Ok(None),
            Err(why) => Err(format!("`{}` has changed: {why}", self.path.display())),
        }
    }

    fn read_range(&self, span: ByteRange) -> Result<String, std::io::Error> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.seek(SeekFrom::Start(span.at))?;
        let mut bytes = vec![0; span.length as usize];
        reader.read_exact(&mut bytes)?;
        String::from_utf8(bytes).map_err(std::io::Error::other)
    }

    /// Completes when the record is on disk.
    pub async fn append(&self, record: &JournalRecord<'_>) -> Result<(), String> {
        let (report, reported) = oneshot::channel();
        let gone = || "the journal is closed".to_owned();
        let entries = self.entries.as_ref().ok_or_else(gone)?;
        entries.send((json(record), report)).map_err(|_| gone())?;
        reported.await.map_err(|_| gone())?
    }
}

/// Writes the records of several journals of one run into a new one, numbered in their order.
///
/// # Errors
/// Returns an error if a journal is damaged or of another run, or if the new one cannot be written.
pub fn merge_journals(
    from: &[(PathBuf, String)],
    to: &Path,
    run: &str,
) -> Result<(), JournalError> {
    let header = json(&JournalRecord::Journal { version: VERSION, run: run.into() });
    let mut out = replace::Draft::next_to(to.to_owned()).map_err(|error| io_at(to, error))?;
    out.write_all(line(None, &header).as_bytes()).map_err(|error| io_at(to, error))?;
    let mut number = 0;
    for (path, of) in from {
        let io = |error| io_at(path, error);
        let file = world::open_regular(path).map_err(io)?;
        // Reports damage, and a response that is there twice.
        let Scanned { opened, .. } = scan(&file, path, of, |_| None)?;
        if opened.torn > 0 || opened.lost > 0 {
            let why = "records are missing at its end".to_owned();
            return Err(JournalError::Damaged { path: path.display().to_string(), line: 0, why });
        }
        let mut reader = BufReader::new(world::open_regular(path).map_err(io)?);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if (&mut reader)
                .take(MAX_RECORD_BYTES as u64)
                .read_until(b'\n', &mut bytes)
                .map_err(io)?
                == 0
            {
                break;
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let Ok(Numbered { record, .. }) = parse(&bytes) else { continue };
            // The runs are complete, so no batch is looked for again.
            if matches!(record, JournalRecord::Journal { .. } | JournalRecord::Batch(_)) {
                continue;
            }
            number += 1;
            let record = line(Some(number), &json(&record));
            out.write_all(record.as_bytes()).map_err(|error| io_at(to, error))?;
        }
    }
    out.finish().map_err(|error| io_at(to, error))
}

fn io_at(path: &Path, error: std::io::Error) -> JournalError {
    JournalError::Io { path: path.display().to_string(), error }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.entries = None;
        if let Some(writer) = self.writer.take() {
            // It ends when no one sends any more, and panics at nothing.
            let _ = writer.join();
        }
    }
}

/// Appends what follows `kept` to `NAME.torn` next to the journal, and removes it from the journal.
fn save_torn_tail(mut file: &File, path: &Path, kept: u64) -> Result<PathBuf, std::io::Error> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".torn");
    let other = path.with_file_name(name);
    let ours = std::fs::symlink_metadata(&other).is_ok_and(|facts| facts.is_file());
    let mut bytes = if ours { world::read_regular(&other, MAX_TORN_BYTES)? } else { Vec::new() };
    if !bytes.is_empty() {
        bytes.push(b'\n');
    }
    file.seek(SeekFrom::Start(kept))?;
    file.read_to_end(&mut bytes)?;
    replace::write(&other, &bytes)?;
    Ok(other)
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse(path.display().to_string())),
        // Some file systems have no locks; then two runs at a time are the user's care.
        Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Writes incoming records in batches. After a failed write nothing more is written, because the
/// end of the file is unknown.
fn write_all(mut file: File, path: &Path, mut records: u64, inbox: &mpsc::Receiver<WriteRequest>) {
    let mut length = file.metadata().map(|facts| facts.len());
    let mut broken: Option<String> = None;
    let mut batch = String::new();
    let mut waiting = Vec::new();
    while let Ok(first) = inbox.recv() {
        for (text, report) in std::iter::once(first).chain(inbox.try_iter()) {
            records += 1;
            batch.push_str(&line(Some(records), &text));
            waiting.push(report);
        }
        if broken.is_none() {
            let written = require_length(&file, &mut length)
                .and_then(|()| file.write_all(batch.as_bytes()))
                .and_then(|()| file.sync_data());
            length = length.map(|length| length + batch.len() as u64);
            let gone = || format!("`{}` was moved or deleted while it was written", path.display());
            broken = match written {
                Err(error) => Some(format!("the journal cannot be written: {error}")),
                // Responses in a file that cannot be found again are lost.
                Ok(()) => (!is_file_at(&file, path)).then(gone),
            };
        }
        for report in waiting.drain(..) {
            let outcome = match &broken {
                None => Ok(()),
                Some(why) => Err(why.clone()),
            };
            // Who asked may have been stopped meanwhile.
            let _ = report.send(outcome);
        }
        batch.clear();
    }
}

/// Checks that a file has the length that was written: responses that another program removed would
/// be paid for again.
fn require_length(file: &File, length: &mut std::io::Result<u64>) -> std::io::Result<()> {
    let expected = match length {
        Ok(length) => *length,
        Err(error) => return Err(std::io::Error::new(error.kind(), error.to_string())),
    };
    match file.metadata()?.len() {
        found if found == expected => Ok(()),
        found => Err(std::io::Error::other(format!(
            "another program changed it: it has {found} bytes, and {expected} were written"
        ))),
    }
}

/// Whether an open file is the one at a path.
fn is_file_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (Ok(open), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else {
            return false;
        };
        (open.dev(), open.ino()) == (there.dev(), there.ino())
    }
    #[cfg(not(unix))]
    {
        file.metadata().is_ok() && path.exists()
    }
}

/// The parsed file of a journal.
struct Scanned {
    /// The positions of responses.
    known: BTreeMap<ConversationHash, ByteRange>,
    opened: Opened,
    /// The number of records after the first one.
    records: u64,
    /// The size without the incomplete record.
    kept: u64,
    /// The last record is complete except for its line end.
    open_end: bool,
}

fn scan(
    file: &File,
    path: &Path,
    run: &str,
    price: impl Fn(&str) -> Option<Price>,
) -> Result<Scanned, JournalError> {
    let name = || path.display().to_string();
    let io = |error| JournalError::Io { path: name(), error };
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut known, mut opened) = (BTreeMap::new(), Opened::default());
    let (mut at, mut number) = (0, 0);
    let (mut records, mut highest) = (0, 0);
    let (mut begun, mut open_end) = (false, false);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let most = MAX_RECORD_BYTES as u64 + 1;
        let read = (&mut reader).take(most).read_until(b'\n', &mut bytes);
        let length = read.map_err(io)? as u64;
        if length == 0 {
            break;
        }
        number += 1;
        if length == most {
            let why = "it is longer than any record".to_owned();
            return Err(JournalError::Damaged { path: name(), line: number, why });
        }
        open_end = !bytes.ends_with(b"\n");
        if bytes.trim_ascii().is_empty() {
            at += length;
            continue;
        }
        let first = !std::mem::replace(&mut begun, true);
        let Numbered { number: of_record, record } = match parse(&bytes) {
            Ok(record) => record,
            // Nothing comes after a line without an end.
            Err(_) if !first && open_end && is_incomplete_write(&bytes) => {
                opened.torn = length;
                open_end = false;
                break;
            }
            Err(_) if first && encoding(&bytes).is_some() => {
                let found = encoding(&bytes).unwrap_or_default();
                return Err(JournalError::Encoded { path: name(), found });
            }
            Err(why) => {
                let why = damage_cause(&bytes).map_or(why, str::to_owned);
                return Err(JournalError::Damaged { path: name(), line: number, why });
            }
        };
        match record {
            JournalRecord::Journal { version, .. } if !(1..=VERSION).contains(&version) => {
                return Err(JournalError::Version { path: name(), version });
            }
            JournalRecord::Journal { run: other, .. } if other != run => {
                return Err(JournalError::OtherRun(name()));
            }
            JournalRecord::Journal { .. } => {}
            _ if first => {
                let why = "the first record does not name a run".to_owned();
                return Err(JournalError::Damaged { path: name(), line: number, why });
            }
            JournalRecord::Call(call) => {
                opened.answers += 1;
                if call.tries > 0 {
                    let price = price(&call.model);
                    let price = if call.batch { price.map(Price::half) } else { price };
                    opened.spent.add(&Spent::of_call(&call.spent, price));
                }
                let span = ByteRange { at, length: u32::try_from(length).unwrap_or(u32::MAX) };
                if known.insert(conversation_hash(&call.at), span).is_some() {
                    let why = format!("it is a second response to `{}`", call.at);
                    return Err(JournalError::Damaged { path: name(), line: number, why });
                }
            }
            JournalRecord::Failed(_) => opened.failures += 1,
            JournalRecord::Batch(batch) => opened.batches.push(batch),
        }
        records += u64::from(!first);
        highest = highest.max(of_record);
        at += length;
    }
    // Responses that are requested again after a loss get the numbers after the last record.
    opened.lost = highest.saturating_sub(records);
    match begun {
        false => Err(JournalError::Empty(name())),
        true => Ok(Scanned { known, opened, records, kept: at, open_end }),
    }
}

/// Whether a last line without an end is what a crash leaves: the beginning of one record, after it
/// zeros up to a page, and nothing else. What follows a record that is all there is damage.
fn is_incomplete_write(bytes: &[u8]) -> bool {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let (begun, zeros) = bytes.split_at_checked(end).unwrap_or_default();
    if zeros.len() > PAGE_BYTES || begun.len() > MAX_RECORD_BYTES {
        return false;
    }
    let text = match std::str::from_utf8(begun) {
        Ok(text) => text,
        // Torn within a letter.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(begun.get(..error.valid_up_to()).unwrap_or_default())
                .unwrap_or_default()
        }
        Err(_) => return false,
    };
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let Some((sum, rest)) = text.split_at_checked(CHECKSUM_DIGITS) else {
        return text.bytes().all(is_digit);
    };
    if !sum.bytes().all(is_digit) {
        return false;
    }
    match rest.strip_prefix(' ') {
        None => rest.is_empty(),
        Some(rest) => {
            let json = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let json = json.strip_prefix(' ').unwrap_or(json);
            RECORD_PREFIXES
                .iter()
                .any(|begins| json.starts_with(begins) || begins.starts_with(json))
                && serde_json::from_str::<IgnoredAny>(json).is_err_and(|error| error.is_eof())
        }
    }
}

/// How records begin that are not the first.
const RECORD_PREFIXES: [&str; 3] =
    ["{\"call\":{\"at\":\"", "{\"failed\":{\"at\":\"", "{\"batch\":{\""];

/// How a text is written that is no UTF-8, as its beginning says.
fn encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] | [_, 0, _, 0, ..] | [0xfe, 0xff, ..] | [0, _, 0, _, ..]
            if bytes.iter().any(|byte| *byte != 0) =>
        {
            Some("UTF-16")
        }
        [0x1f, 0x8b, ..] => Some("packed by gzip"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some("packed by zstd"),
        _ => None,
    }
}

/// The reason why a line is unreadable, if its bytes show it.
fn damage_cause(bytes: &[u8]) -> Option<&'static str> {
    let line = bytes.trim_ascii();
    let whole = |part: &[u8]| parse(part).is_ok();
    if line.iter().all(|byte| *byte == 0) {
        Some("it consists of zero bytes")
    } else if line.contains(&0) {
        Some("it contains zero bytes")
    } else if line.contains(&b'\r') && line.split(|byte| *byte == b'\r').any(whole) {
        Some("its lines end in carriage returns alone")
    } else {
        None
    }
}

fn conversation_hash(at: &str) -> ConversationHash {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: a place in a journal");
    hasher.update(at.as_bytes());
    ConversationHash::from_hasher(&hasher)
}

fn json(record: &JournalRecord<'_>) -> String {
    // Records hold texts and numbers only; such are always written.
    serde_json::to_string(record).unwrap_or_default()
}

fn line(number: Option<u64>, json: &str) -> String {
    let text = number.map_or_else(|| json.to_owned(), |number| format!("{number} {json}"));
    sealed_line::line(&text)
}

/// A record and its number; 0 for the first one, and for those of version 1.
struct Numbered {
    number: u64,
    record: JournalRecord<'static>,
}

fn parse(bytes: &[u8]) -> Result<Numbered, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    let text = sealed_line::open(text)?;
    let (number, json) = match text.split_once(' ') {
        Some((digits, json)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (digits.parse().map_err(|_| format!("`{digits}` is not the number of a record"))?, json)
        }
        _ => (0, text),
    };
    let record = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(Numbered { number, record })
}

#[cfg(test)]
mod tests;
