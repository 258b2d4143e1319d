//! ifs: a language for multi-turn instruction-following benchmarks.

pub mod predicate;
pub mod source;
pub mod syntax;
pub mod text;
