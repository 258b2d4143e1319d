//! Draws a dialogue with parts taken away. The complete dialogue is walked as it was drawn, and its
//! turns are written again without those parts: streams are keyed by place, so everything else
//! stays as it was. Turns are numbered again.

use std::sync::Arc;

use super::pieces::{DialoguePiece, DialoguePieces, Reduction, StatedAt};
use super::{DrawnTurn, Script};
use crate::body::DrawnBody;
use crate::criterion::{CriterionKind, Related};
use crate::drawer::DrawError;
use crate::state::{Active, ActiveEntry, Observed, ScriptState};
use crate::{InstructionChange, ScriptTurn};
use ifs_model::table::{Change, Move};

impl<'d> Script<'d> {
    /// The parts of the dialogue up to a turn. `seen` has what was observed before each turn.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing a turn.
    pub fn pieces(self, seen: &[Observed], last: u32) -> Result<DialoguePieces, DrawError> {
        self.walk_parts(seen, last, |_, _, _| Ok(()))
    }

    /// The turns of the dialogue that are left, up to a turn.
    ///
    /// # Errors
    /// Returns an error of the scenario that prevents drawing a turn.
    pub fn reduced(
        self,
        seen: &[Observed],
        last: u32,
        reduction: &Reduction,
    ) -> Result<Vec<ScriptTurn>, DrawError> {
        let mut turns = Vec::new();
        let mut first = None;
        self.walk_parts(seen, last, |script, pieces, drawn| {
            let (system, slice) = (drawn.system.clone(), drawn.slice.clone());
            let (system, slice) = first.get_or_insert((system, slice));
            if !reduction.has_turn(script.state.turn) {
                return Ok(());
            }
            let is_first = turns.is_empty();
            let keeps_system = is_first && reduction.kept.contains(&DialoguePiece::System);
            let by_turn = script.drawer.dialogue.table.slices_turns;
            let own = drawn.slice.clone().filter(|_| by_turn);
            let drawn = DrawnTurn {
                system: system.clone().filter(|_| keeps_system),
                slice: own.or_else(|| slice.clone().filter(|_| is_first && !by_turn)),
                ..script.without(drawn, pieces, reduction)
            };
            let state = script.state_without(pieces, reduction);
            let full = std::mem::replace(&mut script.state, state);
            let turn = script.worded(drawn);
            script.state = full;
            let mut turn = turn?;
            if !reduction.kept.contains(&DialoguePiece::Reminder) {
                turn.reminder = None;
            }
            turns.push(turn);
            Ok(())
        })?;
        Ok(turns)
    }

    /// Walks through the complete dialogue, and gives each turn with the parts so far.
    fn walk_parts(
        mut self,
        seen: &[Observed],
        last: u32,
        mut give: impl FnMut(&mut Script<'d>, &DialoguePieces, DrawnTurn<'d>) -> Result<(), DrawError>,
    ) -> Result<DialoguePieces, DrawError> {
        let mut pieces = DialoguePieces { last, ..DialoguePieces::default() };
        while self.state.turn < last {
            self.record_outcome(seen.get(self.state.turn as usize).cloned().unwrap_or_default());
            let drawn = match self.step() {
                None => break,
                Some(Err(error)) => return Err(self.locate_error(error)),
                Some(Ok(drawn)) => drawn,
            };
            self.note_pieces(&drawn, &mut pieces);
            if let Err(error) = give(&mut self, &pieces, drawn) {
                return Err(self.locate_error(error));
            }
        }
        pieces.end(&self.binding());
        Ok(pieces)
    }

    fn note_pieces(&self, drawn: &DrawnTurn<'d>, pieces: &mut DialoguePieces) {
        let turn = self.state.turn;
        let own = self.state.topics.iter().flat_map(|topic| &topic.held);
        pieces.see(turn, &drawn.changes, self.state.held.iter().chain(own));
        if let Some(body) = &drawn.body {
            let to = body.relations.iter().map(|relation| relation.to.clone());
            pieces.relations.insert(turn, to.collect());
            let names =
                requirements(body).map(|name| DialoguePiece::Requirement(turn, name.to_owned()));
            pieces.others.extend(names);
        }
        let style = self.state.style.is_some().then_some(DialoguePiece::Style);
        let system = drawn.system.is_some().then_some(DialoguePiece::System);
        let repeats = self.drawer.dialogue.table.repeat_instructions;
        let reminder = repeats.then_some(DialoguePiece::Reminder);
        pieces.others.extend([style, system, reminder].into_iter().flatten());
    }

    /// The turn with the changes, the relations and the requirements that are left.
    fn without(
        &self,
        drawn: DrawnTurn<'d>,
        pieces: &DialoguePieces,
        reduction: &Reduction,
    ) -> DrawnTurn<'d> {
        let changes = drawn.changes.iter().filter_map(|changed| {
            let after = changed.after.as_ref().and_then(|after| pieces.find(after));
            let before = changed.before.as_ref().and_then(|before| pieces.find(before));
            reduced_change(pieces, reduction, (before, after))
        });
        DrawnTurn {
            to: self.move_without(reduction),
            changes: changes.collect(),
            tries: 1,
            witness: None,
            body: drawn.body.map(|body| self.body_without(body, reduction)),
            ..drawn
        }
    }

    fn body_without(&self, mut body: DrawnBody<'d>, reduction: &Reduction) -> DrawnBody<'d> {
        for Related { to, .. } in &mut body.relations {
            to.retain(|turn| reduction.has_turn(*turn));
            to.iter_mut().for_each(|turn| *turn = reduction.number(*turn));
        }
        let gone: Vec<String> = requirements(&body)
            .map(|name| DialoguePiece::Requirement(self.state.turn, name.to_owned()))
            .filter(|piece| !reduction.kept.contains(piece))
            .filter_map(|piece| match piece {
                DialoguePiece::Requirement(_, name) => Some(name),
                _ => None,
            })
            .collect();
        body.criteria.retain(|it| {
            it.kind != CriterionKind::Requirement || it.says.is_none() || !gone.contains(&it.name)
        });
        for criterion in &mut body.criteria {
            criterion.after.retain(|name| !gone.contains(name));
        }
        body
    }

    /// How the turn follows the previous one that is left: a topic that was opened by a turn that
    /// is gone is opened by the first one on it that is left.
    fn move_without(&self, reduction: &Reduction) -> Move {
        let current = self.state.current.and_then(|topic| u32::try_from(topic).ok());
        let mut before = (1..).zip(&self.state.passed).take(self.state.turn as usize - 1);
        let left = |(turn, _): &(u32, _)| reduction.has_turn(*turn);
        let last = before.clone().filter(left).last().map(|(_, passed)| passed.topic);
        let opened =
            before.any(|(turn, passed)| reduction.has_turn(turn) && passed.topic == current);
        match (opened, last == Some(current)) {
            (false, _) => Move::New,
            (true, true) => Move::Stay,
            (true, false) => Move::Backtrack,
        }
    }

    /// The state after the turn without the removed parts.
    fn state_without(&self, pieces: &DialoguePieces, reduction: &Reduction) -> ScriptState {
        let mut state = self.state.clone();
        let number = reduction.number(state.turn);
        let current = state.current.and_then(|topic| u32::try_from(topic).ok());
        let on_topic = (1..)
            .zip(&state.passed)
            .filter(|(turn, passed)| passed.topic == current && reduction.has_turn(*turn));
        let is_first_on_topic = on_topic.count() <= 1;
        let entries = |all: &[ActiveEntry]| -> Vec<ActiveEntry> {
            let all = all.iter().filter_map(|entry| {
                let at = pieces.find(&entry.active)?;
                let stated = reduction.statement(pieces, at)?;
                let active = active(pieces, reduction, (at.0, stated));
                let id = self.drawer.plan.constraint_id(&active.constraint)?;
                Some(ActiveEntry { id, active, ..entry.clone() })
            });
            all.collect()
        };
        state.held = entries(&state.held);
        for topic in &mut state.topics {
            topic.held = entries(&topic.held);
        }
        if let Some(topic) = state.current.and_then(|at| state.topics.get_mut(at))
            && is_first_on_topic
        {
            topic.turns = 1;
        }
        let passed = std::mem::take(&mut state.passed);
        let kept = (1..).zip(passed).filter(|(turn, _)| reduction.has_turn(*turn));
        state.passed = kept.map(|(_, passed)| passed).collect();
        state.turn = number;
        if !reduction.kept.contains(&DialoguePiece::Style) {
            state.style = None;
        }
        state
    }
}

/// The requirements that are the message of a turn, each of which can be left out.
fn requirements<'b>(body: &'b DrawnBody<'_>) -> impl Iterator<Item = &'b str> {
    let all = body.criteria.iter().filter(|_| body.ask.is_none());
    let said = all.filter(|it| it.kind == CriterionKind::Requirement && it.says.is_some());
    said.map(|it| it.name.as_str())
}

/// The statement of a change without the removed parts; `None` if nothing is left of it.
fn reduced_change(
    pieces: &DialoguePieces,
    reduction: &Reduction,
    (before, after): (Option<StatedAt>, Option<StatedAt>),
) -> Option<InstructionChange> {
    match (before, after) {
        (_, Some((at, 0))) => {
            reduction.statement(pieces, (at, 0))?;
            let after = Some(active(pieces, reduction, (at, 0)));
            Some(InstructionChange { change: Change::Add, after, before: None })
        }
        (_, Some((at, stated))) => {
            let is_kept = reduction.kept.contains(&DialoguePiece::Change(at, stated));
            let after = is_kept.then(|| active(pieces, reduction, (at, stated)))?;
            let Some(earlier) = reduction.statement(pieces, (at, stated - 1)) else {
                return Some(InstructionChange {
                    change: Change::Add,
                    after: Some(after),
                    before: None,
                });
            };
            let before = active(pieces, reduction, (at, earlier));
            // It never had another value.
            if before.constraint == after.constraint && before.args == after.args {
                return None;
            }
            let change = Change::Modify;
            Some(InstructionChange { change, after: Some(after), before: Some(before) })
        }
        (Some(before), None) => {
            let stated = reduction.statement(pieces, before)?;
            let before = Some(active(pieces, reduction, (before.0, stated)));
            Some(InstructionChange { change: Change::Drop, after: None, before })
        }
        (None, None) => None,
    }
}

/// A statement with its turn as it is numbered now, and its values.
fn active(pieces: &DialoguePieces, reduction: &Reduction, (at, stated): StatedAt) -> Arc<Active> {
    let given = &pieces.constraints[at].stated[stated];
    let mut active = Active::clone(&given.active);
    active.since = reduction.number(given.turn).max(1);
    let value = reduction.value.as_ref();
    if let Some(new) = value.filter(|new| (new.constraint, new.stated) == (at, stated)) {
        for (name, value) in &mut active.args {
            if *name == new.param {
                value.clone_from(&new.value);
            }
        }
    }
    Arc::new(active)
}
