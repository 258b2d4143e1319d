//! Predicates as data: one tree, several readings.
//!
//! * [`evaluate`]: the value of a tree, and whether a check holds for a response;
//! * [`mod@aspects`]: what a check notices of the form of a text;
//! * [`explain`]: which part fails on which unit of the response;
//! * [`bound`]: what a check implies about every response, and which checks exclude one another;
//! * [`witness`]: a response that satisfies several checks;
//! * [`partial_eval`]: the known parts of a tree, as values;
//! * [`mod@print`]: the tree as source text;
//! * [`typing`]: the types of calls and operators, for the checker.

pub use ifs_value::{number, record, shared, types, value};

pub mod aspects;
pub mod bound;
pub mod closed;
pub mod evaluate;
pub mod explain;
pub mod fault;
pub mod functions;
pub mod needles;
pub mod operand;
pub mod partial_eval;
pub mod print;
pub mod schema;
pub mod subject;
#[cfg(test)]
mod test_parser;
pub mod tree;
pub mod turn_fact;
pub mod typing;
pub mod witness;
