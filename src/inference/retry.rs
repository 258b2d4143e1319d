//! Retries.

use std::time::Duration;

use crate::provider::{CallFailure, FailureKind};
use crate::stable_hash::Key;

/// A longer `Retry-After` is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The maximum wait without `Retry-After`.
const LONGEST_OWN: Duration = Duration::from_secs(60);

/// The maximum number of retries after a malformed response: a truncated one may be
/// complete the next time, but a server that sends nonsense twice will send it again.
const GARBLED: u32 = 2;

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
    /// The wait before the next attempt; `None` to give up. `place` adds jitter, so that requests
    /// that failed together are not retried together.
    pub fn after(
        &self,
        tries: u32,
        garbled: u32,
        failure: &CallFailure,
        place: Key,
    ) -> Option<Duration> {
        let given_up = match failure.kind {
            FailureKind::Permanent | FailureKind::Refused | FailureKind::Stopped => true,
            FailureKind::Garbled => garbled > GARBLED || tries > self.most,
            FailureKind::Overloaded | FailureKind::Passing => tries > self.most,
        };
        if given_up {
            return None;
        }
        // None at all is not a time to recover in, and a date that is over says of two clocks.
        if let Some(wait) = failure.wait.filter(|wait| !wait.is_zero()) {
            return (wait <= LONGEST_WAIT).then_some(wait);
        }
        let doubled = self.wait.saturating_mul(1 << (tries - 1).min(16)).min(LONGEST_OWN);
        // Between half of it and all of it.
        let share = place.and_number(u64::from(tries)).number() % 1000;
        Some(doubled / 2 + doubled / 2 * u32::try_from(share).unwrap_or(0) / 1000)
    }
}

/// Why a call is given up that may pass, if that is since it would have to wait too long.
#[cfg_attr(not(any(feature = "run", test)), expect(dead_code))]
pub fn too_long(failure: &CallFailure) -> Option<String> {
    let asked = failure.wait.filter(|wait| *wait > LONGEST_WAIT)?.as_secs().div_ceil(60);
    let most = LONGEST_WAIT.as_secs() / 60;
    Some(format!("it asks to wait for {asked} minutes, and {most} are the most that are waited"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_and_gives_up() {
        let retries = Retries { most: 3, wait: Duration::from_secs(2) };
        let failure = CallFailure::passing("lost");
        let wait = |tries| retries.after(tries, 0, &failure, Key::of("here"));
        for (tries, longest) in [(1, 2), (2, 4), (3, 8)] {
            let wait = wait(tries).unwrap();
            assert!(wait <= Duration::from_secs(longest));
            assert!(wait >= Duration::from_secs(longest) / 2);
        }
        assert_eq!(wait(4), None);
        let many = Retries { most: 99, ..retries };
        assert!(many.after(90, 0, &failure, Key::NONE).unwrap() <= LONGEST_OWN);
    }

    #[test]
    fn the_endpoint_knows_better() {
        let retries = Retries::default();
        let reported = |seconds| CallFailure {
            wait: Some(Duration::from_secs(seconds)),
            ..CallFailure::new(FailureKind::Overloaded, "busy")
        };
        assert_eq!(retries.after(1, 0, &reported(7), Key::NONE), Some(Duration::from_secs(7)));
        assert_eq!(retries.after(1, 0, &reported(3600), Key::NONE), None);
        assert_eq!(
            (too_long(&reported(600)), too_long(&CallFailure::passing("lost"))),
            (None, None)
        );
        assert!(too_long(&reported(601)).unwrap().contains("wait for 11 minutes"));
        // To be asked for nothing is to be asked for no time to recover.
        assert!(retries.after(3, 0, &reported(0), Key::NONE).unwrap() >= Duration::from_secs(2));
        assert_eq!(retries.after(1, 0, &CallFailure::permanent("no"), Key::NONE), None);
        let nonsense =
            |tries, garbled| retries.after(tries, garbled, &CallFailure::garbled("?"), Key::NONE);
        // What failed otherwise before says nothing about it.
        assert!(nonsense(2, 2).is_some() && nonsense(5, 1).is_some());
        assert_eq!((nonsense(3, 3), nonsense(9, 1)), (None, None));
    }
}
