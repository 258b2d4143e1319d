//! Nested quantifiers: `it` is the innermost member, and the outer one cannot be named.

use super::Lowering;
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::{FileId, Span};
use ifs_predicate::functions::ParamType;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::typing::TypeFault;
use ifs_syntax::ast::Name;

/// The construct that binds `it`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InnerForm {
    Where,
    Each,
    Quantified,
}

const IN_A_FUNCTION: &str = "give the outer member a name: put the inner list into a function, \
     `def NAME(list, outer) { … }`, and call it with `it`";

/// How the outer member gets a name.
fn help(outer: InnerForm, inner: InnerForm) -> &'static str {
    match (outer, inner) {
        (_, InnerForm::Quantified) => {
            "name the inner member, and `it` is the outer one: `every NAME in LIST: …`"
        }
        (InnerForm::Quantified, _) => "name the outer member: `every NAME in LIST: …`",
        _ => IN_A_FUNCTION,
    }
}

impl Lowering<'_, '_> {
    /// Reports an inner `it` that is probably meant to be the outer one. `body` is the expression
    /// for each member of the outer list.
    pub(super) fn shadowed(&mut self, outer: InnerForm, body: &Tree) {
        let mut within = MemberUses::default();
        within.visit(body);
        let MemberUses { used, inner } = within;
        for (form, inside) in inner {
            let mut own = MemberUses::default();
            own.visit(inside);
            let twice = compared_with_itself(inside);
            let place = match (twice, own.used) {
                (Some(place), _) => place,
                (None, Some(place)) if used.is_none() => place,
                _ => continue,
            };
            if place.file >= FileId::FIRST_FIXED {
                continue;
            }
            let message = match twice {
                Some(_) => "both sides are the same: each `it` is the innermost member",
                None => "`it` is the inner member here, and the outer one is never used",
            };
            self.report(
                Diagnostic::warning(Code::SHADOWED_IT, message)
                    .label(place, "the member of the inner list")
                    .help(help(outer, form)),
            );
        }
    }

    /// Reports a field that the inner member lacks and the outer one has.
    pub fn shadowed_field(
        &mut self,
        of: &Tree,
        ty: &Type,
        field: &Name,
        vars: &Vars,
    ) -> Option<()> {
        let has =
            |ty: &Type| matches!(ty, Type::Record(fields) if fields.contains_key(&field.text));
        let lacks = !matches!(ty, Type::Unknown) && !has(ty);
        if !(lacks && of.node == Node::It && vars.hidden.iter().any(has)) {
            return Some(());
        }
        self.report(
            Diagnostic::error(
                Code::SHADOWED_IT,
                format!("`it` is the inner member here, which has no field `{}`", field.text),
            )
            .label(of.span.to(field.span), "the outer member has it")
            .help(IN_A_FUNCTION),
        );
        None
    }
}

/// The fault of a comparison, with its probable cause.
pub(super) fn compared(fault: TypeFault, left: &Tree, right: &Tree, vars: &Vars) -> TypeFault {
    let rooted = |tree: &Tree| {
        let mut tree = tree;
        while let Node::Field(of, _) = &tree.node {
            tree = of;
        }
        tree.node == Node::It
    };
    if vars.hidden.is_empty() || fault.help.is_some() || !(rooted(left) && rooted(right)) {
        return fault;
    }
    let help = format!("each `it` is the innermost member; {IN_A_FUNCTION}");
    TypeFault { help: Some(help), ..fault }
}

/// The uses of a member: whether it is used outside of inner lists, and the bodies of inner lists.
#[derive(Default)]
struct MemberUses<'t> {
    used: Option<Span>,
    inner: Vec<(InnerForm, &'t Tree)>,
}

impl<'t> MemberUses<'t> {
    fn visit(&mut self, tree: &'t Tree) {
        match &tree.node {
            Node::It | Node::Units(_, None) => {
                self.used.get_or_insert(tree.span);
            }
            Node::Where(list, body) => {
                self.visit(list);
                self.inner.push((InnerForm::Where, body));
            }
            Node::Each(list, body) => {
                self.visit(list);
                self.inner.push((InnerForm::Each, body));
            }
            Node::Quantified(quantified) if quantified.binder.is_none() => {
                self.visit(&quantified.domain);
                self.inner.push((InnerForm::Quantified, &quantified.body));
            }
            // Another current text, which is written before the colon.
            Node::At(subject, _) => self.visit(subject),
            // The searched text, in the current text.
            Node::Needle(_, of) => {
                self.used.get_or_insert(tree.span);
                self.visit(of);
            }
            Node::Applied(applied) => {
                applied.arguments.iter().for_each(|(_, tree)| self.visit(tree));
            }
            // `word in it.text`: the needle is looked for in that text.
            Node::Within(left, text)
                if matches!(
                    left.node,
                    Node::Units(_, None) | Node::Needle(..) | Node::Pattern(_)
                ) =>
            {
                self.visit(text);
            }
            Node::Call(func, trees) => {
                // `sorted_by(list, -it.x)`: the key is evaluated for members of the list.
                let is_key = |at: usize| {
                    let param = func.params.get(at);
                    at > 0 && param.is_some_and(|param| param.ty == ParamType::Key)
                };
                for (_, child) in trees.iter().enumerate().filter(|(at, _)| !is_key(*at)) {
                    self.visit(child);
                }
            }
            _ => tree.children().into_iter().for_each(|child| self.visit(child)),
        }
    }
}

/// Finds a comparison of `it.a` with `it.a`.
fn compared_with_itself(tree: &Tree) -> Option<Span> {
    match &tree.node {
        Node::Compare(_, left, right) if left == right && mentions_member(left) => Some(tree.span),
        Node::Where(list, _) | Node::Each(list, _) | Node::At(list, _) => {
            compared_with_itself(list)
        }
        Node::Quantified(quantified) => compared_with_itself(&quantified.domain),
        Node::Applied(_) => None,
        _ => tree.children().into_iter().find_map(compared_with_itself),
    }
}

fn mentions_member(tree: &Tree) -> bool {
    tree.node == Node::It || tree.children().into_iter().any(mentions_member)
}
