//! Absurd responses, evaluated by every constraint of the library: none makes the program panic or
//! hang.

use ifs::model::table::{DecidedBy, SemanticModel};
use ifs::model::{LIBRARY, check};
use ifs::predicate::evaluate::{TextContext, TurnFacts, Variables, holds};
use ifs::predicate::explain::explain;
use ifs::predicate::turn_fact::TurnFact;
use ifs::predicate::value::Value;
use ifs::text::Text;
use ifs::world::MemoryWorld;

use crate::time_limit::ends;

const STACK: usize = 16 << 20;

/// In bytes: long enough to reveal cubic time, and short enough for a debug build.
const SIZE: usize = 500;

/// Long enough to reveal quadratic time for many rules.
const LONG: usize = 10_000;

fn nested(open: &str, close: &str) -> String {
    format!("{}{}", open.repeat(1_000), close.repeat(1_000))
}

/// Of about this many bytes.
fn answers(size: usize) -> Vec<(&'static str, String)> {
    let repeated = |part: &str| part.repeat(size / part.len());
    let planes = || (0..=0x10_ffff_u32).step_by(509).filter_map(char::from_u32);
    vec![
        ("one letter", repeated("a")),
        ("one capital", repeated("A")),
        ("one blank", repeated(" ")),
        ("one line end", repeated("\n")),
        ("one stop", repeated(".")),
        ("one star", repeated("*")),
        ("one quotation mark", repeated("\"")),
        ("one apostrophe", repeated("'")),
        ("one hyphen", repeated("-")),
        ("one backtick", repeated("`")),
        ("one digit", repeated("7")),
        ("one ideograph", repeated("中")),
        ("opening brackets", repeated("[")),
        ("opening angles", repeated("<")),
        ("opening tags", repeated("<a>")),
        ("entities", repeated("&amp;")),
        ("accents on one letter", format!("a{}", repeated("\u{301}"))),
        ("one family", repeated("👩\u{200d}")),
        ("flags", repeated("🇩")),
        ("words of one letter", repeated("a ")),
        ("sentences of one word", repeated("No. ")),
        ("initials", repeated("A.")),
        ("lines of one star", repeated("*\n")),
        ("rows of a table", repeated("|a|b|\n")),
        ("fences", repeated("```\n")),
        ("numbers", repeated("1,1.")),
        ("half a pattern", repeated("Section ")),
        ("nested lists", format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
        ("nested records", format!("{}1{}", "{\"a\":".repeat(1_000), "}".repeat(1_000))),
        ("nested elements", nested("<b>", "</b>")),
        ("nested quotations", nested("“", "”")),
        ("nested parentheses", nested("(", ")")),
        ("unbalanced", format!("{}{}", nested("<i>", "</b>"), "}])\"")),
        ("every plane", planes().collect()),
        ("every plane, by words", planes().flat_map(|c| [c, ' ']).collect()),
        ("directions", repeated("\u{202e}\u{2066}a\u{2069}\u{202c}\u{200f}")),
        ("controls", (0..size).map(|at| char::from((at % 32) as u8)).collect()),
    ]
}

fn library() -> Vec<(String, SemanticModel)> {
    let read = |(module, text): &(&str, &str)| {
        let checked = check(&MemoryWorld::new([("main.ifs", *text)]), "main.ifs");
        ((*module).to_owned(), checked.model.unwrap_or_else(|| panic!("{module}")))
    };
    LIBRARY.iter().map(read).collect()
}

/// Evaluates every rule of the library with the arguments of its first test; returns their number.
fn read_by_all(library: &[(String, SemanticModel)], answer: &str) -> usize {
    let text = Text::new(answer);
    let facts = [
        (TurnFact::Prompt, Value::text(answer)),
        (TurnFact::Replies, Value::list([Value::text(answer)])),
        (TurnFact::Reply, Value::Int(2)),
        (TurnFact::Turn, Value::Int(2)),
        (TurnFact::Age, Value::Int(1)),
    ];
    let facts = TurnFacts(&facts);
    let mut read = 0;
    for (module, model) in library {
        for constraint in model.groups.iter().flat_map(|group| &group.constraints) {
            let DecidedBy::Rule(tree) = &constraint.by else { continue };
            let test = model.tests.iter().find(|test| test.constraint == constraint.name);
            let test = test.unwrap_or_else(|| panic!("{module}.{} has no test", constraint.name));
            let args = test.args.as_slice();
            let variables: (&dyn Variables, &dyn Variables) = (&args, &facts);
            let scene = TextContext { it: &text, variables: &variables };
            let held = holds(tree, &scene);
            let why = explain(tree, &scene);
            assert_eq!(held, why.is_none(), "{module}.{}", constraint.name);
            if let Some(why) = why {
                assert!(!why.text.is_empty(), "{module}.{}", constraint.name);
            }
            read += 1;
        }
    }
    read
}

#[test]
fn no_response_crashes_a_library_rule() {
    every_rule_reads(SIZE);
}

#[test]
#[ignore = "a minute: `just responses`"]
fn no_long_response_crashes_a_library_rule() {
    every_rule_reads(LONG);
}

fn every_rule_reads(size: usize) {
    let library = std::sync::Arc::new(library());
    for (name, answer) in answers(size) {
        let library = library.clone();
        let read = ends(name, STACK, move || read_by_all(&library, &answer));
        assert!(read > 200, "{name}: {read}");
    }
}
