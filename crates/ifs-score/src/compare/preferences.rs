//! How often a judge, or a person, prefers one model to another (MMMT-IF, figure 8).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::AnswerMark;

/// Two models, as compared by one judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preference {
    pub quality: String,
    pub judge: String,
    pub one: String,
    pub other: String,
    /// Answers to the same item for which the first model was preferred, neither, or the second.
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
}

impl Preference {
    #[must_use]
    pub fn items(&self) -> usize {
        self.wins + self.ties + self.losses
    }
}

/// Preferences between every two models that a judge marked on the same items (the higher mark
/// wins), and those of direct comparisons in rows with `other`.
#[must_use]
pub fn preferences(marks: &[AnswerMark]) -> Vec<Preference> {
    type Pair<'m> = (&'m str, &'m str, &'m str, &'m str);
    let mut found: BTreeMap<Pair<'_>, [usize; 3]> = BTreeMap::new();
    let mut add = |pair, wins: Ordering| {
        let counts = found.entry(pair).or_default();
        match wins {
            Ordering::Greater => counts[0] += 1,
            Ordering::Equal => counts[1] += 1,
            Ordering::Less => counts[2] += 1,
        }
    };
    let mut items: BTreeMap<(&str, &str, &str), Vec<&AnswerMark>> = BTreeMap::new();
    for mark in marks {
        if mark.other.is_empty() {
            items.entry((&mark.quality, &mark.judge, &mark.item)).or_default().push(mark);
            continue;
        }
        let wins = mark.mark.total_cmp(&0.0);
        let (one, other) = (mark.model.as_str(), mark.other.as_str());
        match one <= other {
            true => add((&*mark.quality, &*mark.judge, one, other), wins),
            false => add((&*mark.quality, &*mark.judge, other, one), wins.reverse()),
        }
    }
    for ((quality, judge, _), mut given) in items {
        given.sort_by(|one, other| one.model.cmp(&other.model));
        for (at, one) in given.iter().enumerate() {
            for other in &given[at + 1..] {
                let pair = (quality, judge, one.model.as_str(), other.model.as_str());
                add(pair, one.mark.total_cmp(&other.mark));
            }
        }
    }
    let row = |((quality, judge, one, other), [wins, ties, losses]): (Pair<'_>, [usize; 3])| {
        let [quality, judge, one, other] = [quality, judge, one, other].map(str::to_owned);
        Preference { quality, judge, one, other, wins, ties, losses }
    };
    found.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(model: &str, other: &str, item: &str, mark: f64) -> AnswerMark {
        let [judge, quality] = ["human".to_owned(), String::new()];
        let (model, other) = (model.to_owned(), other.to_owned());
        AnswerMark { judge, model, item: item.to_owned(), mark, quality, other }
    }

    #[test]
    fn by_marks_and_by_choice() {
        let of = |marks: &[AnswerMark]| -> Vec<(String, String, usize, usize, usize)> {
            let found = preferences(marks);
            found.into_iter().map(|it| (it.one, it.other, it.wins, it.ties, it.losses)).collect()
        };
        let marked = [
            mark("b", "", "1", 7.0),
            mark("a", "", "1", 9.0),
            mark("a", "", "2", 5.0),
            mark("b", "", "2", 5.0),
            mark("a", "", "3", 5.0),
        ];
        assert_eq!(of(&marked), [("a".to_owned(), "b".to_owned(), 1, 1, 0)]);
        let chosen = [
            mark("b", "a", "1", 1.0),
            mark("a", "b", "2", -1.0),
            mark("a", "b", "3", 0.0),
            mark("a", "b", "4", 1.0),
        ];
        assert_eq!(of(&chosen), [("a".to_owned(), "b".to_owned(), 1, 1, 2)]);
    }
}
