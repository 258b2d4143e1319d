//! An answer whose parts meet what is required of them: for proofs, and for simulated models.
//!
//! The goals are sorted by what they speak of (`split`); each part gets pieces that meet the goals
//! about one piece (`pieces`), as many as are asked for; a layout puts them where their readers
//! find them (`layout`). What comes out is read again with the same readers, and what a goal that
//! is to fail needs is changed in it (`spoil`). Nothing is handed out that was not evaluated.

mod layout;
mod pieces;
mod runs;
mod schema;
mod split;
mod spoil;
#[cfg(test)]
mod tests;

use crate::predicate::evaluate::{Scene, Variables, holds};
use crate::predicate::value::Value;
use crate::predicate::witness::{
    About, Effort, Goal, STEPS, Unproven, name, witness_within as of_whole,
};
use crate::text::Text;

use super::{PartReader, PartValue};
use split::Split;

/// A part that goals speak of.
#[derive(Clone, Debug)]
pub struct WitnessPart {
    pub name: String,
    pub list: bool,
    pub reader: PartReader,
}

impl WitnessPart {
    /// The reader that a part without one has here: what it is about as a heading, and below it a
    /// list. [`simulated coders`](crate::parts::Role::Coder) cut it out by that.
    pub fn unread(name: &str, list: bool, about: &str) -> WitnessPart {
        let section = PartReader::Section(about.to_owned());
        let reader = match list {
            true => PartReader::In(Box::new(PartReader::Bullets), Box::new(section)),
            false => section,
        };
        WitnessPart { name: name.to_owned(), list, reader }
    }
}

/// How often everything is built again.
const ATTEMPTS: u64 = 4;

/// An answer that meets all goals. The same for the same parts, goals, topic and seed.
///
/// # Errors
/// The goals that could not be met together; it may be that no answer meets them.
pub fn witness(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &About<'_>,
    seed: u64,
) -> Result<String, Unproven> {
    witness_within(parts, goals, about, seed, (Effort::Searched, &mut STEPS.clone()))
}

/// What goals and parts ask for and what the text is about, as a name: what has the same name is
/// met by the same texts. `None` where it cannot be recorded.
pub fn name_with_parts(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &About<'_>,
) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: what a simulated model looked for");
    hasher.update(&name(goals, about)?);
    hasher.update(format!("{parts:?}").as_bytes());
    Some(hasher.finalize().into())
}

/// The same with so much effort, and what is left of some steps.
///
/// # Errors
/// The goals that could not be met together, or not with this many steps.
pub fn witness_within(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &About<'_>,
    seed: u64,
    (effort, steps): (Effort, &mut usize),
) -> Result<String, Unproven> {
    let split = Split::of(parts, goals);
    if parts.is_empty() && schema::fields(&split.others).is_empty() {
        return of_whole(goals, about, seed, (effort, steps));
    }
    let mut best: Option<(Vec<usize>, String)> = None;
    let mut keep = |text: String| -> Option<String> {
        let missed = missed(parts, goals, &text);
        if missed.is_empty() {
            return Some(text);
        }
        if best.as_ref().is_none_or(|(best, _)| missed.len() < best.len()) {
            best = Some((missed, text));
        }
        None
    };
    for attempt in 0..ATTEMPTS {
        let seed = seed.wrapping_mul(31).wrapping_add(attempt);
        let built = pieces::pieces(parts, &split, about, seed, effort);
        for numbers in [false, true] {
            let text = layout::render(parts, &split, &built, numbers);
            if let Some(text) = keep(text) {
                return Ok(text);
            }
            let spoiled = spoil::spoiled(parts, goals, &split, &built, numbers);
            if let Some(text) = spoiled.and_then(&mut keep) {
                return Ok(text);
            }
        }
    }
    let as_whole = split::over_whole(parts, goals);
    let as_whole: Vec<Goal<'_>> =
        as_whole.iter().zip(goals).map(|(tree, goal)| Goal { tree, ..*goal }).collect();
    let found = of_whole(&as_whole, about, seed, (effort, steps));
    if let Some(text) = found.ok().and_then(&mut keep) {
        return Ok(text);
    }
    let missed = best.map_or_else(|| (0..goals.len()).collect(), |(missed, _)| missed);
    Err(Unproven { goals: missed })
}

/// The values of parts in an answer, by name; none of those that are not found.
fn values(parts: &[WitnessPart], text: &str) -> Vec<(String, Value)> {
    let value = |part: &WitnessPart| {
        let found = part.reader.read(text);
        let cut = PartValue::of(part.list, found.iter().map(AsRef::as_ref));
        Some((part.name.clone(), cut.value()?))
    };
    parts.iter().filter_map(value).collect()
}

/// The goals that an answer misses.
pub fn missed(parts: &[WitnessPart], goals: &[Goal<'_>], text: &str) -> Vec<usize> {
    let values = values(parts, text);
    let read = Text::new(text);
    let met = |goal: &Goal<'_>| met(goal, &values, &read);
    goals.iter().enumerate().filter(|(_, goal)| !met(goal)).map(|(at, _)| at).collect()
}

fn met(goal: &Goal<'_>, values: &Vec<(String, Value)>, text: &Text<'_>) -> bool {
    let both: (&dyn Variables, &dyn Variables) = (values, goal.variables);
    holds(goal.tree, &Scene { it: text, variables: &both }) == goal.wanted
}
