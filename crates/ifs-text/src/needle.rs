//! Needles, which are searched for in a text, and their occurrences.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use regex::{Regex, RegexBuilder};
use unicode_segmentation::UnicodeSegmentation;

use super::{Text, Unit, python, words};

/// The kind of a needle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedleKind {
    /// A complete word ([`Unit::Word`]) ignoring case. A needle of several words is a `Phrase`.
    Word,
    /// A piece of text, ignoring case, on word boundaries if it begins or ends with a word
    /// character (except in scripts that are written without blanks).
    Phrase,
    /// The match of EvolIF's released checker: ignoring case, a complete run of word characters if
    /// the needle consists of them, and otherwise any occurrence.
    Keyword,
    /// One letter, ignoring case. A longer needle is a piece of text, ignoring case.
    Letter,
    /// Exactly this character.
    Char,
    /// Exactly this text.
    Text,
    /// The matches of a regular expression.
    Regex,
}

/// A needle.
#[derive(Debug, Clone)]
pub enum Needle {
    Word(String),
    Phrase(String),
    Keyword(String),
    Letter(String),
    Char(char),
    Text(String),
    Regex(Arc<Regex>),
}

/// Why a needle is invalid.
#[derive(Debug, thiserror::Error)]
pub enum NeedleError {
    #[error("an empty needle is found nowhere")]
    Empty,
    #[error("a single character is needed, not `{0}`")]
    NotOneChar(String),
    #[error("`{pattern}` is not a regular expression: {why}")]
    Pattern { pattern: String, why: String },
}

impl NeedleError {
    /// The message about an invalid expression, without the excerpt.
    fn pattern(pattern: &str, error: &regex::Error) -> NeedleError {
        let told = error.to_string();
        let why = told.lines().last().unwrap_or_default().trim();
        let why = why.strip_prefix("error: ").unwrap_or(why).to_owned();
        NeedleError::Pattern { pattern: pattern.to_owned(), why }
    }
}

impl Needle {
    /// Creates a needle of a kind.
    ///
    /// # Errors
    ///
    /// Returns an error if it is empty, if a `Char` is not one character, or if a `Regex` is
    /// invalid (look-around and back references are, since matching takes linear time).
    pub fn new(kind: NeedleKind, text: &str) -> Result<Needle, NeedleError> {
        if text.is_empty() {
            return Err(NeedleError::Empty);
        }
        Ok(match kind {
            NeedleKind::Word => Needle::Word(text.to_owned()),
            NeedleKind::Phrase => Needle::Phrase(text.to_owned()),
            NeedleKind::Keyword => Needle::Keyword(text.to_owned()),
            NeedleKind::Letter => Needle::Letter(text.to_owned()),
            NeedleKind::Char => {
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Needle::Char(c),
                    _ => return Err(NeedleError::NotOneChar(text.to_owned())),
                }
            }
            NeedleKind::Text => Needle::Text(text.to_owned()),
            NeedleKind::Regex => Needle::Regex(
                compiled_regex(text, "").map_err(|error| NeedleError::pattern(text, &error))?,
            ),
        })
    }
}

/// The same expressions are used for many responses, and compiling one takes longer than matching;
/// each thread caches this many.
const MAX_CACHED_PATTERNS: usize = 256;

/// The maximum size of an expression's automaton.
const MAX_AUTOMATON_BYTES: usize = 1 << 20;

/// A compiled regular expression. With the flag `i` it ignores case, with `m` its `^` and `$` match at
/// line ends, with `s` its `.` matches a line end.
///
/// # Errors
///
/// Returns an error if it is invalid or its automaton is too large.
pub fn compiled_regex(pattern: &str, flags: &str) -> Result<Arc<Regex>, regex::Error> {
    thread_local! {
        static REGEX_CACHE: RefCell<BTreeMap<String, Arc<Regex>>> = const { RefCell::new(BTreeMap::new()) };
    }
    let key = format!("{flags}/{pattern}");
    REGEX_CACHE.with_borrow_mut(|known| {
        if let Some(regex) = known.get(&key) {
            return Ok(regex.clone());
        }
        let mut builder = RegexBuilder::new(pattern);
        for flag in flags.chars() {
            match flag {
                'i' => builder.case_insensitive(true),
                'm' => builder.multi_line(true),
                's' => builder.dot_matches_new_line(true),
                _ => &mut builder,
            };
        }
        let regex = Arc::new(builder.size_limit(MAX_AUTOMATON_BYTES).build()?);
        if known.len() >= MAX_CACHED_PATTERNS {
            known.clear();
        }
        known.insert(key, regex.clone());
        Ok(regex)
    })
}

/// The occurrences of `needle`: from left to right, without overlaps, never empty.
pub fn occurrences(text: &Text<'_>, needle: &Needle) -> Vec<Range<usize>> {
    match needle {
        Needle::Word(word) if is_one_word(word) => same_units(text, Unit::Word, word),
        Needle::Word(phrase) | Needle::Phrase(phrase) => phrases(text, phrase),
        Needle::Keyword(word) if !word.is_empty() && word.chars().all(python::is_word) => {
            same_units(text, Unit::WordPattern, word)
        }
        Needle::Keyword(part) | Needle::Letter(part) => folded(text, part),
        Needle::Char(c) => {
            text.str().match_indices(*c).map(|(at, part)| at..at + part.len()).collect()
        }
        Needle::Text(part) if part.is_empty() => Vec::new(),
        Needle::Text(part) => {
            let found = memmem::find_iter(text.str().as_bytes(), part);
            found.map(|at| at..at + part.len()).collect()
        }
        Needle::Regex(pattern) => {
            pattern.find_iter(text.str()).map(|m| m.range()).filter(|r| !r.is_empty()).collect()
        }
    }
}

/// The number of occurrences of `needle`, without storing ranges.
pub fn count_occurrences(text: &Text<'_>, needle: &Needle) -> usize {
    match needle {
        Needle::Char(c) => text.str().matches(*c).count(),
        Needle::Text(part) if !part.is_empty() => {
            memmem::find_iter(text.str().as_bytes(), part).count()
        }
        Needle::Regex(pattern) => {
            pattern.find_iter(text.str()).filter(|found| !found.is_empty()).count()
        }
        Needle::Letter(part) if !part.is_empty() => {
            let folded = text.folded.get_or_init(|| Folded::new(text.source));
            memmem::find_iter(folded.text.as_bytes(), &fold(part)).count()
        }
        _ => occurrences(text, needle).len(),
    }
}

/// Whether `needle` occurs.
pub fn occurs(text: &Text<'_>, needle: &Needle) -> bool {
    match needle {
        Needle::Char(c) => text.str().contains(*c),
        Needle::Text(part) => {
            !part.is_empty() && memmem::find(text.str().as_bytes(), part.as_bytes()).is_some()
        }
        Needle::Regex(pattern) => pattern.find_iter(text.str()).any(|found| !found.is_empty()),
        _ => !occurrences(text, needle).is_empty(),
    }
}

/// A text with every character case-folded, and a mapping back.
#[derive(Debug)]
pub(super) struct Folded {
    text: String,
    /// The source offset for each byte of `text` that begins a character, and for its end; `None`
    /// if all offsets are equal.
    source: Option<Vec<usize>>,
}

impl Folded {
    fn new(source: &str) -> Folded {
        if source.is_ascii() {
            return Folded { text: source.to_ascii_lowercase(), source: None };
        }
        let mut same = true;
        let fold = |c: char| {
            let folded = python::simple_fold(c);
            same &= folded.len_utf8() == c.len_utf8();
            folded
        };
        let mut text = String::with_capacity(source.len());
        text.extend(source.chars().map(fold));
        if same {
            return Folded { text, source: None };
        }
        let mut back = Vec::with_capacity(text.len() + 1);
        for (at, c) in source.char_indices() {
            back.resize(back.len() + python::simple_fold(c).len_utf8(), at);
        }
        back.push(source.len());
        Folded { text, source: Some(back) }
    }

    fn range(&self, at: usize, length: usize) -> Range<usize> {
        match &self.source {
            None => at..at + length,
            Some(back) => back[at]..back[at + length],
        }
    }
}

fn fold(text: &str) -> String {
    text.chars().map(python::simple_fold).collect()
}

/// Every occurrence of `part`, ignoring case.
fn folded(text: &Text<'_>, part: &str) -> Vec<Range<usize>> {
    if part.is_empty() {
        return Vec::new();
    }
    let folded = text.folded.get_or_init(|| Folded::new(text.source));
    let part = fold(part);
    let found = memmem::find_iter(folded.text.as_bytes(), &part);
    found.map(|at| folded.range(at, part.len())).collect()
}

/// Every `unit` equal to `word` ignoring case.
fn same_units(text: &Text<'_>, unit: Unit, word: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = word.chars().map(python::simple_fold).collect();
    text.units(unit)
        .iter()
        .filter(|range| {
            let found = text.source[(*range).clone()].chars().map(python::simple_fold);
            found.eq(wanted.iter().copied())
        })
        .cloned()
        .collect()
}

fn phrases(text: &Text<'_>, phrase: &str) -> Vec<Range<usize>> {
    let Some(first) = phrase.chars().next() else {
        return Vec::new();
    };
    let folded = text.folded.get_or_init(|| Folded::new(text.source));
    let phrase = fold(phrase);
    let step = phrase.chars().next().map_or(1, char::len_utf8);
    let opens_in_word = python::is_word(first);
    let mut found = Vec::new();
    let mut at = 0;
    let finder = memmem::Finder::new(&phrase);
    while let Some(offset) = finder.find(&folded.text.as_bytes()[at..]) {
        let start = at + offset;
        let end = start + phrase.len();
        let inside = &folded.text[start..end];
        if !joins(&folded.text[..start], inside) && !joins(inside, &folded.text[end..]) {
            found.push(folded.range(start, phrase.len()));
            at = end;
            continue;
        }
        // The next match may begin one character later, but a word match not within this word.
        let rest = &folded.text[start..];
        let word = rest.len() - rest.trim_start_matches(python::is_word).len();
        let spaced = !rest[..word].contains(words::is_unspaced);
        at = if opens_in_word && spaced { start + word.max(step) } else { start + step };
    }
    found
}

/// Whether a word continues from the end of `left` into `right`.
fn joins(left: &str, right: &str) -> bool {
    match (left.chars().next_back(), right.chars().next()) {
        (Some(a), Some(b)) => {
            python::is_word(a)
                && python::is_word(b)
                && !words::is_unspaced(a)
                && !words::is_unspaced(b)
        }
        _ => false,
    }
}

fn is_one_word(text: &str) -> bool {
    let mut pieces = text.split_word_bounds();
    pieces.next().is_some_and(|piece| piece.chars().any(char::is_alphanumeric))
        && pieces.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(kind: NeedleKind, needle: &str, text: &str) -> usize {
        let needle = Needle::new(kind, needle).expect("a good needle");
        let text = Text::new(text);
        let found = occurrences(&text, &needle);
        assert_eq!(found.len(), count_occurrences(&text, &needle));
        found.len()
    }

    #[test]
    fn word_boundaries_are_respected() {
        assert_eq!(count(NeedleKind::Word, "can", "Can a can't CAN? cancan"), 2);
        assert_eq!(count(NeedleKind::Word, "New York", "new york, New  York"), 1);
        assert_eq!(count(NeedleKind::Word, "well-known", "Well-known"), 1);
        assert_eq!(count(NeedleKind::Word, "中", "中文中"), 2);
    }

    #[test]
    fn phrases_end_where_words_end() {
        assert_eq!(count(NeedleKind::Phrase, "per se", "per se, per sequence, super se"), 1);
        assert_eq!(count(NeedleKind::Phrase, "c++", "C++ c++x c+"), 2);
        assert_eq!(count(NeedleKind::Phrase, "东京", "我在东京玩"), 1);
        assert_eq!(count(NeedleKind::Phrase, "a a", "a a a a aa a"), 2);
    }

    #[test]
    fn released_keyword_search() {
        assert_eq!(count(NeedleKind::Keyword, "like", "Like likes un-like like_it"), 2);
        assert_eq!(count(NeedleKind::Keyword, "a.b", "xa.bx A.B a.b.a.b"), 4);
        assert_eq!(count(NeedleKind::Keyword, "东京", "我在东京玩 东京"), 1);
        assert_eq!(count(NeedleKind::Keyword, "sik", "ſıK"), 1);
    }

    #[test]
    fn letters_ignore_case_and_texts_do_not() {
        assert_eq!(count(NeedleKind::Letter, "e", "Ee é"), 2);
        assert_eq!(count(NeedleKind::Text, "aa", "aaa Aa"), 1);
        assert_eq!(count(NeedleKind::Char, "A", "aA"), 1);
        assert_eq!(count(NeedleKind::Regex, r"\[.+?\]", "[a][b]"), 2);
        assert_eq!(count(NeedleKind::Regex, "x*", "axxa"), 1);
    }

    #[test]
    fn ranges_lie_in_the_source_where_folding_changes_lengths() {
        let text = Text::new("ẞß K-x k-X Ⱥ");
        let needle = Needle::new(NeedleKind::Keyword, "k-x").expect("a good needle");
        let found: Vec<&str> =
            occurrences(&text, &needle).into_iter().map(|r| &text.str()[r]).collect();
        assert_eq!(found, ["K-x", "k-X"]);
    }

    #[test]
    fn bad_needles_are_refused() {
        assert!(matches!(Needle::new(NeedleKind::Text, ""), Err(NeedleError::Empty)));
        assert!(matches!(Needle::new(NeedleKind::Char, "ab"), Err(NeedleError::NotOneChar(_))));
        let error = Needle::new(NeedleKind::Regex, "(?=a)b").expect_err("look-around");
        assert_eq!(
            error.to_string(),
            "`(?=a)b` is not a regular expression: look-around, including look-ahead and look-behind, \
             is not supported"
        );
    }
}
