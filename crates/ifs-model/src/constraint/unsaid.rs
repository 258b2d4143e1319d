//! Reports what a response is judged on but no message says: parameters that no wording names, and
//! names that a constraint cannot see.

use std::collections::BTreeSet;

use super::super::lower::Lowering;
use super::super::table::{Constraint, DecidedBy, Domain, Param};
use crate::lower::known_value;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_syntax::ast::{ItemKind, Stmt, StmtKind};

impl Lowering<'_, '_> {
    /// Reports parameters that the check depends on but no `say` names. `asked` are those that a
    /// question to a judge names.
    pub(super) fn report_unsaid(&mut self, constraint: &Constraint, asked: &BTreeSet<String>) {
        // The parameters of a relation are in earlier messages.
        if constraint.relation.is_some() || constraint.say.is_empty() {
            return;
        }
        let mut said: BTreeSet<String> = BTreeSet::new();
        for text in &constraint.say {
            let Ok(mut names) = template::names_in(text) else { return };
            // A condition distinguishes as many values as it has texts to choose from.
            let (asked, texts) = template::names_in_conditions_only(text);
            let reported =
                |param: &Param| values(&param.domain).is_none_or(|values| values <= texts);
            let few = |name: &String| {
                constraint.params.iter().find(|param| param.name == *name).is_none_or(reported)
            };
            names.retain(|name| !asked.contains(name) || few(name));
            // Names in single braces were reported already.
            let braces = template::single_braces(text).into_iter().map(|(name, _)| name);
            let first = |name: String| name.split('.').next().unwrap_or_default().to_owned();
            said.extend(names.into_iter().chain(braces).map(first));
        }
        let judged = |param: &Param| match &constraint.by {
            DecidedBy::Rule(tree) => tree.mentions(&param.name),
            DecidedBy::Judge(_) => asked.contains(&param.name),
        };
        let missing = constraint.params.iter().filter(|param| {
            judged(param) && !said.contains(&param.name) && !is_determined(&param.domain, &said)
        });
        let found: Vec<Diagnostic> = missing
            .map(|param| {
                Diagnostic::warning(
                    Code::UNSAID_PARAMETER,
                    format!(
                        "`{}` judges by `{}`, and no `say` names it",
                        constraint.name, param.name
                    ),
                )
                .label(param.span, "no message states its value")
                .help(format!("name it in `say`: `{{{{ {} }}}}`", param.name))
            })
            .collect();
        found.into_iter().for_each(|diagnostic| self.report(diagnostic));
    }

    /// The diagnostic for a name that only dialogues can use.
    pub fn of_a_dialogue(&self, name: &str, place: Span) -> Option<Diagnostic> {
        let modules = self.checker.loader.modules.iter().filter(|module| !module.library);
        let dialogue = modules.flat_map(|module| &module.ast.items).find_map(|item| {
            let ItemKind::Dialogue(dialogue) = &item.kind else { return None };
            let over = dialogue.over.as_ref().filter(|(_, over)| over.text == name);
            let bound =
                over.map(|(_, name)| name.span).or_else(|| binding_span(&dialogue.stmts, name));
            Some((&dialogue.name.text, bound?))
        });
        let (dialogue, bound) = dialogue?;
        Some(
            Diagnostic::error(
                Code::DIALOGUE_NAME,
                format!(
                    "`{name}` is a name of the dialogue `{dialogue}`, which no constraint knows"
                ),
            )
            .label(place, "a constraint is the same in every dialogue")
            .label(bound, "the name of the dialogue")
            .help(
                "a constraint knows its parameters, `topic`, `style`, `reply`, `turn` and `age`; \
                 draw the records as topics (`topic from …`, then `topic.FIELD`), or write what \
                 is about this one in its dialogue: `require NAME … say \"…\"` in a turn",
            ),
        )
    }
}

/// The span at which a dialogue binds a name.
fn binding_span(stmts: &[Stmt], name: &str) -> Option<Span> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Let(item) if item.name.text == name => Some(item.name.span),
        StmtKind::Param(param) if param.name.text == name => Some(param.name.span),
        StmtKind::For(inner) if inner.name.text == name => Some(inner.name.span),
        StmtKind::Variant { stmts, .. } => binding_span(stmts, name),
        kind => kind.blocks().find_map(|inner| binding_span(inner, name)),
    })
}

/// The number of values of an integer, if it is known.
fn values(domain: &Domain) -> Option<u64> {
    let Domain::Int { low, high, step } = domain else { return None };
    let int = |tree: &Tree| known_value(tree)?.as_int();
    let (low, high) = (i128::from(int(low)?), i128::from(int(high)?));
    u64::try_from((high - low) / i128::from(int(step)?.max(1)) + 1).ok()
}

/// Whether a domain has a single value that follows from names in messages.
fn is_determined(domain: &Domain, said: &BTreeSet<String>) -> bool {
    fn depends_on_unsaid(tree: &Tree, said: &BTreeSet<String>) -> bool {
        match &tree.node {
            Node::Var(name) => said.contains(name),
            Node::Fact(TurnFact::Topic | TurnFact::Style) => true,
            Node::Fact(fact) => said.contains(fact.name()),
            _ => tree.children().into_iter().all(|child| depends_on_unsaid(child, said)),
        }
    }
    match domain {
        Domain::Int { low, high, .. } | Domain::Float { low, high, .. } => {
            low == high && depends_on_unsaid(low, said)
        }
        Domain::Choices(choices) => match choices.as_slice() {
            [(only, _)] => depends_on_unsaid(only, said),
            _ => false,
        },
        Domain::OneOf(list) => match &list.node {
            Node::List(members) => members.len() == 1 && depends_on_unsaid(list, said),
            _ => false,
        },
        Domain::Some { .. } | Domain::Window { .. } | Domain::Scene(_) | Domain::Given => false,
    }
}
