//! Turns and shares that no way through the dialogue comes to.

use petgraph::visit::{Dfs, EdgeFiltered, EdgeRef};

use super::condition::possible;
use super::facts::Facts;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::table::{Share, Step, TopicRules};
use crate::plan::{DialoguePlan, EdgeKind, NodeKind, Plan};
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;

/// Only what was written out is told: a flow that never goes back to a topic
/// because nobody gave `backtrack` a share is meant so.
pub(super) fn check(plan: &Plan, dialogue: &DialoguePlan) -> Vec<Diagnostic> {
    let facts = Facts::of(plan, &dialogue.table);
    let reached = reached(&facts, dialogue);
    let mut found = Vec::new();
    for at in dialogue.graph.node_indices().filter(|at| !reached.contains(&at.index())) {
        let node = &dialogue.graph[at];
        match (node.kind, &dialogue.table.topics) {
            (NodeKind::Turn, _) => found.push(unreached(&node.name).label(node.span, "this turn")),
            (NodeKind::Backtrack, Some(rules)) => {
                found.extend(never_back(dialogue, rules));
            }
            // The first topic is always opened; to stay is no share of its own;
            // a dialogue without end is told as such.
            (
                NodeKind::Start
                | NodeKind::New
                | NodeKind::Stay
                | NodeKind::Backtrack
                | NodeKind::End,
                _,
            ) => {}
        }
    }
    if let Some(rules) = &dialogue.table.topics {
        let round = rules.rules.first().map(|rule| rule.span);
        for turn in Step::turns(&dialogue.table.steps) {
            let mut warning = unreached(&turn.name).label(turn.span, "this turn");
            if let Some(round) = round {
                warning = warning.label(round, "the flow goes round until the dialogue ends");
            }
            found.push(warning.help(
                "a dialogue either moves between topics or has turns written out: \
                 give the turns a dialogue of their own",
            ));
        }
    } else {
        empty_loops(&dialogue.table.steps, &mut found);
    }
    found
}

fn unreached(turn: &str) -> Diagnostic {
    Diagnostic::warning(Code::UNREACHABLE_TURN, format!("turn `{turn}` is never reached"))
}

fn reached(facts: &Facts, dialogue: &DialoguePlan) -> Vec<usize> {
    let ways = EdgeFiltered::from_fn(&dialogue.graph, |edge| {
        let target = &dialogue.graph[edge.target()];
        let edge = edge.weight();
        let open = match edge.kind {
            // The end is not drawn: it comes where its condition holds.
            EdgeKind::Control { weight, .. } => weight > 0 || target.kind == NodeKind::End,
            EdgeKind::Relation(_) => false,
        };
        open && edge.guard.as_ref().is_none_or(|guard| possible(facts, &[guard], &[]))
    });
    let start =
        dialogue.graph.node_indices().find(|at| dialogue.graph[*at].kind == NodeKind::Start);
    let Some(start) = start else { return Vec::new() };
    let mut search = Dfs::new(&ways, start);
    let mut reached = Vec::new();
    while let Some(at) = search.next(&ways) {
        reached.push(at.index());
    }
    reached
}

fn never_back(dialogue: &DialoguePlan, rules: &TopicRules) -> Option<Diagnostic> {
    let rule = rules.rules.iter().find(|rule| rule.backtrack > Share(0))?;
    // Where a guard is to blame, that is told.
    if rule.guard.is_some() && rule.switch > Share(0) {
        return None;
    }
    let warning = Diagnostic::warning(
        Code::UNREACHABLE_TURN,
        format!("dialogue `{}` never goes back to a topic", dialogue.table.name),
    )
    .label(rule.span, format!("`backtrack` has {} of a `switch {}`", rule.backtrack, rule.switch));
    Some(warning.help("give `switch` a share above 0%, or leave `backtrack` out"))
}

/// A loop over a list with nothing in it.
fn empty_loops(steps: &[Step], found: &mut Vec<Diagnostic>) {
    for step in steps {
        let Step::For { list, body, .. } = step else { continue };
        if !is_empty(list) {
            empty_loops(body, found);
            continue;
        }
        for turn in Step::turns(body) {
            found.push(
                unreached(&turn.name)
                    .label(turn.span, "this turn")
                    .label(list.span, "nothing is in this list")
                    .help("put something into the list, or remove the loop"),
            );
        }
    }
}

fn is_empty(list: &Tree) -> bool {
    match &list.node {
        Node::List(members) => members.is_empty(),
        Node::Value(Value::List(members)) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::model::table::{Share, Step};
    use crate::plan::sample::{evolif, fan, loops, plan_of, turn};

    fn messages(dialogue: crate::model::table::Dialogue) -> Vec<String> {
        let plan = plan_of(dialogue);
        let dialogue = &plan.dialogues[0];
        check(&plan, dialogue).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn ordinary_dialogues_are_left_alone() {
        for dialogue in [evolif(), fan(), loops()] {
            assert_eq!(messages(dialogue), Vec::<String>::new());
        }
        let mut dialogue = evolif();
        for rule in dialogue.topics.iter_mut().flat_map(|topics| &mut topics.rules) {
            (rule.new, rule.backtrack) = (Share::WHOLE, Share(0));
        }
        assert_eq!(messages(dialogue), Vec::<String>::new());
    }

    #[test]
    fn shares_of_nothing() {
        let mut dialogue = evolif();
        for rule in dialogue.topics.iter_mut().flat_map(|topics| &mut topics.rules) {
            rule.switch = Share(0);
        }
        assert_eq!(messages(dialogue), ["dialogue `evolving` never goes back to a topic"]);
    }

    #[test]
    fn a_turn_behind_a_flow_that_goes_round() {
        let mut dialogue = evolif();
        dialogue.steps.push(Step::Turn(Box::new(turn("goodbye", &[]))));
        assert_eq!(messages(dialogue), ["turn `goodbye` is never reached"]);
    }
}
