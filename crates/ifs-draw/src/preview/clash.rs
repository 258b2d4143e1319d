//! Records whose constraints contradict: with their values, the rules of a turn can never hold
//! together.

use super::{Previewed, place};
use crate::{Active, CriterionKind, ScriptTurn};
use ifs_base::diagnostic::{Code, Diagnostic, Severity};
use ifs_model::table::{DecidedBy, TurnPart};
use ifs_plan::{DialoguePlan, Plan};
use ifs_predicate::bound;
use ifs_predicate::evaluate::{TurnFacts, Variables};
use ifs_predicate::partial_eval::partial_eval;
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// The number of records that are drawn, and of turns of all of them together.
const MAX_RECORDS: usize = 500;
const MAX_TURNS: usize = 2_000;
/// Dialogues without records of which the first turns are read.
const DIALOGUES_WITHOUT_RECORDS: usize = 10;

pub(super) fn check(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    let requires = |parts: &[TurnPart]| parts.iter().any(is_rule);
    let turns = dialogue.table.written_turns(&plan.model.flows);
    if !turns.iter().any(|turn| requires(&turn.body)) && !requires(&dialogue.table.imposes) {
        return None;
    }
    let count = match &dialogue.table.over {
        Some((from, _)) => plan.records(from)?.0.len().min(MAX_RECORDS),
        None => DIALOGUES_WITHOUT_RECORDS,
    };
    let mut left = MAX_TURNS;
    let mut sound: Vec<Vec<Tree>> = Vec::new();
    for index in 0..count {
        for turn in previewed.script(index as u64)?.map_while(Result::ok) {
            if left == 0 {
                return None;
            }
            left -= 1;
            let rules = rules(plan, &turn);
            if rules.is_empty() || sound.contains(&rules) {
                continue;
            }
            let goals: Vec<bound::BoundedCheck<'_>> =
                rules.iter().map(|tree| (tree, &() as _)).collect();
            match bound::conflict(&goals) {
                None => sound.push(rules),
                Some(_) => {
                    let found = found(plan, dialogue, &turn, &rules);
                    let called = turn.active_constraints.iter().any(|it| it.called.is_some());
                    // Published data are not changed.
                    return Some(match called {
                        true => Diagnostic { severity: Severity::Warning, ..found },
                        false => found,
                    });
                }
            }
        }
    }
    None
}

fn is_rule(part: &TurnPart) -> bool {
    match part {
        TurnPart::Require { by: DecidedBy::Rule(_), .. } => true,
        TurnPart::For { body, .. } => body.iter().any(is_rule),
        TurnPart::Impose(impose) => impose.called.is_some(),
        _ => false,
    }
}

/// The rules for the response to a turn: its requirements, and the constraints that have to be
/// followed.
fn rules(plan: &Plan, turn: &ScriptTurn) -> Vec<Tree> {
    if turn.given.is_some() {
        return Vec::new();
    }
    let active = turn.active_constraints.iter().filter(|active| active.overruled.is_none());
    let active = active.filter_map(|active| rule_of_constraint(plan, turn, active));
    let required = turn.criteria.iter().filter(|it| it.kind == CriterionKind::Requirement);
    // A rule about a part is about another text.
    let whole = |tree: &&Tree| turn.parts.iter().all(|part| !tree.mentions(&part.name));
    let rules = required.filter_map(|criterion| match &criterion.by {
        DecidedBy::Rule(tree) => Some(tree),
        DecidedBy::Judge(_) => None,
    });
    rules.filter(whole).cloned().chain(active).collect()
}

/// The rule of an active constraint with its values. One that applies under a condition on the response
/// is that condition's consequence; `None` if it does not apply on this turn.
fn rule_of_constraint(plan: &Plan, turn: &ScriptTurn, active: &Active) -> Option<Tree> {
    let constraint = plan.constraint(&active.constraint)?;
    let DecidedBy::Rule(tree) = &constraint.by else { return None };
    let number = |count: u32| Value::Int(i64::from(count));
    let facts = [
        (TurnFact::Turn, number(turn.turn)),
        (TurnFact::Reply, number(turn.turn)),
        (TurnFact::Age, number(turn.turn.saturating_sub(active.since))),
    ];
    let (args, facts) = (active.args.as_slice(), TurnFacts(&facts));
    let values: (&dyn Variables, &dyn Variables) = (&args, &facts);
    let tree = partial_eval(tree, &values, &[]);
    let Some(applies) = &constraint.applies else { return Some(tree) };
    let applies = partial_eval(applies, &values, &[]);
    match applies.node {
        Node::Value(Value::Bool(true)) => Some(tree),
        Node::Value(_) => None,
        _ => Some(applies.implies(tree)),
    }
}

fn found(plan: &Plan, dialogue: DialoguePlan<'_>, turn: &ScriptTurn, rules: &[Tree]) -> Diagnostic {
    let from = dialogue.table.over.as_ref();
    let record = turn.over.as_ref().zip(from);
    let record = record
        .map(|(key, (from, _))| format!("with the record `{key}` of `{from}` "))
        .unwrap_or_default();
    // A minimal set that contradicts.
    let mut least: Vec<&Tree> = rules.iter().collect();
    let mut at = 0;
    while at < least.len() {
        let mut without = least.clone();
        without.remove(at);
        let goals: Vec<bound::BoundedCheck<'_>> =
            without.iter().map(|tree| (*tree, &() as _)).collect();
        match bound::conflict(&goals) {
            Some(_) => least = without,
            None => at += 1,
        }
    }
    let printed: Vec<String> = least.iter().map(|tree| format!("`{}`", print(tree))).collect();
    let mut diagnostic = Diagnostic::error(
        Code::CLASHING_RECORD,
        format!("{record}no response can satisfy this turn: {}", printed.join(" and ")),
    )
    .label(place(plan, dialogue, &turn.name), "");
    for tree in least {
        diagnostic = diagnostic.label(tree.span, "required here");
    }
    diagnostic.help(match record.is_empty() {
        true => "require less on this turn",
        false => "correct the record, or require less of it",
    })
}
