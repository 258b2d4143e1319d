//! A text that was made from another one, with the place that each character comes from.

use std::ops::Range;

/// A text made from a source. What is inserted comes from the stretch that it replaces.
#[derive(Debug, Default)]
pub(super) struct TrackedText {
    pub(super) text: String,
    /// For each byte of `text`, where its character begins in the source, and where it ends. Both
    /// ascend.
    origins: Vec<(u32, u32)>,
}

impl TrackedText {
    /// Whether the places of a source fit in 32 bits.
    pub(super) fn holds(source: &str) -> bool {
        u32::try_from(source.len()).is_ok()
    }

    /// A stretch of the source, unchanged.
    pub(super) fn stretch(source: &str, range: Range<usize>) -> TrackedText {
        let mut made = TrackedText::default();
        made.push_stretch(source, range);
        made
    }

    /// Appends a stretch of the source.
    pub(super) fn push_stretch(&mut self, source: &str, range: Range<usize>) {
        let start = range.start;
        for (at, c) in source.get(range).unwrap_or("").char_indices() {
            self.push(c, start + at..start + at + c.len_utf8());
        }
    }

    /// Appends a character that comes from this place of the source.
    pub(super) fn push(&mut self, c: char, origin: Range<usize>) {
        self.text.push(c);
        let origin = (origin.start as u32, origin.end as u32);
        self.origins.resize(self.text.len(), origin);
    }

    /// Appends what replaces a stretch of the source.
    pub(super) fn push_str(&mut self, text: &str, origin: &Range<usize>) {
        text.chars().for_each(|c| self.push(c, origin.clone()));
    }

    /// The stretch of the source that a stretch of the text comes from.
    pub(super) fn origin(&self, range: Range<usize>) -> Range<usize> {
        let end_of_source = || self.origins.last().map_or(0, |(_, end)| *end as usize);
        let start = self.origins.get(range.start).map_or_else(end_of_source, |at| at.0 as usize);
        if range.is_empty() {
            return start..start;
        }
        let end = self.origins.get(range.end - 1).map_or_else(end_of_source, |at| at.1 as usize);
        start..end
    }

    /// The text with each stretch of these, which ascend, replaced.
    pub(super) fn edited(&self, edits: &[Edit]) -> TrackedText {
        let mut made = TrackedText::default();
        let mut at = 0;
        for Edit { range, replacement } in edits {
            if range.start < at {
                continue;
            }
            made.copy(self, at..range.start);
            made.push_str(replacement, &self.origin(range.clone()));
            at = range.end;
        }
        made.copy(self, at..self.text.len());
        made
    }

    fn copy(&mut self, other: &TrackedText, range: Range<usize>) {
        self.text.push_str(other.text.get(range.clone()).unwrap_or(""));
        self.origins.extend_from_slice(other.origins.get(range).unwrap_or(&[]));
    }

    /// Removes everything from a place on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.origins.truncate(self.text.len());
    }

    /// The stretch that comes from a stretch of the source.
    pub(super) fn place_of(&self, origin: &Range<usize>) -> Option<Range<usize>> {
        let start = self.origins.partition_point(|at| (at.0 as usize) < origin.start);
        let end = self.origins.partition_point(|at| (at.1 as usize) <= origin.end);
        (start < end).then_some(start..end)
    }
}

/// A stretch of a text, and what replaces it.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) replacement: String,
}

impl Edit {
    /// Leaves a stretch out.
    pub(super) fn omit(range: Range<usize>) -> Edit {
        Edit { range, replacement: String::new() }
    }
}
