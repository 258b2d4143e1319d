//! Markdown line by line: the kind of each line, and the resulting blocks.
//!
//! This is for counting, not a renderer: indented code, lazy continuations and reference
//! definitions are text here.

use std::ops::Range;

use super::lines;

/// A line with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownLine {
    /// The offset of its first character that is not blank (the marker of an item or a heading).
    pub marker: usize,
    /// The offset of its content: after the marker of an item or heading, or the `>` of a quote.
    pub content: usize,
    /// The end of its last character that is not blank.
    pub end: usize,
    pub kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Text,
    Heading,
    /// The `===` below a heading.
    Underline,
    /// A line that is bold from end to end, which readers take for a heading.
    Title,
    Item {
        numbered: bool,
    },
    /// A thematic break.
    Rule,
    FenceOpen,
    /// A line of a fenced block that neither opens nor closes it.
    Code,
    FenceClose,
    TableHead,
    TableDelimiter,
    TableRow,
}

/// Classifies all lines.
pub(super) fn classify_lines(text: &str) -> Vec<MarkdownLine> {
    let mut read: Vec<MarkdownLine> = Vec::new();
    let mut fence: Option<CodeFence> = None;
    for range in lines::all(text) {
        let raw = &text[range.clone()];
        let trimmed = raw.trim();
        let marker = range.start + (raw.len() - raw.trim_start().len());
        let end = marker + trimmed.len();
        let mut line = MarkdownLine { marker, content: marker, end, kind: LineKind::Text };
        if let Some(open) = fence {
            let closes = CodeFence::parse(trimmed).is_some_and(|f| open.is_closed_by(f, trimmed));
            line.kind = if closes { LineKind::FenceClose } else { LineKind::Code };
            if closes {
                fence = None;
            }
        } else if trimmed.is_empty() {
            line.kind = LineKind::Blank;
        } else if let Some(open) = CodeFence::parse(trimmed) {
            fence = Some(open);
            line.kind = LineKind::FenceOpen;
        } else if is_rule(trimmed) {
            line.kind = LineKind::Rule;
        } else if let Some(skip) = heading(trimmed) {
            line.kind = LineKind::Heading;
            line.content += skip;
        } else if let Some((numbered, skip)) = item(trimmed) {
            line.kind = LineKind::Item { numbered };
            line.content += skip;
        } else {
            continue_block(text, &mut read, &mut line);
        }
        read.push(line);
    }
    read
}

/// Headings, from their `#` (or their text, if underlined) to their end.
pub(super) fn headings(lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    lines.iter().filter(|l| l.kind == LineKind::Heading).map(|l| l.marker..l.end).collect()
}

/// Each heading with the text up to the next one, without trailing blanks.
pub(super) fn sections(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let starts: Vec<usize> =
        lines.iter().filter(|l| l.kind == LineKind::Heading).map(|l| l.marker).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| *start..start + text[*start..end].trim_end().len())
        .collect()
}

/// Fenced blocks with their fences.
pub(super) fn code_blocks(lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for line in lines {
        match line.kind {
            LineKind::FenceOpen => blocks.push(line.marker..line.end),
            LineKind::Code | LineKind::FenceClose => {
                if let Some(last) = blocks.last_mut() {
                    last.end = last.end.max(line.end);
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Tables, header included.
pub(super) fn tables(lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let mut tables: Vec<Range<usize>> = Vec::new();
    for line in lines {
        match line.kind {
            LineKind::TableHead => tables.push(line.marker..line.end),
            LineKind::TableDelimiter | LineKind::TableRow => {
                if let Some(last) = tables.last_mut() {
                    last.end = line.end;
                }
            }
            _ => {}
        }
    }
    tables
}

/// The body rows of all tables.
pub(super) fn table_rows(lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    lines.iter().filter(|l| l.kind == LineKind::TableRow).map(|l| l.marker..l.end).collect()
}

/// The number of cells in a table row: unescaped pipes separate them, except at the ends.
pub(super) fn cells(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut separators = 0;
    let mut escaped = false;
    let mut ends_with_separator = false;
    for c in row.chars() {
        ends_with_separator = c == '|' && !escaped;
        separators += usize::from(ends_with_separator);
        escaped = c == '\\' && !escaped;
    }
    separators + usize::from(!ends_with_separator)
}

#[derive(Debug, Clone, Copy)]
struct CodeFence {
    mark: u8,
    length: usize,
}

impl CodeFence {
    /// The fence at the beginning of a trimmed line.
    fn parse(line: &str) -> Option<CodeFence> {
        let mark = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
        let length = line.bytes().take_while(|b| *b == mark).count();
        // With further backticks in the line, it is inline code.
        let is_inline = mark == b'`' && line[length..].contains('`');
        (length >= 3 && !is_inline).then_some(CodeFence { mark, length })
    }

    fn is_closed_by(self, other: CodeFence, line: &str) -> bool {
        other.mark == self.mark && other.length >= self.length && other.length == line.len()
    }
}

/// Three or more of `-`, `*` or `_`, with only blanks between them.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(mark @ ('-' | '*' | '_')) = marks.next() else {
        return false;
    };
    let mut count = 1;
    for c in marks {
        if c != mark {
            return false;
        }
        count += 1;
    }
    count >= 3
}

/// The number of bytes before the title of a heading line.
fn heading(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    let title = rest.trim_start();
    let is_heading = (1..=6).contains(&level) && title.len() < rest.len();
    is_heading.then_some(line.len() - title.len())
}

/// Whether the marker of an item is a number, and the number of bytes before its content.
fn item(line: &str) -> Option<(bool, usize)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (numbered, marker) = match line.as_bytes().get(digits)? {
        b'.' | b')' if (1..=9).contains(&digits) => (true, digits + 1),
        b'*' | b'-' | b'+' if digits == 0 => (false, 1),
        _ if line.starts_with('•') => {
            let content = line['•'.len_utf8()..].trim_start();
            return (!content.is_empty()).then_some((false, line.len() - content.len()));
        }
        _ => return None,
    };
    let rest = &line[marker..];
    let content = rest.trim_start();
    (content.len() < rest.len() && !content.is_empty())
        .then_some((numbered, line.len() - content.len()))
}

/// Text that may continue the lines above: a table, or a heading's underline.
fn continue_block(text: &str, above: &mut [MarkdownLine], line: &mut MarkdownLine) {
    let this = &text[line.marker..line.end];
    let inner = this.trim_start_matches(['>', ' ', '\t']);
    line.content += this.len() - inner.len();
    let Some(last) = above.last_mut() else { return };
    match last.kind {
        LineKind::TableDelimiter | LineKind::TableRow if this.contains('|') => {
            line.kind = LineKind::TableRow
        }
        LineKind::Text => {
            let header = &text[last.marker..last.end];
            if is_delimiter_row(this) && header.contains('|') && cells(header) == cells(this) {
                last.kind = LineKind::TableHead;
                line.kind = LineKind::TableDelimiter;
            } else if this.bytes().all(|b| b == b'=') {
                last.kind = LineKind::Heading;
                line.kind = LineKind::Underline;
            }
        }
        _ => {}
    }
}

/// `|---|:-:|`: a pipe, and cells of dashes with optional colons at their ends.
fn is_delimiter_row(line: &str) -> bool {
    if !line.contains('|') {
        return false;
    }
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').all(|cell| {
        let cell = cell.trim();
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|b| b == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<LineKind> {
        classify_lines(text).into_iter().map(|l| l.kind).collect()
    }

    #[test]
    fn fences_close_with_as_many_of_the_same_mark() {
        use LineKind::{Code, FenceClose, FenceOpen, Text};
        assert_eq!(kinds("````\n```\n````\na"), [FenceOpen, Code, FenceClose, Text]);
        assert_eq!(kinds("```json\n~~~\n``` x"), [FenceOpen, Code, Code]);
        assert_eq!(kinds("```a``` b"), [Text]);
    }

    #[test]
    fn tables_need_a_delimiter_row_of_as_many_columns() {
        use LineKind::{TableDelimiter, TableHead, TableRow, Text};
        assert_eq!(kinds("a|b\n-|:-:\n1|2"), [TableHead, TableDelimiter, TableRow]);
        assert_eq!(kinds("|a|b|\n|---|"), [Text, Text]);
        assert_eq!(cells("| a | b\\|c |"), 2);
        assert_eq!(cells("|"), 1);
    }

    #[test]
    fn sections_end_where_the_next_begins() {
        let text = "x\n# A\nb\n\n## C\n";
        let lines = classify_lines(text);
        let found: Vec<&str> = sections(text, &lines).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, ["# A\nb", "## C"]);
    }
}
