//! Counters of a run, for progress displays.

#![expect(clippy::disallowed_methods, reason = "people want to know how long they wait")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestCounts {
    /// Responses from endpoints in this session.
    pub answered: u64,
    /// Responses from the journal.
    pub recorded: u64,
    /// Cache hits and misses.
    pub hits: u64,
    pub misses: u64,
    /// Responses that could not be cached.
    pub unkept: u64,
    /// Responses without usable token counts.
    pub uncounted: u64,
    /// Failed attempts, and requests that failed for good.
    pub failed_tries: u64,
    pub failed: u64,
    pub in_flight: u64,
    /// Requests that wait for a retry.
    pub waiting: u64,
}

/// The names under which models answered, by the name that they were asked by, with the number of
/// responses.
pub type ServedNames = BTreeMap<String, BTreeMap<String, u64>>;

#[derive(Debug)]
pub struct Meter {
    begun: Instant,
    state: Mutex<MeterState>,
}

#[derive(Debug, Default)]
struct MeterState {
    counts: RequestCounts,
    /// Messages that are printed once.
    news: Vec<String>,
    /// The subjects of messages that were printed.
    reported: BTreeSet<String>,
    served: ServedNames,
    until: BTreeSet<(Instant, u64)>,
    waits: u64,
}

/// A waiting request.
pub struct WaitingRequest<'a> {
    meter: &'a Meter,
    key: (Instant, u64),
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { begun: Instant::now(), state: Mutex::default() }
    }
}

impl Meter {
    pub fn counts(&self) -> RequestCounts {
        let state = self.lock();
        RequestCounts { waiting: state.until.len() as u64, ..state.counts }
    }

    pub fn count(&self, count: impl FnOnce(&mut RequestCounts)) {
        count(&mut self.lock().counts);
    }

    /// Counts a response under the name of the model that gave it.
    pub fn count_served(&self, model: &str, served: &str) {
        let mut state = self.lock();
        let names = state.served.entry(model.to_owned()).or_default();
        *names.entry(served.to_owned()).or_default() += 1;
    }

    /// The models that answered, including responses from the journal and from the cache.
    pub fn served(&self) -> ServedNames {
        self.lock().served.clone()
    }

    /// A message for the user.
    pub fn report(&self, news: String) {
        self.lock().news.push(news);
    }

    /// The same, but only the first time for each subject.
    pub fn report_once(&self, about: String, news: impl FnOnce() -> String) {
        let mut state = self.lock();
        if state.reported.insert(about) {
            state.news.push(news());
        }
    }

    /// The messages since the last call.
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().news)
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// The time until the next retry.
    pub fn next_try(&self) -> Option<Duration> {
        let (at, _) = *self.lock().until.first()?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    pub fn wait(&self, time: Duration) -> WaitingRequest<'_> {
        let mut state = self.lock();
        state.waits += 1;
        let key = (Instant::now() + time, state.waits);
        state.until.insert(key);
        WaitingRequest { meter: self, key }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, MeterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.meter.lock().until.remove(&self.key);
    }
}
