//! Numbers as the language computes with them: whole numbers and fractions exactly, and floats
//! only where a float was written or an exact result would not fit.

use std::cmp::Ordering;

use crate::value::Value;

/// INVARIANT: a `Ratio` is reduced and its second number is at least 2; a `Float` is finite.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    Int(i64),
    Ratio(i64, i64),
    Float(f64),
}

impl Number {
    /// `None` for what is not a number, and for NaN.
    pub fn from_value(value: &Value) -> Option<Number> {
        match value {
            Value::Int(value) => Some(Number::Int(*value)),
            Value::Float(value) => Number::finite(*value),
            Value::Nothing
            | Value::Bool(_)
            | Value::Text(_)
            | Value::List(_)
            | Value::Record(_) => None,
        }
    }

    pub fn value(self) -> Value {
        match self {
            Number::Int(value) => Value::Int(value),
            Number::Ratio(..) | Number::Float(_) => Value::Float(self.float()),
        }
    }

    /// The nearest float: a fraction such as 3/5 becomes the float that `0.6` is.
    pub fn float(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Ratio(part, whole) => part as f64 / whole as f64,
            Number::Float(value) => value,
        }
    }

    pub fn finite(value: f64) -> Option<Number> {
        value.is_finite().then_some(Number::Float(value))
    }

    /// `part / whole`, exact where it fits; `None` when `whole` is 0.
    pub fn ratio(part: i128, whole: i128) -> Option<Number> {
        if whole == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(part.unsigned_abs(), whole.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?;
        let sign = if whole < 0 { -1 } else { 1 };
        let (part, whole) = (sign * part / divisor, sign * whole / divisor);
        match (i64::try_from(part), i64::try_from(whole)) {
            (Ok(part), Ok(1)) => Some(Number::Int(part)),
            (Ok(part), Ok(whole)) => Some(Number::Ratio(part, whole)),
            _ => Number::finite(part as f64 / whole as f64),
        }
    }

    /// Part and whole of what is exact.
    fn exact(self) -> Option<(i128, i128)> {
        match self {
            Number::Int(value) => Some((i128::from(value), 1)),
            Number::Ratio(part, whole) => Some((i128::from(part), i128::from(whole))),
            Number::Float(_) => None,
        }
    }

    /// `None` when the result is not a finite number.
    pub fn plus(self, other: Number) -> Option<Number> {
        match (self.exact(), other.exact()) {
            (Some((a, b)), Some((c, d))) => Number::ratio(a * d + c * b, b * d),
            _ => Number::finite(self.float() + other.float()),
        }
    }

    pub fn minus(self, other: Number) -> Option<Number> {
        self.plus(other.negated()?)
    }

    pub fn times(self, other: Number) -> Option<Number> {
        match (self.exact(), other.exact()) {
            (Some((a, b)), Some((c, d))) => Number::ratio(a * c, b * d),
            _ => Number::finite(self.float() * other.float()),
        }
    }

    /// `None` also when `other` is 0.
    pub fn over(self, other: Number) -> Option<Number> {
        match (self.exact(), other.exact()) {
            (Some((a, b)), Some((c, d))) => Number::ratio(a * d, b * c),
            _ => Number::finite(self.float() / other.float()),
        }
    }

    /// The remainder of floor division: never negative for a positive `other`.
    pub fn remainder(self, other: Number) -> Option<Number> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.checked_rem_euclid(b).map(Number::Int),
            _ => {
                let (a, b) = (self.float(), other.float());
                (b != 0.0).then(|| a - b * libm::floor(a / b)).and_then(Number::finite)
            }
        }
    }

    pub fn negated(self) -> Option<Number> {
        match self {
            Number::Int(value) => Some(Number::Int(value.checked_neg()?)),
            Number::Ratio(part, whole) => Some(Number::Ratio(part.checked_neg()?, whole)),
            Number::Float(value) => Some(Number::Float(-value)),
        }
    }

    pub fn absolute(self) -> Option<Number> {
        if self.order(Number::Int(0)) == Ordering::Less { self.negated() } else { Some(self) }
    }

    /// Downwards.
    pub fn floor(self) -> Option<Number> {
        match self {
            Number::Int(_) => Some(self),
            Number::Ratio(part, whole) => Some(Number::Int(part.div_euclid(whole))),
            Number::Float(value) => whole(libm::floor(value)),
        }
    }

    pub fn ceil(self) -> Option<Number> {
        self.negated()?.floor()?.negated()
    }

    /// To the nearest whole number, halves away from zero.
    pub fn round(self) -> Option<Number> {
        let half = Number::Ratio(1, 2);
        if self.order(Number::Int(0)) == Ordering::Less {
            self.minus(half)?.ceil()
        } else {
            self.plus(half)?.floor()
        }
    }

    /// Exact wherever both are; a fraction meets a float as the float nearest to it.
    pub fn order(self, other: Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Int(a), Number::Float(b)) => int_to_float(a, b),
            (Number::Float(a), Number::Int(b)) => int_to_float(b, a).reverse(),
            _ => match (self.exact(), other.exact()) {
                (Some((a, b)), Some((c, d))) => (a * d).cmp(&(c * b)),
                _ => self.float().partial_cmp(&other.float()).unwrap_or(Ordering::Equal),
            },
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.order(*other) == Ordering::Equal
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.order(*other))
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Ratio(..) | Number::Float(_) => {
                let hundredths = libm::round(self.float() * 100.0) / 100.0;
                write!(f, "{hundredths}")
            }
        }
    }
}

fn whole(value: f64) -> Option<Number> {
    // 2^63 as a float; every float of a smaller magnitude converts without loss.
    const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
    if value > -TWO_POW_63 && value < TWO_POW_63 {
        Some(Number::Int(value as i64))
    } else {
        Number::finite(value)
    }
}

fn int_to_float(int: i64, float: f64) -> Ordering {
    match whole(libm::floor(float)) {
        Some(Number::Int(floor)) => int.cmp(&floor).then(if libm::floor(float) < float {
            Ordering::Less
        } else {
            Ordering::Equal
        }),
        _ => {
            if float > 0.0 {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(part: i128, whole: i128) -> Number {
        Number::ratio(part, whole).unwrap()
    }

    #[test]
    fn thirds_add_up_to_one() {
        let third = ratio(1, 3);
        assert_eq!(third.plus(third).unwrap().plus(third).unwrap(), Number::Int(1));
        assert!(matches!(ratio(6, 3), Number::Int(2)));
        assert_eq!(ratio(3, 5), Number::Float(0.6));
    }

    #[test]
    fn large_whole_numbers_are_not_rounded() {
        let large = 9_007_199_254_740_993;
        assert!(Number::Int(large) > Number::Float(9_007_199_254_740_992.0));
        assert!(Number::Int(i64::MAX) < Number::Float(1e300));
        assert!(Number::Int(i64::MIN) > Number::Float(-1e300));
        assert!(Number::Int(0) == Number::Float(-0.0));
        assert!(ratio(0, 7) == Number::Float(-0.0));
    }

    #[test]
    fn rounding_and_remainders() {
        assert_eq!(ratio(-7, 2).round(), Some(Number::Int(-4)));
        assert_eq!(ratio(7, 2).floor(), Some(Number::Int(3)));
        assert_eq!(ratio(7, 2).ceil(), Some(Number::Int(4)));
        assert_eq!(Number::Int(-7).remainder(Number::Int(4)), Some(Number::Int(1)));
        assert!(Number::Int(1).remainder(Number::Int(0)).is_none());
        assert!(Number::Int(1).over(Number::Int(0)).is_none());
        assert!(Number::Int(i64::MIN).negated().is_none());
    }

    #[test]
    fn overflow_becomes_a_float() {
        let large = Number::Int(i64::MAX);
        assert!(matches!(large.times(large), Some(Number::Float(_))));
        assert!(Number::Float(f64::MAX).times(Number::Float(f64::MAX)).is_none());
    }
}
