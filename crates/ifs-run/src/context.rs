//! What the dialogues of a run share.

use super::extraction::Extractors;
use crate::utterances::UtteranceSet;
use ifs_draw::{Drawer, Seed};
use ifs_inference::Caller;
use ifs_inference::panel::Panel;
use ifs_judge::JudgePrompts;

/// The shared context of the dialogues of a run.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    pub drawer: &'a Drawer<'a>,
    /// The model under test.
    pub tested: &'a Caller,
    /// The judges.
    pub panel: &'a Panel,
    pub prompts: &'a JudgePrompts<'a>,
    /// Models that extract parts without a reader.
    pub extractors: Option<&'a Extractors>,
    /// The system message of the run, before that of the dialogue.
    pub system: Option<&'a str>,
    pub seed: Seed,
    /// The maximum number of turns of a dialogue.
    pub max_turns: u32,
    /// The number of responses to each turn.
    pub samples: u32,
    /// User messages that replace those made by templates.
    pub utterances: Option<&'a UtteranceSet>,
    /// For a dialogue that is run again in the same run.
    pub repeat: Repeat<'a>,
}

/// Distinguishes the requests of dialogues that are run several times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeat<'a> {
    /// The beginning of their places in the journal.
    pub at: &'a str,
    /// The number of earlier repetitions.
    pub number: u32,
}
