//! Strict and loose readings of a response.
//!
//! The loose reading ignores what models add around an answer (Zhou et al. 2023, arXiv:2311.07911,
//! section 3.1). A constraint holds if it holds for the response, or for the response without its
//! first line, its last line or both, or for one of these four without asterisks.

use std::sync::OnceLock;

use crate::variants;
use ifs_text::Text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowReading {
    Strict,
    Both,
}

impl RowReading {
    pub fn is_loose(self) -> bool {
        self == RowReading::Both
    }
}

/// The same, computed when the first constraint needs them, and segmented once.
pub(super) struct Variants<'a> {
    answer: &'a str,
    made: &'a OnceLock<Vec<String>>,
    texts: OnceLock<Vec<Text<'a>>>,
}

impl<'a> Variants<'a> {
    /// `made` is where they are stored.
    pub fn new(answer: &'a str, made: &'a OnceLock<Vec<String>>) -> Variants<'a> {
        Variants { answer, made, texts: OnceLock::new() }
    }

    pub fn texts(&self) -> &[Text<'a>] {
        self.texts.get_or_init(|| {
            let made = self.made.get_or_init(|| variants(self.answer));
            made.iter().map(|text| Text::new(text)).collect()
        })
    }
}
