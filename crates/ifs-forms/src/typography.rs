//! Other characters for the same letters and signs, and what editors and servers add.

use std::sync::LazyLock;

use ifs_text::{Aspect, Aspects};
use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::{ALL, Apply, BaseText, Form, FormGroup, Tongue, is_formatted};

const fn row(
    name: &'static str,
    touches: Aspects,
    doc: &'static str,
    example: (&'static str, &'static str),
    apply: fn(&BaseText<'_>) -> Option<String>,
) -> Form {
    let group = FormGroup::Typography;
    Form { name, group, doc, example, touches, subjects: ALL, apply: Apply::Text(apply) }
}

const GLYPHS: Aspects = Aspects::of(&[Aspect::Glyphs, Aspect::Code]);

pub(crate) const FORMS: &[Form] = &[
    row(
        "curly",
        Aspect::Glyphs.set(),
        "Curly quotation marks and apostrophes for straight ones.",
        ("Don't say \"so\".", "Don’t say “so”."),
        |base| prose(base, curly),
    ),
    row(
        "straight",
        Aspect::Glyphs.set(),
        "Straight quotation marks and apostrophes for curly ones.",
        ("Don’t say “so”.", "Don't say \"so\"."),
        |base| prose(base, straight),
    ),
    row(
        "dashes",
        GLYPHS,
        "A hyphen that does not break inside of words, an en dash between numbers.",
        ("well-known, 3-5", "well‑known, 3–5"),
        |base| prose(base, dashes),
    ),
    row(
        "nbsp",
        GLYPHS,
        "Spaces that do not break between words.",
        ("Dear Ann, 5 km", "Dear\u{a0}Ann, 5\u{a0}km"),
        |base| prose(base, nbsp),
    ),
    row(
        "nfd",
        Aspect::Code.set(),
        "Letters with their accents as separate characters.",
        ("café", "cafe\u{301}"),
        |base| Some(base.text.nfd().collect()),
    ),
    row(
        "variation_selector",
        Aspect::Code.set(),
        "Emoji with the mark that shows them in color.",
        ("⚡ Go", "⚡\u{fe0f} Go"),
        |base| Some(with_selectors(base.text)),
    ),
    row(
        "full_width",
        GLYPHS,
        "Full-width digits and signs in Chinese text, instead of those of ASCII.",
        ("共3个:好,对", "共３个：好，对"),
        |base| (base.tongue == Tongue::Chinese).then(|| prose(base, full_width)).flatten(),
    ),
    row(
        "soft_hyphen",
        Aspect::Code.set(),
        "An invisible hyphen inside of long words.",
        ("international", "inter\u{ad}national"),
        |base| prose(base, soft_hyphens),
    ),
];

const fn transport(
    name: &'static str,
    touches: Aspects,
    doc: &'static str,
    example: (&'static str, &'static str),
    apply: fn(&BaseText<'_>) -> Option<String>,
) -> Form {
    Form {
        name,
        group: FormGroup::Transport,
        doc,
        example,
        touches,
        subjects: ALL,
        apply: Apply::Text(apply),
    }
}

/// Blanks are characters.
const BLANKS: Aspects = Aspects::of(&[Aspect::Code, Aspect::Characters]);

pub(crate) const TRANSPORT: &[Form] = &[
    transport(
        "crlf",
        Aspect::Code.set(),
        "Lines that end as on Windows.",
        ("a\nb", "a\r\nb"),
        |base| Some(base.text.replace("\r\n", "\n").replace('\n', "\r\n")),
    ),
    transport(
        "trailing_blanks",
        BLANKS,
        "Two blanks at the end of each line.",
        ("a\nb", "a  \nb  "),
        |base| {
            let lines: Vec<String> = base.text.split('\n').map(with_blanks).collect();
            Some(lines.join("\n"))
        },
    ),
    transport("final_newlines", BLANKS, "Line ends after the answer.", ("a", "a\n\n"), |base| {
        Some(format!("{}\n\n", base.text))
    }),
    transport(
        "bom",
        Aspects::of(&[Aspect::Start, Aspect::Marks, Aspect::Format, Aspect::Code]),
        "A byte order mark before the answer.",
        ("a", "\u{feff}a"),
        |base| Some(format!("\u{feff}{}", base.text)),
    ),
];

fn with_blanks(line: &str) -> String {
    match line.trim().is_empty() || line.starts_with("```") {
        true => line.to_owned(),
        false => format!("{}  ", line.trim_end()),
    }
}

/// A change of prose: what is in a format is left alone, since its signs have meanings.
fn prose(base: &BaseText<'_>, change: fn(&str) -> String) -> Option<String> {
    (!is_formatted(base.text) && !base.text.contains('`')).then(|| change(base.text))
}

fn curly(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(letter) = chars.next() {
        let opens =
            before.is_none_or(|before: char| before.is_whitespace() || "([{—–-".contains(before));
        result.push(match letter {
            '"' if opens => '“',
            '"' => '”',
            '\'' if opens && chars.peek().is_some_and(|next| next.is_alphabetic()) => '‘',
            '\'' => '’',
            other => other,
        });
        before = Some(letter);
    }
    result
}

fn straight(text: &str) -> String {
    let even = |letter| match letter {
        '“' | '”' | '„' => '"',
        '‘' | '’' => '\'',
        other => other,
    };
    text.chars().map(even).collect()
}

fn dashes(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied().unwrap_or(' ');
    let changed = chars.iter().enumerate().map(|(place, letter)| {
        if *letter != '-' {
            return *letter;
        }
        let (before, after) = (at(place.checked_sub(1)), at(Some(place + 1)));
        match (before.is_alphabetic() && after.is_alphabetic(), before, after) {
            (true, ..) => '\u{2011}',
            // Dates and telephone numbers have several.
            (_, '0'..='9', '0'..='9') if !is_run(&chars, place) => '–',
            _ => '-',
        }
    });
    changed.collect()
}

/// Whether the hyphen is one of several in a run of digits: `1948-10-23`.
fn is_run(chars: &[char], place: usize) -> bool {
    let part = |letter: &&char| letter.is_ascii_digit() || **letter == '-';
    let before = chars[..place].iter().rev().take_while(part);
    let after = chars[place + 1..].iter().take_while(part);
    before.chain(after).any(|letter| *letter == '-')
}

fn nbsp(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut line_start = true;
    let mut result = String::with_capacity(text.len());
    for (place, letter) in chars.iter().enumerate() {
        let next = chars.get(place + 1).copied().unwrap_or(' ');
        let before = place.checked_sub(1).and_then(|at| chars.get(at)).copied().unwrap_or(' ');
        let between = before.is_alphanumeric() && next.is_alphanumeric();
        result.push(if *letter == ' ' && between && !line_start { '\u{a0}' } else { *letter });
        // A mark of a list ends at the first blank.
        line_start = match letter {
            '\n' => true,
            letter => line_start && !letter.is_alphabetic(),
        };
    }
    result
}

/// Characters that are emoji by themselves, and have the variation mark in most texts.
fn with_selectors(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(letter) = chars.next() {
        result.push(letter);
        let takes = matches!(
            letter,
            '⚡' | '⚽' | '⭐' | '☕' | '✨' | '✅' | '❌' | '❓' | '❗' | '⏰' | '⛄' | '⛅'
        );
        let marked =
            chars.peek().is_some_and(|next| matches!(next, '\u{fe0e}' | '\u{fe0f}' | '\u{200d}'));
        if takes && !marked {
            result.push('\u{fe0f}');
        }
    }
    result
}

fn full_width(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_han = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|letter| matches!(letter, '\u{4e00}'..='\u{9fff}'))
    };
    let wide = |letter: char| char::from_u32(u32::from(letter) + 0xfee0).unwrap_or(letter);
    let beside = |at: usize| is_han(at.checked_sub(1)) || is_han(Some(at + 1));
    let changed = chars.iter().enumerate().map(|(place, letter)| match letter {
        // Only a number that consists of one digit, and so has a character beside it.
        '0'..='9' if beside(place) && !is_digit_beside(&chars, place) => wide(*letter),
        ',' | ':' | ';' | '!' | '?' | '(' | ')' if beside(place) => wide(*letter),
        other => *other,
    });
    changed.collect()
}

fn is_digit_beside(chars: &[char], place: usize) -> bool {
    let part = |letter: Option<&char>| {
        letter.is_some_and(|letter| letter.is_ascii_digit() || ".,:".contains(*letter))
    };
    part(place.checked_sub(1).and_then(|at| chars.get(at))) || part(chars.get(place + 1))
}

static LONG_WORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b[a-zäöüß]{5}[a-zäöüß]{5,}\b").ok());

fn soft_hyphens(text: &str) -> String {
    let Some(words) = &*LONG_WORDS else { return text.to_owned() };
    let hyphenated = words.replace_all(text, |found: &regex::Captures<'_>| {
        let word = &found[0];
        let at = word.char_indices().nth(5).map_or(word.len(), |(at, _)| at);
        format!("{}\u{ad}{}", &word[..at], &word[at..])
    });
    hyphenated.into_owned()
}

#[cfg(test)]
mod tests {
    use crate::{BaseText, Tongue, form};

    fn applied(name: &str, text: &str, tongue: Tongue) -> Option<String> {
        form(name).unwrap().applied(&BaseText { text, tongue, rosters: &[] }, 0)
    }

    #[test]
    fn only_prose_is_changed() {
        for (name, text, wanted) in [
            ("curly", "'Tis the dog's \"own\" ('so')", Some("‘Tis the dog’s “own” (‘so’)")),
            ("curly", "{\"a\": 1}", None),
            ("curly", "<p class=\"a\">b</p>", None),
            ("curly", "`\"`", None),
            ("curly", "no marks", None),
            ("dashes", "- a\n1948-10-23, -5, a - b", None),
            ("nbsp", "1. One two\n- three four", Some("1. One\u{a0}two\n- three\u{a0}four")),
            ("nfd", "plain", None),
            ("crlf", "a\r\nb", None),
            ("crlf", "a", None),
            ("trailing_blanks", "a\n\nb", Some("a  \n\nb  ")),
        ] {
            let found = applied(name, text, Tongue::English);
            assert_eq!(found.as_deref(), wanted, "{name} {text:?}");
        }
        assert_eq!(applied("full_width", "3, 4", Tongue::English), None);
        let found = applied("full_width", "得2分,30分", Tongue::Chinese);
        assert_eq!(found.as_deref(), Some("得２分，30分"));
    }
}
