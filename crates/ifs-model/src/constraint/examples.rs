//! `test` blocks: the examples of a constraint.

use super::super::check::Checker;
use super::super::table::{Test, TestCase};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, CaseKind};

impl Checker<'_> {
    pub fn test(&mut self, module: usize, inside: Option<&str>, written: &ast::Test) {
        let Some(target) = &written.target else { return };
        let named = self.constraints_named(module, target, inside);
        match named.as_slice() {
            [one] => {
                let one = one.clone();
                self.test_of(module, &one, written, target.span);
            }
            [] => {}
            _ => self.diagnostics.push(
                Diagnostic::error(
                    Code::WRONG_TYPE,
                    format!("`{}` is a group of several constraints", target.text()),
                )
                .label(target.span, "")
                .help(format!("test one of them: `test {}`", named[0])),
            ),
        }
    }

    pub(super) fn test_of(
        &mut self,
        module: usize,
        constraint: &str,
        written: &ast::Test,
        span: Span,
    ) {
        let Some(params) = self.constraint(constraint).map(|known| known.params.clone()) else {
            return;
        };
        let mut args: Vec<(String, Value)> = Vec::new();
        for arg in &written.args {
            let Some(name) = &arg.name else {
                self.diagnostics.push(
                    Diagnostic::error(Code::BAD_ARGUMENT, "a test names its arguments")
                        .label(arg.value.span, "")
                        .help("write `test NAME(parameter: value)`"),
                );
                return;
            };
            let Some(param) = params.iter().find(|param| param.name == name.text) else {
                let diagnostic = Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!("`{constraint}` has no parameter `{}`", name.text),
                )
                .label(name.span, "")
                .did_you_mean(&name.text, params.iter().map(|param| param.name.as_str()));
                self.diagnostics.push(diagnostic);
                return;
            };
            let ty = param.ty.clone();
            let Some(value) = self.lowering(module).constant(&arg.value, &ty) else { return };
            let same = |known: &&ast::Name| known.text == name.text;
            let given = written.args.iter().filter_map(|arg| arg.name.as_ref());
            if let Some(first) = given.take_while(|known| known.span != name.span).find(same) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("`{}` is given twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first.span, "first time")
                    .help("keep one of them"),
                );
            }
            args.push((name.text.clone(), value));
        }
        if let Some(missing) =
            params.iter().find(|param| !args.iter().any(|(name, _)| *name == param.name))
        {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_ARGUMENT,
                    format!("the test has no value for `{}`", missing.name),
                )
                .label(span, "")
                .label(missing.span, "declared here")
                .help(format!("write `test …({}: …)`", missing.name)),
            );
            return;
        }
        let mut test = Test { constraint: constraint.to_owned(), args, cases: Vec::new(), span };
        let (mut prompt, mut replies) = (String::new(), Vec::new());
        for case in &written.cases {
            let Some(Value::Text(text)) = self.lowering(module).constant(&case.text, &Type::Text)
            else {
                continue;
            };
            match case.kind {
                CaseKind::Prompt => prompt = text.to_string(),
                CaseKind::Reply => replies.push(text.to_string()),
                CaseKind::Pass | CaseKind::Fail => test.cases.push(TestCase {
                    answer: text.to_string(),
                    pass: case.kind == CaseKind::Pass,
                    prompt: prompt.clone(),
                    replies: replies.clone(),
                    span: case.span,
                }),
            }
        }
        if test.cases.is_empty() && written.cases.is_empty() && !written.broken {
            self.diagnostics.push(
                Diagnostic::error(Code::MISSING_STATEMENT, "this test tests nothing")
                    .label(span, "")
                    .help("write `pass \"…\"` and `fail \"…\"` in it"),
            );
        }
        self.model.tests.push(test);
    }
}
