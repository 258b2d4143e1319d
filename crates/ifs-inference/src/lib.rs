//! Requests to models: a request that was answered before is not sent again, no more is spent
//! than the budget allows, rate limits are respected, and every response is written to the
//! journal before anything is built on it.
//!
//! [`RequestContext`] is shared by all threads of a run; a [`Client`] is one thread's part in
//! it; a [`Caller`] is a model in a role (the one under test, a judge) with its
//! limits and its price.

#[cfg(feature = "run")]
mod adaptive;
mod budget;
mod cache;
#[cfg(feature = "run")]
mod cancel;
#[cfg(feature = "run")]
mod client;
#[cfg(feature = "run")]
mod hidden;
#[cfg(feature = "run")]
mod journal;
mod meter;
mod money;
pub mod panel;
#[cfg(feature = "run")]
mod pool;
mod prices;
pub mod provider;
#[cfg(feature = "run")]
mod rate_limiter;
#[cfg(feature = "run")]
mod retry;
#[cfg(feature = "http")]
mod rounds;
mod sealed_line;
mod spending;

#[cfg(feature = "run")]
pub use adaptive::{AdaptiveLimit, Window};
pub use budget::{Allowance, Budget, Spent};
pub use cache::Cache;
#[cfg(feature = "run")]
pub use cancel::CancelToken;
#[cfg(feature = "run")]
pub use client::{
    BYTES_PER_TOKEN, Caller, CallerRecord, Client, ModelCall, RequestContext, TOKENS_PER_PICTURE,
};
#[cfg(feature = "run")]
pub use hidden::{HIDDEN_PROMPT, HiddenRecords};
#[cfg(feature = "run")]
pub use journal::{
    BatchRecord, Journal, JournalError, Opened, latencies, merge_journals, run_of_journal,
};
pub use meter::{Meter, RequestCounts, ServedNames};
pub use money::Money;
#[cfg(feature = "run")]
pub use pool::{Concurrency, PoolEvent, run_in_pool};
pub use prices::{LongPrice, Price, Prices, PricesError};
#[cfg(feature = "run")]
pub use rate_limiter::RateLimiter;
#[cfg(feature = "run")]
pub use retry::Retries;
#[cfg(feature = "http")]
pub use rounds::{BatchStore, Files, OpenRequest, Rounds};
#[cfg(feature = "run")]
pub use spending::spending;
pub use spending::{Latency, ModelSpending, RequestRole};

/// Rounds need endpoints, which this build does not include.
#[cfg(all(feature = "run", not(feature = "http")))]
pub enum Rounds {}
