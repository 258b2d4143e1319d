//! Scenes: pictures that are drawn, with questions about them.

use super::{Docs, Expr, For, Let, Name, Param, TextLiteral};
use ifs_base::source::Span;

/// `scene shelf 480 by 360 { … }`
#[derive(Clone, Debug)]
pub struct Scene {
    pub name: Name,
    /// Width and height in pixels, as written.
    pub size: (i64, i64),
    pub size_span: Span,
    pub stmts: Vec<SceneStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct SceneStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: SceneStmtKind,
}

#[derive(Clone, Debug)]
pub enum SceneStmtKind {
    Param(Param),
    Let(Let),
    /// `draw rect { x: 1, y: 2, width: 30, height: 40, fill: "red" }`
    Draw {
        shape: Name,
        fields: Vec<(Name, Expr)>,
        fields_span: Span,
    },
    For(For<SceneStmt>),
    /// `question how_many { ask "…" answer "…" }`
    Question {
        name: Name,
        stmts: Vec<QuestionStmt>,
        broken: bool,
    },
}

#[derive(Clone, Debug)]
pub struct QuestionStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: QuestionStmtKind,
}

#[derive(Clone, Debug)]
pub enum QuestionStmtKind {
    Param(Box<Param>),
    Let(Let),
    /// Alternatives; one is drawn.
    Ask(Vec<TextLiteral>),
    Answer(TextLiteral),
}
