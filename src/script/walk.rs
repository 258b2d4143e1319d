//! Walking the graph of a dialogue: from turn to turn, without end where the
//! flow goes round.

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;

use super::args::{self, evaluated};
use super::change::Pool;
use super::fit::{Fits, Known, Refusal};
use super::runnable::not_yet_runnable;
use super::state::{Active, State, TopicState};
use super::stream::{Seed, Streams};
use super::words::{PlainWords, Wording, Words};
use super::{Changed, ScriptTurn};
use crate::diagnostic::Diagnostic;
use crate::dice::{Key, name_number};
use crate::model::table::{Bank, DrawFrom, Group, Scope};
use crate::plan::{DialoguePlan, EdgeKind, NodeKind, Plan};
use crate::predicate::evaluate::{Variables, record_meets};
use crate::predicate::value::Value;
use crate::template::TemplateFault;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DrawError {
    #[error("there is no dialogue `{0}`")]
    NoDialogue(String),
    /// The language says it, this version does not run it.
    #[error("{}", .0.message)]
    NotYetRunnable(Box<Diagnostic>),
    #[error("the dialogue `{0}` has no topics")]
    NoTopics(String),
    #[error("the template `{name}` cannot be filled in: line {line}: {message}", line = fault.line, message = fault.message)]
    Template { name: String, fault: TemplateFault },
    #[error("the records of `{0}` have no `request`, with which a user opens a topic")]
    NoRequest(String),
    #[error("no constraint can be imposed on turn {turn}")]
    NothingToImpose { turn: u32 },
}

/// Draws the scripts of one dialogue. Holds what all of them share.
pub struct Drawer<'p> {
    plan: &'p Plan,
    dialogue: &'p DialoguePlan,
    groups: Vec<&'p Group>,
    topics: Choice<'p>,
    styles: Option<Choice<'p>>,
    words: PlainWords,
    known: Known,
}

/// Records of a bank to draw from, with the numbers of their names.
struct Choice<'p> {
    bank: &'p Bank,
    /// (record, number of its key)
    open: Vec<(usize, u64)>,
}

impl<'p> Choice<'p> {
    fn new(plan: &'p Plan, from: &DrawFrom) -> Option<Choice<'p>> {
        let bank = plan.bank(&from.bank)?;
        let meets = |at: &usize| match &from.condition {
            Some(condition) => record_meets(condition, &bank.records[*at]),
            None => true,
        };
        let open = (0..bank.records.len())
            .filter(meets)
            .map(|at| (at, name_number(&bank.keys[at])))
            .collect();
        Some(Choice { bank, open })
    }
}

impl<'p> Drawer<'p> {
    pub fn new(plan: &'p Plan, dialogue: &str) -> Result<Drawer<'p>, DrawError> {
        let found =
            plan.dialogue(dialogue).ok_or_else(|| DrawError::NoDialogue(dialogue.to_owned()))?;
        let table = &found.table;
        if let Some(diagnostic) = not_yet_runnable(table) {
            return Err(DrawError::NotYetRunnable(Box::new(diagnostic)));
        }
        let topics = table.topic.as_ref().and_then(|from| Choice::new(plan, from));
        let topics = topics.ok_or_else(|| DrawError::NoTopics(dialogue.to_owned()))?;
        Ok(Drawer {
            plan,
            dialogue: found,
            groups: plan.groups.iter().filter(|group| table.groups.contains(&group.name)).collect(),
            topics,
            styles: table.style.as_ref().and_then(|from| Choice::new(plan, from)),
            words: PlainWords::new(plan, &table.words)
                .map_err(|(name, fault)| DrawError::Template { name, fault })?,
            known: Known::default(),
        })
    }

    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    pub fn dialogue(&self) -> &'p DialoguePlan {
        self.dialogue
    }

    /// What gives its turns their words.
    pub fn words(&self) -> &PlainWords {
        &self.words
    }

    /// The script of a dialogue, from its first turn.
    pub fn script(&self, seed: Seed, index: u64) -> Script<'_> {
        self.resume(seed, index, State::default())
    }

    /// The script from where a state stands.
    pub fn resume(&self, seed: Seed, index: u64, state: State) -> Script<'_> {
        let streams = Streams::new(seed, &self.dialogue.table.name, index);
        Script { drawer: self, streams, state, fits: Fits::new(&self.known), refused: Vec::new() }
    }

    /// The record of a topic.
    pub fn topic(&self, record: usize) -> &'p Value {
        &self.topics.bank.records[record]
    }
}

/// A script that is being drawn. Ends where the dialogue's `end` says so without
/// looking at answers; else it goes on for ever.
pub struct Script<'d> {
    drawer: &'d Drawer<'d>,
    streams: Streams,
    state: State,
    fits: Fits<'d>,
    refused: Vec<Refusal>,
}

impl Iterator for Script<'_> {
    type Item = Result<ScriptTurn, DrawError>;

    fn next(&mut self) -> Option<Self::Item> {
        let drawn = match self.step()? {
            Ok(drawn) => drawn,
            Err(error) => {
                self.state.ended = true;
                return Some(Err(error));
            }
        };
        Some(self.worded(drawn))
    }
}

/// How often the changes of a turn are drawn before a contradiction is let stand.
const REDRAWS: u32 = 10;

/// A turn before it has words.
struct Drawn {
    kind: NodeKind,
    changes: Vec<Changed>,
    /// How many draws it took.
    tries: u32,
}

impl<'d> Script<'d> {
    /// The same turns without words: for statistics and choices.
    pub fn plain(mut self) -> impl Iterator<Item = Result<ScriptTurn, DrawError>> + use<'d> {
        std::iter::from_fn(move || {
            let drawn = match self.step()? {
                Ok(drawn) => drawn,
                Err(error) => {
                    self.state.ended = true;
                    return Some(Err(error));
                }
            };
            Some(self.turn(drawn, String::new()))
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
                Some(Err(error)) => return Err(error),
                None => break,
            }
        }
        Ok(())
    }

    fn step(&mut self) -> Option<Result<Drawn, DrawError>> {
        if self.state.ended {
            return None;
        }
        let Some((node, kind)) = self.move_on() else {
            self.state.ended = true;
            return None;
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
        let opens = match kind {
            NodeKind::New => self.open_topic(),
            NodeKind::Backtrack => self.go_back().map(|()| false),
            NodeKind::Stay | NodeKind::Turn | NodeKind::Start | NodeKind::End => {
                self.state.topic_turns += 1;
                Ok(false)
            }
        };
        let drawn = opens.and_then(|opens| self.instruct(opens));
        if let Some(topic) = self.current_mut() {
            topic.turns += 1;
        }
        self.refused = self.fits.take_refused();
        Some(drawn.map(|(changes, tries)| Drawn { kind, changes, tries }))
    }

    /// The changes of the turn; drawn anew, a few times over, while what is in force then cannot
    /// hold together.
    fn instruct(&mut self, opens: bool) -> Result<(Vec<Changed>, u32), DrawError> {
        let mut attempt = 0;
        loop {
            let changes = if opens { self.start(attempt)? } else { self.evolve(attempt)? };
            attempt += 1;
            let facts = self.facts();
            let in_force = self.current().map_or(&[][..], |topic| &topic.constraints);
            if changes.is_empty()
                || attempt == REDRAWS
                || !self.fits.contradictory(in_force, &self.drawer.groups, &facts)
            {
                return Ok((changes, attempt));
            }
            self.undo(changes);
        }
    }

    fn undo(&mut self, changes: Vec<Changed>) {
        let mut in_force = self.take();
        for Changed { after, before, .. } in changes.into_iter().rev() {
            if let Some(after) = after {
                in_force.retain(|active| active.constraint != after.constraint);
            }
            in_force.extend(before);
        }
        self.put(in_force);
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
        let open = |kind: NodeKind| match kind {
            NodeKind::New => self.state.topics.len() < self.drawer.topics.open.len(),
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
        let used = |record: usize| self.state.topics.iter().any(|topic| topic.record == record);
        let open = &self.drawer.topics.open;
        let mut stream = self.streams.at(turn, "topic", Key::NONE);
        let chosen = stream.alike(open.iter().map(|(_, name)| *name), |at| !used(open[at].0));
        let Some((record, _)) = chosen.map(|at| open[at]) else {
            return Err(DrawError::NothingToImpose { turn });
        };
        // What is in force for the whole dialogue comes along.
        let constraints = match (self.drawer.dialogue.table.scope, self.current_mut()) {
            (Scope::Dialogue, Some(before)) => std::mem::take(&mut before.constraints),
            _ => Vec::new(),
        };
        let first = self.state.topics.is_empty();
        self.state.topics.push(TopicState { record, constraints, turns: 0 });
        self.state.current = Some(self.state.topics.len() - 1);
        self.state.topic_turns = 1;
        Ok(first || self.drawer.dialogue.table.scope == Scope::Topic)
    }

    fn start(&mut self, attempt: u32) -> Result<Vec<Changed>, DrawError> {
        let turn = self.state.turn;
        let facts = self.facts();
        let count = args::int(&self.drawer.dialogue.table.start, &facts).unwrap_or(0);
        let mut changes = Vec::new();
        for step in 0..u32::try_from(count.max(0)).unwrap_or(0) {
            let mut in_force = self.take();
            let added = self.pool(step, attempt, &facts).add(&mut in_force);
            self.put(in_force);
            changes.push(added.ok_or(DrawError::NothingToImpose { turn })?);
        }
        Ok(changes)
    }

    fn go_back(&mut self) -> Result<(), DrawError> {
        let turn = self.state.turn;
        let bank = self.drawer.topics.bank;
        let others: Vec<usize> =
            (0..self.state.topics.len()).filter(|at| Some(*at) != self.state.current).collect();
        let names =
            others.iter().map(|at| (name_number(&bank.keys[self.state.topics[*at].record]), 1));
        let chosen = self.streams.at(turn, "back", Key::NONE).named(names);
        let Some(at) = chosen.map(|at| others[at]) else {
            return Err(DrawError::NothingToImpose { turn });
        };
        if self.drawer.dialogue.table.scope == Scope::Dialogue {
            let moved = self.current_mut().map(|topic| std::mem::take(&mut topic.constraints));
            self.state.topics[at].constraints = moved.unwrap_or_default();
        }
        self.state.current = Some(at);
        self.state.topic_turns = 1;
        Ok(())
    }

    fn evolve(&mut self, attempt: u32) -> Result<Vec<Changed>, DrawError> {
        let Some(evolve) = &self.drawer.dialogue.table.evolve else { return Ok(Vec::new()) };
        let facts = self.facts();
        let low = args::int(&evolve.low, &facts).unwrap_or(1);
        let high = args::int(&evolve.high, &facts).unwrap_or(low);
        let count = self.streams.at(self.state.turn, "changes", Key::NONE).int(low, high);
        if self.drawer.dialogue.table.scope == Scope::Turn {
            self.put(Vec::new());
        }
        let mut changes = Vec::new();
        for step in 0..u32::try_from(count.max(0)).unwrap_or(0) {
            let facts = self.facts();
            let mut in_force = self.take();
            changes.extend(self.pool(step, attempt, &facts).change(&evolve.ways, &mut in_force));
            self.put(in_force);
        }
        Ok(changes)
    }

    fn pool<'a>(&'a self, step: u32, attempt: u32, facts: &'a Facts<'d>) -> Pool<'a> {
        Pool {
            streams: &self.streams,
            turn: self.state.turn,
            // Each attempt draws from streams of its own.
            step: step.wrapping_add(attempt << 16),
            groups: &self.drawer.groups,
            masks: &self.drawer.plan.masks,
            facts,
            fits: &self.fits,
        }
    }

    fn current_mut(&mut self) -> Option<&mut TopicState> {
        self.state.topics.get_mut(self.state.current?)
    }

    fn current(&self) -> Option<&TopicState> {
        self.state.topics.get(self.state.current?)
    }

    /// Takes out what is in force; `put` gives it back.
    fn take(&mut self) -> Vec<Active> {
        self.current_mut().map(|topic| std::mem::take(&mut topic.constraints)).unwrap_or_default()
    }

    fn put(&mut self, in_force: Vec<Active>) {
        if let Some(topic) = self.current_mut() {
            topic.constraints = in_force;
        }
    }

    fn facts(&self) -> Facts<'d> {
        let topic = self.current();
        Facts {
            drawer: self.drawer,
            turn: self.state.turn,
            topics: self.state.topics.len(),
            topic_turns: self.state.topic_turns,
            constraints: topic.map_or(0, |topic| topic.constraints.len()),
            topic: topic.map(|topic| topic.record),
            style: self.state.style,
        }
    }

    fn worded(&self, drawn: Drawn) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let nothing = Value::Nothing;
        let dice = self.streams.at(self.state.turn, "words", Key::NONE).number();
        let words = Words {
            transition: drawn.kind,
            turn: self.state.turn,
            topic: self.drawer.topic(topic.record),
            topic_turns: topic.turns,
            style: style.map_or(&nothing, |(styles, at)| &styles.bank.records[at]),
            changes: &drawn.changes,
            in_force: &topic.constraints,
            dice,
            dialogue_dice: self.streams.at(0, "words", Key::NONE).number(),
        };
        let ask = self.drawer.words.word(&words).map_err(|(name, fault)| {
            let table = &self.drawer.dialogue.table;
            if words.topic.field("request").is_none() && !table.words.contains_key(&name) {
                return DrawError::NoRequest(self.drawer.topics.bank.name.clone());
            }
            DrawError::Template { name, fault }
        })?;
        self.turn(drawn, ask)
    }

    fn turn(&self, drawn: Drawn, ask: String) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let mut in_force = topic.constraints.clone();
        in_force.sort_by(|one, other| one.constraint.cmp(&other.constraint));
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let transition = match drawn.kind {
            NodeKind::New => "new",
            NodeKind::Backtrack => "backtrack",
            NodeKind::Stay | NodeKind::Turn | NodeKind::Start | NodeKind::End => "stay",
        };
        Ok(ScriptTurn {
            turn: self.state.turn,
            transition: transition.to_owned(),
            topic: self.drawer.topics.bank.keys[topic.record].clone(),
            style: style.map(|(styles, at)| styles.bank.keys[at].clone()),
            changes: drawn.changes,
            tries: drawn.tries,
            in_force,
            ask,
        })
    }
}

/// What guards, bounds and domains may ask for. A script never waits for a model:
/// patience is whole, and no tokens were spent.
#[derive(Clone, Copy)]
struct Facts<'d> {
    drawer: &'d Drawer<'d>,
    turn: u32,
    topics: usize,
    topic_turns: u32,
    constraints: usize,
    /// The record of the topic at hand.
    topic: Option<usize>,
    style: Option<usize>,
}

impl Variables for Facts<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        let count = |number: usize| Some(Value::Int(number as i64));
        let whole = |number: u32| Some(Value::Int(i64::from(number)));
        match name {
            "turn" | "turns" | "reply" => whole(self.turn),
            "topics" => count(self.topics),
            "topic_turns" => whole(self.topic_turns),
            "constraints" | "given" => count(self.constraints),
            "groups" => count(self.drawer.groups.len()),
            "patience" => whole(self.drawer.dialogue.table.patience.unwrap_or(1)),
            "age" | "tokens" => whole(0),
            "topic" => Some(self.drawer.topic(self.topic?).clone()),
            "style" => Some(self.drawer.styles.as_ref()?.bank.records[self.style?].clone()),
            _ => None,
        }
    }
}
