//! Multi-IF's verdicts, strict and loose, by `std.ifeval` and the readings of its scenario. Agreement
//! on Thai words, and of the corrected readings, is measured and printed.

use std::collections::BTreeMap;

use std::path::Path;

use ifs::grade::{Catalogue, Grader, RowReading};
use ifs::model::check;
use ifs::world::FolderWorld;
use serde_json::{Value as Json, json};

use crate::Row;
use crate::official::{Tally, records};

/// Thai words and sentences are cut by a dictionary and a model there.
const BY_DICTIONARY: [&str; 2] =
    ["length_constraints:number_sentences", "length_constraints:number_words"];

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let Some(rows) = records::<Json>(data, "multi_if/verdicts.jsonl.gz") else { return Vec::new() };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/multi_if");
    let readings = check(&FolderWorld::new(&folder).unwrap(), "readings.ifs").model.unwrap();
    let catalogue = Catalogue::new([readings]);
    let grader = Grader {
        catalogue: &catalogue,
        prompts: None,
        reading: RowReading::Both,
        brief: true,
        raw_text: true,
    };
    let mut strict = Tally::new("Multi-IF's instructions in 11 languages, strict");
    let mut loose = Tally::new("Multi-IF's instructions in 11 languages, loose");
    let mut measured: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut measure = |what, same: bool| {
        let (all, agreeing) = measured.entry(what).or_default();
        (*all, *agreeing) = (*all + 1, *agreeing + usize::from(same));
    };
    for row in &rows {
        let id = row["instruction_id"].as_str().unwrap();
        let dictionary = BY_DICTIONARY.contains(&id) && row["language"] == "th";
        let usable = row["stable"] != false && row["strict"] != "raises";
        if !usable || dictionary {
            strict.leave_out();
            loose.leave_out();
        }
        if !usable {
            continue;
        }
        let kwargs: serde_json::Map<_, _> = row["kwargs"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mended = match id {
            "length_constraints:number_words" => Some("multi_length.number_words"),
            "length_constraints:number_sentences" => Some("multi_length.number_sentences"),
            _ => None,
        };
        if let Some(name) = mended {
            let asked = json!({ "answer": row["response"], "constraint": name, "args": kwargs });
            let (_, graded) = grader.line(asked.to_string().as_bytes());
            let graded = graded.unwrap_or_else(|error| panic!("{asked}: {error:?}"));
            measure(name, graded.strict == row["strict"].as_bool());
        }
        let asked = json!({
            "answer": row["response"], "instruction_id_list": [id], "kwargs": [kwargs],
        });
        let (_, graded) = grader.line(asked.to_string().as_bytes());
        let graded = graded.unwrap_or_else(|error| panic!("{asked}: {error:?}"));
        if dictionary {
            let what = if id.ends_with("words") { "words in Thai" } else { "sentences in Thai" };
            measure(what, graded.strict == row["strict"].as_bool());
            measure(what, graded.loose == row["loose"].as_bool());
            continue;
        }
        let says = |ours| move || format!("{id} says {ours:?} of {}", row["id"]);
        strict.compare(graded.strict == row["strict"].as_bool(), says(graded.strict));
        loose.compare(graded.loose == row["loose"].as_bool(), says(graded.loose));
    }
    for (what, (all, agreeing)) in measured {
        eprintln!("Multi-IF, {what}: {agreeing} of {all} verdicts are the released ones");
    }
    vec![strict.row(), loose.row()]
}
