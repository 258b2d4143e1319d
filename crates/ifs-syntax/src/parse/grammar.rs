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

/// Where parsing stopped, the fixed words that would have gone on there, and the rules that were tried.
pub(super) struct FailedAttempts {
    pub at: usize,
    pub words: Vec<String>,
    pub rules: Vec<Rule>,
}

/// How a text that does not match a rule would go on; `None` if it matches.
pub(super) fn attempts(rule: Rule, text: &str) -> Option<FailedAttempts> {
    // The setting is for all threads: parsing that goes on elsewhere is slower meanwhile.
    pest::set_error_detail(true);
    let parsed = Grammar::parse(rule, text);
    pest::set_error_detail(false);
    let error = parsed.err()?;
    let tried = error.parse_attempts()?;
    let words = tried.expected_tokens().iter().map(ToString::to_string).collect();
    let stacks = tried.call_stacks();
    let rules = stacks.iter().filter_map(|stack| stack.deepest.get_rule()).copied().collect();
    Some(FailedAttempts { at: tried.max_position, words, rules })
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
