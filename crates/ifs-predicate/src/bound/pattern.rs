//! Properties of every text that a regular expression matches: its start and end if the expression
//! is anchored, substrings, and case.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

use super::classes::{SPACES, class_contains, disjoint};
use super::fact::{Letters, Measure, Property, TextEdge};
use super::interval::Interval;
use crate::functions::hooks::{Derived, LetterChange};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{Node, Pattern, Tree};
use crate::value::Value;
use ifs_text::Unit;
use ifs_text::python::{is_letter, is_space, simple_fold};

pub(super) fn facts(pattern: &Pattern) -> Vec<Property> {
    let Some(hir) = pattern.hir() else { return Vec::new() };
    let mut parts = Vec::new();
    flatten(&hir, &mut parts);
    let mut found = Vec::new();
    found.extend(any_case_literal(pattern).map(|text| {
        let once = Interval::at_least(Number::Int(1));
        Property::Measured(Measure::Needle(SearchKind::Letter, text), once)
    }));
    let (least, most) = match_length(&hir);
    if least > 0 {
        let least = Interval::at_least(Number::Int(least));
        found.push(Property::Measured(Measure::Count(Unit::Char), least));
    }
    for part in &parts {
        match part.kind() {
            HirKind::Literal(literal) => {
                if let Ok(text) = std::str::from_utf8(&literal.0) {
                    let once = Interval::at_least(Number::Int(1));
                    found.push(Property::Measured(
                        Measure::Needle(SearchKind::Text, text.to_owned()),
                        once,
                    ));
                }
            }
            HirKind::Class(_) | HirKind::Repetition(_) => {
                found.extend(letter_case(part));
                found.extend(class_of(part).map(|class| Property::Has(class.clone())));
            }
            _ => {}
        }
    }
    if let [first, inner @ .., last] = parts.as_slice()
        && *first.kind() == HirKind::Look(Look::Start)
        && *last.kind() == HirKind::Look(Look::End)
    {
        if let Some(most) = most {
            let most = Interval::at_most(Number::Int(most));
            found.push(Property::Measured(Measure::Count(Unit::Char), most));
        }
        let mut class = ClassUnicode::empty();
        if inner.iter().all(|part| collect(part, &mut class)) {
            found.push(Property::Only(class));
        }
    }
    if let [first, next, ..] = parts.as_slice()
        && *first.kind() == HirKind::Look(Look::Start)
        && let Some(text) = literal(next)
    {
        found.push(Property::Starts(TextEdge::Exact(text)));
    }
    // The first letter, after characters that are not letters.
    if let Some((first, rest)) = parts.split_first()
        && *first.kind() == HirKind::Look(Look::Start)
    {
        let mut blank = ClassUnicode::empty();
        let next = rest.iter().find(|part| {
            !matches!(part.kind(), HirKind::Repetition(_) | HirKind::Class(_))
                || !collect(part, &mut blank)
        });
        if let Some(HirKind::Literal(literal)) = next.map(|next| next.kind())
            && has_no_words(&blank)
            && let Some(letter) = String::from_utf8_lossy(&literal.0).chars().next()
            && is_letter(letter)
        {
            found.push(Property::Starts(TextEdge::Letter(simple_fold(letter))));
        }
    }
    if let [first, next, ..] = parts.as_slice()
        && *first.kind() == HirKind::Look(Look::Start)
        && let Some(class) = class_of(next)
        && SPACES.iter().all(|c| !class_contains(class, *c))
    {
        found.push(Property::StartsIn(class.clone()));
    }
    if let [.., before, last] = parts.as_slice()
        && *last.kind() == HirKind::Look(Look::End)
        && let Some(text) = literal(before)
    {
        found.push(Property::Ends(TextEdge::Exact(text)));
    }
    found
}

/// What follows if nothing matches: for `[0-9]` or `\s`, that no such character occurs.
pub(super) fn none(pattern: &Pattern) -> Option<Property> {
    let hir = pattern.hir()?;
    if let Some(text) = any_case_literal(pattern) {
        let none = Interval::exactly(Number::Int(0));
        return Some(Property::Measured(Measure::Needle(SearchKind::Letter, text), none));
    }
    if let HirKind::Literal(literal) = hir.kind() {
        let text = std::str::from_utf8(&literal.0).ok()?;
        let none = Interval::exactly(Number::Int(0));
        return Some(Property::Measured(Measure::Needle(SearchKind::Text, text.to_owned()), none));
    }
    let sub = match hir.kind() {
        HirKind::Repetition(repetition) if repetition.min == 1 => &*repetition.sub,
        _ => &hir,
    };
    let HirKind::Class(Class::Unicode(class)) = sub.kind() else { return None };
    let mut others = class.clone();
    others.negate();
    Some(Property::Only(others))
}

/// The letters of an expression that is only a literal in any case.
fn any_case_literal(pattern: &Pattern) -> Option<String> {
    let letters = pattern.pattern.len() >= 2
        && pattern.pattern.bytes().all(|letter| letter.is_ascii_alphabetic());
    (pattern.flags == "i" && letters).then(|| pattern.pattern.to_ascii_lowercase())
}

/// The characters of an expression that is one class.
pub(super) fn class(pattern: &str) -> Option<ClassUnicode> {
    match Pattern::new(pattern, "").hir()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

/// The characters, if each match is a single one.
pub(super) fn one_of(pattern: &Pattern) -> Option<ClassUnicode> {
    match pattern.hir()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

/// Whether no character of a class is part of a word.
pub(super) fn has_no_words(class: &ClassUnicode) -> bool {
    // Pairs of ranges: letters, digits, and combining marks.
    static WORDS: OnceLock<Option<ClassUnicode>> = OnceLock::new();
    let words = WORDS.get_or_init(|| self::class(r"[\p{L}\p{M}\p{N}\p{Alphabetic}]"));
    words.as_ref().is_some_and(|words| disjoint(class, words))
}

/// Whether all letters are in a class.
pub(super) fn has_letters(class: &ClassUnicode) -> bool {
    static LETTERS: OnceLock<Option<ClassUnicode>> = OnceLock::new();
    let letters = LETTERS.get_or_init(|| self::class(r"\p{L}"));
    let mut others = class.clone();
    others.negate();
    letters.as_ref().is_some_and(|letters| disjoint(&others, letters))
}

/// Whether each match is at the start of a text or at its end.
pub(super) fn is_outer(pattern: &Pattern) -> bool {
    let Some(hir) = pattern.hir() else { return false };
    let tied = |hir: &Hir| {
        let mut parts = Vec::new();
        flatten(hir, &mut parts);
        let ends = [parts.first(), parts.last()];
        ends.into_iter()
            .flatten()
            .any(|part| matches!(part.kind(), HirKind::Look(Look::Start | Look::End)))
    };
    match hir.kind() {
        HirKind::Alternation(ways) => ways.iter().all(tied),
        _ => tied(&hir),
    }
}

/// All characters that a match may have.
pub(super) fn matched(pattern: &Pattern) -> Option<ClassUnicode> {
    let mut class = ClassUnicode::empty();
    collect(&pattern.hir()?, &mut class).then_some(class)
}

/// The characters of a text in any case, and blanks.
pub(super) fn any_case(text: &str) -> Option<ClassUnicode> {
    in_any_case(text.chars().chain(SPACES))
}

/// Letters that are several of ASCII in capitals.
pub(super) const EXPANDING_LETTERS: [char; 8] = ['ß', 'ﬀ', 'ﬁ', 'ﬂ', 'ﬃ', 'ﬄ', 'ﬅ', 'ﬆ'];

/// These characters in any case.
pub(super) fn in_any_case(characters: impl IntoIterator<Item = char>) -> Option<ClassUnicode> {
    let ranges = characters.into_iter().flat_map(variants).map(|c| ClassUnicodeRange::new(c, c));
    let mut class = ClassUnicode::new(ranges);
    class.try_case_fold_simple().ok()?;
    Some(class)
}

/// The characters that are equal ignoring case, including this one. More than regular expressions
/// know: `ı` and `İ` are an `i`, as `simple_fold` has it.
pub(super) fn variants(c: char) -> impl Iterator<Item = char> {
    let folded = simple_fold(c);
    let more: &[char] = match folded {
        'i' => &['i', 'I', 'ı', 'İ'],
        '\u{390}' => &['\u{1fd3}'],
        '\u{3b0}' => &['\u{1fe3}'],
        '\u{fb05}' => &['\u{fb06}'],
        _ => &[],
    };
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(folded, folded)]);
    // Without case tables, at least ASCII is known.
    let _ = class.try_case_fold_simple();
    let class: Vec<char> =
        class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect();
    // These tables may be older than those for folding.
    let upper = folded.to_uppercase().chain(c.to_uppercase());
    class.into_iter().chain(more.iter().copied()).chain(upper).chain([c])
}

/// The characters of a text that is cut apart and changed, part by part, to these: `(split(",")
/// each trim) == ["a", "b"]`.
pub(super) fn written(list: &Tree, change: &Tree, values: &[Value]) -> Option<ClassUnicode> {
    let Node::Call(name, arguments) = &list.node else { return None };
    let (Derived::Split, [Tree { node: Node::It, .. }, Tree { node: Node::Value(at), .. }]) =
        (name.derived, arguments.as_slice())
    else {
        return None;
    };
    let mut known = at.as_str()?.to_owned();
    for value in values {
        known.push_str(value.as_str()?);
    }
    let mut class = ClassUnicode::empty();
    let mut change = change;
    while let Node::Call(name, arguments) = &change.node {
        match (name.derived, arguments.as_slice()) {
            // Characters without an accent are unchanged.
            (Derived::Same(LetterChange::Accents), _) => {
                class.push(ClassUnicodeRange::new('\u{80}', char::MAX))
            }
            (Derived::Same(LetterChange::Lower | LetterChange::Blanks), _) => {}
            (Derived::Replaced, [_, Tree { node: Node::Value(Value::Text(old)), .. }, _]) => {
                known.push_str(old);
            }
            _ => return None,
        }
        change = arguments.first()?;
    }
    if !matches!(change.node, Node::It) {
        return None;
    }
    class.union(&any_case(&known)?);
    Some(class)
}

/// The texts that an expression tied to both ends matches, without their case, where those are
/// few and of ASCII.
pub(super) fn wholes(pattern: &Pattern) -> Option<BTreeSet<String>> {
    let hir = pattern.hir()?;
    let mut parts = Vec::new();
    flatten(&hir, &mut parts);
    let [first, inner @ .., last] = parts.as_slice() else { return None };
    let tied =
        *first.kind() == HirKind::Look(Look::Start) && *last.kind() == HirKind::Look(Look::End);
    if !tied {
        return None;
    }
    let mut wholes = BTreeSet::from([String::new()]);
    for part in inner {
        wholes = concatenations(&wholes, &texts(part)?)?;
    }
    Some(wholes)
}

/// The maximum number of different texts.
const MAX_TEXTS: usize = 8;

fn concatenations(one: &BTreeSet<String>, other: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let all: BTreeSet<String> =
        one.iter().flat_map(|a| other.iter().map(move |b| format!("{a}{b}"))).collect();
    (all.len() <= MAX_TEXTS).then_some(all)
}

fn texts(hir: &Hir) -> Option<BTreeSet<String>> {
    let few = |texts: BTreeSet<String>| (texts.len() <= MAX_TEXTS).then_some(texts);
    match hir.kind() {
        HirKind::Empty => Some(BTreeSet::from([String::new()])),
        HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => None,
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok().filter(|text| text.is_ascii())?;
            Some(BTreeSet::from([text.to_ascii_lowercase()]))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut texts = BTreeSet::new();
            for c in class.ranges().iter().flat_map(|range| range.start()..=range.end()) {
                // The two letters of other scripts that fold to ASCII.
                let c = ifs_text::python::simple_fold(c);
                if !c.is_ascii() || texts.len() > MAX_TEXTS {
                    return None;
                }
                texts.insert(c.to_string());
            }
            few(texts)
        }
        HirKind::Capture(capture) => texts(&capture.sub),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.filter(|most| *most <= 4)?;
            let one = texts(&repetition.sub)?;
            let mut times = BTreeSet::from([String::new()]);
            let mut all = BTreeSet::new();
            for count in 0..=most {
                if count >= repetition.min {
                    all.extend(times.iter().cloned());
                }
                times = concatenations(&times, &one)?;
            }
            few(all)
        }
        HirKind::Concat(parts) => {
            parts.iter().try_fold(BTreeSet::from([String::new()]), |all, part| {
                concatenations(&all, &texts(part)?)
            })
        }
        HirKind::Alternation(parts) => {
            let mut all = BTreeSet::new();
            for part in parts {
                all.extend(texts(part)?);
            }
            few(all)
        }
    }
}

/// How many characters a match has, at least and at most.
fn match_length(hir: &Hir) -> (i64, Option<i64>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => (0, Some(0)),
        HirKind::Literal(literal) => {
            let chars = String::from_utf8_lossy(&literal.0).chars().count() as i64;
            (chars, Some(chars))
        }
        HirKind::Class(_) => (1, Some(1)),
        HirKind::Repetition(repetition) => {
            let (least, most) = match_length(&repetition.sub);
            let times = repetition.max.map(i64::from);
            let most = match (most, times) {
                (Some(0), _) => Some(0),
                (most, times) => most.zip(times).map(|(most, times)| most.saturating_mul(times)),
            };
            (least.saturating_mul(i64::from(repetition.min)), most)
        }
        HirKind::Capture(capture) => match_length(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(match_length).fold((0, Some(0)), |all, one| {
            let most = all.1.zip(one.1).map(|(a, b): (i64, i64)| a.saturating_add(b));
            (all.0.saturating_add(one.0), most)
        }),
        HirKind::Alternation(parts) => {
            let lengths: Vec<(i64, Option<i64>)> = parts.iter().map(match_length).collect();
            let least = lengths.iter().map(|(least, _)| *least).min().unwrap_or(0);
            let most = lengths.iter().map(|(_, most)| *most);
            (least, most.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten())
        }
    }
}

/// Adds the characters that a part may match; `false` where that cannot be determined.
fn collect(hir: &Hir, into: &mut ClassUnicode) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => {
                text.chars().for_each(|c| into.push(ClassUnicodeRange::new(c, c)));
                true
            }
            Err(_) => false,
        },
        HirKind::Class(Class::Unicode(class)) => {
            into.union(class);
            true
        }
        HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Repetition(repetition) => collect(&repetition.sub, into),
        HirKind::Capture(capture) => collect(&capture.sub, into),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().all(|part| collect(part, into))
        }
    }
}

/// A sequence, with groups expanded.
fn flatten<'h>(hir: &'h Hir, into: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().for_each(|part| flatten(part, into)),
        HirKind::Capture(capture) => flatten(&capture.sub, into),
        _ => into.push(hir),
    }
}

/// A text without blanks at its ends, which an edge ignores.
fn literal(hir: &Hir) -> Option<String> {
    let HirKind::Literal(literal) = hir.kind() else { return None };
    let text = std::str::from_utf8(&literal.0).ok()?;
    let outer = [text.chars().next()?, text.chars().next_back()?];
    (!outer.into_iter().any(is_space)).then(|| text.to_owned())
}

/// A class from which at least one character occurs.
fn class_of(hir: &Hir) -> Option<&ClassUnicode> {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Repetition(repetition) if repetition.min >= 1 => class_of(&repetition.sub),
        _ => None,
    }
}

/// `[a-z]`, once at least, is a small letter.
fn letter_case(hir: &Hir) -> Option<Property> {
    let class = class_of(hir)?;
    let within = |low: char, high: char| {
        class.ranges().iter().all(|range| low <= range.start() && range.end() <= high)
            && !class.ranges().is_empty()
    };
    if within('a', 'z') {
        Some(Property::HasLower(Letters::Ascii))
    } else if within('A', 'Z') {
        Some(Property::HasUpper(Letters::Ascii))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Two characters that are compared as the same are variants of one another.
    #[test]
    fn variants_are_all_that_fold_alike() {
        let mut alike: BTreeMap<char, Vec<char>> = BTreeMap::new();
        for c in ('\u{0}'..='\u{2fff}').chain('\u{a000}'..='\u{1ffff}') {
            let folded = simple_fold(c);
            if folded != c {
                alike.entry(folded).or_default().push(c);
            }
        }
        assert!(alike.len() > 1_000, "{}", alike.len());
        for (folded, others) in alike {
            let known: Vec<char> = variants(folded).collect();
            assert!(others.iter().all(|c| known.contains(c)), "{folded:?}: {others:?}, {known:?}");
        }
    }
}
