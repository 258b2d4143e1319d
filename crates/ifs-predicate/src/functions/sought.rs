//! Looking for a text, a needle or a regular expression at an edge of a text or inside it.

use std::ops::Range;

use memchr::memmem;

use crate::fault::EvalError;
use crate::needles::{SearchKind, SearchPattern};
use crate::operand::{Operand, TextPiece};
use crate::tree::Pattern;
use ifs_text::python::{is_letter, is_space, is_word};
use ifs_text::{Reading, Unit, edge, fold};

pub(super) fn starts(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<bool, EvalError> {
    let text = piece.as_str();
    let is_exact = |part: &str| {
        text.trim_start_matches(is_space).starts_with(part.trim_start_matches(is_space))
    };
    match sought {
        Operand::Needle(needle) if needle.kind() == SearchKind::Text => {
            Ok(is_exact(&needle.needle_text()))
        }
        Operand::Needle(needle) => Ok(piece.read(|text| {
            let reading = text.reading();
            match (one_letter(needle), needle.read_in(&reading)) {
                (Some(wanted), _) => {
                    let body = reading.str().get(edge::body_start(reading.str())..);
                    let first = body.and_then(|body| body.chars().find_map(folded_letter));
                    first == Some(wanted)
                }
                (None, Some(places)) => {
                    let first = first_content(&reading);
                    places.first().is_some_and(|place| place.start <= first)
                }
                (None, None) => {
                    let first = first_content(&text.reading_for(Unit::Char));
                    needle.occurrences(text).first().is_some_and(|place| place.start <= first)
                }
            }
        })),
        Operand::Pattern(pattern) => {
            let trimmed = text.trim_start_matches(is_space);
            Ok(regex(pattern)?.find(trimmed).is_some_and(|found| found.start() == 0))
        }
        sought => {
            let part = plain(sought)?;
            Ok(is_exact(part) || piece.read(|text| edge::begins_with(text.reading().str(), part)))
        }
    }
}

pub(super) fn ends(piece: &TextPiece<'_>, sought: &Operand<'_>) -> Result<bool, EvalError> {
    let text = piece.as_str();
    let is_exact =
        |part: &str| text.trim_end_matches(is_space).ends_with(part.trim_end_matches(is_space));
    match sought {
        Operand::Needle(needle) if needle.kind() == SearchKind::Text => {
            Ok(is_exact(&needle.needle_text()))
        }
        Operand::Needle(needle) => Ok(piece.read(|text| {
            let reading = text.reading();
            match (one_letter(needle), needle.read_in(&reading)) {
                (Some(wanted), _) => {
                    reading.str().chars().rev().find_map(folded_letter) == Some(wanted)
                }
                (None, Some(places)) => {
                    let last = last_content(&reading);
                    places.last().is_some_and(|place| place.end >= last)
                }
                (None, None) => {
                    let last = last_content(&text.reading_for(Unit::Char));
                    needle.occurrences(text).last().is_some_and(|place| place.end >= last)
                }
            }
        })),
        Operand::Pattern(pattern) => {
            let trimmed = text.trim_end_matches(is_space);
            let regex = pattern.at_end().ok_or_else(|| unreadable(pattern))?;
            Ok(regex.is_match(trimmed))
        }
        sought => {
            let part = plain(sought)?;
            Ok(is_exact(part) || piece.read(|text| edge::finishes_with(text.reading().str(), part)))
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

/// The letter that `letter "a"` looks for, folded.
fn one_letter(needle: &SearchPattern) -> Option<String> {
    match needle {
        SearchPattern::Needle(SearchKind::Letter, _) => {
            let text = needle.needle_text();
            let mut chars = text.chars();
            let letter = chars.next().filter(|_| chars.next().is_none())?;
            folded_letter(letter).filter(|folded| folded.chars().count() == 1)
        }
        SearchPattern::Needle(..) | SearchPattern::Unit(..) => None,
    }
}

/// A letter, folded; `None` for another character. Some apostrophes are letters for Unicode.
fn folded_letter(c: char) -> Option<String> {
    let folded = is_letter(c).then(|| fold(c.encode_utf8(&mut [0; 4])))?;
    folded.contains(is_letter).then_some(folded)
}

/// Where the first word character or emoji is: what is before it is blanks, punctuation and
/// marks of lists. The end of the text when there is none.
fn first_content(reading: &Reading<'_>) -> usize {
    let source = reading.str();
    let body = edge::body_start(source);
    let word = source.get(body..).and_then(|rest| rest.find(is_content));
    let word = word.map_or(source.len(), |at| body + at);
    // Emoji are looked for only where something could be one.
    if source.get(..word).is_some_and(|before| before.is_ascii()) {
        return word;
    }
    reading.units(Unit::Emoji).first().map_or(word, |emoji| emoji.start.min(word))
}

/// Whether a character is in a word by some reading: `ⓐ` is not a word character of `\w+`.
fn is_content(c: char) -> bool {
    is_word(c) || c.is_alphanumeric()
}

/// The end of the last word character or emoji; 0 when there is none.
fn last_content(reading: &Reading<'_>) -> usize {
    let source = reading.str();
    let word = source
        .char_indices()
        .rev()
        .find(|(_, c)| is_content(*c))
        .map_or(0, |(at, c)| at + c.len_utf8());
    if source.get(word..).is_some_and(|behind| behind.is_ascii()) {
        return word;
    }
    reading.units(Unit::Emoji).last().map_or(word, |emoji| emoji.end.max(word))
}
