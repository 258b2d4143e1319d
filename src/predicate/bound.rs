//! What a check implies about every answer it holds of, by abstract interpretation: and so which
//! checks can never hold together.
//!
//! Sound before complete. A check is read as alternatives, each a list of [`Fact`]s that are true
//! of every answer the check holds of (`read`). What cannot be read gives no fact. From the facts
//! of several checks follow bounds of more measures (`relations`: forty sentences of at least five
//! words are at least two hundred words), and a [`Conflict`] is reported only when every way to
//! choose one alternative of each check ends in a contradiction. One rule holds of prose only, that
//! a paragraph has a sentence in it; a conflict that rests on it says so.

mod edges;
mod fact;
mod interval;
#[cfg(test)]
mod laws;
mod pattern;
mod phrase;
mod reach;
mod read;
mod relations;
#[cfg(test)]
mod tests;
mod trio;

use super::evaluate::Variables;
use super::tree::{Node, Tree};
use crate::source::Span;
use reach::Reach;

pub use fact::{Edge, Fact, Letters, Measure, Members, Property};
pub use interval::Interval;
pub(in crate::predicate) use read::{Alternatives, Reader, both, nothing};
pub use trio::Sizes;

/// Checks that can never hold together.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The parts that exclude one another: two as a rule, one when it excludes itself.
    pub reasons: Vec<Reason>,
    /// It rests on every paragraph having a sentence, which a row of stars has not.
    pub in_prose: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Which of the checks, by its place in the list.
    pub goal: usize,
    pub span: Span,
    /// `at least 200 words`
    pub fragment: String,
}

/// A check with the values of its parameters.
pub type Bounded<'a> = (&'a Tree, &'a dyn Variables);

/// How many combinations of alternatives are looked at; beyond that nothing is claimed.
const COMBINATIONS: usize = 256;

/// Why these can never hold together; `None` when they can, or when it cannot be determined.
pub fn conflict(goals: &[Bounded<'_>]) -> Option<Conflict> {
    let read: Vec<Reading> =
        goals.iter().enumerate().map(|(goal, check)| Reading::new(*check, goal)).collect();
    between(&read.iter().collect::<Vec<_>>())
}

/// A check that was read, to be compared with others without reading it again.
#[derive(Clone, Debug)]
pub struct Reading {
    alternatives: Vec<Vec<Fact>>,
    /// What each alternative speaks of.
    reaches: Vec<Reach>,
    /// It contradicts itself, and so everything.
    never: bool,
}

impl Reading {
    /// `goal` is what a [`Reason`] calls the check.
    pub fn new((tree, variables): Bounded<'_>, goal: usize) -> Reading {
        let mut alternatives = read::alternatives(tree, variables, goal);
        let reach = |facts: &Vec<Fact>| Reach::of(facts.iter().map(|fact| &fact.property));
        let mut reaches: Vec<Reach> = alternatives.iter().map(reach).collect();
        let against = |facts: &Vec<Fact>, reach: &Reach| {
            let itself = reach.meets(reach) || reach.speaks_of_members();
            itself.then(|| contradiction(&facts.iter().collect::<Vec<_>>())).flatten()
        };
        let found: Vec<Option<Conflict>> =
            std::iter::zip(&alternatives, &reaches).map(|(a, b)| against(a, b)).collect();
        let never = found.iter().all(Option::is_some);
        // What is no way to meet the check would hide that the other ways exclude something.
        let possible: Vec<bool> =
            found.iter().map(|found| found.as_ref().is_none_or(|found| found.in_prose)).collect();
        if alternatives.len() > 1 && possible.contains(&true) {
            let mut keep = possible.iter();
            alternatives.retain(|_| keep.next() == Some(&true));
            let mut keep = possible.iter();
            reaches.retain(|_| keep.next() == Some(&true));
        }
        Reading { alternatives, reaches, never }
    }

    /// That the check does not hold.
    pub fn denied((tree, variables): Bounded<'_>, goal: usize) -> Reading {
        let not = Tree::new(Node::Not(Box::new(tree.clone())), tree.span);
        Reading::new((&not, variables), goal)
    }

    /// Whether it may exclude another: a quick look, with doubt in favour of yes.
    pub fn may_exclude(&self, other: &Reading) -> bool {
        self.never
            || other.never
            || self.reaches.iter().all(|one| other.reaches.iter().all(|two| one.meets(two)))
    }

    /// What each way to meet it says of how much there is, to be compared with two others at once.
    pub fn sizes(&self) -> Vec<Sizes> {
        let ways = std::iter::zip(&self.alternatives, &self.reaches);
        ways.map(|(facts, reach)| Sizes::of(facts, reach)).collect()
    }

    /// How many ways there are to meet it.
    pub fn ways(&self) -> usize {
        self.alternatives.len()
    }

    /// Whether one way to meet it excludes one way to meet another.
    pub fn way_excludes(&self, way: usize, (other, other_way): (&Reading, usize)) -> bool {
        let may = self.reaches.get(way).zip(other.reaches.get(other_way));
        may.is_some_and(|(one, two)| one.meets(two)) && {
            let facts = self.alternatives.get(way).into_iter().flatten();
            let others = other.alternatives.get(other_way).into_iter().flatten();
            contradiction(&facts.chain(others).collect::<Vec<_>>()).is_some()
        }
    }

    /// Whether it can be met in a way of which nothing is known, so that nothing excludes it.
    pub fn is_open(&self) -> bool {
        self.alternatives.iter().any(Vec::is_empty)
    }
}

/// Whether several may exclude one another though no two of them do: a quick look, with doubt in
/// favour of yes.
pub fn may_exclude_together(read: &[&Reading]) -> bool {
    Reach::may_exclude_together(read.iter().map(|read| read.reaches.as_slice()))
}

/// Why what was read can never hold together; `None` too when there are too many ways to meet it.
pub fn between(read: &[&Reading]) -> Option<Conflict> {
    compared(read).flatten()
}

/// Why what was read can never hold together, if so; nothing at all when there are too many ways
/// to meet it.
pub fn compared(read: &[&Reading]) -> Option<Option<Conflict>> {
    if read.iter().all(|read| read.alternatives.len() == 1) {
        let facts: Vec<&Fact> = read.iter().flat_map(|read| &read.alternatives[0]).collect();
        return Some(contradiction(&facts));
    }
    let lists: Vec<&[Vec<Fact>]> = read.iter().map(|read| &*read.alternatives).collect();
    let mut first: Option<Conflict> = None;
    for combination in Combinations::of(&lists)? {
        let Some(found) = contradiction(&combination) else { return Some(None) };
        // One way that is closed in prose alone leaves all of it to what is no prose.
        let in_prose = found.in_prose || first.as_ref().is_some_and(|first| first.in_prose);
        first = Some(Conflict { in_prose, ..first.unwrap_or(found) });
    }
    Some(first)
}

/// The ways to meet all of these for which no contradiction is known, each as the facts it comes
/// to; those that leave something to say come first. For building an answer.
pub fn plans(goals: &[Bounded<'_>]) -> impl Iterator<Item = Vec<Fact>> {
    let read: Vec<Vec<Vec<Fact>>> = goals
        .iter()
        .enumerate()
        .map(|(goal, (tree, variables))| read::alternatives(tree, *variables, goal))
        .collect();
    let lists: Vec<&[Vec<Fact>]> = read.iter().map(Vec::as_slice).collect();
    let mut plans: Vec<Vec<Fact>> = match Combinations::of(&lists) {
        Some(combinations) => combinations
            .filter(|facts| contradiction(facts).is_none())
            .map(|facts| facts.into_iter().cloned().collect())
            .collect(),
        // Too many to look at: the first alternative of each.
        None => vec![read.iter().filter_map(|list| list.first()).flatten().cloned().collect()],
    };
    plans.sort_by_key(|facts| facts.iter().filter(|fact| fact.property.empties()).count());
    plans.into_iter()
}

/// What a check implies about every answer, as far as it has one alternative only.
pub fn implied(tree: &Tree, variables: &dyn Variables) -> Vec<Fact> {
    let mut alternatives = read::alternatives(tree, variables, 0);
    if alternatives.len() == 1 { alternatives.swap_remove(0) } else { Vec::new() }
}

/// Whether no answer of which the first holds lets the second fail. An answer on which the second
/// has no value (a missing paragraph) is not looked at.
pub fn implies(first: Bounded<'_>, second: Bounded<'_>) -> bool {
    between(&[&Reading::new(first, 0), &Reading::denied(second, 1)]).is_some()
}

/// Whether a check can never hold.
pub fn never(tree: &Tree, variables: &dyn Variables) -> Option<Conflict> {
    conflict(&[(tree, variables)])
}

/// Whether a check holds of every answer on which it has a value.
pub fn always(tree: &Tree, variables: &dyn Variables) -> bool {
    between(&[&Reading::denied((tree, variables), 0)]).is_some()
}

/// Why these facts cannot be true of one text.
fn contradiction(facts: &[&Fact]) -> Option<Conflict> {
    edges::contradiction(facts).or_else(|| relations::contradiction(facts))
}

/// Every choice of one alternative from each list.
struct Combinations<'a> {
    lists: &'a [&'a [Vec<Fact>]],
    next: Option<Vec<usize>>,
}

impl<'a> Combinations<'a> {
    /// `None` when there are too many.
    fn of(lists: &'a [&'a [Vec<Fact>]]) -> Option<Combinations<'a>> {
        let count = lists.iter().try_fold(1_usize, |count, list| count.checked_mul(list.len()))?;
        (count <= COMBINATIONS)
            .then(|| Combinations { lists, next: (count > 0).then(|| vec![0; lists.len()]) })
    }
}

impl<'a> Iterator for Combinations<'a> {
    type Item = Vec<&'a Fact>;

    fn next(&mut self) -> Option<Vec<&'a Fact>> {
        let mut at = self.next.take()?;
        let lists: &'a [&'a [Vec<Fact>]] = self.lists;
        let facts = lists.iter().zip(&at).filter_map(|(list, at)| list.get(*at)).flatten();
        let facts = facts.collect();
        for (place, list) in at.iter_mut().zip(self.lists) {
            *place += 1;
            if *place < list.len() {
                self.next = Some(at);
                break;
            }
            *place = 0;
        }
        Some(facts)
    }
}
