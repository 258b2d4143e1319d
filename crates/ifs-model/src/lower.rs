//! Expressions: from what was written to a typed tree.

mod calls;
mod compared;
mod lists;
mod names;
mod quoted;
mod shadow;

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::check::Checker;
use super::table::Share;
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template;
use ifs_predicate::evaluate::{TOO_LONG, TextContext, evaluate, evaluate_within};
use ifs_predicate::functions::Func;
use ifs_predicate::needles::{self, SearchKind};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::typing::{self, TypeFault};
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, ArithmeticOp, CompareOp, Expr, ExprKind, TextLiteral};
use ifs_text::{NOTHING, UNITS};

/// Lowers the expressions of one file.
pub(super) struct Lowering<'c, 'w> {
    pub checker: &'c mut Checker<'w>,
    pub module: usize,
}

type TypedTree = (Tree, Type);

impl<'w> Checker<'w> {
    pub fn lowering(&mut self, module: usize) -> Lowering<'_, 'w> {
        Lowering { checker: self, module }
    }
}

impl Lowering<'_, '_> {
    /// An expression that must have a type. Reports and gives nothing where it has not.
    pub fn expect(&mut self, expr: &Expr, wanted: &Type, vars: &Vars) -> Option<Tree> {
        let (tree, ty) = self.lower(expr, vars)?;
        if ty.fits(wanted) {
            return Some(tree);
        }
        let mut diagnostic = Diagnostic::error(
            Code::WRONG_TYPE,
            format!("{} where {} is expected", noun(&ty), noun(wanted)),
        )
        .label(expr.span, noun(&ty));
        if *wanted == Type::Bool && ty.is_number() {
            diagnostic = diagnostic.help("compare it: `… >= 1`");
        } else if *wanted == Type::Bool {
            diagnostic =
                diagnostic.help("write a condition on it: `contains(…)`, `every …: …`, `== …`");
        } else if *wanted == Type::Text && ty.is_number() {
            diagnostic = diagnostic.help("write it as a text: `to_text(…)`");
        }
        self.report(diagnostic);
        None
    }

    /// An expression whose value is known before anything is drawn.
    pub fn constant(&mut self, expr: &Expr, wanted: &Type) -> Option<Value> {
        let tree = self.expect(expr, wanted, &Vars::new("a constant"))?;
        self.value_of(&tree)
    }

    pub fn value_of(&mut self, tree: &Tree) -> Option<Value> {
        if let Node::Value(value) = &tree.node {
            return Some(value.clone());
        }
        let steps = &self.checker.loader.budget.steps;
        // One report, about the constant that exceeded the budget, is enough.
        if steps.get() == 0 {
            return None;
        }
        let scene = TextContext { it: &NOTHING, variables: &() };
        match evaluate_within(tree, &scene, steps) {
            Ok(value) => Some(value),
            Err(fault) if fault.message == TOO_LONG => {
                self.report(
                    Diagnostic::error(Code::TOO_LARGE, "this constant takes too long to compute")
                        .label(tree.span, "")
                        .help("use shorter lists, or write the result as a constant"),
                );
                None
            }
            Err(fault) => {
                let why = fault.to_string();
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, "this is not a constant")
                        .label(tree.span, why),
                );
                None
            }
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.checker.diagnostics.push(diagnostic);
    }

    /// A text that is a value has no places to fill in: `{{ name }}` would be looked for, or sent,
    /// as it is written.
    fn unfilled(&mut self, text: &TextLiteral, vars: &Vars) {
        if self.checker.fills_texts || !text.value.contains("{{") {
            return;
        }
        let name = template::outline(&text.value).into_iter().find_map(|found| match found {
            template::TemplateUse::Name { path, .. }
                if vars.get(path.first()?).is_some()
                    || vars.it.is_some() && path.first()? == "it" =>
            {
                Some(path.join("."))
            }
            _ => None,
        });
        let Some(name) = name else { return };
        self.report(
            Diagnostic::error(
                Code::UNFILLED_TEXT,
                format!("`{{{{ {name} }}}}` is not filled in here: this text is a value"),
            )
            .label(text.span, "a value of an expression")
            .help(format!(
                "write `{name}` itself, or join texts: `\"…\" + to_text({name}) + \"…\"`"
            )),
        );
    }

    pub fn lower(&mut self, expr: &Expr, vars: &Vars) -> Option<TypedTree> {
        let span = expr.span;
        let made = |node, ty| Some((Tree::new(node, span), ty));
        match &expr.kind {
            ExprKind::Paren(inner) => self.lower(inner, vars),
            ExprKind::Int(number) => made(Node::Value(Value::Int(*number)), Type::Int),
            ExprKind::Float(digits) => match digits.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    made(Node::Value(Value::Float(number)), Type::Float)
                }
                _ => self.fail(Code::BAD_NUMBER, span, "this number is too large"),
            },
            ExprKind::Percent(percent) => match Share::parse(&percent.digits) {
                Some(share) => {
                    let value = Value::Float(f64::from(share.0) / f64::from(Share::ONE.0));
                    made(Node::Value(value), Type::Float)
                }
                None => self.fail(
                    Code::BAD_NUMBER,
                    span,
                    "a share is from 0% to 100%, with at most four decimals",
                ),
            },
            ExprKind::Bool(value) => made(Node::Value(Value::Bool(*value)), Type::Bool),
            ExprKind::Text(text) => {
                self.unfilled(text, vars);
                made(Node::Value(Value::text(&text.value)), Type::Text)
            }
            ExprKind::Regex(regex) => self.regex(regex, span),
            ExprKind::It => match &vars.it {
                Some(ty) => made(Node::It, ty.clone()),
                None => self.fail(
                    Code::UNKNOWN_NAME,
                    span,
                    &format!("there is no `it` in {}", vars.place),
                ),
            },
            ExprKind::Name(name) => self.name(name, vars),
            ExprKind::Unit(name) => {
                let unit = self.unit(name)?;
                if vars.it.is_none() {
                    return self.fail(
                        Code::BAD_UNIT,
                        span,
                        &format!(
                            "there is no text to find a {} in, in {}",
                            unit.name(),
                            vars.place
                        ),
                    );
                }
                made(Node::Units(unit, None), typing::units_type(unit))
            }
            ExprKind::Needle(kind, of) => {
                let Some(known) = SearchKind::from_name(&kind.text) else {
                    let kinds = needles::kinds().chain(UNITS.iter().map(|unit| unit.name));
                    let diagnostic = Diagnostic::error(
                        Code::BAD_NEEDLE,
                        format!("`{}` cannot be searched for", kind.text),
                    )
                    .label(kind.span, "")
                    .did_you_mean(&kind.text, kinds);
                    self.report(diagnostic);
                    return None;
                };
                let of = self.expect(of, &Type::Text, vars)?;
                if let Node::Value(Value::Text(text)) = &of.node
                    && known == SearchKind::Letter
                    && text.graphemes(true).count() > 1
                {
                    let text = text.to_string();
                    let diagnostic = Diagnostic::error(
                        Code::BAD_NEEDLE,
                        format!("`{text}` is more than one letter"),
                    )
                    .label(span, "")
                    .help(format!("write `text \"{text}\"` to look for them in a row"));
                    self.report(diagnostic);
                    return None;
                }
                if let Node::Value(Value::Text(text)) = &of.node
                    && let Err(fault) = needles::SearchPattern::new(known, text)
                {
                    let mut diagnostic =
                        Diagnostic::error(Code::BAD_NEEDLE, fault.to_string()).label(span, "");
                    if !text.is_empty() {
                        diagnostic = diagnostic.help(format!(
                            "write `text \"{text}\"` to look for all of it in a row"
                        ));
                    }
                    self.report(diagnostic);
                    return None;
                }
                if !matches!(known, SearchKind::Text | SearchKind::Char | SearchKind::Regex) {
                    self.quoted_pattern("", &of, of.span);
                }
                made(Node::Needle(known, Box::new(of)), Type::Needle)
            }
            ExprKind::List(members) => self.list(members, vars, span),
            ExprKind::Record(fields) => {
                let (mut trees, mut types) = (Vec::new(), BTreeMap::new());
                for (at, (name, value)) in fields.iter().enumerate() {
                    let (tree, ty) = self.lower(value, vars)?;
                    let field = ifs_predicate::types::Field::new(ty, false);
                    let same = |(known, _): &&(ast::Name, Expr)| known.text == name.text;
                    if let Some((first, _)) = fields[..at].iter().find(same) {
                        let message = format!("the field `{}` is given twice", name.text);
                        self.report(
                            Diagnostic::error(Code::DUPLICATE_NAME, message)
                                .label(name.span, "second time")
                                .label(first.span, "first time")
                                .help("keep one of them"),
                        );
                        return None;
                    }
                    types.insert(name.text.clone(), field);
                    trees.push((name.text.clone(), tree));
                }
                let ty = Type::Record(types);
                if !self.is_small_type(&ty, span) {
                    return None;
                }
                made(Node::Record(trees), ty)
            }
            ExprKind::Field(inner, name) => {
                let (tree, ty) = self.lower(inner, vars)?;
                self.shadowed_field(&tree, &ty, name, vars)?;
                let ty = self.field(&ty, name)?;
                made(Node::Field(Box::new(tree), name.text.clone()), ty)
            }
            ExprKind::Index(inner, at) => self.index(inner, at, vars, span),
            ExprKind::Call(name, args) => self.call(name, args, vars, span),
            ExprKind::Method(target, name, args) => self.method(target, name, args, vars, span),
            ExprKind::Not(inner) => {
                let inner = self.expect(inner, &Type::Bool, vars)?;
                made(Node::Not(Box::new(inner)), Type::Bool)
            }
            ExprKind::Negative(inner) => {
                let (tree, ty) = self.lower(inner, vars)?;
                if !ty.is_number() {
                    return self.fail(Code::WRONG_TYPE, span, &format!("`-` before {}", noun(&ty)));
                }
                match tree.node {
                    Node::Value(Value::Int(number)) => {
                        made(Node::Value(Value::Int(number.saturating_neg())), ty)
                    }
                    Node::Value(Value::Float(number)) => {
                        made(Node::Value(Value::Float(-number)), ty)
                    }
                    _ => made(Node::Negative(Box::new(tree)), ty),
                }
            }
            ExprKind::And(left, right) => {
                let (left, right) = self.lower_both(left, right, vars);
                made(Node::And(flatten_chain(left?, right?, true)), Type::Bool)
            }
            ExprKind::Or(left, right) => {
                let (left, right) = self.lower_both(left, right, vars);
                made(Node::Or(flatten_chain(left?, right?, false)), Type::Bool)
            }
            ExprKind::Compare(op, left, right) => {
                let (a, b) = (self.lower(left, vars)?, self.lower(right, vars)?);
                match typing::compare_type(*op, &a.1, &b.1) {
                    Ok(ty) => {
                        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
                            self.compared(&a.0, &b.0, vars);
                        }
                        made(Node::Compare(*op, Box::new(a.0), Box::new(b.0)), ty)
                    }
                    Err(fault) => {
                        let fault = shadow::compared(fault, &a.0, &b.0, vars);
                        self.fault(fault, span, &[left.span, right.span])
                    }
                }
            }
            ExprKind::In { negated, left, right } => {
                self.lower_containment(*negated, left, right, vars, span)
            }
            ExprKind::Arithmetic(op, left, right) => {
                let (a, b) = (self.lower(left, vars)?, self.lower(right, vars)?);
                let zero = matches!(b.0.node, Node::Value(Value::Int(0)));
                if zero && matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder) {
                    return self.fail(Code::BAD_NUMBER, right.span, "division by zero");
                }
                match typing::arithmetic_type(*op, &a.1, &b.1) {
                    Ok(ty) => made(Node::Arithmetic(*op, Box::new(a.0), Box::new(b.0)), ty),
                    Err(fault) => self.fault(fault, span, &[left.span, right.span]),
                }
            }
            ExprKind::Otherwise(left, right) => {
                let (a, b) = (self.lower(left, vars)?, self.lower(right, vars)?);
                if !b.1.fits(&a.1) && !a.1.fits(&b.1) {
                    let what = format!("expected {}, found {}", a.1.noun(), b.1.noun());
                    return self.fail(Code::WRONG_TYPE, right.span, &what);
                }
                let ty = if a.1.fits(&b.1) { b.1 } else { a.1 };
                made(Node::Call(Func::VALUE_OR, vec![a.0, b.0]), ty)
            }
            ExprKind::Range { low, high, inclusive } => {
                self.range(low.as_deref(), high.as_deref(), *inclusive, vars, span)
            }
            ExprKind::Where(list, condition) => {
                let (tree, ty) = self.iterated_list(list, vars)?;
                let member = self.member(&ty, list.span)?;
                let condition =
                    self.expect(condition, &Type::Bool, &vars.with_inner_text(member))?;
                self.shadowed(shadow::InnerForm::Where, &condition);
                made(Node::Where(Box::new(tree), Box::new(condition)), ty)
            }
            ExprKind::Each(list, body) => {
                let (tree, ty) = self.iterated_list(list, vars)?;
                let member = self.member(&ty, list.span)?;
                let (body, of) = self.lower(body, &vars.with_inner_text(member))?;
                self.shadowed(shadow::InnerForm::Each, &body);
                if matches!(of, Type::Needle | Type::Pattern | Type::Range) {
                    let message = format!("a list cannot hold {}", noun(&of));
                    return self.fail(Code::WRONG_TYPE, span, &message);
                }
                made(Node::Each(Box::new(tree), Box::new(body)), Type::list(of))
            }
            ExprKind::Quantified(quantified) => self.quantified(quantified, vars, span),
            ExprKind::At(subject, body) => {
                let (subject, ty) = self.lower(subject, vars)?;
                let body = self.expect(body, &Type::Bool, &vars.with_inner_text(ty))?;
                made(Node::At(Box::new(subject), Box::new(body)), Type::Bool)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise.as_deref(), vars, span)
            }
        }
    }

    fn fail<T>(&mut self, code: Code, span: Span, message: &str) -> Option<T> {
        self.report(Diagnostic::error(code, message).label(span, ""));
        None
    }

    fn fault<T>(&mut self, fault: TypeFault, span: Span, operands: &[Span]) -> Option<T> {
        let at = fault.argument.and_then(|at| operands.get(at)).copied().unwrap_or(span);
        let mut diagnostic = Diagnostic::error(Code::WRONG_TYPE, fault.message).label(at, "");
        diagnostic.help = fault.help;
        self.report(diagnostic);
        None
    }

    /// Both sides, so that a mistake in each is reported.
    fn lower_both(
        &mut self,
        left: &Expr,
        right: &Expr,
        vars: &Vars,
    ) -> (Option<Tree>, Option<Tree>) {
        (self.expect(left, &Type::Bool, vars), self.expect(right, &Type::Bool, vars))
    }
}

/// Names of the response in other tools.
const RESPONSE: [&str; 8] =
    ["response", "output", "completion", "answer", "message", "text", "content", "result"];

/// Names of functions in other languages, and their equivalents here.
fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "word_count" | "wordcount" | "num_words" | "count_words" | "words_count" => {
            "write `count(word)`"
        }
        "sentence_count" | "num_sentences" | "count_sentences" => "write `count(sentence)`",
        "paragraph_count" | "num_paragraphs" | "count_paragraphs" => "write `count(paragraph)`",
        "line_count" | "num_lines" | "count_lines" => "write `count(line)`",
        "char_count" | "character_count" | "num_chars" | "length" | "strlen" | "size" => {
            "write `len(it)` for the characters of the response, `len(list)` for the members of a list"
        }
        "startswith" | "startsWith" => "write `starts_with(\"…\")`",
        "endswith" | "endsWith" => "write `ends_with(\"…\")`",
        "includes" | "has" => "write `contains(\"…\")`",
        "tolower" | "toLowerCase" | "lowercase" => "write `lower(it)`",
        "toupper" | "toUpperCase" | "uppercase" => "write `upper(it)`",
        "match" | "re_match" | "regex" | "search" => "write `contains(/PATTERN/)`",
        "choice" | "choices" | "random" | "randint" | "rand" | "shuffle" => {
            "what is random is a parameter: `param x: one_of [\"a\", \"b\"]`, `param n: int in 1..=9`"
        }
        _ => return None,
    })
}

pub(super) const NO_NAMES: &str = "functions take their arguments in order, without names";

/// `a and b and c` is one node with three parts.
fn flatten_chain(left: Tree, right: Tree, and: bool) -> Vec<Tree> {
    let mut parts = Vec::new();
    for side in [left, right] {
        match side.node {
            Node::And(inner) if and => parts.extend(inner),
            Node::Or(inner) if !and => parts.extend(inner),
            node => parts.push(Tree { node, span: side.span }),
        }
    }
    parts
}

/// Evaluates a tree that does not depend on drawn values, without reporting.
pub(super) fn known_value(tree: &Tree) -> Option<Value> {
    constant_value(tree).ok()
}

/// The value of a tree in which nothing is drawn, or why it has none.
pub(super) fn constant_value(tree: &Tree) -> Result<Value, String> {
    if let Node::Value(value) = &tree.node {
        return Ok(value.clone());
    }
    evaluate(tree, &TextContext { it: &NOTHING, variables: &() }).map_err(|fault| fault.to_string())
}

/// A type with its article.
pub(super) fn noun(ty: &Type) -> String {
    ty.noun()
}

/// The source of a loop: a list, or the integers of a range.
pub(super) fn loop_list((tree, ty): (Tree, Type)) -> (Tree, Type) {
    if ty != Type::Range {
        return (tree, ty);
    }
    let span = tree.span;
    let it = Box::new(Tree::new(Node::It, span));
    (Tree::new(Node::Each(Box::new(tree), it), span), Type::list(Type::Int))
}
