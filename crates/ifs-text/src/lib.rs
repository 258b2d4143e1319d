//! Units of text (words, sentences, paragraphs, …): one implementation for all callers.
//!
//! Plain names (`word`, `item`, `csv`) are sensible definitions; names such as `item.released`
//! reproduce a benchmark's published checker, including its defects. Ranges are byte ranges on
//! character boundaries. Nothing here panics, recurses on input depth, or takes more than linear
//! time in the length of the text.

pub mod aspect;
pub mod case;
mod charset;
pub mod claims;
mod content;
mod dates;
pub mod edge;
mod emoji;
mod fold;
mod frame;
pub mod hanzi;
mod highlights;
mod language;
pub mod lemma;
mod lines;
mod lists;
mod markdown;
mod needle;
pub mod nesting;
pub mod number;
mod placeholders;
#[cfg(test)]
mod properties;
mod punkt;
mod punkt_data;
pub mod python;
mod quotes;
mod reasoning;
pub mod rime;
mod sentences;
pub mod shape;
mod stops;
pub mod syllables;
mod treebank;
mod unit;
mod words;
mod wrappers;

use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

pub use aspect::{Aspect, Aspects};
use content::TextContent;
pub use fold::{alike, folded as fold};
pub use frame::{Frame, frame, names_frame};
pub use language::{
    IDENTIFIES_LANGUAGES as LANGUAGES_ARE_IDENTIFIED, LanguageGuess, code_of as language_code,
    known as known_languages, known_released as known_released_languages,
    letters as letters_of_language,
};
pub use needle::{
    LookAlike, Needle, NeedleError, NeedleKind, compiled_regex, count_occurrences, look_alike_of,
    occurrences, occurs,
};
pub use number::{digit as decimal_digit, value as number_value};
pub use reasoning::{part as part_reasoning, unknown_block};
pub use shape::{Shape, ShapeError};
pub use unit::{UNITS, Unit, UnitEntry};
pub use wrappers::without_wrappers;

/// The ranges of each unit that was requested.
type Ranges = [OnceLock<Vec<Range<usize>>>; Unit::COUNT];

/// What was found out about a text, each at most once.
#[derive(Debug, Default)]
struct Segments {
    /// Allocated separately, since many short texts are never segmented.
    ranges: OnceLock<Box<Ranges>>,
    blocks: OnceLock<Vec<markdown::MarkdownLine>>,
    folded: OnceLock<fold::Folded>,
    folded_exactly: OnceLock<needle::CaseFolded>,
}

impl Segments {
    fn of_unit(&self, unit: Unit) -> &OnceLock<Vec<Range<usize>>> {
        let ranges = self.ranges.get_or_init(|| Box::new([const { OnceLock::new() }; Unit::COUNT]));
        &ranges[unit as usize]
    }
}

/// A text that is segmented on demand, at most once for each unit.
#[derive(Debug)]
pub struct Text<'a> {
    source: &'a str,
    own: Segments,
    /// `None` if the text is its own content.
    content: OnceLock<Option<Box<ReadContent>>>,
    lowered: OnceLock<Arc<str>>,
    ascii: OnceLock<bool>,
    clauses: OnceLock<Arc<claims::ClauseReading>>,
    language: OnceLock<LanguageGuess>,
    language_released: OnceLock<Option<&'static str>>,
}

/// A content and what was found out about it.
#[derive(Debug)]
struct ReadContent {
    content: TextContent,
    segments: Segments,
    segments_of_named: Segments,
}

/// The ranges of a unit that does not occur.
pub static NOTHING: LazyLock<Text<'static>> = LazyLock::new(|| Text::new(""));

impl<'a> Text<'a> {
    /// Creates the text without segmenting it.
    pub fn new(source: &'a str) -> Text<'a> {
        Text {
            source,
            own: Segments::default(),
            content: OnceLock::new(),
            lowered: OnceLock::new(),
            ascii: OnceLock::new(),
            clauses: OnceLock::new(),
            language: OnceLock::new(),
            language_released: OnceLock::new(),
        }
    }

    /// Creates a text that is its own content, such as a stretch of the content of another one.
    pub fn plain(source: &'a str) -> Text<'a> {
        let text = Text::new(source);
        let _ = text.content.set(None);
        text
    }

    /// The text itself.
    pub fn str(&self) -> &'a str {
        self.source
    }

    fn read_content(&self) -> Option<&ReadContent> {
        let read = || {
            let content = TextContent::of(self.source)?;
            let (segments, segments_of_named) = Default::default();
            Some(Box::new(ReadContent { content, segments, segments_of_named }))
        };
        self.content.get_or_init(read).as_deref()
    }

    /// Whether it is its own content.
    pub fn is_plain(&self) -> bool {
        self.read_content().is_none()
    }

    /// What the text says without its wrapping. The module `content` says what that is.
    pub fn reading(&self) -> Reading<'_> {
        match self.read_content() {
            Some(read) => Reading {
                text: read.content.text(),
                segments: &read.segments,
                titles: read.content.titles(),
            },
            None => Reading { text: self.source, segments: &self.own, titles: &[] },
        }
    }

    /// The same with the names of the fields of JSON, which are found but not counted.
    pub fn named_reading(&self) -> Reading<'_> {
        match self.read_content().and_then(|read| Some((read, read.content.named()?))) {
            Some((read, text)) => Reading { text, segments: &read.segments_of_named, titles: &[] },
            None => self.reading(),
        }
    }

    /// The stretch of the text that a stretch of its content comes from.
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        match self.read_content() {
            Some(read) => read.content.origin(range),
            None => range,
        }
    }

    fn origin_of_named(&self, range: Range<usize>) -> Range<usize> {
        match self.read_content() {
            Some(read) => read.content.origin_of_named(range),
            None => range,
        }
    }

    /// The text exactly as it is written.
    fn source_reading(&self) -> Reading<'_> {
        Reading { text: self.source, segments: &self.own, titles: &[] }
    }

    /// The stretch of the text that a stretch of what a unit is read from comes from.
    pub fn origin_for(&self, unit: Unit, range: Range<usize>) -> Range<usize> {
        if unit.is_of_content() { self.origin(range) } else { range }
    }

    /// The text that a unit is read from.
    pub fn reading_for(&self, unit: Unit) -> Reading<'_> {
        if unit.is_of_content() { self.reading() } else { self.source_reading() }
    }

    /// The ranges of each `unit`: byte ranges in order, without overlaps, never empty except for
    /// `line.all`, always on character boundaries.
    pub fn units(&self, unit: Unit) -> &[Range<usize>] {
        match self.read_content() {
            Some(read) if unit.is_of_content() => self.own.of_unit(unit).get_or_init(|| {
                let found = self.reading().units(unit).iter();
                found.map(|range| read.content.origin(range.clone())).collect()
            }),
            _ => self.source_reading().units(unit),
        }
    }

    /// The text of each `unit`.
    pub fn pieces(&self, unit: Unit) -> impl Iterator<Item = &'a str> {
        let source = self.source;
        self.units(unit).iter().map(move |range| &source[range.clone()])
    }

    /// The number of `unit`s; without storing ranges if that is cheaper.
    pub fn count(&self, unit: Unit) -> usize {
        self.reading_for(unit).count(unit, || self.is_ascii())
    }

    /// The number of `unit`s for which a predicate holds that requires a capital letter.
    pub fn count_capitals(&self, unit: Unit, question: fn(&str) -> bool) -> usize {
        let reading = self.reading_for(unit);
        let asked = |ranges: &[Range<usize>]| {
            ranges.iter().filter(|range| question(&reading.text[(*range).clone()])).count()
        };
        let known = reading.segments.of_unit(unit).get().is_some();
        match unit {
            Unit::Token if !known => {
                asked(&treebank::capitals(reading.text, reading.units(Unit::SentencePunkt)))
            }
            _ => asked(reading.units(unit)),
        }
    }

    /// The text in lower case.
    pub fn lowered(&self) -> &Arc<str> {
        self.lowered.get_or_init(|| Arc::from(self.source.to_lowercase()))
    }

    /// Whether all characters are ASCII. Computed once, since every piece needs it.
    pub fn is_ascii(&self) -> bool {
        *self.ascii.get_or_init(|| self.source.is_ascii())
    }

    /// The text as clauses, for what it asserts.
    pub fn clauses(&self) -> &claims::ClauseReading {
        self.clauses.get_or_init(|| claims::ClauseReading::of(self.source))
    }

    /// The language of what it says.
    pub fn language(&self) -> LanguageGuess {
        *self.language.get_or_init(|| language::sensible(self.reading().text))
    }

    /// The language according to langdetect, which released checkers use; `None` for a text without
    /// features.
    pub fn language_released(&self) -> Option<&'static str> {
        *self.language_released.get_or_init(|| language::released(self.source))
    }
}

/// A text as it is read: what it says, or what is written.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'t> {
    text: &'t str,
    segments: &'t Segments,
    titles: &'t [Range<usize>],
}

impl<'t> Reading<'t> {
    pub fn str(&self) -> &'t str {
        self.text
    }

    /// The ranges of each `unit`.
    pub fn units(&self, unit: Unit) -> &'t [Range<usize>] {
        self.segments.of_unit(unit).get_or_init(|| segment(self, unit))
    }

    fn count(&self, unit: Unit, is_ascii: impl Fn() -> bool) -> usize {
        if let Some(ranges) = self.segments.of_unit(unit).get() {
            return ranges.len();
        }
        match unit {
            Unit::Char => self.text.chars().count(),
            Unit::WordPattern if is_ascii() => {
                words::count_ascii_runs(self.text, |b| b.is_ascii_alphanumeric() || b == b'_')
            }
            Unit::WordPattern => words::count_runs(self.text, python::is_word),
            Unit::WordSpace => words::count_runs(self.text, |c| !python::is_space(c)),
            Unit::Letter => self.text.chars().filter(|c| python::is_letter(*c)).count(),
            _ => self.units(unit).len(),
        }
    }

    fn folded(&self) -> &'t fold::Folded {
        self.segments.folded.get_or_init(|| fold::Folded::new(self.text))
    }

    /// The lines, classified as markdown.
    fn lines(&self) -> &'t [markdown::MarkdownLine] {
        self.segments.blocks.get_or_init(|| {
            let mut lines = markdown::classify_lines(self.text);
            for line in &mut lines {
                if self.titles.iter().any(|title| title.contains(&line.marker)) {
                    line.kind = markdown::LineKind::Title;
                }
            }
            lines
        })
    }
}

fn segment(reading: &Reading<'_>, unit: Unit) -> Vec<Range<usize>> {
    let source = reading.text;
    match unit {
        Unit::Char => words::chars(source, |_| true),
        Unit::Grapheme => words::graphemes(source),
        Unit::Letter => words::chars(source, python::is_letter),
        Unit::Word => words::sensible(source, reading.units(Unit::WordPart)),
        Unit::WordPart => words::without_numerals(words::parts(source), reading.lines()),
        Unit::WordPattern => words::runs(source, python::is_word),
        Unit::WordSpace => words::runs(source, |c| !python::is_space(c)),
        Unit::WordIcu => words::segmented(source),
        Unit::Token => treebank::tokens(source, reading.units(Unit::SentencePunkt)),
        Unit::Sentence => sentences::sensible(source, reading.lines()),
        Unit::SentencePunkt => punkt::sentences(source),
        Unit::SentenceSimple => sentences::simple(source),
        Unit::Paragraph => lines::paragraphs(source, reading.lines()),
        Unit::ParagraphReleased => lines::blocks(source),
        Unit::Line => lines::filled(source),
        Unit::LineAll => lines::all(source),
        Unit::LineEntry => lists::entries(source, reading.lines()),
        Unit::Item => lists::items(reading.lines(), |_| true),
        Unit::ItemBullet => lists::items(reading.lines(), |numbered| !numbered),
        Unit::ItemNumbered => lists::items(reading.lines(), |numbered| numbered),
        Unit::ItemNested => lists::nested(source, reading.lines()),
        Unit::ItemReleased => lists::released(source),
        Unit::Section => markdown::sections(source, reading.lines()),
        Unit::Heading => markdown::headings(reading.lines()),
        Unit::CodeBlock => markdown::code_blocks(reading.lines()),
        Unit::Table => markdown::tables(reading.lines()),
        Unit::TableRow => markdown::table_rows(reading.lines()),
        Unit::Number => number::numbers(source),
        Unit::NumberDigits => words::runs(source, python::is_decimal),
        Unit::Date => dates::dates(source),
        Unit::Quote => quotes::quotes(source, reading.units(Unit::ParagraphReleased)),
        Unit::Emoji => emoji::emoji(source),
        Unit::Placeholder => content::outside_comments(source, placeholders::sensible(source)),
        Unit::PlaceholderReleased => placeholders::released(source),
        Unit::Highlight => content::outside_comments(source, highlights::sensible(source)),
        Unit::HighlightItalic => highlights::italic(source),
        Unit::HighlightBold => highlights::bold(source),
    }
}
