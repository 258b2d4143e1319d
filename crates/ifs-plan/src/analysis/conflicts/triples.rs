//! Three checks that never hold together, although each two of them do.

use std::collections::BTreeMap;

use super::{JointChecks, PossibleCheck};
use ifs_base::diagnostic::Diagnostic;
use ifs_base::source::FileId;
use ifs_base::work::{self, Task};
use ifs_predicate::bound::{AnalysedCheck, Sizes, Texts};

/// The maximum number of triples that are examined, and of those that may be contradictory.
const MAX_EXAMINED_TRIPLES: usize = 200_000;
const MAX_CANDIDATE_TRIPLES: usize = 500;
/// The maximum number of ways to satisfy one check.
const MAX_ALTERNATIVES: usize = 8;

/// The ways to satisfy a check.
struct CheckAlternatives<'c> {
    reading: &'c AnalysedCheck,
    sizes: Vec<Sizes>,
}

/// Which ways to satisfy two checks exclude one another, as far as it was computed.
#[derive(Default)]
struct ExclusionCache(BTreeMap<[(usize, usize); 2], bool>);

impl ExclusionCache {
    /// Whether three checks may exclude one another although no two of them do, for all ways to
    /// satisfy them.
    fn may_exclude(&mut self, three: [(usize, &CheckAlternatives<'_>); 3]) -> bool {
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
        ((one, first), alternative): ((usize, &CheckAlternatives<'_>), usize),
        ((other, second), other_alternative): ((usize, &CheckAlternatives<'_>), usize),
    ) -> bool {
        // Two checks with one way each are known to be consistent.
        if first.sizes.len() == 1 && second.sizes.len() == 1 {
            return false;
        }
        let key = [(one, alternative), (other, other_alternative)];
        *self.0.entry(key).or_insert_with(|| {
            first.reading.alternative_excludes(alternative, (second.reading, other_alternative))
        })
    }
}

impl<'p> JointChecks<'p> {
    /// Reports three checks that may be active together: `open` are pairs of them that may be
    /// active together and do not exclude one another.
    pub(super) fn triples(
        &self,
        checks: &[&PossibleCheck<'p>],
        open: &[Vec<bool>],
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let alternatives: Vec<Option<CheckAlternatives<'_>>> =
            checks.iter().map(|check| self.alternatives_of(check)).collect();
        // The library's own tests cover rules of one module.
        let library = |check: &&PossibleCheck<'p>| check.library.filter(|_| check.is_settled());
        let settled: Vec<Option<FileId>> = checks.iter().map(library).collect();
        let known: Vec<(usize, &CheckAlternatives<'_>)> = alternatives
            .iter()
            .enumerate()
            .filter_map(|(at, alternatives)| Some((at, alternatives.as_ref()?)))
            .collect();
        let mut apart = ExclusionCache::default();
        let (mut look, mut go) = (MAX_EXAMINED_TRIPLES, MAX_CANDIDATE_TRIPLES);
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
                    if !work::spend(Task::Conflicts, 1) {
                        return found;
                    }
                    let three = [(*a, *first), (*b, *second), (*c, *third)];
                    if apart.may_exclude(three) {
                        go -= 1;
                        found.extend(self.check_triple([checks[*a], checks[*b], checks[*c]]));
                    }
                }
            }
        }
        found
    }

    /// The ways to satisfy a check; empty if one of them is unknown, or if there are too many.
    fn alternatives_of<'c>(&self, check: &'c PossibleCheck<'p>) -> Option<CheckAlternatives<'c>> {
        let reading = self.first_readings(check).first().filter(|reading| !reading.is_open())?;
        (reading.alternative_count() <= MAX_ALTERNATIVES)
            .then(|| CheckAlternatives { reading, sizes: reading.sizes() })
    }

    fn check_triple(&self, checks: [&PossibleCheck<'p>; 3]) -> Option<Diagnostic> {
        let exclusion = self.exclusion(&checks)?;
        // Not if two of them are enough, which is reported for those, or known for the library.
        let [one, two, three] = checks;
        let pairs = [[one, two], [one, three], [two, three]];
        let least = pairs.iter().all(|pair| self.never(pair, None, Texts::Prose).is_none());
        least.then(|| self.contradictory(&checks, &exclusion))
    }
}
