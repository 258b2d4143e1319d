//! Facts that follow from other facts of a check: for the text from its parts, for the marks of
//! units, for JSON from the values that are extracted.

use std::collections::BTreeSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::{
    Alternatives, CheckReader, applied_to_text, conjunction, disjunction, folded, measure_of,
    members, needle_measure, no_facts, text,
};
use crate::bound::classes::SPACES;
use crate::bound::fact::{Fact, Letters, ListSource, Measure, Property, TextEdge};
use crate::bound::interval::{Interval, IntervalEnd};
use crate::bound::pattern;
use crate::bound::relations::{is_across, is_additive, may_cross_unit_end};
use crate::functions::hooks::{Call, Derived, LetterChange};
use crate::functions::{Func, count_of};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{CompareOp, Node, Tree};
use crate::value::Value;
use ifs_text::case::is_lower;
use ifs_text::python::{is_space, simple_fold, strip};
use ifs_text::{Shape, Text, Unit, letters_of_language};

/// How many letters of a row of cells are remembered.
const MAX_CELLS: usize = 16;

impl CheckReader<'_> {
    /// Facts about exactly this text; unless `exact`, also about texts that differ by case and
    /// outer blanks.
    pub(super) fn facts_of_literal(&self, tree: &Tree, whole: &str, exact: bool) -> Vec<Fact> {
        let read = Text::new(whole);
        if !read.is_plain() {
            return vec![self.fact(tree, Property::Whole(folded(strip(whole))))];
        }
        let units = [Unit::Letter, Unit::Word, Unit::WordPattern, Unit::Line, Unit::Paragraph];
        let cased = [Unit::Char, Unit::Sentence].into_iter().filter(|_| exact);
        let count = |unit| i64::try_from(read.count(unit)).unwrap_or(i64::MAX);
        let mut facts: Vec<Fact> = units
            .into_iter()
            .chain(cased)
            // A number is a word without a letter, a row of stars a line without a sentence: unlike
            // prose.
            .filter(|unit| count(*unit) > 0 || strip(whole).is_empty())
            .map(|unit| {
                let interval = Interval::exactly(Number::Int(count(unit)));
                self.fact(tree, Property::Measured(Measure::Count(unit), interval))
            })
            .collect();
        facts.push(self.fact(tree, Property::Whole(folded(strip(whole)))));
        if exact {
            let is = Property::Is(applied_to_text(Func::IS_LOWER), Value::Bool(is_lower(whole)));
            facts.push(self.fact(tree, is));
        } else {
            facts.push(self.few_sentences(tree, whole, &read));
        }
        facts.extend(pattern::any_case(whole).map(|class| self.fact(tree, Property::Only(class))));
        facts
    }

    /// Facts about a text that equals this one in capitals, ignoring outer blanks: `ß` becomes two
    /// letters.
    pub(super) fn nothing_but_upper(&self, tree: &Tree, whole: &str) -> Vec<Fact> {
        let longer: Vec<char> = pattern::EXPANDING_LETTERS
            .into_iter()
            .filter(|c| whole.contains(&c.to_uppercase().collect::<String>()))
            .collect();
        if longer.is_empty() {
            return self.facts_of_literal(tree, whole, false);
        }
        let read = Text::new(whole);
        let count = |unit| Number::Int(i64::try_from(read.count(unit)).unwrap_or(i64::MAX));
        let counted =
            |unit, interval| self.fact(tree, Property::Measured(Measure::Count(unit), interval));
        let same = [Unit::Word, Unit::WordPattern, Unit::Line, Unit::Paragraph];
        let mut facts: Vec<Fact> =
            same.into_iter().map(|unit| counted(unit, Interval::exactly(count(unit)))).collect();
        facts.push(counted(Unit::Letter, Interval::at_most(count(Unit::Letter))));
        facts.push(self.few_sentences(tree, whole, &read));
        let class = pattern::in_any_case(whole.chars().chain(longer).chain(SPACES));
        facts.extend(class.map(|class| self.fact(tree, Property::Only(class))));
        facts
    }

    /// A sentence ends with a mark or with its line.
    fn few_sentences(&self, tree: &Tree, whole: &str, read: &Text<'_>) -> Fact {
        let mark = |c: &char| !c.is_alphanumeric() && !is_space(*c);
        let most = whole.chars().filter(mark).count() + read.count(Unit::Line);
        let most = Interval::at_most(Number::Int(i64::try_from(most).unwrap_or(i64::MAX)));
        self.fact(tree, Property::Measured(Measure::Count(Unit::Sentence), most))
    }

    /// The only characters of a text from which parts are removed and something remains:
    /// `replace(/^\\W+|\\W+$/, "") == "so"`.
    pub(super) fn remaining_characters(
        &self,
        tree: &Tree,
        measure: &Tree,
        rest: &str,
    ) -> Option<Vec<Fact>> {
        let mut class = pattern::any_case(rest)?;
        let mut measure = measure;
        let (mut taken, mut outer) = (false, true);
        while let Node::Call(name, arguments) = &measure.node {
            match (name.derived, arguments.as_slice()) {
                (Derived::Same(LetterChange::Lower | LetterChange::Blanks), _) => {}
                (Derived::Replaced, [_, Tree { node: Node::Pattern(out), .. }, with])
                    if text(with) == Some("") =>
                {
                    let gone = pattern::matched(out)?;
                    outer &= pattern::is_outer(out) && pattern::has_no_words(&gone);
                    class.union(&gone);
                    taken = true;
                }
                _ => return None,
            }
            measure = arguments.first()?;
        }
        let whole = taken && matches!(measure.node, Node::It) && rest.is_ascii();
        if !whole {
            return None;
        }
        let mut facts = vec![self.fact(tree, Property::Only(class))];
        // If only the edges are removed, the rest is one substring with all words.
        if outer {
            let read = Text::new(rest);
            let words = i64::try_from(read.count(Unit::Word)).unwrap_or(i64::MAX);
            let most = |count| Interval::at_most(Number::Int(count));
            let words = Property::Measured(Measure::Count(Unit::Word), most(words));
            facts.push(self.fact(tree, words));
            if rest.chars().all(|c| c.is_ascii_alphanumeric() || " ',()-".contains(c)) {
                let one = Property::Measured(Measure::Count(Unit::Sentence), most(1));
                facts.push(self.fact(tree, one));
            }
        }
        Some(facts)
    }

    /// The reversed text has these letters. An `i` may come from the Turkish capital with a dot.
    pub(super) fn backwards(&self, tree: &Tree, part: &str) -> Vec<Fact> {
        let letters: BTreeSet<char> = part
            .chars()
            .filter(char::is_ascii_alphabetic)
            .map(simple_fold)
            .filter(|c| *c != 'i')
            .collect();
        let once = Interval::at_least(Number::Int(1));
        letters
            .into_iter()
            .map(|letter| {
                let measure = needle_measure(SearchKind::Letter, &letter.to_string());
                // An accent may be a character of its own.
                self.likely(tree, Property::Measured(measure, once))
            })
            .collect()
    }

    /// The words of the text are these, whatever blanks are between them.
    pub(super) fn exact_words(&self, tree: &Tree, words: &str) -> Vec<Fact> {
        let read = Text::new(words);
        let mut facts = Vec::new();
        // At the start of a line a number may be that of an item.
        let is_said = read.is_plain() && !words.contains(char::is_numeric);
        let units = [Unit::Word, Unit::WordPattern, Unit::WordSpace].into_iter();
        for unit in units.filter(|unit| is_said || !unit.is_of_content()) {
            let places = read.units(unit);
            let many = i64::try_from(places.len()).unwrap_or(i64::MAX);
            let exactly = Interval::exactly(Number::Int(many));
            facts.push(self.fact(tree, Property::Measured(Measure::Count(unit), exactly)));
            for (at, place) in places.iter().enumerate().take(8) {
                let Some(word) = words.get(place.clone()) else { continue };
                let at = i64::try_from(at).unwrap_or(i64::MAX).saturating_add(1);
                let inner = self.facts_of_literal(tree, word, false);
                facts
                    .push(self.fact(tree, Property::One(ListSource::Units(unit), Some(at), inner)));
            }
        }
        facts.extend(pattern::any_case(words).map(|class| self.fact(tree, Property::Only(class))));
        facts
    }

    /// Facts about a text in a language: it has letters, some of them of its script.
    pub(crate) fn written_in(&self, tree: &Tree, language: &str) -> Vec<Fact> {
        let letters = letters_of_language(language).iter();
        let letters = letters.map(|(first, last)| ClassUnicodeRange::new(*first, *last));
        // In JSON they may be escaped.
        vec![self.has_letter(tree), self.likely(tree, Property::Has(ClassUnicode::new(letters)))]
    }

    fn has_letter(&self, tree: &Tree) -> Fact {
        let one = Interval::at_least(Number::Int(1));
        self.fact(tree, Property::Measured(Measure::Count(Unit::Letter), one))
    }

    /// What a comparison with the value of `language` implies. With a default (`language(it,
    /// "en")`), the language may also be undetermined.
    pub(super) fn compared_language(
        &self,
        tree: &Tree,
        op: CompareOp,
        measure: &Tree,
        value: &Value,
    ) -> Option<Alternatives> {
        let Node::Call(name, arguments) = &measure.node else { return None };
        let [subject, otherwise] = arguments.as_slice() else { return None };
        if !name.is_language || !matches!(subject.node, Node::It) {
            return None;
        }
        let is = |value: Value| {
            let mut facts =
                vec![self.fact(tree, Property::Is(applied_to_text(*name), value.clone()))];
            match &value {
                Value::Text(code) if *name == Func::LANGUAGE => {
                    facts.extend(self.written_in(tree, code));
                }
                // Without a letter there is no language.
                Value::Text(_) => facts.push(self.has_letter(tree)),
                _ => {}
            }
            vec![facts]
        };
        match (op, &otherwise.node) {
            (CompareOp::Equal, Node::Value(other)) if other != value => Some(is(value.clone())),
            (CompareOp::Equal, _) => Some(disjunction(is(value.clone()), is(Value::Nothing))),
            (CompareOp::NotEqual, _) => {
                Some(self.single_fact(tree, Property::IsNot(applied_to_text(*name), value.clone())))
            }
            _ => None,
        }
    }

    /// A value that exists only if the response is JSON, and a field only in an object.
    pub(crate) fn json_facts(&self, tree: &Tree, measure: &Tree) -> Vec<Fact> {
        let Some((field, list)) = of_json(measure) else { return Vec::new() };
        let mut facts = vec![self.fact(tree, Property::Shape(Shape::Json))];
        // A small letter of a field's name occurs unchanged, or after `\u`.
        if small_letters_of_fields(measure) {
            facts.push(self.fact(tree, Property::HasLower(Letters::Ascii)));
        }
        // Texts and numbers have neither fields nor members.
        if field || list {
            facts.extend(
                pattern::class(r"[{\[`]").map(|class| self.fact(tree, Property::StartsIn(class))),
            );
        }
        for (mark, there) in [("{", field), ("}", field), ("[", list), ("]", list)] {
            if there {
                facts.extend(self.occurs(tree, SearchKind::Text, mark, true).into_iter().flatten());
            }
        }
        facts
    }

    /// The letters and digits of a text whose row has these cells. Not the cells unchanged: a
    /// quotation mark may be in the middle of one.
    pub(super) fn row_is(&self, tree: &Tree, row: &Tree, values: &[Value]) -> Vec<Fact> {
        let Node::Index(rows, _) = &row.node else { return Vec::new() };
        if !matches!(&rows.node, Node::Call(name, _) if name.derived == Derived::Rows) {
            return Vec::new();
        }
        let letters: BTreeSet<char> = values
            .iter()
            .filter_map(Value::as_str)
            .flat_map(str::chars)
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let one = |c: char| Property::Has(ClassUnicode::new([ClassUnicodeRange::new(c, c)]));
        letters.into_iter().take(MAX_CELLS).map(|c| self.fact(tree, one(c))).collect()
    }

    /// Each of these has its own marks.
    pub(super) fn marks(&self, tree: &Tree, unit: Unit, least: i64) -> Vec<Fact> {
        let marked = self.marked(tree, unit, least);
        // The row below the header has only dashes.
        let dashes = match unit {
            Unit::Table => least,
            Unit::TableRow => least.min(1),
            _ => 0,
        };
        let dashes = (dashes >= 1).then(|| {
            let many = Interval::at_least(Number::Int(dashes));
            self.likely(tree, Property::Measured(needle_measure(SearchKind::Text, "-"), many))
        });
        marked.into_iter().chain(dashes).collect()
    }

    fn marked(&self, tree: &Tree, unit: Unit, least: i64) -> Option<Fact> {
        let (mark, times, more) = match unit {
            Unit::Placeholder | Unit::PlaceholderReleased => ("[", 1, 0),
            Unit::Highlight | Unit::HighlightItalic => ("*", 2, 0),
            Unit::HighlightBold => ("*", 4, 0),
            // A header and the row below it.
            Unit::Table => ("|", 2, 0),
            Unit::TableRow => ("|", 1, 2),
            _ => return None,
        };
        let least = least.checked_mul(times).filter(|least| *least >= 1)?.checked_add(more)?;
        let many = Interval::at_least(Number::Int(least));
        let marks = Property::Measured(needle_measure(SearchKind::Text, mark), many);
        // Highlights may be between underscores, and tables within JSON.
        let is_certain = !unit.is_of_content() && unit != Unit::Highlight;
        Some(if is_certain { self.fact(tree, marks) } else { self.likely(tree, marks) })
    }

    /// What follows from a count or a sum over a list, for the list or for the entire text.
    pub(super) fn part_facts(&self, tree: &Tree, measure: &Tree, interval: Interval) -> Vec<Fact> {
        let Node::Call(func, arguments) = &measure.node else { return Vec::new() };
        let call = Call { tree: measure, func: *func, arguments };
        func.spreads.map_or_else(Vec::new, |spreads| spreads(self, tree, &call, interval))
    }

    /// What follows from the number of members or occurrences.
    pub(crate) fn of_count(&self, tree: &Tree, call: &Call<'_>, interval: Interval) -> Vec<Fact> {
        let Some(list) = call.arg(0) else { return Vec::new() };
        let least = interval.low_int().filter(|least| *least >= 1);
        match (&list.node, least) {
            (Node::Pattern(pattern), Some(_)) => {
                let found = pattern::facts(pattern).into_iter();
                return found.map(|property| self.written(tree, property)).collect();
            }
            (Node::Within(sought, text), Some(_)) if matches!(text.node, Node::It) => {
                return self.at_least_as_many(tree, sought, interval.low);
            }
            _ => {}
        }
        if let Some(found) = self.of_length(tree, call, interval) {
            return found;
        }
        // Between the members of a list in JSON there are commas.
        match least {
            Some(least @ 2..) if of_json(list).is_some() => {
                let commas = Interval::at_least(Number::Int(least - 1));
                vec![
                    self.fact(
                        tree,
                        Property::Measured(needle_measure(SearchKind::Text, ","), commas),
                    ),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// What follows from the length of a list; `None` if nothing is known.
    pub(crate) fn of_length(
        &self,
        tree: &Tree,
        call: &Call<'_>,
        interval: Interval,
    ) -> Option<Vec<Fact>> {
        let list = call.arg(0)?;
        let least = interval.low_int().filter(|least| *least >= 1);
        Some(match (&list.node, least) {
            // A list has at least as many members as any part of it.
            (Node::Where(list, condition), _) => {
                let mut facts = self.member_count_facts(tree, list, condition, interval);
                if least.is_some() {
                    facts.extend(self.at_least_as_many(tree, list, interval.low));
                }
                facts
            }
            (Node::Each(list, _), Some(_)) => self.at_least_as_many(tree, list, interval.low),
            (Node::Call(name, inner), _) if name.derived == Derived::Distinct => {
                let Some(list) = inner.first() else { return Some(Vec::new()) };
                let mut facts = match least {
                    Some(_) => self.at_least_as_many(tree, list, interval.low),
                    None => Vec::new(),
                };
                // `count(distinct(/[aeiou]/i in it)) <= 3`
                if let (Node::Within(sought, text), Some(most)) = (&list.node, interval.high_int())
                    && let (Node::Pattern(pattern), Node::It) = (&sought.node, &text.node)
                    && let Some(class) = pattern::one_of(pattern)
                {
                    facts.push(self.fact(tree, Property::Few(class, most)));
                }
                facts
            }
            // `count(word in sentence[1])`
            (Node::Units(unit, Some(subject)), Some(_))
                if matches!(subject.node, Node::Index(..)) =>
            {
                let units = Tree::new(Node::Units(*unit, None), list.span);
                let count = Tree::new(Node::Call(call.func, vec![units]), call.tree.span);
                only_alternative(self.read_inside(
                    tree,
                    subject,
                    self.bounded_by(tree, &count, interval),
                ))
            }
            (Node::Within(units, subject), Some(_))
                if matches!(units.node, Node::Units(_, None))
                    && matches!(subject.node, Node::Index(..)) =>
            {
                let count = Node::Call(call.func, vec![(**units).clone()]);
                let count = Tree::new(count, call.tree.span);
                only_alternative(self.read_inside(
                    tree,
                    subject,
                    self.bounded_by(tree, &count, interval),
                ))
            }
            // A split has one part more than there are separators.
            (Node::Call(name, inner), _)
                if name.derived == Derived::Split && {
                    matches!(inner.as_slice(), [Tree { node: Node::It, .. }, at]
                    if text(at).is_some_and(|at| !at.is_empty()))
                } =>
            {
                let at = inner.get(1).and_then(text).unwrap_or_default();
                let times = interval.map(|end| end.minus(Number::Int(1)));
                vec![
                    self.fact(
                        tree,
                        Property::Measured(needle_measure(SearchKind::Text, at), times),
                    ),
                ]
            }
            // There is a separator.
            (Node::Call(name, inner), Some(2..)) if name.derived == Derived::Split => {
                match inner.as_slice() {
                    [Tree { node: Node::It, .. }, Tree { node: Node::Pattern(at), .. }] => {
                        let found = pattern::facts(at).into_iter();
                        found.map(|property| self.written(tree, property)).collect()
                    }
                    _ => Vec::new(),
                }
            }
            _ => return None,
        })
    }

    /// What follows from a sum over a list.
    pub(crate) fn facts_of_sum(
        &self,
        tree: &Tree,
        call: &Call<'_>,
        interval: Interval,
    ) -> Vec<Fact> {
        let Some(Node::Each(list, body)) = call.arg(0).map(|list| &list.node) else {
            return Vec::new();
        };
        let least = interval.low_int().filter(|least| *least >= 1);
        match (members(list), measure_of(body), least) {
            // Each sentence is in one paragraph.
            (Some(ListSource::Units(Unit::Paragraph)), all @ Measure::Count(Unit::Sentence), _) => {
                vec![self.fact(tree, Property::Measured(all, interval))]
            }
            // The sum over all parts is the count in the text.
            (Some(ListSource::Units(unit)), all @ Measure::Count(small), Some(least))
                if is_additive(unit, small) =>
            {
                let low = Interval::at_least(Number::Int(least));
                let in_prose = is_across(unit, small) || may_cross_unit_end(unit, small);
                vec![Fact { in_prose, ..self.fact(tree, Property::Measured(all, low)) }]
            }
            _ => Vec::new(),
        }
    }

    /// What follows from the maximum or minimum of a list, which bounds all members.
    pub(crate) fn of_extreme(&self, tree: &Tree, call: &Call<'_>, bound: Interval) -> Vec<Fact> {
        let it = Tree::new(Node::It, call.tree.span);
        match call.arg(0).map(|list| (list, &list.node)) {
            Some((list, Node::Units(..))) => {
                self.of_each(tree, list, only_alternative(self.bounded_by(tree, &it, bound)))
            }
            Some((_, Node::Each(list, body))) => {
                self.of_each(tree, list, only_alternative(self.bounded_by(tree, body, bound)))
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn at_least_as_many(
        &self,
        tree: &Tree,
        list: &Tree,
        low: Option<IntervalEnd>,
    ) -> Vec<Fact> {
        let count = count_of(list.clone());
        let all = self.bounded_by(tree, &count, Interval { low, high: None });
        all.into_iter().next().unwrap_or_default()
    }

    pub(super) fn of_each(&self, tree: &Tree, list: &Tree, inner: Vec<Fact>) -> Vec<Fact> {
        match members(list) {
            Some(members) => vec![self.fact(tree, Property::Each(members, inner))],
            None => Vec::new(),
        }
    }

    /// Facts about a text whose lower-case form starts or ends like this: its start and end, in
    /// either case.
    pub(super) fn lowered(&self, body: Alternatives) -> Alternatives {
        let Ok([facts]) = <[Vec<Fact>; 1]>::try_from(body) else { return no_facts() };
        facts.into_iter().fold(no_facts(), |all, fact| {
            let side = match &fact.property {
                Property::Starts(TextEdge::Exact(text)) => {
                    (text.chars().next(), Property::Starts as fn(_) -> _)
                }
                Property::Ends(TextEdge::Exact(text)) => {
                    (text.chars().next_back(), Property::Ends as fn(_) -> _)
                }
                _ => return all,
            };
            // Others than these become two characters, or come from other scripts.
            let (Some(c), edge) = side else { return all };
            if !c.is_ascii() || matches!(c, 'i' | 'k') {
                return all;
            }
            let exactly =
                |c: char| Fact { property: edge(TextEdge::Exact(c.to_string())), ..fact.clone() };
            let upper = c.to_ascii_uppercase();
            let either = match upper == c {
                true => vec![vec![exactly(c)]],
                false => vec![vec![exactly(c)], vec![exactly(upper)]],
            };
            conjunction(all, either)
        })
    }
}

/// The transformation of a measure that is the entire text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextTransformation {
    Not,
    /// Without the blanks around it, or in small letters.
    Lower,
    Upper,
}

/// Whether a measure is the entire text: unchanged, or without case or outer blanks.
pub(super) fn whole_text(measure: &Tree) -> Option<TextTransformation> {
    match &measure.node {
        Node::It => Some(TextTransformation::Not),
        Node::Call(name, arguments) => {
            let inner = || whole_text(arguments.first()?);
            match name.derived {
                Derived::Same(LetterChange::Upper) => inner().map(|_| TextTransformation::Upper),
                Derived::Same(LetterChange::Lower | LetterChange::Blanks) => {
                    inner().map(|inner| match inner {
                        TextTransformation::Upper => TextTransformation::Upper,
                        _ => TextTransformation::Lower,
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a value is extracted from the response as JSON; whether from a field, and from a list.
pub(super) fn of_json(tree: &Tree) -> Option<(bool, bool)> {
    match &tree.node {
        Node::Call(name, arguments) => match (*name, arguments.as_slice()) {
            (func, [Tree { node: Node::It, .. }, ..]) if func.derived == Derived::JsonValue => {
                Some((false, false))
            }
            (func, [inner, ..]) if func.keeps_origin => of_json(inner),
            _ => None,
        },
        Node::Field(inner, _) => of_json(inner).map(|(_, list)| (true, list)),
        Node::Index(inner, _) => of_json(inner).map(|(field, _)| (field, true)),
        Node::Negative(inner) => of_json(inner),
        _ => None,
    }
}

fn small_letters_of_fields(tree: &Tree) -> bool {
    match &tree.node {
        Node::Field(inner, name) => {
            name.contains(|c: char| c.is_ascii_lowercase()) || small_letters_of_fields(inner)
        }
        Node::Call(_, arguments) => arguments.first().is_some_and(small_letters_of_fields),
        Node::Index(inner, _) | Node::Negative(inner) => small_letters_of_fields(inner),
        _ => false,
    }
}

/// The facts of a check with one alternative.
fn only_alternative(alternatives: Alternatives) -> Vec<Fact> {
    <[Vec<Fact>; 1]>::try_from(alternatives).map(|[facts]| facts).unwrap_or_default()
}
