//! What a text asserts: numbers, times, names, options, yes and no, with its stance towards each.
//!
//! A response in prose mentions many values: those of its answer, of the question, of the working,
//! and those that it denies, takes back or only considers. `Reading` has the text as clauses with
//! the cues of `cues.tsv`, which has English, Chinese and German; [`claims`] are the values with their stances,
//! and [`ClaimVerdict`] tells whether the text gives an expected one as its answer.

mod choice;
mod clock;
mod cues;
mod mentions;
mod names;
mod numerals;
mod order;
mod reading;
mod recent;
mod rows;
mod stance;
mod tokens;

use std::ops::Range;
use std::sync::Arc;

pub use choice::ClaimVerdict;
pub use clock::{Clock, GamePeriod};
pub use mentions::{ClaimValue, evened_call};
pub use names::NameList;
pub use reading::ClauseReading;
pub use rows::{Column, Row, rows};
pub use stance::Stance;

use choice::bytes;
use mentions::{
    Mention, TimesOfText, answers, are_equal, calls, choices, names as name_mentions, numbers,
};
use recent::Recent;
use stance::{Assessed, assessed};

/// The kind of values that are read.
#[derive(Clone, Copy, Debug)]
pub enum AssertedKind<'a> {
    /// A number; one with a sign of per cent is none.
    Number,
    /// A number of per cent, with or without the sign.
    Percent,
    Clock,
    Name(&'a NameList),
    /// Options by letter or by text.
    Choice(&'a [String]),
    YesNo,
    Call,
}

/// A value that a text mentions.
#[derive(Clone, Debug)]
pub struct Claim {
    pub value: ClaimValue,
    pub stance: Stance,
    /// Bytes of the text.
    pub place: Range<usize>,
    /// The words that decided the stance.
    pub cue: Option<Range<usize>>,
    pub unit: Option<String>,
}

/// A text with its values of one kind.
struct Claims<'r> {
    reading: &'r ClauseReading,
    all: Arc<Vec<Assessed>>,
}

impl<'r> Claims<'r> {
    fn new(text: &str, reading: &'r ClauseReading, kind: AssertedKind<'_>) -> Claims<'r> {
        let key = match kind {
            AssertedKind::Name(roster) => roster.key(),
            other => format!("{other:?}"),
        };
        let all = reading.claims.get(key, || {
            let mut all = assessed(reading, mentions_of(text, reading, kind));
            if matches!(kind, AssertedKind::Choice(_)) {
                order::deny_marked(reading, &mut all);
            }
            deny_earlier(&mut all);
            if matches!(kind, AssertedKind::Percent) {
                prefer_signs(reading, &mut all);
            }
            all
        });
        Claims { reading, all }
    }
}

/// Next to `28.6 %`, the numbers without the sign are only what it was computed from, unless a line is labelled as the
/// answer or the two are alternatives.
fn prefer_signs(reading: &ClauseReading, all: &mut [Assessed]) {
    if !all.iter().any(|one| one.mention.is_percent && one.stance.is_asserted()) {
        return;
    }
    let slots = choice::slots(reading);
    for one in all
        .iter_mut()
        .filter(|one| one.stance.is_asserted() && !one.mention.is_percent && !one.is_alternative)
    {
        if !slots.iter().any(|slot| slot.contains(&one.mention.start)) {
            one.is_elsewhen = true;
        }
    }
}

/// A value that is denied after it was asserted is taken back.
fn deny_earlier(all: &mut [Assessed]) {
    for at in 1..all.len() {
        if all[at].stance != Stance::Negated {
            continue;
        }
        let cue_is_before =
            all[at].cue.as_ref().is_some_and(|cue| cue.end <= all[at].mention.start);
        let is_name = matches!(all[at].mention.value, ClaimValue::Name(_));
        let is_restated = |value: &ClaimValue, all: &[Assessed]| {
            all[at + 1..]
                .iter()
                .any(|later| later.stance.is_asserted() && later.mention.value.is_same(value))
        };
        if is_name && !cue_is_before || is_restated(&all[at].mention.value, all) {
            continue;
        }
        let (value, cue) = (all[at].mention.value.clone(), all[at].cue.clone());
        for one in all[..at]
            .iter_mut()
            .filter(|one| one.stance.is_asserted() && one.mention.value.is_same(&value))
        {
            one.stance = Stance::Retracted;
            one.cue = cue.clone();
        }
    }
}

/// Whether a number is inside of a call with named arguments.
fn has_argument(call: &Mention, number: &Mention) -> bool {
    let is_named = matches!(&call.value, ClaimValue::Call(text) if text.contains('='));
    is_named && call.start <= number.start && number.end <= call.end
}

fn mentions_of(text: &str, reading: &ClauseReading, kind: AssertedKind<'_>) -> Vec<Mention> {
    match kind {
        AssertedKind::Number | AssertedKind::Percent => {
            let mask = TimesOfText::new(reading, false).mask(reading);
            let is_number = matches!(kind, AssertedKind::Number);
            let mut found = numbers(reading, &mask, false);
            let has_plain = found.iter().any(|mention| !mention.in_pair);
            // The points of both sides are no answer to a question for one number.
            found.retain(|mention| !(has_plain && mention.in_pair));
            // A named argument is a value of its call: `book(people=6)`.
            let calls = calls(reading, text);
            found.retain(|mention| !calls.iter().any(|call| has_argument(call, mention)));
            let has_times = TimesOfText::new(reading, false).clocks.len() > 1;
            found.retain(|mention| !(has_times && leads_line(reading, mention)));
            // `6 (50 % of all)`
            let has_count = found.iter().any(|mention| !mention.is_percent && !mention.is_weak);
            found.retain(|mention| !(is_number && has_count && mention.is_percent));
            if !is_number {
                found.retain(|mention| mention.is_percent || !counts_things(reading, mention));
            }
            if is_number {
                // 30 % is not 30.
                for mention in found.iter_mut().filter(|mention| mention.is_percent) {
                    if let ClaimValue::Number(value) = &mut mention.value {
                        *value /= 100.0;
                    }
                }
            }
            found
        }
        AssertedKind::Clock => {
            let times = TimesOfText::new(reading, false).mentions();
            if times.is_empty() { clock::decimals(reading) } else { times }
        }
        AssertedKind::Name(roster) => name_mentions(reading, roster),
        AssertedKind::Choice(options) => choices(reading, options),
        AssertedKind::YesNo => answers(reading),
        AssertedKind::Call => calls(reading, text),
    }
}

/// Whether a decimal begins a line of a list of times: `23.5 – Gulls`.
fn leads_line(reading: &ClauseReading, mention: &Mention) -> bool {
    let is_decimal =
        matches!(mention.value, ClaimValue::Number(value) if value.fract() != 0.0 && value < 60.0);
    let is_first =
        mention.start > 0 && reading.gaps.get(mention.start) >= Some(&reading::TokenGap::Line);
    is_decimal && is_first && reading.is_mark(mention.end, '-')
}

/// Whether what a number counts follows it: `62.5 tickets` are no per cent.
fn counts_things(reading: &ClauseReading, mention: &Mention) -> bool {
    let Some(next) = reading.token(mention.end) else { return false };
    let is_plural = next.text.len() > 3
        && next.text.ends_with('s')
        && !next.text.ends_with("ss")
        && !matches!(
            next.text.as_str(),
            "points" | "this" | "plus" | "minus" | "always" | "perhaps"
        );
    let is_noun = is_plural || next.text == "people" || next.is_capital && next.text.len() > 3;
    next.kind == tokens::TokenKind::Word
        && reading.gap(mention.end.saturating_sub(1), mention.end) == reading::TokenGap::None
        && is_noun
}

/// The values of a kind that a text mentions, in order.
pub fn claims(text: &str, reading: &ClauseReading, kind: AssertedKind<'_>) -> Vec<Claim> {
    let claims = Claims::new(text, reading, kind);
    let has_now = claims.all.iter().any(|one| one.stance.is_asserted() && !one.is_elsewhen);
    let claim = |one: Assessed| Claim {
        place: bytes(reading, one.mention.start..one.mention.end),
        stance: match one.stance {
            _ if one.is_alternative => Stance::Hedged,
            stance if stance.is_asserted() && one.is_elsewhen && has_now => Stance::Reported,
            stance => stance,
        },
        cue: one.cue.map(|cue| bytes(reading, cue)),
        unit: one.mention.unit,
        value: one.mention.value,
    };
    claims.all.iter().cloned().map(claim).collect()
}

/// Words of numbers that are near the one that is meant.
const APPROXIMATELY: &[&str] = &[
    "about",
    "around",
    "roughly",
    "approximately",
    "approx",
    ".",
    "circa",
    "ca",
    "nearly",
    "almost",
    "close",
    "to",
    "≈",
    "~",
    "∼",
    "-",
    "ish",
    "or",
    "so",
    "ungefähr",
    "etwa",
    "rund",
    "zirka",
    "annähernd",
    "fast",
    "大",
    "约",
    "概",
    "左",
    "右",
    "差",
    "不",
    "多",
    "将",
    "近",
    "接",
    "around",
    "somewhere",
    "some",
];

/// An expected value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// A number, and how far from it an answer may be.
    Number {
        value: f64,
        within: f64,
    },
    Value(ClaimValue),
}

impl Expected {
    /// Whether a claimed value is this one.
    pub fn is_met_by(&self, value: &ClaimValue) -> bool {
        match (self, value) {
            (Expected::Number { value, within }, ClaimValue::Number(own)) => {
                are_equal(*own, *value) || (own - value).abs() <= within + 1e-9
            }
            (Expected::Value(ClaimValue::Clock(wanted)), ClaimValue::Clock(own)) => {
                own.fits(*wanted)
            }
            (Expected::Value(ClaimValue::Name(None)), _) => false,
            (Expected::Value(wanted), own) => wanted == own,
            (Expected::Number { .. }, _) => false,
        }
    }
}

/// Whether a text gives an expected value, and no other one, as its answer.
pub fn verdict(
    text: &str,
    reading: &ClauseReading,
    kind: AssertedKind<'_>,
    expected: &Expected,
) -> ClaimVerdict {
    let claims = Claims::new(text, reading, kind);
    let is_met = |mention: &Mention| expected.is_met_by(&mention.value);
    if matches!(expected, Expected::Number { within, .. } if *within > 0.0) {
        // Where a number may be off, it may also say so.
        let mut all: Vec<Assessed> = claims.all.to_vec();
        for one in all.iter_mut().filter(|one| one.stance == Stance::Hedged) {
            let is_about = |cue: &Range<usize>| {
                cue.clone().all(|at| APPROXIMATELY.contains(&reading.text(at)))
            };
            if one.cue.as_ref().is_some_and(is_about) {
                one.stance = Stance::Asserted;
            }
        }
        return choice::verdict(claims.reading, &all, &is_met);
    }
    choice::verdict(claims.reading, &claims.all, &is_met)
}

/// Whether a text names exactly these entries of a roster, in this order or in any.
pub fn names_verdict(
    reading: &ClauseReading,
    roster: &NameList,
    expected: &[usize],
    is_ordered: bool,
) -> ClaimVerdict {
    order::verdict(reading, roster, expected, is_ordered)
}

/// The number of texts whose readings are kept, and their maximum length.
const MAX_READINGS: usize = 8;
const MAX_KEPT_BYTES: usize = 20_000;

impl ClauseReading {
    /// Reads a text.
    pub fn of(text: &str) -> Arc<ClauseReading> {
        thread_local! {
            static READINGS: Recent<String, ClauseReading> = const { Recent::new(MAX_READINGS) };
        }
        if text.len() > MAX_KEPT_BYTES {
            return Arc::new(ClauseReading::new(text));
        }
        READINGS.with(|readings| readings.get(text.to_owned(), |text| ClauseReading::new(text)))
    }
}

/// The time that a text is, as `Q1 9:30`, or as `13.5` for seconds; `None` if it is not one.
pub fn clock(text: &str) -> Option<Clock> {
    let reading = ClauseReading::new(text);
    match TimesOfText::new(&reading, true).clocks.as_slice() {
        [mention] => Some(mention.clock),
        _ => {
            let seconds = text.trim().trim_end_matches('"').parse().ok();
            let value = seconds.filter(|value| (0.0..60.0).contains(value))?;
            Some(Clock { period: None, value, afternoon: None })
        }
    }
}

/// The period that a text is, as `Q1`.
pub fn period(text: &str) -> Option<GamePeriod> {
    let reading = ClauseReading::new(text);
    match clock::periods(&reading).as_slice() {
        [mention] => Some(mention.period),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
