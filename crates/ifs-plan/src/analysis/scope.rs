//! Whether a message says that instructions belong to a topic.

use crate::DialoguePlan;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_model::table::{Dialogue, Scope, Share};
use ifs_predicate::tree::Node;
use ifs_predicate::value::Value;

/// In a flow that leaves topics, constraints of that scope become inactive and active again. A
/// model without that message cannot know which of them apply.
pub(super) fn check(dialogue: DialoguePlan<'_>) -> Vec<Diagnostic> {
    let table = dialogue.table;
    let all = std::iter::once(table).chain(table.variants.iter().map(|(_, variant)| &**variant));
    let mut found: Vec<Diagnostic> = Vec::new();
    for one in all.filter_map(check_dialogue) {
        if !found.iter().any(|known| known.labels == one.labels) {
            found.push(one);
        }
    }
    found
}

fn check_dialogue(dialogue: &Dialogue) -> Option<Diagnostic> {
    let topics = dialogue.topics.as_ref()?;
    if dialogue.scope_said.is_some() || dialogue.scope_unsaid {
        return None;
    }
    let leaves = topics.rules.iter().any(|rule| rule.switch > Share(0));
    let starts = !matches!(dialogue.start.node, Node::Value(Value::Int(0)));
    let own = dialogue.scope == Scope::Topic && (starts || dialogue.evolve.is_some());
    if !leaves || !own {
        return None;
    }
    Some(
        Diagnostic::warning(
            Code::UNSAID_SCOPE,
            "no message says that instructions belong to a topic",
        )
        .label(
            dialogue.scope_span,
            "they are inactive on other topics, and active again on a return",
        )
        .help(
            "write `scope topic says \"…\"` with a sentence for the system message, and a \
             return to a topic names what applies there again; or write `scope topic unsaid`",
        ),
    )
}
