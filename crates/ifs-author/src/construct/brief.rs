//! The drawn outline of a dialogue, from which models write it.

use crate::release::{ReleaseRelation, ReleaseTurn, ReleasedDialogue};
use ifs_draw::{Active, CriterionKind, Drawer, Related, ScriptTurn};
use ifs_model::table::{DecidedBy, RelationKind};
use ifs_parts::template::render_once;
use ifs_plan::Plan;
use ifs_predicate::value::Value;

/// A dialogue to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DialogueBrief {
    pub task: String,
    pub about: String,
    pub topic: String,
    pub request: String,
    /// The aspects of the topic, from its bank.
    pub angles: Vec<String>,
    pub user: String,
    /// The name of the persona.
    pub who: String,
    /// The writing style of the user.
    pub manner: Vec<String>,
    pub turns: Vec<TurnBrief>,
    /// The kinds of demands that are available.
    pub kinds: Vec<TopicKind>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnBrief {
    pub name: String,
    pub relations: Vec<BriefRelation>,
    /// Kinds of demands that the user message has to make.
    pub kinds: Vec<String>,
    /// The user message from templates, for simulated models.
    pub plain: String,
    /// A right answer, if the scenario has one, for simulated models.
    pub golden: Option<String>,
    /// The judge's questions about those demands, with their kinds, for simulated models.
    pub asked: Vec<(String, String)>,
    /// The judge's questions about each relation, with their kinds.
    pub related: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefRelation {
    pub kind: String,
    pub to: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicKind {
    pub name: String,
    pub about: String,
}

impl DialogueBrief {
    /// The brief of a drawn script.
    pub fn from_script(drawer: &Drawer<'_>, turns: &[ScriptTurn]) -> DialogueBrief {
        let plan = drawer.plan();
        let table = drawer.dialogue().table;
        let first = turns.first();
        let text = |record: Option<&Value>, field: &str| -> String {
            let text = record.and_then(|record| record.field(field)).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let topic = first.zip(table.topic.as_ref());
        let topic = topic.and_then(|(turn, from)| plan.record(from, &turn.topic));
        let style = first.and_then(|turn| turn.style.as_ref()).zip(table.style.as_ref());
        let style = style.and_then(|(key, from)| plan.record(from, key));
        let key = first.and_then(|turn| turn.over.as_ref());
        let over = table.over.as_ref().zip(key);
        let over = over.and_then(|((from, _), key)| plan.record_called(from, key));
        let over = over.as_ref();
        let angles = topic.and_then(|topic| topic.field("angles")).and_then(Value::as_list);
        let named = |number: &u32| {
            let turn = turns.get((*number as usize).saturating_sub(1));
            turn.map(|turn| turn.name.clone()).unwrap_or_default()
        };
        // A dialogue over tasks has one of them as its topic; otherwise the topic names it.
        let (task, about) = match over {
            Some(_) => (text(over, "name"), text(over, "about")),
            None => (text(topic, "task"), text(topic, "about")),
        };
        let brief_of = |turn: &ScriptTurn| TurnBrief {
            name: turn.name.clone(),
            relations: turn
                .relations
                .iter()
                .map(|relation| BriefRelation {
                    kind: relation.kind.word().to_owned(),
                    to: relation.to.iter().map(named).collect(),
                })
                .collect(),
            kinds: followed(turn).map(|active| kind_of(active).to_owned()).collect(),
            plain: turn.ask.clone(),
            golden: turn.golden.clone(),
            asked: followed(turn).filter_map(|active| judge_question(plan, active)).collect(),
            related: relation_questions(plan, turn),
        };
        DialogueBrief {
            task,
            about,
            topic: text(topic, "name"),
            request: text(topic, "request"),
            angles: angles
                .into_iter()
                .flatten()
                .filter_map(|angle| angle.as_str().map(str::to_owned))
                .collect(),
            user: text(style, "name"),
            who: text(style, "who"),
            manner: ["manner", "example"]
                .map(|field| text(style, field))
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect(),
            turns: turns.iter().map(brief_of).collect(),
            kinds: kinds(plan),
        }
    }

    /// Whether a turn opens a new topic.
    pub(super) fn has_unrelated(&self) -> bool {
        let mut relations = self.turns.iter().flat_map(|turn| &turn.relations);
        relations.any(|relation| relation.kind == RelationKind::Unrelated.word())
    }

    /// The dialogue before anything is written.
    pub(super) fn empty_dialogue(&self, name: &str) -> ReleasedDialogue {
        let turn = |brief: &TurnBrief| ReleaseTurn {
            name: brief.name.clone(),
            relations: brief
                .relations
                .iter()
                .map(|BriefRelation { kind, to }| ReleaseRelation {
                    kind: released_relation(kind),
                    to: to.clone(),
                })
                .collect(),
            ..ReleaseTurn::default()
        };
        ReleasedDialogue {
            name: name.to_owned(),
            task: self.task.clone(),
            about: self.about.clone(),
            topic: self.topic.clone(),
            user: self.user.clone(),
            purpose: String::new(),
            turns: self.turns.iter().map(turn).collect(),
        }
    }
}

/// The name of a relation in releases.
fn released_relation(word: &str) -> String {
    match word {
        "follows" => "follow_up",
        "refines" => "refinement",
        "recalls" => "recall",
        "expands" => "expansion",
        "summarizes" => "summary",
        other => other,
    }
    .to_owned()
}

/// The groups that may be drawn, with their doc comments. A constraint without a group is a group
/// of its own.
fn kinds(plan: &Plan) -> Vec<TopicKind> {
    let drawn =
        plan.model.groups.iter().filter(|group| {
            group.constraints.iter().any(|constraint| constraint.relation.is_none())
        });
    let about = |name: &str| {
        let doc = plan.model.docs.get(name).map_or("", String::as_str);
        doc.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    drawn.map(|group| TopicKind { name: group.name.clone(), about: about(&group.name) }).collect()
}

/// The active constraints that a golden answer has to follow.
fn followed(turn: &ScriptTurn) -> impl Iterator<Item = &Active> {
    let active = turn.active_constraints.iter().map(|active| &**active);
    active.filter(|active| active.overruled.is_none())
}

/// The kind of a demand: the group of its constraint.
fn kind_of(active: &Active) -> &str {
    active.group()
}

/// The judge's question about an active constraint, with its drawn values.
fn judge_question(plan: &Plan, active: &Active) -> Option<(String, String)> {
    let constraint = plan.constraint(&active.constraint)?;
    let DecidedBy::Judge(question) = &constraint.by else { return None };
    let fields = active.args.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let text = render_once(&question.text, fields.collect()).ok()?;
    Some((kind_of(active).to_owned(), text))
}

/// The judge's questions about each relation. A relation without a meaning in the scenario has
/// none: the published data do not ask whether a turn is unrelated.
fn relation_questions(plan: &Plan, turn: &ScriptTurn) -> Vec<(String, String)> {
    let of_relation =
        turn.criteria.iter().filter(|criterion| criterion.kind == CriterionKind::Relation);
    let judged = |relation: &&Related| plan.judges(relation.kind);
    let both = turn.relations.iter().filter(judged).zip(of_relation);
    both.filter(|(relation, _)| plan.meaning(relation.kind).is_some())
        .filter_map(|(relation, criterion)| match &criterion.by {
            DecidedBy::Judge(question) => {
                Some((released_relation(relation.kind.word()), question.text.clone()))
            }
            DecidedBy::Rule(_) => None,
        })
        .collect()
}
