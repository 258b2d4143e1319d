//! JSON Lines and other line-based files, plain or compressed. The file extension determines the
//! compression; `-` is standard input or output.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use ifs_base::replace::Draft;
use ifs_base::world::{self, MAX_FILE_BYTES};

/// The size of a buffer, in bytes.
const BUFFER_BYTES: usize = 256 << 10;

/// The maximum length of a line, in bytes; the limit for files of scenarios.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 20;

/// The number of bytes to skip to find the next one.
const MAX_SKIPPED_BYTES: u64 = 512 << 20;

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// Lines of a file.
pub(crate) struct FileLines {
    from: Box<dyn BufRead + Send>,
    read: u64,
}

/// A line, or a marker for a line that is too long.
pub(crate) enum FileLine {
    Whole(Vec<u8>),
    TooLong,
}

/// The decompressed content of a file.
pub(crate) fn unpacked(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let plain: Box<dyn Read + Send> =
        if is_pipe(path) { Box::new(io::stdin()) } else { Box::new(world::open(path)?) };
    Ok(if ends_in(path, "gz") {
        let decoder = MultiGzDecoder::new(BufReader::with_capacity(BUFFER_BYTES, plain));
        Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
    } else if ends_in(path, "zst") {
        let frames =
            Frames { from: Some(BufReader::with_capacity(BUFFER_BYTES, plain)), frame: None };
        Box::new(BufReader::with_capacity(BUFFER_BYTES, frames))
    } else {
        Box::new(BufReader::with_capacity(BUFFER_BYTES, plain))
    })
}

/// The file itself, unless it is standard input, a pipe or compressed.
#[cfg(feature = "arrow")]
pub(crate) fn plain(path: &Path) -> Option<io::Result<std::fs::File>> {
    if is_pipe(path) || ends_in(path, "gz") || ends_in(path, "zst") {
        return None;
    }
    match world::open(path) {
        Ok(file) if file.metadata().is_ok_and(|facts| facts.is_file()) => Some(Ok(file)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    }
}

/// The decompressed content of a file, up to the limit of a scenario.
pub(crate) fn read_decompressed(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = format!("it has more than {} MiB", MAX_FILE_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

impl FileLines {
    pub fn open(path: &Path) -> io::Result<FileLines> {
        Ok(FileLines { from: unpacked(path)?, read: 0 })
    }

    /// The number of lines so far.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// The next line without its end; `None` after the last.
    pub fn next_line(&mut self) -> io::Result<Option<FileLine>> {
        let mut line = Vec::new();
        let limit = MAX_LINE_BYTES as u64 + 1;
        if (&mut self.from).take(limit).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        self.read += 1;
        if line.last() == Some(&b'\n') {
            line.pop();
            if line.last() == Some(&b'\r') {
                line.pop();
            }
        } else if line.len() > MAX_LINE_BYTES {
            drop(line);
            // An endless device has no next line.
            let mut rest = (&mut self.from).take(MAX_SKIPPED_BYTES);
            let skipped = rest.skip_until(b'\n')? as u64;
            if skipped == MAX_SKIPPED_BYTES {
                let message = format!(
                    "line {} has more than {} MiB: this is not a file of lines",
                    self.read,
                    MAX_SKIPPED_BYTES >> 20
                );
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            return Ok(Some(FileLine::TooLong));
        }
        Ok(Some(FileLine::Whole(line)))
    }
}

type PlainReader = BufReader<Box<dyn Read + Send>>;

/// Concatenated Zstandard frames.
struct Frames {
    from: Option<PlainReader>,
    frame: Option<Box<StreamingDecoder<PlainReader, ruzstd::decoding::FrameDecoder>>>,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let count = frame.read(into)?;
                if count > 0 || into.is_empty() {
                    return Ok(count);
                }
                self.from = self.frame.take().map(|frame| frame.into_inner());
            }
            let Some(mut from) = self.from.take() else { return Ok(0) };
            if from.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new(from)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
            self.frame = Some(Box::new(frame));
        }
    }
}

type Out = io::BufWriter<Draft>;

/// The output for lines. The file gets its name after the last line.
pub(crate) enum Sink {
    Plain(Out),
    Gzip(GzEncoder<Out>),
    /// Each full buffer becomes a frame.
    Zstd(Out, Vec<u8>),
}

impl Sink {
    pub fn create(path: &Path) -> io::Result<Sink> {
        let plain = io::BufWriter::with_capacity(BUFFER_BYTES, Draft::for_named_file(path)?);
        Ok(if ends_in(path, "gz") {
            // The header contains neither a time nor a name, so the same lines give the same bytes.
            Sink::Gzip(GzEncoder::new(plain, Compression::default()))
        } else if ends_in(path, "zst") {
            Sink::Zstd(plain, Vec::new())
        } else {
            Sink::Plain(plain)
        })
    }

    pub fn write(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Sink::Plain(to) => to.write_all(text),
            Sink::Gzip(to) => to.write_all(text),
            Sink::Zstd(to, buffer) => {
                buffer.extend_from_slice(text);
                if buffer.len() >= BUFFER_BYTES * 4 { frame(to, buffer) } else { Ok(()) }
            }
        }
    }

    pub fn finish(self) -> io::Result<()> {
        let whole = match self {
            Sink::Plain(to) => to,
            Sink::Gzip(to) => to.finish()?,
            Sink::Zstd(mut to, mut buffer) => {
                frame(&mut to, &mut buffer)?;
                to
            }
        };
        whole.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
    }
}

fn frame(to: &mut Out, buffer: &mut Vec<u8>) -> io::Result<()> {
    let packed = compress_to_vec(buffer.as_slice(), CompressionLevel::Fastest);
    buffer.clear();
    to.write_all(&packed)
}
