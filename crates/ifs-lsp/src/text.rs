//! Positions of the protocol and offsets of bytes.

use std::ops::Range;

use gen_lsp_types as lsp;

/// How the client counts the columns of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

impl Encoding {
    fn width(self, letter: char) -> usize {
        match self {
            Encoding::Utf8 => letter.len_utf8(),
            Encoding::Utf16 => letter.len_utf16(),
        }
    }
}

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str, encoding: Encoding) -> Lines<'t> {
        let bytes = text.as_bytes();
        // A line ends with `\n`, `\r\n` or `\r`.
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Lines { text, starts, encoding }
    }

    /// The offset of a position. One after the end of its line is at that end, one within a character
    /// before it.
    pub fn offset(&self, position: lsp::Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let mut left = position.character as usize;
        for (at, letter) in self.text[start..end].char_indices() {
            let width = self.encoding.width(letter);
            if left < width || matches!(letter, '\n' | '\r') {
                return start + at;
            }
            left -= width;
        }
        end
    }

    pub fn position(&self, offset: usize) -> lsp::Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line(offset);
        let before = &self.text[self.starts[line]..offset];
        let character: usize = before.chars().map(|letter| self.encoding.width(letter)).sum();
        lsp::Position { line: line as u32, character: character as u32 }
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    pub fn range(&self, range: &Range<usize>) -> lsp::Range {
        lsp::Range { start: self.position(range.start), end: self.position(range.end) }
    }

    /// The bytes between two positions, in either order.
    pub fn bytes(&self, range: lsp::Range) -> Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }
}

/// The letters of a name around an offset.
pub(crate) fn word_at(text: &str, offset: usize) -> Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    let offset = offset.min(bytes.len());
    let start = offset - bytes[..offset].iter().rev().take_while(|byte| is_part(byte)).count();
    let end = offset + bytes[offset..].iter().take_while(|byte| is_part(byte)).count();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_offsets_agree() {
        let text = "a😀b\r\n\rü\n";
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(text, encoding);
            for (at, letter) in text.char_indices() {
                if letter != '\n' {
                    assert_eq!(lines.offset(lines.position(at)), at, "{at} {encoding:?}");
                }
            }
        }
        let lines = Lines::new(text, Encoding::Utf16);
        let position = |line, character| lsp::Position { line, character };
        assert_eq!(lines.position(5), position(0, 3));
        // Within a surrogate pair, after the end of a line, after the last line.
        assert_eq!(lines.offset(position(0, 2)), 1);
        assert_eq!(lines.offset(position(0, 99)), 6);
        assert_eq!(lines.offset(position(9, 0)), text.len());
        assert_eq!(lines.line(9), 2);
    }

    #[test]
    fn words() {
        assert_eq!(word_at("old.n_1 x", 5), 4..7);
        assert_eq!(word_at("ü", 2), 2..2);
        assert_eq!(word_at("", 7), 0..0);
    }
}
