//! The selection of dialogues: those of a release, or the first ones.

use crate::model::table::Release;
use crate::parallel::{in_order, workers};
use crate::predicate::evaluate::{Scene, evaluate};
use crate::predicate::value::Value;
use crate::script::{DrawError, Drawer, ScriptTurn, Seed};
use crate::text::Text;

/// The number of turns that the `keep` of a release sees.
const LOOKED_AT: usize = 20;

/// The maximum number of candidates per dialogue of a release.
pub(super) const PATIENCE: u64 = 1000;

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
    /// Those and all others that were passed over, in their order.
    pub passed: Vec<Passed>,
    /// Why there are fewer dialogues than requested.
    pub limit: Option<Limit>,
}

/// A dialogue that was drawn and is not in a selection.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    pub index: u64,
    pub reason: Reason,
}

/// Why a dialogue was passed over.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A `keep` rejected it.
    Keep,
    /// It repeats the text of the dialogue with this index.
    Repeats(u64),
    /// It shares too much wording with the dialogue with this index.
    Alike { of: u64, share: f64 },
    /// A quota is full: the feature that it counts.
    Quota(String),
    /// It has nothing of what a cover or a quota still lacks.
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

/// The first `count` dialogues that a release keeps; all are kept without one.
///
/// `keep` sees the first 20 turns of a script as `turns`: records of `turn`,
/// `topic`, `transition`, `change` and `constraints`. What else a release declares is counted over
/// the same turns, whatever the number of turns of the utterance set.
#[cfg(feature = "run")]
pub fn select(
    drawer: &Drawer<'_>,
    release: Option<&Release>,
    seed: Seed,
    count: u64,
) -> Result<Selection, DrawError> {
    let name = drawer.dialogue().table.name.clone();
    if let Some(release) = release.filter(|release| super::declared::declares(release)) {
        let turns = LOOKED_AT as u32;
        return super::declared::select_declared(drawer, release, seed, count, turns);
    }
    let mut selection = Selection::default();
    let keep = release.map_or(&[][..], |release| &release.keep);
    let limit = count.saturating_mul(PATIENCE);
    let mut index = 0;
    while (selection.dialogues.len() as u64) < count && index < limit {
        if keep.is_empty() || kept(drawer, keep, seed, index)? {
            selection.dialogues.push(Selected { dialogue: name.clone(), index });
        } else {
            selection.rejected += 1;
        }
        index += 1;
    }
    Ok(selection)
}

/// Turns of each dialogue that are drawn before a model is called.
const DRAWN_BEFORE: u32 = 200;

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
    let turns = turns.min(DRAWN_BEFORE) as usize;
    let mut left = selected.iter();
    in_order(
        workers(),
        || Ok(left.next()),
        |selected| {
            drawer.script(seed, selected.index).take(turns).try_for_each(|turn| turn.map(drop))
        },
        |drawn| Ok(drawn?),
    )
}

/// The first `count` dialogues with distinct texts that a release keeps, or fewer if there are not
/// enough. The first `most` turns of texts are compared.
///
/// After many repeats in a row the search stops: another text as likely as each of those found
/// would have been drawn with a probability of 149 in 150.
#[cfg(feature = "run")]
pub fn select_distinct(
    drawer: &Drawer<'_>,
    release: Option<&Release>,
    seed: Seed,
    count: u64,
    most: u32,
) -> Result<Selection, DrawError> {
    let name = drawer.dialogue().table.name.clone();
    if let Some(release) = release.filter(|release| super::declared::declares(release)) {
        return super::declared::select_declared(drawer, release, seed, count, most);
    }
    let mut selection = Selection::default();
    let keep = release.map_or(&[][..], |release| &release.keep);
    let mut texts = super::Texts::new(drawer, seed, most);
    let (mut in_a_row, mut asked_exactly) = (0, false);
    for index in 0..count.saturating_mul(PATIENCE) {
        let distinct = selection.dialogues.len() as u64;
        if distinct == count {
            break;
        }
        if !keep.is_empty() && !kept(drawer, keep, seed, index)? {
            selection.rejected += 1;
            selection.passed.push(Passed { index, reason: Reason::Keep });
            continue;
        }
        let Some(of) = texts.add(index)? else {
            selection.dialogues.push(Selected { dialogue: name.clone(), index });
            in_a_row = 0;
            continue;
        };
        selection.passed.push(Passed { index, reason: Reason::Repeats(of) });
        selection.repeats += 1;
        in_a_row += 1;
        // Every record was used, so unless something else is drawn, there are no new texts.
        if let Some(period) = drawer.period()
            && index >= period
            && !asked_exactly
        {
            asked_exactly = true;
            if super::distinct::exactly(drawer, seed, most, period)?.is_some() {
                selection.limit = Some(Limit::Exactly(distinct));
                break;
            }
        }
        if in_a_row >= 5 * (distinct + 1) + 10 {
            let drawn = distinct + selection.repeats;
            selection.limit = Some(Limit::Found { distinct, drawn });
            break;
        }
    }
    Ok(selection)
}

pub(super) fn kept(
    drawer: &Drawer<'_>,
    keep: &[crate::predicate::tree::Tree],
    seed: Seed,
    index: u64,
) -> Result<bool, DrawError> {
    let turns: Vec<ScriptTurn> =
        drawer.script(seed, index).plain().take(LOOKED_AT).collect::<Result<_, _>>()?;
    let topics: std::collections::BTreeSet<&str> =
        turns.iter().map(|turn| turn.topic.as_str()).collect();
    let record = |turn: &ScriptTurn| {
        let change = turn.changes.first().map_or("none", |changed| changed.change.word());
        Value::record([
            ("turn", Value::Int(i64::from(turn.turn))),
            ("topic", Value::text(&turn.topic)),
            ("transition", Value::text(&turn.transition)),
            ("change", Value::text(change)),
            ("constraints", Value::Int(turn.active_constraints.len() as i64)),
        ])
    };
    let facts = [
        ("turns", Value::list(turns.iter().map(record))),
        ("topics", Value::Int(topics.len() as i64)),
    ];
    let nothing = Text::new("");
    let scene = Scene { it: &nothing, variables: &facts };
    Ok(keep.iter().all(|condition| evaluate(condition, &scene) == Ok(Value::Bool(true))))
}
