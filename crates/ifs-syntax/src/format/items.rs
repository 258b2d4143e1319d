//! Top-level items as nodes.

use super::node::{FormatNode, FormatNodeKind};
use super::parens::{ParenContext, Start};
use super::phrase::Phrase;
use crate::ast::*;
use ifs_base::source::Span;

pub(super) fn file<'t>(ast: &'t Ast, source: &'t str) -> Vec<FormatNode<'t>> {
    let writer = HeadWriter { source };
    let mut nodes: Vec<FormatNode<'t>> = ast.items.iter().map(|each| writer.item(each)).collect();
    if let Some(edition) = &ast.edition {
        let head = writer.head("ifs", |phrase| _ = phrase.push_word(&edition.number.to_string()));
        nodes.insert(0, FormatNode::new(source, edition.span, head));
    }
    nodes
}

/// Writes the heads of nodes.
#[derive(Clone, Copy)]
pub(super) struct HeadWriter<'t> {
    pub source: &'t str,
}

impl<'t> HeadWriter<'t> {
    pub fn head(self, first: &str, write: impl FnOnce(&mut Phrase<'t>)) -> Phrase<'t> {
        let mut phrase = Phrase::new(self.source);
        phrase.push(first);
        write(&mut phrase);
        phrase
    }

    pub fn node(self, span: Span, head: Phrase<'t>) -> FormatNode<'t> {
        FormatNode::new(self.source, span, head)
    }

    fn item(self, item: &'t Item) -> FormatNode<'t> {
        let span = item.span;
        let node = match &item.kind {
            ItemKind::Benchmark(benchmark) => self.benchmark(span, benchmark),
            ItemKind::Use(each) => self.opening(span, "use", |phrase| {
                phrase.push_word(&each.path.text());
                if each.all {
                    phrase.push(".*");
                }
                if let Some(name) = &each.rename {
                    phrase.push_word("as").push_word(&name.text);
                }
            }),
            ItemKind::Import(import) => self.import(span, import),
            ItemKind::Let(each) => self.opening(span, "let", |phrase| phrase.binding(each)),
            ItemKind::Def(def) => self.def(span, def),
            ItemKind::Metric(metric) => {
                let head = self.head("metric", |phrase| {
                    phrase
                        .push_word(&metric.def.name.text)
                        .push_word("of")
                        .push_word(&metric.of.text);
                    if metric.percent.is_some() {
                        phrase.push_word("in percent");
                    }
                    if metric.lower.is_some() {
                        phrase.push_word("lower is better");
                    }
                });
                let stmts = self.def_stmts(&metric.def);
                let end = metric.lower.or(metric.percent).unwrap_or(metric.of.span).end;
                self.node(span, head).body(self.source, end, stmts)
            }
            ItemKind::Tags(tags) => {
                let mut node = self.tag(&tags.root);
                let name = std::mem::take(&mut node.head.text);
                node.head.push("tags").push_word(&name);
                // `tags` and its comments are before the root.
                node.start = node.start.min(span.start as usize);
                node.words = node.words.min(span.start as usize);
                node
            }
            ItemKind::Group(group) => {
                let head = self.head("group", |phrase| _ = phrase.push_word(&group.name.text));
                let members = group.members.iter().map(|member| self.member(member)).collect();
                self.node(span, head).body(self.source, group.name.span.end, members)
            }
            ItemKind::Constraint(constraint) => self.constraint(span, constraint),
            ItemKind::Test(test) => self.test(span, test),
            ItemKind::Mask(mask) => {
                let head = self.head("mask", |phrase| {
                    phrase
                        .space()
                        .paths(&mask.left)
                        .push_word("against")
                        .space()
                        .paths(&mask.right);
                });
                self.node(span, head)
            }
            ItemKind::Feed(feed) => self.feed(span, feed),
            ItemKind::Flow(flow) => {
                let head = self.head("flow", |phrase| _ = phrase.push_word(&flow.name.text));
                let stmts = self.stmts(&flow.stmts).into_iter();
                let turns = stmts.map(|node| node.kind(FormatNodeKind::Plain)).collect();
                self.node(span, head).body(self.source, flow.name.span.end, turns)
            }
            ItemKind::Scene(scene) => self.scene(span, scene),
            ItemKind::Dialogue(dialogue) => self.dialogue(span, dialogue),
            ItemKind::Split(split) => self.split(span, split),
            ItemKind::Release(release) => self.release(span, release),
            ItemKind::Audit(audit) => self.audit(span, audit),
        };
        node.docs(self.source, &item.docs)
    }

    fn opening(
        self,
        span: Span,
        first: &str,
        write: impl FnOnce(&mut Phrase<'t>),
    ) -> FormatNode<'t> {
        self.node(span, self.head(first, write)).kind(FormatNodeKind::Opening)
    }

    fn benchmark(self, span: Span, benchmark: &'t Benchmark) -> FormatNode<'t> {
        let head = self.head("benchmark", |phrase| _ = phrase.push_word(&benchmark.name.text));
        let fields = benchmark.fields.iter().map(|(name, text)| {
            let head = self.head(&name.text, |phrase| _ = phrase.string(text));
            self.node(name.span.to(text.span), head).kind(FormatNodeKind::Aligned)
        });
        self.node(span, head).body(self.source, benchmark.name.span.end, fields.collect())
    }

    fn import(self, span: Span, import: &'t Import) -> FormatNode<'t> {
        let node = self.opening(span, "import", |phrase| {
            phrase.push_word(&import.name.text).string(&import.path);
        });
        let Some(fields) = &import.fields else { return node };
        let fields = fields.iter().map(|field| {
            let head = self.head("", |phrase| _ = phrase.bank_field(field));
            self.node(field.name.span.to(field.ty.span), head)
        });
        node.body(self.source, import.path.span.end, fields.collect()).separated(", ")
    }

    fn def(self, span: Span, def: &'t Def) -> FormatNode<'t> {
        let head = self.head("def", |phrase| {
            phrase.push_word(&def.name.text).push("(");
            phrase.nested(|phrase| {
                phrase.listed(&def.params, |phrase, param| {
                    phrase.push(&param.name.text);
                    if let Some(ty) = &param.ty {
                        phrase.push(": ").ty(ty);
                    }
                });
            });
            phrase.push(")");
        });
        let stmts = self.def_stmts(def);
        let last = def.params.last();
        let behind = last
            .map_or(def.name.span, |param| param.ty.as_ref().map_or(param.name.span, |ty| ty.span));
        self.node(span, head).body(self.source, behind.end, stmts)
    }

    fn def_stmts(self, def: &'t Def) -> Vec<FormatNode<'t>> {
        let node = |stmt: &'t DefStmt| {
            let head = match &stmt.kind {
                DefStmtKind::Let(each) => self.head("let", |phrase| phrase.binding(each)),
                DefStmtKind::Return(expr) => {
                    self.head("return", |phrase| _ = phrase.expr(expr, ParenContext::STANDALONE))
                }
            };
            self.node(stmt.span, head).docs(self.source, &stmt.docs)
        };
        def.stmts.iter().map(node).collect()
    }

    fn tag(self, tag: &'t Tag) -> FormatNode<'t> {
        let node = self.node(tag.span, self.head(&tag.name.text, |_| ()));
        let written = self.source.get(tag.name.span.range().end..node.end).unwrap_or("");
        let children: Vec<_> = tag.children.iter().map(|child| self.tag(child)).collect();
        let node = match children.is_empty() && !written.ends_with('}') {
            true => node,
            false => node.body(self.source, tag.name.span.end, children).separated(", "),
        };
        node.docs(self.source, &tag.docs)
    }

    fn feed(self, span: Span, feed: &'t Feed) -> FormatNode<'t> {
        let head = self.head("feed", |phrase| _ = phrase.push_word(&feed.name.text));
        let stmts = feed.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                FeedStmtKind::Read { reader, path } => {
                    self.head("read", |phrase| _ = phrase.push_word(&reader.text).string(path))
                }
                FeedStmtKind::Column { name, ty, from } => self.head("column", |phrase| {
                    phrase.push_word(&name.text).push(":").space().ty(ty);
                    match from {
                        Some(ColumnFrom::Field(field)) => {
                            phrase.push_word("from").string(field);
                        }
                        Some(ColumnFrom::Rule(rule)) => {
                            phrase.push_word("=").expr(rule, ParenContext::STANDALONE);
                        }
                        None => {}
                    }
                }),
                FeedStmtKind::Simulate { sport, count, wording, cases, seed, .. } => {
                    self.head("simulate", |phrase| {
                        phrase.push_word(&sport.text);
                        if let Some(count) = count {
                            phrase.push_word(&count.to_string());
                        }
                        if let Some(wording) = wording {
                            phrase.push_word("as").push_word(&wording.text);
                        }
                        if !cases.is_empty() {
                            phrase.push_word("with").space();
                            phrase.listed(cases, |phrase, case| _ = phrase.push(&case.text));
                        }
                        if let Some(seed) = seed {
                            phrase.push_word("seed").push_word(&seed.to_string());
                        }
                    })
                }
                FeedStmtKind::Periods { count, length, overtime } => {
                    self.head("periods", |phrase| {
                        phrase.push_word(&count.to_string());
                        if let Some(length) = length {
                            phrase.push_word("of").string(length);
                        }
                        if let Some(overtime) = overtime {
                            phrase.push_word("then").string(overtime);
                        }
                    })
                }
                FeedStmtKind::Order { by } => self.head("order", |phrase| {
                    phrase
                        .push_word("by")
                        .space()
                        .listed(by, |phrase, name| _ = phrase.push(&name.text));
                }),
            };
            self.node(stmt.span, head)
        });
        self.node(span, head).body(self.source, feed.name.span.end, stmts.collect())
    }

    fn split(self, span: Span, split: &'t Split) -> FormatNode<'t> {
        let head = self.head("split", |phrase| _ = phrase.push_word(&split.name.text));
        let stmts = split.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                SplitStmtKind::Groups { held, with } => self.head("groups", |phrase| {
                    phrase.space().paths(held);
                    if !with.is_empty() {
                        phrase.push_word("with").space().paths(with);
                    }
                }),
                SplitStmtKind::Topics(draw) => self.head("topics", |phrase| phrase.draw_from(draw)),
                SplitStmtKind::Styles(draw) => self.head("styles", |phrase| phrase.draw_from(draw)),
                SplitStmtKind::Templates(folder) => {
                    self.head("templates", |phrase| _ = phrase.push_word("from").string(folder))
                }
                SplitStmtKind::Words(texts) => self.text_list("words", texts),
                SplitStmtKind::Flows(paths) => {
                    self.head("flows", |phrase| _ = phrase.space().paths(paths))
                }
            };
            self.node(stmt.span, head)
        });
        self.node(span, head).body(self.source, split.name.span.end, stmts.collect())
    }

    fn release(self, span: Span, release: &'t Release) -> FormatNode<'t> {
        let head = self.head("release", |phrase| {
            if let Some(name) = &release.name {
                phrase.push_word(&name.text);
            }
        });
        // A count in parentheses may follow on the next line.
        let touched = ParenContext { touched: true, ..ParenContext::STANDALONE };
        let stmts = release.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                ReleaseStmtKind::Count { count, of } => self.head("", |phrase| {
                    let many = singular_or_plural(count, "dialogue", "dialogues");
                    phrase.expr(count, ParenContext::start(Start::Release));
                    phrase.push_word(many).push_word("of").push_word(&of.text());
                }),
                ReleaseStmtKind::Every(of) => self.head("every", |phrase| {
                    phrase.push_word("record").push_word("of").push_word(&of.text());
                }),
                ReleaseStmtKind::Keep(expr) => {
                    self.head("keep", |phrase| _ = phrase.push_word("where").expr(expr, touched))
                }
                ReleaseStmtKind::Seed(seed) => self.head("seed", |phrase| {
                    phrase.expr(seed, ParenContext { touched: true, ..ParenContext::OPERAND });
                }),
                ReleaseStmtKind::Cover { what, least } => self.head("cover", |phrase| {
                    match what {
                        Covered::Pairs(None) => {
                            _ = phrase.push_word("pairs").push_word("of").push_word("groups")
                        }
                        Covered::Pairs(Some(paths)) => {
                            phrase.push_word("pairs").push_word("of").space().paths(paths);
                        }
                        Covered::All(name) => _ = phrase.push_word(&name.text),
                    }
                    phrase.push_word("at").push_word("least").expr(least, ParenContext::OPERAND);
                    phrase.push_word(singular_or_plural(least, "time", "times"));
                }),
                ReleaseStmtKind::Quota { least, count, of } => self.head("quota", |phrase| {
                    phrase.push_word("at").push_word(if *least { "least" } else { "most" });
                    phrase.expr(count, ParenContext::OPERAND);
                    phrase
                        .push_word(singular_or_plural(count, "dialogue", "dialogues"))
                        .push_word("with");
                    match of {
                        QuotaOf::Each(kind) => _ = phrase.push_word("each").push_word(&kind.text),
                        QuotaOf::Group(kind, path) => {
                            phrase.push_word(&kind.text).push_word(&path.text());
                        }
                        QuotaOf::Text(kind, text) => _ = phrase.push_word(&kind.text).string(text),
                    }
                }),
                ReleaseStmtKind::Alike(share) => self.head("alike", |phrase| {
                    phrase.push_word("at").push_word("most").space().push(&share.digits).push("%");
                }),
                ReleaseStmtKind::Anchors(count) => self.head("anchors", |phrase| {
                    phrase.expr(count, ParenContext { touched: true, ..ParenContext::OPERAND });
                }),
            };
            self.node(stmt.span, head)
        });
        let behind = release.name.as_ref().map_or(span.start, |name| name.span.end);
        self.node(span, head).body(self.source, behind, stmts.collect())
    }

    fn audit(self, span: Span, audit: &'t Audit) -> FormatNode<'t> {
        let stmts = audit.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                AuditStmtKind::Limit { what, share } => self.head("limit", |phrase| {
                    phrase.push_word(&what.text).space().push(&share.digits).push("%");
                }),
                AuditStmtKind::Minds { forms, within, because } => self.head("minds", |phrase| {
                    phrase.space().names(forms).audited(within).because(because);
                }),
                AuditStmtKind::Tolerates { forms, within } => {
                    self.head("tolerates", |phrase| _ = phrase.space().names(forms).audited(within))
                }
                AuditStmtKind::Floor { share, answers, within, because } => {
                    self.head("floor", |phrase| {
                        phrase.space().push(&share.digits).push("%");
                        if !answers.is_empty() {
                            phrase.push_word("of").space().names(answers);
                        }
                        phrase.audited(within).because(because);
                    })
                }
            };
            self.node(stmt.span, head)
        });
        self.node(span, self.head("audit", |_| {})).body(self.source, span.start, stmts.collect())
    }
}

/// The singular or the plural.
pub(super) fn singular_or_plural<'w>(count: &Expr, one: &'w str, many: &'w str) -> &'w str {
    match &count.kind {
        ExprKind::Paren(inner) => singular_or_plural(inner, one, many),
        ExprKind::Int(1) => one,
        _ => many,
    }
}

impl Phrase<'_> {
    pub fn binding(&mut self, each: &Let) {
        self.push_word(&each.name.text).push_word("=").expr(&each.value, ParenContext::STANDALONE);
    }

    /// The keyword for an example's earlier message.
    pub fn checked(&mut self, check: Option<&Expr>) {
        if let Some(check) = check {
            self.gap()
                .push("check")
                .nested(|phrase| _ = phrase.expr(check, ParenContext::STANDALONE));
        }
    }

    pub fn path(&mut self, path: &Path) -> &mut Self {
        self.push(&path.text())
    }

    fn names(&mut self, names: &[Name]) -> &mut Self {
        self.listed(names, |phrase, name| _ = phrase.push(&name.text))
    }

    /// What a declaration for audits is about.
    fn audited(&mut self, within: &[Path]) -> &mut Self {
        match within {
            [] => self,
            within => self.push_word("in").space().paths(within),
        }
    }

    fn because(&mut self, reason: &TextLiteral) -> &mut Self {
        self.push_word("because").string(reason)
    }

    pub fn paths(&mut self, paths: &[Path]) -> &mut Self {
        self.listed(paths, |phrase, path| _ = phrase.path(path))
    }

    fn bank_field(&mut self, field: &BankField) -> &mut Self {
        let sign = if field.optional { "?: " } else { ": " };
        self.push(&field.name.text).push(sign).ty(&field.ty)
    }

    pub fn ty(&mut self, ty: &Type) -> &mut Self {
        match &ty.kind {
            TypeKind::Named(name) => self.push(&name.text),
            TypeKind::List(of) => self.push("list of ").ty(of),
            TypeKind::Record(fields) if fields.is_empty() => self.push("{}"),
            TypeKind::Record(fields) => {
                self.push("{ ");
                self.nested(|phrase| {
                    phrase.listed(fields, |phrase, field| _ = phrase.bank_field(field));
                });
                self.push(" }")
            }
        }
    }
}
