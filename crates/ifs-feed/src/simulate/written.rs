//! A game as a log of the source whose wording it has.

use super::SourceWording;
use crate::table::EventTable;

/// Writes the log that the reader of this wording reads: the rosters, then a line for each event.
/// Such a log has no score column.
pub fn written(table: &EventTable, wording: SourceWording) -> String {
    let mut log = String::new();
    if let [away, home] = table.teams.as_slice() {
        let title = match wording {
            SourceWording::EspnText | SourceWording::EspnHockeyText => "Match: ",
            SourceWording::HupuText => "比赛：",
        };
        log.push_str(&format!("{title}{} vs {}\n", away.name, home.name));
        for team in [away, home] {
            let names: Vec<&str> = team.players.iter().map(|name| &**name).collect();
            log.push_str(&format!("{}: {}\n", team.name, names.join(", ")));
        }
        log.push('\n');
    }
    for event in &table.events {
        if event.text.is_empty() {
            log.push('\n');
        } else {
            log.push_str(&format!("{}\t{}\n", event.clock, event.text));
        }
    }
    log
}
