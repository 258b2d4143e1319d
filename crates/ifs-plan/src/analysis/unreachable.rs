//! Reports turns and shares that no path through the dialogue reaches.

use petgraph::visit::{Dfs, EdgeFiltered};

use super::condition::possible;
use super::fact_bounds::FactBounds;
use crate::{DialoguePlan, EdgeKind, Graph, Plan, PlanNode, PlanNodeKind};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{Share, Step, TopicRules};
use ifs_predicate::tree::{Node as TreeNode, Tree};
use ifs_predicate::value::Value;

/// Only written statements are reported: if no `backtrack` has a share, a flow that never returns
/// to a topic is intended.
pub(super) fn check(plan: &Plan, dialogue: DialoguePlan<'_>) -> Vec<Diagnostic> {
    let facts = FactBounds::for_dialogue(plan, dialogue.table);
    let graph = &dialogue.turns();
    let reached = reachable_nodes(&facts, graph);
    let rules = dialogue.table.topics.as_ref();
    let mut found = Vec::new();
    for at in graph.node_indices().filter(|at| !reached.contains(&at.index())) {
        let node = &graph[at];
        match (node.kind, rules) {
            (PlanNodeKind::Turn, Some(rules)) if rules.until.is_none() => {
                let mut warning = unreached(&node.name).label(node.span, "this turn");
                if let Some(rule) = rules.rules.first() {
                    let text = "the flow continues until the dialogue ends";
                    warning = warning.label(rule.span, text);
                }
                found.push(warning.help(
                    "say in the flow when it is left, as in `until topics == 3`, or write the \
                     turn before the flow",
                ));
            }
            (PlanNodeKind::Turn, _) => {
                let mut warning = unreached(&node.name).label(node.span, "this turn");
                if let Some(flow) = never_drawn(dialogue, node) {
                    warning = warning.help(format!(
                        "the flow `{flow}` has a share of 0%: give it more, or leave it out"
                    ));
                }
                found.push(warning);
            }
            (PlanNodeKind::Backtrack, Some(rules)) => found.extend(no_backtrack(dialogue, rules)),
            // The first topic is always opened; `stay` has no share of its own; an endless dialogue
            // has its own diagnostic. Silent nodes are not reported.
            _ => {}
        }
    }
    empty_loops(&dialogue.table.steps, &mut found);
    found
}

/// The named flow of a turn, if it is never drawn.
fn never_drawn<'d>(dialogue: DialoguePlan<'d>, turn: &PlanNode) -> Option<&'d str> {
    let mut flows = dialogue.table.weighed_flows();
    let own = |name: &str| turn.flow.as_deref() == Some(name);
    flows.find(|(name, share)| own(name) && *share == Share(0)).map(|(name, _)| name)
}

fn unreached(turn: &str) -> Diagnostic {
    Diagnostic::warning(Code::UNREACHABLE_TURN, format!("turn `{turn}` is never reached"))
}

fn reachable_nodes(facts: &FactBounds, graph: &Graph) -> Vec<usize> {
    let reachable = EdgeFiltered::from_fn(graph, |edge| {
        let edge = edge.weight();
        let open = match edge.kind {
            // An edge of weight 0 is taken if its condition holds.
            EdgeKind::Control { weight, .. } => weight > 0 || edge.guard.is_some(),
            EdgeKind::Relation(_) => false,
        };
        open && edge.guard.as_ref().is_none_or(|guard| possible(facts, &[guard], &[]))
    });
    let start = graph.node_indices().find(|at| graph[*at].kind == PlanNodeKind::Start);
    let Some(start) = start else { return Vec::new() };
    let mut search = Dfs::new(&reachable, start);
    let mut reached = Vec::new();
    while let Some(at) = search.next(&reachable) {
        reached.push(at.index());
    }
    reached
}

fn no_backtrack(dialogue: DialoguePlan<'_>, rules: &TopicRules) -> Option<Diagnostic> {
    let rule = rules.rules.iter().find(|rule| rule.backtrack > Share(0))?;
    // If a guard is the cause, the guard is reported instead.
    if rule.guard.is_some() && rule.switch > Share(0) {
        return None;
    }
    let warning = Diagnostic::warning(
        Code::UNREACHABLE_TURN,
        format!("dialogue `{}` never returns to a topic", dialogue.table.name),
    )
    .label(rule.span, format!("`backtrack` has {} of a `switch {}`", rule.backtrack, rule.switch));
    Some(warning.help("give `switch` a share above 0%, or leave `backtrack` out"))
}

/// Reports loops over an empty list.
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
        TreeNode::List(members) => members.is_empty(),
        TreeNode::Value(Value::List(members)) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::sample::{evolif, fan_dialogue, loops, plan_of, turn};
    use ifs_model::table::{Share, Step};

    fn messages(dialogue: ifs_model::table::Dialogue) -> Vec<String> {
        let plan = plan_of(dialogue);
        let dialogue = plan.dialogues().next().unwrap();
        check(&plan, dialogue).into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn ordinary_dialogues_are_unchanged() {
        for dialogue in [evolif(), fan_dialogue(), loops()] {
            assert_eq!(messages(dialogue), Vec::<String>::new());
        }
        let mut dialogue = evolif();
        for rule in dialogue.topics.iter_mut().flat_map(|topics| &mut topics.rules) {
            (rule.new, rule.backtrack) = (Share::ONE, Share(0));
        }
        assert_eq!(messages(dialogue), Vec::<String>::new());
    }

    #[test]
    fn shares_of_nothing() {
        let mut dialogue = evolif();
        for rule in dialogue.topics.iter_mut().flat_map(|topics| &mut topics.rules) {
            rule.switch = Share(0);
        }
        assert_eq!(messages(dialogue), ["dialogue `evolving` never returns to a topic"]);
    }

    #[test]
    fn a_turn_after_an_endless_flow() {
        let mut dialogue = evolif();
        dialogue.steps.push(Step::Turn(Box::new(turn("goodbye", &[]))));
        assert_eq!(messages(dialogue), ["turn `goodbye` is never reached"]);
    }
}
