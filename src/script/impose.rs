//! Constraints that `impose` gives to turns.

use std::sync::Arc;

use super::Changed;
use super::args::{self, evaluated};
use super::change::Pool;
use super::fold::fold;
use super::state::Owner;
use super::walk::Script;
use super::written::Names;
use crate::dice::Key;
use crate::model::table::{Group, Impose, Scope};
use crate::predicate::evaluate::Variables;
use crate::predicate::value::Value;

impl<'d> Script<'d> {
    /// What all `impose` of a turn give: those of the dialogue, then its own.
    pub(super) fn impose(&mut self, own: &[(&'d Impose, Names)], attempt: u32) -> Vec<Changed> {
        let shared = self.drawer.dialogue.table.imposes.iter().enumerate();
        let shared = shared.map(|(at, impose)| (Key::of("dialogue").and_number(at as u64), impose));
        let none = Names::new();
        let own = own.iter().enumerate();
        let own = own
            .map(|(at, (impose, names))| (Key::of("turn").and_number(at as u64), *impose, names));
        let all: Vec<(Key, &'d Impose, &Names)> =
            shared.map(|(key, impose)| (key, impose, &none)).chain(own).collect();
        let mut changes = Vec::new();
        for (key, impose, names) in all {
            self.impose_one(impose, key, names, attempt, &mut changes);
        }
        changes
    }

    fn impose_one(
        &mut self,
        impose: &'d Impose,
        key: Key,
        names: &Names,
        attempt: u32,
        changes: &mut Vec<Changed>,
    ) {
        let turn = self.state.turn;
        let from: Vec<&Group> = match impose.from.as_slice() {
            [] => self.drawer.groups.clone(),
            from => {
                let known = self.drawer.known.iter().copied();
                known.filter(|group| from.contains(&group.name)).collect()
            }
        };
        let given = from.iter().filter(|group| self.state.given.contains(&group.name)).count();
        let facts = self.facts();
        let counts =
            [("groups", Value::Int(from.len() as i64)), ("given", Value::Int(given as i64))];
        let inner: (&dyn Variables, &dyn Variables) = (&counts, &facts);
        let facts: (&dyn Variables, &dyn Variables) = (names, &inner);
        // What binds on this turn alone, and not on this one, need not be said.
        let binds = |applies| evaluated(applies, &facts) == Some(Value::Bool(true));
        if impose.scope == Scope::Turn && impose.applies.as_ref().is_some_and(|it| !binds(it)) {
            return;
        }
        if let Some(probability) = &impose.probability {
            let share = match evaluated(probability, &facts) {
                Some(Value::Int(share)) => share as f64,
                Some(Value::Float(share)) => share,
                _ => 0.0,
            };
            let drawn = self.streams.at(turn, "impose", key).number();
            // The upper 53 bits as a number in [0, 1).
            if (drawn >> 11) as f64 / (1u64 << 53) as f64 >= share {
                return;
            }
        }
        let low = args::int(&impose.low, &facts).unwrap_or(1).max(0);
        let high = args::int(&impose.high, &facts).unwrap_or(low);
        let count = self.streams.at(turn, "imposed", key).int(low, high);
        let applies = impose.applies.as_ref().map(|applies| Arc::new(fold(applies, names, &[])));
        for step in 0..u32::try_from(count).unwrap_or(0) {
            let open: Vec<&Group> = from
                .iter()
                .copied()
                .filter(|group| !impose.new_group || !self.state.given.contains(&group.name))
                .collect();
            let mut in_force = self.take();
            // Each place of an `impose` draws from streams of its own.
            let step = step.wrapping_add((key.number() as u32) << 6 | 1 << 31);
            let pool = Pool {
                groups: &open,
                owner: Owner::Impose,
                scope: impose.scope,
                applies: applies.clone(),
                ..self.pool(step, attempt, &facts)
            };
            let added = pool.add(&mut in_force);
            self.put(in_force);
            // As many as can be in force together: there may be fewer than were wanted.
            let Some(added) = added else { break };
            if let Some(after) = &added.after {
                let group = after.group().to_owned();
                if !self.state.given.contains(&group) {
                    self.state.given.push(group);
                }
            }
            changes.push(added);
        }
    }
}
