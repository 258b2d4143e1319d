//! Times: on the clock of a game with its period (`Q1 9:30`, `9:30 left in the first quarter`,
//! `第一节还剩9分30秒`), and of the day (`2:50 p.m.`, `14.50 Uhr`).

use std::fmt;

use super::numerals::{Separators, in_words, value_of_digits};
use super::reading::{ClauseReading, TokenGap};
use super::tokens::TokenKind;

/// A period of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GamePeriod {
    Numbered(u32),
    Overtime(u32),
    /// The last one, however many there are.
    Last,
}

impl GamePeriod {
    fn fits(self, other: GamePeriod) -> bool {
        match (self, other) {
            (GamePeriod::Last, GamePeriod::Numbered(number))
            | (GamePeriod::Numbered(number), GamePeriod::Last) => number >= 3,
            _ => self == other,
        }
    }
}

/// A time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    pub period: Option<GamePeriod>,
    /// Hours and minutes of the day as minutes, minutes and seconds of a game as seconds: `9:30` is
    /// 570 in both.
    pub value: f64,
    /// Whether the hour is before noon (false) or after it (true), if the text says so.
    pub afternoon: Option<bool>,
}

impl Clock {
    /// Whether this time, as a text gives it, is an expected one: a period that is expected must be
    /// given, and one that is given must be right.
    pub fn fits(self, expected: Clock) -> bool {
        let period = match (self.period, expected.period) {
            (Some(own), Some(wanted)) => own.fits(wanted),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        let same = |one: f64, other: f64| (one - other).abs() < 0.05;
        // Only times of the day have halves.
        let is_day = expected.period.is_none();
        let value = if same(self.value, expected.value) {
            self.afternoon.is_none_or(|afternoon| afternoon == (expected.value >= NOON))
        } else {
            is_day
                && self.afternoon.is_none()
                && self.value < NOON + 60.0
                && same(self.value + NOON, expected.value)
        };
        period && value
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.period {
            Some(GamePeriod::Numbered(number)) => write!(f, "Q{number} ")?,
            Some(GamePeriod::Overtime(1)) => f.write_str("OT ")?,
            Some(GamePeriod::Overtime(number)) => write!(f, "OT{number} ")?,
            Some(GamePeriod::Last) => f.write_str("Q4 ")?,
            None => {}
        }
        let (large, small) = ((self.value / 60.0).floor(), self.value % 60.0);
        match (large == 0.0, small.fract() == 0.0) {
            (true, false) => write!(f, "{small}"),
            (_, true) => write!(f, "{large}:{small:02}"),
            (false, false) => write!(f, "{large}:{small:04.1}"),
        }
    }
}

/// Noon, in minutes.
const NOON: f64 = 720.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct ClockMention {
    pub start: usize,
    pub end: usize,
    pub clock: Clock,
}

/// A period at tokens `start..end`.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeriodMention {
    pub start: usize,
    pub end: usize,
    pub period: GamePeriod,
    /// An ordinal alone, which is a period only next to a clock.
    pub is_bare: bool,
    /// After a label of its own, as in a column of a table: `Quarter: 1`.
    pub is_labelled: bool,
}

impl PeriodMention {
    fn new(start: usize, end: usize, period: GamePeriod) -> PeriodMention {
        PeriodMention { start, end, period, is_bare: false, is_labelled: false }
    }
}

fn ordinal(word: &str) -> Option<u32> {
    Some(match word {
        "first" | "1st" | "opening" | "erste" | "ersten" | "erstes" | "erster" => 1,
        "second" | "zweite" | "zweiten" | "zweites" | "zweiter" => 2,
        "third" | "dritte" | "dritten" | "drittes" | "dritter" => 3,
        "fourth" | "vierte" | "vierten" | "viertes" | "vierter" => 4,
        "fifth" => 5,
        _ => return None,
    })
}

fn is_period_noun(word: &str) -> bool {
    matches!(
        word,
        "quarter"
            | "quarters"
            | "qtr"
            | "quart"
            | "period"
            | "viertel"
            | "drittel"
            | "periode"
            | "abschnitt"
    )
}

/// The periods of a text, in order.
pub(super) fn periods(reading: &ClauseReading) -> Vec<PeriodMention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reading.tokens.len() {
        match period(reading, at) {
            Some(period) => {
                at = period.end;
                found.push(period);
            }
            None => at += 1,
        }
    }
    found
}

fn period(reading: &ClauseReading, at: usize) -> Option<PeriodMention> {
    let token = reading.token(at)?;
    let text = |at: usize| reading.text(at);
    let number = |at: usize| {
        reading
            .token(at)
            .and_then(super::tokens::Token::whole_number)
            .filter(|number| (1..=9).contains(number))
    };
    let found = |end: usize, period: GamePeriod| Some(PeriodMention::new(at, end, period));
    if let Some(value) = period_label_end(reading, at) {
        let digit = number(value).filter(|_| !is_clock_at(reading, value));
        let plain =
            digit.map(|digit| PeriodMention::new(at, value + 1, GamePeriod::Numbered(digit)));
        let labelled = period(reading, value).or(plain)?;
        return Some(PeriodMention { start: at, is_bare: false, is_labelled: true, ..labelled });
    }
    // Q1, P1, OT, OT1, quarter 1, period 1
    let is_letter =
        token.is_capital || token.text == "q" || token.text == "p" || token.text == "ot";
    if token.kind == TokenKind::Word {
        let mut next = at + 1;
        if is_period_noun(&token.text) && reading.is_mark(next, '#') {
            next += 1;
        }
        if let Some(digit) = number(next).filter(|_| !is_clock_at(reading, next)) {
            let apart = reading.token(next).is_some_and(|token| token.spaced);
            if matches!(token.text.as_str(), "q" | "p") && is_letter && !apart
                || is_period_noun(&token.text)
            {
                return found(next + 1, GamePeriod::Numbered(digit));
            }
            if token.text == "ot" || token.text == "overtime" {
                return found(next + 1, GamePeriod::Overtime(digit));
            }
        }
        // Quarter one.
        if is_period_noun(&token.text)
            && let Some((value, end)) = in_words(&reading.tokens, at + 1)
            && (1.0..=4.0).contains(&value)
        {
            return found(end, GamePeriod::Numbered(value as u32));
        }
        if matches!(token.text.as_str(), "overtime" | "ot" | "verlängerung") {
            return found(at + 1, GamePeriod::Overtime(1));
        }
        if matches!(
            token.text.as_str(),
            "final"
                | "last"
                | "closing"
                | "letzten"
                | "letztes"
                | "letzte"
                | "schlussviertel"
                | "schlussdrittel"
        ) {
            if is_period_noun(text(at + 1)) {
                return found(at + 2, GamePeriod::Last);
            }
            if token.text.starts_with("schluss") {
                return found(at + 1, GamePeriod::Last);
            }
        }
        if let Some(which) = ordinal(&token.text) {
            if is_period_noun(text(at + 1)) {
                return found(at + 2, GamePeriod::Numbered(which));
            }
            let bare = PeriodMention::new(at, at + 1, GamePeriod::Numbered(which));
            return Some(PeriodMention { is_bare: true, ..bare });
        }
    }
    // 1st quarter, 1 quarter, 1Q, 1. Viertel
    if let Some(digit) = number(at).filter(|_| !is_clock_at(reading, at)) {
        let mut next = at + 1;
        let ending = reading.token(next).filter(|token| !token.spaced);
        let is_ordinal = ending
            .is_some_and(|token| matches!(token.text.as_str(), "st" | "nd" | "rd" | "th" | "."));
        if is_ordinal {
            next += 1;
        }
        let noun = text(next);
        if is_period_noun(noun) {
            return found(next + 1, GamePeriod::Numbered(digit));
        }
        if !is_ordinal
            && reading.token(next).is_some_and(|token| token.text == "q" && !token.spaced)
        {
            return found(next + 1, GamePeriod::Numbered(digit));
        }
        if is_ordinal && !reading.is_mark(at + 1, '.') {
            let bare = PeriodMention::new(at, next, GamePeriod::Numbered(digit));
            return Some(PeriodMention { is_bare: true, ..bare });
        }
    }
    chinese_period(reading, at)
}

/// Where the value of a label of periods begins: `Quarter: 1`, `节次：1`.
fn period_label_end(reading: &ClauseReading, at: usize) -> Option<usize> {
    let word = reading.text(at);
    let end = match word {
        "节" => at + 1 + usize::from(matches!(reading.text(at + 1), "次" | "数" | "号")),
        "q" | "per" => at + 1,
        _ if is_period_noun(word) => at + 1,
        _ => return None,
    };
    reading.is_mark(end, ':').then_some(end + 1)
}

/// 第一节, 第1节, 首节, 末节, 加时
fn chinese_period(reading: &ClauseReading, at: usize) -> Option<PeriodMention> {
    let text = |at: usize| reading.text(at);
    let found = |end: usize, period: GamePeriod| Some(PeriodMention::new(at, end, period));
    match (text(at), text(at + 1)) {
        ("首", "节") => return found(at + 2, GamePeriod::Numbered(1)),
        ("末", "节") => return found(at + 2, GamePeriod::Last),
        ("加", "时") => {
            let end = if text(at + 2) == "赛" { at + 3 } else { at + 2 };
            return found(end, GamePeriod::Overtime(1));
        }
        _ => {}
    }
    let start = at + usize::from(text(at) == "第");
    let (which, end) = match reading.token(start)?.whole_number() {
        Some(digit) => (f64::from(digit), start + 1),
        None => in_words(&reading.tokens, start)?,
    };
    let noun = text(end);
    if (1.0..=9.0).contains(&which) && noun == "节" && (start > at || text(end + 1) != "课") {
        return found(end + 1, GamePeriod::Numbered(which as u32));
    }
    None
}

/// Whether digits at a token begin a clock with a colon.
fn is_clock_at(reading: &ClauseReading, at: usize) -> bool {
    reading.is_mark(at + 1, ':')
        && reading.token(at + 1).is_some_and(|token| !token.spaced)
        && reading.token(at + 2).is_some_and(|token| token.is_digits() && !token.spaced)
}

/// The clocks of a text with their periods, in order.
/// `has_seconds` is whether a decimal below 60 is one.
pub(super) fn clocks(
    reading: &ClauseReading,
    periods: &[PeriodMention],
    has_seconds: bool,
) -> Vec<ClockMention> {
    let mut found: Vec<ClockMention> = Vec::new();
    let mut at = 0;
    while at < reading.tokens.len() {
        let in_period = periods.iter().find(|period| !period.is_bare && period.start == at);
        if let Some(period) = in_period {
            // Seconds alone are a clock after their period: `Q1 13.5`.
            at = period.end;
            if let Some((clock, end)) = seconds_alone(reading, at) {
                found.push(ClockMention { start: at, end, clock });
                at = end;
            }
            continue;
        }
        // `P13:09` is neither a period nor a time.
        let is_glued = reading.token(at).is_some_and(|token| !token.spaced)
            && at.checked_sub(1).is_some_and(|before| matches!(reading.text(before), "p" | "q"));
        let time = clock(reading, at)
            .filter(|_| !is_glued)
            .or_else(|| seconds_with_mark(reading, at, has_seconds));
        match time {
            Some((clock, end)) => {
                found.push(ClockMention { start: at, end, clock });
                at = end;
            }
            None => at += 1,
        }
    }
    assign_periods(reading, &mut found, periods);
    found
}

/// `13.5"`, and `13.5` among times.
fn seconds_with_mark(
    reading: &ClauseReading,
    at: usize,
    has_seconds: bool,
) -> Option<(Clock, usize)> {
    let token = reading.token(at).filter(|token| token.is_digits())?;
    let value: f64 = token.text.parse().ok().filter(|value| *value < 60.0)?;
    let is_quoted = at.checked_sub(1).is_some_and(|before| reading.is_mark(before, '"'));
    let has_mark = reading.is_mark(at + 1, '"')
        && reading.token(at + 1).is_some_and(|mark| !mark.spaced)
        && !is_quoted;
    let is_decimal = has_seconds && value.fract() != 0.0 && !reading.is_mark(at + 1, '%');
    let clock = Clock { period: None, value, afternoon: None };
    (has_mark || is_decimal).then_some((clock, at + 1 + usize::from(has_mark)))
}

fn seconds_alone(reading: &ClauseReading, at: usize) -> Option<(Clock, usize)> {
    let mut at = at;
    if reading.is_mark(at, ',') || reading.is_mark(at, ':') {
        at += 1;
    }
    let token = reading.token(at).filter(|token| token.is_digits() && !is_clock_at(reading, at))?;
    let is_decimal = token.text.contains(['.', ',']);
    let value = value_of_digits(&token.text, Separators::English).filter(|value| *value < 60.0)?;
    let unit = reading.text(at + 1);
    let has_unit = is_second(unit) || unit == "\"";
    if !is_decimal && !has_unit {
        return None;
    }
    Some((Clock { period: None, value, afternoon: None }, at + 1 + usize::from(has_unit)))
}

fn is_second(word: &str) -> bool {
    matches!(
        word,
        "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "sekunden" | "sekunde" | "sek"
    )
}

fn is_minute(word: &str) -> bool {
    matches!(word, "m" | "min" | "mins" | "minute" | "minutes" | "分" | "minuten")
}

/// A number in digits or words.
fn number(reading: &ClauseReading, at: usize) -> Option<(f64, usize)> {
    let token = reading.token(at)?;
    if token.is_digits() {
        return Some((value_of_digits(&token.text, Separators::English)?, at + 1));
    }
    in_words(&reading.tokens, at)
}

/// A time at a token, without its period.
fn clock(reading: &ClauseReading, at: usize) -> Option<(Clock, usize)> {
    let token = reading.token(at)?;
    let text = |at: usize| reading.text(at);
    let plain = |value: f64| Clock { period: None, value, afternoon: None };
    if is_clock_at(reading, at) {
        let (first, second) = (token.whole_number()?, reading.token(at + 2)?);
        let decimals = value_of_digits(&second.text, Separators::English)?;
        let width = second.text.split(['.', ',']).next().map_or(0, str::len);
        if width != 2 || decimals >= 60.0 {
            return None;
        }
        // Hours, minutes and seconds.
        if is_clock_at(reading, at + 2) {
            return Some((plain(f64::from(first) * 60.0 + decimals), at + 5));
        }
        let end = at + 3;
        let hour = f64::from(first) * 60.0 + decimals;
        return Some(part_of_day(reading, at, end, first, hour));
    }
    if let Some(day) = time_in_words(reading, at).or_else(|| chinese_time_before(reading, at)) {
        return Some(day);
    }
    let (value, end) = number(reading, at)?;
    // 14.50 Uhr, 14h50, 14 Uhr 50
    if token.is_digits() {
        if text(end) == "uhr"
            && let Some((hours, minutes)) = token.text.split_once('.')
        {
            let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
            return Some((plain(hours * 60.0 + minutes), end + 1));
        }
        if matches!(text(end), "h" | "uhr" | "点" | "时") && value < 25.0 {
            let (minutes, last) = match text(end + 1) {
                "半" => (30.0, end + 2),
                _ => match number(reading, end + 1).filter(|(minutes, _)| *minutes < 60.0) {
                    Some((minutes, last)) => (minutes, last),
                    None => (0.0, end + 1),
                },
            };
            if text(end) != "h" || last > end + 1 {
                let last = last + usize::from(text(last) == "分");
                let (clock, _) =
                    part_of_day(reading, at, last, value as u32, value * 60.0 + minutes);
                return Some((clock, last));
            }
        }
        // 1450 hours, 2 p.m.
        if token.text.len() == 4 && matches!(text(end), "hours" | "hrs" | "h") {
            let number = token.whole_number()?;
            return Some((plain(f64::from(number / 100 * 60 + number % 100)), end + 1));
        }
        if let Some((afternoon, last)) = half_of_day(reading, end) {
            let compact = token.text.split_once('.');
            let (hours, minutes) = match compact {
                Some((hours, minutes)) => (hours.parse().ok()?, minutes.parse().ok()?),
                None => (value, 0.0),
            };
            return Some((in_half(hours * 60.0 + minutes, afternoon), last));
        }
    } else if text(end) == "点" && value < 25.0 {
        let (minutes, last) = match text(end + 1) {
            "半" => (30.0, end + 2),
            "一" if text(end + 2) == "刻" => (15.0, end + 3),
            "三" if text(end + 2) == "刻" => (45.0, end + 3),
            _ => number(reading, end + 1)
                .filter(|(minutes, _)| *minutes < 60.0)
                .unwrap_or((0.0, end + 1)),
        };
        let last = last + usize::from(text(last) == "分");
        let (clock, _) = part_of_day(reading, at, last, value as u32, value * 60.0 + minutes);
        return Some((clock, last));
    }
    if let Some(time) = hour_and_minute(reading, at, end, value) {
        return Some(time);
    }
    // 9 minutes (and) 30 seconds, 9分30秒
    if is_minute(text(end)) && text(end) != "m" {
        // 9分钟 and 10分 are a duration and points.
        let mut next = end + 1;
        if matches!(text(next), "and" | "und" | ",") {
            next += 1;
        }
        if let Some((seconds, last)) = number(reading, next).filter(|(seconds, _)| *seconds < 60.0)
            && is_second(text(last))
            && !is_duration(reading, at, last + 1)
        {
            return Some((plain(value * 60.0 + seconds), last + 1));
        }
        return None;
    }
    if is_second(text(end))
        && value < 60.0
        && value.fract() != 0.0
        && !is_duration(reading, at, end + 1)
    {
        return Some((plain(value), end + 1));
    }
    None
}

/// Whether minutes and seconds are how long something took: `4 minutes and 7 seconds later`.
fn is_duration(reading: &ClauseReading, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or("", |at| reading.text(at));
    let after = reading.text(end);
    matches!(
        after,
        "later"
            | "after"
            | "afterwards"
            | "earlier"
            | "before"
            | "ago"
            | "apart"
            | "long"
            | "passed"
            | "后"
            | "之"
            | "以"
            | "前"
            | "später"
            | "danach"
            | "zuvor"
            | "vorher"
    ) || matches!(before, "after" | "nach" | "过" | "exactly" | "另" | "within" | "隔")
}

fn in_half(value: f64, afternoon: bool) -> Clock {
    let is_noon_hour = (NOON..NOON + 60.0).contains(&value);
    let value = match afternoon {
        true if value < NOON => value + NOON,
        false if is_noon_hour => value - NOON,
        _ => value,
    };
    Clock { period: None, value, afternoon: Some(afternoon) }
}

/// `a.m.`, `p.m.`, `in the afternoon`, with its end.
fn half_of_day(reading: &ClauseReading, at: usize) -> Option<(bool, usize)> {
    let text = |at: usize| reading.text(at);
    match text(at) {
        "am" if matches!(text(at + 1), "nachmittag" | "abend" | "vormittag" | "morgen") => {
            return Some((matches!(text(at + 1), "nachmittag" | "abend"), at + 2));
        }
        "am" => return Some((false, at + 1)),
        "pm" => return Some((true, at + 1)),
        half @ ("a" | "p") if text(at + 1) == "." && text(at + 2) == "m" => {
            return Some((half == "p", at + 3 + usize::from(text(at + 3) == ".")));
        }
        "in" | "at" | "this" => {
            let skip = usize::from(text(at + 1) == "the");
            match text(at + 1 + skip) {
                "afternoon" | "evening" => return Some((true, at + 2 + skip)),
                "morning" | "night" => return Some((false, at + 2 + skip)),
                _ => {}
            }
        }
        "nachmittags" | "abends" => return Some((true, at + 1)),
        "morgens" | "vormittags" | "nachts" => return Some((false, at + 1)),
        _ => {}
    }
    None
}

/// Hours and minutes with their half of the day; a game clock has none.
fn part_of_day(
    reading: &ClauseReading,
    at: usize,
    end: usize,
    hours: u32,
    minutes: f64,
) -> (Clock, usize) {
    let before = |back: usize| at.checked_sub(back).map_or("", |at| reading.text(at));
    let mut after = end;
    let is_hour = matches!(reading.text(after), "uhr" | "h" | "hours" | "o'clock" | "hrs");
    if is_hour {
        after += 1;
    }
    if reading.text(after) == "o'clock" {
        after += 1;
    }
    let chinese = match (before(2), before(1)) {
        ("下", "午") | ("傍", "晚") | ("晚", "上") => Some(true),
        ("上", "午") | ("早", "上") | ("凌", "晨") => Some(false),
        _ => None,
    };
    if let Some(afternoon) = chinese {
        return (in_half(minutes, afternoon), after);
    }
    if let Some((afternoon, last)) = half_of_day(reading, after)
        && hours <= 24
    {
        return (in_half(minutes, afternoon), last);
    }
    (Clock { period: None, value: minutes, afternoon: None }, after)
}

/// `half past two`, `ten to three`, `zehn vor drei`, `halb drei`, `Viertel nach zwei`
fn time_in_words(reading: &ClauseReading, at: usize) -> Option<(Clock, usize)> {
    let text = |at: usize| reading.text(at);
    let hour = |at: usize| {
        number(reading, at).filter(|(hour, _)| (1.0..=12.0).contains(hour) && hour.fract() == 0.0)
    };
    let (minutes, after) = match text(at) {
        "half" | "quarter" | "viertel" => {
            let minutes = if text(at) == "half" { 30.0 } else { 15.0 };
            (minutes, at + 1)
        }
        "halb" => {
            let (hour, end) = hour(at + 1)?;
            return Some(spoken_hour(reading, hour - 1.0, 30.0, end));
        }
        _ => {
            let (minutes, end) = number(reading, at).filter(|(minutes, _)| *minutes < 60.0)?;
            (minutes, end + usize::from(is_minute(text(end)) && text(end) != "分"))
        }
    };
    let (is_past, next) = match text(after) {
        "past" | "nach" => (true, after + 1),
        "after" if is_minute(text(after - 1)) => (true, after + 1),
        "to" | "vor" | "before" => (false, after + 1),
        _ => return None,
    };
    // `101 to 99` is a score.
    if text(after) == "to"
        && (reading.token(next)?.is_digits() || reading.token(at)?.is_digits())
        && !matches!(minutes as u32, 5 | 10 | 15 | 20 | 25)
    {
        return None;
    }
    let (hour, end) = hour(next)?;
    let has_half = half_of_day(reading, end + usize::from(text(end) == "o'clock")).is_some();
    if text(after) == "to" && !has_half {
        return None;
    }
    if is_past {
        Some(spoken_hour(reading, hour, minutes, end))
    } else {
        Some(spoken_hour(reading, hour - 1.0, 60.0 - minutes, end))
    }
}

/// 三点差十分, 差十分三点: ten to three.
fn chinese_time_before(reading: &ClauseReading, at: usize) -> Option<(Clock, usize)> {
    let text = |at: usize| reading.text(at);
    let hour = |at: usize| {
        number(reading, at).filter(|(hour, end)| *hour < 25.0 && matches!(text(*end), "点" | "时"))
    };
    let minutes = |at: usize| {
        number(reading, at).filter(|(minutes, end)| *minutes < 60.0 && text(*end) == "分")
    };
    let (hour, minutes, end) = if text(at) == "差" {
        let (minutes, unit) = minutes(at + 1)?;
        let (hour, end) = hour(unit + 1)?;
        (hour, minutes, end + 1)
    } else {
        let (hour, unit) = hour(at)?;
        let (minutes, end) = minutes(unit + 2).filter(|_| text(unit + 1) == "差")?;
        (hour, minutes, end + 1)
    };
    Some(part_of_day(reading, at, end, hour as u32, hour * 60.0 - minutes))
}

/// The times with a full stop that are clauses of their own: `Answer: 14.50`.
pub(super) fn decimals(reading: &ClauseReading) -> Vec<super::mentions::Mention> {
    let time = |at: usize| {
        let token = reading.token(at).filter(|token| token.is_digits())?;
        let (hours, minutes) = token.text.split_once('.')?;
        let (hour, minute): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
        let clause = reading.clause(at);
        let is_alone = (clause.start..clause.end).all(|other| {
            other == at
                || reading.token(other).is_none_or(|token| token.kind == TokenKind::Mark)
                || matches!(reading.text(other), "at" | "um")
        });
        let is_time = minutes.len() == 2 && hour < 24.0 && minute < 60.0 && is_alone;
        let clock = Clock { period: None, value: hour * 60.0 + minute, afternoon: None };
        let value = super::mentions::ClaimValue::Clock(clock);
        is_time.then(|| super::mentions::Mention::new(at, at + 1, value))
    };
    (0..reading.tokens.len()).filter_map(time).collect()
}

/// `nine fifteen` as a clause, `neun Uhr fünfzehn`
fn hour_and_minute(
    reading: &ClauseReading,
    at: usize,
    end: usize,
    hour: f64,
) -> Option<(Clock, usize)> {
    let is_word = |at: usize| reading.token(at).is_some_and(|token| token.kind == TokenKind::Word);
    let has_unit = reading.text(end) == "uhr";
    let from = end + usize::from(has_unit);
    let (minute, last) = number(reading, from).filter(|_| is_word(at) && is_word(from))?;
    let clause = reading.clause(at);
    let is_around = |other: &usize| *other < at || *other >= last;
    let is_alone = (clause.start..clause.end).filter(is_around).all(|at| {
        !is_word(at) || matches!(reading.text(at), "at" | "it's" | "a" | "p" | "m" | "am" | "pm")
    });
    let is_time = hour < 25.0 && hour.fract() == 0.0 && (10.0..60.0).contains(&minute);
    if !is_time || !(has_unit || is_alone) {
        return None;
    }
    let time = hour * 60.0 + minute;
    Some(match half_of_day(reading, last) {
        Some((afternoon, end)) => (in_half(time, afternoon), end),
        None => (Clock { period: None, value: time, afternoon: None }, last),
    })
}

fn spoken_hour(reading: &ClauseReading, hour: f64, minutes: f64, end: usize) -> (Clock, usize) {
    let value = hour * 60.0 + minutes;
    match half_of_day(reading, end) {
        Some((afternoon, last)) => (in_half(value, afternoon), last),
        None => (Clock { period: None, value, afternoon: None }, end),
    }
}

/// Each clock takes the period beside it: those before it in texts that name periods first, else
/// those after it. Without one it has that of the clock or the heading before.
fn assign_periods(reading: &ClauseReading, clocks: &mut [ClockMention], periods: &[PeriodMention]) {
    let first_clock = clocks.first().map_or(usize::MAX, |clock| clock.start);
    let is_before = periods.iter().any(|period| !period.is_bare && period.end <= first_clock)
        || periods.iter().any(|period| {
            period.end == first_clock
                || (period.end + 1 == first_clock
                    && reading.gap(period.start, first_clock) <= TokenGap::Comma)
        });
    let mut latest: Option<GamePeriod> = None;
    let mut from = 0;
    for at in 0..clocks.len() {
        let clock = clocks[at];
        let next = clocks.get(at + 1).map_or(reading.tokens.len(), |clock| clock.start);
        let before = periods
            .iter()
            .filter(|period| period.start >= from && period.end <= clock.start)
            .rfind(|period| {
                !period.is_bare
                    || reading.gap(period.start, clock.start) <= TokenGap::Comma
                        && clock.start - period.end <= 2
            });
        let after = periods
            .iter()
            .filter(|period| period.start >= clock.end && period.end <= next)
            .find(|period| {
                let limit = if period.is_bare { 5 } else { 12 };
                let gap = reading.gap(clock.end - 1, period.start);
                gap <= TokenGap::Comma && period.start - clock.end <= limit
                    || gap <= TokenGap::Clause && period.is_labelled
            });
        let own = match (before, after) {
            (Some(before), Some(after)) if !is_before && !before.is_bare => {
                // A heading, or the period of this clock after it.
                Some(if reading.gap(before.start, clock.start) >= TokenGap::Clause {
                    after
                } else {
                    before
                })
            }
            (Some(before), _) => Some(before),
            (None, Some(after))
                if !is_before
                    || after.end == clock.end + 1
                    || after.is_labelled
                    || reading.gap(clock.end - 1, after.start) == TokenGap::None =>
            {
                Some(after)
            }
            _ => None,
        };
        from = clock.end;
        if let Some(own) = own {
            latest = Some(own.period);
            from = from.max(own.end);
        }
        clocks[at].clock.period = latest;
        // Two ways to give a time are in one mention only if nothing separates them.
        if let Some(own) = own
            && own.end <= clock.start
            && clock.start - own.end <= 1
        {
            clocks[at].start = own.start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Clock> {
        let reading = ClauseReading::new(text);
        let periods = periods(&reading);
        clocks(&reading, &periods, false).into_iter().map(|mention| mention.clock).collect()
    }

    #[test]
    fn one_time_in_many_forms() {
        let expected = read("Q1 9:30")[0];
        for text in [
            "Q1 9:30",
            "9:30 (Q1)",
            "Q1, 09:30",
            "1st quarter, 9:30",
            "(quarter1 9:30)",
            "(1 quarter 9:30)",
            "with 9:30 left in the first quarter",
            "with 9 minutes and 30 seconds left in the first",
            "nine minutes thirty seconds left in Q1",
            "at 9:30 in the 1st",
            "第一节9:30",
            "第1节9分30秒",
            "第一节还剩9分30秒",
            "首节 9：30",
            "im ersten Viertel bei 9:30",
            "1. Viertel, 9:30",
            "9:30 Q1",
            "quarter one, 9:30",
            "1Q 9:30",
        ] {
            let found = read(text);
            assert!(found.len() == 1 && found[0].fits(expected), "{text}: {found:?}");
        }
        for text in ["9:30", "Q2 9:30", "Q1 9:31", "9:30 in the second", "Q1"] {
            assert!(!read(text).iter().any(|clock| clock.fits(expected)), "{text}");
        }
        for text in ["Q1 13.5", "Q1 0:13.5", "13.5 seconds left in the 1st quarter", "第一节 13.5"]
        {
            assert!(read(text)[0].fits(read("Q1 13.5")[0]), "{text}");
        }
    }

    #[test]
    fn periods_are_those_beside_a_clock() {
        let times = |text: &str| -> Vec<(Option<GamePeriod>, f64)> {
            read(text).into_iter().map(|clock| (clock.period, clock.value)).collect()
        };
        let first = Some(GamePeriod::Numbered(1));
        let second = Some(GamePeriod::Numbered(2));
        assert_eq!(
            times("9:30 in the first and 8:15 in the second"),
            [(first, 570.0), (second, 495.0)]
        );
        assert_eq!(
            times("First quarter:\n9:30 Ann\n8:15 Bo\nSecond quarter:\n3:00 Cy"),
            [(first, 570.0), (first, 495.0), (second, 180.0)]
        );
        assert_eq!(times("Ann, 2, 9:30 Q1\nBo, 3, 8:15 Q2"), [(first, 570.0), (second, 495.0)]);
        assert_eq!(times("from Q1 9:30 to Q2 8:15"), [(first, 570.0), (second, 495.0)]);
    }

    #[test]
    fn times_of_the_day() {
        let expected = read("14:50")[0];
        for text in [
            "2:50 PM",
            "2:50 p.m.",
            "2.50 pm",
            "14:50 h",
            "14.50 Uhr",
            "14 Uhr 50",
            "14h50",
            "下午2点50分",
            "14点50分",
            "2:50 in the afternoon",
            "ten to three in the afternoon",
            "14:50 o'clock",
            "14:50:00",
            "2:50",
            "1450 hours",
            "下午两点五十分",
        ] {
            let found = read(text);
            assert!(found.len() == 1 && found[0].fits(expected), "{text}: {found:?}");
        }
        for text in ["2:50 a.m.", "14:30", "2:51 pm", "凌晨2点50分"] {
            assert!(!read(text)[0].fits(expected), "{text}");
        }
    }
}
