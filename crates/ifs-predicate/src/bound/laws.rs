//! Laws of the analysis: checks that hold for a text are not contradictory, whatever its letters;
//! and the quick test hides nothing that the full comparison finds.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::characters::Dice;
use super::{AnalysedCheck, Texts, conflict_among, conflict_between, may_exclude_together};
use crate::evaluate::{TextContext, evaluate, holds};
use crate::print::print;
use crate::test_parser::tree;
use crate::tree::Tree;
use crate::value::Value;
use ifs_text::{Text, UNITS};
use ifs_value::random::SplitMix64;

/// Words with letters whose case, folding or composition is not one to one, and plain ones.
const WORDS: [&str; 48] = [
    "İstanbul",
    "istanbul",
    "ISTANBUL",
    "ıssız",
    "Isız",
    "straße",
    "STRASSE",
    "STRAẞE",
    "strasse",
    "ſea",
    "sea",
    "SEA",
    "ﬁne",
    "FINE",
    "fine",
    "oﬀ",
    "ﬅar",
    "ὈΔΥΣΣΕΎΣ",
    "ὀδυσσεύς",
    "σας",
    "ΣΑΣ",
    "Kelvin",
    "\u{212a}elvin",
    "kelvin",
    "\u{212b}ngström",
    "Ångström",
    "A\u{30a}ngström",
    "ångström",
    "ǅemal",
    "ǆemal",
    "Ǆemal",
    "é",
    "e\u{301}",
    "É",
    "E\u{301}",
    "ŉ",
    "ʼN",
    "ǰ",
    "ΐ",
    "\u{1fd3}",
    "Ⅳ",
    "ⓐ",
    "µ",
    "μ",
    "7",
    "x",
    "Ꭰ",
    "q",
];

impl Dice {
    fn words(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(4) {
            text.push_str(self.pick(&WORDS));
            text.push_str(self.pick(&["", " ", " ", " ", ". ", "! ", "\n", ", ", "-"]));
        }
        let text = text.trim_end_matches(' ').to_owned();
        match self.below(6) {
            0 => self.text(),
            1 => self.insert_characters(&text),
            2 | 3 => self.wrapped(&text),
            _ => text,
        }
    }

    /// A text whose content is another.
    fn wrapped(&mut self, text: &str) -> String {
        let word = self.pick(&WORDS);
        let json = |text: &str| serde_json::to_string(text).unwrap_or_default();
        match self.below(12) {
            0 => format!("[{}]", json(text)),
            1 => format!("{{{}: {}}}", json(word), json(text)),
            2 => format!("{{{}: 7, \"s\": [{}, {}]}}", json(text), json(word), json(text)),
            3 => format!("<p title='{word}'>{text}</p>"),
            4 => format!("<ol><li>{text}</li><li>{word}</li></ol>"),
            5 => format!("<!-- {word} -->{text}"),
            6 => format!("{text} <!-- {word} so -->"),
            7 => format!("[{text}]({word})"),
            8 => format!("```json\n[{}]\n```", json(text)),
            9 => format!("{word},\"{text}\"\nso,{word}"),
            10 => format!("&Eacute;**{text}**&#{};", 65 + self.below(60)),
            _ => format!("**{word}**\n\n> {text}"),
        }
    }

    /// A part of a text or one of the words, perhaps in another case.
    fn part(&mut self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let part: String = match self.below(4) {
            0 => self.pick(&WORDS).to_owned(),
            1 => {
                let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
                self.pick(&words).to_owned()
            }
            2 => text.to_owned(),
            _ => {
                let start = self.below(chars.len());
                let length = 1 + self.below(3);
                chars.iter().skip(start).take(length).collect()
            }
        };
        let cased = match self.below(6) {
            0 => part.to_uppercase(),
            1 => part.to_lowercase(),
            2 => ifs_text::python::casefold(&part).into_owned(),
            _ => part,
        };
        if cased.is_empty() { "x".to_owned() } else { cased }
    }

    fn check(&mut self, text: &str) -> String {
        let part = self.part(text);
        let pattern = pattern(&part);
        let (part, letter) = (quoted(&part), self.part(text).chars().next().unwrap_or('x'));
        let letter = quoted(&letter.to_string());
        let kind = self.pick(&["", "word ", "keyword ", "phrase ", "text ", "letter "]);
        let number = self.below(8);
        let sign = self.pick(&[">=", "<=", "==", "!="]);
        let unit = UNITS[self.below(UNITS.len())].name;
        let class = self.pick(&[
            "a-z",
            "A-Z",
            "a-zA-Z",
            "A-Za-z ",
            "a-z0-9",
            "à-ÿ",
            "ıi",
            "a-zſ",
            r"\w",
            r"\s",
            r"\S",
            r"\d",
            r"\w ",
            r"\p{L}",
            r"\p{N}",
            r"^\x00-\x7f",
            r"\p{P}",
            r"\S ",
            ".!?",
            "#*-",
        ]);
        let flag = self.pick(&["", "i"]);
        let whole = self.pick(&[
            "it",
            "lower",
            "upper",
            "trim",
            "lower(trim)",
            "trim(upper)",
            "unaccented",
            "lower(unaccented)",
        ]);
        let answer = Text::new(text);
        let same = match evaluate(&tree(whole), &TextContext { it: &answer, variables: &() }) {
            Ok(Value::Text(same)) => quoted(&same),
            other => panic!("{whole} of {text:?} is {other:?}"),
        };
        let edge = self.pick(&["starts_with", "ends_with"]);
        match self.below(38) {
            0..=3 => format!("{whole} == {same}"),
            4 => format!("{whole} == {part}"),
            5 | 6 => format!("contains({kind}{part})"),
            7 => format!("not contains({kind}{part})"),
            8 | 9 => format!("count({kind}{part}) {sign} {number}"),
            10 => format!("count(letter {letter}) {sign} {number}"),
            11 | 12 => format!("{edge}({kind}{part})"),
            13 => format!("not {edge}({kind}{part})"),
            14 => format!("{edge}(letter {letter})"),
            15 => format!("{edge}_as_released({kind}{part})"),
            16 => format!("count({unit}) {sign} {number}"),
            17 => format!("{unit}[1] == {part}"),
            18 => format!("{unit}[-1] == {part}"),
            19 => format!("letter[1] == {letter}"),
            20 => {
                let case = self.pick(&[
                    "is_upper",
                    "is_lower",
                    "has_no_lower",
                    "has_no_upper",
                    "is_title",
                    "is_upper_as_released",
                    "is_lower_as_released",
                ]);
                let not = self.pick(&["", "not "]);
                let of = self.pick(&[
                    "",
                    "every word: ",
                    "some word: ",
                    "word[1]: ",
                    "letter[1]: ",
                    "no word: ",
                ]);
                format!("{of}{not}{case}")
            }
            21 => {
                let share = self.pick(&["share_upper", "share_upper_as_released"]);
                let sign = self.pick(&["> 0", "< 100", "== 0", "== 100", ">= 50"]);
                format!("{share} {sign}")
            }
            22 => format!("{whole}: {edge}({kind}{part})"),
            23 => format!("{whole}: contains({kind}{part})"),
            24 => format!("matches(/^[{class}]+$/{flag})"),
            25 => format!("not matches(/[{class}]/{flag})"),
            26 => format!("matches(/^{pattern}$/{flag})"),
            27 => format!("matches(/{pattern}/{flag})"),
            28 => format!("count(distinct(/[{class}]/{flag} in it)) <= {number}"),
            29 => format!("every word: len(it) <= {}", number + 2),
            30 if self.below(3) == 0 => {
                let of = tree("pattern_of(letter)");
                let pattern = evaluate(&of, &TextContext { it: &answer, variables: &() });
                let pattern = pattern.map_or(String::new(), |of| of.to_string());
                format!("pattern_of(letter) == {}", quoted(&pattern))
            }
            30 => self
                .pick(&["unique(letter)", "unique(word)", "unique(char)", "is_palindrome"])
                .to_owned(),
            31 => {
                let letters: String =
                    text.split_whitespace().filter_map(|word| word.chars().next()).collect();
                let lowered = self.pick(&[
                    "initials(word.space)",
                    "lower(initials(word.space))",
                    "lower(initials(word))",
                    "join(word each char[1])",
                    "lower(join(word each char[1]))",
                ]);
                let letters =
                    if lowered.starts_with("lower") { letters.to_lowercase() } else { letters };
                format!("{lowered} == {}", quoted(&letters))
            }
            32 => {
                let reversed: String = text.chars().rev().collect();
                let end: String = reversed.to_lowercase().chars().take(2 + number).collect();
                format!("lower(join(reversed(char))): contains({})", quoted(&end))
            }
            33 => {
                let outer = UNITS[self.below(UNITS.len())].name;
                let of = self.pick(&["every", "some", "no"]);
                format!("{of} {outer}: count({unit}) {sign} {number}")
            }
            34 => {
                let outer = UNITS[self.below(UNITS.len())].name;
                let place = self.pick(&["1", "2", "-1"]);
                format!("{outer}[{place}]: count({unit}) {sign} {number}")
            }
            35 => {
                let outer = UNITS[self.below(UNITS.len())].name;
                format!("count({unit}) {sign} count({outer})")
            }
            36 => {
                let of = self.pick(&[
                    "every line: ",
                    "every paragraph: ",
                    "line[1]: ",
                    "line[-1]: ",
                    "sentence[1]: ",
                ]);
                format!("{of}{edge}({kind}{part})")
            }
            _ => {
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("lower(join(word.space, \" \")) == {}", quoted(&words.to_lowercase()))
            }
        }
    }

    fn checks(&mut self, text: &str, many: usize) -> Vec<Tree> {
        (0..many).map(|_| tree(&self.check(text))).collect()
    }
}

/// A literal of a text.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            '\n' => vec!['\\', 'n'],
            c => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}

/// A regular expression that matches a text.
fn pattern(text: &str) -> String {
    regex_syntax::escape(text).replace('/', "\\/")
}

fn printed_trees(trees: &[&Tree]) -> Vec<String> {
    trees.iter().map(|tree| print(tree)).collect()
}

/// A contradiction that is reported for checks that one text meets.
fn contradicted(seed: u64) -> Option<String> {
    let mut dice = Dice(SplitMix64::new(seed));
    let text = dice.words();
    let trees = dice.checks(&text, 24);
    let answer = Text::new(&text);
    let scene = TextContext { it: &answer, variables: &() };
    let met: Vec<&Tree> = trees.iter().filter(|tree| holds(tree, &scene)).collect();
    let read: Vec<AnalysedCheck> =
        met.iter().map(|tree| AnalysedCheck::new((tree, &()), 0)).collect();
    for at in 0..read.len() {
        for other in at..read.len() {
            if let Some(found) = conflict_between(&[&read[at], &read[other]]) {
                let met = printed_trees(&[met[at], met[other]]);
                return Some(format!("{found:?} though {text:?} meets {met:?}"));
            }
        }
    }
    let all = conflict_between(&read.iter().collect::<Vec<_>>())?;
    Some(format!("{all:?} though {text:?} meets {:?}", printed_trees(&met)))
}

/// Checks that exclude one another although the quick test says that they do not.
fn hidden(seed: u64) -> Option<String> {
    let mut dice = Dice(SplitMix64::new(seed));
    let text = dice.words();
    let trees = dice.checks(&text, 10);
    let read: Vec<AnalysedCheck> =
        trees.iter().map(|tree| AnalysedCheck::new((tree, &()), 0)).collect();
    for at in 0..read.len() {
        for other in at + 1..read.len() {
            let pair = [&read[at], &read[other]];
            if !pair[0].may_exclude(pair[1])
                && let Some(found) = conflict_between(&pair)
            {
                return Some(format!(
                    "{:?}: {found:?}",
                    printed_trees(&[&trees[at], &trees[other]])
                ));
            }
        }
    }
    for at in 0..read.len().saturating_sub(2) {
        let three = [&read[at], &read[at + 1], &read[at + 2]];
        let pairs = [[three[0], three[1]], [three[0], three[2]], [three[1], three[2]]];
        let apart = || pairs.iter().any(|pair| conflict_between(pair).is_some());
        if !may_exclude_together(&three)
            && let Some(found) = conflict_between(&three)
            && !apart()
        {
            let trees = printed_trees(&[&trees[at], &trees[at + 1], &trees[at + 2]]);
            return Some(format!("{trees:?}: {found:?}"));
        }
    }
    None
}

/// `Μ` is one word, and no letter of ASCII.
#[test]
fn words_of_other_scripts_are_counted_by_the_quick_look() {
    let trees = ["count(keyword.released \"Μ\") >= 6", "count(word.pattern) <= 4"].map(tree);
    let [one, other] = trees.each_ref().map(|tree| AnalysedCheck::new((tree, &()), 0));
    assert!(conflict_between(&[&one, &other]).is_some());
    assert!(one.may_exclude(&other) && other.may_exclude(&one));
}

/// `ⓐ` is a word, and no word character of `\w+`.
#[test]
fn a_text_starts_with_its_first_word() {
    let (text, first) = ("ⓐ x Kelvin\né.", tree("starts_with(word \"x\")"));
    let answer = Text::new(text);
    assert!(!holds(&first, &TextContext { it: &answer, variables: &() }));
    let letters = tree("join(word.part each char[1]) == \"ⓐxKé\"");
    assert!(holds(&letters, &TextContext { it: &answer, variables: &() }));
    let [one, other] = [&first, &letters].map(|tree| AnalysedCheck::new((tree, &()), 0));
    assert!(conflict_among(&[&one, &other], Texts::Prose).is_some());
}

proptest! {
    // The same texts on every machine; `laws_of_other_seeds` tries more.
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_common_text_disproves_contradiction(seed: u64) {
        prop_assert_eq!(contradicted(seed), None);
    }

    #[test]
    fn quick_scan_misses_nothing(seed: u64) {
        prop_assert_eq!(hidden(seed), None);
    }
}

/// Runs on request, with more texts.
const SEEDS: std::ops::Range<u64> = 0..20_000;

#[test]
#[ignore = "takes minutes: for whoever changes the bounds, with seeds of their own"]
fn laws_of_other_seeds() {
    let found: Vec<String> =
        SEEDS.flat_map(|seed| [contradicted(seed), hidden(seed)]).flatten().collect();
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}
