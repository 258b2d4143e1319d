//! `every`, `some`, `no`, `at_least`, `at_most`, `exactly`.

use super::Env;
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::{Operand, SliceBounds};
use crate::tree::{Quantified, Quantifier};
use crate::value::Value;

/// The minimum and maximum number of members for which a condition must hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountRange {
    pub(crate) least: usize,
    pub(crate) most: usize,
}

impl<'a> Env<'_, 'a> {
    pub(super) fn quantified(&self, quantified: &'a Quantified) -> Result<bool, EvalError> {
        let domain = self.domain(quantified)?;
        let len = domain.list_len().unwrap_or(0);
        let wanted = self.required_counts(&quantified.quantifier, len)?;
        // A member whose body has a fault may or may not count, so both cases must agree.
        let (mut holding, mut unknown, mut fault) = (0, 0, None);
        for (seen, member) in domain.members().enumerate() {
            match self.of_member(quantified, member) {
                Ok(true) => holding += 1,
                Ok(false) => {}
                Err(found) => {
                    unknown += 1;
                    fault = fault.or(Some(found));
                }
            }
            let left = len - seen - 1;
            if holding > wanted.most || holding + unknown + left < wanted.least {
                return Ok(false);
            }
            if holding >= wanted.least && holding + unknown + left <= wanted.most {
                return Ok(true);
            }
        }
        match fault {
            Some(fault) => Err(fault),
            None => Ok((wanted.least..=wanted.most).contains(&holding)),
        }
    }

    /// The list of a quantifier.
    pub(crate) fn domain(&self, quantified: &'a Quantified) -> Result<Operand<'a>, EvalError> {
        self.list(&quantified.domain)
    }

    pub(crate) fn required_counts(
        &self,
        quantifier: &'a Quantifier,
        len: usize,
    ) -> Result<CountRange, EvalError> {
        let count = |tree| {
            let number = self.number(tree)?;
            match number {
                Number::Int(count) => Ok(count),
                Number::Ratio(..) | Number::Float(_) => {
                    Err(EvalError::new("how many is a whole number").with_span(tree.span))
                }
            }
        };
        let least = |count: i64| usize::try_from(count.max(0)).unwrap_or(usize::MAX);
        Ok(match quantifier {
            Quantifier::Every => CountRange { least: len, most: usize::MAX },
            Quantifier::Some => CountRange { least: 1, most: usize::MAX },
            Quantifier::No => CountRange { least: 0, most: 0 },
            Quantifier::AtLeast(tree) => {
                CountRange { least: least(count(tree)?), most: usize::MAX }
            }
            Quantifier::AtMost(tree) => match usize::try_from(count(tree)?) {
                Ok(most) => CountRange { least: 0, most },
                Err(_) => IMPOSSIBLE,
            },
            Quantifier::Exactly(tree) => match usize::try_from(count(tree)?) {
                Ok(exactly) => CountRange { least: exactly, most: exactly },
                Err(_) => IMPOSSIBLE,
            },
        })
    }

    /// Whether the body holds for one member.
    pub(crate) fn of_member(
        &self,
        quantified: &'a Quantified,
        member: Operand<'a>,
    ) -> Result<bool, EvalError> {
        match &quantified.binder {
            Some(name) => self.with_local(&self.bind(name, member)).truth(&quantified.body),
            None => self.with_it(&member).truth(&quantified.body),
        }
    }
}

/// A negative number is impossible.
const IMPOSSIBLE: CountRange = CountRange { least: usize::MAX, most: 0 };

const MAX_RANGE_LENGTH: i64 = 100_000;

/// The integers of a range.
pub(super) fn numbers<'a>(bounds: &SliceBounds) -> Result<Operand<'a>, EvalError> {
    let SliceBounds { low: Some(Number::Int(low)), high: Some(Number::Int(high)), inclusive } =
        bounds
    else {
        return Err(EvalError::new("only a range of whole numbers can be gone through"));
    };
    let high = if *inclusive { *high } else { high.saturating_sub(1) };
    if high.saturating_sub(*low) > MAX_RANGE_LENGTH {
        return Err(EvalError::new("the range is too long to go through"));
    }
    Ok(Operand::Value(Value::list((*low..=high).map(Value::Int))))
}
