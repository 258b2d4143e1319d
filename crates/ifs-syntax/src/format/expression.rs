//! Expressions as words.

use super::parens::{self, ParenContext, Start, tightness};
use super::phrase::Phrase;
use crate::ast::*;
use crate::literal;
use ifs_base::source::width;

/// No line ends after an operand as short as this: `plays where …` stays together.
const SHORT_OPERAND_WIDTH: usize = 12;

impl Phrase<'_> {
    /// An expression after a blank.
    pub fn expr(&mut self, expr: &Expr, context: ParenContext) -> &mut Self {
        self.space();
        self.without_parens(expr, context);
        self
    }

    /// An expression after a blank, where the grammar allows no `:`.
    pub fn operand(&mut self, expr: &Expr) -> &mut Self {
        self.expr(expr, ParenContext::OPERAND)
    }

    pub fn without_parens(&mut self, expr: &Expr, context: ParenContext) {
        use tightness::*;
        match &expr.kind {
            ExprKind::Int(number) => self.number(expr, *number),
            ExprKind::Float(digits) => _ = self.push(digits),
            ExprKind::Percent(percent) => _ = self.push(&percent.digits).push("%"),
            ExprKind::Bool(truth) => _ = self.push(if *truth { "true" } else { "false" }),
            ExprKind::Text(text) => self.literal(text),
            ExprKind::Regex(regex) => self.regex(expr, regex),
            ExprKind::It => _ = self.push("it"),
            ExprKind::Name(name) | ExprKind::Unit(name) => _ = self.push(&name.text),
            ExprKind::Needle(kind, of) => self.needle(kind, of),
            ExprKind::List(members) => {
                self.push("[");
                self.nested(|phrase| {
                    phrase.listed(members, |phrase, each| {
                        phrase.without_parens(each, ParenContext::CLOSED)
                    });
                });
                self.push("]");
            }
            ExprKind::Record(fields) => self.record(fields),
            ExprKind::Field(inner, name) => {
                self.base(inner, context);
                self.push(".").push(&name.text);
            }
            ExprKind::Index(inner, at) => {
                self.left_operand(inner, context, POSTFIX);
                self.push("[");
                self.nested(|phrase| phrase.without_parens(at, ParenContext::CLOSED));
                self.push("]");
            }
            ExprKind::Method(inner, name, args) => {
                self.base(inner, context);
                self.push(".").push(&name.text).args(args);
            }
            ExprKind::Call(name, args) => _ = self.push(&name.text).args(args),
            ExprKind::Not(inner) => {
                self.push("not ");
                self.right_operand(inner, context, NOT);
            }
            ExprKind::Negative(inner) => {
                self.push("-");
                self.right_operand(inner, context, MINUS);
            }
            ExprKind::Range { low, high, inclusive } => {
                if let Some(low) = low {
                    self.left_operand(low, context, RANGE);
                }
                self.push(if *inclusive { "..=" } else { ".." });
                if let Some(high) = high {
                    let need = if low.is_some() { SUM } else { RANGE };
                    self.right_operand(high, context, need);
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
                let head = ParenContext { need, behind, colon: true, ..ParenContext::STANDALONE };
                self.without_parens(place, ParenContext { start: context.start, ..head });
                self.push(":");
                self.nested(|phrase| _ = phrase.expr(body, last_context(context, AT)));
            }
            ExprKind::If(condition, then, otherwise) => {
                self.nested(|phrase| {
                    phrase.branches(
                        condition,
                        then,
                        otherwise.as_deref(),
                        last_context(context, AT),
                    );
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
        context: ParenContext,
    ) {
        self.push("if").nested(|phrase| _ = phrase.operand(condition)).push_word("then");
        let Some(otherwise) = otherwise else {
            self.nested(|phrase| _ = phrase.expr(then, context));
            return;
        };
        let followed = ParenContext { otherwise: true, ..ParenContext::STANDALONE };
        self.nested(|phrase| _ = phrase.expr(then, followed));
        self.aligned_gap().push("else ");
        match &unwrapped(otherwise).kind {
            ExprKind::If(condition, then, other)
                if !parens::needed(unwrapped(otherwise), context) =>
            {
                self.branches(condition, then, other.as_deref(), context);
            }
            _ => _ = self.nested(|phrase| phrase.without_parens(otherwise, context)),
        }
    }

    fn paren(&mut self, paren: &Expr, context: ParenContext) {
        let inner = unwrapped(paren);
        if !parens::needed(inner, context) {
            self.without_parens(inner, context);
            return;
        }
        self.push("(");
        self.nested(|phrase| phrase.without_parens(inner, ParenContext::CLOSED));
        self.push(")");
    }

    fn infix(&mut self, left: &Expr, sign: &str, right: &Expr, context: ParenContext, tight: u8) {
        let around = ParenContext { need: tight, behind: tight, ..ParenContext::STANDALONE };
        let around = ParenContext { start: context.start, ..around };
        // A chain of the same operator breaks as one; operators that bind tighter break later.
        let first = match unwrapped(left) {
            inner if !parens::needed(inner, around) => inner,
            _ => left,
        };
        let chained = tightness(first) == tight && !is_range(first);
        let level = self.level;
        self.level = if chained { level } else { level + 1 };
        let begun = self.text.len();
        self.without_parens(first, around);
        self.level = level;
        let is_short = width(&self.text[begun..]) <= SHORT_OPERAND_WIDTH;
        match sign {
            "and" | "or" | "+" => _ = self.push_word(sign).gap(),
            "where" | "each" if !is_short => _ = self.gap().push(sign).push(" "),
            _ => _ = self.push_word(sign).push(" "),
        }
        self.nested(|phrase| phrase.right_operand(right, context, tight + 1));
    }

    /// The left side of an operator.
    fn left_operand(&mut self, side: &Expr, context: ParenContext, tight: u8) {
        let around = ParenContext { need: tight, behind: tight, ..ParenContext::STANDALONE };
        self.without_parens(side, ParenContext { start: context.start, ..around });
    }

    /// The base of a field or a method. `(word).x` is not the unit `word.x`, whatever the spacing.
    fn base(&mut self, base: &Expr, context: ParenContext) {
        match &base.kind {
            ExprKind::Unit(unit) if !unit.text.contains('.') => {
                self.push("(").push(&unit.text).push(")");
            }
            _ => self.left_operand(base, context, tightness::POSTFIX),
        }
    }

    /// The right side of an operator, which is followed by whatever follows the expression.
    fn right_operand(&mut self, side: &Expr, context: ParenContext, need: u8) {
        self.without_parens(side, last_context(context, need));
    }

    fn quantified(&mut self, quantified: &Quantified, context: ParenContext) {
        let (word, count) = match &quantified.quantifier {
            Quantifier::Every => ("every", None),
            Quantifier::Some => ("some", None),
            Quantifier::No => ("no", None),
            Quantifier::AtLeast(count) => ("at_least", Some(count)),
            Quantifier::AtMost(count) => ("at_most", Some(count)),
            Quantifier::Exactly(count) => ("exactly", Some(count)),
        };
        self.push(word);
        if let Some(count) = count {
            self.push("(");
            self.nested(|phrase| phrase.without_parens(count, ParenContext::CLOSED));
            self.push(")");
        }
        let mut start = Start::Domain;
        if let Some(binder) = &quantified.binder {
            self.push_word(&binder.text).push_word("in");
            start = Start::Anywhere;
        }
        let domain = ParenContext { colon: true, ..ParenContext::start(start) };
        self.nested(|phrase| _ = phrase.expr(&quantified.domain, domain));
        self.push(":");
        self.nested(|phrase| {
            _ = phrase.expr(&quantified.body, last_context(context, tightness::AT))
        });
    }

    fn needle(&mut self, kind: &Name, of: &Expr) {
        let of = unwrapped(of);
        self.push(&kind.text).push(" ");
        match &of.kind {
            ExprKind::Text(text) => self.literal(text),
            _ => {
                self.push("(");
                self.nested(|phrase| phrase.without_parens(of, ParenContext::CLOSED));
                self.push(")");
            }
        }
    }

    pub fn record(&mut self, fields: &[(Name, Expr)]) {
        if fields.is_empty() {
            self.push("{}");
            return;
        }
        self.push("{ ");
        self.nested(|phrase| {
            phrase.listed(fields, |phrase, (name, value)| {
                phrase.entry_name(&name.text).push(":").expr(value, ParenContext::CLOSED);
            });
        });
        self.push(" }");
    }

    /// Quoted only if it is not a word.
    fn entry_name(&mut self, name: &str) -> &mut Self {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.push(name)
        } else {
            self.push(&literal::quoted(name))
        }
    }

    pub fn args(&mut self, args: &[Arg]) -> &mut Self {
        self.push("(");
        self.nested(|phrase| {
            phrase.listed(args, |phrase, arg| match &arg.name {
                Some(name) => {
                    _ = phrase.push(&name.text).push(":").expr(&arg.value, ParenContext::CLOSED)
                }
                None => {
                    phrase.without_parens(
                        &arg.value,
                        ParenContext { start: Start::Argument, ..ParenContext::CLOSED },
                    );
                }
            });
        });
        self.push(")")
    }

    /// An integer with its underscores.
    fn number(&mut self, expr: &Expr, number: i64) {
        let written = self.source.get(expr.span.range()).unwrap_or("");
        match written.replace('_', "").parse::<i64>() {
            Ok(value) if number == value => self.push(written),
            _ => self.push(&number.to_string()),
        };
    }

    fn regex(&mut self, expr: &Expr, regex: &Regex) {
        let written = self.source.get(expr.span.range()).unwrap_or("");
        if written.starts_with('/') {
            self.push(written);
        } else {
            let pattern = regex.pattern.replace('/', "\\/");
            self.push("/").push(&pattern).push("/").push(&regex.flags);
        }
    }

    /// A string as written, after a blank.
    pub fn string(&mut self, text: &TextLiteral) -> &mut Self {
        self.space();
        self.literal(text);
        self
    }

    pub fn literal(&mut self, text: &TextLiteral) {
        let written = self.source.get(text.span.range()).unwrap_or("");
        if !written.starts_with('"') || literal::value(written).0 != text.value {
            self.push(&literal::quoted(&text.value));
        } else if text.block && written.contains('\n') {
            // The layout indents the lines.
            let inner =
                literal::dedent(written.get(3..written.len().saturating_sub(3)).unwrap_or(""));
            let lines = if inner.is_empty() { String::new() } else { inner + "\n" };
            self.push("\"\"\"\n").push(&lines).push("\"\"\"");
        } else {
            self.push(written);
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
fn last_context(context: ParenContext, need: u8) -> ParenContext {
    ParenContext { need, start: Start::Anywhere, ..context }
}

/// Ranges do not break, so they form no chain.
fn is_range(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Range { .. })
}
