//! Loops over lists: around turns, in a turn, and of `impose`.

use super::DialogueChecker;
use crate::lower;
use crate::table::TurnPart;
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_predicate::tree::Tree;
use ifs_predicate::types::Type;
use ifs_syntax::ast::{For, Stmt, StmtKind};

impl DialogueChecker<'_, '_> {
    /// The list of a loop, and the type of its members.
    pub fn loop_over(&mut self, written: &For<Stmt>, vars: &Vars) -> (Option<Tree>, Type) {
        let lowered = self.lowering().lower(&written.list, vars).map(lower::loop_list);
        let Some((list, ty)) = lowered else { return (None, Type::Unknown) };
        match ty {
            Type::List(of) => (Some(list), *of),
            Type::Unknown => (Some(list), Type::Unknown),
            other => {
                let message = format!("{} where a list is expected", lower::noun(&other));
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, message)
                        .label(written.list.span, "not a list")
                        .help("a loop takes a list or a range: `[1, 2, 3]`, `1..=3`"),
                );
                (None, Type::Unknown)
            }
        }
    }

    /// Reports `by` of a loop that is within one turn, or outside of all.
    pub fn no_choice(&mut self, written: &For<Stmt>, place: &str) {
        let Some(by) = &written.by else { return };
        self.report(
            Diagnostic::error(Code::MISPLACED_STATEMENT, format!("`by` has no effect {place}"))
                .label(by.span, "chooses by the response to the round before")
                .help("write the loop around a turn, or leave `by` out"),
        );
    }

    /// The constraints that a dialogue imposes on its turns: one `impose`, or a loop of them.
    pub(super) fn imposes(&mut self, stmt: &Stmt) -> Option<TurnPart> {
        let inner = match &stmt.kind {
            StmtKind::Impose(impose) => {
                return self.impose(impose, stmt.span, None).map(TurnPart::Impose);
            }
            StmtKind::For(inner) => inner,
            // Others do not impose.
            _ => return None,
        };
        self.no_choice(inner, "in a loop of `impose`, which comes before all responses");
        let vars = self.vars.clone();
        let (list, member) = self.loop_over(inner, &vars);
        self.checker.check_name(&inner.name, "a loop's name");
        self.vars.push(&inner.name.text, member);
        let body = inner.body.iter().filter_map(|stmt| self.imposes(stmt)).collect();
        self.vars = vars;
        Some(TurnPart::For { name: inner.name.text.clone(), list: list?, body })
    }
}
