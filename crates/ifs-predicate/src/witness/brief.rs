//! The requirements on a response, collected from the facts that its checks imply.

use std::collections::BTreeMap;

use crate::bound::{Fact, Interval, Letters, ListSource, Measure, Property, TextEdge};
use crate::needles::SearchKind;
use crate::number::Number;
use crate::tree::{ArithmeticOp, Node};
use crate::value::Value;
use ifs_text::{Shape, Unit};

#[derive(Default)]
pub(super) struct Brief {
    pub(super) shapes: Vec<Shape>,
    pub(super) lead: Border,
    pub(super) tail: Border,
    /// Texts that it must not end with.
    pub(super) ends_not: Vec<String>,
    pub(super) counts: BTreeMap<Unit, Interval>,
    pub(super) needles: Vec<NeedleCount>,
    pub(super) no_lower: bool,
    pub(super) no_upper: bool,
    /// Percent of capitals, of all letters or of a to z.
    pub(super) share: Option<(Interval, bool)>,
    /// The start, end and number of words of each sentence.
    pub(super) sentence_lead: Border,
    pub(super) sentence_stop: Option<String>,
    pub(super) sentence_words: Option<Interval>,
    /// The number of characters of each word.
    pub(super) word_chars: Option<Interval>,
    /// The number of sentences of each paragraph.
    pub(super) paragraph_sentences: Option<Interval>,
    /// There is a condition on each item, so items must not continue on the next line.
    pub(super) items_apart: bool,
    /// No word occurs twice.
    pub(super) distinct: bool,
    /// The code of its language.
    pub(super) language: Option<String>,
    /// A number that has to occur.
    pub(super) number: Option<i64>,
}

/// The start or end of a text.
#[derive(Clone, Default)]
pub(super) struct Border {
    pub(super) exact: Option<String>,
    pub(super) letter: Option<char>,
    pub(super) word: Option<String>,
    /// The mark at this edge, and its partner.
    pub(super) pair: Option<(String, String)>,
    /// It is the start or end of what is written, not of what a reader sees.
    pub(super) written: bool,
}

impl Border {
    pub(super) fn is_free(&self) -> bool {
        self.exact.is_none() && self.letter.is_none() && self.word.is_none() && self.pair.is_none()
    }

    fn add(&mut self, edge: &TextEdge, is_written: bool) {
        self.written |= is_written;
        match edge {
            TextEdge::Exact(text) | TextEdge::Read(text) => {
                if self.exact.as_ref().is_none_or(|have| have.len() < text.len()) {
                    self.exact = Some(text.clone());
                }
            }
            TextEdge::Letter(letter) | TextEdge::LetterReleased(letter) => {
                self.letter = Some(*letter)
            }
            TextEdge::PartReleased(text) | TextEdge::Needle(_, text) => {
                if self.word.as_ref().is_none_or(|have| have.len() < text.len()) {
                    self.word = Some(text.clone());
                }
            }
            TextEdge::Pair { here, there } | TextEdge::Mark { here, there } => {
                self.pair = Some((here.clone(), there.clone()));
            }
        }
    }
}

/// A needle with a number of occurrences.
pub(super) struct NeedleCount {
    pub(super) kind: SearchKind,
    pub(super) text: String,
    pub(super) interval: Interval,
}

impl NeedleCount {
    pub(super) fn minimum(&self) -> i64 {
        self.interval.low_int().unwrap_or(0)
    }
}

impl Brief {
    pub(super) fn new(facts: &[Fact]) -> Brief {
        let mut brief = Brief::default();
        for fact in facts {
            brief.add(fact);
        }
        brief.inflect_lead();
        brief
    }

    /// A text may start with `spring tide` though `tide` is forbidden: by `spring tides`.
    fn inflect_lead(&mut self) {
        let forbidden = |word: &str| {
            self.needles.iter().any(|wanted| {
                matches!(wanted.kind, SearchKind::Keyword | SearchKind::KeywordReleased)
                    && wanted.text != word
                    && word.ends_with(&wanted.text)
                    && wanted.interval.high_int().is_some_and(|high| high <= 0)
            })
        };
        if let Some(word) = self.lead.word.clone().filter(|word| forbidden(word)) {
            self.lead.word = Some(format!("{word}s"));
        }
    }

    fn add(&mut self, fact: &Fact) {
        let is_written = fact.is_of_source();
        match &fact.property {
            Property::Measured(measure, interval) => self.measured(measure, *interval),
            Property::Starts(edge) => self.lead.add(edge, is_written),
            Property::Ends(edge) => self.tail.add(edge, is_written),
            Property::EndsNot(TextEdge::Exact(text)) => self.ends_not.push(text.clone()),
            Property::Shape(shape) => self.shapes.push(*shape),
            Property::NoLower(_) => self.no_lower = true,
            Property::NoUpper(_) => self.no_upper = true,
            Property::Is(of, Value::Text(code)) if matches!(of.node, Node::Call(func, _) if func.is_language) =>
            {
                self.language = Some(code.to_string());
            }
            Property::Each(ListSource::Units(unit), inner) if is_sentence(*unit) => {
                for fact in inner {
                    match &fact.property {
                        Property::Starts(edge) => self.sentence_lead.add(edge, false),
                        Property::Ends(TextEdge::Exact(stop) | TextEdge::Read(stop)) => {
                            self.sentence_stop = Some(stop.clone())
                        }
                        Property::Measured(Measure::Count(unit), interval) if is_word(*unit) => {
                            let have = self.sentence_words.unwrap_or_default();
                            self.sentence_words = Some(intersection(have, *interval));
                        }
                        _ => {}
                    }
                }
            }
            Property::Each(ListSource::Units(Unit::Paragraph | Unit::ParagraphReleased), inner) => {
                for fact in inner {
                    if let Property::Measured(Measure::Count(unit), interval) = &fact.property
                        && is_sentence(*unit)
                    {
                        let have = self.paragraph_sentences.unwrap_or_default();
                        self.paragraph_sentences = Some(intersection(have, *interval));
                    }
                }
            }
            Property::Each(ListSource::Units(unit), inner) if is_word(*unit) => {
                for fact in inner {
                    if let Property::Measured(Measure::Count(Unit::Char | Unit::Letter), interval) =
                        &fact.property
                    {
                        let have = self.word_chars.unwrap_or_default();
                        self.word_chars = Some(intersection(have, *interval));
                    }
                }
            }
            Property::Each(ListSource::Units(unit), _) if ITEMS.contains(unit) => {
                self.items_apart = true
            }
            Property::Distinct(unit) if is_word(*unit) => self.distinct = true,
            Property::One(ListSource::Units(Unit::Number | Unit::NumberDigits), _, inner) => {
                self.number =
                    (0..200).find(|number| inner.iter().all(|fact| allows(fact, *number)));
            }
            Property::StartsIn(_)
            | Property::StartsNot(_)
            | Property::EndsNot(_)
            | Property::Whole(_)
            | Property::Verdict(..)
            | Property::Only(_)
            | Property::Has(_)
            | Property::Distinct(_)
            | Property::Few(..)
            | Property::Any(_)
            | Property::Sum(..)
            | Property::HasLower(_)
            | Property::HasUpper(_)
            | Property::Is(..)
            | Property::IsNot(..)
            | Property::Each(..)
            | Property::One(..)
            | Property::Never => {}
        }
    }

    fn measured(&mut self, measure: &Measure, interval: Interval) {
        match measure {
            Measure::Count(unit) => {
                let have = self.counts.entry(*unit).or_default();
                *have = intersection(*have, interval);
            }
            Measure::Needle(kind, text) => {
                let same = |have: &&mut NeedleCount| have.kind == *kind && have.text == *text;
                match self.needles.iter_mut().find(same) {
                    Some(have) => have.interval = intersection(have.interval, interval),
                    None => {
                        self.needles.push(NeedleCount { kind: *kind, text: text.clone(), interval })
                    }
                }
            }
            Measure::Capitals(letters) => {
                let have = self.share.map(|(interval, _)| interval).unwrap_or_default();
                self.share = Some((intersection(have, interval), *letters == Letters::All));
            }
            Measure::Other(..) => {}
        }
    }

    pub(super) fn has_shape(&self, shape: Shape) -> bool {
        self.shapes.contains(&shape)
    }

    /// Whether a text of one character must not occur.
    pub(super) fn forbids(&self, text: &str) -> bool {
        self.needles.iter().any(|wanted| {
            wanted.kind == SearchKind::Text
                && wanted.text == text
                && wanted.interval.high_int().is_some_and(|high| high <= 0)
        })
    }

    /// Whether a text has to occur.
    pub(super) fn needs(&self, text: &str) -> bool {
        let wanted = |wanted: &NeedleCount| {
            wanted.kind == SearchKind::Text && wanted.text == text && wanted.minimum() >= 1
        };
        self.needles.iter().any(wanted)
    }

    /// The known bounds of the units of one kind, in any of its definitions.
    pub(super) fn count(&self, units: &[Unit]) -> Option<Interval> {
        units.iter().filter_map(|unit| self.counts.get(unit)).copied().reduce(intersection)
    }
}

pub(super) const WORDS: [Unit; 6] =
    [Unit::WordPattern, Unit::Word, Unit::WordPart, Unit::WordSpace, Unit::WordIcu, Unit::Token];
pub(super) const PARAGRAPHS: [Unit; 2] = [Unit::Paragraph, Unit::ParagraphReleased];
pub(super) const SENTENCES: [Unit; 3] = [Unit::Sentence, Unit::SentencePunkt, Unit::SentenceSimple];
pub(super) const ITEMS: [Unit; 3] = [Unit::ItemReleased, Unit::Item, Unit::ItemBullet];

fn is_sentence(unit: Unit) -> bool {
    SENTENCES.contains(&unit)
}

fn is_word(unit: Unit) -> bool {
    WORDS.contains(&unit)
}

fn intersection(a: Interval, b: Interval) -> Interval {
    let low = match (a.low, b.low) {
        (Some(x), Some(y)) => Some(if x.value >= y.value { x } else { y }),
        (x, y) => x.or(y),
    };
    let high = match (a.high, b.high) {
        (Some(x), Some(y)) => Some(if x.value <= y.value { x } else { y }),
        (x, y) => x.or(y),
    };
    Interval { low, high }
}

/// Whether a number meets a fact about `it`.
fn allows(fact: &Fact, number: i64) -> bool {
    let Property::Measured(Measure::Other(of, _), interval) = &fact.property else {
        return true;
    };
    let value = match &of.node {
        Node::It => number,
        Node::Arithmetic(ArithmeticOp::Remainder, it, divisor) => match (&it.node, &divisor.node) {
            (Node::It, Node::Value(Value::Int(divisor @ 1..))) => number % divisor,
            _ => return true,
        },
        _ => return true,
    };
    let low = interval.low.is_none_or(|end| {
        if end.strict { Number::Int(value) > end.value } else { Number::Int(value) >= end.value }
    });
    let high = interval.high.is_none_or(|end| {
        if end.strict { Number::Int(value) < end.value } else { Number::Int(value) <= end.value }
    });
    low && high
}
