//! `ifs run --batch`: rounds as batches, in both forms of providers, and killed at any moment.

pub mod provider;

use std::time::Duration;

use serde_json::json;

use super::judges::{is_judge, verdict};
use super::server::{Asked, error};
use super::*;
use provider::{Row, Settings, dutiful, start};

fn batched(folder: &TempDir, server: &Server, model: &str, count: &str, more: &[&str]) -> Ran {
    let args = run_args(model, count, &[&["--batch", "--batch-poll", "2ms"], more].concat());
    Ran::of(command(folder.path(), server, &args).output().unwrap())
}

/// The transcripts of a run that sends its requests one by one.
fn one_by_one(count: &str) -> String {
    let (server, folder) = (Server::start(super::dutiful), scenario());
    run(&folder, &server, count, &[]).ends(0);
    read(&folder, "transcripts.jsonl")
}

#[test]
fn batched_rounds_give_the_same_transcripts() {
    let whole = one_by_one("7");
    for model in ["openai/m", "anthropic/m", "openai-api/lab/m"] {
        let ((server, state), folder) = (start(Settings::default()), scenario());
        let args = run_args(model, "7", &["--batch", "--batch-poll", "2ms"]);
        let mut command = command(folder.path(), &server, &args);
        command.env("LAB_BASE_URL", server.base()).env("LAB_API_KEY", KEY);
        Ran::of(command.output().unwrap())
            .ends(0)
            .says("round 4: batch batch_3 has 7 requests for ")
            .says("28 requests answered");
        assert_eq!(read(&folder, "transcripts.jsonl"), whole, "{model}");
        let state = state.lock().unwrap();
        assert_eq!(state.batches(), 4, "one for each turn");
        assert!(state.paid.values().all(|times| *times == 1));
        let (name, body) = &state.rows(0)[6];
        let (beginning, key) = match model {
            "anthropic/m" => ("talk-6-1-answer-", "x-api-key"),
            _ => ("talk/6/1/answer/", "authorization"),
        };
        assert!(name.starts_with(beginning) && name.len() == beginning.len() + 12, "{name}");
        assert_eq!(body["model"], "m");
        assert!(server.log().iter().all(|asked| asked.header(key).unwrap().contains(KEY)));
        assert!(!server.log().iter().any(|asked| asked.path.ends_with("/completions")));
        assert!(manifest(&folder)["batch"] == true && !read(&folder, "journal").contains(KEY));
    }
}

/// Starts a run, and kills it after a number of requests to the provider.
fn kill_after(folder: &TempDir, server: &Server, args: &[&str], requests: usize) {
    let mut child = command(folder.path(), server, args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.until_asked(requests, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
    server.settle();
}

/// Kills a run after a number of requests to the provider, resumes it, and checks what was paid.
fn killed_after(model: &str, requests: usize, whole: &str) {
    let settings = Settings { looks: 2, delay: Duration::from_millis(2), ..Settings::default() };
    let ((server, state), folder) = (start(settings), scenario());
    let args = run_args(model, "9", &["--batch", "--batch-poll", "2ms"]);
    kill_after(&folder, &server, &args, requests);
    // No option: the run's folder says that it is sent in batches.
    resume(&folder, &server, &["--batch-poll", "2ms"]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole, "{model} after {requests}");
    let state = state.lock().unwrap();
    assert_eq!(state.batches(), 4, "{model}: none is created twice after {requests} requests");
    assert_eq!(state.paid.len(), 36);
    assert!(state.paid.values().all(|times| *times == 1), "{model} after {requests}");
    assert_eq!(manifest(&folder)["spent"]["calls"], 36);
}

#[test]
fn killed_batch_runs_pay_nothing_twice() {
    let whole = one_by_one("9");
    // Each round is an upload, a creation, polls, and a download.
    for requests in [1, 2, 3, 4, 5, 6, 7, 8, 12, 17] {
        killed_after("openai/m", requests, &whole);
    }
    for requests in [1, 2, 3, 4, 5, 7, 9] {
        killed_after("anthropic/m", requests, &whole);
    }
}

/// Requests that a killed run sent and did not read count in its budget, and are sent once.
#[test]
fn killed_runs_with_a_budget_pay_nothing_twice() {
    let whole = one_by_one("5");
    for requests in [2, 3, 4, 5, 6, 8, 9] {
        let settings =
            Settings { looks: 2, delay: Duration::from_millis(2), ..Settings::default() };
        let ((server, state), folder) = (start(settings), scenario());
        let more = ["--batch", "--batch-poll", "2ms", "--budget-calls", "7"];
        let args = run_args("openai/m", "5", &more);
        kill_after(&folder, &server, &args, requests);
        let rows = || {
            let state = state.lock().unwrap();
            (0..state.batches()).map(|at| state.rows(at).len()).sum::<usize>()
        };
        resume(&folder, &server, &["--batch-poll", "2ms", "--budget-calls", "7"])
            .ends(4)
            .says("the budget of 7 calls is spent");
        assert_eq!(rows(), 7, "after {requests} requests");
        resume(&folder, &server, &["--batch-poll", "2ms"]).ends(0);
        assert_eq!(read(&folder, "transcripts.jsonl"), whole, "after {requests} requests");
        assert!(state.lock().unwrap().paid.values().all(|times| *times == 1));
    }
}

/// The connection is lost while a batch is created: it is looked for, and not created again.
#[test]
fn lost_batch_creations_are_searched() {
    for model in ["openai/m", "anthropic/m"] {
        let lost = std::sync::atomic::AtomicBool::new(false);
        let settings = Settings::default();
        let state = std::sync::Arc::new(std::sync::Mutex::new(provider::State::default()));
        let shared = state.clone();
        let server = Server::start(move |asked| {
            let steps = shared.lock().unwrap().answer(asked, &settings);
            let creates = asked.method == "POST" && asked.path.ends_with("/batches");
            if creates && !lost.swap(true, std::sync::atomic::Ordering::SeqCst) {
                return vec![Step::Close];
            }
            steps
        });
        let folder = scenario();
        batched(&folder, &server, model, "5", &[]).ends(0);
        assert_eq!(state.lock().unwrap().batches(), 4, "{model}");
    }
}

#[test]
fn rows_that_fail_are_in_the_next_round() {
    let whole = one_by_one("6");
    for model in ["openai/m", "anthropic/m"] {
        let settings = Settings {
            // The first batch answers every third request.
            row: Box::new(|asked, batch| match (batch, asked.number % 3) {
                (0, 0) => Row::Expired,
                (0, 1) => Row::Absent,
                _ => Row::Says(dutiful(asked)),
            }),
            ..Settings::default()
        };
        let ((server, state), folder) = (start(settings), scenario());
        batched(&folder, &server, model, "6", &[]).ends(0).says("4 attempts failed");
        assert_eq!(read(&folder, "transcripts.jsonl"), whole);
        let state = state.lock().unwrap();
        assert!(state.paid.values().all(|times| *times == 1));
        // Dialogues that were answered ask for their next turn in the same round.
        assert_eq!((state.rows(1).len(), state.batches()), (6, 5));
    }
    // A permanently refused request ends its dialogue; the others continue.
    let settings = Settings {
        row: Box::new(|asked, batch| match (batch, asked.number) {
            (0, 2) => Row::Error(400),
            _ => Row::Says(dutiful(asked)),
        }),
        ..Settings::default()
    };
    let ((server, state), folder) = (start(settings), scenario());
    batched(&folder, &server, "openai/m", "6", &[])
        .ends(4)
        .says("400 Bad Request: refused")
        .says("incomplete because a request failed");
    // A run that is resumed sends it again, and nothing else.
    let resume =
        command(folder.path(), &server, &["run", "--resume", "out", "--batch-poll", "10ms"])
            .output();
    Ran::of(resume.unwrap()).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    assert!(state.lock().unwrap().paid.values().all(|times| *times == 1));
}

#[test]
fn cancelled_batch_stops_the_run_and_keeps_results() {
    let settings = Settings { cancels: true, ..Settings::default() };
    let ((server, state), folder) = (start(settings), scenario());
    batched(&folder, &server, "openai/m", "4", &[])
        .ends(4)
        .says("batch batch_0 was cancelled")
        .says("ifs run --resume out");
    assert_eq!(state.lock().unwrap().batches(), 1);
    let calls = records(&folder).iter().filter(|record| record.get("call").is_some()).count();
    assert_eq!(calls, 2, "what it had is in the journal");
}

const JUDGED: &str = r#"ifs 1
benchmark judged { version "1.0.0" }
constraint calm { say "Sound calm." judge "Does it sound calm?" }
dialogue talk {
  param day: int in 1..=9
  sample 2
  retry up to 1 round with feedback
  turn one { ask "What is on day {{ day }}?" impose 1 from calm scope dialogue }
  turn two { ask "And then?" }
}
"#;

/// Verdicts quote the prompt of the judge, which is hidden.
#[test]
fn killed_hidden_runs_resume_without_repeats_or_prompts() {
    let hidden = JUDGED.replace("What is on day", "Please tell me what will be on in town on day");
    for requests in [1000, 3, 6, 8, 11, 13, 16, 19] {
        let settings = Settings {
            looks: 2,
            delay: Duration::from_millis(2),
            row: Box::new(|asked: &Asked, _| match is_judge(asked) {
                true => {
                    let quoted = asked.texts().concat().replace(['"', '\n', '\\'], " ");
                    Row::Says(verdict(asked, "yes", 8).replace("plainly", &quoted))
                }
                false => Row::Says("The sea rises.".to_owned()),
            }),
            ..Settings::default()
        };
        let ((server, state), folder) = (start(settings), scenario());
        std::fs::write(folder.path().join("wire.ifs"), &hidden).unwrap();
        let ifs = |args: &[&str]| {
            Ran::of(command(folder.path(), &server, args).output().unwrap()).ends(0);
        };
        ifs(&["secret", "key"]);
        ifs(&["release", "wire.ifs", "-n", "5", "--secret", "key", "--epoch", "e", "--out", "set"]);
        let secret = ["--secret", "key"];
        let more = ["--batch", "--batch-poll", "2ms", "--judge", "openai/judge"];
        let args = ["run", "wire.ifs", "-m", "openai/m", "-o", "out", "--retry-wait", "1ms"];
        let args = [&args[..], &more, &["--set", "set"], &secret].concat();
        match requests {
            1000 => ifs(&args),
            requests => {
                kill_after(&folder, &server, &args, requests);
                resume(&folder, &server, &[&["--batch-poll", "2ms"][..], &secret].concat()).ends(0);
            }
        }
        let transcripts = read(&folder, "transcripts.jsonl");
        assert!(!transcripts.contains("what will be on in town"));
        assert!(!read(&folder, "journal").contains("what will be on in town"), "{requests}");
        // Each folder has a secret of its own, which numbers what was asked.
        assert_eq!(transcripts.matches("\"outcome\":\"held\"").count(), 20, "after {requests}");
        let state = state.lock().unwrap();
        assert_eq!(state.batches(), 4, "after {requests} requests");
        let rows: usize = (0..state.batches()).map(|at| state.rows(at).len()).sum();
        assert_eq!(rows, 40, "two samples of five dialogues, two turns, a verdict on each");
    }
}

#[test]
fn judges_are_batched() {
    let settings = || Settings {
        row: Box::new(|asked: &Asked, _| match is_judge(asked) {
            true => Row::Says(verdict(asked, "yes", 8)),
            false => Row::Says("The sea rises.".to_owned()),
        }),
        ..Settings::default()
    };
    let mut kept = Vec::new();
    for more in [&["--batch", "--batch-poll", "2ms"][..], &[]] {
        let folder = scenario();
        std::fs::write(folder.path().join("wire.ifs"), JUDGED).unwrap();
        let batches = start(settings());
        let plain = Server::start(|asked| match is_judge(asked) {
            true => answer(&verdict(asked, "yes", 8)),
            false => answer("The sea rises."),
        });
        let server = if more.is_empty() { &plain } else { &batches.0 };
        let args = [&["--judge", "openai/judge"][..], more].concat();
        run(&folder, server, "5", &args).ends(0);
        kept.push(read(&folder, "transcripts.jsonl"));
        if !more.is_empty() {
            let state = batches.1.lock().unwrap();
            let sizes: Vec<usize> = (0..state.batches()).map(|at| state.rows(at).len()).collect();
            assert_eq!(sizes, [10, 10, 10, 10], "two samples of five dialogues; their verdicts");
            assert!(
                state.rows(1).iter().all(|(name, _)| name.contains("/judge/")),
                "{:?}",
                state.rows(1)
            );
        }
    }
    assert_eq!(kept[0], kept[1]);
}

#[test]
fn half_the_price_also_after_a_resume() {
    let prices =
        json!({"as_of": "2026-01-31", "models": {"openai/m": {"input": 1000, "output": 1000}}});
    let folder = scenario();
    std::fs::write(folder.path().join("prices.json"), prices.to_string()).unwrap();
    let (server, _) = start(Settings::default());
    let priced = ["--prices", "prices.json"];
    batched(&folder, &server, "openai/m", "5", &priced)
        .ends(0)
        .says("$0.18 at the prices of 2026-01-31")
        .says("halved for batches");
    assert_eq!(manifest(&folder)["spent"]["money"], 0.18);
    let asked = server.log().len();
    resume(&folder, &server, &priced).ends(0).says("$0.18");
    assert_eq!(server.log().len(), asked, "everything is in the journal");
}

#[test]
fn budgets_close_a_round_with_what_fits() {
    let ((server, state), folder) = (start(Settings::default()), scenario());
    batched(&folder, &server, "openai/m", "5", &["--budget-calls", "7"])
        .ends(4)
        .says("the budget of 7 calls is spent");
    let rows: usize = {
        let state = state.lock().unwrap();
        (0..state.batches()).map(|at| state.rows(at).len()).sum()
    };
    assert_eq!(rows, 7);
    resume(&folder, &server, &["--batch-poll", "2ms"]).ends(0);
    assert_eq!(read(&folder, "transcripts.jsonl"), one_by_one("5"));
}

#[test]
fn providers_without_batches_are_refused() {
    let (server, folder) =
        (Server::start(|_| error("404 Not Found", &[], "no such path")), scenario());
    for (model, why) in [
        ("google/m", "`google/m` has no batches"),
        ("sim/oracle", "`sim/oracle` is simulated: no request is sent for it"),
    ] {
        batched(&folder, &server, model, "2", &[]).ends(2).says(why).says("help: ");
        assert!(!folder.path().join("out").exists());
    }
    batched(&folder, &server, "openai/m", "2", &["--stream"]).ends(2);
    batched(&folder, &server, "openai/m", "2", &["--judge", "google/j"])
        .ends(2)
        .says("`google/j` has no batches");
    // An address that has none.
    batched(&folder, &server, "openai/m", "2", &[])
        .ends(4)
        .says("openai/m: 404 Not Found: no such path")
        .says("(batches are at /v1/files)");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_batch_and_a_resumed_run_finds_it() {
    let whole = one_by_one("5");
    let open = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (gate, settings) = (open.clone(), Settings { looks: 0, ..Settings::default() });
    let state = std::sync::Arc::new(std::sync::Mutex::new(provider::State::default()));
    let shared = state.clone();
    let waits = Settings { looks: usize::MAX, ..Settings::default() };
    let server = Server::start(move |asked| {
        let settings =
            if gate.load(std::sync::atomic::Ordering::SeqCst) { &settings } else { &waits };
        shared.lock().unwrap().answer(asked, settings)
    });
    let folder = scenario();
    let args = run_args("openai/m", "5", &["--batch", "--batch-poll", "5ms"]);
    let mut child = command(folder.path(), &server, &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    server.until_asked(6, &mut child);
    send("-INT", &child);
    Ran::of(child.wait_with_output().unwrap()).ends(130).says("ifs run --resume out");
    open.store(true, std::sync::atomic::Ordering::SeqCst);
    resume(&folder, &server, &["--batch-poll", "2ms"]).ends(0).says("was created before");
    assert_eq!(read(&folder, "transcripts.jsonl"), whole);
    assert_eq!(state.lock().unwrap().batches(), 4);
}
