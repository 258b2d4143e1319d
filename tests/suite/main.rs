//! What users see, tested in one binary: linking is what costs.

mod format;
mod mistakes;
mod programs;
mod shape;
mod syntax;
