//! Separate scores for groups of dialogues, such as those of one task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::metric::MetricTerms;
use super::{DialogueSource, MetricScore, ScoredDialogue, own};
use ifs_model::table::OwnMetric;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Slice {
    pub name: String,
    pub dialogues: u64,
    /// One for each metric of the scorecard, in that order.
    pub metrics: Vec<MetricScore>,
}

/// The dialogues of one slice.
struct OfSlice<'a, S> {
    all: &'a S,
    name: &'a str,
}

impl<S: DialogueSource> DialogueSource for OfSlice<'_, S> {
    fn each(&self) -> impl Iterator<Item = ScoredDialogue> + '_ {
        let of = |part: &ScoredDialogue| part.slice.as_deref() == Some(self.name);
        self.all.each().flat_map(|dialogue| dialogue.slices()).filter(of)
    }
}

impl ScoredDialogue {
    /// The dialogue with its slice, or the turns of each slice, in order of first occurrence. What is
    /// in no slice is left out.
    #[must_use]
    pub fn slices(self) -> Vec<ScoredDialogue> {
        if self.slice.is_some() {
            return vec![self];
        }
        let mut parts: Vec<ScoredDialogue> = Vec::new();
        let whole = ScoredDialogue { turns: Vec::new(), ..self.clone() };
        for turn in self.turns.into_iter().filter(|turn| turn.slice.is_some()) {
            match parts.iter_mut().find(|part| part.slice == turn.slice) {
                Some(part) => part.turns.push(turn),
                None => {
                    let slice = turn.slice.clone();
                    parts.push(ScoredDialogue { slice, turns: vec![turn], ..whole.clone() });
                }
            }
        }
        parts
    }
}

/// Sorted by name. What is in no slice is left out.
pub(super) fn slices(dialogues: &impl DialogueSource, own: &[OwnMetric]) -> Vec<Slice> {
    let mut parts: BTreeMap<String, MetricTerms> = BTreeMap::new();
    for part in dialogues.each().flat_map(|dialogue| dialogue.slices()) {
        if let Some(slice) = &part.slice {
            parts.entry(slice.clone()).or_default().add(&part);
        }
    }
    let slice = |(name, terms): (String, MetricTerms)| {
        let of = OfSlice { all: dialogues, name: &name };
        let own = own.iter().map(|metric| own::score(metric, &of));
        let metrics = terms.scores().into_iter().chain(own).collect();
        Slice { dialogues: terms.dialogues(), metrics, name }
    };
    parts.into_iter().map(slice).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogues;
    use super::*;

    #[test]
    fn slices_are_scored_like_complete_runs() {
        let mut given = dialogues(&["SS", "SF", "FF", "S"]);
        for (dialogue, slice) in given.iter_mut().zip(["chat", "story", "story"]) {
            dialogue.slice = Some(slice.to_owned());
        }
        let found = slices(&given, &[]);
        let isr = |slice: &Slice| {
            let isr = slice.metrics.iter().find(|metric| metric.name == "ISR");
            isr.and_then(|metric| metric.measured.number())
        };
        let short: Vec<_> =
            found.iter().map(|slice| (slice.name.as_str(), slice.dialogues, isr(slice))).collect();
        assert_eq!(short, [("chat", 1, Some(1.0)), ("story", 2, Some(0.25))]);
        assert!(slices(&dialogues(&["SF"]), &[]).is_empty());
    }
}
