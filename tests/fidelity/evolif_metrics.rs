//! EvolIF's released scoring program on evaluation logs, for every patience that it was run with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ifs::score::{
    DecisionMethod, Ending, Outcome, ScoreOptions, ScoreValue, ScoredConstraint, ScoredDialogue,
    ScoredTurn, TurnOutcome, score,
};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::Row;

/// The official name of each number, and ours.
const NAMES: &[(&str, &str)] = &[
    ("EDR_len", "EDR_len"),
    ("EDR_acc", "EDR_acc"),
    ("EDR_succ", "EDR_succ"),
    ("EDR_lss", "EDR_lss"),
    ("CSR", "CSR"),
    ("ISR", "ISR"),
    ("ROB", "ROB"),
    ("REC", "REC_as_released"),
];

const TOLERANCE: f64 = 1e-12;

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let folder = data.join("evolif/metrics");
    let scores = folder.join("official_scores.json");
    if !scores.is_file() {
        eprintln!("SKIPPED: evolif metrics, no official_scores.json");
        return Vec::new();
    }
    let official = fs::read_to_string(&scores)
        .map_err(|error| error.to_string())
        .and_then(|text| parse::<BTreeMap<String, BTreeMap<String, Json>>>(&text));
    match official {
        Ok(official) => {
            let mut rows: Vec<Row> = official
                .iter()
                .map(|(name, numbers)| numbers_row(&folder, name, numbers))
                .collect();
            rows.extend(turn_rows(&folder, &official));
            rows
        }
        Err(error) => vec![unreadable("evolif metrics".to_owned(), error)],
    }
}

/// One folder at one patience: `folder/P2`.
fn numbers_row(folder: &Path, name: &str, official: &BTreeMap<String, Json>) -> Row {
    let suite = format!("evolif metrics {name}");
    let loaded = name
        .rsplit_once("/P")
        .and_then(|(logs, patience)| Some((logs, patience.parse().ok()?)))
        .ok_or_else(|| "not named after a folder and a patience".to_owned())
        .and_then(|(logs, patience)| Ok((dialogues(&folder.join(logs))?, patience)));
    let (logs, patience) = match loaded {
        Ok(loaded) => loaded,
        Err(error) => return unreadable(suite, error),
    };
    let card = score(
        &logs.dialogues,
        &ScoreOptions { patience: Some(patience), ..ScoreOptions::default() },
    );

    let mut row = Row { suite, compared: 1, agreeing: 0, note: String::new() };
    if official.get("dialogues").and_then(Json::as_u64) == Some(card.totals.dialogues) {
        row.agreeing += 1;
    }
    for (theirs, ours) in NAMES {
        row.compared += 1;
        let expected = official.get(*theirs).unwrap_or(&Json::Null);
        match card.metric(ours).map(|measured| &measured.value) {
            Some(value) if agrees(expected, value) => {
                row.agreeing += 1;
                if let ScoreValue::Undefined { why } = value {
                    row.note = format!("{ours}: {why}");
                }
            }
            value => row.note = format!("{ours}: official {expected}, here {value:?}"),
        }
    }
    row
}

fn agrees(official: &Json, ours: &ScoreValue) -> bool {
    match (official, ours) {
        (Json::Number(number), ScoreValue::Number(ours)) => {
            number.as_f64().is_some_and(|number| (number - ours).abs() <= TOLERANCE)
        }
        (Json::String(name), ScoreValue::Undefined { why }) => {
            why.starts_with(name.trim_start_matches('-'))
        }
        _ => false,
    }
}

/// Whether each turn of each log succeeded, and the patience left after it.
fn turn_rows(folder: &Path, official: &BTreeMap<String, BTreeMap<String, Json>>) -> Vec<Row> {
    let mut folders: Vec<&str> =
        official.keys().filter_map(|name| Some(name.rsplit_once('/')?.0)).collect();
    folders.sort_unstable();
    folders.dedup();
    folders
        .into_iter()
        .map(|name| {
            let suite = format!("evolif turns {name}");
            match dialogues(&folder.join(name)) {
                Ok(logs) => turn_row(suite, &logs),
                Err(error) => unreadable(suite, error),
            }
        })
        .collect()
}

fn turn_row(suite: String, logs: &Logs) -> Row {
    let mut row = Row { suite, compared: 0, agreeing: 0, note: String::new() };
    for (dialogue, official) in logs.dialogues.iter().zip(&logs.successes) {
        for (turn, success) in dialogue.turns.iter().zip(official) {
            row.compared += 1;
            if (turn.verdict() == TurnOutcome::Success) == *success {
                row.agreeing += 1;
            } else {
                row.note = format!("{} turn {}", dialogue.dialogue, turn.turn);
            }
        }
    }
    row
}

fn unreadable(suite: String, note: String) -> Row {
    Row { suite, compared: 1, agreeing: 0, note }
}

struct Logs {
    dialogues: Vec<ScoredDialogue>,
    /// The outcomes of each turn in each log.
    successes: Vec<Vec<bool>>,
}

#[derive(Deserialize)]
struct Line {
    turn: u32,
    active_topic: Option<Json>,
    eval: Eval,
    remaining_patience: Option<i64>,
}

#[derive(Deserialize)]
struct Eval {
    overall_ok: Json,
    details: BTreeMap<String, Json>,
    #[serde(default)]
    sub_details: BTreeMap<String, Json>,
}

fn dialogues(folder: &Path) -> Result<Logs, String> {
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix("eval_").and_then(|rest| rest.strip_suffix(".jsonl"));
        if let Some(index) = number.and_then(|number| number.parse().ok()) {
            files.push((index, path));
        }
    }
    files.sort();

    let mut logs = Logs { dialogues: Vec::new(), successes: Vec::new() };
    for (index, path) in files {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let lines = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(parse::<Line>)
            .collect::<Result<Vec<_>, _>>()?;
        let spent = lines.last().is_some_and(|line| line.remaining_patience == Some(0));
        logs.successes.push(lines.iter().map(|line| truth(&line.eval.overall_ok)).collect());
        logs.dialogues.push(ScoredDialogue {
            dialogue: format!("eval_{index}"),
            index,
            seed: 0,
            turns: lines.into_iter().map(turn).collect(),
            ending: if spent { Ending::Patience } else { Ending::Script },
            slice: None,
            reacts: false,
            text: None,
        });
    }
    Ok(logs)
}

fn turn(line: Line) -> ScoredTurn {
    let judged = line.eval.sub_details;
    let constraint = |(name, held): (String, Json)| ScoredConstraint {
        loose: false,
        group: name.split(['.', ':']).next().unwrap_or_default().to_owned(),
        outcome: if truth(&held) { Outcome::Held } else { Outcome::Missed },
        age: 0,
        by: if judged.contains_key(&name) { DecisionMethod::Judge } else { DecisionMethod::Rule },
        why: None,
        mark: None,
        weight: None,
        constraint: name,
        kind: None,
        tags: Vec::new(),
        points: None,
    };
    ScoredTurn {
        turn: line.turn,
        topic: line.active_topic.map(|topic| topic.to_string()),
        transition: None,
        constraints: line.eval.details.into_iter().map(constraint).map(Into::into).collect(),
        ..ScoredTurn::default()
    }
}

/// The logs write true both as `true` and as `1`.
fn truth(value: &Json) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_f64().is_some_and(|number| number != 0.0))
}

fn parse<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
