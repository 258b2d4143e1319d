//! Streams and bodies that end without the end of the response: none of them is an answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::server::{JSON, chat, error, response, stream};
use super::*;

/// A stream as its text.
type Stream = (&'static str, String);

fn data(event: &Value) -> String {
    format!("data: {event}\n\n")
}

fn delta(text: &str) -> Value {
    json!({"model": "m", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
}

fn finish(reason: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

const DONE: &str = "data: [DONE]\n\n";

/// Half a sentence, something that is no end of a response, and often the sign that all is well.
fn broken_streams() -> Vec<Stream> {
    let half = data(&delta("Half of an"));
    let end = data(&finish(&json!("stop")));
    let mut all: Vec<Stream> = Vec::new();
    let mut add = |name, text: String| all.push((name, text));
    // Nothing says that it is over.
    add("nothing", String::new());
    add("half", half.clone());
    add("[DONE] without a finish reason", half.clone() + DONE);
    add("[DONE] alone", DONE.to_owned());
    add(
        "usage and [DONE]",
        half.clone()
            + &data(&json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}))
            + DONE,
    );
    add("cut in an event", format!("{half}data: {{\"choices\": [{{\"delta\""));
    add("cut in a line", format!("{half}da"));
    add("an event without its end", format!("{half}{}", end.trim_end()));
    for reason in [
        json!(null),
        json!(""),
        json!("null"),
        json!("FINISH_REASON_UNSPECIFIED"),
        json!("not_finished"),
    ] {
        add("a reason that is none", half.clone() + &data(&finish(&reason)) + DONE);
    }
    // It says that it failed, in capitals or not.
    for reason in [
        "error",
        "ERROR",
        "Error",
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "CANCELLED",
        "timeout",
        "time_limit",
        "failed",
        "network_error",
        "overloaded",
        "insufficient_system_resource",
        "pause_turn",
        "OTHER",
        "user_cancel",
        "server_shutdown",
        "rate-limited",
        "?",
    ] {
        add("a reason that is no end", half.clone() + &data(&finish(&json!(reason))) + DONE);
    }
    add("a reason that is no text", half.clone() + &data(&finish(&json!(7))) + DONE);
    // Errors in every form, before the sign that all is well.
    let code = json!({"code": 500, "message": "out of memory", "type": "server_error"});
    let errors = [
        data(&json!({"error": code})),
        data(&json!({"error": "out of memory"})),
        data(&json!({"error": ["out of memory"]})),
        data(&json!({"error": true, "message": "out of memory"})),
        format!("error: {code}\n\n"),
        format!("error:{code}\n\n"),
        data(&json!({"object": "error", "message": "out of memory", "code": 50002})),
        data(&json!({"type": "error", "message": "out of memory"})),
        data(&json!({"type": "response.failed", "response": {}})),
        "event: error\ndata: {\"message\": \"out of memory\"}\n\n".to_owned(),
        "event: error\ndata: out of memory\n\n".to_owned(),
        "event: error\n\n".to_owned(),
        "event: ERROR\ndata: {}\n\n".to_owned(),
        "event: stream_error\ndata: {}\n\n".to_owned(),
        format!("event: exception\n{}", data(&delta("more"))),
        data(&json!({"detail": "out of memory"})),
        data(&json!({"detail": [{"loc": [], "msg": "out of memory"}]})),
        data(&json!({"message": "out of memory"})),
        data(&json!({"msg": "out of memory", "code": 500})),
        data(&json!({"status": "failed"})),
        data(&json!({"status": 502})),
        data(&json!({"success": false})),
        data(&json!({"errors": [{"message": "out of memory"}]})),
        data(&json!({"text": "**NETWORK ERROR**", "error_code": 50001})),
        data(&json!({"error_msg": "out of memory", "choices": []})),
        data(&json!({"error_code": 1, "choices": [{"delta": {}, "finish_reason": "stop"}]})),
        data(&json!({"choices": [{"error": code, "delta": {}, "finish_reason": "stop"}]})),
        format!("{}\n\n", json!({"error": code})),
        "data: <html>out of memory</html>\n\n".to_owned(),
        "data: {\"choices\": \n\n".to_owned(),
        "data: null\n\n".to_owned(),
        "data: \"out of memory\"\n\n".to_owned(),
        data(&json!({"choices": {"0": {"delta": {"content": "x"}, "finish_reason": "stop"}}})),
        data(&json!({"choices": "stop"})),
        data(&json!({"choices": [{"delta": {"content": 7}, "finish_reason": "stop"}]})),
    ];
    for event in errors {
        add("an error and [DONE]", format!("{half}{event}{DONE}"));
        // A finish reason after an error ends nothing.
        add("an error and an end", format!("{half}{event}{end}{DONE}"));
    }
    all
}

/// Sends a text as a stream, in pieces that split events.
fn sent(text: &str) -> Vec<Step> {
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(41).collect();
    stream(&pieces, true)
}

fn good() -> String {
    data(&delta("All of ")) + &data(&delta("it is said.")) + &data(&finish(&json!("stop"))) + DONE
}

/// Every request fails once in another way, and is sent again: no half sentence is an answer.
#[test]
fn broken_streams_are_repeated() {
    let all = broken_streams();
    assert!(all.len() > 90, "{}", all.len());
    let (turns, texts) = (all.len().div_ceil(4) * 4, all.clone());
    let server = Server::start(move |asked| match asked.number % 2 {
        0 => sent(texts.get(asked.number / 2).map_or(&*good(), |(_, text)| text)),
        _ => sent(&good()),
    });
    let (folder, count) = (scenario(), (turns / 4).to_string());
    let more = ["--stream", "--max-connections", "1"];
    run(&folder, &server, &count, &more).ends(0);
    for transcript in transcripts(&folder) {
        for turn in transcript["turns"].as_array().unwrap() {
            assert_eq!(
                (&turn["samples"][0]["answer"], &turn["samples"][0]["stop"]),
                (&json!("All of it is said."), &json!("end"))
            );
        }
    }
    // In the last dialogue, a few requests succeed at once.
    let repeated = records(&folder).iter().filter(|record| record["call"]["tries"] == 2).count();
    assert_eq!(repeated, all.len());
}

/// A stream that is always broken in the same way ends its dialogue, and nothing of it is scored.
#[test]
fn broken_streams_are_not_scored() {
    let all = broken_streams();
    let next = AtomicUsize::new(0);
    let (count, texts) = (all.len().to_string(), all.clone());
    let server = Server::start(move |asked| match asked.texts().len() {
        1 => sent(&good()),
        _ => sent(&texts[next.fetch_add(1, Ordering::SeqCst) % texts.len()].1),
    });
    let folder = scenario();
    let more = ["--stream", "--max-connections", "1", "--max-retries", "0"];
    run(&folder, &server, &count, &more).ends(4);
    let held = transcripts(&folder);
    assert_eq!(held.len(), all.len());
    for (transcript, (name, text)) in held.iter().zip(&all) {
        let turns = transcript["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 1, "{name}: {text}: {transcript}");
        let ending = &transcript["ending"];
        let failed = ending.get("failed").or(ending.get("permanent_failure"));
        assert!(failed.is_some(), "{name}: {text}: {ending}");
    }
    let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
    assert_eq!(scores["totals"]["turns"], all.len());
}

/// The same for responses that are not streamed.
#[test]
fn broken_bodies_are_not_answers() {
    let body = |reason: Value| json!({"choices": [{"finish_reason": reason, "message": {"content": "Half of an"}}]});
    let mut all: Vec<Value> =
        ["ERROR", "cancelled", "timeout", "abort", "OTHER", "pause_turn", "odd"]
            .into_iter()
            .map(|reason| body(json!(reason)))
            .collect();
    all.extend([
        body(json!(7)),
        json!({"choices": {"0": body(json!("stop"))["choices"][0]}}),
        json!({"object": "error", "message": "out of memory"}),
        json!({"type": "error", "message": "out of memory"}),
        json!({"detail": "out of memory"}),
        json!({"text": "**NETWORK ERROR**", "error_code": 50001}),
        json!({"code": 500, "msg": "out of memory"}),
        json!({"success": false, "choices": body(json!("stop"))["choices"]}),
        json!(["out of memory"]),
        json!("out of memory"),
        Value::Null,
    ]);
    let texts: Vec<String> = all.iter().map(Value::to_string).collect();
    let server = Server::start(move |asked| match texts.get(asked.number / 2) {
        Some(text) if asked.number % 2 == 0 => response("200 OK", &[JSON], text),
        _ => answer("All of it is said."),
    });
    let folder = scenario();
    run(&folder, &server, "5", &["--max-connections", "1"]).ends(0);
    let held = transcripts(&folder);
    let turns = held.iter().flat_map(|held| held["turns"].as_array().unwrap());
    assert!(
        turns.clone().count() == 20
            && turns.clone().all(|turn| turn["samples"][0]["answer"] == "All of it is said.")
    );
    let repeated = records(&folder).iter().filter(|record| record["call"]["tries"] == 2).count();
    assert_eq!(repeated, all.len());
}

/// The forms in which servers end a response well: capitals, other words, a byte order mark, comments,
/// empty fields of errors, an end without `[DONE]`.
#[test]
fn complete_streams_are_answers() {
    let said = data(&delta("All of ")) + &data(&delta("it is said."));
    let ends = |reason: &str| said.clone() + &data(&finish(&json!(reason)));
    let mut all: Vec<(String, &str)> = Vec::new();
    for reason in
        ["stop", "STOP", "Stop", "end_turn", "eos", "eos_token", "COMPLETE", "stop_sequence"]
    {
        all.push((ends(reason) + DONE, "end"));
    }
    for reason in ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "model_length"] {
        all.push((ends(reason) + DONE, "length"));
    }
    for reason in ["content_filter", "CONTENT_FILTER", "SAFETY", "content-filter"] {
        all.push((ends(reason) + DONE, "filter"));
    }
    all.push((ends("stop"), "end"));
    all.push((format!("\u{feff}{}{DONE}", ends("stop")), "end"));
    all.push((format!("\u{feff}: hello\n\n{}{DONE}", ends("stop")), "end"));
    all.push((
        format!(": PROCESSING\n\nevent: ping\ndata: {{\"type\": \"ping\"}}\n\n{}", ends("stop")),
        "end",
    ));
    all.push((format!("event: message\nid: 7\nretry: 3\n{}{DONE}", ends("stop")), "end"));
    all.push((ends("stop").replace('\n', "\r\n") + "data: [DONE] \r\n\r\n", "end"));
    all.push((
        ends("stop")
            .replace("\"choices\"", "\"error\":null,\"error_code\":0,\"code\":200,\"choices\""),
        "end",
    ));
    all.push((
        said.clone()
            + &data(&finish(&json!(null)))
            + &data(&finish(&json!("")))
            + &data(&finish(&json!("stop"))),
        "end",
    ));
    all.push((
        ends("stop")
            + &data(&json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}))
            + DONE,
        "end",
    ));
    // After the end nothing counts.
    all.push((format!("{}{DONE}{}", ends("stop"), data(&json!({"error": "late"}))), "end"));
    let texts = all.clone();
    let server = Server::start(move |asked| sent(&texts[asked.number % texts.len()].0));
    let folder = scenario();
    let count = all.len().div_ceil(4).to_string();
    run(&folder, &server, &count, &["--stream", "--max-connections", "1"]).ends(0);
    assert_eq!(server.log().len(), all.len().div_ceil(4) * 4, "nothing is asked twice");
    let held = transcripts(&folder);
    let turns = held.iter().flat_map(|held| held["turns"].as_array().unwrap());
    for (turn, (text, stop)) in turns.zip(all.iter().cycle()) {
        assert_eq!(
            (&turn["samples"][0]["answer"], &turn["samples"][0]["stop"]),
            (&json!("All of it is said."), &json!(stop)),
            "{text}"
        );
    }
}

/// The streams of the other two APIs without their ends.
#[test]
fn other_apis_need_their_ends() {
    const BEGIN: &str = "data: {\"type\": \"message_start\", \"message\": {\"model\": \"m\"}}\n\n\
        data: {\"type\": \"content_block_delta\", \"delta\": {\"type\": \"text_delta\", \"text\": \"Half\"}}\n\n";
    let stop = |reason: &str| {
        format!(
            "data: {{\"type\": \"message_delta\", \"delta\": {{\"stop_reason\": {reason}}}}}\n\n"
        )
    };
    let over = "data: {\"type\": \"message_stop\"}\n\n";
    let anthropic = [
        format!("{BEGIN}{over}"),
        format!("{BEGIN}{}{over}", stop("null")),
        format!("{BEGIN}{}", stop("\"end_turn\"")),
        format!("{BEGIN}{}{over}", stop("\"pause_turn\"")),
        format!("{BEGIN}{}{over}", stop("\"cancelled\"")),
        format!(
            "{BEGIN}event: error\ndata: {{\"type\": \"error\", \"error\": {{\"type\": \"overloaded_error\", \"message\": \"busy\"}}}}\n\n{over}"
        ),
    ];
    let google = |reason: &str| {
        format!(
            "data: {{\"candidates\": [{{\"content\": {{\"parts\": [{{\"text\": \"Half\"}}]}}{reason}}}]}}\n\n"
        )
    };
    let google = [
        google(""),
        google(", \"finishReason\": \"FINISH_REASON_UNSPECIFIED\""),
        google(", \"finishReason\": \"OTHER\""),
        google(", \"finishReason\": \"ERROR\""),
        google("")
            + "data: {\"error\": {\"code\": 503, \"message\": \"busy\", \"status\": \"UNAVAILABLE\"}}\n\n",
        "data: {\"candidates\": {\"0\": {\"finishReason\": \"STOP\"}}}\n\n".to_owned(),
    ];
    for (model, texts) in [("anthropic/m", anthropic), ("google/m", google)] {
        let count = texts.len();
        let server = Server::start(move |asked| match texts.get(asked.number / 2) {
            Some(text) if asked.number % 2 == 0 => sent(text),
            _ if asked.path.contains("google") || asked.path.contains("stream") => sent(
                "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Yes.\"}]}, \"finishReason\": \"STOP\"}]}\n\n",
            ),
            _ => sent(&format!("{}{}{over}", BEGIN.replace("Half", "Yes."), stop("\"end_turn\""))),
        });
        let folder = scenario();
        let args = run_args(model, "2", &["--stream", "--max-connections", "1"]);
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
        let held = transcripts(&folder);
        let turns = held.iter().flat_map(|held| held["turns"].as_array().unwrap());
        assert!(turns.clone().all(|turn| turn["samples"][0]["answer"] == "Yes."), "{model}");
        let repeated =
            records(&folder).iter().filter(|record| record["call"]["tries"] == 2).count();
        assert_eq!(repeated, count, "{model}");
    }
}

/// The server names a date; its own clock says how far away it is.
#[test]
fn retry_after_dates_are_of_the_server() {
    let headers = [
        ("retry-after", "Sun, 06 Nov 1994 08:49:38 GMT"),
        ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ];
    let ahead = [
        ("retry-after", "Sat, 06 Nov 2094 08:49:38 GMT"),
        ("date", "Sat, 06 Nov 2094 08:49:37 GMT"),
    ];
    for headers in [headers, ahead] {
        let server = first_is(move || error("429 Too Many Requests", &headers, "later"));
        let (folder, begun) = (scenario(), std::time::Instant::now());
        run(&folder, &server, "1", &[]).ends(0);
        assert!(begun.elapsed() >= std::time::Duration::from_secs(1));
        assert_eq!(server.log().len(), 5);
    }
}

/// Counts that cannot be right are estimated, so that budgets and costs are not 0.
#[test]
fn no_text_has_no_tokens() {
    let server = Server::start(|_| {
        let mut body = chat("Short enough.");
        body["usage"] = json!({"prompt_tokens": 0, "completion_tokens": 0});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    run(&folder, &server, "1", &[]).ends(0).says("4 responses whose tokens are estimated");
    assert!(transcripts(&folder)[0]["turns"][0]["samples"][0].get("usage").is_none());
    let spent = &manifest(&folder)["spent"];
    assert!(spent["input"].as_u64() > Some(40) && spent["output"].as_u64() > Some(10), "{spent}");
}
