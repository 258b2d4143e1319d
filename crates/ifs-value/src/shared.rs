//! Texts that values share: their own, or a stretch of a file.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A text that is cheap to clone. A text that occurs verbatim in a data file is not copied:
/// a bank can have thousands of texts, and each copy would be an allocation.
#[derive(Clone)]
pub struct SharedText(Storage);

#[derive(Clone)]
enum Storage {
    /// Part of the program.
    Fixed(&'static str),
    Own(Arc<str>),
    /// INVARIANT: both ends are on character boundaries of the complete text.
    Part {
        of: Arc<String>,
        start: u32,
        end: u32,
    },
}

impl SharedText {
    pub const fn fixed(text: &'static str) -> SharedText {
        SharedText(Storage::Fixed(text))
    }

    /// A part of a text, shared with it where it is one.
    pub fn part(of: &Arc<String>, part: &str) -> SharedText {
        let start = (part.as_ptr() as usize).wrapping_sub(of.as_ptr() as usize);
        let range = start..start.wrapping_add(part.len());
        let is_part = of.get(range.clone()).is_some_and(|found| std::ptr::eq(found, part));
        match (u32::try_from(range.start), u32::try_from(range.end)) {
            (Ok(start), Ok(end)) if is_part => {
                SharedText(Storage::Part { of: Arc::clone(of), start, end })
            }
            _ => SharedText::from(part),
        }
    }

    pub fn to_arc(&self) -> Arc<str> {
        match &self.0 {
            Storage::Own(text) => Arc::clone(text),
            Storage::Fixed(_) | Storage::Part { .. } => Arc::from(&**self),
        }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Storage::Fixed(text) => text,
            Storage::Own(text) => text,
            Storage::Part { of, start, end } => {
                of.get(*start as usize..*end as usize).unwrap_or_default()
            }
        }
    }
}

impl<T: Into<Arc<str>>> From<T> for SharedText {
    fn from(text: T) -> SharedText {
        SharedText(Storage::Own(text.into()))
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_memory_with_their_source() {
        let whole = Arc::new("one ü two".to_owned());
        let part = SharedText::part(&whole, &whole[4..6]);
        assert_eq!((&*part, Arc::strong_count(&whole)), ("ü", 2));
        assert_eq!(part, SharedText::from("ü"));
        let elsewhere = SharedText::part(&whole, "one");
        assert_eq!((&*elsewhere, Arc::strong_count(&whole)), ("one", 2));
        assert_eq!(&*SharedText::part(&whole, &whole[..0]), "");
        assert_eq!(&*part.to_arc(), "ü");
    }
}
