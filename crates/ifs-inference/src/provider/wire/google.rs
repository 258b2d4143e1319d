//! Google's generateContent.

use serde_json::{Map, Value, json};

use super::{PartialReply, Wire, is_wordless, merge, number, quote, stop_reason};
use crate::provider::{
    CallFailure, ContentPart, MessageImage, MessageRole, Parameters, Reply, ResponseSchema,
    StopReason, ToolMessage, Usage,
};

pub struct Google;

impl Wire for Google {
    fn message(&self, role: MessageRole, parts: &[ContentPart], into: &mut String) {
        if role == MessageRole::Assistant && is_wordless(parts) {
            return;
        }
        into.push_str(match role {
            MessageRole::User => r#"{"role":"user","parts":"#,
            MessageRole::Assistant => r#"{"role":"model","parts":"#,
        });
        if let [ContentPart::Text(text)] = parts {
            into.push_str(r#"[{"text":"#);
            quote(text, into);
            into.push_str("}]");
        } else {
            let parts: Vec<Value> = parts.iter().map(part).collect();
            into.push_str(&Value::Array(parts).to_string());
        }
        into.push('}');
    }

    fn tool(&self, message: &ToolMessage<'_>, into: &mut String) {
        let call = json!({
            "functionCall": { "name": message.name, "args": {} },
            // Newer models refuse calls that they did not make themselves without it.
            "thoughtSignature": "skip_thought_signature_validator",
        });
        let result = json!({
            "functionResponse": {
                "name": message.name, "response": { "result": message.text },
            },
        });
        let call = json!({ "role": "model", "parts": [call] });
        let result = json!({ "role": "user", "parts": [result] });
        into.push_str(&format!("{call},{result}"));
    }

    fn tools(&self, names: &[&str]) -> Map<String, Value> {
        let tool = |name: &&str| json!({ "name": name, "description": name });
        let tools = names.iter().map(tool).collect::<Vec<Value>>();
        Map::from_iter([
            ("tools".to_owned(), json!([{ "functionDeclarations": tools }])),
            ("toolConfig".to_owned(), json!({ "functionCallingConfig": { "mode": "NONE" } })),
        ])
    }

    fn fields(&self, _model: &str, parameters: &Parameters) -> Result<Map<String, Value>, String> {
        let mut config = Map::new();
        number(&mut config, "temperature", parameters.temperature);
        number(&mut config, "topP", parameters.top_p);
        number(&mut config, "maxOutputTokens", parameters.max_tokens);
        number(&mut config, "seed", parameters.seed);
        if !parameters.stop.is_empty() {
            config.insert("stopSequences".to_owned(), parameters.stop.clone().into());
        }
        let mut map = Map::new();
        map.insert("generationConfig".to_owned(), config.into());
        merge(&mut map, &parameters.body);
        Ok(map)
    }

    fn shape(&self, shape: &ResponseSchema) -> Map<String, Value> {
        let config = json!({
            "responseMimeType": "application/json",
            "responseSchema": schema(&shape.schema),
        });
        Map::from_iter([("generationConfig".to_owned(), config)])
    }

    fn open_messages(&self, system: Option<&str>, _empty: bool, into: &mut String) {
        if let Some(system) = system {
            into.push_str(r#""systemInstruction":{"parts":[{"text":"#);
            quote(system, into);
            into.push_str("}]},");
        }
        into.push_str(r#""contents":["#);
    }

    fn path(&self, model: &str, stream: bool) -> String {
        if stream {
            format!("/v1beta/models/{model}:streamGenerateContent?alt=sse")
        } else {
            format!("/v1beta/models/{model}:generateContent")
        }
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect()
    }

    fn reply(&self, body: &Value) -> Result<Reply, CallFailure> {
        let mut partial = PartialReply::default();
        self.event(body, &mut partial)?;
        let blocked = body.pointer("/promptFeedback/blockReason");
        if candidate(body)?.is_none() && blocked.is_none() {
            return Err(CallFailure::garbled("the response has no `candidates`"));
        }
        Ok(partial.reply)
    }

    fn event(&self, data: &Value, into: &mut PartialReply) -> Result<(), CallFailure> {
        let reply = &mut into.reply;
        let candidate = candidate(data)?;
        let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts"));
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
            reply.called_tools |= part.get("functionCall").is_some();
            match part.get("thought").and_then(Value::as_bool) {
                Some(true) => reply.reasoning.push_str(text),
                _ => reply.text.push_str(text),
            }
        }
        let reason = candidate.and_then(|candidate| candidate.get("finishReason"));
        if let Some(reason) = stop_reason(reason)? {
            reply.stop = Some(reason);
            into.done = true;
        }
        if data.pointer("/promptFeedback/blockReason").is_some() {
            reply.stop = Some(StopReason::Filter);
            into.done = true;
        }
        if let Some(usage) = data.get("usageMetadata") {
            let at = |name: &str| Usage::number(usage.get(name));
            let reasoning = at("thoughtsTokenCount");
            // Reasoning tokens are counted separately from the other tokens of a response.
            reply.usage = Usage {
                input: at("promptTokenCount"),
                output: at("candidatesTokenCount").map(|count| count + reasoning.unwrap_or(0)),
                reasoning,
                cached: at("cachedContentTokenCount"),
                ..Usage::default()
            };
        }
        if let Some(served) = data.get("modelVersion").and_then(Value::as_str) {
            reply.served = Some(served.to_owned());
        }
        Ok(())
    }
}

/// The first candidate of a response, or of an event; some events have none.
fn candidate(body: &Value) -> Result<Option<&Value>, CallFailure> {
    match body.get("candidates") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(candidates)) => Ok(candidates.first()),
        Some(_) => Err(CallFailure::garbled("the `candidates` of the response are not a list")),
    }
}

fn part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({ "text": text }),
        ContentPart::Image(MessageImage::Address(url)) => json!({ "fileData": { "fileUri": url } }),
        ContentPart::Image(MessageImage::Data { media_type, base64 }) => {
            json!({ "inlineData": { "mimeType": media_type, "data": base64 } })
        }
    }
}

/// Converts a JSON Schema to the API's dialect: types in capitals, an explicit order of fields, and
/// no `additionalProperties`.
fn schema(from: &Value) -> Value {
    let Value::Object(fields) = from else { return from.clone() };
    let mut map = Map::new();
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("additionalProperties", _) => {}
            ("type", Value::String(name)) => {
                map.insert("type".to_owned(), name.to_uppercase().into());
            }
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter().map(|(name, value)| (name.clone(), schema(value)));
                map.insert(name.clone(), Value::Object(fields.collect()));
            }
            ("required", order) => {
                map.insert("required".to_owned(), order.clone());
                map.insert("propertyOrdering".to_owned(), order.clone());
            }
            (_, value) => {
                map.insert(name.clone(), schema(value));
            }
        }
    }
    Value::Object(map)
}
