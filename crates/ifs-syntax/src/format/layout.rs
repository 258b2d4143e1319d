//! Converts nodes and comments to lines.

use super::LINE_WIDTH;
use super::lines::{FormattedLine, render};
use super::node::{FormatNode, FormatNodeKind, NodeBody};
use crate::ast::Comment;
use ifs_base::source::width;

const INDENT: usize = 2;

pub(super) fn layout(nodes: &[FormatNode<'_>], comments: &[Comment], text: &str) -> String {
    let mut layout = LineLayout { text, comments, lines: Vec::new(), begins: true };
    layout.file(nodes);
    render(layout.lines)
}

struct LineLayout<'t> {
    text: &'t str,
    /// Comments that are not written yet.
    comments: &'t [Comment],
    lines: Vec<FormattedLine>,
    /// Whether the block is empty so far, so that it cannot begin with a blank line.
    begins: bool,
}

impl<'t> LineLayout<'t> {
    fn file(&mut self, nodes: &[FormatNode<'_>]) {
        let mut before: Option<FormatNodeKind> = None;
        for node in nodes {
            let first = self.lines.len();
            let together =
                before == Some(FormatNodeKind::Opening) && node.kind == FormatNodeKind::Opening;
            self.leading(node.start, 0);
            self.node(node, 0);
            // Adds the blank line between two items, unless the author placed it elsewhere.
            let blank = self.lines[first..].iter().take_while(|line| !line.code);
            if before.is_some() && !together && !blank.into_iter().any(|line| line.text.is_empty())
            {
                self.lines.insert(first, FormattedLine::default());
            }
            before = Some(node.kind);
        }
        self.leading(usize::MAX, 0);
    }

    fn nodes(&mut self, body: &NodeBody<'_>, indent: usize) {
        let mut row: Option<usize> = None;
        for node in &body.nodes {
            let joins = node.kind == FormatNodeKind::Weighted
                && row.is_some_and(|end| {
                    let between = self.text.get(end..node.start).unwrap_or("\n");
                    !between.contains('\n')
                })
                && self.join(node);
            if !joins {
                self.leading(node.start, indent);
                self.node(node, indent);
            }
            row = (node.kind == FormatNodeKind::Weighted).then_some(node.end);
        }
        self.leading(body.close, indent);
    }

    /// Appends an alternative to the line of the previous one.
    fn join(&mut self, node: &FormatNode<'_>) -> bool {
        if self.comments_inside(node.start, node.end) > 0 || node.head.is_multiline() {
            return false;
        }
        let Some(line) = self.lines.last_mut().filter(|line| line.comment.is_none()) else {
            return false;
        };
        if width(&line.text) + 2 + node.head.width() > LINE_WIDTH {
            return false;
        }
        line.text.push_str("  ");
        line.text.push_str(&node.head.text);
        true
    }

    fn node(&mut self, node: &FormatNode<'_>, indent: usize) {
        let head_end = node.body.as_ref().map_or(node.end, |body| body.open);
        let between_docs = self.comments_inside(node.start, node.words);
        let inside = self.comments_inside(node.start, head_end);
        let behind = node.body.as_ref().map_or(node.end, |body| body.open + 1);
        // A comment between words is moved after them if it is on its own line.
        let alone = inside == 1 && between_docs == 0 && !self.has_trailing(behind, inside);
        self.blank(node.start);
        let (moved, rest) = self.comments.split_at(inside);
        self.comments = rest;
        if !alone {
            for comment in moved {
                self.line(indent, &comment.text, false);
            }
        }
        for doc in node.docs.iter().flat_map(|docs| &docs.lines) {
            self.line(indent, format!("///{}", doc.text).trim_end(), false);
        }
        for allow in node.docs.iter().flat_map(|docs| &docs.allows) {
            let reason = self.text.get(allow.reason.span.range()).unwrap_or("\"\"");
            self.line(indent, &format!("allow {} because {reason}", allow.code.text), false);
        }
        let one_line = self.one_line(node, indent);
        let both = node.otherwise.is_some();
        let opened = |body: &&NodeBody<'_>| one_line.is_none() && (both || !self.is_empty(body));
        let opened = node.body.as_ref().filter(opened);
        match (one_line, &node.body) {
            (Some(text), _) => self.statement(node, indent, &text),
            (None, None) => self.wrapped(node, indent, ""),
            (None, Some(_)) if opened.is_none() => self.wrapped(node, indent, " {}"),
            (None, Some(_)) => self.wrapped(node, indent, " {"),
        }
        if alone && let (Some(comment), Some(line)) = (moved.first(), self.lines.last_mut()) {
            line.comment = Some(comment.text.clone());
        }
        if let Some(body) = opened {
            self.begins = true;
            self.nodes(body, indent + INDENT);
            if let Some(body) = &node.otherwise {
                self.line(indent, "} else {", true);
                self.begins = true;
                self.nodes(body, indent + INDENT);
            }
            self.line(indent, "}", true);
        }
        self.begins = false;
    }

    fn statement(&mut self, node: &FormatNode<'_>, indent: usize, text: &str) {
        self.line(indent, text, true);
        if node.kind == FormatNodeKind::Aligned
            && let Some(line) = self.lines.last_mut()
        {
            let end = text.find(' ').unwrap_or(text.len());
            line.word = Some((indent, indent + end));
        }
    }

    fn wrapped(&mut self, node: &FormatNode<'_>, indent: usize, tail: &str) {
        for (number, line) in node.head.lines(indent, tail).into_iter().enumerate() {
            self.line(if number == 0 { indent } else { 0 }, &line, true);
        }
    }

    /// The node on one line, if that is allowed and it fits.
    fn one_line(&self, node: &FormatNode<'_>, indent: usize) -> Option<String> {
        let text = self.flat(node)?;
        (indent + width(&text) <= LINE_WIDTH).then_some(text)
    }

    fn flat(&self, node: &FormatNode<'_>) -> Option<String> {
        if node.head.is_multiline() {
            return None;
        }
        let head = &node.head.text;
        let Some(body) = &node.body else { return Some(head.clone()) };
        if node.otherwise.is_some() {
            return None;
        }
        if self.is_empty(body) {
            return Some(format!("{head} {{}}"));
        }
        if self.text.get(node.words..node.end).is_none_or(|written| written.contains('\n')) {
            return None;
        }
        let parts = match (body.separator, body.nodes.as_slice()) {
            (None, [only]) if only.body.is_none() => vec![self.flat(only)?],
            (None, _) => return None,
            (Some(_), nodes) => nodes.iter().map(|node| self.flat(node)).collect::<Option<_>>()?,
        };
        Some(format!("{head} {{ {} }}", parts.join(body.separator.unwrap_or(" "))))
    }

    fn is_empty(&self, body: &NodeBody<'_>) -> bool {
        body.nodes.is_empty() && self.comments_inside(body.open, body.close) == 0
    }

    /// Writes the comments before a position.
    fn leading(&mut self, before: usize, indent: usize) {
        while let Some((comment, rest)) = self.comments.split_first() {
            if comment.span.start as usize >= before {
                return;
            }
            self.comments = rest;
            match self.lines.last_mut() {
                Some(line) if comment.trailing && line.code && line.comment.is_none() => {
                    line.comment = Some(comment.text.clone());
                }
                _ => {
                    self.blank(comment.span.start as usize);
                    self.line(indent, &comment.text, false);
                }
            }
        }
    }

    /// The number of unwritten comments within a range of the text.
    fn comments_inside(&self, start: usize, end: usize) -> usize {
        let begun = self.comments.partition_point(|comment| (comment.span.start as usize) < start);
        self.comments.partition_point(|comment| (comment.span.start as usize) < end) - begun
    }

    /// Whether a comment follows on the same line; some may be before it.
    fn has_trailing(&self, behind: usize, skipped: usize) -> bool {
        let Some(comment) = self.comments.get(skipped) else { return false };
        let between = self.text.get(behind..comment.span.start as usize).unwrap_or("\n");
        between.chars().all(|letter| matches!(letter, ' ' | '\t' | ','))
    }

    /// Writes a blank line if the author left one before this position.
    fn blank(&mut self, before: usize) {
        let text = self.text.get(..before).unwrap_or("");
        let written = text.trim_end_matches([' ', '\t', '\r', '\n', '\u{FEFF}']);
        let breaks = text[written.len()..].bytes().filter(|byte| *byte == b'\n').count();
        if breaks > 1 && !self.begins && !self.lines.last().is_none_or(|line| line.text.is_empty())
        {
            self.lines.push(FormattedLine::default());
        }
    }

    fn line(&mut self, indent: usize, text: &str, code: bool) {
        let text = format!("{}{text}", " ".repeat(if text.is_empty() { 0 } else { indent }));
        self.lines.push(FormattedLine { text, code, ..FormattedLine::default() });
        self.begins = false;
    }
}
