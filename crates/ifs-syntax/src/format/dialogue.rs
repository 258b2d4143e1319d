//! Dialogues, flows and turns as nodes.

use super::items::{HeadWriter, singular_or_plural};
use super::node::{FormatNode, FormatNodeKind};
use super::parens::{ParenContext, Start};
use super::phrase::Phrase;
use crate::ast::*;
use ifs_base::source::Span;

impl<'t> HeadWriter<'t> {
    pub fn dialogue(self, span: Span, dialogue: &'t Dialogue) -> FormatNode<'t> {
        let head = self.head("dialogue", |phrase| {
            phrase.push_word(&dialogue.name.text);
            if let Some((path, name)) = &dialogue.over {
                phrase
                    .push_word("over")
                    .push_word(&path.text())
                    .push_word("as")
                    .push_word(&name.text);
            }
        });
        let behind = dialogue.over.as_ref().map_or(dialogue.name.span, |(_, name)| name.span).end;
        self.node(span, head).body(self.source, behind, self.stmts(&dialogue.stmts))
    }

    pub fn stmts(self, stmts: &'t [Stmt]) -> Vec<FormatNode<'t>> {
        let node = |stmt: &'t Stmt| self.stmt(stmt).docs(self.source, &stmt.docs);
        stmts.iter().map(node).collect()
    }

    fn stmt(self, stmt: &'t Stmt) -> FormatNode<'t> {
        use StmtKind as Kind;
        let span = stmt.span;
        let head = match &stmt.kind {
            Kind::Topic(draw) => self.head("topic", |phrase| phrase.draw_from(draw)),
            Kind::Style(draw) => self.head("style", |phrase| phrase.draw_from(draw)),
            Kind::Constraints(paths) => self.head("constraints", |phrase| {
                phrase.push_word("from").space().paths(paths);
            }),
            Kind::Param(param) => self.head("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.head("let", |phrase| phrase.binding(each)),
            Kind::Start { count } => self.head("start", |phrase| {
                let many = singular_or_plural(count, "constraint", "constraints");
                phrase.push_word("with").operand(count).push_word(many);
            }),
            Kind::Scope { name, says, unsaid } => self.head("scope", |phrase| {
                phrase.push_word(&name.text);
                if let Some(words) = says {
                    phrase.push_word("says").text_source(words);
                }
                if *unsaid {
                    phrase.push_word("unsaid");
                }
            }),
            Kind::Endless => self.head("endless", |_| ()),
            Kind::Redraw => self.head("redraw", |phrase| _ = phrase.push_word("on conflict")),
            Kind::RedrawUntil(within) => self.head("redraw", |phrase| {
                phrase.push_word("until witness");
                if let Some(draws) = within {
                    phrase.push_word("within").operand(draws).push_word("draws");
                }
            }),
            Kind::Flow(FlowStmt::Topics(rules)) => {
                let head = self.head("flow", |_| ());
                return self.node(span, head).body(self.source, span.start, self.stmts(rules));
            }
            Kind::Flow(FlowStmt::Of(choices)) => {
                self.head("flow", |phrase| match choices.as_slice() {
                    [FlowChoice { flow, share: None }] => _ = phrase.space().path(flow),
                    choices => {
                        let list = |phrase: &mut Phrase<'_>| {
                            _ = phrase.listed(choices, |phrase, choice| {
                                phrase.path(&choice.flow);
                                if let Some(share) = &choice.share {
                                    phrase.push_word(&share.digits).push("%");
                                }
                            });
                        };
                        phrase.push_word("one_of [").nested(list).push("]");
                    }
                })
            }
            Kind::Evolve(evolve) => return self.evolve(span, evolve),
            Kind::Impose(impose) => self.impose(impose),
            Kind::Priority(names) => self.head("priority", |phrase| {
                for (at, name) in names.iter().enumerate() {
                    if at > 0 {
                        phrase.push_word(">");
                    }
                    phrase.push_word(&name.text);
                }
            }),
            Kind::Patience(turns) => self.head("patience", |phrase| _ = phrase.operand(turns)),
            Kind::End(expr) => self.head("end", |phrase| {
                phrase.push_word("when").expr(expr, ParenContext::STANDALONE);
            }),
            Kind::Turn(turn) => return self.turn(span, turn),
            Kind::For(each) => {
                let stmts = self.stmts(&each.body);
                return self.for_each(span, &each.name, (&each.list, each.by.as_ref()), stmts);
            }
            Kind::Variant { name, stmts } => {
                let head = self.head("variant", |phrase| _ = phrase.push_word(&name.text));
                let stmts = self.stmts(stmts);
                return self.node(span, head).body(self.source, name.span.end, stmts);
            }
            Kind::Retry { rounds, form } => self.head("retry", |phrase| {
                let many = singular_or_plural(rounds, "round", "rounds");
                phrase
                    .push_word("up to")
                    .operand(rounds)
                    .push_word(many)
                    .push_word("with feedback");
                if let Some(form) = form {
                    phrase.push_word("as").push_word(&form.text);
                }
            }),
            Kind::Context(name) => self.head("context", |phrase| _ = phrase.push_word(&name.text)),
            Kind::Overflow { is_omitted } => self.head("overflow", |phrase| {
                _ = phrase.push_word(if *is_omitted { "omitted" } else { "missed" });
            }),
            Kind::JudgeBy { template } => {
                self.head("judge", |phrase| _ = phrase.push_word("checklist by").string(template))
            }
            Kind::JudgeSees(what) => self.head("judge", |phrase| {
                let phrase = phrase.push_word("sees").space();
                phrase.listed(what, |phrase, name| _ = phrase.push(&name.text));
            }),
            Kind::JudgeHistory(turns) => self.head("judge", |phrase| {
                let phrase = phrase.push_word("history");
                match turns {
                    Some(turns) => _ = phrase.operand(turns),
                    None => _ = phrase.push_word("all"),
                }
            }),
            Kind::Weigh(weights) => self.head("weigh", |phrase| {
                phrase.space().listed(weights, |phrase, (name, weight)| {
                    phrase.push(&name.text).operand(weight);
                });
            }),
            Kind::Report { metrics, by } => self.head("report", |phrase| {
                phrase.space().listed(metrics, |phrase, name| _ = phrase.push(&name.text));
                if let Some(by) = by {
                    phrase.push_word("by").operand(by);
                }
            }),
            Kind::Sample(count) => self.head("sample", |phrase| _ = phrase.operand(count)),
            Kind::System(words) => self.head("system", |phrase| phrase.text_source(words)),
            Kind::Templates(path) => {
                self.head("templates", |phrase| _ = phrase.push_word("from").string(path))
            }
            Kind::Over(path) => self.head("over", |phrase| _ = phrase.space().path(path)),
            Kind::FactsByJudge => self.head("facts", |phrase| _ = phrase.push_word("by judge")),
            Kind::Repeat => {
                self.head("repeat", |phrase| _ = phrase.push_word("instructions at end"))
            }
            Kind::Ask(words) => self.head("ask", |phrase| phrase.text_source(words)),
            Kind::Show(Show { what, by: None }) => {
                self.head("show", |phrase| _ = phrase.expr(what, ParenContext::STANDALONE))
            }
            Kind::Show(Show { what, by: Some((speaker, tool)) }) => self.head("show", |phrase| {
                phrase.operand(what).push_word("by").push_word(&speaker.text).string(tool);
            }),
            Kind::Part(part) => self.head("part", |phrase| phrase.push_part(part)),
            Kind::Require(require) => self.head("require", |phrase| phrase.require(require)),
            Kind::Answer(text) => self.head("answer", |phrase| _ = phrase.string(text)),
            Kind::Reply(words) => self.head("reply", |phrase| phrase.text_source(words)),
            Kind::Class(text) => self.head("class", |phrase| _ = phrase.string(text)),
            Kind::Expect { points, fact, check } => self.head("expect", |phrase| {
                let touched = ParenContext { touched: true, ..ParenContext::OPERAND };
                phrase.expr(points, touched).string(fact);
                phrase.checked(check.as_ref());
            }),
            Kind::Void(text, check) => self.head("void", |phrase| {
                phrase.string(text).checked(check.as_ref());
            }),
            Kind::Stay { turns } => self.head("stay", |phrase| {
                let many = singular_or_plural(turns, "turn", "turns");
                phrase.push_word("at least").operand(turns).push_word(many);
            }),
            Kind::Switch { share, moves } => {
                let head =
                    self.head("switch", |phrase| _ = phrase.push_word(&share.digits).push("%"));
                let node = self.node(span, head).kind(FormatNodeKind::Aligned);
                let written = self.source.get(span.range()).unwrap_or("");
                return match moves.is_empty() && !written.ends_with('}') {
                    true => node,
                    false => self.push_weighted_list(node, share.span.end, moves),
                };
            }
            Kind::Until(condition) => {
                self.head("until", |phrase| _ = phrase.expr(condition, ParenContext::STANDALONE))
            }
            Kind::Observe(observe) => self.head("observe", |phrase| {
                phrase.push_word(&observe.name.text);
                match &observe.by {
                    ObserveBy::Judge(judge) => phrase.push_word("judge").judge(judge),
                    ObserveBy::Check(expr) => {
                        phrase.nested(|phrase| _ = phrase.expr(expr, ParenContext::STANDALONE));
                    }
                }
            }),
            Kind::When { condition, block, otherwise } => {
                let head = self
                    .head("when", |phrase| _ = phrase.expr(condition, ParenContext::STANDALONE));
                let node = self.node(span, head).block(block.span, self.stmts(&block.stmts));
                return match otherwise {
                    Some(block) => node.with_else(block.span, self.stmts(&block.stmts)),
                    None => node,
                };
            }
        };
        self.node(span, head).kind(FormatNodeKind::Aligned)
    }

    fn evolve(self, span: Span, evolve: &'t Evolve) -> FormatNode<'t> {
        let count = &evolve.count;
        let head = self.head("evolve", |phrase| {
            match self.source.get(count.span.range()) {
                Some("one") => _ = phrase.push_word("one"),
                _ => _ = phrase.expr(count, ParenContext::start(Start::Evolve)),
            }
            phrase.push_word("per turn");
        });
        self.evolve_rules(self.node(span, head), &evolve.rules)
    }

    fn turn(self, span: Span, turn: &'t Turn) -> FormatNode<'t> {
        let head = self.head("turn", |phrase| {
            if let Some(name) = &turn.name {
                phrase.push_word(&name.text);
            }
            for (at, relation) in turn.relations.iter().enumerate() {
                if at > 0 {
                    phrase.push_word("and").gap();
                } else {
                    phrase.space();
                }
                phrase.push(relation.kind.word());
                if !relation.to.is_empty() {
                    phrase.space();
                    phrase.nested(|phrase| {
                        phrase.listed(&relation.to, |phrase, name| _ = phrase.push(&name.text));
                    });
                }
            }
        });
        let mut node = self.node(span, head);
        if let Some(stmts) = &turn.body {
            let name = turn.name.as_ref().map_or(span.start, |name| name.span.end);
            let behind = turn.relations.last().map_or(name, |relation| relation.span.end);
            node = node.body(self.source, behind, self.stmts(stmts));
        }
        node
    }

    fn impose(self, impose: &'t Impose) -> Phrase<'t> {
        match &impose.since {
            Some(turn) => self.head("from", |phrase| {
                phrase.push_word("turn").operand(turn).push_word("impose").impose(impose);
            }),
            None => self.head("impose", |phrase| phrase.impose(impose)),
        }
    }

    pub fn for_each(
        self,
        span: Span,
        name: &'t Name,
        (list, by): (&'t Expr, Option<&'t Expr>),
        stmts: Vec<FormatNode<'t>>,
    ) -> FormatNode<'t> {
        let head = self.head("for", |phrase| {
            phrase.push_word(&name.text).push_word("in").operand(list);
            if let Some(by) = by {
                phrase
                    .push_word("by (")
                    .nested(|phrase| phrase.without_parens(by, ParenContext::STANDALONE))
                    .push(")");
            }
        });
        self.node(span, head).body(self.source, by.unwrap_or(list).span.end, stmts)
    }
}

impl Phrase<'_> {
    pub(super) fn draw_from(&mut self, draw: &DrawFrom) {
        self.push_word("from").space().path(&draw.from);
        if let Some(condition) = &draw.condition {
            self.gap().push("where").nested(|phrase| _ = phrase.operand(condition));
        }
    }

    fn text_source(&mut self, words: &TextSource) {
        match words {
            TextSource::Template(path) => _ = self.push_word("template").string(path),
            TextSource::Expr(expr) => _ = self.expr(expr, ParenContext::STANDALONE),
        }
    }

    fn push_part(&mut self, part: &Part) {
        self.push_word(&part.name.text).push(":").push_word(if part.list {
            "list"
        } else {
            "text"
        });
        if let Some(reader) = &part.reader {
            let touched = part.about.is_some();
            self.push_word("from").expr(reader, ParenContext { touched, ..ParenContext::OPERAND });
        }
        if let Some(about) = &part.about {
            self.string(about);
        }
    }

    fn require(&mut self, require: &Require) {
        self.push_word(&require.name.text);
        match &require.by {
            RequireBy::Judge(judge) => {
                self.push_word("judge").judge(judge);
            }
            RequireBy::Check(expr) => {
                self.nested(|phrase| _ = phrase.expr(expr, ParenContext::STANDALONE));
            }
            RequireBy::Fits(schema) => {
                self.push_word("fits").nested(|phrase| _ = phrase.operand(schema));
            }
        }
        // The clauses move to their own lines before the check is broken.
        if let Some(says) = &require.says {
            self.gap().push("say").string(says);
        }
        if !require.after.is_empty() {
            self.gap().push("after ").nested(|phrase| _ = phrase.paths(&require.after));
        }
        if !require.tags.is_empty() || !require.tagged.is_empty() {
            self.gap().push("tag ").nested(|phrase| {
                phrase.paths(&require.tags);
                if !require.tags.is_empty() && !require.tagged.is_empty() {
                    phrase.push(",").space();
                }
                phrase.listed(&require.tagged, |phrase, (path, text)| {
                    phrase
                        .path(path)
                        .push("[")
                        .nested(|phrase| phrase.without_parens(text, ParenContext::CLOSED));
                    phrase.push("]");
                });
            });
        }
        if let Some(weight) = &require.weight {
            self.gap().push("weigh").operand(weight);
        }
    }

    fn impose(&mut self, impose: &Impose) {
        match &impose.what {
            ImposeTarget::Drawn { count, new_group, from } => {
                self.operand(count);
                if *new_group {
                    self.push_word("new group");
                }
                if !from.is_empty() {
                    self.push_word("from").space().paths(from);
                }
            }
            ImposeTarget::Called { name, given, from, unsaid } => {
                self.push_word("called").operand(name);
                if let Some(given) = given {
                    self.push_word("given").operand(given);
                }
                self.push_word("from").space().paths(from);
                if *unsaid {
                    self.push_word("unsaid");
                }
            }
            ImposeTarget::Given { path, args, .. } => {
                self.space().path(path);
                if let Some(args) = args {
                    self.args(args);
                }
            }
        }
        if let Some(scope) = &impose.scope {
            self.push_word("scope").push_word(&scope.text);
        }
        if let Some(speaker) = &impose.by {
            self.push_word("by").push_word(&speaker.text);
        }
        if let Some(against) = &impose.against {
            self.push_word("against").push_word(&against.speaker.text);
            if let Some(case) = &against.case {
                self.push_word("case").operand(case);
            }
        }
        if let Some(probability) = &impose.probability {
            self.push_word("with probability").operand(probability);
        }
        if let Some(condition) = &impose.applies {
            self.push_word("applies when").expr(condition, ParenContext::STANDALONE);
        }
    }
}
