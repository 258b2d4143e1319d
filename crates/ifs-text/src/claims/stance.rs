//! The stance of a text towards each value that it mentions.

use std::ops::Range;

use super::cues::{Cue, CueClass};
use super::mentions::{ClaimValue, Mention};
use super::numerals::in_words;
use super::reading::{ClauseReading, TokenGap};
use super::tokens::{Token, TokenKind};

/// What a text does with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stance {
    Asserted,
    /// Asserted with modesty: `I think it is 30`.
    Unsure,
    /// `not 30`
    Negated,
    /// One of several that may be meant, or only a bound: `30 or 40`, `at least 30`.
    Hedged,
    /// `30. No wait, 40.`
    Retracted,
    /// Of somebody else, another time or a condition; or only compared with.
    Reported,
    /// In a question.
    Asked,
}

impl Stance {
    pub fn name(self) -> &'static str {
        match self {
            Stance::Asserted => "asserted",
            Stance::Unsure => "unsure",
            Stance::Negated => "negated",
            Stance::Hedged => "hedged",
            Stance::Retracted => "retracted",
            Stance::Reported => "reported",
            Stance::Asked => "asked",
        }
    }

    pub fn is_asserted(self) -> bool {
        matches!(self, Stance::Asserted | Stance::Unsure)
    }
}

/// A mention with its stance.
#[derive(Clone, Debug)]
pub(super) struct Assessed {
    pub mention: Mention,
    pub stance: Stance,
    /// The tokens that decided the stance.
    pub cue: Option<Range<usize>>,
    /// Joined to another value by a disjunction, which makes both uncertain.
    pub is_alternative: bool,
    /// Of another time, which counts only if nothing else is said.
    pub is_elsewhen: bool,
}

/// The kinds of values whose clauses are about them, so that `X did not` denies X.
fn is_subject(value: &ClaimValue) -> bool {
    matches!(value, ClaimValue::Name(_) | ClaimValue::Choice(_) | ClaimValue::Number(_))
}

/// The mentions of one kind with their stances; what is taken back later falls.
pub(super) fn assessed(reading: &ClauseReading, mentions: Vec<Mention>) -> Vec<Assessed> {
    let mut all = assess_mentions(reading, mentions, true);
    suppose_future(reading, &mut all);
    offer_otherwise(reading, &mut all);
    oppose_speakers(reading, &mut all);
    outdate(reading, &mut all);
    retractions(reading, &mut all, &|_| 0);
    all
}

/// The same without retractions. `compares` is whether names are compared, so that one is denied that is `behind`
/// another.
pub(super) fn assess_mentions(
    reading: &ClauseReading,
    mentions: Vec<Mention>,
    compares: bool,
) -> Vec<Assessed> {
    let mut all: Vec<Assessed> = Vec::with_capacity(mentions.len());
    for at in 0..mentions.len() {
        all.push(own_stance(reading, &mentions, at));
    }
    if compares {
        compare_names(reading, &mut all);
    }
    extend_negation(reading, &mut all);
    report_lists(reading, &mut all);
    negate_list_before(reading, &mut all);
    alternatives(reading, &mut all);
    all
}

fn own_stance(reading: &ClauseReading, mentions: &[Mention], at: usize) -> Assessed {
    let mention = &mentions[at];
    let (stance, cue, is_elsewhen) = stance_in_sentence(reading, mentions, at);
    Assessed {
        mention: mention.clone(),
        stance,
        cue: cue.map(|cue| cue.start..cue.end),
        is_alternative: false,
        is_elsewhen,
    }
}

fn stance_in_sentence(
    reading: &ClauseReading,
    mentions: &[Mention],
    at: usize,
) -> (Stance, Option<Cue>, bool) {
    let mention = &mentions[at];
    let (start, end) = (mention.start, mention.end);
    let clause = reading.clause(start);
    let sentence = reading.sentence(start);
    let tokens = reading.tokens.get(start..end).unwrap_or(&[]);
    if tokens.iter().any(|token| token.is_struck) {
        return (Stance::Retracted, None, false);
    }
    // `Or was it 40?` offers another answer.
    let offers =
        reading.cues_in(CueClass::Or, sentence.start, start).any(|cue| cue.start == sentence.start);
    if sentence.is_question && !offers && !is_tag_question(reading, start) {
        return (Stance::Asked, None, false);
    }
    let is_answer = matches!(mention.value, ClaimValue::Answer(_));
    // A denial of what follows in the sentence.
    let denied = reading.cues_in(CueClass::Deny, sentence.start, start).find(|cue| {
        reading.gap(cue.end - 1, start) < TokenGap::Clause || reading.is_mark(cue.end, ':')
    });
    let of_list = || denial_of_list(reading, start).or_else(|| denying_label(reading, start));
    if let Some(cue) = denied.or_else(of_list) {
        return (Stance::Negated, Some(cue), false);
    }
    if !is_answer && let Some(cue) = negation(reading, mention, mentions, at) {
        return (Stance::Negated, Some(cue), false);
    }
    let aside = if is_answer { mentioned_answer(reading, mention) } else { None };
    if let Some((stance, cue)) =
        aside.or_else(|| Some((Stance::Reported, multiplied(reading, mention)?)))
    {
        return (stance, Some(cue), false);
    }
    let condition = reading.cues_in(CueClass::Condition, clause.start, start).last();
    if let Some(cue) = condition
        && !is_answer
        && !has_consequence(reading, cue.end, start)
        && !has_consequence(reading, end, end + 2)
        && !reading.has_cue(CueClass::Unsure, clause.start, end)
    {
        // Who is in a condition was meant before.
        let is_name = matches!(mention.value, ClaimValue::Name(_));
        let stance = if is_name { Stance::Asserted } else { Stance::Reported };
        return (stance, Some(cue), is_name);
    }
    if condition_is_left(reading, mention, sentence.start, sentence.end) {
        return (Stance::Asserted, None, true);
    }
    if is_in_range(reading, mentions, at) || is_counterfactual(reading, mention) {
        return (Stance::Asserted, None, true);
    }
    let reported = reading.cues_in(CueClass::Reported, clause.start, clause.end).next();
    // An introduction without a value of its own: `Some would say, 40.`
    let introduced = introduction(reading, mentions, at)
        .and_then(|clause| reading.cues_in(CueClass::Reported, clause.start, clause.end).next());
    if let Some(cue) = reported.or(introduced) {
        let is_unsure = reading.cues_in(CueClass::Unsure, cue.start, cue.end).next().is_some();
        if !is_unsure {
            return (Stance::Reported, Some(cue), false);
        }
    }
    let is_now = reading.has_cue(CueClass::Now, clause.start, clause.end);
    let elsewhen = reading
        .cues_in(CueClass::Elsewhen, clause.start, clause.end)
        .next()
        .or_else(|| {
            let clause = introduction(reading, mentions, at)?;
            reading.cues_in(CueClass::Elsewhen, clause.start, clause.end).next()
        })
        .or_else(|| closing_before(reading, clause.start, clause.end))
        .or_else(|| speaker(reading, mention, clause.start))
        .filter(|_| !is_now)
        .or_else(|| compared(reading, mention));
    if let Some(cue) = bound(reading, mention) {
        return (Stance::Hedged, Some(cue), false);
    }
    let unsure = reading
        .cues_in(CueClass::Unsure, sentence.start, sentence.end)
        .find(|cue| cue.end <= start || cue.start >= end);
    match unsure {
        Some(cue) => (Stance::Unsure, Some(cue), elsewhen.is_some()),
        None => (Stance::Asserted, elsewhen, elsewhen.is_some()),
    }
}

/// The denial of a whole list: `It is not true that Gulls: 5`, and the lines after it up to the end of a sentence.
fn denial_of_list(reading: &ClauseReading, at: usize) -> Option<Cue> {
    let start = list_start(reading, at);
    let cue = reading.cues_in(CueClass::Deny, start, at).find(|cue| cue.start == start)?;
    let governs =
        matches!(reading.text(cue.end - 1), "that" | "dass") || reading.is_mark(cue.end, ':');
    // A colon after a statement begins one of its own: `It is not true that nobody led: the Gulls did`.
    let is_label = |token: &Token| {
        token.is_capital
            || token.is_digits()
            || token.kind != TokenKind::Word
            || token.text == "the"
    };
    let has_statement = (cue.end + 1..at).any(|mark| {
        reading.is_mark(mark, ':')
            && !(reading.sentence(mark).start.max(cue.end)..mark)
                .filter_map(|at| reading.token(at))
                .all(is_label)
    });
    let turns = reading.has_cue(CueClass::Contrast, cue.end, at)
        || reading.has_cue(CueClass::Instead, cue.end, at)
        || (cue.end..at).any(|at| reading.is_mark(at, ';'));
    (governs && !has_statement && !turns).then_some(cue)
}

/// The start of the sentence of a token, or of the first of the lines before it that end in no full stop.
fn list_start(reading: &ClauseReading, at: usize) -> usize {
    let mut start = reading.sentence(at).start;
    while start >= 2 {
        let last = reading.token(start - 2).and_then(Token::mark);
        let is_ended = last.is_some_and(|mark| matches!(mark, '.' | '!' | '?'))
            || last.is_some() && reading.gaps.get(start - 1) >= Some(&TokenGap::Sentence);
        let goes_on = match reading.gaps.get(start) {
            Some(TokenGap::Line) => !is_ended,
            Some(TokenGap::Paragraph) => last == Some(':'),
            _ => false,
        };
        if !goes_on {
            break;
        }
        start = reading.sentence(start - 1).start;
    }
    start
}

/// Words that refer to what follows, or to nothing else.
const POINTING: &[&str] = &[
    "this",
    "these",
    "those",
    "so",
    "like",
    "following",
    "follows",
    "below",
    "here",
    "what",
    "one",
    "ones",
    "list",
    "answer",
    "way",
    "dies",
    "diese",
    "dieses",
    "folgendes",
    "folgende",
    "folgt",
    "hier",
    "这",
    "样",
    "些",
    "以",
    "下",
    "如",
    "面",
    "个",
];

/// The denial of everything under a label that refers to it: `Here is what it was not:`, `I would rule out these:`.
fn denying_label(reading: &ClauseReading, at: usize) -> Option<Cue> {
    let start = list_start(reading, at);
    let colon = (start..at).find(|token| reading.is_mark(*token, ':'))?;
    let points = |token: usize| POINTING.contains(&reading.text(token));
    let classes = [CueClass::Negator, CueClass::NegatorNear, CueClass::Deny, CueClass::Wrong];
    let mut cues: Vec<Cue> =
        classes.iter().flat_map(|class| reading.cues_in(*class, start, colon)).collect();
    cues.sort_by_key(|cue| (cue.start, std::cmp::Reverse(cue.end)));
    let cues = merged(cues);
    // A joke that follows nothing is about what it leads to.
    let near = reading.cues_in(CueClass::NearMiss, start, colon).find(|cue| {
        cue.start == start
            && (start == 0 || !reading.has_cue(CueClass::TakesBack, cue.start, cue.end))
    });
    let last = near.or_else(|| cues.last().copied().filter(|_| cues.len() % 2 == 1))?;
    // `The following did not score:`, `None of these scored:`
    let is_followed = |from: usize, to: usize| {
        (from..to).any(|token| {
            matches!(
                reading.text(token),
                "these" | "those" | "following" | "below" | "folgende" | "folgenden" | "diese"
            )
        }) && !(last.end..colon).any(|token| matches!(reading.text(token), "all" | "only" | "alle"))
    };
    let is_pointed = match last.class {
        CueClass::NearMiss => true,
        CueClass::Deny => {
            let is_of = |token: usize| {
                points(token)
                    || matches!(reading.text(token), "them" | "diesen" | "ihnen" | "davon")
            };
            points(colon - 1) || (last.start..last.end).any(is_of)
        }
        CueClass::Negator if is_followed(start, last.start) => true,
        _ => {
            // Neither `What a game, not a close one:` nor `What you did not see:` denies.
            let is_other = matches!(reading.text(start + 1), "a" | "an" | "ein" | "eine")
                || (start..colon).any(|token| matches!(reading.text(token), "you" | "du" | "sie"));
            let begins = matches!(reading.text(start), "what" | "was" | "falsch" | "wrong");
            begins && !is_other || (last.end..colon).all(points) && (start..colon).any(points)
        }
    };
    // `That was a mistake: the right number is 30`
    let turning = [
        CueClass::Contrast,
        CueClass::Instead,
        CueClass::Label,
        CueClass::Conclusion,
        CueClass::Equals,
    ];
    let turns = turning.iter().any(|class| reading.has_cue(*class, colon, at))
        || (colon..at).any(|token| reading.is_mark(token, ';'));
    (is_pointed && !turns).then_some(last)
}

/// Whether a name is an end of a stretch: `from M001 to M009`.
fn is_in_range(reading: &ClauseReading, mentions: &[Mention], at: usize) -> bool {
    let is_name = |mention: &Mention| matches!(mention.value, ClaimValue::Name(_));
    let joins = |one: &Mention, other: &Mention| {
        let sentence = reading.sentence(one.start);
        is_name(one)
            && is_name(other)
            && one.value != other.value
            && reading
                .cues_in(CueClass::Between, sentence.start, one.start)
                .any(|cue| one.start - cue.end <= 1)
            && reading
                .cues_in(CueClass::To, one.end, other.start)
                .any(|cue| other.start - cue.start <= 3)
            && other.start < sentence.end
    };
    let own = &mentions[at];
    let next = mentions.get(at + 1).is_some_and(|next| joins(own, next));
    let before =
        at.checked_sub(1).and_then(|at| mentions.get(at)).is_some_and(|before| joins(before, own));
    next || before
}

/// `30, right?`
fn is_tag_question(reading: &ClauseReading, at: usize) -> bool {
    let sentence = reading.sentence(at);
    let Some(last) = sentence.end.checked_sub(1) else { return false };
    let clause = reading.clause(last);
    let end = (clause.start..clause.end).find(|at| reading.is_mark(*at, '?')).unwrap_or(clause.end);
    let tag = reading
        .cues_in(CueClass::Tag, clause.start, end)
        .any(|cue| cue.start == clause.start && cue.end == end);
    tag && clause.start > at
}

/// The clause before the one of a mention, in its sentence, if it mentions nothing.
fn introduction(
    reading: &ClauseReading,
    mentions: &[Mention],
    at: usize,
) -> Option<super::reading::ClauseSpan> {
    let start = mentions[at].start;
    let clause = reading.clause(start);
    let before = clause.start.checked_sub(1).map(|token| reading.clause(token))?;
    let is_same = before.sentence == clause.sentence
        && reading.gap(before.end - 1, clause.start) <= TokenGap::Clause;
    let is_contrast = reading.has_cue(CueClass::Contrast, clause.start, start);
    let has_mention =
        mentions.iter().any(|other| other.start >= before.start && other.end <= before.end);
    (is_same && !is_contrast && !has_mention).then_some(before)
}

/// `If there were no fee it would be 20, but with the fee it is 30`: what is only supposed counts only if nothing else is said.
fn condition_is_left(reading: &ClauseReading, mention: &Mention, from: usize, to: usize) -> bool {
    let is_value = matches!(
        mention.value,
        ClaimValue::Number(_) | ClaimValue::Choice(_) | ClaimValue::Clock(_)
    );
    let contrast = reading
        .cues_in(CueClass::Contrast, mention.end, to)
        .find(|cue| matches!(reading.text(cue.start), "but" | "aber" | "但"));
    let is_supposed = reading.has_cue(CueClass::Condition, from, mention.start)
        && (from..contrast.map_or(mention.start, |cue| cue.start)).any(|at| {
            matches!(reading.text(at), "would" | "'d" | "würde" | "wäre" | "wären" | "会" | "就")
        });
    is_value
        && is_supposed
        && contrast.is_some_and(|cue| {
            let is_supposed_again =
                (cue.start..to).any(|at| matches!(reading.text(at), "would" | "würde" | "wäre"));
            reading.has_cue(CueClass::Equals, cue.end, to) && !is_supposed_again
        })
}

/// `Es wären 30 gewesen`: what was not so counts only if nothing else is said.
fn is_counterfactual(reading: &ClauseReading, mention: &Mention) -> bool {
    let clause = reading.clause(mention.start);
    let has =
        |words: &[&str]| (clause.start..clause.end).any(|at| words.contains(&reading.text(at)));
    matches!(mention.value, ClaimValue::Number(_))
        && (has(&["wäre", "wären", "hätte", "hätten"])
            && has(&["gewesen", "gehabt", "ergeben", "gemacht"])
            || has(&["would", "could", "might"]) && has(&["been"]))
}

/// Whether a condition is over before a mention: `if he had missed the Gulls would lead`.
fn has_consequence(reading: &ClauseReading, from: usize, to: usize) -> bool {
    (from..to).any(|at| {
        matches!(
            reading.text(at),
            "would"
                | "then"
                | "will"
                | "'d"
                | "würde"
                | "würden"
                | "dann"
                | "wäre"
                | "wären"
                | "就"
                | "则"
                | "那"
                | "会"
        )
    })
}

/// `Yes would be wrong` only mentions an answer, and `yes if it rains` leaves it open.
fn mentioned_answer(reading: &ClauseReading, mention: &Mention) -> Option<(Stance, Cue)> {
    let after = mention.end + usize::from(reading.is_mark(mention.end, '"'));
    let end = reading.sentence(mention.start).end;
    let next = |class: CueClass| reading.cues_in(class, after, end).find(|cue| cue.start == after);
    let is_word = reading.token(mention.start).is_some_and(|token| token.kind == TokenKind::Word);
    let wrong = next(CueClass::Wrong).filter(|_| is_word).map(|cue| (Stance::Negated, cue));
    wrong.or_else(|| {
        next(CueClass::Condition)
            .filter(|_| next(CueClass::Unsure).is_none())
            .map(|cue| (Stance::Reported, cue))
    })
}

/// The words by which a share or a multiple of a number is meant: `half of the twelve`, 6的一半.
fn multiplied(reading: &ClauseReading, mention: &Mention) -> Option<Cue> {
    if !matches!(mention.value, ClaimValue::Number(_) | ClaimValue::Choice(_)) {
        return None;
    }
    let is_article = |at: usize| {
        matches!(reading.text(at), "the" | "these" | "those" | "all" | "die" | "den" | "der")
    };
    let clause = reading.clause(mention.start);
    let before = reading
        .cues_in(CueClass::PartOf, clause.start, mention.start)
        .find(|cue| (cue.end..mention.start).all(is_article));
    let after = (mention.end..mention.end + 2).find(|at| {
        reading.text(*at) == "的"
            && (reading.text(at + 2) == "倍"
                || reading.text(at + 1) == "一" && reading.text(at + 2) == "半")
    });
    let cue = |start: usize| Cue { class: CueClass::PartOf, start, end: start + 3 };
    before.or_else(|| after.map(cue))
}

/// The word after which a number is only compared with: `warmer than 15 degrees`.
fn compared(reading: &ClauseReading, mention: &Mention) -> Option<Cue> {
    let start = mention.start.checked_sub(1)?;
    let is_number = matches!(mention.value, ClaimValue::Number(_)) && !mention.in_pair;
    (is_number && reading.text(start) == "than").then_some(Cue {
        class: CueClass::Elsewhen,
        start,
        end: mention.start,
    })
}

/// `before` as the last word of a clause: `There were nine before`.
fn closing_before(reading: &ClauseReading, from: usize, to: usize) -> Option<Cue> {
    let start = (from..to).rfind(|at| reading.token(*at).is_some_and(Token::is_word))?;
    (reading.text(start) == "before").then_some(Cue {
        class: CueClass::Elsewhen,
        start,
        end: start + 1,
    })
}

const SAYS: &[&str] = &["says", "said", "thinks", "meint", "sagt", "glaubt", "说"];

/// Where two people give two values, either may be meant.
fn oppose_speakers(reading: &ClauseReading, all: &mut [Assessed]) {
    let is_said = |one: &Assessed| {
        let cue = one.cue.as_ref().filter(|_| one.is_elsewhen && one.stance.is_asserted());
        cue.is_some_and(|cue| SAYS.contains(&reading.text(cue.start)))
    };
    let said: Vec<usize> = (0..all.len()).filter(|at| is_said(&all[*at])).collect();
    let differs = said
        .windows(2)
        .any(|pair| !all[pair[0]].mention.value.is_same(&all[pair[1]].mention.value));
    said.iter().filter(|_| differs).for_each(|at| all[*at].is_alternative = true);
}

/// The words by which somebody gives a value: `Tom says 6`. It counts only if the text gives no other one.
fn speaker(reading: &ClauseReading, mention: &Mention, from: usize) -> Option<Cue> {
    let is_person = |at: usize| {
        reading.token(at).is_some_and(|token| token.is_capital)
            && !matches!(reading.text(at), "i" | "it" | "this" | "that" | "he" | "she")
    };
    let start =
        (from + 1..mention.start).find(|at| SAYS.contains(&reading.text(*at)) && is_person(at - 1));
    let chinese = (from + 2..mention.start)
        .find(|at| reading.text(*at) == "说" && matches!(reading.text(at - 2), "小" | "老"));
    let start = start.or(chinese)?;
    (!matches!(mention.value, ClaimValue::Name(_))).then_some(Cue {
        class: CueClass::Elsewhen,
        start,
        end: start + 1,
    })
}

/// `If not Ole, then Mara`: neither is asserted.
fn offer_otherwise(reading: &ClauseReading, all: &mut [Assessed]) {
    for one in all.iter_mut().filter(|one| one.stance.is_asserted()) {
        let start = one.mention.start;
        let sentence = reading.sentence(start);
        let clause = reading.clause(sentence.start);
        let condition = reading
            .cues_in(CueClass::Condition, sentence.start, clause.end)
            .find(|cue| cue.start == sentence.start);
        let is_supposed = (sentence.start..sentence.end)
            .any(|at| matches!(reading.text(at), "would" | "wäre" | "wären" | "würde" | "会"));
        let is_denied = reading.has_cue(CueClass::Negator, sentence.start, clause.end);
        if let Some(cue) = condition
            && is_denied
            && !is_supposed
            && start >= clause.end
            && matches!(one.mention.value, ClaimValue::Name(_))
        {
            (one.stance, one.cue) = (Stance::Reported, Some(cue.start..cue.end));
        }
    }
}

/// A list that only says of what the answer is one: `Out of A, B and C, B is right`.
fn report_lists(reading: &ClauseReading, all: &mut [Assessed]) {
    const OPENINGS: &[&str] = &["out", "of", "among", "between", "von", "unter"];
    for first in 0..all.len() {
        let sentence = reading.sentence(all[first].mention.start);
        let leads = all[..first].iter().all(|other| other.mention.start < sentence.start);
        let is_listed =
            matches!(all[first].mention.value, ClaimValue::Name(_) | ClaimValue::Choice(_));
        if !leads || !is_listed || !OPENINGS.contains(&reading.text(sentence.start)) {
            continue;
        }
        let last = list_end(reading, all, first);
        let is_chosen = all[last + 1..].iter().any(|other| {
            other.mention.start < sentence.end
                && all[first..=last].iter().any(|one| one.mention.value == other.mention.value)
        });
        for one in all[first..=last].iter_mut().filter(|one| one.stance.is_asserted()) {
            if is_chosen {
                (one.stance, one.cue) = (Stance::Reported, None);
            }
        }
    }
}

/// The last of the values that are listed from one on: the one after `and`.
fn list_end(reading: &ClauseReading, all: &[Assessed], first: usize) -> usize {
    let is_and = |at: usize| matches!(reading.text(at), "and" | "or" | "und" | "oder");
    let mut last = first;
    while let Some(next) = all.get(last + 1) {
        let words = all[last].mention.end..next.mention.start;
        let joins = words.clone().all(|at| is_and(at) || reading.is_mark(at, ','));
        if !joins {
            break;
        }
        last += 1;
        if words.clone().any(is_and) {
            break;
        }
    }
    last
}

/// The denial of a name that ends its clause, `Mara nicht`, or follows it without a verb, as in 张敏没来.
fn closing_denial(reading: &ClauseReading, mention: &Mention, to: usize) -> Option<Cue> {
    if !matches!(mention.value, ClaimValue::Name(_)) {
        return None;
    }
    let is_word = |at: usize| reading.token(at).is_some_and(Token::is_word);
    let closes = |cue: &Cue| {
        // `Mara nicht`, `Mara kam nicht`
        let reach = mention.end + usize::from(reading.text(cue.start) == "nicht");
        matches!(reading.text(cue.start), "nicht" | "not")
            && (mention.end..=reach).contains(&cue.start)
            && !(cue.end..to).any(is_word)
    };
    let is_adverb = |at: usize| matches!(reading.text(at), "都" | "也" | "均" | "却" | "并" | "还");
    let is_near =
        |cue: &Cue| reading.text(cue.start) == "没" && (mention.end..cue.start).all(is_adverb);
    let near = reading.cues_in(CueClass::NegatorNear, mention.end, to).find(is_near);
    reading.cues_in(CueClass::Negator, mention.end, to).find(closes).or(near)
}

/// `The Gulls will lead if they score`: they do not lead.
fn suppose_future(reading: &ClauseReading, all: &mut [Assessed]) {
    for one in all.iter_mut().filter(|one| one.stance.is_asserted()) {
        let (start, end) = (one.mention.end, reading.sentence(one.mention.start).end);
        let clause = reading.clause(one.mention.start);
        let is_future = (start..clause.end)
            .any(|at| matches!(reading.text(at), "will" | "wird" | "werden" | "将"));
        let open = reading
            .cues_in(CueClass::Condition, start, end)
            .chain(reading.cues_in(CueClass::Later, start, clause.end))
            .find(|cue| !reading.has_cue(CueClass::Unsure, cue.start, end));
        if let Some(cue) = open
            && is_future
            && matches!(one.mention.value, ClaimValue::Name(_))
        {
            one.stance = Stance::Reported;
            one.cue = Some(cue.start..cue.end);
        }
    }
}

/// What was so, or will be, counts only if nothing is said of the present: `It was 14:50; now it is 15:10`.
fn outdate(reading: &ClauseReading, all: &mut [Assessed]) {
    // A clause about a name says something of the present if it says who is ahead.
    let states = |mention: &Mention, class: CueClass| {
        let clause = reading.clause(mention.start);
        let is_name = matches!(mention.value, ClaimValue::Name(_));
        let verb = if is_name { CueClass::Claim } else { CueClass::Equals };
        reading.has_cue(class, clause.start, clause.end)
            && (reading.has_cue(verb, clause.start, clause.end) || class == CueClass::Later)
    };
    let is_now = |one: &Assessed| one.stance.is_asserted() && states(&one.mention, CueClass::Now);
    let Some(now) = all.iter().rposition(is_now) else { return };
    let value = all[now].mention.value.clone();
    for (at, one) in all.iter_mut().enumerate() {
        let is_past = at < now && states(&one.mention, CueClass::Past);
        if one.stance.is_asserted()
            && !one.mention.value.is_same(&value)
            && (is_past || states(&one.mention, CueClass::Later))
            && !states(&one.mention, CueClass::Now)
        {
            one.is_elsewhen = true;
        }
    }
}

fn negation(
    reading: &ClauseReading,
    mention: &Mention,
    mentions: &[Mention],
    at: usize,
) -> Option<Cue> {
    let (start, end) = (mention.start, mention.end);
    let clause = reading.clause(start);
    // `without Jarvis's free throws` denies the free throws.
    let is_owner = end
        .checked_sub(1)
        .and_then(|last| reading.token(last))
        .is_some_and(|last| last.is_possessive);
    if is_owner && matches!(mention.value, ClaimValue::Name(_)) {
        return None;
    }
    let mut before: Vec<Cue> =
        merged(reading.cues_in(CueClass::Negator, clause.start, start).collect());
    // `neither A nor B` denies each of them once.
    let is_second = |cue: &Cue| matches!(reading.text(cue.start), "nor" | "noch");
    if before.iter().any(is_second) {
        before.retain(|cue| !matches!(reading.text(cue.start), "neither" | "weder"));
    }
    // `(C), not (B)`
    let is_labelled = start > 2 && reading.is_mark(start - 1, ')');
    let bracket =
        start.checked_sub(if is_labelled { 3 } else { 1 }).filter(|at| reading.is_mark(*at, '('));
    let outside = bracket.and_then(|bracket| {
        let from = bracket.saturating_sub(2);
        reading.cues_in(CueClass::Negator, from, bracket).find(|cue| cue.end == bracket)
    });
    if outside.is_some() {
        return outside;
    }
    let is_article = |at: usize| {
        matches!(
            reading.text(at),
            "the"
                | "a"
                | "an"
                | "any"
                | "even"
                | "only"
                | "for"
                | "den"
                | "die"
                | "das"
                | "der"
                | "dem"
                | "team"
                | "of"
        )
    };
    let near = reading
        .cues_in(CueClass::NegatorNear, clause.start, start)
        .find(|cue| (cue.end..start).all(is_article));
    if near.is_some() {
        return near;
    }
    // `not A, B but C` denies both.
    let contrast = reading
        .cues_in(CueClass::Contrast, end, reading.sentence(start).end)
        .find(|cue| matches!(reading.text(cue.start), "but" | "sondern" | "而"));
    if before.is_empty()
        && let Some(contrast) = contrast
    {
        let sentence = reading.sentence(start);
        let first =
            reading.cues_in(CueClass::Negator, sentence.start, start).last().filter(|cue| {
                reading.clause(cue.start).start == cue.start
                    && reading.gap(cue.start, start) == TokenGap::Comma
                    && !reading.has_cue(CueClass::Contrast, cue.end, start)
                    && contrast.start > end
            });
        if first.is_some() {
            return first;
        }
    }
    // `no one scored more than X` says that X scored most.
    let is_superlative = (clause.start..start)
        .any(|at| matches!(reading.text(at), "than" | "als" | "比"))
        && (clause.start..start).any(|at| {
            matches!(
                reading.text(at),
                "nobody"
                    | "none"
                    | "one"
                    | "player"
                    | "niemand"
                    | "keiner"
                    | "没"
                    | "no"
                    | "other"
                    | "kein"
            )
        });
    if before.len() % 2 == 1 && !is_superlative {
        return before.last().copied();
    }
    let next = mentions.get(at + 1).filter(|next| next.start < clause.end);
    let limit = next.map_or(clause.end, |next| next.start);
    let wrong = reading.cues_in(CueClass::Wrong, end, clause.end).find(|cue| {
        cue.start <= end + 4
            && cue.end <= limit.max(end)
            && !has_own_subject(reading, end, cue.start)
    });
    if wrong.is_some() {
        return wrong;
    }
    // `The Otters were not ahead`: the negation belongs to this value unless another one follows.
    if let Some(cue) = closing_denial(reading, mention, clause.end) {
        return Some(cue);
    }
    let after = reading
        .cues_in(CueClass::Negator, end, clause.end)
        .find(|cue| cue.start <= end + 2)
        .filter(|cue| {
            is_subject(&mention.value)
                && next.is_none_or(|next| {
                    !matches!(
                        (&next.value, &mention.value),
                        (ClaimValue::Number(_), ClaimValue::Number(_))
                            | (ClaimValue::Name(_), ClaimValue::Name(_))
                            | (ClaimValue::Choice(_), ClaimValue::Choice(_))
                    )
                })
                && (cue.start > end || starts_verb(reading, cue.start))
                && !matches!(mention.value, ClaimValue::Number(_) if cue.start == end)
                && !reading.is_mark(cue.start.wrapping_sub(1), ',')
        });
    after.filter(|cue| verb_denies(reading, cue))
}

/// Whether words between a value and a predicate are a subject of their own: `30 because 40 is wrong`.
fn has_own_subject(reading: &ClauseReading, from: usize, to: usize) -> bool {
    (from..to).any(|at| {
        reading.token(at).is_some_and(|token| {
            matches!(
                token.text.as_str(),
                "because"
                    | "since"
                    | "which"
                    | "that"
                    | "but"
                    | "anything"
                    | "else"
                    | "everything"
                    | "任"
                    | "其"
            )
        })
    })
}

/// Whether a negator is part of a verb, as in `isn't`.
fn starts_verb(reading: &ClauseReading, at: usize) -> bool {
    let text = reading.text(at);
    text.ends_with("n't")
        || text == "cannot"
        || text == "never"
        || reading.token(at).is_some_and(|token| token.kind == TokenKind::Han)
}

/// Whether a negated verb denies its subject, and does not only tell what it did not do.
fn verb_denies(reading: &ClauseReading, cue: &Cue) -> bool {
    let own = reading.text(cue.start);
    let word = |back: usize| cue.start.checked_sub(back).map_or("", |at| reading.text(at));
    // `war es nicht`
    let before = if matches!(word(1), "es" | "das" | "er" | "sie") { word(2) } else { word(1) };
    let is_be = |word: &str| {
        matches!(
            word,
            "is" | "are"
                | "was"
                | "were"
                | "be"
                | "isn't"
                | "aren't"
                | "wasn't"
                | "weren't"
                | "do"
                | "did"
                | "does"
                | "don't"
                | "didn't"
                | "doesn't"
                | "has"
                | "have"
                | "had"
                | "hasn't"
                | "haven't"
                | "hadn't"
                | "would"
                | "wouldn't"
                | "can"
                | "could"
                | "couldn't"
                | "can't"
                | "cannot"
                | "never"
                | "won't"
                | "ist"
                | "sind"
                | "war"
                | "waren"
                | "hat"
                | "haben"
                | "liegt"
                | "liegen"
                | "führt"
                | "führen"
                | "stimmt"
                | "队"
        )
    };
    let next = reading.text(cue.end);
    // `did not miss a shot` is praise.
    let is_praise = matches!(
        next,
        "miss"
            | "only"
            | "stop"
            | "let"
            | "disappoint"
            | "need"
            | "make"
            | "even"
            | "just"
            | "fehlte"
            | "hesitate"
            | "lose"
            | "give"
            | "allow"
            | "trail"
    );
    (is_be(own)
        || is_be(before)
        || reading.token(cue.start).is_some_and(|token| token.kind == TokenKind::Han))
        && !is_praise
}

/// Cues that overlap count once.
fn merged(cues: Vec<Cue>) -> Vec<Cue> {
    let mut result: Vec<Cue> = Vec::new();
    for cue in cues {
        match result.last_mut() {
            Some(last) if cue.start < last.end => last.end = last.end.max(cue.end),
            _ => result.push(cue),
        }
    }
    result
}

/// `四舍五入`: rounded.
fn is_han_pair(reading: &ClauseReading, at: usize) -> bool {
    reading.text(at) == "四" && reading.text(at + 1) == "舍"
}

/// `at least 30`, `30 or so`, `≈ 30`
fn bound(reading: &ClauseReading, mention: &Mention) -> Option<Cue> {
    let (start, end) = (mention.start, mention.end);
    let is_clock = matches!(mention.value, ClaimValue::Clock(_));
    if !is_clock && !matches!(mention.value, ClaimValue::Number(_)) {
        return None;
    }
    let is_filler = |at: usize| {
        reading.token(at).is_some_and(|token| {
            matches!(
                token.text.as_str(),
                "a" | "the"
                    | "total"
                    | "of"
                    | "by"
                    | "$"
                    | "€"
                    | "£"
                    | "¥"
                    | "是"
                    | "有"
                    | "为"
                    | "um"
                    | "die"
                    | "its"
            )
        })
    };
    let classes = if is_clock {
        &[CueClass::BoundClock, CueClass::Bound][..]
    } else {
        &[CueClass::Bound][..]
    };
    for class in classes {
        let clause = reading.clause(start);
        // `add up to 30`, and `about 84.2 (rounded)`, are no bounds.
        let is_sum = |cue: &Cue| {
            let before = cue.start.checked_sub(1).map_or("", |at| reading.text(at));
            matches!(
                before,
                "add" | "adds" | "added" | "adding" | "sum" | "sums" | "comes" | "come"
            )
        };
        // `2 more than the 29 of the Otters`
        let is_difference = |cue: &Cue| {
            let words = &reading.tokens[..cue.start];
            matches!(reading.text(cue.end - 1), "than" | "als")
                && (words.last().is_some_and(Token::is_digits)
                    || in_words(words, cue.start.saturating_sub(1)).is_some())
        };
        let sentence = reading.sentence(start);
        let is_rounded = (end..sentence.end).any(|at| {
            matches!(reading.text(at), "rounded" | "gerundet") || is_han_pair(reading, at)
        });
        let before = reading
            .cues_in(*class, clause.start, start)
            .filter(|cue| (cue.end..start).all(is_filler) && start - cue.end <= 3)
            .filter(|cue| !is_rounded && !is_sum(cue) && !is_difference(cue))
            .last();
        if before.is_some() {
            return before;
        }
    }
    let sign = start.checked_sub(1).filter(|at| {
        reading
            .token(*at)
            .and_then(Token::mark)
            .is_some_and(|mark| matches!(mark, '≈' | '~' | '≥' | '≤' | '<' | '>' | '±' | '∼'))
    });
    // `28.6 %` and the result of a division are rounded.
    let is_rounded = |at: usize| {
        matches!(reading.token(at).and_then(Token::mark), Some('≈' | '~' | '∼'))
            && (mention.is_percent
                || at
                    .checked_sub(1)
                    .and_then(|before| reading.token(before))
                    .is_some_and(Token::is_digits))
    };
    if let Some(at) = sign.filter(|at| !is_rounded(*at)) {
        return Some(Cue { class: CueClass::Bound, start: at, end: at + 1 });
    }
    let plus = reading.is_mark(end, '+')
        && reading.token(end).is_some_and(|token| !token.spaced)
        && !reading.token(end + 1).is_some_and(Token::is_digits);
    let ish =
        reading.is_mark(end, '-') && reading.text(end + 1) == "ish" || reading.text(end) == "ish";
    if plus || ish {
        return Some(Cue { class: CueClass::BoundAfter, start: end, end: end + 1 });
    }
    let unit = usize::from(
        reading.token(end).is_some_and(Token::is_word)
            && !reading.has_cue(CueClass::BoundAfter, end, end + 2),
    );
    reading
        .cues_in(CueClass::BoundAfter, end, end + unit + 4)
        .find(|cue| {
            cue.start >= end
                && cue.start <= end + unit
                && reading.gap(end.saturating_sub(1), cue.start) == TokenGap::None
        })
        .filter(|cue| {
            // A single character is a bound only directly after the number: 30多.
            let short = cue.end - cue.start == 1
                && reading.token(cue.start).is_some_and(|token| token.kind == TokenKind::Han);
            !short || cue.start == end && !matches!(reading.text(cue.end), "自" | "到" | "源")
        })
}

/// A name after `ahead of` is only compared with; one before `behind` is denied.
fn compare_names(reading: &ClauseReading, all: &mut [Assessed]) {
    for at in 0..all.len() {
        let ClaimValue::Name(own) = all[at].mention.value else { continue };
        let (start, end) = (all[at].mention.start, all[at].mention.end);
        let sentence = reading.sentence(start);
        let clause = reading.clause(start);
        let earlier = all[..at].iter().any(|other| {
            other.mention.start >= sentence.start
                && other.stance != Stance::Negated
                && !matches!(other.mention.value, ClaimValue::Name(name) if name == own)
        });
        let is_filler = |at: usize| {
            matches!(
                reading.text(at),
                "the"
                    | "a"
                    | "den"
                    | "die"
                    | "der"
                    | "dem"
                    | "das"
                    | "lead"
                    | "by"
                    | "team"
                    | "了"
                    | "their"
                    | "rivals"
                    | "opponents"
                    | "gegen"
                    | "score"
                    | "of"
                    | "hands"
                    | "both"
            )
        };
        let over = reading
            .cues_in(CueClass::Over, sentence.start, start)
            .filter(|cue| (cue.end..start).all(is_filler))
            .last();
        if let Some(cue) = over
            && earlier
            && !reading.has_cue(CueClass::Under, cue.start, start + 1)
            && all[at].stance.is_asserted()
        {
            all[at].stance = Stance::Reported;
            all[at].cue = Some(cue.start..cue.end);
            continue;
        }
        if let Some(cue) = overtaken(reading, all, at).filter(|_| earlier) {
            all[at].stance = Stance::Reported;
            all[at].cue = Some(cue);
            continue;
        }
        let trail = reading
            .cues_in(CueClass::Trail, end, clause.end)
            .chain(reading.cues_in(CueClass::Under, end, clause.end))
            .find(|cue| {
                let between = (end..cue.start)
                    .filter(|at| reading.token(*at).is_some_and(Token::is_word))
                    .count();
                let crosses = all.iter().any(|other| {
                    other.mention.start >= end
                        && other.mention.end <= cue.start
                        && matches!(other.mention.value, ClaimValue::Name(_))
                });
                between <= 4 && !crosses
            });
        if let Some(cue) = trail
            && all[at].stance.is_asserted()
        {
            all[at].stance = Stance::Negated;
            all[at].cue = Some(cue.start..cue.end);
        }
    }
}

/// The words by which a name is compared with as the one before it is, `ahead of the Cranes and the Otters`, or by a
/// participle after it: `Die Gulls haben die Otters überholt`.
fn overtaken(reading: &ClauseReading, all: &[Assessed], at: usize) -> Option<Range<usize>> {
    let (before, own) = (all.get(at.checked_sub(1)?)?, &all[at]);
    let words = before.mention.end..own.mention.start;
    let is_joint = |at: usize| {
        matches!(reading.text(at), "and" | "und" | "the" | "den" | "die" | "和" | "与" | "、" | ",")
    };
    let goes_on = before.stance == Stance::Reported && words.clone().all(is_joint);
    let over = |cue: &Range<usize>| reading.has_cue(CueClass::Over, cue.start, cue.end);
    let has = words.clone().any(|at| matches!(reading.text(at), "haben" | "hat"));
    let participle = reading
        .cues_in(CueClass::Over, own.mention.end, reading.sentence(own.mention.start).end)
        .find(|cue| cue.start == own.mention.end && has)
        .map(|cue| cue.start..cue.end);
    let list = before.cue.clone().filter(|cue| goes_on && over(cue));
    list.or(participle).filter(|_| own.stance.is_asserted())
}

/// A list after a negation is negated as a whole: `not 25, 30 or 35`.
fn extend_negation(reading: &ClauseReading, all: &mut [Assessed]) {
    for at in 1..all.len() {
        let (before, own) = (&all[at - 1], &all[at]);
        if before.stance != Stance::Negated || !own.stance.is_asserted() {
            continue;
        }
        let clause_cue = before.cue.clone().is_some_and(|cue| cue.end <= before.mention.start);
        let between: Vec<&str> =
            (before.mention.end..own.mention.start).map(|at| reading.text(at)).collect();
        let joins = between.iter().all(|word| {
            matches!(
                *word,
                "," | "、"
                    | "or"
                    | "nor"
                    | "oder"
                    | "noch"
                    | "或"
                    | "the"
                    | "a"
                    | "den"
                    | "die"
                    | "der"
                    | "und"
                    | "and"
            )
        });
        let or = between.iter().any(|word| matches!(*word, "or" | "nor" | "oder" | "noch" | "或"))
            || all.get(at + 1).is_some_and(|next| {
                (own.mention.end..next.mention.start)
                    .any(|at| matches!(reading.text(at), "or" | "nor" | "oder" | "noch" | "或"))
                    && reading.gap(own.mention.end.saturating_sub(1), next.mention.start)
                        <= TokenGap::Comma
            });
        if clause_cue && joins && or && !between.is_empty() {
            let cue = before.cue.clone();
            all[at].stance = Stance::Negated;
            all[at].cue = cue;
        }
    }
}

/// A list of names before a negation is negated as a whole: `Piet and Mara did not`.
pub(super) fn negate_list_before(reading: &ClauseReading, all: &mut [Assessed]) {
    for at in (1..all.len()).rev() {
        let (before, own) = (&all[at - 1], &all[at]);
        let is_after = own.stance == Stance::Negated
            && own.cue.as_ref().is_some_and(|cue| cue.start >= own.mention.end);
        let is_name = matches!(own.mention.value, ClaimValue::Name(_) | ClaimValue::Choice(_));
        if !is_after || !is_name || !before.stance.is_asserted() {
            continue;
        }
        // A comma joins the first of several: `Udo, Piet and Mara`.
        let is_first = before
            .mention
            .start
            .checked_sub(1)
            .is_none_or(|last| reading.gap(last, before.mention.start) >= TokenGap::Clause);
        let goes_on = all.get(at + 1).is_some_and(|next| next.stance == Stance::Negated);
        let words = before.mention.end..own.mention.start;
        let joins = !words.is_empty()
            && words.clone().all(|at| {
                matches!(
                    reading.text(at),
                    "and" | "und" | "sowie" | "the" | "和" | "与" | "跟" | "及" | "、" | "nor"
                ) || reading.is_mark(at, ',') && goes_on && is_first
            });
        if joins {
            all[at - 1].stance = Stance::Negated;
            all[at - 1].cue = all[at].cue.clone();
        }
    }
}

/// Values that are joined by a disjunction or a range, or offered as an alternative.
fn alternatives(reading: &ClauseReading, all: &mut [Assessed]) {
    for at in 0..all.len() {
        if at > 0 {
            let (before, own) = (&all[at - 1], &all[at]);
            let is_same = before.mention.value.is_same(&own.mention.value);
            let live = |one: &Assessed| {
                one.stance.is_asserted() || one.stance == Stance::Hedged || one.is_alternative
            };
            if !is_same
                && live(before)
                && live(own)
                && let Some(cue) = joined_by_or(reading, before, own)
            {
                for index in [at - 1, at] {
                    all[index].is_alternative = true;
                    all[index].cue = Some(cue.clone());
                }
                continue;
            }
        }
        let own = &all[at];
        if !own.stance.is_asserted() {
            continue;
        }
        let start = own.mention.start;
        let sentence = reading.sentence(start);
        let clause = reading.clause(start);
        let offered = reading
            .cues_in(CueClass::Alternative, clause.start, clause.end)
            .find(|cue| cue.end <= start || cue.start >= own.mention.end)
            .or_else(|| {
                reading.cues_in(CueClass::Or, sentence.start, start).find(|cue| {
                    // At the start of a clause, 还是 is `still`.
                    let leads = cue.start == sentence.start;
                    reading.text(cue.start) != "还"
                        && (leads || cue.start == clause.start && start - cue.end <= 4)
                })
            });
        if let Some(cue) = other_thing(reading, all, at) {
            all[at].stance = Stance::Hedged;
            all[at].cue = Some(cue.start..cue.end);
        } else if let Some(cue) = offered {
            all[at].is_alternative = true;
            all[at].cue = Some(cue.start..cue.end);
        }
    }
}

/// The disjunction of a number with a thing: `9 or the yellow tin`.
fn other_thing(reading: &ClauseReading, all: &[Assessed], at: usize) -> Option<Cue> {
    let mention = &all[at].mention;
    let sentence = reading.sentence(mention.end.saturating_sub(1));
    let cue = reading
        .cues_in(CueClass::Or, mention.end, sentence.end)
        .find(|cue| cue.start == mention.end && cue.end == cue.start + 1)?;
    let is_article = matches!(
        reading.text(cue.end),
        "the" | "a" | "an" | "der" | "die" | "das" | "ein" | "eine" | "einen"
    );
    let words =
        (cue.end..sentence.end).filter(|at| reading.token(*at).is_some_and(Token::is_word)).count();
    let has_other = all.iter().any(|other| (cue.end..sentence.end).contains(&other.mention.start));
    let is_number = matches!(mention.value, ClaimValue::Number(_));
    (is_number && is_article && words <= 4 && !has_other).then_some(cue)
}

fn joined_by_or(reading: &ClauseReading, one: &Assessed, other: &Assessed) -> Option<Range<usize>> {
    let (from, to) = (one.mention.end, other.mention.start);
    if from > to || reading.gap(from.saturating_sub(1), to) >= TokenGap::Sentence {
        return None;
    }
    let words = (from..to).filter(|at| reading.token(*at).is_some_and(Token::is_word)).count();
    let or = reading.cues_in(CueClass::Or, from, to).next();
    if let Some(cue) = or
        && words <= 7
    {
        return Some(cue.start..cue.end);
    }
    let between: Vec<&str> = (from..to).map(|at| reading.text(at)).collect();
    let is_slash = matches!(between.as_slice(), ["/" | "|"]);
    let numbers = (&one.mention.value, &other.mention.value);
    let is_operand = |at: Option<usize>| {
        at.and_then(|at| reading.token(at))
            .and_then(Token::mark)
            .is_some_and(|mark| matches!(mark, '=' | '×' | '+' | '÷'))
    };
    if is_slash
        && !one.mention.in_pair
        && !is_operand(Some(other.mention.end))
        && !is_operand(one.mention.start.checked_sub(1))
    {
        return Some(from..to);
    }
    if let (ClaimValue::Number(first), ClaimValue::Number(second)) = numbers
        && !one.mention.in_pair
    {
        let sentence = reading.sentence(from);
        let is_between = reading
            .cues_in(CueClass::Between, sentence.start, one.mention.start)
            .any(|cue| one.mention.start - cue.end <= 2);
        let to_cue = reading
            .cues_in(CueClass::To, from, to)
            .any(|cue| to - cue.end <= 1 && cue.start - from <= 2);
        let is_dash = matches!(between.as_slice(), ["-" | "~" | "—" | "–"])
            && first < second
            && !is_operand(Some(other.mention.end));
        let to_word = between.iter().any(|word| matches!(*word, "to" | "bis" | "到" | "至" | "through"))
                // 得到 is `got`.
                && !between.contains(&"得")
                && first < second
                && words <= 3;
        if is_dash || to_word || (is_between && to_cue) {
            return Some(from..to);
        }
    }
    None
}

/// Takes back what later words take back. `label` tells which values are about the same thing: a correction of
/// one takes back only what was said about that.
pub(super) fn retractions(
    reading: &ClauseReading,
    all: &mut [Assessed],
    label: &dyn Fn(&Mention) -> u64,
) {
    let mut events: Vec<(Cue, bool)> = Vec::new();
    for cue in &reading.cues {
        let clause = reading.clause(cue.start);
        let sentence = reading.sentence(cue.start);
        let leads = (clause.start..cue.start).all(|at| {
            reading.token(at).is_none_or(|token| {
                token.kind == TokenKind::Mark
                    || matches!(
                        token.text.as_str(),
                        "but"
                            | "and"
                            | "oh"
                            | "um"
                            | "hm"
                            | "hmm"
                            | "well"
                            | "sorry"
                            | "ah"
                            | "er"
                            | "uh"
                            | "i"
                            | "no"
                            | "so"
                            | "aber"
                            | "ach"
                            | "oh,"
                            | "äh"
                            | "啊"
                            | "哦"
                            | "呃"
                            | "okay"
                            | "ok"
                    )
            })
        });
        match cue.class {
            CueClass::TakesBack if leads => events.push((*cue, false)),
            CueClass::AllWrong => {
                let conditional =
                    reading.cues_in(CueClass::Condition, clause.start, cue.start).next().is_some();
                let about_other = all.iter().any(|one| {
                    one.mention.start >= sentence.start
                        && one.mention.end <= cue.start
                        && matches!(one.stance, Stance::Reported | Stance::Negated | Stance::Asked)
                }) || before_is_asked(reading, all, sentence.start);
                // `No, that is not so.` says no twice.
                let agrees =
                    all.iter().rfind(|one| one.mention.end <= cue.start).is_some_and(|one| {
                        one.mention.start >= sentence.start
                            && matches!(one.mention.value, ClaimValue::Answer(false))
                    });
                if !conditional && !about_other && !agrees {
                    events.push((*cue, false));
                }
            }
            CueClass::Instead => {
                let near = all.iter().any(|one| {
                    one.mention.start >= cue.end
                        && one.mention.start - cue.end <= 4
                        && one.mention.start < sentence.end
                });
                if near && !reading.has_cue(CueClass::Unsure, cue.start, cue.end) {
                    events.push((*cue, true));
                }
            }
            // `30. Wrong.`, `30. No, 32.`
            CueClass::No | CueClass::Wrong | CueClass::Negator if cue.start == sentence.start => {
                let alone = (cue.end..sentence.end)
                    .all(|at| reading.token(at).is_none_or(|token| token.kind == TokenKind::Mark));
                let comma = reading.is_mark(cue.end, ',') && cue.class == CueClass::No;
                let is_answer =
                    all.iter().any(|one| matches!(one.mention.value, ClaimValue::Answer(_)));
                if (alone || comma) && !is_answer && !before_is_asked(reading, all, sentence.start)
                {
                    events.push((*cue, false));
                }
            }
            _ => {}
        }
    }
    for (cue, needs_new) in events {
        let later: Vec<u64> = all
            .iter()
            .filter(|one| {
                one.mention.start >= cue.start
                    && one.mention.end > cue.end
                    && one.stance != Stance::Asked
            })
            .map(|one| label(&one.mention))
            .collect();
        if needs_new && later.is_empty() {
            continue;
        }
        let first_new = all
            .iter()
            .find(|one| one.mention.start >= cue.end)
            .map(|one| one.mention.value.clone());
        for one in all.iter_mut().filter(|one| one.mention.end <= cue.start) {
            let falls = later.is_empty() || later.contains(&label(&one.mention));
            let repeated =
                needs_new && first_new.as_ref().is_some_and(|new| new.is_same(&one.mention.value));
            if falls
                && !repeated
                && one.stance != Stance::Asked
                && one.stance != Stance::Reported
                && (one.stance != Stance::Negated)
            {
                one.stance = Stance::Retracted;
                one.is_alternative = false;
                one.cue = Some(cue.start..cue.end);
            }
        }
    }
}

/// Whether the sentence before is a question with a value, which `No` answers.
fn before_is_asked(reading: &ClauseReading, all: &[Assessed], start: usize) -> bool {
    let Some(before) = start.checked_sub(1) else { return false };
    let sentence = reading.sentence(before);
    all.iter().rfind(|one| one.mention.end <= start).is_some_and(|one| {
        one.mention.start >= sentence.start
            && matches!(one.stance, Stance::Asked | Stance::Reported | Stance::Negated)
    })
}
