//! Which scenarios a file is part of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::files::{Buffers, normal};

/// Folders with more files are searched no further.
const MAX_FILES: usize = 2_000;
const MAX_FOLDERS: usize = 2_000;

/// The scenario files of the open folders, and what they read.
#[derive(Default)]
pub(crate) struct Workspace {
    pub folders: Vec<PathBuf>,
    /// The files of the language, with the files that each imports.
    imports: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The files that each checked scenario read.
    reads: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

impl Workspace {
    /// Searches the open folders.
    pub fn search(&mut self, buffers: &Buffers) {
        let mut open = self.folders.clone();
        let mut searched = 0;
        while let Some(folder) = open.pop() {
            searched += 1;
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let is_own = |name: &str| {
                    !name.starts_with('.') && !matches!(name, "node_modules" | "target")
                };
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && name.to_str().is_some_and(is_own) && searched < MAX_FOLDERS {
                    open.push(entry.path());
                } else if kind.is_file()
                    && is_scenario(&entry.path())
                    && self.imports.len() < MAX_FILES
                {
                    self.update(&entry.path(), buffers);
                }
            }
        }
    }

    /// Reads again what a file imports.
    pub fn update(&mut self, path: &Path, buffers: &Buffers) {
        if !is_scenario(path) {
            return;
        }
        match buffers.text(path) {
            Some(text) => _ = self.imports.insert(path.to_owned(), imports_of(path, &text)),
            None => _ = self.imports.remove(path),
        }
    }

    pub fn note_reads(&mut self, root: &Path, reads: BTreeSet<PathBuf>) {
        self.reads.insert(root.to_owned(), reads);
    }

    /// The scenarios to check when a file changes: those that read it and that no other file imports.
    pub fn roots_of(&self, path: &Path) -> BTreeSet<PathBuf> {
        if is_scenario(path) {
            return self.importers(path);
        }
        let readers = self.reads.iter().filter(|(_, reads)| reads.contains(path));
        let readers: BTreeSet<PathBuf> = readers.map(|(root, _)| root.clone()).collect();
        if !readers.is_empty() {
            return readers;
        }
        // Which scenario reads a template or a bank is known when it was checked.
        let beside = self
            .imports
            .keys()
            .filter(|file| file.parent().is_some_and(|folder| path.starts_with(folder)));
        beside.flat_map(|file| self.importers(file)).collect()
    }

    fn importers(&self, path: &Path) -> BTreeSet<PathBuf> {
        let (mut roots, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![path];
        while let Some(file) = open.pop() {
            if !seen.insert(file) {
                continue;
            }
            let by = self.imports.iter().filter(|(_, imports)| imports.iter().any(|it| it == file));
            let before = open.len();
            open.extend(by.map(|(importer, _)| importer.as_path()));
            if open.len() == before {
                roots.insert(file.to_owned());
            }
        }
        if roots.is_empty() {
            // Files that import each other in a circle.
            roots.insert(path.to_owned());
        }
        roots
    }
}

pub(crate) fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "ifs")
}

/// The files that a text imports. Only lines are read: what the compiler makes of them may be a mistake.
fn imports_of(path: &Path, text: &str) -> Vec<PathBuf> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let lines = text.lines().filter(|line| line.trim_start().starts_with("import "));
    let paths = lines.filter_map(|line| line.split('"').nth(1));
    let files = paths.filter(|path| path.ends_with(".ifs"));
    files.map(|file| normal(&folder.join(file))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_checked_by_their_importers() {
        let mut buffers = Buffers::default();
        let mut workspace = Workspace::default();
        for (name, text) in [
            ("/w/a.ifs", "ifs 1\nimport m \"lib/m.ifs\"\n"),
            ("/w/b.ifs", "import m \"lib/m.ifs\"\nimport t \"t.jsonl\"\n"),
            ("/w/lib/m.ifs", "import n \"n.ifs\"\n"),
            ("/w/lib/n.ifs", "import m \"m.ifs\"\n"),
        ] {
            buffers.open(PathBuf::from(name), text.to_owned(), 1);
        }
        for path in buffers.paths().cloned().collect::<Vec<_>>() {
            workspace.update(&path, &buffers);
        }
        let roots = |path: &str| -> Vec<String> {
            let roots = workspace.roots_of(Path::new(path));
            roots.iter().map(|root| root.display().to_string()).collect()
        };
        assert_eq!(roots("/w/lib/n.ifs"), ["/w/a.ifs", "/w/b.ifs"]);
        assert_eq!(roots("/w/a.ifs"), ["/w/a.ifs"]);
        assert_eq!(roots("/w/t.jsonl"), ["/w/a.ifs", "/w/b.ifs"]);
        assert_eq!(roots("/w/unknown.ifs"), ["/w/unknown.ifs"]);
    }
}
