//! Requests to the models that extract parts of responses.

use futures_util::future::join_all;

use ifs_draw::{PartCriterion, ScriptTurn};
use ifs_inference::provider::{self, CallFailure, StopReason};
use ifs_inference::{Caller, Client, ModelCall};
use ifs_judge::for_models;
use ifs_parts::parts::{
    ExtractedPart, Extraction, ExtractionPrompts, ExtractionRole, ExtractionStep, ExtractionTask,
};

/// The models and prompts for extraction.
pub struct Extractors {
    pub coder: Option<Caller>,
    pub extractor: Option<Caller>,
    /// Whether they extract parts with a reader too.
    pub all_parts: bool,
    pub prompts: ExtractionPrompts,
}

impl Extractors {
    fn plays(&self, role: ExtractionRole) -> Option<&Caller> {
        match role {
            ExtractionRole::Coder => self.coder.as_ref(),
            ExtractionRole::Extractor => self.extractor.as_ref(),
        }
    }

    /// The first prompt for each part of a response and its role, without sending it.
    pub fn first_prompts(&self, turn: &ScriptTurn, answer: &str) -> Vec<(ExtractionRole, String)> {
        let asked = for_models(turn, self.all_parts).filter_map(|part| {
            let about = description(part);
            let mut task = ExtractionTask::new(part.list, &about, answer);
            loop {
                match task.step(&self.prompts) {
                    ExtractionStep::Done(_) => return None,
                    ExtractionStep::Ask { role, prompt } if self.plays(role).is_some() => {
                        return Some((role, prompt));
                    }
                    ExtractionStep::Ask { role, .. } => task.unavailable(missing_role(role)),
                }
            }
        });
        asked.collect()
    }

    /// Extracts the parts of a turn. `at` is the prefix of the places of its
    /// requests.
    ///
    /// # Errors
    /// Returns the infrastructure error of a failed request.
    pub async fn extract(
        &self,
        client: &Client<'_>,
        turn: &ScriptTurn,
        answer: &str,
        at: &str,
    ) -> Result<Vec<ExtractedPart>, CallFailure> {
        let each = for_models(turn, self.all_parts).map(async |part| {
            let at = format!("{at}/{}", part.name);
            let extraction = self.extract_one(client, part, answer, &at).await?;
            Ok(ExtractedPart { part: part.name.clone(), extraction })
        });
        // Other requests are completed if one fails, since they are paid for.
        join_all(each).await.into_iter().collect()
    }

    async fn extract_one(
        &self,
        client: &Client<'_>,
        part: &PartCriterion,
        answer: &str,
        at: &str,
    ) -> Result<Extraction, CallFailure> {
        let about = description(part);
        let mut task = ExtractionTask::new(part.list, &about, answer);
        let mut asked = 0;
        loop {
            let (role, prompt) = match task.step(&self.prompts) {
                ExtractionStep::Done(extraction) => return Ok(extraction),
                ExtractionStep::Ask { role, prompt } => (role, prompt),
            };
            let Some(caller) = self.plays(role) else {
                task.unavailable(missing_role(role));
                continue;
            };
            let mut conversation = caller.model.conversation(None);
            conversation.push_text(provider::MessageRole::User, &prompt);
            let at = format!("{at}/{asked}");
            // The error message makes each repeated prompt different.
            let call =
                ModelCall { at: &at, conversation: &conversation, sample: 0, simulation: None };
            asked += 1;
            let reply = client.ask(caller, call).await?;
            match reply.stop {
                Some(StopReason::Length) => {
                    task.unusable("the reply was cut at the token limit".to_owned());
                }
                Some(StopReason::Filter) => {
                    task.unusable("the endpoint filtered the reply".to_owned());
                }
                Some(StopReason::ContextLength) => {
                    task.unusable("the response does not fit into the context window".to_owned());
                }
                Some(StopReason::End | StopReason::Missing | StopReason::Other(_)) | None => {
                    task.reply(&reply.text);
                }
            }
        }
    }
}

/// What a model is asked to extract: the author's description, or what the reader looks for.
fn description(part: &PartCriterion) -> String {
    match (&part.about, &part.reader) {
        (Some(about), _) => about.clone(),
        (None, Some(_)) => part.witness_part().reader.description(),
        (None, None) => part.name.clone(),
    }
}

fn missing_role(role: ExtractionRole) -> &'static str {
    match role {
        ExtractionRole::Coder => "no coder was named",
        ExtractionRole::Extractor => "no extractor was named",
    }
}
