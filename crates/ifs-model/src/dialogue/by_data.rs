//! The properties of a dialogue that depend on records and turns: rounds of feedback, and the parts of its report.

use super::{COUNTS, DialogueChecker};
use crate::table::{Dialogue, Feedback, RelationKind, Retry, Share, Step, Turn};
use crate::vars::Vars;
use ifs_base::diagnostic::Severity;
use ifs_predicate::tree::Tree;
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{Expr, Stmt, StmtKind};
use ifs_syntax::statement::StatementPlace;

impl DialogueChecker<'_, '_> {
    /// The most rounds of feedback: a constant, or an expression over the record of the dialogue.
    pub(super) fn retry(&mut self, rounds: &Expr, form: Feedback) -> (Option<Retry>, Option<Tree>) {
        let vars = self.vars.clone();
        let reads = |tree: &Tree| {
            tree.reads(TurnFact::Topic) || vars.known_names().any(|name| tree.mentions(name))
        };
        if let Some(tree) =
            self.lower_silently(rounds, &Type::Int, &vars).filter(|tree| reads(tree))
        {
            return (Some(Retry { rounds: 0, form }), Some(tree));
        }
        // As of a record that allows none; a variant may be without the dialogue's.
        if self.constant_without_errors(rounds) == Some(Value::Int(0)) {
            return (None, None);
        }
        (self.count(rounds, "rounds").map(|rounds| Retry { rounds, form }), None)
    }

    /// Lowers an expression that may be a mistake here, without reporting it: `None` then.
    pub fn lower_silently(&mut self, expr: &Expr, ty: &Type, vars: &Vars) -> Option<Tree> {
        let before = self.checker.diagnostics.list.len();
        let tree = self.lowering().expect(expr, ty, vars);
        let found = self.checker.diagnostics.list.split_off(before);
        tree.filter(|_| found.iter().all(|one| one.severity != Severity::Error))
    }

    fn constant_without_errors(&mut self, expr: &Expr) -> Option<Value> {
        let before = self.checker.diagnostics.list.len();
        let value = self.lowering().constant(expr, &Type::Int);
        self.checker.diagnostics.list.truncate(before);
        value
    }

    /// The part of the report that a turn is in, if it binds the names.
    pub fn slice_of_turn(&mut self, vars: &Vars) -> Option<Tree> {
        let by = self.by.clone()?;
        let tree = self.lower_silently(&by, &Type::Text, vars)?;
        self.sliced = true;
        Some(tree)
    }

    /// What the parts of a report are: of dialogues if names of the dialogue suffice and do not change
    /// from turn to turn, of turns otherwise. A `report` of a variant replaces the dialogue's; without
    /// one, its parts stay.
    pub(super) fn check_sliced(
        &mut self,
        dialogue: &mut Dialogue,
        stmts: &[&Stmt],
        place: StatementPlace,
    ) {
        self.by = None;
        let is_report = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Report { .. });
        if place == StatementPlace::Dialogue || stmts.iter().any(is_report) {
            let vars = self.vars.clone();
            let by = report_by(stmts);
            dialogue.slice = by.and_then(|by| self.lower_silently(by, &Type::Text, &vars));
            let binds = place == StatementPlace::Dialogue && self.sliced;
            dialogue.slices_turns = by.is_some() && dialogue.slice.is_none() && binds;
            // Where no turn binds the names either, the mistake is that of the dialogue.
            if let Some(by) = by.filter(|_| dialogue.slice.is_none() && !binds) {
                dialogue.slice = self.lowering().expect(by, &Type::Text, &vars);
            }
            if !dialogue.slices_turns {
                without_slices(dialogue);
            }
        }
        if let Some(slice) = &dialogue.slice {
            let mut counts = COUNTS.into_iter().filter(|fact| *fact != TurnFact::Groups);
            dialogue.slices_turns = counts.any(|fact| slice.reads(fact))
                || slice.reads(TurnFact::Topic) && self.changes_topic(dialogue);
        }
    }

    /// Whether turns of the dialogue may have different topics.
    fn changes_topic(&self, dialogue: &Dialogue) -> bool {
        let rules = dialogue.topics.iter().flat_map(|topics| &topics.rules);
        let is_unrelated = |turn: &Turn| {
            turn.relations.iter().any(|relation| relation.kind == RelationKind::Unrelated)
        };
        let turns = dialogue.written_turns(&self.checker.model.flows);
        rules.into_iter().any(|rule| rule.switch != Share(0)) || turns.into_iter().any(is_unrelated)
    }
}

/// The expression of `report … by`.
pub(super) fn report_by<'s>(stmts: &[&'s Stmt]) -> Option<&'s Expr> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Report { by, .. } => by.as_ref(),
        _ => None,
    })
}

fn without_slices(dialogue: &mut Dialogue) {
    fn of_steps(steps: &mut [Step]) {
        for step in steps {
            match step {
                Step::Turn(turn) => turn.slice = None,
                Step::For { body, .. } => of_steps(body),
                Step::When { body, otherwise, .. } => {
                    of_steps(body);
                    of_steps(otherwise);
                }
                Step::Flow | Step::Let(..) | Step::Param(_) => {}
            }
        }
    }
    of_steps(&mut dialogue.steps);
    let moves = dialogue.topics.iter_mut().flat_map(|topics| &mut topics.turns);
    moves.for_each(|(_, turn)| turn.slice = None);
}
