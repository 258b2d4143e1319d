//! Intervals of numbers, open or closed at each end.

use std::cmp::Ordering;

use crate::number::Number;
use crate::tree::CompareOp;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IntervalEnd {
    pub value: Number,
    /// The value itself is outside.
    pub strict: bool,
}

/// All numbers between two ends; a missing end is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    pub low: Option<IntervalEnd>,
    pub high: Option<IntervalEnd>,
}

impl Interval {
    pub fn exactly(value: Number) -> Interval {
        let end = Some(IntervalEnd { value, strict: false });
        Interval { low: end, high: end }
    }

    pub fn at_least(value: Number) -> Interval {
        Interval { low: Some(IntervalEnd { value, strict: false }), high: None }
    }

    pub fn at_most(value: Number) -> Interval {
        Interval { low: None, high: Some(IntervalEnd { value, strict: false }) }
    }

    /// The numbers for which a comparison with a value holds; `None` for `!=`, which holds on both
    /// sides.
    pub fn from_comparison(op: CompareOp, value: Number) -> Option<Interval> {
        let end = |strict| Some(IntervalEnd { value, strict });
        Some(match op {
            CompareOp::Equal => Interval::exactly(value),
            CompareOp::NotEqual => return None,
            CompareOp::Less => Interval { low: None, high: end(true) },
            CompareOp::LessEqual => Interval { low: None, high: end(false) },
            CompareOp::More => Interval { low: end(true), high: None },
            CompareOp::MoreEqual => Interval { low: end(false), high: None },
        })
    }

    pub fn is_empty(&self) -> bool {
        match (self.low, self.high) {
            (Some(low), Some(high)) => match low.value.order(high.value) {
                Ordering::Less => false,
                Ordering::Equal => low.strict || high.strict,
                Ordering::Greater => true,
            },
            _ => false,
        }
    }

    /// The same for something that is counted: closed ends, whole numbers.
    pub fn to_whole_numbers(self) -> Interval {
        let low = self.low.and_then(|end| {
            let value =
                if end.strict { end.value.floor()?.plus(Number::Int(1)) } else { end.value.ceil() };
            Some(IntervalEnd { value: value?, strict: false })
        });
        let high = self.high.and_then(|end| {
            let value = if end.strict {
                end.value.ceil()?.minus(Number::Int(1))
            } else {
                end.value.floor()
            };
            Some(IntervalEnd { value: value?, strict: false })
        });
        Interval { low, high }
    }

    /// Whether a number lies in it.
    pub fn holds(&self, number: Number) -> bool {
        let above = self.low.is_none_or(|end| match number.order(end.value) {
            Ordering::Less => false,
            Ordering::Equal => !end.strict,
            Ordering::Greater => true,
        });
        let below = self.high.is_none_or(|end| match number.order(end.value) {
            Ordering::Greater => false,
            Ordering::Equal => !end.strict,
            Ordering::Less => true,
        });
        above && below
    }

    /// Each end changed by a function that keeps the order.
    pub fn map(self, change: impl Fn(Number) -> Option<Number>) -> Interval {
        let end = |end: IntervalEnd| Some(IntervalEnd { value: change(end.value)?, ..end });
        Interval { low: self.low.and_then(end), high: self.high.and_then(end) }
    }

    pub fn negated(self) -> Interval {
        let turned = Interval { low: self.high, high: self.low };
        turned.map(Number::negated)
    }

    /// The lowest integer in it, if it is bounded below.
    pub fn low_int(&self) -> Option<i64> {
        int(self.to_whole_numbers().low?.value)
    }

    /// The highest integer in it, if it is bounded above.
    pub fn high_int(&self) -> Option<i64> {
        int(self.to_whole_numbers().high?.value)
    }
}

fn int(number: Number) -> Option<i64> {
    match number {
        Number::Int(value) => Some(value),
        Number::Ratio(..) | Number::Float(_) => None,
    }
}
