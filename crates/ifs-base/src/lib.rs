//! What every room stands on: source texts, diagnostics, files, threads.

pub mod diagnostic;
pub mod minhash;
pub mod parallel;
pub mod replace;
pub mod source;
pub mod work;
pub mod world;
