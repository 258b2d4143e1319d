//! The generated parser, and how its pairs are walked.

use std::iter::Peekable;

use pest::Parser;
use pest::error::{Error, ErrorVariant, InputLocation};

pub(super) type Pair<'i> = pest::iterators::Pair<'i, Rule>;
type Pairs<'i> = pest::iterators::Pairs<'i, Rule>;

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/ifs.pest"]
struct Grammar;

/// Where parsing stopped, and what was expected there.
pub(super) struct Mistake {
    pub at: usize,
    pub expected: Vec<Rule>,
}

pub(super) fn parse(rule: Rule, text: &str) -> Result<Pair<'_>, Mistake> {
    match Grammar::parse(rule, text) {
        Ok(mut pairs) => pairs.next().ok_or(Mistake { at: 0, expected: vec![rule] }),
        Err(error) => Err(mistake(error)),
    }
}

fn mistake(error: Error<Rule>) -> Mistake {
    let at = match error.location {
        InputLocation::Pos(at) => at,
        InputLocation::Span((start, _)) => start,
    };
    let expected = match error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => Vec::new(),
    };
    Mistake { at, expected }
}

impl Rule {
    /// Whether the rule is a word that the grammar fixes.
    pub(super) fn is_keyword(self) -> bool {
        (Rule::k_add..=Rule::k_withdraw).contains(&self)
    }

    fn is_punctuation(self) -> bool {
        matches!(
            self,
            Rule::open
                | Rule::close
                | Rule::paren
                | Rule::unparen
                | Rule::bracket
                | Rule::unbracket
                | Rule::colon
                | Rule::comma
                | Rule::dot
                | Rule::equals
        )
    }
}

/// The children of a pair, taken one after the other. Words and signs that only
/// hold the others together are passed over when something else is asked for.
pub(super) struct Parts<'i> {
    pairs: Peekable<Pairs<'i>>,
}

impl<'i> Parts<'i> {
    pub fn of(pair: Pair<'i>) -> Parts<'i> {
        Parts { pairs: pair.into_inner().peekable() }
    }

    /// The next child if it is of this rule, passing over decoration.
    pub fn maybe(&mut self, rule: Rule) -> Option<Pair<'i>> {
        while let Some(next) = self.pairs.peek() {
            let is = next.as_rule();
            if is == rule {
                return self.pairs.next();
            }
            if !is.is_keyword() && !is.is_punctuation() {
                return None;
            }
            self.pairs.next();
        }
        None
    }

    /// Whether the very next child is of this rule; it is taken then.
    pub fn word(&mut self, rule: Rule) -> bool {
        self.pairs.next_if(|next| next.as_rule() == rule).is_some()
    }

    /// The next child, if it matches this rule.
    pub fn here(&mut self, rule: Rule) -> Option<Pair<'i>> {
        self.pairs.next_if(|next| next.as_rule() == rule)
    }

    /// All following children of this rule.
    pub fn all(&mut self, rule: Rule) -> Vec<Pair<'i>> {
        std::iter::from_fn(|| self.maybe(rule)).collect()
    }

    /// The next child that is not decoration.
    pub fn next(&mut self) -> Option<Pair<'i>> {
        self.pairs.find(|next| !next.as_rule().is_keyword() && !next.as_rule().is_punctuation())
    }

    /// The next child, whatever it is.
    pub fn any(&mut self) -> Option<Pair<'i>> {
        self.pairs.next()
    }
}
