//! The scenarios about feeds run offline: the oracle gives right answers, and a noisy model
//! misses at its rate.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

fn held(scenario: &str, more: &[&str]) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(scenario);
    let folder = TempDir::new().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ifs"))
        .args(["run", &path.to_string_lossy(), "--format", "json"])
        .args(more)
        .arg("--out")
        .arg(folder.path().join("run"))
        .output()
        .unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{scenario} {more:?}\n{out}\n{err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

fn constraints(scores: &Json, name: &str) -> u64 {
    scores["totals"]["constraints"][name].as_u64().unwrap()
}

/// Each scenario from the command to the scores, in the variants whose right answers are not in
/// `hedging.rs`.
#[test]
fn oracle_answers_every_feed_question() {
    let dialogues = [
        ("mars/mars.ifs", "formatted", 2, "logs"),
        ("mars/mars.ifs", "retrieved", 1, ""),
        ("mars/ablations.ifs", "told_in", 1, "in_ten"),
        ("mars/ablations.ifs", "looked_back", 1, "turned_3"),
        ("mars/ablations.ifs", "kept_up", 1, "at_once"),
        ("mars/ablations_chinese.ifs", "told_in", 1, "at_once"),
        ("mars/ablations_chinese.ifs", "looked_back", 1, "turned_1"),
        ("mars/ablations_chinese.ifs", "kept_up", 1, ""),
        ("mars/ablations_hockey.ifs", "told_in", 1, "in_ten"),
        ("mars/ablations_hockey.ifs", "looked_back", 1, "turned_2"),
        ("mars/ablations_hockey.ifs", "kept_up", 1, ""),
        ("mars/hockey.ifs", "retrieved", 1, ""),
        ("mars/hockey.ifs", "formatted", 1, "logs"),
        ("mars/chinese.ifs", "retrieved", 1, ""),
        ("mars/chinese.ifs", "switched", 1, "logs"),
        ("support/support.ifs", "shift", 4, ""),
        ("chess/chess.ifs", "board", 4, ""),
        ("intake/intake.ifs", "interviewed", 3, ""),
        ("intake/intake.ifs", "interviewed", 2, "hidden"),
        ("schreibstube/schreibstube.ifs", "gespraech", 2, ""),
        ("schreibstube/schreibstube.ifs", "gespraech", 1, "hidden"),
        ("schreibstube/schreibstube.ifs", "vorgang", 4, ""),
    ];
    for (scenario, dialogue, count, variant) in dialogues {
        let count = count.to_string();
        let mut more = vec!["-d", dialogue, "-n", &count, "-m", "sim/oracle"];
        if !variant.is_empty() {
            more.extend(["--variant", variant]);
        }
        let scores = held(scenario, &more);
        assert_eq!(constraints(&scores, "missed"), 0, "{scenario} {dialogue} {variant}: {scores}");
        assert!(scores["totals"]["by_rule"].as_u64().unwrap() > 0, "{scenario} {dialogue}");
    }
}

/// The same dialogues with the same facts, read once by rule and once by a judge.
#[test]
fn facts_are_decided_by_rule_or_judge() {
    let more = ["-d", "retrieved", "-n", "1", "-m", "sim/oracle"];
    let by_rule = held("mars/mars.ifs", &more);
    let by_judge = held("mars/mars.ifs", &[&more[..], &["--variant", "by_judge"]].concat());
    let (rule, judge) = (&by_rule["totals"], &by_judge["totals"]);
    assert_eq!(rule["turns"], judge["turns"]);
    assert_eq!(rule["by_rule"], judge["by_simulated_judge"]);
    assert_eq!(judge["by_rule"], 0);
}

#[test]
fn noisy_model_misses_at_its_rate() {
    let rate = 0.2;
    let scores = held("mars/mars.ifs", &["-d", "retrieved", "-n", "5", "-m", "sim/noisy:0.2"]);
    let (held, missed) = (constraints(&scores, "held"), constraints(&scores, "missed"));
    let all = (held + missed) as f64;
    assert!(all > 300.0, "{scores}");
    // Four standard deviations of this many draws.
    let room = 4.0 * (rate * (1.0 - rate) / all).sqrt();
    let share = missed as f64 / all;
    assert!((share - rate).abs() < room, "{missed} of {all}, {share} for {rate}");
}
