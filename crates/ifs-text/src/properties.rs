//! Property tests on arbitrary Unicode.

use proptest::prelude::*;

use super::shape::SHAPES;
use super::{Needle, NeedleKind, Text, UNITS, Unit, case, count_occurrences, edge, number};
use super::{fold, occurrences, python};

/// Arbitrary characters, with many of those that have a meaning in this crate.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => "[a-zA-Z0-9 .!?,'\"*#|`~\\-\\[\\](){}<>/\\\\:;_\r\n\t]{0,12}",
        3 => "[“”‘’«»„「」。！？…、日本かなカナกขςßİıſéǅ\u{301}\u{200d}\u{fe0f}\u{feff}\u{a0}\u{1c}\u{2028}]{0,6}",
        2 => "[😀👍🏽🇩🇪❤👨👩1️⃣٣५]{0,4}",
        2 => prop::sample::select(vec![
            "\n\n", "\n- ", "\n1. ", "```\n", "|a|b|\n|-|-|\n", "<b>", "</b>", "{\"a\":", "]", "Dr. ",
            "U.S. ", "e.g. ", "**", "_", "~~", "<p>", "</p>", "<!--", "-->", "&eacute;", "\\*", "](x)", "<br>", "can't", "gonna ", " 'tis", "...", ". . .", "May 5", "2024-05-06", "1,234.5",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn ranges_are_in_order_and_on_boundaries(source in texts()) {
        let text = Text::new(&source);
        for entry in UNITS {
            let mut end = 0;
            for range in text.units(entry.unit) {
                prop_assert!(range.start >= end && range.end <= source.len(), "{}: {range:?}", entry.name);
                prop_assert!(range.start < range.end || entry.unit == Unit::LineAll, "{}", entry.name);
                prop_assert!(source.get(range.clone()).is_some(), "{}: {range:?}", entry.name);
                end = range.end;
            }
            prop_assert_eq!(Text::new(&source).count(entry.unit), text.units(entry.unit).len());
        }
    }

    #[test]
    fn needle_positions_are_correct(source in texts(), needle in "[a-zA-Z .'かß]{1,3}") {
        use NeedleKind::{Lemma, Keyword, KeywordReleased, Letter, Phrase, PhraseReleased, Text as Exact, Word};
        let text = Text::new(&source);
        for kind in [Word, Phrase, Keyword, Lemma, Letter, KeywordReleased, PhraseReleased, Exact] {
            let Ok(made) = Needle::new(kind, &needle) else { continue };
            let fold = |part: &str| match made.is_read() {
                true => fold::folded(part).trim_matches(' ').to_owned(),
                false => part.chars().map(python::simple_fold).collect(),
            };
            let found = occurrences(&text, &made);
            prop_assert_eq!(found.len(), count_occurrences(&text, &made));
            let mut end = 0;
            for range in found {
                prop_assert!(range.start >= end);
                let part = source.get(range.clone());
                prop_assert!(part.is_some(), "{range:?}");
                let says = !needle.trim().is_empty() && kind != Lemma;
                if says && (text.is_plain() || !made.is_read()) {
                    prop_assert_eq!(part.map(fold), Some(fold(&needle)));
                }
                end = range.end;
            }
        }
    }

    #[test]
    fn shapes_never_panic_and_place_mistakes_in_the_text(source in texts()) {
        let text = Text::new(&source);
        for (shape, name, _) in SHAPES {
            if let Err(misfit) = shape.conforms(&text) {
                prop_assert!(source.is_char_boundary(misfit.at), "{name}: {misfit:?}");
                prop_assert!(!misfit.why.is_empty());
            }
        }
    }

    #[test]
    fn other_functions_never_panic(source in texts(), other in texts()) {
        for mark in [edge::EdgeMark::Part(&other), edge::EdgeMark::Quotation { left: &other, right: "”" }] {
            let _ = (edge::begins_released(&source, mark), edge::finishes_released(&source, mark));
        }
        let _ = number::value(&source);
        prop_assert!(!(case::is_upper(&source) && case::is_lower(&source)));
        let folded = python::casefold(&source);
        prop_assert_eq!(python::casefold(&folded), folded.as_ref());
    }

    #[test]
    fn numbers_found_have_a_value(source in texts()) {
        let text = Text::new(&source);
        let reading = text.reading();
        for range in reading.units(Unit::Number) {
            let number = &reading.str()[range.clone()];
            prop_assert!(number::value(number).is_some(), "{number}");
        }
    }

    #[test]
    fn sentences_lose_no_word(source in "[a-zA-Z ,.!?\"()]{0,80}") {
        let text = Text::new(&source);
        let whole = text.count(Unit::WordPattern);
        for unit in [Unit::Sentence, Unit::SentencePunkt, Unit::SentenceSimple] {
            let words: usize =
                text.pieces(unit).map(|part| Text::new(part).count(Unit::WordPattern)).sum();
            prop_assert_eq!(words, whole, "{}", unit.name());
        }
    }

    #[test]
    fn json_agrees_with_a_parser(source in "[\\[\\]{}:,\"a0-9.eE+\\- \\\\ntrul]{0,24}") {
        let ours = super::Shape::Json.conforms(&Text::new(&source)).is_ok();
        let theirs = serde_json::from_str::<serde_json::Value>(&source);
        // Float overflow depends on the parser and not on the JSON grammar.
        if !theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range")) {
            prop_assert_eq!(ours, theirs.is_ok(), "{}", source);
        }
    }
}
