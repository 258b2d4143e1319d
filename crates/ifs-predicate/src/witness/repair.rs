//! Local edits until a text meets checks that a plan does not represent: ordinals, quantifiers over
//! any unit, tables, sections, relations to earlier responses.
//!
//! The tree of a check determines the edit: for `paragraph[2]: count(word) >= 9`, words are
//! inserted into the second paragraph. If an edit breaks another check, the next round repairs that
//! one; *evaluate* decides when all are met.

mod chain;
mod inverse;
mod numbers;
pub(crate) mod parts;
mod sample;
mod words;

use std::ops::Range;

use super::words::{Vocabulary, WordDraw};
use super::{Goal, count_long, missed_goals};
use crate::evaluate::{TextContext, Variables, evaluate, holds, positions_in_response};
use crate::functions::hooks::{Call, Derived, LetterChange, Repaired};
use crate::subject::with_it_for;
use crate::tree::{Node, Pattern, Quantified, Quantifier, Tree};
use crate::value::Value;
use ifs_text::{Text, Unit};

/// The maximum number of rounds over the checks.
const MAX_ROUNDS: usize = 30;
/// The maximum number of rounds without progress.
const MAX_IDLE_ROUNDS: usize = 9;
/// The maximum length of a text, in bytes.
const MAX_TEXT_BYTES: usize = 100_000;
/// How many goals are tried in the time of writing a text.
const GOALS_PER_PASS: usize = 16;
/// The maximum depth of nested repairs.
const MAX_DEPTH: usize = 12;

/// A shortest text that a regular expression matches.
pub(super) fn matching(pattern: &str) -> Option<String> {
    Some(sample::shortest_match(&Pattern::new(pattern, ""))?.text)
}

/// A text that a regular expression matches; which one of several depends on `turn`.
pub(super) fn sampled(pattern: &str, flags: &str, turn: usize) -> Option<String> {
    Some(sample::alternative_match(&Pattern::new(pattern, flags), turn)?.text)
}

/// One edit of the text towards a check.
pub(super) fn met(
    goal: &Goal<'_>,
    tree: &Tree,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
) -> Option<String> {
    Repairer { variables: goal.variables, vocabulary, draw }.repair_step(tree, text, goal.wanted, 0)
}

/// The text with other members of a list.
pub(super) fn listed(
    goal: &Goal<'_>,
    list: &Tree,
    members: &[String],
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
) -> Option<String> {
    Repairer { variables: goal.variables, vocabulary, draw }.lists(list, members, "")
}

pub(super) fn repaired(
    goals: &[Goal<'_>],
    trees: &[Tree],
    text: &mut String,
    vocabulary: &Vocabulary<'_>,
    draw: &mut WordDraw,
) -> bool {
    let (mut best, mut left) = (usize::MAX, MAX_IDLE_ROUNDS);
    for _ in 0..MAX_ROUNDS {
        if draw.steps_left() == 0 {
            break;
        }
        draw.spend(text.len());
        let missed = missed_goals(goals, text);
        if missed.is_empty() {
            return true;
        }
        if missed.len() < best {
            (best, left) = (missed.len(), MAX_IDLE_ROUNDS);
        } else if left == 0 {
            return false;
        } else {
            left -= 1;
        }
        let before = text.clone();
        let have = missed.len();
        for at in missed {
            if draw.steps_left() == 0 {
                break;
            }
            let (Some(goal), Some(tree)) = (goals.get(at), trees.get(at)) else { continue };
            let mut repairer = Repairer { variables: goal.variables, vocabulary, draw };
            let Some(changed) = repairer.repair_step(tree, text, goal.wanted, 0) else { continue };
            draw.spend(changed.len() * (1 + goals.len() / GOALS_PER_PASS));
            // Usually not at the expense of other checks, or two would undo each other forever.
            if super::missed_goals(goals, &changed).len() <= have || draw.index_below(3) == 0 {
                *text = changed;
            }
        }
        if text.len() > MAX_TEXT_BYTES {
            *text = before;
        }
    }
    missed_goals(goals, text).is_empty()
}

/// A list in a transformation of the text, as a list in the text.
fn unchanged(tree: &Tree) -> Option<Tree> {
    let node = match &tree.node {
        Node::Units(unit, Some(of)) if is_changed(of) => Node::Units(*unit, None),
        Node::Where(list, condition) => Node::Where(Box::new(unchanged(list)?), condition.clone()),
        Node::Index(list, at) => Node::Index(Box::new(unchanged(list)?), at.clone()),
        _ => return None,
    };
    Some(Tree::new(node, tree.span))
}

fn is_changed(tree: &Tree) -> bool {
    match &tree.node {
        Node::It => true,
        Node::Call(name, arguments) => {
            name.derived.is_mostly_the_same() && arguments.first().is_some_and(is_changed)
        }
        _ => false,
    }
}

/// `join(reversed(char))`
fn is_reversed(tree: &Tree) -> bool {
    let Node::Call(name, arguments) = &tree.node else { return false };
    match (name.derived, arguments.as_slice()) {
        (Derived::Same(LetterChange::Lower | LetterChange::Upper), [inner]) => is_reversed(inner),
        (Derived::Joined, [Tree { node: Node::Call(name, of), .. }])
            if name.derived == Derived::Reversed =>
        {
            matches!(of.as_slice(), [Tree { node: Node::Units(unit, None), .. }]
                if matches!(unit, Unit::Char | Unit::Letter | Unit::Grapheme))
        }
        _ => false,
    }
}

/// `every p in windows(2, sentence): …`
fn is_chain(quantified: &Quantified) -> bool {
    matches!(quantified.quantifier, Quantifier::Every)
        && matches!(&quantified.domain.node, Node::Call(name, _) if name.derived == Derived::Windows)
}

/// Changes a text a step at a time towards a check.
pub(crate) struct Repairer<'m, 'w> {
    variables: &'m dyn Variables,
    vocabulary: &'m Vocabulary<'w>,
    draw: &'m mut WordDraw,
}

impl Repairer<'_, '_> {
    pub(crate) fn holds(&self, tree: &Tree, text: &str) -> bool {
        holds(tree, &TextContext { it: &Text::new(text), variables: self.variables })
    }

    pub(crate) fn value(&self, tree: &Tree, text: &str) -> Option<Value> {
        count_long(text);
        evaluate(tree, &TextContext { it: &Text::new(text), variables: self.variables }).ok()
    }

    fn places(&self, tree: &Tree, text: &str) -> Option<Vec<Range<usize>>> {
        let read = Text::new(text);
        let scene = TextContext { it: &read, variables: self.variables };
        // For words of the lower-case text, those of the text itself.
        positions_in_response(tree, &scene)
            .or_else(|| positions_in_response(&unchanged(tree)?, &scene))
    }

    /// The text edited towards a check that should hold, or fail. `None` if no edit is known.
    fn repair_step(
        &mut self,
        tree: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.value(tree, text) == Some(Value::Bool(wanted)) {
            return Some(text.to_owned());
        }
        match &tree.node {
            Node::Not(inner) => self.repair_step(inner, text, !wanted, depth + 1),
            Node::And(parts) if wanted => self.all(parts, text, true, depth),
            Node::Or(parts) if !wanted => self.all(parts, text, false, depth),
            Node::And(parts) | Node::Or(parts) => {
                parts.iter().find_map(|part| self.repair_step(part, text, wanted, depth + 1))
            }
            Node::If(condition, then, otherwise) => {
                let branch =
                    if self.holds(condition, text) { Some(then) } else { otherwise.as_ref() };
                self.repair_step(branch?, text, wanted, depth + 1)
            }
            Node::Compare(op, left, right) => {
                let op = if wanted { *op } else { op.opposite() };
                self.compare(op, left, right, text, depth)
            }
            Node::Within(left, right) => self.within(left, right, text, wanted, depth),
            Node::Call(func, arguments) => {
                let call = Call { tree, func: *func, arguments };
                self.call(&Repaired { call, text, depth }, wanted)
            }
            Node::Quantified(quantified) => match &quantified.binder {
                _ if wanted && is_chain(quantified) => self.chained(quantified, text),
                None => self.quantified(quantified, text, wanted, depth),
                // Conditions of the body on the outer text are lost; *evaluate* decides.
                Some(name) => {
                    let body = with_it_for(name, &quantified.body);
                    let own = Quantified { binder: None, body, ..(**quantified).clone() };
                    self.quantified(&own, text, wanted, depth)
                }
            },
            Node::At(subject, body) => self.repair_at(subject, body, text, wanted, depth),
            _ => None,
        }
    }

    fn all(&mut self, parts: &[Tree], text: &str, wanted: bool, depth: usize) -> Option<String> {
        let mut text = text.to_owned();
        let mut changed = false;
        for part in parts {
            if self.value(part, &text) == Some(Value::Bool(wanted)) {
                continue;
            }
            if let Some(better) = self.repair_step(part, &text, wanted, depth + 1) {
                text = better;
                changed = true;
            }
        }
        changed.then_some(text)
    }

    /// A number for which a body holds, or fails, if the members of a list are numbers.
    fn another_number(&mut self, domain: &Tree, body: &Tree, wanted: bool) -> Option<String> {
        let Node::Units(unit, None) = &domain.node else { return None };
        let body = if wanted {
            body.clone()
        } else {
            Tree::new(Node::Not(Box::new(body.clone())), body.span)
        };
        matches!(unit, Unit::Number | Unit::NumberDigits).then_some(())?;
        let such = Node::Where(Box::new(domain.clone()), Box::new(body));
        self.member_word(&Tree::new(such, domain.span))
    }

    // ---- parts of the text ---------------------------------------------------------------

    fn repair_at(
        &mut self,
        subject: &Tree,
        body: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        match &subject.node {
            Node::It => return self.repair_step(body, text, wanted, depth + 1),
            // A check on the lower-case text is usually met by editing the text itself.
            Node::Call(name, arguments)
                if name.derived.is_mostly_the_same()
                    && matches!(arguments.first(), Some(Tree { node: Node::It, .. })) =>
            {
                return self.repair_step(body, text, wanted, depth + 1);
            }
            _ => {}
        }
        match self.places(subject, text).as_deref() {
            Some([place]) => self.within_place(place.clone(), body, text, wanted, depth),
            _ => {
                if let Some(value) = self.value(subject, text) {
                    let better = self.repair_step(body, value.as_str()?, wanted, depth + 1)?;
                    return self.set_measure(subject, &better, text);
                }
                let Node::Index(list, _) = &subject.node else { return None };
                self.grow(list, text, depth + 1)
            }
        }
    }

    fn within_place(
        &mut self,
        place: Range<usize>,
        body: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        let part = text.get(place.clone())?;
        let better = self.repair_step(body, part, wanted, depth + 1)?;
        Some(format!("{}{better}{}", text.get(..place.start)?, text.get(place.end..)?))
    }

    fn quantified(
        &mut self,
        quantified: &Quantified,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        let body = &quantified.body;
        let number = |repairer: &Self, tree: &Tree| {
            let count = repairer.value(tree, text)?.as_int()?;
            usize::try_from(count).ok()
        };
        // The minimum and maximum number of members for which the body should hold.
        let (least, most) = match (&quantified.quantifier, wanted) {
            (Quantifier::Every, true) => {
                return self.members(&quantified.domain, body, text, true, usize::MAX, depth);
            }
            (Quantifier::No, true) | (Quantifier::Some, false) => {
                return self.members(&quantified.domain, body, text, false, usize::MAX, depth);
            }
            (Quantifier::Every, false) => {
                return self.members(&quantified.domain, body, text, false, 1, depth);
            }
            (Quantifier::Some, true) | (Quantifier::No, false) => (1, None),
            (Quantifier::AtLeast(count), true) => (number(self, count)?, None),
            (Quantifier::AtMost(count), true) => (0, Some(number(self, count)?)),
            (Quantifier::Exactly(count), true) => {
                let count = number(self, count)?;
                (count, Some(count))
            }
            _ => return None,
        };
        let places = self.places(&quantified.domain, text)?;
        let met: Vec<bool> = places
            .iter()
            .map(|place| text.get(place.clone()).is_some_and(|part| self.holds(body, part)))
            .collect();
        let have = met.iter().filter(|met| **met).count();
        if have < least {
            let more = least - have;
            // An existing member is changed, or sometimes a new one is added.
            if met.len() - have >= more && self.draw.index_below(3) > 0 {
                return self.members(&quantified.domain, body, text, true, more, depth);
            }
            return self.grow(&quantified.domain, text, depth + 1);
        }
        let most = most?;
        self.members(&quantified.domain, body, text, false, have.saturating_sub(most), depth)
    }

    /// Changes members, from the last to the first, until the body holds, or fails, for enough of
    /// them.
    fn members(
        &mut self,
        domain: &Tree,
        body: &Tree,
        text: &str,
        wanted: bool,
        mut many: usize,
        depth: usize,
    ) -> Option<String> {
        let places = self.places(domain, text)?;
        if places.is_empty() && !wanted && many == 1 {
            return self.grow(domain, text, depth + 1);
        }
        let mut text = text.to_owned();
        let mut changed = false;
        for place in places.into_iter().rev() {
            if many == 0 || self.draw.steps_left() == 0 {
                break;
            }
            self.draw.spend(place.len());
            let Some(part) = text.get(place.clone()) else { continue };
            if self.value(body, part) == Some(Value::Bool(wanted)) {
                continue;
            }
            let better = match self.another_number(domain, body, wanted) {
                Some(number) => Some(number),
                None => self.repair_step(body, part, wanted, depth + 1),
            };
            let Some(better) = better else { continue };
            if many < usize::MAX && self.value(body, &better) != Some(Value::Bool(wanted)) {
                continue;
            }
            many = many.saturating_sub(1);
            text.replace_range(place, &better);
            changed = true;
        }
        changed.then_some(text)
    }
}
