//! Feeds: logs of events.

use super::{Expr, Name, TextLiteral, Type};
use ifs_base::source::Span;

#[derive(Clone, Debug)]
pub struct Feed {
    pub name: Name,
    pub stmts: Vec<FeedStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct FeedStmt {
    pub span: Span,
    pub kind: FeedStmtKind,
}

#[derive(Clone, Debug)]
pub enum FeedStmtKind {
    /// `read espn_basketball "feeds/*.json"`
    Read { reader: Name, path: TextLiteral },
    /// `simulate basketball 20 as espn_text with overtime, tied_top seed 7`
    Simulate {
        sport: Name,
        /// Without it, each dialogue has its own game.
        count: Option<i64>,
        wording: Option<Name>,
        cases: Vec<Name>,
        seed: Option<i64>,
        count_span: Span,
    },
    /// `column clock: clock from "Time"`, `column points: int = if kind == "goal" then 1 else 0`
    Column { name: Name, ty: Type, from: Option<ColumnFrom> },
    /// `order by clock`
    Order { by: Vec<Name> },
    /// `periods 4 of "12:00" then "5:00"`
    Periods { count: i64, length: Option<TextLiteral>, overtime: Option<TextLiteral> },
}

/// The source of a column's value.
#[derive(Clone, Debug)]
pub enum ColumnFrom {
    Field(TextLiteral),
    Rule(Expr),
}
