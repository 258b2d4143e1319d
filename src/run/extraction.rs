//! The calls to those who cut parts out of answers.

use futures_util::future::join_all;

use crate::inference::{Call, Caller, Client};
use crate::judge::for_models;
use crate::parts::{ExtractedPart, Extraction, ExtractionTask, Prompts, Role, Step};
use crate::provider::{self, CallFailure, StopReason};
use crate::script::{Part, ScriptTurn};

/// Who is asked, and in which words.
pub struct Extractors {
    pub coder: Option<Caller>,
    pub extractor: Option<Caller>,
    pub prompts: Prompts,
}

impl Extractors {
    fn plays(&self, role: Role) -> Option<&Caller> {
        match role {
            Role::Coder => self.coder.as_ref(),
            Role::Extractor => self.extractor.as_ref(),
        }
    }

    /// The first question about each part of an answer, and whom it goes to, without asking.
    pub fn first(&self, turn: &ScriptTurn, answer: &str) -> Vec<(Role, String)> {
        let asked = for_models(turn).filter_map(|part| {
            let mut task = task(part, answer);
            loop {
                match task.step(&self.prompts) {
                    Step::Done(_) => return None,
                    Step::Ask { role, prompt } if self.plays(role).is_some() => {
                        return Some((role, prompt));
                    }
                    Step::Ask { role, .. } => task.nobody(absent(role)),
                }
            }
        });
        asked.collect()
    }

    /// Cuts out all parts that have no reader. `at` is the place that those of the calls begin
    /// with.
    ///
    /// # Errors
    /// A call that failed: an infrastructure error, and not the response's.
    pub async fn cut(
        &self,
        client: &Client<'_>,
        turn: &ScriptTurn,
        answer: &str,
        at: &str,
    ) -> Result<Vec<ExtractedPart>, CallFailure> {
        let each = for_models(turn).map(async |part| {
            let at = format!("{at}/{}", part.name);
            let extraction = self.cut_one(client, part, answer, &at).await?;
            Ok(ExtractedPart { part: part.name.clone(), extraction })
        });
        // None of them is given up since another failed: what is asked is paid for.
        join_all(each).await.into_iter().collect()
    }

    async fn cut_one(
        &self,
        client: &Client<'_>,
        part: &Part,
        answer: &str,
        at: &str,
    ) -> Result<Extraction, CallFailure> {
        let mut task = task(part, answer);
        let mut asked = 0;
        loop {
            let (role, prompt) = match task.step(&self.prompts) {
                Step::Done(extraction) => return Ok(extraction),
                Step::Ask { role, prompt } => (role, prompt),
            };
            let Some(caller) = self.plays(role) else {
                task.nobody(absent(role));
                continue;
            };
            let mut conversation = caller.model.conversation(None);
            conversation.say(provider::Role::User, &prompt);
            let at = format!("{at}/{asked}");
            // Told what was wrong, it is asked in other words each time.
            let call = Call { at: &at, conversation: &conversation, sample: 0, brief: None };
            asked += 1;
            let reply = client.ask(caller, call).await?;
            match reply.stop {
                Some(StopReason::Length) => {
                    task.unusable("the reply was cut at the most tokens".to_owned());
                }
                Some(StopReason::Filter) => {
                    task.unusable("the endpoint held the reply back".to_owned());
                }
                Some(StopReason::End | StopReason::Other(_)) | None => task.reply(&reply.text),
            }
        }
    }
}

fn task<'a>(part: &'a Part, answer: &'a str) -> ExtractionTask<'a> {
    ExtractionTask::new(part.list, part.about.as_deref().unwrap_or(&part.name), answer)
}

fn absent(role: Role) -> &'static str {
    match role {
        Role::Coder => "no coder was named",
        Role::Extractor => "no extractor was named",
    }
}
