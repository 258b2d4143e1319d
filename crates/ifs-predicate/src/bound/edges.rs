//! Contradictions between what a text starts and ends with, its shape and its case.

use crate::functions::Func;
use crate::tree::{Node, Tree};
use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex_syntax::hir::ClassUnicode;

use super::classes::{class_contains, disjoint, folded, one_letter};
use super::fact::{Fact, Letters, Measure, Property, Subject, TextEdge, denies, is_unusual};
use super::interval::Interval;
use super::{Conflict, ConflictReason, Texts, pattern, phrase};

use crate::needles::SearchKind;
use crate::number::Number;
use crate::value::Value;
use ifs_text::edge::{begins_with, finishes_with, head_released, tail_released};
use ifs_text::python::{casefold, is_letter, is_space, is_word, simple_fold};
use ifs_text::{Shape, Text, Unit, fold};

pub(super) fn contradiction(facts: &[&Fact], texts: Texts) -> Option<Conflict> {
    let is_plain = facts.iter().any(|fact| match &fact.property {
        Property::Only(class) => is_plain_class(class),
        _ => false,
    });
    for (at, fact) in facts.iter().enumerate() {
        if fact.property == Property::Never {
            return Some(Conflict { reasons: vec![reason(fact)] });
        }
        for other in facts.get(at + 1..).unwrap_or(&[]) {
            if exclude(&fact.property, &other.property) || exclude(&other.property, &fact.property)
            {
                let is_of_prose = is_of_prose(&fact.property, &other.property, is_plain)
                    || is_of_prose(&other.property, &fact.property, is_plain);
                if is_of_prose && texts == Texts::All {
                    continue;
                }
                return Some(Conflict { reasons: vec![reason(fact), reason(other)] });
            }
        }
    }
    brackets(facts)
}

/// Whether texts of these characters alone are what they say: no marks, tags, escapes or quotes.
fn is_plain_class(class: &ClassUnicode) -> bool {
    let is_plain = |c: char| c.is_ascii() && !"*_`~<&[{\\\"\r".contains(c);
    class.ranges().iter().all(|range| (range.start()..=range.end()).all(is_plain))
}

/// Whether a property is about what is written, or about ASCII that is read as it is written in a plain
/// text.
fn is_read_as_written(property: &Property) -> bool {
    match property {
        Property::Measured(Measure::Needle(_, part), _)
        | Property::Starts(TextEdge::Read(part))
        | Property::Ends(TextEdge::Read(part)) => part.is_ascii(),
        other => other.subject() == Subject::Source,
    }
}

/// Whether a contradiction of two properties is one for plain texts only, unless the text is known to
/// be one. Of the two orders, one is considered.
fn is_of_prose(one: &Property, other: &Property, is_plain: bool) -> bool {
    match (one, other) {
        _ if is_read_otherwise(one, other) || is_read_otherwise(other, one) => false,
        // What a unit needs is needed where it is written, too.
        (Property::Only(_), Property::Measured(Measure::Count(_), _))
        | (Property::Measured(Measure::Count(_), _), Property::Only(_)) => false,
        // Letters and words that readers take for the same may be spelt otherwise.
        (Property::Is(source, _), _) if is_pattern_of_letters(source) => true,
        (Property::Distinct(Unit::Letter | Unit::Word), _) => true,
        (Property::Whole(whole), other) if other.subject() == Subject::Content => is_unusual(whole),
        _ if is_plain && is_read_as_written(one) && is_read_as_written(other) => false,
        _ => matches!(
            (one.subject(), other.subject()),
            (Subject::Source, Subject::Content) | (Subject::Content, Subject::Source)
        ),
    }
}

/// JSON closes what it opens: a text that starts with a quotation mark is one string.
fn brackets(facts: &[&Fact]) -> Option<Conflict> {
    let json = facts
        .iter()
        .find(|fact| matches!(fact.property, Property::Shape(Shape::Json | Shape::JsonReleased)))?;
    let outer = |fact: &Fact| match &fact.property {
        Property::Starts(edge) => prefix(edge).and_then(|text| text.chars().next()),
        _ => None,
    };
    let (start, opened) = facts.iter().find_map(|fact| Some((*fact, outer(fact)?)))?;
    let closed = match opened {
        '"' => '"',
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    let end = facts.iter().find(|fact| match &fact.property {
        Property::Ends(edge) => prefix(edge).is_some_and(|text| !text.ends_with(closed)),
        _ => false,
    })?;
    Some(Conflict { reasons: vec![reason(json), reason(start), reason(end)] })
}

pub(super) fn reason(fact: &Fact) -> ConflictReason {
    ConflictReason { goal: fact.goal, span: fact.span, fragment: phrase::property(&fact.property) }
}

/// Whether the written edge of a text contradicts what its content is said to start (or end) with.
/// Nothing removes a letter at the start of a text, or one of these stops at its end: all marks, tags,
/// references and escapes begin and end with other characters.
fn is_read_otherwise(written: &Property, read: &Property) -> bool {
    let (side, part) = match read {
        Property::Starts(TextEdge::Read(part) | TextEdge::Mark { here: part, .. }) => {
            (Side::Start, part)
        }
        Property::Ends(TextEdge::Read(part)) => (Side::End, part),
        _ => return false,
    };
    let Some(wanted) = outermost(part, side, |_| true) else { return false };
    match (written, side) {
        // The letter may be composed with the marks that follow it.
        (_, Side::Start) if !wanted.is_ascii() && wanted.is_alphabetic() => false,
        (Property::StartsIn(class), Side::Start) => {
            let mut ranges = class.ranges().iter();
            !class_contains(class, wanted)
                && ranges
                    .all(|range| (range.start()..=range.end()).all(|c| c.is_ascii_alphabetic()))
        }
        (Property::Starts(edge), Side::Start) | (Property::Ends(edge), Side::End) => {
            let is_kept = |c: char| match side {
                Side::Start => c.is_ascii_alphabetic(),
                Side::End => matches!(c, '.' | '!' | '?' | ','),
            };
            prefix(edge)
                .and_then(|text| outermost(text, side, |_| true))
                .is_some_and(|c| is_kept(c) && c != wanted)
        }
        _ => false,
    }
}

/// Whether no text has both properties. Only one order of the two is considered.
fn exclude(one: &Property, other: &Property) -> bool {
    match (one, other) {
        _ if is_read_otherwise(one, other) => true,
        (Property::Is(a, x), Property::Is(b, y)) => a == b && x != y,
        (Property::Is(a, x), Property::IsNot(b, y)) => a == b && x == y,
        (Property::NoLower(a), Property::HasLower(b))
        | (Property::NoUpper(a), Property::HasUpper(b)) => {
            // In a plain text no letter of any script is no letter from a to z either.
            *a == Letters::All || *b == Letters::Ascii
        }
        (Property::NoLower(letters), required) => cased_text(required)
            .is_some_and(|text| text.chars().any(|c| is_cased(c, *letters, char::is_lowercase))),
        (Property::NoUpper(letters), required) => cased_text(required)
            .is_some_and(|text| text.chars().any(|c| is_cased(c, *letters, char::is_uppercase))),
        (Property::Starts(a), Property::Starts(b)) => {
            edges_exclude(a, b, Side::Start) || edges_exclude(b, a, Side::Start)
        }
        (Property::Ends(a), Property::Ends(b)) => {
            edges_exclude(a, b, Side::End) || edges_exclude(b, a, Side::End)
        }
        (Property::Starts(edge), Property::StartsNot(not)) => implies_edge(edge, not, Side::Start),
        (Property::Ends(edge), Property::EndsNot(not)) => implies_edge(edge, not, Side::End),
        (Property::StartsIn(class), Property::Starts(edge)) => prefix(edge)
            .and_then(|text| text.chars().next())
            .is_some_and(|c| excludes_character(class, c, true)),
        (Property::StartsIn(class), Property::StartsIn(other) | Property::Only(other)) => {
            disjoint(class, other)
        }
        (Property::StartsIn(class), Property::Shape(shape)) => {
            inner_start(*shape).is_some_and(|starts| {
                !starts.chars().chain(['`']).any(|c| !excludes_character(class, c, true))
            })
        }
        (Property::Only(class), Property::Shape(shape)) => inner_start(*shape)
            .is_some_and(|starts| starts.chars().all(|c| excludes_character(class, c, true))),
        (Property::Only(class), Property::HasUpper(_)) => {
            disjoint(class, cased("\\p{Uppercase}", &UPPERCASE))
        }
        (Property::Only(class), Property::HasLower(_)) => {
            disjoint(class, cased("\\p{Lowercase}", &LOWERCASE))
        }
        (Property::Whole(whole), Property::Whole(other)) => whole != other,
        (Property::Whole(whole), Property::Verdict(tree, wanted)) => denies(whole, tree, *wanted),
        (Property::Whole(whole), Property::Starts(TextEdge::Read(text))) => {
            whole.is_ascii() && !begins_with(whole, &folded(text))
        }
        (Property::Whole(whole), Property::Ends(TextEdge::Read(text))) => {
            whole.is_ascii() && !finishes_with(whole, &folded(text))
        }
        (Property::Whole(whole), Property::Starts(edge)) => {
            prefix(edge).is_some_and(|text| !whole.starts_with(&folded(text)))
        }
        (Property::Whole(whole), Property::Ends(edge)) => {
            prefix(edge).is_some_and(|text| !whole.ends_with(&folded(text)))
        }
        (Property::Whole(whole), Property::Measured(Measure::Needle(kind, part), interval)) => {
            let is_read =
                kind.subject() == Subject::Content && !matches!(kind, SearchKind::Unit(_));
            interval.low_int().is_some_and(|low| low >= 1)
                && !part.contains(is_space)
                && match kind {
                    SearchKind::Text => !whole.contains(&folded(part)),
                    _ => is_read && Text::new(whole).is_plain() && !fold(whole).contains(&**part),
                }
        }
        (Property::Only(class), Property::Measured(Measure::Needle(kind, part), interval)) => {
            let text = matches!(kind, SearchKind::Text);
            interval.low_int().is_some_and(|low| low >= 1)
                && (text
                    || matches!(
                        kind,
                        SearchKind::Unit(Unit::Emoji)
                            | SearchKind::Keyword
                            | SearchKind::KeywordReleased
                            | SearchKind::Letter
                            | SearchKind::Phrase
                            | SearchKind::PhraseReleased
                            | SearchKind::Word
                    ))
                // Marks have several forms.
                && part.chars().filter(|c| text || !c.is_ascii_punctuation() && *c != ' ').any(|c| excludes_character(class, c, text))
        }
        (Property::Only(class), Property::Measured(Measure::Count(unit), interval))
            if interval.low_int().is_some_and(|low| low >= 1) =>
        {
            let needed = REQUIRED_CLASSES.get_or_init(needed).iter().find(|(of, _)| of == unit);
            needed.is_some_and(|(_, needed)| disjoint(class, needed))
        }
        (Property::Only(class), Property::Has(other)) => disjoint(class, other),
        (Property::Only(class), Property::Starts(edge) | Property::Ends(edge)) => match edge {
            TextEdge::Letter(letter) | TextEdge::LetterReleased(letter) => {
                excludes_character(class, *letter, false)
            }
            TextEdge::Read(text) if is_plain_class(class) => {
                text.chars().any(|c| c != ' ' && excludes_character(class, c, true))
            }
            edge => prefix(edge)
                .is_some_and(|text| text.chars().any(|c| excludes_character(class, c, true))),
        },
        // The pattern of the letters, and the number of one of them.
        (
            Property::Is(source, Value::Text(letters)),
            Property::Measured(Measure::Needle(kind, part), interval),
        ) if is_pattern_of_letters(source) => lacks_letters(letters, *kind, part, *interval),
        (Property::Is(source, Value::Text(letters)), Property::Distinct(Unit::Letter)) => {
            is_pattern_of_letters(source) && repeats(letters)
        }
        (Property::Few(class, most), required) => required_text(required)
            .is_some_and(|(text, exact)| different(class, text, exact) > *most),
        (Property::Distinct(unit), Property::Measured(Measure::Needle(kind, part), interval)) => {
            // Two occurrences of the needle are two equal units.
            let same = match (unit, kind) {
                (Unit::Word, SearchKind::Word) => part.chars().all(|c| c.is_ascii_alphanumeric()),
                (Unit::WordPattern, SearchKind::KeywordReleased) => part.chars().all(is_word),
                (Unit::Letter, SearchKind::Letter) => part.chars().all(char::is_alphabetic),
                _ => false,
            };
            // A text may have both `i` and `ı`: the same needle, but different units.
            let spellings = |c: char| {
                let folds = pattern::variants(c);
                let folds = folds.map(|c| casefold(c.encode_utf8(&mut [0; 4])).into_owned());
                folds.collect::<BTreeSet<String>>().len() as i64
            };
            let most = part.chars().map(spellings).fold(1, i64::saturating_mul);
            same && interval.low_int().is_some_and(|low| low > most)
        }
        (Property::Is(source, Value::Text(letters)), Property::Starts(TextEdge::Exact(text)))
            if is_pattern_of_letters(source) =>
        {
            !letters.starts_with(&*pattern_of(text))
        }
        (Property::Shape(shape), Property::Starts(edge)) => prefix(edge).is_some_and(|text| {
            text.chars().next().is_some_and(|c| !may_start_with(*shape, c))
                || (*shape == Shape::Json && !may_continue_as_json(text))
        }),
        (Property::Shape(shape), Property::Ends(edge)) => prefix(edge)
            .and_then(|text| text.chars().next_back())
            .is_some_and(|c| !may_end(*shape, c)),
        (
            Property::Shape(Shape::Json | Shape::JsonReleased),
            Property::Shape(Shape::Table | Shape::Bullets | Shape::Numbered),
        )
        | (Property::Shape(Shape::Table), Property::Shape(Shape::Bullets | Shape::Numbered)) => {
            true
        }
        (Property::Shape(a), Property::Shape(b)) => match (inner_start(*a), inner_start(*b)) {
            // Both have the same fences, so the contents must have both shapes.
            (Some(a), Some(b)) => !a.chars().any(|c| b.contains(c)),
            _ => false,
        },
        _ => false,
    }
}

/// Whether JSON, or a fence around it, may begin with a text.
fn may_continue_as_json(text: &str) -> bool {
    let text = text.trim_start();
    // That parser limits the depth and rejects halves of surrogate pairs, which JSON allows.
    if text.starts_with('`') || text.contains("\\u") || text.len() > 60 {
        return true;
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => true,
        Err(error) => error.is_eof(),
    }
}

/// A stretch the text has to contain, letter by letter.
fn exact(property: &Property) -> Option<&str> {
    match property {
        Property::Starts(edge) | Property::Ends(edge) => prefix(edge),
        Property::Measured(Measure::Needle(kind, part), interval)
            if matches!(kind, SearchKind::Text)
                && interval.low_int().is_some_and(|low| low >= 1) =>
        {
            Some(part)
        }
        _ => None,
    }
}

fn is_cased(c: char, letters: Letters, test: fn(char) -> bool) -> bool {
    test(c) && (letters == Letters::All || c.is_ascii())
}

/// A set of characters; each unit of a kind has one of them.
static REQUIRED_CLASSES: OnceLock<Vec<(Unit, ClassUnicode)>> = OnceLock::new();

fn needed() -> Vec<(Unit, ClassUnicode)> {
    [
        (Unit::Letter, r"[\w\p{N}]"),
        (Unit::Word, r"[\w\p{N}]"),
        (Unit::WordPart, r"[\w\p{N}]"),
        (Unit::WordPattern, r"[\w\p{N}]"),
        (Unit::NumberDigits, r"\d"),
        (Unit::Date, r"\d"),
        // Or a tag, or an escaped character.
        (Unit::Number, r"[\d<]"),
        (Unit::ItemNumbered, r"[0-9<]"),
        (Unit::ItemBullet, r"[*+•<&\\-]"),
        (Unit::ItemReleased, r"[*-]"),
        (Unit::Heading, r"[#=<&\\]"),
        (Unit::CodeBlock, r"[`~]"),
        (Unit::Emoji, r"[^\x00-\x7F]|[&\\]"),
        (Unit::Table, r"[|&\\]"),
        (Unit::TableRow, r"[|&\\]"),
        (Unit::Placeholder, r"[\[]"),
        (Unit::Highlight, r"[*_]"),
    ]
    .into_iter()
    .filter_map(|(unit, class)| Some((unit, pattern::class(class)?)))
    .collect()
}

static UPPERCASE: OnceLock<ClassUnicode> = OnceLock::new();
static LOWERCASE: OnceLock<ClassUnicode> = OnceLock::new();

/// All characters of a class that is named by its expression.
fn cased(class: &str, known: &'static OnceLock<ClassUnicode>) -> &'static ClassUnicode {
    known.get_or_init(|| {
        pattern::class(class).unwrap_or_else(|| {
            let mut all = ClassUnicode::empty();
            all.negate();
            all
        })
    })
}

/// Whether a text with this start (or end) has one that is excluded.
fn implies_edge(edge: &TextEdge, not: &TextEdge, side: Side) -> bool {
    match not {
        TextEdge::Read(not) => match (edge, side) {
            (TextEdge::Read(text), Side::Start) => text.starts_with(not.as_str()),
            (TextEdge::Read(text), Side::End) => text.ends_with(not.as_str()),
            _ => false,
        },
        TextEdge::Exact(not) => prefix(edge).is_some_and(|text| match side {
            Side::Start => text.starts_with(not.as_str()),
            Side::End => text.ends_with(not.as_str()),
        }),
        TextEdge::Letter(letter) => match edge {
            TextEdge::Letter(have) => have == letter,
            edge => edge_text(edge)
                .and_then(|text| outermost(text, side, is_letter))
                .and_then(|found| one_letter(found.encode_utf8(&mut [0; 4])))
                .is_some_and(|found| found == *letter),
        },
        _ => edge == not,
    }
}

/// Whether a text with this pattern of letters cannot have that many occurrences.
fn lacks_letters(letters: &str, kind: SearchKind, part: &str, interval: Interval) -> bool {
    // The needle may match another letter of the text: `i` finds `ı`.
    let others = |c: char| matches!(simple_fold(c), 'i');
    if matches!(kind, SearchKind::Letter) && one_letter(part).is_some() {
        if part.chars().any(others) {
            return false;
        }
        let times = |c: char| letters.matches(c).count() as i64;
        let known: BTreeSet<i64> = letters.chars().map(times).chain([0]).collect();
        return !known.into_iter().any(|times| interval.holds(Number::Int(times)));
    }
    if interval.low_int().is_none_or(|low| low < 1)
        || !matches!(
            kind,
            SearchKind::Keyword
                | SearchKind::KeywordReleased
                | SearchKind::Phrase
                | SearchKind::PhraseReleased
                | SearchKind::Text
                | SearchKind::Word
        )
        || !matches!(kind, SearchKind::Text)
            && (!part.is_ascii() || part.chars().filter(|c| others(*c)).count() > 1)
    {
        return false;
    }
    // Adjacent letters are adjacent in the text, too.
    let part: String = part.chars().filter(|c| is_letter(*c)).collect();
    let wanted = pattern_of(&part);
    let all: Vec<char> = letters.chars().collect();
    let many = wanted.chars().count();
    many > 0
        && !all
            .windows(many)
            .any(|stretch| pattern_of(&stretch.iter().collect::<String>()) == wanted)
}

fn repeats(letters: &str) -> bool {
    letters.chars().collect::<BTreeSet<char>>().len() < letters.chars().count()
}

/// A substring that a text has, and whether its case is exact.
fn required_text(property: &Property) -> Option<(&str, bool)> {
    match property {
        Property::Measured(Measure::Needle(kind, part), interval)
            if matches!(
                kind,
                SearchKind::Keyword
                    | SearchKind::KeywordReleased
                    | SearchKind::Letter
                    | SearchKind::Phrase
                    | SearchKind::PhraseReleased
                    | SearchKind::Word
            ) && interval.low_int().is_some_and(|low| low >= 1) =>
        {
            Some((part, false))
        }
        other => exact(other).map(|text| (text, true)),
    }
}

/// The number of different ASCII characters of a class in a substring, ignoring case.
fn different(class: &ClassUnicode, text: &str, exact: bool) -> i64 {
    let of_class = |c: &char| {
        // If case is ignored, it may be a letter of another script that folds to it.
        let either = [c.to_ascii_lowercase(), c.to_ascii_uppercase()];
        let folds = matches!(c.to_ascii_lowercase(), 'i' | 'k' | 's');
        class_contains(class, *c)
            && (exact || !folds && either.into_iter().all(|c| class_contains(class, c)))
    };
    // Members of a list are compared without their blanks, so that all blanks are the same.
    let form = |c: char| if is_space(c) { ' ' } else { c.to_ascii_lowercase() };
    let chars = text.chars().filter(char::is_ascii).filter(of_class);
    chars.map(form).collect::<BTreeSet<char>>().len() as i64
}

/// Whether it is `pattern_of(letter)`.
fn is_pattern_of_letters(tree: &Tree) -> bool {
    let Node::Call(Func::PATTERN_OF, arguments) = &tree.node else { return false };
    matches!(arguments.as_slice(), [Tree { node: Node::Units(Unit::Letter, None), .. }])
}

/// The pattern of equal letters: `ABBA` for `Anna`.
fn pattern_of(text: &str) -> String {
    let mut seen: Vec<String> = Vec::new();
    text.chars()
        .filter(|c| is_letter(*c))
        .map(|c| {
            let c = casefold(c.encode_utf8(&mut [0; 4])).into_owned();
            let at = seen.iter().position(|other| *other == c).unwrap_or_else(|| {
                seen.push(c);
                seen.len() - 1
            });
            u8::try_from(at).map_or('?', |at| char::from(b'A'.saturating_add(at)))
        })
        .collect()
}

/// Whether a character cannot occur in any case, or in exactly this one.
fn excludes_character(class: &ClassUnicode, c: char, exact: bool) -> bool {
    if exact {
        !class_contains(class, c)
    } else {
        !pattern::variants(c).any(|c| class_contains(class, c))
    }
}

/// The text at the edge, ignoring blanks.
pub(super) fn prefix(edge: &TextEdge) -> Option<&str> {
    match edge {
        TextEdge::Exact(text) => Some(text),
        TextEdge::Pair { here, .. } => Some(here),
        TextEdge::Read(_)
        | TextEdge::Mark { .. }
        | TextEdge::Letter(_)
        | TextEdge::LetterReleased(_)
        | TextEdge::PartReleased(_)
        | TextEdge::Needle(..) => None,
    }
}

/// The text at the edge with its case.
fn cased_text(property: &Property) -> Option<&str> {
    match property {
        Property::Starts(TextEdge::Read(text)) | Property::Ends(TextEdge::Read(text)) => Some(text),
        other => exact(other),
    }
}

/// Where readers find a text at an edge: two of the same kind are at the same place.
#[derive(Clone, Copy, PartialEq)]
enum EdgePlace {
    /// Behind all marks, or before them.
    Inner,
    /// At the outermost mark that encloses text.
    Outer,
    /// Somewhere among the marks.
    Unknown,
}

fn edge_place(text: &str, side: Side) -> EdgePlace {
    let outermost = match side {
        Side::Start => text.chars().next(),
        Side::End => text.chars().next_back(),
    };
    match outermost {
        Some(c) if c.is_alphabetic() => EdgePlace::Inner,
        Some(
            '(' | '[' | '{' | '<' | '《' | '〈' | '「' | '『' | '（' | '«' | '【' | '"' | '\'',
        ) if side == Side::Start => EdgePlace::Outer,
        Some(
            ')' | ']' | '}' | '>' | '》' | '〉' | '」' | '』' | '）' | '»' | '】' | '"' | '\'',
        ) if side == Side::End => EdgePlace::Outer,
        Some('.' | '!' | '?' | '…') if side == Side::End => EdgePlace::Inner,
        _ => EdgePlace::Unknown,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Start,
    End,
}

fn edges_exclude(one: &TextEdge, other: &TextEdge, side: Side) -> bool {
    if let (Some(a), Some(b)) = (prefix(one), prefix(other)) {
        return !are_compatible(a, b, side);
    }
    match (one, other) {
        (
            TextEdge::Read(a) | TextEdge::Mark { here: a, .. },
            TextEdge::Read(b) | TextEdge::Mark { here: b, .. },
        ) => {
            let place = edge_place(a, side);
            place != EdgePlace::Unknown
                && place == edge_place(b, side)
                && !are_compatible(a, b, side)
        }
        (TextEdge::Letter(a), TextEdge::Letter(b))
        | (TextEdge::LetterReleased(a), TextEdge::LetterReleased(b)) => a != b,
        // Several of its letters may be one in the text: `fi` is found in `ﬁ`.
        (TextEdge::Letter(letter), TextEdge::PartReleased(part)) => {
            outermost_at(part, side, is_letter).is_some_and(|part| {
                let part = casefold(part);
                !pattern::variants(*letter)
                    .any(|c| are_compatible(&casefold(c.encode_utf8(&mut [0; 4])), &part, side))
            })
        }
        (TextEdge::LetterReleased(letter), TextEdge::PartReleased(part)) => {
            outermost_at(part, side, |c| c.is_ascii_alphabetic()).is_some_and(|at| {
                let first = outermost(at, side, |_| true).map(|c| c.to_ascii_lowercase());
                let only = at.len() == part.len() && !folds_from_others(&casefold(part), side);
                only && first != Some(*letter)
            })
        }
        (TextEdge::Letter(letter), other)
            if fold(letter.encode_utf8(&mut [0; 4])).chars().eq([*letter]) =>
        {
            // The outermost letter of what is at the edge is that of the text.
            edge_text(other)
                .and_then(|text| outermost(text, side, is_letter))
                .and_then(|found| one_letter(found.encode_utf8(&mut [0; 4])))
                .is_some_and(|found| found != *letter)
        }
        (TextEdge::LetterReleased(letter), other) => edge_text(other)
            .and_then(|text| outermost(text, side, |c| c.is_ascii_alphabetic()))
            .is_some_and(|found| found.to_ascii_lowercase() != *letter),
        (TextEdge::PartReleased(a), TextEdge::PartReleased(b)) => {
            is_unstripped(a, side)
                && is_unstripped(b, side)
                && !are_compatible(&casefold(a), &casefold(b), side)
        }
        // A mark that is not stripped stays in front of the part.
        (TextEdge::PartReleased(part), other) => {
            is_unstripped(part, side)
                && prefix(other).is_some_and(|text| {
                    is_unstripped(text, side)
                        && !are_compatible(&casefold(part), &casefold(text), side)
                })
        }
        _ => false,
    }
}

/// The rest of a text from its outermost such character.
fn outermost_at(text: &str, side: Side, is: fn(char) -> bool) -> Option<&str> {
    match side {
        Side::Start => text.get(text.find(is)?..),
        Side::End => {
            let (at, c) = text.char_indices().rev().find(|(_, c)| is(*c))?;
            text.get(..at + c.len_utf8())
        }
    }
}

/// Whether a folded text may begin, or end, with what a character outside of ASCII folds to.
fn folds_from_others(folded: &str, side: Side) -> bool {
    static NON_ASCII_FOLDS: OnceLock<Vec<String>> = OnceLock::new();
    let others = NON_ASCII_FOLDS.get_or_init(|| {
        let all = ('\u{80}'..='\u{2fff}').chain('\u{fb00}'..='\u{fb06}');
        let folds = all.map(|c| casefold(c.encode_utf8(&mut [0; 4])).into_owned());
        folds.filter(|text| text.contains(|c: char| c.is_ascii_alphabetic())).collect()
    });
    others.iter().any(|other| are_compatible(other, folded, side))
}

/// Whether nothing is stripped from its edge before the search.
fn is_unstripped(text: &str, side: Side) -> bool {
    match side {
        Side::Start => head_released(text).len() == text.len(),
        Side::End => tail_released(text).len() == text.len(),
    }
}

/// The text at the edge after marks and blanks.
fn edge_text(edge: &TextEdge) -> Option<&str> {
    match edge {
        TextEdge::Exact(text)
        | TextEdge::Pair { here: text, .. }
        | TextEdge::PartReleased(text) => Some(text),
        TextEdge::Read(text) if text.chars().any(char::is_alphabetic) => Some(text),
        // Letters of a needle are at the edge when it begins and ends in a word character.
        TextEdge::Needle(kind, text)
            if matches!(kind, SearchKind::Word | SearchKind::Phrase | SearchKind::Keyword)
                && text.chars().next().is_some_and(is_word)
                && text.chars().next_back().is_some_and(is_word) =>
        {
            Some(text)
        }
        TextEdge::Needle(..)
        | TextEdge::Read(_)
        | TextEdge::Mark { .. }
        | TextEdge::Letter(_)
        | TextEdge::LetterReleased(_) => None,
    }
}

fn outermost(text: &str, side: Side, is: fn(char) -> bool) -> Option<char> {
    match side {
        Side::Start => text.chars().find(|c| is(*c)),
        Side::End => text.chars().rev().find(|c| is(*c)),
    }
}

/// Whether one text can start (or end) with both: one is a prefix (or suffix) of the other.
fn are_compatible(a: &str, b: &str, side: Side) -> bool {
    match side {
        Side::Start => a.starts_with(b) || b.starts_with(a),
        Side::End => a.ends_with(b) || b.ends_with(a),
    }
}

/// The characters that a text of this shape can start with inside its fences, if they are few.
fn inner_start(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Json => Some("{[\"-0123456789tfn"),
        Shape::JsonReleased => Some("{[\"-0123456789tfnNI"),
        Shape::Xml => Some("<\u{feff}"),
        Shape::Html => Some("<"),
        Shape::Bullets => Some("*-+•"),
        Shape::Numbered => Some("0123456789"),
        Shape::HtmlReleased
        | Shape::Csv
        | Shape::CsvReleased
        | Shape::Markdown
        | Shape::MarkdownReleased
        | Shape::Table => None,
    }
}

/// Whether a text of this shape can start with a character; it may be one fenced block.
fn may_start_with(shape: Shape, c: char) -> bool {
    inner_start(shape).is_none_or(|starts| c == '`' || starts.contains(c))
}

fn may_end(shape: Shape, c: char) -> bool {
    let ends = match shape {
        Shape::Json => "}]\"0123456789el",
        Shape::JsonReleased => "}]\"0123456789elNy",
        Shape::Xml | Shape::Html => ">",
        Shape::HtmlReleased
        | Shape::Csv
        | Shape::CsvReleased
        | Shape::Markdown
        | Shape::MarkdownReleased
        | Shape::Table
        | Shape::Bullets
        | Shape::Numbered => return true,
    };
    c == '`' || ends.contains(c)
}

/// Letters that one character may stand for.
pub(super) const LIGATURES: [&str; 6] = ["ffi", "ffl", "ff", "fi", "fl", "st"];

/// Whether a needle of a kind that ignores case is in an exact text.
pub(super) fn times_inside(kind: SearchKind, part: &str, text: &str) -> usize {
    if part.is_empty() {
        return 0;
    }
    match kind {
        SearchKind::Text => text.matches(part).count(),
        // Letters of a ligature are none of their own.
        SearchKind::Letter => {
            let text = LIGATURES.iter().fold(fold(text), |text, both| text.replace(both, " "));
            text.matches(part).count()
        }
        _ => 0,
    }
}
