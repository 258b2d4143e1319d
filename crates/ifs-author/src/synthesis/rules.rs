//! Checks of a user message by rule: it contains the numbers and words of its demands, and no other
//! number.

use super::MessageRequirements;
use ifs_predicate::value::Value;
use ifs_text::{Needle, NeedleKind, Text, Unit, number_value, occurs};

/// The maximum number of characters of a message.
const MAX_MESSAGE_CHARACTERS: usize = 8000;

/// Why a message violates a rule; `None` if no rule rejects it.
pub fn violation(intention: &MessageRequirements, words: &str) -> Option<String> {
    if words.is_empty() {
        return Some("it is empty".to_owned());
    }
    if words.chars().count() > MAX_MESSAGE_CHARACTERS {
        return Some(format!("it is longer than {MAX_MESSAGE_CHARACTERS} letters"));
    }
    let mut left_out: Vec<String> = Vec::new();
    for named in &intention.named {
        if !names(words, &named.value) {
            left_out.push(format!("`{}` of {} is missing", named.value, named.constraint));
        }
    }
    left_out.dedup();
    let said = content(words);
    let demands = intention.demands.iter().chain(&intention.restored);
    for (demand, trace) in demands.zip(&intention.traces) {
        let asked = content(trace);
        if !asked.is_empty()
            && !asked.iter().any(|asked| said.iter().any(|it| may_be_inflections(it, asked)))
        {
            left_out.push(format!("nothing in it states \"{demand}\""));
        }
    }
    if !left_out.is_empty() {
        return Some(left_out.join("; "));
    }
    let known: Vec<f64> = intention.sources.iter().flat_map(|text| numbers(text)).collect();
    let text = Text::new(words);
    let added = text.pieces(Unit::Number).find(|piece| {
        let number = number_value(piece);
        number.is_some_and(|number| !known.contains(&number)) && !counts_lines(words, piece)
    });
    added.map(|number| format!("it has the number {number}, which no instruction has"))
}

/// Whether a text contains a value, ignoring case: a number in digits or English words, a text
/// verbatim.
pub(super) fn names(text: &str, value: &Value) -> bool {
    match value {
        Value::Int(number) => {
            let spelled = usize::try_from(*number).ok().and_then(spelled);
            numbers(text).contains(&(*number as f64))
                || spelled.is_some_and(|words| words.iter().any(|word| contains_phrase(text, word)))
        }
        Value::Float(number) => numbers(text).contains(number),
        Value::Text(wanted) => !wanted.trim().is_empty() && contains_phrase(text, wanted.trim()),
        Value::Nothing | Value::Bool(_) | Value::List(_) | Value::Record(_) => false,
    }
}

/// Words that occur in any demand or message.
const COMMON_WORDS: [&str; 60] = [
    "a",
    "about",
    "again",
    "all",
    "also",
    "an",
    "and",
    "answer",
    "any",
    "are",
    "as",
    "at",
    "be",
    "but",
    "by",
    "can",
    "do",
    "does",
    "for",
    "from",
    "go",
    "have",
    "i",
    "if",
    "in",
    "instead",
    "is",
    "it",
    "its",
    "make",
    "may",
    "me",
    "must",
    "my",
    "no",
    "not",
    "now",
    "of",
    "on",
    "or",
    "please",
    "reply",
    "response",
    "say",
    "should",
    "so",
    "some",
    "something",
    "that",
    "the",
    "there",
    "this",
    "to",
    "whole",
    "will",
    "with",
    "would",
    "write",
    "you",
    "your",
];

/// The content words of a text in lower case, and punctuation that is a separate word.
fn content(text: &str) -> Vec<String> {
    let small = text.to_lowercase();
    let words = small.split(|sign: char| sign.is_whitespace() || "\"“”().,;:".contains(sign));
    let reported = words.filter(|word| !word.is_empty() && !COMMON_WORDS.contains(word));
    reported.map(str::to_owned).collect()
}

/// Whether two words may be forms of one: they have the same beginning.
fn may_be_inflections(one: &str, other: &str) -> bool {
    const MIN_COMMON_PREFIX: usize = 3;
    let alike = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    one == other || alike >= MIN_COMMON_PREFIX
}

fn numbers(text: &str) -> Vec<f64> {
    Text::new(text).pieces(Unit::Number).filter_map(number_value).collect()
}

fn contains_phrase(text: &str, wanted: &str) -> bool {
    let needle = Needle::new(NeedleKind::Phrase, wanted);
    needle.is_ok_and(|needle| occurs(&Text::new(text), &needle))
}

/// Whether a number only numbers the items of a list: `2. …`.
fn counts_lines(words: &str, number: &str) -> bool {
    words.lines().any(|line| {
        let rest = line.trim_start().strip_prefix(number);
        rest.is_some_and(|rest| rest.starts_with(['.', ')']))
    })
}

const NUMBER_WORDS: [&str; 20] = [
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
const TENS_WORDS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number up to a hundred in English words.
fn spelled(number: usize) -> Option<Vec<String>> {
    let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Some(match number {
        1 => own(&["one", "once", "single"]),
        2 => own(&["two", "twice"]),
        12 => own(&["twelve", "dozen"]),
        100 => own(&["a hundred", "one hundred"]),
        0..=19 => own(&[NUMBER_WORDS[number]]),
        20..=99 => {
            let tens = TENS_WORDS[number / 10 - 2];
            match number % 10 {
                0 => own(&[tens]),
                ones => {
                    let ones = NUMBER_WORDS[ones];
                    vec![format!("{tens}-{ones}"), format!("{tens} {ones}")]
                }
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use ifs_base::world::FolderWorld;
    use ifs_draw::{Drawer, ScriptTurn, Seed};
    use ifs_model::check;
    use ifs_plan::build;

    #[test]
    fn values_match_common_notations() {
        for (text, value, found) in [
            ("At most 1,200 words.", Value::Int(1200), true),
            ("At most twelve hundred words.", Value::Int(1200), false),
            ("Twenty-one lines, please", Value::Int(21), true),
            ("twenty one lines", Value::Int(21), true),
            ("one hundred lines", Value::Int(100), true),
            ("say it twice", Value::Int(2), true),
            ("say it 12 times", Value::Int(2), false),
            ("half: 0.5", Value::Float(0.5), true),
            ("Use TIDE somewhere", Value::text("tide"), true),
            ("Use tides somewhere", Value::text("tide"), false),
            ("don’t", Value::text("don't"), true),
            ("end on 🔥!", Value::text("🔥"), true),
            ("nothing", Value::text(" "), false),
        ] {
            assert_eq!(names(text, &value), found, "{text}: {value}");
        }
    }

    /// EvolIF's turns, in the words of the templates, and in messages without the demand.
    #[test]
    fn messages_must_state_every_instruction() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/evolif");
        let world = FolderWorld::new(Path::new(folder)).unwrap();
        let plan = build(check(&world, "evolif.ifs").model.unwrap());
        let drawer = Drawer::new(&plan, "evolving").unwrap();
        let mut looked_at = 0;
        for index in 0..6 {
            let turns = drawer.script(Seed(1), index).take(20).map(Result::unwrap);
            let turns: Vec<ScriptTurn> = turns.collect();
            for turn in &turns {
                let intention =
                    MessageRequirements::from_script(&drawer, (Seed(1), index), &turns, turn)
                        .unwrap();
                assert_eq!(violation(&intention, &turn.ask), None, "{:?}", turn.ask);
                for empty in ["Hello there, do something nice.", "Go on, please."] {
                    assert!(
                        violation(&intention, empty).is_some(),
                        "{empty}: {:?}",
                        intention.demands
                    );
                }
                looked_at += 1;
            }
        }
        assert_eq!(looked_at, 120);
    }

    #[test]
    fn list_numbers_are_not_instructions() {
        assert!(counts_lines("Please:\n1. be brief\n 2) be kind", "1"));
        assert!(counts_lines("Please:\n1. be brief\n 2) be kind", "2"));
        assert!(!counts_lines("Use 2 words.", "2"));
    }
}
