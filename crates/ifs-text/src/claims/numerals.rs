//! The values of numbers in digits and in words: English, German and Chinese.

use super::tokens::{Token, TokenKind};

/// How commas and points in digits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separators {
    /// `1,234.5`
    English,
    /// `1.234,5`
    German,
}

/// The value of digits with separators. A single comma that does not group thousands is a decimal
/// comma.
pub(super) fn value_of_digits(text: &str, separators: Separators) -> Option<f64> {
    let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '_' | ' ')).collect();
    let groups = |mark: char| {
        let mut parts = plain.split(mark);
        let first = parts.next().unwrap_or("");
        let starts = (1..=3).contains(&first.len()) && !first.starts_with('0');
        starts
            && parts.all(|part| part.split(['.', ',']).next().is_some_and(|part| part.len() == 3))
    };
    let (commas, points) = (plain.matches(',').count(), plain.matches('.').count());
    let number = match (commas, points) {
        (0, 0) => plain,
        (0, 1) if separators == Separators::German && groups('.') => plain.replace('.', ""),
        (0, 1) => plain,
        (0, _) if groups('.') => plain.replace('.', ""),
        (1, 0) if separators == Separators::German || !groups(',') => plain.replace(',', "."),
        (_, 0) if groups(',') => plain.replace(',', ""),
        (1, _) if plain.rfind(',') > plain.rfind('.') && groups('.') => {
            plain.replace('.', "").replace(',', ".")
        }
        (_, 1) if plain.rfind('.') > plain.rfind(',') && groups(',') => plain.replace(',', ""),
        _ => return None,
    };
    number.parse().ok()
}

/// A number in words at a token, with its end.
pub(super) fn in_words(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let token = tokens.get(at)?;
    match token.kind {
        TokenKind::Word => english(tokens, at).or_else(|| german_with_fraction(tokens, at)),
        TokenKind::Han => chinese(tokens, at),
        TokenKind::Digits | TokenKind::Mark => None,
    }
}

const SMALL: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: &[&str] =
    &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

fn place(list: &[&str], word: &str) -> Option<f64> {
    list.iter().position(|other| *other == word).map(|at| at as f64)
}

fn magnitude(word: &str) -> Option<f64> {
    Some(match word {
        "hundred" => 100.0,
        "thousand" | "k" => 1e3,
        "million" | "millions" | "mio" | "millionen" => 1e6,
        "billion" | "milliarde" | "milliarden" => 1e9,
        _ => return None,
    })
}

fn english(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let word = |at: usize| tokens.get(at).filter(|token| token.kind == TokenKind::Word);
    let text = |at: usize| word(at).map_or("", |token| token.text.as_str());
    if text(at) == "half" && text(at + 1) == "a" && text(at + 2) == "dozen" {
        return Some((6.0, at + 3));
    }
    let article = matches!(text(at), "a" | "an")
        && matches!(text(at + 1), "hundred" | "thousand" | "million" | "dozen");
    if text(at) == "dozen" || (article && text(at + 1) == "dozen") {
        return Some((12.0, at + 1 + usize::from(article)));
    }
    let (mut total, mut part, mut end) = (0.0, 0.0, at);
    let mut seen = false;
    let mut position = at;
    if article {
        (part, seen, position) = (1.0, true, at + 1);
    }
    loop {
        let here = text(position);
        if let Some(small) = place(SMALL, here) {
            // `twenty-one`, but not `one two`.
            if seen
                && (part % 10.0 != 0.0 || (part % 100.0 != 0.0 && small >= 10.0) || small == 0.0)
            {
                break;
            }
            part += small;
        } else if let Some(tens) = place(TENS, here) {
            if seen && part % 100.0 != 0.0 {
                break;
            }
            part += 10.0 * (tens + 2.0);
        } else if let Some(factor) = magnitude(here).filter(|_| seen && here != "k") {
            if factor == 100.0 {
                part *= 100.0;
            } else {
                total += part * factor;
                part = 0.0;
            }
        } else if total > 0.0
            && part == 0.0
            && tokens.get(position).is_some_and(|token| token.is_mark(',') && !token.spaced)
            && is_hundreds(tokens, position + 1)
        {
            // `one thousand, two hundred and fifty`
            position += 1;
            continue;
        } else if here == "and"
            && seen
            && (part >= 100.0 && part % 100.0 == 0.0 || (total > 0.0 && part == 0.0))
            && (place(SMALL, text(position + 1)).is_some()
                || place(TENS, text(position + 1)).is_some())
        {
            position += 1;
            continue;
        } else {
            break;
        }
        seen = true;
        position += 1;
        end = position;
        // A hyphen inside `twenty-one`.
        if tokens.get(position).is_some_and(|token| token.is_mark('-') && !token.spaced)
            && word(position + 1).is_some_and(|next| {
                !next.spaced
                    && (place(SMALL, &next.text).is_some() || magnitude(&next.text).is_some())
            })
        {
            position += 1;
        }
    }
    if !seen || end == at {
        return None;
    }
    let whole = total + part;
    if text(end) == "and" && text(end + 1) == "a" && text(end + 2) == "half" {
        return Some((whole + 0.5, end + 3));
    }
    if text(end) == "point" {
        let mut digits = String::new();
        let mut next = end + 1;
        while let Some(digit) = place(SMALL, text(next)).filter(|digit| *digit < 10.0) {
            digits.push_str(&digit.to_string());
            next += 1;
        }
        if let Ok(fraction) = format!("0.{digits}").parse::<f64>()
            && !digits.is_empty()
        {
            return Some((whole + fraction, next));
        }
    }
    Some((whole, end))
}

/// Whether a number of hundreds in words begins at a token.
fn is_hundreds(tokens: &[Token], at: usize) -> bool {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    place(SMALL, text(at)).is_some() && text(at + 1) == "hundred"
}

const GERMAN_SMALL: &[&str] = &[
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
];
const GERMAN_TENS: &[&str] =
    &["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"];

/// A German number with its fraction: `zwei Komma fünf`.
fn german_with_fraction(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let whole = german(text(at))?;
    let mut digits = String::new();
    let mut end = at + 2;
    while let Some(digit) =
        german(text(end)).filter(|digit| *digit < 10.0 && text(at + 1) == "komma")
    {
        digits.push_str(&digit.to_string());
        end += 1;
    }
    match format!("0.{digits}").parse::<f64>() {
        Ok(fraction) if !digits.is_empty() => Some((whole + fraction, end)),
        _ => Some((whole, at + 1)),
    }
}

/// The value of a German number, which is one word. `ein` and its forms are articles.
fn german(word: &str) -> Option<f64> {
    let word = word.replace("dreissig", "dreißig").replace("zwo", "zwei");
    match word.as_str() {
        "eins" => return Some(1.0),
        "ein" | "zweimal" => return None,
        "dutzend" => return Some(12.0),
        "anderthalb" | "eineinhalb" => return Some(1.5),
        _ => {}
    }
    if let Some(whole) = word.strip_suffix("einhalb").filter(|whole| !whole.is_empty()) {
        return german(whole).map(|whole| whole + 0.5);
    }
    if let Some(times) =
        word.strip_suffix("mal").filter(|times| !times.is_empty() && *times != "zwei")
    {
        return german(times);
    }
    // Only words that begin with a number are read further.
    let starts = GERMAN_SMALL.iter().chain(GERMAN_TENS).any(|start| word.starts_with(start))
        || word.starts_with("hundert")
        || word.starts_with("tausend");
    if starts { german_below_million(&word) } else { None }
}

fn german_below_million(word: &str) -> Option<f64> {
    match word.split_once("tausend") {
        Some((thousands, rest)) => {
            let thousands =
                if thousands.is_empty() { 1.0 } else { german_below_thousand(thousands)? };
            let rest = if rest.is_empty() { 0.0 } else { german_below_thousand(rest)? };
            Some(1000.0 * thousands + rest)
        }
        None => german_below_thousand(word),
    }
}

fn german_below_thousand(word: &str) -> Option<f64> {
    let word = word.strip_prefix("und").unwrap_or(word);
    match word.split_once("hundert") {
        Some((hundreds, rest)) => {
            let hundreds = if hundreds.is_empty() { 1.0 } else { place(GERMAN_SMALL, hundreds)? };
            let rest = if rest.is_empty() {
                0.0
            } else {
                german_below_hundred(rest.strip_prefix("und").unwrap_or(rest))?
            };
            Some(100.0 * hundreds + rest)
        }
        None => german_below_hundred(word),
    }
}

fn german_below_hundred(word: &str) -> Option<f64> {
    if word == "eins" {
        return Some(1.0);
    }
    if let Some(small) = place(GERMAN_SMALL, word) {
        return Some(small);
    }
    let tens = GERMAN_TENS.iter().position(|tens| word.ends_with(tens))?;
    let head = word.strip_suffix(GERMAN_TENS[tens])?;
    let ones = match head.strip_suffix("und") {
        Some(ones) => place(GERMAN_SMALL, ones).filter(|ones| (1.0..10.0).contains(ones))?,
        None if head.is_empty() => 0.0,
        None => return None,
    };
    Some(10.0 * (tens as f64 + 2.0) + ones)
}

fn han_digit(c: &str) -> Option<f64> {
    Some(match c {
        "零" | "〇" => 0.0,
        "一" => 1.0,
        "二" | "两" | "俩" => 2.0,
        "三" => 3.0,
        "四" => 4.0,
        "五" => 5.0,
        "六" => 6.0,
        "七" => 7.0,
        "八" => 8.0,
        "九" => 9.0,
        _ => return None,
    })
}

fn han_unit(c: &str) -> Option<f64> {
    Some(match c {
        "十" => 10.0,
        "百" => 100.0,
        "千" => 1000.0,
        _ => return None,
    })
}

/// A Chinese number: `一百零五`, `两万三千`, `四十五点五`.
fn chinese(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let (mut total, mut section, mut digit, mut end) = (0.0, 0.0, None::<f64>, at);
    let mut last_unit = 1.0;
    while end < tokens.len() {
        let here = text(end);
        if let Some(value) = han_digit(here) {
            // Two digits in a row are a number that is read digit by digit, except after zero.
            if digit.is_some_and(|digit| digit != 0.0) {
                return digit_by_digit(tokens, at);
            }
            digit = Some(value);
        } else if let Some(unit) = han_unit(here) {
            section += digit.unwrap_or(1.0) * unit;
            (digit, last_unit) = (None, unit);
        } else if let "万" | "亿" = here {
            if end == at {
                return None;
            }
            let factor = if here == "万" { 1e4 } else { 1e8 };
            total += (section + digit.unwrap_or(0.0)) * factor;
            (section, digit, last_unit) = (0.0, None, factor);
        } else {
            break;
        }
        end += 1;
    }
    if end == at {
        return None;
    }
    // `一百五` is 150.
    let zero_before = end >= 2 && matches!(text(end - 2), "零" | "〇");
    let tail = match digit {
        Some(value) if last_unit >= 100.0 && end - at >= 3 && !zero_before => {
            value * last_unit / 10.0
        }
        Some(value) => value,
        None => 0.0,
    };
    let whole = total + section + tail;
    // `两个半小时`, `两点半` is a time.
    if text(end) == "个" && text(end + 1) == "半" {
        return Some((whole + 0.5, end + 2));
    }
    if text(end) == "点"
        && han_digit(text(end + 1)).is_some()
        && han_unit(text(end + 2)).is_none()
        && !matches!(text(end + 2), "分" | "刻")
    {
        let mut digits = String::new();
        let mut next = end + 1;
        while let Some(value) = han_digit(text(next)) {
            digits.push_str(&value.to_string());
            next += 1;
        }
        return format!("0.{digits}").parse::<f64>().ok().map(|fraction| (whole + fraction, next));
    }
    Some((whole, end))
}

fn digit_by_digit(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let mut digits = String::new();
    let mut end = at;
    while let Some(value) = tokens.get(end).and_then(|token| han_digit(&token.text)) {
        digits.push_str(&value.to_string());
        end += 1;
    }
    digits.parse().ok().map(|value| (value, end))
}

/// The factor that a word or a character after digits multiplies them by: `7万`, `70k`, `2 million`.
pub(super) fn factor_after(token: &Token, is_adjacent: bool) -> Option<f64> {
    match token.text.as_str() {
        "万" => Some(1e4),
        "亿" => Some(1e8),
        "千" if is_adjacent => Some(1e3),
        "百" if is_adjacent => Some(1e2),
        "k" if is_adjacent => Some(1e3),
        "tausend" | "tsd" => Some(1e3),
        "hundert" => Some(100.0),
        word => magnitude(word).filter(|_| word != "k"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    #[test]
    fn numbers_in_words() {
        for (text, value) in [
            ("thirty", 30.0),
            ("twenty-one", 21.0),
            ("one hundred and five", 105.0),
            ("a hundred", 100.0),
            ("two thousand three hundred", 2300.0),
            ("ninety thousand", 90000.0),
            ("three point five", 3.5),
            ("half a dozen", 6.0),
            ("dreißig", 30.0),
            ("einundzwanzig", 21.0),
            ("hundertfünf", 105.0),
            ("zweitausenddreihundert", 2300.0),
            ("neunzigtausend", 90000.0),
            ("siebzehn", 17.0),
            ("two and a half", 2.5),
            ("one thousand, two hundred and fifty", 1250.0),
            ("zweieinhalb", 2.5),
            ("anderthalb", 1.5),
            ("zwei Komma fünf", 2.5),
            ("siebenmal", 7.0),
            ("两个半", 2.5),
            ("三十", 30.0),
            ("十二", 12.0),
            ("一百零五", 105.0),
            ("一百五", 150.0),
            ("两万三千", 23000.0),
            ("九万", 90000.0),
            ("一百二十四", 124.0),
            ("三点五", 3.5),
            ("一二四", 124.0),
        ] {
            let read = tokens(text);
            assert_eq!(in_words(&read, 0), Some((value, read.len())), "{text}");
        }
        for text in ["and", "hundred", "eine", "zweifel", "achtung", "人", "often", "万一"] {
            assert_eq!(in_words(&tokens(text), 0), None, "{text}");
        }
    }

    #[test]
    fn separators() {
        use Separators::{English, German};
        for (text, separators, value) in [
            ("1,234.5", English, 1234.5),
            ("1.234,5", English, 1234.5),
            ("90,000", English, 90000.0),
            ("90.000", German, 90000.0),
            ("30.000", English, 30.0),
            ("28,57", English, 28.57),
            ("28.57", German, 28.57),
            ("1,234", German, 1.234),
            ("0,5", English, 0.5),
            ("90 000", English, 90000.0),
            ("1.234.567", English, 1234567.0),
            ("90'000", English, 90000.0),
        ] {
            assert_eq!(value_of_digits(text, separators), Some(value), "{text}");
        }
        assert_eq!(value_of_digits("1.2.3", English), None);
    }
}
