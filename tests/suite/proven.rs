//! "Contradictory" means proven: what a text refutes is no contradiction, in `check`, in `prove` and in
//! drawing; what is only unlikely in prose is a warning; and a warning can be allowed with a reason.

use std::fs;

use ifs::diagnostic::{Diagnostic, Severity};
use ifs::program::{CheckedScenario, find_in};
use ifs::world::MemoryWorld;
use tempfile::TempDir;

use crate::cli::ifs;

fn checked_files(files: &[(&str, &str)]) -> CheckedScenario {
    let mut checked = find_in(&MemoryWorld::new(files.iter().copied()), "main.ifs");
    checked.draw_first();
    checked
}

fn checked(main: &str) -> Vec<Diagnostic> {
    checked_files(&[("main.ifs", &format!("ifs 1\n{main}"))]).diagnostics
}

fn codes(main: &str) -> Vec<(&'static str, Severity)> {
    checked(main).iter().map(|found| (found.code.name(), found.severity)).collect()
}

const ERROR: Severity = Severity::Error;
const WARNING: Severity = Severity::Warning;

/// A dialogue of one turn with these requirements.
fn turn(requirements: &[&str]) -> String {
    let all: Vec<String> =
        (0..).zip(requirements).map(|(at, check)| format!("require r{at} {check}")).collect();
    format!("dialogue talk {{ turn only {{ ask \"Well?\"\n{}\n}} }}\n", all.join("\n"))
}

/// Sets that hold for no prose, each with a text that somebody may write.
const UNLIKELY: &[&[&str]] = &[
    &["count(letter) == 0", "count(word) == 1"],
    &["count(letter) == 0", "count(word) == 3"],
    &["count(letter) <= 1", "count(word.pattern) >= 3"],
    &["count(sentence) > 3", "count(letter) + count(/\\d/) <= 4"],
    &["count(letter) == 0", "count(number) == 4", "count(line) == 2"],
];

#[test]
fn what_a_text_refutes_is_not_reported() {
    let folder = TempDir::new().unwrap();
    for requirements in UNLIKELY {
        let main = turn(requirements);
        let found = checked(&main);
        assert!(found.is_empty(), "{requirements:?}: {found:?}");
        fs::write(folder.path().join("main.ifs"), format!("ifs 1\n{main}")).unwrap();
        ifs(folder.path(), &["prove", "main.ifs"]).ends(0).says("satisfiable");
    }
}

#[test]
fn prove_distinguishes_proofs_from_hints() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("rows.jsonl"), "{\"name\":\"a\",\"none\":0,\"few\":2}\n").unwrap();
    let prove = |requirements: &[&str]| {
        let main = turn(requirements).replace("talk {", "talk over rows as row {");
        let main = format!(
            "ifs 1\nimport rows \"rows.jsonl\" {{ name: text none: int few: int }}\n{main}"
        );
        fs::write(folder.path().join("main.ifs"), main).unwrap();
        let proved = ifs(folder.path(), &["prove", "main.ifs", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&proved.out).expect("JSON")["result"].clone()
    };
    assert_eq!(prove(&["count(word) >= 3", "count(word) <= row.few"]), "contradictory");
    // `²` is a word without a letter and without a digit of any script.
    let unlikely = ["count(word) == 1", "count(letter) == row.none", "count(/\\d/) == 0"];
    assert_eq!(prove(&unlikely), "unlikely in prose");
    assert_eq!(
        prove(&["is_palindrome", "count(word) == 60 + row.few", "unique(word)"]),
        "not found"
    );
    assert_eq!(prove(&["count(word) == 1", "count(letter) == row.none"]), "satisfiable");
}

#[test]
fn hints_are_warnings_of_their_own() {
    // A row of marks satisfies it, and nothing that somebody writes.
    let unlikely =
        turn(&["count(paragraph) >= 1 and count(sentence) == 0 and count(word.pattern) == 0"]);
    let found = checked(&unlikely);
    assert!(found.iter().all(|one| one.severity == WARNING), "{found:?}");
    assert!(!found.iter().any(|one| one.message.contains("can never hold")), "{found:?}");
}

/// One requirement that nothing satisfies is one error, however many others there are.
#[test]
fn an_impossible_requirement_is_one_error() {
    let mut requirements = vec!["is_lower and starts_with(\"Ann\")"];
    let others: Vec<String> =
        (1..12).map(|at| format!("count(word) >= {at} and count(char) < 900")).collect();
    requirements.extend(others.iter().map(String::as_str));
    let found = codes(&turn(&requirements));
    let errors: Vec<_> = found.iter().filter(|(_, severity)| *severity == ERROR).collect();
    assert_eq!(errors, [&("impossible-constraint", ERROR)], "{found:?}");
    // And so is an impossible constraint that a turn imposes next to others.
    let imposed = "constraint never { say \"No.\" check count(word) > 3 and count(word) < 2 }
        constraint fine { say \"Yes.\" check count(word) > 5 }
        dialogue talk { turn only { ask \"Well?\" impose never impose fine
          require a count(word) < 90 require b count(sentence) > 1 } }";
    let found = codes(imposed);
    let errors: Vec<_> = found.iter().filter(|(_, severity)| *severity == ERROR).collect();
    assert_eq!(errors, [&("impossible-constraint", ERROR)], "{found:?}");
}

const JSON_LATER: &str = "dialogue talk {
      start with 1 constraint
      turn first { ask \"Hello.\" }
      turn second { ask \"As JSON, please.\" require form is_json and starts_with(text \"{\") }
    }";

/// A condition that does not hold on a turn asks for nothing there.
#[test]
fn conditions_on_turns_are_known() {
    let constraint = |applies: &str| {
        format!(
            "constraint plain {{ say \"No braces.\" check not contains(\"{{\") {applies} }}\n{JSON_LATER}"
        )
    };
    for applies in [
        "applies when turn <= 1",
        "applies when turn == 1",
        "applies when not turn >= 2",
        "applies when reply < 2",
        "applies when turn in 1..=1",
        "applies when turn != 2",
    ] {
        assert_eq!(codes(&constraint(applies)), [], "{applies}");
    }
    for applies in
        ["", "applies when turn >= 2", "applies when turn == 2", "applies when reply > 1"]
    {
        let found = codes(&constraint(applies));
        assert_eq!(found, [("contradictory-constraints", ERROR)], "{applies}");
    }
    // The same for what is imposed under a condition.
    let imposed = |condition: &str| {
        format!(
            "constraint plain {{ say \"No braces.\" check not contains(\"{{\") }}
             dialogue talk {{
               impose plain applies when {condition}
               turn first {{ ask \"Hello.\" }}
               turn second {{ ask \"As JSON, please.\" require form is_json and starts_with(text \"{{\") }}
             }}"
        )
    };
    assert_eq!(codes(&imposed("turn <= 1")), []);
    assert_eq!(codes(&imposed("turn >= 2")), [("contradictory-constraints", ERROR)]);
}

/// The numbers of turns in loops and branches are known as far as they can be.
#[test]
fn turns_after_loops_and_branches() {
    let dialogue = |condition: &str, before: &str| {
        format!(
            "constraint plain {{ say \"No braces.\" check not contains(\"{{\") applies when {condition} }}
             dialogue talk {{
               start with 1 constraint
               {before}
               turn last {{ ask \"As JSON, please.\" require form is_json and starts_with(text \"{{\") }}
             }}"
        )
    };
    let turns = "turn a { ask \"A.\" observe long count(word) > 9 } turn b { ask \"B.\" }";
    let branch = "turn a { ask \"A.\" observe long count(word) > 9 }
        when long { turn b { ask \"B.\" } turn c { ask \"C.\" } } else { turn d { ask \"D.\" } }";
    assert_eq!(codes(&dialogue("turn <= 2", turns)), []);
    assert_eq!(codes(&dialogue("turn == 3", turns)), [("contradictory-constraints", ERROR)]);
    // It may be turn 3 or 4.
    assert_eq!(codes(&dialogue("turn <= 1", branch)), []);
    let found = codes(&dialogue("turn == 3", branch));
    assert!(
        found
            .iter()
            .all(|(code, _)| *code == "contradictory-constraints" || *code == "clashing-record"),
        "{found:?}"
    );
    let repeated = "for i in 1..=3 { turn a { ask \"A.\" } }";
    let found = codes(&dialogue("turn == 1", repeated));
    assert!(found.iter().all(|(_, severity)| *severity == WARNING), "{found:?}");
}

// ---- allow --------------------------------------------------------------------------------

const TRIVIAL: &str = "constraint something { say \"Say something.\" check count(word) >= 0 }\n";
const TALK: &str = "dialogue talk { start with 1 constraint turn only { ask \"Hello.\" } }\n";

#[test]
fn a_warning_can_be_allowed() {
    assert_eq!(codes(&format!("{TRIVIAL}{TALK}")), [("trivial-constraint", WARNING)]);
    let allow = "allow trivial-constraint because \"an empty text must not fail\"\n";
    assert_eq!(codes(&format!("{allow}{TRIVIAL}{TALK}")), []);
    // Next to doc comments, in a group, and on a pair.
    assert_eq!(codes(&format!("/// Anything.\n{allow}/// At all.\n{TRIVIAL}{TALK}")), []);
    assert_eq!(codes(&format!("group g {{\n  {allow}  {TRIVIAL}}}\n{TALK}")), []);
    assert_eq!(codes(&format!("{allow}group g {{\n  {TRIVIAL}}}\n{TALK}")), []);
    let pair = |above: &str, inside: &str| {
        format!(
            "{above}constraint short {{ say \"Short.\" check count(word) < 9 }}
             constraint long {{ say \"Long.\" check count(word) > 20 }}
             {inside}dialogue talk {{ start with 1 constraint turn only {{ ask \"Hello.\" }} }}"
        )
    };
    let allow = "allow contradictory-constraints because \"one of them at a time\"\n";
    assert_eq!(codes(&pair("", "")), [("contradictory-constraints", WARNING)]);
    assert_eq!(codes(&pair(allow, "")), []);
    // In a turn, and in a loop around turns.
    let unused =
        "dialogue talk { for i in [1] { turn only { ask \"Hello.\"\n  ALLOW  let x = 3\n } } }";
    assert_eq!(codes(&unused.replace("ALLOW", "")), [("unused-name", WARNING)]);
    let allow = "allow unused-name because \"an example\"\n";
    assert_eq!(codes(&unused.replace("ALLOW", allow)), []);
}

#[test]
fn what_is_allowed_is_needed_and_known() {
    let unneeded = "allow redundant-constraint because \"perhaps\"\n";
    assert_eq!(
        codes(&format!("{unneeded}{}{TALK}", TRIVIAL.replace(">= 0", ">= 1"))),
        [("unneeded-allow", WARNING)]
    );
    // Two of one code: one is enough.
    let allow = "allow trivial-constraint because \"so\"\n";
    assert_eq!(codes(&format!("{allow}{allow}{TRIVIAL}{TALK}")), [("unneeded-allow", WARNING)]);
    // Of another statement.
    let other = "constraint other { say \"Other.\" check count(word) >= 1 }\n";
    let found = codes(&format!("{TRIVIAL}{allow}{other}{TALK}"));
    assert_eq!(found, [("trivial-constraint", WARNING), ("unneeded-allow", WARNING)]);
    // Errors are not allowed.
    let error = "allow impossible-constraint because \"it is only a test\"
        constraint never { say \"No.\" check count(word) > 3 and count(word) < 2 }\n";
    assert_eq!(codes(&format!("{error}{TALK}")), [("impossible-constraint", ERROR)]);
    for (line, code) in [
        ("allow trivial because \"so\"\n", "bad-allow"),
        ("allow trivial-constraint because \" \"\n", "bad-allow"),
        ("allow trivial-constraint\n", "syntax"),
        ("allow because \"so\"\n", "syntax"),
        ("allow trivial-constraint because so\n", "syntax"),
    ] {
        let found = codes(&format!("{line}{TRIVIAL}{TALK}"));
        assert!(found.contains(&(code, ERROR)), "{line}: {found:?}");
        assert_eq!(found.iter().filter(|(_, severity)| *severity == ERROR).count(), 1, "{found:?}");
    }
    // Above nothing.
    let found = codes(&format!("{TALK}allow trivial-constraint because \"so\"\n"));
    assert_eq!(found, [("dangling-doc", ERROR)]);
    let found =
        codes("dialogue talk { turn only { ask \"Hello.\"\n allow no-effect because \"so\"\n } }");
    assert_eq!(found, [("dangling-doc", ERROR)]);
    // An imported file may be for others.
    let module = "ifs 1\nallow redundant-constraint because \"in another scenario\"\n".to_owned()
        + &TRIVIAL.replace(">= 0", ">= 1");
    let main = format!("ifs 1\nuse rules.*\n{TALK}");
    let found = checked_files(&[("main.ifs", &main), ("rules.ifs", &module)]).diagnostics;
    assert!(found.iter().all(|one| one.code.name() != "unneeded-allow"), "{found:?}");
}

/// It is laid out as a doc comment is, and changes no definition.
#[test]
fn allow_is_formatted_and_means_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("main.ifs");
    let written = "ifs 1\n\n/// Anything.\nallow   trivial-constraint    because  \"so // it \\\"is\\\"\"  // for now\nconstraint c {\n  say \"Say something.\"\n  check count(word) >= 0\n}\n\ndialogue talk {\n  start with 1 constraint\n  turn only {\n      allow unused-name because \"an example\"\n    let x = 3\n    ask \"Hello.\"\n  }\n}\n";
    fs::write(&path, written).unwrap();
    ifs(folder.path(), &["fmt", "main.ifs"]).ends(0);
    let formatted = fs::read_to_string(&path).unwrap();
    assert!(
        formatted
            .contains("allow trivial-constraint because \"so // it \\\"is\\\"\"\nconstraint c {"),
        "{formatted}"
    );
    assert!(formatted.contains("// for now"), "{formatted}");
    assert!(
        formatted.contains("    allow unused-name because \"an example\"\n    let x = 3\n"),
        "{formatted}"
    );
    ifs(folder.path(), &["fmt", "--check", "main.ifs"]).ends(0);
    let hash = |text: &str| {
        fs::write(&path, text).unwrap();
        let out = ifs(folder.path(), &["check", "main.ifs"]).ends(0).out;
        out.split("definition ").nth(1).map(|rest| rest[..20].to_owned()).expect("a hash")
    };
    let without: String = written
        .lines()
        .filter(|line| !line.contains("allow"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(hash(written), hash(&without));
    ifs(folder.path(), &["explain", "allow"]).ends(0).says("Silences a warning");
}
