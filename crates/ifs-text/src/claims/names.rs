//! Names from a list, as texts mention them: in full, by the last or the first name where that is
//! unique, with an initial, in the plural.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::cues::CueClass;
use super::reading::ClauseReading;
use super::recent::Recent;
use super::tokens::{Token, TokenKind, is_han, tokens};

/// Things with their names: each has one name or several synonyms.
#[derive(Clone, Debug, Default)]
pub struct NameList(Arc<ReadList>);

/// Names, with what readings need of them.
#[derive(Debug, Default)]
struct ReadList {
    entries: Vec<Vec<String>>,
    key: OnceLock<String>,
    index: OnceLock<NameIndex>,
    tie: OnceLock<Option<usize>>,
}

impl PartialEq for NameList {
    fn eq(&self, other: &NameList) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.entries == other.0.entries
    }
}

/// The number of lists that are kept: those of the checks of a turn.
const MAX_LISTS: usize = 32;

impl NameList {
    pub fn new(entries: Vec<Vec<String>>) -> NameList {
        thread_local! {
            static LISTS: Recent<Vec<Vec<String>>, ReadList> = const { Recent::new(MAX_LISTS) };
        }
        let make = |entries: &Vec<Vec<String>>| ReadList {
            entries: entries.clone(),
            ..ReadList::default()
        };
        NameList(LISTS.with(|lists| lists.get(entries, make)))
    }

    /// The entry that has this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        let exact = self.0.entries.iter().position(|names| names.iter().any(|own| own == name));
        exact.or_else(|| {
            let key = key(name);
            self.0.entries.iter().position(|names| names.iter().any(|own| self::key(own) == key))
        })
    }

    /// The names as one text, by which readings remember what they found.
    pub(super) fn key(&self) -> String {
        let make = || {
            let entries: Vec<String> =
                self.0.entries.iter().map(|names| names.join("\u{1}")).collect();
            entries.join("\u{2}")
        };
        self.0.key.get_or_init(make).clone()
    }

    fn index(&self) -> &NameIndex {
        self.0.index.get_or_init(|| NameIndex::new(&self.0.entries))
    }

    /// The entry that stands for neither of two sides.
    pub(super) fn tie_entry(&self) -> Option<usize> {
        let is_tie = |name: &String| {
            let reading = ClauseReading::new(name);
            let end = reading.tokens.len();
            reading.cues_in(CueClass::Tie, 0, end).any(|cue| cue.start == 0 && cue.end == end)
        };
        let find = || self.0.entries.iter().position(|names| names.iter().any(is_tie));
        *self.0.tie.get_or_init(find)
    }

    /// The first name of an entry.
    pub fn name(&self, at: usize) -> &str {
        self.0.entries.get(at).and_then(|names| names.first()).map_or("", String::as_str)
    }

    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }
}

/// A name at tokens `start..end`.
#[derive(Clone, Debug)]
pub(super) struct NameMention {
    pub start: usize,
    pub end: usize,
    /// `None` if several entries share it.
    pub entry: Option<usize>,
}

/// The words of a name, without marks and accents.
fn key(name: &str) -> Vec<String> {
    words(&tokens(name)).map(|token| plain(&token.text)).collect()
}

fn words(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    tokens.iter().filter(|token| token.kind != TokenKind::Mark)
}

/// A word without accents.
fn plain(word: &str) -> String {
    if word.is_ascii() {
        return word.to_owned();
    }
    word.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

#[derive(Debug)]
struct NameAlias {
    words: Vec<String>,
    entries: BTreeSet<usize>,
    /// Part of a name.
    is_part: bool,
    /// Counts only if it begins with a capital.
    is_proper: bool,
}

/// Endings of a name that are no name by themselves.
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv"];

/// The parts of a name: words between blanks, Chinese names between their marks.
fn parts(name: &str) -> Vec<Vec<String>> {
    let has_han = name.chars().any(is_han);
    let separates =
        |c: char| c.is_whitespace() || (has_han && matches!(c, '-' | '·' | '•' | '‧' | '・' | '.'));
    let parts = name.split(separates).map(key).filter(|part| !part.is_empty());
    parts.collect()
}

#[derive(Debug)]
struct NameIndex {
    aliases: Vec<NameAlias>,
    starts: HashMap<String, Vec<usize>>,
}

impl NameIndex {
    fn new(entries: &[Vec<String>]) -> NameIndex {
        let mut full: HashMap<Vec<String>, usize> = HashMap::new();
        for (entry, names) in entries.iter().enumerate() {
            for name in names {
                full.entry(key(name)).or_insert(entry);
            }
        }
        let mut aliases: HashMap<Vec<String>, NameAlias> = HashMap::new();
        let mut add = |words: Vec<String>, entry: usize, is_part: bool, is_proper: bool| {
            if words.is_empty() {
                return;
            }
            let alias = aliases.entry(words.clone()).or_insert_with(|| NameAlias {
                words,
                entries: BTreeSet::new(),
                is_part,
                is_proper,
            });
            if alias.is_part && !is_part {
                (alias.is_part, alias.is_proper) = (false, is_proper);
                alias.entries.clear();
            }
            if alias.is_part == is_part {
                alias.entries.insert(entry);
            }
        };
        for (entry, names) in entries.iter().enumerate() {
            for name in names {
                let words = key(name);
                let first = name.chars().find(|c| c.is_alphanumeric());
                let is_proper = first.is_some_and(|c| c.is_uppercase() || is_han(c));
                if !is_proper && let Some(last) = words.last() {
                    for plural in plurals(last) {
                        let mut many = words.clone();
                        many.pop();
                        many.push(plural);
                        add(many, entry, true, false);
                    }
                }
                add(words, entry, false, false);
                if is_proper {
                    let latin = !name.chars().any(is_han);
                    for part in short_forms(&parts(name)) {
                        add(part, entry, true, latin);
                    }
                }
            }
        }
        let aliases: Vec<NameAlias> = aliases.into_values().collect();
        let mut starts: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, alias) in aliases.iter().enumerate() {
            if let Some(first) = alias.words.first() {
                starts.entry(first.clone()).or_default().push(at);
            }
        }
        NameIndex { aliases, starts }
    }

    /// The alias that is one word.
    fn alias(&self, word: &str) -> Option<&NameAlias> {
        let places = self.starts.get(word)?;
        places.iter().map(|at| &self.aliases[*at]).find(|alias| alias.words.len() == 1)
    }
}

fn plurals(word: &str) -> Vec<String> {
    let stem = word.strip_suffix('y').map(|stem| format!("{stem}ies"));
    [Some(format!("{word}s")), Some(format!("{word}es")), stem].into_iter().flatten().collect()
}

/// The shorter forms of a name with several parts.
fn short_forms(parts: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut forms = Vec::new();
    let suffix = parts
        .last()
        .is_some_and(|last| matches!(last.as_slice(), [word] if SUFFIXES.contains(&word.as_str())));
    let core = parts.len() - usize::from(suffix);
    let is_telling =
        |words: &[String]| words.iter().map(|word| word.chars().count()).sum::<usize>() > 1;
    for start in 1..core {
        forms.push(parts.get(start..).unwrap_or(&[]).concat());
        forms.push(parts.get(start..core).unwrap_or(&[]).concat());
    }
    // `Noor` of `Albrecht-Noor`
    if let Some([_, .., last]) = parts.get(core.wrapping_sub(1)).map(Vec::as_slice)
        && parts.len() > 1
    {
        let word = vec![last.clone()];
        if is_telling(&word) && last.chars().all(|c| !is_han(c)) {
            forms.push(word);
        }
    }
    for end in 1..parts.len() {
        forms.push(parts.get(..end).unwrap_or(&[]).concat());
    }
    forms.retain(|words| is_telling(words));
    // `C. Jarvis`
    if let (Some([first]), true) = (parts.first().map(Vec::as_slice), core >= 2)
        && first.is_ascii()
        && let Some(initial) = first.chars().next()
    {
        let mut words = vec![initial.to_string()];
        words.extend(parts.get(core - 1).cloned().unwrap_or_default());
        forms.push(words);
    }
    // `M002` is also `002`.
    if let [part] = parts
        && let [_, number] = part.as_slice()
        && number.len() > 1
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        forms.push(vec![number.clone()]);
    }
    forms
}

/// The names of a roster in a text, the longest at each place, in order.
pub(super) fn mentions(reading: &ClauseReading, roster: &NameList) -> Vec<NameMention> {
    let index = roster.index();
    let is_small = !reading.tokens.iter().any(|token| token.is_capital);
    let mut found: Vec<NameMention> = Vec::new();
    // The entry that an ambiguous name was last used for in full.
    let mut latest: HashMap<usize, usize> = HashMap::new();
    let tie = roster.tie_entry();
    let mut at = 0;
    while at < reading.tokens.len() {
        let mut best: Option<(usize, &NameAlias)> = None;
        let first = reading.token(at).map(|token| plain(&token.text)).unwrap_or_default();
        let compound = compound(reading, at, &first).filter(|(stem, _)| {
            index.starts.contains_key(stem) && !index.starts.contains_key(&first)
        });
        if let Some((stem, end)) = &compound
            && let Some(alias) = index.alias(stem)
        {
            best = Some((*end, alias));
        }
        for alias in index.starts.get(&first).into_iter().flatten().map(|at| &index.aliases[*at]) {
            let Some(end) = matching_end(&reading.tokens, at, &alias.words) else { continue };
            let is_proper =
                reading.token(at).is_some_and(|token| token.is_capital || token.is_digits())
                    || is_small;
            if alias.is_proper && !is_proper {
                continue;
            }
            if best.is_none_or(|(best, _)| end > best) {
                best = Some((end, alias));
            }
        }
        if let Some(entry) = tie
            && best.is_none()
            && let Some(cue) =
                reading.cues_in(CueClass::Tie, at, at + 8).find(|cue| cue.start == at)
        {
            found.push(NameMention { start: at, end: cue.end, entry: Some(entry) });
            at = cue.end;
            continue;
        }
        let Some((end, alias)) = best else {
            at += 1;
            continue;
        };
        let entry = match alias.entries.iter().collect::<Vec<_>>().as_slice() {
            [entry] => Some(**entry),
            several => several
                .iter()
                .filter_map(|entry| Some((latest.get(*entry)?, **entry)))
                .max()
                .map(|(_, entry)| entry),
        };
        if let Some(entry) = entry {
            latest.insert(entry, at);
        }
        found.push(NameMention { start: at, end, entry });
        at = end;
    }
    found
}

/// What a German name is the first part of: `Vertriebsabteilung`, `Vertriebs-Team`.
const COMPOUND_HEADS: &[&str] = &[
    "abteilung",
    "abteilungen",
    "team",
    "teams",
    "bereich",
    "bereichs",
    "gruppe",
    "mannschaft",
    "leute",
    "büro",
    "stelle",
];

/// The first part of a compound at a token, with its end.
fn compound(reading: &ClauseReading, at: usize, word: &str) -> Option<(String, usize)> {
    let stem = |word: &str| {
        let stem = word.trim_end_matches('-');
        ["s", ""].iter().find_map(|link| stem.strip_suffix(link)).map(str::to_owned)
    };
    let is_head = |word: &str| COMPOUND_HEADS.iter().any(|head| plain(head) == plain(word));
    let follows = reading.is_mark(at + 1, '-')
        && reading.token(at + 2).is_some_and(|head| !head.spaced && is_head(&head.text));
    if follows {
        return Some((stem(word)?, at + 3));
    }
    let first = COMPOUND_HEADS.iter().find_map(|head| word.strip_suffix(&*plain(head)))?;
    Some((stem(first).filter(|stem| stem.len() > 2)?, at + 1))
}

/// The end of a name at a token. Marks inside of it do not matter.
fn matching_end(tokens: &[Token], start: usize, words: &[String]) -> Option<usize> {
    let mut at = start;
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            while tokens.get(at).is_some_and(|token| {
                matches!(token.mark(), Some('-' | '·' | '.' | '•' | '\'' | '"'))
            }) {
                at += 1;
            }
        }
        let token = tokens.get(at)?;
        if token.kind == TokenKind::Mark || plain(&token.text) != *word {
            return None;
        }
        at += 1;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roster(names: &[&str]) -> NameList {
        NameList::new(names.iter().map(|name| vec![(*name).to_owned()]).collect())
    }

    fn read(text: &str, names: &[&str]) -> Vec<String> {
        let roster = roster(names);
        let reading = ClauseReading::new(text);
        let name = |mention: NameMention| match mention.entry {
            Some(entry) => roster.name(entry).to_owned(),
            None => "?".to_owned(),
        };
        mentions(&reading, &roster).into_iter().map(name).collect()
    }

    #[test]
    fn names_are_found_by_their_unique_parts() {
        let players = ["LeBron James", "Mike James", "Cole Jarvis", "Jaren Jackson Jr."];
        assert_eq!(read("LeBron and Jarvis", &players), ["LeBron James", "Cole Jarvis"]);
        assert_eq!(read("James", &players), ["?"]);
        assert_eq!(read("Mike James. Then James again.", &players), ["Mike James", "Mike James"]);
        assert_eq!(read("C. Jarvis, Jackson", &players), ["Cole Jarvis", "Jaren Jackson Jr."]);
        assert_eq!(read("**Cole  Jarvis**’s", &players), ["Cole Jarvis"]);
        let teams = ["Thornbury Cranes", "Quarry Bay Gulls"];
        assert_eq!(read("Seagulls, the Gulls, Quarry Bay", &teams), ["Quarry Bay Gulls"; 2]);
        assert_eq!(read("the cranes fly", &teams), ["Thornbury Cranes"]);
        assert_eq!(read("The cranes fly", &teams), [""; 0]);
        assert_eq!(
            read("Sea Otters and Otters", &["Otters", "Sea Otters"]),
            ["Sea Otters", "Otters"]
        );
        let chinese = ["哈坎-格里夫", "约纳-加洛韦"];
        assert_eq!(read("哈坎·格里夫和加洛韦", &chinese), ["哈坎-格里夫", "约纳-加洛韦"]);
        assert_eq!(read("two boxes, a tin", &["tin", "box"]), ["box", "tin"]);
        assert_eq!(read("M-002 and 005", &["M002", "M005"]), ["M002", "M005"]);
        assert_eq!(read("It would be a tie.", &["Gulls", "nobody"]), ["nobody"]);
        assert_eq!(read("José", &["Jose"]), ["Jose"]);
    }
}
