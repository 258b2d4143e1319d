//! Rounds: a request waits until every dialogue waits for one. Then all of them are answered together,
//! by batches of an endpoint or by a file of responses.
//!
//! Dialogues run as they do without rounds; only here it is known that their requests are collected.
//! A round is closed when no thread runs a dialogue and no request is in between: each of them is
//! waiting in [`Rounds::park`].

mod batches;
mod files;

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Wake, Waker};

use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::RequestContext;
use crate::provider::{CallFailure, Endpoint};

pub use batches::BatchStore;
pub use files::{Files, OpenRequest};

pub struct Rounds {
    state: Mutex<RoundState>,
    /// Notifies the driver that a round may be closed, or that all dialogues have ended.
    news: Notify,
    source: RequestTarget,
}

/// The source of the responses of a round.
enum RequestTarget {
    Batches(BatchStore),
    Files(Files),
}

#[derive(Default)]
struct RoundState {
    /// Threads that have dialogues, and those of them that run one at the moment.
    threads: usize,
    running: usize,
    /// Requests that are not parked: their response is being recorded, or they wait for a retry.
    busy: usize,
    parked: Vec<QueuedRequest>,
    /// Requests that wait until the batches of earlier sessions are read.
    waiting: Vec<oneshot::Sender<()>>,
    /// Those batches are read.
    is_admitting: bool,
    /// No round is answered any more.
    is_over: bool,
}

impl RoundState {
    fn is_closed(&self) -> bool {
        self.running == 0 && self.busy == 0
    }
}

/// A request that waits for its round.
struct QueuedRequest {
    /// Its place in the run, and the hash of what is asked.
    at: String,
    asked: String,
    endpoint: Arc<Endpoint>,
    body: String,
    send: oneshot::Sender<Result<Value, CallFailure>>,
}

impl QueuedRequest {
    /// Orders requests by place, with numbers as numbers.
    fn key(&self) -> Vec<(Option<u64>, &str)> {
        self.at.split('/').map(|part| (part.parse().ok(), part)).collect()
    }
}

/// Counts a request while it is under way.
pub(super) struct InFlightGuard<'a>(&'a Rounds);

/// Does not count it while this exists.
pub(super) struct PausedGuard<'a> {
    rounds: &'a Rounds,
    /// Whether something else counts it again.
    is_counted: bool,
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.busy -= 1);
    }
}

impl Drop for PausedGuard<'_> {
    fn drop(&mut self) {
        if !self.is_counted {
            self.rounds.change(|state| state.busy += 1);
        }
    }
}

/// Wakes a thread, and remembers that it did.
#[derive(Default)]
struct WakeFlag {
    again: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl WakeFlag {
    fn watch(&self, waker: &Waker) {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
        self.again.store(false, Ordering::SeqCst);
    }
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.again.store(true, Ordering::SeqCst);
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Rounds {
    pub fn of_batches(batches: BatchStore) -> Rounds {
        Rounds::new(RequestTarget::Batches(batches))
    }

    pub fn from_files(files: Files) -> Rounds {
        Rounds::new(RequestTarget::Files(files))
    }

    fn new(source: RequestTarget) -> Rounds {
        Rounds { state: Mutex::default(), news: Notify::new(), source }
    }

    /// Whether the responses are of batches, which cost half.
    pub fn is_batches(&self) -> bool {
        matches!(self.source, RequestTarget::Batches(_))
    }

    /// The files that answer requests, if they do.
    pub fn files(&self) -> Option<&Files> {
        match &self.source {
            RequestTarget::Files(files) => Some(files),
            RequestTarget::Batches(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, RoundState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut RoundState)) {
        let mut state = self.lock();
        change(&mut state);
        if state.is_closed() {
            self.news.notify_one();
        }
    }

    /// Before the threads are started; each counts as running until it was first polled.
    pub(super) fn announce_threads(&self, threads: usize) {
        self.change(|state| (state.threads, state.running) = (threads, threads));
    }

    /// After they were started; fewer if some could not be.
    pub(super) fn correct_threads(&self, wanted: usize, started: usize) {
        let fewer = wanted - started;
        self.change(|state| {
            state.threads -= fewer;
            state.running -= fewer;
        });
    }

    /// Runs the dialogues of a thread, and notes when all of them wait.
    pub(super) async fn watch<T>(&self, dialogues: impl Future<Output = T>) -> T {
        // A round would be closed too early if futures that can continue were postponed.
        let mut dialogues = pin!(tokio::task::unconstrained(dialogues));
        let woken = Arc::new(WakeFlag::default());
        let mut counted = true;
        std::future::poll_fn(|context| {
            if !std::mem::replace(&mut counted, true) {
                self.change(|state| state.running += 1);
            }
            woken.watch(context.waker());
            let waker = Waker::from(Arc::clone(&woken));
            let found = Pin::as_mut(&mut dialogues).poll(&mut Context::from_waker(&waker));
            // Futures that make others wait their turn are polled again at once.
            counted = found.is_pending() && woken.again.load(Ordering::SeqCst);
            if !counted {
                self.change(|state| {
                    state.running -= 1;
                    state.threads -= usize::from(found.is_ready());
                });
            }
            found
        })
        .await
    }

    /// Whether a request is in a batch that was created before, and so is paid for. A request that is
    /// in none waits here until those batches are read: a budget has room for what is left of it then.
    pub(super) async fn was_submitted(&self, at: &str, asked: &str) -> bool {
        let RequestTarget::Batches(batches) = &self.source else { return false };
        if batches.was_submitted(at, asked) {
            return true;
        }
        let (send, admitted) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.is_admitting || state.is_over {
                return false;
            }
            state.waiting.push(send);
        }
        let mut idle = self.idle();
        // Counted when it was admitted.
        idle.is_counted = admitted.await.is_ok();
        false
    }

    pub(super) fn busy(&self) -> InFlightGuard<'_> {
        self.change(|state| state.busy += 1);
        InFlightGuard(self)
    }

    pub(super) fn idle(&self) -> PausedGuard<'_> {
        self.change(|state| state.busy -= 1);
        PausedGuard { rounds: self, is_counted: false }
    }

    /// The body of the response to a request, when its round is answered.
    pub(super) async fn wait_for_round(
        &self,
        (at, asked): (&str, &str),
        endpoint: &Arc<Endpoint>,
        body: String,
    ) -> Result<Value, CallFailure> {
        let (send, received) = oneshot::channel();
        let (at, asked, endpoint) = (at.to_owned(), asked.to_owned(), Arc::clone(endpoint));
        let parked = QueuedRequest { at, asked, endpoint, body, send };
        let mut idle = self.idle();
        self.change(|state| {
            if !state.is_over {
                state.parked.push(parked);
            }
        });
        let Ok(found) = received.await else { return Err(CallFailure::stopped()) };
        // The driver has counted it already, so that no round is closed before it continues.
        idle.is_counted = true;
        found
    }

    /// The requests of the next round in order, when it is closed; `None` when all dialogues have ended.
    async fn next_round(&self) -> Option<Vec<QueuedRequest>> {
        loop {
            {
                let mut state = self.lock();
                if state.threads == 0 && state.running == 0 {
                    return None;
                }
                if state.is_closed() && !state.is_admitting && !self.has_submitted(&state.parked) {
                    state.is_admitting = true;
                    for request in std::mem::take(&mut state.waiting) {
                        state.busy += usize::from(request.send(()).is_ok());
                    }
                }
                if state.is_closed() && !state.parked.is_empty() {
                    let mut parked = std::mem::take(&mut state.parked);
                    parked.sort_by(|one, other| one.key().cmp(&other.key()));
                    return Some(parked);
                }
            }
            self.news.notified().await;
        }
    }

    fn has_submitted(&self, parked: &[QueuedRequest]) -> bool {
        let RequestTarget::Batches(batches) = &self.source else { return false };
        parked.iter().any(|request| batches.was_submitted(&request.at, &request.asked))
    }

    /// Completes when no delivered response is on its way to the journal any more.
    async fn responses_recorded(&self) {
        while !self.lock().is_closed() {
            self.news.notified().await;
        }
    }

    fn requeue(&self, parked: Vec<QueuedRequest>) {
        self.change(|state| state.parked.extend(parked));
    }

    fn deliver(&self, parked: QueuedRequest, found: Result<Value, CallFailure>) {
        self.change(|state| state.busy += 1);
        if parked.send.send(found).is_err() {
            // The dialogue was stopped meanwhile.
            self.change(|state| state.busy -= 1);
        }
    }

    /// Answers the rounds until all dialogues have ended or the run is cancelled.
    pub(super) async fn drive(&self, context: &RequestContext<'_>) {
        let stopped = pin!(context.cancel.cancelled());
        let answering = pin!(async {
            match &self.source {
                RequestTarget::Batches(batches) => batches.answer_round(self, context).await,
                RequestTarget::Files(files) => files.answer_round(self, context).await,
            }
        });
        futures_util::future::select(answering, stopped).await;
        let mut state = self.lock();
        state.is_over = true;
        state.parked.clear();
        state.waiting.clear();
    }
}
