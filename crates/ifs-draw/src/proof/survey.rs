//! A sample of dialogues with witnesses: how often draws are accepted, what is refused, and which
//! turns have no witness.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Proof, ProofCache, Prover, Steps};
use crate::{ChoiceTally, DrawError, Drawer, Frequency, Refusal, Seed};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Survey {
    pub dialogue: String,
    pub seed: u64,
    pub dialogues: u64,
    pub turns: u64,
    /// Turns with a witness: for the first draw of the turn, and for a later one.
    pub proven_at_first: u64,
    pub proven_later: u64,
    /// Turns without a witness.
    pub unproven: u64,
    /// Turns without an active rule, for which there is nothing to prove.
    pub nothing_to_prove: u64,
    /// Draws of constraints and values, and those that were rejected.
    pub draws: u64,
    pub refused: u64,
    /// Rejected pairs, most frequent first.
    pub refusals: Vec<ExcludedDraw>,
    /// Sets of constraints without a witness, most frequent first.
    pub missing: Vec<ConstraintSet>,
    /// How often each alternative was drawn, and its declared share.
    pub frequencies: Vec<Frequency>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExcludedDraw {
    pub drawn: String,
    /// The active constraints that exclude it.
    pub beside: Vec<String>,
    pub times: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstraintSet {
    pub constraints: Vec<String>,
    pub turns: u64,
}

/// Draws the first dialogues of a seed up to a turn, and searches a witness for each.
///
/// # Errors
/// Returns an error if a dialogue cannot be drawn.
pub fn survey(
    drawer: &Drawer<'_>,
    seed: Seed,
    dialogues: u64,
    turns: u32,
) -> Result<Survey, DrawError> {
    let name = &drawer.dialogue().table.name;
    let mut survey =
        Survey { dialogue: name.clone(), seed: seed.0, dialogues, ..Survey::default() };
    let mut refusals: BTreeMap<Refusal, u64> = BTreeMap::new();
    let mut missing: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    // The texts are not shown, so one may be used for many turns.
    let mut known = ProofCache::with_texts();
    let steps = Steps::default();
    let mut tally = ChoiceTally::default();
    for index in 0..dialogues {
        let mut script = drawer.script(seed, index).take_both_sides().counted();
        let mut prover = Prover::new(drawer.plan(), name).with_budget(steps.share(index));
        prover.exchange_cache(&mut known);
        for _ in 0..turns {
            let Some(turn) = script.next() else { break };
            let turn = turn?;
            // Nothing has to be satisfiable on a given turn.
            if turn.given.is_some() {
                prover.prove(&turn);
                continue;
            }
            survey.turns += 1;
            script.take_chosen().into_iter().for_each(|chosen| tally.add(chosen));
            let taken = turn.changes.iter().filter(|change| change.after.is_some()).count();
            let refused = script.refused().len();
            survey.draws += (taken + refused) as u64;
            survey.refused += refused as u64;
            for refusal in script.refused() {
                *refusals.entry(refusal.clone()).or_default() += 1;
            }
            match prover.prove(&turn) {
                Proof::Nothing => survey.nothing_to_prove += 1,
                Proof::Witness(_) if turn.tries == 1 => survey.proven_at_first += 1,
                Proof::Witness(_) => survey.proven_later += 1,
                Proof::Missing(constraints) => {
                    survey.unproven += 1;
                    *missing.entry(constraints).or_default() += 1;
                }
            }
        }
        prover.exchange_cache(&mut known);
    }
    survey.refusals = refusals
        .into_iter()
        .map(|(Refusal { drawn, others: beside }, times)| ExcludedDraw { drawn, beside, times })
        .collect();
    survey.refusals.sort_by_key(|pair| std::cmp::Reverse(pair.times));
    survey.missing = missing
        .into_iter()
        .map(|(constraints, turns)| ConstraintSet { constraints, turns })
        .collect();
    survey.missing.sort_by_key(|set| std::cmp::Reverse(set.turns));
    survey.frequencies = tally.frequencies();
    Ok(survey)
}

impl Survey {
    /// The constraint whose draws are rejected most often, and how often.
    pub fn rejects_most(&self) -> Option<(&str, u64)> {
        let mut times: BTreeMap<&str, u64> = BTreeMap::new();
        for pair in &self.refusals {
            *times.entry(&pair.drawn).or_default() += pair.times;
        }
        times.into_iter().max_by_key(|(name, times)| (*times, std::cmp::Reverse(*name)))
    }
}
