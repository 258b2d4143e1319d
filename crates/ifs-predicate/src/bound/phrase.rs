//! Facts in words, as short as a label: `at most 80 words`.

use super::fact::{Letters, ListSource, Measure, Property, TextEdge};
use super::interval::Interval;
use crate::needles::SearchKind;
use crate::number::Number;
use crate::print::print;
use ifs_text::Unit;

pub(super) fn property(property: &Property) -> String {
    match property {
        Property::Measured(measure, interval) => measure_phrase(measure, interval),
        Property::Is(measure, value) => format!("`{}` is {value}", print(measure)),
        Property::IsNot(measure, value) => format!("`{}` is not {value}", print(measure)),
        Property::Starts(edge) => format!("starts with {}", self::edge(edge)),
        Property::Ends(edge) => format!("ends with {}", self::edge(edge)),
        Property::StartsNot(edge) => format!("does not start with {}", self::edge(edge)),
        Property::EndsNot(edge) => format!("does not end with {}", self::edge(edge)),
        Property::StartsIn(_) => "starts with a character of that kind".to_owned(),
        Property::Whole(text) => format!("is \"{}\" and nothing else", short(text)),
        Property::Verdict(tree, true) => format!("`{}`", short(&print(tree))),
        Property::Verdict(tree, false) => format!("not `{}`", short(&print(tree))),
        Property::Only(_) => "no other characters".to_owned(),
        Property::Has(_) => "a character of that kind".to_owned(),
        Property::Few(_, most) => format!("at most {most} different characters of a kind"),
        Property::Any(ways) => match ways.first().and_then(|facts| facts.first()) {
            Some(fact) => format!("{} or the like", self::property(&fact.property)),
            None => "one of several".to_owned(),
        },
        Property::Sum(terms, interval) => {
            let of = |(measure, times): &(Measure, i64)| {
                let measure = match measure {
                    Measure::Count(unit) => unit.noun(2).to_owned(),
                    Measure::Needle(_, text) => format!("\"{}\"", short(text)),
                    Measure::Capitals(letters) => format!("`{}`", letters.share()),
                    Measure::Other(tree, _) => format!("`{}`", short(&print(tree))),
                };
                if *times == 1 { measure } else { format!("{times} x {measure}") }
            };
            let terms: Vec<String> = terms.iter().map(of).collect();
            format!("{} together: {}", terms.join(" and "), interval_text(interval, true))
        }
        Property::Distinct(unit) => format!("no {} twice", unit.noun(1)),
        Property::Shape(shape) => format!("is {}", shape.noun()),
        Property::NoLower(_) => "capitals only".to_owned(),
        Property::NoUpper(_) => "small letters only".to_owned(),
        Property::HasLower(Letters::All | Letters::Ascii) => "has a small letter".to_owned(),
        Property::HasUpper(Letters::All | Letters::Ascii) => "has a capital".to_owned(),
        Property::Each(members, facts) => match facts.first() {
            Some(fact) => format!("every {}: {}", noun(members), self::property(&fact.property)),
            None => format!("every {}", noun(members)),
        },
        Property::One(members, ordinal, facts) => {
            let which = match ordinal {
                None => format!("some {}", noun(members)),
                Some(1) => format!("the first {}", noun(members)),
                Some(-1) => format!("the last {}", noun(members)),
                Some(ordinal) => format!("{} {ordinal}", noun(members)),
            };
            match facts.first() {
                Some(fact) => format!("{which}: {}", self::property(&fact.property)),
                None => which,
            }
        }
        Property::Never => "never holds".to_owned(),
    }
}

pub(super) fn measure_phrase(measure: &Measure, interval: &Interval) -> String {
    let amount = interval_text(interval, measure.counts());
    match measure {
        Measure::Count(unit) => format!("{amount} {}", unit_noun(*unit, interval)),
        Measure::Needle(SearchKind::Text, text) => format!("{amount} × \"{}\"", short(text)),
        Measure::Needle(SearchKind::Letter, text) if text.chars().nth(1).is_some() => {
            format!("{amount} × \"{}\" in any case", short(text))
        }
        Measure::Needle(kind, text) => format!("{amount} × {} \"{}\"", kind.name(), short(text)),
        Measure::Capitals(letters) => format!("`{}` {amount}", letters.share()),
        Measure::Other(tree, _) => format!("`{}` {amount}", print(tree)),
    }
}

fn unit_noun(unit: Unit, interval: &Interval) -> &'static str {
    let one = interval.high_int().or(interval.low_int()) == Some(1);
    unit.noun(if one { 1 } else { 2 })
}

fn interval_text(interval: &Interval, whole: bool) -> String {
    let interval = if whole { interval.to_whole_numbers() } else { *interval };
    match (interval.low, interval.high) {
        (Some(low), Some(high)) if low == high && !low.strict => format!("exactly {}", low.value),
        (Some(low), Some(high)) => format!("{} to {}", low.value, high.value),
        (None, Some(high)) if high.value == Number::Int(0) && whole => "no".to_owned(),
        (Some(low), None) if low.strict => format!("more than {}", low.value),
        (Some(low), None) => format!("at least {}", low.value),
        (None, Some(high)) if high.strict => format!("less than {}", high.value),
        (None, Some(high)) => format!("at most {}", high.value),
        (None, None) => "any number of".to_owned(),
    }
}

fn edge(edge: &TextEdge) -> String {
    match edge {
        TextEdge::Exact(text)
        | TextEdge::Read(text)
        | TextEdge::PartReleased(text)
        | TextEdge::Needle(_, text) => {
            format!("\"{}\"", short(text))
        }
        TextEdge::Letter(letter) | TextEdge::LetterReleased(letter) => {
            format!("the letter \"{letter}\"")
        }
        TextEdge::Mark { here, .. } | TextEdge::Pair { here, .. } => {
            format!("the mark \"{}\"", short(here))
        }
    }
}

fn noun(members: &ListSource) -> String {
    match members {
        ListSource::Units(unit) => unit.noun(1).to_owned(),
        ListSource::Other(list) => format!("member of `{}`", short(&print(list))),
    }
}

fn short(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(24).collect();
    if chars.next().is_some() { format!("{start}…") } else { start }
}
