//! From text to a syntax tree, with all syntax errors.

pub mod ast;
mod format;
pub mod literal;
mod parse;
mod scan;
pub mod statement;

pub use format::format;
pub use parse::{ExpectedNext, SyntaxNode, expected, nodes, parse};
