//! Repositories that git made, and repositories that want harm.

#![expect(
    clippy::disallowed_methods,
    reason = "git is compared, and the time that a reading takes"
)]

mod git;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod planted;
