//! Cancelling a run: requests in flight are finished, and no new one is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Debug, Default)]
pub struct CancelToken {
    cancelled: AtomicBool,
    /// A flag of the program's own, for several runs.
    stopped: Option<Arc<AtomicBool>>,
    news: Notify,
}

impl CancelToken {
    pub const fn new() -> CancelToken {
        CancelToken { cancelled: AtomicBool::new(false), stopped: None, news: Notify::const_new() }
    }

    /// Returns one that is also cancelled while the flag is set. Setting it wakes no task: they wait until
    /// [`CancelToken::cancel`].
    pub fn stopped_by(flag: Arc<AtomicBool>) -> CancelToken {
        CancelToken { stopped: Some(flag), ..CancelToken::new() }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.news.notify_waiters();
    }

    pub fn is_cancelled(&self) -> bool {
        let stopped = self.stopped.as_ref().is_some_and(|flag| flag.load(Ordering::SeqCst));
        stopped || self.cancelled.load(Ordering::SeqCst)
    }

    /// Completes when the run is cancelled.
    pub async fn cancelled(&self) {
        let mut news = std::pin::pin!(self.news.notified());
        // From here on no notification is missed.
        news.as_mut().enable();
        if !self.is_cancelled() {
            news.await;
        }
    }
}
