//! A text changed here and there until it meets checks that the plan of a brief knows nothing of:
//! ordinals, quantifiers over any unit, tables, sections, relations to earlier answers.
//!
//! The tree of a check says what to change: of `paragraph[2]: count(word) >= 9` the second
//! paragraph is the text at hand, and words are put into it. What one change spoils for another
//! check the next round changes back; whether it all comes to an end is asked of *evaluate*.

mod chain;
mod inverse;
pub(super) mod parts;
mod sample;

use std::ops::Range;

use super::words::{Draw, Vocabulary};
use super::{Goal, missed};
use crate::predicate::bound;
use crate::predicate::evaluate::{Scene, Variables, evaluate, holds, places};
use crate::predicate::needles::Sought;
use crate::predicate::number::Number;
use crate::predicate::tree::{
    ArithmeticOp, CompareOp, Node, Pattern, Quantified, Quantifier, Tree,
};
use crate::predicate::value::Value;
use crate::text::{Text, Unit};

/// How often the checks are gone through.
const ROUNDS: usize = 30;
/// How many rounds may pass without one check fewer missed.
const PATIENCE: usize = 9;
/// Longer texts than this, in bytes, are given up.
const LONGEST: usize = 100_000;
/// What gives a text that is mostly changed by changing the text it was made of.
const CHANGED: [&str; 4] = ["lower", "replace", "trim", "upper"];
/// How deep a change may lead to others.
const DEPTH: usize = 12;

/// A text that a regular expression matches, as short as it can be.
pub(super) fn matching(pattern: &str) -> Option<String> {
    Some(sample::of(&Pattern::new(pattern, ""))?.text)
}

/// A text that a regular expression matches; which one of several hangs on `turn`.
pub(super) fn sampled(pattern: &str, flags: &str, turn: usize) -> Option<String> {
    Some(sample::another(&Pattern::new(pattern, flags), turn)?.text)
}

/// The text changed once towards a check.
pub(super) fn met(
    goal: &Goal<'_>,
    tree: &Tree,
    text: &str,
    vocabulary: &Vocabulary<'_>,
    draw: &mut Draw,
) -> Option<String> {
    Mender { variables: goal.variables, vocabulary, draw }.meet(tree, text, goal.wanted, 0)
}

pub(super) fn mended(
    goals: &[Goal<'_>],
    trees: &[Tree],
    text: &mut String,
    vocabulary: &Vocabulary<'_>,
    draw: &mut Draw,
) -> bool {
    let (mut best, mut left) = (usize::MAX, PATIENCE);
    for _ in 0..ROUNDS {
        let missed = missed(goals, text);
        if missed.is_empty() {
            return true;
        }
        if missed.len() < best {
            (best, left) = (missed.len(), PATIENCE);
        } else if left == 0 {
            return false;
        } else {
            left -= 1;
        }
        let before = text.clone();
        let have = missed.len();
        for at in missed {
            let (Some(goal), Some(tree)) = (goals.get(at), trees.get(at)) else { continue };
            let mut mender = Mender { variables: goal.variables, vocabulary, draw };
            let Some(changed) = mender.meet(tree, text, goal.wanted, 0) else { continue };
            // Mostly not for the price of other checks, else two would undo each other for ever.
            if super::missed(goals, &changed).len() <= have || draw.below(3) == 0 {
                *text = changed;
            }
        }
        if text.len() > LONGEST {
            *text = before;
        }
    }
    missed(goals, text).is_empty()
}

/// A list in what is mostly the text itself, as a list in the text.
fn unchanged(tree: &Tree) -> Option<Tree> {
    let node = match &tree.node {
        Node::Units(name, Some(of)) if is_changed(of) => Node::Units(name.clone(), None),
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
            CHANGED.contains(&name.as_str()) && arguments.first().is_some_and(is_changed)
        }
        _ => false,
    }
}

/// `join(reversed(char))`
fn is_reversed(tree: &Tree) -> bool {
    let Node::Call(name, arguments) = &tree.node else { return false };
    match (name.as_str(), arguments.as_slice()) {
        ("lower" | "upper", [inner]) => is_reversed(inner),
        ("join", [Tree { node: Node::Call(name, of), .. }]) if name == "reversed" => {
            matches!(of.as_slice(), [Tree { node: Node::Units(unit, None), .. }]
                if ["char", "letter", "grapheme"].contains(&unit.as_str()))
        }
        _ => false,
    }
}

/// `every p in windows(2, sentence): …`
fn is_chain(quantified: &Quantified) -> bool {
    matches!(quantified.quantifier, Quantifier::Every)
        && matches!(&quantified.domain.node, Node::Call(name, _) if name == "windows")
}

struct Mender<'m, 'w> {
    variables: &'m dyn Variables,
    vocabulary: &'m Vocabulary<'w>,
    draw: &'m mut Draw,
}

impl Mender<'_, '_> {
    fn holds(&self, tree: &Tree, text: &str) -> bool {
        holds(tree, &Scene { it: &Text::new(text), variables: self.variables })
    }

    fn value(&self, tree: &Tree, text: &str) -> Option<Value> {
        evaluate(tree, &Scene { it: &Text::new(text), variables: self.variables }).ok()
    }

    fn places(&self, tree: &Tree, text: &str) -> Option<Vec<Range<usize>>> {
        let read = Text::new(text);
        let scene = Scene { it: &read, variables: self.variables };
        // Of the words of the small letters those of the text itself.
        places(tree, &scene).or_else(|| places(&unchanged(tree)?, &scene))
    }

    /// The text changed towards a check that is to hold, or to fail. `None` where nothing is known
    /// to do.
    fn meet(&mut self, tree: &Tree, text: &str, wanted: bool, depth: usize) -> Option<String> {
        if depth > DEPTH {
            return None;
        }
        if self.value(tree, text) == Some(Value::Bool(wanted)) {
            return Some(text.to_owned());
        }
        match &tree.node {
            Node::Not(inner) => self.meet(inner, text, !wanted, depth + 1),
            Node::And(parts) if wanted => self.all(parts, text, true, depth),
            Node::Or(parts) if !wanted => self.all(parts, text, false, depth),
            Node::And(parts) | Node::Or(parts) => {
                parts.iter().find_map(|part| self.meet(part, text, wanted, depth + 1))
            }
            Node::If(condition, then, otherwise) => {
                let branch =
                    if self.holds(condition, text) { Some(then) } else { otherwise.as_ref() };
                self.meet(branch?, text, wanted, depth + 1)
            }
            Node::Compare(op, left, right) => {
                let op = if wanted { *op } else { op.opposite() };
                self.compare(op, left, right, text, depth)
            }
            Node::Within(left, right) => self.within(left, right, text, wanted, depth),
            Node::Call(name, arguments) => self.call(name, arguments, text, wanted, depth),
            Node::Quantified(quantified) => match &quantified.binder {
                _ if wanted && is_chain(quantified) => self.chained(quantified, text),
                None => self.quantified(quantified, text, wanted, depth),
                // What its body asks of the outer text too is lost; *evaluate* has the last word.
                Some(name) => {
                    let body = bound::renamed(&quantified.body, name);
                    let own = Quantified { binder: None, body, ..(**quantified).clone() };
                    self.quantified(&own, text, wanted, depth)
                }
            },
            Node::At(subject, body) => self.at(subject, body, text, wanted, depth),
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
            if let Some(better) = self.meet(part, &text, wanted, depth + 1) {
                text = better;
                changed = true;
            }
        }
        changed.then_some(text)
    }

    // ---- parts of the text ---------------------------------------------------------------

    fn at(
        &mut self,
        subject: &Tree,
        body: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        match &subject.node {
            Node::It => return self.meet(body, text, wanted, depth + 1),
            // What holds of the small letters is mostly had by changing the text itself.
            Node::Call(name, arguments)
                if CHANGED.contains(&name.as_str())
                    && matches!(arguments.first(), Some(Tree { node: Node::It, .. })) =>
            {
                return self.meet(body, text, wanted, depth + 1);
            }
            _ => {}
        }
        match self.places(subject, text).as_deref() {
            Some([place]) => self.within_place(place.clone(), body, text, wanted, depth),
            _ => {
                if let Some(value) = self.value(subject, text) {
                    let better = self.meet(body, value.as_str()?, wanted, depth + 1)?;
                    return self.becomes(subject, &better, text);
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
        let better = self.meet(body, part, wanted, depth + 1)?;
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
        let number = |mender: &Self, tree: &Tree| {
            let count = mender.value(tree, text)?.as_int()?;
            usize::try_from(count).ok()
        };
        // How many members the body is to hold of, at least and at most.
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
            // One that is there is changed, or now and then a new one is written.
            if met.len() - have >= more && self.draw.below(3) > 0 {
                return self.members(&quantified.domain, body, text, true, more, depth);
            }
            return self.grow(&quantified.domain, text, depth + 1);
        }
        let most = most?;
        self.members(&quantified.domain, body, text, false, have.saturating_sub(most), depth)
    }

    /// Changes so many members, from the last to the first, that the body holds of them, or fails.
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
            if many == 0 {
                break;
            }
            let Some(part) = text.get(place.clone()) else { continue };
            if self.value(body, part) == Some(Value::Bool(wanted)) {
                continue;
            }
            let Some(better) = self.meet(body, part, wanted, depth + 1) else { continue };
            if many < usize::MAX && self.value(body, &better) != Some(Value::Bool(wanted)) {
                continue;
            }
            many = many.saturating_sub(1);
            text.replace_range(place, &better);
            changed = true;
        }
        changed.then_some(text)
    }

    // ---- numbers ---------------------------------------------------------------------------

    fn compare(
        &mut self,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        let depends = |tree: &Tree| !matches!(tree.node, Node::Value(_));
        // Of two measures of the answer now the one is changed, now the other.
        let turned = depends(left) && depends(right) && self.draw.below(3) == 0;
        let (measure, op, other) = if (depends(left) || !depends(right)) && !turned {
            (left, op, right)
        } else {
            (right, op.turned(), left)
        };
        // The same from both ends.
        if op == CompareOp::Equal
            && (is_changed(measure) && is_reversed(other)
                || is_changed(other) && is_reversed(measure))
        {
            let back: String = text.chars().rev().skip(1).collect();
            return Some(format!("{text}{back}").to_lowercase());
        }
        let value = self.value(other, text)?;
        match Number::of(&value) {
            Some(wanted) => {
                if op == CompareOp::Equal
                    && let Some(said) = self.says(measure, value.clone(), text)
                {
                    return Some(said);
                }
                let wanted = match op {
                    CompareOp::Equal | CompareOp::MoreEqual | CompareOp::LessEqual => wanted,
                    CompareOp::More | CompareOp::NotEqual => wanted.plus(Number::Int(1))?,
                    CompareOp::Less => wanted.minus(Number::Int(1))?,
                };
                self.bring(measure, wanted, text, depth)
            }
            None => {
                if let (CompareOp::Equal, Value::List(members)) = (op, &value) {
                    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                    return self.lists(measure, &members, text);
                }
                if let (CompareOp::Equal, Some(said)) =
                    (op, self.says(measure, value.clone(), text))
                {
                    return Some(said);
                }
                let part = value.as_str()?;
                self.say(op, measure, part, text, depth).or_else(|| {
                    (op == CompareOp::Equal).then(|| self.becomes(measure, part, text)).flatten()
                })
            }
        }
    }

    /// Brings a measure to a number.
    fn bring(
        &mut self,
        measure: &Tree,
        wanted: Number,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        match &measure.node {
            Node::Arithmetic(op, left, right) => {
                let (a, b) = (self.value(left, text)?, self.value(right, text)?);
                let (a, b) = (Number::of(&a)?, Number::of(&b)?);
                if let (ArithmeticOp::Remainder, Number::Int(have)) = (op, a) {
                    // One more, until it fits.
                    return self.bring(left, Number::Int(have.checked_add(1)?), text, depth + 1);
                }
                let target = match op {
                    ArithmeticOp::Add => wanted.minus(b)?,
                    ArithmeticOp::Subtract => wanted.plus(b)?,
                    ArithmeticOp::Multiply => wanted.over(b)?.ceil()?,
                    ArithmeticOp::Divide => wanted.times(b)?,
                    ArithmeticOp::Remainder => return None,
                };
                self.bring(left, target, text, depth + 1)
            }
            Node::Call(name, arguments) => {
                let [list, ..] = arguments.as_slice() else { return None };
                match name.as_str() {
                    "count" | "len" => {
                        let have = self.value(measure, text)?.as_int()?;
                        let Number::Int(wanted) = wanted.ceil()? else { return None };
                        self.amount(list, wanted - have, text, depth)
                    }
                    "share_upper" | "share_upper_as_released" => {
                        Some(parts::with_capitals(text, wanted.float()))
                    }
                    "abs" | "round" | "floor" | "ceil" => self.bring(list, wanted, text, depth + 1),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// So many members more, or fewer.
    fn amount(&mut self, list: &Tree, more: i64, text: &str, depth: usize) -> Option<String> {
        if let (Node::It, true) = (&list.node, more != 0) {
            return self.units(Unit::Char, more, text);
        }
        if let Node::Units(name, None) = &list.node {
            return self.units(Unit::from_name(name)?, more, text);
        }
        let mut text = text.to_owned();
        for _ in 0..more.unsigned_abs().min(200) {
            text = if more > 0 {
                self.grow(list, &text, depth + 1)?
            } else {
                let last = self.places(list, &text)?.pop()?;
                parts::without(&text, last)
            };
        }
        Some(text)
    }

    fn units(&mut self, unit: Unit, more: i64, text: &str) -> Option<String> {
        if more > 0 {
            parts::add(
                unit,
                usize::try_from(more).ok()?.min(4000),
                text,
                self.vocabulary,
                self.draw,
            )
        } else {
            parts::remove(unit, usize::try_from(-more).ok()?, text, self.draw)
        }
    }

    /// One member more of a list.
    fn grow(&mut self, list: &Tree, text: &str, depth: usize) -> Option<String> {
        if depth > DEPTH {
            return None;
        }
        match &list.node {
            Node::Units(name, None) => self.units(Unit::from_name(name)?, 1, text),
            Node::Units(name, Some(of)) if is_changed(of) => {
                self.units(Unit::from_name(name)?, 1, text)
            }
            Node::Needle(kind, value) => {
                let part = self.value(value, text)?;
                let part = self.needle(kind, part.as_str()?);
                Some(parts::put_in(text, &part, self.draw))
            }
            Node::Value(Value::Text(part)) => Some(parts::put_in(text, part, self.draw)),
            Node::Pattern(pattern) => {
                let found = sample::of(pattern)?;
                Some(parts::put_in(text, &found.text, self.draw))
            }
            Node::Where(inner, condition) => {
                for place in self.places(inner, text)?.into_iter().rev().take(16) {
                    let part = text.get(place.clone())?;
                    if self.holds(condition, part) {
                        continue;
                    }
                    if let Some(better) = self.meet(condition, part, true, depth + 1)
                        && self.holds(condition, &better)
                    {
                        let mut text = text.to_owned();
                        text.replace_range(place, &better);
                        return Some(text);
                    }
                }
                self.grow(inner, text, depth + 1)
            }
            Node::Within(inner, subject) => {
                let places = self.places(subject, text)?;
                let place = places.first()?.clone();
                let part = text.get(place.clone())?;
                let better = self.grow(inner, part, depth + 1)?;
                Some(format!("{}{better}{}", text.get(..place.start)?, text.get(place.end..)?))
            }
            Node::Index(inner, _) => self.grow(inner, text, depth + 1),
            Node::Call(name, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("split", [_, at]) => {
                    let between = match &at.node {
                        Node::Pattern(pattern) => sample::of(pattern)?.text,
                        _ => self.value(at, text)?.as_str()?.to_owned(),
                    };
                    let sentence = parts::sentence(self.vocabulary, self.draw);
                    let gap = if between.trim().is_empty() { "" } else { "\n\n" };
                    Some(format!("{}{gap}{between}{gap}{sentence}", text.trim_end()))
                }
                ("first" | "last", [_, inner]) => self.grow(inner, text, depth + 1),
                // Another row like the last.
                ("csv_rows", _) => {
                    let last = text.trim_end().lines().last()?;
                    Some(format!("{}\n{last}", text.trim_end()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    // ---- words -----------------------------------------------------------------------------

    /// That a part of the text is, or is not, so and so.
    fn say(
        &mut self,
        op: CompareOp,
        measure: &Tree,
        part: &str,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        if op == CompareOp::NotEqual {
            return self.units(Unit::Sentence, 1, text);
        }
        if op != CompareOp::Equal {
            return None;
        }
        if let Node::Call(name, arguments) = &measure.node {
            match (name.as_str(), arguments.as_slice()) {
                ("lower" | "replace" | "trim" | "upper", [inner, ..]) => {
                    return self.say(op, inner, part, text, depth + 1);
                }
                ("initials", [list]) => return self.acrostic(list, part, text, depth),
                _ => {}
            }
        }
        match self.places(measure, text).as_deref() {
            Some([place]) => {
                let place = place.clone();
                Some(format!("{}{part}{}", text.get(..place.start)?, text.get(place.end..)?))
            }
            _ => {
                let Node::Index(list, _) = &measure.node else { return None };
                self.grow(list, text, depth + 1)
            }
        }
    }

    /// Members whose first letters are the letters of a word.
    fn acrostic(&mut self, list: &Tree, word: &str, text: &str, depth: usize) -> Option<String> {
        let places = self.places(list, text)?;
        let letters: Vec<char> = word.chars().collect();
        if places.len() != letters.len() {
            return self.amount(list, letters.len() as i64 - places.len() as i64, text, depth);
        }
        let mut text = text.to_owned();
        for (place, letter) in places.into_iter().zip(letters).rev() {
            let start = self.vocabulary.starting(letter.to_lowercase().next()?);
            let mut start: String = start.chars().skip(1).collect();
            start.insert(0, letter);
            text.insert_str(place.start, &format!("{start} "));
        }
        Some(text)
    }

    fn within(
        &mut self,
        left: &Tree,
        right: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        match &right.node {
            Node::Range { low, high, inclusive } => {
                let have = Number::of(&self.value(left, text)?)?;
                let end = |mender: &Self, end: &Option<Box<Tree>>| {
                    Number::of(&mender.value(end.as_deref()?, text)?)
                };
                let (low, high) = (end(self, low), end(self, high));
                let above = high
                    .map(|high| if *inclusive { Some(high) } else { high.minus(Number::Int(1)) });
                let target = match (wanted, low, above.flatten()) {
                    (true, Some(low), _) if have < low => low,
                    (true, _, Some(high)) if have > high => high,
                    (false, _, Some(high)) => high.plus(Number::Int(1))?,
                    (false, Some(low), None) => low.minus(Number::Int(1))?,
                    _ => return None,
                };
                self.bring(left, target, text, depth)
            }
            Node::Value(Value::List(values)) if wanted => values.iter().find_map(|value| {
                let value = Tree::new(Node::Value(value.clone()), right.span);
                self.compare(CompareOp::Equal, left, &value, text, depth + 1)
            }),
            Node::It => {
                let part = self.value(left, text)?;
                self.contains("text", part.as_str()?, text, wanted)
            }
            _ => None,
        }
    }

    fn contains(&mut self, kind: &str, part: &str, text: &str, wanted: bool) -> Option<String> {
        if wanted {
            let part = self.needle(kind, part);
            return Some(parts::put_in(text, &part, self.draw));
        }
        let sought = Sought::new(kind, part).ok()?;
        let mut places = sought.places(&Text::new(text));
        let mut text = text.to_owned();
        while let Some(place) = places.pop() {
            text = parts::without(&text, place);
        }
        Some(text)
    }

    /// What to write so that a needle is found: for a letter a word with it.
    fn needle(&self, kind: &str, part: &str) -> String {
        match (kind, part.chars().next()) {
            ("regex", _) => {
                sample::of(&Pattern::new(part, "")).map_or_else(String::new, |found| found.text)
            }
            ("letter", Some(letter)) => {
                self.vocabulary.starting(letter.to_lowercase().next().unwrap_or(letter))
            }
            _ => part.to_owned(),
        }
    }

    fn call(
        &mut self,
        name: &str,
        arguments: &[Tree],
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        let subject = arguments.first()?;
        match (name, arguments) {
            ("fits_schema", [value, schema]) if wanted => {
                return self.fits_schema(Some(value), schema, text);
            }
            ("is_json", [Tree { node: Node::It, .. }, schema]) if wanted => {
                return self.fits_schema(None, schema, text);
            }
            _ => {}
        }
        if !matches!(subject.node, Node::It) {
            // About another text: a part of this one, perhaps.
            let mut own = arguments.to_vec();
            *own.first_mut()? = Tree::new(Node::It, subject.span);
            let body = Tree::new(Node::Call(name.to_owned(), own), subject.span);
            let subject = subject.clone();
            return self.at(&subject, &body, text, wanted, depth + 1);
        }
        let sought = |mender: &Self| -> Option<(String, String)> {
            match &arguments.get(1)?.node {
                Node::Needle(kind, value) => {
                    Some((kind.clone(), mender.value(value, text)?.as_str()?.to_owned()))
                }
                Node::Pattern(pattern) => Some(("regex".to_owned(), pattern.pattern.clone())),
                _ => {
                    let value = mender.value(arguments.get(1)?, text)?;
                    Some(("text".to_owned(), value.as_str()?.to_owned()))
                }
            }
        };
        match (name, wanted) {
            ("contains" | "matches", _) => {
                if let (Node::Pattern(pattern), true) = (&arguments.get(1)?.node, wanted) {
                    let found = sample::of(pattern)?;
                    return Some(match (found.at_start, found.at_end) {
                        (true, true) => found.text,
                        (true, false) => parts::in_front(text, &found.text),
                        (false, true) => parts::behind(text, &found.text),
                        (false, false) => parts::put_in(text, &found.text, self.draw),
                    });
                }
                let (kind, part) = sought(self)?;
                self.contains(&kind, &part, text, wanted)
            }
            ("starts_with" | "starts_with_as_released", true) => {
                let (kind, part) = sought(self)?;
                Some(parts::in_front(text, &self.needle(&kind, &part)))
            }
            ("ends_with" | "ends_with_as_released", true) => {
                let (kind, part) = sought(self)?;
                let part = match (kind.as_str(), part.chars().next()) {
                    ("letter", Some(letter)) => self.vocabulary.ending(letter),
                    _ => part,
                };
                Some(parts::behind(text, &part))
            }
            ("starts_with", false) => Some(parts::in_front(text, "indeed")),
            ("ends_with", false) => Some(parts::behind(text, "then, at last.")),
            ("opens_with_pair" | "closes_with_pair" | "wrapped_in", true) => {
                let mark = |mender: &Self, at: usize| {
                    Some(mender.value(arguments.get(at)?, text)?.as_str()?.to_owned())
                };
                let (left, right) = (mark(self, 1)?, mark(self, 2)?);
                Some(match name {
                    "opens_with_pair" => format!("{left}so{right} {text}"),
                    "closes_with_pair" => format!("{text} {left}so{right}"),
                    _ => format!("{left}{}{right}", text.trim()),
                })
            }
            ("is_upper" | "has_no_lower" | "is_upper_as_released", true) => {
                Some(text.to_uppercase())
            }
            ("is_lower" | "has_no_upper" | "is_lower_as_released", true) => {
                Some(text.to_lowercase())
            }
            ("is_upper" | "has_no_lower", false) => Some(parts::behind(text, "so")),
            ("is_lower" | "has_no_upper", false) => Some(parts::behind(text, "So")),
            ("is_title", true) => Some(parts::titled(text)),
            ("is_blank", true) => Some(String::new()),
            ("is_blank", false) => Some(parts::sentence(self.vocabulary, self.draw)),
            ("unique" | "distinct" | "similarity" | "overlap", _) => {
                self.units(Unit::Sentence, 1, text)
            }
            _ => wanted.then(|| parts::shaped(name, text))?,
        }
    }
}
