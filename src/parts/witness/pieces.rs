//! Pieces for each part: as many as are asked for, each of which meets what is asked of one.

use std::collections::BTreeSet;

use crate::predicate::evaluate::{Scene, Variables, holds};
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::predicate::witness::{About, Goal, witness as witness_of_whole};
use crate::text::Text;

use super::split::{Condition, Split};
use super::{Wanted, han};
use crate::parts::Reader;

/// The most pieces of a part that are tried.
const MAX_COUNT: usize = 200;
/// How many candidates each piece is chosen from.
const CANDIDATES: u64 = 12;

/// The pieces of every part, in the order of the parts.
pub(super) fn pieces(
    parts: &[Wanted],
    split: &Split<'_>,
    about: &About<'_>,
    seed: u64,
) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let each = split.each.get(at).map_or([].as_slice(), Vec::as_slice);
        let mut source = Source {
            part,
            each,
            about,
            seed: seed.wrapping_add(at as u64 * 977),
            stuck: each.iter().any(|each| asks_for_han(&each.tree)),
        };
        if !part.list {
            all.push(vec![source.piece(0, 0, None)]);
            continue;
        }
        let count =
            count(part, split.counts.get(at).map_or([].as_slice(), Vec::as_slice), &all, parts);
        let others: Vec<&Condition<'_>> =
            split.others.iter().filter(|other| other.tree.mentions(&part.name)).collect();
        let mut made: Vec<String> = Vec::new();
        for number in 0..count {
            let piece = source.next(&mut made, number as u64, &others, parts, &all);
            made.push(piece);
        }
        all.push(made);
    }
    all
}

/// How many pieces a part has: the least number, from 3 on and then below, of which all holds that
/// is asked of it.
fn count(
    part: &Wanted,
    counts: &[Condition<'_>],
    before: &[Vec<String>],
    parts: &[Wanted],
) -> usize {
    let fits = |number: usize| {
        let list = Value::list((0..number).map(|_| Value::text("a")));
        let values = vec![(part.name.clone(), list)];
        counts.iter().all(|count| meets(count, &values, ""))
    };
    // Columns of one table, and fields of one list, are as long as their neighbours.
    let beside = parts.iter().zip(before).find(|(other, _)| together(&other.reader, &part.reader));
    if let Some((_, made)) = beside
        && fits(made.len())
    {
        return made.len();
    }
    (3..=MAX_COUNT).chain([2, 1]).find(|number| fits(*number)).unwrap_or(3)
}

fn together(one: &Reader, other: &Reader) -> bool {
    match (one, other) {
        (Reader::Table(_), Reader::Table(_)) => true,
        (Reader::Json(one), Reader::Json(other)) => {
            let list = |path: &str| path.rsplit_once('.').map(|(list, _)| list.to_owned());
            list(one).is_some() && list(one) == list(other)
        }
        (Reader::In(one, within), Reader::In(other, beside)) => {
            within == beside && together(one, other)
        }
        _ => false,
    }
}

fn meets(condition: &Condition<'_>, values: &Vec<(String, Value)>, it: &str) -> bool {
    let both: (&dyn Variables, &dyn Variables) = (values, condition.variables);
    let text = Text::new(it);
    holds(&condition.tree, &Scene { it: &text, variables: &both })
}

/// Where pieces of one part come from.
struct Source<'a> {
    part: &'a Wanted,
    each: &'a [Condition<'a>],
    about: &'a About<'a>,
    seed: u64,
    /// Sentences of plain words do not meet what is asked of a piece.
    stuck: bool,
}

impl Source<'_> {
    /// The next piece of a list: of several candidates the first that goes with those before it.
    fn next(
        &mut self,
        made: &mut Vec<String>,
        number: u64,
        others: &[&Condition<'_>],
        parts: &[Wanted],
        before: &[Vec<String>],
    ) -> String {
        let mut best: Option<(usize, String)> = None;
        let known: BTreeSet<String> = made.iter().map(|piece| piece.to_lowercase()).collect();
        for candidate in 0..CANDIDATES {
            let piece = self.piece(number, candidate, made.last().map(String::as_str));
            let twice = usize::from(known.contains(&piece.to_lowercase()));
            let wrong = if others.is_empty() {
                0
            } else {
                made.push(piece.clone());
                let mut values: Vec<(String, Value)> = parts
                    .iter()
                    .zip(before)
                    .map(|(part, pieces)| (part.name.clone(), value(part, pieces)))
                    .collect();
                values.push((self.part.name.clone(), value(self.part, made)));
                let ready = |other: &&&Condition<'_>| {
                    parts.iter().all(|part| {
                        !other.tree.mentions(&part.name)
                            || values.iter().any(|(name, _)| *name == part.name)
                    })
                };
                let wrong =
                    others.iter().filter(ready).filter(|other| !meets(other, &values, "")).count();
                made.pop();
                wrong
            };
            let wrong = 2 * wrong + twice;
            if wrong == 0 {
                return piece;
            }
            if best.as_ref().is_none_or(|(best, _)| wrong < *best) {
                best = Some((wrong, piece));
            }
        }
        best.map(|(_, piece)| piece).unwrap_or_default()
    }

    /// One piece that meets what is asked of it, if one can be made.
    fn piece(&mut self, number: u64, candidate: u64, last: Option<&str>) -> String {
        let seed = self.seed.wrapping_add(number * CANDIDATES + candidate);
        if !self.stuck {
            match self.worded(seed) {
                Some(piece) => return piece,
                None => self.stuck = true,
            }
        }
        let mut fitting = han::candidates(self.each, self.seed.wrapping_add(number), last)
            .filter(|piece| self.fits(piece));
        let first = fitting.next();
        let found = match candidate {
            0 => None,
            candidate => fitting.nth(candidate as usize - 1),
        };
        found.or(first).or_else(|| self.stacked(seed)).unwrap_or_else(|| format!("piece {number}"))
    }

    /// Words that the witness of whole answers makes, on one line where the reader reads lines.
    fn worded(&self, seed: u64) -> Option<String> {
        let brief = self.each.iter().all(|each| !each.tree.mentions_unit());
        let short = words_between(4, 8);
        let nothing: [(&str, Value); 0] = [];
        let mut goals: Vec<Goal<'_>> = self
            .each
            .iter()
            .map(|each| Goal { tree: &each.tree, variables: each.variables, wanted: true })
            .collect();
        if brief {
            goals.push(Goal { tree: &short, variables: &nothing, wanted: true });
        }
        let text = witness_of_whole(&goals, self.about, seed).ok()?;
        let text = self.shaped(&text);
        self.fits(&text).then_some(text)
    }

    /// As the reader leaves it: on one line, without what would end it.
    fn shaped(&self, text: &str) -> String {
        let text = text.trim();
        if self.has_lines() {
            return text.to_owned();
        }
        let line: Vec<&str> = text.split_whitespace().collect();
        line.join(" ")
    }

    fn has_lines(&self) -> bool {
        !self.part.list
            || matches!(self.part.reader, Reader::Paragraphs | Reader::Between(..) | Reader::Code)
    }

    /// Several lines or paragraphs, each a sentence.
    fn stacked(&self, seed: u64) -> Option<String> {
        if !self.has_lines() {
            return None;
        }
        let line = words_between(4, 8);
        let nothing: [(&str, Value); 0] = [];
        let goal = [Goal { tree: &line, variables: &nothing, wanted: true }];
        let lines: Vec<String> =
            (0..24).filter_map(|at| witness_of_whole(&goal, self.about, seed + at).ok()).collect();
        let stacks = (1..=24).flat_map(|count| ["\n", "\n\n"].map(|between| (count, between)));
        stacks
            .map(|(count, between)| {
                lines.iter().take(count).cloned().collect::<Vec<_>>().join(between)
            })
            .find(|piece| self.fits(piece))
    }

    fn fits(&self, piece: &str) -> bool {
        let nothing = Vec::new();
        !piece.trim().is_empty() && self.each.iter().all(|each| meets(each, &nothing, piece))
    }
}

fn value(part: &Wanted, pieces: &[String]) -> Value {
    match part.list {
        true => Value::list(pieces.iter().map(|piece| Value::text(piece))),
        false => Value::text(pieces.first().map_or("", String::as_str)),
    }
}

/// `count(word) in low..=high`
pub(super) fn words_between(low: i64, high: i64) -> Tree {
    let int = |number| Box::new(Tree::made(Node::Value(Value::Int(number))));
    let words = Tree::made(Node::Units("word".to_owned(), None));
    let count = Tree::made(Node::Call("count".to_owned(), vec![words]));
    let range = Node::Range { low: Some(int(low)), high: Some(int(high)), inclusive: true };
    Tree::made(Node::Within(Box::new(count), Box::new(Tree::made(range))))
}

/// Whether Chinese characters are asked for.
fn asks_for_han(tree: &Tree) -> bool {
    matches!(&tree.node, Node::Pattern(pattern) if pattern.pattern.contains("\\p{Han}"))
        || tree.children().into_iter().any(asks_for_han)
}

impl Tree {
    /// Whether it counts or looks at units of a text.
    fn mentions_unit(&self) -> bool {
        matches!(&self.node, Node::Units(..))
            || self.children().into_iter().any(Tree::mentions_unit)
    }
}
