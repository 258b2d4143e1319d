//! Sentences by the Punkt procedure.
//!
//! Kiss, T. and Strunk, J.: Unsupervised Multilingual Sentence Boundary Detection, Computational
//! Linguistics 32(4), 2006. Section numbers below are the paper's. Candidates, tokens and the
//! placement of closing quotes follow the popular Python implementation, so that counts agree with
//! checkers that use it.

use std::borrow::Cow;
use std::ops::Range;

use super::punkt_data::{CAPITAL, CAPITAL_INSIDE, ENGLISH, SMALL, SMALL_FIRST};
use super::python;

/// Sentences, without the blanks between them.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::with_capacity(32);
    let mut start = 0;
    for candidate in candidates(text) {
        if holds_break(&text[candidate.context.clone()]) {
            parts.push(start..candidate.stop + 1);
            start = candidate.next;
        }
    }
    let end = text.trim_end_matches(python::is_space).len();
    parts.push(start..end.max(start));
    move_closing_marks(text, parts)
}

/// A mark that may end a sentence.
struct PossibleEnd {
    /// Where the mark is; it is one byte long.
    stop: usize,
    /// The word before the mark, the mark, and the token after it.
    context: Range<usize>,
    /// The start of the next sentence, if this one ends here.
    next: usize,
}

/// The candidate marks; only the last of several in one word.
fn candidates(text: &str) -> Vec<PossibleEnd> {
    let mut found: Vec<PossibleEnd> = Vec::with_capacity(32);
    // The word before the latest mark; candidates with overlapping words are merged.
    let mut word = 0..0;
    let mut pending: Option<PossibleEnd> = None;
    for stop in memchr::memchr3_iter(b'.', b'?', b'!', text.as_bytes()) {
        let Some((after, next)) = after_mark(text, stop + 1) else {
            continue;
        };
        let between = &text[word.end..stop];
        let blank = between.rfind(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
        let start = match blank {
            Some(at) if at > 0 => word.end + at + 1,
            _ => word.start,
        };
        if let Some(candidate) = pending.take()
            && word.end <= start
        {
            found.push(candidate);
        }
        pending = Some(PossibleEnd { stop, context: start..after, next });
        word = start..stop;
    }
    found.extend(pending);
    found
}

/// What must follow a mark for it to count: another punctuation mark, or blanks and a token.
/// Returns the end of that, and the start of a new sentence.
fn after_mark(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if is_non_word(first) {
        return Some((at + first.len_utf8(), at));
    }
    let token = rest.trim_start_matches(python::is_space);
    if token.len() == rest.len() || token.is_empty() {
        return None;
    }
    let length = token.find(python::is_space).unwrap_or(token.len());
    let next = text.len() - token.len();
    Some((next + length, next))
}

/// Closing quotes and brackets at the start of a sentence belong to the previous one.
fn move_closing_marks(text: &str, parts: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut sentences = Vec::with_capacity(parts.len());
    let mut moved = 0;
    let mut parts = parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        let mut part = part.start + moved..part.end;
        moved = 0;
        if let Some(next) = parts.peek() {
            let after = &text[next.clone()];
            let rest = after.trim_start_matches(['"', '\'', ')', ']', '}']);
            let closers = after.len() - rest.len();
            let blank = rest.len() - rest.trim_start_matches(python::is_space).len();
            if closers > 0 && (blank > 0 || rest.is_empty() || rest.starts_with("--")) {
                part.end = next.start + closers;
                moved = closers + blank;
            }
        }
        if part.start < part.end {
            sentences.push(part);
        }
    }
    sentences
}

/// Whether a token of `context`, other than the last, ends a sentence.
fn holds_break(context: &str) -> bool {
    plain_break(context).unwrap_or_else(|| breaks_between_tokens(context))
}

/// A fast path for the most common context, without tokens: a word of ASCII letters and the mark,
/// then another such word, optionally with a comma. `None` for all others, and after abbreviations.
fn plain_break(context: &str) -> Option<bool> {
    let letters = |text: &str| text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = context.split_at(letters(context));
    let stops = rest.starts_with('.');
    let rest = rest.strip_prefix(['.', '?', '!'])?;
    let after = rest.trim_ascii_start();
    let (next, end) = after.split_at(letters(after));
    if word.len() < 2 || after.len() == rest.len() || next.is_empty() {
        return None;
    }
    if !stops {
        return Some(true);
    }
    if !matches!(end, "" | ",") {
        return None;
    }
    let kind = lower(word);
    // Most of these begin with a capital letter; a separate allocation for the lower-case form is
    // expensive.
    let mut room = [0; 24];
    let room = room.get_mut(..next.len())?;
    room.copy_from_slice(next.as_bytes());
    room.make_ascii_lowercase();
    let next = std::str::from_utf8(room).ok()?;
    (!ENGLISH.has_abbreviation(&kind)).then(|| !ENGLISH.has_collocation(&kind, next))
}

fn breaks_between_tokens(context: &str) -> bool {
    let mut previous: Option<PunktToken<'_>> = None;
    for line in context.split('\n') {
        let mut at = 0;
        while let Some(range) = next_token(line, at) {
            at = range.end;
            let token = PunktToken::new(&line[range]);
            if previous.as_ref().is_some_and(|previous| previous.ends_before(&token)) {
                return true;
            }
            previous = Some(token);
        }
    }
    false
}

/// The token at or after `at`: several marks, a word with its stops, or one other character.
fn next_token(line: &str, at: usize) -> Option<Range<usize>> {
    let rest = &line[at..];
    let start = line.len() - rest.trim_start_matches(python::is_space).len();
    let rest = &line[start..];
    let first = rest.chars().next()?;
    if let Some(length) = marks(rest) {
        return Some(start..start + length);
    }
    if matches!(
        first,
        '(' | '"'
            | '`'
            | '{'
            | '['
            | ':'
            | ';'
            | '&'
            | '#'
            | '*'
            | '@'
            | ')'
            | '}'
            | ']'
            | '-'
            | ','
    ) {
        return Some(start..start + first.len_utf8());
    }
    let ends_word = |at: usize| {
        if rest.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric) {
            return false;
        }
        let rest = &rest[at..];
        match rest.chars().next() {
            None => true,
            Some(c) => python::is_space(c) || is_non_word(c) || marks(rest).is_some(),
        }
    };
    let end = rest
        .char_indices()
        .skip(1)
        .find(|(at, c)| ends_word(*at) || *c == ',' && ends_word(at + 1))
        .map_or(rest.len(), |(at, _)| at);
    Some(start..start + end)
}

/// The length of two or more dashes, two or more stops, or three or more stops with single blanks
/// between, at the beginning of `text`.
fn marks(text: &str) -> Option<usize> {
    let run = |mark: u8| text.bytes().take_while(|b| *b == mark).count();
    let first = *text.as_bytes().first()?;
    if first != b'-' && first != b'.' {
        return None;
    }
    let length = run(first);
    if length > 1 {
        return Some(length);
    }
    if first == b'-' {
        return None;
    }
    let mut stops = 1;
    let mut end = 1;
    loop {
        let mut next = text[end..].chars();
        let Some(blank) = next.next().filter(|c| python::is_space(*c)) else {
            break;
        };
        if next.next() != Some('.') {
            break;
        }
        end += blank.len_utf8() + 1;
        stops += 1;
    }
    (stops > 2).then_some(end)
}

fn lower(text: &str) -> Cow<'_, str> {
    let is_small = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    match text.bytes().all(is_small) {
        true => Cow::Borrowed(text),
        false if text.is_ascii() => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Owned(text.to_lowercase()),
    }
}

struct PunktToken<'a> {
    text: &'a str,
    /// Its type: lower case, with all numbers equal (section 3.1).
    kind: Cow<'a, str>,
    ends: bool,
    abbreviates: bool,
    ellipsis: bool,
}

impl<'a> PunktToken<'a> {
    /// The first, type-based decision (section 3).
    fn new(text: &'a str) -> PunktToken<'a> {
        let lower = lower(text);
        let mut token = PunktToken {
            text,
            kind: Cow::Borrowed(NUMBER_KIND),
            ends: false,
            abbreviates: false,
            ellipsis: false,
        };
        if matches!(text, "." | "?" | "!") {
            token.ends = true;
        } else if text.len() > 1 && text.bytes().all(|b| b == b'.') {
            token.ellipsis = true;
        } else if text.ends_with('.') && !text.ends_with("..") {
            let stem = &lower[..lower.len() - 1];
            let last = stem.rsplit_once('-').map(|(_, last)| last);
            token.abbreviates = ENGLISH.has_abbreviation(stem)
                || last.is_some_and(|last| ENGLISH.has_abbreviation(last));
            token.ends = !token.abbreviates;
        }
        if !is_number(text) {
            token.kind = lower;
        }
        token
    }

    /// The second, token-based decision (section 4): whether a sentence ends here before `next`.
    fn ends_before(&self, next: &PunktToken<'_>) -> bool {
        if !self.text.ends_with('.') {
            return self.ends;
        }
        let kind = self.kind_without_stop();
        let next_kind = next.kind_in_context();
        if ENGLISH.has_collocation(kind, next_kind) {
            return false;
        }
        let initial = self.is_initial();
        if (self.abbreviates || self.ellipsis) && !initial {
            if next.starts_sentence() == Some(true) {
                return true;
            }
            if next.is_capitalised() && ENGLISH.has_sentence_starter(next_kind) {
                return true;
            }
        }
        if initial || kind == NUMBER_KIND {
            match next.starts_sentence() {
                Some(false) => return false,
                None if initial
                    && next.is_capitalised()
                    && ENGLISH.contexts(next_kind) & SMALL == 0 =>
                {
                    return false;
                }
                _ => {}
            }
        }
        self.ends
    }

    /// The orthographic heuristic (section 4.1.1): whether a sentence starts here, or `None` if the
    /// training text does not determine it.
    fn starts_sentence(&self) -> Option<bool> {
        if matches!(self.text, ";" | ":" | "," | "." | "!" | "?") {
            return Some(false);
        }
        let seen = ENGLISH.contexts(self.kind_in_context());
        if self.is_capitalised() && seen & SMALL != 0 && seen & CAPITAL_INSIDE == 0 {
            return Some(true);
        }
        let small = self.text.chars().next().is_some_and(char::is_lowercase);
        if small && (seen & CAPITAL != 0 || seen & SMALL_FIRST == 0) {
            return Some(false);
        }
        None
    }

    fn kind_without_stop(&self) -> &str {
        match self.kind.strip_suffix('.') {
            Some(stem) if !stem.is_empty() => stem,
            _ => &self.kind,
        }
    }

    fn kind_in_context(&self) -> &str {
        if self.ends { self.kind_without_stop() } else { &self.kind }
    }

    fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    /// One letter and a full stop.
    fn is_initial(&self) -> bool {
        let mut chars = self.text.chars();
        chars.next().is_some_and(|c| python::is_word(c) && !python::is_decimal(c))
            && chars.as_str() == "."
    }
}

const NUMBER_KIND: &str = "##number##";

/// An optional minus, an optional point or comma, a digit, then digits, points, commas, dashes.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let text = text.strip_prefix(['.', ',']).unwrap_or(text);
    text.starts_with(python::is_decimal)
        && text.chars().all(|c| python::is_decimal(c) || matches!(c, ',' | '.' | '-'))
}

/// Punctuation that does not occur in words.
fn is_non_word(c: char) -> bool {
    matches!(c, ')' | '"' | ';' | '}' | ']' | '*' | ':' | '@' | '\'' | '(' | '{' | '[' | '?' | '!')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|r| &text[r]).collect()
    }

    proptest::proptest! {
        /// The fast path gives the same result as the tokens.
        #[test]
        fn plain_contexts_need_no_tokens(
            word in "[a-zA-Z]{1,4}|[a-z]{5,9}|mr|Mrs|Dr|st|vs|etc|e|i",
            mark in "[.?!,]|[.][.]",
            blank in "[ \n\t\u{b}\u{1c}\u{a0}]|  | \n",
            next in "[A-Za-z]{1,6}[,.;']?|The|It's?|However,|5|\\PC{0,3}",
        ) {
            let context = format!("{word}{mark}{blank}{next}");
            if let Some(plain) = plain_break(&context) {
                proptest::prop_assert_eq!(plain, breaks_between_tokens(&context));
            }
        }
    }

    #[test]
    fn closing_marks_belong_to_the_previous_sentence() {
        assert_eq!(read("(He left.) She ran."), ["(He left.)", "She ran."]);
        assert_eq!(read("\"Go!\" \"No!\""), ["\"Go!\"", "\"No!\""]);
    }

    #[test]
    fn numbers_and_initials_follow_the_next_word() {
        assert_eq!(read("I have 5. He has 6."), ["I have 5.", "He has 6."]);
        assert_eq!(read("J. Smith came. He left."), ["J. Smith came.", "He left."]);
    }

    #[test]
    fn tokens_for_sentence_detection() {
        let line = "well--yes, (no). . . end...";
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(range) = next_token(line, at) {
            at = range.end;
            tokens.push(&line[range]);
        }
        assert_eq!(tokens, ["well", "--", "yes", ",", "(", "no", ")", ". . .", "end", "..."]);
    }
}
