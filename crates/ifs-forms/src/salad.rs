//! Words that mean nothing in the form of a text.

use ifs_text::{Text, Unit};

/// The text with every word and number replaced by another one of the same length, in the same
/// letters and capitals. Signs, marks, line ends, emoji, tags, the names of JSON's fields and the
/// labels of answers are kept: they are demanded by the message.
pub fn salad(text: &str) -> String {
    changed(text, &mut |word, at| scrambled(word, at))
}

/// The text with the same word in place of every word, and sevens in place of digits.
pub fn one_word_everywhere(text: &str) -> String {
    changed(text, &mut |word, _| {
        let first = word.chars().next();
        match first {
            Some(first) if first.is_numeric() => "7".repeat(word.chars().count()),
            Some(first) if is_han(first) => "窗".repeat(word.chars().count()),
            Some(first) if first.is_uppercase() => "Window".to_owned(),
            Some(_) => "window".to_owned(),
            None => String::new(),
        }
    })
}

fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}')
}

/// The text with its words and numbers changed by a function of each and its position.
fn changed(text: &str, change: &mut dyn FnMut(&str, usize) -> String) -> String {
    let (is_json, is_markup) = (super::is_json(text), super::is_markup(text));
    let label = super::payload(text).map_or(0, |(before, _)| before.len());
    let label_line = text[..label].rfind('\n').map_or(0, |at| at + 1);
    let read = Text::new(text);
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    let mut count = 0;
    for range in read.units(Unit::WordPattern) {
        let word = &text[range.clone()];
        let is_kept = (range.start < label && range.start >= label_line)
            || (is_json && is_field(text, range.end))
            || (is_json
                && matches!(word, "true" | "false" | "null")
                && !is_quoted(text, range.start))
            || (is_markup && is_in_tag(text, range.start))
            || is_list_number(text, range.start, range.end);
        if is_kept {
            continue;
        }
        result.push_str(&text[end..range.start]);
        result.push_str(&change(word, count));
        end = range.end;
        count += 1;
    }
    result.push_str(&text[end..]);
    result
}

/// Whether a word is in a string of JSON that names a field: a colon follows its quotation mark.
fn is_field(text: &str, end: usize) -> bool {
    let rest = &text[end..];
    let Some(quote) = rest.find('"') else { return false };
    !rest[..quote].contains('\n') && rest[quote + 1..].trim_start().starts_with(':')
}

fn is_quoted(text: &str, start: usize) -> bool {
    text[..start].matches('"').count() % 2 == 1
}

fn is_in_tag(text: &str, start: usize) -> bool {
    let before = &text[..start];
    before.rfind('<') > before.rfind('>')
}

fn is_list_number(text: &str, start: usize, end: usize) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or("");
    line.trim().is_empty()
        && text[end..].starts_with(['.', ')'])
        && text[start..end].chars().all(|digit| digit.is_ascii_digit())
}

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
const CONSONANTS: [char; 14] =
    ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z'];
const CYRILLIC: [char; 8] = ['о', 'а', 'е', 'н', 'т', 'р', 'в', 'л'];
const HAN: [char; 24] = [
    '石', '马', '茶', '瓜', '铜', '黑', '左', '晚', '远', '母', '云', '木', '鱼', '灯', '纸', '盐',
    '河', '鸟', '衣', '门', '牛', '豆', '沙', '竹',
];

/// A word of the same length and capitals that means nothing; a number of as many digits.
fn scrambled(word: &str, at: usize) -> String {
    let mut letters = 0;
    let changed = word.chars().map(|letter| {
        letters += 1;
        let step = at * 7 + letters * 3;
        if let Some(digit) = letter.to_digit(10) {
            // Never the same digit, and no zero at the beginning.
            let other = (digit + 3 + (step as u32 % 3) * 2) % 10;
            let other = if other == 0 && letters == 1 { 4 } else { other };
            return char::from_digit(other, 10).unwrap_or(letter);
        }
        if is_han(letter) {
            let other = HAN[step % HAN.len()];
            return if other == letter { HAN[(step + 1) % HAN.len()] } else { other };
        }
        let small = letter.to_lowercase().next().unwrap_or(letter);
        let other = if !letter.is_alphabetic() {
            letter
        } else if matches!(small, '\u{400}'..='\u{4ff}') {
            CYRILLIC[step % CYRILLIC.len()]
        } else if VOWELS.contains(&small) || !small.is_ascii() {
            VOWELS[(step + small as usize) % VOWELS.len()]
        } else {
            CONSONANTS[(step + small as usize) % CONSONANTS.len()]
        };
        if letter.is_uppercase() { other.to_uppercase().next().unwrap_or(other) } else { other }
    });
    let result: String = changed.collect();
    // A single letter may have met itself.
    match result == word && word.chars().any(char::is_alphabetic) {
        true => scrambled(word, at + 1),
        false => result,
    }
}

#[cfg(test)]
mod tests {
    use super::{one_word_everywhere, salad};

    #[test]
    fn the_form_is_kept_and_no_word() {
        for text in [
            "The Gulls lead 101 to 99.",
            "1. First item\n2. Second one\n",
            "哈坎-格里夫得了2分。",
            "{\"name\": \"Ann Lee\", \"age\": 7, \"ok\": true}",
            "<p>So <b>it</b> is.</p>",
            "So.\nAnswer: 30",
            "🌙 **Bold** words",
            "a",
            "",
        ] {
            let salad = salad(text);
            assert_eq!(salad.chars().count(), text.chars().count(), "{text:?} {salad:?}");
            let words = |text: &str| -> Vec<String> {
                text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect()
            };
            let kept = words(text)
                .into_iter()
                .zip(words(&salad))
                .filter(|(one, other)| one == other && !one.is_empty() && one.chars().count() > 2);
            let kept: Vec<String> = kept.map(|(one, _)| one).collect();
            let fields = ["name", "age", "true", "Answer"].map(str::to_owned);
            assert!(kept.iter().all(|word| fields.contains(word)), "{text:?} {salad:?} {kept:?}");
        }
        assert!(salad("{\"name\": \"Ann\"}").starts_with("{\"name\": \""));
        assert!(salad("<p>So</p>").starts_with("<p>"));
        assert!(salad("So.\nAnswer: 30").contains("Answer: "));
        assert!(!salad("Answer: 30").contains("30"));
        assert_eq!(one_word_everywhere("The Gulls: 3."), "Window Window: 7.");
    }
}
