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

/// The commit of a run, and whether its files differed.
fn origin(folder: &TempDir, scenario: &str) -> (Option<String>, bool) {
    let out = TempDir::new().unwrap();
    let out = out.path().join("run");
    ifs(folder, &["run", scenario, "-n", "1", "--out", out.to_str().unwrap()]).ends(GOOD);
    let text = fs::read_to_string(out.join("run.json")).unwrap();
    let record: Json = serde_json::from_str(&text).unwrap();
    let revision = record["revision"].as_str().map(str::to_owned);
    (revision, record["dirty"].as_bool().unwrap_or(false))
}

#[test]
fn a_run_names_the_commit_of_the_files_that_it_read() {
    let folder = repository();
    let at = |name: &str| folder.path().join(name);
    let head = || Some(git(folder.path(), &["rev-parse", "HEAD"]).trim_end().to_owned());
    let differs = || {
        let (commit, differs) = origin(&folder, "desk.ifs");
        assert_eq!(commit, head());
        differs
    };
    assert!(!differs());
    // What the scenario does not read does not matter, neither does the time of a file.
    fs::write(at("notes.txt"), "mine").unwrap();
    fs::write(at("topics.jsonl"), TOPICS).unwrap();
    assert!(!differs());
    // A text with the line ends of another system is the same text.
    fs::write(at("topics.jsonl"), TOPICS.replace('\n', "\r\n")).unwrap();
    fs::write(at("desk.ifs"), DESK.replace('\n', "\r\n")).unwrap();
    assert!(!differs());
    fs::write(at("topics.jsonl"), format!("{TOPICS}\n")).unwrap();
    assert!(differs());
    git(folder.path(), &["add", "."]);
    assert!(differs(), "an index is not a commit");
    git(folder.path(), &["commit", "-qm", "Two"]);
    assert!(!differs());
    fs::write(at("desk.ifs"), DESK.replace("turn second", "// a comment\n  turn second")).unwrap();
    assert!(differs());
    fs::write(at("desk.ifs"), DESK).unwrap();
    // What git does not track is of no commit.
    git(folder.path(), &["rm", "-q", "--cached", "topics.jsonl"]);
    git(folder.path(), &["commit", "-qm", "Three"]);
    assert!(differs());
    // What a filter wrote is another text.
    fs::write(at(".gitattributes"), "*.jsonl filter=turned\n").unwrap();
    git(folder.path(), &["config", "filter.turned.clean", "rev"]);
    git(folder.path(), &["add", "-A"]);
    git(folder.path(), &["commit", "-qm", "Four"]);
    assert!(differs());
    // Without git's help: a repository that cannot be read is said to be one.
    fs::write(at(".git/HEAD"), "ref: ../../etc/passwd\n").unwrap();
    assert_eq!(origin(&folder, "desk.ifs"), (None, false));
    let said = ifs(&folder, &["release", "desk.ifs", "-n", "1", "--out", "set"]).ends(GOOD);
    said.says("the git revision of `desk.ifs` is unknown").says("HEAD` is damaged");
    fs::remove_dir_all(at(".git")).unwrap();
    assert_eq!(origin(&folder, "desk.ifs"), (None, false));
}

/// A log that is gone is a change, although no file that was read differs.
#[test]
fn a_missing_log_is_a_change() {
    let folder = TempDir::new().unwrap();
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/support");
    for name in ["logs", "banks"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let banks = ["banks/orders.jsonl", "banks/shops.jsonl"];
    for name in ["support.ifs", "logs/friday.csv", "logs/monday.csv"].into_iter().chain(banks) {
        fs::copy(support.join(name), folder.path().join(name)).unwrap();
    }
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "One"]);
    assert!(!origin(&folder, "support.ifs").1);
    ifs(&folder, &["diff", "HEAD", "support.ifs", "--exit-code"]).ends(GOOD);
    fs::write(folder.path().join("logs/notes.txt"), "mine").unwrap();
    assert!(!origin(&folder, "support.ifs").1);
    fs::remove_file(folder.path().join("logs/friday.csv")).unwrap();
    assert!(origin(&folder, "support.ifs").1);
    ifs(&folder, &["diff", "HEAD", "support.ifs", "--exit-code"]).ends(FAILED);
}

#[test]
fn revisions_are_read_without_git() {
    let folder = repository();
    edit(&folder, "desk.ifs", "5..=9", "5..=12");
    git(folder.path(), &["commit", "-qam", "Two"]);
    git(folder.path(), &["tag", "-a", "v2", "-m", "Two"]);
    fs::create_dir(folder.path().join("old")).unwrap();
    git(folder.path(), &["mv", "desk.ifs", "old/desk.ifs"]);
    git(folder.path(), &["mv", "topics.jsonl", "old/topics.jsonl"]);
    git(folder.path(), &["commit", "-qm", "Three"]);
    git(folder.path(), &["gc", "-q"]);
    let id = git(folder.path(), &["rev-parse", "HEAD~2"]);
    for (old, new, status) in [
        ("HEAD~1:desk.ifs", "old/desk.ifs", GOOD),
        ("v2:desk.ifs", "main:old", GOOD),
        ("v2^{commit}:.", "old", GOOD),
        ("main@{2}:desk.ifs", "v2~1:desk.ifs", GOOD),
        (&format!("{}:desk.ifs", &id[..8]), "v2:desk.ifs", FAILED),
        ("@{now}:old/desk.ifs", "HEAD:old/desk.ifs", GOOD),
    ] {
        let ran = ifs(&folder, &["diff", old, new, "--exit-code"]);
        assert_eq!(ran.status, Some(status), "{old} {new}\n{}\n{}", ran.out, ran.err);
    }
    for (old, says) in [
        ("main@{2026-11-01 12:00}:old", "git rev-parse 'main@{2026-11-01 12:00}'"),
        ("main@{upstream}:old", "git rev-parse"),
        ("HEAD~9:old", "git has no revision `HEAD~9`"),
        ("HEAD:none", "there is no `none`"),
        ("nothing:old", "git has no revision `nothing`"),
    ] {
        ifs(&folder, &["diff", old, "old"]).ends(INPUT).says(says);
    }
    let outside = desk();
    ifs(&outside, &["diff", "HEAD", "desk.ifs"]).ends(INPUT).says("is not in a git repository");
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
    // A bank is compared through the scenario that reads it, and other files line by line.
    fs::write(folder.path().join("README"), "one\n").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "Two"]);
    fs::write(folder.path().join(".gitattributes"), "* diff=ifs\n").unwrap();
    edit(&folder, "topics.jsonl", "about kites", "on kites");
    fs::write(folder.path().join("README"), "two\n").unwrap();
    let shown = git(folder.path(), &["--no-pager", "diff", "--ext-diff", "--", "topics.jsonl"]);
    assert!(shown.contains("comparable with care\n  bank topics"), "{shown}");
    assert!(shown.contains("- kites.request: \"Write about kites.\""), "{shown}");
    assert!(shown.contains("+ kites.request: \"Write on kites.\""), "{shown}");
    let shown = git(folder.path(), &["--no-pager", "diff", "--ext-diff", "--", "README"]);
    assert!(shown.contains("no scenario here reads it; lines are compared"), "{shown}");
    assert!(shown.contains("+two"), "{shown}");
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
        // Another layout, and other ends of lines, are not other content.
        ("topics.jsonl", "{\"name\": \"tides\"", "\n{\"name\": \"tides\"", ""),
        ("topics.jsonl", "\n", "\r\n", ""),
        ("desk.ifs", "\n", "\r\n", ""),
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
        assert_ne!(before, other, "{from}");
        fs::write(&path, other).unwrap();
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

/// Metrics are computed from verdicts: another formula leaves no dialogue with feedback out, as
/// another check does.
#[test]
fn other_metrics_keep_dialogues_with_feedback() {
    let folder = desk();
    let metric = "metric longer of dialogue {\n  return len(turns) - 1\n}\ndialogue talk {\n  \
                  report CSR, longer\n  retry up to 1 round with feedback";
    edit(&folder, "desk.ifs", "dialogue talk {", metric);
    let run = ["run", "desk.ifs", "-n", "6", "-m", "sim/echo", "--judge", "sim/judge"];
    ifs(&folder, &[&run[..], &["--out", "r"]].concat()).ends(GOOD);
    let transcripts = fs::read_to_string(folder.path().join("r/transcripts.jsonl")).unwrap();
    assert!(transcripts.contains("\"rounds\""), "the model misses nothing");
    let score = || ifs(&folder, &["score", "r", "--under", "desk.ifs", "--format", "json"]);
    edit(&folder, "desk.ifs", "len(turns) - 1", "len(turns) * 10");
    edit(&folder, "desk.ifs", "report CSR, longer", "report longer, CSR");
    let ran = score().ends(GOOD);
    assert!(!ran.err.contains("left out"), "{}", ran.err);
    let scores: Json = serde_json::from_str(&ran.out).unwrap();
    let metrics = scores["metrics"].as_array().unwrap();
    let longer = metrics.iter().find(|metric| metric["name"] == "longer").unwrap();
    assert_eq!(longer["value"], 20.0);
    edit(&folder, "desk.ifs", "check count(word) <= n", "check count(word) < n");
    score().says("6 of 6 dialogues are left out");
}

/// A folder has one scenario, and modules that it imports.
#[test]
fn folders_with_modules_are_compared() {
    let rules = "ifs 1\nconstraint brief(n: int in 10..=20) {\n  say \"At most {{ n }} words.\"\n  \
                 check count(word) <= n\n}\n";
    let folder = TempDir::new().unwrap();
    for (name, domain) in [("old", "10..=20"), ("new", "10..=90")] {
        let at = folder.path().join(name);
        fs::create_dir(&at).unwrap();
        fs::write(at.join("a_rules.ifs"), rules.replace("10..=20", domain)).unwrap();
        fs::write(at.join("topics.jsonl"), TOPICS).unwrap();
        let desk = DESK.replace(
            "constraint short",
            "import rules \"a_rules.ifs\"\nuse rules.*\nconstraint short",
        );
        fs::write(at.join("desk.ifs"), desk.replace("from short, kind", "from short, brief"))
            .unwrap();
    }
    let ran = ifs(&folder, &["diff", "old/", "new/"]).ends(GOOD);
    ran.says("not comparable\n  constraint brief\n    n: domain widened");
    ifs(&folder, &["check", "old"]).ends(GOOD).says("1 dialogue");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "One"]);
    ifs(&folder, &["diff", "HEAD:old", "new"]).ends(GOOD).says("n: domain widened");
    // Two scenarios are still two.
    fs::write(folder.path().join("new/other.ifs"), DESK).unwrap();
    ifs(&folder, &["diff", "old", "new"]).ends(INPUT).says("a folder of 3 scenarios");
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
    let diff = ["diff", "HEAD", "desk.ifs", "--draws", "1"];
    let ran = ifs(&folder, &diff).ends(GOOD).says("no changes");
    ran.says("HEAD:desk.ifs: std.answers, std.evolif were read from this ifs")
        .says("whether it was another one");
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
    let answers = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/std/answers.ifs");
    write("scenarios/std/answers.ifs", &fs::read_to_string(answers).unwrap());
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

/// A change of a module has the class that it has in the scenario that imports it.
#[test]
fn modules_are_compared_through_their_scenarios() {
    let folder = desk();
    let rules = "ifs 1\nconstraint brief(n: int in 10..=20) {\n  say \"At most {{ n }} words.\"\n  \
                 check count(word) <= n\n}\n";
    fs::create_dir(folder.path().join("parts")).unwrap();
    fs::write(folder.path().join("parts/rules.ifs"), rules).unwrap();
    edit(
        &folder,
        "desk.ifs",
        "constraint short",
        "import rules \"parts/rules.ifs\"\nuse rules.*\nconstraint short",
    );
    edit(&folder, "desk.ifs", "from short, kind", "from short, kind, brief");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-qm", "One"]);
    edit(&folder, "parts/rules.ifs", "10..=20", "10..=90");
    let ran = ifs(&folder, &["diff", "HEAD", "parts/rules.ifs"]).ends(GOOD);
    ran.says("not comparable\n  constraint brief\n    n: domain widened").says("2.0 or later");
    fs::write(folder.path().join(".gitattributes"), "*.ifs diff=ifs\n").unwrap();
    let program = format!("'{}' diff", env!("CARGO_BIN_EXE_ifs"));
    git(folder.path(), &["config", "diff.ifs.command", &program]);
    let shown = git(folder.path(), &["--no-pager", "diff", "--ext-diff"]);
    assert!(shown.contains("not comparable\n  constraint brief"), "{shown}");
    let tool = format!("'{}' diff", env!("CARGO_BIN_EXE_ifs"));
    let shown = git(folder.path(), &["difftool", "--extcmd", &tool, "--no-prompt"]);
    assert!(shown.contains("not comparable\n  constraint brief"), "{shown}");
    // Without a scenario, a module has no class.
    fs::remove_file(folder.path().join("desk.ifs")).unwrap();
    let ran = ifs(&folder, &["diff", "HEAD", "parts/rules.ifs"]).ends(GOOD);
    let ran = ran.says("no class: this module changes the scores of what imports it");
    assert!(!ran.out.contains("comparable"), "{}", ran.out);
}
