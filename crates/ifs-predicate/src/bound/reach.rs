//! A coarse summary of facts: two checks whose summaries do not meet cannot contradict one another
//! in a way that `contradiction` knows. It is computed for every pair, so it has to be cheap.

use super::Texts;
use super::fact::{Fact, ListSource, Measure, Property, TextEdge};
use super::relations::{excludes_blanks, rules, words_of_needle};
use crate::needles::SearchKind;
use ifs_text::{Shape, Unit};
use ifs_value::stable_hash::StreamKey;

/// The set of topics of some facts, and their minimum and maximum counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TopicRange {
    /// Of the entire text.
    matters: u32,
    /// Of members of lists in it.
    inner: u32,
    /// The topics that interact with those of the text, with those of the members, and with these
    /// without counts.
    partners: u32,
    inner_partners: u32,
    uncounted: u32,
    /// At least the sum of all lower bounds of each unit.
    low: [i32; Unit::COUNT],
    /// The lowest upper bound of each unit.
    high: [i32; Unit::COUNT],
    /// Whether there is one at all.
    capped: bool,
    /// Words with a minimum, and words with a maximum: one bit of each hash, since a word only
    /// interacts with itself.
    has: u64,
    lacks: u64,
}

impl Default for TopicRange {
    fn default() -> TopicRange {
        let (low, high) = ([0; Unit::COUNT], [i32::MAX; Unit::COUNT]);
        TopicRange {
            matters: 0,
            inner: 0,
            partners: 0,
            inner_partners: 0,
            uncounted: 0,
            low,
            high,
            capped: false,
            has: 0,
            lacks: 0,
        }
    }
}

const START: u32 = 1;
const END: u32 = 1 << 1;
const SHAPE: u32 = 1 << 2;
/// Capitals, and stretches whose letters are fixed.
const CASE: u32 = 1 << 3;
const FIXED_LETTERS: u32 = 1 << 4;
/// Lower and upper bounds of units.
const LOWER_BOUNDS: u32 = 1 << 5;
const UPPER_BOUNDS: u32 = 1 << 6;
/// Needles with a minimum or a maximum: texts, letters, and words of all kinds.
const REQUIRED_NEEDLES: [u32; 3] = [1 << 7, 1 << 8, 1 << 9];
const EXCLUDED_NEEDLES: [u32; 3] = [1 << 10, 1 << 11, 1 << 12];
const OTHER_TOPIC: u32 = 1 << 13;
/// Members of a list that is not a unit, or members of members.
const NESTED_MEMBERS: u32 = 1 << 14;
/// The shape that turns bounds of one measure into bounds of another (`relations::from_json`).
const JSON: u32 = 1 << 15;

/// No other characters, nothing else, no unit twice.
const EXCLUSIVE: u32 = 1 << 16;
/// Excluded starts and ends.
const NO_START: u32 = 1 << 17;
const NO_END: u32 = 1 << 18;

/// The pairs of topics that interact, each once.
const INTERACTING_TOPICS: [(u32, u32); 32] = [
    (START, START),
    (END, END),
    (SHAPE, START),
    (SHAPE, END),
    (SHAPE, SHAPE),
    (SHAPE, LOWER_BOUNDS),
    (SHAPE, UPPER_BOUNDS),
    (SHAPE, EXCLUDED_NEEDLES[0]),
    (CASE, CASE),
    (CASE, FIXED_LETTERS),
    (REQUIRED_NEEDLES[0], EXCLUDED_NEEDLES[0]),
    (REQUIRED_NEEDLES[0], EXCLUDED_NEEDLES[1]),
    (REQUIRED_NEEDLES[1], EXCLUDED_NEEDLES[1]),
    (REQUIRED_NEEDLES[2], EXCLUDED_NEEDLES[1]),
    (OTHER_TOPIC, OTHER_TOPIC),
    (NESTED_MEMBERS, !0),
    (START, EXCLUDED_NEEDLES[1]),
    (START, EXCLUDED_NEEDLES[2]),
    (END, EXCLUDED_NEEDLES[1]),
    (END, EXCLUDED_NEEDLES[2]),
    (START, NO_START),
    (END, NO_END),
    (EXCLUSIVE, EXCLUSIVE),
    (EXCLUSIVE, CASE),
    (EXCLUSIVE, SHAPE),
    (EXCLUSIVE, START),
    (EXCLUSIVE, END),
    (EXCLUSIVE, LOWER_BOUNDS),
    (EXCLUSIVE, REQUIRED_NEEDLES[0]),
    (EXCLUSIVE, REQUIRED_NEEDLES[1]),
    (EXCLUSIVE, REQUIRED_NEEDLES[2]),
    (EXCLUSIVE, OTHER_TOPIC),
];

impl TopicRange {
    pub(super) fn from_facts<'f>(facts: impl Iterator<Item = &'f Property>) -> TopicRange {
        let mut reach = TopicRange::default();
        for property in facts {
            reach.add(property);
        }
        if reach.matters & !(LOWER_BOUNDS | UPPER_BOUNDS) != 0 {
            // A text that is not blank has a line and a paragraph, and may have a letter.
            for unit in [Unit::Line, Unit::Paragraph, Unit::ParagraphReleased, Unit::Letter] {
                reach.ask(unit, 1);
            }
        }
        // With the additions of the rules and without their subtractions, so that the sum of two
        // readings is at least the result of the rules for both together.
        for _ in 0..6 {
            let mut changed = false;
            for rule in rules(Texts::Prose) {
                let from = reach.low[rule.small as usize];
                let times = i32::try_from(rule.times).unwrap_or(i32::MAX);
                let low = &mut reach.low[rule.big as usize];
                let more = i32::try_from(rule.less.min(0).abs()).unwrap_or(i32::MAX);
                let more = if from > 0 { more } else { 0 };
                let least = from.saturating_mul(times).saturating_add(more);
                changed |= *low < least;
                *low = (*low).max(least);
            }
            if !changed {
                break;
            }
        }
        reach.partners = interacting_topics(reach.matters);
        reach.inner_partners = interacting_topics(reach.inner);
        reach.uncounted = interacting_topics(reach.inner & !(LOWER_BOUNDS | UPPER_BOUNDS));
        reach.capped = reach.high.iter().any(|high| *high < i32::MAX);
        reach
    }

    /// The minimum and maximum of each unit.
    pub(super) fn ends(&self) -> ([i64; Unit::COUNT], [i64; Unit::COUNT]) {
        let most = |high: i32| if high == i32::MAX { 1 << 40 } else { i64::from(high) };
        (self.low.map(i64::from), self.high.map(most))
    }

    fn ask(&mut self, unit: Unit, count: i64) {
        let low = &mut self.low[unit as usize];
        *low = low.saturating_add(i32::try_from(count).unwrap_or(i32::MAX));
    }

    fn add(&mut self, property: &Property) {
        self.ask_for(property);
        match property {
            Property::Measured(Measure::Count(unit), interval) => {
                // Less than none is never met.
                let high = interval.high_int().unwrap_or(i64::MAX).max(-1);
                let most = &mut self.high[*unit as usize];
                *most = (*most).min(i32::try_from(high).unwrap_or(i32::MAX));
                self.matters |= topic_mask(property);
            }
            Property::Measured(Measure::Needle(kind, text), interval) => {
                let bit = 1 << (StreamKey::new(kind.name()).and(text).number() >> 58);
                self.has |= bit;
                self.lacks |= if interval.high.is_some() { bit } else { 0 };
                self.matters |= topic_mask(property);
            }
            Property::Each(members, inner) => {
                self.inner |= topics_of(inner);
                if *members == ListSource::Units(Unit::LineAll)
                    && inner.iter().any(|fact| excludes_blanks(&fact.property))
                {
                    for unit in [Unit::Paragraph, Unit::ParagraphReleased] {
                        let most = &mut self.high[unit as usize];
                        *most = (*most).min(1);
                    }
                }
                // If no member is possible, a text with one is a contradiction.
                if super::contradiction(&inner.iter().collect::<Vec<_>>(), Texts::Prose).is_some() {
                    self.matters |= NESTED_MEMBERS;
                }
                // If there is a member, the text has what each member has.
                inner
                    .iter()
                    .filter(|fact| is_text(&fact.property))
                    .for_each(|fact| self.ask_for(&fact.property));
            }
            Property::One(_, _, inner) => {
                self.inner |= topics_of(inner);
                // The text has what one of its parts has.
                self.matters |= LOWER_BOUNDS;
                inner.iter().for_each(|fact| self.ask_for(&fact.property));
            }
            _ => self.matters |= topic_mask(property),
        }
    }

    /// Adds the minimum of a measure.
    fn ask_for(&mut self, property: &Property) {
        let Property::Measured(measure, interval) = property else { return };
        let low = interval.low_int().unwrap_or(0).max(0);
        match measure {
            Measure::Count(unit) => self.ask(*unit, low),
            Measure::Needle(kind, text) => {
                let length = text.chars().count() as i64 + 1;
                self.ask(Unit::Char, low.saturating_mul(length));
                // One word of any script is one too.
                let words = match kind {
                    SearchKind::Keyword
                    | SearchKind::KeywordReleased
                    | SearchKind::Phrase
                    | SearchKind::PhraseReleased
                    | SearchKind::Word => words_of_needle(*kind, text).max(1),
                    _ => words_of_needle(*kind, text),
                };
                let words = low.saturating_mul(words);
                for unit in [Unit::Word, Unit::WordPart, Unit::WordPattern, Unit::WordSpace] {
                    self.ask(unit, words);
                }
                for unit in [Some(Unit::Letter), kind.unit()].into_iter().flatten() {
                    self.ask(unit, low);
                }
            }
            Measure::Capitals(_) | Measure::Other(..) => {}
        }
    }

    /// Whether several checks may contradict one another although no two of them do: with JSON, if
    /// members of a list or a set of characters turn bounds of one measure into bounds of another,
    /// and if all of them together need more of a unit than one allows. Each check is given as its
    /// alternatives.
    pub fn may_exclude_together<'r>(checks: impl Iterator<Item = &'r [TopicRange]>) -> bool {
        let (mut low, mut high) = ([0_i64; Unit::COUNT], [i64::MAX; Unit::COUNT]);
        let (mut matters, mut inner, mut capped) = (0, 0, false);
        for ways in checks {
            for at in 0..Unit::COUNT {
                let lows = ways.iter().map(|reach| i64::from(reach.low[at]));
                low[at] += lows.max().unwrap_or(0);
                let highs = ways.iter().map(|reach| i64::from(reach.high[at]));
                high[at] = high[at].min(highs.min().unwrap_or(i64::MAX));
            }
            for reach in ways {
                matters |= reach.matters;
                inner |= reach.inner;
                capped |= reach.capped;
            }
        }
        matters & (JSON | NESTED_MEMBERS | EXCLUSIVE) != 0
            || inner != 0
            || capped && (matters & SHAPE != 0 || (0..Unit::COUNT).any(|at| low[at] > high[at]))
    }

    pub fn mentions_members(&self) -> bool {
        self.inner != 0
    }

    /// Whether facts of one may contradict facts of the other.
    pub fn overlaps(&self, other: &TopicRange) -> bool {
        self.partners & other.matters != 0
            || self.has & other.lacks != 0
            || self.lacks & other.has != 0
            || self.members_meet(other)
            // Without an early exit, the loop is vectorized over units.
            || (self.capped || other.capped) && (0..Unit::COUNT).fold(false, |any, at| {
                let low = self.low[at].saturating_add(other.low[at]);
                any | (low > self.high[at].min(other.high[at]))
            })
    }

    fn members_meet(&self, other: &TopicRange) -> bool {
        if self.inner | other.inner == 0 {
            return false;
        }
        // Members with members, and with the text. The facts of one check about both may contradict
        // one another if the other check implies that there are members.
        let (inner, whole) = (self.inner | other.inner, self.matters | other.matters);
        if (self.inner_partners | other.inner_partners) & inner != 0
            || (self.uncounted | other.uncounted) & whole != 0
        {
            return true;
        }
        // A word that is longer than the maximum.
        if inner & UPPER_BOUNDS != 0 && whole & (REQUIRED_NEEDLES[0] | REQUIRED_NEEDLES[2]) != 0 {
            return true;
        }
        if (inner | whole) & REQUIRED_NEEDLES[2] != 0 && (inner | whole) & EXCLUDED_NEEDLES[2] != 0
        {
            return true;
        }
        // Members of different sizes; and sums over members, which are more than was known of the
        // whole, or less where the number of members has an upper bound.
        (inner & LOWER_BOUNDS != 0 && (inner | whole) & UPPER_BOUNDS != 0)
            || (inner & UPPER_BOUNDS != 0 && whole & LOWER_BOUNDS != 0 && whole & UPPER_BOUNDS != 0)
    }
}

fn is_text(property: &Property) -> bool {
    matches!(property, Property::Measured(Measure::Needle(SearchKind::Text, _), _))
}

/// The topics that interact with some topics.
fn interacting_topics(matters: u32) -> u32 {
    INTERACTING_TOPICS.iter().fold(0, |all, (one, two)| {
        let second = if matters & one != 0 { *two } else { 0 };
        let first = if matters & two != 0 { *one } else { 0 };
        all | second | first
    })
}

fn topics_of(facts: &[Fact]) -> u32 {
    facts.iter().fold(0, |all, fact| all | topic_mask(&fact.property))
}

fn topic_mask(property: &Property) -> u32 {
    match property {
        Property::Measured(measure, interval) => {
            let low = interval.low_int().unwrap_or(0) >= 1;
            let of = |has: u32, lacks: u32| {
                (has * u32::from(low)) | (lacks * u32::from(interval.high.is_some()))
            };
            match measure {
                Measure::Count(_) => of(LOWER_BOUNDS, UPPER_BOUNDS),
                Measure::Needle(kind, _) => match kind {
                    SearchKind::Text => {
                        of(REQUIRED_NEEDLES[0] | FIXED_LETTERS, EXCLUDED_NEEDLES[0])
                    }
                    SearchKind::Letter => of(REQUIRED_NEEDLES[1], EXCLUDED_NEEDLES[1]),
                    _ => of(REQUIRED_NEEDLES[2], EXCLUDED_NEEDLES[2]),
                },
                Measure::Capitals(_) | Measure::Other(..) => OTHER_TOPIC,
            }
        }
        Property::Is(..) | Property::IsNot(..) => OTHER_TOPIC,
        Property::Starts(edge) => START | edge_mask(edge),
        Property::StartsIn(_) => START,
        Property::Ends(edge) => END | edge_mask(edge),
        Property::Shape(Shape::Json | Shape::JsonReleased) => SHAPE | JSON,
        Property::Shape(_) => SHAPE,
        Property::StartsNot(_) => NO_START,
        Property::EndsNot(_) => NO_END,
        Property::Whole(_)
        | Property::Verdict(..)
        | Property::Only(_)
        | Property::Has(_)
        | Property::Distinct(_)
        | Property::Few(..) => EXCLUSIVE,
        Property::NoLower(_)
        | Property::NoUpper(_)
        | Property::HasLower(_)
        | Property::HasUpper(_) => CASE,
        Property::Each(..) | Property::One(..) | Property::Any(_) | Property::Sum(..) => {
            NESTED_MEMBERS
        }
        Property::Never => !0,
    }
}

fn edge_mask(edge: &TextEdge) -> u32 {
    match edge {
        TextEdge::Exact(_) | TextEdge::Read(_) | TextEdge::Pair { .. } => FIXED_LETTERS,
        TextEdge::Mark { .. }
        | TextEdge::Letter(_)
        | TextEdge::LetterReleased(_)
        | TextEdge::PartReleased(_)
        | TextEdge::Needle(..) => 0,
    }
}
