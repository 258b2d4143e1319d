//! Asking judges: a panel of models, each asked as often as is wanted, and asked
//! again where its reply cannot be read.

mod family;
mod labels;
mod settings;

pub use family::same_family;
pub use labels::{About, Label, LabelSaid, labels};
pub use settings::{JudgeEntry, Judging};

#[cfg(feature = "run")]
pub use asked::{Case, Judge, Panel};

#[cfg(feature = "run")]
mod asked;
#[cfg(feature = "run")]
mod simulated;
