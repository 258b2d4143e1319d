//! Simulated games are valid, and can be read back.

use super::*;
use crate::table::Event;
use crate::{FeedSchema, FeedTables, detect_reader, find};

pub fn simulated(wording: SourceWording, cases: &[RareCase]) -> SimulatedSport {
    SimulatedSport { wording, cases: cases.to_vec() }
}

pub fn games(wording: SourceWording, count: u64) -> Vec<EventTable> {
    (0..count).map(|number| simulated(wording, &[]).game(7, "games", number).unwrap()).collect()
}

/// Reads a game back from the log of its wording.
fn read_back(game: &EventTable, wording: SourceWording) -> FeedTables {
    let log = written(game, wording);
    let reader = find(wording.reader()).expect("a reader");
    let guessed = detect_reader(log.as_bytes()).expect("a text");
    assert_eq!(guessed.map(|reader| reader.name), Some(reader.name));
    let read = reader.read(&game.name, log.as_bytes(), None, &FeedSchema::default());
    read.unwrap_or_else(|fault| panic!("{}: {fault:?}", game.name))
}

/// A play as a log has it, which has no score of its own and omits some details.
fn play(event: &Event) -> impl PartialEq + std::fmt::Debug {
    (
        (event.period, event.clock.to_string(), event.time, event.kind.clone(), event.team),
        (event.points, event.worth, event.made, event.score, event.text.to_string()),
        (event.actors.len(), event.player().to_owned()),
    )
}

/// A recorded game is read back as the same game.
#[test]
fn every_wording_round_trips() {
    for wording in SourceWording::ALL {
        for game in games(wording, 12) {
            let read = read_back(&game, wording);
            let [found] = read.tables.as_slice() else { panic!("one game") };
            for (ours, theirs) in game.events.iter().zip(&found.events) {
                assert_eq!(play(ours), play(theirs), "{}", game.name);
            }
            assert_eq!(game.events.len(), found.events.len());
            assert_eq!(game.periods, found.periods);
            for (ours, theirs) in game.teams.iter().zip(&found.teams) {
                assert_eq!((&ours.name, &ours.players), (&theirs.name, &theirs.players));
            }
        }
    }
}

/// A log has no notices except those that are inherent in the game.
#[test]
fn no_other_quirks_are_reported() {
    use crate::QuirkKind;
    for wording in SourceWording::ALL {
        let mut seen = Vec::new();
        for game in games(wording, 12) {
            seen.extend(read_back(&game, wording).notices.into_iter().map(|notice| notice.kind));
        }
        seen.retain(|kind| {
            !matches!(kind, QuirkKind::Overtime | QuirkKind::SilentThree | QuirkKind::Twice)
        });
        assert!(seen.is_empty(), "{wording:?}: {seen:?}");
    }
}

#[test]
fn requested_rare_cases_occur() {
    for wording in SourceWording::ALL {
        for case in RareCase::ALL.into_iter().filter(|case| case.happens_in(wording)) {
            for number in 0..5 {
                let game = simulated(wording, &[case]).game(1, "games", number).unwrap();
                assert!(case.holds(&game), "{case:?} in {wording:?}");
            }
        }
    }
    let both = simulated(
        SourceWording::EspnText,
        &[RareCase::Overtime, RareCase::TieAtBreak, RareCase::TiedTop],
    );
    let game = both.game(1, "games", 0).unwrap();
    assert!(both.cases.iter().all(|case| case.holds(&game)));
}

#[test]
fn games_without_the_requested_cases_are_rejected() {
    let overtime =
        |game: &EventTable| game.periods.iter().any(|period| period.kind == PeriodKind::Overtime);
    let mut seen = [0, 0];
    for number in 0..60 {
        let plain = simulated(SourceWording::EspnHockeyText, &[]).game(1, "games", number).unwrap();
        let asked = simulated(SourceWording::EspnHockeyText, &[RareCase::Overtime]);
        // The only draft of the game is the same.
        assert_eq!(asked.game_within(1, 1, "games", number).is_some(), overtime(&plain));
        seen[usize::from(overtime(&plain))] += 1;
    }
    assert!(seen.iter().all(|games| *games > 0), "{seen:?}");
}

#[test]
fn a_game_is_a_function_of_its_seed() {
    let of = |seed, number| simulated(SourceWording::EspnText, &[]).game(seed, "", number).unwrap();
    assert_eq!(of(7, 3), of(7, 3));
    assert_ne!(of(7, 3).events, of(8, 3).events);
    assert_ne!(of(7, 3).events, of(7, 4).events);
    // Part of edition 1: a change here changes every simulated game.
    let scores: Vec<[i64; 2]> = (0..3).map(|number| of(7, number).score()).collect();
    assert_eq!(scores, [[123, 107], [112, 111], [101, 98]]);
}
