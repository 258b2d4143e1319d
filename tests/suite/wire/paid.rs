//! Every response that was paid for is kept and counted: samples, more of them on resuming, and what the
//! requests of each model in each role took.

use std::collections::BTreeMap;

use serde_json::json;

use super::judges::{is_judge, verdict};
use super::server::{JSON, error, response};
use super::*;

fn tokens(samples: &[Value]) -> u64 {
    samples.iter().map(|sample| sample["usage"]["output"].as_u64().unwrap()).sum()
}

/// All samples of all turns of a run.
fn samples(folder: &TempDir) -> Vec<Value> {
    let turns = transcripts(folder).into_iter();
    let turns = turns.flat_map(|dialogue| dialogue["turns"].as_array().unwrap().clone());
    turns.flat_map(|turn| turn["samples"].as_array().unwrap().clone()).collect()
}

#[test]
fn the_tokens_of_every_sample_are_recorded() {
    let server = Server::start(dutiful);
    let folder = scenario();
    run(&folder, &server, "2", &["--samples", "3"]).ends(0);
    let samples = samples(&folder);
    assert_eq!((samples.len(), server.log().len()), (24, 24));
    let paid = manifest(&folder)["spent"]["output"].as_u64().unwrap();
    assert_eq!((tokens(&samples), paid), (24 * 7, 24 * 7));
}

/// A run that is raised is the run that asked for more in the first place, and pays for the rest alone.
#[test]
fn a_finished_run_may_get_more_dialogues_and_samples() {
    let server = Server::start(dutiful);
    let (folder, whole) = (scenario(), scenario());
    run(&folder, &server, "1", &[]).ends(0);
    assert_eq!(server.log().len(), 4);
    resume(&folder, &server, &["-n", "3"]).ends(0);
    assert_eq!(server.log().len(), 12);
    resume(&folder, &server, &["--samples", "2"]).ends(0);
    assert_eq!(server.log().len(), 24);
    run(&whole, &server, "3", &["--samples", "2"]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), read(&whole, "transcripts.jsonl"));
    for name in ["count", "dialogues", "samples", "plan_hash", "transcripts", "complete"] {
        assert_eq!(manifest(&folder)[name], manifest(&whole)[name], "{name}");
    }
    // What is there is never taken away, and is not sent again.
    let before = (server.log().len(), read(&folder, "run.json"));
    resume(&folder, &server, &["-n", "2"]).ends(2).says("3 dialogues");
    resume(&folder, &server, &["--samples", "1"]).ends(2).says("2 responses to each turn");
    resume(&folder, &server, &["-n", "3", "--samples", "2"]).ends(0);
    assert_eq!(server.log().len(), before.0);
    let count = |text: &str| serde_json::from_str::<Value>(text).unwrap()["count"].clone();
    assert_eq!(count(&read(&folder, "run.json")), count(&before.1));
}

#[test]
fn a_run_of_a_set_gets_no_more_than_the_set_has() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let ifs = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    ifs(&["release", "wire.ifs", "-n", "2", "--out", "set"]).ends(0);
    ifs(&["run", "wire.ifs", "-m", "openai/m", "--set", "set", "--out", "out"]).ends(0);
    assert_eq!(manifest(&folder)["available"], 2);
    resume(&folder, &server, &["-n", "3"]).ends(2).says("2 dialogues of a set");
}

/// A model and a judge at two vendors; the model is overloaded once, the judge writes into its cache.
fn two_vendors() -> Server {
    Server::start(|asked| {
        if is_judge(asked) {
            let body = json!({
                "content": [{"type": "text", "text": verdict(asked, "yes", 7)}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 100, "cache_creation_input_tokens": 1000,
                    "cache_read_input_tokens": 500, "output_tokens": 10}});
            let tool = json!({
                "content": [{"type": "tool_use", "name": "verdict",
                    "input": serde_json::from_str::<Value>(&verdict(asked, "yes", 7)).unwrap()}],
                "stop_reason": "tool_use", "usage": body["usage"]});
            let body = if asked.body.get("tools").is_some() { tool } else { body };
            return response("200 OK", &[JSON], &body.to_string());
        }
        if asked.number == 0 {
            return error("500 Internal Server Error", &[JSON], "try again");
        }
        dutiful(asked)
    })
}

const JUDGED: &str = r#"ifs 1
benchmark paid { title "Paid" version "1.0.0" }
dialogue talk {
  param k: int in 1..=100000
  turn a { ask "Why {{ k }}?" require calm judge "Does it sound calm?" }
  turn b { ask "And then {{ k }}?" require calm judge "Does it sound calm?" }
}
"#;

#[test]
fn requests_are_counted_by_role_and_model_in_every_format() {
    let server = two_vendors();
    let folder = scenario();
    std::fs::write(folder.path().join("paid.ifs"), JUDGED).unwrap();
    // Dollars for a million tokens: 1,450 for a judge's request, 25 for a model's.
    let prices = r#"{"as_of": "2026-02-03", "models": {
        "openai/m": {"input": 1000000, "output": 2000000},
        "anthropic/j": {"input": 1000000, "cached": 100000, "written": 1250000, "output": 5000000}}}"#;
    std::fs::write(folder.path().join("prices.json"), prices).unwrap();
    let ifs = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    let args =
        ["run", "paid.ifs", "-m", "openai/m", "--judge", "anthropic/j", "-n", "2", "--out", "out"];
    ifs(&[&args[..], &["--prices", "prices.json", "--retry-wait", "1ms"]].concat()).ends(0);
    let spending = manifest(&folder)["spending"].clone();
    let by_role: BTreeMap<&str, &Value> = spending
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["role"].as_str().unwrap(), one))
        .collect();
    let (model, judge) = (by_role["model"], by_role["judge"]);
    assert_eq!((&model["model"], &judge["model"]), (&json!("openai/m"), &json!("anthropic/j")));
    assert_eq!((&model["calls"], &model["retries"]), (&json!(4), &json!(1)), "{model}");
    assert_eq!((&model["input"], &model["output"]), (&json!(44), &json!(28)), "{model}");
    assert_eq!(model["money"], json!(100.0), "{model}");
    assert_eq!((&judge["calls"], judge.get("retries")), (&json!(4), None), "{judge}");
    assert_eq!(
        (&judge["input"], &judge["cached"], &judge["written"]),
        (&json!(6400), &json!(2000), &json!(4000))
    );
    assert_eq!(
        judge["money"],
        json!(5800.0),
        "100 + 500 / 10 + 1000 * 1.25 + 10 * 5, four times: {judge}"
    );
    for one in [model, judge] {
        let latency = &one["latency"];
        assert!(latency["median_ms"].as_u64() <= latency["max_ms"].as_u64(), "{latency}");
        assert!(latency["max_ms"].is_number());
    }
    for format in ["text", "json", "html", "latex", "markdown", "csv", "junit", "every-eval-ever"] {
        let shown = ifs(&["report", "out", "--format", format]).ends(0).all;
        let plain = shown.replace(['\\', '\u{a0}'], "");
        for model in ["openai/m", "anthropic/j"] {
            assert!(plain.contains(model), "{format}: no {model} in\n{shown}");
        }
        assert!(
            plain.contains("5800") || plain.contains("5,800"),
            "{format}: no money of the judge in\n{shown}"
        );
    }
    // In the table of several runs, and in a comparison.
    ifs(&[&args[..8], &["--out", "other", "--prices", "prices.json", "--retry-wait", "1ms"]]
        .concat())
    .ends(0);
    for command in ["report", "compare"] {
        ifs(&[command, "out", "other"]).ends(0).says("anthropic/j");
    }
}
