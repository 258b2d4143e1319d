//! Name resolution: the meaning of each name in each file.

use std::collections::{BTreeMap, BTreeSet};

use super::load::Module;
use ifs_base::diagnostic::{Code, Diagnostic, Diagnostics};
use ifs_base::source::Span;
use ifs_syntax::ast::{ItemKind, MemberKind, Name, Path};

/// The meaning of a name. Numbers are indexes into the lists of [`NameTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Bank(ItemAt),
    Feed(ItemAt),
    Scene(ItemAt),
    Let(ItemAt),
    Def(ItemAt),
    Metric(ItemAt),
    Tags(ItemAt),
    /// A group, or a constraint without a group.
    Group(ItemAt),
    Flow(ItemAt),
    Dialogue(ItemAt),
    Release(ItemAt),
    Module(usize),
}

/// An item: a module and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ItemAt {
    pub module: usize,
    pub item: usize,
}

impl Symbol {
    pub fn noun(self) -> &'static str {
        match self {
            Symbol::Bank(_) => "a bank",
            Symbol::Feed(_) => "a feed",
            Symbol::Scene(_) => "a scene",
            Symbol::Let(_) => "a `let`",
            Symbol::Def(_) => "a function",
            Symbol::Metric(_) => "a metric",
            Symbol::Tags(_) => "a tree of tags",
            Symbol::Group(_) => "a group",
            Symbol::Flow(_) => "a flow",
            Symbol::Dialogue(_) => "a dialogue",
            Symbol::Release(_) => "a release",
            Symbol::Module(_) => "a module",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct NameEntry {
    symbol: Symbol,
    span: Span,
    /// Imported by `use … .*`: the file's own names take precedence.
    wild: bool,
}

/// The names of every file.
#[derive(Default)]
pub(super) struct NameTable {
    tables: Vec<BTreeMap<String, NameEntry>>,
    poisoned: Vec<BTreeSet<String>>,
    /// Names that were looked up, by module.
    used: Vec<BTreeSet<String>>,
}

/// Words with a meaning in expressions, which cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "and",
    "or",
    "not",
    "in",
    "where",
    "each",
    "if",
    "then",
    "else",
    "every",
    "some",
    "no",
    "true",
    "false",
    "it",
    "char",
    "grapheme",
    "letter",
    "word",
    "token",
    "sentence",
    "paragraph",
    "line",
    "item",
    "section",
    "heading",
    "code_block",
    "table",
    "table_row",
    "number",
    "date",
    "quote",
    "emoji",
    "placeholder",
    "highlight",
];

impl NameTable {
    /// Collects the declarations of each file, then its `use` statements.
    pub fn collect(modules: &[Module], diagnostics: &mut Diagnostics) -> NameTable {
        let mut names = NameTable::default();
        for (module, file) in modules.iter().enumerate() {
            names.tables.push(BTreeMap::new());
            names.used.push(BTreeSet::new());
            names.poisoned.push(file.ast.poisoned.iter().cloned().collect());
            for item in 0..file.ast.items.len() {
                names.declare(modules, ItemAt { module, item }, diagnostics);
            }
        }
        for module in 0..modules.len() {
            names.resolve_uses(modules, module, diagnostics);
        }
        names
    }

    fn declare(&mut self, modules: &[Module], at: ItemAt, diagnostics: &mut Diagnostics) {
        let file = &modules[at.module];
        let (name, symbol) = match &file.ast.items[at.item].kind {
            ItemKind::Import(import) => match file.imports.get(&import.name.text) {
                Some(module) => (&import.name, Symbol::Module(*module)),
                None => (&import.name, Symbol::Bank(at)),
            },
            ItemKind::Let(item) => (&item.name, Symbol::Let(at)),
            ItemKind::Def(def) => (&def.name, Symbol::Def(at)),
            ItemKind::Metric(metric) => (&metric.def.name, Symbol::Metric(at)),
            ItemKind::Tags(tags) => (&tags.root.name, Symbol::Tags(at)),
            ItemKind::Group(group) => (&group.name, Symbol::Group(at)),
            ItemKind::Constraint(constraint) => (&constraint.name, Symbol::Group(at)),
            ItemKind::Feed(feed) => (&feed.name, Symbol::Feed(at)),
            ItemKind::Scene(scene) => (&scene.name, Symbol::Scene(at)),
            ItemKind::Flow(flow) => (&flow.name, Symbol::Flow(at)),
            ItemKind::Dialogue(dialogue) => (&dialogue.name, Symbol::Dialogue(at)),
            ItemKind::Release(release) => match &release.name {
                Some(name) => (name, Symbol::Release(at)),
                None => return,
            },
            ItemKind::Benchmark(_)
            | ItemKind::Use(_)
            | ItemKind::Test(_)
            | ItemKind::Mask(_)
            | ItemKind::Audit(_)
            | ItemKind::Split(_) => return,
        };
        self.enter(at.module, name, symbol, diagnostics);
    }

    fn enter(&mut self, module: usize, name: &Name, symbol: Symbol, diagnostics: &mut Diagnostics) {
        if name.text == "std" {
            diagnostics.push(
                Diagnostic::error(Code::RESERVED_NAME, "`std` is the standard library")
                    .label(name.span, "")
                    .help("choose another name"),
            );
            return;
        }
        match self.tables[module].get(&name.text) {
            Some(before) if !before.wild => diagnostics.push(
                Diagnostic::error(Code::DUPLICATE_NAME, format!("`{}` is named twice", name.text))
                    .label(name.span, "second time")
                    .label(before.span, "first time")
                    .help("give one of them another name"),
            ),
            _ => {
                self.tables[module]
                    .insert(name.text.clone(), NameEntry { symbol, span: name.span, wild: false });
            }
        }
    }

    fn resolve_uses(&mut self, modules: &[Module], module: usize, diagnostics: &mut Diagnostics) {
        for item in &modules[module].ast.items {
            let ItemKind::Use(item) = &item.kind else { continue };
            let Some(symbol) = self.find(modules, module, &item.path, diagnostics) else {
                continue;
            };
            if item.all {
                let Symbol::Module(from) = symbol else {
                    diagnostics.push(
                        Diagnostic::error(
                            Code::WRONG_TYPE,
                            format!("`{}` is {}, not a module", item.path.text(), symbol.noun()),
                        )
                        .label(item.path.span, "")
                        .help("leave out `.*`"),
                    );
                    continue;
                };
                let others: Vec<(String, Symbol)> = self.tables[from]
                    .iter()
                    .filter(|(_, entry)| {
                        matches!(
                            entry.symbol,
                            Symbol::Group(_)
                                | Symbol::Flow(_)
                                | Symbol::Let(_)
                                | Symbol::Def(_)
                                | Symbol::Metric(_)
                                | Symbol::Scene(_)
                        )
                    })
                    .map(|(name, entry)| (name.clone(), entry.symbol))
                    .collect();
                for (name, symbol) in others {
                    let entry = NameEntry { symbol, span: item.path.span, wild: true };
                    let before = self.tables[module].entry(name.clone()).or_insert(entry);
                    if before.wild && before.symbol != symbol {
                        diagnostics.push(
                            Diagnostic::error(
                                Code::DUPLICATE_NAME,
                                format!("`{name}` comes from two modules"),
                            )
                            .label(item.path.span, "from here")
                            .label(before.span, "and from here")
                            .help(format!("name them one by one: `use … .{name} as …`")),
                        );
                    }
                }
                continue;
            }
            let name = item.rename.as_ref().or(item.path.names.last());
            if let Some(name) = name {
                self.enter(module, name, symbol, diagnostics);
            }
        }
    }

    /// The meaning of a complete path; reports an unknown one.
    pub fn find(
        &mut self,
        modules: &[Module],
        module: usize,
        path: &Path,
        diagnostics: &mut Diagnostics,
    ) -> Option<Symbol> {
        let (symbol, rest) = self.find_first(modules, module, path, diagnostics)?;
        match rest {
            [] => Some(symbol),
            [more, ..] => {
                let whole: Vec<&str> = path.names.iter().map(|name| name.text.as_str()).collect();
                let known = &whole[..whole.len() - rest.len()];
                let message = format!(
                    "`{}` is {}, and `{}` cannot be named through it",
                    known.join("."),
                    symbol.noun(),
                    more.text
                );
                let mut diagnostic =
                    Diagnostic::error(Code::UNKNOWN_NAME, message).label(more.span, "");
                if let (Symbol::Group(_), [_, .., group]) = (symbol, known) {
                    let known = known.join(".");
                    let more = &more.text;
                    diagnostic =
                        diagnostic.help(format!("write `use {known}`, and then `{group}.{more}`"));
                }
                diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// The meaning of the longest known beginning of a path, and the remaining names.
    pub fn find_first<'p>(
        &mut self,
        modules: &[Module],
        module: usize,
        path: &'p Path,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Symbol, &'p [Name])> {
        let (first, mut rest) = path.names.split_first()?;
        let mut symbol = if first.text == "std" {
            let (second, behind) = rest.split_first()?;
            rest = behind;
            // A missing module was reported when it was to be loaded.
            Symbol::Module(*modules[module].imports.get(&format!("std.{}", second.text))?)
        } else {
            self.resolve(modules, module, first, diagnostics)?
        };
        while let (Symbol::Module(inner), Some((next, behind))) = (symbol, rest.split_first()) {
            symbol = self.resolve(modules, inner, next, diagnostics)?;
            rest = behind;
        }
        Some((symbol, rest))
    }

    fn resolve(
        &mut self,
        modules: &[Module],
        module: usize,
        name: &Name,
        diagnostics: &mut Diagnostics,
    ) -> Option<Symbol> {
        if let Some(entry) = self.tables[module].get(&name.text) {
            self.used[module].insert(name.text.clone());
            return Some(entry.symbol);
        }
        if !self.poisoned[module].contains(&name.text) {
            let known = self.tables[module].keys().map(String::as_str);
            let unknown =
                Diagnostic::error(Code::UNKNOWN_NAME, format!("there is no `{}`", name.text))
                    .label(name.span, "not declared here");
            diagnostics.push(match self.group_with(modules, module, &name.text) {
                Some(group) => unknown.help(format!(
                    "`{0}` is a constraint of the group `{group}`: write `{group}.{0}`",
                    name.text
                )),
                None => unknown.did_you_mean(&name.text, known),
            });
        }
        None
    }

    /// The name that a file has for a group with this constraint.
    fn group_with(&self, modules: &[Module], module: usize, constraint: &str) -> Option<&str> {
        let has_it = |at: ItemAt| {
            member_names(&modules[at.module].ast.items[at.item].kind)
                .iter()
                .any(|it| it == constraint)
        };
        let (name, _) = self.tables[module]
            .iter()
            .find(|(_, entry)| matches!(entry.symbol, Symbol::Group(at) if has_it(at)))?;
        Some(name)
    }

    /// Looks up a name without reporting.
    pub fn look_up_quietly(&mut self, module: usize, name: &str) -> Option<Symbol> {
        let symbol = self.tables[module].get(name)?.symbol;
        self.used[module].insert(name.to_owned());
        Some(symbol)
    }

    pub fn has_syntax_error(&self, module: usize, name: &str) -> bool {
        self.poisoned[module].contains(name)
    }

    /// All names of a file, for suggestions.
    pub fn known_names(&self, module: usize) -> impl Iterator<Item = &str> {
        self.tables[module].keys().map(String::as_str)
    }

    /// The groups that a file sees, without duplicates, sorted by name.
    pub fn groups(&self, module: usize) -> Vec<ItemAt> {
        let (mut groups, mut known) = (Vec::new(), BTreeSet::new());
        for entry in self.tables[module].values() {
            if let Symbol::Group(at) = entry.symbol
                && known.insert(at)
            {
                groups.push(at);
            }
        }
        groups
    }

    /// The groups that a file itself declares.
    pub fn own_groups(&self, module: usize) -> Vec<ItemAt> {
        self.groups(module).into_iter().filter(|at| at.module == module).collect()
    }

    /// Names that a file declares but nothing uses.
    pub fn unused_names(&self, module: usize) -> Vec<(String, Symbol, Span)> {
        self.tables[module]
            .iter()
            .filter(|(name, entry)| !entry.wild && !self.used[module].contains(*name))
            .map(|(name, entry)| (name.clone(), entry.symbol, entry.span))
            .collect()
    }
}

/// The names of a group's constraints; none of any other item.
pub(super) fn member_names(item: &ItemKind) -> Vec<String> {
    let ItemKind::Group(group) = item else { return Vec::new() };
    let members = group.members.iter();
    let names = members.filter_map(|member| match &member.kind {
        MemberKind::Constraint(constraint) => Some(constraint.name.text.clone()),
        MemberKind::Test(_) => None,
    });
    names.collect()
}
