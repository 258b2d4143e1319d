//! Work on several threads whose results come out in the order it came in, with as much memory for
//! a million pieces as for a thousand.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

/// Threads that work on deep trees need more than the usual stack.
const STACK: usize = 16 << 20;

/// How many threads work when nobody says.
pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Gives every batch that `read` yields to `work` on one of several threads, and what comes of it
/// to `write`, in the order of reading. At most four batches a worker are under way.
///
/// # Errors
/// The first error of `read` or `write`; what was read before it is written still.
pub fn in_order<I: Send, O: Send, E: Send>(
    workers: usize,
    read: impl FnMut() -> Result<Option<I>, E> + Send,
    work: impl Fn(I) -> O + Sync,
    mut write: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E> {
    let workers = workers.max(1);
    let (grant, permits) = mpsc::channel::<()>();
    for _ in 0..workers * 4 {
        // The other end is alive: it stands two lines above.
        let _ = grant.send(());
    }
    let permits = Mutex::new(permits);
    let todo = Mutex::new(Todo { read, count: 0, end: None });
    let (give, done) = mpsc::channel::<(usize, O)>();
    let written = std::thread::scope(|scope| {
        for _ in 0..workers {
            let (permits, todo, give, work) = (&permits, &todo, give.clone(), &work);
            let run = move || {
                // No permit: writing has failed.
                while locked(permits).recv().is_ok() {
                    let Some((at, batch)) = locked(todo).next() else { break };
                    if give.send((at, work(batch))).is_err() {
                        break;
                    }
                }
            };
            // A thread that cannot be had leaves its work to the others.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        }
        drop(give);
        let mut written = Ok(());
        let (mut waiting, mut wanted) = (BTreeMap::new(), 0);
        for (at, result) in done {
            waiting.insert(at, result);
            while let Some(result) = waiting.remove(&wanted) {
                wanted += 1;
                if written.is_ok() {
                    written = write(result);
                    let _ = grant.send(());
                }
            }
            if written.is_err() {
                break;
            }
        }
        drop(grant);
        written
    });
    let todo = todo.into_inner().unwrap_or_else(PoisonError::into_inner);
    written.and(todo.end.unwrap_or(Ok(())))
}

/// What is still to be read.
struct Todo<R, E> {
    read: R,
    count: usize,
    /// How reading came to an end.
    end: Option<Result<(), E>>,
}

impl<I, E, R: FnMut() -> Result<Option<I>, E>> Todo<R, E> {
    /// The next batch with its number.
    fn next(&mut self) -> Option<(usize, I)> {
        if self.end.is_some() {
            return None;
        }
        match (self.read)() {
            Ok(Some(batch)) => {
                self.count += 1;
                return Some((self.count - 1, batch));
            }
            Ok(None) => self.end = Some(Ok(())),
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
    use super::in_order;

    #[test]
    fn what_comes_out_is_in_the_order_of_what_went_in() {
        let mut rows = 0..1000u32;
        let mut seen = Vec::new();
        let outcome: Result<(), ()> = in_order(
            4,
            || Ok(rows.next()),
            |row| {
                // Some take longer than others.
                (0..(row % 7) * 1000).fold(row, |sum, _| std::hint::black_box(sum))
            },
            |row| {
                seen.push(row);
                Ok(())
            },
        );
        assert_eq!(outcome, Ok(()));
        assert_eq!(seen, (0..1000).collect::<Vec<u32>>());
        let mut rows = 0..u32::MAX;
        let mut written = 0;
        let full: Result<(), &str> = in_order(
            2,
            || Ok(rows.next()),
            |row| row,
            |_| {
                written += 1;
                if written < 10 { Ok(()) } else { Err("the disk is full") }
            },
        );
        assert_eq!((full, written), (Err("the disk is full"), 10));
        let mut reads = 0;
        let mut seen = 0;
        let torn = in_order(
            2,
            || {
                reads += 1;
                if reads < 4 { Ok(Some(reads)) } else { Err("the file is torn") }
            },
            |row| row,
            |_| {
                seen += 1;
                Ok(())
            },
        );
        assert_eq!((torn, seen), (Err("the file is torn"), 3));
    }
}
