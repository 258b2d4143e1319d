//! What a check asks for, in words: `have at least 50 words`, `start with "S"`.

use super::excerpt;
use super::wording::{Wording, fill};
use crate::predicate::evaluate::Env;
use crate::predicate::functions::shapes;
use crate::predicate::operand::{Bounds, Operand};
use crate::predicate::print::print;
use crate::predicate::tree::{CompareOp, Node, Quantified, Quantifier, Tree};

/// What must be done for a tree to hold, or not to.
pub(super) fn demand<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    words: &Wording,
    wanted: bool,
) -> String {
    let satisfy = || {
        let demand = fill(&words.satisfy, &[("check", &code(tree))]);
        words.wanted(demand, wanted)
    };
    match &tree.node {
        Node::Not(inner) => demand(inner, env, words, !wanted),
        Node::And(parts) | Node::Or(parts) => {
            let and = matches!(tree.node, Node::And(_)) == wanted;
            let parts: Vec<String> =
                parts.iter().map(|part| demand(part, env, words, wanted)).collect();
            parts.join(if and { &words.and } else { &words.or })
        }
        Node::If(condition, then, otherwise) => match (env.truth(condition), otherwise) {
            (Ok(true), _) => demand(then, env, words, wanted),
            (Ok(false), Some(otherwise)) => demand(otherwise, env, words, wanted),
            _ => satisfy(),
        },
        Node::Compare(..) | Node::Within(..) => match asked_amount(tree, env, words, wanted) {
            Some((measure, amount, one)) => amounted(measure, &amount, one, env, words),
            None => satisfy(),
        },
        Node::Quantified(quantified) if wanted => {
            let every = every(quantified, env, words);
            let demand = demand(&quantified.body, env, words, true);
            fill(&words.have_every, &[("every", &every), ("demand", &demand)])
        }
        Node::At(subject, body) => {
            let label = label(subject, words);
            match env.operand(subject) {
                Ok(operand) => {
                    let demand = demand(body, &env.with_it(&operand), words, wanted);
                    fill(&words.have_every, &[("every", &label), ("demand", &demand)])
                }
                Err(_) => fill(&words.have, &[("label", &label)]),
            }
        }
        Node::Call(name, arguments) => {
            let demand = call_demand(name, arguments, env, words);
            demand.map_or_else(satisfy, |demand| words.wanted(demand, wanted))
        }
        _ => satisfy(),
    }
}

/// Of what measure how much is asked for, and whether it is one.
fn asked_amount<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    words: &Wording,
    wanted: bool,
) -> Option<(&'a Tree, String, bool)> {
    match &tree.node {
        Node::Compare(op, left, right) => {
            let (measure, op, bound) = if is_measure(left) || !is_measure(right) {
                (left, *op, right)
            } else {
                (right, op.turned(), left)
            };
            let op = if wanted { op } else { op.opposite() };
            let bound = shown(&env.operand(bound).ok()?);
            Some((measure, amount(op, &bound, words), bound == "1"))
        }
        Node::Within(left, right) => match env.operand(right) {
            Ok(Operand::Range(bounds)) => {
                let range = between(&bounds, words);
                let one = range == "1";
                Some((left, words.wanted(range, wanted), one))
            }
            _ => None,
        },
        _ => None,
    }
}

/// What must be of a measure that has no words but is printed, as it was when it was found: `be at
/// least 50%`.
pub(super) fn of_printed<'a>(
    tree: &'a Tree,
    env: &Env<'_, 'a>,
    words: &Wording,
    wanted: bool,
) -> Option<String> {
    let (measure, amount, one) = asked_amount(tree, env, words, wanted)?;
    let printed = !matches!(measure.node, Node::It) && counted(measure, env, words, one).is_none();
    printed.then(|| fill(&words.be_amount, &[("amount", &amount)]))
}

/// What a call asks for; nothing where it is best printed as it is.
fn call_demand<'a>(
    name: &str,
    arguments: &'a [Tree],
    env: &Env<'_, 'a>,
    words: &Wording,
) -> Option<String> {
    let argument =
        |at: usize| arguments.get(at).map_or_else(String::new, |tree| sought(tree, env, words));
    let about = |text: &str| fill(text, &[("sought", &argument(1))]);
    let pair = |text: &str| fill(text, &[("left", &argument(1)), ("right", &argument(2))]);
    Some(match name {
        "starts_with" | "starts_with_as_released" => about(&words.start_with),
        "ends_with" | "ends_with_as_released" => about(&words.end_with),
        "contains" => about(&words.contain),
        "matches" => about(&words.r#match),
        "opens_with_pair" | "opens_with_pair_as_released" => pair(&words.open_pair),
        "closes_with_pair" | "closes_with_pair_as_released" => pair(&words.close_pair),
        "wrapped_in" => pair(&words.run),
        "is_upper" | "is_upper_as_released" | "has_no_lower" => words.capitals.clone(),
        "is_lower" | "is_lower_as_released" | "has_no_upper" => words.small_letters.clone(),
        "is_title" => words.title.clone(),
        "is_json" if arguments.len() > 1 => words.schema.clone(),
        "is_blank" => words.blank.clone(),
        "unique" => {
            let what = arguments.first().map_or_else(String::new, code);
            fill(&words.unique, &[("what", &what)])
        }
        _ => {
            let shape = shapes::shape_of(name)?;
            fill(&words.be_shape, &[("shape", words.shape(shape.name(), shape.noun()))])
        }
    })
}

/// A part of the check as it is written.
pub(super) fn code(tree: &Tree) -> String {
    excerpt::code(&print(tree))
}

pub(super) fn printed_call(name: &str, arguments: &[Tree]) -> String {
    code(&Tree::made(Node::Call(name.to_owned(), arguments.to_vec())))
}

/// `at least 50`
fn amount(op: CompareOp, number: &str, words: &Wording) -> String {
    let text = match op {
        CompareOp::Equal => &words.exactly,
        CompareOp::NotEqual => &words.but,
        CompareOp::Less => &words.fewer,
        CompareOp::LessEqual => &words.at_most,
        CompareOp::More => &words.more,
        CompareOp::MoreEqual => &words.at_least,
    };
    fill(text, &[("n", number)])
}

fn amounted<'a>(
    measure: &'a Tree,
    amount: &str,
    one: bool,
    env: &Env<'_, 'a>,
    words: &Wording,
) -> String {
    match counted(measure, env, words, one) {
        Some((_, things)) => fill(&words.have_amount, &[("amount", amount), ("things", &things)]),
        None if matches!(measure.node, Node::It) => fill(&words.be_amount, &[("amount", amount)]),
        None => {
            let measure = code(measure);
            fill(&words.measure_amount, &[("amount", amount), ("measure", &measure)])
        }
    }
}

/// `3 to 5`
fn between(bounds: &Bounds, words: &Wording) -> String {
    let shown = |bound: &Option<_>| bound.as_ref().map_or_else(String::new, ToString::to_string);
    let (low, high) = (shown(&bounds.low), shown(&bounds.high));
    let one = |text: &str, n: &str| fill(text, &[("n", n)]);
    let both = |text: &str| fill(text, &[("low", &low), ("high", &high)]);
    match (&bounds.low, &bounds.high, bounds.inclusive) {
        (Some(_), Some(_), true) if low == high => one(&words.exactly, &low),
        (Some(_), Some(_), true) => both(&words.between),
        (Some(_), Some(_), false) => both(&words.half_open),
        (Some(_), None, _) => one(&words.at_least, &low),
        (None, Some(_), true) => one(&words.at_most, &high),
        (None, Some(_), false) => one(&words.fewer, &high),
        (None, None, _) => words.any.clone(),
    }
}

/// Whose count a measure is (`None` is `it`) and of what, as a noun: `words`, `times the word
/// "like"`.
pub(super) fn counted<'a>(
    measure: &'a Tree,
    env: &Env<'_, 'a>,
    words: &Wording,
    one: bool,
) -> Option<(Option<&'a Tree>, String)> {
    let Node::Call(name, arguments) = &measure.node else { return None };
    let ("count" | "len", [what]) = (name.as_str(), arguments.as_slice()) else { return None };
    let number = if one { 1 } else { 2 };
    let occurrences = |tree: &'a Tree| words.occurrence(&sought(tree, env, words), one);
    match &what.node {
        Node::Units(name, owner) => Some((owner.as_deref(), words.unit(name, number)?.to_owned())),
        Node::Needle(..) | Node::Pattern(_) => Some((None, occurrences(what))),
        Node::Within(left, owner) => match &left.node {
            Node::Units(name, None) => Some((Some(owner), words.unit(name, number)?.to_owned())),
            Node::Needle(..) | Node::Pattern(_) => Some((Some(owner), occurrences(left))),
            _ => None,
        },
        Node::Where(list, condition) => match &list.node {
            Node::Units(name, owner) => {
                let things = words.unit(name, number)?;
                let condition = code(condition);
                let places = [("things", things), ("condition", &*condition)];
                Some((owner.as_deref(), fill(&words.things_with, &places)))
            }
            _ => None,
        },
        Node::Var(list) if name == "len" || name == "count" => {
            Some((Some(what), words.member(number).to_owned())).filter(|_| !list.is_empty())
        }
        _ => None,
    }
}

/// `the word "like"`, `"S"`
pub(super) fn sought<'a>(tree: &'a Tree, env: &Env<'_, 'a>, words: &Wording) -> String {
    match &tree.node {
        Node::Needle(kind, _) => match env.operand(tree) {
            Ok(Operand::Needle(needle)) => {
                let text = excerpt::excerpt(&needle.text());
                let noun = words.unit(kind, 1).or_else(|| words.needle(kind));
                match noun {
                    Some(noun) => fill(&words.sought, &[("noun", noun), ("text", &text)]),
                    None => fill(&words.text, &[("text", &text)]),
                }
            }
            _ => code(tree),
        },
        Node::Pattern(_) => code(tree),
        _ => match env.operand(tree) {
            Ok(operand) => match operand.as_str() {
                Some(text) => fill(&words.text, &[("text", &excerpt::excerpt(text))]),
                None => shown(&operand),
            },
            Err(_) => code(tree),
        },
    }
}

pub(super) fn shown(operand: &Operand<'_>) -> String {
    if let Some(number) = operand.as_number() {
        return number.to_string();
    }
    match (operand.as_str(), operand.value()) {
        (Some(text), _) => format!("“{}”", excerpt::excerpt(text)),
        (None, Some(value)) => excerpt::excerpt(&value.to_string()),
        (None, None) => operand.kind().to_owned(),
    }
}

/// Something that is measured on a text, rather than given.
pub(super) fn is_measure(tree: &Tree) -> bool {
    match &tree.node {
        Node::Call(..) | Node::Units(..) | Node::It => true,
        Node::Arithmetic(_, left, right) => is_measure(left) || is_measure(right),
        Node::Negative(inner) | Node::Field(inner, _) => is_measure(inner),
        Node::Index(list, _) => is_measure(list),
        _ => false,
    }
}

/// What one thing is called: `paragraph 2`, `the last sentence`.
pub(super) fn label(tree: &Tree, words: &Wording) -> String {
    if let Node::Index(list, at) = &tree.node
        && let Node::Units(name, _) = &list.node
        && let Some(noun) = words.unit(name, 1)
        && let Node::Value(crate::predicate::value::Value::Int(at)) = &at.node
    {
        let number = at.unsigned_abs().to_string();
        let text = match at {
            -1 => &words.last,
            -2 => &words.last_but_one,
            at if *at > 0 => &words.number,
            _ => &words.from_end,
        };
        return fill(text, &[("noun", noun), ("n", &number)]);
    }
    format!("`{}`", code(tree))
}

/// What the members of a domain are called.
pub(super) fn noun<'w>(domain: &Tree, n: usize, words: &'w Wording) -> &'w str {
    let unit = match &domain.node {
        Node::Units(name, _) => Some(name),
        Node::Within(left, _) | Node::Where(left, _) | Node::Index(left, _) => match &left.node {
            Node::Units(name, _) => Some(name),
            _ => None,
        },
        _ => None,
    };
    unit.and_then(|name| words.unit(name, n)).unwrap_or_else(|| words.member(n))
}

/// `every sentence`, `at least 2 sentences`
pub(super) fn every<'a>(quantified: &'a Quantified, env: &Env<'_, 'a>, words: &Wording) -> String {
    let one = |text: &str| fill(text, &[("member", noun(&quantified.domain, 1, words))]);
    let of = |text: &str, tree: &'a Tree| {
        let count = match env.operand(tree) {
            Ok(operand) => shown(&operand),
            Err(_) => code(tree),
        };
        fill(text, &[("n", &count), ("members", noun(&quantified.domain, 2, words))])
    };
    match &quantified.quantifier {
        Quantifier::Every => one(&words.every),
        Quantifier::Some => one(&words.some),
        Quantifier::No => one(&words.no),
        Quantifier::AtLeast(n) => of(&words.at_least_of, n),
        Quantifier::AtMost(n) => of(&words.at_most_of, n),
        Quantifier::Exactly(n) => of(&words.exactly_of, n),
    }
}
