//! Turns that are written out: the flow that was drawn and the dialogue's own steps,
//! one after the other, with the loops gone through.

use std::rc::Rc;

use super::args::{self, Place, needed};
use super::change::Others;
use super::criterion::Related;
use super::error::{DrawError, NoValue};
use super::stream::Streams;
use crate::dice::{Key, name_number};
use crate::model::table::{Dialogue, Flow, Param, Relation, Step, Turn};
use crate::predicate::evaluate::Variables;
use crate::predicate::tree::Tree;
use crate::predicate::value::Value;

/// Names with their values, in the order in which they were bound.
pub(super) type Names = Vec<(String, Value)>;

/// A turn with its place among the others.
pub(super) struct Placed<'p> {
    pub turn: &'p Turn,
    /// What is known where it stands.
    pub names: Names,
    /// Where its own choices are drawn: its name, and the rounds of the loops around it.
    pub key: Key,
    pub relations: Vec<Related>,
}

/// All turns of a dialogue, and the names that hold for the whole of it.
pub(super) struct Unrolled<'p> {
    pub turns: Vec<Placed<'p>>,
    pub names: Rc<Names>,
}

/// A dialogue longer than this is taken for a mistake.
const MOST_TURNS: usize = 100_000;

/// Goes through the steps of a dialogue in their order.
pub(super) struct Unroller<'a, 'p> {
    streams: &'a Streams,
    facts: &'a dyn Variables,
    names: Names,
    turns: Vec<Placed<'p>>,
}

/// The turns of a dialogue. `names` are those it begins with.
pub(super) fn unroll<'p>(
    dialogue: &'p Dialogue,
    flows: &[&'p Flow],
    names: Names,
    streams: &Streams,
    facts: &dyn Variables,
) -> Result<Unrolled<'p>, DrawError> {
    let mut unroller = Unroller { streams, facts, names, turns: Vec::new() };
    // What is drawn and computed for the whole dialogue comes before the turns of its flow.
    let first =
        dialogue.steps.iter().position(|step| !matches!(step, Step::Let(..) | Step::Param(_)));
    let (before, after) = dialogue.steps.split_at(first.unwrap_or(dialogue.steps.len()));
    unroller.steps(before, Key::NONE)?;
    let open = flows.iter().map(|flow| (name_number(&flow.name), 1));
    if let Some(at) = streams.at(0, "flow", Key::NONE).named(open) {
        let flow = flows[at];
        for turn in &flow.turns {
            unroller.turn(turn, Key::of(&flow.name));
        }
    }
    unroller.steps(after, Key::NONE)?;
    Ok(Unrolled { turns: unroller.turns, names: Rc::new(unroller.names) })
}

impl<'p> Unroller<'_, 'p> {
    fn steps(&mut self, steps: &'p [Step], key: Key) -> Result<(), DrawError> {
        for step in steps {
            match step {
                Step::Turn(turn) => self.turn(turn, key),
                Step::Let(name, tree) => {
                    let value = needed(tree, &format!("`{name}`"), &(&self.names, self.facts))?;
                    self.names.push((name.clone(), value));
                }
                Step::Param(param) => {
                    let value = drawn(param, key, &self.names, self.facts, self.streams)?;
                    self.names.push((param.name.clone(), value));
                }
                Step::For { name, list, body } => {
                    for (at, member) in
                        members(list, name, &(&self.names, self.facts))?.iter().enumerate()
                    {
                        let outside = self.names.len();
                        self.names.push((name.clone(), member.clone()));
                        self.steps(body, key.and(name).and_number(at as u64))?;
                        self.names.truncate(outside);
                        if self.turns.len() > MOST_TURNS {
                            return Err(DrawError::TooLong { most: MOST_TURNS });
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn turn(&mut self, turn: &'p Turn, key: Key) {
        let relations = turn.relations.iter().map(|relation| self.related(relation)).collect();
        self.turns.push(Placed {
            turn,
            names: self.names.clone(),
            key: key.and(&turn.name),
            relations,
        });
    }

    /// The numbers of the turns a relation goes to: of several of one name, the last.
    fn related(&self, relation: &Relation) -> Related {
        let number = |name: &String| {
            let at = self.turns.iter().rposition(|placed| placed.turn.name == *name)?;
            u32::try_from(at + 1).ok()
        };
        Related { kind: relation.kind, to: relation.to.iter().filter_map(number).collect() }
    }
}

/// What a loop goes through.
pub(super) fn members(
    list: &Tree,
    name: &str,
    names: &dyn Variables,
) -> Result<std::sync::Arc<[Value]>, DrawError> {
    let what = format!("the list of `for {name} in`");
    match needed(list, &what, names)? {
        Value::List(members) => Ok(members),
        other => Err(NoValue::unfit(&what, list, &other, "a list", names)),
    }
}

/// What is drawn for a parameter of a dialogue or a turn. Its stream hangs on where it stands and
/// on what it is called, and on no turn's number.
pub(super) fn drawn(
    param: &Param,
    key: Key,
    names: &Names,
    facts: &dyn Variables,
    streams: &Streams,
) -> Result<Value, DrawError> {
    let place =
        Place { streams, turn: 0, attempt: 0, facts, masks: &[], in_force: Others::all(&[]) };
    args::needed_param(param, key.and(&param.name), names, &place)
}
