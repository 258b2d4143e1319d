//! What goes on, for those who wait for it.

#![expect(clippy::disallowed_methods, reason = "people want to know how long they wait")]

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers that endpoints gave now.
    pub answered: u64,
    /// Answers out of the journal.
    pub recorded: u64,
    /// Answers out of the cache, and questions that were not in it.
    pub hits: u64,
    pub misses: u64,
    /// Answers that could not be put into the cache.
    pub unkept: u64,
    /// Answers without numbers of tokens that can be used.
    pub uncounted: u64,
    /// Tries that brought no answer, and calls that were given up.
    pub failed_tries: u64,
    pub failed: u64,
    pub in_flight: u64,
    /// Requests that wait before they are tried again.
    pub waiting: u64,
}

#[derive(Debug)]
pub struct Meter {
    begun: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    counts: Counts,
    /// What is to be said once.
    news: Vec<String>,
    /// What of it was about.
    told: BTreeSet<String>,
    until: BTreeSet<(Instant, u64)>,
    waits: u64,
}

/// A call that waits.
pub struct Waiting<'a> {
    meter: &'a Meter,
    key: (Instant, u64),
}

impl Default for Meter {
    fn default() -> Meter {
        Meter { begun: Instant::now(), state: Mutex::default() }
    }
}

impl Meter {
    pub fn counts(&self) -> Counts {
        let state = self.lock();
        Counts { waiting: state.until.len() as u64, ..state.counts }
    }

    pub fn count(&self, count: impl FnOnce(&mut Counts)) {
        count(&mut self.lock().counts);
    }

    /// Something that whoever watches should know.
    pub fn tell(&self, news: String) {
        self.lock().news.push(news);
    }

    /// The same, but only the first time that it is about this.
    pub fn tell_once(&self, about: String, news: impl FnOnce() -> String) {
        let mut state = self.lock();
        if state.told.insert(about) {
            state.news.push(news());
        }
    }

    /// What was told since the last time.
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().news)
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Until the first call that waits is tried again.
    pub fn next_try(&self) -> Option<Duration> {
        let (at, _) = *self.lock().until.first()?;
        Some(at.saturating_duration_since(Instant::now()))
    }

    pub fn wait(&self, time: Duration) -> Waiting<'_> {
        let mut state = self.lock();
        state.waits += 1;
        let key = (Instant::now() + time, state.waits);
        state.until.insert(key);
        Waiting { meter: self, key }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.meter.lock().until.remove(&self.key);
    }
}
