//! How many dialogues separate two models, or two sets, and how much scores vary from set to set.
//!
//! The dialogues of a definition are drawn; the outcomes of models of given strength on them are
//! simulated; and the tests that `ifs compare` and `ifs compare-sets` make are made on the results.
//! docs/comparing.md has the formulas and their sources.

mod features;
mod models;
mod normal;

pub use features::{FeaturePower, moved_features, needed_for_any, separated};
pub use ifs_value::random::SplitMix64;
pub use models::{InstructionCounts, Models, Outcomes, StrengthOf, patience_of, shapes};
