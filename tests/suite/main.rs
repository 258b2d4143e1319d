//! What users see, tested in one binary: linking is what costs.

mod docs;
mod format;
mod library;
mod programs;
mod shape;
mod syntax;
#[cfg(feature = "cli")]
mod ui;
