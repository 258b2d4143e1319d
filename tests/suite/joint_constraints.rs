//! Constraints that are drawn together: a choice that leaves too few others is taken back, a set
//! that contradicts only together is rejected, and, on request, rejections do not change the
//! declared weights.

use std::collections::{BTreeMap, BTreeSet};

use ifs::diagnostic::{Code, Severity};
use ifs::model::check;
use ifs::plan::{Plan, build};
use ifs::predicate::bound::conflict;
use ifs::predicate::evaluate::Variables;
use ifs::predicate::tree::Tree;
use ifs::script::{Drawer, ScriptTurn, Seed};
use ifs::world::MemoryWorld;

use crate::ui::check_program;

const TOPICS: &str = r#"{"name":"tides","request":"Why?","keywords":["tide","moon"]}
{"name":"bread","request":"How?","keywords":[]}"#;

const HEAD: &str = "ifs 1
import topics \"topics.jsonl\" { name: text  request: text  keywords: list of text }
";

fn program(constraints: &str, dialogue: &str) -> String {
    let flow = "flow { stay at least 9 turns  switch 50% }\n end when turns >= 10";
    format!("{HEAD}{constraints}\ndialogue talk {{\n topic from topics\n {dialogue}\n {flow}\n}}\n")
}

fn world(program: &str) -> MemoryWorld {
    MemoryWorld::new([("main.ifs", program), ("topics.jsonl", TOPICS)])
}

fn plan(program: &str) -> Plan {
    build(check(&world(program), "main.ifs").model.expect("a program without errors"))
}

/// The errors of a scenario, and the warnings about contradictions.
fn found(program: &str) -> Vec<(Code, Severity, String)> {
    let (found, _) = check_program(&world(program), "main.ifs");
    let of_interest =
        [Code::NOTHING_TO_DRAW, Code::CONTRADICTORY_CONSTRAINTS, Code::IMPOSSIBLE_CONSTRAINT];
    let list = found.list.into_iter();
    list.filter(|one| of_interest.contains(&one.code) || one.severity == Severity::Error)
        .map(|one| (one.code, one.severity, one.message))
        .collect()
}

fn drawn(plan: &Plan, seeds: std::ops::Range<u64>) -> Vec<ScriptTurn> {
    let drawer = Drawer::new(plan, "talk").unwrap();
    let turns = seeds.flat_map(|seed| drawer.script(Seed(seed), 0).collect::<Vec<_>>());
    turns.collect::<Result<_, _>>().unwrap()
}

fn active(turn: &ScriptTurn) -> Vec<&str> {
    turn.active_constraints.iter().map(|active| active.constraint.as_str()).collect()
}

const TWO_OF_THREE: &str = "constraint one { say \"a\" check count(word) == 1 }
constraint few { say \"b\" check count(word) in 2..=200 }
constraint short { say \"c\" check count(char) <= 1200 and count(word) >= 2 }";

#[test]
fn dead_end_choices_are_undone() {
    let text = program(TWO_OF_THREE, "start with 2 constraints");
    assert!(found(&text).iter().all(|(_, severity, _)| *severity == Severity::Warning));
    let plan = plan(&text);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    for seed in 0..60 {
        let first = |_| drawer.script(Seed(seed), 0).next().unwrap().unwrap();
        let turns = [(); 2].map(first);
        assert_eq!(active(&turns[0]), ["few", "short"], "seed {seed}");
        assert_eq!(turns[0], turns[1], "seed {seed}");
    }
}

/// Draws that succeed at once are unchanged; only failed draws are repeated.
#[test]
fn draws_without_backtracking_are_unchanged() {
    let free = "constraint one { say \"a\" check contains(\"x\") }
constraint few { say \"b\" check contains(\"y\") }
constraint short { say \"c\" check contains(\"z\") }";
    let (free, bound) = (
        plan(&program(free, "start with 2 constraints")),
        plan(&program(TWO_OF_THREE, "start with 2 constraints")),
    );
    let (free, bound) = (drawn(&free, 0..40), drawn(&bound, 0..40));
    let pairs = || free.iter().zip(&bound).filter(|(turn, _)| turn.turn == 1);
    let same = pairs().filter(|(free, _)| active(free) == ["few", "short"]);
    assert!(same.clone().count() > 5);
    for (free, bound) in same {
        assert_eq!(free.changes.len(), bound.changes.len());
        let names = |turn: &ScriptTurn| -> Vec<String> {
            let after = turn.changes.iter().filter_map(|change| change.after.as_ref());
            after.map(|active| active.constraint.clone()).collect()
        };
        assert_eq!(names(free), names(bound));
    }
}

#[test]
fn check_reports_undrawable_start() {
    let all_apart = "constraint one { say \"a\" check count(word) == 1 }
constraint two { say \"b\" check count(word) == 2 }
constraint three { say \"c\" check count(word) == 3 }";
    let together = "constraint tide { say \"a\" check count(keyword.released \"tide\") >= 8 }
constraint moon { say \"b\" check count(keyword.released \"moon\") >= 8 }
constraint short { say \"c\" check count(word.pattern) <= 12 }";
    let topical =
        "constraint wanted(w: one_of topic.keywords) { say \"{{ w }}\" check contains(word (w)) }
constraint short { say \"c\" check count(word) <= 12 }";
    for (constraints, start, wrong) in [
        (all_apart, "start with 2 constraints", "`start with 2 constraints` cannot be drawn"),
        (together, "start with 2 constraints", ""),
        (
            topical,
            "start with 2 constraints",
            "`start with 2 constraints` cannot be drawn on the topic \"bread\"",
        ),
        (topical, "start with 1 constraint", ""),
    ] {
        let text = program(constraints, start);
        let errors: Vec<(Code, String)> = found(&text)
            .into_iter()
            .filter(|(_, severity, _)| *severity == Severity::Error)
            .map(|(code, _, message)| (code, message))
            .collect();
        let wanted = (!wrong.is_empty()).then(|| (Code::NOTHING_TO_DRAW, wrong.to_owned()));
        assert_eq!(errors, wanted.into_iter().collect::<Vec<_>>(), "{text}");
        // Drawing fails exactly where an error is reported.
        let plan = plan(&text);
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let fails = (0..30).any(|seed| drawer.script(Seed(seed), 0).any(|turn| turn.is_err()));
        assert_eq!(fails, !wrong.is_empty(), "{text}");
    }
}

#[test]
fn empty_topic_lists_are_not_conflicts() {
    let constraints =
        "constraint wanted(w: one_of topic.keywords) { say \"{{ w }}\" check contains(word (w)) }
constraint banned(w: one_of [\"tide\", \"moon\"]) { say \"{{ w }}\" check not contains(word \"tide\") and not contains(word \"moon\") }
constraint short { say \"c\" check count(word) <= 12 }";
    let text = program(constraints, "start with 1 constraint\n evolve one per turn { add }");
    let found = found(&text);
    let reported: Vec<&str> = found.iter().map(|(_, _, message)| message.as_str()).collect();
    assert_eq!(reported, ["`banned` and `wanted` can never hold together"]);
    assert_eq!(drawn(&plan(&text), 0..20).len(), 200);
}

/// Triples of which each pair is consistent, as checks.
const THREES: [[&str; 3]; 5] = [
    [
        "count(keyword.released \"tide\") >= 8",
        "count(keyword.released \"moon\") >= 8",
        "count(word.pattern) <= 12",
    ],
    ["count(sentence) >= 40", "every sentence: count(word) >= 5", "count(word) <= 80"],
    ["is_json", "starts_with(text \"[\")", "ends_with(text \"}\")"],
    ["every line: count(word) >= 8", "count(line) >= 4", "count(word) <= 20"],
    ["count(paragraph) >= 3", "every paragraph: count(word) >= 4", "count(word) <= 10"],
];

#[test]
fn three_that_exclude_one_another_together_are_never_active() {
    for three in THREES {
        let constraints: Vec<String> = ["a", "b", "c"]
            .iter()
            .zip(three)
            .map(|(name, check)| format!("constraint {name} {{ say \"So.\" check {check} }}"))
            .collect();
        let more = "constraint d { say \"D\" check not contains(\"#\") }
constraint e { say \"E\" check not contains(\"@\") }";
        for ways in [
            "start with 1 constraint\n evolve one per turn { add }",
            "start with 3 constraints\n evolve one per turn { add 50%  drop 50% }",
            "start with 2 constraints\n evolve 1..=2 per turn { add 90%  drop 10% }",
            "impose 1 scope dialogue",
            "start with 3 constraints\n redraw on conflict\n evolve one per turn { add 50%  drop 50% }",
        ] {
            let text = program(&format!("{}\n{more}", constraints.join("\n")), ways);
            let turns = drawn(&plan(&text), 0..25);
            let all = turns.iter().map(active).find(|names| names.starts_with(&["a", "b", "c"]));
            assert_eq!(all, None, "{text}");
            assert!(turns.iter().any(|turn| active(turn).len() >= 3), "{text}");
        }
    }
}

#[test]
fn imposed_constraints_displace_drawn_ones() {
    let [a, b, c] = THREES[0];
    let constraints = format!(
        "constraint a {{ say \"a\" check {a} }}\nconstraint b {{ say \"b\" check {b} }}
constraint c {{ say \"c\" check {c} }}"
    );
    let text = program(
        &constraints,
        "constraints from a, b\n start with 2 constraints\n from turn 4 impose c",
    );
    let turns = drawn(&plan(&text), 0..10);
    for turn in &turns {
        let names = active(turn);
        assert_eq!(names.contains(&"c"), turn.turn >= 4, "{}", turn.turn);
        assert_eq!(names.len(), 2, "{names:?} on turn {}", turn.turn);
    }
    let drops = turns.iter().filter(|turn| turn.turn == 4).flat_map(|turn| &turn.changes);
    assert_eq!(drops.filter(|change| change.after.is_none()).count(), 10);
}

/// No set drawn from pools of many rules is one that `check` excludes.
#[test]
fn nothing_that_is_active_is_excluded() {
    let rules = [
        "count(word) <= 60",
        "count(word) >= 40",
        "count(sentence) >= 9",
        "count(sentence) <= 4",
        "every sentence: count(word) >= 6",
        "every sentence: count(word) <= 3",
        "is_json",
        "starts_with(\"{\")",
        "ends_with(\"]\")",
        "count(line) == 5",
        "every line: count(word) >= 14",
        "not contains(\",\")",
        "count(item.released) >= 3",
        "is_upper",
        "contains(\"tide\")",
        "count(word \"moon\") >= 30",
        "count(word \"coast\") >= 25",
        "count(letter \"e\") == 0",
        "matches(/^[a-z ]+$/)",
        "count(char) <= 300",
        "reply % 2 == 1",
        "starts_with(letter \"q\")",
        "not contains(letter \"q\")",
        "unique(word)",
    ];
    let constraints: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(at, check)| format!("constraint c{at} {{ say \"So.\" check {check} }}"))
        .collect();
    for redraw in ["", "redraw on conflict"] {
        let ways = format!(
            "start with 3 constraints\n {redraw}\n evolve 1..=2 per turn {{ add 70%  modify 10%  drop 20% }}"
        );
        let plan = plan(&program(&constraints.join("\n"), &ways));
        let mut sizes = BTreeSet::new();
        for turn in drawn(&plan, 0..12) {
            let names = active(&turn);
            let trees: Vec<&Tree> = names
                .iter()
                .filter_map(|name| match &plan.constraint(name)?.by {
                    ifs::model::table::DecidedBy::Rule(tree) => Some(tree),
                    ifs::model::table::DecidedBy::Judge(_) => None,
                })
                .collect();
            let bounded: Vec<(&Tree, &dyn Variables)> =
                trees.iter().map(|tree| (*tree, &() as &dyn Variables)).collect();
            let found = conflict(&bounded);
            assert!(found.is_none(), "{names:?}: {found:?}");
            sizes.insert(names.len());
        }
        assert!(sizes.iter().any(|size| *size >= 4), "{sizes:?}");
    }
}

/// Of a group of weights 1 to 1 and three others, one excluded by half of the first group.
const SKEWED: &str = "group first {
  constraint long { say \"a\" check count(word) >= 90 }
  constraint open { say \"b\" check contains(\"x\") }
}
constraint short { say \"c\" check count(word) <= 40 }
constraint third { say \"d\" check contains(\"z\") }";

#[test]
fn redrawing_keeps_the_declared_weights() {
    let shares = |redraw: &str| {
        let start = format!("start with 2 constraints\n {redraw}");
        let plan = plan(&program(SKEWED, &start));
        let drawer = Drawer::new(&plan, "talk").unwrap();
        let mut sets: BTreeMap<Vec<String>, f64> = BTreeMap::new();
        for index in 0..4_000 {
            let turn = drawer.script(Seed(7), index).next().unwrap().unwrap();
            let names = active(&turn).into_iter().map(str::to_owned).collect();
            *sets.entry(names).or_default() += 1.0 / 4_000.0;
        }
        sets
    };
    // Each member of the first group has one half, and each pair of groups one third, whose
    // excluded half goes equally to all others.
    let redrawn = shares("redraw on conflict");
    let wanted = [
        (["first.long", "third"], 0.2),
        (["first.open", "third"], 0.2),
        (["first.open", "short"], 0.2),
        (["short", "third"], 0.4),
    ];
    assert_eq!(redrawn.len(), wanted.len(), "{redrawn:?}");
    for (set, share) in wanted {
        let have = redrawn[&set.map(str::to_owned).to_vec()];
        assert!((have - share).abs() < 0.03, "{set:?}: {have}");
    }
    // Without it the excluded half goes to the other member of the group.
    let refused = shares("");
    let have = refused[&["first.open", "short"].map(str::to_owned).to_vec()];
    assert!((have - 0.25).abs() < 0.03, "{refused:?}");
}

/// What `ifs prove` prints, and its exit status.
fn proved(program: &str, args: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("main.ifs"), program).unwrap();
    std::fs::write(folder.path().join("topics.jsonl"), TOPICS).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ifs"));
    command.current_dir(folder.path()).args(["prove", "main.ifs"]).args(args);
    let output = command.env("COLUMNS", "80").output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (String::from_utf8(printed).unwrap(), output.status.code())
}

#[test]
fn prove_prints_the_witness_of_a_turn() {
    let text = program(TWO_OF_THREE, "start with 2 constraints");
    let (printed, status) = proved(&text, &["--index", "3", "--turn", "4", "--format", "json"]);
    assert_eq!(status, Some(0), "{printed}");
    let json = serde_json::Deserializer::from_str(&printed).into_iter().next();
    let json: serde_json::Value = json.unwrap().unwrap();
    assert_eq!((&json["result"], &json["turn"]), (&"satisfiable".into(), &4.into()));
    assert_eq!(json["active"], serde_json::json!(["few", "short"]));
    let words = json["witness"].as_str().unwrap().split_whitespace().count();
    assert!((2..=200).contains(&words), "{printed}");
    let (printed, status) = proved(&text, &["--turn", "11"]);
    assert_eq!(status, Some(3), "{printed}");
    assert!(printed.contains("dialogue talk number 0 has 10 turns"), "{printed}");
}

#[test]
fn prove_prints_the_conflicting_constraints() {
    let turn = |requires: &str| {
        format!("ifs 1\ndialogue talk {{\n turn one {{\n  ask \"Write.\"\n{requires} }}\n}}\n")
    };
    // Contradictory constraints that are always active are an error of the scenario; a
    // contradiction of a turn's values is not.
    let text = "ifs 1
dialogue talk {
  param n: int in 80..=500
  turn one {
    ask \"Write {{ n }} words.\"
    require brief count(word) <= n
    require long count(sentence) >= 40
    require each every sentence: count(word) >= if n < 501 then 15 else 1
    require calm not contains(\"!\")
  }
}
";
    let (printed, status) = proved(text, &[]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        printed.contains("contradictory: no text meets all of `requirement brief`, `requirement long` and `requirement each`"),
        "{printed}"
    );
    assert!(printed.contains("40 sentences x 15 words = 600 words, more than"), "{printed}");
    let odd = turn(
        "require odd count(word) % 2 == 1 and count(word) % 4 == 2\n require calm not contains(\"!\")",
    );
    let (printed, status) = proved(&odd, &[]);
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        printed.contains("not found: no text was found that meets `requirement odd`,"),
        "{printed}"
    );
    let judged = turn("require good judge \"Is it good?\"");
    let (printed, status) = proved(&judged, &[]);
    assert_eq!(status, Some(0), "{printed}");
    assert!(printed.contains("no rules: no rule is active"), "{printed}");
}

/// A turn that only a judge grades is not proven.
#[test]
fn judged_constraints_need_no_witness() {
    let judged = program(
        "constraint kind { say \"Be kind.\" judge \"Is it kind?\" }
constraint short { say \"c\" check count(word) <= 12 }",
        "start with 1 constraint",
    );
    let plan = plan(&judged);
    let drawer = Drawer::new(&plan, "talk").unwrap();
    let survey = ifs::proof::survey(&drawer, Seed(1), 10, 10).unwrap();
    assert_eq!(survey.turns, 100);
    assert!(survey.nothing_to_prove >= 10, "{survey:?}");
    assert_eq!(survey.unproven, 0);
    assert_eq!(survey.proven_at_first + survey.proven_later + survey.nothing_to_prove, 100);
}

/// Long texts with bounds from both sides take no more steps than others.
#[test]
fn a_search_for_a_witness_has_one_budget() {
    use ifs::predicate::witness::{Effort, Goal, SEARCH_STEPS, TextTopic, witness_within};
    for check in [
        "count(word) == 10000 and count(char) == 50003",
        "count(word) >= 10000 and count(letter \"e\") <= 40",
        "count(word) == 3000 and count(word) % 2 == 1",
    ] {
        let text = program(
            &format!("constraint long {{ say \"c\" check {check} }}"),
            "start with 1 constraint",
        );
        let plan = plan(&text);
        let ifs::model::table::DecidedBy::Rule(tree) = &plan.constraint("long").unwrap().by else {
            panic!("a rule")
        };
        let goal = Goal { tree, variables: &(), wanted: true };
        let mut steps = SEARCH_STEPS / 8;
        let found =
            witness_within(&[goal], &TextTopic::default(), 1, (Effort::Searched, &mut steps));
        assert!(found.is_ok() || steps == 0 || steps < SEARCH_STEPS / 8, "{check}");
        let mut none = 0;
        let _ = witness_within(&[goal], &TextTopic::default(), 1, (Effort::Searched, &mut none));
        assert_eq!(none, 0);
    }
}
