//! ifs

pub mod report;
pub mod score;
