//! The library's released readings against the official checkers, answer by answer: IFEval's
//! instructions and the nine rule groups of EvolIF.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ifs::model::check;
use ifs::model::table::{By, Model};
use ifs::predicate::evaluate::{Scene, holds};
use ifs::predicate::value::Value;
use ifs::text::Text;
use ifs::world::FolderWorld;
use serde_json::{Value as Json, json};

use crate::Row;

pub(crate) fn compare(data: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    if let Some(row) = ifeval(data) {
        rows.push(row);
    }
    if let Some(row) = evolif(data) {
        rows.push(row);
    }
    rows
}

fn ifeval(data: &Path) -> Option<Row> {
    let model = module("ifeval");
    let mut tally = Tally::new("std.ifeval", "what asks for a language is left out");
    for verdicts in files(&data.join("ifeval/verdicts"))? {
        let answers = answers(&data.join("ifeval/responses").join(verdicts.file_name()?));
        for row in lines(&verdicts) {
            let name = row["instruction_id"].as_str()?.replace(':', ".");
            // Which language a text is in cannot be told yet.
            let language = name.starts_with("language.") || name.contains(".english_");
            if row["stable"] == false || language {
                continue;
            }
            let mut args: BTreeMap<String, Value> = BTreeMap::new();
            for (key, value) in
                row["kwargs"].as_object()?.iter().filter(|(_, value)| !value.is_null())
            {
                let key = if key == "letter" { "the_letter" } else { key };
                args.insert(key.to_owned(), serde_json::from_value(value.clone()).ok()?);
            }
            let answer = &answers[row["response_id"].as_str()?];
            let ours = !answer.trim().is_empty() && verdict(&model, &name, &args, answer)?;
            tally.count(ours, row["strict"] == true, &name, answer);
        }
    }
    Some(tally.row)
}

fn evolif(data: &Path) -> Option<Row> {
    let model = module("evolif_as_released");
    let mut texts = answers(&data.join("ifeval/edge_cases.jsonl"));
    texts.extend(answers(&data.join("ifeval/responses/gpt4_20231107.jsonl.gz")));
    let verdicts = data.join("evolif/verdicts.jsonl.gz");
    if !verdicts.is_file() {
        return None;
    }
    let mut tally = Tally::new("std.evolif_as_released", "");
    for row in lines(&verdicts) {
        let (name, args) = evolif_constraint(row["id"].as_str()?, &row["args"])?;
        let args: BTreeMap<String, Value> = serde_json::from_value(args).ok()?;
        let answer = &texts[row["response_id"].as_str()?];
        let ours = verdict(&model, &name, &args, answer)?;
        tally.count(ours, row["verdict"] == true, &name, answer);
    }
    Some(tally.row)
}

/// A constraint of EvolIF as the library has it.
fn evolif_constraint(id: &str, args: &Json) -> Option<(String, Json)> {
    let mode = args["mode"].as_str().unwrap_or("");
    let value = &args["value"];
    Some(match id {
        "startwith" | "endwith" => {
            let edge = if id == "startwith" { "first" } else { "last" };
            let (name, args) = match mode {
                "letter" => ("letter", json!({ "c": value })),
                "emoji" => ("emoji", json!({ "mark": value })),
                "keyword" => ("keyword", json!({ "term": value })),
                _ => {
                    let pair = json!({ "left": args["left"], "right": args["right"] });
                    ("pair", json!({ "pair": pair }))
                }
            };
            (format!("{id}.{name}_{edge}"), args)
        }
        "format" => (format!("format.{mode}"), json!({})),
        "countableItems" => ("countable_items.bullets".to_owned(), json!({ "n": args["num"] })),
        "length" => {
            let unit = match mode {
                "word" => "words",
                "paragraph" => "paragraphs",
                "sentence" => "sentences",
                _ => "characters",
            };
            let relation = match args["relation"].as_str()? {
                "less_than" => "under",
                "more_than" => "over",
                _ => "exactly",
            };
            (format!("length.{unit}_{relation}"), json!({ "n": args["number"] }))
        }
        "existence" => {
            let words = args.get("keywords").unwrap_or(args).as_object()?;
            let want = |(word, times): (&String, &Json)| json!({ "value": word, "times": times });
            let wants: Vec<Json> = words.iter().map(want).collect();
            ("existence.required".to_owned(), json!({ "wants": wants }))
        }
        "forbidden" => {
            let words = args.as_array().or_else(|| args.as_object()?.values().next()?.as_array());
            ("forbidden.words".to_owned(), json!({ "terms": words? }))
        }
        "case" if mode == "min_upper" => {
            let n = args.get("min").unwrap_or(value);
            ("case.share_of_capitals".to_owned(), json!({ "n": n }))
        }
        "case" => (format!("case.{mode}"), json!({})),
        "punctuation" => {
            let name = mode.trim_start_matches("must_").trim_start_matches("not_");
            let name = if mode.contains("not") { "exclude" } else { name };
            let mark = args.get("value").or_else(|| args.get("punctuation"))?;
            (format!("punctuation.{name}"), json!({ "mark": mark }))
        }
        _ => return None,
    })
}

/// What the library says, by the released reading where there are two.
fn verdict(
    model: &Model,
    name: &str,
    args: &BTreeMap<String, Value>,
    answer: &str,
) -> Option<bool> {
    let constraint = |name: &str| {
        model.groups.iter().flat_map(|group| &group.constraints).find(|one| one.name == name)
    };
    let released = format!("{name}_as_released");
    let By::Rule(check) = &constraint(&released).or_else(|| constraint(name))?.by else {
        return None;
    };
    Some(holds(check, &Scene { it: &Text::new(answer), variables: args }))
}

struct Tally {
    row: Row,
}

impl Tally {
    fn new(suite: &str, note: &str) -> Tally {
        let row = Row { suite: suite.to_owned(), compared: 0, agreeing: 0, note: note.to_owned() };
        Tally { row }
    }

    fn count(&mut self, ours: bool, official: bool, name: &str, answer: &str) {
        if ours == official {
            self.row.agreeing += 1;
        } else if self.row.agreeing == self.row.compared {
            let start: String = answer.chars().take(80).collect();
            self.row.note = format!("{name} says {ours} of {start:?}");
        }
        self.row.compared += 1;
    }
}

fn module(name: &str) -> Model {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/std");
    let world = FolderWorld::new(&folder).unwrap();
    check(&world, &format!("{name}.ifs")).model.unwrap()
}

fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    found.sort();
    Some(found)
}

/// Texts by their name.
fn answers(path: &Path) -> BTreeMap<String, String> {
    let text = |row: &Json, names: [&str; 2]| {
        let found = names.iter().find_map(|name| row[*name].as_str());
        found.unwrap_or("").to_owned()
    };
    let rows = lines(path).into_iter();
    rows.map(|row| (text(&row, ["response_id", "text_id"]), text(&row, ["response", "text"])))
        .collect()
}

fn lines(path: &Path) -> Vec<Json> {
    let Ok(file) = std::fs::File::open(path) else { return Vec::new() };
    let mut text = String::new();
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::GzDecoder::new(file).read_to_string(&mut text)
    } else {
        std::io::BufReader::new(file).read_to_string(&mut text)
    };
    read.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
