//! Sentences by the sensible and the simple definition. The Punkt definition has its own file.

use std::ops::Range;

use super::markdown::{LineKind, MarkdownLine};
use super::stops::{self, Abbreviation};
use super::{python, words};

/// Sentences by block: a paragraph, a list item or a table row ends its last sentence. A heading
/// without a stop is none.
pub(super) fn sensible(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    for block in blocks(text, lines) {
        split(text, block, &mut sentences);
    }
    sentences
}

/// The pieces after splitting at every `.`, `!` or `?` before a blank.
pub(super) fn simple(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut push = |start: usize, end: usize| {
        let part = &text[start..end];
        let stripped = python::strip(part);
        if !stripped.is_empty() {
            let start = start + part.len() - part.trim_start_matches(python::is_space).len();
            sentences.push(start..start + stripped.len());
        }
    };
    let mut start = 0;
    let mut after_stop = false;
    for (at, c) in text.char_indices() {
        if after_stop && python::is_space(c) {
            push(start, at);
            start = at;
        }
        after_stop = matches!(c, '.' | '!' | '?');
    }
    push(start, text.len());
    sentences
}

/// The blocks of text that no sentence crosses.
fn blocks(text: &str, lines: &[MarkdownLine]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for line in lines {
        match line.kind {
            LineKind::Text if open => {
                if let Some(last) = blocks.last_mut() {
                    last.end = line.end;
                }
            }
            LineKind::Text | LineKind::Item { .. } => {
                blocks.push(line.content..line.end);
                open = true;
            }
            LineKind::Heading | LineKind::Title
                if !text[line.content..line.end]
                    .trim_end()
                    .trim_end_matches(stops::is_closer)
                    .ends_with(stops::is_stop) =>
            {
                open = false;
            }
            LineKind::Heading | LineKind::Title | LineKind::TableHead | LineKind::TableRow => {
                let row = &text[line.content..line.end];
                let cells = row.trim_start_matches(['|', ' ']);
                blocks.push(line.end - cells.len()..line.end);
                open = false;
            }
            LineKind::Blank
            | LineKind::Underline
            | LineKind::Rule
            | LineKind::FenceOpen
            | LineKind::Code
            | LineKind::FenceClose
            | LineKind::TableDelimiter => open = false,
        }
    }
    blocks
}

fn split(text: &str, block: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    let first = sentences.len();
    let mut start = block.start;
    // Up to here, the sentence that begins at `start` contains no letters or digits.
    let mut unreadable = start;
    let mut at = block.start;
    loop {
        let stop = text[at..block.end].find(stops::is_stop).map_or(block.end, |found| at + found);
        let rest = &text[stop..block.end];
        let marks = rest.trim_start_matches(stops::is_stop);
        let after = without_footnotes(without_closers(marks));
        let run = &rest[..rest.len() - marks.len()];
        at = block.end - after.len();
        if !run.is_empty() && !ends(&text[start..stop], run, marks.len() > after.len(), after) {
            continue;
        }
        let end = start + text[start..at].trim_end().len();
        let next = block.end - after.trim_start().len();
        if text[unreadable..at].chars().any(char::is_alphanumeric) {
            sentences.push(start..end);
            start = next;
        } else if let Some(last) = sentences[first..].last_mut() {
            // Text without letters and digits belongs to the previous sentence of the block.
            last.end = last.end.max(end);
            start = next;
        }
        unreadable = next;
        at = next;
        if at == block.end {
            return;
        }
    }
}

/// The text behind the marks that close after a stop. Some open in one language and close in another:
/// `„Ja!“ „Nein!“`.
fn without_closers(text: &str) -> &str {
    let rest = text.trim_start_matches(stops::is_closer);
    match rest.strip_prefix(['“', '‘', '«', '‹']) {
        Some(behind) if behind.is_empty() || behind.starts_with(char::is_whitespace) => behind,
        Some(behind) if without_closers(behind).len() < behind.len() => without_closers(behind),
        _ => rest,
    }
}

/// The text behind the numbers of footnotes: `[1][2]`.
fn without_footnotes(mut text: &str) -> &str {
    while let Some((number, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        text = rest;
    }
    text
}

/// Whether the stop marks `run` end a sentence, given the text before and after them.
fn ends(before: &str, run: &str, closed: bool, after: &str) -> bool {
    let rest = after.trim_start();
    if rest.is_empty() || run.contains(stops::is_wide_stop) {
        return true;
    }
    let asks = run.contains(['!', '?', '‽', '؟']);
    if rest.len() == after.len() {
        return asks && rest.starts_with(words::is_unspaced);
    }
    let next = rest.trim_start_matches(stops::is_opener);
    let small = next.starts_with(char::is_lowercase);
    if small && closed {
        return false;
    }
    let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    if asks || run == "۔" {
        return !stops::is_company(word);
    }
    if run != "." {
        return !small;
    }
    let word = last_word(before);
    let goes_on = |word| stops::is_within_pair(word, next) || stops::is_day(word, next);
    if word.is_some_and(goes_on) || stops::is_pair(before) {
        return false;
    }
    match word.and_then(stops::abbreviation) {
        None => true,
        Some(_) if small => false,
        Some(Abbreviation::Never) => false,
        Some(Abbreviation::BeforeNumber) => !next.starts_with(python::is_decimal),
        Some(Abbreviation::BeforeStarter) => starts_with_starter(next),
        Some(Abbreviation::BeforeCapital) => !next.starts_with(python::is_decimal),
    }
}

/// The end of `before`, back to a blank or an opening mark; `None` if it is too long for an
/// abbreviation.
fn last_word(before: &str) -> Option<&str> {
    const MAX_ABBREVIATION_CHARACTERS: usize = 12;
    let mut start = before.len();
    for (count, (at, c)) in before.char_indices().rev().enumerate() {
        if c.is_whitespace() || stops::is_opener(c) {
            break;
        }
        if count == MAX_ABBREVIATION_CHARACTERS {
            return None;
        }
        start = at;
    }
    Some(&before[start..])
}

fn starts_with_starter(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, '\'' | '’'));
    stops::is_starter(&text[..text.len() - rest.len()]) && !rest.starts_with('.')
}

#[cfg(test)]
mod tests {
    use crate::{Text, Unit};

    fn read(text: &str) -> Vec<&str> {
        Text::new(text).pieces(Unit::Sentence).collect()
    }

    #[test]
    fn abbreviations_end_a_sentence_only_where_one_begins() {
        for (text, count) in [
            ("The U.S. Army left. The U.S. The army.", 3),
            ("At 5 p.m. he met Mr. Jones of Acme Inc. They left.", 2),
            ("See No. 5 and Fig. 3. I said no. He agreed.", 3),
            ("Jan. 3rd, e.g. Tuesday, etc. Then we go.", 2),
            ("Take vitamin C. It helps. So did C. S. Lewis.", 3),
            ("Node.js is fine. example.com too.", 2),
            ("Am 3. Mai kam Hr. Roth, z. B. mit Nr. 5 usw. Danach ging er.", 2),
            ("Es waren 3. Maria ging, d. h. alle. Das war alles, bzw. fast.", 3),
            ("Am 1. 2. 3. 4. Mai kam Wasser. Dann nicht mehr.", 2),
            ("It rained.[1] We left.[2][3] It stopped.", 3),
        ] {
            assert_eq!(read(text).len(), count, "{:?}", read(text));
        }
    }

    #[test]
    fn closing_marks_belong_to_the_sentence_before() {
        assert_eq!(
            read("He said \"Go!\" Then (he left.) *End.*"),
            ["He said \"Go!\"", "Then (he left.)", "End."]
        );
        assert_eq!(read("\"Really?\" she asked."), ["\"Really?\" she asked."]);
        assert_eq!(read("„Ja!“ »Wer?« „Er.“"), ["„Ja!“", "»Wer?«", "„Er.“"]);
        assert_eq!(read("No. “So it goes,” he said."), ["No.", "“So it goes,” he said."]);
    }

    #[test]
    fn unreadable_pieces_join_their_neighbour() {
        assert_eq!(read("Wow! 😀 Yes."), ["Wow!", "😀 Yes."]);
        assert_eq!(read("Wow! 😀"), ["Wow! 😀"]);
        assert_eq!(read("... and so on."), ["... and so on."]);
        assert_eq!(read("> Quoted. Text."), ["Quoted.", "Text."]);
    }

    #[test]
    fn wide_stops_need_no_blank() {
        assert_eq!(
            read("「你好。」他说。Next one. Done"),
            ["「你好。」", "他说。", "Next one.", "Done"]
        );
        assert_eq!(read("真的吗?是的!"), ["真的吗?", "是的!"]);
    }

    #[test]
    fn lines_of_a_paragraph_are_joined_and_blocks_are_not() {
        assert_eq!(read("one\ntwo. three\n\nfour"), ["one\ntwo.", "three", "four"]);
        assert_eq!(
            read("# One\ntwo\n- three\n---\n| a |\n|---|\n| b. c |"),
            ["two", "three", "a |", "b.", "c |"]
        );
    }
}
