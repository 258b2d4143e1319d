//! The diagnostics of the compiler: one value for each mistake.

mod allowed;
mod codes;
mod json;
mod render;
mod suggest;
mod visible;

pub use allowed::AllowedWarnings;
pub use codes::{CODES, Code};
pub use json::to_json;
pub use render::{render, render_abridged};
pub use suggest::closest;
pub use visible::{visible, visible_json, visible_lines, visible_painted, visible_text};

use serde::Serialize;

use crate::source::{FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// An error or a warning: what is wrong, where, and what to write instead.
///
/// The message is a lower-case fragment without a final period, in the terms of the language, with
/// user input in backticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub message: String,
    /// The first label marks the mistake.
    pub labels: Vec<Label>,
    pub help: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

impl Diagnostic {
    /// The file, the name at the end of the message, and the suggested name.
    fn cause(&self) -> (Option<FileId>, Option<&str>, Option<&str>) {
        let name = self.message.rsplit('`').nth(1);
        let meant = self.help.as_deref().and_then(|help| help.split('?').next());
        (self.span().map(|span| span.file), name, meant)
    }

    pub fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: cut(message.into()),
            labels: Vec::new(),
            help: None,
        }
    }

    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: cut(text.into()) });
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(cut(help.into()));
        self
    }

    /// Adds `did you mean …` if one of the candidates is similar to the written name.
    pub fn did_you_mean<'a>(
        mut self,
        written: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Diagnostic {
        if let Some(near) = closest(written, candidates) {
            self.help = Some(match self.help {
                Some(help) => format!("did you mean `{near}`? {help}"),
                None => format!("did you mean `{near}`?"),
            });
        }
        self
    }

    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }
}

/// All diagnostics, in source order.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    pub list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a diagnostic, unless there are more than anyone reads. The first error is always added.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        const MAX_DIAGNOSTICS: usize = 1_000;
        let is_error = |one: &Diagnostic| one.severity == Severity::Error;
        if self.list.len() < MAX_DIAGNOSTICS
            || is_error(&diagnostic) && !self.list.iter().rev().any(is_error)
        {
            self.list.push(diagnostic);
        }
    }

    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        more.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Sorts by file and position, and removes duplicates.
    pub fn sort(&mut self) {
        self.list.sort_by(|left, right| {
            (left.span(), left.severity, left.code).cmp(&(right.span(), right.severity, right.code))
        });
        self.list.dedup();
        self.merge_fields();
    }

    /// A missing field is reported once, however often it is used: the first use has the
    /// diagnostic, and the others are labels of it.
    fn merge_fields(&mut self) {
        let mut merged: Vec<Diagnostic> = Vec::new();
        for mut diagnostic in std::mem::take(&mut self.list) {
            let first = merged.iter_mut().find(|first| {
                first.code == Code::UNKNOWN_FIELD
                    && first.cause().1.is_some()
                    && first.cause() == diagnostic.cause()
                    && diagnostic.code == first.code
                    && diagnostic.labels.len() == 1
            });
            match first {
                Some(first) => first.labels.extend(diagnostic.labels.pop().map(|mut label| {
                    label.text = "here too".to_owned();
                    label
                })),
                None => merged.push(diagnostic),
            }
        }
        self.list = merged;
    }
}

/// Shortens very long words, because a file may be one word of megabytes.
fn cut(text: String) -> String {
    const MAX_WORD_BYTES: usize = 200;
    const SHOWN_CHARACTERS: usize = 60;
    if text.len() <= MAX_WORD_BYTES || text.split(' ').all(|word| word.len() <= MAX_WORD_BYTES) {
        return text;
    }
    let words = text.split(' ').map(|word| match word.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) if word.len() > MAX_WORD_BYTES => {
            // Keeps the closing quotation marks.
            let close =
                word.rfind('`').filter(|at| *at >= end && word.len() - at < SHOWN_CHARACTERS);
            let rest = close.map_or("", |at| &word[at..]);
            format!("{}…{rest}", &word[..end])
        }
        _ => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ")
}
