//! Transcripts in the order of the selection, whichever dialogue ends first. They are written to a
//! draft, which replaces the file at the end. Transcripts that have to wait are stored in a
//! separate file, so that memory use stays small.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::folder::draft;
use ifs_base::replace;

pub struct Ordered {
    out: BufWriter<File>,
    draft: PathBuf,
    place: PathBuf,
    hasher: blake3::Hasher,
    /// The index of the next transcript to be written.
    wanted: usize,
    early: File,
    early_path: PathBuf,
    early_length: u64,
    /// The offset and length of waiting lines, by index.
    waiting: BTreeMap<usize, (u64, usize)>,
}

/// All lines, in a file that does not have its final name yet.
pub struct OrderedFile {
    file: File,
    draft: PathBuf,
    place: PathBuf,
    /// The hash of all lines.
    pub hash: String,
}

impl OrderedFile {
    pub fn settle(self) -> Result<(), std::io::Error> {
        replace::commit(&self.file, &self.draft, &self.place)
    }
}

impl Ordered {
    pub fn create(folder: &Path, name: &str) -> Result<Ordered, std::io::Error> {
        let early_path = folder.join(format!("{name}.early"));
        let draft = folder.join(draft(name));
        Ok(Ordered {
            early: replace::fresh(&early_path)?,
            out: BufWriter::new(replace::fresh(&draft)?),
            draft,
            place: folder.join(name),
            hasher: blake3::Hasher::new(),
            wanted: 0,
            early_path,
            early_length: 0,
            waiting: BTreeMap::new(),
        })
    }

    pub fn write(&mut self, at: usize, line: &str) -> Result<(), std::io::Error> {
        if at != self.wanted {
            self.early.seek(SeekFrom::Start(self.early_length))?;
            self.early.write_all(line.as_bytes())?;
            self.waiting.insert(at, (self.early_length, line.len()));
            self.early_length += line.len() as u64;
            return Ok(());
        }
        self.write_line(line.as_bytes())?;
        self.wanted += 1;
        while let Some(place) = self.waiting.remove(&self.wanted) {
            self.copy(place)?;
            self.wanted += 1;
        }
        self.out.flush()
    }

    /// After an early stop there may be gaps; transcripts after them are written too.
    pub fn finish(mut self) -> Result<OrderedFile, std::io::Error> {
        for place in std::mem::take(&mut self.waiting).into_values() {
            self.copy(place)?;
        }
        let Ordered { out, draft, place, hasher, early_path, .. } = self;
        let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        std::fs::remove_file(early_path)?;
        Ok(OrderedFile { file, draft, place, hash: hasher.finalize().to_hex().to_string() })
    }

    fn copy(&mut self, (from, length): (u64, usize)) -> Result<(), std::io::Error> {
        let mut line = vec![0; length];
        self.early.seek(SeekFrom::Start(from))?;
        self.early.read_exact(&mut line)?;
        self.write_line(&line)
    }

    fn write_line(&mut self, line: &[u8]) -> Result<(), std::io::Error> {
        self.hasher.update(line).update(b"\n");
        self.out.write_all(line)?;
        self.out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_order_is_input_order() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("lines.jsonl");
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 4, 2, 3]] {
            let mut ordered = Ordered::create(folder.path(), "lines.jsonl").unwrap();
            for at in order {
                ordered.write(at, &format!("line {at}")).unwrap();
            }
            ordered.finish().unwrap().settle().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text, "line 0\nline 1\nline 2\nline 3\nline 4\n");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside");
    }

    #[test]
    fn block_gaps_collapse() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("lines.jsonl");
        let mut ordered = Ordered::create(folder.path(), "lines.jsonl").unwrap();
        for at in [5, 0, 3] {
            ordered.write(at, &at.to_string()).unwrap();
        }
        ordered.finish().unwrap().settle().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "0\n3\n5\n");
    }
}
