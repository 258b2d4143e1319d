//! What follows for one measure from others, and measures that cannot be met.
//!
//! Each rule below is true of every text (and checked on random texts by `rules_hold`), except the
//! one marked as true of prose.

use std::borrow::Cow;
use std::collections::BTreeMap;

use regex_syntax::hir::ClassUnicode;

use super::edges::{self, reason, times_inside};
use super::fact::{Edge, Fact, Measure, Members, What};
use super::interval::{End, Interval};
use super::{Conflict, Reason, phrase};
use crate::predicate::number::Number;
use crate::source::Span;
use crate::text::python::is_word;
use crate::text::{Shape, UNITS, Unit};

/// `big >= times * small - less`, wherever there is one of `small`.
pub(super) struct Rule {
    pub(super) big: Unit,
    pub(super) small: Unit,
    pub(super) times: i64,
    pub(super) less: i64,
    pub(super) in_prose: bool,
}

const fn rule(big: Unit, times: i64, small: Unit, less: i64) -> Rule {
    Rule { big, small, times, less, in_prose: false }
}

pub(super) const RULES: &[Rule] = &[
    // Every unit is a stretch of at least one character, apart from the others of its kind.
    rule(Unit::Char, 1, Unit::Grapheme, 0),
    rule(Unit::Char, 1, Unit::Letter, 0),
    rule(Unit::Char, 1, Unit::Word, 0),
    rule(Unit::Char, 1, Unit::Sentence, 0),
    rule(Unit::Char, 1, Unit::SentencePunkt, 0),
    rule(Unit::Char, 1, Unit::Number, 0),
    rule(Unit::Char, 1, Unit::Emoji, 0),
    // Runs are kept apart by something that is in none of them.
    rule(Unit::Char, 2, Unit::WordPattern, 1),
    rule(Unit::Char, 2, Unit::WordSpace, 1),
    rule(Unit::Char, 2, Unit::NumberDigits, 1),
    rule(Unit::Char, 2, Unit::Line, 1),
    rule(Unit::Char, 2, Unit::ItemReleased, 1),
    rule(Unit::Char, 2, Unit::SentenceSimple, 1),
    // Between two paragraphs there are two line ends.
    rule(Unit::Char, 3, Unit::Paragraph, 2),
    // A line that is not blank has something without blanks, and blanks end lines.
    rule(Unit::WordSpace, 1, Unit::Line, 0),
    rule(Unit::WordSpace, 1, Unit::SentenceSimple, 0),
    // Blank lines end paragraphs, so each has lines of its own; items and headings are lines.
    rule(Unit::Line, 1, Unit::Paragraph, 0),
    rule(Unit::Line, 1, Unit::Item, 0),
    rule(Unit::Line, 1, Unit::ItemReleased, 0),
    rule(Unit::Line, 1, Unit::Heading, 0),
    rule(Unit::Line, 1, Unit::TableRow, 0),
    rule(Unit::LineAll, 1, Unit::Line, 0),
    rule(Unit::Line, 1, Unit::LineEntry, 0),
    // A section is a heading with what follows it.
    rule(Unit::Section, 1, Unit::Heading, 0),
    rule(Unit::Heading, 1, Unit::Section, 0),
    // A header and the row below it.
    rule(Unit::Line, 2, Unit::Table, 0),
    rule(Unit::Item, 1, Unit::ItemBullet, 0),
    rule(Unit::Item, 1, Unit::ItemNumbered, 0),
    // A sentence has a letter or a digit, which is in a word, and its end is not inside one.
    rule(Unit::Word, 1, Unit::Sentence, 0),
    rule(Unit::WordPattern, 1, Unit::Sentence, 0),
    // A paragraph of letters has a sentence; one of stars or of code has none.
    Rule { big: Unit::Sentence, small: Unit::Paragraph, times: 1, less: 0, in_prose: true },
    // Words of prose have letters; numbers are words without.
    Rule { big: Unit::Letter, small: Unit::Word, times: 1, less: 0, in_prose: true },
    Rule { big: Unit::Letter, small: Unit::WordPattern, times: 1, less: 0, in_prose: true },
];

/// One end of what is known of a measure, and the facts it follows from.
#[derive(Clone, Copy, Debug)]
struct Known {
    value: i64,
    from: Facts,
    in_prose: bool,
}

/// Facts by their places. Of more than 128 the later ones are not remembered: a conflict then
/// labels whole checks.
#[derive(Clone, Copy, Debug, Default)]
struct Facts(u128);

impl Facts {
    fn one(at: usize) -> Facts {
        Facts(if at < 128 { 1 << at } else { 0 })
    }

    fn and(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    fn iter(self) -> impl Iterator<Item = usize> {
        (0..128).filter(move |at| self.0 >> at & 1 == 1)
    }
}

/// What is known of all measures from one side; counts of units are asked for most.
struct Side<'f> {
    units: [Option<Known>; Unit::COUNT],
    others: BTreeMap<Cow<'f, Measure>, Known>,
    /// How often `others` was changed.
    changes: u32,
}

impl Default for Side<'_> {
    fn default() -> Self {
        Side { units: [None; Unit::COUNT], others: BTreeMap::new(), changes: 0 }
    }
}

impl Side<'_> {
    fn unit(&self, unit: Unit) -> Option<Known> {
        self.units[unit as usize]
    }

    fn get(&self, measure: &Measure) -> Option<Known> {
        match measure {
            Measure::Count(unit) => self.unit(*unit),
            other => self.others.get(other).copied(),
        }
    }
}

#[derive(Default)]
struct Bounds<'f> {
    low: Side<'f>,
    high: Side<'f>,
}

impl<'f> Bounds<'f> {
    fn raise_unit(&mut self, unit: Unit, known: Known) -> bool {
        let have = &mut self.low.units[unit as usize];
        let better = have.is_none_or(|have| have.value < known.value);
        if better {
            *have = Some(known);
        }
        better
    }

    fn reduce_unit(&mut self, unit: Unit, known: Known) -> bool {
        let have = &mut self.high.units[unit as usize];
        let better = have.is_none_or(|have| have.value > known.value);
        if better {
            *have = Some(known);
        }
        better
    }

    fn raise(&mut self, measure: Cow<'f, Measure>, known: Known) -> bool {
        if let Measure::Count(unit) = *measure {
            return self.raise_unit(unit, known);
        }
        let better = self.low.others.get(&*measure).is_none_or(|have| have.value < known.value);
        if better {
            self.low.others.insert(measure, known);
            self.low.changes += 1;
        }
        better
    }

    fn reduce(&mut self, measure: Cow<'f, Measure>, known: Known) -> bool {
        if let Measure::Count(unit) = *measure {
            return self.reduce_unit(unit, known);
        }
        let better = self.high.others.get(&*measure).is_none_or(|have| have.value > known.value);
        if better {
            self.high.others.insert(measure, known);
            self.high.changes += 1;
        }
        better
    }
}

pub(super) fn contradiction(facts: &[&Fact]) -> Option<Conflict> {
    if let Some(conflict) = of_numbers(facts) {
        return Some(conflict);
    }
    // Most sets of facts have only lower bounds, which never meet.
    let bounded = facts.iter().any(|fact| is_bounded_above(&fact.what));
    let members = facts.iter().any(|fact| matches!(fact.what, What::Each(..) | What::One(..)));
    if !bounded && !members {
        return None;
    }
    let bounds = bounds(facts);
    let crossed = if bounded { of_counts(facts, &bounds) } else { None };
    crossed.or_else(|| if members { of_members(facts, &bounds) } else { None })
}

fn of_counts(facts: &[&Fact], bounds: &Bounds<'_>) -> Option<Conflict> {
    for unit in UNITS.iter().map(|entry| entry.unit) {
        let (low, high) = (&bounds.low.units[unit as usize], &bounds.high.units[unit as usize]);
        if let (Some(low), Some(high)) = (low, high)
            && low.value > high.value
        {
            return Some(crossed(facts, low, high, &Measure::Count(unit)));
        }
    }
    bounds.low.others.iter().find_map(|(measure, low)| {
        let high = bounds.high.others.get(measure)?;
        (low.value > high.value).then(|| crossed(facts, low, high, measure))
    })
}

/// What is told of bounds of a measure that leave no number between them.
fn crossed(facts: &[&Fact], low: &Known, high: &Known, measure: &Measure) -> Conflict {
    let at_least = Interval::at_least(Number::Int(low.value));
    let at_most = Interval::at_most(Number::Int(high.value));
    let sides = [
        (*high, phrase::measured(measure, &at_most)),
        (*low, phrase::measured(measure, &at_least)),
    ];
    Conflict { reasons: reasons(facts, sides), in_prose: low.in_prose || high.in_prose }
}

fn is_bounded_above(what: &What) -> bool {
    match what {
        What::Measured(measure, interval) => measure.counts() && interval.high.is_some(),
        What::Shape(Shape::Json | Shape::JsonReleased) | What::Only(_) => true,
        What::Each(_, inner) => inner.iter().any(|fact| is_bounded_above(&fact.what)),
        _ => false,
    }
}

/// Contradictions between what is true of each member of a list and of one, or of all of them
/// where there is one; and between a member and the whole text.
fn of_members(facts: &[&Fact], bounds: &Bounds<'_>) -> Option<Conflict> {
    for (at, fact) in facts.iter().enumerate() {
        if let What::Each(Members::Units(unit), inner) = &fact.what
            && let Some(conflict) = too_long(*unit, inner, facts)
        {
            return Some(conflict);
        }
        let (members, ordinal, inner, in_prose) = match &fact.what {
            What::One(members, ordinal, inner) => (members, *ordinal, inner, false),
            What::Each(members, inner) => match peopled(members, bounds) {
                Some(in_prose) => (members, None, inner, in_prose),
                None => continue,
            },
            _ => continue,
        };
        let mut all: Vec<&Fact> = inner.iter().collect();
        for (other_at, other) in facts.iter().enumerate() {
            let same = match &other.what {
                What::Each(of, inner) if of == members => inner,
                What::One(of, Some(other), inner) if of == members && Some(*other) == ordinal => {
                    inner
                }
                _ => continue,
            };
            if other_at != at {
                all.extend(same);
            }
        }
        // The text at hand cannot have what no part of it may have, nor need more than it has.
        if let Some(mut conflict) = super::contradiction(&all) {
            for reason in &mut conflict.reasons {
                reason.fragment = format!("{} in one {}", reason.fragment, short(members));
            }
            conflict.in_prose |= in_prose;
            return Some(conflict);
        }
        if let Members::Units(unit) = members
            && let Some(mut conflict) = with_the_whole(*unit, ordinal, &fact.what, inner, facts)
        {
            conflict.in_prose |= in_prose;
            return Some(conflict);
        }
    }
    None
}

/// What a unit has that the text around it must not have: a capital, or how the first and the last
/// one start and end.
fn with_the_whole(
    unit: Unit,
    ordinal: Option<i64>,
    of: &What,
    inner: &[Fact],
    facts: &[&Fact],
) -> Option<Conflict> {
    let each = matches!(of, What::Each(..));
    // Between the last sentence and the end of a text there may be a row of stars.
    let (outer, in_prose) = match unit {
        Unit::Paragraph | Unit::Line => (true, false),
        Unit::Sentence => (true, true),
        _ => (false, false),
    };
    for part in inner {
        for whole in facts {
            let meets = match (&part.what, &whole.what) {
                (
                    What::HasLower(_) | What::HasUpper(_) | What::Measured(Measure::Needle(..), _),
                    What::NoLower(_) | What::NoUpper(_),
                )
                | (What::Starts(_) | What::Ends(_) | What::Has(_), What::Only(_)) => Some(false),
                (What::Measured(Measure::Needle(kind, _), _), What::Only(_)) if kind == "text" => {
                    Some(false)
                }
                (What::StartsNot(_), What::Starts(_)) | (What::Starts(_), What::StartsNot(_))
                    if outer && (each || ordinal == Some(1)) =>
                {
                    Some(in_prose)
                }
                (What::EndsNot(_), What::Ends(_)) | (What::Ends(_), What::EndsNot(_))
                    if outer && (each || ordinal == Some(-1)) =>
                {
                    Some(in_prose)
                }
                (What::Starts(_), What::Starts(_) | What::Shape(_))
                    if outer && (each || ordinal == Some(1)) =>
                {
                    Some(in_prose)
                }
                (What::Ends(_), What::Ends(_) | What::Shape(_))
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
fn too_long(unit: Unit, inner: &[Fact], facts: &[&Fact]) -> Option<Conflict> {
    if !matches!(unit, Unit::Word | Unit::WordPattern | Unit::WordSpace) {
        return None;
    }
    let most = inner.iter().find_map(|fact| match &fact.what {
        What::Measured(Measure::Count(Unit::Char), interval) => Some((fact, interval.high_int()?)),
        _ => None,
    });
    let (fact, most) = most?;
    let longer = facts.iter().find(|fact| match &fact.what {
        What::Measured(Measure::Needle(kind, part), interval) => {
            ["keyword", "phrase", "text", "word"].contains(&kind.as_str())
                && interval.low_int().is_some_and(|low| low >= 1)
                && part.chars().all(|c| c.is_ascii_alphabetic())
                && part.len() as i64 > most
        }
        _ => false,
    })?;
    Some(Conflict { reasons: vec![reason(fact), reason(longer)], in_prose: false })
}

fn short(members: &Members) -> String {
    match members {
        Members::Units(unit) => unit.noun(1).to_owned(),
        Members::Other(_) => "member".to_owned(),
    }
}

/// Whether there is a member, and if so, whether that holds of prose only.
fn peopled(members: &Members, bounds: &Bounds<'_>) -> Option<bool> {
    let least = match members {
        Members::Units(unit) => bounds.low.unit(*unit),
        Members::Other(source) => bounds
            .low
            .get(&Measure::Other(format!("count({source})"), true))
            .or_else(|| bounds.low.get(&Measure::Other(format!("len({source})"), true))),
    };
    least.filter(|low| low.value >= 1).map(|low| low.in_prose)
}

/// Measures that need not be whole numbers, such as shares.
fn of_numbers(facts: &[&Fact]) -> Option<Conflict> {
    for (at, fact) in facts.iter().enumerate() {
        let What::Measured(measure, interval) = &fact.what else { continue };
        if interval.is_empty() {
            return Some(Conflict { reasons: vec![reason(fact)], in_prose: false });
        }
        for other in facts.get(at + 1..).unwrap_or(&[]) {
            let What::Measured(same, other_interval) = &other.what else { continue };
            if same == measure && meet(*interval, *other_interval).is_empty() {
                return Some(Conflict {
                    reasons: vec![reason(fact), reason(other)],
                    in_prose: false,
                });
            }
        }
    }
    None
}

pub(super) fn meet(a: Interval, b: Interval) -> Interval {
    let pick = |x: Option<End>, y: Option<End>, low: bool| match (x, y) {
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

/// Everything that follows for the counts.
fn bounds<'f>(facts: &[&'f Fact]) -> Bounds<'f> {
    let mut bounds = Bounds::default();
    for (at, fact) in facts.iter().enumerate() {
        let known = |value| Known { value, from: Facts::one(at), in_prose: false };
        if says_something(&fact.what) {
            for unit in [Unit::Line, Unit::Paragraph] {
                bounds.raise_unit(unit, known(1));
            }
        }
        match &fact.what {
            What::Measured(measure, interval) if measure.counts() => {
                let (low, high) = (interval.low_int().unwrap_or(0), interval.high_int());
                // That there is none or more goes without saying, of anything but a unit, which
                // `from_members` asks for.
                if low > 0 || matches!(measure, Measure::Count(_)) || high.is_some_and(|at| at < 0)
                {
                    bounds.raise(Cow::Borrowed(measure), known(low.max(0)));
                }
                if let Some(high) = high {
                    bounds.reduce(Cow::Borrowed(measure), known(high));
                }
            }
            What::Shape(Shape::Html | Shape::HtmlReleased | Shape::Xml) => {
                for sign in ["<", ">"] {
                    bounds.raise(needle("text", sign.to_owned()), known(1));
                }
            }
            What::Shape(Shape::Csv) => {
                // Two rows of two columns: a comma in each.
                bounds.raise(needle("text", ",".to_owned()), known(2));
                bounds.raise_unit(Unit::Line, known(2));
            }
            What::Starts(Edge::Letter(letter)) | What::Ends(Edge::Letter(letter)) => {
                bounds.raise(needle("letter", letter.to_string()), known(1));
                bounds.raise_unit(Unit::Letter, known(1));
            }
            What::Starts(Edge::LetterReleased(letter))
            | What::Ends(Edge::LetterReleased(letter)) => {
                bounds.raise(needle("letter", letter.to_string()), known(1));
                bounds.raise_unit(Unit::Letter, known(1));
            }
            What::Only(class) => {
                let within =
                    |test: fn(char) -> bool| SPACES.iter().any(|c| test(*c) && has(class, *c));
                if !within(|c| !matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}')) {
                    for unit in [Unit::Line, Unit::LineAll, Unit::Paragraph] {
                        bounds.reduce_unit(unit, known(1));
                    }
                }
                if !within(|_| true) {
                    bounds.reduce_unit(Unit::WordSpace, known(1));
                }
                // Nothing is left where two allow no character in common.
                for (other_at, other) in facts.iter().enumerate().take(at) {
                    if let What::Only(other) = &other.what {
                        let mut common = other.clone();
                        common.intersect(class);
                        if common.ranges().is_empty() {
                            let from = Facts::one(at).and(Facts::one(other_at));
                            bounds
                                .reduce_unit(Unit::Char, Known { value: 0, from, in_prose: false });
                        }
                    }
                }
            }
            // Cased characters need not be letters, so nothing is counted.
            _ => {}
        }
    }
    // Each step makes some bound tighter; a few rounds reach what chains of rules can.
    let mut known_of_needles = None;
    for _ in 0..6 {
        from_json(facts, &mut bounds);
        let of_needles = Some((bounds.low.changes, bounds.high.changes));
        let needles = known_of_needles != of_needles && from_needles(&mut bounds);
        known_of_needles = of_needles;
        let members = from_members(facts, &mut bounds);
        let rules = from_rules(&mut bounds);
        if !(needles || members || rules) {
            break;
        }
    }
    bounds
}

/// All that may part words or lines, as Python's `isspace` and `splitlines` have it.
const SPACES: [char; 29] = [
    '\t', '\n', '\u{b}', '\u{c}', '\r', '\u{1c}', '\u{1d}', '\u{1e}', '\u{1f}', ' ', '\u{85}',
    '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}',
    '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}',
    '\u{205f}', '\u{3000}',
];

fn has(class: &ClassUnicode, c: char) -> bool {
    class.ranges().iter().any(|range| range.start() <= c && c <= range.end())
}

fn needle(kind: &str, part: String) -> Cow<'static, Measure> {
    Cow::Owned(Measure::Needle(kind.to_owned(), part))
}

/// Whether a text of which this is true cannot be blank.
fn says_something(what: &What) -> bool {
    match what {
        What::Shape(shape) => *shape != Shape::MarkdownReleased,
        What::Starts(edge) | What::Ends(edge) => {
            matches!(edge, Edge::Exact(_) | Edge::Pair { .. } | Edge::Letter(_))
        }
        What::HasLower(_) | What::HasUpper(_) => true,
        _ => false,
    }
}

/// Inside JSON a line begins with a dash only where a negative number does, for strings hold no
/// line ends; and between two numbers there is a comma.
fn from_json(facts: &[&Fact], bounds: &mut Bounds<'_>) {
    let json = facts
        .iter()
        .position(|fact| matches!(fact.what, What::Shape(Shape::Json | Shape::JsonReleased)));
    let Some(json) = json else { return };
    // Outside of a string no line of JSON begins with a mark and a blank, and inside there is no
    // line end.
    for unit in [Unit::Item, Unit::ItemBullet, Unit::ItemNumbered, Unit::Heading] {
        let known = Known { value: 0, from: Facts::one(json), in_prose: false };
        bounds.reduce_unit(unit, known);
    }
    // What is opened is closed.
    let opened = facts.iter().enumerate().find_map(|(at, fact)| match &fact.what {
        What::Starts(Edge::Exact(text) | Edge::Pair { here: text, .. }) => {
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
        let from = Facts::one(json).and(Facts::one(at));
        let mark = |text: &str| needle("text", text.to_owned());
        bounds.raise(mark(close), Known { value: 1, from, in_prose: false });
        // An object with something in it has a colon.
        let units = [Unit::ItemReleased, Unit::Letter, Unit::Word, Unit::WordPattern];
        let filled = units.into_iter().filter_map(|unit| bounds.low.unit(unit));
        if let Some(low) = filled.into_iter().find(|low| low.value >= 1 && close == "}") {
            bounds.raise(mark(":"), Known { value: 1, from: low.from.and(from), ..low });
        }
    }
    // A value that begins with a quotation mark is one string.
    let string = facts.iter().position(|fact| match &fact.what {
        What::Starts(Edge::Exact(text) | Edge::Pair { here: text, .. }) => text.starts_with('"'),
        _ => false,
    });
    if let Some(string) = string {
        let from = Facts::one(json).and(Facts::one(string));
        bounds.reduce_unit(Unit::Line, Known { value: 1, from, in_prose: false });
        bounds.reduce_unit(Unit::ItemReleased, Known { value: 0, from, in_prose: false });
    }
    if let Some(items) = bounds.low.unit(Unit::ItemReleased) {
        let mut known = Known { value: items.value - 1, ..items };
        known.from = known.from.and(Facts::one(json));
        bounds.raise(needle("text", ",".to_owned()), known);
    }
}

fn from_rules(bounds: &mut Bounds<'_>) -> bool {
    let mut changed = false;
    for rule in RULES {
        if let Some(low) = &bounds.low.units[rule.small as usize]
            && low.value >= 1
        {
            let known = Known {
                value: low.value.saturating_mul(rule.times) - rule.less,
                from: low.from,
                in_prose: low.in_prose || rule.in_prose,
            };
            changed |= bounds.raise_unit(rule.big, known);
        }
        if let Some(high) = &bounds.high.units[rule.big as usize] {
            let most = high.value.saturating_add(rule.less);
            let value = match rule.times {
                // With nothing of `big` there is nothing of `small` either.
                _ if high.value <= 0 => 0,
                1 => most.max(0),
                times => most.div_euclid(times).max(0),
            };
            let in_prose = high.in_prose || rule.in_prose;
            let known = Known { value, from: high.from, in_prose };
            changed |= bounds.reduce_unit(rule.small, known);
        }
    }
    changed
}

/// Occurrences take room: different words are different words of the text.
fn from_needles(bounds: &mut Bounds<'_>) -> bool {
    let needed = bounds.low.others.iter().filter_map(|(measure, known)| match &**measure {
        Measure::Needle(kind, part) if known.value >= 1 => Some((kind.as_str(), part, *known)),
        _ => None,
    });
    let needed: Vec<(&str, &String, Known)> = needed.collect();
    if needed.is_empty() {
        return false;
    }
    let mut units: Vec<(Unit, Known)> = Vec::new();
    for (unit, kind) in [(Unit::WordPattern, "keyword"), (Unit::Word, "word")] {
        let whole = |part: &str| match unit {
            Unit::WordPattern => part.chars().all(is_word),
            // One word by any reading: letters and digits of one kind of script.
            _ => part.chars().all(|c| c.is_ascii_alphanumeric()),
        };
        let mut words = Known { value: 0, from: Facts::default(), in_prose: false };
        let mut chars = words;
        for (_, part, known) in needed.iter().filter(|(k, part, _)| *k == kind && whole(part)) {
            words.value += known.value;
            let length = part.chars().count() as i64 + i64::from(unit == Unit::WordPattern);
            chars.value += known.value.saturating_mul(length);
            for sum in [&mut words, &mut chars] {
                sum.from = sum.from.and(known.from);
                sum.in_prose |= known.in_prose;
            }
        }
        if words.value > 0 {
            // The last run needs nothing behind it.
            chars.value -= i64::from(unit == Unit::WordPattern);
            units.extend([(unit, words), (Unit::Char, chars)]);
        }
    }
    // Units that are looked for are units.
    for (kind, part, known) in &needed {
        if let Some(unit) = Unit::from_name(kind)
            && !["word", "letter", "char"].contains(kind)
        {
            units.push((unit, *known));
        }
        let length = part.chars().count() as i64;
        units.push((Unit::Char, Known { value: known.value.saturating_mul(length), ..*known }));
        // Of several words each is one of the text; those at its ends may be in two of them.
        let words = several(kind, part);
        if words > 1 {
            let value = known.value.saturating_mul(words - 1) + 1;
            for unit in [Unit::Word, Unit::WordPattern, Unit::WordSpace] {
                units.push((unit, Known { value, ..*known }));
            }
        }
    }
    // Each occurrence of a text has its parts inside.
    let mut inside: Vec<(Cow<'_, Measure>, Known)> = Vec::new();
    for measure in bounds.high.others.keys().chain(bounds.low.others.keys()) {
        let Measure::Needle(kind, part) = &**measure else { continue };
        for (_, whole, known) in needed.iter().filter(|(whole_kind, whole, _)| {
            (*whole_kind == "text" || kind == "letter") && *whole != part
        }) {
            let times = times_inside(kind, part, whole) as i64;
            if times > 0 {
                let known = Known { value: known.value.saturating_mul(times), ..*known };
                inside.push((measure.clone(), known));
            }
        }
    }
    let mut changed = false;
    for (unit, known) in units {
        changed |= bounds.raise_unit(unit, known);
    }
    for (measure, known) in inside {
        changed |= bounds.raise(measure, known);
    }
    changed
}

/// How many words with blanks between them something is that is looked for.
pub(super) fn several(kind: &str, part: &str) -> i64 {
    if !["keyword", "phrase", "text", "word"].contains(&kind) {
        return 1;
    }
    let word = |part: &&str| part.chars().any(|c| c.is_ascii_alphanumeric());
    part.split(' ').filter(word).count() as i64
}

/// Forty sentences of at least five words are two hundred words.
fn from_members<'f>(facts: &[&'f Fact], bounds: &mut Bounds<'f>) -> bool {
    let mut changed = false;
    for (at, fact) in facts.iter().enumerate() {
        let (Members::Units(unit), inner, all) = (match &fact.what {
            What::Each(members, inner) => (members, inner, true),
            What::One(members, _, inner) => (members, inner, false),
            _ => continue,
        }) else {
            continue;
        };
        for part in inner {
            let What::Measured(measure @ Measure::Count(small), interval) = &part.what else {
                continue;
            };
            if !adds_up(*unit, *small) {
                continue;
            }
            let unknown = |value| Known { value, from: Facts::default(), in_prose: false };
            let times = match all {
                true => bounds.low.unit(*unit).unwrap_or_else(|| unknown(0)),
                false => unknown(1),
            };
            if let Some(low) = interval.low_int().filter(|low| *low >= 1 && times.value >= 1) {
                let cut = if cuts(*unit, *small) { (times.value - 1).max(0) } else { 0 };
                let value = times.value.saturating_mul(low).saturating_sub(cut);
                let mut known = Known { value, ..times };
                known.from = known.from.and(Facts::one(at));
                changed |= bounds.raise(Cow::Borrowed(measure), known);
            }
            // Every word is in a line and in a paragraph.
            let covered = matches!(unit, Unit::Paragraph | Unit::Line)
                && matches!(small, Unit::Word | Unit::WordPattern | Unit::WordSpace)
                || (*unit, *small) == (Unit::Paragraph, Unit::Sentence);
            // Words outside of any sentence are those of code and the like.
            let in_prose = *unit == Unit::Sentence
                && matches!(small, Unit::Word | Unit::WordPattern | Unit::WordSpace);
            let covered = covered || in_prose;
            if let (true, true, Some(high), Some(most)) =
                (all, covered, interval.high_int(), bounds.high.unit(*unit))
            {
                let mut known = Known {
                    value: most.value.saturating_mul(high.max(0)),
                    from: most.from,
                    in_prose: most.in_prose || in_prose,
                };
                known.from = known.from.and(Facts::one(at));
                changed |= bounds.reduce(Cow::Borrowed(measure), known);
            }
        }
    }
    changed
}

/// Whether what is counted in each of `unit` is counted in the whole text too, at least as often.
pub(super) fn adds_up(unit: Unit, small: Unit) -> bool {
    match small {
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
pub(super) fn cuts(unit: Unit, small: Unit) -> bool {
    unit == Unit::Sentence && small == Unit::WordPattern
}

/// The facts two sides follow from; one label for each side and check.
fn reasons(facts: &[&Fact], sides: [(Known, String); 2]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for (known, fragment) in sides {
        let mut spans: BTreeMap<usize, Span> = BTreeMap::new();
        for fact in known.from.iter().filter_map(|at| facts.get(at)) {
            let span = spans.entry(fact.goal).or_insert(fact.span);
            *span = span.to(fact.span);
        }
        for (goal, span) in spans {
            reasons.push(Reason { goal, span, fragment: fragment.clone() });
        }
    }
    reasons
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rules_hold(text in "([a-zA-Zé7日カ❤️😀_]{0,3}[ .,?!\n\t*#|`~。:'-]{0,3}){0,14}") {
            let read = Text::new(&text);
            for rule in RULES.iter().filter(|rule| !rule.in_prose) {
                let (big, small) = (read.count(rule.big) as i64, read.count(rule.small) as i64);
                prop_assert!(
                    small == 0 || big >= rule.times * small - rule.less,
                    "{big} {:?}, {small} {:?} in {text:?}", rule.big, rule.small
                );
            }
            for unit in [
                Unit::Sentence, Unit::Paragraph, Unit::Line, Unit::LineEntry, Unit::Item,
                Unit::ItemBullet, Unit::ItemNumbered, Unit::Heading,
            ] {
                for small in [Unit::Char, Unit::Letter, Unit::Word, Unit::WordPattern, Unit::WordSpace, Unit::Sentence] {
                    if !adds_up(unit, small) {
                        continue;
                    }
                    let inside: usize = read.pieces(unit).map(|part| Text::new(part).count(small)).sum();
                    let cut = if cuts(unit, small) { read.count(unit).saturating_sub(1) } else { 0 };
                    prop_assert!(inside <= read.count(small) + cut, "{small:?} in {unit:?} of {text:?}");
                    if matches!(unit, Unit::Paragraph | Unit::Line) && !matches!(small, Unit::Char | Unit::Letter) {
                        prop_assert!(inside == read.count(small), "{small:?} in {unit:?} of {text:?}");
                    }
                }
            }
        }
    }
}
