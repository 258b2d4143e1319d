//! Expressions: from what was written to a typed tree.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::check::Checker;
use super::names::Symbol;
use super::shadow;
use super::table::Share;
use super::vars::Vars;
use crate::diagnostic::{Code, Diagnostic};
use crate::predicate::evaluate::{Scene, TOO_LONG, evaluate, evaluate_within};
use crate::predicate::functions::{self, ParamType};
use crate::predicate::needles::{self, Kind};
use crate::predicate::print::print;
use crate::predicate::tree::{Node, Pattern, Quantified, Quantifier, Tree};
use crate::predicate::types::Type;
use crate::predicate::typing::{self, TypeFault};
use crate::predicate::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, Arg, ArithmeticOp, Expr, ExprKind, Name, Text};
use crate::template;
use crate::text::{LANGUAGES_ARE_TOLD, NOTHING, PUNKT_IS_KNOWN, UNITS, Unit};

/// Lowers the expressions of one file.
pub(super) struct Lowering<'c, 'w> {
    pub checker: &'c mut Checker<'w>,
    pub module: usize,
}

type Typed = (Tree, Type);

impl Lowering<'_, '_> {
    /// An expression that must have a type. Reports and gives nothing where it has not.
    pub fn expect(&mut self, expr: &Expr, wanted: &Type, vars: &Vars) -> Option<Tree> {
        let (tree, ty) = self.lower(expr, vars)?;
        if ty.fits(wanted) {
            return Some(tree);
        }
        let mut diagnostic = Diagnostic::error(
            Code::WRONG_TYPE,
            format!("{} where {} is asked for", noun(&ty), noun(wanted)),
        )
        .label(expr.span, noun(&ty));
        if *wanted == Type::Bool && ty.is_number() {
            diagnostic = diagnostic.help("compare it: `… >= 1`");
        } else if *wanted == Type::Bool {
            diagnostic =
                diagnostic.help("say what shall hold of it: `contains(…)`, `every …: …`, `== …`");
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
        // What is reported of the constant that took the last of them is enough.
        if steps.get() == 0 {
            return None;
        }
        let scene = Scene { it: &NOTHING, variables: &() };
        match evaluate_within(tree, &scene, steps) {
            Ok(value) => Some(value),
            Err(fault) if fault.message == TOO_LONG => {
                self.report(
                    Diagnostic::error(Code::TOO_LARGE, "this constant takes too long to compute")
                        .label(tree.span, "")
                        .help("go through shorter lists, or write down what comes out of them"),
                );
                None
            }
            Err(fault) => {
                let why = fault.to_string();
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, "this is no constant")
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
    fn unfilled(&mut self, text: &Text, vars: &Vars) {
        if self.checker.fills_texts || !text.value.contains("{{") {
            return;
        }
        let name = template::outline(&text.value).into_iter().find_map(|found| match found {
            template::Use::Name { path, .. } if vars.get(path.first()?).is_some() => {
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

    pub fn lower(&mut self, expr: &Expr, vars: &Vars) -> Option<Typed> {
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
                    let value = Value::Float(f64::from(share.0) / f64::from(Share::WHOLE.0));
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
                let Some(known) = Kind::from_name(&kind.text) else {
                    let kinds = needles::kinds().chain(UNITS.iter().map(|unit| unit.name));
                    let diagnostic = Diagnostic::error(
                        Code::BAD_NEEDLE,
                        format!("`{}` is nothing one can look for", kind.text),
                    )
                    .label(kind.span, "")
                    .did_you_mean(&kind.text, kinds);
                    self.report(diagnostic);
                    return None;
                };
                let of = self.expect(of, &Type::Text, vars)?;
                if let Node::Value(Value::Text(text)) = &of.node
                    && known == Kind::Letter
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
                    && let Err(fault) = needles::Sought::new(known, text)
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
                made(Node::Needle(known, Box::new(of)), Type::Needle)
            }
            ExprKind::List(members) => self.list(members, vars, span),
            ExprKind::Record(fields) => {
                let (mut trees, mut types) = (Vec::new(), BTreeMap::new());
                for (at, (name, value)) in fields.iter().enumerate() {
                    let (tree, ty) = self.lower(value, vars)?;
                    let field = crate::predicate::types::Field { ty, optional: false };
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
                made(Node::Record(trees), Type::Record(types))
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
                let (left, right) = self.both(left, right, vars);
                made(Node::And(flat(left?, right?, true)), Type::Bool)
            }
            ExprKind::Or(left, right) => {
                let (left, right) = self.both(left, right, vars);
                made(Node::Or(flat(left?, right?, false)), Type::Bool)
            }
            ExprKind::Compare(op, left, right) => {
                let (a, b) = (self.lower(left, vars)?, self.lower(right, vars)?);
                match typing::compare_type(*op, &a.1, &b.1) {
                    Ok(ty) => made(Node::Compare(*op, Box::new(a.0), Box::new(b.0)), ty),
                    Err(fault) => {
                        let fault = shadow::compared(fault, &a.0, &b.0, vars);
                        self.fault(fault, span, &[left.span, right.span])
                    }
                }
            }
            ExprKind::In { negated, left, right } => self.within(*negated, left, right, vars, span),
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
            ExprKind::Range { low, high, inclusive } => {
                self.range(low.as_deref(), high.as_deref(), *inclusive, vars, span)
            }
            ExprKind::Where(list, condition) => {
                let (tree, ty) = self.gone_through(list, vars)?;
                let member = self.member(&ty, list.span)?;
                let condition = self.expect(condition, &Type::Bool, &vars.inside(member))?;
                self.shadowed(shadow::Form::Where, &condition);
                made(Node::Where(Box::new(tree), Box::new(condition)), ty)
            }
            ExprKind::Each(list, body) => {
                let (tree, ty) = self.gone_through(list, vars)?;
                let member = self.member(&ty, list.span)?;
                let (body, of) = self.lower(body, &vars.inside(member))?;
                self.shadowed(shadow::Form::Each, &body);
                if matches!(of, Type::Needle | Type::Pattern | Type::Range) {
                    let message = format!("a list cannot hold {}", noun(&of));
                    return self.fail(Code::WRONG_TYPE, span, &message);
                }
                made(Node::Each(Box::new(tree), Box::new(body)), Type::list(of))
            }
            ExprKind::Quantified(quantified) => self.quantified(quantified, vars, span),
            ExprKind::At(subject, body) => {
                let (subject, ty) = self.lower(subject, vars)?;
                let body = self.expect(body, &Type::Bool, &vars.inside(ty))?;
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
    fn both(&mut self, left: &Expr, right: &Expr, vars: &Vars) -> (Option<Tree>, Option<Tree>) {
        (self.expect(left, &Type::Bool, vars), self.expect(right, &Type::Bool, vars))
    }

    pub fn early_part(&mut self, name: &str, span: Span) {
        self.report(
            Diagnostic::error(
                Code::UNKNOWN_NAME,
                format!("`{name}` is a part of the answer, which is not there yet"),
            )
            .label(span, "comes before the answer")
            .help("parts have values in `require`, and in the `check` of a fact"),
        );
    }

    fn name(&mut self, name: &Name, vars: &Vars) -> Option<Typed> {
        let span = name.span;
        if let Some(ty) = vars.get(&name.text) {
            let ty = ty.clone();
            if vars.is_early(&name.text) {
                self.early_part(&name.text, span);
                return None;
            }
            self.checker.use_var(&name.text);
            self.checker.use_let(vars, &name.text);
            return Some((Tree::new(Node::Var(name.text.clone()), span), ty));
        }
        if let Some((value, ty)) = self.checker.constant_named(self.module, name) {
            return Some((Tree::new(Node::Value(value), span), ty));
        }
        if self.checker.names.is_poisoned(self.module, &name.text)
            || self.checker.failed_let(self.module, &name.text)
        {
            return None;
        }
        if matches!(vars.place, "a check" | "a parameter" | "`applies when`")
            && let Some(diagnostic) = self.of_a_dialogue(&name.text, span)
        {
            self.report(diagnostic);
            return None;
        }
        let mut diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("there is no `{}` in {}", name.text, vars.place),
        )
        .label(span, "");
        if let Some(symbol) = self.checker.names.peek(self.module, &name.text) {
            diagnostic.message = format!(
                "`{}` is {}, which has no value in {}",
                name.text,
                symbol.noun(),
                vars.place
            );
        } else if vars.place == "a column" {
            diagnostic = diagnostic.help(format!(
                "an expression knows the columns above it: declare `column {}: TYPE` there",
                name.text
            ));
        } else if let Some(function) = functions::lookup(&name.text) {
            diagnostic = diagnostic.help(format!(
                "`{}` is a function: `{}`",
                name.text,
                function.signature()
            ));
            if function.subject && function.least_arguments() == 1 {
                return self.call(name, &[], vars, span);
            }
        } else {
            let known = vars.known().chain(self.checker.names.known(self.module));
            let units = UNITS.iter().map(|unit| unit.name);
            diagnostic = diagnostic.did_you_mean(&name.text, known.chain(units));
            if vars.it.is_some() && RESPONSE.contains(&name.text.as_str()) {
                diagnostic.help = Some(
                    "the response is called `it`, and what counts or searches is about it already: \
                     `len(it)`, `count(word)`, `contains(\"…\")`"
                        .to_owned(),
                );
            } else if diagnostic.help.is_none() && matches!(vars.it, Some(Type::Record(_))) {
                diagnostic.help = Some(format!(
                    "the record at hand is called `it`: write `it` in the place of `{}`",
                    name.text
                ));
            } else if let Some(instead) = habit(&name.text) {
                diagnostic.help = Some(instead.to_owned());
            } else if diagnostic.help.is_none() && vars.it.is_some() {
                diagnostic =
                    diagnostic.help(format!("a text is written with quotes: `\"{}\"`", name.text));
            }
        }
        self.report(diagnostic);
        None
    }

    fn unit(&mut self, name: &Name) -> Option<Unit> {
        if let Some(unit) = Unit::from_name(&name.text) {
            let of_punkt = matches!(unit, Unit::SentencePunkt | Unit::Token);
            if of_punkt && !PUNKT_IS_KNOWN {
                return self.not_built(Code::BAD_UNIT, name, "punkt");
            }
            return Some(unit);
        }
        let diagnostic =
            Diagnostic::error(Code::BAD_UNIT, format!("there is no unit `{}`", name.text))
                .label(name.span, "")
                .did_you_mean(&name.text, UNITS.iter().map(|unit| unit.name));
        self.report(diagnostic);
        None
    }

    fn regex(&mut self, regex: &ast::Regex, span: Span) -> Option<Typed> {
        if let Some(flag) = regex.flags.chars().find(|flag| !"ims".contains(*flag)) {
            return self.fail(
                Code::BAD_REGEX,
                span,
                &format!("there is no flag `{flag}`; there are `i`, `m` and `s`"),
            );
        }
        let pattern = Pattern::new(&regex.pattern, &regex.flags);
        match pattern.compile() {
            Ok(_) => Some((Tree::new(Node::Pattern(pattern), span), Type::Pattern)),
            Err(error) => {
                let message = error.to_string();
                let why = message
                    .lines()
                    .last()
                    .unwrap_or("")
                    .trim()
                    .trim_start_matches("error: ")
                    .to_owned();
                let mut diagnostic =
                    Diagnostic::error(Code::BAD_REGEX, format!("not a regular expression: {why}"))
                        .label(span, "");
                if why.contains("look-around") || why.contains("backreference") {
                    diagnostic = diagnostic
                        .help("patterns run in linear time, so they cannot look around or back; say it with `and`, `not` and several patterns");
                }
                self.report(diagnostic);
                None
            }
        }
    }

    fn list(&mut self, members: &[Expr], vars: &Vars, span: Span) -> Option<Typed> {
        let (mut trees, mut of) = (Vec::new(), Type::Unknown);
        for member in members {
            let (tree, ty) = self.lower(member, vars)?;
            if ty.fits(&of) {
                if of == Type::Unknown {
                    of = ty;
                }
            } else if of.fits(&ty) {
                of = ty;
            } else {
                let message =
                    format!("{} in a list of which the first member is {}", noun(&ty), noun(&of));
                return self.fail(Code::WRONG_TYPE, member.span, &message);
            }
            trees.push(tree);
        }
        let values: Option<Vec<Value>> = trees
            .iter()
            .map(|tree| match &tree.node {
                Node::Value(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        let node = values.map_or(Node::List(trees), |values| Node::Value(Value::list(values)));
        Some((Tree::new(node, span), Type::list(of)))
    }

    /// The type of a field; of a list of records, the list of that field.
    fn field(&mut self, ty: &Type, name: &Name) -> Option<Type> {
        match ty {
            Type::Unknown => Some(Type::Unknown),
            Type::List(of) if matches!(**of, Type::Record(_)) => {
                self.field(of, name).map(Type::list)
            }
            Type::Record(fields) => match fields.get(&name.text) {
                Some(field) => Some(field.ty.clone()),
                None => {
                    let have: Vec<String> =
                        fields.keys().map(|field| format!("`{field}`")).collect();
                    let diagnostic = Diagnostic::error(
                        Code::UNKNOWN_FIELD,
                        format!("there is no field `{}`", name.text),
                    )
                    .label(name.span, "")
                    .help(format!("there are {}", have.join(", ")))
                    .did_you_mean(&name.text, fields.keys().map(String::as_str));
                    self.report(diagnostic);
                    None
                }
            },
            other => {
                self.fail(Code::UNKNOWN_FIELD, name.span, &format!("{} has no fields", noun(other)))
            }
        }
    }

    fn member(&mut self, ty: &Type, span: Span) -> Option<Type> {
        match ty {
            Type::List(of) => Some((**of).clone()),
            Type::Unknown => Some(Type::Unknown),
            other => {
                let diagnostic = Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("{} where a list is asked for", noun(other)),
                )
                .label(span, "")
                .help("write a unit (`every sentence: …`) or a list");
                self.report(diagnostic);
                None
            }
        }
    }

    fn index(&mut self, inner: &Expr, at: &Expr, vars: &Vars, span: Span) -> Option<Typed> {
        let (list, list_ty) = self.lower(inner, vars)?;
        let member = self.member(&list_ty, inner.span)?;
        let (at_tree, at_ty) = self.lower(at, vars)?;
        let ty = match at_ty {
            Type::Int | Type::Unknown => member,
            Type::Range => list_ty,
            other => {
                return self.fail(
                    Code::WRONG_TYPE,
                    at.span,
                    &format!("{} as an ordinal", noun(&other)),
                );
            }
        };
        if matches!(at_tree.node, Node::Value(Value::Int(0))) {
            let diagnostic = Diagnostic::error(Code::BAD_NUMBER, "there is no member 0")
                .label(at.span, "")
                .help("the first is 1, the last is -1");
            self.report(diagnostic);
            return None;
        }
        Some((Tree::new(Node::Index(Box::new(list), Box::new(at_tree)), span), ty))
    }

    /// Refuses what needs a feature of the crate that this build is without.
    fn not_built<T>(&mut self, code: Code, name: &Name, feature: &str) -> Option<T> {
        let message = format!("`{}` is not in this build of ifs", name.text);
        let help = format!("build ifs with its feature `{feature}`");
        self.report(Diagnostic::error(code, message).label(name.span, "").help(help));
        None
    }

    fn call(&mut self, name: &Name, args: &[Arg], vars: &Vars, span: Span) -> Option<Typed> {
        if let Some(Symbol::Def(at)) = self.checker.names.peek(self.module, &name.text) {
            return self.apply(at, args, vars, span);
        }
        let Some(function) = functions::lookup(&name.text) else {
            if self.checker.names.is_poisoned(self.module, &name.text) {
                return None;
            }
            if name.text == "image" {
                return self.image_call(args, span);
            }
            let mut diagnostic = Diagnostic::error(
                Code::UNKNOWN_FUNCTION,
                format!("there is no function `{}`", name.text),
            )
            .label(name.span, "")
            .did_you_mean(&name.text, functions::all().map(|function| function.name));
            if let Some(instead) = habit(&name.text) {
                diagnostic.help = Some(instead.to_owned());
            }
            self.report(diagnostic);
            return None;
        };
        let of_language = ["language", "language_as_released"].contains(&function.name);
        if of_language && !LANGUAGES_ARE_TOLD {
            return self.not_built(Code::UNKNOWN_FUNCTION, name, "languages");
        }
        let (mut trees, mut types, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            if let Some(named) = &arg.name {
                return self.fail(Code::BAD_ARGUMENT, named.span, NO_NAMES);
            }
            let (tree, ty) = match (function.params.get(at), args.first(), types.first()) {
                // It is asked of each member of the list before it.
                (Some(param), Some(list), Some(ty)) if param.ty == ParamType::Key => {
                    let member = self.member(ty, list.value.span)?;
                    self.lower(&arg.value, &vars.inside(member))?
                }
                _ => self.lower(&arg.value, vars)?,
            };
            trees.push(tree);
            types.push(ty);
            spans.push(arg.value.span);
        }
        if !typing::gives_subject(&function, trees.len()) {
            let Some(it) = &vars.it else {
                return self.fail(
                    Code::BAD_ARGUMENT,
                    name.span,
                    &format!(
                        "`{}` is about a text, and there is none in {}",
                        name.text, vars.place
                    ),
                );
            };
            trees.insert(0, Tree::new(Node::It, name.span));
            types.insert(0, it.clone());
            spans.insert(0, name.span);
        }
        // A text that is written out is not a case: it is what may be left out after the text.
        let lacks = function.subject && trees.len() < function.params.len();
        if let ([first, ..], [argument, ..]) = (trees.as_slice(), args)
            && lacks
            && matches!(first.node, Node::Value(Value::Text(_)))
        {
            let written: Vec<String> = trees.iter().map(print).collect();
            let meant = format!("`{}(it, {})`", name.text, written.join(", "));
            let diagnostic = Diagnostic::error(
                Code::BAD_ARGUMENT,
                format!("this is the text that `{}` would be about", name.text),
            );
            let help = format!("for the text at hand write {meant}");
            self.report(diagnostic.label(argument.value.span, "").help(help));
            return None;
        }
        match typing::call_type(&function, &types) {
            Ok(ty) => self
                .schemas(&function, &mut trees)
                .map(|()| (Tree::new(Node::Call(function, trees), span), ty)),
            Err(fault) => {
                let at = fault.argument.and_then(|at| spans.get(at)).copied().unwrap_or(name.span);
                let mut diagnostic =
                    Diagnostic::error(Code::BAD_ARGUMENT, fault.message).label(at, "");
                diagnostic.help = fault.help;
                self.report(diagnostic);
                None
            }
        }
    }

    /// `game.score_at(t)` is `score_at(game, t)`; after a module's name, a function of that module.
    fn method(
        &mut self,
        target: &Expr,
        name: &Name,
        args: &[Arg],
        vars: &Vars,
        span: Span,
    ) -> Option<Typed> {
        if let ExprKind::Name(module) = &target.kind
            && vars.get(&module.text).is_none()
            && let Some(Symbol::Module(_)) = self.checker.names.peek(self.module, &module.text)
        {
            let path = ast::Path {
                names: vec![module.clone(), name.clone()],
                span: module.span.to(name.span),
            };
            return match self.checker.find(self.module, &path)? {
                Symbol::Def(at) => self.apply(at, args, vars, span),
                other => self.fail(
                    Code::UNKNOWN_FUNCTION,
                    name.span,
                    &format!("`{}` is {}, not a function", path.text(), other.noun()),
                ),
            };
        }
        let subject = Arg { name: None, value: target.clone() };
        let all: Vec<Arg> = std::iter::once(subject).chain(args.iter().cloned()).collect();
        self.call(name, &all, vars, span)
    }

    fn within(
        &mut self,
        negated: bool,
        left: &Expr,
        right: &Expr,
        vars: &Vars,
        span: Span,
    ) -> Option<Typed> {
        let b = self.lower(right, vars)?;
        // The units of a text that is named need no text at hand.
        let a = match (&left.kind, &vars.it) {
            (ExprKind::Unit(_), None) => self.lower(left, &vars.inside(b.1.clone()))?,
            _ => self.lower(left, vars)?,
        };
        let units = matches!(a.0.node, Node::Units(_, None));
        let ty = match typing::within_type(&a.1, units, &b.1) {
            Ok(ty) => ty,
            Err(fault) => return self.fault(fault, span, &[left.span, right.span]),
        };
        let node = match a.0.node {
            Node::Units(unit, None) if ty != Type::Bool => Node::Units(unit, Some(Box::new(b.0))),
            node => Node::Within(Box::new(Tree::new(node, left.span)), Box::new(b.0)),
        };
        let tree = Tree::new(node, span);
        if !negated {
            return Some((tree, ty));
        }
        if ty != Type::Bool {
            return self.fail(
                Code::WRONG_TYPE,
                span,
                "`not in` asks whether something is no member; here `in` gives a list",
            );
        }
        Some((Tree::new(Node::Not(Box::new(tree)), span), Type::Bool))
    }

    fn range(
        &mut self,
        low: Option<&Expr>,
        high: Option<&Expr>,
        inclusive: bool,
        vars: &Vars,
        span: Span,
    ) -> Option<Typed> {
        let mut end = |expr: Option<&Expr>| match expr {
            None => Some(None),
            Some(expr) => {
                let (tree, ty) = self.lower(expr, vars)?;
                if !ty.is_number() {
                    return self.fail(
                        Code::WRONG_TYPE,
                        expr.span,
                        &format!("{} as an end of a range", noun(&ty)),
                    );
                }
                Some(Some(Box::new(tree)))
            }
        };
        let (low, high) = (end(low)?, end(high)?);
        Some((Tree::new(Node::Range { low, high, inclusive }, span), Type::Range))
    }

    /// What members are taken from: a list, or a range for its whole numbers.
    fn gone_through(&mut self, expr: &Expr, vars: &Vars) -> Option<Typed> {
        let (tree, ty) = self.lower(expr, vars)?;
        Some((tree, if ty == Type::Range { Type::list(Type::Int) } else { ty }))
    }

    /// A list that has a value by itself, as a loop needs it.
    pub fn list_of(&mut self, expr: &Expr, vars: &Vars) -> Option<(Tree, Type)> {
        let (tree, ty) = self.gone_through(expr, vars)?;
        let member = self.member(&ty, expr.span)?;
        let tree = match tree.node {
            Node::Range { .. } => {
                let it = Box::new(Tree::new(Node::It, expr.span));
                Tree::new(Node::Each(Box::new(tree), it), expr.span)
            }
            _ => tree,
        };
        Some((tree, member))
    }

    fn quantified(
        &mut self,
        quantified: &ast::Quantified,
        vars: &Vars,
        span: Span,
    ) -> Option<Typed> {
        let mut number = |expr: &Expr| self.expect(expr, &Type::Int, vars);
        let quantifier = match &quantified.quantifier {
            ast::Quantifier::Every => Quantifier::Every,
            ast::Quantifier::Some => Quantifier::Some,
            ast::Quantifier::No => Quantifier::No,
            ast::Quantifier::AtLeast(count) => Quantifier::AtLeast(number(count)?),
            ast::Quantifier::AtMost(count) => Quantifier::AtMost(number(count)?),
            ast::Quantifier::Exactly(count) => Quantifier::Exactly(number(count)?),
        };
        let (domain, ty) = self.gone_through(&quantified.domain, vars)?;
        let member = self.member(&ty, quantified.domain.span)?;
        let inner = match &quantified.binder {
            Some(name) => {
                self.checker.check_name(name, "a quantifier's name");
                vars.clone().with(&name.text, member)
            }
            None => vars.inside(member),
        };
        let body = self.expect(&quantified.body, &Type::Bool, &inner)?;
        if quantified.binder.is_none() {
            self.shadowed(shadow::Form::Quantified, &body);
        }
        let binder = quantified.binder.as_ref().map(|name| name.text.clone());
        let node = Node::Quantified(Box::new(Quantified { quantifier, binder, domain, body }));
        Some((Tree::new(node, span), Type::Bool))
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: Option<&Expr>,
        vars: &Vars,
        span: Span,
    ) -> Option<Typed> {
        let condition = self.expect(condition, &Type::Bool, vars)?;
        let Some(otherwise) = otherwise else {
            let (then_tree, ty) = self.lower(then, vars)?;
            if !matches!(ty, Type::Bool | Type::Unknown) {
                let message = format!(
                    "an `if` without `else` is a condition, and after `then` there is {}",
                    noun(&ty)
                );
                self.report(
                    Diagnostic::error(Code::WRONG_TYPE, message)
                        .label(then.span, noun(&ty))
                        .help("write what it is otherwise: `if CONDITION then VALUE else VALUE`"),
                );
                return None;
            }
            let then = then_tree;
            return Some((
                Tree::new(Node::If(Box::new(condition), Box::new(then), None), span),
                Type::Bool,
            ));
        };
        let (then_tree, then_ty) = self.lower(then, vars)?;
        let (other_tree, other_ty) = self.lower(otherwise, vars)?;
        let ty = if then_ty.fits(&other_ty) {
            other_ty
        } else if other_ty.fits(&then_ty) {
            then_ty
        } else {
            let message =
                format!("{} after `else`, {} after `then`", noun(&other_ty), noun(&then_ty));
            return self.fail(Code::WRONG_TYPE, otherwise.span, &message);
        };
        let node = Node::If(Box::new(condition), Box::new(then_tree), Some(Box::new(other_tree)));
        Some((Tree::new(node, span), ty))
    }
}

/// What the response is called elsewhere.
const RESPONSE: [&str; 8] =
    ["response", "output", "completion", "answer", "message", "text", "content", "result"];

/// What people call a function elsewhere, and how it is written here.
fn habit(name: &str) -> Option<&'static str> {
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
fn flat(left: Tree, right: Tree, and: bool) -> Vec<Tree> {
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

/// The value of a tree in which nothing is drawn, or why it has none.
pub(super) fn constant_value(tree: &Tree) -> Result<Value, String> {
    if let Node::Value(value) = &tree.node {
        return Ok(value.clone());
    }
    evaluate(tree, &Scene { it: &NOTHING, variables: &() }).map_err(|fault| fault.to_string())
}

/// A type with its article.
pub(super) fn noun(ty: &Type) -> String {
    ty.noun()
}
