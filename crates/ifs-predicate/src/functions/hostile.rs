//! For any response, every function returns a value or a fault.

use proptest::prelude::*;

use super::all;
use crate::evaluate::{TextContext, evaluate};
use crate::explain::explain;
use crate::test_parser;
use ifs_text::Text;

/// Characters that change the direction of what follows, join, vary or cannot be seen.
const MARKS: [char; 18] = [
    '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}',
    '\u{2067}', '\u{2068}', '\u{2069}', '\u{200d}', '\u{fe0f}', '\u{feff}', '\u{301}', '\u{85}',
    '\u{2028}', '\0',
];

fn texts() -> impl Strategy<Value = String> {
    let plane = (0u32..17, 0u32..0x1_0000)
        .prop_map(|(plane, at)| char::from_u32(plane << 16 | at).unwrap_or('\u{fffd}'));
    let piece = prop_oneof![
        3 => plane.prop_map(String::from),
        2 => prop::sample::select(&MARKS[..]).prop_map(String::from),
        3 => "[a-zé你 .!?,\"'(){}\\[\\]:*#|0-9\n-]{1,6}",
        1 => prop::sample::select(vec!["\r\n", "```", "# ", "- ", "1. ", "|---|", "{\"a\":", "<b>", "我"])
            .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_function_is_total(source in texts()) {
        let text = Text::new(&source);
        let scene = TextContext { it: &text, variables: &() };
        for function in all() {
            for (expression, ..) in function.examples {
                let tree = test_parser::tree(expression);
                // Twice the same, and never a panic.
                prop_assert_eq!(
                    format!("{:?}", evaluate(&tree, &scene)),
                    format!("{:?}", evaluate(&tree, &scene)),
                    "{}", expression
                );
                let _ = explain(&tree, &scene);
            }
        }
    }
}

#[test]
fn long_repetitive_responses_terminate() {
    for part in
        ["a", " ", "\n", "你", "a ", "a.\n", "- a\n", "(", "[", "{\"a\":", "\"", "`", "<b>", "1,"]
    {
        let source = part.repeat(20_000 / part.len());
        let text = Text::new(&source);
        let scene = TextContext { it: &text, variables: &() };
        for function in all() {
            for (expression, ..) in function.examples {
                let found = evaluate(&test_parser::tree(expression), &scene);
                assert!(
                    !matches!(&found, Err(fault) if fault.message.contains("takes too long")),
                    "{expression} of {part:?}"
                );
            }
        }
    }
}

#[test]
fn deeply_nested_brackets_are_not_json() {
    for source in ["[".repeat(10_000) + &"]".repeat(10_000), "{\"a\":".repeat(10_000)] {
        let text = Text::new(&source);
        let scene = TextContext { it: &text, variables: &() };
        for expression in ["json", "json(it, \"/0/0\")", "fits_schema(json, true)"] {
            assert!(evaluate(&test_parser::tree(expression), &scene).is_err(), "{expression}");
        }
        let fits = evaluate(&test_parser::tree("is_json({ type: \"array\" })"), &scene);
        assert_eq!(fits.ok().and_then(|value| value.as_bool()), Some(false));
    }
}
