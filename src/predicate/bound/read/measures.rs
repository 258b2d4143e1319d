//! What a comparison says of a measure of the answer.

use super::derived::whole_text;
use super::{
    ALTERNATIVES, Alternatives, Reader, both, either, measured, needle_measure, nothing, number,
    one_letter, ordinal, text, unit_at,
};
use crate::predicate::bound::fact::{Edge, Letters, Measure, What};
use crate::predicate::bound::interval::{End, Interval};
use crate::predicate::number::Number;
use crate::predicate::print::print;
use crate::predicate::tree::{ArithmeticOp, CompareOp, Node, Tree};
use crate::predicate::value::Value;
use crate::text::Unit;

impl Reader<'_> {
    pub(super) fn compared(
        &self,
        tree: &Tree,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
    ) -> Alternatives {
        let (measure, op, value) = match (&left.node, &right.node) {
            (_, Node::Value(value)) => (left, op, value),
            (Node::Value(value), _) => (right, op.turned(), value),
            _ => match (self.reach(left), self.reach(right)) {
                (None, Some(reach)) => return self.stands(tree, op, left, reach),
                (Some(reach), None) => return self.stands(tree, op.turned(), right, reach),
                _ => return nothing(),
            },
        };
        let Some(number) = Number::of(value) else {
            if let Some(told) = self.told(tree, op, measure, value) {
                return told;
            }
            let is = match op {
                CompareOp::Equal => What::Is(print(measure), value.clone()),
                CompareOp::NotEqual => What::IsNot(print(measure), value.clone()),
                _ => return nothing(),
            };
            let mut facts = vec![self.fact(tree, is)];
            facts.extend(self.json_facts(tree, measure));
            if let (CompareOp::Equal, Some((unit, least)), Value::Text(part)) =
                (op, unit_at(measure), value)
            {
                // A unit of the answer is a stretch of it.
                let many = Interval::at_least(Number::Int(least));
                facts.push(self.fact(tree, What::Measured(Measure::Count(unit), many)));
                if !part.is_empty() {
                    let once = Interval::at_least(Number::Int(1));
                    facts.push(self.fact(tree, What::Measured(needle_measure("text", part), once)));
                }
                if let (Unit::Letter, Some(letter)) = (unit, one_letter(part)) {
                    let edge = Edge::Letter(letter);
                    match ordinal(measure) {
                        Some(1) => facts.push(self.fact(tree, What::Starts(edge))),
                        Some(-1) => facts.push(self.fact(tree, What::Ends(edge))),
                        _ => {}
                    }
                }
            }
            if let (CompareOp::Equal, Value::Text(whole)) = (op, value) {
                match whole_text(measure) {
                    Some(true) => facts.extend(self.nothing_but(tree, whole, true)),
                    // Letters that become others may be more or fewer than those.
                    Some(false) if whole.is_ascii() => {
                        facts.extend(self.nothing_but(tree, whole, false));
                    }
                    _ => {}
                }
            }
            return vec![facts];
        };
        match Interval::of(op, number) {
            Some(interval) => self.lies(tree, measure, interval),
            None => {
                // Unlike is less or more.
                let less = Interval::of(CompareOp::Less, number).unwrap_or_default();
                let more = Interval::of(CompareOp::More, number).unwrap_or_default();
                either(self.lies(tree, measure, less), self.lies(tree, measure, more))
            }
        }
    }

    /// How a measure stands to a number of which only the ends are known.
    pub(super) fn stands(
        &self,
        tree: &Tree,
        op: CompareOp,
        measure: &Tree,
        reach: Interval,
    ) -> Alternatives {
        let end = |end: Option<End>, strict| end.map(|end| End { value: end.value, strict });
        let interval = match op {
            CompareOp::Equal => reach,
            CompareOp::NotEqual => return nothing(),
            CompareOp::Less | CompareOp::LessEqual => {
                Interval { low: None, high: end(reach.high, op == CompareOp::Less) }
            }
            CompareOp::More | CompareOp::MoreEqual => {
                Interval { low: end(reach.low, op == CompareOp::More), high: None }
            }
        };
        self.lies(tree, measure, interval)
    }

    /// The numbers that something which does not depend on the answer may be.
    pub(super) fn reach(&self, tree: &Tree) -> Option<Interval> {
        match &tree.node {
            Node::Value(value) => Number::of(value).map(Interval::exactly),
            Node::Var(name) => {
                let (low, high) = self.variables.between(name)?;
                let end = |value: &Value| Some(End { value: Number::of(value)?, strict: false });
                Some(Interval { low: end(&low), high: end(&high) })
            }
            Node::Negative(inner) => Some(self.reach(inner)?.negated()),
            Node::Arithmetic(op, left, right) => {
                let (a, b) = (self.reach(left)?, self.reach(right)?);
                let join = |x: Option<End>, y: Option<End>| {
                    let value = x?.value.plus(y?.value)?;
                    Some(End { value, strict: false })
                };
                match op {
                    ArithmeticOp::Add => {
                        Some(Interval { low: join(a.low, b.low), high: join(a.high, b.high) })
                    }
                    ArithmeticOp::Subtract => {
                        let b = b.negated();
                        Some(Interval { low: join(a.low, b.low), high: join(a.high, b.high) })
                    }
                    ArithmeticOp::Multiply => {
                        let (range, times) = match (number(left), number(right)) {
                            (_, Some(times)) => (a, times),
                            (Some(times), _) => (b, times),
                            _ => return None,
                        };
                        (times > Number::Int(0)).then(|| range.map(|end| end.times(times)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// That a measure lies in an interval.
    pub(super) fn lies(&self, tree: &Tree, measure: &Tree, interval: Interval) -> Alternatives {
        if interval.is_empty() {
            return self.one(tree, What::Never);
        }
        match &measure.node {
            Node::Arithmetic(op, left, right) => {
                let solved = match (op, number(left), number(right)) {
                    (ArithmeticOp::Add, _, Some(n)) => Some((left, interval.map(|x| x.minus(n)))),
                    (ArithmeticOp::Add, Some(n), _) => Some((right, interval.map(|x| x.minus(n)))),
                    (ArithmeticOp::Subtract, _, Some(n)) => {
                        Some((left, interval.map(|x| x.plus(n))))
                    }
                    (ArithmeticOp::Subtract, Some(n), _) => {
                        Some((right, interval.negated().map(|x| x.plus(n))))
                    }
                    (ArithmeticOp::Multiply, _, Some(n)) if n > Number::Int(0) => {
                        Some((left, interval.map(|x| x.over(n))))
                    }
                    (ArithmeticOp::Multiply, Some(n), _) if n > Number::Int(0) => {
                        Some((right, interval.map(|x| x.over(n))))
                    }
                    (ArithmeticOp::Divide, _, Some(n)) if n > Number::Int(0) => {
                        Some((left, interval.map(|x| x.times(n))))
                    }
                    _ => None,
                };
                if let Some((inner, interval)) = solved {
                    return self.lies(tree, inner, interval);
                }
            }
            Node::Negative(inner) => return self.lies(tree, inner, interval.negated()),
            Node::Call(name, arguments) if name == "abs" => {
                if let (Some(high), [inner]) = (interval.high, arguments.as_slice())
                    && interval.low.is_none_or(|low| low.value <= Number::Int(0))
                {
                    let high = Interval { low: None, high: Some(high) };
                    let both = Interval { low: high.negated().low, high: high.high };
                    return self.lies(tree, inner, both);
                }
            }
            _ => {}
        }
        let json = self.json_facts(tree, measure);
        let parts = self.part_facts(tree, measure, interval);
        let measure = measured(measure);
        let interval = if measure.counts() { interval.whole() } else { interval };
        let mut facts = vec![self.fact(tree, What::Measured(measure.clone(), interval))];
        facts.extend(json);
        facts.extend(parts);
        if let (Measure::Count(unit), Some(least)) = (&measure, interval.low_int()) {
            facts.extend(self.marks(tree, *unit, least));
        }
        if let Measure::Other(source, _) = &measure {
            let letters = match source.as_str() {
                "share_upper" => Some(Letters::All),
                "share_upper_as_released" => Some(Letters::Ascii),
                _ => None,
            };
            if let Some(letters) = letters {
                let (none, all) = (Number::Int(0), Number::Int(100));
                if interval
                    .low
                    .is_some_and(|low| low.value > none || (low.strict && low.value == none))
                {
                    facts.push(self.fact(tree, What::HasUpper(letters)));
                }
                if interval.low.is_some_and(|low| low.value >= all) {
                    facts.push(self.fact(tree, What::NoLower(letters)));
                }
                if interval.high.is_some_and(|high| high.value <= none) {
                    facts.push(self.fact(tree, What::NoUpper(letters)));
                }
                if interval
                    .high
                    .is_some_and(|high| high.value < all || (high.strict && high.value == all))
                {
                    facts.push(self.fact(tree, What::HasLower(letters)));
                }
            }
        }
        vec![facts]
    }

    pub(super) fn within(
        &self,
        tree: &Tree,
        left: &Tree,
        right: &Tree,
        wanted: bool,
    ) -> Alternatives {
        match &right.node {
            Node::Range { low, high, inclusive } => {
                let above = if *inclusive { CompareOp::LessEqual } else { CompareOp::Less };
                let ends = [(CompareOp::MoreEqual, low), (above, high)];
                let sides = ends.into_iter().filter_map(|(op, end)| {
                    let op = if wanted { op } else { op.opposite() };
                    let reach = self.reach(end.as_deref()?);
                    Some(reach.map_or_else(nothing, |reach| self.stands(tree, op, left, reach)))
                });
                if wanted {
                    sides.reduce(both).unwrap_or_else(nothing)
                } else {
                    sides.reduce(either).unwrap_or_else(|| self.one(tree, What::Never))
                }
            }
            Node::Value(Value::List(values)) if values.len() <= ALTERNATIVES => {
                let sides = values.iter().map(|value| {
                    let value = Tree::new(Node::Value(value.clone()), right.span);
                    let op = if wanted { CompareOp::Equal } else { CompareOp::NotEqual };
                    self.compared(tree, op, left, &value)
                });
                if wanted {
                    sides.reduce(either).unwrap_or_else(|| self.one(tree, What::Never))
                } else {
                    sides.fold(nothing(), both)
                }
            }
            // `"like" in it`
            Node::It => match text(left) {
                Some(part) => self.occurs(tree, "text", part, wanted),
                None => nothing(),
            },
            _ => nothing(),
        }
    }
}
