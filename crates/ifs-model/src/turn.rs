//! Turns, their relations and their statements.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Checker;
use super::dialogue::{COUNTS, DialogueChecker, observed};
use super::requirement::Requirements;
use super::table::{DecidedBy, MISSED, Relation, Show, Step, Turn, TurnPart};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_base::work::{self, Task};
use ifs_predicate::tree::{Node, Tree};
use ifs_predicate::turn_fact::TurnFact;
use ifs_predicate::types::Type;
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, ObserveBy, RelationKind, RequireBy, Stmt, StmtKind};
use ifs_syntax::statement::StatementPlace;

impl Checker<'_> {
    /// The turns of a flow, whose relations are to turns of the same flow.
    pub fn flow_steps(&mut self, module: usize, written: &ast::Flow) -> Vec<Step> {
        let vars = Vars::new("a flow")
            .fact(TurnFact::Topic, self.topic.clone())
            .fact(TurnFact::Style, Type::Unknown);
        let mut builder = DialogueChecker::new(self, module, vars);
        // All names are collected first: a relation to a later turn is another mistake than one to
        // an unknown turn.
        let mut all: BTreeMap<String, Span> = BTreeMap::new();
        for name in written.turns().filter_map(|turn| turn.name.as_ref()) {
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
        if written.stmts.is_empty() && !written.broken {
            builder.report(
                Diagnostic::error(
                    Code::MISSING_STATEMENT,
                    format!("the flow `{}` has no turns", written.name.text),
                )
                .label(written.name.span, "")
                .help("write `turn c1` in it"),
            );
        }
        builder.observed = observed(written.turns());
        builder.flow_steps(&written.stmts)
    }
}

impl<'c, 'w> DialogueChecker<'c, 'w> {
    /// The turns of a named flow, and its branches.
    fn flow_steps(&mut self, stmts: &[Stmt]) -> Vec<Step> {
        let mut steps = Vec::new();
        for stmt in self.placed_statements(stmts, StatementPlace::Flow) {
            match &stmt.kind {
                StmtKind::Turn(turn) => steps.push(Step::Turn(Box::new(self.turn(turn)))),
                StmtKind::When { condition, block, otherwise } => {
                    let condition = self.observation(condition);
                    let body = self.flow_steps(&block.stmts);
                    let otherwise = otherwise.as_ref();
                    let otherwise =
                        otherwise.map_or_else(Vec::new, |block| self.flow_steps(&block.stmts));
                    let step = |condition| Step::When { condition, body, otherwise };
                    steps.extend(condition.map(step));
                }
                _ => {}
            }
        }
        steps
    }

    /// The condition of a `when` around turns: over observations and the names of the dialogue.
    pub(super) fn observation(&mut self, written: &ast::Expr) -> Option<Tree> {
        let mut vars = self.vars.for_place("`when`");
        self.push_observed(&mut vars);
        let tree = self.lowering().expect(written, &Type::Bool, &vars)?;
        let fact = COUNTS.into_iter().find(|fact| tree.reads(*fact));
        let Some(fact) = fact else { return Some(tree) };
        self.report(
            Diagnostic::error(
                Code::BAD_BRANCH,
                format!("a branch does not depend on `{}`", fact.name()),
            )
            .label(written.span, "")
            .help(
                "write what the response has to show, `observe NAME …` in an earlier turn, and \
                 then `when NAME { … }`",
            ),
        );
        None
    }

    /// Adds the names of observations to a scope.
    pub(super) fn push_observed(&self, vars: &mut Vars) {
        self.observed.keys().for_each(|name| vars.push(name, Type::Bool));
        if vars.get(MISSED).is_none() {
            vars.push(MISSED, Type::Bool);
        }
    }

    /// The weight of a requirement, if its statement gives one; `None` for a wrong one.
    pub(super) fn weight_of(
        &mut self,
        written: &ast::Require,
        vars: &Vars,
    ) -> Option<Option<Tree>> {
        match &written.weight {
            Some(weight) => self.lowering().expect(weight, &Type::Float, vars).map(Some),
            None => Some(None),
        }
    }

    fn observe(
        &mut self,
        written: &ast::Observe,
        vars: &Vars,
        seen: &mut Requirements,
    ) -> Option<TurnPart> {
        let name = &written.name;
        self.checker.check_name(name, "the name of an observation");
        if name.text == MISSED {
            self.report(
                Diagnostic::error(
                    Code::RESERVED_NAME,
                    "`missed` says whether the last turn missed something",
                )
                .label(name.span, "")
                .help("give the observation another name; `when missed { … }` needs none"),
            );
        }
        if self.vars.get(&name.text).is_some() {
            self.report(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("`{}` is a name of the dialogue already", name.text),
                )
                .label(name.span, "")
                .help("give the observation another name"),
            );
        }
        seen.observe(self, name);
        let by = match &written.by {
            ObserveBy::Check(expr) => {
                let tree = self.lowering().expect(expr, &Type::Bool, vars)?;
                seen.uses(|name| tree.mentions(name));
                DecidedBy::Rule(tree)
            }
            ObserveBy::Judge(judge) => {
                let mut used = BTreeSet::new();
                let question = self.lowering().question(judge, vars, &mut used)?;
                seen.uses(|name| used.contains(name));
                DecidedBy::Judge(question)
            }
        };
        Some(TurnPart::Observe { name: name.text.clone(), by })
    }

    pub fn turn(&mut self, written: &ast::Turn) -> Turn {
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
        let mut seen = Requirements::default();
        let stmts = written.body.as_deref().unwrap_or(&[]);
        let body = self.parts(stmts, StatementPlace::Turn, &mut answer, &mut seen);
        self.check_given(written);
        seen.check(self, written.span);
        let slice = self.slice_of_turn(&answer.before_response());
        self.vars = outer;
        Turn {
            name,
            relations,
            body,
            slice,
            span: written.name.as_ref().map_or(written.span, |name| name.span),
        }
    }

    /// Nothing is requested for a turn with a `reply`, so nothing may be judged on it.
    fn check_given(&mut self, written: &ast::Turn) {
        fn judging(stmts: &[Stmt]) -> Option<&Stmt> {
            stmts.iter().find_map(|stmt| match &stmt.kind {
                StmtKind::Answer(_)
                | StmtKind::Require(_)
                | StmtKind::Expect { .. }
                | StmtKind::Void(..)
                | StmtKind::Part(_)
                | StmtKind::Observe(_)
                | StmtKind::Class(_) => Some(stmt),
                StmtKind::For(inner) => judging(&inner.body),
                _ => None,
            })
        }
        let stmts = written.body.as_deref().unwrap_or(&[]);
        let Some(reply) = stmts.iter().find(|it| matches!(it.kind, StmtKind::Reply(_))) else {
            return;
        };
        let relation = written.relations.iter().find(|relation| relation.kind.is_judged());
        let wrong = judging(stmts).map(|stmt| (stmt.kind.statement().word(), stmt.span));
        let wrong = wrong.or_else(|| Some((relation?.kind.word(), relation?.span)));
        let Some((word, span)) = wrong else { return };
        self.report(
            Diagnostic::error(
                Code::NO_EFFECT,
                format!("`{word}` has no effect on a turn that is given"),
            )
            .label(span, "the response is not judged")
            .label(reply.span, "it is given here")
            .help(format!(
                "leave the `{word}` out; or leave the `reply` out, so that the model responds"
            )),
        );
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
        stmts: &[Stmt],
        place: StatementPlace,
        vars: &mut Vars,
        seen: &mut Requirements,
    ) -> Vec<TurnPart> {
        let stmts = self.placed_statements(stmts, place);
        stmts.into_iter().filter_map(|stmt| self.part(stmt, vars, seen)).flatten().collect()
    }

    /// One part, except for a requirement about each field of a schema.
    fn part(
        &mut self,
        stmt: &Stmt,
        vars: &mut Vars,
        seen: &mut Requirements,
    ) -> Option<Vec<TurnPart>> {
        let span = stmt.span;
        // Each statement has a copy of the names before it.
        if !work::spend(Task::Types, vars.len() as u64) {
            return None;
        }
        let plain = vars.before_response();
        let part = match &stmt.kind {
            StmtKind::Ask(lower_text_source) => {
                self.lower_text_source(lower_text_source, &plain).map(TurnPart::Ask)
            }
            StmtKind::Show(show) => {
                let expr = &show.what;
                let tool = match &show.by {
                    Some(by) => Some(self.tool(by)?),
                    None => None,
                };
                let (what, ty) = self.lowering().lower(expr, &plain)?;
                let pictures = match &ty {
                    Type::List(of) => **of == Type::Image,
                    one => *one == Type::Image,
                };
                let lines = Type::Text.fits(&ty) || Type::list(Type::Text).fits(&ty);
                if tool.is_some() && !lines {
                    let message =
                        format!("{} where a tool's text is expected", super::lower::noun(&ty));
                    self.report(
                        Diagnostic::error(Code::WRONG_TYPE, message)
                            .label(expr.span, "")
                            .help("a tool's message is a text, or a list of texts as its lines"),
                    );
                    return None;
                }
                if !pictures && !lines {
                    let message =
                        format!("{} where pictures or lines are expected", super::lower::noun(&ty));
                    self.report(
                        Diagnostic::error(Code::WRONG_TYPE, message)
                            .label(expr.span, "cannot be shown")
                            .help("show a list of `image`, `[image(\"picture.png\")]`, or a list of text"),
                    );
                    return None;
                }
                Some(TurnPart::Show(Show { what, pictures, tool }))
            }
            StmtKind::Let(item) => {
                self.checker.check_name(&item.name, "the name of a `let`");
                let lowered = self.lowering().lower(&item.value, &plain);
                let ty = lowered.as_ref().map_or(Type::Unknown, |(_, ty)| ty.clone());
                self.checker.inner_let(vars, &item.name, ty);
                Some(TurnPart::Let(item.name.text.clone(), lowered?.0))
            }
            StmtKind::Param(param) => {
                let lowered = self.lowering().param(param, &plain);
                match &lowered {
                    Some(lowered) => vars.push_param(lowered),
                    None => vars.push(&param.name.text, Type::Unknown),
                }
                lowered.map(TurnPart::Param)
            }
            StmtKind::Part(part) => {
                self.checker.check_name(&part.name, "the name of a part");
                seen.add_part(self, &part.name);
                let ty = if part.list { Type::list(Type::Text) } else { Type::Text };
                vars.push_part(&part.name.text, ty);
                let reader = match &part.reader {
                    Some(reader) => Some(self.reader(reader, &vars.for_place("a turn"))?),
                    None => None,
                };
                let about = part.about.as_ref().map(|about| {
                    self.check_template(about, &plain);
                    about.value.clone()
                });
                Some(TurnPart::Part {
                    name: part.name.text.clone(),
                    list: part.list,
                    reader,
                    about,
                })
            }
            StmtKind::Require(require) => {
                seen.require(self, require);
                let says = require.says.as_ref().map(|says| {
                    self.check_template(says, &plain);
                    says.value.clone()
                });
                let by = match &require.by {
                    RequireBy::Check(expr) => {
                        let tree = self.lowering().expect(expr, &Type::Bool, vars)?;
                        seen.uses(|name| tree.mentions(name));
                        DecidedBy::Rule(tree)
                    }
                    RequireBy::Judge(judge) => {
                        let mut used = BTreeSet::new();
                        let question = self.lowering().question(judge, vars, &mut used)?;
                        seen.uses(|name| used.contains(name));
                        DecidedBy::Judge(question)
                    }
                    RequireBy::Fits(schema) => {
                        return self.fields(require, schema, says, &plain, seen);
                    }
                };
                let tags = self.checker.tags(&require.tags);
                let mut tagged = Vec::new();
                for (path, text) in &require.tagged {
                    let tree = self.checker.tags(std::slice::from_ref(path)).pop();
                    let text = self.lowering().expect(text, &Type::Text, &plain);
                    tagged.push((tree?, text?));
                }
                let after: Vec<String> = require.after.iter().map(ast::Path::text).collect();
                let name = require.name.text.clone();
                let weight = self.weight_of(require, &plain)?;
                Some(TurnPart::Require { name, by, says, after, tags, tagged, weight })
            }
            StmtKind::Observe(observe) => self.observe(observe, vars, seen),
            StmtKind::Answer(text) => {
                self.check_template(text, &plain);
                Some(TurnPart::Answer(text.value.clone()))
            }
            StmtKind::Reply(words) => self.lower_text_source(words, &plain).map(TurnPart::Reply),
            StmtKind::Class(text) => {
                self.check_template(text, &plain);
                Some(TurnPart::Class(text.value.clone()))
            }
            StmtKind::Expect { points, fact, check } => {
                let points = self.lowering().expect(points, &Type::Float, &plain)?;
                if let Node::Value(Value::Int(..=0)) = &points.node {
                    self.report(
                        Diagnostic::error(Code::BAD_NUMBER, "a fact needs more than 0 points")
                            .label(points.span, "a response cannot earn these points")
                            .help("write its points, such as `expect 1 \"…\"`, or use `void` for what must not be said"),
                    );
                }
                self.check_template(fact, &plain);
                let check = self.fact_check(check.as_ref(), vars)?;
                Some(TurnPart::Expect { points, fact: fact.value.clone(), check })
            }
            StmtKind::Void(text, check) => {
                self.check_template(text, &plain);
                let check = self.fact_check(check.as_ref(), vars)?;
                Some(TurnPart::Void(text.value.clone(), check))
            }
            StmtKind::Impose(impose) => {
                self.impose(impose, span, Some(&plain)).map(TurnPart::Impose)
            }
            StmtKind::For(inner) => {
                self.no_choice(inner, "in a turn, which has one response");
                if inner.body.is_empty() && !self.has_error_within(span) {
                    self.report(
                        Diagnostic::error(Code::NO_EFFECT, "a loop without statements")
                            .label(inner.name.span, "nothing is done for its members")
                            .help("write what each member adds, such as `expect 1 \"…\"`"),
                    );
                }
                let (list, member) = self.loop_over(inner, &plain);
                let mut within = vars.clone().with(&inner.name.text, member);
                let body = self.parts(&inner.body, StatementPlace::TurnLoop, &mut within, seen);
                Some(TurnPart::For { name: inner.name.text.clone(), list: list?, body })
            }
            // Others are not in a turn.
            _ => None,
        };
        part.map(|part| vec![part])
    }

    /// Lowers the rule of a fact. The outer `None` is a mistake.
    fn fact_check(
        &mut self,
        check: Option<&ast::Expr>,
        vars: &Vars,
    ) -> Option<Option<ifs_predicate::tree::Tree>> {
        match check {
            Some(check) => Some(Some(self.lowering().expect(check, &Type::Bool, vars)?)),
            None => Some(None),
        }
    }

    pub(super) fn check_template(&mut self, text: &ast::TextLiteral, vars: &Vars) {
        let mut used = BTreeSet::new();
        self.lowering().template(text, vars, false, &mut used);
    }
}
