//! `ifs shrink` finds a planted weakness of the server's model.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const WORDS: &str = r#"ifs 1

benchmark words { title "Words" version "1.0.0" }

import topics "topics.jsonl" { name: text  request: text }

group one {
  constraint apple { say "Use the word apple." withdraw "No apple any more." check contains("apple") }
}
group two {
  constraint birch { say "Use the word birch." withdraw "No birch any more." check contains("birch") }
}
group three {
  constraint cedar { say "Use the word cedar." withdraw "No cedar any more." check contains("cedar") }
}
group four {
  constraint daisy { say "Use the word daisy." withdraw "No daisy any more." check contains("daisy") }
}

dialogue talk {
  topic from topics
  constraints from one, two, three, four
  start with 1 constraint
  flow { switch 40% turn }
  evolve one per turn { add 70%  drop 30% }
  end when turns >= 8
}
"#;

/// The words that are to be used, in the order of the instructions, and the number of topics so
/// far. A word in a message is an instruction, unless it is withdrawn there.
fn said(texts: &[String]) -> (Vec<&'static str>, usize) {
    let (mut words, mut topics): (Vec<&str>, usize) = (Vec::new(), 0);
    // Every other message is the model's own.
    for text in texts.iter().step_by(2) {
        topics += text.matches("Why ").count();
        let mut found: Vec<(usize, &str)> = ["apple", "birch", "cedar", "daisy"]
            .into_iter()
            .filter_map(|word| Some((text.find(&format!("the word {word}"))?, word)))
            .collect();
        found.sort_unstable();
        words.extend(found.into_iter().map(|(_, word)| word));
        words.retain(|word| !text.contains(&format!("No {word} ")));
    }
    (words, topics)
}

/// Forgets the second of the instructions once the topic has changed.
fn forgets_the_second(asked: &Asked) -> Vec<Step> {
    let texts = asked.texts();
    let (mut words, topics) = said(&texts);
    if topics > 1 && words.len() > 1 {
        words.remove(1);
    }
    answer(&format!("About {}.", words.join(" ")))
}

fn folder(scenario: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), scenario).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    folder
}

fn shrink(folder: &TempDir, server: &Server, more: &[&str]) -> Ran {
    let mut args = vec!["shrink", "out", "--retry-wait", "1ms"];
    args.extend(more);
    Ran::of(command(folder.path(), server, &args).env("COLUMNS", "80").output().unwrap())
}

fn found(folder: &TempDir, server: &Server, more: &[&str]) -> Vec<Value> {
    let mut args = vec!["shrink", "out", "--retry-wait", "1ms", "--format", "json"];
    args.extend(more);
    let output = command(folder.path(), server, &args).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_second_of_two_constraints_after_a_change_of_topic() {
    let server = Server::start(forgets_the_second);
    let folder = folder(WORDS);
    run(&folder, &server, "6", &[]).ends(0);
    let all = found(&folder, &server, &["--all"]);
    assert!(all.len() > 2, "{all:#?}");
    for one in &all {
        let turns = one["trial"]["transcript"]["turns"].as_array().unwrap();
        let topics: Vec<&str> = turns.iter().map(|turn| turn["topic"].as_str().unwrap()).collect();
        // Two constraints, the turns that state them, and a turn that changes the topic.
        assert_eq!(one["instructions"], 2, "{one:#}");
        let states = |turn: &&Value| !turn["changes"].as_array().unwrap().is_empty();
        assert!(turns.iter().filter(|turn| !states(turn)).count() <= 1, "{one:#}");
        let changed = topics.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changed == 1 && turns[0]["transition"] == "new", "{one:#}");
        assert_eq!((one["failed"].as_bool(), one["minimal"].as_bool()), (Some(true), Some(true)));
        // Without the first of the two, the second is the first and is kept.
        let other = &one["neighbour"]["difference"]["without"];
        let failing = one["constraint"].as_str().unwrap();
        assert!(other.is_string() && !other.as_str().unwrap().starts_with(failing), "{one:#}");
    }
    let calls = server.log().len();
    // The journal has every response.
    let again = found(&folder, &server, &["--all"]);
    assert_eq!((again, server.log().len()), (all.clone(), calls));
    // The command that is printed runs the minimal dialogue again.
    let one = &all[0];
    let text = |name: &str| one[name].as_str().unwrap().to_owned();
    let (index, turn) = (one["dialogue"].to_string(), one["turn"].to_string());
    let (key, parts) = (text("constraint"), text("parts"));
    let args = ["--dialogue", &index, "--turn", &turn, "--constraint", &key, "--only", &parts];
    shrink(&folder, &server, &args).ends(0).says(&format!("`{key}` fails 2 of 2 times"));
    let args = ["--dialogue", &index, "--turn", &turn, "--constraint", &key];
    let shown = shrink(&folder, &server, &args).ends(0);
    let shown = shown.says(" turns with 2 instructions:");
    let shown = shown.says("A dialogue that differs in one instruction holds:");
    let shown = shown.says(&format!("--only {parts}"));
    // Only commands, and the notes about requests, are longer than the terminal is wide.
    let (result, _) = shown.all.split_once("Run it again:").unwrap();
    assert!(result.lines().all(|line| line.chars().count() <= 80), "{result}");
    shrink(&folder, &server, &["--all"]).ends(0).says("instructions that it needs");
}

const COUNTS: &str = r#"ifs 1

benchmark counts { title "Counts" version "1.0.0" }

import topics "topics.jsonl" { name: text  request: text }

group length {
  constraint at_least(n: int in 10..=60) {
    say "Write {{ n }} words or more."
    change "Make it {{ n }} words or more."
    withdraw "The length no longer matters."
    check count(word) >= n
  }
}

group mood {
  constraint calm { say "Use the word calm." withdraw "No calm any more." check contains("calm") }
}

dialogue talk {
  topic from topics
  constraints from length, mood
  start with 2 constraints
  flow { switch 30% turn }
  evolve one per turn { modify 100% }
  end when turns >= 4
}
"#;

/// Never writes more than 20 words.
fn counts_to_twenty(asked: &Asked) -> Vec<Step> {
    let texts = asked.texts();
    let wanted = texts.iter().step_by(2).flat_map(|text| {
        let all: Vec<&str> = text.split_whitespace().collect();
        let number = |pair: &[&str]| (pair[1] == "words").then(|| pair[0].parse::<usize>().ok())?;
        all.windows(2).filter_map(number).collect::<Vec<_>>()
    });
    let count = wanted.last().unwrap_or(5).min(20);
    answer(&format!("calm{}", " word".repeat(count - 1)))
}

#[test]
fn planted_weakness_large_numbers() {
    let server = Server::start(counts_to_twenty);
    for (domain, fails) in [("10..=60", 21), ("10..=60 step 5", 25)] {
        let folder = folder(&COUNTS.replace("10..=60", domain));
        run(&folder, &server, "4", &[]).ends(0);
        let all = found(&folder, &server, &["--all", "--repeats", "1"]);
        assert!(!all.is_empty());
        for one in &all {
            assert_eq!((&one["turns"], &one["instructions"]), (&1.into(), &1.into()), "{one:#}");
            let wanted = serde_json::json!({ "param": "n", "fails": fails, "holds": 20 });
            assert_eq!(one["neighbour"]["difference"], wanted, "{one:#}");
            assert!(one["parts"].as_str().unwrap().ends_with(&format!(":n={fails}")), "{one:#}");
        }
    }
}

/// The same weaknesses of simulated models, on a scenario that was not written for this test.
#[test]
fn shrinking_finds_unsimulated_behaviour() {
    let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/schreibstube/schreibstube.ifs");
    let shrunk = |model: &str| -> Vec<Value> {
        let folder = TempDir::new().unwrap();
        let run =
            ["run", scenario, "-m", model, "--judge", "sim/judge:0", "-n", "3", "--out", "out"];
        for args in [&run[..], &["shrink", "out", "--all", "--format", "json"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
            let output = command.current_dir(folder.path()).args(args).output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            if args[0] == "shrink" {
                return serde_json::from_slice(&output.stdout).unwrap();
            }
        }
        unreachable!("the last command shrinks")
    };
    let distracted = shrunk("sim/distracted");
    assert!(!distracted.is_empty());
    for one in &distracted {
        // Two instructions, and the turns of two topics: three if the last one returns to the first.
        let last = one["trial"]["transcript"]["turns"].as_array().and_then(|turns| turns.last());
        let turns = if last.unwrap()["transition"] == "backtrack" { 3 } else { 2 };
        assert_eq!((&one["instructions"], &one["turns"]), (&2.into(), &turns.into()), "{one:#}");
        let other = one["neighbour"]["difference"]["without"].as_str().unwrap();
        assert!(!other.starts_with(one["constraint"].as_str().unwrap()), "{one:#}");
    }
    let innumerate = shrunk("sim/innumerate:20");
    // A turn, and one with what the constraint changes.
    assert!(innumerate.iter().all(|one| one["turns"].as_u64() <= Some(2)), "{innumerate:#?}");
    let differences = innumerate.iter().map(|one| &one["neighbour"]["difference"]);
    let numbers: Vec<&Value> = differences.filter(|it| it["param"].is_string()).collect();
    assert!(!numbers.is_empty(), "{innumerate:#?}");
    assert!(numbers.iter().all(|it| it["fails"] == 21 && it["holds"] == 20), "{numbers:#?}");
}

#[test]
fn repetitions_outvote_chance() {
    // Fails once in the run, and every third time afterwards.
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |it| match asked.fetch_add(1, Ordering::SeqCst) % 3 {
        0 => answer("no"),
        _ => counts_to_twenty(it),
    });
    let folder = folder(&COUNTS.replace("10..=60", "10..=15"));
    run(&folder, &server, "1", &["--max-turns", "1"]).ends(0);
    let args = ["--dialogue", "0", "--max-connections", "1"];
    let ran = shrink(&folder, &server, &args).ends(0);
    ran.says("holds 2 of").says("did not occur again");
}

#[test]
fn a_spent_budget_shows_what_was_found() {
    let server = Server::start(forgets_the_second);
    let folder = folder(WORDS);
    run(&folder, &server, "6", &[]).ends(0);
    let all = transcripts(&folder);
    let failed = |turn: &Value| {
        turn["samples"][0]["verdicts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["outcome"] != "satisfied")
    };
    let failed = |held: &&Value| held["turns"].as_array().unwrap().iter().any(failed);
    let index = all.iter().find(failed).unwrap()["index"].to_string();
    let args = ["--dialogue", &index, "--repeats", "1"];
    let few = [&args[..], &["--budget-calls", "3"]].concat();
    shrink(&folder, &server, &few).ends(4).says("the budget of 3 calls is spent");
    let calls = server.log().len();
    shrink(&folder, &server, &args).ends(0).says(" turns with 2 instructions:");
    let texts: Vec<Vec<String>> = server.log().iter().map(Asked::texts).collect();
    let bought = &texts[calls..];
    assert!(!bought.is_empty() && bought.iter().all(|it| !texts[..calls].contains(it)));
}

#[test]
fn unshrinkable_runs_are_errors() {
    let server = Server::start(forgets_the_second);
    let folder = folder(WORDS);
    run(&folder, &server, "1", &["--max-turns", "1"]).ends(0);
    let refused = |args: &[&str], why: &str| {
        let ran = shrink(&folder, &server, args);
        assert!(ran.status != Some(0) && ran.all.contains(why), "{}", ran.all);
    };
    refused(&["--dialogue", "7"], "the run has no dialogue 7");
    refused(&["--dialogue", "0"], "dialogue 0 has no failure");
    refused(&["--all"], "no dialogue of the run has such a failure");
    refused(
        &["--dialogue", "0", "--repeats", "3", "--fails", "4"],
        "`--fails 4` is more than the 3",
    );
    refused(&[], "--dialogue");
}

/// Every form of dialogue, with a model that misses everything: what is left is the failing turn, with
/// the turns that it refers to.
#[test]
fn every_form_of_dialogue_can_be_shrunk() {
    let head = r#"ifs 1

benchmark forms { title "Forms" version "1.0.0" }

import topics "topics.jsonl" { name: text  request: text }

group length {
  constraint short(n: int in 5..=9) { say "Use at most {{ n }} words." change "At most {{ n }} words now." withdraw "No limit." check count(word) <= n }
}
group mood {
  constraint calm { say "Use the word calm." withdraw "No calm any more." check contains("calm") }
}
flow a { turn one { ask "Write about tides." impose length.short(n: 6) scope turn } turn two { ask "And leaves." impose mood.calm } }
flow b { turn other { ask "Write about bread." } turn last { ask "And leaves." impose mood.calm } }
"#;
    let forms: [(&str, &str, u64, &[u64]); 7] = [
        (
            "topics",
            "topic from topics constraints from length, mood start with 2 constraints scope topic flow { switch 50% turn } evolve one per turn { modify 100% } end when turns >= 6",
            6,
            &[1, 2],
        ),
        (
            "written turns",
            "turn one { ask \"Write about tides.\" impose length.short(n: 6) } turn two { ask \"And about leaves.\" impose mood.calm } turn three recalls one { ask \"Again.\" require long count(word) > 30 say \"Use more than 30 words.\" }",
            3,
            &[1, 2],
        ),
        (
            "a reference",
            "turn one { ask \"Write about tides.\" } turn two { ask \"And about leaves.\" } turn three recalls one { ask \"Again.\" require long count(word) > 30 say \"Use more than 30 words.\" }",
            3,
            &[2],
        ),
        ("named flows", "flow one_of [a, b]", 2, &[1, 2]),
        (
            "records",
            "turn one { ask \"Write about {{ it_.name }}.\" } for word_ in [\"sea\", \"sun\"] { turn next { ask \"Use the word {{ word_ }}.\" require used contains(word_) say \"It has the word.\" } }",
            3,
            &[1, 2],
        ),
        (
            "rounds",
            "turn one { ask \"Write about tides.\" impose length.short(n: 6) } turn two { ask \"And leaves.\" impose mood.calm } retry up to 1 round with feedback",
            2,
            &[1, 2],
        ),
        (
            "a reminder",
            "constraints from length, mood topic from topics start with 2 constraints repeat instructions at end flow { stay at least 9 turns } end when turns >= 4",
            4,
            &[1, 2],
        ),
    ];
    let server = Server::start(dutiful);
    for (name, dialogue, turn, turns) in forms {
        let over = if name == "records" { " over topics as it_" } else { "" };
        let folder = folder(&format!("{head}dialogue talk{over} {{ {dialogue} }}\n"));
        let args = ["run", "wire.ifs", "-m", "sim/noisy:1", "-n", "1", "--out", "out"];
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let turn = turn.to_string();
        for one in found(&folder, &server, &["--all", "--repeats", "1"]) {
            assert_eq!(
                (one["minimal"].as_bool(), one["failed"].as_bool()),
                (Some(true), Some(true)),
                "{name}: {one:#}"
            );
        }
        let args = ["--dialogue", "0", "--turn", &turn, "--repeats", "1"];
        let one = found(&folder, &server, &args).remove(0);
        assert!(turns.contains(&one["turns"].as_u64().unwrap()), "{name}: {one:#}");
        assert!(one["instructions"].as_u64().unwrap() <= 1, "{name}: {one:#}");
    }
}
