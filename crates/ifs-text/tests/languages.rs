//! What language identification says of 5,000 texts in forty languages: its results decide verdicts, so a new
//! version of a library must not change them unseen. `IFS_BLESS=1` writes the expected file again.

#![cfg(feature = "languages")]
#![expect(clippy::disallowed_methods, reason = "an environment variable requests blessing")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ifs_text::{LanguageGuess, Text};

/// How many texts are made for each language.
const TEXTS: u64 = 125;

/// The next number of a fixed sequence, below a bound (Knuth, MMIX).
fn next(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

/// A text of the kind that a number names: sentences, the beginning of one, one in capitals, one with numbers, or
/// one with a sentence of another language behind it.
fn text(state: &mut u64, sentences: &[&str], others: &[&str]) -> String {
    let first = sentences[next(state, sentences.len())];
    let second = sentences[next(state, sentences.len())];
    let other = others[next(state, others.len())];
    match next(state, 6) {
        0 => first.to_owned(),
        1 => format!("{first} {second}"),
        2 => {
            let words: Vec<&str> = first.split(' ').collect();
            words[..=next(state, words.len())].join(" ")
        }
        3 => first.to_uppercase(),
        4 => format!("1. {first}\n2. {second}\n\n(42 %, 3.14)"),
        _ => format!("{first} {other}"),
    }
}

#[test]
fn five_thousand_texts_have_the_languages_they_had() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let table = fs::read_to_string(folder.join("languages.txt")).unwrap();
    let rows: Vec<(&str, Vec<&str>)> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (code, sentences) = line.split_once(' ').unwrap();
            (code, sentences.split(" | ").collect())
        })
        .collect();
    assert_eq!(rows.len(), 40);
    let mut results = String::new();
    let mut texts = 0;
    for (place, (code, sentences)) in rows.iter().enumerate() {
        let others = &rows[(place * 7 + 11) % rows.len()].1;
        let mut state = place as u64 + 1;
        for released in [false, true] {
            write!(results, "{code}{}:", if released { " as released" } else { "" }).unwrap();
            for _ in 0..TEXTS / 2 + u64::from(released) {
                let text = text(&mut state, sentences, others);
                let text = Text::new(&text);
                let language = match released {
                    true => text.language_released().unwrap_or("-").to_owned(),
                    false => match text.language() {
                        LanguageGuess::Certain(code) => code.to_owned(),
                        LanguageGuess::Likely(code) => format!("{code}?"),
                        LanguageGuess::Script(code) => format!("script of {code}"),
                        LanguageGuess::Unknown => "-".to_owned(),
                    },
                };
                write!(results, " {language}").unwrap();
                texts += 1;
            }
            results.push('\n');
        }
    }
    assert_eq!(texts, 5000);
    let expected = folder.join("languages.expected");
    if std::env::var_os("IFS_BLESS").is_some() {
        fs::write(&expected, &results).unwrap();
    }
    let expected = fs::read_to_string(&expected).unwrap();
    for (now, before) in results.lines().zip(expected.lines()) {
        assert_eq!(now, before);
    }
    assert_eq!(results.lines().count(), expected.lines().count());
}
