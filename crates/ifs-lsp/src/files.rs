//! The files that the compiler sees: those of the folder, with the texts of open buffers in their place.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types as lsp;

use crate::text::{Encoding, Lines};
use ifs_base::world::{FolderWorld, ReadError, World};
use ifs_model::LIBRARY;

/// The texts of open buffers by path.
#[derive(Clone, Default)]
pub(crate) struct Buffers {
    open: BTreeMap<PathBuf, Buffer>,
}

#[derive(Clone)]
pub(crate) struct Buffer {
    pub text: Arc<String>,
    pub version: i32,
}

impl Buffers {
    pub fn open(&mut self, path: PathBuf, text: String, version: i32) {
        self.open.insert(path, Buffer { text: Arc::new(text), version });
    }

    pub fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    pub fn get(&self, path: &Path) -> Option<&Buffer> {
        self.open.get(path)
    }

    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    /// Applies the edits of one notification, each to the result of the one before it.
    pub fn edit(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        use lsp::TextDocumentContentChangeEvent as Change;

        let Some(buffer) = self.open.get_mut(path) else { return };
        buffer.version = version;
        let text = Arc::make_mut(&mut buffer.text);
        for change in changes {
            match change {
                Change::TextDocumentContentChangePartial(part) => {
                    let bytes = Lines::new(text, encoding).bytes(part.range);
                    text.replace_range(bytes, &part.text);
                }
                Change::TextDocumentContentChangeWholeDocument(complete) => *text = complete.text,
            }
        }
    }

    /// The text of a file as the compiler reads it.
    pub fn text(&self, path: &Path) -> Option<Arc<String>> {
        if let Some(buffer) = self.open.get(path) {
            return Some(Arc::clone(&buffer.text));
        }
        let most = ifs_base::world::MAX_FILE_BYTES;
        ifs_base::world::read_text(path, most).ok().map(Arc::new)
    }
}

/// A folder in which open buffers take the place of their files.
pub(crate) struct OverlayWorld<'b> {
    folder: PathBuf,
    files: Option<FolderWorld>,
    buffers: &'b Buffers,
}

impl<'b> OverlayWorld<'b> {
    pub fn new(folder: &Path, buffers: &'b Buffers) -> OverlayWorld<'b> {
        // A folder that does not exist may have buffers.
        OverlayWorld { folder: folder.to_owned(), files: FolderWorld::new(folder).ok(), buffers }
    }
}

impl World for OverlayWorld<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, ReadError> {
        if let Some(buffer) = self.buffers.get(&normal(&self.folder.join(name))) {
            return Ok(buffer.text.as_bytes().to_vec());
        }
        self.files.as_ref().map_or(Err(ReadError::Missing), |files| files.read(name))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, ReadError> {
        let inside = normal(&self.folder.join(folder));
        let listed = self.files.as_ref().map_or(Err(ReadError::Missing), |it| it.list(folder));
        let buffers = self.buffers.paths().filter(|path| path.parent() == Some(&inside));
        let names = buffers.filter_map(|path| path.file_name()?.to_str().map(str::to_owned));
        let mut names: Vec<String> = names.chain(listed.clone().unwrap_or_default()).collect();
        names.sort();
        names.dedup();
        if names.is_empty() { listed } else { Ok(names) }
    }
}

/// A path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => _ = result.pop(),
            other => result.push(other),
        }
    }
    result
}

/// The path of a URI. Buffers without a file, as in `untitled:1`, have a path that does not exist.
pub(crate) fn path_of(uri: &lsp::Uri) -> PathBuf {
    let Some(rest) = uri.0.strip_prefix("file://") else { return PathBuf::from(&uri.0) };
    let mut bytes = Vec::with_capacity(rest.len());
    let mut letters = rest.bytes();
    while let Some(byte) = letters.next() {
        let hex = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let mut ahead = letters.clone();
        match (byte, hex(ahead.next()), hex(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                letters = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    // `file:///c:/a.ifs` is `c:/a.ifs`.
    let drive = text.as_bytes().get(2) == Some(&b':');
    normal(Path::new(if drive { &text[1..] } else { &text }))
}

pub(crate) fn uri_of(path: &Path) -> lsp::Uri {
    let text = path.to_string_lossy().replace('\\', "/");
    if !path.is_absolute() {
        return lsp::Uri(text);
    }
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    lsp::Uri(uri)
}

/// The folder for the modules of the library, which are part of the program and have no files.
fn library_folder() -> PathBuf {
    std::env::temp_dir().join(concat!("ifs-std-", env!("CARGO_PKG_VERSION")))
}

/// The module of the library that a path shows.
pub(crate) fn library_module(path: &Path) -> Option<&'static str> {
    let name = path.strip_prefix(library_folder()).ok()?.to_str()?.strip_suffix(".ifs")?;
    LIBRARY.iter().map(|(module, _)| *module).find(|module| *module == name)
}

/// A file with the text of a module, for an editor to show. It cannot be written.
pub(crate) fn library_path(module: &str) -> Option<PathBuf> {
    let (_, text) = LIBRARY.iter().find(|(name, _)| *name == module)?;
    let path = library_folder().join(format!("{module}.ifs"));
    if std::fs::read_to_string(&path).ok().as_deref() != Some(*text) {
        std::fs::create_dir_all(library_folder()).ok()?;
        ifs_base::replace::write_named(&path, text.as_bytes()).ok()?;
        let mut rights = std::fs::metadata(&path).ok()?.permissions();
        rights.set_readonly(true);
        std::fs::set_permissions(&path, rights).ok()?;
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris() {
        let path = Path::new("/a b/ü%20.ifs");
        let uri = uri_of(path);
        assert_eq!(uri.0, "file:///a%20b/%C3%BC%2520.ifs");
        assert_eq!(path_of(&uri), path);
        assert_eq!(path_of(&lsp::Uri("file:///a/../b%2".to_owned())), Path::new("/b%2"));
        assert_eq!(path_of(&lsp::Uri("file:///c%3A/a.ifs".to_owned())), Path::new("c:/a.ifs"));
        let untitled = lsp::Uri("untitled:1".to_owned());
        assert_eq!(uri_of(&path_of(&untitled)), untitled);
    }

    #[test]
    fn buffers_take_the_place_of_files() {
        let mut buffers = Buffers::default();
        buffers.open(PathBuf::from("/nowhere/a/b.ifs"), "ifs 1\n".to_owned(), 1);
        let world = OverlayWorld::new(Path::new("/nowhere"), &buffers);
        assert_eq!(world.read("a/./b.ifs"), Ok(b"ifs 1\n".to_vec()));
        assert_eq!(world.list("a"), Ok(vec!["b.ifs".to_owned()]));
        assert_eq!(world.read("c.ifs"), Err(ReadError::Missing));
        let library = library_path("evolif").unwrap();
        assert_eq!(library_module(&library), Some("evolif"));
        assert_eq!(library_module(Path::new("/nowhere/evolif.ifs")), None);
    }
}
