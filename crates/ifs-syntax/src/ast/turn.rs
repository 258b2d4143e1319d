//! Turns: their relations, parts and requirements.

use super::{Expr, Judge, Name, Path, Stmt, TextLiteral};
use ifs_base::source::Span;

#[derive(Clone, Debug)]
pub struct Turn {
    pub span: Span,
    pub name: Option<Name>,
    pub relations: Vec<Relation>,
    pub body: Option<Vec<Stmt>>,
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub kind: RelationKind,
    pub to: Vec<Name>,
    pub span: Span,
}

/// The relation of a turn to earlier ones (StructFlowBench, section 3.1).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RelationKind {
    Follows,
    Recalls,
    Refines,
    Expands,
    Summarizes,
    Unrelated,
}

impl RelationKind {
    /// Whether it relates a turn to an earlier one, so that a response can violate it.
    pub fn is_judged(self) -> bool {
        self != RelationKind::Unrelated
    }

    pub const ALL: [RelationKind; 6] = [
        RelationKind::Follows,
        RelationKind::Recalls,
        RelationKind::Refines,
        RelationKind::Expands,
        RelationKind::Summarizes,
        RelationKind::Unrelated,
    ];

    pub fn word(self) -> &'static str {
        match self {
            RelationKind::Follows => "follows",
            RelationKind::Recalls => "recalls",
            RelationKind::Refines => "refines",
            RelationKind::Expands => "expands",
            RelationKind::Summarizes => "summarizes",
            RelationKind::Unrelated => "unrelated",
        }
    }
}

/// `show pictures`, `show page.text by tool "browser"`
#[derive(Clone, Debug)]
pub struct Show {
    pub what: Expr,
    /// The speaker, and the name of the tool.
    pub by: Option<(Name, TextLiteral)>,
}

/// `part casual: list "the casual comments"`
#[derive(Clone, Debug)]
pub struct Part {
    pub name: Name,
    pub list: bool,
    /// `from bullets`, `from between("<a>", "</a>")`
    pub reader: Option<Expr>,
    pub about: Option<TextLiteral>,
}

/// `require r2 len(casual) == 3 after r0 tag element_number`
#[derive(Clone, Debug)]
pub struct Require {
    pub name: Name,
    pub by: RequireBy,
    /// Its wording in the user message and in feedback.
    pub says: Option<TextLiteral>,
    pub after: Vec<Path>,
    pub tags: Vec<Path>,
    /// `tag kind[c.kind]`: a tag of a tree by a text.
    pub tagged: Vec<(Path, Expr)>,
    /// `weigh c.weight`
    pub weight: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum RequireBy {
    Check(Expr),
    Judge(Judge),
    /// `fits { type: "object", … }`: a requirement for each field of a JSON Schema.
    Fits(Expr),
}

/// `observe gave judge "Does the answer give the money back?"`
#[derive(Clone, Debug)]
pub struct Observe {
    pub name: Name,
    pub by: ObserveBy,
}

#[derive(Clone, Debug)]
pub enum ObserveBy {
    Check(Expr),
    Judge(Judge),
}
