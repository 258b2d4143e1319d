//! Prices of tokens. The built-in ones have a date, and the user's file overrides
//! them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Money;
use crate::provider::Usage;

const BUILT_IN: &str = include_str!("prices.json");

/// Per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: Money,
    pub output: Money,
    /// The price of input that is read from the endpoint's cache; that of other input if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Money>,
    /// The price of input that is written into the cache; that of other input if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Money>,
    /// The same for an hour; that of other writes if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_hour: Option<Money>,
    /// The price of a request above a number of tokens, for all its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<LongPrice>,
}

/// The price of calls whose request has more than this many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    pub tokens: u64,
    pub input: Money,
    pub output: Money,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Money>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_hour: Option<Money>,
}

impl LongPrice {
    /// The same as a price without a limit.
    fn price(self) -> Price {
        let LongPrice { tokens: _, input, output, cached, written, written_hour } = self;
        Price { input, output, cached, written, written_hour, over: None }
    }
}

impl Price {
    /// The price of a request in a batch.
    #[must_use]
    pub fn half(self) -> Price {
        let over = self.over.map(|over| {
            let Price { input, output, cached, written, written_hour, .. } = over.price().half();
            LongPrice { tokens: over.tokens, input, output, cached, written, written_hour }
        });
        Price {
            input: self.input.half(),
            output: self.output.half(),
            cached: self.cached.map(Money::half),
            written: self.written.map(Money::half),
            written_hour: self.written_hour.map(Money::half),
            over,
        }
    }

    /// The cost of a request. Unknown counts cost nothing; callers pass estimates.
    pub fn cost(&self, usage: &Usage) -> Money {
        let sent = usage.input.unwrap_or(0);
        if let Some(over) = self.over.filter(|over| sent > over.tokens) {
            return over.price().cost(usage);
        }
        let cached = usage.cached.unwrap_or(0).min(sent);
        let written = usage.written.unwrap_or(0).min(sent - cached);
        let hour = usage.written_hour.unwrap_or(0).min(written);
        let of_writes = self.written.unwrap_or(self.input);
        let parts = [
            (self.input, sent - cached - written),
            (self.cached.unwrap_or(self.input), cached),
            (of_writes, written - hour),
            (self.written_hour.unwrap_or(of_writes), hour),
            (self.output, usage.output.unwrap_or(0)),
        ];
        parts
            .into_iter()
            .fold(Money::ZERO, |sum, (price, tokens)| sum.plus(price.for_tokens(tokens)))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// The date of these prices.
    as_of: String,
    /// The source of these prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// By model name; `ollama/*` matches all with this prefix.
    models: BTreeMap<String, Price>,
    /// Prices for models that are not in this list.
    #[serde(skip)]
    others: Option<Box<Prices>>,
}

#[derive(Debug, thiserror::Error)]
#[error("the prices cannot be read: {0}")]
pub struct PricesError(#[from] serde_json::Error);

impl Prices {
    pub fn built_in() -> Prices {
        // A test reads it.
        Prices::parse(BUILT_IN).unwrap_or_else(|_| Prices {
            as_of: String::new(),
            source: None,
            models: BTreeMap::new(),
            others: None,
        })
    }

    pub fn parse(text: &str) -> Result<Prices, PricesError> {
        Ok(serde_json::from_str(text)?)
    }

    /// These prices, followed by others.
    pub fn followed_by(self, others: Prices) -> Prices {
        Prices { others: Some(Box::new(others)), ..self }
    }

    /// The day they are of, unchanged next to a sum.
    pub fn day(&self) -> String {
        match &self.others {
            None => self.as_of.clone(),
            Some(others) => {
                format!("{} (and of {}, where that has none)", self.as_of, others.as_of)
            }
        }
    }

    /// The price of a model: by its complete name, by its name without the date of a
    /// snapshot, or by the longest `…*` that it begins with.
    pub fn for_model(&self, model: &str) -> Option<Price> {
        let exact = self.models.get(model).or_else(|| self.models.get(undated(model)?));
        let pattern = || {
            let fits = |name: &&str| model.starts_with(*name);
            let names = self.models.keys().filter_map(|name| name.strip_suffix('*'));
            let longest = names.filter(fits).max_by_key(|name| name.len())?;
            self.models.get(&format!("{longest}*"))
        };
        let found = exact.or_else(pattern).copied();
        found.or_else(|| self.others.as_ref()?.for_model(model))
    }
}

/// `openai/gpt-4o` of `openai/gpt-4o-2024-08-06`; `…-20250929` likewise.
fn undated(model: &str) -> Option<&str> {
    let digits = |from: usize| {
        let date = model.get(model.len().checked_sub(from)?..)?;
        let wanted = |(at, letter): (usize, char)| match (from, at) {
            (_, 0) | (11, 5 | 8) => letter == '-',
            _ => letter.is_ascii_digit(),
        };
        date.char_indices().all(wanted).then(|| &model[..model.len() - from])
    };
    digits(11).or_else(|| digits(9))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_prices_can_be_read() {
        let prices = Prices::parse(BUILT_IN).unwrap();
        assert_eq!(prices.day().len(), "2025-01-01".len());
        assert!(prices.for_model("openai/gpt-4o").is_some());
    }

    #[test]
    fn dates_and_patterns() {
        let prices = Prices::parse(
            r#"{"as_of": "2025-01-01", "models": {
                "a/m": {"input": 2.5, "output": 10, "cached": 1.25},
                "b/*": {"input": 0, "output": 0},
                "b/big*": {"input": 1, "output": 1}}}"#,
        )
        .unwrap();
        let found = |name| prices.for_model(name).is_some();
        assert!(found("a/m") && found("a/m-2024-08-06") && found("a/m-20250929"));
        assert!(!found("a/m-mini") && !found("a/m-2024-0806") && !found("c/m"));
        assert_eq!(prices.for_model("b/small").unwrap().input, Money::ZERO);
        assert_ne!(prices.for_model("b/bigger").unwrap().input, Money::ZERO);
        let usage = Usage {
            input: Some(1_000_000),
            output: Some(100_000),
            cached: Some(400_000),
            ..Usage::default()
        };
        assert_eq!(prices.for_model("a/m").unwrap().cost(&usage).to_string(), "$3.00");
    }

    #[test]
    fn user_prices_override_built_in_ones() {
        let own =
            r#"{"as_of": "2026-01-01", "models": {"openai/gpt-4o": {"input": 1, "output": 1}}}"#;
        let prices = Prices::parse(own).unwrap().followed_by(Prices::built_in());
        assert_eq!(prices.for_model("openai/gpt-4o").unwrap().output.to_string(), "$1.00");
        assert!(prices.for_model("openai/gpt-4o-mini").is_some());
        assert!(prices.day().starts_with("2026-01-01 (and of "), "{}", prices.day());
        let all = r#"{"as_of": "2026-01-01", "models": {"openai/*": {"input": 1, "output": 1}}}"#;
        let prices = Prices::parse(all).unwrap().followed_by(Prices::built_in());
        assert_eq!(prices.for_model("openai/gpt-4o-mini").unwrap().output.to_string(), "$1.00");
    }

    /// Anthropic's five minutes and hour: 1.25 and 2 times the price of other input.
    #[test]
    fn writes_into_a_cache_have_their_price() {
        let price = Prices::built_in().for_model("anthropic/claude-sonnet-4-5").unwrap();
        let call = |written, written_hour| Usage {
            input: Some(1_000_000),
            output: Some(0),
            cached: Some(0),
            written: Some(written),
            written_hour,
            ..Usage::default()
        };
        assert_eq!(price.cost(&call(1_000_000, None)).to_string(), "$3.75");
        assert_eq!(price.cost(&call(1_000_000, Some(400_000))).to_string(), "$4.65");
        assert_eq!(price.half().cost(&call(1_000_000, Some(1_000_000))).to_string(), "$3.00");
        let plain = Price { written: None, written_hour: None, ..price };
        assert_eq!(plain.cost(&call(1_000_000, None)).to_string(), "$3.00");
        for (name, price) in Prices::built_in().models {
            let writes = price.written.is_some() && price.written_hour > price.written;
            assert_eq!(writes, name.starts_with("anthropic/"), "{name}");
        }
    }

    #[test]
    fn long_requests_may_cost_more() {
        let text = r#"{"as_of": "2026-01-01", "models": {"a/m": {"input": 1, "output": 10,
            "over": {"tokens": 200000, "input": 2, "cached": 0.5, "output": 15}}}}"#;
        let price = Prices::parse(text).unwrap().for_model("a/m").unwrap();
        let call = |input, cached| Usage {
            input: Some(input),
            output: Some(100_000),
            cached: Some(cached),
            ..Usage::default()
        };
        assert_eq!(price.cost(&call(200_000, 0)).to_string(), "$1.20");
        assert_eq!(price.cost(&call(400_000, 200_000)).to_string(), "$2.00");
        for (name, price) in Prices::built_in().models {
            let dearer = |over: LongPrice| over.input > price.input && over.output > price.output;
            assert!(price.over.is_none_or(dearer), "{name}");
        }
    }
}
