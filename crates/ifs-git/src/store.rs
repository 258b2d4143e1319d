//! Objects: loose files and packs, here and in the folders that are named as alternates.

use std::cell::OnceCell;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use flate2::bufread::ZlibDecoder;

use crate::disk::Disk;
use crate::id::{Id, nibble};
use crate::object::{self, Object, ObjectKind, compressed_limit, inflate};
use crate::pack::Pack;
use crate::{Error, MAX_POINTER_BYTES, follow};

/// How many folders of objects are read.
const MAX_FOLDERS: usize = 32;

/// How many objects whose ids begin alike are compared.
const MAX_ALIKE: usize = 64;

pub(crate) struct Store {
    folders: Vec<PathBuf>,
    packs: OnceCell<Vec<Pack>>,
}

impl Store {
    pub fn open(disk: &Disk, objects: &Path) -> Result<Store, Error> {
        let mut folders = vec![objects.to_owned()];
        let mut place = 0;
        while let Some(folder) = folders.get(place).cloned() {
            let list = disk.read(&folder.join("info/alternates"), MAX_POINTER_BYTES)?;
            for line in list.unwrap_or_default().split(|byte| *byte == b'\n') {
                if line.is_empty() || line.starts_with(b"#") {
                    continue;
                }
                let alternate = follow(&folder, line)?;
                if !folders.contains(&alternate) && folders.len() < MAX_FOLDERS {
                    folders.push(alternate);
                }
            }
            place += 1;
        }
        Ok(Store { folders, packs: OnceCell::new() })
    }

    /// The object with an id. Its content has that hash.
    pub fn object(&self, disk: &Disk, id: &Id) -> Result<Object, Error> {
        let object = match self.loose(disk, id)? {
            Some(object) => object,
            None => self.packed(disk, id)?.ok_or(Error::NoObject(*id))?,
        };
        disk.spend(object.content.len() as u64 / 2)?;
        match Id::hash(object.kind, &object.content, id.length()) == *id {
            true => Ok(object),
            false => Err(damaged(id)),
        }
    }

    fn loose(&self, disk: &Disk, id: &Id) -> Result<Option<Object>, Error> {
        let digits = id.to_string();
        let (folder, name) = digits.split_at(2);
        for objects in &self.folders {
            let path = objects.join(folder).join(name);
            if let Some((file, _)) = disk.open(&path)? {
                // Enough for the header; more when the size is known.
                let input = BufReader::new(file.take(compressed_limit(0)));
                let mut input = ZlibDecoder::new(input);
                let (kind, size) = loose_header(&mut input).ok_or_else(|| damaged(id))?;
                object::check_size(id, size)?;
                input.get_mut().get_mut().set_limit(compressed_limit(size));
                let content = inflate(disk, &mut input, size)?.ok_or_else(|| damaged(id))?;
                return Ok(Some(Object { kind, content }));
            }
        }
        Ok(None)
    }

    fn packs(&self, disk: &Disk) -> Result<&[Pack], Error> {
        if let Some(packs) = self.packs.get() {
            return Ok(packs);
        }
        let mut packs = Vec::new();
        for objects in &self.folders {
            let folder = objects.join("pack");
            for name in disk.names(&folder)? {
                if let Some(stem) = name.strip_suffix(".idx") {
                    let data = folder.join(format!("{stem}.pack"));
                    packs.extend(Pack::open(disk, folder.join(&name), data)?);
                }
            }
        }
        Ok(self.packs.get_or_init(|| packs))
    }

    fn packed(&self, disk: &Disk, id: &Id) -> Result<Option<Object>, Error> {
        for pack in self.packs(disk)? {
            if let Some(offset) = pack.find(disk, id)? {
                return pack.object(disk, id, offset).map(Some);
            }
        }
        Ok(None)
    }

    /// The ids that begin with these hexadecimal digits, of which there are at least four.
    pub fn beginning(&self, disk: &Disk, digits: &str, length: usize) -> Result<Vec<Id>, Error> {
        let mut ids = Vec::new();
        let (folder, rest) = digits.split_at(2);
        for objects in &self.folders {
            for name in disk.names(&objects.join(folder))? {
                if name.starts_with(rest) {
                    ids.extend(Id::parse(format!("{folder}{name}").as_bytes()));
                }
            }
        }
        let mut start = vec![0; length];
        for (place, digit) in digits.bytes().enumerate() {
            let value = nibble(digit).unwrap_or_default();
            start[place / 2] |= if place % 2 == 0 { value << 4 } else { value };
        }
        if let Some(start) = Id::from_bytes(&start) {
            for pack in self.packs(disk)? {
                ids.extend(pack.beginning(disk, &start, digits, MAX_ALIKE)?);
            }
        }
        ids.sort();
        ids.dedup();
        ids.truncate(MAX_ALIKE);
        Ok(ids)
    }
}

/// `blob 12` and a zero byte.
fn loose_header(input: &mut impl std::io::Read) -> Option<(ObjectKind, u64)> {
    const MAX_HEADER_BYTES: usize = 32;
    let mut head = Vec::new();
    for _ in 0..MAX_HEADER_BYTES {
        let mut byte = [0];
        input.read_exact(&mut byte).ok()?;
        if byte == [0] {
            let space = head.iter().position(|byte| *byte == b' ')?;
            let size = std::str::from_utf8(&head[space + 1..]).ok()?.parse().ok()?;
            return Some((ObjectKind::parse(&head[..space])?, size));
        }
        head.extend(byte);
    }
    None
}

pub(crate) fn damaged(id: &Id) -> Error {
    Error::Damaged(format!("the object {id}"))
}
