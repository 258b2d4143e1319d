//! Banks of phrases in a scenario's own template folder.

use super::DialogueChecker;
use crate::table::Dialogue;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_parts::template::{self, DemandForm, OWN_DEMANDS, PhraseBank};
use ifs_syntax::ast::{Stmt, StmtKind, TextLiteral};

/// The names that demands may use in addition to the parameters.
const DEMAND_NAMES: [&str; 6] = ["old", "topic", "style", "turn", "reply", "age"];

impl DialogueChecker<'_, '_> {
    /// Reads a bank of phrases in the folder of the templates; returns whether there is one.
    pub(super) fn phrases(
        &mut self,
        dialogue: &mut Dialogue,
        folder: &TextLiteral,
        name: &str,
    ) -> bool {
        let from = self.checker.loader.modules[self.module].name.clone();
        let path = TextLiteral {
            value: format!("{}/{name}", folder.value.trim_end_matches('/')),
            ..folder.clone()
        };
        let Some(file) = self.checker.loader.resolve(&from, false, &path) else { return true };
        if self.checker.loader.world.read(&file) == Err(ifs_base::world::ReadError::Missing) {
            return false;
        }
        let Some(text) = self.checker.loader.read_text(&file, Some(path.span)) else { return true };
        match template::phrase_bank(&text) {
            Ok(bank) => {
                // Comments and layout of the file are not part of the definition.
                let written = serde_json::to_string(&bank).unwrap_or_default();
                dialogue.words.insert(name.to_owned(), written);
            }
            Err((line, why)) => self.report(
                Diagnostic::error(
                    Code::UNREADABLE_FILE,
                    format!("`{}`, line {line}: {why}", path.value),
                )
                .label(path.span, "")
                .help("a bank of phrases is a map of maps of lists of texts, in YAML"),
            ),
        }
        true
    }

    /// Parses a bank.
    pub(super) fn own_bank(&self, dialogue: &Dialogue, name: &str) -> PhraseBank {
        let text = dialogue.words.get(name);
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Checks that every demand belongs to a constraint, has a known form, and uses its parameters.
    pub(super) fn check_demands(&mut self, dialogue: &Dialogue, stmts: &[Stmt]) {
        let folder = stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Templates(folder) => Some(folder),
            _ => None,
        });
        let Some(folder) = folder else { return };
        let file = format!("{}/{OWN_DEMANDS}", folder.value.trim_end_matches('/'));
        let mut found = Vec::new();
        for (name, forms) in &self.own_bank(dialogue, OWN_DEMANDS) {
            let groups = &self.checker.model.groups;
            let mut constraints = groups.iter().flat_map(|group| &group.constraints);
            let Some(constraint) = constraints.clone().find(|known| known.name == *name) else {
                let known = constraints.by_ref().map(|known| known.name.as_str());
                let message =
                    format!("`{file}` has phrases for `{name}`, which is not a constraint");
                let diagnostic = Diagnostic::error(Code::UNKNOWN_NAME, message);
                found.push(diagnostic.did_you_mean(name, known));
                continue;
            };
            let params = constraint.params.iter().map(|param| param.name.as_str());
            let known: Vec<&str> = params.chain(DEMAND_NAMES).collect();
            for (form, texts) in forms {
                let words = DemandForm::ALL.map(DemandForm::word);
                if !words.contains(&form.as_str()) {
                    let message =
                        format!("`{file}` has `{form}` for `{name}`, which is not a form");
                    let help = words.map(|word| format!("`{word}`")).join(", ");
                    let diagnostic = Diagnostic::error(Code::UNKNOWN_NAME, message)
                        .help(format!("forms are {help}"));
                    found.push(diagnostic.did_you_mean(form, words));
                    continue;
                }
                for text in texts {
                    found.extend(fault(&file, name, text, &known));
                }
            }
        }
        let place = folder.span;
        found.into_iter().for_each(|diagnostic| self.report(diagnostic.label(place, "")));
    }
}

/// The fault of a demand's text that may use these names.
fn fault(file: &str, name: &str, text: &str, known: &[&str]) -> Option<Diagnostic> {
    let names = match template::names_in(text) {
        Ok(names) => names,
        Err(fault) => {
            let message = format!("`{file}`: \"{text}\" cannot be read: {}", fault.message);
            let diagnostic = Diagnostic::error(Code::BAD_TEMPLATE, message);
            return Some(diagnostic.help("close each `{{` with `}}` and each `{% if %}`"));
        }
    };
    let first = |asked: &String| asked.split('.').next().unwrap_or_default().to_owned();
    let unknown = names.iter().map(first).find(|asked| !known.contains(&asked.as_str()))?;
    let message =
        format!("`{file}`: \"{text}\" asks for `{unknown}`, which `{name}` does not have");
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let diagnostic = Diagnostic::error(Code::UNKNOWN_NAME, message)
        .help(format!("it may ask for {}", names.join(", ")));
    Some(diagnostic.did_you_mean(&unknown, known.iter().copied()))
}
