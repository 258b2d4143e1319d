//! IFBench's instructions as the main branch reads them, strict and loose.

use std::path::Path;

use ifs::grade::{Catalogue, Grader, Reading};
use serde_json::{Value as Json, json};

use crate::Row;
use crate::official::{Tally, records};

/// Instructions that ask for a model or a dictionary of their own.
const LEFT_OUT: [(&str, &str); 2] =
    [("words:start_verb", "a tagger"), ("words:odd_even_syllables", "a dictionary of syllables")];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let catalogue = Catalogue::new([]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: Reading::Both,
        brief: true,
        raw_text: true,
    };
    let mut tallies =
        [Tally::new("IFBench's instructions, strict"), Tally::new("IFBench's instructions, loose")];
    let files = ["ifbench/sample_outputs.jsonl.gz", "ifbench/made.jsonl.gz"];
    let files: Vec<Vec<Json>> = files.iter().filter_map(|file| records(data, file)).collect();
    if files.is_empty() {
        return Vec::new();
    }
    for row in files.into_iter().flatten() {
        let id = row["instruction_id"].as_str().unwrap();
        if LEFT_OUT.iter().any(|(left_out, _)| *left_out == id) {
            tallies.iter_mut().for_each(Tally::leave_out);
            continue;
        }
        // As the release writes it: its ids are aliases in the library.
        let asked = json!({
            "answer": row["response"], "instruction_id_list": [id], "kwargs": [row["kwargs"]],
        });
        let (_, graded) = grader.line(asked.to_string().as_bytes());
        let graded = graded.unwrap_or_else(|error| panic!("{asked}: {error:?}"));
        for (tally, (ours, official)) in
            tallies.iter_mut().zip([(graded.strict, &row["strict"]), (graded.loose, &row["loose"])])
        {
            let same = ours == official.as_bool();
            tally.compare(same, || format!("{id} says {ours:?} of {}", row["id"]));
        }
    }
    tallies.into_iter().map(Tally::row).collect()
}
