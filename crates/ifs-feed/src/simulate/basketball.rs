//! A basketball game, play by play.
//!
//! Shares are in thousandths, and fitted to games of 2024-25: a quarter has about 44 shots, 41 % of
//! them threes, 7 turnovers, 9 fouls, 10 free throws and 14 substitutions. A test compares them
//! with the measured ranges.

use std::sync::Arc;

use super::random_stream::RandomStream;
use super::{SourceWording, names, sentences};
use crate::finish::TableDraft;
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport};

const QUARTER_MILLISECONDS: i64 = 720_000;
const OVERTIME_MILLISECONDS: i64 = 300_000;
/// Players of a side; the last ones do not play.
const SQUAD_SIZE: usize = 12;
const USED_PLAYERS: usize = 10;

/// How often a possession ends with each player, and his share of playing time.
const BALL_SHARES: [i64; USED_PLAYERS] = [19, 17, 14, 13, 12, 15, 13, 13, 12, 11];
const MINUTES_SHARES: [i64; USED_PLAYERS] = [33, 32, 30, 28, 27, 26, 25, 23, 21, 19];

/// The number of fouls after which a player has to leave.
const MAX_FOULS: u32 = 6;

/// A side and its players on the court.
struct TeamOnCourt {
    on: [usize; 5],
    ball: [u64; USED_PLAYERS],
    /// The probability of a made free throw, in thousandths.
    throws: [u64; USED_PLAYERS],
    /// The playing time of each player, of 48 minutes.
    minutes: [i64; USED_PLAYERS],
    twos: u64,
    threes: u64,
    /// Fouls in this period.
    fouls: u32,
    /// Fouls of each player in the game.
    fouls_of: [u32; USED_PLAYERS],
    /// Players who were on the court in this period.
    seen: [bool; USED_PLAYERS],
}

struct BasketballGame<'r> {
    draft: TableDraft,
    random: &'r mut RandomStream,
    wording: SourceWording,
    sides: [TeamOnCourt; 2],
    period: u32,
    /// The remaining time in milliseconds.
    clock: i64,
    ball: usize,
    score: [i64; 2],
    /// The mean duration of a play in milliseconds.
    pace: i64,
    /// Timeouts in this period.
    timeouts: u32,
    /// The ball was stolen, and no defender is in front of the basket.
    open: bool,
    /// The player who has just taken an offensive rebound.
    follows: Option<usize>,
}

pub fn draft(name: &str, wording: SourceWording, random: &mut RandomStream) -> TableDraft {
    let mut draft = TableDraft::new(name, Sport::Basketball, Clocking::Down);
    draft.teams = names::teams(SQUAD_SIZE, wording == SourceWording::HupuText, random);
    (draft.length, draft.overtime) = (Some(QUARTER_MILLISECONDS), Some(OVERTIME_MILLISECONDS));
    let sides = [side(random), side(random)];
    // The Chinese logs that were measured are of slower games.
    let usual = if wording == SourceWording::HupuText { 10_700 } else { 10_300 };
    let pace = usual + random.integer_between(-800, 800);
    let mut game = BasketballGame {
        draft,
        random,
        wording,
        sides,
        period: 0,
        clock: 0,
        ball: 0,
        score: [0, 0],
        pace,
        timeouts: 0,
        open: false,
        follows: None,
    };
    loop {
        game.period += 1;
        game.quarter();
        if game.period >= 4 && game.score[0] != game.score[1] {
            break;
        }
    }
    game.push_event(EventKind::GameEnd, None, Vec::new(), "End of Game");
    game.draft
}

fn side(random: &mut RandomStream) -> TeamOnCourt {
    let about = |random: &mut RandomStream, mean: i64, by: i64| {
        mean.saturating_add(random.integer_between(-by, by)).max(1).unsigned_abs()
    };
    let ball = BALL_SHARES.map(|share| about(random, share * 10, share * 2));
    let throws = BALL_SHARES.map(|_| about(random, 763, 110));
    let mut minutes = MINUTES_SHARES.map(|share| share + random.integer_between(-3, 3));
    // Some sides use nine players, some ten.
    minutes[USED_PLAYERS - 1] = random.integer_between(2, 24);
    let (twos, threes) = (about(random, 541, 20), about(random, 337, 20));
    let seen = [false; USED_PLAYERS];
    let fouls_of = [0; USED_PLAYERS];
    TeamOnCourt {
        on: [0, 1, 2, 3, 4],
        ball,
        throws,
        minutes,
        twos,
        threes,
        fouls: 0,
        fouls_of,
        seen,
    }
}

impl BasketballGame<'_> {
    fn quarter(&mut self) {
        self.clock = if self.period <= 4 { QUARTER_MILLISECONDS } else { OVERTIME_MILLISECONDS };
        (self.timeouts, self.open, self.follows) = (0, false, None);
        for side in &mut self.sides {
            side.fouls = 0;
            side.seen = std::array::from_fn(|player| side.on.contains(&player));
        }
        if self.period == 1 {
            self.jump();
        } else {
            self.substitutes(1000);
        }
        let mut quick = false;
        while self.clock > 0 {
            quick = self.play(quick);
        }
        let number = self.period;
        let end = match number {
            1 => "End of the 1st Quarter".to_owned(),
            2 => "End of the 2nd Quarter".to_owned(),
            3 => "End of the 3rd Quarter".to_owned(),
            4 => "End of the 4th Quarter".to_owned(),
            _ => "End of Overtime".to_owned(),
        };
        self.push_event(EventKind::PeriodEnd, None, Vec::new(), &end);
    }

    fn jump(&mut self) {
        self.ball = self.random.integer_below(2) as usize;
        let (away, home) = (self.player_on_court(0), self.player_on_court(1));
        let gains = self.player_on_court(self.ball);
        let people = vec![
            self.named(0, away, EventRole::Player),
            self.named(1, home, EventRole::Against),
            self.named(self.ball, gains, EventRole::Gains),
        ];
        self.push_event(EventKind::JumpBall, Some(0), people, "");
    }

    /// Simulates one play; returns whether the next one begins under the basket.
    fn play(&mut self, quick: bool) -> bool {
        if let Some(who) = self.follows.take()
            && self.random.thousandth(150)
        {
            return self.tip_shot(who);
        }
        let (low, high) = match quick {
            true => (1_000, 7_000),
            // The ball has to be brought up the court; sometimes the shot clock runs down.
            false if self.random.thousandth(120) => (self.pace + 7_500, self.pace + 13_000),
            false => (self.pace - 7_000, self.pace + 7_500),
        };
        // Sometimes neither side controls the ball for a while.
        let more =
            if self.random.thousandth(90) { self.random.integer_between(2_000, 13_000) } else { 0 };
        let took = self.random.integer_between(low, high) + more;
        if took >= self.clock {
            // The last possession of a quarter: a shot at the end, or nothing.
            let left = self.random.integer_between(0, 2_500);
            if left == 0 || left >= self.clock || self.random.thousandth(400) {
                self.clock = 0;
                return false;
            }
            self.pass_time(self.clock - left);
        } else {
            self.pass_time(took);
        }
        let defence = 1 - self.ball;
        if self.random.thousandth(12) {
            self.technical(defence);
        }
        if self.random.thousandth(5) {
            self.violation(defence, "kicked ball violation");
        }
        if self.random.thousandth(4) {
            self.jump();
        }
        let defence = 1 - self.ball;
        if self.random.thousandth(64) {
            self.open = false;
            return self.common_foul(defence);
        }
        match self.random.integer_below(1000) {
            0..130 => {
                self.open = false;
                self.turnover()
            }
            130..189 => {
                self.open = false;
                let throws = if self.random.thousandth(100) { 3 } else { 2 };
                let shooter = self.shooter();
                self.foul(defence, "shooting foul");
                self.throws(shooter, throws)
            }
            _ => self.shot(),
        }
    }

    fn turnover(&mut self) -> bool {
        let (ball, defence) = (self.ball, 1 - self.ball);
        self.ball = defence;
        match self.random.integer_below(1000) {
            0..100 => {
                let who = self.shooter_of(ball);
                self.sides[ball].fouls += 1;
                // Hupu has one line for both.
                let second = match self.wording {
                    SourceWording::HupuText => "offensive foul turnover",
                    _ => "turnover",
                };
                for (kind, how) in
                    [(EventKind::Foul, "offensive foul"), (EventKind::Turnover, second)]
                {
                    self.push_event(
                        kind,
                        Some(ball),
                        vec![self.named(ball, who, EventRole::Player)],
                        how,
                    );
                }
                self.count_foul(ball, who);
            }
            100..140 => {
                self.push_event(EventKind::Turnover, Some(ball), Vec::new(), "shot clock turnover");
                self.substitutes(130);
            }
            140..420 => {
                let who = self.shooter_of(ball);
                let how = *self.random.pick(&[
                    "traveling",
                    "out of bounds lost ball turnover",
                    "turnover",
                ]);
                self.push_event(
                    EventKind::Turnover,
                    Some(ball),
                    vec![self.named(ball, who, EventRole::Player)],
                    how,
                );
                self.substitutes(130);
            }
            _ => {
                let (who, thief) = (self.shooter_of(ball), self.player_on_court(defence));
                let how = *self.random.pick(&["bad pass", "lost ball turnover"]);
                let people = vec![
                    self.named(ball, who, EventRole::Player),
                    self.named(defence, thief, EventRole::Steal),
                ];
                self.push_event(EventKind::Turnover, Some(ball), people, how);
                self.open = true;
                return true;
            }
        }
        self.timeout(25);
        false
    }

    fn shot(&mut self) -> bool {
        let (ball, defence) = (self.ball, 1 - self.ball);
        let shooter = self.shooter();
        let open = std::mem::take(&mut self.open);
        let worth = if self.random.thousandth(if open { 230 } else { 427 }) { 3 } else { 2 };
        let share = if worth == 3 { self.sides[ball].threes } else { self.sides[ball].twos };
        // A side that is far ahead plays less hard, and one that trails plays harder.
        let lead = (self.score[ball] - self.score[defence]).clamp(-20, 20);
        let share = share.saturating_add_signed(-2 * lead) + if open { 110 } else { 0 };
        let made = self.random.thousandth(share);
        let mut people = vec![self.named(ball, shooter, EventRole::Player)];
        let (assisted, blocked) = if worth == 3 { (850, 45) } else { (560, 135) };
        if made && self.random.thousandth(assisted) {
            let helper = self.teammate(ball, shooter);
            people.push(self.named(ball, helper, EventRole::Assist));
        } else if !made && self.random.thousandth(blocked) {
            let blocker = self.player_on_court(defence);
            people.push(self.named(defence, blocker, EventRole::Block));
        }
        self.score(EventKind::FieldGoal, ball, people, "", worth, made);
        self.after_shot(shooter, worth, made)
    }

    /// A tip shot by the player who has just taken the rebound.
    fn tip_shot(&mut self, who: usize) -> bool {
        let took = self.random.integer_between(0, 1_000).min(self.clock);
        self.pass_time(took);
        let made = self.random.thousandth(730);
        let people = vec![self.named(self.ball, who, EventRole::Player)];
        self.score(EventKind::FieldGoal, self.ball, people, "tip shot", 2, made);
        self.after_shot(who, 2, made)
    }

    fn after_shot(&mut self, shooter: usize, worth: i64, made: bool) -> bool {
        let defence = 1 - self.ball;
        if !made {
            return self.rebound();
        }
        let reached = self.draft.events.last().is_some_and(|shot| can_be_reached(&shot.detail));
        if worth == 2 && reached && self.random.thousandth(12) {
            self.violation(defence, "defensive goaltending violation");
        }
        if self.random.thousandth(53) {
            self.foul(defence, "shooting foul");
            return self.throws(shooter, 1);
        }
        self.ball = defence;
        self.timeout(45);
        false
    }

    fn violation(&mut self, side: usize, how: &str) {
        let who = self.player_on_court(side);
        self.push_event(
            EventKind::Violation,
            Some(side),
            vec![self.named(side, who, EventRole::Player)],
            how,
        );
    }

    /// Chooses the player who takes the rebound; returns whether it is the same side.
    fn rebound(&mut self) -> bool {
        if self.clock == 0 {
            return false;
        }
        let took = self.random.integer_between(900, 3_000).min(self.clock);
        self.pass_time(took);
        let offensive = self.random.thousandth(300);
        let side = if offensive { self.ball } else { 1 - self.ball };
        let out = self.random.thousandth(125);
        let people = if out {
            Vec::new()
        } else {
            let who = self.player_on_court(side);
            self.follows = offensive.then_some(who);
            vec![self.named(side, who, EventRole::Player)]
        };
        let how = if offensive { "offensive" } else { "defensive" };
        self.push_event(EventKind::Rebound, Some(side), people, how);
        self.ball = side;
        if out {
            self.substitutes(130);
        }
        offensive
    }

    fn foul(&mut self, side: usize, how: &str) {
        self.sides[side].fouls += 1;
        let TeamOnCourt { on, fouls_of, .. } = &self.sides[side];
        // A player with many fouls is careful.
        let careful = on.map(|player| [6, 6, 6, 6, 3, 1][fouls_of[player].min(5) as usize]);
        let who = on[self.random.weighed(careful.into_iter())];
        self.push_event(
            EventKind::Foul,
            Some(side),
            vec![self.named(side, who, EventRole::Player)],
            how,
        );
        self.count_foul(side, who);
        if self.random.thousandth(75) {
            let asks = self.random.integer_below(2) as usize;
            self.push_event(EventKind::Review, Some(asks), Vec::new(), "coach's challenge");
        }
    }

    /// Counts a foul; a player with too many leaves.
    fn count_foul(&mut self, side: usize, who: usize) {
        self.sides[side].fouls_of[who] += 1;
        if self.sides[side].fouls_of[who] < MAX_FOULS {
            return;
        }
        let bench = self.available_substitutes(side);
        let place = self.sides[side].on.iter().position(|player| *player == who);
        if let (Some(place), Some(comes)) = (place, bench.first()) {
            self.change(side, place, *comes);
            self.line_up(side);
        }
    }

    /// The players who may come in.
    fn available_substitutes(&self, side: usize) -> Vec<usize> {
        let TeamOnCourt { on, fouls_of, .. } = &self.sides[side];
        (0..USED_PLAYERS).filter(|at| !on.contains(at) && fouls_of[*at] < MAX_FOULS).collect()
    }

    /// A foul away from a shot: two throws once a side has five in a period.
    fn common_foul(&mut self, side: usize) -> bool {
        let how = *self.random.pick(&["personal foul", "personal foul", "loose ball foul"]);
        self.foul(side, how);
        if self.sides[side].fouls >= 5 {
            let shooter = self.shooter();
            return self.throws(shooter, 2);
        }
        self.timeout(50);
        self.substitutes(370);
        false
    }

    fn technical(&mut self, side: usize) {
        let (guilty, other) = (self.player_on_court(side), self.shooter_of(1 - side));
        self.push_event(
            EventKind::Foul,
            Some(side),
            vec![self.named(side, guilty, EventRole::Player)],
            "technical foul",
        );
        if !self.throw(1 - side, other, "technical free throw") {
            self.dead_ball(1 - side);
        }
    }

    /// Free throws, at one clock time; returns whether the same side keeps the ball.
    fn throws(&mut self, shooter: usize, count: u32) -> bool {
        let side = self.ball;
        for number in 1..=count {
            let made = self.throw(side, shooter, &format!("free throw {number} of {count}"));
            let last = number == count;
            if !made && last {
                return self.rebound();
            }
            if !made {
                self.dead_ball(side);
            }
            if number == 1 {
                self.substitutes_but(310, Some((side, shooter)));
            }
        }
        self.ball = 1 - side;
        self.timeout(45);
        false
    }

    /// A missed throw that is not the last one: a team rebound.
    fn dead_ball(&mut self, side: usize) {
        self.push_event(EventKind::Rebound, Some(side), Vec::new(), "offensive");
    }

    fn throw(&mut self, side: usize, shooter: usize, how: &str) -> bool {
        let made = self.random.thousandth(self.sides[side].throws[shooter]);
        self.score(
            EventKind::FreeThrow,
            side,
            vec![self.named(side, shooter, EventRole::Player)],
            how,
            1,
            made,
        );
        made
    }

    /// A timeout that a side takes, or a mandatory one: by the middle of a quarter, and three
    /// minutes before its end.
    fn timeout(&mut self, share: u64) {
        let due = match self.clock {
            _ if self.period > 4 => 0,
            0..180_000 => 2,
            180_000..420_000 => 1,
            _ => 0,
        };
        if self.clock > 0 && (self.timeouts < due || self.random.thousandth(share)) {
            let side = self.random.integer_below(2) as usize;
            self.timeouts += 1;
            self.push_event(EventKind::Timeout, Some(side), Vec::new(), "Full timeout");
            self.substitutes(380);
        }
    }

    fn substitutes(&mut self, share: u64) {
        self.substitutes_but(share, None);
    }

    /// Substitutions; the player with the ball stays.
    fn substitutes_but(&mut self, share: u64, stays: Option<(usize, usize)>) {
        for side in 0..2 {
            if !self.random.thousandth(share) {
                continue;
            }
            // No player enters and leaves at the same stoppage.
            let count = match self.random.integer_below(100) {
                0..62 => 1,
                62..90 => 2,
                _ => 3,
            };
            let before = self.sides[side].on;
            for _ in 0..count {
                let TeamOnCourt { on, minutes, .. } = self.sides[side];
                let tired = |at: usize| match stays {
                    _ if !before.contains(&on[at]) => 0,
                    Some((its, player)) if its == side && player == on[at] => 0,
                    _ => (50 - minutes[on[at]]).unsigned_abs(),
                };
                let place = self.random.weighed((0..5).map(tired));
                let TeamOnCourt { seen, .. } = &self.sides[side];
                let bench = self
                    .available_substitutes(side)
                    .into_iter()
                    .filter(|player| !before.contains(player));
                let bench: Vec<usize> = bench.collect();
                if bench.is_empty() {
                    break;
                }
                // A player who has not played yet in this period comes in first.
                let due = bench
                    .iter()
                    .map(|at| minutes[*at].unsigned_abs() * if seen[*at] { 1 } else { 5 });
                let comes = bench[self.random.weighed(due)];
                self.change(side, place, comes);
            }
            self.line_up(side);
        }
    }

    /// One player replaces another; Hupu lists the players on the court.
    fn change(&mut self, side: usize, place: usize, comes: usize) {
        self.sides[side].seen[comes] = true;
        let goes = std::mem::replace(&mut self.sides[side].on[place], comes);
        if self.wording != SourceWording::HupuText {
            let people = vec![
                self.named(side, comes, EventRole::Player),
                self.named(side, goes, EventRole::Out),
            ];
            self.push_event(EventKind::Substitution, Some(side), people, "");
        }
    }

    fn line_up(&mut self, side: usize) {
        if self.wording == SourceWording::HupuText {
            let on = self.sides[side].on;
            let people = on.map(|player| self.named(side, player, EventRole::Player)).to_vec();
            self.push_event(EventKind::Substitution, Some(side), people, "");
        }
    }

    // ---- players -------------------------------------------------------------------

    /// A player of a side who is on the court.
    fn player_on_court(&mut self, side: usize) -> usize {
        self.sides[side].on[self.random.integer_below(5) as usize]
    }

    fn teammate(&mut self, side: usize, but: usize) -> usize {
        let others: Vec<usize> = self.sides[side].on.into_iter().filter(|at| *at != but).collect();
        *self.random.pick(&others)
    }

    fn shooter(&mut self) -> usize {
        self.shooter_of(self.ball)
    }

    fn shooter_of(&mut self, side: usize) -> usize {
        let TeamOnCourt { on, ball, .. } = &self.sides[side];
        on[self.random.weighed(on.iter().map(|player| ball[*player]))]
    }

    fn named(&self, side: usize, player: usize, role: EventRole) -> Actor {
        Actor { name: Arc::clone(&self.draft.teams[side].players[player]), role }
    }

    // ---- recording -----------------------------------------------------------------

    /// Clock times are whole seconds, and tenths in the last minute.
    fn pass_time(&mut self, took: i64) {
        let clock = (self.clock - took).max(0);
        self.clock = if clock >= 60_000 { clock / 1000 * 1000 } else { clock / 100 * 100 };
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

    fn score(
        &mut self,
        kind: EventKind,
        side: usize,
        people: Vec<Actor>,
        detail: &str,
        worth: i64,
        made: bool,
    ) {
        let mut event = self.event(kind.clone(), Some(side), people, detail);
        event.shot(kind, worth, made);
        self.score[side] += event.points;
        self.write(event);
    }

    fn event(
        &self,
        kind: EventKind,
        side: Option<usize>,
        people: Vec<Actor>,
        detail: &str,
    ) -> Event {
        let mut event =
            Event::new(self.period, &self.shown(), self.clock, self.draft.events.len() + 1);
        event.kind = kind;
        event.team = side.and_then(|side| u8::try_from(side).ok());
        event.actors = people;
        event.detail = Arc::from(detail);
        event
    }

    fn shown(&self) -> String {
        let (seconds, tenths) = (self.clock / 1000, self.clock / 100 % 10);
        match (seconds >= 60, self.wording) {
            (true, _) => format!("{}:{:02}", seconds / 60, seconds % 60),
            (false, SourceWording::HupuText) => format!("{seconds}.{tenths}\""),
            (false, _) => format!("{seconds}.{tenths}"),
        }
    }

    fn write(&mut self, mut event: Event) {
        let team = event.team.map_or("", |side| &self.draft.teams[usize::from(side)].short);
        let Some((text, shot)) = sentences::basketball(&event, team, self.wording, self.random)
        else {
            return;
        };
        event.text = text;
        event.detail = shot.unwrap_or(event.detail);
        if self.wording == SourceWording::HupuText {
            // Removes what the sentences do not mention.
            event.actors.retain(|actor| {
                !matches!(
                    actor.role,
                    EventRole::Assist | EventRole::Block | EventRole::Steal | EventRole::Out
                )
            });
            let of_nobody = match event.kind {
                EventKind::Timeout | EventKind::Review => true,
                EventKind::Violation => !event.text.contains(' '),
                _ => false,
            };
            if of_nobody {
                (event.actors, event.team) = (Vec::new(), None);
            }
        }
        if event.kind == EventKind::Turnover && event.actors.is_empty() {
            event.detail = Arc::from(event.text.trim());
            // ESPN's sentence does not say which team it is.
            event.team = event.team.filter(|_| self.wording == SourceWording::HupuText);
        }
        self.draft.events.push(event);
    }
}

/// Whether a defender could touch the falling ball.
fn can_be_reached(shot: &str) -> bool {
    !["three", "dunk", "tip"].iter().any(|word| shot.contains(word))
}
