//! Repairs what a text must contain, or must not, and where.

use super::{Repairer, parts, sample};
use crate::functions::hooks::{Derived, Repaired};
use crate::needles::{SearchKind, SearchPattern};
use crate::tree::{CompareOp, Node, Pattern, Tree};
use crate::value::Value;
use ifs_text::{Text, Unit};

/// `char[1]` or `letter[1]`
fn is_first(tree: &Tree) -> bool {
    let Node::Index(list, at) = &tree.node else { return false };
    matches!(at.node, Node::Value(Value::Int(1)))
        && matches!(list.node, Node::Units(Unit::Char | Unit::Letter, None))
}

impl Repairer<'_, '_> {
    /// Makes a part of the text equal to a value, or different from it.
    pub(super) fn set_part(
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
            match (name.derived, arguments.as_slice()) {
                (derived, [inner, ..]) if derived.is_mostly_the_same() => {
                    return self.set_part(op, inner, part, text, depth + 1);
                }
                (Derived::Initials, [list]) => return self.acrostic(list, part, text, depth),
                (Derived::Joined, [Tree { node: Node::Each(list, change), .. }])
                    if is_first(change) =>
                {
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
            return self.change_length(
                list,
                letters.len() as i64 - places.len() as i64,
                text,
                depth,
            );
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
        kind: SearchKind,
        part: &str,
        text: &str,
        wanted: bool,
    ) -> Option<String> {
        if wanted {
            let part = self.needle(kind, part);
            return Some(parts::insert_words(text, &part, self.draw));
        }
        let sought = SearchPattern::new(kind, part).ok()?;
        let mut places = sought.occurrences(&Text::new(text));
        let mut text = text.to_owned();
        while let Some(place) = places.pop() {
            text = parts::without(&text, place);
        }
        Some(text)
    }

    /// The text to insert for a needle: a word, for a letter.
    pub(super) fn needle(&self, kind: SearchKind, part: &str) -> String {
        match (kind, part.chars().next()) {
            (SearchKind::Regex, _) => sample::shortest_match(&Pattern::new(part, ""))
                .map_or_else(String::new, |found| found.text),
            (SearchKind::Letter, Some(letter)) => {
                self.vocabulary.starting(letter.to_lowercase().next().unwrap_or(letter))
            }
            _ => part.to_owned(),
        }
    }

    /// Makes a test hold, or fail: by its row's repair, or in the text that it is about.
    pub(super) fn call(&mut self, at: &Repaired<'_>, wanted: bool) -> Option<String> {
        let call = at.call;
        let subject = call.arg(0)?;
        let found = match call.func.repair {
            Some(repair) if call.is_about_it() || !call.func.subject => repair(self, at, wanted),
            _ => None,
        };
        if call.is_about_it() || found.is_some() {
            return found;
        }
        // It is about another text, perhaps a part of this one.
        let mut own = call.arguments.to_vec();
        *own.first_mut()? = Tree::new(Node::It, subject.span);
        let body = Tree::new(Node::Call(call.func, own), subject.span);
        self.repair_at(subject, &body, at.text, wanted, at.depth + 1)
    }

    /// The needle of a call, its second argument.
    fn sought(&self, at: &Repaired<'_>) -> Option<(SearchKind, String)> {
        let sought = at.call.arg(1)?;
        match &sought.node {
            Node::Needle(kind, value) => {
                Some((*kind, self.value(value, at.text)?.as_str()?.to_owned()))
            }
            Node::Pattern(pattern) => Some((SearchKind::Regex, pattern.pattern.clone())),
            _ => Some((SearchKind::Text, self.value(sought, at.text)?.as_str()?.to_owned())),
        }
    }

    /// The text with, or without, the needle.
    pub(crate) fn set_occurrence(&mut self, at: &Repaired<'_>, wanted: bool) -> Option<String> {
        let text = at.text;
        if let (Node::Pattern(pattern), true) = (&at.call.arg(1)?.node, wanted) {
            let found = sample::shortest_match(pattern)?;
            return Some(match (found.at_start, found.at_end) {
                (true, true) => found.text,
                (true, false) => parts::in_front(text, &found.text),
                (false, true) => parts::append_at_end(text, &found.text),
                (false, false) => parts::insert_words(text, &found.text, self.draw),
            });
        }
        let (kind, part) = self.sought(at)?;
        self.contains(kind, &part, text, wanted)
    }

    /// The text with the needle at its start.
    pub(crate) fn start(&mut self, at: &Repaired<'_>) -> Option<String> {
        match self.sought(at) {
            Some((kind, part)) => Some(parts::in_front(at.text, &self.needle(kind, &part))),
            None => self.grow_sought(at),
        }
    }

    /// The text with the needle at its end.
    pub(crate) fn end(&mut self, at: &Repaired<'_>) -> Option<String> {
        let Some((kind, part)) = self.sought(at) else { return self.grow_sought(at) };
        let part = match (kind, part.chars().next()) {
            (SearchKind::Letter, Some(letter)) => self.vocabulary.ending(letter),
            _ => part,
        };
        Some(parts::append_at_end(at.text, &part))
    }

    /// The text with another end than the needle.
    pub(crate) fn replace_end(&mut self, at: &Repaired<'_>) -> String {
        const CLOSING_WORDS: &str = "then, at last.";
        let is_same = |part: &str| CLOSING_WORDS.ends_with(part);
        let mark = self.sought(at).is_some_and(|(_, part)| is_same(&part));
        parts::append_at_end(at.text, if mark { "!" } else { CLOSING_WORDS })
    }

    /// The needle is a member of a list that is still empty.
    fn grow_sought(&mut self, at: &Repaired<'_>) -> Option<String> {
        let Node::Needle(_, of) = &at.call.arg(1)?.node else { return None };
        let Node::Index(list, _) = &of.node else { return None };
        self.grow(list, at.text, at.depth + 1)
    }

    /// The last two arguments, which are marks, and the text.
    pub(crate) fn marks<'t>(&self, at: &Repaired<'t>) -> Option<(String, String, &'t str)> {
        let [.., left, right] = at.call.arguments else { return None };
        let mark = |tree: &Tree| Some(self.value(tree, at.text)?.as_str()?.to_owned());
        Some((mark(left)?, mark(right)?, at.text))
    }

    pub(crate) fn sentence(&mut self) -> String {
        parts::sentence(self.vocabulary, self.draw)
    }
}
