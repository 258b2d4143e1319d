//! What follows for one measure from others, and measures that cannot be met.
//!
//! Each rule below is true of every text (and checked on random texts by `rules_hold`), except those
//! of `PROSE_RULES`, which give hints and no proofs.

mod follow;
mod known;
mod members;
mod sums;

use std::collections::BTreeMap;

use follow::bounds;
use known::{Derivation, KnownBound, MeasureBounds};
use members::of_members;

pub(super) use follow::{excludes_blanks, words_of_needle};
pub(super) use members::{is_across, is_additive, may_cross_unit_end};

use super::edges::reason;
use super::fact::{Fact, ListSource, Measure, Property};
use super::interval::{Interval, IntervalEnd};
use super::{Conflict, ConflictReason, Texts, phrase};
use crate::number::Number;
use ifs_base::source::Span;
use ifs_text::{Shape, UNITS, Unit};

/// `big >= times * small - less`, wherever there is one of `small`.
pub(super) struct LinearRule {
    pub(super) big: Unit,
    pub(super) small: Unit,
    pub(super) times: i64,
    pub(super) less: i64,
}

const fn rule(big: Unit, times: i64, small: Unit, less: i64) -> LinearRule {
    LinearRule { big, small, times, less }
}

const LINEAR_RULES: &[LinearRule] = &[
    // Every unit is a stretch of at least one character, apart from the others of its kind.
    rule(Unit::Char, 1, Unit::Grapheme, 0),
    rule(Unit::Char, 1, Unit::Letter, 0),
    rule(Unit::Char, 1, Unit::Word, 0),
    rule(Unit::Char, 1, Unit::Sentence, 0),
    rule(Unit::Char, 1, Unit::SentencePunkt, 0),
    rule(Unit::Char, 1, Unit::Number, 0),
    rule(Unit::Char, 1, Unit::Emoji, 0),
    rule(Unit::Char, 1, Unit::WordPart, 0),
    // Runs are kept apart by something that is in none of them.
    rule(Unit::Char, 2, Unit::WordPattern, 1),
    rule(Unit::Char, 2, Unit::WordSpace, 1),
    rule(Unit::Char, 2, Unit::NumberDigits, 1),
    rule(Unit::Char, 2, Unit::Line, 1),
    rule(Unit::Char, 2, Unit::ItemReleased, 1),
    rule(Unit::Char, 2, Unit::SentenceSimple, 1),
    // Between two paragraphs there are two line ends.
    rule(Unit::Char, 3, Unit::Paragraph, 2),
    rule(Unit::Char, 3, Unit::ParagraphReleased, 2),
    rule(Unit::WordSpace, 1, Unit::ParagraphReleased, 0),
    rule(Unit::WordSpace, 1, Unit::SentenceSimple, 0),
    // Blank lines end paragraphs, so each has lines of its own; items and headings are lines.
    rule(Unit::Line, 1, Unit::Paragraph, 0),
    rule(Unit::Line, 1, Unit::Item, 0),
    rule(Unit::LineAll, 1, Unit::ItemReleased, 0),
    rule(Unit::Line, 1, Unit::Heading, 0),
    // The header, the row below it, and the others.
    rule(Unit::Line, 1, Unit::TableRow, -2),
    // The lines that open and close it; the last may stay open.
    rule(Unit::LineAll, 2, Unit::CodeBlock, 1),
    // A blank one between two paragraphs.
    rule(Unit::LineAll, 2, Unit::ParagraphReleased, 1),
    rule(Unit::LineAll, 1, Unit::LineEntry, 0),
    // A section is a heading with what follows it.
    rule(Unit::Section, 1, Unit::Heading, 0),
    rule(Unit::Heading, 1, Unit::Section, 0),
    // A header and the row below it.
    rule(Unit::Line, 2, Unit::Table, 0),
    rule(Unit::Item, 1, Unit::ItemBullet, 0),
    rule(Unit::Item, 1, Unit::ItemNumbered, 0),
    // Those, and the one that they are under.
    rule(Unit::Item, 1, Unit::ItemNested, -1),
    rule(Unit::WordPart, 1, Unit::Word, 0),
];

/// The same for plain texts of prose, which most responses are.
const PROSE_RULES: &[LinearRule] = &[
    // A line that is not blank has something without blanks, and blanks end lines; tags may, too.
    rule(Unit::WordSpace, 1, Unit::Line, 0),
    // Lines and paragraphs are written as they are read.
    rule(Unit::Line, 1, Unit::ItemReleased, 0),
    rule(Unit::Line, 2, Unit::CodeBlock, 1),
    rule(Unit::LineAll, 1, Unit::Line, 0),
    rule(Unit::LineAll, 2, Unit::Paragraph, 1),
    rule(Unit::ParagraphReleased, 1, Unit::Paragraph, 0),
    rule(Unit::Line, 1, Unit::LineEntry, 0),
    // A sentence has a letter or a digit, which is in a word; a full stop of full width is inside one.
    rule(Unit::Word, 1, Unit::Sentence, 0),
    // A letter in a circle is one, and no word character.
    rule(Unit::WordPattern, 1, Unit::Sentence, 0),
    // A paragraph of letters has a sentence; one of stars or of code has none.
    rule(Unit::Sentence, 1, Unit::Paragraph, 0),
    // Words of prose have letters; numbers are words without.
    rule(Unit::Letter, 1, Unit::Word, 0),
    rule(Unit::Letter, 1, Unit::WordPattern, 0),
];

/// The rules that hold for these texts.
pub(super) fn rules(texts: Texts) -> impl Iterator<Item = &'static LinearRule> {
    let prose = if texts == Texts::Prose { PROSE_RULES } else { &[] };
    LINEAR_RULES.iter().chain(prose)
}

pub(super) fn contradiction(facts: &[&Fact], texts: Texts) -> Option<Conflict> {
    if let Some(conflict) = of_numbers(facts) {
        return Some(conflict);
    }
    // Most sets of facts have only lower bounds, which never meet.
    let bounded = facts.iter().any(|fact| is_bounded_above(&fact.property));
    let members =
        facts.iter().any(|fact| matches!(fact.property, Property::Each(..) | Property::One(..)));
    if !bounded && !members {
        return None;
    }
    let bounds = bounds(facts, texts);
    let crossed = if bounded { conflict_of_counts(facts, &bounds) } else { None };
    crossed.or_else(|| if members { of_members(facts, &bounds, texts) } else { None })
}

fn conflict_of_counts(facts: &[&Fact], bounds: &MeasureBounds<'_>) -> Option<Conflict> {
    for unit in UNITS.iter().map(|entry| entry.unit) {
        let (low, high) = (&bounds.low.units[unit as usize], &bounds.high.units[unit as usize]);
        if let (Some(low), Some(high)) = (low, high)
            && low.value > high.value
        {
            return Some(crossed_bounds(facts, low, high, &Measure::Count(unit)));
        }
    }
    bounds.low.others.iter().find_map(|(measure, low)| {
        let high = bounds.high.others.get(measure)?;
        (low.value > high.value).then(|| crossed_bounds(facts, low, high, measure))
    })
}

/// The report about bounds of a measure without a number between them.
fn crossed_bounds(
    facts: &[&Fact],
    low: &KnownBound,
    high: &KnownBound,
    measure: &Measure,
) -> Conflict {
    let at_least = Interval::at_least(Number::Int(low.value));
    let at_most = Interval::at_most(Number::Int(high.value));
    let worked_out = |known: &KnownBound, sign: &str, other: i64| {
        Some(format!("{}, {sign} {other}", arithmetic(facts, known, measure)?))
    };
    let sides = [
        (
            *high,
            worked_out(high, "fewer than", low.value)
                .unwrap_or_else(|| phrase::measure_phrase(measure, &at_most)),
        ),
        (
            *low,
            worked_out(low, "more than", high.value)
                .unwrap_or_else(|| phrase::measure_phrase(measure, &at_least)),
        ),
    ];
    Conflict { reasons: reasons(facts, sides) }
}

/// How a bound is worked out: `40 sentences x 5 words = 200 words`.
fn arithmetic(facts: &[&Fact], known: &KnownBound, measure: &Measure) -> Option<String> {
    let of = |many: i64, unit: Unit| format!("{many} {}", unit.noun(many.unsigned_abs() as usize));
    let Measure::Count(unit) = measure else { return None };
    let all = of(known.value, *unit);
    match known.how {
        Derivation::Said => None,
        Derivation::Parts { many, of: part, each } => {
            let all = of(many.saturating_mul(each), *unit);
            Some(format!("{} x {} = {all}", of(many, part), of(each, *unit)))
        }
        Derivation::Are { many, of: one } => {
            (many > 0).then(|| format!("{} are at least {all}", of(many, one)))
        }
        Derivation::Sum => {
            let parts: Vec<String> = known
                .from
                .iter()
                .filter_map(|at| match &facts.get(at)?.property {
                    Property::Measured(Measure::Needle(_, part), interval) => {
                        let times = interval.low_int().filter(|times| *times >= 1)?;
                        Some(format!("{times} x \"{part}\""))
                    }
                    _ => None,
                })
                .collect();
            (2..=4).contains(&parts.len()).then(|| format!("{} = {all}", parts.join(" + ")))
        }
    }
}

fn is_bounded_above(property: &Property) -> bool {
    match property {
        Property::Measured(measure, interval) => measure.counts() && interval.high.is_some(),
        Property::Shape(
            Shape::Json | Shape::JsonReleased | Shape::Table | Shape::Bullets | Shape::Numbered,
        )
        | Property::Only(_) => true,
        Property::Each(members, inner) => {
            inner.iter().any(|fact| is_bounded_above(&fact.property))
                || *members == ListSource::Units(Unit::LineAll)
        }
        Property::Sum(..) => true,
        _ => false,
    }
}

/// Measures that need not be whole numbers, such as shares.
fn of_numbers(facts: &[&Fact]) -> Option<Conflict> {
    for (at, fact) in facts.iter().enumerate() {
        let Property::Measured(measure, interval) = &fact.property else { continue };
        if interval.is_empty() {
            return Some(Conflict { reasons: vec![reason(fact)] });
        }
        for other in facts.get(at + 1..).unwrap_or(&[]) {
            let Property::Measured(same, other_interval) = &other.property else { continue };
            if same == measure && intersection(*interval, *other_interval).is_empty() {
                return Some(Conflict { reasons: vec![reason(fact), reason(other)] });
            }
        }
    }
    None
}

pub(super) fn intersection(a: Interval, b: Interval) -> Interval {
    let pick = |x: Option<IntervalEnd>, y: Option<IntervalEnd>, low: bool| match (x, y) {
        (Some(x), Some(y)) => {
            let order = x.value.order(y.value);
            let first = match order {
                std::cmp::Ordering::Equal => x.strict,
                std::cmp::Ordering::Less => !low,
                std::cmp::Ordering::Greater => low,
            };
            Some(if first { x } else { y })
        }
        (x, y) => x.or(y),
    };
    Interval { low: pick(a.low, b.low, true), high: pick(a.high, b.high, false) }
}

/// The facts two sides follow from; one label for each side and check.
fn reasons(facts: &[&Fact], sides: [(KnownBound, String); 2]) -> Vec<ConflictReason> {
    let mut reasons: Vec<ConflictReason> = Vec::new();
    for (known, fragment) in sides {
        let mut spans: BTreeMap<usize, Span> = BTreeMap::new();
        for fact in known.from.iter().filter_map(|at| facts.get(at)) {
            let span = spans.entry(fact.goal).or_insert(fact.span);
            *span = span.to(fact.span);
        }
        for (goal, span) in spans {
            reasons.push(ConflictReason { goal, span, fragment: fragment.clone() });
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bound::characters::text_of;
    use ifs_text::Text;

    /// Whether what is counted in all units of a kind is what is counted in the text.
    fn sums_hold(text: &str) -> Result<(), TestCaseError> {
        let read = Text::new(text);
        for unit in [
            Unit::Sentence,
            Unit::Paragraph,
            Unit::ParagraphReleased,
            Unit::Line,
            Unit::LineEntry,
            Unit::Item,
            Unit::ItemBullet,
            Unit::ItemNumbered,
            Unit::Heading,
            Unit::Word,
            Unit::WordPattern,
            Unit::WordSpace,
        ] {
            for small in [
                Unit::Char,
                Unit::Letter,
                Unit::Word,
                Unit::WordPart,
                Unit::WordPattern,
                Unit::WordSpace,
                Unit::Sentence,
            ] {
                if !is_additive(unit, small) {
                    continue;
                }
                // What is counted in pieces of the content is not all written as it is there.
                if unit.is_of_content() != small.is_of_content() && small != Unit::Char {
                    continue;
                }
                let reading = read.reading_for(unit);
                let parts = reading.units(unit).iter().map(|range| &reading.str()[range.clone()]);
                let inside: usize = parts.map(|part| Text::plain(part).count(small)).sum();
                let cut = if may_cross_unit_end(unit, small) { read.count(unit) } else { 0 };
                prop_assert!(
                    inside <= read.count(small) + cut,
                    "{small:?} in {unit:?} of {text:?}"
                );
                if unit == Unit::ParagraphReleased && !matches!(small, Unit::Char | Unit::Letter) {
                    prop_assert!(inside == read.count(small), "{small:?} in {unit:?} of {text:?}");
                }
            }
        }

        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rules_hold(seed: u64) {
            let text = text_of(seed);
            let read = Text::new(&text);
            for rule in LINEAR_RULES {
                let (big, small) = (read.count(rule.big) as i64, read.count(rule.small) as i64);
                prop_assert!(
                    small == 0 || big >= rule.times * small - rule.less,
                    "{big} {:?}, {small} {:?} in {text:?}", rule.big, rule.small
                );
            }
            sums_hold(&text)?;
        }
    }
}
