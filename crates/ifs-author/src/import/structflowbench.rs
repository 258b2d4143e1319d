//! StructFlowBench's files: dialogues with their flows and questions, optionally with a model's
//! responses and a judge's verdicts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{FieldReader, kind};
use super::{Defect, DefectKind, ImportError, JudgedOutcome, Judgement};
use crate::release::{ReleaseQuestion, ReleaseRelation, ReleaseTurn, ReleasedDialogue};

/// The types of questions in the data, and in the scenario. The last five are relations.
const QUESTION_TYPES: [(&str, &str); 13] = [
    ("Inverse Constraint", "inverse"),
    ("Keyword/Element Constraint", "keyword"),
    ("Style Constraint", "style"),
    ("Situation Constraint", "situation"),
    ("Basic Format Constraint", "basic_format"),
    ("Quantity Format Constraint", "quantity"),
    ("Template Format Constraint", "template"),
    ("Content Constraint", "content"),
    ("follow-up", "follow_up"),
    ("refinement", "refinement"),
    ("expansion", "expansion"),
    ("summary", "summary"),
    ("recall", "recall"),
];

/// The type of a question without a declared type.
const OTHER_TYPE: &str = "other";

/// The relation that has no question.
const UNRELATED_RELATION: (&str, &str) = ("unrelatedness", "unrelated");

const TASK_NAMES: [&str; 8] = [
    "Fact-based Q&A",
    "Open-ended Questions",
    "Professional Writing",
    "Practical Writing",
    "Creative Writing",
    "Casual Chat",
    "Task-oriented Role-playing",
    "mix",
];

/// The meaning of the numbers in `user_type`.
const USER_TYPES: [&str; 2] = ["novice", "expert"];

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedFile {
    pub talks: Vec<ReleasedDialogue>,
    /// The responses and verdicts for each dialogue and each of its turns, if there are any.
    pub judged: Vec<Vec<JudgedOutcome>>,
    pub defects: Vec<Defect>,
}

impl PublishedFile {
    /// Whether every record became a dialogue.
    pub fn is_whole(&self) -> bool {
        self.defects.iter().all(|defect| defect.kind != DefectKind::Unusable)
    }

    /// Reports the turns that lack a model's response or a judgement.
    pub fn note_unjudged(&mut self) {
        for (talk, judged) in self.talks.iter().zip(&self.judged) {
            for (turn, judged) in talk.turns.iter().zip(judged) {
                let mut reader = FieldReader {
                    record: &talk.name,
                    turn: Some(turn.name.clone()),
                    defects: &mut self.defects,
                };
                if judged.response.is_none() {
                    reader.note(DefectKind::MissingField, "`response` is missing");
                }
                let none = |judgement: &&Judgement| matches!(judgement, Judgement::None(_));
                let unjudged = judged.judgements.iter().filter(none).count();
                if unjudged > 0 {
                    let all = turn.checks.len();
                    reader.note(DefectKind::NotJudged, format!("{unjudged} of {all} questions"));
                }
            }
        }
    }
}

/// Reads a file of dialogues, judged or not.
pub fn read(bytes: &[u8]) -> Result<PublishedFile, ImportError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ImportError::Empty);
    }
    let whole: Value = serde_json::from_slice(bytes).map_err(|error| match error.is_eof() {
        true => ImportError::BreaksOff(error),
        false => ImportError::NoJson(error),
    })?;
    let Value::Array(records) = whole else {
        return Err(ImportError::NoList { found: kind(&whole) });
    };
    if records.is_empty() {
        return Err(ImportError::NoDialogues);
    }
    let mut published = PublishedFile::default();
    let mut seen: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for (record, number) in records.iter().zip(1..) {
        let name = format!("d{number:03}");
        let mut reader = FieldReader { record: &name, turn: None, defects: &mut published.defects };
        let Some((talk, judged)) = read_dialogue(record, &mut reader) else { continue };
        let asked: Vec<String> = talk.turns.iter().map(|turn| turn.ask.clone()).collect();
        match seen.get(&asked) {
            Some(first) => reader.note(
                DefectKind::RepeatedDialogue,
                format!("asks the same as `{first}`, turn by turn"),
            ),
            None => _ = seen.insert(asked, name.clone()),
        }
        published.talks.push(talk);
        published.judged.push(judged);
    }
    Ok(published)
}

fn read_dialogue(
    record: &Value,
    reader: &mut FieldReader<'_>,
) -> Option<(ReleasedDialogue, Vec<JudgedOutcome>)> {
    if !record.is_object() {
        reader.note(DefectKind::Unusable, format!("it is {}, and not an object", kind(record)));
        return None;
    }
    let turns = match record.get("whole_conv") {
        Some(Value::Array(turns)) if !turns.is_empty() => turns,
        Some(Value::Array(_)) => {
            reader.note(DefectKind::Unusable, "`whole_conv` has no turns");
            return None;
        }
        Some(other) => {
            let why =
                other.as_object().and_then(|object| object.values().next()).map(Value::to_string);
            let why = why.map(|why| format!(" ({})", cut(&why))).unwrap_or_default();
            let what = format!("`whole_conv` is {}{why}, and not a list of turns", kind(other));
            reader.note(DefectKind::Unusable, what);
            return None;
        }
        None => {
            reader.note(DefectKind::Unusable, "`whole_conv` is missing");
            return None;
        }
    };
    let whole_task = reader.text(record, "conv_task");
    let (task, about) = whole_task.split_once(':').unwrap_or((&whole_task, ""));
    if !TASK_NAMES.contains(&task) && !task.is_empty() {
        reader.note(DefectKind::UnknownTask, format!("`{}`", cut(task)));
    }
    let plans = plans(record, reader);
    let (mut read, mut all_judged) = (Vec::new(), Vec::new());
    for (given, number) in turns.iter().zip(1..) {
        reader.turn = Some(format!("c{number}"));
        let turn = turn(given, number, &plans, reader);
        reader.turn = None;
        let (turn, judged) = turn?;
        read.push(turn);
        all_judged.push(judged);
    }
    let written = repeated(&mut read, reader);
    edges(record, &mut read, &written, reader);
    let talk = ReleasedDialogue {
        name: reader.record.to_owned(),
        task: task.to_owned(),
        about: about.trim().to_owned(),
        topic: reader.text(record, "conv_topic"),
        user: user(record, reader),
        purpose: reader.text(record, "conv_purpose"),
        turns: read,
    };
    Some((talk, all_judged))
}

fn user(record: &Value, reader: &mut FieldReader<'_>) -> String {
    let number = record.get("user_type").and_then(Value::as_u64);
    let known = number.and_then(|number| USER_TYPES.get(usize::try_from(number).ok()?));
    if known.is_none() {
        let found = record.get("user_type").map_or_else(|| "missing".to_owned(), Value::to_string);
        reader.note(DefectKind::UnknownUser, format!("`user_type` is {}", cut(&found)));
    }
    known.copied().unwrap_or("unknown").to_owned()
}

/// The plan of each turn, and how it fits its relations, by the turn's name.
fn plans(record: &Value, reader: &mut FieldReader<'_>) -> BTreeMap<String, (String, String)> {
    let mut plans = BTreeMap::new();
    for plan in reader.list(record, "summarized prompts") {
        let field = |name: &str| plan.get(name).and_then(Value::as_str).map(str::to_owned);
        match field("name").zip(field("description")) {
            Some((name, description)) => {
                let explanation = field("explanation").unwrap_or_default();
                plans.insert(name, (description, explanation));
            }
            None => reader.note(
                DefectKind::MissingField,
                "a summarized prompt lacks its `name` or `description`",
            ),
        }
    }
    plans
}

/// A turn; `None` if its user message is empty.
fn turn(
    given: &Value,
    number: usize,
    plans: &BTreeMap<String, (String, String)>,
    reader: &mut FieldReader<'_>,
) -> Option<(ReleaseTurn, JudgedOutcome)> {
    let name = match given.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => {
            reader.note(DefectKind::MissingField, "the turn has no `name`: it goes by its place");
            format!("c{number}")
        }
    };
    reader.turn = Some(name.clone());
    let ask = reader.text(given, "user prompt");
    if ask.is_empty() {
        reader.note(DefectKind::Unusable, "the user says nothing");
        return None;
    }
    let mut checks = Vec::new();
    for check in reader.list(given, "constraints") {
        let written = reader.text(check, "type");
        let kind =
            QUESTION_TYPES.iter().find(|(known, _)| *known == written).map(|(_, kind)| *kind);
        if kind.is_none() {
            reader.note(DefectKind::UnknownType, format!("`{}` has no weight", cut(&written)));
        }
        let question = reader.text(check, "content");
        let explanation = check.get("explanation").and_then(Value::as_str).unwrap_or_default();
        let (kind, explanation) = (kind.unwrap_or(OTHER_TYPE).to_owned(), explanation.to_owned());
        checks.push(ReleaseQuestion { kind, question, explanation });
    }
    let response = given.get("response").and_then(Value::as_str).map(str::to_owned);
    let judged = JudgedOutcome { response, judgements: judgements(given, checks.len(), reader) };
    let answer = reader.text(given, "assistant answer");
    let (plan, explanation) = plans.get(&name).cloned().unwrap_or_default();
    let relations = Vec::new();
    Some((ReleaseTurn { name, plan, explanation, ask, answer, relations, checks }, judged))
}

/// The judge's replies to the checks, in order. Anything except `Yes` is a miss, as in the released
/// scores; a missing reply is not.
fn judgements(given: &Value, checks: usize, reader: &mut FieldReader<'_>) -> Vec<Judgement> {
    let Some(results) = given.get("judge result") else {
        return vec![Judgement::None("`judge result` is missing".to_owned()); checks];
    };
    let Value::Array(results) = results else {
        let why = format!("the judge's reply is {}: {}", kind(results), cut(&results.to_string()));
        return vec![Judgement::None(why); checks];
    };
    if results.len() > checks {
        let what =
            format!("{} judgements on {checks} questions: the last are dropped", results.len());
        reader.note(DefectKind::OddJudgement, what);
    }
    let one = |at: usize, reader: &mut FieldReader<'_>| {
        let Some(result) = results.get(at) else {
            return Judgement::None("the judge's list is shorter than the checklist".to_owned());
        };
        let reason = result.get("reason").and_then(Value::as_str).map(str::to_owned);
        match result.get("judgement").and_then(Value::as_str) {
            Some("Yes") => Judgement::Yes,
            Some("No") => Judgement::No(reason.unwrap_or_else(|| "the judge said No".to_owned())),
            Some(other) => {
                let what = format!("`{}` on question {} counts as `No`", cut(other), at + 1);
                reader.note(DefectKind::OddJudgement, what);
                Judgement::No(format!("the judge said `{}`", cut(other)))
            }
            None => Judgement::None("the judgement is missing".to_owned()),
        }
    };
    (0..checks).map(|at| one(at, reader)).collect()
}

/// A turn with a duplicate name is renamed after its position. Returns the written names.
fn repeated(turns: &mut [ReleaseTurn], reader: &mut FieldReader<'_>) -> Vec<String> {
    let written: Vec<String> = turns.iter().map(|turn| turn.name.clone()).collect();
    for at in 0..turns.len() {
        let Some(first) = written[..at].iter().position(|name| *name == written[at]) else {
            continue;
        };
        let words = match turns[first].ask == turns[at].ask {
            true => "the same words",
            false => "other words",
        };
        let place = format!("c{}", at + 1);
        let name = match turns.iter().any(|turn| turn.name == place) {
            true => format!("{place} ({})", written[at]),
            false => place,
        };
        reader.turn = Some(written[at].clone());
        let what = format!(
            "turn {} of the dialogue is named like turn {}, with {words}; it is called {name} here",
            at + 1,
            first + 1
        );
        reader.note(DefectKind::RepeatedTurn, what);
        turns[at].name = name;
    }
    reader.turn = None;
    written
}

/// The relations of the structure, each with the later turn. Relations without a target are left
/// out.
fn edges(
    record: &Value,
    turns: &mut [ReleaseTurn],
    written: &[String],
    reader: &mut FieldReader<'_>,
) {
    let place = |turns: &[ReleaseTurn], name: &str| turns.iter().position(|turn| turn.name == name);
    for edge in reader.list(record, "structure") {
        let (sources, targets) = (reader.texts(edge, "source"), reader.texts(edge, "target"));
        let word = reader.text(edge, "relation");
        let known = QUESTION_TYPES[8..]
            .iter()
            .chain([&UNRELATED_RELATION])
            .find(|(known, _)| *known == word);
        let Some((_, kind)) = known else {
            reader.note(DefectKind::UnknownRelation, format!("`{}`", cut(&word)));
            continue;
        };
        let shown = format!("{} {word} {}", targets.join(", "), sources.join(", "));
        let missing: Vec<&str> = sources
            .iter()
            .chain(&targets)
            .map(String::as_str)
            .filter(|name| !written.iter().any(|known| known == name))
            .collect();
        let is_there = sources.iter().chain(&targets).all(|name| place(turns, name).is_some());
        if !missing.is_empty() {
            let taken = if is_there { "; turns go by their place" } else { "" };
            let what = format!("`{shown}`: there is no {}{taken}", missing.join(" and no "));
            reader.note(DefectKind::DanglingEdge, what);
        }
        for target in targets.iter().filter(|_| is_there) {
            let Some(at) = place(turns, target) else { continue };
            if sources.iter().any(|source| place(turns, source).is_none_or(|from| from >= at)) {
                reader.note(DefectKind::BackwardEdge, format!("`{shown}`"));
            } else {
                turns[at]
                    .relations
                    .push(ReleaseRelation { kind: (*kind).to_owned(), to: sources.clone() });
            }
        }
    }
    questions_of(turns, reader);
}

/// Relations without a question, and questions without a relation.
fn questions_of(turns: &[ReleaseTurn], reader: &mut FieldReader<'_>) {
    for turn in turns {
        reader.turn = Some(turn.name.clone());
        let has = |kind: &str| turn.relations.iter().any(|edge| edge.kind == kind);
        for (word, kind) in &QUESTION_TYPES[8..] {
            let asked = turn.checks.iter().any(|check| check.kind == *kind);
            match (has(kind), asked) {
                (true, false) => reader.note(DefectKind::UnaskedRelation, format!("`{word}`")),
                (false, true) => reader.note(DefectKind::UnfoundedQuestion, format!("`{word}`")),
                _ => {}
            }
        }
    }
    reader.turn = None;
}

/// Shortens a text to the space in a message.
fn cut(text: &str) -> String {
    const MAX_EXCERPT_CHARACTERS: usize = 60;
    match text.char_indices().nth(MAX_EXCERPT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
