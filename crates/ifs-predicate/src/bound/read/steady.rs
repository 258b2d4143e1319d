//! Checks whose verdict depends neither on capitals nor on the blanks around a text: where all else of
//! a text is known, they are evaluated.

use std::sync::Arc;

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::bound::classes::{SPACES, class_contains};
use crate::bound::fact::{Fact, Property};
use crate::functions::hooks::Steady;
use crate::tree::{Node, Pattern, Quantified, Quantifier, Tree};
use ifs_text::Unit;

/// The value of a part of a check, independent of capitals and outer blanks of the text.
#[derive(Clone, Copy, PartialEq)]
enum Same {
    /// The text itself.
    Outer,
    /// The same except for capitals.
    Cased,
    Exactly,
}

/// The verdict of a check, as a property that can be tested on a known text.
pub(super) fn verdict(tree: &Tree, wanted: bool, goal: usize) -> Option<Fact> {
    let asks = is_about_members(tree) && sameness(tree, Same::Outer) == Some(Same::Exactly);
    let property = Property::Verdict(Arc::new(tree.clone()), wanted);
    asks.then_some(Fact { property, goal, span: tree.span, in_prose: false })
}

/// The same for a statement about the members of a list.
pub(super) fn of_members(body: &Tree, wanted: bool, goal: usize) -> Option<Fact> {
    let asks = sameness(body, Same::Cased) == Some(Same::Exactly);
    let property = Property::Verdict(Arc::new(body.clone()), wanted);
    asks.then_some(Fact { property, goal, span: body.span, in_prose: false })
}

/// Whether it is about members, for which counts of the text say little.
fn is_about_members(tree: &Tree) -> bool {
    matches!(&tree.node, Node::Quantified(_) | Node::Where(..) | Node::Each(..))
        || matches!(&tree.node, Node::Call(func, _) if func.is_about_number())
        || tree.children().into_iter().any(is_about_members)
}

fn sameness(tree: &Tree, it: Same) -> Option<Same> {
    let exactly = |tree: &Tree| (sameness(tree, it)? == Same::Exactly).then_some(Same::Exactly);
    match &tree.node {
        Node::Value(_) => Some(Same::Exactly),
        Node::It => Some(it),
        Node::Units(unit, of) => {
            let of = of.as_deref().map_or(Some(it), |of| sameness(of, it))?;
            let inner = matches!(
                unit,
                Unit::Word | Unit::WordPart | Unit::WordPattern | Unit::WordSpace | Unit::Letter
            );
            match of {
                Same::Exactly => Some(Same::Exactly),
                _ => inner.then_some(Same::Cased),
            }
        }
        Node::Call(func, arguments) => {
            let members = |list: &Tree| sameness(list, it).filter(|same| *same != Same::Outer);
            match (func.steady, arguments.as_slice()) {
                (Steady::Count, [Tree { node: Node::Pattern(pattern), .. }]) => {
                    is_steady(pattern, it).then_some(Same::Exactly)
                }
                (Steady::Count | Steady::OfMembers, [list]) => members(list).map(|_| Same::Exactly),
                (Steady::Sought, [text, Tree { node: Node::Pattern(pattern), .. }]) => {
                    is_steady(pattern, sameness(text, it)?).then_some(Same::Exactly)
                }
                (Steady::Members, [others @ .., list]) => {
                    others.iter().try_fold(Same::Exactly, |_, one| exactly(one))?;
                    members(list)
                }
                (Steady::Arguments, all) => {
                    all.iter().try_fold(Same::Exactly, |_, one| exactly(one))
                }
                _ => None,
            }
        }
        Node::Index(list, at) => exactly(at).and_then(|_| sameness(list, it)),
        Node::Where(list, condition) => {
            let of = sameness(list, it).filter(|same| *same != Same::Outer)?;
            (sameness(condition, of)? == Same::Exactly).then_some(of)
        }
        Node::Each(list, body) => {
            sameness(body, sameness(list, it).filter(|same| *same != Same::Outer)?)
        }
        Node::Quantified(quantified) => {
            let Quantified { quantifier, binder: None, domain, body } = &**quantified else {
                return None;
            };
            if let Quantifier::AtLeast(count)
            | Quantifier::AtMost(count)
            | Quantifier::Exactly(count) = quantifier
            {
                exactly(count)?;
            }
            let of = sameness(domain, it).filter(|same| *same != Same::Outer)?;
            (sameness(body, of)? == Same::Exactly).then_some(Same::Exactly)
        }
        Node::Not(_)
        | Node::Negative(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Compare(..)
        | Node::Arithmetic(..)
        | Node::If(..) => {
            tree.children().into_iter().try_fold(Same::Exactly, |_, part| exactly(part))
        }
        Node::Within(left, right) => {
            exactly(left)?;
            match &right.node {
                Node::Range { .. } => {
                    right.children().into_iter().try_fold(Same::Exactly, |_, end| exactly(end))
                }
                _ => exactly(right),
            }
        }
        _ => None,
    }
}

/// Whether an expression matches as often whatever the capitals are, and the blanks around the
/// text.
fn is_steady(pattern: &Pattern, text: Same) -> bool {
    let folded = Pattern::new(&pattern.pattern, format!("{}i", pattern.flags)).hir();
    // A flag inside may ask for capitals again.
    if pattern.pattern.contains("(?") && pattern.pattern.contains("-i") {
        return false;
    }
    let Some(hir) = pattern.hir().filter(|hir| Some(hir) == folded.as_ref()) else { return false };
    match text {
        Same::Exactly => true,
        Same::Cased => true,
        Same::Outer => reads_no_blanks(&hir),
    }
}

fn reads_no_blanks(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => false,
        HirKind::Literal(literal) => {
            let text = String::from_utf8_lossy(&literal.0);
            !text.contains(ifs_text::python::is_space)
        }
        HirKind::Class(Class::Unicode(class)) => SPACES.iter().all(|c| !class_contains(class, *c)),
        HirKind::Repetition(repetition) => reads_no_blanks(&repetition.sub),
        HirKind::Capture(capture) => reads_no_blanks(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(reads_no_blanks),
    }
}
