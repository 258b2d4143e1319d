//! How much of a reference answer a text has: F1 over words, and ROUGE-L. Each is here for words of
//! any language, and as the published programs compute it. Both are a few lines by their definitions.

use std::collections::HashMap;

use super::Expect::{Fails, Float, Holds, Int};
use super::{Arguments, Function, ParamType, ReturnType, SUBJECT, param};
use crate::fault::EvalError;
use crate::number::Number;
use crate::operand::{Operand, TextPiece};
use ifs_text::python::is_space;

const REFERENCE: &[super::FunctionParam] = &[SUBJECT, param("reference", ParamType::Text)];

pub(super) const ROWS: &[&Function] = &[&F1, &F1_AS_RELEASED, &ROUGE_L, &ROUGE_L_AS_RELEASED];

const F1: Function = Function {
    name: "f1_score",
    params: REFERENCE,
    subject: true,
    returns: ReturnType::Float,
    doc: "How well the words of the text and of a reference answer agree, from 0 to 1: the harmonic \
          mean of the shares of each that the other has, ignoring case and order. A word that is \
          repeated is shared as often as both have it. 1 if neither has a word.",
    examples: &[
        ("f1_score(\"the old mill\") == 2 / 3", "The red mill.", Holds),
        ("f1_score(\"a a b\")", "a b b b", Float(4.0 / 7.0)),
        ("f1_score(\"潮水\") > 0", "月亮", Fails),
    ],
    call: |given| score(given, |piece| piece.folded_words(), shared),
    ..Function::BARE
};

const F1_AS_RELEASED: Function = Function {
    name: "f1_score_as_released",
    params: REFERENCE,
    subject: true,
    returns: ReturnType::Float,
    doc: "The same as the program of SQuAD 2.0 computes it (arXiv:1806.03822, `evaluate-v2.0.py`): \
          in small letters, without ASCII punctuation and the articles `a`, `an` and `the`, between \
          blanks.",
    examples: &[
        ("f1_score_as_released(\"the old mill\")", "Old mill", Int(1)),
        ("f1_score_as_released(\"don't\")", "dont", Int(1)),
    ],
    call: |given| score(given, squad_tokens, shared),
    ..Function::BARE
};

const ROUGE_L: Function = Function {
    name: "rouge_l",
    params: REFERENCE,
    subject: true,
    returns: ReturnType::Float,
    doc: "How well the text agrees with a reference in the order of its words, from 0 to 1: the \
          harmonic mean of the shares of each that their longest common subsequence of words has, \
          ignoring case (Lin 2004, ROUGE-L). 1 if neither has a word.",
    examples: &[
        ("rouge_l(\"the cat sat on the mat\")", "The cat is on the mat.", Float(5.0 / 6.0)),
        ("rouge_l(\"a b\")", "b a", Float(0.5)),
    ],
    call: |given| score(given, |piece| piece.folded_words(), in_order),
    is_quadratic: true,
    ..Function::BARE
};

const ROUGE_L_AS_RELEASED: Function = Function {
    name: "rouge_l_as_released",
    params: REFERENCE,
    subject: true,
    returns: ReturnType::Float,
    doc: "The F-measure `rougeL` of the Python package rouge-score 0.1.2 without stemming: words are \
          runs of `a` to `z` and digits in the text in small letters, so that other scripts have \
          none. 0 if either has no word.",
    examples: &[
        ("rouge_l_as_released(\"Don't stop\")", "don t", Float(0.8)),
        ("rouge_l_as_released(\"潮水\")", "潮水", Int(0)),
    ],
    call: |given| match (rouge_tokens(&*given.piece(0)?), rouge_tokens(&*given.piece(1)?)) {
        (one, other) if one.is_empty() || other.is_empty() => Ok(Operand::int(0)),
        _ => score(given, rouge_tokens, in_order),
    },
    is_quadratic: true,
    ..Function::BARE
};

/// Twice what two texts share, over the words of both: the harmonic mean of both shares.
fn score<'a>(
    given: &Arguments<'_, 'a>,
    words: fn(&TextPiece<'_>) -> Vec<String>,
    shared: fn(&[String], &[String]) -> usize,
) -> Result<Operand<'a>, EvalError> {
    let (one, other) = (words(&*given.piece(0)?), words(&*given.piece(1)?));
    let both = one.len() + other.len();
    let share = Number::ratio(2 * shared(&one, &other) as i128, both as i128);
    Ok(share.map_or(Operand::int(1), Operand::from_number))
}

fn squad_tokens(piece: &TextPiece<'_>) -> Vec<String> {
    let lower = piece.as_str().to_lowercase();
    let plain: String = lower.chars().filter(|c| !c.is_ascii_punctuation()).collect();
    let articles = |word: &&str| !matches!(*word, "a" | "an" | "the");
    // The program replaces articles between word boundaries, which may be within a run: `é` and `’`
    // are no ASCII punctuation, but only the second one is a boundary.
    let mut tokens = Vec::new();
    for run in plain.split(is_space).filter(|run| !run.is_empty()) {
        let mut left = String::new();
        let mut rest = run;
        while !rest.is_empty() {
            let is_word = |c: char| ifs_text::python::is_word(c);
            let first = rest.chars().next().is_some_and(is_word);
            let end = rest.find(|c| is_word(c) != first).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            left.push_str(if articles(&piece) { piece } else { " " });
            rest = after;
        }
        tokens.extend(left.split(is_space).filter(|token| !token.is_empty()).map(str::to_owned));
    }
    tokens
}

fn rouge_tokens(piece: &TextPiece<'_>) -> Vec<String> {
    let lower = piece.as_str().to_lowercase();
    let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let runs = lower.split(|c| !is_kept(c)).filter(|run| !run.is_empty());
    runs.map(str::to_owned).collect()
}

/// The words that two texts share, each as often as both have it.
fn shared(one: &[String], other: &[String]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    one.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    let take = |word: &&String| match counts.get_mut(word.as_str()) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    other.iter().filter(take).count()
}

/// The length of the longest common subsequence, 64 words at a time: after each word of the other
/// text, the zeros among the bits of this one count it (Hyyrö 2004, "Bit-parallel LCS-length
/// computation revisited").
fn in_order(one: &[String], other: &[String]) -> usize {
    let blocks = one.len().div_ceil(64);
    let mut places: HashMap<&str, Vec<u64>> = HashMap::new();
    for (at, word) in one.iter().enumerate() {
        places.entry(word).or_insert_with(|| vec![0; blocks])[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; blocks];
    for places in other.iter().filter_map(|word| places.get(word.as_str())) {
        let mut carry = false;
        for (bits, found) in row.iter_mut().zip(places) {
            let matched = *bits & found;
            let (sum, first) = bits.overflowing_add(matched);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first | second;
            *bits = sum | (*bits & !found);
        }
    }
    row.iter().map(|bits| bits.count_zeros() as usize).sum()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::evaluate::{TextContext, evaluate};
    use crate::test_parser::tree;
    use crate::value::Value;
    use ifs_text::Text;

    #[derive(Deserialize)]
    struct Pair {
        text: String,
        reference: String,
        f1: f64,
        rouge_l: f64,
    }

    /// Numbers of the Python originals: the file says how they were computed.
    #[test]
    fn the_python_originals_give_the_same_numbers() {
        let lines = include_str!("answers.jsonl").lines().skip(1);
        let pairs: Vec<Pair> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(pairs.len(), 150);
        for pair in &pairs {
            let found = |name: &str| {
                let text = Text::new(&pair.text);
                let reference = [("reference", Value::text(&pair.reference))];
                let scene = TextContext { it: &text, variables: &&reference[..] };
                match evaluate(&tree(&format!("{name}(reference)")), &scene) {
                    Ok(Value::Int(number)) => number as f64,
                    Ok(Value::Float(number)) => number,
                    other => panic!("{other:?}"),
                }
            };
            for (name, wanted) in
                [("f1_score_as_released", pair.f1), ("rouge_l_as_released", pair.rouge_l)]
            {
                let (text, reference) = (&pair.text, &pair.reference);
                let number = found(name);
                assert!((number - wanted).abs() < 1e-12, "{name} {number} {text:?} {reference:?}");
            }
        }
    }

    #[test]
    fn subsequences_by_hand() {
        let words = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
        assert_eq!(in_order(&words("abcbdab"), &words("bdcaba")), 4);
        assert_eq!(in_order(&words(""), &words("ab")), 0);
        let long = "abcdefghij".repeat(20);
        assert_eq!(in_order(&words(&long), &words(&long)), 200);
        assert_eq!(in_order(&words(&long), &words(&"ja".repeat(50))), 40);
    }
}
