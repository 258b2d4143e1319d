//! Placeholders in square brackets, to be filled in.

use std::ops::Range;

use memchr::{memchr, memchr2};

/// `[name]` on one line, unless it is a link, a number, a check box or without letters.
pub(super) fn sensible(text: &str) -> Vec<Range<usize>> {
    released(text)
        .into_iter()
        .filter_map(|range| {
            let inside = &text[range.start + 1..range.end - 1];
            // The innermost of nested brackets.
            let start = inside.rfind('[').map_or(range.start, |at| range.start + 1 + at);
            let name = text[start + 1..range.end - 1].trim();
            let is_link = text[range.end..].starts_with(['(', '[']) && !name.is_empty();
            let is_other = matches!(name, "x" | "X")
                || name.starts_with('^')
                || !name.contains(char::is_alphabetic);
            (!is_link && !is_other).then_some(start..range.end)
        })
        .collect()
}

/// Matches of `\[.*?\]`, where `.` is anything but LF.
pub(super) fn released(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr(b'[', &bytes[at..]).map(|offset| at + offset) {
        let Some(end) = memchr2(b']', b'\n', &bytes[start..]).map(|offset| start + offset) else {
            break;
        };
        if bytes[end] == b']' {
            found.push(start..end + 1);
        }
        at = end + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    #[test]
    fn links_are_not_placeholders() {
        let text = Text::new("[a] [b](c) [d][e] [[f]] [x] [your name here]: 1");
        assert_eq!(
            text.pieces(Unit::Placeholder).collect::<Vec<_>>(),
            ["[a]", "[e]", "[f]", "[your name here]"]
        );
        assert_eq!(text.count(Unit::PlaceholderReleased), 7);
    }
}
