//! Calls of functions, of `def` and of methods, and `in`.

use super::{Lowering, NO_NAMES, TypedTree, foreign_function};

use crate::names::Symbol;
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::functions::{self, ParamType};
use ifs_predicate::print::print;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::typing;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Arg, Expr, ExprKind, Name};
use ifs_text::LANGUAGES_ARE_IDENTIFIED;

impl Lowering<'_, '_> {
    /// Refuses what needs a feature of the crate that this build is without.
    pub(super) fn report_missing_feature<T>(
        &mut self,
        code: Code,
        name: &Name,
        feature: &str,
    ) -> Option<T> {
        let message = format!("`{}` is not in this build of ifs", name.text);
        let help = format!("build ifs with its feature `{feature}`");
        self.report(Diagnostic::error(code, message).label(name.span, "").help(help));
        None
    }

    pub(super) fn call(
        &mut self,
        name: &Name,
        args: &[Arg],
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
        if let Some(Symbol::Def(at)) = self.checker.names.look_up_quietly(self.module, &name.text) {
            return self.apply(at, args, vars, span);
        }
        let Some(function) = functions::lookup(&name.text) else {
            if self.checker.names.has_syntax_error(self.module, &name.text) {
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
            if let Some(instead) = foreign_function(&name.text) {
                diagnostic.help = Some(instead.to_owned());
            }
            self.report(diagnostic);
            return None;
        };
        let of_language = ["language", "language_as_released"].contains(&function.name);
        if of_language && !LANGUAGES_ARE_IDENTIFIED {
            return self.report_missing_feature(Code::UNKNOWN_FUNCTION, name, "languages");
        }
        let (mut trees, mut types, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for (at, arg) in args.iter().enumerate() {
            if let Some(named) = &arg.name {
                return self.fail(Code::BAD_ARGUMENT, named.span, NO_NAMES);
            }
            let (tree, ty) = match (function.params.get(at), args.first(), types.first()) {
                // It is evaluated for each member of the list before it.
                (Some(param), Some(list), Some(ty)) if param.ty == ParamType::Key => {
                    let member = self.member(ty, list.value.span)?;
                    self.lower(&arg.value, &vars.with_inner_text(member))?
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
                    &format!("`{}` needs a text, and there is none in {}", name.text, vars.place),
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
                format!("this would be the text that `{}` examines", name.text),
            );
            let help = format!("for the current text write {meant}");
            self.report(diagnostic.label(argument.value.span, "").help(help));
            return None;
        }
        for (param, tree) in function.params.iter().zip(&trees) {
            if matches!(param.ty, ParamType::Sought | ParamType::Countable) {
                self.quoted_pattern(function.name, tree, tree.span);
            }
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
    pub(super) fn method(
        &mut self,
        target: &Expr,
        name: &Name,
        args: &[Arg],
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
        if let ExprKind::Name(module) = &target.kind
            && vars.get(&module.text).is_none()
            && let Some(Symbol::Module(_)) =
                self.checker.names.look_up_quietly(self.module, &module.text)
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

    pub(super) fn lower_containment(
        &mut self,
        negated: bool,
        left: &Expr,
        right: &Expr,
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
        let b = self.lower(right, vars)?;
        // The units of an explicit text need no current text.
        let a = match (&left.kind, &vars.it) {
            (ExprKind::Unit(_), None) => self.lower(left, &vars.with_inner_text(b.1.clone()))?,
            _ => self.lower(left, vars)?,
        };
        if matches!(b.0.node, Node::List(_) | Node::Value(Value::List(_))) {
            self.compared(&a.0, &b.0, vars);
        }
        let units = matches!(a.0.node, Node::Units(_, None));
        let ty = match typing::within_type(&a.1, units, &b.1) {
            Ok(ty) => ty,
            Err(fault) => return self.fault(fault, span, &[left.span, right.span]),
        };
        if b.1 == Type::Text {
            self.quoted_pattern("in", &a.0, left.span);
        }
        let node = match a.0.node {
            // `word in it` is `word`.
            Node::Units(unit, None) if ty != Type::Bool && b.0.node == Node::It => {
                Node::Units(unit, None)
            }
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
}
