//! What is said of the members of a list, and of one of them.

use super::derived::of_json;
use super::{Alternatives, Reader, members, nothing, number};
use crate::predicate::bound::fact::{Fact, Measure, Members, What};
use crate::predicate::bound::interval::Interval;
use crate::predicate::number::Number;
use crate::predicate::tree::{Node, Quantified, Quantifier, Tree};
use crate::text::Unit;
use crate::text::python::strip;

impl Reader<'_> {
    /// What stands in so many members of a list of units stands in the text as often.
    pub(super) fn in_the_whole(&self, members: &Members, least: i64, inner: &[Fact]) -> Vec<Fact> {
        let Members::Units(unit) = members else { return Vec::new() };
        let whole_lines = matches!(unit, Unit::Line | Unit::LineAll | Unit::Paragraph);
        let found = inner.iter().filter_map(|fact| {
            let What::Measured(measure @ Measure::Needle(kind, _), interval) = &fact.what else {
                return None;
            };
            // Where a stretch ends, a word may go on; where a line ends, none does.
            if kind != "text" && !whole_lines {
                return None;
            }
            let times = interval.low_int().filter(|times| *times >= 1)?.checked_mul(least)?;
            let many = Interval::at_least(Number::Int(times));
            Some(Fact { what: What::Measured(measure.clone(), many), ..fact.clone() })
        });
        found.collect()
    }

    /// What stands in no line stands nowhere.
    pub(super) fn in_no_line(&self, members: &Members, inner: &[Fact]) -> Vec<Fact> {
        if !matches!(members, Members::Units(Unit::Line | Unit::LineAll | Unit::Paragraph)) {
            return Vec::new();
        }
        let found = inner.iter().filter(|fact| match &fact.what {
            What::Measured(Measure::Needle(kind, part), interval) => {
                let in_a_line = !part.contains(['\n', '\r']) && !strip(part).is_empty();
                kind == "text" && in_a_line && interval.high_int() == Some(0)
            }
            _ => false,
        });
        found.cloned().collect()
    }

    pub(super) fn quantified(
        &self,
        tree: &Tree,
        quantified: &Quantified,
        wanted: bool,
    ) -> Alternatives {
        let Some(members) = members(&quantified.domain) else { return nothing() };
        let body = |wanted| {
            let mut alternatives = self.read(&quantified.body, wanted);
            // What differs between members cannot be said of all of them at once.
            if alternatives.len() == 1 { alternatives.swap_remove(0) } else { Vec::new() }
        };
        let each = |wanted| {
            let inner = body(wanted);
            let mut facts = self.in_no_line(&members, &inner);
            facts.push(self.fact(tree, What::Each(members.clone(), inner)));
            facts
        };
        let some = |wanted, least: i64| {
            let inner = body(wanted);
            let mut facts = self.in_the_whole(&members, least.max(1), &inner);
            facts.push(self.fact(tree, What::One(members.clone(), None, inner)));
            if let Members::Units(unit) = &members {
                let interval = Interval::at_least(Number::Int(least.max(1)));
                facts.push(self.fact(tree, What::Measured(Measure::Count(*unit), interval)));
                facts.extend(self.marks(tree, *unit, least.max(1)));
            }
            facts
        };
        let of_list = of_json(&quantified.domain).is_some();
        let mut facts = match (&quantified.quantifier, wanted) {
            (Quantifier::Every, true) => each(true),
            (Quantifier::Every, false) => some(false, 1),
            (Quantifier::Some, true) => some(true, 1),
            (Quantifier::Some, false) | (Quantifier::No, true) => each(false),
            (Quantifier::No, false) => some(true, 1),
            (Quantifier::AtLeast(count) | Quantifier::Exactly(count), true) => {
                match number(count) {
                    Some(Number::Int(least)) if least >= 1 => some(true, least),
                    Some(Number::Int(0))
                        if matches!(quantified.quantifier, Quantifier::Exactly(_)) =>
                    {
                        each(false)
                    }
                    _ => return nothing(),
                }
            }
            (Quantifier::AtMost(count), true) => match number(count) {
                Some(Number::Int(0)) => each(false),
                _ => return nothing(),
            },
            _ => return nothing(),
        };
        facts.extend(self.json_facts(tree, &quantified.domain));
        if of_list {
            for mark in ["[", "]"] {
                facts.extend(self.occurs(tree, "text", mark, true).into_iter().flatten());
            }
        }
        vec![facts]
    }

    pub(super) fn at(
        &self,
        tree: &Tree,
        subject: &Tree,
        body: &Tree,
        wanted: bool,
    ) -> Alternatives {
        if matches!(subject.node, Node::It) {
            return self.read(body, wanted);
        }
        if let Node::Call(name, arguments) = &subject.node
            && name == "lower"
            && matches!(arguments.as_slice(), [Tree { node: Node::It, .. }])
        {
            return self.lowered(self.read(body, wanted));
        }
        self.inside(tree, subject, self.read(body, wanted))
    }

    /// That something is true of one member of a list.
    pub(super) fn inside(&self, tree: &Tree, subject: &Tree, body: Alternatives) -> Alternatives {
        let Node::Index(list, at) = &subject.node else { return nothing() };
        let (Some(members), Some(Number::Int(ordinal))) = (members(list), number(at)) else {
            return nothing();
        };
        if ordinal == 0 {
            return self.one(tree, What::Never);
        }
        let least = i64::try_from(ordinal.unsigned_abs()).unwrap_or(i64::MAX);
        body.into_iter()
            .map(|inner| {
                let mut facts = self.in_the_whole(&members, 1, &inner);
                facts.push(self.fact(tree, What::One(members.clone(), Some(ordinal), inner)));
                if let Members::Units(unit) = &members {
                    let interval = Interval::at_least(Number::Int(least));
                    facts.push(self.fact(tree, What::Measured(Measure::Count(*unit), interval)));
                    facts.extend(self.marks(tree, *unit, least));
                }
                facts
            })
            .collect()
    }
}
