//! Rows of values that belong together: a name with its number, a play with its player, its points and
//! its time, in lines, tables and prose.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::choice::bytes;
use super::clock::GamePeriod;
use super::cues::{Cue, CueClass};
use super::mentions::{ClaimValue, Mention, TimesOfText, cover, names, numbers};
use super::names::NameList;
use super::reading::{ClauseReading, TokenGap};
use super::stance::{Assessed, Stance, assess_mentions, retractions};
use super::tokens::Token;

/// A column of a row.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    Number,
    Percent,
    /// A time, of this period if the text names none.
    Clock(Option<GamePeriod>),
    Name(&'a NameList),
}

/// A row: a value for each column that has one.
#[derive(Clone, Debug)]
pub struct Row {
    pub values: Vec<Option<ClaimValue>>,
    pub stance: Stance,
    /// Bytes of the text.
    pub place: Range<usize>,
    /// The same with the words around it, from the end of the row before.
    pub around: Range<usize>,
    pub cue: Option<Range<usize>>,
}

/// A value in the order of the text.
#[derive(Clone, Debug)]
struct RowEvent {
    assessed: Assessed,
    /// The columns that it can be in.
    columns: Vec<usize>,
}

impl RowEvent {
    fn start(&self) -> usize {
        self.assessed.mention.start
    }

    fn end(&self) -> usize {
        self.assessed.mention.end
    }

    fn is_name(&self) -> bool {
        matches!(self.assessed.mention.value, ClaimValue::Name(_))
    }
}

/// The events of a row under construction.
#[derive(Clone, Debug, Default)]
struct RowDraft {
    /// The position of an event for each column.
    events: Vec<Option<usize>>,
    /// Columns with the value of another row.
    inherited: Vec<bool>,
    /// The tokens that make the row one of two that may be meant.
    either: Option<Range<usize>>,
}

impl RowDraft {
    fn new(width: usize) -> RowDraft {
        RowDraft { events: vec![None; width], inherited: vec![false; width], either: None }
    }
}

/// The rows of a text, in order. Rows with fewer than two values are none, if there are two columns.
pub fn rows(reading: &ClauseReading, columns: &[Column<'_>]) -> Arc<Vec<Row>> {
    let key = |column: &Column<'_>| match column {
        Column::Name(roster) => roster.key(),
        other => format!("{other:?}"),
    };
    let keys: Vec<String> = columns.iter().map(key).collect();
    reading.rows.get(keys.join("\u{3}"), || read_rows(reading, columns))
}

fn read_rows(reading: &ClauseReading, columns: &[Column<'_>]) -> Vec<Row> {
    let is_score = is_score(columns);
    let events = events(reading, columns, is_score);
    let drafts = if is_score {
        scores(reading, columns, &events)
    } else {
        let mut drafts = grouped(reading, columns.len(), &events);
        inherit(reading, columns, &events, &mut drafts);
        drafts
    };
    let tie = match columns {
        [Column::Name(roster), Column::Number] => roster.tie_entry(),
        _ => None,
    };
    let is_counted = matches!(columns.first(), Some(Column::Name(roster)) if is_of_things(roster));
    finished(reading, &events, drafts, columns.len(), (is_score, is_counted, tie))
}

/// Whether the rows are the points of sides: each name with a number of its own.
fn is_score(columns: &[Column<'_>]) -> bool {
    match columns {
        [Column::Name(roster), Column::Number] => roster.tie_entry().is_none(),
        _ => false,
    }
}

fn events(reading: &ClauseReading, columns: &[Column<'_>], is_score: bool) -> Vec<RowEvent> {
    let has_clock = columns.iter().any(|column| matches!(column, Column::Clock(_)));
    // Beside times, a decimal is one of seconds: `13.5`.
    let mut times = TimesOfText::new(reading, has_clock);
    if !has_clock {
        // `50:48` is a score unless it says that it is a time.
        times.clocks.retain(|clock| {
            is_said_as_time(reading, clock.start, clock.end) || clock.clock.period.is_some()
        });
    }
    let mut mask = times.mask(reading);
    let mut events: Vec<RowEvent> = Vec::new();
    let mut rosters: Vec<(&NameList, Vec<usize>)> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        if let Column::Name(roster) = column {
            match rosters.iter_mut().find(|(other, _)| other == roster) {
                Some((_, places)) => places.push(at),
                None => rosters.push((roster, vec![at])),
            }
        }
    }
    let mut labels: Vec<Range<usize>> = Vec::new();
    let things = things(reading, &rosters);
    let is_counted = columns.iter().any(|column| matches!(column, Column::Number));
    let zeros = if is_counted { zeros(reading, &things) } else { Vec::new() };
    let scoreless = if is_score { scoreless(reading) } else { Vec::new() };
    for (index, (roster, places)) in rosters.iter().enumerate() {
        let mentions = names(reading, roster);
        for mention in &mentions {
            cover(&mut mask, mention.start, mention.end);
            labels.push(mention.start..mention.end);
        }
        let compares = !is_score && rosters.len() == 1 && places.len() == 1 && roster.len() <= 4;
        let assessed = assess_mentions(reading, mentions, compares);
        let mut assessed = assessed;
        if compares {
            lead_by_trailing(reading, roster, &mut assessed);
        }
        if index > 0 || is_score && is_of_things(roster) {
            // `no threes`, `neither a steal nor a block` give a number of them.
            let is_none = |one: &Assessed| {
                one.cue.as_ref().is_some_and(|cue| {
                    cue.end == one.mention.start
                        && reading.has_cue(CueClass::NegatorNear, cue.start, cue.end)
                })
            };
            for one in &mut assessed {
                let none = is_none_of(&zeros, one.mention.start);
                if none || one.stance == Stance::Negated && is_none(one) {
                    (one.stance, one.is_alternative) = (Stance::Asserted, false);
                }
            }
        }
        for one in &mut assessed {
            assert_none(reading, one, &zeros, &scoreless);
        }
        let kept = assessed.into_iter().filter(|one| {
            !(compares
                && one.stance == Stance::Reported
                && one.cue.as_ref().is_some_and(|cue| {
                    reading.cues_in(CueClass::Over, cue.start, cue.end).next().is_some()
                }))
        });
        events.extend(kept.map(|assessed| RowEvent { assessed, columns: places.clone() }));
    }
    for (at, column) in columns.iter().enumerate() {
        let mentions = match column {
            Column::Clock(period) => {
                let mut mentions = times.mentions();

                for mention in &mut mentions {
                    if let ClaimValue::Clock(clock) = &mut mention.value {
                        clock.period = clock.period.or(*period);
                    }
                }
                without_durations(reading, without_sums(reading, without_ranges(reading, mentions)))
            }
            Column::Number | Column::Percent => {
                let is_percent = matches!(column, Column::Percent);
                let found = numbers(reading, &mask, !is_percent);
                let found = without_operands(reading, found);
                let found = if is_lead(columns) { without_owned(reading, found) } else { found };
                row_numbers(
                    reading,
                    found,
                    Named { labels: &labels, zeros: &zeros, scoreless: &scoreless },
                    has_clock,
                    is_score,
                )
            }
            Column::Name(_) => continue,
        };
        let mut assessed = assess_mentions(reading, mentions, false);
        // A word of a name is no condition: `Calder Falls 2` has no German `falls`.
        let is_named = |cue: Range<usize>| {
            labels.iter().any(|name| name.start <= cue.start && cue.end <= name.end)
        };
        for one in assessed.iter_mut().filter(|one| one.stance == Stance::Reported) {
            let (start, end) = (reading.clause(one.mention.start).start, one.mention.start);
            let mut conditions = reading.cues_in(CueClass::Condition, start, end);
            if one.cue.clone().is_some_and(is_named)
                && conditions.all(|cue| is_named(cue.start..cue.end))
            {
                (one.stance, one.cue) = (Stance::Asserted, None);
            }
        }
        for one in &mut assessed {
            let is_zero = matches!(one.mention.value, ClaimValue::Number(value) if value == 0.0);
            let is_stated = scoreless.contains(&(one.mention.start..one.mention.end));
            if is_stated || is_zero && things.iter().any(|label| label.start == one.mention.end) {
                (one.stance, one.cue, one.is_alternative) = (Stance::Asserted, None, false);
            } else if let Some(cue) = failed_before(reading, &one.mention)
                && (!is_score || !things.is_empty())
            {
                (one.stance, one.cue) = (Stance::Negated, Some(cue));
            }
        }
        if matches!(column, Column::Clock(_)) {
            for one in &mut assessed {
                if let Some(cue) = second_period(reading, &times, &one.mention) {
                    one.is_alternative = true;
                    one.cue = Some(cue);
                }
            }
        }
        if is_score {
            // `99-101` is a score and no range, but `101到110` is one.
            for one in &mut assessed {
                let or = one.cue.as_ref().is_some_and(|cue| {
                    reading.has_cue(CueClass::Or, cue.start, cue.end)
                        || reading.has_cue(CueClass::Alternative, cue.start, cue.end)
                        || cue.clone().any(|at| {
                            matches!(reading.text(at), "到" | "至" | "bis" | "through" | "~")
                        })
                });
                one.is_alternative &= or;
            }
            hedge_ranges(reading, &labels, &mut assessed);
        }
        events
            .extend(assessed.into_iter().map(|assessed| RowEvent { assessed, columns: vec![at] }));
    }
    if is_score && let [(roster, _)] = rosters.as_slice() {
        add_level_sides(reading, roster, &scoreless, &mut events);
    }
    events.sort_by_key(|event| (event.start(), event.end()));
    if !is_score {
        let is_pair = |at: usize, events: &[RowEvent]| events[at].assessed.mention.in_pair;
        for at in 0..events.len() {
            if is_pair(at, &events) {
                events[at].assessed.is_alternative = false;
            }
        }
    }
    events
}

/// Makes the numbers uncertain where each of several sides has a range: `Gulls 99-101, Cranes 95-97`.
fn hedge_ranges(reading: &ClauseReading, labels: &[Range<usize>], assessed: &mut [Assessed]) {
    let follows_name = |at: usize| {
        labels
            .iter()
            .any(|label| label.end == at || label.end + 1 == at && reading.is_mark(label.end, ':'))
    };
    let is_range = |at: usize| {
        let (one, other) = (&assessed[at].mention, &assessed[at + 1].mention);
        let joins =
            other.start == one.end + 1 && matches!(reading.text(one.end), "-" | "to" | "—" | "bis");
        let rises = matches!((&one.value, &other.value),
            (ClaimValue::Number(first), ClaimValue::Number(second)) if first < second);
        joins && rises && follows_name(one.start)
    };
    let ranges: Vec<usize> =
        (0..assessed.len().saturating_sub(1)).filter(|at| is_range(*at)).collect();
    if ranges.len() < 2 {
        return;
    }
    for at in ranges {
        let cue = assessed[at].mention.end..assessed[at + 1].mention.start;
        for one in &mut assessed[at..=at + 1] {
            (one.is_alternative, one.cue) = (true, Some(cue.clone()));
        }
    }
}

const ARTICLES: &[&str] = &[
    "a", "an", "any", "the", "single", "his", "her", "their", "all", "another", "ein", "eine",
    "einen", "den", "die", "seinen", "seine", "ihre", "ihren", "einzigen", "einzige", "了", "任",
    "何",
];

/// Whether a list names things that are counted: `threes`, or 分, in which points are.
fn is_of_things(roster: &NameList) -> bool {
    roster.name(0).starts_with(|c: char| c.is_lowercase()) || roster.position("分").is_some()
}

/// The names of things that are counted, in order.
fn things(reading: &ClauseReading, rosters: &[(&NameList, Vec<usize>)]) -> Vec<Range<usize>> {
    let mut things: Vec<Range<usize>> = rosters
        .iter()
        .enumerate()
        .filter(|(index, (roster, _))| *index > 0 || is_of_things(roster))
        .flat_map(|(_, (roster, _))| names(reading, roster))
        .map(|mention| mention.start..mention.end)
        .collect();
    things.sort_by_key(|thing| thing.start);
    things
}

/// The words by which there is none of a thing, each up to the thing: `no threes`, `without a steal or a block`.
fn zeros(reading: &ClauseReading, things: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut zeros: Vec<Range<usize>> = Vec::new();
    for (at, thing) in things.iter().enumerate() {
        let start = without_articles(reading, thing.start);
        let is_joint = |at: &usize| matches!(reading.text(*at), "or" | "nor" | "oder" | "noch");
        let joint = start.checked_sub(1).filter(is_joint);
        let goes_on = at
            .checked_sub(1)
            .map(|before| &things[before])
            .is_some_and(|before| Some(before.end) == joint && is_none_of(&zeros, before.start));
        let listed = joint.filter(|_| goes_on).map(|joint| joint..thing.start);
        zeros.extend(none_before(reading, thing.start).or(listed));
    }
    zeros
}

/// Whether there is none of the thing at a token.
fn is_none_of(zeros: &[Range<usize>], thing: usize) -> bool {
    zeros.iter().any(|zero| zero.end == thing)
}

/// The start of the articles before a token.
fn without_articles(reading: &ClauseReading, at: usize) -> usize {
    let mut start = at;
    // `neither 1 threes` is `neither a three` in the plural.
    let is_article = |at: usize| {
        let before = at.checked_sub(1).map_or("", |at| reading.text(at));
        ARTICLES.contains(&reading.text(at))
            || reading.text(at) == "1" && matches!(before, "neither" | "nor" | "without" | "or")
    };
    while let Some(before) = start.checked_sub(1)
        && is_article(before)
    {
        start = before;
    }
    start
}

/// The words by which a side has no points: `yet to score`, and the verb of `Neither the Gulls nor the Cranes have
/// scored`.
fn scoreless(reading: &ClauseReading) -> Vec<Range<usize>> {
    let end = reading.tokens.len();
    let mut found: Vec<Range<usize>> =
        reading.cues_in(CueClass::Zero, 0, end).map(|cue| cue.start..cue.end).collect();
    for cue in reading.cues_in(CueClass::Negator, 0, end) {
        let is_neither = matches!(reading.text(cue.start), "neither" | "weder");
        let verb = (cue.end..reading.sentence(cue.start).end)
            .find(|at| matches!(reading.text(*at), "scored" | "score" | "getroffen" | "gepunktet"));
        if let Some(verb) = verb.filter(|_| is_neither) {
            found.push(verb..verb + 1);
        }
    }
    found.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.dedup_by(|next, own| next.start < own.end);
    found
}

/// Asserts a name that is only denied by the words by which it has none of something.
fn assert_none(
    reading: &ClauseReading,
    one: &mut Assessed,
    zeros: &[Range<usize>],
    scoreless: &[Range<usize>],
) {
    let Some(cue) = one.cue.clone().filter(|_| one.stance == Stance::Negated) else { return };
    let clause = reading.clause(one.mention.start);
    let is_neither = matches!(reading.text(cue.start), "neither" | "nor" | "weder" | "noch");
    let has_none = scoreless
        .iter()
        .any(|place| place.contains(&cue.start) || is_neither && place.start >= one.mention.end)
        || cue.start >= one.mention.end
            && zeros.iter().any(|zero| zero.start >= cue.end && zero.start < clause.end);
    if has_none {
        (one.stance, one.cue, one.is_alternative) = (Stance::Asserted, None, false);
    }
}

/// Gives both sides the points of a text that names none of them: `Still 0-0`, `29 all`.
fn add_level_sides(
    reading: &ClauseReading,
    roster: &NameList,
    scoreless: &[Range<usize>],
    events: &mut Vec<RowEvent>,
) {
    if roster.len() != 2 || events.iter().any(RowEvent::is_name) {
        return;
    }
    let is_level = |at: usize| {
        let own = &events[at].assessed.mention;
        let next = events.get(at + 1).map(|next| &next.assessed.mention);
        scoreless.contains(&(own.start..own.end))
            || is_of_every_side(reading, own)
            || is_tied(reading, own.start)
            || next
                .is_some_and(|next| own.in_pair && next.in_pair && next.value.is_same(&own.value))
    };
    let Some(at) = (0..events.len()).find(|at| is_level(*at)) else { return };
    let own = events[at].assessed.clone();
    for entry in 0..2 {
        let (start, value) = (own.mention.start, ClaimValue::Name(Some(entry)));
        let assessed = Assessed { mention: Mention::new(start, start, value), ..own.clone() };
        events.push(RowEvent { assessed, columns: vec![0] });
    }
}

/// `tied at 2`
fn is_tied(reading: &ClauseReading, number: usize) -> bool {
    let clause = reading.clause(number);
    let is_at = number.checked_sub(1).is_some_and(|at| matches!(reading.text(at), "at" | "bei"));
    is_at && reading.has_cue(CueClass::Tie, clause.start, number)
}

/// Whether a cell of a table has the sum of its row: `Total: 31`.
fn is_labelled_total(reading: &ClauseReading, mention: &Mention) -> bool {
    let Some(label) = mention.start.checked_sub(2) else { return false };
    reading.is_mark(label + 1, ':')
        && matches!(reading.text(label), "total" | "points" | "sum" | "gesamt" | "summe" | "punkte")
}

/// `101 all`
fn is_of_every_side(reading: &ClauseReading, mention: &Mention) -> bool {
    matches!(reading.text(mention.end), "all" | "apiece" | "each" | "平")
}

/// A negator whose clause has one of the things after it, with nothing but an article between: `neither a steal`,
/// `did not make a free throw`, `without a three`.
fn none_before(reading: &ClauseReading, thing: usize) -> Option<Range<usize>> {
    let start = without_articles(reading, thing);
    let clause = reading.clause(thing);
    let is_indefinite_article = |at: usize| {
        matches!(
            reading.text(at),
            "a" | "an" | "any" | "single" | "1" | "ein" | "eine" | "einen" | "auf"
        )
    };
    let near = reading.cues_in(CueClass::NegatorNear, clause.start, start).find(|cue| {
        cue.end == start
            && matches!(
                reading.text(cue.start),
                "no" | "without" | "ohne" | "kein" | "keine" | "keinen" | "没"
            )
    });
    if let Some(cue) = near.filter(|_| (start..thing).all(is_indefinite_article)) {
        return Some(cue.start..thing);
    }
    let cue = reading.cues_in(CueClass::Negator, clause.start, start).last()?;
    let joins = matches!(reading.text(cue.start), "neither" | "nor" | "weder" | "noch");
    let has_other = (cue.end..start).any(|at| reading.token(at).is_some_and(Token::is_digits));
    let is_joined =
        (cue.end..start).any(|at| matches!(reading.text(at), "or" | "nor" | "oder" | "noch"));
    let is_indefinite = (start..thing).any(|at| {
        matches!(reading.text(at), "a" | "an" | "any" | "single" | "1" | "ein" | "eine" | "einen")
    });
    if start == thing {
        return (joins && cue.end == thing).then_some(cue.start..thing);
    }
    (is_indefinite && !has_other && (is_joined || start - cue.end <= 3)).then_some(start..thing)
}

/// The words before a number by which it counts tries that failed: `missed a three`.
fn failed_before(reading: &ClauseReading, mention: &Mention) -> Option<Range<usize>> {
    let clause = reading.clause(mention.start);
    let cue = reading.cues_in(CueClass::Failed, clause.start, mention.start).last()?;
    let is_number = matches!(mention.value, ClaimValue::Number(_));
    let is_near = (cue.end..mention.start).all(|at| {
        ARTICLES.contains(&reading.text(at)) || matches!(reading.text(at), "of" | "von" | "只")
    });
    (is_number && is_near).then_some(cue.start..cue.end)
}

/// The numbers without those that a result is computed from: `1 × 2 + 3 = 5`.
fn without_operands(reading: &ClauseReading, found: Vec<Mention>) -> Vec<Mention> {
    let is_equal = |at: usize| {
        matches!(
            reading.text(at),
            "=" | "is" | "makes" | "gives" | "ist" | "ergibt" | "macht" | "是"
        )
    };
    let is_operator = |at: usize| {
        reading.token(at).and_then(Token::mark).is_some_and(|mark| "+×÷".contains(mark))
            || matches!(reading.text(at), "x" | "plus" | "times" | "mal" | "加" | "乘")
            || is_equal(at)
    };
    let joins = |pair: &[Mention]| pair[0].end + 1 == pair[1].start && is_operator(pair[0].end);
    let mut keep = vec![true; found.len()];
    let mut from = 0;
    while from < found.len() {
        let run = found[from..].windows(2).take_while(|pair| joins(pair)).count();
        let last = from + run;
        if run > 1 && is_equal(found[last].start - 1) {
            keep[from..last].fill(false);
        }
        from = last + 1;
    }
    found.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(mention, _)| mention).collect()
}

/// The digit of another period before a time: `Q1 or 2 9:06`.
fn second_period(
    reading: &ClauseReading,
    times: &TimesOfText,
    mention: &Mention,
) -> Option<Range<usize>> {
    let digit = mention.start.checked_sub(1)?;
    reading.token(digit).and_then(Token::whole_number)?;
    let joint = digit.checked_sub(1)?;
    let joins = reading.is_mark(joint, ',')
        || reading.is_mark(joint, '/')
        || reading.cues_in(CueClass::Or, joint, digit).next().is_some();
    let is_after_period = times.periods.iter().any(|period| !period.is_bare && period.end == joint);
    (joins && is_after_period).then_some(joint..mention.start)
}

/// Of two sides, the one that trails gives the lead to the other one.
fn lead_by_trailing(reading: &ClauseReading, roster: &NameList, assessed: &mut [Assessed]) {
    let tie = roster.tie_entry();
    let sides: Vec<usize> = (0..roster.len()).filter(|entry| Some(*entry) != tie).collect();
    let [one, other] = sides.as_slice() else { return };
    for claim in assessed.iter_mut().filter(|claim| claim.stance == Stance::Negated) {
        let trails = claim.cue.as_ref().is_some_and(|cue| {
            cue.start >= claim.mention.end
                && (reading.has_cue(CueClass::Trail, cue.start, cue.end)
                    || reading.has_cue(CueClass::Under, cue.start, cue.end))
        });
        if let (true, ClaimValue::Name(Some(entry))) = (trails, &mut claim.mention.value) {
            *entry = if entry == one { *other } else { *one };
            claim.stance = Stance::Asserted;
            claim.cue = None;
        }
    }
}

fn is_said_as_time(reading: &ClauseReading, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or("", |at| reading.text(at));
    matches!(before, "at" | "with" | "@" | "um" | "bei" | "the" | "在" | "剩" | "还")
        || matches!(
            reading.text(end),
            "left" | "remaining" | "to" | "mark" | "in" | "uhr" | "vor" | "的" | "时"
        ) && !reading.token(end + 1).is_some_and(Token::is_digits)
}

/// The times without the ends of a stretch, which the question names: `from Q1 9:30 to Q2 8:15`.
fn without_ranges(reading: &ClauseReading, mentions: Vec<Mention>) -> Vec<Mention> {
    let mut drop = vec![false; mentions.len()];
    for at in 1..mentions.len() {
        let (one, other) = (&mentions[at - 1], &mentions[at]);
        let sentence = reading.sentence(one.start);
        let from = reading
            .cues_in(CueClass::Between, sentence.start, one.start)
            .any(|cue| one.start - cue.end <= 2);
        let to = reading
            .cues_in(CueClass::To, one.end, other.start)
            .any(|cue| other.start - cue.end <= 2 && cue.start - one.end <= 2);
        if from && to {
            (drop[at - 1], drop[at]) = (true, true);
        }
    }
    mentions.into_iter().zip(drop).filter(|(_, drop)| !drop).map(|(mention, _)| mention).collect()
}

/// The times without those of a calculation, and without its result if that follows again: `8:30 minus 5:47 is 2:43, and
/// at 2:43 …`.
fn without_sums(reading: &ClauseReading, mentions: Vec<Mention>) -> Vec<Mention> {
    const OPERATORS: &[&str] = &["+", "-", "minus", "plus", "less", "减", "加", "再"];
    const EQUALS: &[&str] = &[
        "=", "is", "gives", "makes", "equals", "ist", "ergibt", "macht", "sind", "是", "得", "等",
    ];
    let mut drop = vec![false; mentions.len()];
    for (at, mention) in mentions.iter().enumerate() {
        let sentence = reading.sentence(mention.start);
        let operator =
            (mention.end..mention.end + 2).find(|at| OPERATORS.contains(&reading.text(*at)));
        let is_digits = |at: &usize| reading.token(*at).is_some_and(Token::is_digits);
        let operand = operator.and_then(|at| (at + 1..at + 3).find(is_digits));
        // `8:23 - Ann makes a three` adds nothing.
        let sign = operand.and_then(|operand| {
            let end = sentence.end.min(operand + 6);
            let sign = (operand + 1..end).find(|at| EQUALS.contains(&reading.text(*at)))?;
            let has_name =
                (operand..sign).any(|at| reading.token(at).is_some_and(|token| token.is_capital));
            (!has_name).then_some(sign)
        });
        let Some(sign) = sign else { continue };
        for (other, operand) in mentions.iter().enumerate().skip(at) {
            drop[other] |= operand.start < sign;
        }
        let result =
            mentions.iter().position(|other| other.start > sign && other.start - sign <= 3);
        let is_repeated = |result: usize| {
            let seconds = |mention: &Mention| match mention.value {
                ClaimValue::Clock(clock) => Some(clock.value),
                _ => None,
            };
            mentions[result + 1..].iter().any(|other| seconds(other) == seconds(&mentions[result]))
        };
        if let Some(result) = result.filter(|result| is_repeated(*result)) {
            drop[result] = true;
        }
    }
    mentions.into_iter().zip(drop).filter(|(_, drop)| !drop).map(|(mention, _)| mention).collect()
}

/// The times without those that something took: `5:47 later`, `it took 1:07`.
fn without_durations(reading: &ClauseReading, mentions: Vec<Mention>) -> Vec<Mention> {
    let took = |mention: &Mention| {
        let before = mention.start.checked_sub(1).map_or("", |at| reading.text(at));
        matches!(reading.text(mention.end), "later" | "earlier" | "afterwards" | "ago" | "später")
            || matches!(before, "took" | "takes" | "lasted" | "dauerte")
    };
    mentions.into_iter().filter(|mention| !took(mention)).collect()
}

/// Whether the rows say who leads and by how much.
fn is_lead(columns: &[Column<'_>]) -> bool {
    matches!(columns, [Column::Name(roster), Column::Number] if roster.tie_entry().is_some())
}

/// The numbers without those that somebody has: `without his six points the Gulls lead by 3`.
fn without_owned(reading: &ClauseReading, found: Vec<Mention>) -> Vec<Mention> {
    let is_owned = |mention: &Mention| {
        let before = mention.start.checked_sub(1);
        before.is_some_and(|before| {
            matches!(reading.text(before), "his" | "her" | "their" | "seine" | "seinen" | "ihre")
                || reading.token(before).is_some_and(|token| token.is_possessive)
                || reading.text(before) == "的"
                    && before
                        .checked_sub(1)
                        .is_some_and(|at| matches!(reading.text(at), "他" | "她"))
        })
    };
    found.into_iter().filter(|mention| !is_owned(mention)).collect()
}

/// The names of a text, and the words by which there is none of something.
#[derive(Clone, Copy)]
struct Named<'a> {
    labels: &'a [Range<usize>],
    zeros: &'a [Range<usize>],
    scoreless: &'a [Range<usize>],
}

/// The numbers that can be a value of a row.
fn row_numbers(
    reading: &ClauseReading,
    found: Vec<Mention>,
    Named { labels, zeros, scoreless }: Named<'_>,
    has_clock: bool,
    is_score: bool,
) -> Vec<Mention> {
    let mut kept: Vec<Mention> = Vec::new();
    let drops_pairs =
        has_clock || !is_score && found.iter().any(|mention| !mention.in_pair && !mention.is_weak);
    let next_label =
        |at: usize| labels.iter().any(|label| label.start >= at && label.start - at <= 1);
    let is_in = |mention: &Mention, places: &[Range<usize>]| {
        places.iter().any(|place| place.start < mention.end && mention.start < place.end)
    };
    for mut mention in found {
        let is_shot = is_score
            && mention.start.checked_sub(1).is_some_and(|before| {
                matches!(reading.text(before), "a" | "another")
                    && reading.token(mention.start).is_some_and(Token::is_word)
            });
        if is_in(&mention, zeros) || is_in(&mention, scoreless) || is_shot {
            continue;
        }
        if mention.is_weak {
            let is_zero = matches!(mention.value, ClaimValue::Number(value) if value == 0.0)
                && next_label(mention.end)
                && matches!(
                    reading.text(mention.start),
                    "no" | "zero" | "without" | "kein" | "keine" | "keinen" | "ohne" | "没"
                );
            let counts_none = is_score
                && matches!(reading.text(mention.start), "no" | "keine" | "kein")
                && matches!(
                    reading.text(mention.end),
                    "goal" | "goals" | "point" | "points" | "tor" | "tore" | "punkte"
                );
            // `White has nothing`
            let clause = reading.clause(mention.start);
            let has_nothing = is_score
                && matches!(
                    reading.text(mention.start),
                    "nothing" | "none" | "nil" | "nichts" | "keine"
                )
                && labels.iter().any(|label| {
                    clause.start <= label.start && label.end <= mention.start
                        || label.end + 1 == mention.start && reading.is_mark(label.end, ':')
                });
            // `No goals for the Gulls, one for the Cranes`
            let counts_one = is_score
                && reading.text(mention.start) == "one"
                && reading.text(mention.end) == "for";
            if !is_zero && !has_nothing && !counts_none && !counts_one {
                continue;
            }
            mention.is_weak = false;
        }
        let is_distance = mention.unit.as_deref().is_some_and(|unit| {
            matches!(
                unit,
                "foot"
                    | "feet"
                    | "ft"
                    | "meter"
                    | "metre"
                    | "yard"
                    | "英"
                    | "minute"
                    | "second"
                    | "秒"
                    | "time"
            )
        });
        if is_distance && !is_score || (mention.in_pair && drops_pairs) {
            continue;
        }
        // `7 of 8`: the second number is of attempts.
        let is_attempts = kept.last().is_some_and(|last| {
            let between: Vec<&str> = (last.end..mention.start).map(|at| reading.text(at)).collect();
            matches!(
                between.as_slice(),
                ["of"] | ["for"] | ["/"] | ["out", "of"] | ["von"] | ["-", "for", "-"] | ["投"]
            )
        });
        if is_attempts && !is_score {
            continue;
        }
        kept.push(mention);
    }
    let zero = |place: &Range<usize>| Mention::new(place.start, place.end, ClaimValue::Number(0.0));
    kept.extend(zeros.iter().chain(scoreless).map(zero));
    // `a three` is one, if `three` is a label.
    for label in labels.iter().filter(|label| !is_score && !is_none_of(zeros, label.start)) {
        let Some(before) = label.start.checked_sub(1) else { continue };
        if matches!(reading.text(before), "a" | "an" | "eine" | "einen" | "ein") {
            kept.push(Mention::new(before, label.start, ClaimValue::Number(1.0)));
        }
    }
    kept.sort_by_key(|mention| mention.start);
    kept
}

/// Groups events greedily: a row ends where a column is filled again, and at the end of a line if lines
/// are rows.
fn grouped(reading: &ClauseReading, width: usize, events: &[RowEvent]) -> Vec<RowDraft> {
    let lines_are_rows = lines_are_rows(reading, width, events);
    let names_lead = width > 2 && events.first().is_some_and(RowEvent::is_name);
    let mut drafts: Vec<RowDraft> = Vec::new();
    let mut draft = RowDraft::new(width);
    let mut last: Option<usize> = None;
    for (at, event) in events.iter().enumerate() {
        let gap = last.map_or(TokenGap::None, |last| {
            reading.gap(events[last].end().saturating_sub(1), event.start())
        });
        let filled = draft.events.iter().filter(|slot| slot.is_some()).count();
        let only_numbers =
            filled > 0
                && draft.events.iter().flatten().all(|own| {
                    matches!(events[*own].assessed.mention.value, ClaimValue::Number(_))
                });
        let same_again = draft.events.iter().flatten().any(|own| {
            events[*own].columns == event.columns
                && events[*own].assessed.mention.value.is_same(&event.assessed.mention.value)
                && gap <= TokenGap::Clause
                && last.is_some_and(|last| events[last].columns == event.columns)
                && !is_counted_next(events, at)
        });
        if same_again {
            last = Some(at);
            continue;
        }
        let free = event.columns.iter().copied().find(|column| draft.events[*column].is_none());
        // `Ann made two at 9:30 and another two at 8:15, Bo one at 7:00`
        let is_next_name = event.is_name()
            && event.columns.len() == 1
            && names_lead
            && !draft.events.iter().flatten().any(|own| events[*own].is_name())
            && filled + 1 == width
            && gap >= TokenGap::Comma;
        let ends = free.is_none()
            || is_next_name
            || (lines_are_rows && gap >= TokenGap::Line)
            || last
                .is_some_and(|last| starts_with_entry(reading, events[last].end(), event.start()))
            || gap >= TokenGap::Paragraph && filled == width
            || only_numbers && gap >= TokenGap::Clause;
        if ends && filled > 0 {
            drafts.push(std::mem::replace(&mut draft, RowDraft::new(width)));
        }
        if let Some(column) =
            event.columns.iter().copied().find(|column| draft.events[*column].is_none())
        {
            draft.events[column] = Some(at);
        }
        last = Some(at);
    }
    if draft.events.iter().any(Option::is_some) {
        drafts.push(draft);
    }
    drafts.retain(|draft| !is_total(reading, events, draft));
    drafts
}

/// Whether what a number counts follows it.
fn is_counted_next(events: &[RowEvent], at: usize) -> bool {
    let is_number = matches!(events[at].assessed.mention.value, ClaimValue::Number(_));
    let next = events.get(at + 1);
    is_number && next.is_some_and(|next| next.is_name() && next.start() <= events[at].end() + 1)
}

/// Whether a row is only the sum of others: `Total: 5 points`.
fn is_total(reading: &ClauseReading, events: &[RowEvent], draft: &RowDraft) -> bool {
    let own: Vec<usize> = draft.events.iter().flatten().copied().collect();
    let [at] = own.as_slice() else { return false };
    let sentence = reading.sentence(events[*at].start());
    matches!(events[*at].assessed.mention.value, ClaimValue::Number(_))
        && draft.events.len() > 2
        && reading.has_cue(CueClass::Total, sentence.start, sentence.end)
}

/// Whether a new line has a number of its own before an event: `4:29`, and below it `1, Gulls`.
fn starts_with_entry(reading: &ClauseReading, from: usize, to: usize) -> bool {
    (from..to).any(|at| {
        reading.gaps.get(at) == Some(&TokenGap::Line)
            && reading.token(at).is_some_and(Token::is_digits)
            && reading.is_mark(at + 1, ',')
            && at + 1 < to
    })
}

/// Whether a line has a value for each column.
fn lines_are_rows(reading: &ClauseReading, width: usize, events: &[RowEvent]) -> bool {
    let mut filled = vec![false; width];
    for (at, event) in events.iter().enumerate() {
        let is_new = at == 0
            || reading.gap(events[at - 1].end().saturating_sub(1), event.start()) >= TokenGap::Line;
        if is_new {
            filled = vec![false; width];
        }
        if let Some(column) = event.columns.iter().copied().find(|column| !filled[*column]) {
            filled[column] = true;
        }
        if filled.iter().all(|filled| *filled) {
            return true;
        }
    }
    false
}

/// Fills columns from the rows beside: a name holds until another one, `Ann and Bo scored 2 at 9:30` is of both.
fn inherit(
    reading: &ClauseReading,
    columns: &[Column<'_>],
    events: &[RowEvent],
    drafts: &mut [RowDraft],
) {
    let bounds = |draft: &RowDraft| -> Option<(usize, usize)> {
        let places: Vec<usize> = draft.events.iter().flatten().copied().collect();
        Some((events[*places.iter().min()?].start(), events[*places.iter().max()?].end()))
    };
    // From the row after: names that are joined.
    for at in (0..drafts.len().saturating_sub(1)).rev() {
        let only_name = drafts[at].events.iter().flatten().count() == 1
            && drafts[at].events.iter().flatten().all(|own| events[*own].is_name());
        let (Some(own), Some(following)) = (bounds(&drafts[at]), bounds(&drafts[at + 1])) else {
            continue;
        };
        let is_joined = (own.1..following.0).all(|at| {
            matches!(
                reading.text(at),
                "and" | "," | "&" | "und" | "和" | "、" | "both" | "then" | "was" | "it"
            )
        });
        if only_name
            && is_joined
            && reading.gap(own.1.saturating_sub(1), following.0) <= TokenGap::Comma
        {
            let next = drafts[at + 1].clone();
            // `Ann, Bo made two` is of one or the other; a list has a conjunction.
            let is_bare = is_comma(reading, own.1, following.0);
            let comma = own.1..following.0;
            let has_conjunction = next.inherited.contains(&true) && next.either.is_none();
            if is_bare && !has_conjunction {
                drafts[at].either = Some(comma.clone());
                drafts[at + 1].either = Some(comma);
            }
            for (column, slot) in next.events.iter().enumerate() {
                if drafts[at].events[column].is_none() && slot.is_some() {
                    drafts[at].events[column] = *slot;
                    drafts[at].inherited[column] = true;
                }
            }
        }
    }
    for at in 1..drafts.len() {
        let (before, rest) = drafts.split_at_mut(at);
        let (Some(before), Some(draft)) = (before.last(), rest.first_mut()) else { continue };
        let (Some(earlier), Some(own)) = (bounds(before), bounds(draft)) else { continue };
        let gap = reading.gap(earlier.1.saturating_sub(1), own.0);
        for (column, kind) in columns.iter().enumerate() {
            let holds = match kind {
                Column::Name(_) => column == 0 || !matches!(columns[0], Column::Name(_)),
                Column::Clock(_) => gap <= TokenGap::Clause,
                Column::Number | Column::Percent => false,
            };
            let has_own_name = draft
                .events
                .iter()
                .flatten()
                .any(|own| events[*own].is_name() && events[*own].columns.contains(&column));
            if draft.events[column].is_none()
                && holds
                && !has_own_name
                && before.events[column].is_some()
            {
                draft.events[column] = before.events[column];
                draft.inherited[column] = true;
            }
        }
    }
}

/// Whether nothing but a comma is between two places.
fn is_comma(reading: &ClauseReading, from: usize, to: usize) -> bool {
    to == from + 1 && reading.is_mark(from, ',')
}

/// The points of each side, sentence by sentence.
fn scores(reading: &ClauseReading, columns: &[Column<'_>], events: &[RowEvent]) -> Vec<RowDraft> {
    let Some(Column::Name(roster)) = columns.first() else { return Vec::new() };
    let mut drafts: Vec<RowDraft> = Vec::new();
    let mut start = 0;
    while start < events.len() {
        let mut end = start + 1;
        while end < events.len()
            && reading.gap(events[end - 1].end().saturating_sub(1), events[end].start())
                < TokenGap::Sentence
        {
            end += 1;
        }
        // A name alone on its line belongs to the number on the next one.
        let only_names = |range: Range<usize>| range.into_iter().all(|at| events[at].is_name());
        if only_names(start..end) && end < events.len() && end - start == 1 {
            let mut next = end + 1;
            while next < events.len()
                && reading.gap(events[next - 1].end().saturating_sub(1), events[next].start())
                    < TokenGap::Sentence
            {
                next += 1;
            }
            if (end..next).all(|at| !events[at].is_name()) {
                end = next;
            }
        } else if only_names(start..end) && end - start == 2 && end < events.len() {
            // A table with the sides in its header.
            let mut next = end;
            while next < events.len() && !events[next].is_name() && next - end < 2 {
                next += 1;
            }
            if next - end == 2 {
                end = next;
            }
        }
        score_rows(reading, roster, events, start..end, &mut drafts);
        start = end;
    }
    drafts
}

fn is_margin(reading: &ClauseReading, mention: &Mention) -> bool {
    let clause = reading.clause(mention.start);
    let before = reading.cues_in(CueClass::Margin, clause.start, mention.start).any(|cue| {
        mention.start - cue.end
            <= usize::from(
                reading.text(cue.end) == "了"
                    || reading.text(cue.end) == "just"
                    || reading.text(cue.end) == "only",
            )
    });
    let after = reading.cues_in(CueClass::MarginAfter, mention.end, mention.end + 5).any(|cue| {
        cue.start <= mention.end + 1 + usize::from(reading.is_mark(mention.end, '-'))
            && reading.gap(mention.end - 1, cue.start) == TokenGap::None
    });
    // `up two: 31 to 29`
    let is_up = mention
        .start
        .checked_sub(1)
        .is_some_and(|before| matches!(reading.text(before), "up" | "down"))
        && !mention.in_pair
        && !matches!(reading.text(mention.end), "-" | "to" | "—");
    before
        || is_up
        || after && !mention.in_pair
        || after
            && reading.cues_in(CueClass::MarginAfter, mention.end, mention.end + 3).any(|cue| {
                matches!(reading.text(cue.start), "run" | "start" | "burst" | "spurt" | "lauf")
            })
}

fn score_rows(
    reading: &ClauseReading,
    roster: &NameList,
    events: &[RowEvent],
    range: Range<usize>,
    drafts: &mut Vec<RowDraft>,
) {
    let number_at = |at: usize| match events[at].assessed.mention.value {
        ClaimValue::Number(value) => value,
        _ => 0.0,
    };
    let mut row = |name: usize, number: usize| {
        drafts.push(RowDraft { events: vec![Some(name), Some(number)], ..RowDraft::new(2) });
    };
    let is_aside = |at: usize| reading.clause(events[at].start()).is_aside;
    let all_numbers: Vec<usize> = range.clone().filter(|at| !events[*at].is_name()).collect();
    let names: Vec<usize> = range.clone().filter(|at| events[*at].is_name()).collect();
    let mut distinct: Vec<&ClaimValue> = Vec::new();
    for at in &names {
        let value = &events[*at].assessed.mention.value;
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    let without = |is_out: &dyn Fn(&Mention) -> bool, numbers: &[usize]| -> Vec<usize> {
        numbers.iter().copied().filter(|at| !is_out(&events[*at].assessed.mention)).collect()
    };
    let mut numbers = without(&|mention| is_margin(reading, mention), &all_numbers);
    // `The store leads with 15, followed by the shop (12) and the office (8)`
    if distinct.len() > 2 && numbers.len() < distinct.len() && all_numbers.len() == distinct.len() {
        numbers.clone_from(&all_numbers);
    }
    let totals = without(&|mention| !is_labelled_total(reading, mention), &numbers);
    if totals.len() >= distinct.len() {
        numbers = totals;
    }
    let plain = without(&|mention| is_lead_of(reading, mention), &numbers);
    if plain.len() >= distinct.len() {
        numbers = plain;
    }
    // Numbers in brackets are details if every name has another one.
    let open: Vec<usize> = numbers.iter().copied().filter(|at| !is_aside(*at)).collect();
    let numbers = if open.len() < distinct.len() { numbers } else { open };
    let is_counted = is_of_things(roster);
    let (Some(first), Some(_)) = (names.first().copied(), numbers.first()) else { return };
    let numbers = without_bare_pair(reading, events, &numbers, &names);
    // A number for every side: `101 all`.
    if let [number] = numbers.as_slice() {
        let start = events[*number].start();
        let before = start.checked_sub(1).map_or("", |at| reading.text(at));
        let is_scoreless = number_at(*number) == 0.0
            && reading.token(start).is_some_and(|token| !token.is_digits());
        if is_of_every_side(reading, &events[*number].assessed.mention)
            || matches!(before, "both" | "beide" | "都")
            || is_tied(reading, start)
            || is_scoreless
        {
            for name in &names {
                row(*name, *number);
            }
            return;
        }
    }
    let has_now = |at: usize| {
        let clause = reading.clause(events[at].start());
        reading.has_cue(CueClass::Now, clause.start, events[at].start())
    };
    // `Gulls 31, Otters 29 soon; now it is 29 all`
    let level = numbers.iter().copied().find(|number| {
        is_of_every_side(reading, &events[*number].assessed.mention) && has_now(*number)
    });
    if let Some(level) = level {
        names.iter().for_each(|name| row(*name, level));
        return;
    }
    let value = |at: usize| &events[at].assessed.mention.value;
    let other_side = |name: usize| names.iter().copied().find(|other| value(*other) != value(name));
    // The pair of a score with its sides.
    let pair = numbers.windows(2).find(|pair| {
        let (one, other) = (&events[pair[0]], &events[pair[1]]);
        let joined = one.assessed.mention.in_pair && other.assessed.mention.in_pair;
        let between: Vec<&str> = (one.end()..other.start()).map(|at| reading.text(at)).collect();
        joined || matches!(between.as_slice(), ["-"] | ["to"] | [":"] | ["比"] | ["zu"] | ["—"])
    });
    if let Some(pair) = pair {
        let (one, other) = (pair[0], pair[1]);
        let before: Vec<usize> = names.iter().copied().filter(|name| *name < one).collect();
        let after: Vec<usize> = names.iter().copied().filter(|name| *name > other).collect();
        // `Gulls 101 - Cranes 99` is no pair: a name is between.
        let (subject, rival) = match (before.as_slice(), after.as_slice()) {
            ([.., left], [right, ..]) if before.len() == 1 && value(*left) != value(*right) => {
                (*left, Some(*right))
            }
            ([left, .., right], _) if value(*left) != value(*right) => (*left, Some(*right)),
            ([left, ..], _) => (*left, other_side(*left)),
            ([], [right, ..]) => (*right, other_side(*right)),
            ([], []) => (first, other_side(first)),
        };
        let sentence = reading.sentence(events[subject].start());
        // `The Gulls, who trailed at the half, now lead 31-29`
        let now = reading
            .cues_in(CueClass::Now, events[subject].end(), events[one].start())
            .last()
            .map_or(0, |cue| cue.start);
        let from = events[subject].end().max(now);
        let pair = events[one].end()..events[other].start();
        let is_between = |cue: &super::cues::Cue| {
            !pair.contains(&cue.start)
                && (cue.start >= from || cue.start >= sentence.start && before.is_empty())
                && cue.start >= now
        };
        let trails = reading
            .cues_in(CueClass::Trail, sentence.start, sentence.end)
            .chain(reading.cues_in(CueClass::Under, sentence.start, sentence.end))
            .any(|cue| is_between(&cue) && !reading.has_cue(CueClass::Over, cue.start, cue.end));
        let leads = !trails
            && (reading
                .cues_in(CueClass::Over, sentence.start, sentence.end)
                .chain(reading.cues_in(CueClass::Claim, sentence.start, sentence.end))
                .any(|cue| is_between(&cue))
                || (from..sentence.end).any(|at| {
                    matches!(
                        reading.text(at),
                        "lead"
                            | "leading"
                            | "up"
                            | "won"
                            | "win"
                            | "wins"
                            | "领"
                            | "赢"
                            | "胜"
                            | "führen"
                            | "gewinnen"
                            | "gewannen"
                    )
                }));
        let (low, high) =
            if number_at(one) <= number_at(other) { (one, other) } else { (other, one) };
        // `129–140 from the Gulls' point of view`
        let is_viewed = before.is_empty()
            && (from..sentence.end)
                .any(|at| matches!(reading.text(at), "view" | "perspective" | "sicht" | "角"));
        let (own, rest) = if is_viewed {
            (one, other)
        } else if trails {
            (low, high)
        } else if leads {
            (high, low)
        } else {
            (one, other)
        };
        row(subject, own);
        match rival {
            Some(rival) => row(rival, rest),
            None => absent_side(roster, events, subject, rest, drafts),
        }
        // Any further score of the same sentence is read after it.
        return;
    }
    // Several sides and then as many numbers.
    let is_distinct = |(at, name): (usize, &usize)| {
        !names[..at].iter().any(|other| value(*other) == value(*name))
    };
    if names.len() > 1
        && names.len() == numbers.len()
        && names.last() < numbers.first()
        && names.iter().enumerate().all(is_distinct)
    {
        names.iter().zip(&numbers).for_each(|(name, number)| row(*name, *number));
        return;
    }
    // Each name with the numbers after it, or each number before its name.
    let numbers_lead = numbers.first().is_some_and(|number| *number < first) && {
        let last_name = names.last().copied().unwrap_or(first);
        numbers.iter().all(|number| *number < last_name)
    };
    for number in &numbers {
        let owner = owner_after(reading, events, *number, is_counted);
        let name = if numbers_lead {
            names.iter().copied().find(|name| name > number)
        } else {
            let before = names.iter().copied().rfind(|name| name < number);
            owner.or(before).or_else(|| leading_name(events, &names, &numbers, *number))
        };
        let Some(name) = name else { continue };
        let nearest = if owner == Some(name) || name > *number && !numbers_lead {
            true
        } else if numbers_lead {
            !numbers.iter().any(|other| other > number && *other < name)
        } else {
            !numbers.iter().any(|other| other < number && *other > name)
        };
        // Only a number that is listed beside it is a second value: `Gulls 101, 102`.
        let is_listed = numbers.iter().any(|other| {
            let (near, far) = (other.min(number), other.max(number));
            near != far
                && (events[*near].end()..events[*far].start()).all(|at| {
                    matches!(
                        reading.text(at),
                        "," | "/" | "or" | "and" | "oder" | "或" | "、" | "-" | "to" | "maybe"
                    )
                })
        });
        if nearest || is_listed {
            row(name, *number);
        }
        // `Gulls 101, Gulls, Cranes 99` gives 99 to both.
        let listed = name.checked_sub(1).filter(|before| {
            names.contains(before)
                && value(*before) != value(name)
                && is_comma(reading, events[*before].end(), events[name].start())
        });
        let is_first = |name: usize| {
            name.checked_sub(1).is_none_or(|before| {
                !numbers.contains(&before)
                    || !is_comma(reading, events[before].end(), events[name].start())
            })
        };
        if !numbers_lead
            && nearest
            && let Some(listed) = listed.filter(|listed| !is_first(*listed))
        {
            row(listed, *number);
        }
    }
}

/// The name that a number belongs to because it follows with a preposition, `the 29 of the Otters`, or as what is
/// counted, `9 won`.
fn owner_after(
    reading: &ClauseReading,
    events: &[RowEvent],
    number: usize,
    is_counted: bool,
) -> Option<usize> {
    let next = number + 1;
    let name = events.get(next).filter(|event| event.is_name())?;
    let words: Vec<&str> =
        (events[number].end()..name.start()).map(|at| reading.text(at)).collect();
    let is_article = |word: &&str| matches!(*word, "the" | "der" | "den" | "die" | "dem" | "team");
    let is_preposition = |word: &str| matches!(word, "of" | "for" | "von");
    let has_preposition = words
        .iter()
        .position(|word| is_preposition(word))
        .is_some_and(|at| at <= 1 && words.iter().skip(at + 1).all(is_article));
    let follows_name = number.checked_sub(1).is_some_and(|before| {
        events[before].is_name() && events[before].end() == events[number].start()
    });
    let is_thing = is_counted
        && !follows_name
        && (words.is_empty() || matches!(words.as_slice(), ["个" | "记" | "次" | "粒"]));
    (has_preposition || is_thing).then_some(next)
}

/// The first name for a number before it, if another name comes before the next number: `With 15 the store leads, then
/// the shop with 12`.
fn leading_name(
    events: &[RowEvent],
    names: &[usize],
    numbers: &[usize],
    number: usize,
) -> Option<usize> {
    let value = |at: usize| &events[at].assessed.mention.value;
    let first = *names.first().filter(|name| **name > number)?;
    let next = *numbers.iter().find(|other| **other > number)?;
    let second = *names.iter().find(|name| value(**name) != value(first))?;
    (first < next && second < next && names.get(1) == Some(&second)).then_some(first)
}

/// `führen mit zwei Punkten` may be a lead, or the points.
fn is_lead_of(reading: &ClauseReading, mention: &Mention) -> bool {
    let clause = reading.clause(mention.start);
    let is_with = mention.start.checked_sub(1).is_some_and(|at| reading.text(at) == "mit");
    is_with
        && !mention.in_pair
        && (clause.start..clause.end)
            .any(|at| matches!(reading.text(at), "führen" | "führt" | "vorn" | "vorne"))
}

/// The numbers without a pair that is apart from all names, if there are others: `It was 50-48 at the break; now
/// Gulls 101, Cranes 99`.
fn without_bare_pair(
    reading: &ClauseReading,
    events: &[RowEvent],
    numbers: &[usize],
    names: &[usize],
) -> Vec<usize> {
    let is_apart = |number: usize| {
        names.iter().all(|name| {
            let (near, far) = (number.min(*name), number.max(*name));
            reading.gap(events[near].start(), events[far].start()) >= TokenGap::Clause
        })
    };
    let pairs: Vec<usize> = numbers
        .iter()
        .copied()
        .filter(|number| {
            let start = events[*number].start();
            let is_now = reading.has_cue(CueClass::Now, reading.clause(start).start, start);
            events[*number].assessed.mention.in_pair && is_apart(*number) && !is_now
        })
        .collect();
    if pairs.len() < numbers.len() {
        numbers.iter().copied().filter(|number| !pairs.contains(number)).collect()
    } else {
        numbers.to_vec()
    }
}

/// The number of a side that is not named.
fn absent_side(
    roster: &NameList,
    events: &[RowEvent],
    subject: usize,
    number: usize,
    drafts: &mut Vec<RowDraft>,
) {
    let ClaimValue::Name(Some(own)) = events[subject].assessed.mention.value else { return };
    if roster.len() == 2 {
        drafts.push(RowDraft {
            events: vec![Some(subject), Some(number)],
            // Marked as the other side; `finished` reads it.
            inherited: vec![own < 2, false],
            either: None,
        });
    }
}

/// The rows with their stances; what is taken back later falls with its key.
fn finished(
    reading: &ClauseReading,
    events: &[RowEvent],
    drafts: Vec<RowDraft>,
    width: usize,
    (is_score, is_counted, tie): (bool, bool, Option<usize>),
) -> Vec<Row> {
    let is_tie =
        |at: &usize| tie.is_some() && events[*at].assessed.mention.value == ClaimValue::Name(tie);
    let least = width.min(2);
    let mut keyed: Vec<Assessed> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for draft in drafts {
        let own: Vec<usize> = draft.events.iter().flatten().copied().collect();
        let is_level = own.len() == 1 && own.iter().all(is_tie);
        if own.len() < least && !is_level {
            continue;
        }
        let fresh: Vec<usize> = draft
            .events
            .iter()
            .zip(&draft.inherited)
            .filter(|(_, inherited)| is_score || !**inherited)
            .filter_map(|(slot, _)| *slot)
            .collect();
        let Some(start) = fresh.iter().map(|at| events[*at].start()).min() else { continue };
        let Some(end) = fresh.iter().map(|at| events[*at].end()).max() else { continue };
        let bad = own
            .iter()
            .map(|at| &events[*at].assessed)
            .find(|one| !one.stance.is_asserted() || one.is_alternative);
        let own_cue = left_open(reading, events, &draft, end)
            .map(|cue| (Stance::Hedged, cue))
            .or_else(|| Some((Stance::Reported, wanted(reading, start, end, is_score)?)))
            .or_else(|| Some((Stance::Hedged, depends(reading, start, is_score)?)))
            .or_else(|| Some((Stance::Negated, failed_play(reading, events, &draft, start, end)?)))
            .filter(|_| bad.is_none());
        let stance = match (bad, &own_cue) {
            (Some(one), _) if one.is_alternative => Stance::Hedged,
            (Some(one), _) => one.stance,
            (None, Some((stance, _))) => *stance,
            (None, None) if draft.either.is_some() => Stance::Hedged,
            (None, None) => Stance::Asserted,
        };
        let mut values: Vec<Option<ClaimValue>> = draft
            .events
            .iter()
            .map(|slot| slot.map(|at| events[at].assessed.mention.value.clone()))
            .collect();
        // Nobody leads by nothing.
        if is_level && let Some(slot) = values.iter_mut().find(|slot| slot.is_none()) {
            *slot = Some(ClaimValue::Number(0.0));
        }
        // The side that is not named.
        if is_score
            && draft.inherited.first() == Some(&true)
            && let Some(Some(ClaimValue::Name(Some(name)))) = values.first_mut()
        {
            *name = 1 - *name;
        }
        swap_losers(reading, events, &draft, &mut values);
        let key = values.iter().flatten().next().cloned().unwrap_or(ClaimValue::Answer(true));
        let elsewhen = own.iter().any(|at| events[*at].assessed.is_elsewhen);
        let mut mention = Mention::new(start, end, key);
        mention.is_weak = false;
        keyed.push(Assessed {
            mention,
            stance,
            cue: match (bad, own_cue) {
                (Some(one), _) => one.cue.clone(),
                (None, Some((_, cue))) => Some(cue),
                (None, None) => draft.either.clone(),
            },
            is_alternative: false,
            is_elsewhen: elsewhen,
        });
        rows.push(Row {
            values,
            stance,
            place: bytes(reading, start..end),
            around: bytes(reading, start..reading.clause(end - 1).end.max(end)),
            cue: None,
        });
    }
    supersede(reading, &mut keyed, is_score);
    report_parts(&rows, &mut keyed);
    add_surroundings(reading, &keyed, &mut rows);
    offer_either(reading, &rows, &mut keyed);
    repeat_for_both(reading, &mut keyed, &mut rows);
    retractions(reading, &mut keyed, &|mention| hash(&mention.value));
    let spoken: Vec<bool> =
        keyed.iter().map(|one| one.stance.is_asserted() && !one.is_elsewhen).collect();
    if is_score {
        // A second value that may be meant makes the first one uncertain.
        let hedged: Vec<(ClaimValue, Option<Range<usize>>)> = keyed
            .iter()
            .filter(|one| one.stance == Stance::Hedged)
            .map(|one| (one.mention.value.clone(), one.cue.clone()))
            .collect();
        for one in keyed.iter_mut().filter(|one| one.stance.is_asserted()) {
            if let Some((_, cue)) = hedged.iter().find(|(value, _)| *value == one.mention.value) {
                one.stance = Stance::Hedged;
                one.cue = cue.clone();
            }
        }
    }
    // What is counted is told in the past: `won 9 and scored none`.
    let tells_time = is_score && !is_counted;
    for (at, (row, keyed)) in rows.iter_mut().zip(&keyed).enumerate() {
        row.stance = keyed.stance;
        row.cue = keyed.cue.clone().map(|cue| bytes(reading, cue));
        // What was so at another time does not count beside what is so now.
        let is_past = keyed.is_elsewhen || tells_time && is_told(reading, &keyed.mention);
        let has_now = keyed_rows(&spoken, at, is_past && !keyed.is_elsewhen);
        if row.stance.is_asserted() && is_past && has_now {
            row.stance = Stance::Reported;
        }
    }
    rows
}

/// What is said before `now` of a side counts only if nothing is said of it after that.
fn supersede(reading: &ClauseReading, keyed: &mut [Assessed], is_score: bool) {
    let is_present = |one: &Assessed, now: &Cue| one.mention.start >= now.start;
    let now = reading.cues_in(CueClass::Now, 0, reading.tokens.len()).filter(|now| {
        reading.clause(now.start).start + 1 >= now.start
            && keyed.iter().any(|one| is_present(one, now) && one.stance.is_asserted())
    });
    let Some(now) = now.last().filter(|_| is_score) else { return };
    let present: Vec<ClaimValue> = keyed
        .iter()
        .filter(|one| is_present(one, &now) && one.stance.is_asserted())
        .map(|one| one.mention.value.clone())
        .collect();
    for one in keyed.iter_mut().filter(|one| !is_present(one, &now)) {
        one.is_elsewhen |= present.contains(&one.mention.value);
    }
}

/// Values of the same names whose last one is the sum of the others are only its parts: `8 twos for 16 points, 5 threes
/// for 15, 31 points in all`.
fn report_parts(rows: &[Row], keyed: &mut [Assessed]) {
    let split = |row: &Row| {
        let (numbers, names): (Vec<ClaimValue>, Vec<ClaimValue>) = row
            .values
            .iter()
            .flatten()
            .cloned()
            .partition(|value| matches!(value, ClaimValue::Number(_)));
        match numbers.as_slice() {
            [ClaimValue::Number(number)] => Some((names, *number)),
            _ => None,
        }
    };
    let parts: Vec<Option<(Vec<ClaimValue>, f64)>> = rows.iter().map(split).collect();
    for (last, part) in parts.iter().enumerate() {
        let Some((names, total)) = part else { continue };
        let is_other = |other: &usize| {
            keyed[*other].stance.is_asserted()
                && parts[*other].as_ref().is_some_and(|(own, _)| own == names)
        };
        let others: Vec<usize> = (0..last).filter(is_other).collect();
        let sum: f64 = others.iter().filter_map(|at| Some(parts[*at].as_ref()?.1)).sum();
        if others.len() > 1 && sum == *total {
            others.iter().for_each(|at| keyed[*at].stance = Stance::Reported);
        }
    }
}

/// The words that leave open which of two names is which: `Ann and Bo met; either of them won`.
fn left_open(
    reading: &ClauseReading,
    events: &[RowEvent],
    draft: &RowDraft,
    end: usize,
) -> Option<Range<usize>> {
    let names: Vec<usize> =
        draft.events.iter().flatten().copied().filter(|at| events[*at].is_name()).collect();
    let [one, other] = names.as_slice() else { return None };
    let sentence = reading.sentence(end - 1);
    let cue = reading.cues_in(CueClass::EitherOf, end, sentence.end).next()?;
    (events[*one].columns == events[*other].columns).then_some(cue.start..cue.end)
}

/// The condition on which the points of a side depend: `If it counts, Gulls 31, Otters 29; otherwise 29 all`.
fn depends(reading: &ClauseReading, start: usize, is_score: bool) -> Option<Range<usize>> {
    let sentence = reading.sentence(start);
    let cue = reading
        .cues_in(CueClass::Condition, sentence.start, start)
        .find(|cue| cue.start == sentence.start)?;
    let turns = (start..sentence.end)
        .any(|at| matches!(reading.text(at), "otherwise" | "else" | "sonst" | "否"));
    (is_score && turns).then_some(cue.start..cue.end)
}

/// The words by which the points of a side are not those that it has: `The Gulls would need 101`.
fn wanted(
    reading: &ClauseReading,
    start: usize,
    end: usize,
    is_score: bool,
) -> Option<Range<usize>> {
    let sentence = reading.sentence(start);
    let counts = |cue: &Cue| {
        reading.gap(cue.end - 1, start.max(cue.end)) <= TokenGap::Comma
            && (cue.end..cue.end + 3).any(|at| reading.token(at).is_some_and(Token::is_digits))
    };
    let cue = reading.cues_in(CueClass::Wanted, sentence.start, end).find(counts)?;
    is_score.then_some(cue.start..cue.end)
}

/// The words by which a play of a player at a time did not succeed: `Ann missed at Q1 9:30`.
fn failed_play(
    reading: &ClauseReading,
    events: &[RowEvent],
    draft: &RowDraft,
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    const SUCCESS: &[&str] = &[
        "made",
        "makes",
        "hit",
        "hits",
        "scored",
        "scores",
        "sank",
        "converted",
        "and",
        "but",
        "traf",
        "verwandelte",
        "und",
        "aber",
        "但",
        "再",
        "又",
        "后",
    ];
    let has = |is_it: &dyn Fn(&ClaimValue) -> bool| {
        draft.events.iter().flatten().any(|at| is_it(&events[*at].assessed.mention.value))
    };
    let is_play = has(&|value| matches!(value, ClaimValue::Clock(_)))
        && has(&|value| matches!(value, ClaimValue::Name(_)));
    let clause = reading.clause(end - 1);
    let cue = reading.cues_in(CueClass::Failed, start, clause.end).next()?;
    let turns = (cue.end..clause.end).any(|at| SUCCESS.contains(&reading.text(at)));
    (is_play && !turns).then_some(cue.start..cue.end)
}

/// Makes a row and the one that is offered beside it uncertain: `Ann, 2, Q1 9:30 or Bo, 3, Q1 8:15`.
fn offer_either(reading: &ClauseReading, rows: &[Row], keyed: &mut [Assessed]) {
    let is_live = |one: &Assessed| one.stance.is_asserted() || one.stance == Stance::Hedged;
    for at in 1..keyed.len() {
        let (from, to) = (keyed[at - 1].mention.end, keyed[at].mention.start);
        // `neither a steal or a block`
        let are_none =
            rows[at - 1..=at].iter().all(|row| row.values.contains(&Some(ClaimValue::Number(0.0))));
        if from >= to || are_none || rows[at - 1].values == rows[at].values {
            continue;
        }
        let cue = reading.cues_in(CueClass::Or, from, to).find(|cue| {
            cue.start - from <= 3
                && to - cue.end <= 2
                && (from..cue.start).all(|at| !reading.token(at).is_some_and(Token::is_word))
        });
        if let Some(cue) = cue
            && is_live(&keyed[at - 1])
            && is_live(&keyed[at])
        {
            for one in &mut keyed[at - 1..=at] {
                one.stance = Stance::Hedged;
                one.cue = Some(cue.start..cue.end);
            }
        }
    }
}

/// Extends each row to the words before it that belong to no other row.
fn add_surroundings(reading: &ClauseReading, keyed: &[Assessed], rows: &mut [Row]) {
    let mut from = 0;
    for (row, keyed) in rows.iter_mut().zip(keyed) {
        let (start, end) = (keyed.mention.start, keyed.mention.end);
        let mut clause_end = reading.clause(end.saturating_sub(1)).end.max(end);
        // What is in brackets after a row is about it: `by 6 (no free throws) and by 1`.
        let aside = reading.clause(clause_end);
        if reading.is_mark(clause_end, '(') && aside.is_aside && aside.start == clause_end {
            clause_end = aside.end;
        }
        row.around = bytes(reading, from.min(start)..clause_end);
        from = clause_end.max(from);
    }
}

/// One row that is said to hold in both cases is two.
fn repeat_for_both(reading: &ClauseReading, keyed: &mut Vec<Assessed>, rows: &mut Vec<Row>) {
    let ([row], [one]) = (rows.as_slice(), keyed.as_slice()) else { return };
    let sentence = reading.sentence(one.mention.start);
    if reading.has_cue(CueClass::Both, sentence.start, sentence.end) {
        let (row, one) = (row.clone(), one.clone());
        rows.push(row);
        keyed.push(one);
    }
}

/// Whether another row is about the present: any other for a row that says when it was, and an earlier one for a row
/// that is only told in the past.
fn keyed_rows(spoken: &[bool], at: usize, earlier_only: bool) -> bool {
    spoken
        .iter()
        .enumerate()
        .any(|(other, spoken)| *spoken && if earlier_only { other + 1 < at } else { other != at })
}

/// Whether a row is told in the past.
fn is_told(reading: &ClauseReading, mention: &Mention) -> bool {
    let clause = reading.clause(mention.start);
    reading.has_cue(CueClass::Past, clause.start, mention.end.max(clause.end))
}

/// In `X lost to Y` the winner is the second one.
fn swap_losers(
    reading: &ClauseReading,
    events: &[RowEvent],
    draft: &RowDraft,
    values: &mut [Option<ClaimValue>],
) {
    let names: Vec<(usize, usize)> = draft
        .events
        .iter()
        .enumerate()
        .filter_map(|(column, slot)| Some((column, (*slot)?)))
        .filter(|(_, at)| events[*at].is_name())
        .collect();
    if let [(first, one), (second, other)] = names.as_slice()
        && events[*one].columns == events[*other].columns
    {
        let (from, to) = (events[*one].end(), events[*other].start());
        let lost = |from: usize, to: usize| {
            [CueClass::Under, CueClass::Trail]
                .into_iter()
                .flat_map(move |class| reading.cues_in(class, from, to))
        };
        // `Lost by:`
        let is_label =
            |cue: &Cue| reading.is_mark(cue.end, ':') || reading.is_mark(cue.end + 1, ':');
        // `Lost: Bo` and `loser Bo` label the loser.
        let opening = events[*one].start();
        let before = opening.saturating_sub(3);
        let is_lost = from <= to
            && (lost(from, to).any(|cue| !is_label(&cue))
                || lost(before, opening)
                    .any(|cue| is_label(&cue) && reading.text(cue.start) != "won")
                || reading.has_cue(CueClass::Loser, before, opening));
        if is_lost {
            values.swap(*first, *second);
        }
    }
}

fn hash(value: &ClaimValue) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{value:?}").hash(&mut hasher);
    hasher.finish()
}
