//! Reports `from turn N impose` that never begins: the dialogue has no turn with that number, or none
//! at that place.

use crate::lower::known_value;
use crate::table::{Dialogue, Flow, Impose, SemanticModel, Step, Turn};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_predicate::value::Value;

/// The number of the last turn so far, as `from turn` counts: without those of branches. `None` if
/// it is not known before dialogues are drawn.
type Counted = Option<i64>;

pub(super) fn never_begun(dialogue: &Dialogue, model: &SemanticModel) -> Vec<Diagnostic> {
    let flows = model.flows.iter().filter(|flow| dialogue.flows.contains(&flow.name));
    let flows: Vec<&Flow> = flows.collect();
    let mut found = Vec::new();
    let has_topics = dialogue.topics.is_some();
    let all = steps(&dialogue.steps, (&flows, has_topics), (Some(0), false), &mut found);
    let late = |impose: &&&Impose| all.is_some_and(|all| number(impose).is_some_and(|it| it > all));
    found.extend(dialogue.own_imposes().iter().filter(late).map(|impose| {
        let all = all.unwrap_or_default();
        let turns = if all == 1 { "turn" } else { "turns" };
        never(impose, &format!("the dialogue has {all} {turns} outside of branches"))
    }));
    found
}

/// Counts the turns of steps, and reports what never begins in one of them.
fn steps(
    steps: &[Step],
    (flows, has_topics): (&[&Flow], bool),
    (mut counted, in_branch): (Counted, bool),
    found: &mut Vec<Diagnostic>,
) -> Counted {
    for step in steps {
        let inner = (flows, has_topics);
        match step {
            Step::Turn(turn) => {
                counted = counted.map(|turns| turns + i64::from(!in_branch));
                found.extend(in_turn(turn, counted, in_branch));
            }
            Step::Flow if has_topics => counted = None,
            Step::Flow => {
                let after: Vec<Counted> = flows
                    .iter()
                    .map(|flow| self::steps(&flow.steps, inner, (counted, in_branch), found))
                    .collect();
                let longest = after.into_iter().collect::<Option<Vec<i64>>>();
                counted = longest.and_then(|all| all.into_iter().max());
            }
            // How many members a list has, is known when it is drawn.
            Step::For { body, .. } => {
                self::steps(body, inner, (None, in_branch), found);
                counted = counted.filter(|_| Step::turns(body).is_empty());
            }
            Step::When { body, otherwise, .. } => {
                for side in [body, otherwise] {
                    self::steps(side, inner, (counted, true), found);
                }
            }
            Step::Let(..) | Step::Param(_) => {}
        }
    }
    counted
}

fn in_turn(turn: &Turn, counted: Counted, in_branch: bool) -> Vec<Diagnostic> {
    let Some(counted) = counted else { return Vec::new() };
    let late =
        turn.imposes().into_iter().filter(|impose| number(impose).is_some_and(|it| it > counted));
    let why = match in_branch {
        true => format!("turns of branches are not counted: the count is {counted} here"),
        false => format!("this is turn {counted}"),
    };
    late.map(|impose| never(impose, &why)).collect()
}

fn number(impose: &Impose) -> Option<i64> {
    match known_value(impose.since.as_ref()?) {
        Some(Value::Int(number)) => Some(number),
        _ => None,
    }
}

fn never(impose: &Impose, why: &str) -> Diagnostic {
    let turn = number(impose).unwrap_or_default();
    let span = impose.since.as_ref().map_or(impose.span, |since| since.span);
    Diagnostic::error(Code::NO_EFFECT, format!("`from turn {turn} impose` never begins"))
        .label(span, why)
        .help("write a smaller number, or leave `from turn` out")
}
