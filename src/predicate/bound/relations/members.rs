//! Members of lists and their neighbours, and the entire text.

use std::borrow::Cow;
use std::sync::Arc;

use super::known::{Derivation, FactSet, KnownBound, MeasureBounds};
use crate::predicate::bound::classes::class_contains;
use crate::predicate::bound::edges::{self, reason};
use crate::predicate::bound::fact::{Fact, ListSource, Measure, Property, TextEdge};
use crate::predicate::bound::{self, Conflict};
use crate::predicate::functions::{count_of, len_of};
use crate::predicate::needles::SearchKind;
use crate::text::{Shape, Unit};

/// Contradictions between facts about each member of a list and about one, or about all of them if
/// there is one; and between a member and the entire text.
pub(super) fn of_members(facts: &[&Fact], bounds: &MeasureBounds<'_>) -> Option<Conflict> {
    for (at, fact) in facts.iter().enumerate() {
        if let Property::Each(ListSource::Units(unit), inner) = &fact.property
            && let Some(conflict) = too_long(*unit, inner, facts)
        {
            return Some(conflict);
        }
        let (members, ordinal, inner, in_prose) = match &fact.property {
            Property::One(members, ordinal, inner) => (members, *ordinal, inner, false),
            Property::Each(members, inner) => match has_member(members, bounds) {
                Some(in_prose) => (members, None, inner, in_prose),
                None => continue,
            },
            _ => continue,
        };
        let mut all: Vec<&Fact> = inner.iter().collect();
        for (other_at, other) in facts.iter().enumerate() {
            let same = match &other.property {
                Property::Each(of, inner) if of == members => inner,
                Property::One(of, Some(other), inner)
                    if of == members && Some(*other) == ordinal =>
                {
                    inner
                }
                _ => continue,
            };
            if other_at != at {
                all.extend(same);
            }
        }
        if let Some(mut conflict) = of_member(members, ordinal, &fact.property, &all, facts) {
            conflict.in_prose |= in_prose;
            return Some(conflict);
        }
    }
    None
}

/// The maximum number of combinations of alternatives for a member.
const MAX_COMBINATIONS: usize = 64;

/// Why no member meets `all`, whichever alternative is chosen.
fn of_member(
    members: &ListSource,
    ordinal: Option<i64>,
    of: &Property,
    all: &[&Fact],
    facts: &[&Fact],
) -> Option<Conflict> {
    let found = |inner: &[&Fact]| {
        // The current text cannot have what none of its parts may have, and cannot need more than
        // it has.
        if let Some(mut conflict) = bound::contradiction(inner) {
            for reason in &mut conflict.reasons {
                reason.fragment = format!("{} in one {}", reason.fragment, short(members));
            }
            return Some(conflict);
        }
        match members {
            ListSource::Units(unit) => with_the_whole(*unit, ordinal, of, inner, facts),
            ListSource::Other(_) => None,
        }
    };
    let ways: Vec<&[Vec<Fact>]> = all
        .iter()
        .filter_map(|fact| match &fact.property {
            Property::Any(ways) => Some(ways.as_slice()),
            _ => None,
        })
        .collect();
    let plain = || all.iter().copied().filter(|fact| !matches!(fact.property, Property::Any(_)));
    if ways.is_empty() {
        return found(all);
    }
    if let Some(conflict) = found(&plain().collect::<Vec<_>>()) {
        return Some(conflict);
    }
    let many = ways.iter().try_fold(1_usize, |many, ways| many.checked_mul(ways.len()))?;
    let mut first: Option<Conflict> = None;
    for mut choice in (0..many).take(if many <= MAX_COMBINATIONS { many } else { 0 }) {
        let mut inner: Vec<&Fact> = plain().collect();
        for ways in &ways {
            inner.extend(ways.get(choice % ways.len())?);
            choice /= ways.len();
        }
        let conflict = found(&inner)?;
        let in_prose = conflict.in_prose || first.as_ref().is_some_and(|first| first.in_prose);
        first = Some(Conflict { in_prose, ..first.unwrap_or(conflict) });
    }
    first
}

/// What a line of JSON may begin with, or a fence around it.
const JSON_LINES: &str = "{}[]\",:-0123456789tfn`";

/// A property of a unit that contradicts the text around it: a capital, or the start of the first
/// and the end of the last unit.
pub(super) fn with_the_whole(
    unit: Unit,
    ordinal: Option<i64>,
    of: &Property,
    inner: &[&Fact],
    facts: &[&Fact],
) -> Option<Conflict> {
    let each = matches!(of, Property::Each(..));
    // Between the last sentence and the end of a text there may be a row of stars.
    let (outer, in_prose) = match unit {
        Unit::Paragraph | Unit::Line => (true, false),
        Unit::Sentence => (true, true),
        _ => (false, false),
    };
    for part in inner {
        for whole in facts {
            let meets = match (&part.property, &whole.property) {
                // No line of JSON begins so, the fences around it aside.
                (Property::Starts(edge), Property::Shape(Shape::Json))
                    if matches!(unit, Unit::Line | Unit::LineEntry | Unit::Paragraph)
                        && edges::prefix(edge)
                            .is_some_and(|text| !text.starts_with(|c| JSON_LINES.contains(c))) =>
                {
                    return Some(Conflict {
                        reasons: vec![reason(part), reason(whole)],
                        in_prose: false,
                    });
                }
                (Property::StartsIn(class), Property::Shape(Shape::Json))
                    if matches!(unit, Unit::Line | Unit::LineEntry | Unit::Paragraph)
                        && !JSON_LINES.chars().any(|c| class_contains(class, c)) =>
                {
                    return Some(Conflict {
                        reasons: vec![reason(part), reason(whole)],
                        in_prose: false,
                    });
                }
                // The first unit of the text is the first of its first part.
                (Property::NoLower(_) | Property::NoUpper(_), Property::Starts(edge))
                    if outer && (each || ordinal == Some(1)) =>
                {
                    let first = edges::prefix(edge).and_then(|text| text.chars().next());
                    let Some(first) = first else { continue };
                    let edge = Property::Starts(TextEdge::Exact(first.to_string()));
                    let whole = Fact { property: edge, ..(*whole).clone() };
                    if let Some(found) = edges::contradiction(&[part, &whole]) {
                        return Some(Conflict { in_prose: in_prose || found.in_prose, ..found });
                    }
                    continue;
                }
                (
                    Property::HasLower(_)
                    | Property::HasUpper(_)
                    | Property::Measured(Measure::Needle(..), _),
                    Property::NoLower(_) | Property::NoUpper(_),
                )
                | (Property::Starts(_) | Property::Ends(_) | Property::Has(_), Property::Only(_)) => {
                    Some(false)
                }
                (Property::Measured(Measure::Needle(..), _), Property::Only(_)) => Some(false),
                (Property::StartsNot(_), Property::Starts(_))
                | (Property::Starts(_), Property::StartsNot(_))
                    if outer && (each || ordinal == Some(1)) =>
                {
                    Some(in_prose)
                }
                (Property::EndsNot(_), Property::Ends(_))
                | (Property::Ends(_), Property::EndsNot(_))
                    if outer && (each || ordinal == Some(-1)) =>
                {
                    Some(in_prose)
                }
                (
                    Property::Starts(_),
                    Property::Starts(_) | Property::StartsIn(_) | Property::Shape(_),
                ) if outer && (each || ordinal == Some(1)) => Some(in_prose),
                (Property::Ends(_), Property::Ends(_) | Property::Shape(_))
                    if outer && (each || ordinal == Some(-1)) =>
                {
                    Some(in_prose)
                }
                _ => None,
            };
            let Some(in_prose) = meets else { continue };
            if let Some(found) = edges::contradiction(&[part, whole]) {
                return Some(Conflict { in_prose: in_prose || found.in_prose, ..found });
            }
        }
    }
    None
}

/// A word that has to occur, where every word is shorter.
pub(super) fn too_long(unit: Unit, inner: &[Fact], facts: &[&Fact]) -> Option<Conflict> {
    if !matches!(unit, Unit::Word | Unit::WordPattern | Unit::WordSpace) {
        return None;
    }
    let most = inner.iter().find_map(|fact| match &fact.property {
        Property::Measured(Measure::Count(Unit::Char), interval) => {
            Some((fact, interval.high_int()?))
        }
        _ => None,
    });
    let (fact, most) = most?;
    let longer = facts.iter().find(|fact| match &fact.property {
        Property::Measured(Measure::Needle(kind, part), interval) => {
            matches!(
                kind,
                SearchKind::Keyword | SearchKind::Phrase | SearchKind::Text | SearchKind::Word
            ) && interval.low_int().is_some_and(|low| low >= 1)
                && part.chars().all(|c| c.is_ascii_alphabetic())
                && part.len() as i64 > most
        }
        _ => false,
    })?;
    Some(Conflict { reasons: vec![reason(fact), reason(longer)], in_prose: false })
}

pub(super) fn short(members: &ListSource) -> String {
    match members {
        ListSource::Units(unit) => unit.noun(1).to_owned(),
        ListSource::Other(_) => "member".to_owned(),
    }
}

/// Whether there is a member, and if so, whether that holds for prose only.
pub(super) fn has_member(members: &ListSource, bounds: &MeasureBounds<'_>) -> Option<bool> {
    let least = match members {
        ListSource::Units(unit) => bounds.low.unit(*unit),
        ListSource::Other(list) => {
            let of = |call| bounds.low.get(&Measure::Other(Arc::new(call), true));
            of(count_of((**list).clone())).or_else(|| of(len_of((**list).clone())))
        }
    };
    least.filter(|low| low.value >= 1).map(|low| low.in_prose)
}

/// Forty sentences of at least five words are two hundred words.
pub(super) fn from_members<'f>(facts: &[&'f Fact], bounds: &mut MeasureBounds<'f>) -> bool {
    let mut changed = false;
    for (at, fact) in facts.iter().enumerate() {
        let (ListSource::Units(unit), inner, all) = (match &fact.property {
            Property::Each(members, inner) => (members, inner, true),
            Property::One(members, _, inner) => (members, inner, false),
            _ => continue,
        }) else {
            continue;
        };
        for part in inner {
            let Property::Measured(measure, interval) = &part.property else { continue };
            // A text contains what its lines contain.
            let (small, adds) = match measure {
                Measure::Count(small) => (*small, is_additive(*unit, *small)),
                Measure::Needle(kind, _)
                    if matches!(kind, SearchKind::Text) && is_stretch(*unit) =>
                {
                    (Unit::Char, true)
                }
                _ => continue,
            };
            if !adds {
                continue;
            }
            let is_unit = matches!(measure, Measure::Count(_));
            let unknown = |value| KnownBound {
                value,
                from: FactSet::default(),
                in_prose: false,
                how: Derivation::Said,
            };
            let times = match all {
                true => bounds.low.unit(*unit).unwrap_or_else(|| unknown(0)),
                false => unknown(1),
            };
            if let Some(low) = interval.low_int().filter(|low| *low >= 1 && times.value >= 1) {
                let cut = if is_unit && may_cross_unit_end(*unit, small) {
                    (times.value - 1).max(0)
                } else {
                    0
                };
                let value = times.value.saturating_mul(low).saturating_sub(cut);
                let mut known = KnownBound { value, ..times };
                known.from = known.from.and(FactSet::single(at));
                known.how = match (all, cut) {
                    (true, 0) => Derivation::Parts { many: times.value, of: *unit, each: low },
                    _ => Derivation::Said,
                };
                changed |= bounds.raise(Cow::Borrowed(measure), known);
            }
            // Every word is in a line and in a paragraph.
            let covered = is_unit
                && matches!(unit, Unit::Paragraph | Unit::Line)
                && matches!(small, Unit::Word | Unit::WordPattern | Unit::WordSpace)
                || is_unit && (*unit, small) == (Unit::Paragraph, Unit::Sentence);
            // Words outside of any sentence are those of code and the like.
            let in_prose = is_unit
                && *unit == Unit::Sentence
                && matches!(small, Unit::Word | Unit::WordPattern | Unit::WordSpace);
            let covered = covered || in_prose;
            if let (true, true, Some(high), Some(most)) =
                (all, covered, interval.high_int(), bounds.high.unit(*unit))
            {
                let mut known = KnownBound {
                    value: most.value.saturating_mul(high.max(0)),
                    from: most.from,
                    in_prose: most.in_prose || in_prose,
                    how: Derivation::Parts { many: most.value, of: *unit, each: high.max(0) },
                };
                known.from = known.from.and(FactSet::single(at));
                changed |= bounds.reduce(Cow::Borrowed(measure), known);
            }
            // Fifteen sentences, at most two in a paragraph, need eight paragraphs.
            if let (true, true, Some(high @ 1..), Some(least)) =
                (all, covered, interval.high_int(), bounds.low.unit(small))
            {
                let mut known = KnownBound {
                    value: least.value.saturating_add(high - 1).div_euclid(high),
                    from: least.from,
                    in_prose: least.in_prose || in_prose,
                    how: Derivation::Said,
                };
                known.from = known.from.and(FactSet::single(at));
                changed |= bounds.raise_minimum(*unit, known);
            }
        }
    }
    changed
}

/// Units that never overlap.
fn is_stretch(unit: Unit) -> bool {
    matches!(
        unit,
        Unit::Line
            | Unit::LineEntry
            | Unit::Paragraph
            | Unit::Sentence
            | Unit::Word
            | Unit::WordPattern
            | Unit::WordSpace
    )
}

/// Whether what is counted in each of `unit` is counted in the entire text too, at least as often.
pub(in crate::predicate::bound) fn is_additive(unit: Unit, small: Unit) -> bool {
    match small {
        Unit::Char | Unit::Letter
            if matches!(unit, Unit::Word | Unit::WordPattern | Unit::WordSpace) =>
        {
            true
        }
        Unit::Char | Unit::Letter | Unit::Word | Unit::WordPattern => {
            matches!(
                unit,
                Unit::Sentence
                    | Unit::Paragraph
                    | Unit::Line
                    | Unit::LineEntry
                    | Unit::Item
                    | Unit::ItemBullet
                    | Unit::ItemNumbered
                    | Unit::Heading
            )
        }
        // A sentence may end where no blank follows (`A。B`), and then one such word is in two.
        Unit::WordSpace => matches!(unit, Unit::Paragraph | Unit::Line),
        Unit::Sentence => unit == Unit::Paragraph,
        _ => false,
    }
}

/// Whether a run of `small` can go on over the end of a `unit`, and be counted on both sides: an
/// underscore that closes emphasis is a word character of `\w+`.
pub(in crate::predicate::bound) fn may_cross_unit_end(unit: Unit, small: Unit) -> bool {
    unit == Unit::Sentence && small == Unit::WordPattern
}
