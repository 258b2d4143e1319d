//! Sentences of plays in the sources' wording. `wording/` parses them.

use std::sync::Arc;

use super::SourceWording;
use super::random_stream::RandomStream;
use crate::table::{Event, EventKind, EventRole};

/// The sentence of a basketball play, and the name of its shot; `None` if the source has no line
/// for it.
pub fn basketball(
    event: &Event,
    team: &str,
    wording: SourceWording,
    random: &mut RandomStream,
) -> Option<(Arc<str>, Option<Arc<str>>)> {
    if wording == SourceWording::HupuText {
        return hupu(event, team, random).map(|text| (Arc::from(text), None));
    }
    if event.kind == EventKind::FieldGoal {
        let (text, shot) = espn_shot(event, event.player(), random);
        return Some((Arc::from(text), Some(Arc::from(shot))));
    }
    Some((Arc::from(espn(event, team)), None))
}

fn first(event: &Event, role: EventRole) -> &str {
    event.by(role).next().unwrap_or("")
}

fn espn(event: &Event, team: &str) -> String {
    let player = event.player();
    let detail = &*event.detail;
    match event.kind {
        EventKind::FreeThrow => {
            let verb = if event.made { "makes" } else { "misses" };
            format!("{player} {verb} {detail}")
        }
        EventKind::Rebound if player.is_empty() => format!("{team} {detail} team rebound"),
        EventKind::Rebound => format!("{player} {detail} rebound"),
        EventKind::Turnover if player.is_empty() => "shot clock turnover ".to_owned(),
        EventKind::Turnover => match first(event, EventRole::Steal) {
            "" => format!("{player} {detail}"),
            thief => format!("{player} {detail} ({thief} steals)"),
        },
        EventKind::Substitution => {
            format!("{player} enters the game for {}", first(event, EventRole::Out))
        }
        EventKind::Timeout => format!("{team} Full timeout"),
        EventKind::Review => format!("{team} Coach's Challenge"),
        EventKind::JumpBall => format!(
            "{player} vs. {} ({} gains possession)",
            first(event, EventRole::Against),
            first(event, EventRole::Gains)
        ),
        _ if player.is_empty() => detail.to_owned(),
        _ => format!("{player} {detail}"),
    }
}

/// The name of a shot, its range in feet, and how often it occurs among made shots without and with
/// an assist, missed, and blocked ones: as counted in five games, in which few are blocked.
type ShotName = (&'static str, i64, i64, [u64; 4]);

const THREE_POINT_SHOTS: [ShotName; 5] = [
    ("three point jumper", 22, 32, [1, 85, 154, 4]),
    ("three point shot", 22, 32, [1, 13, 17, 1]),
    ("three point pullup jump shot", 24, 32, [0, 0, 39, 4]),
    ("three point step back jumpshot", 24, 32, [6, 0, 17, 0]),
    ("three pointer", 23, 32, [12, 6, 0, 0]),
];
/// Twos whose sentence gives the distance.
const TWO_POINT_SHOTS: [ShotName; 12] = [
    ("two point shot", 1, 18, [33, 38, 40, 7]),
    ("dunk", 1, 4, [4, 24, 0, 2]),
    ("alley oop dunk shot", 1, 3, [0, 7, 0, 0]),
    ("driving dunk", 1, 4, [1, 3, 0, 0]),
    ("layup", 1, 5, [0, 11, 0, 1]),
    ("driving layup", 1, 11, [0, 0, 0, 15]),
    ("driving floating jump shot", 3, 14, [18, 7, 0, 5]),
    ("hook shot", 3, 8, [0, 4, 0, 1]),
    ("pullup jump shot", 9, 22, [11, 10, 34, 1]),
    ("jumper", 9, 22, [1, 4, 5, 1]),
    ("step back jumpshot", 12, 22, [8, 1, 14, 1]),
    ("running pullup jump shot", 9, 14, [1, 1, 0, 0]),
];
/// Twos whose sentence does not.
const TWO_POINT_SHOTS_WITHOUT_DISTANCE: [ShotName; 7] = [
    ("two point shot", 0, 0, [28, 23, 33, 10]),
    ("driving layup", 0, 0, [15, 10, 11, 30]),
    ("layup", 0, 0, [4, 13, 2, 6]),
    ("dunk", 0, 0, [8, 3, 1, 2]),
    ("driving dunk", 0, 0, [0, 3, 0, 0]),
    ("alley oop dunk shot", 0, 0, [0, 1, 2, 0]),
    ("driving floating jump shot", 0, 0, [0, 0, 21, 0]),
];

/// The name of a shot, from its place and outcome.
fn shot_name(event: &Event, feet: Option<i64>, random: &mut RandomStream) -> &'static str {
    let column = match (event.made, first(event, EventRole::Assist), first(event, EventRole::Block))
    {
        (true, "", _) => 0,
        (true, ..) => 1,
        (false, _, "") => 2,
        (false, ..) => 3,
    };
    let (all, at): (&[ShotName], i64) = match feet {
        Some(feet) if event.worth == 3 => (&THREE_POINT_SHOTS, feet),
        Some(feet) => (&TWO_POINT_SHOTS, feet),
        None => (&TWO_POINT_SHOTS_WITHOUT_DISTANCE, 0),
    };
    let weights = all.iter().map(|(_, low, high, often)| match (*low..=*high).contains(&at) {
        true => often[column],
        false => 0,
    });
    all[random.weighed(weights)].0
}

/// A range in feet, and the makes and misses with it in 17 games.
type Feet = (i64, i64, u64, u64);
const FEET_OF_TWOS: [Feet; 8] = [
    (1, 2, 172, 46),
    (3, 5, 108, 60),
    (6, 8, 89, 54),
    (9, 11, 86, 59),
    (12, 14, 55, 65),
    (15, 17, 36, 60),
    (18, 20, 25, 36),
    (21, 22, 10, 15),
];
const FEET_OF_THREES: [Feet; 4] =
    [(22, 23, 113, 193), (24, 26, 234, 476), (27, 29, 51, 120), (30, 32, 11, 31)];

/// The distance of a shot, if the sentence gives it: for twos, 59 % of makes and 49 % of misses do.
fn feet(event: &Event, random: &mut RandomStream) -> Option<i64> {
    let three = event.worth == 3;
    let reported = if event.made { 590 } else { 490 };
    if !three && !random.thousandth(reported) {
        return None;
    }
    let bands = if three { &FEET_OF_THREES[..] } else { &FEET_OF_TWOS };
    let weights = bands.iter().map(|(.., made, missed)| if event.made { *made } else { *missed });
    let (low, high, ..) = bands[random.weighed(weights)];
    Some(random.integer_between(low, high))
}

/// The sentence of a shot, and its name.
fn espn_shot(event: &Event, player: &str, random: &mut RandomStream) -> (String, String) {
    let tip = &*event.detail == "tip shot";
    let feet = if tip { None } else { feet(event, random) };
    let what = match (event.worth == 3, event.made) {
        _ if tip => "tip shot",
        // Sometimes only the distance shows it.
        (true, true) if feet > Some(22) && random.integer_below(150) == 0 => {
            "running pullup jump shot"
        }
        _ => shot_name(event, feet, random),
    };
    let what = feet.map_or_else(|| what.to_owned(), |feet| format!("{feet}-foot {what}"));
    let verb = if event.made { "makes" } else { "misses" };
    let text = match (first(event, EventRole::Block), first(event, EventRole::Assist)) {
        ("", "") => format!("{player} {verb} {what}"),
        ("", assist) => format!("{player} {verb} {what} ({assist} assists)"),
        (blocker, _) if feet.is_some() => format!("{blocker} blocks {player} 's {what}"),
        (blocker, _) => format!("{blocker} blocks {player}'s {what}"),
    };
    (text, what)
}

fn hupu(event: &Event, team: &str, random: &mut RandomStream) -> Option<String> {
    let player = event.player();
    Some(match event.kind {
        EventKind::FieldGoal => {
            let worth = if event.worth == 3 { "三分" } else { "两分" };
            let end = if event.made { "球进" } else { "不中" };
            format!("{player} {worth}{end}")
        }
        // Some missed throws are not in these logs.
        EventKind::FreeThrow if !event.made && random.thousandth(600) => return None,
        EventKind::FreeThrow => {
            let (count, of) = throws(&event.detail);
            let verb = if event.made { "罚球命中" } else { "罚球不中" };
            format!("{player} {verb} {of}罚中第{count}罚")
        }
        // Team rebounds and reviews are not in these logs.
        EventKind::Rebound if player.is_empty() => return None,
        EventKind::Rebound => format!("{player} 篮板球"),
        EventKind::Turnover if player.is_empty() => format!("{team} 失误(24秒违例)"),
        EventKind::Turnover => {
            let how = match &*event.detail {
                "offensive foul turnover" => "进攻犯规",
                "bad pass" => "传球失误",
                "lost ball turnover" => "丢球",
                "traveling" => "走步违例",
                _ => "界外",
            };
            format!("{player} 失误({how})")
        }
        // The line of the turnover mentions the foul.
        EventKind::Foul if event.detail.contains("offensive") => return None,
        EventKind::Foul if event.detail.contains("technical") => format!("{player} 技术犯规"),
        EventKind::Foul if event.detail.contains("shooting") => format!("{player} 投篮犯规"),
        EventKind::Foul => format!("{player} 个人犯规"),
        EventKind::Substitution => {
            let names: Vec<&str> = event.by(EventRole::Player).collect();
            format!("{team} 阵容调整 ({})", names.join("; "))
        }
        EventKind::Timeout => "停止 ()".to_owned(),
        EventKind::Review => "复审".to_owned(),
        EventKind::JumpBall => format!(
            "{player} 对阵 {} ({} 获得控球权)",
            first(event, EventRole::Against),
            first(event, EventRole::Gains)
        ),
        EventKind::Violation if event.detail.contains("kicked") => format!("{player} 踢球违例"),
        EventKind::Violation => "防守干扰球违例".to_owned(),
        _ => return None,
    })
}

/// `free throw 1 of 2`
fn throws(detail: &str) -> (&str, &str) {
    let rest = detail.strip_prefix("free throw ").unwrap_or("1 of 1");
    rest.split_once(" of ").unwrap_or(("1", "1"))
}

const MISS_WORDS: [&str; 6] =
    ["Wide Left", "Wide Right", "High and Wide Left", "Above Crossbar", "Hit Left Post", "Short"];

/// The sentence of a hockey play.
pub fn hockey(event: &Event, random: &mut RandomStream) -> Arc<str> {
    let player = event.player();
    let detail = &*event.detail;
    let goalie = first(event, EventRole::Goalie);
    let blocker = first(event, EventRole::Block);
    Arc::from(match event.kind {
        EventKind::Faceoff => {
            format!("{player} faceoff won against {}", first(event, EventRole::Against))
        }
        EventKind::Hit => format!("{player} hit {}", first(event, EventRole::Against)),
        EventKind::Shot if !goalie.is_empty() => format!("{player} {detail} saved by {goalie}"),
        EventKind::Shot if !blocker.is_empty() => format!("{player} shot blocked by {blocker}"),
        EventKind::Shot => format!("{player} {detail} {}", random.pick(&MISS_WORDS)),
        EventKind::Goal => {
            let assists: Vec<String> = event
                .by(EventRole::Assist)
                .map(|name| format!("{name} ({})", 1 + random.integer_below(40)))
                .collect();
            let assists = if assists.is_empty() { "none".to_owned() } else { assists.join(", ") };
            format!("{player} Goal ({}) {detail}, assists: {assists}", 1 + random.integer_below(35))
        }
        EventKind::Giveaway => format!("Giveaway by {player}"),
        EventKind::Takeaway => format!("Takeaway by {player}"),
        EventKind::Penalty => {
            format!("{player} {detail} against {}", first(event, EventRole::Against))
        }
        _ => detail.to_owned(),
    })
}
