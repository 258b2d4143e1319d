//! Metrics computed by hand: a run of given responses, with turns of every kind.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value as Json;

/// On `hello` nothing is asked; `four` has a requirement that no one judges; on `six` the first
/// model says nothing.
const SCENARIO: &str = r#"ifs 1
benchmark hand { title "By hand" version "1.0.0" }
constraint short {
  say   "Three words at most."
  check count(word) <= 3
}
dialogue talk {
  param who: one_of ["Ann", "Bob"]
  report CSR, ISR
  turn hello { ask "Hello, I am {{ who }}." }
  turn two {
    ask "Two?"
    impose short() scope dialogue
    require has_a contains("a")
  }
  turn three {
    ask "Three?"
    require has_z contains("z")
  }
  turn four {
    ask "Four?"
    require good judge "Is it good?"
  }
  turn five {
    ask "Five?"
    expect 0.25 "x is in it" check contains("x")
    expect 0.75 "y is in it" check contains("y")
    void "it shouts" check contains("!")
  }
  turn six { ask "Six?" }
}
"#;

const ANSWERS: [[&str; 6]; 2] =
    [["Hi.", "a b", "a b", "a", "y", ""], ["Hi.", "a b", "z", "a", "x y", "ok"]];

/// The shares of the decided turns: 1, 1/2, 3/4 and 0 of the first dialogue, and four times 1 of
/// the other.
const BY_HAND: [(&str, f64); 18] = [
    ("CSR", 6.25 / 8.0),
    ("ISR", 5.0 / 8.0),
    ("ROB", (1.0 / 4.0 + 1.0) / 2.0),
    ("EDR_len", 6.0),
    ("EDR_acc", (2.25 + 4.0) / 2.0),
    ("EDR_succ", (1.0 + 4.0) / 2.0),
    ("EDR_lss", (1.0 + 4.0) / 2.0),
    // Two failures have a turn after them; no success follows.
    ("REC", 0.0),
    // Of ten judged in the first dialogue, seven held; of ten in the other, all.
    ("DRFR", 17.0 / 20.0),
    ("points", (0.75 + 1.0) / 2.0),
    // Facts are left out: of turn five the constraint and the void remain, which held.
    ("PIF", (2.5 / 4.0 + 1.0) / 2.0),
    // The one constraint is missed on the last turn of six.
    ("PIF_as_released", (5.0 / 6.0 + 1.0) / 2.0),
    ("PIF_N_1", 6.0 / 8.0),
    ("PIF_N_N", 6.0 / 8.0),
    ("utility_rate", 5.0 / 8.0),
    ("Meeseeks_score", 6.25 / 8.0),
    // 0 without an instruction; on the undecided turn, the one that was judged holds.
    ("CSR_as_released", (3.25 + 5.0) / 12.0),
    // Nine of twelve turns have no miss, two of which ask for nothing and two of which are
    // undecided.
    ("ISR_as_released", 9.0 / 12.0),
];

#[test]
fn every_metric_of_a_small_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("a.ifs"), SCENARIO).unwrap();
    let ifs = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
        let output = command.current_dir(at).args(args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}\n{text}\n{errors}");
        text
    };
    // The names of the dialogues are drawn.
    let drawn = ifs(&["draw", "a.ifs", "-n", "2", "--format", "jsonl", "--no-witness"]);
    assert!(drawn.contains("I am Ann") && drawn.contains("I am Bob"), "{drawn}");
    let mut rows = Vec::new();
    for (index, answers) in ANSWERS.iter().enumerate() {
        for (turn, answer) in (1..).zip(answers) {
            let row = serde_json::json!({
                "dialogue": "talk", "index": index, "turn": turn, "answer": answer,
            });
            rows.push(row.to_string());
        }
    }
    std::fs::write(at.join("given.jsonl"), rows.join("\n")).unwrap();
    ifs(&["run", "a.ifs", "-m", "replay:given.jsonl", "-n", "2", "--out", "out"]);
    let scores = std::fs::read_to_string(at.join("out/scores.json")).unwrap();
    let scores: Json = serde_json::from_str(&scores).unwrap();
    let metrics = scores["metrics"].as_array().unwrap_or_else(|| panic!("{scores:#}"));
    let number =
        |metric: &Json| Some((metric["name"].as_str()?.to_owned(), metric["value"].as_f64()));
    let found: BTreeMap<String, Option<f64>> = metrics.iter().filter_map(number).collect();
    for (name, wanted) in BY_HAND {
        let found = found.get(name).copied().flatten();
        let near = found.is_some_and(|found| (found - wanted).abs() < 1e-9);
        assert!(near, "{name}: {found:?}, by hand {wanted}");
    }
}
