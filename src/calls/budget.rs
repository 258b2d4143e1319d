//! No more is spent than was allowed.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::Money;

/// What a run may spend, with all its resumptions. What is left out is not bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Answers.
    pub calls: Option<u64>,
    /// Of requests and answers.
    pub tokens: Option<u64>,
    pub money: Option<Money>,
}

/// What calls have cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    pub calls: u64,
    pub input: u64,
    pub output: u64,
    /// Of the output, where endpoints say so.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning: u64,
    pub money: Money,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Spent {
    pub fn add(&mut self, other: &Spent) {
        self.calls = self.calls.saturating_add(other.calls);
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.money = self.money.plus(other.money);
    }

    fn remove(&mut self, other: &Spent) {
        self.calls = self.calls.saturating_sub(other.calls);
        self.input = self.input.saturating_sub(other.input);
        self.output = self.output.saturating_sub(other.output);
        self.reasoning = self.reasoning.saturating_sub(other.reasoning);
        self.money = self.money.minus(other.money);
    }

    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

pub struct Budget {
    allowance: Allowance,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    spent: Spent,
    /// Estimates of what is in flight.
    reserved: Spent,
}

impl Budget {
    pub fn new(allowance: Allowance, spent: Spent) -> Budget {
        Budget { allowance, state: Mutex::new(State { spent, ..State::default() }) }
    }

    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// Sets aside what a call may cost, or says which bound it would break.
    pub fn reserve(&self, estimate: &Spent) -> Result<(), String> {
        let mut state = self.lock();
        let mut all = state.spent;
        all.add(&state.reserved);
        all.add(estimate);
        let Allowance { calls, tokens, money } = self.allowance;
        if let Some(most) = calls.filter(|most| all.calls > *most) {
            return Err(format!("the budget of {most} calls"));
        }
        if let Some(most) = tokens.filter(|most| all.tokens() > *most) {
            return Err(format!("the budget of {most} tokens"));
        }
        if let Some(most) = money.filter(|most| all.money > *most) {
            return Err(format!("the budget of {most}"));
        }
        state.reserved.add(estimate);
        Ok(())
    }

    /// What was set aside is free again, and this was spent.
    pub fn settle(&self, estimate: &Spent, spent: &Spent) {
        let mut state = self.lock();
        state.reserved.remove(estimate);
        state.spent.add(spent);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_flight_counts() {
        let allowance = Allowance { calls: Some(3), tokens: Some(100), money: None };
        let before = Spent { calls: 1, input: 10, output: 10, ..Spent::default() };
        let budget = Budget::new(allowance, before);
        let call = Spent { calls: 1, input: 20, output: 10, ..Spent::default() };
        assert_eq!(budget.reserve(&call), Ok(()));
        assert_eq!(budget.reserve(&call), Ok(()));
        assert_eq!(budget.reserve(&call).unwrap_err(), "the budget of 3 calls");
        budget.settle(&call, &Spent::default());
        let large = Spent { input: 60, ..call };
        assert_eq!(budget.reserve(&large).unwrap_err(), "the budget of 100 tokens");
        assert_eq!(budget.reserve(&call), Ok(()));
        budget.settle(&call, &call);
        assert_eq!(budget.spent().tokens(), 50);
    }
}
