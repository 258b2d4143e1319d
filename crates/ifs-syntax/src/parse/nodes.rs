//! A file as the grammar reads it, rule by rule, for editors: what they colour, fold and look names up
//! in. The tree of `ast` has the meaning; this one has every word at its place.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ifs_base::source::FileId;

use super::grammar::{self, GrammarPair, Rule};
use super::{MAX_SHALLOW_DEPTH, on_deep_stack, repair, without_comments};
use crate::scan;
use crate::statement::{BlockKind, StatementBlock};

/// A range of a file that a rule of the grammar accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxNode {
    pub rule: &'static str,
    /// Whether it is a fixed word of the grammar.
    pub is_keyword: bool,
    pub start: usize,
    pub end: usize,
    /// The node that it is part of.
    pub parent: Option<usize>,
    /// The node after its last part, in the order of [`nodes`].
    pub next: usize,
}

/// The nodes of a file, each before its parts. Items that cannot be read have none.
pub fn nodes(text: &str) -> Vec<SyntaxNode> {
    if text.len() > scan::MAX_FILE_BYTES {
        return Vec::new();
    }
    let scan = scan::scan(FileId::default(), text);
    let depth = scan.depth;
    let work = move || {
        let plain = without_comments(text, &scan.comments);
        let mut nodes = Vec::new();
        for chunk in scan.chunks.iter().filter(|chunk| !chunk.too_deep) {
            let source = repair(&plain[chunk.start..chunk.end], chunk);
            if let Ok(pair) = grammar::parse(Rule::chunk, &source) {
                add(&pair, None, chunk.start, &plain, &mut nodes);
            }
        }
        nodes
    };
    if depth <= MAX_SHALLOW_DEPTH { work() } else { on_deep_stack(work) }
}

fn add(
    pair: &GrammarPair<'_>,
    parent: Option<usize>,
    base: usize,
    text: &str,
    nodes: &mut Vec<SyntaxNode>,
) {
    let (span, rule, place) = (pair.as_span(), pair.as_rule(), nodes.len());
    // A repaired chunk may have closing braces that the file lacks.
    let limit = |at: usize| (base + at).min(text.len());
    let (start, end) = (limit(span.start()), limit(span.end()));
    let written = text.get(start..end).unwrap_or("").trim_end();
    let end = start + written.len();
    let is_keyword = rule.is_keyword();
    nodes.push(SyntaxNode { rule: rule_name(rule), is_keyword, start, end, parent, next: 0 });
    for inner in pair.clone().into_inner() {
        add(&inner, Some(place), base, text, nodes);
    }
    nodes[place].next = nodes.len();
}

fn rule_name(rule: Rule) -> &'static str {
    static NAMES: OnceLock<BTreeMap<Rule, String>> = OnceLock::new();
    let named = || Rule::all_rules().iter().map(|rule| (*rule, format!("{rule:?}"))).collect();
    NAMES.get_or_init(named).get(&rule).map_or("", String::as_str)
}

/// What the grammar accepts at the end of an incomplete statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedNext {
    /// Fixed words, in alphabetical order.
    pub words: Vec<String>,
    /// The innermost rules that would read something else, such as a name.
    pub rules: Vec<&'static str>,
}

/// What may follow the text of a statement of a block.
pub fn expected(block: StatementBlock, statement: &str) -> ExpectedNext {
    // No rule accepts this character, so the attempt fails where the statement ends.
    let text = format!("{statement}\u{1}");
    let Some(attempts) = grammar::attempts(probe(block), &text) else {
        return ExpectedNext::default();
    };
    if text.get(attempts.at..).is_none_or(|rest| rest.trim_start() != "\u{1}") {
        return ExpectedNext::default();
    }
    // Others are signs, and the letters of names.
    let is_word =
        |word: &String| word != "_" && word.chars().all(|letter| matches!(letter, 'a'..='z' | '_'));
    let mut words: Vec<String> = attempts.words.into_iter().filter(is_word).collect();
    words.sort_unstable();
    words.dedup();
    ExpectedNext { words, rules: attempts.rules.into_iter().map(rule_name).collect() }
}

/// The rule that reads one statement of a block.
fn probe(block: StatementBlock) -> Rule {
    let StatementBlock::Other(kind) = block else { return Rule::probe_stmt };
    match kind {
        BlockKind::File => Rule::chunk,
        BlockKind::Group => Rule::probe_group,
        BlockKind::Constraint => Rule::probe_constraint,
        BlockKind::Test => Rule::probe_test,
        BlockKind::Function => Rule::probe_def,
        BlockKind::Feed => Rule::probe_feed,
        BlockKind::Scene => Rule::probe_scene,
        BlockKind::Question => Rule::probe_question,
        BlockKind::Evolution | BlockKind::Switch => Rule::probe_evolve,
        BlockKind::Release => Rule::probe_release,
        BlockKind::Split => Rule::probe_split,
        BlockKind::Audit => Rule::probe_audit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::StatementPlace;

    #[test]
    fn every_word_is_in_a_node() {
        let text =
            "ifs 1\n\ngroup g {\n  constraint c(n: int in 1..=3) {\n    say \"{{ n }}\"\n  }\n}\n";
        let nodes = nodes(text);
        let find = |rule: &str| nodes.iter().find(|node| node.rule == rule).unwrap();
        let param = find("param");
        assert_eq!(&text[param.start..param.end], "n: int in 1..=3");
        assert_eq!(nodes[param.parent.unwrap()].rule, "params");
        assert!(find("k_say").is_keyword);
        let group = nodes.iter().position(|node| node.rule == "group").unwrap();
        assert_eq!(nodes[group].next, nodes.len() - 1);
    }

    #[test]
    fn what_may_follow() {
        let dialogue = StatementBlock::Place(StatementPlace::Dialogue);
        assert_eq!(expected(dialogue, "topic ").words, ["from"]);
        let scope = expected(dialogue, "scope topic ");
        assert_eq!(scope.words, ["says", "unsaid"]);
        assert!(expected(dialogue, "topic from ").rules.contains(&"label"));
        let check = expected(StatementBlock::Other(BlockKind::Constraint), "check count(word) ");
        assert!(check.words.contains(&"and".to_owned()), "{check:?}");
        let every = expected(StatementBlock::Other(BlockKind::Constraint), "check every ");
        assert!(every.rules.contains(&"operand"), "{every:?}");
        assert_eq!(expected(dialogue, "topic of "), ExpectedNext::default());
    }
}
