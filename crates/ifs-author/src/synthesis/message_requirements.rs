//! The required content of a turn's message.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::SynthesisError;
use ifs_draw::{
    Active, Drawer, InstructionChange, MessageInput, MessageWriter as _, ScriptTurn, Seed,
    WrittenTurn, dice_of_words,
};
use ifs_model::table::{Change, DrawFrom, Move, Speaker};
use ifs_parts::template::{PROMPTS, TemplateFields, Templates};
use ifs_predicate::value::Value;

/// The prompts for models, with a scenario's own overriding the built-in ones.
pub struct SynthesisPrompts(Templates);

impl SynthesisPrompts {
    pub fn new(own: &BTreeMap<String, String>) -> Result<SynthesisPrompts, SynthesisError> {
        let text = |(name, text): &(&str, &str)| {
            let text = own.get(*name).map_or(*text, String::as_str);
            ((*name).to_owned(), text.to_owned())
        };
        let sources = PROMPTS.iter().map(text).collect();
        let read = Templates::new(sources);
        read.map(SynthesisPrompts).map_err(|(name, fault)| SynthesisError::Prompt { name, fault })
    }

    pub(super) fn render(
        &self,
        name: &str,
        fields: TemplateFields<'_>,
    ) -> Result<String, SynthesisError> {
        let filled = self.0.render(name, fields);
        let filled =
            filled.map_err(|fault| SynthesisError::Prompt { name: name.to_owned(), fault })?;
        Ok(filled.trim().to_owned())
    }
}

/// The required content of a turn's message: its topic, its demands and the writing style.
pub struct MessageRequirements {
    turn: u32,
    transition: Move,
    /// The topic of the dialogue, as a person would name it.
    topic: String,
    manner: Vec<String>,
    /// A sentence for each change of the instructions.
    pub demands: Vec<String>,
    /// The constraints that apply again on the topic that the user returns to, if the user states them.
    pub restored: Vec<String>,
    /// For each of `demands` and then of `restored`, all wordings in the scenario: a message may
    /// use any of it.
    pub(super) traces: Vec<String>,
    /// Values in a sentence: the message must contain each.
    pub(super) named: Vec<DemandValue>,
    /// The message from templates.
    pub plain: String,
    /// Everything that may be mentioned: from the topic, and what was active before.
    pub(super) sources: Vec<String>,
    /// The message from templates without the last change: a careless user's.
    pub(super) careless: String,
}

/// A value of a demand.
pub(super) struct DemandValue {
    pub value: Value,
    pub constraint: String,
}

impl MessageRequirements {
    /// The intention of a turn of a dialogue.
    pub fn from_script(
        drawer: &Drawer<'_>,
        (seed, index): (Seed, u64),
        turns: &[ScriptTurn],
        turn: &ScriptTurn,
    ) -> Result<MessageRequirements, SynthesisError> {
        let plan = drawer.plan();
        let table = drawer.dialogue().table;
        let nothing = Value::Nothing;
        let record = |from: &Option<DrawFrom>, key: Option<&String>| {
            plan.record(from.as_ref()?, key?).cloned()
        };
        let topic = record(&table.topic, Some(&turn.topic)).unwrap_or_default();
        let style = record(&table.style, turn.style.as_ref());
        // The templates choose the same phrases, so the demands have the same wording.
        let seed = drawer.seed_of(seed, index);
        let dialogue_dice = dice_of_words((seed, &table.name, index));
        let same = |other: &&ScriptTurn| other.topic == turn.topic && other.turn <= turn.turn;
        let topic_turns = turns.iter().filter(same).count();
        // Requirements are stated in turns without a written message.
        let said = turn.criteria.iter().filter_map(|criterion| criterion.says.as_deref());
        let required: Vec<&str> = said.filter(|_| turn.name.is_empty()).collect();
        let written = || {
            let required = required.clone();
            let (ask, relations, meanings) = (None, Vec::new(), Vec::new());
            WrittenTurn { ask, relations, meanings, moves: true, required }
        };
        // The previous contents of the topic, and the changes.
        let back = turn.transition == Move::Backtrack
            && table.scope_said.as_ref().is_some_and(|said| said.again);
        let by_user = |active: &&Arc<Active>| active.speaker == Speaker::User;
        let own = turn.active_constraints.iter().filter(|active| back && by_user(active));
        let again: Vec<Arc<Active>> = own.cloned().collect();
        let words = |changes| MessageInput {
            transition: turn.transition,
            turn: turn.turn,
            topic: &topic,
            topic_turns: u32::try_from(topic_turns).unwrap_or(u32::MAX),
            style: style.as_ref().unwrap_or(&nothing),
            changes,
            active_constraints: &turn.active_constraints,
            again: &again,
            dice: turn.dice,
            dialogue_dice,
            written: (!required.is_empty()).then(written),
        };
        let fault = |(name, fault)| SynthesisError::Prompt { name, fault };
        // Constraints of the system message and of tools are not in the user message.
        let by_user = turn.changes.iter().filter(|changed| changed.speaker() == Speaker::User);
        let changes: Vec<InstructionChange> = by_user.cloned().collect();
        let sentences = drawer.words().changes(&words(&changes)).map_err(fault)?;
        let mut demands: Vec<String> =
            changes.iter().zip(&sentences).map(|(changed, said)| ask(changed, said)).collect();
        demands.extend(required.iter().map(|says| (*says).to_owned()));
        let restored = drawer.words().restored(&words(&changes)).map_err(fault)?;
        let traces = sentences
            .iter()
            .map(wordings_of_change)
            .chain(required.iter().map(|it| vec![(*it).to_owned()]));
        let traces = traces
            .chain(restored.iter().map(wordings_of_change))
            .map(|texts| texts.join(" "))
            .collect();
        let restored = restored.iter().map(restored_as).collect();
        let kept = changes.len().saturating_sub(1);
        let careless = match turn.name.is_empty() {
            true => drawer.words().word(&words(&changes[..kept])).map_err(fault)?,
            // A written turn uses its own message.
            false => turn.ask.clone(),
        };
        let mut sources = vec![turn.ask.clone(), careless.clone()];
        sources.extend(sentences.iter().flat_map(texts));
        sources.extend(texts(&topic));
        Ok(MessageRequirements {
            turn: turn.turn,
            transition: turn.transition,
            topic: topic_of(&topic, turns, turn),
            manner: style.as_ref().map(manner).unwrap_or_default(),
            named: changes
                .iter()
                .zip(&demands)
                .flat_map(|(changed, ask)| named(changed, ask))
                .collect(),
            demands,
            restored,
            traces,
            plain: turn.ask.clone(),
            sources,
            careless,
        })
    }

    /// Whether the dialogue moves between topics, so that the message must name the topic.
    pub fn moves(&self) -> bool {
        self.transition != Move::Stay && !self.topic.is_empty()
    }

    /// The fields of a prompt.
    pub(super) fn fields<'a>(&self, message: Option<&str>) -> TemplateFields<'a> {
        let list = |texts: &[String]| Value::list(texts.iter().map(|text| Value::text(text)));
        let mut fields = vec![
            ("turn", Value::Int(i64::from(self.turn))),
            ("transition", Value::text(self.transition.word())),
            ("topic", Value::text(&self.topic)),
            ("manner", list(&self.manner)),
            ("demands", list(&self.demands)),
            ("restored", list(&self.restored)),
            ("plain", Value::text(&self.plain)),
        ];
        fields.extend(message.map(|message| ("message", Value::text(message))));
        fields
    }
}

/// A change as one demand, in the scenario's own form if it has one.
fn ask(changed: &InstructionChange, said: &Value) -> String {
    let part = |name: &str| said.field(name).and_then(Value::as_str);
    let own = |name: &str| part(name).map(sentence);
    let say = own("do").unwrap_or_else(|| part("say").unwrap_or_default().to_owned());
    let before = part("before").unwrap_or_default();
    let modify = own("redo").or_else(|| part("modify").map(str::to_owned));
    let withdraw = own("undo").or_else(|| part("withdraw").map(str::to_owned));
    match (changed.change, modify, withdraw) {
        (Change::Add, ..) => say,
        (Change::Modify, Some(modify), _) => modify,
        (Change::Modify, None, Some(withdraw)) => format!("{withdraw} {say}"),
        (Change::Modify, None, None) => format!("No longer \"{before}\". Now: {say}"),
        (Change::Drop, _, Some(withdraw)) => withdraw,
        (Change::Drop, _, None) => format!("This no longer holds: \"{before}\""),
    }
}

/// All wordings of a change in the scenario.
fn wordings_of_change(said: &Value) -> Vec<String> {
    let Value::Record(fields) = said else { return Vec::new() };
    let said = fields.iter().filter(|(name, _)| *name != "change");
    said.flat_map(|(_, value)| texts(value)).collect()
}

/// A constraint that applies again as a sentence, in the scenario's short form if it has one.
fn restored_as(said: &Value) -> String {
    let part = |name: &str| said.field(name).and_then(Value::as_str);
    part("note").map(sentence).or_else(|| part("say").map(str::to_owned)).unwrap_or_default()
}

/// A phrase as a sentence.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let Some(first) = letters.next() else { return String::new() };
    format!("{}{}.", first.to_uppercase(), letters.as_str())
}

/// The values of a demand's parameters that its sentence contains; for a change, only the new ones.
fn named(changed: &InstructionChange, ask: &str) -> Vec<DemandValue> {
    let Some(after) = &changed.after else { return Vec::new() };
    let before = changed.before.as_ref().filter(|before| before.constraint == after.constraint);
    let mut found = Vec::new();
    for (name, value) in &after.args {
        if before.and_then(|before| before.arg(name)) == Some(value) {
            continue;
        }
        visit_scalars(value, &mut |value| {
            if super::rules::names(ask, value) {
                found.push(DemandValue {
                    value: value.clone(),
                    constraint: after.constraint.clone(),
                });
            }
        });
    }
    found
}

fn visit_scalars(value: &Value, give: &mut impl FnMut(&Value)) {
    match value {
        Value::Nothing | Value::Bool(_) => {}
        Value::Int(_) | Value::Float(_) | Value::Text(_) => give(value),
        Value::List(members) => members.iter().for_each(|member| visit_scalars(member, give)),
        Value::Record(fields) => fields.iter().for_each(|(_, value)| visit_scalars(value, give)),
    }
}

fn texts(value: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    visit_scalars(value, &mut |leaf| texts.push(leaf.to_string()));
    texts
}

/// The request that opens a topic; for a known topic its name and request. A request that the
/// templates reword is given by the topic's `do`.
fn topic_of(topic: &Value, turns: &[ScriptTurn], turn: &ScriptTurn) -> String {
    let part = |name: &str| topic.field(name).and_then(Value::as_str);
    let named = part("name").unwrap_or(&turn.topic);
    let opened = turns.iter().find(|other| other.topic == turn.topic).unwrap_or(turn);
    let asked = part("request").filter(|request| opened.ask.contains(request));
    let asked = asked.or_else(|| part("do")).or_else(|| part("request"));
    match (turn.transition, asked) {
        (Move::New, Some(asked)) => asked.to_owned(),
        (_, Some(asked)) if asked != named => format!("{named} (it was opened with \"{asked}\")"),
        _ => named.to_owned(),
    }
}

/// The writing style: every text of the style except its names.
fn manner(style: &Value) -> Vec<String> {
    const NAME_FIELDS: [&str; 4] = ["name", "id", "key", "voice"];
    let Value::Record(fields) = style else { return Vec::new() };
    fields
        .iter()
        .filter(|(name, _)| !NAME_FIELDS.contains(name))
        .flat_map(|(_, value)| texts(value))
        .collect()
}
