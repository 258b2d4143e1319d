//! The prerequisites of a statement: without them, it is an error.

use ifs::syntax::statement::{Need, TABLE};
use ifs::world::MemoryWorld;

/// Statements of a dialogue that has this need unmet, and the statement that then has no effect.
fn lacking(need: Need) -> &'static [(&'static str, &'static str)] {
    const TURNS: &str = "turn { ask \"One?\" } turn { ask \"Two?\" }";
    match need {
        Need::Draws => &[("constraints from plain", TURNS)],
        Need::Scoped => &[
            ("scope turn impose 1 from plain", TURNS),
            ("scope topic start with 1 constraint", TURNS),
        ],
        Need::Active => &[("redraw on conflict", TURNS)],
        Need::Said => &[
            ("repeat instructions at end", TURNS),
            ("repeat instructions at end impose plain by system", TURNS),
        ],
        Need::Judged => &[
            ("retry up to 1 round with feedback", TURNS),
            ("patience 1 end when patience == 0", TURNS),
        ],
        Need::Asked => &[("judge checklist by \"judge.j2\" impose 1 from plain", TURNS)],
        Need::Questions => &[("judge history all impose 1 from plain", TURNS)],
        Need::SeenHistory => &[(
            "judge sees answer judge history all",
            "turn { ask \"One?\" } turn { ask \"Two?\" require r judge \"Good?\" }",
        )],
        Need::RuledFact => &[("facts by judge", "turn { ask \"One?\" expect 1 \"says one\" }")],
        Need::LaterTurn => &[
            ("evolve one per turn { add }", "turn { ask \"One?\" }"),
            ("end when turns >= 2", "turn { ask \"One?\" }"),
            ("context golden", "turn { ask \"One?\" answer \"One.\" }"),
        ],
        Need::Answers => &[
            ("context golden", TURNS),
            (
                "context golden",
                "turn { ask \"One?\" answer \"One.\" } turn { ask \"Two?\" } turn { ask \"Three?\" }",
            ),
            ("context golden", "for n in [1, 2] { turn { ask \"Round {{ n }}?\" } }"),
        ],
        Need::Spent => &[
            ("patience 1 impose 1 from plain", TURNS),
            ("patience 1 impose 1 from plain end when turns >= 1", TURNS),
        ],
        Need::Weighed => &[("weigh other 2 impose 1 from plain", TURNS)],
        Need::Template => &[("templates from \"words\"", TURNS)],
        Need::Named => &[
            ("topic from topics", TURNS),
            ("style from topics", TURNS),
            ("over", "turn { ask \"One?\" }"),
        ],
        Need::Against => &[("priority system > user impose plain by system", TURNS)],
        Need::Statements => &[("variant v { }", TURNS)],
        Need::Turns => &[
            ("for n in [1, 2] { let m = n + 1 }", TURNS),
            ("when zebra { let m = 1 }", "turn { ask \"One?\" observe zebra contains(\"z\") }"),
        ],
    }
}

const HEAD: &str = "ifs 1
import topics \"topics.jsonl\" { name: text  request: text }
constraint plain { say \"Be plain.\" check contains(\"ok\") }
constraint other { say \"Be other.\" check contains(\"ok\") }
";

fn found(program: &str) -> Vec<(String, String)> {
    let topics = "{\"name\": \"tides\", \"request\": \"Why?\"}\n";
    let files = [
        ("main.ifs", program),
        ("topics.jsonl", topics),
        ("judge.j2", "Answer.\n"),
        ("words/open.j2", "Hello.\n"),
    ];
    let checked = ifs::model::check(&MemoryWorld::new(files), "main.ifs");
    let all = checked.diagnostics.list.iter();
    let errors = all.filter(|one| one.severity == ifs::diagnostic::Severity::Error);
    errors.map(|one| (one.code.name().to_owned(), one.message.clone())).collect()
}

#[test]
fn statements_without_effect_are_errors() {
    let mut needs: Vec<Need> = Vec::new();
    for need in TABLE.iter().flat_map(|row| row.needs) {
        if !needs.contains(need) {
            needs.push(*need);
        }
    }
    assert_eq!(needs.len(), 18);
    for need in needs {
        for (stmts, turns) in lacking(need) {
            let (head, stmts) = match *stmts {
                "over" => (" over topics as one", ""),
                stmts => ("", stmts),
            };
            let of_dialogue = format!("{HEAD}dialogue d{head} {{\n{stmts}\n{turns}\n}}\n");
            let mut programs = vec![of_dialogue];
            // The same applies to a variant; its records and loops are reported with the dialogue.
            let word = stmts.split(' ').next().unwrap_or("");
            if !["", "variant"].contains(&word) {
                let own = format!("{turns}\nvariant v {{\n{stmts}\n}}");
                programs.push(format!("{HEAD}dialogue d {{\n{own}\n}}\n"));
            }
            for program in programs {
                let found = found(&program);
                let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
                let wanted = if need == Need::Answers { "bad-context" } else { "no-effect" };
                assert_eq!(codes, [wanted], "{need:?}: {found:?}\n{program}");
            }
        }
    }
}

#[test]
fn a_move_that_is_never_made_has_no_turns() {
    for (flow, wrong) in [
        ("switch 0% { new } turn backtrack { require r contains(\"x\") }", true),
        ("switch 100% { new } turn stay { require r contains(\"x\") }", true),
        ("switch 50% { new } turn stay { require r contains(\"x\") }", false),
    ] {
        let rest = "topic from topics end when turns >= 3";
        let found = found(&format!("{HEAD}dialogue d {{ {rest} flow {{ {flow} }} }}\n"));
        let codes: Vec<&str> = found.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(codes, if wrong { vec!["no-effect"] } else { vec![] }, "{flow}");
    }
}
