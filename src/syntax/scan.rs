//! The first look at a file: comments, brackets and where each item begins.
//!
//! The parser reads a file item by item, so that a mistake in one of them, even
//! a brace that is never closed, leaves the others readable. Limits are checked
//! here too, in one pass and without recursion: what comes out is safe to hand
//! to a recursive parser.

use crate::diagnostic::{Code, Diagnostic};
use crate::source::{FileId, Span};

use super::ast::Comment;

/// The deepest nesting of brackets and of operators within them.
pub const MAX_DEPTH: usize = 200;

/// The largest file in bytes.
pub const MAX_SIZE: usize = 64 << 20;

#[derive(Clone, Debug, Default)]
pub struct Scan {
    pub chunks: Vec<Chunk>,
    pub comments: Vec<Comment>,
    pub diagnostics: Vec<Diagnostic>,
    /// Deepest nesting found in any chunk.
    pub depth: usize,
}

/// One top-level item as a stretch of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub start: usize,
    pub end: usize,
    /// How many `}` are missing at its end.
    pub unclosed: usize,
    /// Nested beyond [`MAX_DEPTH`]: not to be parsed.
    pub too_deep: bool,
}

/// Words that begin an item and nothing else.
const ITEM_ONLY: [&str; 9] =
    ["benchmark", "dialogue", "feed", "group", "ifs", "import", "mask", "release", "use"];

/// Words that begin an item at the top, and a statement elsewhere.
const ITEM_ALSO: [&str; 5] = ["constraint", "flow", "let", "tags", "test"];

/// Words after which an operand follows, so that `/` begins a regular expression.
const OPERATORS: [&str; 9] = ["and", "or", "not", "in", "if", "then", "else", "where", "check"];

/// Words that make an expression one level deeper.
const PREFIXES: [&str; 10] =
    ["and", "or", "not", "if", "then", "else", "every", "some", "no", "where"];

pub fn scan(file: FileId, text: &str) -> Scan {
    let mut first = Scanner::new(file, text, false);
    first.run();
    if first.scan.chunks.iter().all(|chunk| chunk.unclosed == 0) {
        return first.scan;
    }
    // A brace is missing somewhere: an item's word in the first column closes
    // whatever is still open.
    let mut second = Scanner::new(file, text, true);
    second.run();
    second.scan
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether an item's word in the first column ends an open item.
    strict: bool,
    /// Open brackets: what opened, where, and the operators since the last comma.
    open: Vec<(u8, usize, usize)>,
    operators: usize,
    /// The operators saved in `open`.
    saved: usize,
    /// No token yet on this line; and none, nor a blank, before the place at hand.
    line_begins: bool,
    first_column: bool,
    chunk: Option<usize>,
    /// The end of the last token of the chunk.
    last: usize,
    /// The last token ended an operand, so that `/` would divide.
    operand: bool,
    /// A doc comment stands before the item that has yet to begin.
    documented: bool,
    too_deep: bool,
    scan: Scan,
}

impl<'a> Scanner<'a> {
    fn new(file: FileId, text: &'a str, strict: bool) -> Scanner<'a> {
        let at = if text.starts_with('\u{FEFF}') { 3 } else { 0 };
        Scanner {
            file,
            text,
            bytes: text.as_bytes(),
            at,
            strict,
            open: Vec::new(),
            operators: 0,
            saved: 0,
            line_begins: true,
            first_column: true,
            chunk: None,
            last: 0,
            operand: false,
            documented: false,
            too_deep: false,
            scan: Scan::default(),
        }
    }

    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_begins = true;
                    self.first_column = true;
                }
                b' ' | b'\t' | b'\r' => {
                    self.at += 1;
                    self.first_column = false;
                }
                0xEF if self.text[self.at..].starts_with('\u{FEFF}') => self.at += 3,
                b'/' if self.rest().starts_with("//") => self.comment(),
                b'"' => self.string(),
                b'/' if !self.operand && self.chunk.is_some() => self.regex(),
                b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
                b'0'..=b'9' => self.number(),
                b'{' | b'(' | b'[' => self.opening(byte),
                b'}' | b')' | b']' => self.closing(byte),
                _ => self.sign(byte),
            }
        }
        let end = self.last;
        self.finish(end);
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    fn begin(&mut self, at: usize) {
        self.chunk.get_or_insert(at);
    }

    /// Ends the current chunk at `end`, closing what is open.
    fn finish(&mut self, end: usize) {
        let braces: Vec<usize> =
            self.open.iter().filter(|open| open.0 == b'{').map(|open| open.1).collect();
        if let (true, Some(&outermost)) = (self.strict, braces.last()) {
            self.scan.diagnostics.push(
                Diagnostic::error(Code::UNCLOSED, "this `{` is never closed")
                    .label(self.span(outermost, outermost + 1), "opened here")
                    .label(self.span(end, end), "`}` is missing before this")
                    .help("write `}` where the block ends"),
            );
        }
        if let Some(start) = self.chunk.take()
            && end > start
        {
            let too_deep = self.too_deep;
            self.scan.chunks.push(Chunk { start, end, unclosed: braces.len(), too_deep });
        }
        self.open.clear();
        self.operators = 0;
        self.saved = 0;
        self.operand = false;
        self.documented = false;
        self.too_deep = false;
    }

    fn comment(&mut self) {
        let start = self.at;
        let end = self.rest().find('\n').map_or(self.text.len(), |newline| start + newline);
        let line = self.text[start..end].trim_end();
        let is_doc = line.starts_with("///") && !line.starts_with("////");
        self.at = end;
        if is_doc {
            if self.open.is_empty() && !self.documented {
                let before = self.last;
                self.finish(before);
                self.documented = true;
                self.begin(start);
            }
            self.last = start + line.len();
        } else {
            self.scan.comments.push(Comment {
                text: line.to_owned(),
                span: self.span(start, start + line.len()),
                trailing: !self.line_begins,
            });
        }
    }

    fn string(&mut self) {
        let start = self.at;
        self.begin(start);
        let block = self.rest().starts_with("\"\"\"");
        let quote = if block { "\"\"\"" } else { "\"" };
        let mut at = start + quote.len();
        let end = loop {
            match self.bytes.get(at) {
                None => break None,
                Some(b'\n') if !block => break None,
                Some(b'\\') if !matches!(self.bytes.get(at + 1), None | Some(b'\n')) => at += 2,
                Some(b'"') if self.bytes[at..].starts_with(quote.as_bytes()) => {
                    break Some(at + quote.len());
                }
                Some(_) => at += 1,
            }
        };
        match end {
            Some(end) => self.at = end,
            None => {
                let help =
                    if block { "end it with `\"\"\"`" } else { "end it with `\"` on this line" };
                self.scan.diagnostics.push(
                    Diagnostic::error(Code::UNCLOSED, "this string is never closed")
                        .label(self.span(start, start + quote.len()), "opened here")
                        .help(help),
                );
                self.at = ceil(self.text, at.min(self.text.len()));
            }
        }
        self.token(true);
    }

    fn regex(&mut self) {
        let start = self.at;
        let mut at = start + 1;
        loop {
            match self.bytes.get(at) {
                None | Some(b'\n') => {
                    self.scan.diagnostics.push(
                        Diagnostic::error(
                            Code::UNCLOSED,
                            "this regular expression is never closed",
                        )
                        .label(self.span(start, start + 1), "opened here")
                        .help("end it with `/` on this line"),
                    );
                    break;
                }
                Some(b'\\') if !matches!(self.bytes.get(at + 1), None | Some(b'\n')) => at += 2,
                Some(b'/') => {
                    at += 1;
                    break;
                }
                Some(_) => at += 1,
            }
        }
        self.at = ceil(self.text, at.min(self.text.len()));
        self.token(true);
    }

    fn word(&mut self) {
        let start = self.at;
        let length = self.bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let word = &self.text[start..start + length];
        let (first, column) = (self.line_begins, self.first_column);
        let statement = first && self.operand && self.open.last().is_none_or(|open| open.0 == b'{');
        if statement && !PREFIXES.contains(&word) {
            self.operators = 0;
        }
        let begins = if self.open.is_empty() {
            first && (column || ITEM_ONLY.contains(&word) || ITEM_ALSO.contains(&word))
        } else {
            self.strict && column && ITEM_ONLY.contains(&word)
        };
        if begins && !(self.documented && self.open.is_empty()) {
            let end = self.last;
            self.finish(end);
        }
        self.documented = false;
        self.begin(start);
        self.at = start + length;
        if PREFIXES.contains(&word) {
            self.deepen();
        }
        self.token(!OPERATORS.contains(&word));
    }

    fn number(&mut self) {
        self.begin(self.at);
        let length =
            self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        self.at += length;
        self.token(true);
    }

    fn opening(&mut self, byte: u8) {
        self.begin(self.at);
        self.open.push((byte, self.at, self.operators));
        self.saved += self.operators;
        self.operators = 0;
        self.at += 1;
        self.check_depth();
        self.token(false);
    }

    fn closing(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        if byte == b'}' {
            match self.open.iter().rposition(|open| open.0 == b'{') {
                Some(position) => {
                    self.close(position);
                    self.token(true);
                    if self.open.is_empty() {
                        let end = self.at;
                        self.finish(end);
                    }
                }
                None => {
                    let end = self.last;
                    self.finish(end);
                    self.scan.diagnostics.push(
                        Diagnostic::error(Code::UNCLOSED, "this `}` closes nothing")
                            .label(self.span(start, start + 1), "no `{` is open here")
                            .help("take it out, or open the block it should close"),
                    );
                }
            }
            return;
        }
        self.begin(start);
        let opener = if byte == b')' { b'(' } else { b'[' };
        if self.open.last().is_some_and(|open| open.0 == opener) {
            self.close(self.open.len() - 1);
        }
        self.token(true);
    }

    fn close(&mut self, position: usize) {
        for (_, _, operators) in self.open.drain(position..).rev() {
            self.saved -= operators;
            self.operators = operators;
        }
    }

    fn sign(&mut self, byte: u8) {
        let length = self.rest().chars().next().map_or(1, char::len_utf8);
        self.begin(self.at);
        self.at += length;
        match byte {
            b',' => self.operators = 0,
            b'+' | b'-' | b'*' | b'/' | b'%' | b':' | b'<' | b'>' | b'=' | b'.' => self.deepen(),
            _ => {}
        }
        self.token(byte == b'%' && self.operand);
    }

    fn token(&mut self, operand: bool) {
        self.line_begins = false;
        self.first_column = false;
        self.operand = operand;
        self.last = self.at;
    }

    fn deepen(&mut self) {
        self.operators += 1;
        self.check_depth();
    }

    /// Each line of statements starts afresh: only one expression grows deep.
    fn check_depth(&mut self) {
        let depth = self.open.len() + self.operators + self.saved;
        if depth > MAX_DEPTH && !self.too_deep {
            self.too_deep = true;
            self.scan.diagnostics.push(
                Diagnostic::error(Code::TOO_DEEP, format!("more than {MAX_DEPTH} levels deep"))
                    .label(self.span(self.last, self.at), "too deep from here on")
                    .help("name parts of it with `let`, or split it into several checks"),
            );
        }
        self.scan.depth = self.scan.depth.max(depth);
    }
}

/// The nearest character boundary at or after `at`.
fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
