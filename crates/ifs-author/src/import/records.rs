//! Published data with a record for each dialogue: Multi-IF, IFBench, SysBench, MultiChallenge and
//! sharded instructions.
//! The shipped scenario of each reads them; the importer writes it next to its bank.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Defect, DefectKind, ImportError, MAIN, drawn};
use ifs_model::LIBRARY;
use ifs_text::part_reasoning;

/// Whose data they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSource {
    MultiIf,
    Ifbench,
    Sysbench,
    Multichallenge,
    Sharded,
}

/// The files of a release, with what is wrong with the data.
#[derive(Debug, Default)]
pub struct ImportedRelease {
    pub files: BTreeMap<&'static str, String>,
    /// The number of dialogues that are converted, and of records in the data.
    pub dialogues: usize,
    pub records: usize,
    pub defects: Vec<Defect>,
}

const TALKS_BANK: &str = "banks/talks.jsonl";
const PROMPTS_BANK: &str = "banks/prompts.jsonl";
const TRAINING_BANK: &str = "banks/training.jsonl";
const TWO_TURNS_BANK: &str = "banks/two_turns.jsonl";
const TASKS_BANK: &str = "banks/tasks.jsonl";

/// The bank of a record, and the record in the form of the scenario.
type RecordInBank = Result<(&'static str, Map<String, Value>), String>;

impl DataSource {
    /// The dialogue over the records of a bank.
    fn dialogue(self, bank: &str) -> &'static str {
        match self {
            DataSource::MultiIf => "accumulated",
            DataSource::Ifbench => match bank {
                TRAINING_BANK => "trained",
                TWO_TURNS_BANK => "rewritten",
                _ => "single",
            },
            DataSource::Sysbench => "talk",
            DataSource::Multichallenge => "last_turn",
            DataSource::Sharded => "sharded",
        }
    }

    /// A release of all records of the data. Sharded instructions have several dialogues for each of
    /// them, which differ in what is drawn, so that their number may be raised.
    fn release(self, banks: &BTreeMap<&'static str, Vec<(String, String)>>) -> String {
        let counts = banks.iter().map(|(bank, records)| {
            let dialogue = self.dialogue(bank);
            match (self, records.len()) {
                (DataSource::Sharded, 1) => format!("  1 dialogue of {dialogue}\n"),
                (DataSource::Sharded, count) => format!("  {count} dialogues of {dialogue}\n"),
                _ => format!("  every record of {dialogue}\n"),
            }
        });
        format!("\n/// All records of the data.\nrelease {{\n{}}}\n", counts.collect::<String>())
    }
}

/// Reads JSON lines, a JSON list, or CSV with a row of names. A record whose dialogue cannot be drawn is
/// a defect, like one that cannot be read.
///
/// # Errors
/// Returns an error for a file without records, and for data that the scenario cannot be checked with.
pub fn read(source: DataSource, bytes: &[u8]) -> Result<ImportedRelease, ImportError> {
    let text = String::from_utf8_lossy(bytes);
    let mut release = ImportedRelease::default();
    // The key and the line of each record.
    let mut banks: BTreeMap<&'static str, Vec<(String, String)>> = BTreeMap::new();
    for (number, row) in (1..).zip(rows(&text)?) {
        let own = ["key", "system_id", "QUESTION_ID", "task_id", "id", "name"];
        let key = own.iter().find_map(|name| named(row.get(*name)?));
        let key = key.unwrap_or_else(|| format!("d{number:03}"));
        let read = match source {
            DataSource::MultiIf => multi_if(&row),
            DataSource::Ifbench => ifbench(&row),
            DataSource::Sysbench => sysbench(&row),
            DataSource::Multichallenge => multichallenge(&row),
            DataSource::Sharded => sharded(&row),
        };
        release.records += 1;
        match read {
            Ok((bank, mut record)) => {
                record.insert("name".to_owned(), json!(key));
                let line = Value::Object(record).to_string() + "\n";
                banks.entry(bank).or_default().push((key, line));
            }
            Err(what) => release.defects.push(unusable(key, what)),
        }
    }
    let shipped: &[(&str, &str)] = match source {
        DataSource::MultiIf => &[
            (MAIN, include_str!("../../../../scenarios/multi_if/multi_if.ifs")),
            ("readings.ifs", include_str!("../../../../scenarios/multi_if/readings.ifs")),
        ],
        // Of the three banks, one is the data's.
        DataSource::Ifbench => &[
            (MAIN, include_str!("../../../../scenarios/ifbench/ifbench.ifs")),
            (PROMPTS_BANK, include_str!("../../../../scenarios/ifbench/banks/prompts.jsonl")),
            (TRAINING_BANK, include_str!("../../../../scenarios/ifbench/banks/training.jsonl")),
            (TWO_TURNS_BANK, include_str!("../../../../scenarios/ifbench/banks/two_turns.jsonl")),
        ],
        DataSource::Sysbench => {
            &[(MAIN, include_str!("../../../../scenarios/sysbench/sysbench.ifs"))]
        }
        DataSource::Multichallenge => {
            &[(MAIN, include_str!("../../../../scenarios/multichallenge/multichallenge.ifs"))]
        }
        DataSource::Sharded => &[(MAIN, include_str!("../../../../scenarios/sharded/sharded.ifs"))],
    };
    release.files = shipped.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    if banks.is_empty() {
        return Ok(release);
    }
    let bank_text =
        |records: &[(String, String)]| records.iter().map(|(_, line)| line.as_str()).collect();
    let texts = banks.iter().map(|(bank, records)| (*bank, bank_text(records)));
    release.files.extend(texts);
    let plan = drawn::checked(&drawn::world(&release.files), false)?;
    for (bank, records) in &mut banks {
        let mut undrawable =
            drawn::undrawable(&plan, source.dialogue(bank))?.into_iter().peekable();
        let mut kept = Vec::with_capacity(records.len());
        for (at, (key, line)) in std::mem::take(records).into_iter().enumerate() {
            match undrawable.next_if(|(wrong, _)| *wrong == at) {
                Some((_, what)) => release.defects.push(unusable(key, what)),
                None => kept.push((key, line)),
            }
        }
        *records = kept;
        let text = match records.as_slice() {
            // Of several banks, the scenario needs those that the data have nothing for.
            [] => shipped.iter().find(|(name, _)| name == bank).map(|(_, text)| (*text).to_owned()),
            records => Some(bank_text(records)),
        };
        release.files.insert(bank, text.unwrap_or_default());
    }
    banks.retain(|_, records| !records.is_empty());
    release.dialogues = banks.values().map(Vec::len).sum();
    if release.dialogues > 0 {
        let main = release.files.entry(MAIN).or_default();
        *main += &source.release(&banks);
        drawn::checked(&drawn::world(&release.files), true)?;
    }
    Ok(release)
}

fn unusable(record: String, what: String) -> Defect {
    Defect { kind: DefectKind::Unusable, record, turn: None, what }
}

fn rows(text: &str) -> Result<Vec<Value>, ImportError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let rows = match text.chars().next() {
        None => return Err(ImportError::Empty),
        Some('[') => serde_json::from_str(text).map_err(|error| match error.is_eof() {
            true => ImportError::BreaksOff(error),
            false => ImportError::NoJson(error),
        })?,
        Some('{') => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let rows: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            rows.map_err(ImportError::NoJson)?
        }
        Some(_) => table(text),
    };
    if rows.is_empty() { Err(ImportError::NoDialogues) } else { Ok(rows) }
}

/// The rows of a CSV file; those that cannot be read are left to their missing fields.
fn table(text: &str) -> Vec<Value> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let Ok(names) = reader.headers().cloned() else { return Vec::new() };
    let row = |row: csv::StringRecord| {
        let fields = names.iter().zip(row.iter());
        Value::Object(fields.map(|(name, cell)| (name.to_owned(), json!(cell))).collect())
    };
    reader.into_records().map_while(Result::ok).map(row).collect()
}

/// A name from a text or a number.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A value that may be written as JSON in a text.
fn opened(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
        }
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

fn text(row: &Value, field: &str) -> Result<String, String> {
    let text = row.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("`{field}` is not a text"))
}

/// The ids of a row and their arguments, without those that are null.
fn instructions(row: &Value, ids: &str, kwargs: &str) -> Result<(Value, Value), String> {
    let names = opened(row.get(ids));
    let given = opened(row.get(kwargs));
    let (Some(names), Some(given)) = (names.as_array(), given.as_array()) else {
        return Err(format!("`{ids}` and `{kwargs}` are not lists"));
    };
    if names.len() != given.len() || !names.iter().all(Value::is_string) {
        return Err(format!("{} names in `{ids}`, {} in `{kwargs}`", names.len(), given.len()));
    }
    let some = |given: &Value| match opened(Some(given)) {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect())
        }
        _ => json!({}),
    };
    Ok((json!(names), Value::Array(given.iter().map(some).collect())))
}

/// Messages of a role and a content, and nothing else.
fn messages(value: Option<&Value>) -> Result<Vec<(String, String)>, String> {
    let value = opened(value);
    let list = value.as_array().ok_or("the messages are not a list")?;
    let message = |message: &Value| {
        let (role, content) = (text(message, "role")?, text(message, "content")?);
        // A recorded response may begin with reasoning, which no model is shown again.
        match part_reasoning(&content).filter(|_| role == "assistant") {
            Some((_, said)) => Ok((role, said.to_owned())),
            None => Ok((role, content)),
        }
    };
    list.iter().map(message).collect()
}

/// Messages that end with the user's, in the form of the bank.
fn open_talk(talk: Vec<(String, String)>) -> Result<Value, String> {
    if talk.last().is_none_or(|(role, _)| role != "user") {
        return Err("the messages do not end with the user's".to_owned());
    }
    let of = |(role, content)| json!({ "role": role, "content": content });
    Ok(Value::Array(talk.into_iter().map(of).collect()))
}

fn record<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn multi_if(row: &Value) -> RecordInBank {
    let mut turns = Vec::new();
    for turn in 1.. {
        let prompt = match opened(row.get(format!("turn_{turn}_prompt"))) {
            Value::Object(message) => text(&Value::Object(message), "content")?,
            Value::String(prompt) if !["", "None"].contains(&prompt.trim()) => prompt,
            _ => break,
        };
        let ids = format!("turn_{turn}_instruction_id_list");
        let (ids, kwargs) = instructions(row, &ids, &format!("turn_{turn}_kwargs"))?;
        turns.push(json!({ "prompt": prompt, "ids": ids, "kwargs": kwargs }));
    }
    if turns.is_empty() {
        return Err("there is no `turn_1_prompt`".to_owned());
    }
    let language = json!(text(row, "language")?);
    Ok((TALKS_BANK, record([("language", language), ("turns", json!(turns))])))
}

fn ifbench(row: &Value) -> RecordInBank {
    let (ids, kwargs) = instructions(row, "instruction_id_list", "kwargs")?;
    if row.get("messages").is_some() {
        let talk = open_talk(messages(row.get("messages"))?)?;
        return Ok((
            TWO_TURNS_BANK,
            record([("messages", talk), ("ids", ids), ("kwargs", kwargs)]),
        ));
    }
    let module = LIBRARY.iter().find(|(name, _)| *name == "ifbench_training_as_released");
    let module = module.map_or("", |(_, text)| text);
    let names = ids.as_array().into_iter().flatten().filter_map(Value::as_str);
    let trains = names.into_iter().any(|name| module.contains(&format!("alias \"{name}\"")));
    let prompt = json!(text(row, "prompt")?);
    let bank = if trains { TRAINING_BANK } else { PROMPTS_BANK };
    Ok((bank, record([("prompt", prompt), ("ids", ids), ("kwargs", kwargs)])))
}

/// The six types of criteria by the names that the release and its tables use.
const CRITERION_TYPES: [(&str, [&str; 3]); 6] = [
    ("action", ["action", "动作约束", "动作"]),
    ("content", ["content", "内容约束", "内容"]),
    ("background", ["background", "背景约束", "背景"]),
    ("role", ["role", "角色约束", "角色"]),
    ("format", ["format", "格式约束", "格式"]),
    ("style", ["style", "风格约束", "风格"]),
];

fn sysbench(row: &Value) -> RecordInBank {
    let all = messages(row.get("messages"))?;
    let talk: Vec<&(String, String)> = all.iter().filter(|(role, _)| role != "system").collect();
    let infos = row.get("prompt_infos").ok_or("there is no `prompt_infos`")?;
    let mut turns = Vec::new();
    for (at, pair) in talk.chunks(2).enumerate() {
        let [(user, ask), (assistant, answer)] = pair else {
            return Err("the messages do not alternate".to_owned());
        };
        if user != "user" || assistant != "assistant" {
            return Err("the messages do not alternate".to_owned());
        }
        let info = infos.get(ask).or_else(|| infos.get(at)).ok_or("a turn has no criteria")?;
        let criteria: Vec<&Value> = match info.get("criteria") {
            Some(Value::Object(by_number)) => by_number.values().collect(),
            Some(Value::Array(list)) => list.iter().collect(),
            _ => return Err("a turn has no criteria".to_owned()),
        };
        let criterion = |of: &&Value| {
            let written = text(of, "criteria_type")?;
            let kind = CRITERION_TYPES.iter().find(|(_, names)| names.contains(&written.trim()));
            let (kind, _) = kind.ok_or_else(|| format!("`{written}` is not a type of criteria"))?;
            Ok(json!({ "kind": kind, "question": text(of, "criteria_content")? }))
        };
        let criteria: Result<Vec<Value>, String> = criteria.iter().map(criterion).collect();
        let alignment = match text(info, "alignment")?.as_str() {
            "align" | "aligned" => "aligned",
            _ => "misaligned",
        };
        turns.push(json!({
            "ask": ask, "answer": answer, "alignment": alignment, "criteria": criteria?,
        }));
    }
    let relation = match row.get("rounds_related") {
        Some(Value::Bool(true)) => "dependent",
        _ => "parallel",
    };
    let system = json!(text(row, "system_prompt")?);
    let relation = ("relation", json!(relation));
    Ok((TALKS_BANK, record([("system", system), relation, ("turns", json!(turns))])))
}

fn multichallenge(row: &Value) -> RecordInBank {
    let talk = open_talk(messages(row.get("CONVERSATION"))?)?;
    let axis = text(row, "AXIS")?.replace('_', " ").to_lowercase();
    let want = text(row, "PASS_CRITERIA")?.trim().to_lowercase();
    if !["yes", "no"].contains(&want.as_str()) {
        return Err(format!("`PASS_CRITERIA` is `{want}`, not yes or no"));
    }
    let question = json!(text(row, "TARGET_QUESTION")?);
    let (axis, want) = (json!(axis), json!(want));
    let fields = [("messages", talk), ("axis", axis), ("question", question), ("want", want)];
    Ok((TALKS_BANK, record(fields)))
}

/// The arithmetic problems among sharded instructions, whose answer is a number after `####`. The answers
/// to the other tasks are checked by programs, databases and metrics.
fn sharded(row: &Value) -> RecordInBank {
    let task = text(row, "task")?;
    if task != "math" {
        return Err(format!("no rule checks the answers of the task `{task}`"));
    }
    let shards = row.get("shards").and_then(Value::as_array).ok_or("`shards` is not a list")?;
    let shard = |shard: &Value| {
        let words = text(shard, "shard").or_else(|_| text(shard, "shard_text"))?;
        Ok(json!({ "text": words, "keys": [] }))
    };
    let shards: Result<Vec<Value>, String> = shards.iter().map(shard).collect();
    let shards = shards?;
    if shards.is_empty() {
        return Err("there are no shards".to_owned());
    }
    let solution = text(row, "answer")?;
    let answer = solution.rsplit("####").next().unwrap_or_default().trim().replace(',', "");
    if answer.parse::<f64>().is_err() {
        return Err(format!("the answer `{answer}` is not a number"));
    }
    let (kind, shards, answer) = (json!(task), json!(shards), json!(answer));
    Ok((TASKS_BANK, record([("kind", kind), ("shards", shards), ("answer", answer)])))
}
