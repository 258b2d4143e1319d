//! Files in a zip archive, compressed with deflate: the little of the format that a log needs. More
//! than 65,535 files or 4 GiB take its extension zip64 (APPNOTE.TXT, 4.3.14, 4.3.15 and 4.5.3).

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// The version of the format that a reader needs for deflate.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8_FLAG: u16 = 1 << 11;
const DEFLATE: u16 = 8;
/// The version of the format that a reader needs for zip64.
const ZIP64_VERSION: u16 = 45;
/// The values that say: see zip64.
const ZIP64_MARKER: u16 = u16::MAX;
const ZIP64_POSITION: u32 = u32::MAX;
/// 1 January 1980, the first date of the format: the same run gives the same bytes.
const DOS_EPOCH_DATE: u16 = 0x21;

/// An archive that is being written.
pub(super) struct Archive<W: Write> {
    to: W,
    at: u64,
    /// The central directory so far, and the number of its entries.
    directory: Vec<u8>,
    entries: u64,
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
        for number in [VERSION, UTF8_FLAG, DEFLATE, 0, DOS_EPOCH_DATE] {
            facts.extend(number.to_le_bytes());
        }
        for number in [crc.sum(), size(packed.len())?, size(content.len())?] {
            facts.extend(number.to_le_bytes());
        }
        let length = u16::try_from(name.len()).map_err(|_| too_large())?;
        facts.extend(length.to_le_bytes());
        let from = self.at;
        self.write_bytes(b"PK\x03\x04")?;
        self.write_bytes(&facts)?;
        self.write_bytes(&0_u16.to_le_bytes())?;
        self.write_bytes(name.as_bytes())?;
        self.write_bytes(&packed)?;
        // The position, where it does not fit into its field.
        let near = u32::try_from(from).ok().filter(|from| *from != ZIP64_POSITION);
        let mut extra = Vec::new();
        if near.is_none() {
            extra.extend([1, 0, 8, 0]);
            extra.extend(from.to_le_bytes());
        }
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(if extra.is_empty() { VERSION } else { ZIP64_VERSION }.to_le_bytes());
        self.directory.extend(&facts);
        self.directory.extend((extra.len() as u16).to_le_bytes());
        // No comment, the first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(near.unwrap_or(ZIP64_POSITION).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.directory.extend(extra);
        self.entries += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<W> {
        let directory = std::mem::take(&mut self.directory);
        let (from, length) = (self.at, directory.len() as u64);
        self.write_bytes(&directory)?;
        let entries = u16::try_from(self.entries).unwrap_or(ZIP64_MARKER);
        let [short_length, short_from] =
            [length, from].map(|number| u32::try_from(number).unwrap_or(ZIP64_POSITION));
        let mut end = Vec::new();
        if entries == ZIP64_MARKER || short_length == ZIP64_POSITION || short_from == ZIP64_POSITION
        {
            let at = self.at;
            end.extend(b"PK\x06\x06");
            // The length of the rest of the record.
            end.extend(44_u64.to_le_bytes());
            end.extend(ZIP64_VERSION.to_le_bytes());
            end.extend(ZIP64_VERSION.to_le_bytes());
            end.extend([0; 8]);
            for number in [self.entries, self.entries, length, from] {
                end.extend(number.to_le_bytes());
            }
            // Where the record is, on the only disk.
            end.extend(b"PK\x06\x07\0\0\0\0");
            end.extend(at.to_le_bytes());
            end.extend(1_u32.to_le_bytes());
        }
        end.extend(b"PK\x05\x06\0\0\0\0");
        end.extend(entries.to_le_bytes());
        end.extend(entries.to_le_bytes());
        end.extend(short_length.to_le_bytes());
        end.extend(short_from.to_le_bytes());
        end.extend([0; 2]);
        self.write_bytes(&end)?;
        Ok(self.to)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }
}

fn size(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        "a file of a log holds at most 4 GiB, and its name 65,535 bytes",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8], what: &[u8]) -> Option<usize> {
        bytes.windows(what.len()).position(|part| part == what)
    }

    fn number(bytes: &[u8], at: usize) -> u64 {
        let mut number = [0; 8];
        number.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(number)
    }

    #[test]
    fn small_archives_need_no_zip64_extension() -> io::Result<()> {
        let mut archive = Archive::new(Vec::new());
        archive.add("a.json", b"{}")?;
        let bytes = archive.finish()?;
        assert_eq!(found(&bytes, b"PK\x06\x06"), None);
        assert_eq!(bytes[bytes.len() - 14..bytes.len() - 10], [1, 0, 1, 0]);
        Ok(())
    }

    #[test]
    fn many_files_use_the_zip64_extension() -> io::Result<()> {
        let mut archive = Archive::new(Vec::new());
        for index in 0..65_536 {
            archive.add(&format!("{index}.json"), b"{}")?;
        }
        let bytes = archive.finish()?;
        let at = found(&bytes, b"PK\x06\x06").unwrap_or_default();
        assert_eq!((number(&bytes, at + 24), number(&bytes, at + 32)), (65_536, 65_536));
        // The directory ends where the record begins, and the locator says where that is.
        assert_eq!(number(&bytes, at + 40) + number(&bytes, at + 48), at as u64);
        let locator = found(&bytes, b"PK\x06\x07").unwrap_or_default();
        assert_eq!(number(&bytes, locator + 8), at as u64);
        Ok(())
    }

    /// As if five gigabytes had been written before.
    #[test]
    fn large_offsets_use_the_zip64_extension() -> io::Result<()> {
        const FIVE_GIBIBYTES: u64 = 5 << 30;
        let mut archive = Archive { at: FIVE_GIBIBYTES, ..Archive::new(Vec::new()) };
        archive.add("a.json", b"{}")?;
        let bytes = archive.finish()?;
        let at = found(&bytes, b"PK\x01\x02").unwrap_or_default();
        assert_eq!(bytes[at + 42..at + 46], [0xff; 4]);
        assert_eq!(bytes[at + 46..at + 56], *b"a.json\x01\0\x08\0");
        assert_eq!(number(&bytes, at + 56), FIVE_GIBIBYTES);
        let end = found(&bytes, b"PK\x06\x06").unwrap_or_default();
        assert_eq!(number(&bytes, end + 48), FIVE_GIBIBYTES + at as u64);
        Ok(())
    }
}
