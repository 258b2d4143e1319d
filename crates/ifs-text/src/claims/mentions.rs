//! Where a text mentions values of a kind.

use super::clock::{Clock, ClockMention, PeriodMention, clocks, periods};
use super::cues::CueClass;
use super::names::{NameList, mentions as name_mentions};
use super::numerals::{Separators, factor_after, in_words, value_of_digits};
use super::reading::{ClauseReading, TokenGap};
use super::tokens::{Token, TokenKind};

/// A value that a text mentions.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimValue {
    Number(f64),
    Clock(Clock),
    /// An entry of the roster; `None` if the name fits several.
    Name(Option<usize>),
    /// The option at this position.
    Choice(usize),
    Answer(bool),
    /// A call in one form: without blanks, with double quotation marks.
    Call(String),
}

impl ClaimValue {
    pub fn is_same(&self, other: &ClaimValue) -> bool {
        match (self, other) {
            (ClaimValue::Number(one), ClaimValue::Number(other)) => are_equal(*one, *other),
            (ClaimValue::Clock(one), ClaimValue::Clock(other)) => {
                one.fits(*other) || other.fits(*one)
            }
            _ => self == other,
        }
    }
}

pub(super) fn are_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// Values at tokens `start..end`.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub start: usize,
    pub end: usize,
    pub value: ClaimValue,
    /// What is counted, or a currency.
    pub unit: Option<String>,
    /// Counts only if there is no other: `one`, `none`, `twice`.
    pub is_weak: bool,
    /// One of two numbers of a score: `101-99`.
    pub in_pair: bool,
    pub is_percent: bool,
}

impl Mention {
    pub fn new(start: usize, end: usize, value: ClaimValue) -> Mention {
        Mention { start, end, value, unit: None, is_weak: false, in_pair: false, is_percent: false }
    }
}

/// The times of a text, whose digits are not numbers of their own.
pub(super) struct TimesOfText {
    pub clocks: Vec<ClockMention>,
    pub periods: Vec<PeriodMention>,
}

impl TimesOfText {
    /// `has_seconds` is whether a decimal below 60 is a time.
    pub fn new(reading: &ClauseReading, has_seconds: bool) -> TimesOfText {
        let periods = periods(reading);
        TimesOfText { clocks: clocks(reading, &periods, has_seconds), periods }
    }

    /// The tokens that belong to times.
    pub fn mask(&self, reading: &ClauseReading) -> Vec<bool> {
        let mut mask = vec![false; reading.tokens.len()];
        let clocks = self.clocks.iter().map(|clock| (clock.start, clock.end));
        let periods = self.periods.iter().map(|period| (period.start, period.end));
        for (start, end) in clocks.chain(periods) {
            cover(&mut mask, start, end);
        }
        mask
    }

    pub fn mentions(&self) -> Vec<Mention> {
        let mention = |clock: &ClockMention| {
            Mention::new(clock.start, clock.end, ClaimValue::Clock(clock.clock))
        };
        self.clocks.iter().map(mention).collect()
    }
}

pub(super) fn cover(mask: &mut [bool], start: usize, end: usize) {
    mask.get_mut(start..end).into_iter().flatten().for_each(|covered| *covered = true);
}

pub(super) fn names(reading: &ClauseReading, roster: &NameList) -> Vec<Mention> {
    let mention = |name: super::names::NameMention| {
        Mention::new(name.start, name.end, ClaimValue::Name(name.entry))
    };
    name_mentions(reading, roster).into_iter().map(mention).collect()
}

/// What a number that follows it numbers, rather than counts.
const NUMBERED: &[&str] = &[
    "picture",
    "pictures",
    "image",
    "images",
    "photo",
    "figure",
    "plan",
    "chart",
    "page",
    "section",
    "chapter",
    "step",
    "option",
    "question",
    "room",
    "turn",
    "reply",
    "no",
    "nr",
    "part",
    "item",
    "line",
    "bild",
    "bilder",
    "bildern",
    "seite",
    "abbildung",
    "schritt",
    "frage",
    "abschnitt",
    "raum",
    "zimmer",
    "aufgabe",
    "图",
    "步",
    "题",
    "第",
    "图片",
    "rule",
    "version",
    "move",
    "ply",
    "case",
    "place",
    "fall",
];

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "月",
];

/// Words after a number that are not what it counts.
const NO_UNITS: &[&str] = &[
    "of",
    "in",
    "on",
    "at",
    "to",
    "and",
    "or",
    "for",
    "from",
    "with",
    "by",
    "is",
    "are",
    "was",
    "were",
    "as",
    "the",
    "a",
    "an",
    "but",
    "not",
    "if",
    "that",
    "which",
    "who",
    "when",
    "then",
    "than",
    "after",
    "before",
    "because",
    "since",
    "so",
    "it",
    "he",
    "she",
    "they",
    "you",
    "i",
    "we",
    "this",
    "there",
    "against",
    "into",
    "per",
    "each",
    "both",
    "left",
    "remain",
    "remaining",
    "und",
    "oder",
    "von",
    "zu",
    "mit",
    "für",
    "bei",
    "im",
    "in",
    "ist",
    "sind",
    "auf",
    "an",
    "die",
    "der",
    "das",
    "nicht",
    "aber",
    "weil",
    "pro",
    "je",
    "instead",
    "rather",
    "unless",
    "plus",
    "minus",
    "times",
    "mal",
    "more",
    "fewer",
    "less",
    "ahead",
    "would",
    "could",
    "might",
    "may",
    "will",
    "can",
    "do",
    "did",
    "does",
    "has",
    "have",
    "had",
];

/// Measure words and other characters that may follow a Chinese number.
const MEASURES: &str = "分个次人本天元岁米秒块只名场节局球年点度票张台套家件条项位回趟升把罐桶辆箱页题种斤克吨公里小时周岁钟磅名倍届组双副盒瓶杯箭步道比至到和与加减乘除等万千百亿月日号层间门左以上下多余来欧美英港吧呢啊了哦嘛呀也都";

/// The numbers of a text, in digits and words, outside of what is masked. `splits_commas` reads
/// `3,5` as two numbers.
pub(super) fn numbers(reading: &ClauseReading, mask: &[bool], splits_commas: bool) -> Vec<Mention> {
    let separators = if reading.is_german() { Separators::German } else { Separators::English };
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < reading.tokens.len() {
        if mask.get(at).copied().unwrap_or(false) {
            at += 1;
            continue;
        }
        let Some(token) = reading.token(at) else { break };
        let next = match token.kind {
            TokenKind::Digits => digits(reading, at, separators, splits_commas, &mut found),
            TokenKind::Word | TokenKind::Han => words(reading, at, mask, &mut found),
            TokenKind::Mark => at + 1,
        };
        at = next.max(at + 1);
    }
    mark_pairs(reading, &mut found);
    found
}

fn digits(
    reading: &ClauseReading,
    at: usize,
    separators: Separators,
    splits_commas: bool,
    found: &mut Vec<Mention>,
) -> usize {
    let Some(token) = reading.token(at) else { return at + 1 };
    let before = at.checked_sub(1).and_then(|before| reading.token(before));
    let after = reading.token(at + 1);
    let joins = |token: &Token| token.kind == TokenKind::Word;
    let is_inside_word = !token.spaced && before.is_some_and(joins);
    let is_ordinal_ending = after.is_some_and(|after| {
        !after.spaced && matches!(after.text.as_str(), "st" | "nd" | "rd" | "th")
    });
    let is_german_ordinal = after.is_some_and(|after| after.is_mark('.'))
        && super::tokens::AFTER_ORDINALS.contains(&reading.text(at + 2));
    let before_text = before.map_or("", |before| before.text.as_str());
    let numbers_something = NUMBERED.contains(&before_text)
        || is_numbered_range(reading, at)
        || (before.is_some_and(|before| before.is_mark('#')))
        || (before_text == "." && matches!(reading.text(at.wrapping_sub(2)), "no" | "nr"));
    let is_date = is_in_date_range(reading, at)
        || MONTHS.contains(&before_text)
        || after.is_some_and(|after| MONTHS.contains(&after.text.as_str()) && after.text != "mar")
        || (after.is_some_and(|after| after.is_mark('.'))
            && MONTHS.contains(&reading.text(at + 2)));
    if token.is_ordinal
        || is_inside_word
        || is_ordinal_ending
        || is_german_ordinal
        || numbers_something
        || is_date
    {
        return at + 1;
    }
    if let Some(end) = date(reading, at) {
        return end;
    }
    let pieces: Vec<&str> = token.text.split(',').collect();
    let all_short =
        pieces.len() > 1 && pieces.iter().all(|piece| !piece.contains('.') && piece.len() <= 2);
    let ungrouped = pieces.len() > 1 && pieces.iter().skip(1).any(|piece| piece.len() != 3);
    if ungrouped
        && (pieces.len() > 2 || (splits_commas && all_short && separators == Separators::English))
    {
        let mut place = at;
        for piece in pieces {
            if let Ok(value) = piece.parse() {
                found.push(Mention::new(at, at + 1, ClaimValue::Number(value)));
            }
            place += 1;
        }
        return place.min(at + 1);
    }
    let Some(value) = value_of_digits(&token.text, separators) else { return at + 1 };
    let (mut start, mut end, mut value) = (at, at + 1, value);
    // `2½`
    if let Some(fraction) = after.and_then(|after| vulgar_fraction(&after.text)) {
        value += fraction;
        end += 1;
    }
    if let Some(fraction) = mixed_fraction(reading, at + 1) {
        value += fraction;
        end += 3;
    }
    if let Some(after) = after
        && let Some(factor) = factor_after(after, !after.spaced)
    {
        value *= factor;
        end += 1;
    }
    if is_negative(reading, at) {
        value = -value;
        start -= 1;
    }
    found.push(with_unit(reading, Mention::new(start, end, ClaimValue::Number(value))));
    match found.last_mut() {
        Some(last) => {
            take_share_prefix(reading, start, last);
            last.end
        }
        None => end,
    }
}

/// `1/2` after a whole number: `3 1/2`.
fn mixed_fraction(reading: &ClauseReading, at: usize) -> Option<f64> {
    let part = |at: usize| reading.token(at).and_then(Token::whole_number);
    let is_joined = (at + 1..at + 3).all(|at| reading.token(at).is_some_and(|token| !token.spaced))
        && reading.token(at).is_some_and(|token| token.spaced);
    let (numerator, denominator) = (part(at)?, part(at + 2)?);
    let is_proper = (1..denominator).contains(&numerator) && denominator <= 8;
    (is_joined && is_proper && reading.is_mark(at + 1, '/'))
        .then(|| f64::from(numerator) / f64::from(denominator))
}

/// Whether a number is the day of a month, or the first of two: `Vom 3. bis zum 19. Mai`, `3 to 19 May`.
fn is_in_date_range(reading: &ClauseReading, at: usize) -> bool {
    let is_may = |at: usize| {
        reading.text(at) == "may" && reading.token(at).is_some_and(|token| token.is_capital)
    };
    let is_month = |at: usize| MONTHS.contains(&reading.text(at)) && reading.text(at) != "mar";
    let is_day = |at: usize| {
        let next = at + 1 + usize::from(reading.is_mark(at + 1, '.'));
        reading.token(at).is_some_and(Token::is_digits)
            && (is_month(next) || is_may(next))
            && reading.text(next) != "月"
    };
    let is_joint = |at: usize| {
        matches!(
            reading.text(at),
            "to" | "bis" | "zum" | "until" | "through" | "and" | "und" | "the" | "den" | "-" | "."
        )
    };
    let after_may = at.checked_sub(1).is_some_and(is_may);
    let next = (at + 1..at + 5).find(|at| !is_joint(*at)).unwrap_or(at + 1);
    is_day(at) || after_may || next > at + 1 && is_day(next)
}

/// Whether a number ends a range of numbered things: `rows 7 to 12`.
fn is_numbered_range(reading: &ClauseReading, at: usize) -> bool {
    let Some(noun) = at.checked_sub(3) else { return false };
    matches!(reading.text(at - 1), "to" | "and" | "-" | "bis" | "und")
        && reading.token(at - 2).is_some_and(Token::is_digits)
        && (NUMBERED.contains(&reading.text(noun))
            || matches!(reading.text(noun), "rows" | "reihen" | "zeilen" | "lines"))
}

fn vulgar_fraction(sign: &str) -> Option<f64> {
    Some(match sign {
        "½" => 0.5,
        "¼" => 0.25,
        "¾" => 0.75,
        _ => return None,
    })
}

/// `2024-05-31`, `31/5/2024`
fn date(reading: &ClauseReading, at: usize) -> Option<usize> {
    let digits = |at: usize| reading.token(at).filter(|token| token.is_digits());
    let joined = |at: usize| {
        reading.token(at).filter(|token| !token.spaced && matches!(token.mark(), Some('-' | '/')))
    };
    let parts = [digits(at)?, digits(at + 2)?, digits(at + 4)?];
    joined(at + 1)?;
    joined(at + 3)?;
    parts.iter().any(|part| part.text.len() == 4).then_some(at + 5)
}

/// A hyphen at the start of a number is its sign if nothing that it could join comes before.
fn is_negative(reading: &ClauseReading, at: usize) -> bool {
    let Some(sign) = at.checked_sub(1) else { return false };
    let text = reading.text(sign);
    if matches!(text, "minus" | "negative" | "负") {
        let operand = sign.checked_sub(1).and_then(|before| reading.token(before));
        return !operand.is_some_and(|operand| {
            operand.is_digits() || operand.is_mark('%') || operand.is_mark(')')
        }) && operand.is_none_or(|operand| {
            operand.kind == TokenKind::Mark
                || matches!(
                    operand.text.as_str(),
                    "is" | "ist" | "be" | "of" | "at" | "it's" | "是" | "为"
                )
        });
    }
    let is_joined = reading.token(at).is_some_and(|token| !token.spaced);
    let Some(before) = sign.checked_sub(1) else { return reading.is_mark(sign, '-') && is_joined };
    let opens = reading.token(sign).is_some_and(|token| token.spaced)
        || reading
            .token(before)
            .is_some_and(|token| matches!(token.mark(), Some('(' | ':' | '=' | '"' | '[')));
    reading.is_mark(sign, '-') && is_joined && opens
}

/// Where 百分之 or 千分之 begins before a number, and how many of a hundred one of them is.
fn share_prefix(reading: &ClauseReading, at: usize) -> Option<(usize, f64)> {
    let start = at.checked_sub(3)?;
    let text = |offset: usize| reading.text(start + offset);
    let share = match text(0) {
        "百" => 1.0,
        "千" => 0.1,
        _ => return None,
    };
    (text(1) == "分" && text(2) == "之").then_some((start, share))
}

/// Extends a mention by 百分之 or 千分之 before the number.
fn take_share_prefix(reading: &ClauseReading, at: usize, mention: &mut Mention) {
    let Some((start, share)) = share_prefix(reading, at) else { return };
    (mention.start, mention.is_percent) = (start, true);
    if let ClaimValue::Number(value) = &mut mention.value {
        *value *= share;
    }
}

const CURRENCIES: [char; 6] = ['$', '€', '£', '¥', '₹', '￥'];

/// What a number is a share of a hundred by, and how many of a hundred one of them is.
const SHARES: &[(&[&str], f64)] = &[
    (&["%"], 1.0),
    (&["per", "cent"], 1.0),
    (&["percent"], 1.0),
    (&["pct"], 1.0),
    (&["per", "hundred"], 1.0),
    (&["percentage", "points"], 1.0),
    (&["percentage", "point"], 1.0),
    (&["points", "of", "per", "cent"], 1.0),
    (&["prozent"], 1.0),
    (&["prozentpunkte"], 1.0),
    (&["prozentpunkten"], 1.0),
    (&["vom", "hundert"], 1.0),
    (&["von", "hundert"], 1.0),
    (&["v", ".", "h", "."], 1.0),
    (&["个", "百", "分", "点"], 1.0),
    (&["百", "分", "点"], 1.0),
    (&["‰"], 0.1),
    (&["per", "mille"], 0.1),
    (&["per", "mil"], 0.1),
    (&["per", "thousand"], 0.1),
    (&["promille"], 0.1),
    (&["vom", "tausend"], 0.1),
    (&["von", "tausend"], 0.1),
    (&["个", "千", "分", "点"], 0.1),
    (&["千", "分", "点"], 0.1),
];

/// The mention with its unit, and with a currency or a sign of per cent as part of it.
fn with_unit(reading: &ClauseReading, mut mention: Mention) -> Mention {
    let text = |at: usize| reading.text(at);
    if let Some(before) = mention.start.checked_sub(1)
        && reading
            .token(before)
            .and_then(Token::mark)
            .is_some_and(|mark| CURRENCIES.contains(&mark))
    {
        mention.start = before;
        mention.unit = Some(text(before).to_owned());
    }
    let mut at = mention.end;
    if reading.is_mark(at, '-')
        && reading.token(at).is_some_and(|token| !token.spaced)
        && reading.token(at + 1).is_some_and(|token| token.kind == TokenKind::Word && !token.spaced)
    {
        at += 1;
    }
    let is_at =
        |words: &[&str]| words.iter().enumerate().all(|(offset, word)| text(at + offset) == *word);
    if let Some((words, share)) = SHARES.iter().find(|(words, _)| is_at(words)) {
        mention.is_percent = true;
        mention.end = at + words.len();
        if let ClaimValue::Number(value) = &mut mention.value {
            *value *= share;
        }
    } else if let Some(token) = reading.token(at) {
        if token.mark().is_some_and(|mark| CURRENCIES.contains(&mark)) {
            mention.unit = Some(token.text.clone());
            mention.end = at + 1;
        } else if token.is_word()
            && !NO_UNITS.contains(&token.text.as_str())
            && reading.gaps.get(at).is_none_or(|gap| *gap == TokenGap::None)
        {
            // 三个小时
            let measured = reading.token(at + 1).filter(|next| {
                token.text == "个" && matches!(&*next.text, "小" | "钟" | "星" | "月")
            });
            let token = measured.unwrap_or(token);
            let stem =
                token.text.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(&token.text);
            mention.unit.get_or_insert_with(|| stem.to_owned());
        }
    }
    mention
}

fn words(reading: &ClauseReading, at: usize, mask: &[bool], found: &mut Vec<Mention>) -> usize {
    if let Some((value, end)) = in_words(&reading.tokens, at) {
        let is_masked = mask.get(at..end).is_some_and(|mask| mask.contains(&true));
        if is_masked || !is_numeral(reading, at, end) {
            return at + 1;
        }
        let before = at.checked_sub(1).map_or("", |before| reading.text(before));
        let is_attribute = NUMBERED.contains(&before);
        let is_pronoun = reading.text(at) == "one" && end == at + 1 && is_pronoun(reading, at);
        let after_name =
            at.checked_sub(1).is_some_and(|before| mask.get(before).copied().unwrap_or(false));
        if is_attribute
            || (is_pronoun && !after_name && follows_adjective(reading, at))
            || is_paired_pronoun(reading, at)
        {
            return end;
        }
        // 一次也没有
        let value = if is_not_even(reading, at, end) { 0.0 } else { value };
        // `minus thirty`
        let is_negative = !reading.is_mark(at.wrapping_sub(1), '-') && is_negative(reading, at);
        let (start, value) = if is_negative { (at - 1, -value) } else { (at, value) };
        let mut mention = with_unit(reading, Mention::new(start, end, ClaimValue::Number(value)));
        mention.is_weak = is_pronoun && !after_name;
        take_share_prefix(reading, at, &mut mention);
        let end = mention.end;
        found.push(mention);
        return end;
    }
    let text = reading.text(at);
    let next = reading.text(at + 1);
    let value = match text {
        "not" if next == "once" || next == "a" && reading.text(at + 2) == "single" => 0.0,
        "once" | "einmal" | "single"
            if reading.text(at.wrapping_sub(1)) != "not"
                && reading.text(at.wrapping_sub(2)) != "not" =>
        {
            1.0
        }
        "twice" | "zweimal" => 2.0,
        "thrice" | "dreimal" => 3.0,
        "viermal" => 4.0,
        "fünfmal" => 5.0,
        "sechsmal" => 6.0,
        "couple" | "pair" => 2.0,
        "none" | "never" | "nil" | "nothing" | "nie" | "niemals" | "keine" | "keinen"
        | "keiner" | "keines" | "keins" | "kein" | "nirgends" => 0.0,
        "no" if reading.token(at + 1).is_some_and(|token| token.kind == TokenKind::Word)
            && !matches!(next, "wait" | "one" | "doubt" | "other" | "more" | "problem") =>
        {
            0.0
        }
        "without" | "ohne" => 0.0,
        "没" if next == "有" => 0.0,
        "从" if next == "未" => 0.0,
        _ => return at + 1,
    };
    // `no idea`
    let is_within = |cue: super::cues::Cue| cue.start <= at && at < cue.end && cue.end > at + 1;
    if reading
        .cues_in(CueClass::Ignorance, at.saturating_sub(5), reading.tokens.len())
        .take_while(|cue| cue.start <= at)
        .any(is_within)
    {
        return at + 1;
    }
    let mut mention = Mention::new(at, at + 1, ClaimValue::Number(value));
    mention.is_weak = true;
    found.push(mention);
    at + 1
}

/// Whether a number in words is one, and not a part of another word.
fn is_numeral(reading: &ClauseReading, at: usize, end: usize) -> bool {
    let Some(token) = reading.token(at) else { return false };
    if token.kind == TokenKind::Word {
        // `acht geben`, `the two`: only the second is a number, and the first is rare.
        return true;
    }
    if share_prefix(reading, at).is_some() {
        return true;
    }
    let before = at.checked_sub(1).map_or("", |before| reading.text(before));
    let after = reading.text(end);
    let first = reading.text(at);
    if matches!(before, "第" | "唯" | "之" | "统" | "同" | "每" | "任")
        || before == "进" && first == "一" && after == "步"
    {
        return false;
    }
    if matches!(first, "百" | "千") && after == "分" && reading.text(end + 1) == "之" {
        return false;
    }
    let is_alone = end == at + 1;
    // 前一种情况, 后一个
    if is_alone && first == "一" && matches!(before, "前" | "后" | "另" | "某") {
        return false;
    }
    if is_alone
        && first == "一"
        && "共起下定样些直般切旦致向面边路时会点".contains(after)
        && !after.is_empty()
    {
        return false;
    }
    if is_alone && first == "两" && after == "种" && reading.text(end + 1) == "情" {
        return false;
    }
    if is_alone && first == "两" && "队端边者支方位".contains(after) && !after.is_empty() {
        return false;
    }
    if is_alone
        && "二两三".contains(first)
        && after == "分"
        && (matches!(reading.text(end + 1), "球" | "线" | "雨")
            || reading.text(end + 1) == "命" && counts_from(reading, end + 3))
    {
        return false;
    }
    if first == "十"
        && is_alone
        && after == "分"
        && !matches!(before, "得" | "差" | "先" | "赢" | "后" | "了" | "扣" | "是" | "为" | "输")
    {
        let next = reading.token(end + 1);
        return next.is_none_or(|next| next.kind == TokenKind::Mark);
    }
    let ends = reading.token(end).is_none_or(|token| token.kind != TokenKind::Han);
    ends || MEASURES.contains(after)
}

/// Whether a number begins at a token: 两分命中3个.
fn counts_from(reading: &ClauseReading, at: usize) -> bool {
    reading.token(at).is_some_and(Token::is_digits) || in_words(&reading.tokens, at).is_some()
}

/// 一次也没有, 一个都没有: not even one.
fn is_not_even(reading: &ClauseReading, at: usize, end: usize) -> bool {
    let text = |at: usize| reading.text(at);
    text(at) == "一"
        && (end..end + 3)
            .any(|at| matches!(text(at), "也" | "都") && matches!(text(at + 1), "没" | "不" | "未"))
}

/// `the red one`
fn follows_adjective(reading: &ClauseReading, at: usize) -> bool {
    at.checked_sub(1).and_then(|before| reading.token(before)).is_some_and(|before| {
        before.kind == TokenKind::Word
            && !matches!(
                before.text.as_str(),
                "is" | "was"
                    | "are"
                    | "were"
                    | "just"
                    | "only"
                    | "exactly"
                    | "by"
                    | "has"
                    | "have"
                    | "had"
                    | "see"
                    | "count"
                    | "find"
                    | "shows"
                    | "contains"
                    | "or"
                    | "and"
                    | "to"
                    | "about"
                    | "least"
                    | "say"
                    | "at"
                    | "answer"
                    | "make"
                    | "makes"
                    | "making"
                    | "gives"
                    | "totals"
                    | "equals"
            )
    })
}

/// `one` before `another`: `from one desk to another`.
fn is_paired_pronoun(reading: &ClauseReading, at: usize) -> bool {
    reading.text(at) == "one"
        && (at + 1..at + 5).any(|at| matches!(reading.text(at), "another" | "other"))
}

/// Whether `one` stands for a thing: `the red one`, `one of them`.
fn is_pronoun(reading: &ClauseReading, at: usize) -> bool {
    let after = reading.token(at + 1);
    let before = at.checked_sub(1).map_or("", |before| reading.text(before));
    let counts_next = after.is_some_and(|after| {
        after.kind == TokenKind::Word && !NO_UNITS.contains(&after.text.as_str())
    });
    let clause = reading.clause(at);
    let is_bare = clause.end - clause.start <= 2;
    let equals = matches!(
        before,
        "is" | "was"
            | "just"
            | "only"
            | "exactly"
            | "by"
            | ":"
            | "have"
            | "has"
            | "had"
            | "got"
            | "took"
            | "taken"
            | "made"
            | "scored"
            | "captured"
            | "won"
            | "make"
            | "makes"
            | "making"
            | "gives"
            | "totals"
            | "equals"
    );
    let is_thing = after.is_some_and(|after| {
        matches!(after.text.as_str(), "twice" | "once" | "again" | "too" | "extra")
    });
    if is_thing {
        return true;
    }
    // `one-nil`
    let is_score = after.is_some_and(|after| {
        after.is_mark('-') && !after.spaced || matches!(&*after.text, "nil" | "to")
    });
    if is_score {
        return false;
    }
    !(counts_next
        && !matches!(before, "no" | "the" | "this" | "that" | "which" | "every" | "each" | "any")
        || is_bare
        || equals)
}

/// Marks the numbers of scores: `101-99`, `101:99`, `101 to 99`, `101比99`. The greater one is first,
/// or a ratio sign joins them; anything else is a range.
fn mark_pairs(reading: &ClauseReading, found: &mut [Mention]) {
    for at in 1..found.len() {
        let (one, other) = (&found[at - 1], &found[at]);
        let (ClaimValue::Number(first), ClaimValue::Number(second)) = (&one.value, &other.value)
        else {
            continue;
        };
        let between: Vec<&str> = (one.end..other.start).map(|at| reading.text(at)).collect();
        let joins = match between.as_slice() {
            // `up two: 31 to 29` has a label.
            [":"] => {
                let is_spaced = |at: usize| reading.token(at).is_some_and(|token| token.spaced);
                is_spaced(one.end) == is_spaced(other.start)
            }
            ["比" | "zu"] => true,
            ["-" | "to" | "—" | "bis"] => first >= second,
            [] => {
                other.start == one.end
                    && *second < 0.0
                    && reading.token(other.start).is_some_and(|token| !token.spaced)
            }
            _ => false,
        };
        if joins {
            // `one-nil`
            let is_nil = |at: usize| matches!(reading.text(at), "nil" | "nothing" | "love");
            if is_nil(found[at].start) {
                found[at].is_weak = false;
                found[at - 1].is_weak &= !is_nil(found[at - 1].start);
            }
            found[at - 1].in_pair = true;
            found[at].in_pair = true;
        }
    }
}

/// The options of a question that a text names: by letter, or by their text.
pub(super) fn choices(reading: &ClauseReading, options: &[String]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let letters = options.len().min(26);
    for (at, token) in reading.tokens.iter().enumerate() {
        if token.kind != TokenKind::Word || token.text.chars().count() != 1 {
            continue;
        }
        let Some(letter) = token.text.chars().next() else { continue };
        let Some(which) =
            (u32::from(letter)).checked_sub(u32::from('a')).map(|which| which as usize)
        else {
            continue;
        };
        if which < letters && is_option_letter(reading, at, token) {
            found.push(Mention::new(at, at + 1, ClaimValue::Choice(which)));
        }
    }
    found.extend(ordinal_options(reading, letters));
    found.sort_by_key(|mention| mention.start);
    let texts: Vec<Vec<String>> = options.iter().map(|option| option_words(option)).collect();
    let by_letter = found.clone();
    let mut at = 0;
    while at < reading.tokens.len() {
        let hit = texts
            .iter()
            .enumerate()
            .filter_map(|(which, words)| Some((which, option_end(reading, at, words)?)))
            .max_by_key(|(_, end)| *end);
        match hit {
            Some((which, end)) => {
                found.push(Mention::new(at, end, ClaimValue::Choice(which)));
                at = end;
            }
            None => at += 1,
        }
    }
    if found.is_empty() {
        found = numbers_of_options(reading, &texts);
    }
    // Beside a letter, a text is what the letter stands for; without any letter it is the answer.
    let is_beside = |mention: &Mention| {
        by_letter.iter().any(|letter| {
            let (near, far) = (letter.start.min(mention.start), letter.start.max(mention.start));
            // `B. 15 tins` as a line
            let is_label = mention.start == letter.end + 1
                && reading.is_mark(letter.end, '.')
                && letter
                    .start
                    .checked_sub(1)
                    .is_none_or(|before| reading.gap(before, letter.start) >= TokenGap::Line);
            is_label
                || far - near <= 4
                    && !reading.has_cue(CueClass::Cause, near, far)
                    && reading.gap(near, far) <= TokenGap::Comma.max(TokenGap::Clause)
                    && reading.gap(near, far) < TokenGap::Sentence
        })
    };
    let has_letters = !by_letter.is_empty();
    found.retain(|mention| {
        by_letter.iter().any(|letter| letter.start == mention.start)
            || !has_letters
            || is_beside(mention)
    });
    found.sort_by_key(|mention| (mention.start, mention.end));
    without_echo(reading, found, options.len())
}

/// Whether a clause is nothing but an ordinal: `It's the second one.`
fn is_whole_answer(reading: &ClauseReading, at: usize) -> bool {
    let clause = reading.clause(at);
    (clause.start..clause.end).all(|other| {
        other == at
            || reading.token(other).is_none_or(|token| token.kind == TokenKind::Mark)
            || matches!(
                reading.text(other),
                "the"
                    | "it"
                    | "it's"
                    | "is"
                    | "one"
                    | "das"
                    | "die"
                    | "der"
                    | "ist"
                    | "es"
                    | "第"
                    | "个"
                    | "是"
            )
    })
}

/// `the second option`, `die zweite Antwort`, `第二项`
fn ordinal_options(reading: &ClauseReading, count: usize) -> Vec<Mention> {
    const ENGLISH: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    const GERMAN: [&str; 5] = ["erste", "zweite", "dritte", "vierte", "fünfte"];
    const CHINESE: [&str; 5] = ["一", "二", "三", "四", "五"];
    let is_option = |at: usize| {
        matches!(
            reading.text(at),
            "option" | "choice" | "answer" | "alternative" | "antwort" | "möglichkeit"
        )
    };
    let mention = |at: usize| {
        let word = reading.text(at);
        let nth = |list: &[&str; 5]| list.iter().position(|other| *other == word);
        let is_chinese = at.checked_sub(1).is_some_and(|before| reading.text(before) == "第");
        let (which, end) = if !is_chinese && (is_option(at + 1) || is_whole_answer(reading, at)) {
            (nth(&ENGLISH).or_else(|| nth(&GERMAN))?, at + 2)
        } else if is_chinese {
            let is_item =
                matches!((reading.text(at + 1), reading.text(at + 2)), ("项", _) | ("个", "选"))
                    || reading.text(at + 1) == "个" && is_whole_answer(reading, at);
            (nth(&CHINESE).filter(|_| is_item)?, at + 2)
        } else {
            return None;
        };
        (which < count).then(|| Mention::new(at, end, ClaimValue::Choice(which)))
    };
    (0..reading.tokens.len()).filter_map(mention).collect()
}

/// The numbers of a text that names no option, where the options differ in their only number: `15` for `15 tins`.
fn numbers_of_options(reading: &ClauseReading, texts: &[Vec<String>]) -> Vec<Mention> {
    let value = |word: &String| {
        value_of_digits(word, Separators::English)
            .filter(|_| word.starts_with(|c: char| c.is_ascii_digit()))
    };
    let values: Option<Vec<f64>> = texts
        .iter()
        .map(|words| {
            let mut values = words.iter().filter_map(value);
            values.next().filter(|_| values.next().is_none())
        })
        .collect();
    let Some(values) = values else { return Vec::new() };
    let is_distinct = |(at, value): (usize, &f64)| {
        !values.iter().skip(at + 1).any(|other| are_equal(*value, *other))
    };
    if !values.iter().enumerate().all(is_distinct) {
        return Vec::new();
    }
    let mask = TimesOfText::new(reading, false).mask(reading);
    let option = |mention: Mention| {
        let ClaimValue::Number(own) = mention.value else { return None };
        let which = values.iter().position(|value| are_equal(*value, own))?;
        Some(Mention { value: ClaimValue::Choice(which), ..mention })
    };
    numbers(reading, &mask, false).into_iter().filter_map(option).collect()
}

/// `A` and `I` are words, too.
fn is_option_letter(reading: &ClauseReading, at: usize, token: &Token) -> bool {
    let after = reading.token(at + 1);
    let before = at.checked_sub(1).map_or("", |before| reading.text(before));
    let introduced = matches!(
        before,
        "option"
            | "answer"
            | "choice"
            | "letter"
            | "("
            | "选"
            | "选项"
            | "项"
            | "是"
            | "is"
            | "antwort"
            | "buchstabe"
            | "pick"
            | "choose"
            | ":"
            | "案"
            | "择"
            | "\""
            | "["
    );
    let closes = after.is_none_or(|after| {
        matches!(
            after.mark(),
            Some(
                '.' | ')'
                    | ':'
                    | ','
                    | ';'
                    | '\n'
                    | '\u{b}'
                    | '!'
                    | '"'
                    | ']'
                    | '|'
                    | '-'
                    | '('
                    | '—'
                    | '、'
                    | '='
            )
        )
    });
    let is_attached = (!token.spaced
        && at > 0
        && reading
            .token(at - 1)
            .is_some_and(|token| token.kind == TokenKind::Word || token.is_digits()))
        || after.is_some_and(|after| !after.spaced && after.is_digits());
    if is_attached {
        return false;
    }
    let follows_small =
        after.is_some_and(|after| after.kind == TokenKind::Word && !after.is_capital);
    let says = follows_small
        && after.is_some_and(|after| {
            matches!(
                after.text.as_str(),
                "is" | "was"
                    | "are"
                    | "were"
                    | "sind"
                    | "would"
                    | "cannot"
                    | "can't"
                    | "isn't"
                    | "and"
                    | "or"
                    | "but"
                    | "because"
                    | "ist"
                    | "und"
                    | "oder"
                    | "since"
                    | "fits"
                    | "too"
                    | "must"
                    | "it"
                    | "seems"
                    | "doesn't"
                    | "does"
                    | "has"
                    | "not"
                    | "rather"
                    | "instead"
            )
        });
    if token.is_capital {
        return closes || says || !follows_small || introduced && token.text != "a";
    }
    closes && (introduced || at == 0 || before == "\n")
}

fn option_words(option: &str) -> Vec<String> {
    super::tokens::tokens(option)
        .into_iter()
        .filter(|token| token.kind != TokenKind::Mark)
        .map(|token| token.text)
        .collect()
}

/// The end of an option's text at a token; numbers are compared by their value.
fn option_end(reading: &ClauseReading, at: usize, words: &[String]) -> Option<usize> {
    let first = words.first()?;
    if let [number] = words
        && let Some(value) = value_of_digits(number, Separators::English)
            .filter(|_| number.starts_with(|c: char| c.is_ascii_digit()))
    {
        let (own, end) = match reading.token(at)? {
            token if token.is_digits() => {
                (value_of_digits(&token.text, Separators::English)?, at + 1)
            }
            _ => in_words(&reading.tokens, at)?,
        };
        return are_equal(own, value).then_some(end);
    }
    if reading.text(at) != first {
        return None;
    }
    let mut position = at;
    for (index, word) in words.iter().enumerate() {
        while index > 0
            && reading.token(position).is_some_and(|token| token.kind == TokenKind::Mark)
        {
            position += 1;
        }
        if reading.text(position) != word {
            return None;
        }
        position += 1;
    }
    Some(position)
}

/// The choices without a repetition of the list of options: lines that are a letter with its text, of
/// most options.
fn without_echo(reading: &ClauseReading, found: Vec<Mention>, count: usize) -> Vec<Mention> {
    let is_echo = |mention: &Mention| {
        let sentence = reading.sentence(mention.start);
        let own =
            found.iter().filter(|other| other.start >= sentence.start && other.end <= sentence.end);
        let mut covered = 0;
        let mut same = true;
        for other in own {
            covered += other.end - other.start;
            same &= other.value == mention.value;
        }
        let words = (sentence.start..sentence.end)
            .filter(|at| reading.token(*at).is_some_and(|token| token.kind != TokenKind::Mark))
            .count();
        let bold = reading.token(mention.start).is_some_and(|token| token.is_bold);
        same && covered == words && covered >= 2 && !bold
    };
    let echoed: Vec<bool> = found.iter().map(is_echo).collect();
    let mut values: Vec<&ClaimValue> = found
        .iter()
        .zip(&echoed)
        .filter(|(_, echo)| **echo)
        .map(|(mention, _)| &mention.value)
        .collect();
    values.dedup();
    if values.len() < 2.max(count.saturating_sub(1)) {
        return found;
    }
    let echoed = echoed.into_iter();
    found.into_iter().zip(echoed).filter(|(_, echo)| !echo).map(|(mention, _)| mention).collect()
}

/// The places where a text answers yes or no: the beginnings of sentences and clauses.
pub(super) fn answers(reading: &ClauseReading) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for cue in &reading.cues {
        let value = match cue.class {
            CueClass::Yes => true,
            CueClass::No => false,
            _ => continue,
        };
        // `no idea` and `not sure` are no answers, and `No wait` takes one back.
        let is_within = |class: CueClass| {
            let reach = cue.start.saturating_sub(5);
            reading.cues_in(class, reach, reading.tokens.len()).any(|other| {
                other.start <= cue.start
                    && other.end >= cue.end
                    && other.end - other.start > cue.end - cue.start
            })
        };
        // With nothing before it, `Nein, das …` takes nothing back.
        let opens = cue.start == 0 && matches!(reading.text(2), "das" | "that" | "it" | "sorry");
        if is_within(CueClass::Ignorance) || is_within(CueClass::TakesBack) && !opens {
            continue;
        }
        let clause = reading.clause(cue.start);
        let starts = (clause.start..cue.start).all(|at| {
            is_time_adverb(reading, at)
                || matches!(
                    reading.text(at),
                    "well"
                        | "oh"
                        | "so"
                        | "then"
                        | "and"
                        | "but"
                        | "\""
                        | "("
                        | "["
                        | "the"
                        | "answer"
                        | "is"
                        | "my"
                        | "hmm"
                        | "ah"
                        | "i"
                        | "think"
                        | "would"
                        | "say"
                        | "also"
                        | "nun"
                        | "na"
                        | "ach"
                        | "die"
                        | "antwort"
                        | "ist"
                        | "lautet"
                        | "答"
                        | "案"
                        | "是"
                        | "啊"
                        | "哦"
                        | "嗯"
                        | "-"
                        | "a"
                        | "clear"
                        | "definite"
                        | "simply"
                        | "sondern"
                        | "rather"
                        | "ganz"
                        | "klar"
                        | ","
                        | ":"
                        | "says"
                        | "it"
                        | "it's"
                        | "i'd"
                        | "wait"
                        | "sorry"
                        | "actually"
                        | "等"
                        | "warte"
                        | "moment"
                )
        });
        let is_core = cue.end == cue.start + 1 && is_plain_answer(reading.text(cue.start));
        let is_joined = found.last().is_some_and(|last: &Mention| {
            is_core
                && (cue.start > last.end
                    || cue.start == last.end
                        && reading
                            .token(cue.start)
                            .is_some_and(|token| token.kind == TokenKind::Word))
                && (last.end..cue.start).all(|at| {
                    matches!(
                        reading.text(at),
                        "and"
                            | "or"
                            | "und"
                            | "oder"
                            | "/"
                            | ","
                            | "也"
                            | "或"
                            | ";"
                            | "otherwise"
                            | "else"
                            | "sonst"
                            | "andernfalls"
                    )
                })
        });
        // `Yes, no reservation is needed`, 对的，不需要
        if !found.is_empty() && is_core && denies_thing(reading, cue.end - 1) {
            continue;
        }
        // `not no` is no answer.
        let is_denied = found.last().is_some_and(|last| {
            let says = |at: usize| matches!(reading.text(at), "say" | "a" | "the");
            let is_double = last.end == cue.start && !value && reading.text(cue.start) == "没";
            (is_core || is_double)
                && last.end <= cue.start
                && (last.end..cue.start).all(says)
                && reading.has_cue(CueClass::Negator, last.start, last.end)
        });
        if is_denied {
            found.pop();
            continue;
        }
        // `Yes, if you like, no`
        let has_time = (clause.start..clause.end).any(|at| is_time_adverb(reading, at));
        let is_apart = (is_core || has_time)
            && found.last().is_some_and(|last| last.value != ClaimValue::Answer(value))
            && (clause.start..clause.end).all(|at| {
                (cue.start..cue.end).contains(&at)
                    || is_time_adverb(reading, at)
                    || reading.token(at).is_some_and(|token| token.kind == TokenKind::Mark)
                    || matches!(
                        reading.text(at),
                        "but"
                            | "aber"
                            | "actually"
                            | "eigentlich"
                            | "otherwise"
                            | "else"
                            | "sonst"
                            | "andernfalls"
                    )
            });
        if !starts && !is_joined && !is_apart {
            continue;
        }
        let Some(last) = found.last_mut() else {
            found.push(Mention::new(cue.start, cue.end, ClaimValue::Answer(value)));
            continue;
        };
        // The longest cue at a place counts: `not really` is no, and `is not` is not yes. After the first
        // answer only plain words are answers, as in `Yes. It is not far.`
        let is_corrected = reading.has_cue(CueClass::TakesBack, last.end, cue.start);
        // `Yes on Mondays, no on Tuesdays`
        let is_limit = |at: usize| matches!(reading.text(at), "on" | "in" | "at" | "for" | "am");
        let is_limited = is_core && starts && is_limit(last.end) && is_limit(cue.end);
        // 答案是否
        let is_verb = reading.text(cue.start) == "否"
            && last.end == cue.start
            && reading.text(last.start) == "是"
            && last
                .start
                .checked_sub(1)
                .is_some_and(|before| matches!(reading.text(before), "案" | "答" | "："));
        if is_verb || cue.start == last.start && cue.end > last.end {
            *last = Mention::new(cue.start, cue.end, ClaimValue::Answer(value));
        } else if cue.start >= last.end
            && (is_core || is_apart)
            && (is_joined
                || is_limited
                || is_apart
                || is_corrected
                || reading.gap(last.start, cue.start) >= TokenGap::Sentence)
        {
            found.push(Mention::new(cue.start, cue.end, ClaimValue::Answer(value)));
        }
    }
    found
}

/// Whether a word says when something is so: `früher ja, heute nein`.
fn is_time_adverb(reading: &ClauseReading, at: usize) -> bool {
    matches!(
        reading.text(at),
        "früher"
            | "heute"
            | "jetzt"
            | "gestern"
            | "now"
            | "today"
            | "yesterday"
            | "以"
            | "前"
            | "现"
            | "在"
            | "今"
            | "天"
            | "昨"
    )
}

/// Whether a word denies a thing and answers nothing: `no reservation`, 不需要.
fn denies_thing(reading: &ClauseReading, at: usize) -> bool {
    let next = reading.token(at + 1);
    let is_noun = next.is_some_and(|next| {
        next.kind == TokenKind::Word
            && !NO_UNITS.contains(&next.text.as_str())
            && !is_plain_answer(&next.text)
            && !matches!(&*next.text, "wait" | "actually" | "otherwise" | "sorry" | "because")
    });
    let is_verb = next.is_some_and(|next| {
        next.kind == TokenKind::Han && !"对是行可会能的了吗，".contains(next.text.as_str())
    });
    match reading.text(at) {
        "no" => is_noun && reading.gaps.get(at + 1) == Some(&TokenGap::None),
        "不" => is_verb && reading.gaps.get(at + 1) == Some(&TokenGap::None),
        _ => false,
    }
}

fn is_plain_answer(word: &str) -> bool {
    matches!(
        word,
        "yes" | "no" | "yeah" | "yep" | "nope" | "ja" | "nein" | "doch" | "是" | "不" | "否" | "对"
    )
}

/// Calls of functions in a text: a name directly before round brackets.
pub(super) fn calls(reading: &ClauseReading, source: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reading.tokens.len() {
        let opens = reading.is_mark(at + 1, '(')
            && reading.token(at + 1).is_some_and(|token| !token.spaced);
        let is_name = reading.token(at).is_some_and(|token| token.kind == TokenKind::Word);
        if !(opens && is_name) {
            at += 1;
            continue;
        }
        let start = reading.tokens[..=at].iter().rposition(|token| token.spaced).unwrap_or(at);
        let mut depth = 0_usize;
        let mut end = at + 1;
        while let Some(token) = reading.token(end) {
            match token.mark() {
                Some('(' | '[') => depth += 1,
                Some(')' | ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            end += 1;
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            break;
        }
        let place = reading.tokens[start].place.start..reading.tokens[end - 1].place.end;
        let text = evened_call(source.get(place).unwrap_or(""));
        found.push(Mention::new(start, end, ClaimValue::Call(text)));
        at = end;
    }
    found
}

/// A call in one form: without blanks outside of texts and trailing commas, with double quotation
/// marks.
pub fn evened_call(call: &str) -> String {
    let mut even = String::new();
    let mut quote: Option<char> = None;
    for c in call.chars() {
        let is_mark =
            matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '„' | '‟' | '′' | '″' | '＂' | '＇');
        match quote {
            Some(open) if is_mark && (c == open || !c.is_ascii()) => {
                quote = None;
                even.push('"');
            }
            None if is_mark => {
                quote = Some(c);
                even.push('"');
            }
            None if c.is_whitespace() || c == '`' || c == '*' => {}
            None if matches!(c, ')' | ']') => {
                if even.ends_with(',') {
                    even.pop();
                }
                even.push(c);
            }
            _ => even.push(c),
        }
    }
    even
}
