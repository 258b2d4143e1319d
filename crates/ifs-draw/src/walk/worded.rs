//! A turn that was drawn, with its messages.

use std::sync::Arc;

use petgraph::graph::NodeIndex;

use super::{DrawnTurn, Script};
use crate::body::DrawnBody;
use crate::drawer::DrawError;
use crate::error::NoValue;
use crate::state::Active;
use crate::words::{EarlierMessage, MessageInput, MessageWriter, WrittenTurn};
use crate::{InstructionChange, ScriptTurn};
use ifs_base::source::Span;
use ifs_model::table::{Context, RelationKind, Speaker, Turn};
use ifs_plan::PlanNodeKind;
use ifs_predicate::value::Value;

impl<'d> Script<'d> {
    pub(super) fn worded(&self, drawn: DrawnTurn<'d>) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let nothing = Value::Nothing;
        let about = topic.record.and_then(|record| self.drawer.topic(record));
        let active_constraints = self.marked(self.active_constraints());
        // Constraints of the system message and of tools are not in the user message.
        let by_user = |changed: &&InstructionChange| changed.speaker() == Speaker::User;
        let changes: Vec<InstructionChange> =
            drawn.changes.iter().filter(by_user).cloned().collect();
        let asked = drawn.body.as_ref().and_then(|body| body.ask.as_deref());
        let again = self.applies_again(drawn.to, asked);
        let written = drawn.body.as_ref().map(|body| self.written(body));
        let words = MessageInput {
            transition: drawn.to,
            written,
            turn: self.number(),
            topic: about.unwrap_or(&nothing),
            topic_turns: topic.turns,
            style: style.map_or(&nothing, |(styles, at)| &styles.bank.records[at]),
            changes: &changes,
            active_constraints: &active_constraints,
            again: &again,
            dice: self.streams.words(self.place),
            dialogue_dice: self.streams.words(0),
        };
        if about.is_none() && words.written.as_ref().is_none_or(|written| written.ask.is_none()) {
            return Err(DrawError::NothingToAsk { turn: self.state.turn });
        }
        let ask = self.drawer.words.word(&words).map_err(|(name, fault)| {
            let table = self.drawer.dialogue.table;
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
        let about = self.about_turn(self.state.turn);
        let golden = self.drawer.words.answer(&words, &ask, &about);
        let golden = golden.map_err(|(name, fault)| DrawError::Template { name, fault })?;
        let mut criteria = self.relation_criteria(&words)?;
        // Templates choose among phrases; written messages are used unchanged.
        let as_written = words.written.as_ref().and_then(|written| written.ask) == Some(&*ask);
        if !as_written || reminder.is_some() || !criteria.is_empty() {
            self.streams.note_choice();
        }
        let spoken = self.spoken(&drawn.changes, &words)?;
        let mut turn = self.turn(drawn, ask)?;
        spoken.apply_to(&mut turn, self.spoken_by_tool())?;
        criteria.extend(turn.criteria);
        let golden = turn.golden.clone().or(golden);
        let golden = self.golden(golden)?;
        Ok(ScriptTurn { reminder, criteria, golden, ..turn })
    }

    /// The written turns of the current node.
    fn current_written_turns(&self) -> impl Iterator<Item = &'d Turn> + use<'_, 'd> {
        let graph = &self.drawer.dialogue.graph;
        self.written_turns_of(&graph[NodeIndex::new(self.state.node as usize)])
    }

    /// The golden answer, unless it is empty, which cannot stand for a response in the history.
    fn golden(&self, answer: Option<String>) -> Result<Option<String>, DrawError> {
        let Some(text) = answer else { return Ok(None) };
        if !text.trim().is_empty() {
            return Ok(Some(text));
        }
        let table = self.drawer.dialogue.table;
        if table.context != Context::Golden {
            return Ok(None);
        }
        let span = self.current_written_turns().last().map_or(table.span, |turn| turn.span);
        let fault =
            "the text is empty, and with `context golden` it is the response in the history";
        Err(NoValue::without_expression("`answer`", fault.to_owned(), span))
    }

    /// Where the current turn, or the dialogue, has a tool say a constraint.
    fn spoken_by_tool(&self) -> Span {
        let table = self.drawer.dialogue.table;
        let turns = self.current_written_turns();
        let imposes = turns.flat_map(Turn::imposes).chain(table.own_imposes());
        let mut by_tool = imposes.filter(|impose| impose.by == Speaker::Tool);
        by_tool.next().map_or(table.span, |impose| impose.span)
    }

    /// The inputs for the user message of a written turn.
    pub(super) fn written<'b>(&'b self, body: &'b DrawnBody<'d>) -> WrittenTurn<'b> {
        let graph = &self.drawer.dialogue.graph;
        let name = |number: u32| {
            let passed = self.state.passed.get((number as usize).checked_sub(1)?)?;
            Some(graph[NodeIndex::new(passed.node as usize)].name.as_str())
        };
        let relations = body.relations.iter().map(|relation| {
            let to = relation.to.iter().map(|number| EarlierMessage {
                turn: *number,
                name: name(*number).unwrap_or_default(),
                about: self.about_turn(*number),
            });
            (relation.kind, to.collect())
        });
        let relations: Vec<(RelationKind, Vec<_>)> = relations.collect();
        let meanings = relations.iter().map(|(kind, to)| self.meaning(*kind, to)).collect();
        let moves = graph[NodeIndex::new(self.state.node as usize)].kind != PlanNodeKind::Turn;
        let required = body.criteria.iter().filter_map(|criterion| criterion.says.as_deref());
        let required = required.collect();
        WrittenTurn { ask: body.ask.as_deref(), relations, meanings, moves, required }
    }

    /// The reminder that repeats the active constraints, for dialogues with one.
    pub(super) fn reminder(&self, words: &MessageInput<'_>) -> Result<Option<String>, DrawError> {
        if !self.drawer.dialogue.table.repeat_instructions || words.active_constraints.is_empty() {
            return Ok(None);
        }
        let applying = self.applying(words.written.as_ref().and_then(|written| written.ask));
        if applying.is_empty() {
            return Ok(None);
        }
        // As they were stated first, and in that order.
        let mut again: Vec<(&Arc<Active>, u64)> = applying
            .iter()
            .map(|active| {
                let turn = (active.since as usize).checked_sub(1);
                let passed = turn.and_then(|turn| self.state.passed.get(turn));
                (active, passed.map_or(words.dice, |passed| self.streams.words(passed.place)))
            })
            .collect();
        again.sort_by_key(|(active, _)| active.since);
        let said = self.drawer.words.reminder(words, &again);
        said.map(Some).map_err(|(name, fault)| DrawError::Template { name, fault })
    }

    pub(super) fn turn(&self, drawn: DrawnTurn<'d>, ask: String) -> Result<ScriptTurn, DrawError> {
        let topic = self.current().ok_or(DrawError::NothingToImpose { turn: self.state.turn })?;
        let mut active_constraints = self.marked(self.binding());
        active_constraints.sort_by(|one, other| {
            (&one.constraint, one.speaker).cmp(&(&other.constraint, other.speaker))
        });
        let style = self.drawer.styles.as_ref().zip(self.state.style);
        let key = |record: usize| self.drawer.topics.as_ref()?.bank.keys.get(record).cloned();
        let body = drawn.body.unwrap_or_default();
        Ok(ScriptTurn {
            turn: self.state.turn,
            dice: self.streams.words(self.place),
            witness: drawn.witness,
            transition: drawn.to,
            name: body.name,
            relations: body.relations,
            over: self.over.as_ref().map(|(key, _)| key.clone()),
            topic: topic.record.and_then(key).unwrap_or_default(),
            style: style.map(|(styles, at)| styles.bank.keys[at].clone()),
            changes: drawn.changes,
            tries: drawn.tries,
            active_constraints,
            slice: drawn.slice.or(body.slice),
            most_rounds: drawn.rounds,
            system: drawn.system,
            show: body.show,
            ask,
            reminder: None,
            golden: body.golden,
            given: body.given,
            classes: body.classes,
            parts: body.parts,
            criteria: body.criteria,
        })
    }
}
