//! Top-level items as nodes.

use super::node::{Node, NodeKind};
use super::parens::{Context, Start};
use super::phrase::Phrase;
use crate::source::Span;
use crate::syntax::ast::*;

pub(super) fn file<'t>(ast: &'t Ast, source: &'t str) -> Vec<Node<'t>> {
    let writer = Writer { source };
    let mut nodes: Vec<Node<'t>> = ast.items.iter().map(|each| writer.item(each)).collect();
    if let Some(edition) = &ast.edition {
        let head = writer.words("ifs", |phrase| _ = phrase.word(&edition.number.to_string()));
        nodes.insert(0, Node::new(source, edition.span, head));
    }
    nodes
}

/// Writes the heads of nodes.
#[derive(Clone, Copy)]
pub(super) struct Writer<'t> {
    pub source: &'t str,
}

impl<'t> Writer<'t> {
    pub fn words(self, first: &str, write: impl FnOnce(&mut Phrase<'t>)) -> Phrase<'t> {
        let mut phrase = Phrase::new(self.source);
        phrase.put(first);
        write(&mut phrase);
        phrase
    }

    pub fn node(self, span: Span, head: Phrase<'t>) -> Node<'t> {
        Node::new(self.source, span, head)
    }

    fn item(self, item: &'t Item) -> Node<'t> {
        let span = item.span;
        let node = match &item.kind {
            ItemKind::Benchmark(benchmark) => self.benchmark(span, benchmark),
            ItemKind::Use(each) => self.opening(span, "use", |phrase| {
                phrase.word(&each.path.text());
                if each.all {
                    phrase.put(".*");
                }
                if let Some(name) = &each.rename {
                    phrase.word("as").word(&name.text);
                }
            }),
            ItemKind::Import(import) => self.import(span, import),
            ItemKind::Let(each) => self.opening(span, "let", |phrase| phrase.binding(each)),
            ItemKind::Def(def) => self.def(span, def),
            ItemKind::Metric(metric) => {
                let head = self.words("metric", |phrase| {
                    phrase.word(&metric.def.name.text).word("of").word(&metric.of.text);
                    if metric.lower.is_some() {
                        phrase.word("lower is better");
                    }
                });
                let stmts = self.def_stmts(&metric.def);
                let end = metric.lower.unwrap_or(metric.of.span).end;
                self.node(span, head).body(self.source, end, stmts)
            }
            ItemKind::Tags(tags) => {
                let mut node = self.tag(&tags.root);
                let name = std::mem::take(&mut node.head.text);
                node.head.put("tags").word(&name);
                // `tags` and its comments are before the root.
                node.start = node.start.min(span.start as usize);
                node.words = node.words.min(span.start as usize);
                node
            }
            ItemKind::Group(group) => {
                let head = self.words("group", |phrase| _ = phrase.word(&group.name.text));
                let members = group.members.iter().map(|member| self.member(member)).collect();
                self.node(span, head).body(self.source, group.name.span.end, members)
            }
            ItemKind::Constraint(constraint) => self.constraint(span, constraint),
            ItemKind::Test(test) => self.test(span, test),
            ItemKind::Mask(mask) => {
                let head = self.words("mask", |phrase| {
                    phrase.space().paths(&mask.left).word("against").space().paths(&mask.right);
                });
                self.node(span, head)
            }
            ItemKind::Feed(feed) => self.feed(span, feed),
            ItemKind::Flow(flow) => {
                let head = self.words("flow", |phrase| _ = phrase.word(&flow.name.text));
                let stmts = self.stmts(&flow.stmts).into_iter();
                let turns = stmts.map(|node| node.kind(NodeKind::Plain)).collect();
                self.node(span, head).body(self.source, flow.name.span.end, turns)
            }
            ItemKind::Scene(scene) => self.scene(span, scene),
            ItemKind::Dialogue(dialogue) => self.dialogue(span, dialogue),
            ItemKind::Split(split) => self.split(span, split),
            ItemKind::Release(release) => self.release(span, release),
        };
        node.docs(self.source, &item.docs)
    }

    fn opening(self, span: Span, first: &str, write: impl FnOnce(&mut Phrase<'t>)) -> Node<'t> {
        self.node(span, self.words(first, write)).kind(NodeKind::Opening)
    }

    fn benchmark(self, span: Span, benchmark: &'t Benchmark) -> Node<'t> {
        let head = self.words("benchmark", |phrase| _ = phrase.word(&benchmark.name.text));
        let fields = benchmark.fields.iter().map(|(name, text)| {
            let head = self.words(&name.text, |phrase| _ = phrase.string(text));
            self.node(name.span.to(text.span), head).kind(NodeKind::Aligned)
        });
        self.node(span, head).body(self.source, benchmark.name.span.end, fields.collect())
    }

    fn import(self, span: Span, import: &'t Import) -> Node<'t> {
        let node = self.opening(span, "import", |phrase| {
            phrase.word(&import.name.text).string(&import.path);
        });
        let Some(fields) = &import.fields else { return node };
        let fields = fields.iter().map(|field| {
            let head = self.words("", |phrase| _ = phrase.bank_field(field));
            self.node(field.name.span.to(field.ty.span), head)
        });
        node.body(self.source, import.path.span.end, fields.collect()).separated(", ")
    }

    fn def(self, span: Span, def: &'t Def) -> Node<'t> {
        let head = self.words("def", |phrase| {
            phrase.word(&def.name.text).put("(");
            phrase.nested(|phrase| {
                phrase.listed(&def.params, |phrase, param| {
                    phrase.put(&param.name.text);
                    if let Some(ty) = &param.ty {
                        phrase.put(": ").ty(ty);
                    }
                });
            });
            phrase.put(")");
        });
        let stmts = self.def_stmts(def);
        let last = def.params.last();
        let behind = last
            .map_or(def.name.span, |param| param.ty.as_ref().map_or(param.name.span, |ty| ty.span));
        self.node(span, head).body(self.source, behind.end, stmts)
    }

    fn def_stmts(self, def: &'t Def) -> Vec<Node<'t>> {
        let node = |stmt: &'t DefStmt| {
            let head = match &stmt.kind {
                DefStmtKind::Let(each) => self.words("let", |phrase| phrase.binding(each)),
                DefStmtKind::Return(expr) => {
                    self.words("return", |phrase| _ = phrase.expr(expr, Context::ALONE))
                }
            };
            self.node(stmt.span, head).docs(self.source, &stmt.docs)
        };
        def.stmts.iter().map(node).collect()
    }

    fn tag(self, tag: &'t Tag) -> Node<'t> {
        let node = self.node(tag.span, self.words(&tag.name.text, |_| ()));
        let written = self.source.get(tag.name.span.range().end..node.end).unwrap_or("");
        let children: Vec<_> = tag.children.iter().map(|child| self.tag(child)).collect();
        let node = match children.is_empty() && !written.ends_with('}') {
            true => node,
            false => node.body(self.source, tag.name.span.end, children).separated(", "),
        };
        node.docs(self.source, &tag.docs)
    }

    fn feed(self, span: Span, feed: &'t Feed) -> Node<'t> {
        let head = self.words("feed", |phrase| _ = phrase.word(&feed.name.text));
        let stmts = feed.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                FeedStmtKind::Read { reader, path } => {
                    self.words("read", |phrase| _ = phrase.word(&reader.text).string(path))
                }
                FeedStmtKind::Column { name, ty, from } => self.words("column", |phrase| {
                    phrase.word(&name.text).put(":").space().ty(ty);
                    match from {
                        Some(ColumnFrom::Field(field)) => {
                            phrase.word("from").string(field);
                        }
                        Some(ColumnFrom::Rule(rule)) => {
                            phrase.word("=").expr(rule, Context::ALONE);
                        }
                        None => {}
                    }
                }),
                FeedStmtKind::Simulate { sport, count, wording, cases, seed, .. } => {
                    self.words("simulate", |phrase| {
                        phrase.word(&sport.text);
                        if let Some(count) = count {
                            phrase.word(&count.to_string());
                        }
                        if let Some(wording) = wording {
                            phrase.word("as").word(&wording.text);
                        }
                        if !cases.is_empty() {
                            phrase.word("with").space();
                            phrase.listed(cases, |phrase, case| _ = phrase.put(&case.text));
                        }
                        if let Some(seed) = seed {
                            phrase.word("seed").word(&seed.to_string());
                        }
                    })
                }
                FeedStmtKind::Periods { count, length, overtime } => {
                    self.words("periods", |phrase| {
                        phrase.word(&count.to_string());
                        if let Some(length) = length {
                            phrase.word("of").string(length);
                        }
                        if let Some(overtime) = overtime {
                            phrase.word("then").string(overtime);
                        }
                    })
                }
                FeedStmtKind::Order { by } => self.words("order", |phrase| {
                    phrase.word("by").space().listed(by, |phrase, name| _ = phrase.put(&name.text));
                }),
            };
            self.node(stmt.span, head)
        });
        self.node(span, head).body(self.source, feed.name.span.end, stmts.collect())
    }

    fn split(self, span: Span, split: &'t Split) -> Node<'t> {
        let head = self.words("split", |phrase| _ = phrase.word(&split.name.text));
        let stmts = split.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                SplitStmtKind::Groups { held, with } => self.words("groups", |phrase| {
                    phrase.space().paths(held);
                    if !with.is_empty() {
                        phrase.word("with").space().paths(with);
                    }
                }),
                SplitStmtKind::Topics(draw) => {
                    self.words("topics", |phrase| phrase.draw_from(draw))
                }
                SplitStmtKind::Styles(draw) => {
                    self.words("styles", |phrase| phrase.draw_from(draw))
                }
                SplitStmtKind::Templates(folder) => {
                    self.words("templates", |phrase| _ = phrase.word("from").string(folder))
                }
                SplitStmtKind::Words(texts) => self.texts("words", texts),
                SplitStmtKind::Flows(paths) => {
                    self.words("flows", |phrase| _ = phrase.space().paths(paths))
                }
            };
            self.node(stmt.span, head)
        });
        self.node(span, head).body(self.source, split.name.span.end, stmts.collect())
    }

    fn release(self, span: Span, release: &'t Release) -> Node<'t> {
        let head = self.words("release", |phrase| {
            if let Some(name) = &release.name {
                phrase.word(&name.text);
            }
        });
        // A count in parentheses may follow on the next line.
        let touched = Context { touched: true, ..Context::ALONE };
        let stmts = release.stmts.iter().map(|stmt| {
            let head = match &stmt.kind {
                ReleaseStmtKind::Count { count, of } => self.words("", |phrase| {
                    let many = counted(count, "dialogue", "dialogues");
                    phrase.expr(count, Context::start(Start::Release));
                    phrase.word(many).word("of").word(&of.text());
                }),
                ReleaseStmtKind::Every(of) => self.words("every", |phrase| {
                    phrase.word("record").word("of").word(&of.text());
                }),
                ReleaseStmtKind::Keep(expr) => {
                    self.words("keep", |phrase| _ = phrase.word("where").expr(expr, touched))
                }
                ReleaseStmtKind::Seed(seed) => self.words("seed", |phrase| {
                    phrase.expr(seed, Context { touched: true, ..Context::OPERAND });
                }),
                ReleaseStmtKind::Cover { what, least } => self.words("cover", |phrase| {
                    match what {
                        Covered::Pairs(None) => _ = phrase.word("pairs").word("of").word("groups"),
                        Covered::Pairs(Some(paths)) => {
                            phrase.word("pairs").word("of").space().paths(paths);
                        }
                        Covered::All(name) => _ = phrase.word(&name.text),
                    }
                    phrase.word("at").word("least").expr(least, Context::OPERAND);
                    phrase.word(counted(least, "time", "times"));
                }),
                ReleaseStmtKind::Quota { least, count, of } => self.words("quota", |phrase| {
                    phrase.word("at").word(if *least { "least" } else { "most" });
                    phrase.expr(count, Context::OPERAND);
                    phrase.word(counted(count, "dialogue", "dialogues")).word("with");
                    match of {
                        QuotaOf::Each(kind) => _ = phrase.word("each").word(&kind.text),
                        QuotaOf::Group(kind, path) => {
                            phrase.word(&kind.text).word(&path.text());
                        }
                        QuotaOf::Text(kind, text) => _ = phrase.word(&kind.text).string(text),
                    }
                }),
                ReleaseStmtKind::Alike(share) => self.words("alike", |phrase| {
                    phrase.word("at").word("most").space().put(&share.digits).put("%");
                }),
                ReleaseStmtKind::Anchors(count) => self.words("anchors", |phrase| {
                    phrase.expr(count, Context { touched: true, ..Context::OPERAND });
                }),
            };
            self.node(stmt.span, head)
        });
        let behind = release.name.as_ref().map_or(span.start, |name| name.span.end);
        self.node(span, head).body(self.source, behind, stmts.collect())
    }
}

/// The singular or the plural.
pub(super) fn counted<'w>(count: &Expr, one: &'w str, many: &'w str) -> &'w str {
    match &count.kind {
        ExprKind::Paren(inner) => counted(inner, one, many),
        ExprKind::Int(1) => one,
        _ => many,
    }
}

impl Phrase<'_> {
    pub fn binding(&mut self, each: &Let) {
        self.word(&each.name.text).word("=").expr(&each.value, Context::ALONE);
    }

    /// The keyword for an example's earlier message.
    pub fn checked(&mut self, check: Option<&Expr>) {
        if let Some(check) = check {
            self.gap().put("check").nested(|phrase| _ = phrase.expr(check, Context::ALONE));
        }
    }

    pub fn path(&mut self, path: &Path) -> &mut Self {
        self.put(&path.text())
    }

    pub fn paths(&mut self, paths: &[Path]) -> &mut Self {
        self.listed(paths, |phrase, path| _ = phrase.path(path))
    }

    fn bank_field(&mut self, field: &BankField) -> &mut Self {
        let sign = if field.optional { "?: " } else { ": " };
        self.put(&field.name.text).put(sign).ty(&field.ty)
    }

    pub fn ty(&mut self, ty: &Type) -> &mut Self {
        match &ty.kind {
            TypeKind::Named(name) => self.put(&name.text),
            TypeKind::List(of) => self.put("list of ").ty(of),
            TypeKind::Record(fields) if fields.is_empty() => self.put("{}"),
            TypeKind::Record(fields) => {
                self.put("{ ");
                self.nested(|phrase| {
                    phrase.listed(fields, |phrase, field| _ = phrase.bank_field(field));
                });
                self.put(" }")
            }
        }
    }
}
