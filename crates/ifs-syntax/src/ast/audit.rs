//! What `ifs audit` may find by design.

use super::{Name, Path, Percent, TextLiteral};
use ifs_base::source::Span;

/// `audit { limit changed 0%  minds preamble in talk.share because "…" }`
#[derive(Clone, Debug)]
pub struct Audit {
    pub stmts: Vec<AuditStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct AuditStmt {
    pub span: Span,
    pub kind: AuditStmtKind,
}

#[derive(Clone, Debug)]
pub enum AuditStmtKind {
    /// `limit changed 0%`
    Limit { what: Name, share: Percent },
    /// `minds preamble, closing in length.at_most because "…"`
    Minds { forms: Vec<Name>, within: Vec<Path>, because: TextLiteral },
    /// `tolerates preamble in length.at_most`
    Tolerates { forms: Vec<Name>, within: Vec<Path> },
    /// `floor 50% of constant in album.is_lower because "…"`
    Floor { share: Percent, answers: Vec<Name>, within: Vec<Path>, because: TextLiteral },
}
