//! Trials: a reduced dialogue is run several times, and fails if enough of them do.

use std::collections::BTreeMap;

use super::{FailureTarget, spec};
use crate::{Repeat, RunContext, Transcript, observed, run_turns};
use ifs_draw::{DialoguePieces, DrawError, Observed, Reduction, ScriptTurn};
use ifs_inference::{Concurrency, PoolEvent, RequestContext, run_in_pool};
use ifs_plan::Plan;
use ifs_score::Ending;

/// A dialogue fails if at least `fails` of `repeats` repetitions do.
#[derive(Clone, Copy, Debug)]
pub struct FailureRule {
    pub repeats: u32,
    pub fails: u32,
}

/// The repetitions of a dialogue, until they were decided.
#[derive(Clone, Debug)]
pub struct Trial {
    pub failed: bool,
    pub fails: u32,
    pub of: u32,
    /// One that had the outcome of the trial.
    pub transcript: Transcript,
}

/// Why a search stopped.
#[derive(Debug)]
pub enum SearchStop {
    /// An error of the scenario.
    Draw(DrawError),
    /// The budget is spent, or a request failed for good.
    Ended(String),
    Interrupted,
    /// As many trials as allowed.
    Tests(u32),
    Io(std::io::Error),
}

impl From<DrawError> for SearchStop {
    fn from(error: DrawError) -> SearchStop {
        SearchStop::Draw(error)
    }
}

impl From<std::io::Error> for SearchStop {
    fn from(error: std::io::Error) -> SearchStop {
        SearchStop::Io(error)
    }
}

/// Tries reduced forms of one dialogue.
pub struct Shrinker<'a> {
    context: &'a RequestContext<'a>,
    run: RunContext<'a>,
    concurrency: Concurrency,
    rule: FailureRule,
    /// The largest number of trials.
    most: u32,
    index: u64,
    pub target: FailureTarget,
    /// What was observed before each turn when the dialogue was recorded.
    seen: Vec<Observed>,
    pub pieces: DialoguePieces,
    known: BTreeMap<String, Trial>,
    /// Dialogues that were run.
    pub dialogues: u32,
}

impl<'a> Shrinker<'a> {
    /// # Errors
    /// Returns an error of the scenario that prevents drawing the dialogue.
    pub fn new(
        context: &'a RequestContext<'a>,
        run: RunContext<'a>,
        concurrency: Concurrency,
        (rule, most): (FailureRule, u32),
        transcript: &Transcript,
        target: FailureTarget,
    ) -> Result<Shrinker<'a>, DrawError> {
        let (seen, index) = (observed(&transcript.turns), transcript.index);
        let pieces = run.drawer.script(run.seed, index).pieces(&seen, target.turn)?;
        Ok(Shrinker {
            context,
            run,
            concurrency,
            rule,
            most,
            index,
            target,
            seen,
            pieces,
            known: BTreeMap::new(),
            dialogues: 0,
        })
    }

    /// The number of trials so far.
    pub fn trials(&self) -> usize {
        self.known.len()
    }

    /// The reduction that a text describes.
    ///
    /// # Errors
    /// Returns the part that the dialogue does not have.
    pub fn parse_reduction(&self, text: &str) -> Result<Reduction, String> {
        let reduction = spec::parse_reduction(&self.pieces, text)?;
        let kept = self.pieces.consistent(reduction.kept.clone());
        match reduction.kept.difference(&kept).next() {
            Some(piece) => Err(self.pieces.name(piece)),
            None => Ok(reduction),
        }
    }

    /// A reduction as text.
    #[must_use]
    pub fn written(&self, reduction: &Reduction) -> String {
        spec::written(&self.pieces, reduction)
    }

    pub(super) fn plan(&self) -> &Plan {
        self.run.drawer.plan()
    }

    /// The turns of a reduced dialogue.
    fn turns(&self, reduction: &Reduction) -> Result<Vec<ScriptTurn>, DrawError> {
        let script = self.run.drawer.script(self.run.seed, self.index);
        script.reduced(&self.seen, self.target.turn, reduction)
    }

    /// Runs a reduced dialogue until its outcome is decided. A form that was tried is not run again.
    ///
    /// # Errors
    /// Returns why it could not be run.
    pub fn run_trial(&mut self, reduction: &Reduction) -> Result<Trial, SearchStop> {
        let name = self.written(reduction);
        if let Some(known) = self.known.get(&name) {
            return Ok(known.clone());
        }
        if self.known.len() >= self.most as usize {
            return Err(SearchStop::Tests(self.most));
        }
        let turns = self.turns(reduction)?;
        let FailureRule { repeats, fails: needed } = self.rule;
        let hash = blake3::hash(format!("{} {name}", self.target.turn).as_bytes()).to_hex();
        let (mut fails, mut holds) = (0, 0);
        let (mut failing, mut holding) = (None, None);
        while fails < needed && holds <= repeats - needed {
            // As many as may decide at once: no dialogue is paid for that cannot matter.
            let wave = (needed - fails).min(repeats - needed + 1 - holds);
            let first = fails + holds;
            for transcript in self.run_wave(&turns, &hash[..16], first..first + wave)? {
                match self.target.is_missed(&transcript) {
                    true => (fails, failing) = (fails + 1, Some(transcript)),
                    false => (holds, holding) = (holds + 1, Some(transcript)),
                }
            }
        }
        let failed = fails >= needed;
        let transcript = if failed { failing } else { holding };
        let Some(transcript) = transcript else { return Err(SearchStop::Interrupted) };
        let trial = Trial { failed, fails, of: fails + holds, transcript };
        self.known.insert(name, trial.clone());
        Ok(trial)
    }

    /// Whether a reduced dialogue fails. A form that the scenario cannot draw is not one.
    pub(super) fn fails(&mut self, reduction: &Reduction) -> Result<bool, SearchStop> {
        match self.run_trial(reduction) {
            Ok(trial) => Ok(trial.failed),
            Err(SearchStop::Draw(_)) => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    /// Runs some repetitions at once.
    fn run_wave(
        &mut self,
        turns: &[ScriptTurn],
        name: &str,
        numbers: std::ops::Range<u32>,
    ) -> Result<Vec<Transcript>, SearchStop> {
        let (context, run, index) = (self.context, self.run, self.index);
        let mut transcripts = Vec::new();
        let count = numbers.len();
        let work = async |client: &ifs_inference::Client<'_>, at: usize| {
            let number = numbers.start + u32::try_from(at).unwrap_or(u32::MAX);
            let place = format!("shrink/{name}/{number}");
            let run = RunContext { repeat: Repeat { at: &place, number }, ..run };
            run_turns(client, &run, index, turns.to_vec()).await
        };
        run_in_pool(context, count, self.concurrency, work, |event| {
            let PoolEvent::Done(_, held) = event else { return Ok(()) };
            let (ending, line) = held?;
            match ending {
                Ending::Failed(why) | Ending::PermanentFailure(why) => {
                    return Err(SearchStop::Ended(why));
                }
                Ending::Interrupted => return Err(self.interrupted()),
                Ending::Patience
                | Ending::Condition(_)
                | Ending::Script
                | Ending::MaxTurns
                | Ending::ContextLength
                | Ending::Unrecorded => {}
            }
            let transcript = serde_json::from_str(&line).map_err(std::io::Error::from)?;
            transcripts.push(transcript);
            Ok(())
        })?;
        if transcripts.len() < count {
            return Err(self.interrupted());
        }
        self.dialogues += u32::try_from(count).unwrap_or(u32::MAX);
        Ok(transcripts)
    }

    fn interrupted(&self) -> SearchStop {
        match self.context.ended.get() {
            Some(why) => SearchStop::Ended(why.to_string()),
            None => SearchStop::Interrupted,
        }
    }
}
