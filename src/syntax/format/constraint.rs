//! Constraints, their parameters and their tests as nodes.

use super::items::Writer;
use super::node::{Node, NodeKind};
use super::parens::{Context, Start, tightness};
use super::phrase::Phrase;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'t> Writer<'t> {
    pub fn member(self, member: &'t Member) -> Node<'t> {
        let node = match &member.kind {
            MemberKind::Constraint(constraint) => self.constraint(member.span, constraint),
            MemberKind::Test(test) => self.test(member.span, test),
        };
        node.docs(self.source, &member.docs)
    }

    pub fn constraint(self, span: Span, constraint: &'t Constraint) -> Node<'t> {
        let params = &constraint.params;
        let head = self.words("constraint", |phrase| {
            phrase.word(&constraint.name.text);
            if !params.is_empty() {
                phrase.put("(");
                phrase.nested(|phrase| {
                    phrase.listed(params, |phrase, param| phrase.param(param));
                });
                phrase.put(")");
            }
        });
        let behind = params.last().map_or(constraint.name.span, |param| param.span).end;
        let stmts = constraint.body.iter().map(|stmt| self.constraint_stmt(stmt)).collect();
        self.node(span, head).body(self.source, behind, stmts)
    }

    fn constraint_stmt(self, stmt: &'t ConstraintStmt) -> Node<'t> {
        use ConstraintStmtKind as Kind;
        let head = match &stmt.kind {
            Kind::Say(texts) => self.texts("say", texts),
            Kind::Change(texts) => self.texts("change", texts),
            Kind::Withdraw(texts) => self.texts("withdraw", texts),
            Kind::Check(expr) => {
                self.words("check", |phrase| _ = phrase.expr(expr, Context::ALONE))
            }
            Kind::Judge(judge) => self.words("judge", |phrase| phrase.judge(judge)),
            Kind::Applies(expr) => self.words("applies", |phrase| {
                phrase.word("when").expr(expr, Context::ALONE);
            }),
            Kind::Evolve(evolve) => {
                let head = self.words("evolve", |phrase| _ = phrase.word(&evolve.param.text));
                return self.evolve_rules(self.node(stmt.span, head), &evolve.rules);
            }
            Kind::Excludes(paths) => {
                self.words("excludes", |phrase| _ = phrase.space().paths(paths))
            }
            Kind::Weight(expr) => {
                self.words("weight", |phrase| _ = phrase.expr(expr, Context::ALONE))
            }
            Kind::Tag(paths) => self.words("tag", |phrase| _ = phrase.space().paths(paths)),
            Kind::Relation(kind) => self.words("relation", |phrase| _ = phrase.word(kind.word())),
            Kind::Alias(alias) => self.words("alias", |phrase| {
                phrase.space().literal(&alias.name);
                if !alias.args.is_empty() {
                    phrase.space().args(&alias.args);
                }
                if let Some(condition) = &alias.condition {
                    phrase.word("when").expr(condition, Context::ALONE);
                }
            }),
            Kind::Test(test) => return self.test(stmt.span, test),
        };
        self.node(stmt.span, head).kind(NodeKind::Aligned)
    }

    pub fn texts(self, word: &str, texts: &[Text]) -> Phrase<'t> {
        self.words(word, |phrase| {
            phrase.space().listed(texts, |phrase, text| phrase.literal(text));
        })
    }

    pub fn test(self, span: Span, test: &'t Test) -> Node<'t> {
        let head = self.words("test", |phrase| {
            if let Some(path) = &test.target {
                phrase.space().path(path);
            }
            if !test.args.is_empty() {
                if test.target.is_none() {
                    phrase.space();
                }
                phrase.args(&test.args);
            }
        });
        let target = test.target.as_ref().map_or(span.start, |path| path.span.end);
        let behind = test.args.last().map_or(target, |arg| arg.value.span.end);
        let cases = test.cases.iter().map(|case| {
            let word = match case.kind {
                CaseKind::Pass => "pass",
                CaseKind::Fail => "fail",
                CaseKind::Prompt => "prompt",
                CaseKind::Reply => "reply",
            };
            let head = self.words(word, |phrase| _ = phrase.expr(&case.text, Context::ALONE));
            self.node(case.span, head).kind(NodeKind::Aligned)
        });
        self.node(span, head).body(self.source, behind, cases.collect())
    }

    /// Alternatives and guards, in source order.
    pub fn evolve_rules(self, node: Node<'t>, rules: &'t EvolveRules) -> Node<'t> {
        let guards = rules.guards.iter().map(|guard| {
            let head =
                self.words("when", |phrase| _ = phrase.expr(&guard.condition, Context::ALONE));
            self.ways(self.node(guard.span, head), guard.condition.span.end, &guard.ways)
        });
        let mut nodes: Vec<Node<'t>> = rules.ways.iter().map(|way| self.way(way)).collect();
        nodes.extend(guards);
        nodes.sort_by_key(|node| node.start);
        node.body(self.source, rules.span.start, nodes).separated("  ")
    }

    pub fn ways(self, node: Node<'t>, behind: u32, ways: &'t [Weighted]) -> Node<'t> {
        let ways = ways.iter().map(|way| self.way(way)).collect();
        node.body(self.source, behind, ways).separated("  ")
    }

    fn way(self, way: &'t Weighted) -> Node<'t> {
        let head = self.words(&way.name.text, |phrase| {
            if let Some(amount) = &way.amount {
                phrase.expr(amount, Context::start(Start::Way));
            }
            if let Some(share) = &way.share {
                phrase.word(&share.digits).put("%");
            }
        });
        self.node(way.span, head).kind(NodeKind::Way)
    }
}

impl Phrase<'_> {
    pub fn judge(&mut self, judge: &Judge) {
        match judge.form {
            JudgeForm::Question => {}
            JudgeForm::Rubric => _ = self.word("rubric"),
            JudgeForm::RubricFile => _ = self.word("rubric by"),
        }
        self.string(&judge.question);
        if let Some((scale, sign, limit)) = &judge.scale {
            self.word("scale").operand(scale).word("pass").word(sign.sign()).operand(limit);
        }
        if let Some(good) = &judge.good {
            self.word("pass ==").operand(good);
        }
    }

    pub fn param(&mut self, param: &Param) {
        self.put(&param.name.text).put(":").space().domain(&param.domain);
    }

    fn domain(&mut self, domain: &Domain) {
        match &domain.kind {
            DomainKind::Number { float, range, step } => {
                self.put(if *float { "float" } else { "int" });
                if let Some(range) = range {
                    self.word("in").operand(range);
                }
                if let Some(step) = step {
                    self.word("step").operand(step);
                }
            }
            DomainKind::OneOf(OneOf::Of(list)) => {
                self.put("one_of").expr(list, Context::start(Start::Choices));
            }
            DomainKind::OneOf(OneOf::Choices(choices)) => {
                self.put("one_of [");
                self.nested(|phrase| {
                    phrase.listed(choices, |phrase, choice| phrase.choice(choice));
                });
                self.put("]");
            }
            DomainKind::Some { count, of, with } => {
                self.bare(count, Context::start(Start::Count));
                self.word("of").operand(of);
                match with.as_slice() {
                    [] => {}
                    [param] => self.word("with").space().param(param),
                    params => {
                        self.word("with { ").nested(|phrase| {
                            phrase.listed(params, |phrase, param| phrase.param(param));
                        });
                        self.put(" }");
                    }
                }
            }
            DomainKind::Window { within, by, condition } => {
                // A `where` in the list would be parsed as the condition.
                let list = Context { need: tightness::OR, ..Context::OPERAND };
                self.put("window in").expr(within, list);
                if let Some(by) = by {
                    self.word("by").expr(by, list);
                }
                if let Some(condition) = condition {
                    self.gap().put("where").nested(|phrase| _ = phrase.operand(condition));
                }
            }
            DomainKind::Scene(path) => _ = self.put("scene ").path(path),
            DomainKind::Plain(ty) => _ = self.ty(ty),
        }
    }

    fn choice(&mut self, choice: &Choice) {
        self.bare(&choice.value, Context::OPERAND);
        if let Some(weight) = &choice.weight {
            self.word(&weight.digits).put("%");
        }
    }
}
