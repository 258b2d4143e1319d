//! Brings measures to numbers: adds or removes units and members.

use super::{MAX_DEPTH, Repairer, is_changed, is_reversed, parts, sample};
use crate::functions::hooks::{Call, Repaired};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{ArithmeticOp, CompareOp, Node, Tree};
use crate::value::Value;
use ifs_text::Unit;

impl Repairer<'_, '_> {
    pub(super) fn compare(
        &mut self,
        op: CompareOp,
        left: &Tree,
        right: &Tree,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        let depends = |tree: &Tree| !matches!(tree.node, Node::Value(_));
        // If both sides are measures of the response, they are changed in turn.
        let turned = depends(left) && depends(right) && self.draw.index_below(3) == 0;
        let (measure, op, other) = if (depends(left) || !depends(right)) && !turned {
            (left, op, right)
        } else {
            (right, op.with_sides_exchanged(), left)
        };
        // Between two ends.
        if op == CompareOp::Equal
            && (is_changed(measure) && is_reversed(other)
                || is_changed(other) && is_reversed(measure))
        {
            let back: String = text.chars().rev().skip(1).collect();
            return Some(format!("{text}{back}").to_lowercase());
        }
        let value = self.value(other, text)?;
        match Number::from_value(&value) {
            Some(wanted) => {
                if op == CompareOp::Equal
                    && let Some(said) = self.set_in_json(measure, value.clone(), text)
                {
                    return Some(said);
                }
                let wanted = match op {
                    CompareOp::Equal | CompareOp::MoreEqual | CompareOp::LessEqual => wanted,
                    CompareOp::More | CompareOp::NotEqual => wanted.plus(Number::Int(1))?,
                    CompareOp::Less => wanted.minus(Number::Int(1))?,
                };
                self.set_measure_to(measure, wanted, text, depth)
            }
            None => {
                if let (CompareOp::Equal, Value::List(members)) = (op, &value) {
                    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                    return self.lists(measure, &members, text);
                }
                if let (CompareOp::Equal, Some(said)) =
                    (op, self.set_in_json(measure, value.clone(), text))
                {
                    return Some(said);
                }
                let part = value.as_str()?;
                self.set_part(op, measure, part, text, depth).or_else(|| {
                    (op == CompareOp::Equal)
                        .then(|| self.set_measure(measure, part, text))
                        .flatten()
                })
            }
        }
    }

    /// Brings a measure to a number.
    pub(super) fn set_measure_to(
        &mut self,
        measure: &Tree,
        wanted: Number,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        match &measure.node {
            Node::Arithmetic(op, left, right) => {
                let (a, b) = (self.value(left, text)?, self.value(right, text)?);
                let (a, b) = (Number::from_value(&a)?, Number::from_value(&b)?);
                if let (ArithmeticOp::Remainder, Number::Int(have)) = (op, a) {
                    // One more, until it fits.
                    return self.set_measure_to(
                        left,
                        Number::Int(have.checked_add(1)?),
                        text,
                        depth + 1,
                    );
                }
                let target = match op {
                    ArithmeticOp::Add => wanted.minus(b)?,
                    ArithmeticOp::Subtract => wanted.plus(b)?,
                    ArithmeticOp::Multiply => wanted.over(b)?.ceil()?,
                    ArithmeticOp::Divide => wanted.times(b)?,
                    ArithmeticOp::Remainder => return None,
                };
                self.set_measure_to(left, target, text, depth + 1)
            }
            Node::Call(func, arguments) => {
                let call = Call { tree: measure, func: *func, arguments };
                func.bring?(self, &Repaired { call, text, depth }, wanted)
            }
            _ => None,
        }
    }

    /// Adds or removes what is counted.
    pub(crate) fn count_to(&mut self, at: &Repaired<'_>, wanted: Number) -> Option<String> {
        let have = self.value(at.call.tree, at.text)?.as_int()?;
        let Number::Int(wanted) = wanted.ceil()? else { return None };
        self.change_length(at.call.arg(0)?, wanted.saturating_sub(have), at.text, at.depth)
    }

    /// The same number for the first argument.
    pub(crate) fn argument_to(&mut self, at: &Repaired<'_>, wanted: Number) -> Option<String> {
        self.set_measure_to(at.call.arg(0)?, wanted, at.text, at.depth + 1)
    }

    /// Pairs of the marks of a call, nested to a depth.
    pub(crate) fn nest_marks(&mut self, at: &Repaired<'_>, wanted: Number) -> Option<String> {
        let (open, close, text) = self.marks(at)?;
        let Number::Int(wanted) = wanted.ceil()? else { return None };
        parts::nested(text, &open, &close, usize::try_from(wanted).ok()?, self.draw)
    }

    /// Changes the numbers of the text to a given sum: all to about the same, to even ones, or each
    /// to a different one.
    pub(crate) fn total(&mut self, list: &Tree, wanted: Number, text: &str) -> Option<String> {
        let Number::Int(wanted) = wanted.ceil()? else { return None };
        let numbers = matches!(list.node, Node::Units(Unit::Number | Unit::NumberDigits, None));
        if !numbers || wanted < 0 {
            return None;
        }
        let places = self.places(list, text)?;
        if places.is_empty() {
            return Some(parts::insert_words(text, &wanted.to_string(), self.draw));
        }
        let mut text = text.to_owned();
        let mut left = wanted;
        let kind = self.draw.index_below(3);
        for (before, place) in places.into_iter().enumerate().rev() {
            let before = before as i64;
            let share = match kind {
                _ if before == 0 => left,
                0 => left / (before + 1),
                // Even ones.
                1 => left / (before + 1) / 2 * 2,
                _ => before.min(left),
            };
            text.replace_range(place, &share.to_string());
            left -= share;
        }
        Some(text)
    }

    /// Adds or removes members.
    pub(super) fn change_length(
        &mut self,
        list: &Tree,
        more: i64,
        text: &str,
        depth: usize,
    ) -> Option<String> {
        if let (Node::It, true) = (&list.node, more != 0) {
            return self.units(Unit::Char, more, text);
        }
        if let Node::Units(unit, None) = &list.node {
            return self.units(*unit, more, text);
        }
        if let Some(longer) = self.members_in_json(list, more, text) {
            return Some(longer);
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

    pub(super) fn units(&mut self, unit: Unit, more: i64, text: &str) -> Option<String> {
        // A thousand sentences may need a thousand words each, so the output counts against the
        // budget.
        if self.draw.steps_left() == 0 {
            return None;
        }
        let many = usize::try_from(more.unsigned_abs()).ok()?;
        let changed = if more > 0 {
            parts::add(unit, many.min(4000), text, self.vocabulary, self.draw)
        } else {
            parts::remove(unit, many, text, self.draw)
        }?;
        self.draw.spend(changed.len());
        if matches!(unit, Unit::Number | Unit::NumberDigits) {
            // Each of them is sought in the text first.
            self.draw.spend(many.min(4000) * text.len() / 16);
        }
        Some(changed)
    }

    /// Adds one member to a list.
    pub(crate) fn grow(&mut self, list: &Tree, text: &str, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        match &list.node {
            Node::Units(unit, None) => self.units(*unit, 1, text),
            Node::Units(unit, Some(of)) if is_changed(of) => self.units(*unit, 1, text),
            Node::Needle(kind, value) => {
                let part = self.value(value, text)?;
                let part = self.needle(*kind, part.as_str()?);
                Some(parts::insert_words(text, &part, self.draw))
            }
            Node::Value(Value::Text(part)) => Some(parts::insert_words(text, part, self.draw)),
            Node::Pattern(pattern) => {
                let found = sample::shortest_match(pattern)?;
                Some(parts::insert_words(text, &found.text, self.draw))
            }
            Node::Where(inner, condition) => {
                if let Some(one) = self.member_word(list) {
                    return Some(parts::insert_words(text, &one, self.draw));
                }
                for place in self.places(inner, text)?.into_iter().rev().take(16) {
                    let part = text.get(place.clone())?;
                    if self.holds(condition, part) {
                        continue;
                    }
                    if let Some(better) = self.repair_step(condition, part, true, depth + 1)
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
            Node::Call(func, arguments) => {
                let call = Call { tree: list, func: *func, arguments };
                func.grow?(self, &Repaired { call, text, depth: depth + 1 })
            }
            _ => None,
        }
    }

    /// Adds a part after the last one.
    pub(crate) fn another_part(&mut self, at: &Tree, text: &str) -> Option<String> {
        let between = self.separator(at, text)?;
        let sentence = parts::sentence(self.vocabulary, self.draw);
        let gap = if between.trim().is_empty() { "" } else { "\n\n" };
        Some(format!("{}{gap}{between}{gap}{sentence}", text.trim_end()))
    }

    /// A word, or a number, that is a member of a given list.
    pub(super) fn member_word(&mut self, list: &Tree) -> Option<String> {
        let Node::Where(units, condition) = &list.node else { return None };
        let Node::Units(unit, None) = &units.node else { return None };
        let words = self.vocabulary.all().map(str::to_owned);
        // Those that the condition names may be fractions, or larger.
        let plain = (0..200).map(|number: usize| number.to_string());
        let mut named = Vec::new();
        add_numbers(condition, &mut named);
        let numbers = named.into_iter().chain(plain);
        let (words, numbers) = match unit {
            Unit::Word | Unit::WordPattern | Unit::WordSpace => (Some(words), None),
            Unit::Number | Unit::NumberDigits => (None, Some(numbers)),
            _ => return None,
        };
        let all = words.into_iter().flatten().chain(numbers.into_iter().flatten());
        let is_one = |text: &String| {
            self.value(list, text).and_then(|found| Some(found.as_list()?.len())) == Some(1)
        };
        let mut few: Vec<String> = all.filter(is_one).take(12).collect();
        (!few.is_empty()).then(|| few.swap_remove(self.draw.index_below(few.len())))
    }

    pub(super) fn within(
        &mut self,
        left: &Tree,
        right: &Tree,
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        match &right.node {
            Node::Range { low, high, inclusive } => {
                let have = Number::from_value(&self.value(left, text)?)?;
                let end = |repairer: &Self, end: &Option<Box<Tree>>| {
                    Number::from_value(&repairer.value(end.as_deref()?, text)?)
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
                self.set_measure_to(left, target, text, depth)
            }
            Node::Value(Value::List(values)) if wanted => values.iter().find_map(|value| {
                let value = Tree::new(Node::Value(value.clone()), right.span);
                self.compare(CompareOp::Equal, left, &value, text, depth + 1)
            }),
            Node::It => {
                let part = self.value(left, text)?;
                self.contains(SearchKind::Text, part.as_str()?, text, wanted)
            }
            _ => None,
        }
    }
}

/// Adds the numbers that a check names, apart from small whole ones.
fn add_numbers(tree: &Tree, numbers: &mut Vec<String>) {
    match &tree.node {
        Node::Value(Value::Int(0..200)) => {}
        Node::Value(value @ (Value::Int(_) | Value::Float(_))) => numbers.push(value.to_string()),
        _ => tree.children().into_iter().for_each(|child| add_numbers(child, numbers)),
    }
}
