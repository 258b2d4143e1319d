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
mod violate;

use std::cell::Cell;

use ifs_predicate::evaluate::{TextContext, Variables, holds};
use ifs_predicate::value::Value;
use ifs_predicate::witness::{
    Effort, Goal, SEARCH_STEPS, TextTopic, WitnessFailure, name, witness_within as of_whole,
};
use ifs_text::Text;

use super::{NamedTexts, PartReader, PartValue};
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
    /// Simulated coders extract it in the same way.
    pub fn unread(name: &str, list: bool, about: &str) -> WitnessPart {
        let section = PartReader::Section(about.to_owned());
        let reader = match list {
            true => PartReader::In(Box::new(PartReader::Bullets), Box::new(section)),
            false => section,
        };
        WitnessPart { name: name.to_owned(), list, reader }
    }
}

/// The bytes that a part reads in one step.
const BYTES_PER_STEP: usize = 4;
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
    let left = Cell::new(*steps);
    for attempt in 0..MAX_ATTEMPTS {
        if attempt > 0 && left.get() == 0 {
            break;
        }
        let seed = seed.wrapping_mul(31).wrapping_add(attempt);
        let built = pieces::pieces(parts, &split, about, seed, (effort, &left));
        for numbers in [false, true] {
            let text = layout::render(parts, &split, &built, numbers);
            // Each part reads all of it.
            let read = text.len().saturating_mul(parts.len());
            left.set(left.get().saturating_sub(read / BYTES_PER_STEP));
            if let Some(text) = keep(text) {
                *steps = left.get();
                return Ok(text);
            }
            if left.get() == 0 {
                break;
            }
            let spoiled = violate::violating(parts, goals, &split, &built, numbers);
            if let Some(text) = spoiled.and_then(&mut keep) {
                *steps = left.get();
                return Ok(text);
            }
        }
    }
    *steps = left.get();
    let as_whole = split::goals_over_response(parts, goals);
    let as_whole: Vec<Goal<'_>> =
        as_whole.iter().zip(goals).map(|(tree, goal)| Goal { tree, ..*goal }).collect();
    let contrived = match of_whole(&as_whole, about, seed, (effort, steps)) {
        Ok(text) => match keep(text) {
            Some(text) => return Ok(text),
            None => None,
        },
        Err(failure) => failure.contrived.filter(|text| missed(parts, goals, text).is_empty()),
    };
    Err(match best {
        Some((missed, _)) => WitnessFailure { goals: missed, contrived },
        None => WitnessFailure { contrived, ..WitnessFailure::of_all(goals) },
    })
}

/// The values of parts in a response, by name; without those that are not found.
fn values(parts: &[WitnessPart], goals: &[Goal<'_>], text: &str) -> Vec<(String, Value)> {
    let value = |part: &WitnessPart| {
        let checks = goals.iter().map(|goal| goal.tree);
        let named = NamedTexts::from_checks(checks.filter(|tree| tree.mentions(&part.name)));
        let found = part.reader.read_answer(text, &named);
        let cut = PartValue::from_items(part.list, found.iter().map(AsRef::as_ref));
        Some((part.name.clone(), cut.value()?))
    };
    parts.iter().filter_map(value).collect()
}

/// The goals that a response violates.
pub fn missed(parts: &[WitnessPart], goals: &[Goal<'_>], text: &str) -> Vec<usize> {
    let values = values(parts, goals, text);
    let read = Text::new(text);
    let met = |goal: &Goal<'_>| met(goal, &values, &read);
    goals.iter().enumerate().filter(|(_, goal)| !met(goal)).map(|(at, _)| at).collect()
}

fn met(goal: &Goal<'_>, values: &Vec<(String, Value)>, text: &Text<'_>) -> bool {
    let both: (&dyn Variables, &dyn Variables) = (values, goal.variables);
    holds(goal.tree, &TextContext { it: text, variables: &both }) == goal.wanted
}
