//! A text as pieces, each a sentence or a list item, before it is framed.

use std::collections::BTreeSet;

use super::brief::{Border, Brief, PARAGRAPHS};
use super::words::{Vocabulary, WordDraw};

/// The planned amounts, corrected in each round until they fit.
#[derive(Clone, Debug)]
pub(super) struct DraftPlan {
    pub(super) words: i64,
    pub(super) pieces: i64,
    pub(super) paragraphs: i64,
    pub(super) items: i64,
    /// The needles, and how often each is inserted on its own.
    pub(super) must: Vec<(String, i64)>,
    /// Marks that are attached to words.
    pub(super) marks: Vec<String>,
    /// The number of items without words: rules, which count as items but not as sentences.
    pub(super) rules: i64,
    /// Items are not text (in JSON).
    pub(super) mute_items: bool,
    /// The first and the last piece have rows of their own and are not items (in CSV).
    pub(super) rows: bool,
}

/// The bytes of a piece in addition to its words, and of the shortest word.
const PIECE_BYTES: i64 = 16;
const MIN_WORD_BYTES: i64 = 5;

impl DraftPlan {
    /// The approximate length of the text, so that one that is far too long is not written.
    pub(super) fn bytes(&self, brief: &Brief) -> usize {
        let pieces = self.pieces.max(self.items).max(self.paragraphs);
        let least = brief.sentence_words.and_then(|each| each.low_int()).unwrap_or(0);
        let words = self.words.max(least.saturating_mul(pieces));
        let must = self.must.iter().map(|(text, times)| {
            times.saturating_mul(PIECE_BYTES.saturating_add_unsigned(text.len() as u64))
        });
        let bytes = must.fold(
            words.saturating_mul(MIN_WORD_BYTES).saturating_add(pieces.saturating_mul(PIECE_BYTES)),
            i64::saturating_add,
        );
        usize::try_from(bytes).unwrap_or(0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gap {
    Space,
    Line,
    Paragraph,
}

#[derive(Debug)]
pub(super) struct DraftPiece<'w> {
    pub(super) gap: Gap,
    pub(super) item: bool,
    /// Without words.
    pub(super) mute: bool,
    /// Its required first words.
    pub(super) lead: Vec<Fixed>,
    pub(super) fill: Vec<&'w str>,
    pub(super) must: Vec<String>,
    pub(super) tail: Vec<Fixed>,
    pub(super) stop: String,
    /// How many words are wanted.
    pub(super) room: i64,
}

/// A part that is inserted unchanged; `exact` ones also keep their case.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    pub(super) text: String,
    pub(super) exact: bool,
}

fn loose(text: impl Into<String>) -> Fixed {
    Fixed { text: text.into(), exact: false }
}

impl DraftPiece<'_> {
    fn new(gap: Gap, item: bool, stop: &str) -> Self {
        DraftPiece {
            gap,
            item,
            mute: false,
            lead: Vec::new(),
            fill: Vec::new(),
            must: Vec::new(),
            tail: Vec::new(),
            stop: stop.to_owned(),
            room: 0,
        }
    }

    fn fixed_words(&self) -> i64 {
        let fixed = self.lead.iter().chain(&self.tail).map(|fixed| runs(&fixed.text));
        fixed.chain(self.must.iter().map(|text| runs(text))).sum()
    }

    /// Whether it has more than its lead.
    pub(super) fn speaks(&self) -> bool {
        !(self.fill.is_empty() && self.must.is_empty() && self.tail.is_empty())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lead.is_empty() && self.fill.is_empty() && self.must.is_empty() && self.tail.is_empty()
    }
}

/// The number of words of a part, by `\w+`.
pub(super) fn runs(text: &str) -> i64 {
    let mut inside = false;
    let mut count = 0;
    for c in text.chars() {
        let word = ifs_text::python::is_word(c);
        count += i64::from(word && !inside);
        inside = word;
    }
    count
}

/// The part of the borders that is in the text itself rather than in its frame.
pub(super) struct Borders<'b> {
    pub(super) lead: &'b Border,
    pub(super) tail: &'b Border,
}

pub(super) fn pieces<'w>(
    brief: &Brief,
    plan: &DraftPlan,
    borders: &Borders<'_>,
    vocabulary: &Vocabulary<'w>,
    draw: &mut WordDraw,
) -> Vec<DraftPiece<'w>> {
    // A mark at the start cannot follow a dash, and an item may have to be empty.
    let marked = !borders.lead.is_free() || plan.mute_items;
    let least = plan.items + if plan.rows { 2 } else { i64::from(marked) };
    let count = plan.pieces.max(least).max(plan.paragraphs).max(1);
    let stop = stop(brief);
    let intro = (count - plan.items + 1) / 2;
    let apart = brief.items_apart && brief.count(&PARAGRAPHS).is_none();
    let mut pieces: Vec<DraftPiece<'w>> = (0..count)
        .map(|at| {
            let item = at >= intro && at < intro + plan.items;
            let after_item = at > intro && at <= intro + plan.items;
            // Paragraphs begin evenly spread.
            let begins =
                at > 0 && at * plan.paragraphs / count != (at - 1) * plan.paragraphs / count;
            let gap = match (begins, item || after_item) {
                (true, _) => Gap::Paragraph,
                (false, true) if apart && !item => Gap::Paragraph,
                (false, true) => Gap::Line,
                (false, false) => Gap::Space,
            };
            let mut piece = DraftPiece::new(gap, item, &stop);
            piece.mute = item && at + 1 < count && (plan.mute_items || at - intro < plan.rules);
            piece
        })
        .collect();
    if let Some(last) = pieces.last_mut().filter(|last| last.item && plan.mute_items) {
        last.mute = borders.tail.is_free();
    }
    sentence_borders(brief, &mut pieces, vocabulary);
    if let Some(first) = pieces.first_mut().filter(|_| !borders.lead.is_free()) {
        first.lead = leading_pieces(borders.lead, vocabulary);
    }
    if let Some(last) = pieces.last_mut() {
        close(borders.tail, last, vocabulary);
    }
    let mut spoken: Vec<&mut DraftPiece<'w>> =
        pieces.iter_mut().filter(|piece| !piece.mute).collect();
    if spoken.is_empty() {
        return pieces;
    }
    // Needles are distributed, starting in the middle.
    let mut at = spoken.len() / 2;
    for (text, times) in &plan.must {
        for _ in 0..*times {
            at = (at + 1) % spoken.len();
            spoken[at].must.push(text.clone());
        }
    }
    if let Some(number) = brief.number {
        let middle = spoken.len() / 2;
        spoken[middle].must.push(number.to_string());
    }
    distribute_words(brief, plan, &mut spoken, vocabulary, draw);
    if brief.distinct {
        part(&mut spoken, vocabulary);
    }
    attach_marks(&plan.marks, &mut spoken);
    pieces
}

fn sentence_borders(brief: &Brief, pieces: &mut [DraftPiece<'_>], vocabulary: &Vocabulary<'_>) {
    if !brief.sentence_lead.is_free() {
        for piece in pieces.iter_mut() {
            piece.lead = match brief.sentence_lead.exact.as_deref() {
                // A single letter becomes the first of a word.
                Some(start)
                    if start.chars().count() == 1 && start.chars().all(char::is_alphabetic) =>
                {
                    let letter = start.chars().next().unwrap_or('a');
                    let word = vocabulary.starting(letter.to_lowercase().next().unwrap_or(letter));
                    let rest: String = word.chars().skip(1).collect();
                    vec![Fixed { text: format!("{start}{rest}"), exact: true }]
                }
                _ => leading_pieces(&brief.sentence_lead, vocabulary),
            };
        }
    }
    if let Some(stop) = &brief.sentence_stop {
        for piece in pieces {
            piece.stop.clone_from(stop);
        }
    }
}

fn stop(brief: &Brief) -> String {
    let fits = |stop: &&str| {
        !brief.forbids(stop) && !brief.ends_not.iter().any(|end| stop.ends_with(end.as_str()))
    };
    [".", "!", "?", "…"].into_iter().find(fits).unwrap_or("").to_owned()
}

fn leading_pieces(border: &Border, vocabulary: &Vocabulary<'_>) -> Vec<Fixed> {
    let inner = match (&border.word, border.letter) {
        (Some(word), _) => Some(word.clone()),
        (None, Some(letter)) => Some(vocabulary.starting(letter)),
        (None, None) => None,
    };
    let mut parts = Vec::new();
    if let Some(exact) = &border.exact {
        parts.push(Fixed { text: exact.clone(), exact: true });
    }
    match (&border.pair, inner) {
        (Some((here, there)), inner) => {
            let inner = inner.unwrap_or_else(|| vocabulary.starting('s'));
            parts.push(loose(format!("{here}{inner}{there}")));
        }
        (None, Some(inner)) => parts.push(loose(inner)),
        (None, None) => {}
    }
    parts
}

fn close(border: &Border, piece: &mut DraftPiece<'_>, vocabulary: &Vocabulary<'_>) {
    let inner = match (&border.word, border.letter) {
        (Some(word), _) => Some(word.clone()),
        (None, Some(letter)) => Some(vocabulary.ending(letter)),
        (None, None) => None,
    };
    match (&border.pair, inner) {
        (Some((here, there)), inner) => {
            let inner = inner.unwrap_or_else(|| vocabulary.ending('n'));
            piece.tail.push(loose(format!("{there}{inner}{here}")));
            piece.stop = String::new();
        }
        (None, Some(inner)) => piece.tail.push(loose(inner)),
        (None, None) => {}
    }
    if let Some(exact) = &border.exact {
        if exact.chars().any(char::is_alphanumeric) {
            piece.tail.push(Fixed { text: exact.clone(), exact: true });
            piece.stop = String::new();
        } else {
            piece.stop.clone_from(exact);
        }
    }
}

/// Gives each piece its share of plain words.
fn distribute_words<'w>(
    brief: &Brief,
    plan: &DraftPlan,
    pieces: &mut [&mut DraftPiece<'w>],
    vocabulary: &Vocabulary<'w>,
    draw: &mut WordDraw,
) {
    let fixed: i64 = pieces.iter().map(|piece| piece.fixed_words()).sum();
    let count = pieces.len() as i64;
    let each = brief.sentence_words;
    let (least, most) = match each {
        Some(each) => (each.low_int().unwrap_or(0), each.high_int().unwrap_or(i64::MAX)),
        None => (0, i64::MAX),
    };
    let mut free = (plan.words - fixed).max(0);
    // First the minimum of each, then the rest evenly.
    for piece in pieces.iter_mut() {
        let needs = (least - piece.fixed_words()).max(i64::from(piece.is_empty()));
        piece.room = needs;
        free -= needs;
    }
    let mut left = free.max(0);
    while left > 0 {
        let share = (left / count).max(1);
        let before = left;
        for piece in pieces.iter_mut() {
            let fits = most.saturating_sub(piece.fixed_words() + piece.room).max(0);
            // List items are kept shorter than sentences.
            let share = if piece.item && share > 3 { share / 2 } else { share };
            let add = share.min(fits).min(left);
            piece.room += add;
            left -= add;
        }
        if left == before {
            break;
        }
    }
    for piece in pieces.iter_mut() {
        piece.fill = vocabulary.words(usize::try_from(piece.room).unwrap_or(0), draw);
    }
}

/// Replaces words that repeat earlier ones.
fn part<'w>(pieces: &mut [&mut DraftPiece<'w>], vocabulary: &Vocabulary<'w>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for piece in pieces.iter() {
        let fixed = piece.lead.iter().chain(&piece.tail).map(|fixed| fixed.text.as_str());
        for text in fixed.chain(piece.must.iter().map(String::as_str)) {
            seen.extend(text.split_whitespace().map(str::to_lowercase));
        }
    }
    let mut others = vocabulary.all();
    for word in pieces.iter_mut().flat_map(|piece| &mut piece.fill) {
        while seen.contains(*word) {
            let Some(other) = others.next() else { return };
            *word = other;
        }
        seen.insert((*word).to_owned());
    }
}

/// Attaches marks to words in the middle of the text.
fn attach_marks(marks: &[String], pieces: &mut [&mut DraftPiece<'_>]) {
    for (at, mark) in marks.iter().enumerate() {
        let middle = (pieces.len() / 2 + at) % pieces.len();
        let ends = mark.chars().all(|c| matches!(c, '.' | '!' | '?' | '…' | '‽'));
        let last = pieces.len() - 1;
        let piece = &mut pieces[middle];
        if ends && middle != last {
            piece.stop.clone_from(mark);
            continue;
        }
        if let Some(word) = piece.fill.pop() {
            piece.must.push(format!("{word}{mark}"));
        } else if let Some(word) = piece.must.pop() {
            piece.must.push(format!("{word}{mark}"));
        } else {
            piece.must.push(mark.clone());
        }
    }
}

/// Brings the text to a number of characters by adding, removing and changing plain words.
pub(super) fn fit_length<'w>(
    pieces: &mut [DraftPiece<'w>],
    mut missing: i64,
    may_add: bool,
    vocabulary: &Vocabulary<'w>,
    draw: &mut WordDraw,
) -> bool {
    let mut at = pieces.len() / 2;
    for _ in 0..4000 {
        if missing != 0 && draw.steps_left() == 0 {
            return false;
        }
        if missing == 0 {
            return true;
        }
        at = (at + 1) % pieces.len();
        let piece = &mut pieces[at];
        if piece.mute {
            continue;
        }
        if missing < 0 {
            // Removes a word, unless it is the only one.
            let others = !piece.lead.is_empty() || !piece.must.is_empty() || !piece.tail.is_empty();
            if may_add && (piece.fill.len() > 1 || (others && !piece.fill.is_empty())) {
                if let Some(word) = piece.fill.pop() {
                    missing += word.chars().count() as i64 + 1;
                }
                continue;
            }
            missing += exchange(piece, -1, vocabulary, draw);
            continue;
        }
        if may_add && missing >= 2 && !piece.is_empty() {
            let length =
                if missing > 16 { 4 + draw.index_below(4) as i64 } else { (missing - 1).min(13) };
            let length = usize::try_from(length).unwrap_or(1);
            let word = (1..=length).rev().find_map(|length| {
                // The remainder must be zero, or enough for a word with its blank.
                let rest = missing - length as i64 - 1;
                (rest != 1).then(|| vocabulary.of_length(length, draw)).flatten()
            });
            if let Some(word) = word {
                let place = piece.fill.len() / 2;
                piece.fill.insert(place, word);
                missing -= word.chars().count() as i64 + 1;
                continue;
            }
        }
        missing -= exchange(piece, missing.min(6), vocabulary, draw);
    }
    missing == 0
}

/// The cost of a search for a word of a given length, and for one of two nouns.
const WORD_SEARCH_COST: usize = 4;
const COMPOUND_SEARCH_COST: usize = 400;

/// Replaces a word by a longer or shorter one; returns the change in characters.
fn exchange<'w>(
    piece: &mut DraftPiece<'w>,
    by: i64,
    vocabulary: &Vocabulary<'w>,
    draw: &mut WordDraw,
) -> i64 {
    let shorter = by < 0;
    for by in 1..=by.abs().max(1) {
        for slot in &mut piece.fill {
            if draw.steps_left() == 0 {
                return 0;
            }
            draw.spend(WORD_SEARCH_COST);
            let length = slot.chars().count() as i64;
            let wanted = if shorter { length - by } else { length + by };
            let found = usize::try_from(wanted).ok().filter(|wanted| *wanted >= 1);
            let other = found.and_then(|wanted| {
                vocabulary.of_length(wanted, draw).or_else(|| {
                    draw.spend(COMPOUND_SEARCH_COST);
                    vocabulary.compound(wanted)
                })
            });
            if let Some(word) = other {
                *slot = word;
                return by;
            }
        }
    }
    0
}
