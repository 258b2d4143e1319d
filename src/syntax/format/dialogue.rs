//! Dialogues, flows and turns as nodes.

use super::items::{Writer, counted};
use super::node::{Node, NodeKind};
use super::parens::{Context, Start};
use super::phrase::Phrase;
use crate::source::Span;
use crate::syntax::ast::*;

impl<'t> Writer<'t> {
    pub fn dialogue(self, span: Span, dialogue: &'t Dialogue) -> Node<'t> {
        let head = self.words("dialogue", |phrase| {
            phrase.word(&dialogue.name.text);
            if let Some((path, name)) = &dialogue.over {
                phrase.word("over").word(&path.text()).word("as").word(&name.text);
            }
        });
        let behind = dialogue.over.as_ref().map_or(dialogue.name.span, |(_, name)| name.span).end;
        self.node(span, head).body(self.source, behind, self.stmts(&dialogue.stmts))
    }

    pub fn stmts(self, stmts: &'t [Stmt]) -> Vec<Node<'t>> {
        let node = |stmt: &'t Stmt| self.stmt(stmt).docs(self.source, &stmt.docs);
        stmts.iter().map(node).collect()
    }

    fn stmt(self, stmt: &'t Stmt) -> Node<'t> {
        use StmtKind as Kind;
        let span = stmt.span;
        let head = match &stmt.kind {
            Kind::Topic(draw) => self.words("topic", |phrase| phrase.draw_from(draw)),
            Kind::Style(draw) => self.words("style", |phrase| phrase.draw_from(draw)),
            Kind::Constraints(paths) => self.words("constraints", |phrase| {
                phrase.word("from").space().paths(paths);
            }),
            Kind::Param(param) => self.words("param", |phrase| phrase.space().param(param)),
            Kind::Let(each) => self.words("let", |phrase| phrase.binding(each)),
            Kind::Start { count } => self.words("start", |phrase| {
                let many = counted(count, "constraint", "constraints");
                phrase.word("with").operand(count).word(many);
            }),
            Kind::Scope { name, says, unsaid } => self.words("scope", |phrase| {
                phrase.word(&name.text);
                if let Some(words) = says {
                    phrase.word("says").said(words);
                }
                if *unsaid {
                    phrase.word("unsaid");
                }
            }),
            Kind::Endless => self.words("endless", |_| ()),
            Kind::Redraw => self.words("redraw", |phrase| _ = phrase.word("on conflict")),
            Kind::Flow(FlowStmt::Topics(rules)) => {
                let head = self.words("flow", |_| ());
                return self.node(span, head).body(self.source, span.start, self.stmts(rules));
            }
            Kind::Flow(FlowStmt::Of(choices)) => {
                self.words("flow", |phrase| match choices.as_slice() {
                    [FlowChoice { flow, share: None }] => _ = phrase.space().path(flow),
                    choices => {
                        let list = |phrase: &mut Phrase<'_>| {
                            _ = phrase.listed(choices, |phrase, choice| {
                                phrase.path(&choice.flow);
                                if let Some(share) = &choice.share {
                                    phrase.word(&share.digits).put("%");
                                }
                            });
                        };
                        phrase.word("one_of [").nested(list).put("]");
                    }
                })
            }
            Kind::Evolve(evolve) => return self.evolve(span, evolve),
            Kind::Impose(impose) => self.impose(impose),
            Kind::Priority(names) => self.words("priority", |phrase| {
                for (at, name) in names.iter().enumerate() {
                    if at > 0 {
                        phrase.word(">");
                    }
                    phrase.word(&name.text);
                }
            }),
            Kind::Patience(turns) => self.words("patience", |phrase| _ = phrase.operand(turns)),
            Kind::End(expr) => self.words("end", |phrase| {
                phrase.word("when").expr(expr, Context::ALONE);
            }),
            Kind::Turn(turn) => return self.turn(span, turn),
            Kind::For(each) => {
                let stmts = self.stmts(&each.body);
                return self.for_each(span, &each.name, (&each.list, each.by.as_ref()), stmts);
            }
            Kind::Variant { name, stmts } => {
                let head = self.words("variant", |phrase| _ = phrase.word(&name.text));
                let stmts = self.stmts(stmts);
                return self.node(span, head).body(self.source, name.span.end, stmts);
            }
            Kind::Retry { rounds, form } => self.words("retry", |phrase| {
                let many = counted(rounds, "round", "rounds");
                phrase.word("up to").operand(rounds).word(many).word("with feedback");
                if let Some(form) = form {
                    phrase.word("as").word(&form.text);
                }
            }),
            Kind::Context(name) => self.words("context", |phrase| _ = phrase.word(&name.text)),
            Kind::JudgeBy { template } => {
                self.words("judge", |phrase| _ = phrase.word("checklist by").string(template))
            }
            Kind::JudgeSees(what) => self.words("judge", |phrase| {
                let phrase = phrase.word("sees").space();
                phrase.listed(what, |phrase, name| _ = phrase.put(&name.text));
            }),
            Kind::JudgeHistory(turns) => self.words("judge", |phrase| {
                let phrase = phrase.word("history");
                match turns {
                    Some(turns) => _ = phrase.operand(turns),
                    None => _ = phrase.word("all"),
                }
            }),
            Kind::Weigh(weights) => self.words("weigh", |phrase| {
                phrase.space().listed(weights, |phrase, (name, weight)| {
                    phrase.put(&name.text).operand(weight);
                });
            }),
            Kind::Report { metrics, by } => self.words("report", |phrase| {
                phrase.space().listed(metrics, |phrase, name| _ = phrase.put(&name.text));
                if let Some(by) = by {
                    phrase.word("by").operand(by);
                }
            }),
            Kind::Sample(count) => self.words("sample", |phrase| _ = phrase.operand(count)),
            Kind::System(words) => self.words("system", |phrase| phrase.said(words)),
            Kind::Templates(path) => {
                self.words("templates", |phrase| _ = phrase.word("from").string(path))
            }
            Kind::Over(path) => self.words("over", |phrase| _ = phrase.space().path(path)),
            Kind::FactsByJudge => self.words("facts", |phrase| _ = phrase.word("by judge")),
            Kind::Repeat => self.words("repeat", |phrase| _ = phrase.word("instructions at end")),
            Kind::Ask(words) => self.words("ask", |phrase| phrase.said(words)),
            Kind::Show(Show { what, by: None }) => {
                self.words("show", |phrase| _ = phrase.expr(what, Context::ALONE))
            }
            Kind::Show(Show { what, by: Some((speaker, tool)) }) => self.words("show", |phrase| {
                phrase.operand(what).word("by").word(&speaker.text).string(tool);
            }),
            Kind::Part(part) => self.words("part", |phrase| phrase.part(part)),
            Kind::Require(require) => self.words("require", |phrase| phrase.require(require)),
            Kind::Answer(text) => self.words("answer", |phrase| _ = phrase.string(text)),
            Kind::Reply(words) => self.words("reply", |phrase| phrase.said(words)),
            Kind::Class(text) => self.words("class", |phrase| _ = phrase.string(text)),
            Kind::Expect { points, fact, check } => self.words("expect", |phrase| {
                let touched = Context { touched: true, ..Context::OPERAND };
                phrase.expr(points, touched).string(fact);
                phrase.checked(check.as_ref());
            }),
            Kind::Void(text, check) => self.words("void", |phrase| {
                phrase.string(text).checked(check.as_ref());
            }),
            Kind::Stay { turns } => self.words("stay", |phrase| {
                let many = counted(turns, "turn", "turns");
                phrase.word("at least").operand(turns).word(many);
            }),
            Kind::Switch { share, ways } => {
                let head = self.words("switch", |phrase| _ = phrase.word(&share.digits).put("%"));
                let node = self.node(span, head).kind(NodeKind::Aligned);
                let written = self.source.get(span.range()).unwrap_or("");
                return match ways.is_empty() && !written.ends_with('}') {
                    true => node,
                    false => self.ways(node, share.span.end, ways),
                };
            }
            Kind::Until(condition) => {
                self.words("until", |phrase| _ = phrase.expr(condition, Context::ALONE))
            }
            Kind::Observe(observe) => self.words("observe", |phrase| {
                phrase.word(&observe.name.text);
                match &observe.by {
                    ObserveBy::Judge(judge) => phrase.word("judge").judge(judge),
                    ObserveBy::Check(expr) => {
                        phrase.nested(|phrase| _ = phrase.expr(expr, Context::ALONE));
                    }
                }
            }),
            Kind::When { condition, block, otherwise } => {
                let head = self.words("when", |phrase| _ = phrase.expr(condition, Context::ALONE));
                let node = self.node(span, head).block(block.span, self.stmts(&block.stmts));
                return match otherwise {
                    Some(block) => node.otherwise(block.span, self.stmts(&block.stmts)),
                    None => node,
                };
            }
        };
        self.node(span, head).kind(NodeKind::Aligned)
    }

    fn evolve(self, span: Span, evolve: &'t Evolve) -> Node<'t> {
        let count = &evolve.count;
        let head = self.words("evolve", |phrase| {
            match self.source.get(count.span.range()) {
                Some("one") => _ = phrase.word("one"),
                _ => _ = phrase.expr(count, Context::start(Start::Evolve)),
            }
            phrase.word("per turn");
        });
        self.evolve_rules(self.node(span, head), &evolve.rules)
    }

    fn turn(self, span: Span, turn: &'t Turn) -> Node<'t> {
        let head = self.words("turn", |phrase| {
            if let Some(name) = &turn.name {
                phrase.word(&name.text);
            }
            for (at, relation) in turn.relations.iter().enumerate() {
                if at > 0 {
                    phrase.word("and").gap();
                } else {
                    phrase.space();
                }
                phrase.put(relation.kind.word());
                if !relation.to.is_empty() {
                    phrase.space();
                    phrase.nested(|phrase| {
                        phrase.listed(&relation.to, |phrase, name| _ = phrase.put(&name.text));
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
            Some(turn) => self.words("from", |phrase| {
                phrase.word("turn").operand(turn).word("impose").impose(impose);
            }),
            None => self.words("impose", |phrase| phrase.impose(impose)),
        }
    }

    pub fn for_each(
        self,
        span: Span,
        name: &'t Name,
        (list, by): (&'t Expr, Option<&'t Expr>),
        stmts: Vec<Node<'t>>,
    ) -> Node<'t> {
        let head = self.words("for", |phrase| {
            phrase.word(&name.text).word("in").operand(list);
            if let Some(by) = by {
                phrase.word("by (").nested(|phrase| phrase.bare(by, Context::ALONE)).put(")");
            }
        });
        self.node(span, head).body(self.source, by.unwrap_or(list).span.end, stmts)
    }
}

impl Phrase<'_> {
    pub(super) fn draw_from(&mut self, draw: &DrawFrom) {
        self.word("from").space().path(&draw.from);
        if let Some(condition) = &draw.condition {
            self.gap().put("where").nested(|phrase| _ = phrase.operand(condition));
        }
    }

    fn said(&mut self, words: &TextSource) {
        match words {
            TextSource::Template(path) => _ = self.word("template").string(path),
            TextSource::Expr(expr) => _ = self.expr(expr, Context::ALONE),
        }
    }

    fn part(&mut self, part: &Part) {
        self.word(&part.name.text).put(":").word(if part.list { "list" } else { "text" });
        if let Some(reader) = &part.reader {
            let touched = part.about.is_some();
            self.word("from").expr(reader, Context { touched, ..Context::OPERAND });
        }
        if let Some(about) = &part.about {
            self.string(about);
        }
    }

    fn require(&mut self, require: &Require) {
        self.word(&require.name.text);
        match &require.by {
            RequireBy::Judge(judge) => {
                self.word("judge").judge(judge);
            }
            RequireBy::Check(expr) => {
                self.nested(|phrase| _ = phrase.expr(expr, Context::ALONE));
            }
            RequireBy::Fits(schema) => {
                self.word("fits").nested(|phrase| _ = phrase.operand(schema));
            }
        }
        // The clauses move to their own lines before the check is broken.
        if let Some(says) = &require.says {
            self.gap().put("say").string(says);
        }
        if !require.after.is_empty() {
            self.gap().put("after ").nested(|phrase| _ = phrase.paths(&require.after));
        }
        if !require.tags.is_empty() || !require.tagged.is_empty() {
            self.gap().put("tag ").nested(|phrase| {
                phrase.paths(&require.tags);
                if !require.tags.is_empty() && !require.tagged.is_empty() {
                    phrase.put(",").space();
                }
                phrase.listed(&require.tagged, |phrase, (path, text)| {
                    phrase.path(path).put("[").expr(text, Context::ALONE).put("]");
                });
            });
        }
    }

    fn impose(&mut self, impose: &Impose) {
        match &impose.what {
            Imposed::Drawn { count, new_group, from } => {
                self.operand(count);
                if *new_group {
                    self.word("new group");
                }
                if !from.is_empty() {
                    self.word("from").space().paths(from);
                }
            }
            Imposed::Called { name, given, from, unsaid } => {
                self.word("called").operand(name);
                if let Some(given) = given {
                    self.word("given").operand(given);
                }
                self.word("from").space().paths(from);
                if *unsaid {
                    self.word("unsaid");
                }
            }
            Imposed::Given { path, args, .. } => {
                self.space().path(path);
                if let Some(args) = args {
                    self.args(args);
                }
            }
        }
        if let Some(scope) = &impose.scope {
            self.word("scope").word(&scope.text);
        }
        if let Some(speaker) = &impose.by {
            self.word("by").word(&speaker.text);
        }
        if let Some(against) = &impose.against {
            self.word("against").word(&against.speaker.text);
            if let Some(case) = &against.case {
                self.word("case").operand(case);
            }
        }
        if let Some(probability) = &impose.probability {
            self.word("with probability").operand(probability);
        }
        if let Some(condition) = &impose.applies {
            self.word("applies when").expr(condition, Context::ALONE);
        }
    }
}
