//! Turns, their relations and what stands in them.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Checker;
use super::dialogue::Builder;
use super::lower::Vars;
use super::table::{By, Relation, Show, Turn, TurnPart};
use crate::diagnostic::{Code, Diagnostic};
use crate::predicate::types::Type;
use crate::source::Span;
use crate::syntax::ast::{self, RelationKind, RequireBy, TurnStmt, TurnStmtKind};

impl Checker<'_> {
    /// The turns of a flow, whose relations go to turns of the same flow.
    pub fn flow_turns(&mut self, module: usize, written: &ast::Flow) -> Vec<Turn> {
        let vars =
            Vars::new("a flow").with("topic", self.topic.clone()).with("style", Type::Unknown);
        let mut builder = Builder::new(self, module, vars);
        // All names first: a relation to a later turn is another mistake than one
        // to a turn that is not there.
        let mut all: BTreeMap<String, Span> = BTreeMap::new();
        for name in written.turns.iter().filter_map(|turn| turn.name.as_ref()) {
            if let Some(first) = all.insert(name.text.clone(), name.span) {
                builder.report(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("the turn `{}` is named twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first, "first time")
                    .help("give one of them another name"),
                );
            }
        }
        builder.turns = all;
        if written.turns.is_empty() && !written.broken {
            builder.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the flow `{}` has no turns", written.name.text),
                )
                .label(written.name.span, "")
                .help("write `turn c1` in it"),
            );
        }
        written.turns.iter().map(|turn| builder.turn(turn, &turn.docs)).collect()
    }
}

impl<'c, 'w> Builder<'c, 'w> {
    pub fn turn(&mut self, written: &ast::Turn, _docs: &ast::Docs) -> Turn {
        let name = match &written.name {
            Some(name) => {
                self.turns.entry(name.text.clone()).or_insert(name.span);
                name.text.clone()
            }
            None => {
                self.unnamed += 1;
                format!("turn_{}", self.unnamed)
            }
        };
        let relations =
            written.relations.iter().filter_map(|relation| self.relation(relation)).collect();
        let outer = self.vars.clone();
        let mut answer = self.vars.clone();
        answer.it = Some(Type::Text);
        let mut seen = TurnNames::default();
        let body = self.parts(written.body.as_deref().unwrap_or(&[]), &mut answer, &mut seen);
        self.requirements(&seen);
        self.vars = outer;
        Turn {
            name,
            relations,
            body,
            span: written.name.as_ref().map_or(written.span, |name| name.span),
        }
    }

    fn relation(&mut self, written: &ast::Relation) -> Option<Relation> {
        let mut to = Vec::new();
        for name in &written.to {
            if !self.turns.contains_key(&name.text) {
                let known: Vec<String> = self.turns.keys().cloned().collect();
                let diagnostic = Diagnostic::error(
                    Code::BAD_RELATION,
                    format!("there is no turn `{}`", name.text),
                )
                .label(name.span, format!("`{}` needs an earlier turn", written.kind.word()))
                .did_you_mean(&name.text, known.iter().map(String::as_str));
                self.report(diagnostic);
                return None;
            }
            to.push(name.text.clone());
        }
        if written.kind != RelationKind::Summarizes && written.to.len() > 1 {
            let twice = written
                .to
                .iter()
                .enumerate()
                .any(|(at, name)| written.to[..at].iter().any(|other| other.text == name.text));
            if twice {
                self.report(
                    Diagnostic::error(Code::BAD_RELATION, "the same turn twice in one relation")
                        .label(written.span, ""),
                );
            }
        }
        Some(Relation { kind: written.kind, to, span: written.span })
    }

    fn parts(
        &mut self,
        stmts: &[TurnStmt],
        vars: &mut Vars,
        seen: &mut TurnNames,
    ) -> Vec<TurnPart> {
        stmts.iter().filter_map(|stmt| self.part(stmt, vars, seen)).collect()
    }

    fn part(&mut self, stmt: &TurnStmt, vars: &mut Vars, seen: &mut TurnNames) -> Option<TurnPart> {
        let span = stmt.span;
        let plain = vars.placed("a turn");
        match &stmt.kind {
            TurnStmtKind::Ask(words) => self.words(words, &plain).map(TurnPart::Ask),
            TurnStmtKind::Show(expr) => {
                let (what, ty) = self.lowering().lower(expr, &plain)?;
                let pictures = match &ty {
                    Type::List(of) => **of == Type::Image,
                    one => *one == Type::Image,
                };
                let lines = Type::Text.fits(&ty) || Type::list(Type::Text).fits(&ty);
                if !pictures && !lines {
                    let message = format!(
                        "{} where pictures or lines are asked for",
                        super::lower::noun(&ty)
                    );
                    self.report(
                        Diagnostic::error(Code::WRONG_TYPE, message)
                            .label(expr.span, "cannot be shown")
                            .help("show a list of `image`, `[image(\"picture.png\")]`, or a list of text"),
                    );
                    return None;
                }
                Some(TurnPart::Show(Show { what, pictures }))
            }
            TurnStmtKind::Let(item) => {
                self.checker.check_name(&item.name, "the name of a `let`");
                let lowered = self.lowering().lower(&item.value, &plain);
                vars.push(
                    &item.name.text,
                    lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone()),
                );
                Some(TurnPart::Let(item.name.text.clone(), lowered?.0))
            }
            TurnStmtKind::Param(param) => {
                let lowered = self.lowering().param(param, &plain);
                match &lowered {
                    Some(lowered) => vars.push_param(lowered),
                    None => vars.push(&param.name.text, Type::Unknown),
                }
                lowered.map(TurnPart::Param)
            }
            TurnStmtKind::Part(part) => {
                self.checker.check_name(&part.name, "the name of a part");
                let ty = if part.list { Type::list(Type::Text) } else { Type::Text };
                vars.push(&part.name.text, ty);
                let reader = match &part.reader {
                    Some(reader) => Some(self.reader(reader)?),
                    None => None,
                };
                let about = part.about.as_ref().map(|about| about.value.clone());
                Some(TurnPart::Part {
                    name: part.name.text.clone(),
                    list: part.list,
                    reader,
                    about,
                })
            }
            TurnStmtKind::Require(require) => {
                let by = match &require.by {
                    RequireBy::Check(expr) => {
                        By::Rule(self.lowering().expect(expr, &Type::Bool, vars)?)
                    }
                    RequireBy::Judge(judge) => {
                        let mut used = BTreeSet::new();
                        By::Judge(self.lowering().question(judge, vars, &mut used)?)
                    }
                };
                let tags = self.checker.tags(&require.tags);
                let after: Vec<String> =
                    require.after.iter().map(|name| name.text.clone()).collect();
                seen.require(self, require);
                Some(TurnPart::Require { name: require.name.text.clone(), by, after, tags })
            }
            TurnStmtKind::Answer(text) => {
                self.check_template(text, &plain);
                Some(TurnPart::Answer(text.value.clone()))
            }
            TurnStmtKind::Expect { points, fact } => {
                let points = self.lowering().expect(points, &Type::Float, &plain)?;
                self.check_template(fact, &plain);
                Some(TurnPart::Expect { points, fact: fact.value.clone() })
            }
            TurnStmtKind::Void(text) => {
                self.check_template(text, &plain);
                Some(TurnPart::Void(text.value.clone()))
            }
            TurnStmtKind::Impose(impose) => self.impose(impose, span).map(TurnPart::Impose),
            TurnStmtKind::For(inner) => {
                let (list, ty) = self.lowering().lower(&inner.list, &plain)?;
                let member = match ty {
                    Type::List(of) => *of,
                    Type::Unknown => Type::Unknown,
                    other => {
                        let message =
                            format!("{} where a list is asked for", super::lower::noun(&other));
                        self.report(
                            Diagnostic::error(Code::WRONG_TYPE, message)
                                .label(inner.list.span, "not a list"),
                        );
                        return None;
                    }
                };
                let mut within = vars.clone().with(&inner.name.text, member);
                let body = self.parts(&inner.body, &mut within, seen);
                Some(TurnPart::For { name: inner.name.text.clone(), list, body })
            }
        }
    }

    fn check_template(&mut self, text: &ast::Text, vars: &Vars) {
        let mut used = BTreeSet::new();
        self.lowering().template(text, vars, false, &mut used);
    }

    /// What cuts a part out of an answer: a name or a call that the part room knows.
    fn reader(&mut self, written: &ast::Expr) -> Option<crate::predicate::tree::Tree> {
        use crate::predicate::tree::{Node, Tree};
        use crate::syntax::ast::ExprKind;

        const READERS: [&str; 8] =
            ["between", "bullets", "json", "lines", "numbered", "quoted", "table", "whole"];
        let (name, args) = match &written.kind {
            ExprKind::Name(name) => (name, [].as_slice()),
            ExprKind::Call(name, args) => (name, args.as_slice()),
            _ => {
                self.report(
                    Diagnostic::error(Code::BAD_ARGUMENT, "this reads no part")
                        .label(written.span, "")
                        .help(format!(
                            "write one of {}",
                            READERS.map(|name| format!("`{name}`")).join(", ")
                        )),
                );
                return None;
            }
        };
        if !READERS.contains(&name.text.as_str()) {
            let diagnostic = Diagnostic::error(
                Code::UNKNOWN_FUNCTION,
                format!("there is no reader `{}`", name.text),
            )
            .label(name.span, "")
            .help(format!(
                "readers of parts are {}",
                READERS.map(|name| format!("`{name}`")).join(", ")
            ))
            .did_you_mean(&name.text, READERS);
            self.report(diagnostic);
            return None;
        }
        let mut trees = Vec::new();
        for arg in args {
            trees.push(self.lowering().expect(&arg.value, &Type::Text, &Vars::new("a reader"))?);
        }
        Some(Tree::new(Node::Call(name.text.clone(), trees), written.span))
    }

    /// Dependencies between requirements: known names, no circle.
    fn requirements(&mut self, seen: &TurnNames) {
        for (name, (span, after)) in &seen.requirements {
            for (needed, place) in after {
                if !seen.requirements.contains_key(needed) {
                    let diagnostic = Diagnostic::error(
                        Code::UNKNOWN_NAME,
                        format!("there is no requirement `{needed}`"),
                    )
                    .label(*place, "")
                    .did_you_mean(needed, seen.requirements.keys().map(String::as_str));
                    self.report(diagnostic);
                }
            }
            if seen.reaches(name, name) {
                self.report(
                    Diagnostic::error(
                        Code::DEPENDENCY_CYCLE,
                        format!("`{name}` comes after itself"),
                    )
                    .label(*span, "in a circle of `after`")
                    .help("a requirement may only come after others that do not come after it"),
                );
                return;
            }
        }
    }
}

/// The requirements of a turn with what each comes after.
#[derive(Default)]
struct TurnNames {
    requirements: BTreeMap<String, (Span, Vec<(String, Span)>)>,
}

impl TurnNames {
    fn require(&mut self, builder: &mut Builder<'_, '_>, written: &ast::Require) {
        let after = written.after.iter().map(|name| (name.text.clone(), name.span)).collect();
        let name = &written.name;
        if let Some((first, _)) = self.requirements.insert(name.text.clone(), (name.span, after)) {
            builder.report(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("the requirement `{}` is named twice", name.text),
                )
                .label(name.span, "second time")
                .label(first, "first time"),
            );
        }
    }

    /// Whether `from` comes, over any number of steps, after `to`.
    fn reaches(&self, from: &str, to: &str) -> bool {
        let mut open: Vec<&str> = vec![from];
        let mut known: BTreeSet<&str> = BTreeSet::new();
        while let Some(at) = open.pop() {
            let Some((_, after)) = self.requirements.get(at) else { continue };
            for (next, _) in after {
                if next == to {
                    return true;
                }
                if known.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}
