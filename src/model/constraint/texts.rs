//! What a constraint says and asks a judge: templates over its parameters.

use std::collections::BTreeSet;

use super::super::lower::Lowering;
use super::super::table::{Question, Scale};
use super::super::vars::Vars;
use crate::diagnostic::{Code, Diagnostic};
use crate::predicate::types::Type;
use crate::predicate::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, JudgeForm, Text};
use crate::template;

impl Lowering<'_, '_> {
    /// Texts over the parameters. Names in them have to be known.
    pub fn templates(
        &mut self,
        texts: &[Text],
        vars: &Vars,
        old: bool,
        used: &mut BTreeSet<String>,
    ) -> Vec<String> {
        for text in texts {
            self.template(text, vars, old, used);
        }
        texts.iter().map(|text| text.value.clone()).collect()
    }

    pub fn template(&mut self, text: &Text, vars: &Vars, old: bool, used: &mut BTreeSet<String>) {
        let names = match template::names(&text.value) {
            Ok(names) => names,
            Err(fault) => {
                self.report(
                    Diagnostic::error(
                        Code::BAD_TEMPLATE,
                        format!("the template cannot be read: {}", fault.message),
                    )
                    .label(text.span, "")
                    .help(
                        "names alone stand in `{{ … }}`; give what is computed one above: \
                         `let NAME = …`",
                    ),
                );
                return;
            }
        };
        for name in names {
            let first = name.split('.').next().unwrap_or(&name).to_owned();
            if vars.is_early(&first) {
                self.early_part(&first, self.place_in(text.span, &name));
            } else if vars.get(&first).is_some() {
                used.insert(first);
            } else if !(old && first == "old") {
                let known: Vec<String> = vars.known().map(str::to_owned).collect();
                let mut diagnostic = Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    format!("there is no `{first}` in this template"),
                )
                .label(self.place_in(text.span, &name), "");
                if first == "old" {
                    diagnostic = diagnostic.help("only `change` knows what was asked before");
                }
                let diagnostic = diagnostic.did_you_mean(&first, known.iter().map(String::as_str));
                self.report(diagnostic);
            }
        }
        if text.value.trim().is_empty() {
            self.report(
                Diagnostic::error(Code::BAD_TEMPLATE, "this says nothing")
                    .label(text.span, "")
                    .help("write what a user would say"),
            );
        }
    }

    /// Where a template asks for a name; the whole template where that is not plain.
    fn place_in(&self, template: Span, name: &str) -> Span {
        let text = self.checker.loader.sources.text(template);
        let word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let mut from = text.find("{{").into_iter().chain(text.find("{%")).min().unwrap_or(0);
        while let Some(at) = text[from..].find(name).map(|at| at + from) {
            let end = at + name.len();
            if !text[..at].ends_with(word) && !text[end..].starts_with(word) {
                let start = template.start as usize;
                return Span::new(template.file, start + at, start + end);
            }
            from = end;
        }
        template
    }

    pub fn question(
        &mut self,
        judge: &ast::Judge,
        vars: &Vars,
        used: &mut BTreeSet<String>,
    ) -> Option<Question> {
        let text = match judge.form {
            JudgeForm::Question | JudgeForm::Rubric => judge.question.clone(),
            JudgeForm::RubricFile => {
                let value = self.template_file(&judge.question)?;
                Text { value, ..judge.question.clone() }
            }
        };
        self.template(&text, vars, false, used);
        let rubric = judge.form != JudgeForm::Question;
        let text = text.value;
        let Some((scale, pass, threshold)) = &judge.scale else {
            return Some(Question { text, scale: None, rubric });
        };
        let (low, high) = self.ends(scale, &Type::Int, &Vars::new("a scale"))?;
        let (Value::Int(low), Value::Int(high)) = (self.value_of(&low)?, self.value_of(&high)?)
        else {
            return None;
        };
        let Value::Int(limit) = self.constant(threshold, &Type::Int)? else { return None };
        if low >= high || high.saturating_sub(low) > 1000 {
            self.report(
                Diagnostic::error(Code::BAD_JUDGE, "this is no scale of marks")
                    .label(scale.span, "")
                    .help("write the lowest and the highest mark, as in `scale 1..=10`"),
            );
            return None;
        }
        let written = Scale { low, high, pass: *pass, threshold: limit };
        let passing = (low..=high).filter(|mark| written.passes(*mark)).count() as i64;
        if passing == 0 || passing == high - low + 1 {
            let every = if passing == 0 { "no mark passes" } else { "every mark passes" };
            self.report(
                Diagnostic::error(Code::BAD_JUDGE, every)
                    .label(threshold.span, format!("on a scale from {low} to {high}"))
                    .help("choose a threshold between the lowest and the highest mark"),
            );
            return None;
        }
        Some(Question { text, scale: Some(written), rubric })
    }

    /// The text of a template file of the scenario.
    pub fn template_file(&mut self, path: &Text) -> Option<String> {
        let from = self.checker.loader.modules[self.module].name.clone();
        let library = self.checker.loader.modules[self.module].library;
        let name = self.checker.loader.resolve(&from, library, path)?;
        let text = self.checker.loader.text(&name, Some(path.span))?;
        if let Err(fault) = template::names(&text) {
            let message =
                format!("the template cannot be read: line {}: {}", fault.line, fault.message);
            self.report(
                Diagnostic::error(Code::BAD_TEMPLATE, message).label(path.span, "named here"),
            );
            return None;
        }
        Some(text)
    }
}
