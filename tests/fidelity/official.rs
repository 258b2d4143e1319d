//! Reads the official files.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::Row;

/// The records of a `.jsonl` or `.jsonl.gz` file. `None`, with a message, if the file does not
/// exist.
///
/// Records with invalid text (lone surrogates) are left out.
pub(crate) fn records<T: for<'a> Deserialize<'a>>(data: &Path, name: &str) -> Option<Vec<T>> {
    let path = data.join(name);
    if !path.is_file() {
        eprintln!("SKIPPED: no {name}");
        return None;
    }
    let mut text = String::new();
    let file = fs::File::open(&path).ok()?;
    let read = match name.ends_with(".gz") {
        true => GzDecoder::new(file).read_to_string(&mut text),
        false => std::io::BufReader::new(file).read_to_string(&mut text),
    };
    read.unwrap_or_else(|error| panic!("{name}: {error}"));
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

#[derive(Deserialize)]
struct EdgeCase {
    text_id: String,
    text: String,
}

#[derive(Deserialize)]
struct Answer {
    response_id: String,
    response: String,
}

/// The hand-written texts and GPT-4's responses, by name.
pub(crate) fn texts(data: &Path) -> Option<BTreeMap<String, String>> {
    let edge_cases: Vec<EdgeCase> = records(data, "ifeval/edge_cases.jsonl")?;
    let answers: Vec<Answer> = records(data, "ifeval/responses/gpt4_20231107.jsonl.gz")?;
    let mut texts: BTreeMap<String, String> =
        edge_cases.into_iter().map(|case| (case.text_id, case.text)).collect();
    texts.extend(answers.into_iter().map(|answer| (answer.response_id, answer.response)));
    Some(texts)
}

/// Counts agreements, and keeps the first disagreement.
pub(crate) struct Tally {
    row: Row,
    left_out: usize,
}

impl Tally {
    pub(crate) fn new(suite: impl Into<String>) -> Tally {
        let row = Row { suite: suite.into(), compared: 0, agreeing: 0, note: String::new() };
        Tally { row, left_out: 0 }
    }

    pub(crate) fn compare(&mut self, same: bool, what: impl FnOnce() -> String) {
        self.row.compared += 1;
        if same {
            self.row.agreeing += 1;
        } else if self.row.note.is_empty() {
            self.row.note = what();
        }
    }

    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    pub(crate) fn row(mut self) -> Row {
        if self.left_out > 0 {
            let left_out = self.left_out;
            self.row.note = format!("{} ({left_out} left out: no text)", self.row.note);
        }
        self.row
    }
}

pub(crate) fn texts_of(value: &Json) -> Vec<String> {
    let members = value.as_array().map(Vec::as_slice).unwrap_or_default();
    members.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}
