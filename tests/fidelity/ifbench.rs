//! IFBench's instructions as on the main branch, strict and loose, and the training constraints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ifs::grade::{Catalogue, Grader, RowReading};
use serde_json::{Map, Value as Json, json};

use crate::Row;
use crate::official::{Tally, records};

/// Instructions that need a model or a dictionary.
const LEFT_OUT: [(&str, &str); 2] =
    [("words:start_verb", "a tagger"), ("words:odd_even_syllables", "a dictionary of syllables")];

/// Blank responses, which follow no instruction in the released evaluation.
const BLANK: [&str; 4] = ["", " \n\t", "\u{a0}\u{2003}", "\u{1c}"];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let files = ["ifbench/sample_outputs.jsonl.gz", "ifbench/made.jsonl.gz"];
    let read = |file: &str| -> Vec<Json> { records(data, file).unwrap_or_default() };
    let rows: Vec<Json> = files.iter().flat_map(|file| read(file)).collect();
    let training = read("ifbench/training_constraints.jsonl.gz");
    if rows.is_empty() || training.is_empty() {
        return Vec::new();
    }
    let catalogue = Catalogue::new([]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: RowReading::Both,
        brief: true,
        raw_text: true,
    };
    // With the released ids, which are aliases in the library.
    let grade = |row: &Json, answer: &Json| {
        let asked = json!({
            "answer": answer, "instruction_id_list": [row["instruction_id"]],
            "kwargs": [row["kwargs"]],
        });
        let (_, graded) = grader.line(asked.to_string().as_bytes());
        graded.unwrap_or_else(|error| panic!("{asked}: {error:?}"))
    };
    let mut strict = Tally::new("IFBench's instructions, strict");
    let mut loose = Tally::new("IFBench's instructions, loose");
    let mut trained = Tally::new("IFBench's training constraints");
    let mut blank = Tally::new("IFBench's instructions and training constraints, blank responses");
    // Whether the intended rule, in `std.ifbench`, gives the released verdict.
    let mended = |id: &str, row: &Json| {
        let args: Map<String, Json> = row["kwargs"]
            .as_object()?
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let name = format!("std.ifbench.{}", id.replace(':', "."));
        let asked = json!({ "answer": row["response"], "constraint": name, "args": args });
        let (_, graded) = grader.line(asked.to_string().as_bytes());
        Some(graded.ok()?.strict == row["strict"].as_bool())
    };
    let mut measured: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let all = rows.iter().map(|row| (row, false)).chain(training.iter().map(|row| (row, true)));
    for (row, is_training) in all {
        let id = row["instruction_id"].as_str().unwrap();
        if LEFT_OUT.iter().any(|(left_out, _)| *left_out == id) {
            strict.leave_out();
            loose.leave_out();
            continue;
        }
        if seen.insert(id) {
            for text in BLANK {
                let graded = grade(row, &json!(text));
                let fails = graded.strict == Some(false) && graded.loose == Some(false);
                blank.compare(fails, || format!("{id} follows {text:?}"));
            }
        }
        let graded = grade(row, &row["response"]);
        let compare = |tally: &mut Tally, ours: Option<bool>, official: &Json| {
            let same = ours == official.as_bool();
            tally.compare(same, || format!("{id} says {ours:?} of {}", row["id"]));
        };
        if is_training {
            compare(&mut trained, graded.strict, &row["verdict"]);
        } else {
            if let Some(same) = mended(id, row) {
                let (all, agreeing) = measured.entry(id).or_default();
                (*all, *agreeing) = (*all + 1, *agreeing + usize::from(same));
            }
            compare(&mut strict, graded.strict, &row["strict"]);
            compare(&mut loose, graded.loose, &row["loose"]);
        }
    }
    let (all, agreeing) =
        measured.values().fold((0, 0), |sum, (all, same)| (sum.0 + all, sum.1 + same));
    eprintln!("IFBench, mended: {agreeing} of {all} strict verdicts are the released ones");
    for (id, (all, same)) in measured.iter().filter(|(_, (all, same))| all != same) {
        eprintln!("  {id}: {same} of {all}");
    }
    [strict, loose, trained, blank].into_iter().map(Tally::row).collect()
}
