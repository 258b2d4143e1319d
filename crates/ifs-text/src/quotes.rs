//! Quotations.

use std::ops::Range;

/// Quotations within one paragraph, including their marks; outermost only.
pub(super) fn quotes(text: &str, paragraphs: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut quotes = Vec::new();
    for paragraph in paragraphs {
        let first = quotes.len();
        find_quotes(text, paragraph, &mut quotes);
        keep_outermost(&mut quotes, first);
    }
    quotes
}

/// Opening and closing marks; `„` and `“` share a pair, since `“` closes after `„`.
const PAIRS: [(char, char); 8] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
    ('‹', '›'),
    ('「', '」'),
    ('『', '』'),
];

/// Pairs of marks, in the order of their closing marks.
fn find_quotes(text: &str, paragraph: &Range<usize>, quotes: &mut Vec<Range<usize>>) {
    let mut open: Vec<(usize, usize)> = Vec::new();
    // The number of open marks of each kind, so that an unmatched closing mark costs nothing.
    let mut depth = [0usize; PAIRS.len()];
    let mut previous = None;
    let mut chars = text[paragraph.clone()].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let at = paragraph.start + offset;
        let next = chars.peek().map(|(_, next)| *next);
        let is_apostrophe = c == '’' && next.is_some_and(char::is_alphanumeric);
        let closing = PAIRS
            .iter()
            .enumerate()
            .position(|(kind, (_, close))| *close == c && depth[kind] > 0 && !is_apostrophe);
        if let Some(kind) = closing {
            while let Some((opened, start)) = open.pop() {
                depth[opened] -= 1;
                if opened == kind {
                    quotes.push(start..at + c.len_utf8());
                    break;
                }
            }
        } else if let Some(kind) = PAIRS.iter().position(|(opening, _)| *opening == c) {
            // A straight mark directly after a letter or digit is a unit (5") or a typing mistake.
            if c != '"' || !previous.is_some_and(char::is_alphanumeric) {
                open.push((kind, at));
                depth[kind] += 1;
            }
        }
        previous = Some(c);
    }
}

/// Removes the pairs, from `first` on, that are inside another, and sorts the rest.
fn keep_outermost(quotes: &mut Vec<Range<usize>>, first: usize) {
    let mut found = quotes.split_off(first);
    found.sort_by_key(|quote| quote.start);
    for quote in found {
        if quotes.last().is_none_or(|last| last.end <= quote.start) {
            quotes.push(quote);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    fn read(text: &str) -> Vec<&str> {
        Text::new(text).pieces(Unit::Quote).collect()
    }

    #[test]
    fn marks_pair_up() {
        assert_eq!(read("„so“ “it’s” ‘a’ it’s 5\" x"), ["„so“", "“it’s”", "‘a’"]);
        assert_eq!(read("“never closed and \"closed\""), ["\"closed\""]);
        assert_eq!(read("»a« 」“b”"), ["“b”"]);
    }
}
