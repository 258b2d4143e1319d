//! How the values of a metric are shown: as shares if its expression can only be one, independent of
//! the values of a run.

use std::collections::BTreeMap;

use crate::predicate::tree::{ArithmeticOp, Node, Quantified, Tree};
use crate::predicate::value::Value;

/// The most nodes of an expression with its `let`s and functions in place.
const MAX_NODES: usize = 5_000;

/// Whether every value is from 0 to 1 as the expression shows: a part of a list counted over the list,
/// and what is made of such quotients by `mean`, `min`, `max`, `if` and the like.
pub(super) fn is_share(tree: &Tree) -> bool {
    let mut left = MAX_NODES;
    let tree = substitute_names(tree, &Names::new(), &mut left);
    left > 0 && share(&tree)
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

/// Whether all members of a list are shares.
fn shares(list: &Tree) -> bool {
    match &list.node {
        Node::Each(_, value) => share(value),
        Node::List(members) => members.iter().all(share),
        Node::Where(list, _) => shares(list),
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
    use crate::model::check;
    use crate::model::table::MetricForm;
    use crate::world::MemoryWorld;

    fn form(metric: &str) -> MetricForm {
        let file = format!(
            "ifs 1\nuse std.metrics.*\nconstraint short {{ say \"Be short.\" check count(word) < 9 }}\n\
             metric own {metric}\n\
             dialogue talk {{ impose short turn a {{ ask \"Why?\" }} report own }}\n"
        );
        let checked = check(&MemoryWorld::new([("main.ifs", file.as_str())]), "main.ifs");
        let found: Vec<_> = checked.diagnostics.list.iter().map(|one| &one.message).collect();
        let model = checked.model.unwrap_or_else(|| panic!("{found:?}"));
        model.dialogues[0].own_metrics[0].form
    }

    #[test]
    fn shares_are_found_in_the_expression() {
        for share in [
            "of turn { return held }",
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
}
