//! EvolIF's published files, runs by parts, and sets of words that are extended.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::cli::ifs;

const GOOD: i32 = 0;
const USAGE: i32 = 2;
const INPUT: i32 = 3;

fn line(turn: u32, response: Option<(&str, bool, u32)>) -> Json {
    let instructions = json!([
        { "id": "length", "args": { "mode": "word", "relation": "less_than", "number": 4 }, "description": "Fewer than 4 words." },
        { "id": "existence", "args": { "tide": 1 }, "description": "Say tide once." },
        { "id": "emotion", "args": { "emotion": "happy" }, "description": "Sound happy." },
    ]);
    let mut line = json!({
        "turn": turn, "active_topic": 1, "user_query_verified": format!("Question {turn}"),
        "user_query": "other", "instructions": instructions,
    });
    if let Some((response, happy, patience)) = response {
        line["response"] = json!(response);
        line["remaining_patience"] = json!(patience);
        // The verdicts of rules in the log are computed again from the response.
        line["eval"] = json!({ "overall_ok": happy, "details": { "length": true, "existence": 1, "emotion": happy },
            "sub_details": { "emotion": [3, "It is flat."] } });
    }
    line
}

fn put(folder: &Path, name: &str, lines: &[Json]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn dialogues_of_evolif_become_a_release() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let mut unverified = line(1, None);
    unverified["user_query_verified"] = json!("");
    put(&at.join("dialog"), "dialog_10.jsonl", &[line(1, None), line(2, None)]);
    put(&at.join("dialog"), "dialog_2.jsonl", &[unverified]);
    ifs(at, &["import", "evolif", "dialog", "--out", "official"])
        .ends(GOOD)
        .says("2 dialogues of 3 turns, 1 defect")
        .says("no check passed");
    ifs(at, &["draw", "official/published.ifs", "-n", "2", "--turns", "9"])
        .ends(GOOD)
        .says("Question 2")
        .says("other");
    let first =
        ifs(at, &["draw", "official/published.ifs", "--format", "jsonl", "--no-witness"]).out;
    assert!(first.contains("dialog_2\""), "in the order of their numbers: {first}");
    ifs(at, &["import", "evolif", "dialog", "--judged", "--out", "run"])
        .ends(INPUT)
        .says("has no responses");
    fs::create_dir(at.join("empty")).unwrap();
    ifs(at, &["import", "evolif", "empty", "--out", "none"]).ends(INPUT).says("has no dialogues");
    put(&at.join("broken"), "dialog_1.jsonl", &[line(1, None)]);
    fs::write(at.join("broken/dialog_2.jsonl"), "{\"turn\": 1,\n").unwrap();
    ifs(at, &["import", "evolif", "broken", "--out", "b"]).ends(INPUT).says("nothing was written");
    ifs(at, &["import", "evolif", "broken", "--leave-out", "--out", "b"]).ends(GOOD);
}

#[test]
fn logs_of_evolif_are_scored_again() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let log = [
        line(1, Some(("The tide turns", true, 3))),
        line(2, Some(("The tide turns, the tide", true, 3))),
        line(3, Some(("The tide turns", false, 2))),
    ];
    put(&at.join("evaluation/gpt"), "eval_1.jsonl", &log);
    ifs(at, &["import", "evolif", "evaluation/gpt", "--judged", "--out", "run"]).ends(GOOD);
    let card: Json =
        serde_json::from_str(&ifs(at, &["score", "run", "--format", "json"]).ends(GOOD).out)
            .unwrap();
    let metric = |name: &str| {
        let all = card["metrics"].as_array().unwrap();
        let found = all.iter().find(|metric| metric["name"] == name).unwrap();
        found["value"].as_f64().unwrap()
    };
    // The second response has five words and two tides, unlike in the log.
    assert_eq!(metric("EDR_len"), 3.0, "{card}");
    assert!((metric("EDR_acc") - (1.0 + 1.0 / 3.0 + 2.0 / 3.0)).abs() < 1e-9, "{card}");
    assert_eq!(metric("EDR_succ"), 1.0);
    ifs(at, &["report", "run"]).ends(GOOD).says("emotion");
    // Unlisted verdicts of a log are kept.
    let mut unlisted = line(1, Some(("The tide turns", false, 2)));
    unlisted["instructions"] = json!([]);
    put(&at.join("unlisted"), "eval_1.jsonl", &[unlisted]);
    ifs(at, &["import", "evolif", "unlisted", "--judged", "--out", "u"]).ends(GOOD);
    let card = ifs(at, &["score", "u", "--format", "json"]).ends(GOOD).out;
    let card: Json = serde_json::from_str(&card).unwrap();
    let all = card["metrics"].as_array().unwrap();
    let found = all.iter().find(|metric| metric["name"] == "EDR_acc").unwrap();
    assert!((found["value"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{card}");
    let kept = fs::read_to_string(at.join("run/transcripts.jsonl")).unwrap();
    assert!(kept.contains("Question 2") && kept.contains("It is flat."), "{kept}");
}

const PROGRAM: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
import styles "styles.jsonl" { name: text  voice: text  register: text }
group g {
  constraint few(n: int in 2..=9) {
    say "Use fewer than {{ n }} words."
    change "Use fewer than {{ n }} words instead of fewer than {{ old.n }}."
    check count(word) < n
  }
}
dialogue talk {
  topic from topics
  style from styles
  start with 1 constraint
  scope topic unsaid
  patience 2
  flow { switch 20% }
  evolve one per turn { modify }
  end when patience == 0 or turns >= 12
}
"#;

fn scenario() -> TempDir {
    let folder = TempDir::new().unwrap();
    let topics: String = (1..=12)
        .map(|at| format!("{{\"name\":\"topic {at}\",\"request\":\"What is topic {at}?\"}}\n"))
        .collect();
    let styles = "{\"name\":\"Ada\",\"voice\":\"formal\",\"register\":\"formal\"}\n{\"name\":\"Bo\",\"voice\":\"blunt\",\"register\":\"informal\"}\n";
    for (name, text) in
        [("a.ifs", PROGRAM), ("topics.jsonl", topics.as_str()), ("styles.jsonl", styles)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn runs_are_scored_and_ranked_by_parts() {
    let folder = scenario();
    let at = folder.path();
    for (model, out) in [("sim/oracle", "a"), ("sim/noisy:0.2", "b"), ("sim/noisy:0.6", "c")] {
        ifs(at, &["run", "a.ifs", "-m", model, "-n", "12", "--out", out]).ends(GOOD);
    }
    ifs(at, &["score", "b", "--by", "style.register"])
        .ends(GOOD)
        .says("By slice")
        .says("formal")
        .says("informal");
    ifs(at, &["score", "b", "--by", "style.rank"]).ends(INPUT).says("have no `rank`");
    ifs(at, &["score", "b", "--by", "synthesizer"]).ends(INPUT).says("has no synthesizer");
    ifs(at, &["score", "b", "--by", "size"]).ends(USAGE).says("style.FIELD");
    let compared = ["compare", "a", "b", "c", "--metric", "ROB"];
    let ranked =
        ifs(at, &[&compared[..], &["--sizes", "4,8", "--format", "json"]].concat()).ends(GOOD);
    let ranked: Json = serde_json::from_str(&ranked.out).unwrap();
    let parts = &ranked["parts"][0];
    let ranks: Vec<&Json> = (0..3).map(|at| &parts["rows"][at]["ranks"][2]).collect();
    assert_eq!(ranks, [&json!(1.0), &json!(2.0), &json!(3.0)], "{ranked}");
    assert_eq!(parts["columns"][1]["name"], "first 8");
    assert_eq!(parts["between"][2][2], 1.0, "{ranked}");
    ifs(at, &[&compared[..], &["--by", "style.register"]].concat())
        .ends(GOOD)
        .says("Spearman's correlation of ROB between parts")
        .says("informal");
    ifs(at, &["compare", "a", "b", "--metric", "BLEU"]).ends(USAGE).says("the metrics are");
    ifs(at, &["compare", "a", "b", "--by", "size"]).ends(USAGE).says("`style.register`");
}

#[test]
fn utterance_sets_are_extended() {
    let folder = scenario();
    let at = folder.path();
    let words = |more: &[&str]| {
        let mut args =
            vec!["synthesize", "a.ifs", "--synthesizer", "sim/plain", "--checker", "sim/literal"];
        args.extend(more);
        ifs(at, &args)
    };
    words(&["-n", "6", "--turns", "4", "--out", "short.jsonl"]).ends(GOOD);
    ifs(
        at,
        &["run", "a.ifs", "-m", "sim/oracle", "--utterances", "short.jsonl", "--out", "long-held"],
    )
    .ends(GOOD);
    ifs(
        at,
        &[
            "run",
            "a.ifs",
            "-m",
            "sim/noisy:0.7",
            "--utterances",
            "short.jsonl",
            "--out",
            "soon-over",
        ],
    )
    .ends(GOOD);
    words(&["--extend", "short.jsonl", "--turns", "4", "--out", "x.jsonl"])
        .ends(INPUT)
        .says("has 4 turns of a dialogue already");
    words(&[
        "--extend",
        "short.jsonl",
        "--turns",
        "9",
        "--for",
        "soon-over",
        "--out",
        "some.jsonl",
    ])
    .ends(GOOD);
    words(&["--extend", "short.jsonl", "--turns", "9", "--out", "all.jsonl"]).ends(GOOD);
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    let lines =
        |name: &str| -> Vec<String> { read(name).lines().skip(1).map(str::to_owned).collect() };
    let (short, some, all) = (lines("short.jsonl"), lines("some.jsonl"), lines("all.jsonl"));
    assert_eq!((short.len(), all.len()), (24, 54));
    assert!(short.len() < some.len() && some.len() < all.len(), "{}", some.len());
    // The written messages stay, and further ones are the same for every model.
    assert!(short.iter().all(|line| some.contains(line)));
    assert!(some.iter().all(|line| all.contains(line)));
    assert!(read("all.jsonl").contains("\"version\":2"), "the second of its versions");
    ifs(
        at,
        &["run", "a.ifs", "-m", "sim/oracle", "--utterances", "some.jsonl", "--out", "further"],
    )
    .ends(GOOD);
    ifs(at, &["score", "further"]).ends(GOOD).says("cut at --max-turns");
    words(&["--extend", "all.jsonl", "--turns", "11", "--for", "soon-over", "--out", "y.jsonl"])
        .ends(INPUT)
        .says("reached the last message of a dialogue");
    let two = [
        "synthesize",
        "a.ifs",
        "--synthesizer",
        "sim/careless",
        "--checker",
        "rules",
        "--extend",
        "short.jsonl",
        "--turns",
        "9",
        "--out",
        "z.jsonl",
    ];
    ifs(at, &two).ends(INPUT).says("was written by sim/plain=1");
    // Both voices, distinguished.
    let mixed = [
        "synthesize",
        "a.ifs",
        "--synthesizer",
        "sim/plain",
        "--synthesizer",
        "sim/careless:0",
        "--checker",
        "sim/literal",
        "-n",
        "8",
        "--turns",
        "3",
        "--out",
        "mixed.jsonl",
    ];
    ifs(at, &mixed).ends(GOOD);
    ifs(at, &["run", "a.ifs", "-m", "sim/noisy:0.3", "--utterances", "mixed.jsonl", "--out", "m"])
        .ends(GOOD);
    ifs(at, &["score", "m", "--by", "synthesizer"])
        .ends(GOOD)
        .says("sim/careless:0")
        .says("sim/plain");
}
