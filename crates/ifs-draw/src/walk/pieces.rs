//! The parts of a drawn dialogue that can be taken away: turns, constraints, changes of
//! constraints, requirements, and wordings. They are found while the dialogue is walked, in the
//! same order on every walk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::InstructionChange;
use crate::state::{Active, ActiveEntry};
use ifs_model::table::Scope;
use ifs_predicate::value::Value;

/// A part of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DialoguePiece {
    /// A turn, by its number.
    Turn(u32),
    /// A constraint, from its first statement to its withdrawal: by its index in [`DialoguePieces`].
    /// Without the turn of the first one, it begins with a later one.
    Constraint(usize),
    /// A later statement about it, by its index.
    Change(usize, usize),
    /// A requirement in a turn without a message of its own.
    Requirement(u32, String),
    /// The user's style.
    Style,
    /// The dialogue's system message.
    System,
    /// The reminder of the active constraints.
    Reminder,
}

/// A statement: the index of its constraint, and its own.
pub(super) type StatedAt = (usize, usize);

/// A statement of a constraint, with its values.
#[derive(Clone, Debug)]
pub struct Stated {
    /// The turn whose message says it; the turn on which it became active if none does.
    pub turn: u32,
    pub active: Arc<Active>,
    /// It is active on its turn only.
    brief: bool,
}

/// A constraint with all statements about it.
#[derive(Clone, Debug)]
pub struct StatedConstraint {
    pub stated: Vec<Stated>,
    /// The turn that withdraws it.
    pub withdrawn: Option<u32>,
}

/// The parts of the first turns of a dialogue.
#[derive(Clone, Debug, Default)]
pub struct DialoguePieces {
    /// The last turn.
    pub last: u32,
    pub constraints: Vec<StatedConstraint>,
    /// For each relation of a turn, the turns that it refers to.
    pub(super) relations: BTreeMap<u32, Vec<Vec<u32>>>,
    pub(super) others: BTreeSet<DialoguePiece>,
    /// The active constraints of the last turn, by index.
    pub(super) active: Vec<StatedAt>,
}

/// A value that replaces the drawn one.
#[derive(Clone, Debug, PartialEq)]
pub struct NewValue {
    pub constraint: usize,
    pub stated: usize,
    pub param: String,
    pub value: Value,
}

/// What is left of a dialogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reduction {
    pub kept: BTreeSet<DialoguePiece>,
    pub value: Option<NewValue>,
}

impl Reduction {
    /// The number of kept turns up to this one: its number in the reduced dialogue.
    pub(super) fn number(&self, turn: u32) -> u32 {
        let turns =
            self.kept.iter().filter(|it| matches!(it, DialoguePiece::Turn(at) if *at <= turn));
        u32::try_from(turns.count()).unwrap_or(u32::MAX)
    }

    pub fn has_turn(&self, turn: u32) -> bool {
        self.kept.contains(&DialoguePiece::Turn(turn))
    }

    /// The statement that counts in place of another one, if it begins with that one or an earlier one.
    pub(super) fn statement(
        &self,
        pieces: &DialoguePieces,
        (constraint, stated): StatedAt,
    ) -> Option<usize> {
        let own = DialoguePiece::Constraint(constraint);
        if !self.kept.contains(&own) {
            return None;
        }
        let kept = |at: &usize| self.kept.contains(&DialoguePiece::Change(constraint, *at));
        let first = pieces.is_stated(&own, &self.kept).then_some(0);
        (1..=stated).rev().find(kept).or(first)
    }
}

impl DialoguePieces {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> BTreeSet<DialoguePiece> {
        let turns = (1..=self.last).map(DialoguePiece::Turn);
        let constraints = (0..self.constraints.len()).map(DialoguePiece::Constraint);
        let changes = self.constraints.iter().enumerate().flat_map(|(at, constraint)| {
            (1..constraint.stated.len()).map(move |stated| DialoguePiece::Change(at, stated))
        });
        turns.chain(constraints).chain(changes).chain(self.others.iter().cloned()).collect()
    }

    /// The constraint that is active on the last turn under this name, with its statement.
    #[must_use]
    pub fn active_on_last(&self, name: &str) -> Option<(usize, usize)> {
        self.active.iter().copied().find(|(constraint, stated)| {
            self.constraints[*constraint].stated[*stated].active.key() == name
        })
    }

    /// Removes the parts that depend on removed ones: a turn takes along what it states, unless that is
    /// stated again, a constraint its changes, a withdrawal its constraint, and a turn those that refer
    /// to nothing without it.
    #[must_use]
    pub fn consistent(&self, mut kept: BTreeSet<DialoguePiece>) -> BTreeSet<DialoguePiece> {
        loop {
            let before = kept.len();
            let all = std::mem::take(&mut kept);
            kept = all.iter().filter(|piece| self.stays(piece, &all)).cloned().collect();
            if kept.len() == before {
                return kept;
            }
        }
    }

    /// Whether the statement that a part is named after is kept with it: a constraint may begin with a
    /// later one.
    #[must_use]
    pub fn is_stated(&self, piece: &DialoguePiece, kept: &BTreeSet<DialoguePiece>) -> bool {
        match piece {
            DialoguePiece::Constraint(at) => {
                self.has_turn(self.constraints[*at].stated[0].turn, kept)
            }
            _ => true,
        }
    }

    fn has_turn(&self, turn: u32, kept: &BTreeSet<DialoguePiece>) -> bool {
        turn > self.last || kept.contains(&DialoguePiece::Turn(turn))
    }

    fn stays(&self, piece: &DialoguePiece, kept: &BTreeSet<DialoguePiece>) -> bool {
        let has_turn = |turn: u32| self.has_turn(turn, kept);
        match piece {
            DialoguePiece::Turn(turn) => self.relations.get(turn).is_none_or(|relations| {
                relations.iter().all(|to| to.is_empty() || to.iter().any(|turn| has_turn(*turn)))
            }),
            DialoguePiece::Constraint(at) => {
                let StatedConstraint { stated, withdrawn } = &self.constraints[*at];
                let begins = match has_turn(stated[0].turn) {
                    true => self.is_followed(*at, 0, kept),
                    false => (1..stated.len())
                        .any(|later| kept.contains(&DialoguePiece::Change(*at, later))),
                };
                begins && withdrawn.is_none_or(has_turn)
            }
            DialoguePiece::Change(at, stated) => {
                kept.contains(&DialoguePiece::Constraint(*at))
                    && has_turn(self.constraints[*at].stated[*stated].turn)
                    && self.is_followed(*at, *stated, kept)
            }
            DialoguePiece::Requirement(turn, _) => has_turn(*turn),
            DialoguePiece::Style | DialoguePiece::System | DialoguePiece::Reminder => true,
        }
    }

    /// Whether the end of a statement for one turn is kept: without it, it would stay active.
    fn is_followed(&self, at: usize, stated: usize, kept: &BTreeSet<DialoguePiece>) -> bool {
        let all = &self.constraints[at].stated;
        !all[stated].brief
            || all
                .get(stated + 1)
                .is_none_or(|_| kept.contains(&DialoguePiece::Change(at, stated + 1)))
    }

    /// The name of a part, from which `Pieces::named` finds it: `3` is a turn, `length.long@2` a
    /// constraint that turn 2 states, `style` a wording.
    #[must_use]
    pub fn name(&self, piece: &DialoguePiece) -> String {
        let stated = |at: usize, stated: usize| {
            let Stated { turn, active, .. } = &self.constraints[at].stated[stated];
            format!("{}@{turn}", active.key())
        };
        match piece {
            DialoguePiece::Turn(turn) => turn.to_string(),
            DialoguePiece::Constraint(at) => stated(*at, 0),
            DialoguePiece::Change(at, number) => stated(*at, *number),
            DialoguePiece::Requirement(turn, name) => format!("{name}@{turn}"),
            DialoguePiece::Style => "style".to_owned(),
            DialoguePiece::System => "system".to_owned(),
            DialoguePiece::Reminder => "reminder".to_owned(),
        }
    }

    /// The part with a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<DialoguePiece> {
        self.all().into_iter().find(|piece| self.name(piece) == name)
    }

    /// Where an active constraint was stated.
    pub(super) fn find(&self, active: &Arc<Active>) -> Option<StatedAt> {
        self.constraints.iter().enumerate().rev().find_map(|(at, constraint)| {
            let same = |stated: &Stated| Arc::ptr_eq(&stated.active, active);
            Some((at, constraint.stated.iter().rposition(same)?))
        })
    }

    fn add(&mut self, turn: u32, active: &Arc<Active>) {
        let stated = vec![Stated { turn, active: Arc::clone(active), brief: false }];
        self.constraints.push(StatedConstraint { stated, withdrawn: None });
    }

    /// Records what a turn states, and what is active on it.
    pub(super) fn see<'e>(
        &mut self,
        turn: u32,
        changes: &[InstructionChange],
        entries: impl Iterator<Item = &'e ActiveEntry>,
    ) {
        for changed in changes {
            let before = changed.before.as_ref().and_then(|before| self.find(before));
            match (&changed.after, before) {
                (Some(after), before) => match (self.find(after), before) {
                    // It was active without being stated.
                    (Some((at, stated)), _) => self.constraints[at].stated[stated].turn = turn,
                    (None, Some((at, _))) => {
                        let active = Arc::clone(after);
                        let stated = Stated { turn, active, brief: false };
                        self.constraints[at].stated.push(stated);
                    }
                    (None, None) => self.add(turn, after),
                },
                (None, Some((at, _))) => self.constraints[at].withdrawn = Some(turn),
                (None, None) => {}
            }
        }
        for entry in entries {
            let found = match self.find(&entry.active) {
                Some(found) => found,
                None => {
                    let before = entry.unsaid.as_ref().and_then(|unsaid| unsaid.before.as_ref());
                    let active = Arc::clone(&entry.active);
                    match before.and_then(|before| self.find(before)) {
                        Some((at, _)) => {
                            let stated = Stated { turn, active, brief: false };
                            self.constraints[at].stated.push(stated);
                            (at, self.constraints[at].stated.len() - 1)
                        }
                        None => {
                            self.add(turn, &active);
                            (self.constraints.len() - 1, 0)
                        }
                    }
                }
            };
            if entry.scope == Scope::Turn {
                self.constraints[found.0].stated[found.1].brief = true;
            }
        }
    }

    /// Records what is active on the last turn.
    pub(super) fn end(&mut self, active: &[Arc<Active>]) {
        self.active = active.iter().filter_map(|active| self.find(active)).collect();
    }
}
