//! Conflicts that are there, and conflicts that are not.

use proptest::prelude::*;

use super::{conflict, implies};
use crate::predicate::evaluate::{Scene, Variables, holds};
use crate::predicate::spoken::tree;
use crate::predicate::tree::Tree;
use crate::predicate::value::Value;
use crate::text::Text;

fn found(sources: &[&str]) -> Option<Vec<String>> {
    let variables = [
        ("n", Value::Int(80)),
        (
            "words",
            Value::list(["storm", "harbour", "beacon"].map(|word| {
                Value::record([("value", Value::text(word)), ("times", Value::Int(10))])
            })),
        ),
    ];
    let trees: Vec<Tree> = sources.iter().map(|source| tree(source)).collect();
    let goals: Vec<super::Bounded<'_>> = trees
        .iter()
        .map(|tree| (tree, &variables as &dyn crate::predicate::evaluate::Variables))
        .collect();
    let conflict = conflict(&goals)?;
    Some(conflict.reasons.into_iter().map(|reason| reason.fragment).collect())
}

#[test]
fn the_example_of_the_language_page() {
    assert_eq!(
        found(&["count(word) <= n", "count(sentence) >= 40 and every sentence: count(word) >= 5"]),
        Some(vec!["at most 80 words".to_owned(), "at least 200 words".to_owned()])
    );
}

#[test]
fn what_excludes_one_another() {
    for sources in [
        vec!["count(word) >= 100", "count(word) < 50"],
        vec!["is_json", "opens_with_pair(\"(\", \")\")"],
        vec!["is_json_as_released", "opens_with_pair_as_released(\"「\", \"」\")"],
        vec!["len(it) < 100", "every w in words: count(keyword (w.value)) == w.times"],
        vec!["count(char) < 100", "every w in words: count(word (w.value)) == w.times"],
        vec!["is_upper", "starts_with(\"a\")"],
        vec!["is_upper", "letter[1]: is_lower"],
        vec!["is_upper", "some word: is_lower"],
        vec!["count(paragraph) == 3", "count(sentence) <= 2"],
        vec!["ends_with(\"?\")", "ends_with(\"!\")"],
        vec![
            "every sentence: ends_with(\"?\")",
            "every sentence: ends_with(\"!\")",
            "count(sentence) >= 1",
        ],
        vec!["every sentence: count(word) >= 18", "some sentence: count(word) < 18"],
        vec!["is_upper", "is_lower"],
        vec!["is_upper", "share_upper in 20..=30"],
        vec!["share_upper in 37..=43", "abs(share_upper - 60) <= 3"],
        vec!["contains(\",\")", "not contains(\",\")"],
        vec!["is_csv", "not contains(\",\")"],
        vec!["count(\".\") == 0", "ends_with(\".\")"],
        vec!["starts_with(letter \"a\")", "starts_with(keyword \"tide\")"],
        vec!["starts_with_as_released(keyword \"tide\")", "starts_with_as_released(emoji \"😀\")"],
        vec![
            "starts_with_as_released(keyword \"tide\")",
            "opens_with_pair_as_released(\"“\", \"”\")",
        ],
        vec!["count(keyword \"tide\") == 0", "contains(keyword \"Tide\")"],
        vec!["language == \"de\"", "language == \"fr\""],
        vec!["is_json", "is_xml"],
        vec!["count(word) + 5 <= 30", "count(word) * 2 >= 60"],
        vec!["count(word) in 5..=3"],
        vec!["count(word) > 5 or count(word) > 9", "count(word) < 5"],
        vec!["if reply % 4 == 1 then is_upper else is_upper", "is_lower"],
        vec!["sentence[9]: true", "count(sentence) < 9"],
        vec!["count(item.released) == 9", "count(line) <= 8"],
        vec!["count(item.released) == 9", "count(char) < 10"],
        vec!["every s in sentence: count(word in s) <= 3", "sentence[1]: count(word) == 4"],
        vec!["count(word) not in 3..", "count(word) == 3"],
        vec!["count(letter \"e\") <= 9", "count(keyword \"tree\") >= 5"],
    ] {
        assert!(found(&sources).is_some(), "{sources:?}");
    }
}

#[test]
fn what_goes_together() {
    for sources in [
        vec!["count(word) >= 100", "count(word) <= 100"],
        vec!["is_json", "opens_with_pair(\"[\", \"]\")"],
        vec!["is_json", "opens_with_pair(\"\\\"\", \"\\\"\")"],
        vec!["is_json", "starts_with(letter \"q\")"],
        vec!["is_json_as_released", "starts_with_as_released(emoji \"😀\")"],
        vec!["is_upper", "starts_with(letter \"a\")"],
        vec!["is_upper", "starts_with(\"A\")"],
        vec!["is_upper_as_released", "contains(\"é\")"],
        vec!["count(paragraph) == 3", "count(sentence) <= 3"],
        vec!["ends_with(\"!\")", "ends_with(\"?!\")"],
        vec!["every sentence: ends_with(\"?\")", "every sentence: ends_with(\"!\")"],
        vec!["count(word) > 5 or is_json", "count(word) < 5"],
        vec!["if reply % 4 == 1 then is_upper", "is_lower"],
        vec!["if reply % 4 == 1 then is_upper", "if reply % 4 == 2 then is_lower"],
        vec!["every item: false"],
        vec!["share_upper in 97..=103", "share_upper <= 100"],
        vec![
            "starts_with_as_released(keyword \"tide\")",
            "opens_with_pair_as_released(\"(\", \")\")",
        ],
        vec!["starts_with(word \"a\")", "starts_with(letter \"a\")"],
        vec!["count(word) % 2 == 0", "count(word) == 7"],
        vec!["count(keyword \"tide\") == 0", "starts_with_as_released(keyword \"tide\")"],
        vec!["is_html_as_released", "is_json_as_released"],
        vec!["len(it) < 500", "every w in words: count(keyword (w.value)) == w.times"],
        vec!["sentence[2]: is_upper", "sentence[1]: is_lower"],
        vec!["nothing_known > 3", "nothing_known < 9"],
        vec!["count(letter \"e\") <= 9", "count(keyword \"tree\") >= 4"],
    ] {
        assert_eq!(found(&sources), None, "{sources:?}");
    }
}

#[test]
fn implication() {
    let check = |a: &str, b: &str| implies((&tree(a), &()), (&tree(b), &()));
    assert!(check(
        "count(sentence) >= 40 and every sentence: count(word) >= 5",
        "count(word) >= 100"
    ));
    assert!(check("count(word) == 7", "count(char) >= 7"));
    assert!(!check("count(word) >= 5", "count(word) >= 6"));
}

fn check() -> impl Strategy<Value = String> {
    let text = prop_oneof![Just("S"), Just("so"), Just("?"), Just("7"), Just("é"), Just("s e")];
    let function = prop_oneof![Just("starts_with"), Just("ends_with"), Just("contains")];
    let kind =
        prop_oneof![Just(""), Just("word "), Just("keyword "), Just("letter "), Just("phrase ")];
    let unit = prop_oneof![
        Just("word"),
        Just("word.pattern"),
        Just("sentence"),
        Just("paragraph"),
        Just("char"),
        Just("line"),
        Just("item.released"),
        Just("letter"),
    ];
    let sign = prop_oneof![Just(">="), Just("<"), Just("=="), Just("!=")];
    let atom = prop_oneof![
        (function, kind, text.clone())
            .prop_map(|(function, kind, text)| format!("{function}({kind}\"{text}\")")),
        (unit, sign.clone(), 0..6).prop_map(|(unit, sign, n)| format!("count({unit}) {sign} {n}")),
        (text, sign, 0..3)
            .prop_map(|(text, sign, n)| format!("count(keyword \"{text}\") {sign} {n}")),
        Just("opens_with_pair(\"S\", \"o\")".to_owned()),
        Just("closes_with_pair(\"s\", \"?\")".to_owned()),
        Just("is_json".to_owned()),
        Just("is_csv".to_owned()),
        Just("is_upper".to_owned()),
        Just("has_no_upper".to_owned()),
        Just("share_upper in 20..=60".to_owned()),
        Just("count(word) * 2 - 3 <= 5".to_owned()),
        Just("starts_with_as_released(letter \"s\")".to_owned()),
        Just("ends_with_as_released(keyword \"so\")".to_owned()),
    ];
    atom.prop_recursive(2, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(if {a} then {b})")),
            inner.clone().prop_map(|a| format!("(every sentence: {a})")),
            inner.clone().prop_map(|a| format!("(some line: {a})")),
            inner.clone().prop_map(|a| format!("(no word: {a})")),
            inner.clone().prop_map(|a| format!("(at_least(2) sentence: {a})")),
            (1..3, inner).prop_map(|(n, a)| format!("(paragraph[{n}]: {a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// What holds of some text is no contradiction.
    #[test]
    fn no_false_alarms(
        sources in proptest::collection::vec(check(), 3..9),
        text in "([SsToe7é\"]{1,3}[ .,?!\n\"*-]{0,3}){0,9}",
    ) {
        let answer = Text::new(&text);
        let scene = Scene { it: &answer, variables: &() };
        let trees: Vec<Tree> = sources.iter().map(|source| tree(source)).collect();
        let met: Vec<super::Bounded<'_>> = trees
            .iter()
            .filter(|tree| holds(tree, &scene))
            .map(|tree| (tree, &() as &dyn Variables))
            .collect();
        let found = super::conflict(&met);
        prop_assert!(
            found.as_ref().is_none_or(|found| found.in_prose),
            "{found:?} though {text:?} meets {:?}",
            met.iter().map(|(tree, _)| crate::predicate::print::print(tree)).collect::<Vec<_>>()
        );
    }
}
