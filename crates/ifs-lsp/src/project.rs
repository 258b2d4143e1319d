//! What names refer to, across the files of scenarios, their templates and the library.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::{Buffers, normal};
use crate::index::{Declaration, FileIndex, NameKind, UseKind, template_names};
use crate::workspace::is_scenario;
use ifs_model::LIBRARY;

/// A file of the language: of the scenario by its path, or a module of the library by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKey {
    File(PathBuf),
    Library(&'static str),
}

/// What a name refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// All names of a file.
    Module(FileKey),
    Declared(FileKey, usize),
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamePlace {
    pub file: FileKey,
    pub range: Range<usize>,
}

/// The files that were read, with their names.
#[derive(Default)]
pub(crate) struct Project {
    files: BTreeMap<FileKey, Arc<FileIndex>>,
    templates: BTreeMap<PathBuf, UsedTemplate>,
}

/// A file of templates.
struct UsedTemplate {
    text: Arc<String>,
    /// The files that use it, each at a node.
    users: Vec<(FileKey, usize)>,
}

impl Project {
    /// The files that are reached from some, in their present state. Files that did not change keep their
    /// index.
    pub fn read(&mut self, roots: impl IntoIterator<Item = PathBuf>, buffers: &Buffers) {
        let before = std::mem::take(&mut self.files);
        self.templates.clear();
        let scenarios = roots.into_iter().filter(|path| is_scenario(path));
        let mut open: Vec<FileKey> = scenarios.map(FileKey::File).collect();
        while let Some(key) = open.pop() {
            if self.files.contains_key(&key) {
                continue;
            }
            let Some(text) = text_of(&key, buffers) else { continue };
            let index = match before.get(&key) {
                Some(known) if *known.text == *text => Arc::clone(known),
                _ => Arc::new(FileIndex::new(text)),
            };
            self.files.insert(key.clone(), Arc::clone(&index));
            open.extend(index.imports.iter().filter_map(|(_, path)| beside(&key, path)));
            open.extend(library_modules(&index.text));
            self.read_templates(&key, &index, buffers);
        }
    }

    fn read_templates(&mut self, key: &FileKey, index: &FileIndex, buffers: &Buffers) {
        for template in &index.templates {
            let Some(FileKey::File(path)) = beside(key, &template.path) else { continue };
            let Some(text) = buffers.text(&path) else { continue };
            let used = UsedTemplate { text, users: Vec::new() };
            let used = self.templates.entry(path).or_insert(used);
            used.users.push((key.clone(), template.node));
        }
    }

    pub fn file(&self, key: &FileKey) -> Option<&Arc<FileIndex>> {
        self.files.get(key)
    }

    pub fn declaration(&self, meaning: &Meaning) -> Option<(&FileKey, &FileIndex, &Declaration)> {
        let Meaning::Declared(key, declared) = meaning else { return None };
        let (key, file) = self.files.get_key_value(key)?;
        Some((key, file, file.declarations.get(*declared)?))
    }

    /// What the name at an offset refers to, and where the name is.
    pub fn meaning_at(&self, key: &FileKey, offset: usize) -> Option<(Meaning, Range<usize>)> {
        let touches = |range: &Range<usize>| range.start <= offset && offset <= range.end;
        let file = match (self.files.get(key), key) {
            (Some(file), _) => file,
            (None, FileKey::File(path)) => return self.meaning_in_template(path, offset),
            (None, FileKey::Library(_)) => return None,
        };
        let declared = file.declarations.iter().position(|declared| touches(&declared.name));
        if let Some(declared) = declared {
            let name = file.declarations[declared].name.clone();
            return Some((Meaning::Declared(key.clone(), declared), name));
        }
        let used = file.uses.iter().position(|used| touches(&used.name))?;
        Some((self.resolve(key, used)?, file.uses[used].name.clone()))
    }

    fn meaning_in_template(&self, path: &Path, offset: usize) -> Option<(Meaning, Range<usize>)> {
        let UsedTemplate { text, users } = self.templates.get(path)?;
        let names = template_names(text).into_iter();
        let name = { names }.find(|name| name.start <= offset && offset <= name.end)?;
        let meant =
            users.iter().find_map(|(key, node)| self.in_template(key, *node, text, &name))?;
        Some((meant, name))
    }

    /// What a name in a template refers to, for a file that uses the template at a node.
    fn in_template(
        &self,
        key: &FileKey,
        node: usize,
        text: &str,
        name: &Range<usize>,
    ) -> Option<Meaning> {
        let file = self.files.get(key)?;
        let offset = file.nodes.get(node)?.start;
        let name = text.get(name.clone())?;
        self.known_as(key, name, Some(node), offset, UseKind::General)
    }

    /// What a use refers to.
    pub fn resolve(&self, key: &FileKey, used: usize) -> Option<Meaning> {
        /// Chains of names are shorter, and a damaged one may be a circle.
        const MAX_NAMES: usize = 16;
        self.resolve_within(key, used, MAX_NAMES)
    }

    fn resolve_within(&self, key: &FileKey, used: usize, left: usize) -> Option<Meaning> {
        let left = left.checked_sub(1)?;
        let file = self.files.get(key)?;
        let one = file.uses.get(used)?;
        let name = file.word(&one.name);
        match one.kind {
            UseKind::MemberOf(owner) if file.word(&file.uses[owner].name) == "std" => {
                let module = LIBRARY.iter().map(|(module, _)| *module);
                let module = { module }.find(|module| *module == name)?;
                Some(Meaning::Module(FileKey::Library(module)))
            }
            UseKind::MemberOf(owner) => {
                let owner = self.resolve_within(key, owner, left)?;
                self.member(&owner, name, left)
            }
            UseKind::ParameterOf(owner) => {
                let owner = self.resolve_within(key, owner, left)?;
                let (owner_key, owner_file, declared) = self.declaration(&owner)?;
                let parameter = owner_file.member(Some(declared.node), name)?;
                Some(Meaning::Declared(owner_key.clone(), parameter))
            }
            UseKind::Tag => {
                let here = file.look_up(one).map(|it| Meaning::Declared(key.clone(), it));
                here.or_else(|| self.tag(name))
            }
            kind => self.known_as(key, name, Some(one.node), one.name.start, kind),
        }
    }

    fn tag(&self, name: &str) -> Option<Meaning> {
        self.files.iter().find_map(|(key, file)| {
            let is_it = |declared: &Declaration| {
                declared.kind == NameKind::Tag && file.word(&declared.name) == name
            };
            let tag = file.declarations.iter().position(is_it)?;
            Some(Meaning::Declared(key.clone(), tag))
        })
    }

    /// What a name means at a node of a file: by its scopes, then by what the file uses.
    pub fn known_as(
        &self,
        key: &FileKey,
        name: &str,
        node: Option<usize>,
        offset: usize,
        kind: UseKind,
    ) -> Option<Meaning> {
        let file = self.files.get(key)?;
        match file.look_up_from(name, node, offset, kind) {
            Some(found) => Some(self.follow(key, found)),
            None if kind == UseKind::General => self.used_as(key, name),
            None => None,
        }
    }

    /// What a name means that a `use` brings into a file.
    fn used_as(&self, key: &FileKey, name: &str) -> Option<Meaning> {
        self.use_paths(key).find_map(|(all, path)| {
            let (last, owner) = path.split_last()?;
            if all {
                return self.member(&self.path(key, &path)?, name, 1);
            }
            (last == name).then(|| self.member(&self.path(key, owner)?, name, 1))?
        })
    }

    /// The paths of the `use` statements of a file, and whether they bring in every name.
    pub fn use_paths<'p>(
        &'p self,
        key: &FileKey,
    ) -> impl Iterator<Item = (bool, Vec<String>)> + use<'p> {
        let file = self.files.get(key);
        let statements = file.into_iter().flat_map(|file| {
            let uses = (0..file.nodes.len()).filter(|node| file.nodes[*node].rule == "use_item");
            uses.map(move |node| (file, node))
        });
        statements.filter_map(|(file, node)| {
            let path = file.node_text(file.child(node, "path")?);
            let names = path.split('.').map(str::to_owned).collect();
            Some((file.child(node, "star").is_some(), names))
        })
    }

    /// What a path of names means at the top of a file.
    pub fn path(&self, key: &FileKey, names: &[String]) -> Option<Meaning> {
        let (first, rest) = names.split_first()?;
        let (mut meaning, rest) = if first == "std" {
            let (second, rest) = rest.split_first()?;
            let module = LIBRARY.iter().find(|(module, _)| module == second)?.0;
            (Meaning::Module(FileKey::Library(module)), rest)
        } else {
            let file = self.files.get(key)?;
            let found = file.look_up_from(first, None, usize::MAX, UseKind::General)?;
            (self.follow(key, found), rest)
        };
        for name in rest {
            meaning = self.member(&meaning, name, 1)?;
        }
        Some(meaning)
    }

    fn member(&self, owner: &Meaning, name: &str, left: usize) -> Option<Meaning> {
        match self.module_of(owner) {
            Some(module) => {
                let kind = UseKind::General;
                let found = self.files.get(&module)?.look_up_from(name, None, usize::MAX, kind);
                match found {
                    Some(found) => Some(Meaning::Declared(module, found)),
                    None if left > 0 => self.used_as(&module, name),
                    None => None,
                }
            }
            None => {
                let (key, file, declared) = self.declaration(owner)?;
                let found = file.member(Some(declared.node), name)?;
                Some(Meaning::Declared(key.clone(), found))
            }
        }
    }

    /// The file that an import names, if it names one.
    pub fn module_of(&self, meaning: &Meaning) -> Option<FileKey> {
        let (key, declared) = match meaning {
            Meaning::Module(key) => return Some(key.clone()),
            Meaning::Declared(key, declared) => (key, declared),
        };
        let imports = &self.files.get(key)?.imports;
        let (_, path) = imports.iter().find(|(import, _)| import == declared)?;
        beside(key, path)
    }

    /// Where `use … as NAME` leads.
    fn follow(&self, key: &FileKey, declared: usize) -> Meaning {
        let own = Meaning::Declared(key.clone(), declared);
        let Some(file) = self.files.get(key) else { return own };
        let node = file.declarations[declared].node;
        if file.nodes[node].rule != "use_item" {
            return own;
        }
        let path = file.child(node, "path").map(|path| file.node_text(path)).unwrap_or("");
        let names: Vec<String> = path.split('.').map(str::to_owned).collect();
        // A name that leads to itself leads nowhere.
        if names.first().is_some_and(|first| first == file.word(&file.declarations[declared].name))
        {
            return own;
        }
        self.path(key, &names).unwrap_or(own)
    }

    /// Every place that names something, its declaration first.
    pub fn places(&self, meaning: &Meaning) -> Vec<NamePlace> {
        let Some((key, file, declared)) = self.declaration(meaning) else { return Vec::new() };
        let name = file.word(&declared.name);
        let mut places = vec![NamePlace { file: key.clone(), range: declared.name.clone() }];
        for (key, file) in &self.files {
            for (at, used) in file.uses.iter().enumerate() {
                if file.word(&used.name) == name && self.resolve(key, at).as_ref() == Some(meaning)
                {
                    places.push(NamePlace { file: key.clone(), range: used.name.clone() });
                }
            }
        }
        for (path, UsedTemplate { text, users }) in &self.templates {
            for range in template_names(text) {
                let is_it = |(key, node): &(FileKey, usize)| {
                    self.in_template(key, *node, text, &range).as_ref() == Some(meaning)
                };
                if text.get(range.clone()) == Some(name) && users.iter().any(is_it) {
                    places.push(NamePlace { file: FileKey::File(path.clone()), range });
                }
            }
        }
        places
    }

    /// The text of a file or a template.
    pub fn text(&self, key: &FileKey) -> Option<Arc<String>> {
        match (self.files.get(key), key) {
            (Some(file), _) => Some(Arc::clone(&file.text)),
            (None, FileKey::File(path)) => self.templates.get(path).map(|it| Arc::clone(&it.text)),
            (None, FileKey::Library(_)) => None,
        }
    }
}

fn text_of(key: &FileKey, buffers: &Buffers) -> Option<Arc<String>> {
    match key {
        FileKey::File(path) => buffers.text(path),
        FileKey::Library(module) => {
            let (_, text) = LIBRARY.iter().find(|(name, _)| name == module)?;
            Some(Arc::new((*text).to_owned()))
        }
    }
}

/// A file by its path in another file.
fn beside(key: &FileKey, path: &str) -> Option<FileKey> {
    let FileKey::File(from) = key else { return None };
    Some(FileKey::File(normal(&from.parent()?.join(path))))
}

/// The modules of the library that a text names, also in lines that cannot be read.
fn library_modules(text: &str) -> Vec<FileKey> {
    let named = text.match_indices("std.").filter_map(|(at, before)| {
        let start = at + before.len();
        let name = &text[crate::text::word_at(text, start)];
        LIBRARY.iter().find(|(module, _)| *module == name)
    });
    named.map(|(module, _)| FileKey::Library(module)).collect()
}
