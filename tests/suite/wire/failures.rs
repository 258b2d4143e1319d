//! Every way in which an endpoint can fail to answer.

use std::time::{Duration, Instant};

use super::server::{JSON, chat, error, response, stream};
use super::*;

/// A run of one dialogue succeeds although its first request fails, with this many requests for
/// four turns.
#[track_caller]
fn recovers(server: &Server, requests: usize, more: &[&str]) -> TempDir {
    let folder = scenario();
    run(&folder, server, "1", more).ends(0);
    assert_eq!(server.log().len(), requests);
    assert_eq!(transcripts(&folder)[0]["turns"].as_array().unwrap().len(), 4);
    folder
}

/// A run of one dialogue stops at its first request, and reports why. No request follows, and
/// nothing is scored.
#[track_caller]
fn breaks_off(server: &Server, requests: usize, why: &str, more: &[&str]) -> TempDir {
    let folder = scenario();
    run(&folder, server, "1", more).ends(4).says(why);
    assert_eq!(server.log().len(), requests);
    let held = &transcripts(&folder)[0];
    assert_eq!(held["turns"].as_array().unwrap().len(), 0);
    folder
}

#[test]
fn transient_statuses() {
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Busy", "529 Busy"] {
        recovers(&first_is(|| error(status, &[], "later")), 5, &[]);
    }
}

#[test]
fn retry_after_is_waited_for() {
    let server = first_is(|| error("429 Too Many Requests", &[("retry-after", "1")], "later"));
    let begun = Instant::now();
    // Its own delay would end at once, so the server's delay applies.
    recovers(&server, 5, &[]);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn permanent_statuses() {
    let folder = breaks_off(
        &Server::start(|_| error("400 Bad Request", &[], "no such parameter")),
        1,
        "400 Bad Request: no such parameter",
        &[],
    );
    let failed = &records(&folder)[1]["failed"];
    assert_eq!((&failed["kind"], &failed["tries"]), (&"permanent".into(), &1.into()));
    assert_eq!(manifest(&folder)["failed"], 1);
}

#[test]
fn a_key_that_is_refused_stops_the_run() {
    let folder = scenario();
    let server = Server::start(|_| error("401 Unauthorized", &[], "who are you?"));
    // One at a time, so that no second request is in flight.
    let ran = run(&folder, &server, "50", &["--max-connections", "1"]);
    ran.ends(4).says("401 Unauthorized: who are you?").says("--resume");
    assert_eq!(server.log().len(), 1);
}

#[test]
fn repeated_failures_stop_the_run() {
    let server = Server::start(|_| error("500 Internal Server Error", &[], "again"));
    breaks_off(&server, 4, "500 Internal Server Error: again", &["--max-retries", "3"]);
}

#[test]
fn bodies_without_a_response() {
    let html = ("content-type", "text/html");
    for (kind, body, why) in [
        (JSON, "{\"choices\": [", "broken JSON"),
        (JSON, "", "the response is empty"),
        (JSON, "{}", "no `choices`"),
        (JSON, "{\"error\": {\"message\": \"none left\"}}", "none left"),
        (html, "<html>Welcome!</html>", "text/html"),
    ] {
        recovers(&first_is(move || response("200 OK", &[kind], body)), 5, &[]);
        let server = Server::start(move |_| response("200 OK", &[kind], body));
        breaks_off(&server, 2, why, &["--max-retries", "1"]);
    }
    let latin = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n\"\xe9t\xe9\"".to_vec();
    recovers(&first_is(move || vec![Step::Send(latin.clone())]), 5, &[]);
    // Invalid responses are retried less often than transient errors.
    let server = Server::start(|_| response("200 OK", &[JSON], "nonsense"));
    breaks_off(&server, 3, "broken JSON", &[]);
}

/// Some gateways forward an upstream error with status 200.
#[test]
fn errors_in_the_place_of_answers() {
    let said = |body: &'static str| move || response("200 OK", &[JSON], body);
    for body in [
        r#"{"error": {"code": 429, "message": "slower"}}"#,
        r#"{"error": {"code": 502, "message": "nobody"}, "choices": []}"#,
        r#"{"choices": [{"error": {"code": 502, "message": "nobody"}, "finish_reason": "error",
            "message": {"role": "assistant", "content": "Half of an"}}]}"#,
        r#"{"choices": [{"finish_reason": "error", "message": {"content": "Half of an"}}]}"#,
        r#"{"choices": [{"finish_reason": null, "message": {"content": null}}], "usage": null}"#,
    ] {
        let folder = recovers(&first_is(said(body)), 5, &[]);
        assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"], "Answer number 1.");
    }
    let unpaid = r#"{"error": {"code": 402, "message": "no credit"}}"#;
    let why = "openai/m: an error instead of a response (402): no credit";
    breaks_off(&Server::start(move |_| said(unpaid)()), 1, why, &[]);
    // Without an error or token counts, and with a refusal.
    let fine = r#"{"error": null, "usage": null, "choices": [{"finish_reason": "stop",
        "message": {"content": null, "refusal": "I cannot."}}]}"#;
    let folder = recovers(&Server::start(move |_| said(fine)()), 4, &[]);
    assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"], "I cannot.");
}

/// An empty response is a response, and the next request is valid for its API.
#[test]
fn responses_without_text() {
    let server = Server::start(|asked| {
        let body = if asked.path.contains("generateContent") {
            r#"{"promptFeedback": {"blockReason": "SAFETY"}}"#
        } else if asked.path.ends_with("/messages") {
            r#"{"content": [], "stop_reason": "refusal"}"#
        } else {
            r#"{"choices": [{"finish_reason": "content_filter", "message": {"content": null}}]}"#
        };
        response("200 OK", &[JSON], body)
    });
    for (model, said) in [("openai/m", 7), ("anthropic/m", 4), ("google/m", 4)] {
        let (folder, before) = (scenario(), server.log().len());
        let args = run_args(model, "1", &[]);
        let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap());
        ran.ends(0).says("4 responses have no text (4 blocked by a filter)");
        let log = server.log();
        assert_eq!(log.len(), before + 4);
        assert_eq!(log[before + 3].texts().len(), said, "{model}");
        assert_eq!(transcripts(&folder)[0]["turns"][3]["samples"][0]["answer"], "");
    }
}

#[test]
fn invalid_settings_are_reported() {
    let server = Server::start(|_| error("401 Unauthorized", &[], "who are you?"));
    let why = "error: openai/m: 401 Unauthorized: who are you? (the key is that of OPENAI_API_KEY)";
    breaks_off(&server, 1, why, &[]);
    let server = Server::start(|_| error("404 Not Found", &[], "no such model"));
    let why = format!("(it was asked for at {}/chat/completions)", server.base());
    breaks_off(&server, 1, &why, &[]);
    // The first failure of a kind is reported at once, without control characters.
    let server =
        Server::start(|_| response("400 Bad Request", &[JSON], r#"{"detail": "\u001b[2J"}"#));
    let why = "openai/m: 400 Bad Request: ␛[2J; not retried\n";
    breaks_off(&server, 1, why, &[]);
    let year = ("retry-after", "31536000");
    let server = Server::start(move |_| error("429 Too Many Requests", &[year], "next year"));
    breaks_off(&server, 1, "it requests a wait of 525600 minutes; the maximum is 10", &[]);
}

/// Complete bodies and streams are both read, whichever was requested.
#[test]
fn unrequested_streams() {
    let server = Server::start(|_| {
        let mut steps = stream(&[b": busy\r\n\r\n", &events("All of it is said.")], true);
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; charset=utf-8\r\n\
            transfer-encoding: chunked\r\n\r\n";
        steps[0] = Step::Send(head.to_vec());
        steps
    });
    let folder = recovers(&server, 4, &[]);
    assert_eq!(transcripts(&folder)[0]["turns"][3]["samples"][0]["answer"], "All of it is said.");
}

/// Separate reasoning, token counts, the stop reason, and keep-alive comments.
#[test]
fn every_api_streams() {
    const ANTHROPIC: &str = r#"event: message_start
data: {"type": "message_start", "message": {"model": "m-1", "content": [], "usage":
data: {"input_tokens": 11, "cache_read_input_tokens": 4, "output_tokens": 1}}}

event: content_block_start
data: {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}

data: {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}

event: ping
data: {"type": "ping"}

data: {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}

data: {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "All of "}}

data: {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "it is said."}}

data: {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 7}}

event: message_stop
data: {"type": "message_stop"}

"#;
    const GOOGLE: &str = r#"data: {"candidates": [{"content": {"parts": [{"text": "Hm.", "thought": true}]}}]}

data: {"candidates": [{"content": {"parts": [{"text": "All of "}]}}], "modelVersion": "m-1"}

data: {"candidates": [{"content": {"parts": [{"text": "it is said."}]}, "finishReason": "MAX_TOKENS"}],
data: "usageMetadata": {"promptTokenCount": 15, "candidatesTokenCount": 5, "thoughtsTokenCount": 2, "cachedContentTokenCount": 4}}

"#;
    let server = Server::start(|asked| {
        let google = asked.path == "/v1beta/models/m:streamGenerateContent?alt=sse";
        assert!(google || asked.body["stream"] == true);
        let text = if google { GOOGLE } else { ANTHROPIC };
        stream(&text.as_bytes().chunks(50).collect::<Vec<_>>(), true)
    });
    for model in ["anthropic/m", "google/m"] {
        let folder = scenario();
        let args = run_args(model, "1", &["--stream"]);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let turn = &transcripts(&folder)[0]["turns"][3];
        assert_eq!(
            (&turn["samples"][0]["answer"], &turn["samples"][0]["stop"]),
            (&"All of it is said.".into(), &"length".into())
        );
        let usage = &turn["samples"][0]["usage"];
        let counts = ["input", "cached", "output"].map(|name| usage[name].as_u64());
        assert_eq!(counts, [Some(15), Some(4), Some(7)], "{model}");
        let reply = &records(&folder)[1]["call"]["reply"];
        assert_eq!((&reply["reasoning"], &reply["served"]), (&"Hm.".into(), &"m-1".into()));
    }
    assert_eq!(server.log().len(), 8);
}

#[test]
fn an_error_in_the_middle_of_a_stream() {
    const HALF: &[u8] = b"data: {\"choices\": [{\"delta\": {\"content\": \"Half\"}}]}\n\n";
    const OVER: &[u8] = b"data: {\"error\": {\"code\": 429, \"message\": \"slower\"}, \
        \"choices\": [{\"delta\": {}, \"finish_reason\": \"error\"}]}\n\n";
    let server = Server::start(|asked| match asked.number {
        0 => stream(&[HALF, OVER], true),
        _ => stream(&[&events("All of it is said.")], true),
    });
    let folder = recovers(&server, 5, &["--stream"]);
    assert_eq!(transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"], "All of it is said.");
    let server = Server::start(|_| stream(&[HALF, OVER], true));
    let why = "the stream ended early (429): slower";
    breaks_off(&server, 2, why, &["--stream", "--max-retries", "1"]);
}

/// An unknown parameter is not sent ten thousand times.
#[test]
fn unresponsive_endpoints_stop_the_run() {
    let server = Server::start(|_| error("400 Bad Request", &[], "no such parameter"));
    let folder = scenario();
    run(&folder, &server, "50", &["--max-connections", "1"])
        .ends(4)
        .says("error: openai/m: 400 Bad Request: no such parameter")
        .says("resume it with `ifs run --resume out`");
    assert_eq!(server.log().len(), 20);
}

#[test]
fn other_content_types_are_responses() {
    let plain = ("content-type", "text/plain");
    let server = first_is(move || response("200 OK", &[plain], &chat("Yes.").to_string()));
    recovers(&server, 4, &[]);
}

#[test]
fn connections_that_close() {
    // Before any byte, within the head, within the body.
    let parts: [&[u8]; 3] =
        [b"", b"HTTP/1.1 200 OK\r\ncontent-le", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"];
    for part in parts {
        recovers(&first_is(move || vec![Step::Send(part.to_vec()), Step::Close]), 5, &[]);
    }
    // The server announces keep-alive and closes the connection: retried without a failure.
    let server =
        Server::start(|asked| [dutiful(asked), vec![Step::Close]].into_iter().flatten().collect());
    recovers(&server, 4, &["--max-retries", "1"]);
}

#[test]
fn responses_of_silence() {
    let slow = |first: u64, then: u64| {
        move || {
            let text = "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{";
            vec![
                Step::Sleep(Duration::from_millis(first)),
                Step::Send(text.into()),
                Step::Sleep(Duration::from_millis(then)),
                Step::Close,
            ]
        }
    };
    let long = 2_000;
    recovers(&first_is(slow(long, 0)), 5, &["--first-byte-timeout", "100ms"]);
    recovers(&first_is(slow(0, long)), 5, &["--idle-timeout", "100ms"]);
    recovers(&first_is(slow(0, long)), 5, &["--timeout", "200ms"]);
}

/// The TLS handshake is part of connecting, so a server that accepts and never replies is a
/// connection failure.
#[test]
fn connection_timeout() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (folder, server) = (scenario(), Server::start(dutiful));
    let more = ["--connect-timeout", "100ms", "--max-retries", "1"];
    let mut command = command(folder.path(), &server, &run_args("openai/m", "1", &more));
    let file = folder.path().join("certificate.pem");
    std::fs::write(&file, super::server::CERTIFICATE).unwrap();
    command.env("SSL_CERT_FILE", file);
    let address = listener.local_addr().unwrap();
    command.env("OPENAI_BASE_URL", format!("https://{address}"));
    let why = format!("a connection to {address} did not arrive within 100ms");
    Ran::of(command.output().unwrap()).ends(4).says(&why);
}

#[test]
fn no_model_is_configured() {
    let folder = scenario();
    let server = Server::start(dutiful);
    let mut command = command(folder.path(), &server, &run_args("openai/m", "1", &[]));
    // A local port that is closed.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    command.env("OPENAI_BASE_URL", format!("http://{port}"));
    Ran::of(command.output().unwrap()).ends(4).says("no connection to 127.0.0.1");
    assert!(server.log().is_empty());
}

#[test]
fn an_endless_response() {
    let announced = b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n{".to_vec();
    let server = Server::start(move |_| vec![Step::Send(announced.clone()), Step::Close]);
    breaks_off(&server, 1, "larger than 16 MiB", &[]);
    // A body without a length, up to 100 MB.
    let server = Server::start(|_| {
        let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n\"".to_vec();
        let megabytes = (0..100).map(|_| Step::Send(vec![b'a'; 1 << 20]));
        std::iter::once(Step::Send(head)).chain(megabytes).collect()
    });
    breaks_off(&server, 1, "larger than 16 MiB", &[]);
}

fn events(text: &str) -> Vec<u8> {
    let delta = |text: &str, stop: Option<&str>| {
        let event =
            serde_json::json!({"choices": [{"delta": {"content": text}, "finish_reason": stop}]});
        format!("data: {event}\n\n")
    };
    let middle = text.char_indices().nth(7).unwrap().0;
    let (first, second) = text.split_at(middle);
    let usage = r#"data: {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}"#;
    let all =
        format!("{}{}{usage}\n\ndata: [DONE]\n\n", delta(first, None), delta(second, Some("stop")));
    all.into_bytes()
}

#[test]
fn streams_cut_anywhere_between_two_bytes_are_read() {
    let server = Server::start(|asked| {
        assert_eq!(asked.body["stream"], true);
        // Three bytes in each chunk: every longer character is split somewhere.
        let bytes = events("Ünïcödé → 𝄞𝄞𝄞");
        stream(&bytes.chunks(3).collect::<Vec<_>>(), true)
    });
    let folder = recovers(&server, 4, &["--stream"]);
    for turn in transcripts(&folder)[0]["turns"].as_array().unwrap() {
        assert_eq!(turn["samples"][0]["answer"], "Ünïcödé → 𝄞𝄞𝄞");
        assert_eq!(turn["samples"][0]["usage"]["output"], 7);
        assert_eq!(turn["samples"][0]["stop"], "end");
    }
}

#[test]
fn truncated_streams_are_not_responses() {
    let whole = events("All of it is said.");
    let half = whole[..whole.len() / 3].to_vec();
    for ends_well in [false, true] {
        // Both the connection and the body end too early.
        let (half, whole) = (half.clone(), whole.clone());
        let server = Server::start(move |asked| match asked.number {
            0 => stream(&[&half], ends_well),
            _ => stream(&[&whole], true),
        });
        let folder = recovers(&server, 5, &["--stream"]);
        assert_eq!(
            transcripts(&folder)[0]["turns"][0]["samples"][0]["answer"],
            "All of it is said."
        );
    }
}

#[test]
fn a_server_without_streaming() {
    recovers(&Server::start(dutiful), 4, &["--stream"]);
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Server::start(dutiful);
    let to = format!("{}/chat/completions", elsewhere.base());
    let server =
        Server::start(move |_| response("307 Temporary Redirect", &[("location", &to)], ""));
    breaks_off(&server, 1, "the key is not sent there", &[]);
    assert!(elsewhere.log().is_empty());
}

#[test]
fn impossible_token_counts() {
    let server = Server::start(|_| {
        let mut body = chat("Short enough.");
        body["usage"] = serde_json::json!({"prompt_tokens": -3, "completion_tokens": "many"});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    run(&folder, &server, "1", &[]).ends(0).says("4 responses whose tokens are estimated");
    assert!(transcripts(&folder)[0]["turns"][0]["samples"][0].get("usage").is_none());
    assert_ne!(manifest(&folder)["spent"]["input"], 0);
}

#[test]
fn truncated_responses_are_reported() {
    let reasons = ["stop", "length", "content_filter", "length"];
    let server = Server::start(move |asked| {
        let mut body = chat("Short enough.");
        body["choices"][0]["finish_reason"] = reasons[asked.texts().len() / 2].into();
        body["usage"]["completion_tokens_details"] = serde_json::json!({"reasoning_tokens": 3});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    let ran = run(&folder, &server, "1", &[]).ends(0);
    let ran = ran.says("2 responses were cut at the token limit");
    let ran = ran.says("44 tokens in, 28 tokens out (12 of them reasoning)");
    assert_eq!(manifest(&folder)["spent"]["reasoning"], 12);
    ran.says("1 response was withheld or cut by the endpoint");
    let score = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    score(&["score", "out"]).ends(0).says("2 responses were cut");
}

/// One failing dialogue does not affect the others, every failure is counted, and incomplete
/// dialogues can be resumed.
#[test]
fn a_server_that_fails_one_call_in_ten() {
    let server = Server::start(|asked| match asked.number % 10 {
        3 => error("500 Internal Server Error", &[], "one in ten"),
        _ => dutiful(asked),
    });
    let folder = scenario();
    let ran = run(&folder, &server, "100", &["--max-retries", "0"]).ends(4);
    let failures = server.log().len() - server.answered().len();
    assert!(failures > 10);
    let ran = ran.says(&format!("{failures} dialogues incomplete because a request failed"));
    ran.says(&format!("{failures} requests failed for good"));
    let held = transcripts(&folder);
    assert_eq!(held.len(), 100);
    let turns = |held: &Value| held["turns"].as_array().unwrap().len();
    for dialogue in &held {
        let failed = dialogue["ending"].get("failed").is_some();
        assert_eq!(failed, turns(dialogue) < 4, "{dialogue}");
    }
    let whole: usize = held.iter().map(turns).sum();
    assert_eq!(whole, server.answered().len());
    // The same again, with retries: only missing responses are requested.
    resume(&folder, &server, &[]).ends(0);
    assert!(transcripts(&folder).iter().all(|held| turns(held) == 4));
    assert_eq!(server.answered().len(), 400);
}
