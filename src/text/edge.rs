//! What an answer begins and ends with.

use super::python;

/// Whether the text, without the blanks around it, begins with exactly `part`.
pub fn starts_with(text: &str, part: &str) -> bool {
    python::strip(text).starts_with(part)
}

/// Whether the text, without the blanks around it, ends with exactly `part`.
pub fn ends_with(text: &str, part: &str) -> bool {
    python::strip(text).ends_with(part)
}
