//! Constraints, their parameters and their tests as nodes.

use super::items::HeadWriter;
use super::node::{FormatNode, FormatNodeKind};
use super::parens::{ParenContext, Start, tightness};
use super::phrase::Phrase;
use crate::ast::*;
use ifs_base::source::Span;

impl<'t> HeadWriter<'t> {
    pub fn member(self, member: &'t Member) -> FormatNode<'t> {
        let node = match &member.kind {
            MemberKind::Constraint(constraint) => self.constraint(member.span, constraint),
            MemberKind::Test(test) => self.test(member.span, test),
        };
        node.docs(self.source, &member.docs)
    }

    pub fn constraint(self, span: Span, constraint: &'t Constraint) -> FormatNode<'t> {
        let params = &constraint.params;
        let head = self.head("constraint", |phrase| {
            phrase.push_word(&constraint.name.text);
            if !params.is_empty() {
                phrase.push("(");
                phrase.nested(|phrase| {
                    phrase.listed(params, |phrase, param| phrase.param(param));
                });
                phrase.push(")");
            }
        });
        let behind = params.last().map_or(constraint.name.span, |param| param.span).end;
        let stmts = constraint.body.iter().map(|stmt| self.constraint_stmt(stmt)).collect();
        self.node(span, head).body(self.source, behind, stmts)
    }

    fn constraint_stmt(self, stmt: &'t ConstraintStmt) -> FormatNode<'t> {
        use ConstraintStmtKind as Kind;
        let head = match &stmt.kind {
            Kind::Say(texts) => self.text_list("say", texts),
            Kind::Change(texts) => self.text_list("change", texts),
            Kind::Withdraw(texts) => self.text_list("withdraw", texts),
            Kind::Check(expr) => {
                self.head("check", |phrase| _ = phrase.expr(expr, ParenContext::STANDALONE))
            }
            Kind::Judge(judge) => self.head("judge", |phrase| phrase.judge(judge)),
            Kind::Applies(expr) => self.head("applies", |phrase| {
                phrase.push_word("when").expr(expr, ParenContext::STANDALONE);
            }),
            Kind::Evolve(evolve) => {
                let head = self.head("evolve", |phrase| _ = phrase.push_word(&evolve.param.text));
                return self.evolve_rules(self.node(stmt.span, head), &evolve.rules);
            }
            Kind::Excludes(paths) => {
                self.head("excludes", |phrase| _ = phrase.space().paths(paths))
            }
            Kind::Weight(expr) => {
                self.head("weight", |phrase| _ = phrase.expr(expr, ParenContext::STANDALONE))
            }
            Kind::Tag(paths) => self.head("tag", |phrase| _ = phrase.space().paths(paths)),
            Kind::Relation(kind) => {
                self.head("relation", |phrase| _ = phrase.push_word(kind.word()))
            }
            Kind::Alias(alias) => self.head("alias", |phrase| {
                phrase.space().literal(&alias.name);
                if !alias.args.is_empty() {
                    phrase.space().args(&alias.args);
                }
                if let Some(condition) = &alias.condition {
                    phrase.push_word("when").expr(condition, ParenContext::STANDALONE);
                }
            }),
            Kind::Test(test) => return self.test(stmt.span, test),
        };
        self.node(stmt.span, head).kind(FormatNodeKind::Aligned)
    }

    pub fn text_list(self, word: &str, texts: &[TextLiteral]) -> Phrase<'t> {
        self.head(word, |phrase| {
            phrase.space().listed(texts, |phrase, text| phrase.literal(text));
        })
    }

    pub fn test(self, span: Span, test: &'t Test) -> FormatNode<'t> {
        let head = self.head("test", |phrase| {
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
            let head =
                self.head(word, |phrase| _ = phrase.expr(&case.text, ParenContext::STANDALONE));
            self.node(case.span, head).kind(FormatNodeKind::Aligned)
        });
        self.node(span, head).body(self.source, behind, cases.collect())
    }

    /// Alternatives and guards, in source order.
    pub fn evolve_rules(self, node: FormatNode<'t>, rules: &'t EvolveRules) -> FormatNode<'t> {
        let guards = rules.guards.iter().map(|guard| {
            let head = self
                .head("when", |phrase| _ = phrase.expr(&guard.condition, ParenContext::STANDALONE));
            self.push_weighted_list(
                self.node(guard.span, head),
                guard.condition.span.end,
                &guard.changes,
            )
        });
        let mut nodes: Vec<FormatNode<'t>> =
            rules.changes.iter().map(|it| self.weighted(it)).collect();
        nodes.extend(guards);
        nodes.sort_by_key(|node| node.start);
        node.body(self.source, rules.span.start, nodes).separated("  ")
    }

    pub fn push_weighted_list(
        self,
        node: FormatNode<'t>,
        behind: u32,
        changes: &'t [Weighted],
    ) -> FormatNode<'t> {
        let changes = changes.iter().map(|it| self.weighted(it)).collect();
        node.body(self.source, behind, changes).separated("  ")
    }

    fn weighted(self, weighted: &'t Weighted) -> FormatNode<'t> {
        let head = self.head(&weighted.name.text, |phrase| {
            if let Some(amount) = &weighted.amount {
                phrase.expr(amount, ParenContext::start(Start::Weighted));
            }
            if let Some(share) = &weighted.share {
                phrase.push_word(&share.digits).push("%");
            }
        });
        self.node(weighted.span, head).kind(FormatNodeKind::Weighted)
    }
}

impl Phrase<'_> {
    pub fn judge(&mut self, judge: &Judge) {
        match judge.form {
            JudgeForm::Question => {}
            JudgeForm::Rubric => _ = self.push_word("rubric"),
            JudgeForm::RubricFile => _ = self.push_word("rubric by"),
        }
        self.string(&judge.question);
        if let Some((scale, sign, limit)) = &judge.scale {
            self.push_word("scale")
                .operand(scale)
                .push_word("pass")
                .push_word(sign.sign())
                .operand(limit);
        }
        if let Some(good) = &judge.good {
            self.push_word("pass ==").operand(good);
        }
    }

    pub fn param(&mut self, param: &Param) {
        self.push(&param.name.text).push(":").space().domain(&param.domain);
    }

    fn domain(&mut self, domain: &Domain) {
        match &domain.kind {
            DomainKind::Number { float, range, step } => {
                self.push(if *float { "float" } else { "int" });
                if let Some(range) = range {
                    self.push_word("in").operand(range);
                }
                if let Some(step) = step {
                    self.push_word("step").operand(step);
                }
            }
            DomainKind::OneOf(OneOf::Of(list)) => {
                self.push("one_of").expr(list, ParenContext::start(Start::Choices));
            }
            DomainKind::OneOf(OneOf::Choices(choices)) => {
                self.push("one_of [");
                self.nested(|phrase| {
                    phrase.listed(choices, |phrase, choice| phrase.choice(choice));
                });
                self.push("]");
            }
            DomainKind::Some { count, of, with } => {
                self.without_parens(count, ParenContext::start(Start::Count));
                self.push_word("of").operand(of);
                match with.as_slice() {
                    [] => {}
                    [param] => self.push_word("with").space().param(param),
                    params => {
                        self.push_word("with { ").nested(|phrase| {
                            phrase.listed(params, |phrase, param| phrase.param(param));
                        });
                        self.push(" }");
                    }
                }
            }
            DomainKind::Window { within, by, condition } => {
                // A `where` in the list would be parsed as the condition.
                let list = ParenContext { need: tightness::OR, ..ParenContext::OPERAND };
                self.push("window in").expr(within, list);
                if let Some(by) = by {
                    self.push_word("by").expr(by, list);
                }
                if let Some(condition) = condition {
                    self.gap().push("where").nested(|phrase| _ = phrase.operand(condition));
                }
            }
            DomainKind::Scene(path) => _ = self.push("scene ").path(path),
            DomainKind::Plain(ty) => _ = self.ty(ty),
        }
    }

    fn choice(&mut self, choice: &Choice) {
        self.without_parens(&choice.value, ParenContext::OPERAND);
        if let Some(weight) = &choice.weight {
            self.push_word(&weight.digits).push("%");
        }
    }
}
