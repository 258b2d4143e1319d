//! The banks of EvolIF: large, varied, and without near-duplicates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// Two texts share at most this fraction of their words …
const WORDS: f64 = 0.6;

/// … and of their runs of three characters.
const TRIGRAMS: f64 = 0.8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    name: String,
    task: String,
    subject: String,
    request: String,
    /// The request, after "please …".
    #[serde(rename = "do")]
    task_in_words: String,
    /// The name of the request in later messages.
    about: String,
    /// Whether the request mentions no person.
    neutral: bool,
    keywords: Vec<String>,
    angles: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Style {
    name: String,
    voice: String,
    register: String,
    persona: String,
    phrases: Vec<String>,
    #[serde(rename = "demand_first")]
    _demand_first: bool,
    #[serde(rename = "paragraphs")]
    _paragraphs: bool,
    #[serde(rename = "signs")]
    _signs: bool,
}

fn bank<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/evolif/banks").join(name);
    let text = fs::read_to_string(path).unwrap();
    let record = |(at, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", at + 1))
    };
    text.lines().enumerate().map(record).collect()
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn trigrams(text: &str) -> Vec<String> {
    let letters: Vec<char> = words(text).join(" ").chars().collect();
    letters.windows(3).map(|three| three.iter().collect()).collect()
}

/// The members of a set as sorted numbers, so that two sets are compared in one pass.
#[derive(Default)]
struct Numbers(BTreeMap<String, u32>);

impl Numbers {
    fn set(&mut self, members: Vec<String>) -> Vec<u32> {
        let next = |numbers: &BTreeMap<String, u32>| u32::try_from(numbers.len()).unwrap();
        let numbers: BTreeSet<u32> = members
            .into_iter()
            .map(|member| {
                let fresh = next(&self.0);
                *self.0.entry(member).or_insert(fresh)
            })
            .collect();
        numbers.into_iter().collect()
    }
}

fn jaccard(one: &[u32], other: &[u32]) -> f64 {
    let (mut left, mut right, mut shared) = (0, 0, 0);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => {
                left += 1;
                right += 1;
                shared += 1;
            }
        }
    }
    let all = one.len() + other.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// Pairs of sets that share more than a fraction of their members.
fn alike(sets: &[Vec<u32>], most: f64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (at, one) in sets.iter().enumerate() {
        for (other_at, other) in sets.iter().enumerate().skip(at + 1) {
            let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
            // Sets of very different sizes cannot share that much.
            if short as f64 >= most * long as f64 && jaccard(one, other) > most {
                pairs.push((at, other_at));
            }
        }
    }
    pairs
}

/// Texts that are too similar in words or characters.
fn near<'t>(what: &str, texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let texts: Vec<&str> = texts.collect();
    let (mut by_word, mut by_letters) = (Numbers::default(), Numbers::default());
    let in_words: Vec<_> = texts.iter().map(|text| by_word.set(words(text))).collect();
    let in_letters: Vec<_> = texts.iter().map(|text| by_letters.set(trigrams(text))).collect();
    let mut pairs = alike(&in_words, WORDS);
    pairs.extend(alike(&in_letters, TRIGRAMS));
    reported(what, &texts, pairs)
}

/// Lists of phrases that have too many in common.
fn near_lists<'t>(what: &str, lists: impl Iterator<Item = &'t [String]>) -> Vec<String> {
    let mut numbers = Numbers::default();
    let lists: Vec<Vec<String>> =
        lists.map(|list| list.iter().map(|member| member.to_lowercase()).collect()).collect();
    let sets: Vec<_> = lists.iter().map(|list| numbers.set(list.clone())).collect();
    let texts: Vec<String> = lists.iter().map(|list| list.join(", ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    reported(what, &texts, alike(&sets, WORDS))
}

fn reported(what: &str, texts: &[&str], mut pairs: Vec<(usize, usize)>) -> Vec<String> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
        .into_iter()
        .map(|(one, other)| format!("{what}: `{}` and `{}`", texts[one], texts[other]))
        .collect()
}

/// Whether the words of one text are a consecutive part of the other.
fn within(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    one.len() <= other.len() && other.windows(one.len().max(1)).any(|part| *part == one)
}

fn none(complaints: &[String]) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn topic_bank_is_large_and_varied() {
    let topics: Vec<Topic> = bank("topics.jsonl");
    let subjects: BTreeSet<&str> = topics.iter().map(|topic| &*topic.subject).collect();
    let tasks: BTreeSet<&str> = topics.iter().map(|topic| &*topic.task).collect();
    assert!(topics.len() >= 541, "{} topics", topics.len());
    assert!(subjects.len() >= 22, "{} subjects", subjects.len());
    assert!(tasks.len() >= 8, "{} tasks", tasks.len());
    for subject in subjects {
        let count = topics.iter().filter(|topic| topic.subject == subject).count();
        assert!(count >= 5, "only {count} topics about {subject}");
    }
}

#[test]
fn topics_are_complete() {
    let mut complaints = Vec::new();
    for topic in bank::<Topic>("topics.jsonl") {
        let mut wrong = |what: &str| complaints.push(format!("{}: {what}", topic.name));
        if topic.keywords.len() < 8 {
            wrong("fewer than 8 keywords");
        }
        if topic.angles.is_empty() {
            wrong("no angle");
        }
        if words(&topic.request).len() < 5 || !topic.request.ends_with(['?', '.', '!']) {
            wrong("the request is not a sentence");
        }
        let texts = [&topic.name, &topic.request].into_iter();
        if texts.chain(&topic.keywords).chain(&topic.angles).any(|text| text.trim() != text) {
            wrong("blanks around a text");
        }
        for (at, keyword) in topic.keywords.iter().enumerate() {
            if words(keyword).is_empty() {
                wrong("a keyword without a word");
            }
            for (other_at, other) in topic.keywords.iter().enumerate() {
                if at != other_at && within(keyword, other) {
                    wrong(&format!("`{keyword}` stands in `{other}`"));
                }
            }
        }
    }
    none(&complaints);
}

const FIRST_PERSON: [&str; 8] = ["i", "my", "me", "we", "our", "us", "mine", "ours"];

/// A request fits into the phrases of every voice, contains no personal detail, and shares a word
/// with the name for returning to it.
#[test]
fn topic_requests_fit_every_voice() {
    let mut complaints = Vec::new();
    for topic in bank::<Topic>("topics.jsonl") {
        let mut wrong = |what: &str| complaints.push(format!("{}: {what}", topic.name));
        let asked = words(&topic.task_in_words);
        if !topic.task_in_words.starts_with(char::is_lowercase)
            || topic.task_in_words.ends_with(['.', '?', '!'])
        {
            wrong("`do` is not a verb phrase");
        }
        if asked.iter().any(|word| FIRST_PERSON.contains(&&**word)) {
            wrong("`do` speaks of a person");
        }
        let stem = |word: &String| word.chars().take(5).collect::<String>();
        let long = |word: &&String| word.len() > 2;
        let named: BTreeSet<String> = words(&topic.about).iter().filter(long).map(stem).collect();
        if !asked.iter().filter(long).any(|word| named.contains(&stem(word))) {
            wrong("`about` shares no word with `do`");
        }
        let own = words(&topic.request).iter().any(|word| FIRST_PERSON.contains(&&**word));
        if own && topic.neutral {
            wrong("the request speaks of a person");
        }
    }
    none(&complaints);
}

#[test]
fn topics_are_distinct() {
    let topics: Vec<Topic> = bank("topics.jsonl");
    let mut complaints = near("names", topics.iter().map(|topic| &*topic.name));
    complaints.extend(near("names for a return", topics.iter().map(|topic| &*topic.about)));
    complaints.extend(near("requests", topics.iter().map(|topic| &*topic.request)));
    complaints.extend(near_lists("keywords", topics.iter().map(|topic| &*topic.keywords)));
    none(&complaints);
}

#[test]
fn style_bank_is_large() {
    let styles: Vec<Style> = bank("styles.jsonl");
    assert!(styles.len() >= 500, "{} styles", styles.len());
    let voices: BTreeSet<&str> = styles.iter().map(|style| &*style.voice).collect();
    assert!(voices.len() >= 6, "{} voices", voices.len());
    for style in &styles {
        assert!(["formal", "informal"].contains(&&*style.register), "{}", style.register);
        assert!((3..=5).contains(&style.phrases.len()), "phrases of `{}`", style.name);
        let phrases: BTreeSet<&String> = style.phrases.iter().collect();
        assert_eq!(phrases.len(), style.phrases.len(), "a phrase twice in `{}`", style.name);
    }
    for count in [3, 4, 5] {
        let have = styles.iter().filter(|style| style.phrases.len() == count).count();
        assert!(have >= 30, "{have} styles have {count} phrases");
    }
    let all: Vec<&String> = styles.iter().flat_map(|style| &style.phrases).collect();
    let different: BTreeSet<String> = all.iter().map(|phrase| phrase.to_lowercase()).collect();
    assert_eq!(different.len(), all.len(), "a phrase of two styles");
}

#[test]
fn styles_are_distinct() {
    let styles: Vec<Style> = bank("styles.jsonl");
    let mut complaints = near("names", styles.iter().map(|style| &*style.name));
    complaints.extend(near("personas", styles.iter().map(|style| &*style.persona)));
    complaints.extend(near_lists("phrases", styles.iter().map(|style| &*style.phrases)));
    none(&complaints);
}

/// The lists that the templates of `scenarios/evolif/words` use, with their minimum lengths and
/// placeholders.
const LISTS: [(&str, usize, &[&str]); 16] = [
    ("hello", 6, &[]),
    ("new", 12, &[]),
    ("ask", 8, &["DO"]),
    ("more", 12, &["ANGLE"]),
    ("again", 12, &[]),
    ("back", 12, &["ABOUT"]),
    ("still", 6, &["NOTES"]),
    ("add_lead", 7, &[]),
    ("add", 7, &["DO"]),
    ("short", 4, &["NOTE"]),
    ("change_lead", 10, &[]),
    ("change", 5, &["DO"]),
    ("drop_lead", 3, &[]),
    ("drop", 5, &["DO"]),
    ("swap", 4, &["UNDO", "DO"]),
    ("close", 4, &[]),
];

#[test]
fn every_voice_has_every_list() {
    let text = include_str!("../../scenarios/evolif/words/voices.yaml");
    let voices = ifs::template::phrase_bank(text).unwrap();
    for style in bank::<Style>("styles.jsonl") {
        assert!(voices.contains_key(&style.voice), "`{}` of `{}`", style.voice, style.name);
    }
    for (voice, lists) in voices {
        let names: BTreeSet<&str> = lists.keys().map(String::as_str).collect();
        assert_eq!(names, LISTS.iter().map(|(name, ..)| *name).collect(), "{voice}");
        for (name, least, open) in LISTS {
            let different: BTreeSet<&String> = lists[name].iter().collect();
            assert!(different.len() >= least, "{voice} {name}: {}", different.len());
            for phrase in different {
                let split: Vec<&str> =
                    phrase.split(|letter: char| !letter.is_alphanumeric()).collect();
                for place in ["DO", "UNDO", "NOTE", "NOTES", "ANGLE", "ABOUT"] {
                    let times = split.iter().filter(|word| **word == place).count();
                    assert_eq!(
                        times,
                        usize::from(open.contains(&place)),
                        "{voice} {name}: {phrase}"
                    );
                }
            }
        }
    }
}

/// Tasks of topics have follow-ups, and constraints of EvolIF have phrases in every form.
#[test]
fn every_task_and_constraint_has_phrases() {
    let follow =
        ifs::template::phrase_bank(include_str!("../../scenarios/evolif/words/phrases.yaml"));
    let follow = &follow.unwrap()["follow"];
    for topic in bank::<Topic>("topics.jsonl") {
        assert!(follow[&topic.task].len() >= 20, "{}", topic.task);
    }
    let demands =
        ifs::template::phrase_bank(include_str!("../../scenarios/evolif/words/demands.yaml"));
    let demands = demands.unwrap();
    assert_eq!(demands.len(), 36);
    for (constraint, forms) in demands {
        for form in ["do", "note", "undo"] {
            assert!(forms[form].len() >= 2, "{constraint} {form}");
        }
    }
}
