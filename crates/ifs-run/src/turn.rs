//! One turn: the request, the verdicts, and further rounds with feedback.

use super::context::RunContext;
use super::feedback::{feedback, needs_feedback};
use super::state::say;
use super::transcript::{Round, Sample};
use ifs_draw::{DrawError, ScriptTurn, ShownContent};
use ifs_inference::panel::JudgedResponse;
use ifs_inference::provider::{
    CallFailure, Conversation, MessageRole, Reply, SimulationInput, StopReason,
};
use ifs_inference::{Client, ModelCall};
use ifs_judge::{EarlierExchange, Exchange, TurnHistory, evaluate_constraints, without_text};
use ifs_model::table::{Context, Feedback, Overflow, Retry};
use ifs_score::NoText;

/// A turn of a dialogue, with what came before it.
pub(super) struct TurnContext<'a> {
    pub run: &'a RunContext<'a>,
    pub index: u64,
    pub turn: &'a ScriptTurn,
    /// The system message, for judges.
    pub system: Option<&'a str>,
    /// The earlier user messages with what they show, for judges.
    pub asks: &'a [(String, Vec<ShownContent>)],
    /// The earlier responses.
    pub replies: &'a [String],
    /// An earlier turn did not fit into the context window of the model, so neither does this one:
    /// nothing is requested.
    pub is_beyond_context: bool,
}

/// Why a turn could not be run.
pub(super) enum TurnFailure {
    Call(CallFailure),
    /// An error of the scenario.
    Draw(DrawError),
}

impl From<CallFailure> for TurnFailure {
    fn from(failure: CallFailure) -> TurnFailure {
        TurnFailure::Call(failure)
    }
}

impl TurnContext<'_> {
    /// Sends the turn, evaluates the response, and repeats it with feedback as often as the
    /// dialogue allows. Afterwards the conversation has everything except the last response.
    pub async fn run_turn(
        &self,
        client: &Client<'_>,
        conversation: &mut Conversation,
    ) -> Result<(Vec<Sample>, Vec<Round>), TurnFailure> {
        let table = self.run.drawer.dialogue().table;
        let before = table.retry.is_some_and(|retry| retry.form == Feedback::Fresh);
        let before = before.then(|| conversation.clone());
        let answers = match &self.turn.reminder {
            // Only this turn has the reminder: later turns see the question without it.
            Some(reminder) => {
                let ask = format!("{}\n\n{reminder}", self.turn.ask);
                let mut asked = conversation.clone();
                self.say(&mut asked, &ask)?;
                self.say(conversation, &self.turn.ask)?;
                self.answers(client, &asked).await?
            }
            None => {
                self.say(conversation, &self.turn.ask)?;
                self.answers(client, conversation).await?
            }
        };
        let judged =
            (0..).zip(answers).map(|(sample, reply)| self.judge_reply(client, reply, 0, sample));
        // Other requests are completed if one fails, since they are paid for.
        let judged = futures_util::future::join_all(judged).await;
        let samples = judged.into_iter().collect::<Result<Vec<Sample>, CallFailure>>()?;
        let mut rounds = Vec::new();
        if let (Some(retry), Some(first)) = (table.retry, samples.first()) {
            // A golden answer is the complete history of its turn, without rounds of feedback.
            let is_golden = table.context == Context::Golden && self.turn.golden.is_some();
            let asked = is_golden.then(|| conversation.clone());
            rounds = self.retry(client, conversation, before.as_ref(), retry, first).await?;
            if let Some(asked) = asked {
                *conversation = asked;
            }
        }
        Ok((samples, rounds))
    }

    /// Repeats the turn with feedback until nothing is missed.
    async fn retry(
        &self,
        client: &Client<'_>,
        conversation: &mut Conversation,
        before: Option<&Conversation>,
        retry: Retry,
        first: &Sample,
    ) -> Result<Vec<Round>, TurnFailure> {
        let mut rounds: Vec<Round> = Vec::new();
        for round in 1..=self.turn.most_rounds.unwrap_or(retry.rounds) {
            let last = rounds.last().map_or(first, |round| &round.sample);
            // A longer conversation does not fit either.
            let is_beyond = last.no_text == Some(NoText::ContextLength);
            if is_beyond || !needs_feedback(last.no_text.as_ref(), &last.verdicts) {
                break;
            }
            let exchange = Exchange {
                dialogue: self.dialogue(),
                turn: self.turn,
                answer: &last.answer,
                note: last.note.as_ref(),
                replies: self.replies,
                extracted: &last.extracted,
            };
            let verdicts = &last.verdicts;
            let ask = feedback(self.run.drawer, self.index, &exchange, verdicts, round, retry.form)
                .map_err(TurnFailure::Draw)?;
            let reply = match before {
                Some(before) => {
                    let mut asked = before.clone();
                    self.say(&mut asked, &ask)?;
                    self.answer(client, &asked, round, 0).await?
                }
                None => {
                    conversation.push_text(MessageRole::Assistant, &last.answer);
                    conversation.push_text(MessageRole::User, &ask);
                    self.answer(client, conversation, round, 0).await?
                }
            };
            let table = self.run.drawer.dialogue().table;
            if reply.exceeds_context() && table.overflow == Overflow::Omitted {
                break;
            }
            let sample = self.judge_reply(client, reply, round, 0).await?;
            rounds.push(Round { ask, sample });
        }
        Ok(rounds)
    }

    /// Requests several responses to the turn concurrently.
    async fn answers(
        &self,
        client: &Client<'_>,
        conversation: &Conversation,
    ) -> Result<Vec<Reply>, CallFailure> {
        if self.run.samples == 1 {
            return Ok(vec![self.answer(client, conversation, 0, 0).await?]);
        }
        let all = (0..self.run.samples).map(|sample| self.answer(client, conversation, 0, sample));
        futures_util::future::join_all(all).await.into_iter().collect()
    }

    async fn answer(
        &self,
        client: &Client<'_>,
        conversation: &Conversation,
        round: u32,
        sample: u32,
    ) -> Result<Reply, CallFailure> {
        let brief = SimulationInput {
            plan: self.run.drawer.plan(),
            dialogue: self.dialogue(),
            seed: self.run.seed,
            index: self.index,
            turn: self.turn,
            replies: self.replies,
            round,
            sample: self.sampled(sample),
        };
        if self.is_beyond_context {
            return Ok(Reply::refused(StopReason::ContextLength, String::new()));
        }
        let at = self.place("answer", round, sample);
        let sample = self.sampled(sample);
        let call = ModelCall { at: &at, conversation, sample, simulation: Some(brief) };
        client.ask(self.run.tested, call).await
    }

    /// Adds the messages of the turn to a conversation.
    fn say(&self, conversation: &mut Conversation, ask: &str) -> Result<(), CallFailure> {
        say(conversation, self.turn, ask, &self.run.drawer.plan().model.pictures)
    }

    fn dialogue(&self) -> &str {
        &self.run.drawer.dialogue().table.name
    }

    fn place(&self, purpose: &str, round: u32, sample: u32) -> String {
        let purpose = in_round(purpose, round);
        let at = place(self.dialogue(), self.index, self.turn.turn, &purpose, sample);
        match self.run.repeat.at {
            "" => at,
            before => format!("{before}/{at}"),
        }
    }

    /// The number of a sample over all repetitions of the dialogue.
    fn sampled(&self, sample: u32) -> u32 {
        self.run.repeat.number.saturating_mul(self.run.samples).saturating_add(sample)
    }

    /// A response with its extracted parts and its verdicts.
    async fn judge_reply(
        &self,
        client: &Client<'_>,
        reply: Reply,
        round: u32,
        sample: u32,
    ) -> Result<Sample, CallFailure> {
        let RunContext { drawer, panel, prompts, extractors, .. } = self.run;
        if let Some(why) = reply.no_text() {
            let exchange = Exchange {
                dialogue: self.dialogue(),
                turn: self.turn,
                answer: &reply.text,
                note: reply.note.as_ref(),
                replies: self.replies,
                extracted: &[],
            };
            let verdicts = without_text(drawer.plan(), &exchange, &why);
            return Ok(Sample::from_reply(reply, Vec::new(), verdicts));
        }
        let at = self.place("cut", round, sample);
        let extracted = match extractors {
            Some(extractors) => extractors.extract(client, self.turn, &reply.text, &at).await?,
            None => Vec::new(),
        };
        let exchange = Exchange {
            dialogue: self.dialogue(),
            turn: self.turn,
            answer: &reply.text,
            note: reply.note.as_ref(),
            replies: self.replies,
            extracted: &extracted,
        };
        let at = self.place("judge", round, sample);
        let earlier: Vec<EarlierExchange<'_>> = (1..)
            .zip(self.asks.iter().zip(self.replies))
            .map(|(turn, ((ask, show), answer))| EarlierExchange { turn, ask, show, answer })
            .collect();
        let before = TurnHistory { system: self.system, earlier: &earlier };
        let case = JudgedResponse { exchange: &exchange, before, at: &at };
        let aggregated = panel.rule(client, drawer.plan(), prompts, &case).await?;
        let verdicts = evaluate_constraints(drawer.plan(), &exchange, &aggregated);
        Ok(Sample::from_reply(reply, extracted, verdicts))
    }
}

/// The purpose of a request in a round of feedback.
pub(super) fn in_round(purpose: &str, round: u32) -> String {
    match round {
        0 => purpose.to_owned(),
        round => format!("round{round}/{purpose}"),
    }
}

/// The place of a request in the journal: `talk/3/7/answer`, `talk/3/7/answer/1` for a second
/// sample, and `talk/3/7/round1/answer` for the first response to feedback.
pub fn place(dialogue: &str, index: u64, turn: u32, purpose: &str, sample: u32) -> String {
    match sample {
        0 => format!("{dialogue}/{index}/{turn}/{purpose}"),
        sample => format!("{dialogue}/{index}/{turn}/{purpose}/{sample}"),
    }
}
