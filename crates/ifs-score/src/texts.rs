//! Detects dialogues with the same text.
//!
//! Repeating the same turns says more about a model on these turns, and nothing about other turns.
//! So dialogues with the same messages and the same constraints share a number, and everything that
//! computes an uncertainty treats them as one.

use super::{DialogueSource, Dialogues, ScoredDialogue, TurnHash};

/// Numbers the texts of dialogues that are sorted by index: each gets the index of the first one
/// with its text. Existing numbers are kept.
///
/// Only recorded turns are compared. A dialogue that ended early has the text of those that begin
/// like it and continue: whether it would have continued like them is not recorded. A dialogue
/// without recorded turns differs from all others.
pub fn number_texts(dialogues: &mut [ScoredDialogue], distinct: bool) {
    let first_occurrences = first_occurrences(dialogues, distinct);
    for (dialogue, first) in dialogues.iter_mut().zip(first_occurrences) {
        dialogue.text.get_or_insert(first as u64);
    }
}

/// The same for dialogues in their compact form.
pub(super) fn number(dialogues: &mut Dialogues, distinct: bool) {
    let first_occurrences = first_occurrences(dialogues, distinct);
    for (text, first) in dialogues.texts().zip(first_occurrences) {
        text.get_or_insert(first as u64);
    }
}

/// The position of the first dialogue with the text of each.
fn first_occurrences(dialogues: &(impl DialogueSource + ?Sized), distinct: bool) -> Vec<usize> {
    let played: Vec<Option<Vec<TurnHash>>> = match distinct {
        true => dialogues.each().map(|_| None).collect(),
        false => dialogues.each().map(|dialogue| asked(&dialogue)).collect(),
    };
    let mut first_occurrences: Vec<usize> = (0..played.len()).collect();
    let mut order: Vec<(&[TurnHash], usize)> =
        (0..).zip(&played).filter_map(|(at, asked)| Some((asked.as_deref()?, at))).collect();
    // A text comes directly before those that continue it.
    order.sort_unstable();
    // Texts where each is a prefix of the next.
    let mut open: Vec<&[TurnHash]> = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    for (text, at) in order {
        while open.last().is_some_and(|shorter| !text.starts_with(shorter)) {
            open.pop();
        }
        if open.is_empty() {
            close(&mut group, &mut first_occurrences);
        }
        open.push(text);
        group.push(at);
    }
    close(&mut group, &mut first_occurrences);
    first_occurrences
}

fn close(group: &mut Vec<usize>, first_occurrences: &mut [usize]) {
    let first = group.iter().copied().min().unwrap_or(0);
    group.drain(..).for_each(|at| first_occurrences[at] = first);
}

/// The user message of each turn; `None` unless all of them are recorded, and for no turns.
fn asked(dialogue: &ScoredDialogue) -> Option<Vec<TurnHash>> {
    let turns: Option<Vec<TurnHash>> = dialogue.turns.iter().map(|turn| turn.asked).collect();
    turns.filter(|turns| !turns.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::testing::dialogue;
    use super::*;

    /// Dialogues with one message for each letter; `-` is a turn whose message is unknown.
    fn numbered(texts: &[&str], distinct: bool) -> Vec<Option<u64>> {
        let one = |text: &&str| {
            let mut one = dialogue(&"S".repeat(text.len()));
            for (turn, letter) in one.turns.iter_mut().zip(text.bytes()) {
                let asked = TurnHash { messages: u64::from(letter), judged: 0 };
                turn.asked = (letter != b'-').then_some(asked);
            }
            one
        };
        let mut dialogues: Vec<ScoredDialogue> = texts.iter().map(one).collect();
        number_texts(&mut dialogues, distinct);
        dialogues.into_iter().map(|dialogue| dialogue.text).collect()
    }

    #[test]
    fn equal_texts_have_one_number() {
        let texts = ["ab", "cd", "ab", "cd", "ab"];
        assert_eq!(numbered(&texts, false), [0, 1, 0, 1, 0].map(Some));
        assert_eq!(numbered(&texts, true), [0, 1, 2, 3, 4].map(Some));
    }

    #[test]
    fn early_endings_count_as_repeats() {
        assert_eq!(numbered(&["b", "abc", "a", "ab", "bd"], false), [0, 1, 1, 1, 0].map(Some));
        assert_eq!(numbered(&["ac", "ab", "a", "d"], false), [0, 0, 0, 3].map(Some));
    }

    #[test]
    fn unrecorded_texts_are_distinct() {
        assert_eq!(numbered(&["-", "-", "", "", "a-", "a-"], false), [0, 1, 2, 3, 4, 5].map(Some));
    }

    #[test]
    fn criteria_make_texts_distinct() {
        let mut both = [dialogue("S"), dialogue("S")];
        for (judged, dialogue) in (0..).zip(&mut both) {
            dialogue.turns[0].asked = Some(TurnHash { messages: 1, judged });
        }
        number_texts(&mut both, false);
        assert_eq!(both.map(|dialogue| dialogue.text), [0, 1].map(Some));
    }
}
