//! From text to tree: what was written, and all that is wrong with how it was written.

pub mod ast;
pub mod literal;
mod parse;
mod scan;

pub use parse::parse;
