//! Which node of the graph the next turn is.

use petgraph::graph::{EdgeIndex, NodeIndex};

use super::{Script, is_decided_by_guard};
use crate::args::needed_truth;
use crate::drawer::DrawError;
use crate::names::NameScope as Bound;
use ifs_model::table::Scope;
use ifs_plan::{EdgeKind, PlanNodeKind, ordered_edges};
use ifs_predicate::tree::Tree;
use ifs_value::stable_hash::{StreamKey, name_number};

impl<'d> Script<'d> {
    pub(super) fn kind(&self, at: NodeIndex) -> PlanNodeKind {
        self.drawer.dialogue.graph[at].kind
    }

    /// The node of the next turn; `None` if the dialogue has ended.
    pub(super) fn next_node(&mut self) -> Result<Option<NodeIndex>, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let mut from = match self.state.turn {
            0 => match graph.node_indices().find(|at| graph[*at].kind == PlanNodeKind::Start) {
                Some(start) => start,
                None => return Ok(None),
            },
            _ => NodeIndex::new(self.state.node as usize),
        };
        if self.is_stopped()? {
            return Ok(None);
        }
        loop {
            let to = match self.kind(from) {
                PlanNodeKind::Fork => self.draw_flow(from),
                PlanNodeKind::Loop => self.round(from)?,
                PlanNodeKind::When => self.choose_side(from)?,
                PlanNodeKind::Join => self.end_side(from),
                PlanNodeKind::New | PlanNodeKind::Stay | PlanNodeKind::Backtrack => {
                    match self.exit_edge(from)? {
                        Some(to) => Some(to),
                        None => self.next_move(from)?,
                    }
                }
                _ => self
                    .edges(from)
                    .find(|(edge, _)| !is_decided_by_guard(&graph[*edge]))
                    .map(|(_, to)| to),
            };
            let Some(to) = to else { return Ok(None) };
            match self.kind(to) {
                PlanNodeKind::End => return Ok(None),
                kind if kind.is_silent() => from = to,
                kind => {
                    match (kind, self.kind(from)) {
                        (PlanNodeKind::Turn, _) => {}
                        (_, PlanNodeKind::New | PlanNodeKind::Stay | PlanNodeKind::Backtrack) => {
                            self.state.since += 1;
                        }
                        _ => self.state.since = 1,
                    }
                    self.enter(&graph[to].scope)?;
                    return Ok(Some(to));
                }
            }
        }
    }

    /// The control edges of a node, in source order.
    pub(super) fn edges(
        &self,
        from: NodeIndex,
    ) -> impl Iterator<Item = (EdgeIndex, NodeIndex)> + use<'d> {
        let graph = &self.drawer.dialogue.graph;
        let control = |edge: &EdgeIndex| matches!(graph[*edge].kind, EdgeKind::Control { .. });
        let all = ordered_edges(graph, from).into_iter().filter(control);
        all.filter_map(|edge| Some((edge, graph.edge_endpoints(edge)?.1)))
    }

    pub(super) fn holds(&self, guard: &Tree) -> Result<bool, DrawError> {
        needed_truth(guard, "a condition of the dialogue", &self.facts())
    }

    /// The edge that leaves the node because a condition holds; the dialogue's `end` comes first.
    pub(super) fn exit_edge(&self, from: NodeIndex) -> Result<Option<NodeIndex>, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let mut found = None;
        for (edge, to) in self.edges(from) {
            let Some(guard) =
                graph[edge].guard.as_ref().filter(|_| is_decided_by_guard(&graph[edge]))
            else {
                continue;
            };
            let ends = graph[to].kind == PlanNodeKind::End;
            if (ends || found.is_none()) && self.truth(guard)? == Some(true) {
                found = Some(to);
                if ends {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// One of the named flows.
    pub(super) fn draw_flow(&self, fork: NodeIndex) -> Option<NodeIndex> {
        let graph = &self.drawer.dialogue.graph;
        let share = |edge: EdgeIndex| match graph[edge].kind {
            EdgeKind::Control { weight, .. } => u32::try_from(weight).unwrap_or(u32::MAX),
            EdgeKind::Relation(_) => 0,
        };
        let flows: Vec<_> = self.edges(fork).map(|(edge, to)| (to, share(edge))).collect();
        let names = flows.iter().map(|(at, share)| (name_number(&graph[*at].name), *share));
        let at = self.streams.choice_stream(0, "flow", StreamKey::NONE).named(names)?;
        Some(flows[at].0)
    }

    /// The next iteration of a loop: into its body, or past it.
    pub(super) fn round(&mut self, at: NodeIndex) -> Result<Option<NodeIndex>, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let by = self.edges(at).find_map(|(edge, _)| graph[edge].guard.as_ref());
        let more = match by {
            Some(by) => self.round_by(at, &graph[at].name, by)?,
            None => self.round_in_order(at)?,
        };
        if !more {
            self.state.rounds.pop();
        }
        let enters = |edge: &EdgeIndex| {
            matches!(&graph[*edge].kind, EdgeKind::Control { each: Some(_), .. })
        };
        Ok(self.edges(at).find(|(edge, _)| enters(edge) == more).map(|(_, to)| to))
    }

    /// Whether there is another round of a loop that goes through its list.
    fn round_in_order(&mut self, at: NodeIndex) -> Result<bool, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let node = at.index() as u32;
        match self.state.rounds.last_mut() {
            Some((inside, round)) if *inside == node => *round += 1,
            _ => self.state.rounds.push((node, 0)),
        }
        self.enter(&graph[at].scope)?;
        let round = self.state.rounds.last().map_or(0, |(_, round)| *round as usize);
        Ok(round < self.bound.as_ref().map_or(0, Bound::members))
    }

    /// The next move between topics: an edge whose guard holds, by share.
    pub(super) fn next_move(&mut self, from: NodeIndex) -> Result<Option<NodeIndex>, DrawError> {
        let graph = &self.drawer.dialogue.graph;
        let mut moves: Vec<(NodeIndex, PlanNodeKind, u64, bool)> = Vec::new();
        for (edge, to) in self.edges(from) {
            let EdgeKind::Control { weight, switch, .. } = graph[edge].kind else { continue };
            if weight > 0 && graph[edge].guard.as_ref().map_or(Ok(true), |it| self.holds(it))? {
                moves.push((to, graph[to].kind, weight, switch));
            }
        }
        let topics = self.drawer.topics.as_ref().map_or(0, |topics| topics.open.len());
        let opened = self.opened();
        let open = |kind: PlanNodeKind| match kind {
            PlanNodeKind::New => opened < topics,
            PlanNodeKind::Backtrack => opened > 1,
            _ => true,
        };
        // The share of a closed alternative goes to the other one.
        let switching: u64 = moves.iter().filter(|it| it.3).map(|it| it.2).sum();
        let possible: u64 = moves.iter().filter(|it| it.3 && open(it.1)).map(|it| it.2).sum();
        let widened = |weight: u64| {
            (u128::from(weight) * u128::from(switching) / u128::from(possible.max(1))) as u64
        };
        let mut weights: Vec<u64> = moves
            .iter()
            .map(|(_, kind, weight, switch)| match (switch, open(*kind)) {
                (_, false) => 0,
                (true, true) => widened(*weight),
                (false, true) => *weight,
            })
            .collect();
        if possible == 0
            && switching > 0
            && let Some(other) = moves.iter().position(|it| it.3 && open(it.1))
        {
            weights[other] = switching;
        }
        if weights.iter().all(|weight| *weight == 0) {
            // Only switching is allowed, by an edge without a share: the open one of the two.
            return Ok(graph.node_indices().find(|node| {
                matches!(graph[*node].kind, PlanNodeKind::New | PlanNodeKind::Backtrack)
                    && open(graph[*node].kind)
            }));
        }
        let mut stream =
            self.streams.choice_stream(u64::from(self.state.since) + 1, "flow", StreamKey::NONE);
        Ok(stream.weighted(&weights).map(|at| moves[at].0))
    }

    /// An unused topic, by its record. `at` is the place of the draw: the index of the topic, or in
    /// a flow of topics the number of turns since it was entered.
    pub(super) fn draw_topic(&self, at: u32) -> Option<usize> {
        let topics = self.drawer.topics.as_ref()?;
        let used =
            |record: usize| self.state.topics.iter().any(|topic| topic.record == Some(record));
        let mut stream = self.streams.choice_stream(u64::from(at), "topic", StreamKey::NONE);
        let names = topics.open.iter().map(|(_, name)| *name);
        let chosen = stream.alike(names, |at| !used(topics.open[at].0))?;
        Some(topics.open[chosen].0)
    }

    /// Whether instructions start again on the topic.
    pub(super) fn open_topic(&mut self, at: u32) -> Result<bool, DrawError> {
        let record = self.draw_topic(at);
        if record.is_none() && self.drawer.topics.is_some() {
            return Err(DrawError::NothingToImpose { turn: self.state.turn });
        }
        let first = self.opened() == 0;
        self.push_topic(record);
        Ok(first || self.drawer.dialogue.table.scope == Scope::Topic)
    }

    pub(super) fn backtrack(&mut self) -> Result<(), DrawError> {
        let turn = self.state.turn;
        let Some(topics) = &self.drawer.topics else {
            return Err(DrawError::NothingToImpose { turn });
        };
        let other =
            |at: &usize| Some(*at) != self.state.current && self.state.topics[*at].record.is_some();
        let others: Vec<usize> = (0..self.state.topics.len()).filter(other).collect();
        let key = |at: &usize| topics.bank.keys.get(self.state.topics[*at].record?);
        let names = others.iter().map(|at| (key(at).map_or(0, |key| name_number(key)), 1));
        let chosen = self
            .streams
            .choice_stream(u64::from(self.state.since), "back", StreamKey::NONE)
            .named(names);
        let Some(at) = chosen.map(|at| others[at]) else {
            return Err(DrawError::NothingToImpose { turn });
        };
        self.return_to_topic(at);
        self.state.topic_turns = 1;
        Ok(())
    }
}
