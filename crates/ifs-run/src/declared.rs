//! The selection of a release's dialogues by what it declares: anchors, quotas, covers, and how
//! much two dialogues may be alike.
//!
//! Dialogues are drawn in the order of their index. One is skipped if a quota is full, if it is
//! too similar to one that was chosen, or, as long as a cover or a quota lacks something, if it has
//! nothing of that.

use std::collections::BTreeMap;

use super::features::{Features, NamedFeature, covered, possible};
use super::kept::{MAX_CANDIDATES, is_kept};
use super::selection::{Limit, Selected, Selection, SkipReason, SkippedDialogue};
use ifs_base::minhash::Index;
use ifs_base::parallel::{in_order, workers};
use ifs_draw::{DrawError, Drawer, FIRST_ANCHOR, Seed};
use ifs_model::table::{Feature, Quota, Release, Share};
use ifs_plan::{DialoguePlan, Plan};

/// Dialogues that are drawn at once.
const BATCH_DIALOGUES: u64 = 64;

/// The maximum number of rejected dialogues in a row: a constant, and a number for each wanted one.
const MAX_REJECTED_IN_A_ROW: u64 = 500;
const MAX_REJECTED_PER_DIALOGUE: u64 = 10;

/// The unmet requirements and the full quotas of a release.
struct DeclaredCounts<'p> {
    /// By the least number of times; the unit is that of the feature.
    covers: BTreeMap<NamedFeature, u64>,
    /// In dialogues: at least, and at most.
    least: BTreeMap<NamedFeature, u64>,
    most: Vec<&'p Quota>,
    chosen: BTreeMap<NamedFeature, u64>,
    dialogues: BTreeMap<NamedFeature, u64>,
    /// In all that were drawn, and the number of dialogues that had it.
    drawn: BTreeMap<NamedFeature, (u64, u64)>,
}

impl<'p> DeclaredCounts<'p> {
    fn new(plan: &Plan, dialogue: DialoguePlan<'_>, release: &'p Release) -> DeclaredCounts<'p> {
        let mut counts = DeclaredCounts {
            covers: BTreeMap::new(),
            least: BTreeMap::new(),
            most: release.quotas.iter().filter(|quota| !quota.least).collect(),
            chosen: BTreeMap::new(),
            dialogues: BTreeMap::new(),
            drawn: BTreeMap::new(),
        };
        for cover in &release.covers {
            for named in covered(plan, dialogue, cover) {
                let least = counts.covers.entry(named).or_default();
                *least = (*least).max(cover.least);
            }
        }
        for quota in release.quotas.iter().filter(|quota| quota.least) {
            let possible = possible(plan, dialogue, quota.feature);
            let named = |name: &String| quota.name.as_ref().is_none_or(|wanted| wanted == name);
            for name in possible.into_iter().filter(named) {
                let least = counts.least.entry((quota.feature, name)).or_default();
                *least = (*least).max(quota.count);
            }
        }
        counts
    }

    fn missing_features<'c>(
        wanted: &'c BTreeMap<NamedFeature, u64>,
        have: &BTreeMap<NamedFeature, u64>,
    ) -> Vec<&'c NamedFeature> {
        let have = |named: &NamedFeature| have.get(named).copied().unwrap_or_default();
        wanted
            .iter()
            .filter(|(named, least)| have(named) < **least)
            .map(|(named, _)| named)
            .collect()
    }

    fn lacking(&self) -> Vec<&NamedFeature> {
        let mut lacking = DeclaredCounts::missing_features(&self.covers, &self.chosen);
        lacking.extend(DeclaredCounts::missing_features(&self.least, &self.dialogues));
        lacking
    }

    /// Whether a dialogue has a feature that is lacking, and every feature that all remaining places
    /// are needed for.
    fn helps(&self, features: &Features, places: u64) -> bool {
        let have = |in_: &BTreeMap<NamedFeature, u64>, named: &NamedFeature| {
            in_.get(named).copied().unwrap_or_default()
        };
        let covers = self.covers.iter().map(|(named, least)| {
            let missing = least.saturating_sub(have(&self.chosen, named));
            // As many in each dialogue as on average.
            let (times, dialogues) = self.drawn.get(named).copied().unwrap_or((1, 1));
            (named, missing, (missing * dialogues).div_ceil(times.max(1)))
        });
        let least = self.least.iter().map(|(named, least)| {
            let missing = least.saturating_sub(have(&self.dialogues, named));
            (named, missing, missing)
        });
        let (mut lacking, mut helps) = (false, false);
        for (named, missing, places_needed) in covers.chain(least) {
            let has = features.counts.contains_key(named);
            lacking |= missing > 0;
            helps |= missing > 0 && has;
            if missing > 0 && places_needed >= places && !has {
                return false;
            }
        }
        helps || !lacking
    }

    /// The quota that is full and that a dialogue would exceed.
    fn exceeded(&self, features: &Features) -> Option<String> {
        self.most.iter().find_map(|quota| {
            let of = features.counts.keys().filter(|(feature, name)| {
                *feature == quota.feature && quota.name.as_ref().is_none_or(|wanted| wanted == name)
            });
            let full = |named: &&NamedFeature| {
                self.dialogues.get(*named).copied().unwrap_or_default() >= quota.count
            };
            of.into_iter().find(full).map(described)
        })
    }

    fn add(&mut self, features: &Features) {
        for (named, count) in &features.counts {
            *self.chosen.entry(named.clone()).or_default() += count;
            *self.dialogues.entry(named.clone()).or_default() += 1;
        }
    }

    /// Counts the features of a drawn dialogue, chosen or not.
    fn see(&mut self, features: &Features) {
        for (named, count) in &features.counts {
            if self.covers.contains_key(named) || self.least.contains_key(named) {
                let (times, dialogues) = self.drawn.entry(named.clone()).or_default();
                (*times, *dialogues) = (*times + count, *dialogues + 1);
            }
        }
    }

    /// An error about the first thing that is lacking.
    fn error(
        &self,
        named: &NamedFeature,
        chosen: usize,
        drawn: u64,
        release: &Release,
    ) -> DrawError {
        let cover = release.covers.iter().find(|cover| cover.feature == named.0);
        let quota = release.quotas.iter().find(|quota| quota.least && quota.feature == named.0);
        let (have, of, unit) = match self.covers.get(named) {
            Some(of) if self.chosen.get(named).copied().unwrap_or_default() < *of => {
                (self.chosen.get(named), *of, unit(named.0))
            }
            _ => {
                let of = self.least.get(named).copied().unwrap_or_default();
                (self.dialogues.get(named), of, "dialogues")
            }
        };
        let span = match unit {
            "dialogues" if quota.is_some() => quota.map(|quota| quota.span),
            _ => cover.map(|cover| cover.span),
        };
        let span = span.unwrap_or(release.span);
        DrawError::NotCovered {
            what: format!("the {}", described(named)),
            unit,
            have: have.copied().unwrap_or_default(),
            of,
            chosen: chosen as u64,
            drawn,
            span,
            found: self.drawn.get(named).map_or(0, |(times, _)| *times),
        }
    }
}

fn unit(feature: Feature) -> &'static str {
    if feature.by_dialogue() { "dialogues" } else { "turns" }
}

/// `group length`, `pair of groups length + tone`
fn described((feature, name): &NamedFeature) -> String {
    format!("{} `{name}`", feature.word())
}

/// Whether a release declares more than a number, a seed and what to keep.
pub fn declares(release: &Release) -> bool {
    !release.covers.is_empty()
        || !release.quotas.is_empty()
        || release.alike.is_some()
        || release.anchors > 0
}

/// The dialogues of a release: its anchors, then others.
pub fn select_declared(
    drawer: &Drawer<'_>,
    release: &Release,
    seed: Seed,
    count: u64,
    most: u32,
) -> Result<Selection, DrawError> {
    let name = drawer.dialogue().table.name.clone();
    // Fewer dialogues than declared are the first ones of the release.
    let declared = release.count(&name).unwrap_or(count);
    let mut picker = Picker {
        drawer,
        release,
        seed,
        most,
        counts: DeclaredCounts::new(drawer.plan(), drawer.dialogue(), release),
        texts: super::DialogueTexts::new(drawer, seed, most),
        alike: release.alike.map(|Share(share)| Index::new(f64::from(share) / 1e6)),
        selection: Selection::default(),
        drawn: 0,
        wanted: declared.max(count),
        in_a_row: 0,
        name: &name,
    };
    let anchors = release.anchors.min(count);
    picker.stream(FIRST_ANCHOR, anchors, count)?;
    picker.stream(0, count, count)?;
    let lacking = picker.counts.lacking();
    if let (true, Some(named)) = (count >= declared, lacking.first()) {
        let chosen = picker.selection.dialogues.len();
        return Err(picker.counts.error(named, chosen, picker.drawn, release));
    }
    Ok(picker.selection)
}

struct Picker<'a, 'p> {
    drawer: &'a Drawer<'p>,
    release: &'a Release,
    seed: Seed,
    most: u32,
    counts: DeclaredCounts<'a>,
    texts: super::DialogueTexts<'a>,
    alike: Option<Index>,
    selection: Selection,
    drawn: u64,
    wanted: u64,
    in_a_row: u64,
    name: &'a str,
}

impl Picker<'_, '_> {
    /// Chooses from a range of indices until the selection has this many dialogues.
    fn stream(&mut self, from: u64, until: u64, count: u64) -> Result<(), DrawError> {
        let end = from + count.saturating_mul(MAX_CANDIDATES);
        let in_a_row = MAX_REJECTED_IN_A_ROW + MAX_REJECTED_PER_DIALOGUE * count;
        self.in_a_row = 0;
        let mut next = from;
        while (self.selection.dialogues.len() as u64) < until && next < end {
            let batch = next..end.min(next + BATCH_DIALOGUES);
            next = batch.end;
            for (index, features) in self.draw(batch)? {
                if self.selection.dialogues.len() as u64 >= until {
                    return Ok(());
                }
                match self.reason(index, features)? {
                    None => self.in_a_row = 0,
                    Some(reason) => {
                        self.in_a_row += 1;
                        match reason {
                            SkipReason::Keep => self.selection.rejected += 1,
                            SkipReason::Repeats(_) => self.selection.repeats += 1,
                            SkipReason::Alike { .. }
                            | SkipReason::Quota(_)
                            | SkipReason::NotNeeded => {}
                        }
                        self.selection.passed.push(SkippedDialogue { index, reason });
                    }
                }
                if self.in_a_row >= in_a_row {
                    let distinct = self.selection.dialogues.len() as u64;
                    self.selection.limit = Some(Limit::Found { distinct, drawn: self.drawn });
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Why a dialogue is skipped; otherwise it is chosen.
    fn reason(
        &mut self,
        index: u64,
        features: Option<Features>,
    ) -> Result<Option<SkipReason>, DrawError> {
        self.drawn += 1;
        let Some(features) = features else { return Ok(Some(SkipReason::Keep)) };
        self.counts.see(&features);
        if let Some(quota) = self.counts.exceeded(&features) {
            return Ok(Some(SkipReason::Quota(quota)));
        }
        let places = self.wanted - self.selection.dialogues.len() as u64;
        if !self.counts.helps(&features, places) {
            return Ok(Some(SkipReason::NotNeeded));
        }
        if let Some((at, share)) = self.alike.as_ref().and_then(|it| it.nearest(&features.sketch)) {
            let of = self.selection.dialogues[at].index;
            if self.texts.add(index)? == Some(of) {
                return Ok(Some(SkipReason::Repeats(of)));
            }
            return Ok(Some(SkipReason::Alike { of, share }));
        }
        if let Some(of) = self.texts.add(index)? {
            return Ok(Some(SkipReason::Repeats(of)));
        }
        self.counts.add(&features);
        if let Some(alike) = &mut self.alike {
            alike.insert(features.sketch);
        }
        self.selection.dialogues.push(Selected { dialogue: self.name.to_owned(), index });
        Ok(None)
    }

    /// The features of dialogues, in order; `None` for one that is not kept.
    fn draw(
        &self,
        indices: std::ops::Range<u64>,
    ) -> Result<Vec<(u64, Option<Features>)>, DrawError> {
        let mut drawn = Vec::new();
        let mut left = indices;
        let outcome: Result<(), Stopped> = in_order(
            workers(),
            || Ok(left.next()),
            |index| (index, self.features(index)),
            |(index, features)| {
                drawn.push((index, features.map_err(Stopped::Draw)?));
                Ok(())
            },
        );
        match outcome {
            Ok(()) => Ok(drawn),
            Err(Stopped::Draw(error)) => Err(error),
            Err(Stopped::Thread(error)) => Err(DrawError::NoThread(error.to_string())),
        }
    }

    fn features(&self, index: u64) -> Result<Option<Features>, DrawError> {
        if !self.release.keep.is_empty()
            && !is_kept(self.drawer, &self.release.keep, self.seed, index)?
        {
            return Ok(None);
        }
        let mut features = Features::default();
        for turn in self.drawer.script(self.seed, index).take_both_sides().take(self.most as usize)
        {
            features.add(self.drawer.plan(), &turn?);
        }
        Ok(Some(features))
    }
}

/// Why drawing stopped.
enum Stopped {
    Draw(DrawError),
    Thread(std::io::Error),
}

impl From<std::io::Error> for Stopped {
    fn from(error: std::io::Error) -> Stopped {
        Stopped::Thread(error)
    }
}
