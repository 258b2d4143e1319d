//! Members of lists and their neighbours, and the entire text.

use std::borrow::Cow;
use std::sync::Arc;

use super::known::{Derivation, FactSet, KnownBound, MeasureBounds};
use crate::bound::classes::class_contains;
use crate::bound::edges::{self, reason};
use crate::bound::fact::{Fact, ListSource, Measure, Property, Subject, TextEdge};
use crate::bound::{self, Conflict, Texts};
use crate::functions::{count_of, len_of};
use crate::needles::SearchKind;
use ifs_text::{Shape, Unit};

/// Contradictions between facts about each member of a list and about one, or about all of them if
/// there is one; and between a member and the entire text.
pub(super) fn of_members(
    facts: &[&Fact],
    bounds: &MeasureBounds<'_>,
    texts: Texts,
) -> Option<Conflict> {
    for (at, fact) in facts.iter().enumerate() {
        if let Property::Each(ListSource::Units(unit), inner) = &fact.property
            && let Some(conflict) = too_long(*unit, inner, facts, texts)
        {
            return Some(conflict);
        }
        let (members, ordinal, inner) = match &fact.property {
            Property::One(members, ordinal, inner) => (members, *ordinal, inner),
            Property::Each(members, inner) if has_member(members, bounds) => (members, None, inner),
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
        all.retain(|fact| fact.counts_for(texts));
        let member = ListMember { list: members, ordinal, every: &fact.property };
        if let Some(conflict) = of_member(&member, &all, facts, texts) {
            return Some(conflict);
        }
    }
    None
}

/// A member of a list, and the fact that says that there is one.
struct ListMember<'f> {
    list: &'f ListSource,
    ordinal: Option<i64>,
    every: &'f Property,
}

/// The maximum number of combinations of alternatives for a member.
const MAX_COMBINATIONS: usize = 64;

/// Why no member meets `all`, whichever alternative is chosen.
fn of_member(
    member: &ListMember<'_>,
    all: &[&Fact],
    facts: &[&Fact],
    texts: Texts,
) -> Option<Conflict> {
    let found = |inner: &[&Fact]| {
        // The current text cannot have what none of its parts may have, and cannot need more than
        // it has.
        if let Some(mut conflict) = bound::contradiction(inner, texts) {
            for reason in &mut conflict.reasons {
                reason.fragment = format!("{} in one {}", reason.fragment, short(member.list));
            }
            return Some(conflict);
        }
        with_the_whole(member, inner, facts, texts)
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
        first.get_or_insert(conflict);
    }
    first
}

/// What a line of JSON may begin with, or a fence around it.
const JSON_LINES: &str = "{}[]\",:-0123456789tfn`";

/// A property of a unit that contradicts the text around it: a capital, or the start of the first
/// and the end of the last unit.
fn with_the_whole(
    member: &ListMember<'_>,
    inner: &[&Fact],
    facts: &[&Fact],
    texts: Texts,
) -> Option<Conflict> {
    let ListSource::Units(unit) = *member.list else { return None };
    let ordinal = member.ordinal;
    let each = matches!(member.every, Property::Each(..));
    let outer = match unit {
        Unit::Line => true,
        // Between the last sentence and the end of a text there may be a row of stars, and before the
        // first paragraph a heading.
        Unit::Sentence | Unit::Paragraph => texts == Texts::Prose,
        _ => false,
    };
    let crosses = |whole: &Fact| {
        whole.property.subject() == Subject::Source && unit.is_of_content()
            || whole.property.subject() == Subject::Content && !unit.is_of_content()
    };
    for part in inner.iter().filter(|part| part.counts_for(texts)) {
        for whole in facts.iter().filter(|whole| texts == Texts::Prose || !crosses(whole)) {
            let meets = match (&part.property, &whole.property) {
                // No line of JSON begins so, the fences around it aside.
                (Property::Starts(edge), Property::Shape(Shape::Json))
                    if matches!(unit, Unit::LineEntry)
                        && edges::prefix(edge)
                            .is_some_and(|text| !text.starts_with(|c| JSON_LINES.contains(c))) =>
                {
                    return Some(Conflict { reasons: vec![reason(part), reason(whole)] });
                }
                (Property::StartsIn(class), Property::Shape(Shape::Json))
                    if matches!(unit, Unit::LineEntry)
                        && !JSON_LINES.chars().any(|c| class_contains(class, c)) =>
                {
                    return Some(Conflict { reasons: vec![reason(part), reason(whole)] });
                }
                // The first unit of the text is the first of its first part.
                (Property::NoLower(_) | Property::NoUpper(_), Property::Starts(edge))
                    if outer && (each || ordinal == Some(1)) =>
                {
                    let first = edges::prefix(edge).and_then(|text| text.chars().next());
                    let Some(first) = first else { continue };
                    let edge = Property::Starts(TextEdge::Exact(first.to_string()));
                    let whole = Fact { property: edge, ..(*whole).clone() };
                    if let Some(found) = edges::contradiction(&[part, &whole], texts) {
                        return Some(found);
                    }
                    continue;
                }
                (
                    Property::HasLower(_)
                    | Property::HasUpper(_)
                    | Property::Starts(_)
                    | Property::Ends(_)
                    | Property::Measured(Measure::Needle(..), _),
                    Property::NoLower(_) | Property::NoUpper(_),
                )
                | (
                    Property::Starts(_)
                    | Property::Ends(_)
                    | Property::Has(_)
                    | Property::Measured(Measure::Needle(..), _),
                    Property::Only(_),
                ) => true,
                (Property::StartsNot(_), Property::Starts(_))
                | (Property::Starts(_), Property::StartsNot(_))
                | (
                    Property::Starts(_) | Property::StartsIn(_),
                    Property::Starts(_) | Property::StartsIn(_) | Property::Shape(_),
                ) => outer && (each || ordinal == Some(1)),
                (Property::EndsNot(_), Property::Ends(_))
                | (
                    Property::Ends(_),
                    Property::EndsNot(_) | Property::Ends(_) | Property::Shape(_),
                ) => outer && (each || ordinal == Some(-1)),
                _ => false,
            };
            if let Some(found) =
                meets.then(|| edges::contradiction(&[part, whole], texts)).flatten()
            {
                return Some(found);
            }
        }
    }
    None
}

/// A word that has to occur, where every word is shorter.
pub(super) fn too_long(
    unit: Unit,
    inner: &[Fact],
    facts: &[&Fact],
    texts: Texts,
) -> Option<Conflict> {
    if !matches!(unit, Unit::Word | Unit::WordPart | Unit::WordPattern | Unit::WordSpace) {
        return None;
    }
    let most =
        inner.iter().filter(|fact| fact.counts_for(texts)).find_map(|fact| match &fact.property {
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
                SearchKind::Keyword
                    | SearchKind::KeywordReleased
                    | SearchKind::Phrase
                    | SearchKind::PhraseReleased
                    | SearchKind::Text
                    | SearchKind::Word
            ) && interval.low_int().is_some_and(|low| low >= 1)
                && part.chars().all(|c| c.is_ascii_alphabetic())
                && part.len() as i64 > most
        }
        _ => false,
    })?;
    // The name of a field in JSON is found, but is no word.
    let is_of_prose = unit.is_of_content() || longer.property.subject() == Subject::Content;
    (texts == Texts::Prose || !is_of_prose)
        .then(|| Conflict { reasons: vec![reason(fact), reason(longer)] })
}

pub(super) fn short(members: &ListSource) -> String {
    match members {
        ListSource::Units(unit) => unit.noun(1).to_owned(),
        ListSource::Other(_) => "member".to_owned(),
    }
}

/// Whether there certainly is a member.
pub(super) fn has_member(members: &ListSource, bounds: &MeasureBounds<'_>) -> bool {
    let least = match members {
        ListSource::Units(unit) => bounds.low.unit(*unit),
        ListSource::Other(list) => {
            let of = |call| bounds.low.get(&Measure::Other(Arc::new(call), true));
            of(count_of((**list).clone())).or_else(|| of(len_of((**list).clone())))
        }
    };
    least.is_some_and(|low| low.value >= 1)
}

/// Forty sentences of at least five words are two hundred words.
pub(super) fn from_members<'f>(
    facts: &[&'f Fact],
    bounds: &mut MeasureBounds<'f>,
    texts: Texts,
) -> bool {
    let mut changed = false;
    for (at, fact) in facts.iter().enumerate() {
        let (ListSource::Units(unit), inner, all) = (match &fact.property {
            Property::Each(members, inner) => (members, inner, true),
            Property::One(members, _, inner) => (members, inner, false),
            _ => continue,
        }) else {
            continue;
        };
        for part in inner.iter().filter(|part| part.counts_for(texts)) {
            let Property::Measured(measure, interval) = &part.property else { continue };
            // A text contains what its lines contain.
            let (small, adds) = match measure {
                Measure::Count(small) => {
                    let adds = is_additive(*unit, *small)
                        || texts == Texts::Prose && has_sentences_of_parts(*unit, *small);
                    (*small, adds)
                }
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
            let unknown = |value| KnownBound::stated(value, FactSet::default());
            let times = match all {
                true => bounds.low.unit(*unit).unwrap_or_else(|| unknown(0)),
                false => unknown(1),
            };
            // What is counted in pieces of the content is not all written as it is there.
            let crosses = is_across(*unit, small)
                || matches!(measure, Measure::Needle(..)) && unit.is_of_content();
            if crosses && texts == Texts::All {
                continue;
            }
            if let Some(low) = interval.low_int().filter(|low| *low >= 1 && times.value >= 1) {
                let may_cross = is_unit && texts == Texts::All && may_cross_unit_end(*unit, small);
                let cut = if may_cross { times.value } else { 0 };
                let value = times.value.saturating_mul(low).saturating_sub(cut);
                let mut known = KnownBound { value, ..times };
                known.from = known.from.and(FactSet::single(at));
                known.how = match all {
                    true => Derivation::Parts { many: times.value, of: *unit, each: low },
                    false => Derivation::Said,
                };
                changed |= bounds.raise(Cow::Borrowed(measure), known);
            }
            // Every word is in a paragraph, and in a line unless marks reach over its end.
            let covered = is_unit
                && (*unit == Unit::ParagraphReleased
                    || *unit == Unit::Line && texts == Texts::Prose)
                && matches!(
                    small,
                    Unit::Word | Unit::WordPart | Unit::WordPattern | Unit::WordSpace
                )
                || is_unit && texts == Texts::Prose && is_covered_in_prose(*unit, small);
            if let (true, true, Some(high), Some(most)) =
                (all, covered, interval.high_int(), bounds.high.unit(*unit))
            {
                let mut known = KnownBound {
                    value: most.value.saturating_mul(high.max(0)),
                    from: most.from,
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
            | Unit::ParagraphReleased
            | Unit::Sentence
            | Unit::Word
            | Unit::WordPart
            | Unit::WordPattern
            | Unit::WordSpace
    )
}

/// Whether what is counted in each of `unit` is counted in the entire text too, at least as often.
pub(in crate::bound) fn is_additive(unit: Unit, small: Unit) -> bool {
    match small {
        Unit::Char | Unit::Letter
            if matches!(
                unit,
                Unit::Word | Unit::WordPart | Unit::WordPattern | Unit::WordSpace
            ) =>
        {
            true
        }
        Unit::Char | Unit::Letter | Unit::Word | Unit::WordPart | Unit::WordPattern => {
            matches!(
                unit,
                Unit::Sentence
                    | Unit::Paragraph
                    | Unit::ParagraphReleased
                    | Unit::Line
                    | Unit::LineEntry
                    | Unit::Item
                    | Unit::ItemBullet
                    | Unit::ItemNumbered
                    | Unit::Heading
            )
        }
        // A sentence may end where no blank follows (`A。B`), and then one such word is in two.
        Unit::WordSpace => {
            matches!(unit, Unit::Paragraph | Unit::ParagraphReleased | Unit::Line)
        }
        _ => false,
    }
}

/// Whether one of them is a unit of the content and the other one of what is written: what is counted
/// in pieces of the content is not all written as it is there.
pub(in crate::bound) fn is_across(unit: Unit, small: Unit) -> bool {
    unit.is_of_content() != small.is_of_content() && small != Unit::Char
}

/// Whether the sentences of parts are those of the text: in code that has blank lines, or where a line
/// begins with a separator of information, which a paragraph is stripped of, they are not.
fn has_sentences_of_parts(unit: Unit, small: Unit) -> bool {
    (unit, small) == (Unit::Paragraph, Unit::Sentence)
}

/// Whether everything counted in a text of prose is in some unit: words outside of any sentence are
/// those of code and the like, and words outside of any paragraph are those of headings.
fn is_covered_in_prose(unit: Unit, small: Unit) -> bool {
    has_sentences_of_parts(unit, small)
        || matches!(unit, Unit::Sentence | Unit::Paragraph)
            && matches!(small, Unit::Word | Unit::WordPart | Unit::WordPattern | Unit::WordSpace)
}

/// Whether a run of `small` can go on over the end of a `unit`, and be counted on both sides: an
/// underscore that closes emphasis is a word character of `\w+`, and marks that a sentence is read
/// without may be between two halves of a word.
pub(in crate::bound) fn may_cross_unit_end(unit: Unit, small: Unit) -> bool {
    unit == Unit::Sentence && matches!(small, Unit::Word | Unit::WordPart | Unit::WordPattern)
}
