//! A pool for work that calls models: several threads, each with as many concurrent tasks as
//! requests may be in flight.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::{Client, RequestContext};
use ifs_base::parallel::start;

/// An event for the caller of [`run_in_pool`].
pub enum PoolEvent<T> {
    /// The result of a task, by its index.
    Done(usize, T),
    /// A timer tick, for progress displays.
    Tick,
}

/// The degree of parallelism.
#[derive(Clone, Copy, Debug)]
pub struct Concurrency {
    pub threads: usize,
    /// The maximum number of concurrent tasks.
    pub at_once: usize,
}

/// A message of a thread: the result of a task, by its index, or its panic.
type TaskResult<T> = Result<(usize, T), Box<dyn Any + Send>>;

const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Runs `work` for each index below `count`, in order, until the run is cancelled. `listen` gets
/// each result when it is ready, in any order.
///
/// # Errors
/// The first error of `listen`, after which no new task starts. Or a thread could not be started.
///
/// # Panics
/// If `work` panics, with the same payload, after the tasks in flight have ended; no new task
/// starts meanwhile.
pub fn run_in_pool<T: Send, E: From<std::io::Error>>(
    context: &RequestContext<'_>,
    count: usize,
    concurrency: Concurrency,
    work: impl AsyncFn(&Client<'_>, usize) -> T + Sync,
    mut listen: impl FnMut(PoolEvent<T>) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let threads = concurrency.threads.clamp(1, count.max(1)).min(concurrency.at_once.max(1));
    std::thread::scope(|scope| {
        let mut slots = (0..threads).map(|thread| {
            concurrency.at_once / threads + usize::from(thread < concurrency.at_once % threads)
        });
        #[cfg(feature = "http")]
        if let Some(rounds) = &context.rounds {
            rounds.announce_threads(threads);
            start(scope, 1, || {
                let (runtime, send) = (runtime()?, send.clone());
                Ok(move || {
                    let drive = || runtime.block_on(rounds.drive(context));
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(drive)) {
                        context.cancel.cancel();
                        let _ = send.send(Err(panic));
                    }
                })
            })?;
        }
        #[cfg_attr(not(feature = "http"), expect(unused_variables, reason = "rounds are HTTP's"))]
        let started = start(scope, threads, || {
            let runtime = runtime()?;
            let slots = slots.next().unwrap_or(1).max(1);
            let (send, next, work) = (send.clone(), &next, &work);
            Ok(move || {
                let all = || {
                    let all = run_worker(context, (next, count), slots, work, &send);
                    #[cfg(feature = "http")]
                    if let Some(rounds) = &context.rounds {
                        return runtime.block_on(rounds.watch(all));
                    }
                    runtime.block_on(all);
                };
                if let Err(panic) = catch_unwind(AssertUnwindSafe(all)) {
                    context.cancel.cancel();
                    let _ = send.send(Err(panic));
                }
            })
        })?;
        #[cfg(feature = "http")]
        if let Some(rounds) = &context.rounds {
            rounds.correct_threads(threads, started);
        }
        drop(send);
        let (mut outcome, mut panic) = (Ok(()), None);
        loop {
            let news = match receive.recv_timeout(POLL_INTERVAL) {
                Ok(Ok((at, done))) => PoolEvent::Done(at, done),
                Ok(Err(payload)) => {
                    panic.get_or_insert(payload);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => PoolEvent::Tick,
                Err(RecvTimeoutError::Disconnected) => match panic {
                    Some(payload) => resume_unwind(payload),
                    None => return outcome,
                },
            };
            if outcome.is_ok() {
                outcome = listen(news);
                if outcome.is_err() {
                    context.cancel.cancel();
                }
            }
        }
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, std::io::Error> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build()
}

async fn run_worker<T>(
    context: &RequestContext<'_>,
    (next, count): (&AtomicUsize, usize),
    slots: usize,
    work: &impl AsyncFn(&Client<'_>, usize) -> T,
    send: &mpsc::Sender<TaskResult<T>>,
) {
    let client = Client::new(context);
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < slots && !context.cancel.is_cancelled() {
            let at = next.fetch_add(1, Ordering::SeqCst);
            if at >= count {
                break;
            }
            let client = &client;
            running.push(async move { (at, work(client, at).await) });
        }
        let Some(done) = running.next().await else { return };
        if send.send(Ok(done)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::OnceLock;

    use tokio::sync::Notify;

    use super::*;
    use crate::{Allowance, Budget, CancelToken, Meter, Retries, Spent};

    /// Without this a run would continue buying what it loses at the end, or wait forever.
    #[test]
    fn panics_stop_the_workers() {
        let cancel = CancelToken::new();
        let context = RequestContext {
            journal: None,
            cache: None,
            hidden: None,
            rounds: None,
            budget: Budget::new(Allowance::default(), Spent::default()),
            retries: Retries::default(),
            meter: Meter::default(),
            cancel: &cancel,
            room: Notify::new(),
            ended: OnceLock::new(),
        };
        let begun = AtomicUsize::new(0);
        let mut done = 0;
        let work = async |_: &Client<'_>, at: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            assert_ne!(at, 5, "piece five panics");
            // Until then nothing else gets far.
            while at > 5 && !cancel.is_cancelled() {
                tokio::task::yield_now().await;
            }
        };
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let concurrency = Concurrency { threads: 3, at_once: 12 };
            run_in_pool(&context, 1_000_000, concurrency, work, |news| {
                done += usize::from(matches!(news, PoolEvent::Done(..)));
                Ok::<(), io::Error>(())
            })
        }));
        let payload = caught.unwrap_err();
        assert!(payload.downcast_ref::<String>().unwrap().contains("piece five panics"));
        let begun = begun.load(Ordering::SeqCst);
        assert!(done < begun && begun < 100, "{done} of {begun}");
    }
}
