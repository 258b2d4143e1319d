//! Cancelling a run: requests in flight are finished, and no new one is sent.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Debug, Default)]
pub struct CancelToken {
    cancelled: AtomicBool,
    news: Notify,
}

impl CancelToken {
    pub const fn new() -> CancelToken {
        CancelToken { cancelled: AtomicBool::new(false), news: Notify::const_new() }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.news.notify_waiters();
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
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
