//! What the verdict of a test implies about the response.

use super::{
    Alternatives, CheckReader, applied_to_text, conjunction, disjunction, edge_run, folded,
    members, needle_measure, no_facts, one_letter, text,
};
use std::ops::Range;
use std::sync::Arc;

use crate::bound::fact::{
    Fact, Letters, ListSource, Measure, Property, Subject, TextEdge, is_unusual,
};
use crate::bound::interval::Interval;
use crate::bound::pattern;
use crate::functions::Func;
use crate::functions::hooks::Call;
use crate::needles::SearchKind;
use crate::number::Number;
use crate::schema::Schema;
use crate::tree::{Node, Pattern, Tree};
use crate::value::Value;
use ifs_text::edge::finishes_with;
use ifs_text::python::{is_space, strip};
use ifs_text::{Shape, Text, Unit, alike, fold};

impl CheckReader<'_> {
    pub(super) fn occurs(
        &self,
        tree: &Tree,
        kind: SearchKind,
        part: &str,
        wanted: bool,
    ) -> Alternatives {
        if part.is_empty() {
            return no_facts();
        }
        let interval = if wanted {
            Interval::at_least(Number::Int(1))
        } else {
            Interval::exactly(Number::Int(0))
        };
        self.single_fact(tree, Property::Measured(needle_measure(kind, part), interval))
    }

    pub(super) fn call(&self, call: &Call<'_>, wanted: bool) -> Alternatives {
        match call.func.implies {
            Some(implies) if !call.func.subject || call.is_about_it() => {
                implies(self, call, wanted)
            }
            _ => no_facts(),
        }
    }

    /// The text has, or lacks, a needle.
    pub(crate) fn sought(&self, call: &Call<'_>, wanted: bool) -> Alternatives {
        let (tree, Some(sought)) = (call.tree, call.arg(1)) else { return no_facts() };
        match &sought.node {
            Node::Needle(kind, value) => match text(value) {
                Some(part) if *kind == SearchKind::Regex => {
                    self.matched(tree, sought, &Pattern::new(part, ""), wanted)
                }
                Some(part) => self.occurs(tree, *kind, part, wanted),
                None => no_facts(),
            },
            Node::Pattern(pattern) => self.matched(tree, sought, pattern, wanted),
            _ => match text(sought) {
                Some(part) => self.occurs(tree, SearchKind::Text, part, wanted),
                None => no_facts(),
            },
        }
    }

    /// The text has a shape.
    pub(crate) fn shaped(&self, call: &Call<'_>, wanted: bool) -> Alternatives {
        match call.func.shape.filter(|_| wanted) {
            Some(shape @ Shape::Table) => {
                let mut facts = vec![self.fact(call.tree, Property::Shape(shape))];
                // It is a table as it is written.
                let marks = self.marks(call.tree, Unit::Table, 1).into_iter();
                facts.extend(marks.map(|fact| Fact { in_prose: false, ..fact }));
                vec![facts]
            }
            Some(shape) => self.single_fact(call.tree, Property::Shape(shape)),
            None => no_facts(),
        }
    }

    /// The text is JSON that fits a schema.
    pub(crate) fn json(&self, call: &Call<'_>, schema: &Tree) -> Alternatives {
        let tree = call.tree;
        let shape = call.func.shape.unwrap_or(Shape::Json);
        let mut facts = vec![self.fact(tree, Property::Shape(shape))];
        let only = match &schema.node {
            Node::Value(schema) => {
                Schema::from_value(schema).ok().and_then(|schema| schema.single_type())
            }
            _ => None,
        };
        let marks = match only {
            Some("object") => ["{", "}"].as_slice(),
            Some("array") => ["[", "]"].as_slice(),
            _ => &[],
        };
        // The first bracket encloses all of it.
        for other in ["[", "{", "\""] {
            if marks.first().is_some_and(|mark| *mark != other) {
                let other = TextEdge::Exact(other.to_owned());
                facts.push(self.fact(tree, Property::StartsNot(other)));
            }
        }
        for other in ["]", "}", "\""] {
            if marks.last().is_some_and(|mark| *mark != other) {
                let other = TextEdge::Exact(other.to_owned());
                facts.push(self.fact(tree, Property::EndsNot(other)));
            }
        }
        for mark in marks {
            facts.extend(self.occurs(tree, SearchKind::Text, mark, true).into_iter().flatten());
        }
        vec![facts]
    }

    /// No two members of a list are equal.
    pub(crate) fn unique(&self, call: &Call<'_>) -> Alternatives {
        let tree = call.tree;
        let Some(list) = call.arg(0) else { return no_facts() };
        if let Node::Within(sought, text) = &list.node
            && matches!(text.node, Node::It)
        {
            let mut facts =
                vec![self.fact(tree, Property::Is(Arc::new(tree.clone()), Value::Bool(true)))];
            if let Node::Pattern(pattern) = &sought.node
                && pattern::one_of(pattern).is_some_and(|class| pattern::has_letters(&class))
            {
                facts.push(self.fact(tree, Property::Distinct(Unit::Letter)));
            }
            return vec![facts];
        }
        match members(list) {
            Some(ListSource::Units(unit)) => vec![vec![
                self.fact(tree, Property::Distinct(unit)),
                self.fact(tree, Property::Is(Arc::new(tree.clone()), Value::Bool(true))),
            ]],
            _ => no_facts(),
        }
    }

    /// The text is blank.
    pub(crate) fn blank(&self, tree: &Tree) -> Alternatives {
        let units = [Unit::Letter, Unit::Word, Unit::WordPattern, Unit::Sentence];
        let none = Interval::exactly(Number::Int(0));
        let none = |unit| self.fact(tree, Property::Measured(Measure::Count(unit), none));
        vec![units.map(none).to_vec()]
    }

    /// All letters with case are small, or not all of them are.
    pub(crate) fn is_lower(&self, tree: &Tree, is: bool) -> Alternatives {
        self.single_fact(tree, Property::Is(applied_to_text(Func::IS_LOWER), Value::Bool(is)))
    }

    /// A regular expression matches somewhere, or nowhere.
    pub(super) fn matched(
        &self,
        tree: &Tree,
        sought: &Tree,
        pattern: &Pattern,
        wanted: bool,
    ) -> Alternatives {
        let source = Measure::count_of(sought.clone());
        let interval = if wanted {
            Interval::at_least(Number::Int(1))
        } else {
            Interval::exactly(Number::Int(0))
        };
        let mut facts = vec![self.fact(tree, Property::Measured(source, interval))];
        if let (true, Some(wholes)) = (wanted, pattern::wholes(pattern)) {
            let mut ways = wholes.iter().map(|whole| self.facts_of_literal(tree, whole, false));
            let first = ways.next().map_or_else(no_facts, |way| vec![way]);
            let ways = ways.fold(first, |all, way| disjunction(all, vec![way]));
            let found = pattern::facts(pattern).into_iter();
            facts.extend(found.map(|property| self.written(tree, property)));
            return conjunction(vec![facts], ways);
        }
        let found = if wanted {
            pattern::facts(pattern)
        } else {
            pattern::none(pattern).into_iter().collect()
        };
        facts.extend(found.into_iter().map(|property| self.written(tree, property)));
        vec![facts]
    }

    /// The text does not start, or end, with something.
    pub(crate) fn exclude_edge(
        &self,
        call: &Call<'_>,
        property: fn(TextEdge) -> Property,
    ) -> Alternatives {
        let Some(sought) = call.arg(1) else { return no_facts() };
        let edge = match &sought.node {
            Node::Needle(SearchKind::Letter, value) => {
                text(value).and_then(one_letter).map(TextEdge::Letter)
            }
            Node::Needle(SearchKind::Text, value) => text(value)
                .filter(|part| !part.is_empty() && strip(part).len() == part.len())
                .map(|part| TextEdge::Exact(part.to_owned())),
            Node::Needle(..) => None,
            _ => {
                let part = text(sought);
                let part = part.filter(|part| !part.is_empty() && strip(part).len() == part.len());
                let Some(part) = part else { return no_facts() };
                let exact = self.fact(call.tree, property(TextEdge::Exact(part.to_owned())));
                let read = self.fact(call.tree, property(TextEdge::Read(alike(part))));
                return vec![vec![exact, read]];
            }
        };
        edge.map_or_else(no_facts, |edge| self.single_fact(call.tree, property(edge)))
    }

    pub(crate) fn upper(&self, tree: &Tree, letters: Letters, some: bool) -> Alternatives {
        let mut facts = vec![self.fact(tree, Property::NoLower(letters))];
        if some {
            facts.push(self.fact(tree, Property::HasUpper(letters)));
        }
        vec![facts]
    }

    pub(crate) fn lower(&self, tree: &Tree, letters: Letters, some: bool) -> Alternatives {
        let mut facts = vec![self.fact(tree, Property::NoUpper(letters))];
        if some {
            facts.push(self.fact(tree, Property::HasLower(letters)));
        }
        vec![facts]
    }

    /// The text starts, or ends, with something.
    pub(crate) fn edge(&self, call: &Call<'_>, property: fn(TextEdge) -> Property) -> Alternatives {
        let (tree, Some(sought)) = (call.tree, call.arg(1)) else { return no_facts() };
        match &sought.node {
            Node::Needle(SearchKind::Regex, _) => no_facts(),
            Node::Needle(SearchKind::Text, value) => match text(value).map(strip) {
                Some("") | None => no_facts(),
                Some(part) => {
                    let mut facts = self.edge_words(tree, part, property);
                    facts.push(self.fact(tree, property(TextEdge::Exact(part.to_owned()))));
                    conjunction(vec![facts], self.occurs(tree, SearchKind::Text, part, true))
                }
            },
            Node::Needle(kind, value) => match text(value) {
                Some(part) => {
                    let letter = (*kind == SearchKind::Letter).then(|| one_letter(part)).flatten();
                    match letter {
                        Some(letter) => self.single_fact(tree, property(TextEdge::Letter(letter))),
                        None => {
                            let occurs = self.occurs(tree, *kind, part, true);
                            let is_read = kind.subject() == Subject::Content;
                            let same = if is_read { fold(part) } else { folded(part) };
                            let edge = property(TextEdge::Needle(*kind, same));
                            let at = if matches!(edge, Property::Starts(_)) { 1 } else { -1 };
                            let mut facts = vec![self.fact(tree, edge.clone())];
                            // Nothing but marks is before it, or after. It may have a genitive, and
                            // letters that look the same.
                            if *kind == SearchKind::Word
                                && part.chars().all(|c| c.is_ascii_alphanumeric())
                            {
                                let word = self.facts_of_literal(tree, part, false);
                                let word = Property::One(
                                    ListSource::Units(Unit::WordPart),
                                    Some(at),
                                    word,
                                );
                                facts.push(self.likely(tree, word));
                            }
                            let plain = fold(part);
                            let run = edge_run(*kind, &plain, matches!(edge, Property::Starts(_)));
                            let whole = match run {
                                Some(run) => self.occurs(tree, SearchKind::Keyword, run, true),
                                None => no_facts(),
                            };
                            conjunction(conjunction(vec![facts], occurs), whole)
                        }
                    }
                }
                None => no_facts(),
            },
            _ => match text(sought).map(strip) {
                Some("") | None => no_facts(),
                Some(part) => {
                    let mut facts = self.edge_words(tree, part, property);
                    let occurs = self.occurs(tree, SearchKind::Text, part, true);
                    facts.extend(occurs.into_iter().flatten());
                    facts.iter_mut().for_each(|fact| fact.in_prose = true);
                    facts.push(self.fact(tree, property(TextEdge::Read(alike(part)))));
                    vec![facts]
                }
            },
        }
    }

    /// The words that a text has at its edge if it starts, or ends, with this one: those that a
    /// blank completes.
    fn edge_words(&self, tree: &Tree, part: &str, outer: fn(TextEdge) -> Property) -> Vec<Fact> {
        let start = matches!(outer(TextEdge::Exact(String::new())), Property::Starts(_));
        let read = Text::new(part);
        let mut facts = Vec::new();
        // The content has it as it is written: no mark, tag or name of a field begins or ends so.
        let is_kept = (!start || part.starts_with(|c: char| c.is_ascii_alphabetic()))
            && part.chars().all(|c| c.is_ascii_alphanumeric() || " .,!?".contains(c));
        for unit in [Unit::Word, Unit::WordPattern] {
            let words = read.units(unit);
            let blank = |place: &Range<usize>| {
                let next = if start {
                    part.get(place.end..).and_then(|rest| rest.chars().next())
                } else {
                    part.get(..place.start).and_then(|rest| rest.chars().next_back())
                };
                next.is_some_and(is_space)
            };
            let mut ordered: Vec<&Range<usize>> = words.iter().collect();
            if !start {
                ordered.reverse();
            }
            // Words nearer to the edge than a complete one are complete, too.
            let whole = ordered.iter().rposition(|place| blank(place)).map_or(0, |at| at + 1);
            // The word after a blank, or at the edge, may continue.
            let touches = |place: &Range<usize>| match start {
                true => part
                    .get(..place.start)
                    .is_some_and(|rest| rest.chars().next_back().is_none_or(is_space)),
                false => part
                    .get(place.end..)
                    .is_some_and(|rest| rest.chars().next().is_none_or(is_space)),
            };
            let open = ordered.get(whole).filter(|place| touches(place)).map(|_| whole);
            let many = whole + usize::from(open.is_some());
            for (at, place) in ordered.into_iter().take(many.min(3)).enumerate() {
                let Some(word) = part.get(place.clone()) else { continue };
                if is_unusual(word) {
                    continue;
                }
                let inner = if open == Some(at) {
                    vec![self.fact(tree, outer(TextEdge::Exact(word.to_owned())))]
                } else {
                    self.facts_of_literal(tree, word, true)
                };
                let at = if start { at as i64 + 1 } else { -(at as i64) - 1 };
                let word = self.fact(tree, Property::One(ListSource::Units(unit), Some(at), inner));
                facts.push(Fact { in_prose: unit.is_of_content() && !is_kept, ..word });
            }
        }
        facts
    }

    /// The same as released checkers read it.
    pub(crate) fn released_edge(
        &self,
        call: &Call<'_>,
        property: fn(TextEdge) -> Property,
    ) -> Alternatives {
        let (tree, Some(sought)) = (call.tree, call.arg(1)) else { return no_facts() };
        let (kind, part) = match &sought.node {
            Node::Needle(kind, value) => (*kind, text(value)),
            _ => (SearchKind::Text, text(sought)),
        };
        match part {
            None | Some("") => no_facts(),
            _ if kind == SearchKind::Regex => no_facts(),
            Some(part) => {
                let mut chars = part.chars();
                let edge = match (kind, chars.next(), chars.next()) {
                    (SearchKind::Letter, Some(letter), None) => {
                        TextEdge::LetterReleased(letter.to_ascii_lowercase())
                    }
                    _ => TextEdge::PartReleased(part.to_owned()),
                };
                self.single_fact(tree, property(edge))
            }
        }
    }

    /// The text opens, or closes, with text between the marks of a pair, as readers see it.
    pub(crate) fn pair(&self, call: &Call<'_>, opens: bool, closes: bool) -> Alternatives {
        let mark = |at| call.arg(at).and_then(text).filter(|mark| !mark.is_empty());
        let (Some(left), Some(right)) = (mark(1), mark(2)) else { return no_facts() };
        let edge =
            |here: &str, there: &str| TextEdge::Mark { here: alike(here), there: alike(there) };
        let mut facts = Vec::new();
        if opens {
            facts.push(self.fact(call.tree, Property::Starts(edge(left, right))));
        }
        if closes {
            facts.push(self.fact(call.tree, Property::Ends(edge(right, left))));
        }
        // The last mark is the end: readers look through some for a stop.
        for stop in
            [".", "!", "?"].iter().filter(|stop| opens && closes && !right.ends_with(**stop))
        {
            let exact = TextEdge::Exact((*stop).to_owned());
            facts.push(self.fact(call.tree, Property::EndsNot(exact)));
            if !finishes_with(&format!("{stop}{right}"), stop) {
                let read = TextEdge::Read((*stop).to_owned());
                facts.push(self.fact(call.tree, Property::EndsNot(read)));
            }
        }
        // Tags and fields of JSON are no marks, and quotation marks have several forms.
        let written = self.pair_as_released(call, false, false).into_iter().flatten();
        facts.extend(written.map(|fact| Fact { in_prose: true, ..fact }));
        vec![facts]
    }

    /// The text opens, or closes, with exactly a mark of a pair.
    pub(crate) fn pair_as_released(
        &self,
        call: &Call<'_>,
        opens: bool,
        closes: bool,
    ) -> Alternatives {
        let tree = call.tree;
        let mark = |at| call.arg(at).and_then(text).filter(|mark| !mark.is_empty());
        let (Some(left), Some(right)) = (mark(1), mark(2)) else { return no_facts() };
        let start = TextEdge::Pair { here: left.to_owned(), there: right.to_owned() };
        let end = TextEdge::Pair { here: right.to_owned(), there: left.to_owned() };
        let mut facts = Vec::new();
        if opens {
            facts.push(self.fact(tree, Property::Starts(start)));
        }
        if closes {
            facts.push(self.fact(tree, Property::Ends(end)));
        }
        let marks = if left == right { vec![(left, 2)] } else { vec![(left, 1), (right, 1)] };
        for (mark, times) in marks {
            let interval = Interval::at_least(Number::Int(times));
            facts.push(
                self.fact(
                    tree,
                    Property::Measured(needle_measure(SearchKind::Text, mark), interval),
                ),
            );
        }
        vec![facts]
    }
}
