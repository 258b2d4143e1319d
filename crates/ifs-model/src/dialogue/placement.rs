//! Whether statements are in a block that allows them, by the table of statements.

use std::collections::BTreeSet;

use super::DialogueChecker;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_syntax::ast::{Stmt, StmtKind};
use ifs_syntax::statement::{Statement, StatementPlace, Times};

impl DialogueChecker<'_, '_> {
    /// The statements that the block allows. The others are reported, once for all that belong in
    /// the same other block, since a wrong brace moves them together.
    pub fn placed_statements<'s>(
        &mut self,
        stmts: &'s [Stmt],
        place: StatementPlace,
    ) -> Vec<&'s Stmt> {
        let mut seen: Vec<(&'static str, Span)> = Vec::new();
        let mut elsewhere: BTreeSet<&'static str> = BTreeSet::new();
        let mut placed = Vec::new();
        // The `impose` before such a `scope` is not reported too.
        let late: Vec<usize> =
            (1..stmts.len()).filter(|at| self.is_late_scope(stmts, *at)).collect();
        for (at, stmt) in stmts.iter().enumerate() {
            if late.contains(&at) {
                self.report_late_scope(stmt);
                continue;
            }
            let row = stmt.kind.statement().row();
            let reported = stmt.kind.statement().reported_as();
            match row.times(place) {
                None => {
                    if late.is_empty()
                        && elsewhere.insert(row.at.first().map_or("", |(at, _)| at.noun()))
                    {
                        self.misplaced(stmt, place);
                    }
                    self.misplaced = true;
                }
                Some(Times::Many) => placed.push(stmt),
                Some(Times::Once) => {
                    placed.push(stmt);
                    match seen.iter().find(|(word, _)| *word == reported) {
                        Some((word, first)) => self.report_duplicate(word, stmt.span, *first),
                        None => seen.push((reported, stmt.span)),
                    }
                }
            }
        }
        placed
    }

    /// Whether a `scope` is meant as a clause of the `impose` before it, on the same line.
    fn is_late_scope(&self, stmts: &[Stmt], at: usize) -> bool {
        let (before, stmt) = (&stmts[at - 1], &stmts[at]);
        let StmtKind::Impose(impose) = &before.kind else { return false };
        let between = Span { start: before.span.end, end: stmt.span.start, ..stmt.span };
        matches!(stmt.kind, StmtKind::Scope { .. })
            && impose.scope.is_none()
            && !self.checker.loader.sources.text(between).contains('\n')
    }

    fn report_late_scope(&mut self, stmt: &Stmt) {
        self.misplaced = true;
        self.report(
            Diagnostic::error(
                Code::MISPLACED_STATEMENT,
                "`scope` is after a later clause of `impose`",
            )
            .label(stmt.span, "")
            .help(
                "the clauses of `impose` have an order, with `scope` before `by`: `impose … scope \
                 dialogue by user against system with probability 50%`",
            ),
        );
    }

    fn misplaced(&mut self, stmt: &Stmt, place: StatementPlace) {
        let statement = stmt.kind.statement();
        let row = statement.row();
        let help = match statement {
            Statement::Over => {
                "a dialogue names its records after its own name: `dialogue NAME over BANK as \
                 record`; in a variant, `over` replaces them"
                    .to_owned()
            }
            Statement::Variant if place == StatementPlace::Variant => {
                "write both variants in the dialogue, one after the other".to_owned()
            }
            _ if place == StatementPlace::Loop && stmt.kind.only_imposes() => {
                "write it in a turn, or before the turns in a loop of nothing else: `for NAME in \
                 LIST { impose … }`"
                    .to_owned()
            }
            _ => format!("`{}` may be written in {}", row.form, row.places()),
        };
        self.report(
            Diagnostic::error(
                Code::MISPLACED_STATEMENT,
                format!("`{}` does not belong in {}", row.word, place.noun()),
            )
            .label(stmt.span, "")
            .help(help),
        );
    }

    fn report_duplicate(&mut self, word: &str, span: Span, first: Span) {
        self.report(
            Diagnostic::error(Code::DUPLICATE_STATEMENT, format!("`{word}` is written twice"))
                .label(span, "second time")
                .label(first, "first time")
                .help("keep one of them"),
        );
    }
}
