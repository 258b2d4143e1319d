//! How the values of a metric are shown: as shares if its expression can only be one, independent of
//! the values of a run.

use std::collections::BTreeMap;

use ifs_predicate::tree::{ArithmeticOp, Node, Quantified, Tree};
use ifs_predicate::value::Value;

/// The most nodes of an expression with its `let`s and functions in place.
const MAX_NODES: usize = 5_000;

/// Whether every value is from 0 to 1 as the expression shows: a part of a list counted over the list,
/// and what is made of such quotients by `mean`, `min`, `max`, `if` and the like.
pub(super) fn is_share(tree: &Tree) -> bool {
    let mut left = MAX_NODES;
    let tree = substitute_names(tree, &Names::new(), &mut left);
    left > 0 && share(&tree)
}

/// Whether no value is below 0 as the expression shows: counts, positions and weights, and what sums,
/// quotients, `mean`, `max` and the like make of them.
pub(super) fn is_not_negative(tree: &Tree) -> bool {
    let mut left = MAX_NODES;
    let tree = substitute_names(tree, &Names::new(), &mut left);
    // A field of a record that the expression makes may be any number, whatever its name.
    left > 0 && !makes_records(&tree) && not_negative(&tree)
}

type Names = BTreeMap<String, Tree>;

/// The expression with the values of `let`s and parameters in the place of their names.
fn substitute_names(tree: &Tree, names: &Names, left: &mut usize) -> Tree {
    *left = left.saturating_sub(1);
    if *left == 0 {
        return tree.clone();
    }
    // Within a list's condition, `it` is another one.
    let inner = || -> Names {
        let apart = |(_, tree): &(&String, &Tree)| !mentions_response(tree);
        names.iter().filter(apart).map(|(name, tree)| (name.clone(), tree.clone())).collect()
    };
    let node = match &tree.node {
        Node::Var(name) => {
            let Some(found) = names.get(name) else { return tree.clone() };
            *left = left.saturating_sub(size(found));
            return found.clone();
        }
        Node::Applied(applied) => {
            let mut own = Names::new();
            for (name, argument) in &applied.arguments {
                own.insert(name.clone(), substitute_names(argument, names, left));
            }
            for (name, value) in applied.lets.iter() {
                let value = substitute_names(value, &own, left);
                own.insert(name.clone(), value);
            }
            return substitute_names(&applied.body, &own, left);
        }
        Node::Where(list, condition) => Node::Where(
            Box::new(substitute_names(list, names, left)),
            Box::new(substitute_names(condition, &inner(), left)),
        ),
        Node::Each(list, value) => Node::Each(
            Box::new(substitute_names(list, names, left)),
            Box::new(substitute_names(value, &inner(), left)),
        ),
        Node::At(text, body) => Node::At(
            Box::new(substitute_names(text, names, left)),
            Box::new(substitute_names(body, &inner(), left)),
        ),
        Node::Quantified(one) => {
            let mut own = inner();
            one.binder.iter().for_each(|name| _ = own.remove(name));
            Node::Quantified(Box::new(Quantified {
                quantifier: one.quantifier.map(&mut |tree| substitute_names(tree, names, left)),
                binder: one.binder.clone(),
                domain: substitute_names(&one.domain, names, left),
                body: substitute_names(&one.body, &own, left),
            }))
        }
        _ => return tree.map_children(&mut |child| substitute_names(child, names, left)),
    };
    Tree::new(node, tree.span)
}

fn mentions_response(tree: &Tree) -> bool {
    tree.node == Node::It || tree.children().into_iter().any(mentions_response)
}

fn size(tree: &Tree) -> usize {
    1 + tree.children().into_iter().map(size).sum::<usize>()
}

fn share(tree: &Tree) -> bool {
    match &tree.node {
        Node::Value(Value::Int(number)) => (0..=1).contains(number),
        Node::Value(Value::Float(number)) => (0.0..=1.0).contains(number),
        Node::If(_, then, Some(otherwise)) => share(then) && share(otherwise),
        Node::Call(function, arguments) => match (*function, arguments.as_slice()) {
            (func, _) if func.name == "chance_of_all" => true,
            (func, [list]) if func.name == "mean" && holds_of_each(list) => true,
            (func, [list]) if func.is_between => shares(list),
            (func, all) => func.is_between && all.iter().all(share),
        },
        Node::Arithmetic(ArithmeticOp::Multiply, one, other) => share(one) && share(other),
        Node::Arithmetic(ArithmeticOp::Subtract, one, other) => {
            one.node == Node::Value(Value::Int(1)) && share(other)
        }
        Node::Arithmetic(ArithmeticOp::Divide, above, below) => match &below.node {
            // The mean of some shares.
            Node::Value(Value::Int(count)) => {
                let terms = terms(above);
                terms.len() as i64 <= *count && terms.into_iter().all(share)
            }
            _ => match (counted(above), counted(below)) {
                (Some(part), Some(list)) => is_part(part, list),
                _ => false,
            },
        },
        _ => false,
    }
}

fn makes_records(tree: &Tree) -> bool {
    matches!(tree.node, Node::Record(_)) || tree.children().into_iter().any(makes_records)
}

/// The fields of an outcome or a turn that are numbers.
const NUMBERS_FROM_ZERO: [&str; 2] = ["position", "weight"];

fn not_negative(tree: &Tree) -> bool {
    if share(tree) || counted(tree).is_some() {
        return true;
    }
    match &tree.node {
        Node::Value(Value::Int(number)) => *number >= 0,
        Node::Value(Value::Float(number)) => *number >= 0.0,
        Node::Var(name) | Node::Field(_, name) => NUMBERS_FROM_ZERO.contains(&name.as_str()),
        Node::If(_, then, Some(otherwise)) => not_negative(then) && not_negative(otherwise),
        Node::Index(list, _) => none_negative(list),
        Node::Arithmetic(op, one, other) => match op {
            ArithmeticOp::Add
            | ArithmeticOp::Multiply
            | ArithmeticOp::Divide
            | ArithmeticOp::Remainder => not_negative(one) && not_negative(other),
            ArithmeticOp::Subtract => false,
        },
        Node::Call(function, arguments) => match (function.name, arguments.as_slice()) {
            ("abs", _) => true,
            ("floor" | "ceil" | "round", [number]) => not_negative(number),
            ("sum" | "max" | "min" | "mean", [list]) => none_negative(list),
            ("max" | "min", numbers) => numbers.iter().all(not_negative),
            _ => false,
        },
        _ => false,
    }
}

/// Whether no member of a list is below 0.
fn none_negative(list: &Tree) -> bool {
    match &list.node {
        Node::Each(_, value) => not_negative(value),
        Node::List(members) => members.iter().all(not_negative),
        Node::Where(list, _) => none_negative(list),
        Node::Field(_, name) => NUMBERS_FROM_ZERO.contains(&name.as_str()),
        Node::Call(function, arguments) => match (function.name, arguments.as_slice()) {
            ("sorted" | "sorted_by", [list, ..]) | ("first" | "last", [_, list]) => {
                none_negative(list)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether all members of a list are shares.
fn shares(list: &Tree) -> bool {
    match &list.node {
        Node::Each(_, value) => share(value),
        Node::List(members) => members.iter().all(share),
        Node::Where(list, _) => shares(list),
        _ => false,
    }
}

/// Whether each member of a list is a condition on a member of what a run is made of.
fn holds_of_each(list: &Tree) -> bool {
    const LISTS: [&str; 5] = ["outcomes", "samples", "turns", "observations", "overruled"];
    const CONDITIONS: [&str; 4] = ["held", "missed", "loose", "read"];
    let Node::Each(members, value) = &list.node else { return false };
    let mut members: &Tree = members;
    while let Node::Where(list, _) = &members.node {
        members = list;
    }
    let is_known = matches!(&members.node, Node::Var(name) | Node::Field(_, name) if LISTS.contains(&name.as_str()));
    match &value.node {
        Node::Field(of, name) => {
            is_known && matches!(of.node, Node::It) && CONDITIONS.contains(&name.as_str())
        }
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Compare(..) | Node::Quantified(_) => true,
        _ => false,
    }
}

fn terms(tree: &Tree) -> Vec<&Tree> {
    match &tree.node {
        Node::Arithmetic(ArithmeticOp::Add, one, other) => [terms(one), terms(other)].concat(),
        _ => vec![tree],
    }
}

/// The list that `count` or `len` counts.
fn counted(tree: &Tree) -> Option<&Tree> {
    match &tree.node {
        Node::Call(function, arguments) => match (*function, arguments.as_slice()) {
            (func, [list]) if func.counts_members() => Some(list),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a list is some of the members of another one.
fn is_part(part: &Tree, list: &Tree) -> bool {
    if part == list {
        return true;
    }
    if let Node::If(_, then, Some(otherwise)) = &part.node {
        return is_part(then, list) && is_part(otherwise, list);
    }
    let Node::Where(of, condition) = &part.node else { return false };
    if let Node::Where(all, wanted) = &list.node
        && of == all
    {
        let conditions = conditions(condition);
        return self::conditions(wanted).iter().all(|one| conditions.contains(one));
    }
    is_part(of, list)
}

fn conditions(tree: &Tree) -> Vec<&Tree> {
    match &tree.node {
        Node::And(parts) => parts.iter().flat_map(conditions).collect(),
        _ => vec![tree],
    }
}

#[cfg(test)]
mod tests {
    use crate::check;
    use crate::table::{MetricForm, OwnMetric};
    use ifs_base::world::MemoryWorld;

    fn form(metric: &str) -> MetricForm {
        own(metric).form
    }

    fn own(metric: &str) -> OwnMetric {
        let file = format!(
            "ifs 1\nuse std.metrics.*\nconstraint short {{ say \"Be short.\" check count(word) < 9 }}\n\
             metric own {metric}\n\
             dialogue talk {{ impose short turn a {{ ask \"Why?\" }} report own }}\n"
        );
        let checked = check(&MemoryWorld::new([("main.ifs", file.as_str())]), "main.ifs");
        let found: Vec<_> = checked.diagnostics.list.iter().map(|one| &one.message).collect();
        let model = checked.model.unwrap_or_else(|| panic!("{found:?}"));
        model.dialogues[0].own_metrics[0].clone()
    }

    #[test]
    fn shares_are_found_in_the_expression() {
        for share in [
            "of turn { return held }",
            "of turn { return mean(samples each it.held) }",
            "of dialogue { return mean(turns where it.position > 1 each not it.held) }",
            "of turn { return count(outcomes where it.held) / len(outcomes) }",
            "of dialogue { return len(turns_before(turns, turns where it.missed)) / len(turns) }",
            "of dialogue { let rest = turns where it.position > 1  \
             return count(rest where it.held) / len(rest) }",
            "of dialogue { return count(turns where it.position > 1 and it.held) \
             / count(turns where it.position > 1) }",
            "of dialogue { return 1 - count(turns where it.held) / len(turns) }",
            "of run { return (held_in(dialogues, \"a\") + held_in(dialogues, \"b\")) / 2 }",
            "of dialogue { return if len(turns) == 0 then 1 \
             else min(turns each count(it.outcomes where it.held) / len(it.outcomes)) }",
        ] {
            assert_eq!(form(share), MetricForm::Share, "{share}");
        }
        for number in [
            "of dialogue { return len(turns) }",
            "of dialogue { return len(flat(turns.outcomes)) / len(turns) }",
            "of dialogue { return len(turns) / count(turns where it.held) }",
            "of dialogue { return count(turns where it.held) / count(turns where it.missed) }",
            "of run { return held_in(dialogues, \"a\") - held_in(dialogues, \"b\") }",
        ] {
            assert_eq!(form(number), MetricForm::Number, "{number}");
        }
        let percent = "of dialogue in percent { return len(turns) / 4 }";
        assert_eq!(form(percent), MetricForm::Percent);
    }
    #[test]
    fn numbers_that_cannot_be_negative_are_found_in_the_expression() {
        for not_negative in [
            "of dialogue { return count(turns where it.missed) }",
            "of dialogue { return sum(turns each len(it.outcomes)) / 2 }",
            "of turn { return max(outcomes each it.weight) }",
            "of run { let lengths = sorted(dialogues each len(it.turns)) \
             return (lengths[1] + lengths[2]) / 2 }",
            "of turn { return mean(samples each (if it.held then 1 else 0)) }",
            "of dialogue in percent { return len(turns) / 4 }",
        ] {
            assert!(own(not_negative).not_negative, "{not_negative}");
        }
        for any in [
            "of dialogue { return count(turns where it.held) - count(turns where it.missed) }",
            "of run { return held_in(dialogues, \"a\") - held_in(dialogues, \"b\") }",
            "of turn { return -len(outcomes) }",
        ] {
            assert!(!own(any).not_negative, "{any}");
        }
    }
}
