//! The flow of a dialogue: moves between topics, changes of constraints, and what is imposed.

use super::DialogueChecker;
use crate::names::{ItemAt, Symbol};
use crate::table::{Dialogue, Evolve, Move, Scope, Share, TOPIC, TopicRule, TopicRules, Turn};
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::types::Type;
use ifs_syntax::ast::{self, Name, Stmt, StmtKind};
use ifs_syntax::statement::StatementPlace;

impl DialogueChecker<'_, '_> {
    pub(super) fn scope(&mut self, name: &Name) -> Option<Scope> {
        match name.text.as_str() {
            "turn" => Some(Scope::Turn),
            "topic" => Some(Scope::Topic),
            "dialogue" => Some(Scope::Dialogue),
            other => {
                let diagnostic = Diagnostic::error(
                    Code::BAD_SCOPE,
                    format!("there is no scope `{other}`"),
                )
                .label(name.span, "")
                .help("write `turn`, `topic` or `dialogue`: how long a constraint stays active")
                .did_you_mean(other, ["turn", "topic", "dialogue"]);
                self.report(diagnostic);
                None
            }
        }
    }

    /// `flow one_of [a 60%, b 40%]`: one of the flows is drawn, with these shares.
    pub(super) fn named_flows(
        &mut self,
        dialogue: &mut Dialogue,
        choices: &[ast::FlowChoice],
        span: Span,
    ) {
        dialogue.flows.clear();
        dialogue.flow_shares.clear();
        let mut seen: Vec<(ItemAt, Span)> = Vec::new();
        for choice in choices {
            let path = &choice.flow;
            match self.checker.find(self.module, path) {
                Some(Symbol::Flow(at)) => match seen.iter().find(|(other, _)| *other == at) {
                    Some((_, first)) => self.report(
                        Diagnostic::error(
                            Code::DUPLICATE_NAME,
                            format!("the flow `{}` is listed twice", path.text()),
                        )
                        .label(path.span, "second time")
                        .label(*first, "first time")
                        .help("list it once; `one_of [A 60%, B 40%]` gives it more weight"),
                    ),
                    None => {
                        seen.push((at, path.span));
                        dialogue.flows.extend(self.checker.flow(at));
                    }
                },
                Some(other) => self.report(
                    Diagnostic::error(
                        Code::WRONG_TYPE,
                        format!("`{}` is {}, not a flow", path.text(), other.noun()),
                    )
                    .label(path.span, ""),
                ),
                None => {}
            }
        }
        let shares: Vec<_> = choices.iter().map(|choice| choice.share.as_ref()).collect();
        if shares.iter().any(Option::is_some)
            && let Some(shares) = self.lowering().shares(&shares, span, "flow")
        {
            dialogue.flow_shares = shares;
        }
    }

    pub(super) fn topic_rules(&mut self, written: &[Stmt], span: Span) -> Option<TopicRules> {
        let base = TopicRule {
            guard: None,
            stay: 1,
            switch: Share(0),
            new: Share::ONE,
            backtrack: Share(0),
            span,
        };
        let written = self.placed_statements(written, StatementPlace::Topics);
        let base = self.topic_rule(&written, base, false)?;
        let mut rules = Vec::new();
        let (mut until, mut turns) = (None, Vec::new());
        for rule in written {
            match &rule.kind {
                StmtKind::Until(condition) => {
                    let vars = self.counts("`until`");
                    until = self.lowering().expect(condition, &Type::Bool, &vars);
                }
                StmtKind::Turn(turn) => turns.extend(self.move_turn(turn)),
                _ => {}
            }
            if let StmtKind::When { condition, block, .. } = &rule.kind {
                let vars = self.counts("a flow");
                let guard = self.lowering().expect(condition, &Type::Bool, &vars);
                let inner = self.placed_statements(&block.stmts, StatementPlace::Topics);
                let inner =
                    self.topic_rule(&inner, TopicRule { span: rule.span, ..base.clone() }, true);
                rules.push(TopicRule { guard: Some(guard?), ..inner? });
            }
        }
        rules.push(base);
        Some(TopicRules { rules, until, turns })
    }

    /// The statements for the turns of a flow of topics: for all, or for those of one move.
    fn move_turn(&mut self, written: &ast::Turn) -> Option<(Option<Move>, Turn)> {
        let to = match &written.name {
            None => None,
            Some(name) => match Move::ALL.into_iter().find(|to| to.word() == name.text) {
                Some(to) => Some(to),
                None => {
                    let message = format!("`{}` is not a move of a flow of topics", name.text);
                    self.report(
                        Diagnostic::error(Code::BAD_CHANGE, message)
                            .label(name.span, "")
                            .help(
                                "write `turn { … }` for all turns of the flow, or `turn new`, \
                                 `turn stay` or `turn backtrack`; a turn with a name of its own \
                                 is written before or after the flow",
                            )
                            .did_you_mean(&name.text, Move::ALL.map(Move::word)),
                    );
                    return None;
                }
            },
        };
        let to_topic = |relation: &&ast::Relation| relation.to.iter().any(|to| to.text == TOPIC);
        let relation = written.relations.iter().find(to_topic);
        if let (None | Some(Move::New), Some(relation)) = (to, relation) {
            self.report(
                Diagnostic::error(Code::BAD_RELATION, "a new topic has no earlier turn")
                    .label(relation.span, "relates to the last turn on the topic")
                    .help("write it of the moves that have one: `turn stay` and `turn backtrack`"),
            );
            return None;
        }
        // It has the name of a move, and `topic` is the last turn on its topic: others cannot
        // relate to either.
        let known = self.turns.clone();
        self.turns.insert(TOPIC.to_owned(), written.span);
        let turn = self.turn(written);
        self.turns = known;
        let name = to.map_or("turn", Move::word).to_owned();
        Some((to, Turn { name, ..turn }))
    }

    fn topic_rule(
        &mut self,
        written: &[&Stmt],
        mut rule: TopicRule,
        guarded: bool,
    ) -> Option<TopicRule> {
        for stmt in written {
            match &stmt.kind {
                StmtKind::Stay { turns } => rule.stay = self.count(turns, "turns")?,
                StmtKind::Switch { share, moves } => {
                    rule.switch = self.lowering().share(share)?;
                    if moves.is_empty() {
                        continue;
                    }
                    let written: Vec<Option<&ast::Percent>> =
                        moves.iter().map(|to| to.share.as_ref()).collect();
                    let shares = self.lowering().shares(&written, stmt.span, "move")?;
                    let equal = written.iter().all(Option::is_none);
                    self.reject_amounts(moves.iter(), "here: the dialogue moves to one topic");
                    (rule.new, rule.backtrack) = (Share(0), Share(0));
                    for (at, (to, share)) in moves.iter().zip(shares).enumerate() {
                        let same = |known: &&ast::Weighted| known.name.text == to.name.text;
                        if let Some(first) = moves[..at].iter().find(same) {
                            let first = first.span;
                            self.report(
                                Diagnostic::error(
                                    Code::DUPLICATE_STATEMENT,
                                    format!("`{}` is written twice", to.name.text),
                                )
                                .label(to.span, "second time")
                                .label(first, "first time")
                                .help("add up their shares"),
                            );
                            return None;
                        }
                        let share =
                            if equal { Share(Share::ONE.0 / moves.len() as u32) } else { share };
                        match to.name.text.as_str() {
                            "new" => rule.new = share,
                            "backtrack" => rule.backtrack = share,
                            other => {
                                self.report(
                                    Diagnostic::error(
                                        Code::BAD_CHANGE,
                                        format!("`{other}` is not a move to another topic"),
                                    )
                                    .label(to.name.span, "")
                                    .help("write `new` or `backtrack`"),
                                );
                                return None;
                            }
                        }
                    }
                }
                StmtKind::When { condition, .. } if guarded => {
                    self.report(
                        Diagnostic::error(Code::MISPLACED_STATEMENT, "a `when` within a `when`")
                            .label(condition.span, "")
                            .help("join the conditions with `and`"),
                    );
                }
                StmtKind::Until(_) | StmtKind::Turn(_) if guarded => {
                    self.report(
                        Diagnostic::error(
                            Code::MISPLACED_STATEMENT,
                            "only `stay` and `switch` depend on a `when` of a flow",
                        )
                        .label(stmt.span, "")
                        .help("write it outside of the `when`, in the flow"),
                    );
                }
                // Others are not in a flow of topics.
                _ => {}
            }
        }
        Some(rule)
    }

    pub(super) fn evolve(&mut self, written: &ast::Evolve) -> Option<Evolve> {
        let vars = self.counts("an evolution");
        let ends = self.lowering().ends(&written.count, &Type::Int, &vars);
        let guarded = written.rules.guards.iter().flat_map(|guard| &guard.changes);
        let all = written.rules.changes.iter().chain(guarded);
        self.reject_amounts(all, "here: each change is of one constraint");
        let changes = self.lowering().lower_changes(&written.rules, &vars);
        let (low, high) = ends?;
        Some(Evolve { low, high, rules: changes? })
    }

    /// Explains that alternatives have a share instead of a number: often the `%` is missing. It is
    /// said once.
    fn reject_amounts<'a>(
        &mut self,
        mut weighted: impl Iterator<Item = &'a ast::Weighted>,
        why: &str,
    ) {
        let found =
            weighted.find_map(|it| Some((&it.name.text, it.share.as_ref(), it.amount.as_ref()?)));
        let Some((name, share, amount)) = found else { return };
        let help = match (&amount.kind, share) {
            (ast::ExprKind::Int(share @ 0..=100), None) => {
                format!("a share is written with `%`: `{name} {share}%`")
            }
            _ => format!("leave it out; a share is written as in `{name} 40%`"),
        };
        self.report(
            Diagnostic::error(Code::BAD_CHANGE, format!("`{name}` takes no number {why}"))
                .label(amount.span, "an amount")
                .help(help),
        );
    }
}
