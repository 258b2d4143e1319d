//! The text under a heading, and after a label.

use super::lists::{is_heading, is_numeral_heading, unmarked};

/// The form of a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heading {
    /// `## Casual`
    Hash(usize),
    /// `**Casual**`, `【Casual】`
    Bold,
    /// `一、口语评论`
    Numeral,
    /// `Casual:` alone on the line.
    Colon,
}

impl Heading {
    fn parse(line: &str) -> Option<Heading> {
        if is_heading(line) {
            return Some(Heading::Hash(line.bytes().take_while(|byte| *byte == b'#').count()));
        }
        let bare = line.trim_end_matches([':', '：']).trim_end();
        let wrapped = |open: &str, close: &str| {
            let inside = bare.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
            inside.is_some_and(|inside| {
                !inside.is_empty() && !inside.contains(open) && !inside.contains(close)
            })
        };
        if wrapped("**", "**") || wrapped("__", "__") || wrapped("【", "】") {
            return Some(Heading::Bold);
        }
        if is_numeral_heading(line) {
            return Some(Heading::Numeral);
        }
        // The maximum size of 80 characters in bytes: longer lines are skipped.
        let is_colon = bare.len() < line.len()
            && line.len() <= 320
            && line.chars().count() <= 80
            && unmarked(line).len() == line.len();
        is_colon.then_some(Heading::Colon)
    }

    /// Whether the other heading ends the section under this one.
    fn is_ended_by(self, other: Heading) -> bool {
        use Heading::{Bold, Colon, Hash, Numeral};
        match (self, other) {
            (Hash(level), Hash(other)) => other <= level,
            (Hash(_), _) => false,
            (_, Hash(_)) => true,
            (Bold, other) => other == Bold,
            (Numeral, other) => matches!(other, Bold | Numeral),
            (Colon, other) => matches!(other, Bold | Colon),
        }
    }
}

/// The text under each heading that contains `name`, ignoring case.
pub(super) fn sections<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let name = name.to_lowercase();
    let mut found = Vec::new();
    let mut open: Option<(Heading, usize)> = None;
    let mut at = 0;
    for raw in text.split_inclusive(['\n', '\r']) {
        let start = at;
        at += raw.len();
        let line = raw.trim();
        let Some(heading) = Heading::parse(line) else { continue };
        if let Some((above, from)) = open {
            if !above.is_ended_by(heading) {
                continue;
            }
            found.push(text[from..start].trim());
            open = None;
        }
        if line.to_lowercase().contains(&name) {
            open = Some((heading, at));
        }
    }
    if let Some((_, from)) = open {
        found.push(text[from..].trim());
    }
    found
}

/// The text after `name:` on each line that begins with it.
pub(super) fn labels<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let name = name.to_lowercase();
    let is_emphasis = ['*', '_', '`', '#', ' ', '"', '【', '[', '“'];
    let closes_emphasis = ['*', '_', '`', ' ', '"', '】', ']', '”'];
    let said = |line: &'t str| -> Option<&'t str> {
        let line = unmarked(line.trim()).trim_start_matches(is_emphasis);
        let rest = after_folded(line, &name)?.trim_start_matches(closes_emphasis);
        let value = rest.strip_prefix([':', '：'])?.trim();
        // `**Title:** x`
        Some(value.strip_prefix("**").unwrap_or(value).trim())
    };
    text.split(['\n', '\r']).filter_map(said).filter(|value| !value.is_empty()).collect()
}

/// The text after a prefix, ignoring case; `wanted` is in lower case.
fn after_folded<'t>(line: &'t str, wanted: &str) -> Option<&'t str> {
    let mut wanted = wanted.chars();
    let mut chars = line.chars();
    loop {
        let rest = chars.as_str();
        let Some(expected) = wanted.next() else { return Some(rest) };
        let mut folded = chars.next()?.to_lowercase();
        if folded.next() != Some(expected) {
            return None;
        }
        for more in folded {
            if wanted.next() != Some(more) {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_end_at_headings_of_their_kind() {
        let text = "## Casual\na\n### More\nb\n## Formal\nc";
        assert_eq!(sections(text, "casual"), ["a\n### More\nb"]);
        assert_eq!(sections(text, "more"), ["b"]);
        assert_eq!(sections("**Casual:**\n一、a\n**Formal**\nb", "CASUAL"), ["一、a"]);
        assert_eq!(sections("一、口语\n1. a\n二、书面\n1. b", "书面"), ["1. b"]);
        assert_eq!(sections("【口语】\na\n【书面】\nb", "口语"), ["a"]);
        assert_eq!(
            sections("Casual comments:\n- note: a\n\nFormal:\n- b", "casual"),
            ["- note: a"]
        );
        assert_eq!(sections("nothing here", "casual"), [""; 0]);
    }

    #[test]
    fn labels_start_lines() {
        let text = "Title: A Sea\n- **Price:** 3\n2. Title： B\nThe title: no\nTITLE:";
        assert_eq!(labels(text, "title"), ["A Sea", "B"]);
        assert_eq!(labels(text, "Price"), ["3"]);
        assert_eq!(labels("标题：海\r\n", "标题"), ["海"]);
    }
}
