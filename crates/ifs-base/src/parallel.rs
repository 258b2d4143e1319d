//! Parallel work whose results stay in order, with bounded
//! memory.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{Builder, Scope};

/// The stack size of threads, for deep trees.
const STACK_BYTES: usize = 16 << 20;

/// The default number of threads.
pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Starts up to `wanted` threads. If a thread cannot be started, the others do its work.
///
/// # Errors
/// Returns an error if no thread could be started.
pub fn start<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    wanted: usize,
    mut work: impl FnMut() -> io::Result<W>,
) -> io::Result<usize> {
    start_threads(wanted, || {
        let work = work()?;
        Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).map(drop)
    })
}

fn start_threads(wanted: usize, mut start: impl FnMut() -> io::Result<()>) -> io::Result<usize> {
    for number in 0..wanted {
        match start() {
            Ok(()) => {}
            Err(error) if number == 0 => {
                let why = format!("a thread could not be started: {error}");
                return Err(io::Error::new(error.kind(), why));
            }
            // The threads that did start do the work; more of them would only finish sooner.
            Err(_) => return Ok(number),
        }
    }
    Ok(wanted)
}

/// Maps items on several threads. The results are in the order of the items.
///
/// # Errors
/// Returns an error if no thread could be started.
pub fn in_order_of<I: Sync, O: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(&I) -> O + Sync,
) -> io::Result<Vec<O>> {
    /// The items that a thread takes at once.
    const BATCH_ITEMS: usize = 64;

    if threads <= 1 || items.len() <= BATCH_ITEMS {
        return Ok(items.iter().map(work).collect());
    }
    let mut batches = items.chunks(BATCH_ITEMS);
    let mut results = Vec::with_capacity(items.len());
    in_order(
        threads.min(items.len().div_ceil(BATCH_ITEMS)),
        || Ok::<_, io::Error>(batches.next()),
        |batch| batch.iter().map(&work).collect::<Vec<_>>(),
        |batch| {
            results.extend(batch);
            Ok(())
        },
    )?;
    Ok(results)
}

/// Passes each batch from `read` to `work` on one of several threads, and each result to `write`,
/// in the order of reading. At most four batches per worker are in progress.
///
/// # Errors
/// Returns the first error of `read` or `write`, after writing what was read before it; or an error
/// if no thread could be started.
///
/// # Panics
/// Panics with the same payload if `read` or `work` panics, and starts no further batch.
pub fn in_order<I: Send, O: Send, E: Send + From<io::Error>>(
    workers: usize,
    read: impl FnMut() -> Result<Option<I>, E> + Send,
    work: impl Fn(I) -> O + Sync,
    mut write: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let workers = workers.max(1);
    let (grant, permits) = mpsc::channel::<()>();
    for _ in 0..workers * 4 {
        // The receiver is the other half of the pair above, so this cannot fail.
        let _ = grant.send(());
    }
    let permits = Mutex::new(permits);
    let todo = Mutex::new(WorkQueue { read, count: 0, end: None });
    let (give, done) = mpsc::channel::<std::thread::Result<(usize, O)>>();
    let written = std::thread::scope(|scope| {
        // Dropped when this scope ends, even by a panic of `write`, so that no worker waits for a
        // permit.
        let grant = grant;
        start(scope, workers, || {
            let (permits, todo, work, give) = (&permits, &todo, &work, give.clone());
            let tell = give.clone();
            let run = move || {
                // No permit means that writing has ended.
                while locked(permits).recv().is_ok() {
                    let Some((at, batch)) = locked(todo).next() else { break };
                    if give.send(Ok((at, work(batch)))).is_err() {
                        break;
                    }
                }
            };
            Ok(move || {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
                    // Without this message the writer would wait for the result forever.
                    let _ = tell.send(Err(panic));
                }
            })
        })?;
        drop(give);
        let (mut waiting, mut wanted) = (BTreeMap::new(), 0);
        for result in done {
            let (at, result) = result.unwrap_or_else(|panic| resume_unwind(panic));
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&wanted) {
                wanted += 1;
                write(result)?;
                let _ = grant.send(());
            }
        }
        Ok(())
    });
    let todo = todo.into_inner().unwrap_or_else(PoisonError::into_inner);
    written.and(todo.end.unwrap_or(Ok(())))
}

/// The batches that have not been read yet.
struct WorkQueue<R, E> {
    read: R,
    count: usize,
    /// How reading ended.
    end: Option<Result<(), E>>,
}

impl<I, E, R: FnMut() -> Result<Option<I>, E>> WorkQueue<R, E> {
    /// The next batch with its number.
    fn next(&mut self) -> Option<(usize, I)> {
        if self.end.is_some() {
            return None;
        }
        // If reading panics, nothing more is read.
        self.end = Some(Ok(()));
        match (self.read)() {
            Ok(Some(batch)) => {
                self.end = None;
                self.count += 1;
                return Some((self.count - 1, batch));
            }
            Ok(None) => {}
            Err(error) => self.end = Some(Err(error)),
        }
        None
    }
}

fn locked<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::{in_order, start_threads};

    fn full() -> io::Error {
        io::Error::other("the disk is full")
    }

    #[test]
    fn results_are_in_input_order() {
        let mut rows = 0..1000u32;
        let mut seen = Vec::new();
        let outcome: io::Result<()> = in_order(
            4,
            || Ok(rows.next()),
            |row| {
                // Some rows take longer than others.
                (0..(row % 7) * 1000).fold(row, |sum, _| std::hint::black_box(sum))
            },
            |row| {
                seen.push(row);
                Ok(())
            },
        );
        assert!(outcome.is_ok());
        assert_eq!(seen, (0..1000).collect::<Vec<u32>>());
        let mut rows = 0..u32::MAX;
        let mut written = 0;
        let end = in_order(
            2,
            || Ok(rows.next()),
            |row| row,
            |_| {
                written += 1;
                if written < 10 { Ok(()) } else { Err(full()) }
            },
        );
        assert_eq!((end.unwrap_err().to_string().as_str(), written), ("the disk is full", 10));
        let mut reads = 0;
        let mut seen = 0;
        let torn = in_order(
            2,
            || {
                reads += 1;
                if reads < 4 { Ok(Some(reads)) } else { Err(io::Error::other("the file is torn")) }
            },
            |row| row,
            |_| {
                seen += 1;
                Ok(())
            },
        );
        assert_eq!((torn.unwrap_err().to_string().as_str(), seen), ("the file is torn", 3));
    }

    #[test]
    fn panics_propagate() {
        for place in ["read", "work", "write"] {
            let panics = |at: &str, row: u32| {
                assert!(at != place || row != 300, "it panics when it {at}s row {row}");
                row
            };
            let mut rows = 0..u32::MAX;
            let mut seen = 0;
            let caught = catch_unwind(AssertUnwindSafe(|| {
                in_order::<_, _, io::Error>(
                    3,
                    || Ok(rows.next().map(|row| panics("read", row))),
                    |row| panics("work", row),
                    |row| {
                        assert_eq!(panics("write", row), seen, "in order up to the panic");
                        seen += 1;
                        Ok(())
                    },
                )
            }));
            let payload = caught.unwrap_err();
            let message = payload.downcast_ref::<String>().unwrap();
            assert_eq!(*message, format!("it panics when it {place}s row 300"));
            assert!(seen <= 300);
        }
    }

    #[test]
    fn work_survives_missing_threads() {
        let with = |there: usize| {
            let mut left = there;
            start_threads(4, || {
                left = left.checked_sub(1).ok_or(io::ErrorKind::WouldBlock)?;
                Ok(())
            })
        };
        assert_eq!((with(4).unwrap(), with(1).unwrap()), (4, 1));
        let error = with(0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(error.to_string().starts_with("a thread could not be started: "), "{error}");
    }
}
