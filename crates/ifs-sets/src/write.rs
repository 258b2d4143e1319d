//! The lines of a set, and what they cover.

use std::collections::BTreeSet;

use super::alike::WordingSample;
pub use super::manifest::Coverage;
use super::manifest::Difficulty;
use super::row::{SetRow, SetTurn};
use super::tree;
use blake3::Hash;
use ifs_base::minhash::word_count;
use ifs_base::parallel::{in_order, workers};
use ifs_draw::proof::{Proof, Prover};
use ifs_draw::{DrawError, Drawer, FIRST_ANCHOR, Seed};
use ifs_model::table::DecidedBy;
use ifs_plan::Plan;
use ifs_run::{Selected, group_of};

/// What a set is drawn with.
pub struct DrawnSet<'d> {
    pub drawer: &'d Drawer<'d>,
    pub seed: Seed,
    pub selected: &'d [Selected],
    pub turns: u32,
    pub canary: &'d str,
    pub release: &'d str,
    pub epoch: &'d str,
}

/// Draws a set and gives its lines one by one, in their order, with their ends.
///
/// # Errors
/// What prevents drawing, or what `give` returns.
pub fn draw_set<E: From<DrawError> + From<std::io::Error> + Send>(
    drawn: &DrawnSet<'_>,
    salt: impl Fn(u64) -> [u8; 32] + Sync,
    mut give: impl FnMut(u64, &[u8]) -> Result<(), E> + Send,
) -> Result<SetDescription, E> {
    let mut left = drawn.selected.iter().enumerate();
    let mut written = SetDescription::default();
    let plan = drawn.drawer.plan();
    in_order(
        workers(),
        || Ok::<_, E>(left.next()),
        |(number, selected)| -> Result<_, DrawError> {
            let (row, witnesses) = row(drawn, number as u64, selected)?;
            let mut line = serde_json::to_vec(&row).unwrap_or_default();
            line.push(b'\n');
            Ok((number as u64, row, witnesses, line))
        },
        |made| {
            let (number, row, witnesses, line) = made?;
            count_coverage(plan, &row, &mut written.coverage);
            let unproven = row.turns.iter().filter(|turn| !turn.no_witness.is_empty());
            let unproven = unproven.map(|turn| UnprovenTurn {
                index: row.index,
                turn: turn.script.turn,
                constraints: turn.no_witness.clone(),
            });
            let room = MAX_UNPROVEN.saturating_sub(written.unproven.len());
            written.unproven.extend(unproven.take(room));
            profile(plan, &row, &witnesses, &mut written.difficulty);
            row.turns.iter().for_each(|turn| written.wording.add(&turn.script.ask));
            written.leaves.push(tree::leaf(&salt(number), &line));
            give(number, &line)
        },
    )?;
    Ok(written)
}

/// A row, and the number of words of each turn's witness.
fn row(
    drawn: &DrawnSet<'_>,
    number: u64,
    selected: &Selected,
) -> Result<(SetRow, Vec<Option<u64>>), DrawError> {
    let name = drawn.drawer.dialogue().table.name.as_str();
    let mut prover = Prover::new(drawn.drawer.plan(), name);
    let (mut turns, mut witnesses) = (Vec::new(), Vec::new());
    let script = drawn.drawer.script(drawn.seed, selected.index).take_both_sides();
    for turn in script.take(drawn.turns as usize) {
        let script = turn?;
        let proof = prover.prove(&script);
        let no_witness = match &proof {
            Proof::Missing(constraints) => constraints.clone(),
            Proof::Witness(_) | Proof::Nothing => Vec::new(),
        };
        witnesses.push(match &proof {
            Proof::Witness(text) => Some(word_count(text) as u64),
            Proof::Missing(_) | Proof::Nothing => None,
        });
        let no_rules = proof == Proof::Nothing && script.given.is_none();
        let witness = proof.hash();
        turns.push(SetTurn { script, witness, no_witness, no_rules });
    }
    let row = SetRow {
        canary: drawn.canary.to_owned(),
        release: drawn.release.to_owned(),
        epoch: drawn.epoch.to_owned(),
        dialogue: name.to_owned(),
        number,
        index: selected.index,
        anchor: selected.index >= FIRST_ANCHOR,
        turns,
    };
    Ok((row, witnesses))
}

/// The statistics of a set, and the leaves of its tree.
#[derive(Clone, Debug, Default)]
pub struct SetDescription {
    pub coverage: Coverage,
    pub difficulty: Difficulty,
    pub wording: WordingSample,
    pub leaves: Vec<Hash>,
    /// The first turns without a witness; `coverage` counts all of them.
    pub unproven: Vec<UnprovenTurn>,
}

/// A turn for which no text was found that satisfies these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprovenTurn {
    /// The index of its dialogue, and the number of the turn.
    pub index: u64,
    pub turn: u32,
    pub constraints: Vec<String>,
}

/// The most turns without a witness that are named.
const MAX_UNPROVEN: usize = 8;

fn profile(plan: &Plan, row: &SetRow, witnesses: &[Option<u64>], difficulty: &mut Difficulty) {
    fn count<K: Ord>(map: &mut std::collections::BTreeMap<K, u64>, key: K) {
        *map.entry(key).or_default() += 1;
    }
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    count(&mut difficulty.turns, small(row.turns.len()));
    for (turn, witness) in row.turns.iter().zip(witnesses) {
        let script = &turn.script;
        let ages =
            script.active_constraints.iter().map(|active| script.turn.saturating_sub(active.since));
        if let Some(oldest) = ages.max() {
            count(&mut difficulty.oldest, oldest);
        }
        count(&mut difficulty.changes, small(script.changes.len()));
        let judged = script.active_constraints.iter().filter(|active| {
            let constraint = plan.constraint(&active.constraint);
            constraint.is_some_and(|one| matches!(one.by, DecidedBy::Judge(_)))
        });
        count(&mut difficulty.judged, small(judged.count()));
        let length = word_count(&script.ask) as u64;
        count(&mut difficulty.message_words, length.next_power_of_two());
        if let Some(length) = witness {
            count(&mut difficulty.witness_words, length.next_power_of_two());
        }
    }
}

/// Counts what a dialogue covers.
pub fn count_coverage(plan: &Plan, row: &SetRow, coverage: &mut Coverage) {
    fn count<K: Ord>(map: &mut std::collections::BTreeMap<K, u64>, key: K) {
        *map.entry(key).or_default() += 1;
    }
    let (mut topics, mut styles) = (BTreeSet::new(), BTreeSet::new());
    for SetTurn { script, witness, no_witness, no_rules } in &row.turns {
        coverage.turns += 1;
        coverage.witnessed += u64::from(witness.is_some());
        // An empty turn is never read.
        let is_empty = script.active_constraints.is_empty() && script.criteria.is_empty();
        coverage.judged_only += u64::from(*no_rules && !is_empty);
        coverage.without_witness += u64::from(!no_witness.is_empty());
        let mut groups: BTreeSet<&str> = BTreeSet::new();
        for active in &script.active_constraints {
            count(&mut coverage.constraints, active.constraint.clone());
            groups.insert(group_of(plan, &active.constraint));
        }
        let groups: Vec<&str> = groups.into_iter().collect();
        for (at, one) in groups.iter().enumerate() {
            count(&mut coverage.groups, (*one).to_owned());
            for other in &groups[at + 1..] {
                count(&mut coverage.pairs_of_groups, format!("{one} + {other}"));
            }
        }
        for related in &script.relations {
            count(&mut coverage.relations, related.kind.word().to_owned());
        }
        count(&mut coverage.moves, script.transition.word().to_owned());
        count(
            &mut coverage.active,
            u32::try_from(script.active_constraints.len()).unwrap_or(u32::MAX),
        );
        if !script.topic.is_empty() {
            topics.insert(script.topic.clone());
        }
        styles.extend(script.style.clone());
    }
    topics.into_iter().for_each(|topic| count(&mut coverage.topics, topic));
    styles.into_iter().for_each(|style| count(&mut coverage.styles, style));
}
