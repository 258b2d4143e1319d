//! Right and wrong answers to messages of our own banks, in the forms that people and models use. The rules of the turn
//! decide; what only a judge decides is not here.
//!
//! A row of `own_answers/` has the dialogue, the message, answers that are `right`, answers that are `wrong`, and those
//! that the rules still `misread`.

use std::collections::BTreeMap;
use std::path::Path;

use ifs::judge::{Exchange, VerdictRecord, evaluate_constraints};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::FolderWorld;
use serde_json::Value as Json;

/// More dialogues than any of the banks has records.
const DIALOGUES: u64 = 90;

fn plan(folder: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(folder);
    let checked = check(&FolderWorld::new(&path).unwrap(), &format!("{folder}.ifs"));
    build(checked.model.expect("a scenario without mistakes"))
}

/// The turns of the first dialogues by their messages.
fn turns_by_message(plan: &Plan, dialogue: &str) -> BTreeMap<String, ScriptTurn> {
    let drawer = Drawer::new(plan, dialogue).unwrap();
    let turns = (0..DIALOGUES).flat_map(|index| drawer.script(Seed(1), index).map(Result::unwrap));
    turns.map(|turn| (turn.ask.clone(), turn)).collect()
}

/// Whether the rules of a turn accept an answer.
fn is_accepted(plan: &Plan, dialogue: &str, turn: &ScriptTurn, answer: &str) -> bool {
    let exchange = Exchange { dialogue, turn, answer, note: None, replies: &[], extracted: &[] };
    let is_missed = |verdict: &VerdictRecord| verdict.outcome.is_missed();
    !evaluate_constraints(plan, &exchange, &[]).iter().any(is_missed)
}

fn answers_are_read(folder: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/suite/own_answers")
        .join(folder)
        .with_extension("jsonl");
    let rows = std::fs::read_to_string(&path).unwrap();
    let plan = plan(folder);
    let mut turns: BTreeMap<String, BTreeMap<String, ScriptTurn>> = BTreeMap::new();
    let mut mistaken = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in rows.lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let (dialogue, ask) = (row["dialogue"].as_str().unwrap(), row["ask"].as_str().unwrap());
        let drawn =
            turns.entry(dialogue.to_owned()).or_insert_with(|| turns_by_message(&plan, dialogue));
        let turn = drawn.get(ask).unwrap_or_else(|| panic!("{folder}: no message {ask}"));
        for kind in ["right", "wrong", "misread"] {
            for answer in row[kind].as_array().into_iter().flatten().filter_map(Json::as_str) {
                *counts.entry(kind).or_default() += 1;
                let accepted = is_accepted(&plan, dialogue, turn, answer);
                if kind != "misread" && accepted != (kind == "right") {
                    mistaken.push(format!("{kind}: {answer}\n    to: {ask}"));
                }
            }
        }
    }
    assert!(mistaken.is_empty(), "{}", mistaken.join("\n"));
    assert!(counts["right"] >= 20 && counts["wrong"] >= 20, "{counts:?}");
}

#[test]
fn multichallenge() {
    answers_are_read("multichallenge");
}

#[test]
fn ifbench() {
    answers_are_read("ifbench");
}

#[test]
fn sysbench() {
    answers_are_read("sysbench");
}

#[test]
fn hierarchy() {
    answers_are_read("hierarchy");
}

#[test]
fn multi_if() {
    answers_are_read("multi_if");
}

#[test]
fn support() {
    answers_are_read("support");
}
