//! Bounds of measures that follow from facts, and from bounds of other measures.

use std::borrow::Cow;

use super::known::{Derivation, FactSet, KnownBound, MeasureBounds};
use super::members::from_members;
use super::rules;
use super::sums::{from_places, from_sums};
use crate::bound::Texts;
use crate::bound::classes::{SPACES, class_contains};
use crate::bound::edges::{LIGATURES, times_inside};
use crate::bound::fact::{Fact, ListSource, Measure, Property, Subject, TextEdge};
use crate::needles::SearchKind;
use ifs_text::python::{is_letter, is_word};
use ifs_text::{Shape, Unit};

/// Everything that follows for the counts.
pub(super) fn bounds<'f>(facts: &[&'f Fact], texts: Texts) -> MeasureBounds<'f> {
    let mut bounds = MeasureBounds::default();
    let is_prose = texts == Texts::Prose;
    for (at, fact) in facts.iter().enumerate() {
        let known = |value| KnownBound::stated(value, FactSet::single(at));
        if says_something(&fact.property) {
            // It may be in a tag, and the line may be a heading.
            if is_prose || fact.property.subject() == Subject::Content {
                bounds.raise_minimum(Unit::Line, known(1));
            }
            if is_prose {
                bounds.raise_minimum(Unit::Paragraph, known(1));
                bounds.raise_minimum(Unit::ParagraphReleased, known(1));
            }
        }
        match &fact.property {
            Property::Measured(measure, interval) if measure.counts() => {
                let (low, high) = (interval.low_int().unwrap_or(0), interval.high_int());
                // At least zero is trivial, except for a unit, which `from_members` reads.
                if low > 0 || matches!(measure, Measure::Count(_)) || high.is_some_and(|at| at < 0)
                {
                    bounds.raise(Cow::Borrowed(measure), known(low.max(0)));
                }
                if let Some(high) = high {
                    bounds.reduce(Cow::Borrowed(measure), known(high));
                }
            }
            Property::Shape(Shape::Html | Shape::HtmlReleased | Shape::Xml) => {
                if fact.property != Property::Shape(Shape::HtmlReleased) {
                    // The least is `<a>`.
                    bounds.raise_minimum(Unit::Char, known(3));
                }
                for sign in ["<", ">"] {
                    bounds.raise(needle(SearchKind::Text, sign.to_owned()), known(1));
                }
            }
            Property::Shape(Shape::Table) => {
                bounds.raise_minimum(Unit::Char, known(5));
                if is_prose {
                    bounds.raise_minimum(Unit::Line, known(2));
                }
                bounds.reduce_unit(Unit::Heading, known(0));
            }
            // Code in a fence has no headings either.
            Property::Shape(Shape::Bullets | Shape::Numbered) => {
                bounds.reduce_unit(Unit::Heading, known(0));
            }
            Property::Shape(Shape::Csv) => {
                // Two rows of two columns: a comma in each.
                bounds.raise(needle(SearchKind::Text, ",".to_owned()), known(2));
                if is_prose {
                    bounds.raise_minimum(Unit::Line, known(2));
                }
            }
            Property::Starts(TextEdge::Letter(letter))
            | Property::Ends(TextEdge::Letter(letter)) => {
                bounds.raise(needle(SearchKind::Letter, letter.to_string()), known(1));
                bounds.raise_minimum(Unit::Letter, known(1));
            }
            Property::Starts(TextEdge::LetterReleased(letter))
            | Property::Ends(TextEdge::LetterReleased(letter))
                if is_prose =>
            {
                bounds.raise(needle(SearchKind::Letter, letter.to_string()), known(1));
                bounds.raise_minimum(Unit::Letter, known(1));
            }
            Property::Only(class) => {
                let within = |test: fn(char) -> bool| {
                    SPACES.iter().any(|c| test(*c) && class_contains(class, *c))
                };
                if !within(|c| !matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}')) {
                    // A tag or an escaped character may end a line, too.
                    let read = [Unit::Line, Unit::Paragraph].into_iter().filter(|_| is_prose);
                    for unit in read.chain([Unit::LineAll, Unit::ParagraphReleased]) {
                        bounds.reduce_unit(unit, known(1));
                    }
                }
                if !within(|_| true) {
                    bounds.reduce_unit(Unit::WordSpace, known(1));
                    // One run of letters and digits is one word.
                    let plain = class.ranges().iter().all(|range| {
                        (range.start()..=range.end()).all(|c| c.is_ascii_alphanumeric())
                    });
                    if plain {
                        bounds.reduce_unit(Unit::Word, known(1));
                        bounds.reduce_unit(Unit::WordPart, known(1));
                        bounds.reduce_unit(Unit::WordPattern, known(1));
                    }
                }
                // Two sets without a common character leave an empty text.
                for (other_at, other) in facts.iter().enumerate().take(at) {
                    if let Property::Only(other) = &other.property {
                        let mut common = other.clone();
                        common.intersect(class);
                        if common.ranges().is_empty() {
                            let from = FactSet::single(at).and(FactSet::single(other_at));
                            bounds.reduce_unit(Unit::Char, KnownBound::stated(0, from));
                        }
                    }
                }
            }
            // Without blank lines there is only one paragraph.
            Property::Each(ListSource::Units(Unit::LineAll), inner)
                if inner
                    .iter()
                    .any(|fact| fact.counts_for(texts) && excludes_blanks(&fact.property)) =>
            {
                if is_prose {
                    bounds.reduce_unit(Unit::Paragraph, known(1));
                }
                bounds.reduce_unit(Unit::ParagraphReleased, known(1));
            }
            // Cased characters need not be letters, so nothing is counted.
            _ => {}
        }
    }
    // Each step makes some bound tighter; a few rounds reach what chains of rules can.
    let mut known_of_needles = None;
    for _ in 0..6 {
        from_json(facts, &mut bounds, texts);
        let of_needles = Some((bounds.low.changes, bounds.high.changes));
        let needles = known_of_needles != of_needles && from_needles(&mut bounds, texts);
        known_of_needles = of_needles;
        let members =
            from_members(facts, &mut bounds, texts) | from_places(facts, &mut bounds, texts);
        let sums = from_sums(facts, &mut bounds);
        let rules = from_rules(&mut bounds, texts);
        if !(needles || members || sums || rules) {
            break;
        }
    }
    bounds
}

pub(super) fn needle(kind: SearchKind, part: String) -> Cow<'static, Measure> {
    Cow::Owned(Measure::Needle(kind, part))
}

/// Whether a text with this property cannot be blank.
pub(super) fn says_something(property: &Property) -> bool {
    match property {
        Property::Shape(shape) => *shape != Shape::MarkdownReleased,
        Property::Starts(edge) | Property::Ends(edge) => {
            matches!(
                edge,
                TextEdge::Exact(_)
                    | TextEdge::Read(_)
                    | TextEdge::Mark { .. }
                    | TextEdge::Pair { .. }
                    | TextEdge::Letter(_)
            )
        }
        Property::HasLower(_) | Property::HasUpper(_) => true,
        _ => false,
    }
}

pub(in crate::bound) fn excludes_blanks(property: &Property) -> bool {
    match property {
        Property::Measured(Measure::Count(unit), interval) => {
            let filled = [Unit::Letter, Unit::Word, Unit::WordPattern, Unit::WordSpace];
            filled.contains(unit) && interval.low_int().is_some_and(|low| low >= 1)
        }
        property => says_something(property),
    }
}

/// Inside JSON a line that is written begins with a dash only where a negative number does, for
/// strings hold no line ends; and between two numbers there is a comma.
pub(super) fn from_json(facts: &[&Fact], bounds: &mut MeasureBounds<'_>, texts: Texts) {
    let json = facts.iter().position(|fact| {
        matches!(fact.property, Property::Shape(Shape::Json | Shape::JsonReleased))
    });
    let Some(json) = json else { return };
    bounds.raise_minimum(Unit::LineEntry, KnownBound::stated(1, FactSet::single(json)));
    // Only the one around all of it.
    bounds.reduce_unit(Unit::CodeBlock, KnownBound::stated(1, FactSet::single(json)));
    // Brackets are balanced.
    let opened = facts.iter().enumerate().find_map(|(at, fact)| match &fact.property {
        Property::Starts(TextEdge::Exact(text) | TextEdge::Pair { here: text, .. }) => {
            let close = match text.chars().next()? {
                '{' => "}",
                '[' => "]",
                _ => return None,
            };
            Some((at, close))
        }
        _ => None,
    });
    if let Some((at, close)) = opened {
        let from = FactSet::single(json).and(FactSet::single(at));
        let mark = |text: &str| needle(SearchKind::Text, text.to_owned());
        bounds.raise(mark(close), KnownBound::stated(1, from));
        // An object with something in it has a colon.
        let units = [Unit::ItemReleased, Unit::Letter, Unit::Word, Unit::WordPattern];
        let filled = units.into_iter().filter_map(|unit| bounds.low.unit(unit));
        if let Some(low) = filled.into_iter().find(|low| low.value >= 1 && close == "}") {
            bounds.raise(mark(":"), KnownBound { value: 1, from: low.from.and(from), ..low });
        }
    }
    // A value that begins with a quotation mark is one string.
    let string = facts.iter().position(|fact| match &fact.property {
        Property::Starts(TextEdge::Exact(text) | TextEdge::Pair { here: text, .. }) => {
            text.starts_with('"')
        }
        _ => false,
    });
    if let Some(string) = string {
        let from = FactSet::single(json).and(FactSet::single(string));
        if texts == Texts::Prose {
            bounds.reduce_unit(Unit::Line, KnownBound::stated(1, from));
        }
        bounds.reduce_unit(Unit::ItemReleased, KnownBound::stated(0, from));
    }
    if let Some(items) = bounds.low.unit(Unit::ItemReleased) {
        let mut known = KnownBound { value: items.value - 1, ..items };
        known.from = known.from.and(FactSet::single(json));
        bounds.raise(needle(SearchKind::Text, ",".to_owned()), known);
    }
}

pub(super) fn from_rules(bounds: &mut MeasureBounds<'_>, texts: Texts) -> bool {
    let mut changed = false;
    for rule in rules(texts) {
        if let Some(low) = &bounds.low.units[rule.small as usize]
            && low.value >= 1
        {
            let known = KnownBound {
                value: low.value.saturating_mul(rule.times) - rule.less,
                from: low.from,
                how: Derivation::Are { many: low.value, of: rule.small },
            };
            changed |= bounds.raise_minimum(rule.big, known);
        }
        if let Some(high) = &bounds.high.units[rule.big as usize] {
            let most = high.value.saturating_add(rule.less);
            let value = match rule.times {
                // With nothing of `big` there is nothing of `small` either.
                _ if high.value <= 0 => 0,
                1 => most.max(0),
                times => most.div_euclid(times).max(0),
            };
            let how = Derivation::Said;
            let known = KnownBound { value, from: high.from, how };
            changed |= bounds.reduce_unit(rule.small, known);
        }
    }
    changed
}

/// Occurrences take room: different words are different words of the text.
pub(super) fn from_needles(bounds: &mut MeasureBounds<'_>, texts: Texts) -> bool {
    let needed = bounds.low.others.iter().filter_map(|(measure, known)| match &**measure {
        Measure::Needle(kind, part) if known.value >= 1 => Some((*kind, part, *known)),
        _ => None,
    });
    let needed: Vec<(SearchKind, &String, KnownBound)> = needed.collect();
    if needed.is_empty() {
        return false;
    }
    let mut units: Vec<(Unit, KnownBound)> = Vec::new();
    for (unit, kind) in [
        (Unit::WordPattern, SearchKind::KeywordReleased),
        (Unit::WordPart, SearchKind::Keyword),
        (Unit::WordPart, SearchKind::Word),
        (Unit::Letter, SearchKind::Letter),
    ] {
        let whole = |part: &str| match unit {
            Unit::Letter => {
                let mut chars = part.chars();
                chars.next().is_some_and(is_letter) && chars.next().is_none()
            }
            Unit::WordPattern => part.chars().all(is_word),
            // One word by any reading: letters and digits of one kind of script.
            _ => part.chars().all(|c| c.is_ascii_alphanumeric()),
        };
        let mut words = KnownBound::stated(0, FactSet::default());
        let mut chars = words;
        for (_, part, known) in needed.iter().filter(|(k, part, _)| *k == kind && whole(part)) {
            words.value += known.value;
            let apart = i64::from(unit != Unit::Letter);
            let length = shortest_length(kind, part) + apart;
            chars.value += known.value.saturating_mul(length);
            for sum in [&mut words, &mut chars] {
                sum.from = sum.from.and(known.from);
            }
        }
        for sum in [&mut words, &mut chars] {
            sum.how = Derivation::Sum;
        }
        if words.value > 0 {
            // The last run needs nothing after it.
            chars.value -= i64::from(unit != Unit::Letter);
            units.push((Unit::Char, chars));
            // Names of fields in JSON are found, but are no words.
            if texts == Texts::Prose || !unit.is_of_content() {
                units.push((unit, words));
            }
        }
    }
    // A needle that is a unit counts as one.
    for (kind, part, known) in &needed {
        if let SearchKind::Unit(unit) = kind {
            units.push((*unit, *known));
        }
        let length = shortest_length(*kind, part);
        units
            .push((Unit::Char, KnownBound { value: known.value.saturating_mul(length), ..*known }));
        // Each word of the needle is a word of the text; those at its ends may be shared by two
        // occurrences.
        let words = words_of_needle(*kind, part);
        if words > 1 {
            let value = known.value.saturating_mul(words - 1) + 1;
            for unit in [Unit::Word, Unit::WordPart, Unit::WordPattern, Unit::WordSpace] {
                let is_written = kind.subject() == Subject::Source && !unit.is_of_content();
                if texts == Texts::Prose || is_written {
                    units.push((unit, KnownBound { value, ..*known }));
                }
            }
        }
    }
    // Each occurrence of a text has its parts inside.
    let mut inside: Vec<(Cow<'_, Measure>, KnownBound)> = Vec::new();
    for measure in bounds.high.others.keys().chain(bounds.low.others.keys()) {
        let Measure::Needle(kind, part) = &**measure else { continue };
        for (whole_kind, whole, known) in needed.iter().filter(|(whole_kind, whole, _)| {
            (matches!(whole_kind, SearchKind::Text) || matches!(kind, SearchKind::Letter))
                && (*whole_kind, *whole) != (*kind, part)
        }) {
            let times = times_inside(*kind, part, whole) as i64;
            let is_same = whole_kind.subject() == kind.subject();
            if times > 0 && (texts == Texts::Prose || is_same) {
                let value = known.value.saturating_mul(times);
                inside.push((measure.clone(), KnownBound { value, ..*known }));
            }
        }
    }
    // Different marks are at different places.
    let mut marks =
        KnownBound { how: Derivation::Sum, ..KnownBound::stated(0, FactSet::default()) };
    for (_, _, known) in needed
        .iter()
        .filter(|(kind, part, _)| matches!(kind, SearchKind::Text) && part.chars().count() == 1)
    {
        marks.value = marks.value.saturating_add(known.value);
        marks.from = marks.from.and(known.from);
    }
    if marks.value > 0 {
        units.push((Unit::Char, marks));
    }
    let mut changed = false;
    for (unit, known) in units {
        changed |= bounds.raise_minimum(unit, known);
    }
    for (measure, known) in inside {
        changed |= bounds.raise(measure, known);
    }
    changed
}

/// The least number of characters of an occurrence: one sign may stand for several letters.
fn shortest_length(kind: SearchKind, part: &str) -> i64 {
    let length = part.chars().count() as i64;
    if kind.subject() == Subject::Source {
        return length;
    }
    let several = LIGATURES.iter().chain([&"..."]);
    let shorter =
        several.map(|part_of| part.matches(part_of).count() as i64 * (part_of.len() as i64 - 1));
    (length - shorter.sum::<i64>()).max(1)
}

/// The number of words of a needle, separated by blanks.
pub(in crate::bound) fn words_of_needle(kind: SearchKind, part: &str) -> i64 {
    if !matches!(
        kind,
        SearchKind::Keyword
            | SearchKind::KeywordReleased
            | SearchKind::Phrase
            | SearchKind::PhraseReleased
            | SearchKind::Text
            | SearchKind::Word
    ) {
        return 1;
    }
    let word = |part: &&str| part.chars().any(|c| c.is_ascii_alphanumeric());
    part.split(' ').filter(word).count() as i64
}
