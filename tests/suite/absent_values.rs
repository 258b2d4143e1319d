//! Values that a record does not have: `??` gives others, and nothing is sent in their place.

use std::fs;

use tempfile::TempDir;

use crate::cli::{self, Ran};

const CARDS: &str = r#"ifs 1
benchmark cards { version "1.0" }
import cards "cards.jsonl" { name: text, question?: text, policy?: text, page?: text, points?: int }
dialogue card over cards as card {
  system POLICY
  turn { show card.page  ask QUESTION  expect POINTS "It answers" check contains(word "answer") }
}
"#;

const ROWS: &str = r#"{"name": "full", "question": "Why?", "policy": "Be kind.", "page": "A page.", "points": 3}
{"name": "bare"}
{"name": "empty", "question": "How?", "policy": ""}
"#;

fn cards([policy, question, points]: [&str; 3]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let text = CARDS.replace("POLICY", policy).replace("QUESTION", question);
    fs::write(folder.path().join("cards.ifs"), text.replace("POINTS", points)).unwrap();
    fs::write(folder.path().join("cards.jsonl"), ROWS).unwrap();
    folder
}

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

#[test]
fn defaults_replace_absent_values() {
    let folder =
        cards(["card.policy", "card.question ?? \"What is \" + card.name", "card.points ?? 1 + 1"]);
    let text = fs::read_to_string(folder.path().join("cards.ifs")).unwrap();
    ifs(&folder, &["fmt", "cards.ifs"]).ends(0);
    let formatted = fs::read_to_string(folder.path().join("cards.ifs")).unwrap();
    assert!(formatted.contains("expect card.points ?? 1 + 1 "), "{formatted}");
    assert!(text.contains("??"));
    ifs(&folder, &["run", "cards.ifs", "-m", "sim/oracle", "-n", "3", "--out", "run"]).ends(0);
    let lines = fs::read_to_string(folder.path().join("run/transcripts.jsonl")).unwrap();
    let turns: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["turns"][0].clone())
        .collect();
    let points = |turn: &serde_json::Value| turn["criteria"][0]["points"].as_f64();
    assert_eq!(turns[0]["system"], "Be kind.");
    assert_eq!((turns[0]["ask"].as_str(), points(&turns[0])), (Some("Why?"), Some(3.0)));
    assert_eq!((turns[1]["ask"].as_str(), points(&turns[1])), (Some("What is bare"), Some(2.0)));
    // Nothing is sent for what is absent or empty.
    for bare in &turns[1..] {
        assert!(bare.get("system").is_none() && bare.get("show").is_none(), "{bare}");
        let text = bare["ask"].to_string();
        assert!(!text.contains("None") && !text.contains("nothing"), "{bare}");
    }
}

#[test]
fn absent_required_values_name_their_record() {
    for (parts, says) in [
        (["\"Be.\"", "card.question", "1"], "`ask` has no value: an optional field is absent"),
        (["\"Be.\"", "\"{{ card.question }}\"", "1"], "`card.question` is absent here"),
        (["\"Be.\"", "\"Why?\"", "card.points"], "the number of points of `expect` has no value"),
    ] {
        let folder = cards(parts);
        let ran = ifs(&folder, &["draw", "cards.ifs", "-n", "3"]).ends(3);
        assert!(ran.err.contains(says), "{parts:?}: {}", ran.err);
        assert!(ran.err.contains("record \"bare\""), "{parts:?}: {}", ran.err);
    }
    for (parts, says) in [
        (["\"Be.\"", "card.question ?? 3", "1"], "expected a text, found a whole number"),
        (["\"Be.\"", "card.question ??", "1"], "??"),
    ] {
        let ran = ifs(&cards(parts), &["check", "cards.ifs"]).ends(3);
        assert!(ran.err.contains(says), "{parts:?}: {}", ran.err);
    }
}
