//! Characters that look the same: canonical composition, one kind of blank, and no invisible
//! characters.

use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::tracked::TrackedText;
use crate::words::is_unspaced;

/// Whether a text has characters that the content writes otherwise.
pub(super) fn are_plain(text: &str) -> bool {
    if text.is_ascii() {
        return !text.contains('\r');
    }
    !text.contains(|c| c == '\r' || is_blank(c) || is_invisible(c))
        && is_nfc_quick(text.chars()) == IsNormalized::Yes
}

/// The text with plain characters.
pub(super) fn plain(from: &TrackedText) -> TrackedText {
    let mut made = TrackedText::default();
    let text = &*from.text;
    let mut previous = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let origin = from.origin(at..at + c.len_utf8());
        if c == '\r' {
            if next != Some('\n') {
                made.push('\n', origin);
            }
        } else if matches!(c, '\u{a0}' | '\u{2009}' | '\u{202f}')
            && groups(&text[..at], &text[at + c.len_utf8()..])
        {
            made.push(c, origin);
        } else if is_blank(c) {
            made.push(if matches!(c, '\u{2028}' | '\u{2029}') { '\n' } else { ' ' }, origin);
        } else if is_invisible(c) {
            // Between words of Thai and the like it is the blank that is not shown.
            let separates = |c: Option<char>| c.is_some_and(is_unspaced);
            if c == ZERO_WIDTH_SPACE && separates(previous) && separates(next) {
                made.push(c, origin);
            }
            continue;
        } else {
            let cluster = at..cluster_end(text, at);
            while chars.peek().is_some_and(|(next, _)| *next < cluster.end) {
                chars.next();
            }
            compose(from, cluster, &mut made);
        }
        previous = Some(c);
    }
    made
}

/// Whether a blank is between groups of the digits of one number: `1 200`.
fn groups(before: &str, after: &str) -> bool {
    let digits = after.chars().take(4).take_while(char::is_ascii_digit).count();
    digits == 3 && before.ends_with(|c: char| c.is_ascii_digit())
}

/// Appends a character with the marks that combine with it.
fn compose(from: &TrackedText, cluster: Range<usize>, made: &mut TrackedText) {
    let text = &from.text[cluster.clone()];
    if text.is_ascii() {
        text.char_indices().for_each(|(at, c)| {
            let at = cluster.start + at;
            made.push(c, from.origin(at..at + 1));
        });
        return;
    }
    let composed: String = text.nfc().collect();
    if composed == text {
        for (at, c) in text.char_indices() {
            let at = cluster.start + at;
            made.push(c, from.origin(at..at + c.len_utf8()));
        }
    } else {
        made.push_str(&composed, &from.origin(cluster));
    }
}

/// The end of the characters from `at` on that may compose.
fn cluster_end(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices();
    let first = chars.next().map_or(0, |(_, c)| c.len_utf8());
    let ends = chars.find(|(_, c)| c.is_ascii() || !composes(*c));
    let end = ends.map_or(text.len(), |(offset, _)| at + offset);
    end.max(at + first)
}

/// Whether a character may become one with those before it.
fn composes(c: char) -> bool {
    unicode_normalization::char::canonical_combining_class(c) != 0
        || is_nfc_quick(std::iter::once(c)) == IsNormalized::Maybe
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Blanks other than the space, the tab and the line end.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Characters that are not displayed. Joiners are kept: they decide how emoji and letters of some
/// scripts look.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | ZERO_WIDTH_SPACE | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_is_the_same() {
        for (text, content) in [
            ("cafe\u{301}\r\n\u{feff}a\u{200b}rt\u{a0}\u{3000}x", "café\nart  x"),
            ("Wohnungs\u{ad}verwaltung", "Wohnungsverwaltung"),
            ("รถ\u{200b}ไฟ", "รถ\u{200b}ไฟ"),
            ("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}", "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}"),
            ("\u{212b}ngström \u{1100}\u{1161}", "Ångström 가"),
            ("a\rb", "a\nb"),
        ] {
            let made = plain(&TrackedText::stretch(text, 0..text.len()));
            assert_eq!(made.text, content, "{text:?}");
            let is_same = made.text == text;
            assert!(is_same || are_plain(&made.text) && !are_plain(text), "{text:?}");
        }
        let text = "e\u{301}a";
        let made = plain(&TrackedText::stretch(text, 0..text.len()));
        assert_eq!((made.origin(0..2), made.origin(2..3)), (0..3, 3..4));
    }
}
