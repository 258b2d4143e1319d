//! Renders diagnostics as text. The only file that names miette.
//!
//! Only short excerpts of the source are passed on: the lines with labels, cut to the terminal's
//! width, so a mistake in a line of megabytes costs no more than any other.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};

use super::{Code, Diagnostic, Severity, visible};
use crate::source::{FileId, Places, Sources};

/// The number of diagnostics of a kind that a person reads.
const MAX_OF_A_KIND: usize = 10;

/// Renders diagnostics for a person: of those with the same code and severity the first ones, and how
/// many more there are.
pub fn render_abridged(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    color: bool,
    width: usize,
) -> String {
    let mut counts: BTreeMap<(Code, Severity), usize> = BTreeMap::new();
    for diagnostic in diagnostics {
        *counts.entry((diagnostic.code, diagnostic.severity)).or_default() += 1;
    }
    let mut shown: BTreeMap<(Code, Severity), usize> = BTreeMap::new();
    let mut writer = DiagnosticWriter::new(sources, color, width);
    for diagnostic in diagnostics {
        let kind = (diagnostic.code, diagnostic.severity);
        let number = shown.entry(kind).or_default();
        *number += 1;
        if *number <= MAX_OF_A_KIND {
            writer.add(diagnostic);
        }
        let more = counts.get(&kind).map_or(0, |count| count.saturating_sub(MAX_OF_A_KIND));
        if *number == MAX_OF_A_KIND && more > 0 {
            writer.written.push_str(&format!("  and {more} more like this\n"));
        }
    }
    writer.written
}

/// Renders diagnostics with their source, one below the other; empty without diagnostics. `width`
/// is the terminal's, in columns.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources, color: bool, width: usize) -> String {
    let mut writer = DiagnosticWriter::new(sources, color, width);
    diagnostics.iter().for_each(|diagnostic| writer.add(diagnostic));
    writer.written
}

struct DiagnosticWriter<'s> {
    sources: &'s Sources,
    places: Places<'s>,
    handler: GraphicalReportHandler,
    color: bool,
    width: usize,
    written: String,
}

impl<'s> DiagnosticWriter<'s> {
    fn new(sources: &'s Sources, color: bool, width: usize) -> DiagnosticWriter<'s> {
        let width = width.clamp(MIN_WIDTH, MAX_WIDTH);
        let theme =
            if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(width)
            .with_urls(false)
            .with_context_lines(CONTEXT)
            .tab_width(TAB)
            .without_syntax_highlighting();
        let places = Places::new(sources);
        DiagnosticWriter { sources, places, handler, color, width, written: String::new() }
    }

    fn add(&mut self, diagnostic: &Diagnostic) {
        let written = &mut self.written;
        if !written.is_empty() {
            written.push('\n');
        }
        let width = self.width - MARGIN;
        let report = MietteReport {
            message: plain(&diagnostic.message),
            help: diagnostic.help.as_deref().map(plain),
            severity: diagnostic.severity,
            excerpts: excerpts(diagnostic, self.sources, &mut self.places, width),
        };
        // Writing to a string fails only if an excerpt cannot be read.
        if self.handler.render_report(written, &report).is_err() {
            written.push_str(&format!("  {}\n", report.message));
        }
        let (dim, bright) = if self.color { ("\u{1b}[2m", "\u{1b}[0m") } else { ("", "") };
        let code = diagnostic.code;
        written.push_str(&format!("  {dim}code: {code}   (ifs explain {code}){bright}\n"));
    }
}

const MIN_WIDTH: usize = 40;
const MAX_WIDTH: usize = 400;
/// The width of a tab in columns.
const TAB: usize = 4;
/// Columns that line numbers and bars take.
const MARGIN: usize = 10;
/// Lines of context around labels; an excerpt has all of its lines.
const CONTEXT: usize = 1;
/// Up to this many lines between two labels are shown instead of left out.
const MAX_GAP_LINES: usize = 2;
/// A longer message is cut.
const MAX_MESSAGE_CHARACTERS: usize = 2_000;

#[derive(Debug)]
struct MietteReport {
    message: String,
    help: Option<String>,
    severity: Severity,
    excerpts: Excerpts,
}

impl fmt::Display for MietteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for MietteReport {}

impl miette::Diagnostic for MietteReport {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpts)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let marks = self.excerpts.list.iter().flat_map(|excerpt| &excerpt.marks);
        Some(Box::new(marks.map(|mark| {
            let text = Some(mark.text.clone()).filter(|text| !text.is_empty());
            let span = (mark.range.start, mark.range.len());
            match mark.primary {
                true => LabeledSpan::new_primary_with_span(text, span),
                false => LabeledSpan::new_with_span(text, span),
            }
        })))
    }
}

/// Excerpts of files, each at its own offset of one virtual text.
#[derive(Debug)]
struct Excerpts {
    list: Vec<Excerpt>,
}

#[derive(Debug)]
struct Excerpt {
    name: String,
    /// The first line's number, from 0.
    line: usize,
    text: String,
    /// Its offset in the virtual text.
    base: usize,
    marks: Vec<ExcerptMark>,
}

/// A label within the virtual text.
#[derive(Debug)]
struct ExcerptMark {
    range: Range<usize>,
    text: String,
    primary: bool,
    /// Its line in the file, from 1.
    line: usize,
    column: usize,
}

impl SourceCode for Excerpts {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let excerpt = self
            .list
            .iter()
            .find(|excerpt| excerpt.base <= start && end <= excerpt.base + excerpt.text.len())
            .ok_or(MietteError::OutOfBounds)?;
        let (mut line, mut column) = (excerpt.line, 0);
        // Without context only the position is needed.
        if before < CONTEXT
            && let Some(mark) = excerpt.marks.iter().find(|mark| mark.range == (start..end))
        {
            (line, column) = (mark.line - 1, mark.column - 1);
        }
        Ok(Box::new(MietteSpanContents::new_named(
            excerpt.name.clone(),
            excerpt.text.as_bytes(),
            (excerpt.base, excerpt.text.len()).into(),
            line,
            column,
            excerpt.text.matches('\n').count(),
        )))
    }
}

/// A label to show, with its position on its first line.
struct ShownLabel<'d> {
    file: FileId,
    line: usize,
    /// The complete line, and the part of it that the label marks.
    whole: Range<usize>,
    range: Range<usize>,
    text: &'d str,
    primary: bool,
}

fn excerpts(
    diagnostic: &Diagnostic,
    sources: &Sources,
    places: &mut Places,
    width: usize,
) -> Excerpts {
    let mut shown: Vec<ShownLabel> = Vec::new();
    for (at, label) in diagnostic.labels.iter().enumerate() {
        let span = label.span;
        let Some(source) = sources.get(span.file) else { continue };
        let (line, whole) = places.line(span.file, span.start);
        // A label that continues after its first line is below that line.
        let start = source.text.floor_char_boundary((span.start as usize).min(whole.end));
        let end = source.text.ceil_char_boundary((span.end as usize).clamp(start, whole.end));
        let range = start..end;
        shown.push(ShownLabel {
            file: span.file,
            line,
            whole,
            range,
            text: &label.text,
            primary: at == 0,
        });
    }
    shown.sort_by_key(|label| (label.file, label.range.start, label.range.end));
    let mut groups: Vec<Vec<ShownLabel>> = Vec::new();
    for label in shown {
        match groups.last_mut() {
            Some(group) if joins(group, &label, sources, width) => group.push(label),
            _ => groups.push(vec![label]),
        }
    }
    // The group with the primary label comes first.
    groups.sort_by_key(|group| !group.iter().any(|label| label.primary));
    let mut list: Vec<Excerpt> = Vec::new();
    for group in groups {
        let base = list.last().map_or(0, |last| last.base + last.text.len() + 2);
        list.push(excerpt(base, &group, sources, places, width));
    }
    Excerpts { list }
}

/// Whether a label is in the same excerpt as those before it.
fn joins(group: &[ShownLabel], label: &ShownLabel, sources: &Sources, width: usize) -> bool {
    let Some(last) = group.last() else { return false };
    if last.file != label.file || label.line > last.line + MAX_GAP_LINES {
        return false;
    }
    if last.line != label.line {
        return true;
    }
    let same_line = group.iter().filter(|other| other.line == label.line);
    let first = same_line.map(|other| other.range.start).min().unwrap_or(label.range.start);
    let text = sources.get(label.file).map_or("", |source| &source.text);
    let fits = |range: Range<usize>, width| columns_within(&text[range], width).is_some();
    last.range.end <= label.range.start
        && last.range != label.range
        && (fits(label.whole.clone(), width) || fits(first..label.range.end, width * 2 / 3))
}

fn excerpt(
    base: usize,
    group: &[ShownLabel],
    sources: &Sources,
    places: &mut Places,
    width: usize,
) -> Excerpt {
    let file = group.first().map_or(FileId::default(), |label| label.file);
    let source = sources.get(file).map_or("", |source| &source.text);
    let first = group.first().map_or(0, |label| label.line);
    let last = group.last().map_or(0, |label| label.line);
    let mut excerpt = Excerpt {
        name: plain(sources.name(file)),
        line: first,
        text: String::new(),
        base,
        marks: Vec::new(),
    };
    for line in first..=last {
        let whole = places.line_range(file, line);
        let labels: Vec<&ShownLabel> = group.iter().filter(|label| label.line == line).collect();
        let start = labels.iter().map(|label| label.range.start).min().unwrap_or(whole.start);
        let window = window(source, whole.clone(), start, width);
        if window.start > whole.start {
            excerpt.text.push('…');
        }
        let mut marks: Vec<Range<usize>> = vec![usize::MAX..usize::MAX; labels.len()];
        let mut at = window.start;
        for letter in source[window.clone()].chars() {
            note(&labels, &mut marks, at, base + excerpt.text.len());
            excerpt.text.push(visible(letter));
            at += letter.len_utf8();
        }
        note(&labels, &mut marks, at, base + excerpt.text.len());
        if window.end < whole.end {
            excerpt.text.push('…');
        }
        let over = base + excerpt.text.len();
        excerpt.text.push('\n');
        for (label, mark) in labels.iter().zip(marks) {
            let start = mark.start.min(over);
            let (line, column) = places.line_column(file, label.range.start as u32);
            excerpt.marks.push(ExcerptMark {
                range: start..mark.end.min(over).max(start),
                text: plain(label.text),
                primary: label.primary,
                line,
                column,
            });
        }
    }
    excerpt
}

/// Records where labels begin and end in the excerpt.
fn note(labels: &[&ShownLabel], marks: &mut [Range<usize>], at: usize, place: usize) {
    for (label, mark) in labels.iter().zip(marks) {
        if label.range.start == at {
            mark.start = place;
        }
        if label.range.end == at {
            mark.end = place;
        }
    }
}

/// The part of a line that is shown: all of it, or the part around `start`.
fn window(source: &str, whole: Range<usize>, start: usize, width: usize) -> Range<usize> {
    if columns_within(&source[whole.clone()], width).is_some() {
        return whole;
    }
    let before = source[whole.start..start].chars().rev();
    let mut from = start;
    let mut columns = 0;
    for letter in before {
        columns += columns_of(letter);
        if columns > width / 3 {
            break;
        }
        from -= letter.len_utf8();
    }
    let mut to = from;
    let mut columns = 0;
    for letter in source[from..whole.end].chars() {
        columns += columns_of(letter);
        if columns > width {
            break;
        }
        to += letter.len_utf8();
    }
    from..to
}

/// The width of a text in columns, if it is at most `width`.
fn columns_within(text: &str, width: usize) -> Option<usize> {
    let mut columns = 0;
    for letter in text.chars() {
        columns += columns_of(letter);
        if columns > width {
            return None;
        }
    }
    Some(columns)
}

/// The width in columns, up to a limit; it only determines where to cut.
fn columns_of(letter: char) -> usize {
    match letter {
        '\t' => TAB,
        '\u{1100}'.. => 2,
        _ => 1,
    }
}

/// A message as it is printed.
fn plain(text: &str) -> String {
    let mut letters = text.chars();
    let mut plain: String = letters
        .by_ref()
        .take(MAX_MESSAGE_CHARACTERS)
        .map(|letter| if letter == '\n' { letter } else { visible(letter) })
        .collect();
    if letters.next().is_some() {
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{render, render_abridged};
    use crate::diagnostic::{Code, Diagnostic};
    use crate::source::{Sources, Span};

    fn one(text: &str, labels: &[(usize, usize, &str)]) -> String {
        let mut sources = Sources::default();
        let file = sources.add("a.ifs", text).unwrap();
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, "it is wrong").help("mend it");
        for (start, end, label) in labels {
            diagnostic = diagnostic.label(Span::new(file, *start, *end), *label);
        }
        render(&[diagnostic], &sources, false, 60)
    }

    #[test]
    fn many_of_a_kind_are_counted() {
        let sources = Sources::default();
        let of = |code, count: usize| {
            (0..count).map(move |at| Diagnostic::error(code, format!("mistake {at}")))
        };
        let all: Vec<Diagnostic> = of(Code::SYNTAX, 12)
            .chain(of(Code::TOO_LARGE, 10))
            .chain([Diagnostic::warning(Code::SYNTAX, "a warning")])
            .collect();
        let text = render_abridged(&all, &sources, false, 60);
        assert_eq!(text.matches("mistake").count(), 20);
        assert_eq!(text.matches("  and 2 more like this\n").count(), 1);
        assert_eq!(text.matches("more like this").count(), 1);
        assert!(text.contains("a warning"), "{text}");
        assert_eq!(render(&all, &sources, false, 60).matches("mistake").count(), 22);
    }

    #[test]
    fn two_lines_apart() {
        let text = "ifs 1\n\n\n\nlet a = 1\n";
        let expected = "  × it is wrong
   ╭─[a.ifs:5:5]
 5 │ let a = 1
   ·     ┬
   ·     ╰── second
   ╰────
   ╭─[a.ifs:1:1]
 1 │ ifs 1
   · ─┬─
   ·  ╰── first
   ╰────
  help: mend it
  code: ifs::syntax   (ifs explain ifs::syntax)
";
        assert_eq!(one(text, &[(13, 14, "second"), (0, 3, "first")]), expected);
    }

    #[test]
    fn tabs_and_wide_letters() {
        let expected = "  × it is wrong
   ╭─[a.ifs:1:5]
 1 │     日本 x␛
   ·          ┬
   ·          ╰── here
   ╰────
  help: mend it
  code: ifs::syntax   (ifs explain ifs::syntax)
";
        assert_eq!(one("\t日本 x\u{1b}", &[(8, 9, "here")]), expected);
    }

    #[test]
    fn labels_at_every_place_of_anything() {
        for text in ["", "\n", "a\r\nb", "ü\n\nx", "\u{FEFF}ifs 1\n\t"] {
            let boundaries = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
            for start in boundaries.clone() {
                for end in boundaries.clone().filter(|end| *end >= start) {
                    let drawn = one(text, &[(start, end, "x"), (0, end, "y"), (end, end, "")]);
                    assert!(drawn.contains("it is wrong") && drawn.contains("mend it"), "{drawn}");
                }
            }
        }
        let drawn = one("a", &[(7, 9, "behind the end")]);
        assert!(drawn.contains("it is wrong"), "{drawn}");
    }

    #[test]
    fn a_very_long_line() {
        let text = "let ö = 1; ".repeat(300_000);
        let labels: Vec<(usize, usize, &str)> =
            (0..200).map(|at| (at * 12_000 + 4, at * 12_000 + 6, "here")).collect();
        let drawn = one(&text, &labels);
        assert!(drawn.len() < 100_000, "{}", drawn.len());
        assert!(drawn.lines().all(|line| line.chars().count() < 80));
    }
}
