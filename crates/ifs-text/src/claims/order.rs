//! Names in the order in which a text puts them, and sets of names.

use std::ops::Range;

use super::choice::{ClaimVerdict, bytes, slots};
use super::cues::CueClass;
use super::mentions::{ClaimValue, names};
use super::names::NameList;
use super::reading::{ClauseReading, TokenGap};
use super::stance::{Assessed, Stance, assess_mentions, negate_list_before, retractions};
use super::tokens::{Token, TokenKind};

/// Whether a text puts these entries of a roster in this order, and says nothing else.
pub(super) fn verdict(
    reading: &ClauseReading,
    roster: &NameList,
    expected: &[usize],
    is_ordered: bool,
) -> ClaimVerdict {
    let mut all = assess_mentions(reading, names(reading, roster), false);
    retractions(reading, &mut all, &|_| 0);
    if !is_ordered {
        deny_marked(reading, &mut all);
        deny_absent(reading, &mut all);
    }
    let matches = |found: &[usize]| {
        let mut found: Vec<Option<usize>> = found.iter().map(|at| entry(&all[*at])).collect();
        let mut wanted: Vec<Option<usize>> = expected.iter().copied().map(Some).collect();
        if !is_ordered {
            // A set may name a member twice.
            for list in [&mut found, &mut wanted] {
                list.sort_unstable();
                list.dedup();
            }
        }
        found == wanted
    };
    let place = |at: usize| bytes(reading, all[at].mention.start..all[at].mention.end);
    let mut sequences = sequences(reading, &all, expected.len(), is_ordered);
    if is_ordered {
        sequences.iter_mut().for_each(|names| arrange(reading, &all, names));
    }
    let Some(last) = sequences.last() else {
        let taken = all.iter().rfind(|one| !one.stance.is_asserted());
        return taken.map_or(ClaimVerdict::Nothing, |one| ClaimVerdict::NotAsserted {
            place: bytes(reading, one.mention.start..one.mention.end),
            stance: one.stance,
            cue: one.cue.clone().map(|cue| bytes(reading, cue)),
        });
    };
    let several = |claims: &[usize], cue: Option<Range<usize>>| ClaimVerdict::Several {
        places: claims.iter().map(|at| place(*at)).collect(),
        cue: cue.map(|cue| bytes(reading, cue)),
    };
    if let Some(one) = last.iter().map(|at| &all[*at]).find(|one| one.is_alternative) {
        return several(last, one.cue.clone());
    }
    if let Some(cue) = last.iter().find_map(|at| supposed(reading, &all, *at)) {
        return several(last, Some(cue));
    }
    if let Some(stranger) = stranger(reading, &all, last) {
        return ClaimVerdict::Other { place: bytes(reading, stranger) };
    }
    if let Some(other) = sequences.iter().find(|sequence| !matches(sequence)) {
        return if sequences.iter().any(|sequence| matches(sequence)) {
            several(other, None)
        } else {
            match (other.first(), other.last()) {
                (Some(first), Some(last)) => ClaimVerdict::Other {
                    place: bytes(
                        reading,
                        all[*first].mention.start.min(all[*last].mention.start)
                            ..all[*last].mention.end.max(all[*first].mention.end),
                    ),
                },
                _ => ClaimVerdict::Nothing,
            }
        };
    }
    ClaimVerdict::Held
}

fn entry(one: &Assessed) -> Option<usize> {
    match one.mention.value {
        ClaimValue::Name(entry) => entry,
        _ => None,
    }
}

/// What the item of a name says of it: `Ida – yes`, `❌ Mara`, `[ ] Mara`, a cell of a table.
fn mark_of(reading: &ClauseReading, all: &[Assessed], at: usize) -> Option<Range<usize>> {
    let own = &all[at].mention;
    let is_end = |at: usize| {
        reading.token(at).is_none_or(|token| token.kind == TokenKind::Mark && !token.is_mark('('))
    };
    let next = all.get(at + 1).map_or(reading.tokens.len(), |next| next.mention.start);
    let line_end =
        (own.end..next).find(|at| reading.gaps.get(*at) >= Some(&TokenGap::Line)).unwrap_or(next);
    let after = (own.end..line_end).find(|at| {
        let is_word = is_verdict(reading, *at).is_some()
            && is_end(at - 1)
            && is_end(at + 1)
            && !reading.is_mark(at - 1, '(');
        let is_empty = reading.is_mark(*at, '-') && reading.is_mark(at - 1, ':');
        is_symbol(reading.text(*at)).is_some() || is_word || is_empty
    });
    let before = own.start.checked_sub(1).filter(|at| {
        is_symbol(reading.text(*at)).is_some()
            || reading.is_mark(*at, ']')
                && at.checked_sub(1).is_some_and(|open| reading.is_mark(open, '['))
    });
    after.or(before).map(|at| at..at + 1)
}

fn is_symbol(text: &str) -> Option<bool> {
    match text {
        "✅" | "✓" | "✔" | "√" | "☑" => Some(true),
        "❌" | "✗" | "✘" | "☐" => Some(false),
        _ => None,
    }
}

fn is_verdict(reading: &ClauseReading, at: usize) -> Option<bool> {
    match reading.text(at) {
        "yes" | "ja" | "是" | "correct" | "richtig" => Some(true),
        "no" | "nein" | "否" => Some(false),
        text => is_symbol(text),
    }
}

/// Denies the names whose items say no.
pub(super) fn deny_marked(reading: &ClauseReading, all: &mut [Assessed]) {
    let marks: Vec<Option<Range<usize>>> =
        (0..all.len()).map(|at| mark_of(reading, all, at)).collect();
    let is_right = |mark: &Range<usize>| is_verdict(reading, mark.start) == Some(true);
    // Of options, only those that are marked as right are the answer.
    let right: Vec<ClaimValue> = all
        .iter()
        .zip(&marks)
        .filter(|(_, mark)| mark.as_ref().is_some_and(is_right))
        .map(|(one, _)| one.mention.value.clone())
        .collect();
    for (one, mark) in all.iter_mut().zip(marks) {
        let is_option = matches!(one.mention.value, ClaimValue::Choice(_));
        let is_other = is_option && !right.is_empty() && !right.contains(&one.mention.value);
        let is_wrong = mark.as_ref().is_some_and(|mark| !is_right(mark));
        if is_other || is_wrong {
            (one.stance, one.cue) = (Stance::Negated, mark);
        }
    }
}

/// Denies the names of which a text says that they were absent, if it names others: `Only Ida; Mara was absent`.
fn deny_absent(reading: &ClauseReading, all: &mut [Assessed]) {
    let mut rest = all.to_vec();
    for at in 0..rest.len() {
        let (start, end) = (rest[at].mention.start, rest[at].mention.end);
        let sentence = reading.sentence(start);
        let next = rest.get(at + 1).map_or(reading.tokens.len(), |next| next.mention.start);
        let after = reading
            .cues_in(CueClass::Absent, end, reading.clause(start).end)
            .find(|cue| cue.end <= next);
        let label = reading
            .cues_in(CueClass::Absent, sentence.start, start)
            .find(|cue| cue.start == sentence.start && reading.is_mark(cue.end, ':'));
        if let Some(cue) = after.or(label)
            && rest[at].stance.is_asserted()
        {
            (rest[at].stance, rest[at].cue) = (Stance::Negated, Some(cue.start..cue.end));
        }
    }
    negate_list_before(reading, &mut rest);
    if rest.iter().any(|one| one.stance.is_asserted()) {
        all.clone_from_slice(&rest);
    }
}

/// The word by which a name that is added to others is only supposed: `Ida and maybe Ole`.
fn supposed(reading: &ClauseReading, all: &[Assessed], at: usize) -> Option<Range<usize>> {
    let start = all[at].mention.start;
    let sentence = reading.sentence(start);
    let cue = reading.cues_in(CueClass::Unsure, sentence.start, start).last()?;
    let is_added = all[..at].iter().any(|other| {
        (sentence.start..cue.start).contains(&other.mention.start) && other.stance.is_asserted()
    });
    let is_adverb = matches!(
        reading.text(cue.start),
        "maybe" | "perhaps" | "probably" | "vielleicht" | "wahrscheinlich" | "可" | "也" | "大"
    );
    let is_near = (cue.end..start).all(|at| {
        matches!(reading.text(at), "also" | "even" | "auch" | "noch" | "还" | "有" | "是")
    });
    (is_added && is_adverb && is_near).then_some(cue.start..cue.end)
}

/// Puts names by the numbers of their lines, if these are not in order, and turns a list that is said to be in
/// reverse order.
fn arrange(reading: &ClauseReading, all: &[Assessed], names: &mut [usize]) {
    let rank = |at: &usize| {
        let start = all[*at].mention.start;
        let number = start.checked_sub(2).filter(|number| {
            matches!(reading.token(start - 1).and_then(Token::mark), Some('.' | ')'))
                && (*number == 0 || reading.gaps.get(*number) >= Some(&TokenGap::Line))
        })?;
        reading.token(number).and_then(Token::whole_number)
    };
    // The number 1 is read as the first mark of a list, and is not among the tokens.
    let ranks: Vec<u32> = names.iter().map(|at| rank(at).unwrap_or(1)).collect();
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    if sorted.iter().zip(1..).all(|(rank, place)| *rank == place) {
        names.sort_by_key(|at| rank(at).unwrap_or(1));
    }
    let first = names.first().map_or(0, |at| all[*at].mention.start);
    if reading.has_cue(CueClass::Reverse, 0, first) {
        names.reverse();
    }
}

/// The sequences that a text gives: those of its slots, else those of the sentences and lists that have
/// enough names, else that of the whole text.
fn sequences(
    reading: &ClauseReading,
    all: &[Assessed],
    count: usize,
    is_ordered: bool,
) -> Vec<Vec<usize>> {
    let asserted = |at: &usize| all[*at].stance.is_asserted();
    let live: Vec<usize> = (0..all.len()).filter(asserted).collect();
    // The ends of a stretch, which the question names.
    let is_end = |at: &usize| all[*at].is_elsewhen && all[*at].cue.is_none();
    let inner: Vec<usize> = live.iter().copied().filter(|at| !is_end(at)).collect();
    let live = if inner.is_empty() { live } else { inner };
    let within = |range: &Range<usize>| -> Vec<usize> {
        live.iter().copied().filter(|at| range.contains(&all[*at].mention.start)).collect()
    };
    let in_slots: Vec<Vec<usize>> =
        slots(reading).iter().map(within).filter(|names| !names.is_empty()).collect();
    if !in_slots.is_empty() {
        return in_slots.into_iter().map(|names| ordered(reading, all, names)).collect();
    }
    let blocks = blocks(reading);
    let distinct = |names: &[usize]| {
        let mut entries: Vec<Option<usize>> = names.iter().map(|at| entry(&all[*at])).collect();
        entries.sort_unstable();
        entries.dedup();
        entries.len()
    };
    let mut complete: Vec<Vec<usize>> = blocks
        .iter()
        .map(within)
        .filter(|names| names.len() >= count && distinct(names) >= count.min(distinct(&live)))
        .collect();
    // `Ole after Mara, Ida after Ole` compares, where another sentence gives the order.
    let is_plain = |names: &Vec<usize>| distinct(names) == names.len();
    if is_ordered && complete.iter().any(is_plain) {
        complete.retain(is_plain);
    }
    if !complete.is_empty() {
        let lists = complete.into_iter().flat_map(|names| lists(reading, all, names, count));
        return lists.map(|names| ordered(reading, all, names)).collect();
    }
    if live.is_empty() {
        return Vec::new();
    }
    vec![ordered(reading, all, live)]
}

/// The lists in a stretch that has more names than expected; one before a colon only says what is
/// ordered. The stretch itself if it has none.
fn lists(
    reading: &ClauseReading,
    all: &[Assessed],
    names: Vec<usize>,
    count: usize,
) -> Vec<Vec<usize>> {
    if names.len() <= count {
        return vec![names];
    }
    let mut lists: Vec<Vec<usize>> = Vec::new();
    for at in &names {
        let joins = lists.last().and_then(|list| list.last()).is_some_and(|last| {
            (all[*last].mention.end..all[*at].mention.start).all(|at| {
                reading.token(at).is_some_and(|token| {
                    token.kind == TokenKind::Mark
                        && !token.is_mark(':')
                        && !token.is_mark(';')
                        && !token.is_mark('.')
                        || matches!(
                            token.text.as_str(),
                            "and"
                                | "then"
                                | "und"
                                | "dann"
                                | "和"
                                | "然"
                                | "后"
                                | "the"
                                | "a"
                                | "or"
                                | "oder"
                        )
                })
            })
        });
        match lists.last_mut() {
            Some(list) if joins => list.push(*at),
            _ => lists.push(vec![*at]),
        }
    }
    let introduces = |list: &[usize]| {
        let end = list.last().map_or(0, |last| all[*last].mention.end);
        let next = names.iter().map(|at| all[*at].mention.start).find(|start| *start >= end);
        next.is_some_and(|next| (end..next).any(|at| reading.is_mark(at, ':')))
    };
    let full: Vec<Vec<usize>> =
        lists.into_iter().filter(|list| list.len() >= count && !introduces(list)).collect();
    if full.is_empty() { vec![names] } else { full }
}

/// Sentences, and runs of lines.
fn blocks(reading: &ClauseReading) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for sentence in &reading.sentences {
        let gap = reading.gaps.get(sentence.start).copied().unwrap_or(TokenGap::Paragraph);
        let words = (sentence.start..sentence.end)
            .filter(|at| reading.token(*at).is_some_and(Token::is_word))
            .count();
        let is_entry = words <= 6;
        match &mut open {
            Some(range) if gap == TokenGap::Line && is_entry => range.end = sentence.end,
            _ => {
                blocks.extend(open.take());
                open = Some(sentence.start..sentence.end);
            }
        }
    }
    blocks.extend(open);
    blocks
}

/// The names of a stretch in their order, each once: `last` and `first` move one to an end.
fn ordered(reading: &ClauseReading, all: &[Assessed], names: Vec<usize>) -> Vec<usize> {
    let mut result: Vec<usize> = Vec::new();
    for at in names {
        let is_next =
            result.last().is_some_and(|last| all[*last].mention.value == all[at].mention.value);
        if !is_next {
            result.push(at);
        }
    }
    let own = result.clone();
    for at in &own {
        let mention = &all[*at].mention;
        let clause = reading.clause(mention.start);
        let alone = own
            .iter()
            .filter(|other| (clause.start..clause.end).contains(&all[**other].mention.start))
            .count()
            == 1;
        let beside = |class: CueClass| {
            reading.cues_in(class, clause.start, clause.end).any(|cue| {
                alone
                    && (cue.end <= mention.start && mention.start - cue.end <= 3
                        || cue.start >= mention.end && cue.start - mention.end <= 4)
            })
        };
        if beside(CueClass::Last) {
            result.retain(|other| other != at);
            result.push(*at);
        } else if beside(CueClass::First) {
            result.retain(|other| other != at);
            result.insert(0, *at);
        }
    }
    result
}

/// A word that stands in a list of names as if it were one.
fn stranger(reading: &ClauseReading, all: &[Assessed], names: &[usize]) -> Option<Range<usize>> {
    let first = names.iter().map(|at| all[*at].mention.start).min()?;
    let last = names.iter().map(|at| all[*at].mention.end).max()?;
    let is_separator = |at: usize| {
        reading.token(at).is_some_and(|token| {
            token.kind == TokenKind::Mark
                || matches!(
                    token.text.as_str(),
                    "and"
                        | "then"
                        | "und"
                        | "dann"
                        | "和"
                        | "然"
                        | "后"
                        | "at"
                        | "last"
                        | "finally"
                        | "first"
                        | "next"
                        | "after"
                        | "that"
                        | "the"
                        | "a"
                        | "by"
                        | "sowie"
                        | "yes"
                        | "no"
                        | "ja"
                        | "nein"
                        | "是"
                        | "否"
                        | "so"
                        | "is"
                        | "well"
                        | "okay"
                        | "zuletzt"
                        | "zuerst"
                        | "schließlich"
                        | "followed"
                        | "in"
                        | "of"
                        | "lastly"
                )
        })
    };
    let named =
        |at: usize| all.iter().any(|one| (one.mention.start..one.mention.end).contains(&at));
    let slot_start =
        slots(reading).into_iter().find(|slot| slot.contains(&first)).map(|slot| slot.start);
    let from = slot_start.unwrap_or(first);
    let is_list = names
        .windows(2)
        .filter(|pair| {
            let (near, far) = (all[pair[0]].mention.end, all[pair[1]].mention.start);
            near <= far
                && (near..far).all(|at| {
                    is_separator(at)
                        || reading.token(at).is_none_or(|token| token.kind == TokenKind::Mark)
                })
        })
        .count()
        + 1
        >= names.len().saturating_sub(1);
    if !is_list {
        return None;
    }
    let elements = (from..last).filter(|at| !named(*at) && !is_separator(*at));
    let mut strangers: Vec<usize> = elements
        .filter(|at| {
            // A word alone between two separators.
            let before = at.checked_sub(1);
            let bounded_before = *at == from
                || before.is_some_and(|before| {
                    reading.token(before).is_some_and(|token| {
                        matches!(token.mark(), Some(',' | '\n' | '\u{b}' | '→' | '-' | ';'))
                    })
                });
            let bounded_after = reading.token(at + 1).is_none_or(|token| {
                matches!(token.mark(), Some(',' | '\n' | '\u{b}' | '→' | '-' | ';'))
            });
            bounded_before && bounded_after && reading.token(*at).is_some_and(Token::is_word)
        })
        .collect();
    strangers.truncate(1);
    strangers.first().map(|at| *at..at + 1)
}
