//! Letters and classes of characters.

use regex_syntax::hir::ClassUnicode;

use ifs_text::fold;
use ifs_text::python::{is_letter, simple_fold};

/// All characters that separate words or lines, as in Python's `isspace` and `splitlines`.
pub(super) const SPACES: [char; 29] = [
    '\t', '\n', '\u{b}', '\u{c}', '\r', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}', ' ', '\u{85}',
    '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}',
    '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}',
    '\u{205f}', '\u{3000}',
];

pub(super) fn class_contains(class: &ClassUnicode, c: char) -> bool {
    class.ranges().iter().any(|range| range.start() <= c && c <= range.end())
}

pub(super) fn disjoint(one: &ClassUnicode, other: &ClassUnicode) -> bool {
    let mut common = one.clone();
    common.intersect(other);
    common.ranges().is_empty()
}

pub(super) fn folded(text: &str) -> String {
    text.chars().map(simple_fold).collect()
}

pub(super) fn one_letter(part: &str) -> Option<char> {
    let mut chars = part.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if is_letter(letter) => {
            // Some letters are read as two.
            let folded = fold(part);
            let mut chars = folded.chars();
            chars.next().filter(|c| is_letter(*c) && chars.next().is_none())
        }
        _ => None,
    }
}
