//! Where instructions are followed: shown where a dialogue's `report` asks for PIF.

use super::Report;
use crate::score::{Point, Profile, profile};

/// The parts of a run by instructions, if they were asked for.
pub(super) fn asked(report: &Report<'_>) -> Option<Profile> {
    let asked = report.metrics.iter().any(|name| name.starts_with("PIF"));
    asked.then(|| profile(&report.scorecard.dialogues))
}

/// Titles and rows, for people. One row alone says nothing that the score does not.
pub(super) fn sections(profile: &Profile) -> impl Iterator<Item = (&'static str, &[Point])> {
    let all: [(&'static str, &[Point]); 5] = [
        ("PIF by the number of the turn", &profile.by_turn),
        ("PIF by how many instructions are in force", &profile.by_given),
        ("PIF where an instruction is in force", &profile.by_instruction),
        ("Followed, by the turns since it was given", &profile.by_age),
        ("All instructions followed by at least K of N answers", &profile.by_answers),
    ];
    all.into_iter().filter(|(_, points)| points.len() > 1)
}

/// A row as text: mean, interval of 95 %, number of terms.
pub(super) fn columns(point: &Point) -> [String; 3] {
    [
        format!("{:.3}", point.mean),
        format!("{:.3} to {:.3}", point.low, point.high),
        point.count.to_string(),
    ]
}
