//! Exact amounts of money, in units of 10^-12 dollars.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const DOLLAR: u128 = 1_000_000_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(u128);

impl Money {
    pub const ZERO: Money = Money(0);

    /// From `12`, `0.05` or `$3`: dollars with at most six decimals.
    pub fn parse(text: &str) -> Option<Money> {
        Money::parse_dollars(text.strip_prefix('$').unwrap_or(text), 6)
    }

    /// Dollars with at most this many decimals, which are at most twelve.
    fn parse_dollars(text: &str, places: usize) -> Option<Money> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > places || whole.is_empty() {
            return None;
        }
        let whole: u128 = whole.parse().ok()?;
        let rest: u128 = format!("{decimals:0<12}").parse().ok()?;
        whole.checked_mul(DOLLAR)?.checked_add(rest).map(Money)
    }

    /// The cost of tokens, if `self` is the price per million.
    pub fn for_tokens(self, tokens: u64) -> Money {
        Money((self.0 / 1_000_000).saturating_mul(u128::from(tokens)))
    }

    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    #[must_use]
    pub fn half(self) -> Money {
        Money(self.0 / 2)
    }

    pub fn minus(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }
}

/// For people, rounded up to a hundredth of a cent.
impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.div_ceil(DOLLAR / 10_000);
        let (dollars, rest) = (parts / 10_000, parts % 10_000);
        if rest % 100 == 0 {
            write!(formatter, "${dollars}.{:02}", rest / 100)
        } else {
            write!(formatter, "${dollars}.{rest:04}")
        }
    }
}

/// In files: dollars as a number.
impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Money, D::Error> {
        let number = f64::deserialize(deserializer)?;
        // A sum is written to the last of its twelve decimals.
        Money::parse_dollars(&format!("{number:.12}"), 12).ok_or_else(|| {
            serde::de::Error::custom(format!("{number} is not an amount in dollars"))
        })
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / DOLLAR as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_parsed_and_printed() {
        for (given, shown) in
            [("12", "$12.00"), ("$0.05", "$0.05"), ("0.000001", "$0.0001"), ("2.5", "$2.50")]
        {
            assert_eq!(Money::parse(given).map(|sum| sum.to_string()).as_deref(), Some(shown));
        }
        for wrong in ["", "-1", "1e3", "1.2345678", "a", ".5", "1,5"] {
            assert_eq!(Money::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn spent_amounts_round_trip() {
        for parts in [0, 1, 994_500_000, 123_456_789_012, 999_999_999_999_999] {
            let text = serde_json::to_string(&Money(parts)).unwrap();
            assert_eq!(serde_json::from_str::<Money>(&text).unwrap(), Money(parts), "{text}");
        }
        assert!(serde_json::from_str::<Money>("-1").is_err());
    }

    #[test]
    fn token_costs_are_exact() {
        let price = Money::parse("0.15").unwrap();
        assert_eq!(price.for_tokens(1), Money(150_000));
        assert_eq!(price.for_tokens(2_000_000), Money::parse("0.3").unwrap());
        assert_eq!(price.for_tokens(u64::MAX).plus(Money(u128::MAX)), Money(u128::MAX));
    }
}
