//! Three checks that never hold together, where each two of them do.

use super::{Check, Pool, contradictory};
use crate::diagnostic::Diagnostic;
use crate::predicate::bound::{Reading, Sizes, between};
use crate::source::FileId;

/// More threes than these are not looked at, and more that may exclude one another not gone into.
const LOOKED_AT: usize = 200_000;
const GONE_INTO: usize = 500;

impl<'p> Pool<'p> {
    /// What is told of three checks that may be in force together: `open` are the pairs of them of
    /// which that is so, and that do not exclude one another.
    pub(super) fn trios(&self, checks: &[&Check<'p>], open: &[Vec<bool>]) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let sizes: Vec<Option<Sizes>> = checks.iter().map(|check| self.sizes(check)).collect();
        // Of rules of one module of the library its own tests tell.
        let library = |check: &&Check<'p>| check.library.filter(|_| check.is_settled());
        let settled: Vec<Option<FileId>> = checks.iter().map(library).collect();
        let known: Vec<(usize, &Sizes)> = sizes
            .iter()
            .enumerate()
            .filter_map(|(at, sizes)| Some((at, sizes.as_ref()?)))
            .collect();
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
                    if Sizes::may_exclude([first, second, third]) {
                        go -= 1;
                        found.extend(self.trio([checks[*a], checks[*b], checks[*c]]));
                    }
                }
            }
        }
        found
    }

    /// What a check says of how much there is; none of a check that may be met in a way of which
    /// nothing is known.
    fn sizes(&self, check: &Check<'p>) -> Option<Sizes> {
        self.first(check).first().filter(|reading| !reading.is_open())?.sizes()
    }

    fn trio(&self, checks: [&Check<'p>; 3]) -> Option<Diagnostic> {
        let read: Vec<&Reading> = checks.iter().flat_map(|check| self.first(check)).collect();
        between(&read)?;
        let conflict = self.never(&checks, None)?;
        // Not where two of them are enough, which is told of those, or known of the library.
        let [one, two, three] = checks;
        let pairs = [[one, two], [one, three], [two, three]];
        let least = pairs.iter().all(|pair| self.never(pair, None).is_none());
        least.then(|| contradictory(&checks, &conflict))
    }
}
