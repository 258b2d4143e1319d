//! Versions of the form `comparability.interface`.
//!
//! Scores of two versions with the same first number can be compared; the second number counts
//! changes that keep scores comparable. Further numbers (`2.1.7`) have no fixed meaning.

use std::fmt;

use serde::Serialize;

use super::{Changes, Class};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub comparability: u32,
    pub interface: u32,
}

impl Version {
    /// Parses `2`, `2.1` or `2.1.7`.
    pub fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.trim().split('.').map(str::parse);
        let comparability = numbers.next()?.ok()?;
        let interface = numbers.next().unwrap_or(Ok(0)).ok()?;
        numbers.all(|number| number.is_ok()).then_some(Version { comparability, interface })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.comparability, self.interface)
    }
}

impl Serialize for Version {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The minimum version of a definition after these changes. A definition without a version was 0.0.
pub fn required(before: Option<Version>, changes: &Changes) -> Version {
    let before = before.unwrap_or_default();
    match changes.class() {
        _ if changes.is_empty() => before,
        Class::NotComparable => {
            Version { comparability: before.comparability.saturating_add(1), interface: 0 }
        }
        Class::WithCare | Class::Comparable => {
            Version { interface: before.interface.saturating_add(1), ..before }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read() {
        let read = |text| Version::parse(text).map(|version| version.to_string());
        assert_eq!(read("2"), Some("2.0".to_owned()));
        assert_eq!(read("2.11.3"), Some("2.11".to_owned()));
        for text in ["", "v2", "2.x", "2.1.beta", "-1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
