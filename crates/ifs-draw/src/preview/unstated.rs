//! Reports active constraints although the last message about their group said something else: they
//! were covered or withdrawn, and became active again without a message.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Previewed;
use crate::{Active, PublishedName, ScriptTurn};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{DecidedBy, Move, Scope, Speaker, Turn, TurnPart};
use ifs_plan::{DialoguePlan, Plan};

/// The number of dialogues that are drawn, and of turns of each.
const DRAWN_DIALOGUES: u64 = 8;
const MAX_TURNS: usize = 40;

/// The last statement about each group: the constraint, or that it no longer holds.
#[derive(Default)]
struct LastStated(BTreeMap<(Speaker, String), Option<Arc<Active>>>);

pub(super) fn check(previewed: &Previewed<'_>) -> Option<Diagnostic> {
    let (plan, dialogue) = (previewed.plan, previewed.dialogue);
    let table = dialogue.table;
    let draws = !table.groups.is_empty() || table.all_imposes(&plan.model.flows).next().is_some();
    // Repeated instructions are in every message. Messages of the scenario's own may say that those
    // of a topic apply again when the dialogue returns to it.
    let own_words = table.system.is_some()
        || table.words.contains_key("return.j2")
        || table.scope_said.is_some()
        || table.scope_unsaid
        // A flow of topics without such a message has a warning about its scope.
        || table.topics.is_some();
    if !draws || table.repeat_instructions || (table.scope == Scope::Topic && own_words) {
        return None;
    }
    for index in 0..DRAWN_DIALOGUES {
        let mut said = LastStated::default();
        let script = previewed.script(index)?.plain();
        for turn in script.take(MAX_TURNS).map_while(Result::ok) {
            if let Some((active, last)) = said.unstated(plan, &turn) {
                return Some(found(dialogue, &turn, active, last));
            }
        }
    }
    None
}

/// Reports a requirement without `say` in a turn without `ask`: no message says it. A system
/// message or templates of the scenario's own may.
pub(super) fn requirement(plan: &Plan, dialogue: DialoguePlan<'_>) -> Option<Diagnostic> {
    fn unstated_requirement(parts: &[TurnPart]) -> Option<(&String, &DecidedBy)> {
        parts.iter().find_map(|part| match part {
            TurnPart::Require { name, by, says: None, .. } => Some((name, by)),
            TurnPart::For { body, .. } => unstated_requirement(body),
            _ => None,
        })
    }
    let table = dialogue.table;
    if table.system.is_some() || !table.words.is_empty() {
        return None;
    }
    let moves = table.topics.iter().flat_map(|rules| &rules.turns);
    let moves: Vec<&(Option<Move>, Turn)> = moves.collect();
    let asks =
        |to: Move| moves.iter().any(|(of, turn)| of.is_none_or(|of| of == to) && turn.has_ask());
    let silent = |turn: &Turn| match moves.iter().find(|(_, one)| std::ptr::eq(one, turn)) {
        None => !turn.has_ask(),
        Some((of, _)) => [Move::New, Move::Stay, Move::Backtrack]
            .into_iter()
            .any(|to| of.is_none_or(|of| of == to) && !asks(to)),
    };
    let turns = table.written_turns(&plan.model.flows);
    let (turn, (name, by)) = turns
        .into_iter()
        .filter(|turn| silent(turn))
        .find_map(|turn| Some((turn, unstated_requirement(&turn.body)?)))?;
    let place = match by {
        DecidedBy::Rule(tree) => tree.span,
        DecidedBy::Judge(_) => turn.span,
    };
    Some(
        Diagnostic::warning(
            Code::UNSTATED_CONSTRAINT,
            format!("the requirement `{name}` is judged, and no message says it to the model"),
        )
        .label(place, "in a turn without `ask`")
        .help("write `say \"…\"` after the requirement, and the user message states it"),
    )
}

impl LastStated {
    /// An active constraint on which the response is judged and which is not the last one that was
    /// stated, with the last one.
    fn unstated<'t>(&mut self, plan: &Plan, turn: &'t ScriptTurn) -> Option<(&'t Active, String)> {
        for changed in &turn.changes {
            if let Some(before) = &changed.before {
                self.0.insert(slot(before), None);
            }
            if let Some(after) = &changed.after {
                self.0.insert(slot(after), Some(Arc::clone(after)));
            }
        }
        // A constraint that applies on some responses only is stated on those.
        let always = |active: &&Arc<Active>| {
            plan.constraint(&active.constraint).is_none_or(|known| known.applies.is_none())
        };
        let stated = |active: &&Arc<Active>| active.called != Some(PublishedName::Unsaid);
        turn.active_constraints.iter().filter(always).filter(stated).find_map(|active| {
            let last = match self.0.get(&slot(active)) {
                None => "nothing".to_owned(),
                Some(None) => "that it no longer holds".to_owned(),
                Some(Some(last)) if last.constraint != active.constraint => {
                    format!("`{}`", last.constraint)
                }
                Some(Some(last)) if last.args != active.args => "other values".to_owned(),
                Some(Some(_)) => return None,
            };
            Some((&**active, last))
        })
    }
}

fn slot(active: &Active) -> (Speaker, String) {
    let (speaker, name) = active.slot();
    (speaker, name.to_owned())
}

fn found(
    dialogue: DialoguePlan<'_>,
    turn: &ScriptTurn,
    active: &Active,
    last: String,
) -> Diagnostic {
    Diagnostic::warning(
        Code::UNSTATED_CONSTRAINT,
        format!(
            "turn {} is judged by `{}`, and the last stated constraint of its group is {last}",
            turn.turn, active.constraint
        ),
    )
    .label(dialogue.table.span, "a drawn dialogue")
    .help(match dialogue.table.scope {
        Scope::Topic => {
            "say in `system` that the instructions of a topic apply to it only, and again when the \
             dialogue returns to it; or write `repeat instructions at end`, or `scope dialogue`"
        }
        Scope::Turn | Scope::Dialogue => "write `repeat instructions at end`",
    })
}
