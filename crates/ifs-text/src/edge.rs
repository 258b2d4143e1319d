//! The beginning and end of a response: exactly, and as in EvolIF's released checker.

use super::python;

/// Whether the text, without the blanks around it, begins with exactly `part`.
pub fn starts_with(text: &str, part: &str) -> bool {
    python::strip(text).starts_with(part)
}

/// Whether the text, without the blanks around it, ends with exactly `part`.
pub fn ends_with(text: &str, part: &str) -> bool {
    python::strip(text).ends_with(part)
}

/// The mark that EvolIF requires at the beginning or end of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeMark<'a> {
    /// The first or last ASCII letter, ignoring case; other characters are ignored.
    Letter(char),
    /// A keyword or an emoji, ignoring case, right after or before stripped punctuation.
    Part(&'a str),
    /// A quotation mark here, and its partner anywhere else.
    Quotation { left: &'a str, right: &'a str },
}

/// Whether the text begins with `mark` as EvolIF reads it.
pub fn begins_released(text: &str, mark: EdgeMark<'_>) -> bool {
    let text = text.trim_start_matches(is_plain_blank);
    match mark {
        EdgeMark::Letter(letter) => {
            first_letter(head_released(text)).is_some_and(|c| c.eq_ignore_ascii_case(&letter))
        }
        EdgeMark::Part(part) => {
            python::casefold(head_released(text)).starts_with(&*python::casefold(part))
        }
        EdgeMark::Quotation { left, right } => {
            text.strip_prefix(left).is_some_and(|rest| rest.contains(right))
        }
    }
}

/// Whether the text ends with `mark` as EvolIF reads it.
pub fn finishes_released(text: &str, mark: EdgeMark<'_>) -> bool {
    let text = text.trim_end_matches(is_plain_blank);
    match mark {
        EdgeMark::Letter(letter) => {
            last_letter(tail_released(text)).is_some_and(|c| c.eq_ignore_ascii_case(&letter))
        }
        EdgeMark::Part(part) => {
            python::casefold(tail_released(text)).ends_with(&*python::casefold(part))
        }
        EdgeMark::Quotation { left, right } => {
            text.strip_suffix(right).is_some_and(|rest| rest.contains(left))
        }
    }
}

/// The text from the first character in EvolIF's sense: without leading blanks and zero-width
/// characters, then without leading punctuation. A blank after that stays.
pub fn head_released(text: &str) -> &str {
    text.trim_start_matches(is_any_blank).trim_start_matches(is_stripped)
}

/// The text up to the last character in EvolIF's sense: without trailing plain blanks, then without
/// trailing punctuation. Unlike at the beginning, no other blanks are removed.
pub fn tail_released(text: &str) -> &str {
    text.trim_end_matches(is_plain_blank).trim_end_matches(is_stripped)
}

/// The first ASCII letter.
pub fn first_letter(text: &str) -> Option<char> {
    text.chars().find(char::is_ascii_alphabetic)
}

/// The last ASCII letter.
pub fn last_letter(text: &str) -> Option<char> {
    text.chars().rev().find(char::is_ascii_alphabetic)
}

/// The blanks that EvolIF removes first, from either end.
fn is_plain_blank(c: char) -> bool {
    matches!(c, '\u{feff}' | '\n' | '\r' | '\t' | ' ')
}

/// The additional blanks that EvolIF removes from the beginning: all blanks, and invisible
/// characters.
fn is_any_blank(c: char) -> bool {
    python::is_space(c)
        || matches!(c, '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// The punctuation that EvolIF removes: ASCII punctuation, and Chinese punctuation without `“ ”`,
/// `‘ ’` and `« »`.
fn is_stripped(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(
            c,
            '·' | '—' | '…' | '、' | '。' | '！' | '，' | '：' | '；' | '？' | '～' | '￥'
        )
        || matches!(
            c,
            '《' | '》' | '〈' | '〉' | '「' | '」' | '『' | '』' | '（' | '）' | '【' | '】'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_edges_are_exact_after_blanks() {
        assert!(starts_with(" \nSo it goes", "So") && !starts_with("so", "So"));
        assert!(ends_with("Done. \u{a0}", "Done.") && !ends_with("Done.", "Done"));
    }

    #[test]
    fn released_letters_are_the_first_and_last_anywhere() {
        assert!(begins_released("1. 日本 apple", EdgeMark::Letter('A')));
        assert!(finishes_released("Hello 123 é!", EdgeMark::Letter('O')));
        assert!(!begins_released("123", EdgeMark::Letter('a')));
    }

    #[test]
    fn released_parts_follow_punctuation_at_once() {
        assert!(begins_released("\u{feff} **Apple", EdgeMark::Part("apple")));
        assert!(!begins_released("* apple", EdgeMark::Part("apple")));
        assert!(!begins_released("“apple", EdgeMark::Part("apple")));
        assert!(finishes_released("STRASSE!」\n", EdgeMark::Part("straße")));
        assert!(finishes_released("Great 😀.", EdgeMark::Part("😀")));
        assert!(begins_released("\u{200f}\u{180e}\u{a0}Apple", EdgeMark::Part("apple")));
        assert!(finishes_released("Low tide.\r\n\u{feff}", EdgeMark::Part("tide")));
        assert!(!finishes_released("Low tide.\u{a0}", EdgeMark::Part("tide")));
    }

    #[test]
    fn released_quotations_need_their_partner() {
        let pair = EdgeMark::Quotation { left: "(", right: ")" };
        assert!(begins_released(" (a) b", pair) && !begins_released("(a", pair));
        assert!(finishes_released("b (a) ", pair) && !finishes_released("a)", pair));
        assert!(!finishes_released("b (a)\u{2028}", pair));
        let same = EdgeMark::Quotation { left: "\"", right: "\"" };
        assert!(begins_released("\"\"", same) && !begins_released("\"", same));
    }
}
