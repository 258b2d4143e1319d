//! The selection of dialogues: those of a release, or the first ones.

use super::kept::{EXAMINED_TURNS, MAX_CANDIDATES, is_kept};
use super::selection::{Limit, Selected, Selection, SkipReason, SkippedDialogue};
use ifs_draw::{DrawError, Drawer, Seed};
use ifs_model::table::Release;

/// The first `count` dialogues that a release keeps; all are kept without one.
///
/// `keep` sees the first 20 turns of a script as `turns`: records of `turn`,
/// `topic`, `transition`, `change` and `constraints`. What else a release declares is counted over
/// the same turns, whatever the number of turns of the utterance set.
pub fn select(
    drawer: &Drawer<'_>,
    release: Option<&Release>,
    seed: Seed,
    count: u64,
) -> Result<Selection, DrawError> {
    let name = drawer.dialogue().table.name.clone();
    if let Some(release) = release.filter(|release| super::declared::declares(release)) {
        let turns = EXAMINED_TURNS as u32;
        return super::declared::select_declared(drawer, release, seed, count, turns);
    }
    let mut selection = Selection::default();
    let keep = release.map_or(&[][..], |release| &release.keep);
    let limit = candidate_count(drawer, release, count);
    let mut index = 0;
    while (selection.dialogues.len() as u64) < count && index < limit {
        if keep.is_empty() || is_kept(drawer, keep, seed, index)? {
            selection.dialogues.push(Selected { dialogue: name.clone(), index });
        } else {
            selection.rejected += 1;
        }
        index += 1;
    }
    Ok(selection)
}

/// The first `count` dialogues with distinct texts that a release keeps, or fewer if there are not
/// enough. The first `most` turns of texts are compared.
///
/// After many repeats in a row the search stops: another text as likely as each of those found
/// would have been drawn with a probability of 149 in 150.
pub fn select_distinct(
    drawer: &Drawer<'_>,
    release: Option<&Release>,
    seed: Seed,
    count: u64,
    most: u32,
) -> Result<Selection, DrawError> {
    let name = drawer.dialogue().table.name.clone();
    if let Some(release) = release.filter(|release| super::declared::declares(release)) {
        return super::declared::select_declared(drawer, release, seed, count, most);
    }
    let mut selection = Selection::default();
    let keep = release.map_or(&[][..], |release| &release.keep);
    let mut texts = super::DialogueTexts::new(drawer, seed, most);
    let (mut in_a_row, mut asked_exactly) = (0, false);
    for index in 0..candidate_count(drawer, release, count) {
        let distinct = selection.dialogues.len() as u64;
        if distinct == count {
            break;
        }
        if !keep.is_empty() && !is_kept(drawer, keep, seed, index)? {
            selection.rejected += 1;
            selection.passed.push(SkippedDialogue { index, reason: SkipReason::Keep });
            continue;
        }
        // A release of every record includes those with repeated texts.
        let repeats = match once(drawer, release) {
            Some(_) => None,
            None => texts.add(index)?,
        };
        let Some(of) = repeats else {
            selection.dialogues.push(Selected { dialogue: name.clone(), index });
            in_a_row = 0;
            continue;
        };
        selection.passed.push(SkippedDialogue { index, reason: SkipReason::Repeats(of) });
        selection.repeats += 1;
        in_a_row += 1;
        // Every record was used, so unless something else is drawn, there are no new texts.
        if let Some(period) = drawer.period()
            && index >= period
            && !asked_exactly
        {
            asked_exactly = true;
            if super::distinct::exactly(drawer, seed, most, period)?.is_some() {
                selection.limit = Some(Limit::Exactly(distinct));
                break;
            }
        }
        if in_a_row >= 5 * (distinct + 1) + 10 {
            let drawn = distinct + selection.repeats;
            selection.limit = Some(Limit::Found { distinct, drawn });
            break;
        }
    }
    // A release has each record once, so there is no more to draw.
    let distinct = selection.dialogues.len() as u64;
    if let Some(drawn) = once(drawer, release).filter(|records| *records < count) {
        selection.limit = Some(match selection.rejected {
            0 => Limit::Exactly(distinct),
            _ => Limit::Found { distinct, drawn },
        });
    }
    Ok(selection)
}

/// The number of records, if a release has each of them once.
pub(super) fn once(drawer: &Drawer<'_>, release: Option<&Release>) -> Option<u64> {
    let name = &drawer.dialogue().table.name;
    release.filter(|release| release.has_every_record_of(name)).and_then(|_| drawer.period())
}

/// The number of candidates: records that a release has once are not drawn again.
fn candidate_count(drawer: &Drawer<'_>, release: Option<&Release>, count: u64) -> u64 {
    once(drawer, release).unwrap_or_else(|| count.saturating_mul(MAX_CANDIDATES))
}
