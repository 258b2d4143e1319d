//! What users see, tested in one binary: linking is what costs.

#![expect(
    clippy::disallowed_methods,
    reason = "what hangs is told by the clock, and blessing is asked for by the environment"
)]

mod docs;
mod format;
mod library;
mod programs;
mod shape;
mod syntax;
#[cfg(feature = "cli")]
mod ui;
