//! Marks of Markdown within lines, comments and tags of HTML between them: what a reader of the
//! displayed text does not see.
//!
//! Emphasis follows CommonMark, except that a single star within a word is a character
//! (`Leser*innen`, `2*3*4`) and that punctuation beside a mark does not matter, so that `**“so”**的`
//! is emphasis. Marks at the beginning of lines (`#`, `-`, `>`, `|`) are not touched: they say what a
//! line is.

use std::ops::Range;

use super::elements::{self, ElementFlow};
use super::entities;
use super::tracked::Edit;
use crate::lines;
use crate::markdown::{LineKind, MarkdownLine, classify_lines};

/// What is not shown of a text, in order, and the places of lines that are bold from end to end.
pub(super) fn edits(text: &str) -> (Vec<Edit>, Vec<Range<usize>>) {
    let mut found = Vec::new();
    for block in blocks(text) {
        Inline { text, block, edits: &mut found }.read();
    }
    found.sort_by_key(|edit: &Edit| edit.range.start);
    let titles = titles(text, &found);
    (found, titles)
}

/// Comments and elements that are not shown, outside of fenced code; they may span blocks.
pub(super) fn comments(text: &str) -> Vec<Edit> {
    let mut found: Vec<Edit> = Vec::new();
    if !text.contains('<') {
        return found;
    }
    let lines = classify_lines(text);
    let mut hidden = elements::HiddenElements::default();
    let mut at = 0;
    while let Some(start) = text[at..].find('<').map(|offset| at + offset) {
        at = start + 1;
        let rest = &text[start..];
        let length = if rest.starts_with("<!--") {
            let Some(end) = rest.find("-->") else { break };
            end + 3
        } else {
            let Some(length) = hidden.length(rest) else { continue };
            length
        };
        let is_code = lines.iter().any(|line| {
            matches!(line.kind, LineKind::Code | LineKind::FenceOpen)
                && (line.marker..line.end.max(line.marker + 1)).contains(&start)
        });
        if !is_code {
            at = start + length;
            found.push(Edit::omit(start..at));
        }
    }
    found
}

/// The stretches in which marks pair up: paragraphs, items, headings and rows of tables.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for MarkdownLine { content, end, kind, .. } in classify_lines(text) {
        match kind {
            LineKind::Text if open => {
                if let Some(last) = blocks.last_mut() {
                    last.end = end;
                }
            }
            LineKind::Text | LineKind::Item { .. } => {
                blocks.push(content..end);
                open = true;
            }
            LineKind::Heading | LineKind::Title | LineKind::TableHead | LineKind::TableRow => {
                blocks.push(content..end);
                open = false;
            }
            LineKind::Blank
            | LineKind::Underline
            | LineKind::Rule
            | LineKind::FenceOpen
            | LineKind::Code
            | LineKind::FenceClose
            | LineKind::TableDelimiter => open = false,
        }
    }
    blocks
}

/// Lines of their own that are bold from end to end, or between `<<` and `>>`, and are no sentence.
fn titles(text: &str, edits: &[Edit]) -> Vec<Range<usize>> {
    let lines = lines::all(text);
    let is_blank =
        |at: usize| lines.get(at).is_none_or(|line| text[line.clone()].trim().is_empty());
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let shown = text[line.clone()].trim();
        let is_bold = (shown.starts_with("**") && shown.ends_with("**")
            || shown.starts_with("__") && shown.ends_with("__"))
            && shown.len() > 4;
        let is_marked = shown.starts_with("<<") && shown.ends_with(">>") && shown.len() > 4;
        let is_list = |at: usize| {
            let next = lines.get(at).map_or("", |line| text[line.clone()].trim_start());
            next.starts_with(['-', '*', '+', '•']) && next.chars().nth(1) == Some(' ')
                || next.starts_with("1. ")
                || next.starts_with("1) ")
        };
        let is_apart = (is_blank(at + 1) || is_list(at + 1)) && (at == 0 || is_blank(at - 1));
        if !(is_bold || is_marked) || !is_apart {
            continue;
        }
        let start = line.start + (text[line.clone()].len() - text[line.clone()].trim_start().len());
        let inner = start + 2..start + shown.len() - 2;
        let next = edits.partition_point(|edit| edit.range.start < inner.start);
        let has_marks = edits.get(next).is_some_and(|edit| edit.range.start < inner.end);
        let is_sentence = text[inner.clone()].ends_with(crate::stops::is_stop);
        if !is_sentence && !has_marks {
            found.push(start..start + shown.len());
        }
    }
    found
}

struct Inline<'t, 'e> {
    text: &'t str,
    block: Range<usize>,
    edits: &'e mut Vec<Edit>,
}

/// A run of marks that may open or close emphasis.
struct Delimiter {
    at: usize,
    length: usize,
    /// A letter or digit is on both sides.
    in_word: bool,
}

const EMPHASIS: [u8; 3] = [b'*', b'_', b'~'];

impl Inline<'_, '_> {
    fn read(&mut self) {
        let bytes = &self.text.as_bytes()[..self.block.end];
        // Most blocks have none of these.
        if !bytes[self.block.clone()].iter().any(|byte| b"*_~`[<&\\".contains(byte)) {
            return;
        }
        let mut open: [Vec<Delimiter>; EMPHASIS.len()] = Default::default();
        let mut targets: Vec<Range<usize>> = Vec::new();
        let mut code = CodeSpans::default();
        let mut at = self.block.start;
        while let Some(byte) = bytes.get(at).copied() {
            if let Some(target) = targets.last().cloned().filter(|target| target.start == at) {
                self.omit(target.clone());
                targets.pop();
                at = target.end;
                continue;
            }
            at = match byte {
                b'\\' if bytes.get(at + 1).is_some_and(|next| b"*_~`".contains(next)) => {
                    self.omit(at..at + 1);
                    at + 2
                }
                b'`' => self.code_span(at, &mut code),
                b'*' | b'_' | b'~' => self.emphasis(at, byte, &mut open),
                b'[' => self.link(at, &mut targets),
                b'<' => self.tag(at),
                b'&' => self.reference(at),
                _ => at + 1,
            };
        }
    }

    fn omit(&mut self, range: Range<usize>) {
        self.edits.push(Edit::omit(range));
    }

    fn rest(&self, at: usize) -> &str {
        &self.text[at..self.block.end]
    }

    /// The place behind a code span, whose contents are characters; or behind a lone backtick.
    fn code_span(&mut self, at: usize, known: &mut CodeSpans) -> usize {
        let length = run_length(self.rest(at), b'`');
        match known.closing(self.text, self.block.end, at + length, length) {
            Some(close) => {
                self.omit(at..at + length);
                self.omit(close..close + length);
                close + length
            }
            None => at + length,
        }
    }

    fn emphasis(&mut self, at: usize, mark: u8, open: &mut [Vec<Delimiter>; 3]) -> usize {
        let length = run_length(self.rest(at), mark);
        let end = at + length;
        let before = self.text[self.block.start..at].chars().next_back();
        let after = self.text[end..self.block.end].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let in_word = is_word(before) && is_word(after);
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_times = mark == b'*' && is_digit(before) && is_digit(after);
        let may = !(mark == b'~' && length != 2 || mark == b'_' && in_word || is_times);
        let (opens, closes) = (may && !is_blank(after), may && !is_blank(before));
        let kind = EMPHASIS.iter().position(|known| *known == mark).unwrap_or_default();
        let mut left = length;
        if closes && !(mark == b'_' && is_word(after)) {
            while left > 0
                && let Some(opener) = open[kind].last_mut()
            {
                // Stars within words are marks only in pairs, or with one outside.
                if in_word && opener.in_word && length.min(opener.length) == 1 {
                    break;
                }
                let used = left.min(opener.length).min(2);
                opener.length -= used;
                let range = opener.at + opener.length..opener.at + opener.length + used;
                if opener.length == 0 {
                    open[kind].pop();
                }
                self.omit(range);
                self.omit(end - left..end - left + used);
                left -= used;
            }
        }
        if left > 0 && opens && !(mark == b'_' && is_word(before)) {
            open[kind].push(Delimiter { at: end - left, length: left, in_word });
        }
        end
    }

    /// `[text](target)`: the text is read on, and the target left out.
    fn link(&mut self, at: usize, targets: &mut Vec<Range<usize>>) -> usize {
        let line = self.rest(at).lines().next().unwrap_or("");
        let inner = &line[1..];
        let Some(middle) = inner.find(['[', ']']).filter(|end| inner[*end..].starts_with("]("))
        else {
            return at + 1;
        };
        let target = &inner[middle + 2..];
        let Some(length) = target_length(target).filter(|_| middle > 0) else { return at + 1 };
        let is_image = self.text[self.block.start..at].ends_with('!');
        self.omit(if is_image { at - 1..at } else { at..at });
        self.omit(at..at + 1);
        targets.push(at + 1 + middle..at + 1 + middle + 2 + length + 1);
        at + 1
    }

    fn tag(&mut self, at: usize) -> usize {
        let Some(tag) = elements::tag(self.rest(at)) else { return at + 1 };
        // `<<title>>` is none.
        let is_doubled = self.text[..at].ends_with('<')
            || self.text[at + tag.length..self.block.end].starts_with('>');
        if is_doubled {
            return at + 1;
        }
        // A line break at the end of a line ends it once.
        let rest = &self.text[at + tag.length..self.block.end];
        let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let range = at..at + tag.length;
        let replacement = match elements::flow(tag.name) {
            None => return at + 1,
            Some(ElementFlow::Inline | ElementFlow::Hidden) => "",
            Some(ElementFlow::Line) if ends_line => "",
            Some(ElementFlow::Line | ElementFlow::Block) => "\n",
        };
        self.edits.push(Edit { range: range.clone(), replacement: replacement.to_owned() });
        range.end
    }

    fn reference(&mut self, at: usize) -> usize {
        let Some((c, length)) = entities::reference(self.rest(at)) else { return at + 1 };
        self.edits.push(Edit { range: at..at + length, replacement: c.to_string() });
        at + length
    }
}

/// The length of the target of a link, up to the bracket that closes it.
fn target_length(target: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in target.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn run_length(text: &str, mark: u8) -> usize {
    text.bytes().take_while(|byte| *byte == mark).count()
}

/// Runs of backticks, each looked for once.
#[derive(Default)]
struct CodeSpans {
    /// The runs of a block, in order: their place and length.
    runs: Option<Vec<(usize, usize)>>,
}

impl CodeSpans {
    /// The next run of this length, from a place on.
    fn closing(&mut self, text: &str, end: usize, from: usize, length: usize) -> Option<usize> {
        let runs = self.runs.get_or_insert_with(|| {
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for (offset, _) in text[from..end].match_indices('`') {
                let at = from + offset;
                match runs.last_mut() {
                    Some((start, length)) if *start + *length == at => *length += 1,
                    _ => runs.push((at, 1)),
                }
            }
            runs
        });
        let next = runs.partition_point(|(start, _)| *start < from);
        // Code spans are short: an open one is not looked for through the entire text.
        const MAX_RUNS: usize = 64;
        runs[next..].iter().take(MAX_RUNS).find(|(_, other)| *other == length).map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tracked::TrackedText;
    use super::edits;

    fn shown(text: &str) -> String {
        TrackedText::stretch(text, 0..text.len()).edited(&edits(text).0).text
    }

    #[test]
    fn marks_are_left_out() {
        for (text, content) in [
            ("**Bold** and *it* and ***both***.", "Bold and it and both."),
            ("_it_ and __bold__ and ~~gone~~", "it and bold and gone"),
            ("Wohnungs**verwaltung** of**ten**", "Wohnungsverwaltung often"),
            ("*a*rt and a*rt*", "art and art"),
            ("**a *b* c**", "a b c"),
            ("**“石马”**是", "“石马”是"),
            ("`code *not*` and ``a`b``", "code *not* and a`b"),
            ("[text](http://a.b/c_(d)) ![alt](x.png)", "text alt"),
            ("\\*so\\*", "*so*"),
            ("a <b>b</b><br>c", "a b\nc"),
            ("a<br>\nb<br/> \nc", "a\nb \nc"),
            ("Gr&uuml;&szlig;e &lt;", "Grüße <"),
            ("**one\ntwo**", "one\ntwo"),
            ("- **a**: b\n- *c*", "- a: b\n- c"),
            ("Really?**", "Really?**"),
            ("*Really?*", "Really?"),
        ] {
            assert_eq!(shown(text), content, "{text}");
        }
    }

    #[test]
    fn characters_stay() {
        for text in [
            "2 * 3 * 4 and 2*3*4",
            "Leser*innen und Mieter*innen",
            "snake_case_name __init",
            "******",
            "* a\n* b",
            "***\n\n***",
            "[name] and [a][b] and [x]",
            "Dear <name>, 1 < 2 > 0",
            "<<title>> <<b>>",
            "AT&T & co",
            "```\n**a** <b>\n```",
            "a ~ b ~ c",
            "don`t",
            "*open",
        ] {
            assert_eq!(shown(text), text);
        }
    }

    #[test]
    fn bold_lines_are_titles() {
        let text = "<<Sea>>\n\n**Tides**\n- a\n\n**They turn.**\n\n**A** and **B**\n\n__Ends__";
        let found: Vec<&str> = edits(text).1.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["<<Sea>>", "**Tides**", "__Ends__"]);
    }
}
