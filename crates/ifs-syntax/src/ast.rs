//! The syntax tree, with spans and without meaning.
//!
//! Every node keeps its span. Keywords are enums; names, numbers and strings are kept as written,
//! so that the formatter can reproduce them.

mod audit;
mod constraint;
mod dialogue;
mod expression;
mod feed;
mod release;
mod scene;
mod turn;

use std::sync::Arc;

use ifs_base::source::{FileId, Span};

pub use audit::*;
pub use constraint::*;
pub use dialogue::*;
pub use expression::*;
pub use feed::*;
pub use release::*;
pub use scene::*;
pub use turn::*;

/// One parsed file.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    pub file: FileId,
    pub edition: Option<Edition>,
    /// Shared, so that the checker can hold one while it changes its own state.
    pub items: Vec<Arc<Item>>,
    /// All `//` comments in order; the formatter restores them by position.
    pub comments: Vec<Comment>,
    /// Every `allow`.
    pub allows: Vec<Allow>,
    /// Names in lines with syntax errors. An unknown one of them is not reported again.
    pub poisoned: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Edition {
    pub number: i64,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Comment {
    pub text: String,
    pub span: Span,
    /// Whether code is before it on the same line.
    pub trailing: bool,
}

/// A word with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `std.constraints.length`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub names: Vec<Name>,
    pub span: Span,
}

impl Path {
    pub fn text(&self) -> String {
        self.names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(".")
    }
}

/// A string literal: its value and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLiteral {
    pub value: String,
    /// Written with three quotation marks.
    pub block: bool,
    pub span: Span,
}

/// The `///` lines above an item, without the slashes, and its `allow` lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs {
    pub lines: Vec<Name>,
    pub allows: Vec<Allow>,
}

/// `allow trivial-constraint because "it only counts"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    pub code: Name,
    pub reason: TextLiteral,
    pub span: Span,
    /// The item or statement that it is written above.
    pub covers: Span,
}

impl Docs {
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join("\n")
    }

    /// The range of all of them.
    pub fn span(&self) -> Option<Span> {
        let spans = self.lines.iter().map(|line| line.span);
        spans.chain(self.allows.iter().map(|allow| allow.span)).reduce(Span::to)
    }
}

#[derive(Clone, Debug)]
pub struct Item {
    pub docs: Docs,
    pub span: Span,
    pub kind: ItemKind,
}

#[derive(Clone, Debug)]
pub enum ItemKind {
    Benchmark(Benchmark),
    Use(Use),
    Import(Import),
    Let(Let),
    Def(Def),
    Metric(Metric),
    Tags(Tags),
    Group(Group),
    Constraint(Constraint),
    Test(Test),
    Mask(Mask),
    Feed(Feed),
    Scene(Scene),
    Flow(Flow),
    Dialogue(Dialogue),
    Split(Split),
    Release(Release),
    Audit(Audit),
}

/// `benchmark evolif { version "1.0.0" }`
#[derive(Clone, Debug)]
pub struct Benchmark {
    pub name: Name,
    pub fields: Vec<(Name, TextLiteral)>,
}

/// `use std.constraints.*`
#[derive(Clone, Debug)]
pub struct Use {
    pub path: Path,
    pub all: bool,
    pub rename: Option<Name>,
}

/// `import topics "banks/topics.jsonl" { name: text }`
#[derive(Clone, Debug)]
pub struct Import {
    pub name: Name,
    pub path: TextLiteral,
    pub fields: Option<Vec<BankField>>,
}

#[derive(Clone, Debug)]
pub struct BankField {
    pub name: Name,
    pub optional: bool,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `text`, `int`, `float`, `bool`, `clock`, `image`, `any`
    Named(Name),
    List(Box<Type>),
    Record(Vec<BankField>),
}

#[derive(Clone, Debug)]
pub struct Let {
    pub name: Name,
    pub value: Expr,
}

/// `def total(plays, team: text) { return sum((plays where it.team == team).points) }`
#[derive(Clone, Debug)]
pub struct Def {
    pub name: Name,
    pub params: Vec<DefParam>,
    pub stmts: Vec<DefStmt>,
    pub broken: bool,
}

/// `metric SSR of dialogue { return … }`, `metric gap of run in percent lower is better { … }`
#[derive(Clone, Debug)]
pub struct Metric {
    /// Its name and its body; the parameters are what `of` gives.
    pub def: Def,
    pub of: Name,
    /// `in percent`
    pub percent: Option<Span>,
    /// `lower is better`
    pub lower: Option<Span>,
}

#[derive(Clone, Debug)]
pub struct DefParam {
    pub name: Name,
    pub ty: Option<Type>,
}

#[derive(Clone, Debug)]
pub struct DefStmt {
    pub docs: Docs,
    pub span: Span,
    pub kind: DefStmtKind,
}

#[derive(Clone, Debug)]
pub enum DefStmtKind {
    Let(Let),
    Return(Expr),
}

/// `tags ability { content { word_count { exact } } }`
#[derive(Clone, Debug)]
pub struct Tags {
    pub root: Tag,
}

#[derive(Clone, Debug)]
pub struct Tag {
    pub docs: Docs,
    pub name: Name,
    pub children: Vec<Tag>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Group {
    pub name: Name,
    pub members: Vec<Member>,
    /// Whether a line in it has a syntax error, so that missing statements are not reported.
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub docs: Docs,
    pub span: Span,
    pub kind: MemberKind,
}

#[derive(Clone, Debug)]
pub enum MemberKind {
    Constraint(Constraint),
    Test(Test),
}

#[derive(Clone, Debug)]
pub struct For<S> {
    pub name: Name,
    pub list: Expr,
    /// `by (CONDITION)`: what decides which member comes next.
    pub by: Option<Expr>,
    pub body: Vec<S>,
}

#[derive(Clone, Debug)]
pub struct Percent {
    /// As written, without the sign: `12.5`.
    pub digits: String,
    pub span: Span,
}

/// The source of a message: a string, a template file, or a computed text.
#[derive(Clone, Debug)]
pub enum TextSource {
    Template(TextLiteral),
    Expr(Expr),
}
