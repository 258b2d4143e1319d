//! Which statements may begin a line, by place.

use super::Place;
use crate::syntax::parse::grammar::Rule;
use crate::syntax::statement::{self, Statement};

/// The keywords that begin a statement in a block.
pub(super) fn words(place: Place) -> Vec<&'static str> {
    match place {
        Place::In(rule) if let Some(block) = table_place(rule) => statement::words(block),
        _ => statements(place).iter().map(|(word, _)| *word).collect(),
    }
}

/// The block in the table of statements that a rule parses.
pub(super) fn table_place(rule: Rule) -> Option<statement::Place> {
    Some(match rule {
        Rule::dialogue => statement::Place::Dialogue,
        Rule::flow => statement::Place::Flow,
        Rule::flow_stmt => statement::Place::Topics,
        Rule::turn => statement::Place::Turn,
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
        Statement::Impose | Statement::Since => Rule::impose,
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
        Statement::Facts => Rule::facts,
        Statement::Weigh => Rule::weigh,
        Statement::Report => Rule::report,
        Statement::Records | Statement::Over => Rule::over_other,
        Statement::Variant => Rule::variant,
        Statement::Topics | Statement::Flow => Rule::flow_stmt,
        Statement::Turn | Statement::Relation => Rule::turn,
        Statement::For => Rule::for_stmt,
        Statement::Ask => Rule::ask,
        Statement::Show => Rule::show,
        Statement::Part => Rule::part,
        Statement::Require => Rule::require,
        Statement::Expect => Rule::expect,
        Statement::Void => Rule::void,
        Statement::Answer => Rule::answer,
        Statement::Class => Rule::class,
        Statement::Stay => Rule::stay,
        Statement::Switch => Rule::switch,
        Statement::When => Rule::topic_when,
        Statement::Until => Rule::until,
    }
}

/// The keywords of statements that are not in the table, with their rules.
pub(super) fn statements(place: Place) -> &'static [(&'static str, Rule)] {
    match place {
        Place::Top => &[
            ("benchmark", Rule::benchmark),
            ("constraint", Rule::constraint),
            ("def", Rule::def),
            ("dialogue", Rule::dialogue),
            ("feed", Rule::feed),
            ("flow", Rule::flow),
            ("group", Rule::group),
            ("ifs", Rule::edition),
            ("import", Rule::import),
            ("let", Rule::let_item),
            ("mask", Rule::mask),
            ("release", Rule::release),
            ("scene", Rule::scene),
            ("split", Rule::split),
            ("tags", Rule::tags),
            ("test", Rule::test),
            ("use", Rule::use_item),
        ],
        Place::In(Rule::group) => &[("constraint", Rule::constraint), ("test", Rule::test)],
        Place::In(Rule::constraint) => &[
            ("alias", Rule::alias),
            ("applies", Rule::applies),
            ("change", Rule::change),
            ("check", Rule::check),
            ("evolve", Rule::evolve_list),
            ("excludes", Rule::excludes),
            ("judge", Rule::judge_stmt),
            ("relation", Rule::means),
            ("say", Rule::say),
            ("tag", Rule::tag_stmt),
            ("test", Rule::test_here),
            ("weight", Rule::weight),
            ("withdraw", Rule::withdraw),
        ],
        Place::In(Rule::test) => &[
            ("fail", Rule::case),
            ("pass", Rule::case),
            ("prompt", Rule::case),
            ("reply", Rule::case),
        ],
        Place::In(Rule::def) => &[("let", Rule::let_item), ("return", Rule::return_stmt)],
        Place::In(Rule::feed) => &[
            ("column", Rule::column),
            ("order", Rule::order),
            ("periods", Rule::periods),
            ("read", Rule::read),
            ("simulate", Rule::simulate),
        ],
        Place::In(Rule::scene) => &[
            ("draw", Rule::draw),
            ("for", Rule::scene_for),
            ("let", Rule::let_item),
            ("param", Rule::param_stmt),
            ("question", Rule::question),
        ],
        Place::In(Rule::question) => &[
            ("answer", Rule::answer),
            ("ask", Rule::question_ask),
            ("let", Rule::let_item),
            ("param", Rule::param_stmt),
        ],
        Place::In(Rule::evolve_rules) => {
            &[("add", Rule::way), ("drop", Rule::way), ("modify", Rule::way), ("when", Rule::guard)]
        }
        Place::In(Rule::release) => &[
            ("alike", Rule::release_alike),
            ("anchors", Rule::release_anchors),
            ("cover", Rule::release_cover),
            ("keep", Rule::release_keep),
            ("quota", Rule::release_quota),
            ("seed", Rule::release_seed),
        ],
        Place::In(Rule::split) => &[
            ("flows", Rule::split_flows),
            ("groups", Rule::split_groups),
            ("styles", Rule::split_styles),
            ("templates", Rule::templates_from),
            ("topics", Rule::split_topics),
            ("words", Rule::split_words),
        ],
        Place::In(Rule::benchmark) => &[],
        Place::In(_) => &[],
    }
}

pub(super) fn statement(place: Place, word: &str) -> Option<Rule> {
    if place == Place::In(Rule::release) && word.is_empty() {
        return Some(Rule::release_count);
    }
    if place == Place::In(Rule::benchmark) {
        return Some(Rule::benchmark_field);
    }
    if let Place::In(rule) = place
        && table_place(rule).is_some()
    {
        // Any statement is accepted in any of these blocks.
        let mut rows = statement::TABLE.iter().filter(|row| row.statement != Statement::Relation);
        return rows.find(|row| row.word == word).map(|row| rule_of(row.statement));
    }
    statements(place).iter().find(|(known, _)| *known == word).map(|(_, rule)| *rule)
}

/// The block that a misplaced statement belongs to.
pub(super) fn owner(place: Place, word: &str) -> Option<Rule> {
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
    let knows = |block: &Rule| words(Place::In(*block)).contains(&word);
    let first = if place == Place::Top { Rule::dialogue } else { Rule::constraint };
    std::iter::once(first).chain(BLOCKS).find(knows)
}

/// The rule for one statement of a block and nothing after it.
pub(super) fn probe(block: Rule) -> Rule {
    match block {
        Rule::group => Rule::probe_group,
        Rule::constraint => Rule::probe_constraint,
        Rule::test => Rule::probe_test,
        Rule::feed => Rule::probe_feed,
        Rule::def => Rule::probe_def,
        Rule::scene => Rule::probe_scene,
        Rule::question => Rule::probe_question,
        Rule::flow | Rule::turn | Rule::dialogue | Rule::flow_stmt => Rule::probe_stmt,
        Rule::evolve_rules => Rule::probe_evolve,
        Rule::release => Rule::probe_release,
        Rule::split => Rule::probe_split,
        _ => Rule::probe_benchmark,
    }
}

pub(super) fn statements_help(place: Place) -> String {
    let words: Vec<String> = words(place).iter().map(|word| format!("`{word}`")).collect();
    match place {
        Place::Top => format!("an item begins with one of {}", words.join(", ")),
        Place::In(Rule::release) => {
            "write `150 dialogues of NAME`, or one of `keep`, `seed`, `cover`, `quota`, `alike`, \
             `anchors`"
                .to_owned()
        }
        Place::In(rule) => format!("{} takes {}", block_noun(rule), words.join(", ")),
    }
}

pub(super) fn block_noun(rule: Rule) -> &'static str {
    match rule {
        Rule::group => "a group",
        Rule::constraint => "a constraint",
        Rule::test => "a test",
        Rule::feed => "a feed",
        Rule::def => "a function",
        Rule::scene => "a scene",
        Rule::question => "a question",
        Rule::flow => "a flow",
        Rule::turn => "a turn",
        Rule::dialogue => "a dialogue",
        Rule::flow_stmt => "a flow of topics",
        Rule::evolve_rules => "an evolution",
        Rule::release => "a release",
        Rule::split => "a split",
        Rule::benchmark => "a benchmark",
        _ => "this block",
    }
}
