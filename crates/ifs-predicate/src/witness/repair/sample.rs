//! A text that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::tree::Pattern;

/// The preferred characters of a class.
const PREFERRED_CHARACTERS: &str = "asoAS1 -.elrtn海山水风,;!2?";

pub(super) struct RegexSample {
    pub text: String,
    /// It is anchored at the start, or end.
    pub at_start: bool,
    pub at_end: bool,
}

/// The shortest way through the expression, with a letter where there is a choice.
pub(super) fn shortest_match(pattern: &Pattern) -> Option<RegexSample> {
    alternative_match(pattern, 0)
}

/// Another, slightly longer way through it, for another turn.
pub(super) fn alternative_match(pattern: &Pattern, turn: usize) -> Option<RegexSample> {
    let hir = pattern.hir()?;
    let mut sample = RegexSample { text: String::new(), at_start: false, at_end: false };
    write(&hir, turn, &mut sample);
    let found = pattern.regex()?.is_match(&sample.text);
    found.then_some(sample)
}

fn write(hir: &Hir, turn: usize, sample: &mut RegexSample) {
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Look(Look::Start) => sample.at_start = true,
        HirKind::Look(Look::End) => sample.at_end = true,
        HirKind::Look(_) => {}
        HirKind::Literal(literal) => sample.text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let within = |c: &char| {
                class.ranges().iter().any(|range| range.start() <= *c && *c <= range.end())
            };
            let first = class.ranges().first().map(|range| range.start());
            let likely: Vec<char> = PREFERRED_CHARACTERS.chars().filter(within).collect();
            // Each position of a sample has a different one.
            let at = (turn * (1 + sample.text.len())) % likely.len().max(1);
            sample.text.extend(likely.get(at).copied().or(first));
        }
        HirKind::Class(Class::Bytes(class)) => {
            let first = class.ranges().first().map(|range| char::from(range.start()));
            sample.text.extend(first);
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let times = repetition.min.max((turn as u32 % 4).min(most));
            for _ in 0..times.min(1000) {
                write(&repetition.sub, turn, sample);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, turn, sample),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, turn, sample)),
        HirKind::Alternation(parts) => {
            if let Some(one) = parts.get(turn % parts.len().max(1)) {
                write(one, turn, sample);
            }
        }
    }
}
