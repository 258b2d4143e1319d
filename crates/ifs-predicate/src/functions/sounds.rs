//! How texts sound, and how they read backwards.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization;

use super::Expect::{Fails, Faults, Float, Holds, Int, Ints, Text, Texts};
use super::hooks::{Demand, Derived, LETTERS, LetterChange, Reads, SIGNS, SPELLING, Sees};
use super::{Arguments, Function, ParamType, ReturnType, SUBJECT, param};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::Operand;
use crate::value::Value;
use ifs_text::python::casefold;
use ifs_text::rime::rimes;
use ifs_text::{hanzi, lemma, nesting, syllables};

pub(super) const ROWS: &[&Function] = &[
    &IS_PALINDROME,
    &UNACCENTED,
    &NESTING,
    &DEEPEST_BRACKET_AS_RELEASED,
    &DEEPEST_QUOTE_AS_RELEASED,
    &SYLLABLES_BY_SPELLING,
    &READINGS,
    &PINYIN,
    &TONES,
    &RHYME_SHARE,
    &RHYME_SHARE_AS_RELEASED,
    &SIMPLIFIED,
    &LEMMAS_AS_RELEASED,
    &RHYME_SHARE_ENGLISH,
];

const IS_PALINDROME: Function = Function {
    name: "is_palindrome",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Bool,
    doc: "Whether the letters and digits of the text read the same in both directions, ignoring \
          case. At least two are required.",
    examples: &[
        ("is_palindrome", "Madam, I'm Adam.", Holds),
        ("is_palindrome", "Madam, I am Adam.", Fails),
        ("is_palindrome", "a", Fails),
        ("count(word where len(it) >= 5 and is_palindrome)", "A level kayak, a pup", Int(2)),
    ],
    call: |given| {
        let text = casefold(given.text(0)?);
        let chars: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let same = chars.iter().eq(chars.iter().rev());
        Ok(Operand::bool(chars.len() > 1 && same))
    },
    demand: Some(Demand::Plain("<read> the same backwards")),
    ..Function::BARE
};

const UNACCENTED: Function = Function {
    name: "unaccented",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text with its letters decomposed (Unicode form NFKD) and combining marks removed. A \
          letter without a decomposition is unchanged: `ø`, `ß`.",
    examples: &[
        ("unaccented", "São Tomé", Text("Sao Tome")),
        ("unaccented", "Tromsø", Text("Tromsø")),
    ],
    call: |given| {
        let plain: String = given
            .text(0)?
            .nfkd()
            .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
            .collect();
        Ok(Operand::Value(Value::Text(plain.into())))
    },
    derived: Derived::Same(LetterChange::Accents),
    sees: Sees::Arguments,
    ..Function::BARE
};

const NESTING: Function = Function {
    name: "nesting",
    params: &[SUBJECT, param("left", ParamType::Text), param("right", ParamType::Text)],
    subject: true,
    returns: ReturnType::Int,
    doc: "How deep pairs of marks are nested, the greatest depth that is closed. Each \
          character of `left` is closed by the one at the same place of `right`; one that is \
          both closes where it is the innermost open one. A closing mark that fits nothing \
          starts again; an apostrophe between two letters is not a mark. No value when the two \
          differ in length.",
    examples: &[
        ("nesting(\"([{\", \")]}\")", "(a [b {c}]) (d)", Int(3)),
        ("nesting(\"(\", \")\")", "(((a)", Int(1)),
        ("nesting(\"\\\"'\", \"\\\"'\")", "\"Say 'I don't know', please.\"", Int(2)),
        ("nesting(\"(\", \")\")", "none", Int(0)),
        ("nesting(\"([\", \")\")", "none", Faults),
    ],
    call: |given| {
        let left: Vec<char> = given.text(1)?.chars().collect();
        let right: Vec<char> = given.text(2)?.chars().collect();
        if left.len() != right.len() {
            return Err(EvalError::new("each left mark needs its right one"));
        }
        Ok(Operand::int(nesting::depth(given.text(0)?, &left, &right)))
    },
    // One more pair around a word, or around what is in pairs already.
    bring: Some(|repairer, at, wanted| repairer.nest_marks(at, wanted)),
    noun: Some("the depth of nesting"),
    sees: Sees::Also(SIGNS),
    ..Function::BARE
};

const DEEPEST_BRACKET_AS_RELEASED: Function = Function {
    name: "deepest_bracket_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Int,
    doc: "The largest number of round, square and curly brackets that are open when one of them is \
          closed by its counterpart, as IFBench's released checker counts. The others need not be \
          closed; a closing bracket without a counterpart resets the count.",
    examples: &[
        ("deepest_bracket_as_released", "(a [b {c}", Int(3)),
        ("deepest_bracket_as_released", "(((a] (b)", Int(1)),
    ],
    call: |given| Ok(Operand::int(nesting::brackets_as_released(given.text(0)?))),
    ..Function::BARE
};

const DEEPEST_QUOTE_AS_RELEASED: Function = Function {
    name: "deepest_quote_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Int,
    doc: "The deepest nesting of straight quotation marks, double and single, as IFBench's \
          released checker counts: a mark closes the innermost open one if they are equal, and \
          otherwise opens another.",
    examples: &[
        ("deepest_quote_as_released", "\"'\"a\"'\"", Int(3)),
        ("deepest_quote_as_released", "don't", Int(0)),
    ],
    call: |given| Ok(Operand::int(nesting::quotes_as_released(given.text(0)?))),
    ..Function::BARE
};

const SYLLABLES_BY_SPELLING: Function = Function {
    name: "syllables_by_spelling",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Int,
    doc: "How many syllables an English word has, guessed from its spelling: stretches of \
          vowels, `ia` and its like as two, without an `e` that is not spoken. A guess, wrong \
          for words such as `people`; letters other than a to z are ignored, and a text \
          without any has 0.",
    examples: &[
        ("syllables_by_spelling", "tide", Int(1)),
        ("syllables_by_spelling", "table", Int(2)),
        ("word each syllables_by_spelling", "Beautiful nation, 42", Ints(&[3, 2, 0])),
    ],
    call: |given| Ok(Operand::int(syllables::by_spelling(given.text(0)?))),
    noun: Some("the number of syllables"),
    sees: Sees::Also(SPELLING),
    ..Function::BARE
};

const READINGS: Function = Function {
    name: "readings",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The readings of the first Chinese character of the text: pinyin without tones, each \
          once, the usual one first. None if there is no such character.",
    examples: &[
        ("readings", "山", Texts(&["shan"])),
        ("count(readings) > 1", "行", Holds),
        ("readings", "abc", Texts(&[])),
    ],
    call: |given| {
        let character = given.text(0)?.chars().find(|c| hanzi::is_known(*c));
        let readings = character.map(hanzi::readings).unwrap_or_default();
        Ok(Operand::Value(Value::list(readings.into_iter().map(Value::text))))
    },
    sees: Sees::Also(LETTERS),
    ..Function::BARE
};

const PINYIN: Function = Function {
    name: "pinyin",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Text,
    doc: "The text with each Chinese character replaced by its usual reading, without tones and \
          followed by a blank: the order in which Chinese names are sorted.",
    examples: &[
        ("pinyin", "山水", Text("shan shui")),
        ("pinyin", "RJ-巴雷特", Text("RJ- ba lei te")),
        ("sorted_by([\"山\", \"白\"], pinyin)[1]", "", Text("白")),
    ],
    call: |given| {
        let mut words: Vec<String> = Vec::new();
        let mut apart = true;
        for c in given.text(0)?.chars() {
            match hanzi::readings(c).first() {
                Some(reading) => {
                    words.push((*reading).to_owned());
                    apart = true;
                }
                None if apart => {
                    words.push(c.to_string());
                    apart = false;
                }
                None => words.last_mut().into_iter().for_each(|word| word.push(c)),
            }
        }
        Ok(Operand::Value(Value::text(&words.join(" "))))
    },
    sees: Sees::Also(LETTERS),
    ..Function::BARE
};

const TONES: Function = Function {
    name: "tones",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Ints,
    doc: "The tones of the Chinese characters of the text, by the usual reading of each: 1 and 2 \
          are level (平), 3 and 4 oblique (仄), 5 is neutral. Other characters are skipped.",
    examples: &[("tones", "白日依山", Ints(&[2, 4, 1, 1])), ("tones each it <= 2", "a", Ints(&[]))],
    call: |given| {
        let tones = given.text(0)?.chars().filter_map(hanzi::tone_of).map(Value::Int);
        Ok(Operand::Value(Value::list(tones)))
    },
    reads: Reads::Tones,
    sees: Sees::Also(LETTERS),
    ..Function::BARE
};

const RHYME_SHARE: Function = Function {
    name: "rhyme_share",
    params: &[param("list", ParamType::Texts)],
    subject: false,
    returns: ReturnType::Float,
    doc: "The greatest share, from 0 to 1, of the texts that rhyme with one another in Chinese: \
          whose last Chinese character can be read with a final of one of the eighteen classes \
          of 1941 (中华新韵). A text without such a character rhymes with nothing. No value for \
          an empty list.",
    examples: &[
        (
            "rhyme_share(line)",
            "春眠不觉晓，\n处处闻啼鸟。\n夜来风雨声，\n花落知多少。",
            Float(0.75),
        ),
        ("rhyme_share(line) == 1", "黄河入海流\n更上一层楼", Holds),
        ("rhyme_share(line)", "one\ntwo", Int(0)),
        ("rhyme_share(line)", "", Faults),
    ],
    call: |given| rhyme_share(given, hanzi::rhyme),
    reads: Reads::Han,
    noun: Some("the share of rhymes"),
    sees: Sees::Members,
    ..Function::BARE
};

const RHYME_SHARE_AS_RELEASED: Function = Function {
    name: "rhyme_share_as_released",
    params: &[param("list", ParamType::Texts)],
    subject: false,
    returns: ReturnType::Float,
    doc: "The same as `rhyme_share`, as Meeseeks' released code takes the finals: those of zhi, \
          chi, shi, ri, zi, ci and si are that of ji.",
    examples: &[
        ("rhyme_share_as_released(line) == 1", "知\n西", Holds),
        ("rhyme_share(line) == 1", "知\n西", Fails),
    ],
    call: |given| rhyme_share(given, hanzi::rhyme_as_released),
    ..Function::BARE
};

const SIMPLIFIED: Function = Function {
    name: "simplified",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The Chinese characters of the text that are written otherwise in traditional script, each \
          as often as it occurs; a character that both scripts have (`后`) is among them when \
          OpenCC gives another one for it first. Words in which it stays (`皇后`) are not \
          looked at.",
    examples: &[
        ("simplified", "国家", Texts(&["国"])),
        ("count(simplified) == 0", "國家 sea", Holds),
    ],
    call: |given| {
        let found = given.text(0)?.chars().filter(|c| hanzi::is_simplified(*c));
        Ok(Operand::Value(Value::list(found.map(|c| Value::text(&c.to_string())))))
    },
    member_nouns: Some(["simplified character", "simplified characters"]),
    sees: Sees::Arguments,
    ..Function::BARE
};

const LEMMAS_AS_RELEASED: Function = Function {
    name: "lemmas_as_released",
    params: &[SUBJECT],
    subject: true,
    returns: ReturnType::Texts,
    doc: "The words that an English word can be a form of, itself among them: what stands for the \
          dictionary (simplemma) that Meeseeks' released code asks. The spelling and a table of \
          irregular words tell, so that `hoping` can be one of `hope` and of `hop`. In small \
          letters, sorted.",
    examples: &[
        ("lemmas_as_released", "geese", Texts(&["geese", "goose"])),
        ("\"tide\" in lemmas_as_released", "Tides", Holds),
    ],
    call: |given| {
        let forms = lemma::lemmas(&given.text(0)?.to_lowercase());
        Ok(Operand::Value(Value::list(forms.iter().map(|form| Value::text(form)))))
    },
    ..Function::BARE
};

const RHYME_SHARE_ENGLISH: Function = Function {
    name: "rhyme_share_english",
    params: &[param("list", ParamType::Texts)],
    subject: false,
    returns: ReturnType::Float,
    doc: "The greatest share, from 0 to 1, of the texts that rhyme with one another in English: \
          by the last word of each, as far as its spelling shows, with a table of common words \
          that are spoken otherwise than they are spelled. `thought` rhymes with `caught`, `sky` \
          with `pie`, and `though` not with `rough`. A spelling that is spoken in two ways \
          rhymes by either. No value for an empty list.",
    examples: &[
        (
            "rhyme_share_english(line)",
            "The night is high,\nthe moon, the sky,\nand no one said\ngood-bye.",
            Float(0.75),
        ),
        ("rhyme_share_english(line)", "though\nrough", Float(0.5)),
        ("rhyme_share_english(line) == 1", "the thought\nwas caught", Holds),
        ("rhyme_share_english(line)", "一\n二", Int(0)),
        ("rhyme_share_english(line)", "", Faults),
    ],
    call: |given| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut all = 0;
        for member in given.members_at(0)? {
            let text = member.as_str().ok_or_else(|| EvalError::new("only texts rhyme"))?;
            all += 1;
            let mut words = text.split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’');
            let last = words.rfind(|word| !word.is_empty());
            for rime in last.map(rimes).unwrap_or_default() {
                *counts.entry(rime).or_default() += 1;
            }
        }
        let most = counts.values().max().copied().unwrap_or(0);
        Number::ratio(most as i128, all)
            .map(Operand::from_number)
            .ok_or_else(|| EvalError::new("there is nothing that could rhyme"))
    },
    noun: Some("the share of rhymes"),
    sees: Sees::Members,
    ..Function::BARE
};

/// The greatest share of the texts that can be read with one class of rhyme.
fn rhyme_share<'a>(
    given: &Arguments<'_, 'a>,
    class_of: fn(&str) -> Option<usize>,
) -> Result<Operand<'a>, EvalError> {
    let mut counts = [0usize; hanzi::RHYMES];
    let mut all = 0;
    for member in given.members_at(0)? {
        let text = member.as_str().ok_or_else(|| EvalError::new("only texts rhyme"))?;
        all += 1;
        let last = text.chars().rev().find(|c| hanzi::is_known(*c));
        let readings = last.map(hanzi::readings).unwrap_or_default();
        let classes: BTreeSet<usize> = readings.into_iter().filter_map(class_of).collect();
        for class in classes {
            counts[class] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    Number::ratio(most as i128, all)
        .map(Operand::from_number)
        .ok_or_else(|| EvalError::new("there is nothing that could rhyme"))
}
