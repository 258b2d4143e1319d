//! Dialogues, flows and turns.

use super::TreeBuilder;
use super::grammar::{GrammarPair, PairChildren, Rule};
use crate::ast::*;
use ifs_base::diagnostic::{Code, Diagnostic};

impl TreeBuilder<'_> {
    pub(super) fn flow(&mut self, pair: GrammarPair<'_>) -> Option<Flow> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (stmts, broken) = self.stmts(parts.skip_to_optional(Rule::stmts)?, Rule::flow)?;
        Some(Flow { name, stmts, broken })
    }

    /// An optional `check …` of a fact. The outer `None` is a mistake.
    fn maybe_check(&mut self, parts: &mut PairChildren<'_>) -> Option<Option<Expr>> {
        match parts.skip_to_optional(Rule::check) {
            Some(pair) => {
                Some(Some(self.expr(PairChildren::new(pair).skip_to_optional(Rule::expr)?)?))
            }
            None => Some(None),
        }
    }

    fn turn(&mut self, pair: GrammarPair<'_>) -> Option<Turn> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let name = parts.skip_to_optional(Rule::turn_name).map(|pair| self.name(pair));
        let mut relations = Vec::new();
        if let Some(pair) = parts.skip_to_optional(Rule::relations) {
            for relation in PairChildren::new(pair).all(Rule::relation) {
                relations.push(self.relation(relation)?);
            }
        }
        let body = match parts.skip_to_optional(Rule::stmts) {
            Some(pair) => Some(self.stmts(pair, Rule::turn)?.0),
            None => None,
        };
        Some(Turn { span, name, relations, body })
    }

    fn relation(&mut self, pair: GrammarPair<'_>) -> Option<Relation> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let kind = relation_kind(parts.next_child()?.as_rule())?;
        let to = parts.all(Rule::label).into_iter().map(|pair| self.name(pair)).collect();
        Some(Relation { kind, to, span })
    }

    fn parse_text_source(&mut self, pair: GrammarPair<'_>) -> Option<TextSource> {
        let mut parts = PairChildren::new(pair);
        match parts.skip_to_optional(Rule::string) {
            Some(path) => Some(TextSource::Template(self.string(path))),
            None => Some(TextSource::Expr(self.expr(parts.skip_to_optional(Rule::expr)?)?)),
        }
    }

    fn require(&mut self, mut parts: PairChildren<'_>) -> Option<Require> {
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let mut by = match (parts.skip_to_optional(Rule::judge), parts.skip_to_optional(Rule::fits))
        {
            (Some(judge), _) => RequireBy::Judge(self.judge(judge)?),
            (None, Some(fits)) => {
                let schema = PairChildren::new(fits).skip_to_optional(Rule::operand)?;
                RequireBy::Fits(self.operand(schema)?)
            }
            (None, None) => RequireBy::Check(self.expr(parts.skip_to_optional(Rule::expr)?)?),
        };
        if let RequireBy::Check(check) = &mut by
            && (check.span.start == name.span.end
                || name.text == "judge" && matches!(check.kind, ExprKind::Text(_))
                || name.text == "fits" && matches!(check.kind, ExprKind::Record(_)))
        {
            // `require len(a) == 3`: the function's name was parsed as the requirement's.
            let rest = match name.text.as_str() {
                "judge" => " \"…?\"",
                "fits" => " { … }",
                _ => "(…) …",
            };
            self.diagnostics.push(
                Diagnostic::error(Code::SYNTAX, "this requirement has no name")
                    .label(name.span, "begins its check")
                    .help(format!("name it first: `require NAME {}{rest}`", name.text)),
            );
            // A wrong check causes no further diagnostics.
            check.kind = ExprKind::Bool(true);
        }
        let says = parts.skip_to_optional(Rule::require_say);
        let says = says.and_then(|say| PairChildren::new(say).skip_to_optional(Rule::string));
        let says = says.map(|pair| self.string(pair));
        let after = match parts.skip_to_optional(Rule::after) {
            Some(after) => self.paths(PairChildren::new(after).skip_to_optional(Rule::paths)?)?,
            None => Vec::new(),
        };
        let (mut tags, mut tagged) = (Vec::new(), Vec::new());
        let all = parts
            .skip_to_optional(Rule::require_tags)
            .map(|pair| PairChildren::new(pair).all(Rule::require_tag));
        for pair in all.into_iter().flatten() {
            let mut parts = PairChildren::new(pair);
            let path = self.path(parts.skip_to_optional(Rule::path)?);
            match parts.skip_to_optional(Rule::expr) {
                Some(text) => tagged.push((path, self.expr(text)?)),
                None => tags.push(path),
            }
        }
        let weight = match parts.skip_to_optional(Rule::require_weight) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        Some(Require { name, by, says, after, tags, tagged, weight })
    }

    fn observe(&mut self, mut parts: PairChildren<'_>) -> Option<Observe> {
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let by = match parts.skip_to_optional(Rule::judge) {
            Some(judge) => ObserveBy::Judge(self.judge(judge)?),
            None => ObserveBy::Check(self.expr(parts.skip_to_optional(Rule::expr)?)?),
        };
        Some(Observe { name, by })
    }

    /// One side of a `when`, in a block of this kind.
    fn branch(&mut self, pair: GrammarPair<'_>, of: Rule) -> Option<Block> {
        let span = self.span(&pair);
        Some(Block { stmts: self.stmts(pair, of)?.0, span })
    }

    fn impose(&mut self, mut parts: PairChildren<'_>) -> Option<Impose> {
        let since = match parts.skip_to_optional(Rule::impose_since) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        let called = parts.next_if(Rule::impose_called);
        let given =
            if called.is_none() { parts.skip_to_optional(Rule::impose_given) } else { None };
        let what = match (called, given) {
            (Some(pair), _) => self.impose_called(pair)?,
            (None, Some(pair)) => self.impose_given(pair)?,
            (None, None) => {
                let count = self.operand(parts.skip_to_optional(Rule::operand)?)?;
                let new_group = parts.skip_to_optional(Rule::new_group).is_some();
                let from = match parts.skip_to_optional(Rule::impose_from) {
                    Some(pair) => {
                        self.paths(PairChildren::new(pair).skip_to_optional(Rule::paths)?)?
                    }
                    None => Vec::new(),
                };
                ImposeTarget::Drawn { count, new_group, from }
            }
        };
        let scope = match parts.skip_to_optional(Rule::impose_scope) {
            Some(pair) => Some(self.name(PairChildren::new(pair).skip_to_optional(Rule::label)?)),
            None => None,
        };
        let by = match parts.skip_to_optional(Rule::impose_by) {
            Some(pair) => Some(self.name(PairChildren::new(pair).skip_to_optional(Rule::label)?)),
            None => None,
        };
        let against = match parts.skip_to_optional(Rule::impose_against) {
            Some(pair) => Some(self.against(pair)?),
            None => None,
        };
        let probability = match parts.skip_to_optional(Rule::impose_chance) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        let applies = match parts.skip_to_optional(Rule::impose_applies) {
            Some(pair) => Some(self.expr(PairChildren::new(pair).skip_to_optional(Rule::expr)?)?),
            None => None,
        };
        Some(Impose { since, what, scope, by, against, probability, applies })
    }

    fn against(&mut self, pair: GrammarPair<'_>) -> Option<Against> {
        let mut parts = PairChildren::new(pair);
        let speaker = self.name(parts.skip_to_optional(Rule::label)?);
        let case = match parts.skip_to_optional(Rule::impose_case) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        Some(Against { speaker, case })
    }

    fn impose_called(&mut self, pair: GrammarPair<'_>) -> Option<ImposeTarget> {
        let mut parts = PairChildren::new(pair);
        let name = self.operand(parts.skip_to_optional(Rule::operand)?)?;
        let given = match parts.next_if(Rule::called_given) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        let from = PairChildren::new(parts.skip_to_optional(Rule::impose_from)?)
            .skip_to_optional(Rule::paths)?;
        let from = self.paths(from)?;
        Some(ImposeTarget::Called { name, given, from, unsaid: parts.take_if(Rule::k_unsaid) })
    }

    fn impose_given(&mut self, pair: GrammarPair<'_>) -> Option<ImposeTarget> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let path = self.path(parts.skip_to_optional(Rule::path)?);
        let args = match parts.skip_to_optional(Rule::given_args) {
            None => None,
            Some(pair) => {
                let mut args = Vec::new();
                for pair in PairChildren::new(pair).all(Rule::given_arg) {
                    let mut parts = PairChildren::new(pair);
                    let name = self.name(parts.skip_to_optional(Rule::label)?);
                    args.push(Arg {
                        name: Some(name),
                        value: self.expr(parts.skip_to_optional(Rule::expr)?)?,
                    });
                }
                Some(args)
            }
        };
        Some(ImposeTarget::Given { path, args, span })
    }

    pub(super) fn dialogue(&mut self, pair: GrammarPair<'_>) -> Option<Dialogue> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let over = match parts.skip_to_optional(Rule::over) {
            Some(pair) => {
                let mut parts = PairChildren::new(pair);
                let path = self.path(parts.skip_to_optional(Rule::path)?);
                Some((path, self.name(parts.skip_to_optional(Rule::label)?)))
            }
            None => None,
        };
        let (stmts, broken) = self.stmts(parts.skip_to_optional(Rule::stmts)?, Rule::dialogue)?;
        Some(Dialogue { name, over, stmts, broken })
    }

    /// The statements of a block, and whether a line of it has an error. `of` is the block, for
    /// diagnostics.
    fn stmts(&mut self, pair: GrammarPair<'_>, of: Rule) -> Option<(Vec<Stmt>, bool)> {
        self.block(&mut PairChildren::new(pair), of, |this, pair| {
            let mut parts = PairChildren::new(pair);
            let docs = parts.skip_to_optional(Rule::docs);
            let inner = parts.next()?;
            let span = this.span(&inner);
            let docs = this.docs(docs, span);
            Some(Stmt { docs, span, kind: this.stmt(inner, of)? })
        })
    }

    fn stmt(&mut self, pair: GrammarPair<'_>, of: Rule) -> Option<StmtKind> {
        use StmtKind as Kind;
        let rule = pair.as_rule();
        let whole = pair.clone();
        let mut parts = PairChildren::new(pair);
        Some(match rule {
            Rule::topic => Kind::Topic(self.draw_from(parts)?),
            Rule::style => Kind::Style(self.draw_from(parts)?),
            Rule::constraints => {
                Kind::Constraints(self.paths(parts.skip_to_optional(Rule::paths)?)?)
            }
            Rule::param_stmt => Kind::Param(self.param(parts.skip_to_optional(Rule::param)?)?),
            Rule::let_item => Kind::Let(self.let_item(whole)?),
            Rule::start => {
                Kind::Start { count: self.operand(parts.skip_to_optional(Rule::operand)?)? }
            }
            Rule::scope => {
                let name = self.name(parts.skip_to_optional(Rule::label)?);
                // `maybe` would skip `unsaid`.
                let says = match parts.next_if(Rule::scope_says) {
                    Some(pair) => Some(self.parse_text_source(
                        PairChildren::new(pair).skip_to_optional(Rule::words)?,
                    )?),
                    None => None,
                };
                Kind::Scope { name, says, unsaid: parts.take_if(Rule::k_unsaid) }
            }
            Rule::endless => Kind::Endless,
            Rule::redraw => match parts.skip_to_optional(Rule::k_on).is_some() {
                true => Kind::Redraw,
                false => Kind::RedrawUntil(
                    match PairChildren::new(whole).skip_to_optional(Rule::redraw_within) {
                        Some(within) => {
                            let mut within = PairChildren::new(within);
                            Some(self.operand(within.skip_to_optional(Rule::operand)?)?)
                        }
                        None => None,
                    },
                ),
            },
            Rule::flow_stmt => Kind::Flow(self.flow_stmt(parts)?),
            Rule::evolve => Kind::Evolve(self.evolve(whole)?),
            Rule::impose => Kind::Impose(Box::new(self.impose(parts)?)),
            Rule::priority => Kind::Priority(
                parts.all(Rule::label).into_iter().map(|pair| self.name(pair)).collect(),
            ),
            Rule::patience => Kind::Patience(self.operand(parts.skip_to_optional(Rule::operand)?)?),
            Rule::end => Kind::End(self.expr(parts.skip_to_optional(Rule::expr)?)?),
            Rule::turn => Kind::Turn(self.turn(whole)?),
            Rule::for_stmt => Kind::For(For {
                name: self.name(parts.skip_to_optional(Rule::label)?),
                list: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                by: match parts.skip_to_optional(Rule::expr) {
                    Some(by) => Some(self.expr(by)?),
                    None => None,
                },
                body: self.stmts(parts.skip_to_optional(Rule::stmts)?, of)?.0,
            }),
            Rule::variant => Kind::Variant {
                name: self.name(parts.skip_to_optional(Rule::label)?),
                stmts: self.stmts(parts.skip_to_optional(Rule::stmts)?, Rule::dialogue)?.0,
            },
            Rule::retry => Kind::Retry {
                rounds: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                form: parts.skip_to_optional(Rule::label).map(|label| self.name(label)),
            },
            Rule::context => Kind::Context(self.name(parts.skip_to_optional(Rule::label)?)),
            Rule::overflow => {
                let is_omitted = parts.skip_to_optional(Rule::k_omitted).is_some();
                Kind::Overflow { is_omitted }
            }
            Rule::judge_by => {
                Kind::JudgeBy { template: self.string(parts.skip_to_optional(Rule::string)?) }
            }
            Rule::judge_sees => Kind::JudgeSees(
                parts.all(Rule::label).into_iter().map(|pair| self.name(pair)).collect(),
            ),
            Rule::judge_history => {
                Kind::JudgeHistory(match parts.skip_to_optional(Rule::operand) {
                    Some(turns) => Some(self.operand(turns)?),
                    None => None,
                })
            }
            Rule::weigh => {
                let mut weights = Vec::new();
                for pair in parts.all(Rule::weighed) {
                    let mut parts = PairChildren::new(pair);
                    let name = self.name(parts.skip_to_optional(Rule::label)?);
                    weights.push((name, self.operand(parts.skip_to_optional(Rule::operand)?)?));
                }
                Kind::Weigh(weights)
            }
            Rule::report => {
                let names = parts.all(Rule::label).into_iter();
                let metrics = names.map(|name| self.name(name)).collect();
                Kind::Report { metrics, by: self.maybe_operand(&mut parts)? }
            }
            Rule::sample => Kind::Sample(self.operand(parts.skip_to_optional(Rule::operand)?)?),
            Rule::system => {
                Kind::System(self.parse_text_source(parts.skip_to_optional(Rule::words)?)?)
            }
            Rule::templates_from => {
                Kind::Templates(self.string(parts.skip_to_optional(Rule::string)?))
            }
            Rule::repeat => Kind::Repeat,
            Rule::facts => Kind::FactsByJudge,
            Rule::over_other => Kind::Over(self.path(parts.skip_to_optional(Rule::path)?)),
            Rule::ask => Kind::Ask(self.parse_text_source(parts.skip_to_optional(Rule::words)?)?),
            Rule::show => Kind::Show(Show {
                what: self.expr(parts.skip_to_optional(Rule::expr)?)?,
                by: match parts.skip_to_optional(Rule::show_by) {
                    Some(pair) => {
                        let mut parts = PairChildren::new(pair);
                        let speaker = self.name(parts.skip_to_optional(Rule::label)?);
                        Some((speaker, self.string(parts.skip_to_optional(Rule::string)?)))
                    }
                    None => None,
                },
            }),
            Rule::part => Kind::Part(Part {
                name: self.name(parts.skip_to_optional(Rule::label)?),
                list: parts.skip_to_optional(Rule::part_shape)?.into_inner().next()?.as_rule()
                    == Rule::k_list,
                reader: self.maybe_operand(&mut parts)?,
                about: parts.skip_to_optional(Rule::string).map(|pair| self.string(pair)),
            }),
            Rule::require => Kind::Require(self.require(parts)?),
            Rule::answer => Kind::Answer(self.string(parts.skip_to_optional(Rule::string)?)),
            Rule::reply => {
                Kind::Reply(self.parse_text_source(parts.skip_to_optional(Rule::words)?)?)
            }
            Rule::class => Kind::Class(self.string(parts.skip_to_optional(Rule::string)?)),
            Rule::expect => Kind::Expect {
                points: self.operand(parts.skip_to_optional(Rule::operand)?)?,
                fact: self.string(parts.skip_to_optional(Rule::string)?),
                check: self.maybe_check(&mut parts)?,
            },
            Rule::void => {
                let text = self.string(parts.skip_to_optional(Rule::string)?);
                Kind::Void(text, self.maybe_check(&mut parts)?)
            }
            Rule::stay => {
                Kind::Stay { turns: self.operand(parts.skip_to_optional(Rule::operand)?)? }
            }
            Rule::switch => Kind::Switch {
                share: self.percent(&parts.skip_to_optional(Rule::percent)?),
                moves: match parts.skip_to_optional(Rule::weighted_list) {
                    Some(list) => self.parse_weighted_list(PairChildren::new(list))?,
                    None => Vec::new(),
                },
            },
            Rule::observe => Kind::Observe(self.observe(parts)?),
            Rule::when_stmt => Kind::When {
                condition: self.expr(parts.skip_to_optional(Rule::expr)?)?,
                block: self.branch(parts.skip_to_optional(Rule::stmts)?, of)?,
                otherwise: match parts.skip_to_optional(Rule::stmts) {
                    Some(pair) => Some(self.branch(pair, of)?),
                    None => None,
                },
            },
            Rule::until => Kind::Until(self.expr(parts.skip_to_optional(Rule::expr)?)?),
            _ => return None,
        })
    }

    pub(super) fn draw_from(&mut self, mut parts: PairChildren<'_>) -> Option<DrawFrom> {
        let from = self.path(parts.skip_to_optional(Rule::path)?);
        Some(DrawFrom { from, condition: self.maybe_operand(&mut parts)? })
    }

    fn flow_stmt(&mut self, mut parts: PairChildren<'_>) -> Option<FlowStmt> {
        if let Some(rules) = parts.skip_to_optional(Rule::stmts) {
            return Some(FlowStmt::Topics(self.stmts(rules, Rule::flow_stmt)?.0));
        }
        let choices = parts.all(Rule::flow_choice);
        if choices.is_empty() {
            let flow = self.path(parts.skip_to_optional(Rule::path)?);
            return Some(FlowStmt::Of(vec![FlowChoice { flow, share: None }]));
        }
        choices
            .into_iter()
            .map(|pair| self.flow_choice(pair))
            .collect::<Option<_>>()
            .map(FlowStmt::Of)
    }

    fn flow_choice(&mut self, pair: GrammarPair<'_>) -> Option<FlowChoice> {
        let mut parts = PairChildren::new(pair);
        let flow = self.path(parts.skip_to_optional(Rule::path)?);
        Some(FlowChoice {
            flow,
            share: parts.skip_to_optional(Rule::percent).map(|pair| self.percent(&pair)),
        })
    }

    fn parse_weighted_list(&mut self, mut parts: PairChildren<'_>) -> Option<Vec<Weighted>> {
        parts.all(Rule::weighted).into_iter().map(|pair| self.weighted(pair)).collect()
    }

    fn weighted(&mut self, pair: GrammarPair<'_>) -> Option<Weighted> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::weighted_word)?);
        let amount = match parts.skip_to_optional(Rule::weighted_amount) {
            Some(pair) => {
                Some(self.operand(PairChildren::new(pair).skip_to_optional(Rule::operand)?)?)
            }
            None => None,
        };
        let share = parts.skip_to_optional(Rule::percent).map(|pair| self.percent(&pair));
        Some(Weighted { name, amount, share, span })
    }

    fn evolve(&mut self, pair: GrammarPair<'_>) -> Option<Evolve> {
        let mut parts = PairChildren::new(pair);
        let place = parts.next_child()?;
        let one = parts.next_child()?;
        let count = match one.as_rule() {
            Rule::operand => self.operand(one)?,
            _ => Expr { kind: ExprKind::Int(1), span: self.span(&one) },
        };
        drop(place);
        Some(Evolve {
            count,
            rules: self.evolve_rules(parts.skip_to_optional(Rule::evolve_rules)?)?,
        })
    }

    pub(super) fn evolve_rules(&mut self, pair: GrammarPair<'_>) -> Option<EvolveRules> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let (mut changes, mut guards) = (Vec::new(), Vec::new());
        while let Some(pair) = parts.next() {
            match pair.as_rule() {
                Rule::broken => self.broken(pair, Rule::evolve_rules),
                Rule::guard => {
                    let span = self.span(&pair);
                    let mut parts = PairChildren::new(pair);
                    let condition = self.expr(parts.skip_to_optional(Rule::expr)?)?;
                    let changes = self.parse_weighted_list(PairChildren::new(
                        parts.skip_to_optional(Rule::weighted_list)?,
                    ))?;
                    guards.push(Guard { condition, changes, span });
                }
                _ => changes.push(self.weighted(pair)?),
            }
        }
        Some(EvolveRules { changes, guards, span })
    }
}

/// The relation with this keyword.
pub(super) fn relation_kind(rule: Rule) -> Option<RelationKind> {
    Some(match rule {
        Rule::k_follows => RelationKind::Follows,
        Rule::k_recalls => RelationKind::Recalls,
        Rule::k_refines => RelationKind::Refines,
        Rule::k_expands => RelationKind::Expands,
        Rule::k_summarizes => RelationKind::Summarizes,
        Rule::k_unrelated => RelationKind::Unrelated,
        _ => return None,
    })
}
