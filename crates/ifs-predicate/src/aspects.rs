//! What a check notices of the form of the text that it is about: the union over its tree, after
//! its known parts were evaluated.
//!
//! A form of a text that changes nothing of this must not change the verdict of the check. So what
//! is named here without need hides faults of checks, and what is left out accuses right ones;
//! `tests/suite/aspects.rs` holds both against texts.

use super::evaluate::Variables;
use super::functions::{Func, Sees};
use super::needles::SearchKind;
use super::partial_eval::simplified;
use super::tree::{Node, Pattern, Quantified, Quantifier, Tree};
use super::value::Value;
use ifs_text::{Aspect, Aspects, Unit, compiled_regex};

/// The aspects of the current text that a check notices. `known` are the values of the turn, and
/// `parts` the names of parts of the text, each with what its extraction notices.
pub fn aspects(tree: &Tree, known: &dyn Variables, parts: &[(&str, Aspects)]) -> Aspects {
    let names = parts.iter().map(|(name, seen)| ((*name).to_owned(), Seen::piece(*seen)));
    let folder =
        AspectFold { names: names.collect(), it: Seen::new(Aspects::NONE, ReadValue::Whole) };
    folder.fold(&simplified(tree, known)).of_value()
}

/// What the value of an expression is.
#[derive(Clone, Debug, PartialEq)]
enum ReadValue {
    /// A value that depends on no text.
    Known(Option<Value>),
    /// The text, possibly in other letters.
    Whole,
    /// A part of the text: one of these units, if it is known.
    Piece(Option<Unit>),
    /// Parts of the text: all of a unit, if it is known.
    Pieces(Option<Unit>),
    /// The occurrences of something in the text.
    Occurrences,
    /// A number, a truth value, or anything else that was made of it.
    Other,
}

/// What an expression notices of the text, and what its value is.
#[derive(Clone, Debug)]
struct Seen {
    aspects: Aspects,
    kind: ReadValue,
}

impl Seen {
    fn new(aspects: Aspects, kind: ReadValue) -> Seen {
        Seen { aspects, kind }
    }

    fn piece(aspects: Aspects) -> Seen {
        Seen::new(aspects, ReadValue::Piece(None))
    }

    fn is_known(&self) -> bool {
        matches!(self.kind, ReadValue::Known(_))
    }

    /// What follows if the value is compared as it is.
    fn of_value(&self) -> Aspects {
        match &self.kind {
            ReadValue::Known(_) | ReadValue::Other => self.aspects,
            ReadValue::Whole => Aspects::ALL,
            ReadValue::Piece(unit) => self.aspects | letters_of(*unit),
            ReadValue::Pieces(unit) => self.of_each() | letters_of(*unit),
            ReadValue::Occurrences => self.aspects,
        }
    }

    /// What follows if its members, or its characters, are counted.
    fn of_number(&self) -> Aspects {
        let counted = match &self.kind {
            ReadValue::Known(_) | ReadValue::Other | ReadValue::Occurrences => Aspects::NONE,
            ReadValue::Whole => Unit::Char.sees() | IN_PROSE,
            ReadValue::Piece(_) => Unit::Char.sees(),
            ReadValue::Pieces(Some(unit)) => unit.sees(),
            ReadValue::Pieces(None) => Aspect::Lines.set(),
        };
        self.aspects | counted
    }

    /// What follows if each member is checked.
    fn of_each(&self) -> Aspects {
        let every = match &self.kind {
            ReadValue::Pieces(Some(unit)) if !unit.is_in_prose() => Aspects::NONE,
            ReadValue::Known(_) => Aspects::NONE,
            _ => Aspect::Every.set(),
        };
        self.of_number() | every
    }

    /// What follows if it is enough that one member is as expected: more of them change nothing.
    fn of_some(&self) -> Aspects {
        let unit = match &self.kind {
            ReadValue::Pieces(Some(unit)) => unit.sees().without(AMOUNTS),
            _ => Aspects::NONE,
        };
        self.aspects | unit
    }
}

/// What changes with any text that is added.
const AMOUNTS: Aspects =
    Aspects::of(&[Aspect::Characters, Aspect::Words, Aspect::Sentences, Aspect::Lines]);
const IN_PROSE: Aspects = AMOUNTS.and(Aspects::of(&[
    Aspect::Letters,
    Aspect::Signs,
    Aspect::Marks,
    Aspect::Format,
    Aspect::Values,
]));
const EDGES: Aspects = Aspects::of(&[Aspect::Start, Aspect::End]);

/// What follows if a piece of the text has to be equal to something. Words have no marks.
fn letters_of(unit: Option<Unit>) -> Aspects {
    match unit {
        Some(Unit::Word | Unit::WordIcu | Unit::Number | Unit::Date | Unit::Emoji) => Aspects::NONE,
        Some(Unit::Letter | Unit::Grapheme) => Aspects::NONE,
        Some(unit) => Aspects::of(&[
            Aspect::Characters,
            Aspect::Case,
            Aspect::Signs,
            Aspect::Glyphs,
            Aspect::Marks,
            Aspect::Code,
            Aspect::Values,
        ])
        .and(unit.sees().without(AMOUNTS)),
        None => Aspects::of(&[
            Aspect::Characters,
            Aspect::Case,
            Aspect::Signs,
            Aspect::Glyphs,
            Aspect::Marks,
            Aspect::Code,
            Aspect::Values,
        ]),
    }
}

/// Folds the trees of one scope.
#[derive(Clone)]
struct AspectFold {
    names: Vec<(String, Seen)>,
    it: Seen,
}

impl AspectFold {
    fn about(&self, it: Seen) -> AspectFold {
        AspectFold { names: self.names.clone(), it }
    }

    fn fold(&self, tree: &Tree) -> Seen {
        match &tree.node {
            Node::Value(value) => Seen::new(Aspects::NONE, ReadValue::Known(Some(value.clone()))),
            Node::Fact(_) => Seen::new(Aspects::NONE, ReadValue::Known(None)),
            Node::It => self.it.clone(),
            Node::Var(name) => match self.names.iter().rev().find(|(known, _)| known == name) {
                Some((_, seen)) => seen.clone(),
                None => Seen::new(Aspects::NONE, ReadValue::Known(None)),
            },
            Node::Units(unit, text) => self.units(*unit, text.as_deref()),
            Node::Needle(kind, value) => {
                let value = self.fold(value);
                let sought = match &value.kind {
                    ReadValue::Known(Some(Value::Text(text))) => needle(*kind, text),
                    _ => Aspects::NONE,
                };
                Seen::new(self.it.aspects | value.aspects | sought, ReadValue::Occurrences)
            }
            Node::Pattern(pattern) => {
                Seen::new(self.it.aspects | regex(pattern), ReadValue::Occurrences)
            }
            Node::Call(func, arguments) => self.call(*func, arguments),
            Node::Compare(_, left, right) | Node::Within(left, right) => self.pair(left, right),
            Node::Index(list, at) => self.index(list, at),
            Node::Where(list, condition) => {
                let list = self.fold(list);
                let inside = self.about(self.member(&list)).fold(condition);
                Seen::new(list.aspects | inside.of_value(), list.kind)
            }
            Node::Each(list, value) => {
                let list = self.fold(list);
                let inside = self.about(self.member(&list)).fold(value);
                if list.is_known() && inside.is_known() {
                    return Seen::new(Aspects::NONE, ReadValue::Known(None));
                }
                // The members of the new list are as many as those of the old one.
                let aspects = list.of_number() | inside.of_value();
                let unit = match &list.kind {
                    ReadValue::Pieces(unit) => *unit,
                    _ => None,
                };
                Seen::new(aspects, ReadValue::Pieces(unit))
            }
            Node::Quantified(quantified) => self.quantified(quantified),
            Node::At(text, body) => {
                let text = self.fold(text);
                self.about(text).fold(body)
            }
            Node::Applied(applied) => self.applied(applied),
            Node::Field(record, _) => {
                let record = self.fold(record);
                match record.kind {
                    ReadValue::Known(_) => Seen::new(record.aspects, ReadValue::Known(None)),
                    _ => Seen::new(record.aspects, ReadValue::Other),
                }
            }
            Node::If(..)
            | Node::And(_)
            | Node::Or(_)
            | Node::Not(_)
            | Node::Negative(_)
            | Node::Arithmetic(..)
            | Node::Range { .. }
            | Node::List(_)
            | Node::Record(_) => self.union(tree.children()),
        }
    }

    /// What is made of several values.
    fn union(&self, trees: Vec<&Tree>) -> Seen {
        let all: Vec<Seen> = trees.into_iter().map(|tree| self.fold(tree)).collect();
        if all.iter().all(Seen::is_known) {
            return Seen::new(Aspects::NONE, ReadValue::Known(None));
        }
        let aspects = all.iter().fold(Aspects::NONE, |sum, seen| sum | seen.of_value());
        Seen::new(aspects, ReadValue::Other)
    }

    fn units(&self, unit: Unit, text: Option<&Tree>) -> Seen {
        let text = text.map_or_else(|| self.it.clone(), |text| self.fold(text));
        match text.kind {
            ReadValue::Known(_) => Seen::new(Aspects::NONE, ReadValue::Known(None)),
            _ => Seen::new(text.aspects, ReadValue::Pieces(Some(unit))),
        }
    }

    /// A member of a list.
    fn member(&self, list: &Seen) -> Seen {
        match &list.kind {
            ReadValue::Known(_) => Seen::new(Aspects::NONE, ReadValue::Known(None)),
            ReadValue::Pieces(unit) => Seen::new(Aspects::NONE, ReadValue::Piece(*unit)),
            ReadValue::Whole | ReadValue::Piece(_) | ReadValue::Occurrences | ReadValue::Other => {
                Seen::new(Aspects::NONE, ReadValue::Piece(None))
            }
        }
    }

    fn index(&self, list: &Tree, at: &Tree) -> Seen {
        let (list, at) = (self.fold(list), self.fold(at));
        if list.is_known() && at.is_known() {
            return Seen::new(Aspects::NONE, ReadValue::Known(None));
        }
        let place = match &at.kind {
            ReadValue::Known(Some(Value::Int(1))) => Aspect::Start.set(),
            ReadValue::Known(Some(Value::Int(-1))) => Aspect::End.set(),
            ReadValue::Known(Some(Value::Int(number))) if *number > 0 => {
                Aspect::Start.set() | list.of_number()
            }
            _ => EDGES | list.of_number(),
        };
        let aspects = list.of_some() | at.aspects | place;
        match list.kind {
            ReadValue::Pieces(unit) => Seen::new(aspects, ReadValue::Piece(unit)),
            _ => Seen::piece(aspects),
        }
    }

    /// What a comparison of two values notices, or a test whether one is in the other.
    fn pair(&self, left: &Tree, right: &Tree) -> Seen {
        let (one, other) = (self.fold(left), self.fold(right));
        if one.is_known() && other.is_known() {
            return Seen::new(Aspects::NONE, ReadValue::Known(None));
        }
        // Something sought in a text is what the text has of it.
        if matches!(one.kind, ReadValue::Occurrences)
            && matches!(other.kind, ReadValue::Whole | ReadValue::Piece(_))
        {
            return Seen::new(one.aspects | other.aspects, ReadValue::Occurrences);
        }
        Seen::new(one.of_value() | other.of_value(), ReadValue::Other)
    }

    fn quantified(&self, quantified: &Quantified) -> Seen {
        let domain = self.fold(&quantified.domain);
        let member = self.member(&domain);
        let body = match &quantified.binder {
            Some(name) => {
                let mut inside = self.clone();
                inside.names.push((name.clone(), member));
                inside.fold(&quantified.body)
            }
            None => self.about(member).fold(&quantified.body),
        };
        if domain.is_known() && body.is_known() {
            return Seen::new(Aspects::NONE, ReadValue::Known(None));
        }
        let (members, count) = match &quantified.quantifier {
            Quantifier::Some => (domain.of_some(), Aspects::NONE),
            Quantifier::AtLeast(count) => (domain.of_some(), self.fold(count).of_value()),
            Quantifier::Every | Quantifier::No => (domain.of_each(), Aspects::NONE),
            Quantifier::AtMost(count) | Quantifier::Exactly(count) => {
                (domain.of_each(), self.fold(count).of_value())
            }
        };
        Seen::new(members | count | body.of_value(), ReadValue::Other)
    }

    fn call(&self, func: Func, arguments: &[Tree]) -> Seen {
        let seen: Vec<Seen> = arguments.iter().map(|tree| self.fold(tree)).collect();
        // What has its own `it` in a key is about a member of the list.
        let first =
            seen.first().cloned().unwrap_or(Seen::new(Aspects::NONE, ReadValue::Known(None)));
        if seen.iter().all(Seen::is_known) && !func.counts_members() {
            return Seen::new(Aspects::NONE, ReadValue::Known(None));
        }
        let others = || seen.iter().skip(1).fold(Aspects::NONE, |sum, one| sum | one.of_value());
        let kind = result(func, &first, &seen);
        let aspects = match func.sees {
            Sees::All => Aspects::ALL,
            Sees::Arguments => {
                let all = seen.iter().fold(Aspects::NONE, |sum, one| sum | one.aspects);
                let changed = match kind {
                    ReadValue::Other => {
                        seen.iter().fold(Aspects::NONE, |sum, one| match one.kind {
                            ReadValue::Pieces(_) | ReadValue::Piece(_) => sum | one.of_value(),
                            _ => sum,
                        })
                    }
                    _ => Aspects::NONE,
                };
                all | changed
            }
            Sees::Also(own) => first.aspects | own | others(),
            Sees::Sought(own) => {
                let sought = seen.iter().skip(1).fold(Aspects::NONE, |sum, one| {
                    sum | match &one.kind {
                        ReadValue::Known(Some(Value::Text(text))) => needle(SearchKind::Text, text),
                        _ => one.aspects,
                    }
                });
                first.aspects | own | sought
            }
            Sees::Number => match &first.kind {
                ReadValue::Known(Some(Value::Text(text))) if func.counts_members() => {
                    self.it.aspects | needle(SearchKind::Text, text)
                }
                _ => first.of_number(),
            },
            Sees::Members => {
                let list = seen.iter().rev().find(|one| !one.is_known()).unwrap_or(&first);
                list.of_each() | others() | first.aspects
            }
        };
        Seen::new(aspects, kind)
    }

    /// An author's function: its body knows its own names alone.
    fn applied(&self, applied: &super::tree::Applied) -> Seen {
        let mut known: Vec<(String, Value)> = Vec::new();
        let nothing = Seen::new(Aspects::NONE, ReadValue::Known(None));
        let mut inside = AspectFold { names: Vec::new(), it: nothing };
        let bind = |name: &String, seen: Seen, known: &mut Vec<_>, inside: &mut AspectFold| {
            match seen.kind {
                ReadValue::Known(Some(value)) => known.push((name.clone(), value)),
                _ => inside.names.push((name.clone(), seen)),
            }
        };
        for (name, tree) in &applied.arguments {
            bind(name, self.fold(tree), &mut known, &mut inside);
        }
        for (name, tree) in applied.lets.iter() {
            let seen = inside.fold(&simplified(tree, &known));
            bind(name, seen, &mut known, &mut inside);
        }
        inside.fold(&simplified(&applied.body, &known))
    }
}

/// What the value of a call is.
fn result(func: Func, first: &Seen, seen: &[Seen]) -> ReadValue {
    use super::functions::ReturnType;
    let list = seen.iter().rev().find(|one| matches!(one.kind, ReadValue::Pieces(_)));
    let pieces = |list: Option<&Seen>| match list.map(|one| &one.kind) {
        Some(ReadValue::Pieces(unit)) => ReadValue::Pieces(*unit),
        _ => ReadValue::Pieces(None),
    };
    match func.returns {
        ReturnType::Text if func.sees == Sees::Arguments => match &first.kind {
            kind @ (ReadValue::Whole | ReadValue::Piece(_)) => kind.clone(),
            _ => ReadValue::Piece(None),
        },
        ReturnType::Text => ReadValue::Piece(None),
        ReturnType::Texts | ReturnType::Rows => ReadValue::Pieces(None),
        ReturnType::ListOf(_)
        | ReturnType::Same(_)
        | ReturnType::Groups
        | ReturnType::Numbered
        | ReturnType::Exchanges => pieces(list),
        ReturnType::Member(_) => ReadValue::Other,
        ReturnType::Bool
        | ReturnType::Int
        | ReturnType::Float
        | ReturnType::Ints
        | ReturnType::Any
        | ReturnType::Number(_) => ReadValue::Other,
    }
}

/// What a needle notices. One with letters is a word to a reader, whichever apostrophe or hyphen it
/// has inside; a sign alone is a sign, and any of its glyphs unless it is a special one.
fn needle(kind: SearchKind, text: &str) -> Aspects {
    if text.chars().any(char::is_alphanumeric) {
        return match kind {
            SearchKind::Letter => Aspects::of(&[Aspect::Letters, Aspect::Words, Aspect::Values]),
            SearchKind::Char => {
                Aspects::of(&[Aspect::Letters, Aspect::Words, Aspect::Code, Aspect::Values])
            }
            SearchKind::Regex => {
                compiled_regex(text, "").map_or(Aspects::ALL, |_| regex(&Pattern::new(text, "")))
            }
            SearchKind::Unit(unit) => unit.sees().without(AMOUNTS),
            SearchKind::KeywordReleased | SearchKind::PhraseReleased => Aspect::Code.set(),
            SearchKind::Keyword
            | SearchKind::Lemma
            | SearchKind::Phrase
            | SearchKind::Text
            | SearchKind::Word => Aspects::NONE,
        };
    }
    if let SearchKind::Unit(Unit::Emoji) = kind {
        return Aspects::NONE;
    }
    signs(text.chars())
}

/// What is noticed of signs that are sought for themselves.
fn signs(signs: impl Iterator<Item = char>) -> Aspects {
    signs.fold(Aspects::NONE, |sum, sign| {
        sum | match sign {
            '*' | '_' | '`' | '#' | '~' | '|' => Aspect::Marks.set(),
            '\n' | '\r' => Aspect::Lines.set(),
            sign if sign.is_whitespace() => Aspects::of(&[Aspect::Words, Aspect::Code]),
            sign if sign.is_ascii() => Aspect::Signs.set(),
            // An author who wants any dash or quotation mark writes that of the keyboard.
            sign if is_of_kinds(sign) => Aspects::of(&[Aspect::Signs, Aspect::Glyphs]),
            _ => Aspects::NONE,
        }
    })
}

/// Whether a character is one of several forms of a sign.
fn is_of_kinds(sign: char) -> bool {
    matches!(sign, '\u{2010}'..='\u{206f}' | '«' | '»' | '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

/// What a regular expression notices.
fn regex(pattern: &Pattern) -> Aspects {
    use regex_syntax::hir::{Hir, HirKind, Look};
    fn visit(hir: &Hir, lines: bool) -> Aspects {
        match hir.kind() {
            HirKind::Empty => Aspects::NONE,
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                // Signs between letters belong to a word.
                let bare = text.trim_matches(char::is_alphanumeric);
                match text.chars().any(char::is_alphanumeric) {
                    true if bare.len() < text.len() && text.len() > 1 => outer_signs(&text),
                    true => Aspects::NONE,
                    false => signs(text.chars()),
                }
            }
            HirKind::Class(class) => members(class),
            HirKind::Look(look) => match look {
                Look::Start if !lines => Aspect::Start.set(),
                Look::End if !lines => Aspect::End.set(),
                Look::Start | Look::End => EDGES,
                Look::StartLF | Look::StartCRLF | Look::EndLF | Look::EndCRLF => {
                    Aspects::of(&[Aspect::Lines, Aspect::Marks])
                }
                _ => Aspects::NONE,
            },
            HirKind::Repetition(repetition) => visit(&repetition.sub, lines),
            HirKind::Capture(capture) => visit(&capture.sub, lines),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => {
                parts.iter().fold(Aspects::NONE, |sum, part| sum | visit(part, lines))
            }
        }
    }
    let Some(hir) = pattern.hir() else { return Aspects::ALL };
    let seen = visit(&hir, false);
    // What matches any words counts those of any text that is added.
    let any = pattern.regex().is_some_and(|regex| PLAIN.iter().any(|text| regex.is_match(text)));
    if any { seen | IN_PROSE | Aspect::Every.set() | Aspect::Case.set() } else { seen }
}

/// What a class of characters notices. Both cases of a letter are one letter; a large class
/// depends on how letters are encoded.
fn members(class: &regex_syntax::hir::Class) -> Aspects {
    use regex_syntax::hir::Class;
    let Class::Unicode(class) = class else { return Aspect::Code.set() };
    let chars: Vec<char> =
        class.iter().flat_map(|range| range.start()..=range.end()).take(MAX_CLASS + 1).collect();
    match chars.len() <= MAX_CLASS {
        true => signs(chars.into_iter().filter(|sign| !sign.is_alphanumeric())),
        false => Aspect::Code.set(),
    }
}

/// The most members of a class that are listed one by one.
const MAX_CLASS: usize = 24;

/// Words that no check is about.
const PLAIN: [&str; 2] = ["tavo relin su kemo", "Tavo relin. Su kemo."];

/// The signs of a literal that have no letter or digit on both sides.
fn outer_signs(text: &str) -> Aspects {
    let chars: Vec<char> = text.chars().collect();
    let is_part = |at: Option<usize>| {
        at.and_then(|at| chars.get(at)).is_some_and(|letter| letter.is_alphanumeric())
    };
    let outer = chars.iter().enumerate().filter(|(at, sign)| {
        !(sign.is_alphanumeric() || is_part(at.checked_sub(1)) && is_part(Some(at + 1)))
    });
    signs(outer.map(|(_, sign)| *sign))
}

#[cfg(test)]
mod tests {
    use super::aspects;
    use crate::test_parser::tree;
    use ifs_text::{Aspect, Aspects};

    /// What each check notices, as it is printed.
    #[test]
    fn checks_notice_what_they_are_about() {
        for (check, seen) in [
            ("contains(word \"like\")", "nothing"),
            ("not contains(phrase \"don't\")", "nothing"),
            ("contains(\"don't\")", "nothing"),
            ("contains(/don't/)", "nothing"),
            ("contains(\"“\")", "signs, glyphs"),
            ("contains(\"\\\"\")", "signs"),
            ("count(\"?\") == 1", "signs"),
            ("count(text \"*\") == 0", "marks"),
            ("ends_with(\"?\")", "end, signs"),
            ("starts_with(emoji \"😀\")", "start"),
            ("starts_with(word \"the\")", "start"),
            ("matches(/^yes/i)", "start"),
            ("count(word) <= 20", "words, values"),
            ("count(sentence) in 2..=3", "sentences, lines"),
            ("count(item) == 3", "marks"),
            ("count(emoji) == 2", "nothing"),
            ("every sentence: count(word) <= 9", "words, sentences, lines, every unit, values"),
            ("some line: contains(word \"tide\")", "marks"),
            ("is_json", "format"),
            ("has_no_upper", "case"),
            (
                "language == \"en\"",
                "characters, case, signs, glyphs, marks, code points, language, values",
            ),
            ("similarity(\"the tide\") > 0.5", "everything"),
            ("it == \"Yes.\"", "everything"),
            ("lower(trim) == \"yes\"", "everything"),
            ("word[1] == \"Yes\"", "start, values"),
            ("count(word in word[1]) == 1", "start, words, every unit, values"),
        ] {
            let found = aspects(&tree(check), &(), &[]).to_string();
            assert_eq!(found, seen, "{check}");
        }
    }

    #[test]
    fn a_part_is_not_the_response() {
        let parts = [("slogans", Aspect::Marks.set())];
        let seen = aspects(&tree("len(slogans) == 5"), &(), &parts);
        assert!(seen.meets(Aspect::Marks.set()) && seen != Aspects::ALL, "{seen}");
        let seen = aspects(&tree("every s in slogans: count(word in s) <= 5"), &(), &parts);
        assert!(seen.meets(Aspect::Words.set()), "{seen}");
    }
}
