//! What is in an object.

use std::io::{BufRead, Read as _};

use flate2::bufread::ZlibDecoder;

use crate::Error;
use crate::disk::Disk;
use crate::id::Id;

/// The largest object that is read.
pub(crate) const MAX_OBJECT_BYTES: u64 = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    const ALL: [ObjectKind; 4] =
        [ObjectKind::Commit, ObjectKind::Tree, ObjectKind::Blob, ObjectKind::Tag];

    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Commit => "commit",
            ObjectKind::Tree => "tree",
            ObjectKind::Blob => "blob",
            ObjectKind::Tag => "tag",
        }
    }

    pub fn parse(word: &[u8]) -> Option<ObjectKind> {
        ObjectKind::ALL.into_iter().find(|kind| kind.word().as_bytes() == word)
    }
}

pub(crate) struct Object {
    pub kind: ObjectKind,
    pub content: Vec<u8>,
}

/// Checks the size that an object claims, before anything is made of it.
pub(crate) fn check_size(id: &Id, bytes: u64) -> Result<(), Error> {
    match bytes <= MAX_OBJECT_BYTES {
        true => Ok(()),
        false => {
            let what = format!("the object {id}");
            Err(Error::TooLarge { what, bytes, most: MAX_OBJECT_BYTES })
        }
    }
}

/// The compressed bytes that content of a size may have: a stream can consist of blocks that are empty.
pub(crate) fn compressed_limit(size: u64) -> u64 {
    2 * size + (64 << 10)
}

/// Inflates content whose size is known; `None` if it has another one.
pub(crate) fn inflate(
    disk: &Disk,
    input: &mut ZlibDecoder<impl BufRead>,
    size: u64,
) -> Result<Option<Vec<u8>>, Error> {
    disk.spend(size)?;
    let mut content = Vec::new();
    // The byte more makes the decoder read to the end, and compare the checksum.
    let read = input.take(size + 1).read_to_end(&mut content);
    Ok((read.is_ok() && content.len() as u64 == size).then_some(content))
}

/// The value of a header's line such as `tree`.
fn header<'c>(content: &'c [u8], name: &'c str) -> impl Iterator<Item = &'c [u8]> {
    let lines = content.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    lines.filter_map(move |line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "))
}

impl Object {
    /// The tree of a commit.
    pub fn tree(&self) -> Option<Id> {
        header(&self.content, "tree").next().and_then(Id::parse)
    }

    /// The parents of a commit.
    pub fn parents(&self) -> Vec<Id> {
        header(&self.content, "parent").filter_map(Id::parse).collect()
    }

    /// The object of a tag.
    pub fn target(&self) -> Option<Id> {
        header(&self.content, "object").next().and_then(Id::parse)
    }
}

/// What an entry of a tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Folder,
    File,
    Link,
    /// A commit of another repository, or something that later versions of git add.
    Other,
}

pub(crate) struct Entry<'t> {
    pub mode: Mode,
    pub name: &'t [u8],
    pub id: Id,
}

/// The first entry of a tree, and the bytes after it; `None` if they are damaged.
pub(crate) fn entry(tree: &[u8], length: usize) -> Option<(Entry<'_>, &[u8])> {
    let end = tree.iter().position(|byte| *byte == 0)?;
    let (head, rest) = (&tree[..end], &tree[end + 1..]);
    let space = head.iter().position(|byte| *byte == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&head[..space]).ok()?, 8).ok()?;
    let mode = match mode & 0o170_000 {
        0o040_000 => Mode::Folder,
        0o100_000 => Mode::File,
        0o120_000 => Mode::Link,
        _ => Mode::Other,
    };
    let (id, rest) = rest.split_at_checked(length)?;
    Some((Entry { mode, name: &head[space + 1..], id: Id::from_bytes(id)? }, rest))
}
