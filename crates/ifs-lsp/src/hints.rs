//! Inlay hints and code lenses.

use std::path::Path;

use gen_lsp_types as lsp;

use crate::check::Checked;
use crate::complete::Types;
use crate::index::{FileIndex, NameKind};
use crate::project::{FileKey, Meaning, Project};
use crate::text::Lines;

/// Longer types are shown in full by a hover.
const SHOWN_CHARACTERS: usize = 48;

/// The types of names that are declared without one, and the number of turns of dialogues.
pub(crate) fn hints(
    project: &Project,
    types: &dyn Types,
    checked: Option<&Checked>,
    key: &FileKey,
    lines: &Lines<'_>,
) -> Vec<lsp::InlayHint> {
    let Some(file) = project.file(key) else { return Vec::new() };
    let hints = file.declarations.iter().enumerate().filter_map(|(at, declared)| {
        let name = file.word(&declared.name);
        let (text, kind) = match declared.kind {
            NameKind::Let | NameKind::Variable | NameKind::Record => {
                let ty = types.type_of(key, name, Some(&Meaning::Declared(key.clone(), at)))?;
                (format!(": {ty}"), Some(lsp::InlayHintKind::Type))
            }
            NameKind::Dialogue => (format!(" {}", checked?.bounds.get(name)?), None),
            _ => return None,
        };
        let shown = match text.char_indices().nth(SHOWN_CHARACTERS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        Some(lsp::InlayHint {
            position: lines.position(declared.name.end),
            label: shown.into(),
            kind,
            text_edits: None,
            tooltip: None,
            padding_left: None,
            padding_right: None,
            data: None,
        })
    });
    hints.collect()
}

/// What can be run from a place of a file. The commands are the client's: each gets the path of the
/// scenario and the name of what the lens is above.
pub(crate) fn lenses(
    file: &FileIndex,
    path: &Path,
    root: &Path,
    lines: &Lines<'_>,
) -> Vec<lsp::CodeLens> {
    let mut lenses = Vec::new();
    for declared in &file.declarations {
        let name = file.word(&declared.name);
        let tests = || {
            let body = file.nodes[declared.node].next;
            (declared.node..body).any(|node| file.nodes[node].rule == "test_body")
        };
        let commands: &[(&str, &str, &Path)] = match declared.kind {
            NameKind::Dialogue => &[
                ("draw", "ifs.draw", root),
                ("prove", "ifs.prove", root),
                ("preview", "ifs.preview", root),
            ],
            NameKind::Constraint if tests() => &[("run tests", "ifs.test", path)],
            _ => &[],
        };
        for (title, command, scenario) in commands {
            let arguments = vec![scenario.to_string_lossy().into(), name.into()];
            lenses.push(lsp::CodeLens {
                range: lines.range(&declared.name),
                command: Some(lsp::Command {
                    title: (*title).to_owned(),
                    command: (*command).to_owned(),
                    arguments: Some(arguments),
                    ..lsp::Command::default()
                }),
                data: None,
            });
        }
    }
    lenses
}
