//! Python's definitions of characters and strings, where they differ from Rust's; the released
//! checkers are written in Python.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::charset::CharSet;

/// `\w`: a letter or number of any script, or `_`. Combining marks are not, unlike in Rust's
/// `regex`.
pub fn is_word(c: char) -> bool {
    static SET: LazyLock<CharSet> = LazyLock::new(|| CharSet::from_class(r"[\p{L}\p{N}_]"));
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    SET.contains(c)
}

/// `str.isalpha` of one character: general category L.
pub fn is_letter(c: char) -> bool {
    static SET: LazyLock<CharSet> = LazyLock::new(|| CharSet::from_class(r"\p{L}"));
    if c.is_ascii() { c.is_ascii_alphabetic() } else { SET.contains(c) }
}

/// `\d`: a decimal digit of any script.
pub fn is_decimal(c: char) -> bool {
    static SET: LazyLock<CharSet> = LazyLock::new(|| CharSet::from_class(r"\p{Nd}"));
    if c.is_ascii() { c.is_ascii_digit() } else { SET.contains(c) }
}

/// `\s` and `str.isspace` of one character: White_Space and the four information separators.
/// A byte order mark and zero-width spaces are not blank.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.isupper()`: at least one upper-case character, and none in lower or title case.
pub fn is_upper(text: &str) -> bool {
    // Called for every word: most are decided by their first or second letter.
    let mut has_capital = false;
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' => return false,
            b'A'..=b'Z' => has_capital = true,
            128.. => return is_upper_wide(text),
            _ => {}
        }
    }
    has_capital
}

fn is_upper_wide(text: &str) -> bool {
    !text.chars().any(|c| c.is_lowercase() || is_titlecase(c))
        && text.chars().any(char::is_uppercase)
}

/// `str.islower()`: at least one lower-case character, and none in upper or title case.
pub fn is_lower(text: &str) -> bool {
    !text.chars().any(|c| c.is_uppercase() || is_titlecase(c))
        && text.chars().any(char::is_lowercase)
}

/// `str.istitle()`: upper-case letters only after uncased characters, lower-case letters only after
/// cased ones, and at least one of them.
pub fn is_title(text: &str) -> bool {
    let mut cased = false;
    let mut after_cased = false;
    for c in text.chars() {
        if c.is_uppercase() || is_titlecase(c) {
            if after_cased {
                return false;
            }
            (cased, after_cased) = (true, true);
        } else if c.is_lowercase() {
            if !after_cased {
                return false;
            }
            (cased, after_cased) = (true, true);
        } else {
            after_cased = false;
        }
    }
    cased
}

/// `str.casefold()`: full Unicode case folding, so that `ß` equals `ss`.
pub fn casefold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ı' => folded.push(c),
            'ẞ' => folded.push_str("ss"),
            // Cherokee folds to its capitals.
            '\u{13a0}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}' => folded.extend(c.to_uppercase()),
            // Everywhere else folding is the lower case of the upper case.
            _ => folded.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    Cow::Owned(folded)
}

/// The equivalence of `re.IGNORECASE`: two characters match if their `simple_fold`s are equal. One
/// character gives one character, so `ß` is not `ss`; but `ı`, `İ`, `ſ` and the Kelvin sign match
/// `i`, `s` and `k`.
pub fn simple_fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    match c {
        'İ' | 'ı' => return 'i',
        '\u{1fd3}' => return '\u{390}',
        '\u{1fe3}' => return '\u{3b0}',
        '\u{fb06}' => return '\u{fb05}',
        _ => {}
    }
    let lower = single(c.to_lowercase()).unwrap_or(c);
    single(lower.to_uppercase()).and_then(|upper| single(upper.to_lowercase())).unwrap_or(lower)
}

/// `str.splitlines()`: splits at every line boundary of Python, without keeping them.
pub fn splitlines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if !is_end {
            continue;
        }
        lines.push(&text[start..at]);
        start = at + c.len_utf8();
        if c == '\r' && chars.next_if(|(_, next)| *next == '\n').is_some() {
            start += 1;
        }
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

/// General category Lt: 31 characters.
fn is_titlecase(c: char) -> bool {
    matches!(
        c,
        'ǅ' | 'ǈ' | 'ǋ' | 'ǲ' | '\u{1f88}'..='\u{1f8f}' | '\u{1f98}'..='\u{1f9f}'
            | '\u{1fa8}'..='\u{1faf}' | 'ᾼ' | 'ῌ' | 'ῼ'
    )
}

fn single(mut mapped: impl Iterator<Item = char>) -> Option<char> {
    let first = mapped.next()?;
    if mapped.next().is_some() { None } else { Some(first) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_characters_are_pythons() {
        for (c, inside) in
            [('a', true), ('_', true), ('٣', true), ('\u{301}', false), ('½', true), ('Ⅷ', true)]
        {
            assert_eq!(is_word(c), inside, "{c:?}");
        }
    }

    #[test]
    fn strip_takes_separators_but_no_byte_order_mark() {
        assert_eq!(strip("\u{1c}\u{a0}\u{2028}a\u{85}\u{1f}"), "a");
        assert_eq!(strip("\u{feff}a\u{200b}"), "\u{feff}a\u{200b}");
    }

    #[test]
    fn case_needs_something_cased() {
        assert!(is_upper("A1 日!") && !is_upper("1!") && !is_upper("Aa") && !is_upper("ǅ"));
        assert!(is_lower("a1 日") && !is_lower("") && !is_lower("ǅa"));
        assert!(
            is_title("Hello World") && !is_title("HeLlo") && !is_title("It'S a") && !is_title("1")
        );
        assert!(is_title("They'Re Here"));
    }

    #[test]
    fn casefold_is_full_and_simple_fold_is_not() {
        assert_eq!(casefold("Straße ẞ ŉ ſt K"), "strasse ss ʼn st k");
        assert_eq!(casefold("ıİ"), "ıi̇");
        assert_eq!(casefold("ꭰᏰ"), "ᎠᏰ");
        assert_eq!(casefold("ΣΑΣς"), "σασσ");
        for (c, d) in
            [('ı', 'I'), ('İ', 'i'), ('ſ', 'S'), ('K', 'k'), ('ς', 'Σ'), ('ẞ', 'ß'), ('µ', 'Μ')]
        {
            assert_eq!(simple_fold(c), simple_fold(d), "{c} {d}");
        }
        assert_ne!(simple_fold('ß'), 's');
    }

    #[test]
    fn splitlines_knows_all_line_ends() {
        assert_eq!(splitlines("a\r\nb\u{2028}c\n\nd\n"), ["a", "b", "c", "", "d"]);
        assert!(splitlines("").is_empty());
    }
}
