//! The first pass over a file: comments, brackets and the start of each item.
//!
//! The parser reads a file item by item, so that a mistake in one of them, even an unclosed brace,
//! does not affect the others. This pass also checks limits, without recursion, so its result is
//! safe for a recursive parser.

use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::{FileId, Span};

use super::ast::Comment;

/// The deepest nesting of brackets and of operators within them.
pub const MAX_DEPTH: usize = 200;

/// The largest file in bytes.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The maximum number of mistakes in one file that are reported.
pub const MAX_MISTAKES: usize = 200;

#[derive(Clone, Debug, Default)]
pub struct Scan {
    pub chunks: Vec<Chunk>,
    pub comments: Vec<Comment>,
    pub diagnostics: Vec<Diagnostic>,
    /// The deepest nesting in any chunk.
    pub depth: usize,
    /// The start of a string that includes the rest of the file.
    pub swallowed: Option<usize>,
}

/// One top-level item as a range of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    pub start: usize,
    pub end: usize,
    /// The number of missing `}` at its end.
    pub unclosed: usize,
    /// Positions of blanks to be parsed as `}`, and of `}` to be parsed as blanks, so that the
    /// item's structure matches its indentation.
    pub repairs: Vec<(usize, u8)>,
    /// The diagnostic if no other mistake is found in the item.
    pub suspicion: Option<Diagnostic>,
    /// Nested beyond [`MAX_DEPTH`]: not to be parsed.
    pub too_deep: bool,
}

/// Words that only begin items.
const ITEM_KEYWORDS: [&str; 14] = [
    "audit",
    "benchmark",
    "def",
    "dialogue",
    "feed",
    "group",
    "ifs",
    "import",
    "mask",
    "metric",
    "release",
    "scene",
    "split",
    "use",
];

/// Words that begin an item at the top level, and a statement elsewhere.
const ITEM_OR_STATEMENT_KEYWORDS: [&str; 5] = ["constraint", "flow", "let", "tags", "test"];

/// Items of a keyword, a name and a block.
const BLOCK_ITEMS: [&str; 8] =
    ["benchmark", "constraint", "def", "dialogue", "feed", "flow", "group", "split"];

/// Words before an operand, after which `/` begins a regular expression.
const OPERATOR_KEYWORDS: [&str; 12] =
    ["and", "or", "not", "in", "if", "then", "else", "where", "each", "every", "some", "no"];

/// The same, at positions where no operand is expected: there they would be names.
const STATEMENT_KEYWORDS: [&str; 2] = ["check", "when"];

/// The same at the beginning of a line; elsewhere they may be names.
const BEFORE_OPERAND: [&str; 8] =
    ["ask", "fail", "pass", "prompt", "reply", "return", "show", "weight"];

/// Words that make an expression or a type one level deeper.
const NESTING_KEYWORDS: [&str; 12] =
    ["and", "or", "not", "if", "then", "else", "every", "some", "no", "where", "each", "of"];

pub fn scan(file: FileId, text: &str) -> Scan {
    let mut first = Scanner::new(file, text, false);
    first.run();
    if !first.unbalanced {
        return first.scan;
    }
    // If a brace is missing, indentation counts: an item's keyword in the first column closes
    // everything that is open, and a line closes the blocks that are indented further.
    let mut second = Scanner::new(file, text, true);
    second.run();
    second.scan
}

/// An open bracket.
struct OpenBracket {
    bracket: u8,
    at: usize,
    /// The indentation of its line.
    indent: usize,
    /// The number of operators before it since the last comma.
    operators: usize,
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Whether an item's keyword in the first column ends an open item.
    strict: bool,
    /// Whether braces are unbalanced.
    unbalanced: bool,
    open: Vec<OpenBracket>,
    operators: usize,
    /// The operators saved in `open`.
    saved: usize,
    /// Whether there is no token yet on this line; and neither a token nor a blank before the
    /// current position.
    line_begins: bool,
    first_column: bool,
    line_start: usize,
    /// The bytes before the first token of this line.
    indent: usize,
    chunk: Option<usize>,
    repairs: Vec<(usize, u8)>,
    suspicion: Option<Diagnostic>,
    /// Whether the statements lack the line that opens their block.
    headless: bool,
    /// Whether a line of the chunk is indented, so that an item's keyword in the first column is
    /// outside of it.
    indented: bool,
    /// Whether the item needs a block and has no `{` yet.
    heads: bool,
    /// The end of the last token of the chunk.
    last: usize,
    /// Whether the last token ended an operand, so that `/` is a division.
    operand: bool,
    /// Whether a doc comment precedes the item, which has not begun yet.
    documented: bool,
    /// Whether the item is a `let`, which a `}` does not end: it may be a record's.
    binds: bool,
    /// No regular expression that begins before this position is ever closed.
    no_regex: usize,
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
            unbalanced: false,
            open: Vec::new(),
            operators: 0,
            saved: 0,
            line_begins: true,
            first_column: true,
            line_start: at,
            indent: 0,
            chunk: None,
            repairs: Vec::new(),
            suspicion: None,
            headless: false,
            indented: false,
            heads: false,
            last: 0,
            operand: false,
            documented: false,
            binds: false,
            no_regex: 0,
            too_deep: false,
            scan: Scan::default(),
        }
    }

    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            if self.line_begins {
                self.indent = self.at - self.line_start;
            }
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start = self.at;
                    self.line_begins = true;
                    self.first_column = true;
                }
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C => {
                    self.at += 1;
                    self.first_column = false;
                }
                0xEF if self.text[self.at..].starts_with('\u{FEFF}') => self.at += 3,
                b'/' if self.rest_of_text().starts_with("//") => self.comment(),
                b'"' => self.string(),
                b'/' if !self.operand && self.chunk.is_some() => self.regex(),
                b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.scan_word(),
                b'0'..=b'9' => self.number(),
                b'{' | b'(' | b'[' => self.opening(byte),
                b'}' | b')' | b']' => self.closing(byte),
                _ => self.sign(byte),
            }
        }
        let end = self.last;
        self.finish(end);
    }

    fn rest_of_text(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start, end)
    }

    fn begin_chunk(&mut self, at: usize) {
        self.chunk.get_or_insert(at);
    }

    /// Ends the current chunk at `end`, and closes what is open.
    fn finish(&mut self, end: usize) {
        let unclosed = self.open.iter().filter(|open| open.bracket == b'{').count();
        self.unbalanced |= unclosed > 0;
        if let Some(innermost) = self.open.iter().rfind(|open| open.bracket == b'{')
            && self.suspicion.is_none()
        {
            self.unclosed(innermost.at, end);
        }
        self.end_chunk(end, unclosed);
    }

    fn end_chunk(&mut self, end: usize, unclosed: usize) {
        let repairs = std::mem::take(&mut self.repairs);
        let suspicion = self.suspicion.take();
        if let Some(start) = self.chunk.take()
            && end > start
        {
            let too_deep = self.too_deep;
            self.scan.chunks.push(Chunk { start, end, unclosed, repairs, suspicion, too_deep });
        } else {
            self.scan.diagnostics.extend(suspicion);
        }
        self.open.clear();
        self.operators = 0;
        self.saved = 0;
        self.operand = false;
        self.documented = false;
        self.binds = false;
        self.headless = false;
        self.indented = false;
        self.heads = false;
        self.too_deep = false;
    }

    /// Reports an unclosed block, once for each.
    fn unclosed(&mut self, opened: usize, end: usize) {
        if self.strict
            && self.scan.swallowed.is_none()
            && self.scan.diagnostics.len() < MAX_MISTAKES
        {
            self.scan.diagnostics.push(
                Diagnostic::error(Code::UNCLOSED, "this `{` is never closed")
                    .label(self.span(opened, opened + 1), "opened here")
                    .label(self.span(end, end), "`}` is missing before this")
                    .help("write `}` where the block ends"),
            );
        }
    }

    /// Closes the blocks that the indentation of this line ends. Each replaces one of the blanks
    /// before the line.
    fn outdent(&mut self) {
        let mut blank = self.line_start;
        while let Some(open) = self.open.last()
            && open.bracket == b'{'
            && open.indent >= self.indent
            && open.at < self.line_start
            && self.open.len() > 1
            && self.bytes.get(blank).is_some_and(|byte| matches!(byte, b' ' | b'\t'))
        {
            let opened = open.at;
            self.repairs.push((blank, b'}'));
            self.unbalanced = true;
            self.unclosed(opened, self.last);
            self.close_bracket(self.open.len() - 1);
            blank += 1;
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        let end = self.rest_of_text().find('\n').map_or(self.text.len(), |newline| start + newline);
        let line = self.text[start..end].trim_end();
        let is_doc = line.starts_with("///") && !line.starts_with("////");
        self.at = end;
        if is_doc {
            self.begin_documented(start);
            self.last = start + line.len();
        } else {
            self.scan.comments.push(Comment {
                text: line.to_owned(),
                span: self.span(start, start + line.len()),
                trailing: !self.line_begins,
            });
        }
    }

    /// The lines above an item are in its chunk.
    fn begin_documented(&mut self, start: usize) {
        if self.open.is_empty() && !self.documented {
            let before = self.last;
            self.finish(before);
            self.documented = true;
            self.begin_chunk(start);
        }
    }

    /// An `allow` above an item, which is one line.
    fn allow_line(&mut self, start: usize) {
        self.begin_documented(start);
        let line = self.rest_of_text().lines().next().unwrap_or("");
        let mut quoted = false;
        let mut escaped = false;
        let end = line.char_indices().find(|(at, letter)| {
            let comment = !quoted && line[*at..].starts_with("//");
            quoted ^= *letter == '"' && !escaped;
            escaped = *letter == '\\' && !escaped;
            comment
        });
        let end = end.map_or(line.len(), |(at, _)| at);
        self.at = start + end;
        self.last = start + line[..end].trim_end().len();
        self.line_begins = false;
        self.first_column = false;
    }

    fn string(&mut self) {
        let start = self.at;
        self.begin_chunk(start);
        let block = self.rest_of_text().starts_with("\"\"\"");
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
            None if self.scan.diagnostics.len() >= MAX_MISTAKES => {
                self.at = ceil(self.text, at.min(self.text.len()));
            }
            None => {
                if block {
                    self.scan.swallowed = Some(start);
                }
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

    /// A `/` without a second one on its line may be a division: the grammar decides.
    fn regex(&mut self) {
        let mut at = self.at + 1;
        let end = loop {
            match self.bytes.get(at) {
                None | Some(b'\n') => break None,
                _ if self.at < self.no_regex => break None,
                Some(b'\\') if self.bytes.get(at + 1) != Some(&b'\n') => at += 2,
                Some(b'/') => break Some(at + 1),
                Some(_) => at += 1,
            }
        };
        match end {
            Some(end) => {
                self.at = end;
                self.token(true);
            }
            None => {
                // Searching again from every `/` would take quadratic time.
                self.no_regex = self.no_regex.max(at);
                self.sign(b'/');
            }
        }
    }

    fn scan_word(&mut self) {
        let start = self.at;
        let length = self.bytes[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let word = &self.text[start..start + length];
        let (first, column) = (self.line_begins, self.first_column);
        if word == "allow" && first && self.open.is_empty() {
            self.allow_line(start);
            return;
        }
        if self.strict && first {
            self.outdent();
        }
        let before = &self.text[..self.last];
        let starts = self.operand || before.ends_with('{');
        let begins_line = first && starts;
        // After a dot every word is a field's name.
        let field = before.ends_with('.') && !before.ends_with("..");
        let statement =
            first && self.operand && self.open.last().is_none_or(|open| open.bracket == b'{');
        if statement && !NESTING_KEYWORDS.contains(&word) {
            self.operators = 0;
        }
        // An indented line after an operator or a comma continues with the item.
        let is_item = ITEM_KEYWORDS.contains(&word) || ITEM_OR_STATEMENT_KEYWORDS.contains(&word);
        if self.strict && first && !column && self.heads && self.open.is_empty() {
            // The `{` of the item is missing, and this is its first statement.
            self.headless = true;
        }
        let begins = if self.open.is_empty() {
            first && (column || is_item && self.operand && !self.headless)
        } else {
            self.strict
                && column
                && (ITEM_KEYWORDS.contains(&word)
                    || self.indented && ITEM_OR_STATEMENT_KEYWORDS.contains(&word))
        };
        self.indented |= first && !column && !self.open.is_empty();
        if begins && !(self.documented && self.open.is_empty()) {
            let end = self.last;
            self.finish(end);
        }
        if self.open.is_empty() && (self.documented || self.chunk.is_none()) {
            self.binds = word == "let";
            self.headless = self.strict && !column && !is_item;
            self.heads = column && BLOCK_ITEMS.contains(&word);
        }
        self.documented = false;
        self.begin_chunk(start);
        self.at = start + length;
        if NESTING_KEYWORDS.contains(&word) {
            self.deepen();
        }
        let leads = OPERATOR_KEYWORDS.contains(&word)
            || starts && STATEMENT_KEYWORDS.contains(&word)
            || begins_line && BEFORE_OPERAND.contains(&word);
        self.token(!leads || field);
    }

    fn number(&mut self) {
        self.begin_chunk(self.at);
        let length =
            self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        self.at += length;
        self.token(true);
    }

    fn opening(&mut self, byte: u8) {
        self.begin_chunk(self.at);
        self.heads = false;
        if byte == b'[' && self.operand {
            // An ordinal: `a[1][1]` is a tree of two levels.
            self.operators += 1;
        }
        let (at, indent, operators) = (self.at, self.indent, self.operators);
        self.open.push(OpenBracket { bracket: byte, at, indent, operators });
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
            self.closing_brace(start);
            return;
        }
        self.begin_chunk(start);
        let opener = if byte == b')' { b'(' } else { b'[' };
        if self.open.last().is_some_and(|open| open.bracket == opener) {
            self.close_bracket(self.open.len() - 1);
        }
        self.token(true);
    }

    fn closing_brace(&mut self, start: usize) {
        let first = self.strict && self.line_begins;
        let Some(mut position) = self.open.iter().rposition(|open| open.bracket == b'{') else {
            self.report_stray_brace(start, first);
            return;
        };
        let innermost = &self.open[position];
        if first && innermost.indent < self.indent {
            // The line that opened its block is missing.
            self.repairs.push((start, b' '));
            self.suspect(start);
            self.token(true);
            return;
        }
        let mut behind = 0;
        if first && innermost.indent > self.indent {
            let opened = innermost.at;
            let outer = |open: &OpenBracket| open.bracket == b'{' && open.indent == self.indent;
            if let Some(outer) = self.open.iter().rposition(outer) {
                let within = self.open[outer..position].iter();
                behind = within.filter(|open| open.bracket == b'{').count();
                position = outer;
                self.unbalanced = true;
                self.unclosed(opened, self.last);
            }
        }
        self.close_bracket(position);
        self.token(true);
        if behind > 0 && behind <= self.indent {
            let blanks = self.line_start..self.line_start + behind;
            self.repairs.extend(blanks.map(|blank| (blank, b'}')));
            behind = 0;
        }
        if behind > 0 {
            let outside = self.open.iter().filter(|open| open.bracket == b'{').count();
            let end = self.at;
            self.end_chunk(end, outside + behind);
            return;
        }
        if self.open.is_empty() && !self.binds && !self.headless {
            let end = self.at;
            self.end_chunk(end, 0);
        }
    }

    /// A `}` without an open block.
    fn report_stray_brace(&mut self, start: usize, first: bool) {
        self.unbalanced = true;
        if self.headless && first {
            if self.first_column {
                // The end of a block without a beginning.
                let end = self.last;
                self.finish(end);
                self.last = self.at;
            } else {
                self.repairs.push((start, b' '));
                self.token(true);
            }
            return;
        }
        let end = self.last;
        self.finish(end);
        self.suspect(start);
        self.scan.diagnostics.extend(self.suspicion.take());
    }

    fn suspect(&mut self, start: usize) {
        self.unbalanced = true;
        if self.scan.diagnostics.len() >= MAX_MISTAKES {
            return;
        }
        let label = self.span(start, start + 1);
        self.suspicion.get_or_insert_with(|| {
            Diagnostic::error(Code::UNCLOSED, "this `}` closes nothing")
                .label(label, "no `{` is open here")
                .help("remove it, or open the block that it should close")
        });
    }

    fn close_bracket(&mut self, position: usize) {
        for open in self.open.drain(position..).rev() {
            self.saved -= open.operators;
            self.operators = open.operators;
        }
    }

    fn sign(&mut self, byte: u8) {
        let length = self.rest_of_text().chars().next().map_or(1, char::len_utf8);
        self.begin_chunk(self.at);
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

    /// Each line of statements starts at depth 0: only a single expression can be deep.
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
