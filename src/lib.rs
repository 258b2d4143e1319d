//! ifs: a language for multi-turn instruction-following benchmarks.

#[cfg(feature = "cli")]
pub mod cli;
pub mod diagnostic;
mod dice;
pub mod judge;
pub mod model;
pub mod plan;
pub mod predicate;
pub mod provider;
pub mod report;
pub mod run;
pub mod score;
pub mod script;
pub mod source;
pub mod syntax;
pub mod template;
pub mod testing;
pub mod text;
pub mod world;
