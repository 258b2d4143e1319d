//! Ranges, lists, quantifiers and branches.

use super::{Lowering, TypedTree, noun, shadow};

use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::tree::{Node, Quantified, Quantifier, Tree};
use ifs_predicate::types::Type;
use ifs_syntax::ast::{self, Expr};

impl Lowering<'_, '_> {
    pub(super) fn range(
        &mut self,
        low: Option<&Expr>,
        high: Option<&Expr>,
        inclusive: bool,
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
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

    /// The source of members: a list, or a range for its integers.
    pub(super) fn iterated_list(&mut self, expr: &Expr, vars: &Vars) -> Option<TypedTree> {
        let (tree, ty) = self.lower(expr, vars)?;
        Some((tree, if ty == Type::Range { Type::list(Type::Int) } else { ty }))
    }

    /// A list that has a value by itself, as a loop needs it.
    pub fn list_of(&mut self, expr: &Expr, vars: &Vars) -> Option<(Tree, Type)> {
        let (tree, ty) = self.iterated_list(expr, vars)?;
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

    pub(super) fn quantified(
        &mut self,
        quantified: &ast::Quantified,
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
        let mut number = |expr: &Expr| self.expect(expr, &Type::Int, vars);
        let quantifier = match &quantified.quantifier {
            ast::Quantifier::Every => Quantifier::Every,
            ast::Quantifier::Some => Quantifier::Some,
            ast::Quantifier::No => Quantifier::No,
            ast::Quantifier::AtLeast(count) => Quantifier::AtLeast(number(count)?),
            ast::Quantifier::AtMost(count) => Quantifier::AtMost(number(count)?),
            ast::Quantifier::Exactly(count) => Quantifier::Exactly(number(count)?),
        };
        let (domain, ty) = self.iterated_list(&quantified.domain, vars)?;
        let member = self.member(&ty, quantified.domain.span)?;
        let inner = match &quantified.binder {
            Some(name) => {
                self.checker.check_name(name, "a quantifier's name");
                vars.clone().with(&name.text, member)
            }
            None => vars.with_inner_text(member),
        };
        let body = self.expect(&quantified.body, &Type::Bool, &inner)?;
        if quantified.binder.is_none() {
            self.shadowed(shadow::InnerForm::Quantified, &body);
        }
        let binder = quantified.binder.as_ref().map(|name| name.text.clone());
        let node = Node::Quantified(Box::new(Quantified { quantifier, binder, domain, body }));
        Some((Tree::new(node, span), Type::Bool))
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: Option<&Expr>,
        vars: &Vars,
        span: Span,
    ) -> Option<TypedTree> {
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
        // The members of an empty list have any type.
        let is_open = other_ty == Type::List(Box::new(Type::Unknown));
        let ty = if then_ty.fits(&other_ty) && !is_open {
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
