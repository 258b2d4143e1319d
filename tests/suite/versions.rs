//! Versions of definitions: `ifs diff`, `ifs lock`, `ifs check --against` and `--locked`, `ifs score --under`.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::cli::{self, Ran};

const GOOD: i32 = 0;
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const INPUT: i32 = 3;

const TOPICS: &str = r#"{"name": "tides", "request": "Write about tides."}
{"name": "kites", "request": "Write about kites."}
"#;

const DESK: &str = r#"ifs 1
benchmark desk { version "1.0" }
import topics "topics.jsonl" { name: text, request: text }
constraint short(n: int in 5..=9) { say "At most {{ n }} words." check count(word) <= n }
constraint kind { say "Be kind." judge "Is it kind?" }
dialogue talk {
  topic from topics
  constraints from short, kind
  start with 2 constraints
  turn first { ask "{{ topic.request }}" }
  turn second { ask "Go on." }
}
"#;

fn desk() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("desk.ifs"), DESK).unwrap();
    fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    folder
}

fn edit(folder: &TempDir, name: &str, from: &str, to: &str) {
    let path = folder.path().join(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "no `{from}` in {text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is there: this repository came by it");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn repository() -> TempDir {
    let folder = desk();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "One"]);
    folder
}

fn ifs(folder: &TempDir, args: &[&str]) -> Ran {
    cli::ifs(folder.path(), args)
}

#[test]
fn diff_prints_class_and_version() {
    let folder = repository();
    ifs(&folder, &["diff", "HEAD", "desk.ifs", "--exit-code"]).ends(GOOD).says("no changes");
    edit(&folder, "desk.ifs", "5..=9", "5..=12");
    let ran = ifs(&folder, &["diff", "HEAD", "desk.ifs", "--exit-code"]).ends(FAILED);
    let ran =
        ran.says("not comparable\n  constraint short\n    n: domain widened: values are drawn");
    let ran = ran.says("- int in 5..=9\n").says("+ int in 5..=12\n");
    ran.says("1.0 before; these changes need 2.0 or later, 1.0 is declared");
    // The same from the folder, from two revisions, and for machines.
    git(folder.path(), &["commit", "-qam", "Two"]);
    ifs(&folder, &["diff", "HEAD~1:desk.ifs", "HEAD:."]).ends(GOOD).says("domain widened");
    let json =
        ifs(&folder, &["diff", "HEAD~1", ".", "--format", "json", "--draws", "3"]).ends(GOOD);
    let json: Json = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["class"], "not-comparable");
    assert_eq!(json["required_version"], "2.0");
    assert_eq!(json["changes"][0]["aspect"], "domain-widened");
    assert_eq!(json["changes"][0]["dialogues"], serde_json::json!(["talk"]));
    assert_eq!(json["messages"][0]["drawn"], 3);
    for (args, says) in [
        (&["diff", "desk.ifs"][..], "two sides"),
        (&["diff", "nothing.ifs", "desk.ifs"], "git has no revision `nothing.ifs`"),
        (&["diff", "HEAD:none.ifs", "desk.ifs"], "there is no `none.ifs` in the revision"),
        (&["diff", "--", "-x", "desk.ifs"], "`-x`"),
    ] {
        let status = if args.len() == 2 { USAGE } else { INPUT };
        ifs(&folder, args).ends(status).says(says);
    }
    edit(&folder, "desk.ifs", "dialogue talk {", "dialogue talk { aks");
    ifs(&folder, &["diff", "HEAD", "desk.ifs"]).ends(INPUT).says("cannot be compared");
}

#[test]
fn git_shows_changes_through_it() {
    let folder = repository();
    fs::write(folder.path().join(".gitattributes"), "*.ifs diff=ifs\n").unwrap();
    let program = format!("'{}' diff", env!("CARGO_BIN_EXE_ifs"));
    git(folder.path(), &["config", "diff.ifs.command", &program]);
    edit(&folder, "desk.ifs", "At most", "No more than");
    let shown = git(folder.path(), &["--no-pager", "diff", "--ext-diff"]);
    assert!(shown.contains("comparable with care\n  constraint short\n    say:"), "{shown}");
    // A version that does not compile is compared line by line.
    edit(&folder, "desk.ifs", "turn second", "trun second");
    let shown = git(folder.path(), &["--no-pager", "diff", "--ext-diff"]);
    assert!(shown.contains("the newer side has mistakes"), "{shown}");
    assert!(shown.contains("+  trun second"), "{shown}");
}

#[test]
fn a_version_that_was_not_raised_is_a_warning() {
    let folder = repository();
    let check = ["check", "desk.ifs", "--against", "HEAD", "--deny-warnings"];
    ifs(&folder, &check).ends(GOOD);
    edit(&folder, "desk.ifs", "5..=9", "6..=9");
    ifs(&folder, &check).ends(FAILED).says("2.0 is needed").says("ifs::stale-version");
    edit(&folder, "desk.ifs", r#"version "1.0""#, r#"version "1.1""#);
    ifs(&folder, &check).ends(FAILED).says("the version is 1.1; 2.0 is needed");
    edit(&folder, "desk.ifs", r#"version "1.1""#, r#"version "2.0""#);
    ifs(&folder, &check).ends(GOOD);
    ifs(&folder, &["check", "desk.ifs", "--against", "nothing"]).ends(INPUT).says("nothing");
}

#[test]
fn drift_from_a_lock_is_refused() {
    let folder = desk();
    ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(INPUT).says("`ifs lock desk.ifs`");
    ifs(&folder, &["lock", "."]).ends(GOOD).says("desk.lock: 1 file, 1 bank, ");
    let lock = fs::read_to_string(folder.path().join("desk.lock")).unwrap();
    let json: Json = serde_json::from_str(&lock).unwrap();
    assert_eq!(json["banks"]["topics"]["records"], 2);
    ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(GOOD);
    // A comment in the scenario is not drift.
    edit(&folder, "desk.ifs", "constraint kind", "/// Kindness.\nconstraint kind");
    ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(GOOD);
    for (file, from, to, says) in [
        ("topics.jsonl", "about kites", "on kites", "field request has other values"),
        (
            "topics.jsonl",
            "\n{\"name\": \"kites\"",
            "\n{\"name\": \"kites2\"",
            "field name has other values",
        ),
        (
            "topics.jsonl",
            "{\"name\": \"tides\"",
            "\n{\"name\": \"tides\"",
            "file topics.jsonl has other bytes",
        ),
        ("desk.ifs", "<= n", "< n", "constraint short differs from the locked one"),
        (
            "desk.ifs",
            "constraint kind",
            "constraint dear",
            "constraint kind is locked and no longer there",
        ),
        ("desk.lock", "\"lock\": 1", "\"lock\": 9", "its format is 9"),
        ("desk.lock", "{\n", "{", ""),
    ] {
        let path = folder.path().join(file);
        let before = fs::read_to_string(&path).unwrap();
        let other = before.replace(from, to);
        fs::write(&path, if says.is_empty() { &before } else { &other }).unwrap();
        if from == "constraint kind" {
            edit(&folder, file, "short, kind", "short, dear");
        }
        let status = if says.is_empty() { GOOD } else { INPUT };
        ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(status).says(says);
        fs::write(&path, before).unwrap();
    }
    let order: Vec<&str> = TOPICS.lines().rev().collect();
    fs::write(folder.path().join("topics.jsonl"), order.join("\n")).unwrap();
    let ran = ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(INPUT);
    ran.says("has its values in another order").says("ifs::lock-drift");
}

#[test]
fn recorded_responses_are_graded_under_another_definition() {
    let folder = repository();
    let run =
        ["run", "desk.ifs", "-n", "6", "-m", "sim/oracle", "--judge", "sim/judge", "--out", "r"];
    ifs(&folder, &run).ends(GOOD);
    let manifest = fs::read_to_string(folder.path().join("r/run.json")).unwrap();
    let manifest: Json = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["revision"].as_str().map(str::len), Some(40));
    let scores = fs::read_to_string(folder.path().join("r/scores.json")).unwrap();
    let scores: Json = serde_json::from_str(&scores).unwrap();
    assert_eq!(scores["origin"]["revision"], manifest["revision"]);
    let score =
        |folder: &TempDir| ifs(folder, &["score", "r", "--under", "desk.ifs", "--format", "json"]);
    let csr = |ran: &Ran| -> f64 {
        let json: Json = serde_json::from_str(&ran.out).unwrap();
        let metrics = json["metrics"].as_array().unwrap();
        let csr = metrics.iter().find(|metric| metric["name"] == "CSR").unwrap();
        csr["value"].as_f64().unwrap()
    };
    let same = score(&folder).ends(GOOD);
    assert!((csr(&same) - 1.0).abs() < 1e-12, "{}", same.out);
    // A stricter rule: the messages are the same, the verdicts are not.
    edit(&folder, "desk.ifs", "check count(word) <= n", "check count(word) <= 0 * n");
    let strict = score(&folder).ends(GOOD);
    assert!((csr(&strict) - 0.5).abs() < 1e-12, "{}", strict.out);
    // Another question: its verdicts do not count.
    edit(&folder, "desk.ifs", "check count(word) <= 0 * n", "check count(word) <= n");
    edit(&folder, "desk.ifs", "Is it kind?", "Is it really kind?");
    score(&folder).says("12 verdicts of judges answer other questions");
    // Other messages: nothing can be graded.
    edit(&folder, "desk.ifs", "Go on.", "And then?");
    score(&folder).says("6 of 6 dialogues are left out").says("comparable");
    // The run's own scores are as they were.
    let after = fs::read_to_string(folder.path().join("r/scores.json")).unwrap();
    assert_eq!(serde_json::from_str::<Json>(&after).unwrap(), scores);
}

const WITH_LIBRARY: &str = r#"ifs 1
benchmark desk { version "1.0" }
use std.evolif.length
import topics "topics.jsonl" { name: text, request: text }
dialogue talk {
  topic from topics
  constraints from length
  start with 1 constraint
  turn first { ask "{{ topic.request }}" }
}
"#;

/// A change of the library is named where it can be known, and elsewhere it is said that it is not.
#[test]
fn library_changes_are_listed_or_reported_unknown() {
    let folder = desk();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let commit = || {
        git(folder.path(), &["add", "-A"]);
        git(folder.path(), &["commit", "-qm", "a"]);
    };
    write("desk.ifs", WITH_LIBRARY);
    git(folder.path(), &["init", "-q"]);
    commit();
    let diff = ["diff", "HEAD", "desk.ifs", "--draws", "0"];
    let ran = ifs(&folder, &diff).ends(GOOD).says("no changes");
    ran.says("HEAD:desk.ifs: std.evolif was read from this ifs")
        .says("whether it was another one then");
    // A lock shows whether it was the same.
    ifs(&folder, &["lock", "desk.ifs"]).ends(GOOD);
    commit();
    assert!(!ifs(&folder, &diff).ends(GOOD).out.contains("std.evolif"));
    let lock = fs::read_to_string(folder.path().join("desk.lock")).unwrap();
    let mut json: Json = serde_json::from_str(&lock).unwrap();
    json["library"]["evolif"] = Json::from("0");
    // Where nothing else drifted, the library has not changed what the scenario uses.
    write("desk.lock", &json.to_string());
    ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(GOOD);
    commit();
    ifs(&folder, &diff).ends(GOOD).says("its lock pins another std.evolif");
    let parts = json["parts"].as_object_mut().unwrap();
    let (_, digest) = parts.iter_mut().find(|(name, _)| name.contains("length")).unwrap();
    *digest = Json::from("0");
    write("desk.lock", &json.to_string());
    let drifted = ifs(&folder, &["check", "desk.ifs", "--locked"]).ends(INPUT);
    drifted.says("std.evolif of the");
    // A revision of ifs itself has its own library.
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/std/evolif.ifs");
    let library = fs::read_to_string(library).unwrap();
    let other = library.replacen(
        "group length {",
        "group length {\n  constraint extra { say \"Be brief.\" check count(word) < 500 }",
        1,
    );
    assert_ne!(other, library);
    write("scenarios/std/evolif.ifs", &other);
    write("src/model/library.rs", "");
    fs::remove_file(folder.path().join("desk.lock")).unwrap();
    commit();
    let ran = ifs(&folder, &diff).ends(GOOD).says("constraint length.extra");
    ran.says("removed");
}

/// Texts in the history in place of the model's responses are compared, too.
#[test]
fn different_history_is_a_different_message() {
    let folder = TempDir::new().unwrap();
    let old = "ifs 1\ndialogue g { context golden turn { ask \"A\" answer \"GOLD\" } turn { ask \"B\" require r contains(\"x\") } }\n\
               dialogue h { turn { ask \"A\" reply \"GIVEN\" } turn { ask \"B\" require r contains(\"x\") } }\n\
               dialogue o { turn { ask \"A\" answer \"OWN\" } turn { ask \"B\" require r contains(\"x\") } }\n";
    fs::write(folder.path().join("old.ifs"), old).unwrap();
    let new = old.replace("GOLD", "SILVER").replace("GIVEN", "OTHER").replace("OWN", "YOURS");
    fs::write(folder.path().join("new.ifs"), new).unwrap();
    ifs(&folder, &["diff", "old.ifs", "new.ifs"])
        .ends(GOOD)
        .says("g: 0 of 20 drawn dialogues have the same messages")
        .says("h: 0 of 20 drawn dialogues have the same messages")
        .says("o: 20 of 20 drawn dialogues have the same messages");
}
