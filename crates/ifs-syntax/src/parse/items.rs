//! Top-level items.

use std::sync::Arc;

use super::TreeBuilder;
use super::grammar::{GrammarPair, PairChildren, Rule};
use crate::ast::*;
use crate::literal;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;

impl TreeBuilder<'_> {
    pub(super) fn item(&mut self, chunk: GrammarPair<'_>, ast: &mut Ast) -> Option<()> {
        let mut parts = PairChildren::new(chunk);
        let docs = parts.skip_to_optional(Rule::docs);
        let pair = parts.next()?;
        let span = self.span(&pair);
        let docs = self.docs(docs, span);
        let kind = match pair.as_rule() {
            Rule::edition => {
                let number = PairChildren::new(pair).skip_to_optional(Rule::int)?;
                let number = self.int(&number);
                if let Some(lines) = docs.span() {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::DANGLING_DOC,
                            "the edition takes no doc comment and no `allow`",
                        )
                        .label(lines, "documents nothing")
                        .help("move it above what it describes, or begin it with `//`"),
                    );
                }
                if !ast.items.is_empty() {
                    self.diagnostics.push(
                        Diagnostic::error(Code::BAD_EDITION, "the edition must come first")
                            .label(span, "everything above was read already")
                            .help("move it to the first line of the file"),
                    );
                } else if ast.edition.is_some() {
                    self.diagnostics.push(
                        Diagnostic::error(Code::BAD_EDITION, "the edition is given twice")
                            .label(span, "second time")
                            .help("keep the first line, take this one out"),
                    );
                } else {
                    ast.edition = Some(Edition { number, span });
                }
                return Some(());
            }
            Rule::benchmark => ItemKind::Benchmark(self.benchmark(pair)?),
            Rule::use_item => ItemKind::Use(self.use_item(pair)?),
            Rule::import => ItemKind::Import(self.import(pair)?),
            Rule::let_item => ItemKind::Let(self.let_item(pair)?),
            Rule::def => ItemKind::Def(self.def(pair)?),
            Rule::metric => ItemKind::Metric(self.metric(pair)?),
            Rule::tags => ItemKind::Tags(Tags {
                root: self.tag_node(PairChildren::new(pair).skip_to_optional(Rule::tag_root)?)?,
            }),
            Rule::group => ItemKind::Group(self.group(pair)?),
            Rule::constraint => ItemKind::Constraint(self.constraint(pair)?),
            Rule::test => ItemKind::Test(self.test(pair)?),
            Rule::mask => {
                let mut parts = PairChildren::new(pair);
                let left = self.paths(parts.skip_to_optional(Rule::paths)?)?;
                let right = self.paths(parts.skip_to_optional(Rule::paths)?)?;
                ItemKind::Mask(Mask { left, right })
            }
            Rule::feed => ItemKind::Feed(self.feed(pair)?),
            Rule::scene => ItemKind::Scene(self.scene(pair)?),
            Rule::flow => ItemKind::Flow(self.flow(pair)?),
            Rule::dialogue => ItemKind::Dialogue(self.dialogue(pair)?),
            Rule::split => ItemKind::Split(self.split(pair)?),
            Rule::release => ItemKind::Release(self.release(pair)?),
            Rule::audit => ItemKind::Audit(self.audit(pair)?),
            _ => return None,
        };
        ast.items.push(Arc::new(Item { docs, span, kind }));
        Some(())
    }

    fn benchmark(&mut self, pair: GrammarPair<'_>) -> Option<Benchmark> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (fields, _) = self.block(&mut parts, Rule::benchmark, |this, pair| {
            let mut parts = PairChildren::new(pair);
            let name = this.name(parts.skip_to_optional(Rule::label)?);
            Some((name, this.string(parts.skip_to_optional(Rule::string)?)))
        })?;
        Some(Benchmark { name, fields })
    }

    fn use_item(&mut self, pair: GrammarPair<'_>) -> Option<Use> {
        let mut parts = PairChildren::new(pair);
        let path = self.path(parts.skip_to_optional(Rule::path)?);
        let all = parts.skip_to_optional(Rule::star).is_some();
        let rename = parts.skip_to_optional(Rule::label).map(|pair| self.name(pair));
        Some(Use { path, all, rename })
    }

    fn import(&mut self, pair: GrammarPair<'_>) -> Option<Import> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let path = self.string(parts.skip_to_optional(Rule::string)?);
        let fields = match parts.skip_to_optional(Rule::bank_fields) {
            Some(pair) => Some(self.bank_fields(pair)?),
            None => None,
        };
        Some(Import { name, path, fields })
    }

    fn bank_fields(&mut self, pair: GrammarPair<'_>) -> Option<Vec<BankField>> {
        let mut fields = Vec::new();
        for pair in PairChildren::new(pair).all(Rule::bank_field) {
            let mut parts = PairChildren::new(pair);
            let name = self.name(parts.skip_to_optional(Rule::label)?);
            let optional = parts.skip_to_optional(Rule::optional).is_some();
            fields.push(BankField {
                name,
                optional,
                ty: self.ty(parts.skip_to_optional(Rule::r#type)?)?,
            });
        }
        Some(fields)
    }

    pub(super) fn ty(&mut self, pair: GrammarPair<'_>) -> Option<Type> {
        let span = self.span(&pair);
        let inner = PairChildren::new(pair).next()?;
        let kind = match inner.as_rule() {
            Rule::list_type => TypeKind::List(Box::new(
                self.ty(PairChildren::new(inner).skip_to_optional(Rule::r#type)?)?,
            )),
            Rule::record_type => TypeKind::Record(
                self.bank_fields(PairChildren::new(inner).skip_to_optional(Rule::bank_fields)?)?,
            ),
            _ => TypeKind::Named(self.name(inner)),
        };
        Some(Type { kind, span })
    }

    pub(super) fn let_item(&mut self, pair: GrammarPair<'_>) -> Option<Let> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        Some(Let { name, value: self.expr(parts.skip_to_optional(Rule::expr)?)? })
    }

    fn def(&mut self, pair: GrammarPair<'_>) -> Option<Def> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let mut params = Vec::new();
        for pair in
            PairChildren::new(parts.skip_to_optional(Rule::def_params)?).all(Rule::def_param)
        {
            let mut parts = PairChildren::new(pair);
            let name = self.name(parts.skip_to_optional(Rule::label)?);
            let ty = match parts.skip_to_optional(Rule::r#type) {
                Some(pair) => Some(self.ty(pair)?),
                None => None,
            };
            params.push(DefParam { name, ty });
        }
        let (stmts, broken) = self.def_stmts(&mut parts, Rule::def)?;
        Some(Def { name, params, stmts, broken })
    }

    fn metric(&mut self, pair: GrammarPair<'_>) -> Option<Metric> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let of = self.name(parts.skip_to_optional(Rule::label)?);
        let percent = parts.skip_to_optional(Rule::metric_percent).map(|pair| self.span(&pair));
        let lower = parts.skip_to_optional(Rule::metric_lower).map(|pair| self.span(&pair));
        let (stmts, broken) = self.def_stmts(&mut parts, Rule::metric)?;
        Some(Metric { def: Def { name, params: Vec::new(), stmts, broken }, of, percent, lower })
    }

    fn def_stmts(
        &mut self,
        parts: &mut PairChildren<'_>,
        of: Rule,
    ) -> Option<(Vec<DefStmt>, bool)> {
        self.block(parts, of, |this, pair| {
            let mut parts = PairChildren::new(pair);
            let docs = parts.skip_to_optional(Rule::docs);
            let stmt = parts.next()?;
            let span = this.span(&stmt);
            let docs = this.docs(docs, span);
            let kind = match stmt.as_rule() {
                Rule::let_item => DefStmtKind::Let(this.let_item(stmt)?),
                _ => DefStmtKind::Return(
                    this.expr(PairChildren::new(stmt).skip_to_optional(Rule::expr)?)?,
                ),
            };
            Some(DefStmt { docs, span, kind })
        })
    }

    fn tag_node(&mut self, pair: GrammarPair<'_>) -> Option<Tag> {
        let span = self.span(&pair);
        let mut parts = PairChildren::new(pair);
        let docs = parts.skip_to_optional(Rule::docs);
        let docs = self.docs(docs, span);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let mut children = Vec::new();
        for child in parts.all(Rule::tag_node) {
            children.push(self.tag_node(child)?);
        }
        Some(Tag { docs, name, children, span })
    }

    fn feed(&mut self, pair: GrammarPair<'_>) -> Option<Feed> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (stmts, broken) = self.block(&mut parts, Rule::feed, |this, pair| {
            let inner = PairChildren::new(pair).next()?;
            let span = this.span(&inner);
            let rule = inner.as_rule();
            let mut parts = PairChildren::new(inner);
            let kind = match rule {
                Rule::read => {
                    let reader = this.name(parts.skip_to_optional(Rule::label)?);
                    FeedStmtKind::Read {
                        reader,
                        path: this.string(parts.skip_to_optional(Rule::string)?),
                    }
                }
                Rule::column => FeedStmtKind::Column {
                    name: this.name(parts.skip_to_optional(Rule::label)?),
                    ty: this.ty(parts.skip_to_optional(Rule::r#type)?)?,
                    from: match parts.next() {
                        Some(pair) if pair.as_rule() == Rule::string => {
                            Some(ColumnFrom::Field(this.string(pair)))
                        }
                        Some(pair) => Some(ColumnFrom::Rule(this.expr(pair)?)),
                        None => None,
                    },
                },
                Rule::simulate => {
                    let sport = this.name(parts.skip_to_optional(Rule::label)?);
                    let number = parts.next_if(Rule::int);
                    let count_span = number.as_ref().map_or(sport.span, |it| this.span(it));
                    let count = number.map(|number| this.int(&number));
                    let wording = parts
                        .take_if(Rule::k_as)
                        .then(|| parts.skip_to_optional(Rule::label))
                        .flatten();
                    let wording = wording.map(|pair| this.name(pair));
                    let cases = if parts.take_if(Rule::k_with) {
                        parts.all(Rule::label)
                    } else {
                        Vec::new()
                    };
                    let cases = cases.into_iter().map(|pair| this.name(pair)).collect();
                    let seed = parts.skip_to_optional(Rule::simulate_seed);
                    let seed =
                        seed.and_then(|seed| PairChildren::new(seed).skip_to_optional(Rule::int));
                    let seed = seed.map(|pair| this.int(&pair));
                    FeedStmtKind::Simulate { sport, count, wording, cases, seed, count_span }
                }
                Rule::periods => {
                    let count = this.int(&parts.skip_to_optional(Rule::int)?);
                    let mut next = || parts.skip_to_optional(Rule::string);
                    let (length, overtime) = (next(), next());
                    FeedStmtKind::Periods {
                        count,
                        length: length.map(|pair| this.string(pair)),
                        overtime: overtime.map(|pair| this.string(pair)),
                    }
                }
                _ => FeedStmtKind::Order {
                    by: parts.all(Rule::label).into_iter().map(|pair| this.name(pair)).collect(),
                },
            };
            Some(FeedStmt { span, kind })
        })?;
        Some(Feed { name, stmts, broken })
    }

    fn split(&mut self, pair: GrammarPair<'_>) -> Option<Split> {
        let mut parts = PairChildren::new(pair);
        let name = self.name(parts.skip_to_optional(Rule::label)?);
        let (stmts, broken) = self.block(&mut parts, Rule::split, |this, pair| {
            let inner = PairChildren::new(pair).next()?;
            let span = this.span(&inner);
            let rule = inner.as_rule();
            let mut parts = PairChildren::new(inner);
            let kind = match rule {
                Rule::split_groups => SplitStmtKind::Groups {
                    held: this.paths(parts.skip_to_optional(Rule::paths)?)?,
                    with: match parts.skip_to_optional(Rule::split_with) {
                        Some(with) => {
                            this.paths(PairChildren::new(with).skip_to_optional(Rule::paths)?)?
                        }
                        None => Vec::new(),
                    },
                },
                Rule::split_topics => SplitStmtKind::Topics(this.draw_from(parts)?),
                Rule::split_styles => SplitStmtKind::Styles(this.draw_from(parts)?),
                Rule::templates_from => {
                    SplitStmtKind::Templates(this.string(parts.skip_to_optional(Rule::string)?))
                }
                Rule::split_words => SplitStmtKind::Words(
                    parts.all(Rule::string).into_iter().map(|text| this.string(text)).collect(),
                ),
                _ => SplitStmtKind::Flows(this.paths(parts.skip_to_optional(Rule::paths)?)?),
            };
            Some(SplitStmt { span, kind })
        })?;
        Some(Split { name, stmts, broken })
    }

    fn release(&mut self, pair: GrammarPair<'_>) -> Option<Release> {
        let mut parts = PairChildren::new(pair);
        let name = parts.skip_to_optional(Rule::label).map(|pair| self.name(pair));
        let (stmts, broken) = self.block(&mut parts, Rule::release, |this, pair| {
            let inner = PairChildren::new(pair).next()?;
            let span = this.span(&inner);
            let rule = inner.as_rule();
            let mut parts = PairChildren::new(inner);
            let kind = match rule {
                Rule::release_count => ReleaseStmtKind::Count {
                    count: this.operand(parts.skip_to_optional(Rule::operand)?)?,
                    of: this.path(parts.skip_to_optional(Rule::path)?),
                },
                Rule::release_every => {
                    ReleaseStmtKind::Every(this.path(parts.skip_to_optional(Rule::path)?))
                }
                Rule::release_keep => {
                    ReleaseStmtKind::Keep(this.expr(parts.skip_to_optional(Rule::expr)?)?)
                }
                Rule::release_seed => {
                    ReleaseStmtKind::Seed(this.operand(parts.skip_to_optional(Rule::operand)?)?)
                }
                Rule::release_cover => {
                    let mut covered = PairChildren::new(parts.skip_to_optional(Rule::covered)?);
                    let what = match covered.skip_to_optional(Rule::label) {
                        Some(label) => Covered::All(this.name(label)),
                        None => Covered::Pairs(match covered.skip_to_optional(Rule::paths) {
                            Some(paths) => Some(this.paths(paths)?),
                            None => None,
                        }),
                    };
                    let least = this.operand(parts.skip_to_optional(Rule::operand)?)?;
                    ReleaseStmtKind::Cover { what, least }
                }
                Rule::release_quota => {
                    let least = parts.skip_to_optional(Rule::k_least).is_some();
                    let count = this.operand(parts.skip_to_optional(Rule::operand)?)?;
                    let mut of = PairChildren::new(parts.skip_to_optional(Rule::quota_of)?);
                    let each = of.skip_to_optional(Rule::k_each).is_some();
                    let kind = this.name(of.skip_to_optional(Rule::label)?);
                    let of = match (each, of.skip_to_optional(Rule::string)) {
                        (true, _) => QuotaOf::Each(kind),
                        (false, Some(text)) => QuotaOf::Text(kind, this.string(text)),
                        (false, None) => {
                            QuotaOf::Group(kind, this.path(of.skip_to_optional(Rule::path)?))
                        }
                    };
                    ReleaseStmtKind::Quota { least, count, of }
                }
                Rule::release_alike => {
                    ReleaseStmtKind::Alike(this.percent(&parts.skip_to_optional(Rule::percent)?))
                }
                _ => {
                    ReleaseStmtKind::Anchors(this.operand(parts.skip_to_optional(Rule::operand)?)?)
                }
            };
            Some(ReleaseStmt { span, kind })
        })?;
        Some(Release { name, stmts, broken })
    }

    fn audit(&mut self, pair: GrammarPair<'_>) -> Option<Audit> {
        let mut parts = PairChildren::new(pair);
        let (stmts, broken) = self.block(&mut parts, Rule::audit, |this, pair| {
            let inner = PairChildren::new(pair).next()?;
            let span = this.span(&inner);
            let rule = inner.as_rule();
            let mut parts = PairChildren::new(inner);
            let kind = match rule {
                Rule::audit_limit => AuditStmtKind::Limit {
                    what: this.name(parts.skip_to_optional(Rule::label)?),
                    share: this.percent(&parts.skip_to_optional(Rule::percent)?),
                },
                Rule::audit_minds => AuditStmtKind::Minds {
                    forms: this.labels(parts.skip_to_optional(Rule::labels)?),
                    within: this.audited(&mut parts)?,
                    because: this.string(parts.skip_to_optional(Rule::string)?),
                },
                Rule::audit_tolerates => AuditStmtKind::Tolerates {
                    forms: this.labels(parts.skip_to_optional(Rule::labels)?),
                    within: this.audited(&mut parts)?,
                },
                _ => {
                    let share = this.percent(&parts.skip_to_optional(Rule::percent)?);
                    let answers = parts.skip_to_optional(Rule::labels);
                    AuditStmtKind::Floor {
                        share,
                        answers: answers.map_or_else(Vec::new, |pair| this.labels(pair)),
                        within: this.audited(&mut parts)?,
                        because: this.string(parts.skip_to_optional(Rule::string)?),
                    }
                }
            };
            Some(AuditStmt { span, kind })
        })?;
        Some(Audit { stmts, broken })
    }

    fn labels(&mut self, pair: GrammarPair<'_>) -> Vec<Name> {
        PairChildren::new(pair).all(Rule::label).into_iter().map(|pair| self.name(pair)).collect()
    }

    /// What a declaration is about; nothing for all of the file.
    fn audited(&mut self, parts: &mut PairChildren<'_>) -> Option<Vec<Path>> {
        match parts.skip_to_optional(Rule::audit_in) {
            Some(pair) => self.paths(PairChildren::new(pair).skip_to_optional(Rule::paths)?),
            None => Some(Vec::new()),
        }
    }

    // ---- small parts -------------------------------------------------------------

    pub(super) fn name(&self, pair: GrammarPair<'_>) -> Name {
        Name { text: pair.as_str().to_owned(), span: self.span(&pair) }
    }

    /// The name of a record's field: a word, or any quoted text.
    pub(super) fn entry_name(&mut self, parts: &mut PairChildren<'_>) -> Option<Name> {
        match parts.skip_to_optional(Rule::label) {
            Some(label) => Some(self.name(label)),
            None => {
                let TextLiteral { value: text, span, .. } =
                    self.string(parts.skip_to_optional(Rule::string)?);
                Some(Name { text, span })
            }
        }
    }

    pub(super) fn path(&self, pair: GrammarPair<'_>) -> Path {
        let span = self.span(&pair);
        let names = pair.into_inner().map(|pair| self.name(pair)).collect();
        Path { names, span }
    }

    pub(super) fn paths(&self, pair: GrammarPair<'_>) -> Option<Vec<Path>> {
        Some(
            PairChildren::new(pair)
                .all(Rule::path)
                .into_iter()
                .map(|pair| self.path(pair))
                .collect(),
        )
    }

    pub(super) fn string(&mut self, pair: GrammarPair<'_>) -> TextLiteral {
        let span = self.span(&pair);
        let (value, block, wrong) = literal::value(pair.as_str());
        for (at, length) in wrong {
            let start = if block { 0 } else { at };
            let place = Span::new(
                self.file,
                span.start as usize + start,
                span.start as usize + start + length,
            );
            self.diagnostics.push(
                Diagnostic::error(Code::BAD_STRING, "unknown escape in a string")
                    .label(place, "not an escape")
                    .help(r#"write one of \" \\ \n \t \r \u{1F600}, or `\\` for a backslash"#),
            );
        }
        TextLiteral { value, block, span }
    }

    /// The doc comments and `allow` lines above an item or statement.
    pub(super) fn docs(&mut self, pair: Option<GrammarPair<'_>>, covers: Span) -> Docs {
        let mut docs = Docs::default();
        for line in pair.into_iter().flat_map(GrammarPair::into_inner) {
            let span = self.span(&line);
            if line.as_rule() != Rule::allow {
                let text = line.as_str().trim_start_matches('/').trim_end().to_owned();
                docs.lines.push(Name { text, span });
                continue;
            }
            let mut parts = PairChildren::new(line);
            let code = parts.skip_to_optional(Rule::code).map(|code| self.name(code));
            if let Some((code, reason)) = code.zip(parts.skip_to_optional(Rule::reason)) {
                let reason = self.string(reason);
                docs.allows.push(Allow { code, reason, span, covers });
            }
        }
        self.allows.extend(docs.allows.iter().cloned());
        docs
    }

    pub(super) fn int(&mut self, pair: &GrammarPair<'_>) -> i64 {
        match pair.as_str().replace('_', "").parse() {
            Ok(number) => number,
            Err(_) => {
                let span = self.span(pair);
                self.diagnostics.push(
                    Diagnostic::error(Code::BAD_NUMBER, "this number is too large")
                        .label(span, "")
                        .help(format!("the largest is {}", i64::MAX)),
                );
                // 0 would be a second mistake in most places.
                1
            }
        }
    }

    pub(super) fn percent(&self, pair: &GrammarPair<'_>) -> Percent {
        Percent { digits: pair.as_str().trim_end_matches('%').to_owned(), span: self.span(pair) }
    }
}
