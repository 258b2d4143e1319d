//! Declarations of a release about its dialogues: covers, quotas, similarity, anchors.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{self, Ran};

const GOOD: i32 = 0;
const FAILED: i32 = 1;
const INPUT: i32 = 3;

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
import topics "topics.jsonl" { name: text, request: text }
group length { constraint short(n: int in 5..=60) { say "At most {{ n }} words." check count(word) <= n } }
group ending { constraint question { say "End with a question." check ends_with("?") } }
group signs { constraint commas { say "No commas." check not contains(",") } }
dialogue talk {
  topic from topics
  constraints from length, ending, signs
  start with 1 constraint
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 20%  modify 80% }
  end when turns >= 4
}
dialogue form {
  topic from topics
  turn {
    param n: int in 1..=99
    ask "Fill in the form of the harbour office for the item that is called {{ topic.name }}, with its owner, its age, its colour and the place where it was last seen by anyone, and number it {{ n }}."
  }
}
release held {
  14 dialogues of talk
  6 dialogues of form
  DECLARED
}
"#;

fn desk(declared: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let topics: String = ["tides", "kites", "bread", "snow"]
        .iter()
        .map(|name| format!("{{\"name\": \"{name}\", \"request\": \"Write about {name}.\"}}\n"))
        .collect();
    fs::write(folder.path().join("desk.ifs"), DESK.replace("DECLARED", declared)).unwrap();
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    folder
}

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn rows(folder: &TempDir, name: &str) -> Vec<Json> {
    read(folder, name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn covers_and_quotas_are_met_and_verified() {
    let folder = desk(
        "cover pairs of groups at least 4 times\n  cover topics at least 5 times\n  \
         quota at most 9 dialogues with topic \"snow\"\n  \
         quota at least 13 dialogues with group signs",
    );
    ifs(&folder, &["check", "desk.ifs"]).ends(GOOD);
    ifs(&folder, &["release", "desk.ifs", "--out", "set"]).ends(GOOD);
    let manifest: Json = serde_json::from_str(&read(&folder, "set/manifest.json")).unwrap();
    let coverage = &manifest["coverage"];
    let counts = |of: &str| -> Vec<u64> {
        let counts = coverage[of].as_object().unwrap().values();
        counts.map(|count| count.as_u64().unwrap()).collect()
    };
    assert_eq!(counts("pairs_of_groups").len(), 3, "{coverage}");
    assert!(counts("pairs_of_groups").iter().all(|count| *count >= 4), "{coverage}");
    assert!(counts("topics").iter().all(|count| *count >= 5), "{coverage}");
    assert!(coverage["topics"]["snow"].as_u64().unwrap() <= 9, "{coverage}");
    let acceptance = &manifest["acceptance"];
    let passed = rows(&folder, "set/rejected.jsonl");
    let of = |reason: &str| passed.iter().filter(|row| row["reason"] == reason).count();
    assert_eq!(acceptance["not_needed"], of("not needed"));
    assert_eq!(acceptance["over_quota"], of("quota"));
    assert_eq!(acceptance["candidates"], 14 + passed.len());
    assert!(of("not needed") > 0, "{acceptance}");
    // Profiles: four turns each, and the ages of what is active.
    assert_eq!(manifest["difficulty"]["turns"]["4"], 14);
    assert_eq!(manifest["difficulty"]["judged"]["0"], 56);
    let verify = ["verify", "set", "--scenario", "desk.ifs"];
    ifs(&folder, &verify).ends(GOOD);
    // A run without the set takes the same dialogues, and fewer are the first of them.
    let run = ["run", "desk.ifs", "-n", "3", "-m", "sim/oracle", "--out", "few"];
    ifs(&folder, &run).ends(GOOD);
    let set = rows(&folder, "set/dialogues.jsonl");
    let few = rows(&folder, "few/transcripts.jsonl");
    let index = |rows: &[Json]| -> Vec<u64> {
        rows.iter().take(3).map(|row| row["index"].as_u64().unwrap()).collect()
    };
    assert_eq!(index(&set), index(&few));
    assert!(passed.iter().all(|row| row["canary"] == manifest["canary"]), "{passed:?}");
    let path = folder.path().join("set/rejected.jsonl");
    let text = read(&folder, "set/rejected.jsonl");
    fs::write(path, text.replacen("not needed", "repeats", 1)).unwrap();
    ifs(&folder, &verify).ends(FAILED).says("the list of rejected dialogues is not");
}

/// Synthesized messages, and runs with them, have the same dialogues.
#[test]
fn an_utterance_set_has_the_declared_dialogues() {
    let folder = desk(
        "cover pairs of groups at least 4 times\n  quota at least 13 dialogues with group signs",
    );
    ifs(&folder, &["release", "desk.ifs", "--out", "set"]).ends(GOOD);
    let set: Vec<u64> = rows(&folder, "set/dialogues.jsonl")
        .iter()
        .map(|row| row["index"].as_u64().unwrap())
        .collect();
    assert_ne!(set, (0..14).collect::<Vec<_>>(), "nothing was skipped");
    let synthesize = "synthesize desk.ifs -n 14 --turns 4 --synthesizer sim/plain --checker rules \
                      --out words.jsonl";
    let run = "run desk.ifs --utterances words.jsonl -m sim/oracle --out run";
    for line in [synthesize, run] {
        ifs(&folder, &line.split_whitespace().collect::<Vec<_>>()).ends(GOOD);
    }
    let mut asked: Vec<u64> = rows(&folder, "run/transcripts.jsonl")
        .iter()
        .map(|row| row["index"].as_u64().unwrap())
        .collect();
    asked.dedup();
    assert_eq!(asked, set);
}

#[test]
fn uncoverable_features_are_named() {
    for (declared, code, says) in [
        (
            "cover pairs of groups at least 400 times",
            INPUT,
            "the pair of groups `ending + length` is in",
        ),
        ("quota at least 15 dialogues with group length", INPUT, "the group `length` is in 1"),
        ("quota at most 1 dialogue with each topic", INPUT, "over the quota of topic"),
        ("cover seasons at least 2 times", INPUT, "`cover` cannot count `seasons`"),
        ("quota at least 2 dialogues with topic \"sand\"", INPUT, "has the topic `sand`"),
        ("quota at least 2 dialogues with group lenght", INPUT, "`lenght`"),
        ("cover groups at least 0 times", INPUT, "expected a positive number, found 0"),
        ("alike at most 20%", INPUT, "expected 50% to 99%, found 20%"),
        ("anchors 15", INPUT, "15 anchors among"),
        ("cover pairs of length, signs at least 2 times", GOOD, "14 dialogues"),
    ] {
        let folder = desk(declared);
        let ran = ifs(&folder, &["release", "desk.ifs", "--out", "set"]);
        assert_eq!(ran.status, Some(code), "{declared}: {}{}", ran.out, ran.err);
        let text = format!("{}{}", ran.out, ran.err);
        assert!(text.contains(says), "{declared}: {text}");
    }
}

#[test]
fn dialogues_that_are_nearly_alike_are_dropped() {
    let release = ["release", "desk.ifs", "-d", "form", "--out", "set"];
    let folder = desk("seed 1");
    ifs(&folder, &release).ends(GOOD).says("6 dialogues");
    let folder = desk("alike at most 60%");
    let four = ifs(&folder, &[&release[..], &["-n", "2"]].concat()).ends(INPUT);
    assert!(four.err.contains("nearly alike"), "{}", four.err);
    ifs(&folder, &[&release[..], &["-n", "1"]].concat()).ends(GOOD);
    // Short messages in other orders are not alike.
    let folder = desk("alike at most 80%");
    ifs(&folder, &["release", "desk.ifs", "--out", "set"]).ends(GOOD);
    ifs(&folder, &["verify", "set", "--scenario", "desk.ifs"]).ends(GOOD);
}

#[test]
fn epochs_share_only_anchors() {
    let folder = desk("anchors 4");
    ifs(&folder, &["secret", "key"]).ends(GOOD);
    ifs(&folder, &["secret", "other"]).ends(GOOD);
    for (key, epoch, out) in [("key", "1", "one"), ("key", "2", "two"), ("other", "1", "three")] {
        let args = ["release", "desk.ifs", "--secret", key, "--epoch", epoch, "--out", out];
        ifs(&folder, &args).ends(GOOD);
    }
    let asks = |out: &str| -> Vec<String> {
        let rows = rows(&folder, &format!("{out}/dialogues.jsonl"));
        let anchors = rows.iter().filter(|row| row["anchor"] == true).count();
        assert_eq!(anchors, 4);
        rows.iter()
            .map(|row| {
                let turns = row["turns"].as_array().unwrap();
                turns.iter().map(|turn| turn["ask"].to_string()).collect()
            })
            .collect()
    };
    let [one, two, three] = ["one", "two", "three"].map(asks);
    assert_eq!(one[..4], two[..4]);
    assert!(one[4..].iter().all(|ask| !two.contains(ask)));
    assert!(one[..4].iter().all(|ask| !three.contains(ask)), "another secret has other anchors");
    ifs(&folder, &["verify", "two", "--scenario", "desk.ifs", "--secret", "key"]).ends(GOOD);
    let run = ["run", "desk.ifs", "--set", "two", "--secret", "key", "-m", "sim/oracle"];
    ifs(&folder, &run).ends(GOOD).says("14 dialogues");
}

#[test]
fn epochs_are_equated_by_their_anchors() {
    let folder = desk("anchors 6");
    ifs(&folder, &["secret", "key"]).ends(GOOD);
    for (epoch, model) in [("1", "sim/noisy:0.1"), ("2", "sim/noisy:0.5")] {
        let set = format!("set{epoch}");
        let args = ["release", "desk.ifs", "--secret", "key", "--epoch", epoch, "--out", &set];
        ifs(&folder, &args).ends(GOOD);
        let out = format!("run{epoch}");
        let run = ["run", "desk.ifs", "--set", &set, "--secret", "key", "-m", model, "--out", &out];
        ifs(&folder, &run).ends(GOOD);
    }
    let equate = ["equate", "run1", "run2", "--metric", "CSR"];
    ifs(&folder, &equate).ends(GOOD).says("6 anchors, 8 other dialogues");
    let ran = ifs(&folder, &[&equate[..], &["--format", "json"]].concat()).ends(GOOD);
    let found: Json = serde_json::from_str(&ran.out).unwrap();
    let csr = &found["metrics"][0];
    let number = |value: &Json| value.as_f64().unwrap();
    let shift = number(&csr["shift"]["value"]);
    assert!(shift < -0.1, "the second model misses more: {csr}");
    assert!(number(&csr["shift"]["standard_error"]) > 0.0);
    let others = [&csr["others"][0]["value"], &csr["others"][1]["value"]].map(number);
    assert!((number(&csr["equated"]["value"]) - others[0] - shift).abs() < 1e-12);
    let sets = others[1] - others[0] - shift;
    assert!((number(&csr["sets"]["value"]) - sets).abs() < 1e-12);
    let ran = ifs(&folder, &["equate", "run1", "run1"]).ends(INPUT);
    assert!(ran.err.contains("the same dialogues"), "{}", ran.err);
    // Another release, and one without anchors.
    let plain = ["run", "desk.ifs", "-m", "sim/oracle", "--out", "plain"];
    ifs(&folder, &plain).ends(GOOD);
    ifs(&folder, &["equate", "run1", "plain"]).ends(INPUT).says("different secrets");
    let bare = desk("seed 1");
    for seed in ["1", "2"] {
        let run = ["run", "desk.ifs", "--seed", seed, "-m", "sim/oracle", "--out", seed];
        ifs(&bare, &run).ends(GOOD);
    }
    ifs(&bare, &["equate", "1", "2"]).ends(INPUT).says("have 0 anchors in common");
}

const CARDS: &str = r#"ifs 1
benchmark cards { version "1.0" }
import cards "cards.jsonl" { name: text, question: text }
import others "others.jsonl" { name: text, question: text }
dialogue card over cards as card {
  turn { ask "{{ card.question }}" require short count(word) < 50 say "It is short" }
  variant other { over others }
}
dialogue free { turn { ask "Hello?" require short count(word) < 50 say "It is short" } }
release { RELEASED }
"#;

fn cards(released: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let rows = |names: &[&str]| -> String {
        let row =
            |name: &&str| format!("{{\"name\": \"{name}\", \"question\": \"What is {name}?\"}}\n");
        names.iter().map(row).collect()
    };
    fs::write(folder.path().join("cards.ifs"), CARDS.replace("RELEASED", released)).unwrap();
    let names: Vec<String> = (1..=27).map(|number| format!("card {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    fs::write(folder.path().join("cards.jsonl"), rows(&names)).unwrap();
    fs::write(folder.path().join("others.jsonl"), rows(&["a", "b", "c"])).unwrap();
    folder
}

/// The first messages of a run, in order.
fn asked(folder: &TempDir, args: &[&str]) -> Vec<String> {
    let run = ["run", "cards.ifs", "-m", "sim/oracle", "--out", "run"];
    _ = fs::remove_dir_all(folder.path().join("run"));
    ifs(folder, &[&run[..], args].concat()).ends(GOOD);
    let message = |line: &str| {
        let json: Json = serde_json::from_str(line).unwrap();
        json["turns"][0]["ask"].as_str().unwrap().to_owned()
    };
    read(folder, "run/transcripts.jsonl").lines().map(message).collect()
}

#[test]
fn every_record_is_released_once() {
    let folder = cards("every record of card  seed 3");
    let all: Vec<String> = (1..=27).map(|number| format!("What is card {number}?")).collect();
    assert_eq!(asked(&folder, &[]), all, "all 27, and not the 20 that a run has otherwise");
    assert_eq!(asked(&folder, &["-n", "4"]), all[..4]);
    assert_eq!(
        asked(&folder, &["--variant", "other"]),
        ["a", "b", "c"].map(|it| format!("What is {it}?"))
    );
    ifs(&folder, &["release", "cards.ifs", "--out", "set"]).ends(GOOD).says("27 dialogues");
    ifs(&folder, &["fmt", "--check", "cards.ifs"]).ends(FAILED);
    ifs(&folder, &["fmt", "cards.ifs"]).ends(GOOD);
    assert!(read(&folder, "cards.ifs").contains("\n  every record of card\n  seed 3\n"));
    // Dialogues that `keep` rejects are left out without replacement.
    let folder = cards("every record of card  keep where len(turns) > 9");
    assert!(asked(&folder, &[]).is_empty());
    let folder = cards("every record of card  2 dialogues of free");
    ifs(&folder, &["check", "cards.ifs"]).ends(GOOD);
    for (released, says) in [
        ("every record of free", "`free` has no records: it is not written `over` data"),
        ("every record of cards", "`cards` is a bank, not a dialogue"),
        (
            "every record of card  9 dialogues of card",
            "the number of dialogues of `card` is given twice",
        ),
        ("every record of card  cover topics at least 1 times", "leaves nothing to select"),
        ("every record card", "write `every record of NAME`"),
        ("every card", "every"),
    ] {
        let folder = cards(released);
        let ran = ifs(&folder, &["check", "cards.ifs"]).ends(INPUT);
        assert!(ran.err.contains(says), "{released}: {}", ran.err);
        assert_eq!(ran.err.matches("code: ifs::").count(), 1, "{released}: {}", ran.err);
    }
}
