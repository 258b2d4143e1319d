//! Rules of the library, implemented again as plain loops and expressions: an independent
//! check of witnesses in addition to *evaluate*.

mod evolif;
mod ifbench;
mod ifeval;
mod meeseeks;
mod mmmt;

use std::cell::RefCell;
use std::collections::HashMap;

use ifs::predicate::value::Value;
use ifs::text::Text;
use regex::Regex;

/// The values of a rule's parameters.
pub(super) struct Given<'a>(pub(super) &'a [(String, Value)]);

impl Given<'_> {
    fn value(&self, name: &str) -> &Value {
        let found = self.0.iter().rev().find(|(have, _)| have == name);
        &found.unwrap_or_else(|| panic!("no parameter {name}")).1
    }

    fn int(&self, name: &str) -> usize {
        self.value(name).as_int().and_then(|n| usize::try_from(n).ok()).expect("a number")
    }

    fn text(&self, name: &str) -> &str {
        self.value(name).as_str().expect("a text")
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        self.value(name).as_list().expect("a list").iter().filter_map(Value::as_str).collect()
    }

    fn field<'s>(&'s self, name: &str, field: &str) -> &'s str {
        self.value(name).field(field).and_then(Value::as_str).expect("a field")
    }

    /// `at least` or `less than` a number.
    fn amount(&self, relation: &str, number: &str, have: usize) -> bool {
        if self.text(relation) == "less than" {
            have < self.int(number)
        } else {
            have >= self.int(number)
        }
    }
}

/// Whether a text satisfies a rule; `None` if these counts cannot decide.
type Own = fn(&str, &Given<'_>) -> Option<bool>;

/// The rules of each benchmark, by module and name.
const TABLES: [&[(&str, Own)]; 5] =
    [ifeval::RULES, evolif::RULES, mmmt::RULES, meeseeks::RULES, ifbench::RULES];

pub(super) fn meets(
    module: &str,
    rule: &str,
    text: &str,
    given: &[(String, Value)],
) -> Option<bool> {
    let mut rules = TABLES.into_iter().flatten();
    let (_, own) = rules.find(|(name, _)| name.split_once(' ') == Some((module, rule)))?;
    let written = own(text, &Given(given));
    // What is not required of the written text may be said in it: bullets in a string of JSON.
    match written {
        Some(false) if !module.ends_with("_as_released") => own(&content(text), &Given(given)),
        _ => written,
    }
}

/// What a text says, without tags or the structure of JSON.
pub(super) fn content(text: &str) -> String {
    Text::new(text).reading().str().to_owned()
}

/// Compiled once per thread, because some are evaluated for each character.
fn re(pattern: &str) -> Regex {
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Regex>> = RefCell::default();
    }
    let new = || Regex::new(pattern).expect("an expression");
    KNOWN.with_borrow_mut(|known| known.entry(pattern.to_owned()).or_insert_with(new).clone())
}

fn hits(pattern: &str, text: &str) -> usize {
    re(pattern).find_iter(text).count()
}

/// The number of occurrences in a text, ignoring case and not within a word.
fn phrases(text: &str, part: &str) -> usize {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let part: Vec<char> = part.to_lowercase().chars().collect();
    let in_word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let (mut at, mut count) = (0, 0);
    while at + part.len() <= text.len() {
        let end = at + part.len();
        let inside = (in_word(part.first())
            && in_word(at.checked_sub(1).and_then(|b| text.get(b))))
            || (in_word(part.last()) && in_word(text.get(end)));
        if text[at..end] == part[..] && !inside {
            count += 1;
            at = end;
        } else {
            at += 1;
        }
    }
    count
}

/// Runs of letters, digits and underscores; with ` ' . , ` inside as Unicode has it; ideographs
/// one by one.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let han = |c: char| hits(r"^[\p{Han}]$", &c.to_string()) > 0;
    let kana = |c: char| hits(r"^[\p{Hiragana}\p{Katakana}ー]$", &c.to_string()) > 0;
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for (at, c) in chars.iter().copied().enumerate() {
        let (before, after) = (at.checked_sub(1).map(|at| chars[at]), chars.get(at + 1).copied());
        let both = |test: fn(char) -> bool| before.is_some_and(test) && after.is_some_and(test);
        let letter = |c: char| c.is_alphabetic();
        let joins = ("'’.:·".contains(c) && both(letter))
            || (".,;'’".contains(c) && both(|c| c.is_numeric()));
        let mark = hits(r"^\p{M}$", &c.to_string()) > 0;
        if !c.is_ascii() && han(c) {
            words.push(c.to_string());
            open = false;
        } else if c.is_alphanumeric() || c == '_' || mark || (joins && open) {
            let apart = !c.is_ascii() && before.is_some_and(|b| kana(b) != kana(c));
            if !open || apart {
                words.push(String::new());
            }
            words.last_mut().expect("one").push(c);
            open = true;
        } else {
            open = false;
        }
    }
    words.retain(|word| word.chars().any(char::is_alphanumeric));
    words
}

fn low(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.to_lowercase()).collect()
}

/// Runs of `\w`.
fn runs(text: &str) -> usize {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|run| !run.is_empty()).count()
}

fn filled(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in text.lines() {
        match line.trim() {
            "" => found.push(String::new()),
            line => found.last_mut().expect("one").push_str(&format!("{line}\n")),
        }
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

/// Lines without bullet or number; no headings, rules or fences.
fn entries(text: &str) -> Option<Vec<String>> {
    let marker = re(r"^(?:[-*+•]|\d{1,9}[.)])(?:[ \t]+|$)");
    if hits(r"(?m)^\s*(```|~~~|>|=+\s*$)", text) > 0 || hits("[\u{b}\u{c}\u{85}\u{2028}]", text) > 0
    {
        return None;
    }
    let lines = filled(text).into_iter().filter(|line| {
        hits(r"^#{1,6}(\s|$)", line) == 0 && hits(r"^([-*_][ \t]*){3,}$", line) == 0
    });
    let mut entries = Vec::new();
    for line in lines {
        let bare = marker.replace(line, "").trim().to_owned();
        // A marker after a marker, or nothing after it: others may read that otherwise.
        if bare.is_empty()
            || marker.is_match(&bare)
            || hits(r"^[-*+•\d(#]", line) > 0 && !marker.is_match(line)
        {
            return None;
        }
        entries.push(bare);
    }
    Some(entries)
}

/// Sentences of plain prose only: words of letters, one stop after each sentence.
fn sentences(text: &str) -> Option<Vec<String>> {
    if hits(r"^(?:[A-Z][a-z']*(?:[, ]+[a-z]+)*[a-z]{2}[.!?](?:\s+|$))+$", text.trim()) != 1 {
        return None;
    }
    let one = re(r"[^.!?]+[.!?]");
    Some(one.find_iter(text).map(|found| found.as_str().trim().to_owned()).collect())
}

fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

fn letter(text: &str, letter: &str) -> usize {
    text.to_lowercase().matches(&letter.to_lowercase()).count()
}

fn first(word: &str) -> Option<char> {
    word.chars().next()?.to_lowercase().next()
}

fn every(text: &str, holds: impl Fn(&String) -> bool) -> Option<bool> {
    let entries = entries(text)?;
    Some(!entries.is_empty() && entries.iter().all(holds))
}

fn pairs<T>(list: &[T], holds: impl Fn(&T, &T) -> bool) -> bool {
    list.windows(2).all(|pair| holds(&pair[0], &pair[1]))
}

fn unique<T: Ord>(mut list: Vec<T>) -> bool {
    list.sort();
    list.windows(2).all(|pair| pair[0] != pair[1])
}

fn json(text: &str) -> Option<serde_json::Value> {
    let text = text.trim();
    let bare = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")).unwrap_or(text);
    serde_json::from_str(bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()))
        .ok()
        .or_else(|| serde_json::from_str(text).ok())
}

fn blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn parts<'t>(text: &'t str, between: &str) -> Vec<&'t str> {
    text.split(between).filter(|part| !blank(part)).collect()
}

fn share_upper(text: &str) -> f64 {
    let upper = text.chars().filter(|c| c.is_uppercase()).count() as f64;
    let lower = text.chars().filter(|c| c.is_lowercase()).count() as f64;
    100.0 * upper / (upper + lower)
}

fn bullets(text: &str) -> Option<usize> {
    // Code and JSON have no items; the depth of an item is not checked here.
    let plain = hits(r"(?m)^( {2,}|\t)|```|~~~", text) == 0;
    plain
        .then(|| filled(text).iter().filter(|line| hits(r"^[-*+•] +\S", line) > 0).count())
        .filter(|_| hits(r"(?m)^[-*+•][^ ]|^[-*+•] +[-*+•]|^([-*_] *){3,}$", text) == 0)
}

fn upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

fn is_prime(n: usize) -> bool {
    n > 1 && (2..n).all(|by| !n.is_multiple_of(by))
}

fn han(text: &str) -> usize {
    hits(r"\p{Han}", text)
}

fn often(text: &str, term: &str) -> usize {
    if han(term) > 0 { text.matches(term).count() } else { phrases(text, term) }
}
