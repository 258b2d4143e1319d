//! Which statements may begin a line, by place.

use super::BrokenIn;
use crate::parse::grammar::Rule;
use crate::statement::{self, BlockKind, BlockStatement, Statement};

/// The keywords that begin a statement in a block.
pub(super) fn keywords_of(place: BrokenIn) -> Vec<&'static str> {
    if let BrokenIn::In(rule) = place
        && let Some(block) = table_place(rule)
    {
        return statement::keywords_of(block);
    }
    let of_block = |block: BlockKind| {
        let rows = block.statements().filter(|row| row.statement != BlockStatement::Dialogues);
        let mut words: Vec<&str> = rows.map(|row| row.word).collect();
        words.sort_unstable();
        words
    };
    block_of(place).map_or_else(Vec::new, of_block)
}

/// The block in the table of statements that a rule parses.
pub(super) fn table_place(rule: Rule) -> Option<statement::StatementPlace> {
    Some(match rule {
        Rule::dialogue => statement::StatementPlace::Dialogue,
        Rule::flow => statement::StatementPlace::Flow,
        Rule::flow_stmt => statement::StatementPlace::Topics,
        Rule::turn => statement::StatementPlace::Turn,
        _ => return None,
    })
}

/// The block whose statements are in the other table.
fn block_of(place: BrokenIn) -> Option<BlockKind> {
    Some(match place {
        BrokenIn::Top => BlockKind::File,
        BrokenIn::In(Rule::group) => BlockKind::Group,
        BrokenIn::In(Rule::constraint) => BlockKind::Constraint,
        BrokenIn::In(Rule::test) => BlockKind::Test,
        BrokenIn::In(Rule::def | Rule::metric) => BlockKind::Function,
        BrokenIn::In(Rule::feed) => BlockKind::Feed,
        BrokenIn::In(Rule::scene) => BlockKind::Scene,
        BrokenIn::In(Rule::question) => BlockKind::Question,
        BrokenIn::In(Rule::evolve_rules) => BlockKind::Evolution,
        BrokenIn::In(Rule::release) => BlockKind::Release,
        BrokenIn::In(Rule::audit) => BlockKind::Audit,
        BrokenIn::In(Rule::split) => BlockKind::Split,
        BrokenIn::In(_) => return None,
    })
}

/// The rule of the grammar that a row of a table names.
fn rule_named(name: &str) -> Option<Rule> {
    Rule::all_rules().iter().copied().find(|rule| format!("{rule:?}") == name)
}

pub(super) fn statement(place: BrokenIn, word: &str) -> Option<Rule> {
    if word == "allow" {
        return Some(Rule::allow);
    }
    if place == BrokenIn::In(Rule::release) && word.is_empty() {
        return Some(Rule::release_count);
    }
    if place == BrokenIn::In(Rule::benchmark) {
        return Some(Rule::benchmark_field);
    }
    if let BrokenIn::In(rule) = place
        && table_place(rule).is_some()
    {
        // Any statement is accepted in any of these blocks.
        let mut rows = statement::TABLE.iter().filter(|row| row.statement != Statement::Relation);
        return rule_named(rows.find(|row| row.word == word)?.rule);
    }
    let row = block_of(place)?.statements().find(|row| row.word == word)?;
    if row.statement == BlockStatement::Dialogues { None } else { rule_named(row.rule) }
}

/// The block that a misplaced statement belongs to.
pub(super) fn owner(place: BrokenIn, word: &str) -> Option<Rule> {
    const BLOCKS: [Rule; 10] = [
        Rule::constraint,
        Rule::test,
        Rule::turn,
        Rule::flow_stmt,
        Rule::evolve_rules,
        Rule::feed,
        Rule::release,
        Rule::dialogue,
        Rule::split,
        Rule::audit,
    ];
    let knows = |block: &Rule| keywords_of(BrokenIn::In(*block)).contains(&word);
    let first = if place == BrokenIn::Top { Rule::dialogue } else { Rule::constraint };
    std::iter::once(first).chain(BLOCKS).find(knows)
}

/// The rule for one statement of a block and nothing after it.
pub(super) fn probe(block: Rule) -> Rule {
    match block {
        Rule::group => Rule::probe_group,
        Rule::constraint => Rule::probe_constraint,
        Rule::test => Rule::probe_test,
        Rule::feed => Rule::probe_feed,
        Rule::def | Rule::metric => Rule::probe_def,
        Rule::scene => Rule::probe_scene,
        Rule::question => Rule::probe_question,
        Rule::flow | Rule::turn | Rule::dialogue | Rule::flow_stmt => Rule::probe_stmt,
        Rule::evolve_rules => Rule::probe_evolve,
        Rule::release => Rule::probe_release,
        Rule::split => Rule::probe_split,
        Rule::audit => Rule::probe_audit,
        _ => Rule::probe_benchmark,
    }
}

pub(super) fn statements_help(place: BrokenIn) -> String {
    let words: Vec<String> = keywords_of(place).iter().map(|word| format!("`{word}`")).collect();
    match place {
        BrokenIn::Top => format!("an item begins with one of {}", words.join(", ")),
        BrokenIn::In(Rule::release) => {
            "write `150 dialogues of NAME`, or one of `every`, `keep`, `seed`, `cover`, `quota`, \
             `alike`, `anchors`"
                .to_owned()
        }
        BrokenIn::In(rule) => format!("{} takes {}", block_noun(rule), words.join(", ")),
    }
}

pub(super) fn block_noun(rule: Rule) -> &'static str {
    match rule {
        Rule::flow => "a flow",
        Rule::turn => "a turn",
        Rule::dialogue => "a dialogue",
        Rule::flow_stmt => "a flow of topics",
        Rule::benchmark => "a benchmark",
        rule => block_of(BrokenIn::In(rule)).map_or("this block", BlockKind::noun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_rule_of_the_grammar() {
        let rows = statement::TABLE.iter().map(|row| row.rule);
        for name in rows.chain(statement::BLOCK_TABLE.iter().map(|row| row.rule)) {
            assert!(rule_named(name).is_some(), "{name}");
        }
    }
}
