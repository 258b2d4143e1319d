//! Expressions: checks, computations and comparisons.

use super::{Name, Percent, TextLiteral};
use ifs_base::source::Span;

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    /// As written; parsed by the checker.
    Float(String),
    Percent(Percent),
    Bool(bool),
    Text(TextLiteral),
    Regex(Regex),
    It,
    Name(Name),
    /// Only a unit: all of them, in order.
    Unit(Name),
    /// `word "like"`, `phrase (w.value)`
    Needle(Name, Box<Expr>),
    List(Vec<Expr>),
    Record(Vec<(Name, Expr)>),
    Field(Box<Expr>, Name),
    Index(Box<Expr>, Box<Expr>),
    Call(Name, Vec<Arg>),
    Method(Box<Expr>, Name, Vec<Arg>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Compare(CompareOp, Box<Expr>, Box<Expr>),
    /// `n in 3..=5`, `x in words`, `word in c`
    In {
        negated: bool,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Arithmetic(ArithmeticOp, Box<Expr>, Box<Expr>),
    /// `card.note ?? "none"`
    Otherwise(Box<Expr>, Box<Expr>),
    /// `3..=5`, `3..5`, `3..`, `..=5`
    Range {
        low: Option<Box<Expr>>,
        high: Option<Box<Expr>>,
        inclusive: bool,
    },
    /// `plays where it.scoring`
    Where(Box<Expr>, Box<Expr>),
    /// `sentence each count(word)`
    Each(Box<Expr>, Box<Expr>),
    Quantified(Box<Quantified>),
    /// `paragraph[2]: starts_with("In short")`
    At(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Paren(Box<Expr>),
}

#[derive(Clone, Debug)]
pub struct Quantified {
    pub quantifier: Quantifier,
    /// `c` in `every c in comments: …`
    pub binder: Option<Name>,
    pub domain: Expr,
    pub body: Expr,
}

#[derive(Clone, Debug)]
pub enum Quantifier {
    Every,
    Some,
    No,
    AtLeast(Expr),
    AtMost(Expr),
    Exactly(Expr),
}

#[derive(Clone, Debug)]
pub struct Regex {
    pub pattern: String,
    pub flags: String,
}

#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Option<Name>,
    pub value: Expr,
}

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
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    More,
    MoreEqual,
}

impl CompareOp {
    /// Whether it holds for two values in this order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Equal => order.is_eq(),
            CompareOp::NotEqual => order.is_ne(),
            CompareOp::Less => order.is_lt(),
            CompareOp::LessEqual => order.is_le(),
            CompareOp::More => order.is_gt(),
            CompareOp::MoreEqual => order.is_ge(),
        }
    }

    /// The comparison that holds if and only if this one does not.
    pub fn opposite(self) -> CompareOp {
        match self {
            CompareOp::Equal => CompareOp::NotEqual,
            CompareOp::NotEqual => CompareOp::Equal,
            CompareOp::Less => CompareOp::MoreEqual,
            CompareOp::LessEqual => CompareOp::More,
            CompareOp::More => CompareOp::LessEqual,
            CompareOp::MoreEqual => CompareOp::Less,
        }
    }

    /// The comparison with its sides exchanged.
    pub fn with_sides_exchanged(self) -> CompareOp {
        match self {
            CompareOp::Equal | CompareOp::NotEqual => self,
            CompareOp::Less => CompareOp::More,
            CompareOp::LessEqual => CompareOp::MoreEqual,
            CompareOp::More => CompareOp::Less,
            CompareOp::MoreEqual => CompareOp::LessEqual,
        }
    }

    pub fn sign(self) -> &'static str {
        match self {
            CompareOp::Equal => "==",
            CompareOp::NotEqual => "!=",
            CompareOp::Less => "<",
            CompareOp::LessEqual => "<=",
            CompareOp::More => ">",
            CompareOp::MoreEqual => ">=",
        }
    }
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl ArithmeticOp {
    pub fn sign(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::Remainder => "%",
        }
    }
}
