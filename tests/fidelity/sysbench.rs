//! SysBench's CSR, ISR and SSR from the rows of its judge, by the metrics of `std.metrics`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ifs::model::check;
use ifs::model::table::OwnMetric;
use ifs::score::{
    CriterionKind, DecisionMethod, Ending, Outcome, ScoreOptions, ScoredConstraint, ScoredDialogue,
    ScoredTurn, score,
};
use ifs::world::MemoryWorld;
use serde_json::Value as Json;

use crate::Row;
use crate::official::{Tally, records};

const SCENARIO: &str = "ifs 1
use std.metrics.*
dialogue d {
  turn { ask \"A\" require r contains(\"a\") }
  report SSR, followed, usable
}
";

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let Ok(text) = std::fs::read_to_string(data.join("sysbench/scores.json")) else {
        return Vec::new();
    };
    let scores: BTreeMap<String, BTreeMap<String, Json>> = serde_json::from_str(&text).unwrap();
    let checked = check(&MemoryWorld::new([("main.ifs", SCENARIO)]), "main.ifs");
    let metrics = checked.model.unwrap().dialogues[0].own_metrics.clone();
    let mut tally = Tally::new("SysBench's CSR, ISR and SSR");
    for (model, histories) in &scores {
        for (history, published) in histories {
            let file = format!("sysbench/verdicts/{model}.{history}.jsonl.gz");
            let Some(rows) = records::<Json>(data, &file) else { continue };
            let run = Run { metrics: &metrics, rows: &rows };
            let mut same = |what: &str, ours: f64, official: &Json| {
                let agrees = official.as_f64().is_some_and(|it| (it - ours).abs() < 1e-9);
                let says = || format!("{model}.{history} {what}: {ours}, not {official}");
                tally.compare(agrees, says);
            };
            let wanted = &published["recomputed"];
            for (kind, official) in wanted["csr"].as_object().unwrap() {
                let ours = run.score("followed", |row| kind == "total" || row["type"] == **kind);
                same(&format!("CSR {kind}"), ours, official);
            }
            for (of, official) in wanted["isr"].as_object().unwrap() {
                let ours = run.score("usable", |row| of == "total" || row["alignment"] == **of);
                same(&format!("ISR {of}"), ours, official);
            }
            for (of, official) in wanted["ssr"].as_object().unwrap() {
                let ours = run.score("SSR", |row| of == "total" || row["relation"] == **of);
                same(&format!("SSR {of}"), ours, official.get("ssr").unwrap_or(official));
            }
        }
    }
    vec![tally.row()]
}

struct Run<'a> {
    metrics: &'a [OwnMetric],
    rows: &'a [Json],
}

impl Run<'_> {
    /// A metric over the rows for which a condition holds.
    fn score(&self, metric: &str, keeps: impl Fn(&Json) -> bool) -> f64 {
        let mut turns: BTreeMap<(u64, u64), Vec<Arc<ScoredConstraint>>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| keeps(row)) {
            let place = (row["dialogue"].as_u64().unwrap(), row["turn"].as_u64().unwrap());
            turns.entry(place).or_default().push(Arc::new(criterion(row)));
        }
        let mut dialogues: BTreeMap<u64, ScoredDialogue> = BTreeMap::new();
        for ((index, turn), constraints) in turns {
            let dialogue = dialogues.entry(index).or_insert_with(|| ScoredDialogue {
                dialogue: "d".to_owned(),
                index,
                seed: 1,
                turns: Vec::new(),
                ending: Ending::Script,
                slice: None,
                reacts: false,
                text: None,
            });
            let turn = ScoredTurn { turn: turn as u32, constraints, ..ScoredTurn::default() };
            dialogue.turns.push(turn);
        }
        let dialogues: Vec<ScoredDialogue> = dialogues.into_values().collect();
        let metrics: Vec<OwnMetric> =
            self.metrics.iter().filter(|own| own.name == metric).cloned().collect();
        let card =
            score(&dialogues, &ScoreOptions { distinct: true, metrics, ..ScoreOptions::default() });
        card.metric(metric).unwrap().number().unwrap()
    }
}

fn criterion(row: &Json) -> ScoredConstraint {
    let outcome = match row["verdict"].as_str().unwrap() {
        "yes" => Outcome::Held,
        "no" => Outcome::Missed,
        // A word that is neither counts as not followed, and does not make a turn unusable.
        _ => Outcome::Unjudged,
    };
    ScoredConstraint {
        constraint: "criterion".to_owned(),
        group: "requirement".to_owned(),
        outcome,
        loose: false,
        age: 0,
        by: DecisionMethod::Judge,
        why: None,
        weight: None,
        kind: Some(CriterionKind::Requirement),
        tags: Vec::new(),
        points: None,
        mark: None,
    }
}
