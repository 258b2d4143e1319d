//! A set of characters given by a Unicode class, with a fast membership test.

use regex_syntax::hir::{Class, HirKind};

/// A set of characters: a bit set for the basic plane, sorted ranges for the rest.
#[derive(Debug)]
pub(super) struct CharSet {
    basic: Vec<u64>,
    /// First and last code point of each range above the basic plane, ascending.
    astral: Vec<(u32, u32)>,
}

impl CharSet {
    /// The characters of a class in the syntax of the `regex` crate, such as `[\p{L}\p{N}_]`.
    ///
    /// The classes are constants of this crate; an invalid one gives the empty set, which the tests
    /// of each set would show.
    pub(super) fn from_class(class: &str) -> CharSet {
        let mut set = CharSet { basic: vec![0; 1024], astral: Vec::new() };
        let Ok(hir) = regex_syntax::parse(class) else {
            return set;
        };
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else {
            return set;
        };
        for range in class.ranges() {
            set.add(u32::from(range.start()), u32::from(range.end()));
        }
        set
    }

    pub(super) fn contains(&self, c: char) -> bool {
        let code = u32::from(c);
        if code < 0x10000 {
            return self.basic[(code >> 6) as usize] >> (code & 63) & 1 == 1;
        }
        let after = self.astral.partition_point(|(first, _)| *first <= code);
        after > 0 && self.astral[after - 1].1 >= code
    }

    fn add(&mut self, first: u32, last: u32) {
        for code in first..=last.min(0xFFFF) {
            self.basic[(code >> 6) as usize] |= 1 << (code & 63);
        }
        if last >= 0x10000 {
            self.astral.push((first.max(0x10000), last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_classes() {
        let letters = CharSet::from_class(r"[\p{L}]");
        for (c, inside) in [('a', true), ('1', false), ('日', true), ('𐐀', true), ('😀', false)]
        {
            assert_eq!(letters.contains(c), inside, "{c}");
        }
        assert!(CharSet::from_class(r"[").astral.is_empty());
    }
}
