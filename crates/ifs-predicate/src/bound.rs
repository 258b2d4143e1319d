//! The implications of a check for every response that satisfies it, by abstract interpretation,
//! and thereby which checks can never hold together.
//!
//! Sound before complete. A check is read as alternatives, each a list of [`Fact`]s that are true
//! of every answer the check holds for (`read`). What cannot be read gives no fact. From the facts
//! of several checks follow bounds of more measures (`relations`: forty sentences of at least five
//! words are at least two hundred words), and a [`Conflict`] is reported only when every way to
//! choose one alternative of each check ends in a contradiction.
//!
//! Facts are about what is written, or about what it says. That both are the same, and rules such as
//! that a paragraph has a sentence, hold for plain texts of prose only. What follows from those is a
//! hint ([`Texts::Prose`]): `ifs check` warns of it, and nothing else relies on it.

#[cfg(test)]
mod characters;
mod classes;
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
mod triple;

use super::evaluate::Variables;
use super::tree::{Node, Tree};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use reach::TopicRange;

pub use fact::{Fact, Letters, ListSource, Measure, Property, TextEdge};
pub use interval::Interval;
pub(crate) use read::{Alternatives, CheckReader, conjunction, no_facts};
pub use triple::Sizes;

/// Checks that can never hold together.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The parts that exclude one another: two as a rule, one when it excludes itself.
    pub reasons: Vec<ConflictReason>,
}

/// The texts that a conclusion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// All texts: a proof.
    All,
    /// Plain texts of sentences, whose words have letters: a hint. A table of numbers is no such text,
    /// nor one that hides words in tags.
    Prose,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ConflictReason {
    /// Which of the checks, by its place in the list.
    pub goal: usize,
    pub span: Span,
    /// `at least 200 words`
    pub fragment: String,
}

/// Why no text satisfies some checks, and whether that is a proof or a hint.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusion {
    pub conflict: Conflict,
    pub texts: Texts,
}

/// Why no text satisfies all of them: as a proof, or else as a hint.
pub fn exclusion(goals: &[BoundedCheck<'_>]) -> Option<Exclusion> {
    [Texts::All, Texts::Prose].into_iter().find_map(|texts| {
        let conflict = conflict_for(goals, texts)?;
        Some(Exclusion { conflict, texts })
    })
}

/// A check with the values of its parameters.
pub type BoundedCheck<'a> = (&'a Tree, &'a dyn Variables);

/// How many combinations of alternatives are looked at; beyond that nothing is claimed.
const MAX_COMBINATIONS: usize = 256;

/// Why these can never hold together; `None` when they can, or when it cannot be determined.
pub fn conflict(goals: &[BoundedCheck<'_>]) -> Option<Conflict> {
    conflict_for(goals, Texts::All)
}

/// Why none of these texts satisfies all of them, as far as it can be determined.
pub fn conflict_for(goals: &[BoundedCheck<'_>], texts: Texts) -> Option<Conflict> {
    let read: Vec<AnalysedCheck> =
        goals.iter().enumerate().map(|(goal, check)| AnalysedCheck::new(*check, goal)).collect();
    conflict_among(&read.iter().collect::<Vec<_>>(), texts)
}

/// An analysed check, which can be compared with others repeatedly.
#[derive(Clone, Debug)]
pub struct AnalysedCheck {
    alternatives: Vec<Vec<Fact>>,
    /// The topics of each alternative.
    reaches: Vec<TopicRange>,
    /// It contradicts itself, and so any other check.
    never: bool,
}

impl AnalysedCheck {
    /// `goal` identifies the check in a [`ConflictReason`].
    pub fn new((tree, variables): BoundedCheck<'_>, goal: usize) -> AnalysedCheck {
        let mut alternatives = read::alternatives(tree, variables, goal);
        let reach =
            |facts: &Vec<Fact>| TopicRange::from_facts(facts.iter().map(|fact| &fact.property));
        let mut reaches: Vec<TopicRange> = alternatives.iter().map(reach).collect();
        let is_possible = |facts: &Vec<Fact>, reach: &TopicRange| {
            let itself = reach.overlaps(reach) || reach.mentions_members();
            !itself || contradiction(&facts.iter().collect::<Vec<_>>(), Texts::All).is_none()
        };
        let possible: Vec<bool> =
            std::iter::zip(&alternatives, &reaches).map(|(a, b)| is_possible(a, b)).collect();
        let never = !possible.contains(&true);
        // An impossible alternative would hide that the others exclude something.
        if alternatives.len() > 1 && !never {
            let mut keep = possible.iter();
            alternatives.retain(|_| keep.next() == Some(&true));
            let mut keep = possible.iter();
            reaches.retain(|_| keep.next() == Some(&true));
        }
        AnalysedCheck { alternatives, reaches, never }
    }

    /// That the check does not hold.
    pub fn of_negation((tree, variables): BoundedCheck<'_>, goal: usize) -> AnalysedCheck {
        let not = Tree::new(Node::Not(Box::new(tree.clone())), tree.span);
        AnalysedCheck::new((&not, variables), goal)
    }

    /// Whether it may exclude another: a quick test that says yes if in doubt.
    pub fn may_exclude(&self, other: &AnalysedCheck) -> bool {
        self.never
            || other.never
            || self.reaches.iter().all(|one| other.reaches.iter().all(|two| one.overlaps(two)))
    }

    /// The counts of each alternative, for comparisons of three checks.
    pub fn sizes(&self) -> Vec<Sizes> {
        let ways = std::iter::zip(&self.alternatives, &self.reaches);
        ways.map(|(facts, reach)| Sizes::from_facts(facts, reach)).collect()
    }

    /// The number of alternatives.
    pub fn alternative_count(&self) -> usize {
        self.alternatives.len()
    }

    /// Whether one of its alternatives excludes an alternative of another check.
    pub fn alternative_excludes(
        &self,
        way: usize,
        (other, other_way): (&AnalysedCheck, usize),
    ) -> bool {
        let may = self.reaches.get(way).zip(other.reaches.get(other_way));
        may.is_some_and(|(one, two)| one.overlaps(two)) && {
            let facts = self.alternatives.get(way).into_iter().flatten();
            let others = other.alternatives.get(other_way).into_iter().flatten();
            contradiction(&facts.chain(others).collect::<Vec<_>>(), Texts::Prose).is_some()
        }
    }

    /// Whether it has an alternative without facts, which nothing excludes.
    pub fn is_open(&self) -> bool {
        self.alternatives.iter().any(Vec::is_empty)
    }
}

/// Whether several may exclude one another though no two of them do: a quick look, with doubt in
/// favour of yes.
pub fn may_exclude_together(read: &[&AnalysedCheck]) -> bool {
    TopicRange::may_exclude_together(read.iter().map(|read| read.reaches.as_slice()))
}

/// Why the checks can never hold together; `None` also if there are too many alternatives.
pub fn conflict_between(read: &[&AnalysedCheck]) -> Option<Conflict> {
    conflict_among(read, Texts::All)
}

/// Why no text of these satisfies all checks; `None` also if there are too many alternatives.
pub fn conflict_among(read: &[&AnalysedCheck], texts: Texts) -> Option<Conflict> {
    compared(read, texts).flatten()
}

/// Why no text of these satisfies all checks, if so; `None` if there are too many alternatives.
pub fn compared(read: &[&AnalysedCheck], texts: Texts) -> Option<Option<Conflict>> {
    if read.iter().all(|read| read.alternatives.len() == 1) {
        let facts: Vec<&Fact> = read.iter().flat_map(|read| &read.alternatives[0]).collect();
        return Some(contradiction(&facts, texts));
    }
    let lists: Vec<&[Vec<Fact>]> = read.iter().map(|read| &*read.alternatives).collect();
    let mut first: Option<Conflict> = None;
    for combination in Combinations::new(&lists)? {
        let Some(conflict) = contradiction(&combination, texts) else { return Some(None) };
        first.get_or_insert(conflict);
    }
    Some(first)
}

/// The alternatives of all checks together without a known contradiction, each as its facts; those
/// that do not require an empty text come first. For constructing a response.
pub fn plans(goals: &[BoundedCheck<'_>]) -> impl Iterator<Item = Vec<Fact>> {
    let read: Vec<Vec<Vec<Fact>>> = goals
        .iter()
        .enumerate()
        .map(|(goal, (tree, variables))| read::alternatives(tree, *variables, goal))
        .collect();
    let lists: Vec<&[Vec<Fact>]> = read.iter().map(Vec::as_slice).collect();
    let mut plans: Vec<Vec<Fact>> = match Combinations::new(&lists) {
        Some(combinations) => combinations
            .filter(|facts| contradiction(facts, Texts::All).is_none())
            .map(|facts| facts.into_iter().cloned().collect())
            .collect(),
        // Too many: the first alternative of each.
        None => vec![read.iter().filter_map(|list| list.first()).flatten().cloned().collect()],
    };
    plans.sort_by_key(|facts| facts.iter().filter(|fact| fact.property.empties()).count());
    plans.into_iter()
}

/// Whether the second check holds for every response for which the first holds, ignoring responses
/// on which the second has no value (a missing paragraph).
pub fn implies(first: BoundedCheck<'_>, second: BoundedCheck<'_>) -> bool {
    conflict_between(&[&AnalysedCheck::new(first, 0), &AnalysedCheck::of_negation(second, 1)])
        .is_some()
}

/// Whether a check can never hold.
pub fn never(tree: &Tree, variables: &dyn Variables) -> Option<Conflict> {
    conflict(&[(tree, variables)])
}

/// Whether a check holds for every response on which it has a value.
pub fn always_holds(tree: &Tree, variables: &dyn Variables) -> bool {
    conflict_between(&[&AnalysedCheck::of_negation((tree, variables), 0)]).is_some()
}

/// Why these facts cannot be true of one of these texts.
fn contradiction(facts: &[&Fact], texts: Texts) -> Option<Conflict> {
    // Each with each, and rules that go over all of them several times.
    let many = facts.len() as u64;
    if !work::spend(Task::Conflicts, 4 + many * many / 8 + many) {
        return None;
    }
    let counting: Vec<&Fact>;
    let facts = if texts == Texts::Prose || !facts.iter().any(|fact| fact.in_prose) {
        facts
    } else {
        counting = facts.iter().copied().filter(|fact| fact.counts_for(texts)).collect();
        &counting
    };
    edges::contradiction(facts, texts).or_else(|| relations::contradiction(facts, texts))
}

/// Every choice of one alternative from each list.
struct Combinations<'a> {
    lists: &'a [&'a [Vec<Fact>]],
    next: Option<Vec<usize>>,
}

impl<'a> Combinations<'a> {
    /// `None` when there are too many.
    fn new(lists: &'a [&'a [Vec<Fact>]]) -> Option<Combinations<'a>> {
        let count = lists.iter().try_fold(1_usize, |count, list| count.checked_mul(list.len()))?;
        (count <= MAX_COMBINATIONS)
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
