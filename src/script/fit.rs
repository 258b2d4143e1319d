//! What can be in force together: a constraint is not drawn beside one that it contradicts, and its
//! values are drawn from those that contradict nothing.
//!
//! Part of what a script is, whether or not anybody asks for proofs: it looks at constraints and
//! their values alone, by `predicate::bound`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::args::value_number;
use super::change::Others;
use super::state::{Active, Held};
use crate::dice::Key;
use crate::model::table::{By, Constraint, Group};
use crate::predicate::bound::{Reading, between};
use crate::predicate::evaluate::Variables;
use crate::predicate::value::Value;

/// The constraints that have been read so far with their arguments, for all scripts of a drawer.
#[derive(Default)]
pub(super) struct Known {
    /// Looked up and never gone through, so that no order of hashes is seen.
    read: Mutex<HashMap<u64, Arc<Entry>>>,
}

/// What goes with what, in one script.
pub(super) struct Fits<'d> {
    known: &'d Known,
    /// What was read of constraints in force, which stay so for many turns.
    in_force: RefCell<Vec<(Arc<Active>, Arc<Entry>)>>,
    /// What was drawn last, and may be in force next.
    drawn: RefCell<Option<Arc<Entry>>>,
    /// Draws of the turn at hand that contradicted something.
    refused: RefCell<Vec<Refusal>>,
}

/// A draw that was not taken, since it contradicts something in force.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The constraint that was drawn.
    pub drawn: String,
    /// The one in force.
    pub beside: String,
}

struct Entry {
    constraint: String,
    args: Vec<(String, Value)>,
    /// The style it was read in, where it asks for that.
    style: Option<Value>,
    /// Nothing for what a judge reads, and for what nothing is known of.
    reading: Option<Reading>,
    /// On which replies it binds, where that is not all of them.
    applies: Option<Reading>,
}

impl Entry {
    fn is_of(
        &self,
        constraint: &Constraint,
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> bool {
        self.constraint == constraint.name
            && self.args == args
            && (self.style.is_none() || self.style == facts.get("style"))
    }

    fn new(constraint: &Constraint, args: &[(String, Value)], facts: &dyn Variables) -> Entry {
        let lasting = Lasting { facts, asked: Cell::default() };
        let vars: (&dyn Variables, &dyn Variables) = (&args, &lasting);
        let reading = match &constraint.by {
            By::Rule(tree) => Some(Reading::new((tree, &vars), 0)),
            By::Judge(_) => None,
        };
        let applies = constraint.applies.as_ref().map(|tree| Reading::new((tree, &vars), 1));
        Entry {
            constraint: constraint.name.clone(),
            args: args.to_vec(),
            style: lasting.asked.get().then(|| facts.get("style")).flatten(),
            reading: reading.filter(|reading| !reading.is_open()),
            applies,
        }
    }

    /// Whether two can never hold of an answer that both are asked of.
    fn excludes(&self, other: &Entry) -> bool {
        let (Some(one), Some(two)) = (&self.reading, &other.reading) else { return false };
        if !one.may_exclude(two) {
            return false;
        }
        if self.applies.is_none() && other.applies.is_none() {
            return between(&[one, two]).is_some_and(|found| !found.in_prose);
        }
        let applies: Vec<&Reading> = self.applies.iter().chain(&other.applies).collect();
        let all: Vec<&Reading> = [one, two].into_iter().chain(applies.iter().copied()).collect();
        between(&all).is_some_and(|found| !found.in_prose) && between(&applies).is_none()
    }
}

/// More entries than these are forgotten together.
const KEPT: usize = 1 << 16;

/// The most constraints in force whose entries are at hand.
const AT_HAND: usize = 24;

impl<'d> Fits<'d> {
    pub fn new(known: &'d Known) -> Fits<'d> {
        Fits {
            known,
            in_force: RefCell::default(),
            drawn: RefCell::default(),
            refused: RefCell::default(),
        }
    }

    /// What in force contradicts a constraint with these arguments.
    pub fn against<'o>(
        &self,
        constraint: &Constraint,
        args: &[(String, Value)],
        others: Others<'o>,
        groups: &[&Group],
        facts: &dyn Variables,
    ) -> Option<&'o Active> {
        let mut others = others.iter().peekable();
        others.peek()?;
        let own = self.known.entry(constraint, args, facts);
        self.drawn.replace(Some(Arc::clone(&own)));
        own.reading.as_ref()?;
        let found = others.find(|other| {
            self.entry(other, groups, facts).is_some_and(|entry| own.excludes(&entry))
        });
        found.map(|other| &**other)
    }

    /// Whether several constraints in force contradict one another, no two of which do.
    pub fn contradictory(
        &self,
        in_force: &[Held],
        groups: &[&Group],
        facts: &dyn Variables,
    ) -> bool {
        if in_force.len() < 3 {
            return false;
        }
        // Those that bind on some replies only may be asked of different ones.
        let entries = || {
            let all = in_force.iter();
            let all = all.filter_map(|held| self.entry(&held.active, groups, facts));
            all.filter(|entry| entry.applies.is_none())
        };
        if !entries().any(|entry| entry.reading.as_ref().is_some_and(Reading::joins)) {
            return false;
        }
        let entries: Vec<Arc<Entry>> = entries().collect();
        let read: Vec<&Reading> =
            entries.iter().filter_map(|entry| entry.reading.as_ref()).collect();
        read.len() >= 3 && between(&read).is_some_and(|found| !found.in_prose)
    }

    pub fn refuse(&self, drawn: &Constraint, beside: &Active) {
        let (drawn, beside) = (drawn.name.clone(), beside.constraint.clone());
        self.refused.borrow_mut().push(Refusal { drawn, beside });
    }

    /// The draws that were refused since this was asked last.
    pub fn take_refused(&self) -> Vec<Refusal> {
        self.refused.take()
    }

    /// The entry of a constraint in force; `None` where it is of no group that is known.
    fn entry(
        &self,
        active: &Arc<Active>,
        groups: &[&Group],
        facts: &dyn Variables,
    ) -> Option<Arc<Entry>> {
        let mut at_hand = self.in_force.borrow_mut();
        if let Some((_, entry)) = at_hand.iter().find(|(known, _)| Arc::ptr_eq(known, active)) {
            return Some(Arc::clone(entry));
        }
        let constraint = constraint_of(active, groups)?;
        let drawn = self.drawn.borrow().clone();
        let entry = drawn
            .filter(|drawn| drawn.is_of(constraint, &active.args, facts))
            .unwrap_or_else(|| self.known.entry(constraint, &active.args, facts));
        if at_hand.len() == AT_HAND {
            at_hand.remove(0);
        }
        at_hand.push((Arc::clone(active), Arc::clone(&entry)));
        Some(entry)
    }
}

impl Known {
    fn entry(
        &self,
        constraint: &Constraint,
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> Arc<Entry> {
        let mut key = Key::of(&constraint.name);
        for (_, value) in args {
            key = key.and_number(number(value));
        }
        let key = key.number();
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(entry) = known.filter(|entry| entry.is_of(constraint, args, facts)) {
            return entry;
        }
        let entry = Arc::new(Entry::new(constraint, args, facts));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.len() >= KEPT {
            read.clear();
        }
        read.insert(key, Arc::clone(&entry));
        entry
    }
}

/// A value as a number that hardly another one has.
fn number(value: &Value) -> u64 {
    match value {
        Value::Int(number) => *number as u64,
        Value::List(members) => {
            let all = members.iter().map(number);
            all.fold(Key::NONE, Key::and_number).number()
        }
        Value::Record(fields) => {
            let all = fields.iter().map(|(_, value)| number(value));
            all.fold(Key::NONE, Key::and_number).number()
        }
        other => value_number(other),
    }
}

pub(super) fn constraint_of<'g>(active: &Active, groups: &[&'g Group]) -> Option<&'g Constraint> {
    let group = groups.iter().find(|group| active.is_of(&group.name))?;
    group.constraints.iter().find(|known| known.name == active.constraint)
}

/// The facts that stay as they are while a constraint is in force. What it asks of the topic
/// reached it through its arguments: one that asks more is not looked at.
struct Lasting<'f> {
    facts: &'f dyn Variables,
    /// Whether the style was.
    asked: Cell<bool>,
}

impl Variables for Lasting<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "style" => {
                self.asked.set(true);
                self.facts.get(name)
            }
            _ => None,
        }
    }
}
