//! Lines, and paragraphs of lines.

use std::ops::Range;

use memchr::memchr2;

use super::markdown::{LineKind, MarkdownLine};
use super::{edge, python};

/// Every line without its line end (LF, CR LF or CR); blank ones are kept.
pub(super) fn all(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    while let Some(end) = memchr2(b'\n', b'\r', &bytes[start..]).map(|offset| start + offset) {
        lines.push(start..end);
        let both = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
        start = end + if both { 2 } else { 1 };
    }
    if start < bytes.len() {
        lines.push(start..bytes.len());
    }
    lines
}

/// Every line that is not blank.
pub(super) fn filled(text: &str) -> Vec<Range<usize>> {
    all(text).into_iter().filter(|line| !is_blank(&text[line.clone()])).collect()
}

/// Blocks of lines that are not blank, without surrounding blanks.
pub(super) fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut paragraphs: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in all(text) {
        let part = &text[line.clone()];
        if is_blank(part) {
            open = false;
            continue;
        }
        let end = line.start + part.trim_end_matches(python::is_space).len();
        match paragraphs.last_mut() {
            Some(last) if open => last.end = end,
            _ => {
                let indent = part.len() - part.trim_start_matches(python::is_space).len();
                paragraphs.push(line.start + indent..end);
            }
        }
        open = true;
    }
    paragraphs
}

/// Blocks of lines that say something: neither headings nor rules, which end them as blank lines do.
/// Blank lines within fenced code do not.
pub(super) fn paragraphs(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in lines {
        // A line of a quotation without text is blank.
        let written = text.get(line.marker..line.end).unwrap_or("");
        if written.starts_with('>') && written.trim_start_matches(['>', ' ', '\t']).is_empty() {
            open = false;
            continue;
        }
        let continues = match line.kind {
            LineKind::Blank
            | LineKind::Heading
            | LineKind::Underline
            | LineKind::Title
            | LineKind::Rule => {
                open = false;
                continue;
            }
            LineKind::Code if line.marker >= line.end => continue,
            _ => std::mem::replace(&mut open, true),
        };
        match blocks.last_mut() {
            Some(last) if continues => last.end = line.end,
            _ => blocks.push(line.marker..line.end),
        }
    }
    blocks.retain(|block| edge::says_something(&text[block.clone()]));
    blocks
}

/// Whether a text is empty or consists of blanks.
pub(super) fn is_blank(line: &str) -> bool {
    line.chars().all(python::is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_line_ends_end_a_line() {
        assert_eq!(all("a\r\nb\rc\n\nd"), [0..1, 3..4, 5..6, 7..7, 8..9]);
        assert_eq!(all("\r\n").len(), 1);
    }

    #[test]
    fn paragraphs_are_trimmed() {
        assert_eq!(blocks("\n  a \nb  \n\u{a0}\n c"), [3..7, 14..15]);
    }

    #[test]
    fn headings_and_rules_are_not_paragraphs() {
        for (text, expected) in [
            ("# T\nOne.\n\n---\n\nTwo.\nStill.", &["One.", "Two.\nStill."][..]),
            ("One.\n# T\nTwo.", &["One.", "Two."]),
            ("One.\n\n.\n\n***", &["One."]),
            ("```\na\n\nb\n```", &["```\na\n\nb\n```"]),
            ("T\n===\n\n😀", &["😀"]),
            ("> One.\n>\n> Two.\n> \n> > Three.", &["> One.", "> Two.", "> > Three."]),
        ] {
            let lines = crate::markdown::classify_lines(text);
            let found: Vec<&str> =
                paragraphs(text, &lines).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
