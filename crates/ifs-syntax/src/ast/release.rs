//! Splits and releases.

use super::{DrawFrom, Expr, Name, Path, Percent, TextLiteral};
use ifs_base::source::Span;

/// `split hidden { groups layout  topics from cases where it.rare }`
#[derive(Clone, Debug)]
pub struct Split {
    pub name: Name,
    pub stmts: Vec<SplitStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct SplitStmt {
    pub span: Span,
    pub kind: SplitStmtKind,
}

/// What a split holds out.
#[derive(Clone, Debug)]
pub enum SplitStmtKind {
    /// `groups layout, tone with length`
    Groups {
        held: Vec<Path>,
        with: Vec<Path>,
    },
    Topics(DrawFrom),
    Styles(DrawFrom),
    Templates(TextLiteral),
    Words(Vec<TextLiteral>),
    Flows(Vec<Path>),
}

#[derive(Clone, Debug)]
pub struct Release {
    pub name: Option<Name>,
    pub stmts: Vec<ReleaseStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct ReleaseStmt {
    pub span: Span,
    pub kind: ReleaseStmtKind,
}

#[derive(Clone, Debug)]
pub enum ReleaseStmtKind {
    /// `150 dialogues of evolving`
    Count {
        count: Expr,
        of: Path,
    },
    /// `every record of checks`
    Every(Path),
    /// `keep where mean(first(20, turns).constraints) >= 2`
    Keep(Expr),
    Seed(Expr),
    /// `cover pairs of groups at least 5 times`
    Cover {
        what: Covered,
        least: Expr,
    },
    /// `quota at most 20 dialogues with group length`
    Quota {
        least: bool,
        count: Expr,
        of: QuotaOf,
    },
    /// `alike at most 80%`
    Alike(Percent),
    /// `anchors 20`
    Anchors(Expr),
}

/// What a release covers.
#[derive(Clone, Debug)]
pub enum Covered {
    /// Pairs of these groups, or of all that are drawn.
    Pairs(Option<Vec<Path>>),
    /// `constraints`, `relations`, …
    All(Name),
}

/// The dialogues that a quota counts.
#[derive(Clone, Debug)]
pub enum QuotaOf {
    /// `each style`
    Each(Name),
    /// `group length`
    Group(Name, Path),
    /// `topic "tides"`
    Text(Name, TextLiteral),
}
