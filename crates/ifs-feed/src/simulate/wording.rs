//! The sources in whose wording games are simulated.

use serde::{Deserialize, Serialize};

use crate::table::Sport;

/// A sport in the wording of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceWording {
    EspnText,
    HupuText,
    EspnHockeyText,
}

impl SourceWording {
    pub const ALL: [SourceWording; 3] =
        [SourceWording::EspnText, SourceWording::HupuText, SourceWording::EspnHockeyText];

    /// The reader of this wording.
    pub fn reader(self) -> &'static str {
        match self {
            SourceWording::EspnText => "espn_text",
            SourceWording::HupuText => "hupu_text",
            SourceWording::EspnHockeyText => "espn_hockey_text",
        }
    }

    pub fn sport(self) -> Sport {
        match self {
            SourceWording::EspnText | SourceWording::HupuText => Sport::Basketball,
            SourceWording::EspnHockeyText => Sport::Hockey,
        }
    }

    /// The first wording of a sport is the default.
    pub fn for_sport(sport: &str) -> impl Iterator<Item = SourceWording> {
        SourceWording::ALL.into_iter().filter(move |wording| wording.sport().word() == sport)
    }
}
