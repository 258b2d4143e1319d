//! What a selection of dialogues is, and whether all of them can be drawn.

use ifs_base::parallel::{in_order, workers};
use ifs_draw::{DrawError, Drawer, Seed};

/// A dialogue to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    pub dialogue: String,
    pub index: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    pub dialogues: Vec<Selected>,
    /// Candidates that `keep` rejected.
    pub rejected: u64,
    /// Candidates that repeat the text of an earlier one.
    pub repeats: u64,
    /// Those and all others that were skipped, in their order.
    pub passed: Vec<SkippedDialogue>,
    /// Why there are fewer dialogues than requested.
    pub limit: Option<Limit>,
}

/// A dialogue that was drawn and is not in a selection.
#[derive(Clone, Debug, PartialEq)]
pub struct SkippedDialogue {
    pub index: u64,
    pub reason: SkipReason,
}

/// Why a dialogue was skipped.
#[derive(Clone, Debug, PartialEq)]
pub enum SkipReason {
    /// A `keep` rejected it.
    Keep,
    /// It repeats the text of the dialogue with this index.
    Repeats(u64),
    /// It shares too much wording with the dialogue with this index.
    Alike { of: u64, share: f64 },
    /// A quota is full: the feature that it counts.
    Quota(String),
    /// It has no feature that a cover or a quota still lacks.
    NotNeeded,
}

/// The number of distinct texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nothing is drawn in the dialogue, so there are no others.
    Exactly(u64),
    /// The number of distinct texts among those drawn; all of the last ones were repeats.
    Found { distinct: u64, drawn: u64 },
}

impl Limit {
    pub fn distinct(self) -> u64 {
        match self {
            Limit::Exactly(distinct) | Limit::Found { distinct, .. } => distinct,
        }
    }
}

/// Turns of each dialogue that are drawn before a model is called.
const TURNS_DRAWN_BEFORE_RUN: u32 = 200;

/// Draws the selected dialogues up to a turn, so that an error of the scenario is found before a
/// request is paid for.
///
/// # Errors
/// Returns the error of the first dialogue that cannot be drawn, or an error if no thread could be
/// started.
pub fn drawable<E: From<DrawError> + From<std::io::Error> + Send>(
    drawer: &Drawer<'_>,
    seed: Seed,
    selected: &[Selected],
    turns: u32,
) -> Result<(), E> {
    let turns = turns.min(TURNS_DRAWN_BEFORE_RUN) as usize;
    let mut left = selected.iter();
    in_order(
        workers(),
        || Ok(left.next()),
        |selected| {
            let script = drawer.script(seed, selected.index).take_both_sides();
            script.take(turns).try_for_each(|turn| turn.map(drop))
        },
        |drawn| Ok(drawn?),
    )
}
