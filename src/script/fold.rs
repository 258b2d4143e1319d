//! What was drawn, written into expressions: every part of a tree that depends on
//! drawn values alone becomes its value, so that what is left can be read later
//! without them.

use crate::predicate::evaluate::{Scene, Variables, evaluate};
use crate::predicate::functions::Func;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::text::NOTHING;

/// The tree with what `names` know of it as values. `open` are names that are not
/// to be replaced, whatever `names` know: those of parts.
pub(super) fn fold(tree: &Tree, names: &dyn Variables, open: &[&str]) -> Tree {
    let mut hidden: Vec<String> = open.iter().map(|name| (*name).to_owned()).collect();
    folded(tree, names, &mut hidden)
}

fn folded(tree: &Tree, names: &dyn Variables, hidden: &mut Vec<String>) -> Tree {
    if matches!(tree.node, Node::Value(_)) {
        return tree.clone();
    }
    let known = |name: &str| !hidden.iter().any(|other| other == name) && names.get(name).is_some();
    if is_closed(tree, &known, &mut Vec::new(), false)
        && let Ok(value) = evaluate(tree, &Scene { it: &NOTHING, variables: names })
    {
        return Tree::new(Node::Value(value), tree.span);
    }
    let binder = match &tree.node {
        Node::Quantified(quantified) => quantified.binder.clone(),
        _ => None,
    };
    let mut at = 0;
    let last = tree.children().len().saturating_sub(1);
    tree.map_children(&mut |child| {
        // The body of a quantifier is its last child; the name it binds is known there alone.
        let bound = binder.as_ref().filter(|_| at == last);
        at += 1;
        match bound {
            Some(name) => {
                hidden.push(name.clone());
                let child = folded(child, names, hidden);
                hidden.pop();
                child
            }
            None => folded(child, names, hidden),
        }
    })
}

/// Whether a tree asks for nothing but names that are known: not for the text at
/// hand, unless it says itself what that is.
pub(super) fn is_closed<'t>(
    tree: &'t Tree,
    known: &dyn Fn(&str) -> bool,
    bound: &mut Vec<&'t str>,
    it: bool,
) -> bool {
    match &tree.node {
        Node::Var(name) => bound.contains(&name.as_str()) || known(name),
        Node::It | Node::Units(_, None) | Node::Pattern(_) => it,
        // What is looked for is looked for in the text at hand, unless another is named.
        Node::Needle(_, value) => it && is_closed(value, known, bound, it),
        Node::Within(left, text)
            if matches!(left.node, Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_)) =>
        {
            is_closed(left, known, bound, true) && is_closed(text, known, bound, it)
        }
        Node::Call(func, args) => {
            let about_it = func.subject && args.len() < func.least_arguments();
            // `count("x")` counts in the text at hand.
            let counts = *func == Func::Count
                && args.iter().any(|arg| matches!(arg.node, Node::Value(Value::Text(_))));
            (it || !(about_it || counts)) && args.iter().all(|arg| is_closed(arg, known, bound, it))
        }
        Node::Where(list, body) | Node::Each(list, body) | Node::At(list, body) => {
            is_closed(list, known, bound, it) && is_closed(body, known, bound, true)
        }
        Node::Quantified(quantified) => {
            let (body, others) = match tree.children().split_last() {
                Some((body, others)) => (*body, others.to_vec()),
                None => return true,
            };
            if !others.into_iter().all(|other| is_closed(other, known, bound, it)) {
                return false;
            }
            match &quantified.binder {
                Some(name) => {
                    bound.push(name);
                    let closed = is_closed(body, known, bound, it);
                    bound.pop();
                    closed
                }
                None => is_closed(body, known, bound, true),
            }
        }
        // What is inside it asks for nothing but its arguments.
        Node::Applied(applied) => {
            applied.arguments.iter().all(|(_, tree)| is_closed(tree, known, bound, it))
        }
        _ => tree.children().into_iter().all(|child| is_closed(child, known, bound, it)),
    }
}

#[cfg(test)]
mod tests {
    use super::fold;
    use crate::model::check;
    use crate::model::table::By;
    use crate::predicate::print::print;
    use crate::predicate::value::Value;
    use crate::world::MemoryWorld;

    fn folded(written: &str) -> String {
        let program = format!(
            "ifs 1\nconstraint c(n: int in 1..=9, words: 2 of [\"a\", \"b\"]) {{\n  say \"x\"\n  check {written}\n}}\n"
        );
        let checked = check(&MemoryWorld::new([("a.ifs", program.as_str())]), "a.ifs");
        let model = checked.model.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let By::Rule(tree) = &model.groups[0].constraints[0].by else { panic!("a rule") };
        let words = Value::list([Value::text("a"), Value::text("b")]);
        let names = [("n", Value::Int(3)), ("words", words)];
        print(&fold(tree, &names, &[]))
    }

    #[test]
    fn what_is_drawn_becomes_values() {
        assert_eq!(folded("count(word) in n..=2 * n"), "count(word) in 3..=6");
        assert_eq!(
            folded("every w in words where it != \"b\": contains(word (w))"),
            "every w in [\"a\"]: contains(word (w))"
        );
        assert_eq!(folded("starts_with(word (words[n - 2]))"), "starts_with(word \"a\")");
    }

    #[test]
    fn what_a_quantifier_binds_stays() {
        let written = "every words in [1, 2]: count(line) > words";
        assert_eq!(folded(written), written);
        let written = "count(word where len(it) > n) == 1";
        assert_eq!(folded(written), "count(word where len(it) > 3) == 1");
    }
}
