//! ifs: a language for multi-turn instruction-following benchmarks.

pub mod diagnostic;
pub mod model;
pub mod plan;
pub mod predicate;
pub mod report;
pub mod score;
pub mod script;
pub mod source;
pub mod syntax;
pub mod template;
pub mod testing;
pub mod text;
pub mod world;
