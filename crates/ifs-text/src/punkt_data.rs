//! The one file that names the `punkt_n` crate: it carries the parameters of the Punkt procedure
//! trained on English. Only its data is used; the procedure is in `punkt.rs`.

use std::sync::OnceLock;

use punkt_n::TrainingData;

/// A word was seen with a capital, somewhere.
pub(super) const CAPITAL: u8 = 0b0000_1110;
/// A word was seen with a capital inside a sentence.
pub(super) const CAPITAL_INSIDE: u8 = 0b0000_0100;
/// A word was seen in small letters, somewhere.
pub(super) const SMALL: u8 = 0b0111_0000;
/// A word was seen in small letters at the beginning of a sentence.
pub(super) const SMALL_FIRST: u8 = 0b0001_0000;

/// The parameters, read at first use.
pub(super) fn english() -> &'static TrainingData {
    static DATA: OnceLock<TrainingData> = OnceLock::new();
    DATA.get_or_init(TrainingData::english)
}
