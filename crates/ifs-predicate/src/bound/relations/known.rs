//! The known bounds of every measure, and the facts that they follow from.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::bound::fact::Measure;
use ifs_text::Unit;

/// One bound of a measure, and the facts that it follows from.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownBound {
    pub(super) value: i64,
    pub(super) from: FactSet,
    pub(super) how: Derivation,
}

impl KnownBound {
    /// A bound whose derivation needs no number.
    pub(super) fn stated(value: i64, from: FactSet) -> KnownBound {
        KnownBound { value, from, how: Derivation::Said }
    }
}

/// The derivation of a bound from others, for the text of a conflict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Derivation {
    /// A check states it, or its derivation needs no number.
    Said,
    /// A number of parts with a count each.
    Parts { many: i64, of: Unit, each: i64 },
    /// A number of one thing has as many of another.
    Are { many: i64, of: Unit },
    /// The sum over all needles.
    Sum,
}

/// A set of facts, by index. Of more than 128 the later ones are not remembered: a conflict then
/// labels complete checks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FactSet(u128);

impl FactSet {
    pub(super) fn single(at: usize) -> FactSet {
        FactSet(if at < 128 { 1 << at } else { 0 })
    }

    pub(super) fn and(self, other: FactSet) -> FactSet {
        FactSet(self.0 | other.0)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..128).filter(move |at| self.0 >> at & 1 == 1)
    }
}

/// The bounds of all measures on one side; counts of units are read most often.
pub(super) struct KnownBounds<'f> {
    pub(super) units: [Option<KnownBound>; Unit::COUNT],
    pub(super) others: BTreeMap<Cow<'f, Measure>, KnownBound>,
    /// How often `others` was changed.
    pub(super) changes: u32,
}

impl Default for KnownBounds<'_> {
    fn default() -> Self {
        KnownBounds { units: [None; Unit::COUNT], others: BTreeMap::new(), changes: 0 }
    }
}

impl KnownBounds<'_> {
    pub(super) fn unit(&self, unit: Unit) -> Option<KnownBound> {
        self.units[unit as usize]
    }

    pub(super) fn get(&self, measure: &Measure) -> Option<KnownBound> {
        match measure {
            Measure::Count(unit) => self.unit(*unit),
            other => self.others.get(other).copied(),
        }
    }
}

#[derive(Default)]
pub(super) struct MeasureBounds<'f> {
    pub(super) low: KnownBounds<'f>,
    pub(super) high: KnownBounds<'f>,
}

impl<'f> MeasureBounds<'f> {
    pub(super) fn raise_minimum(&mut self, unit: Unit, known: KnownBound) -> bool {
        let have = &mut self.low.units[unit as usize];
        let better = have.is_none_or(|have| have.value < known.value);
        if better {
            *have = Some(known);
        }
        better
    }

    pub(super) fn reduce_unit(&mut self, unit: Unit, known: KnownBound) -> bool {
        let have = &mut self.high.units[unit as usize];
        let better = have.is_none_or(|have| have.value > known.value);
        if better {
            *have = Some(known);
        }
        better
    }

    pub(super) fn raise(&mut self, measure: Cow<'f, Measure>, known: KnownBound) -> bool {
        if let Measure::Count(unit) = *measure {
            return self.raise_minimum(unit, known);
        }
        let better = self.low.others.get(&*measure).is_none_or(|have| have.value < known.value);
        if better {
            self.low.others.insert(measure, known);
            self.low.changes += 1;
        }
        better
    }

    pub(super) fn reduce(&mut self, measure: Cow<'f, Measure>, known: KnownBound) -> bool {
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
