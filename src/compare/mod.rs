//! Runs beside one another: the same turns asked of several models, or of one model in two variants.
//!
//! What is compared is the PIF of each turn's first answer, as an exact fraction, so that equal shares
//! are ties and not the rounding of floats.

mod bias;
mod dominance;
mod wilcoxon;

use std::collections::BTreeMap;

use serde::Serialize;

pub use bias::{Bias, BiasRow, Mark, MarksError, bias, read_marks};
pub use dominance::{Dominance, Step, distribution, dominates};
pub use wilcoxon::{Method, Wilcoxon, wilcoxon};

use crate::score::{ScoredDialogue, Share, pif};

/// The turns of a run that were judged.
#[derive(Clone, Debug)]
pub struct Side {
    /// How the run is called: its model, and its variant.
    pub name: String,
    /// (dialogue, index, turn) and the PIF of its answer.
    pub turns: BTreeMap<(String, u64, u32), Share>,
    /// The corpus PIF: a mean over dialogues of means over turns.
    pub pif: Option<f64>,
}

impl Side {
    pub fn new(name: String, dialogues: &[ScoredDialogue], pif_of_all: Option<f64>) -> Side {
        let turns = dialogues
            .iter()
            .flat_map(|dialogue| {
                dialogue.turns.iter().filter_map(|turn| {
                    let key = (dialogue.dialogue.clone(), dialogue.index, turn.turn);
                    Some((key, pif(&turn.constraints)?))
                })
            })
            .collect();
        Side { name, turns, pif: pif_of_all }
    }
}

/// What runs come to beside one another.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub sides: Vec<Summary>,
    pub pairs: Vec<Pair>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub name: String,
    pub turns: usize,
    pub pif: Option<f64>,
    /// The empirical distribution of PIF over all turns.
    pub distribution: Vec<Step>,
}

/// Two runs, on the turns that both have.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    pub one: String,
    pub other: String,
    /// Turns that both have.
    pub turns: usize,
    /// The mean of what `one` has more than `other`, turn by turn.
    pub difference: f64,
    pub wilcoxon: Wilcoxon,
    /// First-order stochastic dominance over all turns.
    pub dominance: Dominance,
    /// The same on the turns of each number.
    pub by_turn: Vec<TurnDominance>,
}

#[derive(Clone, Debug, Serialize)]
pub struct TurnDominance {
    pub turn: u32,
    pub count: usize,
    pub difference: f64,
    pub dominance: Dominance,
}

/// Every two of several runs.
#[must_use]
pub fn compare(sides: &[Side]) -> Comparison {
    let mut pairs = Vec::new();
    for (at, one) in sides.iter().enumerate() {
        pairs.extend(sides[at + 1..].iter().map(|other| pair(one, other)));
    }
    let summary = |side: &Side| Summary {
        name: side.name.clone(),
        turns: side.turns.len(),
        pif: side.pif,
        distribution: distribution(&side.turns.values().copied().collect::<Vec<_>>()),
    };
    Comparison { sides: sides.iter().map(summary).collect(), pairs }
}

fn pair(one: &Side, other: &Side) -> Pair {
    let both: Vec<(u32, Share, Share)> = one
        .turns
        .iter()
        .filter_map(|(key, share)| Some((key.2, *share, *other.turns.get(key)?)))
        .collect();
    let mut turns: BTreeMap<u32, Vec<(Share, Share)>> = BTreeMap::new();
    for (turn, mine, theirs) in &both {
        turns.entry(*turn).or_default().push((*mine, *theirs));
    }
    let all: Vec<(Share, Share)> = both.iter().map(|(_, mine, theirs)| (*mine, *theirs)).collect();
    let by_turn = turns
        .iter()
        .map(|(turn, pairs)| TurnDominance {
            turn: *turn,
            count: pairs.len(),
            difference: difference(pairs),
            dominance: dominates(pairs),
        })
        .collect();
    Pair {
        one: one.name.clone(),
        other: other.name.clone(),
        turns: all.len(),
        difference: difference(&all),
        wilcoxon: wilcoxon(&all),
        dominance: dominates(&all),
        by_turn,
    }
}

fn difference(pairs: &[(Share, Share)]) -> f64 {
    let sum: f64 = pairs.iter().map(|(mine, theirs)| mine.number() - theirs.number()).sum();
    if pairs.is_empty() { 0.0 } else { sum / pairs.len() as f64 }
}
