//! The variety of user messages: over all dialogues, and within each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use ifs_text::{Text, Unit};

/// The length of the longest n-grams that are counted.
const MAX_NGRAM: usize = 3;

/// A mean over dialogues, and the dialogue in which it is highest.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OverDialogues {
    pub mean: f64,
    pub most: f64,
    /// The index of the dialogue with the highest value.
    pub dialogue: u64,
    /// An example of the repetition.
    pub example: String,
}

/// The variety of some dialogues.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Variety {
    pub dialogues: usize,
    pub messages: usize,
    /// Words and punctuation marks.
    pub tokens: usize,
    /// Distinct n-grams per token, for one, two and three tokens.
    pub distinct: [f64; MAX_NGRAM],
    /// The longest span, in tokens, that is common to two messages of a dialogue.
    pub longest_span: OverDialogues,
    /// The similarity of the two most similar messages of a dialogue: the share of their 3-grams
    /// that both have (Jaccard).
    pub nearest_pair: OverDialogues,
    /// How often the most frequent sentence of a dialogue occurs, ignoring numbers and quoted
    /// words.
    pub repeated_sentence: OverDialogues,
}

/// Measures dialogues one by one.
#[derive(Debug, Default)]
pub struct VarietyMeasure {
    numbers: HashMap<String, u32>,
    grams: [HashSet<[u32; MAX_NGRAM]>; MAX_NGRAM],
    found: Variety,
}

impl VarietyMeasure {
    /// Adds a dialogue: its index and its user messages.
    pub fn add(&mut self, dialogue: u64, messages: &[String]) {
        let tokens: Vec<Vec<u32>> = messages.iter().map(|message| self.numbered(message)).collect();
        for message in &tokens {
            for (grams, length) in self.grams.iter_mut().zip(1..) {
                grams.extend(message.windows(length).map(gram));
            }
            self.found.tokens += message.len();
        }
        self.found.dialogues += 1;
        self.found.messages += messages.len();
        let (length, span) = longest_span(&tokens);
        let span = span.map(|span| self.text_of(span)).unwrap_or_default();
        self.found.longest_span.add(length as f64, dialogue, span);
        let (share, pair) = nearest_pair(&tokens);
        let pair = pair.map(|(one, other)| format!("{} | {}", messages[one], messages[other]));
        self.found.nearest_pair.add(share, dialogue, pair.unwrap_or_default());
        let (times, sentence) = repeated_sentence(messages);
        self.found.repeated_sentence.add(times as f64, dialogue, sentence);
    }

    pub fn finish(mut self) -> Variety {
        let found = &mut self.found;
        for (share, grams) in found.distinct.iter_mut().zip(&self.grams) {
            *share = grams.len() as f64 / found.tokens.max(1) as f64;
        }
        let dialogues = found.dialogues.max(1) as f64;
        for over in [&mut found.longest_span, &mut found.nearest_pair, &mut found.repeated_sentence]
        {
            over.mean /= dialogues;
        }
        self.found
    }

    /// The tokens of a message, as numbers.
    fn numbered(&mut self, message: &str) -> Vec<u32> {
        let numbers = &mut self.numbers;
        let number = |token: String| {
            let next = numbers.len() as u32;
            *numbers.entry(token).or_insert(next)
        };
        tokens(message).map(number).collect()
    }

    /// The text of tokens.
    fn text_of(&self, span: &[u32]) -> String {
        let wanted: BTreeSet<u32> = span.iter().copied().collect();
        let named = self.numbers.iter().filter(|(_, number)| wanted.contains(number));
        let names: BTreeMap<u32, &str> = named.map(|(token, at)| (*at, token.as_str())).collect();
        span.iter().filter_map(|at| names.get(at).copied()).collect::<Vec<_>>().join(" ")
    }
}

impl OverDialogues {
    /// `mean` is the sum until all are added.
    fn add(&mut self, value: f64, dialogue: u64, example: String) {
        self.mean += value;
        if value > self.most {
            *self = OverDialogues { mean: self.mean, most: value, dialogue, example };
        }
    }
}

fn gram(tokens: &[u32]) -> [u32; MAX_NGRAM] {
    let mut gram = [u32::MAX; MAX_NGRAM];
    gram.iter_mut().zip(tokens).for_each(|(into, token)| *into = *token);
    gram
}

/// Words in lower case, and all other characters except blanks separately. Chinese has no blanks
/// between words, so each of its characters is a token.
fn tokens(message: &str) -> impl Iterator<Item = String> {
    let joins = |c: char| c.is_alphanumeric() && !('\u{3040}'..='\u{9fff}').contains(&c);
    let mut rest = message;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match joins(first) {
            true => rest.find(|c| !joins(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, more) = rest.split_at(end);
        rest = more;
        Some(token.to_lowercase())
    })
}

/// The longest span that is common to two of the messages, by bisection: a common span of n tokens
/// contains one of n - 1.
fn longest_span(messages: &[Vec<u32>]) -> (usize, Option<&[u32]>) {
    let (mut low, mut high) = (0, messages.iter().map(Vec::len).max().unwrap_or(0));
    let mut found = None;
    while low < high {
        let length = (low + high).div_ceil(2);
        match shared_span(messages, length) {
            Some(span) => (low, found) = (length, Some(span)),
            None => high = length - 1,
        }
    }
    (low, found)
}

fn shared_span(messages: &[Vec<u32>], length: usize) -> Option<&[u32]> {
    let mut seen: HashMap<&[u32], usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        for span in message.windows(length) {
            if *seen.entry(span).or_insert(at) != at {
                return Some(span);
            }
        }
    }
    None
}

fn nearest_pair(messages: &[Vec<u32>]) -> (f64, Option<(usize, usize)>) {
    let grams: Vec<BTreeSet<&[u32]>> =
        messages.iter().map(|message| message.windows(MAX_NGRAM).collect()).collect();
    let mut holders: HashMap<&[u32], Vec<usize>> = HashMap::new();
    let (mut most, mut pair) = (0.0, None);
    for (at, own) in grams.iter().enumerate() {
        let mut common: BTreeMap<usize, usize> = BTreeMap::new();
        for gram in own {
            let earlier = holders.entry(gram).or_default();
            earlier.iter().for_each(|other| *common.entry(*other).or_default() += 1);
            earlier.push(at);
        }
        for (other, both) in common {
            let share = both as f64 / (own.len() + grams[other].len() - both) as f64;
            if share > most {
                (most, pair) = (share, Some((other, at)));
            }
        }
    }
    (most, pair)
}

fn repeated_sentence(messages: &[String]) -> (usize, String) {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for message in messages {
        let text = Text::new(message);
        for sentence in text.pieces(Unit::Sentence) {
            *times.entry(masked(sentence)).or_default() += 1;
        }
    }
    let most = times.into_iter().max_by_key(|(_, times)| *times);
    most.map_or((0, String::new()), |(sentence, times)| (times, sentence))
}

/// A sentence without its numbers and quoted text.
fn masked(sentence: &str) -> String {
    let mut masked = String::new();
    let mut quoted = false;
    for c in sentence.trim().chars() {
        match c {
            '"' | '“' | '”' => {
                if !quoted {
                    masked.push('…');
                }
                quoted = !quoted;
            }
            _ if quoted => {}
            _ if c.is_numeric() => {
                if !masked.ends_with('#') {
                    masked.push('#');
                }
            }
            c => masked.extend(c.to_lowercase()),
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(messages: &[&str]) -> Variety {
        let mut measure = VarietyMeasure::default();
        let messages: Vec<String> = messages.iter().map(|&message| message.to_owned()).collect();
        measure.add(7, &messages);
        measure.finish()
    }

    #[test]
    fn tokens_are_words_and_marks() {
        let found: Vec<String> = tokens("Don't use “JSON”, 第3节!").collect();
        assert_eq!(found, ["don", "'", "t", "use", "“", "json", "”", ",", "第", "3", "节", "!"]);
    }

    #[test]
    fn repeats_are_found() {
        let found = of(&[
            "Use 30 words. Why do tides turn?",
            "Name a river.",
            "Use 60 words. Why do tides turn at night?",
        ]);
        assert_eq!((found.dialogues, found.messages, found.tokens), (1, 3, 24));
        // use 30 60 words . why do tides turn ? name a river at night
        assert_eq!(found.distinct[0], 15.0 / 24.0);
        assert_eq!(found.longest_span.most, 6.0);
        assert_eq!(found.longest_span.example, "words . why do tides turn");
        assert_eq!(found.longest_span.dialogue, 7);
        // Seven and nine 3-grams, four of them in common.
        assert_eq!(found.nearest_pair.most, 4.0 / 12.0);
        assert_eq!(found.repeated_sentence.most, 2.0);
        assert_eq!(found.repeated_sentence.example, "use # words.");
    }

    #[test]
    fn distinct_messages_have_no_repeats() {
        let found = of(&["One.", "Two"]);
        assert_eq!(found.longest_span.most, 0.0);
        assert_eq!(found.nearest_pair, OverDialogues::default());
        assert_eq!(found.repeated_sentence.most, 1.0);
        assert_eq!(VarietyMeasure::default().finish(), Variety::default());
        assert_eq!(of(&[]).dialogues, 1);
    }
}
