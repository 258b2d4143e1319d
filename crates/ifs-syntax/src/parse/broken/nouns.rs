//! What the parser expected, in words.

use crate::parse::grammar::Rule;

/// `a name, `{` or `step``: what was expected, most likely first. `before` is the text before it.
pub(super) fn nouns(expected: &[Rule], before: &str) -> String {
    if let [Rule::k_where] = expected {
        return "`where`".to_owned();
    }
    let mut nouns: Vec<String> = expected.iter().filter_map(|rule| noun(*rule)).collect();
    nouns.sort();
    nouns.dedup();
    // Expressions can begin and continue in many ways, so both are left out.
    let drop = |nouns: &mut Vec<String>, all: &[&str]| {
        if nouns.iter().any(|noun| !all.contains(&noun.as_str())) {
            nouns.retain(|noun| !all.contains(&noun.as_str()));
        }
    };
    if nouns.iter().any(|noun| noun == EXPRESSION) {
        let begins =
            ["`not`", "`if`", "`(`", "`[`", "`{`", "`every`", "`some`", "`no`", "`at_least`"];
        drop(&mut nouns, &begins);
        drop(&mut nouns, &["`at_most`", "`exactly`", "`template`", "a string", "a name"]);
        drop(&mut nouns, &["a whole number", "a share such as `40%`"]);
    }
    drop(&mut nouns, &["`not`", "`(`", "`[`"]);
    // `:` may follow any operand; only a quantifier requires it.
    if expected.iter().any(|rule| is_operator(*rule)) && !awaits_colon(before) {
        nouns.retain(|noun| !["`:`", "`not`", "`(`", "`[`"].contains(&noun.as_str()));
    }
    if nouns.iter().any(|noun| noun == "`:`") {
        drop(&mut nouns, &["a string"]);
    }
    if nouns.iter().any(|noun| noun == "`)`" || noun == "`]`") {
        drop(&mut nouns, &["`:`"]);
    }
    let closers = ["`)`", "`]`", "`}`"];
    if nouns.len() > 5 && nouns.iter().any(|noun| closers.contains(&noun.as_str())) {
        nouns.retain(|noun| closers.contains(&noun.as_str()) || noun == "`,`");
    }
    if nouns.is_empty() && expected.iter().any(|rule| is_operator(*rule)) {
        nouns.push(OPERATOR.to_owned());
    }
    if nouns.len() > 5 {
        return String::new();
    }
    match nouns.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

pub(super) const EXPRESSION: &str = "an expression";
pub(super) const OPERATOR: &str = "an operator";

/// The position of the innermost block on the line that is still open at its end. Braces in strings
/// do not count.
pub(super) fn last_open_bracket(line: &str) -> Option<usize> {
    let mut open = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if !escaped => in_string = !in_string,
            '{' if !in_string => open.push(at),
            '}' if !in_string => {
                open.pop();
            }
            _ => {}
        }
        escaped = in_string && letter == '\\' && !escaped;
    }
    open.pop()
}

/// Whether a quantifier on the last line still lacks its `:`.
pub(super) fn awaits_colon(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or("");
    let behind = line.rsplit(':').next().unwrap_or("");
    let mut words = behind.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.any(|word| matches!(word, "every" | "some" | "no" | "at_least" | "at_most" | "exactly"))
}

/// The start of a common mistake before the position of the syntax error: `->` is first parsed as a
/// minus, and `return` as a name.
pub(super) fn habit_before(text: &str, start: usize, at: usize) -> (usize, &str) {
    let before = text.get(..at - start).unwrap_or("");
    let rest = text.get(at - start..).unwrap_or("");
    let last = before.len().saturating_sub(1);
    if ["->", "<>"].iter().any(|sign| text.get(last..).is_some_and(|text| text.starts_with(sign))) {
        return (start + last, text.get(last..).unwrap_or(rest));
    }
    let read = before.trim_end();
    let returns = read.strip_suffix("return").is_some_and(|read| read.ends_with(' '));
    let from = read.len().saturating_sub("return".len());
    match text.get(from..).filter(|_| returns) {
        Some(from_return) => (start + from, from_return),
        None => (at, rest),
    }
}

pub(super) fn is_operator(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::k_where
            | Rule::k_each
            | Rule::k_or
            | Rule::k_and
            | Rule::k_in
            | Rule::not_in
            | Rule::compare_sign
            | Rule::range_sign
            | Rule::plus
            | Rule::hyphen
            | Rule::times
            | Rule::divide
            | Rule::remainder
            | Rule::otherwise
            | Rule::open_range
            | Rule::minus
            | Rule::upto
            | Rule::method
            | Rule::field
            | Rule::index
            | Rule::dot
            | Rule::star
            | Rule::optional
    )
}

/// The author's term for a rule; `None` for rules that would only lengthen a message.
pub(super) fn noun(rule: Rule) -> Option<String> {
    if is_operator(rule)
        || matches!(
            rule,
            Rule::broken
                | Rule::broken_text
                | Rule::broken_block
                | Rule::EOI
                | Rule::docs
                | Rule::doc
                | Rule::allow
                | Rule::k_allow
        )
    {
        return None;
    }
    let fixed = match rule {
        Rule::open => "`{`",
        Rule::close => "`}`",
        Rule::paren | Rule::args | Rule::params | Rule::def_params => "`(`",
        Rule::unparen => "`)`",
        Rule::bracket => "`[`",
        Rule::unbracket => "`]`",
        Rule::colon => "`:`",
        Rule::comma => "`,`",
        Rule::equals => "`=`",
        Rule::label | Rule::name | Rule::turn_name | Rule::binder => "a name",
        Rule::path | Rule::paths | Rule::labels | Rule::flow_choice => "a name",
        Rule::string | Rule::plain_string | Rule::block_string | Rule::texts => "a string",
        Rule::int => "a whole number",
        Rule::percent => "a share such as `40%`",
        Rule::r#type | Rule::domain => "a type or a domain",
        Rule::choices | Rule::list => "a list in `[ ]`",
        Rule::expr
        | Rule::operand
        | Rule::group_expr
        | Rule::needle
        | Rule::units
        | Rule::call
        | Rule::record
        | Rule::regex
        | Rule::truth
        | Rule::it
        | Rule::float
        | Rule::quantified
        | Rule::conditional
        | Rule::arg
        | Rule::words
        | Rule::unit
        | Rule::needle_kind
        | Rule::primary
        | Rule::quantifier => EXPRESSION,
        Rule::relations | Rule::relation => "a relation",
        Rule::stmts
        | Rule::test_body
        | Rule::evolve_rules
        | Rule::weighted_list
        | Rule::bank_fields => "`{`",
        Rule::weighted | Rule::weighted_word => "a change or move such as `add 50%`",
        Rule::part_shape => "`list` or `text`",
        Rule::case | Rule::case_word => "`pass`, `fail`, `prompt` or `reply`",
        Rule::benchmark_field => "a name",
        Rule::group_member
        | Rule::constraint_stmt
        | Rule::def_stmt
        | Rule::feed_stmt
        | Rule::scene_stmt
        | Rule::question_stmt
        | Rule::stmt
        | Rule::guard
        | Rule::split_stmt
        | Rule::release_stmt
        | Rule::audit_stmt => "a statement",
        rule if rule.is_keyword() => {
            let name = format!("{rule:?}");
            return Some(format!("`{}`", name.trim_start_matches("k_")));
        }
        other => return Some(format!("`{other:?}`").replace('_', " ")),
    };
    Some(fixed.to_owned())
}
