//! The form of each statement, for the help of diagnostics.

use super::grammar::Rule;
use crate::statement::{BLOCK_TABLE, TABLE};

/// What to write for the statement or item that a rule parses.
pub(super) fn help(rule: Rule) -> Option<String> {
    let of_row = || {
        let name = format!("{rule:?}");
        let rows = TABLE.iter().map(|row| (row.rule, row.form));
        let mut rows = rows.chain(BLOCK_TABLE.iter().map(|row| (row.rule, row.form)));
        rows.find(|(rule, _)| *rule == name).map(|(_, form)| format!("write `{form}`"))
    };
    form(rule).map(str::to_owned).or_else(of_row)
}

/// A form with more than its row has: alternatives, an example.
pub(super) fn form(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::allow => {
            "write `allow CODE because \"REASON\"` on one line above what is warned of, such as \
             `allow trivial-constraint because \"it only counts\"`"
        }
        Rule::benchmark => "write `benchmark NAME { version \"1.0.0\" }`",
        Rule::benchmark_field => "write a name and a string, such as `version \"1.0.0\"`",
        Rule::use_item => "write `use std.NAME`, `use std.NAME.*` or `use std.NAME as NAME`",
        Rule::import => "write `import NAME \"FILE\"`",
        Rule::let_item => "write `let NAME = EXPRESSION`",
        Rule::def => {
            "write `def NAME(NAME, NAME: TYPE) { let NAME = EXPRESSION  return EXPRESSION }`"
        }
        Rule::metric => {
            "write `metric NAME of dialogue { let NAME = EXPRESSION  return EXPRESSION }`"
        }
        Rule::return_stmt => "write `return EXPRESSION`",
        Rule::tags => "write `tags NAME { NAME, NAME { NAME } }`",
        Rule::constraint => {
            "write `constraint NAME(PARAMETER: DOMAIN, …) { … }`; \
             a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, \
             `scene NAME` or a type"
        }
        Rule::param_stmt => {
            "write `param NAME: DOMAIN`; \
             a domain is `int in 1..=9 step 2`, `one_of [\"a\", \"b\"]`, `one_of LIST`, `2 of LIST`, \
             `scene NAME` or a type"
        }
        Rule::test => "write `test NAME(ARGUMENT: VALUE) { pass \"…\"  fail \"…\" }`",
        Rule::test_here => "write `test(ARGUMENT: VALUE) { pass \"…\"  fail \"…\" }`",
        Rule::case => "write the word and a string, such as `pass \"one two\"`",
        Rule::mask => "write `mask PARAMETERS against PARAMETERS`",
        Rule::feed => "write `feed NAME { read NAME \"FILES\" }`",
        Rule::read => "write `read FORMAT \"FILES\"`",
        Rule::column => {
            "write `column NAME: TYPE`, `column NAME: TYPE from \"HEADING\"` or \
             `column NAME: TYPE = EXPRESSION`"
        }
        Rule::simulate => {
            "write `simulate basketball 20`, or `simulate hockey 20 with overtime seed 7`"
        }
        Rule::periods => "write `periods 4`, or `periods 4 of \"12:00\" then \"5:00\"`",
        Rule::order => "write `order by COLUMN, COLUMN`",
        Rule::scene => {
            "write `scene NAME WIDTH by HEIGHT { … }`, such as `scene shelf 480 by 360 { … }`"
        }
        Rule::draw => "write `draw rect { x: 0, y: 0, width: 9, height: 9, fill: \"red\" }`",
        Rule::question => "write `question NAME { ask \"…\"  answer \"…\" }`",
        Rule::question_ask => "write `ask \"…\"`, or several strings with commas between",
        Rule::flow => "write `flow NAME { turn NAME  turn NAME follows NAME }`",
        Rule::flow_stmt => {
            "write `flow { … }`, `flow NAME`, `flow one_of [NAME, NAME]` or `flow one_of [NAME 60%, NAME 40%]`"
        }
        Rule::turn => {
            "write `turn NAME { … }` or `turn NAME follows NAME and recalls NAME { … }`; the \
             relations are `follows`, `recalls`, `refines`, `expands`, `summarizes`, `unrelated`"
        }
        Rule::dialogue => "write `dialogue NAME { … }` or `dialogue NAME over LIST as NAME { … }`",
        Rule::split => "write `split NAME { groups NAMES  topics from BANK where CONDITION }`",
        Rule::split_groups => "write `groups NAMES` or `groups NAMES with NAMES`",
        Rule::split_topics => "write `topics from BANK where CONDITION`",
        Rule::split_styles => "write `styles from BANK where CONDITION`",
        Rule::split_words => "write `words \"…\"`, with commas between several",
        Rule::split_flows => "write `flows NAMES`",
        Rule::release => "write `release { 150 dialogues of NAME }`",
        Rule::release_count => "write `150 dialogues of NAME`",
        Rule::release_keep => "write `keep where CONDITION`",
        Rule::release_seed => "write `seed NUMBER`",
        Rule::release_cover => {
            "write `cover pairs of groups at least 5 times`, or `constraints`, `groups`, `moves`, \
             `relations`, `styles` or `topics` for the pairs"
        }
        Rule::release_quota => {
            "write `quota at most 20 dialogues with group NAME` or `… with each topic`"
        }
        Rule::release_alike => "write `alike at most 80%`",
        Rule::release_anchors => "write `anchors 20`",
        Rule::audit => "write `audit { minds FORM in NAME because \"…\" }`",
        Rule::audit_limit => {
            "write `limit changed 0%`, `limit evaded 0%`, `limit golden 0%` or `limit floor 5%`"
        }
        Rule::audit_minds => "write `minds FORM, FORM in NAME because \"…\"`",
        Rule::audit_tolerates => "write `tolerates FORM, FORM in NAME`",
        Rule::audit_floor => "write `floor 50% of ANSWER in NAME because \"…\"`",
        Rule::say => "write `say \"…\"`, or several strings with commas between",
        Rule::change => "write `change \"…\"`, or several strings with commas between",
        Rule::withdraw => "write `withdraw \"…\"`, or several strings with commas between",
        Rule::check => "write `check CONDITION`, such as `check count(word) >= 50`",
        Rule::judge_stmt => {
            "write `judge \"QUESTION?\"` or `judge rubric \"TEXT\"`, with a scale after it \
             if a mark is wanted: `judge \"QUESTION?\" scale 1..=10 pass > 6`"
        }
        Rule::alias => {
            "write `alias \"NAME\"`, or `alias \"NAME\" (PARAMETER: given.FIELD) when CONDITION`"
        }
        Rule::applies => "write `applies when CONDITION`",
        Rule::evolve_list => "write `evolve PARAMETER { add 1..=2  drop 1 }`",
        Rule::excludes => "write `excludes NAME, NAME`",
        Rule::means => "write `relation refines`, or another relation between turns",
        Rule::weight => "write `weight NUMBER`",
        Rule::tag_stmt => "write `tag NAME, NAME.NAME`",
        Rule::ask => "write `ask \"…\"` or `ask template \"FILE\"`",
        Rule::show => {
            "write `show EXPRESSION`, or `show TEXT by tool \"NAME\"` for a tool's message"
        }
        Rule::part => "write `part NAME: list \"WHAT IT IS\"` or `part NAME: text \"WHAT IT IS\"`",
        Rule::require => {
            "write `require NAME CONDITION …`, `require NAME judge \"QUESTION?\" …` (with `pass == TEXT` \
             or `scale 1..=5 pass >= 4` after the question) or `require NAME fits { SCHEMA } …`, with the clauses `say \"…\"`, `after NAME, NAME`, `tag NAME, NAME` and `weigh N` in this order after it"
        }
        Rule::answer => "write `answer \"…\"`",
        Rule::reply => "write `reply \"…\"`",
        Rule::expect => "write `expect POINTS \"FACT\"`, such as `expect 0.5 \"Lyon won\"`",
        Rule::void => "write `void \"WHAT MAKES THE ANSWER WORTH NOTHING\"`",
        Rule::for_stmt | Rule::scene_for => {
            "write `for NAME in LIST { … }`; around turns also `for NAME in LIST by (CHECK) { … }`"
        }
        Rule::impose => {
            "write `impose COUNT new group from NAME scope NAME by SPEAKER against SPEAKER case TEXT \
             with probability NUMBER applies when CONDITION`, or `impose NAME(PARAMETER: VALUE) …` for one constraint, or \
             `impose called NAME given RECORD from MODULE unsaid …` for one of published data, with \
             `from turn NUMBER` before it; clauses may be left out, the order stays"
        }
        Rule::topic => "write `topic from NAME` or `topic from NAME where CONDITION`",
        Rule::style => "write `style from NAME` or `style from NAME where CONDITION`",
        Rule::constraints => "write `constraints from NAME, NAME`",
        Rule::start => "write `start with 1 constraint`",
        Rule::scope => {
            "write `scope turn`, `scope dialogue` or `scope topic`, with `says \"…\"` or `unsaid` after the last"
        }
        Rule::endless => "write `endless` alone: the dialogue may go on without a bound",
        Rule::stay => "write `stay at least 4 turns`",
        Rule::switch => "write `switch 80% { new 40%  backtrack 60% }`",
        Rule::until => "write `until CONDITION`, such as `until topics == 3`",
        Rule::when_stmt => {
            "write `when NAME { turn … } else { turn … }` around turns, or in a flow of topics \
             `when CONDITION { stay at least 4 turns  switch 80% }`"
        }
        Rule::observe => "write `observe NAME CONDITION` or `observe NAME judge \"QUESTION?\"`",
        Rule::evolve => "write `evolve one per turn { add 50%  modify 40%  drop 10% }`",
        Rule::weighted => "write a change with its share, such as `add 50%`",
        Rule::guard => "write `when CONDITION { add 50%  modify 50% }`",
        Rule::priority => "write `priority system > user > tool`, or two of them",
        Rule::patience => "write `patience NUMBER`",
        Rule::end => "write `end when CONDITION`",
        Rule::retry => "write `retry up to 3 rounds with feedback`, or `… with feedback as fresh`",
        Rule::context => "write `context golden` or `context own`",
        Rule::overflow => "write `overflow missed` or `overflow omitted`",
        Rule::judge_sees => "write `judge sees system, history, message, answer`, or fewer of them",
        Rule::judge_history => "write `judge history all` or `judge history NUMBER`",
        Rule::weigh => "write `weigh NAME NUMBER, NAME NUMBER`",
        Rule::report => "write `report NAME, NAME` or `report NAME by EXPRESSION`",
        Rule::sample => "write `sample NUMBER`",
        Rule::system => "write `system \"…\"` or `system template \"FILE\"`",
        Rule::templates_from => "write `templates from \"FILE\"`",
        Rule::over_other => "write `over NAME` in a variant; a dialogue has it after its name",
        _ => return None,
    })
}
