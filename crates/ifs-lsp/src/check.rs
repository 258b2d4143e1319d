//! Diagnostics of scenarios, and their conversion for the protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types as lsp;

use crate::files::{Buffers, OverlayWorld, library_path};
use crate::text::{Encoding, Lines};
use ifs_base::diagnostic::{Code, Diagnostic, Label, Severity};
use ifs_base::source::{FileId, Sources, Span};
use ifs_draw::program::{CheckedScenario, find_in};
use ifs_plan::{Plan, analysis};
use ifs_predicate::types::Type;

/// What is known of a scenario after a check.
pub(crate) struct Checked {
    folder: PathBuf,
    root: PathBuf,
    pub sources: Arc<Sources>,
    /// Those of this check.
    pub fast: Vec<Diagnostic>,
    /// The same with those of drawn dialogues, once these are there.
    pub diagnostics: Vec<Diagnostic>,
    pub types: BTreeMap<Span, Type>,
    /// The number of turns of each dialogue, by its name.
    pub bounds: BTreeMap<String, String>,
}

/// Checks a scenario as far as it is fast: everything except the drawing of dialogues.
pub(crate) fn check(root: &Path, buffers: &Buffers) -> (Checked, CheckedScenario) {
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    let name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let world = OverlayWorld::new(&folder, buffers);
    let mut scenario = find_in(&world, name);
    let checked = Checked {
        folder,
        root: root.to_owned(),
        sources: Arc::clone(&scenario.sources),
        fast: scenario.diagnostics.clone(),
        diagnostics: scenario.diagnostics.clone(),
        types: std::mem::take(&mut scenario.types),
        bounds: scenario.checked.as_ref().map(|(plan, _)| bounds(plan)).unwrap_or_default(),
    };
    (checked, scenario)
}

/// The number of turns of each dialogue.
fn bounds(plan: &Plan) -> BTreeMap<String, String> {
    let dialogues = plan.dialogues().map(|dialogue| {
        let expectations = analysis::expectations(plan, dialogue);
        let bound = match expectations.max_turns {
            Some(1) => "1 turn".to_owned(),
            Some(most) if dialogue.table.topics.is_none() && expectations.turns as u64 == most => {
                format!("{most} turns")
            }
            Some(most) => format!("at most {most} turns"),
            None => "no maximum of turns".to_owned(),
        };
        (dialogue.table.name.clone(), bound)
    });
    dialogues.collect()
}

impl Checked {
    /// The path of a file; none for what has no file.
    pub fn path(&self, file: FileId) -> Option<PathBuf> {
        let name = self.sources.get(file).map(|source| source.name.as_str())?;
        match file < FileId::FIRST_FIXED {
            true => Some(self.folder.join(name)),
            false => library_path(name.strip_prefix("std/")?.strip_suffix(".ifs")?),
        }
    }

    pub fn file(&self, path: &Path) -> Option<FileId> {
        let files = (0..FileId::FIRST_FIXED.0).map(FileId);
        let known = files.take_while(|file| self.sources.get(*file).is_some());
        { known }.find(|file| self.path(*file).as_deref() == Some(path))
    }

    /// The files that the scenario was read from.
    pub fn reads(&self, scenario: &CheckedScenario) -> BTreeSet<PathBuf> {
        let names = scenario.inputs.files.keys();
        names.map(|name| crate::files::normal(&self.folder.join(name))).collect()
    }

    /// The type of the name at a place.
    pub fn type_at(&self, file: FileId, range: &Range<usize>) -> Option<&Type> {
        self.types.get(&Span::new(file, range.start, range.end))
    }

    /// The diagnostics by file, as the protocol has them.
    pub fn report(&self, encoding: Encoding) -> BTreeMap<PathBuf, Vec<lsp::Diagnostic>> {
        let mut convert = Convert { checked: self, encoding, lines: BTreeMap::new() };
        let mut report: BTreeMap<PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
        for diagnostic in &self.diagnostics {
            let (path, converted) = convert.diagnostic(diagnostic);
            report.entry(path).or_default().push(converted);
        }
        report
    }
}

struct Convert<'c> {
    checked: &'c Checked,
    encoding: Encoding,
    lines: BTreeMap<FileId, Lines<'c>>,
}

impl<'c> Convert<'c> {
    fn range(&mut self, span: Span) -> lsp::Range {
        let checked = self.checked;
        let text = checked.sources.get(span.file).map_or("", |source| source.text.as_str());
        let lines = self.lines.entry(span.file).or_insert_with(|| Lines::new(text, self.encoding));
        lines.range(&span.range())
    }

    fn location(&mut self, span: Span) -> Option<lsp::Location> {
        let path = self.checked.path(span.file)?;
        Some(lsp::Location { uri: crate::files::uri_of(&path), range: self.range(span) })
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> (PathBuf, lsp::Diagnostic) {
        let place = diagnostic.span().and_then(|span| Some((self.checked.path(span.file)?, span)));
        let (path, range) = match place {
            Some((path, span)) => (path, self.range(span)),
            None => (self.checked.root.clone(), lsp::Range::default()),
        };
        let related = diagnostic.labels.iter().skip(1).filter_map(|label: &Label| {
            let message = if label.text.is_empty() { "here" } else { &label.text }.to_owned();
            Some(lsp::DiagnosticRelatedInformation {
                location: self.location(label.span)?,
                message,
            })
        });
        let related: Vec<_> = related.collect();
        let converted = lsp::Diagnostic {
            range,
            severity: Some(match diagnostic.severity {
                Severity::Error => lsp::DiagnosticSeverity::Error,
                Severity::Warning => lsp::DiagnosticSeverity::Warning,
            }),
            code: Some(lsp::Code::String(diagnostic.code.to_string())),
            source: Some("ifs".to_owned()),
            message: message(diagnostic).into(),
            tags: (diagnostic.code == Code::UNUSED_NAME)
                .then(|| vec![lsp::DiagnosticTag::Unnecessary]),
            related_information: (!related.is_empty()).then_some(related),
            ..lsp::Diagnostic::default()
        };
        (path, converted)
    }
}

/// The message with the text of the first label, and the help.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    if let Some(label) = diagnostic.labels.first().filter(|label| !label.text.is_empty()) {
        text.push_str(&format!(" ({})", label.text));
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    text
}
