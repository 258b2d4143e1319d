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
    /// The price of cached input; that of other input if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Money>,
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
}

impl Price {
    /// The price of a request in a batch.
    #[must_use]
    pub fn half(self) -> Price {
        let over = self.over.map(|over| LongPrice {
            input: over.input.half(),
            output: over.output.half(),
            cached: over.cached.map(Money::half),
            ..over
        });
        let (input, output) = (self.input.half(), self.output.half());
        Price { input, output, cached: self.cached.map(Money::half), over }
    }

    /// The cost of a request. Unknown counts cost nothing; callers pass estimates.
    pub fn cost(&self, usage: &Usage) -> Money {
        let read = usage.input.unwrap_or(0);
        let again = usage.cached.unwrap_or(0).min(read);
        let (input, output, cached) = match self.over.filter(|over| read > over.tokens) {
            Some(LongPrice { input, output, cached, .. }) => (input, output, cached),
            None => (self.input, self.output, self.cached),
        };
        let kept = cached.unwrap_or(input);
        input
            .for_tokens(read - again)
            .plus(kept.for_tokens(again))
            .plus(output.for_tokens(usage.output.unwrap_or(0)))
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
