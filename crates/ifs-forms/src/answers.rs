//! Answers that know nothing.

use std::collections::BTreeSet;

use ifs_text::{Text, Unit};

use super::salad::{one_word_everywhere, salad};
use super::wording::{WordingKind, wording};
use super::{BaseText, Tongue, payload};

/// What an answer that knows nothing is made of.
#[derive(Clone, Copy, Debug)]
pub struct BluffMaterials<'a> {
    /// The right answer.
    pub base: BaseText<'a>,
    /// The user message.
    pub message: &'a str,
    /// The right answer of another record, or about another topic.
    pub other: Option<&'a str>,
    /// The text that is right most often on the turns of this kind.
    pub constant: Option<&'a str>,
    /// Right answers of this kind of turn.
    pub pool: &'a [String],
}

/// An answer that knows nothing.
pub struct Bluff {
    pub name: &'static str,
    pub doc: &'static str,
    /// What it is for the right answer 30, or a short form of it.
    pub example: &'static str,
    /// Whether it needs an answer to what was asked: a fact.
    pub of_facts: bool,
    /// Whether it may be right by chance, so that one which says what the right answer says is left
    /// out.
    pub may_be_right: bool,
    pub make: fn(&BluffMaterials<'_>) -> Option<String>,
}

const fn row(
    name: &'static str,
    doc: &'static str,
    example: &'static str,
    make: fn(&BluffMaterials<'_>) -> Option<String>,
) -> Bluff {
    Bluff { name, doc, example, of_facts: false, may_be_right: false, make }
}

const fn of_facts(row: Bluff) -> Bluff {
    Bluff { of_facts: true, ..row }
}

const fn by_chance(row: Bluff) -> Bluff {
    Bluff { may_be_right: true, ..row }
}

/// Every answer that knows nothing.
pub static ANSWERS: &[Bluff] = &[
    by_chance(row(
        "other",
        "The right answer of another record, or about another topic under the same constraints.",
        "the answer to another question",
        |of| of.other.map(str::to_owned),
    )),
    row(
        "salad",
        "The right answer with every word and number replaced; its signs, lines and capitals are kept.",
        "63",
        |of| Some(salad(of.base.text)),
    ),
    row(
        "constant",
        "The one text that is right most often on turns of this kind.",
        "the most frequent answer",
        |of| of.constant.map(str::to_owned),
    ),
    of_facts(row(
        "listed",
        "All values that the answer could have: the names of a list, all answers of this kind of \
         turn, or the numbers from 0 to 199.",
        "0 1 2 3 … 199",
        listed,
    )),
    of_facts(row(
        "both",
        "The right answer, and the same with its values exchanged.",
        "30, 31",
        |of| Some(format!("{}\n{}", of.base.text.trim_end(), swapped(&of.base)?)),
    )),
    of_facts(by_chance(row(
        "swapped",
        "The right answer with its values exchanged, a number one higher, or another name of the list.",
        "31",
        |of| swapped(&of.base),
    ))),
    of_facts(row(
        "retracted",
        "The right answer, taken back.",
        "30. No wait, that is wrong.",
        |of| {
            let retraction = wording(of.base.tongue, WordingKind::Retraction, 0)?;
            let text = of.base.text.trim_end();
            let stop = match text.chars().next_back() {
                Some(last) if last.is_alphanumeric() || last == '%' => stop(of.base.tongue),
                _ => "",
            };
            let between = if text.contains('\n') { "\n" } else { blank(of.base.tongue) };
            Some(format!("{text}{stop}{between}{retraction}"))
        },
    )),
    of_facts(row("negated", "The right answer, denied.", "It is not true that 30", |of| {
        filled(of.base.tongue, WordingKind::Negation, &[in_sentence(of.base.text)])
    })),
    of_facts(row(
        "hedged",
        "The right answer or another one, without a choice.",
        "Either 30 or 40",
        |of| {
            let other = of.other.filter(|other| {
                other.trim() != of.base.text.trim() && is_alike(other, of.base.text)
            });
            let other = other.map(str::to_owned).or_else(|| swapped(&of.base))?;
            let values = [in_sentence(of.base.text), in_sentence(&other)];
            filled(of.base.tongue, WordingKind::Hedge, &values)
        },
    )),
    row("echo", "The user message, repeated.", "the message", |of| Some(of.message.to_owned())),
    row("refusal", "A refusal.", "I'm sorry, but I can't help with that.", |of| {
        wording(of.base.tongue, WordingKind::Refusal, 0).map(str::to_owned)
    }),
    row(
        "address",
        "A polite beginning and end, and no answer between them.",
        "Certainly. …",
        |of| {
            let tongue = of.base.tongue;
            let (before, after) = (
                wording(tongue, WordingKind::Preamble, 0)?,
                wording(tongue, WordingKind::Closing, 0)?,
            );
            Some(format!("{before}\n\n{after}"))
        },
    ),
    row("frame", "The form of the right answer with an x in place of every word.", "xx", |of| {
        Some(crossed(of.base.text))
    }),
    row("one_word", "One word.", "Indeed", |of| {
        Some(match of.base.tongue {
            Tongue::Chinese => "确实".to_owned(),
            Tongue::Russian => "Действительно".to_owned(),
            _ => "Indeed".to_owned(),
        })
    }),
    row(
        "repeated",
        "The same word in place of every word of the right answer.",
        "window window",
        |of| Some(one_word_everywhere(of.base.text)),
    ),
];

fn stop(tongue: Tongue) -> &'static str {
    if tongue == Tongue::Chinese { "。" } else { "." }
}

fn blank(tongue: Tongue) -> &'static str {
    if tongue == Tongue::Chinese { "" } else { " " }
}

/// A template of one sentence with values.
fn filled(tongue: Tongue, kind: WordingKind, values: &[String]) -> Option<String> {
    let mut result = wording(tongue, kind, 0)?.to_owned();
    for value in values {
        result = result.replacen("{}", value, 1);
    }
    Some(format!("{result}{}", stop(tongue)))
}

/// An answer inside of a sentence: its lines with commas, without a full stop.
fn in_sentence(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let joined = lines.join(", ");
    joined.trim_end_matches(['.', '。']).to_owned()
}

/// The words of a text as the letter x, with their capitals. Numbers become 0.
fn crossed(text: &str) -> String {
    let mut result = String::new();
    let mut inside_tag = false;
    let mut inside_word = false;
    for letter in text.chars() {
        match letter {
            '<' => inside_tag = true,
            '>' => inside_tag = false,
            _ => {}
        }
        let is_word = letter.is_alphanumeric();
        if inside_tag || !is_word {
            result.push(letter);
        } else if matches!(letter, '\u{3400}'..='\u{9fff}') {
            result.push('某');
        } else if !inside_word {
            result.push(if letter.is_uppercase() {
                'X'
            } else if letter.is_numeric() {
                '0'
            } else {
                'x'
            });
        }
        inside_word = is_word;
    }
    result
}

/// Everything that could be the answer, behind its label if it has one.
fn listed(of: &BluffMaterials<'_>) -> Option<String> {
    let text = of.base.text;
    let (label, value) = payload(text).unwrap_or(("", text));
    let roster = of.base.rosters.iter().filter(|roster| roster.len() > 1);
    let is_said = |name: &String| value.contains(name.as_str());
    // A list of which the answer has everything is the answer.
    let roster = roster.filter(|roster| roster.iter().any(is_said) && !roster.iter().all(is_said));
    let names: BTreeSet<&str> = roster.flatten().map(String::as_str).collect();
    // Other words for what is said are no other names.
    let is_other = |name: &&&str| {
        let mut said = names.iter().filter(|one| value.contains(**one));
        !said.any(|one| one == *name || is_other_wording(one, name))
    };
    let has_others = names.iter().any(|name| is_other(&name));
    let has_number = Text::new(value).count(Unit::Number) > 0;
    let values: Vec<&str> =
        of.pool.iter().map(|text| payload(text).map_or(text.trim(), |(_, value)| value)).collect();
    let distinct: BTreeSet<&str> =
        values.iter().copied().filter(|other| is_alike(other, value)).collect();
    let mut all: Vec<String> = Vec::new();
    if has_others {
        all.extend(names.into_iter().map(str::to_owned));
    } else if distinct.len() > 1 && !is_number(value) {
        all.extend(distinct.into_iter().map(str::to_owned));
    }
    if has_number && (all.is_empty() || !is_covered(&all, value)) {
        let numbers: Vec<String> = (0..=199).map(|number| number.to_string()).collect();
        all.push(numbers.join(" "));
    }
    let between = if all.iter().any(|value| value.contains(',')) { "\n" } else { ", " };
    (!all.is_empty()).then(|| format!("{label}{}", all.join(between)))
}

/// Whether two answers may be to one question: both have digits or none, letters or none, and the same
/// marks, such as those of a time.
fn is_alike(one: &str, other: &str) -> bool {
    let kind = |text: &str| {
        let marks = text.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace());
        let marks: BTreeSet<char> = marks.filter(|c| !".,".contains(*c)).collect();
        (text.contains(char::is_numeric), text.contains(char::is_alphabetic), marks)
    };
    kind(one) == kind(other)
}

/// Whether one name has all longer words of another, perhaps with endings: `queens of white`, `white queen`.
fn is_other_wording(name: &str, other: &str) -> bool {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let others = words(other);
    let mut telling = words(name).into_iter().filter(|word| word.chars().count() > 3).peekable();
    telling.peek().is_some()
        && telling.all(|word| others.iter().any(|one| one.starts_with(word.as_str())))
}

fn is_number(value: &str) -> bool {
    value.trim().parse::<f64>().is_ok()
}

fn is_covered(all: &[String], value: &str) -> bool {
    all.iter().any(|one| one == value.trim())
}

/// The answer with its values exchanged: two numbers that belong to two names; else a number one
/// higher; else another name of the list; else no for yes.
pub(crate) fn swapped(base: &BaseText<'_>) -> Option<String> {
    let text = base.text;
    let (label, value) = payload(text).unwrap_or(("", text));
    let read = Text::new(value);
    let mut numbers: Vec<_> = read.units(Unit::Number).to_vec();
    numbers.retain(|range| !is_list_number(value, range.start, range.end));
    let present: Vec<&str> = names_in(base, value);
    let number = |range: &std::ops::Range<usize>| &value[range.clone()];
    if let [first, second, ..] = numbers.as_slice()
        && present.len() >= 2
        && number(first) != number(second)
    {
        let (one, other) = (number(first), number(second));
        let (before, between) = (&value[..first.start], &value[first.end..second.start]);
        return Some(format!("{label}{before}{other}{between}{one}{}", &value[second.end..]));
    }
    if let Some(first) = numbers.first() {
        let higher = match number(first).replace(',', "").parse::<i64>() {
            Ok(whole) => (whole + 1).to_string(),
            Err(_) => raised(number(first))?,
        };
        return Some(format!("{label}{}{higher}{}", &value[..first.start], &value[first.end..]));
    }
    if let Some(name) = present.first() {
        let mut rosters = base.rosters.iter().filter(|roster| roster.iter().any(|one| one == name));
        let other = rosters.find_map(|roster| {
            roster.iter().find(|other| {
                !present.contains(&other.as_str())
                    && !value.contains(other.as_str())
                    && !is_other_wording(name, other)
            })
        })?;
        return Some(format!("{label}{}", value.replacen(name, other, 1)));
    }
    opposite(value).map(|value| format!("{label}{value}"))
}

fn is_list_number(text: &str, start: usize, end: usize) -> bool {
    let line = text[..start].rsplit('\n').next().unwrap_or("");
    line.trim().is_empty()
        && text[end..].starts_with(['.', ')'])
        && text[end + 1..].starts_with(' ')
}

/// A decimal with its last digit one higher, or lower.
fn raised(number: &str) -> Option<String> {
    let last = number.chars().next_back()?.to_digit(10)?;
    let other = if last == 9 { 8 } else { last + 1 };
    Some(format!("{}{other}", &number[..number.len() - 1]))
}

/// The names of the lists that a text has.
fn names_in<'a>(base: &BaseText<'a>, text: &str) -> Vec<&'a str> {
    let all = base.rosters.iter().flatten().map(String::as_str);
    let mut present: Vec<&str> =
        all.filter(|name| !name.is_empty() && text.contains(name)).collect();
    present.sort_unstable();
    present.dedup();
    present
}

const OPPOSITES: [(&str, &str); 6] = [
    ("Yes", "No"),
    ("yes", "no"),
    ("Ja", "Nein"),
    ("ja", "nein"),
    ("true", "false"),
    ("是", "不是"),
];

fn opposite(value: &str) -> Option<String> {
    let first = value.split(|letter: char| !letter.is_alphabetic()).next()?;
    let pair = OPPOSITES.iter().find_map(|(one, other)| {
        if first == *one {
            Some((one, other))
        } else if first == *other {
            Some((other, one))
        } else {
            None
        }
    });
    pair.map(|(one, other)| value.replacen(one, other, 1))
}

#[cfg(test)]
mod tests {
    use super::{ANSWERS, BluffMaterials};
    use crate::{BaseText, Tongue, answer};

    fn made(name: &str, text: &str, tongue: Tongue, rosters: &[Vec<String>]) -> Option<String> {
        let base = BaseText { text, tongue, rosters };
        let pool = ["Answer: 30".to_owned(), "Answer: 40".to_owned()];
        let materials = BluffMaterials {
            base,
            message: "How many?",
            other: Some("40"),
            constant: None,
            pool: &pool,
        };
        (answer(name).unwrap().make)(&materials)
    }

    #[test]
    fn answers_know_nothing() {
        let teams = vec![vec!["Gulls".to_owned(), "Cranes".to_owned(), "Ducks".to_owned()]];
        for (name, text, wanted) in [
            ("swapped", "Gulls 101, Cranes 99", Some("Gulls 99, Cranes 101")),
            ("swapped", "Gulls: 30", Some("Gulls: 31")),
            ("swapped", "The Gulls", Some("The Cranes")),
            ("swapped", "12.5", Some("12.6")),
            ("swapped", "Yes, it is.", Some("No, it is.")),
            ("swapped", "nothing", None),
            ("retracted", "30", Some("30. No wait, that is wrong.")),
            ("retracted", "a\nb", Some("a\nb.\nNo wait, that is wrong.")),
            ("negated", "30.", Some("It is not true that 30.")),
            ("hedged", "30", Some("Either 30 or 40.")),
            ("both", "30", Some("30\n31")),
            ("listed", "The Gulls", Some("Cranes, Ducks, Gulls")),
            ("frame", "<p>So it Is 30.</p>", Some("<p>X x X 0.</p>")),
            ("echo", "30", Some("How many?")),
            ("refusal", "30", Some("I'm sorry, but I can't help with that.")),
        ] {
            let found = made(name, text, Tongue::English, &teams);
            assert_eq!(found.as_deref(), wanted, "{name} {text:?}");
        }
        assert!(
            made("listed", "Answer: 30", Tongue::English, &[])
                .unwrap()
                .starts_with("Answer: 0 1 2")
        );
        assert_eq!(
            made("retracted", "30", Tongue::Chinese, &[]).unwrap(),
            "30。等等，不对，这是错的。"
        );
    }

    #[test]
    fn rows_are_documented() {
        for answer in ANSWERS {
            assert!(answer.doc.ends_with('.') && !answer.example.is_empty(), "{}", answer.name);
        }
    }
}
