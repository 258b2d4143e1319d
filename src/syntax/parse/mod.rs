//! The parser: text in, as much of a tree as there is, and every mistake.
//!
//! This folder is the only place that names pest. The grammar is in
//! `grammar/ifs.pest`; `grammar.rs` holds the generated parser, `items.rs`,
//! `dialogue.rs` and `expression.rs` turn its pairs into the tree, and
//! `broken.rs` explains what could not be read.

mod broken;
mod constraint;
mod dialogue;
mod expression;
mod grammar;
mod items;

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Span};

use super::ast::Ast;
use super::scan::{self, Chunk};
use grammar::{Pair, Rule};

/// Deeper programs are parsed on a thread with a stack of their own.
const SHALLOW: usize = 24;
const DEEP_STACK: usize = 256 << 20;

/// Parses a file. Never fails: what cannot be read is in the diagnostics.
pub fn parse(file: FileId, text: &str, diagnostics: &mut Diagnostics) -> Ast {
    if text.len() > scan::MAX_SIZE {
        diagnostics.push(
            Diagnostic::error(
                Code::TOO_LARGE,
                format!(
                    "the file has {} MiB; at most {} are read",
                    text.len() >> 20,
                    scan::MAX_SIZE >> 20
                ),
            )
            .label(Span::new(file, 0, 0), "")
            .help("split it into several files and `import` them"),
        );
        return Ast { file, ..Ast::default() };
    }
    let scan = scan::scan(file, text);
    let depth = scan.depth;
    let work = move || parse_scanned(file, text, scan);
    let (ast, mut found) = if depth <= SHALLOW { work() } else { on_deep_stack(work) };
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
    let mut builder =
        Builder { file, text, base: 0, diagnostics: scan.diagnostics, poisoned: Vec::new() };
    let mut ast = Ast { file, comments: scan.comments, ..Ast::default() };
    for chunk in scan.chunks {
        builder.chunk(chunk, &mut ast);
    }
    ast.poisoned = builder.poisoned;
    (ast, builder.diagnostics)
}

/// Turns the pairs of one chunk after the other into the tree.
struct Builder<'t> {
    file: FileId,
    text: &'t str,
    /// Where the chunk at hand begins in the file.
    base: usize,
    diagnostics: Vec<Diagnostic>,
    poisoned: Vec<String>,
}

impl Builder<'_> {
    fn chunk(&mut self, chunk: Chunk, ast: &mut Ast) {
        self.base = chunk.start;
        let slice = &self.text[chunk.start..chunk.end];
        if chunk.too_deep {
            self.poison(slice);
            return;
        }
        let closed;
        let source = if chunk.unclosed == 0 {
            slice
        } else {
            closed = format!("{slice}\n{}", "}".repeat(chunk.unclosed));
            &closed
        };
        match grammar::parse(Rule::chunk, source) {
            Ok(pair) => {
                if self.item(pair, ast).is_none() {
                    self.report(0, slice.len(), "this item could not be read", None);
                }
            }
            Err(mistake) => {
                self.poison(slice);
                self.explain(slice, &mistake, broken::Place::Top);
            }
        }
    }

    fn span(&self, pair: &Pair<'_>) -> Span {
        let span = pair.as_span();
        // What was added to close the chunk lies behind the file's end.
        let limit = |at: usize| (self.base + at).min(self.text.len());
        let text = pair.as_str();
        let end = span.start() + text.trim_end().len().max(usize::from(!text.is_empty()));
        Span::new(self.file, limit(span.start()), limit(end.min(span.end())))
    }

    fn report(&mut self, start: usize, end: usize, message: &str, help: Option<&str>) {
        let span = Span::new(self.file, self.base + start, self.base + end);
        let mut diagnostic = Diagnostic::error(Code::SYNTAX, message).label(span, "");
        diagnostic.help = help.map(str::to_owned);
        self.diagnostics.push(diagnostic);
    }

    /// Remembers the names in a text that could not be read.
    fn poison(&mut self, text: &str) {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        self.poisoned.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
}
