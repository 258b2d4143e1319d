//! What the requests of a run took, for each model in each of its roles: tokens, money, attempts and
//! time. It is read from the journal, which has every response, also those of earlier sessions.

#[cfg(feature = "run")]
mod recorded;

#[cfg(feature = "run")]
pub use recorded::spending;

use serde::{Deserialize, Serialize};

use super::Spent;

/// What a model is asked for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RequestRole {
    /// Responses: the model under test.
    Model,
    Judge,
    /// Parts of responses: coder and extractor.
    Extractor,
}

impl RequestRole {
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            RequestRole::Model => "model",
            RequestRole::Judge => "judge",
            RequestRole::Extractor => "extractor",
        }
    }

    /// The role of a request by its place: `talk/3/7/answer`, `talk/3/7/round1/judge/…`.
    #[cfg(any(feature = "run", test))]
    fn at(place: &str) -> RequestRole {
        match place.split('/').skip(3).find(|part| ["answer", "judge", "cut"].contains(part)) {
            Some("judge") => RequestRole::Judge,
            Some("cut") => RequestRole::Extractor,
            _ => RequestRole::Model,
        }
    }
}

/// What the requests to one model in one role took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelSpending {
    pub role: RequestRole,
    pub model: String,
    #[serde(flatten)]
    pub spent: Spent,
    /// Whether the model has a price; without one, no money is counted.
    pub priced: bool,
    /// Of the input: tokens that endpoints read from their cache, and tokens that they wrote into it.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub cached: u64,
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub written: u64,
    /// Attempts after the first, whether the request was answered in the end or not.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub retries: u64,
    /// Requests that failed for good.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub failed: u64,
    /// Responses from the cache of earlier runs, which cost nothing.
    #[serde(default, skip_serializing_if = "ifs_value::is_default")]
    pub reused: u64,
    /// How long the last attempt of a request took; absent for batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
}

impl ModelSpending {
    /// The sums over runs, by role and model.
    #[must_use]
    pub fn summed(of_runs: impl IntoIterator<Item = ModelSpending>) -> Vec<ModelSpending> {
        let mut all: Vec<ModelSpending> = Vec::new();
        for one in of_runs {
            match all.iter_mut().find(|sum| sum.role == one.role && sum.model == one.model) {
                Some(sum) => sum.add(&one),
                None => all.push(one),
            }
        }
        all
    }

    /// Adds what the same model took in another run. Latencies of different runs have no common ranks.
    fn add(&mut self, other: &ModelSpending) {
        self.spent.add(&other.spent);
        self.priced &= other.priced;
        self.cached += other.cached;
        self.written += other.written;
        self.retries += other.retries;
        self.failed += other.failed;
        self.reused += other.reused;
        self.latency = None;
    }
}

/// Latencies in milliseconds, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Latency {
    pub median_ms: u64,
    pub p95_ms: u64,
    pub max_ms: u64,
}

impl Latency {
    #[cfg(any(feature = "run", test))]
    fn of(mut all: Vec<u64>) -> Option<Latency> {
        all.sort_unstable();
        let rank = |percent: usize| {
            let place = (all.len() * percent).div_ceil(100);
            all.get(place.saturating_sub(1)).copied()
        };
        Some(Latency { median_ms: rank(50)?, p95_ms: rank(95)?, max_ms: rank(100)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_roles() {
        for (place, role) in [
            ("talk/3/7/answer", RequestRole::Model),
            ("judge/3/7/round2/answer/4", RequestRole::Model),
            ("talk/3/7/judge/0/1", RequestRole::Judge),
            ("talk/3/7/round1/judge/0", RequestRole::Judge),
            ("talk/3/7/cut/items", RequestRole::Extractor),
        ] {
            assert_eq!(RequestRole::at(place), role, "{place}");
        }
    }

    #[test]
    fn latencies_by_nearest_rank() {
        assert_eq!(Latency::of(Vec::new()), None);
        let one = Latency { median_ms: 7, p95_ms: 7, max_ms: 7 };
        assert_eq!(Latency::of(vec![7]), Some(one));
        let many = Latency { median_ms: 50, p95_ms: 95, max_ms: 100 };
        assert_eq!(Latency::of((1..=100).rev().collect()), Some(many));
    }
}
