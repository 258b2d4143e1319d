//! Warnings that a scenario allows.

use super::{Code, Diagnostic, Severity};
use crate::source::{FileId, Span};

/// An `allow` above an item or statement.
#[derive(Clone, Debug)]
pub struct AllowedWarning {
    pub code: Code,
    /// The `allow` itself, and what it is above.
    pub span: Span,
    pub covers: Span,
    /// Whether a warning was left out for it.
    used: bool,
}

/// All of a scenario, with the file whose unneeded ones are reported: those of other files may be for
/// other scenarios.
#[derive(Clone, Debug, Default)]
pub struct AllowedWarnings {
    list: Vec<AllowedWarning>,
    reported: Option<FileId>,
}

impl AllowedWarnings {
    pub fn add(&mut self, code: Code, span: Span, covers: Span) {
        self.list.push(AllowedWarning { code, span, covers, used: false });
    }

    pub fn report_unneeded_of(&mut self, file: FileId) {
        self.reported = Some(file);
    }

    /// Removes the warnings that are allowed: those with a label in the statement.
    pub fn remove_from(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.retain(|diagnostic| {
            let allows = |allowed: &&mut AllowedWarning| {
                diagnostic.severity == Severity::Warning
                    && allowed.code == diagnostic.code
                    && diagnostic.labels.iter().any(|label| allowed.covers.includes(label.span))
            };
            match self.list.iter_mut().find(allows) {
                Some(allowed) => {
                    allowed.used = true;
                    false
                }
                None => true,
            }
        });
    }

    /// Warnings about those that no warning needed.
    pub fn unneeded(&self) -> Vec<Diagnostic> {
        let unneeded = self
            .list
            .iter()
            .filter(|allowed| !allowed.used && Some(allowed.span.file) == self.reported);
        let warning = |allowed: &AllowedWarning| {
            let code = allowed.code.name();
            let message = format!("`allow {code}` is not needed");
            Diagnostic::warning(Code::UNNEEDED_ALLOW, message)
                .label(allowed.span, "what is below it causes no such warning")
                .help("remove the line")
        };
        unneeded.map(warning).collect()
    }
}
