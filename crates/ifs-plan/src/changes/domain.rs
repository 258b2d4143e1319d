//! Changes of parameters' domains: wider, narrower or other.

use std::collections::BTreeSet;

use super::ChangeKind;
use super::notation::{NotationItem, NotationPart, print_part};

/// The domain in a `param` line: the text after its type.
fn domain(param: &NotationItem) -> Option<&NotationItem> {
    let heads = ["int", "float", "choices", "one-of", "some", "window", "scene", "given"];
    param.items().find(|item| heads.contains(&item.head.as_str()))
}

/// The change of a parameter's domain; `None` if it is equal.
pub(super) fn compare(old: &NotationItem, new: &NotationItem) -> Option<ChangeKind> {
    let (old, new) = (domain(old), domain(new));
    if old == new {
        return None;
    }
    let (Some(old), Some(new)) = (old, new) else { return Some(ChangeKind::DomainChanged) };
    let grew = contains(new, old);
    let shrank = contains(old, new);
    Some(match (grew, shrank) {
        (true, false) => ChangeKind::DomainWidened,
        (false, true) => ChangeKind::DomainNarrowed,
        // The same values in another order or with other shares.
        (true, true) => ChangeKind::Probability,
        (false, false) => ChangeKind::DomainChanged,
    })
}

/// Whether every value of `small` is in `large`, as far as both are literal.
fn contains(large: &NotationItem, small: &NotationItem) -> bool {
    match (large.head.as_str(), small.head.as_str()) {
        (one @ ("int" | "float"), other) if one == other => {
            let (Some([low, high, step]), Some([from, to, by])) = (numbers(large), numbers(small))
            else {
                return false;
            };
            let on_grid = |value: f64| ((value - low) / step).fract() == 0.0;
            low <= from && to <= high && (by / step).fract() == 0.0 && on_grid(from)
        }
        ("choices" | "one-of", "choices" | "one-of") => match (choices(large), choices(small)) {
            (Some(large), Some(small)) => small.is_subset(&large),
            _ => false,
        },
        _ => false,
    }
}

fn numbers(domain: &NotationItem) -> Option<[f64; 3]> {
    let numbers: Vec<f64> = domain.direct_words().filter_map(|word| word.parse().ok()).collect();
    let numbers: Option<[f64; 3]> = numbers.try_into().ok();
    numbers.filter(|[_, _, step]| *step > 0.0)
}

/// The values of a literal list.
fn choices(domain: &NotationItem) -> Option<BTreeSet<String>> {
    if domain.head == "choices" {
        return domain.items().map(|choice| choice.parts.first().map(print_part)).collect();
    }
    match domain.parts.as_slice() {
        [NotationPart::Item(list)] if list.head == "list" => {
            Some(list.parts.iter().map(print_part).collect())
        }
        _ => None,
    }
}

/// A probability in millionths, as written: `37.5%`.
pub(super) fn percent(millionths: &str) -> String {
    let share: f64 = millionths.parse().unwrap_or_default();
    format!("{}%", share / 10_000.0)
}

/// In the notation of the language: `int in 5..=9`.
pub(super) fn print(param: &NotationItem) -> String {
    let Some(domain) = domain(param) else { return "given".to_owned() };
    let parts: Vec<String> = domain.parts.iter().map(print_part).collect();
    match (domain.head.as_str(), parts.as_slice()) {
        (head @ ("int" | "float"), [low, high, step]) if step == "1" || step == "1.0" => {
            format!("{head} in {low}..={high}")
        }
        (head @ ("int" | "float"), [low, high, step]) => {
            format!("{head} in {low}..={high} step {step}")
        }
        ("choices", _) => {
            let shares: BTreeSet<&str> =
                domain.items().flat_map(|choice| choice.direct_words().last()).collect();
            let weights = domain.items().filter_map(|choice| choice.direct_words().last());
            let total: u64 = weights.filter_map(|weight| weight.parse::<u64>().ok()).sum();
            let choices: Vec<String> = domain
                .items()
                .map(|choice| {
                    let value = choice.parts.first().map(print_part).unwrap_or_default();
                    match choice.direct_words().last() {
                        Some(weight) if shares.len() > 1 && total == 1_000_000 => {
                            format!("{value} {}", percent(weight))
                        }
                        Some(weight) if shares.len() > 1 => format!("{value}: {weight}"),
                        _ => value,
                    }
                })
                .collect();
            format!("one_of [{}]", choices.join(", "))
        }
        ("one-of", _) => format!("one_of {}", parts.join(" ")),
        ("some", [low, high, of, ..]) if low == high => format!("some {low} of {of}"),
        ("some", [low, high, of, ..]) => format!("some {low}..={high} of {of}"),
        ("given", _) => "given".to_owned(),
        (head, _) => format!("{head} {}", parts.join(" ")),
    }
}
