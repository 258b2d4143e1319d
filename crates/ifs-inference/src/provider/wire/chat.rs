//! OpenAI's chat completions, and compatible APIs.

use serde_json::{Map, Value, json};

use super::{PartialReply, Wire, merge, message, number, quote, stop_reason};
#[cfg(feature = "http")]
use crate::provider::BatchForm;
use crate::provider::{
    CallFailure, ContentPart, MessageImage, MessageRole, Parameters, Reply, ResponseSchema,
    ToolMessage, Usage,
};

pub struct ChatCompletions {
    /// The API's name for the token limit.
    pub max_tokens: &'static str,
}

impl Wire for ChatCompletions {
    fn message(&self, role: MessageRole, parts: &[ContentPart], into: &mut String) {
        message(role, parts, part, into);
    }

    fn tool(&self, message: &ToolMessage<'_>, into: &mut String) {
        let call = json!({
            "id": message.id(), "type": "function",
            "function": { "name": message.name, "arguments": "{}" },
        });
        let call = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
        let result =
            json!({ "role": "tool", "tool_call_id": message.id(), "content": message.text });
        into.push_str(&format!("{call},{result}"));
    }

    fn tools(&self, names: &[&str]) -> Map<String, Value> {
        let none = json!({ "type": "object", "properties": {} });
        let tool = |name: &&str| json!({ "type": "function", "function": { "name": name, "parameters": none } });
        let tools = names.iter().map(tool).collect::<Vec<Value>>();
        Map::from_iter([
            ("tools".to_owned(), tools.into()),
            ("tool_choice".to_owned(), "none".into()),
        ])
    }

    fn fields(&self, model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String> {
        let mut map = Map::new();
        map.insert("model".to_owned(), model.into());
        number(&mut map, "temperature", parameters.temperature);
        number(&mut map, "top_p", parameters.top_p);
        number(&mut map, self.max_tokens, parameters.max_tokens);
        number(&mut map, "seed", parameters.seed);
        if !parameters.stop.is_empty() {
            map.insert("stop".to_owned(), parameters.stop.clone().into());
        }
        if parameters.stream {
            map.insert("stream".to_owned(), true.into());
            map.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
        merge(&mut map, &parameters.body);
        Ok(map)
    }

    fn shape(&self, shape: &ResponseSchema) -> Map<String, Value> {
        let format = json!({
            "type": "json_schema",
            "json_schema": { "name": shape.name, "strict": true, "schema": shape.schema },
        });
        Map::from_iter([("response_format".to_owned(), format)])
    }

    fn open_messages(&self, system: Option<&str>, empty: bool, into: &mut String) {
        into.push_str(r#""messages":["#);
        if let Some(system) = system {
            into.push_str(r#"{"role":"system","content":"#);
            quote(system, into);
            into.push('}');
            if !empty {
                into.push(',');
            }
        }
    }

    fn path(&self, _model: &str, _stream: bool) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    #[cfg(feature = "http")]
    fn batch(&self) -> Option<BatchForm> {
        Some(BatchForm::OpenAi)
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let choice = choices(body)?
            .first()
            .ok_or_else(|| CallFailure::garbled("the response has no `choices`"))?;
        let message = choice
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| CallFailure::garbled("the response has no `message`"))?;
        let mut reply = Reply::default();
        add(message, &mut reply)?;
        reply.stop = stop_reason(choice.get("finish_reason"))?;
        reply.usage = usage(body.get("usage"));
        reply.served = served(body);
        Ok(reply)
    }

    fn event(&self, data: &Value, into: &mut PartialReply) -> Result<(), CallFailure> {
        if let Some(found) = served(data) {
            into.reply.served = Some(found);
        }
        let found = usage(data.get("usage"));
        if !found.is_unknown() {
            into.reply.usage = found;
        }
        // Only the first of several choices is used; they may arrive in any order.
        let first = |choice: &&Value| choice.get("index").is_none_or(|it| it.as_u64() == Some(0));
        let Some(choice) = choices(data)?.iter().find(first) else { return Ok(()) };
        if let Some(delta) = choice.get("delta") {
            add(delta, &mut into.reply)?;
        }
        if let Some(reason) = stop_reason(choice.get("finish_reason"))? {
            into.reply.stop = Some(reason);
            into.done = true;
        }
        Ok(())
    }
}

/// The choices of a response, or of an event; some events have none.
fn choices(body: &Value) -> Result<&[Value], CallFailure> {
    match body.get("choices") {
        None | Some(Value::Null) => Ok(&[]),
        Some(Value::Array(choices)) => Ok(choices),
        Some(_) => Err(CallFailure::garbled("the `choices` of the response are not a list")),
    }
}

fn part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({ "type": "text", "text": text }),
        ContentPart::Image(MessageImage::Address(url)) => {
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        ContentPart::Image(MessageImage::Data { media_type, base64 }) => {
            let url = format!("data:{media_type};base64,{base64}");
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
    }
}

/// Appends the texts of a message, or of a part of one.
fn add(message: &Value, reply: &mut Reply) -> Result<(), CallFailure> {
    match message.get("content") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => reply.text.push_str(text),
        Some(Value::Array(parts)) => {
            for part in parts {
                let text = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default();
                reply.text.push_str(text("text"));
                reply.text.push_str(text("refusal"));
                match part.get("thinking") {
                    Some(Value::String(thought)) => reply.reasoning.push_str(thought),
                    Some(Value::Array(thoughts)) => thoughts
                        .iter()
                        .filter_map(|thought| thought.get("text")?.as_str())
                        .for_each(|thought| reply.reasoning.push_str(thought)),
                    _ => {}
                }
            }
        }
        Some(_) => return Err(CallFailure::garbled("the `content` of the response is not a text")),
    }
    // A refusal takes the place of a response.
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        reply.text.push_str(refusal);
    }
    let thoughts = ["reasoning_content", "reasoning"]
        .into_iter()
        .find_map(|name| message.get(name)?.as_str().filter(|text| !text.is_empty()));
    reply.reasoning.push_str(thoughts.unwrap_or_default());
    let calls = message.get("tool_calls").and_then(Value::as_array);
    reply.called_tools |= calls.is_some_and(|calls| !calls.is_empty())
        || message.get("function_call").is_some_and(Value::is_object);
    Ok(())
}

fn usage(value: Option<&Value>) -> Usage {
    let at = |path: &str| Usage::number(value.and_then(|usage| usage.pointer(path)));
    Usage {
        input: at("/prompt_tokens"),
        output: at("/completion_tokens"),
        reasoning: at("/completion_tokens_details/reasoning_tokens"),
        cached: at("/prompt_tokens_details/cached_tokens"),
        // OpenAI, OpenRouter and gateways before Anthropic's API have different names for it.
        written: at("/prompt_tokens_details/cache_write_tokens")
            .or_else(|| at("/prompt_tokens_details/cache_creation_tokens"))
            .or_else(|| at("/cache_creation_input_tokens")),
        written_hour: None,
    }
}

fn served(body: &Value) -> Option<String> {
    Some(body.get("model")?.as_str()?.to_owned())
}
