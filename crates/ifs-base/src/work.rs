//! The work of a command: one budget of steps for everything that a small input can make long.
//!
//! Whoever starts the work sets a limit ([`within`]), and the loops that may run long count their steps
//! ([`spend`]). When the limit is reached, `spend` says so to everyone, each loop stops with what it has,
//! and whoever set the limit refuses the input. Steps are counted and time is not, so that an input is
//! refused on every machine or on none. The count belongs to a thread: work on several threads has a
//! limit for each item, which does not depend on how the items are spread.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// What steps are spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Types of functions and constants, for each call of them.
    Types,
    /// Similar names for mistakes.
    Names,
    /// Constraints and requirements, each with each.
    Conflicts,
    /// Observations on the paths of a dialogue.
    Paths,
    /// Places of the nodes and edges of a picture.
    Layout,
    /// Constraints, values and statements of drawn turns.
    Draws,
    /// Texts for drawn turns.
    Witnesses,
    /// Values of expressions.
    Evaluation,
}

impl Task {
    const COUNT: usize = Task::Evaluation as usize + 1;
    const ALL: [Task; Task::COUNT] = [
        Task::Types,
        Task::Names,
        Task::Conflicts,
        Task::Paths,
        Task::Layout,
        Task::Draws,
        Task::Witnesses,
        Task::Evaluation,
    ];

    /// What most of the work is, after "most of it".
    pub fn noun(self) -> &'static str {
        match self {
            Task::Types => "for the types of functions and constants",
            Task::Names => "to look for similar names",
            Task::Conflicts => "to compare constraints with one another",
            Task::Paths => "to follow the branches of dialogues",
            Task::Layout => "to lay out a graph",
            Task::Draws => "to draw turns",
            Task::Witnesses => "to find texts that satisfy turns",
            Task::Evaluation => "to evaluate expressions",
        }
    }

    /// How an author makes it less.
    pub fn advice(self) -> &'static str {
        match self {
            Task::Types => "give functions and constants smaller records",
            Task::Names => "correct the first mistakes",
            Task::Conflicts => "use fewer constraints, alternatives and values of parameters",
            Task::Paths => "use fewer observations, or turns of your own instead of branches",
            Task::Layout => "use fewer turns and relations",
            Task::Draws => {
                "draw fewer constraints and values on a turn, or constraints that fit together"
            }
            Task::Witnesses => "use fewer or simpler constraints, or constraints that fit together",
            Task::Evaluation => "use shorter lists and texts in expressions, or fewer of them",
        }
    }
}

/// Work that took more steps than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuchWork {
    pub limit: u64,
    /// What most of the steps were for.
    pub most: Task,
}

impl fmt::Display for TooMuchWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = self.limit / 1_000_000;
        write!(f, "more than {millions} million steps, most of them {}", self.most.noun())
    }
}

#[derive(Clone, Copy)]
struct Count {
    limit: u64,
    left: u64,
    spent: [u64; Task::COUNT],
    /// Who is to end the work early: a number, and its value as long as the work may go on.
    current: Option<(&'static AtomicU64, u64)>,
}

impl Count {
    const fn new(limit: u64) -> Count {
        Count { limit, left: limit, spent: [0; Task::COUNT], current: None }
    }

    fn is_outdated(&self) -> bool {
        self.current.is_some_and(|(number, value)| number.load(Ordering::Relaxed) != value)
    }

    fn exceeded(&self) -> Option<TooMuchWork> {
        let most = Task::ALL.into_iter().max_by_key(|task| self.spent[*task as usize])?;
        (self.left == 0).then_some(TooMuchWork { limit: self.limit, most })
    }
}

thread_local! {
    static COUNT: Cell<Option<Count>> = const { Cell::new(None) };
}

/// Restores the count around a piece of work, even if that panics.
struct Restored {
    outer: Option<Count>,
}

impl Drop for Restored {
    fn drop(&mut self) {
        COUNT.set(self.outer);
    }
}

/// What work took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentWork {
    pub steps: u64,
    /// Whether it was ended by its limit.
    pub too_much: Option<TooMuchWork>,
}

/// Does something that may take this many steps. Work within it counts for the outer limit, too.
pub fn within<T>(limit: u64, work: impl FnOnce() -> T) -> (T, SpentWork) {
    let outer = COUNT.get();
    let start = match outer {
        Some(outer) if outer.left < limit => Count { spent: [0; Task::COUNT], ..outer },
        _ => Count { current: outer.and_then(|outer| outer.current), ..Count::new(limit) },
    };
    let mut restored = Restored { outer };
    COUNT.set(Some(start));
    let result = work();
    let count = COUNT.get().unwrap_or(start);
    let steps = start.left - count.left;
    if let Some(outer) = &mut restored.outer {
        outer.left -= steps;
        for (total, spent) in outer.spent.iter_mut().zip(count.spent) {
            *total += spent;
        }
    }
    (result, SpentWork { steps, too_much: count.exceeded() })
}

/// Does work whose result is kept for others. It has a limit of its own and counts for no other, since
/// the result must not depend on what was done before. The caller spends the steps that are returned
/// whenever the result is used.
pub fn apart<T>(limit: u64, work: impl FnOnce() -> T) -> (T, u64) {
    let _restored = Restored { outer: COUNT.replace(None) };
    let (result, spent) = within(limit, work);
    (result, spent.steps)
}

/// Does work that is of use only as long as a number has this value. When another thread changes the
/// number, the work ends as if its limit were reached, and the caller discards the result.
pub fn while_current<T>(number: &'static AtomicU64, value: u64, work: impl FnOnce() -> T) -> T {
    let start = Count { current: Some((number, value)), ..Count::new(u64::MAX) };
    let _restored = Restored { outer: COUNT.replace(Some(start)) };
    work()
}

/// Counts steps, and returns whether work may go on.
pub fn spend(task: Task, steps: u64) -> bool {
    let Some(mut count) = COUNT.get() else { return true };
    if count.left == 0 {
        return false;
    }
    count.left = if count.is_outdated() { 0 } else { count.left.saturating_sub(steps.max(1)) };
    count.spent[task as usize] += steps;
    COUNT.set(Some(count));
    count.left > 0
}

/// The steps that were spent on a task within the innermost limit.
pub fn spent_on(task: Task) -> u64 {
    COUNT.get().map_or(0, |count| count.spent[task as usize])
}

/// Whether the limit was reached.
pub fn is_exhausted() -> bool {
    COUNT.get().is_some_and(|count| count.left == 0)
}

/// The number of steps that are left.
pub fn steps_left() -> u64 {
    COUNT.get().map_or(u64::MAX, |count| count.left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_its_limit() {
        let count = |limit: u64| {
            let mut rounds = 0;
            let ((), spent) = within(limit, || {
                while rounds < 1_000 && spend(Task::Draws, 10) {
                    rounds += 1;
                }
            });
            (rounds, spent.too_much)
        };
        let most = Task::Draws;
        assert_eq!(count(100), (9, Some(TooMuchWork { limit: 100, most })));
        assert_eq!(count(100_000), (1_000, None));
        // Nothing is counted outside of any limit.
        assert!(spend(Task::Types, u64::MAX) && !is_exhausted());
    }

    #[test]
    fn inner_work_counts_for_the_outer_limit() {
        let (inner, outer) = within(100, || {
            let inner = [60, 60, 60].map(|steps| within(70, || spend(Task::Paths, steps)));
            assert!(is_exhausted());
            inner
        });
        assert_eq!(inner[0], (true, SpentWork { steps: 60, too_much: None }));
        // The limit that is named is the one that was set.
        assert_eq!(inner[1].1.too_much.map(|over| over.limit), Some(100));
        assert_eq!(inner[2].1.too_much.map(|over| over.limit), Some(100));
        let too_much = Some(TooMuchWork { limit: 100, most: Task::Paths });
        assert_eq!(outer, SpentWork { steps: 100, too_much });
        assert!(!is_exhausted());
    }

    #[test]
    fn work_apart_counts_for_no_other_limit() {
        let ((), spent) = within(100, || {
            assert_eq!(apart(1_000, || spend(Task::Paths, 150)), (true, 150));
            assert_eq!(apart(50, || spend(Task::Paths, 150)), (false, 50));
            spend(Task::Draws, 1);
        });
        assert_eq!(spent, SpentWork { steps: 1, too_much: None });
    }

    #[test]
    fn outdated_work_ends() {
        static NUMBER: AtomicU64 = AtomicU64::new(7);
        let went_on = while_current(&NUMBER, 7, || {
            within(100, || {
                let before = spend(Task::Draws, 1);
                NUMBER.store(8, Ordering::Relaxed);
                (before, spend(Task::Draws, 1), spend(Task::Draws, 1))
            })
        });
        assert_eq!(went_on.0, (true, false, false));
        assert!(spend(Task::Draws, 1) && !is_exhausted());
    }

    #[test]
    fn a_panic_leaves_no_limit_behind() {
        let panicked = std::panic::catch_unwind(|| within(1, || panic!("in the work")));
        assert!(panicked.is_err() && spend(Task::Names, 9) && !is_exhausted());
    }
}
