//! The state of a dialogue between its turns: the messages and responses, and everything that its
//! end depends on. No I/O: `run_dialogue` and a program's own `Session` drive it.

use super::success_of;
use super::transcript::{Round, Sample, TranscriptTurn};
use ifs_draw::{
    DrawError, Drawer, MessagePart, Observations, Observed, Script, ScriptTurn, Seed, ShownContent,
};
use ifs_inference::provider::{CallFailure, ContentPart, Conversation, MessageImage, MessageRole};
use ifs_judge::VerdictRecord;
use ifs_model::table::{Context, Dialogue, MISSED};
use ifs_parts::image::Pictures;
use ifs_predicate::turn_fact::TurnFact;
use ifs_score::Ending;
use ifs_text::{Text, Unit};

pub struct DialogueState<'d> {
    progress: DialogueProgress<'d>,
    script: TurnSource<'d>,
    max_turns: u32,
    /// The user messages and what was shown, if judges need them.
    asks: Vec<(String, Vec<ShownContent>)>,
    /// The responses from which the dialogue continues, turn by turn.
    replies: Vec<String>,
}

/// What the end of a dialogue and its next turn depend on.
pub(super) struct DialogueProgress<'d> {
    pub table: &'d Dialogue,
    pub patience: Option<u32>,
    /// The number of tokens in the responses so far.
    tokens: u64,
    /// What the last response showed.
    observations: Observations,
    /// What the dialogue continues with.
    reply: Option<String>,
}

impl<'d> DialogueProgress<'d> {
    pub fn new(table: &'d Dialogue) -> Self {
        DialogueProgress {
            table,
            patience: table.patience,
            tokens: 0,
            observations: Observations::new(),
            reply: None,
        }
    }

    /// What is known before the next turn is drawn.
    pub fn observed(&mut self) -> Observed {
        Observed {
            patience: self.patience,
            tokens: self.tokens,
            observations: std::mem::take(&mut self.observations),
            reply: self.reply.clone(),
        }
    }

    /// Adds a turn, and writes the remaining patience into it. A turn of a given history has no
    /// response: patience and tokens stay.
    pub fn add(&mut self, turn: &mut TranscriptTurn) {
        if !turn.is_given() {
            let success = success_of(turn);
            self.observations = observations(turn.last_verdicts());
            self.observations.push(missed(success));
            self.patience = match (self.patience, self.table.patience, success) {
                (Some(left), _, Some(false)) => Some(left.saturating_sub(1)),
                (Some(_), whole, Some(true)) => whole,
                (left, ..) => left,
            };
            self.tokens += tokens(turn);
        }
        if self.table.patience.is_some() {
            turn.patience = self.patience;
        }
        self.reply = Some(turn.reply().to_owned());
    }
}

/// Where the turns come from.
enum TurnSource<'d> {
    /// Drawn one by one.
    Drawn(Box<Script<'d>>),
    /// Drawn before: the dialogue ends after the last.
    #[cfg_attr(not(feature = "run"), expect(dead_code, reason = "a run makes them"))]
    Fixed(std::vec::IntoIter<ScriptTurn>),
}

/// What comes after a turn.
pub enum NextTurn {
    Turn(Box<ScriptTurn>),
    Over(Ending),
}

impl<'d> DialogueState<'d> {
    pub fn new(drawer: &'d Drawer<'d>, seed: Seed, index: u64, max_turns: u32) -> Self {
        let script = TurnSource::Drawn(Box::new(drawer.script(seed, index)));
        DialogueState::from(drawer, script, max_turns)
    }

    /// A dialogue of these turns.
    #[cfg(feature = "run")]
    pub fn of_turns(drawer: &'d Drawer<'d>, turns: Vec<ScriptTurn>) -> Self {
        DialogueState::from(drawer, TurnSource::Fixed(turns.into_iter()), u32::MAX)
    }

    fn from(drawer: &'d Drawer<'d>, script: TurnSource<'d>, max_turns: u32) -> Self {
        DialogueState {
            progress: DialogueProgress::new(drawer.dialogue().table),
            script,
            max_turns,
            asks: Vec::new(),
            replies: Vec::new(),
        }
    }

    /// Draws the next turn, unless the dialogue ends here.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing the turn.
    pub fn next_turn(&mut self) -> Result<NextTurn, DrawError> {
        let script = match &mut self.script {
            TurnSource::Drawn(script) => script,
            TurnSource::Fixed(turns) => {
                let next = turns.next().map(|turn| NextTurn::Turn(Box::new(turn)));
                return Ok(next.unwrap_or(NextTurn::Over(Ending::Script)));
            }
        };
        script.record_outcome(self.progress.observed());
        if script.is_stopped()? {
            return Ok(NextTurn::Over(stopped(self.progress.table, self.progress.patience)));
        }
        let is_longest = script.state().turn >= self.max_turns;
        Ok(match script.next() {
            None => NextTurn::Over(Ending::Script),
            Some(_) if is_longest => NextTurn::Over(Ending::MaxTurns),
            Some(turn) => NextTurn::Turn(Box::new(turn?)),
        })
    }

    #[cfg(feature = "run")]
    pub fn asks(&self) -> &[(String, Vec<ShownContent>)] {
        &self.asks
    }

    pub fn replies(&self) -> &[String] {
        &self.replies
    }

    /// Ends a turn of a given history: nothing is judged.
    pub fn finish_given(&mut self, turn: ScriptTurn, keep_asks: bool) -> TranscriptTurn {
        self.finish(TranscriptTurn::from_given(turn), keep_asks)
    }

    /// Ends a turn: the dialogue continues from its last response.
    pub fn answered(
        &mut self,
        script: ScriptTurn,
        samples: Vec<Sample>,
        rounds: Vec<Round>,
        keep_asks: bool,
    ) -> TranscriptTurn {
        // Every turn before another one has a response.
        let history =
            script.golden.clone().filter(|_| self.progress.table.context == Context::Golden);
        let turn = TranscriptTurn { script, samples, rounds, history, ..TranscriptTurn::default() };
        self.finish(turn, keep_asks)
    }

    /// `asks` is kept if judges need it.
    fn finish(&mut self, mut turn: TranscriptTurn, keep_asks: bool) -> TranscriptTurn {
        self.progress.add(&mut turn);
        if keep_asks {
            self.asks.push((turn.script.ask.clone(), turn.script.show.clone()));
        }
        self.replies.push(turn.reply().to_owned());
        turn
    }
}

/// The observations of a response, from its verdicts, without unreadable ones.
pub(super) fn observations(verdicts: &[VerdictRecord]) -> Observations {
    let own = verdicts.iter().filter(|verdict| verdict.is_observation());
    own.map(|verdict| (verdict.constraint.clone(), verdict.outcome.observed())).collect()
}

/// Whether the turn missed something; `None` if it is undecided or requires nothing.
fn missed(success: Option<bool>) -> (String, Option<bool>) {
    (MISSED.to_owned(), success.map(|success| !success))
}

/// The tokens of the responses that the dialogue continued from, with words (`\w+`) for tokens if
/// the endpoint does not report them. Further samples leave no trace in a dialogue, so that their
/// number does not change where it ends.
fn tokens(turn: &TranscriptTurn) -> u64 {
    let counted = |sample: &Sample| {
        let words = || Text::new(&sample.answer).count(Unit::WordPattern) as u64;
        sample.usage.output.unwrap_or_else(words)
    };
    turn.conversation().map(counted).sum()
}

/// The observations before each turn of a recorded dialogue, from which its turns are drawn again.
#[cfg(feature = "run")]
#[must_use]
pub fn observed(turns: &[TranscriptTurn]) -> Vec<Observed> {
    let (mut seen, mut all) = (Observed::default(), Vec::new());
    for turn in turns {
        all.push(seen.clone());
        if turn.is_given() {
            seen.reply = Some(turn.reply().to_owned());
            continue;
        }
        seen.observations = observations(turn.last_verdicts());
        seen.observations.push(missed(success_of(turn)));
        seen.reply = Some(turn.reply().to_owned());
        seen.patience = turn.patience;
        seen.tokens += tokens(turn);
    }
    all
}

/// The system message: that of the run, then that of the dialogue, without empty
/// texts.
pub fn system_message(of_run: Option<&str>, of_dialogue: Option<&str>) -> Option<String> {
    let texts = of_run.into_iter().chain(of_dialogue);
    let texts: Vec<&str> = texts.filter(|text| !text.trim().is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The ending of a dialogue whose `end` holds.
pub(super) fn stopped(table: &Dialogue, patience: Option<u32>) -> Ending {
    match &table.end {
        Some(end) if patience == Some(0) && end.reads(TurnFact::Patience) => Ending::Patience,
        Some(end) => Ending::Condition(ifs_predicate::print::print(end)),
        None => Ending::Script,
    }
}

/// Adds the messages of a turn: the user message, then those of tools, or what tools show in it.
#[cfg_attr(not(feature = "run"), expect(dead_code, reason = "only runs send messages"))]
pub fn say(
    conversation: &mut Conversation,
    turn: &ScriptTurn,
    ask: &str,
    pictures: &Pictures,
) -> Result<(), CallFailure> {
    if !conversation.has_tools() {
        conversation.push(MessageRole::User, &parts_with_tools(turn, ask, pictures)?);
        return Ok(());
    }
    conversation.push(MessageRole::User, &parts(turn, ask, pictures)?);
    turn.tools().for_each(|(name, text)| conversation.tool(name, text));
    Ok(())
}

/// The same as one message, with the texts of tools in fences at its end.
pub fn parts_with_tools(
    turn: &ScriptTurn,
    ask: &str,
    pictures: &Pictures,
) -> Result<Vec<ContentPart>, CallFailure> {
    let fenced = turn.show.iter().filter_map(ShownContent::fenced);
    let all: Vec<String> = [ask.to_owned()].into_iter().chain(fenced).collect();
    parts(turn, &all.join("\n\n"), pictures)
}

/// A turn as a message: what is shown, then the user message.
fn parts(
    turn: &ScriptTurn,
    ask: &str,
    pictures: &Pictures,
) -> Result<Vec<ContentPart>, CallFailure> {
    let part = |part: MessagePart<'_>| match part {
        MessagePart::Text(text) => Ok(ContentPart::Text(text)),
        MessagePart::Image(image) => Ok(ContentPart::Image(MessageImage::load(image, pictures)?)),
    };
    turn.message(ask).into_iter().map(part).collect()
}
