//! Numbers in digits, and their values.

use std::ops::Range;

use super::python::{is_decimal, is_word};

/// Numbers with sign, thousands separators and decimals.
pub(super) fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(is_decimal) {
        let start = at + found;
        let rest = &text[start..];
        let run = rest[..run_length(rest)].trim_end_matches(['.', ',']);
        at = start + run.len();
        let before = &text[..start];
        if before.ends_with(|c| is_word(c) && !super::words::is_unspaced(c)) {
            continue;
        }
        if before.ends_with('.') && before[..before.len() - 1].ends_with(is_word) {
            continue;
        }
        split_run(run, start, signed(before), &mut numbers);
    }
    numbers
}

/// Blanks and apostrophes between groups of three digits.
const GROUP_MARKS: [char; 5] = ['\u{a0}', '\u{202f}', '\u{2009}', '\'', '’'];

/// The length of the digits at the start of a text, with points and commas, and with marks between groups of three.
fn run_length(text: &str) -> usize {
    let mut is_digit = false;
    for (at, c) in text.char_indices() {
        let groups = || {
            let after = text[at + c.len_utf8()..].chars().take(4).take_while(|c| is_decimal(*c));
            GROUP_MARKS.contains(&c) && is_digit && after.count() == 3
        };
        if !(is_decimal(c) || matches!(c, '.' | ',') || groups()) {
            return at;
        }
        is_digit = is_decimal(c);
    }
    text.len()
}

/// Whether a run is one number with groups of three digits between these marks, and decimals behind `point`.
fn is_grouped(run: &str, marks: &[char], point: char) -> bool {
    let (whole, decimals) = run.split_once(point).unwrap_or((run, "0"));
    let mut groups =
        whole.split(marks).map(|group| group.chars().filter(|c| is_decimal(*c)).count());
    let first = groups.next().unwrap_or(0);
    let mut rest = groups.peekable();
    (1..=3).contains(&first)
        && rest.peek().is_some()
        && rest.all(|digits| digits == 3)
        && !decimals.is_empty()
        && decimals.chars().all(is_decimal)
        && whole.chars().all(|c| is_decimal(c) || marks.contains(&c))
}

/// Whether a number has its decimals behind a comma: `1.200,50`, `1 200,5`.
fn has_decimal_comma(number: &str) -> bool {
    number.contains(',')
        && (is_grouped(number, &['.'], ',')
            || !number.contains('.') && is_grouped(number, &GROUP_MARKS, ','))
}

/// The value of a number in the form of [`super::Unit::Number`]; `None` for anything else.
pub fn value(number: &str) -> Option<f64> {
    let (sign, digits) = match number.strip_prefix(SIGNS) {
        Some(digits) => (&number[..number.len() - digits.len()], digits),
        None => ("", number),
    };
    let point = if has_decimal_comma(digits) { ',' } else { '.' };
    let mut plain = String::with_capacity(digits.len());
    for c in digits.chars() {
        match c {
            c if c == point => plain.push('.'),
            ',' | '.' => {}
            c if GROUP_MARKS.contains(&c) => {}
            _ => plain.push(char::from_digit(digit(c)?, 10)?),
        }
    }
    if !plain.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value: f64 = plain.parse().ok()?;
    Some(if matches!(sign, "-" | "−") { -value } else { value })
}

const SIGNS: [char; 3] = ['-', '−', '+'];

/// The value of a decimal digit of any script: Unicode has them in blocks of ten from zero, up to
/// five of which are adjacent.
pub fn digit(c: char) -> Option<u32> {
    if c.is_ascii() || !is_decimal(c) {
        return c.to_digit(10);
    }
    let before = (0..u32::from(c)).rev();
    let rank = before.take_while(|code| char::from_u32(*code).is_some_and(is_decimal)).count();
    u32::try_from(rank % 10).ok()
}

/// The length of the sign of a number: no word, number or closing mark may precede it.
fn signed(before: &str) -> usize {
    let Some(sign) = before.chars().next_back().filter(|c| SIGNS.contains(c)) else {
        return 0;
    };
    let outside = &before[..before.len() - sign.len_utf8()];
    let binds = outside.ends_with(|c: char| is_word(c) || matches!(c, ')' | ']' | '%'))
        || outside.ends_with(SIGNS);
    if binds { 0 } else { sign.len_utf8() }
}

/// Splits a run of digits, points and commas into numbers. Commas separate thousands if all groups
/// after the first have three digits, and numbers otherwise; a run with two points is not a number.
fn split_run(run: &str, start: usize, sign: usize, numbers: &mut Vec<Range<usize>>) {
    let has_marks = run.contains(GROUP_MARKS);
    if has_decimal_comma(run) || has_marks && is_grouped(run, &GROUP_MARKS, '.') {
        numbers.push(start - sign..start + run.len());
        return;
    }
    if has_marks {
        let (mut at, mut sign) = (start, sign);
        for piece in run.split(GROUP_MARKS) {
            split_run(piece, at, sign, numbers);
            let mark = run[at - start + piece.len()..].chars().next().map_or(0, char::len_utf8);
            at += piece.len() + mark;
            sign = 0;
        }
        return;
    }
    let whole = run.split('.').next().unwrap_or(run);
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or(whole).chars().count();
    let grouped = (1..=3).contains(&first) && groups.all(|group| group.chars().count() == 3);
    let rest_has_commas = run[whole.len()..].contains(',');
    if grouped && !rest_has_commas {
        if run.matches('.').count() < 2 {
            numbers.push(start - sign..start + run.len());
        }
        return;
    }
    let mut at = start;
    for (index, piece) in run.split(',').enumerate() {
        let is_number = !piece.is_empty()
            && piece.starts_with(is_decimal)
            && piece.ends_with(is_decimal)
            && piece.matches('.').count() < 2;
        if is_number {
            let sign = if index == 0 { sign } else { 0 };
            numbers.push(at - sign..at + piece.len());
        }
        at += piece.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<&str> {
        numbers(text).into_iter().map(|r| &text[r]).collect()
    }

    #[test]
    fn signs_and_separators() {
        assert_eq!(
            read("-5 +3 −2 (-1) a-4 7-8 5, 6. $1,234,567.89"),
            ["-5", "+3", "−2", "-1", "4", "7", "8", "5", "6", "1,234,567.89"]
        );
        assert_eq!(read("10,20 12,345 1234,567"), ["10", "20", "12,345", "1234", "567"]);
        assert_eq!(read("192.168.0.1 ver1.2 3.14.15 .5"), ["5"]);
        assert_eq!(read("第5章"), ["5"]);
        assert_eq!(read("1.200,50 € und 3"), ["1.200,50", "3"]);
        assert_eq!(read("1\u{a0}200 1’200 1'200,5"), ["1\u{a0}200", "1’200", "1'200,5"]);
        assert_eq!(read("2024\u{a0}100 5'4"), ["2024", "100", "5", "4"]);
    }

    #[test]
    fn values_are_read_back() {
        for (text, worth) in [
            ("1,234.5", 1234.5),
            ("−7", -7.0),
            ("+3", 3.0),
            ("٣٤", 34.0),
            ("𝟙𝟚", 12.0),
            ("𑛛", 1.0),
            ("1.200,50", 1200.5),
            ("1\u{202f}200", 1200.0),
            ("-1’200,5", -1200.5),
        ] {
            assert_eq!(value(text), Some(worth), "{text}");
        }
        for text in ["", "-", "a", "1.2.3", ".", "--1"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
