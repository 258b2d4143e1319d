//! A game as the files of the source whose wording it has.

use super::files::GameFiles;
use super::{SourceWording, data_nba_net, espn, nba_cdn, nba_stats_v2, nba_stats_v3, nhl_statsapi};
use crate::table::EventTable;

/// Writes a game in the files that its reader reads.
pub fn written(table: &EventTable, wording: SourceWording) -> GameFiles {
    match wording {
        SourceWording::EspnBasketball | SourceWording::EspnHockey => espn::written(table),
        SourceWording::NbaCdn => nba_cdn::written(table),
        SourceWording::NbaStatsV2 => nba_stats_v2::written(table),
        SourceWording::NbaStatsV3 => nba_stats_v3::written(table),
        SourceWording::DataNbaNet => data_nba_net::written(table),
        SourceWording::NhlStatsapi => nhl_statsapi::written(table),
        SourceWording::EspnText | SourceWording::EspnHockeyText => lines(table, "Match: "),
        SourceWording::HupuText => lines(table, "比赛："),
    }
}

/// The rosters, then a line for each event. Such a log has no score column.
fn lines(table: &EventTable, game: &str) -> GameFiles {
    let mut text = String::new();
    if let [away, home] = table.teams.as_slice() {
        text.push_str(&format!("{game}{} vs {}\n", away.name, home.name));
        for team in [away, home] {
            let names: Vec<&str> = team.players.iter().map(|name| &**name).collect();
            text.push_str(&format!("{}: {}\n", team.name, names.join(", ")));
        }
        text.push('\n');
    }
    for event in &table.events {
        if event.text.is_empty() {
            text.push('\n');
        } else {
            text.push_str(&format!("{}\t{}\n", event.clock, event.text));
        }
    }
    GameFiles::single_file(text)
}
