//! Reports relations to a turn that may not have happened yet.

use std::collections::BTreeMap;

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::NodeIndex;
use petgraph::visit::{EdgeFiltered, EdgeRef};

use crate::{DialoguePlan, EdgeKind, Plan, PlanNodeKind};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{Relation, TOPIC, Turn};

/// A turn may refer only to turns on every path to it: those that dominate it in the graph of
/// control edges.
pub(super) fn check(plan: &Plan, dialogue: DialoguePlan<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let graph = &dialogue.turns();
    let control =
        EdgeFiltered::from_fn(graph, |edge| matches!(edge.weight().kind, EdgeKind::Control { .. }));
    let starts = graph.node_indices().find(|at| graph[*at].kind == PlanNodeKind::Start);
    let Some(start) = starts else { return found };
    let dominators = simple_fast(&control, start);

    let turns = dialogue.table.written_turns(&plan.model.flows);
    let written = |at: NodeIndex| {
        let all = graph[at].turns.iter();
        all.filter_map(|turn| turns.get(*turn as usize).copied())
    };
    for (node, turn) in graph.node_indices().flat_map(|at| written(at).map(move |turn| (at, turn)))
    {
        let moves = graph[node].kind != PlanNodeKind::Turn;
        let targets: BTreeMap<&str, NodeIndex> = graph
            .edges(node)
            .filter(|edge| matches!(edge.weight().kind, EdgeKind::Relation(_)))
            .map(|edge| (graph[edge.target()].name.as_str(), edge.target()))
            .collect();
        // `topic` of a move is the last turn on its topic.
        for (relation, to) in relations(turn).filter(|(_, to)| !moves || *to != TOPIC) {
            let happened = targets.get(to).is_some_and(|target| {
                dominators
                    .strict_dominators(node)
                    .is_none_or(|mut all| all.any(|one| one == *target))
            });
            if happened {
                continue;
            }
            // A later turn with that name in the same flow, or in the dialogue itself.
            let later = || {
                let behind = |at: &NodeIndex| {
                    let (flow, own) = (&graph[*at].flow, &graph[node].flow);
                    at.index() > node.index() && (flow.is_none() || flow == own)
                };
                let mut all = graph.node_indices().filter(behind).flat_map(written);
                all.find(|turn| turn.name == to)
            };
            if to == turn.name {
                found.push(relates_to_itself(turn, relation));
            } else if let Some(target) = targets.get(to) {
                let span = graph[*target].span;
                found.push(
                    may_not_have_run(turn, relation, to)
                        .label(span, "not every path contains this turn"),
                );
            } else if let Some(later) = later() {
                found.push(after(turn, relation, later));
            }
            // Other names are unknown, which name resolution reports.
        }
    }
    found
}

fn relations(turn: &Turn) -> impl Iterator<Item = (&Relation, &str)> {
    turn.relations
        .iter()
        .flat_map(|relation| relation.to.iter().map(move |to| (relation, to.as_str())))
}

fn relates_to_itself(turn: &Turn, relation: &Relation) -> Diagnostic {
    Diagnostic::error(Code::RELATION_TO_LATER, format!("turn `{}` relates to itself", turn.name))
        .label(relation.span, format!("`{}` names its own turn", relation.kind.word()))
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

fn may_not_have_run(turn: &Turn, relation: &Relation, to: &str) -> Diagnostic {
    Diagnostic::error(
        Code::RELATION_TO_LATER,
        format!("`{to}` may not have happened before `{}`", turn.name),
    )
    .label(
        relation.span,
        format!("`{}` needs a turn that always comes first", relation.kind.word()),
    )
    .help(
        "a loop may have no rounds, a branch may not be taken, and only one of several flows \
         is drawn: relate to a turn outside of them",
    )
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::build;
    use crate::sample::{dialogue, fan_dialogue, loops, plan_of, turn};
    use ifs_base::source::Span;
    use ifs_model::table::{Dialogue, Flow, RelationKind, SemanticModel, Step};
    use ifs_predicate::tree::{Node, Tree};

    fn messages(dialogue: Dialogue) -> Vec<String> {
        let plan = plan_of(dialogue);
        check(&plan, plan.dialogues().next().unwrap())
            .into_iter()
            .map(|found| found.message)
            .collect()
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
        assert_eq!(messages(fan_dialogue()), Vec::<String>::new());
        assert_eq!(messages(loops()), Vec::<String>::new());
        assert_eq!(messages(steps(&[("c1", &[]), ("c2", &["c1"])])), Vec::<String>::new());
    }

    #[test]
    fn later_and_inner_relations_are_errors() {
        let found = messages(steps(&[("c1", &["c1"]), ("c2", &["c4"]), ("c4", &["c2"])]));
        assert_eq!(found, ["turn `c1` relates to itself", "`c4` comes after `c2`"]);
    }

    #[test]
    fn a_turn_of_a_flow_cannot_relate_to_itself() {
        let one = turn("c1", &[(RelationKind::Refines, "c1")]);
        let steps = vec![Step::Turn(Box::new(one))];
        let flow = Flow { name: "f".to_owned(), steps, span: Span::default() };
        let table =
            Dialogue { flows: vec!["f".to_owned()], steps: vec![Step::Flow], ..dialogue("plain") };
        let plan = build(SemanticModel {
            flows: vec![flow],
            dialogues: vec![table],
            ..SemanticModel::default()
        });
        let found = check(&plan, plan.dialogues().next().unwrap());
        assert_eq!(found[0].message, "turn `c1` relates to itself");
    }

    #[test]
    fn loops_over_literal_lists() {
        let mut dialogue = dialogue("written");
        dialogue.steps = vec![
            Step::For {
                name: "q".to_owned(),
                list: Tree::without_place(Node::List(vec![crate::sample::int(1)])),
                by: None,
                body: vec![Step::Turn(Box::new(turn("x", &[])))],
            },
            Step::Turn(Box::new(turn("y", &[(RelationKind::Recalls, "x")]))),
        ];
        assert_eq!(messages(dialogue), Vec::<String>::new());
    }

    #[test]
    fn loops_may_be_empty() {
        let mut dialogue = loops();
        dialogue
            .steps
            .push(Step::Turn(Box::new(turn("sum_up", &[(RelationKind::Summarizes, "track")]))));
        assert_eq!(messages(dialogue), ["`track` may not have happened before `sum_up`"]);
    }
}
