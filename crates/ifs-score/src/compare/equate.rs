//! Scores of two epochs on one scale, by the dialogues that both have.
//!
//! Two models that ran different sets differ by themselves and by their sets. The anchors, which are
//! the same in both sets, show how far the models differ: the shift. The rest of the difference is that of
//! the sets (mean equating with common items; Kolen and Brennan, Test Equating, chapter 4).

use serde::Serialize;

use super::{ComparedDialogue, ComparedRun, DialogueKey};
use ifs_draw::FIRST_ANCHOR;

/// A number with its standard error, with the dialogue as the unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    pub standard_error: f64,
}

/// A metric in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equated {
    pub metric: String,
    /// On the anchors, in both runs.
    pub anchors: [f64; 2],
    /// The second run minus the first, on the anchors.
    pub shift: Estimate,
    /// On all other dialogues, in both runs.
    pub others: [Estimate; 2],
    /// How much higher scores are on the second set for reasons of the set: the difference on the
    /// other dialogues without the shift.
    pub sets: Estimate,
    /// The score that the second run would have had on the dialogues of the first set.
    pub equated: Estimate,
}

/// The anchors of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchors {
    pub common: Vec<DialogueKey>,
    /// Anchors with other messages in the two runs.
    pub different: Vec<DialogueKey>,
    /// Other dialogues of both runs with the same messages.
    pub shared: usize,
}

/// The anchors that both runs have.
/// Prompts of hidden sets are left out of runs, keyed by their epoch: `same` then says whether
/// dialogues that are no anchors are the same, and anchors are.
pub fn anchors(one: &ComparedRun, other: &ComparedRun, same: Option<bool>) -> Anchors {
    let both = one.dialogues.iter().filter_map(|(place, mine)| {
        let theirs = other.dialogues.get(place)?;
        let asked = mine.is_same_question(theirs);
        Some((place, same.map_or(asked, |same| same || place.1 >= FIRST_ANCHOR)))
    });
    let mut found = Anchors { common: Vec::new(), different: Vec::new(), shared: 0 };
    for (place, same) in both {
        match (place.1 >= FIRST_ANCHOR, same) {
            (true, true) => found.common.push(place.clone()),
            (true, false) => found.different.push(place.clone()),
            (false, same) => found.shared += usize::from(same),
        }
    }
    found
}

/// Equates a metric. `None` if a part has fewer than two dialogues
/// with the metric, or it is not a ratio of sums.
pub fn equate(
    one: &ComparedRun,
    other: &ComparedRun,
    anchors: &Anchors,
    metric: &str,
) -> Option<Equated> {
    let summed = |side: &ComparedRun| side.place(metric).filter(|at| side.is_summed(*at));
    summed(one).zip(summed(other))?;
    let term = |side: &ComparedRun, place: &DialogueKey| {
        let at = side.place(metric)?;
        side.dialogues.get(place).map(|it| it.term(at))
    };
    let of = |side: &ComparedRun| -> Vec<(f64, f64)> {
        anchors.common.iter().filter_map(|place| term(side, place)).collect()
    };
    let (mine, theirs) = (of(one), of(other));
    let (first, second) = (ratio(&mine)?, ratio(&theirs)?);
    let parts: Vec<f64> = residuals(&theirs, second)
        .into_iter()
        .zip(residuals(&mine, first))
        .map(|(theirs, mine)| theirs - mine)
        .collect();
    let shift = Estimate { value: second - first, standard_error: error(&parts)? };
    let others = |side: &ComparedRun| -> Option<Estimate> {
        let at = side.place(metric)?;
        let rest = side.dialogues.iter().filter(|((_, index), _)| *index < FIRST_ANCHOR);
        let terms: Vec<(f64, f64)> =
            rest.map(|(_, it): (_, &ComparedDialogue)| it.term(at)).collect();
        let value = ratio(&terms)?;
        Some(Estimate { value, standard_error: error(&residuals(&terms, value))? })
    };
    let others = [others(one)?, others(other)?];
    let both = |errors: &[f64]| libm::sqrt(errors.iter().map(|error| error * error).sum());
    let [mine, theirs] = others;
    let sets = Estimate {
        value: theirs.value - mine.value - shift.value,
        standard_error: both(&[mine, theirs, shift].map(|it| it.standard_error)),
    };
    let equated = Estimate {
        value: mine.value + shift.value,
        standard_error: both(&[mine, shift].map(|it| it.standard_error)),
    };
    let metric = metric.to_owned();
    Some(Equated { metric, anchors: [first, second], shift, others, sets, equated })
}

fn ratio(terms: &[(f64, f64)]) -> Option<f64> {
    let (above, below) = terms.iter().fold((0.0, 0.0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    (below > 0.0).then(|| above / below)
}

/// The contribution of each dialogue to the error of a ratio, by linearization.
fn residuals(terms: &[(f64, f64)], ratio: f64) -> Vec<f64> {
    let below: f64 = terms.iter().map(|term| term.1).sum();
    terms.iter().map(|(above, of)| (above - ratio * of) / below).collect()
}

/// The standard error of a sum of contributions; `None` for fewer than two.
fn error(parts: &[f64]) -> Option<f64> {
    let count = parts.len() as f64;
    let squares: f64 = parts.iter().map(|part| part * part).sum();
    (parts.len() >= 2).then(|| libm::sqrt(count / (count - 1.0) * squares))
}
