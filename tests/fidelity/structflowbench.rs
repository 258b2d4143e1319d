//! StructFlowBench's judged files against its published scores, through the command that a user
//! gives: `ifs import structflowbench FILE --judged`, then `ifs score`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use crate::Row;

/// The official name of a score and ours.
const SCORES: [(&str, &str); 4] = [
    ("CSR", "CSR_as_released"),
    ("ISR", "ISR_as_released"),
    ("WCSR", "WCSR_as_released"),
    ("DRFR", "DRFR"),
];

/// The official name of a type of question and ours.
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
        Ok(pairs(&official, &ours))
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

/// What `ifs score --format json` prints of a judged file.
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

/// As the released program rounds: half to even, of a hundred times the number.
fn rounded(number: &Json) -> Option<f64> {
    Some((number.as_f64()? * 100.0).round_ties_even() / 100.0)
}

/// What is compared, the official number and ours.
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
