//! Answers that a person accepts or rejects, for rules of the library: right ones in other typography,
//! layout and wrapping, wrong ones that evade, pad or hide. Verdicts of the plain readings are a person's.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use ifs::grade::{Catalogue, Grader, RowReading};
use ifs::model::check;
use ifs::world::FolderWorld;
use serde_json::Value as Json;

/// With the readings of Multi-IF, which count words and sentences of other scripts.
static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let world = FolderWorld::new(Path::new("scenarios/multi_if")).unwrap();
    let checked = check(&world, "readings.ifs");
    let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics.list));
    Catalogue::new([model])
});

/// `None` if the answer leaves open whether it is right.
fn strict(line: &str) -> (Option<bool>, String) {
    let grader = Grader {
        catalogue: &CATALOGUE,
        prompts: None,
        reading: RowReading::Strict,
        brief: false,
        raw_text: false,
    };
    let graded = grader.line(line.as_bytes()).1.unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let why = graded.constraints.into_iter().find_map(|grade| grade.why);
    (graded.strict, why.unwrap_or_default())
}

fn check_rows(name: &str) {
    let path = Path::new("tests/suite/readings").join(name).with_extension("jsonl");
    let rows = fs::read_to_string(&path).unwrap();
    let mut counts = BTreeMap::new();
    let mut mistaken = Vec::new();
    for line in rows.lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let (found, why) = strict(line);
        let is_as_wanted = match row["id"].as_str() {
            Some("right") => found == Some(true),
            Some("wrong") => found != Some(true),
            Some("open") => found.is_none(),
            _ => panic!("{line}"),
        };
        *counts.entry(row["id"].to_string()).or_insert(0) += 1;
        if !is_as_wanted {
            mistaken.push(format!("{line}\n    is {found:?}: {why}"));
        }
    }
    assert!(mistaken.is_empty(), "{}", mistaken.join("\n"));
    let enough = |kind: &str| counts.get(kind).is_some_and(|count| *count >= 20);
    assert!(enough("\"right\"") && enough("\"wrong\""), "{counts:?}");
}

#[test]
fn answers_to_instructions_of_ifeval() {
    check_rows("ifeval");
}

#[test]
fn answers_to_instructions_of_multi_if() {
    check_rows("multi_if");
}

#[test]
fn answers_to_instructions_of_ifbench() {
    check_rows("ifbench");
}

#[test]
fn answers_to_instructions_of_evolif() {
    check_rows("evolif");
}

#[test]
fn answers_to_instructions_of_meeseeks() {
    check_rows("meeseeks");
}

#[test]
fn answers_to_german_instructions() {
    check_rows("german");
}
