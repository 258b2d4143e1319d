//! Scenarios with one fault each, and twins without it.

use std::collections::BTreeSet;

use ifs::audit::Options;
use ifs::forms::{FormGroup, forms};

use super::{about_games, audited, audited_with, findings, plan, with_constraint};

/// A scenario with a fault, and its twin without it.
struct Pair {
    name: &'static str,
    faulty: String,
    sound: String,
    /// The checks or turns that are named, and nothing else.
    checks: &'static [&'static str],
    /// What is reported among other things: a form, `evaded by FORM`, `passed by ANSWER`, …
    by: &'static [&'static str],
    /// What else may be reported of the same checks.
    also: &'static [&'static str],
}

const FRAMES: &[&str] = &[
    "preamble",
    "preamble_line",
    "closing",
    "both_ends",
    "explained_before",
    "explained_after",
    "bold_label",
    "heading",
    "sentence",
];

/// A question with the answer of the record.
fn asked(answer: &str, body: &str) -> String {
    about_games(&format!(
        "    ask \"It was a game of {{{{ game.name }}}}. What was it like?\"\n    answer \"{answer}\"\n{body}"
    ))
}

fn pairs() -> Vec<Pair> {
    let star = "expect 1 \"star\" check tells_name(it, game.star, stars)";
    let yes_no = "    ask \"Did the home team of {{ game.name }} win?\"\n    answer \"{{ game.won }}\"\n    \
                  expect 1 \"right\" check asserts(it, \"yes or no\", game.won)";
    vec![
        Pair {
            name: "a fact that reads form only",
            faulty: asked(
                "{{ game.star }} was the best of all.",
                &format!("{star}\n expect 1 \"short\" check count(word) in 3..=9"),
            ),
            sound: asked("{{ game.star }} was the best of all.", star),
            checks: &["talk.asked fact 2"],
            by: &["reads no content", "preamble"],
            also: &["evaded by"],
        },
        Pair {
            name: "a checklist that can be listed",
            faulty: asked(
                "{{ game.star }}",
                "expect 1 \"star\" check contains(phrase (game.star))",
            ),
            sound: asked("{{ game.star }}", star),
            checks: &["talk.asked", "talk.asked fact 1"],
            by: &["passed by listed", "passed by retracted"],
            also: &["passed by", "last_names", "evaded by"],
        },
        Pair {
            name: "a constraint that a curly apostrophe breaks",
            faulty: with_constraint("contains(\"don't\")"),
            sound: with_constraint("contains(phrase \"don't\")"),
            checks: &["rule"],
            by: &["curly"],
            also: &[],
        },
        Pair {
            name: "a rule that curly quotation marks break",
            faulty: with_constraint("matches(/\"[^\"]+\"/)"),
            sound: with_constraint("count(quote) >= 1"),
            checks: &["rule"],
            by: &["curly"],
            also: &["evaded by"],
        },
        Pair {
            name: "a forbidden word that decomposed letters evade",
            faulty: with_constraint("not contains(\"café\")"),
            sound: with_constraint("not contains(phrase \"café\")"),
            checks: &["rule"],
            by: &["evaded by nfd"],
            also: &[],
        },
        Pair {
            name: "a void by the number of lines",
            faulty: asked(
                "{{ game.star }}",
                &format!("{star}\n void \"says more\" check count(line) > 1"),
            ),
            sound: asked(
                "{{ game.star }}",
                &format!("{star}\n void \"a team\" check contains(word (game.home))"),
            ),
            checks: &["talk.asked void 1"],
            by: &["preamble", "closing"],
            also: &["evaded by"],
        },
        Pair {
            name: "a line that a preamble moves",
            faulty: asked("{{ game.star }}", "expect 1 \"star\" check line[1] == game.star"),
            sound: asked("{{ game.star }}", star),
            checks: &["talk.asked fact 1"],
            by: &["preamble", "sentence"],
            also: &[
                "bold",
                "code_span",
                "quoted",
                "fence",
                "final_stop",
                "evaded by",
                "nbsp",
                "trailing_blanks",
                "last_names",
            ],
        },
        Pair {
            name: "yes and no in one case of letters",
            faulty: about_games(
                "    ask \"Did the home team of {{ game.name }} win?\"\n    answer \"{{ game.won }}\"\n    \
                 expect 1 \"right\" check it == game.won",
            ) + FLOOR,
            sound: about_games(yes_no) + FLOOR,
            checks: &["talk.asked fact 1"],
            by: &["case_of_yes", "final_stop", "preamble"],
            also: &[
                "bom",
                "bold",
                "code_span",
                "quoted",
                "fence",
                "evaded by",
                "trailing_blanks",
                "final_newlines",
            ],
        },
        Pair {
            name: "a number that must have no separator",
            faulty: asked(
                "{{ game.money }}",
                "expect 1 \"money\" check contains(text (to_text(game.money)))",
            ),
            sound: asked("{{ game.money }}", "expect 1 \"money\" check tells(it, game.money)"),
            checks: &["talk.asked fact 1", "talk.asked"],
            by: &["separators"],
            also: &["passed by", "evaded by"],
        },
        Pair {
            name: "an end that bold hides",
            faulty: with_constraint("matches(/\\?$/)"),
            sound: with_constraint("ends_with(\"?\")"),
            checks: &["rule"],
            by: &["bold"],
            also: &["evaded by", "final_newlines", "trailing_blanks"],
        },
        Pair {
            name: "a void that a closing line triggers",
            faulty: asked(
                "{{ game.star }} was the best of all.",
                &format!("{star}\n void \"two\" check count(sentence) > 1"),
            ),
            sound: asked("{{ game.star }} was the best of all.", star),
            checks: &["talk.asked void 1"],
            by: &["closing"],
            also: &["evaded by"],
        },
        Pair {
            name: "yes and no without a floor",
            faulty: about_games(yes_no),
            sound: about_games(yes_no) + FLOOR,
            checks: &["talk.asked"],
            by: &["passed by constant"],
            also: &["passed by"],
        },
        Pair {
            name: "an answer that the message has",
            faulty: about_games(&format!(
                "    ask \"It was {{{{ game.star }}}} who was best.\"\n    answer \"{{{{ game.star }}}}\"\n    {star}"
            )),
            sound: asked("{{ game.star }}", star),
            checks: &["talk.asked"],
            by: &["passed by echo"],
            also: &[],
        },
        Pair {
            name: "two numbers in any order",
            faulty: asked(
                "{{ game.home }} {{ game.points }}, {{ game.away }} {{ game.other }}",
                "expect 1 \"score\" check contains(phrase (to_text(game.points))) and \
                 contains(phrase (to_text(game.other)))",
            ),
            sound: asked(
                "{{ game.home }} {{ game.points }}, {{ game.away }} {{ game.other }}",
                "expect 1 \"score\" check tells_of(it, game.home, game.points, teams) and \
                 tells_of(it, game.away, game.other, teams)",
            ),
            checks: &["talk.asked", "talk.asked fact 1"],
            // The aim is `passed by swapped`.
            by: &["passed by retracted"],
            also: &["passed by", "number_words", "separators", "evaded by"],
        },
        Pair {
            name: "an answer that may be taken back",
            faulty: asked(
                "{{ game.star }}",
                "expect 1 \"star\" check contains(phrase (game.star)) and count(line) == 1",
            ),
            sound: asked("{{ game.star }}", star),
            checks: &["talk.asked", "talk.asked fact 1"],
            by: &["passed by retracted", "preamble"],
            also: &["passed by", "last_names", "evaded by", "fence"],
        },
        Pair {
            name: "a golden answer that fails",
            faulty: asked("{{ game.home }}", star),
            sound: asked("{{ game.star }}", star),
            checks: &["fact 1"],
            by: &["golden"],
            also: &[],
        },
        Pair {
            name: "JSON that a fence breaks",
            faulty: asked(
                "{\\\"star\\\": \\\"{{ game.star }}\\\"}",
                "expect 1 \"star\" check starts_with(\"{\") and json.star == game.star",
            ),
            sound: asked(
                "{\\\"star\\\": \\\"{{ game.star }}\\\"}",
                "require json is_json\n expect 1 \"star\" check tells_name(it, game.star, stars)",
            ),
            checks: &["talk.asked fact 1"],
            by: &["fence", "preamble"],
            also: &["fence_named", "bom"],
        },
        Pair {
            name: "a turn that asks for length alone",
            faulty: asked(
                "{{ game.star }} was the best of all the players there.",
                "require long count(word) >= 8",
            ),
            sound: asked(
                "{{ game.star }} was the best of all the players there.",
                "require long count(word) >= 8\n require about tells_name(it, game.star, stars)",
            ),
            checks: &["talk.asked"],
            by: &["passed by salad"],
            also: &["passed by"],
        },
        Pair {
            name: "a requirement that can be listed",
            faulty: asked(
                "{{ game.star }} was the best.",
                "require star contains(phrase (game.star))",
            ),
            sound: asked(
                "{{ game.star }} was the best.",
                "require star tells_name(it, game.star, stars)",
            ),
            checks: &["talk.asked"],
            by: &["passed by listed"],
            also: &[],
        },
    ]
}

/// Half of the answers are yes.
const FLOOR: &str = "audit { floor 70% in talk.asked because \"yes or no\" }\n";

#[test]
fn planted_faults_are_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        let found = findings(&audited(&plan(&pair.faulty)));
        let checks: BTreeSet<&str> = found.iter().map(|(check, _)| check.as_str()).collect();
        if checks.iter().any(|check| !pair.checks.contains(check)) {
            wrong.push(format!("{}: other checks are named: {found:?}", pair.name));
        }
        for by in pair.by {
            if !found.iter().any(|(_, what)| what == by) {
                wrong.push(format!("{}: {by} is not named: {found:?}", pair.name));
            }
        }
        let is_expected = |what: &str| {
            pair.by.contains(&what)
                || pair.also.iter().any(|also| what.starts_with(also))
                // Words around an answer come in several forms.
                || (pair.by.iter().any(|by| FRAMES.contains(by)) && FRAMES.contains(&what))
        };
        for (check, what) in found.iter().filter(|(_, what)| !is_expected(what)) {
            wrong.push(format!("{}: {check} by {what} is not planted", pair.name));
        }
        let silent = findings(&audited(&plan(&pair.sound)));
        if !silent.is_empty() {
            wrong.push(format!("{}: its twin has {silent:?}", pair.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Constraints about the form of the response.
const FORMAL: [&str; 29] = [
    "count(word) <= 20",
    "count(word) in 5..=12",
    "count(sentence) == 2",
    "count(char) <= 100",
    "count(paragraph) == 2",
    "count(item) == 3",
    "is_bullets and count(item) >= 2",
    "starts_with(emoji \"🌙\")",
    "starts_with(word \"tides\")",
    "every sentence: count(word) <= 12",
    "has_no_upper",
    "has_no_lower",
    "not contains(letter \"e\")",
    "count(letter \"e\") >= 3",
    "count(\"!\") == 1",
    "not contains(\",\")",
    "contains(\"“\")",
    "not contains(\"—\")",
    "is_json",
    "is_csv",
    "count(heading) == 1",
    "count(highlight) >= 2",
    "contains(word \"tide\")",
    "count(word \"tide\") == 2",
    "language == \"en\"",
    "first(1, word) == [\"Tides\"]",
    "line[-1] == \"The end\"",
    "unique(word)",
    "similarity(\"the tide comes in\") > 0.3",
];

/// None of their forms is a fault.
#[test]
fn checks_are_not_accused_of_what_they_are_about() {
    let mut wrong = Vec::new();
    for check in FORMAL {
        let found = findings(&audited(&plan(&with_constraint(check))));
        if !found.is_empty() {
            wrong.push(format!("{check}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A block of reasoning is no response, so it changes no check that is without a fault.
#[test]
fn reasoning_before_an_answer_changes_no_sound_check() {
    let reasoning = forms().filter(|form| form.group == FormGroup::Reasoning);
    let options = Options {
        forms: Some(reasoning.map(|form| form.name.to_owned()).collect()),
        answers: Some(BTreeSet::new()),
        ..Options::default()
    };
    let sound = pairs().into_iter().map(|pair| (pair.name, pair.sound));
    let formal = FORMAL.iter().map(|check| (*check, with_constraint(check)));
    let mut wrong = Vec::new();
    for (name, text) in sound.chain(formal) {
        let found = findings(&audited_with(&plan(&text), &options));
        if !found.is_empty() {
            wrong.push(format!("{name}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A metric that counts observations is about what they say.
#[test]
fn observations_are_audited_where_nothing_else_says_what_is_asked() {
    let text = about_games(
        "    ask \"It was a game of {{ game.name }}. Who was best?\"\n    \
         observe found contains(phrase (game.star))",
    );
    let audit = audited(&plan(&text));
    assert_eq!(audit.sample.turns, 8);
    let row = audit.answers.iter().find(|row| row.name == "retracted").unwrap();
    assert_eq!((row.floor, row.limit_met), (1.0, false));
}

/// Several faults among sound checks: each is named with its place.
#[test]
fn a_fault_is_named_with_its_place() {
    let text = asked(
        "{{ game.star }} was the best of all.",
        "expect 1 \"star\" check tells_name(it, game.star, stars)\n\
         expect 1 \"long enough\" check count(word) >= 3",
    );
    let audit = audited(&plan(&text));
    let rows: Vec<_> = audit.checks.iter().filter(|row| row.formal).collect();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].check, "count(word) >= 3");
    let line = text.lines().position(|line| line.contains("count(word) >= 3")).unwrap() + 1;
    assert_eq!(rows[0].place, format!("main.ifs:{line}"));
    assert!(!audit.is_good());
}
