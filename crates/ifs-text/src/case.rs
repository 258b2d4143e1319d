//! Upper and lower case, exactly.

pub use super::python::{is_lower, is_title, is_upper};

/// No ASCII lower-case letter: upper case in EvolIF's released checker. Holds for the empty text
/// and for other scripts.
pub fn no_ascii_lower(text: &str) -> bool {
    !text.bytes().any(|b| b.is_ascii_lowercase())
}

/// No ASCII capital: lower case in EvolIF's released checker.
pub fn no_ascii_upper(text: &str) -> bool {
    !text.bytes().any(|b| b.is_ascii_uppercase())
}

/// An exact fraction, so that comparisons need no rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseShare {
    pub part: u64,
    pub whole: u64,
}

impl CaseShare {
    /// Whether the share is within `tolerance` of `percent`, exactly; an empty share always is.
    pub fn is_near_percent(self, percent: u64, tolerance: u64) -> bool {
        let (part, whole) = (u128::from(self.part) * 100, u128::from(self.whole));
        let (percent, tolerance) = (u128::from(percent), u128::from(tolerance));
        self.whole == 0
            || (part <= (percent + tolerance) * whole
                && part + tolerance * whole >= percent * whole)
    }
}

/// The share of capitals among the ASCII letters.
pub fn upper_share(text: &str) -> CaseShare {
    let part = text.bytes().filter(u8::is_ascii_uppercase).count() as u64;
    let whole = text.bytes().filter(u8::is_ascii_alphabetic).count() as u64;
    CaseShare { part, whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_readings_of_texts_without_letters() {
        assert!(no_ascii_lower("É 1") && no_ascii_lower("") && !no_ascii_lower("Ab"));
        assert!(no_ascii_upper("É 1") && !no_ascii_upper("Ab"));
    }

    #[test]
    fn shares_are_compared_exactly() {
        assert_eq!(upper_share("AbcÉ"), CaseShare { part: 1, whole: 3 });
        let third = CaseShare { part: 1, whole: 3 };
        assert!(third.is_near_percent(31, 3) && third.is_near_percent(36, 3));
        assert!(!third.is_near_percent(37, 3) && !third.is_near_percent(30, 3));
        assert!(CaseShare { part: 0, whole: 0 }.is_near_percent(90, 0));
        assert!(CaseShare { part: 3, whole: 100 }.is_near_percent(0, 3));
    }
}
