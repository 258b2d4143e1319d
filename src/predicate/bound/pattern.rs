//! What a regular expression says of every text it matches: how the text starts and ends where the
//! expression is tied to an end of it, stretches it has to have, and which case.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

use super::fact::{Edge, Letters, Measure, What};
use super::interval::Interval;
use crate::predicate::number::Number;
use crate::predicate::tree::Pattern;
use crate::text::Unit;
use crate::text::python::is_space;

pub(super) fn facts(pattern: &Pattern) -> Vec<What> {
    let Some(hir) = pattern.hir() else { return Vec::new() };
    let mut parts = Vec::new();
    flatten(&hir, &mut parts);
    let mut found = Vec::new();
    // A match of so many bytes has a quarter of that in characters at least.
    if let Some(bytes) = hir.properties().minimum_len().filter(|bytes| *bytes > 0) {
        let least = Interval::at_least(Number::Int(bytes.div_ceil(4) as i64));
        found.push(What::Measured(Measure::Count(Unit::Char), least));
    }
    for part in &parts {
        match part.kind() {
            HirKind::Literal(literal) => {
                if let Ok(text) = std::str::from_utf8(&literal.0) {
                    let once = Interval::at_least(Number::Int(1));
                    found.push(What::Measured(
                        Measure::Needle("text".into(), text.to_owned()),
                        once,
                    ));
                }
            }
            HirKind::Class(_) | HirKind::Repetition(_) => {
                found.extend(case(part));
                found.extend(class_of(part).map(|class| What::Has(class.clone())));
            }
            _ => {}
        }
    }
    if let [first, inner @ .., last] = parts.as_slice()
        && *first.kind() == HirKind::Look(Look::Start)
        && *last.kind() == HirKind::Look(Look::End)
    {
        let mut class = ClassUnicode::empty();
        if inner.iter().all(|part| collect(part, &mut class)) {
            found.push(What::Only(class));
        }
    }
    if let [first, next, ..] = parts.as_slice()
        && *first.kind() == HirKind::Look(Look::Start)
        && let Some(text) = literal(next)
    {
        found.push(What::Starts(Edge::Exact(text)));
    }
    if let [.., before, last] = parts.as_slice()
        && *last.kind() == HirKind::Look(Look::End)
        && let Some(text) = literal(before)
    {
        found.push(What::Ends(Edge::Exact(text)));
    }
    found
}

/// What follows from no match anywhere: of `[0-9]` or `\s`, that no such character is there.
pub(super) fn none(pattern: &Pattern) -> Option<What> {
    let hir = pattern.hir()?;
    let sub = match hir.kind() {
        HirKind::Repetition(repetition) if repetition.min == 1 => &*repetition.sub,
        _ => &hir,
    };
    let HirKind::Class(Class::Unicode(class)) = sub.kind() else { return None };
    let mut others = class.clone();
    others.negate();
    Some(What::Only(others))
}

/// Adds the characters that a part may match; `false` where that cannot be told.
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

/// What follows one another, with groups opened.
fn flatten<'h>(hir: &'h Hir, into: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(parts) => parts.iter().for_each(|part| flatten(part, into)),
        HirKind::Capture(capture) => flatten(&capture.sub, into),
        _ => into.push(hir),
    }
}

/// A text without blanks at its ends, which an edge does not look at.
fn literal(hir: &Hir) -> Option<String> {
    let HirKind::Literal(literal) = hir.kind() else { return None };
    let text = std::str::from_utf8(&literal.0).ok()?;
    let outer = [text.chars().next()?, text.chars().next_back()?];
    (!outer.into_iter().any(is_space)).then(|| text.to_owned())
}

/// The class of which there is one character at least.
fn class_of(hir: &Hir) -> Option<&ClassUnicode> {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        HirKind::Repetition(repetition) if repetition.min >= 1 => class_of(&repetition.sub),
        _ => None,
    }
}

/// `[a-z]`, once at least, is a small letter.
fn case(hir: &Hir) -> Option<What> {
    let class = class_of(hir)?;
    let within = |low: char, high: char| {
        class.ranges().iter().all(|range| low <= range.start() && range.end() <= high)
            && !class.ranges().is_empty()
    };
    if within('a', 'z') {
        Some(What::HasLower(Letters::Ascii))
    } else if within('A', 'Z') {
        Some(What::HasUpper(Letters::Ascii))
    } else {
        None
    }
}
