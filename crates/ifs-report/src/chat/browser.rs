//! Every dialogue of a run on one page: an index that filters read, and the chats in compressed
//! chunks, of which the reader's browser decompresses those that are opened.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::super::words::verdict_mark;
use super::{ChatView, article};
use ifs_score::TurnOutcome;

/// The size of a chunk before it is compressed, in bytes. One is opened in some milliseconds.
const CHUNK_BYTES: usize = 1 << 19;

/// The most bytes of compressed chunks on a page; browsers open it within a second.
const MAX_CHUNK_BYTES: usize = 48 << 20;

/// Between the chats of a chunk. Escaped texts do not contain it.
const CHAT_SEPARATOR: char = '\u{1e}';

/// The dialogues of a run, for its report.
#[derive(Debug, Default)]
pub struct Browser {
    names: NumberedNames,
    /// The runs of a page of several.
    runs: Vec<String>,
    dialogues: Vec<IndexEntry>,
    chunks: Vec<String>,
    size: usize,
    /// The last chunk, which is compressed while the next one is rendered.
    closing: Option<JoinHandle<String>>,
    closed: usize,
    open: String,
    opened: usize,
}

/// Constraints and topics, each once.
#[derive(Debug, Default)]
struct NumberedNames {
    numbers: BTreeMap<String, usize>,
    list: Vec<String>,
}

impl NumberedNames {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.list.len();
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// A dialogue in the index.
#[derive(Debug, Serialize)]
struct IndexEntry {
    #[serde(rename = "n")]
    index: u64,
    /// The number of its run among several, from 1.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
    /// A mark for the outcome of each turn.
    #[serde(rename = "v")]
    outcomes: String,
    /// Decided turns that succeeded, and all.
    #[serde(rename = "s")]
    successes: (usize, usize),
    /// The chunk, and the position in it; absent if the chat is not on the page.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    at: Option<(usize, usize)>,
    /// The number of each turn, and the names of what was missed on it.
    #[serde(rename = "m", skip_serializing_if = "Vec::is_empty")]
    missed: Vec<(u32, Vec<usize>)>,
    #[serde(rename = "t", skip_serializing_if = "Vec::is_empty")]
    topics: Vec<usize>,
}

impl Browser {
    /// Begins the next of several runs; its dialogues have this number in their `run`.
    pub fn begin_run(&mut self, name: &str) -> usize {
        self.runs.push(name.to_owned());
        self.runs.len()
    }

    /// Adds a dialogue. Pictures are named: those that a report shows are in a section of their own.
    pub fn add(&mut self, chat: &ChatView<'_>) {
        let outcomes =
            chat.turns.iter().map(|turn| verdict_mark(turn.outcome.unwrap_or(TurnOutcome::Empty)));
        let outcomes = outcomes.collect();
        let mut missed = Vec::new();
        for turn in &chat.turns {
            let Some(first) = turn.answers.first() else { continue };
            let names = first.verdicts.iter().filter(|verdict| verdict.is_missed());
            let mut names: Vec<usize> =
                names.map(|verdict| self.names.number(&super::filtered_by(verdict))).collect();
            names.sort_unstable();
            names.dedup();
            if !names.is_empty() || turn.outcome == Some(TurnOutcome::Failure) {
                missed.push((turn.script.turn, names));
            }
        }
        let mut topics: Vec<usize> = chat
            .turns
            .iter()
            .map(|turn| turn.script.topic.as_str())
            .chain(chat.turns.iter().filter_map(|turn| turn.script.over.as_deref()))
            .filter(|topic| !topic.is_empty())
            .map(|topic| self.names.number(topic))
            .collect();
        topics.sort_unstable();
        topics.dedup();
        let at = (self.size < MAX_CHUNK_BYTES).then(|| {
            if self.opened > 0 {
                self.open.push(CHAT_SEPARATOR);
            }
            self.open.push_str(&article(chat, &mut |_| None));
            self.opened += 1;
            (self.closed, self.opened - 1)
        });
        let (index, successes) = (chat.index, chat.successes());
        let run = chat.run;
        self.dialogues.push(IndexEntry { index, run, outcomes, successes, at, missed, topics });
        if self.open.len() >= CHUNK_BYTES {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.opened == 0 {
            return;
        }
        // The size is that of all chunks before the last, however long a thread takes.
        self.collect();
        let chats = Arc::new(std::mem::take(&mut self.open));
        self.opened = 0;
        self.closed += 1;
        let given = Arc::clone(&chats);
        match Builder::new().spawn(move || compressed(&given)) {
            Ok(closing) => self.closing = Some(closing),
            Err(_) => self.push_chunk(compressed(&chats)),
        }
    }

    /// Waits for the chunk that is being compressed.
    fn collect(&mut self) {
        if let Some(closing) = self.closing.take() {
            match closing.join() {
                Ok(chunk) => self.push_chunk(chunk),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    }

    fn push_chunk(&mut self, chunk: String) {
        self.size += chunk.len();
        self.chunks.push(chunk);
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dialogues.is_empty()
    }

    /// The section of a page, without the script that fills it and without its chats.
    pub(crate) fn section(&self) -> String {
        let mut page = String::from(include_str!("browser.html"));
        let index = serde_json::json!({ "names": self.names.list, "runs": self.runs, "dialogues": self.dialogues });
        page.push_str(&format!(
            "<script type=\"application/json\" id=\"index\">{}</script>\n",
            inline(&index)
        ));
        page
    }

    /// The chats, which follow the section.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = &str> {
        self.chunks.iter().map(String::as_str)
    }

    /// Adds what is left of the last chunk.
    #[must_use]
    pub fn finished(mut self) -> Browser {
        self.close();
        self.collect();
        self
    }
}

/// How much work compression takes: level 6 takes twice as long and saves 4 %.
const COMPRESSION_LEVEL: u32 = 4;

/// Chats as an element of the page.
fn compressed(chats: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(COMPRESSION_LEVEL));
    // Memory can always be written to.
    let written = encoder.write_all(chats.as_bytes()).and_then(|()| encoder.finish());
    let mut chunk = String::from("<script type=\"text/plain\" class=\"chunk\">");
    BASE64_STANDARD.encode_string(written.unwrap_or_default(), &mut chunk);
    chunk.push_str("</script>\n");
    chunk
}

/// JSON within a `script` element, which ends at `</script` wherever that is.
fn inline(json: &serde_json::Value) -> String {
    let text = json.to_string();
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
