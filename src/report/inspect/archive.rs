//! Files in a zip archive, compressed with deflate: the little of the format that a log needs.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// The version of the format that a reader needs for deflate.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// 1 January 1980, the first date of the format: the same run gives the same bytes.
const DATE: u16 = 0x21;

/// An archive that is being written.
pub(super) struct Archive<W: Write> {
    to: W,
    at: u32,
    /// The central directory so far, and the number of its entries.
    directory: Vec<u8>,
    entries: u16,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(to: W) -> Archive<W> {
        Archive { to, at: 0, directory: Vec::new(), entries: 0 }
    }

    pub(super) fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut crc = Crc::new();
        crc.update(content);
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(content)?;
        let packed = packer.finish()?;
        let mut facts = Vec::new();
        for number in [VERSION, UTF8, DEFLATE, 0, DATE] {
            facts.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), size(packed.len())?, size(content.len())?] {
            facts.extend(number.to_le_bytes());
        }
        let length = u16::try_from(name.len()).map_err(|_| too_large())?;
        facts.extend(length.to_le_bytes());
        facts.extend(0_u16.to_le_bytes());
        let from = self.at;
        self.put(b"PK\x03\x04")?;
        self.put(&facts)?;
        self.put(name.as_bytes())?;
        self.put(&packed)?;
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&facts);
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(from.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.entries = self.entries.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        let (from, length) = (self.at, size(self.directory.len())?);
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        let mut end = b"PK\x05\x06\0\0\0\0".to_vec();
        end.extend(self.entries.to_le_bytes());
        end.extend(self.entries.to_le_bytes());
        end.extend(length.to_le_bytes());
        end.extend(from.to_le_bytes());
        end.extend([0; 2]);
        self.put(&end)?;
        Ok(self.to)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at = self.at.checked_add(size(bytes.len())?).ok_or_else(too_large)?;
        self.to.write_all(bytes)
    }
}

fn size(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "a log holds at most 65,000 dialogues and 4 GiB; export smaller runs",
    )
}
