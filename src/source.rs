//! Text and places in it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Which file of a [`Sources`] a place is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FileId(pub u16);

/// A stretch of a source file, in bytes, half open.
///
/// INVARIANT: both ends lie on character boundaries of the file's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The shortest span that covers both. Spans of two files give the first.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span just behind this one.
    pub fn behind(self) -> Span {
        Span { start: self.end, ..self }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
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
pub struct Source {
    pub name: String,
    pub text: Arc<str>,
}

/// Every file that took part in a compilation, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file. Returns `None` when there are already 65,535 of them.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> Option<FileId> {
        let id = u16::try_from(self.files.len()).ok()?;
        self.files.push(Source { name: name.into(), text: text.into() });
        Some(FileId(id))
    }

    pub fn get(&self, id: FileId) -> Option<&Source> {
        self.files.get(usize::from(id.0))
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

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(at, source)| (FileId(at as u16), source))
    }
}
