//! Ice hockey in English, as ESPN words it.

use super::Sentence;
use crate::table::{EventKind, EventRole};

/// Parses a sentence; `Kind::Other` for an unknown wording.
pub fn hockey(text: &str) -> Sentence<'_> {
    let text = text.trim();
    if text.is_empty() {
        return Sentence::new(EventKind::Blank);
    }
    if text.starts_with("Start of ") {
        return Sentence::new(EventKind::PeriodStart);
    }
    if text.starts_with("End of ") {
        return Sentence::new(EventKind::PeriodEnd);
    }
    if text.starts_with("Game End") || text.starts_with("Game Official") {
        return Sentence::new(EventKind::GameEnd);
    }
    if text.contains("Timeout") || text.contains("timeout") {
        return Sentence::new(EventKind::Timeout).detail(text);
    }
    if let Some((who, what)) = text.split_once(" Goal (") {
        return goal(who, what);
    }
    for (between, kind, other) in JOINING_TEXTS {
        if let Some((who, rest)) = text.split_once(between) {
            let (who, detail) = match kind {
                EventKind::Shot => shot_name(who).unwrap_or((who, between.trim())),
                _ => (who, between.trim()),
            };
            return Sentence::new(kind.clone())
                .detail(detail)
                .who(EventRole::Player, who)
                .who(*other, rest);
        }
    }
    for (before, kind) in
        [("Giveaway by ", EventKind::Giveaway), ("Takeaway by ", EventKind::Takeaway)]
    {
        if let Some(who) = text.strip_prefix(before) {
            return Sentence::new(kind).who(EventRole::Player, who);
        }
    }
    if STOPPAGES.iter().any(|stop| text.starts_with(stop)) {
        return Sentence::new(EventKind::Stoppage).detail(text);
    }
    if let Some((who, detail)) = shot_name(text) {
        return Sentence::new(EventKind::Shot).detail(detail).who(EventRole::Player, who);
    }
    penalty(text)
}

/// The text between two names. The second name has the role.
const JOINING_TEXTS: &[(&str, EventKind, EventRole)] = &[
    (" faceoff won against ", EventKind::Faceoff, EventRole::Against),
    (" saved by ", EventKind::Shot, EventRole::Goalie),
    (" shot blocked by ", EventKind::Shot, EventRole::Block),
    (" hit ", EventKind::Hit, EventRole::Against),
];

const STOPPAGES: [&str; 22] = [
    "Goalie Stopped",
    "Puck ",
    "Icing",
    "Off-side",
    "Offside",
    "High Stick",
    "On-Ice Official",
    "Net Dislodged",
    "Net dislodged",
    "Hand Pass",
    "Player Injury",
    "Player Equipment",
    "Premature Substitution",
    "Chlg",
    "Referee or Linesman",
    "Video Review",
    "Rink Repair",
    "Ice Problem",
    "Clock Problem",
    "Objects on Ice",
    "Stoppage",
    "Invalid Size",
];

/// The names of shots, which precede the outcome.
const SHOT_NAMES: [&str; 14] = [
    " Wrist Shot",
    " Snap Shot",
    " Slap Shot",
    " Backhand",
    " Tip-In",
    " Deflected",
    " Wrap-around",
    " Wraparound",
    " Batted",
    " Poke",
    " Between Legs",
    " Cradle",
    " Bat",
    " Shot",
];

fn shot_name(text: &str) -> Option<(&str, &str)> {
    let at = SHOT_NAMES.iter().find_map(|shot| text.find(shot))?;
    Some(text.split_at(at))
}

/// `A Goal (7) Snap Shot, assists: B (10), C (2)`
fn goal<'t>(who: &'t str, what: &'t str) -> Sentence<'t> {
    let (_, what) = what.split_once(')').unwrap_or(("", what));
    let (shot, assists) = what.split_once(", assists:").unwrap_or((what, "none"));
    let mut said =
        Sentence::new(EventKind::Goal).detail(shot).shot(true, 1).who(EventRole::Player, who);
    for assist in assists.split(',').map(str::trim).filter(|assist| *assist != "none") {
        let name = assist.rsplit_once(" (").map_or(assist, |(name, _)| name);
        said = said.who(EventRole::Assist, name);
    }
    said
}

/// `A Hooking against B`, `Too many men/ice served by A`, `A Fighting against B served by C`
fn penalty(text: &str) -> Sentence<'_> {
    let (text, _) = text.split_once(" served by ").unwrap_or((text, ""));
    let (front, other) = text.split_once(" against ").unwrap_or((text, ""));
    if let Some(at) = PENALTY_NAMES.iter().find_map(|name| front.find(name)) {
        let (who, what) = front.split_at(at);
        return Sentence::new(EventKind::Penalty)
            .detail(what)
            .who(EventRole::Player, who)
            .who(EventRole::Against, other);
    }
    Sentence::new(EventKind::Other)
}

const PENALTY_NAMES: [&str; 34] = [
    "Abuse of officials",
    "Bench",
    "Boarding",
    "Broken stick",
    "Butt-ending",
    "Charging",
    "Checking from behind",
    "Clipping",
    "Closing hand on puck",
    "Cross checking",
    "Cross-checking",
    "Delaying Game",
    "Delaying game",
    "Diving",
    "Elbowing",
    "Embellishment",
    "Fighting",
    "Game misconduct",
    "Goalkeeper",
    "Head butting",
    "High-sticking",
    "Holding",
    "Hooking",
    "Illegal check",
    "Instigator",
    "Interference",
    "Kneeing",
    "Misconduct",
    "Roughing",
    "Slashing",
    "Throwing",
    "Too many men",
    "Tripping",
    "Unsportsmanlike",
];

#[cfg(test)]
mod tests {
    use super::*;
    use EventRole::{Against, Assist, Block, Goalie, Player};

    #[test]
    fn sentences() {
        let (a, b) = ("Pierre-Luc Ohm", "Calvin de Vries");
        let cases = [
            ("A faceoff won against B", EventKind::Faceoff, vec![(Player, a), (Against, b)]),
            ("A Wrist Shot saved by B", EventKind::Shot, vec![(Player, a), (Goalie, b)]),
            ("A shot blocked by B", EventKind::Shot, vec![(Player, a), (Block, b)]),
            ("A hit B", EventKind::Hit, vec![(Player, a), (Against, b)]),
            ("A Tip-In High and Wide Left", EventKind::Shot, vec![(Player, a)]),
            (
                "A Goal (6) Backhand, assists: B (11), Bo Li (6)",
                EventKind::Goal,
                vec![(Player, a), (Assist, b), (Assist, "Bo Li")],
            ),
            ("A Goal (6) Wrist Shot, assists: none", EventKind::Goal, vec![(Player, a)]),
            ("Giveaway by A", EventKind::Giveaway, vec![(Player, a)]),
            (
                "A High-sticking - double minor against B",
                EventKind::Penalty,
                vec![(Player, a), (Against, b)],
            ),
            ("Too many men/ice served by A", EventKind::Penalty, vec![]),
            ("Puck in Netting", EventKind::Stoppage, vec![]),
            ("Start of 1st Period", EventKind::PeriodStart, vec![]),
            ("Game End", EventKind::GameEnd, vec![]),
        ];
        for (text, kind, who) in cases {
            let text = text.replace('A', a).replace('B', b);
            // Restores letters of other words.
            let text = text
                .replace(&format!("{b}ackhand"), "Backhand")
                .replace(&format!("{b}o Li"), "Bo Li");
            let said = hockey(&text);
            assert_eq!((said.kind, said.who), (kind, who), "{text}");
        }
        assert_eq!(hockey("Something new").kind, EventKind::Other);
    }
}
