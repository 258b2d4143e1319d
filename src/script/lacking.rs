//! Rules that no response can hold by: they ask for a value that is absent.

use crate::predicate::evaluate::{Scene, Variables, part};
use crate::predicate::fault::Fault;
use crate::predicate::partial_eval::is_closed;
use crate::predicate::tree::{Node, Tree};
use crate::predicate::value::Value;
use crate::syntax::ast::CompareOp;
use crate::text::NOTHING;

/// Why a rule fails whatever the response says: a part that is read of every response and hangs
/// on drawn values alone has no value. `open` are names that get their values from the response.
pub(super) fn lacking(tree: &Tree, names: &dyn Variables, open: &[&str]) -> Option<Fault> {
    let among = |wanted: &[&Tree]| wanted.iter().find_map(|tree| lacking(tree, names, open));
    match value(tree, names, open) {
        Some(Ok(_)) => return None,
        Some(Err(fault)) => return Some(fault),
        None => {}
    }
    match &tree.node {
        // What follows an `and` or an `or` may never be read.
        Node::And(parts) => first_read(parts, true, names, open),
        Node::Or(parts) => first_read(parts, false, names, open),
        Node::If(condition, then, otherwise) => {
            let taken = match value(condition, names, open) {
                Some(Ok(Some(Value::Bool(true)))) => Some(then),
                Some(Ok(Some(Value::Bool(false)))) => otherwise.as_ref(),
                _ => Some(condition),
            };
            taken.and_then(|taken| lacking(taken, names, open))
        }
        // The list may be empty, and then what is said of its members is not read.
        Node::Where(list, _) | Node::Each(list, _) | Node::At(list, _) => among(&[list]),
        Node::Quantified(quantified) => among(&[&quantified.domain]),
        // What is given to an author's function may be in a branch of it.
        Node::Applied(_) => None,
        Node::Compare(CompareOp::Equal | CompareOp::NotEqual, left, right) => among(&[left, right]),
        Node::Compare(..)
        | Node::Arithmetic(..)
        | Node::Range { .. }
        | Node::Needle(..)
        | Node::Negative(_)
        | Node::Index(..) => {
            let absent =
                |child: &&Tree| matches!(value(child, names, open), Some(Ok(Some(Value::Nothing))));
            let children = tree.children();
            match children.iter().find(|child| absent(child)) {
                Some(child) => {
                    let message = "the record at hand does not have it";
                    Some(Fault { span: child.span, ..Fault::new(message) })
                }
                None => among(&children),
            }
        }
        _ => among(&tree.children()),
    }
}

/// What a tree comes to whatever the response is; nothing where it depends on it.
fn value(
    tree: &Tree,
    names: &dyn Variables,
    open: &[&str],
) -> Option<Result<Option<Value>, Fault>> {
    is_closed(tree, names, open).then(|| part(tree, &Scene { it: &NOTHING, variables: names }))
}

/// Of conditions that are read until one of them is not `on`.
fn first_read(parts: &[Tree], on: bool, names: &dyn Variables, open: &[&str]) -> Option<Fault> {
    for condition in parts {
        match value(condition, names, open) {
            Some(Ok(Some(value))) if value == Value::Bool(on) => {}
            Some(Ok(_)) => return None,
            _ => return lacking(condition, names, open),
        }
    }
    None
}
