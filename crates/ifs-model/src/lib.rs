//! The meaning of a scenario: names resolved, types and units checked, defaults filled in.
//!
//! A `SemanticModel` cannot contain a mistake that the checker finds: it exists only if there was none. Its
//! tables become those of the plan.

pub mod allowed;
mod audit;
mod bank;
mod budget;
mod check;
mod constraint;
mod def;
mod dialogue;
mod domain;
mod feed;
mod fits;
mod image;
mod library;
mod load;
mod lower;
mod names;
mod reader;
pub mod reference;
mod release;
mod requirement;
mod scene;
mod schema;
pub mod split;
pub mod table;
mod turn;
mod vars;

pub use bank::conform;
pub use check::{CheckOutcome, check};
pub use dialogue::metrics::{METRICS, OUTCOME_KINDS};
pub use library::{LIBRARY, file_id as library_file};
pub use table::SemanticModel;
