//! A dialogue that the program runs itself: the session gives the messages to send, and the program
//! returns the responses. No network, no files, no runtime.

use std::sync::Arc;

use self_cell::self_cell;

use super::benchmark::OwnedDrawer;
use super::{Dialogue, Error, Message, Role, Transcript, Turn, Verdict};
use ifs_draw::{DrawError, ScriptTurn, Seed};
use ifs_inference::provider::{Reply, Usage};
use ifs_judge::{self as judge, AggregatedVote, Exchange, JudgePrompts, Vote, VoteValue, items};
use ifs_model::table::{Feedback, Retry};
use ifs_run::{
    self as run, DialogueState, NextTurn, Round, Sample, TranscriptTurn, feedback, needs_feedback,
    parts_with_tools, scored_as_held, system_message,
};
use ifs_score::{Ending, Outcome};

self_cell!(
    struct OwnedState {
        owner: Arc<OwnedDrawer>,
        #[not_covariant]
        dependent: DialogueState,
    }
);

/// The next request: the complete conversation so far, with the user message last.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ask {
    /// The turn.
    pub turn: Turn,
    /// The round of feedback; 0 for the first response.
    pub round: u32,
    /// The index of the sample; 0 for the first. Further samples repeat the request.
    pub sample: u32,
    /// The messages to send.
    pub messages: Vec<Message>,
}

/// The response of a model. Reasoning at the beginning of its text is kept apart: it is not judged, and
/// later requests do not repeat it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The text.
    pub text: String,
    /// The number of tokens of the request, if it is known.
    pub input_tokens: Option<u64>,
    /// The number of tokens of the text, if it is known.
    pub output_tokens: Option<u64>,
}

impl From<String> for Response {
    fn from(text: String) -> Response {
        Response { text, ..Response::default() }
    }
}

impl From<&str> for Response {
    fn from(text: &str) -> Response {
        Response::from(text.to_owned())
    }
}

impl Response {
    /// The same with the numbers of tokens of request and response.
    #[must_use]
    pub fn tokens(mut self, input: u64, output: u64) -> Response {
        (self.input_tokens, self.output_tokens) = (Some(input), Some(output));
        self
    }

    pub(crate) fn into_reply(self) -> Reply {
        let Response { text, input_tokens: input, output_tokens: output } = self;
        let usage = Usage { input, output, ..Usage::default() };
        let mut reply = Reply { usage, ..Reply::from_text(text) };
        reply.part_reasoning();
        reply
    }
}

/// Something about the last response that no rule can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The key of its verdict.
    pub key: String,
    /// A question whose answer is yes where it holds, or a rubric that is met.
    pub text: String,
}

/// A dialogue in progress.
///
/// ```
/// # let world = ifs::MemoryWorld::new([("a.ifs", "ifs 1
/// # constraint short { say \"Be short.\" check count(word) < 5 }
/// # dialogue talk { turn one { ask \"Why? Be short.\" impose 1 from short } }
/// # ")]);
/// # let benchmark = ifs::Benchmark::check(&world, "a.ifs")?;
/// let mut session = benchmark.dialogue("talk")?.session(1, 0);
/// while let Some(ask) = session.next()? {
///     let answer = format!("You asked {:?}", ask.messages.last().map(|message| message.text()));
///     for verdict in session.answer(answer)? {
///         println!("{verdict}");
///     }
/// }
/// assert_eq!(session.finish().len(), 1);
/// # Ok::<(), ifs::Error>(())
/// ```
pub struct Session {
    dialogue: Dialogue,
    seed: u64,
    index: u64,
    state: OwnedState,
    /// The messages before the current turn.
    history: Vec<Message>,
    current: Option<Current>,
    turns: Vec<TranscriptTurn>,
    ending: Option<Ending>,
}

/// The current turn.
struct Current {
    turn: ScriptTurn,
    /// The conversation with its user message and the rounds so far.
    messages: Vec<Message>,
    /// What was sent and is not answered yet.
    open: Option<Ask>,
    samples: Vec<JudgedReply>,
    /// The responses to feedback.
    rounds: Vec<JudgedReply>,
    /// The messages of feedback that were sent.
    feedback: Vec<String>,
}

struct JudgedReply {
    reply: Reply,
    votes: Vec<AggregatedVote>,
    verdicts: Vec<judge::VerdictRecord>,
}

impl From<JudgedReply> for Sample {
    fn from(judged: JudgedReply) -> Sample {
        Sample::from_reply(judged.reply, Vec::new(), judged.verdicts)
    }
}

impl Current {
    /// The response that came last.
    fn last(&self) -> Option<&JudgedReply> {
        self.rounds.last().or(self.samples.last())
    }
}

impl Session {
    pub(super) fn new(dialogue: &Dialogue, seed: u64, index: u64) -> Session {
        let drawer = Arc::clone(&dialogue.drawer);
        let state = OwnedState::new(drawer, |drawer| initial_state(drawer, seed, index));
        Session {
            dialogue: dialogue.clone(),
            seed,
            index,
            state,
            history: Vec::new(),
            current: None,
            turns: Vec::new(),
            ending: None,
        }
    }

    /// The next request; `None` when the dialogue is over. Called again before the response, it gives
    /// the same.
    ///
    /// # Errors
    /// [`Error::Draw`]: an error of the scenario.
    #[expect(clippy::should_implement_trait, reason = "it fails, and waits for an answer")]
    pub fn next(&mut self) -> Result<Option<Ask>, Error> {
        loop {
            if self.ending.is_some() {
                return Ok(None);
            }
            let Some(mut current) = self.current.take() else {
                if let Some(ending) = self.begin_turn()? {
                    self.ending = Some(ending);
                }
                continue;
            };
            if current.open.is_none() {
                current.open = self.repeat_turn(&mut current)?;
            }
            match current.open.clone() {
                Some(ask) => {
                    self.current = Some(current);
                    return Ok(Some(ask));
                }
                None => self.end_turn(current),
            }
        }
    }

    /// Accepts the response to the last [`Session::next`] and returns the verdicts of rules.
    /// Constraints that need a judge are [`Outcome::Unjudged`]; decide them with
    /// [`Session::judge`].
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no open request.
    pub fn answer(&mut self, response: impl Into<Response>) -> Result<Vec<Verdict>, Error> {
        let mut current = self.current.take().ok_or_else(|| Error::usage(NO_OPEN_REQUEST))?;
        let Some(ask) = current.open.take() else {
            self.current = Some(current);
            return Err(Error::usage(NO_OPEN_REQUEST));
        };
        let mut read = JudgedReply {
            reply: response.into().into_reply(),
            votes: Vec::new(),
            verdicts: Vec::new(),
        };
        self.judge_reply(&current.turn, &mut read);
        let verdicts = self.required(&current.turn, &read.verdicts);
        match ask.round {
            0 => current.samples.push(read),
            _ => current.rounds.push(read),
        }
        self.current = Some(current);
        Ok(verdicts)
    }

    /// The verdicts that a response to the open request would get. The session does not accept it:
    /// several candidates can be graded before one of them is the answer.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if there is no open request.
    pub fn verdicts(&self, response: impl Into<Response>) -> Result<Vec<Verdict>, Error> {
        let open = self.current.as_ref().filter(|current| current.open.is_some());
        let current = open.ok_or_else(|| Error::usage(NO_OPEN_REQUEST))?;
        let mut read = JudgedReply {
            reply: response.into().into_reply(),
            votes: Vec::new(),
            verdicts: Vec::new(),
        };
        self.judge_reply(&current.turn, &mut read);
        Ok(self.required(&current.turn, &read.verdicts))
    }

    /// The verdicts without observations and overruled constraints, which nothing requires.
    fn required(&self, turn: &ScriptTurn, records: &[judge::VerdictRecord]) -> Vec<Verdict> {
        let (plan, name) = (self.dialogue.plan(), self.dialogue.name());
        let required = records.iter().filter(|record| record.counts());
        required.map(|record| Verdict::from_record(record, plan, name, turn)).collect()
    }

    /// The questions about the last response that need a judge and are still open.
    ///
    /// # Errors
    /// Returns [`Error::Draw`] if a question's template cannot be rendered.
    pub fn questions(&self) -> Result<Vec<Question>, Error> {
        let Some((current, last)) = self.last_reply() else { return Ok(Vec::new()) };
        if last.reply.no_text().is_some() {
            return Ok(Vec::new());
        }
        let failed = |(name, fault): (String, ifs_parts::template::TemplateFault)| {
            Error::from(DrawError::Template { name, fault })
        };
        let plan = self.dialogue.plan();
        let prompts = JudgePrompts::new(plan).map_err(failed)?;
        self.exchange(&current.turn, &last.reply, |exchange| {
            let open = items(plan, exchange, &last.votes);
            open.into_iter()
                .map(|item| {
                    let mut text = prompts.question(&item, exchange).map_err(failed)?;
                    if item.question.is_no_good {
                        text = format!("Is no the answer to this question? {text}");
                    }
                    Ok(Question { key: item.name, text })
                })
                .collect()
        })
    }

    /// Answers a question about the last response: whether the constraint holds, and why not.
    /// Returns all verdicts on the response.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`] if there is no such question.
    pub fn judge(
        &mut self,
        key: &str,
        holds: bool,
        why: Option<&str>,
    ) -> Result<Vec<Verdict>, Error> {
        let questions = self.questions()?;
        let keys = questions.iter().map(|question| question.key.as_str());
        if !questions.iter().any(|question| question.key == key) {
            return Err(Error::unknown("question", key, keys));
        }
        let Some(mut current) = self.current.take() else {
            return Err(Error::usage(NO_OPEN_REQUEST));
        };
        let Current { turn, samples, rounds, .. } = &mut current;
        let Some(read) = rounds.last_mut().or(samples.last_mut()) else {
            self.current = Some(current);
            return Err(Error::usage(NO_OPEN_REQUEST));
        };
        let vote = Vote {
            judge: VOTER_NAME.to_owned(),
            repeat: 0,
            value: if holds { VoteValue::Yes } else { VoteValue::No },
            no_is_good: false,
            why: why.map(str::to_owned),
            reply: None,
        };
        read.votes.push(AggregatedVote {
            name: key.to_owned(),
            outcome: if holds { Outcome::Held } else { Outcome::Missed },
            votes: vec![vote],
            why: why.filter(|_| !holds).map(str::to_owned),
            simulated: false,
        });
        self.judge_reply(turn, read);
        let verdicts = self.required(turn, &read.verdicts);
        self.current = Some(current);
        Ok(verdicts)
    }

    /// Ends the dialogue and returns its turns so far. One that has not ended counts as
    /// interrupted.
    pub fn finish(mut self) -> Transcript {
        let whole = |current: &Current| !current.samples.is_empty() && current.open.is_none();
        if let Some(current) = self.current.take_if(|current| whole(current)) {
            self.end_turn(current);
        }
        let inner = run::Transcript {
            dialogue: self.dialogue.name().to_owned(),
            index: self.index,
            seed: self.seed,
            turns: self.turns,
            ending: self.ending.unwrap_or(Ending::Interrupted),
        };
        let scored = scored_as_held(self.dialogue.plan(), &inner);
        Transcript { inner, scored }
    }

    /// Draws the next turn; returns the ending if there is none.
    fn begin_turn(&mut self) -> Result<Option<Ending>, Error> {
        let next = self.state.with_dependent_mut(|_, state| state.next_turn())?;
        let turn = match next {
            NextTurn::Over(ending) => return Ok(Some(ending)),
            NextTurn::Turn(turn) => *turn,
        };
        if self.history.is_empty()
            && let Some(system) = system_message(None, turn.system.as_deref())
        {
            self.history.push(Message::text_of(Role::System, &system));
        }
        let messages = self.messages_with(&turn, &turn.ask)?;
        if turn.given.is_some() {
            let held = self.state.with_dependent_mut(|_, state| state.finish_given(turn, true));
            self.history = messages;
            self.history.push(Message::text_of(Role::Assistant, held.reply()));
            self.turns.push(held);
            return Ok(None);
        }
        let sent = match &turn.reminder {
            // Only this turn has the reminder: later turns see the question without it.
            Some(reminder) => self.messages_with(&turn, &format!("{}\n\n{reminder}", turn.ask))?,
            None => messages.clone(),
        };
        let open = Some(Ask { turn: Turn::from(&turn), round: 0, sample: 0, messages: sent });
        self.current = Some(Current {
            turn,
            messages,
            open,
            samples: Vec::new(),
            rounds: Vec::new(),
            feedback: Vec::new(),
        });
        Ok(None)
    }

    /// The messages before a turn, and a user message with what the turn shows.
    fn messages_with(&self, turn: &ScriptTurn, ask: &str) -> Result<Vec<Message>, Error> {
        let parts = parts_with_tools(turn, ask, &self.dialogue.plan().model.pictures)
            .map_err(|failure| Error::Request { message: failure.message })?;
        let mut messages = self.history.clone();
        messages.push(Message::from_parts(Role::User, &parts));
        Ok(messages)
    }

    /// The next request of the same turn: another sample, or feedback on failed constraints.
    fn repeat_turn(&self, current: &mut Current) -> Result<Option<Ask>, Error> {
        let table = &self.dialogue.drawer.borrow_dependent().dialogue().table;
        let Some(first) = current.samples.first() else { return Ok(None) };
        let turn = Turn::from(&current.turn);
        let taken = current.samples.len() as u32;
        if taken < table.sample.max(1) {
            let ask = match &current.turn.reminder {
                Some(reminder) => format!("{}\n\n{reminder}", current.turn.ask),
                None => current.turn.ask.clone(),
            };
            let messages = self.messages_with(&current.turn, &ask)?;
            return Ok(Some(Ask { turn, round: 0, sample: taken, messages }));
        }
        let round = current.rounds.len() as u32 + 1;
        let most = |retry: &Retry| current.turn.most_rounds.unwrap_or(retry.rounds);
        let Some(retry) = table.retry.filter(|retry| round <= most(retry)) else {
            return Ok(None);
        };
        // The dialogue continues from the first sample.
        let last = current.rounds.last().unwrap_or(first);
        if !needs_feedback(last.reply.no_text().as_ref(), &last.verdicts) {
            return Ok(None);
        }
        let drawer = self.dialogue.drawer.borrow_dependent();
        let text = self.exchange(&current.turn, &last.reply, |exchange| {
            feedback(drawer, self.index, exchange, &last.verdicts, round, retry.form)
        })?;
        let messages = match retry.form {
            Feedback::Chat => {
                let answer = Message::text_of(Role::Assistant, &last.reply.text);
                current.messages.extend([answer, Message::text_of(Role::User, &text)]);
                current.messages.clone()
            }
            Feedback::Fresh => self.messages_with(&current.turn, &text)?,
        };
        current.feedback.push(text);
        Ok(Some(Ask { turn, round, sample: 0, messages }))
    }

    fn end_turn(&mut self, current: Current) {
        let Current { turn, mut messages, samples, rounds, feedback, .. } = current;
        let samples = samples.into_iter().map(Sample::from).collect();
        let round = |(ask, judged): (String, JudgedReply)| Round { ask, sample: judged.into() };
        let rounds = feedback.into_iter().zip(rounds).map(round).collect();
        let state =
            |_: &_, state: &mut DialogueState<'_>| state.answered(turn, samples, rounds, false);
        let turn = self.state.with_dependent_mut(state);
        // A golden answer is the complete history of its turn, without rounds of feedback.
        if turn.history.is_some() {
            messages.truncate(self.history.len() + 1);
        }
        messages.push(Message::text_of(Role::Assistant, turn.reply()));
        self.history = messages;
        self.turns.push(turn);
    }

    fn last_reply(&self) -> Option<(&Current, &JudgedReply)> {
        let current = self.current.as_ref().filter(|current| current.open.is_none())?;
        Some((current, current.last()?))
    }

    /// The verdicts on a response: by rule, or from its votes.
    fn judge_reply(&self, turn: &ScriptTurn, read: &mut JudgedReply) {
        let plan = self.dialogue.plan();
        read.verdicts = self.exchange(turn, &read.reply, |exchange| match read.reply.no_text() {
            Some(why) => judge::without_text(plan, exchange, &why),
            None => judge::evaluate_constraints(plan, exchange, &read.votes),
        });
    }

    fn exchange<T>(
        &self,
        turn: &ScriptTurn,
        reply: &Reply,
        look: impl FnOnce(&Exchange<'_>) -> T,
    ) -> T {
        self.state.with_dependent(|_, state| {
            look(&Exchange {
                dialogue: self.dialogue.name(),
                turn,
                answer: &reply.text,
                note: None,
                replies: state.replies(),
                extracted: &[],
            })
        })
    }
}

const NO_OPEN_REQUEST: &str = "there is no open request: call `next` before `answer`";

/// The name of the voter in transcripts.
const VOTER_NAME: &str = "session";

/// A dialogue that might never end is ended after this many turns.
const MAX_TURNS: u32 = 1000;

fn initial_state(drawer: &Arc<OwnedDrawer>, seed: u64, index: u64) -> DialogueState<'_> {
    DialogueState::new(drawer.borrow_dependent(), Seed(seed), index, MAX_TURNS)
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("dialogue", &self.dialogue)
            .field("seed", &self.seed)
            .field("index", &self.index)
            .field("turns", &self.turns.len())
            .finish_non_exhaustive()
    }
}
