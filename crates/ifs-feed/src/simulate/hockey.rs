//! An ice hockey game, play by play, fitted to games of 2024-25: a period has about 18 hits, 16
//! saves, 10 blocked and 11 missed shots, 19 faceoffs and 2 goals.

use std::sync::Arc;

use super::random_stream::RandomStream;
use super::{names, sentences};
use crate::finish::TableDraft;
use crate::reader::overtime;
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport};

const PERIOD: i64 = 1_200_000;
/// Skaters of a side, of whom the first are centres; the last player is the goalie.
const SKATERS: usize = 18;
/// How often each centre, and sometimes a wing, takes the faceoffs.
const FACEOFF_SHARES: [u64; 7] = [30, 24, 19, 13, 7, 4, 3];

/// The events between stoppages, by frequency.
const PLAY_SHARES: [(HockeyPlay, u64); 9] = [
    (HockeyPlay::Hit, 178),
    (HockeyPlay::Saved, 159),
    (HockeyPlay::Blocked, 100),
    (HockeyPlay::Wide, 107),
    (HockeyPlay::Giveaway, 95),
    (HockeyPlay::Takeaway, 34),
    (HockeyPlay::Goal, 20),
    (HockeyPlay::Penalty, 24),
    (HockeyPlay::Stop, 84),
];

#[derive(Clone, Copy)]
enum HockeyPlay {
    Hit,
    Saved,
    Blocked,
    Wide,
    Giveaway,
    Takeaway,
    Goal,
    Penalty,
    Stop,
}

/// Milliseconds between plays: the minimum, the mean beyond the first second, and the maximum.
const MIN_PAUSE: i64 = 2_000;
const MEAN_PAUSE: i64 = 14_200;
const MAX_PAUSE: i64 = 112_000;

const SHOTS: [&str; 6] =
    ["Wrist Shot", "Snap Shot", "Slap Shot", "Backhand", "Tip-In", "Wrist Shot"];
const STOPPAGE_NAMES: [&str; 6] =
    ["Icing", "Off-side", "Puck in Netting", "Puck Frozen - Goalie", "Puck in Benches", "Off-side"];
const PENALTIES: [&str; 6] =
    ["Hooking", "Holding", "Tripping", "Slashing", "Roughing", "Interference"];

struct HockeyGame<'r> {
    draft: TableDraft,
    random: &'r mut RandomStream,
    period: u32,
    /// Milliseconds since the period began.
    clock: i64,
    score: [i64; 2],
}

pub fn draft(name: &str, random: &mut RandomStream) -> TableDraft {
    let mut draft = TableDraft::new(name, Sport::Hockey, Clocking::Up);
    draft.teams = names::teams(SKATERS + 1, false, random);
    draft.length = Some(PERIOD);
    let mut game = HockeyGame { draft, random, period: 0, clock: 0, score: [0, 0] };
    loop {
        game.period += 1;
        game.period();
        if game.period >= 3 && game.score[0] != game.score[1] {
            break;
        }
    }
    game.push_event(EventKind::GameEnd, None, Vec::new(), "Game End");
    let mut draft = game.draft;
    // Overtime lasts until someone scores; its possible length is computed as for a log.
    draft.overtime = overtime(&draft);
    draft
}

impl HockeyGame<'_> {
    fn period(&mut self) {
        self.clock = 0;
        let name = match self.period {
            1 => "1st Period".to_owned(),
            2 => "2nd Period".to_owned(),
            3 => "3rd Period".to_owned(),
            _ => "Overtime".to_owned(),
        };
        self.push_event(EventKind::PeriodStart, None, Vec::new(), &format!("Start of {name}"));
        self.faceoff();
        loop {
            let wait = (1_000 + self.random.wait(MEAN_PAUSE)).clamp(MIN_PAUSE, MAX_PAUSE);
            self.clock = (self.clock + wait) / 1000 * 1000;
            if self.clock >= PERIOD {
                break;
            }
            let play =
                PLAY_SHARES[self.random.weighed(PLAY_SHARES.iter().map(|(_, share)| *share))].0;
            self.play(play);
            let decided = self.score[0] != self.score[1];
            if self.period > 3 && decided {
                break;
            }
        }
        self.clock = self.clock.min(PERIOD);
        self.push_event(EventKind::PeriodEnd, None, Vec::new(), &format!("End of {name}"));
    }

    fn play(&mut self, play: HockeyPlay) {
        let side = self.random.integer_below(2) as usize;
        let other = 1 - side;
        let (who, whom) = (self.skater(), self.skater());
        let player = self.named(side, who, EventRole::Player);
        let goalie = self.named(other, SKATERS, EventRole::Goalie);
        let shot = *self.random.pick(&SHOTS);
        match play {
            HockeyPlay::Hit => {
                let people = vec![player, self.named(other, whom, EventRole::Against)];
                self.push_event(EventKind::Hit, Some(side), people, "hit");
            }
            HockeyPlay::Saved => {
                self.attempt(side, vec![player, goalie], shot);
                if self.random.thousandth(370) {
                    let soon = self.clock + 1_000 * self.random.integer_between(1, 2);
                    self.clock = soon.min(PERIOD);
                    self.stop("Goalie Stopped");
                }
            }
            HockeyPlay::Blocked => {
                let people = vec![player, self.named(other, whom, EventRole::Block)];
                self.attempt(side, people, "shot blocked by");
            }
            HockeyPlay::Wide => self.attempt(side, vec![player], shot),
            HockeyPlay::Giveaway => {
                self.push_event(EventKind::Giveaway, Some(side), vec![player], "")
            }
            HockeyPlay::Takeaway => {
                self.push_event(EventKind::Takeaway, Some(side), vec![player], "")
            }
            HockeyPlay::Goal => self.goal(side, who, player, shot),
            HockeyPlay::Penalty => {
                let how = *self.random.pick(&PENALTIES);
                let people = vec![player, self.named(other, whom, EventRole::Against)];
                self.push_event(EventKind::Penalty, Some(side), people, how);
                self.faceoff();
            }
            HockeyPlay::Stop => {
                let how = *self.random.pick(&STOPPAGE_NAMES);
                self.stop(how);
            }
        }
    }

    fn attempt(&mut self, side: usize, people: Vec<Actor>, how: &str) {
        self.push_event(EventKind::Shot, Some(side), people, how);
    }

    fn goal(&mut self, side: usize, who: usize, player: Actor, shot: &str) {
        let helpers = match self.random.integer_below(1000) {
            0..770 => 2,
            770..916 => 1,
            _ => 0,
        };
        let others: Vec<usize> = (0..SKATERS).filter(|skater| *skater != who).collect();
        let mut people = vec![player];
        for helper in self.random.several(&others, helpers) {
            people.push(self.named(side, helper, EventRole::Assist));
        }
        let mut event = self.event(EventKind::Goal, Some(side), people, shot);
        event.shot(EventKind::Goal, 1, true);
        self.score[side] += 1;
        self.write(event);
        if self.period <= 3 {
            self.faceoff();
        }
    }

    fn stop(&mut self, how: &str) {
        self.push_event(EventKind::Stoppage, None, Vec::new(), how);
        self.faceoff();
    }

    fn faceoff(&mut self) {
        let side = self.random.integer_below(2) as usize;
        let centre = |random: &mut RandomStream| random.weighed(FACEOFF_SHARES.into_iter());
        let (winner, loser) = (centre(self.random), centre(self.random));
        let people = vec![
            self.named(side, winner, EventRole::Player),
            self.named(1 - side, loser, EventRole::Against),
        ];
        self.push_event(EventKind::Faceoff, Some(side), people, "faceoff won against");
    }

    /// Any player except the goalie.
    fn skater(&mut self) -> usize {
        self.random.integer_below(SKATERS as u64) as usize
    }

    fn named(&self, side: usize, player: usize, role: EventRole) -> Actor {
        Actor { name: Arc::clone(&self.draft.teams[side].players[player]), role }
    }

    fn push_event(
        &mut self,
        kind: EventKind,
        side: Option<usize>,
        people: Vec<Actor>,
        detail: &str,
    ) {
        let event = self.event(kind, side, people, detail);
        self.write(event);
    }

    fn event(
        &self,
        kind: EventKind,
        side: Option<usize>,
        people: Vec<Actor>,
        detail: &str,
    ) -> Event {
        let seconds = self.clock / 1000;
        let shown = format!("{}:{:02}", seconds / 60, seconds % 60);
        let mut event = Event::new(self.period, &shown, self.clock, self.draft.events.len() + 1);
        event.kind = kind;
        event.team = side.and_then(|side| u8::try_from(side).ok());
        event.actors = people;
        event.detail = Arc::from(detail);
        event
    }

    fn write(&mut self, mut event: Event) {
        event.text = sentences::hockey(&event, self.random);
        self.draft.events.push(event);
    }
}
