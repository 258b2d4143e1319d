//! The budget of search steps of one command. The share of a dialogue depends on the steps of
//! earlier dialogues, and not on the order in which threads finish.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use ifs_predicate::witness::SEARCH_STEPS;

/// The maximum number of steps of a command: for its first dialogue, and for each further one.
const FIRST_COMMAND_STEPS: usize = 8 * SEARCH_STEPS;
const STEPS_PER_DIALOGUE: usize = SEARCH_STEPS / 16;
/// The maximum number of steps of one dialogue.
const MAX_DIALOGUE_STEPS: usize = 4 * SEARCH_STEPS;
/// The number of dialogues that search at the same time.
const CONCURRENT_DIALOGUES: u64 = 4;

/// The search steps of one command.
#[derive(Debug, Default)]
pub struct Steps {
    state: Mutex<ProofState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct ProofState {
    /// All dialogues before this one have ended, and these others.
    next: u64,
    others: BTreeMap<u64, usize>,
    /// The total steps of all dialogues before one.
    before: BTreeMap<u64, usize>,
}

impl ProofState {
    fn end(&mut self, at: u64, spent: usize) {
        self.others.insert(at, spent);
        while let Some(spent) = self.others.remove(&self.next) {
            let before = self.before.get(&self.next).copied().unwrap_or(0);
            self.next += 1;
            self.before.insert(self.next, before.saturating_add(spent));
            self.before = self.before.split_off(&self.next.saturating_sub(CONCURRENT_DIALOGUES));
        }
    }
}

impl Steps {
    /// The share of a dialogue, by its position in the command. Each position must be used once,
    /// and in order.
    pub fn share(&self, at: u64) -> DialogueBudget<'_> {
        DialogueBudget { of: Some((self, at)), left: None, spent: 0 }
    }

    fn state(&self) -> MutexGuard<'_, ProofState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The steps that a dialogue may use; it waits for earlier dialogues that are still searching.
    fn allowed(&self, at: u64) -> usize {
        let known = (at + 1).saturating_sub(CONCURRENT_DIALOGUES);
        let mut state = self.state();
        while state.next < known {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let spent = state.before.get(&known).copied().unwrap_or(0);
        let each = usize::try_from(at).unwrap_or(usize::MAX).saturating_mul(STEPS_PER_DIALOGUE);
        FIRST_COMMAND_STEPS.saturating_add(each).saturating_sub(spent).min(MAX_DIALOGUE_STEPS)
    }
}

/// The budget of one dialogue.
#[derive(Debug)]
pub struct DialogueBudget<'s> {
    of: Option<(&'s Steps, u64)>,
    left: Option<usize>,
    spent: usize,
}

impl Default for DialogueBudget<'_> {
    fn default() -> Self {
        DialogueBudget { of: None, left: Some(MAX_DIALOGUE_STEPS), spent: 0 }
    }
}

impl DialogueBudget<'_> {
    /// A number of steps of its own.
    pub fn of(steps: usize) -> Self {
        DialogueBudget { of: None, left: Some(steps), spent: 0 }
    }

    /// The remaining steps.
    pub fn steps_left(&mut self) -> usize {
        let of = self.of;
        *self
            .left
            .get_or_insert_with(|| of.map_or(MAX_DIALOGUE_STEPS, |(steps, at)| steps.allowed(at)))
    }

    /// Whether all of it is known to be spent.
    pub fn is_spent(&self) -> bool {
        self.left == Some(0)
    }

    pub fn spend(&mut self, steps: usize) {
        self.spent = self.spent.saturating_add(steps);
        self.left = Some(self.steps_left().saturating_sub(steps));
    }
}

impl Drop for DialogueBudget<'_> {
    fn drop(&mut self) {
        if let Some((steps, at)) = self.of {
            steps.state().end(at, self.spent);
            steps.ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The budgets of some dialogues that use all of theirs.
    fn taken(order: &[u64]) -> Vec<usize> {
        let steps = Steps::default();
        let mut shares: Vec<Option<DialogueBudget<'_>>> =
            (0..8).map(|at| Some(steps.share(at))).collect();
        let mut taken = vec![0; 8];
        for at in order {
            let place = *at as usize;
            let mut share = shares[place].take().expect("each once");
            taken[place] = share.steps_left();
            share.spend(taken[place]);
        }
        taken
    }

    #[test]
    fn step_allowances_do_not_depend_on_order() {
        let inorder = taken(&[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(taken(&[3, 2, 1, 0, 6, 7, 5, 4]), inorder);
        assert_eq!(inorder[..4], [MAX_DIALOGUE_STEPS; 4]);
        // The first four together use more than the command has, so the others get only what each
        // dialogue adds.
        let all: usize = inorder.iter().sum();
        assert!(
            all <= FIRST_COMMAND_STEPS + 4 * MAX_DIALOGUE_STEPS && inorder[7] < MAX_DIALOGUE_STEPS,
            "{inorder:?}"
        );
    }

    #[test]
    fn dialogues_wait_for_those_long_before_them() {
        let steps = Steps::default();
        let mut first = steps.share(0);
        let rest: Vec<DialogueBudget<'_>> = (1..4).map(|at| steps.share(at)).collect();
        std::thread::scope(|scope| {
            let late = scope.spawn(|| steps.share(4).steps_left());
            first.spend(MAX_DIALOGUE_STEPS);
            drop(first);
            drop(rest);
            assert_eq!(late.join().ok(), Some(MAX_DIALOGUE_STEPS));
        });
    }
}
