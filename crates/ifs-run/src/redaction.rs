//! Transcripts and verdicts without prompts or without responses, for reports that are published.
//!
//! Verdicts, counts and names of constraints stay. Reasons quote both, so either leaves them out.

use std::sync::Arc;

use super::redact;
use super::scored::GradedDialogue;
use super::transcript::Transcript;
use ifs_inference::HIDDEN_PROMPT;
use ifs_score::{Ending, ScoredConstraint, ScoredDialogue};
use ifs_value::stable_hash::StreamKey;

/// What is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Messages, drawn values, golden answers, criteria, and the names of records.
    pub prompts: bool,
    /// Responses, reasoning, and the feedback that quotes them.
    pub responses: bool,
}

impl Redaction {
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Redaction::default()
    }

    /// What is left out, by the names of the option.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let all = [("prompts", self.prompts), ("responses", self.responses)];
        all.into_iter().filter(|(_, left_out)| *left_out).map(|(name, _)| name).collect()
    }

    /// A transcript after it was graded, with its grades.
    pub fn apply(self, transcript: &mut Transcript, graded: &mut GradedDialogue) {
        if self.is_none() {
            return;
        }
        let hidden = || HIDDEN_PROMPT.to_owned();
        ending(&mut transcript.ending);
        for turn in &mut transcript.turns {
            if self.prompts {
                let system = turn.script.system.is_some();
                turn.script = redact::script(&record, &turn.script);
                turn.script.system = system.then(hidden);
                turn.history = turn.history.take().map(|_| hidden());
            }
            turn.rounds.iter_mut().for_each(|round| round.ask = hidden());
            for sample in turn.responses_mut() {
                // Reasoning quotes the prompt, and is part of the response.
                sample.reasoning.clear();
                if self.responses {
                    sample.answer = hidden();
                    sample.extracted.clear();
                }
            }
        }
        for verdict in graded.verdicts.iter_mut().flatten().flatten() {
            redact::without_reason(verdict);
            if self.responses {
                verdict.places.clear();
            }
        }
        self.scores(&mut graded.scored);
    }

    /// The scores of a dialogue without reasons.
    pub fn scores(self, dialogue: &mut ScoredDialogue) {
        if self.is_none() {
            return;
        }
        ending(&mut dialogue.ending);
        if self.prompts {
            let slices = dialogue.turns.iter_mut().map(|turn| &mut turn.slice);
            for slice in slices.chain([&mut dialogue.slice]) {
                *slice = slice.take().map(|name| record(&name));
            }
        }
        let silent = |one: &mut Arc<ScoredConstraint>| {
            if one.why.is_some() {
                Arc::make_mut(one).why = None;
            }
        };
        for turn in &mut dialogue.turns {
            if self.prompts {
                turn.topic = turn.topic.take().map(|name| record(&name));
                turn.classes.iter_mut().for_each(|class| *class = record(class));
            }
            turn.constraints.iter_mut().chain(&mut turn.overruled).for_each(silent);
            turn.rounds.iter_mut().chain(&mut turn.samples).flatten().for_each(silent);
        }
    }
}

/// An endpoint may repeat what it was sent.
fn ending(ending: &mut Ending) {
    if let Ending::Failed(why) | Ending::PermanentFailure(why) = ending {
        HIDDEN_PROMPT.clone_into(why);
    }
}

/// The same name for the same record. Names of records are taken from its text.
fn record(name: &str) -> String {
    match name {
        "" => String::new(),
        name => format!("record-{:08x}", StreamKey::new(name).number() >> 32),
    }
}
