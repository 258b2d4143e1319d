//! The same numbers, times and names in other forms. What an answer says in values only a fact reads.

use std::sync::LazyLock;

use ifs_text::{Aspect, Aspects, Text, Unit};
use regex::{Captures, Regex};

use super::{
    ALL, ANSWER, Apply, BaseText, Form, FormGroup, Tongue, has_marks, is_formatted, is_one_line,
};

const fn value(
    name: &'static str,
    doc: &'static str,
    example: (&'static str, &'static str),
    apply: fn(&BaseText<'_>) -> Option<String>,
) -> Form {
    Form {
        name,
        group: FormGroup::Values,
        doc,
        example,
        touches: Aspects::of(&[
            Aspect::Values,
            Aspect::Characters,
            Aspect::Letters,
            Aspect::Start,
            Aspect::End,
        ]),
        subjects: ANSWER,
        apply: Apply::Text(apply),
    }
}

pub(crate) const FORMS: &[Form] = &[
    value(
        "separators",
        "Separators of thousands; not in a year, nor in a longer expression.",
        ("70000", "70,000"),
        |base| each_number(base, separated),
    ),
    value(
        "number_words",
        "Whole numbers below a hundred in words: in English, Chinese and German.",
        ("Orders: 6", "Orders: six"),
        |base| each_number(base, in_words),
    ),
    value("clock_zero", "A zero before the minutes of a clock.", ("at 5:18", "at 05:18"), |base| {
        replaced(base, &CLOCK, |found| format!("{}0{}", &found[1], &found[2]))
    }),
    value(
        "clock_period",
        "The period of a clock in words.",
        ("Q1 5:18", "1st quarter, 5:18"),
        |base| {
            replaced(base, &PERIOD, |found| {
                let number = found[1].parse().unwrap_or(0);
                match base.tongue {
                    Tongue::Chinese => format!("第{}节{}", chinese(number), &found[2]),
                    _ => format!("{} quarter, {}", ordinal(number), &found[2]),
                }
            })
        },
    ),
    value("clock_after", "The period after the clock.", ("Q1 5:18", "5:18 Q1"), |base| {
        replaced(base, &PERIOD, |found| format!("{} Q{}", &found[2], &found[1]))
    }),
    value(
        "last_names",
        "Names without first names, where a list of the scenario has them once.",
        ("Cole Jarvis, 2", "Jarvis, 2"),
        last_names,
    ),
    value("percent_sign", "A percent sign right after its number.", ("28.5 %", "28.5%"), |base| {
        replaced(base, &PERCENT, |found| format!("{}%", &found[1]))
    }),
    value("case_of_yes", "A yes or no in other letters.", ("Yes", "yes"), case_of_yes),
    Form {
        name: "final_stop",
        group: FormGroup::Values,
        doc: "A full stop after an answer of one line without one.",
        example: ("It is 30", "It is 30."),
        touches: Aspects::of(&[
            Aspect::End,
            Aspect::Characters,
            Aspect::Signs,
            Aspect::Sentences,
            Aspect::Format,
        ]),
        subjects: ALL,
        apply: Apply::Text(final_stop),
    },
];

fn pattern(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static CLOCK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(^|[^\d:.])(\d:[0-5]\d(?:\.\d)?)(?:\b)"));
static PERIOD: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\bQ([1-4]),? (\d{1,2}:[0-5]\d(?:\.\d)?)\b"));
static PERCENT: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(\d) %"));

/// An answer with every match of a pattern replaced.
fn replaced(
    base: &BaseText<'_>,
    pattern: &LazyLock<Option<Regex>>,
    by: impl Fn(&Captures<'_>) -> String,
) -> Option<String> {
    let pattern = pattern.as_ref()?;
    Some(pattern.replace_all(base.text, |found: &Captures<'_>| by(found)).into_owned())
}

/// An answer with its separate whole numbers in another form: not in dates, clocks, codes and marks
/// of lists.
fn each_number(
    base: &BaseText<'_>,
    form: fn(&BaseText<'_>, u64, &str) -> Option<String>,
) -> Option<String> {
    let text = base.text;
    if text.contains(['{', '=', '`', '[', '<', '\\']) {
        return None;
    }
    let mut result = String::with_capacity(text.len());
    let mut end = 0;
    for range in Text::new(text).units(Unit::Number) {
        let (digits, before, after) =
            (&text[range.clone()], &text[..range.start], &text[range.end..]);
        if !is_separate(before, after) {
            continue;
        }
        let Ok(number) = digits.parse() else { continue };
        if let Some(other) = form(base, number, after) {
            result.push_str(&text[end..range.start]);
            result.push_str(&other);
            end = range.end;
        }
    }
    result.push_str(&text[end..]);
    Some(result)
}

fn is_separate(before: &str, after: &str) -> bool {
    let line_start = before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
    let is_mark = line_start && after.starts_with(['.', ')', '、']);
    let mut next = after.chars();
    let joined = match next.next() {
        Some('.' | ',' | ':' | '/' | '-') => next.next().is_some_and(|sign| sign.is_ascii_digit()),
        Some('%' | '°' | '\'' | '’') => true,
        Some(letter) => letter.is_ascii_alphabetic(),
        None => false,
    };
    let previous = before.chars().next_back();
    let attached = previous.is_some_and(|sign| {
        matches!(sign, '$' | '€' | '£' | '#' | '/' | ':' | '.' | ',' | '-' | '–')
            || sign.is_ascii_alphanumeric()
    });
    !is_mark && !joined && !attached && !after.trim_start().starts_with('%')
}

fn separated(base: &BaseText<'_>, number: u64, _after: &str) -> Option<String> {
    if number < 1000 || (1500..=2100).contains(&number) {
        return None;
    }
    let sign = match base.tongue {
        Tongue::German | Tongue::Spanish | Tongue::Italian | Tongue::Portuguese => '.',
        Tongue::French | Tongue::Russian => '\u{a0}',
        Tongue::English | Tongue::Chinese => ',',
    };
    let digits = number.to_string();
    let mut result = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            result.push(sign);
        }
        result.push(digit);
    }
    Some(result)
}

fn in_words(base: &BaseText<'_>, number: u64, after: &str) -> Option<String> {
    if number > 99 {
        return None;
    }
    match base.tongue {
        Tongue::English => Some(english(number)),
        Tongue::German => Some(german(number)),
        Tongue::Chinese if number == 2 && after.starts_with(['分', '个', '次', '节', '球']) => {
            Some("两".to_owned())
        }
        Tongue::Chinese => Some(chinese(number)),
        Tongue::Spanish
        | Tongue::French
        | Tongue::Italian
        | Tongue::Portuguese
        | Tongue::Russian => None,
    }
}

const ENGLISH: [&str; 20] = [
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
const ENGLISH_TENS: [&str; 10] =
    ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number below a hundred in words.
fn english(number: u64) -> String {
    let number = usize::try_from(number).unwrap_or(0) % 100;
    match (number / 10, number % 10) {
        (0 | 1, _) => ENGLISH[number].to_owned(),
        (tens, 0) => ENGLISH_TENS[tens].to_owned(),
        (tens, ones) => format!("{}-{}", ENGLISH_TENS[tens], ENGLISH[ones]),
    }
}

const GERMAN: [&str; 20] = [
    "null",
    "eins",
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
const GERMAN_TENS: [&str; 10] = [
    "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig",
];

fn german(number: u64) -> String {
    let number = usize::try_from(number).unwrap_or(0) % 100;
    match (number / 10, number % 10) {
        (0 | 1, _) => GERMAN[number].to_owned(),
        (tens, 0) => GERMAN_TENS[tens].to_owned(),
        (tens, 1) => format!("einund{}", GERMAN_TENS[tens]),
        (tens, ones) => format!("{}und{}", GERMAN[ones], GERMAN_TENS[tens]),
    }
}

const CHINESE: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];

fn chinese(number: u64) -> String {
    let number = usize::try_from(number).unwrap_or(0) % 100;
    match (number / 10, number % 10) {
        (0, ones) => CHINESE[ones].to_owned(),
        (1, 0) => "十".to_owned(),
        (1, ones) => format!("十{}", CHINESE[ones]),
        (tens, 0) => format!("{}十", CHINESE[tens]),
        (tens, ones) => format!("{}十{}", CHINESE[tens], CHINESE[ones]),
    }
}

fn ordinal(number: u64) -> String {
    let ending = match number {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The words of a name.
pub(crate) fn words_of_name(name: &str) -> Vec<&str> {
    let by_blank: Vec<&str> = name.split_whitespace().collect();
    match by_blank.len() > 1
        || !name.chars().any(|letter| matches!(letter, '\u{4e00}'..='\u{9fff}'))
    {
        true => by_blank,
        false => name.split(['-', '·', '－']).collect(),
    }
}

fn last_names(base: &BaseText<'_>) -> Option<String> {
    let mut text = base.text.to_owned();
    for roster in base.rosters {
        for name in roster {
            let words = words_of_name(name);
            let [_, .., last] = words.as_slice() else { continue };
            // Another person, a team or a place with this word makes it ambiguous.
            let of_others = |other: &&String| *other != name && words_of_name(other).contains(last);
            let unique = !base.rosters.iter().flatten().any(|other| of_others(&other));
            let is_name = last.chars().count() > 1
                && last.chars().next().is_some_and(|first| !first.is_lowercase());
            if unique && is_name && text.contains(name.as_str()) {
                text = text.replace(name.as_str(), last);
            }
        }
    }
    Some(text)
}

fn case_of_yes(base: &BaseText<'_>) -> Option<String> {
    let bare = base.text.trim().trim_end_matches(['.', '!']);
    let other = match bare {
        "Yes" | "No" | "Ja" | "Nein" | "True" | "False" => bare.to_lowercase(),
        "yes" | "no" | "ja" | "nein" | "true" | "false" => bare.to_uppercase(),
        _ => return None,
    };
    Some(base.text.replacen(bare, &other, 1))
}

fn final_stop(base: &BaseText<'_>) -> Option<String> {
    let text = base.text.trim_end();
    let rest = &base.text[text.len()..];
    let is_prose = is_one_line(text) && !has_marks(text) && !is_formatted(text);
    let last = text.chars().next_back()?;
    let open = last.is_alphanumeric() || matches!(last, ')' | '%');
    let stop = match base.tongue {
        Tongue::Chinese => '。',
        _ => '.',
    };
    (is_prose && open).then(|| format!("{text}{stop}{rest}"))
}

#[cfg(test)]
mod tests {
    use crate::{BaseText, Tongue, form};

    #[test]
    fn values_keep_what_they_say() {
        let rosters = vec![
            vec!["Cole Jarvis".to_owned(), "Ole Jarvis".to_owned(), "Ida Brandt".to_owned()],
            vec!["哈坎-格里夫".to_owned(), "约纳-加洛韦".to_owned()],
        ];
        for (name, text, tongue, wanted) in [
            (
                "number_words",
                "It is 21, not 3.",
                Tongue::English,
                Some("It is twenty-one, not three."),
            ),
            ("number_words", "1. M002 at 5:18 on 1948-10-23, 2.5 or 30 %", Tongue::English, None),
            ("number_words", "得了2分，共30分", Tongue::Chinese, Some("得了两分，共三十分")),
            ("number_words", "21 Bücher", Tongue::German, Some("einundzwanzig Bücher")),
            ("number_words", "alarm(hour=6)", Tongue::English, None),
            ("number_words", "101 to 99", Tongue::English, Some("101 to ninety-nine")),
            ("separators", "1948 and 90000", Tongue::English, Some("1948 and 90,000")),
            ("separators", "90000 Euro", Tongue::German, Some("90.000 Euro")),
            ("clock_zero", "Q1 5:18, 10:05", Tongue::English, Some("Q1 05:18, 10:05")),
            ("clock_period", "Q2 5:18", Tongue::Chinese, Some("第二节5:18")),
            (
                "last_names",
                "Ida Brandt and Cole Jarvis",
                Tongue::English,
                Some("Brandt and Cole Jarvis"),
            ),
            ("last_names", "哈坎-格里夫得了两分", Tongue::Chinese, Some("格里夫得了两分")),
            ("case_of_yes", "no.", Tongue::English, Some("NO.")),
            ("final_stop", "- a", Tongue::English, None),
            ("final_stop", "So!", Tongue::English, None),
        ] {
            let base = BaseText { text, tongue, rosters: &rosters };
            let found = form(name).unwrap().applied(&base, 0);
            assert_eq!(found.as_deref(), wanted, "{name} {text:?}");
        }
    }
}
