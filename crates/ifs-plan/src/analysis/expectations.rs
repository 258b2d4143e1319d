//! The expected length and moves of a dialogue, before one is drawn.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{length, shares};
use crate::{DialoguePlan, EdgeKind, Plan, PlanNodeKind};

/// Expectations for the dialogues that are drawn from a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Expectations {
    /// The maximum number of turns of a dialogue, if it is bounded.
    pub max_turns: Option<u64>,
    /// The expected number of turns, for a model that succeeds on each turn with this probability.
    pub expected: Vec<(f64, f64)>,
    /// Other names that the length depends on, so that it was not computed.
    pub length_depends_on: Vec<String>,
    /// The steady-state share of each transition (`new`, `stay`, `backtrack`) while there are
    /// unused topics and topics to return to.
    pub shares: BTreeMap<String, f64>,
    /// The mean number of turns on a topic before it is left; `None` if it is never left.
    pub mean_topic_run: Option<f64>,
    /// Other names that the shares depend on, so that they were not computed.
    pub shares_depend_on: Vec<String>,
    /// The number of written turns.
    pub turns: usize,
    /// The number of relations of each kind, by keyword.
    pub relations: BTreeMap<String, usize>,
}

pub fn expectations(plan: &Plan, dialogue: DialoguePlan<'_>) -> Expectations {
    let graph = &dialogue.turns();
    let mut expectations = Expectations {
        turns: graph.node_weights().filter(|node| node.kind == PlanNodeKind::Turn).count(),
        ..Expectations::default()
    };
    for edge in graph.edge_weights() {
        if let EdgeKind::Relation(kind) = edge.kind {
            *expectations.relations.entry(kind.word().to_owned()).or_default() += 1;
        }
    }
    let length = length::length(plan, dialogue);
    expectations.max_turns = length.most;
    expectations.expected = length.expected;
    expectations.length_depends_on = length.depends_on;
    if dialogue.table.topics.is_some() {
        match shares::shares(graph) {
            Ok(shares) => {
                expectations.mean_topic_run = shares.mean_run;
                expectations.shares =
                    [("new", shares.new), ("stay", shares.stay), ("backtrack", shares.backtrack)]
                        .map(|(name, share)| (name.to_owned(), share))
                        .into();
            }
            Err(depends_on) => expectations.shares_depend_on = depends_on,
        }
    }
    expectations
}

#[cfg(test)]
mod tests {
    use super::expectations;
    use crate::sample::{at_least, evolif, fan_dialogue, less_than, loops, plan_of, several_flows};
    use ifs_model::table::{Dialogue, Share};

    fn of(dialogue: Dialogue) -> super::Expectations {
        let plan = plan_of(dialogue);
        expectations(&plan, plan.dialogues().next().unwrap())
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn evolif_moves_as_published() {
        let expectations = of(evolif());
        assert!(expectations.mean_topic_run.is_some_and(|run| near(run, 4.25)));
        assert!(near(expectations.shares["stay"], 3.25 / 4.25));
        assert!(near(expectations.shares["new"], 0.4 / 4.25));
        assert!(near(expectations.shares["backtrack"], 0.6 / 4.25));
        assert_eq!(expectations.max_turns, Some(100));
        let (share, turns) = expectations.expected[0];
        // Without a bound: (1 - q^3) / (s q^3) = 14.
        assert!(near(share, 0.5) && (13.9..14.0).contains(&turns), "{turns}");
        assert!(expectations.expected.is_sorted_by(|left, right| left.1 < right.1));
    }

    #[test]
    fn without_a_bound_the_length_has_a_closed_form() {
        let mut dialogue = evolif();
        dialogue.end = Some(crate::sample::equal("patience", 0));
        let expectations = of(dialogue);
        assert_eq!(expectations.max_turns, None);
        assert!(near(expectations.expected[0].1, 14.0));
    }

    #[test]
    fn guards_on_other_facts_are_named() {
        let mut dialogue = evolif();
        if let Some(topics) = &mut dialogue.topics {
            let mut rule = topics.rules[0].clone();
            rule.guard = Some(less_than("topics", 3));
            topics.rules.insert(0, rule);
        }
        let expectations = of(dialogue);
        assert_eq!(expectations.shares_depend_on, ["topics"]);
        assert!(expectations.shares.is_empty());
    }

    #[test]
    fn guards_on_run_lengths_are_solved() {
        let mut dialogue = evolif();
        if let Some(topics) = &mut dialogue.topics {
            // Leaves immediately after the fourth turn, or stays forever.
            let mut rule = topics.rules[0].clone();
            rule.guard = Some(at_least("topic_turns", 5));
            rule.switch = Share::ONE;
            topics.rules.insert(0, rule);
        }
        // Four turns, and with 20 % a fifth.
        assert!(of(dialogue).mean_topic_run.is_some_and(|run| near(run, 4.2)));
    }

    #[test]
    fn turns_written_out_are_counted() {
        let expectations = of(fan_dialogue());
        assert_eq!((expectations.turns, expectations.max_turns), (7, Some(7)));
        assert_eq!(expectations.relations["summarizes"], 3);
        assert_eq!(of(loops()).max_turns, None);
        let expectations = of(several_flows());
        assert_eq!(expectations.max_turns, Some(8));
        assert!(near(expectations.expected[0].1, (8.0 + 3.0 + 8.0) / 3.0));
    }
}
