//! Paths in a commit.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::object::{Entry, Mode, ObjectKind, entry};
use crate::store::damaged;
use crate::{Error, Id, Repository};

/// A path in a commit, with symbolic links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedPath {
    /// The path without links, from the top of the repository.
    pub path: String,
    pub kind: CommittedKind,
    pub id: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommittedKind {
    File,
    Folder,
}

/// How many links lead to a path.
const MAX_LINKS: u32 = 32;

/// The longest target of a link.
const MAX_LINK_BYTES: usize = 4096;

/// The entries of a tree by name.
struct TreeIndex {
    content: Vec<u8>,
    /// Where entries begin in the content, in the order of their names.
    starts: Vec<u32>,
    length: usize,
}

impl TreeIndex {
    /// `None` if the tree is damaged.
    fn parse(content: Vec<u8>, length: usize) -> Option<TreeIndex> {
        let mut starts = Vec::new();
        let mut rest = content.as_slice();
        while !rest.is_empty() {
            starts.push((content.len() - rest.len()) as u32);
            (_, rest) = entry(rest, length)?;
        }
        let mut tree = TreeIndex { content, starts, length };
        // Git orders folders as if their names ended with a slash.
        let mut starts = std::mem::take(&mut tree.starts);
        starts.sort_by(|left, right| tree.name(*left).cmp(tree.name(*right)));
        tree.starts = starts;
        Some(tree)
    }

    fn entry(&self, start: u32) -> Option<Entry<'_>> {
        entry(&self.content[start as usize..], self.length).map(|(entry, _)| entry)
    }

    fn name(&self, start: u32) -> &[u8] {
        self.entry(start).map_or(&[], |entry| entry.name)
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.starts.iter().filter_map(|start| self.entry(*start))
    }

    fn find(&self, name: &str) -> Option<Entry<'_>> {
        let place = self.starts.binary_search_by(|start| self.name(*start).cmp(name.as_bytes()));
        self.entry(self.starts[place.ok()?])
    }
}

/// Trees that were read: the same ones are on the way to every file.
#[derive(Default)]
pub(crate) struct Trees {
    read: RefCell<BTreeMap<Id, Rc<TreeIndex>>>,
}

/// The bytes of trees that are kept.
const MAX_KEPT_BYTES: usize = 64 << 20;

impl Repository {
    /// What a path is in a commit; `None` if there is no such file or folder. A link that leads out of
    /// the repository leads nowhere, and so does a path into a submodule.
    ///
    /// # Errors
    /// Returns an error if the commit or a folder of it cannot be read.
    pub fn locate(&self, commit: &Id, path: &str) -> Result<Option<CommittedPath>, Error> {
        let object = self.store.object(&self.disk, commit)?;
        let root = object.tree().filter(|_| object.kind == ObjectKind::Commit);
        let root = root.ok_or_else(|| damaged(commit))?;
        let mut folders: Vec<(String, Id)> = Vec::new();
        let mut steps: Vec<String> = path.rsplit('/').map(str::to_owned).collect();
        let mut links = 0;
        let joined = |folders: &[(String, Id)], name: Option<&str>| {
            let names = folders.iter().map(|(name, _)| name.as_str());
            names.chain(name).collect::<Vec<_>>().join("/")
        };
        while let Some(step) = steps.pop() {
            let folder = folders.last().map_or(root, |(_, id)| *id);
            match step.as_str() {
                "" | "." => {}
                ".." if folders.pop().is_none() => return Ok(None),
                ".." => {}
                name => match self.tree(&folder)?.find(name).map(|entry| (entry.mode, entry.id)) {
                    Some((Mode::Folder, id)) => folders.push((step, id)),
                    Some((Mode::File, id)) if steps.is_empty() => {
                        let path = joined(&folders, Some(name));
                        return Ok(Some(CommittedPath { path, kind: CommittedKind::File, id }));
                    }
                    Some((Mode::Link, id)) if links < MAX_LINKS => {
                        links += 1;
                        let target = self.content(&id, ObjectKind::Blob)?;
                        let Ok(target) = String::from_utf8(target) else { return Ok(None) };
                        if target.starts_with('/') || target.len() > MAX_LINK_BYTES {
                            return Ok(None);
                        }
                        steps.extend(target.rsplit('/').map(str::to_owned));
                    }
                    _ => return Ok(None),
                },
            }
        }
        let id = folders.last().map_or(root, |(_, id)| *id);
        Ok(Some(CommittedPath { path: joined(&folders, None), kind: CommittedKind::Folder, id }))
    }

    /// The names of the files in a folder of a commit, in order; `None` if there is no such folder.
    ///
    /// # Errors
    /// Returns an error if the commit or a folder of it cannot be read.
    pub fn files(&self, commit: &Id, folder: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(CommittedPath { kind: CommittedKind::Folder, id, path }) =
            self.locate(commit, folder)?
        else {
            return Ok(None);
        };
        let tree = self.tree(&id)?;
        let mut names = Vec::new();
        for Entry { mode, name, .. } in tree.entries() {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let is_file = match mode {
                Mode::File => true,
                Mode::Link => {
                    let target = self.locate(commit, &format!("{path}/{name}"))?;
                    // As in a folder of the file system: what a link leads to is seen when it is read.
                    target.is_none_or(|target| target.kind == CommittedKind::File)
                }
                Mode::Folder | Mode::Other => false,
            };
            if is_file {
                names.push(name.to_owned());
            }
        }
        Ok(Some(names))
    }

    /// The content of a file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    pub fn read(&self, file: &Id) -> Result<Vec<u8>, Error> {
        self.content(file, ObjectKind::Blob)
    }

    pub(crate) fn content(&self, id: &Id, kind: ObjectKind) -> Result<Vec<u8>, Error> {
        let object = self.store.object(&self.disk, id)?;
        if object.kind == kind { Ok(object.content) } else { Err(damaged(id)) }
    }

    fn tree(&self, id: &Id) -> Result<Rc<TreeIndex>, Error> {
        if let Some(tree) = self.trees.read.borrow().get(id) {
            return Ok(Rc::clone(tree));
        }
        let content = self.content(id, ObjectKind::Tree)?;
        self.disk.spend(content.len() as u64)?;
        let tree = TreeIndex::parse(content, id.length()).ok_or_else(|| damaged(id))?;
        let tree = Rc::new(tree);
        let mut read = self.trees.read.borrow_mut();
        let kept: usize = read.values().map(|tree| tree.content.len()).sum();
        if kept + tree.content.len() <= MAX_KEPT_BYTES {
            read.insert(*id, Rc::clone(&tree));
        }
        Ok(tree)
    }
}
