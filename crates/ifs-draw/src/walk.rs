//! Walks through a dialogue's graph from turn to turn, possibly forever.

mod branch;
mod pieces;
mod reduce;
mod route;
mod worded;

pub use self::pieces::{
    DialoguePiece, DialoguePieces, NewValue, Reduction, Stated, StatedConstraint,
};

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use self::branch::KnownResponses;
use super::args::needed;
use super::body::{BodySource, DrawnBody, PlacedTurn, slice_of};
use super::criterion::Related;
use super::drawer::{DrawError, Drawer};
use super::error::NoValue;
use super::fit::{Fits, Refusal};
use super::names::NameScope as Bound;
use super::proof::WitnessedDraw;
use super::state::{ActiveEntry, Observed, PastTurn, ScriptState, TopicState};
use super::stream::{Seed, Streams};
use super::tally::RecordedChoice;
use super::variables::DrawVariables;
use super::{InstructionChange, ScriptTurn};
use ifs_base::work;
use ifs_model::table::{Move, RelationKind, Turn};
use ifs_plan::{EdgeKind, PlanEdge, PlanNode, PlanNodeKind};
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::StreamKey;

/// A script that is being drawn. It ends when the dialogue's `end` holds, after the last turn, or
/// never.
pub struct Script<'d> {
    pub(super) drawer: &'d Drawer<'d>,
    pub(super) streams: Streams,
    pub(super) state: ScriptState,
    /// The index of the dialogue.
    index: u64,
    /// The dialogue's record, with its key.
    over: Option<(String, Value)>,
    seen: Observed,
    /// The last response, if it is known.
    reply: Option<String>,
    responses: KnownResponses,
    /// The decisions that responses make, with drawn values, since they were last taken; recorded if both sides are run.
    choices: Vec<Tree>,
    /// Whether a branch has ended since the last turn.
    pub(super) met: bool,
    /// The constraints active before the next turn from the model's view, if the other side of a branch
    /// was run in between.
    left: Option<Vec<ActiveEntry>>,
    /// The names that are bound, from the first turn on.
    bound: Option<Bound<'d>>,
    /// Whether the `end` of the dialogue held.
    stopped: bool,
    pub(super) fits: Fits<'d>,
    refused: Vec<Refusal>,
    /// The steps that drawing may still take: some for the dialogue, and more with each turn.
    work_left: u64,
    /// The key of the current turn's draws: the name of a written turn with the iterations of its
    /// loops, or in a flow of topics the number of turns since it was entered. An additional turn
    /// does not change the draws of others.
    pub(super) place: u64,
}

impl Iterator for Script<'_> {
    type Item = Result<ScriptTurn, DrawError>;

    fn next(&mut self) -> Option<Self::Item> {
        let drawn = match self.step()? {
            Ok(drawn) => drawn,
            Err(error) => {
                self.state.ended = true;
                return Some(Err(self.locate_error(error)));
            }
        };
        let turn = self.worded(drawn);
        self.state.ended |= turn.is_err();
        Some(turn.map_err(|error| self.locate_error(error)))
    }
}

/// What is known of a turn before its instructions are drawn.
struct TurnStart {
    to: Move,
    /// Whether it opens a topic.
    opens: bool,
    relations: Vec<Related>,
    /// Whether a branch has ended.
    met: bool,
    /// The constraints that were active.
    before: Vec<ActiveEntry>,
}

/// The key of a choice that is made again.
fn redraw_key(key: StreamKey, redraw: u32) -> StreamKey {
    key.and("redraw").and_number(u64::from(redraw))
}

/// A turn before its message is written.
#[derive(Clone)]
struct DrawnTurn<'d> {
    to: Move,
    changes: Vec<InstructionChange>,
    /// The number of draws that it took.
    tries: u32,
    /// Its statements; `None` in a flow of topics.
    body: Option<DrawnBody<'d>>,
    system: Option<String>,
    slice: Option<String>,
    rounds: Option<u32>,
    /// A text that satisfies it, if one was sought.
    witness: Option<String>,
}

/// The steps of drawing a dialogue, and of each turn: a few seconds, and a tenth of one.
const DIALOGUE_STEPS: u64 = 20_000_000;
const TURN_STEPS: u64 = 500_000;

const MAX_ROUNDS: u32 = 1_000_000;
/// A longer dialogue is considered a mistake.
const MAX_TURNS: u32 = 100_000;

impl Drawer<'_> {
    /// The script of a dialogue, from its first turn.
    pub fn script(&self, seed: Seed, index: u64) -> Script<'_> {
        self.resume(seed, index, ScriptState::default())
    }

    /// The script of a dialogue with another record, by its key and value.
    pub fn script_with(&self, seed: Seed, index: u64, record: (String, Value)) -> Script<'_> {
        Script::new(self, self.seed_of(seed, index), index, ScriptState::default(), Some(record))
    }

    /// The script from a state.
    pub fn resume(&self, seed: Seed, index: u64, state: ScriptState) -> Script<'_> {
        let seed = self.seed_of(seed, index);
        let record = self.over.as_ref().and_then(|over| over.record(seed, index));
        Script::new(self, seed, index, state, record)
    }
}

impl<'d> Script<'d> {
    fn new(
        drawer: &'d Drawer<'d>,
        seed: Seed,
        index: u64,
        state: ScriptState,
        over: Option<(String, Value)>,
    ) -> Script<'d> {
        Script {
            drawer,
            streams: Streams::new(seed, &drawer.dialogue.table.name, index),
            state,
            index,
            over,
            seen: Observed::default(),
            reply: None,
            responses: KnownResponses::default(),
            choices: Vec::new(),
            met: false,
            left: None,
            bound: None,
            stopped: false,
            fits: Fits::new(drawer.plan, &drawer.read),
            refused: Vec::new(),
            work_left: DIALOGUE_STEPS,
            place: 0,
        }
    }

    /// The same turns without messages: for statistics and choices.
    pub fn plain(mut self) -> impl Iterator<Item = Result<ScriptTurn, DrawError>> + use<'d> {
        std::iter::from_fn(move || {
            let drawn = match self.step()? {
                Ok(drawn) => drawn,
                Err(error) => {
                    self.state.ended = true;
                    return Some(Err(self.locate_error(error)));
                }
            };
            let turn = self.turn(drawn, String::new());
            Some(turn.map_err(|error| self.locate_error(error)))
        })
    }

    /// The draws of the last turn that were rejected.
    pub fn refused(&self) -> &[Refusal] {
        &self.refused
    }

    /// Counts choices, for [`Script::take_chosen`].
    pub fn counted(mut self) -> Script<'d> {
        self.fits.count();
        self
    }

    /// The choices of the last turn.
    pub fn take_chosen(&self) -> Vec<RecordedChoice> {
        self.fits.take_chosen()
    }

    /// Whether one of several alternatives was chosen so far. Until then the script is the same for
    /// all seeds and for all dialogues with the same record.
    pub fn has_chosen(&self) -> bool {
        self.streams.has_drawn()
    }

    /// Inputs of later turns in addition to the script: the conditions of branches, and the checks that
    /// choose the members of loops.
    pub fn take_choices(&mut self) -> Vec<Tree> {
        std::mem::take(&mut self.choices)
    }

    pub fn state(&self) -> &ScriptState {
        &self.state
    }

    /// Records the outcome of the turns so far.
    pub fn record_outcome(&mut self, mut seen: Observed) {
        self.note_observed(std::mem::take(&mut seen.observations));
        self.reply = seen.reply.take();
        self.seen = seen;
    }

    /// Whether the dialogue has ended because its `end` holds.
    pub fn is_stopped(&mut self) -> Result<bool, DrawError> {
        if !self.stopped && !self.state.ended && self.state.turn > 0 {
            let at = NodeIndex::new(self.state.node as usize);
            self.stopped =
                matches!(self.exit_edge(at)?, Some(to) if self.kind(to) == PlanNodeKind::End);
            self.state.ended |= self.stopped;
        }
        Ok(self.stopped)
    }

    /// Advances to just before a turn (from 1) without writing the messages of skipped ones.
    pub fn skip_to(&mut self, turn: u32) -> Result<(), DrawError> {
        while self.state.turn + 1 < turn {
            match self.step() {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(self.locate_error(error)),
                None => break,
            }
        }
        Ok(())
    }

    /// Adds the current dialogue, turn and records to an error.
    fn locate_error(&self, error: DrawError) -> DrawError {
        let over = self.drawer.over.as_ref().zip(self.over.as_ref());
        let over = over.map(|(over, (key, _))| (over.from, key.as_str()));
        let topic = self.drawer.topics.as_ref().and_then(|topics| {
            let record = self.current()?.record?;
            Some((topics.bank.name.as_str(), topics.bank.keys.get(record)?.as_str()))
        });
        let records: Vec<(&str, &str)> = over.into_iter().chain(topic).collect();
        self.drawer.blame(error, Some(self.index), self.state.turn, &records)
    }

    fn step(&mut self) -> Option<Result<DrawnTurn<'d>, DrawError>> {
        if self.state.ended {
            return None;
        }
        self.work_left = self.work_left.saturating_add(TURN_STEPS);
        let (drawn, spent) = work::within(self.work_left, || self.draw_next());
        self.work_left -= spent.steps;
        self.refused = self.fits.take_refused();
        self.state.ended |= matches!(drawn, Ok(None));
        match spent.too_much {
            // What was drawn without it would depend on where the work ended.
            Some(too_much) => {
                let turn = self.state.turn;
                Some(Err(DrawError::TooMuchWork { too_much, turn }))
            }
            None => drawn.transpose(),
        }
    }

    /// The next turn; `None` if the dialogue has ended.
    fn draw_next(&mut self) -> Result<Option<DrawnTurn<'d>>, DrawError> {
        let before: Vec<ActiveEntry> = self.visible().cloned().collect();
        self.bind_start()?;
        let Some(at) = self.next_node()? else { return Ok(None) };
        let before = self.left.take().unwrap_or(before);
        if self.state.turn == MAX_TURNS {
            return Err(DrawError::TooLong { most: MAX_TURNS as usize });
        }
        self.state.turn += 1;
        self.count_branch_turn();
        self.state.node = at.index() as u32;
        let drawer = self.drawer;
        let node = &drawer.dialogue.graph[at];
        self.place = match (node.kind, &self.bound) {
            (PlanNodeKind::Turn, Some(bound)) => {
                bound.key(node.flow.as_deref()).and(&node.name).number()
            }
            _ => u64::from(self.state.since),
        };
        self.expire();
        let written = match node.kind {
            PlanNodeKind::Turn => self.related(at),
            _ => Vec::new(),
        };
        let (to, opens) = match node.kind {
            PlanNodeKind::New => (Move::New, self.open_topic(self.state.since)?),
            PlanNodeKind::Backtrack => {
                self.backtrack()?;
                (Move::Backtrack, false)
            }
            PlanNodeKind::Turn => self.topic_of(node, &written)?,
            _ => {
                self.state.topic_turns += 1;
                (Move::Stay, false)
            }
        };
        // The turns of a move are named after the topic.
        let relations = if node.kind == PlanNodeKind::Turn { written } else { self.related(at) };
        let start = TurnStart { to, opens, relations, met: std::mem::take(&mut self.met), before };
        match drawer.dialogue.table.witness_draws {
            None => self.draw_turn(node, &start, 0).map(Some),
            Some(draws) => self.draw_until_witness(node, &start, draws).map(Some),
        }
    }

    /// Draws the instructions and the statements of the turn. Each redraw has streams of its own.
    fn draw_turn(
        &mut self,
        node: &PlanNode,
        start: &TurnStart,
        redraw: u32,
    ) -> Result<DrawnTurn<'d>, DrawError> {
        let TurnStart { to, opens, met, before, .. } = start;
        let body = self.body(node, start.relations.clone(), redraw)?;
        let unsaid = self.unsaid(before);
        let mut changes = self.uncovered(before, *met);
        let place = self.place;
        if redraw > 0 {
            self.place = redraw_key(StreamKey::NONE.and_number(place), redraw).number();
        }
        let instructed = self.instruct(*opens, body.as_ref());
        self.place = place;
        let (drawn, tries) = instructed?;
        changes.extend(drawn);
        if *met {
            changes = self.net(changes);
        }
        let asked = body.as_ref().and_then(|body| body.ask.as_deref());
        let changes = self.stated_changes(changes, &unsaid, asked);
        self.check_values()?;
        let (system, slice) = self.system_and_slice()?;
        let rounds = self.feedback_rounds()?;
        let topic = self.state.current.and_then(|topic| u32::try_from(topic).ok());
        if let Some(topic) = self.current_mut() {
            topic.turns += 1;
        }
        let about = body.as_ref().and_then(|body| self.referred_subject(body));
        self.observe(body.as_ref());
        // A given response is known beforehand.
        self.reply = body.as_ref().and_then(|body| body.given.clone());
        self.state.passed.push(PastTurn { node: self.state.node, topic, place: self.place, about });
        let to = *to;
        Ok(DrawnTurn { to, changes, tries, body, system, slice, rounds, witness: None })
    }

    /// Draws the turn again until a text is found that satisfies what is active on it.
    fn draw_until_witness(
        &mut self,
        node: &PlanNode,
        start: &TurnStart,
        draws: u32,
    ) -> Result<DrawnTurn<'d>, DrawError> {
        let state = self.state.clone();
        let (noted, mut tries) = (self.fits.noted(), 0);
        let mut missing = Vec::new();
        for redraw in 0..draws {
            let drawn = self.draw_turn(node, start, redraw)?;
            tries += drawn.tries;
            match self.witness(&drawn)? {
                WitnessedDraw::Witness(witness) => {
                    return Ok(DrawnTurn { tries, witness, ..drawn });
                }
                WitnessedDraw::Missing(keys) => missing = keys,
            }
            self.fits.refuse_set(&drawn.changes, &missing);
            self.fits.take_back(noted);
            self.state = state.clone();
        }
        let span = self.drawer.dialogue.table.span;
        Err(DrawError::NoWitness { draws, keys: missing, turn: self.state.turn, span })
    }

    /// A text for the turn. It is written first if a rule reads its message.
    fn witness(&self, drawn: &DrawnTurn<'d>) -> Result<WitnessedDraw, DrawError> {
        let turn = match self.drawer.reads_prompt {
            true => self.worded(drawn.clone())?,
            false => self.turn(drawn.clone(), String::new())?,
        };
        Ok(self.drawer.witnesses.find(self.drawer.plan, &self.drawer.dialogue.table.name, &turn))
    }

    /// Draws the style and binds the names of the dialogue, unless that was done.
    fn bind_start(&mut self) -> Result<(), DrawError> {
        if self.bound.is_some() {
            return Ok(());
        }
        if self.state.turn == 0 {
            self.state.style = self.drawer.styles.as_ref().and_then(|styles| {
                let names = styles.open.iter().map(|(_, name)| *name);
                let at = self
                    .streams
                    .choice_stream(0, "style", StreamKey::NONE)
                    .alike(names, |_| true)?;
                Some(styles.open[at].0)
            });
        }
        let record = match &self.drawer.over {
            Some(over) => {
                let nothing = || DrawError::NothingToGoOver(over.from.to_owned());
                let (_, record) = self.over.clone().ok_or_else(nothing)?;
                Some((over.name.to_owned(), record))
            }
            None => None,
        };
        let facts = self.fixed_facts();
        self.bound = Some(Bound::new(self.drawer, record, &self.streams, &facts)?);
        Ok(())
    }

    /// The facts that bindings may refer to: the same for every turn.
    fn fixed_facts(&self) -> DrawVariables<'d> {
        let topic = match self.state.topics.iter().find_map(|topic| topic.record) {
            Some(first) => Some(first),
            None => self.draw_topic(1),
        };
        let none = (0, 0, 0, 0);
        let (turn, topic_turns, constraints, given) = none;
        DrawVariables { turn, topic_turns, constraints, given, topic, names: None, ..self.facts() }
    }

    /// Binds the names of the loops around a node.
    fn enter(&mut self, scope: &[u32]) -> Result<(), DrawError> {
        let facts = self.fixed_facts();
        let rounds: Vec<u32> = self.state.rounds.iter().map(|(_, round)| *round).collect();
        match &mut self.bound {
            Some(bound) => bound.enter(scope, &rounds, &self.streams, &facts),
            None => Ok(()),
        }
    }

    /// The most rounds of feedback, if the record decides.
    fn feedback_rounds(&self) -> Result<Option<u32>, DrawError> {
        const ROUNDS_LABEL: &str = "the number of rounds of `retry`";
        let Some(rounds) = &self.drawer.dialogue.table.retry_rounds else { return Ok(None) };
        let facts = self.facts();
        let value = needed(rounds, ROUNDS_LABEL, &facts)?;
        let rounds_of = |count: i64| u32::try_from(count).ok().filter(|it| *it <= MAX_ROUNDS);
        match value.as_int().and_then(rounds_of) {
            Some(count) => Ok(Some(count)),
            None => {
                let fits = "an integer from 0 to 1,000,000";
                Err(NoValue::unfit(ROUNDS_LABEL, rounds, &value, fits, &facts))
            }
        }
    }

    /// The system message of the first turn, and the slice of the report: of the first turn, or of
    /// each turn if it changes from turn to turn.
    fn system_and_slice(&self) -> Result<(Option<String>, Option<String>), DrawError> {
        let table = self.drawer.dialogue.table;
        let facts = self.facts();
        let is_first = self.state.turn == 1;
        // A turn without a topic is in no slice of topics.
        let has_slice = |slice: &&Tree| {
            is_first && !table.slices_turns
                || table.slices_turns && (facts.topic.is_some() || !slice.reads(TurnFact::Topic))
        };
        let slice = table.slice.as_ref().filter(has_slice);
        let slice = slice.map(|slice| slice_of(slice, &facts)).transpose()?;
        if !is_first {
            return Ok((None, slice));
        }
        let system = table.system.as_ref();
        let system = system.map(|system| self.source(&facts).system(system, table.span, &facts));
        let said = table.scope_said.as_ref();
        let said = said
            .map(|said| self.source(&facts).words(&said.words, "scope", table.scope_span, &facts));
        let texts: Vec<String> =
            system.transpose()?.flatten().into_iter().chain(said.transpose()?).collect();
        let system = (!texts.is_empty()).then(|| texts.join("\n\n"));
        Ok((system, slice))
    }

    /// The topic of a written turn: that of the turns it relates to, or a new one for an unrelated
    /// turn. In a dialogue that moves between topics, a turn with its own message does not change
    /// the topic.
    fn topic_of(
        &mut self,
        node: &PlanNode,
        relations: &[Related],
    ) -> Result<(Move, bool), DrawError> {
        let topics = self.drawer.topics.as_ref().map_or(0, |topics| topics.open.len());
        let opened = self.opened();
        if opened == 0 {
            if self.drawer.moves() && self.written_turns_of(node).any(Turn::has_ask) {
                if self.state.current.is_none() {
                    self.push_topic(None);
                }
                return Ok((Move::Stay, false));
            }
            return Ok((Move::New, self.open_topic(1)?));
        }
        let unrelated = relations.iter().any(|relation| relation.kind == RelationKind::Unrelated);
        let to = relations.iter().find_map(|relation| relation.to.last());
        let to = to.and_then(|to| self.state.passed.get((*to as usize).checked_sub(1)?));
        let wanted = match to.and_then(|to| to.topic) {
            Some(at) => Some(at as usize),
            None if !unrelated || topics == 0 => None,
            None if opened < topics => {
                let ordinal = u32::try_from(opened + 1).unwrap_or(u32::MAX);
                return Ok((Move::New, self.open_topic(ordinal)?));
            }
            None => self.state.topics.len().checked_sub(1),
        };
        let to = match wanted.filter(|at| topics > 0 && Some(*at) != self.state.current) {
            Some(at) => {
                self.return_to_topic(at);
                Move::Backtrack
            }
            None => Move::Stay,
        };
        self.state.topic_turns += 1;
        Ok((to, false))
    }

    /// The number of opened topics.
    pub(super) fn opened(&self) -> usize {
        let about = |topic: &&TopicState| topic.record.is_some() || !self.drawer.moves();
        self.state.topics.iter().filter(about).count()
    }

    fn push_topic(&mut self, record: Option<usize>) {
        self.state.topics.push(TopicState { record, held: Vec::new(), turns: 0 });
        self.state.current = Some(self.state.topics.len() - 1);
        self.state.topic_turns = 1;
    }

    /// Returns to an earlier topic.
    fn return_to_topic(&mut self, at: usize) {
        if at < self.state.topics.len() {
            self.state.current = Some(at);
            self.state.topic_turns = 0;
        }
    }

    /// The statements of a turn.
    pub(super) fn written_turns_of(
        &self,
        node: &PlanNode,
    ) -> impl Iterator<Item = &'d Turn> + use<'_, 'd> {
        let places = node.turns.clone().into_iter();
        places.filter_map(|turn| self.drawer.turns.get(turn as usize).copied())
    }

    pub(super) fn source<'a>(&'a self, facts: &'a DrawVariables<'d>) -> BodySource<'a> {
        BodySource {
            streams: &self.streams,
            facts,
            facts_by_judge: self.drawer.dialogue.table.facts_by_judge,
            texts: &self.drawer.texts,
            tags: &self.drawer.plan.model.tags,
            pictures: &self.drawer.plan.model.pictures,
        }
    }

    /// The statements of the current turn.
    fn body(
        &self,
        node: &PlanNode,
        relations: Vec<Related>,
        redraw: u32,
    ) -> Result<Option<DrawnBody<'d>>, DrawError> {
        let turns: Vec<&Turn> = self.written_turns_of(node).collect();
        let (false, Some(bound)) = (turns.is_empty(), &self.bound) else { return Ok(None) };
        let facts = self.facts();
        let names = Arc::clone(&bound.names);
        let key = bound.key(node.flow.as_deref());
        let (name, key) = match node.kind {
            PlanNodeKind::Turn => (node.name.clone(), key),
            // A move has a name if it has statements of its own.
            _ => {
                let own = !relations.is_empty() || turns.iter().any(|turn| turn.has_ask());
                let name = if own { node.name.clone() } else { String::new() };
                (name, StreamKey::new("flow").and_number(u64::from(self.state.since)))
            }
        };
        let key = if redraw > 0 { redraw_key(key, redraw) } else { key };
        let placed = PlacedTurn { turns, name, names, key, relations };
        self.source(&facts).body(&placed).map(Some)
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut TopicState> {
        self.state.topics.get_mut(self.state.current?)
    }

    pub(super) fn current(&self) -> Option<&TopicState> {
        self.state.topics.get(self.state.current?)
    }

    pub(super) fn facts(&self) -> DrawVariables<'d> {
        let topic = self.current();
        let constraints = self.visible().count();
        DrawVariables {
            drawer: self.drawer,
            turn: self.state.turn,
            topics: self.opened(),
            topic_turns: self.state.topic_turns,
            constraints,
            // Without `impose`, each active group has given one.
            given: constraints.max(self.state.given.len()),
            topic: topic.and_then(|topic| topic.record),
            style: self.state.style,
            seen: self.seen.clone(),
            names: self.bound.as_ref().map(|bound| Arc::clone(&bound.names)),
        }
    }
}

/// Whether an edge is taken if and only if its guard holds.
fn is_decided_by_guard(edge: &PlanEdge) -> bool {
    matches!(edge.kind, EdgeKind::Control { weight: 0, .. })
}
