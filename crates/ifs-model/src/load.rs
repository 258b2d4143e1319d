//! The files of a scenario: the given one, its imports, and the modules that it uses of the
//! standard library.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::budget::{self, ResourceBudget};
use super::library;
use ifs_base::diagnostic::{Code, Diagnostic, Diagnostics};
use ifs_base::source::{FileId, SourceFile, Sources, Span};
use ifs_base::world::{self, BadPath, ReadError, World};
use ifs_syntax::ast::{Ast, Import, ItemKind, Path, TextLiteral, Use};
use ifs_syntax::parse;

/// A file with its index.
pub(super) struct Module {
    /// Its name within the scenario, or the name of a module of the library.
    pub name: String,
    pub library: bool,
    pub ast: Ast,
    /// Imported files, by their names in this file.
    pub imports: BTreeMap<String, usize>,
    /// Data files, by their names in this file.
    pub data: Vec<DataFile>,
}

pub(super) struct DataFile {
    /// The item that imports it.
    pub item: usize,
    /// Its name within the scenario.
    pub name: String,
    pub file: FileId,
}

/// All files, dependencies first.
pub(super) struct Loader<'w> {
    pub world: &'w dyn World,
    pub sources: Sources,
    pub modules: Vec<Module>,
    pub diagnostics: Diagnostics,
    /// Files that are being read: name, library, and the span of the import.
    open: Vec<(String, bool)>,
    done: BTreeMap<(String, bool), Option<usize>>,
    pub budget: ResourceBudget,
}

impl<'w> Loader<'w> {
    pub fn new(world: &'w dyn World) -> Loader<'w> {
        Loader {
            world,
            sources: Sources::default(),
            modules: Vec::new(),
            diagnostics: Diagnostics::default(),
            open: Vec::new(),
            done: BTreeMap::new(),
            budget: ResourceBudget::default(),
        }
    }

    /// Reads the given file. Errors have no span yet, so they are at the start of the file.
    pub fn root(&mut self, name: &str) -> Option<usize> {
        self.module(name, None)
    }

    fn module(&mut self, name: &str, asked: Option<Span>) -> Option<usize> {
        let key = (name.to_owned(), false);
        if let Some(known) = self.loaded(&key, asked) {
            return known;
        }
        let text = self.read_text(name, asked)?;
        let Some(file) = self.sources.add(self.world.display(name), text) else {
            self.diagnostics.push(
                Diagnostic::error(Code::TOO_LARGE, "too many files")
                    .label(asked.unwrap_or_default(), "this one is not read"),
            );
            return None;
        };
        self.open.push(key.clone());
        let text = Arc::clone(&self.sources.get(file)?.text);
        let ast = parse(file, &text, &mut self.diagnostics);
        self.check_edition(&ast, &text);
        Some(self.load_imports(key, ast))
    }

    fn library(&mut self, name: &str, asked: Span) -> Option<usize> {
        let Some(at) = library::LIBRARY.iter().position(|(module, _)| *module == name) else {
            self.diagnostics.push(
                Diagnostic::error(Code::UNKNOWN_NAME, format!("there is no `std.{name}`"))
                    .label(asked, "")
                    .help(format!("the library has {}", library_names()))
                    .did_you_mean(name, library::LIBRARY.iter().map(|(module, _)| *module)),
            );
            return None;
        };
        let key = (name.to_owned(), true);
        if let Some(known) = self.loaded(&key, Some(asked)) {
            return known;
        }
        let file = library::file_id(at);
        let text = self.world.library(name);
        let text = text.unwrap_or_else(|| library::LIBRARY[at].1.to_owned());
        self.sources.add_fixed(file, library::file_name(name), text.clone());
        self.open.push(key.clone());
        let ast = parse(file, &text, &mut self.diagnostics);
        Some(self.load_imports(key, ast))
    }

    /// A file that was already read; the inner `None` if it is being read, which is a cycle.
    fn loaded(&mut self, key: &(String, bool), asked: Option<Span>) -> Option<Option<usize>> {
        if let Some(done) = self.done.get(key) {
            return Some(*done);
        }
        let at = self.open.iter().position(|open| open == key)?;
        let chain: Vec<String> =
            self.open[at..].iter().chain([key]).map(|(name, _)| format!("`{name}`")).collect();
        self.diagnostics.push(
            Diagnostic::error(Code::IMPORT_CYCLE, "these files import each other in a cycle")
                .label(asked.unwrap_or_default(), chain.join(" imports "))
                .help("move what both need into a third file"),
        );
        Some(None)
    }

    /// Reads the imports and uses of a file, and returns the index of the file.
    fn load_imports(&mut self, (name, library): (String, bool), ast: Ast) -> usize {
        let (imports, data) = (BTreeMap::new(), Vec::new());
        let mut module = Module { name: name.clone(), library, ast, imports, data };
        self.follow_items(&mut module);
        self.open.pop();
        self.modules.push(module);
        let at = self.modules.len() - 1;
        self.done.insert((name, library), Some(at));
        at
    }

    fn follow_items(&mut self, module: &mut Module) {
        for at in 0..module.ast.items.len() {
            match &module.ast.items[at].kind {
                ItemKind::Import(import) => {
                    let import = import.clone();
                    self.import(module, at, &import);
                }
                ItemKind::Use(item) => {
                    let item = item.clone();
                    self.use_library(module, &item);
                }
                _ => {
                    let mut paths = Vec::new();
                    library_paths(&module.ast.items[at].kind, &mut paths);
                    for path in paths {
                        self.library_path(module, &path);
                    }
                }
            }
        }
    }

    fn use_library(&mut self, module: &mut Module, item: &Use) {
        if item.path.names.first().is_some_and(|first| first.text == "std")
            && item.path.names.len() == 1
        {
            self.diagnostics.push(
                Diagnostic::error(Code::UNKNOWN_NAME, "`std` alone names no module")
                    .label(item.path.span, "")
                    .help(format!("write `use std.NAME.*`; the library has {}", library_names())),
            );
            return;
        }
        self.library_path(module, &item.path);
    }

    /// Loads the module of a path `std.NAME…`; its name is `std.NAME`.
    fn library_path(&mut self, module: &mut Module, path: &Path) {
        let [first, second, ..] = path.names.as_slice() else { return };
        if first.text != "std" {
            return;
        }
        if let Some(at) = self.library(&second.text, path.span) {
            module.imports.insert(format!("std.{}", second.text), at);
        }
    }

    fn import(&mut self, module: &mut Module, item: usize, import: &Import) {
        let Some(name) = self.resolve(&module.name, module.library, &import.path) else { return };
        if name.ends_with(".ifs") {
            if let Some(at) = self.module(&name, Some(import.path.span)) {
                module.imports.insert(import.name.text.clone(), at);
            }
            return;
        }
        if let Some(text) = self.read_text(&name, Some(import.path.span))
            && let Some(file) = self.sources.add(self.world.display(&name), text)
        {
            module.data.push(DataFile { item, name, file });
        }
    }

    /// Resolves a path in a file to a name within the scenario.
    pub fn resolve(&mut self, from: &str, library: bool, path: &TextLiteral) -> Option<String> {
        let wrong = match world::resolve(from, &path.value) {
            Ok(name) if !library => return Some(name),
            Ok(_) => "the library imports no files",
            Err(BadPath::Empty) => "the path names no file",
            Err(BadPath::Absolute) => "the path is absolute",
            Err(BadPath::Outside) => "the path leads outside the scenario's folder",
            Err(BadPath::Backslash) => "the path has a backslash",
        };
        let code = match world::resolve(from, &path.value) {
            Err(BadPath::Absolute | BadPath::Outside) => Code::OUTSIDE_ROOT,
            _ => Code::BAD_PATH,
        };
        self.diagnostics.push(
            Diagnostic::error(code, wrong)
                .label(path.span, "")
                .help("write a path relative to this file, with `/`, within the scenario's folder"),
        );
        None
    }

    /// The text of a file of the scenario.
    pub fn read_text(&mut self, name: &str, asked: Option<Span>) -> Option<String> {
        let bytes = self.bytes(name, asked)?;
        match String::from_utf8(bytes) {
            // A checkout with other ends of lines is the same data. Modules keep theirs: diagnostics
            // count their bytes, and the scanner drops them from texts.
            Ok(text) if text.contains('\r') && !name.ends_with(".ifs") => {
                Some(text.replace("\r\n", "\n"))
            }
            Ok(text) => Some(text),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let line =
                    error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
                let diagnostic = Diagnostic::error(
                    Code::UNREADABLE_FILE,
                    format!("`{}` is not UTF-8 text (line {line})", self.world.display(name)),
                )
                .help("save it as UTF-8");
                self.unreadable(diagnostic, asked);
                None
            }
        }
    }

    /// The bytes of a file of the scenario.
    pub fn bytes(&mut self, name: &str, asked: Option<Span>) -> Option<Vec<u8>> {
        let diagnostic = match self.world.read(name) {
            Ok(bytes) if self.budget.take(bytes.len() as u64) => return Some(bytes),
            Ok(_) if !self.budget.report_once() => return None,
            Ok(_) => Diagnostic::error(
                Code::TOO_LARGE,
                format!(
                    "with `{}` the scenario needs more than {}",
                    self.world.display(name),
                    budget::limit()
                ),
            )
            .help("import fewer or smaller files, and each file once"),
            Err(ReadError::Outside) => Diagnostic::error(
                Code::OUTSIDE_ROOT,
                format!("`{}` leads outside the scenario's folder", self.world.display(name)),
            )
            .help("copy the file into the scenario's folder"),
            Err(error @ ReadError::TooLarge(..)) => Diagnostic::error(
                Code::TOO_LARGE,
                format!("`{}` is too large: {error}", self.world.display(name)),
            )
            .help("split it into several files"),
            Err(error) => {
                let diagnostic = Diagnostic::error(
                    Code::UNREADABLE_FILE,
                    format!("`{}` cannot be read: {error}", self.world.display(name)),
                );
                match error {
                    ReadError::Missing if asked.is_none() => {
                        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
                        let there = self.world.list(folder).unwrap_or_default();
                        let there: Vec<&str> = there
                            .iter()
                            .map(String::as_str)
                            .filter(|name| name.ends_with(".ifs"))
                            .collect();
                        diagnostic.help("`ifs new NAME` writes a first scenario").did_you_mean(
                            name.rsplit_once('/').map_or(name, |(_, name)| name),
                            there.iter().copied(),
                        )
                    }
                    ReadError::Missing if asked.is_some() => {
                        diagnostic.help("a path is relative to the folder of its file")
                    }
                    ReadError::Directory => diagnostic.help("name a file in it"),
                    _ => diagnostic,
                }
            }
        };
        self.unreadable(diagnostic, asked);
        None
    }

    fn unreadable(&mut self, diagnostic: Diagnostic, asked: Option<Span>) {
        self.diagnostics.push(match asked {
            Some(span) => diagnostic.label(span, "asked for here"),
            None => diagnostic,
        });
    }

    fn check_edition(&mut self, ast: &Ast, text: &str) {
        let start = Span::new(ast.file, 0, 0);
        match &ast.edition {
            Some(edition) if edition.number == 1 => {}
            Some(edition) => self.diagnostics.push(
                Diagnostic::error(
                    Code::BAD_EDITION,
                    format!("there is no edition {}", edition.number),
                )
                .label(edition.span, "")
                .help("this version of ifs knows edition 1: write `ifs 1`"),
            ),
            None if ast.items.is_empty() && text.trim().is_empty() => self.diagnostics.push(
                Diagnostic::error(Code::EMPTY_FILE, "the file is empty")
                    .label(start, "")
                    .help("begin with `ifs 1`; `ifs new NAME` writes a first scenario"),
            ),
            None if ast.poisoned.iter().any(|name| name == "ifs") => {}
            None => self.diagnostics.push(
                Diagnostic::error(Code::BAD_EDITION, "the edition is missing")
                    .label(start, "before the first item")
                    .help("begin the file with `ifs 1`"),
            ),
        }
    }
}

fn library_names() -> String {
    let names: Vec<String> =
        library::LIBRARY.iter().map(|(name, _)| format!("`std.{name}`")).collect();
    names.join(", ")
}

/// Paths into the library outside of `use` statements.
fn library_paths(item: &ItemKind, paths: &mut Vec<Path>) {
    use ifs_syntax::ast::{ImposeTarget, SplitStmtKind, Stmt, StmtKind};

    fn paths_in(stmts: &[Stmt], paths: &mut Vec<Path>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Constraints(from) => paths.extend(from.iter().cloned()),
                StmtKind::Impose(impose) => match &impose.what {
                    ImposeTarget::Drawn { from, .. } | ImposeTarget::Called { from, .. } => {
                        paths.extend(from.iter().cloned())
                    }
                    ImposeTarget::Given { path, .. } => paths.push(path.clone()),
                },
                StmtKind::Variant { stmts, .. } => paths_in(stmts, paths),
                StmtKind::Turn(turn) => paths_in(turn.body.as_deref().unwrap_or(&[]), paths),
                kind => kind.blocks().for_each(|inner| paths_in(inner, paths)),
            }
        }
    }
    match item {
        ItemKind::Dialogue(inner) => paths_in(&inner.stmts, paths),
        ItemKind::Flow(flow) => paths_in(&flow.stmts, paths),
        ItemKind::Mask(mask) => paths.extend(mask.left.iter().chain(&mask.right).cloned()),
        ItemKind::Test(test) => paths.extend(test.target.clone()),
        ItemKind::Split(split) => {
            for stmt in &split.stmts {
                if let SplitStmtKind::Groups { held, with } = &stmt.kind {
                    paths.extend(held.iter().chain(with).cloned());
                }
            }
        }
        _ => {}
    }
}

/// The file of a bank, for diagnostics about its pictures.
pub(super) struct BankFile<'a> {
    pub source: &'a SourceFile,
    pub file: FileId,
    /// Its name within the scenario, to which its paths are relative.
    pub name: &'a str,
    /// The line of each record.
    pub lines: &'a [usize],
}

/// The lines of a source as spans, for labels in data files.
pub(super) fn line_span(source: &SourceFile, file: FileId, line: usize) -> Span {
    let start: usize =
        source.text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let length = source.text[start..].lines().next().map_or(0, str::len);
    let end = (start + length.min(120)..=start + length)
        .find(|at| source.text.is_char_boundary(*at))
        .unwrap_or(start);
    Span::new(file, start, end)
}
