//! From a check to facts, as alternatives of which one has to be true.
//!
//! Everything here has to be sound: of every answer the check holds of, all facts of at least one
//! alternative are true. What is not understood becomes an alternative without facts.

mod derived;

use derived::{of_json, whole_text};

use super::fact::{Edge, Fact, Letters, Measure, Members, What};
use super::interval::{End, Interval};
use super::pattern;
use super::settle::settled;
use crate::predicate::evaluate::Variables;
use crate::predicate::functions::shapes;
use crate::predicate::number::Number;
use crate::predicate::print::print;
use crate::predicate::schema::Schema;
use crate::predicate::tree::{
    ArithmeticOp, CompareOp, Node, Pattern, Quantified, Quantifier, Tree,
};
use crate::predicate::value::Value;
use crate::source::Span;
use crate::text::python::{is_letter, is_word, simple_fold, strip};
use crate::text::{Shape, Unit};

/// More alternatives of one check than this are not told apart.
const ALTERNATIVES: usize = 32;

type Alternatives = Vec<Vec<Fact>>;

pub(super) fn alternatives(tree: &Tree, variables: &dyn Variables, goal: usize) -> Alternatives {
    let tree = settled(tree, variables, &mut Vec::new());
    Reader { goal, variables }.read(&tree, true)
}

struct Reader<'a> {
    goal: usize,
    variables: &'a dyn Variables,
}

impl Reader<'_> {
    fn fact(&self, tree: &Tree, what: What) -> Fact {
        Fact { what, goal: self.goal, span: tree.span }
    }

    fn one(&self, tree: &Tree, what: What) -> Alternatives {
        vec![vec![self.fact(tree, what)]]
    }

    fn read(&self, tree: &Tree, wanted: bool) -> Alternatives {
        match &tree.node {
            Node::Value(Value::Bool(value)) if *value != wanted => self.one(tree, What::Never),
            Node::Not(inner) => self.read(inner, !wanted),
            Node::And(parts) if wanted => self.all(parts, wanted),
            Node::And(parts) => self.any(parts, wanted),
            Node::Or(parts) if wanted => self.any(parts, wanted),
            Node::Or(parts) => self.all(parts, wanted),
            Node::If(condition, then, otherwise) => {
                let met = both(self.read(condition, true), self.read(then, wanted));
                let otherwise = match otherwise {
                    Some(otherwise) => self.read(otherwise, wanted),
                    None if wanted => nothing(),
                    None => self.one(tree, What::Never),
                };
                either(met, both(self.read(condition, false), otherwise))
            }
            Node::Compare(op, left, right) => {
                let op = if wanted { *op } else { op.opposite() };
                self.compared(tree, op, left, right)
            }
            Node::Within(left, right) => self.within(tree, left, right, wanted),
            Node::Call(name, arguments) => self.call(tree, name, arguments, wanted),
            Node::Quantified(quantified) if quantified.binder.is_none() => {
                self.quantified(tree, quantified, wanted)
            }
            Node::At(subject, body) => self.at(tree, subject, body, wanted),
            _ => nothing(),
        }
    }

    fn all(&self, parts: &[Tree], wanted: bool) -> Alternatives {
        parts.iter().fold(nothing(), |all, part| both(all, self.read(part, wanted)))
    }

    fn any(&self, parts: &[Tree], wanted: bool) -> Alternatives {
        parts.iter().map(|part| self.read(part, wanted)).reduce(either).unwrap_or_else(|| {
            vec![vec![Fact { what: What::Never, goal: self.goal, span: Span::default() }]]
        })
    }

    fn compared(&self, tree: &Tree, op: CompareOp, left: &Tree, right: &Tree) -> Alternatives {
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

    /// What stands in so many members of a list of units stands in the text as often.
    fn in_the_whole(&self, members: &Members, least: i64, inner: &[Fact]) -> Vec<Fact> {
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
    fn in_no_line(&self, members: &Members, inner: &[Fact]) -> Vec<Fact> {
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

    /// How a measure stands to a number of which only the ends are known.
    fn stands(&self, tree: &Tree, op: CompareOp, measure: &Tree, reach: Interval) -> Alternatives {
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
    fn reach(&self, tree: &Tree) -> Option<Interval> {
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
    fn lies(&self, tree: &Tree, measure: &Tree, interval: Interval) -> Alternatives {
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

    fn within(&self, tree: &Tree, left: &Tree, right: &Tree, wanted: bool) -> Alternatives {
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

    fn occurs(&self, tree: &Tree, kind: &str, part: &str, wanted: bool) -> Alternatives {
        if part.is_empty() {
            return nothing();
        }
        let interval = if wanted {
            Interval::at_least(Number::Int(1))
        } else {
            Interval::exactly(Number::Int(0))
        };
        self.one(tree, What::Measured(needle_measure(kind, part), interval))
    }

    fn call(&self, tree: &Tree, name: &str, arguments: &[Tree], wanted: bool) -> Alternatives {
        let about_it = matches!(arguments.first(), Some(Tree { node: Node::It, .. }));
        if !about_it && name != "unique" {
            return nothing();
        }
        match (name, arguments) {
            ("contains" | "matches", [_, sought]) => match &sought.node {
                Node::Needle(kind, value) => match text(value) {
                    Some(part) if kind == "regex" => {
                        self.matched(tree, sought, &Pattern::new(part, ""), wanted)
                    }
                    Some(part) => self.occurs(tree, kind, part, wanted),
                    None => nothing(),
                },
                Node::Pattern(pattern) => self.matched(tree, sought, pattern, wanted),
                _ => match text(sought) {
                    Some(part) => self.occurs(tree, "text", part, wanted),
                    None => nothing(),
                },
            },
            ("starts_with" | "ends_with", [_, sought]) if !wanted => {
                self.no_edge(tree, name, sought)
            }
            _ if !wanted => self.denied(tree, name),
            ("starts_with", [_, sought]) => self.edge(tree, sought, What::Starts),
            ("ends_with", [_, sought]) => self.edge(tree, sought, What::Ends),
            ("starts_with_as_released", [_, sought]) => self.released(tree, sought, What::Starts),
            ("ends_with_as_released", [_, sought]) => self.released(tree, sought, What::Ends),
            (
                "opens_with_pair"
                | "opens_with_pair_as_released"
                | "closes_with_pair"
                | "closes_with_pair_as_released"
                | "wrapped_in",
                [_, left, right],
            ) => self.pair(tree, name, left, right),
            ("unique", [list]) => match members(list) {
                Some(Members::Units(unit)) => self.one(tree, What::Distinct(unit)),
                _ => nothing(),
            },
            ("is_blank", _) => {
                let units = [Unit::Letter, Unit::Word, Unit::WordPattern, Unit::Sentence];
                let none = Interval::exactly(Number::Int(0));
                let none = |unit| self.fact(tree, What::Measured(Measure::Count(unit), none));
                vec![units.map(none).to_vec()]
            }
            ("is_upper", _) => self.upper(tree, Letters::All, true),
            ("is_lower", _) => self.lower(tree, Letters::All, true),
            ("has_no_lower", _) => self.upper(tree, Letters::All, false),
            ("has_no_upper", _) => self.lower(tree, Letters::All, false),
            ("is_upper_as_released", _) => self.upper(tree, Letters::Ascii, false),
            ("is_lower_as_released", _) => self.lower(tree, Letters::Ascii, false),
            ("is_json" | "is_json_as_released", [_, schema]) => {
                let shape = shapes::shape_of(name).unwrap_or(Shape::Json);
                let mut facts = vec![self.fact(tree, What::Shape(shape))];
                let only = match &schema.node {
                    Node::Value(schema) => Schema::of(schema).ok().and_then(|schema| schema.only()),
                    _ => None,
                };
                let marks = match only {
                    Some("object") => ["{", "}"].as_slice(),
                    Some("array") => ["[", "]"].as_slice(),
                    _ => &[],
                };
                for mark in marks {
                    facts.extend(self.occurs(tree, "text", mark, true).into_iter().flatten());
                }
                vec![facts]
            }
            _ => match shapes::shape_of(name) {
                Some(shape @ Shape::Table) => {
                    let mut facts = vec![self.fact(tree, What::Shape(shape))];
                    facts.extend(self.marks(tree, Unit::Table, 1));
                    vec![facts]
                }
                Some(shape) => self.one(tree, What::Shape(shape)),
                None => nothing(),
            },
        }
    }

    /// That an expression matches somewhere, or nowhere.
    fn matched(&self, tree: &Tree, sought: &Tree, pattern: &Pattern, wanted: bool) -> Alternatives {
        let source = Measure::Other(format!("count({})", print(sought)), true);
        let interval = if wanted {
            Interval::at_least(Number::Int(1))
        } else {
            Interval::exactly(Number::Int(0))
        };
        let mut facts = vec![self.fact(tree, What::Measured(source, interval))];
        let found = if wanted {
            pattern::facts(pattern)
        } else {
            pattern::none(pattern).into_iter().collect()
        };
        facts.extend(found.into_iter().map(|what| self.fact(tree, what)));
        vec![facts]
    }

    /// How a text does not start, or end.
    fn no_edge(&self, tree: &Tree, name: &str, sought: &Tree) -> Alternatives {
        let edge = match &sought.node {
            Node::Needle(kind, value) if kind == "letter" => {
                text(value).and_then(one_letter).map(Edge::Letter)
            }
            Node::Needle(..) => None,
            _ => text(sought)
                .filter(|part| !part.is_empty() && strip(part).len() == part.len())
                .map(|part| Edge::Exact(part.to_owned())),
        };
        match edge {
            Some(edge) if name == "starts_with" => self.one(tree, What::StartsNot(edge)),
            Some(edge) => self.one(tree, What::EndsNot(edge)),
            None => nothing(),
        }
    }

    /// What follows from a test that fails.
    fn denied(&self, tree: &Tree, name: &str) -> Alternatives {
        match name {
            "has_no_lower" => self.one(tree, What::HasLower(Letters::All)),
            "has_no_upper" => self.one(tree, What::HasUpper(Letters::All)),
            "is_upper_as_released" => self.one(tree, What::HasLower(Letters::Ascii)),
            "is_lower_as_released" => self.one(tree, What::HasUpper(Letters::Ascii)),
            _ => nothing(),
        }
    }

    fn upper(&self, tree: &Tree, letters: Letters, some: bool) -> Alternatives {
        let mut facts = vec![self.fact(tree, What::NoLower(letters))];
        if some {
            facts.push(self.fact(tree, What::HasUpper(letters)));
        }
        vec![facts]
    }

    fn lower(&self, tree: &Tree, letters: Letters, some: bool) -> Alternatives {
        let mut facts = vec![self.fact(tree, What::NoUpper(letters))];
        if some {
            facts.push(self.fact(tree, What::HasLower(letters)));
        }
        vec![facts]
    }

    fn edge(&self, tree: &Tree, sought: &Tree, what: fn(Edge) -> What) -> Alternatives {
        match &sought.node {
            Node::Needle(kind, _) if kind == "regex" => nothing(),
            Node::Needle(kind, value) => match text(value) {
                Some(part) => {
                    let letter = (kind == "letter").then(|| one_letter(part)).flatten();
                    match letter {
                        Some(letter) => self.one(tree, what(Edge::Letter(letter))),
                        None => {
                            let occurs = self.occurs(tree, kind, part, true);
                            let edge = what(Edge::Needle(kind.clone(), folded(part)));
                            let run = outer_run(kind, part, matches!(edge, What::Starts(_)));
                            let whole = match run {
                                Some(run) => self.occurs(tree, "keyword", run, true),
                                None => nothing(),
                            };
                            both(both(self.one(tree, edge), occurs), whole)
                        }
                    }
                }
                None => nothing(),
            },
            _ => match text(sought).map(strip) {
                Some("") | None => nothing(),
                Some(part) => {
                    let occurs = self.occurs(tree, "text", part, true);
                    both(self.one(tree, what(Edge::Exact(part.to_owned()))), occurs)
                }
            },
        }
    }

    fn released(&self, tree: &Tree, sought: &Tree, what: fn(Edge) -> What) -> Alternatives {
        let (kind, part) = match &sought.node {
            Node::Needle(kind, value) => (kind.as_str(), text(value)),
            _ => ("text", text(sought)),
        };
        match part {
            None | Some("") => nothing(),
            _ if kind == "regex" => nothing(),
            Some(part) => {
                let mut chars = part.chars();
                let edge = match (kind, chars.next(), chars.next()) {
                    ("letter", Some(letter), None) => {
                        Edge::LetterReleased(letter.to_ascii_lowercase())
                    }
                    _ => Edge::PartReleased(part.to_owned()),
                };
                self.one(tree, what(edge))
            }
        }
    }

    fn pair(&self, tree: &Tree, name: &str, left: &Tree, right: &Tree) -> Alternatives {
        let (Some(left), Some(right)) = (text(left), text(right)) else { return nothing() };
        if left.is_empty() || right.is_empty() {
            return nothing();
        }
        let start = Edge::Pair { here: left.to_owned(), there: right.to_owned() };
        let end = Edge::Pair { here: right.to_owned(), there: left.to_owned() };
        let mut facts = Vec::new();
        if !name.starts_with("closes") {
            facts.push(self.fact(tree, What::Starts(start)));
        }
        if !name.starts_with("opens") {
            facts.push(self.fact(tree, What::Ends(end)));
        }
        let marks = if left == right { vec![(left, 2)] } else { vec![(left, 1), (right, 1)] };
        for (mark, times) in marks {
            let interval = Interval::at_least(Number::Int(times));
            facts.push(self.fact(tree, What::Measured(needle_measure("text", mark), interval)));
        }
        vec![facts]
    }

    fn quantified(&self, tree: &Tree, quantified: &Quantified, wanted: bool) -> Alternatives {
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

    fn at(&self, tree: &Tree, subject: &Tree, body: &Tree, wanted: bool) -> Alternatives {
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
    fn inside(&self, tree: &Tree, subject: &Tree, body: Alternatives) -> Alternatives {
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

/// `word[-2]`: which unit, and how many there have to be.
fn unit_at(tree: &Tree) -> Option<(Unit, i64)> {
    let Node::Index(list, at) = &tree.node else { return None };
    let (Node::Units(name, None), Some(Number::Int(at))) = (&list.node, number(at)) else {
        return None;
    };
    Some((Unit::from_name(name)?, at.checked_abs()?.max(1)))
}

/// The -2 of `word[-2]`.
fn ordinal(tree: &Tree) -> Option<i64> {
    let Node::Index(_, at) = &tree.node else { return None };
    match number(at)? {
        Number::Int(at) => Some(at),
        _ => None,
    }
}

fn members(domain: &Tree) -> Option<Members> {
    match &domain.node {
        Node::Units(name, None) => Some(Members::Units(Unit::from_name(name)?)),
        Node::Value(_) => None,
        _ => Some(Members::Other(print(domain))),
    }
}

fn measured(tree: &Tree) -> Measure {
    if let Node::Call(name, arguments) = &tree.node
        && let ("count" | "len", [what]) = (name.as_str(), arguments.as_slice())
    {
        match &what.node {
            Node::Units(unit, None) => {
                if let Some(unit) = Unit::from_name(unit) {
                    return Measure::Count(unit);
                }
            }
            Node::Needle(kind, value) if name == "count" => {
                if let Some(part) = text(value).filter(|part| !part.is_empty()) {
                    return needle_measure(kind, part);
                }
            }
            Node::Value(Value::Text(part)) if name == "count" && !part.is_empty() => {
                return needle_measure("text", part);
            }
            Node::It if name == "len" => return Measure::Count(Unit::Char),
            _ => {}
        }
    }
    let counts = matches!(&tree.node, Node::Call(name, _) if name == "count" || name == "len");
    Measure::Other(print(tree), counts)
}

pub(super) fn needle_measure(kind: &str, part: &str) -> Measure {
    match kind {
        "text" | "char" => Measure::Needle("text".to_owned(), part.to_owned()),
        // What it finds is not what it says.
        "regex" => Measure::Other(format!("count(regex {part:?})"), true),
        kind => Measure::Needle(kind.to_owned(), folded(part)),
    }
}

pub(super) fn folded(text: &str) -> String {
    text.chars().map(simple_fold).collect()
}

/// The run of word characters at the edge of a needle, when it is a whole one in the text too:
/// nothing of a word stands outside of it, and something else inside.
fn outer_run<'p>(kind: &str, part: &'p str, start: bool) -> Option<&'p str> {
    if !["word", "phrase", "keyword"].contains(&kind) {
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

fn one_letter(part: &str) -> Option<char> {
    let mut chars = part.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if is_letter(letter) => Some(simple_fold(letter)),
        _ => None,
    }
}

fn number(tree: &Tree) -> Option<Number> {
    match &tree.node {
        Node::Value(value) => Number::of(value),
        _ => None,
    }
}

fn text(tree: &Tree) -> Option<&str> {
    match &tree.node {
        Node::Value(Value::Text(text)) => Some(text),
        _ => None,
    }
}

/// One alternative that says nothing.
fn nothing() -> Alternatives {
    vec![Vec::new()]
}

fn both(mut left: Alternatives, mut right: Alternatives) -> Alternatives {
    if let ([one], [other]) = (left.as_mut_slice(), right.as_mut_slice()) {
        one.append(other);
        return left;
    }
    if left.len() * right.len() > ALTERNATIVES {
        // Too many to tell apart: keep the side with fewer, which stays true.
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

fn either(mut left: Alternatives, right: Alternatives) -> Alternatives {
    if left.len() + right.len() > ALTERNATIVES {
        return nothing();
    }
    left.extend(right);
    left
}
