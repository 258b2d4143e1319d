//! Models that write user messages.

use super::{MessageRequirements, SynthesisError, SynthesisPrompts};
use ifs_inference::provider::{CallFailure, Conversation, MessageRole, StopReason};
use ifs_inference::{Caller, Client, ModelCall};
use ifs_value::stable_hash::StreamKey;

/// A model that writes user messages, and its weight among others.
pub struct Synthesizer {
    pub name: String,
    pub weight: u32,
    pub voice: Voice,
}

pub enum Voice {
    /// `sim/plain`: the message from templates. `sim/careless:P`: omits the last demand with this
    /// probability in each attempt.
    Simulated {
        careless: f64,
    },
    Model(Box<Caller>),
}

/// `openai/gpt-4.1=2`: a model and its weight, which defaults to 1.
pub fn split_weight(text: &str) -> Result<(&str, u32), String> {
    let Some((model, weight)) = text.rsplit_once('=') else { return Ok((text, 1)) };
    match weight.parse() {
        Ok(weight @ 1..=1_000_000) => Ok((model, weight)),
        _ => Err(format!("`{weight}` is not a weight; write `MODEL=N` with N from 1 to 1000000")),
    }
}

impl Voice {
    /// The simulated synthesizer with this name, if it is one.
    pub fn simulated(name: &str) -> Option<Voice> {
        let inner = name.strip_prefix("sim/")?;
        let careless = match inner.split_once(':') {
            None if inner == "plain" => 0.0,
            None if inner == "careless" => 0.2,
            Some(("careless", share)) => {
                share.parse().ok().filter(|share| (0.0..=1.0).contains(share))?
            }
            _ => return None,
        };
        Some(Voice::Simulated { careless })
    }
}

/// A message that is being written, with the errors of earlier attempts.
pub(super) struct MessageDraft<'a> {
    synthesizer: &'a Synthesizer,
    intention: &'a MessageRequirements,
    /// The place of the turn in the run: `talk/3/7`.
    place: &'a str,
    conversation: Option<Conversation>,
}

impl<'a> MessageDraft<'a> {
    pub fn new(
        synthesizer: &'a Synthesizer,
        prompts: &SynthesisPrompts,
        intention: &'a MessageRequirements,
        place: &'a str,
    ) -> Result<MessageDraft<'a>, SynthesisError> {
        let conversation = match &synthesizer.voice {
            Voice::Simulated { .. } => None,
            Voice::Model(caller) => {
                let system = caller.model.system();
                let mut conversation = caller.model.conversation(system);
                conversation.push_text(
                    MessageRole::User,
                    &prompts.render("write.j2", intention.fields(None))?,
                );
                Some(conversation)
            }
        };
        Ok(MessageDraft { synthesizer, intention, place, conversation })
    }

    /// Requests the next attempt, with the error of the last one. The second value is an error in
    /// the message itself.
    pub async fn write(
        &mut self,
        client: &Client<'_>,
        attempt: u32,
    ) -> Result<(String, Option<String>), CallFailure> {
        let (caller, conversation) = match (&self.synthesizer.voice, &mut self.conversation) {
            (Voice::Model(caller), Some(conversation)) => (caller, conversation),
            (Voice::Simulated { careless }, _) => {
                let key = StreamKey::new(self.place).and(&self.synthesizer.name);
                let drawn = key.and_number(u64::from(attempt)).number() >> 11;
                let slips = (drawn as f64 / (1u64 << 53) as f64) < *careless;
                let slips = slips && !self.intention.demands.is_empty();
                let said = if slips { &self.intention.careless } else { &self.intention.plain };
                return Ok((said.clone(), None));
            }
            (Voice::Model(_), None) => return Err(CallFailure::permanent("nothing was asked")),
        };
        let at = format!("{}/words/{attempt}", self.place);
        let call = ModelCall { at: &at, conversation, sample: 0, simulation: None };
        let reply = client.ask(caller, call).await?;
        let words = message(&reply.text);
        conversation.push_text(MessageRole::Assistant, &reply.text);
        let fault = match reply.stop {
            Some(StopReason::Length) => Some("it was cut off before its end".to_owned()),
            Some(StopReason::Filter) => Some("the endpoint filtered it".to_owned()),
            Some(StopReason::ContextLength) => {
                Some("the request does not fit into the context window".to_owned())
            }
            Some(StopReason::End | StopReason::Missing | StopReason::Other(_)) | None => None,
        };
        Ok((words, fault))
    }

    pub fn reject(&mut self, why: &str) {
        if let Some(conversation) = &mut self.conversation {
            let said = format!(
                "This cannot be sent: {why}. Write the complete message again so that it says \
                 everything it has to and nothing else. The message alone."
            );
            conversation.push_text(MessageRole::User, &said);
        }
    }
}

/// A message without the text that some models add around it.
fn message(text: &str) -> String {
    let mut text = text.trim();
    if let Some(inner) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) {
        // The first line of a code fence may name a language.
        text = inner.split_once('\n').map_or(inner, |(_, inner)| inner).trim();
    }
    for (open, close) in [("<message>", "</message>"), ("\"", "\""), ("“", "”")] {
        let inner = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| {
            !inner.contains([open, close].map(|mark| mark.chars().next().unwrap_or('"')))
        }) {
            text = inner.trim();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_around_a_message_is_removed() {
        for (given, wanted) in [
            (" Hello. ", "Hello."),
            ("\"Hello.\"", "Hello."),
            ("“Hello.”", "Hello."),
            ("\"One\" or \"two\"", "\"One\" or \"two\""),
            ("```text\nHello.\n```", "Hello."),
            ("<message>\nHello.\n</message>", "Hello."),
        ] {
            assert_eq!(message(given), wanted);
        }
    }

    #[test]
    fn weights() {
        assert_eq!(split_weight("openai/gpt-4.1"), Ok(("openai/gpt-4.1", 1)));
        assert_eq!(split_weight("ollama/llama3:8b=3"), Ok(("ollama/llama3:8b", 3)));
        for wrong in ["a/b=", "a/b=0", "a/b=x", "a/b=-1"] {
            assert!(split_weight(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn simulated_ones() {
        let careless = |name| match Voice::simulated(name) {
            Some(Voice::Simulated { careless }) => Some(careless),
            _ => None,
        };
        assert_eq!(careless("sim/plain"), Some(0.0));
        assert_eq!(careless("sim/careless:0.5"), Some(0.5));
        for wrong in ["sim/oracle", "sim/careless:2", "sim/careless:x", "openai/plain"] {
            assert_eq!(careless(wrong), None, "{wrong}");
        }
    }
}
