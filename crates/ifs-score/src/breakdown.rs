//! Breakdowns of the outcomes of constraints.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{CriterionKind, DialogueSource, OutcomeTally, ScoredTurn};
use ifs_model::table::Speaker;

/// The name of turns without a topic or transition.
const NO_NAME: &str = "(none)";

/// INVARIANT: every breakdown, except by relation, tag and speaker and of what is overruled, counts
/// every constraint outcome exactly once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Breakdown {
    /// Sorted by name, as are the next two.
    pub by_group: Vec<BreakdownRow>,
    pub by_constraint: Vec<BreakdownRow>,
    pub by_topic: Vec<BreakdownRow>,
    /// Ordered from young to old.
    pub by_age: Vec<BreakdownRow>,
    /// By number of active constraints on the turn, from few to many.
    pub by_active_constraints: Vec<BreakdownRow>,
    /// Ordered by name.
    pub by_transition: Vec<BreakdownRow>,
    /// By the relation between turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_relation: Vec<BreakdownRow>,
    /// By tag; an item without a tag is in no row, and one with two tags is in two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_tag: Vec<BreakdownRow>,
    /// Constraints by speaker; empty if that is always the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_speaker: Vec<BreakdownRow>,
    /// Overruled constraints, which are not scored: whether they were satisfied anyway.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overruled: Vec<BreakdownRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct BreakdownRow {
    pub name: String,
    pub held: u64,
    pub missed: u64,
    pub unjudged: u64,
    /// The share of judged outcomes that held; `None` if none was judged.
    pub rate: Option<f64>,
}

pub(super) fn breakdown(dialogues: &impl DialogueSource) -> Breakdown {
    let mut counts = SliceCounts::default();
    dialogues.turns().for_each(|turn| counts.add(&turn));
    if counts.speakers.keys().all(|speaker| *speaker == Speaker::User.word()) {
        counts.speakers.clear();
    }
    Breakdown {
        by_group: rows(counts.groups),
        by_constraint: rows(counts.constraints),
        by_topic: rows(counts.topics),
        by_age: rows(counts.ages),
        by_active_constraints: rows(counts.active),
        by_transition: rows(counts.transitions),
        by_relation: rows(counts.relations),
        by_tag: rows(counts.tags),
        by_speaker: rows(counts.speakers),
        overruled: rows(counts.overruled),
    }
}

#[derive(Default)]
struct SliceCounts {
    groups: BTreeMap<String, OutcomeTally>,
    constraints: BTreeMap<String, OutcomeTally>,
    topics: BTreeMap<String, OutcomeTally>,
    ages: BTreeMap<Age, OutcomeTally>,
    active: BTreeMap<usize, OutcomeTally>,
    transitions: BTreeMap<String, OutcomeTally>,
    relations: BTreeMap<String, OutcomeTally>,
    tags: BTreeMap<String, OutcomeTally>,
    speakers: BTreeMap<String, OutcomeTally>,
    overruled: BTreeMap<String, OutcomeTally>,
}

impl SliceCounts {
    fn add(&mut self, turn: &ScoredTurn) {
        for one in &turn.constraints {
            let outcome = one.outcome;
            named(&mut self.groups, &one.group).count(outcome);
            named(&mut self.constraints, &one.constraint).count(outcome);
            named(&mut self.topics, or_none(&turn.topic)).count(outcome);
            self.ages.entry(age(one.age)).or_default().count(outcome);
            self.active.entry(turn.constraints.len()).or_default().count(outcome);
            named(&mut self.transitions, or_none(&turn.transition)).count(outcome);
            if one.kind.is_none() {
                named(&mut self.speakers, one.speaker.word()).count(outcome);
            }
            if one.kind == Some(CriterionKind::Relation) {
                named(&mut self.relations, &one.constraint).count(outcome);
            }
            for tag in &one.tags {
                named(&mut self.tags, tag).count(outcome);
            }
        }
        for one in &turn.overruled {
            named(&mut self.overruled, &one.constraint).count(one.outcome);
        }
    }
}

/// The tally of a name, which is copied only if it is new.
fn named<'t>(tallies: &'t mut BTreeMap<String, OutcomeTally>, name: &str) -> &'t mut OutcomeTally {
    // `entry` takes a name of its own.
    match tallies.contains_key(name) {
        true => tallies.get_mut(name).unwrap_or_else(|| unreachable!("it was just found")),
        false => tallies.entry(name.to_owned()).or_default(),
    }
}

fn or_none(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or(NO_NAME)
}

/// Sorted by age.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    from: u32,
    name: &'static str,
}

fn age(turns: u32) -> Age {
    let (from, name) = match turns {
        0 => (0, "0"),
        1 => (1, "1"),
        2..=3 => (2, "2-3"),
        4..=7 => (4, "4-7"),
        8..=15 => (8, "8-15"),
        16.. => (16, "16+"),
    };
    Age { from, name }
}

impl std::fmt::Display for Age {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// `a.b.c` counts under `a.b.c`, `a.b` and `a`; once each, even with several tags below it.
pub fn tag_levels(tags: &[String]) -> BTreeSet<&str> {
    let levels = |tag: &String| {
        let cuts = tag.match_indices('.').map(|(at, _)| at).chain([tag.len()]);
        cuts.collect::<Vec<usize>>()
    };
    tags.iter().flat_map(|tag| levels(tag).into_iter().filter_map(|cut| tag.get(..cut))).collect()
}

/// The row of an age in [`Breakdown::by_age`].
#[must_use]
pub fn age_row(turns: u32) -> &'static str {
    age(turns).name
}

fn rows<K: ToString>(tallies: BTreeMap<K, OutcomeTally>) -> Vec<BreakdownRow> {
    tallies
        .into_iter()
        .map(|(key, tally)| BreakdownRow::from_tally(key.to_string(), tally))
        .collect()
}

impl BreakdownRow {
    pub(super) fn from_tally(name: String, tally: OutcomeTally) -> BreakdownRow {
        BreakdownRow {
            name,
            held: tally.held,
            missed: tally.missed,
            unjudged: tally.unjudged,
            rate: tally.rate(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{constraint, dialogue, dialogues};
    use super::super::{Outcome, ScoredConstraint};
    use super::*;

    fn short(rows: &[BreakdownRow]) -> Vec<(&str, u64, u64, u64)> {
        let short = |row: &BreakdownRow| (row.held, row.missed, row.unjudged);
        rows.iter()
            .map(|row| (row.name.as_str(), short(row)))
            .map(|(name, (held, missed, unjudged))| (name, held, missed, unjudged))
            .collect()
    }

    #[test]
    fn by_hand() {
        // length is the first constraint of a turn, format the second.
        let parts = breakdown(&dialogues(&["SFM", "?E"]));
        assert_eq!(short(&parts.by_group), [("format", 1, 1, 2), ("length", 3, 1, 0)]);
        assert_eq!(parts.by_group.first().and_then(|row| row.rate), Some(0.5));
        assert_eq!(short(&parts.by_active_constraints), [("2", 4, 2, 2)]);
        assert_eq!(short(&parts.by_topic), [("(none)", 4, 2, 2)]);
    }

    #[test]
    fn ages_and_numbers_keep_their_order() {
        let mut given = dialogue("E");
        let ages = [16, 15, 8, 7, 4, 3, 2, 1, 0, 900];
        for turn in &mut given.turns {
            turn.constraints = ages
                .iter()
                .map(|age| ScoredConstraint { age: *age, ..constraint("length", Outcome::Held) })
                .map(Into::into)
                .collect();
        }
        let mut few = dialogue("S");
        few.turns.extend(given.turns);
        let parts = breakdown(&[few]);
        assert_eq!(
            short(&parts.by_age),
            [
                ("0", 3, 0, 0),
                ("1", 1, 0, 0),
                ("2-3", 2, 0, 0),
                ("4-7", 2, 0, 0),
                ("8-15", 2, 0, 0),
                ("16+", 2, 0, 0)
            ]
        );
        assert_eq!(short(&parts.by_active_constraints), [("2", 2, 0, 0), ("10", 10, 0, 0)]);
    }

    #[test]
    fn unjudged_rates_are_undefined() {
        let mut given = dialogue("E");
        for turn in &mut given.turns {
            turn.constraints = vec![constraint("style", Outcome::Unjudged).into()];
        }
        let parts = breakdown(&[given]);
        assert!(parts.by_group.iter().all(|row| row.rate.is_none() && row.unjudged == 1));
    }
}
