//! Facts about the members of a list, and about one of them.

use std::collections::BTreeSet;

use super::derived::of_json;
use super::{
    Alternatives, CheckReader, disjunction, is_shared, members, needle_measure, no_facts, number,
    steady, text,
};
use crate::bound::fact::{Fact, ListSource, Measure, Property, Subject};
use crate::bound::interval::Interval;
use crate::bound::relations::{is_across, is_additive, may_cross_unit_end};
use crate::functions::Func;
use crate::functions::hooks::{Derived, LetterChange};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::partial_eval::simplified;
use crate::tree::{CompareOp, Node, Quantified, Quantifier, Tree};
use crate::value::Value;
use ifs_text::Unit;
use ifs_text::python::{simple_fold, strip};

/// The maximum number of alternatives for one member.
const MAX_ALTERNATIVES: usize = 8;

/// `join(reversed(char))`, in any case.
fn reversed(tree: &Tree) -> bool {
    let Node::Call(name, arguments) = &tree.node else { return false };
    match (name.derived, arguments.as_slice()) {
        (Derived::Same(LetterChange::Lower), [inner]) => reversed(inner),
        (Derived::Joined, [Tree { node: Node::Call(name, of), .. }])
            if name.derived == Derived::Reversed =>
        {
            matches!(of.as_slice(), [Tree { node: Node::Units(unit, None), .. }] if *unit == Unit::Char)
        }
        _ => false,
    }
}

impl CheckReader<'_> {
    /// The text has at least as many occurrences as members of a list of units with one.
    pub(super) fn in_the_whole(
        &self,
        members: &ListSource,
        least: i64,
        inner: &[Fact],
    ) -> Vec<Fact> {
        let ListSource::Units(unit) = members else { return Vec::new() };
        let whole_lines = matches!(unit, Unit::Line | Unit::LineAll | Unit::Paragraph);
        let found = inner.iter().filter_map(|fact| {
            let Property::Measured(measure, interval) = &fact.property else { return None };
            let low = interval.low_int().filter(|times| *times >= 1)?;
            let kind = match measure {
                Measure::Needle(kind, _) => kind,
                Measure::Count(small) if is_additive(*unit, *small) => {
                    let cut = if may_cross_unit_end(*unit, *small) { least } else { 0 };
                    let all = low.checked_mul(least)?.checked_sub(cut)?;
                    let many = Interval::at_least(Number::Int(all));
                    let property = Property::Measured(measure.clone(), many);
                    let in_prose = fact.in_prose || is_across(*unit, *small);
                    return Some(Fact { property, in_prose, ..fact.clone() });
                }
                _ => return None,
            };
            // A word may continue after a substring, but not after a line.
            if !matches!(kind, SearchKind::Text) && !whole_lines {
                return None;
            }
            let times = low.checked_mul(least)?;
            let many = Interval::at_least(Number::Int(times));
            let property = Property::Measured(measure.clone(), many);
            let in_prose = fact.in_prose || crosses(*unit, &property);
            Some(Fact { property, in_prose, ..fact.clone() })
        });
        let is_content = unit.is_of_content();
        let letters = self.letters_in_the_whole(least, inner);
        found
            .chain(
                letters
                    .into_iter()
                    .map(|fact| Fact { in_prose: fact.in_prose || !is_content, ..fact }),
            )
            .collect()
    }

    /// Members with a word have its letters, whatever follows it.
    fn letters_in_the_whole(&self, least: i64, inner: &[Fact]) -> Vec<Fact> {
        let mut found = Vec::new();
        for fact in inner {
            let Property::Measured(Measure::Needle(kind, part), interval) = &fact.property else {
                continue;
            };
            let low = interval.low_int().filter(|times| *times >= 1);
            let (Some(low), true) =
                (low, matches!(kind, SearchKind::Word | SearchKind::Keyword | SearchKind::Phrase))
            else {
                continue;
            };
            let letters: BTreeSet<char> =
                part.chars().filter(char::is_ascii_alphabetic).map(simple_fold).collect();
            found.extend(letters.into_iter().map(|letter| {
                let many = Interval::at_least(Number::Int(low.saturating_mul(least)));
                let needle = needle_measure(SearchKind::Letter, &letter.to_string());
                Fact { property: Property::Measured(needle, many), ..fact.clone() }
            }));
        }
        found
    }

    /// A needle that is in no line does not occur.
    pub(super) fn absent_from_lines(&self, members: &ListSource, inner: &[Fact]) -> Vec<Fact> {
        if !matches!(members, ListSource::Units(Unit::Line | Unit::LineAll | Unit::Paragraph)) {
            return Vec::new();
        }
        let in_prose = !matches!(members, ListSource::Units(Unit::LineAll));
        let found = inner.iter().filter(|fact| match &fact.property {
            Property::Measured(Measure::Needle(kind, part), interval) => {
                let in_a_line = !part.contains(['\n', '\r']) && !strip(part).is_empty();
                matches!(kind, SearchKind::Text) && in_a_line && interval.high_int() == Some(0)
            }
            _ => false,
        });
        found.map(|fact| Fact { in_prose: fact.in_prose || in_prose, ..fact.clone() }).collect()
    }

    pub(super) fn quantified(
        &self,
        tree: &Tree,
        quantified: &Quantified,
        wanted: bool,
    ) -> Alternatives {
        let Some(members) = members(&quantified.domain) else { return no_facts() };
        let body = &quantified.body;
        let number = |count: &Tree| match number(count) {
            Some(Number::Int(count)) => Some(Number::Int(count)),
            _ => None,
        };
        let many = |interval| self.member_count_facts(tree, &quantified.domain, body, interval);
        let none = Interval::exactly(Number::Int(0));
        let some = Interval::at_least(Number::Int(1));
        let of_list = of_json(&quantified.domain).is_some();
        let of = |op, count: &Tree| {
            Some(many(Interval::from_comparison(op, number(count)?)?.to_whole_numbers()))
        };
        let found = match (&quantified.quantifier, wanted) {
            (Quantifier::Every, true) => Some(self.read_every_member(tree, &members, body, true)),
            (Quantifier::Every, false) => {
                Some(self.read_some_member(tree, &members, body, false, 1))
            }
            (Quantifier::Some, true) | (Quantifier::No, false) => Some(many(some)),
            (Quantifier::Some, false) | (Quantifier::No, true) => Some(many(none)),
            (Quantifier::AtLeast(count), true) => of(CompareOp::MoreEqual, count),
            (Quantifier::AtLeast(count), false) => of(CompareOp::Less, count),
            (Quantifier::AtMost(count), true) => of(CompareOp::LessEqual, count),
            (Quantifier::AtMost(count), false) => of(CompareOp::More, count),
            (Quantifier::Exactly(count), true) => of(CompareOp::Equal, count),
            (Quantifier::Exactly(_), false) => None,
        };
        let Some(mut facts) = found else { return no_facts() };
        facts.extend(self.json_facts(tree, &quantified.domain));
        if of_list {
            for mark in ["[", "]"] {
                facts.extend(self.occurs(tree, SearchKind::Text, mark, true).into_iter().flatten());
            }
        }
        vec![facts]
    }

    /// `every i in 1..=count(line): …` says something of the first line, if there is one.
    pub(super) fn first_of_range(&self, tree: &Tree, quantified: &Quantified) -> Alternatives {
        let Quantified { quantifier: Quantifier::Every, binder: Some(name), domain, body } =
            quantified
        else {
            return no_facts();
        };
        let Node::Range { low: Some(low), high: Some(high), inclusive: true } = &domain.node else {
            return no_facts();
        };
        let (Some(Number::Int(1)), Node::Call(count, arguments)) = (number(low), &high.node) else {
            return no_facts();
        };
        if !count.counts_members() || arguments.len() != 1 {
            return no_facts();
        }
        let first = [(name.as_str(), Value::Int(1))];
        let body = simplified(body, &(&first, self.variables));
        let none = self.bounded_by(tree, high, Interval::at_most(Number::Int(0)));
        disjunction(none, self.read(&body, true))
    }

    /// What follows if a condition holds for a number of members of a list.
    pub(super) fn member_count_facts(
        &self,
        tree: &Tree,
        domain: &Tree,
        body: &Tree,
        interval: Interval,
    ) -> Vec<Fact> {
        let Some(members) = members(domain) else { return Vec::new() };
        let mut facts = Vec::new();
        if is_shared(domain) && is_shared(body) {
            let met = Node::Where(Box::new(domain.clone()), Box::new(body.clone()));
            let met = Tree::new(met, tree.span);
            let measure = Measure::count_of(met);
            facts.push(self.fact(tree, Property::Measured(measure, interval)));
        }
        if let Some(least) = interval.low_int().filter(|least| *least >= 1) {
            facts.extend(self.read_some_member(tree, &members, body, true, least));
        }
        if interval.high_int() == Some(0) {
            facts.extend(self.read_every_member(tree, &members, body, false));
        }
        facts
    }

    /// The verdict of a condition for each member: alternatives may differ between members.
    fn facts_of_condition(&self, body: &Tree, wanted: bool) -> Vec<Fact> {
        let mut alternatives = self.read(body, wanted);
        let mut facts = match alternatives.len() {
            1 => alternatives.swap_remove(0),
            2..=MAX_ALTERNATIVES if alternatives.iter().all(|facts| !facts.is_empty()) => {
                vec![self.fact(body, Property::Any(alternatives))]
            }
            _ => Vec::new(),
        };
        facts.extend(steady::of_members(body, wanted, self.goal));
        facts
    }

    fn read_every_member(
        &self,
        tree: &Tree,
        members: &ListSource,
        body: &Tree,
        wanted: bool,
    ) -> Vec<Fact> {
        let inner = self.facts_of_condition(body, wanted);
        let mut facts = self.absent_from_lines(members, &inner);
        // A split has at least one part, and the text has what the part has.
        if matches!(members, ListSource::Other(list) if is_split(list)) {
            let found = inner.iter().filter(|fact| match &fact.property {
                Property::Has(_) => true,
                Property::Measured(Measure::Needle(kind, _), interval) => {
                    matches!(kind, SearchKind::Text)
                        && interval.low_int().is_some_and(|low| low >= 1)
                }
                _ => false,
            });
            facts.extend(found.cloned());
        }
        facts.push(self.fact(tree, Property::Each(members.clone(), inner)));
        facts
    }

    fn read_some_member(
        &self,
        tree: &Tree,
        members: &ListSource,
        body: &Tree,
        wanted: bool,
        least: i64,
    ) -> Vec<Fact> {
        let inner = self.facts_of_condition(body, wanted);
        let mut facts = self.in_the_whole(members, least, &inner);
        facts.push(self.fact(tree, Property::One(members.clone(), None, inner)));
        if let ListSource::Units(unit) = members {
            let interval = Interval::at_least(Number::Int(least));
            facts.push(self.fact(tree, Property::Measured(Measure::Count(*unit), interval)));
            facts.extend(self.marks(tree, *unit, least));
        }
        facts
    }

    /// The start, or end, of a text with such a first or last line or paragraph.
    fn outer_member_edge(&self, members: &ListSource, ordinal: i64, one: &[Fact]) -> Vec<Fact> {
        let ListSource::Units(Unit::Line | Unit::Paragraph) = members else { return Vec::new() };
        // Before the first paragraph there may be a heading.
        let is_outer = matches!(members, ListSource::Units(Unit::Line));
        let Some(Property::One(_, _, inner)) = one.last().map(|fact| &fact.property) else {
            return Vec::new();
        };
        let at_edge = |fact: &&Fact| match fact.property {
            Property::Starts(_) | Property::StartsNot(_) | Property::StartsIn(_) => ordinal == 1,
            Property::Ends(_) | Property::EndsNot(_) => ordinal == -1,
            _ => false,
        };
        let is_of_prose =
            |fact: &Fact| fact.in_prose || !is_outer || fact.property.subject() == Subject::Source;
        let at_edge = inner.iter().filter(at_edge);
        at_edge.map(|fact| Fact { in_prose: is_of_prose(fact), ..fact.clone() }).collect()
    }

    pub(super) fn read_member_at(
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
            && name.derived == Derived::Same(LetterChange::Lower)
            && matches!(arguments.as_slice(), [Tree { node: Node::It, .. }])
        {
            return self.lowered(self.read(body, wanted));
        }
        // `lower(join(reversed(char))): contains("eulb")`
        if let (true, true, Node::Call(name, arguments)) = (wanted, reversed(subject), &body.node)
            && let (Func::CONTAINS, [Tree { node: Node::It, .. }, part]) =
                (*name, arguments.as_slice())
            && let Some(part) = text(part)
        {
            return vec![self.backwards(tree, part)];
        }
        self.read_inside(tree, subject, self.read(body, wanted))
    }

    /// Something is true of one member of a list.
    pub(super) fn read_inside(
        &self,
        tree: &Tree,
        subject: &Tree,
        body: Alternatives,
    ) -> Alternatives {
        let Node::Index(list, at) = &subject.node else { return no_facts() };
        let (Some(members), Some(Number::Int(ordinal))) = (members(list), number(at)) else {
            return no_facts();
        };
        if ordinal == 0 {
            return self.single_fact(tree, Property::Never);
        }
        let least = i64::try_from(ordinal.unsigned_abs()).unwrap_or(i64::MAX);
        body.into_iter()
            .map(|inner| {
                let mut facts = self.in_the_whole(&members, 1, &inner);
                facts.push(self.fact(tree, Property::One(members.clone(), Some(ordinal), inner)));
                facts.extend(self.outer_member_edge(&members, ordinal, &facts));
                if let ListSource::Units(unit) = &members {
                    let interval = Interval::at_least(Number::Int(least));
                    facts
                        .push(self.fact(tree, Property::Measured(Measure::Count(*unit), interval)));
                    facts.extend(self.marks(tree, *unit, least));
                }
                facts
            })
            .collect()
    }
}

/// Whether a property of the entire text is about the other side of it than a unit is.
fn crosses(unit: Unit, property: &Property) -> bool {
    match property.subject() {
        Subject::Any => false,
        Subject::Content => !unit.is_of_content(),
        // No content is longer than what is written.
        Subject::Source => {
            unit.is_of_content()
                && !matches!(property, Property::Measured(Measure::Count(Unit::Char), _))
        }
    }
}

/// `split("|")`: the current text, split at a literal.
fn is_split(list: &Tree) -> bool {
    let Node::Call(name, arguments) = &list.node else { return false };
    let is_written =
        |tree: &Tree| matches!(tree.node, Node::Value(Value::Text(_)) | Node::Pattern(_));
    name.derived == Derived::Split
        && matches!(arguments.as_slice(), [Tree { node: Node::It, .. }, at] if is_written(at))
}
