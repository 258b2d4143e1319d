//! Several dialogues at a time; results in the order of the selection.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use super::dialogue::{Transcript, hold};
use super::select::Selected;
use crate::provider::Model;
use crate::script::{Drawer, Seed};

/// Asks running dialogues to stop before their next turn.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

impl Stop {
    pub const fn new() -> Stop {
        Stop(AtomicBool::new(false))
    }

    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: usize,
    pub of: usize,
}

/// Holds all selected dialogues. Each transcript is given to `sink` as soon as
/// all before it were, so that the outcome does not hang on the workers.
///
/// # Errors
/// The first error of `sink`; the run stops then.
#[expect(clippy::too_many_arguments, reason = "one call, all different things")]
pub fn run_all<E: Send>(
    drawer: &Drawer<'_>,
    model: &dyn Model,
    seed: Seed,
    selected: &[Selected],
    max_turns: u32,
    workers: usize,
    stop: &Stop,
    mut sink: impl FnMut(Transcript, Progress) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel::<(usize, Transcript)>();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, selected.len().max(1)) {
            let send = send.clone();
            let next = &next;
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst);
                    let Some(work) = selected.get(at).filter(|_| !stop.is_asked()) else { return };
                    let held =
                        hold(drawer, model, seed, work.index, max_turns, &|| stop.is_asked());
                    if send.send((at, held)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting: BTreeMap<usize, Transcript> = BTreeMap::new();
        let (mut done, mut wanted) = (0, 0);
        let mut outcome = Ok(());
        for (at, transcript) in receive {
            waiting.insert(at, transcript);
            while let Some(transcript) = waiting.remove(&wanted) {
                wanted += 1;
                done += 1;
                let progress = Progress { done, of: selected.len() };
                if outcome.is_ok() {
                    outcome = sink(transcript, progress);
                    if outcome.is_err() {
                        stop.ask();
                    }
                }
            }
        }
        // After a stop there may be gaps: what was held behind them counts too.
        for (_, transcript) in waiting {
            done += 1;
            if outcome.is_ok() {
                outcome = sink(transcript, Progress { done, of: selected.len() });
            }
        }
        outcome
    })
}
