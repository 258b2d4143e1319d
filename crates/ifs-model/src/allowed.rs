//! Whether a value belongs to a domain: for arguments that are given instead of drawn.

use super::table::{Constraint, DecidedBy, Domain, Param};
use ifs_predicate::closed::compared_with_language;
use ifs_predicate::evaluate::{TextContext, Variables, evaluate};
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_text::{NOTHING, known_languages, language_code};

/// The maximum number of values that are listed.
const MAX_LISTED_VALUES: usize = 8;

/// A description of the allowed values of a parameter if the value is not one of them.
pub fn unfit(
    constraint: &Constraint,
    param: &Param,
    value: &Value,
    vars: &dyn Variables,
) -> Option<String> {
    let language = || {
        let DecidedBy::Rule(check) = &constraint.by else { return None };
        let is_language = compared_with_language(check).contains(&param.name);
        is_language.then(|| unknown_language(value)).flatten()
    };
    allowed(&param.domain, value, vars).or_else(language)
}

/// What to write instead of a language that no text is identified as.
pub fn unknown_language(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    if known_languages().contains(&text) {
        return None;
    }
    Some(match language_code(text) {
        Some(code) => format!("the ISO 639-1 code of a language: `{code}`"),
        None => format!("one of the codes {}", known_languages().join(", ")),
    })
}

/// A description of the allowed values if the value is not one of them; `None` if it is, or if the
/// domain is not known yet.
pub fn allowed(domain: &Domain, value: &Value, vars: &dyn Variables) -> Option<String> {
    let known = |tree: &Tree| evaluate(tree, &TextContext { it: &NOTHING, variables: vars }).ok();
    let range = |low: &Value, high: &Value, step: &Value, one: &str| match step.to_string() {
        step if step == one => format!("from {low} to {high}"),
        step => format!("from {low} to {high} in steps of {step}"),
    };
    match domain {
        Domain::Int { low, high, step } => {
            let (from, to, by) = (known(low)?, known(high)?, known(step)?);
            let (low, high, step) = (from.as_int()?, to.as_int()?, by.as_int()?.max(1));
            let number = value.as_int()?;
            let within = (low..=high).contains(&number)
                && (i128::from(number) - i128::from(low)) % i128::from(step) == 0;
            (!within).then(|| range(&from, &to, &by, "1"))
        }
        // Any fraction between the ends is allowed; only drawing uses the steps.
        Domain::Float { low, high, .. } => {
            let (from, to) = (known(low)?, known(high)?);
            let number = number_of(value)?;
            let within = (number_of(&from)?..=number_of(&to)?).contains(&number);
            (!within).then(|| format!("from {from} to {to}"))
        }
        Domain::Choices(choices) => {
            let all: Option<Vec<Value>> = choices.iter().map(|(tree, _)| known(tree)).collect();
            unlisted_value(value, &all?)
        }
        Domain::OneOf(list) => unlisted_value(value, known(list)?.as_list()?),
        Domain::Some { low, high, of, .. } => {
            let (low, high, of) = (known(low)?.as_int()?, known(high)?.as_int()?, known(of)?);
            let (of, members) = (of.as_list()?, value.as_list()?);
            let plain: Vec<&Value> =
                members.iter().map(|member| member.field("value").unwrap_or(member)).collect();
            let many = i64::try_from(plain.len()).is_ok_and(|many| (low..=high).contains(&many));
            let different = plain.iter().enumerate().all(|(at, one)| !plain[..at].contains(one));
            if let Some(other) = plain.iter().find(|member| !of.contains(member)) {
                return unlisted_value(other, of)
                    .map(|words| format!("a list of members each of which is {words}"));
            }
            let number = if low == high { low.to_string() } else { format!("{low} to {high}") };
            (!many || !different).then(|| format!("a list of {number} different members"))
        }
        Domain::Window { within, .. } => {
            let within = known(within)?;
            let (within, members) = (within.as_list()?, value.as_list()?);
            let stretch = members.is_empty()
                || within.windows(members.len()).any(|stretch| stretch == members);
            (!stretch).then(|| "consecutive members of its list".to_owned())
        }
        Domain::Scene(_) | Domain::Given => None,
    }
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// A value in the notation of a scenario.
pub fn notation(value: &Value) -> String {
    print(&Tree::without_place(Node::Value(value.clone())))
}

fn unlisted_value(value: &Value, all: &[Value]) -> Option<String> {
    if all.contains(value) {
        return None;
    }
    let shown: Vec<String> =
        all.iter().take(MAX_LISTED_VALUES).map(|value| format!("`{}`", notation(value))).collect();
    let more = if all.len() > MAX_LISTED_VALUES { ", …" } else { "" };
    Some(match all.len() {
        0 => "one of none: its list is empty here".to_owned(),
        1 => shown.join(""),
        _ => format!("one of {}{more}", shown.join(", ")),
    })
}
