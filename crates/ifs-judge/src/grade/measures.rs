//! The numbers that a check computes from the complete response.

use ifs_predicate::evaluate::{TextContext, evaluate};
use ifs_predicate::functions::ReturnType;
use ifs_predicate::number::Number;
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::value::Value;

/// The calls that compute a number from the response, without duplicates, with their source texts.
pub(super) fn measures_in(check: &Tree) -> Vec<(String, Tree)> {
    let mut found = Vec::new();
    collect(check, &mut found);
    found
}

fn collect(tree: &Tree, found: &mut Vec<(String, Tree)>) {
    match &tree.node {
        Node::Call(func, _)
            if matches!(
                func.returns,
                ReturnType::Int | ReturnType::Float | ReturnType::Number(_)
            ) =>
        {
            let text = print(tree);
            if !found.iter().any(|(known, _)| *known == text) {
                found.push((text, tree.clone()));
            }
        }
        // Within a quantifier, `it` or a name may refer to something else.
        Node::Quantified(quantified) => collect(&quantified.domain, found),
        Node::Where(list, _) | Node::Each(list, _) => collect(list, found),
        Node::At(subject, _) => collect(subject, found),
        Node::Applied(applied) => {
            applied.arguments.iter().for_each(|(_, argument)| collect(argument, found));
        }
        _ => tree.children().into_iter().for_each(|child| collect(child, found)),
    }
}

/// Their values in a scene; undefined ones are left out.
pub(super) fn measured_values(
    measures: &[(String, Tree)],
    scene: &TextContext<'_>,
) -> Option<Value> {
    let value = |(text, tree): &(String, Tree)| {
        let value = evaluate(tree, scene).ok()?;
        Number::from_value(&value).map(|_| (text.clone(), value))
    };
    let taken: Vec<(String, Value)> = measures.iter().filter_map(value).collect();
    (!taken.is_empty()).then(|| Value::record(taken))
}
