//! Predicates as data: one tree, several readings.

pub mod tree;
pub mod types;
pub mod value;
