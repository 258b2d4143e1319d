//! Constraints, their parameters and tests.

use super::{Arg, CompareOp, Expr, Name, Path, Percent, RelationKind, TextLiteral, Type};
use ifs_base::source::Span;

#[derive(Clone, Debug)]
pub struct Constraint {
    pub name: Name,
    pub params: Vec<Param>,
    pub body: Vec<ConstraintStmt>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Name,
    pub domain: Domain,
    pub span: Span,
}

/// The domain of a drawn value.
#[derive(Clone, Debug)]
pub struct Domain {
    pub kind: DomainKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DomainKind {
    /// `int in 50..=400 step 10`, `float in 0.0..=1.0 step 0.1`
    Number { float: bool, range: Option<Expr>, step: Option<Expr> },
    /// `one_of ["a", "b"]`, `one_of ["a" 40%, "b" 60%]`, `one_of topic.keywords`
    OneOf(OneOf),
    /// `1..=3 of topic.keywords with times: int in 1..=3`
    Some { count: Expr, of: Expr, with: Vec<Param> },
    /// `window in period where len(plays) in 3..=8`
    Window { within: Expr, by: Option<Expr>, condition: Option<Expr> },
    /// `scene shelf`: a picture that is drawn for each use
    Scene(Path),
    /// Only a type: the value must be given where the name is used.
    Plain(Type),
}

#[derive(Clone, Debug)]
pub enum OneOf {
    Of(Expr),
    Choices(Vec<Choice>),
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub value: Expr,
    pub weight: Option<Percent>,
}

#[derive(Clone, Debug)]
pub struct ConstraintStmt {
    pub span: Span,
    pub kind: ConstraintStmtKind,
}

#[derive(Clone, Debug)]
pub enum ConstraintStmtKind {
    /// Alternatives; one is drawn.
    Say(Vec<TextLiteral>),
    Change(Vec<TextLiteral>),
    Withdraw(Vec<TextLiteral>),
    Check(Expr),
    Judge(Judge),
    Applies(Expr),
    Evolve(EvolveList),
    Excludes(Vec<Path>),
    Weight(Expr),
    Tag(Vec<Path>),
    /// `relation refines`
    Relation(RelationKind),
    Alias(Alias),
    Test(Test),
}

/// `alias "length:max" (n: given.limit) when given.unit == "word"`
#[derive(Clone, Debug)]
pub struct Alias {
    pub name: TextLiteral,
    pub args: Vec<Arg>,
    pub condition: Option<Expr>,
}

/// `judge "Does it sound sad?" scale 1..=10 pass > 6`
#[derive(Clone, Debug)]
pub struct Judge {
    pub form: JudgeForm,
    /// The question, the rubric, or the file that contains it.
    pub question: TextLiteral,
    pub scale: Option<(Expr, CompareOp, Expr)>,
    /// `pass == c.want`: the good answer to the question.
    pub good: Option<Box<Expr>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgeForm {
    Question,
    /// `judge rubric "…"`
    Rubric,
    /// `judge rubric by "FILE"`
    RubricFile,
}

/// `evolve words { add 1..=3  drop 1..=2  when len(words) == 1 { add 100% } }`
#[derive(Clone, Debug)]
pub struct EvolveList {
    pub param: Name,
    pub rules: EvolveRules,
}

#[derive(Clone, Debug)]
pub struct EvolveRules {
    pub changes: Vec<Weighted>,
    pub guards: Vec<Guard>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Guard {
    pub condition: Expr,
    pub changes: Vec<Weighted>,
    pub span: Span,
}

/// `new 40%`
#[derive(Clone, Debug)]
pub struct Weighted {
    pub name: Name,
    pub amount: Option<Expr>,
    pub share: Option<Percent>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Test {
    /// The tested constraint; `None` inside a constraint.
    pub target: Option<Path>,
    pub args: Vec<Arg>,
    pub cases: Vec<TestInput>,
    pub broken: bool,
}

#[derive(Clone, Debug)]
pub struct TestInput {
    pub kind: CaseKind,
    pub text: Expr,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    Pass,
    Fail,
    /// The user message, for constraints that use it.
    Prompt,
    /// An earlier response, for constraints that use it.
    Reply,
}

/// `mask forbidden.words against required.words, start.keyword.word`
#[derive(Clone, Debug)]
pub struct Mask {
    pub left: Vec<Path>,
    pub right: Vec<Path>,
}
