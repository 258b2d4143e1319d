//! Trees as they are read: with everything computed that does not depend on the answer.

use crate::predicate::evaluate::{Scene, Variables, evaluate};
use crate::predicate::functions::{Func, ParamType};
use crate::predicate::tree::{Applied, Node, Quantified, Quantifier, Tree};
use crate::predicate::value::Value;
use crate::source::Span;
use crate::text::NOTHING;

/// Lists longer than this are not gone through.
const MEMBERS: usize = 64;

/// The tree with everything computed that does not depend on the answer. Names in `bound` are
/// those of quantifiers further out.
pub(super) fn settled(tree: &Tree, variables: &dyn Variables, bound: &mut Vec<String>) -> Tree {
    match &tree.node {
        Node::Value(_) => return tree.clone(),
        Node::Var(name) if !bound.contains(name) => {
            let value = variables.get(name);
            return value
                .map_or_else(|| tree.clone(), |value| Tree::new(Node::Value(value), tree.span));
        }
        _ => {}
    }
    if is_closed(tree, bound)
        && let Ok(value) = evaluate(tree, &Scene { it: &NOTHING, variables })
    {
        return Tree::new(Node::Value(value), tree.span);
    }
    let mut settle = |tree: &Tree| settled(tree, variables, bound);
    let mut boxed = |tree: &Tree| Box::new(settle(tree));
    let node = match &tree.node {
        Node::Value(_) | Node::Var(_) | Node::It | Node::Pattern(_) => tree.node.clone(),
        Node::Field(record, name) => Node::Field(boxed(record), name.clone()),
        Node::Index(list, at) => Node::Index(boxed(list), boxed(at)),
        Node::Units(name, text) => Node::Units(*name, text.as_deref().map(boxed)),
        Node::Needle(kind, value) => Node::Needle(*kind, boxed(value)),
        Node::Call(name, arguments) => Node::Call(*name, arguments.iter().map(settle).collect()),
        Node::Not(inner) => Node::Not(boxed(inner)),
        Node::Negative(inner) => Node::Negative(boxed(inner)),
        Node::And(parts) => Node::And(parts.iter().map(settle).collect()),
        Node::Or(parts) => Node::Or(parts.iter().map(settle).collect()),
        Node::Compare(op, left, right) => Node::Compare(*op, boxed(left), boxed(right)),
        Node::Within(left, right) => Node::Within(boxed(left), boxed(right)),
        Node::Arithmetic(op, left, right) => Node::Arithmetic(*op, boxed(left), boxed(right)),
        Node::Range { low, high, inclusive } => Node::Range {
            low: low.as_deref().map(&mut boxed),
            high: high.as_deref().map(&mut boxed),
            inclusive: *inclusive,
        },
        Node::Where(list, condition) => Node::Where(boxed(list), boxed(condition)),
        Node::Each(list, body) => Node::Each(boxed(list), boxed(body)),
        Node::At(subject, body) => Node::At(boxed(subject), boxed(body)),
        Node::If(condition, then, otherwise) => {
            let condition = boxed(condition);
            let branch = match condition.node {
                Node::Value(Value::Bool(true)) => Some(then),
                Node::Value(Value::Bool(false)) => otherwise.as_ref(),
                _ => None,
            };
            if let Some(branch) = branch {
                return settle(branch);
            }
            Node::If(condition, boxed(then), otherwise.as_deref().map(boxed))
        }
        Node::List(members) => Node::List(members.iter().map(settle).collect()),
        Node::Record(fields) => {
            Node::Record(fields.iter().map(|(name, tree)| (name.clone(), settle(tree))).collect())
        }
        // What is inside it depends on nothing but what is put into it.
        Node::Applied(applied) => {
            let arguments = applied.arguments.iter();
            Node::Applied(Box::new(Applied {
                arguments: arguments.map(|(name, tree)| (name.clone(), settle(tree))).collect(),
                ..(**applied).clone()
            }))
        }
        Node::Quantified(quantified) => {
            return settled_quantified(tree.span, quantified, variables, bound);
        }
    };
    Tree::new(node, tree.span)
}

/// A quantifier over a list that is known becomes what it says of each member.
fn settled_quantified(
    span: Span,
    quantified: &Quantified,
    variables: &dyn Variables,
    bound: &mut Vec<String>,
) -> Tree {
    let domain = settled(&quantified.domain, variables, bound);
    let quantifier = match &quantified.quantifier {
        Quantifier::Every => Quantifier::Every,
        Quantifier::Some => Quantifier::Some,
        Quantifier::No => Quantifier::No,
        Quantifier::AtLeast(count) => Quantifier::AtLeast(settled(count, variables, bound)),
        Quantifier::AtMost(count) => Quantifier::AtMost(settled(count, variables, bound)),
        Quantifier::Exactly(count) => Quantifier::Exactly(settled(count, variables, bound)),
    };
    if let (Node::Value(Value::List(values)), Some(name)) = (&domain.node, &quantified.binder)
        && values.len() <= MEMBERS
        && matches!(quantifier, Quantifier::Every | Quantifier::Some | Quantifier::No)
    {
        let parts = values
            .iter()
            .map(|value| {
                let inner = [(name.as_str(), value.clone())];
                settled(&quantified.body, &(&inner, variables), bound)
            })
            .collect();
        return match quantifier {
            Quantifier::Every => Tree::new(Node::And(parts), span),
            Quantifier::Some => Tree::new(Node::Or(parts), span),
            _ => {
                let any = Tree::new(Node::Or(parts), span);
                Tree::new(Node::Not(Box::new(any)), span)
            }
        };
    }
    if let Some(name) = &quantified.binder {
        bound.push(name.clone());
    }
    let body = settled(&quantified.body, variables, bound);
    if quantified.binder.is_some() {
        bound.pop();
    }
    // `every s in sentence: count(word in s) > 3` says the same as with `it`, unless its body
    // looks at the outer `it` too.
    let (binder, body) = match &quantified.binder {
        Some(name) if !looks_at_it(&body) => {
            let with_it = renamed(&body, name);
            match with_it.mentions(name) {
                true => (Some(name.clone()), body),
                false => (None, with_it),
            }
        }
        binder => (binder.clone(), body),
    };
    Tree::new(Node::Quantified(Box::new(Quantified { quantifier, binder, domain, body })), span)
}

/// Whether nothing in it depends on the answer, or on a member at hand.
fn is_closed(tree: &Tree, bound: &[String]) -> bool {
    match &tree.node {
        Node::It | Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_) => false,
        Node::Var(name) => !bound.contains(name),
        Node::Range { .. } => false,
        // A stretch of a list, too, is a list.
        Node::Index(list, at) => {
            is_closed(list, bound)
                && match &at.node {
                    Node::Range { .. } => {
                        at.children().into_iter().all(|end| is_closed(end, bound))
                    }
                    _ => is_closed(at, bound),
                }
        }
        Node::Call(func, arguments) => {
            let about_it = func.subject && arguments.len() < func.least_arguments();
            // What is looked for in a text that is given.
            let sought = |at: usize, tree: &Tree| {
                let takes = func.params.get(at);
                matches!(tree.node, Node::Pattern(_))
                    && takes.is_some_and(|param| {
                        matches!(param.ty, ParamType::Sought | ParamType::Pattern)
                    })
            };
            let mut arguments = arguments.iter().enumerate();
            // Counting a text counts it in the answer.
            !about_it
                && *func != Func::Count
                && arguments.all(|(at, tree)| at > 0 && sought(at, tree) || is_closed(tree, bound))
        }
        Node::Applied(applied) => applied.arguments.iter().all(|(_, tree)| is_closed(tree, bound)),
        // Their own `it` is a member; too rare to follow.
        Node::Where(..) | Node::Each(..) | Node::At(..) | Node::Quantified(_) => false,
        _ => tree.children().into_iter().all(|tree| is_closed(tree, bound)),
    }
}

/// Whether it reads the `it` around it.
fn looks_at_it(tree: &Tree) -> bool {
    match &tree.node {
        Node::It | Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_) => true,
        Node::Within(left, right) => match &left.node {
            Node::Units(_, None) | Node::Pattern(_) => looks_at_it(right),
            Node::Needle(_, value) => looks_at_it(value) || looks_at_it(right),
            _ => looks_at_it(left) || looks_at_it(right),
        },
        // What a text that is given is searched for.
        Node::Call(_, arguments) => {
            arguments.iter().enumerate().any(|(at, tree)| match &tree.node {
                Node::Pattern(_) if at > 0 => false,
                Node::Needle(_, value) if at > 0 => looks_at_it(value),
                _ => looks_at_it(tree),
            })
        }
        Node::Applied(applied) => applied.arguments.iter().any(|(_, tree)| looks_at_it(tree)),
        _ => tree.children().into_iter().any(looks_at_it),
    }
}

/// The tree with `it` for a name.
pub(super) fn renamed(tree: &Tree, name: &str) -> Tree {
    let again = |tree: &Tree| renamed(tree, name);
    let boxed = |tree: &Tree| Box::new(renamed(tree, name));
    let is_name = |tree: &Tree| matches!(&tree.node, Node::Var(var) if var == name);
    let node = match &tree.node {
        Node::Var(var) if var == name => Node::It,
        // `word in s` is what `word` is where `s` is `it`.
        Node::Within(left, right)
            if is_name(right)
                && matches!(
                    left.node,
                    Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_)
                ) =>
        {
            return again(left);
        }
        // What is looked for in another text has no `it` of its own.
        Node::Within(left, right) => {
            let left = match &left.node {
                Node::Units(_, None) | Node::Pattern(_) => left.clone(),
                _ => boxed(left),
            };
            Node::Within(left, boxed(right))
        }
        Node::Needle(kind, value) => Node::Needle(*kind, boxed(value)),
        Node::Units(unit, Some(text)) if is_name(text) => Node::Units(*unit, None),
        Node::Field(record, field) => Node::Field(boxed(record), field.clone()),
        Node::Index(list, at) => Node::Index(boxed(list), boxed(at)),
        Node::Call(function, arguments) => {
            Node::Call(*function, arguments.iter().map(again).collect())
        }
        Node::Not(inner) => Node::Not(boxed(inner)),
        Node::Negative(inner) => Node::Negative(boxed(inner)),
        Node::And(parts) => Node::And(parts.iter().map(again).collect()),
        Node::Or(parts) => Node::Or(parts.iter().map(again).collect()),
        Node::Compare(op, left, right) => Node::Compare(*op, boxed(left), boxed(right)),
        Node::Arithmetic(op, left, right) => Node::Arithmetic(*op, boxed(left), boxed(right)),
        Node::If(condition, then, otherwise) => {
            Node::If(boxed(condition), boxed(then), otherwise.as_deref().map(boxed))
        }
        // Anything that has an `it` of its own is left alone: it then gives no facts.
        other => other.clone(),
    };
    Tree::new(node, tree.span)
}
