//! The agent that writes user messages: it writes, checks, retries and flags.

use std::collections::BTreeSet;

use super::checker::Unchecked;
use super::synthesizer::MessageDraft;
use super::{
    MessageChecker, MessageRequirements, SynthesisError, SynthesisPrompts, Synthesizer,
    UtteranceLine, UtteranceSet, violation,
};
use ifs_draw::{DrawError, Drawer, ScriptTurn, Seed, for_dialogue};
use ifs_inference::Client;
use ifs_inference::provider::CallFailure;
use ifs_run::curated_set::ReviewState;

/// The settings of all dialogues.
pub struct SynthesisAgent<'a> {
    pub drawer: &'a Drawer<'a>,
    pub seed: Seed,
    /// The maximum number of turns of a dialogue.
    pub turns: u32,
    pub prompts: SynthesisPrompts,
    /// At least one.
    pub synthesizers: Vec<Synthesizer>,
    pub checker: MessageChecker,
    /// The maximum number of attempts for a turn.
    pub tries: u32,
    /// A set that is extended, without changing its entries.
    pub base: Option<Base>,
}

/// An utterance set that is extended.
pub struct Base {
    pub set: UtteranceSet,
    /// The dialogues that get more turns; all of the set when absent.
    pub only: Option<BTreeSet<u64>>,
}

/// The entries of a dialogue, or why it has none.
pub type UtterancesResult = Result<Vec<UtteranceLine>, SynthesisFailure>;

/// Why a dialogue could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisFailure {
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    #[error(transparent)]
    Call(#[from] CallFailure),
}

impl From<Unchecked> for SynthesisFailure {
    fn from(unchecked: Unchecked) -> SynthesisFailure {
        match unchecked {
            Unchecked::Call(failure) => SynthesisFailure::Call(failure),
            Unchecked::Prompt(error) => SynthesisFailure::Synthesis(error),
        }
    }
}

impl SynthesisAgent<'_> {
    /// The synthesizer of a dialogue: all its turns have one.
    pub fn synthesizer(&self, index: u64) -> &Synthesizer {
        let name = self.drawer.dialogue().table.name.as_str();
        let candidates = self.synthesizers.iter().map(|one| (one.name.as_str(), one.weight));
        let chosen = for_dialogue((self.seed, name, index), "synthesizer", candidates);
        &self.synthesizers[chosen.unwrap_or(0)]
    }

    /// The turns of a dialogue that need messages.
    pub fn script(&self, index: u64) -> Result<Vec<ScriptTurn>, DrawError> {
        let kept = self
            .base
            .as_ref()
            .filter(|base| base.only.as_ref().is_some_and(|only| !only.contains(&index)));
        let turns = match kept {
            Some(base) => base.set.turns(index),
            None => self.turns as usize,
        };
        self.drawer.script(self.seed, index).take(turns).collect()
    }

    /// The message that a turn already has.
    pub(super) fn written(&self, index: u64, turn: u32) -> Option<&UtteranceLine> {
        self.base.as_ref()?.set.line(index, turn)
    }

    /// Writes the messages of all turns. The required content of a turn does not depend on other
    /// messages, so they are written concurrently.
    pub async fn write(&self, client: &Client<'_>, index: u64) -> UtterancesResult {
        let turns = self.script(index)?;
        let lines = turns.iter().map(|turn| self.turn(client, index, &turns, turn));
        futures_util::future::join_all(lines).await.into_iter().collect()
    }

    async fn turn(
        &self,
        client: &Client<'_>,
        index: u64,
        turns: &[ScriptTurn],
        turn: &ScriptTurn,
    ) -> Result<UtteranceLine, SynthesisFailure> {
        if let Some(line) = self.written(index, turn.turn) {
            return Ok(line.clone());
        }
        // The message of a given turn goes with its response, and is not written again.
        if turn.given.is_some() {
            return Ok(UtteranceLine {
                index,
                turn: turn.turn,
                by: "given".to_owned(),
                tries: 0,
                state: ReviewState::Passed,
                message: turn.ask.clone(),
                why: None,
                demands: Vec::new(),
                plain: turn.ask.clone(),
            });
        }
        let intention =
            MessageRequirements::from_script(self.drawer, (self.seed, index), turns, turn)?;
        let synthesizer = self.synthesizer(index);
        let place = format!("{}/{index}/{}", self.drawer.dialogue().table.name, turn.turn);
        let mut line = UtteranceLine {
            index,
            turn: turn.turn,
            by: synthesizer.name.clone(),
            tries: 0,
            state: ReviewState::Flagged,
            message: String::new(),
            why: None,
            demands: intention.demands.clone(),
            plain: intention.plain.clone(),
        };
        let mut draft = MessageDraft::new(synthesizer, &self.prompts, &intention, &place)?;
        while line.tries < self.tries.max(1) {
            let (words, fault) = draft.write(client, line.tries).await?;
            line.message = words;
            line.why = fault.or_else(|| violation(&intention, &line.message));
            if line.why.is_none() {
                let place = format!("{place}/check/{}", line.tries);
                line.why = self
                    .checker
                    .violation(client, &self.prompts, &intention, &line.message, &place)
                    .await?;
            }
            line.tries += 1;
            match &line.why {
                Some(why) => draft.reject(why),
                None => {
                    line.state =
                        if line.tries == 1 { ReviewState::Passed } else { ReviewState::Retried };
                    break;
                }
            }
        }
        Ok(line)
    }
}
