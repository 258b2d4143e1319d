//! Packs: many objects in a file, some as changes to others, and an index by id.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use flate2::bufread::ZlibDecoder;

use crate::Error;
use crate::disk::{ACCESS_BYTES, Disk, unreadable};
use crate::id::Id;
use crate::object::{Object, ObjectKind, check_size, compressed_limit, inflate};
use crate::store::damaged;

/// How many changes lie between an object and a complete one. Git itself makes at most so many.
const MAX_DELTAS: usize = 4095;

/// Copying costs less than inflating: this many copied bytes count as one.
const COPIES_FOR_WORK: u64 = 4;

/// A byte of a change can be a step of its own, which costs more than the byte.
const WORK_FOR_STEP: u64 = 4;

pub(crate) struct Pack {
    index: PathBuf,
    data: PathBuf,
    /// The size of the index.
    bytes: u64,
    /// How many ids begin with at most this byte.
    fanout: Vec<u32>,
}

const HEADER_BYTES: u64 = 8;
const FANOUT_BYTES: u64 = 4 * 256;

/// What is at a place in a pack.
enum Content {
    Complete(ObjectKind),
    Change(u64),
}

struct Item {
    content: Content,
    /// The inflated size.
    size: u64,
    /// Where the compressed bytes begin.
    start: u64,
}

impl Pack {
    /// `None` if the index is of another version: the first went out of use in 2008.
    pub fn open(disk: &Disk, index: PathBuf, data: PathBuf) -> Result<Option<Pack>, Error> {
        let Some((file, bytes)) = disk.open(&index)? else { return Ok(None) };
        let mut head = Vec::new();
        file.take(HEADER_BYTES + FANOUT_BYTES)
            .read_to_end(&mut head)
            .map_err(|error| unreadable(&index, &error))?;
        let Some(counts) = head.strip_prefix(b"\xfftOc\0\0\0\x02") else { return Ok(None) };
        let fanout: Vec<u32> = counts.chunks_exact(4).map(|four| number(four) as u32).collect();
        if fanout.len() != 256 || !fanout.is_sorted() {
            return Err(Error::Damaged(index.display().to_string()));
        }
        Ok(Some(Pack { index, data, bytes, fanout }))
    }

    fn damaged(&self) -> Error {
        Error::Damaged(self.index.display().to_string())
    }

    fn count(&self) -> u64 {
        self.fanout[255].into()
    }

    /// The index, if it is as long as its number of objects demands.
    fn open_index(&self, disk: &Disk, length: usize) -> Result<File, Error> {
        let needed = HEADER_BYTES + FANOUT_BYTES + self.count() * (length as u64 + 8);
        if self.bytes < needed {
            return Err(self.damaged());
        }
        disk.open(&self.index)?.map(|(file, _)| file).ok_or_else(|| self.damaged())
    }

    fn read_at(&self, file: &mut File, offset: u64, length: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; length];
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|_| self.damaged())?;
        Ok(bytes)
    }

    fn id(&self, file: &mut File, place: u64, length: usize) -> Result<Id, Error> {
        let offset = HEADER_BYTES + FANOUT_BYTES + place * length as u64;
        let bytes = self.read_at(file, offset, length)?;
        Id::from_bytes(&bytes).ok_or_else(|| self.damaged())
    }

    /// The place of the first id that is not less than this one.
    fn place(&self, file: &mut File, id: &Id) -> Result<u64, Error> {
        let first = usize::from(id.as_bytes()[0]);
        let mut from = if first == 0 { 0 } else { u64::from(self.fanout[first - 1]) };
        let mut to = u64::from(self.fanout[first]);
        while from < to {
            let middle = from + (to - from) / 2;
            match self.id(file, middle, id.length())? < *id {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        Ok(from)
    }

    /// Where an object is in the pack.
    pub fn find(&self, disk: &Disk, id: &Id) -> Result<Option<u64>, Error> {
        let length = id.length();
        let mut file = self.open_index(disk, length)?;
        let place = self.place(&mut file, id)?;
        if place >= self.count() || self.id(&mut file, place, length)? != *id {
            return Ok(None);
        }
        // After the ids: a checksum of four bytes for each object, then the offsets.
        let offsets = HEADER_BYTES + FANOUT_BYTES + self.count() * (length as u64 + 4);
        let offset = number(&self.read_at(&mut file, offsets + 4 * place, 4)?);
        const LARGE: u64 = 1 << 31;
        if offset < LARGE {
            return Ok(Some(offset));
        }
        let large = offsets + 4 * self.count() + 8 * (offset - LARGE);
        Ok(Some(number(&self.read_at(&mut file, large, 8)?)))
    }

    /// The ids from this one on that begin with its digits.
    pub fn beginning(
        &self,
        disk: &Disk,
        start: &Id,
        digits: &str,
        most: usize,
    ) -> Result<Vec<Id>, Error> {
        let mut file = self.open_index(disk, start.length())?;
        let mut ids = Vec::new();
        for place in self.place(&mut file, start)?..self.count() {
            let id = self.id(&mut file, place, start.length())?;
            if ids.len() == most || !id.to_string().starts_with(digits) {
                break;
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// The object at a place: a complete one, and the changes from it to this one.
    pub fn object(&self, disk: &Disk, id: &Id, offset: u64) -> Result<Object, Error> {
        let Some((mut file, bytes)) = disk.open(&self.data)? else {
            return Err(Error::NoObject(*id));
        };
        let mut changes = Vec::new();
        let mut place = offset;
        let (kind, mut content) = loop {
            if place >= bytes {
                return Err(damaged(id));
            }
            let item = self.item(disk, &mut file, id, place)?;
            check_size(id, item.size)?;
            match item.content {
                Content::Complete(kind) => break (kind, self.inflate(disk, &mut file, id, &item)?),
                Content::Change(_) if changes.len() == MAX_DELTAS => return Err(damaged(id)),
                Content::Change(base) => place = base,
            }
            changes.push(item);
        };
        for item in changes.iter().rev() {
            let change = self.inflate(disk, &mut file, id, item)?;
            content = apply(disk, id, &content, &change)?;
        }
        Ok(Object { kind, content })
    }

    fn item(&self, disk: &Disk, file: &mut File, id: &Id, place: u64) -> Result<Item, Error> {
        disk.spend(ACCESS_BYTES / 16)?;
        // A size of ten bytes, and an id or a distance.
        const MAX_HEADER_BYTES: u64 = 10 + 32;
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(place))
            .and_then(|_| file.by_ref().take(MAX_HEADER_BYTES).read_to_end(&mut head))
            .map_err(|_| damaged(id))?;
        let mut head = head.iter().copied();
        let mut read = 0;
        let mut next = || {
            read += 1;
            head.next().ok_or_else(|| damaged(id))
        };
        let mut byte = next()?;
        let kind = byte >> 4 & 7;
        let mut size = u64::from(byte & 15);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = next()?;
            if shift > 53 {
                return Err(damaged(id));
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let content = match kind {
            1 => Content::Complete(ObjectKind::Commit),
            2 => Content::Complete(ObjectKind::Tree),
            3 => Content::Complete(ObjectKind::Blob),
            4 => Content::Complete(ObjectKind::Tag),
            // The base is this far before it.
            6 => {
                let distance = distance(&mut next)?;
                let base = place.checked_sub(distance).filter(|base| *base < place);
                Content::Change(base.ok_or_else(|| damaged(id))?)
            }
            // The base has this id.
            7 => {
                let base: Vec<u8> = (0..id.length()).map(|_| next()).collect::<Result<_, _>>()?;
                let base = Id::from_bytes(&base).ok_or_else(|| damaged(id))?;
                Content::Change(self.find(disk, &base)?.ok_or(Error::NoObject(base))?)
            }
            _ => return Err(damaged(id)),
        };
        Ok(Item { content, size, start: place + read })
    }

    fn inflate(
        &self,
        disk: &Disk,
        file: &mut File,
        id: &Id,
        item: &Item,
    ) -> Result<Vec<u8>, Error> {
        file.seek(SeekFrom::Start(item.start)).map_err(|_| damaged(id))?;
        let input = BufReader::new(file.by_ref().take(compressed_limit(item.size)));
        inflate(disk, &mut ZlibDecoder::new(input), item.size)?.ok_or_else(|| damaged(id))
    }
}

/// A number whose first byte is the highest.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A number of seven bits a byte, without two ways to write it. Reftables use it, too.
pub(crate) fn distance<E>(mut next: impl FnMut() -> Result<u8, E>) -> Result<u64, E> {
    let mut byte = next()?;
    let mut number = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next()?;
        number = number.wrapping_add(1) << 7 | u64::from(byte & 0x7f);
    }
    Ok(number)
}

/// Makes an object of another one.
fn apply(disk: &Disk, id: &Id, base: &[u8], change: &[u8]) -> Result<Vec<u8>, Error> {
    let mut steps = change;
    let (Some(old_size), Some(new_size)) = (size(&mut steps), size(&mut steps)) else {
        return Err(damaged(id));
    };
    check_size(id, new_size)?;
    if old_size != base.len() as u64 {
        return Err(damaged(id));
    }
    disk.spend(new_size / COPIES_FOR_WORK + change.len() as u64 * WORK_FOR_STEP)?;
    rebuild(base, steps, new_size).ok_or_else(|| damaged(id))
}

/// A size at the beginning of a change, the lowest bits first.
fn size(steps: &mut &[u8]) -> Option<u64> {
    let (mut size, mut shift) = (0, 0);
    loop {
        let byte = *steps.split_off_first().filter(|_| shift < 63)?;
        size |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
}

/// Follows the steps of a change: parts that are copied from the base, and bytes that are new.
fn rebuild(base: &[u8], mut steps: &[u8], size: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    while let Some(step) = steps.split_off_first() {
        let part = if step & 0x80 == 0 {
            let length = usize::from(*step);
            steps.split_off(..length).filter(|_| length > 0)?
        } else {
            // The bits say which bytes of the offset and of the length are given.
            let mut given = [0_u8; 8];
            for (bit, byte) in given.iter_mut().take(7).enumerate() {
                if step >> bit & 1 == 1 {
                    *byte = *steps.split_off_first()?;
                }
            }
            let [offset, length] = [&given[..4], &given[4..]]
                .map(|four| four.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte)));
            let length = if length == 0 { 0x10000 } else { length };
            base.get(offset..offset.checked_add(length)?)?
        };
        content.extend_from_slice(part);
        if content.len() as u64 > size {
            return None;
        }
    }
    (content.len() as u64 == size).then_some(content)
}
