//! The built program against a local HTTP server that misbehaves as scripted.

mod batches;
mod benchmarks;
mod branches;
mod by_data;
mod called;
mod empty_responses;
mod extraction;
mod failures;
mod feedback;
mod given;
mod hidden;
mod incomplete_runs;
mod inspect_logs;
mod judges;
mod many_dialogues;
mod missing_fields;
mod outcomes;
mod own_metrics;
mod pages;
mod paid;
mod pictures;
mod proxies;
mod reasoning;
mod resume;
mod roles;
mod runs;
mod secrets;
pub mod server;
mod sets;
mod several_models;
mod shards;
mod shrink;
mod speakers;
mod stored;
mod streams;
mod structflow;
mod synthesis;
mod terminal;
mod turn_by_hand;
mod verbose;
mod view;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use server::{Asked, Server, Step, answer};

/// A key that must not occur in any output.
const KEY: &str = "sk-canary-0123456789abcdef";

const SCENARIO: &str = r#"ifs 1

benchmark wire { title "Wire" version "1.0.0" }

import topics "topics.jsonl" { name: text  request: text }

group length {
  constraint short(n: int in 5..=9) {
    say "Use at most {{ n }} words."
    change "At most {{ n }} words from now on."
    withdraw "The length no longer matters."
    check count(word) <= n
  }
}

dialogue talk {
  topic from topics
  constraints from length
  start with 1 constraint
  flow { stay at least 9 turns }
  evolve one per turn { modify 100% }
  end when turns >= 4
}
"#;

const TOPICS: &str = r#"{"name": "tides", "request": "Why are there two tides a day?"}
{"name": "leaves", "request": "Why do leaves turn red?"}
{"name": "bread", "request": "Why does bread rise?"}
"#;

/// A folder with a scenario of dialogues of four turns.
fn scenario() -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("wire.ifs"), SCENARIO).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    folder
}

/// `ifs` without the environment variables that name models or keys.
fn command(folder: &Path, server: &Server, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(folder).args(args).stdin(Stdio::null());
    command.env("OPENAI_BASE_URL", server.base()).env("OPENAI_API_KEY", KEY);
    command.env("ANTHROPIC_BASE_URL", server.root()).env("ANTHROPIC_API_KEY", KEY);
    command.env("GOOGLE_BASE_URL", server.root()).env("GOOGLE_API_KEY", KEY);
    command
}

/// A run into `out`, with short delays.
fn run_args<'a>(model: &'a str, count: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "wire.ifs", "-m", model, "-n", count, "--out", "out"];
    args.extend(["--retry-wait", "1ms"]);
    args.extend(more);
    args
}

fn run(folder: &TempDir, server: &Server, count: &str, more: &[&str]) -> Ran {
    let args = run_args("openai/m", count, more);
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

fn resume(folder: &TempDir, server: &Server, more: &[&str]) -> Ran {
    let mut args = vec!["run", "--resume", "out", "--retry-wait", "1ms"];
    args.extend(more);
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

struct Ran {
    status: Option<i32>,
    all: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        let all = [output.stdout, output.stderr].concat();
        Ran { status: output.status.code(), all: String::from_utf8(all).unwrap() }
    }

    #[track_caller]
    fn ends(self, status: i32) -> Ran {
        assert_eq!(self.status, Some(status), "\n{}", self.all);
        assert!(!self.all.contains("panicked"), "{}", self.all);
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Ran {
        assert!(self.all.contains(text), "no `{text}` in\n{}", self.all);
        self
    }
}

#[cfg(unix)]
fn send(signal: &str, child: &std::process::Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Sends a signal to a command, lets the server reply once the command reports that it stops, and
/// returns the outcome. Both outputs must be pipes.
#[cfg(unix)]
fn interrupted(mut child: std::process::Child, signal: &str, gate: &server::Gate) -> Ran {
    use std::io::{BufRead as _, BufReader, Read as _};
    send(signal, &child);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut all = Vec::new();
    while !String::from_utf8_lossy(&all).contains("stopping: ") {
        assert!(errors.read_until(b'\n', &mut all).unwrap() > 0, "it did not stop");
    }
    gate.open();
    errors.read_to_end(&mut all).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran::of(Output { stderr: all, ..output })
}

fn read(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join("out").join(name)).unwrap()
}

fn transcripts(folder: &TempDir) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    read(folder, "transcripts.jsonl").lines().map(parse).collect()
}

fn manifest(folder: &TempDir) -> Value {
    serde_json::from_str(&read(folder, "run.json")).unwrap()
}

/// The records of a journal.
fn records(folder: &TempDir) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(&line[line.find('{').unwrap()..]).unwrap();
    read(folder, "journal").lines().map(parse).collect()
}

/// A response that names its turn.
fn dutiful(asked: &Asked) -> Vec<Step> {
    answer(&format!("Answer number {}.", asked.texts().len()))
}

/// A server that works except for its first request, which has a script.
fn first_is(script: impl Fn() -> Vec<Step> + Send + Sync + 'static) -> Server {
    Server::start(move |asked| if asked.number == 0 { script() } else { dutiful(asked) })
}
