//! ifs

pub mod text;
