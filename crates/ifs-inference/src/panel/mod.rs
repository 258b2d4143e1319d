//! Panels of judges: each judge is asked one or more times, and again if its
//! reply cannot be parsed.

mod family;
mod labels;
mod settings;

pub use family::same_family;
pub use labels::{HumanLabel, LabelKey, LabelValue, labels};
pub use settings::{JudgeEntry, Judging};

#[cfg(feature = "run")]
pub use requests::{JudgedResponse, Panel, PanelJudge};

#[cfg(feature = "run")]
mod requests;
#[cfg(feature = "run")]
mod simulated;
