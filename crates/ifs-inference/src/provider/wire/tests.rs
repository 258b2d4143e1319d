use serde_json::{Value, json};

use super::*;
use crate::provider::{MessageImage, StopReason};

const WIRES: [(&str, &dyn Wire); 3] = [
    ("chat", &ChatCompletions { max_tokens: "max_completion_tokens" }),
    ("anthropic", &Anthropic),
    ("google", &Google),
];

fn wire(name: &str) -> &'static dyn Wire {
    WIRES.iter().find(|(known, _)| *known == name).unwrap().1
}

fn written(wire: &'static dyn Wire, parameters: &Parameters, system: Option<&str>) -> Value {
    let fields = Value::Object(wire.fields("m-1", parameters).unwrap()).to_string();
    let mut conversation = Conversation::new(Some(wire), system);
    conversation.push_text(MessageRole::User, "a \"quoted\"\nline");
    conversation.push_text(MessageRole::Assistant, "é");
    let picture = MessageImage::Data { media_type: "image/png".into(), base64: "AAAA".into() };
    let parts = [ContentPart::Text("look".into()), ContentPart::Image(picture)];
    conversation.push(MessageRole::User, &parts);
    serde_json::from_str(&body(wire, &fields, &conversation, false)).unwrap()
}

fn parameters() -> Parameters {
    Parameters {
        temperature: Some(0.5),
        top_p: Some(0.9),
        max_tokens: Some(64),
        stop: vec!["END".into()],
        ..Parameters::default()
    }
}

#[test]
fn bodies_match_the_api_documentation() {
    let more = serde_json::from_str(r#"{"reasoning": {"effort": "low"}, "top_p": 0.8}"#).unwrap();
    let chat = Parameters { seed: Some(7), stream: true, body: more, ..parameters() };
    assert_eq!(
        written(wire("chat"), &chat, Some("Be kind.")),
        json!({
            "model": "m-1", "temperature": 0.5, "top_p": 0.8, "max_completion_tokens": 64,
            "seed": 7, "stop": ["END"], "stream": true,
            "stream_options": {"include_usage": true}, "reasoning": {"effort": "low"},
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "a \"quoted\"\nline"},
                {"role": "assistant", "content": "é"},
                {"role": "user", "content": [
                    {"type": "text", "text": "look"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ]},
            ],
        })
    );
    assert_eq!(
        written(wire("anthropic"), &parameters(), Some("Be kind.")),
        json!({
            "model": "m-1", "temperature": 0.5, "top_p": 0.9, "max_tokens": 64,
            "stop_sequences": ["END"], "system": "Be kind.",
            "messages": [
                {"role": "user", "content": "a \"quoted\"\nline"},
                {"role": "assistant", "content": "é"},
                {"role": "user", "content": [
                    {"type": "text", "text": "look"},
                    {"type": "image", "source": {
                        "type": "base64", "media_type": "image/png", "data": "AAAA"}},
                ]},
            ],
        })
    );
    let config = serde_json::from_str(r#"{"generationConfig": {"topK": 3}}"#).unwrap();
    let google = Parameters { seed: Some(7), body: config, ..parameters() };
    assert_eq!(
        written(wire("google"), &google, Some("Be kind.")),
        json!({
            "generationConfig": {
                "temperature": 0.5, "topP": 0.9, "maxOutputTokens": 64, "seed": 7,
                "stopSequences": ["END"], "topK": 3},
            "systemInstruction": {"parts": [{"text": "Be kind."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "a \"quoted\"\nline"}]},
                {"role": "model", "parts": [{"text": "é"}]},
                {"role": "user", "parts": [
                    {"text": "look"},
                    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
                ]},
            ],
        })
    );
}

/// A call by the model and its result, with the tool declared; no tool may be called now.
#[test]
fn tools_have_messages_of_their_own() {
    let with_tool = |name: &str| {
        let wire = wire(name);
        let fields = Value::Object(wire.fields("m-1", &Parameters::default()).unwrap()).to_string();
        let mut conversation = Conversation::new(Some(wire), None);
        conversation.push_text(MessageRole::User, "Look it up.");
        conversation.tool("search", "a \"page\"");
        conversation.tool("search", "more");
        serde_json::from_str::<Value>(&body(wire, &fields, &conversation, false)).unwrap()
    };
    let chat = with_tool("chat");
    let call = |id: &str| {
        json!({
            "role": "assistant", "content": null, "tool_calls": [{
                "id": id, "type": "function",
                "function": {"name": "search", "arguments": "{}"}}],
        })
    };
    assert_eq!(
        chat["messages"],
        json!([
            {"role": "user", "content": "Look it up."},
            call("call00001"),
            {"role": "tool", "tool_call_id": "call00001", "content": "a \"page\""},
            call("call00002"),
            {"role": "tool", "tool_call_id": "call00002", "content": "more"},
        ])
    );
    let none = json!({"type": "object", "properties": {}});
    assert_eq!(
        (&chat["tools"], &chat["tool_choice"]),
        (
            &json!([{"type": "function", "function": {"name": "search", "parameters": none}}]),
            &json!("none")
        )
    );
    let anthropic = with_tool("anthropic");
    assert_eq!(
        anthropic["messages"].as_array().unwrap()[1..3],
        [
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": "call00001", "name": "search", "input": {}}]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "call00001", "content": "a \"page\""}]}),
        ]
    );
    assert_eq!(anthropic["tools"], json!([{"name": "search", "input_schema": none}]));
    let google = with_tool("google");
    assert_eq!(google["contents"][1]["parts"][0]["functionCall"]["name"], "search");
    assert_eq!(
        google["contents"][2],
        json!({"role": "user", "parts": [{"functionResponse": {
            "name": "search", "response": {"result": "a \"page\""}}}]})
    );
}

#[test]
fn omitted_fields_cause_no_warnings() {
    let body = written(wire("chat"), &Parameters::default(), None);
    let mut names: Vec<&String> = body.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["messages", "model"]);
    assert_eq!(body["messages"][0]["role"], "user");
    assert_eq!(written(wire("anthropic"), &Parameters::default(), None)["max_tokens"], 4096);
}

#[test]
fn a_seed_that_would_be_ignored_is_refused() {
    let seeded = Parameters { seed: Some(1), ..Parameters::default() };
    assert!(wire("anthropic").fields("m", &seeded).unwrap_err().contains("seed"));
}

#[test]
fn complete_responses() {
    let chat = json!({
        "model": "m-1-0101",
        "choices": [{"finish_reason": "length", "message": {
            "content": "Hello", "reasoning_content": "Hm."}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 3},
            "prompt_tokens_details": {"cached_tokens": 4}},
    });
    let anthropic = json!({
        "model": "m-1-0101",
        "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hello"}],
        "stop_reason": "max_tokens",
        "usage": {"input_tokens": 4, "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 1, "output_tokens": 5},
    });
    let google = json!({
        "modelVersion": "m-1-0101",
        "candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [
            {"text": "Hm.", "thought": true}, {"text": "Hel"}, {"text": "lo"}]}}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2,
            "thoughtsTokenCount": 3, "cachedContentTokenCount": 4},
    });
    for (name, body) in [("chat", chat), ("anthropic", anthropic), ("google", google)] {
        let reply = wire(name).reply(&body).unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hello", "Hm."), "{name}");
        assert_eq!(reply.stop, Some(StopReason::Length), "{name}");
        assert_eq!(reply.served.as_deref(), Some("m-1-0101"), "{name}");
        let usage = (reply.usage.input, reply.usage.output, reply.usage.cached);
        assert_eq!(usage, (Some(9), Some(5), Some(4)), "{name}");
    }
}

#[test]
fn impossible_counts_are_unknown() {
    for wrong in [json!(-5), json!("12"), json!(1.5), json!(null), json!(u64::MAX)] {
        let body = json!({
            "choices": [{"message": {"content": "x"}}],
            "usage": {"prompt_tokens": wrong, "completion_tokens": 2},
        });
        let usage = wire("chat").reply(&body).unwrap().usage;
        assert_eq!((usage.input, usage.output), (None, Some(2)), "{wrong}");
    }
}

#[test]
fn bodies_without_responses() {
    for (name, wire) in WIRES {
        for body in [json!({}), json!([]), json!({"choices": []}), json!({"choices": [{}]})] {
            assert!(wire.reply(&body).is_err(), "{name}: {body}");
        }
    }
    // A response without text is valid, and so is a refusal.
    let empty = json!({"choices": [{"finish_reason": "stop", "message": {"content": null}}]});
    assert_eq!(wire("chat").reply(&empty).unwrap().text, "");
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(wire("google").reply(&blocked).unwrap().stop, Some(StopReason::Filter));
}

#[test]
fn streams_add_up() {
    let chat = [
        json!({"model": "m-1", "choices": [{"delta": {"role": "assistant", "content": ""}}]}),
        json!({"choices": [{"delta": {"content": "Hel"}}]}),
        json!({"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]}),
        json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}),
    ];
    let anthropic = [
        json!({"type": "message_start", "message": {
            "model": "m-1", "usage": {"input_tokens": 9, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "content_block": {"type": "text", "text": "Hel"}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "lo"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    let google = [
        json!({"modelVersion": "m-1", "candidates": [{"content": {"parts": [{"text": "Hel"}]}}]}),
        json!({"candidates": [{"content": {"parts": [{"text": "lo"}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2}}),
    ];
    for (name, events) in [("chat", &chat[..]), ("anthropic", &anthropic), ("google", &google)] {
        let mut partial = PartialReply::default();
        for event in events {
            wire(name).event(event, &mut partial).unwrap();
        }
        assert!(partial.done, "{name}");
        let reply = partial.reply;
        assert_eq!(reply.text, "Hello", "{name}");
        assert_eq!(reply.stop, Some(StopReason::End), "{name}");
        assert_eq!((reply.usage.input, reply.usage.output), (Some(9), Some(2)), "{name}");
        assert_eq!(reply.served.as_deref(), Some("m-1"), "{name}");
    }
}

fn shape() -> ResponseSchema {
    let item = json!({
        "type": "object", "additionalProperties": false, "required": ["why", "id"],
        "properties": {"why": {"type": "string"}, "id": {"type": "integer"}}});
    ResponseSchema { name: "verdict", schema: item }
}

#[test]
fn structured_output_matches_the_api_documentation() {
    let shaped = |name: &str, parameters: &Parameters| -> Value {
        let wire = wire(name);
        let fields = Value::Object(wire.fields("m-1", parameters).unwrap()).to_string();
        let mut conversation = Conversation::new(Some(wire), None);
        let plain = conversation.digest();
        conversation.expect(shape());
        assert!(conversation.digest() != plain, "{name}");
        conversation.push_text(MessageRole::User, "well?");
        serde_json::from_str(&body(wire, &fields, &conversation, false)).unwrap()
    };
    let schema = shape().schema;
    let chat = shaped("chat", &Parameters::default());
    assert_eq!(
        chat["response_format"],
        json!({"type": "json_schema",
            "json_schema": {"name": "verdict", "strict": true, "schema": schema}})
    );
    let anthropic = shaped("anthropic", &Parameters::default());
    assert_eq!(anthropic["tools"], json!([{"name": "verdict", "input_schema": schema}]));
    assert_eq!(anthropic["tool_choice"], json!({"type": "tool", "name": "verdict"}));
    let google = shaped("google", &parameters());
    assert_eq!(
        google["generationConfig"],
        json!({
            "temperature": 0.5, "topP": 0.9, "maxOutputTokens": 64, "stopSequences": ["END"],
            "responseMimeType": "application/json",
            "responseSchema": {
                "type": "OBJECT", "required": ["why", "id"], "propertyOrdering": ["why", "id"],
                "properties": {"why": {"type": "STRING"}, "id": {"type": "INTEGER"}}},
        })
    );
    // The user's fields take precedence.
    let own = serde_json::from_str(r#"{"response_format": {"type": "json_object"}}"#).unwrap();
    let chat = shaped("chat", &Parameters { body: own, ..Parameters::default() });
    assert_eq!(chat["response_format"]["type"], "json_object");
}

#[test]
fn a_tool_call_is_the_response() {
    let body = json!({
        "content": [{"type": "tool_use", "name": "verdict", "input": {"id": 1}}],
        "stop_reason": "tool_use",
    });
    let reply = wire("anthropic").reply(&body).unwrap();
    assert_eq!((reply.passed.as_str(), reply.stop), (r#"{"id":1}"#, Some(StopReason::End)));
    assert!(reply.called_tools && reply.text.is_empty());
    let events = [
        json!({"type": "content_block_start",
            "content_block": {"type": "tool_use", "name": "verdict", "input": {}}}),
        json!({"type": "content_block_delta",
            "delta": {"type": "input_json_delta", "partial_json": "{\"id\""}}),
        json!({"type": "content_block_delta",
            "delta": {"type": "input_json_delta", "partial_json": ":1}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let mut partial = PartialReply::default();
    for event in events {
        wire("anthropic").event(&event, &mut partial).unwrap();
    }
    assert_eq!(partial.reply.passed, r#"{"id":1}"#);
    assert!(partial.reply.called_tools && partial.over);
}

/// Chat completions that count serialized messages.
struct Counting(std::sync::atomic::AtomicUsize);

impl Wire for Counting {
    fn message(&self, role: MessageRole, parts: &[ContentPart], into: &mut String) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        wire("chat").message(role, parts, into);
    }
    fn tool(&self, message: &ToolMessage<'_>, into: &mut String) {
        wire("chat").tool(message, into);
    }
    fn tools(&self, names: &[&str]) -> Map<String, Value> {
        wire("chat").tools(names)
    }
    fn fields(&self, model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String> {
        wire("chat").fields(model, parameters)
    }
    fn open_messages(&self, system: Option<&str>, empty: bool, into: &mut String) {
        wire("chat").open_messages(system, empty, into);
    }
    fn path(&self, model: &str, stream: bool) -> String {
        wire("chat").path(model, stream)
    }
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        wire("chat").headers(key)
    }
    fn shape(&self, shape: &ResponseSchema) -> Map<String, Value> {
        wire("chat").shape(shape)
    }
    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        wire("chat").reply(body)
    }
    fn event(&self, data: &Value, into: &mut PartialReply) -> Result<(), CallFailure> {
        wire("chat").event(data, into)
    }
}

#[test]
fn turns_write_only_their_messages() {
    static COUNTING: Counting = Counting(std::sync::atomic::AtomicUsize::new(0));
    let mut conversation = Conversation::new(Some(&COUNTING), None);
    let mut before = String::new();
    for turn in 1..=100 {
        conversation.push_text(MessageRole::User, &format!("Question {turn}."));
        let whole = body(&COUNTING, r#"{"model":"m"}"#, &conversation, false);
        let whole: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!(whole["messages"].as_array().unwrap().len(), 2 * turn - 1);
        conversation.push_text(MessageRole::Assistant, &format!("Answer {turn}."));
        assert!(conversation.messages().starts_with(&before));
        before = conversation.messages().to_owned();
    }
    assert_eq!(COUNTING.0.load(std::sync::atomic::Ordering::Relaxed), 200);
}
