//! Walking through a dialogue: from turn to turn of its graph, without end where the
//! flow goes round, or along the turns that are written out.

use std::rc::Rc;
use std::sync::Arc;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::args::evaluated;
use super::body::{Body, Source};
use super::criterion::Related;
use super::drawer::{DrawError, Drawer};
use super::facts::Facts;
use super::fit::{Fits, Refusal};
use super::state::{Active, Held, State, TopicState};
use super::stream::{Seed, Streams};
use super::words::{Wording, Words, Written};
use super::written::{Unrolled, unroll};
use super::{Changed, ScriptTurn};
use crate::dice::{Key, name_number};
use crate::model::table::{RelationKind, Scope};
use crate::plan::{EdgeKind, NodeKind};
use crate::predicate::value::Value;

/// A script that is being drawn. Ends where the dialogue's `end` says so without
/// looking at answers; else it goes on for ever.
pub struct Script<'d> {
    pub(super) drawer: &'d Drawer<'d>,
    pub(super) streams: Streams,
    pub(super) state: State,
    /// The number of the dialogue.
    index: u64,
    /// The record that the dialogue goes over, by its key.
    over: Option<(String, Value)>,
    /// The turns that are written out, once the first is drawn.
    unrolled: Option<Unrolled<'d>>,
    pub(super) fits: Fits<'d>,
    refused: Vec<Refusal>,
}

impl Iterator for Script<'_> {
    type Item = Result<ScriptTurn, DrawError>;

    fn next(&mut self) -> Option<Self::Item> {
        let drawn = match self.step()? {
            Ok(drawn) => drawn,
            Err(error) => {
                self.state.ended = true;
                return Some(Err(self.blamed(error)));
            }
        };
        let turn = self.worded(drawn);
        self.state.ended |= turn.is_err();
        Some(turn.map_err(|error| self.blamed(error)))
    }
}

/// A turn before it has words.
struct Drawn<'d> {
    kind: NodeKind,
    changes: Vec<Changed>,
    /// How many draws it took.
    tries: u32,
    /// What is written in it; nothing in a flow of topics.
    body: Option<Body<'d>>,
}

impl<'d> Script<'d> {
    pub(super) fn new(drawer: &'d Drawer<'d>, seed: Seed, index: u64, state: State) -> Script<'d> {
        Script {
            drawer,
            streams: Streams::new(seed, &drawer.dialogue.table.name, index),
            state,
            index,
            over: drawer.over.as_ref().and_then(|over| over.record(seed, index)),
            unrolled: None,
            fits: Fits::new(&drawer.read),
            refused: Vec::new(),
        }
    }

    /// The same turns without words: for statistics and choices.
    pub fn plain(mut self) -> impl Iterator<Item = Result<ScriptTurn, DrawError>> + use<'d> {
        std::iter::from_fn(move || {
            let drawn = match self.step()? {
                Ok(drawn) => drawn,
                Err(error) => {
                    self.state.ended = true;
                    return Some(Err(self.blamed(error)));
                }
            };
            let turn = self.turn(drawn, String::new());
            Some(turn.map_err(|error| self.blamed(error)))
        })
    }

    /// The draws of the last turn that contradicted what was in force.
    pub fn refused(&self) -> &[Refusal] {
        &self.refused
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on to just before a turn (from 1) without wording what is passed.
    pub fn skip_to(&mut self, turn: u32) -> Result<(), DrawError> {
        while self.state.turn + 1 < turn {
            match self.step() {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.blamed(error)),
                None => break,
            }
        }
        Ok(())
    }

    /// An error with what was being drawn: this dialogue, the turn at hand and its records.
    fn blamed(&self, error: DrawError) -> DrawError {
        let over = self.drawer.over.as_ref().zip(self.over.as_ref());
        let over = over.map(|(over, (key, _))| (over.from, key.as_str()));
        let topic = self.drawer.topics.as_ref().and_then(|topics| {
            let record = self.current()?.record?;
            Some((topics.bank.name.as_str(), topics.bank.keys.get(record)?.as_str()))
        });
        let records: Vec<(&str, &str)> = over.into_iter().chain(topic).collect();
        self.drawer.blame(error, Some(self.index), self.state.turn, &records)
    }

    fn step(&mut self) -> Option<Result<Drawn<'d>, DrawError>> {
        if self.state.ended {
            return None;
        }
        let before: Vec<Held> = self.visible().cloned().collect();
        let (node, kind) = match self.next_place() {
            Ok(Some(next)) => next,
            Ok(None) => {
                self.state.ended = true;
                return None;
            }
            Err(error) => return Some(Err(error)),
        };
        self.state.turn += 1;
        self.state.node = node.index() as u32;
        let turn = self.state.turn;
        if turn == 1 {
            self.state.style = self.drawer.styles.as_ref().and_then(|styles| {
                let names = styles.open.iter().map(|(_, name)| *name);
                let at = self.streams.at(0, "style", Key::NONE).alike(names, |_| true)?;
                Some(styles.open[at].0)
            });
        }
        self.expire();
        let opens = match kind {
            NodeKind::New => self.open_topic(),
            NodeKind::Backtrack => self.go_back().map(|()| false),
            NodeKind::Stay | NodeKind::Turn | NodeKind::Start | NodeKind::End => {
                self.state.topic_turns += 1;
                Ok(false)
            }
        };
        let drawn = opens.and_then(|opens| {
            let body = self.body()?;
            if body.is_none() && self.drawer.is_written() {
                return Ok(None);
            }
            let unsaid = self.unsaid(&before);
            let mut changes = self.uncovered(&before);
            let (drawn, tries) = self.instruct(opens, body.as_ref())?;
            changes.extend(drawn);
            let asked = body.as_ref().and_then(|body| body.ask.as_deref());
            let changes = self.said(changes, &unsaid, asked);
            Ok(Some(Drawn { kind, changes, tries, body }))
        });
        if let Some(topic) = self.current_mut() {
            topic.turns += 1;
        }
        self.refused = self.fits.take_refused();
        self.state.ended |= matches!(drawn, Ok(None));
        drawn.transpose()
    }

    /// Where the next turn stands: a node of the graph, and what it does to the topic. Turns that
    /// are written out have the topic of those they stand to.
    fn next_place(&mut self) -> Result<Option<(NodeIndex, NodeKind)>, DrawError> {
        if !self.drawer.is_written() {
            return Ok(self.move_on());
        }
        if self.state.turn == 0 {
            return Ok(Some((NodeIndex::new(0), NodeKind::New)));
        }
        let next = self.state.turn as usize;
        let topics = self.drawer.topics.as_ref().map_or(0, |topics| topics.open.len());
        let turns = &self.unrolled()?.turns;
        if next >= turns.len() {
            return Ok(None);
        }
        let related = turns.iter().take(next + 1).map(|turn| &turn.relations[..]);
        let wanted = (topics > 0).then(|| topic_of_last(related, topics));
        let kind = match wanted {
            Some(at) if at >= self.state.topics.len() => NodeKind::New,
            Some(at) if Some(at) != self.state.current => {
                self.turn_to(at);
                NodeKind::Turn
            }
            _ => NodeKind::Turn,
        };
        Ok(Some((NodeIndex::new(0), kind)))
    }

    /// Goes to a topic that was opened before.
    fn turn_to(&mut self, at: usize) {
        if at < self.state.topics.len() {
            self.state.current = Some(at);
            self.state.topic_turns = 0;
        }
    }

    /// All turns that are written out. What is drawn for the whole dialogue may hang on its topic
    /// and style, which the first turn has.
    fn unrolled(&mut self) -> Result<&Unrolled<'d>, DrawError> {
        if self.unrolled.is_none() {
            let drawer = self.drawer;
            let record = match &drawer.over {
                Some(over) => {
                    let nothing = || DrawError::NothingToGoOver(over.from.to_owned());
                    let (_, record) = self.over.clone().ok_or_else(nothing)?;
                    Some((over.name.to_owned(), record))
                }
                None => None,
            };
            // The same whatever turn the script goes on from.
            let facts = Facts {
                turn: 0,
                topic_turns: 0,
                constraints: 0,
                given: 0,
                topic: self.state.topics.first().and_then(|topic| topic.record),
                ..self.facts()
            };
            let names = record.into_iter().collect();
            let table = &drawer.dialogue.table;
            self.unrolled = Some(unroll(table, &drawer.flows, names, &self.streams, &facts)?);
        }
        self.unrolled.as_ref().ok_or(DrawError::TooLong { most: 0 })
    }

    /// What is written in the turn at hand.
    fn body(&mut self) -> Result<Option<Body<'d>>, DrawError> {
        if !self.drawer.is_written() {
            return Ok(None);
        }
        let at = self.state.turn as usize - 1;
        self.unrolled()?;
        let facts = self.facts();
        let source = Source {
            streams: &self.streams,
            facts: &facts,
            facts_by_judge: self.drawer.dialogue.table.facts_by_judge,
            texts: &self.drawer.texts,
            pictures: &self.drawer.plan.pictures,
        };
        let placed = self.unrolled.as_ref().and_then(|unrolled| unrolled.turns.get(at));
        let mut body = placed.map(|placed| source.body(placed)).transpose()?;
        if let Some(body) = &mut body
            && at == 0
            && let Some(system) = &self.drawer.dialogue.table.system
        {
            let span = self.drawer.dialogue.table.span;
            body.system = Some(source.words(system, "system", span, &facts)?);
        }
        Ok(body)
    }

    /// The next node of the graph: an edge that may be taken, by its share.
    fn move_on(&mut self) -> Option<(NodeIndex, NodeKind)> {
        let graph = &self.drawer.dialogue.graph;
        let from = match self.state.turn {
            0 => graph.node_indices().find(|node| graph[*node].kind == NodeKind::Start)?,
            _ => NodeIndex::new(self.state.node as usize),
        };
        let facts = self.facts();
        let holds = |guard: &Option<crate::predicate::tree::Tree>| match guard {
            None => true,
            Some(guard) => evaluated(guard, &facts) == Some(Value::Bool(true)),
        };
        let mut ways: Vec<(NodeIndex, NodeKind, u64, bool)> = Vec::new();
        for edge in graph.edges_directed(from, Direction::Outgoing) {
            let EdgeKind::Control { weight, switch, .. } = &edge.weight().kind else { continue };
            if !holds(&edge.weight().guard) {
                continue;
            }
            let kind = graph[edge.target()].kind;
            if kind == NodeKind::End {
                return None;
            }
            ways.push((edge.target(), kind, *weight, *switch));
        }
        // petgraph gives the newest edge first; the order written is the other way.
        ways.reverse();
        let topics = self.drawer.topics.as_ref().map_or(0, |topics| topics.open.len());
        let open = |kind: NodeKind| match kind {
            NodeKind::New => self.state.topics.len() < topics,
            NodeKind::Backtrack => self.state.topics.len() > 1,
            _ => true,
        };
        // What a closed way of switching would have had goes to the other one.
        let switching: u64 = ways.iter().filter(|way| way.3).map(|way| way.2).sum();
        let possible: u64 = ways.iter().filter(|way| way.3 && open(way.1)).map(|way| way.2).sum();
        let widened = |weight: u64| {
            (u128::from(weight) * u128::from(switching) / u128::from(possible.max(1))) as u64
        };
        let mut weights: Vec<u64> = ways
            .iter()
            .map(|(_, kind, weight, switch)| match (switch, open(*kind)) {
                (_, false) => 0,
                (true, true) => widened(*weight),
                (false, true) => *weight,
            })
            .collect();
        if possible == 0
            && switching > 0
            && let Some(other) = ways.iter().position(|way| way.3 && open(way.1))
        {
            weights[other] = switching;
        }
        if weights.iter().all(|weight| *weight == 0) {
            // Only switching is allowed, by a way of no share: the open one of the two.
            let other = graph.node_indices().find(|node| {
                matches!(graph[*node].kind, NodeKind::New | NodeKind::Backtrack)
                    && open(graph[*node].kind)
            })?;
            return Some((other, graph[other].kind));
        }
        let at = self.streams.at(self.state.turn + 1, "flow", Key::NONE).weighted(&weights)?;
        Some((ways[at].0, ways[at].1))
    }

    /// Whether instructions begin anew on the topic.
    fn open_topic(&mut self) -> Result<bool, DrawError> {
        let turn = self.state.turn;
        let record = match &self.drawer.topics {
            None => None,
            Some(topics) => {
                let used = |record: usize| {
                    self.state.topics.iter().any(|topic| topic.record == Some(record))
                };
                let open = &topics.open;
                let mut stream = self.streams.at(turn, "topic", Key::NONE);
                let chosen =
                    stream.alike(open.iter().map(|(_, name)| *name), |at| !used(open[at].0));
                let Some((record, _)) = chosen.map(|at| open[at]) else {
                    return Err(DrawError::NothingToImpose { turn });
                };
                Some(record)
            }
        };
        let first = self.state.topics.is_empty();
        self.state.topics.push(TopicState { record, held: Vec::new(), turns: 0 });
        self.state.current = Some(self.state.topics.len() - 1);
        self.state.topic_turns = 1;
        Ok(first || self.drawer.dialogue.table.scope == Scope::Topic)
    }

    fn go_back(&mut self) -> Result<(), DrawError> {
        let turn = self.state.turn;
        let Some(topics) = &self.drawer.topics else {
            return Err(DrawError::NothingToImpose { turn });
        };
        let others: Vec<usize> =
            (0..self.state.topics.len()).filter(|at| Some(*at) != self.state.current).collect();
        let key = |at: &usize| topics.bank.keys.get(self.state.topics[*at].record?);
        let names = others.iter().map(|at| (key(at).map_or(0, |key| name_number(key)), 1));
        let chosen = self.streams.at(turn, "back", Key::NONE).named(names);
        let Some(at) = chosen.map(|at| others[at]) else {
            return Err(DrawError::NothingToImpose { turn });
        };
        self.turn_to(at);
        self.state.topic_turns = 1;
        Ok(())
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut TopicState> {
        self.state.topics.get_mut(self.state.current?)
    }

    pub(super) fn current(&self) -> Option<&TopicState> {
        self.state.topics.get(self.state.current?)
    }

    pub(super) fn facts(&self) -> Facts<'d> {
        let topic = self.current();
        let constraints = self.visible().count();
        Facts {
            drawer: self.drawer,
            turn: self.state.turn,
            topics: self.state.topics.len(),
            topic_turns: self.state.topic_turns,
            constraints,
            // Where nothing is imposed, each group in force has given one.
            given: constraints.max(self.state.given.len()),
            topic: topic.and_then(|topic| topic.record),
            style: self.state.style,
            names: self.unrolled.as_ref().map(|unrolled| Rc::clone(&unrolled.names)),
        }
    }

    fn worded(&self, drawn: Drawn<'d>) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let nothing = Value::Nothing;
        let dice = self.streams.at(self.state.turn, "words", Key::NONE).number();
        let about = topic.record.and_then(|record| self.drawer.topic(record));
        let in_force = self.in_force();
        let again = self.applies_again(drawn.kind);
        let words = Words {
            transition: drawn.kind,
            written: drawn.body.as_ref().map(|body| self.written(body)),
            turn: self.state.turn,
            topic: about.unwrap_or(&nothing),
            topic_turns: topic.turns,
            style: style.map_or(&nothing, |(styles, at)| &styles.bank.records[at]),
            changes: &drawn.changes,
            in_force: &in_force,
            again: &again,
            dice,
            dialogue_dice: self.streams.at(0, "words", Key::NONE).number(),
        };
        if about.is_none() && words.written.as_ref().is_none_or(|written| written.ask.is_none()) {
            return Err(DrawError::NothingToAsk { turn: self.state.turn });
        }
        let ask = self.drawer.words.word(&words).map_err(|(name, fault)| {
            let table = &self.drawer.dialogue.table;
            match &self.drawer.topics {
                Some(topics)
                    if words.topic.field("request").is_none()
                        && !table.words.contains_key(&name) =>
                {
                    DrawError::NoRequest(topics.bank.name.clone())
                }
                _ => DrawError::Template { name, fault },
            }
        })?;
        let reminder = self.reminder(&words)?;
        let mut criteria = self.relation_criteria(&words)?;
        let turn = self.turn(drawn, ask)?;
        criteria.extend(turn.criteria);
        Ok(ScriptTurn { reminder, criteria, ..turn })
    }

    /// What the words of a turn that is written out are made from.
    fn written<'b>(&'b self, body: &'b Body<'d>) -> Written<'b> {
        let name = |number: u32| {
            let unrolled = self.unrolled.as_ref()?;
            Some(unrolled.turns.get(number as usize - 1)?.turn.name.as_str())
        };
        let relations = body.relations.iter().map(|relation| {
            let to = relation.to.iter().map(|number| (*number, name(*number).unwrap_or_default()));
            (relation.kind, to.collect())
        });
        let relations: Vec<(RelationKind, Vec<_>)> = relations.collect();
        let meanings = relations.iter().map(|(kind, to)| self.meaning(*kind, to)).collect();
        Written { ask: body.ask.as_deref(), relations, meanings }
    }

    /// What is in force said once more, for dialogues that repeat it.
    fn reminder(&self, words: &Words<'_>) -> Result<Option<String>, DrawError> {
        if !self.drawer.dialogue.table.repeat_instructions || words.in_force.is_empty() {
            return Ok(None);
        }
        let binding = self.binding();
        let binding: Vec<&Arc<Active>> = binding.iter().collect();
        let said = self.drawer.words.reminder(words, &binding);
        said.map(Some).map_err(|(name, fault)| DrawError::Template { name, fault })
    }

    /// What the model is told before the first turn: the words of `system`, and of the scope.
    fn system(&self, own: Option<String>) -> Result<Option<String>, DrawError> {
        let Some(said) = self.drawer.dialogue.table.scope_said.as_ref() else { return Ok(own) };
        if self.state.turn != 1 {
            return Ok(own);
        }
        let facts = self.facts();
        let source = Source {
            streams: &self.streams,
            facts: &facts,
            facts_by_judge: self.drawer.dialogue.table.facts_by_judge,
            texts: &self.drawer.texts,
            pictures: &self.drawer.plan.pictures,
        };
        let span = self.drawer.dialogue.table.scope_span;
        let said = source.words(&said.words, "scope", &facts, span)?;
        Ok(Some(match own {
            Some(own) => format!("{own}\n\n{said}"),
            None => said,
        }))
    }

    fn turn(&self, drawn: Drawn<'d>, ask: String) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let mut in_force = self.binding();
        in_force.sort_by(|one, other| one.constraint.cmp(&other.constraint));
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let transition = match drawn.kind {
            NodeKind::New => "new",
            NodeKind::Backtrack => "backtrack",
            NodeKind::Stay | NodeKind::Turn | NodeKind::Start | NodeKind::End => "stay",
        };
        let key = |record: usize| self.drawer.topics.as_ref()?.bank.keys.get(record).cloned();
        let body = drawn.body.unwrap_or_default();
        Ok(ScriptTurn {
            turn: self.state.turn,
            transition: transition.to_owned(),
            name: body.name,
            relations: body.relations,
            over: self.over.as_ref().map(|(key, _)| key.clone()),
            topic: topic.record.and_then(key).unwrap_or_default(),
            style: style.map(|(styles, at)| styles.bank.keys[at].clone()),
            changes: drawn.changes,
            tries: drawn.tries,
            in_force,
            system: self.system(body.system)?,
            show: body.show,
            ask,
            reminder: None,
            golden: body.golden,
            parts: body.parts,
            criteria: body.criteria,
        })
    }
}

/// The topic of the last of some turns that are written out, by its place among those that they
/// open: one that is unrelated to all before opens another, one that stands to an earlier turn has
/// the topic of that.
fn topic_of_last<'r>(turns: impl Iterator<Item = &'r [Related]>, topics: usize) -> usize {
    let mut of: Vec<usize> = Vec::new();
    let mut last = 0;
    for relations in turns {
        let unrelated = relations.iter().any(|relation| relation.kind == RelationKind::Unrelated);
        let to = relations.iter().find_map(|relation| relation.to.last());
        let known = to.and_then(|turn| of.get((*turn as usize).checked_sub(1)?).copied());
        let at = match known {
            Some(at) => at,
            None if unrelated && !of.is_empty() => (last + 1).min(topics.saturating_sub(1)),
            None => of.last().copied().unwrap_or(0),
        };
        last = last.max(at);
        of.push(at);
    }
    of.last().copied().unwrap_or(0)
}
