//! Three checks that never hold together, where each two of them do.

use std::collections::BTreeMap;

use super::{Check, Pool, contradictory};
use crate::diagnostic::Diagnostic;
use crate::predicate::bound::{Reading, Sizes, between};
use crate::source::FileId;

/// More threes than these are not looked at, and more that may exclude one another not gone into.
const LOOKED_AT: usize = 200_000;
const GONE_INTO: usize = 500;
/// More ways to meet one check than these are not distinguished.
const WAYS: usize = 8;

/// How a check can be met.
struct Ways<'c> {
    reading: &'c Reading,
    sizes: Vec<Sizes>,
}

/// Which ways to meet two checks exclude one another, as far as it was asked.
#[derive(Default)]
struct Apart(BTreeMap<[(usize, usize); 2], bool>);

impl Apart {
    /// Whether three may exclude one another though no two of them do: whichever way each is met.
    fn may_exclude(&mut self, three: [(usize, &Ways<'_>); 3]) -> bool {
        let [(_, one), (_, two), (_, last)] = three;
        let (many, more) = (two.sizes.len(), last.sizes.len());
        let mut choices = (0..one.sizes.len())
            .flat_map(|a| (0..many).flat_map(move |b| (0..more).map(move |c| [a, b, c])));
        choices.all(|[a, b, c]| {
            let sizes = one.sizes.get(a).zip(two.sizes.get(b)).zip(last.sizes.get(c));
            sizes.is_some_and(|((one, two), last)| Sizes::may_exclude([one, two, last]))
                || self.excludes((three[0], a), (three[1], b))
                || self.excludes((three[0], a), (three[2], c))
                || self.excludes((three[1], b), (three[2], c))
        })
    }

    fn excludes(
        &mut self,
        ((one, first), way): ((usize, &Ways<'_>), usize),
        ((other, second), other_way): ((usize, &Ways<'_>), usize),
    ) -> bool {
        // Of two that can be met in one way each it is known that they do not.
        if first.sizes.len() == 1 && second.sizes.len() == 1 {
            return false;
        }
        let key = [(one, way), (other, other_way)];
        *self
            .0
            .entry(key)
            .or_insert_with(|| first.reading.way_excludes(way, (second.reading, other_way)))
    }
}

impl<'p> Pool<'p> {
    /// What is reported of three checks that may be active together: `open` are the pairs of them of
    /// which that is so, and that do not exclude one another.
    pub(super) fn trios(&self, checks: &[&Check<'p>], open: &[Vec<bool>]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let ways: Vec<Option<Ways<'_>>> = checks.iter().map(|check| self.ways(check)).collect();
        // Of rules of one module of the library its own tests tell.
        let library = |check: &&Check<'p>| check.library.filter(|_| check.is_settled());
        let settled: Vec<Option<FileId>> = checks.iter().map(library).collect();
        let known: Vec<(usize, &Ways<'_>)> =
            ways.iter().enumerate().filter_map(|(at, ways)| Some((at, ways.as_ref()?))).collect();
        let mut apart = Apart::default();
        let (mut look, mut go) = (LOOKED_AT, GONE_INTO);
        for (place, (a, first)) in known.iter().enumerate() {
            for (next, (b, second)) in known.iter().enumerate().skip(place + 1) {
                if !open[*a][*b] {
                    continue;
                }
                let module = settled[*a].filter(|module| settled[*b] == Some(*module));
                for (c, third) in known.iter().skip(next + 1) {
                    let is_settled = module.is_some() && settled[*c] == module;
                    if is_settled || !open[*a][*c] || !open[*b][*c] {
                        continue;
                    }
                    if look == 0 || go == 0 {
                        return found;
                    }
                    look -= 1;
                    let three = [(*a, *first), (*b, *second), (*c, *third)];
                    if apart.may_exclude(three) {
                        go -= 1;
                        found.extend(self.trio([checks[*a], checks[*b], checks[*c]]));
                    }
                }
            }
        }
        found
    }

    /// The ways to meet a check; none of one that may be met in a way of which nothing is known, or
    /// in too many.
    fn ways<'c>(&self, check: &'c Check<'p>) -> Option<Ways<'c>> {
        let reading = self.first(check).first().filter(|reading| !reading.is_open())?;
        (reading.ways() <= WAYS).then(|| Ways { reading, sizes: reading.sizes() })
    }

    fn trio(&self, checks: [&Check<'p>; 3]) -> Option<Diagnostic> {
        let read: Vec<&Reading> = checks.iter().flat_map(|check| self.first(check)).collect();
        between(&read)?;
        let conflict = self.never(&checks, None)?;
        // Not where two of them are enough, which is reported of those, or known of the library.
        let [one, two, three] = checks;
        let pairs = [[one, two], [one, three], [two, three]];
        let least = pairs.iter().all(|pair| self.never(pair, None).is_none());
        least.then(|| contradictory(&checks, &conflict))
    }
}
