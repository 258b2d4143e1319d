//! Units of text (words, sentences, paragraphs, …): one implementation for all callers.
//!
//! Plain names (`word`, `item`, `csv`) are sensible definitions; names such as `item.released`
//! reproduce a benchmark's published checker, including its defects. Ranges are byte ranges on
//! character boundaries. Nothing here panics, recurses on input depth, or takes more than linear
//! time in the length of the text.

pub mod case;
mod charset;
mod dates;
pub mod edge;
mod emoji;
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

pub use language::{
    IDENTIFIES_LANGUAGES as LANGUAGES_ARE_IDENTIFIED, letters as letters_of_language,
};
pub use needle::{
    Needle, NeedleError, NeedleKind, compiled_regex, count_occurrences, occurrences, occurs,
};
pub use number::value as number_value;
pub use punkt_data::KNOWN as PUNKT_IS_KNOWN;
pub use reasoning::part as part_reasoning;
pub use shape::{Shape, ShapeError};
pub use unit::{UNITS, Unit, UnitEntry};
pub use wrappers::without_wrappers;

/// The ranges of each unit that was requested.
type Ranges = [OnceLock<Vec<Range<usize>>>; Unit::COUNT];

/// A text that is segmented on demand, at most once for each unit.
#[derive(Debug)]
pub struct Text<'a> {
    source: &'a str,
    /// Allocated separately, since many short texts are never segmented.
    ranges: OnceLock<Box<Ranges>>,
    blocks: OnceLock<Vec<markdown::MarkdownLine>>,
    folded: OnceLock<needle::Folded>,
    lowered: OnceLock<Arc<str>>,
    ascii: OnceLock<bool>,
    language: OnceLock<Option<&'static str>>,
    language_released: OnceLock<Option<&'static str>>,
}

/// The ranges of a unit that does not occur.
pub static NOTHING: LazyLock<Text<'static>> = LazyLock::new(|| Text::new(""));

impl<'a> Text<'a> {
    /// Creates the text without segmenting it.
    pub fn new(source: &'a str) -> Text<'a> {
        Text {
            source,
            ranges: OnceLock::new(),
            blocks: OnceLock::new(),
            folded: OnceLock::new(),
            lowered: OnceLock::new(),
            ascii: OnceLock::new(),
            language: OnceLock::new(),
            language_released: OnceLock::new(),
        }
    }

    /// The text itself.
    pub fn str(&self) -> &'a str {
        self.source
    }

    /// The ranges of each `unit`: byte ranges in order, without overlaps, never empty except for
    /// `line.all`, always on character boundaries.
    pub fn units(&self, unit: Unit) -> &[Range<usize>] {
        let ranges = self.ranges.get_or_init(|| Box::new([const { OnceLock::new() }; Unit::COUNT]));
        ranges[unit as usize].get_or_init(|| segment(self, unit))
    }

    /// The text of each `unit`.
    pub fn pieces(&self, unit: Unit) -> impl Iterator<Item = &'a str> {
        let source = self.source;
        self.units(unit).iter().map(move |range| &source[range.clone()])
    }

    /// The number of `unit`s; without storing ranges if that is cheaper.
    pub fn count(&self, unit: Unit) -> usize {
        let ranges = self.ranges.get().map(|ranges| &ranges[unit as usize]);
        if let Some(ranges) = ranges.and_then(OnceLock::get) {
            return ranges.len();
        }
        match unit {
            Unit::Char => self.source.chars().count(),
            Unit::WordPattern if self.is_ascii() => {
                words::count_ascii_runs(self.source, |b| b.is_ascii_alphanumeric() || b == b'_')
            }
            Unit::WordPattern => words::count_runs(self.source, python::is_word),
            Unit::WordSpace => words::count_runs(self.source, |c| !python::is_space(c)),
            Unit::Letter => self.source.chars().filter(|c| python::is_letter(*c)).count(),
            _ => self.units(unit).len(),
        }
    }

    /// The number of `unit`s for which a predicate holds that requires a capital letter.
    pub fn count_capitals(&self, unit: Unit, question: fn(&str) -> bool) -> usize {
        let asked = |ranges: &[Range<usize>]| {
            ranges.iter().filter(|range| question(&self.source[(*range).clone()])).count()
        };
        let known = self.ranges.get().is_some_and(|all| all[unit as usize].get().is_some());
        match unit {
            Unit::Token if !known => {
                asked(&treebank::capitals(self.source, self.units(Unit::SentencePunkt)))
            }
            _ => asked(self.units(unit)),
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

    /// The language as an ISO 639-1 code; `None` if it is uncertain.
    pub fn language(&self) -> Option<&'static str> {
        *self.language.get_or_init(|| language::sensible(self.source))
    }

    /// The language according to langdetect, which released checkers use; `None` for a text without
    /// features.
    pub fn language_released(&self) -> Option<&'static str> {
        *self.language_released.get_or_init(|| language::released(self.source))
    }

    /// The lines, classified as markdown.
    fn lines(&self) -> &[markdown::MarkdownLine] {
        self.blocks.get_or_init(|| markdown::classify_lines(self.source))
    }
}

fn segment(text: &Text<'_>, unit: Unit) -> Vec<Range<usize>> {
    let source = text.source;
    match unit {
        Unit::Char => words::chars(source, |_| true),
        Unit::Grapheme => words::graphemes(source),
        Unit::Letter => words::chars(source, python::is_letter),
        Unit::Word => words::sensible(source),
        Unit::WordPattern => words::runs(source, python::is_word),
        Unit::WordSpace => words::runs(source, |c| !python::is_space(c)),
        Unit::WordIcu => words::segmented(source),
        Unit::Token => treebank::tokens(source, text.units(Unit::SentencePunkt)),
        Unit::Sentence => sentences::sensible(source, text.lines()),
        Unit::SentencePunkt => punkt::sentences(source),
        Unit::SentenceSimple => sentences::simple(source),
        Unit::Paragraph => lines::paragraphs(source),
        Unit::Line => lines::filled(source),
        Unit::LineAll => lines::all(source),
        Unit::LineEntry => lists::entries(source, text.lines()),
        Unit::Item => lists::items(text.lines(), |_| true),
        Unit::ItemBullet => lists::items(text.lines(), |numbered| !numbered),
        Unit::ItemNumbered => lists::items(text.lines(), |numbered| numbered),
        Unit::ItemNested => lists::nested(source, text.lines()),
        Unit::ItemReleased => lists::released(source),
        Unit::Section => markdown::sections(source, text.lines()),
        Unit::Heading => markdown::headings(text.lines()),
        Unit::CodeBlock => markdown::code_blocks(text.lines()),
        Unit::Table => markdown::tables(text.lines()),
        Unit::TableRow => markdown::table_rows(text.lines()),
        Unit::Number => number::numbers(source),
        Unit::NumberDigits => words::runs(source, python::is_decimal),
        Unit::Date => dates::dates(source),
        Unit::Quote => quotes::quotes(source, text.units(Unit::Paragraph)),
        Unit::Emoji => emoji::emoji(source, text.units(Unit::Grapheme)),
        Unit::Placeholder => placeholders::sensible(source),
        Unit::PlaceholderReleased => placeholders::released(source),
        Unit::Highlight => highlights::sensible(source),
        Unit::HighlightItalic => highlights::italic(source),
        Unit::HighlightBold => highlights::bold(source),
    }
}
