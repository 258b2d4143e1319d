//! The two domains that are written only in the language: what their hidden parts hold out, and
//! responses that look right and are not.

use std::collections::BTreeSet;
use std::path::Path;

use ifs::judge::{Exchange, evaluate_constraints};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::FolderWorld;

fn plan(folder: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(folder);
    let checked = check(&FolderWorld::new(&path).unwrap(), &format!("{folder}.ifs"));
    build(checked.model.expect("a scenario without mistakes"))
}

/// The topics and the groups of constraints that the first dialogues draw.
fn drawn(plan: &Plan, dialogue: &str) -> [BTreeSet<String>; 2] {
    let drawer = Drawer::new(plan, dialogue).unwrap();
    let turns = (0..150).flat_map(|index| drawer.script(Seed(1), index).map(Result::unwrap));
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for turn in turns {
        found[0].insert(turn.topic.clone());
        found[1].extend(turn.active_constraints.iter().map(|active| active.group().to_owned()));
    }
    found
}

#[test]
fn held_out_parts_are_never_public() {
    for (folder, dialogue, bank) in
        [("intake", "interviewed", "cases"), ("schreibstube", "gespraech", "anliegen")]
    {
        let public = plan(folder);
        assert!(public.bank(bank).unwrap().records.len() >= 60, "{folder}");
        let [topics, groups] = drawn(&public, dialogue);
        let hidden = public.varied(dialogue, "hidden").unwrap();
        let [hidden_topics, hidden_groups] = drawn(&hidden, dialogue);
        assert!(groups.len() >= 8, "{folder}: {groups:?}");
        assert!(topics.is_disjoint(&hidden_topics), "{folder}");
        assert!(topics.len() >= 40 && hidden_topics.len() >= 14, "{folder}");
        assert!(hidden_groups.difference(&groups).count() >= 3, "{folder}: {hidden_groups:?}");
    }
}

/// The names of what a response to a turn misses, by rule.
fn missed(plan: &Plan, dialogue: &str, turn: &ScriptTurn, answer: &str) -> Vec<String> {
    let exchange = Exchange { dialogue, turn, answer, note: None, replies: &[], extracted: &[] };
    let missed = |verdict: &ifs::judge::VerdictRecord| verdict.outcome.is_missed();
    let verdicts = evaluate_constraints(plan, &exchange, &[]);
    verdicts.iter().filter(|it| missed(it)).map(|it| it.constraint.clone()).collect()
}

/// Edits of a right record or handover, each with the requirement that it misses.
fn edits(golden: &str, turn: &ScriptTurn) -> Vec<(String, &'static str)> {
    let line = |label: &str| golden.lines().find(|line| line.starts_with(label)).unwrap();
    let instead = |label: &str, by: &str| golden.replace(line(label), by);
    let doubled = |label: &str| instead(label, &format!("{}; {}", line(label), &line(label)[11..]));
    match turn.name.as_str() {
        "handover" => vec![
            (golden.replace("not assessed", "likely viral"), "unassessed"),
            (golden.replace("/10", "/11"), "severe"),
            (golden.replace(" m", " k"), "dosed"),
            (format!("{golden}\nDone."), "lines"),
            (golden.replace('\n', " "), "lines"),
            (format!("{golden} {}", "and so on ".repeat(20)), "brief"),
            ("S: a b\nB: a b\nA: not assessed\nR: a b".to_owned(), "dosed"),
        ],
        _ => vec![
            (doubled("Medicines"), "medicines"),
            (instead("Medicines", "Medicines: none"), "medicines"),
            (instead("Severity", "Severity: 1/10"), "severity"),
            (instead("Severity", &format!("{} or 9/10", line("Severity"))), "severity"),
            (instead("Red flags", "Red flags: chest pain, fainting, none"), "red_flags"),
            (instead("Allergies", "Allergies: none known, penicillin, nuts"), "allergies"),
            (instead("Since", &format!("Since: {}", turn.ask.repeat(3))), "since"),
            (instead("History", "History: nothing"), "history"),
            (format!("Here is the record.\n{golden}"), "lines"),
            (golden.lines().rev().collect::<Vec<_>>().join("\n"), "lines"),
            (golden.replace(':', " -"), "lines"),
            (String::new(), "lines"),
        ],
    }
}

#[test]
fn records_that_are_wrong_in_one_field_miss_that_field() {
    let plan = plan("intake");
    let drawer = Drawer::new(&plan, "interviewed").unwrap();
    let mut tried = 0;
    for turn in (0..6).flat_map(|index| drawer.script(Seed(1), index).map(Result::unwrap)) {
        let Some(golden) = turn.golden.clone().filter(|_| turn.name != "readback") else {
            continue;
        };
        assert!(missed(&plan, "interviewed", &turn, &golden).is_empty(), "{golden}");
        for (answer, expected) in edits(&golden, &turn) {
            let missed = missed(&plan, "interviewed", &turn, &answer);
            assert!(missed.iter().any(|name| name == expected), "{answer}\n{expected}: {missed:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, 6 * (12 + 7));
}

/// One question passes; two do not, nor does a named condition, nor the sentence for red flags where
/// there is none. The record has a red flag where a reply needed the sentence.
#[test]
fn interview_replies_follow_the_policies() {
    let cases = include_str!("../../scenarios/intake/banks/cases.csv");
    let plan = plan("intake");
    let drawer = Drawer::new(&plan, "interviewed").unwrap();
    let mut flagged_dialogues = 0;
    for index in 0..12 {
        let turns: Vec<ScriptTurn> = drawer.script(Seed(1), index).map(Result::unwrap).collect();
        let system = turns[0].system.as_deref().unwrap();
        let alarm = system.split("word for word: \"").nth(1).unwrap().split('"').next().unwrap();
        let case = cases.lines().find(|line| line.starts_with(&format!("{},", turns[0].topic)));
        let condition = case.unwrap().rsplit(',').next().unwrap().split(';').next().unwrap();
        let missed = |turn: &ScriptTurn, answer: &str| -> Vec<String> {
            let mut all = missed(&plan, "interviewed", turn, answer);
            all.retain(|name| ["one_question", "unnamed", "alarmed"].contains(&name.as_str()));
            all
        };
        let mut flags = 0;
        for turn in turns.iter().filter(|turn| turn.name == "interview") {
            let (quiet, loud) = ("Noted. What else?", format!("{alarm} What else?"));
            let is_flag = !missed(turn, quiet).is_empty();
            flags += usize::from(is_flag);
            let (right, wrong) = if is_flag { (&*loud, quiet) } else { (quiet, &*loud) };
            assert!(missed(turn, right).is_empty(), "{}", turn.ask);
            assert_eq!(missed(turn, wrong), ["alarmed"], "{}", turn.ask);
            let twice = format!("{alarm} {alarm} {right}");
            assert_eq!(missed(turn, &twice), ["alarmed"], "{}", turn.ask);
            assert_eq!(missed(turn, &format!("{right} And then?")), ["one_question"]);
            assert_eq!(missed(turn, &format!("It is no {condition}. {right}")), ["unnamed"]);
        }
        let record = turns.iter().find(|turn| turn.name == "record").unwrap();
        let none = record.golden.as_deref().unwrap().ends_with("Red flags: none");
        assert_eq!(flags, usize::from(!none));
        flagged_dialogues += flags;
    }
    assert!((2..=9).contains(&flagged_dialogues), "{flagged_dialogues}");
}
