//! Which of the values that a text mentions is its answer.

use std::collections::BTreeSet;
use std::ops::Range;

use super::cues::{Cue, CueClass};
use super::mentions::{ClaimValue, Mention};
use super::reading::{ClauseReading, TokenGap};
use super::stance::{Assessed, Stance};
use super::tokens::{LINE_END, PARAGRAPH_END, Token, TokenKind};

/// The answers of a text to a question that has one answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    /// The claims that give the answer, by position; all have one value.
    Chosen(Vec<usize>),
    /// Several values, and nothing chooses between them.
    Several(Vec<usize>),
    None,
}

/// Chooses among the claims of one kind.
pub(super) fn choose(reading: &ClauseReading, all: &[Assessed]) -> Choice {
    let slots = slots(reading);
    let in_slot = |one: &Assessed, slot: &Range<usize>| slot.contains(&one.mention.start);
    // A slot counts if it has a value of the kind.
    let filled: Vec<&Range<usize>> =
        slots.iter().filter(|slot| all.iter().any(|one| in_slot(one, slot))).collect();
    if filled.is_empty() {
        return among(reading, all, &live(all, |_| true));
    }
    let mut chosen: Vec<usize> = Vec::new();
    for slot in filled {
        match among(reading, all, &live(all, |one| in_slot(one, slot))) {
            Choice::Chosen(claims) => chosen.extend(claims),
            Choice::Several(claims) => return Choice::Several(claims),
            Choice::None => {}
        }
    }
    // A value that is offered after the slot makes it one of two.
    let rival = all.iter().enumerate().find(|(_, one)| {
        one.is_alternative
            && chosen.iter().all(|at| one.mention.start > all[*at].mention.start)
            && chosen.iter().any(|at| !all[*at].mention.value.is_same(&one.mention.value))
    });
    if let Some((rival, _)) = rival {
        chosen.push(rival);
    }
    // What a later sentence asserts instead has the last word, as in a slot above a correction.
    agreed(all, chosen)
}

fn agreed(all: &[Assessed], claims: Vec<usize>) -> Choice {
    let Some(first) = claims.first() else { return Choice::None };
    let value = &all[*first].mention.value;
    if claims.iter().all(|at| all[*at].mention.value.is_same(value)) {
        Choice::Chosen(claims)
    } else {
        Choice::Several(claims)
    }
}

/// The claims that may be the answer.
fn live(all: &[Assessed], is_in: impl Fn(&Assessed) -> bool) -> Vec<usize> {
    let open = |one: &Assessed| one.stance.is_asserted() && is_in(one);
    let places: Vec<usize> =
        all.iter().enumerate().filter(|(_, one)| open(one)).map(|(at, _)| at).collect();
    let keep = |weak: &dyn Fn(&Assessed) -> bool, places: Vec<usize>| {
        let strong: Vec<usize> = places.iter().copied().filter(|at| !weak(&all[*at])).collect();
        if strong.is_empty() { places } else { strong }
    };
    let places = keep(&|one| one.mention.is_weak, places);
    keep(&|one| one.is_elsewhen, places)
}

/// Chooses among the live claims.
fn among(reading: &ClauseReading, all: &[Assessed], live: &[usize]) -> Choice {
    let live = &without_false_equations(reading, all, live)[..];
    let first = match live.first() {
        Some(first) => *first,
        None => return Choice::None,
    };
    let is_one = |claims: &[usize]| {
        claims.iter().all(|at| all[*at].mention.value.is_same(&all[first].mention.value))
    };
    if is_one(live) {
        return Choice::Chosen(live.to_vec());
    }
    let uncertain: Vec<usize> = live.iter().copied().filter(|at| all[*at].is_alternative).collect();
    if !uncertain.is_empty() {
        let mut several = uncertain;
        several.extend(live.iter().copied().filter(|at| !all[*at].is_alternative).take(1));
        several.sort_unstable();
        return Choice::Several(several);
    }
    let boxed: Vec<usize> = live
        .iter()
        .copied()
        .filter(|at| token(reading, all, *at).is_some_and(|token| token.is_boxed))
        .collect();
    if !boxed.is_empty() && boxed.len() < live.len() {
        return among(reading, all, &boxed);
    }
    let working = working(reading, all, live);
    let main: Vec<usize> = live.iter().copied().filter(|at| !working.contains(at)).collect();
    if main.is_empty() {
        // Nothing but working: its last result.
        return match results(reading, all, live).last() {
            Some(last) => Choice::Chosen(vec![*last]),
            None => agreed(all, live.to_vec()),
        };
    }
    if agreed(all, main.clone()) == Choice::Chosen(main.clone()) {
        return Choice::Chosen(main);
    }
    if let Some(rest) = remainder(reading, all, &main) {
        return Choice::Chosen(vec![rest]);
    }
    let restatement = restatement(reading, all, &main);
    let conclusion = conclusion(reading, all, &main)
        .or(restatement)
        .or_else(|| plain_statement(reading, all, &main));
    // `There are 10 books. […] So the total is 30.`
    let is_premise = |at: usize, chosen: usize| {
        let counts = all[at].mention.unit.is_some()
            && all[chosen].mention.unit.is_none()
            && !words(reading, &all[chosen].mention).is_empty();
        at < chosen && conclusion == Some(chosen) && (counts || restatement == Some(chosen))
    };
    let bold = bold(reading, all, &main);
    let headline = headline(reading, all, &main);
    if let Some(several) = listed(reading, all, &main)
        && conclusion.is_none_or(|at| several.contains(&at))
        && bold.is_none()
    {
        return Choice::Several(several);
    }
    let value = |at: usize| &all[at].mention.value;
    let differs = |one: usize, other: usize| !value(one).is_same(value(other));
    let chosen = match (conclusion, bold, headline) {
        (Some(conclusion), Some(bold), _) if differs(conclusion, bold) => {
            return Choice::Several(vec![bold, conclusion]);
        }
        (Some(conclusion), _, Some(headline)) if differs(conclusion, headline) => {
            if !is_premise(headline, conclusion)
                && is_same_statement(reading, all, headline, conclusion)
            {
                return Choice::Several(vec![headline, conclusion]);
            }
            conclusion
        }
        (Some(conclusion), ..) => conclusion,
        (None, Some(bold), _) => bold,
        (None, None, Some(headline)) => headline,
        (None, None, None) => match results(reading, all, live).last() {
            Some(last) if main.contains(last) => *last,
            _ => return Choice::Several(distinct(all, &main)),
        },
    };
    // Another value in the same words is a second answer.
    let rival = main.iter().copied().find(|at| {
        differs(*at, chosen)
            && !is_premise(*at, chosen)
            && !is_detail(reading, all, *at, chosen)
            && is_same_statement(reading, all, chosen, *at)
            && (bold.is_none()
                || reading.sentence(all[*at].mention.start).start
                    != reading.sentence(all[chosen].mention.start).start)
    });
    match rival {
        Some(rival) => Choice::Several(vec![chosen.min(rival), chosen.max(rival)]),
        None => Choice::Chosen(main.into_iter().filter(|at| !differs(*at, chosen)).collect()),
    }
}

fn token<'r>(reading: &'r ClauseReading, all: &[Assessed], at: usize) -> Option<&'r Token> {
    reading.token(all.get(at)?.mention.start)
}

fn distinct(all: &[Assessed], claims: &[usize]) -> Vec<usize> {
    let mut result: Vec<usize> = Vec::new();
    for at in claims {
        if !result.iter().any(|other| all[*other].mention.value.is_same(&all[*at].mention.value)) {
            result.push(*at);
        }
    }
    result
}

/// The tokens after each label of an answer: the rest of its line, or else the next line.
pub(super) fn slots(reading: &ClauseReading) -> Vec<Range<usize>> {
    let mut slots: Vec<Range<usize>> = Vec::new();
    let is_line_end = |at: usize| {
        reading.token(at).is_none_or(|token| matches!(token.mark(), Some(LINE_END | PARAGRAPH_END)))
    };
    for cue in reading.cues.iter().filter(|cue| cue.class == CueClass::Label) {
        let clause = reading.clause(cue.start);
        let leads = (clause.start..cue.start).all(|at| {
            reading.token(at).is_none_or(|token| {
                token.kind == TokenKind::Mark
                    || matches!(
                        token.text.as_str(),
                        "so" | "the"
                            | "my"
                            | "and"
                            | "die"
                            | "das"
                            | "meine"
                            | "最"
                            | "终"
                            | "我"
                            | "的"
                            | "final"
                            | "correct"
                            | "right"
                    )
            })
        });
        let mut at = cue.end;
        while reading.is_mark(at, '"') || reading.is_mark(at, ')') {
            at += 1;
        }
        let opens = reading.is_mark(at, ':')
            || reading.is_mark(at, '=')
            || is_line_end(at)
                && reading.sentence(cue.start).end <= at + 1
                && cue.start == reading.sentence(cue.start).start;
        if !leads || !opens || slots.last().is_some_and(|slot| slot.start > cue.start) {
            continue;
        }
        let mut start = if is_line_end(at) { at } else { at + 1 };
        while start < reading.tokens.len() && is_line_end(start) {
            start += 1;
        }
        // A label on a line of its own has the lines up to the end of the paragraph.
        let is_heading = reading.gap(at, start) >= TokenGap::Line;
        let ends =
            |at: &usize| is_line_end(*at) && (!is_heading || !reading.is_mark(*at, LINE_END));
        let end = (start..reading.tokens.len()).find(ends).unwrap_or(reading.tokens.len());
        if start < end {
            slots.push(start..end);
        }
    }
    slots
}

fn is_operator(reading: &ClauseReading, at: usize) -> bool {
    let Some(token) = reading.token(at) else { return false };
    match token.mark() {
        Some('+' | '×' | '÷' | '=') => true,
        Some('-') => {
            // A hyphen with blanks on both sides, or between digits.
            let next = reading.token(at + 1);
            next.is_some_and(Token::is_digits)
                && token.spaced == next.is_some_and(|next| next.spaced)
        }
        Some('/') => reading.token(at + 1).is_some_and(Token::is_digits),
        Some(_) => false,
        None => {
            reading.has_cue(CueClass::Operator, at, at + 4)
                && reading.cues_in(CueClass::Operator, at, at + 4).any(|cue| cue.start == at)
                || token.text == "x" && reading.token(at + 1).is_some_and(Token::is_digits)
        }
    }
}

/// The claims that are operands of a calculation, and the intermediate results of one.
fn working(reading: &ClauseReading, all: &[Assessed], live: &[usize]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    if !matches!(
        live.first().map(|at| &all[*at].mention.value),
        Some(ClaimValue::Number(_) | ClaimValue::Clock(_))
    ) {
        return found;
    }
    let has_unit = |mention: &Mention| {
        usize::from(
            reading.token(mention.end).is_some_and(Token::is_word) && mention.unit.is_some(),
        )
    };
    for at in live {
        let mention = &all[*at].mention;
        let after = mention.end + has_unit(mention);
        let comma = after + usize::from(reading.is_mark(after, ','));
        let is_before = is_operator(reading, mention.end) || is_operator(reading, comma);
        let before = mention.start.checked_sub(1);
        let is_after = before
            .is_some_and(|before| is_operator(reading, before) && !reading.is_mark(before, '='))
            || operator_ends_at(reading, mention.start);
        if is_before || is_after {
            found.insert(*at);
        }
    }
    // A result stays, except for one that is worked on: `3 + 4 = 7`, `7 - 2 = 5`.
    for at in results(reading, all, live) {
        let mention = &all[at].mention;
        let after = mention.end + has_unit(mention);
        let comma = after + usize::from(reading.is_mark(after, ','));
        if !is_operator(reading, mention.end) && !is_operator(reading, comma) {
            found.remove(&at);
        }
    }
    // Of several results in a row the last one counts.
    let results: Vec<usize> =
        results(reading, all, live).into_iter().filter(|at| !found.contains(at)).collect();
    if results.len() > 1 {
        found.extend(results.iter().take(results.len() - 1));
    }
    found
}

/// The claims without those of `5 = 9`, which asserts nothing.
fn without_false_equations(
    reading: &ClauseReading,
    all: &[Assessed],
    live: &[usize],
) -> Vec<usize> {
    let mut false_ones: Vec<usize> = Vec::new();
    for pair in live.windows(2) {
        let [one, other] = pair else { continue };
        let (left, right) = (&all[*one].mention, &all[*other].mention);
        let sign = right
            .start
            .checked_sub(1)
            .filter(|sign| reading.is_mark(*sign, '=') && *sign == left.end);
        let opens = left.start.checked_sub(1).is_none_or(|before| {
            !is_operator(reading, before) && !operator_ends_at(reading, left.start)
        });
        if sign.is_some() && opens && !left.value.is_same(&right.value) {
            false_ones.extend([*one, *other]);
        }
    }
    live.iter().copied().filter(|at| !false_ones.contains(at)).collect()
}

fn operator_ends_at(reading: &ClauseReading, at: usize) -> bool {
    let from = at.saturating_sub(3);
    reading.cues_in(CueClass::Operator, from, at).any(|cue| cue.end == at)
}

/// The claims after an equals sign with an operation before it.
fn results(reading: &ClauseReading, all: &[Assessed], live: &[usize]) -> Vec<usize> {
    let is_result = |at: &usize| {
        let start = all[*at].mention.start;
        let Some(sign) = start.checked_sub(1) else { return false };
        // `minus a quarter: 30`
        let follows_operation = reading.is_mark(sign, ':') && {
            let clause = reading.clause(sign);
            reading.has_cue(CueClass::Operator, clause.start, sign)
        };
        reading.is_mark(sign, '=')
            || reading.is_mark(sign, '≈')
            || follows_operation
            || is_sum(reading, all, live, *at)
    };
    live.iter().copied().filter(is_result).collect()
}

/// Whether the numbers before a value in its clause add up to it: `2 small ones and 4 large ones make 6`.
fn is_sum(reading: &ClauseReading, all: &[Assessed], live: &[usize], at: usize) -> bool {
    let number = |at: usize| match all[at].mention.value {
        ClaimValue::Number(value) => Some(value),
        _ => None,
    };
    let start = all[at].mention.start;
    let is_said = start
        .checked_sub(1)
        .is_some_and(|verb| matches!(reading.text(verb), "make" | "makes" | "machen" | "ergeben"));
    let from = reading.sentence(start).start;
    let parts: Vec<f64> = live
        .iter()
        .filter(|other| (from..start).contains(&all[**other].mention.start))
        .filter_map(|other| number(*other))
        .collect();
    is_said && parts.len() > 1 && number(at) == Some(parts.iter().sum())
}

/// Whether a value in brackets only explains the one before them: `6 (8 needed, 2 already there)`.
fn is_detail(reading: &ClauseReading, all: &[Assessed], at: usize, chosen: usize) -> bool {
    let (detail, main) = (&all[at].mention, &all[chosen].mention);
    reading.clause(detail.start).is_aside
        && !reading.clause(main.start).is_aside
        && (detail.unit.is_some() || !words(reading, detail).is_empty())
}

/// The last number, if it is what is left of the first one without the others, and is said to be that: `52 in all, 29
/// taken, 23 free`.
fn remainder(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let number = |at: &usize| match all[*at].mention.value {
        ClaimValue::Number(value) => Some(value),
        _ => None,
    };
    let (last, before) = main.split_last()?;
    let (first, taken) = before.split_first()?;
    let sum: f64 = taken.iter().filter_map(number).sum();
    let clause = reading.clause(all[*last].mention.start);
    let label = reading.clause(clause.start.saturating_sub(1));
    let is_rest = (label.start..clause.end).any(|at| {
        matches!(
            reading.text(at),
            "free"
                | "left"
                | "remaining"
                | "remain"
                | "open"
                | "rest"
                | "frei"
                | "übrig"
                | "offen"
                | "空"
                | "剩"
                | "余"
        )
    });
    (is_rest && !taken.is_empty() && number(first)? - sum == number(last)?).then_some(*last)
}

/// The value of sentences that say nothing else: `It is 40.` Of names, that of the clause that says who is
/// the best.
fn plain_statement(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let is_plain = |at: &usize| {
        let mention = &all[*at].mention;
        let clause = reading.clause(mention.start);
        match mention.value {
            ClaimValue::Name(_) => reading.has_cue(CueClass::Claim, clause.start, clause.end),
            _ => {
                let sentence = reading.sentence(mention.start);
                let leads = !main.iter().any(|other| {
                    (sentence.start..clause.start).contains(&all[*other].mention.start)
                });
                let is_contrast = reading.has_cue(CueClass::Contrast, clause.start, mention.start);
                let is_apart = clause.start == sentence.start
                    || (leads || is_contrast)
                        && reading
                            .gaps
                            .get(clause.start)
                            .is_some_and(|gap| *gap >= TokenGap::Clause);
                is_apart && words(reading, mention).is_empty()
            }
        }
    };
    let plain: Vec<usize> = main.iter().copied().filter(is_plain).collect();
    match agreed(all, plain) {
        Choice::Chosen(claims) => claims.first().copied(),
        _ => None,
    }
}

/// The value of the last sentence that states one of those before it: a table, and then `The fine is 30.`
fn restatement(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let (last, before) = main.split_last()?;
    let mention = &all[*last].mention;
    let sentence = reading.sentence(mention.start);
    let is_alone = before.iter().all(|at| all[*at].mention.start < sentence.start);
    let is_repeated = before.iter().any(|at| all[*at].mention.value.is_same(&mention.value));
    (is_alone && is_repeated && reading.has_cue(CueClass::Equals, sentence.start, mention.start))
        .then_some(*last)
}

/// The words of a mention's clause, without the value, its unit and small words.
fn words(reading: &ClauseReading, mention: &Mention) -> BTreeSet<String> {
    let clause = reading.clause(mention.start);
    let unit = mention.unit.is_some().then_some(mention.end);
    (clause.start..clause.end)
        .filter(|at| !(mention.start..mention.end).contains(at) && Some(*at) != unit)
        .filter_map(|at| reading.token(at))
        .filter(|token| token.is_word() && !is_small_word(&token.text))
        .map(|token| token.text.clone())
        .collect()
}

/// The value of the last conclusion.
fn conclusion(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let is_conclusion = |cue: &&Cue| matches!(cue.class, CueClass::Conclusion | CueClass::Total);
    reading.cues.iter().filter(is_conclusion).rev().find_map(|cue| {
        let sentence = reading.sentence(cue.start);
        // `7 things in all`
        let clause = reading.clause(cue.start);
        let before = main
            .iter()
            .copied()
            .rfind(|at| (clause.start..cue.start).contains(&all[*at].mention.start));
        if cue.class == CueClass::Total && before.is_some() {
            return before;
        }
        let after: Vec<usize> = main
            .iter()
            .copied()
            .filter(|at| all[*at].mention.start >= cue.end && all[*at].mention.start < sentence.end)
            .collect();
        let is_compared = |at: &usize| {
            let before = all[*at].mention.start.checked_sub(1).map_or("", |at| reading.text(at));
            matches!(before, "than" | "as" | "like" | "wie" | "als")
        };
        let after: Vec<usize> = after.into_iter().filter(|at| !is_compared(at)).collect();
        let plain: Vec<usize> =
            after.iter().copied().filter(|at| !is_oblique(reading, all, *at)).collect();
        let after = if plain.is_empty() { after } else { plain };
        let equals = after.iter().copied().rfind(|at| {
            let start = all[*at].mention.start;
            reading.cues_in(CueClass::Equals, cue.start, start).any(|cue| start - cue.end <= 1)
        });
        equals.or(after.first().copied())
    })
}

/// The only value in bold.
fn bold(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let bold: Vec<usize> = main
        .iter()
        .copied()
        .filter(|at| token(reading, all, *at).is_some_and(|token| token.is_bold))
        .collect();
    let plain = main.iter().any(|at| !bold.contains(at));
    match agreed(all, bold) {
        Choice::Chosen(claims) if plain => claims.first().copied(),
        _ => None,
    }
}

/// The value of the first sentence, if it has one: of several the one that is no circumstance.
fn headline(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<usize> {
    let first = reading.sentence(all[*main.first()?].mention.start);
    let own: Vec<usize> =
        main.iter().copied().filter(|at| all[*at].mention.start < first.end).collect();
    let keep = |is_kept: &dyn Fn(usize) -> bool, own: Vec<usize>| {
        let kept: Vec<usize> = own.iter().copied().filter(|at| is_kept(*at)).collect();
        if kept.is_empty() { own } else { kept }
    };
    let own = keep(&|at| !reading.clause(all[at].mention.start).is_aside, own);
    let own = keep(&|at| !is_in_reason(reading, all, at), own);
    let own = keep(&|at| !is_oblique(reading, all, at), own);
    match agreed(all, own) {
        Choice::Chosen(claims) => claims.first().copied(),
        Choice::Several(claims) => {
            // After a colon or a comma follow the details.
            let start = all[*claims.first()?].mention.start;
            let clause = reading.clause(start);
            let rest_is_apart = claims.iter().skip(1).all(|at| {
                let other = all[*at].mention.start;
                reading.gap(start, other) >= TokenGap::Clause
                    || has_verb_between(reading, clause.end, other)
            });
            let own: Vec<usize> =
                claims.iter().copied().filter(|at| all[*at].mention.start < clause.end).collect();
            match agreed(all, own) {
                Choice::Chosen(claims) if rest_is_apart => claims.first().copied(),
                _ => None,
            }
        }
        Choice::None => None,
    }
}

/// Whether there are words other than a value's between two tokens.
fn has_verb_between(reading: &ClauseReading, from: usize, to: usize) -> bool {
    (from..to).filter(|at| reading.token(*at).is_some_and(Token::is_word)).count() >= 2
}

fn is_in_reason(reading: &ClauseReading, all: &[Assessed], at: usize) -> bool {
    let start = all[at].mention.start;
    let sentence = reading.sentence(start);
    reading.cues_in(CueClass::Cause, sentence.start, start).any(|cue| {
        let clause = reading.clause(start);
        cue.start >= clause.start || reading.gap(cue.start, start) == TokenGap::None
    })
}

const PREPOSITIONS: &[&str] = &[
    "for", "of", "in", "with", "at", "per", "from", "after", "each", "out", "within", "on", "than",
    "like", "wie", "als", "für", "von", "mit", "bei", "pro", "je", "aus", "nach", "in", "auf",
    "among", "from", "to", "against", "through", "every", "during", "since", "past", "instead",
];

/// Whether a number is only a circumstance: `30 euros for 4 books`.
fn is_oblique(reading: &ClauseReading, all: &[Assessed], at: usize) -> bool {
    let mention = &all[at].mention;
    if !matches!(mention.value, ClaimValue::Number(_)) {
        return false;
    }
    let before = |back: usize| mention.start.checked_sub(back).map_or("", |at| reading.text(at));
    let is_article = matches!(
        before(1),
        "the"
            | "all"
            | "these"
            | "those"
            | "my"
            | "your"
            | "his"
            | "den"
            | "die"
            | "der"
            | "alle"
            | "only"
            | "just"
    );
    PREPOSITIONS.contains(&before(1)) || (is_article && PREPOSITIONS.contains(&before(2)))
}

/// A run of different values that are only separated, as in a list.
fn listed(reading: &ClauseReading, all: &[Assessed], main: &[usize]) -> Option<Vec<usize>> {
    let unit = |at: usize| all[at].mention.unit.as_deref();
    let mut found: Vec<usize> = Vec::new();
    for pair in main.windows(2) {
        let [one, other] = pair else { continue };
        let (from, to) = (all[*one].mention.end, all[*other].mention.start);
        if all[*one].mention.value.is_same(&all[*other].mention.value) || from > to {
            continue;
        }
        let unit_length =
            usize::from(unit(*one).is_some() && reading.token(from).is_some_and(Token::is_word));
        let is_separator = |at: usize| {
            reading.token(at).is_some_and(|token| {
                matches!(
                    token.mark(),
                    Some(
                        ',' | '、'
                            | ';'
                            | '/'
                            | '&'
                            | '|'
                            | '.'
                            | LINE_END
                            | PARAGRAPH_END
                            | '-'
                            | '"'
                            | '('
                            | ')'
                            | '·'
                            | '+'
                            | '→'
                    )
                ) || matches!(
                    token.text.as_str(),
                    "and"
                        | "und"
                        | "和"
                        | "与"
                        | "then"
                        | "as"
                        | "well"
                        | "the"
                        | "a"
                        | "an"
                        | "sowie"
                        | "also"
                        | "plus"
                        | "maybe"
                        | "perhaps"
                        | "even"
                        | "both"
                        | "以"
                        | "及"
                )
            })
        };
        // `The top scorer was Jarvis; Palmer came second.`
        let is_apart = matches!(all[*other].mention.value, ClaimValue::Name(_))
            && (from..to).any(|at| reading.is_mark(at, ';') || reading.is_mark(at, '.'))
            && !words(reading, &all[*other].mention).is_empty();
        let is_circumstance = is_oblique(reading, all, *one) != is_oblique(reading, all, *other);
        if is_apart || is_circumstance || is_detail(reading, all, *other, *one) {
            continue;
        }
        let same_unit =
            unit(*one).is_none() || unit(*other).is_none() || unit(*one) == unit(*other);
        if same_unit && (from + unit_length..to).all(is_separator) {
            for at in [*one, *other] {
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether two values are given in the same words, so that one contradicts the other.
fn is_same_statement(reading: &ClauseReading, all: &[Assessed], one: usize, other: usize) -> bool {
    let units = (&all[one].mention.unit, &all[other].mention.unit);
    if let (Some(one), Some(other)) = units
        && one != other
    {
        return false;
    }
    if reading.clause(all[one].mention.start).start
        == reading.clause(all[other].mention.start).start
    {
        return false;
    }
    let is_choice = matches!(all[one].mention.value, ClaimValue::Choice(_) | ClaimValue::Clock(_));
    // `C. A and B are capitals of other countries.`
    let said = |at: usize| {
        let mention = &all[at].mention;
        (mention.end..reading.sentence(mention.start).end)
            .filter(|at| !all.iter().any(|one| (one.mention.start..one.mention.end).contains(at)))
            .filter_map(|at| reading.token(at))
            .filter(|token| token.is_word() && !is_small_word(&token.text))
            .count()
    };
    let is_bare = said(one).min(said(other)) == 0 && said(one).max(said(other)) > 2;
    if matches!(all[one].mention.value, ClaimValue::Choice(_)) && is_bare {
        return false;
    }
    let (one, other) = (words(reading, &all[one].mention), words(reading, &all[other].mention));
    let shared = one.intersection(&other).count();
    let least = one.len().min(other.len());
    if least == 0 {
        // `A is in Portugal, so C`
        return one.len().max(other.len()) <= usize::from(!is_choice);
    }
    5 * shared >= 3 * least && (shared >= 2 || one.len().max(other.len()) <= 1)
}

/// Words that do not tell what a clause is about.
fn is_small_word(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "a"
            | "an"
            | "so"
            | "and"
            | "but"
            | "then"
            | "therefore"
            | "thus"
            | "hence"
            | "of"
            | "to"
            | "in"
            | "for"
            | "is"
            | "are"
            | "was"
            | "were"
            | "it"
            | "that"
            | "this"
            | "there"
            | "die"
            | "der"
            | "das"
            | "und"
            | "also"
            | "es"
            | "ist"
            | "sind"
            | "的"
            | "了"
            | "是"
            | "所"
            | "以"
            | "now"
            | "still"
            | "well"
            | "too"
            | "again"
            | "i"
            | "think"
    )
}

/// How a claim and the others decide about an expected value.
#[derive(Clone, Debug, PartialEq)]
pub enum ClaimVerdict {
    Held,
    /// Nothing of the kind is said.
    Nothing,
    /// The expected value is mentioned, in this stance.
    NotAsserted {
        place: Range<usize>,
        stance: Stance,
        cue: Option<Range<usize>>,
    },
    /// Another value is asserted.
    Other {
        place: Range<usize>,
    },
    /// Several values, and nothing chooses between them.
    Several {
        places: Vec<Range<usize>>,
        cue: Option<Range<usize>>,
    },
}

/// The verdict on an expected value.
pub(super) fn verdict(
    reading: &ClauseReading,
    all: &[Assessed],
    fits: &dyn Fn(&Mention) -> bool,
) -> ClaimVerdict {
    let place = |at: usize| bytes(reading, all[at].mention.start..all[at].mention.end);
    let cue = |at: usize| all[at].cue.clone().map(|cue| bytes(reading, cue));
    match choose(reading, all) {
        Choice::Chosen(claims) if claims.iter().all(|at| fits(&all[*at].mention)) => {
            ClaimVerdict::Held
        }
        Choice::Chosen(claims) => {
            let other = claims.iter().copied().find(|at| !fits(&all[*at].mention));
            not_asserted(reading, all, fits)
                .or_else(|| Some(ClaimVerdict::Other { place: place(other?) }))
                .unwrap_or(ClaimVerdict::Nothing)
        }
        Choice::Several(claims) => ClaimVerdict::Several {
            places: claims.iter().map(|at| place(*at)).collect(),
            cue: claims.iter().find_map(|at| cue(*at).filter(|_| all[*at].is_alternative)),
        },
        Choice::None => not_asserted(reading, all, fits).unwrap_or_else(|| {
            match all.iter().rposition(|one| one.stance == Stance::Hedged) {
                Some(at) => ClaimVerdict::NotAsserted {
                    place: place(at),
                    stance: all[at].stance,
                    cue: cue(at),
                },
                None => ClaimVerdict::Nothing,
            }
        }),
    }
}

/// The last mention of the expected value that is not asserted.
fn not_asserted(
    reading: &ClauseReading,
    all: &[Assessed],
    fits: &dyn Fn(&Mention) -> bool,
) -> Option<ClaimVerdict> {
    let one = all.iter().rfind(|one| fits(&one.mention) && !one.stance.is_asserted())?;
    Some(ClaimVerdict::NotAsserted {
        place: bytes(reading, one.mention.start..one.mention.end),
        stance: one.stance,
        cue: one.cue.clone().map(|cue| bytes(reading, cue)),
    })
}

/// The bytes of a stretch of tokens.
pub(super) fn bytes(reading: &ClauseReading, tokens: Range<usize>) -> Range<usize> {
    let first = reading.token(tokens.start).map_or(0, |token| token.place.start);
    let last = tokens.end.checked_sub(1).and_then(|last| reading.token(last));
    first..last.map_or(first, |token| token.place.end.max(first))
}
