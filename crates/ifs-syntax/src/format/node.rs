//! The layout's view of a scenario: heads, blocks and positions.

use super::phrase::Phrase;
use crate::ast::Docs;
use ifs_base::source::Span;

/// An item, a statement, or anything else that may be on a line of its own.
pub(super) struct FormatNode<'t> {
    pub docs: Option<&'t Docs>,
    /// The start including docs, the start of its words, and its end.
    pub start: usize,
    pub words: usize,
    pub end: usize,
    pub head: Phrase<'t>,
    pub body: Option<NodeBody<'t>>,
    /// The block after `else`.
    pub otherwise: Option<NodeBody<'t>>,
    pub kind: FormatNodeKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FormatNodeKind {
    /// A line whose first word is padded to those of its neighbours.
    Aligned,
    /// A line, or an item with a block.
    Plain,
    /// On a line with its neighbours if the source has it so.
    Weighted,
    /// `use`, `import`, `let`: items that need no blank lines between them.
    Opening,
}

pub(super) struct NodeBody<'t> {
    /// The positions of its braces.
    pub open: usize,
    pub close: usize,
    pub nodes: Vec<FormatNode<'t>>,
    /// The separator between its nodes on one line; `None` if only a single statement may be.
    pub separator: Option<&'static str>,
}

impl<'t> NodeBody<'t> {
    fn new(span: Span, nodes: Vec<FormatNode<'t>>) -> NodeBody<'t> {
        let (open, end) = (span.start as usize, span.end as usize);
        NodeBody { open, close: end.saturating_sub(1).max(open), nodes, separator: None }
    }
}

impl<'t> FormatNode<'t> {
    pub fn new(source: &'t str, span: Span, head: Phrase<'t>) -> FormatNode<'t> {
        let (start, end) = (span.start as usize, (span.end as usize).min(source.len()));
        FormatNode {
            docs: None,
            start,
            words: start,
            end,
            head,
            body: None,
            otherwise: None,
            kind: FormatNodeKind::Plain,
        }
    }

    pub fn kind(self, kind: FormatNodeKind) -> FormatNode<'t> {
        FormatNode { kind, ..self }
    }

    /// With doc comments and `allow` lines, which its span may or may not cover.
    pub fn docs(mut self, source: &str, docs: &'t Docs) -> FormatNode<'t> {
        if let Some(span) = docs.span() {
            self.docs = Some(docs);
            self.start = self.start.min(span.start as usize);
            self.words = self.words.max(skip(source, span.end as usize));
        }
        self
    }

    /// With a block, whose `{` is the first one at or after a place.
    pub fn body(self, source: &str, behind: u32, nodes: Vec<FormatNode<'t>>) -> FormatNode<'t> {
        let open = brace(source, behind as usize).unwrap_or(self.end);
        let close = self.end.saturating_sub(1).max(open);
        FormatNode { body: Some(NodeBody { open, close, nodes, separator: None }), ..self }
    }

    /// With a block whose braces are the ends of a span.
    pub fn block(self, span: Span, nodes: Vec<FormatNode<'t>>) -> FormatNode<'t> {
        FormatNode { body: Some(NodeBody::new(span, nodes)), ..self }
    }

    /// With a second block after `else`.
    pub fn with_else(self, span: Span, nodes: Vec<FormatNode<'t>>) -> FormatNode<'t> {
        FormatNode { otherwise: Some(NodeBody::new(span, nodes)), ..self }
    }

    /// The nodes of its block may share a line.
    pub fn separated(mut self, separator: &'static str) -> FormatNode<'t> {
        if let Some(body) = &mut self.body {
            body.separator = Some(separator);
        }
        self
    }
}

/// The first position from here that is neither blank nor in a comment.
fn skip(source: &str, mut at: usize) -> usize {
    loop {
        let rest = source.get(at..).unwrap_or("");
        let blanks =
            rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{FEFF}']).len();
        at += blanks;
        if !source.get(at..).unwrap_or("").starts_with("//") {
            return at;
        }
        at += source[at..].find('\n').unwrap_or(source.len() - at);
    }
}

/// The first `{` from here that is not in a comment.
fn brace(source: &str, mut at: usize) -> Option<usize> {
    loop {
        at = skip(source, at);
        let letter = source.get(at..)?.chars().next()?;
        if letter == '{' {
            return Some(at);
        }
        at += letter.len_utf8();
    }
}
