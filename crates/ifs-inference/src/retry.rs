//! Retries.

use std::time::Duration;

use rand::{Rng, RngExt as _};

use crate::provider::{CallFailure, FailureKind};

/// A longer `Retry-After` is not waited for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

/// The maximum wait without `Retry-After`.
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// The maximum number of retries after a malformed response: a truncated one may be
/// complete the next time, but a server that sends nonsense twice will send it again.
const MAX_GARBLED_RETRIES: u32 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// The maximum number of retries.
    pub most: u32,
    /// The wait before the first retry; doubled for each further one.
    pub wait: Duration,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries { most: 8, wait: Duration::from_secs(1) }
    }
}

impl Retries {
    /// The wait before the next attempt; `None` to give up. `random` adds jitter, so that requests
    /// that failed together are not retried together, not even by two processes with the same seed.
    pub fn after(
        &self,
        tries: u32,
        garbled: u32,
        failure: &CallFailure,
        random: &mut impl Rng,
    ) -> Option<Duration> {
        let given_up = match failure.kind {
            FailureKind::Permanent
            | FailureKind::Refused
            | FailureKind::ContextLength
            | FailureKind::Blocked
            | FailureKind::Stopped => true,
            FailureKind::Garbled => garbled > MAX_GARBLED_RETRIES || tries > self.most,
            FailureKind::Overloaded | FailureKind::Passing => tries > self.most,
        };
        if given_up {
            return None;
        }
        // None at all is not a time to recover in, and a date that is over says of two clocks.
        if let Some(wait) = failure.wait.filter(|wait| !wait.is_zero()) {
            return (wait <= MAX_RETRY_AFTER).then_some(wait);
        }
        let doubled = self.wait.saturating_mul(1 << (tries - 1).min(16)).min(MAX_BACKOFF);
        // Between half of it and all of it.
        Some(random.random_range(doubled / 2..=doubled))
    }
}

/// Why a call is given up that may pass, if that is since it would have to wait too long.
pub fn too_long(failure: &CallFailure) -> Option<String> {
    let asked = failure.wait.filter(|wait| *wait > MAX_RETRY_AFTER)?.as_secs().div_ceil(60);
    let most = MAX_RETRY_AFTER.as_secs() / 60;
    Some(format!("it requests a wait of {asked} minutes; the maximum is {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ifs_value::random::SplitMix64;

    #[test]
    fn doubles_and_gives_up() {
        let retries = Retries { most: 3, wait: Duration::from_secs(2) };
        let failure = CallFailure::passing("lost");
        let mut random = SplitMix64::new(1);
        let mut wait = |tries| retries.after(tries, 0, &failure, &mut random);
        for (tries, longest) in [(1, 2), (2, 4), (3, 8)] {
            let wait = wait(tries).unwrap();
            assert!(wait <= Duration::from_secs(longest));
            assert!(wait >= Duration::from_secs(longest) / 2);
        }
        assert_eq!(wait(4), None);
        let many = Retries { most: 99, ..retries };
        assert!(many.after(90, 0, &failure, &mut random).unwrap() <= MAX_BACKOFF);
    }

    /// Requests that fail at the same moment are spread over half of the wait.
    #[test]
    fn waits_differ() {
        let (retries, failure) = (Retries::default(), CallFailure::passing("lost"));
        let mut random = SplitMix64::new(1);
        let waits = [(); 100].map(|()| retries.after(1, 0, &failure, &mut random).unwrap());
        let within =
            |from, to| waits.iter().filter(|wait| (from..to).contains(&wait.as_millis())).count();
        assert_eq!(within(500, 1001), 100);
        assert!(within(500, 750) > 30 && within(750, 1001) > 30, "{waits:?}");
        let distinct: std::collections::BTreeSet<_> = waits.iter().collect();
        assert_eq!(distinct.len(), 100);
    }

    #[test]
    fn reported_usage_overrides_the_estimate() {
        let random = &mut SplitMix64::new(1);
        let retries = Retries::default();
        let reported = |seconds| CallFailure {
            wait: Some(Duration::from_secs(seconds)),
            ..CallFailure::new(FailureKind::Overloaded, "busy")
        };
        assert_eq!(retries.after(1, 0, &reported(7), random), Some(Duration::from_secs(7)));
        assert_eq!(retries.after(1, 0, &reported(3600), random), None);
        assert_eq!(
            (too_long(&reported(600)), too_long(&CallFailure::passing("lost"))),
            (None, None)
        );
        assert!(too_long(&reported(601)).unwrap().contains("wait of 11 minutes"));
        // A requested wait of 0 does not replace the backoff.
        assert!(retries.after(3, 0, &reported(0), random).unwrap() >= Duration::from_secs(2));
        assert_eq!(retries.after(1, 0, &CallFailure::permanent("no"), random), None);
        let nonsense = |tries, garbled, random: &mut _| {
            retries.after(tries, garbled, &CallFailure::garbled("?"), random)
        };
        // Other earlier failures do not count.
        assert!(nonsense(2, 2, random).is_some() && nonsense(5, 1, random).is_some());
        assert_eq!((nonsense(3, 3, random), nonsense(9, 1, random)), (None, None));
    }
}
