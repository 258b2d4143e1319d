//! Witnesses for turns while they are drawn. What is found depends only on the turn, never on what was
//! drawn before, and the search has steps of its own, so that drawing stays a function of (definition,
//! seed, index).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{CheckedRule, TurnTopic, required_parts, rules};
use crate::{PlacedResponse, ScriptTurn};
use ifs_base::work::{self, Task};
use ifs_model::table::{DecidedBy, Dialogue, TurnPart};
use ifs_parts::parts::witness::{WitnessPart, missed, name_with_parts, witness_within};
use ifs_plan::Plan;
use ifs_predicate::bound::conflict;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::witness::{Effort, Goal, TextTopic};

/// The steps of the search for one draw.
const DRAW_STEPS: usize = 600_000;
/// The most results that are remembered.
const MAX_CACHED_RESULTS: usize = 4096;

/// What was found for a drawn turn.
pub(crate) enum WitnessedDraw {
    /// A text; `None` if nothing has to be satisfied.
    Witness(Option<String>),
    /// The constraints without one, as far as they could be told apart.
    Missing(Vec<String>),
}

/// The most steps of the work for one draw, which are many times those of an ordinary one.
const MAX_DRAW_WORK: u64 = 10_000_000;

/// A text that was found for the rules of a turn, or the positions of the rules without one.
type SearchResult = Result<String, Vec<usize>>;
/// Results, with the steps that each took.
type KnownResults = HashMap<[u8; 32], (SearchResult, u64)>;

/// Searches for drawn turns, with the results so far. They are only looked up and never iterated.
#[derive(Default)]
pub(crate) struct DrawnWitnesses(Mutex<KnownResults>);

impl DrawnWitnesses {
    pub fn find(&self, plan: &Plan, dialogue: &str, turn: &ScriptTurn) -> WitnessedDraw {
        if turn.given.is_some() {
            return WitnessedDraw::Witness(None);
        }
        let mut rules = rules(plan, &PlacedResponse { dialogue, turn, replies: &[] });
        // Earlier responses are not known while a turn is drawn.
        rules.retain(|rule| !rule.tree.reads(TurnFact::Replies));
        if rules.is_empty() {
            return WitnessedDraw::Witness(None);
        }
        let goals: Vec<Goal<'_>> = rules.iter().map(|rule| rule.goal(true)).collect();
        let parts = required_parts(turn);
        if let Some(golden) = &turn.golden
            && missed(&parts, &goals, golden).is_empty()
        {
            return WitnessedDraw::Witness(Some(golden.clone()));
        }
        let topic = TurnTopic::from_turn(plan, dialogue, turn);
        let about = topic.text_topic();
        let (result, steps) = match name_with_parts(&parts, &goals, &about) {
            Some(key) => self.known_or_search(key, &parts, &goals, &about),
            None => search(&parts, &goals, &about, 0),
        };
        work::spend(Task::Witnesses, steps);
        match result {
            Ok(text) => WitnessedDraw::Witness(Some(text)),
            Err(positions) => WitnessedDraw::Missing(keys(&rules, &positions)),
        }
    }

    fn known_or_search(
        &self,
        key: [u8; 32],
        parts: &[WitnessPart],
        goals: &[Goal<'_>],
        about: &TextTopic<'_>,
    ) -> (SearchResult, u64) {
        let results = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = results().get(&key) {
            return known.clone();
        }
        let [a, b, c, d, ..] = key;
        let result = search(parts, goals, about, u64::from(u32::from_le_bytes([a, b, c, d])));
        let mut results = results();
        if results.len() >= MAX_CACHED_RESULTS {
            results.clear();
        }
        results.insert(key, result.clone());
        result
    }
}

/// A text for goals, or the positions of those that exclude one another; of all of them, if that is not
/// known.
fn search(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
) -> (SearchResult, u64) {
    work::apart(MAX_DRAW_WORK, || built_or_searched(parts, goals, about, seed))
}

fn built_or_searched(
    parts: &[WitnessPart],
    goals: &[Goal<'_>],
    about: &TextTopic<'_>,
    seed: u64,
) -> SearchResult {
    let within =
        |effort, steps: &mut usize| witness_within(parts, goals, about, seed, (effort, steps));
    let built = within(Effort::Built, &mut DRAW_STEPS.clone());
    built.or_else(|_| within(Effort::Searched, &mut DRAW_STEPS.clone())).map_err(|_| {
        let excludes = |set: &Vec<usize>| {
            let chosen: Vec<Goal<'_>> = set.iter().map(|at| goals[*at]).collect();
            conflict(&super::bounded_checks(&chosen)).is_some()
        };
        let all = || (0..goals.len()).collect();
        super::small_sets(goals.len()).find(excludes).unwrap_or_else(all)
    })
}

fn keys(rules: &[CheckedRule<'_>], positions: &[usize]) -> Vec<String> {
    positions.iter().filter_map(|at| Some(rules.get(*at)?.key.clone())).collect()
}

/// Whether a rule of a dialogue reads a fact.
pub(crate) fn rules_read(plan: &Plan, table: &Dialogue, fact: TurnFact) -> bool {
    fn required<'t>(parts: &'t [TurnPart], into: &mut Vec<&'t DecidedBy>) {
        for part in parts {
            match part {
                TurnPart::Require { by, .. } => into.push(by),
                TurnPart::For { body, .. } => required(body, into),
                _ => {}
            }
        }
    }
    let constraints =
        plan.model.groups.iter().flat_map(|group| &group.constraints).map(|one| &one.by);
    let mut rules: Vec<&DecidedBy> = constraints.collect();
    for turn in table.written_turns(&plan.model.flows) {
        required(&turn.body, &mut rules);
    }
    rules.into_iter().any(|by| match by {
        DecidedBy::Rule(tree) => tree.reads(fact),
        DecidedBy::Judge(_) => false,
    })
}
