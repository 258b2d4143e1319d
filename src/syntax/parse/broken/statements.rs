//! Which statements may begin a line, by place.

use super::BrokenIn;
use crate::syntax::parse::grammar::Rule;
use crate::syntax::statement::{self, BlockKind, BlockStatement, Statement};

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

/// The rule that parses a statement of the table.
pub(super) fn rule_of(statement: Statement) -> Rule {
    match statement {
        Statement::Topic => Rule::topic,
        Statement::Style => Rule::style,
        Statement::Constraints => Rule::constraints,
        Statement::Start => Rule::start,
        Statement::Scope => Rule::scope,
        Statement::Evolve => Rule::evolve,
        Statement::Redraw => Rule::redraw,
        Statement::Impose | Statement::Since | Statement::Called | Statement::Spoken => {
            Rule::impose
        }
        Statement::Priority => Rule::priority,
        Statement::Patience => Rule::patience,
        Statement::End => Rule::end,
        Statement::Endless => Rule::endless,
        Statement::System => Rule::system,
        Statement::Param => Rule::param_stmt,
        Statement::Let => Rule::let_item,
        Statement::Templates => Rule::templates_from,
        Statement::Context => Rule::context,
        Statement::Sample => Rule::sample,
        Statement::Retry => Rule::retry,
        Statement::Repeat => Rule::repeat,
        Statement::Judge => Rule::judge_by,
        Statement::JudgeHistory => Rule::judge_history,
        Statement::JudgeSees => Rule::judge_sees,
        Statement::Facts => Rule::facts,
        Statement::Weigh => Rule::weigh,
        Statement::Report => Rule::report,
        Statement::Records | Statement::Over => Rule::over_other,
        Statement::Variant => Rule::variant,
        Statement::Topics | Statement::Flow => Rule::flow_stmt,
        Statement::Turn | Statement::Relation => Rule::turn,
        Statement::For | Statement::ImposeLoop => Rule::for_stmt,
        Statement::Ask => Rule::ask,
        Statement::Show | Statement::ToolMessage => Rule::show,
        Statement::Part => Rule::part,
        Statement::Require => Rule::require,
        Statement::Observe => Rule::observe,
        Statement::Expect => Rule::expect,
        Statement::Void => Rule::void,
        Statement::Answer => Rule::answer,
        Statement::Reply => Rule::reply,
        Statement::Class => Rule::class,
        Statement::Stay => Rule::stay,
        Statement::Switch => Rule::switch,
        Statement::When | Statement::Branch => Rule::when_stmt,
        Statement::Until => Rule::until,
    }
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
        BrokenIn::In(Rule::split) => BlockKind::Split,
        BrokenIn::In(_) => return None,
    })
}

/// The rule that parses a statement of the other table.
fn rule_in_block(statement: BlockStatement) -> Rule {
    use BlockStatement as Of;
    match statement {
        Of::Edition => Rule::edition,
        Of::Benchmark => Rule::benchmark,
        Of::Use => Rule::use_item,
        Of::Import => Rule::import,
        Of::Let => Rule::let_item,
        Of::Def => Rule::def,
        Of::Metric => Rule::metric,
        Of::Tags => Rule::tags,
        Of::Group => Rule::group,
        Of::Constraint => Rule::constraint,
        Of::Test => Rule::test,
        Of::Mask => Rule::mask,
        Of::Feed => Rule::feed,
        Of::Scene => Rule::scene,
        Of::Flow => Rule::flow,
        Of::Dialogue => Rule::dialogue,
        Of::Split => Rule::split,
        Of::Release => Rule::release,
        Of::Say => Rule::say,
        Of::Change => Rule::change,
        Of::Withdraw => Rule::withdraw,
        Of::Check => Rule::check,
        Of::Judge => Rule::judge_stmt,
        Of::Applies => Rule::applies,
        Of::EvolveList => Rule::evolve_list,
        Of::Excludes => Rule::excludes,
        Of::Weight => Rule::weight,
        Of::Relation => Rule::means,
        Of::Tag => Rule::tag_stmt,
        Of::Alias => Rule::alias,
        Of::OwnTest => Rule::test_here,
        Of::Pass | Of::Fail | Of::Prompt | Of::Reply => Rule::case,
        Of::Return => Rule::return_stmt,
        Of::Read => Rule::read,
        Of::Simulate => Rule::simulate,
        Of::Column => Rule::column,
        Of::Order => Rule::order,
        Of::Periods => Rule::periods,
        Of::Param => Rule::param_stmt,
        Of::Draw => Rule::draw,
        Of::For => Rule::scene_for,
        Of::Question => Rule::question,
        Of::QuestionAsk => Rule::question_ask,
        Of::QuestionAnswer => Rule::answer,
        Of::Add | Of::Modify | Of::Drop | Of::New | Of::Backtrack => Rule::way,
        Of::When => Rule::guard,
        Of::Dialogues => Rule::release_count,
        Of::Every => Rule::release_every,
        Of::Keep => Rule::release_keep,
        Of::Seed => Rule::release_seed,
        Of::Cover => Rule::release_cover,
        Of::Quota => Rule::release_quota,
        Of::Alike => Rule::release_alike,
        Of::Anchors => Rule::release_anchors,
        Of::Groups => Rule::split_groups,
        Of::Topics => Rule::split_topics,
        Of::Styles => Rule::split_styles,
        Of::Templates => Rule::templates_from,
        Of::Words => Rule::split_words,
        Of::Flows => Rule::split_flows,
    }
}

pub(super) fn statement(place: BrokenIn, word: &str) -> Option<Rule> {
    if place == BrokenIn::In(Rule::release) && word.is_empty() {
        return Some(rule_in_block(BlockStatement::Dialogues));
    }
    if place == BrokenIn::In(Rule::benchmark) {
        return Some(Rule::benchmark_field);
    }
    if let BrokenIn::In(rule) = place
        && table_place(rule).is_some()
    {
        // Any statement is accepted in any of these blocks.
        let mut rows = statement::TABLE.iter().filter(|row| row.statement != Statement::Relation);
        return rows.find(|row| row.word == word).map(|row| rule_of(row.statement));
    }
    let row = block_of(place)?.statements().find(|row| row.word == word)?;
    (row.statement != BlockStatement::Dialogues).then(|| rule_in_block(row.statement))
}

/// The block that a misplaced statement belongs to.
pub(super) fn owner(place: BrokenIn, word: &str) -> Option<Rule> {
    const BLOCKS: [Rule; 9] = [
        Rule::constraint,
        Rule::test,
        Rule::turn,
        Rule::flow_stmt,
        Rule::evolve_rules,
        Rule::feed,
        Rule::release,
        Rule::dialogue,
        Rule::split,
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
