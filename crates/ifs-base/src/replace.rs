//! Atomic file replacement: files are written to a temporary name and renamed. After a crash, or on
//! a full disk, the old or the new file exists, never a part of one.
//!
//! A draft is always a new file. If its name is taken, for example by a link, that entry is
//! removed; the target of the link is not changed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rand::Rng as _;

use ifs_value::random::unpredictable;

/// A new, empty file that can be read and written. An existing entry with its name is removed, and
/// links are not followed.
pub fn fresh(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options().read(true).write(true).create_new(true).open(path)
}

/// Syncs a draft and renames it to its place.
pub fn commit(draft: &File, from: &Path, place: &Path) -> io::Result<()> {
    draft.sync_data()?;
    fs::rename(from, place)?;
    sync_folder(place);
    Ok(())
}

/// Writes a file that ifs can regenerate, without waiting for the disk. A link with its name is
/// replaced, not followed.
pub fn write_again(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::next_to(path.to_owned())?;
    draft.write_all(bytes)?;
    match draft.names.take() {
        None => Ok(()),
        Some((from, place)) => fs::rename(&from, place).inspect_err(|_| {
            let _ = fs::remove_file(&from);
        }),
    }
}

/// Creates a folder and its parents, if they do not exist.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            io::Error::new(error.kind(), "it exists and is not a folder")
        }
        _ => error,
    })
}

/// Makes a new name in a folder durable, on systems that can sync a folder.
pub fn sync_folder(of: &Path) {
    let folder = of.parent().map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    if let Some(folder) = folder.and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// Writes a new file. An existing file with the same bytes is left unchanged.
///
/// # Errors
/// Fails with `AlreadyExists` if something else has the name.
pub fn write_new(place: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::symlink_metadata(place) {
        Ok(facts) if facts.is_file() && fs::read(place)? == bytes => Ok(()),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => write(place, bytes),
    }
}

/// Writes a file whose name is new: it has the name when all of it is on the disk, so a process that
/// is killed, or a full disk, leaves no part of it. A private one can be read by its owner alone.
///
/// # Errors
/// Fails with `AlreadyExists` if something has the name.
pub fn write_once(place: &Path, bytes: &[u8], is_private: bool) -> io::Result<()> {
    let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut name = OsString::from(name);
    name.push(".");
    name.push(draft_suffix());
    let draft = place.with_file_name(name);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    let mut file = options.open(&draft)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    // A second name never takes the place of what has it; some file systems have no second names.
    let named = written.and_then(|()| match fs::hard_link(&draft, place) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            match fs::symlink_metadata(place) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => fs::rename(&draft, place),
            }
        }
        other => other,
    });
    let _ = fs::remove_file(&draft);
    named?;
    sync_folder(place);
    Ok(())
}

/// Whether `name` is a draft of the file `of`, left by a process that was killed.
pub fn is_draft(name: &str, of: &str) -> bool {
    drafted(name) == Some(of)
}

/// Whether `name` is a draft of any file.
pub fn is_any_draft(name: &str) -> bool {
    drafted(name).is_some()
}

/// The name of the file that a draft is of.
fn drafted(name: &str) -> Option<&str> {
    let (of, number) = name.strip_suffix(".part")?.rsplit_once('.')?;
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (number.len() == 16 && number.bytes().all(is_digit)).then_some(of)
}

/// The suffix of a draft's name. The number is random: two processes that share
/// a folder may have the same process number, in containers or on two machines.
pub fn draft_suffix() -> String {
    format!("{:016x}.part", unpredictable().next_u64())
}

/// Writes an internal file. A link with its name is replaced, not followed.
pub fn write(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::next_to(place.to_owned())?;
    draft.write_all(bytes)?;
    draft.finish()
}

/// Writes a file that a user named. If it is a link, the target is written.
pub fn write_named(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut draft = Draft::for_named_file(path)?;
    draft.write_all(bytes)?;
    draft.finish()
}

/// A file that is being written. An unfinished one is removed.
pub struct Draft {
    file: File,
    /// The names of the draft and of the final file; `None` if the final file is written directly.
    names: Option<(PathBuf, PathBuf)>,
}

impl Draft {
    /// A draft in the same folder, under a name that no other process uses.
    pub fn next_to(place: PathBuf) -> io::Result<Draft> {
        let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut name = OsString::from(name);
        name.push(".");
        name.push(draft_suffix());
        let draft = place.with_file_name(name);
        let file = fresh(&draft)?;
        let made = Draft { file, names: Some((draft, place)) };
        if let Some((_, place)) = &made.names
            && let Ok(facts) = fs::metadata(place)
            && facts.is_file()
        {
            made.file.set_permissions(facts.permissions())?;
        }
        Ok(made)
    }

    /// A draft of a file that a user named. Terminals, pipes and devices are written directly, and
    /// a link is resolved to its target.
    pub fn for_named_file(path: &Path) -> io::Result<Draft> {
        let system = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
        match fs::metadata(path) {
            Ok(facts) if facts.is_file() && !system => Draft::next_to(fs::canonicalize(path)?),
            Ok(_) => Ok(Draft { file: File::options().write(true).open(path)?, names: None }),
            Err(_) => Draft::next_to(path.to_owned()),
        }
    }

    pub fn finish(mut self) -> io::Result<()> {
        let Some((draft, place)) = self.names.take() else { return self.file.flush() };
        let settled = commit(&self.file, &draft, &place);
        if settled.is_err() {
            let _ = fs::remove_file(&draft);
        }
        settled
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some((draft, _)) = &self.names {
            // If it cannot be removed, the remaining file is recognizable as a draft by its name.
            let _ = fs::remove_file(draft);
        }
    }
}

/// Whether two paths refer to the same file, through any path, symbolic link or hard link.
pub fn same_file(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (fs::metadata(one), fs::metadata(other)) else { return false };
    if !first.is_file() || !second.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (first.dev(), first.ino()) == (second.dev(), second.ino())
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_or_the_new_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = folder.path().join("a.txt");
        fs::write(&place, "old").unwrap();
        let mut draft = Draft::next_to(place.clone()).unwrap();
        draft.write_all(b"ne").unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "old");
        drop(draft);
        assert_eq!(names(folder.path()), ["a.txt"], "what was not finished is gone");
        write(&place, b"new").unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn existing_files_are_not_overwritten() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = folder.path().join("a.txt");
        write_new(&place, b"one").unwrap();
        write_new(&place, b"one").unwrap();
        let error = write_new(&place, b"two").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&place).unwrap(), "one");
    }

    #[test]
    fn files_that_are_written_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = folder.path().join("key");
        write_once(&place, b"one", true).unwrap();
        let error = write_once(&place, b"two", true).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&place).unwrap(), b"one");
        assert!(write_once(&folder.path().join("none/key"), b"one", true).is_err());
        assert_eq!(names(folder.path()), ["key"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn drafts_are_recognized_by_name() {
        let folder = tempfile::TempDir::new().unwrap();
        let draft = Draft::next_to(folder.path().join("a.txt")).unwrap();
        let [name] = names(folder.path()).try_into().unwrap();
        assert!(is_draft(&name, "a.txt") && !is_draft(&name, "a.tx") && !is_draft(&name, "b.txt"));
        drop(draft);
        for other in
            ["a.txt", "a.txt.part", "a.txt.0123456789abcde.part", "a.txt.0123456789abcdeg.part"]
        {
            assert!(!is_draft(other, "a.txt"), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn internal_links_are_replaced_and_user_links_followed() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("secret"), "secret").unwrap();
        symlink(at("secret"), at("draft")).unwrap();
        fresh(&at("draft")).unwrap().write_all(b"draft").unwrap();
        symlink(at("secret"), at("own")).unwrap();
        write(&at("own"), b"own").unwrap();
        symlink(at("secret"), at("again")).unwrap();
        write_again(&at("again"), b"again").unwrap();
        assert_eq!(fs::read_to_string(at("secret")).unwrap(), "secret");
        assert_eq!(fs::read_to_string(at("own")).unwrap(), "own");
        fs::set_permissions(at("secret"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink(at("secret"), at("named")).unwrap();
        assert!(same_file(&at("named"), &at("secret")) && !same_file(&at("own"), &at("secret")));
        write_named(&at("named"), b"changed").unwrap();
        assert_eq!(fs::read_to_string(at("secret")).unwrap(), "changed");
        assert!(fs::symlink_metadata(at("named")).unwrap().is_symlink());
        let mode = fs::metadata(at("secret")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        write_named(Path::new("/dev/null"), b"nothing").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
