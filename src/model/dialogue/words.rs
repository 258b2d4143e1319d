//! Where a dialogue's words come from: templates and expressions.

use std::collections::BTreeSet;

use super::Builder;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::table::{Dialogue, Words};
use crate::model::vars::Vars;
use crate::predicate::types::Type;
use crate::syntax::ast::{self, Text};
use crate::template;

impl Builder<'_, '_> {
    pub fn words(&mut self, written: &ast::Words, vars: &Vars) -> Option<Words> {
        match written {
            ast::Words::Template(path) => {
                let text = self.lowering().template_file(path)?;
                Some(Words::Template { name: path.value.clone(), text })
            }
            ast::Words::Expr(expr) => {
                if let ast::ExprKind::Text(text) = &expr.kind {
                    let mut used = BTreeSet::new();
                    self.lowering().template(text, vars, false, &mut used);
                }
                Some(Words::Expr(self.lowering().expect(expr, &Type::Text, vars)?))
            }
        }
    }

    /// A judge's checklist in words of the scenario's own, and its file.
    pub(super) fn checklist(&mut self, path: &Text) -> Option<(String, String)> {
        const KNOWN: [&str; 5] = ["request", "answer", "earlier", "parts", "questions"];
        let text = self.lowering().template_file(path)?;
        // What cannot be read is told with the file.
        let names = template::names(&text).unwrap_or_default();
        for name in names.iter().filter_map(|name| name.split('.').next()) {
            if !KNOWN.contains(&name) {
                let message = format!("there is no `{name}` in the template of a checklist");
                self.report(
                    Diagnostic::error(Code::UNKNOWN_NAME, message)
                        .label(path.span, "")
                        .did_you_mean(name, KNOWN)
                        .help(format!("it knows {}", KNOWN.join(", "))),
                );
                return None;
            }
        }
        Some((path.value.clone(), text))
    }

    /// Templates of the scenario's own in a folder, each replacing the built-in
    /// one of its name.
    pub(super) fn own_templates(&mut self, dialogue: &mut Dialogue, folder: &Text) {
        let from = self.checker.loader.modules[self.module].name.clone();
        let mut found = false;
        let replaceable = || template::TEMPLATES.iter().chain(template::PROMPTS);
        for (name, _) in replaceable() {
            let path = Text {
                value: format!("{}/{name}", folder.value.trim_end_matches('/')),
                ..folder.clone()
            };
            let Some(file) = self.checker.loader.resolve(&from, false, &path) else { return };
            if self.checker.loader.world.read(&file) == Err(crate::world::ReadError::Missing) {
                continue;
            }
            found = true;
            if let Some(text) = self.lowering().template_file(&path) {
                dialogue.words.insert((*name).to_owned(), text);
            }
        }
        if !found {
            let names: Vec<String> = replaceable().map(|(name, _)| format!("`{name}`")).collect();
            self.report(
                Diagnostic::error(
                    Code::UNREADABLE_FILE,
                    format!("there is no template in `{}`", folder.value),
                )
                .label(folder.span, "")
                .help(format!("templates that can be replaced are {}", names.join(", "))),
            );
        }
    }
}
