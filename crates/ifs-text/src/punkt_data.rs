//! The parameters of the Punkt procedure, trained on English. The only file that names the
//! `punkt_n` crate, of which only the data is used; the procedure is in `punkt.rs`.

#[cfg(feature = "punkt")]
use std::sync::OnceLock;

#[cfg(feature = "punkt")]
use punkt_n::TrainingData;

/// Whether this build has the parameters. Otherwise, a scenario with a unit that needs them is
/// refused.
pub const KNOWN: bool = cfg!(feature = "punkt");

/// The word was seen with a capital.
pub(super) const CAPITAL: u8 = 0b0000_1110;
/// The word was seen with a capital within a sentence.
pub(super) const CAPITAL_INSIDE: u8 = 0b0000_0100;
/// The word was seen in lower case.
pub(super) const SMALL: u8 = 0b0111_0000;
/// The word was seen in lower case at the start of a sentence.
pub(super) const SMALL_FIRST: u8 = 0b0001_0000;

/// The parameters, loaded on first use.
#[cfg(feature = "punkt")]
pub(super) fn english() -> &'static TrainingData {
    static DATA: OnceLock<TrainingData> = OnceLock::new();
    DATA.get_or_init(TrainingData::english)
}

/// Empty parameters.
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
