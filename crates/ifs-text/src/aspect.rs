//! What a check can notice of the form of a text, and what another form of a text changes. A form
//! that changes nothing that a check notices must not change its verdict.

use std::fmt;
use std::ops::BitOr;

/// Something about the form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// What it begins with.
    Start,
    /// What it ends with.
    End,
    /// The number of its characters.
    Characters,
    Words,
    Sentences,
    /// The number of its lines and paragraphs, and where they end.
    Lines,
    /// Each of its units: one that is added would be checked too.
    Every,
    Case,
    /// Which letters it has.
    Letters,
    /// Its punctuation, apart from that inside of words.
    Signs,
    /// Which of several characters for the same sign it has: `"` or `“`, `-` or `–`.
    Glyphs,
    /// Markdown: list marks, headings, tables, highlights, fences.
    Marks,
    /// Whether it is JSON, CSV, XML or HTML.
    Format,
    /// Its code points.
    Code,
    Language,
    /// Its values: numbers, dates, clocks and names in another form.
    Values,
}

impl Aspect {
    pub const ALL: [Aspect; 16] = [
        Aspect::Start,
        Aspect::End,
        Aspect::Characters,
        Aspect::Words,
        Aspect::Sentences,
        Aspect::Lines,
        Aspect::Every,
        Aspect::Case,
        Aspect::Letters,
        Aspect::Signs,
        Aspect::Glyphs,
        Aspect::Marks,
        Aspect::Format,
        Aspect::Code,
        Aspect::Language,
        Aspect::Values,
    ];

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Aspect::Start => "start",
            Aspect::End => "end",
            Aspect::Characters => "characters",
            Aspect::Words => "words",
            Aspect::Sentences => "sentences",
            Aspect::Lines => "lines",
            Aspect::Every => "every unit",
            Aspect::Case => "case",
            Aspect::Letters => "letters",
            Aspect::Signs => "signs",
            Aspect::Glyphs => "glyphs",
            Aspect::Marks => "marks",
            Aspect::Format => "format",
            Aspect::Code => "code points",
            Aspect::Language => "language",
            Aspect::Values => "values",
        }
    }

    /// A set of it alone.
    pub const fn set(self) -> Aspects {
        Aspects(1 << self as u32)
    }
}

/// A set of aspects.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Aspects(u32);

impl Aspects {
    pub const NONE: Aspects = Aspects(0);
    /// For what reads the text as it is.
    pub const ALL: Aspects = Aspects((1 << Aspect::ALL.len()) - 1);

    /// The set of some aspects.
    pub const fn of(aspects: &[Aspect]) -> Aspects {
        let (mut set, mut at) = (0, 0);
        while at < aspects.len() {
            set |= aspects[at].set().0;
            at += 1;
        }
        Aspects(set)
    }

    #[must_use]
    pub const fn and(self, other: Aspects) -> Aspects {
        Aspects(self.0 | other.0)
    }

    /// Those that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Aspects) -> Aspects {
        Aspects(self.0 & !other.0)
    }

    pub const fn meets(self, other: Aspects) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its members, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Aspect> {
        Aspect::ALL.into_iter().filter(move |aspect| self.meets(aspect.set()))
    }
}

impl BitOr for Aspects {
    type Output = Aspects;

    fn bitor(self, other: Aspects) -> Aspects {
        self.and(other)
    }
}

impl fmt::Debug for Aspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// `start, end, words`; `everything`; `nothing`.
impl fmt::Display for Aspects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        if *self == Aspects::ALL {
            return f.write_str("everything");
        }
        let names: Vec<&str> = self.iter().map(Aspect::name).collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Aspect, Aspects};

    #[test]
    fn aspects_are_a_set() {
        let some = Aspects::of(&[Aspect::End, Aspect::Start]);
        assert!(some.meets(Aspect::End.set()) && !some.meets(Aspect::Code.set()));
        assert_eq!(some.to_string(), "start, end");
        assert_eq!((some | Aspects::ALL).to_string(), "everything");
        assert_eq!(some.without(some).to_string(), "nothing");
        assert_eq!(Aspects::ALL.iter().count(), Aspect::ALL.len());
        for (at, aspect) in Aspect::ALL.into_iter().enumerate() {
            assert_eq!(aspect as usize, at);
        }
    }
}
