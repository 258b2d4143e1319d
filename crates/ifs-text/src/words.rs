//! Words and smaller units: characters, graphemes, runs.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::markdown::{LineKind, MarkdownLine};

/// Each character for which `keep` holds.
pub(super) fn chars(text: &str, keep: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    text.char_indices().filter(|(_, c)| keep(*c)).map(|(at, c)| at..at + c.len_utf8()).collect()
}

/// Each extended grapheme cluster.
pub(super) fn graphemes(text: &str) -> Vec<Range<usize>> {
    text.grapheme_indices(true).map(|(at, cluster)| at..at + cluster.len()).collect()
}

/// Each maximal run of characters for which `keep` holds.
pub(super) fn runs(text: &str, keep: impl Fn(char) -> bool) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    each_run(text, keep, |run| runs.push(run));
    runs
}

/// Counts runs without collecting them.
pub(super) fn count_runs(text: &str, keep: impl Fn(char) -> bool) -> usize {
    let ascii = ascii_table(&keep);
    let (mut count, mut inside) = (0, false);
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        let (kept, length) = match ascii.get(usize::from(*byte)) {
            Some(kept) => (*kept, 1),
            None => wide(text, at, &keep),
        };
        count += usize::from(kept & !inside);
        inside = kept;
        at += length;
    }
    count
}

/// The same for ASCII text, many bytes at a time.
pub(super) fn count_ascii_runs(text: &str, keep: impl Fn(u8) -> bool) -> usize {
    let bytes = text.as_bytes();
    // A byte can count the runs in this many bytes, so the processor adds sixteen at a time.
    const STRETCH_BYTES: usize = 255;
    let begins = |(before, byte): (&u8, &u8)| u8::from(!keep(*before) & keep(*byte));
    let stretches =
        bytes.chunks(STRETCH_BYTES).zip(bytes.get(1..).unwrap_or(&[]).chunks(STRETCH_BYTES));
    let counts = stretches.map(|(before, after)| before.iter().zip(after).map(begins).sum::<u8>());
    counts.map(usize::from).sum::<usize>()
        + usize::from(bytes.first().is_some_and(|byte| keep(*byte)))
}

fn ascii_table(keep: &impl Fn(char) -> bool) -> [bool; 128] {
    let mut ascii = [false; 128];
    for (kept, c) in ascii.iter_mut().zip('\0'..) {
        *kept = keep(c);
    }
    ascii
}

/// Whether the character at an offset is kept, and its length.
fn wide(text: &str, at: usize, keep: &impl Fn(char) -> bool) -> (bool, usize) {
    match text[at..].chars().next() {
        Some(c) => (keep(c), c.len_utf8()),
        None => (false, 1),
    }
}

/// Most characters are ASCII, for which `keep` is a table.
fn each_run(text: &str, keep: impl Fn(char) -> bool, mut found: impl FnMut(Range<usize>)) {
    let ascii = ascii_table(&keep);
    let bytes = text.as_bytes();
    let mut start = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let (kept, length) = match ascii.get(usize::from(*byte)) {
            Some(kept) => (*kept, 1),
            None => wide(text, at, &keep),
        };
        match (kept, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                found(first..at);
                start = None;
            }
            _ => {}
        }
        at += length;
    }
    if let Some(first) = start {
        found(first..text.len());
    }
}

/// Words as people count them: the parts of a compound with hyphens are one word, and so are the
/// numbers of a date or a time.
pub(super) fn sensible(text: &str, parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        match words.last_mut() {
            Some(last) if is_joined(text, last.end..part.start) => last.end = part.end,
            _ => words.push(part.clone()),
        }
    }
    words
}

/// Whether what is between two parts joins them.
fn is_joined(text: &str, between: Range<usize>) -> bool {
    let Some(mark) = text.get(between.clone()) else { return false };
    let mut chars = mark.chars();
    let (Some(mark), None) = (chars.next(), chars.next()) else { return false };
    let before = text[..between.start].chars().next_back();
    let after = text[between.end..].chars().next();
    let both = |test: fn(char) -> bool| before.is_some_and(test) && after.is_some_and(test);
    match mark {
        '-' | '\u{2010}' | '\u{2011}' => both(|c| c.is_alphanumeric() && !is_unspaced(c)),
        '.' => both(char::is_alphanumeric),
        ':' | '/' | ',' => both(|c| c.is_ascii_digit()),
        _ => false,
    }
}

/// The words outside of the numerals of lists.
pub(super) fn without_numerals(
    mut words: Vec<Range<usize>>,
    lines: &[MarkdownLine],
) -> Vec<Range<usize>> {
    let numerals: Vec<Range<usize>> = lines
        .iter()
        .filter(|line| line.kind == LineKind::Item { numbered: true })
        .map(|line| line.marker..line.content)
        .collect();
    if !numerals.is_empty() {
        words.retain(|word| {
            let after = numerals.partition_point(|numeral| numeral.end <= word.start);
            numerals.get(after).is_none_or(|numeral| numeral.start > word.start)
        });
    }
    words
}

/// Words by Unicode segmentation, with addresses (`www.example.org`) split at their stops.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let words = segmented_by_rules(text);
    let is_address = |word: &str| {
        word.contains('.')
            && word
                .split('.')
                .any(|part| part.chars().count() > 2 && part.chars().all(char::is_alphabetic))
    };
    if !words.iter().any(|word| is_address(&text[word.clone()])) {
        return words;
    }
    let mut parts = Vec::with_capacity(words.len());
    for word in words {
        if !is_address(&text[word.clone()]) {
            parts.push(word);
            continue;
        }
        let mut start = word.start;
        for part in text[word].split('.') {
            if !part.is_empty() {
                parts.push(start..start + part.len());
            }
            start += part.len() + 1;
        }
    }
    parts
}

/// Words by Unicode segmentation with a letter or a digit. The pieces of a run of kana, or of a
/// script without blanks, are joined: segmentation without a dictionary would split them at every
/// character.
fn segmented_by_rules(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = 0;
    // No word crosses the end of a line, and most lines are ASCII, which is segmented ten times
    // faster.
    for line in text.split_inclusive('\n') {
        if line.is_ascii() {
            let found = line.unicode_word_indices();
            words.extend(found.map(|(at, word)| start + at..start + at + word.len()));
        } else {
            joined(line, start, &mut words);
        }
        start += line.len();
    }
    words
}

/// The same, with runs of scripts that a model segments divided.
#[cfg(feature = "languages")]
pub(super) fn segmented(text: &str) -> Vec<Range<usize>> {
    use icu_segmenter::WordSegmenter;

    let is_modelled = |c: char| {
        use Unspaced::{Burmese, Khmer, Lao, Thai};
        matches!(unspaced(c), Some(Thai | Lao | Khmer | Burmese))
    };
    let segmenter = WordSegmenter::new_lstm(Default::default());
    let mut words = Vec::new();
    for range in segmented_by_rules(text) {
        let word = &text[range.clone()];
        if !word.starts_with(is_modelled) {
            words.push(range);
            continue;
        }
        let ends = segmenter.segment_str(word).collect::<Vec<usize>>();
        let pieces = ends.windows(2).filter_map(|pair| match pair {
            [from, to] => Some(range.start + from..range.start + to),
            _ => None,
        });
        words.extend(pieces.filter(|it| text[it.clone()].chars().any(char::is_alphanumeric)));
    }
    words
}

/// Without the models; a scenario that needs them is refused before.
#[cfg(not(feature = "languages"))]
pub(super) fn segmented(text: &str) -> Vec<Range<usize>> {
    segmented_by_rules(text)
}

/// The words of a line, with the pieces of a run joined.
fn joined(line: &str, start: usize, words: &mut Vec<Range<usize>>) {
    let mut last_run = None;
    for (at, piece) in line.split_word_bound_indices() {
        let run = piece.chars().next().and_then(unspaced);
        let (at, end) = (start + at, start + at + piece.len());
        match words.last_mut() {
            Some(last) if run.is_some() && run == last_run && last.end == at => last.end = end,
            _ if piece.chars().any(char::is_alphanumeric) => words.push(at..end),
            _ => {
                last_run = None;
                continue;
            }
        }
        last_run = run;
    }
}

/// Whether the script of `c` is written without separators between words, including ideographs.
pub(super) fn is_unspaced(c: char) -> bool {
    unspaced(c).is_some()
        || matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' | '々' | '〇')
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Unspaced {
    Hiragana,
    Katakana,
    Thai,
    Lao,
    Burmese,
    Khmer,
}

fn unspaced(c: char) -> Option<Unspaced> {
    Some(match c {
        '\u{3041}'..='\u{309f}' => Unspaced::Hiragana,
        '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{ff66}'..='\u{ff9f}' => Unspaced::Katakana,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' => Unspaced::Thai,
        '\u{e81}'..='\u{ecd}' | '\u{edc}'..='\u{edf}' => Unspaced::Lao,
        '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{109f}' => Unspaced::Burmese,
        '\u{1780}'..='\u{17d3}' => Unspaced::Khmer,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        parts(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn compounds_dates_and_times_are_one_word() {
        let read = |text: &str| -> usize { sensible(text, &parts(text)).len() };
        for (text, count) in [
            ("a well-known state-of-the-art mother-in-law", 4),
            ("see www.example.org or b.c", 4),
            ("Müller‑Lüdenscheidt and Sonntags-Essen", 3),
            ("from 7:00 to 15/06/2023 or 2024-05-31", 6),
            ("3-5 and/or a-b", 4),
            ("We came—late - and left", 5),
            ("one- and two-part", 3),
            ("第-一", 2),
        ] {
            assert_eq!(read(text), count, "{text}");
        }
    }

    #[test]
    fn unspaced_scripts_are_split_without_a_dictionary() {
        assert_eq!(words("東京へ行きます。"), ["東", "京", "へ", "行", "きます"]);
        assert_eq!(words("スーパーでコーヒー"), ["スーパー", "で", "コーヒー"]);
        assert_eq!(words("abc中文def"), ["abc", "中", "文", "def"]);
        assert_eq!(words("한국어 단어"), ["한국어", "단어"]);
    }

    #[test]
    fn punctuation_is_not_a_word() {
        assert_eq!(words("a -- b / c & 😀"), ["a", "b", "c"]);
        assert_eq!(words("O'Neill’s 1,000.5 _x_"), ["O'Neill’s", "1,000.5", "_x_"]);
    }
    proptest::proptest! {
        #[test]
        fn ascii_lines_follow_unicode_rules(text in "[a-cA-C0-2_.,:;'’\"/ \t\r\nßか中\u{301}\u{200d}-]{0,60}") {
            let mut whole = Vec::new();
            joined(&text, 0, &mut whole);
            proptest::prop_assert_eq!(segmented_by_rules(&text), whole);
        }
    }
}
