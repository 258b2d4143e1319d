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
use super::state::Active;
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
    /// The last entry of each constraint: what is in force stays so for many turns.
    last: RefCell<Vec<Arc<Entry>>>,
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
        let applies: Vec<&Reading> = self.applies.iter().chain(&other.applies).collect();
        let all: Vec<&Reading> = [one, two].into_iter().chain(applies.iter().copied()).collect();
        between(&all).is_some_and(|found| !found.in_prose) && between(&applies).is_none()
    }
}

/// More entries than these are forgotten together.
const KEPT: usize = 1 << 16;

impl<'d> Fits<'d> {
    pub fn new(known: &'d Known) -> Fits<'d> {
        Fits { known, last: RefCell::default(), refused: RefCell::default() }
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
        let own = self.entry(constraint, args, facts);
        own.reading.as_ref()?;
        others.find(|other| {
            let Some(known) = constraint_of(other, groups) else { return false };
            let entry = self.entry(known, &other.args, facts);
            own.excludes(&entry)
        })
    }

    /// Whether several constraints in force contradict one another, no two of which do.
    pub fn contradictory(
        &self,
        in_force: &[Arc<Active>],
        groups: &[&Group],
        facts: &dyn Variables,
    ) -> bool {
        if in_force.len() < 3 {
            return false;
        }
        let entries: Vec<Arc<Entry>> = in_force
            .iter()
            .filter_map(|active| {
                let constraint = constraint_of(active, groups)?;
                Some(self.entry(constraint, &active.args, facts))
            })
            .collect();
        let read: Vec<&Reading> =
            // Those that bind on some replies only may be asked of different ones.
            entries
                .iter()
                .filter(|entry| entry.applies.is_none())
                .filter_map(|entry| entry.reading.as_ref())
                .collect();
        if read.len() < 3 || !read.iter().any(|read| read.joins()) {
            return false;
        }
        between(&read).is_some_and(|found| !found.in_prose)
    }

    pub fn refuse(&self, drawn: &Constraint, beside: &Active) {
        let (drawn, beside) = (drawn.name.clone(), beside.constraint.clone());
        self.refused.borrow_mut().push(Refusal { drawn, beside });
    }

    /// The draws that were refused since this was asked last.
    pub fn take_refused(&self) -> Vec<Refusal> {
        self.refused.take()
    }

    fn entry(
        &self,
        constraint: &Constraint,
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> Arc<Entry> {
        let mut last = self.last.borrow_mut();
        let place = last.iter().position(|entry| entry.constraint == constraint.name);
        if let Some(at) = place
            && last[at].is_of(constraint, args, facts)
        {
            return Arc::clone(&last[at]);
        }
        let entry = self.known.entry(constraint, args, facts);
        match place {
            Some(at) => last[at] = Arc::clone(&entry),
            None => last.push(Arc::clone(&entry)),
        }
        entry
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
