//! Reports conditions that can never hold, or that earlier ones always cover.

use super::condition::possible;
use super::fact_bounds::FactBounds;
use crate::Plan;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{ChangeRules, Dialogue, Impose, Step, Turn, TurnPart};
use ifs_predicate::print::print as condition;
use ifs_predicate::tree::{Node, Tree};

pub(super) fn check(plan: &Plan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for constraint in plan.model.groups.iter().flat_map(|group| &group.constraints) {
        let facts = FactBounds::plain();
        found.extend(constraint.applies.iter().flat_map(|applies| never(&facts, applies)));
        for changes in constraint.params.iter().filter_map(|param| param.evolve.as_ref()) {
            ordered(&facts, &guards(changes), &mut found);
        }
    }
    for turn in plan.model.flows.iter().flat_map(|flow| flow.turns()) {
        in_turn(&FactBounds::plain(), turn, &mut found);
    }
    for dialogue in plan.dialogues() {
        in_dialogue(plan, dialogue.table, &mut found);
    }
    found
}

/// The bounds that make a condition impossible.
pub(super) fn impossible_because(facts: &FactBounds, tree: &Tree) -> String {
    let reasons = facts.reasons();
    let decisive =
        reasons.iter().find(|(_, without)| possible(without, &[tree], &[])).map(|(why, _)| *why);
    match decisive {
        Some(reason) => reason.to_owned(),
        None if possible(&facts.without_least(), &[tree], &[]) => {
            "numbers of turns, topics and the like are never that small".to_owned()
        }
        None if matches!(tree.node, Node::And(_)) => "its parts exclude one another".to_owned(),
        None => "there is nothing of which this holds".to_owned(),
    }
}

/// The maximum number of earlier guards that a guard is compared with.
const MAX_EARLIER_GUARDS: usize = 24;

fn in_dialogue(plan: &Plan, dialogue: &Dialogue, found: &mut Vec<Diagnostic>) {
    let facts = FactBounds::for_dialogue(plan, dialogue);
    if let Some(evolve) = &dialogue.evolve {
        ordered(&facts, &guards(&evolve.rules), found);
    }
    if let Some(topics) = &dialogue.topics {
        let guards: Vec<&Tree> =
            topics.rules.iter().filter_map(|rule| rule.guard.as_ref()).collect();
        ordered(&facts, &guards, found);
    }
    check_parts(&facts, &dialogue.imposes, found);
    for turn in Step::turns(&dialogue.steps) {
        in_turn(&facts, turn, found);
    }
    if let Some(end) = &dialogue.end {
        let goes_round = dialogue.topics.is_some();
        // A flow that never ends has its own diagnostic.
        if !goes_round || possible(&facts, &[end], &[]) {
            found.extend(never(&facts, end));
        }
    }
    for (_, variant) in &dialogue.variants {
        let mut more = Vec::new();
        in_dialogue(plan, variant, &mut more);
        more.retain(|diagnostic| !found.contains(diagnostic));
        found.extend(more);
    }
}

fn in_turn(facts: &FactBounds, turn: &Turn, found: &mut Vec<Diagnostic>) {
    check_parts(facts, &turn.body, found);
}

fn check_parts(facts: &FactBounds, parts: &[TurnPart], found: &mut Vec<Diagnostic>) {
    for part in parts {
        match part {
            TurnPart::Impose(impose) => in_impose(facts, impose, found),
            TurnPart::For { body, .. } => check_parts(facts, body, found),
            TurnPart::Let(..)
            | TurnPart::Param(_)
            | TurnPart::Part { .. }
            | TurnPart::Ask(_)
            | TurnPart::Show(_)
            | TurnPart::Require { .. }
            | TurnPart::Observe { .. }
            | TurnPart::Answer(_)
            | TurnPart::Reply(_)
            | TurnPart::Class(_)
            | TurnPart::Expect { .. }
            | TurnPart::Void(..) => {}
        }
    }
}

fn in_impose(facts: &FactBounds, impose: &Impose, found: &mut Vec<Diagnostic>) {
    found.extend(impose.applies.iter().flat_map(|applies| never(facts, applies)));
}

fn guards(changes: &ChangeRules) -> Vec<&Tree> {
    changes.guards.iter().map(|(guard, _)| guard).collect()
}

/// Guards in order; the first that holds decides.
fn ordered(facts: &FactBounds, guards: &[&Tree], found: &mut Vec<Diagnostic>) {
    for (at, guard) in guards.iter().enumerate() {
        if !possible(facts, &[guard], &[]) {
            found.extend(never(facts, guard));
            continue;
        }
        let earlier = &guards[..at.min(MAX_EARLIER_GUARDS)];
        if possible(facts, &[guard], earlier) {
            found.extend(never(facts, guard));
            continue;
        }
        let mut diagnostic = Diagnostic::warning(
            Code::CONTRADICTORY_GUARD,
            format!("`when {}` is never reached", condition(guard)),
        )
        .label(guard.span, "an earlier `when` holds wherever this one does")
        .help("the first `when` that holds decides: put the narrower one first, or remove it");
        let one = earlier.iter().find(|earlier| !possible(facts, &[guard], &[earlier]));
        let covers: Vec<&Tree> = match one {
            Some(one) => vec![one],
            None => earlier.to_vec(),
        };
        for tree in covers {
            diagnostic = diagnostic.label(tree.span, "it is decided here");
        }
        found.push(diagnostic);
    }
}

/// Reports an error if the condition can never hold; a warning for each alternative that cannot,
/// and for comparisons of constants.
fn never(facts: &FactBounds, tree: &Tree) -> Vec<Diagnostic> {
    if !possible(facts, &[tree], &[]) {
        return vec![
            Diagnostic::error(
                Code::CONTRADICTORY_GUARD,
                format!("`{}` can never hold", condition(tree)),
            )
            .label(tree.span, impossible_because(facts, tree))
            .help("change one of the comparisons, or remove the condition with what it guards"),
        ];
    }
    if !possible(facts, &[], &[tree]) && constant(tree) {
        return vec![
            Diagnostic::warning(
                Code::CONTRADICTORY_GUARD,
                format!("`{}` always holds", condition(tree)),
            )
            .label(tree.span, "this compares constants only")
            .help("compare with a fact of the turn such as `turn`, or remove the condition"),
        ];
    }
    let Node::Or(parts) = &tree.node else { return Vec::new() };
    parts
        .iter()
        .filter(|part| !possible(facts, &[part], &[]))
        .map(|part| {
            Diagnostic::warning(
                Code::CONTRADICTORY_GUARD,
                format!("`{}` can never hold", condition(part)),
            )
            .label(part.span, impossible_because(facts, part))
            .help("change the comparison, or remove this alternative")
        })
        .collect()
}

fn constant(tree: &Tree) -> bool {
    match &tree.node {
        Node::Value(_) => true,
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Compare(..) | Node::Arithmetic(..) => {
            tree.children().into_iter().all(constant)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::sample::{and, at_least, equal, evolif, less_than, or, plan_of};
    use ifs_base::diagnostic::Severity;

    fn messages(change: impl FnOnce(&mut ifs_model::table::Dialogue)) -> Vec<String> {
        let mut dialogue = evolif();
        change(&mut dialogue);
        check(&plan_of(dialogue))
            .into_iter()
            .map(|found| {
                let severity = if found.severity == Severity::Error { "error" } else { "warning" };
                let label = found.labels.first().map_or("", |label| &label.text);
                format!("{severity}: {} ({label})", found.message)
            })
            .collect()
    }

    #[test]
    fn a_valid_dialogue_is_unchanged() {
        assert_eq!(messages(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn guards_that_never_hold() {
        let found = messages(|dialogue| {
            if let Some(evolve) = &mut dialogue.evolve {
                let changes = evolve.rules.changes.clone();
                evolve.rules.guards = vec![
                    (and([at_least("turn", 9), less_than("turn", 3)]), changes.clone()),
                    (equal("constraints", 13), changes.clone()),
                    (less_than("constraints", 5), changes.clone()),
                    (less_than("constraints", 3), changes),
                ];
            }
            dialogue.end = Some(or([at_least("topics", 600), at_least("turns", 20)]));
        });
        assert_eq!(
            found,
            [
                "error: `turn >= 9 and turn < 3` can never hold (its parts exclude one another)",
                "error: `constraints == 13` can never hold (there are 12 groups, and one \
                 constraint of each at a time)",
                "warning: `when constraints < 3` is never reached (an earlier `when` holds \
                 wherever this one does)",
                "warning: `topics >= 600` can never hold (the bank `topics` has 541 records)",
            ]
        );
    }
}
