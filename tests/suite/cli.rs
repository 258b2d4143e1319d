//! The built program, run like a user: output, files and exit statuses.

pub mod exports;
mod files;
mod graded;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

const GOOD: i32 = 0;
const FAILED: i32 = 1;
const USAGE: i32 = 2;
const INPUT: i32 = 3;
const MACHINE: i32 = 4;

const COMMANDS: [&str; 16] = [
    "audit",
    "new",
    "check",
    "fmt",
    "test",
    "explain",
    "graph",
    "draw",
    "run",
    "score",
    "report",
    "grade",
    "scene",
    "compare",
    "completions",
    "man",
];

/// The results of a command.
pub struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn ends(self, status: i32) -> Ran {
        assert_eq!(self.status, Some(status), "\n{}\n{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        let said = self.out.contains(text) || self.err.contains(text);
        assert!(said, "no `{text}` in\n{}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn json(&self) -> Json {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(folder).args(args).stdin(Stdio::null());
    command.env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

pub fn ifs(folder: &Path, args: &[&str]) -> Ran {
    finished(command(folder, args).output().unwrap())
}

fn finished(output: std::process::Output) -> Ran {
    Ran {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A folder with the scenario that `ifs new talks` writes.
fn scaffold() -> TempDir {
    let folder = TempDir::new().unwrap();
    ifs(folder.path(), &["new", "talks"]).ends(GOOD);
    folder
}

/// A scaffold with a run in `out`.
fn with_run(more: &[&str]) -> TempDir {
    let folder = scaffold();
    let args = [&["run", "talks", "--out", "out", "-n", "4"], more].concat();
    ifs(folder.path(), &args).ends(GOOD);
    folder
}

fn file(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(file(folder, name)).unwrap()
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_command_has_help_with_examples() {
    let folder = TempDir::new().unwrap();
    let all = ifs(folder.path(), &["--help"]).ends(GOOD).says("Exit status:").says("130");
    for command in COMMANDS {
        assert!(all.out.contains(&format!("\n  {command}")), "{command} is not in --help");
        let help = ifs(folder.path(), &[command, "--help"]).ends(GOOD).says("Usage:");
        if command != "man" {
            assert!(help.out.contains("Examples:"), "{command} shows no example");
        }
        ifs(folder.path(), &["help", command]).ends(GOOD);
    }
    ifs(folder.path(), &["--version"]).ends(GOOD).says("ifs ");
}

#[test]
fn invalid_command_lines() {
    let folder = scaffold();
    let at = folder.path();
    ifs(at, &[]).ends(USAGE);
    ifs(at, &["bake"]).ends(USAGE);
    ifs(at, &["check"]).ends(USAGE);
    ifs(at, &["check", "talks", "--format", "yaml"]).ends(USAGE).says("yaml").says("json");
    ifs(at, &["graph", "talks", "--format", "png"]).ends(USAGE).says("mermaid");
    ifs(at, &["run", "talks", "-m", "sim/nobody"]).ends(USAGE).says("`sim/nobody`");
    ifs(at, &["run", "talks", "-m", "openai/gpt"]).ends(USAGE).says("openai/gpt");
    ifs(at, &["run", "talks", "-m", "sim/noisy:2"]).ends(USAGE).says("from 0 to 1");
    ifs(at, &["run", "talks", "-m", "sim/noisy:some"]).ends(USAGE).says("from 0 to 1");
    ifs(at, &["run", "talks", "-m", "replay:none.jsonl"]).says("none.jsonl");
    ifs(at, &["run", "talks", "-n", "-1"]).ends(USAGE);
    ifs(at, &["new", "7"]).ends(USAGE).says("begins with a letter");
    assert!(!file(&folder, "runs").exists(), "a run that did not begin left a folder");
}

#[test]
fn missing_input() {
    let folder = scaffold();
    let at = folder.path();
    ifs(at, &["check", "none.ifs"]).ends(INPUT).says("none.ifs");
    ifs(at, &["check", "none/none.ifs"]).ends(INPUT).says("none");
    ifs(at, &["fmt", "none.ifs"]).ends(INPUT).says("none.ifs");
    ifs(at, &["fmt", "talks/banks"]).ends(INPUT).says("no .ifs file in");
    ifs(at, &["test", "none.ifs"]).ends(INPUT);
    ifs(at, &["score", "talks"]).ends(INPUT).says("no run");
    ifs(at, &["report", "none"]).ends(INPUT).says("no run");
    ifs(at, &["explain", "start_with"]).ends(INPUT).says("starts_with");
    for command in ["draw", "run", "graph"] {
        ifs(at, &[command, "none.ifs"]).ends(INPUT).says("none.ifs");
        let ran = ifs(at, &[command, "talks", "--dialogue", "tlak"]);
        ran.ends(INPUT).says("`tlak`").says("`talk`");
    }
    ifs(at, &["new", "talks"]).ends(INPUT).says("already exists");
    fs::create_dir(file(&folder, "empty")).unwrap();
    ifs(at, &["check", "empty"]).ends(INPUT).says("no scenario").says("ifs new");
    ifs(at, &["new", "my talks"]).ends(GOOD).says("ifs check 'my talks/my_talks.ifs'");
}

#[test]
fn topics_without_a_request() {
    let folder = scaffold();
    let topics = read(&folder, "talks/banks/topics.jsonl").replace("\"request\"", "\"ask\"");
    fs::write(file(&folder, "talks/banks/topics.jsonl"), topics).unwrap();
    let text = read(&folder, "talks/talks.ifs").replace("  request: text", "  ask: text");
    fs::write(file(&folder, "talks/talks.ifs"), text).unwrap();
    ifs(folder.path(), &["check", "talks"]).ends(INPUT).says("no `request`").says("templates from");
    fs::create_dir(file(&folder, "talks/words")).unwrap();
    fs::write(file(&folder, "talks/words/open.j2"), "{{ topic.ask }}").unwrap();
    let text = read(&folder, "talks/talks.ifs")
        .replace("  patience 3", "  patience 3\n  templates from \"words\"");
    fs::write(file(&folder, "talks/talks.ifs"), text).unwrap();
    ifs(folder.path(), &["draw", "talks", "--turns", "9"]).ends(GOOD);
}

/// The output of `ifs new` passes every check.
#[test]
fn a_new_scenario_compiles_draws_and_runs() {
    let folder = scaffold();
    let at = folder.path();
    ifs(at, &["check", "talks/talks.ifs", "--deny-warnings"]).ends(GOOD).says("ok.");
    ifs(at, &["check", "talks", "--format", "json"]).ends(GOOD);
    ifs(at, &["fmt", "--check", "talks/talks.ifs"]).ends(GOOD);
    ifs(at, &["test", "talks/talks.ifs"]).ends(GOOD).says("passed, 0 failed");
    ifs(at, &["draw", "talks", "--turns", "3"]).ends(GOOD).says("dialogue talk number 0, seed 1");
    for form in ["svg", "dot", "mermaid"] {
        ifs(at, &["graph", "talks", "--format", form]).ends(GOOD);
    }
    let ran = ifs(at, &["run", "talks", "-n", "3"]).ends(GOOD).says("simulated");
    assert!(ran.err.contains("the run is in "), "{}", ran.err);
    let run = "runs/talks-sim-forgetful-seed1";
    ifs(at, &["score", run]).ends(GOOD).says("simulated");
    for format in ["text", "json", "html", "csv"] {
        ifs(at, &["report", run, "--format", format]).ends(GOOD).says("imulated");
    }
    // A second run gets another folder.
    ifs(at, &["run", "talks", "-n", "3"]).ends(GOOD).says(&format!("{run}-2"));
}

/// The output of `ifs new --domain` is complete: it is checked, tested and documented, and the
/// oracle misses nothing in either part.
#[test]
fn new_domain_end_to_end() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(
        file(&folder, "own.csv"),
        "name,request,angles\nloom,How does the loom work?,its age; its noise\n\
         kiln,Why is the kiln cold today?,\npress,Who ran the press?,its ink\nmill,When does the mill open?,\n",
    )
    .unwrap();
    let groups = "length,words,tone";
    let own = ["new", "--domain", "own", "--title", "My museum", "--topics", "own.csv"];
    ifs(at, &[&own[..], &["--groups", groups]].concat()).ends(GOOD).says("tests passed");
    ifs(at, &["new", "--domain", "home"]).ends(GOOD).says("created home/home.ifs");
    ifs(at, &["new", "--domain", "heim", "--language", "de"]).ends(GOOD).says("tests passed");
    for name in ["own", "home", "heim"] {
        ifs(at, &["check", name, "--deny-warnings"]).ends(GOOD).says("ok.");
        ifs(at, &["fmt", "--check", &format!("{name}/{name}.ifs")]).ends(GOOD);
        for variant in [&[][..], &["--split", "hidden"]] {
            let run = ["run", name, "-n", "1", "-m", "sim/oracle", "--format", "json"];
            let ran = ifs(at, &[&run[..], variant].concat()).ends(GOOD);
            let scores: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(scores["totals"]["constraints"]["missed"], 0, "{name} {variant:?}");
        }
    }
    let own = fs::read_to_string(at.join("own/own.ifs")).unwrap();
    assert!(own.contains("\"My museum\"") && !own.contains("group opening"), "{own}");
    let topics = fs::read_to_string(at.join("own/banks/topics.jsonl")).unwrap();
    assert!(topics.contains(r#""keywords":["does","loom","work"]"#), "{topics}");
    assert_eq!(topics.matches("\"hidden\":true").count(), 1, "{topics}");
    let readme = fs::read_to_string(at.join("own/README.md")).unwrap();
    assert!(readme.contains("4 topics, 1 of them hidden"), "{readme}");
}

/// Invalid options and banks leave no files.
#[test]
fn invalid_domains_write_nothing() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(file(&folder, "bad.csv"), "name,question\na,b\n").unwrap();
    fs::write(file(&folder, "one.csv"), "name,request\na,What is a?\n").unwrap();
    let new = |more: &[&str]| ifs(at, &[&["new", "--domain", "d"][..], more].concat());
    new(&["--topics", "bad.csv"]).ends(INPUT).says("bad.csv");
    new(&["--topics", "one.csv"]).ends(INPUT).says("fewer than two topics");
    new(&["--topics", "none.csv"]).ends(INPUT).says("none.csv");
    new(&["--groups", "length,rhyme"]).ends(USAGE).says("no group `rhyme`");
    new(&["--groups", "length"]).ends(USAGE).says("two groups or more");
    assert!(!at.join("d").exists());
    ifs(at, &["new"]).ends(USAGE);
    ifs(at, &["new", "x", "--domain", "y"]).ends(USAGE);
}

/// Errors have a kind, a position and a help.
#[test]
fn errors_have_the_right_exit_status() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let scenario = "ifs 1\n\nimport games \"games.json\"\n\ndialogue live over games as game {\n  \
                    turn {\n    let last = game.plays[-1]\n    ask \"What came after {{ last }}?\"\n  }\n}\n";
    fs::write(file(&folder, "a.ifs"), scenario).unwrap();
    let games = r#"[{ "name": "first", "plays": ["a"] }, { "name": "second", "plays": [] }]"#;
    fs::write(file(&folder, "games.json"), games).unwrap();
    // Dialogues that fail only for one record: an error of the scenario in every command.
    for args in [
        &["check", "a.ifs"][..],
        &["check", "a.ifs", "--deep"],
        &["draw", "a.ifs", "-n", "2"],
        &["run", "a.ifs", "-n", "2", "--out", "r"],
        &["run", "a.ifs", "-n", "2", "--dry-run"],
        &[
            "synthesize",
            "a.ifs",
            "-n",
            "2",
            "--synthesizer",
            "sim/plain",
            "--checker",
            "sim/literal",
            "--out",
            "w",
        ],
        &[
            "construct",
            "a.ifs",
            "-n",
            "2",
            "--planner",
            "sim/plain",
            "--writer",
            "sim/plain",
            "--extractor",
            "sim/plain",
            "--out",
            "c",
        ],
    ] {
        let ran = ifs(at, args).ends(INPUT);
        for part in ["a.ifs:7:16", "ifs::no-value", "`game.plays` is an empty list"] {
            assert!(ran.err.contains(part), "{args:?}: no `{part}` in\n{}\n{}", ran.out, ran.err);
        }
        assert!(ran.err.contains("\"second\" of `games`"), "{args:?}\n{}", ran.err);
        for never in ["machine", "call failed", "--resume"] {
            assert!(!ran.err.contains(never), "{args:?} speaks of `{never}`\n{}", ran.err);
        }
    }
    assert!(!file(&folder, "r/transcripts.jsonl").exists());
}

/// Options and models with the names of other tools.
#[test]
fn suggestions_for_misspellings() {
    let folder = scaffold();
    let at = folder.path();
    for (args, help) in [
        (&["run", "talks", "--concurrency", "4"][..], "--max-connections N"),
        (&["run", "talks", "--limit", "3"], "-n N"),
        (&["draw", "talks", "--as", "jsonl"], "--format FORM"),
        (&["run", "talks", "--models", "sim/echo,sim/oracle"], "`-m MODEL` once for each model"),
        (&["run", "talks", "-m", "sim/noisey:0.2"], "did you mean `sim/noisy:0.2`?"),
        (&["run", "talks", "-m", "mistral/large"], "openrouter/mistral/large"),
        (&["run", "talks", "-m", "mistral/large"], "openai-api/mistral/large"),
    ] {
        ifs(at, args).ends(USAGE).says(help);
    }
    let ran = ifs(at, &["draw", "talks", "--turns", "1", "--format", "json"]).ends(GOOD);
    assert_eq!(ran.json()["turn"], 1);
}

#[test]
fn unformatted_sources() {
    let folder = TempDir::new().unwrap();
    fs::write(file(&folder, "a.ifs"), "ifs 1\n\n\n\nlet x=[1,2] // kept\n").unwrap();
    ifs(folder.path(), &["fmt", "--check", "a.ifs"])
        .ends(FAILED)
        .says("-let x=[1,2] // kept\n+let x = [1, 2]  // kept");
    assert!(read(&folder, "a.ifs").contains("x=[1,2]"));
    ifs(folder.path(), &["fmt", "a.ifs"]).ends(GOOD);
    assert_eq!(read(&folder, "a.ifs"), "ifs 1\n\nlet x = [1, 2]  // kept\n");
    ifs(folder.path(), &["fmt", "--check", "a.ifs"]).ends(GOOD);
    fs::write(file(&folder, "a.ifs"), "ifs 1\nlet x = [\n").unwrap();
    ifs(folder.path(), &["fmt", "a.ifs"]).ends(INPUT);
    assert_eq!(read(&folder, "a.ifs"), "ifs 1\nlet x = [\n");
    // A folder includes all files below it; an invalid one does not affect the others.
    fs::create_dir_all(file(&folder, "b/c")).unwrap();
    fs::write(file(&folder, "b/c/d.ifs"), "ifs 1\nlet x=1\n").unwrap();
    fs::write(file(&folder, "b/e.txt"), "let x=1\n").unwrap();
    ifs(folder.path(), &["fmt", "."]).ends(INPUT).says("d.ifs changed");
    assert_eq!(read(&folder, "b/c/d.ifs"), "ifs 1\n\nlet x = 1\n");
    ifs(folder.path(), &["fmt", "--check", "b"]).ends(GOOD);

    let mut child = command(folder.path(), &["fmt", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"ifs   1\nlet  y = 2").unwrap();
    let ran = finished(child.wait_with_output().unwrap()).ends(GOOD);
    assert_eq!(ran.out, "ifs 1\n\nlet y = 2\n");
}

#[test]
fn mistakes_as_text_and_as_json() {
    let folder = scaffold();
    let text = read(&folder, "talks/talks.ifs").replace("starts_with", "start_with");
    fs::write(file(&folder, "talks/bad.ifs"), text).unwrap();
    let ran = ifs(folder.path(), &["check", "talks/bad.ifs"]).ends(INPUT);
    let ran = ran.says("ifs::unknown-function").says("starts_with").says("1 error");
    assert!(!ran.err.contains('\u{1b}') && ran.out.is_empty(), "{}{}", ran.out, ran.err);

    let ran = ifs(folder.path(), &["check", "talks/bad.ifs", "--format", "json"]).ends(INPUT);
    let json = ran.json().to_string();
    assert!(json.contains("ifs::unknown-function") && json.contains("talks/bad.ifs"), "{json}");

    for command in ["draw", "run", "graph", "test"] {
        let ran = ifs(folder.path(), &[command, "talks/bad.ifs"]).ends(INPUT);
        assert!(ran.err.contains("ifs::unknown-function"), "{command}: {}", ran.err);
    }
    // In a folder with two scenarios, one must be named; the one with the folder's name is the
    // default.
    ifs(folder.path(), &["check", "talks"]).ends(GOOD);
}

#[test]
fn warnings_fail_only_where_they_are_denied() {
    let folder = TempDir::new().unwrap();
    fs::write(file(&folder, "a.ifs"), "ifs 1\n\ngroup g {\n  constraint c(n: int in 1..=3) {\n    say   \"Be short.\"\n    check count(word) > 1\n  }\n}\n").unwrap();
    ifs(folder.path(), &["check", "a.ifs"]).ends(GOOD).says("0 errors, 1 warning");
    ifs(folder.path(), &["check", "a.ifs", "--deny-warnings"]).ends(FAILED);
}

#[test]
fn colours_are_used_only_on_request() {
    let folder = TempDir::new().unwrap();
    fs::write(file(&folder, "a.ifs"), "ifs 1\nlet x = y\n").unwrap();
    let check = |args: &[&str], no_color: &str| {
        let mut command = command(folder.path(), &["check", "a.ifs"]);
        if !no_color.is_empty() {
            command.env("NO_COLOR", no_color);
        }
        finished(command.args(args).output().unwrap()).ends(INPUT).err
    };
    assert!(!check(&[], "").contains('\u{1b}'));
    assert!(!check(&[], "1").contains('\u{1b}'));
    assert!(!check(&["--color", "never"], "").contains('\u{1b}'));
    assert!(check(&["--color", "always"], "").contains('\u{1b}'));
}

/// The same command in other folders, and with other numbers of workers.
#[test]
fn runs_are_the_same_to_the_byte() {
    let files = |more: &[&str]| -> BTreeMap<&str, String> {
        let folder = with_run(more);
        ["run.json", "plan.json", "transcripts.jsonl", "scores.json"]
            .map(|name| (name, crate::without_times(&read(&folder, &format!("out/{name}")))))
            .into()
    };
    let first = files(&[]);
    assert_eq!(lines(&first["transcripts.jsonl"]).len(), 4);
    for more in [&[][..], &["-j", "1"], &["-j", "8"]] {
        assert!(files(more) == first, "{more:?}");
    }
    let other = files(&["--seed", "2"]);
    assert_ne!(other["transcripts.jsonl"], first["transcripts.jsonl"]);
}

#[test]
fn scripts_are_the_same_to_the_byte() {
    let (one, other) = (scaffold(), scaffold());
    let args = ["draw", "talks", "-n", "3", "--turns", "20", "--format", "jsonl"];
    let first = ifs(one.path(), &args).ends(GOOD).out;
    assert_eq!(first, ifs(other.path(), &args).ends(GOOD).out);
    assert_eq!(lines(&first).len(), 60);

    let seventh = ["draw", "talks", "--index", "2", "--from", "7", "--format", "jsonl"];
    let rest = ifs(one.path(), &seventh).ends(GOOD).out;
    assert_eq!(lines(&rest).len(), 14);
    assert!(first.ends_with(&rest), "drawing from a turn on differs from drawing up to it");
}

#[test]
fn every_turn_that_is_drawn_is_proven() {
    let folder = scaffold();
    let args = ["draw", "talks", "-n", "5", "--turns", "20", "--format", "jsonl"];
    let proven = lines(&ifs(folder.path(), &args).ends(GOOD).out);
    let bare = lines(&ifs(folder.path(), &[&args[..], &["--no-witness"]].concat()).ends(GOOD).out);
    assert_eq!(proven.len(), 100);
    for (mut proven, bare) in proven.into_iter().zip(bare) {
        let row = proven.as_object_mut().unwrap();
        match row.remove("no_rules") {
            // No rule is active, or only a judge decides.
            Some(nothing) => assert!(nothing == true && !row.contains_key("witness")),
            None => {
                let proof = row.remove("witness").unwrap_or_default();
                let name = proof.as_str().unwrap_or_default();
                assert!(name.len() == 16 && name.chars().all(|c| c.is_ascii_hexdigit()), "{row:?}");
            }
        }
        assert_eq!(proven, bare);
    }
    ifs(folder.path(), &["draw", "talks"]).ends(GOOD).says("· satisfiable");
}

#[test]
fn sample_reports_rejected_draws() {
    let folder = scaffold();
    fs::write(
        file(&folder, "pair.ifs"),
        r#"ifs 1
import topics "talks/banks/topics.jsonl"
constraint most(n: int in 10..=100 step 10) { say "At most {{ n }}." check count(word) <= n }
constraint least(n: int in 10..=100 step 10) { say "At least {{ n }}." check count(word) >= n }
constraint odd { say "Odd." check count(word) % 2 == 1 and count(word) % 4 == 2 }
dialogue talk {
  topic from topics
  start with 2 constraints
  flow { stay at least 9 turns  switch 50% }
  evolve one per turn { add 50%  modify 50% }
  end when turns >= 30
}
"#,
    )
    .unwrap();
    let args = ["check", "pair.ifs", "--deep", "--sample", "4", "--turns", "10"];
    let json = ifs(folder.path(), &[&args[..], &["--format", "json"]].concat()).ends(GOOD).json();
    let partial = &json["deep"]["partial"][0];
    assert_eq!(partial["constraints"], serde_json::json!(["least", "most"]));
    assert_eq!((&partial["excluded"], &partial["of"]), (&45.into(), &100.into()));
    let survey = &json["deep"]["dialogues"][0];
    let count = |name: &str| survey[name].as_u64().unwrap();
    assert_eq!(count("turns"), 40);
    assert_eq!(count("proven_at_first") + count("proven_later") + count("unproven"), 40);
    assert!(count("refused") > 0 && count("unproven") > 0);
    assert_eq!(survey["missing"][0]["constraints"], serde_json::json!(["odd"]));
    ifs(folder.path(), &args).ends(GOOD).says("no witness for `odd`").says("`least`");
}

/// The verdicts of rules in a run: all of them, the intended misses, those without a witness, and
/// the others.
#[derive(Default)]
struct Outcomes {
    all: f64,
    meant: f64,
    unproven: f64,
    others: Vec<String>,
}

fn outcomes(transcripts: &str) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for transcript in lines(transcripts) {
        for turn in transcript["turns"].as_array().unwrap() {
            let noted = |list: &str, name: &Json| {
                turn["samples"][0]["note"][list]
                    .as_array()
                    .is_some_and(|names| names.contains(name))
            };
            for verdict in turn["samples"][0]["verdicts"].as_array().unwrap() {
                if verdict["by"] != "rule" {
                    continue;
                }
                outcomes.all += 1.0;
                let name = &verdict["constraint"];
                if verdict["outcome"] == "held" {
                    continue;
                }
                if noted("missed", name) {
                    outcomes.meant += 1.0;
                } else if noted("no_witness", name) {
                    outcomes.unproven += 1.0;
                } else {
                    outcomes.others.push(format!("{name}: {}", verdict["why"]));
                }
            }
        }
    }
    outcomes
}

#[test]
fn noisy_model_misses_its_share() {
    let folder = scaffold();
    for share in [0.1, 0.4] {
        let (model, out) = (format!("sim/noisy:{share}"), format!("out{share}"));
        let args = ["run", "talks", "-n", "30", "-m", &model, "--out", &out];
        ifs(folder.path(), &args).ends(GOOD);
        let Outcomes { all, meant, others, .. } =
            outcomes(&read(&folder, &format!("{out}/transcripts.jsonl")));
        assert!(others.is_empty(), "{others:?}");
        assert!(all > 60.0, "only {all} verdicts");
        let error = (share * (1.0 - share) / all).sqrt();
        assert!(
            (meant / all - share).abs() < 4.0 * error,
            "missed {meant} of {all}, wanted {share} within {error}"
        );
    }
}

#[test]
fn oracle_satisfies_every_proven_turn() {
    let folder = with_run(&["-m", "sim/oracle"]);
    let outcomes = outcomes(&read(&folder, "out/transcripts.jsonl"));
    assert!(outcomes.others.is_empty() && outcomes.meant == 0.0, "{:?}", outcomes.others);
    let (all, unproven) = (outcomes.all, outcomes.unproven);
    assert!(all > 50.0 && unproven == 0.0, "{unproven} of {all} could not be proven");
}

#[test]
fn echo_repeats_the_message() {
    let folder = with_run(&["-m", "sim/echo"]);
    for transcript in lines(&read(&folder, "out/transcripts.jsonl")) {
        for turn in transcript["turns"].as_array().unwrap() {
            assert_eq!(turn["samples"][0]["answer"], turn["ask"]);
        }
    }
}

/// `ifs draw … | head -1`
#[test]
fn broken_pipes() {
    let folder = scaffold();
    for args in [
        &["draw", "talks", "-n", "400", "--turns", "20"][..],
        &["draw", "talks", "-n", "400", "--format", "jsonl"],
        &["explain"],
        &["completions", "bash"],
    ] {
        let mut child = command(folder.path(), args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        let ran = finished(child.wait_with_output().unwrap()).ends(GOOD);
        assert_eq!(ran.err, "", "{args:?}");
    }
}

/// Ctrl-C: status 130, and the written files are complete and can be scored.
#[cfg(unix)]
#[test]
fn an_interrupted_run() {
    let folder = scaffold();
    let mut child = command(folder.path(), &["run", "talks", "-n", "4000", "--out", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let transcripts = file(&folder, "out/transcripts.jsonl");
    let draft = file(&folder, "out/transcripts.jsonl.part");
    // Its first dialogue is a matter of milliseconds once the others are chosen.
    while fs::metadata(&draft).map_or(0, |facts| facts.len()) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let ran = finished(child.wait_with_output().unwrap()).ends(130);
    assert!(ran.err.contains("the run is in out"), "{}", ran.err);

    let held = lines(&fs::read_to_string(&transcripts).unwrap());
    assert!(!held.is_empty() && held.len() < 4_000);
    let manifest: Json = serde_json::from_str(&read(&folder, "out/run.json")).unwrap();
    assert_eq!(manifest["complete"], false);
    let scores = read(&folder, "out/scores.json");
    let again = ifs(folder.path(), &["score", "out", "--format", "json"]).ends(FAILED);
    assert_eq!(again.out, scores);
    let allowed = ["score", "out", "--format", "json", "--allow-incomplete"];
    assert_eq!(ifs(folder.path(), &allowed).ends(GOOD).out, scores);
    let warning = again.json()["incomplete"]["warning"].as_str().unwrap_or_default().to_owned();
    assert!(warning.starts_with("INCOMPLETE RUN: "), "{warning}");
}

#[test]
fn explain_covers_codes_and_functions() {
    let folder = TempDir::new().unwrap();
    let list = ifs(folder.path(), &["explain"]).ends(GOOD).out;
    for name in ["endless-flow", "ifs::endless-flow", "starts_with", "sentence.punkt"] {
        let page = ifs(folder.path(), &["explain", name]).ends(GOOD).out;
        assert!(page.len() > 10, "{name}: {page}");
    }
    let page = ifs(folder.path(), &["explain", "flow"]).ends(GOOD).out;
    assert!(page.contains("flow { … } (a statement)") && page.contains("flow NAME"), "{page}");
    let page = ifs(folder.path(), &["explain", "repeat"]).ends(GOOD).out;
    assert!(page.contains("in a variant") && page.contains("needs `start`"), "{page}");
    for (code, _) in ifs::diagnostic::CODES {
        assert!(list.contains(code.name()), "{code} is not listed");
    }
    for metric in ifs::score::METRICS {
        let page = ifs(folder.path(), &["explain", metric.name]).ends(GOOD).out;
        assert!(page.contains("(a metric") && page.contains("source: "), "{page}");
    }
    // A word may name a statement, a word of the glossary and an option.
    let page = ifs(folder.path(), &["explain", "sample"]).ends(GOOD).out;
    assert!(
        page.contains("sample N (a statement)") && page.contains("--sample (an option)"),
        "{page}"
    );
    let page = ifs(folder.path(), &["explain", "--temperature"]).ends(GOOD).out;
    assert!(page.contains("--temperature (an option)") && page.contains("ifs run"), "{page}");
    let page = ifs(folder.path(), &["explain", "active-constraint"]).ends(GOOD).out;
    assert!(page.starts_with("active constraint (glossary)"), "{page}");
    let page = ifs(folder.path(), &["explain", "CSR"]).ends(GOOD).out;
    assert!(page.contains("Σ_d Σ_t |C| / |I|, over Σ_d N_d"), "{page}");
    ifs(folder.path(), &["explain", "wittness"]).ends(INPUT).says("did you mean `witness`");
}

/// The scaffold with other last lines for its dialogue.
fn ending(lines: &str) -> TempDir {
    let folder = scaffold();
    let text = read(&folder, "talks/talks.ifs");
    let end = text.lines().find(|line| line.trim_start().starts_with("end ")).unwrap();
    assert!(end.contains("patience == 0"), "{end}");
    fs::write(file(&folder, "talks/talks.ifs"), text.replace(end, lines)).unwrap();
    folder
}

#[test]
fn variants_are_chosen_by_name() {
    let folder = ending(
        "  end when patience == 0 or turns >= 20
  variant brief { end when patience == 0 or turns >= 3 }
  variant same { scope topic }",
    );
    let at = folder.path();
    let check = ifs(at, &["check", "talks"]).ends(GOOD);
    assert!(check.out.contains("variant brief: at most 3 turns"), "{}", check.out);
    assert!(check.out.contains("variant same: at most 20 turns"), "{}", check.out);
    for (variant, out) in [(None, "plain"), (Some("brief"), "brief"), (Some("same"), "same")] {
        let mut args = vec!["run", "talks", "-m", "sim/oracle", "-n", "3", "--out", out];
        args.extend(variant.iter().flat_map(|variant| ["--variant", variant]));
        let ran = ifs(at, &args).ends(GOOD);
        let said = variant.map(|variant| format!("variant {variant}"));
        assert_eq!(ran.out.contains("variant "), said.is_some(), "{}", ran.out);
        assert!(said.is_none_or(|said| ran.out.contains(&said)), "{}", ran.out);
    }
    let manifests = ["plain", "brief", "same"].map(|run| {
        serde_json::from_str::<Json>(&read(&folder, &format!("{run}/run.json"))).unwrap()
    });
    let [plain, brief, same] = &manifests;
    assert_eq!(plain.get("variant"), None);
    assert_eq!(brief["variant"], "brief");
    assert_ne!(plain["plan_hash"], brief["plan_hash"]);
    assert_ne!(brief["plan_hash"], same["plan_hash"]);
    let [plain, brief] =
        ["plain", "brief"].map(|run| lines(&read(&folder, &format!("{run}/transcripts.jsonl"))));
    for (plain, brief) in plain.iter().zip(&brief) {
        let [plain, brief] = [plain, brief].map(|talk| talk["turns"].as_array().unwrap());
        assert_eq!(brief.len(), 3);
        assert!(plain.len() > 3);
        // Draws that a variant does not change are the same.
        assert_eq!(brief[..], plain[..3]);
    }
    ifs(at, &["score", "brief"]).ends(GOOD).says("variant brief");
    ifs(at, &["report", "brief", "--format", "json"]).ends(GOOD).says("\"variant\": \"brief\"");
    for command in ["run", "draw", "graph"] {
        ifs(at, &[command, "talks", "--variant", "same"]).ends(GOOD);
        ifs(at, &[command, "talks", "--variant", "other"])
            .ends(INPUT)
            .says("has no variant `other`")
            .says("there are `brief`, `same`");
    }
    ifs(scaffold().path(), &["draw", "talks", "--variant", "brief"])
        .ends(INPUT)
        .says("has no variants");
}

#[test]
fn end_conditions_see_every_value() {
    for (end, holds) in [
        ("topic_turns >= 4", (|turns| turns >= 4) as fn(usize) -> bool),
        ("topics >= 2", |turns| turns >= 2),
        ("constraints >= 3", |turns| turns >= 3),
        ("given >= 3", |turns| turns >= 3),
        ("given == groups", |turns| turns >= 4),
        ("tokens >= 2000", |turns| turns >= 2),
        // The end is evaluated after each turn, so a dialogue has at least one.
        ("groups == 4", |turns| turns == 1),
    ] {
        // Patience that no condition uses would be an error; the oracle never spends it.
        let folder = ending(&format!("  end when {end} or patience == 0\n  endless"));
        let args = ["run", "talks", "-m", "sim/oracle", "-n", "3", "--max-turns", "400"];
        ifs(folder.path(), &[&args[..], &["--out", "out"]].concat()).ends(GOOD);
        for talk in lines(&read(&folder, "out/transcripts.jsonl")) {
            let turns = talk["turns"].as_array().unwrap();
            assert!(holds(turns.len()) && turns.len() < 400, "{end}: {} turns", turns.len());
            assert!(talk["ending"]["condition"].is_string(), "{end}: {}", talk["ending"]);
            let last_topic = turns.iter().rev().take_while(|turn| turn["transition"] == "stay");
            if end.starts_with("topic_turns") {
                assert_eq!(last_topic.count() + 1, 4, "{end}");
            }
        }
    }
}

#[test]
fn completions_and_man_pages() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        ifs(folder.path(), &["completions", shell]).ends(GOOD).says("deny-warnings");
    }
    ifs(folder.path(), &["man", "pages"]).ends(GOOD);
    for command in COMMANDS {
        assert!(file(&folder, &format!("pages/ifs-{command}.1")).is_file(), "{command}");
    }
}

// ---- grading recorded answers ------------------------------------------------------

/// The variety of user messages, as text and as data.
#[test]
fn the_variety_of_messages_is_measured() {
    let folder = scaffold();
    let at = folder.path();
    let args = ["draw", "talks", "-n", "3", "--turns", "9", "--variety"];
    let ran = ifs(at, &args).ends(GOOD);
    ran.says("dialogues: 3   user messages: 27").says("longest span that two messages");
    let found = ifs(at, &[&args[..], &["--format", "json"]].concat()).ends(GOOD).json();
    assert_eq!(found["messages"], 27);
    assert!(found["distinct"][0].as_f64().unwrap() < found["distinct"][2].as_f64().unwrap());
    ifs(at, &["draw", "talks", "--variety", "--from", "3"]).ends(USAGE);
}
