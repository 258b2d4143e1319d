//! Looking for a text, a needle or a regular expression at an edge of a text or inside it.

use std::ops::Range;

use memchr::memmem;

use crate::predicate::fault::EvalError;
use crate::predicate::needles::{SearchKind, SearchPattern};
use crate::predicate::operand::{Operand, TextPiece};
use crate::predicate::tree::Pattern;
use crate::text::python::{is_letter, is_space, is_word, simple_fold};
use crate::text::{Text, Unit};

pub(super) fn starts(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<bool, EvalError> {
    let text = piece.as_str();
    match sought {
        Operand::Needle(needle) => Ok(match one_letter(needle) {
            Some(wanted) => text.chars().find(|c| is_letter(*c)).map(simple_fold) == Some(wanted),
            None => piece.read(|text| {
                let first = first_content(text);
                let places = needle.occurrences(text);
                places.first().is_some_and(|place| place.start <= first)
            }),
        }),
        Operand::Pattern(pattern) => {
            let trimmed = text.trim_start_matches(is_space);
            Ok(regex(pattern)?.find(trimmed).is_some_and(|found| found.start() == 0))
        }
        sought => Ok(text
            .trim_start_matches(is_space)
            .starts_with(plain(sought)?.trim_start_matches(is_space))),
    }
}

pub(super) fn ends(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<bool, EvalError> {
    let text = piece.as_str();
    match sought {
        Operand::Needle(needle) => Ok(match one_letter(needle) {
            Some(wanted) => {
                text.chars().rev().find(|c| is_letter(*c)).map(simple_fold) == Some(wanted)
            }
            None => piece.read(|text| {
                let last = last_content(text);
                let places = needle.occurrences(text);
                places.last().is_some_and(|place| place.end >= last)
            }),
        }),
        Operand::Pattern(pattern) => {
            let trimmed = text.trim_end_matches(is_space);
            let regex = pattern.at_end().ok_or_else(|| unreadable(pattern))?;
            Ok(regex.is_match(trimmed))
        }
        sought => {
            Ok(text.trim_end_matches(is_space).ends_with(plain(sought)?.trim_end_matches(is_space)))
        }
    }
}

pub(super) fn contains(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<bool, EvalError> {
    match sought {
        Operand::Needle(needle) => Ok(piece.read(|text| needle.is_in(text))),
        Operand::Pattern(pattern) => Ok(regex(pattern)?.is_match(piece.as_str())),
        sought => Ok(piece.as_str().contains(plain(sought)?)),
    }
}

pub(super) fn count(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<usize, EvalError> {
    match sought {
        Operand::Needle(needle) => Ok(piece.read(|text| needle.count(text))),
        Operand::Pattern(pattern) => Ok(regex(pattern)?.find_iter(piece.as_str()).count()),
        sought => match plain(sought)? {
            "" => Err(EvalError::new("an empty text cannot be counted")),
            part => Ok(memmem::find_iter(piece.as_str().as_bytes(), part).count()),
        },
    }
}

/// Where it occurs, apart from one another.
pub(super) fn places(
    piece: &TextPiece<'_>,
    sought: &Operand<'_>,
) -> Result<Vec<Range<usize>>, EvalError> {
    match sought {
        Operand::Needle(needle) => Ok(piece.read(|text| needle.occurrences(text))),
        Operand::Pattern(pattern) => {
            Ok(regex(pattern)?.find_iter(piece.as_str()).map(|found| found.range()).collect())
        }
        sought => match plain(sought)? {
            "" => Err(EvalError::new("an empty text cannot be looked for")),
            part => {
                let found = memmem::find_iter(piece.as_str().as_bytes(), part);
                Ok(found.map(|at| at..at + part.len()).collect())
            }
        },
    }
}

fn plain<'o>(sought: &'o Operand<'_>) -> Result<&'o str, EvalError> {
    sought.as_str().ok_or_else(|| EvalError::new(format!("{} cannot be looked for", sought.kind())))
}

fn regex(pattern: &Pattern) -> Result<&regex::Regex, EvalError> {
    pattern.regex().ok_or_else(|| unreadable(pattern))
}

fn unreadable(pattern: &Pattern) -> EvalError {
    EvalError::new(format!("`/{}/` cannot be read", pattern.pattern))
}

/// The letter that `letter "a"` looks for, without its case.
fn one_letter(needle: &SearchPattern) -> Option<char> {
    match needle {
        SearchPattern::Needle(SearchKind::Letter, _) => {
            let text = needle.needle_text();
            let mut chars = text.chars();
            let letter = chars.next().filter(|_| chars.next().is_none())?;
            Some(simple_fold(letter))
        }
        SearchPattern::Needle(..) | SearchPattern::Unit(..) => None,
    }
}

/// Where the first word character or emoji is: what is before it is blanks, punctuation and
/// markup. The end of the text when there is none.
fn first_content(text: &Text<'_>) -> usize {
    let source = text.str();
    let word = source.find(is_content).unwrap_or(source.len());
    // Emoji are looked for only where something could be one.
    if source.get(..word).is_some_and(|before| before.is_ascii()) {
        return word;
    }
    text.units(Unit::Emoji).first().map_or(word, |emoji| emoji.start.min(word))
}

/// Whether a character is in a word by some reading: `ⓐ` is not a word character of `\w+`.
fn is_content(c: char) -> bool {
    is_word(c) || c.is_alphanumeric()
}

/// The end of the last word character or emoji; 0 when there is none.
fn last_content(text: &Text<'_>) -> usize {
    let source = text.str();
    let word = source
        .char_indices()
        .rev()
        .find(|(_, c)| is_content(*c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    if source.get(word..).is_some_and(|behind| behind.is_ascii()) {
        return word;
    }
    text.units(Unit::Emoji).last().map_or(word, |emoji| emoji.end.max(word))
}
