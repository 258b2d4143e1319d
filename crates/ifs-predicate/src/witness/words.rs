//! Plain words to fill sentences with: short grammar, every length, nothing that is looked for.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use ifs_base::work;
use ifs_value::random::SplitMix64;

/// The role of a word in a sentence.
const NOUNS: &[&str] = &[
    "sea",
    "sun",
    "day",
    "way",
    "sky",
    "air",
    "ink",
    "oak",
    "ivy",
    "egg",
    "yew",
    "wind",
    "road",
    "hill",
    "lake",
    "book",
    "lamp",
    "door",
    "tree",
    "rain",
    "snow",
    "jug",
    "zone",
    "quay",
    "river",
    "table",
    "house",
    "stone",
    "field",
    "cloud",
    "paper",
    "music",
    "plant",
    "bread",
    "chair",
    "light",
    "water",
    "voice",
    "night",
    "vase",
    "garden",
    "window",
    "market",
    "letter",
    "valley",
    "bridge",
    "forest",
    "winter",
    "summer",
    "kettle",
    "village",
    "morning",
    "evening",
    "journey",
    "harvest",
    "kitchen",
    "mountain",
    "notebook",
    "question",
    "umbrella",
    "landscape",
    "afternoon",
    "newspaper",
    "friendship",
    "playground",
    "expedition",
    "neighbourhood",
];
const VERBS: &[&str] = &[
    "met",
    "saw",
    "led",
    "fed",
    "won",
    "kept",
    "held",
    "made",
    "left",
    "found",
    "moved",
    "liked",
    "knew",
    "drew",
    "reached",
    "carried",
    "covered",
    "touched",
    "crossed",
    "followed",
    "welcomed",
    "explored",
    "remembered",
    "discovered",
    "surrounded",
];
const ADJECTIVES: &[&str] = &[
    "old",
    "new",
    "big",
    "red",
    "dry",
    "shy",
    "warm",
    "cold",
    "calm",
    "tall",
    "wide",
    "pale",
    "quiet",
    "small",
    "green",
    "early",
    "gentle",
    "simple",
    "bright",
    "narrow",
    "ancient",
    "patient",
    "friendly",
    "peaceful",
    "wonderful",
    "beautiful",
    "mysterious",
];
const PREPOSITIONS: &[&str] =
    &["near", "over", "under", "behind", "beside", "by", "past", "beyond", "at"];
const ARTICLES: &[&str] = &["the", "a", "one", "this", "that", "each"];
const CONJUNCTIONS: &[&str] = &["and", "while", "so", "but", "then"];

/// A word for each letter a text may start or end with.
const FIRST_LETTER_WORDS: &[&str] = &[
    "all", "both", "calm", "dry", "each", "for", "good", "here", "in", "just", "kind", "long",
    "many", "now", "on", "plain", "quiet", "rain", "some", "the", "under", "very", "with", "xylem",
    "yes", "zest",
];
const LAST_LETTER_WORDS: &[&str] = &[
    "sea", "club", "magic", "wind", "table", "leaf", "king", "path", "ski", "raj", "book", "hill",
    "calm", "sun", "radio", "map", "iraq", "river", "stars", "light", "you", "chev", "window",
    "fox", "sky", "quiz",
];

/// Words of each part of speech that may be used.
pub(super) struct Vocabulary<'w> {
    kinds: [Vec<&'w str>; 6],
    avoid: Vec<String>,
}

#[derive(Clone, Copy)]
enum WordKind {
    Noun,
    Verb,
    Adjective,
    Link,
    Article,
    Joint,
}

/// `the old sea met the road near the field and …`
const SENTENCE_PATTERN: [WordKind; 10] = [
    WordKind::Article,
    WordKind::Adjective,
    WordKind::Noun,
    WordKind::Verb,
    WordKind::Article,
    WordKind::Noun,
    WordKind::Link,
    WordKind::Article,
    WordKind::Noun,
    WordKind::Joint,
];

impl<'w> Vocabulary<'w> {
    /// `avoid` are folded texts that must not occur in a word; `lengths` says how long it may be.
    pub(super) fn new(
        own: impl Iterator<Item = &'w str>,
        avoid: Vec<String>,
        lengths: RangeInclusive<usize>,
        foreign: Option<Vec<&'static str>>,
    ) -> Vocabulary<'w> {
        let allowed = |word: &&str| {
            lengths.contains(&word.len()) && !avoid.iter().any(|part| word.contains(part.as_str()))
        };
        let pick = |words: &'static [&'static str]| -> Vec<&'w str> {
            words.iter().copied().filter(allowed).collect()
        };
        if let Some(words) = foreign {
            // Words of any kind in turn: language identification uses letters.
            let free = |word: &&str| !avoid.iter().any(|part| word.contains(part.as_str()));
            let words: Vec<&'w str> = words.into_iter().filter(free).collect();
            return Vocabulary { kinds: std::array::from_fn(|_| words.clone()), avoid };
        }
        let mut nouns = pick(NOUNS);
        if *lengths.end() >= 12 {
            // The topic's own words make the text be about it.
            let own: Vec<&str> = own
                .filter(|word| word.len() >= *lengths.start())
                .filter(|word| !avoid.iter().any(|part| word.contains(part.as_str())))
                .collect();
            let repeats = if own.is_empty() { 0 } else { nouns.len() / own.len() };
            for _ in 0..repeats.min(6) {
                nouns.extend(&own);
            }
        }
        let kinds = [
            nouns,
            pick(VERBS),
            pick(ADJECTIVES),
            pick(PREPOSITIONS),
            pick(ARTICLES),
            pick(CONJUNCTIONS),
        ];
        Vocabulary { kinds, avoid }
    }

    fn pick(&self, kind: WordKind, draw: &mut WordDraw) -> Option<&'w str> {
        let words = &self.kinds[kind as usize];
        draw.pick(words).copied().or_else(|| {
            let all = self.kinds.iter().find(|words| !words.is_empty())?;
            draw.pick(all).copied()
        })
    }

    /// A number of words that read like a sentence.
    pub(super) fn words(&self, count: usize, draw: &mut WordDraw) -> Vec<&'w str> {
        let mut words = Vec::with_capacity(count);
        // A sentence ends in a noun.
        let offset = match count % SENTENCE_PATTERN.len() {
            1 => 2,
            2 | 9 => 1,
            _ => 0,
        };
        for at in 0..count {
            let last = at + 1 == count;
            let kind = if last {
                WordKind::Noun
            } else {
                SENTENCE_PATTERN[(at + offset) % SENTENCE_PATTERN.len()]
            };
            words.extend(self.pick(kind, draw));
        }
        words
    }

    /// A word of exactly that many letters.
    pub(super) fn of_length(&self, length: usize, draw: &mut WordDraw) -> Option<&'w str> {
        let start = draw.index_below(self.kinds.len());
        (0..self.kinds.len()).find_map(|at| {
            let words = &self.kinds[(start + at) % self.kinds.len()];
            let skip = draw.index_below(words.len().max(1));
            let mut turned = words.iter().skip(skip).chain(words.iter().take(skip));
            turned.find(|word| word.chars().count() == length).copied()
        })
    }

    /// A longer word of exactly that many letters than there is: two nouns in one.
    pub(super) fn compound(&self, length: usize) -> Option<&'w str> {
        compounds().find(|word| word.len() == length && self.allows(word))
    }

    /// Each word, and where those come to an end each two nouns in one.
    pub(super) fn all(&self) -> impl Iterator<Item = &'w str> {
        let known = self.kinds.iter().flatten().copied();
        known.chain(compounds().filter(|word| self.allows(word)))
    }

    fn allows(&self, word: &str) -> bool {
        !self.avoid.iter().any(|part| word.contains(part.as_str()))
    }

    /// A word that starts with a letter, or the letter itself.
    pub(super) fn starting(&self, letter: char) -> String {
        self.edge_word(letter, FIRST_LETTER_WORDS, |word, letter| word.starts_with(letter))
    }

    /// A word that ends with a letter, or the letter itself.
    pub(super) fn ending(&self, letter: char) -> String {
        self.edge_word(letter, LAST_LETTER_WORDS, |word, letter| word.ends_with(letter))
    }

    fn edge_word(&self, letter: char, words: &[&str], fits: fn(&str, char) -> bool) -> String {
        let found = words.iter().find(|word| {
            fits(word, letter) && !self.avoid.iter().any(|part| word.contains(part.as_str()))
        });
        found.map_or_else(|| letter.to_string(), |word| (*word).to_owned())
    }
}

/// `lamplight`, `oakwindow`, …: pairs of nouns, adjacent ones first.
fn compounds<'w>() -> impl Iterator<Item = &'w str> {
    static COMPOUND_NOUNS: OnceLock<Vec<String>> = OnceLock::new();
    let all = COMPOUND_NOUNS.get_or_init(|| {
        let pairs = (1..NOUNS.len()).flat_map(|apart| {
            NOUNS.iter().zip(NOUNS.iter().cycle().skip(apart)).map(|(one, two)| [*one, *two])
        });
        pairs.map(|pair| pair.concat()).collect()
    });
    all.iter().map(String::as_str)
}

/// The random stream and the limits of a search.
pub(super) struct WordDraw {
    random: SplitMix64,
    /// Steps that are left: about one for each byte that is written or read.
    steps: usize,
}

impl WordDraw {
    pub(super) fn new(seed: u64, steps: usize) -> WordDraw {
        WordDraw { random: SplitMix64::new(seed), steps }
    }

    /// Draws from there as before, with the steps that are left.
    pub(super) fn reseed(&mut self, seed: u64) {
        self.random = SplitMix64::new(seed);
    }

    pub(super) fn place(&self) -> u64 {
        self.random.place()
    }

    pub(super) fn steps_left(&self) -> usize {
        if work::is_exhausted() { 0 } else { self.steps }
    }

    pub(super) fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps);
    }

    pub(super) fn index_below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.random.draw() % bound as u64) as usize }
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let at = self.index_below(from.len());
        from.get(at)
    }
}
