//! A time limit for tests: work that never ends fails the test. Speed is measured in `benches/`; no
//! test asserts it.

use std::sync::mpsc;
use std::time::Duration;

/// Far longer than any test takes, on any machine.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Does work on a separate thread and returns the result.
#[track_caller]
pub fn ends<T: Send + 'static>(
    what: &str,
    stack: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (send, receive) = mpsc::channel();
    let thread = std::thread::Builder::new().stack_size(stack).spawn(move || {
        _ = send.send(work());
    });
    let thread = thread.unwrap();
    match receive.recv_timeout(TIME_LIMIT) {
        Ok(done) => done,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what} hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match thread.join() {
            Ok(()) => unreachable!("a thread that ended well has sent"),
            Err(panic) => std::panic::resume_unwind(panic),
        },
    }
}
