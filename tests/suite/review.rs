//! Synthesis without a network: simulated synthesizers, and a person who reviews flagged turns.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::interactive::ifs;

#[track_caller]
fn good(folder: &Path, args: &[&str], said: &str) -> String {
    let output = ifs(folder, args, said);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    text
}

const WORDS: [&str; 11] = [
    "synthesize",
    "a/a.ifs",
    "--synthesizer",
    "sim/careless:0.6",
    "--checker",
    "sim/literal",
    "-n",
    "6",
    "--turns",
    "8",
    "--out",
];

/// A folder with an utterance set, some of whose turns are flagged.
fn flagged() -> TempDir {
    let folder = TempDir::new().unwrap();
    good(folder.path(), &["new", "a"], "");
    let said = good(folder.path(), &[&WORDS[..], &["w.jsonl"]].concat(), "");
    assert!(said.contains("SIMULATED") && said.contains("ifs review w.jsonl"), "{said}");
    folder
}

fn rows(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("w.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn states(folder: &Path, state: &str) -> Vec<Value> {
    rows(folder).into_iter().skip(1).filter(|row| row["state"] == state).collect()
}

#[test]
fn the_same_command_writes_the_same_words() {
    let folder = flagged();
    good(folder.path(), &[&WORDS[..], &["again.jsonl", "-j", "1"]].concat(), "");
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("w.jsonl"), read("again.jsonl"));
    let rows = rows(folder.path());
    assert_eq!(rows[0]["made"]["simulated"], true);
    for state in ["passed", "retried", "flagged"] {
        assert!(!states(folder.path(), state).is_empty(), "{state}");
    }
    let summary = good(folder.path(), &["review", "w.jsonl", "--summary", "--format", "json"], "");
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let count = |state| states(folder.path(), state).len();
    assert_eq!(summary["all"]["turns"], rows.len() - 1);
    assert_eq!(summary["all"]["at_once"], count("passed"));
    assert_eq!(summary["synthesizers"]["sim/careless:0.6"]["flagged"], count("flagged"));
}

#[test]
fn reviewed_sets_are_frozen() {
    let folder = flagged();
    let path = folder.path();
    let before = states(path, "flagged");
    assert!(before.len() >= 4, "{}", before.len());
    let refused = ifs(path, &["run", "a/a.ifs", "--utterances", "w.jsonl"], "");
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not frozen"));

    // A word that is not a decision, three decisions, and then the pipe ends.
    let said =
        good(path, &["review", "w.jsonl"], "what?\na\nedit\nMy own words,\non two lines.\n.\nr\n");
    assert!(
        said.contains(&format!("1 of {}", before.len())) && said.contains("one letter"),
        "{said}"
    );
    assert!(said.contains("is missing"), "{said}");
    assert_eq!(states(path, "accepted")[0]["message"], before[0]["message"]);
    assert_eq!(states(path, "edited")[0]["message"], "My own words,\non two lines.");
    assert_eq!(states(path, "rejected")[0]["message"], before[2]["plain"]);
    assert_eq!(states(path, "flagged"), before[3..]);
    assert_eq!(rows(path)[0]["hash"], Value::Null);

    // It continues with what is left: what is skipped, and an edit without its end, stays flagged.
    let skips = "s\n".repeat(before.len() - 4);
    good(path, &["review", "w.jsonl"], &format!("{skips}e\nnot whole"));
    assert_eq!(states(path, "flagged"), before[3..]);
    let said = good(path, &["review", "w.jsonl"], &"r\n".repeat(before.len() - 3));
    assert!(said.contains("frozen as version 1"), "{said}");
    assert!(states(path, "flagged").is_empty());
    assert_eq!(rows(path)[0]["version"], 1);

    let said = good(path, &["run", "a/a.ifs", "--utterances", "w.jsonl", "--out", "out"], "");
    assert!(said.contains("out"), "{said}");
    let transcripts = std::fs::read_to_string(path.join("out/transcripts.jsonl")).unwrap();
    let asks: Vec<Value> = transcripts
        .lines()
        .flat_map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["turns"].as_array().unwrap().clone()
        })
        .map(|turn| turn["ask"].clone())
        .collect();
    let words: Vec<Value> = rows(path).iter().skip(1).map(|row| row["message"].clone()).collect();
    assert!(!asks.is_empty() && asks.iter().all(|ask| words.contains(ask)));
    assert!(asks.contains(&"My own words,\non two lines.".into()));

    // A person may also review turns that passed, which gives another version.
    let said = good(path, &["review", "w.jsonl", "--all"], "e\nBetter.\n.\nq\n");
    assert!(said.contains("frozen as version 2"), "{said}");
    assert_eq!(states(path, "edited").len(), 2);
    good(path, &["review", "w.jsonl"], "");
    assert_eq!(rows(path)[0]["version"], 2, "nothing was decided");
}

#[test]
fn control_characters_are_not_printed() {
    let folder = flagged();
    let text = std::fs::read_to_string(folder.path().join("w.jsonl")).unwrap();
    let text = text.replace("\"message\":\"", "\"message\":\"\\u001b[2J");
    std::fs::write(folder.path().join("w.jsonl"), text).unwrap();
    let said = good(folder.path(), &["review", "w.jsonl"], "q\n");
    assert!(said.contains("[2J") && !said.contains('\u{1b}'), "{said:?}");
}
