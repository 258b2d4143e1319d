//! A quick and rough test whether three checks may contradict one another by their counts although
//! no two of them do. It runs for every three.

use super::Texts;
use super::fact::{Fact, ListSource, Measure, Property, TextEdge};
use super::reach::TopicRange;
use super::relations::rules;
use crate::needles::SearchKind;
use ifs_text::{Shape, Unit};

/// The facts of one check, in its first alternative.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The minimum and maximum of each unit.
    low: [i64; Unit::COUNT],
    high: [i64; Unit::COUNT],
    /// Whether anything is bounded from above.
    capped: bool,
    /// The number of one unit in each of another.
    parts: Vec<PartCount>,
    /// Facts about members of lists.
    lists: Vec<(ListSource, TopicRange)>,
    /// It is JSON; it starts, or ends, with something; something does not occur.
    json: bool,
    edges: u8,
    lacks: bool,
    /// Comparisons of counts; and measures other than units.
    sums: Vec<Vec<Measure>>,
    /// There is a fact about a position.
    placed: bool,
    others: Vec<Measure>,
}

#[derive(Clone, Copy, Debug)]
struct PartCount {
    of: Unit,
    unit: Unit,
    low: i64,
    high: i64,
}

/// More than any bound that is considered.
const MAX_BOUND: i64 = 1 << 40;

impl Sizes {
    pub(super) fn from_facts(facts: &[Fact], reach: &TopicRange) -> Sizes {
        let (low, high) = reach.ends();
        let mut sizes = Sizes {
            low,
            high,
            capped: false,
            parts: Vec::new(),
            lists: Vec::new(),
            json: false,
            edges: 0,
            lacks: false,
            sums: Vec::new(),
            placed: false,
            others: Vec::new(),
        };
        for fact in facts {
            sizes.add(&fact.property);
        }
        sizes.lower();
        sizes.capped = sizes.high.iter().any(|high| *high < MAX_BOUND);
        sizes
    }

    fn add(&mut self, property: &Property) {
        match property {
            Property::Shape(Shape::Json | Shape::JsonReleased) => self.json = true,
            Property::Starts(TextEdge::Exact(_) | TextEdge::Pair { .. }) => self.edges |= 1,
            Property::Ends(TextEdge::Exact(_) | TextEdge::Pair { .. }) => self.edges |= 2,
            Property::Measured(
                measure @ (Measure::Needle(..) | Measure::Capitals(_) | Measure::Other(..)),
                interval,
            ) => {
                let text = matches!(measure, Measure::Needle(SearchKind::Text, _));
                self.lacks |= text && interval.high.is_some();
                self.others.push(measure.clone());
            }
            Property::Sum(terms, _) => {
                self.sums.push(terms.iter().map(|(measure, _)| measure.clone()).collect());
            }
            Property::Each(members, inner) => {
                self.lists.push((
                    members.clone(),
                    TopicRange::from_facts(inner.iter().map(|fact| &fact.property)),
                ));
                let ListSource::Units(of) = members else { return };
                for fact in inner {
                    let Property::Measured(Measure::Count(unit), interval) = &fact.property else {
                        continue;
                    };
                    let low = interval.low_int().unwrap_or(0).clamp(0, MAX_BOUND);
                    let high = interval.high_int().unwrap_or(MAX_BOUND).clamp(0, MAX_BOUND);
                    self.parts.push(PartCount { of: *of, unit: *unit, low, high });
                }
            }
            Property::One(members, place, inner) => {
                self.placed |= place.is_some();
                self.lists.push((
                    members.clone(),
                    TopicRange::from_facts(inner.iter().map(|fact| &fact.property)),
                ));
            }
            _ => {}
        }
    }

    /// An upper bound of a unit bounds everything inside it.
    fn lower(&mut self) {
        for _ in 0..3 {
            for rule in rules(Texts::Prose) {
                let high = self.high[rule.big as usize];
                if high < MAX_BOUND {
                    let most = (high + rule.less).div_euclid(rule.times.max(1)).max(0);
                    let small = &mut self.high[rule.small as usize];
                    *small = (*small).min(most);
                }
            }
        }
    }

    /// Whether three may exclude one another although no two do; yes if in doubt about counts,
    /// members of lists and the marks of JSON, which are all that three checks can contradict by.
    pub fn may_exclude(all: [&Sizes; 3]) -> bool {
        let capped = all.iter().any(|sizes| sizes.capped);
        let parts = all.iter().any(|sizes| !sizes.parts.is_empty());
        if capped && (parts || summed(all)) && cross(all) {
            return true;
        }
        if capped && all.iter().any(|sizes| sizes.placed) && summed(all) {
            return true;
        }
        let edges = all.iter().fold(0, |edges, sizes| edges | sizes.edges);
        let items = all.iter().any(|sizes| sizes.low[Unit::ItemReleased as usize] > 0);
        let lacks = all.iter().any(|sizes| sizes.lacks);
        if all.iter().any(|sizes| sizes.json) && (edges == 3 || lacks && (edges & 1 != 0 || items))
        {
            return true;
        }
        share_a_list(all) || share_a_sum(all)
    }

    /// Whether it has a fact about one of these measures, or about a unit if one of them is a unit.
    fn mentions_measures(&self, measures: &[Measure]) -> bool {
        measures.iter().any(|measure| match measure {
            Measure::Count(_) => {
                self.capped || !self.parts.is_empty() || self.low.iter().any(|low| *low > 1)
            }
            other => self.others.contains(other),
        })
    }
}

/// Whether one of them compares counts that the others mention, and one bounds them.
fn share_a_sum(all: [&Sizes; 3]) -> bool {
    let counts = |sizes: &Sizes| {
        let compared = |terms: &Vec<Measure>| {
            all.iter().all(|other| {
                std::ptr::eq(*other, sizes)
                    || other.mentions_measures(terms)
                    || !other.sums.is_empty()
            })
        };
        sizes.sums.iter().any(compared)
    };
    all.iter().any(|sizes| counts(sizes))
}

/// Whether all three together need more of a unit than one of them allows.
fn summed(all: [&Sizes; 3]) -> bool {
    (0..Unit::COUNT).fold(false, |any, at| {
        let low = all[0].low[at] + all[1].low[at] + all[2].low[at];
        let high = all[0].high[at].min(all[1].high[at]).min(all[2].high[at]);
        any | (low > high)
    })
}

/// The same, with the counts of each part of the text.
fn cross(all: [&Sizes; 3]) -> bool {
    let mut low = [0; Unit::COUNT];
    let mut high = [MAX_BOUND; Unit::COUNT];
    for sizes in all {
        for at in 0..Unit::COUNT {
            low[at] = MAX_BOUND.min(low[at] + sizes.low[at]);
            high[at] = high[at].min(sizes.high[at]);
        }
    }
    // Words of sentences, sentences of paragraphs.
    for _ in 0..2 {
        for part in all.iter().flat_map(|sizes| &sizes.parts) {
            let (of, unit) = (part.of as usize, part.unit as usize);
            low[unit] = low[unit].max(low[of].saturating_mul(part.low).min(MAX_BOUND));
            high[unit] = high[unit].min(high[of].saturating_mul(part.high).min(MAX_BOUND));
        }
        for rule in rules(Texts::Prose) {
            let from = low[rule.small as usize];
            let more = if from > 0 { rule.less.min(0).abs() } else { 0 };
            let least = from.saturating_mul(rule.times).saturating_add(more).min(MAX_BOUND);
            low[rule.big as usize] = low[rule.big as usize].max(least);
        }
    }
    (0..Unit::COUNT).any(|at| low[at] > high[at])
}

/// Whether two of them have facts about the members of one list, which may be empty without the
/// third; or all three do.
fn share_a_list(all: [&Sizes; 3]) -> bool {
    let has_member = |members: &ListSource| match members {
        ListSource::Units(unit) => all.iter().any(|sizes| sizes.low[*unit as usize] > 0),
        ListSource::Other(_) => true,
    };
    [(0, 1), (0, 2), (1, 2)].into_iter().any(|(one, other)| {
        all[one].lists.iter().any(|(members, reach)| {
            let same = |(list, inner): &&(ListSource, TopicRange)| {
                list == members && reach.overlaps(inner)
            };
            has_member(members) && all[other].lists.iter().find(same).is_some()
        })
    })
}
