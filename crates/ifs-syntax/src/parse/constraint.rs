//! Groups, constraints, their parameters and their tests.

use super::TreeBuilder;
use super::dialogue::relation_kind;
use super::grammar::{GrammarPair, PairChildren, Rule};
use crate::ast::*;

impl TreeBuilder<'_> {
    pub(super) fn group(&mut self, pair: GrammarPair<'_>) -> Option<Group> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (mut members, mut broken) = (Vec::new(), false);
        while let Some(pair) = parts.next() {
            match pair.as_rule() {
                Rule::broken => {
                    self.broken(pair, Rule::group);
                    broken = true;
                }
                _ => {
                    let span = self.span(&pair);
                    let mut parts = PairChildren::new(pair);
                    let docs = parts.skip_to_optional(Rule::docs);
                    let docs = self.docs(docs, span);
                    let inner = parts.next()?;
                    let kind = match inner.as_rule() {
                        Rule::constraint => MemberKind::Constraint(self.constraint(inner)?),
                        _ => MemberKind::Test(self.test(inner)?),
                    };
                    members.push(Member { docs, span, kind });
                }
            }
        }
        Some(Group { name, members, broken })
    }

    pub(super) fn constraint(&mut self, pair: GrammarPair<'_>) -> Option<Constraint> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let mut params = Vec::new();
        if let Some(pair) = parts.skip_to_optional(Rule::params) {
            for param in PairChildren::new(pair).all(Rule::param) {
                params.push(self.param(param)?);
            }
        }
        let (mut body, mut broken) = (Vec::new(), false);
        while let Some(pair) = parts.next() {
            match pair.as_rule() {
                Rule::broken => {
                    self.broken(pair, Rule::constraint);
                    broken = true;
                }
                _ => {
                    let inner = PairChildren::new(pair).next()?;
                    let span = self.span(&inner);
                    body.push(ConstraintStmt { span, kind: self.constraint_stmt(inner)? });
                }
            }
        }
        Some(Constraint { name, params, body, broken })
    }

    fn constraint_stmt(&mut self, pair: GrammarPair<'_>) -> Option<ConstraintStmtKind> {
        use ConstraintStmtKind as Kind;
        let rule = pair.as_rule();
        let mut parts = PairChildren::new(pair);
        Some(match rule {
            Rule::say => Kind::Say(self.parse_texts(parts.skip_to_optional(Rule::texts)?)),
            Rule::change => Kind::Change(self.parse_texts(parts.skip_to_optional(Rule::texts)?)),
            Rule::withdraw => {
                Kind::Withdraw(self.parse_texts(parts.skip_to_optional(Rule::texts)?))
            }
            Rule::check => Kind::Check(self.expr(parts.skip_to_optional(Rule::expr)?)?),
            Rule::judge_stmt => Kind::Judge(self.judge(parts.skip_to_optional(Rule::judge)?)?),
            Rule::applies => Kind::Applies(self.expr(parts.skip_to_optional(Rule::expr)?)?),
            Rule::evolve_list => Kind::Evolve(EvolveList {
                param: self.name(parts.skip_to_optional(Rule::label)?),
                rules: self.evolve_rules(parts.skip_to_optional(Rule::evolve_rules)?)?,
            }),
            Rule::excludes => Kind::Excludes(self.paths(parts.skip_to_optional(Rule::paths)?)?),
            Rule::means => {
                parts.next_child();
                Kind::Relation(relation_kind(parts.next_child()?.as_rule())?)
            }
            Rule::weight => Kind::Weight(self.expr(parts.skip_to_optional(Rule::expr)?)?),
            Rule::tag_stmt => Kind::Tag(self.paths(parts.skip_to_optional(Rule::paths)?)?),
            Rule::alias => {
                let name = self.string(parts.skip_to_optional(Rule::string)?);
                let args = self.args(parts.skip_to_optional(Rule::args))?;
                let condition = match parts.skip_to_optional(Rule::expr) {
                    Some(condition) => Some(self.expr(condition)?),
                    None => None,
                };
                Kind::Alias(Alias { name, args, condition })
            }
            Rule::test_here => {
                let args = self.args(parts.skip_to_optional(Rule::args))?;
                let (cases, broken) = self.cases(parts.skip_to_optional(Rule::test_body)?)?;
                Kind::Test(Test { target: None, args, cases, broken })
            }
            _ => return None,
        })
    }

    pub(super) fn parse_texts(&mut self, pair: GrammarPair<'_>) -> Vec<TextLiteral> {
        PairChildren::new(pair)
            .all(Rule::string)
            .into_iter()
            .map(|pair| self.string(pair))
            .collect()
    }

    pub(super) fn judge(&mut self, pair: GrammarPair<'_>) -> Option<Judge> {
        let mut parts = PairChildren::new(pair);
        parts.take_if(Rule::k_judge);
        let form = match (parts.take_if(Rule::k_rubric), parts.take_if(Rule::k_by)) {
            (false, _) => JudgeForm::Question,
            (true, false) => JudgeForm::Rubric,
            (true, true) => JudgeForm::RubricFile,
        };
        let question = self.string(parts.skip_to_optional(Rule::string)?);
        let scale = match parts.skip_to_optional(Rule::operand) {
            Some(scale) => {
                let scale = self.operand(scale)?;
                let sign = compare_op(parts.skip_to_optional(Rule::compare_sign)?.as_str())?;
                Some((scale, sign, self.operand(parts.skip_to_optional(Rule::operand)?)?))
            }
            None => None,
        };
        let good = match parts.skip_to_optional(Rule::judge_good) {
            Some(pair) => Some(Box::new(
                self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?,
            )),
            None => None,
        };
        Some(Judge { form, question, scale, good })
    }

    pub(super) fn test(&mut self, pair: GrammarPair<'_>) -> Option<Test> {
        let mut parts = PairChildren::new(pair);
        let target = Some(self.path(parts.skip_to_optional(Rule::path)?));
        let args = self.args(parts.skip_to_optional(Rule::args))?;
        let (cases, broken) = self.cases(parts.skip_to_optional(Rule::test_body)?)?;
        Some(Test { target, args, cases, broken })
    }

    fn cases(&mut self, pair: GrammarPair<'_>) -> Option<(Vec<TestInput>, bool)> {
        let mut parts = PairChildren::new(pair);
        let (cases, broken) = self.block(&mut parts, Rule::test, |this, pair| {
            let span = this.span(&pair);
            let mut parts = PairChildren::new(pair);
            let kind = match parts.skip_to_optional(Rule::case_word)?.into_inner().next()?.as_rule()
            {
                Rule::k_pass => CaseKind::Pass,
                Rule::k_fail => CaseKind::Fail,
                Rule::k_prompt => CaseKind::Prompt,
                _ => CaseKind::Reply,
            };
            Some(TestInput { kind, text: this.expr(parts.skip_to_optional(Rule::expr)?)?, span })
        })?;
        Some((cases, broken))
    }

    pub(super) fn param(&mut self, pair: GrammarPair<'_>) -> Option<Param> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        Some(Param { name, domain: self.domain(parts.skip_to_optional(Rule::domain)?)?, span })
    }

    fn domain(&mut self, pair: GrammarPair<'_>) -> Option<Domain> {
        let span = self.span(&pair);
        let inner = PairChildren::new(pair).next()?;
        let rule = inner.as_rule();
        let whole = inner.clone();
        let mut parts = PairChildren::new(inner);
        let kind = match rule {
            Rule::number_domain => DomainKind::Number {
                float: parts.take_if(Rule::k_float),
                range: self.maybe_operand(&mut parts)?,
                step: self.maybe_operand(&mut parts)?,
            },
            Rule::one_of_domain => DomainKind::OneOf(match parts.skip_to_optional(Rule::choices) {
                Some(choices) => OneOf::Choices(self.choices(choices)?),
                None => OneOf::Of(self.operand(parts.skip_to_optional(Rule::operand)?)?),
            }),
            Rule::some_domain => DomainKind::Some {
                count: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                of: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                with: match parts.skip_to_optional(Rule::companions) {
                    Some(pair) => {
                        let params = PairChildren::new(pair).all(Rule::param);
                        params.into_iter().map(|param| self.param(param)).collect::<Option<_>>()?
                    }
                    None => Vec::new(),
                },
            },
            Rule::scene_domain => DomainKind::Scene(self.path(parts.skip_to_optional(Rule::path)?)),
            Rule::window_domain => {
                // `where` is also an operator, so it is included in the expression before it.
                let split = |expr: Expr| match expr.kind {
                    ExprKind::Where(list, condition) => (*list, Some(*condition)),
                    _ => (expr, None),
                };
                let within = self.operand(parts.skip_to_optional(Rule::operand)?)?;
                match parts.skip_to_optional(Rule::operand) {
                    Some(by) => {
                        let (by, condition) = split(self.operand(by)?);
                        DomainKind::Window { within, by: Some(by), condition }
                    }
                    None => {
                        let (within, condition) = split(within);
                        DomainKind::Window { within, by: None, condition }
                    }
                }
            }
            _ => DomainKind::Plain(self.ty(whole)?),
        };
        Some(Domain { kind, span })
    }

    fn choices(&mut self, pair: GrammarPair<'_>) -> Option<Vec<Choice>> {
        let mut choices = Vec::new();
        for pair in PairChildren::new(pair).all(Rule::choice) {
            let mut parts = PairChildren::new(pair);
            let value = self.operand(parts.skip_to_optional(Rule::operand)?)?;
            let weight = parts.skip_to_optional(Rule::percent).map(|pair| self.percent(&pair));
            choices.push(Choice { value, weight });
        }
        Some(choices)
    }

    /// An optional operand: the outer `None` means that the grammar changed.
    pub(super) fn maybe_operand(&mut self, parts: &mut PairChildren<'_>) -> Option<Option<Expr>> {
        match parts.skip_to_optional(Rule::operand) {
            Some(pair) => Some(Some(self.operand(pair)?)),
            None => Some(None),
        }
    }
}

pub(super) fn compare_op(sign: &str) -> Option<CompareOp> {
    Some(match sign {
        "==" => CompareOp::Equal,
        "!=" => CompareOp::NotEqual,
        "<" => CompareOp::Less,
        "<=" => CompareOp::LessEqual,
        ">" => CompareOp::More,
        ">=" => CompareOp::MoreEqual,
        _ => return None,
    })
}
