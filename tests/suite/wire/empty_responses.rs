//! Responses without text, over every API, streamed and not: a separate state with a reason,
//! counted, and never a pass.

use serde_json::json;

use super::server::{JSON, response, stream};
use super::*;

/// What a wire sends: as one body, or as events.
type Sent = (&'static str, Value, Vec<Value>);

/// Model, body and events of each response without text, by reason.
fn responses_of_silence() -> Vec<(&'static str, &'static str, Value, Vec<Value>)> {
    let chat = |message: Value, stop: &str| {
        let whole = json!({"choices": [{"finish_reason": stop, "message": message}]});
        let events = vec![
            json!({"choices": [{"index": 0, "delta": message}]}),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}),
        ];
        (whole, events)
    };
    let call = json!([{"index": 0, "id": "c", "type": "function",
        "function": {"name": "f", "arguments": "{\"words\": \"one two three\"}"}}]);
    let chats = [
        ("empty", chat(json!({"content": null}), "stop")),
        ("empty", chat(json!({"content": ""}), "stop")),
        ("empty", chat(json!({"content": []}), "stop")),
        ("blank", chat(json!({"content": " \n\u{200b}"}), "stop")),
        ("tool_calls", chat(json!({"content": null, "tool_calls": call}), "tool_calls")),
        ("tool_calls", chat(json!({"content": "", "tool_calls": call}), "stop")),
        ("reasoning_only", chat(json!({"content": "", "reasoning_content": "Hm."}), "stop")),
        (
            "reasoning_only",
            chat(json!({"content": null, "reasoning_content": null, "reasoning": "Hm."}), "stop"),
        ),
        ("reasoning_only", chat(json!({"content": "<think>Hm.</think>\n"}), "stop")),
        ("cut_off", chat(json!({"content": "<think>Hm. So"}), "length")),
        ("cut_off", chat(json!({"content": "", "reasoning": "Hm."}), "length")),
        ("blocked", chat(json!({"content": null}), "content_filter")),
    ];
    let mut all: Vec<(&str, &str, Value, Vec<Value>)> =
        chats.into_iter().map(|(why, (whole, events))| (why, "openai/m", whole, events)).collect();
    let anthropic = |blocks: Value, stop: &str| {
        let whole = json!({"content": blocks, "stop_reason": stop});
        let mut events = vec![json!({"type": "message_start", "message": {"content": []}})];
        for block in blocks.as_array().unwrap() {
            events.push(json!({"type": "content_block_start", "content_block": block}));
            if block["type"] == "tool_use" {
                events.push(json!({"type": "content_block_delta", "delta":
                    {"type": "input_json_delta", "partial_json": "{\"words\": \"one two\"}"}}));
            }
        }
        events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}}));
        events.push(json!({"type": "message_stop"}));
        (whole, events)
    };
    let tool = json!([{"type": "tool_use", "name": "f", "input": {"words": "one two"}}]);
    let thinking = json!([{"type": "thinking", "thinking": "Hm."}]);
    let redacted = json!([{"type": "redacted_thinking", "data": "xyz"}]);
    for (why, (whole, events)) in [
        ("empty", anthropic(json!([]), "end_turn")),
        ("empty", anthropic(json!([{"type": "text", "text": ""}]), "end_turn")),
        ("tool_calls", anthropic(tool, "tool_use")),
        ("reasoning_only", anthropic(thinking.clone(), "end_turn")),
        ("reasoning_only", anthropic(redacted, "end_turn")),
        ("cut_off", anthropic(thinking, "max_tokens")),
        ("blocked", anthropic(json!([]), "refusal")),
        ("endpoint", anthropic(json!([]), "pause_turn")),
    ] {
        all.push((why, "anthropic/m", whole, events));
    }
    let google = |candidate: Value| json!({"candidates": [candidate]});
    for (why, whole) in [
        ("empty", google(json!({"finishReason": "STOP"}))),
        ("empty", google(json!({"content": {"parts": []}, "finishReason": "STOP"}))),
        ("endpoint", google(json!({"finishReason": "OTHER"}))),
        ("tool_calls", google(json!({"finishReason": "MALFORMED_FUNCTION_CALL"}))),
        (
            "tool_calls",
            google(json!({"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]},
                "finishReason": "STOP"})),
        ),
        (
            "reasoning_only",
            google(json!({"content": {"parts": [{"text": "Hm.", "thought": true}]},
                "finishReason": "STOP"})),
        ),
        ("cut_off", google(json!({"finishReason": "MAX_TOKENS"}))),
        ("blocked", google(json!({"finishReason": "SAFETY"}))),
        ("blocked", json!({"promptFeedback": {"blockReason": "SAFETY"}})),
    ] {
        all.push((why, "google/m", whole.clone(), vec![whole]));
    }
    all
}

/// The events of a stream; some servers send more after its end.
fn events(all: &[Value], model: &str) -> Vec<Step> {
    let mut text: String = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    if model.starts_with("openai") {
        text.push_str("data: [DONE]\n\n");
        text.push_str("data: {\"choices\": [{\"delta\": {\"content\": \"After the end.\"}}]}\n\n");
    }
    stream(&[text.as_bytes()], true)
}

/// Every dialogue of the run is one of these, turn after turn.
fn held(sent: Sent, streamed: bool) -> (TempDir, Ran) {
    let (model, whole, all) = sent;
    let server = Server::start(move |asked| {
        let stream = asked.path.contains("stream") || asked.body["stream"] == true;
        if stream { events(&all, model) } else { response("200 OK", &[JSON], &whole.to_string()) }
    });
    let folder = scenario();
    let more: &[&str] = if streamed { &["--stream"] } else { &[] };
    let args = run_args(model, "1", more);
    let ran = Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0);
    assert_eq!(server.log().len(), 4, "the dialogue goes on, and nothing is asked twice");
    (folder, ran)
}

/// `count(word) <= n` would hold for an empty text, and must not.
#[test]
fn no_response_without_text_passes() {
    for (why, model, whole, all) in responses_of_silence() {
        for streamed in [false, true] {
            let reported = format!("{why} of {model}, streamed: {streamed}: {whole}");
            let (folder, ran) = held((model, whole.clone(), all.clone()), streamed);
            let endpoint = matches!(why, "blocked" | "endpoint");
            let said = if endpoint { "undecided" } else { "count as missed" };
            assert!(ran.all.contains("4 responses have no text"), "{reported}\n{}", ran.all);
            assert!(ran.all.contains(said), "{reported}\n{}", ran.all);
            for turn in transcripts(&folder)[0]["turns"].as_array().unwrap() {
                let state = &turn["samples"][0]["no_text"];
                assert!(*state == *why || state.get(why).is_some(), "{reported}: {turn}");
                let outcome = if endpoint { "unjudged" } else { "missed" };
                assert_eq!(turn["samples"][0]["verdicts"][0]["outcome"], outcome, "{reported}");
                let thought = matches!(why, "reasoning_only");
                assert!(
                    !thought || turn["samples"][0]["reasoning"].as_str().is_some(),
                    "{reported}: {turn}"
                );
            }
            let scores: Value = serde_json::from_str(&read(&folder, "scores.json")).unwrap();
            let totals = &scores["totals"];
            assert_eq!(totals["successful_turns"], 0, "{reported}");
            let of = if endpoint { "undecided_turns" } else { "failed_turns" };
            assert_eq!(totals[of], 4, "{reported}");
            let counted = totals["without_text"].as_object().unwrap();
            assert_eq!(
                counted.values().map(|it| it.as_u64().unwrap()).sum::<u64>(),
                4,
                "{reported}"
            );
        }
    }
}

const PATIENT: &str = r#"ifs 1
import topics "topics.jsonl" { name: text  request: text }
constraint short { say "Be short." check count(word) <= 9 }
dialogue talk {
  topic from topics
  start with 1 constraint
  patience 2
  flow { stay at least 9 turns }
  end when patience == 0 or turns >= 6
}
"#;

/// Empty responses cost patience; a blocked one neither costs nor restores it.
#[test]
fn patience_after_a_response_without_text() {
    // `e` empty, `b` blocked, `l` too long, `s` short.
    for (answers, turns, ending) in [
        ("ee", 2, "patience"),
        ("bbbbbb", 6, "ends"),
        ("lbbe", 4, "patience"),
        ("lbsls", 6, "ends"),
    ] {
        let server = Server::start(move |asked| {
            let text = match answers.chars().nth(asked.number) {
                Some('e') => (Value::Null, "stop"),
                Some('b') => (Value::Null, "content_filter"),
                Some('l') => (json!("one two three four five six seven eight nine ten"), "stop"),
                _ => (json!("Short enough."), "stop"),
            };
            let body =
                json!({"choices": [{"finish_reason": text.1, "message": {"content": text.0}}]});
            response("200 OK", &[JSON], &body.to_string())
        });
        let folder = scenario();
        std::fs::write(folder.path().join("wire.ifs"), PATIENT).unwrap();
        run(&folder, &server, "1", &[]).ends(0);
        let transcript = &transcripts(&folder)[0];
        assert_eq!(transcript["turns"].as_array().unwrap().len(), turns, "{answers}");
        assert_eq!(transcript["ending"] == "patience", ending == "patience", "{answers}");
    }
}

/// Judges get no request about a response without text.
#[test]
fn responses_without_text_are_not_judged() {
    let server = Server::start(|_| {
        let body = json!({"choices": [{"finish_reason": "stop", "message": {"content": ""}}]});
        response("200 OK", &[JSON], &body.to_string())
    });
    let folder = scenario();
    let text =
        SCENARIO.replace("check count(word) <= n", r#"judge "Is it at most {{ n }} words?""#);
    std::fs::write(folder.path().join("wire.ifs"), text).unwrap();
    run(&folder, &server, "1", &["--judge", "openai/j"]).ends(0);
    assert_eq!(server.log().len(), 4);
    let turn = &transcripts(&folder)[0]["turns"][0];
    assert_eq!(turn["samples"][0]["verdicts"][0]["outcome"], "missed", "{turn}");
}

/// Reasoning in the text is separated: not judged, not sent back, but counted.
#[test]
fn reasoning_is_stored_separately() {
    let thought = "<think>\nI have to think about this for much more than nine words, I think.\n</think>\n\nYes.";
    let server = Server::start(move |_| answer(thought));
    let folder = scenario();
    let ran = run(&folder, &server, "1", &[]).ends(0);
    ran.says("reasoning stored separately in 4 responses");
    for turn in transcripts(&folder)[0]["turns"].as_array().unwrap() {
        assert_eq!(turn["samples"][0]["answer"], "Yes.");
        assert!(turn["samples"][0]["reasoning"].as_str().unwrap().starts_with("I have to think"));
        assert_eq!(turn["samples"][0]["verdicts"][0]["outcome"], "held");
    }
    assert_eq!(server.log()[3].texts()[1], "Yes.");
    // The same, unchanged.
    let raw = scenario();
    run(&raw, &server, "1", &["--raw-text"]).ends(0);
    let turn = &transcripts(&raw)[0]["turns"][0];
    assert_eq!(
        (&turn["samples"][0]["answer"], &turn["samples"][0]["verdicts"][0]["outcome"]),
        (&thought.into(), &"missed".into())
    );
    assert_eq!(server.log()[7].texts()[1], thought);
    // Recorded responses are read in the same way.
    let replay = folder.path().join("answers.jsonl");
    let lines: String = (1..=4)
        .map(|turn| {
            json!({"dialogue": "talk", "index": 0, "turn": turn, "answer": thought}).to_string()
                + "\n"
        })
        .collect();
    std::fs::write(replay, lines).unwrap();
    let args = ["run", "wire.ifs", "-m", "replay:answers.jsonl", "-n", "1", "--out", "replayed"];
    Ran::of(command(folder.path(), &server, &args).output().unwrap())
        .ends(0)
        .says("reasoning stored separately in 4 responses");
}

/// Blank responses in rows pass no check, and are counted.
#[test]
fn blank_answers_of_rows() {
    let server = Server::start(dutiful);
    let folder = scenario();
    let rows: String = ["", " \\n", "<think>one two</think>", "<think>one two</think>Yes."]
        .map(|answer| {
            format!(
                r#"{{"answer": "{answer}", "constraint": "std.ifeval.length_constraints.number_words", "args": {{"num_words": 9, "relation": "less than"}}}}"#
            ) + "\n"
        })
        .concat();
    std::fs::write(folder.path().join("rows.jsonl"), rows).unwrap();
    let grade = |more: &[&str]| {
        let args = [&["grade", "rows.jsonl"][..], more].concat();
        Ran::of(command(folder.path(), &server, &args).output().unwrap()).ends(0)
    };
    let ran = grade(&[]).says("without text, so no constraint holds for them: 3 answers");
    let strict: Vec<bool> = ran
        .all
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["strict"].as_bool().unwrap())
        .collect();
    assert_eq!(strict, [false, false, false, true]);
    ran.says("reasoning stored separately")
        .says("\"reasoning_only\"")
        .says("the response has no text");
    // On request they are graded by their checks, and counted, too.
    grade(&["--raw-text"]).says("without text, graded unchanged: 2 answers");
}
