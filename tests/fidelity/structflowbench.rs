//! StructFlowBench's judged files against its published scores, with the commands of a user: `ifs
//! import structflowbench FILE --judged`, then `ifs score`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::Row;

/// The official name of each score, and ours.
const SCORES: [(&str, &str); 4] = [
    ("CSR", "CSR_as_released"),
    ("ISR", "ISR_as_released"),
    ("WCSR", "WCSR_as_released"),
    ("DRFR", "DRFR"),
];

/// The official name of each type of question, and ours.
const TYPES: [(&str, &str); 13] = [
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

/// The paper's tables for the models whose judged files are available: the relations and scores of
/// table 2, the types of table 5, the tasks of table 6. A cell in which the release differs from
/// the paper is `NAN`.
struct Paper {
    model: &'static str,
    relations: [f64; 5],
    scores: [f64; 4],
    types: [f64; 8],
    tasks: [f64; 8],
}

const RELATIONS: [&str; 5] = ["follow_up", "refinement", "expansion", "summary", "recall"];
const PAPER_SCORES: [&str; 4] = ["CSR_as_released", "ISR_as_released", "WCSR_as_released", "DRFR"];
const TASKS: [&str; 8] = [
    "Fact-based Q&A",
    "Open-ended Questions",
    "Professional Writing",
    "Practical Writing",
    "Creative Writing",
    "Casual Chat",
    "Task-oriented Role-playing",
    "mix",
];

const PAPER: [Paper; 3] = [
    Paper {
        model: "deepseek_v3",
        relations: [0.99, 0.8, 0.92, 1.0, 1.0],
        scores: [f64::NAN, 0.93, 0.96, 0.98],
        types: [1.0, 1.0, 1.0, 1.0, 0.99, 1.0, 0.99, 1.0],
        tasks: [0.93, 0.96, 0.99, 0.96, 0.97, 0.98, 0.95, 0.97],
    },
    Paper {
        model: "gpt4o",
        relations: [f64::NAN, 0.78, 0.88, 0.97, 0.91],
        scores: [f64::NAN, 0.9, 0.95, f64::NAN],
        types: [1.0, 1.0, 1.0, 1.0, 0.99, 0.98, 0.99, 1.0],
        tasks: [0.92, 0.96, 0.96, 0.95, 0.97, 0.94, 0.92, 0.98],
    },
    Paper {
        model: "mistral_7b_instruct_v0_3",
        relations: [0.97, 0.59, 0.87, 0.71, 0.97],
        scores: [f64::NAN, f64::NAN, 0.76, f64::NAN],
        types: [0.88, 0.82, 0.84, 0.9, 0.65, 0.59, 0.56, 0.8],
        tasks: [0.71, 0.82, 0.72, 0.76, 0.75, 0.73, 0.79, 0.78],
    },
];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let folder = data.join("structflowbench");
    let mut names: Vec<String> = fs::read_dir(folder.join("score"))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    if names.is_empty() {
        eprintln!("SKIPPED: structflowbench, no official scores");
    }
    names.iter().map(|name| model(&folder, name)).collect()
}

fn model(folder: &Path, name: &str) -> Row {
    let suite = format!("StructFlowBench scores of {name}");
    let read = |path: PathBuf| -> Result<Json, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    };
    let found = read(folder.join(format!("score/{name}.json"))).and_then(|official| {
        let ours = scored(&folder.join(format!("evaluation/{name}.json.gz")), name)?;
        let mut pairs = pairs(&official, &ours);
        pairs.extend(of_paper(name, &ours));
        Ok(pairs)
    });
    match found {
        Err(error) => Row { suite, compared: 1, agreeing: 0, note: error },
        Ok(pairs) => {
            let wrong = pairs.iter().find(|(_, official, ours)| official != ours);
            Row {
                suite,
                compared: pairs.len(),
                agreeing: pairs.iter().filter(|(_, official, ours)| official == ours).count(),
                note: wrong.map_or_else(String::new, |(what, official, ours)| {
                    format!("{what}: {official:?} there, {ours:?} here")
                }),
            }
        }
    }
}

/// The output of `ifs score --format json` for a judged file.
fn scored(file: &Path, name: &str) -> Result<Json, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let out = folder.path().join(name);
    ifs(&["import", "structflowbench", "--judged", "--out"], &[&out, file])?;
    let text = ifs(&["score", "--format", "json"], &[&out])?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn ifs(words: &[&str], paths: &[&Path]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ifs"));
    let output = command.args(words).args(paths).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Rounds like the released program: half to even, of a hundred times the number.
fn rounded(number: &Json) -> Option<f64> {
    Some((number.as_f64()? * 100.0).round_ties_even() / 100.0)
}

/// Compares the cells of the paper's tables with ours. Table 6 has the released WCSR of each task.
fn of_paper(model: &str, ours: &Json) -> Pairs {
    let Some(paper) = PAPER.iter().find(|paper| paper.model == model) else { return Vec::new() };
    let value = |list: &Json, name: &str, field: &str| -> Option<f64> {
        let row = list.as_array()?.iter().find(|row| row["name"] == name)?;
        rounded(&row[field])
    };
    let types = &ours["breakdown"]["by_constraint"];
    let kinds = TYPES.iter().map(|(_, here)| *here).zip(paper.types);
    let kinds = RELATIONS.into_iter().zip(paper.relations).chain(kinds);
    let kinds = kinds.map(|(name, cell)| (name, cell, value(types, name, "rate")));
    let scores = PAPER_SCORES.into_iter().zip(paper.scores);
    let scores = scores.map(|(name, cell)| (name, cell, value(&ours["metrics"], name, "value")));
    let tasks = TASKS.into_iter().zip(paper.tasks).map(|(name, cell)| {
        let slices = ours["slices"].as_array().into_iter().flatten();
        let slice = slices.clone().find(|slice| slice["name"] == name);
        let score = slice.and_then(|slice| value(&slice["metrics"], "WCSR_as_released", "value"));
        (name, cell, score)
    });
    let all = kinds.chain(scores).chain(tasks).filter(|(_, cell, _)| !cell.is_nan());
    all.map(|(name, cell, ours)| (format!("the paper's {name}"), Some(cell), ours)).collect()
}

/// The name, the official number and ours.
type Pairs = Vec<(String, Option<f64>, Option<f64>)>;

fn pairs(official: &Json, ours: &Json) -> Pairs {
    let by_name = |list: &Json, field: &str| -> BTreeMap<String, Option<f64>> {
        let rows = list.as_array().into_iter().flatten();
        rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), rounded(&row[field]))))
            .collect()
    };
    let mut pairs: Pairs = Vec::new();
    let mut put = |what: String, there: &Json, here: Option<Option<f64>>| {
        pairs.push((what, there.as_f64(), here.flatten()));
    };
    let metrics = by_name(&ours["metrics"], "value");
    for (there, here) in SCORES {
        put(there.to_owned(), &official["overall"][there], metrics.get(here).copied());
    }
    let types = by_name(&ours["breakdown"]["by_constraint"], "rate");
    for (there, here) in TYPES {
        put(there.to_owned(), &official["overall"][there], types.get(here).copied());
    }
    for (task, scores) in official["tasks"].as_object().into_iter().flatten() {
        let mut slices = ours["slices"].as_array().into_iter().flatten();
        let slice = slices.find(|slice| slice["name"] == task.as_str());
        let metrics = slice.map(|slice| by_name(&slice["metrics"], "value")).unwrap_or_default();
        for (there, here) in SCORES {
            put(format!("{task}, {there}"), &scores[there], metrics.get(here).copied());
        }
    }
    pairs
}
