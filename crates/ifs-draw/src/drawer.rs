//! The shared state of all scripts of a dialogue.

use std::collections::BTreeSet;
use std::sync::Arc;

pub use super::error::DrawError;
use super::error::Located;
use super::exclusions::Exclusions;
use super::fit::ReadingCache;
use super::proof::{DrawnWitnesses, rules_read};
use super::relation_targets::{RelationTargets, relations_by_node};
use super::stream::{FIRST_ANCHOR, SecretKey, Seed};
use super::texts::CompiledTexts;
use super::words::MessageTemplates;
use ifs_base::diagnostic::visible_text;
use ifs_model::table::{Bank, Binder, DrawFrom, Feed, Group, MISSED, Param, Turn, TurnPart};
use ifs_plan::{DialoguePlan, GroupId, Plan};
use ifs_predicate::evaluate::record_meets;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;
use ifs_value::stable_hash::name_number;

/// Draws the scripts of one dialogue, with their shared state.
pub struct Drawer<'p> {
    pub(super) plan: &'p Plan,
    pub(super) dialogue: DialoguePlan<'p>,
    /// The groups that constraints are drawn from.
    pub(super) groups: Vec<GroupId>,
    pub(super) exclusions: Exclusions,
    pub(super) topics: Option<RecordChoice<'p>>,
    pub(super) styles: Option<RecordChoice<'p>>,
    /// The records of the dialogue's `over`.
    pub(super) over: Option<OverRecords<'p>>,
    /// The written turns, and the names that are bound outside of them, to which nodes of the graph
    /// refer.
    pub(super) turns: Vec<&'p Turn>,
    pub(super) binders: Vec<(usize, Binder<'p>)>,
    /// The names of the observations of its turns.
    pub(super) observations: BTreeSet<String>,
    /// The relations of each node, by its index.
    pub(super) relations: Vec<Vec<RelationTargets>>,
    pub(super) words: Arc<MessageTemplates>,
    pub(super) texts: CompiledTexts,
    /// The parsed constraints, for all scripts.
    pub(super) read: ReadingCache,
    /// Texts for drawn turns, if turns are drawn until there is one.
    pub(super) witnesses: DrawnWitnesses,
    /// Whether a rule reads the user message.
    pub(super) reads_prompt: bool,
    /// Draws a hidden set.
    key: Option<SecretKey>,
}

/// Records of a bank to draw from, with the hashes of their names.
pub(super) struct RecordChoice<'p> {
    pub bank: &'p Bank,
    /// (record, hash of its key)
    pub open: Vec<(usize, u64)>,
}

impl<'p> RecordChoice<'p> {
    fn new(plan: &'p Plan, from: &DrawFrom) -> Option<RecordChoice<'p>> {
        let bank = plan.bank(&from.bank)?;
        let meets = |at: &usize| match &from.condition {
            Some(condition) => record_meets(condition, &bank.records[*at]),
            None => true,
        };
        let open = (0..bank.records.len())
            .filter(meets)
            .map(|at| (at, name_number(&bank.keys[at])))
            .collect();
        Some(RecordChoice { bank, open })
    }
}

/// The list of records of a dialogue's `over`, one for each drawn dialogue.
pub(super) struct OverRecords<'p> {
    /// The name of the current record.
    pub name: &'p str,
    /// The bank or feed of the records.
    pub from: &'p str,
    keys: &'p [String],
    records: &'p [Value],
    /// A feed with a game for each dialogue.
    fresh: Option<&'p Feed>,
}

impl<'p> OverRecords<'p> {
    /// The record of a dialogue by its index, with its key: in rotation, or one that no other
    /// dialogue has.
    pub fn record(&self, Seed(seed): Seed, index: u64) -> Option<(String, Value)> {
        if let Some(feed) = self.fresh {
            return feed.fresh(seed, index);
        }
        let at = usize::try_from(index % self.records.len().max(1) as u64).ok()?;
        Some((self.keys.get(at)?.clone(), self.records.get(at)?.clone()))
    }
}

impl<'p> Drawer<'p> {
    pub fn new(plan: &'p Plan, dialogue: &str) -> Result<Drawer<'p>, DrawError> {
        let found =
            plan.dialogue(dialogue).ok_or_else(|| DrawError::NoDialogue(dialogue.to_owned()))?;
        Drawer::build(plan, found, None).map_err(|error| located(plan, found, error))
    }

    /// Draws a dialogue with templates that were compiled before, of the same constraints and words.
    pub(super) fn with_templates(
        plan: &'p Plan,
        dialogue: &str,
        templates: Arc<MessageTemplates>,
    ) -> Result<Drawer<'p>, DrawError> {
        let found =
            plan.dialogue(dialogue).ok_or_else(|| DrawError::NoDialogue(dialogue.to_owned()))?;
        Drawer::build(plan, found, Some(templates)).map_err(|error| located(plan, found, error))
    }

    fn build(
        plan: &'p Plan,
        found: DialoguePlan<'p>,
        templates: Option<Arc<MessageTemplates>>,
    ) -> Result<Drawer<'p>, DrawError> {
        let dialogue = &found.table.name;
        let table = found.table;
        let topics = table.topic.as_ref().and_then(|from| RecordChoice::new(plan, from));
        if topics.is_none() && (table.topics.is_some() || table.topic.is_some()) {
            return Err(DrawError::NoTopics(dialogue.clone()));
        }
        let over = match &table.over {
            None => None,
            Some((from, name)) => match plan.records(from) {
                Some((keys, records)) if !records.is_empty() => {
                    let fresh = plan.feed(from).filter(|feed| feed.fresh.is_some());
                    Some(OverRecords { name, from, keys, records, fresh })
                }
                _ => return Err(DrawError::NothingToGoOver(from.clone())),
            },
        };
        let turns = table.written_turns(&plan.model.flows);
        let branches = found.graph.edge_weights().filter_map(|edge| edge.guard.as_ref());
        let reads_missed = table.end.iter().chain(branches).any(|tree| tree.mentions(MISSED));
        let template = |(name, fault)| DrawError::Template { name, fault };
        let named = |(_, group): &(GroupId, &Group)| table.groups.contains(&group.name);
        Ok(Drawer {
            plan,
            dialogue: found,
            groups: plan.groups_by_id().filter(named).map(|(id, _)| id).collect(),
            exclusions: Exclusions::new(plan),
            topics,
            styles: table.style.as_ref().and_then(|from| RecordChoice::new(plan, from)),
            over,
            words: match templates {
                Some(templates) => templates,
                None => Arc::new(MessageTemplates::compile(plan, table).map_err(template)?),
            },
            texts: CompiledTexts::new(table, &turns).map_err(template)?,
            relations: relations_by_node(found.graph, &turns),
            observations: turns
                .iter()
                .flat_map(|turn| turn.observes())
                .map(|(name, _)| name.to_owned())
                .chain(reads_missed.then(|| MISSED.to_owned()))
                .collect(),
            turns,
            binders: table.binders(),
            read: ReadingCache::default(),
            witnesses: DrawnWitnesses::default(),
            reads_prompt: rules_read(plan, table, TurnFact::Prompt),
            key: None,
        })
    }

    /// Draws a hidden set: the seeds that it is given have no part in its dialogues.
    pub fn hidden(self, key: SecretKey) -> Drawer<'p> {
        Drawer { key: Some(key), ..self }
    }

    /// The key of a hidden set.
    pub fn secret_key(&self) -> Option<&SecretKey> {
        self.key.as_ref()
    }

    /// The seed that decides a dialogue.
    pub fn seed_of(&self, seed: Seed, index: u64) -> Seed {
        match self.key {
            Some(key) => key.seed(&self.dialogue.table.name, index),
            // The anchors of public sets do not depend on their seed.
            None if index >= FIRST_ANCHOR => Seed(name_number("ifs: anchors")),
            None => seed,
        }
    }

    /// The source of its user messages.
    pub fn words(&self) -> &MessageTemplates {
        &self.words
    }

    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    pub fn dialogue(&self) -> DialoguePlan<'p> {
        self.dialogue
    }

    /// The number of dialogues after which the fixed part repeats: the number of records in `over`.
    /// `None` if each dialogue has its own record.
    pub fn period(&self) -> Option<u64> {
        match &self.over {
            None => Some(1),
            Some(over) if over.fresh.is_some() => None,
            Some(over) => Some(over.records.len() as u64),
        }
    }

    /// The number of records that the dialogue goes over; `None` if it goes over none, or if each
    /// dialogue has its own.
    pub fn records(&self) -> Option<u64> {
        self.over.as_ref().and_then(|_| self.period())
    }

    /// Whether it moves between topics, at least for a while.
    pub(super) fn moves(&self) -> bool {
        self.dialogue.table.topics.is_some()
    }

    /// Adds the current dialogue to an error. `records` are the drawn ones: the name of their bank
    /// or feed, and their key.
    pub fn blame(
        &self,
        error: DrawError,
        index: Option<u64>,
        turn: u32,
        records: &[(&str, &str)],
    ) -> DrawError {
        match located(self.plan, self.dialogue, error) {
            DrawError::At(mut located) if located.index.is_none() && located.turn == 0 => {
                (located.index, located.turn) = (index, turn);
                let record = |(from, key): &(&str, &str)| {
                    let place = self.plan.bank(from).and_then(|bank| bank.place_of(key));
                    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
                    format!("the record \"{}\" of `{from}`{place}", visible_text(key))
                };
                located.records = records.iter().map(record).collect();
                DrawError::At(located)
            }
            error => error,
        }
    }

    /// A parameter of the dialogue or of one of its turns.
    pub(super) fn param(&self, name: &str) -> Option<&'p Param> {
        let outer = self.binders.iter().filter_map(|(_, binder)| match binder {
            Binder::Param(param) => Some(*param),
            Binder::Let(..) | Binder::Member(..) => None,
        });
        let inner = self.turns.iter().flat_map(|turn| &turn.body).filter_map(|part| match part {
            TurnPart::Param(param) => Some(param),
            _ => None,
        });
        outer.chain(inner).find(|param| param.name == name)
    }

    /// The record of a topic.
    pub(super) fn topic(&self, record: usize) -> Option<&'p Value> {
        self.topics.as_ref()?.bank.records.get(record)
    }
}

/// Adds its dialogue to an error.
fn located(plan: &Plan, dialogue: DialoguePlan<'_>, error: DrawError) -> DrawError {
    match error {
        DrawError::At(_) => error,
        error => DrawError::At(Box::new(Located {
            error,
            dialogue: dialogue.table.name.clone(),
            variant: None,
            span: dialogue.table.span,
            index: None,
            turn: 0,
            records: Vec::new(),
            sources: Arc::clone(&plan.sources),
        })),
    }
}
