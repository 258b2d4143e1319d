//! Determines which parentheses are necessary.
//!
//! Parentheses can be removed if parsing gives the same tree. That depends on precedence, on what
//! an expression with an open right end (`not a`, `every s: …`, `if a then b`) would include after
//! it, and on a few places where the grammar decides by the first word.

use crate::ast::{ArithmeticOp, Expr, ExprKind};

/// The precedence of expressions, from loose to tight, as in `grammar/ifs.pest`.
pub(super) mod tightness {
    pub const AT: u8 = 0;
    pub const WHERE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const NOT: u8 = 4;
    pub const COMPARE: u8 = 5;
    pub const OTHERWISE: u8 = 6;
    pub const RANGE: u8 = 7;
    pub const SUM: u8 = 8;
    pub const PRODUCT: u8 = 9;
    pub const MINUS: u8 = 10;
    pub const POSTFIX: u8 = 11;
    pub const ATOM: u8 = 12;
}
use tightness::*;

/// The surroundings of an expression.
#[derive(Clone, Copy)]
pub(super) struct ParenContext {
    /// The minimum precedence without parentheses.
    pub need: u8,
    /// The precedence of the operator after it; 0 for none.
    pub behind: u8,
    /// A `:` or an `else` follows it.
    pub colon: bool,
    pub otherwise: bool,
    /// A bracket or a comma follows it.
    pub closed: bool,
    /// Whether something that could be parsed as an argument follows it.
    pub touched: bool,
    /// The keywords that its first word could be confused with.
    pub start: Start,
}

/// Places where the grammar decides by an expression's first word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    Anywhere,
    /// `every x in …` binds `x`.
    Domain,
    /// `f(x: …)` names an argument.
    Argument,
    /// `add 50%` is a share, `add drop` are two changes.
    Weighted,
    /// `int in …` is a domain.
    Count,
    /// `one_of […]` lists choices.
    Choices,
    /// `evolve one …`
    Evolve,
    /// `keep …` and `seed …` are statements, and `- 3` continues with the one before.
    Release,
}

impl ParenContext {
    /// A place where nothing follows that could be included.
    pub const STANDALONE: ParenContext = ParenContext {
        need: AT,
        behind: 0,
        colon: false,
        otherwise: false,
        closed: false,
        touched: false,
        start: Start::Anywhere,
    };
    /// The same where the grammar does not allow a `:`.
    pub const OPERAND: ParenContext = ParenContext { need: WHERE, ..ParenContext::STANDALONE };
    pub const CLOSED: ParenContext = ParenContext { closed: true, ..ParenContext::STANDALONE };

    pub fn start(start: Start) -> ParenContext {
        ParenContext { start, ..ParenContext::OPERAND }
    }
}

/// Whether the parentheses around `inner` are necessary.
pub(super) fn needed(inner: &Expr, context: ParenContext) -> bool {
    // `f((x: p))` names no argument; such parentheses are kept for any `x`.
    let argument = context.start == Start::Argument && matches!(inner.kind, ExprKind::At(..));
    argument
        || (context.need >= WHERE && ends_with_subject(inner))
        || is_loose(inner, context)
        || extends_over_next(inner, context)
        || is_misparsed(inner, context)
}

/// Whether an expression ends with `subject: predicate`, which is not allowed in an operand.
fn ends_with_subject(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::At(..) => true,
        ExprKind::Not(inner) | ExprKind::Negative(inner) => ends_with_subject(inner),
        ExprKind::And(_, right)
        | ExprKind::Or(_, right)
        | ExprKind::Where(_, right)
        | ExprKind::Each(_, right)
        | ExprKind::Compare(_, _, right)
        | ExprKind::In { right, .. }
        | ExprKind::Arithmetic(_, _, right)
        | ExprKind::Otherwise(_, right) => ends_with_subject(right),
        _ => false,
    }
}

pub(super) fn tightness(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::At(..) => AT,
        ExprKind::Where(..) | ExprKind::Each(..) => WHERE,
        ExprKind::Or(..) => OR,
        ExprKind::And(..) => AND,
        ExprKind::Compare(..) | ExprKind::In { .. } => COMPARE,
        ExprKind::Range { low: Some(_), .. } => RANGE,
        ExprKind::Arithmetic(ArithmeticOp::Add | ArithmeticOp::Subtract, ..) => SUM,
        ExprKind::Arithmetic(..) => PRODUCT,
        ExprKind::Otherwise(..) => OTHERWISE,
        // An expression that begins with its operator or keyword is allowed wherever an atom is.
        ExprKind::Not(_)
        | ExprKind::Negative(_)
        | ExprKind::Range { low: None, .. }
        | ExprKind::Quantified(_)
        | ExprKind::If(..) => ATOM,
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Method(..) => POSTFIX,
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Percent(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Regex(_)
        | ExprKind::It
        | ExprKind::Name(_)
        | ExprKind::Unit(_)
        | ExprKind::Needle(..)
        | ExprKind::List(_)
        | ExprKind::Record(_)
        | ExprKind::Call(..)
        | ExprKind::Paren(_) => ATOM,
    }
}

fn is_loose(inner: &Expr, context: ParenContext) -> bool {
    tightness(inner) < context.need
}

/// Whether the right end of an expression would include what follows it.
fn extends_over_next(expr: &Expr, context: ParenContext) -> bool {
    let behind = context.behind;
    match &expr.kind {
        ExprKind::At(_, body) => behind > 0 || context.colon || extends_over_next(body, context),
        ExprKind::Quantified(quantified) => {
            behind > 0 || context.colon || extends_over_next(&quantified.body, context)
        }
        ExprKind::If(_, _, Some(otherwise)) => {
            behind > 0 || context.colon || extends_over_next(otherwise, context)
        }
        ExprKind::If(_, then, None) => {
            behind > 0 || context.colon || context.otherwise || extends_over_next(then, context)
        }
        ExprKind::Not(inner) => behind >= NOT || extends_over_next(inner, context),
        ExprKind::Negative(inner) => behind >= MINUS || extends_over_next(inner, context),
        ExprKind::Range { low: None, high: Some(high), .. } => {
            behind >= RANGE || extends_over_next(high, context)
        }
        // `3..` includes anything that could be its other end.
        ExprKind::Range { high: None, .. } => !context.closed || behind > 0 || context.colon,
        ExprKind::Range { high: Some(right), .. }
        | ExprKind::Where(_, right)
        | ExprKind::Each(_, right)
        | ExprKind::Or(_, right)
        | ExprKind::And(_, right)
        | ExprKind::Compare(_, _, right)
        | ExprKind::In { right, .. }
        | ExprKind::Arithmetic(_, _, right)
        | ExprKind::Otherwise(_, right) => extends_over_next(right, context),
        ExprKind::Name(_) | ExprKind::It | ExprKind::Field(..) => context.touched,
        // `word.x` is a variant of word, but `word.x.y` is one of its fields.
        ExprKind::Unit(unit) => context.touched || behind >= POSTFIX && !unit.text.contains('.'),
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Percent(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Regex(_)
        | ExprKind::Needle(..)
        | ExprKind::List(_)
        | ExprKind::Record(_)
        | ExprKind::Index(..)
        | ExprKind::Call(..)
        | ExprKind::Method(..)
        | ExprKind::Paren(_) => false,
    }
}

/// Whether an expression's first word would be parsed as something else.
fn is_misparsed(inner: &Expr, context: ParenContext) -> bool {
    let first = leftmost(inner);
    let name = match &first.kind {
        ExprKind::Name(name) => name.text.as_str(),
        ExprKind::It => "it",
        ExprKind::Bool(_) => "true",
        _ => "",
    };
    match context.start {
        Start::Anywhere => false,
        Start::Domain | Start::Count => !name.is_empty(),
        Start::Argument => {
            let label = !name.is_empty() || matches!(first.kind, ExprKind::Unit(_));
            label && (context.colon || matches!(inner.kind, ExprKind::At(..)))
        }
        Start::Weighted => {
            matches!(first.kind, ExprKind::Percent(_))
                || matches!(name, "add" | "modify" | "drop" | "new" | "backtrack" | "when")
        }
        Start::Choices => matches!(first.kind, ExprKind::List(_)),
        Start::Evolve => name == "one",
        Start::Release => {
            let continues = matches!(
                first.kind,
                ExprKind::Negative(_)
                    | ExprKind::List(_)
                    | ExprKind::Regex(_)
                    | ExprKind::Range { low: None, .. }
            );
            continues || matches!(name, "keep" | "seed")
        }
    }
}

/// The leftmost part of an expression.
fn leftmost(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::At(left, _)
        | ExprKind::Where(left, _)
        | ExprKind::Each(left, _)
        | ExprKind::Or(left, _)
        | ExprKind::And(left, _)
        | ExprKind::Compare(_, left, _)
        | ExprKind::In { left, .. }
        | ExprKind::Arithmetic(_, left, _)
        | ExprKind::Otherwise(left, _)
        | ExprKind::Range { low: Some(left), .. }
        | ExprKind::Field(left, _)
        | ExprKind::Index(left, _)
        | ExprKind::Method(left, ..) => leftmost(left),
        _ => expr,
    }
}
