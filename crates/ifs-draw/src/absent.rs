//! Finds rules that no response can satisfy, because they use a value that is absent.

use ifs_predicate::evaluate::{TextContext, Variables, value_of_part};
use ifs_predicate::fault::EvalError;
use ifs_predicate::partial_eval::is_closed;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;
use ifs_syntax::ast::CompareOp;
use ifs_text::NOTHING;

/// Why a rule fails for every response: a part that is always evaluated, and depends only on drawn
/// values, has no value. `open` are names that get their values from the response.
pub(super) fn absent_rule(tree: &Tree, names: &dyn Variables, open: &[&str]) -> Option<EvalError> {
    let among = |wanted: &[&Tree]| wanted.iter().find_map(|tree| absent_rule(tree, names, open));
    match value(tree, names, open) {
        Some(Ok(_)) => return None,
        Some(Err(fault)) => return Some(fault),
        None => {}
    }
    match &tree.node {
        // The operands after the first of an `and` or `or` may not be evaluated.
        Node::And(parts) => first_read(parts, true, names, open),
        Node::Or(parts) => first_read(parts, false, names, open),
        Node::If(condition, then, otherwise) => {
            let taken = match value(condition, names, open) {
                Some(Ok(Some(Value::Bool(true)))) => Some(then),
                Some(Ok(Some(Value::Bool(false)))) => otherwise.as_ref(),
                _ => Some(condition),
            };
            taken.and_then(|taken| absent_rule(taken, names, open))
        }
        // The list may be empty, and then the expression for its members is not evaluated.
        Node::Where(list, _) | Node::Each(list, _) | Node::At(list, _) => among(&[list]),
        Node::Quantified(quantified) => among(&[&quantified.domain]),
        // An argument of an author's function may be in a branch that is not taken.
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
                    let message = "the current record does not have it";
                    Some(EvalError { span: child.span, ..EvalError::new(message) })
                }
                None => among(&children),
            }
        }
        _ => among(&tree.children()),
    }
}

/// The value of a tree that does not depend on the response; `None` otherwise.
fn value(
    tree: &Tree,
    names: &dyn Variables,
    open: &[&str],
) -> Option<Result<Option<Value>, EvalError>> {
    is_closed(tree, names, open)
        .then(|| value_of_part(tree, &TextContext { it: &NOTHING, variables: names }))
}

/// The operands that are evaluated until one of them is not `on`.
fn first_read(parts: &[Tree], on: bool, names: &dyn Variables, open: &[&str]) -> Option<EvalError> {
    for condition in parts {
        match value(condition, names, open) {
            Some(Ok(Some(value))) if value == Value::Bool(on) => {}
            Some(Ok(_)) => return None,
            _ => return absent_rule(condition, names, open),
        }
    }
    None
}
