//! Dialogues written by models, and published data.

#[cfg(feature = "run")]
pub mod construct;
pub mod import;
pub mod release;
#[cfg(feature = "run")]
pub mod synthesis;
