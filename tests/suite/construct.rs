//! Complete dialogues without a network: imported from published files, or made by simulated models
//! along flows, reviewed, frozen, and run.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::interactive::ifs;

const SCENARIO: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/structflowbench/structflowbench.ifs");

#[track_caller]
fn ends(folder: &Path, args: &[&str], said: &str, status: i32) -> String {
    let output = ifs(folder, args, said);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{text}");
    text
}

fn construct(folder: &Path, model: &str, out: &str) -> String {
    let models = ["--planner", model, "--writer", model, "--extractor", model];
    let what = ["construct", SCENARIO, "--dialogue", "structured", "-n", "16", "--out", out];
    ends(folder, &[&what[..], &models[..]].concat(), "", 0)
}

fn rows(folder: &Path, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn constructed_dialogues_end_to_end() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let said = construct(at, "sim/plain", "talks.jsonl");
    assert!(said.contains("16 passed at once") && said.contains("simulated"), "{said}");
    let rows = rows(at, "talks.jsonl");
    assert_eq!((&rows[0]["version"], &rows[0]["holds"]), (&1.into(), &"dialogues".into()));
    for talk in rows.iter().skip(1).map(|row| &row["talk"]) {
        for turn in talk["turns"].as_array().unwrap() {
            let kinds: Vec<&str> = turn["checks"]
                .as_array()
                .unwrap()
                .iter()
                .map(|check| check["kind"].as_str().unwrap())
                .collect();
            for relation in turn["relations"].as_array().unwrap() {
                let kind = relation["kind"].as_str().unwrap();
                assert_eq!(kinds.contains(&kind), kind != "unrelated", "{turn}");
            }
            assert!(!turn["plan"].as_str().unwrap().is_empty() && !kinds.is_empty());
        }
    }
    // Repeating the command gives the same bytes.
    construct(at, "sim/plain", "again.jsonl");
    let read = |name: &str| std::fs::read(at.join(name)).unwrap();
    assert_eq!(read("talks.jsonl"), read("again.jsonl"));
    ends(at, &["import", "dialogues", "talks.jsonl", "--out", "ours"], "", 0);
    ends(at, &["check", "ours/published.ifs"], "", 0);
    let run = ["run", "ours/published.ifs", "-m", "sim/golden", "-n", "16", "--out", "run"];
    ends(at, &run, "", 0);
    let output = ifs(at, &["score", "run", "--format", "json"], "");
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tasks: BTreeSet<&str> =
        rows.iter().skip(1).map(|row| row["talk"]["task"].as_str().unwrap()).collect();
    assert!(tasks.len() > 4, "{tasks:?}");
    assert_eq!(card["slices"].as_array().unwrap().len(), tasks.len(), "one for each task");
    assert_eq!(card["totals"]["dialogues"], 16);
}

#[test]
fn careless_models_are_retried_and_flagged() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let said = construct(at, "sim/careless:0.5", "talks.jsonl");
    assert!(said.contains("ifs review talks.jsonl"), "{said}");
    let before = rows(at, "talks.jsonl");
    assert_eq!(before[0]["hash"], Value::Null);
    let of = |rows: &[Value], state: &str| {
        rows.iter().skip(1).filter(|row| row["state"] == state).count()
    };
    let flagged = of(&before, "flagged");
    assert!(flagged > 0 && of(&before, "retried") > 0);
    for row in before.iter().skip(1).filter(|row| row["state"] == "flagged") {
        assert!(row["why"].is_string() && row["tries"].as_array().unwrap().contains(&json!(3)));
    }
    // A set that is not frozen cannot become a release.
    ends(at, &["import", "dialogues", "talks.jsonl", "--out", "ours"], "", 3);
    // A dialogue without all stages cannot be accepted.
    let said = ends(at, &["review", "talks.jsonl"], &"a\nr\n".repeat(flagged), 0);
    assert!(said.contains("frozen as version 1"), "{said}");
    let after = rows(at, "talks.jsonl");
    assert_eq!(of(&after, "flagged"), 0);
    assert!(of(&after, "rejected") > 0);
    ends(at, &["import", "dialogues", "talks.jsonl", "--out", "ours"], "", 0);
    let bank = std::fs::read_to_string(at.join("ours/banks/published.jsonl")).unwrap();
    assert_eq!(bank.lines().count(), 16 - of(&after, "rejected"));
    // A set that was edited by hand no longer matches its hash.
    let text = std::fs::read_to_string(at.join("talks.jsonl")).unwrap();
    std::fs::write(at.join("talks.jsonl"), text.replace("The user", "A user")).unwrap();
    ends(at, &["import", "dialogues", "talks.jsonl", "--out", "theirs"], "", 3);
}

/// A published file of one dialogue, with answers and judgements.
fn published() -> Value {
    let turn = |name: &str, kind: &str, said: &str| {
        json!({
            "name": name, "user prompt": format!("{name}?"), "assistant answer": "Yes.",
            "constraints": [{"type": kind, "content": "Is it so?"}, {"type": kind, "content": "Is it so?"}],
            "response": "No.", "judge result": [{"judgement": "Yes"}, {"judgement": said}],
        })
    };
    json!([{
        "conv_purpose": "p", "conv_topic": "t", "conv_task": "mix", "user_type": 0,
        "summarized prompts": [{"name": "c1", "description": "a"}, {"name": "c2", "description": "b"}],
        "structure": [{"source": "c1", "target": "c2", "relation": "recall"}],
        "whole_conv": [turn("c1", "Style Constraint", "No"), turn("c2", "recall", "Yes")],
    }])
}

#[test]
fn judged_answers_keep_their_verdicts() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    std::fs::write(at.join("m_evaluate.json"), published().to_string()).unwrap();
    let judged = ["import", "structflowbench", "m_evaluate.json", "--judged", "--out", "m"];
    ends(at, &judged, "", 0);
    let output = ifs(at, &["score", "m", "--format", "json"], "");
    let card: Value = serde_json::from_slice(&output.stdout).unwrap();
    let value = |name: &str| {
        let metrics = card["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["name"] == name).unwrap()["value"].as_f64()
    };
    assert_eq!(card["model"], "m");
    // Two questions of weight 1, of which one held, and two of weight 2 that both did.
    assert_eq!((value("CSR"), value("ISR")), (Some(0.75), Some(0.5)));
    assert_eq!((value("DRFR"), value("WCSR")), (Some(0.75), Some(5.0 / 6.0)));
    assert_eq!(card["slices"][0]["name"], "mix");
    // Nothing is overwritten, and files without responses are refused.
    ends(at, &judged, "", 3);
    let mut bare = published();
    for turn in bare[0]["whole_conv"].as_array_mut().unwrap() {
        turn.as_object_mut().unwrap().remove("response");
    }
    std::fs::write(at.join("bare.json"), bare.to_string()).unwrap();
    let said =
        ends(at, &["import", "structflowbench", "bare.json", "--judged", "--out", "b"], "", 3);
    assert!(said.contains("has no responses"), "{said}");
}

#[test]
fn damaged_files_are_named_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let whole = published().to_string();
    for (text, message) in [
        ("", "is empty"),
        (&whole[..whole.len() / 2], "breaks off"),
        ("{}", "not a list"),
        ("[]", "without dialogues"),
        ("[{\"whole_conv\": {\"error\": \"Invalid JSON\"}}]", "nothing was written"),
    ] {
        std::fs::write(at.join("f.json"), text).unwrap();
        let said = ends(at, &["import", "structflowbench", "f.json", "--out", "o"], "", 3);
        assert!(said.contains(message), "{said}");
        assert!(!at.join("o").exists());
    }
    ends(at, &["import", "structflowbench", "none.json", "--out", "o"], "", 3);
    // One valid record and an invalid one, which is left out.
    let mut mixed = published();
    mixed.as_array_mut().unwrap().push(json!(7));
    std::fs::write(at.join("f.json"), mixed.to_string()).unwrap();
    ends(at, &["import", "structflowbench", "f.json", "--out", "o"], "", 3);
    ends(at, &["import", "structflowbench", "f.json", "--leave-out", "--out", "o"], "", 0);
    assert!(ends(at, &["check", "o/published.ifs"], "", 0).contains("ok."));
    assert_eq!(rows(at, "o/defects.jsonl").len(), 1);
}
