//! What users see, tested in one binary: linking is what costs.

mod banks;
mod cli;
mod docs;
mod draw;
mod format;
mod hostile;
mod library;
mod mistakes;
mod programs;
mod shape;
mod syntax;
#[cfg(feature = "cli")]
mod ui;
