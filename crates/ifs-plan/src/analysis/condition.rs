//! Whether a condition over the facts of a turn can ever hold.
//!
//! A condition is converted to a disjunction of conjunctions of differences (`x - y <= c`, with 0
//! as an additional fact). A conjunction of differences over integers is satisfiable if and only if
//! its graph has no negative cycle, which Floyd and Warshall's algorithm finds. Everything except
//! comparisons of facts is assumed to be either true or false, so "no" is always correct.

use super::fact_bounds::FactBounds;
use ifs_predicate::tree::{ArithmeticOp, CompareOp, Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::value::Value;

/// Whether there may be a turn on which all of the first conditions hold and none of the second.
pub(super) fn possible(facts: &FactBounds, hold: &[&Tree], fail: &[&Tree]) -> bool {
    let mut reader = ConditionReader::new(facts);
    let mut clauses = vec![Vec::new()];
    for (tree, wanted) in
        hold.iter().map(|tree| (tree, true)).chain(fail.iter().map(|tree| (tree, false)))
    {
        let more = reader.clauses(tree, wanted);
        let Some(product) = product(&clauses, &more) else { return true };
        clauses = product;
    }
    clauses.iter().any(|clause| reader.holds_somewhere(clause))
}

/// Larger constants are ignored, so that sums do not overflow.
const MAX_CONSTANT: i64 = 1 << 40;
/// Conditions with more alternatives than this are assumed to be possible.
const MAX_CLAUSES: usize = 256;

type Clause = Vec<Atom>;

#[derive(Clone, Debug)]
enum Atom {
    /// The first fact is at most the second plus a constant; fact 0 is zero.
    Difference(usize, usize, i64),
    /// A condition of another kind, which holds or not.
    Other(usize, bool),
}

/// A linear combination of facts, and a constant.
#[derive(Clone, Default)]
struct Sum {
    /// Sorted by fact, without the factor 0.
    terms: Vec<(usize, i64)>,
    constant: i64,
}

struct ConditionReader<'a> {
    /// Facts by number (from 1), and terms that are treated like facts: remainders.
    terms: Vec<Tree>,
    bounds: Vec<(Option<i64>, Option<i64>)>,
    others: Vec<Tree>,
    facts: &'a FactBounds,
}

/// The empty conjunction is true, and the empty disjunction false.
fn always_true() -> Vec<Clause> {
    vec![Vec::new()]
}

fn constant(holds: bool) -> Vec<Clause> {
    if holds { always_true() } else { Vec::new() }
}

fn product(left: &[Clause], right: &[Clause]) -> Option<Vec<Clause>> {
    if left.len() * right.len() > MAX_CLAUSES {
        return None;
    }
    Some(
        left.iter()
            .flat_map(|left| right.iter().map(move |right| [&left[..], &right[..]].concat()))
            .collect(),
    )
}

impl<'a> ConditionReader<'a> {
    fn new(facts: &'a FactBounds) -> ConditionReader<'a> {
        ConditionReader { terms: Vec::new(), bounds: Vec::new(), others: Vec::new(), facts }
    }

    fn clauses(&mut self, tree: &Tree, wanted: bool) -> Vec<Clause> {
        match &tree.node {
            Node::Value(Value::Bool(holds)) => constant(*holds == wanted),
            Node::Not(of) => self.clauses(of, !wanted),
            Node::And(parts) if wanted => self.all(parts, wanted),
            Node::Or(parts) if !wanted => self.all(parts, wanted),
            Node::And(parts) | Node::Or(parts) => self.clauses_of_any(parts, wanted),
            Node::If(condition, then, otherwise) => {
                let mut clauses = Vec::new();
                let taken = self.clauses(condition, true);
                let held = self.clauses(then, wanted);
                clauses.extend(product(&taken, &held).unwrap_or_else(always_true));
                let passed = self.clauses(condition, false);
                let held = match otherwise {
                    Some(otherwise) => self.clauses(otherwise, wanted),
                    None => constant(wanted),
                };
                clauses.extend(product(&passed, &held).unwrap_or_else(always_true));
                limited(clauses)
            }
            Node::Compare(op, left, right) => {
                let op = if wanted { *op } else { op.opposite() };
                self.compare(op, left, right).unwrap_or_else(|| self.read_opaque(tree, wanted))
            }
            Node::Within(member, list) => {
                self.read_in(member, list, wanted).unwrap_or_else(|| self.read_opaque(tree, wanted))
            }
            Node::Value(_)
            | Node::Var(_)
            | Node::Fact(_)
            | Node::It
            | Node::Field(..)
            | Node::Index(..)
            | Node::Units(..)
            | Node::Needle(..)
            | Node::Pattern(_)
            | Node::Call(..)
            | Node::Negative(_)
            | Node::Arithmetic(..)
            | Node::Range { .. }
            | Node::Where(..)
            | Node::Each(..)
            | Node::Applied(_)
            | Node::Quantified(_)
            | Node::At(..)
            | Node::List(_)
            | Node::Record(_) => self.read_opaque(tree, wanted),
        }
    }

    fn all(&mut self, parts: &[Tree], wanted: bool) -> Vec<Clause> {
        let mut clauses = always_true();
        for part in parts {
            let more = self.clauses(part, wanted);
            match product(&clauses, &more) {
                Some(product) => clauses = product,
                None => return always_true(),
            }
        }
        clauses
    }

    fn clauses_of_any(&mut self, parts: &[Tree], wanted: bool) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for part in parts {
            clauses.extend(self.clauses(part, wanted));
        }
        limited(clauses)
    }

    /// A condition that is not about facts: equal expressions have the same value, unless they call
    /// a function, which may draw.
    fn read_opaque(&mut self, tree: &Tree, wanted: bool) -> Vec<Clause> {
        if calls(tree) {
            return always_true();
        }
        let at = self.others.iter().position(|other| other == tree).unwrap_or_else(|| {
            self.others.push(tree.clone());
            self.others.len() - 1
        });
        vec![vec![Atom::Other(at, wanted)]]
    }

    fn compare(&mut self, op: CompareOp, left: &Tree, right: &Tree) -> Option<Vec<Clause>> {
        if let (Some(left), Some(right)) = (number(left), number(right)) {
            return Some(constant(match op {
                CompareOp::Equal => left == right,
                CompareOp::NotEqual => left != right,
                CompareOp::Less => left < right,
                CompareOp::LessEqual => left <= right,
                CompareOp::More => left > right,
                CompareOp::MoreEqual => left >= right,
            }));
        }
        if let (Node::Value(Value::Text(left)), Node::Value(Value::Text(right))) =
            (&left.node, &right.node)
        {
            match op {
                CompareOp::Equal => return Some(constant(left == right)),
                CompareOp::NotEqual => return Some(constant(left != right)),
                CompareOp::Less | CompareOp::LessEqual | CompareOp::More | CompareOp::MoreEqual => {
                    return None;
                }
            }
        }
        let left = self.sum(left)?;
        let right = self.sum(right)?;
        let over = left.add(&right, -1)?;
        let under = right.add(&left, -1)?;
        match op {
            CompareOp::LessEqual => at_most_zero(&over),
            CompareOp::Less => at_most_zero(&over.plus(1)),
            CompareOp::MoreEqual => at_most_zero(&under),
            CompareOp::More => at_most_zero(&under.plus(1)),
            CompareOp::Equal => product(&at_most_zero(&over)?, &at_most_zero(&under)?),
            CompareOp::NotEqual => {
                let mut either = at_most_zero(&over.plus(1))?;
                either.extend(at_most_zero(&under.plus(1))?);
                Some(either)
            }
        }
    }

    fn read_in(&mut self, member: &Tree, list: &Tree, wanted: bool) -> Option<Vec<Clause>> {
        match &list.node {
            Node::Range { low, high, inclusive } => {
                let mut ends = Vec::new();
                if let Some(low) = low {
                    let op = if wanted { CompareOp::MoreEqual } else { CompareOp::Less };
                    ends.push(self.compare(op, member, low)?);
                }
                if let Some(high) = high {
                    let op = match (wanted, inclusive) {
                        (true, true) => CompareOp::LessEqual,
                        (true, false) => CompareOp::Less,
                        (false, true) => CompareOp::More,
                        (false, false) => CompareOp::MoreEqual,
                    };
                    ends.push(self.compare(op, member, high)?);
                }
                combine(ends, !wanted)
            }
            Node::List(members) => {
                let op = if wanted { CompareOp::Equal } else { CompareOp::NotEqual };
                let clauses: Option<Vec<_>> =
                    members.iter().map(|other| self.compare(op, member, other)).collect();
                combine(clauses?, wanted)
            }
            _ => None,
        }
    }

    fn sum(&mut self, tree: &Tree) -> Option<Sum> {
        match &tree.node {
            Node::Value(Value::Int(value)) => {
                Some(Sum { terms: Vec::new(), constant: *value }).filter(Sum::is_small)
            }
            Node::Var(_) | Node::Fact(_) => {
                let bounds = self.facts.bounds(tree)?;
                Some(self.term(tree, (Some(bounds.0), bounds.1)))
            }
            Node::Negative(of) => Sum::default().add(&self.sum(of)?, -1),
            Node::Arithmetic(ArithmeticOp::Add, left, right) => {
                self.sum(left)?.add(&self.sum(right)?, 1)
            }
            Node::Arithmetic(ArithmeticOp::Subtract, left, right) => {
                self.sum(left)?.add(&self.sum(right)?, -1)
            }
            Node::Arithmetic(ArithmeticOp::Multiply, left, right) => {
                let (left, right) = (self.sum(left)?, self.sum(right)?);
                match (&left.terms[..], &right.terms[..]) {
                    ([], _) => Sum::default().add(&right, left.constant),
                    (_, []) => Sum::default().add(&left, right.constant),
                    _ => None,
                }
            }
            Node::Arithmetic(ArithmeticOp::Remainder, left, right) => {
                let (left, right) = (self.sum(left)?, self.sum(right)?);
                let largest = right.constant.abs() - 1;
                (right.terms.is_empty() && largest >= 0).then_some(())?;
                let never_negative = left.constant >= 0
                    && left.terms.iter().all(|(at, factor)| {
                        *factor > 0
                            && self.bounds.get(*at - 1).is_some_and(|(low, _)| *low >= Some(0))
                    });
                let low = if never_negative { 0 } else { -largest };
                Some(self.term(tree, (Some(low), Some(largest))))
            }
            // Division need not give an integer.
            _ => None,
        }
    }

    fn term(&mut self, tree: &Tree, bounds: (Option<i64>, Option<i64>)) -> Sum {
        let at = self.terms.iter().position(|term| term == tree).unwrap_or_else(|| {
            self.terms.push(tree.clone());
            self.bounds.push(bounds);
            self.terms.len() - 1
        });
        Sum { terms: vec![(at + 1, 1)], constant: 0 }
    }

    fn holds_somewhere(&self, clause: &Clause) -> bool {
        let clash = clause.iter().enumerate().any(|(at, atom)| {
            clause[..at].iter().any(|earlier| match (atom, earlier) {
                (Atom::Other(left, holds), Atom::Other(right, held)) => {
                    left == right && holds != held
                }
                (Atom::Other(..) | Atom::Difference(..), _) => false,
            })
        });
        !clash && !self.negative_cycle(clause)
    }

    fn negative_cycle(&self, clause: &Clause) -> bool {
        let size = self.terms.len() + 1;
        let mut most: Vec<Option<i64>> = vec![None; size * size];
        let mut tighten = |left: usize, right: usize, by: i64| {
            if let Some(cell) = most.get_mut(left * size + right) {
                *cell = Some(cell.map_or(by, |cell| cell.min(by)));
            }
        };
        for (at, (low, high)) in self.bounds.iter().enumerate() {
            if let Some(low) = low {
                tighten(0, at + 1, -low);
            }
            if let Some(high) = high {
                tighten(at + 1, 0, *high);
            }
        }
        for (small, large) in self.facts.ordered() {
            let find =
                |fact: TurnFact| self.terms.iter().position(|term| term.node == Node::Fact(fact));
            if let (Some(small), Some(large)) = (find(*small), find(*large)) {
                tighten(small + 1, large + 1, 0);
            }
        }
        for atom in clause {
            if let Atom::Difference(left, right, by) = atom {
                tighten(*left, *right, *by);
            }
        }
        for middle in 0..size {
            for from in 0..size {
                let Some(first) = most[from * size + middle] else { continue };
                for to in 0..size {
                    let Some(second) = most[middle * size + to] else { continue };
                    let through = first.saturating_add(second);
                    let cell = &mut most[from * size + to];
                    *cell = Some(cell.map_or(through, |cell| cell.min(through)));
                }
            }
            // The result is known; continuing would only make the numbers larger.
            if (0..size).any(|at| most[at * size + at].is_some_and(|by| by < 0)) {
                return true;
            }
        }
        false
    }
}

impl Sum {
    fn is_small(&self) -> bool {
        self.constant.abs() < MAX_CONSTANT
            && self.terms.iter().all(|(_, factor)| factor.abs() < MAX_CONSTANT)
    }

    /// One sum plus a multiple of another; `None` if the numbers become too large.
    fn add(&self, other: &Sum, times: i64) -> Option<Sum> {
        let mut terms = self.terms.clone();
        for (fact, factor) in &other.terms {
            let more = factor.checked_mul(times)?;
            match terms.iter_mut().find(|(have, _)| have == fact) {
                Some((_, have)) => *have = have.checked_add(more)?,
                None => terms.push((*fact, more)),
            }
        }
        terms.retain(|(_, factor)| *factor != 0);
        terms.sort_unstable();
        let constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        Some(Sum { terms, constant }).filter(Sum::is_small)
    }

    fn plus(&self, by: i64) -> Sum {
        Sum { terms: self.terms.clone(), constant: self.constant + by }
    }
}

/// A sum that is at most zero, as differences; `None` if it is not a difference.
fn at_most_zero(sum: &Sum) -> Option<Vec<Clause>> {
    let most = -sum.constant;
    Some(match sum.terms[..] {
        [] => constant(most >= 0),
        [(fact, factor)] if factor > 0 => {
            vec![vec![Atom::Difference(fact, 0, most.div_euclid(factor))]]
        }
        [(fact, factor)] => vec![vec![Atom::Difference(0, fact, most.div_euclid(-factor))]],
        [(left, factor), (right, back)] if factor == -back && factor > 0 => {
            vec![vec![Atom::Difference(left, right, most.div_euclid(factor))]]
        }
        [(left, factor), (right, back)] if factor == -back => {
            vec![vec![Atom::Difference(right, left, most.div_euclid(back))]]
        }
        _ => return None,
    })
}

fn combine(parts: Vec<Vec<Clause>>, either: bool) -> Option<Vec<Clause>> {
    if either {
        return Some(limited(parts.concat()));
    }
    parts.iter().try_fold(always_true(), |all, part| product(&all, part))
}

fn limited(clauses: Vec<Clause>) -> Vec<Clause> {
    if clauses.len() > MAX_CLAUSES { always_true() } else { clauses }
}

fn number(tree: &Tree) -> Option<f64> {
    match &tree.node {
        Node::Value(Value::Float(value)) => Some(*value),
        Node::Value(Value::Int(value)) if value.abs() < MAX_CONSTANT => Some(*value as f64),
        _ => None,
    }
}

fn calls(tree: &Tree) -> bool {
    matches!(tree.node, Node::Call(..)) || tree.children().into_iter().any(calls)
}

#[cfg(test)]
mod tests {
    use super::{FactBounds, possible};
    use crate::sample::{and, at_least, equal, less_than, not, or, remainder};

    #[test]
    fn finds_what_excludes_itself() {
        let facts = FactBounds::plain();
        let never = |tree| !possible(&facts, &[&tree], &[]);
        assert!(never(and([at_least("turn", 5), less_than("turn", 5)])));
        assert!(never(and([equal("turn", 5), not(equal("turn", 5))])));
        assert!(never(less_than("constraints", 0)));
        assert!(never(equal("turn", 0)));
        assert!(never(remainder("reply", 4, 4)));
        assert!(!never(remainder("reply", 4, 3)));
        assert!(!never(and([at_least("turn", 5), less_than("turn", 6)])));
        assert!(!never(or([less_than("turn", 0), less_than("topics", 9)])));
        assert!(!never(less_than("unheard_of", 0)));
    }

    #[test]
    fn finds_what_is_covered() {
        let facts = FactBounds::plain();
        let (narrow, wide) = (less_than("turn", 3), less_than("turn", 5));
        assert!(!possible(&facts, &[&narrow], &[&wide]));
        assert!(possible(&facts, &[&wide], &[&narrow]));
        let (left, right) = (less_than("topics", 3), at_least("topics", 3));
        assert!(!possible(&facts, &[&narrow], &[&left, &right]));
    }
}
