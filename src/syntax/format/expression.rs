//! Expressions as words.

use super::parens::{self, Context, Start, tightness};
use super::phrase::Phrase;
use crate::source::width;
use crate::syntax::ast::*;
use crate::syntax::literal;

/// No line ends after an operand as short as this: `plays where …` stays together.
const SHORT: usize = 12;

impl Phrase<'_> {
    /// An expression after a blank.
    pub fn expr(&mut self, expr: &Expr, context: Context) -> &mut Self {
        self.space();
        self.bare(expr, context);
        self
    }

    /// An expression after a blank, where the grammar allows no `:`.
    pub fn operand(&mut self, expr: &Expr) -> &mut Self {
        self.expr(expr, Context::OPERAND)
    }

    pub fn bare(&mut self, expr: &Expr, context: Context) {
        use tightness::*;
        match &expr.kind {
            ExprKind::Int(number) => self.number(expr, *number),
            ExprKind::Float(digits) => _ = self.put(digits),
            ExprKind::Percent(percent) => _ = self.put(&percent.digits).put("%"),
            ExprKind::Bool(truth) => _ = self.put(if *truth { "true" } else { "false" }),
            ExprKind::Text(text) => self.literal(text),
            ExprKind::Regex(regex) => self.regex(expr, regex),
            ExprKind::It => _ = self.put("it"),
            ExprKind::Name(name) | ExprKind::Unit(name) => _ = self.put(&name.text),
            ExprKind::Needle(kind, of) => self.needle(kind, of),
            ExprKind::List(members) => {
                self.put("[");
                self.nested(|phrase| {
                    phrase.listed(members, |phrase, each| phrase.bare(each, Context::CLOSED));
                });
                self.put("]");
            }
            ExprKind::Record(fields) => self.record(fields),
            ExprKind::Field(inner, name) => {
                self.base(inner, context);
                self.put(".").put(&name.text);
            }
            ExprKind::Index(inner, at) => {
                self.left(inner, context, POSTFIX);
                self.put("[");
                self.nested(|phrase| phrase.bare(at, Context::CLOSED));
                self.put("]");
            }
            ExprKind::Method(inner, name, args) => {
                self.base(inner, context);
                self.put(".").put(&name.text).args(args);
            }
            ExprKind::Call(name, args) => _ = self.put(&name.text).args(args),
            ExprKind::Not(inner) => {
                self.put("not ");
                self.right(inner, context, NOT);
            }
            ExprKind::Negative(inner) => {
                self.put("-");
                self.right(inner, context, MINUS);
            }
            ExprKind::Range { low, high, inclusive } => {
                if let Some(low) = low {
                    self.left(low, context, RANGE);
                }
                self.put(if *inclusive { "..=" } else { ".." });
                if let Some(high) = high {
                    let need = if low.is_some() { SUM } else { RANGE };
                    self.right(high, context, need);
                }
            }
            ExprKind::And(left, right) => self.infix(left, "and", right, context, AND),
            ExprKind::Or(left, right) => self.infix(left, "or", right, context, OR),
            ExprKind::Where(left, right) => self.infix(left, "where", right, context, WHERE),
            ExprKind::Each(left, right) => self.infix(left, "each", right, context, WHERE),
            ExprKind::Compare(op, left, right) => {
                self.infix(left, op.sign(), right, context, COMPARE);
            }
            ExprKind::In { negated, left, right } => {
                let sign = if *negated { "not in" } else { "in" };
                self.infix(left, sign, right, context, COMPARE);
            }
            ExprKind::Arithmetic(op, left, right) => {
                let tight = tightness(expr);
                self.infix(left, op.sign(), right, context, tight);
            }
            ExprKind::Otherwise(left, right) => self.infix(left, "??", right, context, OTHERWISE),
            ExprKind::Quantified(quantified) => self.quantified(quantified, context),
            ExprKind::At(place, body) => {
                // `a and b: c` applies `c` to `b` only, and so does `not b: c`.
                let joined = matches!(
                    unwrapped(place).kind,
                    ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(_)
                );
                let (need, behind) = if joined { (COMPARE, NOT) } else { (WHERE, 0) };
                let head = Context { need, behind, colon: true, ..Context::ALONE };
                self.bare(place, Context { start: context.start, ..head });
                self.put(":");
                self.nested(|phrase| _ = phrase.expr(body, last(context, AT)));
            }
            ExprKind::If(condition, then, otherwise) => {
                self.nested(|phrase| {
                    phrase.branches(condition, then, otherwise.as_deref(), last(context, AT));
                });
            }
            ExprKind::Paren(paren) => self.paren(paren, context),
        }
    }

    /// A chain of conditions; its branches are below one another if they need more than a line.
    fn branches(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: Option<&Expr>,
        context: Context,
    ) {
        self.put("if").nested(|phrase| _ = phrase.operand(condition)).word("then");
        let Some(otherwise) = otherwise else {
            self.nested(|phrase| _ = phrase.expr(then, context));
            return;
        };
        let followed = Context { otherwise: true, ..Context::ALONE };
        self.nested(|phrase| _ = phrase.expr(then, followed));
        self.aligned_gap().put("else ");
        match &unwrapped(otherwise).kind {
            ExprKind::If(condition, then, other)
                if !parens::needed(unwrapped(otherwise), context) =>
            {
                self.branches(condition, then, other.as_deref(), context);
            }
            _ => _ = self.nested(|phrase| phrase.bare(otherwise, context)),
        }
    }

    fn paren(&mut self, paren: &Expr, context: Context) {
        let inner = unwrapped(paren);
        if !parens::needed(inner, context) {
            self.bare(inner, context);
            return;
        }
        self.put("(");
        self.nested(|phrase| phrase.bare(inner, Context::CLOSED));
        self.put(")");
    }

    fn infix(&mut self, left: &Expr, sign: &str, right: &Expr, context: Context, tight: u8) {
        let around = Context { need: tight, behind: tight, ..Context::ALONE };
        let around = Context { start: context.start, ..around };
        // A chain of the same operator breaks as one; operators that bind tighter break later.
        let first = match unwrapped(left) {
            inner if !parens::needed(inner, around) => inner,
            _ => left,
        };
        let chained = tightness(first) == tight && !is_range(first);
        let level = self.level;
        self.level = if chained { level } else { level + 1 };
        let begun = self.text.len();
        self.bare(first, around);
        self.level = level;
        let is_short = width(&self.text[begun..]) <= SHORT;
        match sign {
            "and" | "or" | "+" => _ = self.word(sign).gap(),
            "where" | "each" if !is_short => _ = self.gap().put(sign).put(" "),
            _ => _ = self.word(sign).put(" "),
        }
        self.nested(|phrase| phrase.right(right, context, tight + 1));
    }

    /// The left side of an operator.
    fn left(&mut self, side: &Expr, context: Context, tight: u8) {
        let around = Context { need: tight, behind: tight, ..Context::ALONE };
        self.bare(side, Context { start: context.start, ..around });
    }

    /// The base of a field or a method. `(word).x` is not the unit `word.x`, whatever the spacing.
    fn base(&mut self, base: &Expr, context: Context) {
        match &base.kind {
            ExprKind::Unit(unit) if !unit.text.contains('.') => {
                self.put("(").put(&unit.text).put(")");
            }
            _ => self.left(base, context, tightness::POSTFIX),
        }
    }

    /// The right side of an operator, which is followed by whatever follows the expression.
    fn right(&mut self, side: &Expr, context: Context, need: u8) {
        self.bare(side, last(context, need));
    }

    fn quantified(&mut self, quantified: &Quantified, context: Context) {
        let (word, count) = match &quantified.quantifier {
            Quantifier::Every => ("every", None),
            Quantifier::Some => ("some", None),
            Quantifier::No => ("no", None),
            Quantifier::AtLeast(count) => ("at_least", Some(count)),
            Quantifier::AtMost(count) => ("at_most", Some(count)),
            Quantifier::Exactly(count) => ("exactly", Some(count)),
        };
        self.put(word);
        if let Some(count) = count {
            self.put("(");
            self.nested(|phrase| phrase.bare(count, Context::CLOSED));
            self.put(")");
        }
        let mut start = Start::Domain;
        if let Some(binder) = &quantified.binder {
            self.word(&binder.text).word("in");
            start = Start::Anywhere;
        }
        let domain = Context { colon: true, ..Context::start(start) };
        self.nested(|phrase| _ = phrase.expr(&quantified.domain, domain));
        self.put(":");
        self.nested(|phrase| _ = phrase.expr(&quantified.body, last(context, tightness::AT)));
    }

    fn needle(&mut self, kind: &Name, of: &Expr) {
        let of = unwrapped(of);
        self.put(&kind.text).put(" ");
        match &of.kind {
            ExprKind::Text(text) => self.literal(text),
            _ => {
                self.put("(");
                self.nested(|phrase| phrase.bare(of, Context::CLOSED));
                self.put(")");
            }
        }
    }

    pub fn record(&mut self, fields: &[(Name, Expr)]) {
        if fields.is_empty() {
            self.put("{}");
            return;
        }
        self.put("{ ");
        self.nested(|phrase| {
            phrase.listed(fields, |phrase, (name, value)| {
                phrase.entry_name(&name.text).put(":").expr(value, Context::CLOSED);
            });
        });
        self.put(" }");
    }

    /// Quoted only if it is not a word.
    fn entry_name(&mut self, name: &str) -> &mut Self {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.put(name)
        } else {
            self.put(&literal::quoted(name))
        }
    }

    pub fn args(&mut self, args: &[Arg]) -> &mut Self {
        self.put("(");
        self.nested(|phrase| {
            phrase.listed(args, |phrase, arg| match &arg.name {
                Some(name) => _ = phrase.put(&name.text).put(":").expr(&arg.value, Context::CLOSED),
                None => {
                    phrase.bare(&arg.value, Context { start: Start::Argument, ..Context::CLOSED });
                }
            });
        });
        self.put(")")
    }

    /// An integer with its underscores.
    fn number(&mut self, expr: &Expr, number: i64) {
        let written = self.source.get(expr.span.range()).unwrap_or("");
        match written.replace('_', "").parse::<i64>() {
            Ok(value) if number == value => self.put(written),
            _ => self.put(&number.to_string()),
        };
    }

    fn regex(&mut self, expr: &Expr, regex: &Regex) {
        let written = self.source.get(expr.span.range()).unwrap_or("");
        if written.starts_with('/') {
            self.put(written);
        } else {
            let pattern = regex.pattern.replace('/', "\\/");
            self.put("/").put(&pattern).put("/").put(&regex.flags);
        }
    }

    /// A string as written, after a blank.
    pub fn string(&mut self, text: &Text) -> &mut Self {
        self.space();
        self.literal(text);
        self
    }

    pub fn literal(&mut self, text: &Text) {
        let written = self.source.get(text.span.range()).unwrap_or("");
        if !written.starts_with('"') || literal::value(written).0 != text.value {
            self.put(&literal::quoted(&text.value));
        } else if text.block && written.contains('\n') {
            // The layout indents the lines.
            let inner =
                literal::dedent(written.get(3..written.len().saturating_sub(3)).unwrap_or(""));
            let lines = if inner.is_empty() { String::new() } else { inner + "\n" };
            self.put("\"\"\"\n").put(&lines).put("\"\"\"");
        } else {
            self.put(written);
        }
    }
}

/// The expression inside all parentheses.
fn unwrapped(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}

/// The position of the last part of an expression.
fn last(context: Context, need: u8) -> Context {
    Context { need, start: Start::Anywhere, ..context }
}

/// Ranges do not break, so they form no chain.
fn is_range(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Range { .. })
}
