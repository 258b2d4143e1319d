//! Logs with declared columns: CSV, JSON and JSON Lines.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::rows::{self, FeedRow};
use super::{FeedFile, TableFormat};
use crate::clock::parse_clock;
use crate::finish::TableDraft;
use crate::notice::{FeedError, QuirkKind};
use crate::schema::{ColumnSource, FeedColumn, FeedSchema};
use crate::table::{Actor, Clocking, Event, EventKind, EventRole, Sport, Team};
use ifs_value::types::Type;
use ifs_value::value::Value;

/// The games of a log, and the fields that it lacks.
pub struct ReadColumns {
    pub games: Vec<TableDraft>,
    /// The declared fields that no record has, and the fields that records have.
    pub absent: Vec<String>,
    pub fields: Vec<String>,
}

/// Reads a log; one table for each game in it.
///
/// # Errors
/// Returns an error if a declared column is missing, or a cell does not have its type.
pub fn read(
    form: TableFormat,
    file: &FeedFile<'_>,
    schema: &FeedSchema,
) -> Result<ReadColumns, FeedError> {
    let rows::FeedRows { rows, absent, fields } = rows::read(form, file.text, schema)?;
    // Every event needs these, so no other log can have them.
    let is_needed = |column: &&FeedColumn| {
        matches!(&*column.name, "period" | "clock" | "time") && lacks(column, &absent)
    };
    if let Some(ColumnSource::Field(field)) =
        schema.columns.iter().find(is_needed).map(|column| &column.from)
    {
        return Err(FeedError::absent(field, &fields));
    }
    let mut games: Vec<(Arc<str>, Vec<TypedRow>)> = Vec::new();
    let game = schema.find("game");
    let is_timed = schema.find("clock").or_else(|| schema.find("time")).is_some();
    let mut told: HashMap<(Arc<str>, &str), usize> = HashMap::new();
    for row in &rows {
        let cells = typed(row, schema)?;
        let name =
            game.and_then(|at| text_of(cells.get(at)?)).unwrap_or_else(|| Arc::from(file.stem));
        // Without a time, two events may well look the same: two deliveries of an over.
        if is_timed && let Some(first) = told.insert((Arc::clone(&name), &row.whole), row.line) {
            return Err(FeedError::new(
                row.line,
                format!("this event is told a second time, and would count twice: it is that of line {first}"),
            )
            .help(
                "remove one of the two; if both happened, give the events a field that tells them apart, \
                 such as a number",
            ));
        }
        let typed = TypedRow { line: row.line, clock: shown(row, schema), cells };
        // The rows of a game are usually consecutive.
        match games.iter_mut().rev().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(typed),
            None => games.push((name, vec![typed])),
        }
    }
    let drafts = games.into_iter().map(|(name, rows)| draft(&name, rows, schema));
    let mut games = drafts.collect::<Result<Vec<_>, _>>()?;
    // Records omit empty fields, so that another log may have them.
    if let Some(first) = games.first_mut() {
        for field in &absent {
            first.notice(QuirkKind::NoField, 1, FeedError::absent(field, &[]).message);
        }
    }
    Ok(ReadColumns { games, absent, fields })
}

fn lacks(column: &FeedColumn, absent: &[String]) -> bool {
    matches!(&column.from, ColumnSource::Field(field) if absent.contains(field))
}

/// A row with its values, one for each column.
struct TypedRow {
    line: usize,
    /// Its clock as published.
    clock: Arc<str>,
    cells: Vec<Value>,
}

fn text_of(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::Text(text) if !text.is_empty() => Some(text.to_arc()),
        Value::Nothing | Value::Text(_) => None,
        other => Some(Arc::from(other.to_string())),
    }
}

/// The clock as written in the file.
fn shown(row: &FeedRow, schema: &FeedSchema) -> Arc<str> {
    let at = schema.find("clock").or_else(|| schema.find("time"));
    at.and_then(|at| text_of(row.cells.get(at)?)).unwrap_or_default()
}

fn typed(row: &FeedRow, schema: &FeedSchema) -> Result<Vec<Value>, FeedError> {
    let mut cells: Vec<Value> = Vec::with_capacity(schema.columns.len());
    for (at, column) in schema.columns.iter().enumerate() {
        let value = match &column.from {
            ColumnSource::Field(_) => row.cells.get(at).cloned().unwrap_or_default(),
            ColumnSource::Rule(rule) => {
                let before = |name: &str| schema.find(name).and_then(|at| cells.get(at)).cloned();
                rule.value(&before).map_err(|fault| {
                    FeedError::new(row.line, format!("column `{}`: {fault}", column.name))
                })?
            }
        };
        let value = convert(value, &column.ty, matches!(column.from, ColumnSource::Field(_)))
            .map_err(|found| {
                let wanted = noun(&column.ty);
                let fault = FeedError::new(
                    row.line,
                    format!("column `{}`: {found} where {wanted} is declared", column.name),
                );
                match spreadsheet_date(&found) {
                    true => {
                        fault.help("a spreadsheet took it for a date; export the column as text")
                    }
                    false => fault.help("correct the cell, or declare the column as `text`"),
                }
            })?;
        if value == Value::Nothing && matches!(&*column.name, "period" | "clock" | "time") {
            return Err(FeedError::new(
                row.line,
                format!("column `{}` is empty in this row", column.name),
            )
            .help("every event needs it; leave the column out if the file has none"));
        }
        cells.push(value);
    }
    Ok(cells)
}

/// Whether it is `2月7日`, `7-Feb` or `Feb-07`, into which spreadsheets convert `2-7`.
fn spreadsheet_date(found: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let small = found.to_ascii_lowercase();
    found.contains('月') || MONTHS.iter().any(|month| small.contains(month) && small.contains('-'))
}

fn noun(ty: &Type) -> String {
    match ty {
        Type::Clock => "a time (`9:32`, `49.0`, `2024-05-01 09:30`)".to_owned(),
        Type::Bool => "true or false".to_owned(),
        other => other.noun(),
    }
}

/// Converts a cell to its type, or returns a description of what it is instead.
fn convert(value: Value, ty: &Type, read: bool) -> Result<Value, String> {
    let wrong = |value: &Value| format!("`{value}`");
    match (&value, ty) {
        (Value::Nothing, _) => Ok(Value::Nothing),
        (Value::Text(text), ty) if text.trim().is_empty() && *ty != Type::Text => {
            Ok(Value::Nothing)
        }
        (_, Type::Unknown)
        | (Value::Bool(_), Type::Bool)
        | (Value::Int(_), Type::Int)
        | (Value::Float(_), Type::Float) => Ok(value),
        (Value::Text(_), Type::Text | Type::Image) => Ok(value),
        (Value::Int(number), Type::Float) => Ok(Value::Float(*number as f64)),
        (Value::Float(number), Type::Int) if number.fract() == 0.0 && number.abs() < 1e15 => {
            Ok(Value::Int(*number as i64))
        }
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), Type::Text) => {
            Ok(Value::text(&value.to_string()))
        }
        // A rule for a time gives milliseconds; a file has seconds.
        (Value::Int(_), Type::Clock) if !read => Ok(value),
        (Value::Text(text), Type::Clock) => {
            parse_clock(text).map(Value::Int).ok_or_else(|| wrong(&value))
        }
        (Value::Int(_) | Value::Float(_), Type::Clock) => {
            parse_clock(&value.to_string()).map(Value::Int).ok_or_else(|| wrong(&value))
        }
        (Value::Text(text), Type::Int) => {
            text.trim().parse().map(Value::Int).map_err(|_| wrong(&value))
        }
        (Value::Text(text), Type::Float) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(wrong(&value)),
        },
        (Value::Text(text), Type::Bool) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Ok(Value::Bool(true)),
            "false" | "no" | "0" => Ok(Value::Bool(false)),
            _ => Err(wrong(&value)),
        },
        (Value::Int(number @ (0 | 1)), Type::Bool) => Ok(Value::Bool(*number == 1)),
        (Value::Text(text), Type::List(of)) => {
            let members = text.split(';').map(str::trim).filter(|member| !member.is_empty());
            let members = members.map(|member| convert(Value::text(member), of, read));
            Ok(Value::list(members.collect::<Result<Vec<_>, _>>()?))
        }
        (Value::List(members), Type::List(of)) => {
            let members = members.iter().map(|member| convert(member.clone(), of, read));
            Ok(Value::list(members.collect::<Result<Vec<_>, _>>()?))
        }
        (Value::Record(_), Type::Record(_)) => Ok(value),
        _ => Err(wrong(&value)),
    }
}

fn draft(
    name: &str,
    mut rows: Vec<TypedRow>,
    schema: &FeedSchema,
) -> Result<TableDraft, FeedError> {
    sort(&mut rows, schema);
    let at = |name: &str| schema.find(name);
    let clocking = match (at("clock"), at("time")) {
        (Some(clock), _) => direction(&rows, clock, at("period")),
        (None, Some(_)) => Clocking::On,
        (None, None) => Clocking::None,
    };
    let mut draft = TableDraft::new(name, Sport::Log, clocking);
    if let Some(periods) = schema.periods {
        draft.regulation = periods.count;
        draft.length = periods.length;
        draft.overtime = periods.overtime.or(periods.length);
    }
    draft.columns = schema.added_columns().into_iter().map(|(name, _)| name).collect();
    let own: Vec<usize> = draft.columns.iter().filter_map(|name| at(name)).collect();
    let clock = at("clock").or_else(|| at("time"));
    let int = |row: &TypedRow, name: &str| at(name).and_then(|at| row.cells.get(at)?.as_int());
    let word = |row: &TypedRow, name: &str| at(name).and_then(|at| text_of(row.cells.get(at)?));
    // Dates count from the first event.
    let origin = match clock.and_then(|at| rows.first()?.cells.get(at)?.as_int()) {
        Some(first) if clocking == Clocking::On && first > YEAR_MILLISECONDS => first,
        _ => 0,
    };
    teams(&mut draft, &rows, schema)?;
    let mut score = [0, 0];
    // The last score that the log states, with its period: each set may begin at zero.
    let mut last: Option<(u32, [i64; 2])> = None;
    for row in &rows {
        let period = int(row, "period").unwrap_or(1);
        let Ok(period @ 1..) = u32::try_from(period) else {
            return Err(FeedError::new(row.line, format!("{period} is not a period"))
                .help("periods are counted from 1"));
        };
        let team = word(row, "team");
        let mut team =
            team.and_then(|team| draft.teams.iter().position(|known| known.name == team));
        let stated = int(row, "away").zip(int(row, "home")).map(|(away, home)| [away, home]);
        let mut points = int(row, "points").unwrap_or(0);
        if let Some(after) = stated {
            let before = last.replace((period, after));
            if let Some((of, before)) = before
                && of == period
                && (after[0] < before[0] || after[1] < before[1])
                && points >= 0
            {
                let [[away, home], [new_away, new_home]] = [before, after];
                return Err(FeedError::new(
                    row.line,
                    format!("the score falls from {away}-{home} to {new_away}-{new_home}"),
                )
                .help(
                    "correct it, or sort the events with `order by`; an event that takes points back has a \
                     negative number of `points`",
                ));
            }
        }
        if let (Some(after), None) = (stated, at("points")) {
            // The file has only the score: the points are its increase.
            let grown = [after[0] - score[0], after[1] - score[1]];
            if grown.iter().any(|grown| *grown < 0) || grown.iter().all(|grown| *grown > 0) {
                let message = format!(
                    "the score goes from {}-{} to {}-{}",
                    score[0], score[1], after[0], after[1]
                );
                return Err(FeedError::new(row.line, message).help(
                    "only one side scores at a time; declare `column points: int` where the file has points",
                ));
            }
            if let Some(side) = grown.iter().position(|grown| *grown > 0) {
                (team, points) = (Some(side), grown[side]);
            }
            score = after;
        }
        let mut actors = Vec::new();
        for (column, role) in [
            ("player", EventRole::Player),
            ("assist", EventRole::Assist),
            ("against", EventRole::Against),
        ] {
            actors.extend(word(row, column).map(|name| Actor { name, role }));
        }
        let time = clock.and_then(|at| row.cells.get(at)?.as_int()).unwrap_or(0);
        let kind = word(row, "kind").map_or(EventKind::Other, EventKind::Named);
        let text = match at("text") {
            Some(_) => word(row, "text").unwrap_or_default(),
            None => Arc::from(sentence(row, schema)),
        };
        let made = at("made").and_then(|at| row.cells.get(at)?.as_bool());
        draft.events.push(Event {
            period,
            clock: Arc::clone(&row.clock),
            time: time - origin,
            kind,
            detail: word(row, "detail").unwrap_or_default(),
            team: team.and_then(|team| u8::try_from(team).ok()),
            actors,
            points,
            worth: points,
            made: made.unwrap_or(points > 0),
            text,
            score: [0, 0],
            stated,
            cells: own.iter().filter_map(|at| row.cells.get(*at).cloned()).collect(),
            line: row.line,
        });
    }
    if at("period").is_none() && matches!(clocking, Clocking::Down | Clocking::Up) {
        match schema.periods {
            Some(_) => count_periods(&mut draft),
            None => restarts(&draft)?,
        }
    }
    Ok(draft)
}

/// Milliseconds of a year: a larger clock value is a date.
const YEAR_MILLISECONDS: i64 = 366 * 86_400_000;

/// How far the clock must jump back for a new period, in milliseconds.
const MIN_RESET_MILLISECONDS: i64 = 60_000;

fn is_period_reset(clocking: Clocking, [before, after]: [i64; 2]) -> bool {
    match clocking {
        Clocking::Down => after > before + MIN_RESET_MILLISECONDS,
        Clocking::Up => after + MIN_RESET_MILLISECONDS < before,
        Clocking::On | Clocking::None => false,
    }
}

/// If no column has the period and the feed declares the length of periods, a new one begins
/// wherever the clock jumps back.
fn count_periods(draft: &mut TableDraft) {
    let (mut period, mut last) = (1, None);
    for event in &mut draft.events {
        let begins = last.is_some_and(|last| is_period_reset(draft.clocking, [last, event.time]));
        period += u32::from(begins);
        (event.period, last) = (period, Some(event.time));
    }
}

/// If nothing gives the period, a clock that jumps back hides one.
fn restarts(draft: &TableDraft) -> Result<(), FeedError> {
    let set_back = |pair: &&[Event]| is_period_reset(Clocking::Down, [pair[0].time, pair[1].time]);
    let pair = match draft.clocking {
        Clocking::Down => draft.events.windows(2).find(set_back),
        Clocking::Up | Clocking::On | Clocking::None => None,
    };
    match pair {
        Some([before, after]) => Err(FeedError::new(
            after.line,
            format!(
                "the clock goes from {} to {}: there are several periods in it",
                before.clock, after.clock
            ),
        )
        .help(
            "declare the column that tells them apart, `column period: int from \"…\"`; or how long \
             they are, `periods 4 of \"12:00\"`: then a new one begins where the clock jumps back",
        )),
        _ => Ok(()),
    }
}

/// The sides: those in the `side` column, or else in order of appearance.
fn teams(draft: &mut TableDraft, rows: &[TypedRow], schema: &FeedSchema) -> Result<(), FeedError> {
    let Some(team) = schema.find("team") else {
        if schema.find("away").is_some() && schema.find("home").is_some() {
            let side = |name: &str| Team {
                name: Arc::from(name),
                short: Arc::from(name),
                ..Team::default()
            };
            draft.teams = vec![side("away"), side("home")];
        }
        return Ok(());
    };
    let side = schema.find("side");
    let mut first = None;
    for row in rows {
        let Some(name) = row.cells.get(team).and_then(text_of) else { continue };
        if let Some(at) = side.and_then(|at| text_of(row.cells.get(at)?)) {
            match at.to_lowercase().as_str() {
                "away" | "visitor" | "visitors" | "guest" => first = Some(Arc::clone(&name)),
                "home" | "host" => {}
                other => {
                    return Err(FeedError::new(row.line, format!("`{other}` is not a side"))
                        .help("a side is `away` or `home`; the away side is listed first"));
                }
            }
        }
        let known = draft.teams.iter().position(|known| known.name == name);
        let at = known.unwrap_or(draft.teams.len());
        if at > usize::from(u8::MAX) {
            return Err(FeedError::new(row.line, "more than 256 teams"));
        }
        if known.is_none() {
            draft.teams.push(Team { short: Arc::clone(&name), name, ..Team::default() });
        }
        let team = &mut draft.teams[at];
        let player = schema.find("player").and_then(|at| text_of(row.cells.get(at)?));
        if let Some(player) = player.filter(|player| !team.players.contains(player)) {
            team.players.push(player);
        }
    }
    if let Some(first) = first {
        draft.teams.sort_by_key(|team| team.name != first);
    } else if side.is_none() && draft.teams.len() == 2 && first_is_home(draft, rows, schema) {
        draft.teams.swap(0, 1);
    }
    if draft.teams.len() == 1 {
        let message = format!("only one team is named: {}", draft.teams[0].name);
        draft.notice(QuirkKind::NoTeam, 1, message);
    }
    Ok(())
}

/// Whether the column `home` increases when the first team scores.
fn first_is_home(draft: &TableDraft, rows: &[TypedRow], schema: &FeedSchema) -> bool {
    let int = |row: &TypedRow, name: &str| row.cells.get(schema.find(name)?)?.as_int();
    let team = |row: &TypedRow| text_of(row.cells.get(schema.find("team")?)?);
    let (mut score, mut home) = ([0, 0], 0);
    for row in rows {
        let Some(after) = int(row, "away").zip(int(row, "home")) else { continue };
        let to_home = (after.1 - score[1]) - (after.0 - score[0]);
        score = [after.0, after.1];
        if int(row, "points").is_some_and(|points| points > 0) {
            let own = team(row).is_some_and(|team| team == draft.teams[0].name);
            home += to_home.signum() * if own { 1 } else { -1 };
        }
    }
    home > 0
}

/// The direction of the clock: down if it decreases more often than it increases within a period;
/// on if the second period begins late on it.
fn direction(rows: &[TypedRow], clock: usize, period: Option<usize>) -> Clocking {
    let at = |row: &TypedRow, at: usize| row.cells.get(at).and_then(Value::as_int);
    let (mut falls, mut rises) = (0, 0);
    let mut ends: Vec<(Option<i64>, i64, i64)> = Vec::new();
    for row in rows {
        let (number, time) =
            (period.and_then(|period| at(row, period)), at(row, clock).unwrap_or(0));
        match ends.last_mut() {
            Some((known, low, high)) if *known == number => {
                (*low, *high) = ((*low).min(time), (*high).max(time));
            }
            _ => ends.push((number, time, time)),
        }
    }
    for pair in rows.windows(2) {
        let [one, other] = pair else { continue };
        if period.is_some_and(|period| at(one, period) != at(other, period)) {
            continue;
        }
        match at(one, clock).cmp(&at(other, clock)) {
            Ordering::Less => rises += 1,
            Ordering::Greater => falls += 1,
            Ordering::Equal => {}
        }
    }
    let late = |pair: &[(Option<i64>, i64, i64)]| pair[1].1 > pair[0].2 / 2;
    if falls > rises {
        Clocking::Down
    } else if ends.len() < 2 || ends.windows(2).all(late) {
        Clocking::On
    } else {
        Clocking::Up
    }
}

/// Sorts by the columns that the feed names, without changing the clock.
fn sort(rows: &mut [TypedRow], schema: &FeedSchema) {
    let by: Vec<usize> = schema.order.iter().filter_map(|name| schema.find(name)).collect();
    if by.is_empty() {
        return;
    }
    rows.sort_by(|one, other| {
        let orders = by.iter().map(|at| compare(one.cells.get(*at), other.cells.get(*at)));
        orders.fold(Ordering::Equal, Ordering::then)
    });
}

fn compare(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (Some(Value::Int(one)), Some(Value::Int(other))) => one.cmp(other),
        (Some(Value::Float(one)), Some(Value::Float(other))) => one.total_cmp(other),
        (Some(Value::Bool(one)), Some(Value::Bool(other))) => one.cmp(other),
        (Some(Value::Text(one)), Some(Value::Text(other))) => str::cmp(one, other),
        (Some(Value::Nothing) | None, Some(Value::Nothing) | None) => Ordering::Equal,
        (Some(Value::Nothing) | None, _) => Ordering::Less,
        (_, Some(Value::Nothing) | None) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// The sentence of a row without a text column: the values of its fields in column order, without
/// computed ones.
fn sentence(row: &TypedRow, schema: &FeedSchema) -> String {
    let reported = |column: &FeedColumn| {
        let when = ["game", "period", "clock", "time", "side"];
        matches!(column.from, ColumnSource::Field(_)) && !when.contains(&&*column.name)
    };
    let cells = schema.columns.iter().zip(&row.cells).filter(|(column, _)| reported(column));
    let words: Vec<String> = cells
        .map(|(_, value)| value)
        .filter(|value| **value != Value::Nothing)
        .map(Value::to_string)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(", ")
}
