//! Marks of judges or people against scores of the same answers: how do marks correlate with PIF?
//! (MMMT-IF, table 3)

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{AnswerMark, ComparedRun, MarksError, pearson, spearman};

/// Marks of one judge and quality against one score, for one run or for all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Marked {
    pub judge: String,
    pub quality: String,
    /// `PIF` or `points`.
    pub score: &'static str,
    /// The model; `None` for all runs together.
    pub model: Option<String>,
    /// Answers with both a mark and the score.
    pub count: usize,
    pub mark: f64,
    pub mean: f64,
    /// `None` for fewer than two answers, or if one side is constant.
    pub pearson: Option<f64>,
    pub spearman: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkedRuns {
    pub rows: Vec<Marked>,
    /// Marks of models, dialogues or turns that are in no run; they are left out.
    pub unmatched: usize,
}

/// Compares every judge and quality with PIF and points, by run and overall. An `item` of the form
/// `DIALOGUE/TURN` (both numbers) is a turn; one of the form `DIALOGUE` is a dialogue.
///
/// # Errors
///
/// Returns an error if an item has neither form, or if no mark belongs to an answer of these runs.
pub fn marked(marks: &[AnswerMark], sides: &[ComparedRun]) -> Result<MarkedRuns, MarksError> {
    type Key<'m> = (&'m str, &'m str, &'static str, Option<&'m str>);
    let mut pairs: BTreeMap<Key<'_>, Vec<(f64, f64)>> = BTreeMap::new();
    let mut unmatched = 0;
    for mark in marks.iter().filter(|mark| mark.other.is_empty()) {
        let (dialogue, turn) = parse_place(&mark.item)?;
        let side = sides.iter().find(|side| side.name == mark.model);
        let held = side.and_then(|side| {
            let mut all = side.dialogues.iter();
            all.find(|((_, index), _)| *index == dialogue).map(|(_, held)| held)
        });
        let Some(held) = held.filter(|held| turn.is_none_or(|turn| held.has_turn(turn))) else {
            unmatched += 1;
            continue;
        };
        for (score, found) in [("PIF", held.pif(turn)), ("points", held.points(turn))] {
            let Some(found) = found else { continue };
            for model in [None, Some(mark.model.as_str())] {
                let key = (mark.judge.as_str(), mark.quality.as_str(), score, model);
                pairs.entry(key).or_default().push((mark.mark, found));
            }
        }
    }
    if pairs.is_empty() {
        let names = |all: BTreeSet<&str>| all.into_iter().collect::<Vec<_>>().join(", ");
        return Err(MarksError::NoRun {
            marked: names(marks.iter().map(|mark| mark.model.as_str()).collect()),
            runs: names(sides.iter().map(|side| side.name.as_str()).collect()),
        });
    }
    let row = |((judge, quality, score, model), pairs): (Key<'_>, Vec<(f64, f64)>)| {
        let mean =
            |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
        Marked {
            judge: judge.to_owned(),
            quality: quality.to_owned(),
            score,
            model: model.map(str::to_owned),
            count: pairs.len(),
            mark: mean(|pair| pair.0),
            mean: mean(|pair| pair.1),
            pearson: pearson(&pairs),
            spearman: spearman(&pairs),
        }
    };
    Ok(MarkedRuns { rows: pairs.into_iter().map(row).collect(), unmatched })
}

/// `3/7`: turn 7 of dialogue number 3; `3`: the complete dialogue.
fn parse_place(item: &str) -> Result<(u64, Option<u32>), MarksError> {
    let wrong = || MarksError::Item(item.to_owned());
    let (dialogue, turn) = match item.split_once('/') {
        None => (item, None),
        Some((dialogue, turn)) => (dialogue, Some(turn.trim().parse().map_err(|_| wrong())?)),
    };
    Ok((dialogue.trim().parse().map_err(|_| wrong())?, turn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ScoreOptions, ScoredDialogue, score, testing};

    fn side(name: &str, dialogues: &[&str]) -> ComparedRun {
        let of = |(index, letters): (u64, &&str)| ScoredDialogue {
            dialogue: "talk".to_owned(),
            index,
            ..testing::dialogue(letters)
        };
        let dialogues: Vec<ScoredDialogue> = (0..).zip(dialogues).map(of).collect();
        ComparedRun::new(name.to_owned(), &score(&dialogues, &ScoreOptions::default()))
    }

    fn mark(model: &str, item: &str, mark: f64) -> AnswerMark {
        let [judge, quality, other] = ["human", "", ""].map(str::to_owned);
        AnswerMark { judge, model: model.to_owned(), item: item.to_owned(), mark, quality, other }
    }

    #[test]
    fn turns_and_dialogues_by_hand() {
        // A turn of S has PIF 1, one of F one half.
        let sides = [side("a", &["SF", "SS"]), side("b", &["FF"])];
        let marks = [
            mark("a", "0/1", 9.0),
            mark("a", "0/2", 4.0),
            mark("a", "1/2", 9.0),
            mark("b", "0/1", 4.0),
            mark("b", "0/9", 4.0),
            mark("c", "0/1", 4.0),
        ];
        let found = marked(&marks, &sides).unwrap();
        let short: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.model.as_deref(), row.count, row.pearson, row.mean))
            .collect();
        assert_eq!(
            short,
            [
                (None, 4, Some(1.0), 0.75),
                (Some("a"), 3, Some(1.0), 2.5 / 3.0),
                (Some("b"), 1, None, 0.5)
            ]
        );
        assert_eq!(found.unmatched, 2);
        let whole = marked(&[mark("a", "0", 5.0), mark("a", "1", 6.0)], &sides).unwrap();
        assert_eq!((whole.rows[0].count, whole.rows[0].mean), (2, 0.875));
    }

    #[test]
    fn unknown_places_are_reported() {
        let sides = [side("a", &["S"])];
        let said = |marks: &[AnswerMark]| marked(marks, &sides).unwrap_err().to_string();
        assert!(said(&[mark("a", "first", 1.0)]).contains("`first`"));
        assert!(said(&[mark("gpt", "0/1", 1.0)]).contains("gpt"));
    }
}
