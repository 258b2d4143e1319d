//! Highlighted passages, between asterisks or underscores.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem};

use super::{lines, python};

/// `*x*`, `**x**`, `***x***` or the same with underscores on one line, each once.
pub(super) fn sensible(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in lines::all(text) {
        let mut passages = in_line(text, &line, '*');
        passages.extend(in_line(text, &line, '_'));
        passages.sort_by_key(|passage| passage.start);
        for passage in passages {
            let is_outer = found.last().is_none_or(|last| last.end <= passage.start);
            if is_outer && text[passage.clone()].contains(char::is_alphanumeric) {
                found.push(passage);
            }
        }
    }
    found
}

/// Matches of `\*[^\n\*]*\*` that are not blank.
pub(super) fn italic(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr(b'*', &bytes[at..]).map(|offset| at + offset) {
        let Some(end) = memchr2(b'*', b'\n', &bytes[start + 1..]) else { break };
        let end = start + 1 + end;
        if bytes[end] == b'*' && !lines::is_blank(&text[start + 1..end]) {
            found.push(start..end + 1);
        }
        at = end + 1;
    }
    found
}

/// Matches of `\*\*[^\n\*]*\*\*` that are not blank.
pub(super) fn bold(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let pair = |at: usize| bytes.get(at..at + 2) == Some(b"**");
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memmem::find(&bytes[at..], b"**").map(|offset| at + offset) {
        let inside = &text[start + 2..];
        let end = memchr2(b'\n', b'*', inside.as_bytes()).unwrap_or(inside.len());
        let end = start + 2 + end;
        if pair(end) {
            if !python::strip(&text[start + 2..end]).is_empty() {
                found.push(start..end + 2);
            }
            at = end + 2;
        } else if end == start + 2 {
            // Three asterisks without a fourth: the second may open.
            at = start + 1;
        } else {
            at = end;
        }
    }
    found
}

fn in_line(text: &str, line: &Range<usize>, mark: char) -> Vec<Range<usize>> {
    const MAX_RUN_LENGTH: usize = 3;
    let runs = runs_of(text, line, mark);
    // An underscore within a word is a letter of a name.
    let joins = |c: char| mark == '_' && c.is_alphanumeric();
    // For each run, the nearest later one of each length that may close.
    let mut closers: Vec<[Option<usize>; MAX_RUN_LENGTH]> =
        vec![[None; MAX_RUN_LENGTH]; runs.len()];
    let mut nearest = [None; MAX_RUN_LENGTH];
    for (index, run) in runs.iter().enumerate().rev() {
        closers[index] = nearest;
        let after_text = !text[line.start..run.start].ends_with(char::is_whitespace)
            && !text[run.end..line.end].starts_with(joins);
        if run.len() <= MAX_RUN_LENGTH && after_text && run.start > line.start {
            nearest[run.len() - 1] = Some(index);
        }
    }
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        let before_text = text[run.end..line.end].starts_with(|c: char| !c.is_whitespace())
            && !text[line.start..run.start].ends_with(joins);
        let closer = if run.len() <= MAX_RUN_LENGTH && before_text {
            closers[index][run.len() - 1]
        } else {
            None
        };
        match closer {
            Some(closer) => {
                found.push(run.start..runs[closer].end);
                index = closer + 1;
            }
            None => index += 1,
        }
    }
    found
}

fn runs_of(text: &str, line: &Range<usize>, mark: char) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (offset, _) in text[line.clone()].match_indices(mark) {
        let at = line.start + offset;
        // `\*not this\*` shows its stars.
        if text[line.start..at].ends_with('\\') {
            continue;
        }
        match runs.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    fn read(text: &str, unit: Unit) -> Vec<&str> {
        Text::new(text).pieces(unit).collect()
    }

    #[test]
    fn stars_pair_with_as_many_stars() {
        assert_eq!(read("**a *b* c** *d*", Unit::Highlight), ["**a *b* c**", "*d*"]);
        assert_eq!(read("* **a** and *b\nc*", Unit::Highlight), ["**a**"]);
        assert_eq!(
            read("_a_ **b _c_** snake_case_d __e__", Unit::Highlight),
            ["_a_", "**b _c_**", "__e__"]
        );
    }

    #[test]
    fn the_released_patterns_take_stars_greedily() {
        assert_eq!(read("***a***", Unit::HighlightBold), ["**a**"]);
        assert_eq!(read("***a***", Unit::HighlightItalic), ["*a*"]);
        assert_eq!(read("**a*b** c**", Unit::HighlightBold), ["** c**"]);
        assert_eq!(read("* a\n*b*", Unit::HighlightItalic), ["*b*"]);
    }
}
