//! The wording of a constraint and its question to a judge: templates over its parameters.

use std::collections::BTreeSet;

use super::super::lower::Lowering;
use super::super::table::{Question, Scale};
use super::super::vars::Vars;
use super::uses::TemplateOrigin;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_parts::template;
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, JudgeForm, TextLiteral};

impl Lowering<'_, '_> {
    /// Checks templates over the parameters, in which every name must be known.
    pub fn templates(
        &mut self,
        texts: &[TextLiteral],
        vars: &Vars,
        old: bool,
        used: &mut BTreeSet<String>,
    ) -> Vec<String> {
        for text in texts {
            self.template(text, vars, old, used);
        }
        texts.iter().map(|text| text.value.clone()).collect()
    }

    pub fn template(
        &mut self,
        text: &TextLiteral,
        vars: &Vars,
        old: bool,
        used: &mut BTreeSet<String>,
    ) {
        self.template_at(&text.value, TemplateOrigin::Program(text.span), vars, old, used);
    }

    /// The span of a name in a template, or of the complete template if it cannot be located.
    pub(super) fn place_in(&self, template: Span, name: &str) -> Span {
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
            JudgeForm::Question | JudgeForm::Rubric => {
                self.template(&judge.question, vars, false, used);
                judge.question.value.clone()
            }
            JudgeForm::RubricFile => {
                let (file, text) = self.template_file(&judge.question)?;
                let origin = TemplateOrigin::File { name: &file, asked: judge.question.span };
                self.template_at(&text, origin, vars, false, used);
                text
            }
        };
        let rubric = judge.form != JudgeForm::Question;
        let Some((scale, pass, threshold)) = &judge.scale else {
            let good = match &judge.good {
                Some(good) => Some(self.passing_answer(good, rubric, vars)?),
                None => None,
            };
            let is_no = |good: &Tree| match &good.node {
                Node::Value(Value::Text(text)) => Some(&**text == "no"),
                _ => None,
            };
            return Some(match good.as_ref().and_then(is_no) {
                Some(is_no_good) => Question { text, rubric, is_no_good, ..Question::default() },
                None => Question { text, rubric, good, ..Question::default() },
            });
        };
        let (low, high) = self.ends(scale, &Type::Int, &Vars::new("a scale"))?;
        let (Value::Int(low), Value::Int(high)) = (self.value_of(&low)?, self.value_of(&high)?)
        else {
            return None;
        };
        let Value::Int(limit) = self.constant(threshold, &Type::Int)? else { return None };
        if low >= high || high.saturating_sub(low) > 1000 {
            self.report(
                Diagnostic::error(Code::BAD_JUDGE, "this is not a scale of marks")
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
        Some(Question { text, scale: Some(written), rubric, good: None, is_no_good: false })
    }

    /// Which answer to a question is good: `yes` or `no`, or a text that is one of them.
    fn passing_answer(&mut self, good: &ast::Expr, rubric: bool, vars: &Vars) -> Option<Tree> {
        if rubric {
            self.report(
                Diagnostic::error(Code::BAD_JUDGE, "a rubric has no answer yes or no")
                    .label(good.span, "")
                    .help("write a question instead of `rubric`, or leave `pass == …` out"),
            );
            return None;
        }
        let tree = self.expect(good, &Type::Text, vars)?;
        if let Node::Value(Value::Text(text)) = &tree.node
            && !["yes", "no"].contains(&&**text)
        {
            self.report(
                Diagnostic::error(
                    Code::BAD_JUDGE,
                    format!("a judge answers yes or no, not `{text}`"),
                )
                .label(good.span, "")
                .help("write `pass == \"no\"`, or a field that is `yes` or `no`"),
            );
            return None;
        }
        Some(tree)
    }

    /// The name and the text of a template file of the scenario.
    pub fn template_file(&mut self, path: &TextLiteral) -> Option<(String, String)> {
        let from = self.checker.loader.modules[self.module].name.clone();
        let library = self.checker.loader.modules[self.module].library;
        let name = self.checker.loader.resolve(&from, library, path)?;
        let text = self.checker.loader.read_text(&name, Some(path.span))?;
        if let Err(fault) = template::names_in(&text) {
            let message =
                format!("the template cannot be read: line {}: {}", fault.line, fault.message);
            self.report(
                Diagnostic::error(Code::BAD_TEMPLATE, message).label(path.span, "named here"),
            );
            return None;
        }
        Some((name, text))
    }
}
