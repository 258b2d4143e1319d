//! What records and turns decide of a dialogue: rounds of feedback, and the parts of its report.

use super::DialogueChecker;
use crate::model::table::{Dialogue, Feedback, Retry, Step};
use crate::model::vars::Vars;
use crate::predicate::tree::Tree;
use crate::predicate::types::Type;
use crate::syntax::ast::{Expr, Stmt, StmtKind};

impl DialogueChecker<'_, '_> {
    /// The most rounds of feedback: a constant, or an expression over the record of the dialogue.
    pub(super) fn retry(&mut self, rounds: &Expr, form: Feedback) -> (Option<Retry>, Option<Tree>) {
        let vars = self.vars.clone();
        let reads = |tree: &Tree| vars.known_names().any(|name| tree.mentions(name));
        if let Some(tree) = self.quietly(rounds, &Type::Int, &vars).filter(|tree| reads(tree)) {
            return (Some(Retry { rounds: 0, form }), Some(tree));
        }
        (self.count(rounds, "rounds").map(|rounds| Retry { rounds, form }), None)
    }

    /// Lowers an expression that may be a mistake here, without reporting it.
    pub fn quietly(&mut self, expr: &Expr, ty: &Type, vars: &Vars) -> Option<Tree> {
        let before = self.checker.diagnostics.list.len();
        let tree = self.lowering().expect(expr, ty, vars);
        self.checker.diagnostics.list.truncate(before);
        tree
    }

    /// The part of the report that a turn is in, if it binds the names.
    pub fn slice_of_turn(&mut self, vars: &Vars) -> Option<Tree> {
        let by = self.by.clone()?;
        let tree = self.quietly(&by, &Type::Text, vars)?;
        self.sliced = true;
        Some(tree)
    }

    /// Parts are those of turns only if names of the dialogue do not suffice. Where no turn binds
    /// them either, the mistake is that of the dialogue.
    pub(super) fn check_sliced(&mut self, dialogue: &mut Dialogue, stmts: &[&Stmt]) {
        self.by = None;
        if dialogue.slices_turns && self.sliced {
            return;
        }
        without_slices(&mut dialogue.steps);
        if let Some(by) = report_by(stmts).filter(|_| dialogue.slices_turns) {
            let vars = self.vars.clone();
            dialogue.slice = self.lowering().expect(by, &Type::Text, &vars);
            dialogue.slices_turns = false;
        }
    }
}

/// The expression of `report … by`.
pub(super) fn report_by<'s>(stmts: &[&'s Stmt]) -> Option<&'s Expr> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Report { by, .. } => by.as_ref(),
        _ => None,
    })
}

fn without_slices(steps: &mut [Step]) {
    for step in steps {
        match step {
            Step::Turn(turn) => turn.slice = None,
            Step::For { body, .. } => without_slices(body),
            Step::When { body, otherwise, .. } => {
                without_slices(body);
                without_slices(otherwise);
            }
            _ => {}
        }
    }
}
