//! From text to tree: what was written, and all that is wrong with how it was written.

pub mod ast;
mod format;
pub mod literal;
mod parse;
mod scan;
pub mod statement;

pub use format::format;
pub use parse::parse;
