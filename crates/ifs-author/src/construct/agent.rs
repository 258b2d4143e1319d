//! The agent that takes a brief through the stages.

use super::set::SetDialogue;
use super::stage::{read_check, take_dialogue, take_plan, take_questions};
use super::{ConstructionPrompts, DialogueBrief, MistakeRate, Stage};
use crate::release::{ReleaseQuestion, ReleasedDialogue};
use ifs_draw::DrawError;
use ifs_inference::provider::{CallFailure, MessageRole as Speaker};
use ifs_inference::{Caller, Client, ModelCall};
use ifs_parts::template::TemplateFault;
use ifs_run::curated_set::ReviewState;

/// The model for a stage.
pub enum ConstructionRole {
    Simulated(MistakeRate),
    Model(Box<Caller>),
}

/// The settings of all dialogues.
pub struct ConstructionAgent {
    pub prompts: ConstructionPrompts,
    pub planner: ConstructionRole,
    pub writer: ConstructionRole,
    pub extractor: ConstructionRole,
    /// Checks plans after the rules; `None` for rules only.
    pub checker: Option<Box<Caller>>,
    /// The most tries for a stage.
    pub tries: u32,
}

pub type ConstructionResult = Result<SetDialogue, ConstructionFailure>;

/// Why a dialogue was not written.
#[derive(Debug, thiserror::Error)]
pub enum ConstructionFailure {
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error("a prompt cannot be filled in: line {line}: {message}", line = .0.line, message = .0.message)]
    Prompt(#[from] TemplateFault),
    #[error(transparent)]
    Call(#[from] CallFailure),
}

/// A stage of one dialogue.
struct StageRun<'a> {
    client: &'a Client<'a>,
    role: &'a ConstructionRole,
    stage: Stage,
    /// The request's place in the run: `structured/3/plan`.
    place: String,
    brief: &'a DialogueBrief,
    /// The turn whose message is examined.
    turn: Option<usize>,
}

/// The number of attempts for each stage, and the last error.
type Tried = (u32, Option<String>);

impl ConstructionAgent {
    /// Takes a dialogue through all stages. If every attempt of a stage fails, the dialogue is
    /// flagged and later stages are skipped.
    pub async fn write(
        &self,
        client: &Client<'_>,
        place: &str,
        index: u64,
        brief: &DialogueBrief,
    ) -> ConstructionResult {
        let mut entry = SetDialogue {
            index,
            state: ReviewState::Flagged,
            tries: [0; 3],
            why: None,
            talk: brief.empty_dialogue(&format!("d{:03}", index + 1)),
        };
        let work = |stage, role, what: &str, turn| StageRun {
            client,
            role,
            stage,
            place: format!("{place}/{what}"),
            brief,
            turn,
        };
        let plan = work(Stage::Plan, &self.planner, "plan", None);
        (entry.tries[0], entry.why) = self.plan(&plan, &mut entry.talk).await?;
        if entry.why.is_some() {
            return Ok(entry);
        }
        let dialogue = work(Stage::Dialogue, &self.writer, "dialogue", None);
        (entry.tries[1], entry.why) = self.dialogue(&dialogue, &mut entry.talk).await?;
        if entry.why.is_some() {
            return Ok(entry);
        }
        let extracted = (0..brief.turns.len()).map(|at| {
            let work =
                work(Stage::Questions, &self.extractor, &format!("questions/{at}"), Some(at));
            let talk = &entry.talk;
            async move { self.questions(&work, talk, at).await }
        });
        let extracted = futures_util::future::join_all(extracted).await;
        for (at, found) in extracted.into_iter().enumerate() {
            let ((tries, why), checks) = found?;
            entry.tries[2] = entry.tries[2].max(tries);
            let turn = &mut entry.talk.turns[at];
            turn.checks = checks;
            turn.checks.extend(brief.turns[at].related.iter().map(|(kind, question)| {
                ReleaseQuestion {
                    kind: kind.clone(),
                    question: question.clone(),
                    explanation: String::new(),
                }
            }));
            entry.why = entry.why.or_else(|| why.map(|why| format!("{}: {why}", turn.name)));
        }
        if entry.why.is_none() {
            let at_once = entry.tries == [1; 3];
            entry.state = if at_once { ReviewState::Passed } else { ReviewState::Retried };
        }
        Ok(entry)
    }

    async fn plan(
        &self,
        work: &StageRun<'_>,
        talk: &mut ReleasedDialogue,
    ) -> Result<Tried, ConstructionFailure> {
        let prompt = self.prompts.plan(work.brief)?;
        let mut asking = StageRequests::new(work, prompt);
        for attempt in 0..self.tries.max(1) {
            let reply = asking.ask(talk, attempt).await?;
            let mut wrong = take_plan(&reply, work.brief, talk).err();
            if let (None, Some(checker)) = (&wrong, &self.checker) {
                let question = self.prompts.check_plan(work.brief, talk)?;
                let mut conversation = checker.model.conversation(checker.model.system());
                conversation.push_text(Speaker::User, &question);
                let at = format!("{}/check/{attempt}", work.place);
                let call =
                    ModelCall { at: &at, conversation: &conversation, sample: 0, simulation: None };
                let reply = work.client.ask(checker, call).await?;
                wrong = read_check(&reply.text)
                    .unwrap_or_else(|why| Some(format!("the checker's reply: {why}")));
            }
            match wrong {
                None => return Ok((attempt + 1, None)),
                Some(why) => asking.reject(why),
            }
        }
        Ok((self.tries, asking.wrong))
    }

    async fn dialogue(
        &self,
        work: &StageRun<'_>,
        talk: &mut ReleasedDialogue,
    ) -> Result<Tried, ConstructionFailure> {
        let mut asking = StageRequests::new(work, self.prompts.dialogue(work.brief, talk)?);
        for attempt in 0..self.tries.max(1) {
            let reply = asking.ask(talk, attempt).await?;
            match take_dialogue(&reply, work.brief, talk) {
                Ok(()) => return Ok((attempt + 1, None)),
                Err(why) => asking.reject(why),
            }
        }
        Ok((self.tries, asking.wrong))
    }

    async fn questions(
        &self,
        work: &StageRun<'_>,
        talk: &ReleasedDialogue,
        at: usize,
    ) -> Result<(Tried, Vec<ReleaseQuestion>), ConstructionFailure> {
        let turn = &talk.turns[at];
        let mut asking = StageRequests::new(work, self.prompts.questions(work.brief, turn)?);
        for attempt in 0..self.tries.max(1) {
            let reply = asking.ask(talk, attempt).await?;
            match take_questions(&reply, work.brief, &turn.ask) {
                Ok(checks) => return Ok(((attempt + 1, None), checks)),
                Err(why) => asking.reject(why),
            }
        }
        Ok(((self.tries, asking.wrong), Vec::new()))
    }
}

/// A stage with its requests so far.
struct StageRequests<'a> {
    work: &'a StageRun<'a>,
    conversation: Option<ifs_inference::provider::Conversation>,
    wrong: Option<String>,
}

impl<'a> StageRequests<'a> {
    fn new(work: &'a StageRun<'a>, prompt: String) -> StageRequests<'a> {
        let conversation = match work.role {
            ConstructionRole::Simulated(_) => None,
            ConstructionRole::Model(caller) => {
                let mut conversation = caller.model.conversation(caller.model.system());
                conversation.push_text(Speaker::User, &prompt);
                Some(conversation)
            }
        };
        StageRequests { work, conversation, wrong: None }
    }

    async fn ask(&mut self, talk: &ReleasedDialogue, attempt: u32) -> Result<String, CallFailure> {
        let StageRun { client, role, stage, place, brief, turn } = self.work;
        let at = format!("{place}/{attempt}");
        let (caller, conversation) = match (role, &mut self.conversation) {
            (ConstructionRole::Simulated(careless), _) => {
                return Ok(careless.reply(*stage, (brief, talk), *turn, &at));
            }
            (ConstructionRole::Model(caller), Some(conversation)) => (caller, conversation),
            (ConstructionRole::Model(_), None) => {
                return Err(CallFailure::permanent("nothing was asked"));
            }
        };
        let call = ModelCall { at: &at, conversation, sample: 0, simulation: None };
        let reply = client.ask(caller, call).await?;
        conversation.push_text(Speaker::Assistant, &reply.text);
        Ok(reply.text)
    }

    fn reject(&mut self, why: String) {
        if let Some(conversation) = &mut self.conversation {
            let said =
                format!("This cannot be used: {why}. Write it again completely, as JSON only.");
            conversation.push_text(Speaker::User, &said);
        }
        self.wrong = Some(why);
    }
}
