//! Words on a line, and where the line may be broken.

use super::LINE_WIDTH;
use ifs_base::source::width;

/// The indentation of continuation lines.
const CONTINUATION_INDENT: usize = 4;

#[derive(Clone, Copy)]
struct Break {
    at: usize,
    level: usize,
    /// Begins a line wherever one of its level does; others fill lines.
    aligned: bool,
}

/// The words of a statement. Its line breaks are those of block strings.
#[derive(Clone)]
pub(super) struct Phrase<'t> {
    pub source: &'t str,
    pub text: String,
    /// Blanks at which the line may be broken; the outermost have the lowest level.
    breaks: Vec<Break>,
    pub level: usize,
}

impl<'t> Phrase<'t> {
    pub fn new(source: &'t str) -> Phrase<'t> {
        Phrase { source, text: String::new(), breaks: Vec::new(), level: 0 }
    }

    /// Appends to the text without a blank.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a word after a blank.
    pub fn push_word(&mut self, word: &str) -> &mut Self {
        self.space().push(word)
    }

    pub fn space(&mut self) -> &mut Self {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self
    }

    /// A blank at which the line may be broken.
    pub fn gap(&mut self) -> &mut Self {
        self.break_line(false)
    }

    /// A blank at which either all of its level are broken, or none.
    pub fn aligned_gap(&mut self) -> &mut Self {
        self.break_line(true)
    }

    fn break_line(&mut self, aligned: bool) -> &mut Self {
        self.breaks.push(Break { at: self.text.len(), level: self.level, aligned });
        self.push(" ")
    }

    /// Appends items separated by commas; they are broken only if breaks after commas do not do.
    pub fn listed<T>(&mut self, things: &[T], mut each: impl FnMut(&mut Self, &T)) -> &mut Self {
        for (at, thing) in things.iter().enumerate() {
            if at > 0 {
                self.push(",").gap();
            }
            self.nested(|phrase| each(phrase, thing));
        }
        self
    }

    /// Appends text in brackets, which is broken only if nothing outside can be.
    pub fn nested(&mut self, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.level += 1;
        write(self);
        self.level -= 1;
        self
    }

    pub fn is_multiline(&self) -> bool {
        self.text.contains('\n')
    }

    pub fn width(&self) -> usize {
        width(&self.text)
    }

    /// The lines of this phrase at an indentation; continuation lines are indented further.
    pub fn lines(&self, indent: usize, tail: &str) -> Vec<String> {
        let mut phrase = self.clone();
        phrase.push(tail);
        let mut wrap = Wrap { phrase: &phrase, indent, lines: vec![String::new()], column: indent };
        wrap.write(0, phrase.text.len(), 0);
        wrap.lines
    }
}

struct Wrap<'p, 't> {
    phrase: &'p Phrase<'t>,
    indent: usize,
    lines: Vec<String>,
    column: usize,
}

impl Wrap<'_, '_> {
    /// Writes a range of the phrase, broken at the outermost necessary breaks.
    fn write(&mut self, start: usize, end: usize, from: usize) {
        let text = &self.phrase.text[start..end];
        let inside = |one: &&Break| start < one.at && one.at < end;
        let level = self.phrase.breaks[from..].iter().filter(inside).map(|one| one.level).min();
        let Some(level) = level.filter(|_| !self.fits(text)) else {
            self.push(text);
            return;
        };
        let breaks = &self.phrase.breaks;
        let places = breaks.iter().enumerate().skip(from);
        let mut segments = Vec::new();
        let (mut begin, mut index) = (start, from);
        let mut aligned = false;
        for (number, place) in places.filter(|(_, place)| inside(place) && place.level == level) {
            segments.push((begin, place.at, index));
            (begin, index) = (place.at + 1, number + 1);
            aligned |= place.aligned;
        }
        segments.push((begin, end, index));
        // Text after a broken part begins a new line, so that it does not look like a part of it.
        let mut broken = false;
        for (number, (begin, end, index)) in segments.into_iter().enumerate() {
            let text = &self.phrase.text[begin..end];
            if number > 0 {
                self.column += 1;
                if self.fits(text) && !broken && !aligned {
                    self.last_line().push(' ');
                } else {
                    self.lines.push(" ".repeat(self.indent + CONTINUATION_INDENT));
                    self.column = self.indent + CONTINUATION_INDENT;
                }
            }
            let lines = self.lines.len();
            let outer = self.indent;
            self.indent += if aligned { CONTINUATION_INDENT } else { 0 };
            self.write(begin, end, index);
            self.indent = outer;
            broken = self.lines.len() > lines;
        }
    }

    fn fits(&self, text: &str) -> bool {
        self.column + width(text.split('\n').next().unwrap_or("")) <= LINE_WIDTH
    }

    fn push(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.lines.push(String::new());
                self.column = 0;
                if !line.is_empty() {
                    let blanks = " ".repeat(self.indent);
                    self.last_line().push_str(&blanks);
                    self.column = self.indent;
                }
            }
            self.last_line().push_str(line);
            self.column += width(line);
        }
    }

    fn last_line(&mut self) -> &mut String {
        if self.lines.is_empty() {
            self.lines.push(String::new());
        }
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }
}
