//! The formatter's laws: it keeps the tree and the comments, and is idempotent.

use std::path::{Path, PathBuf};

use ifs::syntax::format;
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;

use crate::random_programs::program;
use crate::tree_shape::{read, shape};

/// Formats a valid scenario and checks the laws on the result.
fn formatted(text: &str) -> String {
    let (ast, diagnostics) = read(text);
    assert_eq!(diagnostics.list, [], "not a good program:\n{text}");
    let once = format(&ast, text);
    let (again, diagnostics) = read(&once);
    assert_eq!(diagnostics.list, [], "formatted:\n{once}\nfrom:\n{text}");
    let (left, right) = (shape(&again), shape(&ast));
    let differs =
        left.0.char_indices().zip(right.0.chars()).find(|((_, left), right)| left != right);
    let at = differs.map_or(0, |((at, _), _)| at);
    let around = |tree: &str| {
        tree.get(at.saturating_sub(200)..).map(|tree| tree.chars().take(300).collect::<String>())
    };
    assert!(
        left == right,
        "formatted:\n{once}\nfrom:\n{text}\n{:?}\n{:?}",
        around(&left.0),
        around(&right.0)
    );
    let twice = format(&again, &once);
    assert_eq!(twice, once, "from:\n{text}");
    assert!(once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"), "{once:?}");
    once
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_programs(numbers in prop::collection::vec(any::<u16>(), 0..600)) {
        let text = program(&numbers);
        if read(&text).1.list.is_empty() {
            formatted(&text);
        }
    }
}

#[test]
fn most_random_scenarios_are_valid() {
    let mut random = SmallRng::seed_from_u64(1);
    let good = (0..200)
        .filter(|_| {
            let numbers: Vec<u16> = (0..300).map(|_| random.random()).collect();
            let text = program(&numbers);
            let list = read(&text).1.list;
            for d in &list {
                eprintln!(
                    "{} {:?} {:?}",
                    d.message,
                    d.help,
                    text.get(
                        d.span().unwrap().range().start.saturating_sub(60)
                            ..d.span().unwrap().range().end
                    )
                );
            }
            list.is_empty()
        })
        .count();
    assert!(good >= 120, "{good} of 200");
}

#[test]
fn every_scenario_of_the_project_compiles() {
    let mut seen = 0;
    for folder in ["scenarios", "tests"] {
        for path in programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if read(&text).1.list.is_empty() {
                formatted(&text);
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "ifs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A scenario and its canonical layout.
#[track_caller]
fn becomes(text: &str, layout: &str) {
    assert_eq!(formatted(text), layout);
}

#[test]
fn comments_stay_where_they_belong() {
    becomes(
        "\u{FEFF}// first\r\n\r\n\r\n// second\r\nifs 1 // edition\r\n// third\r\nlet a = 1\r\n// last",
        "// first\n\n// second\nifs 1  // edition\n\n// third\nlet a = 1\n// last\n",
    );
    becomes(
        "group g { // opens\n\n  // own\n  constraint c // name\n (n: int in 1..=2, // one\n m: text) { // two\n  // empty\n\n } // closes\n // before }\n} // end",
        "group g {  // opens\n  // own\n  // name\n  // one\n  constraint c(n: int in 1..=2, m: text) {  // two\n    // empty\n  }  // closes\n  // before }\n}  // end\n",
    );
    becomes(
        "constraint c {\n check a // x\n   and b\n say \"é\"   // y\n // z\n say \"a\", // w\n \"b\"\n}",
        "constraint c {\n  check a and b  // x\n  say   \"é\"      // y\n  // z\n  say \"a\", \"b\"  // w\n}\n",
    );
    becomes(
        "let a = f( // one\n 1, // two\n 2) // three",
        "// one\n// two\nlet a = f(1, 2)  // three\n",
    );
    becomes("feed f {\n\n // nothing\n\n}\nfeed g { }", "feed f {\n  // nothing\n}\n\nfeed g {}\n");
    becomes(
        "/// doc\n// note\n/// more\ngroup g {\n/// inner\n  // odd\n constraint c {} }",
        "// note\n/// doc\n/// more\ngroup g {\n  // odd\n  /// inner\n  constraint c {}\n}\n",
    );
    becomes(
        "dialogue d {\n evolve one per turn { // how\n add 50%, // a\n drop 50% modify // b\n }\n}",
        "dialogue d {\n  evolve one per turn {  // how\n    add 50%              // a\n    drop 50%  modify     // b\n  }\n}\n",
    );
    becomes("", "");
    becomes("\n\n", "");
    becomes("// only\n\n\n//// comments", "// only\n\n//// comments\n");
}

/// A `/` after a name divides, whatever the name; a comment after it stays one.
#[test]
fn comments_after_a_division() {
    for divided in
        ["check", "when", "weight", "a.in", "a.where.no", "4%", "\"x\"", "f(1)", "[1][1]"]
    {
        becomes(
            &format!("let x = {divided} / 2 // see a/b or c/d\nlet y = 1"),
            &format!("let x = {divided} / 2  // see a/b or c/d\nlet y = 1\n"),
        );
    }
    becomes(
        "constraint c { check /a/ in it // one / two /\n applies when /b \\/ c/ in it // three / four /\n}",
        "constraint c {\n  check   /a/ in it            // one / two /\n  applies when /b \\/ c/ in it  // three / four /\n}\n",
    );
}

#[test]
fn short_blocks_stay_short() {
    becomes(
        "dialogue d { variant v { repeat instructions at end } flow {\n stay at least 1 turn\n switch 80% { new 40% backtrack 60% } } }",
        "dialogue d {\n  variant v { repeat instructions at end }\n  flow {\n    stay   at least 1 turn\n    switch 80% { new 40%  backtrack 60% }\n  }\n}\n",
    );
    becomes(
        "dialogue d { for q in x { turn { ask q } } variant v {\n repeat instructions at end } }",
        "dialogue d {\n  for q in x {\n    turn { ask q }\n  }\n  variant v {\n    repeat instructions at end\n  }\n}\n",
    );
    becomes(
        "import a \"x\" { a: text, b?: list of { c: int } }\nimport b \"y\" {\n a: text, b: int }\n",
        "import a \"x\" { a: text, b?: list of { c: int } }\nimport b \"y\" {\n  a: text\n  b: int\n}\n",
    );
}

#[test]
fn words_are_aligned_in_runs() {
    becomes(
        "dialogue d {\n topic from t\n scope topic\n\n patience 3\n constraints from c\n weigh a 1\n flow f\n turn x { ask \"a\" }\n end when x }",
        "dialogue d {\n  topic from t\n  scope topic\n\n  patience 3\n  constraints from c\n  weigh a 1\n  flow f\n  turn x { ask \"a\" }\n  end when x\n}\n",
    );
    becomes(
        "constraint c {\n say \"a\"\n excludes x\n\n check a\n say \"\"\"\n b\n \"\"\"\n tag x\n check y }",
        "constraint c {\n  say      \"a\"\n  excludes x\n\n  check a\n  say \"\"\"\n  b\n  \"\"\"\n  tag   x\n  check y\n}\n",
    );
}

/// Wide letters take two columns, and marks that combine take none.
#[test]
fn expression_columns_see_earlier_columns() {
    becomes(
        "constraint c {\n say \"茶\" // a\n change \"e\u{301}\" // b\n withdraw \"abc\" // c\n check it == \"한국\" // d\n}",
        "constraint c {\n  say      \"茶\"          // a\n  change   \"e\u{301}\"           // b\n  withdraw \"abc\"         // c\n  check    it == \"한국\"  // d\n}\n",
    );
}

#[test]
fn parentheses_that_mean_something_stay() {
    for (written, kept) in [
        ("((a))", "a"),
        ("(a + b) * (c * d)", "(a + b) * (c * d)"),
        ("(a * b) + (c)", "a * b + c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("not (a and b)", "not (a and b)"),
        ("(not a) and (not b)", "not a and not b"),
        ("(not a) == b", "(not a) == b"),
        ("(every s: p) and q", "(every s: p) and q"),
        ("q and (every s: p)", "q and every s: p"),
        ("(if a then b) or c", "(if a then b) or c"),
        ("if a then (if b then c) else d", "if a then (if b then c) else d"),
        ("(word).x", "(word).x"),
        ("(a).x[(1)]", "a.x[1]"),
        ("f((a: b), c: (d))", "f((a: b), c: d)"),
        ("every (c in d): e", "every (c in d): e"),
        ("[(3..), (3..=4)]", "[3.., 3..=4]"),
        ("(3..) + 1", "(3..) + 1"),
        ("phrase ((a))", "phrase (a)"),
        ("-(-a)", "--a"),
        ("(a where b).c", "(a where b).c"),
    ] {
        becomes(&format!("let x = {written}"), &format!("let x = {kept}\n"));
    }
}

#[test]
fn long_lines_are_broken_at_the_outermost_place() {
    let long = "count(word) in 100..=200";
    becomes(
        &format!("constraint c {{ check {long} and f({long}, {long}) and {long} or {long} }}"),
        &format!(
            "constraint c {{\n  check {long} and f({long}, {long}) and\n      {long} or\n      {long}\n}}\n"
        ),
    );
    let list = "distinct(plays each lower(it.player))";
    becomes(
        &format!("let x = max({list} where count(word in it) > 1 each count(letter in it) + 1000)"),
        &format!(
            "let x = max({list} where count(word in it) > 1\n    each count(letter in it) + 1000)\n"
        ),
    );
    let name = "n".repeat(120);
    becomes(&format!("let {name} = a + b"), &format!("let {name} = a +\n    b\n"));
    let deep = format!("let x = {}1{}\n", "f(".repeat(60), ")".repeat(60));
    formatted(&deep);
}

#[test]
fn branches_are_below_one_another() {
    let word = "w".repeat(30);
    becomes(
        &format!("let x = if a then {word} else if b then f({word}, {word}) else {word}"),
        &format!(
            "let x = if a then {word}\n    else if b then f({word}, {word})\n    else {word}\n"
        ),
    );
    becomes(
        "let x = if a then 1 else if b then 2 else 3",
        "let x = if a then 1 else if b then 2 else 3\n",
    );
    let long = format!("{word} + {word} + {word} + 1");
    becomes(
        &format!("let x = if a then {long} else [{long}, {long}]"),
        &format!(
            "let x = if a then {word} + {word} +\n        {word} + 1\n    else [{word} + {word} +\n        {word} + 1,\n        {word} + {word} +\n        {word} + 1]\n"
        ),
    );
}

#[test]
fn literals_stay_as_written() {
    becomes(
        "let a = \"\\u{41}\\n é // {\" + 1_000 + 0.50 + 12.5% + f(/\\/{\"/i)",
        "let a = \"\\u{41}\\n é // {\" + 1_000 + 0.50 + 12.5% + f(/\\/{\"/i)\n",
    );
    becomes(
        "group g { constraint c { say \"\"\"\r\n        a\r\n\r\n          b  \r\n    \"\"\" } }",
        "group g {\n  constraint c {\n    say \"\"\"\n    a\n\n      b  \n    \"\"\"\n  }\n}\n",
    );
}
