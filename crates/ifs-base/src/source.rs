//! Source texts and positions in them.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

/// The file of a [`Sources`] that a span is in.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct FileId(pub u16);

impl FileId {
    /// The number of the first file that is the same in every compilation.
    pub const FIRST_FIXED: FileId = FileId(0xff00);
}

/// A range of bytes in a source file, half open.
///
/// INVARIANT: both ends lie on character boundaries of the file's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The shortest span that covers both. For spans of two files, the first of them.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether another span is in this one.
    pub fn includes(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// One file that was read: its name as the user knows it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Arc<String>,
}

/// Every file of a compilation, in the order of reading; the fixed ones last.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: BTreeMap<FileId, SourceFile>,
}

impl Sources {
    /// Adds a file. Returns `None` if there are 65,000 files already.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> Option<FileId> {
        let last = self.files.range(..FileId::FIRST_FIXED).next_back();
        let id = last.map_or(FileId(0), |(last, _)| FileId(last.0 + 1));
        (id < FileId::FIRST_FIXED).then(|| self.add_fixed(id, name, text))
    }

    /// Adds a file that already has its number.
    pub fn add_fixed(
        &mut self,
        id: FileId,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> FileId {
        self.files.insert(id, SourceFile { name: name.into(), text: Arc::new(text.into()) });
        id
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(&id)
    }

    pub fn name(&self, id: FileId) -> &str {
        self.get(id).map_or("<unknown>", |source| &source.name)
    }

    /// The text a span covers; empty when the span is not of these sources.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|source| source.text.get(span.range())).unwrap_or("")
    }

    /// Line and column (both from 1, columns in characters) of a span's start.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(before) =
            self.get(span.file).and_then(|source| source.text.get(..span.start as usize))
        else {
            return (1, 1);
        };
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// Lines and columns of many positions. Each file is scanned once, however long its lines are.
pub struct Places<'s> {
    sources: &'s Sources,
    files: BTreeMap<FileId, FilePlaces>,
}

#[derive(Default)]
struct FilePlaces {
    /// The offset of each line.
    lines: Vec<u32>,
    /// The number of characters that start before each block of [`BLOCK_BYTES`] bytes.
    blocks: Vec<u32>,
}

const BLOCK_BYTES: usize = 1024;

impl<'s> Places<'s> {
    pub fn new(sources: &'s Sources) -> Places<'s> {
        Places { sources, files: BTreeMap::new() }
    }

    /// Line and column (both from 1, columns in characters) of a byte.
    pub fn line_column(&mut self, file: FileId, offset: u32) -> (usize, usize) {
        let text = self.text(file);
        let places = self.file(file);
        let line = places.line_of(offset);
        let start = places.lines[line];
        (line + 1, places.characters(text, offset) - places.characters(text, start) + 1)
    }

    /// The line (from 0) that a byte is on, and the bytes of that line without
    /// its end.
    pub fn line(&mut self, file: FileId, offset: u32) -> (usize, Range<usize>) {
        let line = self.file(file).line_of(offset);
        (line, self.line_range(file, line))
    }

    /// The bytes of a line (from 0) without its end; empty after the last.
    pub fn line_range(&mut self, file: FileId, line: usize) -> Range<usize> {
        let text = self.text(file);
        let lines = &self.file(file).lines;
        let start = lines.get(line).map_or(text.len(), |start| *start as usize);
        let end = lines.get(line + 1).map_or(text.len(), |next| *next as usize);
        let written = text.get(start..end).unwrap_or("");
        let written = written.strip_suffix('\n').unwrap_or(written);
        start..start + written.strip_suffix('\r').unwrap_or(written).len()
    }

    fn text(&self, file: FileId) -> &'s str {
        self.sources.get(file).map_or("", |source| &source.text)
    }

    fn file(&mut self, file: FileId) -> &FilePlaces {
        let text = self.text(file);
        self.files.entry(file).or_insert_with(|| FilePlaces::index(text))
    }
}

impl FilePlaces {
    fn index(text: &str) -> FilePlaces {
        let mut places = FilePlaces { lines: vec![0], blocks: Vec::new() };
        let mut characters = 0;
        for (at, byte) in text.bytes().enumerate() {
            if at % BLOCK_BYTES == 0 {
                places.blocks.push(characters);
            }
            characters += u32::from(begins_character(byte));
            if byte == b'\n' {
                places.lines.push(at as u32 + 1);
            }
        }
        places
    }

    fn line_of(&self, offset: u32) -> usize {
        self.lines.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The number of characters that start before an offset.
    fn characters(&self, text: &str, offset: u32) -> usize {
        let offset = (offset as usize).min(text.len());
        let block = (offset / BLOCK_BYTES).min(self.blocks.len().saturating_sub(1));
        let before = self.blocks.get(block).copied().unwrap_or(0) as usize;
        let rest = text.as_bytes().get(block * BLOCK_BYTES..offset).unwrap_or(&[]);
        before + rest.iter().filter(|byte| begins_character(**byte)).count()
    }
}

fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The width of a text on a terminal, in columns.
pub fn width(text: &str) -> usize {
    text.width()
}

#[cfg(test)]
mod tests {
    use super::{Places, Sources, Span};

    #[test]
    fn places_agree_with_sources() {
        let mut sources = Sources::default();
        let text = "eins\r\nzwei ü drei\n\n".to_owned() + &"ö😀x".repeat(900) + "\nend";
        let file = sources.add("a.ifs", text.as_str()).unwrap();
        let mut places = Places::new(&sources);
        let offsets = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        for offset in offsets {
            let span = Span::new(file, offset, offset);
            assert_eq!(places.line_column(file, offset as u32), sources.line_column(span));
        }
        assert_eq!(places.line(file, 2), (0, 0..4));
        assert_eq!(places.line_range(file, 9), text.len()..text.len());
    }
}
