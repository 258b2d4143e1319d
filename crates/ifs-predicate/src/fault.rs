//! Why an expression has no value.

use std::fmt;

use ifs_base::source::Span;

/// An expression that has no value: a check with one does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalError {
    /// A lower-case fragment in the author's terms: ``there is no `paragraph[3]` ``.
    pub message: String,
    /// The innermost part of the tree that has no value.
    pub span: Span,
    /// The value exists but cannot be told from this text: the check is neither met nor missed.
    pub is_undecided: bool,
}

impl EvalError {
    pub fn new(message: impl Into<String>) -> EvalError {
        EvalError { message: message.into(), span: Span::default(), is_undecided: false }
    }

    /// The value cannot be told from this text.
    pub fn undecided(message: impl Into<String>) -> EvalError {
        EvalError { is_undecided: true, ..EvalError::new(message) }
    }

    /// Sets the position of a fault without one.
    pub(super) fn with_span(mut self, span: Span) -> EvalError {
        if self.span == Span::default() {
            self.span = span;
        }
        self
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EvalError {}
