//! What an endpoint does with a request besides answering it: it does not fit into the context window, a
//! filter refuses it, the history is cut, another model answers.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::server::{JSON, chat, error, response};
use super::*;

/// Six turns, with a system message and constraints that `one two three` satisfies.
const TALK: &str = r#"ifs 1
benchmark wire { title "Wire" version "1.0.0" }
import places "places.jsonl" { name: text }
constraint short { say "Use at most 9 words." check count(word) <= 9 }
constraint plain { say "Use no commas." check not contains(",") }
dialogue talk over places as place {
  system "You are brief."
  impose short scope dialogue
  impose plain scope dialogue
  for i in 1..=6 { turn t { ask "Question {{ i }} about {{ place.name }}." } }
  OVERFLOW
}
"#;

fn talk(overflow: &str) -> TempDir {
    let folder = scenario();
    let text = TALK.replace("OVERFLOW", overflow);
    std::fs::write(folder.path().join("wire.ifs"), text).unwrap();
    let places = ["the sea", "the moon", "a mill", "a well"];
    let places: String = places.iter().map(|name| format!("{}\n", json!({"name": name}))).collect();
    std::fs::write(folder.path().join("places.jsonl"), places).unwrap();
    folder
}

/// The user messages of a request.
fn asked_turns(asked: &Asked) -> usize {
    asked.texts().iter().filter(|text| text.contains("Question ")).count()
}

/// A text without its line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ifs(folder: &TempDir, server: &Server, args: &[&str]) -> Ran {
    Ran::of(command(folder.path(), server, args).output().unwrap())
}

/// A report in every format.
fn reports(folder: &TempDir, server: &Server) -> Vec<(&'static str, String)> {
    let formats = ["text", "json", "html", "csv", "markdown", "latex", "junit"];
    formats
        .into_iter()
        .map(|format| {
            let args = ["report", "out", "--format", format];
            let ran = ifs(folder, server, &args);
            assert!(matches!(ran.status, Some(0 | 1)), "{format}: {}", ran.all);
            (format, ran.all)
        })
        .collect()
}

/// A server whose model has room for three turns, in the words of an engine.
fn small_window(status: &'static str, body: Value) -> Server {
    let body = body.to_string();
    Server::start(move |asked| match asked_turns(asked) {
        0..=3 => answer("one two three"),
        _ => response(status, &[JSON], &body),
    })
}

#[test]
fn exceeded_contexts_end_dialogues() {
    for (status, body) in [
        (
            "400 Bad Request",
            json!({"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 4131 tokens (4031 in the messages, 100 in the completion).", "code": "context_length_exceeded"}}),
        ),
        (
            "400 Bad Request",
            json!({"error": {"message": "the maximum context length of this model is 4096 tokens, and the request has 4131 input tokens", "type": "BadRequestError", "code": 400}}),
        ),
        (
            "400 Bad Request",
            json!({"error": {"code": 400, "message": "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", "type": "exceed_context_size_error"}}),
        ),
        (
            "413 Payload Too Large",
            json!({"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
        ),
        (
            "422 Unprocessable Entity",
            json!({"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000"}),
        ),
        (
            "200 OK",
            json!({"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": "{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}"}}}),
        ),
    ] {
        let server = small_window(status, body.clone());
        let folder = talk("");
        let ran = run(&folder, &server, "4", &[]).ends(0);
        assert!(!ran.all.contains("--resume") && !ran.all.contains("INCOMPLETE"), "{}", ran.all);
        // Three turns and one refusal in each dialogue, and nothing after it.
        assert_eq!(server.log().len(), 16, "{body}");
        assert_eq!(manifest(&folder)["complete"], true);
        for transcript in transcripts(&folder) {
            assert_eq!(transcript["ending"], "context_length");
            let turns = transcript["turns"].as_array().unwrap();
            assert_eq!(turns.len(), 6);
            for turn in &turns[3..] {
                assert_eq!(
                    (&turn["samples"][0]["no_text"], &turn["samples"][0]["stop"]),
                    (&json!("context_length"), &json!("context_length"))
                );
                assert_eq!(turn["samples"][0]["verdicts"][0]["outcome"], "missed");
            }
        }
        let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
        let totals = &scores["totals"];
        assert_eq!(
            (&totals["successful_turns"], &totals["failed_turns"]),
            (&json!(12), &json!(12))
        );
        for (format, text) in reports(&folder, &server) {
            assert!(
                text.contains("context_length") || text.contains("context window"),
                "{format}: {text}"
            );
        }
        // Nothing is left to ask, whatever is done with the folder.
        resume(&folder, &server, &[]).ends(0);
        ifs(&folder, &server, &["score", "out"]).ends(0);
        ifs(&folder, &server, &["gate", "out", "--fail-under", "ISR=0.5"]).ends(0);
        ifs(&folder, &server, &["gate", "out", "--fail-under", "ISR=0.6"]).ends(1);
        assert_eq!(server.log().len(), 16, "{body}");
    }
}

#[test]
fn turns_beyond_the_context_may_be_omitted() {
    let body = json!({"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}});
    let server = small_window("400 Bad Request", body);
    let folder = talk("overflow omitted");
    let ran = run(&folder, &server, "4", &[]).ends(0);
    assert!(flat(&ran.all).contains("are left out of every score"), "{}", ran.all);
    for transcript in transcripts(&folder) {
        assert_eq!(transcript["ending"], "context_length");
        assert_eq!(transcript["turns"].as_array().unwrap().len(), 3);
    }
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    assert_eq!(
        (&scores["totals"]["turns"], &scores["totals"]["successful_turns"]),
        (&json!(12), &json!(12))
    );
    assert_eq!(scores["endings"], json!([{"ending": "context_length", "count": 4}]));
    for (format, text) in reports(&folder, &server) {
        assert!(
            text.contains("context_length") || text.contains("context window"),
            "{format}: {text}"
        );
    }
    let log = ifs(&folder, &server, &["report", "out", "--format", "inspect", "--out", "log.eval"]);
    log.ends(0);
    resume(&folder, &server, &[]).ends(0);
    assert_eq!(server.log().len(), 16);
    // A replay of the transcripts ends where the run did.
    let replay =
        ["run", "wire.ifs", "-m", "replay:out/transcripts.jsonl", "-n", "4", "--out", "again"];
    ifs(&folder, &server, &replay).ends(0);
    let again = std::fs::read_to_string(folder.path().join("again/scores.json")).unwrap();
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["endings"], scores["endings"]);
}

/// Patience is spent by turns that do not fit, and feedback that does not fit ends its rounds.
#[test]
fn exceeded_contexts_cost_patience() {
    let text = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
constraint short { say "Be short." check count(word) <= 9 }
dialogue talk {
  topic from topics
  start with 1 constraint
  patience 2
  RETRY
  flow { stay at least 9 turns }
  end when patience == 0 or turns >= 6
}
"#;
    let body =
        json!({"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}}).to_string();
    for (retry, turns, requests) in [("", 4, 3), ("retry up to 2 rounds with feedback", 4, 3)] {
        let body = body.clone();
        let server = Server::start(move |asked| match asked.texts().len() {
            0..=4 => answer("Short enough."),
            _ => response("400 Bad Request", &[JSON], &body),
        });
        let folder = scenario();
        std::fs::write(folder.path().join("wire.ifs"), text.replace("RETRY", retry)).unwrap();
        run(&folder, &server, "1", &[]).ends(0);
        let transcript = &transcripts(&folder)[0];
        assert_eq!(transcript["ending"], "patience", "{transcript}");
        assert_eq!(transcript["turns"].as_array().unwrap().len(), turns, "{retry}");
        assert_eq!(server.log().len(), requests, "{retry}");
        resume(&folder, &server, &[]).ends(0);
        assert_eq!(server.log().len(), requests, "{retry}");
    }
}

#[test]
fn blocked_prompts_are_outcomes() {
    for (status, body) in [
        (
            "400 Bad Request",
            json!({"error": {"code": "content_filter", "param": "prompt", "message": "the prompt was filtered by the content policy", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        ),
        (
            "400 Bad Request",
            json!({"error": {"code": 400, "message": "the upstream provider blocked the request: PROHIBITED_CONTENT"}}),
        ),
        (
            "403 Forbidden",
            json!({"error": {"code": 403, "message": "Your input was flagged for \"violence\"", "metadata": {"reasons": ["violence"]}}}),
        ),
        (
            "400 Bad Request",
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}}),
        ),
        ("451 Unavailable For Legal Reasons", json!({"error": {"message": "sensitive content"}})),
    ] {
        let text = body.to_string();
        let server =
            Server::start(move |asked| match asked.texts().concat().contains("the moon") {
                true => response(status, &[JSON], &text),
                false => answer("one two three"),
            });
        let folder = talk("");
        let ran = run(&folder, &server, "4", &[]).ends(0);
        assert!(!ran.all.contains("--resume") && !ran.all.contains("INCOMPLETE"), "{}", ran.all);
        ran.says("6 responses have no text (6 blocked by a filter)").says("counts as blocked");
        let held = transcripts(&folder);
        let blocked: Vec<&Value> = held
            .iter()
            .filter(|held| held["turns"][0]["samples"][0]["no_text"] == "blocked")
            .collect();
        let [blocked] = blocked[..] else { panic!("{held:?}") };
        assert_eq!(
            (&blocked["ending"], blocked["turns"].as_array().unwrap().len()),
            (&json!("script"), 6)
        );
        assert_eq!(blocked["turns"][5]["samples"][0]["verdicts"][0]["outcome"], "unjudged");
        assert_eq!(server.log().len(), 24);
        for (format, text) in reports(&folder, &server) {
            assert!(text.contains("blocked"), "{format}: {text}");
        }
        resume(&folder, &server, &[]).ends(0);
        assert_eq!(server.log().len(), 24, "{body}");
        // The endpoint's words are in the journal.
        let said =
            records(&folder).iter().any(|record| record["call"]["reply"]["refusal"].is_string());
        assert!(said);
    }
}

/// What a cache keeps is an answer: a larger window, or another filter, is asked again.
#[test]
fn refusals_are_not_cached() {
    let body = json!({"error": {"message": "prompt is too long: 9 tokens > 8 maximum"}});
    let server = small_window("400 Bad Request", body);
    for asked in [4, 5] {
        let folder = talk("");
        let cache = server.root().replace("http://", "").replace(':', "-");
        let cache = std::env::temp_dir().join(format!("ifs-test-cache-{cache}"));
        run(&folder, &server, "1", &["--cache", cache.to_str().unwrap()]).ends(0);
        assert_eq!(server.log().len(), asked);
        if asked == 5 {
            std::fs::remove_dir_all(cache).unwrap();
        }
    }
}

/// Errors that the same request has again: resuming is not what helps.
#[test]
fn permanent_errors_are_not_to_be_resumed() {
    let server = Server::start(|asked| match asked_turns(asked) {
        0..=2 => answer("one two three"),
        _ => error("400 Bad Request", &[], "no such parameter"),
    });
    let folder = talk("");
    let ran = run(&folder, &server, "4", &[]).ends(4);
    assert!(!ran.all.contains("completes the run"), "{}", ran.all);
    let ran = ran.says("would fail again").says("helps once its cause is removed");
    assert!(!ran.all.contains("\nresume it with"), "{}", ran.all);
    assert!(
        transcripts(&folder).iter().all(|held| held["ending"]["permanent_failure"].is_string())
    );
    ifs(&folder, &server, &["score", "out"]).ends(1).says("helps once its cause is removed");
    // Where something else is left, it does help.
    let server = Server::start(|asked| match asked_turns(asked) {
        0..=2 => answer("one two three"),
        _ => error("500 Internal Server Error", &[], "out of memory"),
    });
    let folder = talk("");
    run(&folder, &server, "4", &["--max-retries", "0"])
        .ends(4)
        .says("`ifs run --resume` completes the run")
        .says("resume it with `ifs run --resume out`");
}

/// report-28: the tokens of the prompt stay while the conversation grows.
#[test]
fn cut_histories_are_reported() {
    let counting = |tokens: fn(usize) -> usize| {
        let server = Server::start(move |asked| {
            let mut body = chat("one two three");
            body["usage"] =
                json!({"prompt_tokens": tokens(asked_turns(asked)), "completion_tokens": 3});
            response("200 OK", &[JSON], &body.to_string())
        });
        let folder = talk("");
        run(&folder, &server, "1", &[]).ends(0);
        let texts = reports(&folder, &server).into_iter();
        texts
            .filter(|(_, text)| text.contains("stop growing") || text.contains("seems to cut"))
            .count()
    };
    assert_eq!(
        counting(|turn| (900 * turn).min(2050)),
        6,
        "every format but CSV, which has the tokens"
    );
    assert_eq!(counting(|_| 4096), 6);
    assert_eq!(counting(|turn| if turn % 2 == 0 { 2040 } else { 2010 }), 6);
    for honest in [|turn| 900 * turn, |turn| 100 + turn, |_| 10] {
        assert_eq!(counting(honest), 0);
    }
}

#[test]
fn system_messages_as_user_messages() {
    // The endpoint has no system role in any of the three forms.
    let server = Server::start(|asked| {
        let of = |name: &str| asked.body.get(name).and_then(Value::as_array);
        let messages = of("messages").or(of("contents")).unwrap();
        let roles: Vec<&str> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
        let has_role = roles.contains(&"system") || asked.body.get("system").is_some();
        match has_role || asked.body.get("systemInstruction").is_some() {
            true => error("400 Bad Request", &[], "System role not supported"),
            false => match asked.path.as_str() {
                path if path.contains("generateContent") => response("200 OK", &[JSON], &json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "one two three"}]}}]}).to_string()),
                path if path.ends_with("/messages") => response("200 OK", &[JSON], &json!({"content": [{"type": "text", "text": "one two three"}], "stop_reason": "end_turn"}).to_string()),
                _ => answer("one two three"),
            },
        }
    });
    for model in ["openai/m", "anthropic/m", "google/m"] {
        let folder = talk("");
        let args = run_args(model, "1", &[]);
        ifs(&folder, &server, &args)
            .ends(4)
            .says("`--system-as user` puts the system message into the first user message");
        let before = server.log().len();
        let folder = talk("");
        let args = run_args(model, "1", &["--system-as", "user", "--system", "Hello."]);
        ifs(&folder, &server, &args).ends(0);
        let log = &server.log()[before..];
        assert_eq!(log.len(), 6);
        for asked in log {
            let texts = asked.texts();
            assert!(texts[0].starts_with("Hello.\n\nYou are brief.\n\n"), "{texts:?}");
            assert_eq!(texts.iter().filter(|text| text.contains("You are brief.")).count(), 1);
        }
        assert_eq!(manifest(&folder)["parameters"]["system_as"], "user");
        // It is part of the run: a resumed one has it, and cannot have another.
        resume(&folder, &server, &[]).ends(0);
        assert_eq!(server.log().len(), before + 6);
        let mut args = vec!["run", "--resume", "out"];
        args.extend(["--system-as", "user"]);
        ifs(&folder, &server, &args).ends(2);
    }
    // Another identity: what a run with a system role got is not in its cache.
    let lenient = Server::start(|_| answer("one two three"));
    let folder = talk("");
    for (out, more, asked) in [("a", "system", 6), ("b", "user", 12), ("c", "user", 12)] {
        let args = [
            "run",
            "wire.ifs",
            "-m",
            "openai/m",
            "-n",
            "1",
            "--cache",
            "kept",
            "--out",
            out,
            "--system-as",
            more,
        ];
        ifs(&folder, &lenient, &args).ends(0);
        assert_eq!(lenient.log().len(), asked);
    }
}

#[test]
fn models_that_answered_are_named() {
    let served = |names: &'static [&'static str]| {
        let next = AtomicUsize::new(0);
        Server::start(move |_| {
            let mut body = chat("one two three");
            body["model"] = names[next.fetch_add(1, Ordering::SeqCst) % names.len()].into();
            response("200 OK", &[JSON], &body.to_string())
        })
    };
    let args = [
        "run",
        "wire.ifs",
        "-m",
        "openai/gpt-4o",
        "-n",
        "2",
        "--out",
        "out",
        "--max-connections",
        "1",
    ];
    // Several, another one, and a snapshot of the one that was requested.
    for (names, counts, says) in [
        (
            &["gpt-4o-2024-08-06", "gpt-4o-2024-11-20"][..],
            json!({"gpt-4o-2024-08-06": 6, "gpt-4o-2024-11-20": 6}),
            Some("2 models gave the responses"),
        ),
        (
            &["gpt-3.5-cheap"],
            json!({"gpt-3.5-cheap": 12}),
            Some(
                "`openai/gpt-4o` was requested, and the endpoint names the model that answered `gpt-3.5-cheap`",
            ),
        ),
        (&["gpt-4o-2024-08-06"], json!({"gpt-4o-2024-08-06": 12}), None),
    ] {
        let server = served(names);
        let folder = talk("");
        let ran = ifs(&folder, &server, &args).ends(0);
        match says {
            Some(text) => assert!(ran.all.replace("\n  ", " ").contains(text), "{}", ran.all),
            None => assert!(
                !ran.all.contains("gave the responses") && !ran.all.contains("was requested"),
                "{}",
                ran.all
            ),
        }
        assert_eq!(manifest(&folder)["served"]["openai/gpt-4o"], counts);
        for transcript in transcripts(&folder) {
            let turns = transcript["turns"].as_array().unwrap();
            assert!(
                turns
                    .iter()
                    .all(|turn| names.iter().any(|name| turn["samples"][0]["served"] == *name))
            );
        }
        for (format, text) in reports(&folder, &server) {
            assert!(names.iter().all(|name| text.contains(name)), "{format}: {text}");
        }
        // A killed run has no end in run.json, and its transcripts say it.
        let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
        assert_eq!(scores["totals"]["served"], counts);
    }
    // A judge that is another model in the middle of a run.
    let next = AtomicUsize::new(0);
    let server = Server::start(move |asked| {
        let is_judge = super::judges::is_judge(asked);
        let text = if is_judge {
            super::judges::verdict(asked, "yes", 0)
        } else {
            "one two three".to_owned()
        };
        let mut body = chat(&text);
        body["model"] = match (is_judge, next.fetch_add(1, Ordering::SeqCst)) {
            (true, 0..=3) => "judge-a",
            (true, _) => "judge-b",
            _ => "m",
        }
        .into();
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    let text =
        SCENARIO.replace("check count(word) <= n", r#"judge "Is it at most {{ n }} words?""#);
    std::fs::write(folder.path().join("wire.ifs"), text).unwrap();
    run(&folder, &server, "2", &["--judge", "openai/j"])
        .ends(0)
        .says("`openai/j` was answered by `judge-a`");
}

/// A response without a stop reason is a response, and every report counts it.
#[test]
fn missing_stop_reasons_are_counted() {
    for reason in [None, Some(json!(null)), Some(json!(""))] {
        let server = Server::start(move |_| {
            let mut body = chat("one two three");
            let choice = body["choices"][0].as_object_mut().unwrap();
            match &reason {
                None => _ = choice.remove("finish_reason"),
                Some(reason) => _ = choice.insert("finish_reason".to_owned(), reason.clone()),
            }
            response("200 OK", &[JSON], &body.to_string())
        });
        let folder = talk("");
        run(&folder, &server, "2", &[]).ends(0);
        assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["stop"], "missing");
        let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
        assert_eq!(scores["totals"]["without_stop_reason"], 12);
        for (format, text) in reports(&folder, &server) {
            let text = text.replace('\n', " ");
            assert!(
                text.contains("stop reason") || text.contains("without_stop_reason"),
                "{format}: {text}"
            );
        }
    }
    // Models without an endpoint have none to give.
    let (server, folder) = (Server::start(dutiful), talk(""));
    let args = ["run", "wire.ifs", "-m", "sim/oracle", "-n", "2", "--out", "out"];
    let ran = ifs(&folder, &server, &args).ends(0);
    assert!(!ran.all.contains("stop reason"), "{}", ran.all);
}

/// A key that an endpoint repeats in another form, and one in the path of an address.
#[test]
fn keys_are_not_repeated_in_any_form() {
    let broken = KEY.replace("-0123", "-\n01\u{200b}23");
    let server = Server::start(move |asked| match asked.path.contains("generateContent") {
        true => {
            let body = json!({"candidates": [{"finishReason": KEY.to_uppercase(), "content": {"parts": [{"text": "x"}]}}]});
            response("200 OK", &[JSON], &body.to_string())
        }
        false if asked.number % 2 == 0 => error("400 Bad Request", &[], &format!("no: {broken}")),
        false => answer(&format!("{} and {broken}", KEY.to_uppercase())),
    });
    for model in ["openai/m", "google/m"] {
        let folder = talk("");
        let args = run_args(model, "2", &["-vv", "--max-connections", "1"]);
        let ran = ifs(&folder, &server, &args);
        let mut texts = vec![ran.all];
        for entry in std::fs::read_dir(folder.path().join("out")).unwrap() {
            texts.push(std::fs::read_to_string(entry.unwrap().path()).unwrap());
        }
        for text in texts {
            let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            assert!(!plain.to_lowercase().contains("canary0123456789abc"), "{model}: {text}");
        }
    }
    let path = "sk-canary-in-the-path-0123456789";
    let server = Server::start(|_| answer("one two three"));
    let folder = talk("");
    let mut command = command(folder.path(), &server, &run_args("openai/m", "1", &[]));
    command.env("OPENAI_BASE_URL", format!("{}/{path}/v1", server.root()));
    let ran = Ran::of(command.output().unwrap()).ends(0);
    assert!(server.log().iter().all(|asked| asked.path == format!("/{path}/v1/chat/completions")));
    assert!(
        !ran.all.contains("canary") && ran.all.contains("/[secret]/v1/chat/completions"),
        "{}",
        ran.all
    );
    for name in ["run.json", "journal", "transcripts.jsonl", "scores.json", "plan.json"] {
        assert!(!read(&folder, name).contains("canary"), "{name}");
    }
}
