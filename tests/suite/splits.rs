//! Splits: what is held out is drawn with `--split` alone.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{self, Ran};

const GOOD: i32 = 0;
const INPUT: i32 = 3;

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
import topics "topics.jsonl" { name: text, request: text, rare: bool }
import people "people.jsonl" { name: text, voice: text }
group length {
  constraint short(n: int in 5..=60) { say "At most {{ n }} words.", "Up to {{ n }} words." check count(word) <= n }
}
group ending { constraint question { say "End with a question." check ends_with("?") } }
group signs { constraint commas { say "No commas." check not contains(",") } }
group figures { constraint digits { say "No digits." check not contains(/\d/) } }
flow plain { turn { ask "Write about {{ topic.name }}." impose 1 } }
flow double { turn { ask "Write about {{ topic.name }}." } turn { ask "Now the other side." impose figures.digits } }
dialogue talk {
  topic from topics
  style from people
  constraints from length, ending, signs, figures
  start with 2 constraints
  flow { stay at least 2 turns  switch 40% { new 50%  backtrack 50% } }
  evolve one per turn { add 60%  modify 40% }
  end when turns >= 6
  variant impatient { end when turns >= 3 }
}
dialogue told {
  topic from topics
  constraints from length, signs
  flow one_of [plain, double]
}
dialogue fixed { turn { ask "Name a river." } turn { ask "Another one." } }
split hidden {
  groups signs, figures with length
  topics from topics where it.rare
  styles from people where it.voice == "terse"
  words  "Up to {{ n }} words."
  flows  double
}
release { 40 dialogues of talk  40 dialogues of told }
"#;

fn desk(text: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let topics: String = ["tides", "kites", "bread", "snow", "bells", "ropes"]
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let rare = at >= 3;
            format!(
                "{{\"name\": \"{name}\", \"request\": \"Write about {name}.\", \"rare\": {rare}}}\n"
            )
        })
        .collect();
    fs::write(folder.path().join("desk.ifs"), text).unwrap();
    fs::write(folder.path().join("topics.jsonl"), topics).unwrap();
    let people = ["plain", "terse", "chatty"]
        .map(|voice| format!("{{\"name\": \"{voice}\", \"voice\": \"{voice}\"}}\n"));
    fs::write(folder.path().join("people.jsonl"), people.concat()).unwrap();
    folder
}

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

/// Groups, topics, styles and messages of some dialogues.
fn drawn(folder: &TempDir, more: &[&str]) -> ([BTreeSet<String>; 3], String) {
    let args = ["draw", "desk.ifs", "-n", "16", "--format", "jsonl"];
    let ran = ifs(folder, &[&args[..], more].concat()).ends(GOOD);
    let (mut found, mut asks) = ([const { BTreeSet::new() }; 3], String::new());
    for line in ran.out.lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let turns = match row.get("turns").and_then(Json::as_array) {
            Some(turns) => turns.clone(),
            None => vec![row],
        };
        for turn in turns {
            for active in turn["active_constraints"].as_array().unwrap() {
                let name = active["constraint"].as_str().unwrap();
                found[0].insert(name.split('.').next().unwrap().to_owned());
            }
            found[1].extend(turn["topic"].as_str().map(str::to_owned));
            found[2].extend(turn["style"].as_str().map(str::to_owned));
            asks.push_str(turn["ask"].as_str().unwrap());
            asks.push('\n');
        }
    }
    (found, asks)
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn held_out_parts_are_drawn_only_by_the_split() {
    let folder = desk(DESK);
    ifs(&folder, &["check", "desk.ifs"]).ends(GOOD).says("ok.");
    let ([groups, topics, styles], asks) = drawn(&folder, &[]);
    assert_eq!(groups, set(&["ending", "length"]));
    assert_eq!(topics, set(&["bread", "kites", "tides"]));
    assert_eq!(styles, set(&["chatty", "plain"]));
    assert!(asks.contains("At most") && !asks.contains("Up to"), "{asks}");
    let ([groups, topics, styles], asks) = drawn(&folder, &["--split", "hidden"]);
    assert_eq!(groups, set(&["figures", "length", "signs"]));
    assert_eq!(topics, set(&["bells", "ropes", "snow"]));
    assert_eq!(styles, set(&["terse"]));
    assert!(!asks.contains("At most") && asks.contains("Up to"), "{asks}");
    // A variant within the split, and the flows of another dialogue.
    let strict = ["--split", "hidden", "--variant", "impatient"];
    assert_eq!(drawn(&folder, &strict).0[1], set(&["bells", "ropes", "snow"]));
    let told = drawn(&folder, &["-d", "told"]);
    assert!(!told.1.contains("the other side"), "{}", told.1);
    assert_eq!(told.0[0], set(&["length"]));
    let told = drawn(&folder, &["-d", "told", "--split", "hidden"]);
    assert!(told.1.matches("the other side").count() == 16, "{}", told.1);
    ifs(&folder, &["draw", "desk.ifs", "-d", "fixed", "--split", "hidden"])
        .ends(INPUT)
        .says("holds nothing out of the dialogue `fixed`");
    ifs(&folder, &["draw", "desk.ifs", "--split", "hiden"]).ends(INPUT).says("there is `hidden`");
}

/// With the groups that it also draws from, a split may have all groups of the dialogue.
#[test]
fn splits_from_all_groups_have_their_own_dialogues() {
    let folder = desk(
        r#"ifs 1
group length { constraint short { say "At most nine words." check count(word) <= 9 } }
group signs { constraint plain { say "No commas." check not contains(",") } }
dialogue desk {
  constraints from length, signs
  start with 1 constraint
  turn a { ask "Why do tides turn?" }
}
split hidden { groups signs with length }
"#,
    );
    assert_eq!(drawn(&folder, &[]).0[0], set(&["length"]));
    assert_eq!(drawn(&folder, &["--split", "hidden"]).0[0], set(&["length", "signs"]));
}

#[test]
fn a_split_is_run_and_proved_and_released() {
    let folder = desk(DESK);
    let run = ["run", "desk.ifs", "--split", "hidden", "-n", "3", "-m", "sim/oracle"];
    ifs(&folder, &run).ends(GOOD).says("split hidden");
    let strict = [&run[..4], &["--variant", "impatient"], &run[4..]].concat();
    ifs(&folder, &strict).ends(GOOD).says("variant impatient, split hidden");
    ifs(&folder, &["prove", "desk.ifs", "--split", "hidden"]).ends(GOOD);
    let split = ["release", "desk.ifs", "--split", "hidden", "-n", "9", "--out", "set"];
    ifs(&folder, &split).ends(GOOD);
    let manifest = fs::read_to_string(folder.path().join("set/manifest.json")).unwrap();
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["split"], &manifest["variant"]), (&"hidden".into(), &"hidden".into()));
    ifs(&folder, &["verify", "set", "--scenario", "desk.ifs"]).ends(GOOD);
    ifs(&folder, &["run", "desk.ifs", "--set", "set", "-m", "sim/oracle"]).ends(GOOD);
}

/// Each edit of the scenario, and what `ifs check` says.
#[test]
fn impossible_splits_are_refused() {
    for (from, to, says) in [
        ("groups signs,", "groups sings,", "`sings`"),
        ("flows  double", "flows  length", "is a group, not a flow"),
        ("flows  double", "flows  double, plain", "no flow of the dialogue `told` is left"),
        ("topics where it.rare", "topics where it.name != \"\"", "no topic of the dialogue"),
        (
            "signs, figures with length",
            "signs, figures, length, ending",
            "no group of the dialogue",
        ),
        ("words  \"Up", "words  \"At most {{ n }} words.\", \"Up", "no wording of `length.short`"),
        ("words  \"Up to", "words  \"Upto", "no constraint and no phrase has this wording"),
        (
            "impose 1 } }",
            "impose 1 impose signs.commas } }",
            "`signs` is imposed in the dialogue `told`, and held out",
        ),
        (
            "split hidden {",
            "split other { groups signs }\nsplit hidden {",
            "holds out `signs`, and",
        ),
        (
            "split hidden {",
            "split hidden { groups ending }\nsplit hidden {",
            "there are two splits",
        ),
        ("variant impatient", "variant hidden", "has a variant `hidden`"),
        ("flow one_of [plain, double]", "flow plain", "no dialogue chooses this flow"),
        (
            "split hidden {",
            "split empty { }\nsplit hidden {",
            "the split `empty` holds nothing out",
        ),
        ("  styles from", "  colours from", "colours"),
    ] {
        assert!(DESK.contains(from), "{from}");
        let folder = desk(&DESK.replace(from, to));
        let ran = ifs(&folder, &["check", "desk.ifs"]);
        assert_eq!(ran.status, Some(INPUT), "{to}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(says), "{to}: {}", ran.err);
    }
}

/// Each edit of the scenario, and the only change that `ifs diff` names.
#[test]
fn a_split_is_compared_as_it_is_written() {
    let split =
        DESK[DESK.find("split hidden").unwrap()..DESK.find("release {").unwrap()].to_owned();
    for (from, to, class, aspect, place) in [
        (split.as_str(), "", "not-comparable", "removed", ""),
        (
            "groups signs, figures with",
            "groups signs with",
            "not-comparable",
            "probability",
            "groups",
        ),
        ("with length", "with length, ending", "not-comparable", "probability", "groups … with"),
        (
            "topics where it.rare",
            "topics where it.name == \"snow\"",
            "not-comparable",
            "data",
            "topics",
        ),
        ("== \"terse\"", "== \"chatty\"", "not-comparable", "data", "styles"),
        (
            "\"Up to {{ n }} words.\"\n",
            "\"At most {{ n }} words.\"\n",
            "with-care",
            "wording",
            "words",
        ),
    ] {
        assert!(DESK.contains(from), "{from}");
        let folder = desk(DESK);
        fs::write(folder.path().join("other.ifs"), DESK.replacen(from, to, 1)).unwrap();
        let mut files = ["desk.ifs", "other.ifs"];
        for aspect in [aspect, if aspect == "removed" { "added" } else { aspect }] {
            let args = ["diff", files[0], files[1], "--format", "json"];
            let ran = ifs(&folder, &args).ends(GOOD);
            let diff: Json = serde_json::from_str(&ran.out).unwrap();
            let changes = diff["changes"].as_array().unwrap();
            assert_eq!(changes.len(), 1, "{to}: {changes:?}");
            assert_eq!(changes[0]["subject"], "split hidden");
            assert_eq!(
                [&changes[0]["class"], &changes[0]["aspect"], &changes[0]["place"]],
                [class, aspect, place]
            );
            files.reverse();
        }
    }
}

#[test]
fn templates_of_a_split_are_its_own() {
    let text = DESK.replace("  flows  double\n", "  flows  double\n  templates from \"told\"\n");
    let folder = desk(&text);
    fs::create_dir(folder.path().join("told")).unwrap();
    fs::write(folder.path().join("told/open.j2"), "Dear desk, {{ topic.request }} {{ changes }}")
        .unwrap();
    assert!(!drawn(&folder, &[]).1.contains("Dear desk"));
    assert!(drawn(&folder, &["--split", "hidden"]).1.contains("Dear desk"));
}

/// Sets of every shipped scenario that draws its dialogues, public and hidden, do not differ: 0.05 over all features of a
/// pair would call one in twenty different, so the level is 0.05 over all pairs.
#[test]
#[ignore = "some minutes"]
fn public_and_hidden_sets_have_one_distribution() {
    const SCENARIOS: [(&str, &str); 12] = [
        ("evolif/evolif.ifs", "evolving"),
        ("structflowbench/structflowbench.ifs", "structured"),
        ("meeseeks/meeseeks.ifs", "item"),
        ("mmmt/mmmt.ifs", "album"),
        ("mars/mars.ifs", "retrieved"),
        ("mars/mars.ifs", "reasoned"),
        ("mars/chinese.ifs", "retrieved"),
        ("mars/hockey.ifs", "reasoned"),
        ("intake/intake.ifs", "interviewed"),
        ("schreibstube/schreibstube.ifs", "gespraech"),
        ("chess/chess.ifs", "board"),
        ("support/support.ifs", "shift"),
    ];
    let level = (0.05 / SCENARIOS.len() as f64).to_string();
    let folder = TempDir::new().unwrap();
    ifs(&folder, &["secret", "key.json"]).ends(GOOD);
    for (at, (file, dialogue)) in SCENARIOS.iter().enumerate() {
        let path = format!("{}/scenarios/{file}", env!("CARGO_MANIFEST_DIR"));
        let of = |out: &str, more: &[&str]| {
            // There are 182 different dialogues about the games of chess.
            let count = if *dialogue == "board" { "150" } else { "200" };
            let common =
                ["release", &path, "-d", dialogue, "-n", count, "--turns", "12", "--out", out];
            ifs(&folder, &[&common[..], more].concat()).ends(GOOD);
        };
        let (public, hidden) = (format!("public-{at}"), format!("hidden-{at}"));
        of(&public, &[]);
        of(&hidden, &["--secret", "key.json"]);
        let ran = ifs(&folder, &["compare-sets", &public, &hidden, "--level", &level]);
        assert_eq!(ran.status, Some(GOOD), "{file} {dialogue}: {}{}", ran.out, ran.err);
    }
}
