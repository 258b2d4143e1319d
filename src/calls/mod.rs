//! Asking models: what was answered before is not asked again, no more is spent
//! than was allowed, endpoints are treated politely, and every answer is written
//! down before anything is built on it.
//!
//! [`Calls`] is shared by all threads of a run; a [`Desk`] is one thread's part in
//! it; a [`Caller`] is a model in a role (the one under test, a judge) with its
//! limits and its price.

#[cfg(feature = "run")]
mod ask;
mod budget;
mod cache;
#[cfg(feature = "run")]
mod journal;
#[cfg(feature = "run")]
mod limits;
mod meter;
mod money;
#[cfg(feature = "run")]
mod pace;
#[cfg(feature = "run")]
mod pool;
mod prices;
mod retry;
#[cfg(feature = "run")]
mod stop;

#[cfg(feature = "run")]
pub use ask::{BYTES_A_TOKEN, Call, Caller, CallerRecord, Calls, Desk, TOKENS_A_PICTURE};
pub use budget::{Allowance, Budget, Spent};
pub use cache::Cache;
#[cfg(feature = "run")]
pub use journal::{Journal, JournalError, Opened};
#[cfg(feature = "run")]
pub use limits::{Limits, Window};
pub use meter::{Counts, Meter};
pub use money::Money;
#[cfg(feature = "run")]
pub use pace::Pace;
#[cfg(feature = "run")]
pub use pool::{Crew, News, work_through};
pub use prices::{LongPrice, Price, Prices, PricesError};
pub use retry::Retries;
#[cfg(feature = "run")]
pub use stop::Stop;
