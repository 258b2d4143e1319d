//! What a program means: names resolved, types and units checked, defaults filled in.
//!
//! A `Model` cannot hold a mistake that the checker finds: it exists only when
//! there was none. Its tables go into the plan as they are.

pub(crate) mod allowed;
mod bank;
mod budget;
mod check;
mod constraint;
mod def;
pub(crate) mod dialogue;
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
mod shadow;
pub mod table;
mod turn;
mod vars;

pub(crate) use bank::conform;
pub use check::{Checked, check};
pub use library::LIBRARY;
pub use table::Model;
