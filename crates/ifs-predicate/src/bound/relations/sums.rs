//! What follows if a check compares counts with one another, such as twenty words more than
//! sentences, or the words of several paragraphs together.

use std::borrow::Cow;

use super::known::{FactSet, KnownBound, MeasureBounds};
use super::members::is_across;
use super::rules;
use crate::bound::Texts;
use crate::bound::fact::{Fact, ListSource, Measure, Property};
use crate::bound::relations::{is_additive, may_cross_unit_end};
use ifs_text::Unit;

/// The largest bound that is derived.
const MAX_BOUND: i64 = 1 << 40;

/// `count(word) - 6 * count(sentence) >= 0`: each term is bounded by the others.
pub(super) fn from_sums<'f>(facts: &[&'f Fact], bounds: &mut MeasureBounds<'f>) -> bool {
    let mut changed = false;
    for (at, fact) in facts.iter().enumerate() {
        let Property::Sum(terms, interval) = &fact.property else { continue };
        for (place, (measure, times)) in terms.iter().enumerate() {
            let others = || terms.iter().enumerate().filter(move |(other, _)| *other != place);
            let ends = [true, false].map(|upper| {
                let end = if upper { interval.high_int() } else { interval.low_int() }?;
                // The minimum, or maximum, of the other terms.
                let mut rest = KnownBound::stated(0, FactSet::single(at));
                for (_, (other, times)) in others() {
                    let known = match upper == (*times > 0) {
                        true => bounds
                            .low
                            .get(other)
                            .unwrap_or(KnownBound::stated(0, FactSet::default())),
                        false => bounds.high.get(other)?,
                    };
                    rest.value = rest.value.saturating_add(known.value.saturating_mul(*times));
                    rest.from = rest.from.and(known.from);
                }
                Some(KnownBound { value: end.saturating_sub(rest.value), ..rest })
            });
            for (upper, known) in [true, false].into_iter().zip(ends) {
                let Some(known) = known.filter(|known| known.value.abs() <= MAX_BOUND) else {
                    continue;
                };
                let (value, measure) = (known.value, Cow::Borrowed(measure));
                // Divided, towards the inside, and turned round by a factor below 0.
                let (below, by) = (upper == (*times > 0), times.abs());
                let value = if *times > 0 { value } else { -value };
                changed |= match below {
                    true => {
                        bounds.reduce(measure, KnownBound { value: value.div_euclid(by), ..known })
                    }
                    false => {
                        let value = -(-value).div_euclid(by);
                        value > 0 && bounds.raise(measure, KnownBound { value, ..known })
                    }
                };
            }
        }
    }
    changed
}

/// Units that share none of what is counted, and have at least one of it each: the words of the
/// first sentence, and one of each of the others.
pub(super) fn from_places<'f>(
    facts: &[&'f Fact],
    bounds: &mut MeasureBounds<'f>,
    texts: Texts,
) -> bool {
    let mut changed = false;
    for (at, fact) in facts.iter().enumerate() {
        let Property::One(ListSource::Units(unit), Some(place), inner) = &fact.property else {
            continue;
        };
        for part in inner {
            let Property::Measured(Measure::Count(small), _) = &part.property else { continue };
            if is_additive(*unit, *small)
                && (texts == Texts::Prose
                    || !may_cross_unit_end(*unit, *small) && !is_across(*unit, *small))
            {
                let sum = at_places(facts, (at, *place), (*unit, *small), bounds, texts);
                changed |= sum.is_some_and(|known| bounds.raise_minimum(*small, known));
            }
        }
    }
    changed
}

/// The number of `small` at the positions in facts that count from the same side, and at the
/// others. `None` if the current fact is not the first of them.
fn at_places(
    facts: &[&Fact],
    (first, side): (usize, i64),
    (unit, small): (Unit, Unit),
    bounds: &MeasureBounds<'_>,
    texts: Texts,
) -> Option<KnownBound> {
    let mut places: Vec<(i64, i64, usize)> = Vec::new();
    for (at, fact) in facts.iter().enumerate() {
        let Property::One(ListSource::Units(of), Some(place), inner) = &fact.property else {
            continue;
        };
        if *of != unit || (*place > 0) != (side > 0) {
            continue;
        }
        let low = |fact: &Fact| match &fact.property {
            Property::Measured(Measure::Count(of), interval) if *of == small => interval.low_int(),
            _ => None,
        };
        let Some(low) = inner
            .iter()
            .filter(|part| part.counts_for(texts))
            .filter_map(low)
            .max()
            .filter(|low| *low >= 1)
        else {
            continue;
        };
        match places.iter_mut().find(|(known, ..)| known == place) {
            Some(known) if known.1 < low => *known = (*place, low, at),
            Some(_) => {}
            None => places.push((*place, low, at)),
        }
    }
    if places.iter().all(|(.., at)| *at != first) {
        return None;
    }
    let mut sum = KnownBound::stated(0, FactSet::default());
    for (_, low, at) in &places {
        sum.value = sum.value.saturating_add(*low);
        sum.from = sum.from.and(FactSet::single(*at));
    }
    let one_each = rules(texts)
        .filter(|rule| (rule.times, rule.less) == (1, 0))
        .find(|rule| rule.big == small && rule.small == unit);
    if let (Some(_), Some(many)) = (one_each, bounds.low.unit(unit)) {
        let others = many.value - places.len() as i64;
        if others > 0 {
            sum.value = sum.value.saturating_add(others);
            sum.from = sum.from.and(many.from);
        }
    }
    (sum.value <= MAX_BOUND).then_some(sum)
}
