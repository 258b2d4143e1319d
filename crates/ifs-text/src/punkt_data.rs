//! The one file that names the `punkt_n` crate: it carries the parameters of the Punkt procedure
//! trained on English. Only its data is used; the procedure is in `punkt.rs`.

#[cfg(feature = "punkt")]
use std::sync::OnceLock;

#[cfg(feature = "punkt")]
use punkt_n::TrainingData;

/// Whether this build has the parameters. Without them, a program that asks for a unit that needs
/// them is refused.
pub const KNOWN: bool = cfg!(feature = "punkt");

/// A word was seen with a capital, somewhere.
pub(super) const CAPITAL: u8 = 0b0000_1110;
/// A word was seen with a capital inside a sentence.
pub(super) const CAPITAL_INSIDE: u8 = 0b0000_0100;
/// A word was seen in small letters, somewhere.
pub(super) const SMALL: u8 = 0b0111_0000;
/// A word was seen in small letters at the beginning of a sentence.
pub(super) const SMALL_FIRST: u8 = 0b0001_0000;

/// The parameters, read at first use.
#[cfg(feature = "punkt")]
pub(super) fn english() -> &'static TrainingData {
    static DATA: OnceLock<TrainingData> = OnceLock::new();
    DATA.get_or_init(TrainingData::english)
}

/// Parameters that were trained on nothing.
#[cfg(not(feature = "punkt"))]
pub(super) struct TrainingData;

#[cfg(not(feature = "punkt"))]
impl TrainingData {
    pub fn contains_abbrev(&self, _: &str) -> bool {
        false
    }

    pub fn contains_collocation(&self, _: &str, _: &str) -> bool {
        false
    }

    pub fn contains_sentence_starter(&self, _: &str) -> bool {
        false
    }

    pub fn get_orthographic_context(&self, _: &str) -> u8 {
        0
    }
}

#[cfg(not(feature = "punkt"))]
pub(super) fn english() -> &'static TrainingData {
    &TrainingData
}
