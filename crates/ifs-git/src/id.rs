//! Names of objects: hashes of their content.

use std::fmt;

use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};

use crate::object::ObjectKind;

/// The length of an id by SHA-1 and by SHA-256, in bytes.
const LENGTHS: [usize; 2] = [20, 32];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    bytes: [u8; 32],
    length: u8,
}

impl Id {
    pub(crate) fn from_bytes(given: &[u8]) -> Option<Id> {
        if !LENGTHS.contains(&given.len()) {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..given.len()].copy_from_slice(given);
        Some(Id { bytes, length: given.len() as u8 })
    }

    /// The id in hexadecimal digits.
    pub(crate) fn parse(digits: &[u8]) -> Option<Id> {
        let mut bytes = [0; 32];
        let length = digits.len() / 2;
        if digits.len() != 2 * length || !LENGTHS.contains(&length) {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Id { bytes, length: length as u8 })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length()]
    }

    /// The length in bytes, which also says by which function it was made.
    pub(crate) fn length(&self) -> usize {
        self.length.into()
    }

    /// The null id, which stands for "none" in logs.
    pub(crate) fn is_null(&self) -> bool {
        self.bytes == [0; 32]
    }

    /// The id that an object has in a repository whose ids have this length.
    pub(crate) fn hash(kind: ObjectKind, content: &[u8], length: usize) -> Id {
        let function = if length == 20 { &SHA1_FOR_LEGACY_USE_ONLY } else { &SHA256 };
        let mut context = Context::new(function);
        context.update(format!("{} {}\0", kind.word(), content.len()).as_bytes());
        context.update(content);
        let mut bytes = [0; 32];
        bytes[..length].copy_from_slice(context.finish().as_ref());
        Id { bytes, length: length as u8 }
    }

    /// Whether a file with this content has this id, perhaps with other line ends: git can write a text
    /// with CRLF that it keeps with LF.
    pub fn is_of_file(&self, content: &[u8]) -> bool {
        if Id::hash(ObjectKind::Blob, content, self.length()) == *self {
            return true;
        }
        if content.contains(&0) || !content.windows(2).any(|pair| pair == b"\r\n") {
            return false;
        }
        let mut lines = Vec::with_capacity(content.len());
        for (place, byte) in content.iter().enumerate() {
            if *byte != b'\r' || content.get(place + 1) != Some(&b'\n') {
                lines.push(*byte);
            }
        }
        Id::hash(ObjectKind::Blob, &lines, self.length()) == *self
    }
}

pub(crate) fn nibble(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
