//! From pieces to a text: plain, or inside JSON, XML, HTML or CSV.

use std::ops::Range;

use super::brief::{Border, Brief};
use super::draft::{DraftPiece, Fixed, Gap};
use ifs_text::{Shape, Unit};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DraftFrame {
    Plain,
    /// One of its words is emphasised.
    Markdown,
    Json,
    Xml,
    Html,
    /// A tag somewhere in plain text.
    Tagged,
    Csv,
}

impl DraftFrame {
    pub(super) fn from_brief(brief: &Brief) -> DraftFrame {
        let has = |shape| brief.has_shape(shape);
        if has(Shape::Json) || has(Shape::JsonReleased) {
            DraftFrame::Json
        } else if has(Shape::Xml) {
            DraftFrame::Xml
        } else if has(Shape::Html) {
            DraftFrame::Html
        } else if has(Shape::HtmlReleased) {
            DraftFrame::Tagged
        } else if has(Shape::Csv) || has(Shape::CsvReleased) {
            DraftFrame::Csv
        } else if has(Shape::Markdown) {
            DraftFrame::Markdown
        } else {
            DraftFrame::Plain
        }
    }
}

/// A text, and the ranges whose case must not change.
#[derive(Default)]
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) fixed: Vec<Range<usize>>,
    /// Where sentences start.
    pub(super) starts: Vec<usize>,
}

impl Rendered {
    fn fixed(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.fixed.push(start..self.text.len());
    }
}

pub(super) fn render(frame: DraftFrame, brief: &Brief, pieces: &[DraftPiece<'_>]) -> Rendered {
    let mut out = Rendered::default();
    match frame {
        DraftFrame::Plain => plain(&mut out, pieces, FrameStyle::Plain),
        DraftFrame::Markdown => plain(&mut out, pieces, FrameStyle::Emphasis),
        DraftFrame::Tagged => tagged(&mut out, brief, pieces),
        DraftFrame::Json if fenced(brief) => {
            out.text.push_str("```json\n");
            json(&mut out, brief, pieces);
            out.text.push_str("\n```");
        }
        DraftFrame::Json => json(&mut out, brief, pieces),
        DraftFrame::Xml | DraftFrame::Html => marked_up(&mut out, frame, brief, pieces),
        DraftFrame::Csv => csv(&mut out, brief, pieces),
    }
    out
}

/// Whether a block of code is required, which then encloses all of it.
fn fenced(brief: &Brief) -> bool {
    brief
        .counts
        .get(&Unit::CodeBlock)
        .and_then(|blocks| blocks.low_int())
        .is_some_and(|low| low > 0)
}

#[derive(Clone, Copy, PartialEq)]
enum FrameStyle {
    Plain,
    Emphasis,
    Json,
    /// JSON after a key that already says how the text starts.
    Value,
    Markup,
    /// Inside a quoted cell.
    Cell,
}

fn plain(out: &mut Rendered, pieces: &[DraftPiece<'_>], style: FrameStyle) {
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 {
            out.text.push_str(match piece.gap {
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            });
        }
        if dash(out, piece) {
            continue;
        }
        // One emphasis makes it Markdown; it is in the middle piece.
        let style = match style {
            FrameStyle::Emphasis if at != pieces.len() / 2 => FrameStyle::Plain,
            style => style,
        };
        render_piece(out, piece, style);
    }
}

/// The start of a list item, and whether that is all of it.
fn dash(out: &mut Rendered, piece: &DraftPiece<'_>) -> bool {
    if piece.item {
        out.text.push_str(if piece.mute { "---" } else { "- " });
    }
    piece.mute
}

/// The words of a piece.
fn render_piece(out: &mut Rendered, piece: &DraftPiece<'_>, style: FrameStyle) {
    out.starts.push(out.text.len());
    let mut words = Words { out, style, any: false };
    if style != FrameStyle::Value || !piece.speaks() {
        for fixed in &piece.lead {
            words.fixed(fixed);
        }
    }
    // Needles are separated by plain words.
    let step = piece.fill.len() / (piece.must.len() + 1);
    let mut must = piece.must.iter().peekable();
    let emphasised = (style == FrameStyle::Emphasis).then_some(piece.fill.len() / 2);
    for (at, word) in piece.fill.iter().enumerate() {
        let due = step > 0 && at > 0 && at % step == 0;
        if let Some(text) = must.next_if(|_| due) {
            words.word(text);
        }
        if emphasised == Some(at) {
            words.emphasised(word);
        } else {
            words.word(word);
        }
    }
    for text in must {
        words.word(text);
    }
    if emphasised.is_some() && piece.fill.is_empty() {
        // Only existing words can be emphasised.
        words.push_bare("**");
        words.out.text.push_str("so**");
    }
    for fixed in &piece.tail {
        words.fixed(fixed);
    }
    escaped(&mut out.text, &piece.stop, style);
}

struct Words<'o> {
    out: &'o mut Rendered,
    style: FrameStyle,
    any: bool,
}

impl Words<'_> {
    fn push_bare(&mut self, text: &str) {
        if self.any {
            self.out.text.push(' ');
        }
        self.any = true;
        self.out.text.push_str(text);
    }

    fn word(&mut self, text: &str) {
        self.push_bare("");
        escaped(&mut self.out.text, text, self.style);
    }

    fn emphasised(&mut self, word: &str) {
        self.push_bare("**");
        self.out.text.push_str(word);
        self.out.text.push_str("**");
    }

    fn fixed(&mut self, fixed: &Fixed) {
        if !fixed.exact {
            self.word(&fixed.text);
            return;
        }
        self.push_bare("");
        let mut text = String::new();
        escaped(&mut text, &fixed.text, self.style);
        self.out.fixed(&text);
    }
}

fn escaped(out: &mut String, text: &str, style: FrameStyle) {
    match style {
        FrameStyle::Plain | FrameStyle::Emphasis => out.push_str(text),
        FrameStyle::Json | FrameStyle::Value => {
            for c in text.chars() {
                match c {
                    '"' | '\\' => out.extend(['\\', c]),
                    c => out.push(c),
                }
            }
        }
        // Numbers rather than names, which would not survive capitals.
        FrameStyle::Markup => {
            for c in text.chars() {
                match c {
                    '&' => out.push_str("&#38;"),
                    '<' => out.push_str("&#60;"),
                    '>' => out.push_str("&#62;"),
                    c => out.push(c),
                }
            }
        }
        FrameStyle::Cell => {
            for c in text.chars() {
                out.push(c);
                if c == '"' {
                    out.push(c);
                }
            }
        }
    }
}

/// Plain text with one tag in it.
fn tagged(out: &mut Rendered, brief: &Brief, pieces: &[DraftPiece<'_>]) {
    let at_start = brief.lead.pair.as_ref().is_some_and(|(here, _)| here == "<");
    let at_end = brief.tail.pair.as_ref().is_some_and(|(here, _)| here == ">");
    if at_start {
        out.text.push_str("<b>so</b> ");
    }
    plain(out, pieces, FrameStyle::Markup);
    if !at_start && !at_end {
        // Before the last piece, so that neither edge is touched.
        match out.starts.last().copied() {
            Some(start) if out.starts.len() > 1 => {
                out.text.insert_str(start, "<b>so</b> ");
                for range in out.fixed.iter_mut().filter(|range| range.start >= start) {
                    *range = range.start + 10..range.end + 10;
                }
            }
            _ => {
                // Within the only piece, after its first word.
                let place = out.text.find(' ').unwrap_or(out.text.len());
                out.text.insert_str(place, " <b>so</b>");
                for range in out.fixed.iter_mut().filter(|range| range.start >= place) {
                    *range = range.start + 10..range.end + 10;
                }
            }
        }
    }
    if at_end {
        out.text.push_str(" <b>so</b>");
    }
}

/// An array of strings, an object, or a string where the release is asked. A line inside JSON can
/// begin with a dash only as a negative number, so that is what list items become.
fn json(out: &mut Rendered, brief: &Brief, pieces: &[DraftPiece<'_>]) {
    let mark = |border: &Border| {
        border.pair.as_ref().filter(|_| border.written).map(|(here, _)| here.clone())
    };
    let (lead, tail) = (mark(&brief.lead), mark(&brief.tail));
    let object = lead.as_deref() == Some("{") || tail.as_deref() == Some("}") || brief.needs("{");
    // A reader who asks for JSON does not mean a string.
    let is_plain = brief.has_shape(Shape::Json) && !object;
    let array = lead.as_deref() == Some("[") || tail.as_deref() == Some("]") || is_plain;
    let commas = !brief.forbids(",");
    let several = pieces.iter().skip(1).any(|piece| piece.gap == Gap::Paragraph || piece.item);
    if several && !commas {
        return nested(out, brief, pieces, object);
    }
    let (open, close) = match (object, array || several) {
        (true, _) => ("{", "}"),
        (false, true) => ("[", "]"),
        (false, false) => ("", ""),
    };
    out.text.push_str(open);
    let mut key = 0;
    let mut inside = false;
    for (at, piece) in pieces.iter().enumerate() {
        let text = !piece.mute;
        let is_item = piece.item && text && inside;
        if at > 0 && !(text && inside && piece.gap != Gap::Paragraph) {
            if inside {
                out.text.push('"');
                inside = false;
            }
            out.text.push(',');
            out.text.push_str(match piece.gap {
                Gap::Paragraph => "\n\n",
                Gap::Line | Gap::Space => "\n",
            });
        }
        if object && !inside {
            // Inside an object an item needs a key, and no line begins with a dash.
            key += 1;
            out.text.push('"');
            let named = key == 1 && !piece.lead.is_empty() && brief.lead.written;
            if named {
                // The start of the text is then the first key.
                let mut words = Words { out, style: FrameStyle::Json, any: false };
                for fixed in &piece.lead {
                    words.fixed(fixed);
                }
            } else {
                out.text.push_str(&key_name(key));
            }
            out.text.push_str("\":");
            out.text.push_str(if text { " " } else { "\n" });
        }
        if !text {
            out.text.push_str(&format!("-{}", at + 1));
            continue;
        }
        if is_item {
            out.text.push_str("\\n- ");
        } else if inside {
            out.text.push(' ');
        } else {
            out.text.push('"');
            inside = true;
        }
        render_piece(
            out,
            piece,
            if key == 1 && at == 0 && brief.lead.written {
                FrameStyle::Value
            } else {
                FrameStyle::Json
            },
        );
    }
    if inside {
        out.text.push('"');
    }
    out.text.push_str(close);
}

fn key_name(key: usize) -> String {
    if key == 1 { "answer".to_owned() } else { format!("more{key}") }
}

/// Paragraphs without commas: brackets on lines of their own.
fn nested(out: &mut Rendered, brief: &Brief, pieces: &[DraftPiece<'_>], object: bool) {
    let breaks = pieces.iter().skip(1).filter(|piece| piece.gap == Gap::Paragraph).count();
    let before = !brief.tail.is_free() && brief.lead.is_free();
    if object {
        out.text.push_str("{\"answer\":");
    }
    for _ in 0..breaks {
        out.text.push_str(if before { "[\n\n" } else { "[" });
    }
    out.text.push('"');
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 {
            out.text.push(' ');
        }
        render_piece(out, piece, FrameStyle::Json);
    }
    out.text.push('"');
    for _ in 0..breaks {
        out.text.push_str(if before { "]" } else { "\n\n]" });
    }
    if object {
        out.text.push('}');
    }
}

/// One element around everything, or one for each paragraph of HTML.
fn marked_up(out: &mut Rendered, frame: DraftFrame, brief: &Brief, pieces: &[DraftPiece<'_>]) {
    // Words of the tags are words of the text: they may be too short, or repeated.
    let long = brief.word_chars.and_then(|each| each.low_int()).is_some_and(|low| low > 1);
    let (open, close) = match frame {
        DraftFrame::Xml => ("<answer>", "</answer>"),
        _ if long => ("<section>", "</section>"),
        _ => ("<p>", "</p>"),
    };
    out.text.push_str(open);
    for (at, piece) in pieces.iter().enumerate() {
        if at > 0 {
            match (piece.gap, frame) {
                (Gap::Paragraph, DraftFrame::Html) => {
                    out.text.push_str(&format!("{close}\n\n{open}"));
                }
                (Gap::Paragraph, _) => out.text.push_str("\n\n"),
                (Gap::Line, _) => out.text.push('\n'),
                (Gap::Space, _) => out.text.push(' '),
            }
        }
        if piece.item {
            // The line has to begin with the dash.
            if out.text.ends_with('>') {
                out.text.push('\n');
            }
        }
        if !dash(out, piece) {
            render_piece(out, piece, FrameStyle::Markup);
        }
    }
    out.text.push_str(close);
}

/// Rows of two cells (of one where commas must not occur): the first piece, then everything
/// between in one quoted cell, then the last piece.
fn csv(out: &mut Rendered, brief: &Brief, pieces: &[DraftPiece<'_>]) {
    let Some((last, others)) = pieces.split_last() else { return };
    let Some((first, middle)) = others.split_first() else {
        cell(out, std::slice::from_ref(last), false, false);
        return;
    };
    let (after, before) = if brief.forbids(",") { ("", "") } else { (",so", "so,") };
    // A comma that the text must start with splits its first row.
    let parted = first.lead.first().is_some_and(|lead| lead.exact && lead.text.contains(','));
    if parted && first.speaks() {
        render_piece(out, first, FrameStyle::Plain);
    } else {
        cell(out, std::slice::from_ref(first), false, false);
        out.text.push_str(after);
    }
    out.text.push('\n');
    if !middle.is_empty() {
        cell(out, middle, true, last.gap == Gap::Paragraph);
        out.text.push_str(after);
        out.text.push('\n');
    }
    // A list item at the end keeps its dash at the start of the line.
    if last.item {
        cell(out, std::slice::from_ref(last), false, false);
        out.text.push_str(after);
    } else {
        out.text.push_str(before);
        cell(out, std::slice::from_ref(last), false, false);
    }
}

/// `gaps`: the first piece may be separated from what precedes it, which only happens inside
/// quotes.
fn cell(out: &mut Rendered, pieces: &[DraftPiece<'_>], gaps: bool, ends_in_break: bool) {
    let quotes = |text: &str| text.contains(['"', ',', '\n']);
    let quoted = pieces.len() > 1
        || ends_in_break
        || pieces.iter().any(|piece| {
            let fixed = piece.lead.iter().chain(&piece.tail).map(|fixed| fixed.text.as_str());
            fixed
                .chain(piece.must.iter().map(String::as_str))
                .chain([piece.stop.as_str()])
                .any(quotes)
                || (gaps && piece.gap == Gap::Paragraph)
        });
    if !quoted {
        for piece in pieces {
            if !dash(out, piece) {
                render_piece(out, piece, FrameStyle::Plain);
            }
        }
        return;
    }
    out.text.push('"');
    for (at, piece) in pieces.iter().enumerate() {
        match (piece.gap, at) {
            (_, 0) if !gaps => {}
            (Gap::Paragraph, _) => out.text.push_str("\n\n"),
            // An item's dash begins its line.
            (Gap::Line, _) => out.text.push('\n'),
            (Gap::Space, 0) => {}
            (Gap::Space, _) => out.text.push(' '),
        }
        if !dash(out, piece) {
            render_piece(out, piece, FrameStyle::Cell);
        }
    }
    if ends_in_break {
        out.text.push_str("\n\n");
    }
    out.text.push('"');
}
