//! The sources of a dialogue's messages: templates and expressions.

use std::collections::BTreeSet;

use super::DialogueChecker;
use crate::constraint::TemplateOrigin;
use crate::table::{Dialogue, TextSource};
use crate::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template::{self, ANSWER_TEMPLATE};
use ifs_predicate::evaluate::record_meets;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Stmt, StmtKind, TextLiteral};

/// The templates of user messages.
const MESSAGE_TEMPLATES: [&str; 7] =
    ["open.j2", "continue.j2", "return.j2", "changes.j2", "asked.j2", "related.j2", "repeated.j2"];

/// The names that each of them may use.
const MESSAGE_NAMES: [&str; 15] = [
    "again",
    "phrases",
    "restored",
    "turn",
    "topic",
    "topic_turns",
    "style",
    "voice",
    "changes",
    "kept",
    "dice",
    "dialogue_dice",
    "angle",
    "ask",
    "relations",
];

/// The additional names in the template of right answers.
const ANSWER_NAMES: [&str; 2] = ["about", "active"];

const FEEDBACK_NAMES: [&str; 6] = ["answer", "ask", "language", "missed", "round", "turn"];

/// The templates that depend on a style's voice.
const VOICED_TEMPLATES: [&str; 4] = ["open.j2", "continue.j2", "return.j2", "changes.j2"];

impl DialogueChecker<'_, '_> {
    pub fn lower_text_source(
        &mut self,
        written: &ast::TextSource,
        vars: &Vars,
    ) -> Option<TextSource> {
        match written {
            ast::TextSource::Template(path) => {
                let (file, text) = self.lowering().template_file(path)?;
                let origin = TemplateOrigin::File { name: &file, asked: path.span };
                let mut used = BTreeSet::new();
                self.lowering().template_at(&text, origin, vars, false, &mut used);
                Some(TextSource::Template { name: path.value.clone(), text })
            }
            ast::TextSource::Expr(expr) => {
                if let ast::ExprKind::Text(text) = &expr.kind {
                    let mut used = BTreeSet::new();
                    self.lowering().template(text, vars, false, &mut used);
                    let value = Node::Value(Value::text(&text.value));
                    return Some(TextSource::Expr(Tree::new(value, expr.span)));
                }
                Some(TextSource::Expr(self.lowering().expect(expr, &Type::Text, vars)?))
            }
        }
    }

    /// Reports a style whose voice does not exist, unless the scenario overrides all templates that
    /// use it.
    pub(super) fn check_voice(&mut self, dialogue: &Dialogue, stmts: &[Stmt]) {
        let from = stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Style(from) => Some(from.from.span),
            _ => None,
        });
        let (Some(place), Some(drawn)) = (from, &dialogue.style) else { return };
        if VOICED_TEMPLATES.iter().all(|name| dialogue.words.contains_key(*name)) {
            return;
        }
        let mut known = template::voices();
        known.extend(self.own_bank(dialogue, template::OWN_VOICES).into_keys());
        let banks = &self.checker.model.banks;
        let Some(bank) = banks.iter().find(|bank| bank.name == drawn.bank) else { return };
        let found = bank.records.iter().zip(&bank.keys).find_map(|(record, key)| {
            let voice = record.field("voice")?.as_str()?;
            let meets = drawn.condition.as_ref().is_none_or(|it| record_meets(it, record));
            (meets && !known.iter().any(|name| name == voice)).then(|| (voice.to_owned(), key))
        });
        let Some((voice, key)) = found else { return };
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let diagnostic = Diagnostic::error(
            Code::UNKNOWN_VOICE,
            format!("there is no voice `{voice}`, which the style `{key}` of `{}` has", bank.name),
        )
        .label(place, "")
        .help(format!("voices are {}", names.join(", ")))
        .did_you_mean(&voice, known.iter().map(String::as_str));
        self.report(diagnostic);
    }

    /// The scenario's own checklist for judges, and its file.
    pub(super) fn checklist(&mut self, path: &TextLiteral) -> Option<(String, String)> {
        const KNOWN: [&str; 7] =
            ["system", "request", "answer", "right", "earlier", "parts", "questions"];
        let (file, text) = self.lowering().template_file(path)?;
        // A file that cannot be read was reported.
        self.known_template(&file, &text, path.span, KNOWN.into_iter());
        Some((path.value.clone(), text))
    }

    /// Checks a template that is rendered with these names.
    fn known_template<'n>(
        &mut self,
        file: &str,
        text: &str,
        asked: Span,
        known: impl Iterator<Item = &'n str>,
    ) {
        let vars = known.fold(Vars::new("a template"), |vars, name| vars.with(name, Type::Unknown));
        let origin = TemplateOrigin::File { name: file, asked };
        self.lowering().template_at(text, origin, &vars, false, &mut BTreeSet::new());
    }

    /// The scenario's own templates in a folder, each overriding the built-in one with its name.
    pub(crate) fn own_templates(&mut self, dialogue: &mut Dialogue, folder: &TextLiteral) {
        let from = self.checker.loader.modules[self.module].name.clone();
        let mut found = false;
        let replaceable = || template::TEMPLATES.iter().chain(template::PROMPTS);
        for (name, built_in) in replaceable() {
            let path = TextLiteral {
                value: format!("{}/{name}", folder.value.trim_end_matches('/')),
                ..folder.clone()
            };
            let Some(file) = self.checker.loader.resolve(&from, false, &path) else { return };
            if self.checker.loader.world.read(&file) == Err(ifs_base::world::ReadError::Missing) {
                continue;
            }
            found = true;
            if let Some((file, text)) = self.lowering().template_file(&path) {
                let of_its_own = template::names_in(built_in).unwrap_or_default();
                let of_its_own = of_its_own.iter().filter_map(|name| name.split('.').next());
                let common: &[&str] = match *name {
                    "feedback.j2" | "fresh.j2" => &FEEDBACK_NAMES,
                    name if name == ANSWER_TEMPLATE || MESSAGE_TEMPLATES.contains(&name) => {
                        &MESSAGE_NAMES
                    }
                    _ => &[],
                };
                let more: &[&str] = match *name {
                    ANSWER_TEMPLATE => &ANSWER_NAMES,
                    _ => &[],
                };
                let known = common.iter().chain(more).copied().chain(of_its_own);
                self.known_template(&file, &text, path.span, known);
                dialogue.words.insert((*name).to_owned(), text);
            }
        }
        for name in template::PHRASE_BANKS {
            found |= self.phrases(dialogue, folder, name);
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
