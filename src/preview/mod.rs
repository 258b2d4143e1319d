//! Checks that need drawn dialogues: right answers that no message determines, active constraints
//! that later messages contradict, and records whose turns are contradictory. Also
//! measures the variety of user messages.

mod clash;
mod unshown;
mod unstated;
mod variety;

use crate::diagnostic::Diagnostic;
use crate::model::table::Context;
use crate::plan::{DialoguePlan, Plan};
use crate::script::{Drawer, ScriptTurn, Seed, ShownContent};
use crate::source::Span;

pub use variety::{OverDialogues, Variety, VarietyMeasure};

/// The maximum number of turns of a dialogue that are drawn.
const MAX_TURNS: usize = 200;

/// Draws some dialogues of a plan without errors, and reports mistakes in them. A dialogue that
/// cannot be drawn is skipped, because drawing reports it.
pub fn check(plan: &Plan) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for dialogue in plan.dialogues() {
        found.extend(unstated::check(plan, dialogue));
        found.extend(unstated::requirement(plan, dialogue));
        if dialogue.table.topics.is_some() {
            let unshown = unshown::drawn_values(plan, dialogue);
            found.extend(unshown.or_else(|| unshown::of_topics(plan, dialogue)));
            continue;
        }
        let unshown = unshown::check(plan, dialogue);
        found.extend(unshown.or_else(|| unshown::drawn_values(plan, dialogue)));
        found.extend(clash::check(plan, dialogue));
    }
    found
}

/// The turns of the first dialogues, as far as they can be drawn.
fn drawn(plan: &Plan, dialogue: &str, count: u64) -> Vec<Vec<ScriptTurn>> {
    let Ok(drawer) = Drawer::new(plan, dialogue) else { return vec![Vec::new(); count as usize] };
    let script = |index| drawer.script(Seed(1), index).both_sides();
    let turns = |index| script(index).take(MAX_TURNS).map_while(Result::ok).collect();
    (0..count).map(turns).collect()
}

/// The turns of the first dialogue.
fn first_drawn(plan: &Plan, dialogue: &str) -> Vec<ScriptTurn> {
    drawn(plan, dialogue, 1).remove(0)
}

/// The messages that a model gets before the response to a turn, without earlier ones.
fn reported<'t>(
    turn: &'t ScriptTurn,
    before: Option<&'t ScriptTurn>,
    context: Context,
) -> Vec<String> {
    let history = before.and_then(|before| before.golden.clone());
    let history = history.filter(|_| context == Context::Golden);
    let history = before.and_then(|before| before.given.clone()).or(history);
    let shown = turn.show.iter().map(|shown| match shown {
        ShownContent::Text(line) => line.clone(),
        ShownContent::Image(image) => image.label(),
    });
    let first = history.into_iter().chain(turn.system.clone()).chain(shown);
    first.chain([turn.ask.clone()]).chain(turn.reminder.clone()).collect()
}

/// The span of a written turn.
fn place(plan: &Plan, dialogue: DialoguePlan<'_>, name: &str) -> Span {
    let turns = dialogue.table.written_turns(&plan.model.flows);
    turns.iter().find(|turn| turn.name == name).map_or(dialogue.table.span, |turn| turn.span)
}
