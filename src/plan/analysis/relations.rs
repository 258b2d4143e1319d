//! Relations to a turn that may not have happened yet.

use std::collections::BTreeMap;

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::NodeIndex;
use petgraph::visit::{EdgeFiltered, EdgeRef};

use crate::diagnostic::{Code, Diagnostic};
use crate::model::table::{Flow, Relation, Step, Turn};
use crate::plan::{DialoguePlan, EdgeKind, NodeKind, Plan};

/// A turn may refer only to turns that stand on every way to it: those that
/// dominate it in the graph of control edges.
pub(super) fn check(plan: &Plan, dialogue: &DialoguePlan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if dialogue.table.topics.is_some() {
        // Its steps are never reached, which is told as such.
        return found;
    }
    let graph = &dialogue.graph;
    let control =
        EdgeFiltered::from_fn(graph, |edge| matches!(edge.weight().kind, EdgeKind::Control { .. }));
    let starts = graph.node_indices().find(|at| graph[*at].kind == NodeKind::Start);
    let Some(start) = starts else { return found };
    let dominators = simple_fast(&control, start);

    let blocks = blocks(plan, dialogue);
    // The graph has a node for each turn in the order they were written.
    let mut nodes = graph.node_indices().filter(|at| graph[*at].kind == NodeKind::Turn);
    for (place, block) in blocks.iter().enumerate() {
        for (at, turn) in block.iter().enumerate() {
            let Some(node) = nodes.next() else { return found };
            let targets: BTreeMap<&str, NodeIndex> = graph
                .edges(node)
                .filter(|edge| matches!(edge.weight().kind, EdgeKind::Relation(_)))
                .map(|edge| (graph[edge.target()].name.as_str(), edge.target()))
                .collect();
            for (relation, to) in relations(turn) {
                let happened = targets.get(to).is_some_and(|target| {
                    dominators
                        .strict_dominators(node)
                        .is_none_or(|mut all| all.any(|one| one == *target))
                });
                if happened {
                    continue;
                }
                if targets.get(to) == Some(&node) {
                    found.push(itself(turn, relation));
                } else if let Some(target) = targets.get(to) {
                    let span = graph[*target].span;
                    found
                        .push(maybe(turn, relation, to).label(span, "not every way comes by here"));
                } else if *to == turn.name {
                    found.push(itself(turn, relation));
                } else if let Some(later) = later(&blocks, place, at, to) {
                    found.push(after(turn, relation, later));
                }
                // Other names are unknown, which the checker of names tells.
            }
        }
    }
    found
}

fn relations(turn: &Turn) -> impl Iterator<Item = (&Relation, &str)> {
    turn.relations
        .iter()
        .flat_map(|relation| relation.to.iter().map(move |to| (relation, to.as_str())))
}

/// The turns of each flow that may be drawn, then those of the dialogue itself.
fn blocks<'a>(plan: &'a Plan, dialogue: &'a DialoguePlan) -> Vec<Vec<&'a Turn>> {
    let flow = |name: &String| plan.flows.iter().find(|flow| flow.name == *name);
    let flows =
        dialogue.table.flows.iter().filter_map(flow).map(|flow: &Flow| flow.turns.iter().collect());
    flows.chain([Step::turns(&dialogue.table.steps)]).collect()
}

/// A turn of that name further down in the same flow, or in the dialogue's own
/// turns, which come behind its flow.
fn later<'a>(blocks: &[Vec<&'a Turn>], place: usize, at: usize, name: &str) -> Option<&'a Turn> {
    let same = blocks.get(place).into_iter().flatten().skip(at + 1);
    let own = blocks.last().filter(|_| place + 1 < blocks.len()).into_iter().flatten();
    same.chain(own).find(|turn| turn.name == name).copied()
}

fn itself(turn: &Turn, relation: &Relation) -> Diagnostic {
    Diagnostic::error(Code::RELATION_TO_LATER, format!("turn `{}` relates to itself", turn.name))
        .label(relation.span, format!("`{}` names the turn it stands in", relation.kind.word()))
        .help("name an earlier turn, or leave the relation out")
}

fn after(turn: &Turn, relation: &Relation, later: &Turn) -> Diagnostic {
    Diagnostic::error(
        Code::RELATION_TO_LATER,
        format!("`{}` comes after `{}`", later.name, turn.name),
    )
    .label(relation.span, format!("`{}` needs an earlier turn", relation.kind.word()))
    .label(later.span, format!("`{}` is asked here", later.name))
    .help(format!("put `{}` before `{}`, or relate it the other way round", later.name, turn.name))
}

fn maybe(turn: &Turn, relation: &Relation, to: &str) -> Diagnostic {
    Diagnostic::error(
        Code::RELATION_TO_LATER,
        format!("`{to}` may not have happened before `{}`", turn.name),
    )
    .label(
        relation.span,
        format!("`{}` needs a turn that always comes first", relation.kind.word()),
    )
    .help(
        "a loop may run over nothing, and only one of several flows is drawn: \
         relate to a turn outside of them",
    )
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::model::table::{Dialogue, Flow, Model, RelationKind, Step};
    use crate::plan::build;
    use crate::plan::sample::{dialogue, fan, loops, plan_of, turn};
    use crate::predicate::tree::{Node, Tree};
    use crate::source::Span;

    fn messages(dialogue: Dialogue) -> Vec<String> {
        let plan = plan_of(dialogue);
        check(&plan, &plan.dialogues[0]).into_iter().map(|found| found.message).collect()
    }

    fn steps(turns: &[(&str, &[&str])]) -> Dialogue {
        let mut dialogue = dialogue("written");
        for (name, to) in turns {
            let relations: Vec<_> = to.iter().map(|to| (RelationKind::Recalls, *to)).collect();
            dialogue.steps.push(Step::Turn(Box::new(turn(name, &relations))));
        }
        dialogue
    }

    #[test]
    fn relations_backwards_are_fine() {
        assert_eq!(messages(fan()), Vec::<String>::new());
        assert_eq!(messages(loops()), Vec::<String>::new());
        assert_eq!(messages(steps(&[("c1", &[]), ("c2", &["c1"])])), Vec::<String>::new());
    }

    #[test]
    fn forwards_and_inwards_are_not() {
        let found = messages(steps(&[("c1", &["c1"]), ("c2", &["c4"]), ("c4", &["c2"])]));
        assert_eq!(found, ["turn `c1` relates to itself", "`c4` comes after `c2`"]);
    }

    #[test]
    fn a_turn_of_a_flow_cannot_relate_to_itself() {
        let one = turn("c1", &[(RelationKind::Refines, "c1")]);
        let flow = Flow { name: "f".to_owned(), turns: vec![one], span: Span::default() };
        let table = Dialogue { flows: vec!["f".to_owned()], ..dialogue("plain") };
        let plan = build(Model { flows: vec![flow], dialogues: vec![table], ..Model::default() });
        let found = check(&plan, &plan.dialogues[0]);
        assert_eq!(found[0].message, "turn `c1` relates to itself");
    }

    #[test]
    fn a_loop_over_a_written_list_runs() {
        let mut dialogue = dialogue("written");
        dialogue.steps = vec![
            Step::For {
                name: "q".to_owned(),
                list: Tree::made(Node::List(vec![crate::plan::sample::int(1)])),
                body: vec![Step::Turn(Box::new(turn("x", &[])))],
            },
            Step::Turn(Box::new(turn("y", &[(RelationKind::Recalls, "x")]))),
        ];
        assert_eq!(messages(dialogue), Vec::<String>::new());
    }

    #[test]
    fn a_loop_may_run_over_nothing() {
        let mut dialogue = loops();
        dialogue
            .steps
            .push(Step::Turn(Box::new(turn("sum_up", &[(RelationKind::Summarizes, "track")]))));
        assert_eq!(messages(dialogue), ["`track` may not have happened before `sum_up`"]);
    }
}
