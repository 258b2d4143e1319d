//! List items.

use std::ops::Range;

use super::markdown::{LineKind, MarkdownLine};
use super::python;

/// Markdown list items, filtered by `keep`, which receives whether the marker is a number. Each is
/// a range from its marker to the end of its continuation.
pub(super) fn items(lines: &[MarkdownLine], keep: impl Fn(bool) -> bool) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in lines {
        match line.kind {
            LineKind::Item { numbered } => {
                open = keep(numbered);
                if open {
                    items.push(line.marker..line.end);
                }
            }
            LineKind::Text if open => {
                if let Some(last) = items.last_mut() {
                    last.end = line.end;
                }
            }
            _ => open = false,
        }
    }
    items
}

/// The minimum indentation of a nested item relative to its parent.
const MIN_INDENT: usize = 2;

/// Nested items.
pub(super) fn nested(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    // The marker positions of the current item and its parents.
    let mut open: Vec<usize> = Vec::new();
    let mut is_nested = Vec::new();
    let mut after_blank = false;
    for line in lines {
        let column = column(text, line.marker);
        match line.kind {
            LineKind::Item { .. } => {
                while open.last().is_some_and(|marker| column < marker + MIN_INDENT) {
                    open.pop();
                }
                is_nested.push(!open.is_empty());
                open.push(column);
            }
            LineKind::Heading | LineKind::Underline | LineKind::Rule => open.clear(),
            // A continuation is indented further, or follows immediately.
            LineKind::Text if !after_blank => {}
            LineKind::Blank | LineKind::Code | LineKind::FenceClose => {}
            LineKind::Text
            | LineKind::Title
            | LineKind::FenceOpen
            | LineKind::TableHead
            | LineKind::TableDelimiter
            | LineKind::TableRow => {
                if open.first().is_some_and(|marker| column < marker + MIN_INDENT) {
                    open.clear();
                }
            }
        }
        after_blank = line.kind == LineKind::Blank;
    }
    let all = items(lines, |_| true).into_iter().zip(is_nested);
    all.filter(|(_, nested)| *nested).map(|(item, _)| item).collect()
}

/// The column of a position that is preceded only by blanks.
fn column(text: &str, at: usize) -> usize {
    let is_blank = |c: char| python::is_space(c) && !matches!(c, '\n' | '\r');
    let before = &text[..at];
    let blanks = &before[before.trim_end_matches(is_blank).len()..];
    blanks.chars().fold(0, |column, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 })
}

/// The text of each line that is not a rule, heading, fence or blank, without its marker: a
/// markdown marker, or a number with a Chinese `、`.
pub(super) fn entries(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let entry = |line: &MarkdownLine| match line.kind {
        LineKind::Text | LineKind::Title | LineKind::Item { .. } | LineKind::Code => {
            let said = text.get(line.content..line.end)?;
            let rest = said.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = if rest.len() < said.len() { rest.strip_prefix('、') } else { None };
            let said = rest.unwrap_or(said).trim_start_matches(python::is_space);
            (!said.is_empty()).then(|| line.end - said.len()..line.end)
        }
        _ => None,
    };
    lines.iter().filter_map(entry).collect()
}

/// Items as in the released checkers of IFEval and EvolIF: matches of `^\s*\*[^\*].*$` and of
/// `^\s*-.*$`, each from its marker to the end of the marker's line. Lines end only at LF. Since
/// `[^\*]` also matches a line end, a line with a single `*` includes the next line for the first
/// pattern.
pub(super) fn released(text: &str) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut at = 0;
    let mut swallowed = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let was_swallowed = std::mem::take(&mut swallowed);
        let content = line.strip_suffix('\n').unwrap_or(line);
        let marked = content.trim_start_matches(python::is_space);
        let marker = start + content.len() - marked.len();
        let is_item = match marked.as_bytes() {
            [b'-', ..] => true,
            [b'*'] if !was_swallowed && line.len() > content.len() => {
                swallowed = true;
                true
            }
            [b'*', next, ..] => !was_swallowed && *next != b'*',
            _ => false,
        };
        if is_item {
            items.push(marker..start + content.len());
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    fn read(text: &str, unit: Unit) -> Vec<&str> {
        Text::new(text).pieces(unit).collect()
    }

    #[test]
    fn an_item_goes_on_until_a_blank_line_or_another_block() {
        assert_eq!(read("- a\n  b\n\nc\n* d", Unit::Item), ["- a\n  b", "* d"]);
        assert_eq!(read("1. a\nb\n# c", Unit::ItemNumbered), ["1. a\nb"]);
        assert_eq!(read("- a\n  1. b\nc", Unit::ItemBullet), ["- a"]);
    }

    #[test]
    fn nested_items_are_those_under_others() {
        let text = "* a\n  b\n    * c\n      d\n\n      e\n    1. f\n  * g\n* h\n# i\n  - j";
        assert_eq!(read(text, Unit::ItemNested), ["* c\n      d", "1. f", "* g"]);
        assert_eq!(read("- a\n```\n- b\n```\n  - c", Unit::ItemNested), [""; 0]);
    }

    #[test]
    fn entries_are_parsed_from_lines() {
        let text = "# T\n\n- a b \n2) c\n3、 d\n\ne\n---\n```\nf\n```\n> g";
        assert_eq!(read(text, Unit::LineEntry), ["a b", "c", "d", "e", "f", "g"]);
    }

    #[test]
    fn the_released_rule_keeps_its_defects() {
        assert_eq!(read("*\n* a\n- b\n", Unit::ItemReleased), ["*", "- b"]);
        assert_eq!(read("*\n- a", Unit::ItemReleased), ["*", "- a"]);
        assert_eq!(read(" \u{1c}* a\r\n--\n**\n", Unit::ItemReleased), ["* a\r", "--"]);
    }
}
