//! Independently written pairs and triples: those that exclude one another, and those that a text
//! satisfies, with that text.

use std::fmt::Write as _;

use ifs::diagnostic::{Code, Diagnostic};
use ifs::model::check;
use ifs::plan::{analysis, build};
use ifs::testing::run_tests;
use ifs::world::MemoryWorld;

use super::TOPICS;

/// A program of sets of constraints, each with a dialogue of its own that draws from it.
fn program(sets: &[Vec<&str>], texts: &[&str]) -> String {
    let mut program =
        "ifs 1\nimport topics \"topics.jsonl\" { name: text  request: text  keywords: list of text }\n"
            .to_owned();
    for (at, checks) in sets.iter().enumerate() {
        let mut names = Vec::new();
        for (place, constraint) in checks.iter().enumerate() {
            let (params, check) = constraint.rsplit_once(" => ").unwrap_or(("", constraint));
            let name = format!("c{at}_{place}");
            let test = match texts.get(at) {
                Some(text) => format!("test {{ pass {text} }}"),
                None => String::new(),
            };
            let _ = writeln!(
                program,
                "constraint {name}{params} {{ say \"So.\" check {check} {test} }}"
            );
            names.push(name);
        }
        let _ = writeln!(
            program,
            "dialogue d{at} {{\n topic from topics\n constraints from {}\n \
             start with 1 constraint\n flow {{ switch 50% }}\n \
             evolve one per turn {{ add 50%  drop 50% }}\n end when turns >= 10\n}}",
            names.join(", ")
        );
    }
    program
}

/// What is reported about it, and how many checks its texts miss.
fn reported(program: &str) -> (Vec<Diagnostic>, usize) {
    let world = MemoryWorld::new([("main.ifs", program), ("topics.jsonl", TOPICS)]);
    let model = check(&world, "main.ifs").model.expect("a program without mistakes");
    let failed = run_tests(&model).iter().filter(|one| !one.is_good()).count();
    (analysis::check(&build(model)), failed)
}

fn sets(lines: &str) -> Vec<Vec<&str>> {
    lines.lines().map(|line| line.split(" | ").collect()).collect()
}

#[test]
fn exclusive_checks_are_reported() {
    let lines = include_str!("excluding.txt");
    let sets = sets(lines);
    let (found, _) = reported(&program(&sets, &[]));
    let codes = [Code::CONTRADICTORY_CONSTRAINTS, Code::IMPOSSIBLE_CONSTRAINT];
    let missed: Vec<&str> = lines
        .lines()
        .enumerate()
        .filter(|(at, _)| {
            let of_set = |one: &Diagnostic| {
                codes.contains(&one.code) && one.message.contains(&format!("`c{at}_"))
            };
            !found.iter().any(of_set)
        })
        .map(|(_, line)| line)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn satisfied_checks_are_not_contradictory() {
    let lines = include_str!("agreeing.txt");
    let parts: Vec<(&str, &str)> =
        lines.lines().map(|line| line.rsplit_once(" <- ").expect("a text")).collect();
    let checks: Vec<&str> = parts.iter().map(|(checks, _)| *checks).collect();
    let texts: Vec<&str> = parts.iter().map(|(_, text)| *text).collect();
    let checks = checks.join("\n");
    let sets = sets(&checks);
    let (found, failed) = reported(&program(&sets, &texts));
    assert_eq!(failed, 0, "the texts meet their checks");
    let wrong = [Code::CONTRADICTORY_CONSTRAINTS, Code::IMPOSSIBLE_CONSTRAINT];
    let alarms: Vec<String> = found
        .iter()
        .filter(|one| wrong.contains(&one.code))
        .map(|one| format!("{} {:?}", one.message, one.labels.first()))
        .collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}
