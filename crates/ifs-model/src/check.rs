//! The checker: from files to a model, collecting every mistake.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::bank;
use super::load::{BankFile, Loader, Module, line_span};
use super::names::{ItemAt, NameTable, RESERVED, Symbol};
use super::table::{Bank, BankPlace, Benchmark, Flow, Scene, SemanticModel, Tag};
use super::vars::Vars;
use ifs_base::diagnostic::{AllowedWarnings, CODES, Code, Diagnostic, Diagnostics};
use ifs_base::source::{FileId, Places, Sources, Span};
use ifs_base::world::World;
use ifs_predicate::tree::Pattern;
use ifs_predicate::types::{Field, Type};
use ifs_predicate::value::Value;
use ifs_syntax::ast::{self, ItemKind, Name, Path, StmtKind, TypeKind};

/// The result of checking a scenario.
pub struct CheckOutcome {
    pub sources: Sources,
    pub diagnostics: Diagnostics,
    /// Present only if there are no errors.
    pub model: Option<SemanticModel>,
    /// The warnings that the files allow, which `diagnostics` still has.
    pub allowed: AllowedWarnings,
    /// The types of names at their places, also of a scenario with errors.
    pub types: BTreeMap<Span, Type>,
}

/// Checks the scenario in the file `name` of a world.
pub fn check(world: &dyn World, name: &str) -> CheckOutcome {
    let mut loader = Loader::new(world);
    let root = loader.root(name);
    let mut diagnostics = std::mem::take(&mut loader.diagnostics);
    let names = NameTable::collect(&loader.modules, &mut diagnostics);
    let mut checker = Checker {
        loader,
        names,
        diagnostics,
        model: SemanticModel { edition: 1, ..SemanticModel::default() },
        lets: BTreeMap::new(),
        open_lets: Vec::new(),
        defs: Defs::default(),
        feeds: BTreeMap::new(),
        used_vars: BTreeSet::new(),
        inner_lets: BTreeMap::new(),
        groups: BTreeMap::new(),
        group_places: HashMap::new(),
        constraint_places: HashMap::new(),
        pictures_told: BTreeSet::new(),
        fills_texts: false,
        banks: BTreeMap::new(),
        flows: BTreeMap::new(),
        scenes: BTreeMap::new(),
        template_files: BTreeMap::new(),
        topic: Rc::new(Type::Unknown),
        patterns: HashMap::new(),
        types: BTreeMap::new(),
    };
    if let Some(root) = root {
        checker.program(root);
    }
    let Checker { mut diagnostics, mut loader, mut model, types, .. } = checker;
    diagnostics.extend(std::mem::take(&mut loader.diagnostics.list));
    let allowed = allowed_warnings(&loader.modules, root, &mut diagnostics);
    only_the_first_reason(&mut diagnostics, &loader.sources);
    diagnostics.sort();
    canonical(&mut model);
    let model = (diagnostics.errors() == 0 && root.is_some()).then_some(model);
    CheckOutcome { sources: loader.sources, diagnostics, model, allowed, types }
}

/// What `allow` says in the files of a scenario.
fn allowed_warnings(
    modules: &[Module],
    root: Option<usize>,
    diagnostics: &mut Diagnostics,
) -> AllowedWarnings {
    let mut allowed = AllowedWarnings::default();
    for (at, module) in modules.iter().enumerate() {
        let is_dialogue = |item: &Arc<ast::Item>| matches!(item.kind, ItemKind::Dialogue(_));
        if Some(at) == root && module.ast.items.iter().any(is_dialogue) {
            allowed.report_unneeded_of(module.ast.file);
        }
        for allow in &module.ast.allows {
            let code = &allow.code;
            if allow.reason.value.trim().is_empty() {
                diagnostics.push(
                    Diagnostic::error(Code::BAD_ALLOW, "this `allow` has no reason")
                        .label(allow.reason.span, "empty")
                        .help("say why the warning does not matter here"),
                );
            }
            match Code::find(&code.text) {
                Some(known) => allowed.add(known, allow.span, allow.covers),
                None => diagnostics.push(
                    Diagnostic::error(Code::BAD_ALLOW, format!("there is no code `{}`", code.text))
                        .label(code.span, "not a code of a warning")
                        .help(
                            "write the code of the warning, as `ifs check` prints it after `ifs::`",
                        )
                        .did_you_mean(&code.text, CODES.iter().map(|(known, _)| known.name())),
                ),
            }
        }
    }
    allowed
}

/// A line with a syntax error has only that diagnostic: what the checker reports about the rest of
/// it would be the same mistake again. So it is with the causes of an empty domain.
fn only_the_first_reason(diagnostics: &mut Diagnostics, sources: &Sources) {
    let reading = |found: &Diagnostic| {
        let codes = [Code::SYNTAX, Code::UNCLOSED, Code::TOO_DEEP, Code::BAD_STRING];
        codes.contains(&found.code)
    };
    // That no record has a value is why there is none to draw.
    let empty: Vec<Span> = diagnostics
        .list
        .iter()
        .filter(|found| found.code == Code::EMPTY_DOMAIN)
        .filter_map(|found| Some(found.labels.first()?.span))
        .collect();
    diagnostics.list.retain(|found| {
        let is_within = |place: Span| {
            empty.iter().any(|all| all.file == place.file && all.contains(place.start))
        };
        let place = found.labels.first().map(|label| label.span);
        found.code != Code::UNKNOWN_VALUE || !place.is_some_and(is_within)
    });
    let mut places = Places::new(sources);
    let mut line = |span: Span| (span.file, places.line(span.file, span.start).0);
    let unread: BTreeSet<(FileId, usize)> = diagnostics
        .list
        .iter()
        .filter(|found| reading(found))
        .filter_map(Diagnostic::span)
        .map(&mut line)
        .collect();
    if unread.is_empty() {
        return;
    }
    diagnostics.list.retain(|found| {
        reading(found) || !found.span().is_some_and(|span| unread.contains(&line(span)))
    });
}

/// Sorts what has no order, so that its order does not affect the plan's hash.
fn canonical(model: &mut SemanticModel) {
    model.banks.sort_by(|one, other| one.name.cmp(&other.name));
    model.feeds.sort_by(|one, other| one.name.cmp(&other.name));
    model.flows.sort_by(|one, other| one.name.cmp(&other.name));
    model.groups.sort_by(|one, other| one.name.cmp(&other.name));
    for group in &mut model.groups {
        group.constraints.sort_by(|one, other| one.name.cmp(&other.name));
    }
    for mask in &mut model.masks {
        mask.left.sort();
        mask.right.sort();
    }
    model.masks.sort_by(|one, other| (&one.left, &one.right).cmp(&(&other.left, &other.right)));
}

/// The state of the checker.
pub(super) struct Checker<'w> {
    pub loader: Loader<'w>,
    pub names: NameTable,
    pub diagnostics: Diagnostics,
    pub model: SemanticModel,
    lets: BTreeMap<ItemAt, Option<(Value, Type)>>,
    open_lets: Vec<ItemAt>,
    pub(super) defs: Defs,
    /// Feeds that were read, with their names in the model.
    pub feeds: BTreeMap<ItemAt, String>,
    used_vars: BTreeSet<String>,
    /// The `let`s of dialogues, turns, functions and scenes by span, with their names, and whether
    /// they are used.
    inner_lets: BTreeMap<Span, (String, bool)>,
    /// Groups that were lowered, with their names in the model.
    pub groups: BTreeMap<ItemAt, Option<String>>,
    /// The positions of groups and constraints in the model, by name.
    pub group_places: HashMap<String, usize>,
    pub constraint_places: HashMap<String, (usize, usize)>,
    /// Pictures that were checked, valid or not: each is reported once.
    pub pictures_told: BTreeSet<String>,
    /// Whether texts of the current expression are rendered like templates.
    pub fills_texts: bool,
    banks: BTreeMap<ItemAt, Option<String>>,
    flows: BTreeMap<ItemAt, Option<String>>,
    /// Templates of the scenario with diagnostics.
    template_files: BTreeMap<String, Option<FileId>>,
    /// Scenes that were lowered, with the type of their pictures.
    pub scenes: BTreeMap<ItemAt, Option<(Arc<Scene>, Type)>>,
    /// The fields of a topic that constraints may refer to: those that all topic banks have.
    pub topic: Rc<Type>,
    /// Regular expressions by text and flags: a function that is called often has each of its own
    /// compiled once.
    pub patterns: HashMap<(String, String), Pattern>,
    /// The types of names at their places, for editors.
    types: BTreeMap<Span, Type>,
}

impl<'w> Checker<'w> {
    fn program(&mut self, root: usize) {
        let own: Vec<usize> =
            (0..self.loader.modules.len()).filter(|at| !self.loader.modules[*at].library).collect();
        for module in &own {
            self.banks_of(*module);
        }
        self.topic = Rc::new(self.topic_type(&own));
        // Including those of the library, whose constraints may have them.
        for module in 0..self.loader.modules.len() {
            self.tags_of(module);
        }
        for module in &own {
            self.items(*module, *module == root);
        }
        for module in 0..self.loader.modules.len() {
            if self.loader.modules[module].library {
                self.masks_of(module);
            }
            self.audits_of(module, module == root);
        }
        // The mistake may be where a name would have been used.
        if self.diagnostics.errors() == 0 && self.loader.diagnostics.errors() == 0 {
            for module in &own {
                self.report_unused(*module, *module == root);
            }
            self.unused_lets();
        }
    }

    fn items(&mut self, module: usize, root: bool) {
        let items = self.loader.modules[module].ast.items.clone();
        for (item, written) in items.iter().enumerate() {
            let at = ItemAt { module, item };
            match &written.kind {
                ItemKind::Let(_) => {
                    self.let_value(at);
                }
                ItemKind::Def(def) => self.def(at, def),
                ItemKind::Metric(metric) => _ = self.own_metric(module, metric),
                ItemKind::Group(_) | ItemKind::Constraint(_) => {
                    self.group(at);
                }
                ItemKind::Feed(feed) => self.feed(at, feed),
                ItemKind::Scene(_) => {
                    self.scene(at);
                }
                ItemKind::Flow(_) => {
                    self.flow(at);
                }
                _ => {}
            }
        }
        for written in &items {
            match &written.kind {
                ItemKind::Benchmark(benchmark) => self.benchmark(benchmark, root),
                ItemKind::Mask(mask) => self.mask(module, mask),
                ItemKind::Test(test) => self.test(module, None, test),
                ItemKind::Dialogue(dialogue) => self.dialogue(module, dialogue, &written.docs),
                _ => {}
            }
        }
        self.splits(module, &items);
        for written in &items {
            if let ItemKind::Release(release) = &written.kind {
                self.release(module, release);
            }
        }
    }

    pub fn doc(&mut self, name: &str, docs: &ast::Docs) {
        let text = docs.text();
        if !text.is_empty() {
            self.model.docs.insert(name.to_owned(), text);
        }
    }

    // ---- names -------------------------------------------------------------------

    pub fn find(&mut self, module: usize, path: &Path) -> Option<Symbol> {
        self.names.find(&self.loader.modules, module, path, &mut self.diagnostics)
    }

    pub fn find_first<'p>(
        &mut self,
        module: usize,
        path: &'p Path,
    ) -> Option<(Symbol, &'p [Name])> {
        self.names.find_first(&self.loader.modules, module, path, &mut self.diagnostics)
    }

    /// Refuses names that have a meaning in expressions.
    pub fn check_name(&mut self, name: &Name, what: &str) -> bool {
        if !RESERVED.contains(&name.text.as_str()) {
            return true;
        }
        self.diagnostics.push(
            Diagnostic::error(Code::RESERVED_NAME, format!("`{}` cannot be {what}", name.text))
                .label(name.span, "means something else in expressions")
                .help(format!(
                    "choose another name, such as `{}s` or `the_{}`",
                    name.text, name.text
                )),
        );
        false
    }

    /// Notes what a name at a place is, for editors.
    pub fn note_type(&mut self, span: Span, ty: &Type) {
        if span.file < FileId::FIRST_FIXED {
            self.types.entry(span).or_insert_with(|| ty.clone());
        }
    }

    pub fn use_var(&mut self, name: &str) {
        self.used_vars.insert(name.to_owned());
    }

    /// A `let` within another item; adds it to the names that are known after it.
    pub fn inner_let(&mut self, vars: &mut Vars, name: &Name, ty: Type) {
        self.inner_lets.entry(name.span).or_insert_with(|| (name.text.clone(), false));
        self.note_type(name.span, &ty);
        vars.push_let(name, ty);
    }

    pub fn use_let(&mut self, vars: &Vars, name: &str) {
        if let Some((_, used)) = vars.let_span(name).and_then(|at| self.inner_lets.get_mut(&at)) {
            *used = true;
        }
    }

    /// Returns and clears the set of variables used so far.
    pub fn take_used_variables(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.used_vars)
    }

    /// Restores what [`Checker::take_used_variables`] returned.
    pub fn use_vars(&mut self, used: BTreeSet<String>) {
        self.used_vars = used;
    }

    /// A template file as a source, for spans in it.
    pub fn template_source(&mut self, name: &str, text: &str) -> Option<FileId> {
        if let Some(known) = self.template_files.get(name) {
            return *known;
        }
        let shown = self.loader.world.display(name);
        let file = self.loader.sources.add(shown, text);
        self.template_files.insert(name.to_owned(), file);
        file
    }

    fn unused_lets(&mut self) {
        for (place, (name, used)) in std::mem::take(&mut self.inner_lets) {
            if !used && place.file < FileId::FIRST_FIXED {
                self.diagnostics.push(
                    Diagnostic::warning(Code::UNUSED_NAME, format!("`{name}` is never used"))
                        .label(place, "")
                        .help("remove it, or use it"),
                );
            }
        }
    }

    fn report_unused(&mut self, module: usize, root: bool) {
        let items = &self.loader.modules[module].ast.items;
        let has_dialogue = items.iter().any(|item| matches!(item.kind, ast::ItemKind::Dialogue(_)));
        for (name, symbol, span) in self.names.unused_names(module) {
            // The items of an imported file may be for others too.
            let wanted = match symbol {
                Symbol::Bank(_) | Symbol::Module(_) => true,
                // A file without a dialogue exists for others.
                Symbol::Let(_) | Symbol::Feed(_) | Symbol::Flow(_) => root && has_dialogue,
                Symbol::Def(_)
                | Symbol::Metric(_)
                | Symbol::Group(_)
                | Symbol::Scene(_)
                | Symbol::Tags(_)
                | Symbol::Dialogue(_)
                | Symbol::Release(_) => false,
            };
            if wanted {
                self.diagnostics.push(
                    Diagnostic::warning(Code::UNUSED_NAME, format!("`{name}` is never used"))
                        .label(span, "")
                        .help("remove it, or use it"),
                );
            }
        }
    }

    // ---- constants -----------------------------------------------------------------

    pub fn constant_named(&mut self, module: usize, name: &Name) -> Option<(Value, Type)> {
        match self.names.look_up_quietly(module, &name.text)? {
            Symbol::Let(at) => self.let_value(at),
            // A bank is the list of its records.
            Symbol::Bank(at) => {
                let name = self.banks.get(&at)?.as_ref()?;
                let bank = self.model.banks.iter().find(|bank| bank.name == *name)?;
                let records = Value::list(bank.records.iter().cloned());
                Some((records, Type::list(bank.ty.clone())))
            }
            // A feed is the list of its games.
            Symbol::Feed(at) => {
                let feed = self.feed_named(at)?;
                let (_, records) = feed.records();
                let list = (Value::list(records.iter().cloned()), Type::list(feed.ty.clone()));
                if feed.fresh.is_some() {
                    self.diagnostics.push(
                        Diagnostic::error(
                            Code::BAD_FEED,
                            format!("`{}` is not a list: each dialogue has its own game", name.text),
                        )
                        .label(name.span, "")
                        .help("go over it: `dialogue NAME over FEED as game`; or say how many games are simulated"),
                    );
                }
                Some(list)
            }
            _ => None,
        }
    }

    /// Whether a name is a `let` whose own mistake was already reported.
    pub fn failed_let(&mut self, module: usize, name: &str) -> bool {
        match self.names.look_up_quietly(module, name) {
            Some(Symbol::Let(at)) => matches!(self.lets.get(&at), Some(None)),
            Some(Symbol::Bank(at)) => matches!(self.banks.get(&at), None | Some(None)),
            _ => false,
        }
    }

    fn let_value(&mut self, at: ItemAt) -> Option<(Value, Type)> {
        if let Some(done) = self.lets.get(&at) {
            return done.clone();
        }
        let item = self.loader.modules[at.module].ast.items[at.item].clone();
        let ItemKind::Let(item) = &item.kind else { return None };
        if self.open_lets.contains(&at) {
            self.diagnostics.push(
                Diagnostic::error(
                    Code::DEPENDENCY_CYCLE,
                    format!("`{}` depends on itself", item.name.text),
                )
                .label(item.name.span, "")
                .help("a `let` may only use others that do not use it"),
            );
            self.lets.insert(at, None);
            return None;
        }
        self.open_lets.push(at);
        self.check_name(&item.name, "the name of a `let`");
        let mut lowering = self.lowering(at.module);
        let lowered = lowering.lower(&item.value, &Vars::new("a constant"));
        let value =
            lowered.and_then(|(tree, ty)| lowering.value_of(&tree).map(|value| (value, ty)));
        let value = value.filter(|(value, _)| {
            let fits = self.loader.budget.take_constant(value);
            if !fits && self.loader.budget.report_once() {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::TOO_LARGE,
                        format!("the value of `{}` is too large", item.name.text),
                    )
                    .label(item.value.span, "")
                    .help("a constant may have about a million members or some megabytes of text"),
                );
            }
            fits
        });
        self.open_lets.pop();
        if let Some((_, ty)) = &value {
            self.note_type(item.name.span, ty);
        }
        self.lets.entry(at).or_insert(value).clone()
    }

    // ---- data ----------------------------------------------------------------------

    fn banks_of(&mut self, module: usize) {
        for data in std::mem::take(&mut self.loader.modules[module].data) {
            let at = ItemAt { module, item: data.item };
            let item = self.loader.modules[module].ast.items[data.item].clone();
            let ItemKind::Import(import) = &item.kind else { continue };
            if self.loader.budget.is_reported() {
                self.banks.insert(at, None);
                continue;
            }
            let errors = self.diagnostics.errors();
            let wanted = import.fields.as_ref().map(|fields| self.record_type(fields));
            if self.diagnostics.errors() > errors {
                self.banks.insert(at, None);
                continue;
            }
            let Some(source) = self.loader.sources.get(data.file).cloned() else { continue };
            let budget = &mut self.loader.budget;
            let loaded = bank::load(&source.name, &source.text, wanted.as_ref(), budget);
            let name = match loaded {
                Ok(loaded) => {
                    let from = BankFile {
                        source: &source,
                        file: data.file,
                        name: &data.name,
                        lines: &loaded.lines,
                    };
                    let Some(records) = self.bank_images(loaded.records, &loaded.ty, &from) else {
                        self.banks.insert(at, None);
                        continue;
                    };
                    let name = self.unique(&import.name.text, module, |model, name| {
                        model.banks.iter().any(|bank| bank.name == name)
                    });
                    let place = BankPlace { file: source.name.clone(), lines: loaded.lines };
                    let (ty, keys) = (loaded.ty, loaded.keys);
                    self.note_type(import.name.span, &ty);
                    let bank = Bank { name: name.clone(), ty, records, keys, place };
                    self.model.banks.push(bank);
                    Some(name)
                }
                Err(faults) => {
                    /// The maximum number of faults of a bank that are listed.
                    const MAX_LISTED_FAULTS: usize = 10;
                    let more = faults.len().saturating_sub(MAX_LISTED_FAULTS);
                    let too_large = faults.iter().any(|fault| fault.code == Code::TOO_LARGE);
                    if too_large && !self.loader.budget.report_once() {
                        self.banks.insert(at, None);
                        continue;
                    }
                    for fault in faults.into_iter().take(MAX_LISTED_FAULTS) {
                        let mut diagnostic = Diagnostic::error(
                            fault.code,
                            format!("in bank `{}`: {}", import.name.text, fault.message),
                        )
                        .label(line_span(&source, data.file, fault.line), "")
                        .label(import.path.span, "imported here");
                        diagnostic.help = fault.help;
                        self.diagnostics.push(diagnostic);
                    }
                    if more > 0 {
                        self.diagnostics.push(
                            Diagnostic::error(
                                Code::BAD_BANK,
                                format!("and {more} more mistakes in bank `{}`", import.name.text),
                            )
                            .label(import.path.span, ""),
                        );
                    }
                    None
                }
            };
            self.banks.insert(at, name);
        }
    }

    /// A unique name in the model: the written one, preceded by the module if another module has
    /// the same name.
    pub fn unique(
        &self,
        name: &str,
        module: usize,
        taken: impl Fn(&SemanticModel, &str) -> bool,
    ) -> String {
        if !taken(&self.model, name) {
            return name.to_owned();
        }
        let file = self.loader.modules[module].name.trim_end_matches(".ifs").replace('/', ".");
        format!("{file}.{name}")
    }

    /// The bank that a path names. The outer `None` means that a mistake was reported.
    pub fn bank(&mut self, module: usize, path: &Path) -> Option<(String, Type)> {
        match self.find(module, path)? {
            Symbol::Bank(at) => {
                let name = self.banks.get(&at)?.clone()?;
                let bank = self.model.banks.iter().find(|bank| bank.name == name)?;
                Some((name, bank.ty.clone()))
            }
            other => {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::WRONG_TYPE,
                        format!("`{}` is {}, not a bank", path.text(), other.noun()),
                    )
                    .label(path.span, "")
                    .help("`import NAME \"FILE.jsonl\"` makes a bank"),
                );
                None
            }
        }
    }

    /// The fields that are common to all banks from which a dialogue draws topics.
    fn topic_type(&mut self, modules: &[usize]) -> Type {
        let mut common: Option<BTreeMap<String, Field>> = None;
        for module in modules {
            for item in self.loader.modules[*module].ast.items.clone() {
                let ItemKind::Dialogue(dialogue) = &item.kind else { continue };
                let stmts = dialogue.stmts.iter().flat_map(|stmt| match &stmt.kind {
                    StmtKind::Variant { stmts, .. } => &stmts[..],
                    _ => std::slice::from_ref(stmt),
                });
                for stmt in stmts {
                    let StmtKind::Topic(topic) = &stmt.kind else { continue };
                    let Some(Symbol::Bank(at)) = topic
                        .from
                        .names
                        .first()
                        .filter(|_| topic.from.names.len() == 1)
                        .and_then(|name| self.names.look_up_quietly(*module, &name.text))
                    else {
                        continue;
                    };
                    let name = self.banks.get(&at).cloned().flatten();
                    let bank =
                        self.model.banks.iter().find(|bank| Some(&bank.name) == name.as_ref());
                    let Some(Type::Record(fields)) = bank.map(|bank| bank.ty.clone()) else {
                        continue;
                    };
                    common = Some(match common {
                        None => fields,
                        Some(common) => common
                            .into_iter()
                            .filter(|(name, field)| {
                                fields.get(name).is_some_and(|other| other.ty == field.ty)
                            })
                            .collect(),
                    });
                }
            }
        }
        common.map_or(Type::Unknown, Type::Record)
    }

    pub fn record_type(&mut self, fields: &[ast::BankField]) -> Type {
        let mut types = BTreeMap::new();
        for (at, field) in fields.iter().enumerate() {
            let ty = self.written_type(&field.ty);
            types.insert(field.name.text.clone(), Field::new(ty, field.optional));
            let same = |known: &&ast::BankField| known.name.text == field.name.text;
            if let Some(first) = fields[..at].iter().find(same) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("the field `{}` is declared twice", field.name.text),
                    )
                    .label(field.name.span, "second time")
                    .label(first.name.span, "first time")
                    .help("keep one of them"),
                );
            }
        }
        Type::Record(types)
    }

    pub fn written_type(&mut self, ty: &ast::Type) -> Type {
        const TYPE_NAMES: [&str; 7] = ["any", "bool", "clock", "float", "image", "int", "text"];
        match &ty.kind {
            TypeKind::List(of) => Type::list(self.written_type(of)),
            TypeKind::Record(fields) => self.record_type(fields),
            TypeKind::Named(name) => match name.text.as_str() {
                "text" => Type::Text,
                "int" => Type::Int,
                "float" => Type::Float,
                "bool" => Type::Bool,
                "clock" => Type::Clock,
                "image" => Type::Image,
                "any" => Type::Unknown,
                other => {
                    let diagnostic = Diagnostic::error(Code::BAD_TYPE, format!("there is no type `{other}`"))
                        .label(ty.span, "")
                        .help("types are `text`, `int`, `float`, `bool`, `clock`, `image`, `any`, `list of TYPE` and `{ field: TYPE }`")
                        .did_you_mean(other, TYPE_NAMES);
                    self.diagnostics.push(diagnostic);
                    Type::Unknown
                }
            },
        }
    }

    // ---- small items -----------------------------------------------------------------

    fn benchmark(&mut self, written: &ast::Benchmark, root: bool) {
        const FIELDS: [&str; 7] =
            ["about", "author", "cites", "homepage", "licence", "title", "version"];
        let mut fields = BTreeMap::new();
        for (at, (name, value)) in written.fields.iter().enumerate() {
            let same = |(known, _): &&(ast::Name, ast::TextLiteral)| known.text == name.text;
            if !FIELDS.contains(&name.text.as_str()) {
                let diagnostic = Diagnostic::error(
                    Code::UNKNOWN_FIELD,
                    format!("a benchmark has no `{}`", name.text),
                )
                .label(name.span, "")
                .help(format!("it has {}", FIELDS.map(|field| format!("`{field}`")).join(", ")))
                .did_you_mean(&name.text, FIELDS);
                self.diagnostics.push(diagnostic);
            } else if let Some((first, _)) = written.fields[..at].iter().find(same) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_STATEMENT,
                        format!("`{}` is given twice", name.text),
                    )
                    .label(name.span, "second time")
                    .label(first.span, "first time")
                    .help("keep one of them"),
                );
            } else {
                fields.insert(name.text.clone(), value.value.clone());
            }
        }
        if !root {
            return;
        }
        if !self.model.benchmark.name.is_empty() {
            let mut diagnostic =
                Diagnostic::error(Code::DUPLICATE_STATEMENT, "a scenario has one benchmark")
                    .label(written.name.span, "second one")
                    .help("move the other one to its own file");
            let first =
                self.loader.modules.iter().flat_map(|module| &module.ast.items).find_map(|item| {
                    match &item.kind {
                        ItemKind::Benchmark(first) => Some(first.name.span),
                        _ => None,
                    }
                });
            if let Some(first) = first {
                diagnostic = diagnostic.label(first, "first one");
            }
            self.diagnostics.push(diagnostic);
        }
        let version = fields.remove("version").unwrap_or_default();
        let said = written.fields.iter().find(|(name, _)| name.text == "version");
        let span = said.map_or(written.name.span, |(name, _)| name.span);
        self.model.benchmark = Benchmark { name: written.name.text.clone(), version, fields, span };
    }

    /// The masks of a library module whose groups are used.
    fn masks_of(&mut self, module: usize) {
        for item in self.loader.modules[module].ast.items.clone() {
            let ItemKind::Mask(mask) = &item.kind else { continue };
            let mut mask = mask.clone();
            let mut in_play = |path: &Path| {
                let first = path
                    .names
                    .first()
                    .and_then(|name| self.names.look_up_quietly(module, &name.text));
                matches!(first, Some(Symbol::Group(at)) if self.groups.contains_key(&at))
            };
            mask.left.retain(&mut in_play);
            mask.right.retain(&mut in_play);
            if !mask.left.is_empty() && !mask.right.is_empty() {
                self.mask(module, &mask);
            }
        }
    }

    fn tags_of(&mut self, module: usize) {
        for item in self.loader.modules[module].ast.items.clone() {
            if let ItemKind::Tags(tags) = &item.kind {
                let tag = self.tag(&tags.root, "");
                self.doc(&tag.name, &item.docs);
                self.model.tags.push(tag);
            }
        }
    }

    fn tag(&mut self, written: &ast::Tag, above: &str) -> Tag {
        let name = if above.is_empty() {
            written.name.text.clone()
        } else {
            format!("{above}.{}", written.name.text)
        };
        self.doc(&name, &written.docs);
        let mut seen: BTreeMap<&str, &Name> = BTreeMap::new();
        for child in &written.children {
            if let Some(first) = seen.insert(&child.name.text, &child.name) {
                self.diagnostics.push(
                    Diagnostic::error(
                        Code::DUPLICATE_NAME,
                        format!("the tag `{}` is declared twice here", child.name.text),
                    )
                    .label(child.name.span, "second time")
                    .label(first.span, "first time"),
                );
            }
        }
        let children = written.children.iter().map(|child| self.tag(child, &name)).collect();
        Tag { name, children }
    }

    /// The full names of tags: a path is the ending of one, if only one has that ending.
    pub fn tags(&mut self, paths: &[Path]) -> Vec<String> {
        fn all<'t>(tag: &'t Tag, names: &mut Vec<&'t str>) {
            names.push(&tag.name);
            tag.children.iter().for_each(|child| all(child, names));
        }
        let mut known = Vec::new();
        let tags = self.model.tags.clone();
        tags.iter().for_each(|tag| all(tag, &mut known));
        let mut found = Vec::new();
        for path in paths {
            let text = path.text();
            let ends = |name: &&&str| **name == text || name.ends_with(&format!(".{text}"));
            let matching: Vec<&&str> = known.iter().filter(ends).collect();
            match matching.as_slice() {
                [one] => found.push((**one).to_owned()),
                [] => {
                    let last = known.iter().map(|name| name.rsplit('.').next().unwrap_or(name));
                    let diagnostic =
                        Diagnostic::error(Code::UNKNOWN_NAME, format!("there is no tag `{text}`"))
                            .label(path.span, "")
                            .help("declare it: `tags ability { … }`")
                            .did_you_mean(&text, last);
                    self.diagnostics.push(diagnostic);
                }
                [one, other, ..] => self.diagnostics.push(
                    Diagnostic::error(Code::UNKNOWN_NAME, format!("`{text}` is more than one tag"))
                        .label(path.span, format!("`{one}` or `{other}`"))
                        .help("write more of its name"),
                ),
            }
        }
        found
    }

    pub fn flow(&mut self, at: ItemAt) -> Option<String> {
        if let Some(done) = self.flows.get(&at) {
            return done.clone();
        }
        let item = self.loader.modules[at.module].ast.items[at.item].clone();
        let ItemKind::Flow(written) = &item.kind else { return None };
        let name = self.unique(&written.name.text, at.module, |model, name| {
            model.flows.iter().any(|flow| flow.name == name)
        });
        self.doc(&name, &item.docs);
        let steps = self.flow_steps(at.module, written);
        self.model.flows.push(Flow { name: name.clone(), steps, span: written.name.span });
        self.flows.insert(at, Some(name.clone()));
        Some(name)
    }
}

/// The functions of a scenario.
#[derive(Default)]
pub(super) struct Defs {
    /// Functions that were checked, and whether they can be called.
    pub(super) sound: BTreeMap<ItemAt, bool>,
    /// Functions whose bodies are being checked, innermost last.
    pub(super) open: Vec<ItemAt>,
    /// Whether a chain of calls that is too deep was reported.
    pub(super) is_too_deep: bool,
}
