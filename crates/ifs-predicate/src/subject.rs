//! The subject of a tree: whether it reads `it`, and the same tree about `it` instead of a name.

use super::functions::ParamType;
use super::tree::{Node, Tree};

/// Whether its default subject is the current text.
pub fn is_implicit(tree: &Tree) -> bool {
    matches!(tree.node, Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_))
}

/// Whether it reads the `it` around it. Conditions on members, bodies of quantifiers without a name,
/// `… : …` and keys have an `it` of their own.
pub fn reads_it(tree: &Tree) -> bool {
    match &tree.node {
        Node::It | Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_) => true,
        Node::Within(left, right) => reads_it_as_sought(left) || reads_it(right),
        Node::Call(func, arguments) => {
            arguments.iter().enumerate().any(|(at, argument)| {
                match func.params.get(at).map(|param| param.ty) {
                    Some(ParamType::Key) => false,
                    _ if at > 0 => reads_it_as_sought(argument),
                    _ => reads_it(argument),
                }
            })
        }
        Node::Where(list, _) | Node::Each(list, _) | Node::At(list, _) => reads_it(list),
        Node::Quantified(quantified) => {
            let children = tree.children();
            let inside = usize::from(quantified.binder.is_none());
            children.iter().rev().skip(inside).any(|child| reads_it(child))
        }
        // Its body has names and a text of its own.
        Node::Applied(applied) => applied.arguments.iter().any(|(_, tree)| reads_it(tree)),
        _ => tree.children().into_iter().any(reads_it),
    }
}

/// The same for what is sought in a given text.
fn reads_it_as_sought(tree: &Tree) -> bool {
    match &tree.node {
        Node::Units(_, None) | Node::Pattern(_) => false,
        Node::Needle(_, value) => reads_it(value),
        _ => reads_it(tree),
    }
}

/// The tree with a name replaced by `it`.
pub fn with_it_for(name: &str, tree: &Tree) -> Tree {
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

#[cfg(test)]
mod tests {
    use super::reads_it;
    use crate::test_parser::tree;

    #[test]
    fn checks_that_read_the_current_text() {
        for (check, reads) in [
            ("count(word) > 3", true),
            ("count(word in it) > 3", true),
            ("count(word in c) > 3", false),
            ("contains(c, word \"like\")", false),
            ("contains(word \"like\")", true),
            ("len(c where len(it) > 3) > 1", false),
            ("len(c where len(it) > 3) > count(word)", true),
            ("every m in c: len(m) > 3", false),
            ("every m in c: len(m) > len(it)", true),
        ] {
            assert_eq!(reads_it(&tree(check)), reads, "{check}");
        }
    }
}
