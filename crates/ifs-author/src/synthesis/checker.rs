//! Checks that a message says what it should: by rule, then by a model.

use serde::Deserialize;

use super::{MessageRequirements, SynthesisError, SynthesisPrompts};
use ifs_inference::provider::{CallFailure, MessageRole};
use ifs_inference::{Caller, Client, ModelCall};

/// The model that checks messages after the rules.
pub enum MessageChecker {
    /// `rules`: no model.
    Rules,
    /// `sim/literal`: looks for the sentences of the instructions, which only simulated
    /// synthesizers use.
    Literal,
    Model(Box<Caller>),
}

/// Why a check failed to run.
pub(super) enum Unchecked {
    Call(CallFailure),
    Prompt(SynthesisError),
}

impl MessageChecker {
    pub fn name(&self) -> &str {
        match self {
            MessageChecker::Rules => "rules",
            MessageChecker::Literal => "sim/literal",
            MessageChecker::Model(caller) => caller.model.name(),
        }
    }

    pub fn is_simulated(&self) -> bool {
        matches!(self, MessageChecker::Literal)
    }

    /// The problem with a message that passed the rules.
    pub(super) async fn violation(
        &self,
        client: &Client<'_>,
        prompts: &SynthesisPrompts,
        intention: &MessageRequirements,
        words: &str,
        place: &str,
    ) -> Result<Option<String>, Unchecked> {
        let caller = match self {
            MessageChecker::Rules => return Ok(None),
            MessageChecker::Literal => return Ok(literal(intention, words)),
            MessageChecker::Model(caller) => caller,
        };
        let asking = CheckRequests { client, caller, place };
        let fill = |name| prompts.render(name, intention.fields(Some(words)));
        if intention.moves() {
            let question = fill("check_topic.j2").map_err(Unchecked::Prompt)?;
            let found: Option<OnTopic> = asking.ask("topic", &question).await?;
            match found {
                Some(OnTopic { on_topic: true, .. }) => {}
                Some(OnTopic { why, .. }) => return Ok(Some(format!("its topic: {why}"))),
                None => return Ok(Some(UNREADABLE_REPLY.to_owned())),
            }
        }
        let question = fill("check_message.j2").map_err(Unchecked::Prompt)?;
        let found: Option<Demands> = asking.ask("demands", &question).await?;
        Ok(match found {
            Some(demands) => demands.violation(),
            None => Some(UNREADABLE_REPLY.to_owned()),
        })
    }
}

const UNREADABLE_REPLY: &str = "the checker's answer could not be read";

/// The checker's reply about the topic.
#[derive(Deserialize)]
struct OnTopic {
    on_topic: bool,
    #[serde(default)]
    why: String,
}

/// The checker's reply about the instructions.
#[derive(Deserialize)]
struct Demands {
    left_out: Vec<String>,
    added: Vec<String>,
}

impl Demands {
    fn violation(self) -> Option<String> {
        let part = |what: &str, list: Vec<String>| {
            (!list.is_empty()).then(|| format!("it {what}: {}", list.join("; ")))
        };
        let parts = [part("leaves out", self.left_out), part("adds", self.added)];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(". "))
    }
}

struct CheckRequests<'a> {
    client: &'a Client<'a>,
    caller: &'a Caller,
    place: &'a str,
}

impl CheckRequests<'_> {
    /// Requests an answer to a question; repeated until it can be parsed.
    async fn ask<T: for<'de> Deserialize<'de>>(
        &self,
        what: &str,
        question: &str,
    ) -> Result<Option<T>, Unchecked> {
        let mut conversation = self.caller.model.conversation(self.caller.model.system());
        conversation.push_text(MessageRole::User, question);
        for sample in 0..2 {
            let at = format!("{}/{what}/{sample}", self.place);
            let call = ModelCall { at: &at, conversation: &conversation, sample, simulation: None };
            let reply = self.client.ask(self.caller, call).await.map_err(Unchecked::Call)?;
            if let Some(found) = object(&reply.text) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

/// The only JSON object of a response, possibly with text around it.
fn object<T: for<'de> Deserialize<'de>>(text: &str) -> Option<T> {
    let (from, to) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(from..=to)?).ok()
}

fn literal(intention: &MessageRequirements, words: &str) -> Option<String> {
    // A template may begin a sentence within another one.
    let words = words.to_lowercase();
    let missing = intention.demands.iter().find(|ask| !words.contains(&ask.to_lowercase()));
    missing.map(|ask| format!("it leaves out: {ask}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_parsed_strictly() {
        let demands = |text| object::<Demands>(text).map(Demands::violation);
        assert_eq!(demands(r#"{"left_out": [], "added": []}"#), Some(None));
        let fenced =
            "Here it is:\n```json\n{\"left_out\": [\"a\", \"b\"], \"added\": [\"c\"]}\n```";
        assert_eq!(demands(fenced), Some(Some("it leaves out: a; b. it adds: c".to_owned())));
        for violation in
            ["", "success", "{}", r#"{"left_out": []}"#, r#"{"left_out": 1, "added": []}"#, "}{"]
        {
            assert_eq!(demands(violation), None, "{violation}");
        }
        assert!(object::<OnTopic>(r#"{"on_topic": "yes"}"#).is_none());
        assert!(object::<OnTopic>(r#"{"on_topic": false, "why": "bread"}"#).is_some());
    }
}
