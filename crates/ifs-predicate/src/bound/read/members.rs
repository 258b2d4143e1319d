//! What equality with a list, its initials or one of its members implies.

use super::{CheckReader, needle_measure, number, one_letter, ordinal, text};
use crate::bound::fact::{Fact, ListSource, Measure, Property, TextEdge};
use crate::bound::interval::Interval;
use crate::bound::pattern;
use crate::functions::count_of;
use crate::functions::hooks::{Derived, LetterChange};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{Node, Tree};
use crate::value::Value;
use ifs_text::Unit;
use ifs_text::python::{is_letter, is_space, simple_fold, strip};

/// The maximum number of members whose values are considered.
const MAX_MEMBERS: usize = 8;

/// The unit of `char[1]` or `letter[1]`.
fn initial(change: &Tree) -> Option<Unit> {
    let Node::Index(list, _) = &change.node else { return None };
    let Node::Units(unit, None) = &list.node else { return None };
    let first = ordinal(change) == Some(1) && matches!(unit, Unit::Char | Unit::Letter);
    first.then_some(*unit)
}

/// The separator of a list of parts.
fn cut_at(list: &Tree) -> Option<&str> {
    match &list.node {
        Node::Call(name, arguments) if name.derived == Derived::Split => match arguments.as_slice()
        {
            [Tree { node: Node::It, .. }, at] => text(at).filter(|at| !at.is_empty()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether what is changed so has a letter only where it had one before.
fn keeps_letters(change: &Tree) -> bool {
    match &change.node {
        Node::It => true,
        Node::Call(name, arguments) => match (name.derived, arguments.as_slice()) {
            (Derived::Same(_), [inner]) => keeps_letters(inner),
            (Derived::Replaced, [inner, old, _]) => {
                text(old).is_some_and(|old| !old.is_empty() && old.chars().all(is_letter))
                    && keeps_letters(inner)
            }
            _ => false,
        },
        _ => false,
    }
}

impl CheckReader<'_> {
    /// That a list has these members.
    pub(super) fn list_is(&self, tree: &Tree, list: &Tree, values: &[Value]) -> Vec<Fact> {
        let many = i64::try_from(values.len()).unwrap_or(i64::MAX);
        let counted = |list: &Tree, interval: Interval| {
            let all = self.bounded_by(tree, &count_of(list.clone()), interval);
            <[Vec<Fact>; 1]>::try_from(all).map(|[facts]| facts).unwrap_or_default()
        };
        match &list.node {
            Node::Each(list, change) => {
                let mut facts = counted(list, Interval::exactly(Number::Int(many)));
                if matches!(&change.node, Node::Call(name, _) if name.derived == Derived::Same(LetterChange::Blanks))
                {
                    facts.extend(self.row_is(tree, list, values));
                }
                // A text split at its commas has a word in each part with a letter.
                if cut_at(list).is_some_and(|at| [",", ";", "|", "/"].contains(&at))
                    && keeps_letters(change)
                {
                    let spelt = |value: &&Value| {
                        value.as_str().is_some_and(|text| {
                            text.chars().any(is_letter) && !text.chars().any(char::is_numeric)
                        })
                    };
                    let words = i64::try_from(values.iter().filter(spelt).count()).unwrap_or(0);
                    let words = Interval::at_least(Number::Int(words));
                    facts.push(
                        self.fact(tree, Property::Measured(Measure::Count(Unit::Word), words)),
                    );
                }
                let characters = pattern::written(list, change, values);
                facts.extend(characters.map(|class| self.fact(tree, Property::Only(class))));
                facts
            }
            Node::Index(list, at) => match &at.node {
                Node::Range { low: Some(low), high: None, .. } => match number(low) {
                    Some(Number::Int(low)) if low >= 1 && many >= 1 => counted(
                        list,
                        Interval::exactly(Number::Int((low - 1).saturating_add(many))),
                    ),
                    _ => Vec::new(),
                },
                _ => {
                    let Some(Number::Int(row)) = number(at) else { return Vec::new() };
                    let mut facts = self.row_is(
                        tree,
                        &Tree::new(Node::Index(list.clone(), at.clone()), tree.span),
                        values,
                    );
                    if row >= 1 {
                        facts.extend(counted(list, Interval::at_least(Number::Int(row))));
                    }
                    facts
                }
            },
            Node::Call(name, arguments) => match (name.derived, arguments.as_slice()) {
                (Derived::Reversed | Derived::Sorted, [list]) => {
                    counted(list, Interval::exactly(Number::Int(many)))
                }
                (Derived::Split, [Tree { node: Node::It, .. }, at]) => {
                    let between = text(at).filter(|between| !between.is_empty());
                    let times = Interval::exactly(Number::Int((many - 1).max(0)));
                    let cut = |between: &str| {
                        self.fact(
                            tree,
                            Property::Measured(needle_measure(SearchKind::Text, between), times),
                        )
                    };
                    between.map(cut).into_iter().collect()
                }
                _ => Vec::new(),
            },
            Node::Units(unit, None) => {
                let mut facts = counted(list, Interval::exactly(Number::Int(many)));
                for (at, value) in values.iter().enumerate().take(MAX_MEMBERS) {
                    let Value::Text(part) = value else { break };
                    let at = Tree::new(Node::Value(Value::Int(at as i64 + 1)), list.span);
                    let one = Node::Index(Box::new(list.clone()), Box::new(at));
                    facts.extend(self.unit_is(tree, &Tree::new(one, list.span), *unit, part));
                }
                facts
            }
            _ => Vec::new(),
        }
    }

    /// That the first letters of the members of a list are these: there are as many members, and
    /// the text starts with the first.
    pub(super) fn initials_are(&self, tree: &Tree, measure: &Tree, letters: &str) -> Vec<Fact> {
        let (list, each, by_char) = match &measure.node {
            Node::Call(name, arguments) => match (name.derived, arguments.as_slice()) {
                (Derived::Same(LetterChange::Lower), [inner]) if letters.is_ascii() => {
                    return self.initials_are(tree, inner, letters);
                }
                (Derived::Initials, [list]) => (list, false, false),
                (Derived::Joined, [Tree { node: Node::Each(list, change), .. }]) => {
                    match initial(change) {
                        Some(unit) => (&**list, true, unit == Unit::Char),
                        None => return Vec::new(),
                    }
                }
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let many = i64::try_from(letters.chars().count()).unwrap_or(i64::MAX);
        let low = Interval::at_least(Number::Int(many)).low;
        let mut facts = self.at_least_as_many(tree, list, low);
        // Of `join(line each char[1])` each line has one, of `initials` perhaps not.
        if let (Node::Units(unit, None), true) = (&list.node, each) {
            let many = Interval::exactly(Number::Int(many));
            facts.push(self.fact(tree, Property::Measured(Measure::Count(*unit), many)));
        }
        for letter in letters.chars().filter(|c| is_letter(*c)).map(simple_fold) {
            let same = letters.chars().filter(|c| simple_fold(*c) == letter).count() as i64;
            let often = Interval::at_least(Number::Int(same));
            let needle = needle_measure(SearchKind::Letter, &letter.to_string());
            // A letter with an accent may be written as two characters.
            let is_content = matches!(list.node, Node::Units(unit, None) if unit.is_of_content());
            let letters = self.fact(tree, Property::Measured(needle, often));
            facts.push(Fact { in_prose: !is_content, ..letters });
        }
        let whole =
            matches!(list.node, Node::Units(Unit::Line | Unit::Word | Unit::WordPart, None));
        let first = letters.chars().next().map(String::from);
        if let (true, Some(letter)) = (whole, first.and_then(|letter| one_letter(&letter))) {
            facts.push(self.fact(tree, Property::Starts(TextEdge::Letter(letter))));
        }
        if let (Node::Units(unit, None), true, true) = (&list.node, whole, by_char) {
            for (at, letter) in (1..).zip(letters.chars().take(MAX_MEMBERS)) {
                if let Some(class) = pattern::in_any_case([letter]).filter(|_| !is_space(letter)) {
                    let start = self.fact(tree, Property::StartsIn(class));
                    // The start of the first line is the start of a plain text.
                    facts.extend((at == 1).then(|| Fact { in_prose: true, ..start.clone() }));
                    let one = Property::One(ListSource::Units(*unit), Some(at), vec![start]);
                    facts.push(self.fact(tree, one));
                }
            }
        }
        facts
    }

    /// That one unit of the answer is this text: `word[1] == "Dear"`.
    pub(super) fn unit_is(&self, tree: &Tree, measure: &Tree, unit: Unit, part: &str) -> Vec<Fact> {
        let mut inner = self.facts_of_literal(tree, part, true);
        if !part.is_empty() {
            let once = Interval::at_least(Number::Int(1));
            inner.push(
                self.fact(tree, Property::Measured(needle_measure(SearchKind::Text, part), once)),
            );
        }
        let at = ordinal(measure);
        let mut facts = vec![self.fact(tree, Property::One(ListSource::Units(unit), at, inner))];
        let edge = match (unit, strip(part)) {
            (_, "") => None,
            // Each letter is in a word: that at the edge is that of the text.
            (Unit::Word | Unit::WordPattern, part) => {
                let letter = match at {
                    Some(1) => part.chars().find(|c| is_letter(*c)),
                    _ => part.chars().rev().find(|c| is_letter(*c)),
                };
                let letter = letter.map(String::from);
                letter.and_then(|letter| one_letter(&letter)).map(TextEdge::Letter)
            }
            (Unit::WordSpace | Unit::Line, part) => Some(TextEdge::Exact(part.to_owned())),
            _ => None,
        };
        let in_prose = !matches!(unit, Unit::Word | Unit::WordSpace);
        match (at, edge) {
            (Some(1), Some(edge)) => {
                facts.push(Fact { in_prose, ..self.fact(tree, Property::Starts(edge)) });
            }
            (Some(-1), Some(edge)) => {
                facts.push(Fact { in_prose, ..self.fact(tree, Property::Ends(edge)) });
            }
            _ => {}
        }
        facts
    }
}
