//! Ensures that active constraints fit together: a constraint is not drawn if it contradicts an
//! active one, and its values are drawn from those that do not.
//!
//! This is part of the definition of a script, with or without witnesses. It uses only constraints
//! and their values, with `predicate::bound`.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::InstructionChange;
use super::args::value_number;
use super::state::{Active, ActiveEntry, OtherConstraints};
use super::tally::RecordedChoice;
use ifs_base::work::{self, Task};
use ifs_model::table::{Case, Constraint, DecidedBy};
use ifs_plan::analysis::is_total;
use ifs_plan::{ConstraintId, Plan};
use ifs_predicate::bound::{self, AnalysedCheck, Texts, conflict_between, may_exclude_together};
use ifs_predicate::evaluate::Variables;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// The constraints that have been analysed so far with their arguments, for all scripts of a
/// drawer.
#[derive(Default)]
pub(super) struct ReadingCache {
    /// Only looked up and never iterated, so the order of hashes has no effect.
    read: Mutex<HashMap<u64, Arc<FittedConstraint>>>,
}

/// Which constraints fit together, in one script.
pub(super) struct Fits<'d> {
    plan: &'d Plan,
    known: &'d ReadingCache,
    /// The analyses of active constraints, which stay active for many turns.
    active_constraints: RefCell<Vec<(Arc<Active>, Arc<FittedConstraint>)>>,
    /// The last drawn constraint, which may be active next.
    drawn: RefCell<Option<Arc<FittedConstraint>>>,
    /// Draws of the current turn that were rejected.
    refused: RefCell<Vec<Refusal>>,
    /// The choices of the current turn, if they are counted.
    chosen: Option<RefCell<Vec<RecordedChoice>>>,
}

/// A draw that was rejected because it contradicts something active.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The constraint that was drawn.
    pub drawn: String,
    /// The active constraint that excludes it, or several that do together.
    pub others: Vec<String>,
}

struct FittedConstraint {
    id: ConstraintId,
    args: Vec<(String, Value)>,
    /// The style of the analysis, if it depends on it.
    style: Option<Value>,
    /// `None` for a constraint with a judge, and if nothing is known.
    reading: Option<AnalysedCheck>,
    /// The responses on which it applies, if not all.
    applies: Option<AnalysedCheck>,
    /// The steps that its analysis took.
    steps: u64,
}

impl FittedConstraint {
    fn is_of(&self, id: ConstraintId, args: &[(String, Value)], facts: &dyn Variables) -> bool {
        self.id == id
            && self.args == args
            && (self.style.is_none() || self.style == facts.fact(TurnFact::Style))
    }

    fn new(
        (id, constraint): (ConstraintId, &Constraint),
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> FittedConstraint {
        let lasting = ConstantFacts { facts, asked: Cell::default() };
        let vars: (&dyn Variables, &dyn Variables) = (&args, &lasting);
        let reading = match &constraint.by {
            DecidedBy::Rule(tree) => Some(AnalysedCheck::new((tree, &vars), 0)),
            DecidedBy::Judge(_) => None,
        };
        let applies = constraint.applies.as_ref().map(|tree| AnalysedCheck::new((tree, &vars), 1));
        FittedConstraint {
            id,
            args: args.to_vec(),
            style: lasting.asked.get().then(|| facts.fact(TurnFact::Style)).flatten(),
            reading: reading.filter(|reading| !reading.is_open()),
            applies,
            steps: 0,
        }
    }

    /// Whether two constraints can never both hold for a response.
    fn excludes(&self, other: &FittedConstraint) -> bool {
        let (Some(one), Some(two)) = (&self.reading, &other.reading) else { return false };
        if !one.may_exclude(two) {
            return false;
        }
        if self.applies.is_none() && other.applies.is_none() {
            return conflict_between(&[one, two]).is_some();
        }
        let applies: Vec<&AnalysedCheck> = self.applies.iter().chain(&other.applies).collect();
        let all: Vec<&AnalysedCheck> =
            [one, two].into_iter().chain(applies.iter().copied()).collect();
        conflict_between(&all).is_some() && conflict_between(&applies).is_none()
    }
}

fn contradictory_with(entries: &[&FittedConstraint], own: &FittedConstraint) -> bool {
    contradictory(&entries.iter().copied().chain([own]).collect::<Vec<_>>())
}

/// Whether several constraints contradict one another although no two of them do.
fn contradictory(entries: &[&FittedConstraint]) -> bool {
    // Constraints that apply on some responses only may apply to different ones.
    let always: Vec<&FittedConstraint> =
        entries.iter().copied().filter(|entry| entry.applies.is_none()).collect();
    if exclude_together(&always) {
        return true;
    }
    always.len() < entries.len()
        && threes(entries).any(|three| {
            three.iter().any(|entry| entry.applies.is_some()) && exclude_together(&three)
        })
}

/// Whether three or more constraints can never hold together although no two of them exclude one
/// another.
fn exclude_together(entries: &[&FittedConstraint]) -> bool {
    let read: Vec<&AnalysedCheck> =
        entries.iter().filter_map(|entry| entry.reading.as_ref()).collect();
    if read.len() < 3 || !may_exclude_together(&read) {
        return false;
    }
    let applies: Vec<&AnalysedCheck> =
        entries.iter().filter_map(|entry| entry.applies.as_ref()).collect();
    let all: Vec<&AnalysedCheck> = read.iter().chain(&applies).copied().collect();
    match bound::compared(&all, Texts::All) {
        Some(conflict) => {
            conflict.is_some() && (applies.is_empty() || conflict_between(&applies).is_none())
        }
        // There are too many ways to satisfy all of them, so three at a time are examined.
        None => entries.len() > 3 && threes(entries).any(|three| exclude_together(&three)),
    }
}

fn threes<'e, 'k>(
    entries: &'e [&'k FittedConstraint],
) -> impl Iterator<Item = [&'k FittedConstraint; 3]> + use<'e, 'k> {
    entries.iter().enumerate().flat_map(move |(at, one)| {
        let rest = entries.get(at + 1..).unwrap_or(&[]);
        rest.iter().enumerate().flat_map(move |(next, two)| {
            let rest = rest.get(next + 1..).unwrap_or(&[]);
            rest.iter().map(move |three| [*one, *two, *three])
        })
    })
}

/// When the cache has more entries than this, it is cleared.
const MAX_CACHED_CONSTRAINTS: usize = 1 << 15;

/// The steps of one analysis.
const ANALYSIS_STEPS: u64 = 2_000_000;

/// The steps of using an analysis: to look it up and to compare it, and a part of what it took, since
/// nearly all constraints are analysed before. Whether one is has no effect on what is spent.
const STEPS_PER_LOOKUP: u64 = 8;
const ANALYSIS_SHARE: u64 = 16;

/// The maximum number of recent active constraints.
const MAX_RECENT_CONSTRAINTS: usize = 24;

impl<'d> Fits<'d> {
    pub fn new(plan: &'d Plan, known: &'d ReadingCache) -> Fits<'d> {
        Fits {
            plan,
            known,
            active_constraints: RefCell::default(),
            drawn: RefCell::default(),
            refused: RefCell::default(),
            chosen: None,
        }
    }

    /// The active constraints that contradict a constraint with these arguments.
    pub fn against<'o>(
        &self,
        id: ConstraintId,
        args: &[(String, Value)],
        others: OtherConstraints<'o>,
        facts: &dyn Variables,
    ) -> Option<&'o Active> {
        let mut others = others.iter().peekable();
        others.peek()?;
        let own = self.analyse(id, args, facts);
        self.drawn.replace(Some(Arc::clone(&own)));
        own.reading.as_ref()?;
        let found = others.find(|other| own.excludes(&self.entry(other, facts)));
        found.map(|other| &*other.active)
    }

    /// Whether several active constraints contradict one another although no two of them do.
    pub fn contradictory(&self, active_constraints: &[ActiveEntry], facts: &dyn Variables) -> bool {
        if active_constraints.len() < 3 {
            return false;
        }
        let entries = active_constraints.iter().map(|held| self.entry(held, facts));
        let entries: Vec<Arc<FittedConstraint>> =
            entries.filter(|entry| entry.reading.is_some()).collect();
        contradictory(&entries.iter().map(Arc::as_ref).collect::<Vec<_>>())
    }

    /// A minimal set of active constraints that together exclude one with these arguments. Empty if
    /// the active ones already exclude one another.
    pub fn against_several(
        &self,
        id: ConstraintId,
        args: &[(String, Value)],
        others: OtherConstraints<'_>,
        facts: &dyn Variables,
    ) -> Option<Vec<String>> {
        let own = self.analyse(id, args, facts);
        own.reading.as_ref()?;
        let others: Vec<Arc<FittedConstraint>> = others
            .iter()
            .map(|other| self.entry(other, facts))
            .filter(|entry| entry.reading.is_some())
            .collect();
        let mut set: Vec<&FittedConstraint> = others.iter().map(Arc::as_ref).collect();
        let with = |set: &[&'_ FittedConstraint]| contradictory_with(set, &own);
        if !with(&set) || contradictory(&set) {
            return None;
        }
        for at in (0..set.len()).rev() {
            let mut fewer = set.clone();
            fewer.remove(at);
            if with(&fewer) {
                set = fewer;
            }
        }
        let name = |entry: &FittedConstraint| self.plan.constraint_by_id(entry.id).name.clone();
        Some(set.into_iter().map(name).collect())
    }

    /// Whether two active constraints contradict one another.
    pub fn excludes(&self, one: &ActiveEntry, other: &ActiveEntry, facts: &dyn Variables) -> bool {
        self.entry(one, facts).excludes(&self.entry(other, facts))
    }

    /// How a constraint with these arguments relates to an active one; `None` if it asks for more
    /// of the same.
    pub fn case(
        &self,
        (id, args): (ConstraintId, &[(String, Value)]),
        other: &ActiveEntry,
        facts: &dyn Variables,
    ) -> Option<Case> {
        let (own, theirs) = (self.analyse(id, args, facts), self.entry(other, facts));
        if own.excludes(&theirs) {
            return Some(Case::Conflicting);
        }
        let same = id == other.id && *args == *other.active.args;
        if same || self.follows((id, args), &theirs, facts) {
            return Some(Case::Aligned);
        }
        let more = self.follows((other.id, &other.active.args), &own, facts);
        (!more).then_some(Case::Unrelated)
    }

    /// Whether every response that satisfies `from` satisfies a constraint with these arguments.
    fn follows(
        &self,
        (id, args): (ConstraintId, &[(String, Value)]),
        from: &FittedConstraint,
        facts: &dyn Variables,
    ) -> bool {
        let DecidedBy::Rule(tree) = &self.plan.constraint_by_id(id).by else { return false };
        let Some(reading) = from.reading.as_ref().filter(|_| from.applies.is_none()) else {
            return false;
        };
        if !is_total(tree) {
            return false;
        }
        let lasting = ConstantFacts { facts, asked: Cell::default() };
        let vars: (&dyn Variables, &dyn Variables) = (&args, &lasting);
        let denied = AnalysedCheck::of_negation((tree, &vars), 1);
        !denied.is_open()
            && reading.may_exclude(&denied)
            // Except what holds of every response anyway.
            && conflict_between(&[&denied]).is_none()
            && conflict_between(&[reading, &denied]).is_some()
    }

    pub fn refuse(&self, drawn: &Constraint, others: Vec<String>) {
        self.refused.borrow_mut().push(Refusal { drawn: drawn.name.clone(), others });
    }

    /// Records a set of constraints without a witness, by the last change that is in it.
    pub fn refuse_set(&self, changes: &[InstructionChange], keys: &[String]) {
        let changed = |key: &&String| {
            changes
                .iter()
                .any(|change| change.after.as_ref().is_some_and(|after| after.key() == **key))
        };
        let Some(drawn) = keys.iter().rev().find(changed).or(keys.last()) else { return };
        let others = keys.iter().filter(|key| *key != drawn).cloned().collect();
        self.refused.borrow_mut().push(Refusal { drawn: drawn.clone(), others });
    }

    /// Starts counting choices.
    pub fn count(&mut self) {
        self.chosen = Some(RefCell::default());
    }

    pub fn note(&self, chosen: impl FnOnce() -> Option<RecordedChoice>) {
        if let Some(all) = &self.chosen {
            let chosen = chosen();
            all.borrow_mut().extend(chosen);
        }
    }

    /// The number of recorded choices, to which they can be reset.
    pub fn noted(&self) -> usize {
        self.chosen.as_ref().map_or(0, |all| all.borrow().len())
    }

    pub fn take_back(&self, noted: usize) {
        if let Some(all) = &self.chosen {
            all.borrow_mut().truncate(noted);
        }
    }

    pub fn take_chosen(&self) -> Vec<RecordedChoice> {
        self.chosen.as_ref().map_or_else(Vec::new, RefCell::take)
    }

    pub fn has_refused(&self) -> bool {
        !self.refused.borrow().is_empty()
    }

    /// Replaces the rejected draws so far, and returns the old ones.
    pub fn set_refused(&self, refused: Vec<Refusal>) -> Vec<Refusal> {
        self.refused.replace(refused)
    }

    /// Returns and clears the rejected draws.
    pub fn take_refused(&self) -> Vec<Refusal> {
        self.refused.take()
    }

    /// The analysis of an active constraint.
    fn entry(&self, held: &ActiveEntry, facts: &dyn Variables) -> Arc<FittedConstraint> {
        let ActiveEntry { id, active, .. } = held;
        let mut at_hand = self.active_constraints.borrow_mut();
        if let Some((_, entry)) = at_hand.iter().find(|(known, _)| Arc::ptr_eq(known, active)) {
            return Arc::clone(entry);
        }
        let drawn = self.drawn.borrow().clone();
        let entry = drawn
            .filter(|drawn| drawn.is_of(*id, &active.args, facts))
            .unwrap_or_else(|| self.analyse(*id, &active.args, facts));
        if at_hand.len() == MAX_RECENT_CONSTRAINTS {
            at_hand.remove(0);
        }
        at_hand.push((Arc::clone(active), Arc::clone(&entry)));
        entry
    }

    fn analyse(
        &self,
        id: ConstraintId,
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> Arc<FittedConstraint> {
        self.known.entry((id, self.plan.constraint_by_id(id)), args, facts)
    }
}

impl ReadingCache {
    fn entry(
        &self,
        (id, constraint): (ConstraintId, &Constraint),
        args: &[(String, Value)],
        facts: &dyn Variables,
    ) -> Arc<FittedConstraint> {
        let mut key = StreamKey::new(&constraint.name);
        for (_, value) in args {
            key = key.and_number(number(value));
        }
        let key = key.number();
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let entry = known.filter(|entry| entry.is_of(id, args, facts)).unwrap_or_else(|| {
            let analyse = || FittedConstraint::new((id, constraint), args, facts);
            let (entry, steps) = work::apart(ANALYSIS_STEPS, analyse);
            let entry = Arc::new(FittedConstraint { steps, ..entry });
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            if read.len() >= MAX_CACHED_CONSTRAINTS {
                read.clear();
            }
            read.insert(key, Arc::clone(&entry));
            entry
        });
        work::spend(Task::Conflicts, STEPS_PER_LOOKUP + entry.steps / ANALYSIS_SHARE);
        entry
    }
}

/// A hash of a value, almost certainly unique.
fn number(value: &Value) -> u64 {
    match value {
        Value::Int(number) => *number as u64,
        Value::List(members) => {
            let all = members.iter().map(number);
            all.fold(StreamKey::NONE, StreamKey::and_number).number()
        }
        Value::Record(fields) => {
            let all = fields.iter().map(|(_, value)| number(value));
            all.fold(StreamKey::NONE, StreamKey::and_number).number()
        }
        other => value_number(other),
    }
}

/// The facts that do not change while a constraint is active. Its arguments contain what it needs
/// of the topic; a constraint that uses more of it is not analysed.
struct ConstantFacts<'f> {
    facts: &'f dyn Variables,
    /// Whether the style was used.
    asked: Cell<bool>,
}

impl Variables for ConstantFacts<'_> {
    fn get(&self, _name: &str) -> Option<Value> {
        None
    }

    fn fact(&self, fact: TurnFact) -> Option<Value> {
        if fact != TurnFact::Style {
            return None;
        }
        self.asked.set(true);
        self.facts.fact(fact)
    }
}
