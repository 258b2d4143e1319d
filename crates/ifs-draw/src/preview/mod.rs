//! Checks that need drawn dialogues: right answers that no message determines, active constraints
//! that later messages contradict, records whose turns are contradictory, and turns without a
//! witness. Also measures the variety of user messages.

mod clash;
mod unproven;
mod unshown;
mod unstated;
mod variety;

use std::cell::OnceCell;

use crate::{Drawer, Script, ScriptTurn, Seed, ShownContent};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_model::table::Context;
use ifs_plan::{DialoguePlan, Plan};

pub use variety::{OverDialogues, Variety, VarietyMeasure};

/// The maximum number of turns of a dialogue that are drawn.
const MAX_TURNS: usize = 200;

/// Draws some dialogues of a plan without errors, and reports mistakes in them. A dialogue that
/// cannot be drawn is skipped, because drawing reports it.
pub fn check(plan: &Plan) -> Vec<Diagnostic> {
    plan.dialogues()
        .flat_map(|dialogue| {
            let mut found = Previewed::new(plan, dialogue).check();
            if !found.iter().any(|warning| warning.code == Code::UNPROVEN_TURN) {
                found.extend(unproven_in_splits(plan, dialogue));
            }
            found
        })
        .collect()
}

/// The turns without a witness that only a split draws.
fn unproven_in_splits(plan: &Plan, dialogue: DialoguePlan<'_>) -> Option<Diagnostic> {
    let name = &dialogue.table.name;
    plan.model.splits.iter().find_map(|split| {
        let held_out = plan.clone().varied(name, split)?;
        let dialogue = held_out.dialogues().find(|dialogue| dialogue.table.name == *name)?;
        let warning = unproven::check(&Previewed::new(&held_out, dialogue))?;
        Some(Diagnostic { message: format!("{}, in split `{split}`", warning.message), ..warning })
    })
}

/// A dialogue that is checked.
struct Previewed<'p> {
    plan: &'p Plan,
    dialogue: DialoguePlan<'p>,
    /// Compiled for the first check that draws.
    drawer: OnceCell<Option<Drawer<'p>>>,
}

impl<'p> Previewed<'p> {
    fn new(plan: &'p Plan, dialogue: DialoguePlan<'p>) -> Previewed<'p> {
        Previewed { plan, dialogue, drawer: OnceCell::new() }
    }

    fn check(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        found.extend(unstated::check(self));
        found.extend(unstated::requirement(self.plan, self.dialogue));
        if self.dialogue.table.topics.is_some() {
            found.extend(unshown::drawn_values(self).or_else(|| unshown::of_topics(self)));
            found.extend(unproven::check(self));
            return found;
        }
        found.extend(unshown::check(self).or_else(|| unshown::drawn_values(self)));
        found.extend(clash::check(self).or_else(|| unproven::check(self)));
        found
    }

    /// Its drawer; `None` if it cannot be drawn.
    fn drawer(&self) -> Option<&Drawer<'p>> {
        self.drawer.get_or_init(|| Drawer::new(self.plan, &self.dialogue.table.name).ok()).as_ref()
    }

    /// The script of the dialogue with an index.
    fn script(&self, index: u64) -> Option<Script<'_>> {
        Some(self.drawer()?.script(Seed(1), index).take_both_sides())
    }
}

/// The turns of a dialogue, as far as they can be drawn. Each is drawn when it is read.
struct LazyTurns<'d> {
    script: Option<Script<'d>>,
    drawn: Vec<ScriptTurn>,
}

impl<'d> LazyTurns<'d> {
    fn new(script: Option<Script<'d>>) -> LazyTurns<'d> {
        LazyTurns { script, drawn: Vec::new() }
    }

    /// Draws up to a turn, by its index; `false` if there is none.
    fn has(&mut self, at: usize) -> bool {
        while self.drawn.len() <= at.min(MAX_TURNS - 1) {
            match self.script.as_mut().and_then(Script::next) {
                Some(Ok(turn)) => self.drawn.push(turn),
                Some(Err(_)) | None => {
                    self.script = None;
                    break;
                }
            }
        }
        at < self.drawn.len()
    }

    fn all(&mut self) -> &[ScriptTurn] {
        self.has(MAX_TURNS);
        &self.drawn
    }
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
        ShownContent::Tool { text, .. } => text.clone(),
    });
    let first = history.into_iter().chain(turn.system.clone()).chain(shown);
    first.chain([turn.ask.clone()]).chain(turn.reminder.clone()).collect()
}

/// The span of a written turn.
fn place(plan: &Plan, dialogue: DialoguePlan<'_>, name: &str) -> Span {
    let turns = dialogue.table.written_turns(&plan.model.flows);
    turns.iter().find(|turn| turn.name == name).map_or(dialogue.table.span, |turn| turn.span)
}
