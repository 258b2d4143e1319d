//! Branches around turns: which side is run, and what ends with it.
//!
//! Both sides are drawn from the seed; only the value of an observation decides which of them is
//! run. What a branch changes is undone where its sides meet, so that the turns after it are the
//! same either way.

use petgraph::graph::NodeIndex;

use super::Script;
use crate::args::needed_truth;
use crate::body::DrawnBody;
use crate::criterion::CriterionKind;
use crate::drawer::DrawError;
use crate::names::NameScope as Bound;
use crate::state::{Branch, Observations};
use ifs_model::table::MISSED;
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::partial_eval::partial_eval;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::Text;
use ifs_value::stable_hash::StreamKey;

/// The known facts about responses while a script is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum KnownResponses {
    /// There are none: each observation has a value that is drawn.
    #[default]
    Drawn,
    /// There are none: both sides of each branch are run, one after the other.
    BothSides,
}

impl<'d> Script<'d> {
    /// Asks both sides of each branch, one after the other, so that every turn that any response
    /// leads to is drawn.
    #[must_use]
    pub fn take_both_sides(mut self) -> Script<'d> {
        self.responses = KnownResponses::BothSides;
        self
    }

    /// The side of a branch that is run.
    pub(super) fn choose_side(&mut self, at: NodeIndex) -> Result<Option<NodeIndex>, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let (mut then, mut otherwise) = (None, None);
        for (edge, to) in self.edges(at) {
            match &graph[edge].guard {
                Some(guard) => then = Some((guard, to)),
                None => otherwise = Some(to),
            }
        }
        let Some((guard, then)) = then else { return Ok(otherwise) };
        let truth = self.truth(guard)?;
        let both = truth.is_none() && self.responses == KnownResponses::BothSides;
        if both {
            let open: Vec<&str> = self.drawer.observations.iter().map(String::as_str).collect();
            self.choices.push(partial_eval(guard, &self.facts(), &open));
        }
        self.begin_branch(otherwise.filter(|_| both).map(|to| to.index() as u32));
        Ok(if truth == Some(true) || both { Some(then) } else { otherwise })
    }

    /// Notes what is active, for the end of the branch.
    fn begin_branch(&mut self, other: Option<u32>) {
        let state = &mut self.state;
        state.branches.push(Branch {
            other,
            turn: state.turn,
            own: 0,
            held: state.held.clone(),
            topics: state.topics.clone(),
            current: state.current,
            topic_turns: state.topic_turns,
            given: state.given.clone(),
            first_side: None,
        });
    }

    /// Makes active what was before the branch.
    fn end_branch(&mut self, branch: &Branch) {
        let state = &mut self.state;
        // The first turn of a dialogue opens it, and does not depend on responses.
        if branch.turn == 0 {
            return;
        }
        self.met |= branch.turn < state.turn;
        state.held.clone_from(&branch.held);
        state.topics.clone_from(&branch.topics);
        state.current = branch.current;
        state.topic_turns = branch.topic_turns;
        state.given.clone_from(&branch.given);
    }

    /// The next round of a loop that depends on the last response: a member without a round so far.
    /// What a round changes is undone after it, as in a branch.
    pub(super) fn round_by(
        &mut self,
        at: NodeIndex,
        name: &str,
        by: &Tree,
    ) -> Result<bool, DrawError> {
        let node = at.index() as u32;
        let mut begins = false;
        match self.state.rounds.last() {
            Some((inside, _)) if *inside == node => {
                if let Some(branch) = self.state.branches.pop() {
                    self.end_branch(&branch);
                }
            }
            _ => {
                self.state.rounds.push((node, 0));
                self.state.taken.push(Vec::new());
                begins = true;
            }
        }
        let drawer = self.drawer;
        self.enter(&drawer.dialogue.graph[at].scope)?;
        let members = self.bound.as_ref().map(Bound::list).unwrap_or_default();
        if begins && self.responses == KnownResponses::BothSides {
            for member in members.iter() {
                let own = [(name, member.clone())];
                let facts: (&dyn Variables, &dyn Variables) = (&own, &self.facts());
                self.choices.push(partial_eval(by, &facts, &[]));
            }
        }
        let taken = self.state.taken.last().cloned().unwrap_or_default();
        let left = (0u32..).zip(members.iter()).filter(|(at, _)| !taken.contains(at));
        let left: Vec<(u32, &Value)> = left.collect();
        let chosen = left.iter().find(|(_, member)| self.follows(name, member, by));
        let Some((chosen, _)) = chosen.or(left.first()) else {
            self.state.taken.pop();
            return Ok(false);
        };
        if let (Some((_, round)), Some(taken)) =
            (self.state.rounds.last_mut(), self.state.taken.last_mut())
        {
            *round = *chosen;
            taken.push(*chosen);
        }
        let chosen = *chosen;
        self.begin_branch(None);
        self.state.branches.iter_mut().last().into_iter().for_each(|branch| branch.own = chosen);
        Ok(true)
    }

    /// Whether the last response passes the check of a member.
    fn follows(&self, name: &str, member: &Value, by: &Tree) -> bool {
        let Some(reply) = &self.reply else { return false };
        let (text, facts) = (Text::new(reply), self.facts());
        let own = [(name, member.clone())];
        let variables: (&dyn Variables, &dyn Variables) = (&own, &facts);
        evaluate(by, &TextContext { it: &text, variables: &variables }) == Ok(Value::Bool(true))
    }

    /// Ends a side of a branch, and gives the next node: behind the branch, or its other side.
    pub(super) fn end_side(&mut self, at: NodeIndex) -> Option<NodeIndex> {
        let after = self.edges(at).next().map(|(_, to)| to);
        let Some(branch) = self.state.branches.pop() else { return after };
        let (ended, met) = (self.left.take(), self.met);
        let ended = match branch.other {
            Some(_) => ended.or_else(|| Some(self.visible().cloned().collect())),
            None => ended,
        };
        self.end_branch(&branch);
        let Some(other) = branch.other.map(|to| NodeIndex::new(to as usize)) else {
            // The turn after both sides equals that after the first one.
            self.left = match branch.first_side {
                Some(first) => {
                    self.met = true;
                    Some(first)
                }
                None => ended,
            };
            return after;
        };
        // The other side begins from where the first one began.
        let turn = self.state.turn;
        self.state.branches.push(Branch { other: None, turn, own: 0, first_side: ended, ..branch });
        self.met = met;
        self.left = Some(self.visible().cloned().collect());
        Some(other)
    }

    /// Whether a condition holds, as far as the observations have values.
    pub(super) fn truth(&self, tree: &Tree) -> Result<Option<bool>, DrawError> {
        let all = |parts: &[Tree], absorbing: bool| {
            let mut known = Some(!absorbing);
            for part in parts {
                match self.truth(part)? {
                    Some(truth) if truth == absorbing => return Ok(Some(absorbing)),
                    Some(_) => {}
                    None => known = None,
                }
            }
            Ok(known)
        };
        match &tree.node {
            Node::And(parts) => return all(parts, false),
            Node::Or(parts) => return all(parts, true),
            Node::Not(part) => return Ok(self.truth(part)?.map(|truth| !truth)),
            _ => {}
        }
        let mut names: Vec<(String, Value)> = Vec::new();
        for name in &self.drawer.observations {
            match self.state.observed.iter().find(|(known, _)| known == name) {
                Some((_, Some(value))) => names.push((name.clone(), Value::Bool(*value))),
                _ if tree.mentions(name) => return Ok(None),
                _ => {}
            }
        }
        needed_truth(tree, "a condition of the dialogue", &(&names, &self.facts())).map(Some)
    }

    /// Notes the observations of a turn that was drawn, and whether it missed something. Without
    /// responses, each has a value that is drawn, or none if both sides are asked.
    pub(super) fn observe(&mut self, body: Option<&DrawnBody<'_>>) {
        if body.is_some_and(|body| body.given.is_some()) {
            return;
        }
        let criteria = body.map_or(&[][..], |body| &body.criteria);
        let own = criteria.iter().filter(|it| it.kind == CriterionKind::Observation);
        let drawn = |name: &str| {
            let value = match self.responses {
                KnownResponses::BothSides => None,
                KnownResponses::Drawn => {
                    let key = StreamKey::new(name);
                    Some(
                        self.streams.choice_stream(self.place, "observe", key).unnoted() >> 63 == 1,
                    )
                }
            };
            (name.to_owned(), value)
        };
        let missed = self.drawer.observations.contains(MISSED).then_some(MISSED);
        let names = own.map(|criterion| criterion.name.as_str()).chain(missed);
        let drawn: Observations = names.map(drawn).collect();
        self.note_observed(drawn);
    }

    /// Replaces the values of observations.
    pub(super) fn note_observed(&mut self, values: Observations) {
        for (name, value) in values {
            if !self.drawer.observations.contains(&name) {
                continue;
            }
            match self.state.observed.iter_mut().find(|(known, _)| *known == name) {
                Some((_, last)) => *last = value,
                None => self.state.observed.push((name, value)),
            }
        }
    }

    /// The last values of the observations.
    pub fn observed(&self) -> &[(String, Option<bool>)] {
        &self.state.observed
    }

    /// Counts a turn of the current branch.
    pub(super) fn count_branch_turn(&mut self) {
        if let Some(branch) = self.state.branches.last_mut() {
            branch.own += 1;
            self.state.aside += 1;
        }
    }

    /// The number of the current turn for its message, independent of the sides that were run before.
    pub(super) fn number(&self) -> u32 {
        let own: u32 = self.state.branches.iter().map(|branch| branch.own).sum();
        self.state.turn - self.state.aside + own
    }

    /// Whether the current turn is in a branch.
    pub(crate) fn is_in_branch(&self) -> bool {
        !self.state.branches.is_empty()
    }
}
