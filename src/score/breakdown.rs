//! Breakdowns of the outcomes of constraints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CriterionKind, ScoredConstraint, ScoredDialogue, ScoredTurn, Tally};

/// The name of turns without a topic or transition.
const NONE: &str = "(none)";

/// INVARIANT: every breakdown, except by relation and by tag, counts every constraint outcome
/// exactly once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub struct Breakdown {
    /// Sorted by name, as are the next two.
    pub by_group: Vec<Row>,
    pub by_constraint: Vec<Row>,
    pub by_topic: Vec<Row>,
    /// Ordered from young to old.
    pub by_age: Vec<Row>,
    /// By number of active constraints on the turn, from few to many.
    pub by_active_constraints: Vec<Row>,
    /// Ordered by name.
    pub by_transition: Vec<Row>,
    /// By the relation between turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_relation: Vec<Row>,
    /// By tag; an item without a tag is in no row, and one with two tags is in two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_tag: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub struct Row {
    pub name: String,
    pub held: u64,
    pub missed: u64,
    pub unjudged: u64,
    /// The share of judged outcomes that held; `None` if none was judged.
    pub rate: Option<f64>,
}

pub(super) fn breakdown(dialogues: &[ScoredDialogue]) -> Breakdown {
    Breakdown {
        by_group: rows(dialogues, |_, constraint| &*constraint.group),
        by_constraint: rows(dialogues, |_, constraint| &*constraint.constraint),
        by_topic: rows(dialogues, |turn, _| or_none(&turn.topic)),
        by_age: rows(dialogues, |_, constraint| age(constraint.age)),
        by_active_constraints: rows(dialogues, |turn, _| turn.constraints.len()),
        by_transition: rows(dialogues, |turn, _| or_none(&turn.transition)),
        by_relation: by_relation(dialogues),
        by_tag: by_tag(dialogues),
    }
}

fn or_none(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or(NONE)
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

fn rows<'a, K: Ord + ToString>(
    dialogues: &'a [ScoredDialogue],
    key: impl Fn(&'a ScoredTurn, &'a ScoredConstraint) -> K,
) -> Vec<Row> {
    let mut tallies: BTreeMap<K, Tally> = BTreeMap::new();
    for turn in dialogues.iter().flat_map(|dialogue| &dialogue.turns) {
        for constraint in &turn.constraints {
            tallies.entry(key(turn, constraint)).or_default().count(constraint.outcome);
        }
    }
    tallies.iter().map(|(key, tally)| Row::of(key.to_string(), *tally)).collect()
}

fn by_relation(dialogues: &[ScoredDialogue]) -> Vec<Row> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for turn in dialogues.iter().flat_map(|dialogue| &dialogue.turns) {
        let relations = turn.constraints.iter();
        for relation in relations.filter(|one| one.kind == Some(CriterionKind::Relation)) {
            tallies.entry(&relation.constraint).or_default().count(relation.outcome);
        }
    }
    tallies.iter().map(|(relation, tally)| Row::of((*relation).to_owned(), *tally)).collect()
}

fn by_tag(dialogues: &[ScoredDialogue]) -> Vec<Row> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for turn in dialogues.iter().flat_map(|dialogue| &dialogue.turns) {
        for constraint in &turn.constraints {
            for tag in &constraint.tags {
                tallies.entry(tag).or_default().count(constraint.outcome);
            }
        }
    }
    tallies.iter().map(|(tag, tally)| Row::of((*tag).to_owned(), *tally)).collect()
}

impl Row {
    fn of(name: String, tally: Tally) -> Row {
        Row {
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
    use super::super::Outcome;
    use super::super::testing::{constraint, dialogue, dialogues};
    use super::*;

    fn short(rows: &[Row]) -> Vec<(&str, u64, u64, u64)> {
        let short = |row: &Row| (row.held, row.missed, row.unjudged);
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
    fn what_nobody_judged_has_no_rate() {
        let mut given = dialogue("E");
        for turn in &mut given.turns {
            turn.constraints = vec![constraint("style", Outcome::Unjudged)];
        }
        let parts = breakdown(&[given]);
        assert!(parts.by_group.iter().all(|row| row.rate.is_none() && row.unjudged == 1));
    }
}
