//! Predicates as data: one tree, several readings.
//!
//! * [`evaluate`]: what a tree comes to, and whether a check holds of an answer;
//! * [`explain`]: which part fails on which unit of the answer;
//! * [`bound`]: what a check implies about every answer, and which checks exclude one another;
//! * [`witness`]: an answer that satisfies several checks;
//! * [`partial_eval`]: what is known of a tree, as values;
//! * [`mod@print`]: the tree as source text;
//! * [`typing`]: what type a call or an operator has, for the checker.

pub mod bound;
pub mod evaluate;
pub mod explain;
pub mod fault;
pub mod functions;
pub mod needles;
pub mod number;
pub mod operand;
pub mod partial_eval;
pub mod print;
pub mod record;
pub mod schema;
pub mod shared;
pub mod subject;
#[cfg(test)]
mod test_parser;
pub mod tree;
pub mod turn_fact;
pub mod types;
pub mod typing;
pub mod value;
mod value_serde;

pub mod witness;
