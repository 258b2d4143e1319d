//! Several runs in one table: values, ranks that are consistent with the tests, parts and first
//! dialogues, for responses with known scores.

use std::path::Path;

use serde_json::Value as Json;
use tempfile::TempDir;

use super::cli::ifs;

/// Sixteen dialogues of two kinds: words at even indexes are animals, the others plants.
const SCENARIO: &str = r#"ifs 1
import words "utterances.jsonl" { word: text, kind: text }
dialogue spell over words as one {
  report CSR, ISR by one.kind
  turn first {
    ask "Write the word {{ one.word }}."
    require there contains(word (one.word))
  }
  turn second {
    ask "Write {{ one.word }} again."
    require again contains(word (one.word))
  }
}
"#;

const DIALOGUES: usize = 16;

/// For each model, the dialogues in which both responses are wrong.
const MODELS: [(&str, &[usize]); 4] = [
    ("strong", &[]),
    ("middle", &[0, 1, 2, 3]),
    ("other", &[1, 3, 5, 7]),
    ("weak", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
];

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let kind = |index: usize| if index.is_multiple_of(2) { "animal" } else { "plant" };
    let word = |index: usize| format!("{{\"word\": \"w{index}x\", \"kind\": \"{}\"}}", kind(index));
    let words: Vec<String> = (0..DIALOGUES).map(word).collect();
    std::fs::write(at.join("utterances.jsonl"), words.join("\n")).unwrap();
    std::fs::write(at.join("a.ifs"), SCENARIO).unwrap();
    for (model, wrong) in MODELS {
        let answer = |index: usize| match wrong.contains(&index) {
            true => "I do not know.".to_owned(),
            false => format!("w{index}x"),
        };
        let rows: Vec<String> = (0..DIALOGUES)
            .flat_map(|index| (1..=2).map(move |turn| (index, turn)))
            .map(|(index, turn)| {
                serde_json::json!({
                    "dialogue": "spell", "index": index, "turn": turn, "answer": answer(index),
                })
                .to_string()
            })
            .collect();
        std::fs::write(at.join(format!("{model}.jsonl")), rows.join("\n")).unwrap();
        let model_file = format!("replay:{model}.jsonl");
        ifs(at, &["run", "a.ifs", "-m", &model_file, "-n", "16", "--out", model]).ends(0);
    }
    folder
}

fn json(at: &Path, more: &[&str]) -> Json {
    let args =
        [&["compare", "strong", "middle", "other", "weak", "--format", "json"], more].concat();
    serde_json::from_str(&ifs(at, &args).ends(0).out).unwrap()
}

fn number(value: &Json) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn runs_side_by_side() {
    let folder = folder();
    let at = folder.path();
    let found = json(at, &["--metric", "ISR"]);
    let isr = &found["metrics"][0];
    assert_eq!((&isr["metric"], found["metrics"].as_array().unwrap().len()), (&"ISR".into(), 1));
    let values: Vec<f64> =
        isr["values"].as_array().unwrap().iter().map(|it| number(&it["value"])).collect();
    assert_eq!(values, [1.0, 0.75, 0.75, 0.0]);
    // `middle` and `other` differ from one another on as many dialogues either way; from `strong`
    // on four of sixteen, of which the exact chance is 2/2⁴ = 0.125; only `weak` is surely last.
    let ranks: Vec<&Json> =
        isr["values"].as_array().unwrap().iter().map(|it| &it["rank"]).collect();
    assert_eq!(ranks, [&serde_json::json!([1, 3]), &[1, 3].into(), &[1, 3].into(), &[4, 4].into()]);
    let pairs = isr["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    let pair = |one: &str, other: &str| {
        let ends =
            |name: &Json, model: &str| name.as_str().unwrap().ends_with(&format!("{model}.jsonl"));
        pairs.iter().find(|it| ends(&it["one"], one) && ends(&it["other"], other)).unwrap()
    };
    let near = pair("strong", "middle");
    assert_eq!((number(&near["difference"]), &near["dialogues"]), (0.25, &16.into()));
    assert!((0.09..0.17).contains(&number(&near["p"])), "{near}");
    // Four of sixteen differ by 1: SE² = 16/15 · (12 · 0.25² + 4 · 0.75²) / 16².
    let error = (16.0_f64 / 15.0 * (12.0 * 0.0625 + 4.0 * 0.5625)).sqrt() / 16.0;
    assert!((number(&near["standard_error"]) - error).abs() < 1e-12, "{near}");
    assert_eq!(number(&pair("middle", "other")["p"]), 1.0);
    let far = pair("strong", "weak");
    assert!(number(&far["p"]) <= 2e-4 && number(&far["adjusted_p"]) < 0.002, "{far}");
    // Turn by turn: the first is better in four dialogues and never worse.
    let by_turn = &found["pairs"][0];
    assert_eq!(
        (&by_turn["wins"], &by_turn["ties"], &by_turn["losses"]),
        (&4.into(), &12.into(), &0.into())
    );
}

#[test]
fn a_run_that_lacks_dialogues_is_named() {
    let folder = folder();
    let at = folder.path();
    let model = "replay:middle.jsonl";
    ifs(at, &["run", "a.ifs", "-m", model, "-n", "12", "--out", "short"]).ends(0);
    let line = "lacks 4 dialogues that another run has (number 12 to 15): its scores are those of";
    let of = |runs: &[&str]| ifs(at, &[&["compare"], runs].concat()).ends(0).out;
    let joined = |text: &str| text.replace("\n  ", " ");
    let all = joined(&of(&["strong", "other", "short"]));
    assert_eq!((all.matches(line).count(), all.matches("lacks").count()), (1, 1), "{all}");
    let latex = of(&["strong", "short", "--format", "latex"]);
    assert!(latex.starts_with("% ") && latex.contains(line), "{latex}");
    let same = of(&["strong", "other", "weak"]);
    assert!(!same.contains("lacks"), "{same}");
}

#[test]
fn parts_and_first_dialogues() {
    let folder = folder();
    let at = folder.path();
    let found = json(at, &["--by", "slice", "--metric", "ISR"]);
    let names: Vec<&str> = found["parts"][0]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["animal", "plant", "all"]);
    let cells: Vec<Vec<f64>> = found["parts"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["cells"].as_array().unwrap().iter().map(number).collect())
        .collect();
    assert_eq!(cells, [[1.0, 1.0, 1.0], [0.75, 0.75, 0.75], [1.0, 0.5, 0.75], [0.0, 0.0, 0.0]]);
    // Of 1, 0.75, 1, 0 with 1, 0.75, 0.75, 0, by the formula.
    let (one, whole) = ([1.0, 0.75, 1.0, 0.0], [1.0, 0.75, 0.75, 0.0]);
    let wanted = pearson(&one, &whole);
    let column = &found["parts"][0]["columns"][0];
    assert!((number(&column["pearson"]) - wanted).abs() < 1e-12, "{column} {wanted}");
    // Ranks 3.5, 2, 3.5, 1 with 4, 2.5, 2.5, 1.
    let wanted = pearson(&[3.5, 2.0, 3.5, 1.0], &[4.0, 2.5, 2.5, 1.0]);
    assert!((number(&column["spearman"]) - wanted).abs() < 1e-12, "{column} {wanted}");

    let found = json(at, &["--sizes", "4,8", "--metric", "ROB"]);
    let middle = &found["parts"][0]["rows"][1]["cells"];
    let order: Vec<usize> = words(at);
    let share =
        |size: usize| order[..size].iter().filter(|word| **word > 3).count() as f64 / size as f64;
    assert_eq!(middle, &serde_json::json!([share(4), share(8), 0.75]));
    for (more, why) in [
        (&["--by", "tag"][..], "has anything to count by tag"),
        (&["--by", "group", "--metric", "ISR"], "counts what held, and has no `ISR`"),
        (&["--by", "round", "--metric", "ISR"], "a round has no `ISR`"),
        (&["--metric", "BLEU"], "there is no metric `BLEU`"),
        (&["--sizes", "0"], "0 is not in"),
        (&["--pairs", "--format", "latex"], "has the formats text, JSON and CSV"),
    ] {
        let ran = ifs(at, &[&["compare", "strong", "middle"], more].concat());
        assert_ne!(ran.status, Some(0), "{more:?}");
        ran.says(why);
    }
    let rounds = json(at, &["--by", "round"]);
    assert_eq!(rounds["parts"].as_array().unwrap().len(), 2, "{rounds}");
    assert_eq!(rounds["parts"][0]["rows"][1]["cells"], serde_json::json!([0.75]), "{rounds}");
}

/// The record that each dialogue of the run is about, in the order of the dialogues.
fn words(at: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(at.join("strong/transcripts.jsonl")).unwrap();
    let word = |line: &str| {
        let from = line.find("Write the word w").unwrap() + "Write the word w".len();
        line[from..].split('x').next().unwrap().parse().unwrap()
    };
    text.lines().map(word).collect()
}

fn pearson(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mine, theirs) = (mean(one), mean(other));
    let product = |a: &[f64], b: &[f64], x: f64, y: f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - x) * (b - y)).sum()
    };
    product(one, other, mine, theirs)
        / (product(one, one, mine, mine) * product(other, other, theirs, theirs)).sqrt()
}

#[test]
fn tables_for_people_and_papers() {
    let folder = folder();
    let at = folder.path();
    let all = ["compare", "strong", "middle", "other", "weak"];
    let text = ifs(at, &all).ends(0).out;
    assert!(!text.contains("SIMULATED"), "{text}");
    assert!(text.contains("100.0 % ± 0.0*") && text.contains("75.0 % ± 11.2"), "{text}");
    assert!(text.contains("1 to 3") && !text.contains("less sim/"), "{text}");
    let rows = ifs(at, &[&all[..], &["--format", "csv"]].concat()).ends(0).out;
    assert_eq!(rows.lines().count(), 1 + 4 * 2, "{rows}");
    let rows = ifs(at, &[&all[..], &["--format", "csv", "--pairs"]].concat()).ends(0).out;
    assert_eq!(rows.lines().count(), 1 + 6 * 2 + 6, "{rows}");
    let page = ifs(at, &[&all[..], &["--format", "markdown"]].concat()).ends(0).out;
    assert!(page.contains("| --- | ---: | ---: |") && page.contains("**100.0 % ± 0.0**"), "{page}");
    let paper = ifs(at, &[&all[..], &["--format", "latex", "--by", "slice"]].concat()).ends(0).out;
    assert!(paper.contains("\\toprule") && !paper.contains("SIMULATED"), "{paper}");
    // A page draws values by turn as lines, and has tables for the others.
    let page = ifs(at, &[&all[..], &["--format", "html", "--by", "turn"]].concat()).ends(0).out;
    assert!(!page.contains("SIMULATED"), "{page}");
    assert_eq!(page.matches("<figure class=\"chart\"").count(), 1, "{page}");
    let page = ifs(at, &[&all[..], &["--format", "html"]].concat()).ends(0).out;
    assert!(page.contains("<table class=\"grid\">") && !page.contains("<figure"), "{page}");
    assert!(paper.contains("\\begin{tabular}{lrrr}") && paper.contains("\\textbf{"), "{paper}");
}

/// Classes are reported with any metrics of the dialogue.
#[test]
fn classes_of_turns_are_reported() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let scenario = "ifs 1\ndialogue d {\n  report CSR\n  \
                    turn one { class \"kind: short\" ask \"One?\" require brief count(word) <= 9 }\n  \
                    turn two { class \"kind: long\" ask \"Two?\" require long count(word) >= 9 }\n}\n";
    std::fs::write(at.join("a.ifs"), scenario).unwrap();
    ifs(at, &["run", "a.ifs", "-m", "sim/oracle", "--out", "out"]).ends(0);
    for format in ["text", "html", "json"] {
        let report = ifs(at, &["report", "out", "--format", format]).ends(0).out;
        assert!(report.contains("kind: short") && report.contains("kind: long"), "{report}");
    }
}

/// Runs of one model with different seeds: how far they differ, next to the error over dialogues.
#[test]
fn seeds_are_compared_with_one_another() {
    let folder = folder();
    let at = folder.path();
    for seed in ["1", "2", "3"] {
        let args = ["run", "a.ifs", "-m", "sim/noisy:0.3", "--seed", seed, "--out", seed];
        ifs(at, &args).ends(0);
    }
    let table = ifs(at, &["report", "1", "2", "3"]).ends(0).out;
    assert!(table.contains("CSR of runs with different seeds, in percent"), "{table}");
    let json = ifs(at, &["report", "1", "2", "3", "--format", "json"]).ends(0).out;
    let json: Json = serde_json::from_str(&json).unwrap();
    let value = |run: &str| {
        let text = std::fs::read_to_string(at.join(run).join("scores.json")).unwrap();
        let scores: Json = serde_json::from_str(&text).unwrap();
        let metrics = scores["metrics"].as_array().unwrap();
        metrics.iter().find(|it| it["name"] == "CSR").unwrap()["value"].as_f64().unwrap()
    };
    let values = ["1", "2", "3"].map(value);
    let mean = values.iter().sum::<f64>() / 3.0;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let seeds = &json["models"][0]["scores"][0]["seeds"];
    let near = |name: &str, wanted: f64| {
        let found = seeds[name].as_f64().unwrap();
        assert!((found - wanted).abs() < 1e-12, "{name}: {found} {wanted}");
    };
    near("deviation", (squares / 2.0).sqrt());
    near("standard_error", (squares / 6.0).sqrt());
    // Two runs of one seed are not independent.
    let args = ["run", "a.ifs", "-m", "sim/noisy:0.3", "--seed", "1", "--out", "again"];
    ifs(at, &args).ends(0);
    let table = ifs(at, &["report", "1", "again"]).ends(0).out;
    assert!(!table.contains("different seeds"), "{table}");
    // The dialogues that differ most are named.
    let pair = ifs(at, &["compare", "strong", "weak", "--pairs"]).ends(0).out;
    assert!(pair.contains("dialogues that differ most: 0 (+1.00)"), "{pair}");
}
