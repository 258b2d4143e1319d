//! What a text says, without its wrapping.
//!
//! TextContent is the text that a reader of the displayed answer sees: without one fence around all of
//! it, without the tags and comments of HTML and XML, without the structure of JSON and CSV, without
//! marks of emphasis, code and links in Markdown, and with plain characters: canonically composed,
//! with one kind of blank and without invisible ones. Marks at the beginning of lines stay, since
//! lists and headings are read from them.

mod characters;
mod csv;
mod elements;
mod entities;
mod inline;
mod json;
mod markup;
mod tracked;

use std::ops::Range;

pub(crate) use elements::HiddenElements;
pub(crate) use markup::has_html_root;

use crate::python;
use crate::shape;
use tracked::TrackedText;

/// The content of a text that differs from it.
#[derive(Debug)]
pub(crate) struct TextContent {
    made: TrackedText,
    /// The same with the names of the fields of JSON, which are found but not counted.
    named: Option<TrackedText>,
    /// Lines that are bold from end to end, which readers take for headings.
    titles: Vec<Range<usize>>,
}

impl TextContent {
    /// `None` if the text is its own content.
    pub(crate) fn of(source: &str) -> Option<TextContent> {
        if !TrackedText::holds(source) || !(may_differ(source) || csv::has_quotes(source)) {
            return None;
        }
        let body = body(source);
        let mut named = None;
        let made = if let Some((values, all)) = json::said(source, body.clone()) {
            named = Some(all);
            values
        } else if let Some(made) = markup::said(source, body.clone()) {
            made
        } else if let Some(made) = csv::said(source, body.clone()) {
            made
        } else {
            let stretch = TrackedText::stretch(source, body);
            let comments = inline::comments(&stretch.text);
            if comments.is_empty() { stretch } else { stretch.edited(&comments) }
        };
        let (made, titles) = displayed(made);
        let named = named.map(|named| displayed(named).0);
        let differs = made.text != source || named.is_some() || !titles.is_empty();
        differs.then_some(TextContent { made, named, titles })
    }

    pub(crate) fn text(&self) -> &str {
        &self.made.text
    }

    /// The text in which needles are found.
    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_ref().map(|named| &*named.text)
    }

    pub(crate) fn titles(&self) -> &[Range<usize>] {
        &self.titles
    }

    /// The stretch of the source that a stretch of the content comes from.
    pub(crate) fn origin(&self, range: Range<usize>) -> Range<usize> {
        self.made.origin(range)
    }

    /// The same for the text with names.
    pub(crate) fn origin_of_named(&self, range: Range<usize>) -> Range<usize> {
        self.named.as_ref().unwrap_or(&self.made).origin(range)
    }
}

/// The stretches of a text that are not in its comments.
pub(crate) fn outside_comments(source: &str, mut parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let comments = inline::comments(source);
    parts.retain(|part| !comments.iter().any(|edit| edit.range.contains(&part.start)));
    parts
}

/// A quick test that almost all plain texts pass.
fn may_differ(source: &str) -> bool {
    const MARKS: [bool; 128] = {
        let mut marks = [false; 128];
        let mut at = 0;
        let all = b"*_`~<&[{\\\r";
        while at < all.len() {
            marks[all[at] as usize] = true;
            at += 1;
        }
        marks
    };
    source.bytes().any(|byte| MARKS.get(usize::from(byte)).is_some_and(|mark| *mark))
        || !characters::are_plain(source)
}

/// The text within one fence around all of it, unless that is code in a programming language; else
/// all of the text.
fn body(source: &str) -> Range<usize> {
    let inside = shape::unwrapped(source);
    let is_fenced = inside.start >= FENCE.len() && python::strip(source).starts_with(FENCE);
    let info = python::strip(source).strip_prefix(FENCE).and_then(|rest| rest.lines().next());
    let wraps = info.is_some_and(|info| {
        let info = info.trim().to_ascii_lowercase();
        TEXT_LANGUAGES.split_ascii_whitespace().any(|known| known == info) || info.is_empty()
    });
    if is_fenced && wraps && inside.len() < python::strip(source).len() {
        return inside;
    }
    // Shapes are told from texts without blanks around them.
    let start = source.len() - source.trim_start_matches(is_outer).len();
    let end = source.trim_end_matches(is_outer).len();
    if start < end { start..end } else { 0..source.len() }
}

const FENCE: &str = "```";

/// What a fence around an answer names, not code.
const TEXT_LANGUAGES: &str = "csv htm html json markdown md plain plaintext text txt xhtml xml";

fn is_outer(c: char) -> bool {
    python::is_space(c) || c == '\u{feff}'
}

/// Without marks within lines, in plain characters; and its titles.
fn displayed(made: TrackedText) -> (TrackedText, Vec<Range<usize>>) {
    let (edits, titles) = inline::edits(&made.text);
    let origins: Vec<Range<usize>> =
        titles.iter().map(|title| made.origin(title.clone())).collect();
    let made = if edits.is_empty() { made } else { made.edited(&edits) };
    let made = if characters::are_plain(&made.text) { made } else { characters::plain(&made) };
    let titles = origins.into_iter().filter_map(|origin| made.place_of(&origin)).collect();
    (made, titles)
}
