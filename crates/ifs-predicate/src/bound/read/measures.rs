//! What a comparison implies for a measure of the response.

use regex_syntax::hir::ClassUnicode;
use std::sync::Arc;

use super::derived::{TextTransformation, of_json, whole_text};
use super::{
    Alternatives, CheckReader, MAX_ALTERNATIVES, conjunction, disjunction, is_shared, is_test,
    measure_of, needle_measure, no_facts, number, one_letter, ordinal, text, unit_at,
};
use crate::bound::fact::{Fact, Measure, Property, TextEdge};
use crate::bound::interval::{Interval, IntervalEnd};
use crate::bound::pattern;
use crate::functions::hooks::{Call, Derived, LetterChange};
use crate::functions::{Func, len_of};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{ArithmeticOp, CompareOp, Node, Tree};
use crate::value::Value;
use ifs_text::Unit;

/// `join(word.space, " ")`, perhaps in small letters: the complete text.
fn words_of(measure: &Tree) -> Option<()> {
    let Node::Call(name, arguments) = &measure.node else { return None };
    match (name.derived, arguments.as_slice()) {
        (Derived::Same(LetterChange::Lower | LetterChange::Blanks), [inner]) => words_of(inner),
        (Derived::Joined, [list, between]) => {
            let all = matches!(&list.node, Node::Units(unit, None) if *unit == Unit::WordSpace);
            (all && text(between) == Some(" ")).then_some(())
        }
        _ => None,
    }
}

/// `char in content`
fn is_char_of_content(list: &Tree) -> bool {
    let Node::Units(Unit::Char, Some(text)) = &list.node else { return false };
    matches!(&text.node, Node::Call(func, _) if *func == Func::CONTENT)
}

/// An expression without an added number, and that number.
fn without_offset(tree: &Tree) -> (&Tree, Number) {
    let none = (tree, Number::Int(0));
    let Node::Arithmetic(op, left, right) = &tree.node else { return none };
    match (op, number(left), number(right)) {
        (ArithmeticOp::Add, None, Some(n)) => (left, n),
        (ArithmeticOp::Add, Some(n), None) => (right, n),
        (ArithmeticOp::Subtract, None, Some(n)) => n.negated().map_or(none, |n| (left, n)),
        _ => none,
    }
}

/// `count(word) * 3`: the count, and its factor.
fn multiple(tree: &Tree) -> Option<&Tree> {
    let counts = |tree: &Tree| matches!(&tree.node, Node::Call(func, _) if func.counts);
    match &tree.node {
        Node::Arithmetic(ArithmeticOp::Multiply, left, right) => {
            let (of, times) = match (number(left), number(right)) {
                (None, Some(times)) => (left, times),
                (Some(times), None) => (right, times),
                _ => return None,
            };
            (times > Number::Int(0) && counts(of)).then_some(of)
        }
        _ => None,
    }
}

/// Which case `lower` or `upper` gives the text.
fn case_of(tree: &Tree) -> Option<LetterChange> {
    let Node::Call(name, arguments) = &tree.node else { return None };
    match (name.derived, arguments.as_slice()) {
        (
            Derived::Same(case @ (LetterChange::Lower | LetterChange::Upper)),
            [Tree { node: Node::It, .. }],
        ) => Some(case),
        _ => None,
    }
}

/// No more terms of a sum than these.
const MAX_TERMS: usize = 6;

/// Adds the counts of a sum, times a factor, to others; returns its constant, if it only has counts
/// and integers.
fn add(tree: &Tree, times: i64, into: &mut Vec<(Measure, i64)>) -> Option<i64> {
    // Bounds near the limits of integers are not computed.
    let small = |number: i64| (number.abs() <= 1 << 30).then_some(number);
    let times = small(times)?;
    match &tree.node {
        Node::Value(_) => match number(tree)? {
            Number::Int(number) => small(number)?.checked_mul(times),
            _ => None,
        },
        Node::Negative(inner) => add(inner, -times, into),
        Node::Arithmetic(ArithmeticOp::Add, left, right) => {
            add(left, times, into)?.checked_add(add(right, times, into)?)
        }
        Node::Arithmetic(ArithmeticOp::Subtract, left, right) => {
            add(left, times, into)?.checked_add(add(right, -times, into)?)
        }
        Node::Arithmetic(ArithmeticOp::Multiply, left, right) => {
            let (of, by) = match (number(left), number(right)) {
                (_, Some(Number::Int(by))) => (left, by),
                (Some(Number::Int(by)), _) => (right, by),
                _ => return None,
            };
            add(of, times.checked_mul(by)?, into)
        }
        Node::Call(..) => {
            let measure = measure_of(tree);
            if !measure.counts() || into.len() == MAX_TERMS {
                return None;
            }
            match into.iter_mut().find(|(known, _)| *known == measure) {
                Some((_, known)) => *known = known.checked_add(times)?,
                None => into.push((measure, times)),
            }
            Some(0)
        }
        _ => None,
    }
}

impl CheckReader<'_> {
    pub(super) fn compared(
        &self,
        tree: &Tree,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
    ) -> Alternatives {
        let (measure, op, value) = match (&left.node, &right.node) {
            (_, Node::Value(value)) => (left, op, value),
            (Node::Value(value), _) => (right, op.with_sides_exchanged(), value),
            _ => match (self.possible_values(left), self.possible_values(right)) {
                (None, Some(reach)) => return self.bounded(tree, op, left, reach),
                (Some(reach), None) => {
                    return self.bounded(tree, op.with_sides_exchanged(), right, reach);
                }
                _ => return self.opaque_comparison(tree, op, left, right),
            },
        };
        if let (Value::Bool(value), CompareOp::Equal | CompareOp::NotEqual, true) =
            (value, op, is_test(measure))
        {
            return self.read(measure, *value == (op == CompareOp::Equal));
        }
        let Some(number) = Number::from_value(value) else {
            if let Some(found) = self.compared_language(tree, op, measure, value) {
                return found;
            }
            let is = match op {
                CompareOp::Equal => Property::Is(Arc::new(measure.clone()), value.clone()),
                CompareOp::NotEqual => Property::IsNot(Arc::new(measure.clone()), value.clone()),
                _ => return no_facts(),
            };
            let mut facts = vec![self.fact(tree, is)];
            facts.extend(self.json_facts(tree, measure));
            if let (CompareOp::Equal, Value::Text(words), Some(())) = (op, value, words_of(measure))
                && words.is_ascii()
            {
                facts.extend(self.exact_words(tree, words));
            }
            if let (CompareOp::Equal, Value::Text(text), Node::Call(func, arguments)) =
                (op, value, &measure.node)
                && let Some(if_equal) = func.if_equal
            {
                let call = Call { tree: measure, func: *func, arguments };
                facts.extend(if_equal(self, tree, &call, text));
            }
            if let (CompareOp::Equal, Value::Text(rest)) = (op, value) {
                facts.extend(self.remaining_characters(tree, measure, rest).into_iter().flatten());
            }
            if let (CompareOp::Equal, Value::Text(letters)) = (op, value) {
                facts.extend(self.initials_are(tree, measure, letters));
            }
            if let (CompareOp::Equal, Value::List(values)) = (op, value) {
                facts.extend(self.list_is(tree, measure, values));
            }
            if let (CompareOp::Equal, Some((unit, least)), Value::Text(part)) =
                (op, unit_at(measure), value)
            {
                // A unit of the answer is a stretch of it.
                let many = Interval::at_least(Number::Int(least));
                facts.push(self.fact(tree, Property::Measured(Measure::Count(unit), many)));
                if !part.is_empty() {
                    let once = Interval::at_least(Number::Int(1));
                    let once = Property::Measured(needle_measure(SearchKind::Text, part), once);
                    let in_prose = unit.is_of_content();
                    facts.push(Fact { in_prose, ..self.fact(tree, once) });
                }
                facts.extend(self.unit_is(tree, measure, unit, part));
                if let (Unit::Letter, Some(letter)) = (unit, one_letter(part)) {
                    let edge = TextEdge::Letter(letter);
                    match ordinal(measure) {
                        Some(1) => facts.push(self.fact(tree, Property::Starts(edge))),
                        Some(-1) => facts.push(self.fact(tree, Property::Ends(edge))),
                        _ => {}
                    }
                }
            }
            if let (CompareOp::Equal, Value::Text(whole)) = (op, value) {
                match whole_text(measure) {
                    Some(TextTransformation::Not) => {
                        facts.extend(self.facts_of_literal(tree, whole, true))
                    }
                    // Letters that become others may be more or fewer than those.
                    Some(TextTransformation::Lower) if whole.is_ascii() => {
                        facts.extend(self.facts_of_literal(tree, whole, false));
                    }
                    Some(TextTransformation::Upper) if whole.is_ascii() => {
                        facts.extend(self.nothing_but_upper(tree, &whole.to_ascii_uppercase()));
                    }
                    _ => {}
                }
            }
            return vec![facts];
        };
        match Interval::from_comparison(op, number) {
            Some(interval) => {
                let sums = match &measure.node {
                    Node::Arithmetic(..) if is_shared(measure) => {
                        let value = Tree::new(Node::Value(value.clone()), tree.span);
                        self.sums(tree, op, measure, &value)
                    }
                    _ => no_facts(),
                };
                conjunction(self.bounded_by(tree, measure, interval), sums)
            }
            None => {
                // Unlike is less or more.
                let less = Interval::from_comparison(CompareOp::Less, number).unwrap_or_default();
                let more = Interval::from_comparison(CompareOp::More, number).unwrap_or_default();
                disjunction(
                    self.bounded_by(tree, measure, less),
                    self.bounded_by(tree, measure, more),
                )
            }
        }
    }

    /// A comparison of two expressions of which nothing else is known.
    fn opaque_comparison(
        &self,
        tree: &Tree,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
    ) -> Alternatives {
        if is_test(left) && is_test(right) {
            let alike = |wanted| conjunction(self.read(left, wanted), self.read(right, wanted));
            let unlike = |wanted| conjunction(self.read(left, wanted), self.read(right, !wanted));
            return match op {
                CompareOp::Equal => disjunction(alike(true), alike(false)),
                CompareOp::NotEqual => disjunction(unlike(true), unlike(false)),
                _ => no_facts(),
            };
        }
        if !is_shared(left) || !is_shared(right) {
            return no_facts();
        }
        conjunction(self.between_shared(tree, op, left, right), self.sums(tree, op, left, right))
    }

    fn between_shared(
        &self,
        tree: &Tree,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
    ) -> Alternatives {
        let cased = match (op, &left.node, &right.node) {
            (CompareOp::Equal, Node::It, Node::Call(..)) => self.uncased(tree, right),
            (CompareOp::Equal, Node::Call(..), Node::It) => self.uncased(tree, left),
            (CompareOp::Equal, Node::Call(..), Node::Call(..)) => {
                match (case_of(left), case_of(right)) {
                    (Some(one), Some(other)) if one != other => {
                        self.only_characters(tree, pattern::class("[^A-Za-z]"))
                    }
                    _ => no_facts(),
                }
            }
            _ => no_facts(),
        };
        if cased.first().is_some_and(|facts| !facts.is_empty()) {
            return conjunction(cased, self.read_distance(tree, op, left, right));
        }
        // Two counts in a fixed ratio are both zero, or both not.
        if let (CompareOp::Equal, Some(one), Some(other)) = (op, multiple(left), multiple(right)) {
            let some = Interval::at_least(Number::Int(1));
            let none = Interval::exactly(Number::Int(0));
            let of = |interval| {
                conjunction(
                    self.bounded_by(tree, one, interval),
                    self.bounded_by(tree, other, interval),
                )
            };
            return conjunction(
                self.read_distance(tree, op, left, right),
                disjunction(of(some), of(none)),
            );
        }
        if op == CompareOp::Equal
            && let (Node::Index(list, a), Node::Index(same, b)) = (&left.node, &right.node)
            && list == same
            && let (Some(a), Some(b)) = (number(a), number(b))
            && a != b
            && (a > Number::Int(0)) == (b > Number::Int(0))
        {
            // Two that are the same.
            let unique = Tree::new(Node::Call(Func::UNIQUE, vec![(**list).clone()]), tree.span);
            return self.single_fact(tree, Property::Is(Arc::new(unique), Value::Bool(false)));
        }
        if let (CompareOp::Equal, Node::It, _) | (CompareOp::Equal, _, Node::It) =
            (op, &left.node, &right.node)
        {
            let length = |tree: &Tree| len_of(tree.clone());
            let same = self.read_distance(tree, op, left, right);
            return conjunction(same, self.read_distance(tree, op, &length(left), &length(right)));
        }
        self.read_distance(tree, op, left, right)
    }

    /// A text that equals its lower-case (or upper-case) form has no other letters of a to z.
    fn uncased(&self, tree: &Tree, cased: &Tree) -> Alternatives {
        let others = match case_of(cased) {
            Some(LetterChange::Lower) => pattern::class("[^A-Z]"),
            Some(_) => pattern::class("[^a-z]"),
            None => None,
        };
        self.only_characters(tree, others)
    }

    fn only_characters(&self, tree: &Tree, class: Option<ClassUnicode>) -> Alternatives {
        vec![class.map(|class| self.fact(tree, Property::Only(class))).into_iter().collect()]
    }

    /// How counts compare: `count(word) >= 6 * count(sentence)`.
    fn sums(&self, tree: &Tree, op: CompareOp, left: &Tree, right: &Tree) -> Alternatives {
        let mut terms = Vec::new();
        // The divisor of a quotient is not 0, and so at least 1.
        let counted = |tree: &Tree| matches!(tree.node, Node::Call(..));
        let divided = match (&left.node, &right.node) {
            (Node::Arithmetic(ArithmeticOp::Divide, of, by), _) if counted(by) => {
                Some((op, &**of, &**by, number(right)))
            }
            (_, Node::Arithmetic(ArithmeticOp::Divide, of, by)) if counted(by) => {
                Some((op.with_sides_exchanged(), &**of, &**by, number(left)))
            }
            _ => None,
        };
        let rest = match divided {
            Some((op, of, by, times)) => {
                let Some(Number::Int(times)) = times else { return no_facts() };
                let rest = add(of, 1, &mut terms).zip(add(by, -times, &mut terms));
                rest.map(|(one, other)| (op, one.saturating_add(other)))
            }
            None => {
                let rest = add(left, 1, &mut terms).zip(add(right, -1, &mut terms));
                rest.map(|(one, other)| (op, one.saturating_add(other)))
            }
        };
        terms.retain(|(_, times)| *times != 0);
        let (Some((op, rest)), true) = (rest, terms.len() >= 2) else { return no_facts() };
        match Interval::from_comparison(op, Number::Int(rest.saturating_neg())) {
            Some(interval) => {
                self.single_fact(tree, Property::Sum(terms, interval.to_whole_numbers()))
            }
            None => no_facts(),
        }
    }

    fn read_distance(&self, tree: &Tree, op: CompareOp, left: &Tree, right: &Tree) -> Alternatives {
        let ((left, less), (right, more)) = (without_offset(left), without_offset(right));
        let Some(shift) = more.minus(less) else { return no_facts() };
        let (op, one, other, shift) = match left <= right {
            true => (op, left, right, Some(shift)),
            false => (op.with_sides_exchanged(), right, left, shift.negated()),
        };
        let (one, other) = (Box::new(one.clone()), Box::new(other.clone()));
        let apart =
            Arc::new(Tree::without_place(Node::Arithmetic(ArithmeticOp::Subtract, one, other)));
        let Some(shift) = shift else { return no_facts() };
        let lies = |op| {
            let interval = Interval::from_comparison(op, shift).unwrap_or_default();
            self.single_fact(
                tree,
                Property::Measured(Measure::Other(Arc::clone(&apart), false), interval),
            )
        };
        match op {
            CompareOp::NotEqual => disjunction(lies(CompareOp::Less), lies(CompareOp::More)),
            op => lies(op),
        }
    }

    /// A comparison of a measure with a number whose range is known.
    pub(super) fn bounded(
        &self,
        tree: &Tree,
        op: CompareOp,
        measure: &Tree,
        reach: Interval,
    ) -> Alternatives {
        let end = |end: Option<IntervalEnd>, strict| {
            end.map(|end| IntervalEnd { value: end.value, strict })
        };
        let interval = match op {
            CompareOp::Equal => reach,
            CompareOp::NotEqual => return no_facts(),
            CompareOp::Less | CompareOp::LessEqual => {
                Interval { low: None, high: end(reach.high, op == CompareOp::Less) }
            }
            CompareOp::More | CompareOp::MoreEqual => {
                Interval { low: end(reach.low, op == CompareOp::More), high: None }
            }
        };
        self.bounded_by(tree, measure, interval)
    }

    /// The possible values of an expression that does not depend on the response.
    pub(super) fn possible_values(&self, tree: &Tree) -> Option<Interval> {
        match &tree.node {
            Node::Value(value) => Number::from_value(value).map(Interval::exactly),
            Node::Var(name) => {
                let (low, high) = self.variables.bounds_of(name)?;
                let end = |value: &Value| {
                    Some(IntervalEnd { value: Number::from_value(value)?, strict: false })
                };
                Some(Interval { low: end(&low), high: end(&high) })
            }
            Node::Negative(inner) => Some(self.possible_values(inner)?.negated()),
            Node::Arithmetic(op, left, right) => {
                let (a, b) = (self.possible_values(left)?, self.possible_values(right)?);
                let join = |x: Option<IntervalEnd>, y: Option<IntervalEnd>| {
                    let value = x?.value.plus(y?.value)?;
                    Some(IntervalEnd { value, strict: false })
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
    pub(super) fn bounded_by(
        &self,
        tree: &Tree,
        measure: &Tree,
        interval: Interval,
    ) -> Alternatives {
        if interval.is_empty() {
            return self.single_fact(tree, Property::Never);
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
                    return self.bounded_by(tree, inner, interval);
                }
            }
            Node::Negative(inner) => return self.bounded_by(tree, inner, interval.negated()),
            // `count(char in content)`: plain text is its own content.
            Node::Call(func, arguments)
                if func.counts
                    && matches!(arguments.as_slice(), [list] if is_char_of_content(list)) =>
            {
                let whole = self.fact(tree, Property::Measured(measure_of(measure), interval));
                let written = Property::Measured(Measure::Count(Unit::Char), interval);
                return vec![vec![whole, Fact { in_prose: true, ..self.fact(tree, written) }]];
            }
            // `number[1] == 3`
            Node::Index(..) => {
                let it = Tree::new(Node::It, measure.span);
                let inner = self.bounded_by(tree, &it, interval);
                let whole = self.fact(tree, Property::Measured(measure_of(measure), interval));
                let mut json = vec![whole];
                json.extend(self.json_facts(tree, measure));
                return conjunction(vec![json], self.read_inside(tree, measure, inner));
            }
            // `len(word[1]) == 3`
            Node::Call(name, arguments)
                if name.counts
                    && matches!(arguments.as_slice(), [Tree { node: Node::Index(..), .. }])
                    && of_json(measure).is_none() =>
            {
                let [subject] = arguments.as_slice() else { return no_facts() };
                let it = Node::Call(*name, vec![Tree::new(Node::It, measure.span)]);
                let inner = self.bounded_by(tree, &Tree::new(it, measure.span), interval);
                let whole = self.fact(
                    tree,
                    Property::Measured(measure_of(measure), interval.to_whole_numbers()),
                );
                return conjunction(vec![vec![whole]], self.read_inside(tree, subject, inner));
            }
            Node::Call(name, arguments) if *name == Func::ABS => {
                if let (Some(high), [inner]) = (interval.high, arguments.as_slice())
                    && interval.low.is_none_or(|low| low.value <= Number::Int(0))
                {
                    let high = Interval { low: None, high: Some(high) };
                    let both = Interval { low: high.negated().low, high: high.high };
                    return self.bounded_by(tree, inner, both);
                }
            }
            _ => {}
        }
        let json = self.json_facts(tree, measure);
        let parts = self.part_facts(tree, measure, interval);
        let measure = measure_of(measure);
        let interval = if measure.counts() { interval.to_whole_numbers() } else { interval };
        let mut facts = vec![self.fact(tree, Property::Measured(measure.clone(), interval))];
        facts.extend(json);
        facts.extend(parts);
        if let (Measure::Count(unit), Some(least)) = (&measure, interval.low_int()) {
            facts.extend(self.marks(tree, *unit, least));
        }
        if let Measure::Capitals(letters) = measure {
            let (none, all) = (Number::Int(0), Number::Int(100));
            if interval.low.is_some_and(|low| low.value > none || (low.strict && low.value == none))
            {
                facts.push(self.fact(tree, Property::HasUpper(letters)));
            }
            if interval.low.is_some_and(|low| low.value >= all) {
                facts.push(self.fact(tree, Property::NoLower(letters)));
            }
            if interval.high.is_some_and(|high| high.value <= none) {
                facts.push(self.fact(tree, Property::NoUpper(letters)));
            }
            if interval
                .high
                .is_some_and(|high| high.value < all || (high.strict && high.value == all))
            {
                facts.push(self.fact(tree, Property::HasLower(letters)));
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
                    let reach = self.possible_values(end.as_deref()?);
                    Some(reach.map_or_else(no_facts, |reach| self.bounded(tree, op, left, reach)))
                });
                if wanted {
                    sides.reduce(conjunction).unwrap_or_else(no_facts)
                } else {
                    sides
                        .reduce(disjunction)
                        .unwrap_or_else(|| self.single_fact(tree, Property::Never))
                }
            }
            Node::Value(Value::List(values)) if values.len() <= MAX_ALTERNATIVES => {
                let sides = values.iter().map(|value| {
                    let value = Tree::new(Node::Value(value.clone()), right.span);
                    let op = if wanted { CompareOp::Equal } else { CompareOp::NotEqual };
                    self.compared(tree, op, left, &value)
                });
                if wanted {
                    sides
                        .reduce(disjunction)
                        .unwrap_or_else(|| self.single_fact(tree, Property::Never))
                } else {
                    sides.fold(no_facts(), conjunction)
                }
            }
            // `"like" in it`
            Node::It => match text(left) {
                Some(part) => self.occurs(tree, SearchKind::Text, part, wanted),
                None => no_facts(),
            },
            _ => no_facts(),
        }
    }
}
