//! Anthropic's Messages API.

use serde_json::{Map, Value, json};

use super::{PartialReply, Wire, is_wordless, merge, message, number, quote, stop_reason};
#[cfg(feature = "http")]
use crate::provider::BatchForm;
use crate::provider::{
    CallFailure, ContentPart, MessageImage, MessageRole, Parameters, Reply, ResponseSchema,
    ToolMessage, Usage,
};

pub struct Anthropic;

/// The API version.
const VERSION: &str = "2023-06-01";

/// The API requires a number; all of its models allow this one.
const MAX_TOKENS: u64 = 4096;

impl Wire for Anthropic {
    fn message(&self, role: MessageRole, parts: &[ContentPart], into: &mut String) {
        if role == MessageRole::User || !is_wordless(parts) {
            message(role, parts, part, into);
        }
    }

    fn tool(&self, message: &ToolMessage<'_>, into: &mut String) {
        let call = json!({
            "type": "tool_use", "id": message.id(), "name": message.name, "input": {},
        });
        let result = json!({
            "type": "tool_result", "tool_use_id": message.id(), "content": message.text,
        });
        let call = json!({ "role": "assistant", "content": [call] });
        let result = json!({ "role": "user", "content": [result] });
        into.push_str(&format!("{call},{result}"));
    }

    /// The API refuses messages of tools that are not declared.
    fn tools(&self, names: &[&str]) -> Map<String, Value> {
        let none = json!({ "type": "object", "properties": {} });
        let tool = |name: &&str| json!({ "name": name, "input_schema": none });
        let tools = names.iter().map(tool).collect::<Vec<Value>>();
        Map::from_iter([
            ("tools".to_owned(), tools.into()),
            ("tool_choice".to_owned(), json!({ "type": "none" })),
        ])
    }

    fn fields(&self, model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String> {
        if parameters.seed.is_some() {
            return Err("Anthropic's messages have no seed; leave `--model-seed` out".to_owned());
        }
        let mut map = Map::new();
        map.insert("model".to_owned(), model.into());
        number(&mut map, "max_tokens", Some(parameters.max_tokens.unwrap_or(MAX_TOKENS)));
        number(&mut map, "temperature", parameters.temperature);
        number(&mut map, "top_p", parameters.top_p);
        if !parameters.stop.is_empty() {
            map.insert("stop_sequences".to_owned(), parameters.stop.clone().into());
        }
        if parameters.stream {
            map.insert("stream".to_owned(), true.into());
        }
        merge(&mut map, &parameters.body);
        Ok(map)
    }

    /// A tool that the model must use, which every version of the API supports.
    fn shape(&self, shape: &ResponseSchema) -> Map<String, Value> {
        let tool = json!({ "name": shape.name, "input_schema": shape.schema });
        let choice = json!({ "type": "tool", "name": shape.name });
        Map::from_iter([("tools".to_owned(), json!([tool])), ("tool_choice".to_owned(), choice)])
    }

    fn open_messages(&self, system: Option<&str>, _empty: bool, into: &mut String) {
        if let Some(system) = system {
            into.push_str(r#""system":"#);
            quote(system, into);
            into.push(',');
        }
        into.push_str(r#""messages":["#);
    }

    fn path(&self, _model: &str, _stream: bool) -> String {
        "/v1/messages".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let key = key.map(|key| ("x-api-key", key.to_owned()));
        key.into_iter().chain([("anthropic-version", VERSION.to_owned())]).collect()
    }

    #[cfg(feature = "http")]
    fn batch(&self) -> Option<BatchForm> {
        Some(BatchForm::Anthropic)
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let blocks = body
            .get("content")
            .and_then(Value::as_array)
            .ok_or_else(|| CallFailure::garbled("the response has no `content`"))?;
        let mut reply = Reply::default();
        for block in blocks {
            add(block, &mut reply);
            if reply.called_tools && block.get("type").and_then(Value::as_str) == Some("tool_use") {
                reply.passed.push_str(&block["input"].to_string());
            }
        }
        reply.stop = stop_reason(body.get("stop_reason"))?;
        count(body.get("usage"), &mut reply.usage);
        reply.served = body.get("model").and_then(Value::as_str).map(str::to_owned);
        Ok(reply)
    }

    fn event(&self, data: &Value, into: &mut PartialReply) -> Result<(), CallFailure> {
        match data.get("type").and_then(Value::as_str) {
            Some("message_start") => {
                let message = &data["message"];
                count(message.get("usage"), &mut into.reply.usage);
                into.reply.served = message.get("model").and_then(Value::as_str).map(str::to_owned);
            }
            Some("content_block_start") => add(&data["content_block"], &mut into.reply),
            Some("content_block_delta") => add(&data["delta"], &mut into.reply),
            Some("message_delta") => {
                if let Some(reason) = stop_reason(data.pointer("/delta/stop_reason"))? {
                    into.reply.stop = Some(reason);
                }
                count(data.get("usage"), &mut into.reply.usage);
            }
            Some("message_stop") => (into.done, into.over) = (true, true),
            _ => {}
        }
        Ok(())
    }
}

fn part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({ "type": "text", "text": text }),
        ContentPart::Image(MessageImage::Address(url)) => {
            json!({ "type": "image", "source": { "type": "url", "url": url } })
        }
        ContentPart::Image(MessageImage::Data { media_type, base64 }) => json!({
            "type": "image",
            "source": { "type": "base64", "media_type": media_type, "data": base64 },
        }),
    }
}

/// Appends a block, or a part of one.
fn add(block: &Value, reply: &mut Reply) {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => reply.called_tools = true,
        // It is encrypted; only its presence is recorded.
        "redacted_thinking" => reply.reasoning.push_str("[redacted]"),
        _ => {}
    }
    reply.text.push_str(text("text"));
    reply.passed.push_str(text("partial_json"));
    reply.reasoning.push_str(text("thinking"));
}

/// The API counts cached tokens separately.
fn count(value: Option<&Value>, usage: &mut Usage) {
    let at = |name: &str| Usage::number(value.and_then(|usage| usage.get(name)));
    if let Some(input) = at("input_tokens") {
        let cached = at("cache_read_input_tokens");
        let written = at("cache_creation_input_tokens");
        usage.input = Some(input + cached.unwrap_or(0) + written.unwrap_or(0));
        (usage.cached, usage.written) = (cached, written);
        let lasting =
            value.and_then(|usage| usage.pointer("/cache_creation/ephemeral_1h_input_tokens"));
        usage.written_hour = Usage::number(lasting).filter(|tokens| *tokens > 0);
    }
    usage.output = at("output_tokens").or(usage.output);
}
