//! The part that an explanation blames fails.

use proptest::prelude::*;

use super::{Wording, explain, explain_in};
use crate::evaluate::{TextContext, holds};
use crate::test_parser;
use crate::tree::Tree;
use ifs_base::source::Span;
use ifs_text::Text;

fn find(tree: &Tree, span: Span) -> Vec<&Tree> {
    let mut found: Vec<&Tree> =
        tree.children().into_iter().flat_map(|child| find(child, span)).collect();
    if tree.span == span {
        found.push(tree);
    }
    found
}

fn atom() -> impl Strategy<Value = String> {
    let text = prop_oneof![Just("S"), Just("so"), Just("?"), Just("7"), Just("é")];
    let function = prop_oneof![Just("starts_with"), Just("ends_with"), Just("contains")];
    let unit = prop_oneof![Just("word"), Just("sentence"), Just("paragraph"), Just("char")];
    prop_oneof![
        (function, text.clone()).prop_map(|(function, text)| format!("{function}(\"{text}\")")),
        (unit, 0..12).prop_map(|(unit, n)| format!("count({unit}) >= {n}")),
        (1..3, 2..9).prop_map(|(n, m)| format!("count(word) in {n}..={m}")),
        text.prop_map(|text| format!("count(word \"{text}\") == 1")),
        Just("is_json".to_owned()),
        Just("is_upper".to_owned()),
        Just("unique(sentence)".to_owned()),
    ]
}

fn check() -> impl Strategy<Value = String> {
    atom().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) and ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) or ({b})")),
            inner.clone().prop_map(|a| format!("not ({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(if {a} then {b})")),
            inner.clone().prop_map(|a| format!("(every sentence: {a})")),
            inner.clone().prop_map(|a| format!("(some paragraph: {a})")),
            inner.clone().prop_map(|a| format!("(at_most(1) sentence: {a})")),
            (1..4, inner).prop_map(|(n, a)| format!("(sentence[{n}]: {a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn marked_spans_fail_their_check(
        source in check(),
        text in "([SsTo7é]{1,4}[ .?!\n]{1,2}){0,12}",
    ) {
        let tree = test_parser::tree(&source);
        let answer = Text::new(&text);
        let scene = TextContext { it: &answer, variables: &() };
        let explanation = explain(&tree, &scene);
        prop_assert_eq!(explanation.is_none(), holds(&tree, &scene));
        // The model gets the same reasons, without code.
        let worded = explain_in(&tree, &scene, Wording::english(), &[]);
        prop_assert_eq!(worded.is_none(), explanation.is_none());
        prop_assert!(worded.is_none_or(|worded| !worded.text.contains("`count(")), "{}", source);
        let Some(explanation) = explanation else { return Ok(()) };
        prop_assert!(!explanation.text.is_empty() && !explanation.blamed.is_empty(), "{}", source);
        for blame in explanation.blamed {
            let place = blame.place.clone().unwrap_or(0..text.len());
            prop_assert!(blame.excerpt.chars().count() <= 40);
            let stretch = Text::new(&text[place]);
            let fails = find(&tree, blame.span).into_iter().any(|part| {
                !holds(part, &TextContext { it: &stretch, variables: &() }) || !holds(part, &scene)
            });
            prop_assert!(fails, "{source} blames {:?} of {text:?}", blame);
        }
    }
}
