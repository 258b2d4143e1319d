//! The model of the Punkt procedure, trained on English; the procedure is in `punkt.rs`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The word was seen with a capital.
pub(super) const CAPITAL: u8 = 0b0000_1110;
/// The word was seen with a capital within a sentence.
pub(super) const CAPITAL_INSIDE: u8 = 0b0000_0100;
/// The word was seen in lower case.
pub(super) const SMALL: u8 = 0b0111_0000;
/// The word was seen in lower case at the start of a sentence.
pub(super) const SMALL_FIRST: u8 = 0b0001_0000;

/// What was learnt of a language: words in lower case, without the full stop behind them.
#[derive(Default)]
pub(super) struct PunktModel {
    abbreviations: HashSet<&'static str>,
    sentence_starters: HashSet<&'static str>,
    collocations: HashSet<(&'static str, &'static str)>,
    /// How each word was written, and where in a sentence: bits as above.
    contexts: HashMap<&'static str, u8>,
}

impl PunktModel {
    /// Reads `punkt.txt`: a name or a number, then words.
    fn parse(table: &'static str) -> PunktModel {
        let mut model = PunktModel::default();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            match words.next() {
                Some("abbreviations") => model.abbreviations.extend(words),
                Some("starters") => model.sentence_starters.extend(words),
                Some("collocations") => {
                    while let (Some(left), Some(right)) = (words.next(), words.next()) {
                        model.collocations.insert((left, right));
                    }
                }
                context => {
                    let context = context.and_then(|it| it.parse().ok()).unwrap_or(0);
                    model.contexts.extend(words.map(|word| (word, context)));
                }
            }
        }
        model
    }

    pub fn has_abbreviation(&self, word: &str) -> bool {
        self.abbreviations.contains(word)
    }

    pub fn has_collocation(&self, left: &str, right: &str) -> bool {
        self.collocations.contains(&(left, right))
    }

    pub fn has_sentence_starter(&self, word: &str) -> bool {
        self.sentence_starters.contains(word)
    }

    /// The contexts that a word was seen in; 0 for an unknown one.
    pub fn contexts(&self, word: &str) -> u8 {
        self.contexts.get(word).copied().unwrap_or(0)
    }
}

/// What was learnt of English, parsed on first use.
pub(super) static ENGLISH: LazyLock<PunktModel> =
    LazyLock::new(|| PunktModel::parse(include_str!("punkt.txt")));

#[cfg(test)]
mod tests {
    use super::{CAPITAL_INSIDE, ENGLISH, SMALL};

    #[test]
    fn the_table_is_complete() {
        assert_eq!(ENGLISH.abbreviations.len(), 155);
        assert_eq!(ENGLISH.sentence_starters.len(), 39);
        assert_eq!(ENGLISH.collocations.len(), 37);
        assert_eq!(ENGLISH.contexts.len(), 20366);
        assert!(ENGLISH.has_abbreviation("dr") && ENGLISH.has_collocation("j", "aron"));
        assert_eq!(ENGLISH.contexts("colony"), 32 & SMALL);
        assert_eq!(ENGLISH.contexts("sonja"), CAPITAL_INSIDE);
    }
}
