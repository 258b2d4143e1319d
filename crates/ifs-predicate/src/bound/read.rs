//! From a check to facts, as alternatives: at least one of them is true.
//!
//! Everything here must be sound: for every response that meets the check, all facts of at least
//! one alternative are true. An expression that is not understood becomes an alternative without
//! facts.

mod calls;
mod derived;
mod lists;
mod measures;
mod members;
mod steady;

use super::classes::{folded, one_letter};
use super::fact::{Fact, ListSource, Measure, Property, Subject};
use crate::evaluate::Variables;
use crate::functions::hooks::Call;
use crate::functions::{Func, ReturnType};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::partial_eval::simplified;
use crate::tree::{Node, Tree};
use crate::turn_fact::TurnFact;
use crate::value::Value;
use ifs_base::source::Span;
use ifs_text::Unit;
use ifs_text::python::is_word;
use std::sync::Arc;

/// The maximum number of alternatives of one check.
const MAX_ALTERNATIVES: usize = 32;

pub(crate) type Alternatives = Vec<Vec<Fact>>;

pub(super) fn alternatives(tree: &Tree, variables: &dyn Variables, goal: usize) -> Alternatives {
    let tree = simplified(tree, variables);
    let mut found = CheckReader { goal, variables }.read(&tree, true);
    if let Some(verdict) = steady::verdict(&tree, true, goal) {
        found.iter_mut().for_each(|facts| facts.push(verdict.clone()));
    }
    found
}

/// Reads a check.
pub(crate) struct CheckReader<'a> {
    goal: usize,
    variables: &'a dyn Variables,
}

impl CheckReader<'_> {
    pub(crate) fn fact(&self, tree: &Tree, property: Property) -> Fact {
        let in_prose = property.reads_unusual_text();
        Fact { property, goal: self.goal, span: tree.span, in_prose }
    }

    /// A fact that is true of plain texts only.
    pub(crate) fn likely(&self, tree: &Tree, property: Property) -> Fact {
        Fact { in_prose: true, ..self.fact(tree, property) }
    }

    /// What a regular expression says, which is matched with what is written.
    pub(crate) fn written(&self, tree: &Tree, property: Property) -> Fact {
        let in_prose = property.subject() == Subject::Content;
        Fact { in_prose, ..self.fact(tree, property) }
    }

    pub(crate) fn single_fact(&self, tree: &Tree, property: Property) -> Alternatives {
        vec![vec![self.fact(tree, property)]]
    }

    fn read(&self, tree: &Tree, wanted: bool) -> Alternatives {
        let found = self.read_tree(tree, wanted);
        // An expression that is not understood cannot both hold and fail.
        match found.as_slice() {
            [facts] if facts.is_empty() && is_shared(tree) => {
                self.single_fact(tree, Property::Is(Arc::new(tree.clone()), Value::Bool(wanted)))
            }
            _ => found,
        }
    }

    fn read_tree(&self, tree: &Tree, wanted: bool) -> Alternatives {
        match &tree.node {
            Node::Value(Value::Bool(value)) if *value == wanted => no_facts(),
            Node::Value(Value::Bool(value)) if *value != wanted => {
                self.single_fact(tree, Property::Never)
            }
            Node::Not(inner) => self.read(inner, !wanted),
            Node::And(parts) if wanted => self.all(parts, wanted),
            Node::And(parts) => self.read_any(parts, wanted),
            Node::Or(parts) if wanted => self.read_any(parts, wanted),
            Node::Or(parts) => self.all(parts, wanted),
            Node::If(condition, then, otherwise) => {
                let met = conjunction(self.read(condition, true), self.read(then, wanted));
                let otherwise = match otherwise {
                    Some(otherwise) => self.read(otherwise, wanted),
                    None if wanted => no_facts(),
                    None => self.single_fact(tree, Property::Never),
                };
                disjunction(met, conjunction(self.read(condition, false), otherwise))
            }
            Node::Compare(op, left, right) => {
                let op = if wanted { *op } else { op.opposite() };
                self.compared(tree, op, left, right)
            }
            Node::Within(left, right) => self.within(tree, left, right, wanted),
            Node::Call(func, arguments) => {
                self.call(&Call { tree, func: *func, arguments }, wanted)
            }
            Node::Quantified(quantified) if quantified.binder.is_none() => {
                self.quantified(tree, quantified, wanted)
            }
            Node::Quantified(quantified) if wanted => self.first_of_range(tree, quantified),
            Node::At(subject, body) => self.read_member_at(tree, subject, body, wanted),
            _ => no_facts(),
        }
    }

    fn all(&self, parts: &[Tree], wanted: bool) -> Alternatives {
        parts.iter().fold(no_facts(), |all, part| conjunction(all, self.read(part, wanted)))
    }

    fn read_any(&self, parts: &[Tree], wanted: bool) -> Alternatives {
        parts.iter().map(|part| self.read(part, wanted)).reduce(disjunction).unwrap_or_else(|| {
            let (goal, span) = (self.goal, Span::default());
            vec![vec![Fact { property: Property::Never, goal, span, in_prose: false }]]
        })
    }
}

/// Whether it has the same value in every check of a response: it has no parameters of its own.
fn is_shared(tree: &Tree) -> bool {
    match &tree.node {
        Node::Value(_) => false,
        _ => speaks_of_the_same(tree),
    }
}

fn speaks_of_the_same(tree: &Tree) -> bool {
    match &tree.node {
        // Facts that are the same for two checks; the age is that of one constraint.
        Node::Fact(fact) => {
            matches!(fact, TurnFact::Prompt | TurnFact::Replies | TurnFact::Reply | TurnFact::Turn)
        }
        Node::Var(_) | Node::Applied(_) => false,
        _ => tree.children().into_iter().all(speaks_of_the_same),
    }
}

/// Whether a tree is a test.
fn is_test(tree: &Tree) -> bool {
    match &tree.node {
        Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Compare(..) | Node::Quantified(_) => true,
        Node::Call(func, _) => matches!(func.returns, ReturnType::Bool),
        _ => false,
    }
}

/// `word[-2]`: the unit, and the number of units that it needs.
fn unit_at(tree: &Tree) -> Option<(Unit, i64)> {
    let Node::Index(list, at) = &tree.node else { return None };
    let (Node::Units(unit, None), Some(Number::Int(at))) = (&list.node, number(at)) else {
        return None;
    };
    Some((*unit, at.checked_abs()?.max(1)))
}

/// The -2 of `word[-2]`.
fn ordinal(tree: &Tree) -> Option<i64> {
    let Node::Index(_, at) = &tree.node else { return None };
    match number(at)? {
        Number::Int(at) => Some(at),
        _ => None,
    }
}

fn members(domain: &Tree) -> Option<ListSource> {
    match &domain.node {
        Node::Units(unit, None) => Some(ListSource::Units(*unit)),
        Node::Value(_) => None,
        _ => Some(ListSource::Other(Arc::new(domain.clone()))),
    }
}

/// A function applied to the current text.
fn applied_to_text(func: Func) -> Arc<Tree> {
    Arc::new(Tree::without_place(Node::Call(func, vec![Tree::without_place(Node::It)])))
}

fn measure_of(tree: &Tree) -> Measure {
    let Node::Call(func, arguments) = &tree.node else {
        return Measure::Other(Arc::new(tree.clone()), false);
    };
    let call = Call { tree, func: *func, arguments };
    func.measures
        .and_then(|measures| measures(&call))
        .unwrap_or_else(|| Measure::Other(Arc::new(tree.clone()), func.counts))
}

pub(super) fn needle_measure(kind: SearchKind, part: &str) -> Measure {
    let measure = Measure::needle(kind, part);
    measure.unwrap_or_else(|| Measure::Needle(kind, part.to_owned()))
}

/// The run of word characters at the edge of a needle, if it is a complete run in the text, too: no
/// word character precedes it, and another character follows.
fn edge_run(kind: SearchKind, part: &str, start: bool) -> Option<&str> {
    if !matches!(kind, SearchKind::Word | SearchKind::Phrase | SearchKind::Keyword) {
        return None;
    }
    let run = if start {
        part.get(..part.find(|c| !is_word(c))?)?
    } else {
        let (at, c) = part.char_indices().rev().find(|(_, c)| !is_word(*c))?;
        part.get(at + c.len_utf8()..)?
    };
    (!run.is_empty()).then_some(run)
}

fn number(tree: &Tree) -> Option<Number> {
    match &tree.node {
        Node::Value(value) => Number::from_value(value),
        _ => None,
    }
}

fn text(tree: &Tree) -> Option<&str> {
    match &tree.node {
        Node::Value(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// One alternative without facts.
pub(crate) fn no_facts() -> Alternatives {
    vec![Vec::new()]
}

pub(crate) fn conjunction(mut left: Alternatives, mut right: Alternatives) -> Alternatives {
    if let ([one], [other]) = (left.as_mut_slice(), right.as_mut_slice()) {
        one.append(other);
        return left;
    }
    if left.len() * right.len() > MAX_ALTERNATIVES {
        // Too many alternatives: the side with fewer of them stays sound.
        return if left.len() <= right.len() { left } else { right };
    }
    let mut all = Vec::with_capacity(left.len() * right.len());
    for a in &left {
        for b in &right {
            all.push(a.iter().chain(b).cloned().collect());
        }
    }
    all
}

fn disjunction(mut left: Alternatives, right: Alternatives) -> Alternatives {
    if left.len() + right.len() > MAX_ALTERNATIVES {
        return no_facts();
    }
    left.extend(right);
    left
}
