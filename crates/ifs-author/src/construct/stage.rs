//! The stages: what each requests, and the checks of the reply.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::brief::{DialogueBrief, TopicKind};
use crate::release::{ReleaseQuestion, ReleaseTurn, ReleasedDialogue};
use ifs_parts::template::{TemplateFault, TemplateFields, Templates};
use ifs_predicate::value::Value;

/// The stages of a dialogue, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The user's goal, and the purpose of each turn.
    Plan,
    /// The messages.
    Dialogue,
    /// The questions for judges about each response.
    Questions,
}

/// The prompts of the stages.
const STAGE_PROMPTS: [(&str, &str); 4] = [
    ("plan.j2", include_str!("../../../../templates/construct/plan.j2")),
    ("check_plan.j2", include_str!("../../../../templates/construct/check_plan.j2")),
    ("dialogue.j2", include_str!("../../../../templates/construct/dialogue.j2")),
    ("questions.j2", include_str!("../../../../templates/construct/questions.j2")),
];

pub struct ConstructionPrompts(Templates);

impl ConstructionPrompts {
    pub fn new() -> Result<ConstructionPrompts, (String, TemplateFault)> {
        let sources = STAGE_PROMPTS.map(|(name, text)| (name.to_owned(), text.to_owned()));
        Templates::new(sources.into()).map(ConstructionPrompts)
    }

    fn render(&self, name: &str, fields: TemplateFields<'_>) -> Result<String, TemplateFault> {
        Ok(self.0.render(name, fields)?.trim().to_owned())
    }

    pub fn plan(&self, brief: &DialogueBrief) -> Result<String, TemplateFault> {
        let text = |text: &str| Value::text(text);
        self.render(
            "plan.j2",
            vec![
                ("topic", text(&brief.topic)),
                ("request", text(&brief.request)),
                ("task", text(&brief.task)),
                ("about", text(&brief.about)),
                ("who", text(&brief.who)),
                ("unrelated", Value::Bool(brief.has_unrelated())),
                ("turns", turns(brief, None)),
            ],
        )
    }

    pub fn check_plan(
        &self,
        brief: &DialogueBrief,
        talk: &ReleasedDialogue,
    ) -> Result<String, TemplateFault> {
        self.render("check_plan.j2", vec![("turns", turns(brief, Some(talk)))])
    }

    pub fn dialogue(
        &self,
        brief: &DialogueBrief,
        talk: &ReleasedDialogue,
    ) -> Result<String, TemplateFault> {
        self.render(
            "dialogue.j2",
            vec![
                ("purpose", Value::text(&talk.purpose)),
                ("who", Value::text(&brief.who)),
                ("manner", Value::list(brief.manner.iter().map(|part| Value::text(part)))),
                ("turns", turns(brief, Some(talk))),
                ("kinds", kinds(&brief.kinds)),
            ],
        )
    }

    pub fn questions(
        &self,
        brief: &DialogueBrief,
        turn: &ReleaseTurn,
    ) -> Result<String, TemplateFault> {
        let fields = vec![("user", Value::text(&turn.ask)), ("kinds", kinds(&brief.kinds))];
        self.render("questions.j2", fields)
    }
}

/// The turns as prompts show them; with their plan, once there is one.
fn turns(brief: &DialogueBrief, talk: Option<&ReleasedDialogue>) -> Value {
    let texts = |texts: &[String]| Value::list(texts.iter().map(|text| Value::text(text)));
    Value::list(brief.turns.iter().enumerate().map(|(at, turn)| {
        let plan = talk.and_then(|talk| talk.turns.get(at)).map_or("", |turn| turn.plan.as_str());
        let relations = turn.relations.iter().map(|relation| {
            Value::record([("kind", Value::text(&relation.kind)), ("to", texts(&relation.to))])
        });
        Value::record([
            ("name", Value::text(&turn.name)),
            ("plan", Value::text(plan)),
            ("relations", Value::list(relations)),
            ("kinds", texts(&turn.kinds)),
        ])
    }))
}

fn kinds(kinds: &[TopicKind]) -> Value {
    Value::list(kinds.iter().map(|kind| {
        Value::record([("name", Value::text(&kind.name)), ("about", Value::text(&kind.about))])
    }))
}

/// The only JSON object of a reply, possibly with text around it.
fn object<T: for<'de> Deserialize<'de>>(reply: &str) -> Result<T, String> {
    let (from, to) = (reply.find('{'), reply.rfind('}'));
    let inner = from.zip(to).and_then(|(from, to)| reply.get(from..=to));
    let inner = inner.ok_or("it holds no JSON object")?;
    serde_json::from_str(inner).map_err(|error| format!("its JSON cannot be read: {error}"))
}

/// The most words of a sentence of the plan; the prompt asks for fewer.
const MAX_PLAN_WORDS: usize = 60;
/// The most characters of a message.
const MAX_MESSAGE_CHARACTERS: usize = 12_000;

#[derive(Deserialize)]
struct PlanReply {
    purpose: String,
    turns: Vec<Planned>,
}

#[derive(Deserialize)]
struct Planned {
    name: String,
    plan: String,
    /// How the message fits its relation.
    #[serde(default)]
    explanation: String,
}

/// Stores a planner's reply in the dialogue, or returns what is wrong with it.
pub(super) fn take_plan(
    reply: &str,
    brief: &DialogueBrief,
    talk: &mut ReleasedDialogue,
) -> Result<(), String> {
    let reply: PlanReply = object(reply)?;
    if reply.purpose.trim().is_empty() {
        return Err("`purpose` is empty".to_owned());
    }
    same_names(reply.turns.iter().map(|turn| turn.name.as_str()), brief)?;
    let mut seen = BTreeSet::new();
    for Planned { name, plan, explanation } in &reply.turns {
        let words = plan.split_whitespace().count();
        if words == 0 {
            return Err(format!("the plan of {name} is empty"));
        }
        if words > MAX_PLAN_WORDS {
            return Err(format!("the plan of {name} has {words} words, and 40 are enough"));
        }
        if explanation.trim().is_empty() {
            return Err(format!("the `explanation` of {name} is empty"));
        }
        if !seen.insert(plan.trim().to_lowercase()) {
            return Err(format!("{name} repeats an earlier turn"));
        }
    }
    talk.purpose = reply.purpose.trim().to_owned();
    for (turn, planned) in talk.turns.iter_mut().zip(reply.turns) {
        turn.plan = planned.plan.trim().to_owned();
        turn.explanation = planned.explanation.trim().to_owned();
    }
    Ok(())
}

#[derive(Deserialize)]
struct PlanCheck {
    wrong: Vec<WrongTurn>,
}

#[derive(Deserialize)]
struct WrongTurn {
    turn: String,
    why: String,
}

/// A checker's reply to a plan: `None`, or what is wrong.
pub(super) fn read_check(reply: &str) -> Result<Option<String>, String> {
    let PlanCheck { wrong } = object(reply)?;
    let said: Vec<String> =
        wrong.into_iter().map(|wrong| format!("{}: {}", wrong.turn, wrong.why)).collect();
    Ok((!said.is_empty()).then(|| said.join("; ")))
}

#[derive(Deserialize)]
struct DialogueReply {
    turns: Vec<DraftedMessage>,
}

#[derive(Deserialize)]
struct DraftedMessage {
    name: String,
    user: String,
    assistant: String,
}

/// Stores a writer's reply in the dialogue, or returns what is wrong with it.
pub(super) fn take_dialogue(
    reply: &str,
    brief: &DialogueBrief,
    talk: &mut ReleasedDialogue,
) -> Result<(), String> {
    let DialogueReply { turns } = object(reply)?;
    same_names(turns.iter().map(|turn| turn.name.as_str()), brief)?;
    let mut seen = BTreeSet::new();
    for DraftedMessage { name, user, assistant } in &turns {
        for (who, text) in [("user", user), ("assistant", assistant)] {
            if text.trim().is_empty() {
                return Err(format!("the {who} says nothing in {name}"));
            }
            if text.chars().count() > MAX_MESSAGE_CHARACTERS {
                return Err(format!(
                    "the {who} says more than {MAX_MESSAGE_CHARACTERS} letters in {name}"
                ));
            }
        }
        if user.trim() == assistant.trim() {
            return Err(format!("the assistant repeats the user in {name}"));
        }
        if !seen.insert(user.trim().to_lowercase()) {
            return Err(format!("the user says in {name} what was said before, word by word"));
        }
        if let Some(named) = brief.turns.iter().find(|turn| mentions_name(user, &turn.name)) {
            return Err(format!("the user says `{}` in {name}, a name of the plan", named.name));
        }
    }
    for (turn, said) in talk.turns.iter_mut().zip(turns) {
        turn.ask = said.user.trim().to_owned();
        turn.answer = said.assistant.trim().to_owned();
    }
    Ok(())
}

/// Whether a text contains a name of the plan, such as `c2`. Ordinary words do not count.
fn mentions_name(text: &str, name: &str) -> bool {
    let coded = name.chars().any(|letter| letter.is_ascii_digit() || letter == '_');
    let of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    coded && text.split(|letter| !of_name(letter)).any(|word| word == name)
}

#[derive(Deserialize)]
struct QuestionsReply {
    questions: Vec<ClassifiedQuestion>,
}

#[derive(Deserialize)]
struct ClassifiedQuestion {
    #[serde(rename = "type")]
    kind: String,
    question: String,
    /// Why the question is of that type.
    #[serde(default)]
    explanation: String,
}

/// Parses the extractor's questions about one message, or returns what is wrong with them.
pub(super) fn take_questions(
    reply: &str,
    brief: &DialogueBrief,
    ask: &str,
) -> Result<Vec<ReleaseQuestion>, String> {
    let QuestionsReply { questions } = object(reply)?;
    if questions.is_empty() {
        return Err("there is no question, but every message has an instruction".to_owned());
    }
    let mut checks: Vec<ReleaseQuestion> = Vec::new();
    for ClassifiedQuestion { kind, question, explanation } in questions {
        let question = question.trim().to_owned();
        if !brief.kinds.iter().any(|known| known.name == kind) {
            return Err(format!("there is no type `{kind}`"));
        }
        if explanation.trim().is_empty() {
            return Err(format!("the `explanation` of this is empty: {question}"));
        }
        if !question.ends_with('?') {
            return Err(format!("this is not a question: {question}"));
        }
        if checks.iter().any(|known| known.question.eq_ignore_ascii_case(&question)) {
            return Err(format!("duplicate question: {question}"));
        }
        if let Some(foreign) = foreign(&question, ask) {
            return Err(format!("the message does not say {foreign}, as this does: {question}"));
        }
        checks.push(ReleaseQuestion { kind, question, explanation: explanation.trim().to_owned() });
    }
    Ok(checks)
}

/// A number or quoted text of a question that does not occur in the message.
fn foreign(question: &str, ask: &str) -> Option<String> {
    let said = ask.to_lowercase();
    let digits = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|letter: char| !letter.is_ascii_digit());
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let known = digits(ask);
    let number = digits(question).into_iter().find(|number| !known.contains(number));
    number.or_else(|| {
        let quoted = question.split('"').skip(1).step_by(2);
        quoted
            .filter(|text| !text.is_empty())
            .find(|text| !said.contains(&text.to_lowercase()))
            .map(|text| format!("\"{text}\""))
    })
}

fn same_names<'n>(
    given: impl Iterator<Item = &'n str>,
    brief: &DialogueBrief,
) -> Result<(), String> {
    let given: Vec<&str> = given.collect();
    let wanted: Vec<&str> = brief.turns.iter().map(|turn| turn.name.as_str()).collect();
    if given == wanted {
        return Ok(());
    }
    Err(format!("its turns are {}, and they have to be {}", given.join(", "), wanted.join(", ")))
}
