//! Releases: the number of dialogues of each kind, and the condition to keep one.

use std::collections::BTreeSet;

use super::check::Checker;
use super::names::Symbol;
use super::table::{Change, Cover, DrawFrom, Feature, Move, Quota, RelationKind, Release, Share};
use super::vars::Vars;
use ifs_base::diagnostic::{Code, Diagnostic};
use ifs_base::source::Span;
use ifs_predicate::types::{Field, Type};
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, Covered, Path, QuotaOf, ReleaseStmtKind};

impl Checker<'_> {
    pub fn release(&mut self, module: usize, written: &ast::Release) {
        let span = written.name.as_ref().map_or_else(
            || written.stmts.first().map_or(Span::default(), |stmt| stmt.span),
            |name| name.span,
        );
        let name = written.name.as_ref().map_or("release", |name| &name.text).to_owned();
        if let Some(other) = self.model.releases.iter().find(|release| release.name == name) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::DUPLICATE_NAME,
                    format!("there are two releases called `{name}`"),
                )
                .label(span, "second one")
                .label(other.span, "first one")
                .help("name them: `release NAME { … }`"),
            );
            return;
        }
        let field = |ty| Field::new(ty, false);
        let changes = Change::ALL.map(Change::word);
        let turn = Type::record_of([
            ("turn", field(Type::Int)),
            ("topic", field(Type::Text)),
            ("transition", Field::one_of(Move::ALL.map(Move::word))),
            ("change", Field::one_of(changes.into_iter().chain(["none"]))),
            ("constraints", field(Type::Int)),
        ]);
        let vars = Vars::new("a release").with("turns", Type::list(turn)).with("topics", Type::Int);
        let mut release = Release {
            name,
            counts: Vec::new(),
            every: Vec::new(),
            keep: Vec::new(),
            seed: None,
            covers: Vec::new(),
            quotas: Vec::new(),
            alike: None,
            anchors: 0,
            span,
        };
        let mut quotas = Vec::new();
        for stmt in &written.stmts {
            match &stmt.kind {
                ReleaseStmtKind::Count { count, of } => {
                    if self.lowering(module).meant_as_range(count) {
                        continue;
                    }
                    let count_value = self.lowering(module).constant(count, &Type::Int);
                    let Some(dialogue) = self.dialogue_named(module, of) else { continue };
                    let dialogue = dialogue.name.text.clone();
                    match count_value {
                        Some(Value::Int(count @ 1..)) => {
                            release.counts.push((count as u64, dialogue))
                        }
                        Some(other) => self.diagnostics.push(
                            Diagnostic::error(
                                Code::BAD_DOMAIN,
                                format!("a release of {other} dialogues"),
                            )
                            .label(count.span, "")
                            .help("write how many, at least 1"),
                        ),
                        None => {}
                    }
                }
                ReleaseStmtKind::Every(of) => {
                    let Some(dialogue) = self.dialogue_named(module, of) else { continue };
                    let has_over = dialogue.over.is_some();
                    let dialogue = dialogue.name.text.clone();
                    if let Some(records) = self.records_of(&dialogue, has_over, stmt.span) {
                        release.counts.push((records, dialogue.clone()));
                        release.every.push(dialogue);
                    }
                }
                ReleaseStmtKind::Keep(expr) => {
                    release.keep.extend(self.lowering(module).expect(expr, &Type::Bool, &vars));
                }
                ReleaseStmtKind::Seed(expr) => {
                    match self.lowering(module).constant(expr, &Type::Int) {
                        Some(Value::Int(seed @ 0..)) => release.seed = Some(seed as u64),
                        Some(_) => self.diagnostics.push(
                            Diagnostic::error(Code::BAD_NUMBER, "a seed is not negative")
                                .label(expr.span, "")
                                .help("write an integer from 0 up"),
                        ),
                        None => {}
                    }
                }
                ReleaseStmtKind::Cover { what, least } => {
                    let (feature, groups) = match what {
                        Covered::Pairs(None) => (Some(Feature::Pair), Vec::new()),
                        Covered::Pairs(Some(paths)) => {
                            (Some(Feature::Pair), self.groups_named(module, paths))
                        }
                        Covered::All(name) => (self.feature(name, "s"), Vec::new()),
                    };
                    let (Some(feature), Some(least)) =
                        (feature, self.positive_number(module, least))
                    else {
                        continue;
                    };
                    release.covers.push(Cover { feature, groups, least, span: stmt.span });
                }
                ReleaseStmtKind::Quota { least, count, of } => {
                    let Some(count) = self.positive_number(module, count) else { continue };
                    let (feature, name) = match of {
                        QuotaOf::Each(kind) => (self.feature(kind, ""), None),
                        QuotaOf::Text(kind, text) => {
                            (self.feature(kind, ""), Some((text.value.clone(), text.span)))
                        }
                        QuotaOf::Group(kind, path) => {
                            let feature = self.feature(kind, "");
                            let name = match feature {
                                Some(Feature::Group) => {
                                    let paths = std::slice::from_ref(path);
                                    self.groups_named(module, paths).into_iter().next()
                                }
                                _ => Some(path.text()),
                            };
                            let Some(name) = name else { continue };
                            (feature, Some((name, path.span)))
                        }
                    };
                    let Some(feature) = feature else { continue };
                    quotas.push((feature, name, *least, count, stmt.span));
                }
                ReleaseStmtKind::Alike(percent) => {
                    release.alike = self.lowering(module).share(percent);
                    if let Some(Share(share)) = release.alike
                        && !(500_000..1_000_000).contains(&share)
                    {
                        self.diagnostics.push(
                            Diagnostic::error(
                                Code::BAD_NUMBER,
                                format!("expected 50% to 99%, found {}%", percent.digits),
                            )
                            .label(percent.span, "")
                            .help(
                                "write a share from 50% to 99%; without the statement only \
                                 repeats are skipped",
                            ),
                        );
                    }
                }
                ReleaseStmtKind::Anchors(count) => {
                    release.anchors = self.positive_number(module, count).unwrap_or_default();
                }
            }
        }
        for (feature, name, least, count, span) in quotas {
            if let Some((name, at)) = &name {
                self.check_feature(&release, feature, name, *at);
            }
            let name = name.map(|(name, _)| name);
            release.quotas.push(Quota { feature, name, least, count, span });
        }
        self.check_every(&release, written);
        if let Some((count, dialogue)) = release.counts.iter().find(|(it, _)| *it < release.anchors)
        {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_NUMBER,
                    format!("{} anchors among {count} dialogues of `{dialogue}`", release.anchors),
                )
                .label(release.span, "")
                .help("the anchors are some of its dialogues: declare fewer"),
            );
        }
        if release.counts.is_empty() && !written.broken && self.diagnostics.errors() == 0 {
            self.diagnostics.push(
                Diagnostic::error(Code::MISSING_STATEMENT, "this release has no dialogues")
                    .label(release.span, "")
                    .help("write `150 dialogues of NAME`"),
            );
        }
        self.model.releases.push(release);
    }

    /// The number of records that a dialogue is written over.
    fn records_of(&mut self, dialogue: &str, has_over: bool, span: Span) -> Option<u64> {
        let table = self.model.dialogues.iter().find(|it| it.name == dialogue);
        let over = table.and_then(|table| table.over.as_ref()).map(|(from, _)| from.clone());
        let Some(from) = over else {
            // Otherwise its own mistake is reported.
            if !has_over {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::MISSING_STATEMENT,
                        format!("`{dialogue}` has no records: it is not written `over` data"),
                    )
                    .label(span, "")
                    .help(format!(
                        "write `dialogue {dialogue} over BANK as record {{ … }}`, or say how many: \
                         `150 dialogues of {dialogue}`"
                    )),
                );
            }
            return None;
        };
        let feed = self.model.feeds.iter().find(|feed| feed.name == from);
        if feed.is_some_and(|feed| feed.fresh.is_some()) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_NUMBER,
                    format!("`{from}` has a record for every dialogue, and no last one"),
                )
                .label(span, "")
                .help(format!(
                    "say how many: `150 dialogues of {dialogue}`, or `simulate SPORT COUNT`"
                )),
            );
            return None;
        }
        let bank = self.model.banks.iter().find(|bank| bank.name == from);
        let records = bank.map(|bank| bank.records.len());
        Some(records.or_else(|| Some(feed?.records().1.len()))? as u64)
    }

    /// Reports statements of a release that contradict `every record of NAME`.
    fn check_every(&mut self, release: &Release, written: &ast::Release) {
        if release.every.is_empty() {
            return;
        }
        let mut seen = BTreeSet::new();
        for stmt in &written.stmts {
            let (what, help) = match &stmt.kind {
                ReleaseStmtKind::Cover { .. }
                | ReleaseStmtKind::Quota { .. }
                | ReleaseStmtKind::Alike(_) => (
                    "this selects dialogues, and `every record` leaves nothing to select"
                        .to_owned(),
                    "leave it out, or say how many dialogues: `150 dialogues of NAME`",
                ),
                ReleaseStmtKind::Count { of, .. } | ReleaseStmtKind::Every(of) => {
                    let name = of.names.last().map_or("", |name| name.text.as_str());
                    if seen.insert(name) || !release.has_every_record_of(name) {
                        continue;
                    }
                    (
                        format!("the number of dialogues of `{name}` is given twice"),
                        "keep one of the statements",
                    )
                }
                ReleaseStmtKind::Keep(_)
                | ReleaseStmtKind::Seed(_)
                | ReleaseStmtKind::Anchors(_) => {
                    continue;
                }
            };
            self.diagnostics.push(
                Diagnostic::error(Code::MISPLACED_STATEMENT, what).label(stmt.span, "").help(help),
            );
        }
    }

    /// A positive number.
    fn positive_number(&mut self, module: usize, expr: &ast::Expr) -> Option<u64> {
        match self.lowering(module).constant(expr, &Type::Int)? {
            Value::Int(count @ 1..) => Some(count as u64),
            other => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::BAD_NUMBER,
                        format!("expected a positive number, found {other}"),
                    )
                    .label(expr.span, "")
                    .help("write an integer from 1 up"),
                );
                None
            }
        }
    }

    /// A feature by its word, with an ending.
    fn feature(&mut self, name: &ast::Name, ending: &str) -> Option<Feature> {
        let word = |feature: Feature| format!("{}{ending}", feature.word());
        let found = Feature::NAMED.into_iter().find(|feature| word(*feature) == name.text);
        if found.is_none() {
            let words = Feature::NAMED.map(word);
            let known = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>();
            self.diagnostics.push(
                Diagnostic::error(
                    Code::UNKNOWN_NAME,
                    format!("`cover` cannot count `{}`", name.text),
                )
                .label(name.span, "")
                .help(format!("it counts {}", known.join(", ")))
                .did_you_mean(&name.text, words.iter().map(String::as_str)),
            );
        }
        found
    }

    /// Reports a feature that no dialogue of a release can have.
    fn check_feature(&mut self, release: &Release, feature: Feature, name: &str, span: Span) {
        let model = &self.model;
        let dialogues = model.dialogues.iter();
        let dialogues =
            dialogues.filter(|dialogue| release.counts.iter().any(|(_, of)| *of == dialogue.name));
        let keys = |from: Option<&DrawFrom>| -> Vec<String> {
            let bank = from.and_then(|it| model.banks.iter().find(|bank| bank.name == it.bank));
            bank.map(|bank| bank.keys.clone()).unwrap_or_default()
        };
        let known: Vec<String> = match feature {
            Feature::Pair => return,
            Feature::Group => model.groups.iter().map(|group| group.name.clone()).collect(),
            Feature::Constraint => {
                let all = model.groups.iter().flat_map(|group| &group.constraints);
                all.map(|one| one.name.clone()).collect()
            }
            Feature::Move => {
                let turn = std::iter::once("turn".to_owned());
                Move::ALL.map(|to| to.word().to_owned()).into_iter().chain(turn).collect()
            }
            Feature::Relation => {
                RelationKind::ALL.iter().map(|kind| kind.word().to_owned()).collect()
            }
            Feature::Style => dialogues.flat_map(|it| keys(it.style.as_ref())).collect(),
            Feature::Topic => dialogues.flat_map(|it| keys(it.topic.as_ref())).collect(),
        };
        if known.iter().any(|one| one == name) {
            return;
        }
        let diagnostic = Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("no dialogue of this release has the {} `{name}`", feature.word()),
        )
        .label(span, "")
        .help(format!("write the name of a {}, or `each {0}`", feature.word()))
        .did_you_mean(name, known.iter().map(String::as_str));
        self.diagnostics.push(diagnostic);
    }

    fn dialogue_named(&mut self, module: usize, path: &Path) -> Option<&ast::Dialogue> {
        let Some(Symbol::Dialogue(at)) = self.find_dialogue(module, path) else { return None };
        match &self.loader.modules[at.module].ast.items[at.item].kind {
            ast::ItemKind::Dialogue(dialogue) => Some(dialogue),
            _ => None,
        }
    }

    fn find_dialogue(&mut self, module: usize, path: &Path) -> Option<Symbol> {
        match self.find(module, path)? {
            symbol @ Symbol::Dialogue(_) => Some(symbol),
            other => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::WRONG_TYPE,
                        format!("`{}` is {}, not a dialogue", path.text(), other.noun()),
                    )
                    .label(path.span, ""),
                );
                None
            }
        }
    }
}
