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
        let long = rest.trim_start_matches(|c| is_decimal(c) || matches!(c, '.' | ','));
        let run = rest[..rest.len() - long.len()].trim_end_matches(['.', ',']);
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

/// The value of a number in the form of [`super::Unit::Number`]; `None` for anything else.
pub fn value(number: &str) -> Option<f64> {
    let (sign, digits) = match number.strip_prefix(SIGNS) {
        Some(digits) => (&number[..number.len() - digits.len()], digits),
        None => ("", number),
    };
    let mut plain = String::with_capacity(digits.len());
    for c in digits.chars() {
        match c {
            ',' => {}
            '.' => plain.push('.'),
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
    }

    #[test]
    fn values_are_read_back() {
        for (text, worth) in
            [("1,234.5", 1234.5), ("−7", -7.0), ("+3", 3.0), ("٣٤", 34.0), ("𝟙𝟚", 12.0), ("𑛛", 1.0)]
        {
            assert_eq!(value(text), Some(worth), "{text}");
        }
        for text in ["", "-", "a", "1.2.3", ".", "--1"] {
            assert_eq!(value(text), None, "{text}");
        }
    }
}
