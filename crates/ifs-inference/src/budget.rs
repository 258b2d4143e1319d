//! Budgets: the limits on what a run may spend.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{Money, Price};
use crate::provider::Usage;

/// What a run may spend, including resumptions. `None` is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Answers.
    pub calls: Option<u64>,
    /// Of requests and answers.
    pub tokens: Option<u64>,
    pub money: Option<Money>,
}

impl Allowance {
    /// The bound that is passed by so much.
    pub fn exceeded_by(&self, spent: &Spent) -> Option<String> {
        let Allowance { calls, tokens, money } = *self;
        let calls = calls.filter(|most| spent.calls > *most);
        let tokens = tokens.filter(|most| spent.tokens() > *most);
        let money = money.filter(|most| spent.money > *most);
        calls
            .map(|most| format!("the budget of {most} calls"))
            .or_else(|| tokens.map(|most| format!("the budget of {most} tokens")))
            .or_else(|| money.map(|most| format!("the budget of {most}")))
    }
}

/// Why a request may not be sent.
#[derive(Debug, PartialEq, Eq)]
pub enum BudgetExceeded {
    /// The limit that it would exceed.
    Spent(String),
    /// It fits if requests in flight cost less than reserved.
    InFlight,
}

/// The cost of requests.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Spent {
    pub calls: u64,
    pub input: u64,
    pub output: u64,
    /// Of the output, where endpoints say so.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub reasoning: u64,
    /// In dollars.
    #[schemars(with = "f64")]
    pub money: Money,
}

impl Spent {
    /// The cost of one request that was answered.
    pub fn of_call(usage: &Usage, price: Option<Price>) -> Spent {
        Spent {
            calls: 1,
            input: usage.input.unwrap_or(0),
            output: usage.output.unwrap_or(0),
            reasoning: usage.reasoning.unwrap_or(0),
            money: price.map_or(Money::ZERO, |price| price.cost(usage)),
        }
    }

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
    /// What other runs spent of it.
    others: Spent,
    state: Mutex<BudgetState>,
}

#[derive(Default)]
struct BudgetState {
    spent: Spent,
    /// Reservations for requests in flight.
    reserved: Spent,
}

impl Budget {
    pub fn new(allowance: Allowance, spent: Spent) -> Budget {
        let state = Mutex::new(BudgetState { spent, ..BudgetState::default() });
        Budget { allowance, others: Spent::default(), state }
    }

    /// The budget of a run that shares its allowance with others.
    #[must_use]
    pub fn shared_with(self, others: Spent) -> Budget {
        Budget { others, ..self }
    }

    /// The cost of this run.
    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// Reserves the estimated cost of a request.
    pub fn reserve(&self, estimate: &Spent) -> Result<(), BudgetExceeded> {
        let mut state = self.lock();
        let mut all = state.spent;
        all.add(&self.others);
        all.add(estimate);
        if let Some(what) = self.allowance.exceeded_by(&all) {
            return Err(BudgetExceeded::Spent(what));
        }
        all.add(&state.reserved);
        if self.allowance.exceeded_by(&all).is_some() {
            return Err(BudgetExceeded::InFlight);
        }
        state.reserved.add(estimate);
        Ok(())
    }

    /// Reserves the estimated cost of a request that was sent before and is paid for in any case.
    pub fn reserve_paid(&self, estimate: &Spent) {
        self.lock().reserved.add(estimate);
    }

    /// Releases a reservation and records the real cost.
    pub fn record_cost(&self, estimate: &Spent, spent: &Spent) {
        let mut state = self.lock();
        state.reserved.remove(estimate);
        state.spent.add(spent);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BudgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_in_flight_count() {
        let allowance = Allowance { calls: Some(3), tokens: Some(100), money: None };
        let before = Spent { calls: 1, input: 10, output: 10, ..Spent::default() };
        let budget = Budget::new(allowance, before);
        let call = Spent { calls: 1, input: 20, output: 10, ..Spent::default() };
        assert_eq!(budget.reserve(&call), Ok(()));
        assert_eq!(budget.reserve(&call), Ok(()));
        assert_eq!(budget.reserve(&call), Err(BudgetExceeded::InFlight));
        budget.record_cost(&call, &Spent::default());
        assert_eq!(budget.reserve(&Spent { input: 60, ..call }), Err(BudgetExceeded::InFlight));
        let large = Spent { input: 80, ..call };
        assert_eq!(
            budget.reserve(&large),
            Err(BudgetExceeded::Spent("the budget of 100 tokens".to_owned()))
        );
        assert_eq!(budget.reserve(&call), Ok(()));
        budget.record_cost(&call, &call);
        assert_eq!(budget.spent().tokens(), 50);
        budget.record_cost(&call, &call);
        assert_eq!(
            budget.reserve(&call),
            Err(BudgetExceeded::Spent("the budget of 3 calls".to_owned()))
        );
    }
}
