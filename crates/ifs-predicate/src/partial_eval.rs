//! Partial evaluation: every part of a tree that depends on known names alone becomes its value.

use super::evaluate::{TextContext, Variables, evaluate};
use super::functions::ParamType;
use super::subject::{is_implicit, reads_it, with_it_for};
use super::tree::{Node, Quantified, Quantifier, Tree};
use super::value::Value;
use ifs_text::NOTHING;

/// Longer lists are not unrolled.
const MAX_UNROLLED: usize = 64;

/// The tree with its known parts as values, as it was written otherwise. `open` are names that have
/// no value yet, whatever `known` has for them.
pub fn partial_eval(tree: &Tree, known: &dyn Variables, open: &[&str]) -> Tree {
    let mut evaluator = Evaluator { open: owned_names(open), simplify: false };
    evaluator.eval(tree, known)
}

/// The same in the form in which checks are analysed: a quantifier over a known list says what it
/// says of each member, a known condition leaves one branch, and a name for the current text is `it`.
pub fn simplified(tree: &Tree, known: &dyn Variables) -> Tree {
    Evaluator { open: Vec::new(), simplify: true }.eval(tree, known)
}

/// Whether a tree depends only on names with values: not on the current text, unless the tree sets
/// it.
pub fn is_closed(tree: &Tree, known: &dyn Variables, open: &[&str]) -> bool {
    Evaluator { open: owned_names(open), simplify: false }.is_closed(
        tree,
        known,
        false,
        &mut Vec::new(),
    )
}

fn owned_names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

struct Evaluator {
    /// Names without a value: those of parts, and those of quantifiers around the tree.
    open: Vec<String>,
    /// Whether quantifiers and branches are rewritten too.
    simplify: bool,
}

impl Evaluator {
    fn eval(&mut self, tree: &Tree, known: &dyn Variables) -> Tree {
        if matches!(tree.node, Node::Value(_)) {
            return tree.clone();
        }
        if self.is_closed(tree, known, false, &mut Vec::new())
            && let Ok(value) = evaluate(tree, &TextContext { it: &NOTHING, variables: known })
        {
            return Tree::new(Node::Value(value), tree.span);
        }
        match &tree.node {
            Node::Quantified(quantified) if self.simplify => {
                self.simplified(tree, quantified, known)
            }
            Node::Quantified(quantified) => {
                let quantified = self.quantified(quantified, known);
                Tree::new(Node::Quantified(Box::new(quantified)), tree.span)
            }
            Node::If(condition, then, otherwise) if self.simplify => {
                match (self.eval(condition, known).node, otherwise) {
                    (Node::Value(Value::Bool(true)), _) => self.eval(then, known),
                    (Node::Value(Value::Bool(false)), Some(otherwise)) => {
                        self.eval(otherwise, known)
                    }
                    _ => tree.map_children(&mut |child| self.eval(child, known)),
                }
            }
            _ => tree.map_children(&mut |child| self.eval(child, known)),
        }
    }

    fn quantified(&mut self, quantified: &Quantified, known: &dyn Variables) -> Quantified {
        let mut eval = |tree: &Tree| self.eval(tree, known);
        let quantifier = quantified.quantifier.map(&mut eval);
        let domain = eval(&quantified.domain);
        let binder = quantified.binder.clone();
        // The name is bound only in the body.
        self.open.extend(binder.clone());
        let body = self.eval(&quantified.body, known);
        if binder.is_some() {
            self.open.pop();
        }
        Quantified { quantifier, binder, domain, body }
    }

    /// A quantifier over a known list as what it says of each member, and any other one about `it`
    /// where it can be.
    fn simplified(&mut self, tree: &Tree, quantified: &Quantified, known: &dyn Variables) -> Tree {
        if let Some(unrolled) = self.unrolled(tree, quantified, known) {
            return unrolled;
        }
        let mut quantified = self.quantified(quantified, known);
        // `every s in sentence: count(word in s) > 3` says the same as with `it`, unless its body
        // reads the outer `it` too.
        if let Some(name) = &quantified.binder
            && !reads_it(&quantified.body)
        {
            let body = with_it_for(name, &quantified.body);
            if !body.mentions(name) {
                quantified = Quantified { binder: None, body, ..quantified };
            }
        }
        Tree::new(Node::Quantified(Box::new(quantified)), tree.span)
    }

    fn unrolled(
        &mut self,
        tree: &Tree,
        quantified: &Quantified,
        known: &dyn Variables,
    ) -> Option<Tree> {
        let name = quantified.binder.as_ref()?;
        if !matches!(quantified.quantifier, Quantifier::Every | Quantifier::Some | Quantifier::No) {
            return None;
        }
        let domain = self.eval(&quantified.domain, known);
        let Node::Value(Value::List(values)) = &domain.node else { return None };
        if values.len() > MAX_UNROLLED {
            return None;
        }
        let of_member = |value: &Value| {
            let member = [(name.as_str(), value.clone())];
            self.eval(&quantified.body, &(&member, known))
        };
        let parts = values.iter().map(of_member).collect();
        let made = |node: Node| Tree::new(node, tree.span);
        Some(match quantified.quantifier {
            Quantifier::Every => made(Node::And(parts)),
            Quantifier::Some => made(Node::Or(parts)),
            _ => made(Node::Not(Box::new(made(Node::Or(parts))))),
        })
    }

    /// `inner` are the names of quantifiers inside the tree; `it` says whether the current text is
    /// known.
    fn is_closed<'t>(
        &self,
        tree: &'t Tree,
        known: &dyn Variables,
        it: bool,
        inner: &mut Vec<&'t str>,
    ) -> bool {
        match &tree.node {
            Node::Var(name) => {
                inner.contains(&name.as_str())
                    || !self.open.contains(name) && known.get(name).is_some()
            }
            Node::Fact(fact) => known.fact(*fact).is_some(),
            Node::It | Node::Units(_, None) | Node::Pattern(_) => it,
            // A needle is sought in the current text unless another is given.
            Node::Needle(_, value) => it && self.is_closed(value, known, it, inner),
            Node::Within(left, text) if is_implicit(left) => {
                self.is_closed(left, known, true, inner) && self.is_closed(text, known, it, inner)
            }
            Node::Call(func, arguments) => {
                let about_it = func.subject && arguments.len() < func.least_arguments();
                (it || !about_it)
                    && arguments.iter().enumerate().all(|(at, argument)| {
                        let takes = func.params.get(at).map(|param| param.ty);
                        let pattern = matches!(argument.node, Node::Pattern(_));
                        match takes {
                            // The pattern is sought in the given text.
                            Some(ParamType::Sought | ParamType::Pattern) if at > 0 && pattern => {
                                true
                            }
                            // A text is counted in the current text, a list is not.
                            Some(ParamType::Countable) if !it => {
                                self.is_closed(argument, known, it, inner)
                                    && is_list(argument, known)
                            }
                            _ => self.is_closed(argument, known, it, inner),
                        }
                    })
            }
            Node::Where(list, body) | Node::Each(list, body) | Node::At(list, body) => {
                self.is_closed(list, known, it, inner) && self.is_closed(body, known, true, inner)
            }
            Node::Quantified(quantified) => {
                let children = tree.children();
                let Some((body, others)) = children.split_last() else { return true };
                if !others.iter().all(|other| self.is_closed(other, known, it, inner)) {
                    return false;
                }
                let Some(name) = &quantified.binder else {
                    // Where a check ends in a constant because its `it` is a member, the checker says
                    // that (`shadowed-it`); an analysis would say it again.
                    return !self.simplify && self.is_closed(body, known, true, inner);
                };
                inner.push(name);
                let closed = self.is_closed(body, known, it, inner);
                inner.pop();
                closed
            }
            // Its body depends only on its arguments.
            Node::Applied(applied) => {
                applied.arguments.iter().all(|(_, tree)| self.is_closed(tree, known, it, inner))
            }
            _ => tree.children().into_iter().all(|child| self.is_closed(child, known, it, inner)),
        }
    }
}

/// Whether the value of a closed tree is a list. One that depends on a quantifier inside the closed
/// tree has no value here and counts as none.
fn is_list(tree: &Tree, known: &dyn Variables) -> bool {
    matches!(evaluate(tree, &TextContext { it: &NOTHING, variables: known }), Ok(Value::List(_)))
}
