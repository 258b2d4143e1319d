//! The value of a table in expressions.
//!
//! A game is a record with `periods` and `plays`. Each play has the same fields for every source,
//! and those that the feed declares as columns. A text that the source does not give is empty.

use std::sync::{Arc, LazyLock};

use super::table::{Event, EventKind, EventRole, EventTable, Period, PeriodKind, Sport};
use ifs_value::record::Record;
use ifs_value::types::{Field, Type};
use ifs_value::value::Value;

/// The fields of a game, for the language reference.
pub const GAME_FIELDS: [&str; 10] =
    ["away", "end", "home", "name", "periods", "plays", "score", "sport", "start", "teams"];

/// The type of a game of a feed with these columns.
pub fn game_type(columns: &[(String, Type)]) -> Type {
    let score = Type::record([("away", Type::Int), ("home", Type::Int)]);
    let team = Type::record([
        ("name", Type::Text),
        ("players", Type::list(Type::Text)),
        ("short", Type::Text),
        ("side", Type::Text),
        ("tricode", Type::Text),
    ]);
    let play = play_type(columns);
    let period = Type::record([
        ("end", Type::Clock),
        ("length", Type::Clock),
        ("lines", Type::list(Type::Text)),
        ("name", Type::Text),
        ("number", Type::Int),
        ("overtime", Type::Bool),
        ("plays", Type::list(play.clone())),
        ("points", score.clone()),
        ("score", score.clone()),
        ("shootout", Type::Bool),
        ("short", Type::Text),
        ("start", Type::Clock),
        ("teams", Type::list(team.clone())),
    ]);
    Type::record([
        ("away", team.clone()),
        ("end", Type::Clock),
        ("home", team.clone()),
        ("name", Type::Text),
        ("periods", Type::list(period)),
        ("plays", Type::list(play)),
        ("score", score),
        ("sport", Type::Text),
        ("start", Type::Clock),
        ("teams", Type::list(team)),
    ])
}

fn play_type(columns: &[(String, Type)]) -> Type {
    let Type::Record(mut fields) = Type::record([
        ("against", Type::Text),
        ("assists", Type::list(Type::Text)),
        ("at", Type::Text),
        ("away", Type::Int),
        ("clock", Type::Text),
        ("detail", Type::Text),
        ("home", Type::Int),
        ("kind", Type::Text),
        ("line", Type::Text),
        ("made", Type::Bool),
        ("number", Type::Int),
        ("people", Type::list(Type::record([("name", Type::Text), ("role", Type::Text)]))),
        ("period", Type::Int),
        ("player", Type::Text),
        ("points", Type::Int),
        ("scoring", Type::Bool),
        ("side", Type::Text),
        ("team", Type::Text),
        ("text", Type::Text),
        ("time", Type::Clock),
        ("worth", Type::Int),
    ]) else {
        return Type::Unknown;
    };
    for (name, ty) in columns {
        // A standard field keeps its type: a column of that name fills it.
        fields.entry(name.clone()).or_insert(Field::new(ty.clone(), true));
    }
    Type::Record(fields)
}

/// The names of the standard fields of a play, in order.
const PLAY_FIELDS: [&str; 21] = [
    "against", "assists", "at", "away", "clock", "detail", "home", "kind", "line", "made",
    "number", "people", "period", "player", "points", "scoring", "side", "team", "text", "time",
    "worth",
];

fn names(of: &[&str]) -> Arc<[String]> {
    of.iter().map(|name| (*name).to_owned()).collect()
}

static PLAY_NAMES: LazyLock<Arc<[String]>> = LazyLock::new(|| names(&PLAY_FIELDS));
static PERSON_NAMES: LazyLock<Arc<[String]>> = LazyLock::new(|| names(&["name", "role"]));

fn record(names: &Arc<[String]>, values: impl Into<Box<[Value]>>) -> Value {
    Value::Record(Arc::new(Record::from_parts(Arc::clone(names), values.into())))
}

/// Texts that many plays share.
struct SharedTexts {
    empty: Value,
    none: Value,
    teams: Vec<(Value, Value)>,
    kinds: Vec<(EventKind, Value)>,
    /// The number of each period and its short name; empty for a log with only one period.
    periods: Vec<(u32, String)>,
}

impl SharedTexts {
    fn kind(&mut self, kind: &EventKind) -> Value {
        match self.kinds.iter().find(|(known, _)| known == kind) {
            Some((_, value)) => value.clone(),
            None => {
                let value = Value::text(kind.word());
                self.kinds.push((kind.clone(), value.clone()));
                value
            }
        }
    }

    /// The time of an event in the style of box scores: `Q1 9:32`.
    fn time_text(&self, event: &Event) -> Value {
        match self.periods.iter().find(|(number, _)| *number == event.period) {
            None => self.text(&event.clock),
            Some((_, short)) if event.clock.is_empty() => Value::text(short),
            Some((_, short)) => Value::text(&format!("{short} {}", event.clock)),
        }
    }

    fn text(&self, text: &Arc<str>) -> Value {
        if text.is_empty() { self.empty.clone() } else { Value::Text(Arc::clone(text).into()) }
    }
}

impl EventTable {
    /// A log of more or fewer than two teams has no sides.
    fn side(&self, at: usize) -> &'static str {
        match (at, self.teams.len()) {
            (0, 2) => "away",
            (1, 2) => "home",
            _ => "",
        }
    }

    /// The game as a record of the type [`game_type`].
    pub fn value(&self) -> Value {
        let mut shared = SharedTexts {
            empty: Value::text(""),
            none: Value::list([]),
            teams: (self.teams.iter().enumerate())
                .map(|(at, team)| {
                    (Value::Text(Arc::clone(&team.name).into()), Value::text(self.side(at)))
                })
                .collect(),
            kinds: Vec::new(),
            periods: match (self.sport, self.periods.as_slice()) {
                (Sport::Log, [] | [_]) => Vec::new(),
                (sport, all) => all.iter().map(|one| (one.number, one.short(sport))).collect(),
            },
        };
        let own: Vec<&String> =
            self.columns.iter().filter(|name| !PLAY_FIELDS.contains(&name.as_str())).collect();
        let mut all_names = PLAY_NAMES.to_vec();
        all_names.extend(own.iter().map(|name| (*name).clone()));
        let mut order: Vec<usize> = (0..all_names.len()).collect();
        order.sort_by(|one, other| all_names[*one].cmp(&all_names[*other]));
        let play_names: Arc<[String]> = if own.is_empty() {
            Arc::clone(&PLAY_NAMES)
        } else {
            order.iter().map(|at| all_names[*at].clone()).collect()
        };
        let plays: Vec<Value> = self
            .events
            .iter()
            .enumerate()
            .map(|(at, event)| {
                let mut values = play(event, at + 1, &mut shared);
                if !own.is_empty() {
                    for (name, cell) in self.columns.iter().zip(&event.cells) {
                        if own.contains(&name) {
                            values.push(cell.clone());
                        }
                    }
                    let unsorted = values;
                    values = order
                        .iter()
                        .map(|at| unsorted.get(*at).cloned().unwrap_or_default())
                        .collect();
                }
                record(&play_names, values)
            })
            .collect();
        let teams: Vec<Value> = self
            .teams
            .iter()
            .enumerate()
            .map(|(at, team)| {
                Value::record([
                    ("name", Value::Text(Arc::clone(&team.name).into())),
                    (
                        "players",
                        Value::list(
                            team.players.iter().cloned().map(|name| Value::Text(name.into())),
                        ),
                    ),
                    ("short", Value::Text(Arc::clone(&team.short).into())),
                    ("side", Value::text(self.side(at))),
                    ("tricode", Value::Text(Arc::clone(&team.tricode).into())),
                ])
            })
            .collect();
        // The names of a side that there is not are absent, so that none is told as an empty text.
        let nobody = || {
            let names = ["name", "short", "tricode"].map(|name| (name, Value::Nothing));
            let side = [("players", shared.none.clone()), ("side", shared.empty.clone())];
            Value::record(names.into_iter().chain(side))
        };
        let sides = if self.teams.len() == 2 { &teams[..] } else { &[] };
        let team = |at: usize| sides.get(at).cloned().unwrap_or_else(nobody);
        let (away, home) = (team(0), team(1));
        let teams = Value::list(teams);
        let periods = self.periods.iter().map(|period| self.period(period, &plays, &teams));
        let periods = Value::list(periods.collect::<Vec<_>>());
        let end = self.periods.last().map_or(0, |period| period.start + period.length);
        let end = self.events.last().map_or(end, |event| end.max(event.time));
        Value::record([
            ("away", away),
            ("end", Value::Int(end)),
            ("home", home),
            ("name", Value::Text(Arc::clone(&self.name).into())),
            ("periods", periods),
            ("plays", Value::list(plays)),
            ("score", score(self.score())),
            ("sport", Value::text(self.sport.word())),
            ("start", Value::Int(self.periods.first().map_or(0, |period| period.start))),
            ("teams", teams),
        ])
    }

    fn period(&self, period: &Period, plays: &[Value], teams: &Value) -> Value {
        let plays = plays.get(period.first..period.end).unwrap_or(&[]);
        let lines = plays.iter().filter_map(|play| play.field("line").cloned());
        let after = self.plays(period).last().map_or([0, 0], |event| event.score);
        Value::record([
            ("end", Value::Int(period.start + period.length)),
            ("length", Value::Int(period.length)),
            ("lines", Value::list(lines.collect::<Vec<_>>())),
            ("name", Value::text(&period.name)),
            ("number", Value::Int(period.number.into())),
            ("overtime", Value::Bool(period.kind == PeriodKind::Overtime)),
            ("plays", Value::list(plays.iter().cloned())),
            ("points", score(self.line_score(period))),
            ("score", score(after)),
            ("shootout", Value::Bool(period.kind == PeriodKind::Shootout)),
            ("short", Value::text(&period.short(self.sport))),
            ("start", Value::Int(period.start)),
            ("teams", teams.clone()),
        ])
    }
}

fn score([away, home]: [i64; 2]) -> Value {
    Value::record([("away", Value::Int(away)), ("home", Value::Int(home))])
}

/// The values of a play's fields, sorted by name.
fn play(event: &Event, number: usize, shared: &mut SharedTexts) -> Vec<Value> {
    let first = |role: EventRole| match event.actors.iter().find(|actor| actor.role == role) {
        Some(actor) => Value::Text(Arc::clone(&actor.name).into()),
        None => shared.empty.clone(),
    };
    let of_role = |role: EventRole| {
        let names = event.actors.iter().filter(|actor| actor.role == role);
        let names: Vec<Value> =
            names.map(|actor| Value::Text(Arc::clone(&actor.name).into())).collect();
        if names.is_empty() { shared.none.clone() } else { Value::list(names) }
    };
    let people: Vec<Value> = event
        .actors
        .iter()
        .map(|actor| {
            let role = Value::text(actor.role.word());
            record(&PERSON_NAMES, [Value::Text(Arc::clone(&actor.name).into()), role])
        })
        .collect();
    let (against, player) = (first(EventRole::Against), first(EventRole::Player));
    let assists = of_role(EventRole::Assist);
    let empty = (shared.empty.clone(), shared.empty.clone());
    let side = event.team.and_then(|team| shared.teams.get(usize::from(team)).cloned());
    let (team, side) = side.unwrap_or(empty);
    let [away, home] = event.score;
    vec![
        against,
        assists,
        shared.time_text(event),
        Value::Int(away),
        shared.text(&event.clock),
        shared.text(&event.detail),
        Value::Int(home),
        shared.kind(&event.kind),
        line(event),
        Value::Bool(event.made),
        Value::Int(number as i64),
        Value::list(people),
        Value::Int(event.period.into()),
        player,
        Value::Int(event.points),
        Value::Bool(event.scoring()),
        side,
        team,
        shared.text(&event.text),
        Value::Int(event.time),
        Value::Int(event.worth),
    ]
}

/// A line of the log: the clock, a tab, the text.
fn line(event: &Event) -> Value {
    if event.kind == EventKind::Blank || event.clock.is_empty() {
        return Value::Text(Arc::clone(&event.text).into());
    }
    // A line break at the end of a sentence starts no second line.
    let words = event.text.trim_end_matches(['\r', '\n']);
    Value::text(&format!("{}\t{words}", event.clock))
}
