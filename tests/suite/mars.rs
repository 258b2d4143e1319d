//! MARS-Bench: the number of turns is that of the paper, games differ, all tasks are in one table,
//! and questions are compared wherever they are asked.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use tempfile::TempDir;

fn scenario(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/mars").join(name)
}

fn ifs(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ifs")).args(arguments).output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{out}\n{err}");
    out.into_owned()
}

fn run(into: &Path, file: &str, dialogue: &str, more: &[&str]) -> String {
    let path = scenario(file);
    let name = format!("{file}-{dialogue}-{}", more.join("-").replace([':', '/'], "_"));
    let out = into.join(name);
    let out = out.to_str().unwrap();
    let start = ["run", path.to_str().unwrap(), "-d", dialogue, "--out", out];
    ifs(&[&start[..], more].concat());
    out.to_owned()
}

fn drawn(file: &str, dialogue: &str, count: u32) -> Vec<Json> {
    let path = scenario(file);
    let count = count.to_string();
    let out = ifs(&[
        "draw",
        path.to_str().unwrap(),
        "-d",
        dialogue,
        "-n",
        &count,
        "--turns",
        "100",
        "--format",
        "jsonl",
        "--no-witness",
    ]);
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// 15 games in English, 10 in Chinese and 5 of ice hockey for each of four tasks: 33.42 turns a
/// game.
#[test]
fn a_game_has_as_many_turns_as_in_the_paper() {
    let mut turns = 0;
    let mut of = |file: &str, games: usize, wanted: [usize; 4]| {
        for (task, wanted) in ["formatted", "retrieved", "reasoned", "switched"].iter().zip(wanted)
        {
            let found = drawn(file, task, 1).len();
            assert_eq!(found, wanted, "{file} {task}");
            turns += games * found;
        }
    };
    of("mars.ifs", 15, [32, 32, 32, 44]);
    of("chinese.ifs", 10, [32, 32, 32, 44]);
    of("hockey.ifs", 5, [21, 24, 24, 33]);
    assert_eq!((f64::from(u32::try_from(turns).unwrap()) / 120.0 * 100.0).round(), 3342.0);
}

/// Thirty dialogues are thirty games, and the four tasks go over the same ones.
#[test]
fn thirty_dialogues_are_thirty_games() {
    for file in ["mars.ifs", "chinese.ifs", "hockey.ifs"] {
        let first = |dialogue: &str| -> Vec<String> {
            let path = scenario(file);
            let drawn = ["draw", path.to_str().unwrap(), "-d", dialogue, "-n", "30"];
            let out =
                ifs(&[&drawn[..], &["--turns", "1", "--format", "jsonl", "--no-witness"]].concat());
            let turns = out.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
            turns.map(|turn| turn["show"].to_string()).collect()
        };
        let games = first("formatted");
        let mut distinct = games.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((games.len(), distinct.len()), (30, 30), "{file}");
        assert_eq!(first("switched"), games, "{file}");
    }
}

/// A friend never uses the same wording twice.
#[test]
fn no_message_of_a_dialogue_repeats() {
    for (file, dialogue) in [
        ("mars.ifs", "formatted"),
        ("mars.ifs", "switched"),
        ("chinese.ifs", "retrieved"),
        ("hockey.ifs", "reasoned"),
    ] {
        let mut asked: Vec<String> =
            drawn(file, dialogue, 1).iter().map(|turn| turn["ask"].to_string()).collect();
        let all = asked.len();
        asked.sort_unstable();
        asked.dedup();
        assert_eq!(asked.len(), all, "{file} {dialogue}");
    }
}

/// Overall is the mean of the tasks; a task with two sports is one on request; mathematics has a
/// row of its own.
#[test]
fn several_runs_are_one_table() {
    let folder = TempDir::new().unwrap();
    let noisy = ["-n", "1", "-m", "sim/noisy:0.3"];
    let runs = [
        run(folder.path(), "hockey.ifs", "retrieved", &noisy),
        run(folder.path(), "hockey.ifs", "switched", &noisy),
        run(folder.path(), "mars.ifs", "retrieved", &noisy),
        run(folder.path(), "hockey.ifs", "retrieved", &["-n", "1", "-m", "sim/golden"]),
    ];
    let report = |more: &[&str]| {
        // The definitions of a task with other games are several, and are only pooled on request.
        let start = ["report", "--pool"].into_iter().chain(runs.iter().map(String::as_str));
        ifs(&start.chain(more.iter().copied()).collect::<Vec<_>>())
    };
    let table: Json = serde_json::from_str(&report(&["--format", "json"])).unwrap();
    assert_eq!(table["metric"], "points");
    assert_eq!(table["tasks"], serde_json::json!(["retrieved", "switched"]));
    let noisy = &table["models"][0];
    let scores: Vec<f64> =
        (0..2).map(|at| noisy["scores"][at]["value"].as_f64().unwrap()).collect();
    assert_eq!(noisy["scores"][0]["dialogues"], 2);
    assert!((noisy["overall"].as_f64().unwrap() - (scores[0] + scores[1]) / 2.0).abs() < 1e-12);
    // A model without all tasks has no overall score.
    assert_eq!(table["models"][1]["scores"][0]["value"], 1.0);
    assert_eq!(table["models"][1]["overall"], Json::Null);
    let turns = table["turns"].as_array().unwrap();
    let row = |task: &str, name: &str| {
        turns.iter().find(|row| row["task"] == task && row["name"] == name).unwrap()["values"]
            .clone()
    };
    assert!(row("switched", "aside")[0].as_f64().unwrap() < 1.0);
    assert_eq!(row("retrieved", "missed")[1], 1.0);
    let text = report(&[]);
    assert!(text.contains("overall") && text.contains("switched: aside"), "{text}");
    let csv = report(&["--format", "csv"]);
    assert!(
        csv.lines().any(|line| line.starts_with("points,sim/noisy:0.3,true,overall,,")),
        "{csv}"
    );
    // One run alone has the kinds of questions in its own report.
    for format in ["text", "json", "html"] {
        let one = ifs(&["report", &runs[1], "--format", format]);
        assert!(one.contains("named_share"), "{format}: {one}");
    }
}

/// One text and twenty turns ask the same questions on other turns.
#[test]
fn variants_are_compared_question_by_question() {
    let folder = TempDir::new().unwrap();
    let model = ["-n", "2", "-m", "sim/noisy:0.3"];
    let many = run(folder.path(), "ablations.ifs", "told_in", &model);
    let once = run(
        folder.path(),
        "ablations.ifs",
        "told_in",
        &[&model[..], &["--variant", "at_once"]].concat(),
    );
    let found = ifs(&["compare", "--allow-differences", &many, &once, "--format", "json"]);
    let found: Json = serde_json::from_str(&found).unwrap();
    let pair = &found["pairs"][0];
    assert_eq!((pair["turns"].as_u64(), pair["dialogues"].as_u64()), (Some(24), Some(2)));
    assert_eq!(
        (&pair["unmatched"]["turns_one"], &pair["unmatched"]["turns_other"]),
        (&0.into(), &0.into())
    );
}
