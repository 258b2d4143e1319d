//! Tests that simulated games are plausible: which shots are made, who assists, who may continue
//! playing.
//!
//! The rates were counted in five games in ESPN's words and four in Hupu's.

use super::tests::games;
use super::*;
use crate::table::{Event, EventKind, EventRole, EventTable};

/// The name of a shot, without its distance.
fn shot_name(event: &Event) -> &str {
    event.detail.split_once("-foot ").map_or(&*event.detail, |(_, name)| name)
}

fn shots(games: &[EventTable]) -> impl Iterator<Item = &Event> {
    let events = games.iter().flat_map(|game| &game.events);
    events.filter(|event| event.kind == EventKind::FieldGoal)
}

/// The number of shots, of those made, and of those made with an assist.
fn counts(games: &[EventTable], holds: impl Fn(&str) -> bool) -> (f64, f64, f64) {
    let (mut all, mut made, mut helped) = (0.0, 0.0, 0.0);
    for event in shots(games).filter(|event| holds(shot_name(event))) {
        all += 1.0;
        made += f64::from(event.made);
        helped += f64::from(event.made && event.by(EventRole::Assist).next().is_some());
    }
    (all, made, helped)
}

#[test]
fn shot_kinds_are_consistent() {
    let games = games(SourceWording::EspnText, 100);
    // Dunks: 54 of 60 were made, 46 of them with an assist; driving dunks have none.
    let (all, made, _) = counts(&games, |name| name.contains("dunk"));
    assert!(all > 500.0 && made / all > 0.85, "{made} dunks of {all}");
    // Tip shots: 11 of 15 were made, without assists.
    let (all, made, helped) = counts(&games, |name| name == "tip shot");
    assert!(all > 100.0 && (0.6..0.85).contains(&(made / all)), "{made} tip shots of {all}");
    assert_eq!(helped, 0.0);
    // Step-backs for two: 9 of 23, one of them assisted; for three, none assisted.
    let (all, made, helped) = counts(&games, |name| name == "step back jumpshot");
    assert!(all > 100.0 && made / all < 0.6 && helped / made < 0.3, "{helped} of {made} of {all}");
    let (_, made, helped) = counts(&games, |name| name == "three point step back jumpshot");
    assert!(made > 50.0 && helped == 0.0);
    // A made pull-up three has another name.
    assert_eq!(counts(&games, |name| name == "three point pullup jump shot").1, 0.0);
}

#[test]
fn a_tip_shot_follows_a_rebound_of_the_same_player() {
    for game in games(SourceWording::EspnText, 50) {
        for pair in game.events.windows(2).filter(|pair| shot_name(&pair[1]) == "tip shot") {
            assert_eq!((&pair[0].kind, pair[0].player()), (&EventKind::Rebound, pair[1].player()));
        }
    }
}

/// Goaltending on a falling ball awards the points, so the shot counts, and it was a two.
#[test]
fn goaltending_applies_to_made_twos() {
    let mut seen = 0;
    for wording in [SourceWording::EspnText, SourceWording::HupuText] {
        for game in games(wording, 60) {
            for pair in game.events.windows(2) {
                if pair[1].text.contains("goaltending") || pair[1].text.contains("干扰球") {
                    seen += 1;
                    assert_eq!((pair[0].points, pair[0].time), (2, pair[1].time));
                    assert_ne!(pair[0].team.zip(pair[1].team).map(|(a, b)| a == b), Some(true));
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn players_leave_with_six_fouls() {
    let mut out = 0;
    for game in games(SourceWording::EspnText, 150) {
        let mut fouls: BTreeMap<&str, u32> = BTreeMap::new();
        for event in &game.events {
            let gone = fouls.get(event.player()).is_some_and(|count| *count >= 6);
            let helps = event.actors.iter().filter(|actor| actor.role != EventRole::Out);
            for actor in helps {
                let named = fouls.get(&*actor.name).is_some_and(|count| *count >= 6);
                // The turnover belongs to the player who committed the foul.
                assert!(
                    !named || event.kind == EventKind::Turnover,
                    "{}: {}",
                    game.name,
                    event.text
                );
            }
            if event.kind == EventKind::Foul && !event.detail.starts_with("technical") {
                *fouls.entry(event.player()).or_default() += 1;
                assert!(!gone, "{}: {}", game.name, event.text);
            }
        }
        out += fouls.values().filter(|count| **count == 6).count();
        assert!(fouls.values().all(|count| *count <= 6));
    }
    // It occurs, but not in every game.
    assert!((5..120).contains(&out), "{out}");
}

/// Hupu: 13 of 110 turnovers are offensive fouls, each in one line.
#[test]
fn fouls_of_the_own_side_in_chinese() {
    let games = games(SourceWording::HupuText, 100);
    let events = || games.iter().flat_map(|game| &game.events);
    let all = events().filter(|event| event.kind == EventKind::Turnover).count() as f64;
    let own = events().filter(|event| event.text.contains("失误(进攻犯规)")).count() as f64;
    assert!((0.08..0.16).contains(&(own / all)), "{own} of {all}");
    assert!(
        !events()
            .any(|event| event.text.ends_with("个人犯规") && event.detail.contains("offensive"))
    );
    let kinds = ["传球失误", "界外", "丢球", "走步违例", "24秒违例"];
    for kind in kinds {
        assert!(events().any(|event| event.text.contains(&format!("失误({kind})"))), "{kind}");
    }
}

#[test]
fn goalkeepers_keep_their_goal() {
    for game in games(SourceWording::EspnHockeyText, 60) {
        for team in &game.teams {
            let keeper = team.players.last().expect("a squad");
            for event in &game.events {
                let other = event.actors.iter().filter(|actor| actor.name == *keeper);
                let mut other = other.filter(|actor| actor.role != EventRole::Goalie);
                assert!(other.next().is_none(), "{}: {}", game.name, event.text);
            }
        }
    }
}
