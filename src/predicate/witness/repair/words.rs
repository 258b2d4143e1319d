//! What a text is to say, or not to say, and where.

use super::{Repairer, parts, sample};
use crate::predicate::functions::Func;
use crate::predicate::needles::{Kind, Sought};
use crate::predicate::tree::{CompareOp, Node, Pattern, Tree};
use crate::predicate::value::Value;
use crate::text::{Text, Unit};

/// `char[1]` or `letter[1]`
fn is_first(tree: &Tree) -> bool {
    let Node::Index(list, at) = &tree.node else { return false };
    matches!(at.node, Node::Value(Value::Int(1)))
        && matches!(list.node, Node::Units(Unit::Char | Unit::Letter, None))
}

impl Repairer<'_, '_> {
    /// That a part of the text is, or is not, so and so.
    pub(super) fn say(
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
            match (*name, arguments.as_slice()) {
                (Func::Lower | Func::Replace | Func::Trim | Func::Upper, [inner, ..]) => {
                    return self.say(op, inner, part, text, depth + 1);
                }
                (Func::Initials, [list]) => return self.acrostic(list, part, text, depth),
                (Func::Join, [Tree { node: Node::Each(list, change), .. }]) if is_first(change) => {
                    return self.acrostic(list, part, text, depth);
                }
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
    pub(super) fn acrostic(
        &mut self,
        list: &Tree,
        word: &str,
        text: &str,
        depth: usize,
    ) -> Option<String> {
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

    pub(super) fn contains(
        &mut self,
        kind: Kind,
        part: &str,
        text: &str,
        wanted: bool,
    ) -> Option<String> {
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
    pub(super) fn needle(&self, kind: Kind, part: &str) -> String {
        match (kind, part.chars().next()) {
            (Kind::Regex, _) => {
                sample::of(&Pattern::new(part, "")).map_or_else(String::new, |found| found.text)
            }
            (Kind::Letter, Some(letter)) => {
                self.vocabulary.starting(letter.to_lowercase().next().unwrap_or(letter))
            }
            _ => part.to_owned(),
        }
    }

    pub(super) fn call(
        &mut self,
        func: Func,
        arguments: &[Tree],
        text: &str,
        wanted: bool,
        depth: usize,
    ) -> Option<String> {
        let subject = arguments.first()?;
        match (func, arguments) {
            (Func::FitsSchema, [value, schema]) if wanted => {
                return self.fits_schema(Some(value), schema, text);
            }
            (Func::IsJson, [Tree { node: Node::It, .. }, schema]) if wanted => {
                return self.fits_schema(None, schema, text);
            }
            _ => {}
        }
        if !matches!(subject.node, Node::It) {
            // About another text: a part of this one, perhaps.
            let mut own = arguments.to_vec();
            *own.first_mut()? = Tree::new(Node::It, subject.span);
            let body = Tree::new(Node::Call(func, own), subject.span);
            let subject = subject.clone();
            return self.at(&subject, &body, text, wanted, depth + 1);
        }
        let sought = |repairer: &Self| -> Option<(Kind, String)> {
            match &arguments.get(1)?.node {
                Node::Needle(kind, value) => {
                    Some((*kind, repairer.value(value, text)?.as_str()?.to_owned()))
                }
                Node::Pattern(pattern) => Some((Kind::Regex, pattern.pattern.clone())),
                _ => {
                    let value = repairer.value(arguments.get(1)?, text)?;
                    Some((Kind::Text, value.as_str()?.to_owned()))
                }
            }
        };
        match (func, wanted) {
            (Func::Contains | Func::Matches, _) => {
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
                self.contains(kind, &part, text, wanted)
            }
            // What is looked for is a member of a list that has none yet.
            (Func::StartsWith | Func::EndsWith, true) if sought(self).is_none() => {
                let of = match &arguments.get(1)?.node {
                    Node::Needle(_, of) => of,
                    _ => return None,
                };
                let Node::Index(list, _) = &of.node else { return None };
                self.grow(list, text, depth + 1)
            }
            (Func::StartsWith | Func::StartsWithAsReleased, true) => {
                let (kind, part) = sought(self)?;
                Some(parts::in_front(text, &self.needle(kind, &part)))
            }
            (Func::EndsWith | Func::EndsWithAsReleased, true) => {
                let (kind, part) = sought(self)?;
                let part = match (kind, part.chars().next()) {
                    (Kind::Letter, Some(letter)) => self.vocabulary.ending(letter),
                    _ => part,
                };
                Some(parts::behind(text, &part))
            }
            (Func::StartsWith, false) => Some(parts::in_front(text, "indeed")),
            (Func::EndsWith, false) => Some(parts::behind(text, "then, at last.")),
            (Func::OpensWithPair | Func::ClosesWithPair | Func::WrappedIn, true) => {
                let mark = |repairer: &Self, at: usize| {
                    Some(repairer.value(arguments.get(at)?, text)?.as_str()?.to_owned())
                };
                let (left, right) = (mark(self, 1)?, mark(self, 2)?);
                Some(match func {
                    Func::OpensWithPair => format!("{left}so{right} {text}"),
                    Func::ClosesWithPair => format!("{text} {left}so{right}"),
                    _ => format!("{left}{}{right}", text.trim()),
                })
            }
            (Func::IsUpper | Func::HasNoLower | Func::IsUpperAsReleased, true) => {
                Some(text.to_uppercase())
            }
            (Func::IsLower | Func::HasNoUpper | Func::IsLowerAsReleased, true) => {
                Some(text.to_lowercase())
            }
            (Func::IsUpper | Func::HasNoLower, false) => Some(parts::behind(text, "so")),
            (Func::IsLower | Func::HasNoUpper, false) => Some(parts::behind(text, "So")),
            (Func::IsTitle, true) => Some(parts::titled(text)),
            (Func::IsBlank, true) => Some(String::new()),
            (Func::IsBlank, false) => Some(parts::sentence(self.vocabulary, self.draw)),
            (Func::Unique | Func::Distinct | Func::Similarity | Func::Overlap, _) => {
                self.units(Unit::Sentence, 1, text)
            }
            _ => wanted.then(|| parts::shaped(func, text))?,
        }
    }
}
