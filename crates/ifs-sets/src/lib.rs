//! Sets of dialogues that can be published later and checked then.
//!
//! A hidden set is drawn from a public definition and a [`Secret`] of 32 random bytes. Its manifest is
//! published before any evaluation: it commits to the secret, and by the root of a [`tree`] to
//! every dialogue. After the secret is revealed, anyone draws the set again and compares it byte
//! by byte; a single dialogue can be opened before.

mod alike;
pub mod manifest;
pub mod power;
mod row;
mod secret;
pub mod signing;
pub mod tree;
mod verify;
mod write;

pub use alike::{
    Likeness, MIN_DIALOGUES, Moments, NEAR_DUPLICATE_SHARE, SetFeatures, WordingSample, likeness,
    overlap,
};
pub use ifs_run::Beacon;
pub use manifest::SetManifest;
pub use row::{SetRow, SetTurn};
pub use secret::{MasterSecret, Secret, SecretError};
pub use verify::{Mismatch, Opening, verify_opening};
pub use write::{Coverage, DrawnSet, SetDescription, UnprovenTurn, count_coverage, draw_set};
