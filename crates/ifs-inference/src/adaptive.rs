//! An adaptive concurrency limit: more requests while the endpoint keeps up, fewer when it is
//! overloaded.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Semaphore;

/// The range of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub floor: usize,
    pub start: usize,
    pub ceiling: usize,
}

impl Default for Window {
    fn default() -> Window {
        Window { floor: 1, start: 20, ceiling: 100 }
    }
}

impl Window {
    /// A window with this ceiling; the start is lowered to it if necessary.
    pub fn at_most(ceiling: usize) -> Window {
        let ceiling = ceiling.max(1);
        Window { start: Window::default().start.min(ceiling), ceiling, ..Window::default() }
    }
}

pub struct AdaptiveLimit {
    window: Window,
    /// Free slots. Permits are forgotten when acquired and added when released, so that
    /// the number of slots can shrink.
    places: Semaphore,
    state: Mutex<AdaptiveState>,
}

#[derive(Debug)]
struct AdaptiveState {
    places: usize,
    in_flight: usize,
    /// The maximum in flight since the last overload. Unused slots are not evidence for
    /// a higher limit.
    most: usize,
    /// Successes towards the next slot.
    progress: usize,
    /// Doubling with every round trip, until the first overload.
    slow_start: bool,
    /// Slots to remove when requests complete.
    debt: usize,
    /// The number of reductions so far. A request that started before the last one
    /// says nothing about the current limit.
    cuts: u64,
}

/// A request in flight.
pub struct Permit<'a> {
    limits: &'a AdaptiveLimit,
    cuts: u64,
}

impl AdaptiveLimit {
    pub fn new(window: Window) -> AdaptiveLimit {
        let places = window.start.clamp(window.floor, window.ceiling);
        AdaptiveLimit {
            window,
            places: Semaphore::new(places),
            state: Mutex::new(AdaptiveState {
                places,
                in_flight: 0,
                most: 0,
                progress: 0,
                slow_start: true,
                debt: 0,
                cuts: 0,
            }),
        }
    }

    pub fn window(&self) -> Window {
        self.window
    }

    /// The current number of slots.
    pub fn slots(&self) -> usize {
        self.lock().places
    }

    /// Waits for a free slot, first come, first served.
    pub async fn enter(&self) -> Permit<'_> {
        // The semaphore is never closed.
        if let Ok(permit) = self.places.acquire().await {
            permit.forget();
        }
        let mut state = self.lock();
        state.in_flight += 1;
        state.most = state.most.max(state.in_flight);
        Permit { limits: self, cuts: state.cuts }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, AdaptiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// The request succeeded.
    pub fn answered(&self) {
        let mut state = self.limits.lock();
        let used = if state.slow_start { 2 * state.most } else { state.most + 1 };
        if state.places >= used.min(self.limits.window.ceiling) || state.debt > 0 {
            return;
        }
        state.progress += 1;
        if state.slow_start || state.progress >= state.places {
            state.progress = 0;
            state.places += 1;
            self.limits.places.add_permits(1);
        }
    }

    /// The endpoint is overloaded: reduces the limit by a fifth, and by half the first time,
    /// after the doubling has overshot.
    pub fn overloaded(&self) {
        let mut state = self.limits.lock();
        if self.cuts != state.cuts {
            return;
        }
        let fewer = if state.slow_start { state.places / 2 } else { state.places * 4 / 5 };
        let fewer = fewer.max(self.limits.window.floor);
        let gone = state.places - fewer.min(state.places);
        let free = self.limits.places.forget_permits(gone);
        state.debt += gone - free;
        state.places = fewer.min(state.places);
        state.progress = 0;
        state.most = 0;
        state.slow_start = false;
        state.cuts += 1;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.limits.lock();
        state.in_flight -= 1;
        if state.debt > 0 {
            state.debt -= 1;
        } else {
            self.limits.places.add_permits(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn enter_all(limits: &AdaptiveLimit) -> Vec<Permit<'_>> {
        std::iter::from_fn(|| limits.enter().now_or_never()).collect()
    }

    #[test]
    fn doubles_until_the_ceiling() {
        let limits = AdaptiveLimit::new(Window { floor: 1, start: 2, ceiling: 16 });
        let mut sizes = Vec::new();
        for _ in 0..5 {
            let permits = enter_all(&limits);
            sizes.push(permits.len());
            for permit in permits {
                permit.answered();
            }
        }
        assert_eq!(sizes, [2, 4, 8, 16, 16]);
    }

    #[test]
    fn concurrency_halves_once_and_recovers_slowly() {
        let limits = AdaptiveLimit::new(Window { floor: 2, start: 10, ceiling: 100 });
        let permits = enter_all(&limits);
        permits.iter().for_each(Permit::overloaded);
        assert_eq!(limits.slots(), 5);
        drop(permits);
        let permits = enter_all(&limits);
        assert_eq!(permits.len(), 5);
        permits.iter().for_each(Permit::overloaded);
        drop(permits);
        assert_eq!(limits.slots(), 4);
        // One place more for as many answers as there are places.
        let permits = enter_all(&limits);
        permits.iter().for_each(Permit::answered);
        assert_eq!(limits.slots(), 5);
        drop(permits);
        for _ in 0..20 {
            let permits = enter_all(&limits);
            permits.iter().for_each(Permit::overloaded);
        }
        assert_eq!(limits.slots(), 2, "the floor");
        assert_eq!(enter_all(&limits).len(), 2);
    }

    #[test]
    fn unused_slots_do_not_grow() {
        let limits = AdaptiveLimit::new(Window { floor: 1, start: 4, ceiling: 8 });
        let permit = limits.enter().now_or_never().unwrap();
        permit.answered();
        drop(permit);
        assert_eq!(limits.slots(), 4);
        assert_eq!(enter_all(&limits).len(), 4);
    }
}
