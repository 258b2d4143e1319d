//! `ifs report` for other programs: files and texts that they read.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::read::DeflateDecoder;

use super::*;

fn number(bytes: &[u8], at: usize, length: usize) -> usize {
    bytes[at..at + length].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// The files of a zip archive, found by its directory.
pub fn unpacked(bytes: &[u8]) -> BTreeMap<String, Json> {
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let mut at = number(bytes, end + 16, 4);
    let mut files = BTreeMap::new();
    for _ in 0..number(bytes, end + 10, 2) {
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        let name = &bytes[at + 46..at + 46 + number(bytes, at + 28, 2)];
        let (packed, from) = (number(bytes, at + 20, 4), number(bytes, at + 42, 4));
        let content = from + 30 + number(bytes, from + 26, 2) + number(bytes, from + 28, 2);
        let mut text = String::new();
        DeflateDecoder::new(&bytes[content..content + packed]).read_to_string(&mut text).unwrap();
        assert_eq!(text.len(), number(bytes, at + 24, 4));
        at += 46 + name.len();
        let name = String::from_utf8(name.to_vec()).unwrap();
        files.insert(name, serde_json::from_str(&text).unwrap());
    }
    assert_eq!(at, end);
    files
}

fn log(folder: &TempDir, path: &str) -> BTreeMap<String, Json> {
    unpacked(&fs::read(file(folder, path)).unwrap())
}

/// inspect_ai's own reader reads such logs in `just interop`.
#[test]
fn a_log_of_inspect_has_every_dialogue_and_score() {
    let folder = with_run(&["-m", "sim/forgetful", "--max-turns", "3"]);
    let at = folder.path();
    let ran = ifs(at, &["report", "out", "--format", "inspect", "--out", "logs"]).ends(GOOD);
    let path = ran.out.trim();
    assert!(path.starts_with("logs/20") && path.ends_with(".eval"), "{path}");
    let log = log(&folder, path);
    let names: Vec<&str> = log.keys().map(String::as_str).collect();
    let samples: Vec<String> =
        (0..4).map(|index| format!("samples/{index}_epoch_1.json")).collect();
    for name in ["_journal/start.json", "header.json", "summaries.json", "reductions.json"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let report = ifs(at, &["report", "out", "--format", "json"]).ends(GOOD).json();
    let header = &log["header.json"];
    assert_eq!(header["version"], 2);
    assert_eq!(header["status"], "success");
    for required in ["created", "task", "dataset", "model", "config"] {
        assert!(!header["eval"][required].is_null(), "{required}");
    }
    assert_eq!(header["eval"]["model"], "sim/forgetful");
    assert_eq!(header["eval"]["metadata"]["definition_hash"], report["plan_hash"]);
    assert_eq!(header["eval"]["metadata"]["simulated_model"], true);
    // The results are the metrics of the report, with their standard errors.
    let scores = header["results"]["scores"].as_array().unwrap();
    assert!(scores.len() > 3, "{scores:?}");
    for score in scores {
        let metrics = report["metrics"].as_array().unwrap();
        let metric = metrics.iter().find(|metric| metric["name"] == score["name"]).unwrap();
        assert_eq!(score["metrics"]["value"]["value"], metric["value"]);
        assert_eq!(score["metrics"]["stderr"]["value"], metric["standard_error"]);
    }
    let transcripts = lines(&read(&folder, "out/transcripts.jsonl"));
    assert_eq!(log["summaries.json"].as_array().unwrap().len(), transcripts.len());
    for (name, held) in samples.iter().zip(&transcripts) {
        let sample = &log[name];
        assert_eq!(sample["id"], held["index"]);
        let messages = sample["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "system");
        let said = messages[1..].iter().map(|message| message["content"].as_str().unwrap());
        let turns = held["turns"].as_array().unwrap().iter();
        let wanted = turns.flat_map(|turn| [&turn["ask"], &turn["answer"]]);
        assert!(said.eq(wanted.map(|text| text.as_str().unwrap())), "{name}");
        assert_eq!(
            sample["limit"]["type"],
            if held["ending"] == "patience" { "custom" } else { "turn" }
        );
        // A request has the complete conversation before it.
        let events = sample["events"].as_array().unwrap();
        let requests = events.iter().filter(|event| event["event"] == "model");
        let mut sent = 0;
        for (turn, request) in requests.enumerate() {
            let ranges = request["input_refs"].as_array().unwrap();
            let length = |range: &Json| range[1].as_u64().unwrap() - range[0].as_u64().unwrap();
            assert_eq!(ranges.iter().map(length).sum::<u64>(), 2 * turn as u64 + 2);
            sent += 1;
        }
        assert_eq!(sent, held["turns"].as_array().unwrap().len());
    }
    // The reasons of the first failure are in an intermediate score.
    let failed = transcripts.iter().position(|held| {
        held["turns"][0]["verdicts"].as_array().unwrap().iter().any(|it| it["outcome"] == "missed")
    });
    if let Some(failed) = failed {
        let events = log[&samples[failed]]["events"].to_string();
        assert!(events.contains("missed "), "{events}");
    }
    let again = ifs(at, &["report", "out", "--format", "inspect", "--out", "again"]).ends(GOOD);
    let bytes = |path: &str| fs::read(file(&folder, path.trim())).unwrap();
    assert_eq!(bytes(&again.out), bytes(path), "the same run gives the same log");
}

#[test]
fn a_log_needs_a_folder_and_an_incomplete_run_says_so() {
    let folder = with_run(&[]);
    let at = folder.path();
    ifs(at, &["report", "out", "--format", "inspect"]).ends(USAGE).says("requires `--out`");
    ifs(at, &["report", "out", "--out", "x"]).ends(USAGE).says("is for `--format inspect`");
    let lines = read(&folder, "out/transcripts.jsonl");
    let kept: Vec<&str> = lines.lines().take(2).collect();
    fs::remove_file(file(&folder, "out/transcripts.jsonl")).unwrap();
    fs::write(file(&folder, "out/transcripts.jsonl.part"), kept.join("\n") + "\n").unwrap();
    let manifest =
        read(&folder, "out/run.json").replace("\"complete\": true", "\"complete\": false");
    let hash = manifest.lines().find(|line| line.contains("\"transcripts\":")).unwrap();
    fs::write(file(&folder, "out/run.json"), manifest.replace(&format!("{hash}\n"), "")).unwrap();
    let ran = ifs(at, &["report", "out", "--format", "inspect", "--out", "logs"]).ends(FAILED);
    let log = log(&folder, ran.out.trim());
    assert_eq!(log["header.json"]["status"], "cancelled");
    let warnings = log["header.json"]["eval"]["metadata"]["warnings"].to_string();
    assert!(warnings.contains("INCOMPLETE RUN: 2 of 4"), "{warnings}");
    assert_eq!(log["header.json"]["results"]["completed_samples"], 2);
}
