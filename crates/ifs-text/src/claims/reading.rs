//! A response as sentences and clauses, with the cues of the table.

use std::sync::{Arc, Mutex, PoisonError};

use super::cues::{Cue, CueClass, CueLanguage, cues, language};
use super::tokens::{AFTER_ORDINALS, CELL, LINE_END, PARAGRAPH_END, Token, TokenKind, tokens};

/// How far apart two tokens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenGap {
    None,
    /// A comma, or brackets.
    Comma,
    /// A colon, a semicolon, a dash, a contrast.
    Clause,
    Sentence,
    Line,
    Paragraph,
}

/// A clause: a stretch of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClauseSpan {
    pub start: usize,
    pub end: usize,
    pub sentence: usize,
    /// Inside round brackets.
    pub is_aside: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SentenceSpan {
    pub start: usize,
    pub end: usize,
    pub is_question: bool,
}

/// What a response says, as tokens with their structure.
#[derive(Debug)]
pub struct ClauseReading {
    pub(super) tokens: Vec<Token>,
    /// The gap before each token.
    pub(super) gaps: Vec<TokenGap>,
    /// The clause and the sentence of each token.
    pub(super) clause_of: Vec<usize>,
    pub(super) clauses: Vec<ClauseSpan>,
    pub(super) sentences: Vec<SentenceSpan>,
    pub(super) cues: Vec<Cue>,
    pub(super) language: Option<CueLanguage>,
    /// What was read before: many facts ask for the same values of a response.
    pub(super) rows: Memo<Vec<super::rows::Row>>,
    pub(super) claims: Memo<Vec<super::stance::Assessed>>,
}

/// Values by their keys.
#[derive(Debug)]
pub(super) struct Memo<T>(Mutex<Vec<(String, Arc<T>)>>);

impl<T> Memo<T> {
    fn new() -> Memo<T> {
        Memo(Mutex::new(Vec::new()))
    }

    pub(super) fn get(&self, key: String, make: impl FnOnce() -> T) -> Arc<T> {
        let entries = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = entries().iter().find(|(own, _)| *own == key) {
            return Arc::clone(value);
        }
        let value = Arc::new(make());
        entries().push((key, Arc::clone(&value)));
        value
    }
}

/// Abbreviations whose full stop ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "st", "vs", "no", "approx", "ca", "resp", "etc", "jr", "sr", "bzw",
    "nr", "std", "min", "sek", "sec", "pts", "pt", "inkl", "incl", "z", "b", "u", "d", "h", "qtr",
];

impl ClauseReading {
    pub(super) fn new(text: &str) -> ClauseReading {
        let tokens = tokens(text);
        let cues = cues(&tokens);
        let language = language(&tokens);
        let gaps = gaps(&tokens, &cues);
        let (clauses, sentences, clause_of) = structure(&tokens, &gaps);
        ClauseReading {
            tokens,
            gaps,
            clause_of,
            clauses,
            sentences,
            cues,
            language,
            rows: Memo::new(),
            claims: Memo::new(),
        }
    }

    pub(super) fn is_german(&self) -> bool {
        self.language == Some(CueLanguage::German)
    }

    /// The largest gap between two tokens.
    pub(super) fn gap(&self, from: usize, to: usize) -> TokenGap {
        let between = self.gaps.get(from + 1..=to).unwrap_or(&[]);
        between.iter().copied().max().unwrap_or(TokenGap::None)
    }

    pub(super) fn clause(&self, token: usize) -> ClauseSpan {
        let end = self.tokens.len();
        let none = ClauseSpan { start: 0, end, sentence: 0, is_aside: false };
        self.clause_of.get(token).and_then(|at| self.clauses.get(*at)).copied().unwrap_or(none)
    }

    pub(super) fn sentence(&self, token: usize) -> SentenceSpan {
        let none = SentenceSpan { start: 0, end: self.tokens.len(), is_question: false };
        self.sentences.get(self.clause(token).sentence).copied().unwrap_or(none)
    }

    /// The cues of a class that are between two tokens.
    pub(super) fn cues_in(
        &self,
        class: CueClass,
        start: usize,
        end: usize,
    ) -> impl Iterator<Item = Cue> + '_ {
        let first = self.cues.partition_point(|cue| cue.start < start);
        let rest = self.cues.get(first..).unwrap_or(&[]);
        rest.iter()
            .take_while(move |cue| cue.start < end)
            .filter(move |cue| cue.class == class && cue.end <= end)
            .copied()
    }

    pub(super) fn has_cue(&self, class: CueClass, start: usize, end: usize) -> bool {
        self.cues_in(class, start, end).next().is_some()
    }

    pub(super) fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at)
    }

    pub(super) fn text(&self, at: usize) -> &str {
        self.token(at).map_or("", |token| token.text.as_str())
    }

    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.token(at).is_some_and(|token| token.is_mark(mark))
    }
}

fn gaps(tokens: &[Token], cues: &[Cue]) -> Vec<TokenGap> {
    let mut gaps = vec![TokenGap::None; tokens.len()];
    let mut raise = |at: usize, gap: TokenGap| {
        if let Some(slot) = gaps.get_mut(at) {
            *slot = (*slot).max(gap);
        }
    };
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        let next_spaced = next.is_none_or(|next| next.spaced);
        let Some(mark) = token.mark() else { continue };
        match mark {
            LINE_END => {
                raise(at + 1, if wraps(tokens, at) { TokenGap::None } else { TokenGap::Line })
            }
            PARAGRAPH_END => raise(at + 1, TokenGap::Paragraph),
            '!' | '?' if !is_label(tokens, at) => raise(at + 1, TokenGap::Sentence),
            '.' if ends_sentence(tokens, at) => raise(at + 1, TokenGap::Sentence),
            '(' => raise(at, TokenGap::Comma),
            ',' | '、' | ')' | CELL | '[' | ']' => raise(at + 1, TokenGap::Comma),
            ';' | '→' | '—' => raise(at + 1, TokenGap::Clause),
            ':' if !is_inside_number(tokens, at) => raise(at + 1, TokenGap::Clause),
            '-' if token.spaced && next_spaced => {
                raise(at + 1, TokenGap::Comma);
            }
            _ => {}
        }
    }
    let is_contrast = |cue: &&Cue| cue.class == CueClass::Contrast;
    for cue in cues.iter().filter(is_contrast) {
        // `anything but` contrasts nothing.
        let is_part = cues.iter().any(|other| {
            other.start <= cue.start
                && cue.end <= other.end
                && other.end - other.start > cue.end - cue.start
        });
        if !is_part {
            raise(cue.start, TokenGap::Clause);
        }
    }
    gaps
}

/// Whether a mark belongs to a label, as in the header `Present?` of a table.
fn is_label(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.is_mark(':') && !next.spaced)
}

/// Whether digits are on both sides, as in `9:30`.
fn is_inside_number(tokens: &[Token], at: usize) -> bool {
    let digits =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).filter(|token| token.is_digits());
    digits(at.checked_sub(1)).is_some()
        && digits(Some(at + 1)).is_some_and(|next| !next.spaced)
        && tokens.get(at).is_some_and(|token| !token.spaced)
}

/// Whether a line end is inside a sentence: the next line goes on in small letters.
fn wraps(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let next = tokens.get(at + 1);
    let runs_on = before.is_some_and(|before| before.is_word() || before.is_mark(','));
    let goes_on = next.is_some_and(|next| next.kind == TokenKind::Word && !next.is_capital);
    runs_on && goes_on && before.is_some_and(|before| before.kind != TokenKind::Han) && {
        let start = tokens[..at]
            .iter()
            .rposition(|token| matches!(token.mark(), Some(LINE_END | PARAGRAPH_END)));
        // Short lines are entries of a list.
        at - start.map_or(0, |start| start + 1) >= 8
    }
}

fn ends_sentence(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| tokens.get(before)) else { return true };
    let Some(next) = tokens.get(at + 1) else { return true };
    let is_wide = tokens.get(at).is_some_and(|token| token.place.len() > 1);
    if is_wide {
        return true;
    }
    let closes = matches!(next.mark(), Some('"' | ')' | ']' | LINE_END | PARAGRAPH_END));
    if !next.spaced && !closes {
        return false;
    }
    // `No. 5`, but `No. It is not.`
    if matches!(before.text.as_str(), "no" | "nr") && !next.is_digits() {
        return true;
    }
    if before.kind == TokenKind::Word
        && !tokens.get(at).is_some_and(|token| token.spaced)
        && ABBREVIATIONS.contains(&before.text.as_str())
        && !closes
    {
        return before.text.chars().count() == 1 && before.is_capital;
    }
    if before.is_digits() && AFTER_ORDINALS.contains(&next.text.as_str()) {
        return false;
    }
    true
}

fn structure(
    tokens: &[Token],
    gaps: &[TokenGap],
) -> (Vec<ClauseSpan>, Vec<SentenceSpan>, Vec<usize>) {
    let (mut clauses, mut sentences, mut clause_of) =
        (Vec::<ClauseSpan>::new(), Vec::<SentenceSpan>::new(), Vec::new());
    let mut depth: usize = 0;
    for (at, token) in tokens.iter().enumerate() {
        let gap = if at == 0 { TokenGap::Paragraph } else { gaps[at] };
        if gap >= TokenGap::Sentence {
            depth = 0;
            sentences.push(SentenceSpan { start: at, end: at, is_question: false });
        }
        if token.is_mark('(') {
            depth += 1;
        }
        if gap >= TokenGap::Comma {
            let sentence = sentences.len().saturating_sub(1);
            clauses.push(ClauseSpan { start: at, end: at, sentence, is_aside: depth > 0 });
        }
        if token.is_mark(')') {
            depth = depth.saturating_sub(1);
        }
        if let (Some(clause), Some(sentence)) = (clauses.last_mut(), sentences.last_mut()) {
            clause.end = at + 1;
            sentence.end = at + 1;
            sentence.is_question |= token.is_mark('?') && !is_label(tokens, at);
        }
        clause_of.push(clauses.len().saturating_sub(1));
    }
    (clauses, sentences, clause_of)
}
