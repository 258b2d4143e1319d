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
    /// The columns of the characters that begin in some bytes.
    fn columns(self, bytes: &[u8]) -> usize {
        match self {
            Encoding::Utf8 => bytes.len(),
            Encoding::Utf16 => {
                let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
                let pairs = bytes.iter().filter(|byte| **byte >= 0xF0).count();
                bytes.iter().filter(begins).count() + pairs
            }
        }
    }

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
    /// The columns before each block of [`BLOCK_BYTES`] bytes: a line may have megabytes.
    blocks: Vec<usize>,
    encoding: Encoding,
}

const BLOCK_BYTES: usize = 512;

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
        let mut blocks = vec![0];
        for block in bytes.chunks(BLOCK_BYTES) {
            blocks.push(blocks[blocks.len() - 1] + encoding.columns(block));
        }
        Lines { text, starts, blocks, encoding }
    }

    /// The columns before an offset, counted from the start of the text.
    fn columns_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK_BYTES;
        let rest = &self.text.as_bytes()[block * BLOCK_BYTES..offset];
        self.blocks[block] + self.encoding.columns(rest)
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
        let character = self.columns_before(offset) - self.columns_before(self.starts[line]);
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
        let text = "a😀b\r\n\rü\n".to_owned() + &"ö😀x".repeat(700) + "\nend";
        let text = text.as_str();
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let lines = Lines::new(text, encoding);
            for (at, letter) in text.char_indices() {
                if letter != '\n' {
                    assert_eq!(lines.offset(lines.position(at)), at, "{at} {encoding:?}");
                }
            }
        }
        let text = "a😀b\r\n\rü\n";
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
