//! What users see, tested in one binary: linking is what costs.

mod banks;
mod cli;
mod draw;
mod format;
mod hostile;
mod library;
mod programs;
mod shape;
mod syntax;
