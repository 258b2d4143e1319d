//! The subject of a tree: whether it reads `it`, and the same tree about `it` instead of a name.

use super::tree::{Node, Tree};

/// Whether its default subject is the current text.
pub fn is_implicit(tree: &Tree) -> bool {
    matches!(tree.node, Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_))
}

/// Whether it reads the `it` around it.
pub fn reads_it(tree: &Tree) -> bool {
    match &tree.node {
        Node::It | Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_) => true,
        Node::Within(left, right) => match &left.node {
            Node::Units(_, None) | Node::Pattern(_) => reads_it(right),
            Node::Needle(_, value) => reads_it(value) || reads_it(right),
            _ => reads_it(left) || reads_it(right),
        },
        // A needle in a given text.
        Node::Call(_, arguments) => {
            arguments.iter().enumerate().any(|(at, tree)| match &tree.node {
                Node::Pattern(_) if at > 0 => false,
                Node::Needle(_, value) if at > 0 => reads_it(value),
                _ => reads_it(tree),
            })
        }
        Node::Applied(applied) => applied.arguments.iter().any(|(_, tree)| reads_it(tree)),
        _ => tree.children().into_iter().any(reads_it),
    }
}

/// The tree with a name replaced by `it`.
pub(crate) fn with_it_for(name: &str, tree: &Tree) -> Tree {
    let is_name = |tree: &Tree| matches!(&tree.node, Node::Var(var) if var == name);
    let node = match &tree.node {
        Node::Var(var) if var == name => Node::It,
        // `word in s` is what `word` is where `s` is `it`.
        Node::Within(left, right) if is_name(right) && is_implicit(left) => {
            return with_it_for(name, left);
        }
        // A needle in another text does not read `it`.
        Node::Within(left, right) if matches!(left.node, Node::Units(_, None)) => {
            Node::Within(left.clone(), Box::new(with_it_for(name, right)))
        }
        Node::Units(unit, Some(text)) if is_name(text) => Node::Units(*unit, None),
        // Anything that binds `it` is unchanged: it then gives no facts.
        Node::Where(..)
        | Node::Each(..)
        | Node::At(..)
        | Node::Quantified(_)
        | Node::Units(..)
        | Node::Range { .. }
        | Node::List(_)
        | Node::Record(_)
        | Node::Applied(_) => tree.node.clone(),
        _ => return tree.map_children(&mut |child| with_it_for(name, child)),
    };
    Tree::new(node, tree.span)
}
