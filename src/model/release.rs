//! Releases: the number of dialogues of each kind, and the condition to keep one.

use super::check::Checker;
use super::names::Symbol;
use super::table::Release;
use super::vars::Vars;
use crate::diagnostic::{Code, Diagnostic};
use crate::predicate::types::Type;
use crate::predicate::value::Value;
use crate::source::Span;
use crate::syntax::ast::{self, Path, ReleaseStmtKind};

impl Checker<'_> {
    pub fn release(&mut self, module: usize, written: &ast::Release) {
        let span = written.name.as_ref().map_or_else(
            || written.stmts.first().map_or(Span::default(), |stmt| stmt.span),
            |name| name.span,
        );
        let name = written.name.as_ref().map_or("release", |name| &name.text).to_owned();
        if let Some(other) = self.model.releases.iter().find(|release| release.name == name) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("there are two releases called `{name}`"),
                )
                .label(span, "second one")
                .label(other.span, "first one")
                .help("name them: `release NAME { … }`"),
            );
            return;
        }
        let turn = Type::record([
            ("turn", Type::Int),
            ("topic", Type::Text),
            ("transition", Type::Text),
            ("change", Type::Text),
            ("constraints", Type::Int),
        ]);
        let vars = Vars::new("a release").with("turns", Type::list(turn)).with("topics", Type::Int);
        let mut release = Release { name, counts: Vec::new(), keep: Vec::new(), seed: None, span };
        for stmt in &written.stmts {
            match &stmt.kind {
                ReleaseStmtKind::Count { count, of } => {
                    if self.lowering(module).meant_as_range(count) {
                        continue;
                    }
                    let count_value = self.lowering(module).constant(count, &Type::Int);
                    let Some(Symbol::Dialogue(at)) = self.find_dialogue(module, of) else {
                        continue;
                    };
                    let ast::ItemKind::Dialogue(dialogue) =
                        &self.loader.modules[at.module].ast.items[at.item].kind
                    else {
                        continue;
                    };
                    let dialogue = dialogue.name.text.clone();
                    match count_value {
                        Some(Value::Int(count @ 1..)) => {
                            release.counts.push((count as u64, dialogue))
                        }
                        Some(other) => self.diagnostics.push(
                            Diagnostic::error(
                                Code::BAD_DOMAIN,
                                format!("a release of {other} dialogues"),
                            )
                            .label(count.span, "")
                            .help("write how many, at least 1"),
                        ),
                        None => {}
                    }
                }
                ReleaseStmtKind::Keep(expr) => {
                    release.keep.extend(self.lowering(module).expect(expr, &Type::Bool, &vars));
                }
                ReleaseStmtKind::Seed(expr) => {
                    match self.lowering(module).constant(expr, &Type::Int) {
                        Some(Value::Int(seed @ 0..)) => release.seed = Some(seed as u64),
                        Some(_) => self.diagnostics.push(
                            Diagnostic::error(Code::BAD_NUMBER, "a seed is not negative")
                                .label(expr.span, "")
                                .help("write an integer from 0 up"),
                        ),
                        None => {}
                    }
                }
            }
        }
        if release.counts.is_empty() && !written.broken && self.diagnostics.errors() == 0 {
            self.diagnostics.push(
                Diagnostic::error(Code::MISSING_STATEMENT, "this release has no dialogues")
                    .label(release.span, "")
                    .help("write `150 dialogues of NAME`"),
            );
        }
        self.model.releases.push(release);
    }

    fn find_dialogue(&mut self, module: usize, path: &Path) -> Option<Symbol> {
        match self.find(module, path)? {
            symbol @ Symbol::Dialogue(_) => Some(symbol),
            other => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::WRONG_TYPE,
                        format!("`{}` is {}, not a dialogue", path.text(), other.noun()),
                    )
                    .label(path.span, ""),
                );
                None
            }
        }
    }
}
