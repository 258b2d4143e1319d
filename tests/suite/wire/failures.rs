//! Every way in which an endpoint can fail to answer.

use std::time::{Duration, Instant};

use super::server::{JSON, chat, error, response, stream};
use super::*;

/// A run of one dialogue goes well in spite of its first request, with so many
/// requests for four turns.
#[track_caller]
fn recovers(server: &Server, requests: usize, more: &[&str]) -> TempDir {
    let folder = scenario();
    run(&folder, server, "1", more).ends(0);
    assert_eq!(server.log().len(), requests);
    assert_eq!(transcripts(&folder)[0]["turns"].as_array().unwrap().len(), 4);
    folder
}

/// A run of one dialogue breaks off at its first request, and says why. Nothing is
/// asked after it, and nothing is scored.
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
fn a_status_that_passes() {
    for status in ["429 Too Many Requests", "500 Internal Server Error", "503 Busy", "529 Busy"] {
        recovers(&first_is(|| error(status, &[], "later")), 5, &[]);
    }
}

#[test]
fn retry_after_is_waited_for() {
    let server = first_is(|| error("429 Too Many Requests", &[("retry-after", "1")], "later"));
    let begun = Instant::now();
    // Its own wait would be over at once, so what is waited for is the server's.
    recovers(&server, 5, &[]);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_status_that_does_not_pass() {
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
    // One at a time, so that no second one is on its way.
    let ran = run(&folder, &server, "50", &["--max-connections", "1"]);
    ran.ends(4).says("401 Unauthorized: who are you?").says("--resume");
    assert_eq!(server.log().len(), 1);
}

#[test]
fn the_same_failure_is_not_met_for_ever() {
    let server = Server::start(|_| error("500 Internal Server Error", &[], "again"));
    breaks_off(&server, 4, "500 Internal Server Error: again", &["--max-retries", "3"]);
}

#[test]
fn bodies_that_are_no_answers() {
    let html = ("content-type", "text/html");
    for (kind, body, why) in [
        (JSON, "{\"choices\": [", "broken JSON"),
        (JSON, "", "the answer is empty"),
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
    // Nonsense is tried less often than what may pass.
    let server = Server::start(|_| response("200 OK", &[JSON], "nonsense"));
    breaks_off(&server, 3, "broken JSON", &[]);
}

#[test]
fn an_answer_of_another_type_is_an_answer() {
    let plain = ("content-type", "text/plain");
    let server = first_is(move || response("200 OK", &[plain], &chat("Yes.").to_string()));
    recovers(&server, 4, &[]);
}

#[test]
fn connections_that_close() {
    // Before a word, within the head, within the body.
    let parts: [&[u8]; 3] =
        [b"", b"HTTP/1.1 200 OK\r\ncontent-le", b"HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{"];
    for part in parts {
        recovers(&first_is(move || vec![Step::Send(part.to_vec()), Step::Close]), 5, &[]);
    }
    // Kept alive by what it says, and closed all the same: tried again without a failure.
    let server =
        Server::start(|asked| [dutiful(asked), vec![Step::Close]].into_iter().flatten().collect());
    recovers(&server, 4, &["--max-retries", "1"]);
}

#[test]
fn silences() {
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

#[test]
fn nobody_is_there() {
    let folder = scenario();
    let server = Server::start(dutiful);
    let mut command = command(folder.path(), &server, &run_args("openai/m", "1", &[]));
    // A port of our own that nobody listens at.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    command.env("OPENAI_BASE_URL", format!("http://{port}"));
    Ran::of(command.output().unwrap()).ends(4).says("no connection to 127.0.0.1");
    assert!(server.log().is_empty());
}

#[test]
fn an_answer_without_end() {
    let announced = b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n{".to_vec();
    let server = Server::start(move |_| vec![Step::Send(announced.clone()), Step::Close]);
    breaks_off(&server, 1, "larger than 16 MiB", &[]);
    // One that does not say how long it is, up to 100 MB.
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
        // Three bytes a piece: every character of two or more is cut somewhere.
        let bytes = events("Ünïcödé → 𝄞𝄞𝄞");
        stream(&bytes.chunks(3).collect::<Vec<_>>(), true)
    });
    let folder = recovers(&server, 4, &["--stream"]);
    for turn in transcripts(&folder)[0]["turns"].as_array().unwrap() {
        assert_eq!(turn["answer"], "Ünïcödé → 𝄞𝄞𝄞");
        assert_eq!(turn["usage"]["output"], 7);
        assert_eq!(turn["stop"], "end");
    }
}

#[test]
fn a_stream_that_is_cut_is_no_answer() {
    let whole = events("All of it is said.");
    let half = whole[..whole.len() / 3].to_vec();
    for ends_well in [false, true] {
        // The end of the connection and the end of the body are both too early.
        let (half, whole) = (half.clone(), whole.clone());
        let server = Server::start(move |asked| match asked.number {
            0 => stream(&[&half], ends_well),
            _ => stream(&[&whole], true),
        });
        let folder = recovers(&server, 5, &["--stream"]);
        assert_eq!(transcripts(&folder)[0]["turns"][0]["answer"], "All of it is said.");
    }
}

#[test]
fn a_server_that_knows_no_streams() {
    recovers(&Server::start(dutiful), 4, &["--stream"]);
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Server::start(dutiful);
    let to = format!("{}/chat/completions", elsewhere.base());
    let server =
        Server::start(move |_| response("307 Temporary Redirect", &[("location", &to)], ""));
    breaks_off(&server, 1, "the key does not follow", &[]);
    assert!(elsewhere.log().is_empty());
}

#[test]
fn numbers_of_tokens_that_cannot_be() {
    let server = Server::start(|_| {
        let mut body = chat("Short enough.");
        body["usage"] = serde_json::json!({"prompt_tokens": -3, "completion_tokens": "many"});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    run(&folder, &server, "1", &[]).ends(0).says("4 answers whose tokens are estimated");
    assert!(transcripts(&folder)[0]["turns"][0].get("usage").is_none());
    assert_ne!(manifest(&folder)["spent"]["input"], 0);
}

#[test]
fn answers_that_were_cut_are_told() {
    let reasons = ["stop", "length", "content_filter", "length"];
    let server = Server::start(move |asked| {
        let mut body = chat("Short enough.");
        body["choices"][0]["finish_reason"] = reasons[asked.texts().len() / 2].into();
        body["usage"]["completion_tokens_details"] = serde_json::json!({"reasoning_tokens": 3});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    let ran = run(&folder, &server, "1", &[]).ends(0);
    let ran = ran.says("2 answers were cut at the most tokens");
    let ran = ran.says("44 tokens in, 28 tokens out (12 of them reasoning)");
    assert_eq!(manifest(&folder)["spent"]["reasoning"], 12);
    ran.says("1 answer was held back or cut by the endpoint");
    let score = |args: &[&str]| Ran::of(command(folder.path(), &server, args).output().unwrap());
    score(&["score", "out"]).ends(0).says("2 answers were cut");
}

/// One bad dialogue does not take the others with it, every failure is accounted
/// for, and what broke off goes on.
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
    let ran = ran.says(&format!("{failures} dialogues broke off"));
    ran.says(&format!("{failures} calls given up"));
    let held = transcripts(&folder);
    assert_eq!(held.len(), 100);
    let turns = |held: &Value| held["turns"].as_array().unwrap().len();
    for dialogue in &held {
        let failed = dialogue["ending"].get("failed").is_some();
        assert_eq!(failed, turns(dialogue) < 4, "{dialogue}");
    }
    let whole: usize = held.iter().map(turns).sum();
    assert_eq!(whole, server.answered().len());
    // The same again, with retries: what is missing is asked for, and nothing else.
    resume(&folder, &server, &[]).ends(0);
    assert!(transcripts(&folder).iter().all(|held| turns(held) == 4));
    assert_eq!(server.answered().len(), 400);
}
