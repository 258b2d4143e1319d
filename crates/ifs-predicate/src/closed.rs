//! Names that are compared with the language of a text: their values are codes.

use std::collections::BTreeSet;

use super::functions::Func;
use super::tree::{CompareOp, Node, Tree};

/// The names that a tree compares with `language(…)`.
pub fn compared_with_language(tree: &Tree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tree, &mut names);
    names
}

fn collect(tree: &Tree, names: &mut BTreeSet<String>) {
    match &tree.node {
        Node::Compare(CompareOp::Equal | CompareOp::NotEqual, left, right) => {
            for (one, other) in [(left, right), (right, left)] {
                if let (Node::Call(Func::LANGUAGE, _), Node::Var(name)) = (&one.node, &other.node) {
                    names.insert(name.clone());
                }
            }
        }
        Node::Applied(applied) => {
            let mut inner = compared_with_language(&applied.body);
            applied.lets.iter().for_each(|(_, value)| collect(value, &mut inner));
            let given = applied.arguments.iter().filter(|(name, _)| inner.contains(name));
            names.extend(given.filter_map(|(_, value)| match &value.node {
                Node::Var(name) => Some(name.clone()),
                _ => None,
            }));
            // The names of the body and its constants are its own.
            applied.arguments.iter().for_each(|(_, value)| collect(value, names));
            return;
        }
        _ => {}
    }
    tree.children().into_iter().for_each(|child| collect(child, names));
}
