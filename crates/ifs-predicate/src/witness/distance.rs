//! The distance of a text from meeting a check: 0 if it does, smaller for a nearer text.
//!
//! Only a guide for `search`; *evaluate* decides whether a check holds.

use crate::evaluate::{Env, TextContext, budget};
use crate::number::Number;
use crate::operand::{Operand, TextPiece};
use crate::tree::{CompareOp, Node, Quantified, Quantifier, Tree};

/// The minimum cost of a part that does not hold.
const MIN_MISS_COST: u64 = 16;
/// The cost of a part without a value.
const NO_VALUE_COST: u64 = 640;
const MAX_DISTANCE: u64 = 1 << 40;

/// The distance, and the number of nodes that were evaluated.
pub(super) fn distance(tree: &Tree, scene: &TextContext<'_>, wanted: bool) -> (u64, usize) {
    let it = Operand::Piece(TextPiece::answer(scene.it));
    let budget = budget(scene);
    let whole = budget.get();
    let env = Env::new(scene, &it, &budget);
    let far = match env.truth(tree) == Ok(wanted) {
        true => 0,
        false => distance_to(tree, &env, wanted).max(1),
    };
    (far, whole - budget.get())
}

/// The distance from a list without repeats.
pub(crate) fn from_unique<'a>(arguments: &'a [Tree], env: &Env<'_, 'a>) -> u64 {
    let list = arguments.first().and_then(|list| env.list(list).ok());
    let members: Vec<Operand<'_>> = list.iter().flat_map(|list| list.members()).take(400).collect();
    let twice = |(at, one): &(usize, &Operand<'_>)| {
        let before = members.get(..*at).unwrap_or(&[]);
        before.iter().any(|other| comparison_distance(CompareOp::Equal, one, other) == 0)
    };
    MIN_MISS_COST * (members.iter().enumerate().filter(twice).count() as u64 + 1)
}

/// The distance of a part. Where it is made up of others, their distances decide: evaluating it first
/// would evaluate each of them again at every depth.
fn distance_to<'a>(tree: &'a Tree, env: &Env<'_, 'a>, wanted: bool) -> u64 {
    if !is_compound(tree, wanted) && env.truth(tree) == Ok(wanted) {
        return 0;
    }
    let far = match &tree.node {
        Node::Not(inner) => distance_to(inner, env, !wanted),
        Node::And(parts) | Node::Or(parts) => {
            let costs = parts.iter().map(|part| distance_to(part, env, wanted));
            if matches!(tree.node, Node::And(_)) == wanted {
                let far = costs.sum::<u64>();
                if far == 0 {
                    return 0;
                }
                // A condition on the members of an empty list holds, but does not measure how near
                // the text is.
                let empty = parts.iter().filter(|part| wanted && says_nothing(part, env)).count();
                far + NO_VALUE_COST * empty as u64
            } else {
                costs.min().unwrap_or(MIN_MISS_COST)
            }
        }
        Node::If(condition, then, otherwise) => match (env.truth(condition), otherwise) {
            (Ok(true), _) => distance_to(then, env, wanted),
            (Ok(false), Some(otherwise)) => distance_to(otherwise, env, wanted),
            _ => distance_to(condition, env, !wanted),
        },
        Node::Compare(op, left, right) => {
            let op = if wanted { *op } else { op.opposite() };
            match (env.list(left), env.list(right)) {
                (Ok(left), Ok(right)) => comparison_distance(op, &left, &right),
                _ => match (env.operand(left), env.operand(right)) {
                    (Ok(left), Ok(right)) => comparison_distance(op, &left, &right),
                    (left, right) => {
                        NO_VALUE_COST
                            + [left, right].iter().filter(|side| side.is_err()).count() as u64
                    }
                },
            }
        }
        Node::Within(left, right) => match (env.operand(left), env.operand(right)) {
            (Ok(left), Ok(Operand::Range(bounds))) if wanted => {
                let Some(number) = left.as_number() else { return NO_VALUE_COST };
                let ends = [bounds.low, bounds.high].into_iter().flatten();
                MIN_MISS_COST + ends.map(|end| number_distance(number, end)).min().unwrap_or(0)
            }
            (Ok(left), Ok(right)) if wanted && right.list_len().is_some() => {
                let members =
                    right.members().map(|one| comparison_distance(CompareOp::Equal, &left, &one));
                MIN_MISS_COST + members.min().unwrap_or(0)
            }
            (Ok(_), Ok(_)) => MIN_MISS_COST,
            _ => NO_VALUE_COST,
        },
        Node::Quantified(quantified) => of_members(quantified, env, wanted),
        Node::At(subject, body) => match env.operand(subject) {
            Ok(subject) => distance_to(body, &env.with_it(&subject), wanted),
            Err(_) => match &subject.node {
                // The nearest member counts.
                Node::Index(list, at) => {
                    let have = env.list(list).ok().and_then(|list| list.list_len()).unwrap_or(0);
                    let at = env.operand(at).ok().and_then(|at| at.as_int()).unwrap_or(1);
                    let missing = at.unsigned_abs().saturating_sub(have as u64);
                    NO_VALUE_COST + missing.min(MAX_DISTANCE).saturating_mul(MIN_MISS_COST)
                }
                _ => NO_VALUE_COST,
            },
        },
        Node::Applied(applied) => env
            .in_def(applied, &|env, body| distance_to(body, env, wanted))
            .unwrap_or(NO_VALUE_COST),
        Node::Call(func, arguments) if wanted && func.distance.is_some() => {
            func.distance.map_or(MIN_MISS_COST, |distance| distance(arguments, env))
        }
        _ => match env.operand(tree) {
            Ok(_) => MIN_MISS_COST,
            Err(_) => NO_VALUE_COST,
        },
    };
    far.clamp(u64::from(!is_compound(tree, wanted)), MAX_DISTANCE)
}

/// Whether the distances of its parts tell if it has the wanted verdict.
fn is_compound(tree: &Tree, wanted: bool) -> bool {
    match &tree.node {
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::If(..) | Node::At(..) => true,
        Node::Applied(_) => true,
        Node::Quantified(quantified) => {
            wanted || !matches!(quantified.quantifier, Quantifier::Exactly(_))
        }
        _ => false,
    }
}

fn says_nothing<'a>(tree: &'a Tree, env: &Env<'_, 'a>) -> bool {
    let Node::Quantified(quantified) = &tree.node else { return false };
    matches!(quantified.quantifier, Quantifier::Every)
        && env.domain(quantified).is_ok_and(|domain| domain.list_len() == Some(0))
}

fn of_members<'a>(quantified: &'a Quantified, env: &Env<'_, 'a>, wanted: bool) -> u64 {
    let Ok(domain) = env.domain(quantified) else { return NO_VALUE_COST };
    let members: Vec<Operand<'a>> = domain.members().take(400).collect();
    let costs = |wanted: bool| -> Vec<u64> {
        let mut costs: Vec<u64> = members
            .iter()
            .map(|member| match &quantified.binder {
                Some(name) => {
                    let local = env.bind(name, member.clone());
                    distance_to(&quantified.body, &env.with_local(&local), wanted)
                }
                None => distance_to(&quantified.body, &env.with_it(member), wanted),
            })
            .collect();
        costs.sort_unstable();
        costs
    };
    // The cheapest members, and a price for each missing one.
    let least = |many: usize| {
        let costs = costs(true);
        costs.iter().take(many).sum::<u64>()
            + (many.saturating_sub(costs.len()) as u64)
                .min(MAX_DISTANCE)
                .saturating_mul(MIN_MISS_COST + NO_VALUE_COST)
    };
    let most = |many: usize| {
        let costs = costs(false);
        costs.iter().take(costs.len().saturating_sub(many)).sum::<u64>()
    };
    let count = |tree: &'a Tree| match env.number(tree) {
        Ok(Number::Int(count)) => usize::try_from(count.max(0)).unwrap_or(usize::MAX),
        _ => 0,
    };
    match (&quantified.quantifier, wanted) {
        (Quantifier::Every, true) => costs(true).iter().sum(),
        (Quantifier::No, true) | (Quantifier::Some, false) => costs(false).iter().sum(),
        (Quantifier::Every, false) => costs(false).first().map_or(NO_VALUE_COST, |first| *first),
        (Quantifier::Some, true) | (Quantifier::No, false) => least(1),
        (Quantifier::AtLeast(many), true) => least(count(many)),
        (Quantifier::AtMost(many), true) => most(count(many)),
        (Quantifier::AtLeast(many), false) => most(count(many).saturating_sub(1)),
        (Quantifier::AtMost(many), false) => least(count(many).saturating_add(1)),
        (Quantifier::Exactly(many), true) => least(count(many)) + most(count(many)),
        (Quantifier::Exactly(_), false) => MIN_MISS_COST,
    }
}

/// The distance of two values from meeting a comparison.
fn comparison_distance(op: CompareOp, left: &Operand<'_>, right: &Operand<'_>) -> u64 {
    if let (Some(a), Some(b)) = (left.as_number(), right.as_number()) {
        let met = op.holds(a.order(b));
        return if met { 0 } else { MIN_MISS_COST + number_distance(a, b) };
    }
    if let (Some(a), Some(b)) = (left.as_str(), right.as_str()) {
        let met = match op {
            CompareOp::NotEqual => a != b,
            _ => a == b,
        };
        return if met { 0 } else { MIN_MISS_COST + unshared_letters(a, b) };
    }
    if let (Some(one), Some(two)) = (left.list_len(), right.list_len()) {
        let pairs = left.members().zip(right.members()).take(400);
        let members: u64 = pairs.map(|(a, b)| comparison_distance(CompareOp::Equal, &a, &b)).sum();
        return members + NO_VALUE_COST * one.abs_diff(two) as u64;
    }
    MIN_MISS_COST
}

fn number_distance(a: Number, b: Number) -> u64 {
    let far = (a.float() - b.float()).abs() * 16.0;
    // At a large distance a step counts less, so that no number is worse than a missing one.
    let near = 256.0;
    match far {
        far if far <= near => far as u64,
        far if far.is_finite() => (near + 16.0 * libm::log2(far / near)) as u64,
        _ => NO_VALUE_COST,
    }
}

/// Two texts without their common prefix and suffix.
fn unshared_letters(a: &str, b: &str) -> u64 {
    let head = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let tail = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
    let longer = a.chars().count().max(b.chars().count());
    2 * longer.saturating_sub(head + tail).min(64) as u64
}
