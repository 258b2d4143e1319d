//! Meeseeks as a scenario: every item can be satisfied, and all items differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ifs::model::check;
use ifs::model::table::Flow;
use ifs::plan::{EdgeKind, Plan, PlanNodeKind, build};
use ifs::proof::{Proof, Prover};
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::FolderWorld;
use petgraph::visit::EdgeRef as _;

fn plan() -> Plan {
    let world = FolderWorld::new(Path::new("scenarios/meeseeks")).unwrap();
    let checked = check(&world, "meeseeks.ifs");
    let reported: Vec<&str> =
        checked.diagnostics.list.iter().map(|found| found.message.as_str()).collect();
    build(checked.model.unwrap_or_else(|| panic!("{reported:?}")))
}

/// A number of items of a set, one turn each.
fn items(plan: &Plan, count: u64) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, "item").unwrap();
    (0..count).map(|index| drawer.script(Seed(1), index).next().unwrap().unwrap()).collect()
}

fn no_two_alike(items: &[ScriptTurn]) {
    let asked: BTreeSet<&str> = items.iter().map(|item| item.ask.as_str()).collect();
    assert_eq!(asked.len(), items.len());
}

/// The templates of a set: the two have none in common.
fn templates(plan: &Plan) -> Vec<&Flow> {
    let graph = &plan.dialogue("item").unwrap().graph;
    let names: BTreeSet<&str> =
        graph.node_weights().filter_map(|node| node.flow.as_deref()).collect();
    plan.model.flows.iter().filter(|flow| names.contains(flow.name.as_str())).collect()
}

/// How often each template is drawn, as the dialogue declares it.
fn declared_shares(plan: &Plan) -> BTreeMap<String, f64> {
    let graph = &plan.dialogue("item").unwrap().graph;
    let fork =
        graph.node_indices().find(|at| matches!(graph[*at].kind, PlanNodeKind::Fork)).unwrap();
    let weights: Vec<(String, f64)> = graph
        .edges(fork)
        .map(|edge| match edge.weight().kind {
            EdgeKind::Control { weight, .. } => (graph[edge.target()].name.clone(), weight as f64),
            EdgeKind::Relation(_) => panic!("a relation of the fork"),
        })
        .collect();
    let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.into_iter().map(|(name, weight)| (name, weight / all)).collect()
}

/// A tag's share of the items is the share of the templates that have it.
fn shares_as_declared(plan: &Plan, items: &[ScriptTurn]) {
    let shares = declared_shares(plan);
    let with_tag = |tags: &mut dyn Iterator<Item = &String>, counts: &mut BTreeMap<String, f64>| {
        let once: BTreeSet<&String> = tags.collect();
        once.into_iter().for_each(|tag| *counts.entry(tag.clone()).or_default() += 1.0);
    };
    let mut declared: BTreeMap<String, f64> = BTreeMap::new();
    for flow in templates(plan) {
        let turn = flow.turns()[0];
        let mut tags = turn.body.iter().flat_map(|part| match part {
            ifs::model::table::TurnPart::Require { tags, .. } => tags.iter(),
            _ => [].iter(),
        });
        let mut of_flow = BTreeMap::new();
        with_tag(&mut tags, &mut of_flow);
        for tag in of_flow.into_keys() {
            *declared.entry(tag).or_default() += shares[&flow.name];
        }
    }
    let mut drawn: BTreeMap<String, f64> = BTreeMap::new();
    for item in items {
        with_tag(&mut item.criteria.iter().flat_map(|one| &one.tags), &mut drawn);
    }
    let count = items.len() as f64;
    for (tag, share) in &declared {
        let have = drawn.get(tag).copied().unwrap_or(0.0) / count;
        // Four and a half standard errors: one of 30 tags is outside by chance once in 5,000 runs.
        let error = (share * (1.0 - share) / count).sqrt();
        assert!(
            (have - share).abs() <= 4.5 * error,
            "{tag}: {have} of the items, {share} declared"
        );
    }
    assert_eq!(declared.keys().collect::<Vec<_>>(), drawn.keys().collect::<Vec<_>>());
}

/// The items without a witness.
fn unanswered(plan: &Plan, items: &[ScriptTurn]) -> Vec<String> {
    let proof = |item: &ScriptTurn| match Prover::new(plan, "item").prove(item) {
        Proof::Witness(_) | Proof::Nothing => None,
        Proof::Missing(names) => Some(format!("{names:?} of {}", item.ask)),
    };
    items.iter().filter_map(proof).collect()
}

#[test]
fn items_of_both_sets_can_be_answered() {
    let first = plan();
    let second = plan().varied("item", "b").unwrap();
    let names = |plan| templates(plan).into_iter().map(|flow| flow.name.clone()).collect();
    let (of_first, of_second): (BTreeSet<_>, BTreeSet<_>) = (names(&first), names(&second));
    assert!(of_first.is_disjoint(&of_second), "{of_first:?}");
    let drawn = [(&first, 80), (&second, 21)].map(|(plan, least)| {
        let flows = templates(plan).len();
        assert!(flows >= least, "{flows} templates");
        let all = items(plan, 2_000);
        no_two_alike(&all);
        shares_as_declared(plan, &all);
        assert_eq!(unanswered(plan, &all[..40]), [""; 0]);
        all
    });
    let asked: BTreeSet<&str> = drawn[0].iter().map(|item| item.ask.as_str()).collect();
    assert!(drawn[1].iter().all(|item| !asked.contains(item.ask.as_str())));
}

#[test]
#[ignore = "some minutes: `just items`"]
fn ten_thousand_items() {
    let plan = plan();
    let all = items(&plan, 10_000);
    no_two_alike(&all);
    shares_as_declared(&plan, &all);
    assert_eq!(unanswered(&plan, &all), [""; 0]);
}
