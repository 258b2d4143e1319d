//! The parser: returns as much of a tree as possible, and every mistake.
//!
//! This folder is the only place that names pest. The grammar is in `grammar/ifs.pest`.
//! `grammar.rs` has the generated parser; `items.rs`, `dialogue.rs` and `expression.rs` convert its
//! pairs to the tree; and `broken.rs` explains syntax errors.

mod broken;
mod constraint;
mod dialogue;
mod expression;
mod forms;
mod grammar;
mod items;
mod nodes;
mod scene;

use std::borrow::Cow;

use ifs_base::diagnostic::{Code, Diagnostic, Diagnostics};
use ifs_base::source::{FileId, Span};

use super::ast::{Allow, Ast, Comment};
use super::scan::{self, Chunk};
use grammar::{GrammarPair, Rule};

pub use nodes::{ExpectedNext, SyntaxNode, expected, nodes};

/// Deeper scenarios are parsed on a thread with a larger stack.
const MAX_SHALLOW_DEPTH: usize = 24;
const DEEP_STACK: usize = 256 << 20;

/// Parses a file. Never fails: mistakes are in the diagnostics.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Ast {
    if text.len() > scan::MAX_FILE_BYTES {
        diagnostics.push(
            Diagnostic::error(
                Code::TOO_LARGE,
                format!(
                    "the file has {} MiB; at most {} are read",
                    text.len() >> 20,
                    scan::MAX_FILE_BYTES >> 20
                ),
            )
            .label(Span::new(file, 0, 0), "")
            .help("split it into several files and `import` them"),
        );
        return Ast { file, ..Ast::default() };
    }
    let scan = scan::scan(file, text);
    let depth = scan.depth;
    let swallowed = scan.swallowed;
    let work = move || parse_scanned(file, text, scan);
    let (ast, mut found) = if depth <= MAX_SHALLOW_DEPTH { work() } else { on_deep_stack(work) };
    if let Some(start) = swallowed {
        // Everything after it is missing because it is inside the string.
        found.retain(|found| found.span().is_none_or(|span| span.start as usize <= start));
    }
    found.sort_by_key(Diagnostic::span);
    diagnostics.extend(found);
    ast
}

/// Runs on a large stack where the platform has threads.
fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send + Clone) -> T {
    let again = work.clone();
    std::thread::scope(|scope| {
        match std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work) {
            Ok(handle) => match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(_) => again(),
        }
    })
}

fn parse_scanned(file: FileId, text: &str, scan: scan::Scan) -> (Ast, Vec<Diagnostic>) {
    let text = without_comments(text, &scan.comments);
    let mut builder = TreeBuilder {
        file,
        text: &text,
        base: 0,
        diagnostics: scan.diagnostics,
        allows: Vec::new(),
        poisoned: Vec::new(),
        misplaced: Vec::new(),
    };
    let mut ast = Ast { file, ..Ast::default() };
    for chunk in scan.chunks {
        builder.chunk(chunk, &mut ast);
    }
    ast.comments = scan.comments;
    ast.allows = builder.allows;
    ast.poisoned = builder.poisoned;
    (ast, builder.diagnostics)
}

/// Replaces comments by blanks, so positions do not change. Otherwise the parser would have to look
/// for a comment between any two words.
fn without_comments<'t>(text: &'t str, comments: &[Comment]) -> Cow<'t, str> {
    if comments.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for comment in comments {
        let span = comment.span.range();
        plain.push_str(text.get(plain.len()..span.start).unwrap_or(""));
        plain.extend(std::iter::repeat_n(' ', span.len()));
    }
    plain.push_str(text.get(plain.len()..).unwrap_or(""));
    Cow::Owned(plain)
}

/// The text of an item with balanced braces; positions do not change.
fn repair(slice: &str, chunk: &Chunk) -> String {
    let mut text = String::with_capacity(slice.len() + chunk.unclosed + 1);
    let mut from = 0;
    for (at, byte) in &chunk.repairs {
        // Only single-byte characters are replaced.
        let at = at.saturating_sub(chunk.start);
        text.push_str(slice.get(from..at).unwrap_or(""));
        text.push(char::from(*byte));
        from = at + 1;
    }
    text.push_str(slice.get(from..).unwrap_or(""));
    text.push('\n');
    text.extend(std::iter::repeat_n('}', chunk.unclosed));
    text
}

/// Converts the pairs of each chunk to the tree.
struct TreeBuilder<'t> {
    file: FileId,
    /// With blanks in place of comments.
    text: &'t str,
    /// The offset of the current chunk in the file.
    base: usize,
    diagnostics: Vec<Diagnostic>,
    allows: Vec<Allow>,
    poisoned: Vec<String>,
    /// Misplaced statements that were reported: the item, the block, and the block they belong in.
    misplaced: Vec<(usize, broken::BrokenIn, Rule)>,
}

impl TreeBuilder<'_> {
    fn chunk(&mut self, chunk: Chunk, ast: &mut Ast) {
        self.base = chunk.start;
        let slice = &self.text[chunk.start..chunk.end];
        if chunk.too_deep {
            self.record_broken_names(slice);
            return;
        }
        let repaired;
        let source = if chunk.unclosed == 0 && chunk.repairs.is_empty() {
            slice
        } else {
            repaired = repair(slice, &chunk);
            &repaired
        };
        let known = self.diagnostics.len();
        match grammar::parse(Rule::chunk, source) {
            Ok(pair) => {
                if self.item(pair, ast).is_none() {
                    self.report(0, slice.len(), "this item could not be read", None);
                }
            }
            Err(mistake) => {
                self.record_broken_names(slice);
                self.explain(slice, &mistake, broken::BrokenIn::Top);
            }
        }
        if self.diagnostics.len() == known {
            self.diagnostics.extend(chunk.suspicion);
        }
    }

    fn span(&self, pair: &GrammarPair<'_>) -> Span {
        let span = pair.as_span();
        // The text that was added to close the chunk is after the file's end.
        let limit = |at: usize| (self.base + at).min(self.text.len());
        let (start, end) = (limit(span.start()), limit(span.end()));
        Span::new(self.file, start, self.written_end(start, end))
    }

    /// The end of a range without trailing blanks, which a pair includes if an optional part after
    /// them is missing.
    fn written_end(&self, start: usize, end: usize) -> usize {
        let text = self.text.get(start..end).unwrap_or("");
        let blank = |letter| matches!(letter, ' ' | '\t'..='\r' | '\u{FEFF}');
        start + text.trim_end_matches(blank).len()
    }

    fn report(&mut self, start: usize, end: usize, message: &str, help: Option<&str>) {
        let span = Span::new(self.file, self.base + start, self.base + end);
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, message).label(span, "");
        diagnostic.help = help.map(str::to_owned);
        self.diagnostics.push(diagnostic);
    }

    /// Records the names in a text with a syntax error.
    fn record_broken_names(&mut self, text: &str) {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        self.poisoned.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
}
