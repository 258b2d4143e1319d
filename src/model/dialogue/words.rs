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
