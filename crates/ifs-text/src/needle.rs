//! Needles, which are searched for in a text, and their occurrences.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::{Reading, Text, Unit, fold, lemma, python, words};
use memchr::memmem;
use regex::{Regex, RegexBuilder};

/// The kind of a needle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NeedleKind {
    /// A complete word as readers compare it (see the module `fold`): not a part of a contraction,
    /// but a part of a compound with hyphens, and a word with an elided one before it (`l'eau`) or a
    /// genitive after it (`tide's`).
    Word,
    /// A piece of text as readers compare it, on word boundaries if it begins or ends with a word
    /// character (except in scripts that are written without blanks).
    Phrase,
    /// The same, for a word that a text is about.
    Keyword,
    /// A word in any of its English forms: `tides` for `tide`. Of another language, and of several
    /// words, the form that is given.
    Lemma,
    /// A phrase, ignoring case alone.
    PhraseReleased,
    /// The match of EvolIF's released checker: ignoring case, a complete run of word characters if
    /// the needle consists of them, and otherwise any occurrence.
    KeywordReleased,
    /// One letter as readers compare it. A longer needle is a piece of text, compared so.
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
    Lemma(String),
    PhraseReleased(String),
    KeywordReleased(String),
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
            NeedleKind::Lemma => Needle::Lemma(text.to_owned()),
            NeedleKind::PhraseReleased => Needle::PhraseReleased(text.to_owned()),
            NeedleKind::KeywordReleased => Needle::KeywordReleased(text.to_owned()),
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

/// The occurrences of `needle` in a text: from left to right, without overlaps, never empty.
pub fn occurrences(text: &Text<'_>, needle: &Needle) -> Vec<Range<usize>> {
    if needle.is_read() {
        let found = text.named_reading().occurrences(needle);
        return found.into_iter().map(|range| text.origin_of_named(range)).collect();
    }
    match needle {
        Needle::PhraseReleased(phrase) => phrases_ignoring_case(text, phrase),
        Needle::KeywordReleased(word) if word.chars().all(python::is_word) => {
            runs_ignoring_case(text, word)
        }
        Needle::KeywordReleased(part) => ignoring_case(text, part),
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
        Needle::Word(_)
        | Needle::Phrase(_)
        | Needle::Keyword(_)
        | Needle::Lemma(_)
        | Needle::Letter(_) => Vec::new(),
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
        needle if needle.is_read() => text.named_reading().occurrences(needle).len(),
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
        _ => count_occurrences(text, needle) > 0,
    }
}

impl Needle {
    /// Whether it is compared as readers compare it, in what the text says. The others are compared
    /// with what is written.
    pub fn is_read(&self) -> bool {
        match self {
            Needle::Word(_)
            | Needle::Phrase(_)
            | Needle::Keyword(_)
            | Needle::Lemma(_)
            | Needle::Letter(_) => true,
            Needle::PhraseReleased(_)
            | Needle::KeywordReleased(_)
            | Needle::Char(_)
            | Needle::Text(_)
            | Needle::Regex(_) => false,
        }
    }
}

impl Reading<'_> {
    /// The occurrences of a needle that is compared as readers compare it; of others none.
    pub fn occurrences(&self, needle: &Needle) -> Vec<Range<usize>> {
        match needle {
            Needle::Word(word) => self.stretches(word, Bounds::Word),
            Needle::Phrase(part) | Needle::Keyword(part) => self.stretches(part, Bounds::Phrase),
            Needle::Lemma(word) => self.with_lemma(word),
            Needle::Letter(part) => self.stretches(part, Bounds::None),
            _ => Vec::new(),
        }
    }

    fn stretches(&self, part: &str, bounds: Bounds) -> Vec<Range<usize>> {
        let folded = fold::folded(part);
        let part = match folded.trim_matches(' ') {
            "" => &*folded,
            part => part,
        };
        if part.is_empty() {
            return Vec::new();
        }
        let mut found = self.folded_stretches(part, bounds);
        if bounds != Bounds::None {
            found.extend(self.letter_by_letter(part));
            found.sort_by_key(|range| range.start);
        }
        // A word of another script that is spelt with Latin letters.
        if let Some(skeleton) = fold::skeleton(part).filter(|skeleton| skeleton != part) {
            found.extend(self.folded_stretches(&skeleton, bounds));
            found.sort_by_key(|range| range.start);
            found.dedup_by(|later, earlier| later.start < earlier.end);
        }
        // `STRASSE` is `Straße` in capitals.
        if bounds != Bounds::None && part.contains('ß') {
            let capitals = self.folded_stretches(&part.replace('ß', "ss"), bounds).into_iter();
            found.extend(capitals.filter(|range| {
                let shown = &self.text[range.clone()];
                shown.contains("SS") && !shown.contains(char::is_lowercase)
            }));
            found.sort_by_key(|range| range.start);
        }
        found
    }

    fn folded_stretches(&self, part: &str, bounds: Bounds) -> Vec<Range<usize>> {
        let folded = self.folded();
        let step = part.chars().next().map_or(1, char::len_utf8);
        let mut found = Vec::new();
        let mut at = 0;
        let finder = memmem::Finder::new(part);
        while let Some(offset) = finder.find(&folded.text.as_bytes()[at..]) {
            let start = at + offset;
            let end = start + part.len();
            let range = start..end;
            let fits = folded.is_uncut(&range)
                && (bounds == Bounds::None || is_bounded(&folded.text, range.clone()))
                && (bounds != Bounds::Word || is_word(&folded.text, range));
            if fits {
                found.push(folded.origin(start..end));
            }
            at = if fits { end } else { start + step };
        }
        found
    }

    /// A word whose letters a text sets apart, all with the same mark (`t.i.d.e`, `t-i-d-e`), or breaks at a line end
    /// (`ti-` and `de`). Letters with blanks between them are letters: `t i d e` is no word.
    fn letter_by_letter(&self, word: &str) -> Vec<Range<usize>> {
        const APART: &str = ".-_·•*/|+~";
        const MIN_LETTERS: usize = 3;
        let letters: Vec<char> = word.chars().collect();
        let is_word = letters.iter().all(|c| c.is_alphabetic() && !words::is_unspaced(*c));
        if letters.len() < MIN_LETTERS || !is_word {
            return Vec::new();
        }
        let folded = self.folded();
        if !folded.text.contains("- ") && !has_letters_apart(&folded.text) {
            return Vec::new();
        }
        let chars: Vec<(usize, char)> = folded.text.char_indices().collect();
        let letter = |at: usize| chars.get(at).map(|(_, c)| *c).filter(|c| c.is_alphanumeric());
        let place = |at: usize| chars.get(at).map_or(folded.text.len(), |(place, _)| *place);
        let is_line_end =
            |at: usize| self.text[folded.origin(place(at)..place(at + 1))].contains('\n');
        let mut found = Vec::new();
        for start in 0..chars.len() {
            let is_start = start.checked_sub(1).is_none_or(|before| letter(before).is_none());
            if letter(start) != Some(letters[0]) || !is_start {
                continue;
            }
            let (mut at, mut breaks, mut marks) = (start, 0, Vec::new());
            for wanted in &letters[1..] {
                let next = chars.get(at + 1).map(|(_, c)| *c);
                if letter(at + 1) == Some(*wanted) {
                    at += 1;
                } else if next == Some('-')
                    && chars.get(at + 2).is_some_and(|(_, c)| *c == ' ')
                    && is_line_end(at + 2)
                    && letter(at + 3) == Some(*wanted)
                {
                    (at, breaks) = (at + 3, breaks + 1);
                } else if letter(at + 2) == Some(*wanted)
                    && let Some(mark) = next.filter(|mark| APART.contains(*mark))
                {
                    marks.push(mark);
                    at += 2;
                } else {
                    (breaks, marks) = (0, Vec::new());
                    break;
                }
            }
            let is_apart = breaks == 0
                && marks.len() + 1 == letters.len()
                && marks.iter().all(|mark| *mark == marks[0]);
            let is_broken = breaks == 1 && marks.is_empty();
            // Neither `t.i.d.e.s` nor `B.B.C.`
            let goes_on = |mark: char| {
                chars.get(at + 1).is_some_and(|(_, c)| *c == mark) && letter(at + 2).is_some()
            };
            let range = place(start)..place(at + 1);
            let is_acronym = || {
                let source = &self.text[folded.origin(range.clone())];
                letters.len() <= 4 && marks[0] == '.' && !source.contains(char::is_lowercase)
            };
            if letter(at + 1).is_none()
                && (is_broken || is_apart && !goes_on(marks[0]) && !is_acronym())
            {
                found.push(folded.origin(range));
            }
        }
        found
    }

    /// Words with a base in common with this one.
    fn with_lemma(&self, word: &str) -> Vec<Range<usize>> {
        let mut found = self.stretches(word, Bounds::Word);
        let wanted = fold::folded(word);
        if !wanted.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return found;
        }
        let bases = lemma::lemmas(&wanted);
        let is_form = |part: &Range<usize>| {
            let folded = fold::Folded::new(&self.text[part.clone()]).text;
            let plain = folded.split('\'').next().unwrap_or(&folded);
            wanted != plain && (bases.contains(plain) || lemma::lemmas(plain).contains(&wanted))
        };
        let parts = self.units(Unit::WordPart).iter();
        found.extend(parts.filter(|part| is_form(part)).cloned());
        found.sort_by_key(|range| range.start);
        found.dedup_by(|later, earlier| later.start < earlier.end);
        found
    }
}

/// Whether two letters are alone between marks, as in `t.i.d.e`; without that no word is spelt letter by letter.
fn has_letters_apart(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let bytes = text.as_bytes();
    text.contains(['·', '•'])
        || bytes.windows(4).enumerate().any(|(at, window)| {
            let starts =
                at.checked_sub(1).is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
            starts
                && is_letter(window[0])
                && !window[1].is_ascii_alphanumeric()
                && window[1] != b' '
                && is_letter(window[2])
                && !window[3].is_ascii_alphanumeric()
        })
}

/// A stretch of a text that readers take for another text, and where the two differ first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookAlike {
    pub range: Range<usize>,
    pub found: char,
    pub wanted: char,
}

/// A stretch that looks like the wanted text and is written with other characters.
pub fn look_alike_of(text: &str, wanted: &str) -> Option<LookAlike> {
    if text.contains(wanted) {
        return None;
    }
    let same = |a: char, b: char| python::simple_fold(a) == python::simple_fold(b);
    let alike = occurrences(&Text::new(text), &Needle::Letter(wanted.to_owned()));
    alike.into_iter().find_map(|range| {
        let pairs = text[range.clone()].chars().zip(python::strip(wanted).chars());
        let (found, wanted) = pairs.into_iter().find(|(found, wanted)| !same(*found, *wanted))?;
        Some(LookAlike { range, found, wanted })
    })
}

/// What has to be around an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bounds {
    None,
    /// No word goes on.
    Phrase,
    /// Nor does a contraction.
    Word,
}

/// The same where `_` is between words: `the_tide_turns` has the word `tide`.
fn is_bounded(text: &str, range: Range<usize>) -> bool {
    let inside = &text[range.clone()];
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let (before, after) = (before.strip_suffix('_'), after.strip_prefix('_'));
    (before.is_some() || !joins(&text[..range.start], inside))
        && (after.is_some() || !joins(inside, &text[range.end..]))
}

fn is_phrase(text: &str, range: Range<usize>) -> bool {
    let inside = &text[range.clone()];
    !joins(&text[..range.start], inside) && !joins(inside, &text[range.end..])
}

/// Whether a stretch is not a part of a contraction.
fn is_word(text: &str, range: Range<usize>) -> bool {
    let inside = &text[range.clone()];
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let before = &text[..range.start];
    if let Some(elided) = before.strip_suffix('\'')
        && is_letter(inside.chars().next())
        && is_letter(elided.chars().next_back())
    {
        let start = elided
            .rfind(|c: char| !c.is_alphabetic())
            .map_or(0, |at| at + elided[at..].chars().next().map_or(1, char::len_utf8));
        if !ELIDED.split_ascii_whitespace().any(|known| known == &elided[start..]) {
            return false;
        }
    }
    let after = &text[range.end..];
    match after.strip_prefix('\'') {
        Some(rest) if is_letter(rest.chars().next()) && is_letter(inside.chars().next_back()) => {
            // A genitive, or `geht's`.
            let ending = rest.len() - rest.trim_start_matches(char::is_alphabetic).len();
            &rest[..ending] == "s"
        }
        _ => true,
    }
}

/// Words of French and Italian that lose their vowel before another word.
const ELIDED: &str = "c d j l m n qu s t jusqu lorsqu puisqu quoiqu presqu quelqu all dall dell nell \
    sull quest quell un";

/// A text with every character case-folded, and a mapping back.
#[derive(Debug)]
pub(super) struct CaseFolded {
    text: String,
    /// The source offset for each byte of `text` that begins a character, and for its end; `None`
    /// if all offsets are equal.
    source: Option<Vec<usize>>,
}

impl CaseFolded {
    fn new(source: &str) -> CaseFolded {
        if source.is_ascii() {
            return CaseFolded { text: source.to_ascii_lowercase(), source: None };
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
            return CaseFolded { text, source: None };
        }
        let mut back = Vec::with_capacity(text.len() + 1);
        for (at, c) in source.char_indices() {
            back.resize(back.len() + python::simple_fold(c).len_utf8(), at);
        }
        back.push(source.len());
        CaseFolded { text, source: Some(back) }
    }

    fn range(&self, at: usize, length: usize) -> Range<usize> {
        match &self.source {
            None => at..at + length,
            Some(back) => back[at]..back[at + length],
        }
    }
}

fn case_folded(text: &str) -> String {
    text.chars().map(python::simple_fold).collect()
}

/// Every occurrence of `part`, ignoring case.
fn ignoring_case(text: &Text<'_>, part: &str) -> Vec<Range<usize>> {
    let folded = text.own.folded_exactly.get_or_init(|| CaseFolded::new(text.source));
    let part = case_folded(part);
    let found = memmem::find_iter(folded.text.as_bytes(), &part);
    found.map(|at| folded.range(at, part.len())).collect()
}

/// Every run of word characters equal to `word` ignoring case.
fn runs_ignoring_case(text: &Text<'_>, word: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = word.chars().map(python::simple_fold).collect();
    text.units(Unit::WordPattern)
        .iter()
        .filter(|range| {
            let found = text.source[(*range).clone()].chars().map(python::simple_fold);
            found.eq(wanted.iter().copied())
        })
        .cloned()
        .collect()
}

fn phrases_ignoring_case(text: &Text<'_>, phrase: &str) -> Vec<Range<usize>> {
    let Some(first) = phrase.chars().next() else {
        return Vec::new();
    };
    let folded = text.own.folded_exactly.get_or_init(|| CaseFolded::new(text.source));
    let phrase = case_folded(phrase);
    let step = phrase.chars().next().map_or(1, char::len_utf8);
    let opens_in_word = python::is_word(first);
    let mut found = Vec::new();
    let mut at = 0;
    let finder = memmem::Finder::new(&phrase);
    while let Some(offset) = finder.find(&folded.text.as_bytes()[at..]) {
        let start = at + offset;
        let end = start + phrase.len();
        if is_phrase(&folded.text, start..end) {
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
    fn look_alikes_are_told_apart() {
        let of = |text, wanted| {
            look_alike_of(text, wanted).map(|it| (&text[it.range.clone()], it.found, it.wanted))
        };
        assert_eq!(of("So don’t stop", "don't"), Some(("don’t", '’', '\'')));
        assert_eq!(of("a cafe\u{301}", "café"), Some(("cafe\u{301}", 'e', 'é')));
        assert_eq!(of("t\u{ad}ide", "tide"), Some(("t\u{ad}ide", '\u{ad}', 'i')));
        assert_eq!(of("Don't, don’t", "don't"), Some(("don’t", '’', '\'')));
        assert_eq!(of("Don't", "don't"), None);
        assert_eq!(of("tide", "sea"), None);
    }

    #[test]
    fn word_boundaries_are_respected() {
        assert_eq!(count(NeedleKind::Word, "can", "Can a can't CAN? cancan"), 2);
        assert_eq!(count(NeedleKind::Word, "New York", "new york, New  York, New\n\nYork"), 2);
        assert_eq!(count(NeedleKind::Word, "well-known", "Well-known, well‑known"), 2);
        assert_eq!(count(NeedleKind::Word, "team", "Team-Sitzung, Teams"), 1);
        assert_eq!(count(NeedleKind::Word, "tide", "tide's tide’s tides"), 2);
        assert_eq!(count(NeedleKind::Word, "eau", "L’eau, d'eau, o'eau, eau'x"), 2);
        assert_eq!(count(NeedleKind::Word, "中", "中文中"), 2);
    }

    #[test]
    fn words_are_found_letter_by_letter() {
        for text in [
            "The t.i.d.e turns",
            "T-I-D-E!",
            "t_i_d_e",
            "The ti-\nde.",
            "the_tide_turns",
            "ti\u{323}de",
            "tidẹ",
            "<ruby>tide<rt>x</rt></ruby>",
            "t·i·d·e",
        ] {
            for kind in [NeedleKind::Word, NeedleKind::Phrase, NeedleKind::Keyword] {
                assert_eq!(count(kind, "tide", text), 1, "{text:?}");
            }
        }
        for text in ["t i d e", "t i-d e", "ti - de", "tid e", "ti de", "t.i.d.e.s", "ti-de"] {
            assert_eq!(count(NeedleKind::Word, "tide", text), 0, "{text:?}");
        }
        assert_eq!(count(NeedleKind::Word, "who", "The W.H.O. says"), 0);
        assert_eq!(count(NeedleKind::Word, "đẹp", "đẹp, đep"), 1);
        assert_eq!(count(NeedleKind::Word, "潮水", "潮 水"), 0);
    }

    #[test]
    fn texts_that_look_alike_are_found() {
        for text in [
            "don’t",
            "donʼt",
            "DON'T",
            "do\u{ad}n't",
            "do\u{200b}n't",
            "don\u{2060}'t",
            "d**on**'t",
            "ｄｏｎ't",
            "dоn't",
            "<b>d</b>on't",
            "<p>don&rsquo;t</p>",
            "{\"a\": \"don\\u2019t\"}",
            "{\"don't\": 1}",
        ] {
            for kind in [NeedleKind::Word, NeedleKind::Phrase, NeedleKind::Keyword] {
                assert_eq!(count(kind, "don't", text), 1, "{text:?}");
            }
        }
        for text in
            ["dont", "don\"t", "<!-- don't -->so", "[so](http://don't)", "<p title=\"don't\">x</p>"]
        {
            assert_eq!(count(NeedleKind::Phrase, "don't", text), 0, "{text:?}");
        }
        assert_eq!(count(NeedleKind::Phrase, "café", "cafe\u{301} cafe"), 1);
        assert_eq!(count(NeedleKind::Letter, "é", "e\u{301}te\u{301} ÉTE"), 3);
        assert_eq!(count(NeedleKind::Letter, "ß", "Grüβe STRAẞE β"), 2);
        assert_eq!(count(NeedleKind::Keyword, "сон", "Сон и cон"), 2);
    }

    #[test]
    fn forms_of_a_word_are_found() {
        assert_eq!(count(NeedleKind::Lemma, "tide", "Tide, tides, tide's, riptide"), 3);
        assert_eq!(count(NeedleKind::Lemma, "laundries", "laundry and laundering"), 1);
        assert_eq!(count(NeedleKind::Lemma, "art", "party arts start"), 1);
        assert_eq!(count(NeedleKind::Lemma, "sea", "the sе\u{ad}as, the sеa"), 2);
        assert_eq!(count(NeedleKind::Lemma, "Größe", "Größen, Größe"), 1);
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
        assert_eq!(count(NeedleKind::KeywordReleased, "like", "Like likes un-like like_it"), 2);
        assert_eq!(count(NeedleKind::KeywordReleased, "a.b", "xa.bx A.B a.b.a.b"), 4);
        assert_eq!(count(NeedleKind::KeywordReleased, "东京", "我在东京玩 东京"), 1);
        assert_eq!(count(NeedleKind::KeywordReleased, "sik", "ſıK"), 1);
        assert_eq!(count(NeedleKind::KeywordReleased, "don't", "don’t"), 0);
        assert_eq!(count(NeedleKind::PhraseReleased, "per se", "per se, **per** se"), 1);
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
