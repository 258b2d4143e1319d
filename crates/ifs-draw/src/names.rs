//! The names in scope at a turn: those of the complete dialogue, and those of enclosing loops.

use std::sync::Arc;

use super::args::{self, DrawContext, needed};
use super::drawer::Drawer;
use super::error::{DrawError, NoValue};
use super::exclusions::Exclusions;
use super::state::OtherConstraints;
use super::stream::Streams;
use ifs_model::table::{Binder, Param};
use ifs_predicate::evaluate::Variables;
use ifs_predicate::tree::Tree;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// Names with their values, in binding order.
pub(super) type NamedValues = Vec<(String, Value)>;

/// The names that are bound at the current position.
pub(super) struct NameScope<'d> {
    drawer: &'d Drawer<'d>,
    /// Those of the complete dialogue first.
    pub names: Arc<NamedValues>,
    /// The number of names that hold everywhere.
    everywhere: usize,
    /// The bindings of the enclosing loops, outermost first.
    bound: Vec<BoundName>,
}

struct BoundName {
    /// The binder's index in the dialogue.
    binder: u32,
    /// For a loop: the members of its list, and the index of the current one.
    members: Option<(Arc<[Value]>, u32)>,
}

impl<'d> NameScope<'d> {
    /// The names of the complete dialogue. Draws for it may depend on its first topic and its
    /// style; `record` is the one of `over`.
    pub fn new(
        drawer: &'d Drawer<'d>,
        record: Option<(String, Value)>,
        streams: &Streams,
        facts: &dyn Variables,
    ) -> Result<NameScope<'d>, DrawError> {
        let mut names: NamedValues = record.into_iter().collect();
        for (_, binder) in drawer.binders.iter().filter(|(depth, _)| *depth == 0) {
            let (name, value) = bind(*binder, StreamKey::NONE, &names, facts, streams)?;
            names.push((name.to_owned(), value));
        }
        let everywhere = names.len();
        Ok(NameScope { drawer, names: Arc::new(names), everywhere, bound: Vec::new() })
    }

    /// Enters a node: binds the names of its enclosing loops. `rounds` has the iteration of each
    /// loop.
    pub fn enter(
        &mut self,
        scope: &[u32],
        rounds: &[u32],
        streams: &Streams,
        facts: &dyn Variables,
    ) -> Result<(), DrawError> {
        let mut loops = rounds.iter().copied();
        let mut same = 0;
        for (bound, wanted) in self.bound.iter().zip(scope) {
            let round = bound.members.as_ref().map(|(_, round)| *round);
            if bound.binder != *wanted || (round.is_some() && round != loops.next()) {
                break;
            }
            same += 1;
        }
        self.bound.truncate(same);
        Arc::make_mut(&mut self.names).truncate(self.everywhere + same);
        let mut loops = rounds.iter().copied();
        self.bound.iter().filter(|bound| bound.members.is_some()).for_each(|_| _ = loops.next());
        for at in scope.iter().skip(same) {
            let Some((_, binder)) = self.drawer.binders.get(*at as usize) else { continue };
            let (members, name, value) = match binder {
                Binder::Member(name, list) => {
                    let members = members(list, name, &(&*self.names, facts))?;
                    let round = loops.next().unwrap_or(0);
                    // There is no member after the last.
                    let member = members.get(round as usize).cloned();
                    (Some((members, round)), *name, member.unwrap_or(Value::Nothing))
                }
                Binder::Let(..) | Binder::Param(_) => {
                    let key = self.key(None);
                    let (name, value) = bind(*binder, key, &self.names, facts, streams)?;
                    (None, name, value)
                }
            };
            Arc::make_mut(&mut self.names).push((name.to_owned(), value));
            self.bound.push(BoundName { binder: *at, members });
        }
        Ok(())
    }

    /// The number of members of the innermost loop.
    pub fn members(&self) -> usize {
        self.list().len()
    }

    /// The members of the innermost loop.
    pub fn list(&self) -> Arc<[Value]> {
        let members = self.bound.last().and_then(|bound| bound.members.as_ref());
        members.map_or_else(|| Arc::from([]), |(members, _)| Arc::clone(members))
    }

    /// The key for draws at the current position: its flow, and the iterations of the enclosing
    /// loops.
    pub fn key(&self, flow: Option<&str>) -> StreamKey {
        let mut key = flow.map_or(StreamKey::NONE, StreamKey::new);
        for bound in &self.bound {
            let binder = self.drawer.binders.get(bound.binder as usize);
            if let (Some((_, round)), Some((_, Binder::Member(name, _)))) = (&bound.members, binder)
            {
                key = key.and(name).and_number(u64::from(*round));
            }
        }
        key
    }
}

/// The value of a `let` or a `param` of the dialogue.
fn bind<'p>(
    binder: Binder<'p>,
    key: StreamKey,
    names: &NamedValues,
    facts: &dyn Variables,
    streams: &Streams,
) -> Result<(&'p str, Value), DrawError> {
    match binder {
        Binder::Let(name, tree) => Ok((name, needed(tree, &format!("`{name}`"), &(names, facts))?)),
        Binder::Param(param) => Ok((&param.name, drawn(param, key, names, facts, streams)?)),
        Binder::Member(name, _) => Ok((name, Value::Nothing)),
    }
}

/// The members of a loop's list.
pub(super) fn members(
    list: &Tree,
    name: &str,
    names: &dyn Variables,
) -> Result<Arc<[Value]>, DrawError> {
    let what = format!("the list of `for {name} in`");
    match needed(list, &what, names)? {
        Value::List(members) => Ok(members),
        other => Err(NoValue::unfit(&what, list, &other, "a list", names)),
    }
}

/// Draws a parameter of a dialogue or a turn. Its stream depends on its position and its name, and
/// on no turn's number.
pub(super) fn drawn(
    param: &Param,
    key: StreamKey,
    names: &NamedValues,
    facts: &dyn Variables,
    streams: &Streams,
) -> Result<Value, DrawError> {
    let place = DrawContext {
        streams,
        at: 0,
        attempt: 0,
        facts,
        exclusions: &Exclusions::default(),
        active_constraints: OtherConstraints::all(&[]),
    };
    args::needed_param(param, key.and(&param.name), names, &place)
}
