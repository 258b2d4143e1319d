//! Expressions: the grammar returns operators as a flat list, and the tree is built here.

use std::sync::LazyLock;

use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::TreeBuilder;
use super::constraint::compare_op;
use super::grammar::{GrammarPair, PairChildren, Rule};
use crate::ast::*;
use ifs_base::source::Span;

/// From loose to tight, as in the comment of the grammar.
static PRATT_PARSER: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::k_where, Assoc::Left) | Op::infix(Rule::k_each, Assoc::Left))
        .op(Op::infix(Rule::k_or, Assoc::Left))
        .op(Op::infix(Rule::k_and, Assoc::Left))
        .op(Op::prefix(Rule::k_not))
        .op(Op::infix(Rule::compare_sign, Assoc::Left)
            | Op::infix(Rule::k_in, Assoc::Left)
            | Op::infix(Rule::not_in, Assoc::Left))
        .op(Op::infix(Rule::otherwise, Assoc::Left))
        .op(Op::infix(Rule::range_sign, Assoc::Left)
            | Op::postfix(Rule::open_range)
            | Op::prefix(Rule::upto))
        .op(Op::infix(Rule::plus, Assoc::Left) | Op::infix(Rule::hyphen, Assoc::Left))
        .op(Op::infix(Rule::times, Assoc::Left)
            | Op::infix(Rule::divide, Assoc::Left)
            | Op::infix(Rule::remainder, Assoc::Left))
        .op(Op::prefix(Rule::minus))
        .op(Op::postfix(Rule::method) | Op::postfix(Rule::field) | Op::postfix(Rule::index))
});

/// The input and output of the operator parser: the builder and a tree.
type Built = Option<Expr>;

/// `a and b: c` applies `c` to `b`, because a condition cannot be a subject.
fn apply_to_subject(left: Expr, body: Expr) -> Expr {
    let span = left.span.to(body.span);
    let kind = match left.kind {
        ExprKind::And(one, other) => ExprKind::And(one, Box::new(apply_to_subject(*other, body))),
        ExprKind::Or(one, other) => ExprKind::Or(one, Box::new(apply_to_subject(*other, body))),
        ExprKind::Not(inner) => ExprKind::Not(Box::new(apply_to_subject(*inner, body))),
        kind => ExprKind::At(Box::new(Expr { kind, span: left.span }), Box::new(body)),
    };
    Expr { kind, span }
}

impl TreeBuilder<'_> {
    pub(super) fn expr(&mut self, pair: GrammarPair<'_>) -> Built {
        let mut parts = PairChildren::new(pair);
        let left = self.operand(parts.skip_to_optional(Rule::operand)?)?;
        match parts.skip_to_optional(Rule::expr) {
            Some(body) => {
                let body = self.expr(body)?;
                Some(apply_to_subject(left, body))
            }
            None => Some(left),
        }
    }

    pub(super) fn operand(&mut self, pair: GrammarPair<'_>) -> Built {
        let builder = std::cell::RefCell::new(self);
        PRATT_PARSER
            .map_primary(|pair| builder.borrow_mut().primary(pair))
            .map_prefix(|sign, inner| {
                let span = builder.borrow().span(&sign);
                prefixed(sign.as_rule(), sign.as_str(), span, inner?)
            })
            .map_postfix(|inner, sign| builder.borrow_mut().postfixed(inner?, sign))
            .map_infix(|left, sign, right| infixed(left?, &sign, right?))
            .parse(pair.into_inner())
    }

    fn primary(&mut self, pair: GrammarPair<'_>) -> Built {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let kind = match rule {
            Rule::percent => ExprKind::Percent(self.percent(&pair)),
            Rule::float => ExprKind::Float(pair.as_str().to_owned()),
            Rule::int => ExprKind::Int(self.int(&pair)),
            Rule::truth => ExprKind::Bool(pair.as_str() == "true"),
            Rule::string => ExprKind::Text(self.string(pair)),
            Rule::regex => ExprKind::Regex(regex(pair.as_str())),
            Rule::it => ExprKind::It,
            Rule::name => ExprKind::Name(self.name(pair)),
            Rule::group_expr => ExprKind::Paren(Box::new(
                self.expr(PairChildren::new(pair).skip_to_optional(Rule::expr)?)?,
            )),
            Rule::units | Rule::needle => {
                let mut parts = PairChildren::new(pair);
                let kind = parts.next()?;
                let kind = self.name(kind);
                let Some(of) = parts.next() else {
                    return Some(Expr { kind: ExprKind::Unit(kind), span });
                };
                let of = match of.as_rule() {
                    Rule::string => {
                        let text = self.string(of);
                        Expr { span: text.span, kind: ExprKind::Text(text) }
                    }
                    _ => self.expr(PairChildren::new(of).skip_to_optional(Rule::expr)?)?,
                };
                ExprKind::Needle(kind, Box::new(of))
            }
            Rule::list => {
                let members = PairChildren::new(pair).all(Rule::expr).into_iter();
                ExprKind::List(members.map(|pair| self.expr(pair)).collect::<Option<_>>()?)
            }
            Rule::record => {
                let mut fields = Vec::new();
                for entry in PairChildren::new(pair).all(Rule::entry) {
                    let mut parts = PairChildren::new(entry);
                    let name = self.entry_name(&mut parts)?;
                    fields.push((name, self.expr(parts.skip_to_optional(Rule::expr)?)?));
                }
                ExprKind::Record(fields)
            }
            Rule::call => {
                let mut parts = PairChildren::new(pair);
                let name = self.name(parts.skip_to_optional(Rule::label)?);
                ExprKind::Call(name, self.args(parts.skip_to_optional(Rule::args))?)
            }
            Rule::conditional => {
                let mut parts = PairChildren::new(pair);
                let condition = self.operand(parts.skip_to_optional(Rule::operand)?)?;
                let then = self.expr(parts.skip_to_optional(Rule::expr)?)?;
                let otherwise = match parts.skip_to_optional(Rule::expr) {
                    Some(pair) => Some(Box::new(self.expr(pair)?)),
                    None => None,
                };
                ExprKind::If(Box::new(condition), Box::new(then), otherwise)
            }
            Rule::quantified => ExprKind::Quantified(Box::new(self.quantified(pair)?)),
            _ => return None,
        };
        Some(Expr { kind, span })
    }

    fn quantified(&mut self, pair: GrammarPair<'_>) -> Option<Quantified> {
        let mut parts = PairChildren::new(pair);
        let mut head = PairChildren::new(parts.skip_to_optional(Rule::quantifier)?);
        let word = head.next_child()?.as_rule();
        let quantifier = match (word, head.skip_to_optional(Rule::expr)) {
            (Rule::k_every, _) => Quantifier::Every,
            (Rule::k_some, _) => Quantifier::Some,
            (Rule::k_no, _) => Quantifier::No,
            (Rule::k_at_least, Some(count)) => Quantifier::AtLeast(self.expr(count)?),
            (Rule::k_at_most, Some(count)) => Quantifier::AtMost(self.expr(count)?),
            (_, count) => Quantifier::Exactly(self.expr(count?)?),
        };
        let binder = match parts.skip_to_optional(Rule::binder) {
            Some(pair) => Some(self.name(PairChildren::new(pair).skip_to_optional(Rule::label)?)),
            None => None,
        };
        let domain = self.operand(parts.skip_to_optional(Rule::operand)?)?;
        Some(Quantified {
            quantifier,
            binder,
            domain,
            body: self.expr(parts.skip_to_optional(Rule::expr)?)?,
        })
    }

    pub(super) fn args(&mut self, pair: Option<GrammarPair<'_>>) -> Option<Vec<Arg>> {
        let mut args = Vec::new();
        let Some(pair) = pair else { return Some(args) };
        for pair in PairChildren::new(pair).all(Rule::arg) {
            let mut parts = PairChildren::new(pair);
            let name = parts.skip_to_optional(Rule::label).map(|pair| self.name(pair));
            args.push(Arg { name, value: self.expr(parts.skip_to_optional(Rule::expr)?)? });
        }
        Some(args)
    }

    fn postfixed(&mut self, inner: Expr, sign: GrammarPair<'_>) -> Built {
        let span = inner.span.to(self.span(&sign));
        let rule = sign.as_rule();
        let inner = Box::new(inner);
        let mut parts = PairChildren::new(sign);
        let kind = match rule {
            Rule::field => ExprKind::Field(inner, self.name(parts.skip_to_optional(Rule::label)?)),
            Rule::method => {
                let name = self.name(parts.skip_to_optional(Rule::label)?);
                ExprKind::Method(inner, name, self.args(parts.skip_to_optional(Rule::args))?)
            }
            Rule::index => {
                ExprKind::Index(inner, Box::new(self.expr(parts.skip_to_optional(Rule::expr)?)?))
            }
            _ => ExprKind::Range { low: Some(inner), high: None, inclusive: false },
        };
        Some(Expr { kind, span })
    }
}

fn prefixed(rule: Rule, sign: &str, at: Span, inner: Expr) -> Built {
    let span = at.to(inner.span);
    let inner = Box::new(inner);
    let kind = match rule {
        Rule::k_not => ExprKind::Not(inner),
        Rule::minus => ExprKind::Negative(inner),
        _ => ExprKind::Range { low: None, high: Some(inner), inclusive: sign == "..=" },
    };
    Some(Expr { kind, span })
}

fn infixed(left: Expr, sign: &GrammarPair<'_>, right: Expr) -> Built {
    let span = left.span.to(right.span);
    let (left, right) = (Box::new(left), Box::new(right));
    let arithmetic = |op, left, right| ExprKind::Arithmetic(op, left, right);
    let kind = match sign.as_rule() {
        Rule::k_where => ExprKind::Where(left, right),
        Rule::k_each => ExprKind::Each(left, right),
        Rule::k_or => ExprKind::Or(left, right),
        Rule::k_and => ExprKind::And(left, right),
        Rule::k_in => ExprKind::In { negated: false, left, right },
        Rule::not_in => ExprKind::In { negated: true, left, right },
        Rule::compare_sign => ExprKind::Compare(compare_op(sign.as_str())?, left, right),
        Rule::range_sign => ExprKind::Range {
            low: Some(left),
            high: Some(right),
            inclusive: sign.as_str() == "..=",
        },
        Rule::plus => arithmetic(ArithmeticOp::Add, left, right),
        Rule::hyphen => arithmetic(ArithmeticOp::Subtract, left, right),
        Rule::times => arithmetic(ArithmeticOp::Multiply, left, right),
        Rule::divide => arithmetic(ArithmeticOp::Divide, left, right),
        Rule::remainder => arithmetic(ArithmeticOp::Remainder, left, right),
        Rule::otherwise => ExprKind::Otherwise(left, right),
        _ => return None,
    };
    Some(Expr { kind, span })
}

/// `/pattern/flags`; `\/` in the pattern is a slash.
fn regex(literal: &str) -> Regex {
    let end = literal.rfind('/').unwrap_or(0);
    let pattern = literal.get(1..end).unwrap_or("").replace("\\/", "/");
    Regex { pattern, flags: literal.get(end + 1..).unwrap_or("").to_owned() }
}
