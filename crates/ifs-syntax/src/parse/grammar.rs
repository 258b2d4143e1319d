//! The generated parser, and access to its pairs.

use std::iter::Peekable;

use pest::Parser;
use pest::error::{Error, ErrorVariant, InputLocation};

pub(super) type GrammarPair<'i> = pest::iterators::Pair<'i, Rule>;
type Pairs<'i> = pest::iterators::Pairs<'i, Rule>;

#[derive(pest_derive::Parser)]
#[grammar = "../../../grammar/ifs.pest"]
struct Grammar;

/// The position at which parsing stopped, and the expected rules.
pub(super) struct Mistake {
    pub at: usize,
    pub expected: Vec<Rule>,
}

pub(super) fn parse(rule: Rule, text: &str) -> Result<GrammarPair<'_>, Mistake> {
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
    /// Whether the rule is a fixed keyword.
    pub(super) fn is_keyword(self) -> bool {
        (Rule::k_add..=Rule::k_words).contains(&self)
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

/// The children of a pair, in order. Keywords and punctuation are skipped unless they are
/// requested.
pub(super) struct PairChildren<'i> {
    pairs: Peekable<Pairs<'i>>,
}

impl<'i> PairChildren<'i> {
    pub fn new(pair: GrammarPair<'i>) -> PairChildren<'i> {
        PairChildren { pairs: pair.into_inner().peekable() }
    }

    /// The next child if it matches this rule, skipping keywords and punctuation.
    pub fn skip_to_optional(&mut self, rule: Rule) -> Option<GrammarPair<'i>> {
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

    /// Whether the next child matches this rule; if so, it is consumed.
    pub fn take_if(&mut self, rule: Rule) -> bool {
        self.pairs.next_if(|next| next.as_rule() == rule).is_some()
    }

    /// The next child, if it matches this rule.
    pub fn next_if(&mut self, rule: Rule) -> Option<GrammarPair<'i>> {
        self.pairs.next_if(|next| next.as_rule() == rule)
    }

    /// All following children of this rule.
    pub fn all(&mut self, rule: Rule) -> Vec<GrammarPair<'i>> {
        std::iter::from_fn(|| self.skip_to_optional(rule)).collect()
    }

    /// The next child that is not decoration.
    pub fn next(&mut self) -> Option<GrammarPair<'i>> {
        self.pairs.find(|next| !next.as_rule().is_keyword() && !next.as_rule().is_punctuation())
    }

    /// The next child, whatever it is.
    pub fn next_child(&mut self) -> Option<GrammarPair<'i>> {
        self.pairs.next()
    }
}
