//! Turns for which no text is found that satisfies everything required: perhaps every model fails them.

use std::collections::BTreeMap;

use super::{Previewed, place};
use crate::proof::{DialogueBudget, Proof, Prover};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use ifs_model::table::DecidedBy;
use ifs_plan::Plan;
use ifs_predicate::witness::SEARCH_STEPS;

/// The dialogues that are drawn, and the turns of all of them together.
const MAX_DIALOGUES: u64 = 12;
const MAX_TURNS: usize = 150;
/// The steps of the searches of one dialogue. When they are spent, nothing more is claimed.
const MAX_STEPS: usize = 2 * SEARCH_STEPS;
/// The steps of all work on one dialogue, and the part of them that counts for the check: without the
/// rest of these searches a scenario is still checked.
const MAX_WORK: u64 = 20_000_000;
const WORK_SHARE: u64 = 16;
/// The most sets of constraints that are named.
const MAX_NAMED_SETS: usize = 3;

/// The turns without a witness, by the constraints that have none together.
#[derive(Default)]
struct UnprovenTurns {
    turns: usize,
    all: usize,
    /// With the first turn of each: the index of its dialogue, its number and its place.
    sets: BTreeMap<Vec<String>, (u64, u32, Span)>,
}

pub(super) fn check(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    // A turn without a witness is drawn again.
    if dialogue.table.witness_draws.is_some() {
        return None;
    }
    let (unproven, steps) = work::apart(MAX_WORK, || unproven_turns(previewed));
    work::spend(Task::Witnesses, steps / WORK_SHARE);
    let unproven = unproven?;
    let (set, (index, turn, span)) = unproven.sets.first_key_value()?;
    let names =
        |set: &[String]| set.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let name = &dialogue.table.name;
    let mut message = format!(
        "no text was found that satisfies {} on turn {turn} of dialogue `{name}` number {index}",
        names(set)
    );
    if unproven.turns > 1 {
        message.push_str(&format!(", and on {} of {} turns", unproven.turns, unproven.all));
    }
    let mut diagnostic = Diagnostic::warning(Code::UNPROVEN_TURN, message)
        .label(*span, "a model may fail this whatever it says");
    for (set, (_, turn, span)) in unproven.sets.iter().skip(1).take(MAX_NAMED_SETS - 1) {
        diagnostic = diagnostic.label(*span, format!("on turn {turn}: {}", names(set)));
    }
    for key in set {
        if let Some(span) = place_of(plan, key) {
            diagnostic = diagnostic.label(span, "");
        }
    }
    let draws = !dialogue.table.groups.is_empty();
    Some(diagnostic.help(match draws {
        true => "write `redraw until witness`, or change the constraints",
        false => "require less, or give the turn an `answer` that satisfies it",
    }))
}

fn unproven_turns(previewed: &Previewed<'_>) -> Option<UnprovenTurns> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    let name = &dialogue.table.name;
    let mut unproven = UnprovenTurns::default();
    let count = previewed.drawer()?.period().unwrap_or(MAX_DIALOGUES);
    // Without records, dialogues differ by their draws.
    let count = if count <= 1 { MAX_DIALOGUES } else { count.min(MAX_DIALOGUES) };
    let mut left = MAX_STEPS;
    for index in 0..count {
        let mut prover = Prover::new(plan, name).with_budget(DialogueBudget::of(left));
        let script = previewed.script(index)?;
        for turn in script.take(MAX_TURNS - unproven.all).map_while(Result::ok) {
            unproven.all += 1;
            let proof = prover.prove(&turn);
            if prover.steps_left() == 0 || work::is_exhausted() {
                return Some(unproven);
            }
            if let Proof::Missing(mut set) = proof {
                unproven.turns += 1;
                set.sort();
                let span = place(plan, dialogue, &turn.name);
                unproven.sets.entry(set).or_insert((index, turn.turn, span));
            }
        }
        left = prover.steps_left();
        if unproven.all == MAX_TURNS {
            break;
        }
    }
    Some(unproven)
}

/// Where a constraint is declared.
fn place_of(plan: &Plan, key: &str) -> Option<Span> {
    let name = key.split(" by ").next().unwrap_or(key);
    let constraint = plan.constraint(name)?;
    matches!(constraint.by, DecidedBy::Rule(_)).then_some(constraint.span)
}
