//! The sources in whose wording games are simulated.

use serde::{Deserialize, Serialize};

use super::{data_nba_net, nba_cdn, nba_stats_v2, nba_stats_v3, nhl_statsapi};
use crate::finish::TableDraft;
use crate::table::{Event, Sport};

/// A sport in the wording of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceWording {
    EspnText,
    HupuText,
    EspnBasketball,
    NbaCdn,
    NbaStatsV2,
    NbaStatsV3,
    DataNbaNet,
    EspnHockeyText,
    EspnHockey,
    NhlStatsapi,
}

impl SourceWording {
    pub const ALL: [SourceWording; 10] = [
        SourceWording::EspnText,
        SourceWording::HupuText,
        SourceWording::EspnBasketball,
        SourceWording::NbaCdn,
        SourceWording::NbaStatsV2,
        SourceWording::NbaStatsV3,
        SourceWording::DataNbaNet,
        SourceWording::EspnHockeyText,
        SourceWording::EspnHockey,
        SourceWording::NhlStatsapi,
    ];

    /// The reader of this wording.
    pub fn reader(self) -> &'static str {
        match self {
            SourceWording::EspnText => "espn_text",
            SourceWording::HupuText => "hupu_text",
            SourceWording::EspnBasketball => "espn_basketball",
            SourceWording::NbaCdn => "nba_cdn",
            SourceWording::NbaStatsV2 => "nba_stats_v2",
            SourceWording::NbaStatsV3 => "nba_stats_v3",
            SourceWording::DataNbaNet => "data_nba_net",
            SourceWording::EspnHockeyText => "espn_hockey_text",
            SourceWording::EspnHockey => "espn_hockey",
            SourceWording::NhlStatsapi => "nhl_statsapi",
        }
    }

    pub fn sport(self) -> Sport {
        match self {
            SourceWording::EspnText
            | SourceWording::HupuText
            | SourceWording::EspnBasketball
            | SourceWording::NbaCdn
            | SourceWording::NbaStatsV2
            | SourceWording::NbaStatsV3
            | SourceWording::DataNbaNet => Sport::Basketball,
            SourceWording::EspnHockeyText
            | SourceWording::EspnHockey
            | SourceWording::NhlStatsapi => Sport::Hockey,
        }
    }

    /// The name of a game's file.
    pub fn file(self, game: &str) -> String {
        match self {
            SourceWording::EspnText | SourceWording::HupuText | SourceWording::EspnHockeyText => {
                format!("{game}.txt")
            }
            // Its box score lies next to it.
            SourceWording::NbaCdn => format!("{game}_playbyplay.json"),
            SourceWording::EspnBasketball
            | SourceWording::NbaStatsV2
            | SourceWording::NbaStatsV3
            | SourceWording::DataNbaNet
            | SourceWording::EspnHockey
            | SourceWording::NhlStatsapi => format!("{game}.json"),
        }
    }

    /// The first wording of a sport is the default.
    pub fn for_sport(sport: &str) -> impl Iterator<Item = SourceWording> {
        SourceWording::ALL.into_iter().filter(move |wording| wording.sport().word() == sport)
    }

    /// Whether it has ESPN's sentences, in which games are simulated.
    pub(super) fn espn(self) -> bool {
        self.reader().starts_with("espn")
    }

    /// Whether a game that is level after overtime has a shoot-out.
    pub fn shootouts(self) -> bool {
        self == SourceWording::NhlStatsapi
    }

    /// Whether the source has its own score in its events.
    pub(super) fn scores(self, event: &Event) -> bool {
        match self {
            SourceWording::NbaStatsV2 | SourceWording::NbaStatsV3 => event.points > 0,
            _ => true,
        }
    }

    /// Converts ESPN's sentences to the lines of this source.
    pub(super) fn reword(self, draft: &mut TableDraft) {
        match self {
            SourceWording::NbaCdn => nba_cdn::reword(draft),
            SourceWording::NbaStatsV2 => nba_stats_v2::reword(draft),
            SourceWording::NbaStatsV3 => nba_stats_v3::reword(draft),
            SourceWording::DataNbaNet => data_nba_net::reword(draft),
            SourceWording::NhlStatsapi => nhl_statsapi::reword(draft),
            // The words were chosen during the simulation.
            SourceWording::EspnText
            | SourceWording::HupuText
            | SourceWording::EspnBasketball
            | SourceWording::EspnHockeyText
            | SourceWording::EspnHockey => {}
        }
    }
}
