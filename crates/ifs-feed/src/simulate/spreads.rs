//! Tests that simulated games have the statistics of real ones.
//!
//! The values were measured in 17 games in ESPN's words and ten in Hupu's (2024-25), in 84 play-off
//! games of 2013 and three of the WNBA, and in eight hockey games. The tolerances follow from that:
//! half a standard deviation for a mean, two standard errors for a share of this many lines.

use std::collections::BTreeSet;

use super::tests::games;
use super::*;
use crate::table::{Event, EventKind, EventRole};

fn count(plays: &[Event], holds: impl Fn(&Event) -> bool) -> i64 {
    plays.iter().filter(|event| holds(event)).count() as i64
}

fn has_kind(kind: EventKind) -> impl Fn(&Event) -> bool {
    move |event| event.kind == kind
}

fn was_made(event: &Event) -> bool {
    event.kind == EventKind::FieldGoal && event.made
}

fn points(plays: &[Event]) -> i64 {
    plays.iter().map(|event| event.points).sum()
}

fn by_player(plays: &[Event]) -> BTreeMap<&str, i64> {
    let mut points = BTreeMap::new();
    for event in plays.iter().filter(|event| event.scoring()) {
        *points.entry(event.player()).or_default() += event.points;
    }
    points
}

fn best_player(plays: &[Event]) -> i64 {
    by_player(plays).into_values().max().unwrap_or(0)
}

/// The number of players who share the most points.
fn top_scorers(plays: &[Event]) -> i64 {
    let most = best_player(plays);
    by_player(plays).into_values().filter(|points| *points == most).count() as i64
}

/// The score after each basket.
fn scores(game: &EventTable) -> impl Iterator<Item = [i64; 2]> {
    game.events.iter().filter(|event| event.scoring()).map(|event| event.score)
}

/// The most points of one side while the other had none.
fn longest_run(game: &EventTable) -> i64 {
    let (mut most, mut run, mut of) = (0, 0, None);
    for event in game.events.iter().filter(|event| event.scoring()) {
        run = if event.team == of { run + event.points } else { event.points };
        of = event.team;
        most = most.max(run);
    }
    most
}

/// The number of lead changes: ties, and the first lead, are not counted.
fn lead_changes(game: &EventTable) -> i64 {
    let leads = scores(game).map(|[away, home]| (away - home).signum()).filter(|lead| *lead != 0);
    let leads: Vec<i64> = leads.collect();
    leads.windows(2).filter(|pair| pair[0] != pair[1]).count() as i64
}

// ---- statistics of a period and of a game ---------------------------------------------------

/// Name, mean and standard deviation, as measured in real games.
type MeasuredSpread<T> = (&'static str, f64, f64, fn(&T) -> i64);

/// The values that differ from the measured ones: a mean by more than half a standard deviation, or
/// a spread outside of half to double.
fn deviations<T: ?Sized>(all: &[&T], measured: &[MeasuredSpread<T>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, mean, deviation, of) in measured {
        let numbers: Vec<f64> = all.iter().map(|one| of(one) as f64).collect();
        let ours = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let squares = numbers.iter().map(|one| (one - ours) * (one - ours)).sum::<f64>();
        let spread = (squares / numbers.len() as f64).sqrt();
        let near = (ours - mean).abs() <= deviation / 2.0;
        if !near || !(deviation / 2.0..=deviation * 2.0).contains(&spread) {
            wrong.push(format!("{name}: {ours:.2} / {spread:.2}, measured {mean} / {deviation}"));
        }
    }
    wrong
}

/// The plays of each period of regulation.
fn periods(games: &[EventTable]) -> Vec<&[Event]> {
    let of = |game| -> Vec<&[Event]> {
        let game: &EventTable = game;
        let whole = game.periods.iter().filter(|period| period.kind == PeriodKind::Regulation);
        whole.map(|period| game.plays(period)).collect()
    };
    games.iter().flat_map(of).collect()
}

fn assert_within_spread(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn basketball_has_the_numbers_of_real_games() {
    let games = games(SourceWording::EspnText, 150);
    assert_within_spread(&deviations(
        &periods(&games),
        &[
            ("events", 118.2, 13.2, |plays| plays.len() as i64),
            ("scoring events", 28.8, 5.5, |plays| count(plays, Event::scoring)),
            ("points", 55.7, 9.9, points),
            ("shots", 44.5, 5.2, |plays| count(plays, has_kind(EventKind::FieldGoal))),
            ("shots made", 20.7, 4.3, |plays| count(plays, was_made)),
            ("threes", 18.2, 3.7, |plays| count(plays, |event| event.worth == 3)),
            ("threes made", 6.2, 2.5, |plays| count(plays, |event| event.points == 3)),
            ("free throws", 10.6, 5.5, |plays| count(plays, has_kind(EventKind::FreeThrow))),
            ("free throws made", 8.1, 4.6, |plays| {
                count(plays, |event| event.kind == EventKind::FreeThrow && event.made)
            }),
            ("rebounds", 26.3, 4.8, |plays| count(plays, has_kind(EventKind::Rebound))),
            ("turnovers", 7.3, 3.0, |plays| count(plays, has_kind(EventKind::Turnover))),
            ("fouls", 9.2, 3.6, |plays| count(plays, has_kind(EventKind::Foul))),
            ("substitutions", 14.4, 4.6, |plays| count(plays, has_kind(EventKind::Substitution))),
            ("timeouts", 2.7, 1.0, |plays| count(plays, has_kind(EventKind::Timeout))),
            ("reviews", 0.7, 0.9, |plays| count(plays, has_kind(EventKind::Review))),
            ("violations", 0.5, 0.7, |plays| count(plays, has_kind(EventKind::Violation))),
            ("steals", 4.2, 2.2, |plays| {
                count(plays, |event| event.by(EventRole::Steal).next().is_some())
            }),
            ("blocks", 2.1, 1.4, |plays| {
                count(plays, |event| event.by(EventRole::Block).next().is_some())
            }),
            ("offensive rebounds", 8.7, 3.1, |plays| {
                count(plays, |event| {
                    event.kind == EventKind::Rebound && &*event.detail == "offensive"
                })
            }),
            ("team rebounds", 4.6, 2.4, |plays| {
                count(plays, |event| event.kind == EventKind::Rebound && event.player().is_empty())
            }),
            ("points of the best", 9.9, 2.7, best_player),
            ("players tied for the most", 1.2, 0.5, top_scorers),
            ("players with points", 12.6, 1.9, |plays| by_player(plays).len() as i64),
        ],
    ));
}

/// Hupu has no steals, blocks and team rebounds, one line for all substitutions, and not all missed
/// free throws.
#[test]
fn basketball_in_chinese_has_the_numbers_of_real_games() {
    let games = games(SourceWording::HupuText, 150);
    assert_within_spread(&deviations(
        &periods(&games),
        &[
            ("events", 104.5, 10.7, |plays| plays.len() as i64),
            ("scoring events", 28.9, 4.6, |plays| count(plays, Event::scoring)),
            ("points", 55.4, 9.5, points),
            ("shots", 42.9, 3.6, |plays| count(plays, has_kind(EventKind::FieldGoal))),
            ("shots made", 20.0, 4.5, |plays| count(plays, was_made)),
            ("threes", 17.6, 3.8, |plays| count(plays, |event| event.worth == 3)),
            ("threes made", 6.5, 2.8, |plays| count(plays, |event| event.points == 3)),
            ("free throws", 10.0, 4.3, |plays| count(plays, has_kind(EventKind::FreeThrow))),
            ("free throws made", 8.9, 4.0, |plays| {
                count(plays, |event| event.kind == EventKind::FreeThrow && event.made)
            }),
            ("rebounds", 20.8, 4.1, |plays| count(plays, has_kind(EventKind::Rebound))),
            ("turnovers", 7.0, 2.6, |plays| count(plays, has_kind(EventKind::Turnover))),
            ("fouls", 8.9, 2.9, |plays| count(plays, has_kind(EventKind::Foul))),
            ("substitutions", 10.1, 2.0, |plays| count(plays, has_kind(EventKind::Substitution))),
            ("violations", 0.3, 0.5, |plays| count(plays, has_kind(EventKind::Violation))),
            ("points of the best", 10.6, 3.8, best_player),
            ("players tied for the most", 1.3, 0.6, top_scorers),
            ("players with points", 11.6, 1.9, |plays| by_player(plays).len() as i64),
        ],
    ));
}

#[test]
fn whole_games_have_the_numbers_of_real_ones() {
    let games = games(SourceWording::EspnText, 150);
    let all: Vec<&EventTable> = games.iter().collect();
    assert_within_spread(&deviations(
        &all,
        &[
            ("margin", 10.6, 5.6, |game| {
                scores(game).last().map_or(0, |[away, home]| (away - home).abs())
            }),
            ("points of both", 222.8, 20.5, |game| points(&game.events)),
            ("points of a team", 111.4, 14.5, |game| game.score()[0]),
            ("lead changes", 8.1, 5.4, lead_changes),
            ("times tied", 5.7, 3.5, |game| {
                scores(game).filter(|[one, two]| one == two).count() as i64
            }),
            ("biggest lead", 16.8, 5.2, |game| {
                scores(game).map(|[away, home]| (away - home).abs()).max().unwrap_or(0)
            }),
            ("longest run", 10.8, 2.1, longest_run),
            ("points of the best", 29.1, 5.9, |game| best_player(&game.events)),
            ("players with points", 18.7, 1.4, |game| by_player(&game.events).len() as i64),
        ],
    ));
}

#[test]
fn hockey_has_the_numbers_of_real_games() {
    let games = games(SourceWording::EspnHockeyText, 150);
    assert_within_spread(&deviations(
        &periods(&games),
        &[
            ("events", 109.0, 13.9, |plays| plays.len() as i64),
            ("goals", 2.0, 1.1, |plays| count(plays, has_kind(EventKind::Goal))),
            ("faceoffs", 19.4, 3.9, |plays| count(plays, has_kind(EventKind::Faceoff))),
            ("hits", 17.8, 7.4, |plays| count(plays, has_kind(EventKind::Hit))),
            ("saved", 15.9, 4.1, |plays| {
                count(plays, |event| {
                    event.kind == EventKind::Shot && event.by(EventRole::Goalie).next().is_some()
                })
            }),
            ("blocked", 10.0, 3.0, |plays| {
                count(plays, |event| event.by(EventRole::Block).next().is_some())
            }),
            ("missed", 10.7, 3.1, |plays| {
                count(plays, |event| event.kind == EventKind::Shot && event.actors.len() == 1)
            }),
            ("giveaways", 9.5, 3.6, |plays| count(plays, has_kind(EventKind::Giveaway))),
            ("takeaways", 3.4, 2.2, |plays| count(plays, has_kind(EventKind::Takeaway))),
            ("penalties", 2.4, 2.0, |plays| count(plays, has_kind(EventKind::Penalty))),
            ("stoppages", 15.4, 3.0, |plays| count(plays, has_kind(EventKind::Stoppage))),
            ("players at faceoffs", 11.2, 1.6, |plays| at_faceoffs(plays).len() as i64),
            ("most faceoffs of one player", 8.1, 2.2, |plays| {
                at_faceoffs(plays).into_values().max().unwrap_or(0)
            }),
        ],
    ));
    let sides: Vec<(&EventTable, usize)> =
        games.iter().flat_map(|game| [(game, 0), (game, 1)]).collect();
    let sides: Vec<&(&EventTable, usize)> = sides.iter().collect();
    assert_within_spread(&deviations(
        &sides,
        &[("goals of a team", 3.0, 1.5, |(game, side)| game.score()[*side])],
    ));
    let all: Vec<&EventTable> = games.iter().collect();
    assert_within_spread(&deviations(&all, &[("lead changes", 0.4, 0.5, lead_changes)]));
    let goals: Vec<&Event> = (games.iter().flat_map(|game| &game.events))
        .filter(|event| event.kind == EventKind::Goal)
        .collect();
    let mut wrong = Vec::new();
    for (helpers, measured) in [(2, 37.0), (1, 7.0), (0, 4.0)] {
        let with =
            goals.iter().filter(|goal| goal.by(EventRole::Assist).count() == helpers).count();
        let of = (with as f64, goals.len() as f64);
        wrong.extend(share(&format!("{helpers} assists"), of, measured / 48.0, 48.0));
    }
    assert_within_spread(&wrong);
}

fn at_faceoffs(plays: &[Event]) -> BTreeMap<&str, i64> {
    let mut taken: BTreeMap<&str, i64> = BTreeMap::new();
    for event in plays.iter().filter(|event| event.kind == EventKind::Faceoff) {
        *taken.entry(event.player()).or_default() += 1;
        *taken.entry(event.by(EventRole::Against).next().unwrap_or("")).or_default() += 1;
    }
    taken
}

// ---- shares ------------------------------------------------------------------------

/// A share that differs by more than two standard errors from the measured one.
fn share(name: &str, (part, whole): (f64, f64), measured: f64, of: f64) -> Option<String> {
    let ours = part / whole;
    let error = 2.0 * (measured * (1.0 - measured) / of).sqrt();
    // Shares were recorded in hundredths, or in tenths of them.
    let off = (ours - measured).abs() > error + 0.005;
    off.then(|| format!("{name}: {ours:.3}, measured {measured:.3} +- {error:.3}"))
}

/// The number of measured periods.
const MEASURED_PERIODS: f64 = 68.0;

#[test]
fn shares_match_real_games() {
    type Holds = fn(&Event) -> bool;
    /// The event, its population, its share, and the count per measured quarter.
    type Share = (&'static str, Holds, Holds, f64, f64);
    const SHARES: [Share; 8] = [
        ("twos made", was_made, |event| event.worth == 2, 0.554, 26.3),
        ("threes made", was_made, |event| event.worth == 3, 0.338, 18.2),
        (
            "free throws made",
            |event| event.made,
            |event| event.kind == EventKind::FreeThrow,
            0.765,
            10.6,
        ),
        (
            "threes among shots",
            |event| event.worth == 3,
            |event| event.kind == EventKind::FieldGoal,
            0.41,
            44.5,
        ),
        (
            "with assist",
            |event| event.by(EventRole::Assist).next().is_some(),
            was_made,
            0.635,
            20.7,
        ),
        ("baskets that are free throws", |event| event.points == 1, Event::scoring, 0.28, 28.8),
        ("baskets that are threes", |event| event.points == 3, Event::scoring, 0.21, 28.8),
        ("baskets that are twos", |event| event.points == 2, Event::scoring, 0.50, 28.8),
    ];
    let games = games(SourceWording::EspnText, 150);
    let plays = || games.iter().flat_map(|game| &game.events);
    let mut wrong = Vec::new();
    for (name, part, whole, measured, number) in SHARES {
        let of = plays().filter(|event| whole(event));
        let (mut parts, mut all) = (0.0, 0.0);
        for event in of {
            all += 1.0;
            parts += if part(event) { 1.0 } else { 0.0 };
        }
        wrong.extend(share(name, (parts, all), measured, MEASURED_PERIODS * number));
    }
    // And-ones, 4.35 times a game, in 17 games, with their probability.
    let ones = plays().filter(|event| &*event.detail == "free throw 1 of 1").count() as f64;
    let (ones, error) = (ones / games.len() as f64, 2.0 * (4.35_f64 / 17.0).sqrt());
    if (ones - 4.35).abs() > error {
        wrong.push(format!("and-ones: {ones:.2} a game, measured 4.35 +- {error:.2}"));
    }
    assert_within_spread(&wrong);
}

/// Shots made, by distance if the sentence gives it.
#[test]
fn distant_shots_are_made_less_often() {
    /// Feet, percent, and the number of shots.
    const MADE_SHARES: [(i64, i64, f64, f64); 11] = [
        (0, 2, 79.0, 218.0),
        (3, 5, 64.0, 168.0),
        (6, 8, 62.0, 143.0),
        (9, 11, 59.0, 145.0),
        (12, 14, 46.0, 120.0),
        (15, 17, 38.0, 96.0),
        (18, 20, 41.0, 61.0),
        (21, 23, 37.0, 331.0),
        (24, 26, 33.0, 710.0),
        (27, 29, 30.0, 171.0),
        (30, 32, 26.0, 42.0),
    ];
    let games = games(SourceWording::EspnText, 150);
    let feet = |event: &Event| event.detail.split_once("-foot")?.0.parse::<i64>().ok();
    let shots: Vec<(i64, bool)> = (games.iter().flat_map(|game| &game.events))
        .filter(|event| event.kind == EventKind::FieldGoal)
        .filter_map(|event| Some((feet(event)?, event.made)))
        .collect();
    let all = shots.len() as f64;
    let real: f64 = MADE_SHARES.iter().map(|(.., of)| of).sum();
    let mut wrong = Vec::new();
    for (low, high, percent, of) in MADE_SHARES {
        let band: Vec<bool> = (shots.iter())
            .filter(|(feet, _)| (low..=high).contains(feet))
            .map(|(_, made)| *made)
            .collect();
        let made = band.iter().filter(|made| **made).count() as f64;
        let name = format!("{low} to {high} feet");
        wrong.extend(share(
            &format!("made from {name}"),
            (made, band.len() as f64),
            percent / 100.0,
            of,
        ));
        wrong.extend(share(&name, (band.len() as f64, all), of / real, real));
    }
    assert_within_spread(&wrong);
}

// ---- lines and their successors ---------------------------------------------------------

fn line(event: &Event) -> &'static str {
    match (&event.kind, event.made) {
        (EventKind::FieldGoal, true) => "shot made",
        (EventKind::FieldGoal, false) => "shot missed",
        (EventKind::FreeThrow, true) => "throw made",
        (EventKind::FreeThrow, false) => "throw missed",
        (EventKind::Rebound, _) => "rebound",
        (EventKind::Substitution, _) => "substitution",
        (EventKind::Foul, _) => "foul",
        (EventKind::Turnover, _) => "turnover",
        (EventKind::Timeout, _) => "timeout",
        (EventKind::PeriodEnd, _) => "end",
        (EventKind::Review, _) => "review",
        (EventKind::Violation, _) => "violation",
        (EventKind::JumpBall, _) => "jump ball",
        (EventKind::GameEnd, _) => "end of the game",
        _ => "other",
    }
}

/// Percentages of all lines.
#[test]
fn lines_are_those_of_real_games() {
    const LINE_SHARES: [(&[&str], f64); 12] = [
        (&["shot made", "shot missed"], 37.6),
        (&["rebound"], 22.2),
        (&["substitution"], 12.2),
        (&["throw made", "throw missed"], 9.0),
        (&["foul"], 7.8),
        (&["turnover"], 6.2),
        (&["timeout"], 2.2),
        (&["end"], 0.9),
        (&["review"], 0.6),
        (&["violation"], 0.4),
        (&["jump ball"], 0.4),
        (&["end of the game"], 0.2),
    ];
    let games = games(SourceWording::EspnText, 150);
    let lines: Vec<&str> = games.iter().flat_map(|game| &game.events).map(line).collect();
    let mut wrong = Vec::new();
    for (kinds, percent) in LINE_SHARES {
        let found = lines.iter().filter(|line| kinds.contains(line)).count() as f64;
        let of = (found, lines.len() as f64);
        wrong.extend(share(kinds[0], of, percent / 100.0, MEASURED_PERIODS * 118.2));
    }
    assert_within_spread(&wrong);
}

/// The next line, by frequency.
#[test]
fn lines_follow_one_another_as_in_real_games() {
    /// A line, its count per quarter, and its successors.
    type After = (&'static str, f64, &'static [(&'static str, f64)]);
    const FOLLOWING_EVENTS: [After; 8] = [
        (
            "shot made",
            20.7,
            &[
                ("shot missed", 0.36),
                ("shot made", 0.28),
                ("foul", 0.16),
                ("turnover", 0.09),
                ("timeout", 0.07),
            ],
        ),
        ("shot missed", 23.8, &[("rebound", 1.0)]),
        (
            "rebound",
            26.3,
            &[
                ("shot missed", 0.35),
                ("shot made", 0.31),
                ("foul", 0.13),
                ("turnover", 0.10),
                ("substitution", 0.04),
            ],
        ),
        (
            "foul",
            9.2,
            &[
                ("throw missed", 0.15),
                ("substitution", 0.17),
                ("turnover", 0.08),
                ("shot missed", 0.06),
            ],
        ),
        (
            "turnover",
            7.3,
            &[
                ("shot made", 0.36),
                ("shot missed", 0.27),
                ("foul", 0.12),
                ("turnover", 0.10),
                ("substitution", 0.09),
            ],
        ),
        ("timeout", 2.7, &[("substitution", 0.61)]),
        (
            "substitution",
            14.4,
            &[
                ("substitution", 0.48),
                ("shot missed", 0.14),
                ("throw made", 0.13),
                ("shot made", 0.12),
                ("foul", 0.05),
            ],
        ),
        ("throw missed", 2.5, &[("rebound", 0.99), ("substitution", 0.01)]),
    ];
    let games = games(SourceWording::EspnText, 150);
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for pair in games.iter().flat_map(|game| game.events.windows(2)) {
        next.entry(line(&pair[0])).or_default().push(line(&pair[1]));
    }
    let mut wrong = Vec::new();
    for (before, number, after) in FOLLOWING_EVENTS {
        let found = &next[before];
        for (what, measured) in after {
            let count = found.iter().filter(|line| *line == what).count() as f64;
            let name = format!("{what} after {before}");
            wrong.extend(share(
                &name,
                (count, found.len() as f64),
                *measured,
                MEASURED_PERIODS * number,
            ));
        }
    }
    assert_within_spread(&wrong);
}

// ---- time between lines ----------------------------------------------------------------

/// The percentage of lines at the time of the previous line; and the 25th, 50th, 75th, 95th and
/// 100th percentile of the seconds between lines.
fn gaps(games: &[EventTable]) -> (f64, [i64; 5]) {
    let mut gaps: Vec<i64> = Vec::new();
    for game in games {
        for period in &game.periods {
            let pairs = game.plays(period).windows(2);
            gaps.extend(pairs.map(|pair| (pair[1].time - pair[0].time) / 1000));
        }
    }
    gaps.sort_unstable();
    let at = |percent: usize| gaps[(gaps.len() - 1) * percent / 100];
    let zero = gaps.iter().filter(|gap| **gap == 0).count();
    (100.0 * zero as f64 / gaps.len() as f64, [25, 50, 75, 95, 100].map(at))
}

/// Between the minimum and the maximum over the four leagues and seasons that were measured.
#[test]
fn time_passes_between_lines_as_in_real_games() {
    let least = (24.0, [0, 2, 10, 20, 29]);
    let most = (34.0, [1, 4, 13, 22, 37]);
    let (zero, ours) = gaps(&games(SourceWording::EspnText, 150));
    assert!((least.0..=most.0).contains(&zero), "{zero:.1} % at one time");
    for (at, gap) in ours.into_iter().enumerate() {
        assert!((least.1[at]..=most.1[at]).contains(&gap), "{ours:?}");
    }
    // Hockey was measured once: 20 % of 2,616 lines, and seconds with a tolerance of one in ten.
    let (zero, ours) = gaps(&games(SourceWording::EspnHockeyText, 150));
    assert_eq!(share("at one time", (zero, 100.0), 0.20, 2616.0), None);
    for (gap, measured) in ours.into_iter().zip([2_i64, 6, 16, 39, 112]) {
        assert!((gap - measured).abs() <= measured / 10, "{ours:?}");
    }
}

/// An offensive foul is two lines; free throws are at one time; a quarter ends at zero.
#[test]
fn lines_belong_together() {
    for game in games(SourceWording::EspnText, 50) {
        for pair in game.events.windows(2) {
            if &*pair[0].detail == "offensive foul" {
                assert_eq!(
                    (&pair[1].kind, pair[1].player()),
                    (&EventKind::Turnover, pair[0].player())
                );
            }
            if pair[0].kind == EventKind::Turnover && &*pair[0].detail == "shot clock turnover" {
                assert_eq!(pair[0].team, None);
            }
        }
        let throws: BTreeSet<(u32, i64, &str)> = (game.events.iter())
            .filter(|event| event.detail.starts_with("free throw 2"))
            .map(|event| (event.period, event.time, event.player()))
            .collect();
        for throw in throws {
            let first = game.events.iter().any(|event| {
                event.detail.starts_with("free throw 1")
                    && (event.period, event.time, event.player()) == throw
            });
            assert!(first, "{throw:?}");
        }
        for period in &game.periods {
            let end = game.plays(period).iter().find(|event| event.kind == EventKind::PeriodEnd);
            assert_eq!(end.map(|end| end.time), Some(period.start + period.length));
        }
    }
}
