//! Small scenarios that could take hours or gigabytes: each is done or refused, with its code, within
//! limits that count steps. What a scenario costs is the same on every machine, so no test here looks
//! at a clock; a scenario whose work nobody counts would exceed the time limit of all tests.

use ifs::diagnostic::Severity;
use ifs::plan::changes::Class;
use ifs::plan::picture;
use ifs::program::find_in;
use ifs::proof::{Prover, Steps};
use ifs::script::{Drawer, Seed, compare_drawn};
use ifs::work;
use ifs::world::MemoryWorld;

use crate::time_limit::ends;

const STACK: usize = 64 << 20;
/// The most steps of everything that a command does with a scenario, drawings and witnesses included.
const MOST_STEPS: u64 = 200_000_000;
/// The dialogues and turns that are drawn, as by `ifs draw -n 2 --turns 12`.
const DIALOGUES: u64 = 2;
const TURNS: usize = 12;

/// The codes with which a scenario may be refused for its size or its depth.
const REFUSALS: &[&str] = &["too-large", "too-deep"];

struct Outcome {
    /// The codes of the errors, in `check` and then in drawing.
    codes: Vec<&'static str>,
    reported: String,
    steps: u64,
}

/// Everything that the commands do with a scenario before a request is sent.
fn outcome(files: &[(&'static str, String)]) -> Outcome {
    let world = MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_str())));
    let mut codes = Vec::new();
    let mut reported = String::new();
    let ((), spent) = work::within(10 * MOST_STEPS, || {
        let mut scenario = find_in(&world, "main.ifs");
        if scenario.checked.is_some() {
            scenario.draw_first();
        }
        for diagnostic in &scenario.diagnostics {
            if diagnostic.severity == Severity::Error {
                codes.push(diagnostic.code.name());
                reported.push_str(&diagnostic.message);
                reported.push('\n');
            }
        }
        let Some((plan, _)) = &scenario.checked else { return };
        for dialogue in plan.dialogues() {
            let name = &dialogue.table.name;
            if let Err(too_much) = picture::svg(plan, dialogue) {
                codes.push("too-large");
                reported.push_str(&format!("{too_much}\n"));
            }
            let Ok(drawer) = Drawer::new(plan, name) else { continue };
            let steps = Steps::default();
            for index in 0..DIALOGUES {
                let mut prover = Prover::new(plan, name).with_budget(steps.share(index));
                for turn in drawer.script(Seed(1), index).take(TURNS) {
                    match turn {
                        Ok(turn) => _ = prover.prove(&turn),
                        Err(error) => {
                            codes.push(error.diagnostic().code.name());
                            reported.push_str(&format!("{error}\n"));
                        }
                    }
                }
            }
        }
    });
    codes.sort_unstable();
    codes.dedup();
    Outcome { codes, reported, steps: spent.steps }
}

/// What becomes of a bomb.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    /// It is small enough.
    Done,
    /// It is refused for its size.
    Refused,
    /// It is refused for what is wrong with it.
    Wrong(&'static str),
}
use Fate::{Done, Refused, Wrong};

const TOPICS: &str = "{\"name\": \"tea\", \"request\": \"How?\", \"label\": \"leaf\", \"keywords\": [\"leaf\", \"cup\", \"water\"]}\n";

fn files(main: String) -> Vec<(&'static str, String)> {
    vec![("main.ifs", format!("ifs 1\n{main}")), ("topics.jsonl", TOPICS.to_owned())]
}

/// Lines with their numbers, from 0 or 1.
fn lines(count: std::ops::Range<usize>, line: impl Fn(usize) -> String) -> String {
    count.map(|at| line(at) + "\n").collect()
}

/// A written dialogue.
fn talk(statements: &str) -> String {
    format!("dialogue d {{\n{statements}\n}}\n")
}

/// A turn with statements.
fn turn(statements: &str) -> String {
    talk(&format!("turn t {{ ask \"Well?\"\n{statements}\n}}"))
}

/// A flow of topics with constraints.
fn flow(constraints: &str, statements: &str) -> String {
    format!(
        "import topics \"topics.jsonl\" {{ name: text request: text label: text keywords: list of text }}\n\
         {constraints}\ndialogue d {{\n  topic from topics\n  flow {{ stay at least 5 turns }}\n  \
         end when turns >= 40\n{statements}\n}}\n"
    )
}

fn exact(count: usize) -> String {
    lines(1..count + 1, |n| {
        format!("constraint c{n} {{ say \"{n} words.\" check count(word) == {n} }}")
    })
}

fn bombs() -> Vec<(&'static str, String, Fate)> {
    let double = |base: &str, step: &str, last: usize| {
        let functions =
            lines(1..last, |n| format!("def g{n}(x) {{ return g{}({}) }}", n - 1, step));
        format!("def g0(x) {{ return {base} }}\n{functions}let z = g{}(1)\n", last - 1)
    };
    let lets = |step: &str, last: usize| {
        lines(1..last, |n| format!("let x{n} = {}", step.replace('P', &format!("x{}", n - 1))))
    };
    vec![
        // ---- types
        ("records that double", double("len([x])", "{ a: x, b: x }", 22), Refused),
        ("records of lists that double", double("len([x])", "{ a: [x], b: [x] }", 22), Refused),
        ("records that triple", double("len([x])", "{ a: x, b: x, c: x }", 16), Refused),
        (
            "records ten wide",
            double("len([x])", "{ a: x, b: x, c: x, d: x, e: x, f: x, g: x, h: x, i: x, j: x }", 9),
            Refused,
        ),
        (
            "records that double in a function",
            format!(
                "def f(x) {{\nlet x0 = {{ a: x }}\n{}return len([x24])\n}}\nlet z = f(1)\n",
                lets("{ a: P, b: P }", 25)
            ),
            Refused,
        ),
        (
            "records that double in a file",
            format!("let x0 = {{ a: 1 }}\n{}", lets("{ a: P, b: P }", 25)),
            Refused,
        ),
        (
            "lists that double in a file",
            format!("let x0 = [1, 2]\n{}", lets("[P, P]", 26)),
            Refused,
        ),
        (
            "records that double in a dialogue",
            talk(&format!(
                "let x0 = {{ a: 1 }}\n{}turn t {{ ask \"{{{{ x24.a }}}}\" }}",
                lets("{ a: P, b: P }", 25)
            )),
            Refused,
        ),
        (
            "records that double in a turn",
            turn(&format!("let x0 = {{ a: 1 }}\n{}", lets("{ a: P, b: P }", 25))),
            Refused,
        ),
        ("functions that call twice", double("x + x", "x) + g0(x", 60), Done),
        (
            "functions that call the one before twice",
            {
                let functions = lines(1..30, |n| {
                    format!("def g{n}(x) {{ return g{0}(x) + g{0}(x + 1) }}", n - 1)
                });
                format!("def g0(x) {{ return x }}\n{functions}let z = g29(1)\n")
            },
            Refused,
        ),
        // ---- names
        (
            "names of 50,000 letters",
            talk(&format!(
                "{}turn t {{ ask \"A.\" }}",
                lines(0..30, |n| format!("let {}{n} = {}", "a".repeat(50_000), "b".repeat(50_000)))
            )),
            Wrong("unknown-name"),
        ),
        // ---- conflicts
        (
            "a million constraints at the start",
            flow(&exact(12), "start with 1000000 constraints"),
            Wrong("contradictory-constraints"),
        ),
        // ---- pictures
        (
            "2,000 turns in a row",
            talk(&lines(0..2_000, |n| format!("turn t{n} {{ ask \"A.\" }}"))),
            Done,
        ),
        // ---- observations
        (
            "60 branches in branches",
            talk(&format!(
                "turn t {{ ask \"A.\"\n{}}}\n{}turn u {{ ask \"B.\" }}\n{}",
                lines(0..60, |n| format!("observe o{n} contains(\"{n}\")")),
                lines(0..60, |n| format!("when o{n} {{")),
                "}\n".repeat(60)
            )),
            Done,
        ),
        (
            "a condition of 300 observations",
            talk(&format!(
                "turn t {{ ask \"A.\"\n{}}}\nwhen {} {{ turn u {{ ask \"B.\" }} }}\n",
                lines(0..300, |n| format!("observe o{n} contains(\"{n}\")")),
                (0..300).map(|n| format!("o{n}")).collect::<Vec<_>>().join(" or ")
            )),
            Refused,
        ),
        // ---- draws
        (
            "requirements that come after all before them",
            turn(&lines(0..1_200, |n| {
                let before: Vec<String> = (0..n).map(|other| format!("r{other}")).collect();
                let after = if n > 0 { " after " } else { "" };
                format!("require r{n} contains(\"w{n}\"){after}{}", before.join(", "))
            })),
            Done,
        ),
        (
            "1,500 constraints that evolve",
            flow(
                &lines(0..1_500, |n| {
                    format!(
                        "constraint c{n}(w: one_of [\"a{n}\", \"b{n}\"]) {{ say \"{{{{ w }}}}\" withdraw \"No.\" check contains(word (w)) }}"
                    )
                }),
                "start with 700 constraints\nevolve 1000 per turn { add 40% modify 40% drop 20% }",
            ),
            Refused,
        ),
        (
            "a witness that does not exist",
            flow(
                "constraint c { say \"x\" check is_palindrome and count(word) == 61 and unique(word) }",
                "start with 1 constraint\nredraw until witness within 1000000 draws",
            ),
            Wrong("bad-number"),
        ),
        (
            "loops in loops",
            talk(
                "for a in 1..=1000 { for b in 1..=1000 { for c in 1..=1000 { turn t { ask \"A.\" } } } }",
            ),
            Done,
        ),
        (
            "a loop of a hundred million",
            talk("for a in 1..=100000000 { turn t { ask \"A.\" } }"),
            Wrong("no-value"),
        ),
        // ---- expressions
        (
            "replaced by a hundred letters, five times",
            turn(&format!(
                "let x0 = \"a\"\n{}require r contains(x5)",
                lines(1..6, |n| format!(
                    "let x{n} = replace(x{}, /a/, \"{}\")",
                    n - 1,
                    "a".repeat(100)
                ))
            )),
            Wrong("no-value"),
        ),
        (
            "a text joined of texts",
            "let t = join(1..=100000 each join(1..=1000 each \"xxxxxxxxxxxx\"))\n".to_owned(),
            Refused,
        ),
        (
            "a schema of 300 times 60 fields",
            {
                let inner: Vec<String> =
                    (0..60).map(|n| format!("f{n}: {{ type: \"integer\" }}")).collect();
                let outer: Vec<String> = (0..300).map(|n| format!("g{n}: {{ type: \"object\", required: [\"f1\"], properties: {{ {} }} }}", inner.join(", "))).collect();
                turn(&format!(
                    "require r is_json({{ type: \"object\", required: [\"g1\"], properties: {{ {} }} }})",
                    outer.join(", ")
                ))
            },
            Refused,
        ),
        (
            "lists in lists of a schema",
            {
                let list = "{ type: \"array\", minItems: 3, items: ";
                let schema =
                    format!("{}{{ type: \"string\" }}{}", list.repeat(20), " }".repeat(20));
                turn(&format!("require r is_json({schema})"))
            },
            Done,
        ),
        (
            "ranges with a condition on their pairs",
            talk(
                "turn t {\nparam w: window in (1..=20000 each it) where (every a in it: every b in it: a + b > 0) and len(it) > 19000\nask \"{{ w[0] }}\" }",
            ),
            Refused,
        ),
        (
            "patterns that are too large",
            turn(&lines(0..200, |n| {
                format!("require r{n} matches(/(\\w+\\s+{n}){{60}}\\p{{L}}{{200}}/i)")
            })),
            Wrong("bad-regex"),
        ),
        (
            "a pattern of many letters",
            turn(r"require r matches(/(\p{L}{500}){20}/)"),
            Wrong("bad-regex"),
        ),
        (
            "patterns that repeat",
            turn(&lines(0..40, |n| format!("require r{n} contains(/(a?){{40}}b{{{n}}}/)"))),
            Done,
        ),
        (
            "a template that loops",
            talk(
                "turn t { ask \"{% for i in range(9999) %}{% for j in range(9999) %}x{% endfor %}{% endfor %}\" }",
            ),
            Wrong("unfilled-text"),
        ),
    ]
}

#[test]
fn bombs_are_done_or_refused() {
    let only = std::env::var("IFS_BOMB").ok();
    let mut wrong = Vec::new();
    let bombs = bombs();
    assert!(bombs.len() >= 25, "{} bombs", bombs.len());
    for (name, main, fate) in bombs {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let all = files(main);
        let Outcome { codes, reported, steps } = ends(name, STACK, move || outcome(&all));
        let actual = match codes.as_slice() {
            [] => Done,
            codes if codes.iter().all(|code| REFUSALS.contains(code)) => Refused,
            [code, ..] => Wrong(code),
        };
        if actual != fate || steps > MOST_STEPS {
            let reported: String = reported.chars().take(300).collect();
            wrong.push(format!("{name}: {steps} steps, {codes:?} for {fate:?}\n{reported}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where the dialogues of two sides take too much work to draw, one change says so, and scores are not
/// called comparable.
#[test]
fn comparisons_are_done_or_refused() {
    let plan = |more: &str| {
        let constraints = lines(0..40, |n| {
            format!("constraint c{n} {{ say \"Say w{n}.\" check contains(\"w{n}\") }}")
        });
        let text = flow(&format!("{constraints}{more}"), "start with 1000000 constraints");
        let files = files(text);
        let world = MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_str())));
        find_in(&world, "main.ifs").checked.expect("it compiles").0
    };
    let (old, new) = (plan(""), plan("constraint z { say \"Z.\" check contains(\"z\") }"));
    let compare = move || {
        work::within(MOST_STEPS, || compare_drawn(&old, &new, 20).expect("it can be drawn"))
    };
    let ((changes, counts), spent) = ends("a comparison", STACK, compare);
    let unestablished = changes.changes.iter().filter(|it| it.reason.contains("too much work"));
    assert_eq!(unestablished.count(), 1, "{changes:?}");
    assert_eq!(changes.class(), Class::NotComparable);
    assert_eq!(counts[0].drawn, 0);
    assert!(spent.steps < MOST_STEPS / 5, "{} steps", spent.steps);
}
