//! A rate limiter: evenly spaced requests or tokens per minute.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Unused capacity expires after this time.
const UNUSED_CAPACITY_TIME: Duration = Duration::from_secs(1);

/// Requests or tokens a minute.
pub struct RateLimiter {
    each: Duration,
    /// The time at which everything admitted so far is used up.
    next: Mutex<Option<Instant>>,
}

impl RateLimiter {
    /// `a_minute` is at least 1.
    pub fn new(a_minute: u64) -> RateLimiter {
        RateLimiter {
            each: Duration::from_secs(60) / u32::try_from(a_minute.max(1)).unwrap_or(u32::MAX),
            next: Mutex::new(None),
        }
    }

    /// Reserves `count` units, and returns when they may be used.
    pub fn reserve(&self, count: u64, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(UNUSED_CAPACITY_TIME).unwrap_or(now);
        let start = next.map_or(earliest, |next| next.max(earliest));
        *next = Some(start + self.each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX)));
        start.max(now)
    }

    /// Corrects an earlier reservation to the real number.
    pub fn correct(&self, reserved: u64, real: u64) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let by = |count: u64| self.each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        *next = next.and_then(|next| {
            (next + by(real.saturating_sub(reserved)))
                .checked_sub(by(reserved.saturating_sub(real)))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limit_allows_a_burst_then_paces() {
        let pace = RateLimiter::new(120);
        let now = Instant::now();
        let waits: Vec<u128> = (0..5).map(|_| (pace.reserve(1, now) - now).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 500, 1000]);
        let later = now + Duration::from_secs(60);
        assert_eq!(pace.reserve(1, later), later);
    }

    #[test]
    fn estimates_are_corrected() {
        let pace = RateLimiter::new(60_000);
        let now = Instant::now();
        pace.reserve(10_000, now);
        pace.correct(10_000, 3_000);
        assert_eq!((pace.reserve(1, now) - now).as_millis(), 2_000);
        pace.correct(1, 1_001);
        assert_eq!((pace.reserve(1, now) - now).as_millis(), 3_001);
    }
}
