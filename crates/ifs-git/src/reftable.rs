//! Reftables: references in binary files, a table for each change, which git can keep instead of loose
//! and packed ones.

use std::path::Path;

use crate::disk::Disk;
use crate::pack::{distance, number};
use crate::refs::{MAX_LIST_BYTES, RefTarget};
use crate::{Error, Id, MAX_POINTER_BYTES};

/// The tables below a folder, the newest first; `None` if its references are in files.
pub(crate) fn tables(disk: &Disk, base: &Path) -> Result<Option<Vec<Vec<u8>>>, Error> {
    let folder = base.join("reftable");
    let path = folder.join("tables.list");
    let Some(list) = disk.read(&path, MAX_POINTER_BYTES)? else { return Ok(None) };
    let damaged = || Error::Damaged(format!("`{}`", path.display()));
    let list = String::from_utf8(list).map_err(|_| damaged())?;
    let mut tables = Vec::new();
    for name in list.lines().rev() {
        let is_plain = name.ends_with(".ref") && !name.contains(['/', '\\', ':']);
        let table = match is_plain {
            true => disk.read(&folder.join(name), MAX_LIST_BYTES)?,
            false => None,
        };
        tables.push(table.ok_or_else(damaged)?);
    }
    Ok(Some(tables))
}

/// What a reference has in the newest table that knows it.
pub(crate) fn value(
    disk: &Disk,
    tables: &[Vec<u8>],
    name: &str,
) -> Result<Option<RefTarget>, Error> {
    for table in tables {
        disk.spend(table.len() as u64)?;
        let record = record(table, name.as_bytes());
        match record.ok_or_else(|| Error::Damaged("a table of references".to_owned()))? {
            TableRecord::Absent => {}
            TableRecord::Deleted => return Ok(None),
            TableRecord::Present(value) => return Ok(Some(value)),
        }
    }
    Ok(None)
}

enum TableRecord {
    Absent,
    Deleted,
    Present(RefTarget),
}

/// The record of a name in a table; `None` if the table is damaged.
fn record(table: &[u8], name: &[u8]) -> Option<TableRecord> {
    let (header, footer, length) = match table.get(..28)? {
        [b'R', b'E', b'F', b'T', 1, ..] => (24, 68, 20),
        [b'R', b'E', b'F', b'T', 2, .., b's', b'h', b'a', b'1'] => (28, 72, 20),
        [b'R', b'E', b'F', b'T', 2, .., b's', b'2', b'5', b'6'] => (28, 72, 32),
        _ => return None,
    };
    let block_size = number(&table[5..8]) as usize;
    let end = table.len().checked_sub(footer)?;
    // The first block includes the header of the file.
    let (mut start, mut head) = (0, header);
    while start + head < end && table[start + head] == b'r' {
        let size = number(table.get(start + head + 1..start + head + 4)?) as usize;
        let block = table.get(start..start + size)?;
        // After the records: three bytes for each place to start from, and their number.
        let restarts = number(block.get(size.checked_sub(2)?..)?) as usize;
        let records = block.get(head + 4..size.checked_sub(2 + 3 * restarts)?)?;
        match search(records, name, length)? {
            TableRecord::Absent => {}
            other => return Some(other),
        }
        // Blocks are filled up to their size, except the last of a kind.
        let is_filled = size < block_size && table.get(start + size) == Some(&0);
        start += if is_filled { block_size } else { size };
        head = 0;
    }
    Some(TableRecord::Absent)
}

fn search(mut records: &[u8], name: &[u8], length: usize) -> Option<TableRecord> {
    let mut key = Vec::new();
    while !records.is_empty() {
        let mut varint = || distance(|| records.split_off_first().copied().ok_or(())).ok();
        let (shared, rest) = (varint()?, varint()?);
        let (rest, form) = (usize::try_from(rest >> 3).ok()?, rest & 7);
        key.truncate(usize::try_from(shared).ok()?);
        key.extend_from_slice(records.split_off(..rest)?);
        let mut varint = || distance(|| records.split_off_first().copied().ok_or(())).ok();
        let _update = varint()?;
        let record = match form {
            0 => TableRecord::Deleted,
            1 | 2 => {
                let id = Id::from_bytes(records.split_off(..length)?)?;
                // An annotated tag is followed by the commit that it names.
                records.split_off(..if form == 2 { length } else { 0 })?;
                TableRecord::Present(RefTarget::Commit(id))
            }
            3 => {
                let size = usize::try_from(varint()?).ok()?;
                let target = String::from_utf8(records.split_off(..size)?.to_vec()).ok()?;
                TableRecord::Present(RefTarget::Symbolic(target))
            }
            _ => return None,
        };
        if key == name {
            return Some(record);
        }
    }
    Some(TableRecord::Absent)
}
