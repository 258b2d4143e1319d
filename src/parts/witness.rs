//! Witnesses for responses with parts: for proofs, and for simulated models.
//!
//! The goals are sorted by what they depend on (`split`). Each part gets pieces that satisfy the
//! goals about one piece (`pieces`), as many as required. A layout arranges them for their readers
//! (`layout`). The result is parsed again with the same readers, and changed to violate the goals
//! that must fail (`spoil`). Every returned text was evaluated.

mod layout;
mod pieces;
mod runs;
mod schema;
mod split;
#[cfg(test)]
mod tests;
mod violate;

use crate::predicate::evaluate::{TextContext, Variables, holds};
use crate::predicate::value::Value;
use crate::predicate::witness::{
    Effort, Goal, SEARCH_STEPS, TextTopic, WitnessFailure, name, witness_within as of_whole,
};
use crate::text::Text;

use super::{PartReader, PartValue};
use split::SplitGoals;

/// A part in goals.
#[derive(Clone, Debug)]
pub struct WitnessPart {
    pub name: String,
    pub list: bool,
    pub reader: PartReader,
}

impl WitnessPart {
    /// The reader for a part without one: its description as a heading, followed by a list.
    /// [`simulated coders`](crate::parts::Role::Coder) extract it in the same way.
    pub fn unread(name: &str, list: bool, about: &str) -> WitnessPart {
        let section = PartReader::Section(about.to_owned());
        let reader = match list {
            true => PartReader::In(Box::new(PartReader::Bullets), Box::new(section)),
            false => section,
        };
        WitnessPart { name: name.to_owned(), list, reader }
    }
}

/// The maximum number of attempts.
const MAX_ATTEMPTS: u64 = 4;

/// A response that satisfies all goals. The same parts, goals, topic and seed give the same
/// response.
///
/// # Errors
/// Returns the goals that could not be satisfied together; a solution may still exist.
pub fn witness(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
) -> Result<String, WitnessFailure> {
    witness_within(parts, goals, about, seed, (Effort::Searched, &mut SEARCH_STEPS.clone()))
}

/// A name for the goals, the parts and the topic: with the same name, the same texts are witnesses.
/// `None` if it cannot be recorded.
pub fn name_with_parts(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
) -> Option<[u8; 32]> {
    let mut hasher = blake3::Hasher::new_derive_key("ifs: what a simulated model looked for");
    hasher.update(&name(goals, about)?);
    hasher.update(format!("{parts:?}").as_bytes());
    Some(hasher.finalize().into())
}

/// The same with a limited effort, and a remaining number of steps.
///
/// # Errors
/// Returns the goals that could not be satisfied together with this many steps.
pub fn witness_within(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
    (effort, steps): (Effort, &mut usize),
) -> Result<String, WitnessFailure> {
    let split = SplitGoals::classify(parts, goals);
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
    for attempt in 0..MAX_ATTEMPTS {
        let seed = seed.wrapping_mul(31).wrapping_add(attempt);
        let built = pieces::pieces(parts, &split, about, seed, effort);
        for numbers in [false, true] {
            let text = layout::render(parts, &split, &built, numbers);
            if let Some(text) = keep(text) {
                return Ok(text);
            }
            let spoiled = violate::violating(parts, goals, &split, &built, numbers);
            if let Some(text) = spoiled.and_then(&mut keep) {
                return Ok(text);
            }
        }
    }
    let as_whole = split::goals_over_response(parts, goals);
    let as_whole: Vec<Goal<'_>> =
        as_whole.iter().zip(goals).map(|(tree, goal)| Goal { tree, ..*goal }).collect();
    let found = of_whole(&as_whole, about, seed, (effort, steps));
    if let Some(text) = found.ok().and_then(&mut keep) {
        return Ok(text);
    }
    let missed = best.map_or_else(|| (0..goals.len()).collect(), |(missed, _)| missed);
    Err(WitnessFailure { goals: missed })
}

/// The values of parts in a response, by name; without those that are not found.
fn values(parts: &[WitnessPart], text: &str) -> Vec<(String, Value)> {
    let value = |part: &WitnessPart| {
        let found = part.reader.read(text);
        let cut = PartValue::from_pieces(part.list, found.iter().map(AsRef::as_ref));
        Some((part.name.clone(), cut.value()?))
    };
    parts.iter().filter_map(value).collect()
}

/// The goals that a response violates.
pub fn missed(parts: &[WitnessPart], goals: &[Goal<'_>], text: &str) -> Vec<usize> {
    let values = values(parts, text);
    let read = Text::new(text);
    let met = |goal: &Goal<'_>| met(goal, &values, &read);
    goals.iter().enumerate().filter(|(_, goal)| !met(goal)).map(|(at, _)| at).collect()
}

fn met(goal: &Goal<'_>, values: &Vec<(String, Value)>, text: &Text<'_>) -> bool {
    let both: (&dyn Variables, &dyn Variables) = (values, goal.variables);
    holds(goal.tree, &TextContext { it: text, variables: &both }) == goal.wanted
}
